# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section capture: tacho's own files. Writing one of a timeline, reading it whole, and making the
# trace of it that the timeline itself would make. Sourced by run.sh.

capture_results=$work/capture.tsv
: >"$capture_results"

# ---- measuring -------------------------------------------------------------------------------

capture_line() { # WHAT ROWS BYTES
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$cost" >>"$capture_results"
}

capture_run() {
    local rows out
    for rows in $sizes; do
        echo "bench: capture, $rows rows" >&2
        torq_input_make t4 "$rows" ordered
        out=$work/capture.tacho
        cost_of "$tacho" convert "$input" -o "$out" -q
        local bytes
        bytes=$(stat -c %s "$out")
        capture_line "t4 to .tacho" "$rows" "$bytes"
        input_drop
        input_bytes=$bytes
        cost_of "$tacho" info "$out" --format csv -o /dev/null -q
        capture_line "read" "$rows" "$bytes"
        cost_of "$tacho" convert "$out" -o "$work/again.tacho" -q
        capture_line "read and written" "$rows" "$bytes"
        cost_of "$tacho" convert "$out" -o "$work/out.pb" -q
        capture_line ".tacho to .pb" "$rows" "$bytes"
        rm -f "$out" "$work/again.tacho" "$work/out.pb"
    done
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 rows 3 bytes of the capture 4 wall 5 cpu 6 anon 7 rss 8 MB/s wall 9 MB/s cpu
# 10 status. A failed command shows its status, no numbers.
capture_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "rows", "wall s", "cpu s", "MB/s cpu", "M rows/s cpu", "anon MB", "B/slice" }
    $10 != 0 { print $1, $2, "FAILED " $10, "-", "-", "-", "-", "-"; next }
    {
        print $1, $2, sprintf("%.3f", $4), sprintf("%.3f", $5), $9, \
              ($5 > 0 ? sprintf("%.1f", $2 / $5 / 1e6) : "-"), $6, sprintf("%.1f", $3 / $2)
    }' "$capture_results" | "$1"
}

capture_verdict() {
    awk -F '\t' -v OFS='\t' -v large="$large_rows" '
    $2 != large || ($1 != "read" && $1 != "t4 to .tacho") { next }
    $1 == "read" {
        bar = "a capture is read at >= 5 M rows/s by CPU time"
        if ($10 != 0 || $5 <= 0) print bar, "capture", "failed", "MISS"
        else print bar, "capture", sprintf("%.1f M/s", $2 / $5 / 1e6), ($2 / $5 >= 5e6 ? "ok" : "MISS")
    }
    $1 == "t4 to .tacho" {
        bar = "a capture takes <= 24 bytes per slice"
        print bar, "capture", sprintf("%.1f", $3 / $2), ($10 == 0 && $3 / $2 <= 24 ? "ok" : "MISS")
    }' "$capture_results"
}
