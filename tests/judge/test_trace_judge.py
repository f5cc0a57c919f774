#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of trace_judge.py on small traces encoded by hand."""
import contextlib
import gzip
import io
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trace_judge  # noqa: E402

JUDGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace_judge.py")


# ---- encoder: a message is the bytes of its fields, F(number, value) one field ----

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def F(number, value):
    if isinstance(value, (bytes, str)):
        raw = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(raw)) + raw
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3) + varint(value)


def fixed64(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value)


def packet(*parts):
    return F(1, b"".join(parts))


def track(uuid, name="t", *parts, parent=0, before=b""):
    return packet(before, F(60, F(1, uuid) + (F(2, name) if name else b"")
                            + (F(5, parent) if parent else b"") + b"".join(parts)))


def process(uuid, pid=1, name="P", *parts):
    return track(uuid, "", F(3, F(1, pid) + F(6, name)), *parts)


def thread(uuid, pid=1, tid=1, name="T", *parts):
    return track(uuid, "", F(4, F(1, pid) + F(2, tid) + F(5, name)), *parts)


def counter(uuid, name="c", facts=b"", **kw):
    return track(uuid, name, F(8, facts), **kw)


def event(kind, ts, *parts, uuid=1, seq=1, name=None, flags=0):
    inner = F(9, kind) + (F(11, uuid) if uuid is not None else b"")
    inner += (F(23, name) if name else b"") + b"".join(parts)
    return packet(F(8, ts), F(10, seq) if seq else b"", F(13, flags) if flags else b"", F(11, inner))


def begin(ts, name="a", *parts, **kw):
    return event(1, ts, *parts, name=name, **kw)


def end(ts, *parts, **kw):
    return event(2, ts, *parts, **kw)


def pair(ts, dur, name="a", **kw):
    return begin(ts, name, **kw) + end(ts + dur, **kw)


def clock(number, time, unit=0, incremental=0):
    return F(1, F(1, number) + F(2, time) + (F(3, 1) if incremental else b"") + (F(4, unit) if unit else b""))


def snapshot(*clocks, seq=1, flags=0, more=b""):
    return packet(F(10, seq) if seq else b"", F(13, flags) if flags else b"", F(6, b"".join(clocks)), more)


def reset(*parts, seq=1):
    return packet(F(10, seq), F(13, 3), *parts)


def entries(*pairs, table=2):
    return b"".join(F(table, F(1, iid) + F(2, text)) for iid, text in pairs)


def names(*pairs, table=2):
    return F(12, entries(*pairs, table=table))


class JudgeTest(unittest.TestCase):
    def judge(self, *parts, **kw):
        return trace_judge.Judge(b"".join(parts), **kw)

    def clean(self, *parts, **kw):
        judge = self.judge(*parts, **kw)
        self.assertEqual(dict(judge.problems), {}, judge.first)
        return judge

    def bad(self, expected, *parts, **kw):
        """Exactly these problems: a name (once) or a dictionary of counts."""
        judge = self.judge(*parts, **kw)
        self.assertEqual(dict(judge.problems), {expected: 1} if isinstance(expected, str) else expected)
        return judge

    def spans(self, judge):
        return [(row.ts, row.dur, row.depth, row.name) for row in judge.rows]


