@0xd0a1c7f5b3e94c26;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("penstock::net::test");

interface Echo {
  # What the RPC tests call.
  echo @0 (data :Data) -> (data :Data);
  fail @1 (kind :Text) -> ();
  never @2 () -> ();
  # Answers only when it is cancelled.
  whoAmI @3 () -> (fingerprint :Text, connection :UInt64);
  push @4 (data :Data) -> stream;
  pushed @5 () -> (bytes :UInt64);
  relay @6 (target :Echo, kind :Text) -> ();
  # Calls fail() on the target.
  openFile @7 () -> (file :File);
}

interface File {
  # A capability that carries a file descriptor.
}
