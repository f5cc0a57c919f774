# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section analyses: tables of a PyTorch trace beside its conversion, at two sizes, so that memory that
# grows with events shows. Sourced by run.sh.

analyses_results=$work/analyses.tsv
: >"$analyses_results"

# ---- measuring -------------------------------------------------------------------------------

analyses_run() {
    local bytes command
    reads_format chrome || return 0
    use_one_core
    for bytes in "$json_bytes" $((2 * json_bytes)); do
        echo "bench: analyses, a PyTorch trace of $bytes bytes" >&2
        chrome_input_make kineto "$bytes"
        cost_of "$tacho" convert "$input" -o "$work/analyses.pb" -q
        analyses_line convert
        for command in overview ops breakdown; do
            cost_of "$tacho" "$command" "$input" --format csv -o /dev/null -q
            analyses_line "$command"
        done
        cost_of "$tacho" ops "$input" --by layer --format csv -o /dev/null -q
        analyses_line 'ops --by layer'
        # Ceilings so high that made-up times are below them.
        cost_of "$tacho" roofline "$input" --roof f32=900PFLOP/s,RAM=900PB/s --format csv -o /dev/null -q
        analyses_line roofline
        cost_of "$tacho" report "$input" -o "$work/analyses.html" -q
        analyses_line report
        rm -f "$work/analyses.pb" "$work/analyses.html"
        input_drop
    done
    echo "bench: analyses, a trace of $json_bytes bytes in which each name is new" >&2
    chrome_input_make names "$json_bytes"
    cost_of "$tacho" ops "$input" --format csv -o /dev/null -q
    analyses_line 'ops, each name new'
    input_drop
    use_all_cores
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
analyses_line() { # WHAT
    printf '%s\t%s\t%s\n' "$1" "$input_bytes" "$cost" >>"$analyses_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 bytes 3 wall 4 cpu 5 anon 6 rss 7 MB/s wall 8 MB/s cpu 9 status
analyses_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "command", "MB", "wall s", "cpu s", "of convert", "anon MB" }
    $9 != 0 { print $1, $2 / 1e6, "FAILED " $9, "-", "-", "-"; next }
    $1 == "convert" { convert = $4 }
    { print $1, sprintf("%.0f", $2 / 1e6), $3, $4, \
            (convert > 0 ? sprintf("%.2fx", $4 / convert) : "-"), $5 }' "$analyses_results" | "$1"
}

analyses_verdict() {
    awk -F '\t' -v OFS='\t' '
    $1 == "convert" { convert = $4; next }
    {
        who = $1 " of " sprintf("%.0f", $2 / 1e6) " MB"
        if ($1 ~ /each name new/) {
            most = 2 * $2 / 1e6 + 268
            print "anonymous RSS <= 2x file + 256 MiB", who, $5 " MB", \
                  ($9 == 0 && $5 <= most ? "ok" : "MISS")
            next
        }
        print "<= 2x convert by CPU time", who, sprintf("%.2fx", convert > 0 ? $4 / convert : 0), \
              ($9 == 0 && $4 <= 2 * convert ? "ok" : "MISS")
        print "anonymous RSS <= 64 MB", who, $5 " MB", ($9 == 0 && $5 <= 64 ? "ok" : "MISS")
    }' "$analyses_results"
}
