@0x9a43589d0e255ad9;
# What a client says to the leader (rank 0) of its lease, over the direct lane or through the
# gateway: the same capabilities, so that the relay is nothing but forwarding.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::wire");
using Common = import "common.capnp";

interface DirectDoor {
  # The bootstrap capability of a leader's own port.
  present @0 (ticket :Data, version :Common.Version) -> (leader :Leader, version :Common.Version);
  # The ticket is checked: signature, expiry, lease, epoch, rank, and the certificate of the
  # connection that presents it.
}

interface Leader {
  load @0 (lane :UInt64, program :Data, plan :Data) -> (executable :Executable, info :LaneInfo);
  # Compiles on every rank and allocates. Texts as in schema/program. The lane number is chosen by
  # the client; each executable is one lane.
  train @1 (lane :UInt64, program :Data, plan :Data) -> (trainer :Trainer, info :LaneInfo);
  # As load, for a program with a training section.
  ping @2 () -> ();
  settle @3 () -> ();
  # Returns when all usage up to now has been reported to the gateway: a bill made next is whole.
}

struct LaneInfo {
  devices @0 :UInt32;
  arenaBytes @1 :UInt64;       # per device
  compileNs @2 :Int64;
  pricePerDeviceSecondNanos @3 :Int64;
}

struct Call {
  # Every call of a lane carries the next number, from 1. A number that was answered is answered
  # from memory; a gap is refused. Errors are sticky: after one, every later call of the lane fails
  # with it.
  number @0 :UInt64;
}

struct Batch {
  size @0 :Int64;  # true global rows; 0 where the entry has no dynamic dimension
  inputs @1 :List(Common.Tensor);
}

struct CallResult {
  number @0 :UInt64;
  outputs @1 :List(Common.Tensor);
  time @2 :Common.TimeSplit;
  usage @3 :Common.Usage;
  step @4 :UInt64;  # trainer: optimizer steps done so far
}

interface Executable {
  run @0 (call :Call, entry :Text, batch :Batch) -> (result :CallResult);
  upload @1 (upload :UInt64, name :Text, dtype :Text, shape :List(Int64)) -> (sink :Common.ByteSink);
  # For a tensor above 1 MiB; not a numbered call. The number is chosen by the client.
  readVariable @2 (call :Call, name :Text) -> (tensor :Common.Tensor);
  writeVariable @3 (call :Call, tensor :Common.Tensor) -> ();
  variables @4 () -> (variables :List(VariableInfo));
  repeat @5 (call :Call, entry :Text, batch :Batch, most :UInt64, until :Text, sink :ResultSink)
      -> (result :CallResult, runs :UInt64);
  # Runs an entry up to `most` times on the same inputs, as one numbered call. Each run's result goes
  # to the sink as soon as it is there. `until` may name a bool output that every device has whole:
  # after the run in which all its elements are true no other follows. The result has the last run's
  # outputs and the sums of times and usage. A sink that fails or is dropped ends the repetition.
}

interface ResultSink {
  push @0 (result :CallResult) -> stream;
}

struct VariableInfo {
  name @0 :Text;
  dtype @1 :Text;
  shape @2 :List(Int64);
  trainable @3 :Bool;
}

interface Trainer extends(Executable) {
  step @0 (call :Call, batch :Batch) -> (result :CallResult);
  forwardBackward @1 (call :Call, batch :Batch) -> (result :CallResult);
  optimizerStep @2 (call :Call) -> (result :CallResult);
  evaluate @3 (call :Call, batch :Batch) -> (result :CallResult);
}
