#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the command lines of the five seed documents as they are printed (lines/*.seed) against this
# build. README.md describes the records and the output.
#
#   tests/seeds/run.sh BIN_DIR DROPIN_DIR
set -u

DOCUMENTS='000 001 002 003 004'

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
JUDGE=$here/../judge/trace_judge.py
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$here/checks.sh"
# shellcheck source-path=SCRIPTDIR source=records.sh
. "$here/records.sh"
# shellcheck source-path=SCRIPTDIR source=line.sh
. "$here/line.sh"

# ---- all of them ------------------------------------------------------------------------------

# A report is one line: of a long output the end is shown, where errors are, without control bytes.
last_output() {
    grep -a '[^[:space:]]' "$LOG" | tail -n 3 | tr -d '\000-\010\013-\037\177' |
        paste -s -d '|' | sed 's/|/ | /g'
}

fail() {
    echo "FAIL $*"
    ((failed += 1))
}

run_record() {
    local id=$1 reason shown
    local -A RAN=()
    : >"$LOG"
    mkdir "$work/$id"
    if reason=$(cd "$work/$id" && run_line "$id" && run_checks "$id"); then
        echo "pass $id"
        ((passed += 1))
    else
        shown=$(last_output)
        fail "$id ${reason//$'\n'/ }${shown:+; last output: $shown}"
    fi
    rm -rf "${work:?}/$id"
}

has_numpy() {
    local python3
    while read -r python3; do
        ! "$python3" -c 'import numpy' 2>/dev/null || return 0
    done < <(type -aP python3)
    return 1
}

# missing_package ID: prints the package that the line needs and this computer lacks, if any.
missing_package() {
    [[ $(field "$1" needs) != *numpy* ]] || has_numpy || echo python3-numpy
    [[ $(field "$1" run) != *pytest* ]] || command -v pytest >/dev/null || echo python3-pytest
    [[ $(field "$1" setup) != *board* || -x /usr/sbin/sshd ]] || echo openssh-server
}

report_record() {
    local package
    case $(field "$1" state) in
        pass)
            package=$(missing_package "$1" | head -n 1)
            [[ -z $package ]] || { echo "skip $1: $package is not installed"; ((skipped += 1)); return; }
            run_record "$1"
            ;;
        waiting) echo "waiting $1 (needs $(field "$1" needs))"; ((waiting += 1)) ;;
        outside) echo "outside $1 ($(field "$1" why))"; ((outside += 1)) ;;
    esac
}

main() {
    local document id malformed
    FIXTURES=$(bash -c '. "$0"; compgen -A function' "$here/fixtures.sh" | paste -s -d ' ')
    for document in $DOCUMENTS; do
        load_file "$here/lines/$document.seed" || fail "$document no records"
    done
    for malformed in ${MALFORMED[@]+"${MALFORMED[@]}"}; do
        fail "${malformed%% *} malformed: ${malformed#* }"
    done
    for id in ${RECORDS[@]+"${RECORDS[@]}"}; do
        report_record "$id"
    done
    echo "seeds: $passed passed, $failed failed, $skipped skipped, $waiting waiting, $outside outside"
    ((failed == 0)) || return 1
    ((skipped == 0)) || return 77
}

if (($# != 2)) || [[ ! -d $1 || ! -d $2 ]]; then
    echo "usage: tests/seeds/run.sh BIN_DIR DROPIN_DIR" >&2
    exit 2
fi
LINE_PATH=$here/shims:$(cd "$2" && pwd):$(cd "$1" && pwd):$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-seeds.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
LOG=$work/log
passed=0 failed=0 skipped=0 waiting=0 outside=0
main
