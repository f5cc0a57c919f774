#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too long for 'make test': tests with more cases, all tests under sanitizers, fuzzers, every failing
# call in every verb, commands killed at random moments, valgrind, the thread and memory sanitizers, and two
# builds that must be the same.
# Stages can be named: tools/torture.sh walk valgrind
#
# Which tests run under what, and why not all:
#   valgrind  unit tests of the release build, but for those that take minutes there (MINUTES below),
#             vector_test: it compares with long double, of which valgrind has 64 bits, and those that
#             follow processes (pidfd_open, which valgrind does not know)
#   tsan      tests of what has threads (grep pthread): calibration, runs, devices, rows of Torq CSVs that
#             are read in turns, outputs that are written behind or in turns, client and collector, the
#             library for CUDA;
#             "run" leaves out there that SIGTERM ends a kernel: the sanitizer holds signals back until the
#             next system call
#   msan      unit tests, without oneDNN. What zlib, zstd and LZ4 write, which are not instrumented, it is
#             told by tests/torture/msan_libraries.c. Left out are tests with a read of their own, one that
#             counts kernels of oneDNN, one whose rows go through an unlinked file, padding included, and
#             four that go through SQLite, which is not instrumented: valgrind has them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
stages=("$@")
((${#stages[@]})) || stages=(long asan fuzz walk kills valgrind tsan msan coverage same)
jobs=$(nproc)
failed=()
# Tests with millions of cases, large files or timers, vector_test, and those with pidfds.
MINUTES='input_test|/order_test|lanes_test|perfetto_test|perfetto_file_test|perfetto_args_test|execute_fast|calibrate_test|values_test|isa|schedule|vector_test|collector_test|/process_test|wrapper_test'
UNSEEN='^unit\.(input_test|input_packed_test|execute_fast_test|round_trip_test|'
UNSEEN+='sql_test|registry_test|conformance_test|table_laws_test)$'

build() { # PRESET FOLDER [TARGET...]
    local preset=$1 folder=$2
    shift 2
    cmake --preset "$preset" -DTACHO_TESTS=ON >/dev/null || return 1
    cmake --build "$folder" --parallel "$jobs" ${1+--target "$@"} >/tmp/torture-build.$$ 2>&1 ||
        { grep -E 'error|FAILED' /tmp/torture-build.$$ | head -20; echo "cannot build $preset"; return 1; }
    rm -f /tmp/torture-build.$$
}

stage() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    printf '\n== torture: %s\n' "$name"
    "$@" || failed+=("$name")
    echo "== $name took $((SECONDS - start)) s"
}

# The build that is shipped: tests that are too long for every change, golden cases, hardening, installing.
long() {
    build ship build-ship || return 1
    ctest --test-dir build-ship -j "$jobs" --output-on-failure --no-tests=error -L long &&
        ctest --test-dir build-ship -j "$jobs" --output-on-failure --no-tests=error -R '^(golden|hardening|install)'
}

asan() {
    build asan build-asan || return 1
    ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1 \
        ctest --test-dir build-asan -j "$jobs" --output-on-failure --no-tests=error
}

walk() {
    build release build || return 1
    python3 tests/torture/walk.py build/bin build/dropin build/tests/fault.so . --jobs "$jobs" \
        --client build/tests/client_load
}

# One test under valgrind, its output shown only where it fails. Leaves a line in the file of results.
valgrind_one() { # TEST RESULTS
    local log code=0
    log=$(mktemp "${TMPDIR:-/tmp}/tacho-valgrind.XXXXXX")
    timeout "$VALGRIND_SECONDS" valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite \
        --error-exitcode=99 "$1" >"$log" 2>&1 || code=$?
    if ((code == 0)); then
        echo clean >>"$2"
    else
        echo "FAIL ${1##*/}: exit $code$( ((code == 124)) && echo ", not done in $VALGRIND_SECONDS s")"
        grep -E '^==|FAILED' "$log" | head -20
        echo failed >>"$2"
    fi
    rm -f "$log"
}
export -f valgrind_one
export VALGRIND_SECONDS=${VALGRIND_SECONDS:-900}

under_valgrind() {
    local results tests clean
    build release build || return 1
    mapfile -t tests < <(printf '%s\n' build/tests/*_test | grep -vE "$MINUTES")
    results=$(mktemp "${TMPDIR:-/tmp}/tacho-valgrind.XXXXXX")
    printf '%s\n' "${tests[@]}" | xargs -P "$jobs" -I{} bash -c 'valgrind_one {} "$0"' "$results"
    clean=$(grep -c clean "$results")
    rm -f "$results"
    echo "valgrind: $clean of ${#tests[@]} unit tests clean"
    ((clean == ${#tests[@]} && clean > 0))
}

kills() {
    build release build || return 1
    python3 tests/torture/kills.py build/bin . &&
        python3 tests/capture/clients.py build/bin build/tests/client_load --kills 100 &&
        ctest --test-dir build -j "$jobs" --output-on-failure --no-tests=error -R '^(capture|tracy\.profile)'
}

tsan() {
    build tsan build-tsan tacho_tool calibrate_test device_test execute_test torq_rows_test behind_test \
        output_test output_turns_test collector_test tacho_cuda cupti_standin cuda_load || return 1
    ctest --test-dir build-tsan -j "$jobs" --output-on-failure --no-tests=error \
        -R '^unit\.(calibrate|device|execute|torq_rows|behind|output|output_turns|collector)_test$|^run$|^capture\.cuda$'
}

msan() {
    build msan build-msan || return 1
    ctest --test-dir build-msan -j "$jobs" --output-on-failure --no-tests=error -R '^unit\.' -E "$UNSEEN"
}

# Branches that the tests of these rooms take, and failing calls, which are the only way to most errors.
# What was not taken is listed in build-coverage/missing.txt.
coverage() {
    local rooms=(codec sources sql program capture) targets=() labels
    targets=("${rooms[@]/#/test-}")
    labels=$(IFS='|'; echo "${rooms[*]}")
    mapfile -t -O "${#targets[@]}" targets < <(basename -s .c tests/fuzz/fuzz_*.c)
    build coverage build-coverage tacho_fault client_load "${targets[@]}" || return 1
    find build-coverage -name '*.gcda' -delete
    ctest --test-dir build-coverage -j "$jobs" --output-on-failure --no-tests=error -LE long -L "^($labels)(-whole)?\$" |
        grep -E '\*\*\*|tests passed' # gcov takes time, and some tests measure it
    ctest --test-dir build-coverage -j "$jobs" --output-on-failure --no-tests=error -R '^fuzz\.' || return 1
    python3 tests/torture/walk.py build-coverage/bin build-coverage/dropin build-coverage/tests/fault.so . \
        --jobs "$jobs" --client build-coverage/tests/client_load --step "${COVERAGE_STEP:-1}" >/dev/null
    python3 tools/coverage.py build-coverage "${rooms[@]}" --missing build-coverage/missing.txt --least 80
}

for name in "${stages[@]}"; do
    case $name in
    long) stage "long tests" long ;;
    asan) stage "address and undefined sanitizers" asan ;;
    fuzz) stage "fuzzers" bash tools/fuzz.sh "${FUZZ_SECONDS:-60}" ;;
    walk) stage "failing calls" walk ;;
    kills) stage "kills" kills ;;
    valgrind) stage "valgrind" under_valgrind ;;
    tsan) stage "thread sanitizer" tsan ;;
    msan) stage "memory sanitizer" msan ;;
    coverage) stage "coverage of branches" coverage ;;
    same) stage "two builds" bash tests/hardening/reproducible.sh . ;;
    *) echo "no such stage: $name (long, asan, fuzz, walk, kills, valgrind, tsan, msan, coverage, same)" >&2; exit 2 ;;
    esac
done
if ((${#failed[@]})); then
    printf '\ntorture: failed: %s\n' "${failed[*]}"
    exit 1
fi
printf '\ntorture: all passed in %s s\n' "$SECONDS"
