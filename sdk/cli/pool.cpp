#include <cstdio>
#include <iostream>

#include "sdk/cli/connection.h"

namespace penstock::cli {
namespace {

std::string memory_text(std::uint64_t bytes) {
  return bytes == 0 ? "-" : format_bytes(bytes);
}

void print_executor(const PoolExecutor& executor, bool json) {
  // Devices of one executor that are alike share a line.
  for (std::size_t first = 0, next = 0; first < executor.devices.size(); first = next) {
    const LeasedDevice& device = executor.devices[first];
    const auto alike = [&](const LeasedDevice& other) {
      return other.device_class == device.device_class && other.threads == device.threads &&
             other.memory_bytes == device.memory_bytes;
    };
    while (next < executor.devices.size() && alike(executor.devices[next])) ++next;
    if (json)
      std::cout << "{\"executor\":" << json_string(executor.name) << ",\"first\":" << first
                << ",\"devices\":" << next - first
                << ",\"class\":" << json_string(device.device_class)
                << ",\"threads\":" << device.threads << ",\"memory_bytes\":" << device.memory_bytes
                << ",\"executor_leased\":" << executor.leased << "}\n";
    else
      std::printf("%-20s %4zu x %-8s %3u threads %10s   %u of %zu leased\n", executor.name.c_str(),
                  next - first, device.device_class.c_str(), device.threads,
                  memory_text(device.memory_bytes).c_str(), executor.leased,
                  executor.devices.size());
  }
}

std::string devices_text(const std::vector<LeasedDevice>& devices) {
  std::string text;
  for (const LeasedDevice& device : devices)
    text += (text.empty() ? "" : " ") + device.executor + ":" + std::to_string(device.index);
  return text;
}

void print_lease(const LeaseLine& lease, bool json) {
  if (json)
    std::cout << "{\"lease\":" << lease.lease << ",\"account\":" << json_string(lease.account)
              << ",\"state\":" << json_string(lease.state)
              << ",\"devices\":" << json_string(devices_text(lease.devices))
              << ",\"granted_unix_ns\":" << lease.granted_unix_ns
              << ",\"device_ns\":" << lease.usage.device_time.count()
              << ",\"price_nanos\":" << lease.usage.price.nanos << "}\n";
  else
    std::printf("%6llu  %-12s %-9s %14s %14s  %s\n", static_cast<unsigned long long>(lease.lease),
                lease.account.c_str(), lease.state.c_str(),
                format_duration(lease.usage.device_time).c_str(),
                format_money(lease.usage.price).c_str(), devices_text(lease.devices).c_str());
}

}  // namespace

ExitCode run_devices(const PoolArguments& arguments) {
  Client client = open_client(arguments.connection, 1);
  const auto executors = client.pool();
  for (const PoolExecutor& executor : executors) print_executor(executor, arguments.json);
  if (executors.empty() && !arguments.json)
    std::cout << "the pool has no executors; `penstock up` or penstock-agent brings some\n";
  return ExitCode::ok;
}

ExitCode run_leases(const PoolArguments& arguments) {
  Client client = open_client(arguments.connection, 1);
  if (!arguments.json)
    std::printf("%6s  %-12s %-9s %14s %14s  %s\n", "lease", "account", "state", "device time",
                "price", "devices");
  for (const LeaseLine& lease : client.leases()) print_lease(lease, arguments.json);
  return ExitCode::ok;
}

}  // namespace penstock::cli
