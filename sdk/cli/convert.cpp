#include <iostream>

#include "penstock/weights.h"
#include "sdk/cli/connection.h"

namespace penstock::cli {
namespace {

Result<weights::Rotary> parse_rotary(const std::string& text) {
  if (text == "half-split") return weights::Rotary::half_split;
  if (text == "interleaved") return weights::Rotary::interleaved;
  return invalid("rotary '" + text + "': use half-split or interleaved");
}

std::int64_t bytes_of(const weights::Weights& weights) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : weights.tensors)
    bytes += static_cast<std::int64_t>(tensor.bytes().size());
  return bytes;
}

void list_tensors(const weights::Weights& weights, bool json) {
  for (const auto& [name, tensor] : weights.tensors) {
    if (json)
      std::cout << "{\"name\":" << json_string(name) << ",\"type\":" << json_string(tensor.text())
                << "}\n";
    else
      std::cout << name << "  " << tensor.text() << "\n";
  }
}

}  // namespace

ExitCode run_convert(const ConvertArguments& arguments) {
  const weights::FamilyOptions options{.rotary = value_or_throw(parse_rotary(arguments.rotary)),
                                       .heads = arguments.heads,
                                       .kv_heads = arguments.kv_heads,
                                       .drop_surplus = arguments.drop_surplus};
  weights::Weights weights = value_or_throw(weights::read(arguments.input));
  if (!arguments.from.empty())
    weights = value_or_throw(weights::import_family(
        value_or_throw(weights::parse_family(arguments.from)), weights, options));
  if (!arguments.to.empty())
    weights = value_or_throw(weights::export_family(
        value_or_throw(weights::parse_family(arguments.to)), weights, options));
  if (arguments.output.empty()) {
    list_tensors(weights, arguments.json);
    return ExitCode::ok;
  }
  if (arguments.compress && arguments.output.ends_with(".npz"))
    value_or_throw(
        weights::write_npz(arguments.output, weights.tensors, weights::Compression::deflate));
  else
    value_or_throw(weights::write(arguments.output, weights));
  if (arguments.json)
    std::cout << "{\"file\":" << json_string(arguments.output)
              << ",\"tensors\":" << weights.tensors.size() << ",\"bytes\":" << bytes_of(weights)
              << "}\n";
  else
    std::cout << arguments.output << ": " << weights.tensors.size() << " tensors, "
              << format_bytes(static_cast<std::uint64_t>(bytes_of(weights))) << "\n";
  return ExitCode::ok;
}

}  // namespace penstock::cli
