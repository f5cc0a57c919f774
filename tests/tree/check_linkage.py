#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions and data that only their own file uses are static.

Usage: check_linkage.py ROOT BUILD
Reads the symbols of every object of src/. Exported names (TACHO_API) are left out, and so are those
that a test, a benchmark or a file uses that this build leaves out (kernels of oneDNN where it is missing)."""
import json
import pathlib
import re
import subprocess
import sys

SYMBOL = re.compile(r"^\s*\d+: \w+\s+\w+\s+(FUNC|OBJECT|NOTYPE)\s+(GLOBAL|WEAK)\s+(\w+)(?: \[.*?\])?\s+(\w+)\s+(\S+)$")
# Entry points that a driver or a loader looks up by name.
FOREIGN = re.compile(r"^(main|LLVMFuzzerTestOneInput|__.*)$")


def symbols_of(text):
    """Hidden definitions (name: objects), and names that are used or exported, in the output of readelf."""
    defined, used, name = {}, set(), ""
    for line in text.splitlines():
        if line.startswith("File: "):
            name = line[6:]
            continue
        match = SYMBOL.match(line)
        if match is None:
            continue
        _, _, visibility, section, symbol = match.groups()
        if section == "UND":
            used.add(symbol)
        elif visibility == "HIDDEN":
            defined.setdefault(symbol, set()).add(name)
        else:
            used.add(symbol)
    return defined, used


def self_test():
    text = """File: a.o
     7: 0000000000000000    31 FUNC    GLOBAL HIDDEN     1 alone
     8: 0000000000000000    31 FUNC    GLOBAL HIDDEN     1 shared
     9: 0000000000000000    31 FUNC    GLOBAL DEFAULT    1 exported
File: b.o
    10: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND shared"""
    defined, used = symbols_of(text)
    return defined.keys() == {"alone", "shared"} and used == {"shared", "exported"}


def names_of_tests(root):
    """Every word of the C files outside the rooms and of the tests in them."""
    files = [p for folder in ("tests", "bench") for p in (root / folder).rglob("*.[ch]")]
    files += [p for p in (root / "src").rglob("*.[ch]") if p.name.endswith(("_test.c", "_testing.h"))]
    return {word for p in files for word in re.findall(r"\w+", p.read_text(encoding="utf-8"))}


def names_left_out(root, objects):
    """Every word of the files of the rooms that were not compiled."""
    compiled = {pathlib.Path(name).name.removesuffix(".o") for name in objects}
    files = [p for p in (root / "src").rglob("*.c") if p.name not in compiled and not p.name.endswith("_test.c")]
    return {word for p in files for word in re.findall(r"\w+", p.read_text(encoding="utf-8"))}


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    built = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))  # not what older trees left there
    paths = {pathlib.Path(entry["directory"], re.search(r" -o (\S+)", entry["command"])[1]) for entry in built}
    objects = sorted(str(path) for path in paths if path.is_relative_to((build / "src").resolve()) and path.exists())
    text = subprocess.run(["readelf", "-sW", "/dev/null", *objects], capture_output=True, text=True, check=False).stdout
    defined, used = symbols_of(text)
    used |= names_of_tests(root) | names_left_out(root, objects)
    problems = sorted((min(names), symbol) for symbol, names in defined.items()
                      if symbol not in used and not FOREIGN.match(symbol))
    for name, symbol in problems:
        print(f"{name.removeprefix(str(build) + '/')}: {symbol} is used in this file alone; make it static")
    print(f"{len(objects)} objects, {len(defined)} names, {len(problems)} problems")
    sys.exit(1 if problems or not defined or not self_test() else 0)


main()
