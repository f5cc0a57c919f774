#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Independent reader of Perfetto protobuf traces, standing in for trace_processor.

It imports a trace by trace_processor's rules (sequence state, clocks, track
hierarchy, sorting, nesting, flows) and reports everything that would be lost
or shown differently from what the writer meant as a named problem.
"""
import argparse
import bisect
import collections
import gc
import gzip
import json
import math
import struct
import subprocess
import sys
import zlib

MAX_ANCESTORS, MAX_DEPTH, MAX_EXTRA_COUNTERS = 100, 512, 8
BOOTTIME, TRACE_FILE = 6, 11
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
UNITS = {1: "ns", 2: "count", 3: "bytes"}
TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
KEY_ESCAPES = str.maketrans(".[]", "___")
Event = collections.namedtuple("Event", "type uuid name category args flows ends counters")


class Unreadable(Exception):
    """The file cannot be taken as a Perfetto trace at all."""


class Schema:
    """Layout of a message: "name=<field number><kind>", "*" marking repeated fields.

    Kinds: v unsigned varint, i signed varint, q fixed64, d double, s string, m bytes.
    """

    def __init__(self, text):
        self.by_tag, self.names = {}, {}
        for item in text.split():
            name, spec = item.split("=")
            number, kind = int(spec.rstrip("*")[:-1]), spec.rstrip("*")[-1]
            wire = {"v": 0, "i": 0, "q": 1, "d": 1, "s": 2, "m": 2}[kind]
            self.by_tag[number << 3 | wire] = (name, kind, spec.endswith("*"))
            self.names[number] = name


PACKET = Schema("clocks=6m timestamp=8v sequence=10v event=11m interned=12m flags=13v cleared=41v "
                "dropped=42v zlib=50m clock=58v defaults=59m track=60m attributes=126m zstd=133m")
DEFAULTS = Schema("clock=58v event=11m")
EVENT_DEFAULTS = Schema("track_uuid=11v extra_uuids=31v* extra_double_uuids=45v*")
SNAPSHOT = Schema("clocks=1m* primary=2v")
CLOCK = Schema("id=1v time=2v incremental=3v unit=4v")
ATTRIBUTES = Schema("attribute=1m*")
ATTRIBUTE = Schema("key=1s long=2i string=3s")
TRACK = Schema("uuid=1v name=2s process=3m thread=4m parent=5v counter=8m static_name=10s "
               "child_ordering=11v rank=12i atrace_name=13s description=14s merge=15v merge_key=16s "
               "merge_int=17v state=18m process_ordering=19v thread_ordering=20v")
PROCESS = Schema("pid=1i cmdline=2s* sort=3i name=6s start=7v labels=8s*")
THREAD = Schema("pid=1i tid=2i sort=3i name=5s")
COUNTER_FACTS = Schema("type=1v categories=2s* unit=3v multiplier=4i incremental=5v unit_name=6s share=7s")
INTERNED = Schema("categories=1m* names=2m* arg_names=3m* arg_strings=29m*")
ENTRY = Schema("iid=1v text=2s")
EVENT = Schema("category_iids=3v* annotations=4m* type=9v name_iid=10v track_uuid=11v extra_values=12i* "
               "categories=22s* name=23s value=30i extra_uuids=31v* double_value=44d "
               "extra_double_uuids=45v* extra_double_values=46d* flows=47q* ends=48q*")
ANNOTATION = Schema("name_iid=1v bool=2v uint=3v int=4i double=5d string=6s pointer=7v json=9s "
                    "name=10s dict=11m* array=12m* string_iid=17v")


class Cut(ValueError):
    """A message ends inside a field."""


def read_varint(buf, pos):
    value = shift = 0
    while shift < 70:
        byte = buf[pos]
        pos += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, pos
        shift += 7
    raise ValueError("varint longer than 10 bytes")


def fields(buf):
    """(tag, value) of each field: an int for varints, else bytes."""
    pos, end = 0, len(buf)
    try:
        while pos < end:
            tag, pos = (buf[pos], pos + 1) if buf[pos] < 128 else read_varint(buf, pos)
            wire = tag & 7
            if tag < 8 or wire not in (0, 1, 2, 5):
                raise ValueError(f"bad tag {tag}")
            if wire == 0:
                value, pos = (buf[pos], pos + 1) if buf[pos] < 128 else read_varint(buf, pos)
            else:
                if wire == 2:
                    size, pos = (buf[pos], pos + 1) if buf[pos] < 128 else read_varint(buf, pos)
                else:
                    size = 8 if wire == 1 else 4
                value = buf[pos:pos + size]
                pos += size
                if pos > end:
                    raise Cut(f"field {tag >> 3} is cut")
            yield tag, value
    except IndexError:
        raise Cut("varint is cut") from None


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Sequence:
    """State of one trusted_packet_sequence_id."""

    def __init__(self, valid=False):
        self.valid = valid
        self.tables = collections.defaultdict(dict)
        self.clock, self.event_defaults, self.counters = 0, {}, {}


class Clocks:
    """Clock snapshots and the conversion to trace time. Private clocks are keyed (sequence, id)."""

    def __init__(self, problem):
        self.problem, self.trace = problem, BOOTTIME
        self.setup = {}     # key -> (unit in ns, incremental)
        self.last = {}      # incremental key -> last absolute value
        self.series = {}    # keys of a snapshot -> {key: [values]}
        self.backward, self.routes = set(), {}

    def add(self, clocks, primary):
        """clocks: [(key, raw time, unit, incremental)]."""
        keys = tuple(clock[0] for clock in clocks)
        self.trace = primary or (TRACE_FILE if TRACE_FILE in keys else self.trace)
        for key, _, unit, incremental in clocks:
            if (keys.count(key) > 1 or (incremental and not isinstance(key, tuple))
                    or self.setup.get(key, (unit, incremental)) != (unit, incremental)
                    or (key == self.trace and unit != 1)):
                return self.problem("bad_clock_snapshot", f"clock {key}")
        self.routes.clear()
        series = self.series.setdefault(keys, {key: [] for key in keys})
        for key, time, unit, incremental in clocks:
            self.setup[key] = (unit, incremental)
            if incremental:
                self.last[key] = time * unit
            if series[key] and time * unit < series[key][-1]:
                self.backward.add(key)      # no longer usable as a source
                if isinstance(key, tuple) or key == self.trace:
                    self.problem("clock_moved_back", f"clock {key}")
            series[key].append(time * unit)
        return None

    def forget(self, sequence_id):
        self.last = {key: time for key, time in self.last.items() if key[0] != sequence_id}

    def absolute(self, key, raw):
        """Value of the clock in ns, or None for a private clock without a snapshot."""
        unit, incremental = self.setup.get(key, (1, False))
        if not incremental:
            return None if isinstance(key, tuple) and key not in self.setup else raw * unit
        if key in self.last:
            self.last[key] += signed(raw) * unit
        return self.last.get(key)

    def to_trace(self, key, time):
        if key == self.trace or (key in (BOOTTIME, TRACE_FILE) and key not in self.setup):
            return time
        if key not in self.routes:
            self.routes[key] = self.find_route(key)
        for series, source, target in self.routes[key] or ():
            at = max(0, bisect.bisect_right(series[source], time) - 1)
            time += series[target][at] - series[source][at]
        return time if self.routes[key] else None

    def find_route(self, start):
        routes, queue = {start: []}, [start]
        for here in queue:      # breadth first; the queue grows while it is walked
            for keys, series in self.series.items():
                if here in keys and here not in self.backward:
                    for key in keys:
                        if key not in routes:
                            routes[key] = routes[here] + [(series, here, key)]
                            queue.append(key)
        return routes.get(self.trace)


class Slice:
    __slots__ = ("ts", "dur", "depth", "track", "name", "category", "args", "instant")

    def __init__(self, ts, track, event):
        self.ts, self.track, self.name, self.category = ts, track, event.name or "", event.category
        self.args, self.instant = event.args, event.type == INSTANT
        self.dur, self.depth = 0 if self.instant else -1, len(track.stack)


class Track:
    def __init__(self, uuid, facts, order):
        self.uuid, self.facts, self.order = uuid, facts, order
        self.kind = next((k for k in ("thread", "process", "counter") if k in facts), "track")
        self.parent, self.rank = facts.get("parent", 0), facts.get("rank", 0)
        inner = facts.get(self.kind, {})
        own = "" if self.kind in ("process", "thread") else facts.get("name")
        self.name = (inner.get("name") or "".join(inner.get("cmdline", [])[:1]) or own
                     or facts.get("static_name") or facts.get("atrace_name")
                     or f"{self.kind} {inner.get('tid', inner.get('pid', uuid))}")
        self.path, self.process, self.broken = self.name, "", False
        self.stack, self.slices = [], 0
        self.instants = (-1, 0)     # time and number of instants since the last BEGIN or END


class Judge:
    """One imported trace."""

    def __init__(self, data, nested_zero=False):
        self.bytes, self.nested_zero = len(data), nested_zero
        self.problems, self.first = collections.Counter(), {}
        self.packets = self.resets = 0
        self.sequences, self.clocks = {}, Clocks(self.problem)
        self.tracks, self.attributes = {}, {}
        self.events, self.deferred = [], []
        self.rows, self.counters, self.flows, self.active_flows = [], [], [], {}
        if b"TRACE:\n" in data[:128] or b"# tracer" in data[:128]:
            self.problem("sniffed_as_text", "first 128 bytes")
        # Events are many small objects without cycles: looking for those took a third of the time.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            self.read_trace(data)
            self.finish()
        finally:
            if was_enabled:
                gc.enable()

    def problem(self, name, detail="", packet=None):
        self.problems[name] += 1
        where = f"packet {self.packets if packet is None else packet}"
        self.first.setdefault(name, where + (f", {detail}" if detail else ""))

    # ---- messages ----

    def read_trace(self, data):
        try:
            for tag, value in fields(data):
                if tag == 0x0A and value:
                    self.read_packet(value)
        except Cut:
            self.problem("truncated_packet", "after this one")
        except ValueError as error:
            self.problem("malformed_message", str(error))

    def decode(self, buf, schema):
        """Fields of one message by name; what follows a malformed field is lost."""
        out = {}
        try:
            for tag, value in fields(buf):
                if tag not in schema.by_tag:
                    if tag >> 3 in schema.names:
                        self.wrong_wire_type(schema.names[tag >> 3], tag & 7, out)
                    continue
                name, kind, many = schema.by_tag[tag]
                if kind == "s":
                    value = self.text(value)
                elif kind == "i":
                    value = signed(value)
                elif kind == "d":
                    value = struct.unpack("<d", value)[0]
                elif kind == "q":
                    value = int.from_bytes(value, "little")
                if many:
                    out.setdefault(name, []).append(value)
                else:
                    if name in out:
                        self.problem("field_repeated", name)
                    out[name] = value
        except ValueError as error:
            self.problem("malformed_message", str(error))
        return out

    def wrong_wire_type(self, name, wire, out):
        packed = name.startswith("extra_") and wire == 2
        self.problem("packed_extra_counter" if packed else "wrong_wire_type", name)
        if packed:
            out["packed"] = True

    def text(self, raw):
        if 0 in raw:
            self.problem("nul_in_string", repr(raw[:60]))
            raw = raw[:raw.index(0)]
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.problem("invalid_utf8", repr(raw[:60]))
            return raw.decode(errors="replace")

    # ---- packets, in file order ----

    def read_packet(self, raw):
        packet = self.decode(raw, PACKET)
        for codec, unpack in (("zlib", zlib.decompress), ("zstd", unzstd)):
            if codec in packet:
                try:
                    return self.read_trace(unpack(packet[codec]))
                except (zlib.error, Unreadable) as error:
                    return self.problem("bad_compression", f"{codec}: {error}")
        self.packets += 1
        if self.packets == 1 and raw.startswith(b"\xea\x03"):
            self.problem("sniffed_as_symbols", "first field is module_symbols")
        if "attributes" in packet:
            self.read_attributes(packet["attributes"])
        sequence_id, flags = packet.get("sequence", 0), packet.get("flags", 0)
        if not sequence_id and (flags & 3 or packet.keys() & {"interned", "defaults", "event"}):
            return self.problem("event_without_sequence" if "event" in packet else "state_without_sequence")
        sequence = self.sequences.get(sequence_id) or Sequence()
        if flags & 1 or packet.get("cleared"):
            self.resets += 1
            sequence = Sequence(valid=True)
            self.clocks.forget(sequence_id)
        elif packet.get("dropped"):
            sequence.valid = False
        self.sequences[sequence_id] = sequence
        if "defaults" in packet:
            self.read_defaults(sequence, packet["defaults"])
        if "interned" in packet:
            self.read_interned(sequence, packet["interned"])
        if ("clocks" in packet) + ("event" in packet) + ("track" in packet) > 1:
            self.problem("lost_payload", "only one of clock snapshot, track event, descriptor is read")
        if "clocks" in packet:
            return self.read_clocks(sequence_id, packet["clocks"])
        if flags & 2 and not sequence.valid:
            return self.problem("needs_state_invalid", f"sequence {sequence_id}")
        key = time = None
        if "timestamp" in packet:
            key, time = self.read_time(sequence_id, packet.get("clock") or sequence.clock, packet["timestamp"])
            if time is None:
                return None
        if "event" in packet:
            return self.read_event(sequence, packet["event"], key, time)
        return self.read_track(packet["track"]) if "track" in packet else None

    def read_attributes(self, raw):
        for item in self.decode(raw, ATTRIBUTES).get("attribute", ()):
            attribute = self.decode(item, ATTRIBUTE)
            self.attributes[attribute.get("key", "")] = attribute.get("long", attribute.get("string", ""))

    def read_defaults(self, sequence, raw):
        if not sequence.valid:
            self.problem("defaults_state_invalid")
        defaults = self.decode(raw, DEFAULTS)
        sequence.clock = defaults.get("clock", 0)
        sequence.event_defaults = self.decode(defaults.get("event", b""), EVENT_DEFAULTS)

    def read_interned(self, sequence, raw):
        if not sequence.valid:
            return self.problem("interned_state_invalid")
        for table, entries in self.decode(raw, INTERNED).items():
            for item in entries:
                entry = self.decode(item, ENTRY)
                iid, text = entry.get("iid", 0), entry.get("text", "")
                if not iid:
                    self.problem("bad_iid", table)
                elif sequence.tables[table].setdefault(iid, text) != text:
                    self.problem("iid_redefined", f"{table} {iid}")
        return None

    def name_of(self, sequence, message, table):
        """The interned or literal name of an event or annotation."""
        iid = message.get("name_iid")
        return self.intern(sequence, table, iid) if iid else message.get("name")

    def intern(self, sequence, table, iid):
        value = sequence.tables[table].get(iid)
        if value is None:
            self.problem("unknown_iid", f"{table} {iid}")
        return value

    def read_clocks(self, sequence_id, raw):
        snapshot = self.decode(raw, SNAPSHOT)
        clocks = []
        for item in snapshot.get("clocks", ()):
            clock = self.decode(item, CLOCK)
            key = clock.get("id", 0)
            if 64 <= key < 128:
                if not sequence_id:
                    return self.problem("bad_clock_snapshot", f"clock {key} without a sequence")
                key = (sequence_id, key)
            clocks.append((key, clock.get("time", 0), clock.get("unit") or 1, bool(clock.get("incremental"))))
        return self.clocks.add(clocks, snapshot.get("primary", 0))

    def read_time(self, sequence_id, clock, raw):
        """(clock key or None for trace time, time or None when the packet is lost)."""
        if not clock:
            return None, self.in_range(raw)
        key = (sequence_id, clock) if 64 <= clock < 128 else clock
        time = self.clocks.absolute(key, raw)
        if time is None:
            return None, self.problem("unknown_clock", f"clock {key}")
        converted = self.clocks.to_trace(key, time)
        if converted is None:
            return key, time    # a later snapshot may still explain it
        return None, self.in_range(converted)

    def in_range(self, time, packet=None):
        return time if 0 <= time < 1 << 63 else self.problem("timestamp_out_of_range", str(time), packet)

    def read_track(self, raw):
        facts = self.decode(raw, TRACK)
        for part, schema in (("process", PROCESS), ("thread", THREAD), ("counter", COUNTER_FACTS)):
            if part in facts:
                facts[part] = self.decode(facts[part], schema)
        if "uuid" not in facts:
            return self.problem("track_without_uuid")
        track = Track(facts["uuid"], facts, len(self.tracks))
        ids, where = facts.get(track.kind, {}), f"track {track.uuid}"
        if track.kind == "process" and "pid" not in ids:
            return self.problem("process_without_pid", where)
        if track.kind == "thread" and not {"pid", "tid"} <= ids.keys():
            return self.problem("thread_without_ids", where)
        if self.tracks.setdefault(track.uuid, track) is not track:
            return self.tracks[track.uuid].facts == facts or self.problem("track_redefined", where)
        for name in ("pid", "tid"):
            if ids.get(name) == 0:
                self.problem(f"{name}_zero", where)
        return None

    def read_event(self, sequence, raw, key, time):
        event, defaults = self.decode(raw, EVENT), sequence.event_defaults
        type_ = event.setdefault("type", 0)
        if time is None:
            return self.problem("event_without_timestamp")
        if type_ not in (BEGIN, END, INSTANT, COUNTER):
            return self.problem("unsupported_event_type", str(type_))
        uuid = event.get("track_uuid", defaults.get("track_uuid", 0))
        counters = self.read_counters(sequence, event, uuid)
        if counters is None or "packed" in event or "packed" in defaults:
            return None
        categories = [self.intern(sequence, "categories", iid) or "" for iid in event.get("category_iids", ())]
        args = {}
        for item in event.get("annotations", ()):
            self.flatten(sequence, item, args)
        record = Event(type_, uuid, self.name_of(sequence, event, "names"),
                       ",".join(categories + event.get("categories", [])), args,
                       event.get("flows", ()), event.get("ends", ()), counters)
        if key is None:
            self.events.append((time, self.packets, record))
        else:
            self.deferred.append((key, time, self.packets, record))
        return None

    def read_counters(self, sequence, event, uuid):
        """[(track uuid, value)], or None when the event is lost."""
        if event["type"] != COUNTER and "extra_values" not in event and "extra_double_values" not in event:
            return ()
        pairs = []
        for values, uuids in (("extra_values", "extra_uuids"), ("extra_double_values", "extra_double_uuids")):
            targets = event.get(uuids) or sequence.event_defaults.get(uuids, ())
            if len(event.get(values, ())) > len(targets):
                return self.problem("extra_counter_without_track")
            pairs += zip(targets, event.get(values, ()))
        if len(pairs) > MAX_EXTRA_COUNTERS:
            return self.problem("too_many_extra_counters")
        if event["type"] == COUNTER:
            value = event.get("value", event.get("double_value"))
            if value is None:
                return self.problem("counter_without_value")
            pairs.append((uuid, value))
        result = []
        for target, value in pairs:
            track = self.tracks.get(target)
            if track is None or track.kind != "counter":
                name = "counter_on_plain_track" if track else "counter_before_descriptor"
                return self.problem(name, f"track {target}")
            if not math.isfinite(value):
                self.problem("nonfinite_counter", track.name)
            value = float(value) * (track.facts["counter"].get("multiplier") or 1)
            if track.facts["counter"].get("incremental"):
                value = sequence.counters[target] = sequence.counters.get(target, 0.0) + value
            result.append((target, value))
        return result

    def flatten(self, sequence, raw, args, prefix="", key=None):
        """Add one debug annotation to args; only array items come with their key."""
        annotation = self.decode(raw, ANNOTATION)
        if key is None:
            name = self.name_of(sequence, annotation, "arg_names")
            if not name:
                return self.problem("annotation_without_name")
            key = prefix + name.translate(KEY_ESCAPES)
        if "string_iid" in annotation:
            args[key] = self.intern(sequence, "arg_strings", annotation["string_iid"])
        for kind, convert in VALUES:
            if kind in annotation:
                args[key] = convert(annotation[kind]) if convert else annotation[kind]
        if "json" in annotation and not is_read_json(annotation["json"]):
            self.problem("fatal_json", f"{key} = {annotation['json']}")
        for item in annotation.get("dict", ()):
            self.flatten(sequence, item, args, key + ".")
        for index, item in enumerate(annotation.get("array", ())):
            self.flatten(sequence, item, args, key=f"{key}[{index}]")
        return None

    # ---- end of file: hierarchy, sorting, nesting ----

    def finish(self):
        for key, time, packet, record in self.deferred:
            time = self.clocks.to_trace(key, time)
            if time is None:
                self.problem("unknown_clock", f"clock {key}", packet)
            elif self.in_range(time, packet) is not None:
                self.events.append((time, packet, record))
        self.events.sort()
        self.resolve_tracks()
        for time, packet, record in self.events:
            self.replay(time, packet, record)
        for track in self.tracks.values():
            for item in track.stack:
                self.problem("missing_end", f"{item.name}@{item.ts} on {track.path}", "-")

    def resolve_tracks(self):
        owners = {}
        for track in self.tracks.values():
            if track.kind in ("process", "thread"):
                ids = track.facts[track.kind]
                known = owners.setdefault((track.kind, ids["pid"], ids.get("tid")), track)
                if known is not track:
                    self.problem("duplicate_pid" if track.kind == "process" else "duplicate_tid",
                                 f"tracks {known.uuid} and {track.uuid}", "-")
        for track in self.tracks.values():
            if track.kind == "thread" and not track.parent:
                owner = owners.get(("process", track.facts["thread"]["pid"], None))
                track.parent = owner.uuid if owner else 0
        for track in self.tracks.values():
            chain, reason = [track], ""
            while chain[-1].parent and not reason:
                parent = self.tracks.get(chain[-1].parent)
                if parent is None:
                    reason = "unknown_parent"
                elif parent in chain:
                    reason = "ancestor_loop"
                elif len(chain) > MAX_ANCESTORS:
                    reason = "too_many_ancestors"
                else:
                    chain.append(parent)
            if reason:
                track.broken = True
                self.problem(reason, f"track {track.uuid} under {chain[-1].parent}", "-")
            else:
                track.path = " / ".join(item.name for item in reversed(chain))
                track.process = chain[-1].name if chain[-1].kind == "process" else ""
                self.check_rank(track)

    def check_rank(self, track):
        """Viewers sort all but threads directly under a process or thread by name."""
        root = self.tracks[0].facts if 0 in self.tracks else {}
        parent = self.tracks.get(track.parent)
        if track.kind in ("process", "thread"):
            holds = root.get(f"{track.kind}_ordering") == 1
        else:
            holds = parent is not None and parent.kind == "track" and parent.facts.get("child_ordering") == 3
        if "rank" in track.facts and not holds:
            self.problem("rank_ignored", f"track {track.uuid} {track.path}", "-")

    def track_of(self, uuid, packet):
        if uuid not in self.tracks:
            if uuid:
                self.problem("undescribed_track", f"track {uuid}", packet)
            facts = {"name": f"track {uuid}" if uuid else "Default Track"}
            self.tracks[uuid] = Track(uuid, facts, len(self.tracks))
        return self.tracks[uuid]

    def replay(self, time, packet, event):
        for uuid, value in event.counters:
            if not self.tracks[uuid].broken:
                self.counters.append((time, self.tracks[uuid], value))
        target = None
        if event.type != COUNTER:
            track = self.track_of(event.uuid, packet)
            if track.broken:
                return
            if track.kind == "counter":
                return self.problem("slice_on_counter_track", track.path, packet)
            target = (self.end if event.type == END else self.begin)(track, time, packet, event)
        if (event.flows or event.ends) and target is None:
            return self.problem("flow_without_slice", "", packet)
        for flow in event.flows:
            if flow in self.active_flows:
                self.connect(flow, self.active_flows[flow], target)
            self.active_flows[flow] = target
        for flow in event.ends:
            if flow in self.active_flows:
                self.connect(flow, self.active_flows.pop(flow), target)
            else:
                self.problem("flow_not_active", f"flow {flow}", packet)

    def connect(self, flow, old, new):
        """Launches of PyTorch and what they launched say which belong together."""
        pair = old.args.get("correlation"), new.args.get("correlation")
        if None not in pair and pair[0] != pair[1]:
            self.problem("flow_joins_other_correlations", f"{old.name} {pair[0]}, {new.name} {pair[1]}")
        self.flows.append((flow, new, old) if old.ts > new.ts else (flow, old, new))

    def begin(self, track, time, packet, event):
        item = Slice(time, track, event)
        if item.instant:    # instants of one time stack on each other
            count = track.instants[1] if track.instants[0] == time else 0
            item.depth += count
            track.instants = (time, count + 1)
        if item.depth >= MAX_DEPTH:
            return self.problem("depth_exceeded", track.path, packet)
        self.rows.append(item)
        if not item.instant:
            track.stack.append(item)
            track.slices += 1
            track.instants = (-1, 0)
        return item

    def end(self, track, time, packet, event):
        stack, where = track.stack, f"{event.name or ''}@{time} on {track.path}"
        track.instants = (-1, 0)
        if not stack:
            return self.problem("end_without_begin", where, packet)
        for at in range(len(stack) - 1, -1, -1):
            item = stack[at]
            if event.category in ("", item.category) and (not event.name or item.name in ("", event.name)):
                break
        else:
            return self.problem("end_mismatch", where, packet)
        top = stack[-1]
        if item is not top:
            tie = item.ts < time == top.ts
            self.problem("begin_before_end_tie" if tie else "end_mismatch", where, packet)
        elif top.ts == time > stack[0].ts and not event.name and not self.nested_zero:
            self.problem("begin_before_end_tie", where, packet)
        for closed in stack[at:]:       # children cannot outlive their parent
            closed.dur = time - closed.ts
        del stack[at:]
        item.args = {**item.args, **event.args}
        return item

    # ---- output ----

    def summary(self):
        slices = [row for row in self.rows if not row.instant]
        count = len(slices)
        return {
            "packets": self.packets, "bytes": self.bytes, "slices": count,
            "instants": len(self.rows) - count,
            "tracks": sum(track.slices > 0 for track in self.tracks.values()),
            "sum_dur_ns": sum(row.dur for row in slices if row.dur > 0),
            "min_ts": min((row.ts for row in self.rows), default=None),
            "max_end": max((row.ts + max(row.dur, 0) for row in self.rows), default=None),
            "counters": len(self.counters), "flows": len(self.flows),
            "sequences": len(self.sequences.keys() - {0}),
            "state_resets": self.resets, "problems": dict(self.problems),
            "bytes_per_slice": round(self.bytes / count, 2) if count else None,
        }

    def row_lines(self):
        for row in sorted(self.rows, key=lambda r: (r.ts, -r.dur, r.track.process, r.track.path, r.name)):
            args = json.dumps(row.args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            yield tsv(row.ts, row.dur, row.depth, row.track.path, row.name, row.category) + "\t" + args

    def display_order(self):
        root = self.tracks[0].facts if 0 in self.tracks else {}
        children = collections.defaultdict(list)
        for track in self.tracks.values():
            if not track.broken and (track.uuid or track.slices):
                children[track.parent].append(track)

        def sort_key(track):
            """As the viewer does it: threads, then what it sorts by name, then what has a rank."""
            ids = track.facts.get(track.kind, {})
            if track.kind == "process":
                return (0, track.rank if root.get("process_ordering") == 1 else 0, 0, 0, track.order)
            if track.kind == "thread":
                rank = track.rank if root.get("thread_ordering") == 1 else 0
                return (0, rank, ids.get("tid") != ids.get("pid"), ids.get("tid", 0), track.order)
            parent = self.tracks.get(track.parent)
            if parent is None or parent.kind != "track" or parent.facts.get("child_ordering") != 3:
                return (1, 0, 0, track.name, track.order)
            return (1, track.rank, 0, "", track.order)

        def walk(uuid):
            for track in sorted(children[uuid], key=sort_key):
                yield track
                if track.uuid:
                    yield from walk(track.uuid)

        yield from walk(0)
        yield from (track for track in self.tracks.values() if track.broken)

    def track_lines(self):
        for track in self.display_order():
            merge = track.facts.get("merge_key", track.facts.get("merge_int", "-"))
            yield tsv(track.uuid, track.parent, track.rank, track.kind, merge, track.path, track.slices)

    def thread_lines(self):
        """Processes and threads by number, as they are shown."""
        for track in self.display_order():
            if track.kind in ("process", "thread"):
                ids = track.facts[track.kind]
                yield tsv(ids["pid"], ids.get("tid", "-"), track.path, track.slices)

    def description_lines(self):
        for track in self.display_order():
            if "description" in track.facts:
                yield tsv(track.path, track.facts["description"])

    def counter_lines(self):
        for time, track, value in self.counters:
            facts = track.facts["counter"]
            unit = facts.get("unit_name") or UNITS.get(facts.get("unit"), "")
            exact = value.is_integer() and abs(value) < 1e18
            yield tsv(time, track.path, unit, int(value) if exact else repr(value))

    def flow_lines(self):
        for flow, source, sink in self.flows:
            yield tsv(flow, f"{source.name}@{source.ts}", f"{sink.name}@{sink.ts}")

    def attribute_lines(self):
        return (tsv(*pair) for pair in sorted(self.attributes.items()))


def json_number(value):
    return value if math.isfinite(value) else str(value)


VALUES = (("bool", bool), ("uint", None), ("int", None), ("double", json_number), ("string", None), ("pointer", hex),
          ("json", None))


def is_read_json(text):
    """trace_processor aborts on a null outside an object or array, and drops what it cannot parse."""
    def refuse(word):
        raise ValueError(word)
    try:
        return json.loads(text, parse_constant=refuse) is not None
    except ValueError:
        return False


def tsv(*values):
    return "\t".join(str(value).translate(TSV_ESCAPES) for value in values)


def unzstd(raw):
    try:
        done = subprocess.run(["zstd", "-dcq"], input=raw, capture_output=True, check=False)
    except OSError as error:
        raise Unreadable(f"cannot run zstd: {error}") from error
    if done.returncode:
        raise Unreadable(done.stderr.decode(errors="replace").strip() or "zstd failed")
    return done.stdout


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    elif data[:4] == b"\x28\xb5\x2f\xfd":
        data = unzstd(data)
    if data[:1] != b"\x0a":
        raise Unreadable("not a Perfetto protobuf trace")
    return data


MODES = ("summary", "rows", "attributes", "tracks", "threads", "descriptions", "counters", "flows", "check")


def print_problems(judge, label):
    for name, count in sorted(judge.problems.items()):
        print(f"{label}{name}: {count} (first: {judge.first[name]})", file=sys.stderr)


def print_mode(judge, mode):
    lines = [json.dumps(judge.summary(), sort_keys=True)] if mode == "summary" else getattr(judge, mode[:-1] + "_lines")()
    sys.stdout.writelines(line + "\n" for line in lines)


def main(argv=None):
    parser = argparse.ArgumentParser(description="Read Perfetto traces by trace_processor's rules. Several modes "
                                     "print one after the other in the order of their names above, for each file.")
    for mode in MODES:
        parser.add_argument(f"--{mode}", dest="modes", action="append_const", const=mode)
    parser.add_argument("--nested-zero", action="store_true",
                        help="zero-length slices inside longer ones are meant, not a BEGIN/END tie")
    parser.add_argument("files", metavar="file", nargs="+")
    options = parser.parse_args(argv)
    modes = options.modes or ["summary"]
    status = 0
    for path in options.files:
        try:
            judge = Judge(load(path), options.nested_zero)
        except (OSError, EOFError, RecursionError, zlib.error, Unreadable) as error:
            print(f"trace_judge: {path}: {error}", file=sys.stderr)
            status = 2
            continue
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        for mode in sorted(modes, key=MODES.index):
            if mode != "check":
                print_mode(judge, mode)
        if "check" in modes:
            print_problems(judge, f"{path}: " if len(options.files) > 1 else "")
            status = max(status, 1 if judge.problems else 0)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `... | head` has seen enough
        sys.stderr.close()
