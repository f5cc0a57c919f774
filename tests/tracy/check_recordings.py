# SPDX-License-Identifier: Apache-2.0
"""check_recordings.py REPLAY FOLDER: recorded Tracy sessions, through tracy_replay.

Each recording NAME.client.bin has NAME.expect.json, what an independent decoder found in it, and
perhaps what Tracy's own csvexport printed for the same session. Zones, messages, plots, frames,
device zones and threads must be the same; the questions asked must be ones that a client can
answer. 77: no recordings here.
"""
import csv
import gzip
import hashlib
import io
import json
import os
import struct
import subprocess
import sys
import tempfile

CATEGORY_ZONE, CATEGORY_DEVICE, CATEGORY_MESSAGE = "zone", "device zone", "message"
UNENDED = 8
PIECE_SEEDS = (1, 7, 42)


class Found:
    """What tracy_replay printed."""

    def __init__(self, text):
        self.spans, self.samples, self.tracks, self.metadata, self.losses = [], [], {}, {}, {}
        self.end = None
        for line in text.splitlines():
            row = json.loads(line)
            kind = row[0]
            if kind == "span":
                self.spans.append(row[1:])
            elif kind == "sample":
                self.samples.append(row[1:])
            elif kind == "track":
                self.tracks[row[1]] = row[2:]
            elif kind == "metadata":
                self.metadata.setdefault(row[1].rsplit(".", 1)[1], []).append(row[2])
            elif kind == "loss":
                self.losses[row[1]] = row[2]
            elif kind == "end":
                self.end = row[1:]

    def of(self, category):
        return [span for span in self.spans if span[5] == category]


def color_text(color):
    return None if color is None or color == 0 else "#%06x" % color


def zone_key(zone):
    """A zone of expect.json as we show it."""
    thread, _, name, function, file, line, start, dur, shown, text, color = zone
    title = shown or name or function
    place = "%s:%d" % (file, line) if file else ""
    end = None if dur is None or dur < 0 else start + dur
    return (str(thread), title, place, start, end, text or "", color_text(color))


def found_zone_key(found, span, fibers):
    track, start, end, flags, name, _, place, args = span
    _, title, _, tid = found.tracks[track]
    thread = fibers.get(title, str(tid))
    return (thread, name, place, start, None if flags & UNENDED else end, args.get("text", ""),
            args.get("color"))


def same(what, ours, theirs, problems):
    ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
    if ours != theirs:
        missing = [item for item in theirs if item not in ours][:3]
        extra = [item for item in ours if item not in theirs][:3]
        problems.append("%s: %d found, %d expected; missing %s, extra %s"
                        % (what, len(ours), len(theirs), missing, extra))


def digest(text):
    return hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()


def message_text(text):
    if isinstance(text, dict):
        return ("long", text["len"], text["sha1"])
    return text


def compare_zones(found, expect, problems):
    zones = found.of(CATEGORY_ZONE)
    times = sorted((span[1], -1 if span[3] & UNENDED else span[2] - span[1]) for span in zones)
    lines = "\n".join("%d,%d" % pair for pair in times)
    if len(zones) != expect["zone_count"]:
        problems.append("%d zones, %d expected" % (len(zones), expect["zone_count"]))
    if digest(lines) != expect["zones_sha1"]:
        problems.append("times of zones differ")
    fibers = {name: key for key, name in expect["fibers"].items()}
    if len(expect["zones"]) == expect["zone_count"]:
        ours = []
        colored = {zone[6] for zone in expect["zones"] if zone[10] is not None}
        for span in zones:
            key = found_zone_key(found, span, fibers)
            # the list has the colours of zones, not those of their places
            ours.append(key if key[3] in colored else key[:6] + (None,))
        same("zones", ours, [zone_key(zone) for zone in expect["zones"]], problems)


def compare_messages(found, expect, problems):
    ours = []
    for track, start, _, _, name, _, _, args in found.of(CATEGORY_MESSAGE):
        if name == "message":
            text = args.get("text", "")
            ours.append((found.tracks[track][3], start, text, args.get("color")))
    theirs = []
    for thread, time, text, color in expect["messages"]:
        theirs.append((thread, time, message_text(text), color_text(color)))
    longs = {item[2] for item in theirs if isinstance(item[2], tuple)}
    sizes = {item[1] for item in longs}
    ours = [(thread, time, ("long", len(text.encode()), digest(text))
             if len(text.encode()) in sizes else text, color)
            for thread, time, text, color in ours]
    same("messages", ours, theirs, problems)


def compare_plots(found, expect, problems):
    for name, points in expect["plots"].items():
        tracks = [track for track, facts in found.tracks.items()
                  if facts[1] == name and facts[2] == "counter"]
        ours = [(time, value) for track, time, value in found.samples if track in tracks]
        same("plot " + name, ours, [(time, float(value)) for time, value in points], problems)