class WireTest(JudgeTest):
    def test_plain_trace(self):
        judge = self.clean(track(1), pair(10, 5))
        self.assertEqual(self.spans(judge), [(10, 5, 0, "a")])

    def test_unknown_fields_and_empty_packets_are_skipped(self):
        judge = self.clean(track(1), F(9, 7), fixed64(9, 7), F(9, "x"), packet(),
                           packet(F(500, "future"), F(10, 1)), pair(10, 5))
        self.assertEqual((judge.packets, len(judge.rows)), (4, 1))

    def test_redundant_varint_length(self):
        body = F(60, F(1, 1) + F(2, "t"))
        self.clean(b"\x0a" + bytes([len(body) | 128, 128, 128, 0]) + body, pair(1, 1))

    def test_truncated_packet(self):
        data = track(1) + pair(10, 5) + begin(20)
        for cut in (1, 5, len(begin(20)) - 1):
            judge = self.bad("truncated_packet", data[:-cut])
            self.assertEqual(len(judge.rows), 1)

    def test_malformed_message(self):
        self.bad({"malformed_message": 1}, track(1), packet(F(10, 1), b"\x0b"))
        self.bad({"malformed_message": 1}, track(1), packet(b"\x40" + b"\xff" * 11))
        self.bad({"malformed_message": 1}, track(1), packet(b"\x5a\x09\x01"))
        self.bad({"malformed_message": 1}, track(1), b"\x0c")

    def test_wrong_wire_type(self):
        judge = self.bad("wrong_wire_type", track(1), begin(1, "a", F(47, 9)), end(2))
        self.assertEqual(len(judge.rows), 1)

    def test_field_repeated(self):
        self.bad("field_repeated", track(1), reset(names((1, "n")), names((2, "m"))))

    def test_compressed_packets(self):
        inner = track(1) + pair(10, 5)
        judge = self.clean(packet(F(50, zlib.compress(inner))), pair(20, 5))
        self.assertEqual((judge.packets, len(judge.rows)), (5, 2))
        self.bad("bad_compression", track(1), packet(F(50, b"nonsense")))
        self.bad("truncated_packet", packet(F(50, zlib.compress(inner + b"\x0a\x7f"))))

    @unittest.skipUnless(shutil.which("zstd"), "zstd is not installed")
    def test_zstd_packets(self):
        inner = subprocess.run(["zstd", "-cq"], input=track(1) + pair(10, 5), stdout=subprocess.PIPE, check=True)
        self.assertEqual(len(self.clean(packet(F(133, inner.stdout))).rows), 1)
        self.bad("bad_compression", packet(F(133, b"nonsense")))

    def test_sniffed_as_text(self):
        self.bad("sniffed_as_text", track(1, "TRACE:"), pair(1, 1))
        self.bad("sniffed_as_text", track(1, "# tracer"), pair(1, 1))
        self.clean(track(1, "x" * 128), track(2, "TRACE:"), pair(1, 1))
        self.clean(track(1, "TRACE: "), pair(1, 1))

    def test_sniffed_as_symbols(self):
        self.bad("sniffed_as_symbols", packet(F(61, "")), track(1))

    def test_strings(self):
        judge = self.bad("nul_in_string", track(1), pair(1, 1, "ab\0cd"))
        self.assertEqual(judge.rows[0].name, "ab")
        self.bad("invalid_utf8", track(1), begin(1, None, F(23, b"\xff\xfe")), end(2))
        self.assertEqual(self.clean(track(1), pair(1, 1, "Größe 矩阵")).rows[0].name, "Größe 矩阵")


class SequenceTest(JudgeTest):
    def test_one_packet_state(self):
        """Flag 1, defaults and interned data in one packet; then events use all of them."""
        defaults = F(59, F(11, F(11, 1)))
        judge = self.clean(track(1), reset(defaults, names((1, "matmul"))),
                           event(1, 10, F(10, 1), uuid=None, flags=2), event(2, 15, uuid=None, flags=2))
        self.assertEqual(self.spans(judge), [(10, 5, 0, "matmul")])
        self.assertEqual((judge.rows[0].track.uuid, judge.resets), (1, 1))

    def test_interned_in_the_event_packet(self):
        judge = self.clean(track(1), packet(F(8, 1), F(10, 1), F(13, 3), names((1, "n")),
                                            F(11, F(9, 1) + F(11, 1) + F(10, 1))), end(2))
        self.assertEqual(judge.rows[0].name, "n")

    def test_needs_state_invalid(self):
        judge = self.bad({"needs_state_invalid": 2}, track(1), begin(1, flags=2), end(2, flags=2))
        self.assertEqual(judge.rows, [])
        self.bad({"needs_state_invalid": 1}, track(1), reset(), packet(F(10, 1), F(42, 1)), begin(1, flags=2))
        self.clean(track(1), packet(F(10, 1), F(41, 1)), begin(1, flags=2), end(2, flags=2))

    def test_state_is_per_sequence(self):
        self.bad({"needs_state_invalid": 1, "unknown_iid": 1}, track(1), reset(names((1, "n")), seq=1),
                 event(1, 1, F(10, 1), seq=2), end(2, seq=2), end(3, seq=3, flags=2))

    def test_interned_state_invalid(self):
        self.bad({"interned_state_invalid": 1, "unknown_iid": 1}, track(1), packet(F(10, 1), names((1, "n"))),
                 event(1, 1, F(10, 1)), end(2))

    def test_defaults_state_invalid(self):
        self.bad("defaults_state_invalid", track(1), packet(F(10, 1), F(59, F(11, F(11, 1)))))

    def test_iid_redefined(self):
        judge = self.bad("iid_redefined", track(1), reset(names((1, "old"))), packet(F(10, 1), names((1, "new"))),
                         event(1, 1, F(10, 1)), end(2))
        self.assertEqual(judge.rows[0].name, "old")
        judge = self.clean(track(1), reset(names((1, "old"), (1, "old"))), reset(names((1, "new"))),
                           event(1, 1, F(10, 1)), end(2))
        self.assertEqual(judge.rows[0].name, "new")

    def test_reset_forgets(self):
        self.bad("unknown_iid", track(1), reset(names((1, "n"))), reset(), event(1, 1, F(10, 1)), end(2))
        judge = self.bad("undescribed_track", track(0, "root"), reset(F(59, F(11, F(11, 7)))),
                         event(3, 1, uuid=None, name="i"), reset(), event(3, 2, uuid=None, name="i"))
        self.assertEqual([row.track.uuid for row in judge.rows], [7, 0])

    def test_bad_iid(self):
        self.bad({"bad_iid": 2}, reset(names((0, "n"))), packet(F(10, 1), F(12, F(2, F(2, "x")))))

    def test_unknown_iid(self):
        for part in (F(10, 4), F(3, 4), F(4, F(1, 4) + F(3, 1)), F(4, F(10, "k") + F(17, 4))):
            judge = self.judge(track(1), reset(), event(1, 1, part), end(2))
            self.assertEqual(judge.problems["unknown_iid"], 1)

    def test_without_sequence(self):
        self.bad({"event_without_sequence": 2}, track(1), begin(1, seq=0), end(2, seq=0))
        for part in (F(13, 1), F(13, 2), names((1, "n")), F(59, b"")):
            self.bad("state_without_sequence", packet(part))

    def test_state_is_read_in_file_order(self):
        judge = self.clean(track(1), reset(names((1, "late"))), event(1, 50, F(10, 1)), end(60),
                           reset(names((1, "early"))), event(1, 10, F(10, 1)), end(20))
        self.assertEqual([row.name for row in judge.rows], ["early", "late"])


