#include "schema/wire/ticket.h"

#include <doctest/doctest.h>

using namespace penstock;
using namespace penstock::wire;

namespace {

constexpr Instant kNow{1'767'225'600'000'000'000};

TicketClaims claims() {
  TicketClaims out;
  out.lease = LeaseId{0x0102};
  out.epoch = Epoch{3};
  out.executor = ExecutorId{4};
  out.rank = 5;
  out.expires_at = kNow + 60s;
  out.client_fingerprint = std::string(62, '0') + "ff";
  return out;
}

}  // namespace

// Little-endian, by hand: 0x0102 -> 02 01, rank 5 -> 05 00 00 00; -1 in two's complement.
TEST_CASE("a ticket's bytes are the documented ones") {
  TicketClaims written = claims();
  written.expires_at = Instant{-1};
  const std::string bytes = encode_ticket(written).value();
  CHECK(net::to_hex(bytes) ==
        "70656e73746f636b207469636b657420310a"
        "0201000000000000"
        "0300000000000000"
        "0400000000000000"
        "05000000"
        "ffffffffffffffff"
        "20" +
            written.client_fingerprint);
  CHECK(decode_ticket(bytes).value() == written);
}

TEST_CASE("a ticket without a fingerprint is for a Unix socket") {
  TicketClaims local = claims();
  local.client_fingerprint.clear();
  CHECK(decode_ticket(encode_ticket(local).value()).value() == local);
}

TEST_CASE("claims with a fingerprint of another form are not signed") {
  const net::SigningKey key = net::SigningKey::generate();
  for (const std::string& bad :
       {std::string("ff"), std::string(64, 'F'), std::string(64, 'x'), std::string(66, '0')}) {
    TicketClaims wrong = claims();
    wrong.client_fingerprint = bad;
    CHECK_FALSE(sign_ticket(wrong, key).ok());
  }
}

TEST_CASE("a signed ticket verifies with its gateway's key alone") {
  const net::SigningKey key = net::SigningKey::generate();
  const std::string ticket = sign_ticket(claims(), key).value();
  CHECK(verify_ticket(ticket, key.public_key()).value() == claims());
  CHECK(verify_ticket(ticket, net::SigningKey::generate().public_key()).error().code ==
        ErrorCode::unauthenticated);
}

TEST_CASE("a ticket with any bit changed, or cut, is refused") {
  const net::SigningKey key = net::SigningKey::generate();
  const std::string ticket = sign_ticket(claims(), key).value();
  for (std::size_t i = 0; i < ticket.size(); ++i) {
    std::string changed = ticket;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_FALSE(verify_ticket(changed, key.public_key()).ok());
    CHECK_FALSE(verify_ticket(ticket.substr(0, i), key.public_key()).ok());
  }
  CHECK_FALSE(verify_ticket(ticket + "x", key.public_key()).ok());
}

TEST_CASE("a ticket is good for exactly what it names, until it expires") {
  CHECK(check_ticket(claims(), claims(), kNow).ok());
  TicketClaims other = claims();
  other.epoch = Epoch{4};
  CHECK(check_ticket(claims(), other, kNow).error().message ==
        "ticket: it is for epoch 3, this is 4");
  other = claims();
  other.client_fingerprint = std::string(64, 'a');
  CHECK(check_ticket(claims(), other, kNow).error().code == ErrorCode::permission_denied);
  other = claims();
  other.rank = 0;
  CHECK_FALSE(check_ticket(claims(), other, kNow).ok());
  CHECK(check_ticket(claims(), claims(), kNow + 60s - 1ns).ok());
  CHECK(check_ticket(claims(), claims(), kNow + 60s).error().code == ErrorCode::deadline_exceeded);
}
