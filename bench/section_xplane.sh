# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Section xplane: XPlane files of JAX. Sourced by run.sh.

xplane_results=$work/xplane.tsv
: >"$xplane_results"

# ---- measuring -------------------------------------------------------------------------------

xplane_run() {
    local file=$work/ops.xplane.pb
    echo "bench: xplane" >&2
    "$bench_dir/gen_xplane" 4000000 >"$file"
    input_bytes=$(stat -c %s "$file")
    cost_of "$tacho" convert "$file" -o "$work/xplane.pb" -q
    xplane_line "to .pb"
    cost_of "$tacho" ops "$file" --format csv -o /dev/null -q
    xplane_line ops
    cost_of "$tacho" breakdown "$file" --format csv -o /dev/null -q
    xplane_line breakdown
    rm -f "$file" "$work/xplane.pb"
}

# cost: 1 wall 2 cpu 3 anon 4 rss 5 MB/s wall 6 MB/s cpu 7 status
xplane_line() { # WHAT
    printf '%s\t%s\t%s\n' "$1" "$((input_bytes / 1000000))" "$cost" >>"$xplane_results"
}

# ---- reporting -------------------------------------------------------------------------------

# results: 1 what 2 MB 3 wall 4 cpu 5 anon 6 rss 7 MB/s wall 8 MB/s cpu 9 status
xplane_report() { # as_text or as_markdown
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "what", "input MB", "wall s", "cpu s", "MB/s cpu", "anon MB" }
    $9 != 0 { print $1, $2, "FAILED " $9, "-", "-", "-"; next }
    { print $1, $2, $3, $4, $8, $5 }' "$xplane_results" | "$1"
}

xplane_verdict() {
    awk -F '\t' -v OFS='\t' '
    $1 == "ops" { print "XPlane is read at >= 300 MB/s on one core", $1, $8 " MB/s", ($9 == 0 && $8 >= 300 ? "ok" : "MISS") }
    { print "XPlane in <= 2 x file + 256 MiB", $1, $5 " MB", ($9 == 0 && $5 <= 2 * $2 + 268 ? "ok" : "MISS") }
    ' "$xplane_results"
}