class ClockTest(JudgeTest):
    def on(self, number, kind, raw, seq=1, **kw):
        return packet(F(8, raw), F(10, seq), F(58, number), F(11, F(9, kind) + F(11, 1) + F(23, "a")))

    def test_no_clock_and_boottime(self):
        judge = self.clean(track(1), snapshot(clock(6, 0), clock(1, 10 ** 18)), pair(0, 5), self.on(6, 3, 9))
        self.assertEqual([row.ts for row in judge.rows], [0, 9])
        self.clean(track(1), self.on(6, 3, 9))

    def test_snapshot_converts_also_when_late(self):
        judge = self.clean(track(1), self.on(3, 3, 105), snapshot(clock(6, 1000), clock(3, 100), seq=0))
        self.assertEqual(judge.rows[0].ts, 1005)

    def test_latest_snapshot_before_the_time_is_used(self):
        judge = self.clean(track(1), snapshot(clock(6, 1000), clock(3, 100)), snapshot(clock(6, 3000), clock(3, 200)),
                           self.on(3, 3, 50), self.on(3, 3, 150), self.on(3, 3, 201))
        self.assertEqual([row.ts for row in judge.rows], [950, 1050, 3001])

    def test_two_hops(self):
        judge = self.clean(track(1), snapshot(clock(6, 1000), clock(3, 100)), snapshot(clock(64, 5), clock(3, 100)),
                           self.on(64, 3, 6))
        self.assertEqual(judge.rows[0].ts, 1001)

    def test_primary_trace_clock(self):
        judge = self.clean(track(1), packet(F(10, 1), F(6, clock(3, 100) + clock(64, 0) + F(2, 3))), self.on(64, 3, 7))
        self.assertEqual(judge.rows[0].ts, 107)

    def test_incremental_clock(self):
        """Default clock 64 with a unit of 10 ns, negative delta included."""
        defaults = F(59, F(58, 64))
        judge = self.clean(track(1), reset(defaults), snapshot(clock(6, 1000), clock(64, 100, 10, 1)),
                           begin(1), end(5), event(3, -2, name="back"))
        self.assertEqual(self.spans(judge), [(1010, 50, 0, "a"), (1040, 0, 1, "back")])
        self.assertEqual(len(varint(-2)), 10)

    def test_incremental_counts_every_packet_of_the_sequence(self):
        snap = snapshot(clock(6, 0), clock(64, 0, 0, 1), more=F(8, 1000))     # a snapshot's own time does not count
        judge = self.clean(track(1), reset(F(59, F(58, 64))), snap, packet(F(10, 1), F(8, 5)), event(3, 2))
        self.assertEqual(judge.rows[0].ts, 7)

    def test_private_clocks_are_per_sequence(self):
        self.bad("unknown_clock", track(1), snapshot(clock(6, 0), clock(64, 0), seq=1), self.on(64, 3, 5, seq=2))

    def test_reset_forgets_incremental_clocks(self):
        snap = snapshot(clock(6, 100), clock(64, 100, 0, 1))
        self.bad("unknown_clock", track(1), snap, reset(), self.on(64, 3, 5))
        judge = self.clean(track(1), snap, self.on(64, 3, 5), reset(), snap, self.on(64, 3, 7))
        self.assertEqual([row.ts for row in judge.rows], [105, 107])

    def test_unknown_clock(self):
        self.bad("unknown_clock", track(1), self.on(3, 3, 5))
        self.bad("unknown_clock", track(1), self.on(64, 3, 5))
        self.bad("unknown_clock", track(1), snapshot(clock(3, 0), clock(64, 0)), self.on(64, 3, 5))

    def test_timestamp_out_of_range(self):
        judge = self.bad({"timestamp_out_of_range": 2}, track(1), begin(1 << 63), begin(-5), pair((1 << 63) - 2, 1))
        self.assertEqual(len(judge.rows), 1)
        snap = snapshot(clock(6, 10), clock(64, 10, 0, 1))
        self.bad("timestamp_out_of_range", track(1), snap, self.on(64, 3, -11))
        self.bad("timestamp_out_of_range", track(1), self.on(3, 3, 1), snapshot(clock(6, 0), clock(3, 9)))

    def test_bad_clock_snapshot(self):
        for bad in (snapshot(clock(6, 0), clock(3, 0, 0, 1)), snapshot(clock(6, 0), clock(6, 0)),
                    snapshot(clock(6, 0, 10)), snapshot(clock(64, 0), clock(6, 0), seq=0),
                    snapshot(clock(6, 0), clock(64, 0, 10)) + snapshot(clock(6, 0), clock(64, 0, 20))):
            self.bad("bad_clock_snapshot", track(1), bad)

    def test_clock_moved_back(self):
        snaps = snapshot(clock(6, 10), clock(64, 10)) + snapshot(clock(6, 20), clock(64, 0))
        self.bad({"clock_moved_back": 1, "unknown_clock": 1}, track(1), snaps, self.on(64, 3, 5))
        self.bad("clock_moved_back", snapshot(clock(6, 10), clock(1, 5)), snapshot(clock(6, 9), clock(1, 6)))
        self.clean(snapshot(clock(6, 10), clock(1, 5)), snapshot(clock(6, 11), clock(1, 4)))

    def test_lost_payload(self):
        descriptor = F(60, F(1, 1) + F(2, "t"))
        self.bad("lost_payload", snapshot(clock(6, 0), more=descriptor))
        self.bad("lost_payload", track(1), packet(F(8, 1), F(10, 1), F(11, F(9, 3) + F(11, 1)), descriptor))


