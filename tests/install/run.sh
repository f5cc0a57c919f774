#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs a build into an empty folder and uses it from there as a stranger would: the program, its
# man pages, the drop-in name, the library from C and C++ through pkg-config, and from Python.
#
#   tests/install/run.sh BUILD_DIR
set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
judge=$here/../judge/trace_judge.py
profile=$here/../data/torq/r0.csv

if (($# != 1)) || [[ ! -f $1/CMakeCache.txt ]]; then
    echo "usage: tests/install/run.sh BUILD_DIR" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
if grep -q '^TACHO_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt"; then
    echo "skip: a build with sanitizers is not one to install"
    exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-install.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
dropins=$prefix/libexec/tacho/dropin
vendors_tools=(annotate_profiling.py qaic-compile torq-compile)
cd "$work" || exit 2
passed=0 failed=0 skipped=0

# check NAME COMMAND...: passes if the command is true; what it prints is shown if it is not.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        ((passed += 1))
    else
        echo "FAIL $name: $output"
        ((failed += 1))
    fi
}

skip() {
    echo "skip $1: $2"
    ((skipped += 1))
}

# same A B WHAT: true if equal, else says so.
same() {
    [[ $1 == "$2" ]] || { echo "$3: expected $1, got $2"; return 1; }
}

# ---- program ----------------------------------------------------------------------------------

version_agrees() {
    local version
    version=$(sed -n 's/^#define TACHO_VERSION "\(.*\)"/\1/p' "$prefix/include/tacho/version.h")
    same "tacho $version" "$("$prefix/bin/tacho" --version | head -1)" "tacho --version"
}

# No RPATH: what an installed file finds must not depend on where it was built.
no_rpath() {
    local file
    for file in "$prefix/bin/tacho" "$library"; do
        [[ ! -e $file ]] || ! readelf -d "$file" | grep -E '\((RPATH|RUNPATH)\)' || return 1
    done
}

dropin_works() {
    env PATH=/usr/bin:/bin "$dropins/perfetto_logger.py" --runtime_profile "$profile" \
        --pb dropin.pb && python3 "$judge" --check dropin.pb
}

# Every name leads to the installed program.
dropins_lead_home() {
    local name
    for name in iree-run-module qaic-compile qaic-opstats qaic-runner torq-compile torq-run-module tt_profile; do
        same "$prefix/bin/tacho" "$(readlink -f "$dropins/$name")" "$name" || return 1
        "$dropins/$name" --help >/dev/null || return 1
    done
}

# A vendor's tool of the same name in the program's folder stays as it is.
vendors_tools_stay() {
    local name
    for name in "${vendors_tools[@]}"; do
        same "of the vendor" "$(cat "$prefix/bin/$name")" "bin/$name" || return 1
    done
    same "tacho ${vendors_tools[*]}" "$(cd "$prefix/bin" && echo tacho $(ls | grep -v '^tacho$'))" \
        "what is in bin"
}

man_page_exists() { # NAME SECTION
    [[ -s $prefix/share/man/man$2/$1.$2 ]] || { echo "no $1.$2"; return 1; }
}

# Nothing to remark, not even on style.
man_page_is_clean() {
    local remarks
    remarks=$(mandoc -Tlint "$1")
    same "" "$remarks" "mandoc -Tlint"
}

# Every shell finds completions of every name, and the scripts parse.
completions_work() {
    local name share=$prefix/share
    for name in tacho $("$prefix/bin/tacho" help --completion zsh | sed -n '1s/#compdef tacho//p'); do
        [[ -s $share/bash-completion/completions/$name ]] || { echo "bash: no $name"; return 1; }
        [[ -s $share/fish/vendor_completions.d/$name.fish ]] || { echo "fish: no $name"; return 1; }
    done
    bash -n "$share/bash-completion/completions/tacho" || return 1
    ! command -v zsh >/dev/null || zsh -n "$share/zsh/site-functions/_tacho" || return 1
    ! command -v fish >/dev/null || fish -n "$share/fish/vendor_completions.d/tacho.fish"
}

check_man_pages() {
    local name names page files
    if grep -q '^SCDOC:.*NOTFOUND' "$build/CMakeCache.txt"; then
        skip "man pages" "scdoc is not installed"
        return
    fi
    names=$("$prefix/bin/tacho" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/tacho-\1/p')
    files=("$here"/../../src/cli/cmd_*.c)
    same "${#files[@]}" "$(wc -w <<<"$names")" "number of commands" || ((failed += 1))
    for name in tacho $names $(ls "$dropins"); do
        check "man page $name" man_page_exists "$name" 1
    done
    for name in libtacho tacho_analyse tacho_client tacho_compile tacho_convert tacho_profile tacho_run tacho_table tacho_timechart; do
        check "man page $name" man_page_exists "$name" 3
    done
    command -v mandoc >/dev/null || { skip "man page lint" "mandoc is not installed"; return; }
    for page in "$prefix"/share/man/man[13]/*.[13]; do
        check "${page##*/} is clean" man_page_is_clean "$page"
    done
}

# ---- library ----------------------------------------------------------------------------------

# Names of the functions that the headers declare.
list_declared() {
    cat "$prefix"/include/tacho/*.h | tr '\n' ' ' | sed 's|/\*|\n&|g; s|\*/|&\n|g' |
        grep -v '^/\*' | grep -o 'TACHO_API [^;]*;' | grep -o 'tacho_[a-z_]* *(' | tr -d ' (' | sort
}

# only_public_symbols NM ARGUMENT...: the library exports what the headers declare, no more and no
# less.
only_public_symbols() {
    list_declared >declared
    [[ -s declared ]] || { echo "no function found in the headers"; return 1; }
    "$@" | awk 'NF > 1 { print $NF }' | sort >exported
    diff declared exported
}

# The name that programs ask for follows the version: 0.1, from 1.0 on the major number.
soname_agrees() {
    local version major minor
    version=$(sed -n 's/^#define TACHO_VERSION "\(.*\)"/\1/p' "$prefix/include/tacho/version.h")
    IFS=. read -r major minor _ <<<"$version"
    ((major > 0)) || major=0.$minor
    same "libtacho.so.$major" "$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" \
        soname && same "libtacho.so.$version" "$(basename "$(readlink -f "$library")")" "file name"
}

# Each header by itself, in the oldest languages that we promise.
header_stands_alone() { # COMPILER...
    local header
    for header in "$prefix"/include/tacho/*.h; do
        printf '#include <tacho/%s>\nint not_empty;\n' "${header##*/}" |
            "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" - || return 1
    done
}

