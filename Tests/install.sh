#!/bin/sh
# Installs into a scratch tree, checks its files, starts the service from it over the bus, and uninstalls it.
#
#   Tests/install.sh
#
# Takes the release programs if they are built, and substitutes for them otherwise. A check whose tool is missing is
# skipped and reports it. The exit status is 0 when no check failed.
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d "${TMPDIR:-/tmp}/chappie-install.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
export LC_ALL=C.UTF-8 LANGUAGE=
# The variables of an outer make do not apply to the calls below.
unset MAKEFLAGS MFLAGS MAKELEVEL
failures=0

# check NAME COMMAND [ARGUMENT…]: the command must succeed. “set -e” has no effect in a function that is called this
# way.
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

# check_with TOOL NAME COMMAND [ARGUMENT…]: as check, if the tool is there.
check_with() {
  if command -v "$1" >/dev/null; then
    shift
    check "$@"
  else
    echo "skip  $2: there is no $1"
  fi
}

# Succeeds when the command prints nothing.
silent() {
  output=$("$@" 2>&1) && test -z "$output" && return
  echo "$output"
  return 1
}

absent() {
  ! "$@"
}

files_of() {
  (cd "$1" && find . ! -type d | sed 's|^\.||' | sort)
}

# --- The programs

build=.build/release
real=yes
for program in chappied chappie chappie-sandbox; do
  test -x "$build/$program" || real=no