class TrackTest(JudgeTest):
    def test_paths(self):
        judge = self.clean(track(0, "", F(11, 3)), process(1, 7, "NPU"), thread(2, 7, 9, "core"),
                           track(3, "queue", parent=1), track(4, "dma", parent=3), pair(1, 2, uuid=4), pair(1, 2, uuid=2))
        self.assertEqual({t.uuid: t.path for t in judge.tracks.values() if t.uuid},
                         {1: "NPU", 2: "NPU / core", 3: "NPU / queue", 4: "NPU / queue / dma"})
        self.assertEqual(judge.rows[0].track.process, "NPU")

    def test_descriptor_after_the_events(self):
        self.assertEqual(self.clean(pair(1, 2), track(1, "late")).rows[0].track.path, "late")

    def test_track_redefined(self):
        judge = self.bad("track_redefined", track(1, "first"), track(1, "second"))
        self.assertEqual(judge.tracks[1].name, "first")
        self.bad("track_redefined", process(1, 1, "P"), process(1, 2, "P"))
        self.clean(track(1, "same"), track(1, "same"), process(2), process(2))

    def test_unknown_parent(self):
        judge = self.bad("unknown_parent", track(1, "t", parent=9), pair(1, 2))
        self.assertEqual(judge.rows, [])
        self.clean(track(1, "t", parent=9), track(9), pair(1, 2))

    def test_ids(self):
        self.bad("process_without_pid", track(1, "", F(3, F(6, "P"))))
        self.bad("thread_without_ids", track(1, "", F(4, F(1, 1))))
        self.bad("thread_without_ids", track(1, "", F(4, F(2, 1))))
        self.bad("pid_zero", process(1, 0))
        self.bad("tid_zero", thread(1, 1, 0))
        self.bad("track_without_uuid", packet(F(60, F(2, "t"))))
        self.bad("duplicate_tid", thread(1, 1, 1), thread(2, 1, 1))
        self.bad("duplicate_pid", process(1, 1), process(2, 1))
        self.clean(thread(1, 1, 1), thread(2, 2, 1), thread(3, 1, 2), process(4, 1))

    def test_ancestors(self):
        self.bad({"ancestor_loop": 2}, track(1, "a", parent=2), track(2, "b", parent=1))
        self.bad("ancestor_loop", track(1, "a", parent=1))
        chain = [track(n, "t", parent=n - 1) for n in range(1, 102)]
        self.clean(*chain)
        self.bad("too_many_ancestors", *chain, track(102, "t", parent=101))

    def test_undescribed_track(self):
        judge = self.bad("undescribed_track", track(1), pair(1, 2, uuid=5))
        self.assertEqual(len(judge.rows), 1)
        self.assertEqual(self.clean(track(1), pair(1, 2, uuid=0)).rows[0].track.path, "Default Track")

    ORDERED = packet(F(60, F(1, 0) + F(19, 1) + F(20, 1)))

    def order(self, *parts, ignored=0):
        judge = self.bad({"rank_ignored": ignored}, *parts) if ignored else self.clean(*parts)
        return [t.uuid for t in judge.display_order()]

    def test_display_order(self):
        children = [track(n, f"t{n}", F(12, -n), parent=3) for n in (11, 12, 13)]
        group = track(3, "g", F(11, 3), parent=1)
        self.assertEqual(self.order(process(1), group, *children), [1, 3, 13, 12, 11])
        self.assertEqual(self.order(process(1), track(3, "g", parent=1), *children, ignored=3), [1, 3, 11, 12, 13])
        ranked = [process(1, 1, "A", F(12, 5)), process(2, 2, "B", F(12, 4)), track(4, "x", parent=1)]
        self.assertEqual(self.order(*ranked, ignored=2), [1, 4, 2])
        self.assertEqual(self.order(self.ORDERED, *ranked), [2, 1, 4])
        threads = [process(9), thread(1, 1, 1, "A", F(12, 5)), thread(2, 1, 2, "B", F(12, 4))]
        self.assertEqual(self.order(*threads, ignored=2), [9, 1, 2])
        self.assertEqual(self.order(self.ORDERED, *threads), [9, 2, 1])

    def test_children_of_a_process_are_sorted_by_name(self):
        """Whatever their ranks: "Core 10" comes ahead of "Core 2", and threads ahead of both."""
        cores = [track(n, f"Core {n}", F(12, n), parent=1) for n in (2, 10)]
        self.assertEqual(self.order(process(1, 1, "P", F(11, 3)), *cores, ignored=2), [1, 10, 2])
        self.assertEqual(self.order(process(1), *cores, thread(3, 1, 3, "T"), ignored=2), [1, 3, 10, 2])
        named = [track(n, f"Core {n}", F(12, n), parent=4) for n in (2, 10)]
        box = track(4, "Cores", F(11, 3), parent=1)
        self.assertEqual(self.order(process(1), box, *named), [1, 4, 2, 10])
        self.assertEqual(self.order(self.ORDERED, process(1), thread(3, 1, 3, "T"),
                                    track(5, "lane", F(12, 1), parent=3), ignored=1), [1, 3, 5])


