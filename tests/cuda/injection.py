#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with CUDA and NVTX under 'tacho profile', against a stand-in for CUPTI.

    injection.py BIN_DIR CUDA_LOAD
"""
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

BIN, LOAD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TACHO = f"{BIN}/tacho"


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, **more)


class Injection(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tacho-cuda.")
        self.at = folder.name
        self.addCleanup(folder.cleanup)

    def profile(self, *words, status=0, level="70", read_status=0, **variables):
        """Runs it; leaves its spans, by category, its arrows, counters and messages."""
        environment = dict(os.environ, **variables)
        for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"):
            if name not in variables:
                environment.pop(name, None)
        done = run(TACHO, "profile", "--stats-level", level, "-o", "run.tacho", "--", LOAD, *words,
                   cwd=self.at, env=environment)
        self.assertEqual(done.returncode, status, done.stderr)
        made = run(TACHO, "convert", "run.tacho", "-o", "run.json", cwd=self.at)
        self.assertEqual(made.returncode, read_status, made.stderr)
        with open(f"{self.at}/run.json", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.tracks = {(e["pid"], e["tid"]): e["args"].get("full", e["args"]["name"]) for e in events
                       if e["ph"] == "M" and e["name"] == "thread_name"}
        self.spans = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                self.spans[event["cat"]].append(event)
        self.leaving = {e["id"]: e for e in events if e["ph"] == "s"}
        self.arriving = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "f":
                self.arriving[event["id"]].append(event)
        self.message_times = {e["args"]["text"]: e["ts"] for e in events if e["ph"] == "i" and e["name"] == "message"}
        self.messages = [e["args"]["text"] for e in events if e["ph"] == "i" and e["name"] == "message"]
        self.counters = [e for e in events if e["ph"] == "C" and e["name"].startswith("GPU")]
        return done

    def names(self, category):
        return collections.Counter(e["name"] for e in self.spans[category])

    def said(self):
        """What is counted when the program ends: records of work, those without times, dropped ones."""
        text = next(m for m in self.messages if m.startswith("CUDA: records"))
        return tuple(int(part.split()[-1]) for part in text.split(", ")[:3])

    def test_training(self):
        done = self.profile("train", "20")
        self.assertEqual(done.stdout.splitlines()[0], "done")
        kernels = self.names("op")
        # The demangler is the program's C++ library, which this one does not have.
        self.assertEqual(kernels, {"_Z5scalePfi": 20, "gemm": 40})
        self.assertEqual(self.names("transfer"), {"Memcpy HtoD (Pageable -> Device)": 20, "Memset (Device)": 20})
        self.assertEqual(self.names("cuda"), {"cudaLaunchKernel": 60, "cudaMemcpyAsync": 20, "cudaMemsetAsync": 20})
        self.assertEqual(self.names("cuda_wait"), {"cudaStreamSynchronize": 20})
        self.assertEqual(self.names("nvtx"), {"step": 20, "loader: batch": 1, "wide": 1, "range": 1})
        self.assertEqual({e["name"]: e["args"]["color"] for e in self.spans["nvtx"] if "color" in e.get("args", {})},
                         {"loader: batch": "#00ff00"})
        self.assertIn("a mark", self.messages)
        self.assertEqual(self.said(), (100, 0, 0))

    def test_what_is_known_of_a_kernel(self):
        self.profile("train", "1")
        kernel = next(e for e in self.spans["op"] if e["name"] == "_Z5scalePfi")
        args = kernel["args"]
        self.assertEqual(round(kernel["dur"] * 1000), 1000)
        self.assertEqual((args["grid"], args["block"], args["registers"], args["shared_memory"]),
                         ("132x2x1", "256x1x1", 64, 3072))
        # 64 registers of 256 threads are 16,384 of 65,536: 4 blocks of 8 warps, of 64.
        self.assertEqual(args["occupancy"], 50)
        self.assertEqual(args["external_id"], 77)
        self.assertEqual(self.tracks[kernel["pid"], kernel["tid"]], "Device 0: Stand-in GPU, stream 7, kernels")
        copy = next(e for e in self.spans["transfer"] if e["name"].startswith("Memcpy"))
        self.assertEqual((copy["args"]["bytes"], round(copy["dur"] * 1000)), (4096, 500))

    def test_names_of_kernels(self):
        """CUPTI may have another name at the same address later."""
        self.profile("names", "5")
        self.assertEqual(self.names("op"), {f"kernel {i}": 1 for i in range(5)})

    def test_device_behind_its_work(self):
        self.profile("names", "1", STANDIN_LATE="1")
        (kernel,) = self.spans["op"]
        self.assertEqual((self.tracks[kernel["pid"], kernel["tid"]], kernel["args"]["occupancy"]),
                         ("Device 0: Stand-in GPU, stream 7, kernels", 50))

    def test_arrows(self):
        """From every call that launches to what it launched, forward in time."""
        self.profile("train", "10")
        work = self.spans["op"] + self.spans["transfer"]
        self.assertEqual(len(self.leaving), len(work))
        calls = self.spans["cuda"]
        for number, leaves in self.leaving.items():
            (arrives,) = self.arriving[number]
            self.assertTrue(any(c["tid"] == leaves["tid"] and c["ts"] <= leaves["ts"] <= c["ts"] + c["dur"]
                                for c in calls))
            self.assertLessEqual(leaves["ts"], arrives["ts"] + 1000)    # clocks are compared, not shared

    def test_graphs(self):
        """One row for a launch at level 40, its nodes from 70 on; kernels outside graphs at any level."""
        self.profile("graph", "5", level="40")
        self.assertEqual(self.names("op"), {"alone": 1, "CUDA graph": 5})
        self.assertEqual(self.spans["cuda"], [])
        self.profile("graph", "5")
        self.assertEqual(self.names("op"), {"alone": 1, "node": 20})
        launches = [number for number, ends in self.arriving.items() if len(ends) == 4]
        self.assertEqual(len(launches), 5)
        self.assertEqual({e["args"]["graph_node"] for e in self.spans["op"] if e["name"] == "node"}, {1, 2, 3, 4})

    def test_levels(self):
        self.profile("train", "3", level="40")
        self.assertEqual((self.names("op").total(), self.names("transfer").total(), self.spans["nvtx"],
                          self.spans["sync"]), (9, 6, [], []))
        self.profile("train", "3", level="50")
        self.assertEqual((self.names("cuda").total(), self.names("cuda_wait").total(), self.spans["nvtx"],
                          self.spans["sync"]), (15, 3, [], []))
        self.profile("train", "3", level="100")
        self.assertEqual(self.names("sync"), {"Stream synchronize": 3})

    def test_threads(self):
        """Buffers are handed over the last first, by several threads; nothing is lost."""
        done = self.profile("threads", "8", "5000", STANDIN_TELLS="1")
        self.assertNotIn("sets a buffer to 0", done.stderr)    # which would be on the thread that launches
        self.assertEqual(self.names("op"), {"many": 40000})
        self.assertEqual(self.names("cuda"), {"cudaLaunchKernel": 40000})
        streams = collections.Counter(self.tracks[e["pid"], e["tid"]] for e in self.spans["op"])
        self.assertEqual({n.split(", ")[1] for n in streams}, {f"stream {i}" for i in range(10, 18)})

    def test_threads_that_hand_over(self):
        """Buffers come from two threads of CUPTI at once, besides our own, while others launch."""
        self.profile("worker", "4", "10000")
        self.assertEqual(self.names("op"), {"many": 40000})
        self.assertEqual(self.names("cuda"), {"cudaLaunchKernel": 40000})
        self.assertEqual(self.said(), (40000, 0, 0))

    def test_losses(self):
        self.profile("untimed", "7", read_status=3)    # they have no row: they are lost
        self.assertEqual(self.names("op"), {"timed": 1})
        self.assertEqual(self.said(), (8, 7, 0))
        done = self.profile("train", "1", read_status=3, STANDIN_DROPS="12")
        self.assertEqual(self.said(), (5, 0, 12))
        self.assertIn("12", done.stderr + run(TACHO, "info", "run.tacho", cwd=self.at).stdout)

    def test_fork(self):
        """The child has no GPU of its own: the parent's records stay its own, and once."""
        self.profile("fork")
        self.assertEqual(self.names("op"), {"parent": 1})
        self.assertEqual(self.names("nvtx"), {"in the child": 1})

    def test_killed(self):
        self.profile("abrupt", "300", status=128 + signal.SIGKILL)
        self.assertEqual(self.names("op"), {"abrupt": 300})
        self.assertEqual(self.names("cuda"), {"cudaLaunchKernel": 300})

    def test_memory(self):
        self.profile("memory", level="100")
        self.assertEqual(sorted(c["args"]["memory"] for c in self.counters), [500, 1000, 1500])

    def test_facts(self):
        """Pools, clocks, power and temperature are counters at level 100; a stream has a priority."""
        self.profile("facts", level="100")
        values = collections.defaultdict(list)
        for counter in self.counters:
            for key, value in counter["args"].items():
                values[f"{counter['name']} {key}"].append(value)
        self.assertEqual(values, {"GPU 0 memory pools": [1000, 6000, 2000, 1000], "GPU 0 SM clock": [1980],
                                  "GPU 0 memory clock": [2619], "GPU 0 temperature (C)": [41], "GPU 0 power (W)": [350.5]})
        self.assertEqual({e["name"]: e["args"].get("priority") for e in self.spans["op"]},
                         {"first": -5, "second": None})
        self.assertIn("CUDA: GPU 0 is Stand-in GPU, compute capability 9.0, 132 multiprocessors, 1980 MHz, "
                      "memory 144384 MiB, 4800 GB/s, L2 cache 51200 KiB", self.messages)
        self.profile("facts", level="70")
        self.assertEqual(self.counters, [])

    def test_payloads(self):
        """Ranges have the payload and the category that the program gave them; marks say it."""
        self.profile("payloads")
        expected = [str(2**64 - 1), -7, 1.5, 2**32 - 1, -8, 0.5, None, None]
        for category, spans in (("nvtx", self.spans["nvtx"]), ("op", self.spans["op"])):
            spans.sort(key=lambda e: e["ts"])
            with self.subTest(category=category):
                self.assertEqual([e.get("args", {}).get("payload") for e in spans], expected)
                self.assertEqual([e.get("args", {}).get("category") for e in spans], [None, *range(1, 8)])
        self.assertEqual([m for m in self.messages if m.startswith("paid")],
                         ["paid" if value is None else f"paid, payload {value}" for value in expected])

    def test_older_records(self):
        self.profile("train", "2", STANDIN_VERSION="26")
        self.assertEqual(self.names("op").total(), 6)

    def test_refusals(self):
        """One line says why; the program runs on, and ends as it does."""
        for variables, reason in (({"STANDIN_REFUSES": "39"}, "another profiler has subscribed to its calls"),
                                  ({"STANDIN_REFUSES": "39", "STANDIN_HOLDER": "CUPTI for Nsight"},
                                   "has subscribed to its calls: CUPTI for Nsight"),
                                  ({"STANDIN_REFUSES": "39", "STANDIN_HOLDER": "x" * 300},
                                   "has subscribed to its calls: " + "x" * 127),
                                  ({"STANDIN_REFUSES": "999"}, "CUPTI_ERROR_UNKNOWN"),
                                  ({"STANDIN_NO_KERNELS": "999"}, "CUPTI_ERROR_UNKNOWN"),
                                  ({"STANDIN_VERSION": "17"}, "older than CUDA 12")):
            with self.subTest(reason=reason):
                done = self.profile("train", "2", **variables)
                self.assertEqual(done.stdout.splitlines()[0], "done")
                lines = [line for line in done.stderr.splitlines() if "GPU" in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn(reason, lines[0])
                self.assertEqual(self.spans["op"], [])

    def test_programs_that_profile_themselves(self):
        """Their own profile is whole, at every level; ours has what came before, and says so."""
        for level in ("40", "70", "100"):
            with self.subTest(level=level):
                done = self.profile("itself", "50", level=level)
                self.assertEqual(done.stdout.splitlines()[:2],
                                 ["result 0, kernels 50, calls 50, unknown buffers 0", "done"])
                self.assertEqual(self.names("op"), {"before": 1})
                self.assertIn("profiles its GPU itself", done.stderr)
                self.assertEqual(self.said(), (1, 0, 0))

    def test_after_programs_that_profile_themselves(self):
        """Recording goes on when they are done, and makes way again; calls as soon as nobody else watches them."""
        for how, calls in (("leave", 7), ("keep", 1), ("finalize", 7)):
            with self.subTest(how=how):
                done = self.profile("sometimes", "50", how, STANDIN_TELLS="1")
                self.assertEqual(done.stderr.count("sets a buffer to 0"), 2)    # the program's own
                self.assertEqual(done.stdout.splitlines()[:2], ["kernels 100, unknown buffers 0, strange times 0", "done"])
                self.assertEqual(self.names("op"), {"before": 1, "between": 3, "after": 3})
                places = [e["ts"] for name in ("before", "between", "after") for e in self.spans["op"]
                          if e["name"] == name]
                self.assertEqual(places, sorted(places))
                self.assertLess(places[-1] - places[0], 60e6)    # all by one clock, in us
                self.assertEqual({round(e["dur"] / 100) for e in self.spans["op"]}, {10})
                self.assertEqual(self.names("cuda"), {"cudaLaunchKernel": calls})
                lines = [line for line in done.stderr.splitlines() if "profiling its GPU" in line]
                self.assertEqual((len(lines), "still watches" in lines[0]), (1, how == "keep"), done.stderr)
                self.assertEqual(len([m for m in self.messages if "is recorded again" in m]), 2)
                self.assertEqual(self.said(), (7, 0, 0))

    def test_after_cupti_was_taken_down(self):
        """As PyTorch does with TEARDOWN_CUPTI=1: work is recorded again before the 250 ms are over that we
        wait for programs that may go on. A computer that is too busy for that has two more tries."""
        for _ in range(3):
            self.profile("teardown", "100")
            self.assertEqual(self.names("op")["between"], 1)
            self.assertIn("the program has ended CUPTI: what the GPU does is not recorded until it is started again",
                          self.messages)
            times = [e["ts"] for e in self.spans["op"] if e["name"] == "after"]
            self.assertGreater(len(times), 0)
            gap_ms = (min(times) - self.message_times["torn down"]) / 1e3
            if gap_ms < 250:
                break
        self.assertLess(gap_ms, 250)

    def test_others_stay(self):
        """Where the program is to load another profiler, it does."""
        done = self.profile("train", "2", CUDA_INJECTION64_PATH="/nowhere/other.so")
        self.assertEqual(done.stdout.splitlines()[0], "done")
        self.assertEqual((self.spans["op"], self.names("nvtx")["step"]), ([], 2))

    def test_judges_agree(self):
        """Tables and queries see what the trace has."""
        self.profile("train", "20")
        done = run(TACHO, "query", "run.tacho", "--csv",
                   "select name, count(*), sum(duration_ns) from spans where category = 'op'"
                   " group by name order by name",
                   cwd=self.at)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[1:], ["query,_Z5scalePfi,20,20000", "query,gemm,40,80000"])
        verdict = run(TACHO, "breakdown", "run.tacho", cwd=self.at).stdout.splitlines()[1]
        self.assertIn("the GPU", verdict)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
