#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sees that the compiler itself keeps rooms apart: with the flags that a file of a room is compiled
with, a header of a room that it may not use is not found, and one that it may use is.

Usage: wrong_includes.py compile_commands.json"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

CASES = [  # a file of the room, what it includes, whether that compiles
    ("src/base/str.c", '"base/str.h"', True),
    ("src/base/str.c", '"codec/json.h"', False),
    ("src/codec/json.c", "<profile/events.h>", False),
    ("src/sources/registry.c", '"sinks/trace_sink.h"', False),
    ("src/sinks/registry.c", "<questions/ops/ops.h>", False),
    ("src/questions/ops/ops.c", '"profile/events.h"', True),
    ("src/session/run.c", '"cli/talk.h"', False),
    ("src/cli/main.c", "<tacho/request.h>", True),
    ("src/cli/main.c", '"api/tables.h"', False),
    ("src/cli/cmd_ops.c", '"base/str.h"', False),
    ("src/session/run.c", '"vendors/torq/run_files.h"', False),
]


def compiles(command, source, include, folder):
    text = folder / "include_test.c"
    text.write_text(f"#include {include}\ntypedef int not_empty;\n", encoding="utf-8")
    words = shlex.split(command["command"])
    words = [str(text) if word.endswith(source) else word for word in words]
    at = words.index("-o")
    words[at + 1] = str(folder / "include_test.o")
    for flag in ("-MF", "-MT"):
        if flag in words:
            words[words.index(flag) + 1] = str(folder / "include_test.d")
    run = subprocess.run(words, cwd=command["directory"], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0 and "include" not in run.stderr and "No such file" not in run.stderr:
        sys.exit(f"{source}: failed for another reason:\n{run.stderr}")
    return run.returncode == 0


def main():
    commands = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for source, include, expected in CASES:
            command = next(c for c in commands if c["file"].endswith("/" + source))
            found = compiles(command, source, include, pathlib.Path(name))
            if found != expected:
                failures += 1
                print(f"{source}: #include {include} "
                      f"{'compiles' if found else 'does not compile'}")
    print(f"{len(CASES)} includes tried, {failures} wrong")
    sys.exit(1 if failures else 0)


main()
