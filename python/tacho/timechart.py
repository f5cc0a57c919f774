# SPDX-License-Identifier: Apache-2.0
"""Time charts: a program draws its own trace. The names are those of Torq's perfetto_logger; the trace
is the one that `tacho convert` writes."""
from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _abi
from ._library import Handle, StrPath, c_number, c_path, c_text, check, library, set_members
from .convert import Converted

__all__ = ["TYPE_INSTANT", "TYPE_SLICE_BEGIN", "TYPE_SLICE_END", "TimeChartLog", "TimeChartView",
           "convert_to_perfetto", "csv_to_view_compile_profile", "csv_to_view_runtime_profile"]

TYPE_SLICE_BEGIN = _abi.TIMECHART_BEGIN
TYPE_SLICE_END = _abi.TIMECHART_END
TYPE_INSTANT = _abi.TIMECHART_INSTANT

ArgValue = Union[int, float, bool, str]


@dataclass
class TimeChartLog:
    """One entry: something that a thread of a process did, and when, in ticks."""
    process: str
    thread: str
    function: str
    start_time: int
    end_time: int

    def _fill(self) -> _abi.tacho_timechart_log:
        return set_members(_abi.tacho_timechart_log(), process=c_text(self.process),
                           thread=c_text(self.thread), function=c_text(self.function),
                           start_time=self.start_time, end_time=self.end_time)


def _arg_of(key: str, value: ArgValue) -> _abi.tacho_timechart_arg:
    arg = _abi.tacho_timechart_arg(key=c_text(key))
    value = value.item() if hasattr(value, "item") else value  # numpy's
    if isinstance(value, bool):
        arg.type, arg.as_bool = _abi.VALUE_BOOL, value
    elif isinstance(value, int):
        is_large = value >= 2 ** 63
        arg.type = _abi.VALUE_UINT if is_large else _abi.VALUE_INT
        set_members(arg, **{"as_uint" if is_large else "as_int": value})
    elif isinstance(value, float):
        arg.type, arg.as_real = _abi.VALUE_REAL, value
    elif isinstance(value, str):
        arg.type, arg.text = _abi.VALUE_TEXT, c_text(value)
    else:
        raise TypeError(f"argument '{key}' needs a number, a truth value or a text, not "
                        f"{type(value).__name__}")
    return arg


