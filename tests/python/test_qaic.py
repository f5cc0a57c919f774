# SPDX-License-Identifier: Apache-2.0
"""Sessions by the names of the vendor's Python API."""
import contextlib
import io
import json
import os
import struct
import tempfile
import unittest
import warnings

import tiny_onnx

import qaic
import tacho


class Sessions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = os.path.join(folder.name, "add.onnx")
        with open(self.model, "wb") as target:
            target.write(tiny_onnx.model("Add", "f32", (2, 3), ("a", "b")))
        self.folder = folder.name
        self.values = {"a": struct.pack("6f", *range(6)), "b": struct.pack("6f", *[10] * 6)}

    def test_values_and_shapes(self):
        session = qaic.Session(self.model)
        self.assertEqual(session.model_input_shape_dict["a"][0], (2, 3))
        self.assertEqual(session.model_output_shape_dict["y"][0], (2, 3))
        output = session.run(self.values)["y"]
        self.assertEqual(struct.unpack("6f", output.tobytes()), (10, 11, 12, 13, 14, 15))
        session.reset()
        self.assertEqual(session.run(self.values)["y"].tobytes(), output.tobytes())

    def test_a_compiled_program(self):
        program = os.path.join(self.folder, "programqpc.bin")
        tacho.compile(self.model, "aic100").write_program(program)
        for path in (program, self.folder):
            self.assertEqual(list(qaic.Session(path).run(self.values)), ["y"])

    def test_stats_callbacks(self):
        session, seen = qaic.Session(self.model, enable_profiling=True), []
        status = session.enableOpStatsCallback(lambda *given: seen.append(given), 2, 2,
                                               qaic.QAicOpStatsFormatEnum.ASCII)
        self.assertEqual(status, qaic.QStatus.QS_SUCCESS)
        session.enableOpStatsCallback(lambda *given: seen.append(given), 0, 1, qaic.OpStatsFormat.JSON)
        for _ in range(6):
            session.run(self.values)
        self.assertEqual([given[3] for given in seen], [0, 2, 3])
        trace = json.loads(seen[0][0])
        self.assertTrue(trace)
        for data, size, format, _index, inference in seen[1:]:
            self.assertEqual((size, format), (len(data), qaic.OpStatsFormat.ASCII))
            self.assertIn(b"ucycles", data)
            self.assertTrue(inference.is_recorded)
        self.assertEqual(session.enableOpStatsCallback(print, -1), qaic.QStatus.QS_INVAL)
        self.assertEqual(session.enableOpStatsCallback(print, 0, 1, "text"), qaic.QStatus.QS_INVAL)

    def test_handles(self):
        session, reports = qaic.Session(self.model, enable_profiling=True), []
        handle = qaic.ProfilingHandle(session, 3, reports.append)
        session.run(self.values)
        handle.start()
        for _ in range(5):
            session.run(self.values)
        self.assertEqual(len(reports), 1)
        self.assertEqual([line.split(",")[0] for line in reports[0].split()], ["Sample", "1", "2", "3"])
        stats = qaic.ProfilingHandle(session, 10, reports.append, "stats")
        stats.start()
        session.run(self.values)
        stats.stop()
        self.assertIn("ucycles", reports[1])
        stats.stop()  # nothing was collected since
        self.assertEqual(len(reports), 2)
        with self.assertRaisesRegex(ValueError, "unknown profiling type 'x'; use stats, trace, latency"):
            qaic.ProfilingHandle(session, 1, print, "x")

    def test_streams(self):
        session, reports = qaic.Session(self.model, enable_profiling=True), []
        stream = qaic.StreamProfilingHandle(session, reports.append, "half", reporting_rate_ms=0)
        stream.start()
        for _ in range(5):
            session.run(self.values)
        stream.stop()
        self.assertEqual([report.split()[1].split(",")[0] for report in reports], ["0", "2", "4"])
        slow = qaic.StreamProfilingHandle(session, reports.append, reporting_rate_ms=3600000)
        slow.start()
        session.run(self.values)
        self.assertEqual(len(reports), 3)
        slow.stop()
        self.assertEqual(len(reports), 4)

    def test_metrics(self):
        session = qaic.Session(self.model, enable_profiling=True)
        self.assertEqual(session.get_metrics(), {"count": 0})
        for _ in range(3):
            session.run(self.values)
        metrics = session.get_metrics()
        self.assertEqual(metrics["count"], 3)
        self.assertTrue(0 < metrics["min"] <= metrics["p50"] <= metrics["max"] <= metrics["sum"])
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            session.print_metrics()
            session.print_profile_data(n=1)
            qaic.Session(self.model).print_profile_data()
        self.assertIn("Inferences: 3 (simulated time", shown.getvalue())
        self.assertIn("total ns", shown.getvalue())
        self.assertIn("use Session(..., enable_profiling=True)", shown.getvalue())
        count, rate, seconds, batch = session.run_benchmark(self.values, 7)
        self.assertEqual((count, batch), (7, 1))
        self.assertAlmostEqual(rate * seconds, 7)

    def test_options(self):
        config = os.path.join(self.folder, "config.yaml")
        with open(config, "w", encoding="utf-8") as target:
            target.write("# of the model\naic-num-cores: 2\nnum-activations: 1\nset_size: 10\n")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            qaic.Session(self.model, options_path=config).run(self.values)
        with self.assertWarnsRegex(UserWarning, "option 'convert_to_fp16' has no effect"):
            qaic.Session(self.model, convert_to_fp16=True)


if __name__ == "__main__":
    unittest.main()
