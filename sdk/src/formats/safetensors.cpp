#include "sdk/src/formats/safetensors.h"

#include <algorithm>

#include "base/units.h"
#include "sdk/src/formats/json_text.h"
#include "sdk/src/formats/stored_type.h"

// A file is: u64 length of the header; the header, JSON; the tensors' bytes without holes.
namespace penstock::weights {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHeaderBytesMax = 100'000'000;  // the format's own limit
constexpr std::size_t kTensorsMax = 200'000;
constexpr std::size_t kRankMax = 32;
constexpr const char* kMetadata = "__metadata__";

/// One tensor as the header describes it; offsets count from the end of the header.
struct TensorRecord {
  std::string name;
  const StoredType* type = nullptr;
  Extents shape;
  std::uint64_t begin = 0, end = 0;
};

/// A list of `count` (or any number of) whole numbers, none negative.
bool read_numbers(const json& value, std::vector<std::uint64_t>& out) {
  if (!value.is_array()) return false;
  for (const json& number : value) {
    if (!number.is_number_unsigned()) return false;
    out.push_back(number.get<std::uint64_t>());
  }
  return true;
}

Result<TensorRecord> read_record(const std::string& name, const json& value,
                                 const std::string& path) {
  const auto bad = [&](const std::string& why) {
    return damaged(path, "tensor " + shown(name) + " " + why);
  };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets"))
    return bad("must have dtype, shape and data_offsets, and nothing else");
  TensorRecord record{.name = name, .type = nullptr, .shape = {}};
  if (!value["dtype"].is_string()) return bad("has a dtype that is no text");
  const auto& dtype = value["dtype"].get_ref<const std::string&>();
  record.type = stored_type_of_safetensors(dtype);
  if (record.type == nullptr)
    return Error{ErrorCode::unimplemented, path + ": tensor " + shown(name) + " has dtype " +
                                               shown(dtype) + "; read are " + stored_type_names() +
                                               ": convert it to one of them"};
  std::vector<std::uint64_t> shape, offsets;
  if (!read_numbers(value["shape"], shape)) return bad("has a shape that is no list of sizes");
  if (shape.size() > kRankMax)
    return bad("has " + std::to_string(shape.size()) + " dimensions, at most " +
               std::to_string(kRankMax) + " are read");
  for (const std::uint64_t extent : shape) {
    if (extent > std::uint64_t{1} << 62) return bad("has the size " + std::to_string(extent));
    record.shape.push_back(static_cast<std::int64_t>(extent));
  }
  if (!read_numbers(value["data_offsets"], offsets) || offsets.size() != 2)
    return bad("has data_offsets that are not two numbers");
  record.begin = offsets[0];
  record.end = offsets[1];
  return record;
}

std::string shape_text(const Extents& shape) {
  return program::to_text(Shape(shape.begin(), shape.end()));
}

/// Whether offsets, shape and the file's size agree. Errors: data_loss
Status check_extent(const TensorRecord& record, std::uint64_t data_bytes, const std::string& path) {
  const std::string where = "tensor " + shown(record.name);
  const std::string range =
      "bytes " + std::to_string(record.begin) + " to " + std::to_string(record.end);
  if (record.begin > record.end) return damaged(path, where + " lies at " + range);
  if (record.end > data_bytes)
    return damaged(path, where + " lies at " + range + ", but only " + std::to_string(data_bytes) +
                             " bytes follow the header");
  const Result<std::int64_t> count = count_elements(record.shape);
  const Result<std::int64_t> bytes =
      count.ok() ? checked_mul(*count, record.type->bytes) : Result<std::int64_t>(count.error());
  if (!bytes.ok())
    return damaged(path,
                   where + " has shape " + shape_text(record.shape) + ": " + bytes.error().message);
  if (static_cast<std::uint64_t>(*bytes) != record.end - record.begin)
    return damaged(path, where + " lies at " + range + ", but " + std::string(record.type->name) +
                             shape_text(record.shape) + " takes " + std::to_string(*bytes) +
                             " bytes");
  return {};
}

/// Whether the tensors fill the data exactly. Errors: data_loss naming the first that does not
Status check_layout(std::vector<TensorRecord>& records, std::uint64_t data_bytes,
                    const std::string& path) {
  std::sort(records.begin(), records.end(), [](const TensorRecord& a, const TensorRecord& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const TensorRecord& record : records) {
    if (record.begin != at)
      return damaged(path, "tensor " + shown(record.name) + " begins at byte " +
                               std::to_string(record.begin) + ", " +
                               (record.begin < at ? "inside the one before, which ends at "
                                                  : "after a hole that begins at ") +
                               std::to_string(at));
    at = record.end;
  }
  if (at != data_bytes)
    return damaged(path, "its tensors take " + std::to_string(at) + " bytes, but " +
                             std::to_string(data_bytes) + " follow the header");
  return {};
}

Status read_metadata(const json& value, const std::string& path, Weights& out) {
  if (!value.is_object()) return damaged(path, "__metadata__ is no object");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) return damaged(path, "__metadata__ " + shown(key) + " is no text");
    out.metadata[key] = text.get<std::string>();
  }
  return {};
}

