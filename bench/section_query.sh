# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section query: SQL over a capture beside the analysis that gives the same rows, databases and Parquet.
# Sourced by run.sh.

query_results=$work/query.tsv
: >"$query_results"
query_rows=10000000
parquet_bytes=0
[[ -z $quick ]] || query_rows=1000000

# ---- measuring -------------------------------------------------------------------------------

query_run() {
    local file=$work/query.tacho
    echo "bench: query, a capture of $query_rows spans" >&2
    "$gen_torq" t1 "$query_rows" | "$tacho" convert - -o "$file" --args none -q
    input_bytes=$(stat -c %s "$file")
    cost_of "$tacho" ops "$file" --format csv -o /dev/null -q
    query_line "ops"
    cost_of "$tacho" query "$file" 'SELECT name, count(*), sum(duration_ns) FROM spans GROUP BY name' \
        --format csv -o /dev/null -q
    query_line "query: time by name"
    cost_of "$tacho" query "$file" 'SELECT * FROM ops' --format csv -o /dev/null -q
    query_line "query: the view ops"
    cost_of "$tacho" convert "$file" -o "$work/query.db" -q
    query_line "to a database"
    cost_of "$tacho" convert "$file" -o "$work/query.parquet" -q
    query_line "to Parquet"
    parquet_bytes=$(stat -c %s "$work/query.parquet")
    rm -f "$file" "$work/query.db" "$work/query.parquet"
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
query_line() { # WHAT
    printf '%s\t%s\t%s\n' "$1" "$query_rows" "$cost" | awk -F '\t' -v OFS='\t' '
        { print $1, $2, $3, $4, $5, ($4 > 0 ? $2 / $4 / 1e6 : 0), $9 }' >>"$query_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 spans 3 wall 4 cpu 5 anon 6 M spans/s by CPU time 7 status
query_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "spans", "wall s", "cpu s", "M spans/s cpu", "anon MB" }
    $7 != 0 { print $1, $2, "FAILED " $7, "-", "-", "-"; next }
    { print $1, $2, $3, $4, sprintf("%.1f", $6), $5 }' "$query_results" | "$1"
}

# Bars are those of 10 M spans.
query_verdict() {
    awk -F '\t' -v OFS='\t' '
    $1 == "ops" {
        print "ops of a capture of 10 M spans in <= 2 s of CPU", "capture", $4 " s", \
              ($7 == 0 && $4 <= 2 * $2 / 1e7 ? "ok" : "MISS")
    }
    $1 ~ /^query/ {
        print "SQL over a capture of 10 M spans in <= 5 s of CPU", $1, $4 " s", \
              ($7 == 0 && $4 <= 5 * $2 / 1e7 ? "ok" : "MISS")
    }
    $1 == "to Parquet" {
        print "Parquet at >= 1.5 M rows/s of CPU", "spans", sprintf("%.2f M/s", $6), \
              ($7 == 0 && $6 >= 1.5 ? "ok" : "MISS")
        print "Parquet in <= 8 bytes per span", "spans", sprintf("%.2f", bytes / $2), \
              (bytes <= 8 * $2 ? "ok" : "MISS")
    }' bytes="$parquet_bytes" "$query_results"
}
