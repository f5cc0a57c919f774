#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Joins the modules of tests/data/annotate with runtime profiles and compares what comes out with
# what is expected. Where there is mlir-opt, the same is asked of the modules as bytecode.
#
#   tests/annotate/run.sh BIN_DIR [--bless]
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=$here/../data/annotate
dump=${1:?usage: tests/annotate/run.sh BIN_DIR [--bless]}/annotate_dump
bless=${2:-}
[[ -x $dump ]] || { echo "annotate: no program $dump" >&2; exit 2; }
dump=$(cd "$(dirname "$dump")" && pwd)/annotate_dump
opt=$("$here/../mlir/find_mlir_opt.sh" 22)
has_opt=$?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failures=0
skipped=0

fail() {
    echo "annotate: $*" >&2
    failures=$((failures + 1))
}

# compare EXPECTED DEBUG RUNTIME WHAT...: run in the data folder, so that messages hold no path.
compare() {
    local expected=$data/$1 actual=$work/$1
    shift
    checks=$((checks + 1))
    (cd "$data" && "$dump" "$@") >"$actual" 2>&1 || echo "exit $?" >>"$actual"
    sed -i "s#$work#WORK#g" "$actual"
    [[ -z $bless ]] || cp "$actual" "$expected"
    diff -u "$expected" "$actual" || fail "$(basename "$expected"): $* differs"
}

compare r2i.txt two.mlir r2i.csv info problems native trace
compare r2i_sets.txt two.mlir r2i.csv torq-a3-manual torq-a3 torq-a1
compare r1q.txt two.mlir r1q.csv problems torq-a3-manual torq-a1 torq-a2 trace
compare r0.txt two.mlir r0.csv problems torq-a0-manual torq-a0 torq-a3-manual trace

# A folder: one dispatch as a file of its own, a damaged one, one that is not asked for, another.
mkdir "$work/folder"
cp "$data/two.mlir" "$work/folder/main\$async_dispatch_0.mlir"
cp "$data/model.mlir" "$work/folder/not_wanted.mlir"
printf 'ML\xefR\x06 cut' >"$work/folder/main\$async_dispatch_9.mlirb"
echo "text" >"$work/folder/notes.txt"
compare folder.txt "$work/folder" r2i.csv problems info
mkdir "$work/other"
echo "text" >"$work/other/notes.txt"
compare nothing.txt "$work/other" r2i.csv info
compare no_torq.txt model.mlir r2i.csv info

# Bytecode gives what the text gives. Before version 5 mlir-opt forgets the properties.
if ((has_opt == 0)); then
    for version in 5 6; do
        checks=$((checks + 1))
        mkdir -p "$work/bytecode"
        cp "$data/model.mlir" "$work/bytecode"
        (cd "$data" && "$opt" --allow-unregistered-dialect --emit-bytecode \
            --emit-bytecode-version="$version" two.mlir -o "$work/bytecode/two.mlirb") ||
            { fail "mlir-opt cannot write version $version"; continue; }
        gzip -kf "$work/bytecode/two.mlirb"
        for file in two.mlirb two.mlirb.gz; do
            (cd "$data" && "$dump" "$work/bytecode/$file" r2i.csv info problems native trace) |
                diff -u "$data/r2i.txt" - || fail "$file of version $version differs from the text"
        done
    done
else
    echo "$opt; bytecode is not compared"
    skipped=1
fi
echo "annotate: $checks checks, $failures failures"
((failures == 0)) || exit 1
((skipped == 0)) || exit 77
