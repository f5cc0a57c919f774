#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Fast kernels against ONNX Runtime: the same models, with random weights, on the same inputs.
# Outputs must agree within 1e-4 of the largest element; both are timed with one thread, in turns.
#
#   tools/oracle.sh BUILD_DIR [--save docs/kernels.md] [--rounds N] [--models DIR]
#
# DIR has models as in the reader's folder of models: light/*.onnx, mobilenetv2_qdq.onnx. ONNX
# Runtime is fetched by npm into a temporary folder, or taken from $ORT_MODULES. Where node, npm or
# the onnx package is missing it says so and ends well. --save puts the tables into the page, between its
# marks.
set -eu
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:?usage: tools/oracle.sh BUILD_DIR [--save PAGE] [--rounds N] [--models DIR]}
shift
save="" rounds=3 models=$here/../shared/data/models
while (($# > 1)); do
    case $1 in
    --save) save=$2 ;;
    --rounds) rounds=$2 ;;
    --models) models=$2 ;;
    *) echo "tools/oracle.sh: no option $1" >&2 && exit 2 ;;
    esac
    shift 2
done

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
        skip "npm cannot install onnxruntime-node"
    modules=$work/node_modules
fi
export NODE_PATH=$modules

failed=0 values=$work/values table=$work/table.md
mkdir "$values"
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a < b ? a : b }'; }

# compare NAME FILE TOLERANCE OPTION...: one row of the table.
compare() {
    local name=$1 file=$2 tolerance=$3 ours=1e9 theirs=1e9 i line away differing
    shift 3
    for ((i = 0; i < rounds; i++)); do
        line=$("$build/bench/run_model" "$file" --repeat 10 --save "$values" "$@") || {
            echo "FAIL $name: run_model" && failed=$((failed + 1)) && return
        }
        ours=$(least "$ours" "$(cut -f 2 <<<"$line")")
        counts=$(cut -f 5,6,7 <<<"$line")
        line=$(node "$here/tests/oracle/compare.js" "$file" "$values" 10) || {
            echo "FAIL $name: ONNX Runtime" && failed=$((failed + 1)) && return
        }
        IFS=$'\t' read -r away differing took <<<"$line"
        theirs=$(least "$theirs" "$took")
    done
    awk -v away="$away" -v most="$tolerance" 'BEGIN { exit !(away <= most) }' || {
        echo "FAIL $name: outputs are $away apart" && failed=$((failed + 1))
    }
    awk -v OFS=' | ' -v name="$name" -v away="$away" -v differing="$differing" -v ours="$ours" \
        -v theirs="$theirs" -v counts="$counts" 'BEGIN {
        split(counts, n, "\t")
        print "| " name, away, differing, sprintf("%.2f", ours), sprintf("%.2f", theirs),
              sprintf("%.2f", ours / theirs), n[1], n[2], n[3] " |"
    }' | tee -a "$table"
}

cat >"$table" <<'HEAD'
| Model | Largest difference | Elements that differ | tacho, ms | ONNX Runtime, ms | Ratio | Fast steps | Reference steps | Reorders |
|---|---|---|---|---|---|---|---|---|
HEAD
for file in "$models"/light/*.onnx; do
    name=$(basename "$file" .onnx)
    [[ -e $file && $name != light_vgg19 ]] || continue # half a gigabyte of weights
    "$python" "$here/tools/random_weights.py" "$file" -o "$work/model.onnx" >/dev/null
    compare "${name#light_}" "$work/model.onnx" 1e-4
    rm -f "$work/model.onnx"
done
"$python" "$here/tools/make_models.py" all "$work/made" >/dev/null
for name in cnn mobilenet transformer; do
    compare "made: $name" "$work/made/$name.onnx" 1e-4
done
# Between two quanta a result may go either way, and what follows goes with it.
for name in cnn_qdq_i8 cnn_qdq_u8; do
    compare "made: $name" "$work/made/$name.onnx" 0.05
done
if [[ -e $models/mobilenetv2_qdq.onnx ]]; then
    compare "MobileNetV2, int8" "$models/mobilenetv2_qdq.onnx" 0.1 --dim batch=1
fi
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
echo "$failed failed"
[[ $failed -eq 0 ]]
