#include <zlib.h>

#include <array>
#include <memory>

#include "base/units.h"
#include "penstock/data.h"

namespace penstock::data {
namespace {

constexpr std::int64_t kBytesMax = std::int64_t{1} << 30;
constexpr std::int64_t kExtentMax = 1 << 28;

struct CloseFile {
  void operator()(gzFile_s* file) const { gzclose(file); }
};
using GzipHandle = std::unique_ptr<gzFile_s, CloseFile>;

Error damaged(const std::string& path, const std::string& why) {
  return {ErrorCode::data_loss, path + ": " + why + "; get the file again"};
}

/// Exactly `bytes.size()` bytes. Errors: data_loss if the file ends before or does not unpack
Status read_exactly(gzFile file, std::span<std::byte> bytes, const std::string& path,
                    const char* part) {
  constexpr std::size_t kPiece = 1 << 20;
  for (std::size_t done = 0; done < bytes.size();) {
    const auto wanted = static_cast<unsigned>(std::min(bytes.size() - done, kPiece));
    const int got = gzread(file, bytes.data() + done, wanted);
    if (got < 0) {
      int code = 0;
      const char* why = gzerror(file, &code);
      return damaged(path, std::string("cannot unpack ") + part + " (" + why + ")");
    }
    if (got == 0)
      return damaged(path, "it ends " + std::to_string(bytes.size() - done) +
                               " bytes before the end of its " + part);
    done += static_cast<std::size_t>(got);
  }
  return {};
}

std::int64_t big_endian(std::span<const std::byte, 4> b) {
  return (std::to_integer<std::int64_t>(b[0]) << 24) | (std::to_integer<std::int64_t>(b[1]) << 16) |
         (std::to_integer<std::int64_t>(b[2]) << 8) | std::to_integer<std::int64_t>(b[3]);
}

Result<Extents> read_header(gzFile file, const std::string& path) {
  std::array<std::byte, 4> word{};
  PENSTOCK_TRY(read_exactly(file, word, path, "header"));
  const std::int64_t magic = big_endian(word);
  const std::int64_t rank = magic & 0xff;
  if ((magic & 0xffffff00) != 0x0800 || rank < 1 || rank > 4)
    return damaged(path, "not an IDX file of bytes (its first word is " + std::to_string(magic) +
                             ", 2049 or 2051 is expected)");
  Extents shape;
  std::int64_t bytes = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    PENSTOCK_TRY(read_exactly(file, word, path, "header"));
    const std::int64_t extent = big_endian(word);
    if (extent > kExtentMax)
      return damaged(path, "extent " + std::to_string(extent) + " is absurd");
    shape.push_back(extent);
    bytes *= extent;
    if (bytes > kBytesMax)
      return damaged(path, "its header claims more than " +
                               format_bytes(static_cast<std::uint64_t>(kBytesMax)));
  }
  return shape;
}

}  // namespace

Result<Tensor> read_idx(const std::string& path) {
  const GzipHandle file(gzopen(path.c_str(), "rb"));
  if (file == nullptr)
    return Error{ErrorCode::not_found, path +
                                           ": cannot open it; on Debian, `apt-get install "
                                           "dataset-fashion-mnist`, or set PENSTOCK_DATA"};
  PENSTOCK_ASSIGN(const Extents shape, read_header(file.get(), path));
  Status status;
  Tensor tensor = Tensor::make(DType::u8, shape, [&](std::span<std::byte> bytes) {
    status = read_exactly(file.get(), bytes, path, "data");
  });
  PENSTOCK_TRY(std::move(status));
  std::byte extra{};
  if (gzread(file.get(), &extra, 1) != 0) return damaged(path, "bytes follow its data");
  return tensor;
}

}  // namespace penstock::data
