#include "sdk/src/c_handles.h"

namespace penstock::detail {
namespace {

thread_local std::string last_error;

constexpr std::size_t kRankMax = 32;

static_assert(static_cast<int>(ErrorCode::invalid_argument) + 1 == PENSTOCK_INVALID_ARGUMENT);
static_assert(static_cast<int>(ErrorCode::cancelled) + 1 == PENSTOCK_CANCELLED);
static_assert(static_cast<int>(ErrorCode::internal) + 1 == PENSTOCK_INTERNAL);
static_assert(static_cast<int>(DType::f64) == PENSTOCK_F64);
static_assert(static_cast<int>(DType::boolean) == PENSTOCK_BOOL);

}  // namespace

penstock_status c_status(const Status& status) {
  if (status.ok()) return PENSTOCK_OK;
  last_error = status.error().message;
  return static_cast<penstock_status>(static_cast<int>(status.error().code) + 1);
}

void c_check(const void* pointer, const char* what) {
  if (pointer == nullptr) throw Exception(invalid(std::string(what) + " is NULL"));
}

std::string c_text(const char* text, const char* what) {
  c_check(text, what);
  return text;
}

Tensor c_tensor(const penstock_array& array) {
  const std::string what = array.name == nullptr ? "array" : "array " + std::string(array.name);
  if (array.dtype < PENSTOCK_F32 || array.dtype > PENSTOCK_BOOL)
    throw Exception(
        invalid(what + ": " + std::to_string(static_cast<int>(array.dtype)) + " is no dtype"));
  if (array.rank > kRankMax)
    throw Exception(invalid(what + ": rank " + std::to_string(array.rank) + " is above " +
                            std::to_string(kRankMax)));
  if (array.rank > 0) c_check(array.shape, "the shape of an array");
  if (array.bytes > 0) c_check(array.data, "the data of an array");
  return Tensor::from_bytes(static_cast<DType>(array.dtype),
                            Extents(array.shape, array.shape + array.rank),
                            {static_cast<const std::byte*>(array.data), array.bytes});
}

Tensors c_tensors(const penstock_array* arrays, size_t count) {
  if (count > 0) c_check(arrays, "the list of inputs");
  Tensors tensors;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = c_text(arrays[i].name, "the name of an input");
    if (!tensors.emplace(name, c_tensor(arrays[i])).second)
      throw Exception(invalid("input " + name + " is given twice"));
  }
  return tensors;
}

void c_view(const Tensor& tensor, const char* name, penstock_array* out) {
  *out = {name,
          static_cast<penstock_dtype>(tensor.dtype()),
          tensor.shape().size(),
          tensor.shape().data(),
          tensor.bytes().data(),
          tensor.bytes().size()};
}

}  // namespace penstock::detail

const char* penstock_last_error(void) {
  return penstock::detail::last_error.c_str();
}

const char* penstock_status_name(penstock_status status) {
  if (status == PENSTOCK_OK) return "ok";
  if (status < PENSTOCK_OK || status > PENSTOCK_INTERNAL) return "no status";
  // The names are literals, which end with a zero.
  return penstock::name(static_cast<penstock::ErrorCode>(status - 1)).data();
}
