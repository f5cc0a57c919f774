# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section tenstorrent: device logs to op tables and to Perfetto, at two sizes, with wc and mawk on the
# same file; the report of an op table. Sourced by run.sh.

tenstorrent_results=$work/tenstorrent.tsv
: >"$tenstorrent_results"
tenstorrent_ops="500 2000" # 1280 rows each
tenstorrent_rows=3000      # of the op table

tenstorrent_measure() { # WHAT OPS CMD...
    cost_of "${@:3}"
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$input_bytes" "$cost" >>"$tenstorrent_results"
}

tenstorrent_run() {
    local ops
    use_one_core
    for ops in $tenstorrent_ops; do
        echo "bench: device log, $ops ops" >&2
        input_make "tenstorrent-$ops.csv" "$gen_tenstorrent" "$ops"
        cat "$input" >/dev/null
        tenstorrent_measure "op table" "$ops" "${on_cores[@]}" "$tacho" ops --join "$input" -o "$work/ops.csv" -q
        tenstorrent_measure "to .pb" "$ops" "${on_cores[@]}" "$tacho" convert "$input" -o "$work/out.pb" -q
        tenstorrent_measure "wc -l" "$ops" "${on_cores[@]}" wc -l "$input"
        if command -v mawk >/dev/null; then
            # shellcheck disable=SC2016 # $6 is mawk's
            tenstorrent_measure "mawk split" "$ops" "${on_cores[@]}" mawk -F , '{n+=$6}END{print n}' "$input"
        fi
        rm -f "$work/ops.csv" "$work/out.pb"
        input_drop
    done
    echo "bench: op report, $tenstorrent_rows rows" >&2
    input_make "tenstorrent-table.csv" "$gen_tenstorrent" --table "$tenstorrent_rows"
    cat "$input" >/dev/null
    tenstorrent_measure "op report" "$tenstorrent_rows" "${on_cores[@]}" "$tacho" ops --compat tt-perf-report "$input" -o "$work/perf.csv" -q
    rm -f "$work/perf.csv"
    input_drop
    use_all_cores
}

# results: 1 what 2 ops 3 bytes 4 wall 5 cpu 6 anon 7 rss 8 MB/s wall 9 MB/s cpu 10 status
tenstorrent_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "ops", "input MB", "wall s", "cpu s", "MB/s cpu", "anon MB" }
    $10 != 0 { print $1, $2, "FAILED " $10, "-", "-", "-", "-"; next }
    { print $1, $2, sprintf("%.1f", $3 / 1e6), sprintf("%.3f", $4), sprintf("%.3f", $5), $9, $6 }
    ' "$tenstorrent_results" | "$1"
}

tenstorrent_verdict() {
    awk -F '\t' -v OFS='\t' -v large="${tenstorrent_ops##* }" '
    function judge(bar, ok, shown) { print bar, "device log", shown, ok ? "ok" : "MISS" }
    $1 == "op report" {
        judge("report of an op table of " $2 " rows <= 50 ms of CPU time", $10 == 0 && $5 <= 0.05, sprintf("%.0f ms", $5 * 1000))
    }
    $2 != large { next }
    { speed[$1] = $10 == 0 ? $9 : 0; anon[$1] = $6 }
    END {
        ratio = speed["mawk split"] > 0 ? sprintf(" (%.1fx mawk split)", speed["op table"] / speed["mawk split"]) : ""
        judge("op table of a device log >= 300 MB/s by CPU time, one core", speed["op table"] >= 300, \
              speed["op table"] " MB/s" ratio)
        judge("its memory <= 64 MB at " large " ops of 64 cores", \
              speed["op table"] > 0 && anon["op table"] <= 64, anon["op table"] " MB")
    }' "$tenstorrent_results"
}
