#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times of a clean clone: how long a newcomer waits for 'make demo' and 'make', a contributor for 'make test'.
# Packages are installed first, and no compiler cache is used. Wall times are meaningful only on a quiet
# computer; CPU times hold elsewhere, too.
#
#   bench/clean_clone.sh [REVISION [TARGET...]]     HEAD; demo, all, test, test (again, nothing changed), check
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
revision=${1:-HEAD}
targets=("${@:2}")
((${#targets[@]})) || targets=(demo all test test check)
export CCACHE_DISABLE=1 LC_ALL=C
failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-clone.XXXXXX")
trap 'rm -rf "$work"' EXIT
git clone -q "$here" "$work/clone"
[[ ! -d $here/../shared ]] || ln -s "$(cd "$here/../shared" && pwd)" "$work/shared"
cd "$work/clone"
git checkout -q "$(git -C "$here" rev-parse "$revision")"
make build-packages test-packages >/dev/null 2>&1 || make build-packages test-packages
TIMEFORMAT='%R %U %S'
printf '%s, %s processors, load %s\n' "$(git log -1 --format='%h %s')" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
printf '| %-22s | %8s | %8s | %6s | %s |\n' target 'wall s' 'cpu s' status 'last line'
previous=
for target in "${targets[@]}"; do
    what="make $target"
    # Each starts from nothing, unless the same target comes again.
    if [[ $target == "$previous" ]]; then what+=' again'; else git clean -qfdx; fi
    previous=$target status=0
    { time make "$target" >"$work/log" 2>&1 || status=$?; } 2>"$work/time"
    read -r wall user sys <"$work/time"
    printf '| %-22s | %8.0f | %8.0f | %6d | %s |\n' "$what" "$wall" "$(awk "BEGIN { print $user + $sys }")" "$status" \
        "$(tail -n 1 "$work/log" | cut -c 1-100)"
    ((status == 0)) || { failed=1; cp "$work/log" "${TMPDIR:-/tmp}/tacho-clone-$target.log"; }
done
exit "$failed"
