#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rooms of the library name no option of a command line: what a user of the library cannot type is
no advice. They hint at it (tacho/hint.h), and cli/hints.c has the words.

Usage: check_flags.py ROOT
Looks at every string of src/ outside cli/ and of include/; tests beside the code may say anything."""
import pathlib
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# "--name", "-n" by itself, "-name=": but not the hyphens of words, minus signs or file names.
FLAG = re.compile(r"""(?:^|[\s('"=,;])(--[a-z][a-z-]*|-[a-z](?=[\s,.;)']|$)|-[a-z][a-z-]{3,}=)""")
COMMAND = re.compile(r"'tacho [a-z]+")
# Options of other programs, which work whatever called the library.
FOREIGN = ("ulimit -v", "ulimit -n", "--mlir-print-debuginfo")
FOREIGN_COMMAND = re.compile(r"'(?!tacho)[a-z][\w.-]* [^']*'")  # in quotes
# Texts for the shells of other computers, and a program that is not of the library.
SCRIPTS = ("exec /bin/sh -c ", "fleet map -q --share ", "sbatch --wait ")
SHELL = "-c"  # a word of its own: what a shell that is run is given, nothing that is said
PROGRAMS = (
    "src/remote/board_main.c",
    "src/sources/known_formats.c",  # commands for a shell, of other programs and of tacho, that write another file
)


def strings_of(text):
    """(line, characters) of each literal; adjacent ones, and those joined by PRI macros, are one."""
    found, end = [], None
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] != '"':
            continue
        between = text[end:match.start()] if end is not None else "x"
        if re.fullmatch(r"\s*(PRI\w+)?\s*", between):
            found[-1][1] += token[1:-1]
        else:
            found.append([text.count("\n", 0, match.start()) + 1, token[1:-1]])
        end = match.end()
    return found


def problems_of(root, path):
    for line, string in strings_of(path.read_text(encoding="utf-8")):
        if string.startswith(SCRIPTS) or string == SHELL:
            continue
        for allowed in FOREIGN:
            string = string.replace(allowed, "")
        string = FOREIGN_COMMAND.sub("", string)
        match = FLAG.search(string) or COMMAND.search(string)
        if match:
            yield f"{path.relative_to(root)}:{line}: {match.group().strip()!r} in \"{string}\""


def self_test():
    bad = ['f("use --force")', 'f("write " "-o FILE")', 'f("%" PRIu64 " (-stats-level=7)")',
           '''f("'tacho help' lists them")''']
    good = ["/* --force */ f(x)", 'f("a-b -1 x--y")', 'f("%s-aiccyclecounts.bin")', "'-'", 'f("use \'nsys export --type sqlite\'")']
    plain = lambda text: [FOREIGN_COMMAND.sub("", s) for _, s in strings_of(text)]
    search = lambda text: any(FLAG.search(s) or COMMAND.search(s) for s in plain(text))
    return all(search(t) for t in bad) and not any(search(t) for t in good)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = sorted(p for folder in ("src", "include") for p in (root / folder).rglob("*.[ch]")
                   if not p.name.endswith("_test.c")
                   and str(p.relative_to(root)) not in PROGRAMS and p.relative_to(root).parts[:2] != ("src", "cli"))
    problems = [p for f in files for p in problems_of(root, f)]
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    if not self_test():
        sys.exit("the check itself is broken")
    sys.exit(1 if problems or not files else 0)


main()
