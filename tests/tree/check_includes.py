#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every #include under src/ with the USES list of its room.

Usage: check_includes.py ROOT room_uses.txt      (the list is written by CMake)
A source folder may also not include another source's folder: sources never know one another.
The table of rooms in docs/design.md must say the same as the lists."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_uses(path):
    uses = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        room, _, used = line.partition(":")
        uses[room.strip()] = set(used.replace(";", " ").split()) | {room.strip()}
    return uses


def problems_of(root, path, uses):
    relative = path.relative_to(root / "src")
    room = relative.parts[0]
    if room not in uses:
        yield f"src/{relative}: '{room}' is not a room: it has no tacho_room() in src/{room}/CMakeLists.txt"
        return
    for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
        used = target.split("/")[0]
        if not (root / "src" / target).exists():
            yield f'src/{relative}: "{target}" is not found from src/'
        elif used not in uses[room]:
            yield f"src/{relative}: room '{room}' may not use '{used}' ({target})"
        elif (room == used == "sources" and len(relative.parts) > 2
              and target.count("/") > 1 and target.split("/")[1] != relative.parts[1]):
            yield f"src/{relative}: a source may not use another source ({target})"


def documented_problems(root, uses):
    """Rooms whose row in the table of docs/design.md is missing or says something else."""
    text = (root / "docs/design.md").read_text(encoding="utf-8")
    table = text[text.index("| room | for | may use |"):text.index("Where does a line of code go?")]
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", table, re.MULTILINE))
    for room, used in sorted(uses.items()):
        words = rows.get(room, "no row")
        said = {word for word in words.split(", ") if word in uses}
        if words == "no row" or (not words.startswith("all") and said != used - {room}):
            yield f"docs/design.md: '{room}' uses {sorted(used - {room})}, not {sorted(said)}"


def main():
    root = pathlib.Path(sys.argv[1])
    uses = read_uses(pathlib.Path(sys.argv[2]))
    files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h"))
    # A test may build its fixture from any room; the code it tests may not.
    problems = [p for f in files if not f.name.endswith("_test.c")
                for p in problems_of(root, f, uses)]
    problems += documented_problems(root, uses)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files in {len(uses)} rooms, {len(problems)} problems")
    sys.exit(1 if problems or not files else 0)


main()
