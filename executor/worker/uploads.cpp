#include "executor/worker/uploads.h"

#include <utility>

#include "schema/wire/byte_stream.h"

namespace penstock::executor {
namespace {

std::string title(std::uint64_t number) {
  return "upload " + std::to_string(number);
}

}  // namespace

Result<wire::ByteSink::Client> Uploads::begin(std::uint64_t number, std::string name,
                                              program::TensorType type) {
  if (uploads_.count(number) != 0)
    return Error{ErrorCode::already_exists,
                 title(number) + " exists already; give each upload of a lane a new number"};
  const auto size = static_cast<std::uint64_t>(program::byte_count(type));
  if (uploads_.size() >= limits_.uploads_max || size > limits_.upload_bytes_max ||
      bytes_ > limits_.upload_bytes_max - size)
    return Error{ErrorCode::resource_exhausted,
                 title(number) + " (" + name + ", " + format_bytes(size) + "): the lane holds " +
                     std::to_string(uploads_.size()) + " uploads of " + format_bytes(bytes_) +
                     "; at most " + std::to_string(limits_.uploads_max) + " and " +
                     format_bytes(limits_.upload_bytes_max) +
                     " are kept. Wait for calls that consume them"};
  auto upload = std::make_shared<Upload>();
  upload->name = std::move(name);
  upload->type = std::move(type);
  upload->bytes = pool_->take(size);
  bytes_ += size;
  uploads_.emplace(number, upload);
  const auto into = upload->bytes.bytes();
  auto keep = kj::heap<std::shared_ptr<Upload>>(upload);
  return wire::receive_bytes(into, kj::mv(keep), [upload] { upload->finished = true; });
}

Result<std::shared_ptr<const Upload>> Uploads::take(std::uint64_t number, const std::string& name,
                                                    const program::TensorType& type) {
  const auto at = uploads_.find(number);
  if (at == uploads_.end())
    return Error{ErrorCode::not_found, "input " + name + ": there is no " + title(number) +
                                           " in this lane; it was never begun or is used up"};
  const Upload& upload = *at->second;
  if (!upload.finished)
    return Error{ErrorCode::failed_precondition,
                 "input " + name + ": " + title(number) +
                     " is not finished; wait for its `done` before the call that uses it"};
  if (upload.name != name || !(upload.type == type))
    return invalid("input " + name + ": " + program::to_text(type) + " refers to " + title(number) +
                   ", which was announced as " + upload.name + ": " +
                   program::to_text(upload.type));
  std::shared_ptr<const Upload> taken = std::move(at->second);
  bytes_ -= taken->bytes.size();
  uploads_.erase(at);
  return taken;
}

}  // namespace penstock::executor
