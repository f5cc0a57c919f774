# SPDX-License-Identifier: Apache-2.0
"""Failures are exceptions that say what the library says, with its chain of causes."""
import copy
import io
import mmap
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

from helpers import DATA, PAIR, ROOT, T1, needs_numpy

import tacho
from tacho import _library


LOG = tacho.TimeChartLog("a", "b", "c", 0, 1)


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


class Hostile(unittest.TestCase):
    """Wrong types and odd uses end in an exception of Python's that names what was expected."""

    def test_wrong_types(self):
        for words, call in (
                ("not int", lambda: tacho.Profile(3)),
                ("not list", lambda: tacho.Profile([T1])),
                ("expected a str, not int: 1", lambda: tacho.Profile(T1, format=1)),
                ("expected a str, not bytes", lambda: tacho.Profile(T1, filter=b"x")),
                ("unknown option 'top'; reading has format", lambda: tacho.overview(T1, top=1)),
                ("cannot be interpreted as an integer", lambda: tacho.Profile(T1).spans["a"]),
                ("cannot be interpreted as an integer", lambda: tacho.Profile(T1).spans[1.0]),
                ("expected a str, not int", lambda: tacho.machine(3)),
                ("expected a str, not int", lambda: tacho.Runner(PAIR, 3)),
                ("sizes is a dictionary by name, not list", lambda: tacho.compile(PAIR, sizes=[1])),
                ("a constant is a number, a text or", lambda: tacho.compile(PAIR, constants={"a": None})),
                ("inputs are a dictionary by name, or a list", lambda: tacho.run(PAIR, 5)),
                ("argument 'x' needs a number", lambda: self.chart().render(LOG, {"x": None})),
                ("cannot be interpreted", lambda: self.chart().set_track_event(1.5, 1, LOG)),
                ("expected a str, not int", lambda: self.chart().render(
                    tacho.TimeChartLog(1, "b", "c", 0, 1)))):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()

    def chart(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return tacho.TimeChartView(os.path.join(folder.name, "x.pb"))

    def test_wrong_values(self):
        for window in (5, (1,), (1, 2, 3), "12"):
            with self.assertRaisesRegex(ValueError, r"window_ns is \(begin, end\)"):
                tacho.Profile(T1, window_ns=window)
        spans = tacho.Profile(T1).spans
        for number in (-1, 2 ** 32, 2 ** 40):
            self.assertIsNone(spans.text(number))
        for index in (7, -8, 2 ** 70):
            with self.assertRaises(IndexError):
                spans[index]

    def test_pickles_and_copies(self):
        profile = tacho.Profile(T1)
        for value in (profile, profile.spans, profile.spans[0], profile.ops, profile.overview()):
            for use in (pickle.dumps, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, "cannot be pickled or copied deeply; pass the"):
                    use(value)
        again = copy.copy(profile)
        profile.close()
        self.assertEqual(len(again.spans), 7)
        with self.assertRaisesRegex(ValueError, "the profile is closed"):
            profile.ops

    def test_sequences(self):
        profile = tacho.Profile(T1)
        spans, table = profile.spans, profile.ops
        self.assertEqual([span.number for span in spans[1:5:2]], [1, 3])
        self.assertEqual(spans[-1], spans[6])
        self.assertIn(spans[0], spans)
        self.assertEqual(len({spans[0], spans[0], spans[1]}), 2)
        self.assertNotEqual(spans[0], tacho.Profile(T1).spans[0])
        self.assertEqual([table[0], table[-1], *table[1:3]],
                         [list(table)[0], list(table)[-1], *list(table)[1:3]])
        self.assertEqual(list(reversed(table)), list(table)[::-1])
        self.assertTrue("total_ns" in table and "none" not in table)
        self.assertEqual(table.cell(-1, "count"), table["count"][-1])
        with self.assertRaises(IndexError):
            table[len(table)]

    def test_sources(self):
        profile = tacho.Profile(T1)
        self.assertEqual(tacho.diff(profile, T1, gate="rel=1%,abs=1ns").outcome, "pass")
        self.assertEqual(len(tacho.Profile(profile, profile).spans), 14)
        self.assertEqual(tacho.read(profile).parts[0].name, "t1.csv")
        with self.assertRaisesRegex(ValueError, r"read with options \(filter\); name its files"):
            tacho.overview(tacho.Profile(T1, filter="DMA"))
        with open(T1, "rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as view:
            self.assertEqual(len(tacho.Profile(view).spans), 7)
            self.assertEqual(len(tacho.ops(view)["ops"]), len(profile.ops))
        with self.assertRaises(TypeError):
            tacho.Profile(io.BytesIO(b""))
        self.assertGreater(len(tacho.machine(ROOT / "machines" / "aic100.json")["machine"]), 9)
        self.assertGreater(len(tacho.compile(PAIR, ROOT / "machines" / "aic100.json").operators), 0)

    @needs_numpy
    def test_numbers_of_numpy(self):
        import numpy
        profile = tacho.Profile(T1, slices=numpy.int32(2), clock_mhz=numpy.float32(800),
                                window_ns=numpy.array([0, 20000]))
        self.assertEqual(profile.spans[numpy.int64(0)].number, 0)
        self.assertEqual(profile.overview()[numpy.int64(0)].id, "overview")
        with self.assertRaisesRegex(ValueError, "slices: -1 is out of range|slice_count: -1"):
            tacho.Profile(T1, slices=numpy.int64(-1))
        self.assertEqual([tacho._model._constant_text(value) for value in
                          (numpy.int64(3), numpy.array([1, 2]), numpy.float64(1.5), numpy.bool_(True))],
                         ["3", "1,2", "1.5", "true"])
        self.chart().render(LOG, {"a": numpy.float32(1.5), "b": numpy.int64(3), "c": numpy.bool_(True)})

    @needs_numpy
    def test_arrays_that_are_no_tensors(self):
        import numpy
        with tacho.Runner(PAIR) as runner:
            for kind in ("O", "U3", "M8[ns]", numpy.longdouble, [("a", "f4")]):
                with self.subTest(str(kind)), self.assertRaisesRegex(TypeError, "input 'arg0' .*ndarray of"):
                    runner.set_inputs([numpy.zeros((2, 3), kind)])
            with self.assertRaisesRegex(TypeError, "a list of arrays in order, not an array"):
                runner.set_inputs(numpy.zeros((2, 3), "f4"))
            self.assertEqual(repr(runner), "<Runner arg0 f32[2, 3], arg1 f32[2, 3]>")
        self.assertEqual(repr(runner), "<Runner closed>")


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
