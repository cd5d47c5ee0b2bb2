#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes a signed apt repository of substitutes for the packages, with a temporary key, and reads it with apt in scratch
# directories. Tests/packages/repository installs the real packages from one, in fresh trees.
#
#   Tests/repository.sh
set -euo pipefail
cd "$(dirname "$0")/.."
if ! scripts/dependencies check apt-repository 2>/dev/null || ! command -v apt-get >/dev/null; then
  echo "skip  the apt repository: apt-ftparchive, gpg or apt is missing"
  exit
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/chappie-repository.XXXXXX")
export GNUPGHOME=$scratch/gnupg LC_ALL=C.UTF-8
trap 'gpgconf --kill all; rm -rf "$scratch"' EXIT
mkdir -m 700 "$GNUPGHOME"
repository=$scratch/repository

failures=0
check() {
  local name=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    echo "ok    $name"
  else
    echo "FAIL  $name"
    sed 's/^/      /' "$scratch/log"
    failures=$((failures + 1))
  fi
}

# package NAME ARCHITECTURE
package() {
  mkdir -p "$scratch/$1/DEBIAN" "$scratch/packages"
  printf '%s\n' "Package: $1" "Version: 1" "Architecture: $2" "Maintainer: test <test@chappie.invalid>" \
    "Description: substitute" >"$scratch/$1/DEBIAN/control"
  dpkg-deb -b "$scratch/$1" "$scratch/packages/$1_1_$2.deb"
}
key() {
  gpg --batch --passphrase '' --quick-generate-key "$1@chappie.invalid" ed25519 sign never
}
makes() {
  make -s apt-repository KEY="${1:-maintainer}@chappie.invalid" URL="file:$repository" PACKAGES="$scratch/packages" \
    APTREPOSITORY="$repository"
}
# apt with nothing of this machine: the repository alone, with its key where chappie.sources says.
apt() {
  apt-get -q -o Dir::Etc="$scratch/apt" -o Dir::State="$scratch/apt" -o Dir::State::status="$scratch/apt/status" \
    -o Dir::Cache="$scratch/apt/cache" -o APT::Architecture=amd64 -o APT::Sandbox::User=root "$@"
}
adds() {
  rm -rf "$scratch/apt"
  mkdir -p "$scratch/apt/"{sources.list.d,preferences.d,lists/partial,cache/archives/partial}
  touch "$scratch/apt/status"
  cp "$repository/chappie.asc" "$scratch/apt"
  sed "s|/etc/apt/keyrings|$scratch/apt|" "$repository/chappie.sources" >"$scratch/apt/sources.list.d/chappie.sources"
}
updates() {
  apt update -o APT::Update::Error-Mode=any
}
installs() {
  apt -s install chappie chappie-doc && (cd "$scratch/apt" && apt download chappie) &&
    cmp "$scratch/apt/chappie_1_amd64.deb" "$scratch/packages/chappie_1_amd64.deb"
}
# refuses WHY CHANGE…: after the change, apt no longer reads the repository.
refuses() {
  makes && adds && "${@:2}" && ! updates 2>"$scratch/refusal" && cat "$scratch/refusal" &&
    grep -q "$1" "$scratch/refusal"
}
change_list() {
  sed -i 's/^Origin: .*/Origin: Another/' "$repository/dists/stable/InRelease"
}
change_index() {
  rm -r "$repository"/dists/stable/main/binary-*/by-hash "$repository"/dists/stable/main/binary-*/*.gz
  sed -i 's/^Version: 1/Version: 2/' "$repository"/dists/stable/main/binary-*/Packages
}
# The repository of another key; apt keeps the one that it knows.
sign_with_another() {
  makes another
}
refuses_a_changed_package() {
  makes && adds && updates && printf x >>"$repository/pool/chappie_1_amd64.deb" &&
    ! (cd "$scratch/apt" && apt download chappie)
}
holds_no_secret() {
  ! grep -rl 'PRIVATE KEY' "$repository" && [[ $(gpg --show-keys --with-colons "$repository/chappie.asc") != *sec:* ]]
}
# What README.md takes from the address is there.
has_the_files_of_the_readme() {
  local files
  files=$(grep -o 'https://example.org/apt/[a-z.]*' README.md | sed 's|.*/||') && echo "$files" &&
    [[ $(wc -w <<<"$files") == 2 ]] && (cd "$repository" && ls $files)
}
refuses_without_key() {
  ! makes nobody && [[ -e $repository/chappie.asc ]]
}

{ package chappie amd64 && package chappie-doc all && key maintainer && key another; } >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
check "make apt-repository makes it" makes
check "it has the files that README.md names" has_the_files_of_the_readme
check "it has the public part of the key alone" holds_no_secret
check "without the key nothing is replaced" refuses_without_key
check "apt reads it, with its key" eval 'adds && updates'
check "apt installs from it" installs
check "apt refuses it with another list" refuses 'is not signed' change_list
check "apt refuses it with another index" refuses 'Hash Sum mismatch' change_index
check "apt refuses it with another key" refuses 'is not signed' sign_with_another
check "apt refuses another package" refuses_a_changed_package
exit $failures
