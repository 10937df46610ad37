#include "executor/compiler/bucket/bucket.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "executor/compiler/index.h"
#include "executor/compiler/sharded_entry.h"

namespace penstock::compiler {
namespace {

bool joins(const ShardedNode& node) {
  return node.collective && node.collective->kind == CollectiveKind::all_reduce;
}

/// What is done as soon as its operand is there: sums over devices and over micro-batches.
bool is_eager(const ShardedNode& node) {
  return joins(node) || (node.collective && node.collective->kind == CollectiveKind::accumulate);
}

/// Nodes with every sum right behind the node that makes its operand.
std::vector<std::size_t> eager_order(const ShardedEntry& entry) {
  std::vector<std::vector<std::size_t>> behind(entry.nodes.size() + 1);  // last: behind the sources
  for (std::size_t n = 0; n < entry.nodes.size(); ++n) {
    if (!is_eager(entry.nodes[n])) continue;
    const ShardedValue& operand = entry.value(entry.nodes[n].inputs[0]);
    behind[operand.source == program::Source::node ? static_cast<std::size_t>(operand.index)
                                                   : entry.nodes.size()]
        .push_back(n);
  }
  std::vector<std::size_t> order, stack;
  const auto emit = [&](std::size_t first) {
    stack.push_back(first);
    while (!stack.empty()) {  // a sum may follow a sum over another axis
      const std::size_t n = stack.back();
      stack.pop_back();
      if (n < entry.nodes.size()) order.push_back(n);
      for (auto next = behind[n].rbegin(); next != behind[n].rend(); ++next) stack.push_back(*next);
    }
  };
  emit(entry.nodes.size());
  for (std::size_t n = 0; n < entry.nodes.size(); ++n)
    if (!is_eager(entry.nodes[n])) emit(n);
  return order;
}

/// Per key, the number of the last bucket that something must follow, or -1.
using Follows = std::vector<int>;

void merge(Follows& into, const Follows& from) {
  for (std::size_t k = 0; k < into.size(); ++k) into[k] = std::max(into[k], from[k]);
}

/// Assigns buckets so that no bucket has to follow itself, directly or through others.
class Grouping {
 public:
  Grouping(const ShardedEntry& entry, std::int64_t bucket_bytes)
      : entry_(entry), bucket_bytes_(bucket_bytes) {
    for (const ShardedNode& node : entry.nodes)
      if (joins(node)) keys_.try_emplace(key(node), 0);
    std::size_t k = 0;
    for (auto& [unused, index] : keys_) index = k++;
    buckets_.resize(k);
    follows_.assign(entry.values.size(), Follows(k, -1));
  }

  /// Bucket of each node, counted over the entry, or -1.
  std::vector<int> run(const std::vector<std::size_t>& order) {
    std::vector<int> out(entry_.nodes.size(), -1);
    for (const std::size_t n : order) {
      const ShardedNode& node = entry_.nodes[n];
      Follows follows(buckets_.size(), -1);
      for (const ValueId id : node.inputs) merge(follows, follows_[at(id)]);
      if (joins(node)) out[n] = join(node, follows);
      for (const ValueId id : node.outputs) follows_[at(id)] = follows;
    }
    return out;
  }

 private:
  using Key = std::tuple<int, program::DType, Phase>;
  struct Bucket {
    int number = 0;  // over the entry
    std::int64_t bytes = 0;
    Follows follows;
  };

  Key key(const ShardedNode& node) const {
    return {node.collective->axis, entry_.value(node.inputs[0]).local.dtype, node.phase};
  }

  /// Adds what the buckets followed have to follow themselves.
  void close_over(Follows& follows) const {
    for (Follows before; before != follows;) {
      before = follows;
      for (std::size_t k = 0; k < follows.size(); ++k)
        if (before[k] >= 0)
          merge(follows, buckets_[k][static_cast<std::size_t>(before[k])].follows);
    }
  }

