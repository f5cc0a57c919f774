# SPDX-License-Identifier: Apache-2.0
"""How a model is compiled: options that compile() and Runner share, and the notes that come of it."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _abi
from ._library import Guard, c_name, c_text, set_members, text

ConstantValue = Union[str, int, float, bool, Iterable[Union[int, float, bool]]]


@dataclass(frozen=True)
class Note:
    """Something a person should know: |kind| is "note" or "warning"."""
    kind: str
    text: str


class Notes:
    """Collects the notes of a call, and tells them on."""

    def __init__(self, guard: Guard, on_note: Optional[Callable[[Note], object]] = None) -> None:
        self.items: list[Note] = []

        def take(_user: Any, kind: bytes, words: bytes) -> None:
            note = Note(text(kind), text(words))
            self.items.append(note)
            if on_note is not None:
                guard.call(on_note, note)
        self.callback = _abi.Note(take)


def _constant_text(value: ConstantValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tolist"):  # numpy's
        return _constant_text(value.tolist())
    if isinstance(value, (int, float)):
        return repr(value)
    if not hasattr(value, "__iter__"):
        raise TypeError(f"a constant is a number, a text or a list of those, not {value!r}")
    return ",".join(_constant_text(item) for item in value)


_FLAGS = {"random_weights": "has_random_weights", "zero_weights": "has_zero_weights",
          "estimate": "is_estimate", "ignore_limit": "ignores_limit", "count_ddr": "counts_ddr", "tuned": "is_tuned"}
_TEXTS = ("dtype", "fidelity", "pmu_recipe", "grid", "places", "pmu_events")
_NUMBERS = ("seed", "cores", "devices", "batch", "stats_level")


def fill_compile_options(options: Any, *, sizes: Optional[Mapping[str, int]] = None,
                         constants: Optional[Mapping[str, ConstantValue]] = None,
                         **given: Any) -> Any:
    """Sets members of tacho_compiled_options by the names that Python callers use."""
    for name, value in given.items():
        if name in _FLAGS:
            setattr(options, _FLAGS[name], bool(value))
        elif name == "machine":
            options.machine = c_name(value)
        elif name in _TEXTS:
            setattr(options, name, c_text(value))
        elif name in _NUMBERS:
            set_members(options, **{name: value})
        else:
            known = ", ".join(("machine", "sizes", "constants", *_FLAGS, *_TEXTS, *_NUMBERS))
            raise TypeError(f"unknown option '{name}'; compiling has {known}")
    for name, pairs in (("sizes", sizes), ("constants", constants)):
        if pairs is not None and not isinstance(pairs, Mapping):
            raise TypeError(f"{name} is a dictionary by name, not {type(pairs).__name__}")
    if sizes:
        options.sizes = (_abi.tacho_model_size * len(sizes))(*(
            set_members(_abi.tacho_model_size(), name=c_text(name), size=size)
            for name, size in sizes.items()))
        options.size_count = len(sizes)
    if constants:
        options.constants = (_abi.tacho_model_constant * len(constants))(*(
            _abi.tacho_model_constant(c_text(name), c_text(_constant_text(value)))
            for name, value in constants.items()))
        options.constant_count = len(constants)
    return options
