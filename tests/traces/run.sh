#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Converts generated profiles that are too large to be golden, and checks the traces with readers
# that share no code with the program: tests/judge, awk and protoc. Then hostile circumstances: cut
# traces, little memory, endless lines, a full disk.
#
#   tests/traces/run.sh BIN_DIR BENCH_DIR
set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

ROWS=20000
MANY_ROWS=1000000
GROWTH_ROWS=1100000
CUT_ROWS=3000
CUT_COUNT=40
MEMORY_BYTES=$((96 << 20))
LONG_LINE_BYTES=300000000

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
judge=$here/../judge/trace_judge.py
overview=$here/../../../shared/data/torq/overview

if (($# != 2)) || [[ ! -x $1/tacho || ! -x $2/gen_torq ]]; then
    echo "usage: tests/traces/run.sh BIN_DIR BENCH_DIR" >&2
    exit 2
fi
command -v jq >/dev/null || { echo "skip: jq is not installed"; exit 77; }
tacho=$(cd "$1" && pwd)/tacho
gen_torq=$(cd "$2" && pwd)/gen_torq
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-traces.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work # spools count as scratch, too
cd "$work" || exit 2
passed=0 failed=0 skipped=0

# check NAME COMMAND...: passes if the command is true; what it prints is shown if it is not.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        ((passed += 1))
    else
        echo "FAIL $name: $output"
        ((failed += 1))
    fi
}

skip() {
    echo "skip $1: $2"
    ((skipped += 1))
}

# What is left out for another reason than a missing package.
note() { echo "not checked: $1: $2"; }

# same A B WHAT: true if equal, else says so.
same() {
    [[ $1 == "$2" ]] || { echo "$3: expected $1, got $2"; return 1; }
}

# ---- content ----------------------------------------------------------------------------------

# expected_sum FORMAT CSV: the durations in ns by the rules of the format: 5/4 ns per cycle, times
# from the first event, both ends rounded down; microseconds for r0.
expected_sum() {
    local separator=,
    [[ $1 != r0 ]] || separator=';'
    awk -F "$separator" -v format="$1" '
    /^(taskId|id;)/ { next }
    format ~ /t[12]/ { start = $2; end = $3 }
    format == "t4" { start = $3; end = $3 + $2 }
    format == "r0" { sum += $3 * 1000; next }
    NR == FNR { if (zero == "" || start < zero) zero = start; next }
    { sum += int((end - zero) * 5 / 4) - int((start - zero) * 5 / 4) }
    END { printf "%.0f\n", format == "r0" ? sum / 2 : sum }' "$2" "$2"
}

field() { jq -c ".$1" "$2"; }

# convert FORMAT ORDER: leaves ORDER/FORMAT.{csv,pb,json,rows}.
convert() {
    local stem=$2/$1 shuffle=()
    [[ $2 == ordered ]] || shuffle=(--shuffle)
    mkdir -p "$2"
    "$gen_torq" "$1" "$ROWS" "${shuffle[@]}" >"$stem.csv" &&
        "$tacho" convert -q "$stem.csv" -o "$stem.pb" &&
        python3 "$judge" --summary --rows "$stem.pb" >"$stem.judged" &&
        head -n 1 "$stem.judged" >"$stem.json" &&
        tail -n +2 "$stem.judged" | sort >"$stem.rows"
}

# summary_holds FORMAT ORDER: nothing is lost, nothing is shown differently.
summary_holds() {
    local stem=$2/$1
    same '{}' "$(field problems "$stem.json")" problems &&
        same "$ROWS" "$(field slices "$stem.json")" slices &&
        same "$(expected_sum "$1" "$stem.csv")" "$(field sum_dur_ns "$stem.json")" "sum of ns"
}

rows_agree() { cmp "ordered/$1.rows" "shuffled/$1.rows"; }

protoc_agrees() {
    local packets
    packets=$(protoc --decode_raw <"ordered/$1.pb" | grep -c '^1 {') || return 1
    same "$packets" "$(field packets "ordered/$1.json")" packets
}

check_format() {
    local order
    for order in ordered shuffled; do
        check "$1 $order converts" convert "$1" "$order"
        check "$1 $order is complete" summary_holds "$1" "$order"
    done
    check "$1 is the same in any order" rows_agree "$1"
    if command -v protoc >/dev/null; then
        check "$1 is valid for protoc" protoc_agrees "$1"
    else
        skip "$1 with protoc" "protobuf-compiler is not installed"
    fi
}

# ---- cut traces -------------------------------------------------------------------------------

cut_opens() { # NAME SUMMARY
    [[ ${2%%$'\t'*} == "$1" ]] || { echo "no summary"; return 1; }
    same "$1"$'\t{}\ttrue' "$2" "summary"
}

# One judge reads all cuts, and one jq prints a line for each: its name, its problems, whether it has slices.
check_cuts() {
    local size half i cuts=() lines
    "$gen_torq" t4 "$CUT_ROWS" >whole.csv
    check "a trace to cut" "$tacho" convert whole.csv -o whole.pb
    size=$(stat -c %s whole.pb) half=$((size / 2))
    for ((i = 1; i <= CUT_COUNT; i++)); do
        cuts+=($((half + (size - half) * i / (CUT_COUNT + 1))))
        head -c "${cuts[-1]}" whole.pb >"${cuts[-1]}.cut"
    done
    python3 "$judge" --summary "${cuts[@]/%/.cut}" >cuts.json
    mapfile -t lines < <(jq -r '[.bytes, (.problems | del(.truncated_packet, .missing_end) | tojson), .slices > 0]
        | @tsv' cuts.json)
    for i in "${!cuts[@]}"; do
        check "cut at byte ${cuts[i]} of $size" cut_opens "${cuts[i]}" "${lines[i]-}"
    done
    rm -f ./*.cut
}

# ---- little memory ----------------------------------------------------------------------------

# RLIMIT_DATA covers all private memory. A sanitizer's own needs are far beyond it.
limited() { prlimit --data="$MEMORY_BYTES" "$tacho" "$@"; }

many_rows_fit() {
    limited convert many.csv -o many.pb 2>many.err || { cat many.err; return 1; }
    grep -q "$MANY_ROWS events" many.err || { cat many.err; return 1; }
}

# Sorting that many takes a temporary file.
spool_folder_missed() {
    local status=0
    TMPDIR=/nowhere "$tacho" convert many.csv -o many.pb >many.err 2>&1 || status=$?
    same "1, many.csv many.err" "$status, $(echo many.*)" "exit status, files" || return 1
    grep -q '/nowhere.*TMPDIR' many.err || { cat many.err; return 1; }
}

# peak ARGUMENTS...: the most memory that tacho had with them, in KiB. On one processor: what threads
# have read ahead is bounded, but not the same twice.
peak() {
    python3 - "$tacho" "$@" <<'END'
import os, sys
child = os.fork()
if child == 0:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
END
}

# memory_stays FEW MANY ARGUMENTS...: GROWTH_ROWS more spans take no more memory. Four bytes for each would
# exceed the limit.
memory_stays() {
    local few many
    few=$(peak "${@:3}" "$1") && many=$(peak "${@:3}" "$2") || return 1
    ((many < few + 4 * GROWTH_ROWS / 1024)) || { echo "$few KiB, and $many KiB for more spans"; return 1; }
}

# Some tables of 'ops' and 'report' only fill up between GROWTH_ROWS and twice as many.
check_growth() {
    local verb
    "$gen_torq" t1 "$GROWTH_ROWS" >one.csv
    "$gen_torq" t1 $((2 * GROWTH_ROWS)) >two.csv
    "$gen_torq" t1 $((3 * GROWTH_ROWS)) >three.csv
    for verb in info overview "convert -o grown.pb" "convert -o grown.json"; do
        # shellcheck disable=SC2086 # words
        check "memory of $verb" memory_stays one.csv two.csv $verb -q
    done
    for verb in ops "report -o grown.html"; do
        # shellcheck disable=SC2086 # words
        check "memory of $verb" memory_stays two.csv three.csv $verb -q
    done
    rm -f one.csv two.csv three.csv grown.*
}

# long_line_refused PREFIX WORDS: one endless line that starts with PREFIX.
long_line_refused() {
    local status=0
    { printf '%s' "$1"; head -c "$LONG_LINE_BYTES" /dev/zero | tr '\0' x; } 2>/dev/null |
        limited convert --from torq-timeline - -o long.pb >long.out 2>&1 || status=$?
    same "1, no file" "$status, $(ls long.pb 2>/dev/null || echo no file)" "exit status" || return 1
    grep -q "^tacho: error: standard input:1: .*$2" long.out || { cat long.out; return 1; }
}

check_memory() {
    if ! limited --version >/dev/null 2>&1; then
        note memory "this build does not start in $MEMORY_BYTES bytes (sanitizers?)"
        return
    fi
    "$gen_torq" t1 "$MANY_ROWS" --shuffle >many.csv
    check "no folder for temporary files" spool_folder_missed
    check "$MANY_ROWS shuffled rows in $MEMORY_BYTES bytes" many_rows_fit
    check "an endless line of no format" long_line_refused '' 'longer than'
    check "an endless line of a timeline" long_line_refused 'DI0,0,9408,loc("a",' 'longer than'
    rm -f many.csv many.pb
    check_growth
}

# ---- full disk --------------------------------------------------------------------------------

# Two conversions that need more than there is room for in small/: to a new file and over an old
# one. Prints what happened.
convert_to_small() {
    local new=0 old=0
    echo before | tee small/old.pb >small.before
    "$tacho" convert ordered/t1.csv -o small/new.pb || new=$?
    "$tacho" convert ordered/t1.csv -o small/old.pb --force || old=$?
    cmp small/old.pb small.before && echo "exits $new $old, left: $(ls -A small)"
}

# A folder of 1 MiB. The mount is seen by these processes only and goes with them.
on_small_disk() {
    export -f convert_to_small
    export tacho
    # shellcheck disable=SC2016 # $1 is the inner shell's
    unshare -rm bash -c 'mount -t tmpfs -o size=1m tmpfs small && "$1"' - "$1"
}

# A limit on file size instead, with its signal turned off.
with_small_files() { (trap '' XFSZ && ulimit -f 500 && "$1"); }

no_space_refused() { # HOW ERROR
    "$1" convert_to_small >small.out 2>&1
    if grep -qx 'exits 1 1, left: old.pb' small.out; then
        same 2 "$(grep -c "cannot write: $2" small.out)" "errors that say $2"
    else
        cat small.out
        return 1
    fi
}

check_full_disk() {
    mkdir -p small
    if on_small_disk true 2>/dev/null; then
        check "a full disk" no_space_refused on_small_disk 'No space left on device'
    else
        note "a full disk" "no right to mount; a limit on file size stands in"
        check "a limit on file size" no_space_refused with_small_files 'File too large'
    fi
}

# ---- real files -------------------------------------------------------------------------------

overview_file_holds() {
    "$tacho" convert "$1" -o overview.pb && python3 "$judge" --summary overview.pb >overview.json &&
        same '{}' "$(field problems overview.json)" problems &&
        same "$(wc -l <"$1")" "$(field slices overview.json)" slices &&
        same "$(expected_sum t2 "$1")" "$(field sum_dur_ns overview.json)" "sum of ns"
}

check_overview() {
    local file
    if ! compgen -G "$overview/*.csv" >/dev/null; then
        note overview "no ../shared/data/torq/overview"
        return
    fi
    for file in "$overview"/*.csv; do
        check "overview/${file##*/}" overview_file_holds "$file"
    done
}

for format in t1 t2 t4 r0; do
    check_format "$format"
done
check_cuts
check_memory
check_full_disk
check_overview
echo "traces: $passed passed, $failed failed, $skipped skipped"
((failed == 0)) || exit 1
((skipped == 0)) || exit 77
