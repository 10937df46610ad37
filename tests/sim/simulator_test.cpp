#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/sim/world.h"

using namespace penstock;
using namespace penstock::gateway;

namespace {

constexpr std::uint64_t kSteps = 400;

/// PENSTOCK_SIM_SEED=n runs one seed, PENSTOCK_SIM_SEEDS=n that many.
std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string report(const World& world) {
  std::string out;
  for (const std::string& line : world.transcript()) out += line + "\n";
  return out;
}

}  // namespace

TEST_CASE("the control plane keeps its promises under random commands and faults") {
  const std::uint64_t only = from_environment("PENSTOCK_SIM_SEED", 0);
  const std::uint64_t first = only == 0 ? 1 : only;
  const std::uint64_t last = only == 0 ? from_environment("PENSTOCK_SIM_SEEDS", 300) : only;
  EventCounts seen{};
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    World world(seed);
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const std::string failure = world.step();
      if (!failure.empty())
        FAIL("PENSTOCK_SIM_SEED=" << seed << " step " << step << ": " << failure
                                  << "\nlatest actions:\n"
                                  << report(world));
    }
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += world.events()[i];
  }
  if (only != 0) return;
  std::string counts;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string_view event = name(static_cast<Event>(i));
    counts += " " + std::string(event) + "=" + std::to_string(seen[i]);
    CHECK_MESSAGE(seen[i] > 0, "the simulator no longer sees any ", event);
  }
  MESSAGE("seen:" << counts);
}

TEST_CASE("the same seed gives the same actions") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World once(seed), again(seed), other(seed + 1000);
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      once.step();
      again.step();
      other.step();
    }
    CHECK(once.digest() == again.digest());
    CHECK(once.digest() != other.digest());
  }
}
