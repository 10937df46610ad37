#include "gateway/schedule/placement.h"

#include <algorithm>
#include <utility>

namespace penstock::gateway {
namespace {

struct Candidate {
  const PooledExecutor* executor = nullptr;
  std::vector<std::uint32_t> devices;  // free and matching, smallest memory first
};

std::vector<Candidate> candidates(const Pool& pool, const LeaseTerms& terms) {
  std::vector<Candidate> out;
  for (const auto& [id, executor] : pool.executors()) {
    Candidate candidate{&executor, {}};
    for (std::uint32_t i = 0; i < executor.devices.size(); ++i) {
      const PooledDevice& device = executor.devices[i];
      if (device.state == DeviceState::free && matches(device.spec, terms))
        candidate.devices.push_back(i);
    }
    if (candidate.devices.empty()) continue;
    const auto& devices = executor.devices;
    std::stable_sort(candidate.devices.begin(), candidate.devices.end(),
                     [&devices](std::uint32_t a, std::uint32_t b) {
                       return devices[a].spec.memory_bytes < devices[b].spec.memory_bytes;
                     });
    out.push_back(std::move(candidate));
  }
  return out;
}

/// The executor with the fewest devices to spare, first of all; then the ones with the most.
void order(std::vector<Candidate>& all, std::size_t wanted) {
  std::stable_sort(all.begin(), all.end(), [wanted](const Candidate& a, const Candidate& b) {
    const bool a_alone = a.devices.size() >= wanted;
    const bool b_alone = b.devices.size() >= wanted;
    if (a_alone != b_alone) return a_alone;
    return a_alone ? a.devices.size() < b.devices.size() : a.devices.size() > b.devices.size();
  });
}

}  // namespace

std::optional<std::vector<DeviceId>> place(const Pool& pool, const LeaseTerms& terms) {
  std::vector<Candidate> all = candidates(pool, terms);
  order(all, terms.device_count);
  std::vector<DeviceId> out;
  for (const Candidate& candidate : all) {
    const std::size_t count =
        std::min<std::size_t>(candidate.devices.size(), terms.device_count - out.size());
    std::vector<std::uint32_t> chosen(candidate.devices.begin(),
                                      candidate.devices.begin() + static_cast<long>(count));
    std::sort(chosen.begin(), chosen.end());
    for (const std::uint32_t index : chosen) out.push_back({candidate.executor->id, index});
    if (out.size() == terms.device_count) return out;
  }
  return std::nullopt;
}

}  // namespace penstock::gateway
