#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TOSA's operators, in every type that the kernel takes, on the edges of the type, against numpy: as
edge_values.py, with the module as MLIR's text. Fast kernels give the reference's bits here.

Usage: edge_tosa.py TACHO OPERATORS_PAGE [OPERATOR...]
Needs the onnx package; without it the test is skipped (77)."""
import re
import sys
import tempfile
import pathlib

import edge_values
import numpy as np
from edge_cases import BINARY, COMPARE, EXACT, UNARY, ZERO, Case, angles, crossed
from edge_tosa_cases import MADE
from edge_types import TYPES, Elements, edges, from_reals

WORDS = {"bool": "i1", "u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64"}
FUNCTIONS = {n.lower(): UNARY[n] for n in ("Abs", "Ceil", "Floor", "Reciprocal", "Exp", "Log", "Sigmoid", "Tanh",
                                          "Erf", "Identity")}
FUNCTIONS["rsqrt"] = (lambda x: 1 / np.sqrt(np.where(x > 0, x, 1)), EXACT)
PAIRS = {"add": BINARY["Add"], "sub": BINARY["Sub"], "maximum": BINARY["Max"], "minimum": BINARY["Min"],
         "pow": BINARY["Pow"]}
QUESTIONS = {"equal": COMPARE["Equal"], "greater": COMPARE["Greater"], "greater_equal": COMPARE["GreaterOrEqual"]}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
LOGIC = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
WHOLE = {"abs": np.abs, "identity": lambda x: x, "add": np.add, "sub": np.subtract, "maximum": np.maximum,
         "minimum": np.minimum}


def casts(type_):
    """To every other real type; rounding to integers is another matter."""
    return [Case([edges(type_)], [from_reals(to, edges(type_).reals())])
            for to in TYPES.values() if to.kind == "real" and type_.kind == "real" and to != type_]


def case_of(op, type_):
    """Inputs and what numpy has, a list of those, or None."""
    if op in MADE:
        return MADE[op](op, type_)
    if op in ("sin", "cos"):
        return angles(op.capitalize(), type_)
    if op in ("bitwise_not", "logical_not"):
        x = edges(type_)
        return Case([x], [Elements(type_, ~x.array)]) if (type_.kind == "bool") == (op == "logical_not") else None
    if op in ("reverse", "concat"):
        x = edges(type_)
        made = x.array[::-1] if op == "reverse" else np.concatenate([x.array, x.array])
        return Case([x] * (2 if op == "concat" else 1), [Elements(type_, made)], attrs={"axis": "0 : i32"})
    if op in ("reduce_sum", "reduce_max", "reduce_min", "reduce_product"):
        x = edges(type_).reshape(12, 1)
        return None if type_.kind == "bool" else Case([x], [x], ZERO, {"axis": "1 : i32"})
    if op in FUNCTIONS and (type_.kind == "real" or op in WHOLE):
        x = edges(type_)
        if op == "rsqrt":
            x = from_reals(type_, np.where(x.reals() > 0, x.reals(), 1))
        of, how = FUNCTIONS[op]
        return Case([x], [from_reals(type_, of(x.reals())) if type_.kind == "real" else Elements(
            type_, WHOLE[op](x.array))], how if type_.kind == "real" else EXACT)
    x, y = crossed(type_)
    if op in QUESTIONS:
        made = QUESTIONS[op](*((x.reals(), y.reals()) if type_.kind == "real" else (x.array, y.array)))
        return Case([x, y], [Elements(TYPES["bool"], made)])
    if op in PAIRS and type_.kind == "real":
        of, how = PAIRS[op]
        return Case([x, y], [from_reals(type_, of(x.reals(), y.reals()))], how)
    if op in LOGIC:
        return Case([x, y], [Elements(type_, LOGIC[op](x.array, y.array))])
    if op in (BITS if type_.kind == "int" else {}) or (op in PAIRS and op in WHOLE and type_.kind == "int"):
        return Case([x, y], [Elements(type_, BITS.get(op, WHOLE.get(op))(x.array, y.array))])
    return None


def listed(cases):
    return cases if isinstance(cases, list) else [] if cases is None else [cases]


class Module:
    """MLIR's text of a function with an operation for each case."""
    suffix = "mlir"

    def __init__(self, op, cases):
        arguments, lines, results = [], [], []
        for i, (_, case) in enumerate(cases):
            names = [f"%x{i}_{j}" for j in range(len(case.inputs))]
            kinds = [self.word(x) for x in case.inputs]
            made = self.word(case.expected[0])
            arguments += [f"{n}: {k}" for n, k, x in zip(names, kinds, case.inputs) if isinstance(x, Elements)]
            lines += [self.constant(n, k, x) for n, k, x in zip(names, kinds, case.inputs) if isinstance(x, tuple)]
            attrs = ", ".join(f"{k} = {v}" for k, v in case.attrs.items())
            lines.append(f'    %y{i} = "tosa.{op}"({", ".join(names)}) {{{attrs}}} : ({", ".join(kinds)}) -> {made}')
            results.append(made)
        self.text = (f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n" + "\n".join(lines) +
                     f"\n    return {', '.join(f'%y{i}' for i in range(len(cases)))} : {', '.join(results)}\n}}\n")

    @staticmethod
    def constant(name, kind, given):
        if given[0] == "shape":
            values = f"dense<[{', '.join(map(str, given[1]))}]> : tensor<{len(given[1])}xindex>"
            return f'    {name} = "tosa.const_shape"() {{values = {values}}} : () -> {kind}'
        bits = given[1].array.tobytes().hex().upper()
        text = str(bool(given[1].array.flat[0])).lower() if given[1].type.kind == "bool" else f'"0x{bits}"'
        return f'    {name} = "tosa.const"() {{values = dense<{text}> : {kind}}} : () -> {kind}'

    @staticmethod
    def word(elements):
        if isinstance(elements, tuple):
            if elements[0] == "shape":
                return f"!tosa.shape<{len(elements[1])}>"
            elements = elements[1]
        dims = "".join(f"{d}x" for d in elements.array.shape)
        return f"tensor<{dims}{WORDS.get(elements.type.name, elements.type.name)}>"

    def SerializeToString(self):
        return self.text.encode()


def build(op, cases):
    return Module(op, cases), [x for _, c in cases for x in c.inputs if isinstance(x, Elements)]


def main():
    tacho, page, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    table = {}
    for line in pathlib.Path(page).read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| tosa\.(\w+) \| \w+ \| ([^|]*) \|", line)
        if match:
            table[match[1]] = [TYPES[t] for t in match[2].split() if t in TYPES]
    agreed, wrong, refused, untried = 0, [], [], []
    with tempfile.TemporaryDirectory() as work, np.errstate(all="ignore"):
        for op in sorted(names or table):
            cases = [(t, c) for t in table[op] for c in listed(casts(t) if op == "cast" else case_of(op, t))]
            untried += [] if cases else [op]
            if cases:
                part = edge_values.check(tacho, op, cases, work, build)
                agreed, wrong, refused = agreed + part[0], wrong + part[1], refused + part[2]
    print("\n".join(wrong + refused))
    print("no case:", " ".join(untried))
    print(f"{agreed} operators and types agree, {len(wrong)} elements do not, {len(refused)} are refused")
    return 1 if wrong or refused or (not names and agreed < 490) else 0


if __name__ == "__main__":
    sys.exit(main())
