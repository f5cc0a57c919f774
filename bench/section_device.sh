# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section device: how fast programs are simulated, on every machine, and what recording every
# operator costs on this computer: runs with and without in turns, by processor time. Sourced by
# run.sh.

device_results=$work/device.tsv
device_pairs=${DEVICE_PAIRS:-$bench_dir/device_pairs}
device_machines="aic100 torq-sl2610 wormhole-n150 blackhole-p150 gemmini-8x8 host-cpu"
device_pair_count=20

device_compile() { # MACHINE LEVEL
    "$tacho" compile "$input" --machine "$1" --stats-level "$2" -o "$work/$1-$2.bin" >/dev/null 2>&1
}

device_add() { # KIND WHAT CMD...
    local line
    if line=$("${@:3}"); then
        printf '%s\t%s\t%s\n' "$1" "$2" "$line" >>"$device_results"
    else
        failures=$((failures + 1))
        echo "bench/run.sh: FAILED: ${*:3}" >&2
    fi
}

device_run() {
    local models=$here/../../shared/data/models machine what
    echo "bench: device" >&2
    : >"$device_results"
    input=$models/resnet18_shapes.onnx what="ResNet-18"
    if [[ ! -e $input ]]; then
        input_make resnet.onnx "$gen_model" resnet
        what="ResNet, generated"
    fi
    for machine in $device_machines; do
        device_compile "$machine" 70 || continue
        device_add sim "$what on $machine" "$device_pairs" sim "$work/$machine-70.bin"
    done
    for input in "$models"/light/light_{resnet50,squeezenet}.onnx; do
        if [[ ! -e $input ]] || ! device_compile host-cpu 0 || ! device_compile host-cpu 70; then
            continue
        fi
        device_add pairs "$(basename "$input" .onnx)" "$device_pairs" pairs "$work/host-cpu-0.bin" \
            "$work/host-cpu-70.bin" "$device_pair_count"
    done
}

device_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "simulated", "jobs", "cycles", "seconds", "cycles/s", "records s" }
    $1 == "sim" { print $2, $3, $4, $5, sprintf("%.3g", $4 / $5), $6 }' "$device_results" | "$1"
    printf '\n'
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "on cpu", "level 0 s", "level 70 s", "cost %", "from %", "to %" }
    $1 == "pairs" {
        print $2, $3, $4, sprintf("%.2f", 100 * $5), sprintf("%.2f", 100 * $6), sprintf("%.2f", 100 * $7)
    }' "$device_results" | "$1"
}

device_verdict() {
    awk -F '\t' -v OFS='\t' '
    $1 == "sim" { print "simulated <= 1 s", $2, $5 " s", $5 <= 1 ? "ok" : "MISS" }
    $1 == "pairs" {
        print "level 70 costs <= 1 %", $2, sprintf("%.2f %%", 100 * $5), $5 <= 0.01 ? "ok" : "MISS"
    }' "$device_results"
}