class NestingTest(JudgeTest):
    def test_nested_and_unsorted(self):
        judge = self.clean(track(1), pair(20, 5, "in"), begin(10, "out"), end(30))
        self.assertEqual(self.spans(judge), [(10, 20, 0, "out"), (20, 5, 1, "in")])

    def test_end_before_begin_on_a_tie(self):
        judge = self.clean(track(1), begin(0, "a"), end(50), begin(50, "b"), end(100))
        self.assertEqual(self.spans(judge), [(0, 50, 0, "a"), (50, 50, 0, "b")])

    def test_begin_before_end_tie(self):
        parts = track(1), begin(0, "a"), begin(50, "b"), end(50), end(100)
        judge = self.bad("begin_before_end_tie", *parts)
        self.assertEqual(self.spans(judge), [(0, 100, 0, "a"), (50, 0, 1, "b")])
        self.clean(*parts, nested_zero=True)
        self.bad({"begin_before_end_tie": 1, "end_without_begin": 1}, track(1), begin(0, "a"), begin(50, "b"),
                 end(50, name="a"), end(100, name="b"), nested_zero=True)

    def test_zero_length_slices(self):
        self.clean(track(1), pair(5, 0), pair(5, 0, "b"))
        self.clean(track(1), begin(5), begin(5), end(5), end(9))
        self.clean(track(1), begin(0, "a"), begin(5, "zero"), end(5, name="zero"), end(9))

    def test_end_without_begin(self):
        self.bad("end_without_begin", track(1), end(5))
        self.bad("end_without_begin", track(1), pair(1, 1), end(5))

    def test_missing_end(self):
        judge = self.bad({"missing_end": 2}, track(1), begin(1), begin(2))
        self.assertEqual([row.dur for row in judge.rows], [-1, -1])

    def test_end_mismatch(self):
        self.clean(track(1), begin(1, "a"), end(2, name="a"))
        self.bad({"end_mismatch": 1, "missing_end": 1}, track(1), begin(1, "a"), end(2, name="b"))
        judge = self.bad({"end_mismatch": 1, "end_without_begin": 1}, track(1), begin(0, "a"), begin(50, "b"),
                         end(100, name="a"), end(150, name="b"))
        self.assertEqual(self.spans(judge), [(0, 100, 0, "a"), (50, 50, 1, "b")])
        self.clean(track(1), begin(1, "a", F(22, "x")), end(2, F(22, "x")))
        self.bad({"end_mismatch": 1, "missing_end": 1}, track(1), begin(1, "a", F(22, "x")), end(2, F(22, "y")))

    def test_depth_exceeded(self):
        begins = [begin(n) for n in range(512)]
        ends = [end(1000 + n) for n in range(512)]
        self.assertEqual(self.clean(track(1), *begins, *ends).rows[-1].depth, 511)
        self.bad("depth_exceeded", track(1), *begins, begin(600), *ends)

    def test_instants(self):
        judge = self.clean(track(1), begin(0), event(3, 5, name="i"), event(3, 5, name="j"), event(3, 6, name="k"), end(9))
        self.assertEqual(self.spans(judge)[1:], [(5, 0, 1, "i"), (5, 0, 2, "j"), (6, 0, 1, "k")])
        self.assertEqual((judge.summary()["slices"], judge.summary()["instants"]), (1, 3))

    def test_events_that_are_lost(self):
        self.bad("event_without_timestamp", track(1), packet(F(10, 1), F(11, F(9, 3) + F(11, 1))))
        self.bad({"unsupported_event_type": 2}, track(1), event(0, 1), event(5, 1))
        self.bad({"slice_on_counter_track": 2}, counter(1), pair(1, 1))


