#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the installed unit under an instance of systemd for a user, with a bus of its own:
#   scripts/private-session is not needed;  Tests/unit.sh DIRECTORY-WITH-THE-PROGRAMS
#
# It needs root, a writable cgroup hierarchy, and systemd. Without them it prints the reason and the number of checks
# left out. It changes nothing outside a mount namespace, a cgroup and a scratch directory.

set -u
cd "$(dirname "$0")/.." || exit 1
programs=$(realpath "${1:?the directory with the programs}")
manager=/usr/lib/systemd/systemd
journald=/usr/lib/systemd/systemd-journald

skip() {
  echo "skip  the unit under systemd --user, with all its $(grep -c "^check " "$0") checks: $1"
  exit 0
}

if [[ ${2:-} != inside ]]; then
  [[ $(id -u) == 0 ]] || skip "it needs root"
  for program in "$manager" "$journald" /usr/bin/gnome-keyring-daemon /usr/bin/dbus-daemon /usr/bin/bwrap /usr/bin/systemctl /usr/bin/gdbus; do
    [[ -x $program ]] || skip "there is no $program"
  done
  # With both versions systemd uses both, and two instances with the same groups end each other's services.
  groups=()
  for hierarchy in $(awk '$3 == "cgroup" && $4 ~ /name=systemd/ || $3 == "cgroup2" { print $2 }' /proc/mounts); do
    mkdir "$hierarchy/chappie-unit-$$" 2>/dev/null && groups+=("$hierarchy/chappie-unit-$$")
  done
  [[ ${#groups[@]} != 0 ]] || skip "no cgroup can be made here"
  scratch=$(mktemp -d /tmp/chappie-unit.XXXXXX)
  # systemd checks that it runs as the machine's init; in this namespace that is true.
  SCRATCH=$scratch CGROUPS=${groups[*]} unshare --mount --propagation private -- "$0" "$programs" inside
  status=$?
  for _ in $(seq 100); do
    find "${groups[@]}" -depth -type d -exec rmdir {} + 2>/dev/null
    find "${groups[@]}" -maxdepth 0 2>/dev/null | grep -q . || break
    sleep 0.1
  done
  [[ -f $scratch/skipped ]] && { rm -rf "$scratch"; skip "systemd --user does not start"; }
  [[ $status == 0 ]] && rm -rf "$scratch"
  exit $status
fi

# --- An instance of systemd

mkdir -p /run/systemd /run/log && mount -t tmpfs tmpfs /run/systemd && mount -t tmpfs tmpfs /run/log &&
  mkdir /run/systemd/system || exit 1
export HOME=$SCRATCH/home XDG_RUNTIME_DIR=$SCRATCH/run LC_ALL=C.UTF-8 LANGUAGE=
unset DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY SSLKEYLOGFILE XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
units=$SCRATCH/units
mkdir -p "$HOME/.config/chappie" "$units" "$SCRATCH/services" "$XDG_RUNTIME_DIR/.flatpak/1"
chmod 700 "$XDG_RUNTIME_DIR"
sed "s|@libexecdir@|$programs|" data/chappie.service.in >"$units/chappie.service"
sed "s|@libexecdir@|$programs|" dbus/org.chappie.service.in >"$SCRATCH/services/org.chappie.service"
cat >"$SCRATCH/bus.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=$XDG_RUNTIME_DIR/bus</listen>
  <servicedir>$SCRATCH/services</servicedir>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
END
# An instance of systemd is on a bus when both of these run.
cat >"$units/dbus.service" <<END
[Unit]
Requires=dbus.socket

[Service]
Type=notify
NotifyAccess=main
ExecStart=/usr/bin/dbus-daemon --config-file=$SCRATCH/bus.conf --address=systemd: --nofork --nopidfile --systemd-activation
END
printf '[Socket]\nListenStream=%%t/bus\n' >"$units/dbus.socket"
# The machine's own user units must not be started.
for unit in default.target basic.target; do printf '[Unit]\nDescription=%s\n' "$unit" >"$units/$unit"; done

for group in $CGROUPS; do echo $$ >"$group/cgroup.procs" || exit 1; done
"$journald" >"$SCRATCH/journald.log" 2>&1 &
journal=$!
export SYSTEMD_UNIT_PATH=$units:/usr/lib/systemd/user DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
env -u SCRATCH -u CGROUPS "$manager" --user --log-target=console >"$SCRATCH/systemd.log" 2>&1 &
instance=$!
finish() {
  systemctl --user exit >/dev/null 2>&1
  wait $instance 2>/dev/null
  kill $journal $keyring $sandbox 2>/dev/null
  wait
}
keyring= sandbox=
trap finish EXIT

# until SECONDS COMMAND…: waits for the command to succeed.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

until_true 10 test -S /run/systemd/journal/stdout
if ! until_true 20 systemctl --user start dbus.service || ! until_true 20 busctl --user status org.freedesktop.systemd1; then
  touch "$SCRATCH/skipped"
  exit 0
fi

# --- A keyring, and servers to sign in to

printf password | gnome-keyring-daemon --unlock --foreground --components=secrets >"$SCRATCH/keyring.log" 2>&1 &
keyring=$!
until_true 120 busctl --user status org.freedesktop.secrets
"$programs/chappie-sandbox" --port 0 --auto-approve >"$SCRATCH/sandbox" &
sandbox=$!
until_true 120 grep '^issuer ' "$SCRATCH/sandbox"
issuer=$(sed -n 's/^issuer //p' "$SCRATCH/sandbox")
printf '[Backend]\nIssuer=%s\nBaseURL=%s/backend-api\n' "$issuer" "$issuer" >"$HOME/.config/chappie/chappie.conf"

# --- Checks

failed=0
check() {
  local what=$1
  shift
  if "$@" >"$SCRATCH/check.log" 2>&1; then
    echo "ok    $what"
  else
    echo "FAIL  $what: $*"
    sed 's/^/      /' "$SCRATCH/check.log"
    journal -n 20 -o short-precise | sed 's/^/      /'
    failed=1
  fi
}

call() {
  gdbus call --session --timeout 120 --dest org.chappie --object-path /org/chappie --method "$@"
}
get() {
  call org.freedesktop.DBus.Properties.Get "org.chappie.$1" "$2"
}
shows() {
  [[ $(systemctl --user show -P "$1" chappie.service) == "$2" ]]
}
pid() {
  systemctl --user show -P MainPID chappie.service
}

# A call from a sandbox like Flatpak's, with .flatpak-info inside and outside.
from_sandbox() {
  printf '[Application]\nname=org.example.App\n\n[Instance]\ninstance-id=1\nsession-bus-proxy=true\n' \
    >"$XDG_RUNTIME_DIR/.flatpak/1/info"
  local path tree=()
  for path in /*; do
    if [[ -L $path ]]; then
      tree+=(--symlink "$(readlink "$path")" "$path")
    elif [[ $path == /proc || $path == /dev ]]; then
      tree+=("--${path#/}" "$path")
    elif [[ -d $path ]]; then
      tree+=(--bind "$path" "$path")
    fi
  done
  bwrap --unshare-user --unshare-pid --die-with-parent "${tree[@]}" --ro-bind "$XDG_RUNTIME_DIR/.flatpak/1/info" \
    /.flatpak-info -- "$@"
}
# Makes a call through a proxy in the sandbox, as Flatpak does.
sandboxed_call() {
  rm -f "$SCRATCH/proxy"
  from_sandbox xdg-dbus-proxy "$DBUS_SESSION_BUS_ADDRESS" "$SCRATCH/proxy" &
  local proxy=$!
  # The socket exists before the proxy listens.
  DBUS_SESSION_BUS_ADDRESS=unix:path=$SCRATCH/proxy until_true 120 \
    gdbus call --session -d org.freedesktop.DBus -o / -m org.freedesktop.DBus.GetId
  DBUS_SESSION_BUS_ADDRESS=unix:path=$SCRATCH/proxy "$@"
  kill "$proxy"
  wait "$proxy" 2>/dev/null
}
is_known_as_app() {
  sandboxed_call get Session State 2>&1 | grep -F "org.example.App runs in a sandbox"
}
opens_a_client() {
  sandboxed_call call org.chappie.Manager.OpenClient '{}' 2>&1 | grep -F /org/chappie/client/
}
has_no() {
  grep -qz '^HOME=' "/proc/$(pid)/environ" && ! grep -qz "^$1=" "/proc/$(pid)/environ"
}
limits_files() {
  awk '/^Max open files/ { exit $5 != 16384 }' "/proc/$(pid)/limits"
}
is_confined() {
  grep -q "^NoNewPrivs:.1$" "/proc/$(pid)/status" && grep -q "^Seccomp:.2$" "/proc/$(pid)/status"
}
is_alive_again() {
  [[ $(pid) != 0 && $(pid) != "$before" ]] && get Manager Version
}
signs_in_and_asks() {
  "$programs/chappie" sign-in --device-code --no-open && "$programs/chappie" ask hello | grep -F hello
}
# The unit forbids namespaces, so systemd starts the program of a tool server, with bounds, and that makes the sandbox.
uses_a_tool_server() {
  "$programs/chappie" tools add git --directory "$PWD/Tests:ro" --yes -- "$PWD/Tests/tool-server.py" >/dev/null &&
    "$programs/chappie" tools policy git/git_log automatic &&
    "$programs/chappie" ask --tools git 'use git__git_log {}' | grep -F 3f2a91c &&
    unit=$(systemctl --user list-units --plain --no-legend 'chappie-tools-git-*' | cut -d' ' -f1) && [[ -n $unit ]] &&
    systemctl --user show "$unit" | grep -xF -e MemoryMax=2147483648 -e TasksMax=512 -e NoNewPrivileges=yes | wc -l | grep -x 3
}

# The unit forbids namespaces, so systemd starts the sandbox of the programs that read the document.
reads_a_document() {
  curl -sf "$issuer/sandbox/scenario" -d '[{"endpoint":"responses","refuses_files":true,"times":9}]' &&
    "$programs/chappie" ask -f Examples/report.pdf Look | grep -F 'It came with 1 image.' &&
    [[ -z $(systemctl --user list-units --all --plain --no-legend 'chappie-document-*') ]]
}
journal() {
  journalctl -q --file '/run/log/journal/*/*.journal' "$@"
}
# The fingerprint of a slot finds the lines of that slot and no others.
journal_has_slot() {
  local slot
  for slot in $(journal -F CHAPPIE_SLOT); do
    [[ $slot =~ ^[0-9a-f]{16}$ ]] || return 1
    journal -o cat "CHAPPIE_SLOT=$slot" PRIORITY=6 >"$SCRATCH/slot.log"
    grep 'to signed-in: the sign-in has succeeded' "$SCRATCH/slot.log" && ! grep ' starts, with ' "$SCRATCH/slot.log" &&
      return
  done
  return 1
}
crash() {
  before=$(pid)
  # Zero would be this script and those that have started it.
  [[ $before != 0 ]] && kill -KILL "$before" && until_true 120 is_alive_again
}
# SIGUSR1 makes an instance of systemd look for the bus again.
is_on_bus() {
  busctl --user status org.freedesktop.systemd1 || { kill -USR1 "$instance" && false; }
}
# Seldom systemd itself does not find the new bus, however long one waits, and starts nothing for anybody: it gets another.
lose_bus() {
  before=$(pid)
  for _ in 1 2 3; do
    systemctl --user restart dbus.service
    until_true 60 is_on_bus && break
  done
  until_true 120 is_alive_again
}
fails_for_good() {
  systemctl --user stop chappie.service
  systemctl --user reset-failed chappie.service
  printf '[Backend]\nBaseURL=ftp://example.org\n' >"$HOME/.config/chappie/chappie.conf"
  ! get Manager Version && until_true 120 shows ActiveState failed && shows ExecMainStatus 78 && shows NRestarts 0
}

systemctl --user set-environment SSLKEYLOGFILE="$SCRATCH/keys" LD_AUDIT=libnothing.so GNUTLS_DEBUG_LEVEL=9
check "the bus starts the service through systemd" get Manager Version
check "the service runs as the unit" shows ActiveState active
check "the unit limits memory" shows MemoryMax 536870912
check "a lower memory limit slows the service down" shows MemoryHigh 402653184
check "the unit limits tasks" shows TasksMax 128
check "the unit limits open files" limits_files
check "the service has no new privileges and a system call filter" is_confined
check "the service has a kernel keyring of its own" shows KeyringMode private
for name in SSLKEYLOGFILE GNUTLS_DEBUG_LEVEL LD_AUDIT; do check "the service has no variable $name" has_no "$name"; done
check "a program outside a sandbox is identified as one" get Session State
check "an app in a sandbox is identified by its id" is_known_as_app
check "an app in a sandbox opens a client" opens_a_client
check "a sign-in and a question succeed" signs_in_and_asks
check "a tool server runs in a unit and a sandbox of its own" uses_a_tool_server
if [[ -x /usr/bin/pdftoppm ]]; then
  check "a document is read in a sandbox" reads_a_document
fi
check "the journal holds the lines of a slot" journal_has_slot
check "the service restarts after a crash" crash
check "the service restarts after the loss of the bus" lose_bus
check "the service tries an invalid configuration once" fails_for_good
exit $failed
