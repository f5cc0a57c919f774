# SPDX-License-Identifier: Apache-2.0
"""Reads what `tacho compile` writes for people: Torq's timelines (T1, T4) and the JSON tables.

A timeline's location may contain commas and is not quoted, so that rows are cut from both ends.
"""
import json


class Row:
    """One span of a timeline; |task| and |bytes| are None where the form does not have them."""

    def __init__(self, engine, start, end, task=None, count=None, location=""):
        self.engine, self.start, self.end = engine, start, end
        self.task, self.bytes, self.location = task, count, location

    def key(self):
        return self.engine, self.start, self.end


_T1_ENGINES = {"DI": "dma_in", "DO": "dma_out", "S": "slice", "CSS": "css", "CDMA_L2D": "cdma",
               "CDMA_L2I": "cdma", "CDMA_D2L": "cdma"}
_T4_ENGINES = {"DMA In": "dma_in", "DMA Out": "dma_out", "CSS": "css", "CDMA LRAM to DTCM": "cdma",
               "CDMA LRAM to ITCM": "cdma", "CDMA DTCM to LRAM": "cdma"}


def read_t1(text):
    """A slice's number is its row's modulo two: T1 has no column for it."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        name, start, end, rest = line.split(",", 3)
        prefix = name.rstrip("0123456789")
        if prefix not in _T1_ENGINES:
            raise ValueError(f"T1, line {number}: unknown id {name!r}")
        engine = _T1_ENGINES[prefix]
        engine += str(int(name[1:]) % 2) if engine == "slice" else ""
        rows.append(Row(engine, int(start), int(end), location=rest.rpartition(",")[0]))
    return rows


def read_t4(text):
    lines = text.splitlines()
    if not lines or not lines[0].startswith("taskId,"):
        raise ValueError("T4: no header")
    rows = []
    for line in lines[1:]:
        task, elapsed, start, event, rest = line.split(",", 4)
        location, _, count = rest.rpartition(",")
        engine = _T4_ENGINES.get(event) or "slice" + event.removeprefix("Slice ")
        rows.append(Row(engine, int(start), int(start) + int(elapsed), int(task),
                        int(count) if count else None, location))
    return rows


def read_tables(text):
    """{table: [row]} of JSON lines."""
    tables = {}
    for line in text.splitlines():
        if line.strip():
            row = json.loads(line)
            tables.setdefault(row["table"], []).append(row)
    return tables
