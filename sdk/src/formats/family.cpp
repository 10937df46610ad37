#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "penstock/weights.h"
#include "sdk/src/formats/family_table.h"
#include "sdk/src/formats/head_order.h"
#include "sdk/src/formats/mapped_file.h"

// Renames by the family's table, one way or the other, and moves elements where layouts differ.
namespace penstock::weights {
namespace {

constexpr std::int64_t kLayersMax = 10'000;
constexpr std::size_t kNamesShown = 20;

enum class Direction { to_ours, to_theirs };

/// The layer that `name` has where `pattern` has `#`; -1 for a pattern without; nothing if they do
/// not fit.
std::optional<std::int64_t> match(std::string_view pattern, std::string_view name) {
  const std::size_t mark = pattern.find('#');
  if (mark == std::string_view::npos)
    return pattern == name ? std::optional<std::int64_t>(-1) : std::nullopt;
  const std::string_view before = pattern.substr(0, mark), after = pattern.substr(mark + 1);
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) ||
      !name.ends_with(after))
    return std::nullopt;
  const std::string_view digits =
      name.substr(before.size(), name.size() - before.size() - after.size());
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  std::int64_t layer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
  if (error != std::errc() || end != digits.data() + digits.size() || layer < 0 ||
      layer >= kLayersMax)
    return std::nullopt;
  return layer;
}

std::string filled(std::string_view pattern, std::int64_t layer) {
  std::string out(pattern);
  const std::size_t mark = out.find('#');
  if (mark != std::string::npos) out.replace(mark, 1, std::to_string(layer));
  return out;
}

struct Found {
  const NameRule* rule;
  std::int64_t layer;
};

/// Which rule names what, on the side that is read.
class RuleFinder {
 public:
  RuleFinder(const FamilyTable& table, Direction direction)
      : table_(table), direction_(direction) {}

  std::string_view from(const NameRule& rule) const {
    return direction_ == Direction::to_ours ? rule.theirs : rule.ours;
  }
  std::string_view to(const NameRule& rule) const {
    return direction_ == Direction::to_ours ? rule.ours : rule.theirs;
  }
  /// The name as the table has it: without their prefix, and with old BERT's words for a norm's.
  std::string plain(std::string_view name) const {
    if (direction_ == Direction::to_theirs) return std::string(name);
    if (!table_.theirs_prefix.empty() && name.starts_with(table_.theirs_prefix))
      name.remove_prefix(table_.theirs_prefix.size());
    std::string out(name);
    if (out.ends_with("LayerNorm.gamma")) out.replace(out.size() - 5, 5, "weight");
    if (out.ends_with("LayerNorm.beta")) out.replace(out.size() - 4, 4, "bias");
    return out;
  }
  std::optional<Found> find(std::string_view name) const {
    for (const NameRule& rule : table_.rules)
      if (const auto layer = match(from(rule), name)) return Found{&rule, *layer};
    return std::nullopt;
  }
  bool ignored(std::string_view name) const {
    return direction_ == Direction::to_ours &&
           std::any_of(table_.ignored.begin(), table_.ignored.end(),
                       [&](std::string_view pattern) { return match(pattern, name).has_value(); });
  }

 private:
  const FamilyTable& table_;
  const Direction direction_;
};

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
    out += (i > 0 ? ", " : "") + shown(names[i]);
  if (names.size() > kNamesShown)
    out += " and " + std::to_string(names.size() - kNamesShown) + " more";
  return out;
}

/// What the table asks for, for every layer up to the last, and `present` does not have.
std::vector<std::string> missing_names(const FamilyTable& table, const RuleFinder& finder,
                                       const std::set<std::string>& present, std::int64_t layers) {
  std::vector<std::string> missing;
  for (const NameRule& rule : table.rules) {
    if (rule.presence == Presence::optional) continue;
    const bool layered = rule.ours.find('#') != std::string_view::npos;
    for (std::int64_t layer = 0; layer < (layered ? std::max<std::int64_t>(layers, 1) : 1); ++layer)
      if (!present.contains(filled(finder.from(rule), layer)))
        missing.push_back(filled(finder.from(rule), layer));
  }
  return missing;
}

/// GPT-2's head is its embedding: a copy of it carries nothing, anything else has no place.
bool is_tied_head(Family family, std::string_view name, const Tensor& head, const Tensors& all) {
  if (family != Family::gpt2 || name != "lm_head.weight") return false;
  for (const char* other : {"wte.weight", "transformer.wte.weight"}) {
    const auto wte = all.find(other);
    if (wte != all.end()) return std::ranges::equal(wte->second.bytes(), head.bytes());
  }
  return false;
}

Result<Weights> rename(Family family, Direction direction, const Weights& in,
                       const FamilyOptions& options) {
  const FamilyTable& table = family_table(family);
  const RuleFinder finder(table, direction);
  const HeadOrder heads(in.metadata, options, table.rotary);
  Weights out;
  out.metadata = in.metadata;
  std::vector<std::string> surplus;
  std::set<std::string> present;
  std::int64_t layers = 0;
  for (const auto& [full, tensor] : in.tensors) {
    const std::string name = finder.plain(full);
    const std::optional<Found> found = finder.find(name);
    if (!found) {
      if (!finder.ignored(name) && !is_tied_head(family, full, tensor, in.tensors))
        surplus.push_back(full);
      continue;
    }
    if (!present.insert(name).second)
      return invalid(std::string(table.name) + ": tensor " + shown(full) + " is there twice");
    layers = std::max(layers, found->layer + 1);
    if (tensor.shape().size() != found->rule->rank)
      return invalid(std::string(table.name) + ": tensor " + shown(full) + " is " + tensor.text() +
                     ", " + std::to_string(found->rule->rank) + " dimensions are expected");
    Result<Tensor> moved = direction == Direction::to_ours
                               ? heads.to_ours(found->rule->layout, tensor)
                               : heads.to_theirs(found->rule->layout, tensor);
    if (!moved.ok())
      return std::move(moved).error().in(std::string(table.name) + ": tensor " + shown(full));
    std::string target = filled(finder.to(*found->rule), found->layer);
    if (direction == Direction::to_theirs) target = std::string(table.theirs_prefix) + target;
    out.tensors.emplace(std::move(target), *std::move(moved));
  }
  const std::vector<std::string> missing = missing_names(table, finder, present, layers);
  if (options.drop_surplus) surplus.clear();
  if (missing.empty() && surplus.empty()) return out;
  std::string why = std::string(table.name) + ":";
  if (!missing.empty()) why += " missing are " + listed(missing) + ";";
  if (!surplus.empty())
    why += " unknown are " + listed(surplus) + ", which drop_surplus leaves out;";
  return invalid(why + (direction == Direction::to_ours ? " is it this family?"
                                                        : " are these Penstock's names?"));
}

}  // namespace

std::string_view name(Family family) {
  return family_table(family).name;
}

Result<Family> parse_family(std::string_view text) {
  std::string known;
  for (const Family family : kFamilies) {
    if (name(family) == text) return family;
    known += (known.empty() ? "" : ", ") + std::string(name(family));
  }
  return invalid("family " + shown(text) + ": known are " + known);
}

Result<Weights> import_family(Family family, const Weights& weights, FamilyOptions options) {
  return rename(family, Direction::to_ours, weights, options);
}

Result<Weights> export_family(Family family, const Weights& weights, FamilyOptions options) {
  return rename(family, Direction::to_theirs, weights, options);
}

}  // namespace penstock::weights
