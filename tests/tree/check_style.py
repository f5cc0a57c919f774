#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conventions that a machine can check: SPDX lines, file and function sizes, no goto, no
forbidden calls or vague names, _GNU_SOURCE only in base, comments at the head of each C file.

Usage: check_style.py ROOT"""
import pathlib
import re
import subprocess
import sys

FILE_LINES_MAX, FUNCTION_LINES_MAX, LINE_WIDTH_MAX = 800, 80, 100
BANNED = re.compile(r"\b(goto|atoi|atol|strtok|sprintf|strcpy|strcat|gets|system|alloca)\b\s*[(a-z]")
# Names that cannot be searched for, or say nothing about what is done to what.
VAGUE = re.compile(r"^static [a-z_ *]*\b(take|settle|turn|want|bring)\(")
FUNCTION = re.compile(r"^[A-Za-z_][^;{}=#]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
SPDX_SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake", ".txt"}


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def is_made(path):
    """Whether .gitignore leaves the path out: what builds and tests make."""
    return (path.parts[0].startswith("build") or path.parts[:2] == ("python", "build") or path.suffix == ".pyc"
            or {".git", "__pycache__"}.intersection(path.parts))


def tracked(root):
    """All files of the repository, also where git is missing or refuses someone else's folder."""
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        return sorted(p for p in root.rglob("*") if p.is_file() and not is_made(p.relative_to(root)))
    return sorted(root / name for name in listed if name and (root / name).is_file())


def c_problems(relative, text):
    lines = text.splitlines()
    if len(lines) > FILE_LINES_MAX and not relative.name.endswith("_test.c"):
        yield f"{relative}: {len(lines)} lines, at most {FILE_LINES_MAX}"
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_WIDTH_MAX:
            yield f"{relative}:{number}: {len(line)} columns, at most {LINE_WIDTH_MAX}"
    if len(lines) < 2 or not lines[1].startswith("/*"):
        yield f"{relative}:2: a comment that says what the file is for comes second"
    code = without_comments(text)
    for number, line in enumerate(code.splitlines(), 1):
        if BANNED.search(line):
            yield f"{relative}:{number}: {line.strip()}: not used here"
        if VAGUE.search(line):
            yield f"{relative}:{number}: {line.strip()}: name what it does, and to what"
        if "define _GNU_SOURCE" in line and relative.parts[:2] != ("src", "base") \
                and relative.parts[0] == "src" and not relative.name.endswith("_test.c"):
            yield f"{relative}:{number}: _GNU_SOURCE is for base/ only"
    for match in FUNCTION.finditer(code):
        length = match.group(1).count("\n")
        if length > FUNCTION_LINES_MAX:
            head = match.group(0).split("(")[0]
            yield f"{relative}: {head}: {length} lines, at most {FUNCTION_LINES_MAX}"


def problems_of(root, path):
    relative = path.relative_to(root)
    if relative.parts[:3] == ("tests", "fuzz", "corpus") or relative.parts[:2] == ("tests", "data"):
        return
    if path.suffix in SPDX_SUFFIXES or path.name in ("Makefile", "run"):
        text = path.read_text(encoding="utf-8")
        if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:3]):
            yield f"{relative}: no SPDX line in its first three lines"
        if path.suffix in (".c", ".h"):
            yield from c_problems(relative, text)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = tracked(root)
    problems = [p for f in files for p in problems_of(root, f)]
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    sys.exit(1 if problems or not files else 0)


main()
