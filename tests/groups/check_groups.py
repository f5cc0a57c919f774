#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Works out the time of layers, operators, source lines, kernels and steps of PyTorch traces from
their events alone, and compares it with what tacho ops --by says, to the nanosecond.

    check_groups.py TACHO SCRATCH [FILE...]

Without files: traces composed at random, with a seed that is printed. Every moment of a thread goes
to the span that started last of those that are open, boundary by boundary, so nothing is shared
with tacho's way."""
import gzip
import json
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "breakdown"))
from check_breakdown import windows_of  # noqa: E402  pylint: disable=wrong-import-position

KERNELS = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events"}
HOSTS = {"cpu_op", "python_function", "cuda_runtime", "cuda_driver", "mtia_runtime", "overhead",
         "Operator", "Runtime"}
RANGES = {"user_annotation"}
WAITS = {"event_wait", "event_record"}
NONE = {"layer": "(no layer)", "op": "(no operator)", "line": "(no line)", "step": "(no step)"}


def nanoseconds(microseconds):
    return int(Decimal(str(microseconds)) * 1000)


def is_work(event):
    is_wait = event.get("cat") == "mtia_ccp_events" and event["name"] in WAITS
    return event["cat"] in KERNELS and not is_wait


def name_in(event, by):
    """What |event| is called as a group, or None where it is none."""
    name, category = event["name"], event["cat"]
    if by == "op":
        return name if category in ("cpu_op", "Operator") else None
    if by == "step":
        return name if category in RANGES and name.startswith("ProfilerStep#") else None
    if by == "layer" and category == "python_function":
        return name[len("nn.Module: "):] if name.startswith("nn.Module: ") else None
    if by == "layer":
        is_step = re.fullmatch(r"ProfilerStep#\d+|step_\d+", name)
        return name if category in RANGES and not is_step else None
    is_frame = category == "python_function" and re.match(r"[^(]+\(\d+\):", name)
    return name if is_frame else None


def is_of_library(line):
    return line.startswith(("torch/", "<frozen "))


def group_of(names, by):
    """The group of what lies in all of |names|, the outermost first."""
    if by != "line":
        return tuple(names)
    own = [name for name in names if not is_of_library(name)]
    found = own or names
    return tuple(found[-1:])


def read_threads(events):
    threads = defaultdict(list)
    for index, event in enumerate(events):
        if event.get("ph") == "X" and event.get("cat") in HOSTS | RANGES:
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event.get("dur", 0))
            threads[event["pid"], event["tid"]].append((start, -end, index, event))
    return threads


def sequence_of(event):
    """The number of an operator, and whether it is of a backward pass."""
    args = event.get("args") or {}
    if "Sequence number" not in args or "Fwd thread id" not in args:
        return None, False
    return args["Sequence number"], args["Fwd thread id"] > 0


def forwards_of(events, groups):
    """The groups of the forward operator that each number was given to: the last to start."""
    found, threads = {}, defaultdict(set)
    for index in sorted(groups, key=lambda index: nanoseconds(events[index]["ts"])):
        number, is_backward = sequence_of(events[index])
        if number is not None and not is_backward:
            found[number] = groups[index]
            threads[number].add(events[index]["tid"])
    return {number: mine for number, mine in found.items() if len(threads[number]) == 1}


def walk_thread(spans, by, groups, host, forwards):
    """Notes the groups of every span, and gives each moment to one of them."""
    spans.sort(key=lambda span: span[:3])
    times = sorted({time for start, end, _, _ in spans for time in (start, -end)})
    still_open, at = [], 0
    backward = set()
    for now, then in zip(times, times[1:] + times[-1:]):
        still_open = [span for span in still_open if -span[1] > now]
        while at < len(spans) and spans[at][0] == now:
            around = [span for span in still_open
                      if name_in(span[3], by) or span[2] in backward]
            mine = name_in(spans[at][3], by)
            groups[spans[at][2]] = ((groups[around[-1][2]] if around else []) +
                                    ([mine] if mine else []))
            number, is_backward = sequence_of(spans[at][3])
            if is_backward and not around and by in ("layer", "line") and forwards.get(number):
                groups[spans[at][2]] = forwards[number]
                backward.add(spans[at][2])
            if -spans[at][1] > now:
                still_open.append(spans[at])
            at += 1
        # What a thread does in a range that marks a layer, and in no other span, is its own time.
        busy = [span for span in still_open
                if span[3]["cat"] in HOSTS or name_in(span[3], "layer")]
        if busy:
            host[group_of(groups[busy[-1][2]], by)] += then - now


def steps_of(events):
    marks = [e for e in events if e.get("ph") == "X" and "cat" in e]
    steps = [e for e in marks if name_in(e, "step")] or [
        e for e in marks if e["cat"] == "user_annotation" and re.fullmatch(r"step_\d+", e["name"])]
    return sorted((nanoseconds(e["ts"]), nanoseconds(e["ts"]) + nanoseconds(e.get("dur", 0)),
                   e["name"]) for e in steps)


