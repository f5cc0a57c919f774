# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section profile: what 'tacho profile' costs the program that it runs. An event of the client library
# next to the clock read that it needs, three million events a second, 64 processes at once by socket
# and by TCP, a command of OpenCL, and the wrapper around a program that does nothing and around a
# simulated run. Sourced by run.sh.

profile_results=$work/profile.tsv
: >"$profile_results"
profile_rate=3000000

# ---- measuring -------------------------------------------------------------------------------

profile_line() { # WHAT NUMBER UNIT LIMIT: at most LIMIT is good
    printf '%s\t%s\t%s\t%s\n' "$@" >>"$profile_results"
}

# The least of several runs, as those of one run are the least of many batches.
profile_costs() {
    local clock counter zone idle i
    for i in $(seq "$repeat"); do
        "$tacho" profile -q -- "$client_events" cost
    done >"$work/costs"
    read -r clock counter zone < <(awk '
        { for (i = 1; i <= 3; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
        END { print least[1], least[2], least[3] }' "$work/costs")
    read -r _ idle _ < <("$client_events" cost)
    profile_line "clock read" "$clock" ns -
    profile_line "a counter, above the clock read" "$(awk "BEGIN { print $counter - $clock }")" ns 25
    profile_line "a zone, above its two clock reads" "$(awk "BEGIN { print $zone - 2 * $clock }")" ns 25
    profile_line "a counter without a collector" "$idle" ns 5
}

profile_ways=() # options of tacho profile: how programs report

profile_emitted() { # WHAT COMMAND...
    local out
    out=$("$tacho" profile "${profile_ways[@]}" -o "$work/profile.tacho" -- "${@:2}" 2>&1 >/dev/null |
        sed -n 's/.* reported \([0-9]*\) events*, and dropped \([0-9]*\).*/\1 \2/p')
    profile_line "$1: events" "${out% *}" "" -
    profile_line "$1: dropped" "${out#* }" "" 0
    rm -f "$work/profile.tacho"
}

# Pairs of runs, one of each after the other: the median of what the wrapper adds, in ns.
profile_added() { # WRAPPER... -- COMMAND...
    local wrapper=() i start middle end
    while [[ $1 != -- ]]; do
        wrapper+=("$1")
        shift
    done
    shift
    for i in $(seq 21); do
        start=$(date +%s%N)
        "$@" >/dev/null 2>&1
        middle=$(date +%s%N)
        "${wrapper[@]}" -- "$@" >/dev/null 2>&1
        end=$(date +%s%N)
        echo $((end - middle - (middle - start)))
    done | sort -n | sed -n 11p
}

profile_wrapper() {
    local added
    added=$(profile_added "$tacho" profile -q -- "$(command -v env)" true)
    profile_line "tacho profile true, above true" "$(awk "BEGIN { print $added / 1e6 }")" ms 20
    added=$(profile_added "$tacho" profile -q --tt-report "$work/ops.csv" -- "$tacho" run \
        "$here/../samples/tosa/fc.mlir" --device sim:wormhole-n150 -q)
    profile_line "tt_profile of a simulated layer, above its run" "$(awk "BEGIN { print $added / 1e6 }")" ms 50
}

# What a command of an OpenCL queue costs more, from the call to its report.
profile_opencl() {
    local count=20000 added
    if ! "$opencl_load" leave 1 >/dev/null 2>&1; then
        echo "bench: profile: no OpenCL platform, or opencl_load is not built; skipped" >&2
        return
    fi
    added=$(profile_added "$tacho" profile -q -- "$opencl_load" leave "$count")
    profile_line "an OpenCL kernel, above one without the layer" \
        "$(awk "BEGIN { print $added / $count / 1e3 }")" us 25
}

profile_run() {
    echo "bench: profile" >&2
    profile_costs
    profile_emitted "$((profile_rate / 1000000)) M/s for 10 s" "$client_events" rate "$profile_rate" 10
    profile_emitted "64 processes, 10000 events each" "$client_load" fork 64 10000
    profile_ways=(-p 0)
    profile_emitted "64 processes over TCP, 10000 events each" "$client_load" fork 64 10000
    profile_emitted "256 programs over TCP at once" "$client_load" fork 256 40
    profile_ways=()
    profile_opencl
    profile_wrapper
}

# ---- reporting -------------------------------------------------------------------------------

profile_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' 'BEGIN { print "what", "measured", "unit" } { print $1, $2, $3 }' \
        "$profile_results" | "$1"
}

profile_verdict() {
    awk -F '\t' -v OFS='\t' '$4 == "-" { next }
    {
        unit = $3 == "" ? "" : " " $3
        print $1 " <= " $4 unit, "profile", $2 unit, ($2 != "" && $2 + 0 <= $4 ? "ok" : "MISS")
    }' "$profile_results"
}
