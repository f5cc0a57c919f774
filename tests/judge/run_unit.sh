#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Judges the traces that unit tests write: they keep them where TACHO_KEEP_TRACES says.
#
#   tests/judge/run_unit.sh TESTS_DIR
set -eu
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tests=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-judge.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
# Random profiles have arrows that begin and end anywhere, also at moments, which arrows of Chrome miss.
# Of a moment and a span that begins there, both with arrows, Chrome binds both arrows to the moment.
random_arrows=flow_begins_twice,flow_ends_before_it_begins,flow_without_slice,flow_on_another_slice
for name in perfetto_test perfetto_args_test perfetto_file_test perfetto_flows_test json_sinks_test \
    timechart_test conformance_test round_trip_test; do
    mkdir "$work/$name"
    TACHO_KEEP_TRACES=$work/$name "$tests/$name" >"$work/$name.log" 2>&1 || { cat "$work/$name.log"; exit 1; }
    excepted=
    [[ $name != round_trip_test ]] || excepted=$random_arrows
    echo -n "$name: "
    python3 "$here/judge_all.py" --at-least 1 --except "$excepted" "$work/$name"
done