def work_out(events, by):
    groups, host, device = {}, defaultdict(int), defaultdict(int)
    threads = read_threads(events).values()
    is_autograd = lambda spans: any(sequence_of(span[3])[1] for span in spans)  # noqa: E731
    for spans in (spans for spans in threads if not is_autograd(spans)):
        walk_thread(spans, by, groups, host, {})
    forwards = forwards_of(events, groups)
    for spans in (spans for spans in threads if is_autograd(spans)):
        walk_thread(spans, by, groups, host, forwards)
    calls, operators = {}, {}
    for index in groups:
        args = events[index].get("args") or {}
        if args.get("correlation") and events[index]["cat"] not in ("cpu_op", "python_function"):
            calls[args["correlation"]] = index
        number = args.get("External id", args.get("external id"))
        if number and events[index]["cat"] in ("cpu_op", "Operator"):
            operators[number] = index
    steps = steps_of(events)
    windows = windows_of(events, steps) if by == "step" else []
    for event in events:
        if event.get("ph") != "X" or "cat" not in event or not is_work(event):
            continue
        args = event.get("args") or {}
        call = calls.get(args.get("correlation"))
        if call is None and not args.get("correlation"):
            call = operators.get(args.get("External id", args.get("external id")))
        if by == "kernel":
            found = (event["name"],)
        elif by == "step":
            at = nanoseconds((events[call] if call is not None else event)["ts"])
            found = tuple(name for low, high, name in (windows if call is None else steps)
                          if low <= at < high)[-1:]
        else:
            found = group_of(groups[call], by) if call is not None else ()
        device[found] += nanoseconds(event.get("dur", 0))
    return host, device


