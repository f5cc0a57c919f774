#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The library's analyses say what the command line says: the same JSON, to the byte, but for tables
# that only the library has.
#
#   tests/library/verbs.sh VERBS TACHO
set -euo pipefail
verbs=$(realpath "$1") tacho=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../data"
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-verbs.XXXXXX")
trap 'rm -rf "$work"' EXIT
export TACHO_HOST_CPU=built-in
failed=0 passed=0

# same NAME PATTERN VERBS_ARGUMENTS -- TACHO_ARGUMENTS: compares the lines of tables |PATTERN|.
same() {
    local name=$1 tables=$2 words=()
    shift 2
    while [[ $1 != -- ]]; do
        words+=("$1")
        shift
    done
    shift
    "$tacho" "$@" --format json >"$work/program" 2>/dev/null || (($? >= 3))
    grep -E "^\{\"schema_version\":1,\"table\":\"($tables)\"" "$work/program" >"$work/expected"
    "$verbs" "${words[@]}" | grep -E "^\{\"schema_version\":1,\"table\":\"($tables)\"" >"$work/seen"
    if diff "$work/expected" "$work/seen"; then
        ((passed += 1))
    else
        echo "FAIL $name"
        ((failed += 1))
    fi
}

# same_file NAME VERBS_ARGUMENTS -- TACHO_ARGUMENTS: compares what both write to a file.
same_file() {
    local name=$1 words=() suffix=csv
    shift
    while [[ $1 != -- ]]; do
        words+=("$1")
        shift
    done
    shift
    [[ $1 != report ]] || suffix=html
    "$tacho" "$@" -o "$work/program.$suffix" >/dev/null 2>&1 || (($? == 3))
    "$verbs" "${words[0]}" "$work/library.$suffix" "${words[@]:1}"
    if cmp "$work/program.$suffix" "$work/library.$suffix"; then
        ((passed += 1))
    else
        echo "FAIL $name"
        ((failed += 1))
    fi
    rm -f "$work/program.$suffix" "$work/library.$suffix"
}

for file in torq/t1.csv torq/t4.csv torq/r2i.csv torq/r0.csv; do
    same "overview $file" overview overview "$file" -- overview "$file"
    same "breakdown $file" '[a-z]*' breakdown "$file" -- breakdown "$file"
    same "ops $file" ops ops "$file" -- ops --top 0 "$file"
    same_file "report $file" report "$file" -- report --title "A <page>" "$file"
    same_file "part of $file" part "$file" -- \
        convert --to perfetto --window 1us.. --min-duration 100ns --filter '/^[a-z]/' "$file"
    same "info $file" 'inputs|tracks|lost|notes' info "$file" -- info "$file"
done
for file in t1 t4 r0; do
    same "some ops $file" ops some "torq/$file.csv" -- \
        ops --top 0 --window ..500us --filter '/[aeiou]/' "torq/$file.csv"
done
for file in r0.csv r1q.csv r2i.csv; do
    same "annotate $file" annotation annotate annotate/two.mlir "annotate/$file" -- \
        annotate annotate/two.mlir "annotate/$file"
done
for file in run/pair.mlir compile/block.mlir; do
    same "info $file" '[a-z_]*' info "$file" -- info "$file"
done
for model in run/pair.mlir compile/block.mlir; do
    same "compile $model" 'operators|total|bounds|memory' compile "$model" aic100 -- \
        compile -m aic100 "$model"
    same "run $model" 'latency|ops|compare' run "$model" sim:aic100 -- run --device sim:aic100 \
        --top 0 --compare --iterations 5 --samples 2 --start-delay 1 "$model"
    same "blocks $model" blocks run "$model" sim:torq-sl2610 -- run --device sim:torq-sl2610 \
        --blocks --iterations 5 --samples 2 --start-delay 1 "$model"