done
if [ $real = no ]; then
  build=$scratch/build
  mkdir "$build"
  printf '#!/bin/sh\necho started >"%s/started"\nsleep 1\n' "$scratch" >"$build/chappied"
  printf '#!/bin/sh\n' >"$build/chappie"
  printf '#!/bin/sh\n' >"$build/chappie-sandbox"
  chmod 755 "$build"/*
  echo "note  the programs are not built, so substitutes take their place"
fi

# --- The content of a package

package=$scratch/package
mkdir -p "$package/usr/bin" "$package/usr/share/man/man1"
touch "$package/usr/bin/another" "$package/usr/share/man/man1/another.1"
files_of "$package" >"$scratch/before"

check "the manual pages of the interfaces are made" make manuals
check "the catalogues are made" make translations
# Neither a part of a catalogue, nor an empty one.
makes_none='! scripts/translations "$1" "$2" && test -z "$(find "$2" ! -type d)"'
mkdir "$scratch/tools" "$scratch/none"
ln -s /bin/false "$scratch/tools/msgen"
touch "$scratch/empty"
check "no catalogue is made if a tool fails" \
  env PATH="$scratch/tools:$PATH" sh -c "$makes_none" sh pseudo "$scratch/none"
check_with bwrap "no catalogue is made of an empty one" \
  bwrap --dev-bind / / --bind "$scratch/empty" "$PWD/po/de.po" sh -c "$makes_none" sh compile "$scratch/none"
check_with bwrap "no catalogue is made on a full disk" \
  bwrap --dev-bind / / --size 65536 --tmpfs "$scratch/none" sh -c "$makes_none" sh compile "$scratch/none"
check "the settings of the extension are made" make schemas
check "the installation succeeds" make install DESTDIR="$package" PREFIX=/usr BUILDDIR="$build"
files_of "$package" >"$scratch/after"
comm -13 "$scratch/before" "$scratch/after" >"$scratch/installed"
sed 's/^/      /' "$scratch/installed"

cat >"$scratch/expected" <<'END'
/usr/bin/chappie
/usr/bin/chappie-sandbox
/usr/bin/chappie-window
/usr/lib/systemd/user/chappie.service
/usr/libexec/chappied
/usr/share/Thunar/sendto/thunar-sendto-chappie.desktop
/usr/share/applications/org.chappie.Window.desktop
/usr/share/applications/org.chappie.desktop
/usr/share/bash-completion/completions/chappie
/usr/share/chappie/file-managers/ask-chappie
/usr/share/dbus-1/services/org.chappie.Search.service
/usr/share/dbus-1/services/org.chappie.Window.service
/usr/share/dbus-1/services/org.chappie.service
/usr/share/doc/chappie/PRIVACY.md
/usr/share/doc/chappie/access-group.conf
/usr/share/doc/chappie/chappie-sandbox.md
/usr/share/doc/chappie/chappie.conf
/usr/share/fish/vendor_completions.d/chappie.fish
/usr/share/gnome-shell/search-providers/org.chappie.Search.ini
/usr/share/icons/hicolor/scalable/apps/org.chappie.svg
/usr/share/icons/hicolor/symbolic/apps/org.chappie-symbolic.svg
/usr/share/kio/servicemenus/dolphin-chappie.desktop
/usr/share/krunner/dbusplugins/plasma-runner-chappie.desktop
/usr/share/locale/de/LC_MESSAGES/chappie.mo
/usr/share/man/man1/chappie-sandbox.1
/usr/share/man/man1/chappie-window.1
/usr/share/man/man1/chappie.1
/usr/share/man/man7/org.chappie.7
/usr/share/man/man8/chappied.8
/usr/share/metainfo/org.chappie.Window.metainfo.xml
/usr/share/metainfo/org.chappie.chappie.metainfo.xml
/usr/share/pkgconfig/chappie.pc
/usr/share/zsh/site-functions/_chappie
END
for xml in dbus/org.chappie.*.xml; do
  echo "/usr/share/dbus-1/interfaces/${xml#dbus/}"
  echo "/usr/share/man/man7/$(basename "$xml" .xml).7"
done >>"$scratch/expected"
for file in data/templates/*; do
  echo "/usr/share/chappie/${file#data/}"
done >>"$scratch/expected"
for file in desktop/shared/* desktop/window/*.js desktop/window/*.css desktop/search/*.js; do
  echo "/usr/share/chappie/${file#desktop/}"
done >>"$scratch/expected"
for file in $(cd desktop/gnome-shell && ls -- *.js shared/* *.css *.json schemas/*.xml) schemas/gschemas.compiled \
  icons/org.chappie-symbolic.svg locale/de/LC_MESSAGES/chappie.mo; do
  echo "/usr/share/gnome-shell/extensions/chappie@chappie.invalid/$file"
done >>"$scratch/expected"
if [ -e .build/plasma/org/chappie/plasma/libchappieplasma.so ]; then
  modules=$(qtpaths6 --query QT_INSTALL_QML)
  for file in libchappieplasma.so qmldir; do
    echo "$modules/org/chappie/plasma/$file"
  done
  (cd desktop/plasma/package && find . ! -type d) | sed 's|^\.|/usr/share/plasma/plasmoids/org.chappie.plasma|'
fi >>"$scratch/expected"
for file in desktop/panel/*; do
  echo "/usr/share/doc/chappie/panel/$(basename "$file")"
done >>"$scratch/expected"
sort -o "$scratch/expected" "$scratch/expected"
check "the installed files are the expected ones" diff "$scratch/expected" "$scratch/installed"

modes_fit() {
  while read -r file; do
    case $file in
      /usr/bin/* | /usr/libexec/* | */ask-chappie) mode=755 ;;
      *) mode=644 ;;
    esac
    test "$(stat -c %a "$package$file")" = $mode || { echo "$file has mode $(stat -c %a "$package$file")"; return 1; }
  done <"$scratch/installed"
}
check "programs are executable, files are not" modes_fit

