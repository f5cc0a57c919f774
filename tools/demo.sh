#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make demo` shows, in less than 40 lines: a verdict, the page, a gate, an estimate next to a run, and
# the files of a vendor as one trace. Whole outputs stay in the folder.
#
#   tools/demo.sh BUILD_DIR [OUT_DIR]
set -eu
build=$(cd "$1" && pwd)
out=${2:-$build/demo}
mkdir -p "$out"
out=$(cd "$out" && pwd)
python3 tools/example_trace.py "$out"
python3 tools/example_profiles.py "$out"
python3 tools/make_models.py mobilenet -o "$out/mobilenet.onnx"
cd "$out"
PATH=$build/bin:$PATH
step=0

# show STATUS MEANING EXCERPT COMMAND...: runs the command as a reader would type it, and prints what the sed
# script EXCERPT takes of its output. The demo ends where the exit status is not STATUS.
show() {
    local expected=$1 status=0
    shift
    step=$((step + 1))
    printf '\n%d. %s\n$ %s\n' "$step" "$1" "${*:3}"
    "${@:3}" >"step$step.txt" 2>&1 || status=$?
    ((status == expected)) || { cat "step$step.txt"; echo "exit status $status, expected $expected" >&2; exit 1; }
    sed -n "$2" "step$step.txt" | fold -s -w 125
}

show 0 "Why is this training job slow? (PyTorch traces of an imaginary job, made here)" \
    '/^Verdict/,/^$/p; /^Advice/,/^$/{/^$/!p}' tacho breakdown before.json -q
show 0 "All of it as one page for the browser." p \
    tacho report before.json -o report.html
show 4 "Did a change make it worse? In CI, exit status 4 stops the change." \
    '/^what /p; /^flash.*████/p; s/^\(verdict\|regression\)  \(.\{27\}\).*/\1  \2 .../p' tacho diff before.json after.json --gate rel=5% -q
echo "exit status 4"
show 0 "How good is the estimate of a model (in cycles)? Run it on this computer; two of its 25 operators:" \
    '/^Estimated/,/^ 1/p; /^error/p' \
    tacho run mobilenet.onnx --device cpu --compare --profile run.pb -q
show 0 "A compiler's timeline and a run, as a trace for https://ui.perfetto.dev." p \
    tacho convert compile.csv runtime.csv -o network.pb

cat <<END

Next: open $out/report.html in a browser
      $build/bin/tacho FILE   what one of your files is, and which commands read it
      make install, then 'tacho help' and 'man tacho'
END
