#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the same sources twice, in folders of different names and lengths, at different times and in
# different locales, and compares what comes out, byte for byte. Takes some minutes, so it is part of
# 'make torture', not of 'make test'.
#
#   tests/hardening/reproducible.sh SOURCE_DIR
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-same.XXXXXX")
trap 'rm -rf "$work"' EXIT

build() { # FOLDER LOCALE
    mkdir -p "$1"
    git -C "$source" ls-files -z | (cd "$source" && xargs -0 cp --parents -t "$1" 2>/dev/null) || true
    (cd "$1" && env LC_ALL="$2" CCACHE_DISABLE=1 cmake --preset release -DTACHO_TESTS=OFF >/dev/null &&
        env LC_ALL="$2" CCACHE_DISABLE=1 cmake --build build >/dev/null)
}
build "$work/a" C
sleep 2
build "$work/another-folder/with a blank" C.UTF-8
same=0
for file in bin/tacho src/libtacho.so; do
    if cmp "$work/a/build/$file" "$work/another-folder/with a blank/build/$file"; then
        echo "same: $file $(sha256sum <"$work/a/build/$file" | cut -c 1-16)"
    else
        same=1
    fi
done
exit "$same"
