#include "gateway/lease/lease.h"

#include <algorithm>

namespace penstock::gateway {
namespace {

constexpr std::size_t kFingerprintBytes = 64;

Status check_span(std::string_view what, Nanoseconds value, Nanoseconds least, Nanoseconds most) {
  if (value >= least && value <= most) return {};
  return invalid(std::string(what) + " " + format_duration(value) + " is out of [" +
                 format_duration(least) + ", " + format_duration(most) + "]");
}

bool printable(char c) {
  return c > ' ' && c < 127 && c != '\'' && c != '"';
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kNameBytesMax)) out += printable(c) || c == ' ' ? c : '?';
  return out + "'";
}

}  // namespace

std::string_view name(LeaseState state) {
  switch (state) {
    case LeaseState::starting:
      return "starting";
    case LeaseState::active:
      return "active";
    case LeaseState::stopping:
      return "stopping";
  }
  return "unknown";
}

std::string_view name(EndReason reason) {
  switch (reason) {
    case EndReason::none:
      return "none";
    case EndReason::released:
      return "released";
    case EndReason::expired:
      return "expired";
    case EndReason::client_lost:
      return "client_lost";
    case EndReason::executor_lost:
      return "executor_lost";
    case EndReason::start_failed:
      return "start_failed";
    case EndReason::worker_failed:
      return "worker_failed";
    case EndReason::account_revoked:
      return "account_revoked";
    case EndReason::gateway_restarted:
      return "gateway_restarted";
  }
  return "unknown";
}

Status check_name(std::string_view what, std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax)
    return invalid(std::string(what) + " " + quoted(name) + " has " + std::to_string(name.size()) +
                   " bytes; 1 to " + std::to_string(kNameBytesMax) + " are allowed");
  for (const char c : name)
    if (!printable(c) && c != ' ')
      return invalid(std::string(what) + " " + quoted(name) +
                     " has a character that is not printable ASCII or is a quote");
  return {};
}

Status check_fingerprint(std::string_view fingerprint) {
  const bool hex = std::all_of(fingerprint.begin(), fingerprint.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (hex && fingerprint.size() == kFingerprintBytes) return {};
  return invalid("certificate fingerprint " + quoted(fingerprint) +
                 ": expected SHA-256 as 64 lower-case hex digits");
}

Status check_terms(const LeaseTerms& terms, const Limits& limits) {
  if (terms.device_count == 0 || terms.device_count > limits.devices_per_lease_max)
    return invalid("device_count " + std::to_string(terms.device_count) + " is out of [1, " +
                   std::to_string(limits.devices_per_lease_max) + "]");
  PENSTOCK_TRY(check_name("device_class", terms.device_class));
  if (terms.memory_bytes_min > kMemoryBytesMax)
    return invalid("memory_bytes_min " + format_bytes(terms.memory_bytes_min) + " is more than " +
                   format_bytes(kMemoryBytesMax));
  PENSTOCK_TRY(check_span("max_wait", terms.max_wait, 0s, limits.wait_max));
  PENSTOCK_TRY(check_span("expiry_period", terms.expiry_period, limits.expiry_period_min,
                          limits.expiry_period_max));
  return check_span("reconnect_grace", terms.reconnect_grace, 0s, limits.reconnect_grace_max);
}

Status check_device(const DeviceSpec& device, const PriceTable& prices) {
  PENSTOCK_TRY(check_name("device_class", device.device_class));
  if (!prices.find(device.device_class)) {
    std::string known;
    for (const std::string& row : prices.classes()) known += (known.empty() ? "" : ", ") + row;
    return invalid("device_class " + quoted(device.device_class) +
                   " has no price; the price table has " + known);
  }
  if (device.threads == 0 || device.threads > kThreadsMax)
    return invalid("threads " + std::to_string(device.threads) + " is out of [1, " +
                   std::to_string(kThreadsMax) + "]");
  if (device.memory_bytes == 0 || device.memory_bytes > kMemoryBytesMax)
    return invalid("memory_bytes " + format_bytes(device.memory_bytes) + " is out of [1 B, " +
                   format_bytes(kMemoryBytesMax) + "]");
  return {};
}

}  // namespace penstock::gateway
