#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` shows: profiles, a model and a run, one step each, with a line that says what the
# step means, and what to do next.
#
#   tools/demo.sh BUILD_DIR [OUT_DIR]
set -eu
build=$(cd "$1" && pwd)
out=${2:-$build/demo}
mkdir -p "$out"
out=$(cd "$out" && pwd)
python3 tools/example_profiles.py "$out"
python3 tools/make_models.py mobilenet -o "$out/mobilenet.onnx"
cd "$out"
step=0

# show MEANING COMMAND...: runs the command as a reader would type it.
show() {
    step=$((step + 1))
    printf '\n%d. %s\n$ %s\n' "$step" "$1" "${*:2}"
    PATH=$build/bin:$PATH "${@:2}"
}

echo "Profiles: a compiler's timeline (compile.csv, estimated) and a run (runtime.csv, measured)."
show "Which operations take the most time? DMA In, so this network waits for memory." \
    tacho ops compile.csv --top 3 -q
show "Estimate and measurement side by side, as a trace for https://ui.perfetto.dev." \
    tacho convert compile.csv runtime.csv -o network.pb
show "The same as a page for the browser: timeline, busy and idle time, operators." \
    tacho report compile.csv runtime.csv -o report.html

printf '\nA model: mobilenet.onnx, built here; no accelerator needed.\n'
show "What would it cost on a Torq SL2610? The slowest operators, and what limits each." \
    tacho compile mobilenet.onnx --sort cycles --top 3 -o estimate.txt --profile estimate.pb -q
echo '(from estimate.txt)'
sed -n '/^Operators/,/^$/p' estimate.txt
show "Run it on the simulated accelerator and record a trace; times are simulated." \
    tacho run mobilenet.onnx --no-tables --profile run.pb --output=@output.npy -q
show "Where did that run spend its time?" \
    tacho ops run.pb --top 3 -q

printf '\nSize: a million events in random order, sorted in bounded memory.\n'
"$build/bench/gen_torq" t4 1000000 --shuffle >big.csv
step=$((step + 1))
printf '\n%d. Time, speed and memory of this conversion.\n$ tacho convert big.csv -o big.pb -q\n' "$step"
"$build/bench/measure" --input-bytes "$(stat -c %s big.csv)" \
    -- "$build/bin/tacho" convert big.csv -o big.pb -q |
    awk -F '\t' '{ printf "%.2f s, %.0f MB/s, %.0f MB of memory\n", $2, $6, $4 }'
rm -f big.csv big.pb

cat <<END

Next:
  open $out/report.html in a browser
  open $out/network.pb in https://ui.perfetto.dev
  try your own file:  $build/bin/tacho FILE
  install:            make install, then 'tacho help' and 'man tacho'
END
