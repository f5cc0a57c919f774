#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs tests. 'make torture' has what is too long for every change.
#
#   tools/test.sh              the release build, all tests but those labelled long; nothing if they
#                              passed and neither the tree nor the computer has changed (FRESH=1: all)
#   tools/test.sh --room NAME  that room's unit tests, and the suites and golden cases that cover it
#   tools/test.sh --sanitizers clang with address and undefined sanitizers: unit tests, golden cases, the
#                              fuzzers on their seeds and on inputs made from them, what drives the library
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
# Some tests wait for processes, timers or a browser, so there is one more than there are processors.
jobs=$(($(nproc) + 1))
# Tests that watch running processes. They can fail on a computer that stands still for seconds, so the
# release build gives them a second try, which the last line reports; 'make torture' gives them none.
LIVE='^(capture|tracy\.profile|python|remote|torture|fleet\.slurm)'
# Other suites run the same code on more inputs.
SANITIZED='^(unit|golden|fuzz|library|query|program|device|annotate|tree\.casts|capture\.(clients|cuda)|tracy\.recordings)'

build() { # PRESET FOLDER TARGET CMAKE_OPTION...
    cmake --preset "$1" -DTACHO_TESTS=ON "${@:4}" >/dev/null
    # Ninja's lines of progress are left out where nobody watches them.
    if [[ -t 1 ]]; then
        cmake --build "$2" --target "$3"
    else
        cmake --build "$2" --target "$3" | { grep -vE '^\[[0-9]+/[0-9]+\] |^ninja: no work' || true; }
    fi
}

# Shows every 25th test that passes, so that one can see the run advance.
shorten() { awk '/^ +Start +[0-9]+: / { next } / Passed +[0-9.]+ sec$/ && ++passed % 25 { next } { print; fflush() }'; }

run() { # FOLDER TRIES CTEST_OPTION...
    local folder=$1 tries=$2 status=0
    shift 2
    local options=(--test-dir "$folder" -j "$jobs" --no-tests=error -LE long --output-on-failure --no-label-summary
        --test-output-size-passed 1000000 --test-output-truncation head)
    rm -f "$folder"/test_results*.xml
    ctest "${options[@]}" --output-junit "$PWD/$folder/test_results.xml" "$@" | shorten || status=$?
    if ((status && tries > 1)) && python3 tools/test_summary.py --only-failed "$LIVE" "$folder/test_results.xml"; then
        echo "a second try for tests that watch running processes:"
        status=0
        ctest "${options[@]}" --output-junit "$PWD/$folder/test_results_again.xml" --rerun-failed || status=$?
    fi
    python3 tools/test_summary.py "$((SECONDS - started))" "$folder"/test_results*.xml >"$folder/test_summary.txt" ||
        status=1
    cat "$folder/test_summary.txt"
    return "$status"
}

# What the result of the tests depends on: the tree, shared data, packages, the computer, the environment.
digest_state() {
    {
        { git ls-files -z -co --exclude-standard || find . -path './build*' -prune -o -type f -print0 | sort -z; } 2>/dev/null |
            xargs -0 sha256sum 2>&1
        [[ ! -d ../shared ]] || find ../shared/ -type f -printf '%P %s %T@\n' | sort
        dpkg-query -W 2>&1
        uname -srm
        nproc
        ulimit -a
        grep -m 2 -E '^(model name|flags)' /proc/cpuinfo
        env | grep -vE '^(_|SHLVL|OLDPWD|PWD|MAKE.*|MFLAGS|SSH_.*|TERM.*|COLUMNS|LINES)=' | sort
    } | sha256sum
}

# The leak checker stops the program with ptrace, which some containers deny.
disable_leaks_without_ptrace() {
    local said
    said=$(build-asan/bin/tacho --version 2>&1 || true)
    if [[ $said == *'LeakSanitizer has encountered a fatal error'* ]]; then
        echo "skip: leaks are not checked: this computer does not permit ptrace"
        export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0
    fi
}

started=$SECONDS
case ${1-} in
'')
    state=$(digest_state)
    if [[ -z ${FRESH-} && -f build/test_passed && $state == "$(<build/test_passed)" ]]; then
        cat build/test_summary.txt
        echo "nothing has changed since these tests passed; 'make test FRESH=1' runs them again"
        exit 0
    fi
    rm -f build/test_passed
    build release build all
    run build 2
    echo "$state" >build/test_passed
    ;;
--room)
    [[ $# == 2 && ($2 == tree || $2 =~ ^[a-z]+$ && -d src/$2) ]] || {
        echo "no room '${*:2}'; one of: $(cd src && echo */ | tr -d /) tree" >&2
        exit 2
    }
    rm -f build/test_passed
    build release build "test-$2"
    run build 2 -L "^$2\$"
    later=$(ctest --test-dir build -N -LE long -L "^$2-whole\$" | sed -n 's/^ *Test *#[0-9]*: //p' | paste -sd ' ')
    [[ -z $later ]] || echo "left to 'make test', since they take long: $later"
    ;;
--sanitizers)
    build asan build-asan all -DTACHO_BENCH=ON
    disable_leaks_without_ptrace
    run build-asan 1 -R "$SANITIZED"
    ;;
*)
    sed -n '5,9s/^# *//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
