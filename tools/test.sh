#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test: gcc release, then clang with sanitizers, then each fuzzer on its seeds and what is made of them.
set -eu
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
jobs=$(nproc)
# Tests that watch running processes. A computer that stands still for seconds can fail them, so they have
# a second try; 'make torture' gives them none.
LIVE='^(capture|tracy\.profile|python|remote|torture)'

run() {
    printf '\n== %s\n' "$1"
    cmake --preset "$1" -DTACHO_TESTS=ON >/dev/null
    cmake --build "$2" 2>&1 | grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' || true
    cmake --build "$2" >/dev/null
    ctest --test-dir "$2" -j "$jobs" --output-on-failure --no-tests=error -E "$LIVE"
    ctest --test-dir "$2" -j "$jobs" --output-on-failure --no-tests=error -R "$LIVE" --repeat until-pass:2
}

run release build
run asan build-asan
bash tools/fuzz.sh --runs 2000
