#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Examples/Swift and Examples/GTK as other people do: each is a package of its own that depends on a git repository
# with a tag. The repository is a clone of this one, so what is not committed is not in it. It prints the seconds of each
# build from nothing, and fails at a warning.
#
#   scripts/private-session Tests/swift-package.sh

set -eu
cd "$(dirname "$0")/.."
top=$PWD
work=$top/.build/swift-package
version=$(make -s version)
rm -rf "$work"
mkdir -p "$work"
git clone -q --bare . "$work/chappie.git"
git -C "$work/chappie.git" tag -f "$version" >/dev/null

# Builds a copy of a package, with the other arguments.
build() {
  cp -r "$top/Examples/$1" "$work/$1"
  cd "$work/$1"
  swift package config set-mirror --original https://example.org/chappie.git --mirror "file://$work/chappie.git" >/dev/null
  begun=$(date +%s)
  swift build "${2:---build-tests}" --cache-path "$work/cache" >"$work/$1.log" 2>&1 || {
    cat "$work/$1.log"
    exit 1
  }
  # SwiftPM warns of a flag that gtk4.pc has.
  if grep warning: "$work/$1.log" | grep -v "prohibited flag"; then exit 1; fi
  echo "ok    Examples/$1: built in $(($(date +%s) - begun)) seconds without warnings"
}

build Swift
swift test --skip-build
if pkg-config --exists gtk4; then build GTK --product=sign-in; else echo "skip  Examples/GTK: there is no GTK 4"; fi
