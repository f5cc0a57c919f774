# SPDX-License-Identifier: Apache-2.0
"""Analyses: questions about profiles, programs and machines, answered as tables. Each does what the
command of its name does."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _abi
from ._errors import UsageError
from ._inputs import Inputs, Source, ViewOptions
from ._library import (Guard, StrPath, c_list, c_name, c_path, c_text, check, library, set_members, text)
from ._model import Note, Notes, fill_compile_options
from .tables import Tables

__tracebackhide__ = True  # pytest shows the caller
Progress = Callable[[int, int], object]


def _tables(function: Any, *arguments: Any, guard: Optional[Guard] = None) -> Tables:
    pointer = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(pointer)), guard)
    found = Tables(pointer)
    found.skipped = guard.skipped if guard is not None else []
    return found


def overview(*sources: Source, in_cycles: bool = False, wall_time_ns: int = 0,
             progress: Optional[Progress] = None, **reading: Any) -> Tables:
    """How busy each kind of engine was, and how much of that at the same time: the table
    "overview". |reading| are options of Profile."""
    options = _abi.tacho_analyse_overview_options()
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, in_cycles=in_cycles, wall_time_ns=wall_time_ns)
        return _tables(library().tacho_analyse_overview, paths, count, ctypes.byref(options),
                       guard=guard)


def breakdown(*sources: Source, top: int = 0, omits_advice: bool = False,
              progress: Optional[Progress] = None, **reading: Any) -> Tables:
    """Where the time of each device went, and why it was idle: the tables "verdict", "advice",
    "devices", "streams", "idle", "step_statistics", "steps", "launches", "gaps" (of both the |top|
    longest, else 10) and "notes".
    |reading| are options of Profile."""
    options = _abi.tacho_analyse_breakdown_options()
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, top=top, omits_advice=omits_advice)
        return _tables(library().tacho_analyse_breakdown, paths, count, ctypes.byref(options),
                       guard=guard)


def ops(*sources: Source, by_instance: bool = False, sort: Optional[str] = None, top: int = 0,
        track_class: Optional[str] = None,
        accepts: Optional[Callable[[str, str], bool]] = None, by: Optional[str] = None,
        progress: Optional[Progress] = None, **reading: Any) -> Tables:
    """Which operations took the time: the table "ops". |accepts| is asked with name and location
    whether an operation is wanted. |by| makes rows of groups instead, the tables "groups" and
    "notes": "op", "kernel", "layer", "layer:2", "line", "device" or "step". |reading| are options
    of Profile."""
    options = _abi.tacho_analyse_ops_options()
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, by_instance=by_instance, sort=c_text(sort), top=top,
                    track_class=c_text(track_class), by=c_text(by))
        if accepts is not None:
            asked: Callable[[str, str], bool] = accepts
            options.accepts = _abi.Accepts(lambda _user, name, location: bool(
                guard.call(asked, text(name), text(location))))
        return _tables(library().tacho_analyse_ops, paths, count, ctypes.byref(options),
                       guard=guard)


def query(*sources_and_sql: Source, timeout: float = 0, max_rows: int = 0,
          progress: Optional[Progress] = None, **reading: Any) -> Tables:
    """What one SELECT statement of SQLite gives: the table "query". The statement follows the
    profiles; tables to select from are those of `tacho query`. A statement that takes more than
    |timeout| seconds, or selects more than |max_rows| rows, raises LimitError; 0: no limit. |reading|
    are options of Profile."""
    sources, sql = sources_and_sql[:-1], sources_and_sql[-1] if sources_and_sql else None
    if not sources or not isinstance(sql, str):
        raise UsageError("query(*sources, sql): name at least one profile and a SELECT statement")
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        options = _abi.tacho_analyse_query_options()
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, timeout_ns=round(timeout * 1e9), row_max=max_rows)
        return _tables(library().tacho_analyse_query, paths, count, c_text(sql),
                       ctypes.byref(options), guard=guard)


def info(*sources: Source, progress: Optional[Progress] = None, **reading: Any) -> Tables:
    """What is in profiles, programs, models and debug information. |reading| are options of
    Profile."""
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        options = ViewOptions(**reading).fill(_abi.tacho_view_options(), guard, progress)
        return _tables(library().tacho_analyse_info, paths, count, ctypes.byref(options),
                       guard=guard)


def annotate(debug: StrPath, *sources: Source, columns: Optional[str] = None,
             source_dirs: Iterable[StrPath] = (), omit_inner: bool = False,
             trace: Optional[StrPath] = None, progress: Optional[Progress] = None,
             **reading: Any) -> Tables:
    """Runtime profiles of Torq joined with the compiler's debug information |debug|, a file or a
    directory: the tables "annotation", "problems", "debug_info" and "lost". Rows of "problems"
    and "lost" say what has no match and which files and records could not be read."""
    options = _abi.tacho_analyse_annotate_options()
    folders = [c_path(folder) for folder in source_dirs]
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, columns=c_text(columns), source_dirs=c_list(folders),
                    source_dir_count=len(folders), omit_inner=omit_inner,
                    trace=None if trace is None else c_path(trace))
        return _tables(library().tacho_analyse_annotate, c_path(debug), paths, count,
                       ctypes.byref(options), guard=guard)


class Diff(Tables):
    """What changed, and what the gate says: "none", "pass", "inconclusive" or "regression"."""

    outcome = "none"
    has_losses = False


def _sources_of(side: Union[Source, Sequence[Source]]) -> Sequence[Source]:
    return side if isinstance(side, (list, tuple)) else [side]  # type: ignore[list-item]


def diff(before: Union[Source, Sequence[Source]], after: Union[Source, Sequence[Source]], *,
         by: Optional[str] = None, by_type: bool = False, top: int = 0,
         gate: Optional[str] = None, progress: Optional[Progress] = None, **reading: Any) -> Diff:
    """What changed between the profiles |before| and |after|, each a source or a list of them.
    |by| is what a row is: "instance" (an operator), "type", "layer" or "layer:3" (layers to three
    levels); by_type=True is by="type".
    |gate| is a limit such as "rel=3%,abs=20us"; the result's outcome says whether it holds."""
    options, result = _abi.tacho_analyse_diff_options(), _abi.tacho_analyse_diff_result()
    pointer = ctypes.c_void_p()
    with Guard() as guard, Inputs(_sources_of(before)).paths() as old, \
            Inputs(_sources_of(after)).paths() as new:
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, by_type=by_type, top=top, gate=c_text(gate), by=c_text(by))
        sides = (_abi.tacho_analyse_side * 2)(
            *(_abi.tacho_analyse_side(ctypes.cast(paths, _abi.texts), count)
              for paths, count in (old, new)))
        check(library().tacho_analyse_diff(sides, ctypes.byref(options), ctypes.byref(result),
                                           ctypes.byref(pointer)), guard)
    found = Diff(pointer)
    found.outcome = ("none", "pass", "inconclusive", "regression")[result.outcome]
    found.has_losses = result.has_losses
    return found


