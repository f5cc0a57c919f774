#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What `make demo` prints is short and true, and the traces that it leaves are what viewers expect.
#
#   tests/judge/run_demo.sh BUILD_DIR
set -eu
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$here/../.."
bash tools/demo.sh "$build" "$work/demo" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
(($(wc -l <"$work/log") < 40)) || { echo "the demo prints 40 lines or more"; exit 1; }
for words in 'Host-bound: the GPU is idle' 'enumerate(DataLoader)' 'exit status 4' 'on average' 'wrote: network.pb'; do
    grep -qF "$words" "$work/log" || { echo "the demo does not show: $words"; cat "$work/log"; exit 1; }
done
[[ -s $work/demo/report.html ]] || { echo "no report.html"; exit 1; }
python3 "$here/judge_all.py" --at-least 2 "$work/demo"
