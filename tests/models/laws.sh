#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every model at hand, compiled for every machine, with every number of cores, for several devices
# and as a batch: programs keep their laws (laws.c).
#
#   tests/models/laws.sh LAWS MADE_DIR TEST_MODELS_DIR DATA_DIR
set -u
export LC_ALL=C.UTF-8

laws=${1:?} made=${2:?} composed=${3:?} data=${4:?}
samples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../samples/tosa" && pwd)
failed=0 done_count=0

check() { # MODEL DIM...
    local said
    done_count=$((done_count + 1))
    if ! said=$("$laws" "$@"); then
        echo "FAIL $(basename "$1"):"
        grep -v ' cycles, ' <<<"$said" | head -n 5
        failed=$((failed + 1))
    fi
}

for model in "$made"/*.onnx "$data"/models/light/*.onnx "$data"/models/*_shapes.onnx; do
    [[ ! -e $model || $model == */symbolic.onnx ]] || check "$model"
done
[[ ! -e $made/symbolic.onnx ]] || check "$made/symbolic.onnx" N=2 S=16
# As text alone: bytecode gives the same graph (models.mlir).
for model in "$composed"/*.mlir "$samples"/*.mlir "$data"/models/qdq_block.onnx \
    "$data"/mlir/tosa_ops/*.mlir; do
    case $model in
    */dynamic.mlir) check "$model" arg0.0=4 arg1.1=6 ;;
    */torch_onnx.mlir) check "$model" arg1.0=5 ;;
    *) [[ ! -e $model ]] || check "$model" ;;
    esac
done
for model in "$data"/models/mobilenetv2_qdq.onnx; do
    [[ ! -e $model ]] || check "$model" batch=1
done
for model in "$data"/models/bert_toy.onnx; do
    [[ ! -e $model ]] || check "$model" batch=1 max_seq_len_in_batch=32
done
echo "$done_count models, $failed failed"
[[ $done_count -gt 0 && $failed -eq 0 ]]
