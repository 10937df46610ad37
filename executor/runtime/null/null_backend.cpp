#include "executor/runtime/null/null_backend.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "base/check.h"
#include "executor/runtime/null/launch_cost.h"

namespace penstock::runtime {
namespace {

/// Bytes from the view's first element to the end of its last one.
std::int64_t reach_bytes(const TensorView& view) {
  std::int64_t last = 0;
  for (int dim = 0; dim < view.rank; ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    if (view.extents[i] == 0) return 0;
    last += (view.extents[i] - 1) * view.strides[i];
  }
  return (last + 1) * program::size_of(view.dtype);
}

struct Block {
  const std::byte* begin;
  std::int64_t bytes;
};

Status check_inside(const Block& block, std::span<std::byte> arena, const std::string& what) {
  const std::int64_t offset = block.begin - arena.data();
  const auto size = static_cast<std::int64_t>(arena.size());
  if (offset >= 0 && block.bytes >= 0 && offset <= size && block.bytes <= size - offset) return {};
  return Error{ErrorCode::internal, what + " at byte " + std::to_string(offset) + ", " +
                                        std::to_string(block.bytes) +
                                        " bytes, leaves the arena of " + std::to_string(size)};
}

Status check_views(std::span<const TensorView> views,
                   const std::vector<compiler::Operand>& operands, std::span<std::byte> arena,
                   std::string_view side) {
  if (operands.size() != views.size()) {
    return Error{ErrorCode::internal, std::to_string(views.size()) + " views of " +
                                          std::to_string(operands.size()) + " operands"};
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string what = std::string(side) + " " + std::to_string(i);
    if (operands[i].offset % compiler::kOperandAlignment != 0) {
      return Error{ErrorCode::internal, what + " starts at byte " +
                                            std::to_string(operands[i].offset) +
                                            ", which is no multiple of 64"};
    }
    const std::int64_t element = program::size_of(views[i].dtype);
    if ((views[i].data - arena.data()) % element != 0) {
      return Error{ErrorCode::internal, what + " is not aligned to its elements"};
    }
    PENSTOCK_TRY(check_inside({views[i].data, reach_bytes(views[i])}, arena, what));
    if (views[i].elements() > program::element_count(operands[i].type.shape) &&
        !operands[i].broadcast) {
      return Error{ErrorCode::internal,
                   what + " has more elements than " + program::to_text(operands[i].type)};
    }
  }
  return {};
}

}  // namespace

bool NullBackend::claims(program::OpIndex, program::OpInputs) const {
  return true;
}

std::int64_t NullBackend::kernel_scratch(program::Kernel, program::OpInputs,
                                         const program::Types&) const {
  return 0;
}

std::int64_t NullBackend::region_scratch(program::OpIndex, program::OpInputs) const {
  return 0;
}

Status NullBackend::allocate(std::int64_t bytes) {
  PENSTOCK_CHECK(arena_ == nullptr, "allocate is called once");
  if (bytes > options_.memory_bytes) {
    return Error{ErrorCode::resource_exhausted,
                 "null device: the program needs " +
                     format_bytes(static_cast<std::uint64_t>(bytes)) + ", the device has " +
                     format_bytes(static_cast<std::uint64_t>(options_.memory_bytes))};
  }
  PENSTOCK_ASSIGN(arena_, Arena::create(bytes));
  return {};
}

std::byte* NullBackend::arena() {
  PENSTOCK_CHECK(arena_ != nullptr, "arena before allocate");
  return arena_->bytes().data();
}

Status NullBackend::launch(const Launch& launch) {
  const std::span<std::byte> arena = arena_->bytes();
  const compiler::Instruction& instruction = *launch.instruction;
  PENSTOCK_TRY(check_views(launch.inputs, instruction.inputs, arena, "input"));
  PENSTOCK_TRY(check_views(launch.outputs, instruction.outputs, arena, "output"));
  if (!launch.scratch.empty()) {
    const Block scratch{launch.scratch.data(), static_cast<std::int64_t>(launch.scratch.size())};
    PENSTOCK_TRY(check_inside(scratch, arena, "scratch"));
  }
  const LaunchCost cost = cost_of(launch);
  // Arithmetic and traffic overlap: the slower of the two decides (the roofline model).
  const double seconds =
      std::max(cost.flop / options_.flop_per_second, cost.bytes / options_.bytes_per_second);
  const Nanoseconds time{std::llround(seconds * 1e9)};
  ++counts_.launches;
  counts_.flop += cost.flop;
  counts_.bytes += cost.bytes;
  counts_.modelled += time;
  if (options_.pace == Pace::modelled) std::this_thread::sleep_for(time);
  return {};
}

}  // namespace penstock::runtime
