# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section opstats: raw stats to summaries and traces. A chain of convolutions on sixteen cores, run on
# the simulated device; one inference and several, so that the program's own reading can be taken off:
# speeds are those of what the further files add. Then many inferences of a short chain, whose files
# are small: the program's reading counts there, as it does for who has such files. Sourced by run.sh.

opstats_nodes=5000
opstats_more=11 # files
opstats_small_nodes=100
opstats_small=400 # files of about 200 KB

opstats_measure() { # FILES WHAT ARGS...
    local out=$work/opstats
    out_bytes=0
    input_bytes=$(find -L "$work/stats-$1" -name '*.bin' -printf '%s\n' | awk '{ n += $1 } END { print n }')
    cost_of "$tacho" opstats -p "$work/chain.bin" -i "$work/stats-$1" -o "$out" --quiet "${@:3}"
    [[ ! -e $out ]] || out_bytes=$(find "$out" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
    rm -rf "$out"
    printf 'opstats\t%s files\t%s\t%s\t%s\t%s\n' "$1" "$2" "$input_bytes" "$out_bytes" "$cost" \
        >>"$results"
}

opstats_compile() { # NODES
    input_make "chain-stats-$1.onnx" "$gen_model" chain "$1"
    "$tacho" compile "$input" --machine aic100 --cores 16 --stats-level 70 -q -o "$work/chain.bin" \
        >/dev/null
}

opstats_run() {
    local files make_stats=${MAKE_STATS:-$bench_dir/../tests/make_stats}
    [[ -x $make_stats ]] || { echo "bench: no $make_stats, section opstats left out" >&2 && return; }
    echo "bench: opstats" >&2
    opstats_compile "$opstats_nodes"
    for files in 1 $opstats_more; do
        mkdir -p "$work/stats-$files"
        "$make_stats" "$work/chain.bin" "$work/stats-$files" sim "$files"
        cat "$work/stats-$files"/* >/dev/null
        opstats_measure "$files" summary --summary
        opstats_measure "$files" "trace, Chrome JSON" --trace
        opstats_measure "$files" "trace, Perfetto" --trace --to perfetto
    done
    opstats_compile "$opstats_small_nodes"
    mkdir -p "$work/stats-$opstats_small"
    "$make_stats" "$work/chain.bin" "$work/stats-$opstats_small" sim "$opstats_small"
    opstats_measure "$opstats_small" "summary of small files" --summary
    rm -rf "$work"/stats-* "$work/chain.bin"
}

opstats_report() { # as_text or as_markdown
    results_table opstats | "$1"
}

# Columns: 4 input bytes, 5 output bytes, 7 CPU time, 8 anonymous RSS, 12 status.
opstats_verdict() {
    awk -F '\t' -v OFS='\t' -v more="$opstats_more" '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    $1 != "opstats" { next }
    $12 != 0 { judge("decodes", $3, 0, "failed"); next }
    $3 == "summary of small files" {
        judge("summary >= 500 MB/s of buffers", $3, $4 / 1e6 / $7 >= 500, \
              int($4 / 1e6 / $7) " MB/s")
        next
    }
    $2 == "1 files" { input[$3] = $4; output[$3] = $5; time[$3] = $7; memory[$3] = $8; next }
    {
        seconds = $7 - time[$3]
        seconds = seconds > 0 ? seconds : 0.001
        read = ($4 - input[$3]) / 1e6 / seconds
        written = ($5 - output[$3]) / 1e6 / seconds
        judge("memory does not follow the files", $3, $8 <= memory[$3] + 8, \
              $8 " MB for " more ", " memory[$3] " MB for 1")
    }
    $3 == "summary" { judge("summary >= 500 MB/s of buffers", $3, read >= 500, int(read) " MB/s") }
    $3 ~ /JSON/ { judge("trace >= 400 MB/s of JSON", $3, written >= 400, int(written) " MB/s") }
    $3 ~ /Perfetto/ {
        judge("trace >= 1.5 M op records/s", $3, read / 64 >= 1.5, \
              sprintf("%.2f M/s", read / 64))
    }' "$results"
}
