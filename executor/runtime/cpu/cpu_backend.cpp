#include "executor/runtime/cpu/cpu_backend.h"

#include <omp.h>

#include <algorithm>
#include <string>
#include <variant>

#include "base/check.h"
#include "base/units.h"
#include "executor/runtime/arena.h"
#include "executor/runtime/cpu/convolutions.h"
#include "executor/runtime/cpu/convolve.h"
#include "executor/runtime/cpu/fused.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/regions/regions.h"

namespace penstock::runtime {

struct CpuBackend::State {
  Options options;
  std::unique_ptr<Arena> arena;
  cpu::Convolutions convolutions;
};

namespace {

using program::Kernel;

bool is_convolution(Kernel kernel) {
  return kernel == Kernel::convolve_forward || kernel == Kernel::convolve_input_gradient ||
         kernel == Kernel::convolve_filter_gradient;
}

/// The vocabulary of program::Kernel, family by family.
Status run_kernel(const cpu::Context& context, const Launch& launch) {
  if (program::is_map(context.kernel)) return cpu::run_map(context, launch);
  switch (context.kernel) {
    case Kernel::fill_constant:
    case Kernel::fill_batch_size:
    case Kernel::fill_iota:
      return cpu::run_fill(context, launch);
    case Kernel::reduce_sum:
    case Kernel::reduce_max:
    case Kernel::reduce_prod:
    case Kernel::reduce_argmax:
      return cpu::run_reduce(context, launch);
    case Kernel::contract_matmul:
    case Kernel::contract_rows:
      return cpu::run_contract(context, launch);
    case Kernel::convolve_forward:
    case Kernel::convolve_input_gradient:
    case Kernel::convolve_filter_gradient:
      return cpu::run_convolve(context, launch);
    case Kernel::window_max:
    case Kernel::window_max_gradient:
    case Kernel::window_average:
    case Kernel::window_average_gradient:
      return cpu::run_window(context, launch);
    case Kernel::copy_plain:
    case Kernel::copy_broadcast:
    case Kernel::copy_transpose:
    case Kernel::copy_slice:
    case Kernel::copy_pad:
    case Kernel::copy_concat:
      return cpu::run_copy(context, launch);
    case Kernel::gather_one_hot:
    case Kernel::gather_picked:
    case Kernel::gather_rows:
    case Kernel::gather_along:
      return cpu::run_gather(context, launch);
    case Kernel::scatter_rows:
    case Kernel::scatter_add:
    case Kernel::scatter_set:
      return cpu::run_scatter(context, launch);
    case Kernel::scan_sum:
      return cpu::run_scan(context, launch);
    case Kernel::sort_along:
      return cpu::run_sort(context, launch);
    default:
      break;
  }
  return Error{ErrorCode::internal, "cpu: unknown kernel"};
}

Status run_region(const compiler::RegionCall& call, int threads, const Launch& launch) {
  const std::string_view name = program::op_row(call.op).name;
  for (const cpu::ClaimedRegion& region : cpu::claimed_regions()) {
    if (region.op == name) return region.run(call.attributes, threads, launch);
  }
  return Error{ErrorCode::internal, "cpu: region '" + std::string(name) + "' was never claimed"};
}

}  // namespace

CpuBackend::CpuBackend(Options options) : state_(std::make_unique<State>()) {
  options.threads = std::max(1, options.threads);
  state_->options = options;
  ::omp_set_num_threads(options.threads);
  ::omp_set_dynamic(0);
}

CpuBackend::~CpuBackend() = default;

bool CpuBackend::claims(program::OpIndex region, program::OpInputs in) const {
  return cpu::find_region(program::op_row(region).name, in.types) != nullptr;
}

std::int64_t CpuBackend::kernel_scratch(Kernel kernel, program::OpInputs in,
                                        const program::Types& results) const {
  if (!is_convolution(kernel)) return 0;
  return cpu::convolve_scratch(kernel, in, results[0], state_->convolutions);
}

std::int64_t CpuBackend::region_scratch(program::OpIndex, program::OpInputs) const {
  return 0;
}

std::int64_t CpuBackend::memory_bytes() const {
  return state_->options.memory_bytes;
}

Status CpuBackend::allocate(std::int64_t bytes) {
  PENSTOCK_CHECK(state_->arena == nullptr, "allocate is called once");
  if (bytes > state_->options.memory_bytes) {
    return Error{ErrorCode::resource_exhausted,
                 "cpu device: the program needs " +
                     format_bytes(static_cast<std::uint64_t>(bytes)) + ", the device has " +
                     format_bytes(static_cast<std::uint64_t>(state_->options.memory_bytes)) +
                     "; lower the batch, add devices or accumulate over micro-batches"};
  }
  PENSTOCK_ASSIGN(state_->arena, Arena::create(bytes));
  return {};
}

std::byte* CpuBackend::arena() {
  PENSTOCK_CHECK(state_->arena != nullptr, "arena before allocate");
  return state_->arena->bytes().data();
}

Status CpuBackend::launch(const Launch& launch) {
  const int threads = state_->options.threads;
  const auto& call = launch.instruction->call;
  if (const auto* kernel = std::get_if<compiler::KernelCall>(&call)) {
    return run_kernel({kernel->kernel, kernel->attributes, threads, &state_->convolutions}, launch);
  }
  if (const auto* fused = std::get_if<compiler::FusedCall>(&call)) {
    return cpu::run_fused(*fused, threads, launch);
  }
  if (const auto* region = std::get_if<compiler::RegionCall>(&call)) {
    return run_region(*region, threads, launch);
  }
  return Error{ErrorCode::internal, "cpu: only kernels, fused maps and regions are launched"};
}

}  // namespace penstock::runtime
