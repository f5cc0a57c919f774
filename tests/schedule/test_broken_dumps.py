#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schedules of `tacho compile`, broken on their way to the checker, which has to name the break.

    test_broken_dumps.py TACHO

Dumps, timelines, tables and the program file of a small network are written, one of them is
changed as text or bytes, and all are read again: what is tested is readers and rules together.
"""
import os
import re
import shutil
import sys
import tempfile

import case as cases
import check_schedules  # noqa: F401  (adds all rules to the list)
import made_models
import rules

_BREAKS = []


def breaks(phase, *expected, machine="torq-sl2610"):
    """A function of a file's text that breaks it; the rules that have to name it."""
    def add(function):
        _BREAKS.append((function, phase, expected, machine))
        return function
    return add


def _change(text, pattern, change, which=0):
    """|text| with match number |which| of a pattern replaced by what |change| makes of it."""
    matches = list(re.finditer(pattern, text))
    match = matches[which]
    return text[:match.start()] + change(match) + text[match.end():]


def _add(match, amount):
    return f"{match.group(1)}{int(match.group(2)) + amount}{match.group(3)}"


_JOB = r'(?m)^(.*"tacho\.job".*kind = "{}".*\b{} = )(\d+)( : i\d+.*)$'


def _job(text, kind, field, amount, which=0):
    return _change(text, _JOB.format(kind, field), lambda m: _add(m, amount), which)


def _write_twice(text):
    """Of two tiles, the second writes what the first does."""
    boxes = list(re.finditer(r'(?m)^.*kind = "compute".*(\{access = "write"[^}]*\}).*$', text))
    one, other = boxes[0], next(b for b in boxes if b.group(1) != boxes[0].group(1))
    return text[:other.start(1)] + one.group(1) + text[other.end(1):]


@breaks("8", "dependencies", "program-agrees")
def compute_starts_early(text):
    return _job(_job(text, "compute", "start", -1, 0), "compute", "end", -1, 0)


@breaks("8", "transfer-rate", "program-agrees")
def load_takes_a_cycle_less(text):
    return _job(text, "load", "cycles", -1)


@breaks("8", "regions-add-up")
def load_moves_more_than_its_region(text):
    return _change(text, r'(?m)^(.*"tacho\.job".*kind = "load".*?, bytes = )(\d+)( : i64.*)$',
                   lambda m: _add(m, 8))


@breaks("8", "macs")
def tile_does_fewer_macs(text):
    return _change(text, r'(?m)^(.*"tacho\.job".*kind = "compute".*?, macs = )(\d+)( : i64.*)$',
                   lambda m: _add(m, -1))


@breaks("8", "buffers-apart")
def buffer_is_moved_onto_its_neighbour(text):
    return _change(text, r'(?m)^(.*"tacho\.buffer".*?, offset = )([1-9]\d*)( : i64.*)$',
                   lambda m: _add(m, -1))


@breaks("8", "buffers-within-memory")
def buffer_is_moved_out_of_memory(text):
    return _change(text, r'(?m)^(.*"tacho\.buffer".*?, offset = )(\d+)( : i64.*)$',
                   lambda m: _add(m, 1 << 30))


@breaks("8", "loaded-before-use")
def load_lacks_a_row(text):
    """The first row of every region of the second load of the input."""
    lines = text.splitlines(keepends=True)
    loads = [i for i, line in enumerate(lines) if 'kind = "load"' in line and
             re.search(r"offsets = array<i64: 0, 0, [1-9]", line)]

    def shrink(match):
        values = [int(v) for v in match.group(2).split(",")]
        values[2] += 1 if match.group(1) == "offsets" else -1
        return f"{match.group(1)} = array<i64: {', '.join(map(str, values))}>"
    lines[loads[0]] = re.sub(r"(offsets|sizes) = array<i64: ([^>]*)>", shrink, lines[loads[0]])
    return "".join(lines)


@breaks("8", "operands-read")
def tile_reads_a_row_less(text):
    lines = text.splitlines(keepends=True)
    tiles = [i for i, line in enumerate(lines) if 'kind = "compute"' in line and
             re.search(r'access = "read"[^}]*offsets = array<i64: 0, 0, [1-9]', line)]

    def shrink(match):
        values = [int(v) for v in match.group(2).split(",")]
        values[2] -= 1
        return f"{match.group(1)}{', '.join(map(str, values))}>"
    lines[tiles[0]] = re.sub(r'(access = "read"[^}]*sizes = array<i64: )([^>]*)>', shrink,
                             lines[tiles[0]], count=1)
    return "".join(lines)


