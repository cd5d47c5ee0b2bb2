#!/bin/sh
# Checks scripts/dependencies, with substitutes for the package managers: on each distribution it names and installs the
# packages of what is missing.
#
#   Tests/dependencies.sh
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/chappie-dependencies.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

failures=0
check() {
  name=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    echo "ok    $name"
  else
    echo "FAIL  $name"
    sed 's/^/      /' "$scratch/log"
    failures=$((failures + 1))
  fi
}

mkdir "$scratch/bin"
for manager in apt-get dnf pacman sudo; do
  printf '#!/bin/sh\necho %s "$@" >>"%s/called"\n' "$manager" "$scratch" >"$scratch/bin/$manager"
done
# Executes its arguments, as the real sudo does.
echo 'exec "$@"' >>"$scratch/bin/sudo"
chmod 755 "$scratch/bin"/*
PATH=$scratch/bin:$PATH
# The variables of an outer make do not apply to the call below.
unset MAKEFLAGS MFLAGS MAKELEVEL

# without_libraries ID COMMAND…: on a machine of this distribution that lacks every library.
without_libraries() {
  printf 'ID=%s\n' "$1" >"$scratch/os-release"
  shift
  rm -f "$scratch/called"
  PKG_CONFIG_LIBDIR=$scratch PKG_CONFIG_PATH='' OS_RELEASE=$scratch/os-release "$@" >"$scratch/output" 2>&1
}
names_the_packages() {
  ! without_libraries debian scripts/dependencies check build && cat "$scratch/output" &&
    grep -q 'libsecret-1, version .* or newer: Debian libsecret-1-dev, Fedora libsecret-devel, Arch libsecret$' \
      "$scratch/output" && test ! -e "$scratch/called"
}
# The substitute installs nothing, so that the script must report what is still missing.
installs() {
  ! without_libraries "$1" scripts/dependencies install build && cat "$scratch/output" "$scratch/called" &&
    grep -q "^$2 .*install.* $3\|^$2 -S .* $3" "$scratch/called" && grep -q 'Chappie needs' "$scratch/output"
}
installs_nothing() {
  ! without_libraries plan9 scripts/dependencies install build && cat "$scratch/output" &&
    test ! -e "$scratch/called" && grep -q 'Chappie needs' "$scratch/output"
}
needs_no_network() {
  rm -f "$scratch/called"
  scripts/dependencies install build demo test && test ! -e "$scratch/called"
}
refuses_an_unknown_set() {
  ! scripts/dependencies list debian nonsense
}
lists_each_package_once() {
  scripts/dependencies list arch build >"$scratch/list" && cat "$scratch/list" && test -s "$scratch/list" &&
    test -z "$(sort "$scratch/list" | uniq -d)"
}
# “make” alone installs nothing.
make_installs_nothing() {
  ! without_libraries debian make build && cat "$scratch/output" && test ! -e "$scratch/called" &&
    grep -q 'make dependencies' "$scratch/output"
}

check "a missing library is named with its packages" names_the_packages
check "Debian installs with apt-get" installs debian apt-get libsoup-3.0-dev
check "Fedora installs with dnf" installs fedora dnf libsoup3-devel
check "Arch installs with pacman" installs arch pacman libsoup3
check "another system installs nothing, and is told what is missing" installs_nothing
check "nothing is installed when all is there" needs_no_network
check "an unknown set is refused" refuses_an_unknown_set
check "each package is listed once" lists_each_package_once
check "make installs nothing" make_installs_nothing

[ $failures = 0 ] || { echo "$failures checks failed"; exit 1; }
