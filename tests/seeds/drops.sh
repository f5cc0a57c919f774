#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves that the checks of seed 004 look at what its lines show. Each line runs once as it is, then
# once without each of its flags: wrappers of qaic-compile, qaic-runner and qaic-opstats leave one out.
# A line that passes without a flag does not check it, and fails here.
#
#   tests/seeds/drops.sh BIN_DIR DROPIN_DIR [ID...]
set -u

TOOLS='qaic-compile qaic-runner qaic-opstats'

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
JUDGE=$here/../judge/trace_judge.py
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$here/checks.sh"
# shellcheck source-path=SCRIPTDIR source=records.sh
. "$here/records.sh"
# shellcheck source-path=SCRIPTDIR source=line.sh
. "$here/line.sh"

fail() {
    echo "FAIL $*"
    ((failed += 1))
}

# try_line ID: in a copy of what the line needs. True if it runs and its checks hold.
try_line() {
    rm -rf "$work/try" "$DROP_FILE"
    cp -a "$work/base" "$work/try"
    (cd "$work/try" && LINE_PATH=$work/tools:$LINE_PATH && run_prepared "$1" && run_checks "$1") \
        >"$work/reason"
}

drop_flags() {
    local id=$1
    local -A RAN=()
    rm -rf "$work/base"
    mkdir "$work/base"
    if ! (cd "$work/base" && prepare_line "$id") >"$work/reason"; then
        fail "$id cannot be prepared: $(<"$work/reason")"
        return
    fi
    export DROP_NUMBER=-2
    try_line "$id" || { fail "$id as it is: $(<"$work/reason")"; return; }
    for ((DROP_NUMBER = 0; ; DROP_NUMBER++)); do
        if try_line "$id"; then
            [[ -e $DROP_FILE ]] || break
            fail "$id passes without $(<"$DROP_FILE")"
        elif [[ ! -e $DROP_FILE ]]; then
            fail "$id fails with all of its flags: $(<"$work/reason")"
            break
        fi
        ((dropped += 1))
    done
}

main() {
    local id tool
    FIXTURES=$(bash -c '. "$0"; compgen -A function' "$here/fixtures.sh" | paste -s -d ' ')
    load_file "$here/lines/004.seed" || fail "no records"
    mkdir "$work/tools"
    for tool in $TOOLS; do
        printf '#!/bin/sh\nexec bash "%s" %s "$@"\n' "$here/drop_flag.sh" "$tool" \
            >"$work/tools/$tool"
        chmod +x "$work/tools/$tool"
    done
    for id in ${RECORDS[@]+"${RECORDS[@]}"}; do
        [[ $(field "$id" state) == pass && $(field "$id" run) == *qaic-* ]] || continue
        [[ -z $wanted || " $wanted " == *" $id "* ]] || continue
        ((lines += 1))
        drop_flags "$id"
    done
    echo "drops: $lines lines, $dropped flags left out, $failed failed"
    ((failed == 0 && dropped > lines))
}

if (($# < 2)) || [[ ! -d $1 || ! -d $2 ]]; then
    echo "usage: tests/seeds/drops.sh BIN_DIR DROPIN_DIR [ID...]" >&2
    exit 2
fi
DROP_TOOLS=$(cd "$2" && pwd)
LINE_PATH=$here/shims:$DROP_TOOLS:$(cd "$1" && pwd):$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-drops.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
LOG=$work/log
DROP_FILE=$work/dropped
export DROP_TOOLS DROP_FILE
wanted=${*:3}
lines=0 dropped=0 failed=0
main
