# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section kernels: values of whole models with one thread, by processor time, against what oneDNN's
# kernels reach by themselves in the same run, and against ONNX Runtime in turns, where node finds
# it ($ORT_MODULES, $NODE_PATH). ResNet-50 and the quantised MobileNetV2, where they are at hand; a
# generated layer of ResNet-50 always, and operators that oneDNN does not have, from gen_kernels.py.
# Sourced by run.sh.

kernels_ceilings=$work/ceilings.tsv kernels_rows=$work/kernels.tsv
kernels_rounds=3
export NODE_PATH=${ORT_MODULES:-${NODE_PATH:-}}

kernels_has_peer() {
    command -v node >/dev/null && node -e 'require("onnxruntime-node")' >/dev/null 2>&1
}

kernels_median() { sort -g | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }'; }

# kernels_against FILE OPTION...: sets $peer to "OURS<tab>THEIRS", medians of rounds in turns, or "-".
kernels_against() {
    local file=$1 i line
    shift
    peer=$'-\t-'
    [[ $has_peer ]] || return 0
    mkdir -p "$work/values"
    : >"$work/ours"
    : >"$work/theirs"
    for ((i = 0; i < kernels_rounds; i++)); do
        line=$("$run_model" "$file" --cpu --repeat 10 --save "$work/values" "$@") || return 0
        cut -f 3 <<<"$line" >>"$work/ours"
        line=$(node "$here/../tests/oracle/compare.js" "$file" "$work/values" 10) || return 0
        cut -f 4 <<<"$line" >>"$work/theirs"
    done
    peer=$(kernels_median <"$work/ours")$'\t'$(kernels_median <"$work/theirs")
}

# kernels_measure WHAT FILE OPTION...: what, ms, GFLOP/s of its products, bytes, steps of kinds, in
# turns with ONNX Runtime both medians
kernels_measure() {
    local what=$1 file=$2
    shift 2
    "$run_model" "$file" --cpu --ops --repeat "$((repeat * 5))" "$@" >"$work/ops.tsv" || {
        failures=$((failures + 1))
        echo "bench/run.sh: FAILED: run_model $file" >&2
        return
    }
    kernels_against "$file" "$@"
    awk -F '\t' -v OFS='\t' -v what="$what" -v peer="$peer" '
    $1 == "op" { if ($3 > 0) { flop += $3 * $2; took += $2 } next }
    { ms = $2; fast = $5; reference = $6; reorders = $7; bytes = $8 }
    END {
        rate = took > 0 ? flop / took : 0
        print what, ms, sprintf("%.1f", rate), sprintf("%.2f", bytes / 1e6), fast, reference, reorders,
              peer
    }' "$work/ops.tsv" >>"$kernels_rows"
}

kernels_run() {
    local models=$here/../../shared/data/models
    echo "bench: kernels" >&2
    : >"$kernels_rows"
    has_peer=""
    ! kernels_has_peer || has_peer=1
    "$run_kernels" >"$kernels_ceilings" || : # there may be none
    input_make resnet.onnx "$gen_model" resnet
    kernels_measure "ResNet-50, generated" "$input"
    mkdir -p "$work/own"
    python3 "$here/gen_kernels.py" "$work/own"
    kernels_measure "own: Einsum" "$work/own/einsum.onnx"
    kernels_measure "own: LSTM" "$work/own/lstm.onnx"
    kernels_measure "own: GRU" "$work/own/gru.onnx"
    kernels_measure "own: f16 convolutions" "$work/own/f16.onnx"
    kernels_measure "own: dynamic quantisation" "$work/own/dynamic_int8.onnx"
    if [[ -e $models/light/light_resnet50.onnx ]]; then
        kernels_measure "ResNet-50" "$models/light/light_resnet50.onnx"
    fi
    if [[ -e $models/mobilenetv2_qdq.onnx ]]; then
        kernels_measure "MobileNetV2, int8" "$models/mobilenetv2_qdq.onnx" --dim batch=1
    fi
}

kernels_report() { # as_text or as_markdown
    {
        printf 'model\tCPU ms\tGFLOP/s of products\tactivations MB\tfast steps\treference\treorders'
        printf '\tmedian ms\tONNX Runtime ms\n'
        cat "$kernels_rows"
    } | "$1"
    [[ $has_peer ]] ||
        printf '\nno ONNX Runtime here: npm install onnxruntime-node --ignore-scripts, and %s\n' \
            "ORT_MODULES=.../node_modules"
    printf '\n'
    {
        printf 'kernel alone\tGFLOP/s\tus\toneDNN says\n'
        cat "$kernels_ceilings"
    } | "$1"
}

kernels_verdict() {
    awk -F '\t' -v OFS='\t' '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    FILENAME == ARGV[1] { if ($1 ~ /^f32 convolution 3x3/) ceiling = $2; next }
    ceiling == 0 { next }
    $1 == "ResNet-50" {
        judge("products >= 85 % of the kernel alone", $1, $3 >= 0.85 * ceiling, \
              sprintf("%.0f %%", 100 * $3 / ceiling))
        judge("activations <= 12 MB", $1, $4 <= 12, $4 " MB")
    }
    $1 ~ /int8/ { judge("products faster than f32 could be", $1, $3 > ceiling, $3 " GOP/s") }
    $8 + 0 > 0 && $9 + 0 > 0 && $1 ~ /^own/ {
        judge("at most three times ONNX Runtime", $1, $8 <= 3 * $9, sprintf("%.2f", $8 / $9))
    }
    $8 + 0 > 0 && $9 + 0 > 0 && $1 !~ /generated|^own/ {
        judge("at most twice ONNX Runtime", $1, $8 <= 2 * $9, sprintf("%.2f", $8 / $9))
    }
    { judge("no step by a reference kernel", $1, $6 == 0, $6) }
    { judge("at most 2 reorders", $1, $7 <= 2, $7) }' "$kernels_ceilings" "$kernels_rows"
}
