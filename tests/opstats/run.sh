#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs compiled, run on the simulated device and decoded: on 2 and 16 cores, at every level, on
# two devices. Summaries, traces and roll-ups keep their laws, whatever is asked for.
#
#   tests/opstats/run.sh BUILD_DIR
set -u
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tacho=$build/bin/tacho
opstats=$build/dropin/qaic-opstats
make_stats=$build/tests/make_stats
judge=$here/../judge/trace_judge.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
count=0
kept=0
mkdir judged

check() { # WHAT CMD...: 77 is skipped, with what it said
    local status=0
    count=$((count + 1))
    "${@:2}" >log 2>&1 || status=$?
    if ((status == 77)); then
        echo "skip $1: $(tail -1 log)"
    elif ((status != 0)); then
        echo "FAIL $1: $(tail -3 log)"
        failures=$((failures + 1))
    fi
}

compile() { # NAME MODEL ARGS...
    "$tacho" compile "$2" --machine aic100 -q -o "$1.bin" "${@:3}" >/dev/null
    rm -rf "stats-$1" && mkdir "stats-$1" && "$make_stats" "$1.bin" "stats-$1"
}

decode() { # NAME ARGS...: into out-NAME; every trace is kept for the judge
    rm -rf "out-$1"
    "$opstats" --qpc "$1.bin" --input-dir "stats-$1" --output-dir "out-$1" "${@:2}" || return 1
    local file
    for file in "out-$1"/*.trace.json; do
        [[ ! -e $file ]] || { ln "$file" "judged/$kept.$count.${file##*/}" && kept=$((kept + 1)); }
    done
}