  int join(const ShardedNode& node, Follows& follows) {
    const std::size_t k = keys_.at(key(node));
    const std::int64_t bytes = (byte_count(entry_.value(node.inputs[0]).local) + 63) / 64 * 64;
    close_over(follows);
    std::vector<Bucket>& mine = buckets_[k];
    const int open = static_cast<int>(mine.size()) - 1;
    const std::int64_t limit = count_ <= 1 ? bucket_bytes_ / 4 : bucket_bytes_;
    if (open < 0 || follows[k] >= open || mine.back().bytes + bytes > limit) {
      mine.push_back({count_++, 0, Follows(buckets_.size(), -1)});
      mine.back().follows[k] = open;
    }
    mine.back().bytes += bytes;
    merge(mine.back().follows, follows);
    follows[k] = static_cast<int>(mine.size()) - 1;
    return mine.back().number;
  }

  const ShardedEntry& entry_;
  const std::int64_t bucket_bytes_;
  int count_ = 0;
  std::map<Key, std::size_t> keys_;
  std::vector<std::vector<Bucket>> buckets_;  // by key
  std::vector<Follows> follows_;              // by value
};

/// Lists the nodes again: each bucket as soon as its operands are there.
class Ordering {
 public:
  Ordering(const ShardedEntry& entry, const std::vector<int>& bucket_of)
      : entry_(entry), ready_(entry.values.size(), false), waiting_(entry.values.size()) {
    for (std::size_t n = 0; n < entry.nodes.size(); ++n) {
      if (bucket_of[n] < 0) continue;
      const auto b = static_cast<std::size_t>(bucket_of[n]);
      if (members_.size() <= b) members_.resize(b + 1);
      members_[b].push_back(n);
      waiting_[at(entry.nodes[n].inputs[0])].push_back(b);
    }
    for (const std::vector<std::size_t>& members : members_) missing_.push_back(members.size());
  }

  std::vector<std::size_t> run(const std::vector<std::size_t>& eager) {
    for (std::size_t i = 0; i < entry_.values.size(); ++i)
      if (entry_.values[i].source != program::Source::node) made({static_cast<std::int32_t>(i)});
    std::vector<std::size_t> rest;
    for (const std::size_t n : eager)
      if (!joins(entry_.nodes[n])) rest.push_back(n);
    while (!rest.empty()) {
      std::vector<std::size_t> later;
      for (const std::size_t n : rest)
        if (!try_emit(n)) later.push_back(n);
      PENSTOCK_CHECK(later.size() < rest.size(), "buckets wait for each other");
      rest = std::move(later);
    }
    return std::move(order_);
  }

  const std::vector<std::vector<std::size_t>>& members() const { return members_; }

 private:
  bool try_emit(std::size_t n) {
    const ShardedNode& node = entry_.nodes[n];
    for (const ValueId id : node.inputs)
      if (!ready_[at(id)]) return false;
    order_.push_back(n);
    for (const ValueId id : node.outputs) made(id);
    return true;
  }

  void made(ValueId first) {
    std::vector<ValueId> queue = {first};
    while (!queue.empty()) {
      const ValueId id = queue.back();
      queue.pop_back();
      ready_[at(id)] = true;
      for (const std::size_t b : waiting_[at(id)])
        if (--missing_[b] == 0)
          for (const std::size_t member : members_[b]) {
            order_.push_back(member);
            queue.push_back(entry_.nodes[member].outputs[0]);
          }
    }
  }

  const ShardedEntry& entry_;
  std::vector<bool> ready_;
  std::vector<std::vector<std::size_t>> waiting_;  // buckets by operand
  std::vector<std::vector<std::size_t>> members_;
  std::vector<std::size_t> missing_;
  std::vector<std::size_t> order_;
};

ShardedEntry bucketed(ShardedEntry entry, std::int64_t bucket_bytes) {
  const std::vector<std::size_t> eager = eager_order(entry);
  const std::vector<int> bucket_of = Grouping(entry, bucket_bytes).run(eager);
  const std::vector<std::size_t> order = Ordering(entry, bucket_of).run(eager);
  std::map<int, int> numbers;  // buckets are numbered as they come
  for (const std::size_t n : order) {
    if (bucket_of[n] < 0) continue;
    const int next = static_cast<int>(numbers.size());
    entry.nodes[n].collective->bucket = numbers.try_emplace(bucket_of[n], next).first->second;
  }
  return reordered(entry, order);
}

}  // namespace

ShardedProgram bucket(ShardedProgram program) {
  for (ShardedEntry& entry : program.entries)
    entry = bucketed(std::move(entry), program.plan.bucket_bytes);
  return program;
}

}  // namespace penstock::compiler
