#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "gateway/lease/action.h"
#include "gateway/records.h"

namespace penstock::gateway {

/// Called once, on the store's own thread: bring it home before touching anything.
using OnDurable = std::function<void(Status)>;

/// Where records go. Written in the order of the calls, many calls to one commit; a failure is
/// final: nothing is written after it, and every flush says so.
/// Threads: any
class Store {
 public:
  virtual ~Store() = default;

  /// Queues one record. Records that belong together go into one append_all.
  void append(Record record) { append_all({std::move(record)}); }
  /// Queues records that are on disk all or not at all.
  virtual void append_all(std::vector<Record> records) = 0;
  /// Calls back once everything queued before is on disk, or will never be.
  virtual void flush(OnDurable on_durable) = 0;
  /// Writes what is queued, then stops. What comes later is refused. Blocks until the disk is done.
  virtual void close() = 0;
};

/// The records of one command's Persist actions: one append_all's worth.
std::vector<Record> records_of(const Actions& actions);

}  // namespace penstock::gateway
