#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges Chrome Trace Event JSON as trace_processor reads it: what it would drop, move to another
row or draw from the wrong slice is a named problem."""
import argparse
import bisect
import collections
import decimal
import gzip
import json
import sys

LARGEST_ID = 1 << 53    # above it JavaScript viewers join ids
KNOWN = set("XBEiICsftMbnec")


def nanoseconds(value):
    return int(decimal.Decimal(str(value)) * 1000)


class JsonJudge:
    def __init__(self, text):
        self.problems, self.first = collections.Counter(), {}
        self.flows = []     # (id, source, sink) as "name@ns"
        trace = json.loads(text, parse_constant=self.constant, parse_float=decimal.Decimal)
        self.events = trace["traceEvents"] if isinstance(trace, dict) else trace
        self.slices = collections.defaultdict(list)     # by thread: [start, end, place, event]
        self.named = set()
        for place, event in enumerate(self.events):
            self.read(place, event)
        for thread, items in self.slices.items():
            self.nest(thread, items)
        self.connect()

    def constant(self, word):
        self.problem("not_a_number", word)
        return 0

    def problem(self, name, detail):
        self.problems[name] += 1
        self.first.setdefault(name, str(detail)[:200])

    def read(self, place, event):
        phase = event.get("ph")
        if phase not in KNOWN:
            return self.problem("unknown_phase", event)
        for key in ("pid", "tid"):
            number = event.get(key)
            if not isinstance(number, int) or not 0 <= number < 1 << 32:
                self.problem(f"bad_{key}", event)
        if event.get("tid") == 0 != event.get("pid"):   # read as the thread with the process's number
            self.problem("bad_tid", event)
        thread = event.get("pid"), event.get("tid")
        if phase == "M":
            if event["name"].endswith("_name") and (thread, event["name"]) in self.named:
                self.problem("named_twice", event)
            return self.named.add((thread, event["name"]))
        if event.get("ts", -1) < 0 or event.get("dur", 0) < 0:
            return self.problem("bad_time", event)
        if phase == "X":
            start = nanoseconds(event["ts"])
            self.slices[thread].append([start, start + nanoseconds(event["dur"]), place, event])
        elif phase == "C" and not all(isinstance(value, (int, decimal.Decimal)) for value in event["args"].values()):
            self.problem("counter_without_value", event)
        elif phase in "stf" and not 0 <= event["id"] < LARGEST_ID:
            self.problem("large_flow_id", event)
        return None

    def nest(self, thread, items):
        """Slices of one thread lie in one another, or trace_processor moves them to another row."""
        items.sort(key=lambda item: (item[0], -item[1], item[2]))
        ends = []
        for start, end, _, event in items:
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and end > ends[-1]:
                self.problem("overlapping_slices", f"{thread}: {event}")
            ends.append(end)

    def slice_at(self, event):
        """The slice that an arrow is bound to: of those around its time the one begun last, which of
        several that begin together is the last ahead of it in the file."""
        items, time = self.slices[(event["pid"], event["tid"])], nanoseconds(event["ts"])
        place = event["place"]
        at = bisect.bisect_right(items, time, key=lambda item: item[0])
        best = None
        for item in reversed(items[:at]):
            if item[1] >= time and (item[0] < time or item[2] < place):
                if best is None or item[0] == best[0] and item[2] > best[2]:
                    best = item
                elif item[0] < best[0]:
                    break
        return best

    def connect(self):
        ends = collections.defaultdict(list)
        for place, event in enumerate(self.events):
            if event.get("ph") in ("s", "t", "f"):
                ends[event["id"]].append(dict(event, place=place))
        for flow, events in ends.items():
            events.sort(key=lambda event: (nanoseconds(event["ts"]), event["place"]))
            begins = sum(event["ph"] == "s" for event in events)
            if events[0]["ph"] != "s" and begins > 0:     # inputs have ends without any beginning
                self.problem("flow_ends_before_it_begins", events[0])
            if begins > 1:
                self.problem("flow_begins_twice", events[0])
            for event in events:
                if event["ph"] != "f" or event.get("bp") == "e":
                    self.check_end(event, self.slice_at(event))

    def check_end(self, event, found):
        """An arrow that says which slice it is of is drawn from or to that one."""
        wanted = event.get("args", {}).get("span", "")
        if found is None:
            self.problem("flow_without_slice", event)
        elif wanted and wanted != found[3]["name"]:
            self.problem("flow_on_another_slice", f"{found[3]['name']} for {event}")


def main(argv=None):
    parser = argparse.ArgumentParser(description="Read Chrome JSON by trace_processor's rules.")
    parser.add_argument("file")
    options = parser.parse_args(argv)
    opener = gzip.open if options.file.endswith(".gz") else open
    with opener(options.file, "rt", encoding="utf-8") as file:
        judge = JsonJudge(file.read())
    for name, count in sorted(judge.problems.items()):
        print(f"{name}: {count} (first: {judge.first[name]})", file=sys.stderr)
    return 1 if judge.problems else 0


if __name__ == "__main__":
    sys.exit(main())