trace() { # NAME DECODE_ARGS... -- CHECK_ARGS...
    local name=$1 args=()
    shift
    while [[ $1 != -- ]]; do args+=("$1") && shift; done
    decode "$name" --trace "${args[@]}" && python3 "$here/check_trace.py" "out-$name"/*.json "${@:2}"
}

# The arrows of both forms of a trace: the same spans at the same times.
arrows() { # NAME DECODE_ARGS...
    local name=$1
    decode "$name" --trace --flow-events full "${@:2}" &&
        python3 "$here/check_trace.py" "out-$name"/*.json --print-arrows | sort >arrows.json.txt || return 1
    "$tacho" opstats -p "$name.bin" -i "stats-$name" -o "out-$name" --trace --to perfetto --quiet \
        --flow-events full "${@:2}" || return 1
    "$judge" --check --flows --nested-zero "out-$name"/*.pb >arrows.pb || return 1
    cut -f2- arrows.pb | sort >arrows.pb.txt &&
        [[ -s arrows.pb.txt ]] && diff arrows.json.txt arrows.pb.txt
}

laws() { # NAME LEVEL
    rm -rf "laws-$1"
    "$tacho" opstats -p "$1.bin" -i "stats-$1" -o "laws-$1" --summary --format json --quiet &&
        "$tacho" info "$1.bin" --format json >info.json || return 1
    local summary
    for summary in "laws-$1"/*.summary.json; do
        python3 "$here/check_summary.py" "$2" info.json "$summary" || return 1
    done
}

# What is printed, by its own identities and beside the trace.
text_laws() { # NAME ARGS...
    decode "$1" --summary --trace --flow-events full "${@:2}" || return 1
    local summary
    for summary in "out-$1"/*.summary.txt; do
        python3 "$here/check_text.py" "$summary" "${summary%.summary.txt}.trace.json" || return 1
    done
}

# Roll-ups beside a trace that has every thread.
rollup_laws() { # NAME
    local what
    decode "$1" --trace --merge-thread-groups=false --flow-events full || return 1
    mkdir -p rollups
    "$tacho" info "$1.bin" --format json >rollups/info.json || return 1
    for what in op layer core device critical; do
        "$tacho" opstats -p "$1.bin" -i "stats-$1" --rollup $what --format json \
            >rollups/$what.json || return 1
    done
    python3 "$here/check_rollups.py" "out-$1"/*.trace.json rollups
}

# The critical path, waits and all, takes as long as the slowest core without its flush.
critical_path() { # NAME
    "$tacho" opstats -p "$1.bin" -i "stats-$1" --rollup critical --format json >path.json &&
        "$tacho" opstats -p "$1.bin" -i "stats-$1" --rollup core --format json >cores.json &&
        python3 -c "import json
load = lambda path: [json.loads(line) for line in open(path)]
path, cores = load('path.json'), load('cores.json')
total = sum(row['ucycles'] for row in path)
assert total == max(row['work_ucycles'] for row in cores), (total, cores)
assert all(row['ucycles'] == row['work_ucycles'] + row['wait_ucycles'] for row in path)
assert abs(sum(row['share_percent'] for row in path) - 100) < 0.5"
}

python3 "$here/../../tools/make_models.py" cnn -o cnn.onnx
python3 "$here/../../tools/make_models.py" transformer -o transformer.onnx

for model in cnn transformer; do
    for cores in 2 16; do
        for level in 40 50 70 100; do
            name=$model-$cores-$level
            check "compile and run $name" compile "$name" $model.onnx --cores $cores \
                --stats-level $level --ddr-stats --pmu-recipe KernelUtil
            check "summary $name" decode "$name" --summary
            check "laws $name" laws "$name" $level
            check "laws of the text of $name" text_laws "$name"
        done
        check "trace $name" trace "$name" --
        check "trace with arrows $name" trace "$name" --flow-events full -- --flows
        check "trace of threads $name" trace "$name" --merge-thread-groups=false \
            --show-barrier-events --flow-events full -- --flows --split --barriers
        check "trace of a core $name" trace "$name" -c 1 -- --cores 1
        check "arrows of $name" arrows "$name"
        check "arrows of threads, $name" arrows "$name" --merge-thread-groups=false
    done
    check "critical path of $name" critical_path "$name"
    check "roll-ups of $name" rollup_laws "$name"
    name=$model-devices
    check "compile for two devices, $model" compile $name $model.onnx --cores 2 --devices 2 \
        --stats-level 70 --ddr-stats --pmu-recipe KernelUtil
    check "laws of two devices, $model" laws $name 70
    check "laws of the text of two devices, $model" text_laws $name --merge-mq-traces false
    check "merged trace, $model" trace $name --merge-mq-traces --flow-events full -- --flows \
        --devices 2
    check "name of the merged trace" bash -c "ls out-$name/*-merged.qaic-opstats.trace.json"
    check "roll-ups of two devices, $model" rollup_laws $name
    check "compile for three devices, $model" compile $model-three $model.onnx --cores 2 \
        --devices 3 --stats-level 70
    check "roll-ups of three devices, $model" rollup_laws $model-three
    check "one trace each" decode $name --trace --merge-mq-traces false --summary
    check "two summaries and traces" bash -c "(( \$(ls out-$name | wc -l) == 4 ))"
    check "one of two devices" trace $name -d 1 --merge-mq-traces true -- --devices 1
    check "traffic between devices" bash -c "$tacho opstats -p $name.bin -i stats-$name \
        --rollup device --format json | python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert [(row[\"from_device\"], row[\"to_device\"]) for row in rows] == [(0, 1)], rows
assert rows[0][\"bytes\"] > 0'"
done

# HmxMacs: products, which are at least those of the model, padded.
check "compile with HmxMacs" compile macs cnn.onnx --cores 2 --stats-level 40 --pmu-recipe HmxMacs
check "summary with HmxMacs" decode macs --summary
check "products are counted" python3 -c "import glob, re
text = open(glob.glob('out-macs/*.txt')[0]).read()
shown = [int(macs) for macs in re.findall(r'c\d: HmxMacs is (\d+)\n', text)]
cycles = [int(count) for count in re.findall(r'c\d\d pmu 0x212 HMX_MAC_FLT: (\d+)', text)]
assert len(shown) == 2 and shown == [4096 * count for count in cycles], (shown, cycles)
assert sum(shown) >= 11.06e6, shown
clocks = [int(count) for count in re.findall(r'c\d\d pmu 0x214 HMX_CLOCKS: (\d+)', text)]
whole = [int(count) for count in re.findall(r'c\d: Total inference pcycle is (\d+)', text)]
assert len(clocks) == 2 and all(0 < a <= b for a, b in zip(clocks, whole)), (clocks, whole)
assert len(re.findall(r'c\d\dt\d pmu 0x214 HMX_CLOCKS: [1-9]', text)) == 2
assert len(re.findall(r'pmu 0x20[EF] \S+: N/A\n', text)) == 2 * 7 * 2
assert 'note: not recorded: counters 0x20E, 0x20F: the simulation does not count them\n' in text"

# What was not recorded is not 0, and roll-ups say which activation they are of.
rollup_is() { # NAME FOLDER WHAT CONDITION: of |rows|
    "$tacho" opstats -p "$1.bin" -i "$2" --rollup "$3" --format json >rollup.json 2>rollup.txt
    python3 -c "import json, sys
rows = [json.loads(line) for line in open('rollup.json')]
assert $4, rows"
}
for level in 40 50; do
    check "cores without ops, level $level" rollup_is cnn-2-$level stats-cnn-2-$level core \
        "len(rows) == 2 and all(row[key] is None for row in rows for key in ('busiest_ucycles',
         'busy_percent', 'sync_ucycles', 'barrier_ucycles', 'record_count'))"
    for what in op layer critical; do
        check "$what without ops, level $level" rollup_is cnn-2-$level stats-cnn-2-$level $what "not rows"
        check "... is said" grep -q "nothing of it was recorded" rollup.txt
    done
    check "barriers below level 70" bash -c "$opstats --qpc cnn-2-$level.bin --input-dir \
        stats-cnn-2-$level --output-dir none-$level --trace --show-barrier-events 2>&1 |
        grep -q 'barriers are recorded with operators'"
done
mkdir two damaged && "$make_stats" cnn-2-70.bin two sim 1 2
check "activations of roll-ups" rollup_is cnn-2-70 two core \
    "[row['activation'] for row in rows] == [0, 0, 1, 1]"
for what in op layer critical; do
    check "activations of $what" rollup_is cnn-2-70 two $what \
        "sorted({row['activation'] for row in rows}) == [0, 1]"
done
check "a whole critical path" rollup_is cnn-2-70 two critical \
    "all(row['quality'] == 'whole' and row['missing_count'] == 0 for row in rows)"
whole=(two/*-activation-0-*.bin)
head -c $(($(stat -c %s "${whole[0]}") * 3 / 4)) "${whole[0]}" >"damaged/$(basename "${whole[0]}")"
check "a critical path over damaged records" rollup_is cnn-2-70 damaged critical \
    "rows and all(row['quality'] == 'over damaged records' and row['missing_count'] > 0 for row in rows)"
check "cores of a cut file" rollup_is cnn-2-70 damaged core \
    "any(row['record_count'] is None and row['busiest_ucycles'] is None for row in rows)"

# Of a file that is cut or damaged nothing is shown that the whole file does not show.
check "damaged files" python3 "$here/check_damage.py" "$tacho" cnn-2-100.bin stats-cnn-2-100/*.bin

# A host's trace is put on the axis of the timer: the simulated host clock counts from 0, too.
cat >host.json <<'JSON'
{"traceEvents": [
{"ph": "M", "pid": 9, "tid": 1, "name": "thread_name", "args": {"name": "host"}},
{"ph": "c", "pid": 9, "tid": 1, "name": "clock_sync", "ts": 1000, "args": {"sync_id": "a", "host_ns": 0}},
{"ph": "X", "pid": 9, "tid": 1, "name": "enqueue", "ts": 990.5, "dur": 30}
]}
JSON
sed 's/clock_sync/no_sync/' host.json >no-sync.json
check "host trace" decode cnn-2-70 --trace --host-trace host.json
check "host and device on one axis" python3 -c "import glob, json
events = json.load(open(glob.glob('out-cnn-2-70/*.json')[0]))['traceEvents']
host = [e for e in events if e['name'] == 'enqueue']
core = [e for e in events if e['name'] == 'Core-0-Activation']
assert len(host) == 1 and 0 <= host[0]['ts'] < 0.053 and host[0]['dur'] == 30, host
assert len(core) == 1 and abs(core[0]['ts'] - host[0]['ts'] - 9.5) < 0.053, (host, core)"
# The runner's own trace of a late inference: its host and the device's stats are at one time.
mkdir late && cp cnn-2-70.bin late/programqpc.bin
check "a run with a host trace" "$build/dropin/qaic-runner" --test-data=late --num-iter=22 \
    --aic-profiling-type=raw_device_stats --aic-profiling-type=trace --aic-profiling-out-dir=late \
    --aic-profiling-start-iter=20
check "the runner's host trace" "$opstats" --qpc cnn-2-70.bin --input-dir late --output-dir late-out \
    --trace --host-trace late/aic-profiling-program-0-trace.json
check "host and device of a late inference" python3 -c "import glob, json
events = json.load(open(glob.glob('late-out/*.json')[0]))['traceEvents']
times = [e['ts'] for e in events if e['name'] in ('Core-0-Execution', 'Execute inference')]
assert len(times) == 2 and max(times) - min(times) < 0.053, times
names = [e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'process_name']
assert sorted(names) == ['HOST_PROC', 'program-0 [cnn]', 'program-0 [cnn_Core_0]',
                         'program-0 [cnn_Core_1]'], names"
# Inferences and activations of a runner's trace: a process for each core, however many there are.
check "a run of two activations" "$build/dropin/qaic-runner" --test-data=late --num-iter=5 -a 2 \
    --aic-profiling-type=trace --aic-profiling-out-dir=late --aic-profiling-num-samples=3
check "processes of the runner's trace" python3 -c "import json
events = json.load(open('late/aic-profiling-program-0-trace.json'))['traceEvents']
names = [e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'process_name']
own = ['[cnn]', '[cnn_Core_0]', '[cnn_Core_1]']
assert sorted(names) == sorted(['HOST_PROC'] + [f'program-0 {name}' for name in own] +
                               [f'program-0 activation-1 {name}' for name in own]), names
runs = {e['name'].rpartition('-Inf-')[2] for e in events if '-Inf-' in e['name']}
assert len(runs) == 3, runs
assert all(e['args']['opKind'] == e['name'].partition('-Inf-')[0] for e in events
           if '-Inf-' in e['name'])"
check "host trace without a record is refused" bash -c "! $opstats --qpc cnn-2-70.bin \
    --input-dir stats-cnn-2-70 --output-dir none --trace --host-trace no-sync.json 2>&1 |
    tee /dev/stderr | grep -q 'no clock-sync record' && exit 1; [[ ! -e none ]]"

# As a profile: what is written as a Perfetto trace and read back is what was recorded.
rows() { # FILE: spans and samples as JSON lines, without what names the file
    "$tacho" convert "$1" -o rows.jsonl -q "${@:2}" && grep -v '"kind":"attribute"' rows.jsonl | sort
}
round_trip() {
    rows stats-cnn-2-70/*.bin --program cnn-2-70.bin >direct.txt &&
        "$tacho" convert stats-cnn-2-70/*.bin --program cnn-2-70.bin -o trip.pb -q &&
        rows trip.pb >trip.txt && [[ -s trip.txt ]] && diff direct.txt trip.txt
}
check "to Perfetto and back" round_trip

# The library, too, takes the program that raw stats need.
use_program=$build/tests/use_program
check "the library with a program" bash -c "$use_program stats-cnn-2-70/*.bin trip2.pb cnn-2-70.bin |
    grep -qx '[1-9][0-9]* events, 0 lost; [1-9][0-9]* spans on [1-9][0-9]* tracks'"
check "the library's trace" cmp trip.pb trip2.pb
check "the library without one" bash -c "! $use_program stats-cnn-2-70/*.bin none.pb 2>message &&
    grep -q 'raw stats identify operators by number only' message && [[ ! -e none.pb ]]"

# What a computer measures of itself has neither cycles nor the engines of the program's machine.
computer() {
    "$tacho" compile cnn.onnx --machine aic100 -q -o cpu.bin --cores 2 --stats-level $1 >/dev/null
    rm -rf stats-cpu && mkdir stats-cpu && "$make_stats" cpu.bin stats-cpu cpu || return 1
    decode cpu --summary --trace || return 1
    ! grep -E 'HMX|HVX|DMAIssue|frequency is' out-cpu/*.txt &&
        ! grep -E 'HMX|HVX|DMAIssue|Freq|opPCycle|opMemory' out-cpu/*.json &&
        grep -qx 'note: times are measured; a ucycle is a tick of 1000 MHz' out-cpu/*.txt &&
        grep -q 'note: not recorded: cycles and frequency of cores' out-cpu/*.txt &&
        grep -qx 'c0: Total inference pcycle is N/A' out-cpu/*.txt
}
check "a computer's stats, level 40" computer 40
check "a computer's stats, level 70" computer 70
check "its ops" grep -qE 'c0 .* N/A .* 6 .*  aicconvolutiond32 CPU \(float\)$' out-cpu/*.txt

# A thousand files: memory as for ten, and progress where someone looks.
mkdir thousand ten && "$make_stats" cnn-2-70.bin thousand sim 1000
cp thousand/*-inf-?-* ten
check "a thousand files" python3 "$here/check_many.py" "$opstats" cnn-2-70.bin ten thousand

# Many files: memory does not follow their number.
mkdir many && "$make_stats" cnn-2-70.bin many sim 300
check "many files" "$opstats" --qpc cnn-2-70.bin --input-dir many --output-dir many-out --summary
check "as many summaries" bash -c "(( \$(ls many-out | wc -l) == 300 ))"
check "the same bytes twice" bash -c "$opstats --qpc cnn-2-70.bin --input-dir many --output-dir \
    many-again --summary && diff -r many-out many-again"

check "all $kept traces are sound" python3 "${judge%/*}/judge_all.py" --at-least "$kept" judged

echo "opstats: $((count - failures)) passed, $failures failed"
((failures == 0))
