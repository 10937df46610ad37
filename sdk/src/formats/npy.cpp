#include "sdk/src/formats/npy.h"

#include <charconv>
#include <optional>

#include "base/units.h"
#include "penstock/weights.h"
#include "sdk/src/formats/stored_type.h"

// A file is: \x93NUMPY, version, length of the header, the header (a Python dict), the elements.
namespace penstock::weights {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kNpyHeaderBytesMax = 1 << 20;
constexpr std::size_t kNpyRankMax = 64;
constexpr std::size_t kAlignment = 64;

/// What the dict says.
struct NpyDict {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Extents> shape;
};

/// Reads the one dict that the format allows: three known keys, a text, a bool and a tuple.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : text_(text) {}

  /// Nothing, where the text is not such a dict; `what` then says what is wrong.
  std::optional<NpyDict> read(std::string& what) {
    NpyDict header;
    if (!take('{')) return failed(what, "no { at its begin");
    while (!take('}')) {
      std::string key;
      if (!read_text(key) || !take(':')) return failed(what, "no name and colon");
      if (key == "descr" && !header.descr) {
        header.descr.emplace();
        if (!read_text(*header.descr)) return failed(what, "a descr that is no plain type");
      } else if (key == "fortran_order" && !header.fortran_order) {
        header.fortran_order = take_word("True");
        if (!*header.fortran_order && !take_word("False"))
          return failed(what, "a fortran_order that is neither True nor False");
      } else if (key == "shape" && !header.shape) {
        header.shape.emplace();
        if (!read_tuple(*header.shape)) return failed(what, "a shape that is no tuple of sizes");
      } else {
        return failed(what, "the name " + shown(key) + " unknown or twice");
      }
      if (!take(',') && !peek('}')) return failed(what, "no comma");
    }
    skip_blanks();
    if (!text_.empty()) return failed(what, "text behind }");
    if (!header.descr || !header.fortran_order || !header.shape)
      return failed(what, "not all of descr, fortran_order and shape");
    return header;
  }

 private:
  static std::optional<NpyDict> failed(std::string& what, std::string why) {
    what = std::move(why);
    return std::nullopt;
  }
  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool peek(char c) {
    skip_blanks();
    return !text_.empty() && text_[0] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool read_text(std::string& out) {
    const char quote = peek('"') ? '"' : '\'';
    if (!take(quote)) return false;
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) return false;
    out = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return out.find('\\') == std::string::npos;
  }
  bool read_tuple(Extents& out) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_blanks();
      std::int64_t extent = -1;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0 || out.size() == kNpyRankMax) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (!text_.empty() && text_[0] == 'L') text_.remove_prefix(1);  // of Python 2
      out.push_back(extent);
      if (!take(',') && !peek(')')) return false;
    }
    return true;
  }

  std::string_view text_;
};

/// Where the header's text is. Errors: data_loss
Result<std::string_view> header_text(const FileBytes& file) {
  const auto* chars = reinterpret_cast<const char*>(file.bytes.data());
  const std::size_t size = file.bytes.size();
  if (size < 10 || std::string_view(chars, 6) != kMagic)
    return damaged(file.path, "it does not begin as .npy files do");
  const int version = std::to_integer<int>(file.bytes[6]);
  if (version < 1 || version > 3)
    return damaged(file.path,
                   "it is .npy of version " + std::to_string(version) + ", 1 to 3 are known");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (size < 8 + length_bytes) return damaged(file.path, "it ends inside its header");
  const std::uint64_t length = little_endian(file.bytes.subspan(8, length_bytes));
  const std::size_t begin = 8 + length_bytes;
  if (length > kNpyHeaderBytesMax || length > size - begin)
    return damaged(file.path, "its header claims " + std::to_string(length) + " bytes, " +
                                  std::to_string(size - begin) + " follow and at most " +
                                  std::to_string(kNpyHeaderBytesMax) + " are read");
  return std::string_view(chars + begin, length);
}

Result<const StoredType*> type_of(std::string descr, const std::string& path) {
  if (descr.size() == 3 && descr[0] == '=') descr[0] = '<';
  if (const StoredType* type = stored_type_of_numpy(descr)) return type;
  // Where the order of bytes means nothing, numpy writes | but reads all.
  if (descr.size() == 3 && descr[2] == '1')
    if (const StoredType* type = stored_type_of_numpy("|" + descr.substr(1))) return type;
  const std::string remedy = descr.starts_with('>')
                                 ? "; it is big-endian: save it with array.astype('<' + ..)"
                                 : "; read are the little-endian bool, integers and floats";
  return Error{ErrorCode::unimplemented,
               path + ": the array has the numpy type " + shown(descr) + remedy};
}