class CounterTest(JudgeTest):
    def values(self, judge):
        return [(ts, track.uuid, value) for ts, track, value in judge.counters]

    def test_values(self):
        judge = self.clean(counter(1, facts=F(4, 1000)), event(4, 5, F(30, -3)), event(4, 6, F(44, 0.5)))
        self.assertEqual(self.values(judge), [(5, 1, -3000.0), (6, 1, 500.0)])

    def test_incremental(self):
        judge = self.clean(reset(), counter(1, facts=F(5, 1)), event(4, 1, F(30, 5)), event(4, 2, F(30, 5)),
                           reset(), event(4, 3, F(30, 2)))
        self.assertEqual([value for _, _, value in self.values(judge)], [5.0, 10.0, 2.0])

    def test_extra_counters(self):
        extra = F(31, 7) + F(31, 8) + F(12, 1) + F(12, -2) + F(45, 9) + F(46, 2.5)
        judge = self.clean(track(1), counter(7), counter(8), counter(9), begin(5, "a", extra), end(6, F(31, 7), F(12, 4)))
        self.assertEqual(self.values(judge), [(5, 7, 1.0), (5, 8, -2.0), (5, 9, 2.5), (6, 7, 4.0)])
        defaults = F(59, F(11, F(31, 7)))
        judge = self.clean(track(1), counter(7), reset(defaults), begin(5, "a", F(12, 3)), end(6))
        self.assertEqual(self.values(judge), [(5, 7, 3.0)])

    def test_packed_extra_counter(self):
        packed = F(31, 7) + F(12, varint(1) + varint(2))
        judge = self.bad({"packed_extra_counter": 1, "end_without_begin": 1}, track(1), counter(7),
                         begin(5, "a", packed), end(6))
        self.assertEqual(judge.rows, [])

    def test_extra_counter_limits(self):
        self.bad("extra_counter_without_track", track(1), event(3, 1, F(12, 5)))
        nine = b"".join(F(31, 7) + F(12, n) for n in range(9))
        self.bad("too_many_extra_counters", track(1), counter(7), event(3, 1, nine))

    def test_counter_before_descriptor(self):
        judge = self.bad("counter_before_descriptor", event(4, 5, F(30, 1)), counter(1), event(4, 6, F(30, 2)))
        self.assertEqual(self.values(judge), [(6, 1, 2.0)])

    def test_bad_counters(self):
        self.bad("counter_on_plain_track", track(1), event(4, 5, F(30, 1)))
        self.bad("counter_without_value", counter(1), event(4, 5))
        for value in (math.nan, math.inf, -math.inf):
            self.bad("nonfinite_counter", counter(1), event(4, 5, F(44, value)))
        self.bad("unknown_parent", counter(1, parent=9), event(4, 5, F(30, 1)))


