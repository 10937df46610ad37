#include "executor/runtime/cpu/fused.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/map_rows.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/strided.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;
using compiler::FusedCall;
using compiler::FusedMap;
using program::DType;

/// Elements of a tile: with a few intermediates it stays in the first-level cache.
constexpr std::int64_t kTileElements = 1024;
constexpr std::int64_t kSlotBytes = kTileElements * 8;
constexpr std::size_t kNone = SIZE_MAX;

/// Where each map of a call writes: right into an output, or into a slot of the tile's own memory.
struct Homes {
  struct Home {
    std::size_t output = kNone;
    std::size_t slot = kNone;
    std::size_t copy_to = kNone;  // the output that takes the slot when the tile is done
  };
  std::vector<Home> maps;
  std::size_t slots = 0;
};

/// The last map that reads operand `operand` of the call, or -1.
int last_reader(const FusedCall& call, int operand) {
  for (std::size_t m = call.maps.size(); m-- > 0;)
    for (const int read : call.maps[m].operands)
      if (read == operand) return static_cast<int>(m);
  return -1;
}

/// Whether map `m` may write the output although maps after it still run: none of them reads an
/// input in the same place.
bool may_write_at_once(const FusedCall& call, const Launch& launch, std::size_t m,
                       const TensorView& output) {
  for (std::size_t i = 0; i < launch.inputs.size(); ++i)
    if (launch.inputs[i].data == output.data &&
        last_reader(call, static_cast<int>(i)) > static_cast<int>(m))
      return false;
  return true;
}

Homes find_homes(const FusedCall& call, const Launch& launch) {
  Homes out;
  out.maps.resize(call.maps.size());
  for (std::size_t o = 0; o < call.results.size(); ++o) {
    const std::size_t m = at(call.results[o]);
    const bool at_once = may_write_at_once(call, launch, m, launch.outputs[o]);
    (at_once ? out.maps[m].output : out.maps[m].copy_to) = o;
  }
  std::vector<std::size_t> free;
  std::vector<std::vector<std::size_t>> ends(call.maps.size());  // slots by their last reader
  for (std::size_t m = 0; m < call.maps.size(); ++m) {
    Homes::Home& home = out.maps[m];
    if (home.output == kNone) {
      if (free.empty()) free.push_back(out.slots++);
      home.slot = free.back();
      free.pop_back();
      const int last = last_reader(call, static_cast<int>(launch.inputs.size() + m));
      if (home.copy_to == kNone && last >= 0) ends[at(last)].push_back(home.slot);
    }
    // Freed behind the map: a map's result never shares a slot with what it reads.
    for (const std::size_t slot : ends[m]) free.push_back(slot);
  }
  return out;
}

/// Part of a launch: `rows` x `columns` elements from element `first` of the dense outputs.
struct Tile {
  std::int64_t rows = 0, columns = 0, first = 0;
};

class FusedLaunch {
 public:
  FusedLaunch(const FusedCall& call, const Launch& launch)
      : call_(call),
        launch_(launch),
        walk_(merge_dimensions(launch.outputs[0], launch.inputs)),
        homes_(find_homes(call, launch)) {
    const int inner = std::min(walk_.rank, 2);
    if (inner >= 1) columns_ = walk_.extents[at(walk_.rank - 1)];
    if (inner == 2) rows_ = walk_.extents[at(walk_.rank - 2)];
    outer_ = walk_.rank - inner;
    for (int dim = 0; dim < outer_; ++dim) blocks_ *= walk_.extents[at(dim)];
    tile_columns_ = std::min(columns_, kTileElements);
    tile_rows_ = tile_columns_ < columns_
                     ? 1
                     : std::clamp<std::int64_t>(kTileElements / std::max<std::int64_t>(1, columns_),
                                                1, std::max<std::int64_t>(1, rows_));
    across_ = (columns_ + tile_columns_ - 1) / std::max<std::int64_t>(1, tile_columns_);
    down_ = (rows_ + tile_rows_ - 1) / tile_rows_;
  }

