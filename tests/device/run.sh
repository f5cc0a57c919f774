#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs of several models, for every machine, at every stats level, on several cores and devices:
# the simulated device keeps its laws (device_laws.c).
#
#   tests/device/run.sh BIN_DIR TESTS_DIR MADE_MODELS_DIR
set -u
export LC_ALL=C.UTF-8

bin=${1:?} tests=${2:?} made=${3:?}
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-device.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

compile() { # MODEL NAME OPTION...
    local model=$1 name=$2
    shift 2
    "$bin/tacho" compile "$model" -o "$work/$name.bin" "$@" >/dev/null 2>"$work/said" || {
        echo "FAIL compile $name"
        cat "$work/said"
        failed=$((failed + 1))
    }
}

for model in "$made"/{mobilenet,cnn_qdq_i8,transformer}.onnx; do
    name=$(basename "$model" .onnx)
    for machine in aic100 torq-sl2610 wormhole-n150 blackhole-p150 gemmini-8x8 host-cpu; do
        compile "$model" "$name-$machine" --machine "$machine" --stats-level 70 --ddr-stats
    done
    for level in 0 40 50 100; do
        compile "$model" "$name-level$level" --machine aic100 --cores 2 --stats-level "$level"
    done
    for devices in 2 4; do
        compile "$model" "$name-devices$devices" --machine aic100 --cores 4 --devices $devices \
            --stats-level 100 --ddr-stats --pmu-recipe KernelUtil
    done
    compile "$model" "$name-torq-devices" --machine torq-sl2610 --devices 2 --stats-level 70
    compile "$model" "$name-macs" --machine aic100 --stats-level 100 --pmu-recipe HmxMacs
    compile "$model" "$name-bus" --machine aic100 --cores 2 --stats-level 100 --pmu-recipe AxiRdWr
done
"$tests/device_laws" "$work"/*.bin >"$work/laws" || failed=$((failed + 1))
grep -v ' of the estimate, ' "$work/laws"
echo "$(grep -c ' of the estimate, ' "$work/laws") programs, $failed failed"
((failed == 0))