@breaks("8", "results-complete")
def store_leaves_out_a_row(text):
    lines = text.splitlines(keepends=True)
    store = next(i for i, line in enumerate(lines) if 'kind = "store"' in line)

    def shrink(match):
        values = [int(v) for v in match.group(1).split(",")]
        values[2] -= 1
        return f"sizes = array<i64: {', '.join(map(str, values))}>"
    lines[store] = re.sub(r"sizes = array<i64: ([^>]*)>", shrink, lines[store])
    return "".join(lines)


@breaks("8", "order-is-sure")
def compute_waits_for_nothing(text):
    """Takes the tokens of the last compute job of the first operator."""
    return _change(text, r'(?m)^(    %j\d+ = "tacho\.job"\()([^)]*)(\) \{kind = "compute".*)$',
                   lambda m: m.group(1) + m.group(3))


@breaks("8", "transfers-within-buffers")
def buffer_is_smaller_than_its_transfers(text):
    return _change(text, r'(?m)^(.*"tacho\.buffer".*?, bytes = )(\d+)( : i64.*role = "tile".*)$',
                   lambda m: f"{m.group(1)}8{m.group(3)}")


@breaks("8", "dependencies", "loaded-before-use")
def store_goes_before_its_tile_is_computed(text):
    """The first store at the first cycle of all."""
    def move(match):
        line = match.group(0)
        cycles = re.search(r"\bcycles = (\d+)", line).group(1)
        return re.sub(r"\bend = \d+", f"end = {cycles}", re.sub(r"\bstart = \d+", "start = 0", line))
    return _change(text, r'(?m)^.*"tacho\.job".*kind = "store".*$', move)


@breaks("8", "reused-after-use", "loaded-before-use")
def tile_goes_before_its_buffer_is_free(text):
    """Buffers of results take turns: the last tile is computed right after the first."""
    lines = [m for m in re.finditer(r'(?m)^.*"tacho\.job".*kind = "compute".*$', text)]
    first, last = lines[0].group(0), lines[-2].group(0)  # its first slice
    cycles = int(re.search(r"\bcycles = (\d+)", last).group(1))
    start = int(re.search(r"\bend = (\d+)", first).group(1))
    moved = re.sub(r"\bstart = \d+", f"start = {start}", last)
    moved = re.sub(r"\bend = \d+", f"end = {start + cycles}", moved)
    return text.replace(last, moved)


@breaks("8", "macs-rate", "program-agrees")
def tile_multiplies_twice_as_fast(text):
    def halve(match):
        return f"{match.group(1)}{int(match.group(2)) // 8}{match.group(3)}"
    return _change(text, _JOB.format("compute", "cycles"), halve)


@breaks("8", "operands-read")
def tile_reads_no_weights(text):
    """The region of the operand that is constant, taken out of one tile."""
    weights = re.search(r'%t(\d+) = "tacho\.tensor"\(\) \{[^}]*storage = "constant"', text).group(1)
    return _change(text, r'(?m)^(.*kind = "compute".*?)(\{access = "read", tensor = ' + weights +
                   r" : i32[^}]*\}, )(.*)$", lambda m: m.group(1) + m.group(3))


@breaks("8", "results-complete")
def tile_is_computed_twice(text):
    """One writes the rows of another."""
    return _write_twice(text)


@breaks("8", "fixed-jobs", "timelines-agree")
def a_processor_computes_it_all(text):
    return re.sub(r'(kind = ")compute(", engine = )"SLICE"', r'\1control\2"CSS"', text)


@breaks("8", "buffers-life")
def buffer_ends_before_its_last_job(text):
    return _change(text, r'(?m)^(.*"tacho\.buffer".*first_job = )(\d+)( : i32, last_job = )\d+',
                   lambda m: f"{m.group(1)}{m.group(2)}{m.group(3)}{m.group(2)}")


@breaks("8", "program-agrees", "operators-add-up", "total")
def all_is_half_as_long(text):
    return re.sub(r"\b(start|end|cycles) = (\d+)",
                  lambda m: f"{m.group(1)} = {int(m.group(2)) // 2}", text)


@breaks("8", "shared-memory-rate", machine="aic100")
def cores_load_at_once(text):
    """As if each core had shared memory for itself: its loads follow one another from 0 on."""
    free = {}

    def move(match):
        line = match.group(0)
        core, cycles = (int(re.search(rf"\b{name} = (\d+)", line).group(1))
                        for name in ("core", "cycles"))
        start = free.get(core, 0)
        free[core] = start + cycles
        line = re.sub(r"\bstart = \d+", f"start = {start}", line)
        return re.sub(r"\bend = \d+", f"end = {start + cycles}", line)
    return re.sub(r'(?m)^.*"tacho\.job".*kind = "load".*$', move, text)


