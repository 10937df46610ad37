#include "gateway/store/sqlite_handle.h"

#include <utility>

namespace penstock::gateway {
namespace {

constexpr int kBusyTimeoutMs = 2000;

}  // namespace

Error sqlite_error(const std::string& place, int code, const char* message) {
  std::string text = place + ": " + (message == nullptr ? sqlite3_errstr(code) : message);
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::data_loss,
              text + "; the file is damaged: restore a backup, or move it away to start anew"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable, text + "; is another gateway running on it?"};
    case SQLITE_FULL:
      return {ErrorCode::resource_exhausted, text + "; free space on this disk"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
      return {ErrorCode::failed_precondition, text + "; check the folder and its permissions"};
    default:
      return {ErrorCode::internal, std::move(text)};
  }
}

PreparedStatement& PreparedStatement::bind(std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), ++bound_, value);
  PENSTOCK_CHECK(code == SQLITE_OK, place_);
  return *this;
}

PreparedStatement& PreparedStatement::bind(std::string_view value) {
  const int code = sqlite3_bind_text(handle_.get(), ++bound_, value.data(),
                                     static_cast<int>(value.size()), SQLITE_TRANSIENT);
  PENSTOCK_CHECK(code == SQLITE_OK, place_);
  return *this;
}

Error PreparedStatement::error(int code) const {
  return sqlite_error(place_, code, sqlite3_errmsg(sqlite3_db_handle(handle_.get())));
}

Status PreparedStatement::run() {
  const int code = sqlite3_step(handle_.get());
  Status out;
  if (code != SQLITE_DONE && code != SQLITE_ROW) out = error(code);
  sqlite3_reset(handle_.get());
  bound_ = 0;
  return out;
}

Result<bool> PreparedStatement::next() {
  column_ = 0;
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error(code);
}

std::int64_t PreparedStatement::integer() {
  return sqlite3_column_int64(handle_.get(), column_++);
}

std::string PreparedStatement::text() {
  const int column = column_++;
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

Result<SqliteHandle> SqliteHandle::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteHandle out(handle, path);
  if (code != SQLITE_OK)
    return sqlite_error("store " + path, code,
                        handle == nullptr ? nullptr : sqlite3_errmsg(handle));
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  return out;
}

Result<PreparedStatement> SqliteHandle::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  const std::string place = "store " + path_;
  if (code != SQLITE_OK) return sqlite_error(place, code, sqlite3_errmsg(handle_.get()));
  return PreparedStatement(statement, place);
}

Status SqliteHandle::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return sqlite_error("store " + path_, code, sqlite3_errmsg(handle_.get()));
}

Result<std::int64_t> SqliteHandle::integer(const char* sql) {
  PENSTOCK_ASSIGN(PreparedStatement statement, prepare(sql));
  PENSTOCK_ASSIGN(const bool row, statement.next());
  return row ? statement.integer() : 0;
}

Result<std::string> SqliteHandle::text(const char* sql) {
  PENSTOCK_ASSIGN(PreparedStatement statement, prepare(sql));
  PENSTOCK_ASSIGN(const bool row, statement.next());
  return row ? statement.text() : std::string();
}

}  // namespace penstock::gateway
