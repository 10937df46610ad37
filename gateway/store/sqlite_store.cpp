#include "gateway/store/sqlite_store.h"

#include <utility>

#include "gateway/store/database.h"

namespace penstock::gateway {
namespace {

Error closed() {
  return {ErrorCode::failed_precondition, "store: it is closed"};
}

/// The first side of a transaction, whose second is queued by the next call.
bool half_transaction(const std::vector<Record>& records) {
  if (records.empty()) return false;
  const auto* entry = std::get_if<LedgerEntry>(&records.back());
  return entry != nullptr && entry->number % 2 == 1;
}

}  // namespace

std::vector<Record> records_of(const Actions& actions) {
  std::vector<Record> out;
  for (const Action& action : actions.list)
    if (const auto* persist = std::get_if<Persist>(&action)) out.push_back(persist->record);
  return out;
}

Result<OpenedStore> SqliteStore::open(SqliteStoreOptions options) {
  PENSTOCK_ASSIGN(auto database, Database::open(options.path));
  PENSTOCK_ASSIGN(StoredState state, database->load());
  OpenedStore out;
  out.state = std::move(state);
  out.store.reset(new SqliteStore(std::move(options), std::move(database)));
  return out;
}

SqliteStore::SqliteStore(SqliteStoreOptions options, std::unique_ptr<Database> database)
    : options_(std::move(options)), database_(std::move(database)) {
  thread_ = std::thread([this] { run(); });
}

SqliteStore::~SqliteStore() {
  close();
}

void SqliteStore::append_all(std::vector<Record> records) {
  if (records.empty()) return;
  const std::lock_guard lock(mutex_);
  if (closing_ || failed_) return;
  if (queued_records_ + records.size() > options_.queue_max) {
    failed_ = Error{ErrorCode::resource_exhausted,
                    "store " + options_.path + ": " + std::to_string(queued_records_) +
                        " records wait for the disk, which does not keep up; nothing is stored "
                        "from here on: restart the gateway on a faster disk"};
    return;
  }
  queued_records_ += records.size();
  queue_.push_back({std::move(records), {}});
  wake_.notify_one();
}

void SqliteStore::flush(OnDurable on_durable) {
  {
    const std::lock_guard lock(mutex_);
    if (!closing_) {
      queue_.push_back({{}, std::move(on_durable)});
      wake_.notify_one();
      return;
    }
  }
  on_durable(closed());
}

void SqliteStore::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  database_.reset();
}

/// How many items may go into one commit now: the two sides of a transaction are not parted.
std::size_t SqliteStore::ready() const {
  std::size_t count = queue_.size();
  while (!closing_ && count > 0 && half_transaction(queue_[count - 1].records)) --count;
  return count;
}

std::deque<SqliteStore::Item> SqliteStore::take_ready() {
  std::deque<Item> out;
  for (std::size_t count = ready(); count > 0; --count) {
    queued_records_ -= queue_.front().records.size();
    out.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return out;
}

void SqliteStore::run() {
  for (;;) {
    std::deque<Item> items;
    std::optional<Error> failed;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return closing_ || ready() > 0; });
      if (queue_.empty()) return;
      items = take_ready();
      failed = failed_;
    }
    Status status;
    if (failed) {
      status = *failed;
    } else {
      status = commit(items);
    }
    if (!status.ok() && !failed) {
      const std::lock_guard lock(mutex_);
      failed_ = status.error();
    }
    for (Item& item : items)
      if (item.on_durable) item.on_durable(status);
  }
}

Status SqliteStore::commit(const std::deque<Item>& items) {
  bool any = false;
  for (const Item& item : items) any = any || !item.records.empty();
  if (!any) return {};
  PENSTOCK_TRY(database_->begin());
  for (const Item& item : items)
    for (const Record& record : item.records)
      if (auto status = database_->write(record); !status.ok()) {
        // The error that is told is the first one.
        static_cast<void>(database_->rollback());
        return std::move(status).error().in("writing " + describe(record));
      }
  if (auto status = database_->commit(); !status.ok()) {
    static_cast<void>(database_->rollback());
    return status;
  }
  return {};
}

}  // namespace penstock::gateway
