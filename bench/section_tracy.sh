# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section tracy: streams of Tracy clients as rows, and .tracy files. Sourced by run.sh.

tracy_results=$work/tracy.tsv
: >"$tracy_results"

# ---- measuring -------------------------------------------------------------------------------

tracy_run() {
    local zones file=$work/zones.tracy
    echo "bench: tracy, streams" >&2
    "$bench_dir/tracy_decode" 4000000 | awk -v OFS='\t' '
        { sub(/:/, "", $2); print "stream, protocol " $2, 4000000, "-", "-", "-", $3, 0 }' >>"$tracy_results"
    for zones in 1000000 10000000; do
        echo "bench: tracy, a file of $zones zones" >&2
        "$bench_dir/gen_tracy" "$zones" >"$file"
        input_bytes=$(stat -c %s "$file")
        cost_of "$tacho" convert "$file" -o "$work/zones.pb" -q
        tracy_line ".tracy to .pb" "$zones"
        cost_of "$tacho" convert "$file" -o "$work/again.tracy" -q
        tracy_line ".tracy to .tracy" "$zones"
        cost_of "$tacho" ops "$file" --format csv -o /dev/null -q
        tracy_line "ops of .tracy" "$zones"
        rm -f "$file" "$work/zones.pb" "$work/again.tracy"
    done
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
tracy_line() { # WHAT ZONES
    printf '%s\t%s\t%s\n' "$1" "$2" "$cost" | awk -F '\t' -v OFS='\t' '
        { print $1, $2, $3, $4, $5, ($4 > 0 ? $2 / $4 / 1e6 : 0), $9 }' >>"$tracy_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 zones 3 wall 4 cpu 5 anon 6 M zones/s by CPU time 7 status
tracy_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "zones", "wall s", "cpu s", "M zones/s cpu", "anon MB" }
    $7 != 0 { print $1, $2, "FAILED " $7, "-", "-", "-"; next }
    { print $1, $2, $3, $4, sprintf("%.1f", $6), $5 }' "$tracy_results" | "$1"
}

tracy_verdict() {
    awk -F '\t' -v OFS='\t' '
    $1 ~ /^stream/ {
        print "a Tracy stream is decoded at >= 5 M zones/s on one core", $1, \
              sprintf("%.1f M/s", $6), ($6 >= 5 ? "ok" : "MISS")
    }
    $1 ~ /^.tracy to/ && $2 == 10000000 {
        print ".tracy of 10 M zones in <= 64 MB", $1, $5 " MB", ($7 == 0 && $5 <= 64 ? "ok" : "MISS")
    }' "$tracy_results"
}
