#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034,SC2154 # the sections use them, and set them
#
# Measures tacho on synthetic profiles against the bars of docs/performance.md, section by section:
# torq, host, annotate, chrome, perfetto, compile, device, kernels, opstats, capture, tenstorrent, tracy, xplane, nsys, diff, python, query, fleet. Floors (wc, mawk, cat) and peers
# (simdjson) are taken on the same files in the same run, so that a number can be read on any machine.
# A missed bar is reported and is no failure; a command that fails is. MB is 10^6 bytes; times are the
# best of the repeats.
set -eu
export LC_ALL=C TACHO_HOST_CPU=built-in # the same estimates everywhere

usage() {
    cat <<'USAGE'
usage: bench/run.sh [BUILD_BIN_DIR] [--quick] [--dir SCRATCH] [--save FILE] [--repeat N]
                    [--bench-dir DIR] [--sections "torq host"] [--formats "t1 t4 r0"]
  BUILD_BIN_DIR   where tacho is (default: build-ship/bin beside bench/); or set TACHO
  --quick         100 k and 1 M rows instead of 1 M and 10 M, 50 MB of JSON instead of 500 MB
  --dir SCRATCH   keep the inputs there and use them again (default: a temporary folder, removed)
  --save FILE     write the tables as Markdown, too
  --repeat N      runs of each command (default 3)
  --bench-dir DIR where gen_torq and the other generators, measure are (default: BUILD_BIN_DIR/../bench)
  --sections LIST which of torq host annotate chrome perfetto compile device kernels opstats capture profile tenstorrent tracy xplane nsys diff python query analyses fleet (default: all)
  --formats LIST  of section torq, which of t1 t2 t4 r0 (default "t1 t4 r0")
USAGE
}

die() {
    echo "bench/run.sh: $1" >&2
    exit "${2:-1}"
}

# ---- command line ----------------------------------------------------------------------------

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin_dir="" bench_dir="" keep_dir="" save="" quick="" repeat=3 formats="t1 t4 r0"
sections="torq host annotate chrome perfetto compile device kernels opstats capture profile tenstorrent tracy xplane nsys diff python query analyses fleet"
while (($# > 0)); do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --quick) quick=1 ;;
    --dir | --save | --repeat | --bench-dir | --sections | --formats)
        (($# > 1)) || die "$1 needs a value" 2
        case $1 in
        --dir) keep_dir=$2 ;;
        --save) save=$2 ;;
        --repeat) repeat=$2 ;;
        --bench-dir) bench_dir=$2 ;;
        --sections) sections=$2 ;;
        --formats) formats=$2 ;;
        esac
        shift
        ;;
    -*) usage >&2 && exit 2 ;;
    *)
        [[ -z $bin_dir ]] || die "one BUILD_BIN_DIR only, got $bin_dir and $1" 2
        bin_dir=$1
        ;;
    esac
    shift
done
[[ $repeat =~ ^[1-9][0-9]*$ ]] || die "--repeat needs a positive number, got $repeat" 2
for section in $sections; do
    case $section in
    torq | host | annotate | chrome | perfetto | compile | device | kernels | opstats | capture | profile | tenstorrent | tracy | xplane | nsys | diff | python | query | analyses | fleet) ;;
    *) die "no section $section; --help lists them" 2 ;;
    esac
done

bin_dir=${bin_dir:-$here/../build-ship/bin}
bench_dir=${bench_dir:-$bin_dir/../bench}
tacho=${TACHO:-$bin_dir/tacho}
gen_torq=${GEN_TORQ:-$bench_dir/gen_torq}
gen_chrome=${GEN_CHROME:-$bench_dir/gen_chrome}
gen_annotate=${GEN_ANNOTATE:-$bench_dir/gen_annotate}
gen_model=${GEN_MODEL:-$bench_dir/gen_model}
gen_tenstorrent=${GEN_TENSTORRENT:-$bench_dir/gen_tenstorrent}
measure=${MEASURE:-$bench_dir/measure}
run_model=${RUN_MODEL:-$bench_dir/run_model}
run_kernels=${RUN_KERNELS:-$bench_dir/run_kernels}
client_events=${CLIENT_EVENTS:-$bench_dir/client_events}
client_load=${CLIENT_LOAD:-$bench_dir/../tests/client_load}
opencl_load=${OPENCL_LOAD:-$bench_dir/../tests/opencl_load}
simdjson_dom=${SIMDJSON_DOM:-$bench_dir/simdjson_dom} # may be missing
for program in "$tacho" "$gen_torq" "$gen_chrome" "$gen_annotate" "$gen_model" "$gen_tenstorrent" "$measure" \
    "$run_model" "$run_kernels"; do
    [[ -x $program ]] || die "no program $program: build it first, or name its folder" 2
