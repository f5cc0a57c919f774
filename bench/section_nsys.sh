# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section nsys: a database of Nsight Systems, with 2 million kernels and 15 million ranges unless --quick.
# Sourced by run.sh.

nsys_results=$work/nsys.tsv
: >"$nsys_results"

# ---- measuring -------------------------------------------------------------------------------

nsys_run() {
    local kernels=2000000 file=$work/run.sqlite
    [[ ! $quick ]] || kernels=100000
    echo "bench: nsys, $kernels kernels" >&2
    python3 "$here/gen_nsys.py" "$kernels" "$file"
    input_bytes=$(stat -c %s "$file")
    cost_of "$tacho" ops "$file" --format csv -o "$work/ops.csv" -q
    nsys_line "ops" "$kernels"
    cost_of "$tacho" ops "$file" --by layer --format csv -o "$work/ops.csv" -q
    nsys_line "ops --by layer" "$kernels"
    cost_of "$tacho" breakdown "$file" --format csv -o "$work/breakdown.csv" -q
    nsys_line "breakdown" "$kernels"
    cost_of "$tacho" convert "$file" -o "$work/run.pb" -q
    nsys_line "convert to .pb" "$kernels"
    rm -f "$file" "$work/run.pb"
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
nsys_line() { # WHAT KERNELS
    printf '%s\t%s\t%s\n' "$1" "$2" "$cost" | awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $4, $5, $9 }' \
        >>"$nsys_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 kernels 3 wall 4 cpu 5 anon 6 status
nsys_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "kernels", "wall s", "cpu s", "M rows/s cpu", "anon MB" }
    $6 != 0 { print $1, $2, "FAILED " $6, "-", "-", "-"; next }
    { print $1, $2, $3, $4, ($4 > 0 ? sprintf("%.1f", $2 * 9.5 / $4 / 1e6) : "-"), $5 }' "$nsys_results" | "$1"
}

nsys_verdict() {
    awk -F '\t' -v OFS='\t' '
    $2 == 2000000 {
        print "2 M kernels and 15 M ranges in < 30 s and < 256 MB", $1, $3 " s, " $5 " MB", \
              ($6 == 0 && $3 < 30 && $5 < 256 ? "ok" : "MISS")
    }' "$nsys_results"
}
