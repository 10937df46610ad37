#include "base/net/address.h"

#include <charconv>

namespace penstock::net {

namespace {

constexpr std::string_view kScheme = "penstock://";
constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kUnixPathMax = 107;  // sockaddr_un, without the closing zero
constexpr std::size_t kTextMax = 1024;

Error bad(std::string_view text, std::string_view why) {
  return invalid("address '" + std::string(text.substr(0, 200)) + "': " + std::string(why) +
                 "; write penstock://host:port?fingerprint=<64 hex digits>, host:port or "
                 "unix:/path");
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == '*';
}

bool is_v6_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' ||
         c == '.';
}

template <class Predicate>
bool all_of(std::string_view text, Predicate predicate) {
  for (char c : text) {
    if (!predicate(c)) return false;
  }
  return !text.empty();
}

/// Reads "host:port" or "[v6]:port" into `address`.
Status parse_host_port(std::string_view text, std::string_view whole, Address& address) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad(whole, "the port is missing");
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!all_of(host, is_v6_character)) return bad(whole, "the IPv6 address is malformed");
  } else if (!all_of(host, is_host_character)) {
    return bad(whole, host.empty() ? "the host is missing"
                                   : "the host has a character that no host name has (an IPv6 "
                                     "address goes in brackets)");
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return bad(whole, "the port is not a number from 0 to 65535");
  }
  address.host = host;
  return {};
}

}  // namespace

std::string Address::dial_text() const {
  if (is_unix()) return std::string(kUnix) + path;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Address::url() const {
  if (is_unix()) return dial_text();
  return std::string(kScheme) + dial_text() +
         (fingerprint.empty() ? "" : "?fingerprint=" + fingerprint);
}

Result<std::string> parse_fingerprint(std::string_view text) {
  std::string digits;
  for (char c : text.substr(0, kTextMax)) {
    if (c == ':') continue;
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      return invalid("fingerprint: '" + std::string(1, c) + "' is not a hex digit");
    }
    digits += c;
  }
  if (digits.size() != 64) {
    return invalid("fingerprint: " + std::to_string(digits.size()) +
                   " hex digits, but a SHA-256 fingerprint has 64");
  }
  return digits;
}

Result<Address> parse_address(std::string_view text) {
  if (text.size() > kTextMax) return bad(text, "longer than 1024 characters");
  Address address;
  if (text.substr(0, kUnix.size()) == kUnix) {
    address.path = text.substr(kUnix.size());
    if (address.path.empty()) return bad(text, "the path of the Unix socket is missing");
    if (address.path.find('\0') != std::string::npos) return bad(text, "the path holds a zero");
    if (address.path.size() > kUnixPathMax) {
      return bad(text, "the path has " + std::to_string(address.path.size()) +
                           " bytes, but a Unix socket's may have at most 107");
    }
    return address;
  }
  std::string_view rest = text;
  if (rest.substr(0, kScheme.size()) == kScheme) {
    rest.remove_prefix(kScheme.size());
  } else if (rest.find("://") != std::string_view::npos) {
    return bad(text, "the scheme is not penstock");
  }
  const std::size_t question = rest.find('?');
  const std::string_view query =
      question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  rest = rest.substr(0, question);
  if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  PENSTOCK_TRY(parse_host_port(rest, text, address));
  if (question == std::string_view::npos) return address;
  constexpr std::string_view kKey = "fingerprint=";
  if (query.substr(0, kKey.size()) != kKey) {
    return bad(text, "the only parameter is 'fingerprint'");
  }
  auto fingerprint = parse_fingerprint(query.substr(kKey.size()));
  if (!fingerprint.ok()) return bad(text, fingerprint.error().message);
  address.fingerprint = *fingerprint;
  return address;
}

}  // namespace penstock::net
