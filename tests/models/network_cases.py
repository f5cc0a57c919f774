# SPDX-License-Identifier: Apache-2.0
"""Small networks of several nodes, with results computed here by numpy: tensors without elements, control flow,
functions, and mistakes of exporters that are forgiven."""
import collections

import numpy as np
from onnx import TensorProto, helper, numpy_helper

Network = collections.namedtuple("Network", "name model given outputs tolerance")
NETWORKS = []
RANDOM = np.random.RandomState(11)
NODE = helper.make_node


def info(name, array, shape=None):
    kind = helper.mapping.NP_TYPE_TO_TENSOR_TYPE[np.asarray(array).dtype]
    return helper.make_tensor_value_info(name, kind, np.asarray(array).shape if shape is None else shape)


def network(name, nodes, given, outputs, *, constants=(), opset=17, shapes=None, functions=(), domains=(),
            tolerance=2e-6):
    """|given| and |outputs| are values by name, |constants| too; |shapes| replaces shapes that the file tells."""
    shapes = shapes or {}
    graph = helper.make_graph(nodes, name, [info(n, v, shapes.get(n)) for n, v in given.items()],
                              [info(n, v, shapes.get(n)) for n, v in outputs.items()],
                              [numpy_helper.from_array(np.asarray(v), n) for n, v in dict(constants).items()])
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))
    NETWORKS.append(Network(name, model, {n: np.asarray(v) for n, v in given.items()},
                            [np.asarray(v) for v in outputs.values()], tolerance))


