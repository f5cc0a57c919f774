#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the same sources twice, in folders of different names and lengths, at different times and in
# different locales, and compares what comes out, byte for byte. Takes some minutes, so it is part of
# 'make torture', not of 'make test'.
#
#   tests/hardening/reproducible.sh SOURCE_DIR [CMAKE_OPTION...]
#
# Options come after those of the ship preset. -DCMAKE_C_FLAGS_RELEASE='-O1 -g' takes less time, and
# still shows paths, times and orders that get into the files.
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-same.XXXXXX")
trap 'rm -rf "$work"' EXIT
shift
other="$work/another-folder/with a blank"

copy() { # FOLDER
    mkdir -p "$1"
    git -C "$source" ls-files -z | (cd "$source" && xargs -0 cp --parents -t "$1" 2>/dev/null) || true
}

build() { # FOLDER LOCALE CMAKE_OPTION...
    local folder=$1 locale=$2
    shift 2
    if ! (cd "$folder" && export LC_ALL="$locale" CCACHE_DISABLE=1 &&
        cmake --preset ship "$@" &&
        cmake --build build-ship --parallel "$(nproc)" --target tacho_tool tacho tacho_static tacho_client_shared \
            tacho-client_static) >"$work/log" 2>&1; then
        tail -n 20 "$work/log" | cut -c 1-300
        echo "cannot build in $folder"
        exit 1
    fi
}

copy "$work/a" # both first, so that somebody may edit a file meanwhile
copy "$other"
build "$work/a" C "$@"
sleep 2
build "$other" C.UTF-8 "$@"
same=0
for file in bin/tacho src/libtacho.so src/libtacho.a src/libtacho-client.so src/libtacho-client.a; do
    if cmp "$work/a/build-ship/$file" "$other/build-ship/$file"; then
        echo "same: $file $(sha256sum <"$work/a/build-ship/$file" | cut -c 1-16)"
    else
        same=1
        diff <(strings "$work/a/build-ship/$file") <(strings "$other/build-ship/$file") | head -10 || true
    fi
done
exit "$same"
