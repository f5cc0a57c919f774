#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Models through compiler and execution, against the graph's own evaluation (execute_models.c):
# with reference kernels to the bit, with fast ones within 1e-4 of the largest element.
#
#   tests/models/execute.sh EXECUTE_MODELS MADE_DIR TEST_MODELS_DIR DATA_DIR NODE_TESTS_DIR
set -u
export LC_ALL=C.UTF-8
shopt -s nullglob

execute=${1:?} made=${2:?} composed=${3:?} data=${4:?} nodes=${5:?}
failed=0

check() { # NAME OPTION-OR-FILE...
    local name=$1 said
    shift
    if said=$("$execute" "$@"); then
        echo "$name: $(tail -n 1 <<<"$said")"
    else
        echo "FAIL $name:"
        grep -v '^agrees\|^unsupported' <<<"$said" | head -n 10
        failed=$((failed + 1))
    fi
}

check_if_any() { # NAME OPTIONS FILE...: nothing to do where there is no such file
    local name=$1 options=$2
    shift 2
    [[ $# -gt 0 && -e $1 ]] || return 0
    # shellcheck disable=SC2086 # options are words
    check "$name" $options "$@"
}

models=()
for model in "$made"/*.onnx; do
    [[ $model == *symbolic* ]] || models+=("$model")
done
check "made models" --at-least 7 "${models[@]}"
check_if_any "composed models" "" "$composed"/*.mlir
check_if_any "operators" "--quiet --at-least 750" "$nodes"/node/*/model.onnx \
    "$nodes"/simple/*/model.onnx
check_if_any "TOSA" "--quiet --at-least 170" "$data"/mlir/tosa_ops/*.mlir
check_if_any "transformer" "--dim batch=1 --dim max_seq_len_in_batch=8" "$data"/models/bert_toy.onnx
check_if_any "quantised" "" "$data"/models/qdq_block.onnx
check "made models, fast" --fast --at-least 7 "${models[@]}"
check_if_any "operators, fast" "--fast --quiet --at-least 750" "$nodes"/node/*/model.onnx \
    "$nodes"/simple/*/model.onnx "$nodes"/pytorch-*/*/model.onnx
check_if_any "TOSA, fast" "--fast --tolerance 0 --quiet --at-least 170" "$data"/mlir/tosa_ops/*.mlir
check_if_any "transformer, fast" "--fast --dim batch=1 --dim max_seq_len_in_batch=8" \
    "$data"/models/bert_toy.onnx
# A result that lies between two quanta may go either way: 0.053 is one of the last scale.
check_if_any "quantised, fast" "--fast --tolerance 0.053" "$data"/models/qdq_block.onnx
[[ $failed -eq 0 ]]
