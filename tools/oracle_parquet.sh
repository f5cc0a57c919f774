#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Parquet files of the samples, spans and operators, read by DuckDB and by hyparquet, against 'tacho query'
# and 'tacho ops' of the samples; and datasets of 64 hosts with 8 devices each, damage included, asked the
# questions of docs/datasets.md by DuckDB and by ClickHouse's engine (chdb), against 'tacho fleet'.
#
#   tools/oracle_parquet.sh BUILD_DIR
#
# All are fetched by npm into a temporary folder, or taken from $PARQUET_MODULES. Where node or npm is
# missing it says so and ends well.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:?usage: tools/oracle_parquet.sh BUILD_DIR}

skip() {
    echo "skip: $1"
    exit 0
}

command -v node >/dev/null || skip "no node"
[[ -x $build/bin/tacho ]] || skip "no $build/bin/tacho: build first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
modules=${PARQUET_MODULES:-}
readers=(@duckdb/node-api hyparquet hyparquet-compressors chdb)
if [[ -z $modules ]]; then
    command -v npm >/dev/null || skip "no npm"
    (cd "$work" && npm install "${readers[@]}" --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
        skip "npm cannot install ${readers[*]}: $(tail -n 1 "$work/npm.log")"
    modules=$work/node_modules
fi
NODE_PATH=$modules node "$here/tests/oracle/parquet.js" "$build/bin/tacho" "$here"/tests/data/torq/*.csv \
    "$here"/tests/data/chrome/*.json "$here"/tests/data/perfetto/* "$here"/tests/data/tracy/* \
    "$here"/tests/data/hostile/*
export NODE_PATH=$modules
for engine in duckdb chdb; do
    echo "dataset: $engine"
    python3 "$here/tests/fleet/check_dataset.py" "$build/bin/tacho" "$here" 64x8 node \
        "$here/tests/oracle/dataset_$engine.js"
done
