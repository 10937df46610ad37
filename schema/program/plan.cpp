// The text form of a plan.
#include <algorithm>
#include <charconv>
#include <span>

#include "schema/program/sharding.h"

namespace penstock::program {
namespace {

constexpr std::size_t kTextBytesMax = 16 << 20;
constexpr std::size_t kAxesMax = 8;
constexpr std::size_t kNameBytesMax = 256;
constexpr std::int64_t kAxisSizeMax = 1 << 16;
constexpr std::int64_t kDevicesMax = 1 << 20;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find(' '), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return out;
}

Result<std::int64_t> parse_number(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    return invalid("'" + std::string(text.substr(0, 40)) + "' is not a number from " +
                   std::to_string(low) + " to " + std::to_string(high));
  return value;
}

Result<MeshAxis> parse_axis(std::string_view word) {
  MeshAxis axis;
  if (!word.empty() && word.back() == '*') {
    axis.time = true;
    word.remove_suffix(1);
  }
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals > kNameBytesMax)
    return invalid("'" + std::string(word.substr(0, 40)) + "' is not <axis>=<size>");
  axis.name = word.substr(0, equals);
  if (axis.name.find_first_of("[]:,@") != std::string::npos)
    return invalid("axis name '" + axis.name + "' contains one of [ ] : , @");
  PENSTOCK_ASSIGN(axis.size, parse_number(word.substr(equals + 1), 1, kAxisSizeMax));
  return axis;
}

Result<Mesh> parse_mesh(std::span<const std::string_view> words) {
  Mesh mesh;
  if (words.size() > kAxesMax)
    return invalid("a mesh has at most " + std::to_string(kAxesMax) + " axes");
  for (const std::string_view word : words) {
    PENSTOCK_ASSIGN(MeshAxis axis, parse_axis(word));
    if (mesh.find(axis.name) >= 0) return invalid("axis '" + axis.name + "' is there twice");
    mesh.axes.push_back(std::move(axis));
    if (mesh.devices() > kDevicesMax)
      return invalid("a mesh has at most " + std::to_string(kDevicesMax) + " devices");
  }
  return mesh;
}

Status parse_axis_sharding(std::string_view item, const Mesh& mesh, Sharding& sharding) {
  const std::size_t colon = item.find(':');
  if (colon == std::string_view::npos)
    return invalid("'" + std::string(item.substr(0, 40)) + "' is not <axis>:<spread>");
  const int axis = mesh.find(item.substr(0, colon));
  if (axis < 0)
    return invalid("axis '" + std::string(item.substr(0, colon)) + "' is not in the mesh");
  AxisSharding& at = sharding[static_cast<std::size_t>(axis)];
  if (at.spread != Spread::replicated)
    return invalid("axis '" + std::string(item.substr(0, colon)) + "' is there twice");
  std::string_view spread = item.substr(colon + 1);
  if (spread == "partial") {
    at.spread = Spread::partial;
  } else if (spread == "distinct") {
    at.spread = Spread::distinct;
  } else if (spread.starts_with("split(") && spread.ends_with(")")) {
    spread.remove_prefix(6);
    spread.remove_suffix(1);
    PENSTOCK_ASSIGN(const std::int64_t dim, parse_number(spread, 0, 7));
    at = {Spread::split, static_cast<int>(dim)};
  } else {
    return invalid("'" + std::string(spread.substr(0, 40)) +
                   "' is none of split(<dim>), partial, distinct");
  }
  return {};
}

/// `@[data:split(0), micro:partial]`
Result<Sharding> parse_sharding(std::string_view text, const Mesh& mesh) {
  if (!text.starts_with("@[") || !text.ends_with("]"))
    return invalid("'" + std::string(text.substr(0, 40)) + "' is not @[...]");
  text.remove_prefix(2);
  text.remove_suffix(1);
  Sharding sharding(mesh.axes.size());
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(", "), text.size());
    PENSTOCK_TRY(parse_axis_sharding(text.substr(0, comma), mesh, sharding));
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return sharding;
}

/// `spread input main x @[...]` or `spread variable fc1.weight @[...]`
Result<Annotation> parse_annotation(std::string_view line, const Mesh& mesh) {
  const std::size_t at = line.find('@');
  if (at == std::string_view::npos) return invalid("a spread line needs a sharding: @[...]");
  const std::vector<std::string_view> words = words_of(line.substr(0, at));
  Annotation out;
  if (words.size() == 4 && words[1] == "input") {
    out.entry = words[2];
    out.name = words[3];
  } else if (words.size() == 3 && words[1] == "variable") {
    out.name = words[2];
  } else {
    return invalid(
        "expected 'spread input <entry> <name> @[...]' or 'spread variable <name> @[...]'");
  }
  if (out.entry.size() > kNameBytesMax || out.name.size() > kNameBytesMax)
    return invalid("a name has at most " + std::to_string(kNameBytesMax) + " bytes");
  PENSTOCK_ASSIGN(out.sharding, parse_sharding(line.substr(at), mesh));
  return out;
}

struct PlanReader {
  Plan plan;
  bool mesh_seen = false;

  Status line(std::string_view text) {
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty()) return {};
    if (words[0] == "mesh") {
      if (mesh_seen) return invalid("the mesh is there twice");
      mesh_seen = true;
      PENSTOCK_ASSIGN(plan.mesh, parse_mesh(std::span(words).subspan(1)));
      return {};
    }
    if (words[0] == "bucket_bytes" && words.size() == 2) {
      PENSTOCK_ASSIGN(plan.bucket_bytes, parse_number(words[1], 0, std::int64_t{1} << 40));
      return {};
    }
    if (words[0] == "spread") {
      if (!mesh_seen) return invalid("the mesh comes before the spread lines");
      PENSTOCK_ASSIGN(Annotation annotation, parse_annotation(text, plan.mesh));
      plan.annotations.push_back(std::move(annotation));
      return {};
    }
    return invalid("expected mesh, bucket_bytes or spread, found '" +
                   std::string(words[0].substr(0, 40)) + "'");
  }
};

}  // namespace

std::string print(const Plan& plan) {
  std::string out = "penstock plan 1\nmesh";
  for (const MeshAxis& axis : plan.mesh.axes)
    out += " " + axis.name + "=" + std::to_string(axis.size) + (axis.time ? "*" : "");
  out += "\nbucket_bytes " + std::to_string(plan.bucket_bytes) + "\n";
  for (const Annotation& a : plan.annotations) {
    out += a.entry.empty() ? "spread variable " : "spread input " + a.entry + " ";
    out += a.name + " " + to_text(a.sharding, plan.mesh) + "\n";
  }
  return out;
}

Result<Plan> parse_plan(std::string_view text) {
  if (text.size() > kTextBytesMax)
    return invalid("plan: " + std::to_string(text.size()) + " bytes are over the limit of " +
                   std::to_string(kTextBytesMax));
  PlanReader reader;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string place = "plan, line " + std::to_string(++number);
    if (number == 1) {
      if (line == "penstock plan 1") continue;
      if (line.starts_with("penstock plan "))
        return Error{ErrorCode::unimplemented,
                     place + ": this build reads plans of version 1; update it"};
      return invalid(place + ": a plan starts with 'penstock plan 1'");
    }
    if (Status read = reader.line(line); !read.ok()) return std::move(read).error().in(place);
  }
  if (number == 0) return invalid("plan: the text is empty");
  return std::move(reader.plan);
}

}  // namespace penstock::program
