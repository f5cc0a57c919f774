#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of operators is what the kernels and the standard's tests say:
#   operators_page.sh NODE_TESTS PAGE TESTS_FOLDER
# With BLESS=1 the page is written anew. Exits with 77, skipped, where there are no tests.
set -u
program=$1 page=$2 tests=$3
[ -d "$tests/node" ] || { echo "skip: libonnx-testdata is not installed"; exit 77; }
# The page counts the tests of one release.
release=1.12
version=$(dpkg-query -W -f '${Version}' libonnx-testdata 2>/dev/null || true)
if [[ -n $version && $version != "$release"* ]]; then
    echo "skip: $page is of libonnx-testdata $release; this is $version"
    exit 77
fi
found=$("$program" --page "$tests"/{node,pytorch-converted,pytorch-operator,simple}) || exit 1
if [ "${BLESS:-}" = 1 ]; then
    printf '%s\n' "$found" > "$page"
fi
diff -u "$page" <(printf '%s\n' "$found") || {
    echo "$page is not current; run this script with BLESS=1"
    exit 1
}
