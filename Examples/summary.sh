#!/bin/bash
# Summarises a document: summary.sh FILE [QUESTION]. A model that takes no files gets the text and pictures of the pages.
set -o pipefail

chappie status >/dev/null
case $? in
  0) ;;
  3) echo "Sign in first: chappie sign-in" >&2 && exit 1 ;;
  *) exit 1 ;;
esac

chappie ask -f "${1:?Usage: summary.sh FILE [QUESTION]}" "${2:-Summarise this in five sentences.}" || exit 1
