#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: fuzz.sh SECONDS      looks for new inputs for so long with each target, two at a time
#        fuzz.sh --runs N     the seeds and N changed inputs, the same ones each time
# What is found stays in build-fuzz/findings and fails the run. A search keeps its new inputs in
# build-fuzz/corpus.
set -eu
if [ "$1" = --runs ]; then
    printf '\n== fuzz, the seeds and %s inputs made of them\n' "$2"
    limits="-seed=1 -runs=$2"
else
    printf '\n== fuzz, %s s each\n' "$1"
    limits="-max_total_time=$1"
fi
cmake --preset fuzz -DTACHO_TESTS=ON >/dev/null
cmake --build build-fuzz >/dev/null
mkdir -p build-fuzz/findings

fuzz_one() {
    local target=$1 limits=$2 name corpus
    name=$(basename "$target")
    corpus=build-fuzz/corpus/$name
    if [[ $limits == *-runs=* ]]; then
        corpus=build-fuzz/replayed/$name
        rm -rf "$corpus"
    fi
    mkdir -p "$corpus"
    if [ -f "tests/fuzz/$name.options" ]; then
        limits="$limits $(cat "tests/fuzz/$name.options")"
    fi
    # shellcheck disable=SC2086 # several words
    if "$target" "$corpus" "tests/fuzz/corpus/$name" $limits \
        -artifact_prefix="build-fuzz/findings/$name-" -print_final_stats=1 -rss_limit_mb=2048 \
        > "build-fuzz/$name.log" 2>&1; then
        printf '%-24s %s executions\n' "$name" \
            "$(awk '/number_of_executed_units/ {print $2}' "build-fuzz/$name.log")"
    else
        tail -40 "build-fuzz/$name.log"
        echo "$name: FOUND SOMETHING, see build-fuzz/findings"
        return 1
    fi
}
export -f fuzz_one
find build-fuzz/fuzz -type f -name 'fuzz_*' -executable -print0 | sort -z |
    xargs -0 -P 2 -I{} bash -c 'fuzz_one "$@"' _ {} "$limits"