done
for file in compile/block.mlir roofline/gpu.json tenstorrent/ops_v1.csv; do
    same "roofline $file" 'ceilings|roofline' roofline "$file" wormhole-n150 -- \
        roofline --top 0 -m wormhole-n150 "$file"
done
for run in run report; do
    same_file "join $run" join "tenstorrent/$run" -- ops --join "tenstorrent/$run"
done
cp -r tenstorrent/run "$work/logs"
cp tenstorrent/ops_v21.csv "$work/logs/ops_perf_results.csv"
for table in tenstorrent/ops_v1.csv tenstorrent/ops_v21.csv "$work/logs"; do
    same "tt_report $table" '[a-z_]*' tt_report "$table" -- \
        ops --compat tt-perf-report --id-range 2- --group-by op "$table"
done

# A directory stands for the profiles in it; what is not a profile is left out.
mkdir "$work/dir"
cp torq/t1.csv torq/t4.csv "$work/dir"
echo 'no profile' >"$work/dir/notes.txt"
for verb in overview ops info; do
    all=()
    [[ $verb != ops ]] || all=(--top 0)
    same "$verb of a directory" 'overview|ops|inputs|tracks' "$verb" "$work/dir" -- \
        "$verb" "${all[@]}" "$work/dir"
done

for side in old new; do
    mkdir "$work/$side"
    for i in 1 2 3 4 5 6; do
        time=$((1000 + i))
        [[ $side == old ]] || time=$((1300 - i))
        printf '[{"ph":"X","name":"conv","pid":1,"tid":1,"ts":0,"dur":%s}]' $time \
            >"$work/$side/$i.json"
    done
done
same diff '[a-z_]*' diff "$work/old" "$work/new" -- \
    diff --by type --top 0 --gate rel=3%,abs=20us "$work/old" "$work/new"
outcome=$("$verbs" diff "$work/old" "$work/new" 2>&1 >/dev/null)
[[ $outcome == 'outcome 3, losses 0' ]] || { echo "FAIL outcome: $outcome" && ((failed += 1)); }
"$verbs" baseline "$work/baselines" "$work/old" >"$work/listed"
if "$tacho" baseline list --dir "$work/baselines" --json | diff - "$work/listed"; then
    ((passed += 1))
else
    echo "FAIL baselines" && ((failed += 1))
fi
same 'diff of a baseline' 'operators|gate' diff "$work/baselines/b" "$work/new" -- \
    diff --by type --top 0 --gate rel=3%,abs=20us "$work/old" "$work/new"

# Summaries and traces, file by file.
"$tacho" compile -q --stats-level 100 -m aic100 run/pair.mlir -o "$work/program.bin"
"$tacho" run -q --no-tables -n 2 --samples 2 --stats-dir "$work/stats" "$work/program.bin"
"$tacho" opstats -q "$work/program.bin" "$work/stats" -o "$work/by_program" --summary --trace \
    --format csv --flow-events full
"$verbs" opstats "$work/by_library" "$work/program.bin" "$work/stats"
if diff -r "$work/by_program" "$work/by_library" && [[ $(ls "$work/by_library" | wc -l) -ge 4 ]]; then
    ((passed += 1))
else
    echo "FAIL opstats" && ((failed += 1))
fi

# Operators of a run are reported at level 70 (0: as usual), and not below it.
for level in 0 70 40; do
    "$verbs" capture "$work/$level.tacho" "$level" "$tacho" run -q --no-tables run/pair.mlir
    count=$("$tacho" ops --class compute --csv -q "$work/$level.tacho" 2>/dev/null | sed 1d | wc -l)
    if ((level == 40 ? count == 0 : count > 0)); then
        ((passed += 1))
    else
        echo "FAIL capture at level $level: $count operators" && ((failed += 1))
    fi
done
same_file export export aic100 -- machine export aic100
same machines machines machines -- machine list
same machine machine machine aic100 -- machine show aic100
echo "verbs: $passed passed, $failed failed"
((failed == 0))
