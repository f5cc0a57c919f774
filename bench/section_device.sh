# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section device: how fast programs are simulated, on every machine; what simulating costs beside
# computing the same values (sim and cpu, level 70 and 0, whole processes in turns); and what
# recording every operator costs on this computer: runs with and without in turns, by processor
# time. Sourced by run.sh.

device_results=$work/device.tsv
device_pairs=${DEVICE_PAIRS:-$bench_dir/device_pairs}
device_machines="aic100 torq-sl2610 wormhole-n150 blackhole-p150 gemmini-8x8 host-cpu"
device_pair_count=20
device_turns=5
device_inferences=5

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

# Seconds by the clock and of the processor of a command.
device_time() { # CMD...
    local TIMEFORMAT='%R %U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%s %.3f\n", $1, $2 + $3 }'
}

# Two runs in turns; the best of each: wall A, wall B, processor A, processor B.
device_turn() { # "PROGRAM DEVICE" "PROGRAM DEVICE"
    local turn each program device
    for ((turn = 0; turn < device_turns; turn++)); do
        for each in 1 2; do
            read -r program device <<<"${!each}"
            echo "$each $(device_time "$tacho" run "$program" -d "$device" \
                -n "$device_inferences" --no-tables -q)"
        done
    done | awk -v OFS='\t' '
        !($1 in wall) || $2 < wall[$1] { wall[$1] = $2 }
        !($1 in cpu) || $3 < cpu[$1] { cpu[$1] = $3 }
        END { if (!wall[1] || !cpu[1]) exit 1; print wall[1], wall[2], cpu[1], cpu[2] }'
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
        device_add turns "$(basename "$input" .onnx): sim / cpu" device_turn \
            "$work/host-cpu-0.bin cpu" "$work/host-cpu-0.bin sim"
        device_add levels "$(basename "$input" .onnx) on sim: level 70 / 0" device_turn \
            "$work/host-cpu-0.bin sim" "$work/host-cpu-70.bin sim"
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
    BEGIN { print "runs", "first s", "second s", "ratio", "first cpu s", "second cpu s", "ratio" }
    $1 == "turns" || $1 == "levels" {
        print $2, $3, $4, sprintf("%.2f", $4 / $3), $5, $6, sprintf("%.2f", $6 / $5)
    }' "$device_results" | "$1"
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
    $1 == "sim" {
        rate = $4 / $5
        print "simulated >= 1e6 cycles/s", $2, sprintf("%.3g", rate), (rate >= 1e6 ? "ok" : "MISS")
    }
    $1 == "turns" {
        print "sim <= 1.3 of cpu, by the clock", $2, sprintf("%.2f", $4 / $3),
            $4 <= 1.3 * $3 ? "ok" : "MISS"
        print "sim <= 1.3 of cpu, processor", $2, sprintf("%.2f", $6 / $5),
            $6 <= 1.3 * $5 ? "ok" : "MISS"
    }
    $1 == "levels" {
        print "sim at level 70 <= 1.1 of level 0", $2, sprintf("%.2f", $6 / $5),
            $6 <= 1.1 * $5 ? "ok" : "MISS"
    }
    $1 == "pairs" {
        print "level 70 costs <= 1 %", $2, sprintf("%.2f %%", 100 * $5), $5 <= 0.01 ? "ok" : "MISS"
    }' "$device_results"
}
