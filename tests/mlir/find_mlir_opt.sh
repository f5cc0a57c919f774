#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the path of the newest mlir-opt of this computer if it is of version LEAST or newer: on PATH with
# or without a version in its name, or where Debian's packages of LLVM put it. Otherwise prints why a test
# has to be skipped, and exits with 77.
#
#   tests/mlir/find_mlir_opt.sh LEAST
least=${1:?usage: tests/mlir/find_mlir_opt.sh LEAST}
newest=none
number=50

consider() { # PATH
    version=$("$1" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
    [ -n "$version" ] || return
    if [ "$version" -ge "$least" ]; then
        echo "$1"
        exit 0
    fi
    [ "$newest" != none ] || newest=$version
}

while [ "$number" -ge 13 ]; do
    path=$(command -v "mlir-opt-$number") || path=/usr/lib/llvm-$number/bin/mlir-opt
    [ ! -x "$path" ] || consider "$path"
    number=$((number - 1))
done
path=$(command -v mlir-opt) && consider "$path"
echo "skip: needs mlir-opt $least or newer, found: $newest (Debian: mlir-22-tools)"
exit 77
