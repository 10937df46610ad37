#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/records.h"
#include "gateway/store/sqlite_handle.h"

namespace penstock::gateway {

/// The version of the tables that this gateway writes. A change of the tables raises it and adds a
/// step to Database::open that brings older files up.
inline constexpr std::int64_t kSchemaVersion = 1;

/// The gateway's tables in one SQLite file. Threads: one at a time
class Database {
 public:
  /// Errors: see SqliteStore::open
  static Result<std::unique_ptr<Database>> open(const std::string& path);

  Result<StoredState> load();

  Status begin() { return handle_.execute("BEGIN IMMEDIATE"); }
  Status write(const Record& record);
  Status commit() { return handle_.execute("COMMIT"); }
  Status rollback() { return handle_.execute("ROLLBACK"); }

 private:
  explicit Database(SqliteHandle handle) : handle_(std::move(handle)) {}
  Status prepare_writes();

  SqliteHandle handle_;
  std::vector<PreparedStatement> writes_;  // one per alternative of Record
};

}  // namespace penstock::gateway
