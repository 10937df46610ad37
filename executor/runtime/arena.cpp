#include "executor/runtime/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/units.h"

namespace penstock::runtime {

Result<std::unique_ptr<Arena>> Arena::create(std::int64_t bytes) {
  constexpr std::size_t kHugePage = 2 * kMiB;
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
  // Whole huge pages, and one more to align the start with.
  const std::size_t mapped = (size + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
  void* const start =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) {
    return Error{ErrorCode::resource_exhausted,
                 "arena: the system refuses " + format_bytes(size) + ": " + std::strerror(errno)};
  }
  // Trims the mapping to an aligned one, so that its first pages can be huge as well.
  auto* const first = static_cast<std::byte*>(start);
  const std::size_t skip =
      (kHugePage - reinterpret_cast<std::uintptr_t>(first) % kHugePage) % kHugePage;
  if (skip > 0) ::munmap(first, skip);
  if (skip < kHugePage) ::munmap(first + mapped - kHugePage + skip, kHugePage - skip);
  std::byte* const data = first + skip;
  const std::size_t kept = mapped - kHugePage;
  if (kept > 0) ::madvise(data, kept, MADV_HUGEPAGE);
  return std::unique_ptr<Arena>(new Arena(data, size, kept));
}

Arena::~Arena() {
  if (mapped_ > 0) ::munmap(data_, mapped_);
}

}  // namespace penstock::runtime