# Each file belongs to one Debian package, and each pattern of a package matches a file.
packages_fit() {
  sed -n 's|^\(usr/[^ ]*\).*|/\1|p' packaging/debian/*.install >"$scratch/patterns"
  while read -r pattern; do
    case $pattern in */plasma*|*/qml/*) [ -e .build/plasma/org/chappie/plasma/libchappieplasma.so ] || continue ;; esac
    # shellcheck disable=SC2086
    set -- $package$pattern
    test -e "$1" || { echo "nothing is installed as $pattern" >&2; return 1; }
    printf '%s\n' "$@"
  done <"$scratch/patterns" >"$scratch/taken"
  awk -v tree="$package" 'NR == FNR { taken[$0]; next }
    { path = tree $0; while (path != tree && !(path in taken)) sub("/[^/]*$", "", path) }
    path == tree { print $0 " is in no package"; missing = 1 }
    END { exit missing }' "$scratch/taken" "$scratch/installed"
}
check "the packages take each of them" packages_fit

# Reproducible builds: the programs do not contain the build directory.
names_no_directory() {
  ! grep -aFl -e "$PWD" "$build/chappied" "$build/chappie" "$build/chappie-sandbox"
}
if [ $real = yes ]; then check "the programs do not name the directory they were built in" names_no_directory; fi

share=$package/usr/share
unit=$package/usr/lib/systemd/user/chappie.service
activation=$share/dbus-1/services/org.chappie.service

check "no placeholder is left" absent grep -rnIE '@[A-Za-z_]+@' "$share" "$unit"
check "no file names the scratch tree" absent grep -rnIF "$scratch" "$share" "$unit"
check "the unit starts the service" grep -qx 'ExecStart=/usr/libexec/chappied' "$unit"
check "the bus starts the service" grep -qx 'Exec=/usr/libexec/chappied' "$activation"
has_interfaces() {
  directory=$(PKG_CONFIG_LIBDIR=$share/pkgconfig pkg-config --variable=interfaces_dir chappie)
  test "$directory" = /usr/share/dbus-1/interfaces
}
check_with pkg-config "pkg-config finds the interfaces" has_interfaces
check "the bus knows the unit" grep -qx "SystemdService=$(basename "$unit")" "$activation"

# These options create a user namespace in the user's instance of systemd, in which the service cannot identify its
# callers.
check "the unit needs no user namespace" absent grep -nE \
  '^(Protect[A-Za-z]+|Private[A-Za-z]+|ProcSubset|ReadOnlyPaths|ReadWritePaths|InaccessiblePaths|ExecPaths|NoExecPaths|Bind[A-Za-z]*Paths|TemporaryFileSystem|Mount[A-Za-z]+|RootDirectory|RootImage|DynamicUser|DevicePolicy|DeviceAllow)=' \
  "$unit"

# Only options that systemd knows, because it ignores unknown ones.
unit_says() {
  grep -qxF -- "$1" "$unit"
}
for line in Restart=on-failure 'RestartPreventExitStatus=2 78' StartLimitBurst=5 StartLimitIntervalSec=60 \
  MemoryHigh=384M MemoryMax=512M TasksMax=128 LimitNOFILE=16384 KeyringMode=private NoNewPrivileges=yes LimitCORE=0 \
  SystemCallFilter=~@privileged 'UnsetEnvironment=SSLKEYLOGFILE GNUTLS_DEBUG_LEVEL LD_PRELOAD LD_AUDIT'; do
  check "the unit says ${line%%=*}" unit_says "$line"
done

# --- For one user

one_user() {
  prefix=$scratch/home/.local
  make install HOME="$scratch/home" PREFIX="$prefix" BUILDDIR="$build" &&
    grep -x "ExecStart=$prefix/libexec/chappied" "$prefix/share/systemd/user/chappie.service" &&
    test -f "$prefix/share/dbus-1/services/org.chappie.service" &&
    env -u DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR="$scratch" make uninstall HOME="$scratch/home" PREFIX="$prefix" &&
    test -z "$(find "$scratch/home" -type f)"
}
check "PREFIX=\$HOME/.local needs no other variable" one_user

# --- Each file by the tool for its kind

for file in "$share"/applications/*.desktop; do
  check_with desktop-file-validate "desktop file $(basename "$file")" silent desktop-file-validate "$file"
done
for file in "$share"/metainfo/*.xml; do
  check_with appstreamcli "metainfo $(basename "$file")" appstreamcli validate --no-net --pedantic --explain "$file"
done
for page in "$share"/man/man?/*chappie*.[178]; do
  check_with man "man accepts ${page##*/}" silent sh -c "man --warnings -l -Tutf8 -Z '$page' >'$scratch/page'"
  check_with mandoc "mandoc accepts ${page##*/}" silent mandoc -Tlint -Wwarning "$page"
done
for icon in scalable/apps/org.chappie symbolic/apps/org.chappie-symbolic; do
  check_with rsvg-convert "icon $icon" rsvg-convert -o "$scratch/icon.png" "$share/icons/hicolor/$icon.svg"
