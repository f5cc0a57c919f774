#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Fast kernels against ONNX Runtime: the same models, with random weights, on the same inputs.
# Outputs must agree within 1e-4 of the largest element, those of the quantised MobileNetV2 within
# one quantum; quantised models of torch, and every operator on the edges of its types, by reference
# kernels. Both are timed with one thread, in turns, by the processor's time; the median of
# rounds counts, and ResNet-50 and MobileNetV2 may take twice ONNX Runtime's at most. What is
# missed is said, and is the exit status.
#
#   tools/oracle.sh BUILD_DIR [--save docs/kernels.md] [--rounds N] [--models DIR]
#
# DIR has models as in the reader's folder of models: light/*.onnx, mobilenetv2_qdq.onnx, bert_toy.onnx
# and such; without it only made models are compared. ONNX Runtime is fetched by npm into a temporary folder, or taken
# from $ORT_MODULES. Where node, npm or the onnx package is missing it says so and ends well.
# --save puts the tables into the page, between its marks.
set -eu
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:?usage: tools/oracle.sh BUILD_DIR [--save PAGE] [--rounds N] [--models DIR]}
shift
save="" rounds=5 models=$here/../shared/data/models
while (($# > 1)); do
    case $1 in
    --save) save=$2 ;;
    --rounds) rounds=$2 ;;
    --models) models=$2 ;;
    *) echo "tools/oracle.sh: no option $1" >&2 && exit 2 ;;
    esac
    shift 2
