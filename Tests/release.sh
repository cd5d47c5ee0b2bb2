#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks what a release consists of: one version everywhere, the source archive, and a tag that SwiftPM resolves. Builds
# nothing.
#
#   Tests/release.sh
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/chappie-release.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# The variables of an outer make do not apply to the calls below.
unset MAKEFLAGS MFLAGS MAKELEVEL SOURCE_DATE_EPOCH
version=$(make -s --no-print-directory version)
released=$(make -s --no-print-directory released)

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

# --- The version

is_first_in_news() {
  [[ $(grep -m 1 '^## [0-9]' NEWS.md) == "## $version ($released)" && $(date -d "$released" +%F) == "$released" ]]
}
is_in_debian_changelog() {
  [[ $(head -n 1 packaging/debian/changelog) == "chappie ($version-"* ]]
}
guides_name_it() {
  local page pages=(README.md doc/swift.md Examples/*/Package.swift)
  for page in "${pages[@]}"; do grep -F "from: \"$version\"" "$page" || { echo "not in $page"; return 1; }; done
  ! grep -n 'from: "[0-9]' "${pages[@]}" | grep -vF "\"$version\""
}
# Of the repository, and of the packages.
pages_name_one_address() {
  local pages=(README.md doc/swift.md packaging/README.md) path
  for path in chappie.git apt; do
    grep -noE "https://[^ \"\`]*/$path\\b" "${pages[@]}"
    [[ $(grep -hoE "https://[^ \"\`]*/$path\\b" "${pages[@]}" | sort -u | wc -l) == 1 ]] || return
  done
}
check "NEWS.md begins with this version and a date" is_first_in_news
check "Debian's changelog begins with this version" is_in_debian_changelog
check "the guides depend on this version" guides_name_it
check "the pages name one address of the project" pages_name_one_address

# --- The bill of materials, of the release programs if they are built

describes_the_programs() {
  SOURCE_DATE_EPOCH=1 packaging/sbom .build/release "$version" >"$scratch/sbom"
  jq -r '.files[] | "\(.checksums[1].checksumValue)  .build/release/\(.fileName)"' "$scratch/sbom" | sha256sum -c &&
    jq -e '.creationInfo.created == "1970-01-01T00:00:01Z" and
      ([.packages[].SPDXID, .files[].SPDXID, "SPDXRef-DOCUMENT"] as $known |
        all(.relationships[]; [.spdxElementId, .relatedSpdxElement] - $known == [])) and
      ([.relationships[].relationshipType] | unique == ["DESCRIBES", "DYNAMIC_LINK", "GENERATED_FROM", "STATIC_LINK"])' \
      "$scratch/sbom" &&
    [[ $(jq -r '.packages[] | select(.name == "libsoup-3.0-0") | .versionInfo' "$scratch/sbom") == \
      $(dpkg-query -W -f '${Version}' libsoup-3.0-0) ]]
}
if [[ -f .build/static/chappie-sandbox.archives && -x .build/release/chappie-sandbox ]] && command -v dpkg-query >/dev/null; then
  check "the bill of materials describes the programs" describes_the_programs
else
  echo "skip  the bill of materials: the release programs are not built, or this is no Debian"
fi

# --- The source archive, of a repository with the working tree

if [[ ! -e .git ]]; then
  echo "skip  the source archive and the tag: this is no git repository"
  exit $failures
fi
repository=$scratch/repository
mkdir "$repository"
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for file; do
  [ -e "$file" ] && printf "%s\0" "$file"; done' files | tar --null -T - -cf - | tar -xf - -C "$repository"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE="2026-01-01T00:00:00Z" GIT_COMMITTER_DATE="2026-01-01T00:00:00Z"
as_author=(git -c user.name=test -c user.email=test@example.org -C "$repository")
"${as_author[@]}" init -q
"${as_author[@]}" add -A
"${as_author[@]}" commit -qm "A release"
"${as_author[@]}" tag "$version"

dist=$repository/.build/dist
is_the_same_elsewhere() {
  "$repository/packaging/dist" && git clone -q "$repository" "$scratch/another-clone" &&
    (umask 077 && TZ=Asia/Tokyo "$scratch/another-clone/packaging/dist") &&
    diff -r "$dist" "$scratch/another-clone/.build/dist"
}
has_the_files() {
  diff <(tar -tf "$dist/chappie-$version.tar.gz" | sed -n "s|^chappie-$version/\(.*[^/]\)\$|\1|p" | sort) \
    <(git -C "$repository" ls-files | sort)
}
has_its_time() {
  tar --utc --full-time -tvf "$dist/chappie-$version.tar.gz" | awk '{ print $4, $5 }' | sort -u | tee /dev/stderr |
    diff - <(date -u -d "@${SOURCE_DATE_EPOCH:-1767225600}" '+%F %T')
}
honours_source_date_epoch() {
  export SOURCE_DATE_EPOCH=1600000000
  "$repository/packaging/dist" && has_its_time
}
is_filled_in() {
  ! grep -nE '@[a-z0-9]+@' "$dist/$1" && grep -q "$version" "$dist/$1" && grep -q "$2" "$dist/$1"
}
is_a_spec() {
  rpmspec -P "$dist/chappie.spec" | grep "^Version: *$version\$"
}
pkgbuild_has_checksum() {
  bash -c '. "$0/PKGBUILD" && cd "$0" && echo "${sha256sums[0]}  ${source[0]}" | sha256sum -c' "$dist"
}
check "two clones make the same archive" is_the_same_elsewhere
check "it has the files of the commit" has_the_files
check "its times are the commit's" has_its_time
check "its times are \$SOURCE_DATE_EPOCH" honours_source_date_epoch
check "the spec file is filled in" is_filled_in chappie.spec 'BuildRequires: *libsoup3-devel'
check "the PKGBUILD is filled in" is_filled_in PKGBUILD '^  libsoup3$'
check "the PKGBUILD has the archive's checksum" pkgbuild_has_checksum
if command -v rpmspec >/dev/null; then check "rpm reads the spec file" is_a_spec; else echo "skip  the spec file: there is no rpmspec"; fi

# --- The tag

mkdir -p "$scratch/hello/Sources/hello"
echo 'import ChappieSDK' >"$scratch/hello/Sources/hello/main.swift"
cat >"$scratch/hello/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "hello",
  dependencies: [.package(url: "file://$repository", from: "$version")],
  targets: [
    .executableTarget(
      name: "hello", dependencies: [.product(name: "ChappieSDK", package: "repository")])
  ])
END
resolves() {
  swift package --package-path "$scratch/hello" --cache-path "$scratch/cache" show-dependencies --format json |
    tee /dev/stderr | grep -q "\"version\": \"$version\""
}
check "SwiftPM resolves the tag" resolves
exit $failures
