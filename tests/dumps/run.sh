#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Dumps of the compiler, of every model at hand on several machines: mlir-opt reads them, and
# 'tacho annotate' finds in the last one every action and job of a runtime profile.
#
#   tests/dumps/run.sh BIN_DIR
set -u
export LC_ALL=C.UTF-8
BATCH_BYTES=500000

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
tacho=$(cd "${1:?}" && pwd)/tacho
dropin=$(cd "$1/../dropin" && pwd)
missing=
opt=$("$here/../mlir/find_mlir_opt.sh" 19) || { missing=$opt; opt=; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 files=0 batch=()
mkdir "$work/batch"

fail() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# Values that are used before they are there: mlir-opt lets operations that it does not know do so.
list_early_uses() {
    awk '
        function take(text, into) {
            while (match(text, /%[A-Za-z0-9_]+/)) {
                name = substr(text, RSTART, RLENGTH)
                if (into) seen[name] = 1
                else if (!(name in seen)) print FILENAME ": " name " is not there yet"
                text = substr(text, RSTART + RLENGTH)
            }
        }
        FNR == 1 { split("", seen) }
        /^ *\^bb0\(/ { take($0, 1); next }
        {
            rest = $0
            made = ""
            if (match(rest, /^ *%[^"]* = "/)) {
                made = substr(rest, 1, RLENGTH)
                rest = substr(rest, RLENGTH)
            }
            if (at = index(rest, "\"(")) {
                rest = substr(rest, at + 2)
                take(substr(rest, 1, index(rest, ")")), 0)
            }
            take(made, 1)
        }' "$@"
}

# The folder of dumps $1 holds what it should. mlir-opt reads many folders at once, but its time grows with the
# square of the bytes: batches are small.
check_folder() { # FOLDER NAME
    local dumps=("$1"/*.mlir)
    files=$((files + ${#dumps[@]}))
    ((${#dumps[@]} == 7)) || fail "$2: ${#dumps[@]} dumps, expected 7"
    list_early_uses "${dumps[@]}" >"$work/early"
    [[ ! -s $work/early ]] || fail "$2: $(head -n 1 "$work/early")"
    [[ -n $opt ]] || return
    awk 'FNR == 1 && NR > 1 { print "// -----" } { print } END { print "// -----" }' "${dumps[@]}" >>"$work/batch.mlir"
    mv "$1" "$work/batch/${#batch[@]}"
    batch+=("$2")
    (($(stat -c %s "$work/batch.mlir") < BATCH_BYTES)) || check_batch
}

# Each dump of a batch is MLIR: all at once, and one by one where something is wrong.
check_batch() {
    local file number before=$failed
    ((${#batch[@]} > 0)) || return
    if ! "$opt" --allow-unregistered-dialect --split-input-file "$work/batch.mlir" -o /dev/null 2>"$work/all"; then
        for number in "${!batch[@]}"; do
            for file in "$work/batch/$number"/*.mlir; do
                "$opt" --allow-unregistered-dialect "$file" -o /dev/null 2>"$work/why" ||
                    fail "${batch[number]}: $(basename "$file"): $(grep -m1 error "$work/why")"
            done
        done
        ((failed > before)) || fail "a batch of dumps, not one alone: $(grep -m1 error "$work/all")"
    fi
    rm -r "$work"/batch/* "$work/batch.mlir"
    batch=()
}

# A runtime profile with every action of the dump $1, one microsecond each.
compose_profile() {
    awk 'BEGIN { print "actionIndex, elapsed_time(us), timestamp(us), event, location" }
        /"torq-action-id"/ {
            match($0, /"torq-action-id" = [0-9]+/)
            id = substr($0, RSTART + 19, RLENGTH - 19)
            event = /host_copy/ ? "HOST_COPY" : /start_program/ ? "NSS" : "NSS_WAIT"
            first = event == "NSS" ? "NSS_START" : event "_START"
            last = event == "NSS" ? "NSS_START_END" : event "_END"
            printf "%d,%d,%d,%s,\"loc(unknown)\"\n", id, 2 * id, 1000 + 2 * id, first
            printf "%d,%d,%d,%s,\"loc(unknown)\"\n", id, 2 * id + 1, 1001 + 2 * id, last
        }' "$1"
}

# expect_rows KIND COUNT NAME: so many rows of the annotated table are of this kind.
expect_rows() {
    local rows
    rows=$(grep -c "^annotation,runtime.csv,$1," "$work/out.csv")
    ((rows == $2 && rows > 0)) || fail "$3: $rows annotated rows of kind $1, expected $2"
}

check_annotation() {
    local dump=$1 name=$2
    compose_profile "$dump" >"$work/runtime.csv"
    if ! "$tacho" annotate "$dump" "$work/runtime.csv" -o "$work/out.csv" 2>"$work/why"; then
        fail "$name: annotate: $(head -n 1 "$work/why")"
        return
    fi
    ! grep -q 'warning\|not known\|unknown' "$work/why" || fail "$name: $(grep -m1 . "$work/why")"
    expect_rows action "$(grep -c '"torq-action-id"' "$dump")" "$name"
    expect_rows job "$(grep -c '"torq-job-id"' "$dump")" "$name"
    expect_rows op "$(grep -c '"torq_hw\.[a-z_]*_\(cfg\|start\|wait\)"' "$dump")" "$name"
    ! grep -q '"torq_hw.slice_start"' "$dump" ||
        grep -qE '(dma_(in|out|local),)+compute_0' "$work/out.csv" ||
        fail "$name: no job uses the engines"
}

# Without profiling no dump tells of time.
check_plain() {
    rm -rf "$work/phases"
    "$dropin/torq-compile" "$1" -o "$work/plain.vmfb" --dump-compilation-phases-to="$work/phases" \
        >/dev/null 2>"$work/why" || fail "torq-compile: $(head -n 1 "$work/why")"
    ! grep -ql 'cycle\|start = \|_profiling\|peak_bytes' "$work"/phases/*.mlir ||
        fail "$(basename "$1"): cycles or footprints though profiling is off"
    check_folder "$work/phases" "$(basename "$1") without profiling"
}

# dump MODEL MACHINE
dump() {
    local name
    name="$(basename "$1") on $2"
    rm -rf "$work/phases"
    if ! "$tacho" compile "$1" -m "$2" -q --dump-compilation-phases-to="$work/phases" \
        >/dev/null 2>"$work/why"; then
        fail "$name: $(head -n 1 "$work/why")"
        return
    fi
    [[ $2 != torq-* || $1 == */constants.* ]] || check_annotation "$work"/phases/*.9.executable-targets.mlir "$name"
    check_folder "$work/phases" "$name"
}

for kind in cnn cnn-qdq transformer; do
    PYTHONDONTWRITEBYTECODE=1 python3 "$root/tools/make_models.py" "$kind" -o "$work/$kind.onnx" ||
        fail "$kind: cannot be made"
done
PYTHONDONTWRITEBYTECODE=1 python3 - "$root/tools" "$work/constants.onnx" <<'END' || fail "constants"
import argparse, pathlib, sys
sys.path.insert(0, sys.argv[1])
import make_models
model = make_models.Model("constants", argparse.Namespace(seed=0, weights="inline"))
operands = [model.constant(name, "f32", [4], [1, 2, 3, 4]) for name in "ab"]
model.node("Add", "add", operands)
model.output("f32", [4])
model.write(pathlib.Path(sys.argv[2]))
END
models=("$work"/*.onnx "$root"/samples/tosa/*.mlir "$root"/tests/testdata/tosa_ops/*.mlir
    "$root"/tests/data/compile/{block,unknown}.mlir)
for model in "${models[@]}"; do
    for machine in torq-sl2610 aic100 wormhole-n150; do
        dump "$model" "$machine"
    done
done
check_plain "$root/samples/tosa/fc.mlir"
machines=(torq-sl2610 aic100 wormhole-n150)
for model in "$root"/../shared/data/mlir/tosa_ops/*.mlir; do # on one machine after the other
    [[ -e $model ]] || continue
    dump "$model" "${machines[${#models[@]} % 3]}"
    models+=("$model")
done
check_batch
echo "dumps: ${#models[@]} models, $files files, $failed failures"
((failed == 0)) || exit 1
if [[ -z $opt ]]; then
    echo "$missing; only tacho reads the dumps"
    exit 77
fi
