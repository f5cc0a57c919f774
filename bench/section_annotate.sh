# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section annotate: a host profile joined with debug information, as the vendor's table, as all rows
# and columns, and as a trace. 100 k and 1 M rows, four for each job. The debug information is text,
# and bytecode where there is mlir-opt to make it. Sourced by run.sh.

annotate_sizes="100000 1000000"

annotate_measure() { # ROWS KIND DEBUG NAME ARGS...
    local rows=$1 kind=$2 debug=$3 name=$4 out=$work/annotated.${5##*.}
    out_bytes=0
    cost_of "$tacho" annotate "$debug" "$input" -o "$out" -q "${@:6}"
    [[ ! -e $out ]] || out_bytes=$(stat -c %s "$out")
    rm -f "$out"
    printf 'annotate\t%s rows, %s\t%s\t%s\t%s\t%s\n' "$rows" "$kind" "$name" "$input_bytes" \
        "$out_bytes" "$cost" >>"$results"
}

annotate_case() { # ROWS KIND DEBUG
    annotate_measure "$1" "$2" "$3" ".csv, torq-a3" .csv --columns torq-a3
    annotate_measure "$1" "$2" "$3" ".csv, native" .csv
    annotate_measure "$1" "$2" "$3" ".pb" .pb
}

annotate_run() {
    local rows jobs debug opt
    opt=$(command -v mlir-opt-22 || command -v mlir-opt) || opt=
    input_make model.mlir "$gen_annotate" model 1
    for rows in $annotate_sizes; do
        echo "bench: annotate, $rows rows" >&2
        jobs=$((rows / 4))
        input_make "annotate-$rows-debug.mlir" "$gen_annotate" mlir "$jobs"
        debug=$input
        input_make "annotate-$rows-run.csv" "$gen_annotate" csv "$jobs"
        cat "$input" "$debug" >/dev/null
        annotate_case "$rows" text "$debug"
        if [[ $opt ]] && "$opt" --allow-unregistered-dialect --emit-bytecode "$debug" \
            -o "$work/debug.mlirb"; then
            cp "$input_dir/model.mlir" "$work" 2>/dev/null || true # the same, without --dir
            annotate_case "$rows" bytecode "$work/debug.mlirb"
            rm -f "$work/debug.mlirb"
        fi
        input_drop
        [[ $keep_dir ]] || rm -f "$debug"
    done
}

annotate_report() { # as_text or as_markdown
    results_table annotate | "$1"
}

annotate_verdict() {
    awk -F '\t' -v OFS='\t' '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    $1 != "annotate" { next }
    { kind = $2; sub(/.*, /, "", kind); who = kind " to " $3 }
    $12 != 0 { judge("annotates", who, 0, "failed"); next }
    $2 ~ /^100000 / {
        small[who] = $7
        judge("100 k rows <= 0.3 s by CPU time", who, $7 <= 0.3, $7 " s")
        judge("100 k rows <= 100 MB anonymous RSS", who, $8 <= 100, $8 " MB")
    }
    $2 ~ /^1000000 / && who in small {
        judge("1 M rows <= 12 times as long", who, $7 <= 12 * small[who], \
              sprintf("%.1f times", $7 / small[who]))
    }' "$results"
}
