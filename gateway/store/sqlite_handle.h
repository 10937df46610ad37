#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::gateway {

/// One prepared statement. Values are bound and columns read in order, from the first.
class PreparedStatement {
 public:
  PreparedStatement(sqlite3_stmt* handle, std::string place)
      : handle_(handle), place_(std::move(place)) {}

  PreparedStatement& bind(std::int64_t value);
  PreparedStatement& bind(std::uint64_t value) { return bind(static_cast<std::int64_t>(value)); }
  PreparedStatement& bind(std::int32_t value) { return bind(std::int64_t{value}); }
  PreparedStatement& bind(std::uint32_t value) { return bind(std::int64_t{value}); }
  PreparedStatement& bind(std::string_view value);
  PreparedStatement& bind(const std::string& value) { return bind(std::string_view(value)); }
  PreparedStatement& bind(Instant value) { return bind(value.ns); }
  PreparedStatement& bind(Money value) { return bind(value.nanos); }
  template <class Tag>
  PreparedStatement& bind(Id<Tag> value) {
    return bind(value.value);
  }
  template <class E>
  requires std::is_enum_v<E> PreparedStatement& bind(E value) {
    return bind(static_cast<std::int64_t>(value));
  }

  /// Runs it to its end and makes it ready for the next values.
  Status run();
  /// Whether there is a further row; the columns are then read from the first on.
  Result<bool> next();

  std::int64_t integer();
  std::string text();
  void read(std::int64_t& out) { out = integer(); }
  void read(std::uint64_t& out) { out = static_cast<std::uint64_t>(integer()); }
  void read(std::int32_t& out) { out = static_cast<std::int32_t>(integer()); }
  void read(std::uint32_t& out) { out = static_cast<std::uint32_t>(integer()); }
  void read(std::string& out) { out = text(); }
  void read(Instant& out) { out.ns = integer(); }
  void read(Money& out) { out.nanos = integer(); }
  template <class Tag>
  void read(Id<Tag>& out) {
    read(out.value);
  }
  template <class E>
  requires std::is_enum_v<E>
  void read(E& out) { out = static_cast<E>(integer()); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  Error error(int code) const;

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  std::string place_;
  int bound_ = 0;
  int column_ = 0;
};

/// One connection. Threads: one at a time
class SqliteHandle {
 public:
  static Result<SqliteHandle> open(const std::string& path);

  Result<PreparedStatement> prepare(const char* sql);
  Status execute(const char* sql);
  /// The one integer that `sql` gives.
  Result<std::int64_t> integer(const char* sql);
  Result<std::string> text(const char* sql);

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  SqliteHandle(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

/// What a SQLite result code means for the caller.
Error sqlite_error(const std::string& place, int code, const char* message);

}  // namespace penstock::gateway
