# SPDX-License-Identifier: Apache-2.0
"""Compiling and running models: values of every type in and out, callbacks, results."""
import array
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

from helpers import Board, DATA, HAS_NUMPY, PAIR, needs_numpy
import tiny_onnx

import tacho
from tacho import _values

X = array.array("f", [1, 2, 3, 4, 5, 6])
Y = array.array("f", [10, 20, 30, 40, 50, 60])


def shaped(values, *shape):
    view = memoryview(values)
    return view.cast("B").cast(view.format, shape)


def numbers(value):
    """All elements of an output in one list."""
    return value.ravel().tolist() if hasattr(value, "ravel") else memoryview(
        value.tobytes()).cast(value.format).tolist()


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def model(self, operator, dtype, shape=(2, 3), inputs=("x",)):
        path = os.path.join(self.folder, f"{operator}_{dtype}.onnx")
        with open(path, "wb") as target:
            target.write(tiny_onnx.model(operator, dtype, shape, inputs))
        return path


class Deciding(unittest.TestCase):
    def test_inputs_decide_branches_and_sizes(self):
        """A model whose branches and sizes follow from values is compiled again for other inputs."""
        model = os.path.join(DATA, "run", "positive.onnx")
        cases = (((-1, 2, -3, 4, -5, -6), [2, 4, 2, 4]), ((1, 2, -3, 4, -5, -6), [1, 2, 4, 1, 2, 4]),
                 ((-1, -2, -3, -4, -5, 0), [1, 2, 3, 4, 5]))
        with tacho.Runner(model, "cpu") as runner:
            for values, expected in cases + cases:
                made = runner.run({"x": array.array("f", values)})
                self.assertEqual(numbers(made["y"]), expected)
                self.assertEqual(runner.outputs[0].shape, (len(expected),))
            self.assertTrue(any("takes its" in note.text for note in runner.notes))


class Compiling(Models):
    def test_tables_and_files(self):
        compiled = tacho.compile(PAIR, "aic100", stats_level=70)
        self.assertEqual(len(compiled.operators), 2)
        self.assertIn("total", compiled.tables)
        self.assertEqual(repr(compiled), "<Compiled: 2 operators>")
        program = os.path.join(self.folder, "programqpc.bin")
        compiled.write_program(program)
        self.assertEqual(tacho.Runner(program).inputs[0].shape, (2, 3))
        timeline = os.path.join(self.folder, "timeline.pb")
        compiled.write_timeline(timeline)
        self.assertEqual(tacho.Profile(timeline).parts[0].origin, "estimated")

    def test_the_way_of_torq(self):
        compiled = tacho.compile(PAIR)
        debug, phases = (os.path.join(self.folder, name) for name in ("debug", "phases"))
        compiled.write_debug_info(debug)
        compiled.write_phases(phases)
        self.assertTrue(any(name.endswith("9.executable-targets.mlir") for name in os.listdir(phases)))
        compiled.write_timeline(os.path.join(self.folder, "t.csv"), "t1")
        with tacho.Runner(PAIR) as runner:
            runner.run(count=3, recorded=2)
            runtime = os.path.join(self.folder, "runtime.csv")
            runner.write_profile(runtime, "r2")
        tables = tacho.annotate(debug, runtime)
        self.assertGreater(len(tables["annotation"]), 0)
        self.assertEqual(len(tables["problems"]), 0)

    def test_options(self):
        with self.assertRaisesRegex(TypeError, "unknown option 'core'; compiling has machine, sizes"):
            tacho.compile(PAIR, core=1)
        open_model = DATA / "compile" / "open.onnx"
        with self.assertRaises(tacho.TachoError):
            tacho.compile(open_model, "aic100")
        self.assertGreater(len(tacho.compile(open_model, "aic100", sizes={"N": 4}).operators), 0)
        with self.assertRaises(tacho.NotFoundError):
            tacho.compile(PAIR, "no such machine")
        with self.assertRaisesRegex(ValueError, "cores: -1 is out of range"):
            tacho.compile(PAIR, cores=-1)

    def test_constants(self):
        choice = DATA / "compile" / "choice.onnx"
        self.assertEqual([tacho._model._constant_text(value) for value in
                          (16000, "1,2", True, [1, 2.5], 1e30)],
                         ["16000", "1,2", "true", "1,2.5", "1e+30"])
        with self.assertRaisesRegex(tacho.TachoError, "nothing_of_that_name"):
            tacho.compile(choice, "aic100", constants={"nothing_of_that_name": 1})

    def test_callbacks(self):
        steps = []
        tacho.compile(PAIR, progress=lambda done, total: steps.append((done, total)))
        self.assertTrue(steps)
        with self.assertRaises(tacho.CancelledError):
            tacho.compile(PAIR, progress=lambda done, total: False)
        with self.assertRaises(ZeroDivisionError):
            tacho.compile(PAIR, progress=lambda done, total: 1 / 0)

    def test_notes(self):
        seen = []
        compiled = tacho.compile(self.model("NoSuchOperator", "f32"), "aic100", on_note=seen.append)
        self.assertEqual(compiled.notes, seen)
        self.assertEqual(seen[0].kind, "warning")
        self.assertIn("NoSuchOperator", seen[0].text)


