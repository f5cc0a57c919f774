#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` shows: two profiles of one network, what is in them, where the time
# went, and the trace and the report of both; a model, its estimate on two machines,
# and a run of it.
#
#   tools/demo.sh BUILD [OUT]
set -eu
build=$1
tacho=$build/bin/tacho
out=${2:-$build/demo}
mkdir -p "$out"
python3 tools/example_profiles.py "$out"

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

echo "A compiler's timeline (estimated cycles) and a runtime profile (measured) of one network:"
show "$tacho" info "$out/compile.csv" "$out/runtime.csv"
show "$tacho" overview "$out/compile.csv"
show "$tacho" convert "$out/compile.csv" "$out/runtime.csv" -o "$out/network.pb"
show "$tacho" report "$out/compile.csv" "$out/runtime.csv" -o "$out/report.html"
printf '\nA small network, built here, and what it would take on two machines:\n'
python3 tools/make_models.py mobilenet -o "$out/mobilenet.onnx"
show "$tacho" compile "$out/mobilenet.onnx" --machine torq-sl2610 --sort cycles --top 8 \
    --profile "$out/mobilenet.pb"
show "$tacho" compile "$out/mobilenet.onnx" --machine wormhole-n150 --sort cycles --top 8
show "$tacho" overview "$out/mobilenet.pb"
printf '\nThe same, run on the simulated machine: values, and where the time went:\n'
show "$tacho" run "$out/mobilenet.onnx" --device sim:torq-sl2610 --top 5 --profile "$out/run.pb"
printf '\nA million rows, in no order at all:\n'
"$build/bench/gen_torq" t4 1000000 --shuffle > "$out/big.csv"
printf '\n$ %s convert big.csv -o big.pb\n' "$tacho"
"$build/bench/measure" --input-bytes "$(stat -c %s "$out/big.csv")" \
    -- "$tacho" convert "$out/big.csv" -o "$out/big.pb" -q |
    awk -F '\t' '{ printf "%.2f s, %.0f MB/s, %.0f MB of memory\n", $2, $6, $4 }'
rm -f "$out/big.csv" "$out/big.pb"
printf '\nOpen %s in a browser, and %s in https://ui.perfetto.dev\n' "$out/report.html" \
    "$out/network.pb"
