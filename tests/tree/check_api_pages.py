#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sees that every function of include/tacho is in the synopsis or list of a man page (3), as the
header declares it, and that no page names a function that is gone.

Usage: check_api_pages.py ROOT"""
import pathlib
import re
import sys

DECLARATION = re.compile(r"^TACHO_(?:CLIENT_)?API\s+([^;]*?)\s*(?:TACHO_MUST_USE\s*)?;", re.MULTILINE)
NAME = re.compile(r"\b(tacho_\w+)\s*\(")


def declarations(root):
    """Function name -> its declaration, spaces and parameter-list layout normalised."""
    found = {}
    for header in sorted((root / "include" / "tacho").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        for match in DECLARATION.finditer(text):
            found[NAME.search(match.group(1)).group(1)] = normal(match.group(1))
    return found


def normal(text):
    return re.sub(r"\s*([(),*])\s*", r"\1", " ".join(text.split()))


def plain(page):
    """scdoc source without its marks: *bold*, _underlined_, escapes."""
    text = re.sub(r"\\(.)", lambda m: {"*": "\0"}.get(m.group(1), m.group(1)), page)
    text = re.sub(r"(?<![A-Za-z0-9])_(\w+?)_(?![A-Za-z0-9])", r"\1", text)
    return text.replace("*", "").replace("\0", "*")


def main():
    root = pathlib.Path(sys.argv[1])
    declared = declarations(root)
    pages = {page.name: plain(page.read_text(encoding="utf-8"))
             for page in sorted((root / "docs" / "man").glob("*.3.scd"))}
    everything = normal("\n".join(pages.values()))
    problems = [f"include/tacho: {name} is in no man page as declared: {text}"
                for name, text in declared.items() if text not in everything]
    titles = {name.split(".")[0] for name in pages}
    problems += [f"docs/man/{page}: {name} is not a public function"
                 for page, text in pages.items() for name in sorted(set(NAME.findall(text)))
                 if name not in declared and name not in titles]
    for problem in problems:
        print(problem)
    print(f"{len(declared)} functions, {len(pages)} pages, {len(problems)} problems")
    sys.exit(1 if problems or len(declared) < 10 else 0)


main()
