#!/usr/bin/env bash
# Installs a build under a new prefix and uses it as a stranger would: by find_package, by pkg-config and
# from C, and beside code that has names of KJ. usage: install_test.sh BUILD_DIR
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
export PATH=$prefix/bin:$PATH

echo "== the archive has no global name of KJ, Cap'n Proto, JSON or Penstock's own parts"
names=$(nm "$prefix/lib/libpenstock.a" 2>/dev/null | awk 'NF == 3 && $2 ~ /[A-TV-Zuvw]/ { print $3 } $1 == "U" || NF == 2 { print $2 }' | sort -u)
if grep -E '(^|[A-Za-z0-9_])(N?K?2kj|5capnp|8nlohmann)' <<<"$names" ||
  grep -E '^_ZN?K?(TI|TV|TS)?N?K?8penstock(6detail|3net|4wire)' <<<"$names"; then
  echo "the names above are not local"
  exit 1
fi

echo "== by find_package, in C++, in C, and beside names of KJ"
cmake -S "$here" -B "$work/client" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build "$work/client" -j2 >/dev/null
for client in client_cpp client_c client_clash; do
  "$work/client/$client" >/dev/null
  if ldd "$work/client/$client" | grep -E 'libkj|libcapnp'; then
    echo "$client loads the libraries above"
    exit 1
  fi
done
if nm -D "$work/client/client_cpp" | c++filt | grep -E '\b(kj|capnp)::'; then
  echo "client_cpp exports or needs the names above"
  exit 1
fi

echo "== by pkg-config"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib/$(gcc -print-multiarch)/pkgconfig
g++ -std=c++20 "$here/client.cpp" -o "$work/by_pkg_config" $(pkg-config --cflags --libs penstock)
"$work/by_pkg_config" >/dev/null
gcc -std=c99 -Wall -Wextra -Wpedantic -Werror "$here/client.c" -o "$work/c_by_pkg_config" \
  $(pkg-config --cflags --libs penstock)
"$work/c_by_pkg_config" >/dev/null

echo "== the installed command"
penstock convert --help >/dev/null
echo "all of it works"
