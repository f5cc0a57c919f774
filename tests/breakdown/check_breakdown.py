#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Works out the time breakdown of PyTorch traces from their events alone, and compares it with
what tacho breakdown says, to the nanosecond.

    check_breakdown.py TACHO SCRATCH [FILE...]

Without files: traces composed at random, with a seed that is printed. Times are whole nanoseconds;
intervals are lists of pairs, cut at every boundary, so nothing is shared with tacho's way."""
import bisect
import gzip
import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal

KERNELS = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events",
           "hpu_op"}
COPIES = {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"}
WAITS = {"event_wait", "event_record"}  # of MTIA, in its category of kernels
CAUSES = ("host_late", "dependency", "queue_empty", "queued", "unknown")


def mean(times):
    """To the nearest, halves up."""
    return (2 * sum(times) + len(times)) // (2 * len(times))


def nanoseconds(microseconds):
    return int(Decimal(str(microseconds)) * 1000)


def is_work(event):
    is_wait = event.get("cat") == "mtia_ccp_events" and event["name"] in WAITS
    return event.get("ph") == "X" and event.get("cat") in KERNELS and not is_wait


def kind(event):
    name = event["name"]
    libraries = r"(?i:nccl|rccl|hccl|oneccl|nvshmem|rocshmem|hcom_)"
    if re.match(libraries, name) or re.search("nccl(Dev)?Kernel|deep_ep::|trtllm_all", name):
        return "communication"
    is_copy = event["cat"] in COPIES or re.match(r"Memcpy|Memset|dma", name)
    return "copy" if is_copy else "compute"


def union(intervals):
    """Disjoint intervals that cover the same time, in order."""
    out = []
    for start, end in sorted(intervals):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return [tuple(pair) for pair in out if pair[1] > pair[0]]


def length(intervals):
    return sum(end - start for start, end in intervals)


def without(intervals, others):
    """What of the disjoint |intervals| lies in none of the disjoint |others|."""
    out = []
    starts = [other[0] for other in others]
    for start, end in intervals:
        at = max(bisect.bisect_right(starts, start) - 1, 0)
        while start < end and at < len(others) and others[at][0] < end:
            if others[at][1] > start:
                if others[at][0] > start:
                    out.append((start, others[at][0]))
                start = others[at][1]
            at += 1
        if start < end:
            out.append((start, end))
    return out


def launches_of(events):
    """Start and end of the call that launched, by index of the event; by an arrow, else by
    correlation."""
    left = {}
    runtime = {}  # thread and start -> end of the call
    arrived = defaultdict(list)
    for event in events:
        if event.get("ph") in "sf" and "ac2g" in event.get("cat", "") + event.get("name", ""):
            if event["ph"] == "s":
                left[event["id"]] = (nanoseconds(event["ts"]), event["pid"], event["tid"])
            else:
                arrived[event["pid"], event["tid"], nanoseconds(event["ts"])].append(event["id"])
    calls = {}
    for event in events:
        number = (event.get("args") or {}).get("correlation")
        if event.get("ph") != "X" or event.get("cat") in KERNELS:
            continue
        start = nanoseconds(event["ts"])
        end = start + nanoseconds(event.get("dur", 0))
        if number:
            calls[number] = (start, end)
        if re.search("runtime|driver", event.get("cat", ""), re.I):
            runtime[event["pid"], event["tid"], start] = end
    found = {}
    for index, event in enumerate(events):
        if not is_work(event):
            continue
        start = nanoseconds(event["ts"])
        ids = arrived.get((event["pid"], event["tid"], start), [])
        times = [(left[number][0], runtime.get((*left[number][1:], left[number][0])))
                 for number in ids if number in left]
        times = [time for time in times if time[0] <= start]
        number = (event.get("args") or {}).get("correlation")
        if not times and number in calls and calls[number][0] <= start:
            times = [calls[number]]
        if times:
            found[index] = min(times, key=lambda time: time[0])
    return found


def times_of(work, span):
    by_kind = {name: union((e[0], e[1]) for e in work if e[2] == name)
               for name in ("compute", "communication", "copy")}
    compute, communication = by_kind["compute"], by_kind["communication"]
    busy = union((e[0], e[1]) for e in work)
    both = union(compute + communication)
    return {
        "span_ns": span, "busy_ns": length(busy), "idle_ns": span - length(busy),
        "compute_ns": length(compute), "communication_ns": length(communication),
        "copy_ns": length(by_kind["copy"]),
        "exposed_communication_ns": length(without(communication, compute)),
        "exposed_copy_ns": length(without(by_kind["copy"], both)),
    }


def gaps_of(work):
    """Start, end and first launch of what ends each gap."""
    out = []
    busy_until = None
    for start, end, _, launch in sorted(work, key=lambda e: e[0]):
        if busy_until is not None and start > busy_until:
            out.append([busy_until, start, launch])
        elif out and start == out[-1][1] and launch is not None:
            out[-1][2] = launch if out[-1][2] is None else min(launch, out[-1][2])
        busy_until = end if busy_until is None else max(busy_until, end)
    return out


def beside_steps(events, first, last):
    """The gaps from the start of the first step to the first work, and from the last to the end."""
    steps = windows_of(events, steps_of(events))
    gaps = [first - steps[0][0], steps[-1][1] - last] if steps else []
    return [gap for gap in gaps if gap > 0]


def break_down(events):
    launches = launches_of(events)
    devices = defaultdict(lambda: defaultdict(list))
    delays = defaultdict(list)
    for index, event in enumerate(events):
        if is_work(event):
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event.get("dur", 0))
            devices[event["pid"]][event["tid"]].append(
                (start, end, kind(event), launches.get(index, (None, None))[0]))
            if index in launches:
                delays[event["pid"], event["tid"]].append((start, end, *launches[index]))
    result = []
    for streams in devices.values():
        work = [piece for stream in streams.values() for piece in stream]
        first, last = min(e[0] for e in work), max(e[1] for e in work)
        device = times_of(work, last - first)
        device["idle"] = dict.fromkeys(CAUSES, 0)
        caused = []
        for start, end, launch in gaps_of(work):
            cause = ("unknown" if launch is None else
                     "host_late" if launch > start else "queued")
            device["idle"][cause] += end - start
            caused.append((start, end, cause))
        busy = union((e[0], e[1]) for e in work)
        device["streams"] = [idle_stream(stream, (first, last), busy, caused)
                             for stream in streams.values()]
        device["gaps"] = [end - start for start, end, _ in caused] + beside_steps(events, first, last)
        result.append(device)
    return result, [queue_of(pieces) for pieces in delays.values()]


