#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Converts traces that other tools wrote, where there are any, and compares what came out with what
# jq finds in the originals: events by kind and name, durations, flow ends.
#
#   tests/real/run.sh BIN_DIR [TRACES_DIR]
set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
judge=$here/../judge/trace_judge.py

if (($# < 1)) || [[ ! -x $1/tacho ]]; then
    echo "usage: tests/real/run.sh BIN_DIR [TRACES_DIR]" >&2
    exit 2
fi
tacho=$(cd "$1" && pwd)/tacho
traces=${2:-$here/../../../shared/data/traces}
[[ -d $traces ]] || { echo "skip: no directory $traces"; exit 77; }
command -v jq >/dev/null || { echo "skip: jq is not installed"; exit 77; }
traces=$(cd "$traces" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-real.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0 failed=0

# check NAME EXPECTED FOUND
check() {
    if [[ $2 == "$3" ]]; then
        ((passed += 1))
    else
        echo "FAIL $1: expected $2, got $3"
        ((failed += 1))
    fi
}

spans='[.[] | select(.ph == "X")]'
lanes='[.[] | select(.ph == "M" and (.args.facts // "" | contains("lane of"))) | [.pid, .tid]]'
declare -A filters=(
    [count_spans]="$spans | length"
    [sum_ns]="$spans | map(.dur * 1000 | round) | add"
    [instants]='[.[] | select(.ph == "i" or .ph == "I")] | length'
    [flows]='[.[] | select(.ph == "s" or .ph == "t" or .ph == "f")] | length'
    [names]="$spans | map([.name, .cat // \"\"]) | group_by(.) | map([.[0], length]) | tojson"
    [args]="$spans | map(.args // {} | [paths] | length) | add"
    [operators]='[.[] | select(.ph == "X" and (.args.op_name // "") != "")
        | select(.name | test("_fence_(before|after)$") | not)]
        | group_by(.args.op_name) | map([.[0].args.op_name, length, (map(.dur * 1000 | round) | add)]) | tojson'
    [threads]="$lanes as \$lanes | [.[] | select(.ph == \"X\" or .ph == \"i\") | [.pid, .tid]] | unique - \$lanes | length"
    [id]='[.[] | select(.ph == "X" and (.pid | type) == "number" and (.tid | type) == "number" and .pid > 0 and
          .tid > 0) | [.pid, .tid]] | unique | .[] | "\(.[0])/\(.[1])"'
)
# Flow ends outside any span, as the trace says.
program='if type == "array" then {traceEvents: .} else . end
    | "lost\t\([.metadata // {} | to_entries[] | select(.key | endswith(".unbound_flow")).value | tonumber] | add // 0)",
    (.traceEvents | '
for filter in "${!filters[@]}"; do
    program+="\"$filter\\t\\(${filters[$filter]})\", "
done
program+='empty)'

# facts NAME: what jq makes of NAME.json, into NAME.facts: "filter<TAB>value". A large file is read once.
facts() {
    jq -r "$program" "$1.json" >"$1.facts"
    check "$name facts of $1" 0 $?
}

# fact NAME FILTER: one of these.
fact() { sed -n "s/^$2\t//p" "$1.facts"; }

# compare NAME FROM TO: whether two traces say the same, but for lanes and lost flow ends.
compare() {
    local what
    for what in count_spans sum_ns instants names args; do
        check "$1 $what" "$(fact "$2" $what | cksum)" "$(fact "$3" $what | cksum)"
    done
    check "$1 flows" "$(fact "$2" flows)" "$(($(fact "$3" flows) + $(fact "$3" lost)))"
}

for trace in "$traces"/*.json "$traces"/*.json.gz; do
    [[ -f $trace ]] || continue
    name=$(basename "$trace")
    case $trace in
    *.gz) gzip -dc "$trace" >original.json ;;
    *) cp "$trace" original.json ;;
    esac
    # A list that is not closed is closed for jq.
    jq -e . original.json >/dev/null 2>&1 || { sed -e '$ s/,\s*$//' original.json; echo ']'; } >closed.json
    [[ ! -s closed.json ]] || mv closed.json original.json
    "$tacho" convert -q "$trace" -o out.pb
    check "$name to Perfetto" 0 $?
    "$tacho" convert -q "$trace" -o out.json
    check "$name to Chrome" 0 $?
    "$tacho" convert -q out.json -o again.json
    check "$name back again" 0 $?
    for form in original out again; do
        facts $form
    done
    compare "$name" original out
    compare "$name again" out again
    check "$name threads" "$(fact original threads)" "$(fact out threads)"
    wanted=$(fact original operators)
    for trace_of in "$trace" out.pb; do
        found=$("$tacho" ops -q "$trace_of" --top 0 --format json | jq -s -c --argjson wanted "$wanted" \
            '($wanted | map(.[0])) as $names | map(select(.operation | IN($names[]))
             | [.operation, .count, .total_ns]) | sort')
        check "$name operators" "$wanted" "$found"
    done
    python3 "$judge" --summary --threads --check out.pb >judged.txt
    check "$name judged" 0 $?
    python3 "${judge%/*}/json_judge.py" out.json
    check "$name judged as JSON" 0 $?
    # Numbers of processes and threads: those of the file, in both forms.
    tail -n +2 judged.txt | awk -F '\t' '$2 != "-" && $4 > 0 { print $1 "/" $2 }' | sort -u >threads.txt
    fact out id | sort -u >found.txt
    fact original id | sort -u >wanted.txt
    check "$name numbers" "" "$(comm -23 wanted.txt found.txt)"
    check "$name numbers in Perfetto's form" "" "$(comm -23 wanted.txt threads.txt)"
    head -n 1 judged.txt >summary.json
    check "$name slices" "$(fact original count_spans)" "$(jq .slices summary.json)"
    check "$name sum" "$(fact original sum_ns)" "$(jq .sum_dur_ns summary.json)"
    rm -f closed.json
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
