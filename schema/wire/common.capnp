@0xa874c3b39ec219d0;
# What every interface of the protocol uses. Compatibility rule: docs/protocol.md.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::wire");

struct Version {
  # A side serves peers with its own major number. Within it, fields and methods are only added.
  major @0 :UInt32;
  minor @1 :UInt32;
  software @2 :Text;  # for messages only: "penstock 0.1.0"
}

struct Tensor {
  # Dense, row-major, little-endian elements.
  name @0 :Text;
  dtype @1 :Text;          # "f32", as in the program's text form
  shape @2 :List(Int64);   # true extents
  union {
    inline @3 :Data;       # up to 1 MiB
    upload @4 :UInt64;     # number of a finished upload of the same lane; consumed by the call
    source @5 :ByteSource; # in results above 1 MiB
  }
}

interface ByteSink {
  # Receives a tensor in chunks of at most 1 MiB, in order.
  write @0 (bytes :Data) -> stream;
  done @1 () -> ();  # fails if the bytes do not add up to what was announced
}

interface ByteSource {
  # A result that is kept until this capability is dropped.
  read @0 (sink :ByteSink) -> ();
}

struct TimeSplit {
  # Where the time of one call went, in nanoseconds; the slowest rank's figures.
  queueNs @0 :Int64;          # in the leader's queue
  inputNs @1 :Int64;          # bringing inputs to the ranks
  computeNs @2 :Int64;        # in kernels
  communicationNs @3 :Int64;  # waiting for collectives
  totalNs @4 :Int64;          # from dequeue to result
}

struct Usage {
  deviceNs @0 :Int64;  # sum over the devices of the time that the call occupied each
  bytesIn @1 :Int64;   # tensor bytes from the client
  bytesOut @2 :Int64;  # tensor bytes to the client
  steps @3 :Int64;
  priceNanos @4 :Int64;  # billionths of the currency unit
}
