#include "penstock/tensor.h"

#include <numeric>
#include <utility>

#include "base/units.h"

namespace penstock {
namespace {

std::string to_text(DType dtype, const Extents& shape) {
  Shape dims(shape.begin(), shape.end());
  return program::to_text(TensorType{dtype, std::move(dims)});
}

/// The number of elements of `shape` without its open (-1) extent, of which there is at most one.
Result<std::int64_t> known_elements(const Extents& shape, std::string_view place) {
  std::int64_t elements = 1;
  int open = 0;
  for (const std::int64_t extent : shape) {
    if (extent == -1 && ++open == 1) continue;
    if (extent < 0)
      return invalid(std::string(place) + ": extent " + std::to_string(extent) +
                     (open > 1 ? "; one extent may be -1, not two" : "; extents are 0 or more"));
    PENSTOCK_ASSIGN(elements, checked_mul(elements, extent));
  }
  return elements;
}

/// Fills in the open extent. Errors: invalid_argument unless the sizes agree.
Status close_shape(Extents& shape, std::int64_t elements, std::string_view place) {
  PENSTOCK_ASSIGN(const std::int64_t known, known_elements(shape, place));
  for (std::int64_t& extent : shape)
    if (extent == -1) {
      if (known == 0 || elements % known != 0)
        return invalid(std::string(place) + ": " + std::to_string(elements) +
                       " elements do not divide into rows of " + std::to_string(known));
      extent = elements / known;
      return {};
    }
  if (known == elements) return {};
  return invalid(std::string(place) + ": the shape has room for " + std::to_string(known) +
                 " elements, the data has " + std::to_string(elements));
}

}  // namespace

Tensor::Tensor() = default;

void Tensor::adopt(DType dtype, Extents shape, std::shared_ptr<const std::byte> data,
                   std::size_t byte_count) {
  const auto width = static_cast<std::size_t>(program::size_of(dtype));
  if (byte_count % width != 0)
    throw Exception(invalid("tensor of " + std::string(program::name(dtype)) + ": " +
                            std::to_string(byte_count) + " bytes are no whole elements"));
  const auto elements = static_cast<std::int64_t>(byte_count / width);
  value_or_throw(close_shape(shape, elements, "tensor of " + std::string(program::name(dtype))));
  dtype_ = dtype;
  shape_ = std::move(shape);
  size_ = elements;
  byte_count_ = byte_count;
  data_ = std::move(data);
}

Tensor Tensor::from_bytes(DType dtype, Extents shape, std::span<const std::byte> bytes) {
  return from_bytes(dtype, std::move(shape), std::vector<std::byte>(bytes.begin(), bytes.end()));
}

Tensor Tensor::from_bytes(DType dtype, Extents shape, std::vector<std::byte>&& bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  Tensor tensor;
  tensor.adopt(dtype, std::move(shape), {owner, owner->data()}, owner->size());
  return tensor;
}

Tensor Tensor::sharing(DType dtype, Extents shape, std::shared_ptr<const std::byte> data,
                       std::size_t byte_count) {
  const auto width = static_cast<std::uintptr_t>(program::size_of(dtype));
  if (reinterpret_cast<std::uintptr_t>(data.get()) % width != 0)
    throw Exception(invalid("tensor of " + std::string(program::name(dtype)) +
                            ": the shared bytes are not aligned for it; copy them"));
  Tensor tensor;
  tensor.adopt(dtype, std::move(shape), std::move(data), byte_count);
  return tensor;
}

Tensor Tensor::make(DType dtype, Extents shape,
                    const std::function<void(std::span<std::byte>)>& fill) {
  const std::int64_t elements = value_or_throw(known_elements(shape, "tensor"));
  const std::int64_t bytes = value_or_throw(checked_mul(elements, program::size_of(dtype)));
  auto owner = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  if (fill) fill(*owner);
  Tensor tensor;
  tensor.adopt(dtype, std::move(shape), {owner, owner->data()}, owner->size());
  return tensor;
}

Tensor Tensor::zeros(DType dtype, Extents shape) {
  return make(dtype, std::move(shape), nullptr);
}

void Tensor::check_dtype(DType asked) const {
  if (asked == dtype_) return;
  throw Exception(invalid("tensor " + text() + ": read as " + std::string(program::name(asked)) +
                          "; read it as " + std::string(program::name(dtype_))));
}

double Tensor::item() const {
  if (size_ != 1)
    throw Exception(invalid("tensor " + text() + ": item() wants one element, this has " +
                            std::to_string(size_)));
  switch (dtype_) {
    case DType::f32:
      return static_cast<double>(view<float>()[0]);
    case DType::f64:
      return view<double>()[0];
    case DType::boolean:
    case DType::u8:
      return std::to_integer<int>(bytes()[0]);
    case DType::i8:
      return view<std::int8_t>()[0];
    case DType::i32:
      return view<std::int32_t>()[0];
    case DType::i64:
      return static_cast<double>(view<std::int64_t>()[0]);
    case DType::f16:
    case DType::bf16:
      break;
  }
  throw Exception({ErrorCode::unimplemented,
                   "tensor " + text() + ": item() does not read this element type yet"});
}

Tensor Tensor::rows(std::int64_t begin, std::int64_t end) const {
  if (shape_.empty() || begin < 0 || begin > end || end > shape_[0])
    throw Exception(invalid("tensor " + text() + ": there are no rows " + std::to_string(begin) +
                            " to " + std::to_string(end)));
  const std::size_t row = shape_[0] == 0 ? 0 : byte_count_ / static_cast<std::size_t>(shape_[0]);
  Tensor part = *this;
  part.shape_[0] = end - begin;
  part.size_ = shape_[0] == 0 ? 0 : size_ / shape_[0] * (end - begin);
  part.byte_count_ = row * static_cast<std::size_t>(end - begin);
  part.data_ = {data_, data_.get() + row * static_cast<std::size_t>(begin)};
  return part;
}

Tensor Tensor::reshape(Extents shape) const {
  value_or_throw(close_shape(shape, size_, "reshape of tensor " + text()));
  Tensor same = *this;
  same.shape_ = std::move(shape);
  return same;
}

std::string Tensor::text() const {
  return to_text(dtype_, shape_);
}

}  // namespace penstock