class FlowTest(JudgeTest):
    def arrows(self, judge):
        return [(flow, source.name, sink.name) for flow, source, sink in judge.flows]

    def two(self, first, second, **kw):
        return (track(1), track(2), begin(1, "a", *first), end(3), begin(5, "b", *second, uuid=2), end(6, uuid=2))

    def test_start_step_end(self):
        judge = self.clean(*self.two([fixed64(47, 9)], [fixed64(47, 9)]), begin(7, "c", fixed64(48, 9)), end(8),
                           begin(9, "d", fixed64(47, 9)), end(10), begin(11, "e", fixed64(48, 9)), end(12))
        self.assertEqual(self.arrows(judge), [(9, "a", "b"), (9, "b", "c"), (9, "d", "e")])

    def test_on_end_events_and_instants(self):
        judge = self.clean(track(1), track(2), begin(1, "a"), end(3, fixed64(47, 2 ** 63)),
                           event(3, 4, fixed64(48, 2 ** 63), name="i", uuid=2))
        self.assertEqual(self.arrows(judge), [(2 ** 63, "a", "i")])

    def test_direction_is_by_slice_start(self):
        judge = self.clean(track(1), track(2), begin(1, "early"), begin(2, "late", fixed64(47, 9), uuid=2),
                           end(5, fixed64(48, 9)), end(6, uuid=2))
        self.assertEqual(self.arrows(judge), [(9, "early", "late")])

    def test_flow_not_active(self):
        self.bad("flow_not_active", track(1), begin(1, "a", fixed64(48, 9)), end(2))
        self.bad("flow_not_active", *self.two([fixed64(47, 9), fixed64(48, 9)], [fixed64(48, 9)]))
        source, sink = begin(5, "a", fixed64(47, 9)), begin(5, "b", fixed64(48, 9), uuid=2)
        ends = end(6) + end(6, uuid=2)
        self.clean(track(1), track(2), source, sink, ends)
        self.bad("flow_not_active", track(1), track(2), sink, source, ends)
        self.clean(track(1), track(2), begin(9, "b", fixed64(48, 9), uuid=2), source, end(6), end(9, uuid=2))

    def test_flow_joins_other_correlations(self):
        def pair(first, second):
            numbers = [F(4, F(10, "correlation") + F(4, number)) for number in (first, second)]
            return self.two([fixed64(47, 9), numbers[0]], [fixed64(48, 9), numbers[1]])
        self.clean(*pair(5, 5))
        self.bad("flow_joins_other_correlations", *pair(5, 6))

    def test_flow_without_slice(self):
        self.bad("flow_without_slice", counter(1), event(4, 1, F(30, 1), fixed64(47, 9)))
        self.bad({"flow_without_slice": 1, "end_without_begin": 1}, track(1), end(1, fixed64(47, 9)))


class ArgumentTest(JudgeTest):
    def args(self, *annotations, end_with=()):
        parts = [F(4, item) for item in annotations]
        interned = F(12, entries((1, "iname"), table=3) + entries((1, "ivalue"), table=29))
        judge = self.clean(track(1), reset(interned), begin(1, "a", *parts), end(2, *[F(4, i) for i in end_with]))
        return judge.rows[0].args

    def test_scalars(self):
        self.assertEqual(self.args(F(10, "b") + F(2, 1), F(10, "u") + F(3, 2 ** 64 - 1), F(10, "i") + F(4, -5),
                                   F(10, "d") + F(5, 0.25), F(10, "s") + F(6, "x"), F(10, "p") + F(7, 255),
                                   F(1, 1) + F(17, 1), F(10, "n") + F(5, math.nan)),
                         {"b": True, "u": 2 ** 64 - 1, "i": -5, "d": 0.25, "s": "x", "p": "0xff",
                          "iname": "ivalue", "n": "nan"})

    def test_nested(self):
        inner = F(10, "k") + F(12, F(4, 1)) + F(12, F(11, F(10, "z") + F(4, 2)))
        self.assertEqual(self.args(F(10, "d") + F(11, inner) + F(11, F(1, 1) + F(4, 3)), F(10, "a") + F(12, F(4, 7))),
                         {"d.k[0]": 1, "d.k[1].z": 2, "d.iname": 3, "a[0]": 7})

    def test_begin_and_end_are_merged(self):
        self.assertEqual(self.args(F(10, "x") + F(4, 1), end_with=[F(10, "y.z") + F(4, 2)]), {"x": 1, "y_z": 2})

    def test_fatal_json(self):
        for text in ("null", "NaN", "-Infinity", "[1,NaN]", "", "{"):
            self.bad("fatal_json", track(1), begin(1, "a", F(4, F(10, "k") + F(9, text))), end(2))
        for text in ("{}", '{"a":null}', '"NaN"', "1"):
            self.clean(track(1), begin(1, "a", F(4, F(10, "k") + F(9, text))), end(2))

    def test_annotation_without_name(self):
        self.bad("annotation_without_name", track(1), begin(1, "a", F(4, F(4, 1))), end(2))

    def test_categories(self):
        judge = self.clean(track(1), reset(names((1, "ic"), table=1)), begin(1, "a", F(3, 1), F(22, "lit")), end(2))
        self.assertEqual(judge.rows[0].category, "ic,lit")

    def test_attributes(self):
        def attribute(key, value):
            return F(1, F(1, key) + F(3 if isinstance(value, str) else 2, value))
        judge = self.clean(packet(F(126, attribute("vendor", "v") + attribute("mhz", -1))), track(1))
        self.assertEqual(list(judge.attribute_lines()), ["mhz\t-1", "vendor\tv"])


