#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace penstock::gateway {

/// The lines of a lease's statement, each rounded to money once.
enum class LineKind { device_time, bytes_in, bytes_out };

/// The pool's own side of every transaction: no customer has the number 0.
inline constexpr AccountId kRevenueAccount{};

/// One side of a transaction; the two sides sum to zero. What a customer owes is positive.
struct LedgerEntry {
  std::uint64_t number = 0;       // 1, 2, 3, ... over the whole ledger
  std::uint64_t transaction = 0;  // both sides carry it
  Instant at{};
  AccountId account{};
  Money amount{};
  LeaseId lease;
  LineKind line = LineKind::device_time;
  bool operator==(const LedgerEntry&) const = default;
};

/// What the ledger knew when it was last stored.
struct LedgerState {
  std::uint64_t entries = 0;       // the last entry's number
  std::uint64_t transactions = 0;  // the last transaction's number
  std::map<AccountId, Money> balances;
  bool operator==(const LedgerState&) const = default;
};

/// Double-entry and append-only. Keeps balances; the entries themselves belong to the store.
class Ledger {
 public:
  Ledger() = default;
  explicit Ledger(LedgerState state) : state_(std::move(state)) {}

  /// Whether charges of `amount` in all would keep every balance within 64 bits.
  /// Errors: invalid_argument
  Status check(AccountId customer, Money amount) const;
  /// Charges `amount`, which `check` has passed, to `customer`; appends the two entries to `out`.
  /// An amount of 0 adds nothing.
  void charge(AccountId customer, Money amount, LeaseId lease, LineKind line, Instant at,
              std::vector<LedgerEntry>& out);

  Money balance(AccountId account) const;
  /// The sum over all accounts, revenue included: zero, always.
  Money total() const;
  const LedgerState& state() const { return state_; }

 private:
  LedgerState state_;
};

}  // namespace penstock::gateway
