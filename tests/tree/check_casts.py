#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In the rooms that read files and sockets, doubles become integers in base/whole.h alone.

A cast of NaN, or of a double that does not fit, is undefined. clang compiles each file to its
intermediate language, where every such conversion is an instruction with a line: nothing is guessed
from the text. 77: no clang here.

Usage: check_casts.py ROOT"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOMS = ("capture", "client", "codec", "graph", "profile", "program", "remote", "session", "sources", "sql")
ALLOWED = "base/whole.h"
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


def check(root, path):
    done = subprocess.run(["clang", *FLAGS, str(path.relative_to(root))], cwd=root, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return {"%s: clang cannot compile it: %s" % (path, done.stderr[:300])}
    return {"%s:%d: a double is cast to an integer; use tacho_whole_i64 or tacho_whole_u64 (%s)" % (name, line, ALLOWED)
            for name, line in problems_in(done.stdout) if not name.endswith(ALLOWED)}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("clang") is None:
        print("no clang here", file=sys.stderr)
        return 77
    paths = [path for room in ROOMS for path in sorted((root / "src" / room).rglob("*.c"))
             if not path.name.endswith("_test.c")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = sorted(set().union(*pool.map(lambda path: check(root, path), paths)))
    for problem in problems:
        print(problem)
    print("%d files, %d problems" % (len(paths), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
