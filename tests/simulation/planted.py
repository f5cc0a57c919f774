#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs and lets the simulation find them.

Each bug is a change of one place of the sources. The changed file is compiled as the build compiles it,
linked into a simulation of its own, and has to break a law within the given number of runs.

Usage: planted.py SOURCE BUILD [NAME...]"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RUNS = 600  # seeds that a bug may take
# Name, file, text, what becomes of it.
BUGS = [
    ("publishes without release", "src/client/local.h",
     "atomic_store_explicit(&ring->head, thread->head, memory_order_release);",
     "atomic_store_explicit(&ring->head, thread->head, memory_order_relaxed);"),
    ("reads the head without acquire", "src/capture/collector.c",
     "uint64_t head = atomic_load_explicit(&shared->head, memory_order_acquire);",
     "uint64_t head = atomic_load_explicit(&shared->head, memory_order_relaxed);"),
    ("room for one record too many", "src/client/client.c",
     "thread->head + count - thread->tail <= TACHO_WIRE_RECORDS;",
     "thread->head + count - thread->tail <= TACHO_WIRE_RECORDS + 1;"),
    ("drops an event and does not count it", "src/client/client.c",
     "        return true;\n    }\n    count_dropped(thread);\n    return false;",
     "        return true;\n    }\n    return false;"),
    ("counts what was dropped again at each look", "src/capture/collector.c",
     "    ring->dropped = dropped;\n", ""),
    ("frees a ring that was not read to the end", "src/capture/collector.c",
     "if (state == TACHO_WIRE_FINISHED && ring->tail == head) {", "if (state == TACHO_WIRE_FINISHED) {"),
    ("arguments do not wrap around", "src/capture/decoder.c",
     "&records[(at + 1 + i) & (TACHO_WIRE_RECORDS - 1)]",
     "&records[(at & (TACHO_WIRE_RECORDS - 1)) + 1 + i]"),
    ("takes one part of a killed program's ring", "src/capture/collector.c",
     "i < PARTS_MAX && drain_segment(collector, segment) > 0", "i < 1 && drain_segment(collector, segment) > 0"),
    ("seals without a flush", "src/sinks/tacho.c",
     "    tacho_output_flush(sink->writer.output);\n", ""),
    ("takes a short write for a whole one", "src/base/output.c",
     "            at += written;\n            len -= (size_t)written;", "            at += len;\n            len = 0;"),
    ("counts rows of a chunk as rows before it", "src/sinks/tacho.c",
     "tacho_capture_put_u64(at, sink->total_count - sink->row_count);",
     "tacho_capture_put_u64(at, sink->total_count);"),
    ("a thread begins its ring at 0", "src/client/connect.c",
     "thread->head = atomic_load_explicit(&ring->head, memory_order_relaxed);", "thread->head = 0;"),
    ("a full area of strings gives the empty string", "src/client/strings.c",
     "            return TACHO_WIRE_NO_TEXT;\n", "            return 0;\n"),
    ("forgets what handlers report before there is a ring", "src/client/client.c",
     "if (has_collector && missed > 0) {", "if (has_collector && missed > 1000) {"),
    ("leaves out the innermost open zone", "src/capture/collector.c",
     "ring->is_known && !ring->is_broken && i < depth;", "ring->is_known && !ring->is_broken && i + 1 < depth;"),
    ("does not check the sum of a chunk", "src/codec/chunk.c",
     "if (load(payload + room, 4) != crc_of(payload, room) ||\n        load(", "if (load("),
    ("a tie goes to the file that was merged last", "src/questions/fleet/fleet.c",
     "is_first || is_above(more->most, row->most) ? more->most",
     "is_first || more->most.ns >= row->most.ns ? more->most"),
    ("a part forgets what its files have lost", "src/questions/fleet/fleet_part_read.c",
     "file->lost_count = get_below(self, COUNT_MAX);", "file->lost_count = 0 * get_below(self, COUNT_MAX);"),
]


class Builder:
    def __init__(self, source: Path, build: Path, folder: Path):
        self.source, self.build, self.folder = source, build, folder
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        # Of a file that is compiled twice, the one of the simulation counts.
        entries.sort(key=lambda entry: "simulated.dir" in entry["command"])
        self.commands = {os.path.relpath(entry["file"], source): entry["command"] for entry in entries}
        lines = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "simulate"], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        self.link = next(line for line in reversed(lines) if " -o tests/simulate " in line)

    def compile(self, file: str, text: str | None, here: Path) -> tuple[str, Path]:
        """Compiles FILE, as it is or with another TEXT; the object that it replaces, and the new one."""
        words = shlex.split(self.commands[file])
        made = here / (Path(file).stem + ".o")
        replaced = words[words.index("-o") + 1]
        words[words.index("-o") + 1] = str(made)
        if text is not None:
            changed = here / Path(file).name
            changed.write_text(text, encoding="utf-8")
            words[-1] = str(changed)
        compiler = next(i for i, word in enumerate(words) if word.endswith("gcc") or word.endswith("clang"))
        words = words[compiler:]
        words.insert(1, f"-I{here}")
        subprocess.run(words, check=True, cwd=self.build)
        return replaced, made

    def simulation(self, number: int, file: str, old: str, new: str) -> Path:
        here = self.folder / str(number)
        text = (self.source / file).read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{file}: the place to change is there {text.count(old)} times:\n{old}")
        changed = text.replace(old, new)
        (here / Path(file).parent.relative_to("src")).mkdir(parents=True)
        if file.endswith(".h"):
            (here / Path(file).relative_to("src")).write_text(changed, encoding="utf-8")
            users = [user for user in self.commands if user.startswith("src/client/")]
            objects = [self.compile(user, None, here) for user in users]
        else:
            objects = [self.compile(file, changed, here)]
        link = self.link.replace(" -o tests/simulate ", f" -o {here}/simulate ")
        for replaced, made in objects:
            if replaced in link:
                link = link.replace(replaced, str(made))
            else:  # of a room: ahead of the archives
                link = link.replace(f" -o {here}/simulate ", f" {made} -o {here}/simulate ")
        subprocess.run(link, shell=True, check=True, cwd=self.build)
        return here / "simulate"


def find(builder: Builder, number: int) -> str | None:
    """Why bug NUMBER was not found; None where it was."""
    name, file, old, new = BUGS[number]
    program = builder.simulation(number, file, old, new)
    done = subprocess.run([str(program), "--count", str(RUNS)], capture_output=True, text=True, check=False)
    law = re.search(r"^seed (\d+): (.*)", done.stdout, re.M)
    events = re.search(r" on, (\d+) events", done.stdout)
    if done.returncode != 1 or law is None or events is None:
        return f"{name}: not found in {RUNS} runs (exit {done.returncode})\n{done.stderr}"
    print(f"{name}: {events[1]} events, seed {law[1]}: {law[2]}", flush=True)
    return None


def main() -> int:
    source, build, *names = sys.argv[1:]
    chosen = [i for i, bug in enumerate(BUGS) if not names or bug[0] in names]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        builder = Builder(Path(source).resolve(), Path(build).resolve(), Path(folder))
        missed = [why for why in pool.map(lambda i: find(builder, i), chosen) if why is not None]
    print("\n".join(missed + [f"{len(chosen) - len(missed)} of {len(chosen)} planted bugs found"]))
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