class Roofline(Tables):
    """How far operators are from what their machine can do: see roofline()."""

    #: Points above their roof, which cannot be: a time, a size or the machine is wrong.
    above_count = 0
    #: What a person should know, such as operators that are not known.
    notes: list[Note] = []


def roofline(*sources: Source, machine: Union[str, "os.PathLike[str]", None] = None,  # pylint: disable=redefined-outer-name
             roof: Optional[str] = None, sort: Optional[str] = None, top: int = 0,
             model: Optional[Mapping[str, Any]] = None, progress: Optional[Progress] = None,
             **reading: Any) -> Roofline:
    """How far operators of models, programs and profiles are from what their machine can do: the
    tables "ceilings" and "roofline".

    |machine| is a name or the path of a description; |roof| gives ceilings instead, such as
    "f16=989TFLOP/s,HBM=4.8TB/s". |sort| is "time", "gain", "roof", "intensity", "name" or "order".
    Profiles are joined with one model or program; |model| are options of compile() for it.
    |reading| are options of Profile."""
    options, above = _abi.tacho_analyse_roofline_options(), ctypes.c_uint64()
    pointer = ctypes.c_void_p()
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        notes = Notes(guard)
        compiling = fill_compile_options(_abi.tacho_compiled_options(), **(model or {}))
        compiling.note = notes.callback
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, machine=c_name(machine), roof=c_text(roof), sort=c_text(sort), top=top)
        options.model = ctypes.pointer(compiling)
        check(library().tacho_analyse_roofline(paths, count, ctypes.byref(options),
                                               ctypes.byref(above), ctypes.byref(pointer)), guard)
    found = Roofline(pointer)
    found.above_count, found.notes = above.value, notes.items
    return found


