#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Judges the traces that `make demo` leaves: of two profiles, of an estimate and of a run.
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
python3 "$here/judge_all.py" --at-least 3 "$work/demo"