class Values(Models):
    def test_every_type_by_bytes(self):
        for dtype in tiny_onnx.TYPES:
            if dtype in _values.PACKED:  # several in a byte: see below
                continue
            with self.subTest(dtype), tacho.Runner(self.model("Identity", dtype), "cpu") as runner:
                self.assertEqual(runner.inputs, [_values.Tensor("x", dtype, (2, 3))])
                self.assertEqual(runner.outputs, [_values.Tensor("y", dtype, (2, 3))])
                size = struct.calcsize({"complex64": "d", "complex128": "dd"}.get(dtype) or
                                       _values.FORMATS.get(dtype) or _values.BITS[dtype])
                content = bytes(i % 2 if dtype == "bool" else i % 100 + 1 for i in range(6 * size))
                for given in (content, bytearray(content)):
                    self.assertEqual(runner.run({"x": given})["y"].tobytes(), content)

    @needs_numpy
    def test_every_type_of_numpy(self):
        import numpy
        names = {"f32": "float32", "f64": "float64", "f16": "float16", "i8": "int8", "u8": "uint8",
                 "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64",
                 "u64": "uint64", "bool": "bool", "complex64": "complex64",
                 "complex128": "complex128", "bf16": "uint16", "f8e4m3": "uint8",
                 "f8e4m3fnuz": "uint8", "f8e5m2": "uint8", "f8e5m2fnuz": "uint8", "f8e8m0": "uint8",
                 "f4e2m1": "uint8", "i4": "int8", "u4": "uint8", "i2": "int8", "u2": "uint8"}
        self.assertEqual(set(names), set(tiny_onnx.TYPES))
        for dtype, name in names.items():
            with self.subTest(dtype), tacho.Runner(self.model("Identity", dtype), "cpu") as runner:
                given = numpy.array(((0, 1, 1), (1, 0, 0)) if dtype in ("i2", "u2") else
                                    ((0, 1, 2), (3, 4, 5))).astype(name)
                for kind in (given, numpy.asfortranarray(given), given[::-1, ::-1],
                             numpy.tile(given, (1, 2))[:, ::2]):
                    found = runner.run([kind])["y"]
                    self.assertEqual((found.dtype, found.shape), (numpy.dtype(name), (2, 3)))
                    self.assertEqual(found.tolist(), kind.tolist())
                given.flags.writeable = False
                self.assertEqual(runner.run([given])["y"].tolist(), given.tolist())

    def test_parts_of_bytes(self):
        for dtype, bits, low, code in (("i4", 4, -8, "b"), ("u4", 4, 0, "B"), ("f4e2m1", 4, 0, "B"),
                                       ("i2", 2, -2, "b"), ("u2", 2, 0, "B")):
            for shape in ((3, 5), (7,), (1,), (), (0, 3), (2, 8)):
                count = 1
                for size in shape:
                    count *= size
                values = array.array(code, [low + i % (1 << bits) for i in range(count)])
                whole = sum((value & (1 << bits) - 1) << bits * i for i, value in enumerate(values))
                packed = whole.to_bytes((count * bits + 7) // 8, "little")
                with self.subTest((dtype, shape)), \
                        tacho.Runner(self.model("Identity", dtype, shape), "cpu") as runner:
                    given = [packed, bytearray(packed)]
                    if count and shape:
                        given.append(shaped(values, *shape))
                    if len(shape) == 2 and count:
                        given.append(array.array("B", packed))
                    for value in given:
                        found = runner.run([value])["y"]
                        self.assertEqual(found.tobytes(), values.tobytes())
                        if HAS_NUMPY:
                            self.assertEqual((found.shape, found.dtype.name),
                                             (shape, "int8" if code == "b" else "uint8"))

    def test_parts_that_do_not_fit(self):
        for dtype, code, value, held in (
                ("i4", "b", 8, "-8 to 7"), ("i4", "b", -9, "-8 to 7"), ("u4", "B", 16, "0 to 15"),
                ("f4e2m1", "B", 16, "0 to 15"), ("i2", "b", 2, "-2 to 1"), ("i2", "b", -3, "-2 to 1"),
                ("u2", "B", 4, "0 to 3")):
            with tacho.Runner(self.model("Identity", dtype), "cpu") as runner:
                with self.assertRaisesRegex(
                        ValueError, f"an element does not fit {dtype}, which holds {held}"):
                    runner.set_inputs([shaped(array.array(code, [0, 0, 0, 0, 0, value]), 2, 3)])
                with self.assertRaises((tacho.UsageError, TypeError)):
                    runner.set_inputs([shaped(array.array("h", [0] * 6), 2, 3)])
        for dtype, in_byte in (("i4", 2), ("i2", 4)):
            with tacho.Runner(self.model("Identity", dtype), "cpu") as runner:
                words = f"is of {dtype}: give int8 with one element each, or bytes with {in_byte}$"
                with self.assertRaisesRegex(TypeError, words):
                    runner.set_inputs([shaped(array.array("B", [0] * 6), 2, 3)])

    @needs_numpy
    def test_outputs_are_copies_to_write_to(self):
        with tacho.Runner(PAIR, "cpu") as runner:
            first = runner.run([shaped(X, 2, 3), shaped(Y, 2, 3)])["output0"]
            second = runner.run([shaped(Y, 2, 3), shaped(Y, 2, 3)])["output0"]
        self.assertEqual(first.ravel().tolist(), [11, 22, 33, 44, 55, 66])
        self.assertEqual(second.ravel().tolist(), [20, 40, 60, 80, 100, 120])
        first[0, 0] = 5

    def test_values_are_computed(self):
        for device in ("cpu", "sim", "sim:aic100"):
            with self.subTest(device):
                outputs = tacho.run(PAIR, [shaped(X, 2, 3), shaped(Y, 2, 3)], device).outputs
                self.assertEqual(list(outputs), ["output0", "output1"])
                self.assertEqual(numbers(outputs["output0"]), [11, 22, 33, 44, 55, 66])
                self.assertEqual(numbers(outputs["output1"]), [-9, -18, -27, -36, -45, -54])
                self.assertEqual(tuple(outputs["output0"].shape), (2, 3))

    def test_scalars_and_nothing(self):
        with tacho.Runner(self.model("Identity", "f32", ()), "cpu") as runner:
            found = runner.run({"x": struct.pack("f", 1.5)})["y"]
            self.assertEqual(bytes(found.tobytes()), struct.pack("f", 1.5))

    def test_values_that_do_not_fit(self):
        with tacho.Runner(PAIR, "cpu") as runner:
            for value, error, words in (
                    (shaped(X, 3, 2), tacho.TachoError, "3x2"),
                    (array.array("d", [1] * 6), tacho.TachoError, "f64"),
                    (b"x", tacho.TachoError, ""),
                    ([1, 2, 3], TypeError, "input 'arg0' needs a numpy array.* not list"),
                    (None, TypeError, "not NoneType")):
                with self.assertRaisesRegex(error, words):
                    runner.set_inputs({"arg0": value})
            with self.assertRaisesRegex(KeyError, "no input 'z'; the model has arg0, arg1"):
                runner.set_inputs({"z": X})
            with self.assertRaisesRegex(ValueError, "3 inputs given, the model has 2"):
                runner.set_inputs([X, X, X])

    @needs_numpy
    def test_big_endian_is_refused(self):
        import numpy
        with tacho.Runner(PAIR, "cpu") as runner:
            with self.assertRaisesRegex(ValueError, "big-endian"):
                runner.set_inputs([numpy.zeros((2, 3), ">f4")])
        with tacho.Runner(self.model("Identity", "i8"), "cpu") as runner:
            runner.set_inputs([numpy.zeros((2, 3), ">i1")])

    def test_without_numpy_outputs_are_memoryviews(self):
        if HAS_NUMPY:
            self.skipTest("left to python.plain")
        output = tacho.run(PAIR, device="cpu").outputs["output0"]
        self.assertIsInstance(output, memoryview)
        self.assertEqual((output.format, output.shape), ("f", (2, 3)))


class Running(Models):
    def test_inferences(self):
        seen = []
        run = tacho.run(PAIR, device="sim:aic100", count=5, recorded=2, first_recorded=3,
                        on_inference=seen.append)
        self.assertEqual(run.inferences, seen)
        self.assertEqual([inference.number for inference in seen], [0, 1, 2, 3, 4])
        self.assertEqual([inference.is_recorded for inference in seen],
                         [False, False, False, True, True])
        self.assertTrue(all(inference.cycles > 0 and inference.latency_ns > 0 for inference in seen))
        self.assertEqual(run.profile.parts[0].origin, "simulated")
        self.assertIn("ops", run.tables)
        self.assertIsNone(tacho.run(PAIR, device="cpu").inferences[0].cycles)
        self.assertIsNone(tacho.run(PAIR, record=False).profile)

    def test_skipped_values(self):
        self.assertEqual(tacho.run(PAIR, skip_values=True).outputs, {})

    def test_same_seed_same_values(self):
        first, second, third = (tacho.run(PAIR, device="cpu", seed=seed).outputs["output0"].tobytes()
                                for seed in (1, 1, 2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)

    def test_raw_stats(self):
        program, stats = os.path.join(self.folder, "p.bin"), os.path.join(self.folder, "stats")
        tacho.compile(PAIR, "aic100", stats_level=70).write_program(program)
        tacho.run(program, stats_dir=stats, count=2, recorded=2)
        files = sorted(os.path.join(stats, name) for name in os.listdir(stats))
        self.assertEqual(len(files), 2)
        self.assertIn("ops", tacho.opstats(program, *files))
        self.assertNotIn("cores", tacho.opstats(program, files[0], rollup="op"))
        self.assertGreater(len(tacho.Profile(files[0], program=program).spans), 0)

    def test_callbacks_end_a_run(self):
        with tacho.Runner(PAIR) as runner:
            with self.assertRaises(ZeroDivisionError):
                runner.run(count=10, on_inference=lambda inference: 1 / (inference.number - 2))
            self.assertEqual(len(runner.inferences), 3)
            with self.assertRaises(tacho.CancelledError):
                runner.run(count=10, progress=lambda done, total: done < 4)
            self.assertEqual(len(runner.inferences), 4)
            self.assertIn("run", runner.tables)  # of what ended
            runner.run()

    def test_a_callback_cannot_use_the_runner(self):
        with tacho.Runner(PAIR) as runner:
            for use in (lambda _: runner.tables, lambda _: runner.run(), lambda _: runner.close()):
                with self.assertRaisesRegex(RuntimeError, "the runner is running"):
                    runner.run(on_inference=use)

    def test_order_of_use(self):
        runner = tacho.Runner(PAIR)
        with self.assertRaises(tacho.UsageError):
            runner.tables
        runner.close()
        runner.close()
        with self.assertRaisesRegex(ValueError, "the runner is closed"):
            runner.run()

    def test_threads_take_turns(self):
        runner, failures = tacho.Runner(PAIR, "cpu"), []

        def use():
            try:
                for _ in range(20):
                    runner.run()
            except BaseException as error:  # pylint: disable=broad-except
                failures.append(error)
        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


@unittest.skipUnless(os.path.exists("/usr/sbin/sshd"), "openssh-server is not installed")
class Boards(unittest.TestCase):
    SCRIPT = """
import signal, sys, tacho
signal.signal(signal.SIGINT, signal.default_int_handler)
def tell(note):
    print(note.text, flush=True)
try:
    tacho.Runner(sys.argv[1], host="me@board", board_wait=36000, on_note=tell)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

    def test_ctrl_c_ends_the_wait_for_a_board(self):
        with tempfile.TemporaryDirectory() as folder:
            board = Board(folder)
            self.addCleanup(board.stop)
            holder = board.hold()
            self.addCleanup(holder.communicate)
            waiting = subprocess.Popen([sys.executable, "-c", self.SCRIPT, PAIR], text=True,
                                       stdout=subprocess.PIPE,
                                       env={**os.environ, "PATH": f"{board.bin}:{os.environ['PATH']}"})
            self.addCleanup(waiting.kill)
            told = ""
            while " is in use by " not in told:
                line = waiting.stdout.readline()
                self.assertNotEqual(line, "", told)
                told += line
            waiting.send_signal(signal.SIGINT)  # the board is still in use
            shown, _ = waiting.communicate()
            self.assertEqual(shown, "interrupted\n")
            self.assertEqual(waiting.returncode, 0)


if __name__ == "__main__":
    unittest.main()
