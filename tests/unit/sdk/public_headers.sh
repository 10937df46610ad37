#!/bin/sh
# Every public header compiles on its own, and none brings in KJ, Cap'n Proto or a part of the
# executor.  usage: public_headers.sh COMPILER SOURCE_ROOT
set -eu
compiler=$1
root=$2
for header in "$root"/sdk/include/penstock/*.h; do
  included=$(echo "#include \"$header\"" |
    "$compiler" -std=c++20 -fsyntax-only -H -I"$root" -I"$root/sdk/include" -x c++ - 2>&1) || {
    echo "$header does not compile on its own:"
    echo "$included"
    exit 1
  }
  if echo "$included" | grep -E '/(kj|capnp)/|/(executor|gateway)/|base/net/'; then
    echo "$header brings in the headers above"
    exit 1
  fi
done
if grep -nE '\b(kj|capnp)::' "$root"/sdk/include/penstock/*.h; then
  echo "a public header names a KJ or Cap'n Proto type"
  exit 1
fi
