# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section host: Torq host profiles to Perfetto. Rows come as the runtime writes them: those of r1q
# and r2i in order of time, those of r2 grouped by dispatch, so that each group starts over in time.
# Sourced by run.sh.

host_formats="r1q r2 r2i"

host_run() {
    local format rows args
    for format in $host_formats; do
        for rows in $sizes; do
            echo "bench: $format, $rows rows" >&2
            torq_input_make "$format" "$rows" ordered
            cat "$input" >/dev/null
            for args in all none; do
                convert_measure host "$format, $rows rows" pb "$args"
            done
            input_drop
        done
    done
}

host_report() { # as_text or as_markdown
    results_table host | "$1"
}

# As for timelines: speed at the larger size, memory at both. Grouped rows have to be sorted. Memory
# follows the runs of dispatches, hence the rows here: how it grows is shown, too.
host_verdict() {
    awk -F '\t' -v OFS='\t' -v small="$small_rows" -v rows="$large_rows" '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    $1 != "host" { next }
    { format = $2; sub(/,.*/, "", format); who = format " to " $3 }
    !(format in anon) { anon[format] = 0; name[++count] = format }
    $12 != 0 { broken[format] = 1; next }
    $8 + 0 > anon[format] + 0 { anon[format] = $8 }
    $2 ~ " " small " rows" && $8 + 0 > least[format] + 0 { least[format] = $8 }
    $2 !~ " " rows " rows" { next }
    format == "r2" {
        judge("grouped >= 400/3 MB/s by CPU time", who, 3 * $11 >= 400, $11 " MB/s")
        next
    }
    { judge("ordered >= 400 MB/s by CPU time", who, $11 >= 400, $11 " MB/s") }
    END {
        for (i = 1; i <= count; ++i)
            judge("anonymous RSS <= 64 MB at both sizes", name[i], \
                  !broken[name[i]] && anon[name[i]] <= 64, \
                  broken[name[i]] ? "failed" : least[name[i]] " to " anon[name[i]] " MB")
    }' "$results"
}
