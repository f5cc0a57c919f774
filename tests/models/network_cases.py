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


def add_all():
    add_empty()
