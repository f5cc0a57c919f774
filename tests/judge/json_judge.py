#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges Chrome Trace Event JSON as trace_processor reads it: what it would drop, move to another
row or draw from the wrong slice is a named problem."""
import argparse
import collections
import decimal
import functools
import gzip
import json
import sys

LARGEST_ID = 1 << 53    # above it JavaScript viewers join ids
INTEGERS = range(-1 << 63, 1 << 63)     # others trace_processor shows as another number
KNOWN = set("XBEiICsftMbnec")


def nanoseconds(value):
    return int(decimal.Decimal(str(value)) * 1000)


def integers(value):
    """Every integer of a JSON value, however deep."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, int):
            yield value
        elif isinstance(value, (list, dict)):
            waiting += value.values() if isinstance(value, dict) else value


class Unshown(Exception):
    """trace_processor cannot put an argument in its place: nothing of the slice can be shown."""


@functools.lru_cache(maxsize=None)
def steps(key):
    """The way to an argument: names between points, indices in brackets."""
    way = []
    for part in filter(None, key.split(".")):
        name, *rest = part.split("[")
        way.append(name)
        for index in rest:
            digits, closed, _ = index.partition("]")
            if not closed or not digits.isdigit():
                raise Unshown(key)
            way.append(int(digits))
    return way


def leaves(value, way=()):
    """(way, value) of what is no container, as trace_processor inserts it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*way, *steps(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*way, index))
    elif value is not None:
        yield way, value


def is_flat(args):
    """Whether no argument is inside another: each then has a place of its own."""
    return all(len(steps(key)) == 1 and not isinstance(value, (dict, list)) for key, value in args.items())


def check_arguments(args):
    if not args or isinstance(args, dict) and is_flat(args):
        return
    tree = {}
    for way, _ in leaves(args):
        if not way:
            raise Unshown("an argument without a name")
        place = tree
        for at, step in enumerate(way):
            # All keys of a place are of one kind, so the first of them stands for the others.
            if place is None or place and isinstance(next(iter(place)), int) != isinstance(step, int):
                raise Unshown(way)
            if at + 1 == len(way):
                place[step] = None
            else:
                place = place.setdefault(step, {})


class JsonJudge:
    def __init__(self, text):
        self.problems, self.first = collections.Counter(), {}
        self.flows = []     # (id, source, sink) as "name@ns"
        trace = json.loads(text, parse_constant=self.constant, parse_float=self.real)
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

    def real(self, text):
        """trace_processor reads 20 decimals and more as another number, unless there is an exponent."""
        if len(text.partition(".")[2]) > 19 and "e" not in text.lower():
            self.problem("misread_decimals", text)
        return decimal.Decimal(text)

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
        if any(number not in INTEGERS for number in integers(event.get("args"))):
            self.problem("large_integer", event)
        try:
            check_arguments(event.get("args") if phase in "XBEiI" else {})
        except Unshown as name:
            self.problem("unshown_argument", f"{name}: {event}")
        thread = event.get("pid"), event.get("tid")
        if phase == "M":
            if event["name"].endswith("_name") and (thread, event["name"]) in self.named:
                self.problem("named_twice", event)
            return self.named.add((thread, event["name"]))
        if event.get("ts", -1) < 0 or event.get("dur", 0) < 0:
            return self.problem("bad_time", event)
        if phase in "XB":
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event["dur"]) if phase == "X" else None
            self.slices[thread].append([start, end, place, event])
        elif phase == "E":
            self.end(thread, event)
        elif phase == "C" and not all(isinstance(value, (int, decimal.Decimal)) for value in event["args"].values()):
            self.problem("counter_without_value", event)
        elif phase in "stf" and not 0 <= event["id"] < LARGEST_ID:
            self.problem("large_flow_id", event)
        return None

    def end(self, thread, event):
        """Closes the begin of |thread| that stands last ahead of it in the file."""
        begun = [item for item in self.slices[thread] if item[1] is None]
        if not begun or begun[-1][0] >= nanoseconds(event["ts"]):
            return self.problem("end_without_begin", event)     # at its own begin it would come first
        begun[-1][1] = nanoseconds(event["ts"])
        return None

    def nest(self, thread, items):
        """Slices of one thread lie in one another, or trace_processor moves them to another row."""
        for item in items:
            if item[1] is None:
                self.problem("begin_without_end", item[3])
                item[1] = item[0]
        items.sort(key=lambda item: (item[0], -item[1], item[2]))
        ends = []
        for start, end, _, event in items:
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and end > ends[-1]:
                self.problem("overlapping_slices", f"{thread}: {event}")
            ends.append(end)

    def bind(self):
        """The slice that each arrow's end is bound to, by its place: the one begun last on its thread.
        Of events of one time ends come first, then complete ones, the longest ahead, then all others and
        those without length in the order of the file."""
        order = []
        for thread, items in self.slices.items():
            order += [(start, end - start if event["ph"] == "X" else 0, place, thread, (start, end, place, event))
                      for start, end, place, event in items]
        for place, event in enumerate(self.events):
            if event.get("ph") in ("s", "t", "f", "i", "I"):
                time, thread = nanoseconds(event["ts"]), (event.get("pid"), event.get("tid"))
                order.append((time, 0, place, thread, (time, time, place, event)))
        order.sort(key=lambda item: (item[0], -item[1], item[2]))
        stacks, bound = collections.defaultdict(list), {}
        for time, _, place, thread, item in order:
            stack = stacks[thread]
            while stack and stack[-1][1] < time:
                stack.pop()
            if item[3]["ph"] in ("s", "t", "f"):
                # Older viewers take the order of the file alone: the slice has to stand ahead.
                bound[place] = stack[-1] if stack and stack[-1][2] < place else None
                continue
            while stack and stack[-1][1] <= time:
                stack.pop()
            stack.append(item)
        return bound

    def connect(self):
        ends, bound = collections.defaultdict(list), self.bind()
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
            numbers = set()     # of PyTorch's launches and what they launched
            for event in events:
                if event["ph"] != "f" or event.get("bp") == "e":
                    found = bound[event["place"]]
                    self.check_end(event, found)
                    numbers.add(found[3].get("args", {}).get("correlation") if found else None)
            if len(numbers - {None}) > 1:
                self.problem("flow_joins_other_correlations", f"{sorted(numbers - {None})}: {events[0]}")

    def check_end(self, event, found):
        """An arrow that says which slice it is of is drawn from or to that one."""
        args = event.get("args", {})
        if found is None:
            return self.problem("flow_without_slice", event)
        wanted, number = args.get("span", ""), found[3].get("args", {}).get("oc")
        if (wanted and wanted != found[3]["name"] or "oc" in args and number not in (None, args["oc"]) or
                args.get("span_ticks") == 0 and found[0] != found[1]):
            self.problem("flow_on_another_slice", f"{found[3]['name']} for {event}")
        return None


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
