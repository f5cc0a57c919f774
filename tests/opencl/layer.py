#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenCL programs under 'tacho profile': what is recorded of them, and that they see no difference.

    layer.py BIN_DIR OPENCL_LOAD
"""
import atexit
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

os.environ["POCL_CACHE_DIR"] = tempfile.mkdtemp(prefix="tacho-pocl.")  # a home directory may be read-only
atexit.register(shutil.rmtree, os.environ["POCL_CACHE_DIR"], ignore_errors=True)
BIN, LOAD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TACHO = f"{BIN}/tacho"


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, **more)


class Layer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tacho-opencl.")
        self.at = folder.name
        self.addCleanup(folder.cleanup)

    def profile(self, *words, status=0):
        """Runs it; leaves its spans, by category, and its arrows."""
        done = run(TACHO, "profile", "-o", "run.tacho", "--", *words, cwd=self.at)
        self.assertEqual(done.returncode, status, done.stderr)
        made = run(TACHO, "convert", "run.tacho", "-o", "run.json", cwd=self.at)
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(f"{self.at}/run.json", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.tracks = {(e["pid"], e["tid"]): e["args"].get("full", e["args"]["name"]) for e in events
                       if e["ph"] == "M" and e["name"] == "thread_name"}
        self.spans = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                self.spans[event["cat"]].append(event)
        self.leaving = {e["id"]: e for e in events if e["ph"] == "s"}
        self.arriving = {e["id"]: e for e in events if e["ph"] == "f"}
        return done

    def check_launches(self):
        """An arrow leads from every call that enqueues to its command, forward in time as far as the clocks
        are known: a command is queued at some time of its call, which can be long on a busy computer."""
        commands = self.spans["op"] + self.spans["transfer"] + self.spans["sync"]
        calls = [c for c in self.spans["opencl"] if c["name"].startswith("clEnqueue")]
        self.assertEqual(set(self.leaving), set(self.arriving))
        self.assertEqual(len(self.leaving), len(commands))
        slack = max((c["dur"] for c in calls), default=0)
        for number, arrow in self.leaving.items():
            self.assertTrue(any(c["tid"] == arrow["tid"] and c["ts"] <= arrow["ts"] <= c["ts"] + c["dur"]
                                for c in calls), arrow)
            self.assertLessEqual(arrow["ts"] - slack, self.arriving[number]["ts"])
        for command in commands:
            args = command["args"]
            times = [args[f"device_{name}"] for name in ("queued", "submit", "start", "end")]
            self.assertEqual(times, sorted(times))
            self.assertEqual(times[3] - times[2], round(command["dur"] * 1000))
            self.assertEqual(args["queued_to_submit"] + args["submit_to_start"], times[2] - times[0])
            self.assertIn(f", queue {args['queue']}, ", self.tracks[command["pid"], command["tid"]])

    def test_every_command(self):
        alone = run(LOAD, "commands")
        done = self.profile(LOAD, "commands")
        self.assertEqual(done.stdout, alone.stdout)
        self.check_launches()
        kernels = collections.Counter(
            (e["name"], e["args"].get("global_size"), e["args"].get("local_size"),
             e["args"].get("global_offset")) for e in self.spans["op"])
        self.assertEqual(kernels, {("twice", "1024", None, None): 1, ("spread", "16x16", "16x4", None): 1,
                                   ("spread", "16x16", "16x4", "0x2"): 1, ("twice", "1", None, None): 1})
        moved = collections.Counter((e["name"], e["args"].get("bytes")) for e in self.spans["transfer"])
        expected = {("Write buffer", 1000): 1, ("Read buffer", 2000): 1, ("Copy buffer", 3000): 1,
                    ("Fill buffer", 400): 1, ("Read buffer", 128): 1, ("Write buffer", 128): 1,
                    ("Copy buffer", 128): 1, ("Map buffer", 500): 1, ("Migrate", 4096): 1,
                    ("Write buffer", 4): 4}
        expected["Unmap", 4096] = 1
        if "no images" not in alone.stdout:
            for name in ("Write image", "Fill image", "Read image", "Copy image to buffer",
                         "Copy buffer to image", "Map image"):
                expected[name, 1024] = 1
            expected["Unmap", 1024] = 1
        if "no shared memory" not in alone.stdout:
            expected.update({("Fill shared memory", 4096): 1, ("Map shared memory", 4096): 1,
                             ("Unmap shared memory", None): 1, ("Copy shared memory", 1024): 1})
        self.assertEqual(moved, expected)
        waits = collections.Counter(e["name"] for e in self.spans["sync"])
        self.assertEqual((waits["Marker"], waits["Barrier"]), (2, 1))
        self.assertEqual(len([e for e in self.spans["opencl"] if e["name"] == "clBuildProgram"]), 1)
        self.assertGreaterEqual(len(self.spans["opencl_wait"]), 3)
        for command in self.spans["op"]:
            self.assertIn("kernels", self.tracks[command["pid"], command["tid"]])

    def test_threads_and_queues(self):
        self.profile(LOAD, "threads", "8", "200")
        self.assertEqual(len(self.spans["op"]), 1600)
        self.check_launches()
        queues = {self.tracks[e["pid"], e["tid"]] for e in self.spans["op"]}
        self.assertGreaterEqual(len(queues), 8, queues)

    def test_any_order(self):
        self.profile(LOAD, "order", "500")
        self.assertEqual(len(self.spans["op"]), 500)
        self.check_launches()

    def test_nothing_is_lost(self):
        """Commands that had ended are there when the program is killed, or just goes."""
        self.profile(LOAD, "abrupt", "300", status=128 + signal.SIGKILL)
        self.assertEqual(len(self.spans["op"]), 300)
        self.profile(LOAD, "leave", "3000")
        self.assertEqual(len(self.spans["op"]), 3000)

    def test_tables(self):
        done = self.profile(LOAD, "order", "50")
        self.assertIn("twice", done.stderr)
        shown = run(TACHO, "ops", "run.tacho", "--json", cwd=self.at)
        rows = [json.loads(line) for line in shown.stdout.splitlines()]
        self.assertEqual([r["count"] for r in rows if r.get("operation") == "twice"], [50])

    def test_layers_of_others(self):
        """A list of layers that is there stays, behind ours."""
        show = run(TACHO, "profile", "-q", "--", "sh", "-c", "echo $OPENCL_LAYERS",
                   env={**os.environ, "OPENCL_LAYERS": "/nowhere/other.so"})
        ours, _, others = show.stdout.strip().partition(":")
        self.assertTrue(os.path.isabs(ours) and os.path.exists(ours), show.stdout)
        self.assertEqual(others, "/nowhere/other.so")

    def test_without_a_collector(self):
        """The layer is harmless in a program that nobody watches."""
        layer = run(TACHO, "profile", "-q", "--", "sh", "-c", "echo $OPENCL_LAYERS").stdout.strip()
        alone = run(LOAD, "commands")
        layered = run(LOAD, "commands", env={**os.environ, "OPENCL_LAYERS": layer})
        self.assertEqual((layered.returncode, layered.stdout), (0, alone.stdout))

    def test_programs_of_others(self):
        if not shutil.which("clinfo"):
            self.skipTest("clinfo is not installed")
        alone, done = run("clinfo"), self.profile("clinfo")
        self.assertEqual(done.stdout, alone.stdout)

    def test_benchmark_of_others(self):
        if not shutil.which("clpeak"):
            self.skipTest("clpeak is not installed")
        done = self.profile("clpeak", "--kernel-latency")
        self.assertIn("Kernel launch latency", done.stdout)
        calls = [c for c in self.spans["opencl"] if c["name"] == "clEnqueueNDRangeKernel"]
        self.assertGreater(len(calls), 1000)
        self.assertEqual(len(self.spans["op"]), len(calls))
        self.assertEqual({e["name"] for e in self.spans["op"]}, {"global_bandwidth_v1_local_offset"})


if __name__ == "__main__":
    found = run(LOAD, "leave", "1")
    if found.returncode == skips.SKIPPED:
        print(found.stdout.strip())
        sys.exit(skips.SKIPPED)
    skips.main(sys.argv[:1])
