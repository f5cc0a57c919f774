# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, in sessions of its own: what it prints, keeps, records and fails."""
import getpass
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import helpers
import tacho
import tiny_onnx
from tacho._pytest_files import content_key

TOSA = """func.func @main(%x: tensor<1x{size}xi8>) -> tensor<1x{size}xi8> {{
  %y = tosa.abs %x : (tensor<1x{size}xi8>) -> tensor<1x{size}xi8>
  return %y : tensor<1x{size}xi8>
}}
"""
TESTS = """
import pytest

@pytest.mark.parametrize("name", ["small.mlir", "large.mlir", "add.onnx"])
def test_model(tacho_run, name):
    run = tacho_run(name, count=2)
    assert run.wall_time > 0 and run.trace.exists()
    assert len(run.inferences) == 2 and run.outputs

def test_nothing():
    pass
"""
ROW = re.compile(r"^  [A-Z][\w /+]{0,25} +[\d.]+(ns|µs|ms|s)(  \(\d+\.\d\d%\))?$")


@unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
@unittest.skipIf(helpers.LEFT_TO_FULL, "left to python.full")
class Sessions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("test_models.py", TESTS)
        self.write("small.mlir", TOSA.format(size=1280))
        self.write("large.mlir", TOSA.format(size=100000))
        with open(os.path.join(self.folder, "add.onnx"), "wb") as target:
            target.write(tiny_onnx.model("Add", "f32", (2, 3), ("a", "b")))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as target:
            target.write(text)

    def start(self, *arguments, **environment):
        plugin = [] if "tacho" in self.entry_points() else ["-p", "tacho.pytest_plugin"]
        session = subprocess.Popen([sys.executable, "-m", "pytest", *plugin, *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", **environment})
        self.addCleanup(lambda: session.poll() is None and session.kill())
        return session

    def pytest(self, *arguments, **environment):
        session = self.start(*arguments, **environment)
        shown, errors = session.communicate()
        return subprocess.CompletedProcess(session.args, session.returncode, shown, errors)

    @staticmethod
    def entry_points():
        from importlib.metadata import entry_points
        try:
            return {point.name for point in entry_points(group="pytest11")}
        except TypeError:  # Python 3.9
            return {point.name for point in entry_points().get("pytest11", ())}

    def blocks(self, shown, title="Simulated Profile Overview"):
        """Model -> lines of its overview."""
        section = re.search(rf"^=+ {title} =+$\n(.*?)^=", shown, re.S | re.M)
        self.assertIsNotNone(section, shown)
        found, lines = {}, section.group(1).splitlines()
        for at, line in enumerate(lines):
            if line.startswith("  Model: "):
                self.assertEqual(lines[at + 1], "  " + "─" * 52)
                rows = lines[at + 2:lines.index("", at)]
                found[line[9:]] = rows
        return found

    def test_local_session(self):
        done = self.pytest("--tacho-profile-dir", "profile", "--junit-xml", "out.xml",
                           "--log-cli-level=INFO")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(re.findall(r"Wall time: \d+\.\d{3}s", done.stdout)), 3)
        self.assertEqual(done.stdout.count("Device times: simulated"), 3)
        blocks = self.blocks(done.stdout)
        self.assertEqual(sorted(blocks), ["add.onnx", "large.mlir", "small.mlir"])
        for rows in blocks.values():
            self.assertRegex(rows[0], r"^  WALL_TIME( \(this computer\))? +\d+\.\d{3}m?s$")
            self.assertRegex(rows[1], r"^  OVERALL ")
            for row in rows[1:]:
                self.assertRegex(row, ROW)
        names = sorted(os.listdir(os.path.join(self.folder, "profile")))
        self.assertEqual([name for name in names if name.endswith(".pb")],
                         [f"test_models_py__test_model_{name}_.pb"
                          for name in ("add_onnx", "large_mlir", "small_mlir")])
        kept = os.path.join(self.folder, "profile", "test_models_py__test_model_add_onnx_")
        with open(os.path.join(kept, "wall_time.txt"), encoding="utf-8") as source:
            self.assertRegex(source.read(), r"^\d+\.\d{3}\n$")
        self.assertGreater(len(tacho.Profile(kept + ".pb").spans), 0)
        cases = xml.etree.ElementTree.parse(os.path.join(self.folder, "out.xml")).iter("testcase")
        times = {case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")}
                 for case in cases}
        self.assertRegex(times["test_model[small.mlir]"]["wall_time"], r"^\d+\.\d{3}$")
        self.assertEqual(times["test_model[small.mlir]"]["device_times"], "simulated")
        self.assertEqual(times["test_nothing"], {})

    def test_titles_say_where_times_come_from(self):
        with open(os.path.join(self.folder, "test_both.py"), "w", encoding="utf-8") as file:
            file.write("import pytest\n\n\n@pytest.mark.parametrize('device', ['cpu', 'sim'])\n"
                       "def test_on(tacho_run, device):\n    tacho_run('small.mlir', device=device)\n")
        done = self.pytest("test_both.py", "--tacho-profile-dir", "profile", "--log-cli-level=INFO")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("Device times: measured", done.stdout)
        self.assertEqual(list(self.blocks(done.stdout, "Host Profile Overview")), ["cpu"])
        self.assertEqual(list(self.blocks(done.stdout)), ["sim"])

    def test_options_of_torq(self):
        arguments = ["--torq-runtime-hw-type=sim", "--torq-runtime-profiling-output-dir=./profile"]
        done = self.pytest("-k", "small", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("Profile Overview", done.stdout)
        done = self.pytest("-k", "small", *arguments, "--update-astra-runtime", "--recompute-cache")
        self.assertEqual(len(self.blocks(done.stdout)), 1)

    def test_boards_need_addresses(self):
        done = self.pytest("--torq-runtime-hw-type=astra_machina")
        self.assertEqual(done.returncode, 4)
        self.assertIn("needs --torq-addr", done.stderr + done.stdout)
        done = self.pytest("--torq-runtime-hw-type=sim", "--torq-addr", "root@10.0.0.1")
        self.assertEqual(done.returncode, 4)
        self.assertIn("runs here", done.stderr + done.stdout)

    @unittest.skipUnless(os.path.exists("/usr/sbin/sshd"), "openssh-server is not installed")
    def test_remote_session(self):
        board = helpers.Board(os.path.join(self.folder, "board"))
        self.addCleanup(board.stop)
        vendor = os.path.join(board.home, "iree-build-soc", re.sub(r"[^A-Za-z0-9_.-]", "_", getpass.getuser()), "torq-run-module")
        os.makedirs(os.path.dirname(vendor))
        with open(vendor, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho vendor runtime\n")
        done = self.pytest("--torq-runtime-hw-type=astra_machina", "--torq-addr", "root@10.46.130.17",
                           "--torq-runtime-profiling-output-dir=./profile", "--update-astra-runtime",
                           "--recompute-cache", "--junit-xml", "out.xml", "--log-cli-level=INFO",
                           PATH=f"{board.bin}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(re.findall(r"Wall time: \d+\.\d{3}s", done.stdout)), 3)
        blocks = self.blocks(done.stdout)
        self.assertEqual(len(blocks), 3)
        for rows in blocks.values():
            self.assertRegex(rows[0], r"^  WALL_TIME( \(this computer\))? +\d+\.\d{3}m?s$")
            for row in rows[1:]:
                self.assertRegex(row, ROW)
        found = list(xml.etree.ElementTree.parse(os.path.join(self.folder, "out.xml"))
                     .iter("property"))
        times = {name: [float(p.get("value")) for p in found if p.get("name") == name]
                 for name in ("wall_time", "board_time")}
        self.assertEqual([len(values) for values in times.values()], [3, 3])
        for wall, there in zip(*times.values()):
            self.assertGreater(wall, there)
        kept = [os.path.join(at, name) for at, _, names in os.walk(board.home) for name in names]
        self.assertEqual(sorted(os.path.basename(name) for name in kept), ["tacho-board", "torq-run-module"])
        with open(vendor, encoding="utf-8") as file:
            self.assertIn("vendor runtime", file.read())
        self.assertIn("/torq-run-module is left as it is", done.stdout)

    def waiting(self):
        """How many logs say that the board is in use."""
        return sum(" is in use by another user; waiting up to 3600 s" in path.read_text()
                   for path in pathlib.Path(self.folder).glob("*.log"))

    @unittest.skipUnless(os.path.exists("/usr/sbin/sshd"), "openssh-server is not installed")
    def test_a_board_in_use_is_told(self):
        board = helpers.Board(os.path.join(self.folder, "board"))
        self.addCleanup(board.stop)
        holder = board.hold()
        session = self.start("-k", "small", "--tacho-addr", "me@board",
                             PATH=f"{board.bin}:{os.environ['PATH']}")
        told = ""
        while " is in use by " not in told:
            line = session.stdout.readline()
            self.assertNotEqual(line, "", told)  # the session has ended
            told += line
        holder.communicate()
        shown, _ = session.communicate()
        self.assertEqual(session.returncode, 0, told + shown)

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "pytest-xdist is not installed")
    @unittest.skipUnless(os.path.exists("/usr/sbin/sshd"), "openssh-server is not installed")
    def test_workers_on_one_board(self):
        """They take turns: while the board is in use all wait and say so, and then all run."""
        board = helpers.Board(os.path.join(self.folder, "board"))
        self.addCleanup(board.stop)
        self.write("test_turns.py", "import logging, os, pytest\n"
                   "logging.getLogger('tacho').addHandler(logging.FileHandler(f'{os.getpid()}.log'))\n"
                   "logging.getLogger('tacho').setLevel(logging.INFO)\n"
                   "@pytest.mark.parametrize('x', range(6))\n"
                   "def test_turn(tacho_run, x):\n"
                   "    run = tacho_run('small.mlir', count=20)\n"
                   "    assert run.board.host == 'me@board' and len(run.inferences) == 20\n"
                   "    assert run.wall_time >= run.board.board_ns / 1e9 > 0\n")
        holder = board.hold()
        session = self.start("test_turns.py", "-n", "3", "--tacho-addr", "me@board",
                             "--junit-xml", "out.xml", PATH=f"{board.bin}:{os.environ['PATH']}")
        self.assertTrue(helpers.wait_until(lambda: self.waiting() == 3), "they do not wait")
        holder.communicate()
        shown, _ = session.communicate()
        self.assertEqual(session.returncode, 0, shown)
        self.assertIn("6 passed", shown)
        cases = list(xml.etree.ElementTree.parse(os.path.join(self.folder, "out.xml")).iter("testcase"))
        waits = [p for case in cases for p in case.iter("property") if p.get("name") == "board_wait"]
        self.assertGreaterEqual(len(waits), 3)

    def test_programs_are_compiled_once(self):
        cache = os.path.join(self.folder, ".pytest_cache", "d", "tacho")
        self.assertEqual(self.pytest("-k", "small").returncode, 0)
        first = {name: os.stat(os.path.join(cache, name)).st_mtime_ns for name in os.listdir(cache)}
        self.assertEqual(len(first), 1)
        self.pytest("-k", "small")
        self.assertEqual(os.stat(os.path.join(cache, *first)).st_mtime_ns, *first.values())
        self.pytest("-k", "small", "--recompute-cache")
        self.assertGreater(os.stat(os.path.join(cache, *first)).st_mtime_ns, *first.values())
        self.write("small.mlir", TOSA.format(size=64))  # another content
        self.pytest("-k", "small")
        self.assertEqual(len(os.listdir(cache)), 2)

    def test_baseline(self):
        arguments = ["-k", "small", "--tacho-baseline", "base"]
        done = self.pytest(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertIn("write it with --tacho-update-baseline", done.stdout)
        self.assertEqual(self.pytest(*arguments, "--tacho-update-baseline").returncode, 0)
        self.assertEqual(self.pytest(*arguments).returncode, 0)
        self.write("small.mlir", TOSA.format(size=200000))
        done = self.pytest(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout,
                         r"slower than base/test_models_py__test_model_small_mlir__[0-9a-f]{16}\.tacho")
        self.assertIn("  base: 1 slower\n", done.stdout)
        self.assertRegex(done.stdout, r"  abs_0: \d+ ns before, \d+ ns now")
        self.assertEqual(self.pytest(*arguments, "--tacho-gate", "rel=90%,abs=1s").returncode, 0)

    def gate_of(self, *arguments):
        """A session with a report, and what that says of the gate."""
        done = self.pytest("-k", "small", "--tacho-device=cpu", "--tacho-baseline=base",
                           "--junit-xml=out.xml", *arguments)
        report = xml.etree.ElementTree.parse(os.path.join(self.folder, "out.xml"))
        return done, [p.get("value") for p in report.iter("property") if p.get("name") == "tacho_gate"]

    def test_inconclusive_gates_are_told(self):
        done, told = self.gate_of("--tacho-update-baseline")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(*told, r"^updated: base/test_models_py__test_model_small_mlir__[0-9a-f]{16}.tacho$")
        self.assertIn("  base: 1 written\n", done.stdout)
        done, told = self.gate_of()  # two inferences are too few to judge
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(*told, r"^inconclusive: .*fewer than 5 samples.*; use count=6 or more$")
        self.assertIn("InconclusiveWarning: test_models.py::test_model[small.mlir]", done.stdout)
        self.assertIn("  base: 1 inconclusive\n"
                      "  inconclusive test_models.py::test_model[small.mlir]: a measured", done.stdout)
        done, told = self.gate_of("--tacho-gate-strict")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("the baseline comparison is inconclusive: a measured side", done.stdout)
        self.assertEqual(self.pytest("--tacho-gate-strict").returncode, 4)

    def test_measured_inferences_are_samples(self):
        self.write("test_many.py", "def test_many(tacho_run):\n"
                   "    run = tacho_run('small.mlir', count=9)\n"
                   "    assert sum(i.is_recorded for i in run.inferences) == 8\n")
        arguments = ["test_many.py", "--tacho-device=cpu", "--tacho-baseline=base",
                     "--tacho-profile-dir=profile"]
        done = self.pytest(*arguments, "--tacho-update-baseline")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(list(self.blocks(done.stdout, "Host Profile Overview")), ["test_many_py__test_many"])  # all of them
        done = self.pytest(*arguments, "--tacho-gate=rel=900%,abs=60s")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("  base: 1 within rel=900%,abs=60s\n", done.stdout)

    def test_names_that_differ_in_replaced_characters(self):
        self.write("test_twins.py", "import pytest\n"
                   "@pytest.mark.parametrize('x', ['a.b', 'a_b'])\n"
                   "def test_twin(tacho_run, x):\n"
                   "    for _ in range(2):\n"
                   "        tacho_run('small.mlir' if '.' in x else 'large.mlir')\n"
                   "def test_twin_a_b__2(tacho_run):\n    tacho_run('small.mlir')\n")
        arguments = ["test_twins.py", "--tacho-baseline=base", "--tacho-profile-dir=profile"]
        done = self.pytest(*arguments, "--tacho-update-baseline")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "base"))), 5)
        traces = [name for name in os.listdir(os.path.join(self.folder, "profile"))
                  if name.endswith(".pb")]
        self.assertEqual(len(traces), 5)
        self.assertEqual(len(self.blocks(done.stdout)), 5)
        done = self.pytest(*arguments, "--tacho-gate=rel=0%,abs=0ns")
        self.assertEqual(done.returncode, 0, done.stdout)  # each against its own
        self.assertIn("  base: 5 within", done.stdout)

    def test_help(self):
        done = self.pytest("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(default: rel=5%,abs=10us)", " ".join(done.stdout.split()))

    def test_failures_are_short(self):
        done = self.pytest("-k", "small", "--tacho-device=sim:none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NotFoundError: 'none' is neither a file nor a built-in machine", done.stdout)
        self.assertNotIn("ctypes", done.stdout)

    def test_several_runs_of_a_test(self):
        self.write("test_runs.py", "def test_runs(tacho_run):\n"
                   "    for _run in range(11):\n        tacho_run('small.mlir')\n")
        done = self.pytest("test_runs.py", "--tacho-profile-dir", "profile")
        self.assertEqual(list(self.blocks(done.stdout)), ["test_runs_py__test_runs"] + [
            f"test_runs_py__test_runs.{number}" for number in range(2, 12)])

    def test_a_trace_that_is_gone(self):
        self.write("test_gone.py", "def test_gone(tacho_run):\n"
                   "    tacho_run('small.mlir').trace.unlink()\n")
        done = self.pytest("test_gone.py", "--tacho-profile-dir=profile")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("  Model: test_gone_py__test_gone: ", done.stdout)

    def test_without_a_cache(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = self.pytest("-k", "small", "-p", "no:cacheprovider", TMPDIR=scratch)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual([name for name in os.listdir(scratch) if name.startswith("tacho.")], [])

    def test_long_names(self):
        self.write("test_long.py", "import pytest\n"
                   "@pytest.mark.parametrize('x', ['a' * 300 + 'b', 'a' * 300 + 'c'])\n"
                   "def test_model(tacho_run, x):\n    tacho_run('add.onnx')\n")
        done = self.pytest("test_long.py", "--tacho-baseline", "base", "--tacho-update-baseline")
        self.assertEqual(done.returncode, 0, done.stdout)
        names = os.listdir(os.path.join(self.folder, "base"))
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertRegex(name, r"^test_long_py__test_model_a{100,}_[0-9a-f]{16}\.tacho$")

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "pytest-xdist is not installed")
    def test_workers(self):
        done = self.pytest("-n", "2", "--tacho-profile-dir", "profile", "--junit-xml", "out.xml")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(self.blocks(done.stdout)), 3)

    def test_devices(self):
        for device, title in (("cpu", "Host Profile Overview"), ("sim:aic100", "Simulated Profile Overview")):
            done = self.pytest("--tacho-device", device, "--tacho-profile-dir", "profile")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(len(self.blocks(done.stdout, title)), 3)


class Keys(unittest.TestCase):
    """What a compiled model is cached by."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_external_data(self):
        weights, model = self.folder / "deep" / "weights of x.bin", self.folder / "m.onnx"
        weights.parent.mkdir()
        name = str(weights.relative_to(self.folder))
        entries = [tiny_onnx.block(13, tiny_onnx.block(1, "location") + tiny_onnx.block(2, text))
                   for text in (name, "../none", "n" * 200)]
        model.write_bytes(tiny_onnx.model("Add", "f32", (2, 3)) + b"".join(entries))
        keys = []
        for content in (b"1", b"2"):
            weights.write_bytes(content)
            keys.append(content_key(model, {}))
        self.assertNotEqual(*keys)
        self.assertEqual(keys[1], content_key(model, {}))

    def test_options_and_machines(self):
        model, machine = self.folder / "m.mlir", self.folder / "machine.json"
        model.write_text("module {}")
        keys = {content_key(model, options) for options in ({}, {"seed": 1}, {"machine": "aic100"})}
        for text in ("{}", "{ }"):
            machine.write_text(text)
            keys.add(content_key(model, {"machine": str(machine)}))
        self.assertEqual(len(keys), 5)


if __name__ == "__main__":
    unittest.main()