def queue_of(pieces):
    """Launches of a stream: how many, delays, longest queue, calls and work shorter than they."""
    waits = sorted(start - launch for start, _, launch, _ in pieces)
    starts = sorted(start for start, _, _, _ in pieces)
    calls = sorted(launch for _, _, launch, _ in pieces)
    queue = max(bisect.bisect_right(calls, at) - bisect.bisect_right(starts, at) for at in calls)
    known = [(end - start, back - launch) for start, end, launch, back in pieces if back is not None]
    return {
        "launch_count": len(waits), "mean_ns": mean(waits), "max_ns": waits[-1],
        "p50_ns": waits[(len(waits) + 1) // 2 - 1], "queue_max": queue,
        "call_mean_ns": mean([call for _, call in known]) if known else None,
        "short_count": sum(work < call for work, call in known) if known else None,
    }


def idle_stream(work, hull, busy, caused):
    out = times_of(work, hull[1] - hull[0])
    idle = dict.fromkeys(CAUSES, 0)
    gaps = gaps_of([(hull[0], hull[0], None, None)] + work)
    gaps.append([max(e[1] for e in work), hull[1], "end"])
    starts = [gap[0] for gap in caused]
    for start, end, launch in gaps:
        for at in range(max(bisect.bisect_right(starts, start) - 1, 0), len(caused)):
            if caused[at][0] >= end:
                break
            low, high, cause = caused[at]
            idle[cause] += max(min(high, end) - max(low, start), 0)
        others = without([(start, end)], without([(start, end)], busy)) if end > start else []
        if launch is None:
            idle["unknown"] += length(others)
        elif launch == "end":
            idle["queue_empty"] += length(others)
        else:
            launched = max(start, launch)
            late = length(without(others, [(start, launched)] if launched > start else []))
            idle["dependency"] += late
            idle["queue_empty"] += length(others) - late
    out["idle"] = idle
    return out


# ---- steps -------------------------------------------------------------------------------------

def steps_of(events):
    """Name, start and end of each step as it is marked."""
    marks = [event for event in events
             if event.get("ph") == "X" and event.get("cat") == "user_annotation"]
    steps = [event for event in marks if event["name"].startswith("ProfilerStep#")]
    steps = steps or [event for event in marks if re.fullmatch(r"step_\d+", event["name"])]
    return sorted((nanoseconds(event["ts"]),
                   nanoseconds(event["ts"]) + nanoseconds(event["dur"]), event["name"])
                  for event in steps)


def far_above(time, others):
    others = sorted(others)
    rank = lambda percent: others[-(-len(others) * percent // 100) - 1]  # noqa: E731
    far = Decimal(rank(75)) + Decimal("1.5") * (rank(75) - rank(25))
    return time > far and time * 10 > rank(50) * 11


def left_out(steps):
    """How many steps are warm-up, and whether the profiler stopped in the last."""
    times = [end - start for start, end, _ in steps]
    has_stop = (len(steps) > 3 and steps[0][2].startswith("ProfilerStep#") and
                far_above(times[-1], times[1:-1]))
    times = times[:-1] if has_stop else times
    warm_up = 0
    if len(times) > 2:
        for time in times[:len(times) // 2]:
            if not far_above(time, times[len(times) // 2:]):
                break
            warm_up += 1
    return warm_up, has_stop


def hull(intervals):
    return (min(start for start, _ in intervals), max(end for _, end in intervals))


def leftovers(streams):
    """The last ends of what streams ran first and was launched before the recording began."""
    for work in streams.values():
        work.sort(key=lambda piece: (piece[0], -piece[1]))
        known = [index for index, piece in enumerate(work) if piece[2] is not None]
        if known and known[0] > 0 and 10 * len(known) >= 9 * (len(work) - known[0]):
            start, end = hull([piece[:2] for piece in work[:known[0]]])
            if start < work[known[0]][2]:
                yield end


def windows_of(events, steps):
    """Name, start and end of each step on the devices: work is of the step that launched it."""
    launches = launches_of(events)
    streams = defaultdict(list)
    own, before = defaultdict(list), defaultdict(list)
    for index, event in enumerate(events):
        if is_work(event):
            start = nanoseconds(event["ts"])
            piece = (start, start + nanoseconds(event.get("dur", 0)),
                     launches.get(index, (None,))[0])
            streams[event["pid"], event["tid"]].append(piece)
            if piece[2] is not None:
                number = sum(step[0] <= piece[2] for step in steps)
                if number > 0 and piece[2] < steps[number - 1][1]:
                    own[number - 1].append(piece[:2])
                else:
                    before[number].append(piece[1])
    before[0] += leftovers(streams)
    windows, late = [], None
    for number, (start, end, name) in enumerate(steps):
        ends = before[number] + ([late] if late is not None else [])
        late = max(ends, default=None)
        work = hull(own[number]) if own[number] else None
        if late is not None:
            start = max(start, work[0] if work and late >= work[1] else late)
        if windows:
            start = max(start, windows[-1][0])
            windows[-1] = (windows[-1][0], min(windows[-1][1], start), windows[-1][2])
        end = max([start, end] + ([work[1]] if work else []))
        late = max([late] * (late is not None) + ([work[1]] if work else []), default=None)
        windows.append((start, end, name))
    assert sum(end - start for start, end, _ in windows) <= (
        windows[-1][1] - windows[0][0] if windows else 0)
    return windows


def within(intervals, start, end):
    return length(intervals) - length(without(intervals, [(start, end)] if end > start else []))


def step_rows(events, marks):
    """What each device did in each step, and the statistics of the steps that are not left out."""
    steps = windows_of(events, marks)
    warm_up, has_stop = left_out(steps)
    launches = launches_of(events)
    devices = defaultdict(list)
    for index, event in enumerate(events):
        if is_work(event):
            start = nanoseconds(event["ts"])
            devices[event["pid"]].append((start, start + nanoseconds(event.get("dur", 0)),
                                          launches.get(index, (None,))[0]))
    rows, sums = [], []
    for work in devices.values():
        busy = union(piece[:2] for piece in work)
        mine = []
        for (start, end, name), (low, high, _) in zip(steps, marks):
            launched = sum(piece[2] is not None and low <= piece[2] < high for piece in work)
            mine.append((name, end - start, within(busy, start, end),
                         launched + sum(piece[2] is None and start <= piece[0] < end
                                        for piece in work), launched))
        last = len(mine) - has_stop
        rows += [(*row[:1], "yes" if index < warm_up else "stop" if index >= last else "no",
                  *row[1:]) for index, row in enumerate(mine)]
        kept = mine[warm_up:last]
        times = sorted(row[1] for row in kept)
        rank = lambda percent: times[-(-len(times) * percent // 100) - 1]  # noqa: E731
        if kept:
            sums.append((len(kept), warm_up, sum(times) // len(times), rank(50), times[0],
                         times[-1], rank(75) - rank(25), sum(row[2] for row in kept) // len(kept)))
    return rows, sums


def late_in_steps(events, steps):
    """How long each device waited for launches within steps, in gaps shorter than 1 ms."""
    launches = launches_of(events)
    devices = defaultdict(list)
    for index, event in enumerate(events):
        if is_work(event):
            start = nanoseconds(event["ts"])
            devices[event["pid"]].append((start, start + nanoseconds(event.get("dur", 0)),
                                          "compute", launches.get(index, (None,))[0]))
    late = []
    for work in devices.values():
        gaps = [(start, end) for start, end, launch in gaps_of(work)
                if launch is not None and launch > start and end - start < 1000000]
        first = min(piece[0] for piece in work)
        calls = [piece[3] for piece in work if piece[0] == first and piece[3] is not None]
        ahead = [(start, first) for start, _, _ in steps
                 if start < first and calls and min(calls) > start and first - start < 1000000]
        late.append(sum(within(gaps, start, end) for start, end, _ in steps) +
                    sum(min(end, last) - low for low, last in ahead
                        for start, end, _ in steps if start == low))
    return late


def rooms_of(rows, count):
    """What the work of each device leaves of its steps, if each piece takes 1 us to start."""
    devices = [rows[at:at + count] for at in range(0, len(rows), max(count, 1))]
    return [sum(row[2] - row[3] - 1000 * row[4] for row in device if row[1] == "no")
            for device in devices]


def check_steps(path, events, said):
    marks = steps_of(events)
    fields = ("step", "warm_up", "time_ns", "busy_ns", "work_count", "launch_count")
    sum_fields = ("step_count", "warm_up_count", "mean_ns", "p50_ns", "min_ns", "max_ns",
                  "spread_ns", "busy_ns")
    rows, sums = step_rows(events, marks)
    pick = lambda row, names: tuple(row[name] for name in names)  # noqa: E731
    found = sorted(pick(row, fields) for row in said["steps"])
    if sorted(rows) != found:
        sys.exit(f"{path}: steps:\n expected {sorted(rows)}\n said     {found}")
    found = sorted(pick(row, sum_fields) for row in said["step_statistics"])
    if sorted(sums) != found:
        sys.exit(f"{path}: statistics of steps:\n expected {sorted(sums)}\n said     {found}")
    steps = windows_of(events, marks)
    warm_up, has_stop = left_out(steps)
    steady = steps[warm_up:len(steps) - has_stop]
    late = [min(gap, room) // max(len(steady), 1)
            for gap, room in zip(late_in_steps(events, steady), rooms_of(rows, len(steps)))]
    gains = [row["gain_ns"] for row in said["advice"]
             if row["rule"] == "L-01" and "of a step" in row["advice"]]
    if not all(gain in late for gain in gains):
        sys.exit(f"{path}: L-01 gains {gains}, of {late}")
    return len(steps), len(gains)


# ---- queues ------------------------------------------------------------------------------------

def queues_expected(events):
    """By device and stream: the times at which the queue changes, and its length from then on."""
    launches = launches_of(events)
    changes = defaultdict(lambda: defaultdict(int))
    for index, (launch, _) in launches.items():
        start = nanoseconds(events[index]["ts"])
        if launch < start:
            of = changes[events[index]["pid"], events[index]["tid"]]
            of[launch] += 1
            of[start] -= 1
    out = []
    for of in changes.values():
        length_now, series = 0, []
        for time in sorted(of):
            length_now += of[time]
            if of[time]:
                series.append((time, length_now))
        out.append(series)
    return sorted(out)


def check_queues(tacho, path, events, scratch):
    """The counters of a conversion, and their maxima and means in the table of launches."""
    made = os.path.join(scratch, "queues.json")
    run = subprocess.run([tacho, "convert", path, "--queues", "-q", "-o", made], check=False,
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{path}: {run.stderr}")
    with open(made, encoding="utf-8") as file:
        written = json.load(file, parse_float=str)["traceEvents"]
    said = defaultdict(list)
    for event in written:
        if event["ph"] == "C" and list(event["args"]) == ["queue"]:
            said[event["pid"], event["name"]].append(
                (nanoseconds(event["ts"]), int(float(event["args"]["queue"]))))
    again = os.path.join(scratch, "again.json")  # what has them gets no others
    subprocess.run([tacho, "convert", made, "--queues", "-q", "-o", again], check=False)
    with open(again, encoding="utf-8") as file:
        assert len(json.load(file)["traceEvents"]) == len(written), path
    expected = queues_expected(events)
    first = min(nanoseconds(event["ts"]) for event in events
                if "ts" in event and event.get("ph") != "M")
    shift = min((pair[0] for series in expected for pair in series), default=0)
    shift -= min((pair[0] for series in said.values() for pair in series), default=0)
    if shift not in (0, first):
        sys.exit(f"{path}: counters are {shift} ns off")
    found = sorted([(time + shift, value) for time, value in series] for series in said.values())
    if found != expected:
        sys.exit(f"{path}: queues:\n expected {expected}\n said     {found}")
    tables = said_by_tacho(tacho, path)["launches"]
    longest = sorted(max(value for _, value in series) for series in expected)
    if longest != sorted(row["queue_max"] for row in tables if row["queue_max"]):
        sys.exit(f"{path}: longest queues {longest}")
    for row in tables:
        span = [device["span_ns"] for device in said_by_tacho(tacho, path)["devices"]
                if device["device"] == row["device"]][0]
        mean = Decimal(row["mean_ns"]) * row["launch_count"] / span if span else 0
        limit = Decimal("0.01") + Decimal(row["launch_count"]) / max(span, 1)
        if abs(mean - Decimal(str(row["queue_mean"]))) > limit:
            sys.exit(f"{path}: queue of {row['stream']} is {mean} on average")
    return len(said)


def said_by_tacho(tacho, path):
    run = subprocess.run([tacho, "breakdown", path, "--format", "json"], check=False,
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{path}: {run.stderr}")
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    tables = defaultdict(list)
    for row in rows:
        tables[row["table"]].append(row)
    return tables


def flat(times):
    return tuple(sorted((key, value) for key, value in times.items() if key.endswith("_ns")))


def flat_idle(idle):
    return tuple(idle[f"{cause}_ns"] if f"{cause}_ns" in idle else idle[cause] for cause in CAUSES)


def compare(tacho, path, events):
    expected, queues = break_down(events)
    said = said_by_tacho(tacho, path)
    names = [key for key, _ in flat(expected[0])] if expected else []
    pick = lambda row: tuple((name, row[name]) for name in names)  # noqa: E731
    checks = [
        ("devices", sorted(flat(d) for d in expected), sorted(map(pick, said["devices"]))),
        ("streams", sorted(flat(s) for d in expected for s in d["streams"]),
         sorted(map(pick, said["streams"]))),
        ("idle of devices", sorted(flat_idle(d["idle"]) for d in expected),
         sorted(flat_idle(r) for r in said["idle"] if r.get("stream") is None)),
        ("idle of streams",
         sorted(flat_idle(s["idle"]) for d in expected for s in d["streams"]
                if len(d["streams"]) > 1),
         sorted(flat_idle(r) for r in said["idle"] if r.get("stream") is not None)),
    ]
    fields = sorted(queues[0]) if queues else []
    values = lambda row: tuple((name, row.get(name)) for name in fields)  # noqa: E731
    checks.append(("launches", sorted(map(values, queues), key=str),
                   sorted(map(values, said["launches"]), key=str)))
    gaps = sorted((gap for device in expected for gap in device["gaps"]), reverse=True)
    check_steps(path, events, said)
    checks.append(("gaps", gaps[:10], [row["gap_ns"] for row in said["gaps"]]))
    for what, mine, theirs in checks:
        if mine != theirs:
            sys.exit(f"{path}: {what}:\n expected {mine}\n said     {theirs}")
    for device in expected:
        assert device["compute_ns"] + device["exposed_communication_ns"] + \
            device["exposed_copy_ns"] + device["idle_ns"] == device["span_ns"]
    return len(expected)


# ---- composed traces ---------------------------------------------------------------------------

def compose(chance):
    """A trace of some devices with streams, whose work is launched by arrows, by correlation or
    not at all, early or late, and runs one piece after the other on each stream."""
    events = []
    joins = chance.choice(["arrows", "correlation", "nothing", "some arrows", "mixed"])
    names = ["gemm", "ncclDevKernel_AllReduce", "Memcpy HtoD", "relu", "Memset",
             "NCCL_AllGather", "void deep_ep::intranode::combine<8>(int4*)", "hcom_allReduce_"]
    number = 0
    for device in range(chance.randint(1, 3)):
        for stream in range(chance.randint(1, 4)):
            at = chance.randint(0, 20000)
            call = 0
            for _ in range(chance.randint(1, 40)):
                number += 1
                start = at + chance.choice([0, 0, 1, chance.randint(0, 3000)])
                duration = chance.choice([0, 1, chance.randint(1, 2500), chance.randint(1, 2500)])
                name = chance.choice(names)
                category = ("gpu_memcpy" if "Memcpy" in name else
                            "gpu_memset" if "Memset" in name else "kernel")
                call = max(start - chance.choice([0, 5, 300, 2000, 9000]), call)
                add = lambda **event: events.append(event)  # noqa: E731
                where = {"pid": device, "tid": stream + 7, "ts": start / 1000}
                host = {"pid": 900, "tid": 900 + number % 3, "ts": call / 1000}
                is_joined = joins == "arrows" or (joins in ("some arrows", "mixed") and
                                                  chance.random() < 0.7)
                extra = {"correlation": number} if joins in ("correlation", "mixed") else {}
                if is_joined or extra:
                    add(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", dur=0.004,
                        args=extra, **host)
                if is_joined:
                    add(ph="s", cat="ac2g", name="ac2g", id=number, **host)
                add(ph="X", cat=category, name=name, dur=duration / 1000, args=extra, **where)
                if is_joined:
                    add(ph="f", bp="e", cat="ac2g", name="ac2g", id=number, **where)
                # Arrows of two pieces of one start and extent could not be told apart.
                at = start + duration + (1 if duration == 0 else 0)
                if chance.random() < 0.1:
                    add(ph="X", cat="mtia_ccp_events", name=chance.choice(sorted(WAITS)), dur=5,
                        args=extra, **where)
            add(ph="X", cat="gpu_user_annotation", name="step", pid=device, tid=stream + 7,
                ts=0, dur=at / 1000)
    mark_steps(chance, events)
    return events


def mark_steps(chance, events):
    """Steps one after the other, some longer, with and without time between them."""
    names = chance.choice([None, "ProfilerStep#%d", "step_%d", "ProfilerStep#%d"])
    at = chance.randint(0, 9000)
    gap = chance.choice([0, 1, 300])
    count = chance.randint(1, 9) if names else 0
    covers_all = chance.random() < 0.5
    end = max(int(e["ts"] * 1000) + int(e.get("dur", 0) * 1000) for e in events)
    at = 0 if covers_all else at
    for number in range(count):
        time = chance.choice([5000, 5100, chance.randint(2000, 30000)]) + (9000 if number < 2 else 0)
        time = end // count + 1 if covers_all else time
        events.append({"ph": "X", "cat": "user_annotation", "name": names % number, "pid": 900,
                       "tid": 990, "ts": at / 1000, "dur": time / 1000})
        at += time + gap
    if names == "step_%d" and sum(e.get("tid") == 990 for e in events) == 1:
        events.pop()  # what does not repeat is no step


def compose_nested(chance):
    """Rows of a TPU, whose loops and calls contain operators, copies and collectives."""
    names = {"while.1": "compute", "fusion.2": "compute", "copy-start.3": "copy",
             "all-reduce.4": "communication"}
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "/device:TPU:0"}}]
    rows = []
    for row in range(chance.randint(1, 3)):
        spans = []
        open_spans = [(0, 4000)]
        while open_spans:
            start, end = open_spans.pop()
            at = start + chance.choice([0, chance.randint(0, 300)])
            while at < end:
                last = min(end, at + chance.choice([1, 50, chance.randint(1, 1500)]))
                name = chance.choice(sorted(names))
                spans.append((at, last, names[name]))
                events.append({"ph": "X", "name": name, "pid": 1, "tid": row, "ts": at / 1000,
                               "dur": (last - at) / 1000})
                if chance.random() < 0.4 and (at, last) != (start, end):
                    open_spans.append((at, last))
                at = last + chance.choice([0, 0, chance.randint(1, 400)])
        rows.append(spans)
    return events, rows


def innermost_kinds(spans, at, end):
    """Kinds of the spans of a row from |at| to |end|, between two cuts, that contain no other."""
    here = [span for span in spans if span[0] <= at and span[1] >= end]
    return {span[2] for span in here
            if not any(other[:2] != span[:2] and span[0] <= other[0] and other[1] <= span[1]
                       for other in here)}


def check_nested(tacho, scratch, chance):
    """Of a row the innermost span counts; other rows run beside it."""
    events, rows = compose_nested(chance)
    path = os.path.join(scratch, "nested.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"traceEvents": events}, out)
    cuts = sorted({time for spans in rows for span in spans for time in span[:2]})
    sums = dict.fromkeys(("busy_ns", "compute_ns", "communication_ns", "copy_ns",
                          "exposed_communication_ns", "exposed_copy_ns"), 0)
    for at, end in zip(cuts, cuts[1:]):
        kinds = set().union(*(innermost_kinds(spans, at, end) for spans in rows))
        sums["busy_ns"] += (end - at) * bool(kinds)
        for name in kinds:
            sums[f"{name}_ns"] += end - at
        sums["exposed_communication_ns"] += (end - at) * (
            "communication" in kinds and "compute" not in kinds)
        sums["exposed_copy_ns"] += (end - at) * (kinds == {"copy"})
    said = said_by_tacho(tacho, path)["devices"]
    found = {name: said[0][name] for name in sums}
    if len(said) != 1 or found != sums:
        sys.exit(f"{path}: spans in one another:\n expected {sums}\n said     {found}")


def check_inferences(tacho, scratch):
    """Of several inferences there is a row per device and engine: one inference on average."""
    model = os.path.join(os.path.dirname(__file__), "..", "data", "compile", "block.mlir")
    program, path = os.path.join(scratch, "two.qpc"), os.path.join(scratch, "run.tacho")
    run = lambda *words: subprocess.run([tacho, *words], check=True, capture_output=True,  # noqa
                                        text=True).stdout
    run("compile", model, "--machine", "aic100", "--devices", "2", "--stats-level", "70", "-q",
        "-o", program)
    run("run", program, "-n", "7", "--samples", "7", "--profile", path, "-q")
    spans = run("query", path, "SELECT file, process, track, class, start_ns, end_ns FROM spans "
                "WHERE is_work AND class IN ('compute', 'vector', 'dma_in', 'dma_out')",
                "--format", "json")
    work = defaultdict(lambda: defaultdict(list))
    for row in map(json.loads, spans.splitlines()):
        name = "copy" if row["class"].startswith("dma") else "compute"
        piece = (row["start_ns"], row["end_ns"], name)
        work[row["process"], None][row["file"]].append(piece)
        work[row["process"], row["track"]][row["file"]].append(piece)
    said = said_by_tacho(tacho, path)
    found = {(row["device"], row.get("stream")): row for row in said["devices"] + said["streams"]}
    if sorted(found, key=str) != sorted(work, key=str) or len(found) != len(
            said["devices"] + said["streams"]):
        sys.exit(f"{path}: rows of {sorted(found, key=str)}, not {sorted(work, key=str)}")
    for who, files in work.items():
        hulls = {file: max(e[1] for e in pieces) - min(e[0] for e in pieces)
                 for file, pieces in work[who[0], None].items()}
        assert len(hulls) == 7 and len(files) == 7, who
        sums = [times_of(pieces, hulls[file]) for file, pieces in files.items()
                if not file.endswith(" 0")]  # it activates the program and is warm-up
        row = found[who]
        for name in sums[0]:
            mean = sum(times[name] for times in sums) / len(sums)
            if abs(row[name] - mean) > (3 if who[1] is None else 2):  # cut to whole nanoseconds
                sys.exit(f"{path}: {who}: {name} is {mean} on average, said {row[name]}")
        assert row["compute_ns"] + row["exposed_communication_ns"] + row["exposed_copy_ns"] + \
            row["idle_ns"] == row["span_ns"], row
    for row in said["steps"]:  # an inference starts with its first work, not with the doorbell
        assert row["time_ns"] < 6000, row
    assert sum("average of 6" in row["note"] for row in said["notes"]) == 1, said["notes"]
    assert len(said["step_statistics"]) == 2 and len(said["steps"]) == 14, said["steps"]


def healthy_but_for_warm_up(idle):
    """Kernels back to back in steps of 1 ms, and a first step that waits |idle| ns for launches."""
    events, at = [], 0
    for step in range(6):
        start = at
        at += 10000
        for number in range(10):
            is_late = step == 0 and number == 1
            at += idle if is_late else 0
            call = at - 1000 if number == 0 or is_late else start + 500 + number
            where = {"args": {"correlation": step * 10 + number + 1}}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9,
                           "tid": 9, "ts": call / 1000, "dur": 0.01, **where})
            events.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
                           "ts": at / 1000, "dur": 99, **where})
            at += 99000
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}",
                       "pid": 9, "tid": 9, "ts": start / 1000, "dur": (at - start) / 1000})
    return events


def check_warm_up(tacho, scratch):
    """A program that waits while it warms up gets no advice about it."""
    path = os.path.join(scratch, "warm_up.json")
    events = healthy_but_for_warm_up(9000000)
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"traceEvents": events}, out)
    compare(tacho, path, events)
    said = said_by_tacho(tacho, path)
    verdict = said["verdict"][0]["verdict"]
    assert "1 warm-up step left out" in verdict and verdict.startswith("Kernel-bound"), verdict
    assert not said["advice"], said["advice"]
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"traceEvents": [e for e in events if e["cat"] != "user_annotation"]}, out)
    said = said_by_tacho(tacho, path)
    verdict = said["verdict"][0]["verdict"]  # it happens once, whatever it is
    assert verdict.startswith("Kernel-bound") and "1 gap of 9.000 ms that happens once" in verdict
    assert any("no steps" in row["note"] for row in said["notes"]), said["notes"]


def main():
    tacho, scratch, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(scratch, exist_ok=True)
    if not files:
        seed = int(os.environ.get("SEED", "25"))
        for turn in range(60):
            events = compose(random.Random(seed * 1000 + turn))
            random.Random(turn).shuffle(events) if turn % 3 == 0 and "f" not in {
                e["ph"] for e in events} else None
            path = os.path.join(scratch, "composed.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump({"traceEvents": events}, out)
            compare(tacho, path, events)
            check_queues(tacho, path, events, scratch)
        for turn in range(40):
            check_nested(tacho, scratch, random.Random(seed * 1000 + turn))
        check_inferences(tacho, scratch)
        check_warm_up(tacho, scratch)
        print(f"60 composed traces and 40 of spans in one another agree (seed {seed})")
        return
    present = [path for path in files if os.path.exists(path)]
    if not present:
        print("none of the traces is here: skipped")
        sys.exit(77)
    for path in present:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            trace = json.load(file, parse_float=Decimal)
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        count = check_queues(tacho, path, events, scratch)
        print(f"{os.path.basename(path)}: {compare(tacho, path, events)} devices and {count} "
              f"queues agree")


if __name__ == "__main__":
    main()
