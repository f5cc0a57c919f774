# SPDX-License-Identifier: Apache-2.0
"""Torq's sequencer, replayed: the tasks of the last dump give the times of every job.

One time t runs through the tasks in order. Configuring takes no time; a transfer that starts runs
from t on and t stays; a slice or CSS that starts runs from t on and t goes on by one cycle; a wait
takes t to the end of what it waits for. A task's attributes are t before and after its operations.
"""
from rules import rule

_STARTS = {"torq_hw.dma_in_start": "dma_in", "torq_hw.dma_out_start": "dma_out",
           "torq_hw.cdma_start": "cdma", "torq_hw.slice_start": "slice",
           "torq_hw.css_start": "css"}
_WAITS = {name.replace("_start", "_wait"): engine for name, engine in _STARTS.items()}
_CLASSES = {"DMA IN": "dma_in", "DMA OUT": "dma_out", "CDMA": "cdma", "CSS": "css"}


class _Replay:
    def __init__(self):
        self.time, self.ends, self.rows = 0, {}, []

    def run(self, op):
        """One operation of a task; yields what is wrong with it."""
        unit = op.attrs.get("id", 0)
        if op.name in _STARTS:
            engine = _STARTS[op.name] + (str(unit) if op.name == "torq_hw.slice_start" else "")
            duration = op.attrs["torq-async-duration-cycles"]
            if self.ends.get(engine, (0, True))[1] is False:
                yield f"line {op.line}: {engine} starts before it was waited for"
            if self.ends.get(engine, (0, True))[0] > self.time:
                yield f"line {op.line}: {engine} starts at {self.time} and is busy"
            self.rows.append((engine, self.time, self.time + duration))
            self.ends[engine] = (self.time + duration, False)
            self.time += 1 if op.name in ("torq_hw.slice_start", "torq_hw.css_start") else 0
        elif op.name in _WAITS:
            engine = _WAITS[op.name] + (str(unit) if op.name == "torq_hw.slice_wait" else "")
            if engine not in self.ends:
                yield f"line {op.line}: waits for {engine}, which did not start"
                return
            self.time = max(self.time, self.ends[engine][0])
            self.ends[engine] = (self.ends[engine][0], True)
        elif not op.name.endswith("_cfg"):
            yield f"line {op.line}: {op.name} is no operation of a task"


@rule("torq-tasks")
def check_tasks(case):
    """Tasks start and end when a sequencer that replays them does."""
    if case.targets is None:
        return
    replay, number = _Replay(), 0
    for op in case.targets.walk():
        if op.name != "torq_hw.nss_task":
            continue
        before = replay.time
        for child in op.regions:
            yield from replay.run(child)
        shown = (op.attrs.get("torq-task-id"), op.attrs.get("torq-start-time-cycles"),
                 op.attrs.get("torq-end-time-cycles"))
        if shown != (number, before, replay.time):
            yield (f"task {number}, line {op.line}: start {before} and end {replay.time} expected, "
                   f"found task {shown[0]} from {shown[1]} to {shown[2]}")
        # So that one task that is wrong does not make all behind it wrong.
        replay.time = shown[2] if shown[2] is not None else replay.time
        number += 1
    yield from _job_problems(case, replay.rows)


def _job_problems(case, rows):
    expected = sorted((_CLASSES.get(job.engine, f"slice{job.unit}"), job.start, job.end)
                      for job in case.jobs if job.engine in _CLASSES or job.engine == "SLICE")
    found = sorted(rows)
    if expected != found:
        odd = next(((a, b) for a, b in zip(expected, found) if a != b), ("", ""))
        yield (f"{len(expected)} jobs in the schedule, {len(found)} in the tasks; first "
               f"difference: {odd[0]} in the schedule, {odd[1]} in the tasks")


@rule("torq-transfers")
def check_cfg(case):
    """A transfer in the tasks goes to a block as large as its bytes."""
    if case.targets is None:
        return
    for op in case.targets.walk():
        if op.name in ("torq_hw.dma_in_cfg", "torq_hw.dma_out_cfg"):
            sizes = [int(part.split("xi8")[0]) for part in op.operand_types.split("memref<")[1:]]
            if sizes and op.attrs.get("bytes", 0) > min(sizes):
                yield (f"line {op.line}: {op.attrs['bytes']} bytes between memory of {sizes}")
