# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, in sessions of its own: what it prints, keeps, records and fails."""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import tacho
import tiny_onnx

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

    def pytest(self, *arguments):
        plugin = [] if "tacho" in self.entry_points() else ["-p", "tacho.pytest_plugin"]
        return subprocess.run([sys.executable, "-m", "pytest", *plugin, *arguments], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"})

    @staticmethod
    def entry_points():
        from importlib.metadata import entry_points
        try:
            return {point.name for point in entry_points(group="pytest11")}
        except TypeError:  # Python 3.9
            return {point.name for point in entry_points().get("pytest11", ())}

    def blocks(self, shown):
        """Model -> lines of its overview."""
        section = re.search(r"^=+ Host Profile Overview =+$\n(.*?)^=", shown, re.S | re.M)
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
        blocks = self.blocks(done.stdout)
        self.assertEqual(len(blocks), 3)
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
        self.assertEqual(times["test_nothing"], {})

    def test_options_of_torq(self):
        arguments = ["--torq-runtime-hw-type=sim", "--torq-runtime-profiling-output-dir=./profile"]
        done = self.pytest("-k", "small", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("Host Profile Overview", done.stdout)
        done = self.pytest("-k", "small", *arguments, "--update-astra-runtime", "--recompute-cache")
        self.assertEqual(len(self.blocks(done.stdout)), 1)

    def test_boards_are_refused(self):
        for arguments in (["--torq-addr", "root@10.0.0.1"], ["--tacho-addr", "me@board"],
                          ["--torq-runtime-hw-type=astra_machina"]):
            done = self.pytest(*arguments)
            self.assertEqual(done.returncode, 4)
            self.assertIn("cannot run tests on a board yet", done.stderr + done.stdout)

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
        self.assertRegex(done.stdout, r"slower than base/test_models_py__test_model_small_mlir_\.tacho")
        self.assertRegex(done.stdout, r"  abs_0: \d+ ns before, \d+ ns now")
        self.assertEqual(self.pytest(*arguments, "--tacho-gate", "rel=90%,abs=1s").returncode, 0)

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
        for device in ("cpu", "sim:aic100"):
            done = self.pytest("--tacho-device", device, "--tacho-profile-dir", "profile")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(len(self.blocks(done.stdout)), 3)


if __name__ == "__main__":
    unittest.main()
