# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section query: SQL over a capture beside the analysis that gives the same rows, databases and Parquet.
# Sourced by run.sh.

query_results=$work/query.tsv
: >"$query_results"
query_rows=10000000
[[ -z $quick ]] || query_rows=1000000

# ---- measuring -------------------------------------------------------------------------------

query_run() {
    local file=$work/query.tacho format
    echo "bench: query, a capture of $query_rows spans" >&2
    query_capture t1
    cost_of "$tacho" ops "$file" --format csv -o /dev/null -q
    query_line "ops"
    query_sql "the view ops" 'SELECT * FROM ops'
    query_sql "time by name" 'SELECT name, count(*), sum(duration_ns) FROM spans GROUP BY name'
    query_sql "own time by class" 'SELECT class, sum(self_ns), max(duration_ns) FROM spans
        WHERE duration_ns > 1000 GROUP BY class'
    query_sql "p99 by operation" 'SELECT operation, percentile(duration_ns, 99) FROM spans GROUP BY 1 ORDER BY 2 DESC'
    query_sql "the longest spans" 'SELECT name, track, duration_ns FROM spans ORDER BY duration_ns DESC LIMIT 10'
    cost_of "$tacho" convert "$file" -o "$work/query.db" -q
    query_line "to a database"
    rm -f "$work/query.db"
    query_parquet t1
    for format in t4 r0; do
        query_capture "$format"
        query_parquet "$format"
    done
    rm -f "$file"
}

query_capture() { # FORMAT
    "$gen_torq" "$1" "$query_rows" | "$tacho" convert - -o "$work/query.tacho" --args none -q
    input_bytes=$(stat -c %s "$work/query.tacho")
}

query_sql() { # WHAT SELECT
    cost_of "$tacho" query "$work/query.tacho" "$2" --format csv -o /dev/null -q
    query_line "query: $1"
}

query_parquet() { # FORMAT
    cost_of "$tacho" convert "$work/query.tacho" -o "$work/query.parquet" -q
    query_line "to Parquet, $1" "$(stat -c %s "$work/query.parquet")"
    rm -f "$work/query.parquet"
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
query_line() { # WHAT [BYTES WRITTEN]
    printf '%s\t%s\t%s\n' "$1" "$query_rows" "$cost" | awk -F '\t' -v OFS='\t' -v bytes="${2:-0}" '
        { print $1, $2, $3, $4, $5, ($4 > 0 ? $2 / $4 / 1e6 : 0), $9, bytes / $2 }' >>"$query_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 spans 3 wall 4 cpu 5 anon 6 M spans/s by CPU time 7 status 8 bytes per span, 0: not said
query_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "spans", "wall s", "cpu s", "M spans/s cpu", "anon MB", "B/span" }
    $7 != 0 { print $1, $2, "FAILED " $7, "-", "-", "-", "-"; next }
    { print $1, $2, $3, $4, sprintf("%.1f", $6), $5, ($8 > 0 ? sprintf("%.2f", $8) : "-") }' "$query_results" | "$1"
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
    $1 ~ /^to Parquet/ {
        print "Parquet at >= 1.5 M rows/s of CPU", $1, sprintf("%.2f M/s", $6), \
              ($7 == 0 && $6 >= 1.5 ? "ok" : "MISS")
        print "Parquet in <= 8 bytes per span", $1, sprintf("%.2f", $8), \
              ($7 == 0 && $8 <= 8 ? "ok" : "MISS")
    }' "$query_results"
}
