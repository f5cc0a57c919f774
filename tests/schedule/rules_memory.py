# SPDX-License-Identifier: Apache-2.0
"""Local memory: buffers within it, apart from one another, and transfers within buffers."""
from rules import rule


@rule("buffers-within-memory")
def check_sizes(case):
    for buffer in case.buffers:
        limit = case.machine.memory_bytes.get(buffer.memory)
        if limit is None:
            yield f"buffer {buffer.index}: {buffer.memory} is no memory of the machine"
        elif buffer.offset + buffer.bytes > limit:
            yield (f"buffer {buffer.index}: bytes {buffer.offset} to {buffer.offset + buffer.bytes}"
                   f" of {buffer.memory}, which has {limit}")


@rule("buffers-life")
def check_lives(case):
    """A buffer's life begins with the first job that touches it and ends with the last."""
    if case.machine.is_streamed():
        return
    first, last = {}, {}
    for job in case.jobs:
        for index in job.touched():
            first.setdefault(index, job.index)
            last[index] = job.index
            buffer = case.buffers[index]
            if (buffer.device, buffer.core) != (job.device, job.core):
                yield f"{job.where()}: touches buffer {index} of core {buffer.core}"
    for buffer in case.buffers:
        if buffer.index not in first:
            is_kept = buffer.role == "resident" and not case.machine.is_cut()
            if buffer.role is not None and not is_kept:
                yield f"buffer {buffer.index}: no job touches it"
        elif (buffer.first is None or buffer.first > first[buffer.index] or
              buffer.last < last[buffer.index]):
            yield (f"buffer {buffer.index}: jobs {first[buffer.index]} to {last[buffer.index]} "
                   f"touch it, life found from job {buffer.first} to {buffer.last}")


@rule("buffers-apart")
def check_overlaps(case):
    """No two buffers that live at one time share an address."""
    events = []
    for buffer in case.buffers:
        if buffer.start is not None and buffer.bytes > 0:
            # At one cycle, what ends goes before what begins; a life of no time is checked, too.
            is_short = buffer.end <= buffer.start
            events.append((buffer.start, 1, buffer.index))
            events.append((buffer.end, 2 if is_short else 0, buffer.index))
    live = {}
    for _, kind, index in sorted(events):
        buffer = case.buffers[index]
        key = (buffer.memory, buffer.device, buffer.core)
        if kind != 1:
            live.get(key, {}).pop(index, None)
            continue
        for other in live.setdefault(key, {}).values():
            if (buffer.offset < other.offset + other.bytes and
                    other.offset < buffer.offset + buffer.bytes):
                yield (f"buffer {index} ({buffer.offset} to {buffer.offset + buffer.bytes}, jobs "
                       f"{buffer.first} to {buffer.last}) lies on buffer {other.index} "
                       f"({other.offset} to {other.offset + other.bytes}, jobs {other.first} to "
                       f"{other.last}) of {buffer.memory} while both live")
        live[key][index] = buffer


@rule("memory-peak")
def check_peak(case):
    """The peak that the program and the table state covers what is live at one time."""
    events = []
    for buffer in case.buffers:
        if buffer.start is not None and buffer.end > buffer.start:
            key = (buffer.memory, buffer.device, buffer.core)
            events += [(buffer.start, 1, buffer.bytes, key), (buffer.end, 0, -buffer.bytes, key)]
    live, peak = {}, 0
    for _, _, change, key in sorted(events):
        live[key] = live.get(key, 0) + change
        peak = max(peak, live[key])
    stated = case.program.facts.local_peak_bytes
    limit = case.machine.memory_bytes[case.machine.local]
    if peak > stated:
        yield f"{peak} bytes are live at one time, the program states {stated}"
    if stated > limit:
        yield f"the program states a peak of {stated} bytes; {case.machine.local} has {limit}"


@rule("transfers-within-buffers")
def check_transfers(case):
    """What a transfer moves fits the buffer that it fills or drains. Where operators are not cut, a
    transfer is a stream and passes through its buffers."""
    if not case.machine.is_cut():
        return
    for job in case.jobs:
        if not job.is_transfer():
            continue
        if job.repeat > 1:
            yield f"{job.where()}: stands for {job.repeat} tiles, which no queue can do as one job"
        for index in job.touched():
            buffer = case.buffers[index]
            # What steers the transfer (indices) has a buffer of its own, which it only reads.
            moved = job.bytes if index == job.buffer else max(
                region.bytes for region in job.regions if region.buffer == index)
            if moved > buffer.bytes:
                yield (f"{job.where()}: moves {moved} bytes through buffer {index} of "
                       f"{buffer.bytes}")
