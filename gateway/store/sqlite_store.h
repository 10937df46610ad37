#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gateway/store/store.h"

namespace penstock::gateway {

class Database;

struct SqliteStoreOptions {
  std::string path;
  /// Records that may wait for the disk. One more is a failure of the store.
  std::size_t queue_max = 65'536;
};

class SqliteStore;

/// A store and what it found.
struct OpenedStore {
  std::unique_ptr<SqliteStore> store;
  StoredState state;
};

/// The embedded store: one SQLite file in write-ahead mode, synced at every commit, written by a
/// thread of its own. One commit takes all that has queued up while the last one was synced.
/// Threads: any
class SqliteStore final : public Store {
 public:
  /// Opens or makes the file (mode 0600) and reads it: the newest 10,000 leases and those left
  /// open, sums over the rest.
  /// Errors: data_loss for a damaged file or a ledger that does not sum to zero;
  ///         failed_precondition for a newer version's file or another program's; unavailable if
  ///         another gateway has it open
  static Result<OpenedStore> open(SqliteStoreOptions options);
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  void append_all(std::vector<Record> records) override;
  void flush(OnDurable on_durable) override;
  void close() override;

 private:
  struct Item {
    std::vector<Record> records;
    OnDurable on_durable;
  };
  SqliteStore(SqliteStoreOptions options, std::unique_ptr<Database> database);
  void run();
  std::size_t ready() const;
  std::deque<Item> take_ready();
  Status commit(const std::deque<Item>& items);

  const SqliteStoreOptions options_;
  std::unique_ptr<Database> database_;  // the thread's, once it runs
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> queue_;
  std::size_t queued_records_ = 0;
  bool closing_ = false;
  std::optional<Error> failed_;
  std::thread thread_;
};

}  // namespace penstock::gateway
