# SPDX-License-Identifier: Apache-2.0
"""Analyses: questions about profiles, programs and machines, answered as tables. Each does what the
command of its name does."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any, Optional

from . import _abi
from ._inputs import Inputs, Source, ViewOptions
from ._library import (Guard, StrPath, c_list, c_path, c_text, check, library, set_members, text)
from .tables import Tables

Progress = Callable[[int, int], object]


def _tables(function: Any, *arguments: Any, guard: Optional[Guard] = None) -> Tables:
    pointer = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(pointer)), guard)
    return Tables(pointer)


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


def ops(*sources: Source, by_instance: bool = False, sort: Optional[str] = None, top: int = 0,
        track_class: Optional[str] = None,
        accepts: Optional[Callable[[str, str], bool]] = None,
        progress: Optional[Progress] = None, **reading: Any) -> Tables:
    """Which operations took the time: the table "ops". |accepts| is asked with name and location
    whether an operation is wanted. |reading| are options of Profile."""
    options = _abi.tacho_analyse_ops_options()
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, by_instance=by_instance, sort=c_text(sort), top=top,
                    track_class=c_text(track_class))
        if accepts is not None:
            options.accepts = _abi.Accepts(lambda _user, name, location: bool(
                guard.call(accepts, text(name), text(location))))
        return _tables(library().tacho_analyse_ops, paths, count, ctypes.byref(options),
                       guard=guard)


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
    directory: the tables "annotation", "problems", "debug_info" and "lost"."""
    options = _abi.tacho_analyse_annotate_options()
    folders = [c_path(folder) for folder in source_dirs]
    with Guard() as guard, Inputs(sources).paths() as (paths, count):
        ViewOptions(**reading).fill(options.input, guard, progress)
        set_members(options, columns=c_text(columns), source_dirs=c_list(folders),
                    source_dir_count=len(folders), omit_inner=omit_inner,
                    trace=None if trace is None else c_path(trace))
        return _tables(library().tacho_analyse_annotate, c_path(debug), paths, count,
                       ctypes.byref(options), guard=guard)


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


def machine(name: str) -> Tables:
    """All that is known of a machine, a name or the path of a description: the table "machine"."""
    return _tables(library().tacho_machines_describe, c_text(name))
