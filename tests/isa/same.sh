#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Quantised programs give the same bytes with every instruction set that this computer has, and those
# of TOSA, whose arithmetic is all of integers, the bytes of reference kernels:
#
#   tests/isa/same.sh BUILD_DIR MADE_DIR TEST_MODELS_DIR DATA_DIR COUNT
#
# COUNT programs are made by chance (byte_outputs.c); models are those of the folders that are there.
# Limits that the computer does not have are said; the best of its own is among them always.
set -u
export LC_ALL=C.UTF-8
shopt -s nullglob

bin=${1:?}/bin tests=$1/tests made=${2:?} composed=${3:?} data=${4:?} programs=${5:?}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

unset ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA
limits=(ALL)
for limit in SSE41 AVX AVX2 AVX2_VNNI AVX512_CORE AVX512_CORE_VNNI AVX512_CORE_BF16 AVX512_CORE_AMX; do
    if [[ $(ONEDNN_MAX_CPU_ISA=$limit "$bin/tacho" --version) == *"names no instruction set"* ]]; then
        echo "FAIL $limit names no instruction set" && failed=$((failed + 1))
    elif [[ $(ONEDNN_MAX_CPU_ISA=$limit "$bin/tacho" --version) == *" instruction set $limit "* ]]; then
        limits+=("$limit")
    else
        echo "skip $limit: this computer does not have it"
    fi
done

# outputs OF FOLDER OPTION...: runs the model with each output in a file
outputs() {
    local model=$1 folder=$2
    shift 2
    mkdir -p "$folder"
    "$bin/tacho" run "$model" --quiet --no-tables --output "@$folder/0.bin" "$@" \
        >"$folder/printed" 2>"$folder/error"
}

check() { # IS_EXACT MODEL OPTION...
    local is_exact=$1 model=$2 limit name
    shift 2
    name=$(basename "$model")
    for limit in "${limits[@]}"; do
        if ! ONEDNN_MAX_CPU_ISA=$limit outputs "$model" "$work/$limit" "$@"; then
            echo "FAIL $name at $limit: $(cat "$work/$limit/error")"
            failed=$((failed + 1))
            return
        fi
        if ! diff -rq "$work/ALL" "$work/$limit" >/dev/null; then
            echo "FAIL $name: other bytes at $limit than at ALL"
            failed=$((failed + 1))
        fi
    done
    if [[ $is_exact ]]; then
        outputs "$model" "$work/reference" --kernels reference "$@"
        diff -rq "$work/ALL" "$work/reference" >/dev/null ||
            { echo "FAIL $name: other bytes than reference kernels" && failed=$((failed + 1)); }
    fi
    echo "$name: the same at ${limits[*]}${is_exact:+, and by reference kernels}"
    rm -rf "${work:?}"/*
}

for limit in "${limits[@]}"; do
    if ! ONEDNN_MAX_CPU_ISA=$limit "$tests/byte_outputs" "$programs" >"$work/lines.$limit"; then
        echo "FAIL programs by chance at $limit" && failed=$((failed + 1))
    elif ! diff "$work/lines.ALL" "$work/lines.$limit" >"$work/difference"; then
        echo "FAIL $(grep -c '^<' "$work/difference") of $programs programs by chance: other bytes at" \
            "$limit than at ALL, such as $(grep '^<' "$work/difference" | head -n 1)"
        failed=$((failed + 1))
    fi
done
echo "$programs programs by chance at ${limits[*]}"

count=0
for model in "$made"/*qdq*.onnx "$made"/gemm_[iu]8.onnx; do
    check "" "$model" && count=$((count + 1))
done
for model in "$composed"/*.mlir "$data"/mlir/tosa_ops/*{conv,matmul}*i{,nt}8*.mlir; do
    ! grep -q 'xi8>' "$model" || grep -q 'xf32>' "$model" || check exact "$model"
done
[[ ! -e $data/models/qdq_block.onnx ]] || check "" "$data/models/qdq_block.onnx"
[[ ! -e $data/models/mobilenetv2_qdq.onnx ]] ||
    check "" "$data/models/mobilenetv2_qdq.onnx" --dim batch=1
((count > 0)) || { echo "FAIL no quantised model in $made" && failed=$((failed + 1)); }
[[ $failed -eq 0 ]]
