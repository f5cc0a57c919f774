#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of fuzz_onnx, small models with every kind of field.

Usage: make_corpus.py FOLDER"""
import pathlib
import struct
import subprocess
import sys

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "make_models.py"
sys.path.insert(0, str(TOOL.parent))
sys.dont_write_bytecode = True
from make_models import attribute, data, number, value_info, varint  # noqa: E402

GENERATED = {
    "gemm": "gemm --m 2 --k 3 --n 4 --constant-b",
    "gemm_i8": "gemm --m 2 --k 3 --n 4 --dtype i8 --constant-b",
    "gemm_bf16": "gemm --m 2 --k 3 --n 4 --dtype bf16",
    "gemm_absent": "gemm --m 4 --k 4 --n 8 --constant-b --weights absent",
    "chain": "chain --nodes 5 --width 4",
    "transformer": "transformer --sequence 2 --width 4 --heads 2",
    "symbolic": "chain --nodes 2 --width 4 --batch N",
    "cnn_absent": "cnn --weights absent",
    "qdq_absent": "cnn-qdq --weights absent",
}


def tensor(name, data_type, dims, *values):
    return b"".join(number(1, d) for d in dims) + number(2, data_type) + data(8, name) + \
        b"".join(values)


def node(op, inputs, outputs, *rest):
    return b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs) + \
        data(4, op) + b"".join(rest)


def model(nodes, *rest, opsets=(("", 13),)):
    graph = b"".join(data(1, n) for n in nodes) + data(2, "g") + b"".join(rest)
    return number(1, 8) + data(7, graph) + b"".join(data(8, data(1, d) + number(2, v))
                                                    for d, v in opsets)


def relu_model(*rest):
    return model([node("Relu", ["x"], ["y"])], data(11, value_info("x", "f32", [2])),
                 data(12, value_info("y", "f32", [2])), *rest)


def composed():
    """Models of odd but sound things, by name."""
    packed = {
        "i8": (3, 5, b"\x01\x02"), "f16": (10, 5, b"\x80\x78\x01"), "i64": (7, 7, b"\x01\x80\x01"),
        "u64": (13, 11, b"\x01\x02"), "f32": (1, 4, struct.pack("<2f", 1, 2)),
        "f64": (11, 10, struct.pack("<2d", 1, 2)), "i4": (22, 5, b"\x21"), "bool": (9, 5, b"\1\0"),
    }
    lists = [data(5, tensor(name, kind, [2], data(field, content)))
             for name, (kind, field, content) in packed.items()]
    unpacked = data(5, tensor("one_by_one", 6, [2], number(5, 7), number(5, -7)))
    texts = data(5, tensor("texts", 8, [2], data(6, "a"), data(6, "bc")))
    sparse = data(15, data(1, tensor("sparse", 1, [1], data(9, bytes(4)))) +
                  data(2, tensor("", 7, [1], number(7, 1))) + number(3, 5))
    body = data(1, node("Relu", ["x"], ["b"])) + data(12, value_info("b", "f32", [2]))
    branch = data(5, data(1, "then_branch") + data(6, body) + number(20, 5))
    attributes = [data(5, attribute("axis", -1)), data(5, attribute("alpha", 0.5)),
                  data(5, attribute("mode", "SAME")), data(5, attribute("pads", [1, 2])),
                  data(5, data(1, "scales") + data(7, struct.pack("<2f", 1, 2)) + number(20, 6)),
                  data(5, data(1, "names") + data(9, "a") + data(9, "b") + number(20, 8)),
                  data(5, data(1, "value") + data(5, tensor("", 1, [], data(9, bytes(4)))) +
                       number(20, 4)), branch]
    sequence = data(11, data(1, "list") + data(2, data(4, data(1, data(1, number(1, 1))))))
    outside = data(5, tensor("out", 1, [4], data(13, data(1, "location") + data(2, "w.bin")),
                             data(13, data(1, "offset") + data(2, "16")), number(14, 1)))
    yes = data(5, tensor("yes", 9, [], number(5, 1)))
    inner = data(1, node("Add", ["r", "two"], ["s"])) + data(12, value_info("s", "f32", [2])) + \
        data(5, tensor("two", 1, [1], data(9, struct.pack("<f", 2))))
    arms = [data(5, data(1, name) + data(6, inner) + number(20, 5))
            for name in ("then_branch", "else_branch")]
    outer = data(1, node("Relu", ["x"], ["r"])) + data(1, node("If", ["yes"], ["t"], *arms)) + \
        b"".join(data(12, value_info(name, "f32", [2])) for name in "trx")
    shortcut = data(12, value_info("x", "f32", [2])) * 3
    branches = [data(5, data(1, "then_branch") + data(6, outer) + number(20, 5)),
                data(5, data(1, "else_branch") + data(6, shortcut) + number(20, 5))]
    return {
        "branches": model([node("If", ["yes"], ["a", "b", "c"], *branches),
                           node("Sum", ["a", "b", "c"], ["y"])], yes,
                          data(11, value_info("x", "f32", [2])),
                          data(12, value_info("y", "f32", [2]))),
        "values": relu_model(*lists, unpacked, texts),
        "sparse": relu_model(sparse),
        "sequence": relu_model(sequence),
        "outside": relu_model(outside),
        "functions": relu_model() + data(25, data(1, "F") + data(10, "local")),
        "attributes": model([node("Odd", ["x", ""], ["y"], data(3, 'a "b"'), data(7, "com.odd"),
                                  *attributes)],
                            data(11, value_info("x", "f32", ["N", 2])),
                            opsets=(("", 17), ("com.odd", 2))),
        "cycle": model([node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["a"])]),
        "no_operands": model([node("Nothing", [], [])]),
        "unknown_field": relu_model() + data(99, "later") + varint(100 << 3 | 5) + bytes(4),
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, arguments in GENERATED.items():
        subprocess.run([sys.executable, str(TOOL)] + arguments.split() +
                       ["-o", str(folder / (name + ".onnx"))], check=True)
    for name, content in composed().items():
        (folder / (name + ".onnx")).write_bytes(content)


main()