/// The elements in C order, from Fortran order.
Tensor from_fortran(const StoredType& type, const Extents& shape,
                    std::span<const std::byte> bytes) {
  const auto width = static_cast<std::size_t>(type.bytes);
  std::vector<std::byte> out(bytes.size());
  Extents index(shape.size(), 0);
  std::vector<std::size_t> strides(shape.size(), width);
  for (std::size_t i = 1; i < shape.size(); ++i)
    strides[i] = strides[i - 1] * static_cast<std::size_t>(shape[i - 1]);
  std::size_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += width) {
    std::memcpy(out.data() + to, bytes.data() + from, width);
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
      from += strides[axis - 1];
      if (++index[axis - 1] < shape[axis - 1]) break;
      from -= strides[axis - 1] * static_cast<std::size_t>(shape[axis - 1]);
      index[axis - 1] = 0;
    }
  }
  return Tensor::from_bytes(type.dtype, shape, std::move(out));
}

}  // namespace

Result<Tensor> parse_npy(const FileBytes& file) {
  PENSTOCK_ASSIGN(const std::string_view text, header_text(file));
  std::string what;
  const std::optional<NpyDict> header = DictReader(text).read(what);
  if (!header) return damaged(file.path, "its header has " + what + ": " + shown(text));
  PENSTOCK_ASSIGN(const StoredType* type, type_of(*header->descr, file.path));
  const Result<std::int64_t> count = count_elements(*header->shape);
  const Result<std::int64_t> bytes =
      count.ok() ? checked_mul(*count, type->bytes) : Result<std::int64_t>(count.error());
  if (!bytes.ok()) return damaged(file.path, "its shape is absurd: " + bytes.error().message);
  const auto* begin = reinterpret_cast<const std::byte*>(text.data() + text.size());
  const auto data = file.bytes.subspan(static_cast<std::size_t>(begin - file.bytes.data()));
  if (static_cast<std::uint64_t>(*bytes) != data.size())
    return damaged(file.path, "its array takes " + std::to_string(*bytes) + " bytes, but " +
                                  std::to_string(data.size()) + " follow the header");
  if (!*header->fortran_order || header->shape->size() < 2 || *count < 2)
    return tensor_in(file, *type, *header->shape, data);
  // Reordered at the stored width, then widened like others.
  if (type->bytes == program::size_of(type->dtype) && type->dtype != DType::boolean)
    return from_fortran(*type, *header->shape, data);
  const StoredType narrow{type->name, type->descr, type->bytes,
                          type->bytes == 1   ? DType::u8
                          : type->bytes == 2 ? DType::f16
                                             : DType::i32,
                          false};
  const Tensor ordered = from_fortran(narrow, *header->shape, data);
  return tensor_in({file.path, ordered.bytes(), nullptr}, *type, *header->shape, ordered.bytes());
}

Result<std::string> npy_header(const Tensor& tensor, const std::string& path) {
  const StoredType& type = stored_type_of(tensor.dtype());
  if (type.descr.empty())
    return Error{ErrorCode::unimplemented, path + ": numpy has no " +
                                               std::string(program::name(tensor.dtype())) +
                                               "; write safetensors"};
  std::string shape;
  for (const std::int64_t extent : tensor.shape())
    shape += std::to_string(extent) + (tensor.shape().size() == 1 ? "," : ", ");
  if (tensor.shape().size() > 1) shape.resize(shape.size() - 2);
  std::string text = "{'descr': '" + std::string(type.descr) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  const std::size_t unpadded = kMagic.size() + 4 + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(text.size() & 0xff);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

Result<Tensor> read_npy(const std::string& path) {
  PENSTOCK_ASSIGN(const FileBytes file, map_file(path));
  return parse_npy(file);
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  PENSTOCK_ASSIGN(const std::string header, npy_header(tensor, path));
  return write_file(path, [&](const Sink& sink) -> Status {
    PENSTOCK_TRY(sink(std::as_bytes(std::span<const char>(header))));
    return sink(tensor.bytes());
  });
}

}  // namespace penstock::weights
