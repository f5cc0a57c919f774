# SPDX-License-Identifier: Apache-2.0
"""Time charts by the names of Torq's perfetto_logger, read back and by an independent reader."""
import os
import subprocess
import sys
import tempfile
import unittest

from helpers import DATA, R0, ROOT, T1

import perfetto_logger
import tacho
from perfetto_logger import (TimeChartLog, TimeChartView, convert_to_perfetto,
                             csv_to_view_compile_profile, csv_to_view_runtime_profile)

JUDGE = ROOT / "tests" / "judge" / "trace_judge.py"


class Charts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "chart.pb")

    def judge(self, how="--check"):
        if not JUDGE.exists():
            self.skipTest("no judge")
        return subprocess.run([sys.executable, JUDGE, how, self.path], check=True,
                              capture_output=True, text=True).stdout

    def test_render(self):
        view = TimeChartView(self.path)
        view.render(TimeChartLog("host", "main", "load", 0, 1500))
        view.render(TimeChartLog(process="host", thread="main", function="run", start_time=2000,
                                 end_time=2500), {"bytes": 7, "large": 2 ** 64 - 1, "real": 0.5,
                                                  "flag": True, "text": "é"})
        self.assertFalse(os.path.exists(self.path))
        view.flush()
        self.judge()
        profile = tacho.Profile(self.path)
        self.assertEqual([(span.name, span.start_ns, span.end_ns) for span in profile.spans],
                         [("load", 0, 1500), ("run", 2000, 2500)])
        self.assertEqual(profile.spans[1].args, {"bytes": 7, "large": 2 ** 64 - 1, "real": 0.5,
                                                 "flag": True, "text": "é"})
        view.render(TimeChartLog("host", "other", "more", 1, 2))  # goes on
        view.flush()
        self.assertEqual(len(tacho.Profile(self.path).spans), 3)

    def test_descriptors_fix_places(self):
        with TimeChartView(self.path) as view:
            for name in ("second", "first"):
                view.add_process_descriptor(name)
            view.add_thread_descriptor("second", "b", "compute")
            view.add_thread_descriptor("second", "a")
            view.render(TimeChartLog("first", "t", "f", 0, 1))
            view.render(TimeChartLog("second", "a", "f", 0, 1))
            view.render(TimeChartLog("second", "b", "f", 0, 1))
        tracks = [track.name for track in tacho.Profile(self.path).tracks]
        self.assertLess(tracks.index("b"), tracks.index("a"))
        self.judge()

    def test_events_samples_and_flows(self):
        log = TimeChartLog("p", "t", "f", 0, 0)
        with TimeChartView(self.path, ns_per_tick=10) as view:
            view.set_track_event(1, perfetto_logger.TYPE_SLICE_BEGIN, log)
            view.set_track_event(5, perfetto_logger.TYPE_SLICE_END, log)
            view.set_track_event(7, perfetto_logger.TYPE_INSTANT, log)
            view.add_counter_descriptor("p", "c", "bytes")
            view.add_sample("p", "c", 3, 1.5)
            view.render(TimeChartLog("p", "u", "g", 6, 8))
            view.add_flow("p", "t", 2, "u", 7)
        profile = tacho.Profile(self.path)
        self.assertEqual([(span.end_ns - span.start_ns, span.is_instant) for span in profile.spans
                          if span.name == "f"], [(40, False), (0, True)])
        self.assertEqual([sample.value for sample in profile.counters], [1.5])
        self.assertEqual(len(profile.flows), 2)

    def test_csv_files(self):
        view = TimeChartView(self.path)
        csv_to_view_compile_profile("estimate", view, str(T1), 2)
        csv_to_view_runtime_profile("measured", view, str(R0))
        view.flush()
        self.assertEqual(len(tacho.Profile(self.path).spans), 11)
        self.assertEqual(view.lost_count, 0)
        csv_to_view_compile_profile("bad", view, DATA / "bad" / "t2_not_numbers.csv", 2)
        self.assertGreater(view.lost_count, 0)
        with self.assertRaises(tacho.TachoError):
            csv_to_view_runtime_profile("x", view, T1)
        with self.assertRaisesRegex(ValueError, "num_slices: -1"):
            csv_to_view_compile_profile("x", view, T1, -1)

    def test_convert_to_perfetto(self):
        done = convert_to_perfetto({"a": str(T1), "b": str(T1)}, {"r": str(R0)}, self.path)
        self.assertEqual((done.event_count, done.lost_count), (18, 0))
        self.judge()
        self.assertEqual({track.name for track in tacho.Profile(self.path).tracks} & {"a", "b", "r"},
                         {"a", "b", "r"})
        self.assertEqual(convert_to_perfetto({}, {"r": R0}, self.path, num_slices=4).event_count, 4)
        with self.assertRaises(tacho.TachoError):
            convert_to_perfetto({}, {}, self.path)

    def test_the_function_is_the_command(self):
        """The same bytes, where the processes are called the same."""
        build = os.path.dirname(os.path.dirname(os.environ["TACHO_LIBRARY"]))
        command = [sys.executable, os.path.join(build, "dropin", "perfetto_logger.py")]
        beside = os.path.join(os.path.dirname(self.path), "command.pb")
        subprocess.run([*command, "--compile_profile", T1, "--runtime_profile", R0, "--pb", beside], check=True, capture_output=True)
        convert_to_perfetto({f"01 {T1.name}": T1}, {f"02 {R0.name}": R0}, self.path)
        with open(self.path, "rb") as mine, open(beside, "rb") as theirs:
            self.assertEqual(mine.read(), theirs.read())

    def test_the_drop_in_by_itself(self):
        build = os.path.dirname(os.path.dirname(os.environ["TACHO_LIBRARY"]))
        if os.path.dirname(build) != str(ROOT):
            self.skipTest("the build directory is not in the source tree")
        env = {name: value for name, value in os.environ.items() if name != "TACHO_LIBRARY"}
        text = f"import perfetto_logger as log; log.convert_to_perfetto({{'c': {str(T1)!r}}}, {{}}, {self.path!r})"
        subprocess.run([sys.executable, "-c", text], check=True, env={**env, "PYTHONPATH": os.path.join(build, "dropin")})
        self.assertTrue(os.path.exists(self.path))

    def test_drawn_processes_have_their_names(self):
        with TimeChartView(self.path) as view:
            view.render(TimeChartLog("P", "t", "f", 0, 1))
        with open(self.path, "rb") as trace:
            self.assertNotIn(b"(unknown)", trace.read())
        self.assertEqual(tacho.Profile(self.path).parts[0].origin, "unknown")

    def test_nothing_to_use(self):
        with TimeChartView(self.path) as view:
            with self.assertRaisesRegex(ValueError, "num_slices"):
                csv_to_view_compile_profile("c", view, T1, num_slices=0)
        with self.assertRaisesRegex(ValueError, "num_slices"):
            convert_to_perfetto({"c": T1}, {}, self.path, num_slices=0)
        with self.assertRaisesRegex(tacho.UsageError, "is empty; name a file"):
            convert_to_perfetto({"c": T1}, {}, "")

    def test_num_slices(self):
        lines = "".join(f"S{i},{i * 10},{i * 10 + 5},loc,conv\n" for i in range(6))
        csv_path = os.path.join(os.path.dirname(self.path), "t.csv")
        with open(csv_path, "w", encoding="utf-8") as target:
            target.write(lines)
        for slices in (2, 3):
            convert_to_perfetto({"c": csv_path}, {}, self.path, num_slices=slices)
            used = {span.track for span in tacho.Profile(self.path).spans if span.location == "loc"}
            self.assertEqual(len(used), slices)

    def test_misuse(self):
        with self.assertRaises(tacho.TachoError):
            TimeChartView("/none/such/x.pb")
        view = TimeChartView(self.path)
        with self.assertRaises(tacho.UsageError):
            view.render(TimeChartLog("p", "t", "f", 5, 4))
        with self.assertRaisesRegex(ValueError, "start_time: .* out of range"):
            view.render(TimeChartLog("p", "t", "f", 2 ** 63, 0))
        with self.assertRaisesRegex(ValueError, "time .* out of range"):
            view.set_track_event(2 ** 64, 1, TimeChartLog("p", "t", "f", 0, 0))
        view.close()
        with self.assertRaisesRegex(ValueError, "the chart is closed"):
            view.flush()

    def test_an_exception_writes_nothing(self):
        with self.assertRaises(ZeroDivisionError):
            with TimeChartView(self.path) as view:
                view.render(TimeChartLog("p", "t", "f", 0, 1))
                raise ZeroDivisionError
        self.assertFalse(os.path.exists(self.path))

    def test_command(self):
        done = subprocess.run([sys.executable, "-m", "perfetto_logger", "--compile_profile", T1, T1,
                               "--runtime_profile", R0, "--pb", self.path], check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(tacho.Profile(self.path).spans), 31)  # 18, and 13 of overviews
        failed = subprocess.run([sys.executable, "-m", "perfetto_logger", "--runtime_profile",
                                 "none.csv", "--pb", self.path], capture_output=True, text=True,
                                check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("perfetto_logger: none.csv: cannot open", failed.stderr)


if __name__ == "__main__":
    unittest.main()
