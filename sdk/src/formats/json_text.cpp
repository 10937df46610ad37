#include "sdk/src/formats/json_text.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {
namespace {

/// Leaves the parser, which knows no other way out.
struct Stop {
  Error error;
};

/// Watches the parser for what it lets pass.
class Watch {
 public:
  Watch(std::string_view place, JsonLimits limits) : place_(place), limits_(limits) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (++values_ > limits_.values) throw Stop{too_much("values", limits_.values)};
    if (depth > limits_.depth)
      throw Stop{too_much("nested levels", static_cast<std::size_t>(limits_.depth))};
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end) names_.pop_back();
    if (event == Event::key) {
      const auto& name = value.get_ref<const std::string&>();
      if (!names_.back().insert(name).second)
        throw Stop{damaged(place_, "its JSON names " + shown(name) + " twice in one object")};
    }
    return true;
  }

 private:
  Error too_much(const char* what, std::size_t limit) const {
    return {ErrorCode::resource_exhausted,
            std::string(place_) + ": its JSON has more than " + std::to_string(limit) + " " + what};
  }

  const std::string_view place_;
  const JsonLimits limits_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> names_;  // of the open objects
};

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, std::string_view place,
                                  JsonLimits limits) {
  if (text.size() > limits.bytes)
    return Error{ErrorCode::resource_exhausted,
                 std::string(place) + ": its JSON has " + std::to_string(text.size()) +
                     " bytes, at most " + std::to_string(limits.bytes) + " are read"};
  Watch watch(place, limits);
  try {
    return nlohmann::json::parse(text.begin(), text.end(), std::ref(watch));
  } catch (Stop& stop) {
    return std::move(stop.error);
  } catch (const nlohmann::json::parse_error& error) {
    return damaged(place, "its JSON is wrong at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::exception& error) {
    return damaged(place, std::string("its JSON is wrong (") + error.what() + ")");
  }
}

}  // namespace penstock::weights
