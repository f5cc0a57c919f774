# SPDX-License-Identifier: Apache-2.0
"""Requests: options by the tables of the library, results with tables, messages and outcome."""
import os
import subprocess
import sys
import tempfile
import unittest

from helpers import DATA, ROOT

import tacho
from tacho import ask, requests

TIMELINE = str(DATA / "torq" / "t1.csv")
KINETO = str(DATA / "chrome" / "kineto.json")


class Asking(unittest.TestCase):
    def test_tables_and_outcome(self):
        found = tacho.request("ops", TIMELINE, top=2, by="type")
        self.assertEqual((found.outcome, found.status, len(found["ops"])), ("done", 0, 2))
        self.assertEqual([message.kind for message in found.messages], ["note"])

    def test_skipped_inputs_are_no_failure(self):
        """As in the program: the good input is shown, the bad one is named."""
        found = tacho.request("overview", TIMELINE, "/etc/passwd")
        self.assertEqual(found.outcome, "lossy")
        self.assertGreater(len(found["overview"]), 5)
        self.assertEqual([message.kind for message in found.messages], ["skipped"])
        with self.assertRaises(tacho.TachoError) as raised:
            tacho.request("overview", TIMELINE, "/etc/passwd", strict=True)
        self.assertFalse(raised.exception.results.is_misuse)

    def test_functions_skip_as_well(self):
        found = tacho.overview(TIMELINE, "/etc/passwd")
        self.assertGreater(len(found["overview"]), 5)
        self.assertEqual(len(found.skipped), 1)
        self.assertRegex(found.skipped[0], "^/etc/passwd:1: unknown format")
        self.assertEqual(list(tacho.ops(TIMELINE).skipped), [])
        with self.assertRaises(tacho.UnsupportedError):
            tacho.overview("/etc/passwd")

    def test_misuse_names_the_option(self):
        with self.assertRaises(tacho.UsageError) as raised:
            tacho.request("ops", TIMELINE, sort="size")
        self.assertRegex(raised.exception.message, "^sort: unknown key 'size'")
        self.assertTrue(raised.exception.results.is_misuse)
        with self.assertRaisesRegex(tacho.UsageError, "unknown option 'sorted' of ops"):
            tacho.request("ops", TIMELINE, sorted="size")
        with self.assertRaisesRegex(tacho.UsageError, "given twice"):
            tacho.request("ops", TIMELINE, sort=["self", "name"])
        with self.assertRaises(tacho.NotFoundError):
            tacho.request("opz", TIMELINE)

    def test_a_filter_silences_the_verdict(self):
        whole = tacho.request("breakdown", KINETO)
        part = tacho.request("breakdown", KINETO, filter="/Launch/")
        self.assertIn("devices", part.tables.ids)
        self.assertEqual(sum(len(table) for table in part.tables if table.id == "verdict"), 0)
        self.assertIn("devices", whole.tables.ids)

    def test_losses_are_messages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.csv")
            with open(path, "w", encoding="utf-8") as target:
                target.write((DATA / "torq" / "r0.csv").read_text(encoding="utf-8") + "x,y\n")
            found = tacho.request("ops", path)
        self.assertEqual((found.outcome, [message.kind for message in found.messages]),
                         ("lossy", ["warning"]))
        self.assertIn("1 record not read", found.messages[0].text)

    def test_sides_of_a_diff(self):
        found = tacho.request("diff", sides=([TIMELINE], [TIMELINE]), gate="rel=3%,abs=20us")
        self.assertEqual(found.outcome, "done")

    def test_progress_stops(self):
        with self.assertRaises(tacho.CancelledError):
            tacho.request("ops", KINETO, progress=lambda done, total: False)


class Everything(unittest.TestCase):
    """What only the program could do before."""

    def test_fleet(self):
        found = tacho.request("fleet", "ops", str(DATA / "torq"), top=3)
        self.assertIn("ops", found.tables.ids)
        self.assertIn(found.outcome, ("done", "lossy"))

    def test_dataset(self):
        with tempfile.TemporaryDirectory() as folder:
            found = tacho.request("convert", TIMELINE, output=os.path.join(folder, "set") + "/")
            self.assertEqual([message.kind for message in found.messages], ["wrote"])
            self.assertTrue(os.path.isdir(os.path.join(folder, "set", "spans")))

    def test_sweep(self):
        model = str(DATA / "compile" / "block.mlir")
        found = ask.compile(model, machine="aic100", sweep=["batch=1,2"])
        self.assertEqual(len(found["sweep"]), 2)

    def test_compile_and_run_print_nothing(self):
        script = ("import tacho, sys; tacho.request('compile', sys.argv[1]); "
                  "tacho.request('run', sys.argv[1])")
        made = subprocess.run([sys.executable, "-c", script, str(DATA / "run" / "pair.mlir")], check=True,
                              capture_output=True, text=True)
        self.assertEqual((made.stdout, made.stderr), ("", ""))

    def test_report_and_baseline(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            self.assertEqual(tacho.request("report", TIMELINE, output=page).outcome, "done")
            self.assertTrue(os.path.exists(page))
            kept = os.path.join(folder, "kept")
            tacho.request("baseline", "save", "main", TIMELINE, dir=kept)
            self.assertEqual(len(tacho.request("baseline", "list", dir=kept)["baselines"]), 1)

    def test_profile(self):
        found = tacho.request("profile", "sh", "-c", "exit 7")
        self.assertEqual((found.status, found["processes"][0]["end_status"]), (7, "7"))


class Tables(unittest.TestCase):
    def test_every_option_has_help(self):
        for name in requests.names():
            for option in requests.options(name):
                self.assertTrue(option.help and "{" not in option.help, f"{name} {option}")

    @unittest.skipUnless((ROOT / "tools").is_dir(), "without the tools of the repository")
    def test_keywords_are_current(self):
        made = subprocess.run([sys.executable, ROOT / "tools" / "python_requests.py"], check=True,
                              capture_output=True, text=True).stdout
        page = (ROOT / "python" / "tacho" / "ask.py").read_text(encoding="utf-8")
        self.assertEqual(page, made, "run tools/python_requests.py > python/tacho/ask.py")


if __name__ == "__main__":
    unittest.main()
