# SPDX-License-Identifier: Apache-2.0
"""Which part of its operands an operator needs for a part of its result.

A part is a box: [(first, behind last)] per dimension. The rules are written from the operators'
definitions (ONNX, TOSA), not from the compiler. An operator without a rule gives None for an
operand: nothing is known, and nothing is asked for.
"""


def whole(dims):
    return [(0, d) for d in dims]


def size(box):
    count = 1
    for low, high in box:
        count *= max(0, high - low)
    return count


def union(one, other):
    """The smallest box around two; None: unknown."""
    if one is None or other is None:
        return None
    if size(one) == 0 or size(other) == 0:
        return one if size(other) == 0 else other
    return [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other)]


def contains(outer, inner):
    return all(a <= c and d <= b for (a, b), (c, d) in zip(outer, inner))


def _broadcast(box, dims):
    """The part of an operand of |dims| that the elements of |box| read."""
    tail = box[len(box) - len(dims):] if len(dims) <= len(box) else None
    if tail is None:
        return whole(dims)
    return [(0, 1) if d == 1 else span for d, span in zip(dims, tail)]


def _elementwise(op, box):
    return [_broadcast(box, dims) if dims is not None else None for dims in op.operand_dims]


class _Window:
    """One spatial dimension of a convolution or pool."""

    def __init__(self, kernel, stride, dilation, before, extent):
        self.reach = (kernel - 1) * dilation + 1
        self.stride, self.before, self.extent = stride, before, extent

    def needs(self, span):
        low = span[0] * self.stride - self.before
        high = (span[1] - 1) * self.stride - self.before + self.reach
        low, high = max(0, low), min(self.extent, high)
        return (low, max(low, high))


