#include "schema/wire/ticket.h"

#include <algorithm>

namespace penstock::wire {
namespace {

constexpr std::string_view kWords = "penstock ticket 1\n";
constexpr std::size_t kFingerprintBytes = 32;
constexpr std::size_t kNumbersBytes = 8 + 8 + 8 + 4 + 8;
constexpr std::size_t kBodyBytesMin = kWords.size() + kNumbersBytes + 1;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t take(std::string_view& in, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(in[i])} << (8 * i);
  in.remove_prefix(bytes);
  return value;
}

Status compare(std::string_view what, std::uint64_t claimed, std::uint64_t expected) {
  if (claimed == expected) return {};
  return Error{ErrorCode::permission_denied, "ticket: it is for " + std::string(what) + " " +
                                                 std::to_string(claimed) + ", this is " +
                                                 std::to_string(expected)};
}

}  // namespace

Result<std::string> encode_ticket(const TicketClaims& claims) {
  PENSTOCK_ASSIGN(const std::string fingerprint, net::from_hex(claims.client_fingerprint));
  if ((!fingerprint.empty() && fingerprint.size() != kFingerprintBytes) ||
      net::to_hex(fingerprint) != claims.client_fingerprint)
    return invalid("ticket: the client's fingerprint has " +
                   std::to_string(claims.client_fingerprint.size()) +
                   " digits; expected none or 64 in lower case");
  std::string out(kWords);
  put(out, claims.lease.value, 8);
  put(out, claims.epoch.value, 8);
  put(out, claims.executor.value, 8);
  put(out, claims.rank, 4);
  put(out, static_cast<std::uint64_t>(claims.expires_at.ns), 8);
  put(out, fingerprint.size(), 1);
  out += fingerprint;
  return out;
}

Result<TicketClaims> decode_ticket(std::string_view bytes) {
  if (bytes.size() != kBodyBytesMin && bytes.size() != kBodyBytesMin + kFingerprintBytes)
    return invalid("ticket: " + std::to_string(bytes.size()) + " bytes is not a ticket's size");
  if (bytes.substr(0, kWords.size()) != kWords)
    return invalid("ticket: it does not begin as a ticket of version 1");
  bytes.remove_prefix(kWords.size());
  TicketClaims out;
  out.lease = LeaseId{take(bytes, 8)};
  out.epoch = Epoch{take(bytes, 8)};
  out.executor = ExecutorId{take(bytes, 8)};
  out.rank = static_cast<std::uint32_t>(take(bytes, 4));
  out.expires_at = Instant{static_cast<std::int64_t>(take(bytes, 8))};
  if (take(bytes, 1) != bytes.size())
    return invalid("ticket: the fingerprint's length is not what follows");
  out.client_fingerprint = net::to_hex(bytes);
  return out;
}

Result<std::string> sign_ticket(const TicketClaims& claims, const net::SigningKey& key) {
  PENSTOCK_ASSIGN(std::string out, encode_ticket(claims));
  const net::Signature signature = key.sign(out);
  for (const std::uint8_t byte : signature) out += static_cast<char>(byte);
  return out;
}

Result<TicketClaims> verify_ticket(std::string_view ticket, const net::PublicKey& key) {
  net::Signature signature;
  if (ticket.size() < kBodyBytesMin + signature.size())
    return invalid("ticket: " + std::to_string(ticket.size()) + " bytes are too few");
  const std::string_view body = ticket.substr(0, ticket.size() - signature.size());
  std::transform(ticket.end() - signature.size(), ticket.end(), signature.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  if (!net::verify(key, body, signature))
    return Error{ErrorCode::unauthenticated,
                 "ticket: the signature is not this gateway's; ask the lease for a new ticket"};
  return decode_ticket(body);
}

Status check_ticket(const TicketClaims& claims, const TicketClaims& expected, Instant now) {
  PENSTOCK_TRY(compare("lease", claims.lease.value, expected.lease.value));
  PENSTOCK_TRY(compare("epoch", claims.epoch.value, expected.epoch.value));
  PENSTOCK_TRY(compare("executor", claims.executor.value, expected.executor.value));
  PENSTOCK_TRY(compare("rank", claims.rank, expected.rank));
  if (claims.client_fingerprint != expected.client_fingerprint)
    return Error{ErrorCode::permission_denied,
                 "ticket: it was given to a client with another certificate"};
  if (claims.expires_at <= now)
    return Error{ErrorCode::deadline_exceeded, "ticket: it expired " +
                                                   format_duration(now - claims.expires_at) +
                                                   " ago; ask the lease for a new one"};
  return {};
}

}  // namespace penstock::wire
