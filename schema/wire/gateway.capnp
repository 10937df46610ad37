@0xeae6ddc0808036c0;
# What the gateway serves: to clients (login) and to executors (register).

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::wire");
using Common = import "common.capnp";
using Lane = import "lane.capnp";
using Executor = import "executor.capnp";

interface Gateway {
  # The bootstrap capability of the gateway's port.
  hello @0 (version :Common.Version) -> (version :Common.Version);
  # Refuses another major version with a message that names both and what to update.
  login @1 (key :Text, version :Common.Version) -> (session :Session, account :Text);
  register @2 (token :Text, version :Common.Version, description :Executor.ExecutorDescription,
               agent :Executor.Agent) -> (registration :Executor.Registration);
}

interface Session {
  lease @0 (request :LeaseRequest) -> (lease :Lease, info :LeaseInfo);
  # Returns when the devices are granted and their workers are connected.
  usage @1 (sinceUnixNs :Int64) -> (lines :List(UsageLine));
  createKey @2 (name :Text, account :Text) -> (key :Text, id :Text);
  # The secret is shown this once; only a keyed hash is stored. Another account than the caller's,
  # and the next two methods on others' keys, need an administrator's key.
  listKeys @3 () -> (keys :List(KeyInfo));
  revokeKey @4 (id :Text) -> ();
  pool @5 () -> (executors :List(PoolExecutor));
  leases @6 () -> (leases :List(LeaseLine));
  # The account's own that are not over; all of them for an administrator's key.
}

struct LeaseRequest {
  devices @0 :UInt32;
  memoryBytes @1 :UInt64;        # least memory per device; 0: any
  maxWaitNs @2 :Int64;           # how long the request may queue
  reconnectGraceNs @3 :Int64;    # how long the lease outlives a lost client
  clientFingerprint @4 :Text;    # SHA-256 of the certificate that will present the ticket, hex
  deviceClass @5 :Text = "cpu";  # a row of the price table
}

struct LeaseInfo {
  lease @0 :UInt64;
  epoch @1 :UInt64;
  devices @2 :List(LeasedDevice);
  expiresUnixNs @3 :Int64;
  price @4 :Price;
  queuedNs @5 :Int64;
  direct @6 :DirectLane;
}

struct LeasedDevice {
  executor @0 :Text;
  index @1 :UInt32;
  class @2 :Text;
  memoryBytes @3 :UInt64;
  threads @4 :UInt32;
}

struct Price {
  perDeviceSecondNanos @0 :Int64;
  perGibInNanos @1 :Int64;
  perGibOutNanos @2 :Int64;
  currency @3 :Text;
}

struct DirectLane {
  # Where the leader listens; empty when it does not.
  addresses @0 :List(Text);      # "host:port" or "unix:/path", best first
  leaderFingerprint @1 :Text;    # of the certificate made for this lease; empty on Unix sockets
  ticket @2 :Data;               # signed by the gateway, for the client's own certificate
}

interface Lease {
  info @0 () -> (info :LeaseInfo);
  leader @1 () -> (leader :Lane.Leader);   # through the gateway
  renew @2 () -> (expiresUnixNs :Int64);
  bill @3 () -> (bill :Bill);
  release @4 () -> (bill :Bill);
  ended @5 () -> (code :Text, reason :Text);  # returns when the lease has ended, whoever ended it
}

struct Bill {
  usage @0 :Common.Usage;
  lines @1 :List(BillLine);
  totalNanos @2 :Int64;
  currency @3 :Text;
}

struct BillLine {
  what @0 :Text;        # "cpu device time", "bytes in"
  quantity @1 :Int64;
  unit @2 :Text;        # "ns", "B"
  amountNanos @3 :Int64;
}

struct UsageLine {
  day @0 :Text;  # 2026-11-30, UTC
  account @1 :Text;
  usage @2 :Common.Usage;
  leases @3 :Int64;
}

struct LeaseLine {
  lease @0 :UInt64;
  account @1 :Text;
  state @2 :Text;  # starting, active, stopping
  devices @3 :List(LeasedDevice);
  grantedUnixNs @4 :Int64;
  usage @5 :Common.Usage;  # so far, with its price
}

struct KeyInfo {
  id @0 :Text;
  account @1 :Text;
  name @2 :Text;
  createdUnixNs @3 :Int64;
  revoked @4 :Bool;
  administrator @5 :Bool;
}

struct PoolExecutor {
  name @0 :Text;
  devices @1 :List(LeasedDevice);
  leased @2 :UInt32;
  lastHeartbeatNs @3 :Int64;  # ago
}
