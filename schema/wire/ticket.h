#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/net/crypto.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::wire {

/// What a ticket for the direct lane says. The gateway signs it; the leader, which has the public
/// key alone, checks it.
struct TicketClaims {
  LeaseId lease;
  Epoch epoch;
  ExecutorId executor;
  std::uint32_t rank = 0;
  Instant expires_at;              // nanoseconds since 1970
  std::string client_fingerprint;  // SHA-256 of the client's certificate, 64 lower-case hex digits;
                                   // empty on a Unix socket, where there is none
  bool operator==(const TicketClaims&) const = default;
};

/// The bytes that are signed: one encoding per value. Little-endian, in this order: the words
/// "penstock ticket 1\n", lease 8, epoch 8, executor 8, rank 4, expires_at 8, then 1 byte with the
/// fingerprint's length (0 or 32) and the fingerprint.
/// Errors: invalid_argument for a fingerprint of another form
Result<std::string> encode_ticket(const TicketClaims& claims);

/// Errors: invalid_argument for anything that encode_ticket does not make
Result<TicketClaims> decode_ticket(std::string_view bytes);

/// The encoding followed by its 64-byte Ed25519 signature (RFC 8032).
/// Errors: as encode_ticket
Result<std::string> sign_ticket(const TicketClaims& claims, const net::SigningKey& key);

/// The claims of a ticket that the owner of `key` signed. They still have to be compared: see
/// check_ticket.
/// Errors: invalid_argument if malformed, unauthenticated if signed by nobody we know
Result<TicketClaims> verify_ticket(std::string_view ticket, const net::PublicKey& key);

/// Whether `claims` are meant for `expected` (whose expires_at is not looked at) at `now`.
/// Errors: permission_denied with the field that differs; deadline_exceeded if expired: a new
///         ticket helps
Status check_ticket(const TicketClaims& claims, const TicketClaims& expected, Instant now);

}  // namespace penstock::wire
