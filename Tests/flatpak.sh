#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the app of Examples/Flatpak from its manifest, offline: the runtime consists of this machine's Python. Installs
# it in a private session, and asks from its sandbox.
#
#   scripts/private-session Tests/flatpak.sh DIRECTORY-WITH-THE-PROGRAMS

set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$(realpath "${1:?the directory with the programs}"):$PATH
manifest=$PWD/Examples/Flatpak/org.example.Ask.json
sources=${manifest%/*}

for tool in flatpak bwrap jq; do
  command -v $tool >/dev/null || { echo "skip  an app in Flatpak: there is no $tool"; exit 0; }
done
bwrap --unshare-user --dev-bind / / true 2>/dev/null ||
  { echo "skip  an app in Flatpak: this machine allows no sandbox"; exit 0; }
# Flatpak queries parental controls on the system bus, so there has to be one.
export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS
cd "$CHAPPIE_WORLD"

read_manifest() {
  jq -er "$1" "$manifest"
}
app=$(read_manifest .id)
arch=$(flatpak --default-arch)
runtime=$(read_manifest .runtime)
version=$(read_manifest '."runtime-version"')

# --- The runtime

# The files that Python has mapped or has loaded modules from, after importing GLib's bindings.
files_of_python() {
  /usr/bin/python3 -c '
import json, re, socket, sys
from gi.repository import Gio, GLib
files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
print("\n".join({"/usr/bin/python3"} | files | set(re.findall("/.*", open("/proc/self/maps").read()))))'
}
mkdir -p runtime/files
files_of_python | grep -E '^/(usr|lib)' | xargs cp -L --parents -t runtime
# Programs load a library by its SONAME.
find runtime -name '*.so.*' | while read -r library; do
  name=$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')
  [[ -e ${library%/*}/$name ]] || ln -s "${library##*/}" "${library%/*}/$name"
done
loader=$(readelf -l /usr/bin/python3 | sed -n 's/.*program interpreter: \(.*\)]/\1/p')
install -D "$loader" "runtime/usr$loader"
printf '[Runtime]\nname=%s\nruntime=%s/%s/%s\nsdk=%s/%s/%s\n' "$runtime" "$runtime" "$arch" "$version" \
  "$(read_manifest .sdk)" "$arch" "$version" >runtime/metadata
flatpak build-export --disable-sandbox --runtime repository runtime "$version" >/dev/null

# --- The app, by flatpak-builder's steps

mkdir -p app/{files,var}
printf '[Application]\nname=%s\nruntime=%s/%s/%s\nsdk=%s/%s/%s\n' "$app" "$runtime" "$arch" "$version" \
  "$(read_manifest .sdk)" "$arch" "$version" >app/metadata
(
  export FLATPAK_DEST=$PWD/app/files
  cd "$sources"
  read_manifest '.modules[]."build-commands"[]' | sh -eu
)
readarray -t permissions < <(read_manifest '."finish-args"[]')
flatpak build-finish "${permissions[@]}" --command="$(read_manifest .command)" app >/dev/null
flatpak build-export --disable-sandbox repository app master >/dev/null
flatpak build-update-repo repository >/dev/null
flatpak --user remote-add --no-gpg-verify here repository
flatpak --user install --noninteractive here "$app//master" >/dev/null
echo "ok    the manifest makes an app that installs"

# --- Asking

children=
trap 'kill $children; wait' EXIT
chappie-sandbox --port 0 --auto-approve >sandbox &
children=$!
for _ in $(seq 2400); do grep -q '^issuer ' sandbox && break; sleep 0.05; done
issuer=$(sed -n 's/^issuer //p' sandbox)
chappied --issuer "$issuer" --backend "$issuer/backend-api" 2>log &
service=$!
children="$children $service"
gdbus wait --session --timeout 120 org.chappie

# shows WHAT PATTERN COMMAND…: what the command prints must match.
shows() {
  local what=$1 pattern=$2
  shift 2
  "$@" >answer 2>&1 || :
  if grep -qE "$pattern" answer; then echo "ok    $what"; else echo "FAIL  $what"; cat answer log; exit 1; fi
}
shows "the app signs in and asks" '^You said: “What is a bus\?”' flatpak --user run "$app" "What is a bus?"
grep -q '^Enter ' answer || { echo "FAIL  the app shows no code"; cat answer; exit 1; }
shows "its second question needs no sign-in" '^You said: “And now\?”' flatpak --user run "$app" "And now?"
! grep '^Enter ' answer || { echo "FAIL  the app signs in again"; exit 1; }
shows "the sign-in is not the desktop user's" '^Signed out' chappie status
shows "no other name on the bus can be reached" 'ServiceUnknown|not.*owned|NameHasNoOwner|AccessDenied' \
  flatpak --user run --command=python3 "$app" -c '
from gi.repository import Gio
Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
    "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.DBus.Peer", "Ping", None, None, 0, 9000)'

# --- A service that is killed in the middle of an answer

flatpak --user run "$app" "$(seq 200 | tr '\n' ' ')" >part 2>&1 &
app_process=$!
for _ in $(seq 2400); do [[ -s part ]] && break; sleep 0.05; done
kill -KILL $service
children=${children% *}
wait $service 2>/dev/null || :
status=0
wait $app_process || status=$?
if [[ $status == 1 ]] && grep -q '^The service ended before it answered.$' part && ! grep -q Traceback part; then
  echo "ok    the app says that the service has ended"
else
  echo "FAIL  the app does not say that the service has ended, with status $status"; cat part; exit 1
fi