class TimeChartView:
    """A chart that flush() writes to |filename|: .pb and .pftrace are Perfetto traces, .json Chrome
    traces. A tick lasts a nanosecond unless |clock_mhz| or |ns_per_tick| say otherwise; |origin| is
    "measured", "simulated" or "estimated". Several threads may draw at once."""

    def __init__(self, filename: StrPath, *, to: Optional[str] = None,
                 clock_mhz: Union[str, int, float, None] = None, ns_per_tick: int = 0,
                 origin: Optional[str] = None) -> None:
        pointer = ctypes.c_void_p()
        options = set_members(_abi.tacho_timechart_options(), to=c_text(to),
                              clock_mhz=c_number(clock_mhz), ns_per_tick=ns_per_tick,
                              origin=c_text(origin))
        check(library().tacho_timechart_open(c_path(filename), ctypes.byref(options),
                                             ctypes.byref(pointer)))
        self._open: Optional[Handle] = Handle(pointer, library().tacho_timechart_close)

    @property
    def _handle(self) -> Handle:
        if self._open is None:
            raise ValueError("the chart is closed")
        return self._open

    def _call(self, name: str, *arguments: Any) -> None:
        handle = self._handle
        check(getattr(library(), "tacho_timechart_" + name)(handle.pointer, *arguments))

    def render(self, log: TimeChartLog, args: Optional[Mapping[str, ArgValue]] = None) -> None:
        """Adds a span, with arguments that viewers show when it is clicked."""
        items = [_arg_of(key, value) for key, value in (args or {}).items()]
        array = (_abi.tacho_timechart_arg * max(len(items), 1))(*items)
        self._call("render_args", ctypes.byref(log._fill()), array, len(items))

    def add_process_descriptor(self, name: str) -> None:
        """Names a process before its first entry, to fix its place."""
        self._call("add_process", c_text(name))

    def add_thread_descriptor(self, process: str, thread: str,
                              track_class: Optional[str] = None) -> None:
        """Names a thread before its first entry, to fix its place, or to say what its time is spent
        on: "host", "compute", "dma_in" and so on."""
        self._call("add_thread", c_text(process), c_text(thread), c_text(track_class))

    def add_counter_descriptor(self, process: str, counter: str, unit: Optional[str] = None) -> None:
        """Names a counter before its first sample, to fix its place or unit."""
        self._call("add_counter", c_text(process), c_text(counter), c_text(unit))

    def set_track_event(self, time: int, type: int, log: TimeChartLog) -> None:
        """Adds one event at |time|: TYPE_SLICE_BEGIN, TYPE_SLICE_END or TYPE_INSTANT. The times of
        |log| are not used."""
        self._call("set_track_event", _int64(time), type, ctypes.byref(log._fill()))

    def add_sample(self, process: str, counter: str, time: int, value: float) -> None:
        """Adds a sample of a counter."""
        self._call("add_sample", c_text(process), c_text(counter), _int64(time), value)

    def add_flow(self, process: str, from_thread: str, from_time: int, to_thread: str,
                 to_time: int) -> None:
        """Adds an arrow between two spans of a process: the innermost ones around these times."""
        self._call("add_flow", ctypes.byref(set_members(
            _abi.tacho_timechart_flow(), process=c_text(process), from_thread=c_text(from_thread),
            to_thread=c_text(to_thread), from_time=from_time, to_time=to_time)))

    @property
    def lost_count(self) -> int:
        """Records of CSV files that could not be read; the trace says why."""
        return library().tacho_timechart_lost_count(self._handle.pointer)

    def flush(self) -> None:
        """Writes everything so far; the chart may go on."""
        self._call("flush")

    def close(self) -> None:
        """Lets go of the chart. What was not flushed is not written."""
        self._open = None

    def __enter__(self) -> "TimeChartView":
        return self

    def __exit__(self, kind: object, *_error: object) -> None:
        if kind is None and self._open is not None:
            self.flush()
        self.close()


def _int64(value: int) -> int:
    whole = operator.index(value)
    if not -2 ** 63 <= whole < 2 ** 63:
        raise ValueError(f"time {value} is out of range")
    return whole


def csv_to_view_compile_profile(view_name: str, view: TimeChartView, csv_path: StrPath,
                                num_slices: int = 2) -> None:
    """Adds a compile-time timeline of Torq, any generation, to |view| as the process |view_name|."""
    if not 1 <= num_slices < 2 ** 32:
        raise ValueError(f"num_slices: {num_slices} is out of range")
    view._call("add_compile_csv", c_text(view_name), c_path(csv_path), num_slices)


def csv_to_view_runtime_profile(view_name: str, view: TimeChartView, csv_path: StrPath) -> None:
    """Adds a runtime profile of Torq, any generation, to |view| as the process |view_name|."""
    view._call("add_runtime_csv", c_text(view_name), c_path(csv_path))


def _logs_of(logs: Optional[Mapping[str, StrPath]]) -> _abi.tacho_named_logs:
    items = [_abi.tacho_named_log(c_text(name), c_path(path))
             for name, path in (logs or {}).items()]
    array = (_abi.tacho_named_log * max(len(items), 1))(*items)
    return _abi.tacho_named_logs(array, len(items))


def convert_to_perfetto(compile_profile_logs: Optional[Mapping[str, StrPath]],
                        runtime_profile_logs: Optional[Mapping[str, StrPath]], pb_path: StrPath,
                        num_slices: int = 2) -> Converted:
    """Writes the Perfetto trace |pb_path| from named profiles of Torq's compiler and runtime."""
    if not 1 <= num_slices < 2 ** 32:
        raise ValueError(f"num_slices: {num_slices} is out of range")
    result = _abi.tacho_convert_result()
    check(library().tacho_convert_to_perfetto(
        _logs_of(compile_profile_logs), _logs_of(runtime_profile_logs), c_path(pb_path), num_slices,
        ctypes.byref(result)))
    return Converted(result.event_count, result.lost_count)