Result<std::string_view> header_of(const FileBytes& file) {
  if (file.bytes.size() < kLengthBytes)
    return damaged(file.path,
                   "it has " + std::to_string(file.bytes.size()) + " bytes, too few for a header");
  const std::uint64_t length = little_endian(file.bytes.first(kLengthBytes));
  if (length > kHeaderBytesMax)
    return damaged(file.path, "its header claims " + std::to_string(length) + " bytes, at most " +
                                  std::to_string(kHeaderBytesMax) + " are read: not safetensors?");
  if (length > file.bytes.size() - kLengthBytes)
    return damaged(file.path, "its header claims " + std::to_string(length) + " bytes, but only " +
                                  std::to_string(file.bytes.size() - kLengthBytes) + " follow");
  const auto* text = reinterpret_cast<const char*>(file.bytes.data() + kLengthBytes);
  if (length == 0 || text[0] != '{')
    return damaged(file.path, "its header does not begin with {: not safetensors?");
  return std::string_view(text, length);
}

}  // namespace

Result<Weights> parse_safetensors(const FileBytes& file) {
  PENSTOCK_ASSIGN(const std::string_view header, header_of(file));
  PENSTOCK_ASSIGN(const json all, parse_json(header, file.path, {.bytes = kHeaderBytesMax}));
  if (!all.is_object()) return damaged(file.path, "its header is no object");
  if (all.size() > kTensorsMax)
    return Error{ErrorCode::resource_exhausted,
                 file.path + ": it has " + std::to_string(all.size()) + " tensors, at most " +
                     std::to_string(kTensorsMax) + " are read"};
  const std::span<const std::byte> data = file.bytes.subspan(kLengthBytes + header.size());
  Weights weights;
  std::vector<TensorRecord> records;
  for (const auto& [name, value] : all.items()) {
    if (name == kMetadata) {
      PENSTOCK_TRY(read_metadata(value, file.path, weights));
      continue;
    }
    PENSTOCK_ASSIGN(TensorRecord record, read_record(name, value, file.path));
    PENSTOCK_TRY(check_extent(record, data.size(), file.path));
    records.push_back(std::move(record));
  }
  PENSTOCK_TRY(check_layout(records, data.size(), file.path));
  for (TensorRecord& record : records) {
    Result<Tensor> tensor = tensor_in(file, *record.type, std::move(record.shape),
                                      data.subspan(record.begin, record.end - record.begin));
    if (!tensor.ok()) return std::move(tensor).error().in("tensor " + shown(record.name));
    weights.tensors.emplace(std::move(record.name), *std::move(tensor));
  }
  return weights;
}

Result<Weights> read_safetensors(const std::string& path) {
  PENSTOCK_ASSIGN(const FileBytes file, map_file(path));
  return parse_safetensors(file);
}

Status write_safetensors(const std::string& path, const Weights& weights) {
  // As the reference does: widest elements first, so that all lie aligned, then by name.
  std::vector<std::pair<const std::string*, const Tensor*>> order;
  for (const auto& [name, tensor] : weights.tensors) {
    if (name == kMetadata) return invalid(path + ": no tensor may be called __metadata__");
    order.emplace_back(&name, &tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return program::size_of(a.second->dtype()) > program::size_of(b.second->dtype());
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!weights.metadata.empty()) header[kMetadata] = weights.metadata;
  std::uint64_t at = 0;
  for (const auto& [name, tensor] : order) {
    const std::uint64_t end = at + tensor->bytes().size();
    header[*name] = {{"dtype", stored_type_of(tensor->dtype()).name},
                     {"shape", tensor->shape()},
                     {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    return invalid(path + ": a name or metadata text is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kHeaderBytesMax)
    return Error{ErrorCode::resource_exhausted,
                 path + ": the header would have " + std::to_string(text.size()) +
                     " bytes, the format allows " + std::to_string(kHeaderBytesMax)};
  const std::uint64_t length = text.size();
  return write_file(path, [&](const Sink& sink) -> Status {
    PENSTOCK_TRY(sink(std::as_bytes(std::span(&length, 1))));
    PENSTOCK_TRY(sink(std::as_bytes(std::span<const char>(text))));
    for (const auto& entry : order) PENSTOCK_TRY(sink(entry.second->bytes()));
    return {};
  });
}

}  // namespace penstock::weights
