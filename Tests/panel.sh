#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the modules of desktop/panel in waybar and in sway's own bar, in a headless sway: each must show the service's
# state, and end with its panel. With PANEL_PICTURE=FILE it takes a screenshot of both.
#
#   Tests/panel.sh DIRECTORY-WITH-THE-PROGRAMS

set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(realpath "${1:?the directory with the programs}")
for tool in sway waybar swaybar grim; do
  command -v $tool >/dev/null || { echo "skip  the modules for panels: there is no $tool"; exit 0; }
done
if [ -z "${CHAPPIE_WORLD:-}" ]; then
  as=()
  if [ "$(id -u)" = 0 ]; then
    # sway refuses to run as root.
    as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    "${as[@]}" test -x "$programs/chappie" -a -x "$PWD/scripts/private-session" ||
      { echo "skip  the modules for panels: only root can read this directory"; exit 0; }
  fi
  exec "${as[@]}" scripts/private-session "$0" "$programs"
fi
PATH=$programs:$PATH
cd "$CHAPPIE_WORLD"
panel=$OLDPWD/desktop/panel

# holds WHAT COMMAND…: the command must succeed within two minutes.
holds() {
  local what=$1
  shift
  for _ in $(seq 1200); do
    "$@" >/dev/null 2>&1 && echo "ok    $what" && return
    sleep 0.1
  done
  echo "FAIL  $what"
  tail -n 5 sway.log waybar.log
  exit 1
}

# --- A service with a sign-in

chappie-sandbox --auto-approve --interval 1 >sandbox.log &
holds "the stand-in runs" grep -q backend sandbox.log
chappied --issuer "$(awk 'NR == 1 { print $2 }' sandbox.log)" --backend "$(awk 'NR == 2 { print $2 }' sandbox.log)" \
  2>service.log &
gdbus wait --session --timeout 120 org.chappie
chappie sign-in </dev/null >/dev/null

# --- The panels

sed '/^\/\//d' "$panel/waybar.jsonc" |
  jq '. + { "layer": "top", "modules-right": ["custom/chappie", "custom/chappie-usage"] }' >waybar.json
cat "$panel/bar.conf" - >sway.conf <<END
output HEADLESS-1 resolution 600x120 bg #203040 solid_color
exec waybar -c $PWD/waybar.json -s $panel/waybar.css >$PWD/waybar.log 2>&1
END
WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman sway -c sway.conf >sway.log 2>&1 &
sway=$!

followers() {
  pgrep -u "$(id -u)" -f '^chappie (monitor|usage) --' | wc -l
}
all_follow() {
  [ "$(followers)" = 3 ]
}
holds "two modules of waybar and the bar of sway follow" all_follow

# A panel is redrawn some time after the output of its module.
picture() {
  WAYLAND_DISPLAY=$(basename "$(find "$XDG_RUNTIME_DIR" -name 'wayland-*' ! -name '*.lock' | head -n 1)") grim "$1"
}
settled() {
  picture now.png && cp now.png again.png && sleep 0.3 && picture again.png && cmp -s now.png again.png
}
changed() {
  settled && ! cmp -s now.png last.png
}
shows() {
  holds "$1" changed
  cp now.png last.png
}
: >last.png
shows "the panels show the sign-in and the usage"
[ -z "${PANEL_PICTURE:-}" ] || cp last.png "$PANEL_PICTURE"
chappie sign-out >/dev/null
shows "a sign-out is shown"
if grep -qiE 'markup|parse|error' waybar.log; then
  echo "FAIL  waybar takes the lines"
  cat waybar.log
  exit 1
fi
echo "ok    waybar takes the lines"

# --- The end

kill $sway
none_follow() {
  [ "$(followers)" = 0 ]
}
holds "the modules end with their panels" none_follow
kill %1 %2
wait
