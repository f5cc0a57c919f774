#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Opens pages of `tacho report` in a headless Chromium and uses them. Skipped, with a word, where
# there is no Chromium.
#
#   tests/report/run.sh BIN_DIR BENCH_DIR TESTS_DIR [PART...]
#
# Parts, all by default: use (what a person does with pages), large (pages of a million spans and more).
set -eu
export PYTHONDONTWRITEBYTECODE=1

if (($# < 3)) || [[ ! -x $1/tacho || ! -x $2/gen_torq || ! -x $3/report_fixture ]]; then
    echo "usage: tests/report/run.sh BIN_DIR BENCH_DIR TESTS_DIR [PART...]" >&2
    exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! (cd "$here" && python3 -c 'import browser, sys; sys.exit(browser.find() is None)'); then
    echo "skip report: no Chromium here (Debian package chromium)"
    exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-report.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 "$here/check.py" "$1/tacho" "$2/gen_torq" "$3/report_fixture" \
    "$here/../../tools/example_profiles.py" "$work" "${@:4}"
