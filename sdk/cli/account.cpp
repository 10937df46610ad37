#include <cstdio>
#include <ctime>
#include <iostream>

#include "base/clock.h"
#include "sdk/cli/connection.h"

namespace penstock::cli {
namespace {

std::string date_of(std::int64_t unix_ns) {
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

void print_usage_line(const UsageLine& line, bool json) {
  if (json) {
    std::cout << "{\"day\":" << json_string(line.day)
              << ",\"account\":" << json_string(line.account) << ",\"leases\":" << line.leases
              << ",\"device_ns\":" << line.usage.device_time.count()
              << ",\"bytes_in\":" << line.usage.bytes_in
              << ",\"bytes_out\":" << line.usage.bytes_out << ",\"steps\":" << line.usage.steps
              << ",\"price_nanos\":" << line.usage.price.nanos << "}\n";
    return;
  }
  const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<std::uint64_t>(n)); };
  std::printf("%-10s  %-12s %7lld %14s %10s %10s %10lld %14s\n", line.day.c_str(),
              line.account.c_str(), static_cast<long long>(line.leases),
              format_duration(line.usage.device_time).c_str(), bytes(line.usage.bytes_in).c_str(),
              bytes(line.usage.bytes_out).c_str(), static_cast<long long>(line.usage.steps),
              format_money(line.usage.price).c_str());
}

}  // namespace

ExitCode run_usage(const UsageArguments& arguments) {
  Client client = open_client(arguments.connection, 1);
  const std::int64_t day_ns = 86'400'000'000'000;
  const auto lines = client.usage(WallClock().now().ns - arguments.days * day_ns);
  if (!arguments.json)
    std::printf("%-10s  %-12s %7s %14s %10s %10s %10s %14s\n", "day", "account", "leases",
                "device time", "in", "out", "steps", "price");
  Usage total;
  for (const UsageLine& line : lines) {
    print_usage_line(line, arguments.json);
    total += line.usage;
  }
  if (!arguments.json)
    std::cout << "total of " << arguments.days << " days: " << format_money(total.price) << "\n";
  return ExitCode::ok;
}

ExitCode run_keys_list(const KeysArguments& arguments) {
  Client client = open_client(arguments.connection, 1);
  if (!arguments.json)
    std::printf("%-18s %-12s %-20s %-16s %s\n", "id", "account", "name", "created (UTC)", "state");
  for (const KeyInfo& key : client.keys()) {
    if (arguments.json)
      std::cout << "{\"id\":" << json_string(key.id) << ",\"account\":" << json_string(key.account)
                << ",\"name\":" << json_string(key.name)
                << ",\"created_unix_ns\":" << key.created_unix_ns
                << ",\"revoked\":" << (key.revoked ? "true" : "false")
                << ",\"administrator\":" << (key.administrator ? "true" : "false") << "}\n";
    else
      std::printf("%-18s %-12s %-20s %-16s %s%s\n", key.id.c_str(), key.account.c_str(),
                  key.name.c_str(), date_of(key.created_unix_ns).c_str(),
                  key.revoked ? "revoked" : "valid", key.administrator ? ", administrator" : "");
  }
  return ExitCode::ok;
}

ExitCode run_keys_create(const KeysArguments& arguments) {
  Client client = open_client(arguments.connection, 1);
  const NewKey key = client.create_key(arguments.name, arguments.account);
  if (arguments.json)
    std::cout << "{\"id\":" << json_string(key.id) << ",\"key\":" << json_string(key.secret)
              << "}\n";
  else
    std::cout << "key " << key.id << " (shown this once):\n\n  export PENSTOCK_KEY='" << key.secret
              << "'\n";
  return ExitCode::ok;
}

ExitCode run_keys_revoke(const KeysArguments& arguments) {
  Client client = open_client(arguments.connection, 1);
  client.revoke_key(arguments.id);
  if (arguments.json)
    std::cout << "{\"revoked\":" << json_string(arguments.id) << "}\n";
  else
    std::cout << "key " << arguments.id << " is revoked\n";
  return ExitCode::ok;
}

}  // namespace penstock::cli
