# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md run, one after the other, in a directory with the files they name."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from helpers import DATA, ROOT, needs_pandas

import tacho

PAGE = ROOT / "docs" / "python.md"


def make_files(folder):
    subprocess.run([sys.executable, ROOT / "tools" / "example_profiles.py", folder], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copy(os.path.join(folder, "compile.csv"), os.path.join(folder, "timeline.csv"))
    shutil.copy(DATA / "annotate" / "clean_r2i.csv", os.path.join(folder, "runtime.csv"))
    os.mkdir(os.path.join(folder, "debug"))
    shutil.copy(DATA / "annotate" / "clean.9.executable-targets.mlir",
                os.path.join(folder, "debug", "model.9.executable-targets.mlir"))
    shutil.copy(DATA / "run" / "pair.mlir", os.path.join(folder, "model.mlir"))
    subprocess.run(["tacho", "compile", "model.mlir", "-m", "aic100", "--stats-level", "70", "-o",
                    "programqpc.bin", "-q"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    subprocess.run(["tacho", "run", "programqpc.bin", "--stats-dir", "stats", "-q"], check=True,
                   cwd=folder, stdout=subprocess.DEVNULL)


class Reference(unittest.TestCase):
    @unittest.skipUnless(sys.version_info[:2] == (3, 11), "signatures are printed by Python 3.11")
    def test_page_is_current(self):
        made = subprocess.run([sys.executable, ROOT / "tools" / "python_reference.py"], check=True,
                              capture_output=True, text=True).stdout
        page = (ROOT / "docs" / "python-reference.md").read_text(encoding="utf-8")
        self.assertEqual(page, made, "run tools/python_reference.py > docs/python-reference.md")


class Examples(unittest.TestCase):
    @needs_pandas
    def test_page(self):
        if shutil.which("tacho") is None:
            self.skipTest("no program tacho to make files with")
        blocks = list(re.finditer(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M))
        self.assertGreater(len(blocks), 4)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            make_files(folder)
            os.chdir(folder)
            self.addCleanup(os.chdir, before)
            names = {"stats": sorted(glob.glob("stats/*.bin"))}
            with open(os.devnull, "w", encoding="utf-8") as nothing:
                shown, sys.stdout = sys.stdout, nothing
                try:
                    for block in blocks:
                        line = PAGE.read_text(encoding="utf-8")[:block.start()].count("\n")
                        code = "\n" * (line + 1) + block.group(1)
                        exec(compile(code, str(PAGE), "exec"), names)  # pylint: disable=exec-used
                finally:
                    sys.stdout = shown
            os.chdir(before)
        self.assertTrue(names["frame"] is not None and names["tacho"] is tacho)


if __name__ == "__main__":
    unittest.main()
