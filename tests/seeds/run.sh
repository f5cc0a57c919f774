#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the command lines of the five seed documents as they are printed (lines/*.seed) against this
# build. README.md describes the records and the output.
#
#   tests/seeds/run.sh BIN_DIR DROPIN_DIR
set -u

DOCUMENTS='000 001 002 003 004'
TIME_LIMIT_S=120
# Where the documents' machines keep the tools. Ours are on PATH.
TOOL_DIRS='/opt/qti-aic/exec|/buildsrc/iree-build/third_party/iree/tools'

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
JUDGE=$here/../judge/trace_judge.py
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$here/checks.sh"
# shellcheck source-path=SCRIPTDIR source=records.sh
. "$here/records.sh"

# ---- one line ---------------------------------------------------------------------------------

# command_of ID: the text to run. Placeholders are filled in, and the folder of a known tool is
# taken off a command word (first on its line, or after sudo), never off an argument.
command_of() {
    local text pair
    text=$(field "$1" run)
    while IFS= read -r pair; do
        [[ -z $pair ]] || text=${text//"${pair%% => *}"/"${pair#* => }"}
    done <<<"$(field "$1" with)"
    sed -E "s#^(sudo +)?($TOOL_DIRS)/#\1#" <<<"$text"
}

# Fixtures run in a shell of their own, where the first failure ends them and no name of this
# script is in reach.
make_fixtures() {
    REPOSITORY=$here/../.. bash -euc '. "$0"; for fixture; do "$fixture"; done' \
        "$here/fixtures.sh" "$@"
}

# run_line ID: builds what the line needs in the current folder and runs it; its output is in LOG.
# False, and prints the reason, if that fails. RAN keeps a line that two others build on from
# running twice.
run_line() {
    local id=$1 earlier status=0
    local -a shell=(bash -ec)
    [[ ! -v RAN[$id] ]] || return 0
    for earlier in $(field "$id" after); do
        run_line "$earlier" || { echo "(in $earlier)"; return 1; }
    done
    # shellcheck disable=SC2046  # a list of names
    make_fixtures $(field "$id" setup) >"$LOG" 2>&1 || { echo "a fixture failed"; return 1; }
    [[ $(field "$id" by) != python3 ]] || shell=(python3 -c)
    PATH=$LINE_PATH timeout -k 5 "$TIME_LIMIT_S" "${shell[@]}" "$(command_of "$id")" \
        >"$LOG" 2>&1 </dev/null || status=$?
    case $status in
        0) RAN[$id]=1 ;;
        124 | 137) echo "not done after $TIME_LIMIT_S s"; return 1 ;;
        *) echo "exit status $status"; return 1 ;;
    esac
}

run_checks() {
    local check
    while IFS= read -r check; do
        run_check "$check" "$LOG" || return 1
    done <<<"$(field "$1" check)"
}

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

report_record() {
    case $(field "$1" state) in
        pass) run_record "$1" ;;
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
    echo "seeds: $passed passed, $failed failed, $waiting waiting, $outside outside"
    ((failed == 0))
}

if (($# != 2)) || [[ ! -d $1 || ! -d $2 ]]; then
    echo "usage: tests/seeds/run.sh BIN_DIR DROPIN_DIR" >&2
    exit 2
fi
LINE_PATH=$here/shims:$(cd "$2" && pwd):$(cd "$1" && pwd):$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-seeds.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
LOG=$work/log
passed=0 failed=0 waiting=0 outside=0
main
