#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What every change has to pass: gcc release, then clang with sanitizers. Both are built without link-time
# optimisation, which takes minutes; 'make torture' has what is left out here: the tests that are labelled
# long, all tests under sanitizers, and the release build as it is shipped.
set -eu
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
jobs=$(nproc)
# Tests that watch running processes. A computer that stands still for seconds can fail them, so they have
# a second try; 'make torture' gives them none.
LIVE='^(capture|tracy\.profile|python|remote|torture)'
# Under sanitizers: unit tests, golden cases, fuzzers on their seeds and what is made of them, and what
# drives the library. The others run the same code on more inputs.
SANITIZED='^(unit|golden|fuzz|library|query|program|device|annotate|capture\.(clients|cuda)|tracy\.recordings)'

build() { # PRESET FOLDER
    printf '\n== %s\n' "$1"
    cmake --preset "$1" -DTACHO_TESTS=ON -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF >/dev/null
    cmake --build "$2" 2>&1 | grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' || true
    cmake --build "$2" >/dev/null
}

check() { # FOLDER CTEST_OPTION...
    ctest --test-dir "$1" -j "$jobs" --output-on-failure --no-tests=error -LE long "${@:2}"
}

build release build
check build -E "$LIVE"
check build -R "$LIVE" --repeat until-pass:2
build asan build-asan
check build-asan -R "$SANITIZED"
