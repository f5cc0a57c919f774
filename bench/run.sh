#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures `tacho convert` on synthetic Torq profiles against the bars of the design: Torq CSV to
# Perfetto (speed, memory, spooled input, output size). Floors (wc, mawk, cat) are taken on the same
# files in the same run, so that a number can be read on any machine. A missed bar is reported and
# is no failure; a command that fails is. MB is 10^6 bytes; times are the best of the repeats.
set -eu
export LC_ALL=C

usage() {
    cat <<'USAGE'
usage: bench/run.sh [BUILD_BIN_DIR] [--quick] [--dir SCRATCH] [--save FILE] [--repeat N]
                    [--bench-dir DIR] [--formats "t1 t4 r0"]
  BUILD_BIN_DIR   where tacho is (default: build/bin beside bench/); or set TACHO
  --quick         100 k and 1 M rows instead of 1 M and 10 M
  --dir SCRATCH   keep the inputs there and use them again (default: a temporary folder, removed)
  --save FILE     write the tables as Markdown, too
  --repeat N      runs of each command (default 3)
  --bench-dir DIR where gen_torq and measure are (default: BUILD_BIN_DIR/../bench)
  --formats LIST  which of t1 t2 t4 r0 (default "t1 t4 r0")
USAGE
}

die() {
    echo "bench/run.sh: $1" >&2
    exit "${2:-1}"
}

# ---- command line ----------------------------------------------------------------------------

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin_dir="" bench_dir="" keep_dir="" save="" quick="" repeat=3 formats="t1 t4 r0"
while (($# > 0)); do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --quick) quick=1 ;;
    --dir | --save | --repeat | --bench-dir | --formats)
        (($# > 1)) || die "$1 needs a value" 2
        case $1 in
        --dir) keep_dir=$2 ;;
        --save) save=$2 ;;
        --repeat) repeat=$2 ;;
        --bench-dir) bench_dir=$2 ;;
        --formats) formats=$2 ;;
        esac
        shift
        ;;
    -*) usage >&2 && exit 2 ;;
    *)
        [[ -z $bin_dir ]] || die "one BUILD_BIN_DIR only, got $bin_dir and $1" 2
        bin_dir=$1
        ;;
    esac
    shift
done
[[ $repeat =~ ^[1-9][0-9]*$ ]] || die "--repeat needs a positive number, got $repeat" 2

bin_dir=${bin_dir:-$here/../build/bin}
bench_dir=${bench_dir:-$bin_dir/../bench}
tacho=${TACHO:-$bin_dir/tacho}
gen_torq=${GEN_TORQ:-$bench_dir/gen_torq}
measure=${MEASURE:-$bench_dir/measure}
for program in "$tacho" "$gen_torq" "$measure"; do
    [[ -x $program ]] || die "no program $program: build it first, or name its folder" 2
done

if [[ $quick ]]; then
    sizes="100000 1000000" need_mb=1000
else
    sizes="1000000 10000000" need_mb=8000
