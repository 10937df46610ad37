@0xeceb6831f59d28a7;
# Between the gateway, the agent of each host, and its workers.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::wire");
using Common = import "common.capnp";
using Lane = import "lane.capnp";

struct ExecutorDescription {
  name @0 :Text;
  devices @1 :List(DeviceDescription);
  host @2 :Text;
}

struct DeviceDescription {
  index @0 :UInt32;
  class @1 :Text;          # "cpu"
  memoryBytes @2 :UInt64;
  threads @3 :UInt32;
}

interface Registration {
  # The gateway's side of a registered executor; dropping it takes the executor out of the pool.
  heartbeat @0 (sequence :UInt64) -> (periodNs :Int64, ticketKey :Data);
  # ticketKey: the gateway's Ed25519 public key, with which leaders check tickets.
  workerLost @1 (lease :UInt64, epoch :UInt64, rank :UInt32, reason :Text) -> ();
}

interface Agent {
  # The executor's side, called by the gateway.
  prepare @0 (lease :UInt64, epoch :UInt64, devices :List(UInt32)) -> (workers :List(Worker));
  # One idle worker process per device, in order.
  stop @1 (lease :UInt64, epoch :UInt64) -> ();
  # Returns when every process of the lease is gone; an older epoch than the current is ignored.
}

struct Assignment {
  lease @0 :UInt64;
  epoch @1 :UInt64;
  rank @2 :UInt32;
  ranks @3 :UInt32;
  pricePerDeviceSecondNanos @4 :Int64;
  pricePerGibInNanos @5 :Int64;
  pricePerGibOutNanos @6 :Int64;
  ticketKey @7 :Data;
  usage @8 :UsageSink;  # rank 0 only
  local @9 :Bool;       # all ranks are on this host
  executor @10 :UInt64; # the number under which the gateway knows this worker's executor
}

interface Worker {
  assign @0 (assignment :Assignment) -> (transportAddress :Data);
  connect @1 (transportAddresses :List(Data)) -> ();
  # In rank order; returns when every rank can reach every other.
  serve @2 () -> (leader :Lane.Leader, addresses :List(Text), fingerprint :Text);
  # Rank 0 only, after connect: opens the direct lane.
}

interface UsageSink {
  report @0 (lease :UInt64, epoch :UInt64, sequence :UInt64, usage :Common.Usage) -> ();
  # Totals since the report before; a repeated sequence number is counted once.
}
