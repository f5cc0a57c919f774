# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section python: a profile of a million spans as columns of pandas. Sourced by run.sh.

python_results=$work/python.tsv
: >"$python_results"

python_run() {
    local spans read frame sums library=$bin_dir/../src/libtacho.so python=python3
    echo "bench: python" >&2
    "$python" -c 'import numpy, pandas' 2>/dev/null || python=/usr/bin/python3 # Debian's, where another is first
    torq_input_make t4 1000000 ordered
    if read -r spans read frame sums < <(TACHO_LIBRARY=$(realpath "$library") \
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../python \
        "$python" "$here/python_columns.py" "$input" "$repeat"); then
        printf '%s\t%s\n' "$spans spans, read" "$read" "all columns to pandas" "$frame" \
            "read and all columns to pandas" "$(awk "BEGIN { print $read + $frame }")" \
            "durations summed by name" "$sums" >"$python_results"
    else
        echo "bench/run.sh: section python needs python3-numpy and python3-pandas" >&2
    fi
    input_drop
}

python_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' 'BEGIN { print "what", "cpu s" } { print }' "$python_results" | "$1"
}

python_verdict() {
    awk -F '\t' -v OFS='\t' '$1 ~ /^read and/ {
        print "1 M spans as pandas columns <= 0.5 s", "python", $2 " s", ($2 <= 0.5 ? "ok" : "MISS")
    }' "$python_results"
}
