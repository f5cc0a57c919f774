#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Works out critical paths of PyTorch traces from their events alone, and compares their lengths,
and what would be gained if an operation took no time, with what tacho breakdown --critical-path
says, to the nanosecond.

    check_path.py TACHO SCRATCH [FILE...]

Without files: traces of composed programs. The graph has a vertex for each start and each end;
longest paths come from repeated relaxation in topological order, found by counting edges."""
import gzip
import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal

from check_breakdown import is_work, launches_of, nanoseconds


def pieces_of(spans):
    """A thread cut where its innermost span changes: [start, end, name, waits]."""
    cuts = sorted({time for span in spans for time in span[:2]})
    spans = sorted(spans, key=lambda span: (span[0], -span[1]))
    out, at, running = [], 0, []
    for start, end in zip(cuts, cuts[1:] + [cuts[-1]]):
        while at < len(spans) and spans[at][0] <= start:
            running.append(spans[at])
            at += 1
        running = [span for span in running if span[1] > start]
        name = running[-1][2] if running else ""
        out.append([start, end, name, "Synchronize" in name])
    return out


def last_ended(works, stream, time):
    """The latest of a stream, by start, that has ended by |time|."""
    for index in reversed(stream):
        if works[index][0] <= time and works[index][1] <= time:
            return index
    return None


class Graph:
    def __init__(self, events):
        self.edges = defaultdict(list)  # vertex -> [(from, weight)]
        self.lengths = {}  # node -> (length, name, is_work)
        self.begins = {}  # vertex -> time
        works, streams, threads = {}, defaultdict(list), defaultdict(list)
        launches = launches_of(events)
        busy = {(e["pid"], e["tid"]) for e in events if is_work(e)}
        callers = defaultdict(set)
        for index, event in enumerate(events):
            if event.get("ph") != "X":
                continue
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event.get("dur", 0))
            where = event["pid"], event["tid"]
            if is_work(event):
                works[index] = (start, end, event["name"], where)
                streams[where].append(index)
            elif where not in busy and end > start:
                threads[where].append((start, end, event["name"]))
                callers[start].add(where)
        for stream in streams.values():
            stream.sort(key=lambda index: works[index][0])
        self.works = works
        threads = {where: pieces_of(spans) for where, spans in threads.items()}
        self.add_threads(threads, works, streams)
        self.add_works(works, streams, launches, threads, callers)

    def node(self, node, start, end, name, of_device):
        self.lengths[node] = (end - start, name, of_device)

    def add_threads(self, threads, works, streams):
        for where, pieces in threads.items():
            waited = None
            for k, (start, end, name, waits) in enumerate(pieces):
                node = ("host", where, k)
                before = ("host", where, k - 1)
                if waited is not None:
                    self.edges["start", node].append((("end", ("work", waited)),
                                                      start - works[waited][1]))
                    self.edges["start", node].append((("end", before), 0))
                elif k > 0:
                    self.edges["start", node].append((("end", before), 0))
                else:
                    self.begins["start", node] = start
                waited = None
                if waits:
                    ended = [last_ended(works, stream, end) for stream in streams.values()]
                    ended = [i for i in ended if i is not None and works[i][1] > start]
                    waited = max(ended, key=lambda i: works[i][1], default=None)
                self.node(node, start, start if waited is not None else end, name, False)

    def add_works(self, works, streams, launches, threads, callers):
        calls = {}
        for index, (start, _, _, _) in works.items():
            if index in launches and launches[index][0] < start:
                called = launches[index][0]
                where = sorted(callers[called], key=str)[0]
                starts = [piece[0] for piece in threads[where]]
                calls[index] = (called, ("host", where, starts.index(called)))
        least = min((works[i][0] - call[0] for i, call in calls.items()), default=0)
        for index, (start, end, name, where) in works.items():
            node = ("work", index)
            self.node(node, start, end, name, True)
            own = [i for i in streams[where] if i != index]
            before = last_ended(works, own, start)
            others = [last_ended(works, stream, start) for at, stream in streams.items()
                      if at != where and at[0] == where[0]]
            other = max((i for i in others if i is not None), key=lambda i: works[i][1],
                        default=None)
            self.join(node, start, works, (before, calls.get(index), other, least))

    def join(self, node, start, works, edges):
        before, call, other, least = edges
        into = self.edges["start", node]
        free = works[before][1] if before is not None else None
        reason, limit = None, None
        if call and (free is None or call[0] >= free):
            reason, limit = "call", call[0] + least
        elif before is not None:
            reason, limit = "before", free
        if other is not None and (limit is None or works[other][1] > limit):
            reason = "other"
        if reason is None:
            self.begins["start", node] = start
        if before is not None:
            into.append((("end", ("work", before)), start - free if reason == "before" else 0))
        if call:
            into.append((("start", call[1]), start - call[0] if reason == "call" else least))
        if other is not None:
            weight = start - works[other][1] if reason == "other" else 0
            into.append((("end", ("work", other)), weight))

    def solve(self, name=None, of_device=None):
        """When the last work ends if what has this name takes no time."""
        edges = {vertex: list(into) for vertex, into in self.edges.items()}
        for node, (length, own, device) in self.lengths.items():
            is_free = (own, device) == (name, of_device)
            edges.setdefault(("end", node), []).append((("start", node), 0 if is_free else length))
            edges.setdefault(("start", node), [])
        out, missing = defaultdict(list), {}
        for vertex, into in edges.items():
            missing[vertex] = len(into)
            for source, weight in into:
                out[source].append((vertex, weight))
        times = dict(self.begins)
        ready = [vertex for vertex, count in missing.items() if count == 0]
        seen = 0
        while ready:
            vertex = ready.pop()
            seen += 1
            for target, weight in out[vertex]:
                times[target] = max(times.get(target, -1 << 62), times[vertex] + weight)
                missing[target] -= 1
                if missing[target] == 0:
                    ready.append(target)
        assert seen == len(edges), "a cycle"
        return max(times["end", node] for node in self.lengths if node[0] == "work")


def compare(tacho, path, events):
    run = subprocess.run([tacho, "breakdown", path, "--critical-path", "--top", "12", "--format",
                          "json"], check=False, capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{path}: {run.stderr}")
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    kinds = {row["what"]: row["time_ns"] for row in rows if row["table"] == "critical_path"}
    graph = Graph(events)
    end = graph.solve()
    if not graph.works:
        assert not kinds, path
        return 0
    observed = max(work[1] for work in graph.works.values())
    assert end == observed, f"{path}: the graph ends at {end}, the last work at {observed}"
    whole = kinds.pop("all of it")
    assert whole == sum(kinds.values()), f"{path}: {whole} is not the sum of {kinds}"
    operators = [row for row in rows if row["table"] == "path_operators"]
    for row in operators:
        if row["gain_ns"] is None:
            continue
        gain = end - graph.solve(row["operation"], row["what"] == "device")
        if gain != row["gain_ns"]:
            sys.exit(f"{path}: {row['operation']}: expected {gain}, said {row['gain_ns']}")
        assert 0 <= gain <= whole
    return len(operators)


# ---- composed programs -------------------------------------------------------------------------

def compose(chance):
    """Threads that run operators, launch work on streams and wait for it at times; streams do
    their work in order, and some of it waits for another stream."""
    events, number = [], 0
    free = defaultdict(int)
    ends = []
    for thread in range(chance.randint(1, 2)):
        now = chance.randint(1, 5000)
        host = {"pid": 900, "tid": 900 + thread}
        for _ in range(chance.randint(5, 40)):
            begun = now
            now += chance.randint(100, 3000)
            for _ in range(chance.randint(0, 3)):
                number += 1
                call, now = now, now + chance.randint(500, 4000)
                stream = chance.randint(7, 9)
                start = max(call + chance.randint(900, 5000),
                            free[stream] + chance.choice([0, 0, chance.randint(1, 900)]))
                if chance.random() < 0.2 and ends:
                    start = max(start, max(ends) + chance.randint(0, 50))
                end = start + chance.randint(1, 9000)
                free[stream] = end
                ends.append(end)
                args = {"correlation": number}
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
                               "ts": call / 1000, "dur": (now - call) / 1000, "args": args, **host})
                events.append({"ph": "X", "cat": "kernel", "name": f"k{chance.randint(0, 5)}",
                               "pid": 0, "tid": stream, "ts": start / 1000,
                               "dur": (end - start) / 1000, "args": args})
                now += chance.randint(10, 900)
            if chance.random() < 0.3 and ends:
                until = max([now] + ends) + chance.randint(10, 400)
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize",
                               "ts": now / 1000, "dur": (until - now) / 1000, **host})
                now = until + chance.randint(1, 50)
            events.append({"ph": "X", "cat": "cpu_op", "name": f"op{chance.randint(0, 4)}",
                           "ts": begun / 1000, "dur": (now - begun) / 1000, **host})
            now += chance.choice([0, chance.randint(1, 2000)])
    return events


def main():
    tacho, scratch, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(scratch, exist_ok=True)
    if not files:
        seed = int(os.environ.get("SEED", "25"))
        count = 0
        for turn in range(60):
            events = compose(random.Random(seed * 1000 + turn))
            path = os.path.join(scratch, "path.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump({"traceEvents": events}, out)
            count += compare(tacho, path, events)
        print(f"60 composed programs, {count} gains agree (seed {seed})")
        return
    present = [path for path in files if os.path.exists(path)]
    if not present:
        print("none of the traces is here: skipped")
        sys.exit(77)
    for path in present:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            trace = json.load(file, parse_float=Decimal)
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        print(f"{os.path.basename(path)}: {compare(tacho, path, events)} gains agree")


if __name__ == "__main__":
    main()