fi
small_rows=${sizes% *} large_rows=${sizes#* }

# ---- scratch folder --------------------------------------------------------------------------

# Outputs, spools and results of this run live in $work and go with it; inputs stay with --dir.
if [[ $keep_dir ]]; then
    mkdir -p "$keep_dir"
    work=$(mktemp -d "$keep_dir/run.XXXXXX")
    input_dir=$keep_dir
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-bench.XXXXXX")
    input_dir=$work
fi
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

have_mb=$(($(df -Pk "$work" | awk 'NR == 2 { print $4 }') / 1000))
kept_mb=$(find "$input_dir" -maxdepth 1 -name '[tr][0-4]-*-*.csv' -printf '%s\n' |
    awk '{ sum += $1 } END { printf "%.0f", sum / 1e6 }')
((have_mb + kept_mb >= need_mb)) ||
    die "needs about $need_mb MB in $input_dir, $have_mb MB are free; use --quick or --dir"

export TMPDIR=$work # a spool counts as scratch, too
results=$work/results.tsv floors=$work/floors.tsv
: >"$results"
: >"$floors"
failures=0

# ---- measuring -------------------------------------------------------------------------------

# input_make FORMAT ROWS ORDER: sets $input. A file older than its generator is made again.
input_make() {
    local shuffle=()
    [[ $3 == ordered ]] || shuffle=(--shuffle)
    input=$input_dir/$1-$2-$3.csv
    if [[ ! -s $input || $gen_torq -nt $input ]]; then
        "$gen_torq" "$1" "$2" "${shuffle[@]}" >"$work/new.csv"
        mv "$work/new.csv" "$input"
    fi
    input_bytes=$(stat -c %s "$input")
}

# cost_of CMD...: sets $cost to measure's line without the label. Counts a failure, goes on.
cost_of() {
    cost=$("$measure" --label x --input-bytes "$input_bytes" --repeat "$repeat" -- "$@") || {
        failures=$((failures + 1))
        echo "bench/run.sh: FAILED (status ${cost##*$'\t'}): $*" >&2
    }
    cost=${cost#x$'\t'}
}

floor_measure() { # CASE NAME CMD...
    local case=$1 name=$2
    shift 2
    cost_of "$@"
    printf '%s\t%s\t%s\t%s\n' "$case" "$name" "$input_bytes" "$cost" >>"$floors"
}

# Counting lines is what any reader must beat or bear; splitting fields is closer to its work.
floors_measure() { # CASE
    local separator=,
    [[ $1 != r0* ]] || separator=";"
    floor_measure "$1" cat cat "$input"
    floor_measure "$1" "wc -l" wc -l "$input"
    if command -v mawk >/dev/null; then
        floor_measure "$1" mawk mawk 'END{print NR}' "$input"
        # shellcheck disable=SC2016 # $2 is mawk's
        floor_measure "$1" "mawk split" mawk -F "$separator" '{n+=$2}END{print n}' "$input"
    fi
}

convert_measure() { # CASE ARGS
    local out=$work/out.pb out_bytes=0
    rm -f "$out"
    cost_of "$tacho" convert "$input" -o "$out" -q --args "$2"
    [[ ! -e $out ]] || out_bytes=$(stat -c %s "$out")
    rm -f "$out"
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$input_bytes" "$out_bytes" "$cost" >>"$results"
}

case_measure() { # FORMAT ROWS ORDER
    local case=$1$'\t'$2$'\t'$3 args
    echo "bench: $1, $2 rows, $3" >&2
    input_make "$1" "$2" "$3"
    floors_measure "$case" # first, as it also brings the file into the page cache
    for args in all none; do
        convert_measure "$case" "$args"
    done
    [[ $keep_dir ]] || rm -f "$input"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 format 2 rows 3 order 4 args 5 input_bytes 6 output_bytes 7 wall 8 cpu 9 anon 10 rss
# 11 MB/s wall 12 MB/s cpu 13 status. floors: 1-3 the same, 4 tool 5 input_bytes 6 wall 7 cpu
# 8 anon 9 rss 10 MB/s wall 11 MB/s cpu 12 status. A failed command shows its status, no numbers.
convert_table() {
    awk -F '\t' -v OFS='\t' -v small="$small_rows" -v large="$large_rows" '
    BEGIN {
        print "format", "rows", "order", "args", "input MB", "wall s", "cpu s", "MB/s wall", \
              "MB/s cpu", "anon MB", "out bytes", "B/slice", "cpu x10"
    }
    { key = $1 FS $3 FS $4; cpu[key, $2] = $13 == 0 ? $8 : 0 }
    $13 != 0 { print $1, $2, $3, $4, mb($5), "FAILED " $13, "-", "-", "-", "-", "-", "-", "-" }
    $13 == 0 {
        ratio = $2 == large && cpu[key, small] > 0 ? sprintf("%.2f", $8 / cpu[key, small]) : "-"
        print $1, $2, $3, $4, mb($5), sprintf("%.3f", $7), sprintf("%.3f", $8), $11, $12, $9, \
              $6, sprintf("%.1f", $6 / $2), ratio
    }
    function mb(bytes) { return sprintf("%.1f", bytes / 1e6) }' "$results"
}

floor_table() {
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "format", "rows", "order", "floor", "wall s", "cpu s", "MB/s wall", "MB/s cpu" }
    $12 != 0 { print $1, $2, $3, $4, "FAILED " $12, "-", "-", "-"; next }
    { print $1, $2, $3, $4, sprintf("%.3f", $6), sprintf("%.3f", $7), $10, $11 }' "$floors"
}

# Speed and size are judged at the larger size, memory at every size and order.
verdict_table() {
    awk -F '\t' -v OFS='\t' -v large="$large_rows" '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    function failed(bar, who) { print bar, who, "failed", "MISS" }
    BEGIN { print "bar", "case", "measured", "verdict" }
    FNR == NR {
        if ($4 == "mawk split" && $2 == large && $12 == 0)
            mawk[$1, $3] = $11
        next
    }
    !($1 in seen) { seen[$1] = 1; format[++formats] = $1 }
    $13 != 0 { broken[$1] = 1; next }
    $9 + 0 > anon[$1] + 0 { anon[$1] = $9 }
    $2 == large { speed[$1, $3, $4] = $12; size[$1, $3, $4] = $6 / $2 }
    END {
        count = split("all none", args, " ")
        for (i = 1; i <= formats; ++i) {
            f = format[i]
            for (j = 1; j <= count; ++j)
                judge_case(f, args[j])
            if (broken[f])
                failed("anonymous RSS <= 64 MB, any size and order", f)
            else
                judge("anonymous RSS <= 64 MB, any size and order", f, anon[f] <= 64, anon[f] " MB")
        }
    }
    function judge_case(f, a,    who, fast, slow, floor, most, bytes) {
        who = f " --args " a
        fast = speed[f, "ordered", a]; slow = speed[f, "shuffled", a]
        floor = mawk[f, "ordered"]
        most = a == "all" ? 80 : 36
        if (fast > 0)
            judge("ordered >= 400 MB/s by CPU time", who, fast >= 400, \
                  fast " MB/s" (floor > 0 ? sprintf(" (%.2fx mawk split)", fast / floor) : ""))
        else
            failed("ordered >= 400 MB/s by CPU time", who)
        if (fast > 0 && slow > 0)
            judge("shuffled >= 1/3 of ordered by CPU time", who, 3 * slow >= fast, \
                  sprintf("%.2f (%s MB/s)", slow / fast, slow))
        else
            failed("shuffled >= 1/3 of ordered by CPU time", who)
        bytes = size[f, "ordered", a]
        if (size[f, "shuffled", a] > bytes)
            bytes = size[f, "shuffled", a]
        if (bytes > 0)
            judge("output <= " most " bytes per slice", who, bytes <= most, sprintf("%.1f", bytes))
        else
            failed("output <= " most " bytes per slice", who)
    }' "$floors" "$results"
}

# Aligns a table: words to the left, numbers to the right.
as_text() {
    awk -F '\t' '
    {
        for (i = 1; i <= NF; ++i) {
            cell[NR, i] = $i
            if (length($i) > width[i])
                width[i] = length($i)
        }
    }
    NR == 2 { for (i = 1; i <= NF; ++i) right[i] = $i ~ /^[0-9.]+$/ || $i == "-" }
    END {
        for (row = 1; row <= NR; ++row) {
            line = ""
            for (i = 1; i <= NF; ++i)
                line = line sprintf("%" (right[i] ? "" : "-") width[i] "s  ", cell[row, i])
            sub(/ +$/, "", line)
            print line
        }
    }'
}

as_markdown() {
    awk -F '\t' '
    {
        line = rule = "|"
        for (i = 1; i <= NF; ++i) {
            line = line " " $i " |"
            rule = rule "---|"
        }
        print line
    }
    NR == 1 { print rule }'
}

machine_line() {
    local cpu
    cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    echo "$(date -u '+%Y-%m-%d %H:%M UTC'), ${cpu:-$(uname -m)}, $(nproc) CPUs," \
        "Linux $(uname -r), load $(cut -d' ' -f1 /proc/loadavg), best of $repeat"
}

summary_line() {
    verdict_table | awk -F '\t' '
    NR > 1 { ++all; met += $4 == "ok" }
    END { printf "%d of %d bars met.%s\n", met, all, \
          met < all ? " A missed bar does not fail this run: machines are noisy." : "" }'
    ((failures == 0)) || echo "$failures commands failed."
}

report() { # as_text or as_markdown
    local head=""
    [[ $1 == as_text ]] || head="## "
    printf '%sTorq CSV to Perfetto\n\n%s\n\n' "$head" "$(machine_line)"
    convert_table | "$1"
    printf '\n%sFloors on the same files\n\n' "$head"
    floor_table | "$1"
    printf '\n%sVerdict (at %s rows)\n\n' "$head" "$large_rows"
    verdict_table | "$1"
    printf '\n'
    summary_line
}

for format in $formats; do
    for rows in $sizes; do
        case_measure "$format" "$rows" ordered
        case_measure "$format" "$rows" shuffled
    done
done
report as_text
[[ -z $save ]] || report as_markdown >"$save"
((failures == 0))
