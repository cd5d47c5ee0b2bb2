#!/bin/bash
# Asks what changed in Debian this week. The model searches debian.org alone; the sources are listed at the end.
set -o pipefail

chappie status >/dev/null
case $? in
  0) ;;
  3) echo "Sign in first: chappie sign-in" >&2 && exit 1 ;;
  *) exit 1 ;;
esac

chappie ask --search-domain=debian.org "${*:-What changed in Debian this week?}" || exit 1
