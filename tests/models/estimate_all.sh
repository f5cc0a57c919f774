#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every model at hand on every machine: it is estimated, takes time, has the same MACs everywhere,
# takes no less than its engines would at their peak, and no operator is free.
#
#   tests/models/estimate_all.sh BIN_DIR DATA_DIR
set -u
export LC_ALL=C.UTF-8

bin=${1:?} data=${2:?}
tacho=$bin/tacho
if [[ ! -d $data/models ]]; then
    echo "no models in $data: skipped" >&2
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 done_count=0

fail() {
    echo "FAIL $1"
    failed=$((failed + 1))
}

# What must hold for one table; prints its MACs.
check_table='
function bad(what) { print what > "/dev/stderr"; status = 1 }
$1 == "table" { for (i = 1; i <= NF; ++i) at[$i] = i; next }
$1 == "operators" {
    if ($(at["cycles"]) < 1) bad("operator " $2 " is free")
    if ($(at["ideal_cycles"]) > $(at["cycles"])) bad("operator " $2 " is faster than its engines")
    sum += $(at["cycles"])
}
$1 == "total" {
    if ($(at["cycles"]) != sum) bad("the total is not the sum")
    if ($(at["ideal_cycles"]) > $(at["cycles"])) bad("the total is less than ideal")
    print $(at["macs"])
    has_total = 1
}
END { if (!has_total) bad("no total"); exit status }'

# estimate MODEL OPTIONS...: on every machine.
estimate() {
    local model=$1 macs first="" machine
    for machine in $machines; do
        done_count=$((done_count + 1))
        if ! "$tacho" compile "$model" -m "$machine" -q -o "$work/out.csv" "${@:2}" \
            2>"$work/err"; then
            fail "$(basename "$model") on $machine: $(head -n 2 "$work/err")"
            continue
        fi
        # Names may hold commas: those fields are quoted, and taken out first.
        sed -E 's/"([^"]|"")*"/quoted/g' "$work/out.csv" >"$work/plain.csv"
        macs=$(awk -F, "$check_table" "$work/plain.csv" 2>"$work/err") ||
            fail "$(basename "$model") on $machine: $(head -n 2 "$work/err")"
        [[ -z $first || $first == "$macs" ]] ||
            fail "$(basename "$model") on $machine: $macs MACs, elsewhere $first"
        first=$macs
    done
}

machines="torq-sl2610 aic100 wormhole-n150 blackhole-p150 gemmini-8x8 host-cpu"
for model in "$data"/models/light/*.onnx "$data"/models/{qdq_block,mobilenetv2_shapes,resnet18_shapes}.onnx; do
    estimate "$model"
done
estimate "$data/models/mobilenetv2_qdq.onnx" --dim batch=1
estimate "$data/models/bert_toy.onnx" --dim batch=2 --dim max_seq_len_in_batch=64

# MACs that are published: 4.1 G, 0.30 G.
check_macs() { # MODEL MACS
    local macs
    macs=$("$tacho" compile "$data/models/$1" -q --format csv |
        sed -E 's/"([^"]|"")*"/quoted/g' | awk -F, "$check_table")
    [[ $macs == "$2" ]] || fail "$1: $macs MACs instead of $2"
}
check_macs light/light_resnet50.onnx 4089184256
check_macs mobilenetv2_shapes.onnx 300774272

machines="torq-sl2610 wormhole-n150"
for model in "$data"/mlir/tosa_ops/*.mlir "$data"/mlir/torch_ops/*.mlir; do
    [[ -e $model ]] && estimate "$model"
done

echo "$done_count estimates, $failed failed"
((failed == 0))
