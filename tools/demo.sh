#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` shows: two profiles of one network, what is in them, and the trace of both.
set -eu
build=$1
tacho=$build/bin/tacho
out=$build/demo
mkdir -p "$out"
python3 tools/example_profiles.py "$out"

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

echo "A compiler's timeline (estimated cycles) and a runtime profile (measured) of one network:"
show "$tacho" info "$out/compile.csv" "$out/runtime.csv"
show "$tacho" convert "$out/compile.csv" "$out/runtime.csv" -o "$out/network.pb"
printf '\nA million rows, in no order at all:\n'
"$build/bench/gen_torq" t4 1000000 --shuffle > "$out/big.csv"
show "$build/bench/measure" --header --label convert --input-bytes "$(stat -c %s "$out/big.csv")" \
    -- "$tacho" convert "$out/big.csv" -o "$out/big.pb" -q
rm -f "$out/big.csv"
printf '\nOpen %s in https://ui.perfetto.dev\n' "$out/network.pb"
