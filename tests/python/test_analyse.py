# SPDX-License-Identifier: Apache-2.0
"""Analyses, tables and conversions give what the commands of tacho give."""
import csv
import io
import json
import os
import signal
import shutil
import subprocess
import tempfile
import threading
import unittest

from helpers import DATA, R0, T1, needs_numpy, needs_pandas

import tacho
import tiny_onnx

KINETO = DATA / "chrome" / "kineto.json"
DEBUG = DATA / "annotate" / "clean.9.executable-targets.mlir"
RUNTIME = DATA / "annotate" / "clean_r2i.csv"


def make_slow_trace(test):
    """A file that takes a moment to read."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    path = os.path.join(folder.name, "slow.json")
    with open(path, "wb") as target:
        target.write(b"[" + b",".join(
            b'{"ph":"X","name":"n","pid":1,"tid":1,"ts":%d,"dur":1}' % i for i in range(400000)) + b"]")
    return path


class Tables(unittest.TestCase):
    def setUp(self):
        self.tables = tacho.ops(T1)
        self.ops = self.tables["ops"]

    def test_find(self):
        self.assertIn("ops", self.tables)
        self.assertEqual(self.tables.ids, [table.id for table in self.tables])
        self.assertEqual(self.tables[0].id, "ops")
        with self.assertRaisesRegex(KeyError, "no table 'x'; there are ops, lost"):
            self.tables["x"]
        with self.assertRaisesRegex(KeyError, "no column 'x' in table 'ops'; there are file"):
            self.ops["x"]

    def test_cells(self):
        rows = list(self.ops)
        self.assertEqual(len(rows), len(self.ops))
        self.assertEqual([row["operation"] for row in rows], self.ops["operation"])
        self.assertEqual(self.ops.cell(0, "count"), rows[0]["count"])
        self.assertIsNone(rows[0]["bytes"])
        self.assertIsInstance(rows[0]["share_percent"], float)
        self.assertEqual(sum(self.ops["count"]), 7)
        with self.assertRaises(IndexError):
            self.ops.cell(len(self.ops), "count")
        with self.assertRaises(IndexError):
            self.ops.cell(-1 - len(self.ops), "count")
        units = {column.id: (column.unit, column.type) for column in self.ops.columns}
        self.assertEqual(units["total_ns"], ("ns", int))
        self.assertEqual(units["operation"], ("", str))

    def test_tables_outlive_their_set(self):
        table = tacho.ops(T1)["ops"]
        self.assertEqual(len(table["operation"]), len(table))

    def test_write(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ops.csv")
            self.tables.write(path)
            with open(path, encoding="utf-8", newline="") as source:
                written = list(csv.DictReader(source))
            self.assertEqual([row["operation"] for row in written[:len(self.ops)]],
                             self.ops["operation"])
            with self.assertRaisesRegex(tacho.UsageError, "unknown table format"):
                self.tables.write(path, "x")

    def test_html(self):
        shown = self.ops._repr_html_()
        self.assertEqual(shown.count("<tr>"), 1 + len(self.ops))
        self.assertIn(">17.640 us<", shown.replace("µs", "us").replace("\u03bcs", "us"))
        self.assertEqual(self.ops.cell_text(0, 1), self.ops["operation"][0])
        titles = {column.id: column.title for column in self.ops.columns}
        self.assertIn(f">{titles['total_ns']}<", shown)
        self.assertNotIn(f">{titles['bytes']}<", shown)  # no row has any
        self.assertEqual(self.tables._repr_html_(), shown)  # "lost" has no rows
        hostile = json.dumps([{"ph": "X", "name": "<script>&\"'", "pid": 1, "tid": 1, "ts": 0, "dur": 1}])
        shown = tacho.ops(hostile.encode())["ops"]._repr_html_()
        self.assertNotIn("<script>", shown)
        self.assertIn("&lt;script&gt;&amp;&quot;&#x27;", shown)
        many = json.dumps([{"ph": "X", "name": f"n{i}", "pid": 1, "tid": 1, "ts": i, "dur": 1}
                           for i in range(150)])
        self.assertIn("50 more rows", tacho.ops(many.encode())["ops"]._repr_html_())

    def test_profile_html(self):
        shown = tacho.Profile(T1)._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc=\"&lt;!doctype html&gt;"))
        self.assertEqual(shown.count('"'), 6)  # nothing ends the attribute early

    @needs_numpy
    def test_numpy(self):
        arrays = self.ops.to_numpy()
        self.assertEqual(arrays["total_ns"].dtype.name, "int64")
        self.assertEqual(arrays["total_ns"].tolist(), self.ops["total_ns"])
        self.assertTrue((arrays["bytes"] != arrays["bytes"]).all())  # NaN
        self.assertEqual(arrays["operation"].tolist(), self.ops["operation"])

    @needs_pandas
    def test_pandas(self):
        frame = self.ops.to_pandas()
        self.assertEqual(list(frame.columns), [column.id for column in self.ops.columns])
        self.assertEqual(frame.total_ns.tolist(), self.ops["total_ns"])
        self.assertEqual(frame.bytes.dtype.name, "Int64")
        self.assertTrue(frame.bytes.isna().all())


class Analyses(unittest.TestCase):
    def test_ops_options(self):
        self.assertEqual(len(tacho.ops(T1, top=2)["ops"]), 2)
        self.assertEqual(set(tacho.ops(T1, track_class="dma_in")["ops"]["class"]), {"dma_in"})
        kept = tacho.ops(T1, accepts=lambda name, location: name == "fill")["ops"]
        self.assertEqual(kept["operation"], ["fill"])
        names = tacho.ops(T1, sort="name")["ops"]["operation"]
        self.assertEqual(names, sorted(names))
        self.assertIn(None, tacho.ops(T1, by_instance=True)["ops"]["location"])
        self.assertEqual(set(tacho.ops(T1, filter="DMA_IN")["ops"]["operation"]), {"DMA_IN"})

    def test_query(self):
        found = tacho.query(T1, "SELECT name, count(*) AS n, NULL AS x FROM spans GROUP BY name "
                                "ORDER BY name")["query"]
        names = [span.name for span in tacho.Profile(T1).spans]
        self.assertEqual(found["name"], sorted(set(names)))
        self.assertEqual(found["n"], [names.count(name) for name in found["name"]])
        self.assertEqual(set(found["x"]), {None})
        profile = tacho.Profile(T1.read_bytes(), filter="DMA_IN")
        self.assertEqual(profile.query("SELECT count(*) AS n FROM spans")["n"], [len(profile.spans)])
        for wrong in ((T1, "SELECT nothing FROM spans"), (T1, "DROP TABLE spans"), (T1,), ()):
            with self.assertRaises(tacho.UsageError):
                tacho.query(*wrong)
        with self.assertRaisesRegex(tacho.UsageError, "negative"):
            tacho.query(T1, "SELECT 1", timeout=-1)

    def test_query_limits(self):
        three = "SELECT 1 AS n UNION SELECT 2 UNION SELECT 3"
        endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
        profile = tacho.Profile(T1)
        self.assertEqual(tacho.query(T1, three, max_rows=3, timeout=60)["query"]["n"], [1, 2, 3])
        self.assertEqual(profile.query(three, max_rows=3)["n"], [1, 2, 3])
        for ask in (tacho.query, lambda _, *given, **limits: profile.query(*given, **limits)):
            with self.assertRaisesRegex(tacho.LimitError, "2 rows"):
                ask(T1, three, max_rows=2)
            with self.assertRaisesRegex(tacho.LimitError, "0.05 s"):
                ask(T1, endless, timeout=0.05)

    def test_overview(self):
        table = tacho.overview(T1, wall_time_ns=207000000)["overview"]
        values = dict(zip(table["metric"], table["time_ns"]))
        self.assertEqual(values["OVERALL"], 40864 * 5 // 4)
        self.assertEqual(values["WALL_TIME"], 207000000)
        self.assertEqual(tacho.Profile(T1).overview(in_cycles=True)["overview"]["cycles"][0], 40864)

    def test_breakdown(self):
        tables = tacho.breakdown(KINETO)
        self.assertEqual((tables["devices"]["span_ns"], tables["devices"]["busy_ns"]), ([8125], [8125]))
        self.assertEqual(tacho.Profile(KINETO).breakdown()["streams"]["stream"], ["stream 7"])
        self.assertEqual(tables["notes"]["note"],
                         ["one piece of work is too little for a verdict",
                          "no steps found; percentages are of the whole span"])

    def test_a_filter_hides_work_and_so_the_verdict(self):
        def event(category, name, start, length, correlation):
            return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": start,
                    "dur": length, "args": {"correlation": correlation, "device": 0}}
        events = [event(*piece) for i in range(100) for piece in
                  (("cuda_runtime", "cudaLaunchKernel", 100 * i, 5, i),
                   ("kernel", f"gemm {i % 2}", 100 * i + 10, 10, i))]
        trace = json.dumps(events).encode()
        self.assertIn("Host-bound", str(tacho.breakdown(trace)["verdict"][0]))
        filtered = tacho.breakdown(trace, filter="gemm")
        self.assertEqual([table for table in filtered.ids if table in ("verdict", "advice")], [])
        self.assertIn("verdict", tacho.breakdown(trace, window_ns=(0, 5000000)).ids)

    def test_annotate_tells_of_sources_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            debug, loop = (os.path.join(folder, name) for name in ("debug", "loop"))
            os.mkdir(debug)
            os.mkdir(loop)
            shutil.copy(DEBUG, debug)
            os.symlink("clean_model.mlir", os.path.join(loop, "clean_model.mlir"))
            self.assertEqual(len(tacho.annotate(debug, RUNTIME)["problems"]), 0)  # none is there
            problem = tacho.annotate(debug, RUNTIME, source_dirs=[loop])["problems"][0]
            self.assertEqual((problem["problem"], problem["count"]), ("unread_file", None))
            self.assertIn("loop/clean_model.mlir: cannot open the source file: ", problem["meaning"])

    def test_annotate(self):
        tables = tacho.annotate(DEBUG, RUNTIME)
        self.assertGreater(len(tables["annotation"]), 0)
        self.assertEqual(len(tables["problems"]), 0)
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.pb")
            tacho.annotate(DEBUG, RUNTIME, trace=trace, columns="torq-a0",
                           source_dirs=[DATA / "annotate"])
            self.assertGreater(len(tacho.Profile(trace).spans), 0)

    def test_info_and_machines(self):
        self.assertEqual(tacho.info(T1)["inputs"]["format"], ["torq-timeline"])
        self.assertIn("aic100", tacho.machines()["machines"]["machine"])
        self.assertGreater(len(tacho.machine("aic100")["machine"]), 20)

    def test_diff(self):
        same = tacho.diff(T1, T1, gate="rel=3%,abs=20us")
        self.assertIn(same.outcome, ("pass", "inconclusive"))
        self.assertEqual(tacho.diff(T1, [T1]).outcome, "none")
        names = {by: [row["operation"] for row in tacho.diff(T1, T1, by=by)["operations"]]
                 for by in ("instance", "type", "layer:1")}
        self.assertEqual(names["layer:1"], ["(no layer)"])
        self.assertGreater(len(names["instance"]), 1)
        self.assertEqual(names["type"],
                         [row["operation"] for row in tacho.diff(T1, T1, by_type=True)["operations"]])
        with self.assertRaisesRegex(tacho.UsageError, "expected instance, type, op, layer or layer:N"):
            tacho.diff(T1, T1, by="line")
        with tempfile.TemporaryDirectory() as folder:
            for side, time in (("old", 10000), ("new", 20000)):
                os.mkdir(os.path.join(folder, side))
                for number in range(6):
                    with open(os.path.join(folder, side, f"{number}.json"), "w", encoding="utf-8") as target:
                        json.dump([{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 0,
                                    "dur": time + number}], target)
            slower = tacho.diff(os.path.join(folder, "old"), os.path.join(folder, "new"),
                                gate="rel=3%,abs=20us")
            self.assertEqual(slower.outcome, "regression")
            self.assertGreater(len(slower), 0)
            faster = tacho.diff(os.path.join(folder, "new"), os.path.join(folder, "old"),
                                gate="rel=3%,abs=20us")
            self.assertEqual(faster.outcome, "pass")

    def test_agreement(self):
        """An estimate and a measurement: each operator's ratio is that of their times."""
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run.json")
            with open(run, "w", encoding="utf-8") as target:
                json.dump([{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur}
                           for name, ts, dur in (("conv", 0, 20), ("relu", 20, 5))], target)
            estimate = b'S1,0,8000,loc("m":2:1),conv\nS2,8000,8800,loc("m":3:1),relu\n'
            found = tacho.diff(estimate, run)
            self.assertEqual({row["operation"]: row["ratio"] for row in found["agreement"]},
                             {"relu": 5.0, "conv": 2.0})

    def test_roofline(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chain.onnx")
            with open(path, "wb") as target:
                target.write(tiny_onnx.model("Exp", "f32", (64, 64)))
            found = tacho.roofline(path, machine="aic100")
            self.assertEqual(found.above_count, 0)
            said = subprocess.run(["tacho", "roofline", path, "-m", "aic100", "--csv", "--top", "0"],
                                  check=True, capture_output=True, text=True).stdout
            self.assertEqual([row["operator"] for row in found["roofline"]],
                             [row["operator"] for row in csv.DictReader(io.StringIO(said))])
            self.assertEqual(len(tacho.roofline(path, machine="aic100", top=1)["roofline"]), 1)
            above = tacho.roofline(path, roof="f32=1FLOP/s,DDR=1B/s", machine="aic100")
            self.assertGreater(above.above_count, 0)
            with self.assertRaises(tacho.UsageError):
                tacho.roofline(path, machine="aic100", sort="speed")
            with self.assertRaises(TypeError):
                tacho.roofline(path, model={"colour": "red"})

    def test_baselines(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(tacho.save_baseline(folder, "main", T1))
            with self.assertRaises(tacho.TachoError):
                tacho.save_baseline(folder, "main", T1)
            with self.assertRaises(tacho.TachoError):
                tacho.save_baseline(folder, "main", T1, replace=True)
            self.assertTrue(tacho.save_baseline(folder, "main", T1, replace=True, reason="again"))
            listed = tacho.baselines(folder)["baselines"]
            self.assertEqual([row["reason"] for row in listed][-1], "again")
            same = tacho.diff(os.path.join(folder, "main"), T1, gate="rel=1%")
            self.assertEqual(same.outcome, "pass")

    def test_bytes(self):
        self.assertEqual(tacho.ops(T1.read_bytes())["ops"]["total_ns"],
                         tacho.ops(T1)["ops"]["total_ns"])


class Conversions(unittest.TestCase):
    def test_to_a_file_and_to_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            done = tacho.convert(T1, R0, output=path)
            self.assertEqual((done.event_count, done.lost_count, done.unplaced_count), (11, 0, 0))
            with open(path, encoding="utf-8") as source:
                events = json.load(source)
            events = events["traceEvents"] if isinstance(events, dict) else events
            self.assertEqual(sum(event["ph"] == "X" for event in events), 11)
            done = tacho.convert(KINETO, output=os.path.join(folder, "t.speedscope.json"))
            self.assertEqual((done.lost_count, done.unplaced_count), (0, 2))
        trace = tacho.convert_to_bytes(T1, to="perfetto")
        self.assertEqual(len(tacho.Profile(trace).spans), 7)
        self.assertLess(len(tacho.convert_to_bytes(T1, to="perfetto", omit_args=True)), len(trace))

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.html")
            done = tacho.report(T1, DATA / "bad" / "garbage.bin", output=path, title="Title here")
            self.assertEqual((done.read_count, len(done.skipped), done.span_count), (1, 1, 7))
            self.assertIn("garbage.bin", done.skipped[0])
            with open(path, encoding="utf-8") as source:
                self.assertTrue(source.read().startswith("<!doctype html>"))
            with self.assertRaises(tacho.TachoError):
                tacho.report(T1, DATA / "bad" / "garbage.bin", output=path, strict=True)


class Callbacks(unittest.TestCase):
    def test_progress(self):
        steps = []
        tacho.Profile(make_slow_trace(self), progress=lambda done, total: steps.append((done, total)))
        self.assertGreater(len(steps), 1)
        self.assertEqual([done for done, _ in steps], sorted(done for done, _ in steps))

    def test_false_cancels(self):
        with self.assertRaises(tacho.CancelledError):
            tacho.Profile(make_slow_trace(self), progress=lambda done, total: False)

    def test_an_exception_comes_through(self):
        error = RuntimeError("mine")

        def fail(*_):
            raise error
        with self.assertRaises(RuntimeError) as caught:
            tacho.Profile(make_slow_trace(self), progress=fail)
        self.assertIs(caught.exception, error)
        with self.assertRaises(RuntimeError):
            tacho.ops(T1, accepts=fail)

    def test_interrupt_ends_a_call(self):
        trace = make_slow_trace(self)
        before = signal.getsignal(signal.SIGINT)
        timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            for _ in range(200):
                tacho.Profile(trace)
        timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_threads_read_at_once(self):
        profile, seen = tacho.Profile(T1), []

        def read():
            for _ in range(50):
                seen.append(sum(profile.spans.columns("end_ns")["end_ns"]))
                seen.append(sum(tacho.Profile(T1).spans.columns("end_ns")["end_ns"]))
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(seen), len(set(seen))), (400, 1))


if __name__ == "__main__":
    unittest.main()
