#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/python-reference.md: every public name of the Python package, its signature and what it
says about itself.

Usage: python_reference.py > docs/python-reference.md   (PYTHONPATH=python; needs no library)"""
import inspect
import re
import sys

import perfetto_logger
import qaic
import tacho

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by tools/python_reference.py. -->
# Python reference

Every public name of the package, from its own documentation; [python](python.md) has examples."""


def words(text):
    """A docstring as paragraphs; code stays as it is."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text or ""))
    return [part if part.startswith("    ") else " ".join(part.split()) for part in parts if part.strip()]


def signature_of(name, function):
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", "_user")]
    text = str(signature.replace(parameters=parameters))
    return f"{name}{text}".replace("'", "").replace("~", "")


def describe(level, title, text):
    lines = ["", f"{'#' * level} {title}"]
    for part in words(text):
        lines += ["", part.replace("|", "`") if not part.startswith("    ") else f"```\n{part}\n```"]
    return lines


def is_own(name, member):
    return not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)
                                         or isinstance(member, staticmethod))


def public_bases(kind):
    """The bases of a class; those that are private are replaced by theirs."""
    for base in kind.__bases__:
        if base.__name__.startswith("_"):
            yield from public_bases(base)
        elif base is not object:
            yield base


def of_class(name, kind):
    lines = describe(3, f"class `{name}`", kind.__doc__ if "(" not in (kind.__doc__ or "")[:len(name) + 1] else "")
    bases = [base.__name__ for base in public_bases(kind)]
    if bases:
        lines += ["", f"A {' and '.join(f'`{base}`' for base in bases)}."]
    if "__init__" in vars(kind):
        lines += ["", f"`{signature_of(name, kind.__init__)}`".replace(" -> None", "")]
    for member_name, member in vars(kind).items():
        if not is_own(member_name, member):
            continue
        text = inspect.getdoc(member.fget if isinstance(member, property) else member)
        shown = member_name if isinstance(member, property) else signature_of(member_name, member)
        lines += ["", f"- `{shown}`" + (f": {words(text)[0].replace('|', '`')}" if text else "")]
    return lines


def of_module(module, title):
    lines = describe(2, title, module.__doc__)
    for name in sorted(module.__all__, key=str.lower):
        member = getattr(module, name)
        if inspect.isclass(member):
            lines += of_class(name, member)
        elif inspect.isfunction(member):
            lines += describe(3, f"`{signature_of(name, member)}`", member.__doc__)
    return lines


def main():
    lines = [HEAD]
    for module, title in ((tacho, "`tacho`"), (perfetto_logger, "`perfetto_logger`"), (qaic, "`qaic`")):
        lines += of_module(module, title)
    sys.stdout.write("\n".join(lines) + "\n")


main()
