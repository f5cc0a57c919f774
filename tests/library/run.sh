#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The library in programs that are not made for it (strangers.c), with a locale made for the test that
# writes 1,5 for 1.5.
#
#   tests/library/run.sh PROGRAM
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-library.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/locales" "$work/files"
is_complete=1
localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" || {
    echo "skip: localedef made no locale; install the package locales"
    is_complete=0
}
LOCPATH=$work/locales "$program" "$work/files" de_DE.UTF-8 2>&1 | tee "$work/seen"
((is_complete == 0)) || ! grep -q 'SKIPPED\] [1-9]' "$work/seen" # the locale is there
python3 "$here/../judge/judge_all.py" --at-least 2 "$work/files"
((is_complete)) || exit 77
