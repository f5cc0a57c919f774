#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our reader of ONNX against the onnx package: nodes, operands, attributes, types, and every byte of
every constant of all models in the folders given.

Usage: compare_onnx.py DUMP_GRAPH FOLDER...
Exits with 77, which means skipped, when the package or all folders are absent. Models that need
values for symbolic dimensions get 2 for each."""
import os
import pathlib
import subprocess
import sys
import zlib

from check_layers import fields, layer_of, line_of

try:
    import numpy
    import onnx
    from onnx import external_data_helper, numpy_helper
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

DTYPES = ["unknown", "f32", "u8", "i8", "u16", "i16", "i32", "i64", "string", "bool", "f16", "f64",
          "u32", "u64", "complex64", "complex128", "bf16", "f8e4m3", "f8e4m3fnuz", "f8e5m2",
          "f8e5m2fnuz", "u4", "i4", "f4e2m1"]
KINDS = {1: "real", 2: "int", 3: "text", 4: "tensor", 5: "graph", 6: "reals", 7: "ints", 8: "texts",
         10: "graph"}
DIM = 2


def word(text):
    data = text if isinstance(text, bytes) else text.encode()
    return "".join(chr(b) if 32 < b < 127 and b not in b"%," else f"%{b:02X}" for b in data) or "%"


def quoted(text):
    return '"' + "".join("\\\\" if b == 92 else chr(b) if 32 <= b < 127 and b != 34 else f"\\{b:02X}"
                         for b in text.encode()) + '"'


def location(node, index):
    """The name of a node, and in it the layer and the line that the exporter wrote."""
    entries = [dict(fields(value)) for number, value in fields(node.SerializeToString())
               if number == 9]  # metadata_props, which older packages do not know
    metadata = {entry[1].decode(): entry[2].decode() for entry in entries}
    place = ""
    path = layer_of(metadata)
    line = line_of(metadata)
    if line:
        file, _, number = line.rpartition(":")
        place = f"({quoted(file)}:{number}:0)"
    if path:
        place = f"({quoted('/'.join(path))}{place})"
    return quoted(node.name or f"{node.op_type}_{index}") + place


def shape_text(dims):
    return "x".join("?" if d < 0 else str(d) for d in dims) if dims else "scalar"


def tensor_bytes(tensor):
    if tensor.data_type in (10, 16) and not tensor.HasField("raw_data"):
        return numpy.array(list(tensor.int32_data), "<u4").astype("<u2").tobytes()
    if tensor.HasField("raw_data"):
        return tensor.raw_data
    if tensor.data_type > 16:  # 4 and 8 bits, which older packages do not know
        return bytes(value & 255 for value in tensor.int32_data)
    return numpy_helper.to_array(tensor).tobytes()


def is_absent(tensor, folder):
    if not external_data_helper.uses_external_data(tensor):
        return False
    info = external_data_helper.ExternalDataInfo(tensor)
    if not (folder / info.location).exists():
        return True
    external_data_helper.load_external_data_for_tensor(tensor, str(folder))
    return False


def value_text(tensor, folder):
    text = f" {DTYPES[tensor.data_type]} {shape_text(tensor.dims)}"
    if tensor.data_type == 8:
        return text + " -"
    if is_absent(tensor, folder):
        is_integer = DTYPES[tensor.data_type][0] in "ui" or DTYPES[tensor.data_type] == "bool"
        return text + (" each" + 16 * " 00" if is_integer else " random")
    data = tensor_bytes(tensor)
    return text + f" {len(data)} {zlib.crc32(data):08x}"


def type_text(value, is_input, dims_of):
    if not value.type.HasField("tensor_type"):
        return " unknown ?"
    tensor_type = value.type.tensor_type
    dtype = DTYPES[tensor_type.elem_type]
    if not tensor_type.HasField("shape"):
        return f" {dtype} ?"
    dims = []
    for place, dim in enumerate(tensor_type.shape.dim):
        if dim.HasField("dim_value") and dim.dim_value > 0:
            dims.append(dim.dim_value)
        elif is_input and not dim.dim_param:
            dims_of[f"{value.name}.{place}"] = DIM
            dims.append(DIM)
        elif is_input or dim.dim_param in dims_of:
            dims_of[dim.dim_param] = DIM
            dims.append(DIM)
        else:
            dims.append(-1)
    return f" {dtype} {shape_text(dims)}"


def attr_text(attr, folder):
    kind = KINDS.get(attr.type, "other")
    values = {
        "int": lambda: [str(attr.i)],
        "real": lambda: ["%.9g" % attr.f],
        "text": lambda: [word(attr.s)],
        "ints": lambda: [str(i) for i in attr.ints],
        "reals": lambda: ["%.9g" % f for f in attr.floats],
        "texts": lambda: [word(s) for s in attr.strings],
        "tensor": lambda: [value_text(attr.t, folder).strip()],
        "graph": lambda: [str(sum(len(g.node) for g in ([attr.g] if attr.type == 5
                                                        else attr.graphs)))],
        "other": lambda: [],
    }[kind]()
    return " ".join(["attr", word(attr.name), kind] + values)


def expected(path):
    """The lines that our program should print, and the dimensions that it needs."""
    model = onnx.load(str(path), load_external_data=False)
    graph, dims_of, folder = model.graph, {}, path.parent
    constants = [t.name for t in graph.initializer] + [s.values.name for s in
                                                       graph.sparse_initializer]
    inputs = [f"input {word(v.name)}{type_text(v, True, dims_of)}" for v in graph.input
              if v.name not in set(constants)]
    lines = inputs + [f"output {word(v.name)}{type_text(v, False, dims_of)}" for v in graph.output]
    absent = sum(is_absent(t, folder) for t in graph.initializer)
    lines.insert(0, f"graph {word(graph.name)} absent={absent} "
                    f"sparse={len(graph.sparse_initializer)}")
    lines += [f"constant {word(t.name)}{value_text(t, folder)}" for t in graph.initializer]
    lines += [f"constant {word(s.values.name)} {DTYPES[s.values.data_type]} {shape_text(s.dims)} -"
              for s in graph.sparse_initializer]
    opsets = {"" if o.domain == "ai.onnx" else o.domain: o.version for o in model.opset_import}
    for index, node in enumerate(graph.node):
        domain = "" if node.domain == "ai.onnx" else node.domain
        lines.append(" ".join([
            "node", str(index), word(f"{domain}.{node.op_type}" if domain else node.op_type),
            word(node.name), str(opsets.get(domain, 1)),
            ",".join(word(n) for n in node.input) if node.input else "-",
            ",".join(word(n) for n in node.output) if node.output else "-",
            word(location(node, index))]))
        lines += [attr_text(attr, folder) for attr in node.attribute]
    return lines, dims_of


def dump(program, paths, dims_of):
    command = [program] + [word for name, value in dims_of.items()
                           for word in ("--dim", f"{name}={value}")] + [str(p) for p in paths]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    files = {}
    for line in text.splitlines():
        if line.startswith("== "):
            lines = files[line[3:]] = []
        else:
            lines.append(line)
    return files


def first_difference(wanted, found):
    for number, (one, other) in enumerate(zip(wanted + [None], found + [None])):
        if one != other:
            return f"line {number}:\n  expected {one}\n  found    {other}"
    return None


def main():
    program, folders = sys.argv[1], [pathlib.Path(f) for f in sys.argv[2:]]
    paths = sorted(p for folder in folders if folder.is_dir() for p in folder.rglob("*.onnx"))
    if not paths:
        print("skip: no models")
        return 77
    wanted = {path: expected(path) for path in paths}
    found = dump(program, [p for p in paths if not wanted[p][1]], {})
    for path in paths:
        if wanted[path][1]:
            found.update(dump(program, [path], wanted[path][1]))
    failed = 0
    for path in paths:
        difference = first_difference(wanted[path][0], found.get(str(path), []))
        if difference:
            failed += 1
            print(f"FAIL {path}, {difference}")
    nodes = sum(line.startswith("node ") for lines, _ in wanted.values() for line in lines)
    print(f"{len(paths)} models, {nodes} nodes, {failed} differ")
    return 1 if failed else 0


sys.exit(main())
