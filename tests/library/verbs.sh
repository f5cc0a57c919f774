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
    "$tacho" "$@" --format json >"$work/program" 2>/dev/null || (($? == 3))
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
    local name=$1 words=()
    shift
    while [[ $1 != -- ]]; do
        words+=("$1")
        shift
    done
    shift
    "$tacho" "$@" -o "$work/program.csv" >/dev/null 2>&1 || (($? == 3))
    "$verbs" "${words[0]}" "$work/library.csv" "${words[@]:1}"
    if cmp "$work/program.csv" "$work/library.csv"; then
        ((passed += 1))
    else
        echo "FAIL $name"
        ((failed += 1))
    fi
    rm -f "$work/program.csv" "$work/library.csv"
}

for file in torq/t1.csv torq/t4.csv torq/r2i.csv torq/r0.csv; do
    same "overview $file" overview overview "$file" -- overview "$file"
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
    same "run $model" 'latency|ops|compare' run "$model" sim:aic100 -- \
        run --device sim:aic100 --top 0 --compare "$model"
done
for run in run report; do
    same_file "join $run" join "tenstorrent/$run" -- ops --join "tenstorrent/$run"
done
same_file export export aic100 -- machine export aic100
same machines machines machines -- machine list
same machine machine machine aic100 -- machine show aic100
echo "verbs: $passed passed, $failed failed"
((failed == 0))
