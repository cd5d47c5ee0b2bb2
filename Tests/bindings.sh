#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes code of the interfaces with gdbus-codegen and with Qt's qdbusxml2cpp, and compiles it; and a GIR and a typelib of
# the first, which it loads into GJS. Neither the generators nor the compilers may say a word. What has no tools here is
# skipped and reported.
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

# --- C, and what GObject Introspection makes of it

silent gdbus-codegen --interface-prefix org.chappie. --c-namespace Chappie --generate-c-code chappie \
  "$interfaces"/org.chappie.*.xml
# shellcheck disable=SC2046
silent gcc -Wall -Wextra -Werror -fPIC -shared -o libchappie.so chappie.c $(pkg-config --cflags --libs gio-unix-2.0)
echo "ok    C of gdbus-codegen compiles"

if command -v g-ir-scanner >/dev/null && command -v gjs >/dev/null; then
  silent g-ir-scanner --quiet --namespace=Chappie --nsversion=1 --library=chappie -L. --include=Gio-2.0 \
    --pkg=gio-unix-2.0 -o Chappie-1.gir chappie.h chappie.c
  silent g-ir-compiler -o Chappie-1.typelib Chappie-1.gir
  # A function that is not in the library cannot be called: this one says which interface it is for.
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
