#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints python/tacho/ask.py: a function for each request, whose keywords are the options of its table.

Usage: python_requests.py > python/tacho/ask.py   (PYTHONPATH=python, TACHO_LIBRARY)"""
import keyword
import textwrap

from tacho import _abi, requests

HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Made by tools/python_requests.py from the tables of options in the library.
"""A function for each request: what the command of that name does, with its options as keywords.
Tables that no option sends to a file are in the results."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

from .requests import Results, request

__tracebackhide__ = True  # pytest shows the caller
Progress = Callable[[int, int], object]
Text = Union[str, "os.PathLike[str]", float]
Texts = Union[Text, Sequence[Text]]
'''


def kind_of(option):
    if option.value is None or option.value.startswith("["):
        return "bool", "False" if option.value is None else "None"
    if option.is_repeatable:
        return "Texts", "None"
    return ("int" if option.is_number else "Text"), "None"


def parameter(option):
    kind, default = kind_of(option)
    name = option.name.replace("-", "_")
    name += "_" if keyword.iskeyword(name) else ""
    return f"{name}: {kind if default != 'None' else f'Optional[{kind}]'} = {default}", name


def wrapped(prefix, parts, suffix):
    """Lines that are broken between parts alone."""
    whole = prefix + ", ".join(part.replace(" ", "\0") for part in parts) + suffix
    lines = textwrap.wrap(whole.replace(") -> ", ")\0->\0"), 98, subsequent_indent=" " * 8,
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def function(name):
    options = [option for option in requests.options(name) if not option.is_front]
    named = [parameter(option) for option in options]
    parts = ["*inputs: Any", *(text for text, _ in named), "progress: Optional[Progress] = None"]
    if name == "diff":
        parts.append("sides: Optional[tuple[Any, Any]] = None")
    lines = [wrapped(f"def {name}(", parts, ") -> Results:")]
    lines.append(f'    """What `tacho {name}` does.\n')
    for option, (_, called) in zip(options, named):
        lines.append(textwrap.fill(f"|{called}|: {option.help}", 96, initial_indent="    ",
                                   subsequent_indent="        ").replace("\\", "\\\\"))
    lines.append('    """')
    extra = ", sides=sides" if name == "diff" else ""
    passed = [f'"{option.name}": {called}' for option, (_, called) in zip(options, named)]
    lines.append(wrapped("    chosen: dict[str, Any] = {", passed, "}"))
    lines.append(f'    return request("{name}", *inputs, progress=progress{extra}, **chosen)')
    return "\n".join(lines)


def main():
    print(HEAD)
    dropins = ("qaic", "torq", "iree", "tt_", "annotate_", "perfetto_")
    names = [name for name in requests.names() if not name.startswith(dropins)]
    print("\n" + "\n\n\n".join(function(name) for name in names))


main()
