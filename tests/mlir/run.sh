#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Has mlir-opt write each module of tests/data/mlir as bytecode of several versions, and compares
# what is read from it with what is expected, and with what is read from text. Skips where there is no mlir-opt.
#
#   tests/mlir/run.sh BIN_DIR [--bless]
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=$here/../data/mlir
dump=${1:?usage: tests/mlir/run.sh BIN_DIR [--bless]}/mlir_dump
bless=${2:-}
[[ -x $dump ]] || { echo "mlir: no program $dump" >&2; exit 2; }
opt=$("$here/find_mlir_opt.sh" 22) || { echo "$opt"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failures=0

fail() {
    echo "mlir: $*" >&2
    failures=$((failures + 1))
}

# bytecode MODULE VERSION OUT: run from the data folder, so that locations hold no path.
bytecode() {
    (cd "$data" && "$opt" --allow-unregistered-dialect --emit-bytecode \
        --emit-bytecode-version="$2" "$1.mlir" -o "$3")
}

# expected MODULE VERSION: the file to compare with.
expected() {
    if (($2 < 5)) && [[ -f $data/$1.named.txt ]]; then
        echo "$data/$1.named.txt"
    else
        echo "$data/$1.txt"
    fi
}

check() {
    local module=$1 version=$2 actual=$work/$1.$2.txt
    checks=$((checks + 1))
    bytecode "$module" "$version" "$work/$module.$version.mlirb" ||
        { fail "$module: mlir-opt cannot write version $version"; return; }
    "$dump" "$work/$module.$version.mlirb" >"$actual" ||
        { fail "$module: version $version cannot be read"; return; }
    [[ -z $bless ]] || cp "$actual" "$(expected "$module" "$version")"
    diff -u "$(expected "$module" "$version")" "$actual" || fail "$module: version $version differs"
}

# The text that mlir-opt prints of the newest bytecode says the same as the bytecode itself.
check_text() {
    local module=$1 text=$work/$1.generic.mlir
    # What the bytecode hides, text cannot agree with.
    grep -q '=unknown' "$work/$module.6.txt" && return
    grep -q '^undecoded 0$' "$work/$module.6.txt" || return
    checks=$((checks + 1))
    "$opt" --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo \
        "$work/$module.6.mlirb" -o "$text" || { fail "$module: mlir-opt cannot print it"; return; }
    "$dump" "$text" >"$work/$module.text.txt" || { fail "$module: its text cannot be read"; return; }
    diff -u "$work/$module.6.txt" "$work/$module.text.txt" || fail "$module: text and bytecode differ"
}

for path in "$data"/*.txt; do
    module=$(basename "$path" .txt)
    [[ -f $data/$module.mlir ]] || continue
    for version in 1 2 3 4 5 6; do
        check "$module" "$version"
    done
    check_text "$module"
done
echo "mlir: $checks checks, $failures failures"
((failures == 0))