def save_baseline(folder: StrPath, name: str, *sources: Source, reason: Optional[str] = None,
                  replace: bool = False, progress: Optional[Progress] = None,
                  **reading: Any) -> bool:
    """Saves profiles as the baseline |name| of the directory |folder|, as `tacho baseline save`
    does; with |replace|, which needs a |reason|, as `tacho baseline accept`. The path folder/name can be
    given to diff() and wherever profiles are. Returns whether every record was read."""
    options, has_losses = _abi.tacho_baselines_options(), ctypes.c_bool()
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, reason=c_text(reason), replaces=replace)
        side = _abi.tacho_analyse_side(ctypes.cast(paths, _abi.texts), count)
        check(library().tacho_baselines_save(c_path(folder), c_text(name), ctypes.byref(side),
                                             ctypes.byref(options), ctypes.byref(has_losses)),
              guard)
    return not has_losses.value


def baselines(folder: StrPath) -> Tables:
    """The baselines of a directory: the table "baselines"."""
    return _tables(library().tacho_baselines_list, c_path(folder), None)


def write_opstats(program: StrPath, stats: StrPath, folder: StrPath, *, summary: bool = True,
                  trace: bool = True, table_format: Optional[str] = None,
                  trace_format: Optional[str] = None, host_trace: Optional[StrPath] = None,
                  flows: bool = False, barriers: bool = False) -> int:
    """Decodes raw stats, a file or a directory of them, and writes summaries and traces to
    |folder|: what `tacho opstats` does. Returns how many files could not be read in full."""
    problems = ctypes.c_uint64()
    options = set_members(
        _abi.tacho_opstats_write_options(), has_summaries=summary, has_traces=trace,
        table_format=c_text(table_format), trace_format=c_text(trace_format),
        host_trace=None if host_trace is None else c_path(host_trace), has_flows=flows,
        has_barriers=barriers)
    check(library().tacho_opstats_write(c_path(program), c_path(stats), c_path(folder),
                                        ctypes.byref(options), ctypes.byref(problems)))
    return problems.value


def opstats(program: StrPath, *sources: Source, rollup: Optional[str] = None) -> Tables:
    """Raw stats of a device, which |program| recorded, summed up. |rollup| is "op", "layer",
    "core", "device" or "critical": one table over all files instead of summaries."""
    options = set_members(_abi.tacho_analyse_opstats_options(), rollup=c_text(rollup))
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        return _tables(library().tacho_analyse_opstats, c_path(program), paths, count,
                       ctypes.byref(options), guard=guard)


def machines() -> Tables:
    """The machines that are built in: the table "machines"."""
    return _tables(library().tacho_machines_list)


def machine(name: Union[str, "os.PathLike[str]"]) -> Tables:
    """All that is known of a machine, a name or the path of a description: the table "machine"."""
    return _tables(library().tacho_machines_describe, c_name(name))
