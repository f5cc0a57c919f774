# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section diff: two profiles of a million spans compared. Sourced by run.sh.

diff_results=$work/diff.tsv
: >"$diff_results"

# ---- measuring -------------------------------------------------------------------------------

diff_run() {
    local spans=1000000 a=$work/a b=$work/b
    echo "bench: diff, two profiles of $spans spans" >&2
    torq_input_make t1 "$spans" ordered
    cp "$input" "$a.csv"
    # The second one differs: every hundredth row ends later.
    awk -F, -v OFS=, 'NR % 100 == 0 && $3 ~ /^[0-9]+$/ { $3 = sprintf("%.0f", $3 + 1) } { print }' "$input" >"$b.csv"
    "$tacho" convert "$a.csv" -o "$a.tacho" -q
    "$tacho" convert "$b.csv" -o "$b.tacho" -q
    diff_line csv "$spans"
    diff_line tacho "$spans"
    rm -f "$a".* "$b".*
    input_drop
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
diff_line() { # SUFFIX SPANS
    input_bytes=$(($(stat -c %s "$work/a.$1") + $(stat -c %s "$work/b.$1")))
    cost_of "$tacho" diff "$work/a.$1" "$work/b.$1" --format csv -o "$work/diff.csv" -q
    printf '.%s\t%s\t%s\n' "$1" "$2" "$cost" | awk -F '\t' -v OFS='\t' '
        { print $1, $2, $3, $4, $5, $9 }' >>"$diff_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 spans of each 3 wall 4 cpu 5 anon 6 status
diff_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "two files", "spans each", "wall s", "cpu s", "anon MB" }
    $6 != 0 { print $1, $2, "FAILED " $6, "-", "-"; next }
    { print $1, $2, $3, $4, $5 }' "$diff_results" | "$1"
}

diff_verdict() {
    awk -F '\t' -v OFS='\t' '
    { print "diff of two 1 M-span profiles <= 1 s of CPU", $1, $4 " s", \
            ($6 == 0 && $4 <= 1 ? "ok" : "MISS") }' "$diff_results"
}