package_moves() {
    same "$prefix" "$(realpath -m "$(pkg-config --variable=prefix tacho)")" "prefix in tacho.pc"
}

# Sets |flags| to what pkg-config says of the library that is tried: shared, or with --static the
# archive, which is asked for by name as both lie side by side. The prefix is given here so that a
# wrong one fails package_moves only.
find_flags() {
    mapfile -t -d ' ' flags < <(pkg-config --define-variable=prefix="$prefix" --cflags --libs \
        "${static[@]}" tacho | tr -d '\n')
    ((${#static[@]} == 0)) || flags=("${flags[@]/#-ltacho/-l:libtacho.a}")
}

# program_works SOURCE COMPILER...: compiles by what pkg-config says, runs, and sees a failure, too.
program_works() {
    local source=$1 flags=() program=./${1##*/}.out
    shift
    find_flags
    "$@" -Wall -Wextra -Werror "$source" -o "$program" "${flags[@]}" || return 1
    same "4 events, 0 lost" "$("$program" "$profile" api.pb)" output || return 1
    python3 "$judge" --check api.pb || return 1
    same "NOT_FOUND: nothing.csv: cannot open: No such file or directory" \
        "$("$program" nothing.csv api.pb)" failure
}

# The examples, compiled as anyone would, print what they print in the build tree.
examples_work() {
    local flags=() name
    find_flags
    mkdir -p examples || return 1
    for name in model_ops timechart top_spans whole_way; do
        cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$here/../../examples/$name.c" \
            -o "examples/$name" "${flags[@]}" || return 1
    done
    bash "$here/../examples/run.sh" examples
}

check_library() {
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tacho.pc)")
    LD_LIBRARY_PATH=$(dirname "$library")
    check "the shared library exports the interface" \
        only_public_symbols nm -D --defined-only "$library"
    check "the static library exports the interface" \
        only_public_symbols nm --defined-only --extern-only "$archive"
    check "the soname follows the version" soname_agrees
    check "tacho.pc follows cmake --install --prefix" package_moves
    check "headers are C11" header_stands_alone cc -x c -std=c11
    if command -v g++ >/dev/null; then
        check "headers are C++11" header_stands_alone g++ -x c++ -std=c++11
    else
        skip "programs in C++" "g++ is not installed"
    fi
    static=()
    check_programs shared
    static=(--static)
    check_programs static
    check "an archive needs no shared library" stands_alone examples/top_spans
}

# Programs built with the library that |static| names, called $1.
check_programs() {
    check "a program in C ($1)" program_works "$here/use_c.c" cc -std=c11
    check "the examples ($1)" examples_work
    if command -v g++ >/dev/null; then
        check "a program in C++ ($1)" program_works "$here/use_cpp.cpp" g++ -std=c++11
        check "a chart in C++ ($1)" program_works "$here/use_chart.cpp" g++ -std=c++11
    fi
}

stands_alone() { # PROGRAM
    ! readelf -d "$1" | grep 'NEEDED.*libtacho'
}

# ---- the client library -------------------------------------------------------------------------

# client_exports NM ARGUMENT...: what its header declares, no more and no less.
client_exports() {
    sed -n 's/^TACHO_CLIENT_API.*[ *]\(tacho_client_[a-z_]*\)(.*/\1/p' "$prefix/include/tacho/client.h" |
        sort >declared
    [[ -s declared ]] || { echo "no function found in the header"; return 1; }
    "$@" | awk 'NF > 1 { print $NF }' | sort >exported
    diff declared exported
}

# client_works COMPILER...: a program that links it reports its events; without the macros, it links
# nothing and reports none.
client_works() {
    local flags=()
    mapfile -t -d ' ' flags < <(pkg-config --define-variable=prefix="$prefix" --cflags --libs \
        "${static[@]}" tacho-client | tr -d '\n')
    ((${#static[@]} == 0)) || flags=("${flags[@]/#-ltacho-client/-l:libtacho-client.a}")
    "$@" -Wall -Wextra -Wpedantic -Werror "$here/use_client.c" -o use_client -x none "${flags[@]}" || return 1
    ./use_client || return 1
    "$prefix/bin/tacho" profile -- ./use_client 2>&1 | grep -q 'reported 20 events, and dropped 0' ||
        { echo "its events are missing"; return 1; }
    "$@" -Wall -Wextra -Wpedantic -Werror -DTACHO_CLIENT_DISABLE -Wno-unused-parameter -I"$prefix/include" \
        "$here/use_client.c" -o use_nothing || return 1
    "$prefix/bin/tacho" profile -- ./use_nothing 2>&1 | grep -c 'no process reported anything' >/dev/null
}

# It is in programs of others, so it brings nothing along.
client_needs_libc_alone() {
    same libc.so.6 "$(readelf -d "$client" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^ld-')" needs
}

check_client() {
    local client_archive kind
    client=$(find "$prefix" -name libtacho-client.so)
    client_archive=$(find "$prefix" -name libtacho-client.a)
    check "libtacho-client.so exports its interface" client_exports nm -D --defined-only "$client"
    check "libtacho-client.a exports its interface" \
        client_exports nm --defined-only --extern-only "$client_archive"
    check "libtacho-client needs libc alone" client_needs_libc_alone
    for kind in shared static; do
        static=()
        [[ $kind == shared ]] || static=(--static)
        check "a client in C ($kind)" client_works cc -std=c11
        ! command -v g++ >/dev/null || check "a client in C++ ($kind)" client_works g++ -std=c++11 -x c++
    done
}

# ---- the Python package -------------------------------------------------------------------------

# Python finds the package and the library beside it, wherever the prefix is.
python_works() {
    env -u TACHO_LIBRARY -u LD_LIBRARY_PATH PYTHONPATH="$packages" "$python" - "$profile" "$packages" <<'PY'
import sys
import perfetto_logger, qaic, tacho
from tacho import _library
assert len(tacho.Profile(sys.argv[1]).spans) == 4
assert perfetto_logger.TimeChartView is tacho.TimeChartView and qaic.Session
for path in (tacho.__file__, _library.library()._name):
    assert path.startswith(sys.argv[2] + "/"), path
PY
}

# pytest finds the plugin without being told of it.
plugin_works() {
    mkdir -p session && cat >session/test_abs.py <<'PY' || return 1
def test_abs(tacho_run):
    assert tacho_run("abs.mlir").outputs
PY
    cat >session/abs.mlir <<'MLIR' || return 1
func.func @main(%x: tensor<8xi8>) -> tensor<8xi8> {
  %y = tosa.abs %x : (tensor<8xi8>) -> tensor<8xi8>
  return %y : tensor<8xi8>
}
MLIR
    (cd session && env -u TACHO_LIBRARY -u LD_LIBRARY_PATH PYTHONPATH="$packages" TACHO_HOST_CPU=built-in \
        "$python" -m pytest -p no:cacheprovider --tacho-profile-dir profile) >session.log 2>&1 &&
        grep -q '= Simulated Profile Overview =' session.log && [[ -s session/profile/test_abs_py__test_abs.pb ]] ||
        { cat session.log; return 1; }
}

# Under /usr and /usr/local it goes where the system's Python looks.
python_folder_fits() { # PREFIX
    local folder
    DESTDIR=$work/staged cmake --install "$build/python" --prefix "$1" >/dev/null || return 1
    folder=$(dirname "$(find "$work/staged$1/lib" -path "*-packages/tacho")")
    "$python" -I -c 'import site, sys; sys.exit(sys.argv[1] not in site.getsitepackages())' \
        "${folder#"$work/staged"}" || { echo "not a folder of Python: $folder"; return 1; }
    rm -rf "$work/staged"
}

check_python() {
    local python=/usr/bin/python3 packages
    [[ -x $python ]] || python=python3
    packages=$(dirname "$(find "$prefix" -path '*-packages/tacho')")
    check "import tacho" python_works
    if "$python" -c 'import pytest' 2>/dev/null; then
        check "pytest --tacho-profile-dir" plugin_works
    else
        skip "the pytest plugin" "python3-pytest is not installed"
    fi
    if [[ $("$python" -I -c 'import site; print(*site.getsitepackages())') != */usr/local/lib/* ]]; then
        skip "the Python package under /usr" "this is not Debian's Python"
        return
    fi
    check "the Python package under /usr" python_folder_fits /usr
    check "the Python package under /usr/local" python_folder_fits /usr/local
}

mkdir -p "$prefix/bin"
for tool in "${vendors_tools[@]}"; do
    echo "of the vendor" >"$prefix/bin/$tool"
done
check "cmake --install" cmake --install "$build" --prefix "$prefix"
library=$(find "$prefix" -name libtacho.so)
archive=$(find "$prefix" -name libtacho.a)
check "tacho --version" version_agrees
check "no RPATH" no_rpath
check "perfetto_logger.py" dropin_works
check "drop-in names" dropins_lead_home
check "tools of vendors" vendors_tools_stay
check_man_pages
check "completions" completions_work
check_library
check_client
check_python
echo "install: $passed passed, $failed failed, $skipped skipped"
((failed == 0)) || exit 1
((skipped == 0)) || exit 77
