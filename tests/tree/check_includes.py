#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every #include under src/ with the USES and THROUGH lists of its room.

Usage: check_includes.py ROOT room_uses.txt      (the lists are written by CMake)
A file may include its room and the rooms in USES. Each room in USES must be included by a file, and
each room in THROUGH by a header that the room's files reach. Folders of sources and of vendors
may not include one another. The table of rooms in docs/design.md must match USES."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_uses(path):
    """The rooms that each room may include, itself among them, and those that it needs only indirectly."""
    uses, through = {}, {}
    for line in path.read_text(encoding="utf-8").splitlines():
        room, _, lists = line.partition(":")
        direct, _, indirect = lists.replace(";", " ").partition("|")
        uses[room.strip()] = set(direct.split()) | {room.strip()}
        through[room.strip()] = set(indirect.split())
    return uses, through


def read_includes(root):
    """The includes of each file of the rooms, without those of tests."""
    return {str(p.relative_to(root / "src")): INCLUDE.findall(p.read_text(encoding="utf-8"))
            for p in (root / "src").rglob("*.[ch]") if not p.name.endswith(("_test.c", "_testing.h"))}


def unneeded_problems(uses, through, includes):
    """Rooms that are listed without need."""
    for room in sorted(uses):
        own = [target for name in includes if name.startswith(room + "/") for target in includes[name]]
        direct = {target.split("/")[0] for target in own}
        for used in sorted(uses[room] - direct - {room}):
            yield f"src/{room}/CMakeLists.txt: USES {used}, which no file of the room includes"
        reached, waiting = set(own), list(own)
        while waiting:
            more = set(includes.get(waiting.pop(), ())) - reached
            reached |= more
            waiting += more
        for used in sorted(through[room]):
            if used in direct or used not in {target.split("/")[0] for target in reached}:
                yield f"src/{room}/CMakeLists.txt: THROUGH {used}, which " + (
                    "a file of the room includes itself" if used in direct else "no included header needs")


def self_test():
    includes = {"a/x.c": ["b/y.h"], "b/y.h": ["c/z.h"], "c/z.h": []}
    find = lambda uses, through: len(list(unneeded_problems({"a": uses | {"a"}}, {"a": through}, includes)))
    return (find({"b"}, {"c"}) == 0 and find({"b", "c"}, set()) == 1 and find({"b"}, {"d"}) == 1
            and find({"b"}, {"b"}) == 1)


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
        elif (room == used and room in ("sources", "vendors") and len(relative.parts) > 2
              and target.count("/") > 1 and target.split("/")[1] != relative.parts[1]):
            yield f"src/{relative}: '{relative.parts[1]}' may not use '{target.split('/')[1]}' ({target})"


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
    uses, through = read_uses(pathlib.Path(sys.argv[2]))
    files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h"))
    # A test may build its fixture from any room; the code it tests may not.
    problems = [p for f in files if not f.name.endswith("_test.c")
                for p in problems_of(root, f, uses)]
    problems += documented_problems(root, uses)
    problems += unneeded_problems(uses, through, read_includes(root))
    for problem in problems:
        print(problem)
    print(f"{len(files)} files in {len(uses)} rooms, {len(problems)} problems")
    if not self_test():
        sys.exit("the check itself is broken")
    sys.exit(1 if problems or not files else 0)


main()
