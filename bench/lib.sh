# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# What the sections of run.sh share: inputs, measuring, tables. Sourced by run.sh, which sets the
# programs, $work (goes with the run), $input_dir, $keep_dir and $repeat.

results=$work/results.tsv
: >"$results"
failures=0
on_cores=() # command that keeps the next one to some processors

# Sets $on_cores to one processor that may be used; to none where taskset is missing.
use_one_core() {
    local first
    first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
    on_cores=()
    ! command -v taskset >/dev/null || on_cores=(taskset -c "$first")
}

use_all_cores() {
    on_cores=()
}

# ---- inputs ----------------------------------------------------------------------------------

# input_make NAME GENERATOR ARGS...: sets $input to the file NAME with what the generator prints. A
# file older than its generator is made again.
input_make() {
    input=$input_dir/$1
    if [[ ! -s $input || $2 -nt $input ]]; then
        "${@:2}" >"$work/new"
        mv "$work/new" "$input"
    fi
    input_bytes=$(stat -c %s "$input")
}

torq_input_make() { # FORMAT ROWS ORDER
    local shuffle=()
    [[ $3 != shuffled ]] || shuffle=(--shuffle)
    input_make "$1-$2-$3.csv" "$gen_torq" "$1" "$2" "${shuffle[@]}"
}

chrome_input_make() { # SHAPE BYTES
    input_make "$1-$2.json" "$gen_chrome" "$1" "$2"
}

input_drop() {
    [[ $keep_dir ]] || rm -f "$input"
}

# Whether tacho reads FORMAT, as "tacho help formats" has it.
reads_format() {
    "$tacho" help formats | awk -v name="$1" '
    /^[^ ]/ { reads = /^Read/ }
    reads && $1 == name { found = 1 }
    END { exit !found }'
}

# ---- measuring -------------------------------------------------------------------------------

# cost_of CMD...: sets $cost to measure's line without the label. Counts a failure, goes on.
cost_of() {
    cost=$("$measure" --label x --input-bytes "$input_bytes" --repeat "$repeat" -- "$@") || {
        failures=$((failures + 1))
        echo "bench/run.sh: FAILED (status ${cost##*$'\t'}): $*" >&2
    }
    cost=${cost#x$'\t'}
}

# convert_cost SUFFIX ARGS: on $on_cores, converts $input to a file with SUFFIX; sets $cost and $out_bytes.
convert_cost() {
    local out=$work/out.$1
    out_bytes=0
    rm -f "$out"
    cost_of "${on_cores[@]}" "$tacho" convert "$input" -o "$out" -q --args "$2"
    [[ ! -e $out ]] || out_bytes=$(stat -c %s "$out")
    rm -f "$out"
}

# convert_measure SECTION INPUT SUFFIX ARGS: one line of $results.
convert_measure() {
    convert_cost "$3" "$4"
    printf '%s\t%s\t.%s, args %s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$input_bytes" "$out_bytes" \
        "$cost" >>"$results"
}

# ---- tables ----------------------------------------------------------------------------------

# results: 1 section 2 input 3 to 4 input_bytes 5 output_bytes 6 wall 7 cpu 8 anon 9 rss
# 10 MB/s wall 11 MB/s cpu 12 status. A failed command shows its status, no numbers.
results_table() { # SECTION
    awk -F '\t' -v OFS='\t' -v section="$1" '
    BEGIN {
        print "input", "to", "input MB", "out MB", "wall s", "cpu s", "MB/s wall", "MB/s cpu", \
              "anon MB"
    }
    $1 != section { next }
    $12 != 0 { print $2, $3, mb($4), "FAILED " $12, "-", "-", "-", "-", "-"; next }
    { print $2, $3, mb($4), mb($5), sprintf("%.3f", $6), sprintf("%.3f", $7), $10, $11, $8 }
    function mb(bytes) { return sprintf("%.1f", bytes / 1e6) }' "$results"
}

heading() { # as_text or as_markdown, TEXT
    local mark=""
    [[ $1 == as_text ]] || mark="## "
    printf '\n%s%s\n\n' "$mark" "$2"
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
