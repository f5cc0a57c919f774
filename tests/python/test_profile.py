# SPDX-License-Identifier: Apache-2.0
"""Profiles: rows one by one and as columns, from files and from memory."""
import csv
import gc
import json
import math
import os
import pathlib
import tempfile
import unittest

from helpers import DATA, R0, T1, needs_numpy, needs_pandas

import tacho

CHROME = json.dumps([
    {"ph": "X", "name": "outer", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {
        "bytes": 2 ** 60 + 1, "real": 1.5, "flag": True, "text": "a\u00e4", "none": None,
        "list": [1, [2, {"x": -3}], "z"], "after": 4}},
    {"ph": "X", "name": "inner", "pid": 1, "tid": 1, "ts": 11, "dur": 1, "args": {"bytes": 7}},
    {"ph": "C", "name": "load", "pid": 1, "ts": 12, "args": {"value": 0.5}},
    {"ph": "s", "name": "f", "cat": "c", "id": 9, "pid": 1, "tid": 1, "ts": 11},
    {"ph": "f", "name": "f", "cat": "c", "id": 9, "pid": 1, "tid": 1, "ts": 14, "bp": "e"},
]).encode()


class Reading(unittest.TestCase):
    def test_spans_are_those_of_the_file(self):
        with open(T1, encoding="utf-8") as source:
            rows = list(csv.reader(source))
        starts = sorted(int(cell) for row in rows for cell in row[1:2] if cell.strip().isdigit())
        profile = tacho.Profile(T1)
        self.assertEqual(sorted(span.start_ticks for span in profile.spans), starts)
        self.assertGreater(len(starts), 4)

    def test_iterator_index_and_columns_agree(self):
        profile = tacho.Profile(T1, R0)
        columns = profile.spans.columns()
        self.assertEqual(len(profile.spans), 11)
        for index, span in enumerate(profile.spans):
            self.assertEqual(span.number, index)
            self.assertEqual(columns["start_ns"][index], span.start_ns)
            self.assertEqual(columns["end_ns"][index], span.end_ns)
            self.assertEqual(span.duration_ns, span.end_ns - span.start_ns)
            self.assertEqual(profile.spans.text(columns["name"][index]), span.name)
            self.assertEqual(profile.spans.text(columns["location"][index]), span.location)
            self.assertEqual(repr(profile.spans[index]), repr(span))
            self.assertEqual(profile.spans[index - 11].number, index)
        with self.assertRaises(IndexError):
            profile.spans[11]
        with self.assertRaises(IndexError):
            profile.spans[-12]

    def test_more_rows_than_one_read(self):
        lines = "".join(f"DI{i},{i},{i + 1},loc,DMA_IN\n" for i in range(10000))
        profile = tacho.Profile(lines.encode(), format="torq-timeline")
        spans = list(profile.spans)
        self.assertEqual([span.start_ticks for span in spans], list(range(10000)))
        self.assertEqual([span.args["id"] for span in spans[4090:4100]],
                         [f"DI{i}" for i in range(4090, 4100)])

    def test_columns_are_buffers_of_numbers(self):
        columns = tacho.Profile(T1).spans.columns("start_ns", "track", "is_instant")
        self.assertEqual(list(columns), ["start_ns", "track", "is_instant"])
        self.assertEqual([view.format for view in columns.values()], ["q", "I", "B"])
        self.assertEqual(columns["start_ns"].nbytes, 8 * 7)
        with self.assertRaisesRegex(KeyError, "no column 'x'; there are start_ns, end_ns"):
            tacho.Profile(T1).spans.columns("x")

    def test_parts_tracks_and_facts(self):
        profile = tacho.Profile(T1, R0)
        self.assertEqual([part.origin for part in profile.parts], ["estimated", "measured"])
        self.assertEqual(profile.parts[0].path, str(T1))
        tracks = list(profile.tracks)
        self.assertEqual([track.number for track in tracks], list(range(len(tracks))))
        roots = [track for track in tracks if track.parent is None]
        self.assertEqual([root.number for root in roots], [part.root for part in profile.parts])
        self.assertEqual({track.part for track in tracks}, {0, 1})
        self.assertIsInstance(profile.facts, dict)
        self.assertEqual(repr(profile), "<Profile t1.csv, r0.csv: 11 spans>")

    def test_losses(self):
        profile = tacho.Profile(DATA / "bad" / "t2_not_numbers.csv")
        self.assertGreater(profile.lost_count, 0)
        self.assertEqual(sum(loss.count for loss in profile.losses), profile.lost_count)
        self.assertEqual(profile.losses[0].reason, "not_a_number")
        self.assertIn(f"{profile.lost_count} lost", repr(profile))

    def test_arguments(self):
        outer = tacho.Profile(CHROME).spans[0]
        self.assertEqual(outer.name, "outer")
        self.assertEqual(outer.args, {
            "bytes": 2 ** 60 + 1, "real": 1.5, "flag": True, "text": "aä", "none": None,
            "list": [1, [2, {"x": -3}], "z"], "after": 4})
        self.assertIs(outer.args["flag"], True)

    def test_arguments_as_a_column(self):
        values = tacho.Profile(CHROME).spans.arg("bytes")
        self.assertEqual(list(values), [float(2 ** 60 + 1), 7.0])
        self.assertTrue(all(map(math.isnan, tacho.Profile(CHROME).spans.arg("nothing"))))

    def test_counters_and_flows(self):
        profile = tacho.Profile(CHROME)
        self.assertEqual([(sample.time_ns, sample.value) for sample in profile.counters],
                         [(2000, 0.5)])
        track = profile.tracks[next(iter(profile.counters)).track]
        self.assertEqual((track.name, track.track_class), ("load value", "counter"))
        self.assertEqual([flow.phase for flow in profile.flows], ["leaves", "arrives"])
        self.assertEqual(len({flow.id for flow in profile.flows}), 1)

    def test_sources(self):
        content = T1.read_bytes()
        for source in (T1, str(T1), content, bytearray(content), memoryview(content),
                       memoryview(bytearray(content)), memoryview(b"xx" + content)[2:]):
            self.assertEqual(len(tacho.Profile(source).spans), 7)
        self.assertEqual(len(tacho.read([T1, R0]).parts), 2)
        self.assertEqual(len(tacho.read(content).parts), 1)
        with self.assertRaises(TypeError):
            tacho.Profile(3)

    def test_names_that_are_not_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.fsencode(folder) + b"/\xff.csv"
            with open(path, "wb") as target:
                target.write(T1.read_bytes())
            profile = tacho.Profile(pathlib.Path(os.fsdecode(path)))
            self.assertEqual(os.fsencode(profile.parts[0].path), path)

    def test_texts_that_hold_nul(self):
        source = json.dumps([{"ph": "X", "name": "a\0b", "pid": 1, "tid": 1, "ts": 0, "dur": 1,
                              "args": {"k\0l": "v\0w", "k\0m": 1}}]).encode()
        profile = tacho.Profile(source)
        self.assertEqual(profile.spans[0].name, "a\0b")
        self.assertEqual(profile.spans[0].args, {"k\0l": "v\0w", "k\0m": 1})
        self.assertEqual(profile.ops["operation"], ["a\0b"])

    def test_options(self):
        self.assertEqual({span.category for span in tacho.Profile(T1, filter="DMA_IN").spans},
                         {"dma_in"})
        self.assertEqual(tacho.Profile(T1, clock_mhz=100).parts[0].ns_numerator, 10)
        self.assertEqual(tacho.Profile(T1, clock_mhz="1600").spans[0].end_ns, 9408 * 10 // 16)
        whole, part = tacho.Profile(T1), tacho.Profile(T1, window_ns=(0, 5000))
        self.assertEqual({span.start_ns for span in part.spans},
                         {span.start_ns for span in whole.spans if span.start_ns < 5000})
        long = tacho.Profile(T1, min_duration_ns=10000)
        self.assertTrue(0 < len(long.spans) < 7)
        self.assertEqual(sum(long.ops["count"]), len(long.spans))

    def test_columns_outlive_the_profile(self):
        profile = tacho.Profile(T1)
        columns, spans = profile.spans.columns(), profile.spans
        expected = list(columns["end_ns"])
        profile.close()
        del profile
        gc.collect()
        self.assertEqual(list(columns["end_ns"]), expected)
        self.assertEqual(spans[0].args, {"id": "DI0"})  # holds on to what it needs

    def test_closed(self):
        with tacho.Profile(T1) as profile:
            self.assertEqual(len(profile.spans), 7)
        self.assertEqual(repr(profile), "<Profile closed>")
        for use in (lambda: profile.spans, lambda: profile.parts, profile.to_numpy):
            with self.assertRaisesRegex(ValueError, "the profile is closed"):
                use()
        profile.close()


class Arrays(unittest.TestCase):
    @needs_numpy
    def test_numpy_shares_memory(self):
        import numpy
        profile = tacho.Profile(T1)
        view = profile.spans.columns("start_ns")["start_ns"]
        array = numpy.frombuffer(view, "q")
        self.assertEqual(array.tolist(), list(view))
        arrays = profile.to_numpy("end_ns", "is_unended", "track")
        self.assertEqual([str(a.dtype) for a in arrays.values()], ["int64", "bool", "uint32"])
        self.assertIsNotNone(arrays["end_ns"].base)
        self.assertEqual(arrays["end_ns"].tolist(), [span.end_ns for span in profile.spans])

    @needs_pandas
    def test_pandas_has_texts_as_categories(self):
        profile = tacho.Profile(T1, R0)
        frame = profile.to_pandas()
        self.assertEqual(list(frame.columns), list(profile.spans.names))
        self.assertEqual(frame.name.tolist(), [span.name for span in profile.spans])
        self.assertEqual(frame.name.dtype.name, "category")
        self.assertEqual(sorted(frame.origin.cat.categories), ["estimated", "measured"])
        self.assertEqual([None if value != value else value for value in frame.run.tolist()],
                         [span.run for span in profile.spans])
        self.assertEqual(profile.tracks.to_pandas().name.tolist(),
                         [track.name for track in profile.tracks])
        self.assertEqual(tacho.Profile(CHROME).counters.to_pandas().value.tolist(), [0.5])

    @needs_pandas
    def test_texts_that_end_in_the_same_name(self):
        """Names that differ behind a NUL are one category, not an error."""
        trace = json.dumps([{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": i, "dur": 1}
                            for i, name in enumerate(("a\0b", "a\0c", "b"))])
        frame = tacho.Profile(trace.encode()).to_pandas("name")
        self.assertEqual(len(frame), 3)

    @needs_pandas
    def test_nothing(self):
        profile = tacho.Profile(T1, filter="no such name")
        self.assertEqual(len(profile.spans), 0)
        self.assertEqual(list(profile.spans), [])
        self.assertEqual(profile.to_pandas().shape, (0, 16))

    def test_without_numpy_it_says_what_to_do(self):
        import helpers
        if helpers.HAS_NUMPY:
            self.skipTest("left to python.plain")
        with self.assertRaisesRegex(ImportError, "install python3-numpy, or use columns"):
            tacho.Profile(T1).to_numpy()
        with self.assertRaisesRegex(ImportError, "install python3-pandas"):
            tacho.Profile(T1).to_pandas()


if __name__ == "__main__":
    unittest.main()
