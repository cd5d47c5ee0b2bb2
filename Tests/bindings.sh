#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes code of the interfaces with gdbus-codegen and with Qt's qdbusxml2cpp, and compiles it. Neither the generators
# nor the compilers may say a word.
#
#   Tests/bindings.sh

set -eu
cd "$(dirname "$0")/../dbus"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/chappie-bindings.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# silent COMMAND…: it must succeed and print nothing.
silent() {
  "$@" >"$scratch/log" 2>&1 && [ ! -s "$scratch/log" ] && return
  echo "FAIL  $*"
  cat "$scratch/log"
  exit 1
}

silent gdbus-codegen --interface-prefix org.chappie. --c-namespace Chappie --generate-c-code chappie \
  --output-directory "$scratch" org.chappie.*.xml
# shellcheck disable=SC2046
silent gcc -Wall -Wextra -Werror -c -o "$scratch/chappie.o" $(pkg-config --cflags gio-unix-2.0) "$scratch/chappie.c"
echo "ok    C of gdbus-codegen compiles"

if ! pkg-config --exists Qt6DBus; then
  echo "skip  C++ of qdbusxml2cpp: there is no Qt 6"
  exit 0
fi
bin=$(pkg-config --variable=bindir Qt6DBus)
libexec=$(pkg-config --variable=libexecdir Qt6DBus)
interfaces=$PWD
cd "$scratch"
for file in "$interfaces"/org.chappie.*.xml; do
  name=${file%.xml}
  name=${name##*.}
  silent "$bin/qdbusxml2cpp" -c "$name" -p "$name" "$file"
  headers="${headers:-} $name"
done
# A program has this object; all others are the service's.
silent "$bin/qdbusxml2cpp" -c Handler -a Handler "$interfaces/org.chappie.ToolHandler.xml"
# One unit takes all: it is Qt's headers that take the time.
for name in $headers Handler; do
  silent "$libexec/moc" -o "$name.moc" "$name.h"
  printf '#include "%s"\n' "$name.cpp" "$name.moc" >>all.cpp
done
# shellcheck disable=SC2046
silent g++ -std=c++17 -fPIC -Wall -Wextra -Werror -c -o all.o $(pkg-config --cflags Qt6DBus) all.cpp
echo "ok    C++ of qdbusxml2cpp compiles"
