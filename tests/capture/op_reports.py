#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Op reports of tt_profile over models, devices, several processes and commands that end badly.

    op_reports.py BIN_DIR DROPIN_DIR SOURCE_DIR

ops_report.py judges each report by itself; here its times are compared with a trace that 'tacho run' writes of
the same simulated run.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
BIN, DROPIN, SOURCE = (os.path.abspath(word) for word in sys.argv[1:4])
DEFAULT = "results/perf/device_ops_perf_trace.csv"
MOVES = {"dma_in": "NCRISC", "dma_local": "NCRISC", "dma_out": "BRISC", "compute": "TRISC1", "vector": "TRISC1"}
MODELS = ["samples/tosa/fc.mlir", "tests/data/models/tosa_elements.mlir", "tests/data/run/whole.mlir", "tests/data/run/pair.mlir"]


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tacho-reports.")
        self.at = folder.name
        self.addCleanup(folder.cleanup)

    def run_in(self, words, **more):
        env = {**os.environ, "PATH": f"{DROPIN}:{BIN}:{os.environ['PATH']}"}
        return subprocess.run(words, cwd=self.at, env=env, capture_output=True, text=True, check=False, timeout=300, **more)

    def judge(self, path=DEFAULT, *facts):
        done = subprocess.run([sys.executable, f"{HERE}/ops_report.py", f"{self.at}/{path}", *facts], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.stdout.strip(), done.stderr), ("", ""))
        with open(f"{self.at}/{path}", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def models(self):
        found = [f"{SOURCE}/{model}" for model in MODELS if os.path.exists(f"{SOURCE}/{model}")]
        self.assertGreaterEqual(len(found), 2)
        return found

    def spans(self, model, device):
        """Spans of jobs that 'tacho run' traces: (location, class) -> (first start, last end) in ns."""
        done = self.run_in(["tacho", "run", model, "--device", device, "-q", "--profile", "run.csv"])
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        with open(f"{self.at}/run.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["kind"] == "span" and row["class"] in MOVES:
                    key = (row["location"], MOVES[row["class"]])
                    start, end = int(row["start_ns"]), int(row["start_ns"]) + int(row["duration_ns"])
                    first, last = found.get(key, (start, end))
                    found[key] = (min(first, start), max(last, end))
        return found

    def test_models_on_devices(self):
        for device, mhz in (("sim:wormhole-n150", 1000), ("sim:blackhole-p150", 1350)):
            for model in self.models():
                with self.subTest(model=model, device=device):
                    done = self.run_in(["tt_profile", f"tacho run {model} --device {device} -q"])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    rows = self.judge(DEFAULT, f"mhz={mhz}")
                    self.assertGreaterEqual(len(rows), 1)
                    self.assertTrue(all('"origin": "simulated"' in row["PROGRAM_METADATA"] for row in rows))
                    self.compare(rows, self.spans(model, device))

    def compare(self, rows, spans):
        locations = [row["LOC"] for row in rows]
        for row in rows:
            if locations.count(row["LOC"]) != 1:
                continue  # operators that share a place cannot be told apart in a trace
            place = row["LOC"][len("loc("):-1]
            mine = {risc: times for (location, risc), times in spans.items() if location == place}
            if not mine:
                continue
            whole = max(end for _, end in mine.values()) - min(start for start, _ in mine.values())
            self.assertAlmostEqual(whole, float(row["DEVICE KERNEL DURATION [ns]"]), delta=2, msg=row["LOC"])
            for risc, (start, end) in mine.items():
                value = row[f"DEVICE {risc} KERNEL DURATION [ns]"]
                self.assertAlmostEqual(end - start, float(value), delta=2, msg=f"{row['LOC']} {risc}")

    def test_fused_operators(self):
        """An operator is called after its work, not after the reshape in front of it."""
        layer = f"{SOURCE}/samples/tosa/fc.mlir"
        rows = self.report_of(f"tacho run {layer} --device sim:wormhole-n150 -q")
        self.assertEqual([row["OP CODE"] for row in rows], ["Conv2dDeviceOperation"])

    def test_samples_and_processes(self):
        model = self.models()[0]
        single = len(self.report_of(f"tacho run {model} --device sim:wormhole-n150 -q"))
        rows = self.report_of(f"tacho run {model} --device sim:wormhole-n150 -q -n 5 --samples 3")
        self.assertEqual(len(rows), 3 * single)
        one = f"tacho run {model} --device sim:wormhole-n150 -q"
        rows = self.report_of(f"{one} & {one} & {one}; wait")
        self.assertEqual(len(rows), 3 * single)

    def report_of(self, command, *facts):
        done = self.run_in(["tt_profile", "-q", command])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.judge(DEFAULT, *facts)

    def in_python(self, name, text, command, python=sys.executable):
        """The rows of a Python program that uses this build's library."""
        library = os.path.join(os.path.dirname(BIN), "src", "libtacho.so")
        if subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({library!r})"], capture_output=True, check=False).returncode:
            self.skipTest("Python does not load this build's library")
        with open(f"{self.at}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        with unittest.mock.patch.dict(os.environ, {"TACHO_LIBRARY": library, "PYTHONPATH": f"{SOURCE}/python"}):
            return self.report_of(f"{python} {command}")

    def check_joined(self, rows, count):
        """Each operator is one row, with a call number of its own and times of host and device."""
        self.assertEqual(len(rows), count)
        self.assertEqual(len({row["GLOBAL CALL COUNT"] for row in rows}), count)
        for row in rows:
            self.assertNotIn("", (row["HOST DURATION [ns]"], row["DEVICE KERNEL DURATION [ns]"]), row["LOC"])

    def test_runs_of_one_process(self):
        """Runs of a process count their calls together, also those of several threads and devices."""
        model = self.models()[0]
        single = len(self.report_of(f"tacho run {model} --device sim:wormhole-n150 -q"))
        run = f"with tacho.Runner({model!r}, 'sim:wormhole-n150') as runner:\n        runner.run(recorded=1)\n"
        text = f"import threading\nimport tacho\n\n\ndef work():\n    {run}\n\n"
        rows = self.in_python("two.py", f"{text}work()\nwork()\n", "two.py")
        self.check_joined(rows, 2 * single)
        rows = self.in_python("threads.py", f"{text}threads = [threading.Thread(target=work) for _ in range(4)]\n"
                              "for thread in threads:\n    thread.start()\nfor thread in threads:\n    thread.join()\n", "threads.py")
        self.check_joined(rows, 4 * single)

    def test_devices_of_one_program(self):
        done = self.run_in(["tacho", "compile", f"{SOURCE}/tests/data/run/pair.mlir", "-m", "wormhole-n150", "--devices", "2",
                            "--stats-level", "70", "-q", "-o", "two.bin"])
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.report_of("tacho run two.bin -q")
        self.assertEqual({row["DEVICE ID"] for row in rows}, {"0", "1"})
        self.check_joined(rows, len(rows))

    def test_tests_of_one_file(self):
        python = next((path for path in (sys.executable, "/usr/bin/python3") if os.path.exists(path) and not subprocess.run(
            [path, "-c", "import pytest"], capture_output=True, check=False).returncode), None)
        if python is None:
            self.skipTest("python3-pytest is not installed")
        model = self.models()[0]
        single = len(self.report_of(f"tacho run {model} --device sim:wormhole-n150 -q"))
        text = "".join(f"def test_{name}(tacho_run):\n    tacho_run({model!r}, None, device='sim:wormhole-n150')\n\n\n" for name in ("a", "b"))
        rows = self.in_python("test_two.py", text, "-m pytest -q -p tacho.pytest_plugin -p no:cacheprovider test_two.py", python)
        self.check_joined(rows, 2 * single)

    def test_this_computer(self):
        model = self.models()[0]
        rows = self.report_of(f"tacho run {model} --device cpu -q")
        self.assertTrue(all(row["OP TYPE"] == "cpu" and row["HOST DURATION [ns]"] != "" for row in rows))
        self.assertTrue(all(row["DEVICE FW START CYCLE"] == "" for row in rows))

    def test_places_and_traces(self):
        model = self.models()[0]
        command = f"tacho run {model} --device sim:wormhole-n150 -q"
        done = self.run_in([sys.executable, f"{DROPIN}/tt_profile.py", "-o", "a/b/ops.csv", "--trace", "ops.json", command])
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.judge("a/b/ops.csv")
        self.assertFalse(os.path.exists(f"{self.at}/results"))
        with open(f"{self.at}/ops.json", encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "op"]
        simulated = [event for event in events if event["args"].get("origin") == "simulated"]
        self.assertEqual((len(simulated), len(events)), (len(rows), 2 * len(rows)))
        done = self.run_in(["tt_profile", "-o", "/dev/full", command])
        self.assertEqual(done.returncode, 0)
        self.assertIn("/dev/full", done.stderr)

    def test_newer_columns(self):
        model = self.models()[0]
        done = self.run_in(["tt_profile", "--all-columns", f"tacho run {model} --device sim:wormhole-n150 -q -n 2 --samples 2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(f"{self.at}/{DEFAULT}", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        half = len(rows) // 2
        for first, second in zip(rows[:half], rows[half:]):
            self.assertEqual(first["PROGRAM HASH"], second["PROGRAM HASH"])
            self.assertEqual(first["DEVICE ARCH"], "wormhole_b0")
            self.assertRegex(first["OUTPUT_0_X_PAD[LOGICAL]"], r"^\d+\[\d+\]$")
        table = self.run_in(["tacho", "ops", DEFAULT, "--compat", "tt-perf-report"])
        self.assertEqual(table.returncode, 0, table.stderr)

    def test_commands_that_end_badly(self):
        model = self.models()[0]
        command = f"tacho run {model} --device sim:wormhole-n150 -q"
        for end, status in (("exit 7", 7), ("kill -9 $$", 137), ("kill -SEGV $$", 139)):
            done = self.run_in(["tt_profile", "-q", f"ulimit -c 0; {command}; {end}"])
            self.assertEqual(done.returncode, status)
            self.assertGreaterEqual(len(self.judge()), 1)
        done = self.run_in(["tt_profile", "no_such_program --at all"])
        self.assertEqual(done.returncode, 127)
        self.assertEqual(self.run_in(["tt_profile"]).returncode, 2)

    def test_nothing_to_report(self):
        done = self.run_in(["tt_profile", "echo out; echo err >&2; exit 3"])
        self.assertEqual((done.returncode, done.stdout), (3, "out\n"))
        self.assertIn("no operators were reported", done.stderr)
        self.assertIn("tried libtacho-client", done.stderr)
        self.assertEqual(self.judge(DEFAULT, "rows=0"), [])

    def test_programs_without_operators(self):
        """The reason is there, and what an earlier run reported, too."""
        model = self.models()[0]
        done = self.run_in(["tacho", "compile", model, "-m", "wormhole-n150", "-q", "-o", "low.bin"])
        self.assertEqual(done.returncode, 0, done.stderr)
        written = time.time()
        rows = self.report_of(f"tacho run {model} --device sim:wormhole-n150 -q")
        done = self.run_in(["tt_profile", "tacho run low.bin -q"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("low.bin: no operators are reported: the program was compiled with stats level 40", done.stderr)
        self.assertRegex(done.stderr, "the file still holds the report of an earlier run, of %s " %
                         time.strftime("%Y-%m-%d", time.gmtime(written)))
        self.assertEqual(self.judge(), rows)
        self.assertEqual(self.run_in(["tt_profile", "false"]).returncode, 1)
        self.assertEqual(self.judge(), rows)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
