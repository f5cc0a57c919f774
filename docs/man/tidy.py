#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Tidies what scdoc writes so that mandoc -Tlint has nothing to say: no paragraph macro where a
# paragraph begins anyway, text lines of at most 80 bytes, an upper-case title.
#
#   scdoc < PAGE.scd | tidy.py > PAGE
import sys
import textwrap

WIDTH = 80
PARAGRAPH = {".P", ".PP"}
BEFORE = (".SH", ".SS", ".RS", ".TH")
AFTER = (".SH", ".SS", ".RS", ".RE", ".P", ".PP", ".nf")


def wrap(line):
    """|line| in lines that fit; none of them begins like a macro."""
    parts = textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [part if part[0] not in ".'" else "\\&" + part for part in parts] or [""]


def wrapped(lines):
    is_literal = False
    for line in lines:
        is_literal = line.startswith(".nf") or (is_literal and not line.startswith(".fi"))
        if line.startswith(".TH "):
            name, rest = line[4:].split('" ', 1)
            yield ".TH " + name.upper() + '" ' + rest
        elif is_literal or line.startswith((".", "'")) or len(line.encode()) <= WIDTH:
            yield line
        else:
            yield from wrap(line)


def is_needless(before, after):
    """Whether a paragraph macro between these lines says nothing."""
    return before.startswith(BEFORE) or after.startswith(AFTER)


def tidied(lines):
    kept = []
    for i, line in enumerate(lines):
        after = lines[i + 1] if i + 1 < len(lines) else ".SH"
        before = kept[-1] if kept else ".TH"
        if line not in PARAGRAPH or not is_needless(before, after):
            kept.append(line)
    return kept


def main():
    lines = [line.rstrip() for line in sys.stdin.read().split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    print("\n".join(tidied(list(wrapped(lines)))))


main()