def said_by_tacho(tacho, path, by):
    run = subprocess.run([tacho, "ops", path, "--by", by, "--top", "0", "--format", "json"],
                         check=False, capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{path}: {run.stderr}")
    return [row for row in map(json.loads, run.stdout.splitlines()) if row["table"] == "groups"]


def by_name(times, by, depth=0):
    out = defaultdict(int)
    for group, time in times.items():
        cut = group[:depth] if depth else group
        name = "/".join(cut) if by == "layer" else cut[-1] if cut else ""
        out[name or NONE.get(by, "")] += time
    return out


def inclusive(times):
    out = defaultdict(int)
    for group, time in times.items():
        for depth in range(1, len(group) + 1):
            out["/".join(group[:depth])] += time
    return out


def check_side(path, by, side, expected, rows):
    column = {"layer": "layer", "op": "operator", "line": "line", "kernel": "kernel",
              "step": "step"}[by.split(":")[0]]
    said = {row[column]: row[f"{side}_self_ns"] or 0 for row in rows}
    for name in sorted(set(expected) | set(said)):
        if expected.get(name, 0) != said.get(name, 0):
            sys.exit(f"{path}: --by {by}, {side} time of '{name}': expected "
                     f"{expected.get(name, 0)}, said {said.get(name, 0)}")


def compare(tacho, path, events):
    host_total = device_total = None
    for by in ("layer", "layer:1", "layer:2", "op", "line", "kernel", "step"):
        key, _, depth = by.partition(":")
        if by == "step" and not steps_of(events):
            continue  # ranges may be steps then
        host, device = work_out(events, key)
        rows = said_by_tacho(tacho, path, by)
        check_side(path, by, "device", by_name(device, key, int(depth or 0)), rows)
        if key in ("layer", "op", "line"):
            check_side(path, by, "host", by_name(host, key, int(depth or 0)), rows)
            totals = [sum(row[f"{side}_self_ns"] or 0 for row in rows)
                      for side in ("host", "device")]
            host_total, device_total = host_total or totals[0], device_total or totals[1]
            assert totals == [host_total, device_total], f"{path}: --by {by} sums to {totals}"
        if by == "layer":
            for side, times in (("host", inclusive(host)), ("device", inclusive(device))):
                for row in rows:
                    said = row[f"{side}_total_ns"] or 0
                    if row["depth"] and said != times[row["layer"]]:
                        sys.exit(f"{path}: {side} total of '{row['layer']}': expected "
                                 f"{times[row['layer']]}, said {said}")
    return host_total, device_total


# ---- composed traces ---------------------------------------------------------------------------

class Composer:
    """A thread of modules, frames, annotations and operators that lie in one another, whose calls
    launch work on streams: by correlation, by the number of the operator, or by nothing."""

    def __init__(self, chance):
        self.chance = chance
        self.events = []
        self.number = 0
        self.now = 1000
        self.streams = defaultdict(lambda: 2000)
        self.joins = chance.choice(["correlation", "External id", "nothing", "some"])
        self.counts = defaultdict(int)  # forward operators, of each thread or of all
        self.counts_apart = chance.random() < 0.3

    def add(self, **event):
        self.events.append(event)

    def launch(self, thread, operator):
        self.number += 1
        start = self.now
        self.now += self.chance.randint(1, 400)
        join = self.joins if self.joins != "some" else self.chance.choice(
            ["correlation", "nothing"])
        args = {"correlation": self.number} if join == "correlation" else {}
        self.add(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=thread,
                 ts=start / 1000, dur=(self.now - start) / 1000, args=args)
        stream = self.chance.randint(7, 9)
        at = max(self.streams[stream], start + self.chance.choice([-500, 1, 300, 5000]))
        duration = self.chance.randint(0, 3000)
        self.streams[stream] = at + duration + 1
        args = dict(args)
        if join == "External id":
            args["External id"] = operator
        self.add(ph="X", cat="kernel", name=f"gemm{self.chance.randint(0, 3)}", pid=0, tid=stream,
                 ts=at / 1000, dur=duration / 1000, args=args)

    def number_forward(self, thread):
        """Some operators are given a number, others have that of the next one."""
        who = thread if self.counts_apart else 0
        number = self.counts[who]
        self.counts[who] += self.chance.choice([0, 1, 1])
        return {"Sequence number": number, "Fwd thread id": 0} if self.chance.random() < 0.9 else {}

    def backward(self, thread):
        """Operators of the backward pass, by the numbers of those of the forward pass."""
        for number in range(max(self.counts.values(), default=0), -1, -1):
            start = self.now
            self.now += 3
            self.number += 1
            operator = self.number
            self.launch(thread, operator)
            self.now += self.chance.randint(1, 90)
            self.add(ph="X", cat="cpu_op", name="aten::mm", pid=1, tid=thread,
                     ts=(start + 1) / 1000, dur=(self.now - start - 2) / 1000,
                     args={"External id": operator})
            self.add(ph="X", cat="cpu_op", name="autograd::engine::evaluate_function: Mul", pid=1,
                     tid=thread, ts=start / 1000, dur=(self.now - start) / 1000,
                     args={"Sequence number": number, "Fwd thread id": 1})
            self.now += self.chance.randint(1, 50)

    def inside(self, thread, depth, operator):
        for _ in range(self.chance.randint(0, 3)):
            self.now += self.chance.randint(1, 200)
            if operator and self.chance.random() < 0.6:
                self.launch(thread, operator)
            else:
                self.span(thread, depth + 1, operator)
        self.now += self.chance.randint(1, 200)

    def span(self, thread, depth, operator):
        kinds = [("python_function", f"nn.Module: Linear_{self.chance.randint(0, 3)}"),
                 ("python_function", f"torch/nn/linear.py({self.chance.randint(1, 3)}): forward"),
                 ("python_function", f"model.py({self.chance.randint(1, 5)}): forward"),
                 ("python_function", "<built-in method linear>"),
                 ("user_annotation", f"block {self.chance.randint(0, 2)}"),
                 ("cpu_op", f"aten::op{self.chance.randint(0, 4)}")]
        category, name = self.chance.choice(kinds)
        start = self.now
        self.now += self.chance.randint(1, 50)
        args = {}
        if category == "cpu_op":
            self.number += 1
            operator = self.number
            args = {"External id": operator}
            args.update(self.number_forward(thread))
        if depth < 8:
            self.inside(thread, depth, operator)
        self.now += 1
        self.add(ph="X", cat=category, name=name, pid=1, tid=thread, ts=start / 1000,
                 dur=(self.now - start) / 1000, args=args)


def compose(chance):
    composer = Composer(chance)
    end = 0
    for thread in range(1, chance.randint(2, 4)):
        composer.now = 1000 + thread
        for step in range(chance.randint(1, 4)):
            start = composer.now
            composer.now += 1  # of two threads at one time, either may come first
            for _ in range(chance.randint(1, 5)):
                composer.span(thread, 0, None)
            if thread == 1 and chance.random() < 0.9:
                composer.add(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1,
                             tid=9, ts=start / 1000, dur=(composer.now - start) / 1000)
            composer.now += 5
        end = max(end, composer.now)
    composer.now = end + 1000
    if chance.random() < 0.7:
        composer.backward(77)
    return composer.events


def main():
    tacho, scratch, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(scratch, exist_ok=True)
    if not files:
        seed = int(os.environ.get("SEED", "25"))
        for turn in range(40):
            events = compose(random.Random(seed * 1000 + turn))
            random.Random(turn).shuffle(events)
            path = os.path.join(scratch, "composed.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump({"traceEvents": events}, out)
            compare(tacho, path, events)
        print(f"40 composed traces agree (seed {seed})")
        return
    present = [path for path in files if os.path.exists(path)]
    if not present:
        print("no traces at hand")
        sys.exit(77)
    for path in present:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            trace = json.load(file, parse_float=str)
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        host, device = compare(tacho, path, events)
        print(f"{os.path.basename(path)}: host {host} ns, device {device} ns in groups")


if __name__ == "__main__":
    main()
