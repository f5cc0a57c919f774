# SPDX-License-Identifier: Apache-2.0
"""The network as the dump after fusing shows it: groups of the model's operators that run as one.

MACs, sizes and the parts of operands that a part of a result needs are worked out here from shapes
and attributes alone.
"""
import boxes
import mlir_text
from machine import dtype_of


class Node:
    """One operator of the model."""

    def __init__(self, op):
        self.type = op.name.removeprefix("model.")
        self.operands, self.results, self.attrs = op.operands, op.results, op.attrs
        operand_types = mlir_text.tensor_types(op.operand_types)
        result_types = mlir_text.tensor_types(op.result_types)
        self.operand_dims = [t[0] if t else None for t in operand_types]
        self.operand_dtypes = [dtype_of(t[1]) if t else None for t in operand_types]
        self.result_dims = [t[0] if t else None for t in result_types]
        self.result_dtypes = [dtype_of(t[1]) if t else None for t in result_types]

    def has_gaps(self):
        strides = self.attrs.get("strides") or self.attrs.get("stride") or []
        if self.type in ("onnx.Conv", "onnx.ConvInteger"):
            kernel = self.operand_dims[1][2:]
        elif self.type == "tosa.conv2d":
            kernel = self.operand_dims[1][1:3]
        elif self.type == "tosa.depthwise_conv2d":
            kernel = self.operand_dims[1][0:2]
        else:
            kernel = self.attrs.get("kernel_shape") or self.attrs.get("kernel") or strides
        return any(stride > extent for stride, extent in zip(strides, kernel))

    def macs(self):
        """Multiply-accumulates by definition; None where there is no rule here."""
        rule = _MACS.get(self.type)
        return rule(self) if rule else None


def _product(values):
    result = 1
    for value in values:
        result *= value
    return result


def _conv_macs(node):
    return _product(node.result_dims[0]) * _product(node.operand_dims[1][1:])


def _depthwise_macs(node):
    return _product(node.result_dims[0]) * _product(node.operand_dims[1][:2])


def _matmul_macs(node):
    return _product(node.result_dims[0]) * node.operand_dims[0][-1]


def _gemm_macs(node):
    inner = node.operand_dims[0][0 if node.attrs.get("transA", 0) else 1]
    return _product(node.result_dims[0]) * inner


def _fully_connected_macs(node):
    return _product(node.result_dims[0]) * node.operand_dims[1][1]


def _recurrent_macs(node):
    """Every step multiplies data and states with the weights of all gates."""
    steps = _product(node.operand_dims[0][:2])
    return steps * sum(_product(dims) for dims in node.operand_dims[1:3])


_MACS = {"onnx.LSTM": _recurrent_macs, "onnx.GRU": _recurrent_macs, "onnx.RNN": _recurrent_macs,
         "onnx.Conv": _conv_macs, "onnx.ConvInteger": _conv_macs, "tosa.conv2d": _conv_macs, "tosa.conv3d": _conv_macs,
         "tosa.depthwise_conv2d": _depthwise_macs, "onnx.MatMul": _matmul_macs,
         "onnx.MatMulInteger": _matmul_macs, "tosa.matmul": _matmul_macs, "onnx.Gemm": _gemm_macs,
         "tosa.fully_connected": _fully_connected_macs}


class Group:
    """What runs as one operator: its nodes, what it reads from outside and what it returns."""

    def __init__(self, index, op):
        self.index, self.is_integer = index, bool(op.attrs.get("is_integer", False))
        self.nodes = [Node(child) for child in op.regions if child.name.startswith("model.")]
        self.results = op.results
        returned = [child for child in op.regions if child.name == "flow.return"]
        self.returned = returned[0].operands if returned else []
        made = {name for node in self.nodes for name in node.results}
        self.operands, self.types = [], {}
        self.tensor_of = {}  # the program's number of a tensor, by name
        # Scales, axes, bounds ...; jobs are made with those that are constant.
        self.parameters = {name for node in self.nodes for name in node.operands[1:]
                           if node.type in _PARAMETERS}
        self.data = {name for node in self.nodes for name in
                     (node.operands[:1] if node.type in _PARAMETERS else node.operands)}
        for node in self.nodes:
            for name, dims, dtype in zip(node.operands, node.operand_dims, node.operand_dtypes):
                if name not in made and name not in self.types and dims is not None:
                    self.operands.append(name)
                    self.types[name] = (dims, dtype)
            for name, dims, dtype in zip(node.results, node.result_dims, node.result_dtypes):
                self.types[name] = (dims, dtype)

    def is_given(self, operand, tensor):
        """Whether jobs are made with an operand and do not read it."""
        return operand in self.parameters and tensor.storage == "constant"

    def macs(self):
        """(MACs, whether every node that multiplies is known)."""
        known = [(node.macs() or 0) for node in self.nodes if node.type in _MACS]
        return sum(known), all(n.type in _MACS or n.type in _NO_MACS for n in self.nodes)

    def has_gaps(self):
        """Whether a window steps over elements that no result needs."""
        return any(node.has_gaps() for node in self.nodes)

    def needed(self, result, box):
        """{operand: box, or None where that is not known} for |box| of |result|."""
        boxes_of = {result: box}
        for node in reversed(self.nodes):
            wanted = boxes_of.get(node.results[0]) if node.results else None
            if not node.results or node.results[0] not in boxes_of:
                continue
            asked = ([None] * len(node.operands) if wanted is None or None in node.result_dims[:1]
                     else boxes.needed(node, wanted))
            for name, part in zip(node.operands, asked):
                if name in boxes_of:
                    boxes_of[name] = boxes.union(boxes_of[name], part)
                else:
                    boxes_of[name] = part
        return {name: boxes_of[name] for name in self.operands if name in boxes_of}


# Types of nodes whose operands behind the first say how: scales, axes, pads, bounds, counts.
_PARAMETERS = {f"onnx.{name}" for name in (
    "QuantizeLinear", "DequantizeLinear", "CenterCropPad", "CumSum", "Expand", "Pad", "ReduceL1",
    "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
    "ReduceProd", "ReduceSum", "ReduceSumSquare", "Resize", "Slice", "Split", "Tile", "TopK",
    "Trilu", "Upsample")} | {f"tosa.{name}" for name in ("pad", "resize", "slice", "tile",
                                                         "transpose")}

# Types of nodes that are known not to multiply and accumulate. Contributed operators are costed by
# their bytes: nothing is said about their MACs.
_NO_MACS = boxes.known_types() - set(_MACS) - {"com.microsoft.MatMulNBits"}


def groups_of(root):
    """{operator: Group} of the dump after fusing."""
    groups = {}
    for op in root.walk():
        if op.name == "flow.dispatch.region" and "operator" in op.attrs:
            groups[op.attrs["operator"]] = Group(op.attrs["operator"], op)
    return groups