done
(($# == 0)) || { echo "tools/oracle.sh: $1 has no value" >&2 && exit 2; }

skip() {
    echo "skip: $1"
    exit 0
}

command -v node >/dev/null || skip "no node"
python=/usr/bin/python3
"$python" -c 'import onnx, numpy' 2>/dev/null || skip "no onnx package for $python"
[[ -x $build/bench/run_model ]] || skip "no $build/bench/run_model: build first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
modules=${ORT_MODULES:-}
if [[ -z $modules ]]; then
    command -v npm >/dev/null || skip "no npm"
    (cd "$work" && npm install onnxruntime-node --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
        skip "npm cannot install onnxruntime-node: $(tail -n 1 "$work/npm.log")"
    modules=$work/node_modules
fi
export NODE_PATH=$modules

failed=0 values=$work/values table=$work/table.md
mkdir "$values"
median() { sort -g | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }'; }
at_most() { awk -v found="$1" -v most="$2" 'BEGIN { exit !(found ~ /^[0-9]/ && found + 0 <= most) }'; }
miss() {
    echo "FAIL $1"
    failed=$((failed + 1))
}

# compare NAME FILE KIND BAR OPTION...: one row of the table. KIND is what outputs are compared in:
# parts (1e-4 of the largest) or quanta (1); BAR is the largest ratio of times, 0: any.
compare() {
    local name=$1 file=$2 kind=$3 bar=$4 i line away quanta differing took counts ours theirs ratio
    shift 4
    : >"$work/ours"
    : >"$work/theirs"
    for ((i = 0; i < rounds; i++)); do
        line=$("$build/bench/run_model" "$file" --repeat 10 --cpu --save "$values" "$@") ||
            { miss "$name: run_model" && return; }
        cut -f 3 <<<"$line" >>"$work/ours"
        counts=$(cut -f 5,6,7 <<<"$line")
        line=$(node "$here/tests/oracle/compare.js" "$file" "$values" 10) ||
            { miss "$name: ONNX Runtime" && return; }
        IFS=$'\t' read -r away quanta differing took <<<"$line"
        echo "$took" >>"$work/theirs"
    done
    ours=$(median <"$work/ours") theirs=$(median <"$work/theirs")
    ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f", a / b }')
    if [[ $kind == quanta ]]; then
        at_most "$quanta" 1.01 || miss "$name: outputs are $quanta quanta apart"
        away="$quanta quanta"
    else
        at_most "$away" 1e-4 || miss "$name: outputs are $away of the largest apart"
    fi
    [[ $bar == 0 ]] || at_most "$ratio" "$bar" ||
        miss "$name: takes $ratio times as long as ONNX Runtime, at most $bar are allowed"
    awk -v OFS=' | ' -v name="$name" -v away="$away" -v differing="$differing" -v ours="$ours" \
        -v theirs="$theirs" -v ratio="$ratio" -v counts="$counts" 'BEGIN {
        split(counts, n, "\t")
        print "| " name, away, differing, sprintf("%.2f", ours), sprintf("%.2f", theirs), ratio,
              n[1], n[2], n[3] " |"
    }' | tee -a "$table"
}

cat >"$table" <<'HEAD'
| Model | Largest difference | Elements that differ | tacho, ms | ONNX Runtime, ms | Ratio | Fast steps | Reference steps | Reorders |
|---|---|---|---|---|---|---|---|---|
HEAD
# compare_random NAME FILE BAR OPTION...: the same of a model with random weights.
compare_random() {
    local name=$1 file=$2 bar=$3
    shift 3
    if "$python" "$here/tools/random_weights.py" "$file" -o "$work/model.onnx" >/dev/null; then
        compare "$name" "$work/model.onnx" parts "$bar" "$@"
    else
        miss "$name: random weights"
    fi
    rm -f "$work/model.onnx"
}

for file in "$models"/light/*.onnx; do
    name=$(basename "$file" .onnx)
    [[ -e $file ]] || continue
    free=$(df -Pk "$work" | awk 'END { print int($4 / 1024) }')
    if [[ $name == light_vgg19 && $free -lt 1024 ]]; then
        echo "not compared: vgg19 has 550 MB of weights, and $work $free MB"
        continue
    fi
    bar=0
    [[ $name != light_resnet50 ]] || bar=2
    compare_random "${name#light_}" "$file" "$bar"
done
for name in bert_toy mobilenetv2_shapes qdq_block resnet18_shapes; do
    if [[ ! -e $models/$name.onnx ]]; then
        echo "not compared: no $models/$name.onnx"
        continue
    fi
    dims=()
    [[ $name != bert_toy ]] || dims=(--dim batch=1 --dim max_seq_len_in_batch=64)
    compare_random "$name" "$models/$name.onnx" 0 "${dims[@]}"
done
"$python" "$here/tools/make_models.py" all "$work/made" >/dev/null
for name in cnn mobilenet transformer cnn_qdq_i8 cnn_qdq_u8; do
    compare "made: $name" "$work/made/$name.onnx" parts 0
done
for name in light/light_resnet50 mobilenetv2_qdq; do
    [[ -e $models/$name.onnx ]] || echo "not judged: no $models/$name.onnx"
done
if [[ -e $models/mobilenetv2_qdq.onnx ]]; then
    compare "MobileNetV2, int8" "$models/mobilenetv2_qdq.onnx" quanta 2 --dim batch=1
fi
# same_bits NAME: reference kernels give a quantised model's bits as ONNX Runtime does.
same_bits() {
    local file=$models/tiny/$1/model.onnx away quanta differing took
    [[ -e $file ]] || return 0
    "$build/bench/run_model" "$file" --reference --repeat 1 --save "$values" >/dev/null ||
        { miss "$1: run_model" && return; }
    IFS=$'\t' read -r away quanta differing took < <(node "$here/tests/oracle/compare.js" "$file" "$values" 1)
    echo "quantised: $1: $away of the largest apart"
    at_most "$away" 1e-6 || miss "$1: outputs are $away of the largest apart"
}
for name in vit_qdq convnext_qdq; do
    same_bits "$name"
done
# Every operator and type on the edges of the type.
"$python" "$here/tests/models/edge_values.py" "$build/bin/tacho" "$here/docs/operators.md" \
    --save "$work/edges" >/dev/null
node "$here/tests/oracle/edges.js" "$work/edges" 2>/dev/null || miss "edges of types"
kernels=$work/kernels.md
{
    echo "| Kernel | GFLOP/s | Microseconds | oneDNN's name |"
    echo "|---|---|---|---|"
    "$build/bench/run_kernels" | awk -F '\t' -v OFS=' | ' 'NF == 4 { print "| " $1, $2, $3, $4 " |" }'
} >"$kernels"
cat "$kernels"
if [[ $save ]]; then
    awk -v table="$table" -v kernels="$kernels" '
    function put(path, line) { while ((getline line < path) > 0) print line }
    /^<!-- end/ { is_within = 0 }
    !is_within { print }
    /^<!-- oracle -->/ { is_within = 1; put(table) }
    /^<!-- kernels -->/ { is_within = 1; put(kernels) }' "$save" >"$work/page" && cp "$work/page" "$save"
fi
echo "$failed missed"
[[ $failed -eq 0 ]]
