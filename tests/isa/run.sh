#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Kernels, executions and golden cases with one instruction set, as ONEDNN_MAX_CPU_ISA limits it:
#
#   tests/isa/run.sh LIMIT BUILD_DIR MADE_DIR DATA_DIR [--all] UNIT_TEST...
#
# LIMIT is an instruction set or "default". The unit tests named, the golden cases that run programs,
# made models and the quantised MobileNetV2 of DATA_DIR, where it is there, have to pass. --all: all
# golden cases, all models of DATA_DIR and the operator tests of the ONNX standard. Exits with 77
# where this computer does not have the instruction set.
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
limit=${1:?} build=${2:?} made=${3:?} data=${4:?}
shift 4
all=""
[[ ${1:-} != --all ]] || { all=1 && shift; }
(($# > 0)) || { echo "tests/isa/run.sh: no unit tests" >&2 && exit 2; }

unset ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA
best=$("$build/bin/tacho" --version)
if [[ $limit != default ]]; then
    export ONEDNN_MAX_CPU_ISA=$limit
    if [[ $("$build/bin/tacho" --version) == *"names no instruction set"* ]]; then
        echo "FAIL $limit names no instruction set"
        exit 1
    fi
    if [[ $("$build/bin/tacho" --version) != *" instruction set $limit "* ]]; then
        echo "skip: this computer has no $limit; it has: $(tail -n 1 <<<"$best")"
        exit 77
    fi
fi
"$build/bin/tacho" --version | tail -n 1

failed=0
check() { # NAME COMMAND...: 77 is skipped
    local name=$1 said status=0
    shift
    said=$("$@" 2>&1) || status=$?
    case $status in
    0) echo "passed $name" ;;
    77) echo "skip $name: $(tail -n 1 <<<"$said")" ;;
    *)
        echo "FAIL $name:"
        tail -n 20 <<<"$said"
        failed=$((failed + 1))
        ;;
    esac
}

for test in "$@"; do
    check "$test" "$build/tests/$test"
done

cases=()
if [[ ! $all ]]; then
    mapfile -t cases < <(cd "$here/golden/cases" &&
        grep -lE '(tacho run|torq-run-module|iree-run-module|qaic-runner)' -- */cmd | cut -d/ -f1)
fi
check golden python3 "$here/golden/run.py" "$build/bin" "$build/dropin" --jobs 1 "${cases[@]}"

models=()
for model in "$made"/*.onnx; do
    [[ $model == *symbolic* ]] || models+=("$model")
done
check "made models" "$build/tests/execute_models" --fast --at-least 7 "${models[@]}"
nodes=/usr/share/libonnx-testdata/data
if [[ $all ]]; then
    check "models" "$build/tests/golden_models" "$data/models" --fast
    check "executions" bash "$here/models/execute.sh" "$build/tests/execute_models" "$made" \
        "$here/data/models" "$data" "$nodes"
    check "operators" "$build/tests/node_tests" --fast --at-least 941 "$nodes/node" \
        "$nodes/pytorch-converted" "$nodes/pytorch-operator" "$nodes/simple"
else
    check "MobileNetV2, int8" "$build/tests/golden_models" "$data/models" mobilenetv2_qdq --fast
fi
[[ $failed -eq 0 ]]