def _onnx_windows(op, kernel, extents):
    rank = len(kernel)
    strides = op.attrs.get("strides") or [1] * rank
    dilations = op.attrs.get("dilations") or [1] * rank
    pads = op.attrs.get("pads") or [0] * (2 * rank)
    if op.attrs.get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
        pads = []
        for k, s, d, extent in zip(kernel, strides, dilations, extents):
            total = max(0, (-(-extent // s) - 1) * s + (k - 1) * d + 1 - extent)
            before = total // 2 if op.attrs["auto_pad"] == "SAME_UPPER" else -(-total // 2)
            pads.append(before)
        pads += pads
    return [_Window(*facts) for facts in zip(kernel, strides, dilations, pads, extents)]


def _conv(op, box):
    """NCHW and its like; groups as channels of the result say."""
    dims, weights = op.operand_dims[0], op.operand_dims[1]
    groups = op.attrs.get("group", 1)
    per_group_out, per_group_in = weights[0] // groups, weights[1]
    channels = box[1]
    first, last = channels[0] // per_group_out, (channels[1] - 1) // per_group_out
    windows = _onnx_windows(op, weights[2:], dims[2:])
    spatial = [w.needs(span) for w, span in zip(windows, box[2:])]
    needs = [[box[0], (first * per_group_in, (last + 1) * per_group_in), *spatial],
             [channels, *whole(weights[1:])]]
    return needs + [[channels] if d == [weights[0]] else None for d in op.operand_dims[2:]]


def _pool(op, box):
    dims = op.operand_dims[0]
    windows = _onnx_windows(op, op.attrs["kernel_shape"], dims[2:])
    return [[box[0], box[1], *(w.needs(span) for w, span in zip(windows, box[2:]))]]


def _global_pool(op, box):
    return [[box[0], box[1], *whole(op.operand_dims[0][2:])]]


def _tosa_windows(op, kernel, extents):
    pads = op.attrs.get("pad", [0, 0, 0, 0])
    strides = op.attrs.get("stride", [1, 1])
    dilations = op.attrs.get("dilation", [1, 1])
    return [_Window(k, s, d, p, e)
            for k, s, d, p, e in zip(kernel, strides, dilations, pads[::2], extents)]


def _tosa_conv(op, box):
    dims, weights = op.operand_dims[0], op.operand_dims[1]
    windows = _tosa_windows(op, weights[1:3], dims[1:3])
    spatial = [w.needs(span) for w, span in zip(windows, box[1:3])]
    bias = op.operand_dims[2]
    needs = [[box[0], *spatial, (0, dims[3])], [box[3], *whole(weights[1:])],
             [(0, 1) if bias == [1] else box[3]]]
    return needs + [None] * (len(op.operand_dims) - 3)


def _tosa_depthwise(op, box):
    dims, weights = op.operand_dims[0], op.operand_dims[1]
    windows = _tosa_windows(op, weights[0:2], dims[1:3])
    spatial = [w.needs(span) for w, span in zip(windows, box[1:3])]
    multiplier, out = weights[3], box[3]
    channels = (out[0] // multiplier, -(-out[1] // multiplier))
    first = channels[0] * multiplier
    of_each = (0, multiplier) if channels[1] - channels[0] > 1 else (out[0] - first, out[1] - first)
    bias = op.operand_dims[2]
    needs = [[box[0], *spatial, channels], [*whole(weights[:2]), channels, of_each],
             [(0, 1) if bias == [1] else out]]
    return needs + [None] * (len(op.operand_dims) - 3)


def _tosa_pool(op, box):
    dims = op.operand_dims[0]
    windows = _tosa_windows(op, op.attrs["kernel"], dims[1:3])
    spatial = [w.needs(span) for w, span in zip(windows, box[1:3])]
    return [[box[0], *spatial, box[3]]] + [None] * (len(op.operand_dims) - 1)


def _matmul(op, box):
    left, right = op.operand_dims[0], op.operand_dims[1]
    if len(left) < 2 or len(right) < 2:
        return [whole(left), whole(right)] + [None] * (len(op.operand_dims) - 2)
    rows = _broadcast(box[:-2], left[:-2]) + [box[-2], (0, left[-1])]
    columns = _broadcast(box[:-2], right[:-2]) + [(0, right[-2]), box[-1]]
    return [rows, columns] + [None] * (len(op.operand_dims) - 2)


def _gemm(op, box):
    left, right = op.operand_dims[0], op.operand_dims[1]
    a = [box[0], (0, left[0 if op.attrs.get("transA", 0) else 1])]
    b = [(0, right[1 if op.attrs.get("transB", 0) else 0]), box[1]]
    needs = [a[::-1] if op.attrs.get("transA", 0) else a,
             b[::-1] if op.attrs.get("transB", 0) else b]
    return needs + [_broadcast(box, dims) for dims in op.operand_dims[2:] if dims is not None]


def _along(op, box, first, behind):
    """All of the dimensions first..behind, for what is normalised over them."""
    needs = [list(box)]
    needs[0][first:behind] = whole(op.operand_dims[0][first:behind])
    return needs + [None] * (len(op.operand_dims) - 1)


def _softmax(op, box):
    rank = len(op.operand_dims[0])
    axis = op.attrs.get("axis", -1) % rank
    return _along(op, box, axis, axis + 1)


def _layer_norm(op, box):
    rank = len(op.operand_dims[0])
    return _along(op, box, op.attrs.get("axis", -1) % rank, rank)


def _instance_norm(op, box):
    return _along(op, box, 2, len(op.operand_dims[0]))


def _channel_wise(op, box):
    return [list(box)] + [[box[1]] for _ in op.operand_dims[1:]]


def _lrn(op, box):
    reach, channels = op.attrs.get("size", 1) // 2, op.operand_dims[0][1]
    needs = list(box)
    needs[1] = (max(0, box[1][0] - reach), min(channels, box[1][1] + reach))
    return [needs]


def _reduce(op, box):
    """Dimensions that become 1 (or vanish, where that is plain) are needed whole."""
    dims = op.operand_dims[0]
    rest = [None] * (len(op.operand_dims) - 1)
    if len(box) != len(dims):
        return [None] + rest
    return [[span if d == result else (0, d)
             for span, d, result in zip(box, dims, op.result_dims[0])]] + rest


def _transpose(op, box):
    perm = op.attrs.get("perm", op.attrs.get("perms"))
    if perm is None:
        perm = list(range(len(box)))[::-1]
    needs = [None] * len(box)
    for i, axis in enumerate(perm):
        needs[axis] = box[i]
    return [needs] + [None] * (len(op.operand_dims) - 1)


def _concat(op, box):
    axis, at, needs = op.attrs["axis"] % len(box), 0, []
    for dims in op.operand_dims:
        low, high = max(box[axis][0], at), min(box[axis][1], at + dims[axis])
        part = list(box)
        part[axis] = (low - at, max(low, high) - at)
        needs.append(part)
        at += dims[axis]
    return needs


def _same_flat(op, box):
    """Reshapes: the whole for the whole."""
    rest = [None] * (len(op.operand_dims) - 1)
    return [whole(op.operand_dims[0]) if box == whole(op.result_dims[0]) else None] + rest


def _quantize(op, box):
    dims, axis = op.operand_dims[0], op.attrs.get("axis", 1)
    needs = [list(box)]
    for other in op.operand_dims[1:]:
        if other is not None and len(other) == 1 and other[0] > 1:
            needs.append([box[axis % len(dims)]])
        else:  # One scale for all; of blocks, which have one each, nothing is asked.
            needs.append(whole(other) if other in ([], [1]) else None)
    return needs


def _recurrent(op, box):
    """All states of a step need the data of the steps before it, in the direction's order."""
    needs = [None] * len(op.operand_dims)
    if len(box) != 4 or op.operand_dims[0] is None:
        return needs
    first = 1 if op.attrs.get("layout", 0) else 0
    (low, high), (begin, end) = box[first], box[first + 1]
    data = whole(op.operand_dims[0])
    size = data[first][1]
    has_forward = op.attrs.get("direction", "forward") != "reverse" and begin == 0
    has_reverse = op.attrs.get("direction", "forward") != "forward" and \
        (end == 2 or op.attrs["direction"] == "reverse")
    data[first] = (0 if has_forward else low, size if has_reverse else high)
    data[1 - first] = box[0 if first else 2]  # samples have nothing to do with one another
    return [data] + needs[1:]


def _all_of_first(op, box):
    return [whole(op.operand_dims[0])] + [None] * (len(op.operand_dims) - 1)


def _skip_layer_norm(op, box):
    line = [*box[:-1], (0, op.operand_dims[0][-1])]
    return [line, line] + [None] * (len(op.operand_dims) - 2)


def _matmul_blocks(op, box):
    """Weights of four bits in blocks: a row of them for each column of the result."""
    needs = [[*box[:-1], (0, op.operand_dims[0][-1])], [box[-1], *whole(op.operand_dims[1][1:])]]
    return needs + [None] * (len(op.operand_dims) - 2)


def _first_only(op, box):
    return [list(box)] + [None] * (len(op.operand_dims) - 1)


_RULES = {
    "onnx.Conv": _conv, "onnx.ConvInteger": _conv, "onnx.MaxPool": _pool, "onnx.AveragePool": _pool,
    "onnx.GlobalAveragePool": _global_pool, "onnx.GlobalMaxPool": _global_pool,
    "onnx.MatMul": _matmul, "onnx.MatMulInteger": _matmul, "onnx.Gemm": _gemm,
    "onnx.Softmax": _softmax, "onnx.LogSoftmax": _softmax, "onnx.LayerNormalization": _layer_norm,
    "onnx.InstanceNormalization": _instance_norm, "onnx.BatchNormalization": _channel_wise,
    "onnx.LRN": _lrn, "onnx.Transpose": _transpose, "onnx.Concat": _concat,
    "onnx.Reshape": _same_flat, "onnx.Flatten": _same_flat, "onnx.Squeeze": _same_flat,
    "onnx.Unsqueeze": _same_flat, "onnx.QuantizeLinear": _quantize,
    "onnx.DequantizeLinear": _quantize, "onnx.Clip": _first_only, "onnx.Cast": _first_only,
    "onnx.LSTM": _recurrent, "onnx.GRU": _recurrent, "onnx.RNN": _recurrent,
    "onnx.Dropout": _first_only, "tosa.conv2d": _tosa_conv,
    "tosa.depthwise_conv2d": _tosa_depthwise, "tosa.max_pool2d": _tosa_pool,
    "tosa.avg_pool2d": _tosa_pool, "tosa.matmul": _matmul, "tosa.transpose": _transpose,
    "tosa.concat": _concat, "tosa.reshape": _same_flat, "tosa.rescale": _first_only,
    "tosa.clamp": _first_only, "tosa.cast": _first_only, "tosa.table": _first_only,
    "tosa.identity": _first_only, "onnx.DynamicQuantizeLinear": _all_of_first,
    "onnx.SimplifiedLayerNormalization": _layer_norm,
    "com.microsoft.SkipLayerNormalization": _skip_layer_norm,
    "com.microsoft.SkipSimplifiedLayerNormalization": _skip_layer_norm,
    "com.microsoft.MatMulNBits": _matmul_blocks,
}
_ELEMENTWISE = frozenset(
    ["onnx." + n for n in (
        "Add Sub Mul Div Pow Sum Max Min Mean Relu Sigmoid Tanh Erf Sqrt Neg Abs Reciprocal Exp Log "
        "Floor Ceil Equal Greater Less And Or Not Xor Where LeakyRelu Elu Selu HardSigmoid "
        "HardSwish Gelu Identity PRelu Softplus Sign Round Sin Cos Mod").split()] +
    ["tosa." + n for n in (
        "add sub abs negate clz ceil floor exp log reciprocal rsqrt sigmoid tanh maximum minimum "
        "bitwise_and bitwise_or bitwise_xor bitwise_not logical_and logical_or logical_xor "
        "logical_not logical_left_shift logical_right_shift equal greater greater_equal select "
        "pow erf cos sin").split()])


def known_types():
    return _ELEMENTWISE | set(_RULES)


def needed(op, box):
    """A box or None for each operand of |op|, for |box| of its first result."""
    if op.type in _ELEMENTWISE:
        return _elementwise(op, box)
    if op.type in ("tosa.mul", "tosa.arithmetic_right_shift"):
        return _elementwise(op, box)[:2] + [None] * (len(op.operand_dims) - 2)
    if op.type.startswith(("onnx.Reduce", "tosa.reduce_")):
        return _reduce(op, box)
    rule = _RULES.get(op.type)
    return rule(op, box) if rule else [None] * len(op.operand_dims)
