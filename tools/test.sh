#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs tests. 'make torture' has what is too long for every change.
#
#   tools/test.sh              the release build, all tests but those labelled long
#   tools/test.sh --room NAME  that room's unit tests, and the suites and golden cases that cover it
#   tools/test.sh --sanitizers clang with address and undefined sanitizers: unit tests, golden cases, the
#                              fuzzers on their seeds and on inputs made from them, what drives the library
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
# Some tests wait for processes, timers or a browser, so there is one more than there are processors.
jobs=$(($(nproc) + 1))
# Tests that watch running processes. A computer that stands still for seconds can fail them, so they have
# a second try; 'make torture' gives them none.
LIVE='^(capture|tracy\.profile|python|remote|torture|fleet\.slurm)'
# Other suites run the same code on more inputs.
SANITIZED='^(unit|golden|fuzz|library|query|program|device|annotate|capture\.(clients|cuda)|tracy\.recordings)'

build() { # PRESET FOLDER TARGET...
    local preset=$1 folder=$2
    shift 2
    cmake --preset "$preset" -DTACHO_TESTS=ON >/dev/null
    cmake --build "$folder" --target "$@" 2>&1 | grep -vE '^\[[0-9]+/[0-9]+\] |^ninja: no work' || true
    cmake --build "$folder" --target "$@" >/dev/null
}

# Of the tests that pass, every 25th, as a sign of life.
shorten() { awk '/^ +Start +[0-9]+: / { next } / Passed +[0-9.]+ sec$/ && ++passed % 25 { next } { print; fflush() }'; }

run() { # FOLDER CTEST_OPTION...
    local folder=$1 status=0
    shift
    local options=(--test-dir "$folder" -j "$jobs" --no-tests=error -LE long --output-on-failure
        --no-label-summary
        --test-output-size-passed 1000000 --test-output-truncation head)
    rm -f "$folder"/test_results*.xml
    ctest "${options[@]}" --output-junit "$PWD/$folder/test_results.xml" "$@" | shorten || status=$?
    if ((status)) && python3 tools/test_summary.py --only-failed "$LIVE" "$folder/test_results.xml"; then
        echo "a second try for tests that watch running processes:"
        status=0
        ctest "${options[@]}" --output-junit "$PWD/$folder/test_results_again.xml" --rerun-failed || status=$?
    fi
    python3 tools/test_summary.py "$((SECONDS - started))" "$folder"/test_results*.xml
    return "$status"
}

sanitized() {
    if build-asan/bin/tacho --version 2>&1 | grep -q 'LeakSanitizer has encountered a fatal error'; then
        echo "skip: leaks are not checked: this computer does not permit ptrace"
        export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0
    fi
    run build-asan -R "$SANITIZED"
}

started=$SECONDS
set -o pipefail
case ${1-} in
'') build release build all && run build ;;
--room) build release build "test-$2" && run build -L "^$2$" ;;
--sanitizers) build asan build-asan all && sanitized ;;
*) sed -n '4,9s/^# *//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
