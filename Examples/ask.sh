#!/bin/bash
# Asks the model, and handles each line of the answer as it arrives. A shell cannot take the socket of OpenTurn, which
# ends with its caller: "chappie ask" is the caller here, and holds the socket.
set -o pipefail

chappie status >/dev/null
case $? in
  0) ;;
  3) echo "Sign in first: chappie sign-in" >&2 && exit 1 ;;
  *) exit 1 ;;
esac

chappie ask "$*" | while IFS= read -r line || [[ -n $line ]]; do
  printf '%s\n' "$line"
done || exit 1
