#!/usr/bin/env bash
# Encodes the texts of v1/ with Debian's capnp tool: the messages of protocol 1.0 as bytes. Made once,
# at the release of that version; never made again, or they would prove nothing.
set -euo pipefail
cd "$(dirname "$0")"
wire=../../../schema/wire
encode() { capnp encode "$wire/$1.capnp" "$2" <"v1/$3.txt" >"v1/$3.bin"; }
encode common Version version
encode lane CallResult call_result
encode lane Batch batch
encode gateway LeaseInfo lease_info
encode gateway Bill bill
encode executor ExecutorDescription executor_description
