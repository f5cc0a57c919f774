#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our inference against the onnx package's, on all models of the folders given.

Usage: compare_shapes.py DUMP_SHAPES FOLDER...
Exits with 77, which means skipped, when the package or all folders are absent.

What a file says of the tensors between its inputs and outputs, and of its outputs' shapes, is taken
out first, so that both have to find it. Three ways:
  - models as they are, with 2 for each symbolic dimension: every tensor, against the package;
  - the standard's operator tests with their small inputs as constants (they are parameters: axes,
    shapes, repeats): outputs, against what the test says;
  - the same with all inputs as constants: values that folding computes, against the test's.
A tensor that we know otherwise fails. One that we know less of is counted, and fails as well unless
the model has an operator whose results depend on data, or are no tensors, or that we do not know."""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    from onnx import numpy_helper, shape_inference
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

DTYPES = ["unknown", "f32", "u8", "i8", "u16", "i16", "i32", "i64", "string", "bool", "f16", "f64",
          "u32", "u64", "complex64", "complex128", "bf16", "f8e4m3", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "u4", "i4", "f4e2m1"]
OPEN = {"Compress", "NonMaxSuppression", "NonZero", "Unique",  # as many as the data says
        "If", "Loop", "Scan",  # graphs in the graph
        "ConcatFromSequence", "OptionalGetElement", "OptionalHasElement", "SequenceAt",
        "SequenceLength", "SequenceMap", "SplitToSequence",
        "MelWeightMatrix", "STFT", "StringNormalizer", "TfIdfVectorizer",
        "Adagrad", "Adam", "Momentum"}  # of another domain
# Packages after that of Debian 12 know shapes of operators that came later; there, to know less is not wrong.
IS_NEWER = tuple(int(part) for part in onnx.__version__.split(".")[:2]) > (1, 12)
SMALL = 64  # elements of an input that is taken for a parameter


def word(text):
    return "".join(chr(b) if 32 < b < 127 and b not in b"%," else f"%{b:02X}"
                   for b in text.encode()) or "%"


def type_of(value):
    """(dtype, dimensions) with None for what is not known."""
    if not value.type.HasField("tensor_type"):
        return None, None
    tensor = value.type.tensor_type
    dims = None
    if tensor.HasField("shape"):
        dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
    return DTYPES[tensor.elem_type] if tensor.elem_type else None, dims


def strip(model, constants):
    """Takes out what is to be found and puts in constants."""
    graph = model.graph
    del graph.value_info[:]
    for value in graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    known = {t.name for t in graph.initializer}
    for value in graph.input:
        if value.name in constants and value.name not in known:
            tensor = graph.initializer.add()
            tensor.CopyFrom(constants[value.name])
            tensor.name = value.name
        elif value.name not in known:
            for dim in value.type.tensor_type.shape.dim:
                if not dim.HasField("dim_value"):
                    dim.dim_value = 2
    return model


def test_tensors(path, kind):
    tensors = []
    while (path.parent / "test_data_set_0" / f"{kind}_{len(tensors)}.pb").exists():
        name = path.parent / "test_data_set_0" / f"{kind}_{len(tensors)}.pb"
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString(name.read_bytes())
            numpy_helper.to_array(tensor)
        except Exception:  # a sequence or an optional
            tensor = None
        tensors.append(tensor)
    return tensors


def parameters(model, path, is_all):
    """The test's inputs that are small, or all of them, by name."""
    found = {}
    for number, (value, tensor) in enumerate(zip(model.graph.input, test_tensors(path, "input"))):
        if tensor is None or not value.type.HasField("tensor_type"):
            continue
        size = int(numpy.prod(tensor.dims)) if tensor.dims else 1
        is_small = size <= SMALL and len(tensor.dims) <= 1
        if is_all or is_small and (number > 0 or tensor.data_type == 7 or not tensor.dims):
            found[value.name] = tensor
            tensor.data_type = value.type.tensor_type.elem_type  # bf16 is stored as u16
    return found


def run(program, paths):
    """{path: {tensor: (dtype, dimensions, value)}} or the message of a refusal."""
    found = {}
    text = subprocess.run([program] + [str(p) for p in paths], capture_output=True, text=True,
                          check=False).stdout
    for line in text.splitlines():
        words = line.split(" ")
        if words[0] == "==":
            tensors = found[line[3:]] = {}
        elif words[0] == "!":
            found[current(found)] = line[2:]
        elif words[0] == "tensor":
            dims = None if words[3] == "?" and words[2] in ("unknown",) else words[3]
            tensors[words[1]] = (None if words[2] == "unknown" else words[2], dims, words[4])
    return found


def current(found):
    return next(reversed(found))


def parse_dims(text, rank):
    if text is None or text == "?" and rank != 1:
        return None
    return [] if text == "scalar" else [None if d == "?" else int(d) for d in text.split("x")]


