# SPDX-License-Identifier: Apache-2.0
"""Running models and programs on a device, with values in and out and a profile of what happened."""
from __future__ import annotations

import ctypes
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from . import _abi
from ._library import Guard, Handle, StrPath, c_path, c_text, check, library, set_members, text
from ._model import Note, Notes, fill_compile_options
from ._values import Tensor, fill_value, tensor_of, value_of
from .profile import Profile
from .tables import Tables

__tracebackhide__ = True  # pytest shows the caller
Values = Union[Mapping[str, Any], Sequence[Any], None]


@dataclass(frozen=True)
class Inference:
    """One inference that has ended. |latency_ns| is the device's time, which "sim" simulates;
    |cycles| are of the core clock, None where they are not known."""
    number: int
    latency_ns: int
    cycles: Optional[int]
    is_recorded: bool


@dataclass(frozen=True)
class Board:
    """The other computer that a runner's device is on. |wall_ns| is from connecting to the last
    answer by the clock here, |board_ns| from the start of the runtime to that by the clock there.
    |wait_ns|, for others who used the board, is part of neither."""
    host: str
    machine: str
    path: str
    pushed_bytes: int
    wall_ns: int
    board_ns: int
    wait_ns: int = 0


class Runner:
    """A program, or a model that is compiled on the way, on a device: "sim", "sim:aic100" and so on,
    "cpu", or "null". With |host| the device is on another computer, reached with the user's ssh;
    |board_path| is where the runtime is kept there, |board_runtime| the file to copy, and
    |board_wait| how many seconds to wait while others use it. A board that is silent for
    |board_timeout| seconds, 60 unless it is given, is given up. Further options are those of
    compile().

        with tacho.Runner("model.onnx", device="cpu") as runner:
            outputs = runner.run({"x": array}, count=10)
    """

    def __init__(self, model: StrPath, device: Optional[str] = None, *, activations: int = 0,
                 threads: int = 0, reference_kernels: bool = False, skip_values: bool = False,
                 unlimited: bool = False, ignore_limit: bool = False, seed: int = 0,
                 stats_dir: Optional[StrPath] = None, host: Optional[str] = None,
                 board_path: Optional[str] = None, board_runtime: Optional[StrPath] = None,
                 board_wait: int = 0, board_timeout: int = 0,
                 on_note: Optional[Callable[[Note], object]] = None,
                 progress: Optional[Callable[[int, int], object]] = None, **options: Any) -> None:
        self._lock = threading.RLock()
        self._is_busy = False
        pointer, given = ctypes.c_void_p(), _abi.tacho_runner_options()
        with Guard() as guard:
            self._notes = Notes(guard, on_note)  # told until the runner is closed
            set_members(given, device=c_text(device), activations=activations, threads=threads,
                        reference_kernels=reference_kernels, skips_values=skip_values,
                        is_unlimited=unlimited, ignores_limit=ignore_limit, seed=seed,
                        stats_folder=None if stats_dir is None else c_path(stats_dir),
                        host=c_text(host), board_path=c_text(board_path),
                        board_runtime=None if board_runtime is None else c_path(board_runtime),
                        board_wait_s=board_wait, board_timeout_s=board_timeout)
            fill_compile_options(given.compile, ignore_limit=ignore_limit, **options)
            given.compile.note = self._notes.callback
            given.compile.progress = guard.progress(progress)
            status = library().tacho_runner_open(c_path(model), ctypes.byref(given),
                                                 ctypes.byref(pointer))
            if guard.error is not None:
                library().tacho_runner_close(pointer)
            check(status, guard)
        self._keep = given  # callbacks that the library may call
        self._open: Optional[Handle] = Handle(pointer, library().tacho_runner_close)
        #: What the model takes, in order.
        self.inputs = [self._input(i) for i in range(library().tacho_runner_input_count(pointer))]
        #: What it gives, in order; a model may leave names and shapes of these open.
        self.outputs = [self._output_kind(i) for i in
                        range(library().tacho_runner_output_count(pointer))]
        #: Of the last run, in order.
        self.inferences: list[Inference] = []

    def _input(self, index: int) -> Tensor:
        view = _abi.tacho_value_view()
        with self._use() as pointer:
            library().tacho_runner_input(pointer, index, ctypes.byref(view))
            return tensor_of(view)

    def _output_kind(self, index: int) -> Tensor:
        view = _abi.tacho_value_view()
        with self._use() as pointer:
            library().tacho_runner_output_kind(pointer, index, ctypes.byref(view))
            kind = tensor_of(view)
            return Tensor(kind.name or f"output{index}", kind.dtype, kind.shape)

    # ---- lifetime

    @contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        """The library's object, for one thread and one call at a time."""
        with self._lock:
            if self._is_busy:
                raise RuntimeError("the runner is running: a callback cannot use it")
            if self._open is None:
                raise ValueError("the runner is closed")
            self._is_busy = True
            try:
                yield self._open.pointer
            finally:
                self._is_busy = False

    def close(self) -> None:
        """Lets go of the device and the memory. Outputs stay good."""
        with self._lock:
            if self._is_busy:
                raise RuntimeError("the runner is running: a callback cannot close it")
            self._open = None

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(f"{known.name} {known.dtype}{list(known.shape)}" for known in self.inputs)
        return f"<Runner {names}>" if self._open is not None else "<Runner closed>"

    @property
    def notes(self) -> list[Note]:
        return list(self._notes.items)

    @property
    def board(self) -> Optional[Board]:
        """The other computer that the device is on; None: it is on this one."""
        view = _abi.tacho_runner_board()
        with self._use() as pointer:
            if not library().tacho_runner_get_board(pointer, ctypes.byref(view)):
                return None
            return Board(text(view.host), text(view.machine), text(view.path), view.pushed_bytes,
                         view.wall_ns, view.board_ns, view.wait_ns)

    # ---- running

    def _index(self, name: str) -> int:
        for index, known in enumerate(self.inputs):
            if known.name == name:
                return index
        names = ", ".join(known.name for known in self.inputs)
        raise KeyError(f"no input '{name}'; the model has {names or 'none'}")

    def set_inputs(self, values: Values) -> None:
        """Sets inputs by name or in order. An input keeps its value until it is set again; until
        then it is seeded-random. A model whose branches, loops or sizes follow from values is
        compiled again by run() if the inputs decide them otherwise; |outputs| has the new shapes."""
        if hasattr(values, "dtype"):
            raise TypeError("inputs are a dictionary by name, or a list of arrays in order, not an array")
        if isinstance(values, Mapping):
            pairs = [(self._index(name), value) for name, value in values.items()]
        else:
            if values is not None and not hasattr(values, "__iter__"):
                raise TypeError("inputs are a dictionary by name, or a list of arrays in order, not "
                                f"{type(values).__name__}")
            pairs = list(enumerate(values or ()))
            if len(pairs) > len(self.inputs):
                raise ValueError(f"{len(pairs)} inputs given, the model has {len(self.inputs)}")
        for index, value in pairs:
            view, _held = fill_value(value, self.inputs[index])
            with self._use() as pointer:
                check(library().tacho_runner_set_input(pointer, index, ctypes.byref(view)))

    def run(self, inputs: Values = None, *, count: int = 1, recorded: int = 0,
            first_recorded: int = 0, delay_ms: int = 0, record: bool = True,
            on_inference: Optional[Callable[[Inference], object]] = None,
            progress: Optional[Callable[[int, int], object]] = None) -> dict[str, Any]:
        """Runs |count| inferences and returns the outputs of the last one by name ("output0" and so
        on where the model has no names): numpy arrays, or memoryviews without numpy. |on_inference|
        is told of each inference; when it raises, the run ends. |recorded| and |first_recorded| choose which inferences are in the profile."""
        self.set_inputs(inputs)
        done: list[Inference] = []
        with Guard() as guard, self._use() as pointer:
            def take(_user: Any, result: Any) -> None:
                seen = result.contents
                done.append(Inference(seen.number, seen.latency_ns,
                                      None if seen.cycles < 0 else seen.cycles, seen.is_recorded))
                if on_inference is not None:
                    guard.call(on_inference, done[-1])
            plan = set_members(_abi.tacho_runner_plan(), inference_count=count,
                               recorded_count=recorded, first_recorded=first_recorded,
                               delay_ms=delay_ms, omits_records=not record)
            plan.progress, plan.result = guard.progress(progress), _abi.Result(take)
            self.inferences = done
            check(library().tacho_runner_go(pointer, ctypes.byref(plan)), guard)
            values = {} if self._keep.skips_values else self._read_outputs(pointer)
        self.outputs = [self._output_kind(i) for i in range(len(self.outputs))]
        return values

    def _read_outputs(self, pointer: ctypes.c_void_p) -> dict[str, Any]:
        values, view = {}, _abi.tacho_value_view()
        for index, kind in enumerate(self.outputs):
            check(library().tacho_runner_output(pointer, index, ctypes.byref(view)))
            values[f"output{index}" if kind.name in values else kind.name] = value_of(view)
        return values

    # ---- what came of it

    @property
    def tables(self) -> Tables:
        """Of the last run: "run", "latency", "overview", "ops" and "compare"."""
        pointer = ctypes.c_void_p()
        with self._use() as runner:
            check(library().tacho_runner_tables(runner, ctypes.byref(pointer)))
        return Tables(pointer)

    def write_profile(self, path: StrPath, format: Optional[str] = None) -> None:
        """Writes a trace of the recorded inferences, by the suffix of |path| unless |format| says
        it; "r0", "r1" and "r2" are the profiles of Torq's runtime."""
        with self._use() as pointer:
            check(library().tacho_runner_write_profile(pointer, c_path(path), c_text(format)))

    def profile(self) -> Profile:
        """The recorded inferences as a profile."""
        with tempfile.TemporaryDirectory(prefix="tacho.") as folder:
            path = os.path.join(folder, "run.tacho")
            self.write_profile(path)
            with open(path, "rb") as source:
                return Profile(source.read())


@dataclass
class Run:
    """What came of run(): outputs by name, inferences, tables, the profile where something was
    recorded, and notes."""
    outputs: dict[str, Any]
    inferences: list[Inference]
    tables: Tables
    profile: Optional[Profile]
    notes: list[Note] = field(default_factory=list)


def run(model: StrPath, inputs: Values = None, device: Optional[str] = None, *, count: int = 1,
        recorded: int = 0, first_recorded: int = 0, record: bool = True,
        on_inference: Optional[Callable[[Inference], object]] = None, **options: Any) -> Run:
    """Runs a model or program on |device| once: as Runner, all in one call."""
    with Runner(model, device, **options) as runner:
        outputs = runner.run(inputs, count=count, recorded=recorded, first_recorded=first_recorded,
                             record=record, on_inference=on_inference)
        is_recorded = any(inference.is_recorded for inference in runner.inferences)
        return Run(outputs, runner.inferences, runner.tables,
                   runner.profile() if is_recorded else None, runner.notes)
