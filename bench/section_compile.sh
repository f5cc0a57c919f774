# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section compile: a model from its file to its program and, for ResNet-50, to the table of its
# estimate alone. ResNet-50 is the real one where it is at hand, else one of its layers; and chains
# of nodes, also of such that do not fuse, must cost no more than their length, on one core and on
# sixteen. Sourced by run.sh.

compile_chains="1000 10000"

compile_measure() { # WHAT MACHINE [SUFFIX]
    local out=$work/compiled.${3:-bin}
    out_bytes=0
    cost_of "$tacho" compile "$input" --machine "$2" -o "$out" -q
    [[ ! -e $out ]] || out_bytes=$(stat -c %s "$out")
    rm -f "$out"
    printf 'compile\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$input_bytes" "$out_bytes" "$cost" \
        >>"$results"
}

compile_run() {
    local real=$here/../../shared/data/models/light/light_resnet50.onnx nodes machine
    echo "bench: compile" >&2
    input_make resnet.onnx "$gen_model" resnet
    compile_measure "ResNet-50, generated" torq-sl2610
    compile_measure "table of ResNet-50, generated" torq-sl2610 csv
    if [[ -e $real ]]; then
        input=$real input_bytes=$(stat -c %s "$real")
        for machine in torq-sl2610 aic100 host-cpu wormhole-n150; do
            compile_measure "ResNet-50" "$machine"
            compile_measure "table of ResNet-50" "$machine" csv
        done
    fi
    for nodes in $compile_chains; do
        input_make "chain-$nodes.onnx" "$gen_model" chain "$nodes"
        compile_measure "ONNX, $nodes nodes" torq-sl2610
        compile_measure "ONNX, $nodes nodes" aic100
        input_make "convs-$nodes.onnx" "$gen_model" convs "$nodes"
        compile_measure "3x3 Conv, $nodes nodes" torq-sl2610
        compile_measure "3x3 Conv, $nodes nodes" aic100
        compile_measure "3x3 Conv, $nodes nodes" wormhole-n150
        input_make "chain-$nodes.mlir" "$gen_model" tosa "$nodes"
        compile_measure "TOSA, $nodes nodes" torq-sl2610
    done
}

compile_report() { # as_text or as_markdown
    results_table compile | "$1"
}

compile_verdict() {
    awk -F '\t' -v OFS='\t' '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    $1 != "compile" { next }
    { who = $2 " on " $3 }
    $12 != 0 { judge("estimates", who, 0, "failed"); next }
    # A program is held twice when it is written: as tables and as its bytes.
    { judge("anonymous RSS <= model + twice what is written + 100 MB", who, \
            $8 <= ($4 + 2 * $5) / 1e6 + 100, $8 " MB") }
    # By CPU time: computers that measure are busy with other things, too.
    $2 ~ /^table of/ { judge("table <= 25 ms of CPU time", who, $7 <= 0.025, 1000 * $7 " ms") }
    $2 ~ /^ResNet/ { judge("program <= 30 ms of CPU time", who, $7 <= 0.03, 1000 * $7 " ms") }
    $2 ~ /, 10000 nodes/ {
        judge("10,000 nodes to program <= 3 s", who, $6 <= 3, sprintf("%s s, CPU %s s", $6, $7))
    }
    $2 ~ /, 1000 nodes/ { kind = $2; sub(/,.*/, "", kind); small[kind, $3] = $7 }
    $2 ~ /, 10000 nodes/ {
        kind = $2
        sub(/,.*/, "", kind)
        judge("10,000 nodes <= 12 times 1,000 by CPU time", who, $7 <= 12 * small[kind, $3] + 0.005, \
              sprintf("%.1f times", $7 / (small[kind, $3] > 0 ? small[kind, $3] : 0.001)))
    }' "$results"
}
