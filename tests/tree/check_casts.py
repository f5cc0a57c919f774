#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Doubles become integers in base/whole.h alone, but for lines of kernels that are marked `in range`.

A cast of NaN, or of a double that does not fit, is undefined. clang compiles each file to its
intermediate language, where every such conversion is an instruction with a line: nothing is guessed
from the text. Inner loops of kernels, which know their numbers, have a comment instead: /* in range */.
Files that include what is not installed (mpi.h) are left out. 77: no clang here.

Usage: check_casts.py ROOT"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ALLOWED = "base/whole.h"
MARKED, MARK = "src/kernels/", "/* in range */"
FLAGS = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Iinclude", "-Isrc", "-g", "-O0", "-w", "-S", "-emit-llvm",
         "-o", "-"]
LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+),.*?scope: !(\d+)")
SCOPE = re.compile(r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock|LexicalBlockFile)\(.*?(?:scope: !(\d+))?"
                   r".*?file: !(\d+)")
FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "([^"]*)"')
CAST = re.compile(r"\bfpto[su]i\b.*!dbg !(\d+)")


def problems_in(text):
    """(file, line) of each conversion in the intermediate language |text|."""
    lines, scopes, files = {}, {}, {}
    for row in text.splitlines():
        if not row.startswith("!"):
            continue
        for pattern, table in ((LOCATION, lines), (SCOPE, scopes), (FILE, files)):
            found = pattern.match(row)
            if found:
                table[found.group(1)] = found.groups()[1:]
                break
    for row in text.splitlines():
        found = CAST.search(row)
        if found:
            line, scope = lines[found.group(1)]
            yield files[scopes[scope][1]][0], int(line)


def is_marked(root, name, line):
    return MARKED in "/" + name and (root / name).read_text(encoding="utf-8").splitlines()[line - 1].endswith(MARK)


def check(root, path):
    done = subprocess.run(["clang", *FLAGS, str(path.relative_to(root))], cwd=root, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0 and "'mpi.h' file not found" in done.stderr:
        return set()
    if done.returncode != 0:
        return {"%s: clang cannot compile it: %s" % (path, done.stderr[:300])}
    return {"%s:%d: a double is cast to an integer; use tacho_whole_i64 or tacho_whole_u64 (%s)" % (name, line, ALLOWED)
            for name, line in problems_in(done.stdout) if not name.endswith(ALLOWED) and not is_marked(root, name, line)}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("clang") is None:
        print("no clang here", file=sys.stderr)
        return 77
    paths = [path for path in sorted((root / "src").rglob("*.c")) if not path.name.endswith("_test.c")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = sorted(set().union(*pool.map(lambda path: check(root, path), paths)))
    for problem in problems:
        print(problem)
    print("%d files, %d problems" % (len(paths), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
