#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compiles one file with the flags of a release build for a processor of another family: flags of this
# one must not be among them. Clang can do that without a cross compiler; nothing is linked.
#
#   tests/hardening/foreign.sh SOURCE_DIR
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-foreign.XXXXXX")
trap 'rm -rf "$work"' EXIT
if ! command -v clang >/dev/null || ! clang --target=aarch64-linux-gnu -x c -c /dev/null -o "$work/empty.o"; then
    echo "skip: no clang that compiles for aarch64"
    exit 77
fi
# Debian's ninja does not run in half a MiB.
stack=$(ulimit -s)
[[ $stack == unlimited ]] || ((stack >= 2048)) || ulimit -Ss 2048 2>/dev/null ||
    { echo "skip: ninja needs a larger stack than $stack KiB"; exit 77; }
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(foreign C)
include($source/cmake/tacho.cmake)
add_library(probe OBJECT probe.c)
END
echo 'int probe(int value); int probe(int value) { return value + 1; }' >"$work/probe.c"
cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang \
    -DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; echo "FAIL aarch64"; exit 1; }
grep -q -- '-mbranch-protection=standard' "$work/build/compile_commands.json" ||
    { echo "FAIL aarch64: branch protection is missing"; exit 1; }
echo "aarch64: compiled"