def reals(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


# ---- tensors without elements ----

def add_empty():
    x, w = reals(4, 5), reals(5, 3)
    none = np.zeros((0, 5), np.float32)
    network("empty_slice", [NODE("Slice", ["x", "s", "e"], ["y"]), NODE("Relu", ["y"], ["z"]),
                            NODE("Concat", ["z", "x"], ["o"], axis=0)],
            {"x": x}, {"o": x, "z": none}, constants={"s": np.array([4]), "e": np.array([4])})
    network("empty_matmul", [NODE("MatMul", ["x", "w"], ["y"]), NODE("Add", ["y", "b"], ["o"])],
            {"x": none}, {"o": np.zeros((0, 3), np.float32)}, constants={"w": w, "b": reals(3)})
    network("empty_depth", [NODE("MatMul", ["x", "w"], ["o"])],
            {"x": np.zeros((2, 0), np.float32)}, {"o": np.zeros((2, 3), np.float32)},
            constants={"w": np.zeros((0, 3), np.float32)})
    network("empty_conv", [NODE("Conv", ["x", "w"], ["y"]), NODE("Relu", ["y"], ["o"])],
            {"x": np.zeros((0, 3, 8, 8), np.float32)}, {"o": np.zeros((0, 4, 6, 6), np.float32)},
            constants={"w": reals(4, 3, 3, 3)})
    network("empty_norm", [NODE("Gather", ["x", "i"], ["y"]), NODE("LayerNormalization", ["y", "w"], ["o"])],
            {"x": x}, {"o": none}, constants={"i": np.zeros(0, np.int64), "w": reals(5)})
    network("empty_sum", [NODE("ReduceSum", ["x", "a"], ["o"], keepdims=0)],
            {"x": np.zeros((2, 0), np.float32)}, {"o": np.zeros(2, np.float32)}, constants={"a": np.array([1])})
    network("empty_split", [NODE("Split", ["x", "n"], ["a", "b"], axis=0), NODE("Exp", ["a"], ["o"]),
                            NODE("Abs", ["b"], ["p"])],
            {"x": x}, {"o": none, "p": np.abs(x)}, constants={"n": np.array([0, 4])})
    network("empty_sequence", [NODE("LSTM", ["x", "w", "r"], ["o"], hidden_size=2)],
            {"x": np.zeros((0, 1, 3), np.float32)}, {"o": np.zeros((0, 1, 1, 2), np.float32)},
            constants={"w": reals(1, 8, 3), "r": reals(1, 8, 2)})


# ---- control flow ----

def body(name, nodes, inputs, outputs, constants=()):
    """A graph of an attribute; |inputs| and |outputs| are values that tell types and shapes."""
    return helper.make_graph(nodes, name, [info(n, v) for n, v in inputs.items()],
                             [info(n, v) for n, v in outputs.items()],
                             [numpy_helper.from_array(np.asarray(v), n) for n, v in dict(constants).items()])


def add_branches():
    x, w = reals(3, 4), reals(4, 4)
    then = body("then", [NODE("MatMul", ["x", "w"], ["t"]), NODE("Relu", ["t"], ["u"])], {}, {"u": x})
    other = body("other", [NODE("Neg", ["x"], ["u"])], {}, {"u": x})
    for flag in (True, False):
        made = np.maximum(x @ w, 0) if flag else -x
        network(f"if_{flag}", [NODE("If", ["c"], ["y"], then_branch=then, else_branch=other),
                               NODE("Abs", ["y"], ["o"])],
                {"c": np.array(flag), "x": x}, {"o": np.abs(made)}, constants={"w": w})
        network(f"if_one_{flag}", [NODE("Less", ["x", "zero"], ["l"]), NODE("ReduceMax", ["i"], ["m"], keepdims=0),
                                   NODE("Cast", ["l"], ["i"], to=TensorProto.INT32),
                                   NODE("Equal", ["m", "want"], ["c"]),
                                   NODE("If", ["c"], ["o"], then_branch=then, else_branch=other)],
                {"x": x}, {"o": np.maximum(x @ w, 0) if flag else -x},
                constants={"w": w, "zero": np.float32(0), "want": np.array([1 if flag else 7], np.int32)})
    inner = body("inner", [NODE("If", ["d"], ["u"], then_branch=then, else_branch=other)], {}, {"u": x})
    network("if_nested", [NODE("If", ["c"], ["o"], then_branch=inner, else_branch=other)],
            {"c": np.array([True]), "d": np.array(False), "x": x}, {"o": -x}, constants={"w": w})


def add_loops():
    x = reals(2, 3)
    true, i = np.array(True), np.array(0)
    step = body("step", [NODE("Identity", ["on"], ["go"]), NODE("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
                         NODE("Add", ["v", "f"], ["n"]), NODE("Mul", ["n", "n"], ["s"])],
                {"i": i, "on": true, "v": x}, {"go": true, "n": x, "s": x})
    v, kept = x.copy(), []
    for k in range(4):
        v = v + np.float32(k)
        kept.append(v * v)
    network("loop_counted", [NODE("Loop", ["m", "", "x"], ["o", "all"], body=step)],
            {"x": x}, {"o": v, "all": np.stack(kept)}, constants={"m": np.array(4)})
    # until the largest is above a bound, which is known only when it runs
    ending = body("ending", [NODE("Add", ["v", "one"], ["n"]), NODE("ReduceMax", ["n"], ["h"], keepdims=0),
                             NODE("Less", ["h", "bound"], ["go"])],
                  {"i": i, "on": true, "v": x}, {"go": true, "n": x}, {"one": np.float32(1)})
    for bound in (-100.0, 2.5, 5.5, 100.0):
        v = x.copy()
        for _ in range(8):
            v = v + np.float32(1)
            if not v.max() < bound:
                break
        network(f"loop_until_{bound}", [NODE("Loop", ["m", "c", "x"], ["o"], body=ending)],
                {"x": x, "bound": np.float32(bound)}, {"o": v}, constants={"m": np.array(8), "c": true})
    network("loop_not_begun", [NODE("Loop", ["m", "c", "x"], ["o"], body=ending)],
            {"x": x, "c": np.array(False), "bound": np.float32(9)}, {"o": x}, constants={"m": np.array(8)})
    growing = body("growing", [NODE("Concat", ["v", "v"], ["n"], axis=0), NODE("Less", ["i", "two"], ["go"])],
                   {"i": i, "on": true, "v": x}, {"go": true, "n": x}, {"two": np.array(2)})
    del growing.output[1].type.tensor_type.shape.dim[:]
    network("loop_growing", [NODE("Loop", ["", "", "x"], ["o"], body=growing)],
            {"x": x}, {"o": np.concatenate([x] * 8)})
    outer = body("outer", [NODE("Identity", ["on"], ["go"]), NODE("Loop", ["three", "", "v"], ["n"], body=step_only())],
                 {"i": i, "on": true, "v": x}, {"go": true, "n": x}, {"three": np.array(3)})
    network("loop_nested", [NODE("Loop", ["m", "", "x"], ["o"], body=outer)],
            {"x": x}, {"o": x + 18}, constants={"m": np.array(3)})


def step_only():
    """Adds the number of the step, counted from 1."""
    return body("inner", [NODE("Identity", ["on2"], ["go2"]), NODE("Cast", ["i2"], ["f2"], to=TensorProto.FLOAT),
                          NODE("Add", ["f2", "one2"], ["g2"]), NODE("Add", ["v2", "g2"], ["n2"])],
                {"i2": np.array(0), "on2": np.array(True), "v2": reals(2, 3)},
                {"go2": np.array(True), "n2": reals(2, 3)}, {"one2": np.float32(1)})


def add_scans():
    x, h, w = reals(5, 2, 3), reals(2, 3), reals(3, 3)
    step = body("step", [NODE("MatMul", ["s", "w"], ["p"]), NODE("Add", ["p", "e"], ["q"]),
                         NODE("Tanh", ["q"], ["n"]), NODE("Identity", ["n"], ["y"])],
                {"s": h, "e": h}, {"n": h, "y": h})
    states, s = [], h
    for e in x:
        s = np.tanh(s @ w + e)
        states.append(s)
    network("scan_cell", [NODE("Scan", ["h", "x"], ["last", "all"], body=step, num_scan_inputs=1)],
            {"h": h, "x": x}, {"last": s, "all": np.stack(states)}, constants={"w": w})
    states, s = [], h
    for e in x[::-1]:
        s = np.tanh(s @ w + e)
        states.append(s)
    network("scan_turned", [NODE("Scan", ["h", "x"], ["last", "all"], body=step, num_scan_inputs=1,
                                 scan_input_axes=[-1], scan_input_directions=[1], scan_output_axes=[1],
                                 scan_output_directions=[1])],
            {"h": h, "x": np.ascontiguousarray(x.transpose(1, 2, 0))},
            {"last": s, "all": np.stack(states[::-1], axis=1)}, constants={"w": w})


# ---- functions ----

def field(number, text):
    """A field that the onnx package here does not know."""
    return bytes([number << 3 | 2, len(text)]) + text


def extended(message, extra):
    made = type(message)()
    made.ParseFromString(message.SerializeToString() + extra)
    return made


def reference(node, name, to, kind):
    attribute = node.attribute.add()
    attribute.name, attribute.ref_attr_name, attribute.type = name, to, kind
    return node


def add_functions():
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    x, w = reals(3, 4), reals(4, 4)
    leaky = helper.make_function("my", "Leaky", ["v"], ["r"], [
        reference(NODE("LeakyRelu", ["v"], ["r"]), "alpha", "slope", 1)], opsets, ["slope"])
    dense = helper.make_function("my", "Dense", ["v", "m", "b"], ["r", "p"], [
        NODE("MatMul", ["v", "m"], ["p"]), NODE("Leaky", ["p"], ["r"], domain="my", slope=0.25)], opsets)
    product = (x @ w).astype(np.float32)
    network("function_nested", [NODE("Dense", ["x", "w"], ["y"], name="first", domain="my"),
                                NODE("Dense", ["y", "w", ""], ["", "o"], name="second", domain="my")],
            {"x": x}, {"o": np.where(product < 0, product * np.float32(0.25), product) @ w}, constants={"w": w},
            functions=[leaky, dense], domains=["my"])
    standard = helper.make_attribute("slope", 0.5).SerializeToString()
    network("function_default", [NODE("Leaky", ["x"], ["a"], domain="my"),
                                 NODE("Leaky", ["x"], ["b"], domain="my", slope=0.125), NODE("Sub", ["a", "b"], ["o"])],
            {"x": x}, {"o": np.where(x < 0, x * np.float32(0.375), 0)},
            functions=[extended(leaky, field(11, standard))], domains=["my"])
    negative = helper.make_function("my", "Leaky", ["v"], ["r"], [NODE("Neg", ["v"], ["r"])], opsets)
    network("function_overload", [extended(NODE("Leaky", ["x"], ["o"], domain="my"), field(8, b"second"))],
            {"x": x}, {"o": -x}, functions=[leaky, extended(negative, field(13, b"second"))], domains=["my"])
    old = helper.make_function("my", "Cut", ["v"], ["r"], [NODE("Slice", ["v"], ["r"], starts=[1], ends=[3])],
                               [helper.make_opsetid("", 9)])
    network("function_opset", [NODE("Cut", ["x"], ["o"], domain="my")], {"x": x}, {"o": x[1:3]}, functions=[old],
            domains=["my"])
    choice = helper.make_function("my", "Choice", ["v", "c"], ["r"], [
        NODE("If", ["c"], ["r"], then_branch=body("a", [reference(NODE("LeakyRelu", ["v"], ["t"]), "alpha", "slope", 1)],
                                                  {}, {"t": x}),
             else_branch=body("b", [NODE("Neg", ["v"], ["e"])], {}, {"e": x}))], opsets, ["slope"])
    network("function_if", [NODE("Choice", ["x", "c"], ["o"], domain="my", slope=0.25)],
            {"x": x, "c": np.array(True)}, {"o": np.where(x < 0, x * np.float32(0.25), x)}, functions=[choice],
            domains=["my"])


# ---- mistakes of exporters ----

def add_mistakes():
    x = reals(3, 4)
    network("wrong_shape", [NODE("Relu", ["x"], ["y"]), NODE("Transpose", ["y"], ["o"])],
            {"x": x}, {"o": np.maximum(x, 0).T}, shapes={"o": (7, 7)})
    network("made_twice", [NODE("Relu", ["x"], ["y"]), NODE("Neg", ["x"], ["y"]), NODE("Abs", ["y"], ["o"]),
                           NODE("Identity", ["y"], ["p"])],
            {"x": x}, {"o": np.abs(x), "p": -x})
    network("open_batch", [NODE("Relu", ["x"], ["o"])], {"x": x[:1]}, {"o": np.maximum(x[:1], 0)},
            shapes={"x": ("batch", 4), "o": ("batch", 4)})


def add_all():
    add_empty()
    add_branches()
    add_loops()
    add_scans()
    add_functions()
    add_mistakes()
