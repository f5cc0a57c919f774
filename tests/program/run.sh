#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Containers of programs, judged by others: protoc reads the network description, a script of its
# own recomputes the checksums, and a disk that is full leaves nothing behind.
#
#   tests/program/run.sh BIN_DIR TESTS_DIR
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
proto=$here/../data/qaic
bin=$1 tests=$2 failed=0 passed=0 skipped=0
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-program.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

check() { # check WHAT COMMAND...
    if "${@:2}"; then
        ((passed += 1))
    else
        echo "FAIL $1"
        ((failed += 1))
    fi
}

inspect() { python3 "$here/inspect_qpc.py" "$@"; }
decode() { protoc "--decode=tacho.networkdesc.Network" -I "$proto" networkdesc.proto; }
encode() { protoc "--encode=tacho.networkdesc.Network" -I "$proto" networkdesc.proto; }

same_bytes_twice() {
    "$tests/make_program" "$work/a.bin" && "$tests/make_program" "$work/b.bin" &&
        cmp "$work/a.bin" "$work/b.bin"
}

# Every field is known to the schema: protoc prints unknown ones as bare numbers.
reads_with_protoc() {
    inspect extract "$work/a.bin" networkdesc.bin >"$work/desc" &&
        decode <"$work/desc" >"$work/desc.txt" &&
        diff -u "$here/networkdesc.expected" "$work/desc.txt"
}

# What protoc writes of the same message is the same, byte for byte.
writes_as_protoc() { encode <"$work/desc.txt" | cmp - "$work/desc"; }

# Each slice of a program on two devices has a description of its own, under its name.
slices_with_protoc() {
    "$tests/make_program" "$work/sliced.bin" 70 sliced || return 1
    [[ $(inspect seal "$work/sliced.bin") == "4 segments sealed" ]] || return 1
    local slice name
    for slice in 00 01; do
        name=QAicGraph_slice${slice}_dir/networkdesc.bin
        inspect extract "$work/sliced.bin" "$name" >"$work/slice" &&
            decode <"$work/slice" >"$work/slice.txt" &&
            diff -u "$here/networkdesc_slice$slice.expected" "$work/slice.txt" &&
            encode <"$work/slice.txt" | cmp - "$work/slice" || return 1
    done
    "$bin/tacho" info --strict --format csv "$work/sliced.bin" >"$work/out" &&
        grep -qx "slices,sliced.bin,QAicGraph_slice00,0,1,1,3,0,0,1200" "$work/out" &&
        grep -qx "slices,sliced.bin,QAicGraph_slice01,1,1,1,5,792,0,1200" "$work/out"
}

seal_is_right() { [[ $(inspect seal "$work/a.bin") == "3 segments sealed" ]]; }

image_is_ours() { [[ $(inspect extract "$work/a.bin" network.elf | head -c 8) == TachoPrg ]]; }

# Files are limited to 2 KiB: the write fails, what was there stays, nothing is added.
full_disk_leaves_nothing() {
    mkdir "$work/full" && echo old >"$work/full/out.bin" || return 1
    (trap '' XFSZ; ulimit -f 2; "$tests/make_program" "$work/full/out.bin" 2>"$work/err") && return 1
    grep -q "File too large" "$work/err" && [[ $(cat "$work/full/out.bin") == old ]] &&
        [[ $(ls -A "$work/full") == out.bin ]]
}

missing_folder_is_said() {
    "$tests/make_program" "$work/none/out.bin" 2>"$work/err" && return 1
    grep -q "none" "$work/err"
}

