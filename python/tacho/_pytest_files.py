# SPDX-License-Identifier: Apache-2.0
"""Files of the pytest plugin: what those of a test are called, and compiled models by their content."""
from __future__ import annotations

import hashlib
import pathlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Optional

import tacho

__tracebackhide__ = True  # pytest shows the caller
NAME_MAX = 160  # of 255 that file systems have; suffixes follow
MODEL_SUFFIXES = (".onnx", ".mlir", ".mlirb")


# ---- names

def _digest(node_id: str) -> str:
    return hashlib.sha256(node_id.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def unique_name(node_id: str) -> str:
    """A name that no other test has in any session: readable, and a digest of the whole."""
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', node_id)[:NAME_MAX - 17]}_{_digest(node_id)}"


def safe_name(node_id: str) -> str:
    """The name that Torq's test framework gives to files of a test; a long one is cut, and ends
    with a digest. Tests whose ids differ in replaced characters alone share it."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", node_id)
    return name if len(name) <= NAME_MAX else unique_name(node_id)


def shared_names(node_ids: Iterable[str]) -> frozenset[str]:
    """The names that several of these tests share, also where case does not count."""
    counts = Counter(safe_name(node_id).casefold() for node_id in set(node_ids))
    return frozenset(name for name, count in counts.items() if count > 1)


# ---- compiled models

def _external_files(model: pathlib.Path, content: bytes) -> Iterator[pathlib.Path]:
    """Files in which an ONNX model keeps values: entries "location" of its external data."""
    for entry in re.finditer(rb"\x0a\x08location\x12([\x80-\xff]*[\x00-\x7f])", content):
        size = sum((byte & 127) << 7 * i for i, byte in enumerate(entry[1]))
        name = content[entry.end():entry.end() + size].decode("utf-8", "surrogateescape")
        if "\0" not in name:
            yield model.parent / name


def _add_file(digest: Any, path: pathlib.Path) -> None:
    digest.update(str(path).encode("utf-8", "surrogateescape"))
    with open(path, "rb") as source:
        for block in iter(lambda: source.read(1 << 20), b""):
            digest.update(block)


def content_key(model: pathlib.Path, options: dict[str, Any]) -> str:
    """What a compiled program depends on: the files of the model, the machine where it is a file,
    options and library."""
    content = model.read_bytes()
    digest = hashlib.sha256(repr((tacho.library_version(), sorted(options.items()))).encode())
    digest.update(hashlib.sha256(content).digest())
    others = set(_external_files(model, content)) if model.suffix == ".onnx" else set()
    if options.get("machine"):
        others.add(pathlib.Path(options["machine"]))
    for path in sorted(others):
        if path.is_file():
            _add_file(digest, path)
    return digest.hexdigest()


class Programs:
    """Compiled models of a session, in pytest's cache where there is one."""

    def __init__(self, cache: Any, is_fresh: bool) -> None:
        self._own: Optional[tempfile.TemporaryDirectory[str]] = None
        if cache is None:
            self._own = tempfile.TemporaryDirectory(prefix="tacho.")
        self._folder = pathlib.Path(self._own.name) if self._own else cache.mkdir("tacho")
        self._is_fresh = is_fresh

    def find(self, model: pathlib.Path, device: str, options: dict[str, Any]) -> str:
        """The program of a model for the machine of |device|, compiled once for its content."""
        if model.suffix not in MODEL_SUFFIXES:
            return str(model)  # a program already
        machine = "host-cpu" if device == "cpu" else device.partition(":")[2] or None
        options = {"machine": machine, "stats_level": 70, **options}
        program = self._folder / f"{content_key(model, options)}.bin"
        if self._is_fresh or not program.exists():
            tacho.compile(model, **options).write_program(program)
        return str(program)

    def close(self) -> None:
        if self._own is not None:
            self._own.cleanup()
