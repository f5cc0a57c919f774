#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the example programs and compares what they print and write.
#
#   tests/examples/run.sh FOLDER      (with the built examples)
set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
judge=$here/../judge/trace_judge.py
data=$here/../data
if (($# != 1)) || [[ ! -x $1/timechart ]]; then
    echo "usage: tests/examples/run.sh FOLDER" >&2
    exit 2
fi
programs=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-examples.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0 failed=0

# expect NAME FILE COMMAND...: compares the output and exit code of a command with a file.
expect() {
    local name=$1 expected=$here/$2
    shift 2
    { "$@"; echo "exit $?"; } >seen 2>&1
    if diff -u "$expected" seen; then
        ((passed += 1))
    else
        echo "FAIL $name"
        ((failed += 1))
    fi
}

check_trace() {
    "$programs/timechart" chart.pb && python3 "$judge" --check chart.pb &&
        python3 "$judge" --tracks chart.pb && python3 "$judge" --rows chart.pb &&
        python3 "$judge" --counters chart.pb
}

events() { "$programs/timechart" chart.jsonl && grep -v '"kind":"attribute"' chart.jsonl; }

expect "a time chart" timechart.expected events
expect "a time chart in Perfetto's format" timechart_pb.expected check_trace
expect "a time chart where no file can be" timechart_bad.expected "$programs/timechart" none/x.pb
expect "top spans" top_spans.expected "$programs/top_spans" "$data/torq/t1.csv" "$data/torq/r0.csv"
expect "top spans with losses" top_spans_lost.expected \
    "$programs/top_spans" "$data/bad/t2_not_numbers.csv"
expect "top spans of nothing" top_spans_bad.expected "$programs/top_spans" none.csv
expect "operators of a model" model_ops.expected "$programs/model_ops" "$data/run/pair.mlir" aic100
expect "operators of no model" model_ops_bad.expected "$programs/model_ops" none.onnx
mkdir way
expect "a model's whole way" whole_way.expected "$programs/whole_way" "$data/run/pair.mlir" way
expect "no model's way" whole_way_bad.expected "$programs/whole_way" none.onnx way
echo "examples: $passed passed, $failed failed"
((failed == 0))