def compare_frames(found, expect, problems):
    for name, marks in expect["frames"].items():
        tracks = [track for track, facts in found.tracks.items() if facts[1] == name]
        ours = [(span[1], span[2]) for span in found.of("frame") if span[0] in tracks]
        if marks and marks[0][0] == "mark":
            times = [time for _, time in marks]
            theirs = list(zip(times, times[1:]))
        else:
            times = [time for _, time in marks]
            theirs = list(zip(times[::2], times[1::2]))
        same("frames " + name, ours, theirs, problems)


def compare_devices(found, expect, problems):
    ours = [(span[4], span[7].get("function", ""), span[1], span[2])
            for span in found.of(CATEGORY_DEVICE)]
    theirs = [(name or function, function if name else "", start, start + dur)
              for _, _, name, function, start, dur in expect["gpu_zones"]]
    same("device zones", ours, theirs, problems)
    contexts = {context["name"] for context in expect["gpu_contexts"].values() if context["name"]}
    titles = " ".join(facts[1] for facts in found.tracks.values())
    for name in contexts:
        if expect["gpu_zones"] and not name.startswith("Device") and name not in titles:
            problems.append("no track of context " + name)


def compare_threads(found, expect, problems):
    ours = {facts[3]: facts[1] for facts in found.tracks.values() if facts[3] >= 0}
    for tid, name in expect["threads"].items():
        wanted = "%s %s" % (name, tid)
        if name is not None and int(tid) in ours and ours[int(tid)] != wanted:
            problems.append("thread %s is called %r" % (tid, ours[int(tid)]))


def compare_stream(found, expect, problems):
    if found.end[1] != int(expect["fork"]) and expect["gpu_contexts"]:
        problems.append("wrong layout")
    if found.end[2] != expect["blocks"] or found.end[3] != sum(expect["events"].values()):
        problems.append("%s blocks and events, expected %d and %d"
                        % (found.end[2:], expect["blocks"], sum(expect["events"].values())))


def compare_rest(found, expect, problems):
    same("app info", found.metadata.get("app_info", []), expect["app_info"], problems)
    if found.metadata["program"] != [expect["welcome"]["program"]]:
        problems.append("program %s" % found.metadata["program"])
    if found.losses:
        problems.append("losses %s" % found.losses)
    memory = sum(count for name, count in expect["memory"].items() if name != "MemNamePayload")
    pools = [track for track, facts in found.tracks.items() if facts[1].startswith("memory")]
    if len([sample for sample in found.samples if sample[0] in pools]) != memory:
        problems.append("memory events differ")
    for track in pools:
        values = [value for at, _, value in found.samples if at == track]
        if values and values[-1] != 0:
            problems.append("memory of %s ends at %s" % (found.tracks[track][1], values[-1]))