done
for xml in "$share"/dbus-1/interfaces/*.xml; do
  check_with xmllint "interface $(basename "$xml")" silent xmllint --noout --nonet "$xml"
done

# --- Completions

mkdir "$scratch/bin"
cat >"$scratch/bin/chappie" <<'END'
#!/bin/sh
case "$*" in
  accounts) printf '%s\n' 'default  Signed out' 'my work  Signed out' '' 'Application  Account' 'org.example.App  default' ;;
  'accounts --json')
    printf '%s\n' '{"account":"default"}' '{"app":"org.example.App","account":"a"}' \
      '{"app":"org.example.App","account":"b"}' '{"access_group":"T.shared","account":"a"}' ;;
  *--archived*) echo '{"id":"ef567890","title":"Old","created_at":1}' ;;
  models*) printf '%s\n' '{"slug":"gpt-b","display_name":"B"}' '{"slug":"gpt-a","aliases":["fast","my model"],"display_name":"A"}' ;;
  templates*) printf '%s\n' '{"template":"review","path":"/x"}' '{"template":"sum-up","path":"/y"}' ;;
  tools*) printf '%s\n' '{"server":"git","command":["git-server"]}' '{"server":"time","command":["time-server"]}' ;;
  approvals*) printf '%s\n' '{"approval":"ask-k3x9q","tool":"delete","arguments":"{}"}' ;;
  threads*) printf '%s\n' '{"id":"ab123456","title":"A \"b\": c","created_at":1}' '{"id":"cd345678","title":"","created_at":1}' ;;
esac
END
chmod 755 "$scratch/bin/chappie"

# complete_in_SHELL LINE: prints what the shell offers for the last word of the line.
complete_in_bash() {
  # shellcheck disable=SC2016 # Bash expands it.
  PATH=$scratch/bin:$PATH bash --norc -c '
    . "$1"
    eval "COMP_WORDS=($2)"
    [[ $2 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _chappie
    printf "%s\n" "${COMPREPLY[@]}"' bash "$share/bash-completion/completions/chappie" "$1"
}

complete_in_fish() {
  PATH=$scratch/bin:$PATH HOME=$scratch fish --no-config -c "source '$share/fish/vendor_completions.d/chappie.fish'
    complete -C '$1' | string replace -r '\t.*' ''"
}

# Zsh completes only on a terminal, so the test uses a pseudo-terminal.
complete_in_zsh() {
  cat >"$scratch/zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u; PS1="
zpty -w shell 'report() { zle complete-word; print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N report; bindkey "^T" report'
zpty -w shell 'print -r -- rea""dy'
zpty -r shell answer '*ready*'
shift
for line; do
  zpty -n -w shell "$line"$'\C-t'
  zpty -r shell answer '*<<*>>*'
  print -r -- ${${answer##*<<}%%>>*}
done
END
  PATH=$scratch/bin:$PATH HOME=$scratch timeout 120 zsh -f "$scratch/zsh" "$share/zsh/site-functions" "$@" </dev/null
}

# offers SHELL LINE WORD…: exactly these words are offered.
offers() {
  shell=$1
  line=$2
  shift 2
  printf '%s\n' "$@" | sort >"$scratch/words"
  "complete_in_$shell" "$line" | sort | diff "$scratch/words" -
}

check_with bash "bash completes verbs" offers bash 'chappie si' sign-in sign-out
check_with bash "bash completes options" offers bash 'chappie accounts --' --app --background --help --json
check_with bash "bash completes accounts" offers bash 'chappie status --account ' default 'my\ work'
check_with fish "fish completes verbs" offers fish 'chappie sign' sign-in sign-out
check_with fish "fish completes options" offers fish 'chappie accounts --' --app --background --help --json
check_with fish "fish completes accounts" offers fish 'chappie status --account ' default 'my work'
check_with zsh "zsh completes verbs" offers zsh 'chappie mon' 'chappie monitor '
check_with zsh "zsh completes options" offers zsh 'chappie sign-in --aft' 'chappie sign-in --after-first-unlock '
check_with zsh "zsh completes accounts" offers zsh 'chappie status --account m' 'chappie status --account my\ work '

check_with bash "bash completes applications" offers bash 'chappie sign-out --app ' T.shared org.example.App
check_with fish "fish completes applications" offers fish 'chappie sign-out --app ' T.shared org.example.App
check_with zsh "zsh completes applications" offers zsh 'chappie sign-out --app o' 'chappie sign-out --app org.example.App '
check_with zsh "zsh completes background use" offers zsh 'chappie accounts --background d' 'chappie accounts --background deny '

check_with bash "bash completes answers" offers bash 'chappie approvals ' approve deny
check_with bash "bash completes approvals" offers bash 'chappie approvals deny ' ask-k3x9q
check_with fish "fish completes answers" offers fish 'chappie approvals ' approve deny
check_with fish "fish completes approvals" offers fish 'chappie approvals deny ' ask-k3x9q
check_with zsh "zsh completes answers" offers zsh 'chappie approvals ap' 'chappie approvals approve '
check_with zsh "zsh completes approvals" offers zsh 'chappie approvals deny a' 'chappie approvals deny ask-k3x9q '

check_with bash "bash completes verbs of threads" offers bash 'chappie threads una' unarchive
check_with bash "bash completes threads" offers bash 'chappie threads show ' last ab123456 cd345678
check_with bash "bash completes archived threads" offers bash 'chappie threads unarchive e' ef567890
check_with bash "bash completes the thread of a question" offers bash 'chappie ask --thread ' last new ab123456 cd345678
check_with fish "fish completes verbs of threads" offers fish 'chappie threads una' unarchive
check_with fish "fish completes threads" offers fish 'chappie threads show ' last ab123456 cd345678
check_with fish "fish completes archived threads" offers fish 'chappie threads unarchive e' ef567890
check_with fish "fish completes the thread of a question" offers fish 'chappie ask --thread ' last new ab123456 cd345678
check_with zsh "zsh completes verbs of threads" offers zsh 'chappie threads una' 'chappie threads unarchive '
check_with zsh "zsh completes threads" offers zsh 'chappie threads show a' 'chappie threads show ab123456 '
check_with zsh "zsh completes archived threads" offers zsh 'chappie threads unarchive e' 'chappie threads unarchive ef567890 '
check_with zsh "zsh completes the thread of a question" offers zsh 'chappie ask --thread n' 'chappie ask --thread new '

check_with bash "bash completes models" offers bash 'chappie ask -m ' gpt-a gpt-b fast 'my\ model'
check_with bash "bash completes the beginning of a model" offers bash 'chappie ask -m m' 'my\ model'
check_with fish "fish completes models" offers fish 'chappie chat -m ' gpt-a gpt-b fast 'my model'
check_with zsh "zsh completes models" offers zsh 'chappie ask --model f' 'chappie ask --model fast '
check_with bash "bash completes servers" offers bash 'chappie tools show ' git time
check_with fish "fish completes servers" offers fish 'chappie tools show ' git time
check_with zsh "zsh completes servers" offers zsh 'chappie tools show g' 'chappie tools show git '
check_with bash "bash completes policies" offers bash 'chappie tools policy git a' ask automatic
check_with fish "fish completes policies" offers fish 'chappie tools policy git a' ask automatic
check_with zsh "zsh completes policies" offers zsh 'chappie tools policy git d' 'chappie tools policy git deny '

check_with bash "bash completes templates" offers bash 'chappie ask -t ' review sum-up
check_with fish "fish completes templates" offers fish 'chappie ask -t ' review sum-up
check_with zsh "zsh completes templates" offers zsh 'chappie ask --template s' 'chappie ask --template sum-up '

# --- The help texts of the command

# verbs_of [VERB]: the verbs that may follow.
verbs_of() {
  "$build/chappie" "$@" --help </dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

# A verb of threads or tools is two words.
options_of() {
  # shellcheck disable=SC2086
  "$build/chappie" $1 --help </dev/null | sed -nE 's/^  (-., )? *(--[a-z0-9-]*).*/\2/p' | sort
}

