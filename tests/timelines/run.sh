#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Timelines of the compiler as Torq's first and last generation write them, read back: both say
# the same of every engine, whatever work runs on it, and so does the dump of the last phase.
# Composed models first; then every model of Torq's own tests, where they are at hand.
#
#   tests/timelines/run.sh BIN_DIR
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
tacho=$(cd "${1:?}" && pwd)/tacho
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 files=0

fail() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# Engine, start and cycles of every span of the timeline $1; further words are for the reader.
list_spans() {
    "$tacho" convert "$@" -q --to csv -o - | awk -F, '$1 == "span" { print $4, $7, $9 }' | sort
}

# How often each engine starts, as the last timeline and as the dump of the last phase say (what
# takes no time is in no timeline), and that no program has more local memory than its dispatch.
check_dump() {
    local dump=$1 name=$2
    awk '{ sub(/ [0-9]+ [0-9]*$/, ""); count[tolower($0)]++ }
        END { for (engine in count) print engine, count[engine] }' "$work/t4" | sort >"$work/shown"
    grep -v '"torq-async-duration-cycles" = 0 ' "$dump" | sed -n 's/.*"torq_hw\.\([a-z_]*\)_start"[^<]*<{id = \([0-9]*\) .*/\1 \2/p' |
        sed 's/^\(dma_in\|dma_out\|css\) .*/\1/; s/_/ /' | sort | uniq -c |
        awk '{ count = $1; $1 = ""; print substr($0, 2), count }' | sort >"$work/dumped"
    cmp -s "$work/shown" "$work/dumped" ||
        fail "$name: the dump starts other engines: $(diff "$work/shown" "$work/dumped" | tr '\n' ' ')"
    awk '/torq_hw.slice_profiling/ { if (match($0, /memory = [0-9]+/)) {
            bytes = substr($0, RSTART + 9, RLENGTH - 9) + 0; if (bytes > most) most = bytes } }
        /torq_hw.dispatch_profiling/ { match($0, /total_lram_bytes = [0-9]+/)
            total = substr($0, RSTART + 19, RLENGTH - 19) + 0
            if (most > total) print "a program has " most " bytes, its dispatch " total
            most = 0 }' "$dump" >"$work/why"
    [[ ! -s $work/why ]] || fail "$name: $(head -n 1 "$work/why")"
    local last total
    last=$(awk -F, '$3 > last { last = $3 } END { print last + 0 }' "$work/t1.csv")
    total=$(grep -o 'total_cycle = [0-9]*' "$dump" | awk '{ sum += $3 } END { print sum + 0 }')
    ((last == total)) || fail "$name: the timeline ends at $last, dispatches take $total cycles"
}

# What both timelines of the model $1 say is the same; further words are options of the reader.
compare() {
    local model=$1
    shift
    local name=${model##*/}
    rm -rf "$work"/*.csv "$work"/t? "$work/phases"
    files=$((files + 1))
    for form in t1 t4; do
        "$tacho" compile "$model" -q "${hardware[@]}" --profile "$work/$form.csv" \
            --profile-format $form --dump-compilation-phases-to "$work/phases" \
            -o "$work/program" --format csv >"$work/out" 2>"$work/why"
        (($? == 0 || $? == 3)) || { fail "$name: $(head -n 1 "$work/why")"; return; }
        list_spans "$work/$form.csv" "$@" >"$work/$form"
    done
    [[ -s $work/t4 ]] || fail "$name: no span is read back"
    cmp -s "$work/t1" "$work/t4" ||
        fail "$name: $(diff "$work/t1" "$work/t4" | grep -m2 '^[<>]' | tr '\n' ' ')"
    check_dump "$work"/phases/*.9.executable-targets.mlir "$name"
}

# Spans of |engine| in the last timeline.
count_of() { grep -c "^$1 " "$work/t1"; }

hardware=()

# Work of the slices, and work that only the vector engine does: an operator that nothing is known of.
cat >"$work/unknown.mlir" <<'EOF'
func.func @main(%x: !torch.vtensor<[16,32,32],f32>) -> !torch.vtensor<[16],f32> attributes {torch.onnx_meta.opset_version = 13 : si64} {
  %r = torch.operator "onnx.Relu"(%x) : (!torch.vtensor<[16,32,32],f32>) -> !torch.vtensor<[16,32,32],f32>
  %0 = torch.operator "onnx.NobodyKnows"(%r) : (!torch.vtensor<[16,32,32],f32>) -> !torch.vtensor<[16],f32>
  return %0 : !torch.vtensor<[16],f32>
}
EOF
compare "$work/unknown.mlir"
(($(count_of CSS) > 0)) || fail "unknown.mlir: nothing ran on the vector engine"

# Slices that do not take turns: small work on one of them between work on both.
cat >"$work/uneven.mlir" <<'EOF'
func.func @main(%a: tensor<1x1x1xi8>, %b: tensor<1x33x65xi8>) -> (tensor<1x1x1xi8>, tensor<1x33x65xi8>) {
  %0 = tosa.add %a, %a : (tensor<1x1x1xi8>, tensor<1x1x1xi8>) -> tensor<1x1x1xi8>
  %1 = tosa.add %b, %b : (tensor<1x33x65xi8>, tensor<1x33x65xi8>) -> tensor<1x33x65xi8>
  %2 = tosa.add %0, %0 : (tensor<1x1x1xi8>, tensor<1x1x1xi8>) -> tensor<1x1x1xi8>
  %3 = tosa.reverse %2 {axis = 0 : i32} : (tensor<1x1x1xi8>) -> tensor<1x1x1xi8>
  return %3, %1 : tensor<1x1x1xi8>, tensor<1x33x65xi8>
}
EOF
compare "$work/uneven.mlir"
sed -n 's/.*\(memory\|total_lram_bytes\) = \([0-9]*\).*/\2/p' "$work"/phases/*.9.*.mlir | sort -n |
    tail -n 2 >"$work/most"
(($(sort -u "$work/most" | wc -l) == 1)) ||
    fail "uneven.mlir: the fullest program has not the dispatch's total: $(tr '\n' ' ' <"$work/most")"

# One slice, and more than a reader takes turns on by itself.
hardware=(--torq-hw 0:512:1:coral_v1:nss_v1)
compare "$work/uneven.mlir"
(($(count_of 'Slice 0') > 1)) || fail "one slice: nothing ran on it"
(($(count_of 'Slice 1') == 0)) || fail "one slice: something ran on the second"
hardware=(--torq-hw 0:512:4:coral_v1:nss_v1)
compare "$work/uneven.mlir" --num-slices 4
(($(count_of 'Slice 3') > 0)) || fail "four slices: nothing ran on the last"

hardware=()
for model in "$root"/../shared/data/mlir/tosa_ops/*.mlir; do
    [[ ! -f $model ]] || compare "$model"
done

echo "$files models, $failed failed"
((failed == 0))
