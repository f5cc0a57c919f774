# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section fleet: the profiles of many ranks. "captures" are those of a compiled program with thousands of
# names, "json" is what PyTorch writes, "traced" the same as captures, and "plain" these without arguments.
# Sourced by run.sh.

fleet_results=$work/fleet.tsv
: >"$fleet_results"
fleet_files=8
fleet_rows=2000000
fleet_bytes=64000000
fleet_traced_bytes=256000000 # of JSON that captures are made of: starting takes 3 ms, which is to be little
[[ -z $quick ]] || { fleet_files=4 fleet_rows=200000 fleet_bytes=16000000 fleet_traced_bytes=64000000; }

# ---- measuring -------------------------------------------------------------------------------

fleet_inputs() {
    local number
    mkdir -p "$work/captures" "$work/plain" "$work/traced" "$work/json"
    for ((number = 0; number < fleet_files; number++)); do
        "$gen_torq" t1 "$fleet_rows" --seed "$number" | "$tacho" convert - -o "$work/captures/rank$number.tacho" --args none -q
        "$gen_chrome" kineto "$fleet_bytes" --seed "$number" >"$work/json/rank$number.json"
        "$gen_chrome" kineto "$fleet_traced_bytes" --seed "$number" |
            "$tacho" convert - -o "$work/traced/rank$number.tacho" -q
        "$tacho" convert "$work/traced/rank$number.tacho" -o "$work/plain/rank$number.tacho" --args none -q
    done
}

fleet_run() {
    local case question spans
    echo "bench: fleet, $fleet_files captures of $fleet_rows spans and $fleet_files traces of $fleet_bytes bytes" >&2
    fleet_inputs
    for case in captures plain traced json; do
        input_bytes=$(find "$work/$case" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }')
        spans=$("$tacho" fleet reduce "$work/$case" -o "$work/all.tpart" -q &&
            "$tacho" fleet ops "$work/all.tpart" --top 0 --format csv -q | awk -F, '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") at = i; next } { sum += $at } END { print sum }')
        fleet_pair "$case" ops "$spans" --format csv -o /dev/null
        for question in stragglers breakdown; do
            cost_of "$tacho" fleet "$question" "$work/$case" -j 1 --format csv -o /dev/null -q
            fleet_line "$case" "$question" 1 "$spans"
        done
        [[ $case != traced ]] || fleet_pair "$case" reduce "$spans" -o "$work/all.tpart" # as 'map': all questions
    done
    cost_of "$tacho" convert "$work/json" -j 1 -o "$work/dataset/" --args none -q
    fleet_line json dataset 1 "$spans"
    rm -rf "$work/captures" "$work/plain" "$work/traced" "$work/json" "$work/dataset" "$work/all.tpart"
}

# One worker and two in turns, since what else the computer does comes and goes; the least of each.
fleet_pair() { # CASE QUESTION SPANS OPTION...
    local workers round best=("" "" "") repeat=1
    for ((round = 0; round < 7; round++)); do
        for workers in 1 2; do
            cost_of "$tacho" fleet "$2" "$work/$1" -j "$workers" "${@:4}" -q
            best[workers]=$(printf '%s\n%s\n' "${best[workers]:-$cost}" "$cost" | sort -g | head -n 1)
        done
    done
    for workers in 1 2; do
        cost=${best[workers]}
        fleet_line "$1" "$2" "$workers" "$3"
    done
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
fleet_line() { # CASE QUESTION WORKERS SPANS
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$cost" >>"$fleet_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 case 2 question 3 workers 4 spans 5 wall 6 cpu 7 anon 8 rss 9 MB/s wall 10 MB/s cpu 11 status
fleet_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "files", "question", "workers", "wall s", "cpu s", "M spans/s cpu", "MB/s cpu", "anon MB" }
    $11 != 0 { print $1, $2, $3, "FAILED " $11, "-", "-", "-", "-"; next }
    { print $1, $2, $3, $5, $6, sprintf("%.1f", $4 / $6 / 1e6), $10, $7 }' "$fleet_results" | "$1"
}

fleet_verdict() {
    awk -F '\t' -v OFS='\t' '
    $3 == 1 { alone[$1, $2] = $5 }
    ($1 == "captures" || $1 == "plain" || $1 == "traced") && $2 == "ops" && $3 == 1 {
        print "fleet: captures at >= 8 M spans/s per core", $1, sprintf("%.1f M/s", $4 / $6 / 1e6), \
              ($11 == 0 && $4 / $6 >= 8e6 ? "ok" : "MISS")
    }
    $1 == "json" && $2 == "ops" && $3 == 1 {
        print "fleet: PyTorch JSON at >= 250 MB/s per core", $2, $10 " MB/s", \
              ($11 == 0 && $10 >= 250 ? "ok" : "MISS")
    }
    $3 == 2 {
        print "fleet: two workers >= 1.8x one", $1 ", " $2, sprintf("%.2fx", alone[$1, $2] / $5), \
              ($11 == 0 && alone[$1, $2] >= 1.8 * $5 ? "ok" : "MISS")
    }
    $7 / $3 > most { most = $7 / $3 }
    END { print "fleet: a worker in <= 256 MB", "all", most " MB", (most <= 256 ? "ok" : "MISS") }' "$fleet_results"
}
