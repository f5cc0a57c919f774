# SPDX-License-Identifier: Apache-2.0
"""What Chrome JSON of other tools contains, by docs/chrome.md: slices of threads, their arguments and arrows.
Shares no code with tacho. Asynchronous events are only counted."""
import bisect
import collections
import decimal
import gzip
import json
import re
import subprocess

NS = decimal.Decimal(1000)
TIME_LIMIT = (1 << 63) - 1


class Slice:
    __slots__ = ("name", "start", "end", "thread", "args", "parent", "place")

    def __init__(self, name, start, end, thread, args, place):
        self.name, self.start, self.end, self.thread, self.place = name, start, end, thread, place
        self.args, self.parent = args, None

    def key(self):
        return self.name, self.start, self.end - self.start


def read_bytes(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout
    return data


def events_of(path):
    """The events of a file; None where it is not Chrome JSON, or needs a more patient reader."""
    text = read_bytes(path).decode(errors="replace")
    text = text.rstrip().rstrip(",")
    for end in ("", "]", "]}"):
        try:
            found = json.loads(text + end, parse_float=decimal.Decimal, strict=False)
        except ValueError:
            continue
        found = found.get("traceEvents") if isinstance(found, dict) else found
        return [event for event in found if isinstance(event, dict)] if isinstance(found, list) else None
    return None


def nanoseconds(value):
    """Microseconds, half to even."""
    try:
        return int((decimal.Decimal(str(value)) * NS).to_integral_value(decimal.ROUND_HALF_EVEN))
    except (decimal.InvalidOperation, ValueError):
        return None


def number(value):
    """Ids, processes and threads: 7, 7.0, "7" and "0x7" are one."""
    text = str(value)
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
        return int(text, 16)
    try:
        found = decimal.Decimal(text)
        return int(found) if found == found.to_integral_value() else text
    except decimal.InvalidOperation:
        return text


def leaves(value, way=""):
    """(key, value) of what is not a container."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{way}.{key}" if way else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{way}[{index}]")
    elif value is not None:
        yield way, value


class Expected:
    def __init__(self, events):
        self.threads = collections.defaultdict(list)
        self.asynchronous = self.unsure = 0
        self.ends, self.last = [], {}  # ends of arrows, in the order of the file
        self.latest = 0
        pairs = collections.defaultdict(list)
        for place, event in enumerate(events):
            self.take(place, event, pairs)
        for thread, steps in pairs.items():
            self.pair(thread, steps)
        self.overlapping = {thread for thread, items in self.threads.items() if self.nest(items)}
        self.slices = [item for items in self.threads.values() for item in items]
        self.shift = -min((item.start for item in self.slices), default=0)

    def take(self, place, event, pairs):
        phase = event.get("ph")
        time = nanoseconds(event["ts"]) if "ts" in event else None
        if phase not in tuple("XBEiIRstfbneSTpF") or time is None or not 0 <= time < TIME_LIMIT:
            return
        process = number(event.get("pid", 0))
        thread = process, number(event.get("tid", process))
        name, args = str(event.get("name", "")), event.get("args")
        args = args if isinstance(args, dict) else {}
        length = nanoseconds(event["dur"]) if "dur" in event else None
        if phase in "bneSTpF":
            self.asynchronous += 1
        elif phase in "BE":
            pairs[thread].append((time, place, phase, name, args))
        elif phase in "stf":
            if any(key in event for key in ("id", "id2")):
                self.ends.append((phase, time, thread, event, self.last.get(thread)))
        elif phase == "X" and (length is None or length < 0):
            self.unsure += 1
        else:
            end = time + length if phase == "X" else time
            self.latest = max(self.latest, end)
            item = Slice(name, time, end, thread, args, place)
            self.threads[thread].append(item)
            if phase == "X":
                self.last[thread] = item
            ways = event.get("flow_in"), event.get("flow_out")
            if "bind_id" in event and any(ways):
                self.ends.append(("t" if all(ways) else "f" if ways[0] else "s", time, thread, event, item))

    def pair(self, thread, steps):
        """Begins and ends by time, at equal times by place."""
        steps.sort(key=lambda step: step[:2])
        open_ones = []
        for time, place, phase, name, args in steps:
            if phase == "B":
                open_ones.append(Slice(name, time, None, thread, dict(args), place))
                continue
            fitting = [item for item in open_ones if not name or item.name == name]
            if fitting:
                item = fitting[-1]
                open_ones.remove(item)
                item.end = time
                item.args.update(args)
                self.threads[thread].append(item)
        self.unsure += len(open_ones)

    @staticmethod
    def nest(items):
        """Links each slice to the one around it; whether any overlap."""
        items.sort(key=lambda item: (item.start, -item.end, item.place))
        stack, overlaps = [], False
        for item in items:
            while stack and stack[-1].end <= item.start and stack[-1].end < item.end:
                stack.pop()
            overlaps = overlaps or bool(stack) and item.end > stack[-1].end
            item.parent = stack[-1] if stack else None
            stack.append(item)
        return overlaps

    # ---- arrows ----

    def bind(self, phase, time, thread, event, last):
        """The slice that the end of an arrow belongs to."""
        if "bind_id" in event:
            return last
        items = self.threads.get(thread, [])
        starts = [item.start for item in items] if thread not in self.starts else self.starts[thread]
        self.starts[thread] = starts
        if phase == "f" and event.get("bp") != "e":
            at = bisect.bisect_left(starts, time)
            return items[at] if at < len(items) else None
        if last is not None and last.start == time:
            return last
        at = bisect.bisect_right(starts, time) - 1
        low = bisect.bisect_left(starts, time)
        beginning = items[low:at + 1]
        if beginning:
            longer = [item for item in beginning if item.end > time]
            return (longer or beginning)[-1]
        item = items[at] if at >= 0 else None
        while item is not None and item.end < time:
            item = item.parent
        self.is_loose = self.is_loose or thread in self.overlapping
        return item

    def arrows(self):
        """Counts of (slice, slice), and how many more there are from or to the middle of a slice where slices of a
        thread overlap: any of them may be meant."""
        self.starts = {}
        chains, pending, found = {}, collections.defaultdict(list), []
        for end in self.ends:
            phase, event = end[0], end[3]
            id2 = event.get("id2", {})
            key = (event.get("cat", ""), event.get("name", ""),
                   number(event.get("id", id2.get("local", id2.get("global")))))
            key = ("bind", number(event["bind_id"])) if "bind_id" in event else key
            line = chains.setdefault(key, [])
            if phase == "s":
                line.append({"ends": [end], "arrived": False, "passed": False})
                found.append(line[-1])
                held = pending.pop(key, [])
                for each in held:
                    self.arrive(line, each, found)
            elif not line:
                pending[key].append(end)
            else:
                self.arrive(line, end, found)
        counts, loose = collections.Counter(), 0
        for chain in found:
            self.is_loose = False
            ends = sorted(chain["ends"], key=lambda end: (end[1], "stf".index(end[0])))
            bound = [item for item in (self.bind(*end) for end in ends) if item is not None]
            joined = [(old.key(), new.key()) for old, new in zip(bound, bound[1:]) if old is not new]
            if self.is_loose:
                loose += len(bound) - 1
            else:
                counts.update(joined)
        return counts, loose

    @staticmethod
    def arrive(line, end, found):
        waiting = [chain for chain in line if not chain["arrived"]]
        chain = waiting[0] if waiting else line[-1]
        if end[0] == "t":
            chain["passed"] = chain["arrived"] = True
        elif chain["arrived"] and not chain["passed"]:  # several arrivals of one departure
            chain = {"ends": chain["ends"][:1], "arrived": True, "passed": False}
            found.append(chain)
        chain["arrived"] = True
        chain["ends"].append(end)
