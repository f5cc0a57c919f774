# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section torq: timelines and job CSVs to Perfetto, in the vendor's order and shuffled, against the
# floors of tools that read the same lines. Sourced by run.sh.

torq_results=$work/torq.tsv torq_floors=$work/torq_floors.tsv torq_verbs=$work/torq_verbs.tsv
torq_two=$work/torq_two.tsv # format, rows, wall s on all cores, on one; with output on disk on one, on all
: >"$torq_two"
: >"$torq_results"
: >"$torq_verbs"
: >"$torq_floors"

# ---- measuring -------------------------------------------------------------------------------

floor_measure() { # CASE NAME CMD...
    local case=$1 name=$2
    shift 2
    cost_of "$@"
    printf '%s\t%s\t%s\t%s\n' "$case" "$name" "$input_bytes" "$cost" >>"$torq_floors"
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

# The same conversion as the last one, which was on one processor, on all of them; walls are compared.
# The bar is for output in memory, where there is a place for it: waiting for a disk takes as long with
# any number of processors.
two_cores_measure() { # FORMAT ROWS
    local walls=${cost%%$'\t'*} free_kb=0 work=$work
    (($(nproc) > 1)) || return 0
    convert_cost pb all
    walls+=$'\t'${cost%%$'\t'*}
    [[ ! -w /dev/shm ]] || free_kb=$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')
    if ((free_kb > 4 * out_bytes / 1000)); then
        memory=$(mktemp -d /dev/shm/tacho-bench.XXXXXX)
        work=$memory
    fi
    use_one_core
    convert_cost pb all
    walls=${cost%%$'\t'*}$'\t'$walls
    use_all_cores
    convert_cost pb all
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "${cost%%$'\t'*}" "$walls" >>"$torq_two"
    [[ -z $memory ]] || rm -rf "$memory"
    memory=""
}

# What reads a profile and prints or draws it: memory must not follow the rows.
verbs_measure() { # CASE
    local verb
    for verb in info overview ops "report -o $work/page.html"; do
        # shellcheck disable=SC2086 # words
        cost_of "$tacho" $verb -q "$input"
        printf '%s\t%s\t%s\t%s\n' "$1" "${verb%% *}" "$input_bytes" "$cost" >>"$torq_verbs"
    done
    rm -f "$work/page.html"
}

torq_case() { # FORMAT ROWS ORDER
    local case=$1$'\t'$2$'\t'$3 args
    echo "bench: $1, $2 rows, $3" >&2
    torq_input_make "$1" "$2" "$3"
    floors_measure "$case" # first, as it also brings the file into the page cache
    for args in all none; do
        use_one_core
        convert_cost pb "$args"
        printf '%s\t%s\t%s\t%s\t%s\n' "$case" "$args" "$input_bytes" "$out_bytes" "$cost" \
            >>"$torq_results"
        use_all_cores
        [[ $args != all || $3 != ordered || ${cost##*$'\t'} != 0 ]] || two_cores_measure "$1" "$2"
    done
    [[ $3 != ordered ]] || verbs_measure "$case"
    input_drop
}

torq_run() {
    local format rows
    for format in $formats; do
        for rows in $sizes; do
            torq_case "$format" "$rows" ordered
            torq_case "$format" "$rows" shuffled
        done
    done
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 format 2 rows 3 order 4 args 5 input_bytes 6 output_bytes 7 wall 8 cpu 9 anon 10 rss
# 11 MB/s wall 12 MB/s cpu 13 status. floors: 1-3 the same, 4 tool 5 input_bytes 6 wall 7 cpu
# 8 anon 9 rss 10 MB/s wall 11 MB/s cpu 12 status. A failed command shows its status, no numbers.
torq_table() {
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
    function mb(bytes) { return sprintf("%.1f", bytes / 1e6) }' "$torq_results"
}

torq_floor_table() {
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "format", "rows", "order", "floor", "wall s", "cpu s", "MB/s wall", "MB/s cpu" }
    $12 != 0 { print $1, $2, $3, $4, "FAILED " $12, "-", "-", "-"; next }
    { print $1, $2, $3, $4, sprintf("%.3f", $6), sprintf("%.3f", $7), $10, $11 }' "$torq_floors"
}

torq_verb_table() {
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "format", "rows", "verb", "wall s", "cpu s", "MB/s wall", "MB/s cpu", "anon MB" }
    $12 != 0 { print $1, $2, $4, "FAILED " $12, "-", "-", "-", "-"; next }
    { print $1, $2, $4, sprintf("%.3f", $6), sprintf("%.3f", $7), $10, $11, $8 }' "$torq_verbs"
}

torq_verb_verdict() {
    awk -F '\t' -v OFS='\t' '
    BEGIN { bar = "anonymous RSS of info, overview, ops, report <= 64 MB" }
    !($1 in most) { format[++formats] = $1; most[$1] = 0 }
    $12 != 0 { broken[$1] = 1 }
    $8 + 0 > most[$1] { most[$1] = $8 + 0 }
    END {
        for (i = 1; i <= formats; ++i) {
            f = format[i]
            print bar, f, broken[f] ? "failed" : most[f] " MB", !broken[f] && most[f] <= 64 ? "ok" : "MISS"
        }
    }' "$torq_verbs"
}

# Speed and size are judged at the larger size, memory at every size and order.
torq_verdict() {
    awk -F '\t' -v OFS='\t' -v large="$large_rows" '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    function failed(bar, who) { print bar, who, "failed", "MISS" }
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
        if (fast > 0 && floor > 0)
            judge("ordered >= 1.5x mawk split by CPU time, one core", who, fast >= 1.5 * floor, \
                  sprintf("%.2fx", fast / floor))
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
    }' "$torq_floors" "$torq_results"
    awk -F '\t' -v OFS='\t' -v large="$large_rows" '
    $2 == large && $3 > 0 && $6 > 0 {
        print "ordered, all cores >= 1.6x one core by wall time, output in memory", $1 " --args all", \
              sprintf("%.2fx (%.3f s, %.3f s); on disk %.2fx (%.3f s, %.3f s)", $4 / $3, $4, $3, \
                      $5 / $6, $5, $6), ($4 >= 1.6 * $3 ? "ok" : "MISS")
    }' "$torq_two"
    torq_verb_verdict
}

torq_report() { # as_text or as_markdown
    torq_table | "$1"
    heading "$1" "Floors on the same files"
    torq_floor_table | "$1"
    heading "$1" "Other verbs on the same files"
    torq_verb_table | "$1"
}
