# SPDX-License-Identifier: Apache-2.0
"""Compiling models: a network and a machine to a program and an estimate of what it takes."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, Optional, Union

from . import _abi
from ._library import Guard, Handle, StrPath, c_path, c_text, check, library
from ._model import Note, Notes, fill_compile_options
from .tables import Table, Tables

__tracebackhide__ = True  # pytest shows the caller


class Compiled:
    """A compiled model: see compile()."""

    def __init__(self, pointer: ctypes.c_void_p, notes: list[Note]) -> None:
        self._handle = Handle(pointer, library().tacho_compiled_close)
        self._tables: Optional[Tables] = None
        #: What a person should know, such as operators that are not known.
        self.notes = notes

    @property
    def tables(self) -> Tables:
        """What was estimated: "operators", "total", "bounds", "memory", "metrics" and "cores"."""
        if self._tables is None:
            pointer = ctypes.c_void_p()
            check(library().tacho_compiled_tables(self._handle.pointer, ctypes.byref(pointer)))
            self._tables = Tables(pointer)
        return self._tables

    @property
    def operators(self) -> Table:
        """One row per operator with its cycles, MACs, bytes and what bounds it."""
        return self.tables["operators"]

    def write_program(self, path: StrPath) -> None:
        """Writes the program, which run() and `tacho run` run."""
        check(library().tacho_compiled_write_program(self._handle.pointer, c_path(path)))

    def write_timeline(self, path: StrPath, format: Optional[str] = None) -> None:
        """Writes the estimated timeline as a trace, by the suffix of |path| unless |format| says
        it; "t1" and "t4" are the timelines of Torq's compiler. A suffix .csv is "t1" for machines
        of Torq, and else an event table for other programs, which tacho does not read."""
        check(library().tacho_compiled_write_timeline(self._handle.pointer, c_path(path),
                                                      c_text(format)))

    def write_phases(self, folder: StrPath) -> None:
        """Writes the model after each phase of the compiler, as MLIR."""
        check(library().tacho_compiled_write_dumps(self._handle.pointer, _abi.DUMPS_PHASES,
                                                   c_path(folder)))

    def write_debug_info(self, folder: StrPath) -> None:
        """Writes debug information of each dispatch, which annotate() reads."""
        check(library().tacho_compiled_write_dumps(self._handle.pointer, _abi.DUMPS_DISPATCHES,
                                                   c_path(folder)))

    def __repr__(self) -> str:
        return f"<Compiled: {len(self.operators)} operators>"


def compile(model: StrPath, machine: Union[str, "os.PathLike[str]", None] = None, *,  # pylint: disable=redefined-builtin
            on_note: Optional[Callable[[Note], object]] = None,
            progress: Optional[Callable[[int, int], object]] = None, **options: Any) -> Compiled:
    """Compiles an ONNX or TOSA model for |machine|, a name or the path of a description.

    Options are those of `tacho compile`: sizes={"N": 1}, constants={"rate": 16000}, dtype="bf16",
    cores, devices, batch, stats_level, random_weights, zero_weights, estimate, seed, ignore_limit, count_ddr,
    tuned, fidelity, pmu_recipe, pmu_events, grid, places. |progress| is called with operators done
    and operators in all; when it returns False, CancelledError is raised.
    """
    pointer = ctypes.c_void_p()
    with Guard() as guard:
        notes = Notes(guard, on_note)
        given = fill_compile_options(_abi.tacho_compiled_options(), machine=machine, **options)
        given.note, given.progress = notes.callback, guard.progress(progress)
        status = library().tacho_compiled_open(c_path(model), ctypes.byref(given),
                                               ctypes.byref(pointer))
        if guard.error is not None:
            library().tacho_compiled_close(pointer)
        check(status, guard)
    return Compiled(pointer, notes.items)
