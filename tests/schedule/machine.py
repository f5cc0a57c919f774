# SPDX-License-Identifier: Apache-2.0
"""A machine's description as exact numbers: what its queues, engines and memories can do at most.

Values are fractions, read from the JSON as they are written, so that no rounding here can hide or
invent a cycle.
"""
import json
from fractions import Fraction

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kHz": 10**3, "MHz": 10**6,
          "GHz": 10**9}
_BITS = {"bfp4": 4.5, "bfp8": 8.5, "i8": 8, "u8": 8, "bool": 8, "i16": 16, "u16": 16, "bf16": 16, "f16": 16, "i32": 32,
         "u32": 32, "f32": 32, "i64": 64, "u64": 64, "f64": 64, "i4": 4, "u4": 4, "f8e4m3": 8,
         "f8e5m2": 8, "i48": 48}


def number(node, default=None):
    if node is None:
        return default
    return Fraction(node["value"]) * _UNITS.get(node["unit"], 1)


def ceil_div(amount, rate):
    return -((-amount) // rate)


class Queue:
    """Moves bytes: start_up + ceil(bytes / rate) cycles."""

    def __init__(self, node):
        self.name, self.kind = node["name"], node["class"]
        rate = number(node["bytes_per_cycle"]) * number(node.get("efficiency"), Fraction(1))
        beats = number(node.get("burst_beats"))
        if beats:
            rate *= beats / (beats + number(node.get("burst_overhead_beats"), Fraction(0)))
        self.rate = rate
        self.start_up = number(node.get("start_up_cycles"), 0)

    def least_cycles(self, amount):
        return self.start_up + ceil_div(amount, self.rate)


class Engine:
    """Computes: at most |macs[dtype]| products and |elements[dtype]| results in a cycle."""

    def __init__(self, node):
        self.name, self.kind = node["name"], node["class"]
        self.count = number(node.get("count"), Fraction(1))
        self.macs = {row["dtype"]: number(row["per_cycle"]) for row in node.get("macs", [])}
        self.elements = {row["dtype"]: number(row["per_cycle"]) for row in node.get("elements", [])}
        self.has_blocks = "block_overhead_cycles" in node
        self.issue_cycles = number(node.get("issue_cycles"), 0)
        self.fixed_job_cycles = number(node.get("fixed_job_cycles"))


class Machine:
    def __init__(self, node):
        self.name = node["name"]
        self.is_torq = node.get("timeline") == "torq"
        self.has_mesh = "mesh" in node
        self.cores = int(number(node["grid_x"]) * number(node["grid_y"]))
        self.launch_cycles = int(number(node.get("launch_cycles"), 0))
        self.queues = {q["name"]: Queue(q) for q in node.get("dma", [])}
        self.engines = {e["name"]: Engine(e) for e in node["engines"]}
        self.legalise = {row["from"]: row["to"] for row in node.get("legalise", [])}
        self.passes = {f["name"]: number(f["passes"]) for f in node.get("fidelities", [])}
        self.memory_bytes = {m["name"]: int(number(m["size_bytes"])) for m in node["memories"]}
        self.local = next(m["name"] for m in node["memories"] if m["kind"] == "local")
        shared = next(m for m in node["memories"] if m["kind"] == "ddr")
        self.shared_rate = (number(shared["bytes_per_cycle"]) *
                            number(shared.get("efficiency"), Fraction(1)))
        self.network_rate = number(node.get("noc", {}).get("link_bytes_per_cycle"))
        link = node.get("device_link_bytes_per_cycle")
        self.link_rate = number(link) if link else None

    def is_streamed(self):
        """Operators are estimated by a closed form: a job stands for all cores (docs/compile.md)."""
        return not self.has_mesh and any(e.has_blocks for e in self.engines.values())

    def is_cut(self):
        """Operators are cut into tiles, and jobs say which. On a mesh data flows through circular
        buffers instead: a job is many tiles, one after the other."""
        return not self.has_mesh and not self.is_streamed()

    def legal(self, dtype):
        """The type that the machine computes and keeps |dtype| in."""
        return self.legalise.get(dtype, dtype)

    def bytes_of(self, elements, dtype):
        return -int(-elements * _BITS[self.legal(dtype)] // 8)


def dtype_of(element):
    """An MLIR element type in the descriptions' words."""
    text = element.strip("!").replace("quant.", "")
    if text == "i1":
        return "bool"
    if text.startswith("ui"):
        return "u" + text[2:]
    if text.startswith("si"):
        return text[1:]
    return text.lower()


def load(text):
    return Machine(json.loads(text, parse_float=Fraction))