def judge(counts, where, wanted, ours):
    """Compares one tensor: what is wrong with it and whether we know less."""
    (dtype, dims), counts["tensors"] = wanted, counts["tensors"] + 1
    if ours is None:
        return f"{where}: not there", False
    our_dims = parse_dims(ours[1], None if dims is None else len(dims))
    if dtype and ours[0] and dtype != ours[0]:
        return f"{where}: {ours[0]}, expected {dtype}", False
    if dims is None or our_dims is None:
        is_less, is_more = dims is not None, our_dims is not None
    elif len(dims) != len(our_dims) or any(a is not None and b is not None and a != b
                                           for a, b in zip(dims, our_dims)):
        return f"{where}: {our_dims}, expected {dims}", False
    else:
        is_less = any(a is not None and b is None for a, b in zip(dims, our_dims))
        is_more = any(a is None and b is not None for a, b in zip(dims, our_dims))
    counts["we know less"] += is_less
    counts["we know more"] += is_more
    is_wrong = is_less and not IS_NEWER
    return (f"{where}: {our_dims} is less than {dims}" if is_wrong else None), is_less


def judge_value(counts, where, tensor, ours):
    if ours is None or ours[2] in ("run", "constant"):
        return None
    counts["values"] += 1
    wanted = numpy_helper.to_array(tensor)
    if ours[0] == "bf16":  # the tests' are cut, not rounded
        wanted = wanted + (numpy.frombuffer(bytes.fromhex(ours[2]), wanted.dtype).reshape(
            wanted.shape) == wanted + 1)
    found = numpy.frombuffer(bytes.fromhex(ours[2]), wanted.dtype).reshape(wanted.shape)
    if wanted.dtype.kind == "f":
        same = numpy.allclose(found, wanted, 1e-3, 1e-6, equal_nan=True)
    else:
        same = (found == wanted).all()
    return None if same else f"{where}: {found.tolist()}, expected {wanted.tolist()}"


def wanted_of_package(model):
    inferred = shape_inference.infer_shapes(model, data_prop=True)
    made = {name for node in model.graph.node for name in node.output}
    return {v.name: type_of(v) for v in list(inferred.graph.value_info) +
            list(inferred.graph.output) if v.name in made}


def prepare(counts, paths, folder, way):
    """Stripped models in |folder|: {their path: (the model's, what to find)}."""
    prepared = {}
    for number, path in enumerate(paths):
        model = onnx.load(str(path), load_external_data=False)
        original = {v.name: type_of(v) for v in model.graph.output}
        constants = {} if way == "models" else parameters(model, path, way == "values")
        if any(0 in (type_of(value)[1] or []) for value in model.graph.input
               if value.name not in constants):
            counts["left out: inputs of no size"] += 1
            continue
        strip(model, constants)
        if way == "models":
            wanted = wanted_of_package(model)
        elif way == "operators":
            wanted = original
        else:
            wanted = dict(zip(original, test_tensors(path, "output")))
        stripped = folder / f"{way}_{number}.onnx"
        onnx.save_model(model, str(stripped))
        is_open = any(node.op_type in OPEN for node in model.graph.node)
        prepared[str(stripped)] = (path, wanted, is_open)
    return prepared


def compare(program, paths, folder, way):
    counts, problems = collections.Counter(), []
    prepared = prepare(counts, paths, folder, way)
    found = run(program, prepared)
    for stripped, (path, wanted, is_open) in prepared.items():
        tensors = found.get(stripped, "no answer")
        where = f"{path.parent.name}/{path.name}"
        if isinstance(tensors, str):
            counts["refused"] += 1
            problems.append(f"{where}: {tensors}")
            continue
        for name, value in wanted.items():
            ours, place = tensors.get(word(name)), f"{where}: {name}"
            if way != "values":
                problem, is_less = judge(counts, place, value, ours)
                problems.append(None if is_less and is_open else problem)
            elif value is not None:
                problems.append(judge_value(counts, place, value, ours))
    problems = [p for p in problems if p]
    for problem in problems:
        print(f"FAIL {way}: {problem}")
    print(f"{way}: {len(prepared)} models, " +
          ", ".join(f"{counts[k]} {k}" for k in sorted(counts)) + f", {len(problems)} differ")
    return len(problems)


def main():
    program, folders = sys.argv[1], [pathlib.Path(f) for f in sys.argv[2:]]
    paths = sorted(p for folder in folders if folder.is_dir() for p in folder.rglob("*.onnx"))
    if not paths:
        print("skip: no models")
        return 77
    tests = [p for p in paths if (p.parent / "test_data_set_0").is_dir() and "node" in p.parts]
    with tempfile.TemporaryDirectory() as folder:
        failed = compare(program, paths, pathlib.Path(folder), "models")
        failed += compare(program, tests, pathlib.Path(folder), "operators")
        failed += compare(program, tests, pathlib.Path(folder), "values")
    return 1 if failed else 0


sys.exit(main())
