#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzz target for the given number of seconds, two at a time; what it finds stays in
# build-fuzz/findings and fails the run. New inputs are kept in build-fuzz/corpus.
set -eu
seconds=$1
printf '\n== fuzz, %s s each\n' "$seconds"
cmake --preset fuzz -DTACHO_TESTS=ON >/dev/null
cmake --build build-fuzz >/dev/null
mkdir -p build-fuzz/findings

fuzz_one() {
    local target=$1 name
    name=$(basename "$target")
    mkdir -p "build-fuzz/corpus/$name"
    if "$target" "build-fuzz/corpus/$name" "tests/fuzz/corpus/$name" -max_total_time="$2" \
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
    xargs -0 -P 2 -I{} bash -c 'fuzz_one "$@"' _ {} "$seconds"