@breaks("8", "multicast-rate", "multicast-together", machine="aic100")
def core_starts_its_part_of_a_multicast_late(text):
    """The last core's loads come a cycle after those of the others."""
    last = max(int(core) for core in re.findall(r'kind = "load".*?\bcore = (\d+)', text))
    return re.sub(rf'(?m)^.*"tacho\.job".*kind = "load".*\bcore = {last} .*$',
                  lambda m: re.sub(r"\b(start|end) = (\d+)",
                                   lambda n: f"{n.group(1)} = {int(n.group(2)) + 1}", m.group(0)),
                  text)


@breaks("8", "results-complete", machine="aic100")
def core_has_another_ones_share(text):
    """The results of one core are called those of another."""
    return _write_twice(text)


@breaks("9", "torq-tasks")
def task_ends_a_cycle_early(text):
    return _change(text, r'("torq-end-time-cycles" = )([1-9]\d*)( : i64)',
                   lambda m: _add(m, -1), 3)


@breaks("9", "torq-tasks")
def wait_is_dropped(text):
    return re.sub(r'(?m)^.*"torq_hw\.slice_wait".*\n', "", text, count=1)


@breaks("9", "torq-transfers")
def transfer_is_larger_than_its_block(text):
    return _change(text, r'(dma_in_cfg.*\{bytes = )(\d+)( : i64)', lambda m: _add(m, 1 << 40))


@breaks("t4.csv", "timelines-agree")
def row_of_t4_moves(text):
    return _change(text, r"(?m)^(\d+,\d+,)(\d+)(,DMA Out)", lambda m: _add(m, 1))


@breaks("t1.csv", "timelines-agree")
def row_of_t1_is_lost(text):
    return text.split("\n", 1)[1]


@breaks("tables.json", "table-agrees")
def table_reads_for_too_long(text):
    return _change(text, r'("read_cycles":)(\d+)(,)', lambda m: _add(m, 1 << 40))


@breaks("tables.json", "table-agrees")
def table_has_fewer_bytes(text):
    return _change(text, r'("ddr_read_bytes":)(\d+)(,)', lambda m: _add(m, -1))


@breaks("tables.json", "table-agrees", machine="aic100")
def table_has_a_core_more(text):
    return _change(text, r'("cores":)(\d+)(,)', lambda m: _add(m, 1))


@breaks("tables.json", "table-agrees")
def table_is_bound_by_something_else(text):
    other = {"compute": "memory", "memory": "compute"}
    return _change(text, r'("bound":")(compute|memory)(",?)(?=[^\n]*"op")|("op".*?"bound":")(compute|memory)(")',
                   lambda m: (m.group(1) or m.group(4)) + other[m.group(2) or m.group(5)] +
                   (m.group(3) or m.group(6)))


@breaks("tables.json", "total")
def table_has_another_total(text):
    return _change(text, r'("table":"total".*?"cycles":)(\d+)(,)', lambda m: _add(m, 1))


def _path(folder, phase):
    if "." in phase:
        return os.path.join(folder, phase)
    return next(os.path.join(folder, name) for name in sorted(os.listdir(folder))
                if f".{phase}." in name)


def _break_file(path, function):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    broken = function(text)
    if broken == text:
        raise ValueError("the break changed nothing")
    with open(path, "w", encoding="utf-8") as file:
        file.write(broken)


def check_breaks(good, machine):
    """How many breaks of a machine's schedule were not named."""
    failures = 0
    for function, phase, expected, name in _BREAKS:
        if name != machine.name:
            continue
        folder = good + ".broken"
        shutil.copytree(good, folder)
        try:
            _break_file(_path(folder, phase), function)
            _, counts = rules.check(cases.load(folder, "broken", machine))
            missed = [rule for rule in expected if rule not in counts]
        except (IndexError, StopIteration, ValueError) as problem:
            missed, counts = [f"({problem!r})"], {}
        if missed:
            print(f"{function.__name__}: {', '.join(missed)} expected, found {sorted(counts)}")
            failures += 1
        shutil.rmtree(folder)
    return failures


def check_machine(tool, root, name):
    """Problems: what is found in the schedule as it is, and breaks that are not named."""
    model = os.path.join(root, "conv_rows.mlir")
    with open(model, "w", encoding="utf-8") as file:
        file.write(made_models.conv_rows())
    good = os.path.join(root, name)
    cases.compile_into(tool, model, name, good)
    machine = cases.machine_of(tool, name)
    found, _ = rules.check(cases.load(good, "conv_rows", machine))
    for violation in found:
        print(violation)
    return len(found), check_breaks(good, machine)


def main():
    root = tempfile.mkdtemp(prefix="broken.")
    found = failures = 0
    try:
        for name in sorted({machine for *_, machine in _BREAKS}):
            more, missed = check_machine(sys.argv[1], root, name)
            found, failures = found + more, failures + missed
    finally:
        shutil.rmtree(root)
    print(f"{len(_BREAKS) - failures} of {len(_BREAKS)} breaks named")
    return 1 if failures or found else 0


if __name__ == "__main__":
    sys.exit(main())
