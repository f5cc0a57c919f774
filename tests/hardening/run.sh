#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Looks with readelf whether what is built is hardened as it should be: position independent, nothing
# writable that is executable, relocations read-only and bound at start, stack protector, fortified
# calls of the C library, and objects with the notes for control-flow protection (x86-64). The folder of
# the build is nowhere in it, or the same sources would make other bytes in another folder.
#
#   tests/hardening/run.sh BUILD_DIR
set -u
export LC_ALL=C

if (($# != 1)) || [[ ! -f $1/CMakeCache.txt ]]; then
    echo "usage: tests/hardening/run.sh BUILD_DIR" >&2
    exit 2
fi
if grep -q '^TACHO_SANITIZE:[A-Z]*=.' "$1/CMakeCache.txt" ||
    ! grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$1/CMakeCache.txt"; then
    echo "skip: not a release build"
    exit 77
fi
failed=0

# expect FILE WHAT PATTERN COMMAND...: the command's output must hold the pattern.
expect() {
    local file=$1 what=$2 pattern=$3
    shift 3
    if ! "$@" "$file" 2>/dev/null | grep -qE "$pattern"; then
        echo "FAIL $file: $what is missing"
        failed=1
    fi
}

# What is installed and has to be there, and whatever else can be loaded.
files=("$1/bin/tacho" "$1/src/libtacho.so" "$1/src/libtacho-client.so")
for file in "$1"/bin/* "$1"/src/*.so; do
    [[ " ${files[*]} " == *" $file "* ]] || ! readelf -h "$file" >/dev/null 2>&1 || files+=("$file")
done
for file in "${files[@]}"; do
    if [[ ! -e $file ]]; then
        echo "FAIL $file: not built"
        failed=1
        continue
    fi
    expect "$file" "position independence" 'Type: *DYN' readelf -h
    expect "$file" "RELRO" 'GNU_RELRO' readelf -lW
    expect "$file" "BIND_NOW" 'BIND_NOW|FLAGS.* NOW' readelf -dW
    expect "$file" "a stack that cannot run code" 'GNU_STACK.* RW +0x' readelf -lW
    expect "$file" "the stack protector" '__stack_chk_fail' readelf --dyn-syms -W
    expect "$file" "_FORTIFY_SOURCE" '__[a-z]+_chk@' readelf --dyn-syms -W
    if readelf -lW "$file" | grep -E 'LOAD.* RWE '; then
        echo "FAIL $file: memory that is writable and executable"
        failed=1
    fi
done
for file in "${files[@]}" "$1/src/libtacho.a" "$1/src/libtacho-client.a"; do
    if [[ ! -e $file ]] || grep -qF "$(cd "$1" && pwd -P)" "$file"; then
        echo "FAIL $file: not built, or names the folder in which it was built"
        failed=1
    fi
done
# Control-flow protection: every object of ours is ready for it. Whether the linker says so of the whole
# file depends on the start files of the C library; those of Debian 12 have no such notes.
if readelf -h "$1/bin/tacho" | grep -q 'X86-64'; then
    count=0
    while read -r object; do
        ((count += 1))
        expect "$object" "CET (IBT and SHSTK)" 'x86 feature: IBT, SHSTK' readelf -nW
    done < <(find "$1/src" -name '*.c.o')
    ((count > 300)) || { echo "FAIL only $count objects are there to look at"; failed=1; }
fi
# Fortified at level 3: a size known only at run time is checked, too.
grep -q -- '-D_FORTIFY_SOURCE=3' "$1/compile_commands.json" || { echo "FAIL level of _FORTIFY_SOURCE"; failed=1; }
((failed)) || echo "hardened: ${#files[@]} files, ${count:-no} objects"
exit "$failed"
