#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sees that docs/adding-a-source.md lists every reason for a loss, and that the functions which it and
docs/adding-a-sink.md name are there: those of the skeletons, and those of the interfaces.

Usage: check_skeletons.py ROOT"""
import pathlib
import re
import sys

PAGES = {"docs/adding-a-source.md": ("src/sources/null/null.c", "src/sources/**/*.h", "src/profile/*.h", "src/base/*.h"),
         "docs/adding-a-sink.md": ("src/sinks/null.c", "src/sinks/*.h", "src/profile/*.h", "src/base/*.h")}
REASON = re.compile(r"^ +X\((\w+), \"\w+\", \"", re.MULTILINE)
NAME = re.compile(r"`((?:null|tacho|open|read|take|push|add|put)_\w+)`")


def missing_reasons(vocabulary, page):
    text = vocabulary[vocabulary.index("#define TACHO_LOSS_REASONS"):vocabulary.index("typedef enum tacho_loss_reason")]
    return [reason for reason in REASON.findall(text) if f"| `{reason}` |" not in page]


def missing_names(page, code):
    return sorted({name for name in NAME.findall(page) if not re.search(rf"\b{name}\b", code)})


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    read = lambda name: (root / name).read_text(encoding="utf-8")
    problems = [f"docs/adding-a-source.md: does not list {reason}" for reason in
                missing_reasons(read("src/profile/vocabulary.h"), read("docs/adding-a-source.md"))]
    for page, patterns in PAGES.items():
        code = "".join(path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(root.glob(pattern)))
        problems += [f"{page}: no {name} in {patterns[0]} or the headers" for name in missing_names(read(page), code)]
    print(*problems, sep="\n", end="\n" if problems else "")
    works = (missing_names("`null_probe` `put_x`", "null_probe(") == ["put_x"] and
             missing_reasons('#define TACHO_LOSS_REASONS(X)\n    X(A, "a", "b")\n    X(B, "b", "c")\ntypedef enum '
                             "tacho_loss_reason", "| `A` | x |") == ["B"])
    print(f"{len(PAGES)} pages, {len(problems)} problems")
    sys.exit(1 if problems or not works else 0)


main()
