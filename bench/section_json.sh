# shellcheck shell=bash disable=SC2034,SC2154 # run.sh knows them
# SPDX-License-Identifier: Apache-2.0
#
# Sections chrome and perfetto: traces that tacho reads and writes again, all arguments kept. Chrome
# JSON is held against simdjson's DOM parser on the same file in the same run. Sourced by run.sh.

chrome_shapes="kineto kineto_epoch ordered ort names"
names_bytes_max=30000000 # of names; memory follows the different names of a file
peer_results=$work/peer.tsv # shape, figure, MB/s, seconds, values; before tacho's run and after it
: >"$peer_results"

# ---- chrome ----------------------------------------------------------------------------------

peer_measure() { # SHAPE
    [[ -x $simdjson_dom ]] || return 0
    if ! "$simdjson_dom" "$input" "$repeat" >"$work/peer" 2>"$work/peer_name"; then
        failures=$((failures + 1))
        echo "bench/run.sh: FAILED: $simdjson_dom $input" >&2
        return 0
    fi
    sed "s/^/$1\t/" "$work/peer" >>"$peer_results"
}

chrome_run() {
    local shape bytes
    for shape in $chrome_shapes; do
        bytes=$json_bytes
        [[ $shape != names ]] || ((bytes <= names_bytes_max)) || bytes=$names_bytes_max
        echo "bench: Chrome JSON, $shape, $bytes bytes" >&2
        chrome_input_make "$shape" "$bytes"
        peer_measure "$shape"
        if reads_format chrome; then
            use_one_core
            convert_measure chrome "$shape" pb all
            convert_measure chrome "$shape" json all
            use_all_cores
        fi
        peer_measure "$shape"
        input_drop
    done
}

chrome_report() { # as_text or as_markdown
    if reads_format chrome; then
        results_table chrome | "$1"
    else
        echo "not built in: this tacho does not read Chrome JSON."
    fi
    if [[ -s $peer_results ]]; then
        heading "$1" "simdjson's DOM parser on the same files"
        cat <<'FIGURES'
fresh: new parser, parse only, text in memory (the bar); fresh_load: with loading; touch: the same
with a visit to each value; warm: a parser used before, parse only.
FIGURES
        sed 's/, checksum.*/./' "$work/peer_name"
        echo
        peer_table | "$1"
    else
        printf '\nNo peer: simdjson_dom is built where libsimdjson-dev and a C++ compiler are.\n'
    fi
}

peer_table() {
    awk -F '\t' -v OFS='\t' '
    BEGIN { print "input", "figure", "MB/s cpu", "cpu s", "values" }
    $3 > best[$1, $2] { best[$1, $2] = $3; line[$1, $2] = $0 }
    !(($1, $2) in seen) { seen[$1, $2] = 1; order[++count] = $1 SUBSEP $2 }
    END {
        for (i = 1; i <= count; ++i) {
            split(line[order[i]], field, FS)
            print field[1], field[2], field[3], field[4], field[5]
        }
    }' "$peer_results"
}

chrome_verdict() {
    awk -F '\t' -v OFS='\t' '
    function judge(bar, who, ok, shown) { print bar, who, shown, ok ? "ok" : "MISS" }
    FILENAME == ARGV[1] { if ($3 > peer[$1, $2]) peer[$1, $2] = $3; next }
    $1 != "chrome" { next }
    {
        who = $2 " to " $3
        least = $3 ~ /^[.]pb/ ? 0.8 : 0.6
        speed_bar = ">= " least "x simdjson DOM (fresh parser, parse only) by CPU time"
    }
    $12 != 0 { judge(speed_bar, who, 0, "failed"); next }
    ($2, "fresh") in peer {
        judge(speed_bar, who, $11 >= least * peer[$2, "fresh"], \
              sprintf("%.2fx (%.2fx warm, %.2fx touch), %s MB/s", $11 / peer[$2, "fresh"], \
                      $11 / peer[$2, "warm"], $11 / peer[$2, "touch"], $11))
    }
    { judge("anonymous RSS <= 64 MB", who, $8 <= 64, $8 " MB") }' "$peer_results" "$results"
}

# ---- perfetto --------------------------------------------------------------------------------

# Sets $input to the trace of $input; fails when it cannot be made.
perfetto_input_make() {
    local made=$work/in.pb
    if ! "$tacho" convert "$input" -o "$made" -q; then
        failures=$((failures + 1))
        echo "bench/run.sh: FAILED: $tacho convert $input" >&2
        return 1
    fi
    input_drop
    input=$made
    input_bytes=$(stat -c %s "$input")
}

perfetto_case() { # NAME; the file that becomes a trace is $input
    echo "bench: Perfetto, $1" >&2
    perfetto_input_make || return 0
    convert_measure perfetto "$1" json all
    convert_measure perfetto "$1" pb all
    rm -f "$input"
}

perfetto_run() {
    reads_format perfetto || return 0
    torq_input_make t4 "$large_rows" ordered
    perfetto_case "from t4, $large_rows rows"
    if reads_format chrome; then
        chrome_input_make kineto "$json_bytes"
        perfetto_case "from kineto, $json_bytes bytes"
    fi
}

perfetto_report() { # as_text or as_markdown
    if reads_format perfetto; then
        results_table perfetto | "$1"
    else
        echo "not built in: this tacho does not read Perfetto traces."
    fi
}

perfetto_verdict() {
    : # no bar: for information
}
