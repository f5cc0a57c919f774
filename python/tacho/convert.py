# SPDX-License-Identifier: Apache-2.0
"""Converting profiles to a trace, and to a page."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

from . import _abi
from ._inputs import Inputs, Source, ViewOptions
from ._library import Guard, StrPath, c_path, c_text, check, library, set_members, text

__tracebackhide__ = True  # pytest shows the caller
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Converted:
    """What came of a conversion."""
    event_count: int
    lost_count: int  # records that could not be read; the trace has the reasons
    unplaced_count: int = 0  # events that the format of the trace has no place for


def convert(*sources: Source, output: StrPath, to: Optional[str] = None, omit_args: bool = False,
            progress: Optional[Progress] = None, **reading: Any) -> Converted:
    """Writes one trace of all sources. |to| names the format, else the suffix of |output| does:
    .pb, .json, .tacho and so on. |reading| are options of Profile."""
    inputs, result = Inputs(sources), _abi.tacho_convert_result()
    with Guard() as guard:
        options = ViewOptions(**reading).fill(_abi.tacho_convert_options(), guard, progress)
        set_members(options, to=c_text(to), omit_args=omit_args)
        check(library().tacho_convert_inputs(inputs.views(), len(inputs), c_path(output),
                                             ctypes.byref(options), ctypes.byref(result)), guard)
    return Converted(result.event_count, result.lost_count, result.unplaced_count)


def convert_to_bytes(*sources: Source, to: str, omit_args: bool = False,
                     progress: Optional[Progress] = None, **reading: Any) -> bytes:
    """The same into memory: the bytes of a trace of format |to|."""
    inputs, pointer, size = Inputs(sources), ctypes.c_void_p(), ctypes.c_size_t()
    with Guard() as guard:
        options = ViewOptions(**reading).fill(_abi.tacho_convert_options(), guard, progress)
        set_members(options, to=c_text(to), omit_args=omit_args)
        check(library().tacho_convert_to_memory(inputs.views(), len(inputs), ctypes.byref(options),
                                                ctypes.byref(pointer), ctypes.byref(size)), guard)
    try:
        return ctypes.string_at(pointer, size.value) if pointer else b""
    finally:
        _free(pointer)


def _free(pointer: ctypes.c_void_p) -> None:
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = (ctypes.c_void_p,), None
    free(pointer)


@dataclass(frozen=True)
class Reported:
    """What came of a report."""
    read_count: int
    skipped: tuple[str, ...]  # files that could not be read, and why
    span_count: int
    has_losses: bool


def report(*sources: Source, output: StrPath, title: Optional[str] = None, strict: bool = False,
           progress: Optional[Progress] = None, **reading: Any) -> Reported:
    """Writes all sources to one HTML page."""
    options, result = _abi.tacho_report_options(), _abi.tacho_report_result()
    skipped: list[str] = []
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, title=c_text(title), is_strict=strict,
                    skipped=_abi.Skipped(lambda _user, message: guard.call(
                        skipped.append, text(message))))
        check(library().tacho_report_write(paths, count, c_path(output), ctypes.byref(options),
                                           ctypes.byref(result)), guard)
    return Reported(result.read_count, tuple(skipped), result.span_count, result.has_losses)
