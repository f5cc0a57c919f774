#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of operators is what the kernels and the standard's tests say:
#   operators_page.sh NODE_TESTS PAGE TESTS_FOLDER
# With BLESS=1 the page is written anew. Exits with 77, skipped, where there are no tests.
set -u
program=$1 page=$2 tests=$3
[ -d "$tests/node" ] || { echo "skip: libonnx-testdata is not installed"; exit 77; }
found=$("$program" --page "$tests"/{node,pytorch-converted,pytorch-operator,simple}) || exit 1
if [ "${BLESS:-}" = 1 ]; then
    printf '%s\n' "$found" > "$page"
fi
diff -u "$page" <(printf '%s\n' "$found") || {
    echo "$page is not current; run this script with BLESS=1"
    exit 1
}