  Status run(int threads) {
    if (walk_.elements() == 0) return {};
    std::atomic<int> refused = -1;
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (tile_rows_ * tile_columns_));
    parallel_for(threads, blocks_ * down_ * across_, grain,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<std::byte> memory(homes_.slots * at(kSlotBytes) + 64);
                   const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
                   std::byte* const slots = memory.data() + (64 - start % 64);
                   for (std::int64_t tile = begin; tile < end && refused < 0; ++tile)
                     if (const int map = run_tile(tile, slots); map >= 0) refused = map;
                 });
    if (refused < 0) return {};
    const FusedMap& map = call_.maps[at(refused)];
    return no_kernel(map.kernel, dtype_of(map.operands[0]));
  }

 private:
  DType dtype_of(int operand) const {
    const std::size_t inputs = launch_.inputs.size();
    return at(operand) < inputs ? launch_.inputs[at(operand)].dtype
                                : call_.maps[at(operand) - inputs].dtype;
  }

  /// The map that has no kernel, or -1.
  int run_tile(std::int64_t number, std::byte* slots) const {
    const std::int64_t block = number / (down_ * across_);
    const std::int64_t row = number % (down_ * across_) / across_ * tile_rows_;
    const std::int64_t column = number % across_ * tile_columns_;
    Odometer odometer(walk_, outer_);
    odometer.seek(block);
    const Tile tile{std::min(tile_rows_, rows_ - row), std::min(tile_columns_, columns_ - column),
                    (block * rows_ + row) * columns_ + column};
    for (std::size_t m = 0; m < call_.maps.size(); ++m)
      if (!run_map(m, tile, odometer, row, column, slots)) return static_cast<int>(m);
    for (const Homes::Home& home : homes_.maps)
      if (home.copy_to != kNone)
        std::memcpy(
            place(home.copy_to, tile), slots + home.slot * at(kSlotBytes),
            at(tile.rows * tile.columns * program::size_of(launch_.outputs[home.copy_to].dtype)));
    return -1;
  }

  std::byte* place(std::size_t output, const Tile& tile) const {
    const TensorView& view = launch_.outputs[output];
    return view.data + tile.first * program::size_of(view.dtype);
  }

  bool run_map(std::size_t m, const Tile& tile, const Odometer& odometer, std::int64_t row,
               std::int64_t column, std::byte* slots) const {
    const FusedMap& map = call_.maps[m];
    MapBlock block{.rows = tile.rows, .columns = tile.columns};
    const auto home_of = [&](std::size_t maker) {
      const Homes::Home& home = homes_.maps[maker];
      return home.output != kNone ? place(home.output, tile) : slots + home.slot * at(kSlotBytes);
    };
    block.result = home_of(m);
    for (std::size_t k = 0; k < map.operands.size(); ++k) {
      const std::size_t operand = at(map.operands[k]);
      if (operand >= launch_.inputs.size()) {
        block.operands[k] = home_of(operand - launch_.inputs.size());
        block.row_strides[k] = tile.columns;
        block.column_strides[k] = 1;
        continue;
      }
      const TensorView& view = launch_.inputs[operand];
      const auto& strides = walk_.strides[operand];
      if (walk_.rank >= 1) block.column_strides[k] = strides[at(walk_.rank - 1)];
      if (walk_.rank >= 2) block.row_strides[k] = strides[at(walk_.rank - 2)];
      block.operands[k] =
          view.data + (odometer.offset(static_cast<int>(operand)) + row * block.row_strides[k] +
                       column * block.column_strides[k]) *
                          program::size_of(view.dtype);
    }
    return run_map_block(map.kernel, dtype_of(map.operands[0]), map.dtype, block);
  }

  const FusedCall& call_;
  const Launch& launch_;
  const Walk walk_;
  const Homes homes_;
  int outer_ = 0;
  std::int64_t rows_ = 1, columns_ = 1, blocks_ = 1;
  std::int64_t tile_rows_ = 1, tile_columns_ = 1, across_ = 1, down_ = 1;
};

}  // namespace

Status run_fused(const FusedCall& call, int threads, const Launch& launch) {
  return FusedLaunch(call, launch).run(threads);
}

}  // namespace penstock::runtime::cpu
