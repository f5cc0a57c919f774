#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Timelines of the compiler as Torq's first and last generation write them, read back: both say
# the same of every engine, whatever work runs on it. Composed models first; then every model of
# Torq's own tests, where they are at hand.
#
#   tests/timelines/run.sh BIN_DIR
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
tacho=$(cd "${1:?}" && pwd)/tacho
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 files=0

fail() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# Engine, start and cycles of every span of the timeline $1; further words are for the reader.
list_spans() {
    "$tacho" convert "$@" -q --to csv -o - | awk -F, '$1 == "span" { print $4, $7, $9 }' | sort
}

# What both timelines of the model $1 say is the same; further words are options of the reader.
compare() {
    local model=$1
    shift
    local name=${model##*/}
    rm -f "$work"/*.csv "$work"/t?
    files=$((files + 1))
    for form in t1 t4; do
        "$tacho" compile "$model" -q "${hardware[@]}" --profile "$work/$form.csv" \
            --profile-format $form -o "$work/program" --format csv >"$work/out" 2>"$work/why"
        (($? == 0 || $? == 3)) || { fail "$name: $(head -n 1 "$work/why")"; return; }
        list_spans "$work/$form.csv" "$@" >"$work/$form"
    done
    [[ -s $work/t4 ]] || fail "$name: no span is read back"
    cmp -s "$work/t1" "$work/t4" ||
        fail "$name: $(diff "$work/t1" "$work/t4" | grep -m2 '^[<>]' | tr '\n' ' ')"
}

# Spans of |engine| in the last timeline.
count_of() { grep -c "^$1 " "$work/t1"; }

hardware=()

# Work of the slices, and work that only the vector engine does.
cat >"$work/topk.mlir" <<'EOF'
func.func @main(%x: !torch.vtensor<[16,1000],f32>) -> (!torch.vtensor<[16,5],f32>, !torch.vtensor<[16,5],si64>) attributes {torch.onnx_meta.opset_version = 13 : si64} {
  %k = torch.vtensor.literal(dense<5> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  %r = torch.operator "onnx.Relu"(%x) : (!torch.vtensor<[16,1000],f32>) -> !torch.vtensor<[16,1000],f32>
  %0:2 = torch.operator "onnx.TopK"(%r, %k) : (!torch.vtensor<[16,1000],f32>, !torch.vtensor<[1],si64>) -> (!torch.vtensor<[16,5],f32>, !torch.vtensor<[16,5],si64>)
  return %0#0, %0#1 : !torch.vtensor<[16,5],f32>, !torch.vtensor<[16,5],si64>
}
EOF
compare "$work/topk.mlir"
(($(count_of CSS) > 0)) || fail "topk.mlir: nothing ran on the vector engine"

# Slices that do not take turns: small work on one of them between work on both.
cat >"$work/uneven.mlir" <<'EOF'
func.func @main(%a: tensor<1x1x1xi8>, %b: tensor<1x33x65xi8>) -> (tensor<1x1x1xi8>, tensor<1x33x65xi8>) {
  %0 = tosa.add %a, %a : (tensor<1x1x1xi8>, tensor<1x1x1xi8>) -> tensor<1x1x1xi8>
  %1 = tosa.add %b, %b : (tensor<1x33x65xi8>, tensor<1x33x65xi8>) -> tensor<1x33x65xi8>
  %2 = tosa.add %0, %0 : (tensor<1x1x1xi8>, tensor<1x1x1xi8>) -> tensor<1x1x1xi8>
  %3 = tosa.reverse %2 {axis = 0 : i32} : (tensor<1x1x1xi8>) -> tensor<1x1x1xi8>
  return %3, %1 : tensor<1x1x1xi8>, tensor<1x33x65xi8>
}
EOF
compare "$work/uneven.mlir"

# One slice, and more than a reader takes turns on by itself.
hardware=(--torq-hw 0:512:1:coral_v1:nss_v1)
compare "$work/uneven.mlir"
(($(count_of 'Slice 0') > 1)) || fail "one slice: nothing ran on it"
(($(count_of 'Slice 1') == 0)) || fail "one slice: something ran on the second"
hardware=(--torq-hw 0:512:4:coral_v1:nss_v1)
compare "$work/uneven.mlir" --num-slices 4
(($(count_of 'Slice 3') > 0)) || fail "four slices: nothing ran on the last"

hardware=()
for model in "$root"/../shared/data/mlir/tosa_ops/*.mlir; do
    [[ ! -f $model ]] || compare "$model"
done

echo "$files models, $failed failed"
((failed == 0))
