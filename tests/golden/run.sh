#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the golden cases: what the program prints and returns for a command line. README.md says how
# a case is made.
#
#   tests/golden/run.sh BIN_DIR DROPIN_DIR [--bless] [CASE...]
set -u
export LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1

TIME_LIMIT_S=300
EXIT_SKIPPED=77 # a case exits with this where the machine cannot run it, and says why on stderr

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    echo "usage: tests/golden/run.sh BIN_DIR DROPIN_DIR [--bless] [CASE...]" >&2
    exit 2
}

# ---- one case ---------------------------------------------------------------------------------

# Takes out what differs between machines and versions: paths and the version.
normalise() {
    sed -i "s|$data|DATA|g; s|$1|TMP|g; s|${version//./\\.}|VERSION|g" "${@:2}"
}

# run_cmd CASE ACTUAL: leaves stdout, stderr and exit in the folder ACTUAL, without those that are
# empty or 0. Returns the exit status.
run_cmd() {
    local dir=$work/$1/dir actual=$2 status=0
    mkdir -p "$dir" "$actual"
    (cd "$dir" && PATH=$case_path DATA=$data timeout -k 5 "$TIME_LIMIT_S" bash -u \
        "$here/cases/$1/cmd") >"$actual/stdout" 2>"$actual/stderr" </dev/null || status=$?
    normalise "$dir" "$actual/stdout" "$actual/stderr"
    ((status == 0)) || echo "$status" >"$actual/exit"
    find "$actual" -empty -delete
    return "$status"
}

# compare CASE ACTUAL: prints what differs; a missing file counts as empty.
compare() {
    local part same=0
    for part in stdout stderr exit; do
        [[ -e $here/cases/$1/$part || -e $2/$part ]] || continue
        diff -auN --label "expected $1/$part" --label "actual $1/$part" \
            "$here/cases/$1/$part" "$2/$part" || same=1
    done
    return "$same"
}

# name_crash CASE STATUS ACTUAL: says so where the program was killed by a signal: as the last
# command of the case (the status says it), or before (bash reports it on stderr).
name_crash() {
    local what
    if (($2 == 124 || $2 == 137)); then
        echo "HANG $1: stopped after $TIME_LIMIT_S s"
    elif (($2 > 128)); then
        echo "CRASH $1: ended by SIG$(kill -l "$(($2 - 128))")"
    elif what=$(grep -aoE 'cmd: line [0-9]+: +[0-9]+ (Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|Killed)' \
        "$3/stderr" 2>/dev/null); then
        echo "CRASH $1: ${what##*/}"
    fi
}

bless() {
    local case_dir=$here/cases/$1
    rm -f "$case_dir"/{stdout,stderr,exit}
    [[ ! -d $2 ]] || cp "$2"/* "$case_dir"
}

# judge_traces DIR: every trace that tacho wrote there is one that viewers read as it was meant. A
# case that damages one on purpose calls it cut*.
judge_traces() {
    [[ $(find "$1" -type f -print -quit) ]] || return 0
    PYTHONDONTWRITEBYTECODE=1 python3 "$here/../judge/judge_all.py" "$1" 2>&1 >/dev/null
}

run_case() {
    local actual=$work/$1/actual status=0
    run_cmd "$1" "$actual" || status=$?
    judge_traces "$work/$1/dir" || { echo "FAIL $1: judged"; ((failed += 1)); }
    if ((status == EXIT_SKIPPED)); then
        echo "skip $1: $(cat "$actual/stderr")"
        ((skipped += 1))
    elif compare "$1" "$actual"; then
        ((passed += 1))
    elif [[ $blessing ]]; then
        bless "$1" "$actual"
        echo "blessed $1"
        ((passed += 1))
    else
        name_crash "$1" "$status" "$actual"
        echo "FAIL $1"
        ((failed += 1))
    fi
    rm -rf "${work:?}/$1"
}

# ---- all of them ------------------------------------------------------------------------------

[[ $# -ge 2 && -x $1/tacho && -d $2 ]] || usage
case_path=$(cd "$2" && pwd):$(cd "$1" && pwd):$(cd "$here/../judge" && pwd):$PATH
version=$("$1/tacho" --version) || usage
version=${version%%$'\n'*} # the first line
version=${version#tacho }
shift 2

export TACHO_HOST_CPU=built-in # the same estimates on every computer
blessing='' names=()
for word in "$@"; do
    case $word in
        --bless) blessing=1 ;;
        -*) usage ;;
        *) names+=("${word%/}") ;;
    esac
done
((${#names[@]} > 0)) || mapfile -t names < <(ls "$here/cases")

# Long paths are shortened where they are printed, so the one of the data is always of one length.
work=$(mktemp -d /tmp/tacho-golden.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT
data=$work/data
ln -s "$here/../data" "$data" || exit 2
passed=0 failed=0 skipped=0
for name in "${names[@]}"; do
    [[ -f $here/cases/$name/cmd ]] || { echo "no case $name" >&2; exit 2; }
    run_case "$name"
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0)) || exit 1
((passed > 0)) || exit "$EXIT_SKIPPED"
