# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs one record: what it needs, the line itself, its checks. Whoever sources this has sourced
# records.sh and checks.sh, and has set $here, LINE_PATH, LOG and RAN.

TIME_LIMIT_S=120
# Where the documents' machines keep the tools. Ours are on PATH.
TOOL_DIRS='/opt/qti-aic/exec|/buildsrc/iree-build/third_party/iree/tools'

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
    PATH=$LINE_PATH REPOSITORY=$here/../.. bash -euc '. "$0"; for fixture; do "$fixture"; done' \
        "$here/fixtures.sh" "$@"
}

# prepare_line ID: builds what the line needs in the current folder. False, and prints the reason, if
# that fails. RAN keeps a line that two others build on from running twice.
prepare_line() {
    local id=$1 earlier
    for earlier in $(field "$id" after); do
        run_line "$earlier" || { echo "(in $earlier)"; return 1; }
    done
    # shellcheck disable=SC2046  # a list of names
    make_fixtures $(field "$id" setup) >"$LOG" 2>&1 || { echo "a fixture failed"; return 1; }
}

# run_prepared ID: runs the line; its output is in LOG.
run_prepared() {
    local id=$1 status=0
    local -a shell=(bash -ec)
    [[ $(field "$id" by) != python3 ]] || shell=(python3 -c)
    PATH=$LINE_PATH timeout -k 5 "$TIME_LIMIT_S" "${shell[@]}" "$(command_of "$id")" \
        >"$LOG" 2>&1 </dev/null || status=$?
    case $status in
        0) RAN[$id]=1 ;;
        124 | 137) echo "not done after $TIME_LIMIT_S s"; return 1 ;;
        *) echo "exit status $status"; return 1 ;;
    esac
}

run_line() {
    [[ ! -v RAN[$1] ]] || return 0
    prepare_line "$1" && run_prepared "$1"
}

run_checks() {
    local check
    while IFS= read -r check; do
        run_check "$check" "$LOG" || return 1
    done <<<"$(field "$1" check)"
}