# same FILE COMMAND [ARGUMENT…]: the command prints the lines of the file, in any order.
same() {
  expected=$1
  shift
  test -s "$expected" && "$@" | sort -u | diff "$expected" -
}

verbs_in_man() {
  sed -n '/^\.Sh DESCRIPTION/,/^\.Ss/s/^\.It Cm \([a-z-]*\)$/\1/p' "$share/man/man1/chappie.1"
}

threads_verbs_in_man() {
  sed -n '/^\.Ss Threads/,/^\.Ss Options/s/^\.It Cm threads //p' "$share/man/man1/chappie.1" | sed 's/ , /\n/'
}

options_in_man() {
  sed -n '/^\.Ss Options/,/^\.Ss JSON/p' "$share/man/man1/chappie.1" | grep '^\.It Fl' | grep -oE ' -[a-z0-9-]+' | sed 's/ /-/'
}

# The completions of a verb's options without their last letter.
options_in_zsh() {
  verb=$1
  set --
  while read -r option; do
    set -- "$@" "chappie $verb ${option%?}"
  done <"$scratch/options"
  complete_in_zsh "$@" | sed 's/.* \(--[a-z0-9-]*\).*/\1/'
}

if [ $real = yes ]; then
  verbs_of | sort >"$scratch/verbs"
  check "the man page has the verbs" same "$scratch/verbs" verbs_in_man
  verbs_of threads | sort >"$scratch/threads-verbs"
  check "the man page has the verbs of threads" same "$scratch/threads-verbs" threads_verbs_in_man
  check_with bash "bash has the verbs of threads" same "$scratch/threads-verbs" complete_in_bash 'chappie threads '
  check_with fish "fish has the verbs of threads" same "$scratch/threads-verbs" complete_in_fish 'chappie threads '
  verbs_of tools | sort >"$scratch/tools-verbs"
  check_with bash "bash has the verbs of tools" same "$scratch/tools-verbs" complete_in_bash 'chappie tools '
  check_with fish "fish has the verbs of tools" same "$scratch/tools-verbs" complete_in_fish 'chappie tools '
  for verb in threads tools; do sed "s/^/$verb /" "$scratch/$verb-verbs" >>"$scratch/verbs"; done
  echo --version >"$scratch/all-options"
  while read -r verb; do
    options_of "$verb" | tee "$scratch/options" >>"$scratch/all-options"
    check_with bash "bash has the options of $verb" same "$scratch/options" complete_in_bash "chappie $verb --"
    check_with fish "fish has the options of $verb" same "$scratch/options" complete_in_fish "chappie $verb --"
    check_with zsh "zsh has the options of $verb" same "$scratch/options" options_in_zsh "$verb"
  done <"$scratch/verbs"
  sort -u -o "$scratch/all-options" "$scratch/all-options"
  check "the man page has the options" same "$scratch/all-options" options_in_man
