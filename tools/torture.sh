#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too long for 'make test': every failing call in every verb, valgrind, the thread and memory
# sanitizers, and two builds that must be the same. Stages can be named: tools/torture.sh walk valgrind
#
# Which tests run under what, and why not all:
#   valgrind  unit tests of the release build, but for those that take minutes there (MINUTES below)
#   tsan      tests of what has threads: calibration, runs, devices
#   msan      unit tests of rooms whose bytes come from our own code alone. zlib, zstd and oneDNN are not
#             instrumented, so what they write looks uninitialised: tests that compress are left out.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
stages=("$@")
((${#stages[@]})) || stages=(walk valgrind tsan msan same)
jobs=$(nproc)
failed=()
# Tests with millions of cases, large files or timers.
MINUTES='input_test|order_test|lanes_test|perfetto_test|execute_fast_test|calibrate_test|values_test|isa|schedule'
# Tests that reach zlib, zstd, or oneDNN, or have files of megabytes read back by others.
PACKED='input_test|output_test|encoder|decoder|report_blob|table_sink|execute|quick|device_test|capture'

build() { # PRESET FOLDER
    cmake --preset "$1" -DTACHO_TESTS=ON >/dev/null && cmake --build "$2" >/dev/null
}

stage() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    printf '\n== torture: %s\n' "$name"
    "$@" || failed+=("$name")
    echo "== $name took $((SECONDS - start)) s"
}

walk() {
    build release build || return 1
    python3 tests/torture/walk.py build/bin build/dropin build/tests/fault.so . --jobs "$jobs"
}

under_valgrind() {
    local test bad=0
    build release build || return 1
    for test in build/tests/*_test; do
        [[ $test =~ $MINUTES ]] && continue
        valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=99 "$test" \
            >/tmp/torture.$$ 2>&1 || { echo "FAIL $test"; grep -E '^==|FAILED' /tmp/torture.$$ | head -20; bad=1; }
    done
    rm -f /tmp/torture.$$
    return "$bad"
}

tsan() {
    build tsan build-tsan || return 1
    ctest --test-dir build-tsan -j "$jobs" --output-on-failure --no-tests=error \
        -R '^unit\.(calibrate|device|simulate|counters|execute)_test$|^run$'
}

msan() {
    build msan build-msan || return 1
    ctest --test-dir build-msan -j "$jobs" --output-on-failure --no-tests=error -R '^unit\.' -E "$PACKED"
}

for name in "${stages[@]}"; do
    case $name in
    walk) stage "failing calls" walk ;;
    valgrind) stage "valgrind" under_valgrind ;;
    tsan) stage "thread sanitizer" tsan ;;
    msan) stage "memory sanitizer" msan ;;
    same) stage "two builds" bash tests/hardening/reproducible.sh . ;;
    *) echo "no such stage: $name (walk, valgrind, tsan, msan, same)" >&2; exit 2 ;;
    esac
done
if ((${#failed[@]})); then
    printf '\ntorture: failed: %s\n' "${failed[*]}"
    exit 1
fi
printf '\ntorture: all passed in %s s\n' "$SECONDS"
