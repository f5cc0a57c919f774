# SPDX-License-Identifier: Apache-2.0
"""What calls read: paths, or bytes in memory; and the options of reading."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _abi
from ._library import Guard, c_buffer, c_list, c_number, c_path, c_text, set_members, text

if TYPE_CHECKING:
    from .profile import Profile

#: A path, or the bytes of a file, or a profile that was read without options.
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "Profile"]


def is_bytes(source: Any) -> bool:
    """Whether it has a buffer, as bytes, mmap.mmap and arrays of numpy have."""
    if isinstance(source, (str, os.PathLike)):
        return False
    try:
        memoryview(source).release()
        return True
    except TypeError:
        return False


def _sources_of(source: Any) -> Sequence[Any]:
    """What a source consists of: those of a profile, else itself."""
    inputs = getattr(source, "_inputs", None)
    if not isinstance(inputs, Inputs):
        if not is_bytes(source):
            os.fspath(source)  # raises what is neither
        return (source,)
    given = ", ".join(source._options.given())
    if given:
        raise ValueError(f"this profile was read with options ({given}); name its files and the "
                         "options instead")
    return inputs.sources


class Inputs:
    """The sources of a call."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(part for source in sources for part in _sources_of(source))

    def __len__(self) -> int:
        return len(self.sources)

    def views(self) -> Any:
        """An array of what the library reads, which keeps what it points to."""
        views: Any = (_abi.tacho_input_view * max(len(self), 1))()
        views.held = []
        for view, source in zip(views, self.sources):
            if is_bytes(source):
                pointer, view.byte_count, held = c_buffer(source)
                view.bytes = pointer
                views.held.append(held)
            else:
                view.path = c_path(source)  # type: ignore[arg-type]
        return views

    @contextmanager
    def paths(self) -> Iterator[tuple[Any, int]]:
        """The same for calls that read paths alone: bytes get a name in memory."""
        descriptors: list[int] = []
        try:
            names = [self._path(source, descriptors) for source in self.sources]
            yield c_list(names), len(names)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    @staticmethod
    def _path(source: Any, descriptors: list[int]) -> bytes:
        if not is_bytes(source):
            return c_path(source)
        descriptors.append(os.memfd_create("profile"))
        with open(descriptors[-1], "wb", closefd=False) as target:
            target.write(memoryview(source).cast("B") if memoryview(source).nbytes else b"")
        return b"/proc/self/fd/%d" % descriptors[-1]


def _window_of(value: Any) -> tuple[int, int]:
    pair = tuple(value) if hasattr(value, "__iter__") else ()
    if len(pair) != 2 or isinstance(value, (str, bytes)):
        raise ValueError(f"window_ns is (begin, end) in nanoseconds, not {value!r}")
    return pair[0], pair[1]


class ViewOptions:
    """How profiles are read: options that many calls share."""

    def __init__(self, *, format: Optional[str] = None,
                 clock_mhz: Union[str, int, float, None] = None, slices: int = 0,
                 program: Optional[Any] = None, window_ns: Optional[tuple[int, int]] = None,
                 min_duration_ns: int = 0, filter: Optional[str] = None, **unknown: Any) -> None:
        if unknown:
            raise TypeError(f"unknown option '{next(iter(unknown))}'; reading has format, clock_mhz, "
                            "slices, program, window_ns, min_duration_ns, filter and progress")
        if window_ns is not None:
            window_ns = _window_of(window_ns)
        self._given: dict[str, Any] = {"format": format, "clock_mhz": clock_mhz, "slices": slices,
                                       "program": program, "window_ns": window_ns,
                                       "min_duration_ns": min_duration_ns, "filter": filter}

    def given(self) -> dict[str, Any]:
        """The options that are not the default."""
        return {name: value for name, value in self._given.items() if value not in (None, 0)}

    def fill(self, options: Any, guard: Guard,
             progress: Optional[Callable[[int, int], object]] = None) -> Any:
        """Sets the members of |options|, which convert and view have in common."""
        begin, end = self._given["window_ns"] or (0, 0)
        program = self._given["program"]
        if hasattr(options, "skipped"):
            options.skipped = _abi.Skipped(
                lambda _user, message: guard.call(guard.skipped.append, text(message)))
        return set_members(options, **{
            "from": c_text(self._given["format"]), "clock_mhz": c_number(self._given["clock_mhz"]),
            "slice_count": self._given["slices"],
            "program": None if program is None else c_path(program),
            "progress": guard.progress(progress), "window_begin_ns": begin, "window_end_ns": end,
            "min_duration_ns": self._given["min_duration_ns"],
            "filter": c_text(self._given["filter"])})
