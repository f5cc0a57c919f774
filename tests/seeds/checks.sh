# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What a line must leave behind. A check runs in the line's folder and is silent if it holds; if not
# it prints the reason and is false. FILE may be a pattern: then one file at least must match, and
# all that match must hold.

# The forms that a record may use; records.sh refuses others before anything runs.
# shellcheck disable=SC2034
CHECK_FORM='^(trace [^ ]+( processes=[0-9]+)?|nonempty [^ ]+( count=[0-9]+)?|exists [^ ]+|absent [^ ]+|(contains|lacks) [^ ]+ .+|stats [^ ]+( [a-z_]+=[^ ]*)+|ops_report [^ ]+( [a-z]+=[0-9]+)*|says .+)$'

# run_check CHECK LOG: LOG holds what the line printed.
run_check() {
    local verb file rest
    read -r verb file rest <<<"$1"
    case $verb in
        trace) each_file "$file" trace_holds "${rest#processes=}" ;;
        nonempty) each_file "$file" nonempty_holds && count_holds "$file" "${rest#count=}" ;;
        exists) each_file "$file" true ;;
        absent) absent_holds "$file" ;;
        contains) each_file "$file" contains_holds "$rest" ;;
        lacks) each_file "$file" lacks_holds "$rest" ;;
        stats) each_file "$file" stats_holds "$rest" ;;
        ops_report) each_file "$file" ops_report_holds "$rest" ;;
        says) says_holds "${1#says }" "$2" ;;
    esac
}

# each_file PATTERN FUNCTION ARGUMENT...: calls FUNCTION FILE ARGUMENT... for each match.
each_file() {
    local pattern=$1 function=$2 found file
    shift 2
    found=$(compgen -G "$pattern") || { echo "no file $pattern"; return 1; }
    while IFS= read -r file; do
        "$function" "$file" "$@" || return 1
    done <<<"$found"
}

nonempty_holds() {
    [[ -f $1 && -s $1 ]] || { echo "$1 is empty or no file"; return 1; }
}

count_holds() {
    [[ -n $2 ]] || return 0
    local count
    count=$(compgen -G "$1" | wc -l)
    ((count == $2)) || { echo "$count files match $1, not $2"; return 1; }
}

contains_holds() {
    grep -qF -- "$2" "$1" || { echo "$1 does not contain '$2'"; return 1; }
}

lacks_holds() {
    ! grep -qF -- "$2" "$1" || { echo "$1 contains '$2'"; return 1; }
}

absent_holds() {
    ! compgen -G "$1" >/dev/null || { echo "there is $(compgen -G "$1" | head -n 1)"; return 1; }
}

# stats_holds PROGRAM KEY=VALUE...: what tacho info says that the program records; an empty value:
# nothing of that.
stats_holds() {
    PATH=$LINE_PATH tacho info "$1" --format json | python3 -c '
import json
import sys

rows = [row for row in map(json.loads, sys.stdin) if row["table"] == "stats"]
for pair in sys.argv[1].split():
    key, _, wanted = pair.partition("=")
    found = {str(row[key]).replace(" ", ",") if row[key] is not None else "" for row in rows}
    if found != {wanted}:
        sys.exit(f"{key} is {found or None}, not {wanted!r}")' "$2" 2>"$LOG.stats" ||
        { echo "$1: $(tail -n 1 "$LOG.stats")"; return 1; }
}

# ops_report_holds FILE KEY=VALUE...: a table of operators as tt_profile writes it (tests/capture).
ops_report_holds() {
    # shellcheck disable=SC2086  # a list of words
    python3 "$here/../capture/ops_report.py" "$1" $2 >"$LOG.report" ||
        { echo "$1: $(head -n 1 "$LOG.report")"; return 1; }
}

says_holds() {
    grep -qF -- "$1" "$2" || { echo "does not print '$1'"; return 1; }
}

# ---- traces -----------------------------------------------------------------------------------

# trace_holds FILE PROCESSES: the independent reader of tests/judge finds no problem and at least
# one slice, and (if PROCESSES is not empty) slices under that many processes.
trace_holds() {
    local file=$1 processes=$2 output slices count
    output=$(python3 "$JUDGE" --check "$file" 2>&1) ||
        { echo "trace_judge --check $file: ${output##*$'\n'}"; return 1; }
    slices=$(python3 "$JUDGE" --summary "$file" | slice_count) ||
        { echo "no summary of $file"; return 1; }
    ((slices > 0)) || { echo "no slice in $file"; return 1; }
    [[ -n $processes ]] || return 0
    count=$(python3 "$JUDGE" --rows "$file" | process_count)
    ((count == processes)) || { echo "$count processes in $file, not $processes"; return 1; }
}

slice_count() {
    python3 -c 'import json, sys; print(int(json.load(sys.stdin)["slices"]))' 2>/dev/null
}

# A row's fourth column is the path of its track; the first part of it is the process.
process_count() {
    cut -f 4 | sed 's# / .*##' | sort -u | wc -l
}