# One flipped bit in each segment: said, and exit 3; with --strict 1 and no output.
damage_is_said() {
    local at places
    places=$(inspect places "$work/a.bin") || return 1
    for at in $places; do
        cp "$work/a.bin" "$work/bad.bin" || return 1
        python3 -c "
import sys
with open('$work/bad.bin', 'r+b') as file:
    file.seek($at); byte = file.read(1)[0]; file.seek($at); file.write(bytes([byte ^ 1]))" || return 1
        "$bin/tacho" info "$work/bad.bin" >"$work/out" 2>/dev/null
        (($? == 3)) && [[ $(grep -c ' bad$' "$work/out") == 1 ]] || return 1
        "$bin/tacho" info --strict "$work/bad.bin" >"$work/out" 2>/dev/null
        (($? == 1)) && [[ ! -s $work/out ]] || return 1
    done
}

# A hole of 5 GiB takes no room, and is not read to list segments.
large_file_is_listed() {
    python3 - "$work/large.bin" <<'END' || return 1
import struct, sys
size, hole = (5 << 30) + 123, 5 << 30
head = struct.pack("<IBBHQQQQ", 0xA1CD7C, 0, 1, 1, size, 0, 2, 40)
rows = struct.pack("<4Q", hole, 0, 104, 120) + struct.pack("<4Q", 3, 0, 116, hole + 120)
with open(sys.argv[1], "wb") as file:
    file.write(head + rows + b"network.elf\0end\0")
    file.seek(hole + 120)
    file.write(b"end")
END
    "$bin/tacho" info --format csv "$work/large.bin" >"$work/out" &&
        grep -q "large.bin,network.elf,5368709120,120,none" "$work/out" &&
        grep -q "large.bin,end,3,5368709240,none" "$work/out"
}

# A container without what makes it a program is listed as far as it goes, and that is said.
missing_program_is_said() {
    python3 - "$work" <<'END' || return 1
import struct, sys
for name, rows, rest in (("empty", 0, b""), ("other", 1, b"other.elf\0end")):
    size = 40 + 32 * rows + len(rest)
    head = struct.pack("<IBBHQQQQ", 0xA1CD7C, 0, 1, 1, size, 0, rows, 40)
    table = struct.pack("<4Q", 3, 0, 72, 82) * rows
    open(f"{sys.argv[1]}/{name}.bin", "wb").write(head + table + rest)
END
    local code=0
    "$bin/tacho" info "$work/empty.bin" 2>"$work/why" || code=$?
    ((code == 3)) && grep -q 'has no segments' "$work/why" || return 1
    code=0
    "$bin/tacho" info --format csv "$work/other.bin" >"$work/out" 2>"$work/why" || code=$?
    ((code == 3)) && grep -q 'no segment is called network.elf' "$work/why" &&
        grep -q "other.bin,other.elf,3,82,none" "$work/out"
}

# Seeds of an older layout would be refused at once.
corpus_is_current() {
    bash "$here/make_corpus.sh" "$tests" "$work/corpus" || return 1
    diff -r -x 'found_*' "$work/corpus/fuzz_qpc" "$here/../fuzz/corpus/fuzz_qpc" &&
        diff -r -x 'found_*' "$work/corpus/fuzz_networkdesc" "$here/../fuzz/corpus/fuzz_networkdesc" &&
        diff -r -x 'found_*' "$work/corpus/fuzz_sim" "$here/../fuzz/corpus/fuzz_sim" && return
    echo "make the seeds anew: tests/program/make_corpus.sh $tests"
    return 1
}

check "the same program gives the same bytes" same_bytes_twice
if command -v protoc >/dev/null; then
    check "protoc reads the description" reads_with_protoc
    check "protoc writes the same description" writes_as_protoc
    check "protoc reads and writes the descriptions of slices" slices_with_protoc
else
    echo "skip: protobuf-compiler is not installed"
    skipped=1
fi
check "checksums" seal_is_right
check "image" image_is_ours
check "full disk" full_disk_leaves_nothing
check "missing folder" missing_folder_is_said
check "damage" damage_is_said
check "more than 4 GiB" large_file_is_listed
check "no program" missing_program_is_said
check "seeds of the fuzzers" corpus_is_current
echo "program: $passed passed, $failed failed"
((failed == 0)) || exit 1
((skipped == 0)) || exit 77
