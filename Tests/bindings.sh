#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Generates code from the interfaces with gdbus-codegen and with Qt's qdbusxml2cpp, and compiles it; and makes a GIR and
# a typelib of the former, which it loads into GJS. Any warning is a failure. Checks whose tools are missing are skipped
# and reported.
#
#   Tests/bindings.sh

set -eu
interfaces=$(cd "$(dirname "$0")/../dbus" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/chappie-bindings.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# silent COMMAND…: it must succeed and print nothing.
silent() {
  "$@" >log 2>&1 && [ ! -s log ] && return
  echo "FAIL  $*"
  cat log
  exit 1
}

# --- C, and GObject Introspection

silent gdbus-codegen --interface-prefix org.chappie. --c-namespace Chappie --generate-c-code chappie \
  "$interfaces"/org.chappie.*.xml
# shellcheck disable=SC2046
silent gcc -Wall -Wextra -Werror -fPIC -shared -o libchappie.so chappie.c $(pkg-config --cflags --libs gio-unix-2.0)
echo "ok    C of gdbus-codegen compiles"

if command -v g-ir-scanner >/dev/null && command -v gjs >/dev/null; then
  silent g-ir-scanner --quiet --namespace=Chappie --nsversion=1 --library=chappie -L. --include=Gio-2.0 \
    --pkg=gio-unix-2.0 -o Chappie-1.gir chappie.h chappie.c
  silent g-ir-compiler -o Chappie-1.typelib Chappie-1.gir
  # Calling a function proves that it is in the library: this one returns the interface.
  found=$(LD_LIBRARY_PATH=. GI_TYPELIB_PATH=. gjs -c "print(imports.gi.Chappie.client_interface_info().name)")
  [ "$found" = org.chappie.Client ] || { echo "FAIL  GJS does not find the library: $found"; exit 1; }
  echo "ok    GJS uses the typelib of it"
else
  echo "skip  a typelib: there is no g-ir-scanner or no gjs"
fi

# --- C++

if ! pkg-config --exists Qt6DBus; then
  echo "skip  C++ of qdbusxml2cpp: there is no Qt 6"
  exit 0
fi
bin=$(pkg-config --variable=bindir Qt6DBus)
libexec=$(pkg-config --variable=libexecdir Qt6DBus)
for file in "$interfaces"/org.chappie.*.xml; do
  name=${file%.xml}
  name=${name##*.}
  silent "$bin/qdbusxml2cpp" -c "$name" -p "$name" "$file"
  headers="${headers:-} $name"
done
# Programs implement this interface; the service implements all others.
silent "$bin/qdbusxml2cpp" -c Handler -a Handler "$interfaces/org.chappie.ToolHandler.xml"
# A single compilation unit, because parsing Qt's headers takes most of the time.
for name in $headers Handler; do
  silent "$libexec/moc" -o "$name.moc" "$name.h"
  printf '#include "%s"\n' "$name.cpp" "$name.moc" >>all.cpp
done
# shellcheck disable=SC2046
silent g++ -std=c++17 -fPIC -Wall -Wextra -Werror -c -o all.o $(pkg-config --cflags Qt6DBus) all.cpp
echo "ok    C++ of qdbusxml2cpp compiles"
