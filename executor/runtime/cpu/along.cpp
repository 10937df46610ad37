#include "executor/runtime/cpu/along.h"

#include <algorithm>
#include <cstring>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/parallel.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;

template <class T>
void copy_elements(const std::byte* from, std::byte* to, const Stretches& s, std::int64_t begin,
                   std::int64_t end) {
  for (std::int64_t r = begin; r < end; ++r) {
    T value;
    std::memcpy(&value, from + r * s.from_step, sizeof(T));
    std::memcpy(to + r * s.to_step, &value, sizeof(T));
  }
}

}  // namespace

Along::Along(const TensorView& view, std::int64_t dim) {
  for (int i = 0; i < view.rank; ++i)
    (i < dim ? outer : i == dim ? size : inner) *= view.extents[at(i)];
}

void copy_stretches(int threads, const std::byte* from, std::byte* to, const Stretches& s) {
  if (s.rows == 0 || s.bytes == 0) return;
  parallel_for(threads, s.rows, std::max<std::int64_t>(1, 4 * kGrain / s.bytes),
               [&](std::int64_t begin, std::int64_t end) {
                 // Single elements are copied by loads and stores, longer rows by memcpy.
                 if (s.bytes == 4) return copy_elements<std::uint32_t>(from, to, s, begin, end);
                 if (s.bytes == 8) return copy_elements<std::uint64_t>(from, to, s, begin, end);
                 for (std::int64_t r = begin; r < end; ++r)
                   std::memcpy(to + r * s.to_step, from + r * s.from_step, at(s.bytes));
               });
}

}  // namespace penstock::runtime::cpu
