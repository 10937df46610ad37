#include "base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace penstock {
namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

constexpr std::array kUnits = {Unit{"", 1},
                               Unit{"B", 1},
                               Unit{"KiB", 1024.0},
                               Unit{"MiB", 1048576.0},
                               Unit{"GiB", 1073741824.0},
                               Unit{"TiB", 1099511627776.0},
                               Unit{"kB", 1e3},
                               Unit{"KB", 1e3},
                               Unit{"MB", 1e6},
                               Unit{"GB", 1e9},
                               Unit{"TB", 1e12}};

std::string with_digits(double value, std::string_view suffix) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string out = text;
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out + " " + std::string(suffix);
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number < 0)
    return invalid("size '" + std::string(text) + "': expected a number such as 64KiB or 2GiB");
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (unit.suffix != suffix) continue;
    const double bytes = number * unit.factor;
    if (!(bytes <= 4611686018427387904.0))
      return invalid("size '" + std::string(text) + "': more than 2^62 bytes");
    return static_cast<std::uint64_t>(bytes);
  }
  return invalid("size '" + std::string(text) + "': unknown unit '" + std::string(suffix) +
                 "'; use B, KiB, MiB, GiB or TiB");
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return with_digits(value, kNames[unit]);
}

std::string format_duration(Nanoseconds span) {
  const double ns = static_cast<double>(span.count());
  if (ns < 0) return "-" + format_duration(-span);
  if (ns < 1e3) return with_digits(ns, "ns");
  if (ns < 1e6) return with_digits(ns / 1e3, "us");
  if (ns < 1e9) return with_digits(ns / 1e6, "ms");
  if (ns < 60e9) return with_digits(ns / 1e9, "s");
  const auto seconds = span.count() / 1000000000;
  return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
}

std::string format_money(Money amount) {
  if (amount.nanos < 0) return "-" + format_money(-amount);
  const double value = static_cast<double>(amount.nanos) * 1e-9;
  int decimals = 2;
  for (double v = value; v != 0 && v < 1 && decimals < 9; v *= 10) ++decimals;
  char text[64];
  std::snprintf(text, sizeof text, "$%.*f", decimals, value);
  return text;
}

Result<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out))
    return invalid(std::to_string(a) + " * " + std::to_string(b) + " overflows 64 bits");
  return out;
}

Result<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out))
    return invalid(std::to_string(a) + " + " + std::to_string(b) + " overflows 64 bits");
  return out;
}

}  // namespace penstock