fi

# --- Uninstalling

check "the uninstallation succeeds" make uninstall DESTDIR="$package" PREFIX=/usr BUILDDIR="$build"
files_of "$package" >"$scratch/left"
check "the uninstallation removes the installed files alone" diff "$scratch/before" "$scratch/left"
check "the uninstallation removes its own directory" absent test -e "$share/doc/chappie"

# --- A tree to run from

tree=$scratch/tree
check "the installation into a prefix succeeds" make install PREFIX="$tree" BUILDDIR="$build"

verify_unit() {
  XDG_RUNTIME_DIR=$scratch silent systemd-analyze --user --man=no verify "$tree/lib/systemd/user/chappie.service"
}
check_with systemd-analyze "unit" verify_unit

# The bus starts the service by Exec=: it has no systemd activation and no other services.
activate() {
  mkdir "$scratch/home" "$scratch/run"
  chmod 700 "$scratch/run"
  cat >"$scratch/bus.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=$scratch/run</listen>
  <servicedir>$tree/share/dbus-1/services</servicedir>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
END
  env -u DISPLAY -u WAYLAND_DISPLAY -u DBUS_SESSION_BUS_ADDRESS \
    HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/run" XDG_CONFIG_HOME="$scratch/home" XDG_DATA_HOME="$scratch/home" \
    timeout 240 dbus-run-session --config-file="$scratch/bus.conf" -- \
    gdbus call --session --timeout 120 --dest org.chappie --object-path /org/chappie \
    --method org.freedesktop.DBus.Properties.Get org.chappie.Manager Version >"$scratch/reply" 2>&1
  cat "$scratch/reply"
  case $real in
    yes) grep -q 'uint32 1' "$scratch/reply" ;;
    no) test -e "$scratch/started" ;;
  esac
}
check_with dbus-run-session "the bus starts the service from the tree" activate

check "the uninstallation from the prefix succeeds" make uninstall PREFIX="$tree" BUILDDIR="$build"
check "nothing is left in the prefix" silent find "$tree" ! -type d -o -name '*chappie*'

if [ $failures -ne 0 ]; then
  echo "$failures checks failed"
  exit 1
fi
