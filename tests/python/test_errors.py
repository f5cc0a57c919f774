# SPDX-License-Identifier: Apache-2.0
"""Failures are exceptions that say what the library says, with its chain of causes."""
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

from helpers import DATA, T1

import tacho
from tacho import _library


class Failures(unittest.TestCase):
    def test_kinds(self):
        for error, base, call in (
                (tacho.NotFoundError, FileNotFoundError, lambda: tacho.Profile("none.csv")),
                (tacho.NotFoundError, LookupError, lambda: tacho.machine("none")),
                (tacho.UnsupportedError, NotImplementedError,
                 lambda: tacho.Profile(DATA / "bad" / "garbage.bin")),
                (tacho.UsageError, ValueError, tacho.Profile),
                (tacho.UsageError, ValueError, lambda: tacho.Profile(T1, format="none")),
                (tacho.UsageError, ValueError, lambda: tacho.convert(T1, output="x.none")),
                (tacho.InputOutputError, OSError,
                 lambda: tacho.convert(T1, output="/none/such/x.pb"))):
            with self.subTest(error.__name__):
                with self.assertRaises(base) as caught:
                    call()
                self.assertIsInstance(caught.exception, error)
                self.assertEqual(caught.exception.code, error.code)
                self.assertTrue(str(caught.exception))

    def test_message_names_the_file(self):
        with self.assertRaisesRegex(tacho.TachoError, r"^none\.csv: cannot open: No such file"):
            tacho.Profile("none.csv")

    def test_chain_of_causes(self):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "bad.onnx")
            with open(model, "wb") as target:
                target.write(b"\x08\x07\x3a\xff")
            with self.assertRaises(tacho.TachoError) as caught:
                tacho.info(model)
        self.assertIsInstance(caught.exception.notes, tuple)
        self.assertEqual(str(caught.exception),
                         "\n  ".join((caught.exception.message, *caught.exception.notes)))

    def test_all_notes_are_read(self):
        class Status:
            texts = [b"inner", b"middle", b"outer"]
            freed = 0

            def tacho_status_code(self, _status): return 4
            def tacho_code_name(self, _code): return b"BAD_DATA"
            def tacho_status_message(self, _status): return b"what"

            def tacho_status_note(self, _status, index):
                return self.texts[index] if index < len(self.texts) else None

            def tacho_status_free(self, _status):
                self.freed += 1
        fake, real = Status(), _library.library
        _library.library = lambda: fake
        try:
            with self.assertRaises(tacho.BadDataError) as caught:
                _library.check(1)
        finally:
            _library.library = real
        self.assertEqual(caught.exception.notes, ("inner", "middle", "outer"))
        self.assertEqual(fake.freed, 1)

    def test_survives_a_pickle(self):
        error = pickle.loads(pickle.dumps(tacho.InputOutputError("m", notes=("a", "b"))))
        self.assertEqual((str(error), error.code), ("m\n  a\n  b", "IO"))

    def test_values_that_do_not_fit(self):
        for options in ({"slices": -1}, {"slices": 2 ** 32}, {"min_duration_ns": 2 ** 63},
                        {"window_ns": (0, 2 ** 64)}):
            with self.assertRaisesRegex(ValueError, "out of range"):
                tacho.Profile(T1, **options)
        with self.assertRaisesRegex(ValueError, "NUL byte"):
            tacho.Profile("a\0b")
        with self.assertRaisesRegex(ValueError, "NUL byte"):
            tacho.Profile(T1, filter="a\0b")
        with self.assertRaises(TypeError):
            tacho.Profile(T1, slices="2")

    def test_empty_bytes(self):
        with self.assertRaises(tacho.TachoError):
            tacho.Profile(b"")


class Loading(unittest.TestCase):
    def load(self, library):
        code = "import tacho\ntry:\n    tacho.library_version()\nexcept ImportError as e:\n    print(e)"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "TACHO_LIBRARY": library}).stdout

    def test_no_library(self):
        shown = self.load("/none/libtacho.so")
        self.assertIn("cannot load libtacho; install tacho, or set TACHO_LIBRARY", shown)
        self.assertIn("/none/libtacho.so", shown)

    def test_another_version(self):
        found = _library._load()
        for version, ok in (("0.1.9", True), ("0.2.0", False), ("1.1.0", False)):
            with self.subTest(version):
                if ok:
                    _library.check_version(found, version)
                    continue
                with self.assertRaisesRegex(tacho.LibraryNotFound,
                                            f"libtacho is version {version}, but this package needs 0.1.x"):
                    _library.check_version(found, version)

    def test_version(self):
        self.assertEqual(tacho.library_version(), tacho.__version__)


if __name__ == "__main__":
    unittest.main()
