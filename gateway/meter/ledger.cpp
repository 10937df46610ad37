#include "gateway/meter/ledger.h"

namespace penstock::gateway {

Status Ledger::check(AccountId customer, Money amount) const {
  PENSTOCK_TRY(checked_add(balance(customer).nanos, amount.nanos));
  PENSTOCK_TRY(checked_add(balance(kRevenueAccount).nanos, -amount.nanos));
  return {};
}

void Ledger::charge(AccountId customer, Money amount, LeaseId lease, LineKind line, Instant at,
                    std::vector<LedgerEntry>& out) {
  PENSTOCK_CHECK(customer != kRevenueAccount);
  PENSTOCK_CHECK(check(customer, amount).ok(), "a balance leaves 64 bits");
  if (amount.nanos == 0) return;
  state_.balances[customer] = balance(customer) + amount;
  state_.balances[kRevenueAccount] = balance(kRevenueAccount) + -amount;
  ++state_.transactions;
  for (const AccountId account : {customer, kRevenueAccount})
    out.push_back({.number = ++state_.entries,
                   .transaction = state_.transactions,
                   .at = at,
                   .account = account,
                   .amount = account == customer ? amount : -amount,
                   .lease = lease,
                   .line = line});
}

Money Ledger::balance(AccountId account) const {
  const auto found = state_.balances.find(account);
  return found == state_.balances.end() ? Money{} : found->second;
}

Money Ledger::total() const {
  Money sum;
  for (const auto& [account, amount] : state_.balances) sum = sum + amount;
  return sum;
}

}  // namespace penstock::gateway
