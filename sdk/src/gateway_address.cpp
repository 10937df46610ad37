#include "sdk/src/gateway_address.h"

#include <cstdlib>
#include <sstream>

#include "base/net/private_file.h"

namespace penstock::detail {
namespace {

constexpr const char* kKnownGateways = "/.config/penstock/known_gateways";

Result<std::string> known_fingerprint(const std::string& gateway, const Surroundings& around) {
  std::string path;
  if (const auto chosen = around.variable("PENSTOCK_FINGERPRINT_FILE")) {
    path = *chosen;
  } else if (const auto home = around.variable("HOME")) {
    path = *home + kKnownGateways;
  }
  const std::string remedy =
      "; `penstock up` prints the gateway's URL with its fingerprint. Use that whole URL "
      "(penstock://" +
      gateway + "?fingerprint=...), or put the line `" + gateway +
      " FINGERPRINT` into ~/.config/penstock/known_gateways or the file that "
      "PENSTOCK_FINGERPRINT_FILE names";
  const std::string place = "gateway " + gateway;
  if (path.empty()) return invalid(place + ": its certificate's fingerprint is not known" + remedy);
  const Result<std::string> text = around.read_file(path);
  if (!text.ok() && text.error().code == ErrorCode::not_found)
    return invalid(place + ": its certificate's fingerprint is not known (there is no " + path +
                   ")" + remedy);
  if (!text.ok()) return text.error();
  Result<std::string> found = find_fingerprint(*text, gateway);
  if (found.ok()) return found;
  if (found.error().code == ErrorCode::not_found)
    return invalid(place + ": " + path + " has no line for it" + remedy);
  return std::move(found).error().in(path);
}

}  // namespace

Surroundings process_surroundings() {
  return {[](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            if (value == nullptr || *value == '\0') return std::nullopt;
            return std::string(value);
          },
          [](const std::string& path) { return net::read_file(path, net::FileAccess::everybody); }};
}

Result<std::string> find_fingerprint(const std::string& text, const std::string& gateway) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first, second;
    words >> first >> second;
    if (first.empty()) continue;
    if (!second.empty() && first != gateway) continue;
    auto fingerprint = net::parse_fingerprint(second.empty() ? first : second);
    if (!fingerprint.ok())
      return std::move(fingerprint).error().in("line " + std::to_string(number));
    return fingerprint;
  }
  return Error{ErrorCode::not_found, "no line for " + gateway};
}

Result<net::Address> gateway_address(const std::string& url, const Surroundings& surroundings) {
  std::string text = url;
  if (text.empty()) text = surroundings.variable("PENSTOCK_URL").value_or("");
  if (text.empty())
    return invalid(
        "connect: no gateway is given; set PENSTOCK_URL to the URL that `penstock up` prints, or "
        "pass ConnectOptions::url. To try without a gateway, use Client::local()");
  auto parsed = net::parse_address(text);
  if (!parsed.ok()) return std::move(parsed).error().in("connect");
  net::Address address = std::move(parsed).value();
  if (address.is_unix() || !address.fingerprint.empty()) return address;
  PENSTOCK_ASSIGN(address.fingerprint, known_fingerprint(address.dial_text(), surroundings));
  return address;
}

Result<std::string> api_key(const std::string& key, const Surroundings& surroundings) {
  if (!key.empty()) return key;
  if (auto set = surroundings.variable("PENSTOCK_KEY")) return *std::move(set);
  return Error{ErrorCode::unauthenticated,
               "connect: no API key is given; set PENSTOCK_KEY (`penstock up` prints one, "
               "`penstock keys create` makes more), or pass ConnectOptions::key"};
}

}  // namespace penstock::detail