done

if [[ $quick ]]; then
    sizes="100000 1000000" json_bytes=50000000 need_mb=1000
else
    sizes="1000000 10000000" json_bytes=500000000 need_mb=8000
fi
small_rows=${sizes% *} large_rows=${sizes#* }

# ---- scratch folder --------------------------------------------------------------------------

# Outputs, spools and results of this run live in $work and go with it; inputs stay with --dir.
if [[ $keep_dir ]]; then
    mkdir -p "$keep_dir"
    work=$(mktemp -d "$keep_dir/run.XXXXXX")
    input_dir=$keep_dir
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-bench.XXXXXX")
    input_dir=$work
fi
memory="" # a folder that is in memory, for as long as a section needs it
trap 'rm -rf "$work" ${memory:+"$memory"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

have_mb=$(($(df -Pk "$work" | awk 'NR == 2 { print $4 }') / 1000))
kept_mb=$(find "$input_dir" -maxdepth 1 \( -name '*-*-*.csv' -o -name '*-*.json' \) -printf '%s\n' |
    awk '{ sum += $1 } END { printf "%.0f", sum / 1e6 }')
((have_mb + kept_mb >= need_mb)) ||
    die "needs about $need_mb MB in $input_dir, $have_mb MB are free; use --quick or --dir"

export TMPDIR=$work # a spool counts as scratch, too

for file in lib section_torq section_host section_annotate section_json section_compile \
    section_device section_kernels section_opstats section_capture section_profile section_tenstorrent \
    section_tracy section_xplane section_nsys section_diff section_python section_query section_analyses section_fleet; do
    # shellcheck source=/dev/null
    source "$here/$file.sh"
done

# ---- the run ---------------------------------------------------------------------------------

section_title() {
    case $1 in
    torq) echo "Torq CSV to Perfetto" ;;
    host) echo "Torq host profiles to Perfetto" ;;
    annotate) echo "Torq host profiles annotated" ;;
    chrome) echo "Chrome JSON in, arguments kept" ;;
    perfetto) echo "Perfetto in" ;;
    compile) echo "Models to estimates" ;;
    device) echo "Programs on devices" ;;
    kernels) echo "Values of models, one thread" ;;
    opstats) echo "Raw stats to summaries and traces" ;;
    capture) echo "Captures (.tacho)" ;;
    profile) echo "Programs under tacho profile" ;;
    tenstorrent) echo "Tenstorrent device logs" ;;
    tracy) echo "Tracy: streams and files" ;;
    xplane) echo "XPlane in" ;;
    nsys) echo "Nsight Systems: databases" ;;
    query) echo "SQL over a capture" ;;
    fleet) echo "The profiles of many ranks" ;;
    analyses) echo "Tables of a trace, beside its conversion" ;;
    diff) echo "Profiles compared" ;;
    python) echo "Profiles in Python" ;;
    esac
}

verdict_table() {
    local section
    printf 'bar\tcase\tmeasured\tverdict\n'
    for section in $sections; do
        "${section}_verdict"
    done
}

summary_line() {
    verdict_table | awk -F '\t' '
    NR > 1 { ++all; met += $4 == "ok" }
    END { printf "%d of %d bars met.%s\n", met, all, \
          met < all ? " A missed bar does not fail this run: machines are noisy." : "" }'
    ((failures == 0)) || echo "$failures commands failed."
}

report() { # as_text or as_markdown
    local section
    machine_line
    for section in $sections; do
        heading "$1" "$(section_title "$section")"
        "${section}_report" "$1"
    done
    heading "$1" "Verdict (speed at $large_rows rows, $json_bytes bytes of JSON)"
    verdict_table | "$1"
    printf '\n'
    summary_line
}

for section in $sections; do
    "${section}_run"
done
report as_text
[[ -z $save ]] || report as_markdown >"$save"
((failures == 0))