class CommandTest(JudgeTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace")

    def run_judge(self, data, *options):
        with open(self.path, "wb") as file:
            file.write(data)
        done = subprocess.run([sys.executable, JUDGE, *options, self.path], capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    GOOD = b"".join([
        packet(F(126, F(1, F(1, "tool") + F(3, "tacho\t1")))), packet(F(60, F(1, 0) + F(19, 1))),
        process(1, 7, "NPU", F(12, 2)), track(2, "core", F(15, 3), F(16, "key"), parent=1),
        counter(3, "bw", F(6, "GB/s"), parent=1), reset(),
        begin(10, "b", F(22, "op"), F(4, F(10, "n") + F(4, 3)), fixed64(47, 5), uuid=2), pair(12, 1, "ä\n", uuid=2),
        end(30, uuid=2), event(3, 31, fixed64(48, 5), uuid=2, name="i"), event(4, 10, F(44, 1.5), uuid=3),
        event(4, 11, F(30, 2), uuid=3)])

    def test_summary(self):
        code, out, err = self.run_judge(self.GOOD)
        self.assertEqual((code, err), (0, ""))
        summary = json.loads(out)
        self.assertEqual(list(summary), sorted(summary))
        size = len(self.GOOD)
        self.assertEqual(summary, {
            "packets": 13, "bytes": size, "slices": 2, "instants": 1, "tracks": 1, "sum_dur_ns": 21, "min_ts": 10,
            "max_end": 31, "counters": 2, "flows": 1, "sequences": 1, "state_resets": 1, "problems": {},
            "bytes_per_slice": round(size / 2, 2)})
        self.assertEqual(self.run_judge(self.GOOD, "--summary")[1], out)

    def test_lists(self):
        for option, lines in (
                ("--rows", ['10\t20\t0\tNPU / core\tb\top\t{"n":3}', "12\t1\t1\tNPU / core\tä\\n\t\t{}",
                            "31\t0\t0\tNPU / core\ti\t\t{}"]),
                ("--attributes", ["tool\ttacho\\t1"]),
                ("--tracks", ["1\t0\t2\tprocess\t-\tNPU\t0", "3\t1\t0\tcounter\t-\tNPU / bw\t0",
                              "2\t1\t0\ttrack\tkey\tNPU / core\t2"]),
                ("--threads", ["7\t-\tNPU\t0"]),
                ("--counters", ["10\tNPU / bw\tGB/s\t1.5", "11\tNPU / bw\tGB/s\t2"]),
                ("--flows", ["5\tb@10\ti@31"])):
            self.assertEqual(self.run_judge(self.GOOD, option), (0, "".join(line + "\n" for line in lines), ""))

    def test_row_order(self):
        data = track(1, "y") + track(2, "z") + pair(5, 2, "q", uuid=2) + pair(5, 2, "r") + pair(1, 1)
        rows = [line.split("\t")[4] for line in self.run_judge(data, "--rows")[1].splitlines()]
        self.assertEqual(rows, ["a", "r", "q"])
        nested = track(1) + begin(5, "outer") + pair(5, 2, "inner") + end(9)
        rows = [line.split("\t")[4] for line in self.run_judge(nested, "--rows")[1].splitlines()]
        self.assertEqual(rows, ["outer", "inner"])

    def test_check(self):
        self.assertEqual(self.run_judge(self.GOOD, "--check"), (0, "", ""))
        code, out, err = self.run_judge(self.GOOD + begin(40, uuid=2) + begin(41, uuid=2), "--check")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, r"^missing_end: 2 \(first: .*a@40.*\)\n$")
        self.assertEqual(self.run_judge(self.GOOD + begin(40, uuid=2), "--rows")[0], 0)
        tie = track(1) + begin(0) + pair(5, 0) + end(9)
        self.assertEqual(self.run_judge(tie, "--check")[0], 1)
        self.assertEqual(self.run_judge(tie, "--check", "--nested-zero")[0], 0)

    def test_compressed_files(self):
        plain = self.run_judge(self.GOOD)
        self.assertEqual(self.run_judge(gzip.compress(self.GOOD[:40]) + gzip.compress(self.GOOD[40:])), plain)

    @unittest.skipUnless(shutil.which("zstd"), "zstd is not installed")
    def test_zstd_files(self):
        packed = subprocess.run(["zstd", "-cq"], input=self.GOOD, stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(self.run_judge(packed), self.run_judge(self.GOOD))

    def test_unreadable(self):
        for data in (b"", b'{"traceEvents":[]}', gzip.compress(self.GOOD)[:-20], b"\x28\xb5\x2f\xfdxx"):
            code, out, err = self.run_judge(data, "--check")
            self.assertEqual((code, out), (2, ""))
            self.assertIn("trace_judge:", err)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(trace_judge.main([self.path + ".missing"]), 2)


if __name__ == "__main__":
    unittest.main()