def check_queries(path, expect, client, problems):
    """Each question is of a kind that the protocol has, and of something the client sent."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"TracyPrf" or struct.unpack("<I", data[8:12])[0] != expect["protocol"]:
        problems.append("bad hello")
    body = data[12:]
    if len(body) % 13 != 0:
        problems.append("questions are not whole")
    seen = set()
    for at in range(0, len(body), 13):
        kind, address, extra = struct.unpack("<BQI", body[at:at + 13])
        if kind == 0:
            if at != len(body) - 13:
                problems.append("questions after the last one")
            continue
        if kind not in (1, 2, 3, 4, 5, 7) or extra != 0 or address == 0:
            problems.append("illegal question %d %x" % (kind, address))
        elif kind != 2 and (kind, address) in seen:
            problems.append("asked twice: %d %x" % (kind, address))
        elif kind == 2 and str(address) not in expect["threads"]:
            problems.append("asked for thread %d, which is none" % address)
        elif kind != 2 and address not in client:
            problems.append("asked for %x, which the client never sent" % address)
        seen.add((kind, address))


def addresses_of(recording, protocol):
    """Every 8 bytes of the decoded stream that may be an address, by an LZ4 decoder of our own."""
    with open(recording, "rb") as file:
        data = file.read()
    size = 1 + (1178 if protocol <= 74 else 1170)
    flags_at = 1 + (72 if protocol <= 74 else 64)
    on_demand = data[flags_at] & 1
    at = size + (16 if on_demand else 0)
    plain = bytearray()
    while at + 4 <= len(data):
        packed = struct.unpack_from("<I", data, at)[0]
        block = data[at + 4:at + 4 + packed]
        if len(block) < packed:
            break
        unpack(block, plain)
        at += 4 + packed
    found = set()
    for start in range(max(0, len(plain) - 7)):
        value = struct.unpack_from("<Q", plain, start)[0]
        found.add(value)
        found.add(value & ((1 << 56) - 1))
        found.add(value >> 8)
    return found


def unpack(block, plain):
    """One raw LZ4 block behind what was decoded before it."""
    at = 0
    while at < len(block):
        token = block[at]
        at += 1
        count = token >> 4
        if count == 15:
            while True:
                count += block[at]
                at += 1
                if block[at - 1] != 255:
                    break
        plain += block[at:at + count]
        at += count
        if at >= len(block):
            return
        back = block[at] | block[at + 1] << 8
        at += 2
        count = token & 15
        if count == 15:
            while True:
                count += block[at]
                at += 1
                if block[at - 1] != 255:
                    break
        for _ in range(count + 4):
            plain.append(plain[-back])


def read_csv(path, delimiter=","):
    opened = gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")
    with opened as file:
        return list(csv.DictReader(io.StringIO(file.read()), delimiter=delimiter))


def times_in(path, start_key, duration_key):
    """Pairs of numbers of a csvexport table, whose texts are not escaped: rows with odd fields
    are left to expect.json."""
    pairs = []
    for row in read_csv(path):
        try:
            pairs.append((int(row[start_key]), int(row[duration_key])))
        except (TypeError, ValueError, KeyError):
            continue
    return pairs


def compare_exports(found, base, problems):
    """What csvexport printed of the same session."""
    for name in (base + ".zones.csv", base + ".zones.csv.gz"):
        if os.path.exists(name):
            ours = {(span[1], span[2] - span[1]) for span in found.spans
                    if span[5] in (CATEGORY_ZONE, CATEGORY_DEVICE)}
            pairs = times_in(name, "ns_since_start", "exec_time_ns")
            lost = [pair for pair in pairs if pair not in ours]
            if not pairs or lost:
                problems.append("%d of %d zones of csvexport not found: %s"
                                % (len(lost), len(pairs), lost[:3]))
    if os.path.exists(base + ".gpu.csv"):
        ours = {(span[1], span[2] - span[1]) for span in found.of(CATEGORY_DEVICE)}
        pairs = times_in(base + ".gpu.csv", "Time from start of program", "GPU execution time")
        lost = [pair for pair in pairs if pair not in ours]
        if lost:
            problems.append("device zones of csvexport not found: %s" % lost[:3])
    if os.path.exists(base + ".messages.csv"):
        with open(base + ".messages.csv", newline="") as file:
            text = file.read()
        ends = {line.rsplit(";", 1)[1] for line in text.splitlines() if ";" in line}
        for span in found.of(CATEGORY_MESSAGE):
            if span[4] == "message" and str(span[1]) not in ends:
                problems.append("message at %d is not in csvexport's list" % span[1])


def check(replay, folder, name):
    base = os.path.join(folder, name)
    problems = []
    with open(base + ".expect.json") as file:
        expect = json.load(file)
    client = addresses_of(base + ".client.bin", expect["protocol"])
    first = None
    for seed in PIECE_SEEDS:
        with tempfile.NamedTemporaryFile() as queries:
            text = subprocess.run([replay, base + ".client.bin", str(expect["protocol"]),
                                   str(seed), queries.name], check=True, capture_output=True,
                                  timeout=120).stdout.decode("utf-8", "surrogateescape")
            check_queries(queries.name, expect, client, problems)
        if first is not None and text != first:
            problems.append("sizes of pieces change the result")
        first = text
    found = Found(first)
    compare_stream(found, expect, problems)
    compare_all(found, expect, base, problems)
    return problems


def check_file(replay, path, base):
    """A file of Tracy's own capture tool, made from the same session."""
    problems = []
    with open(base + ".expect.json") as file:
        expect = json.load(file)
    text = subprocess.run([replay, path], check=True, capture_output=True,
                          timeout=120).stdout.decode("utf-8", "surrogateescape")
    compare_all(Found(text), expect, base, problems)
    return problems


def compare_all(found, expect, base, problems):
    compare_zones(found, expect, problems)
    compare_messages(found, expect, problems)
    compare_plots(found, expect, problems)
    compare_frames(found, expect, problems)
    compare_devices(found, expect, problems)
    compare_threads(found, expect, problems)
    compare_rest(found, expect, problems)
    compare_exports(found, base, problems)


def main():
    replay, folder = sys.argv[1], sys.argv[2]
    if not os.path.isdir(folder):
        print("no recordings in", folder)
        return 77
    names = sorted(name[:-len(".client.bin")] for name in os.listdir(folder)
                   if name.endswith(".client.bin"))
    bad = 0
    for name in names:
        problems = check(replay, folder, name)
        bad += bool(problems)
        print("%-16s %s" % (name, "ok" if not problems else ""))
        for problem in problems[:12]:
            print("    " + problem[:600])
        for path in (name + ".tracy", name + ".lz4.tracy"):
            if os.path.exists(os.path.join(folder, path)):
                problems = check_file(replay, os.path.join(folder, path),
                                      os.path.join(folder, name))
                bad += bool(problems)
                print("%-16s %s" % (path, "ok" if not problems else ""))
                for problem in problems[:12]:
                    print("    " + problem[:600])
    print("%d recordings, %d wrong" % (len(names), bad))
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
