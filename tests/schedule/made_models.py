#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small networks whose schedules are hard: windows that overlap, products that are cut in depth,
lines that are longer than local memory, tensors that stay, tensors that are read twice.

    made_models.py DIR      writes them to DIR as MLIR, in TOSA and torch's import of ONNX
"""
import os
import sys


def _torch(dims, dtype):
    return f"!torch.vtensor<[{','.join(map(str, dims))}],{dtype}>"


def _tosa(dims, dtype):
    return f"tensor<{'x'.join([*map(str, dims), dtype])}>"


class Net:
    """A function under construction. Values are (name, dims, dtype)."""

    def __init__(self, spell):
        self.spell, self.lines, self.inputs, self.count = spell, [], [], 0

    def type_of(self, value):
        return self.spell(value[1], value[2])

    def given(self, dims, dtype):
        value = (f"%arg{len(self.inputs)}", dims, dtype)
        self.inputs.append(value)
        return value

    def _new(self, dims, dtype):
        self.count += 1
        return f"%v{self.count}", dims, dtype

    def constant(self, dims, dtype, splat):
        value = self._new(dims, dtype)
        dense = f"dense<{splat}> : {_tosa(dims, dtype)}"
        if self.spell is _torch:
            text = (f'torch.operator "onnx.Constant"() {{torch.onnx.value = {dense}}} : () -> '
                    f"{self.type_of(value)}")
        else:
            text = f'"tosa.const"() <{{values = {dense}}}> : () -> {self.type_of(value)}'
        self.lines.append(f"{value[0]} = {text}")
        return value

    def op(self, name, operands, dims, dtype, attrs=""):
        value = self._new(dims, dtype)
        names = ", ".join(operand[0] for operand in operands)
        types = ", ".join(self.type_of(operand) for operand in operands)
        braces = f" {{{attrs}}}" if attrs else ""
        call = (f'torch.operator "onnx.{name}"({names})' if self.spell is _torch
                else f"tosa.{name} {names}")
        self.lines.append(f"{value[0]} = {call}{braces} : ({types}) -> {self.type_of(value)}")
        return value

    def text(self, *results):
        inputs = ", ".join(f"{value[0]}: {self.type_of(value)}" for value in self.inputs)
        types = ", ".join(map(self.type_of, results))
        opset = " attributes {torch.onnx_meta.opset_version = 17 : si64}"
        head = f"func.func @main({inputs}) -> ({types}){opset if self.spell is _torch else ''} {{"
        names = ", ".join(value[0] for value in results)
        body = "\n".join("    " + line for line in self.lines)
        return f"module {{\n  {head}\n{body}\n    return {names} : {types}\n  }}\n}}\n"


def _list(name, values):
    items = ", ".join(f"{value} : si64" for value in values)
    return f"torch.onnx.{name} = [{items}]"


def _window(kernel, stride, pad, group=None):
    attrs = [_list("kernel_shape", [kernel] * 2), _list("strides", [stride] * 2),
             _list("pads", [pad] * 4)]
    return ", ".join(attrs + ([f"torch.onnx.group = {group} : si64"] if group else []))


def _conv(net, x, channels, kernel, stride=1, group=None):
    n, c, h, w = x[1]
    pad = kernel // 2
    weights = net.constant([channels, c // (group or 1), kernel, kernel], x[2], "5.0e-01")
    out = [n, channels, (h + 2 * pad - kernel) // stride + 1, (w + 2 * pad - kernel) // stride + 1]
    return net.op("Conv", [x, weights], out, x[2], _window(kernel, stride, pad, group))


def conv_rows():
    net = Net(_torch)
    x = _conv(net, net.given([1, 16, 96, 96], "f32"), 24, 3)
    return net.text(net.op("Relu", [x], x[1], "f32"))


def conv_chain():
    """Strides, a residual that has to wait, pointwise and depth-wise convolutions."""
    net = Net(_torch)
    x = net.given([1, 8, 64, 64], "f32")
    y = _conv(net, x, 32, 5, 2)
    z = _conv(net, _conv(net, y, 32, 3, 1, 32), 32, 1)
    total = net.op("Add", [z, y], z[1], "f32")
    return net.text(_conv(net, total, 64, 7, 3))


def conv_strided():
    """Windows that leave elements out: a stride longer than the kernel."""
    net = Net(_torch)
    return net.text(_conv(net, net.given([1, 16, 96, 96], "f32"), 16, 1, 3))


def conv_wide():
    """Weights larger than local memory."""
    net = Net(_torch)
    return net.text(_conv(net, net.given([1, 256, 14, 14], "f32"), 512, 3))


def pools():
    net = Net(_torch)
    x = net.given([1, 32, 112, 112], "f32")
    y = net.op("MaxPool", [x], [1, 32, 56, 56], "f32", _window(3, 2, 1))
    z = net.op("AveragePool", [y], [1, 32, 55, 55], "f32", _window(2, 1, 0))
    return net.text(net.op("GlobalAveragePool", [z], [1, 32, 1, 1], "f32"))


def matmul_deep():
    """The depth of the product is cut: partial sums."""
    net = Net(_torch)
    a, b = net.given([96, 8192], "f32"), net.given([8192, 80], "f32")
    return net.text(net.op("MatMul", [a, b], [96, 80], "f32"))


def matmul_fits():
    net = Net(_torch)
    a = net.given([1, 64, 128], "f32")
    b = net.constant([128, 96], "f32", "2.5e-01")
    return net.text(net.op("MatMul", [a, b], [1, 64, 96], "f32"))


def attention():
    net = Net(_torch)
    q, k = net.given([1, 4, 64, 32], "f32"), net.given([1, 4, 32, 64], "f32")
    v = net.given([1, 4, 64, 32], "f32")
    scores = net.op("MatMul", [q, k], [1, 4, 64, 64], "f32")
    shares = net.op("Softmax", [scores], scores[1], "f32", "torch.onnx.axis = -1 : si64")
    return net.text(net.op("MatMul", [shares, v], [1, 4, 64, 32], "f32"))


def softmax_long():
    """A line that local memory does not hold: it is read twice."""
    net = Net(_torch)
    x = net.given([2, 400000], "f32")
    return net.text(net.op("Softmax", [x], x[1], "f32", "torch.onnx.axis = -1 : si64"))


def softmax_rows():
    net = Net(_torch)
    x = net.given([512, 1000], "f32")
    return net.text(net.op("Softmax", [x], x[1], "f32", "torch.onnx.axis = -1 : si64"))


def instance_norm():
    net = Net(_torch)
    x = net.given([1, 1, 359712], "f32")
    one, zero = net.constant([1], "f32", "1.0"), net.constant([1], "f32", "0.0")
    return net.text(net.op("InstanceNormalization", [x, one, zero], x[1], "f32",
                           "torch.onnx.epsilon = 9.99999974E-6 : f32"))


def layer_norm_odd():
    """Lines whose number no power of two divides: they fit, and come once."""
    net = Net(_torch)
    x = net.given([1000, 1537], "f32")
    scale, bias = (net.constant([1537], "f32", splat) for splat in ("1.0", "0.5"))
    return net.text(net.op("LayerNormalization", [x, scale, bias], x[1], "f32",
                           "torch.onnx.axis = -1 : si64"))


def conversions():
    """Between types of different widths."""
    net = Net(_torch)
    x = net.given([64, 2048], "si32")
    y = net.op("Cast", [x], x[1], "f32", "torch.onnx.to = 1 : si64")
    return net.text(net.op("Sqrt", [y], y[1], "f32"), y)


def layer_norm():
    net = Net(_torch)
    x = net.given([1, 300, 768], "f32")
    scale, bias = net.constant([768], "f32", "1.0"), net.constant([768], "f32", "0.0")
    return net.text(net.op("LayerNormalization", [x, scale, bias], x[1], "f32",
                           "torch.onnx.axis = -1 : si64"))


def layer_norm_statistics():
    """Results that are smaller than the first: a mean for each line."""
    net = Net(_torch)
    x = net.given([6, 40, 64], "f32")
    scale, bias = net.constant([64], "f32", "1.0"), net.constant([64], "f32", "0.0")
    line, mean = net._new(x[1], "f32"), ("%v3#1", [6, 40, 1], "f32")
    types = ", ".join(map(net.type_of, (x, scale, bias)))
    net.lines.append(f'{line[0]}:2 = torch.operator "onnx.LayerNormalization"({x[0]}, {scale[0]}, '
                     f"{bias[0]}) {{torch.onnx.axis = -1 : si64}} : ({types}) -> "
                     f"({net.type_of(x)}, {net.type_of(mean)})")
    return net.text((line[0] + "#0", x[1], "f32"), mean)


def dropout_mask():
    """What moves, and beside it a result of another type that no operand has."""
    net = Net(_torch)
    x = net.given([8, 300], "f32")
    y, mask = net._new(x[1], "f32"), ("%v1#1", x[1], "i1")
    net.lines.append(f'{y[0]}:2 = torch.operator "onnx.Dropout"({x[0]}) : ({net.type_of(x)}) -> '
                     f"({net.type_of(y)}, {net.type_of(mask)})")
    return net.text((y[0] + "#0", x[1], "f32"), mask)


def nothing():
    """An operator without elements, before one that has some."""
    net = Net(_tosa)
    x, y = net.given([0, 3], "f32"), net.given([2, 3], "f32")
    return net.text(net.op("abs", [x], x[1], "f32"), net.op("abs", [y], y[1], "f32"))


def reduce_long():
    net = Net(_tosa)
    x = net.given([3, 500000], "f32")
    return net.text(net.op("reduce_max", [x], [3, 1], "f32", "axis = 1 : i32"))


def elementwise():
    """Operands that are broadcast, a cast that changes the type, a result used twice."""
    net = Net(_tosa)
    x, y = net.given([1, 64, 64, 32], "i8"), net.given([1, 1, 1, 32], "i8")
    wide = net.op("cast", [x], x[1], "i32")
    other = net.op("cast", [y], y[1], "i32")
    total = net.op("add", [wide, other], x[1], "i32")
    return net.text(total, net.op("maximum", [total, wide], x[1], "i32"))


def moves():
    net = Net(_tosa)
    x = net.given([1, 48, 64, 32], "i8")
    turned = net.op("transpose", [x], [1, 64, 48, 32], "i8", "perms = array<i32: 0, 2, 1, 3>")
    y = net.given([1, 64, 16, 32], "i8")
    return net.text(net.op("concat", [turned, y], [1, 64, 64, 32], "i8", "axis = 2 : i32"))


def _ints(net, values):
    """A constant list of i64."""
    value = net.constant([len(values)], "i64", "[" + ", ".join(map(str, values)) + "]")
    return (value[0], value[1], "si64")


def picks():
    """Boxes out of tensors and into larger ones, elements that are repeated, rows by indices."""
    net = Net(_torch)
    x, rows = net.given([1, 16, 80, 64], "f32"), net.given([1, 300], "si64")
    part = net.op("Slice", [x, _ints(net, [0, 3]), _ints(net, [16, 80]), _ints(net, [1, 2]),
                            _ints(net, [1, 2])], [1, 16, 39, 64], "f32")
    wide = net.op("Pad", [part, _ints(net, [0, 0, 2, 1, 0, 0, 3, 4])], [1, 16, 44, 69], "f32")
    one = net.op("Slice", [wide, _ints(net, [7]), _ints(net, [8]), _ints(net, [2])],
                 [1, 16, 1, 69], "f32")
    many = net.op("Expand", [one, _ints(net, [1, 16, 30, 69])], [1, 16, 30, 69], "f32")
    table = net.constant([5000, 96], "f32", "5.0e-01")
    found = net.op("Gather", [table, rows], [1, 300, 96], "f32")
    return net.text(wide, many, net.op("Relu", [found], found[1], "f32"))


def joins():
    """Tensors that stay and tensors that come, joined and taken apart along every dimension."""
    net = Net(_torch)
    x, y = net.given([1, 8, 32, 2], "f32"), net.given([1, 8, 32, 1], "f32")
    stays = net.op("Relu", [x], x[1], "f32")
    axis = "torch.onnx.axis = {} : si64"
    last = net.op("Concat", [stays, y], [1, 8, 32, 3], "f32", axis.format(3))
    tall = net.op("Concat", [last, last], [1, 16, 32, 3], "f32", axis.format(1))
    return net.text(net.op("Relu", [tall], tall[1], "f32"), net.op("Exp", [last], last[1], "f32"))


def joins_one():
    """Cores cut what stays, and a row of one is joined to it."""
    net = Net(_torch)
    x, row = net.given([1, 16, 64], "f32"), net.given([1, 1, 64], "f32")
    stays = net.op("Relu", [x], x[1], "f32")
    whole = net.op("Concat", [row, stays], [1, 17, 64], "f32", "torch.onnx.axis = 1 : si64")
    return net.text(net.op("Relu", [whole], whole[1], "f32"))


def quantise_dynamic():
    """No element is quantised before the scale is made of all of them."""
    net = Net(_torch)
    x = net.given([1500, 2000], "f32")
    types = [_torch(x[1], "ui8"), _torch([], "f32"), _torch([], "ui8")]
    net.lines.append(f'%q:3 = torch.operator "onnx.DynamicQuantizeLinear"({x[0]}) : '
                     f"({net.type_of(x)}) -> ({', '.join(types)})")
    return net.text(("%q#0", x[1], "ui8"), ("%q#1", [], "f32"), ("%q#2", [], "ui8"))


def quantise_by_result():
    """A scale that another operator makes, and one that is constant and read elsewhere."""
    net = Net(_torch)
    x = net.given([40, 100], "f32")
    fixed = net.constant([], "f32", "2.5e-01")
    most = net.op("ReduceMax", [x], [], "f32", "torch.onnx.keepdims = 0 : si64")
    scale = net.op("Mul", [most, fixed], [], "f32")
    one = net.op("QuantizeLinear", [x, scale], x[1], "ui8")
    other = net.op("QuantizeLinear", [x, fixed], x[1], "ui8")
    return net.text(one, other, net.op("Add", [x, fixed], x[1], "f32"))


def shares_odd():
    """Rows that cores cannot share evenly: some have two tiles, and some have one."""
    net = Net(_torch)
    x, y = net.given([19, 4096], "f32"), net.given([19, 4096], "f32")
    return net.text(net.op("Mul", [x, y], x[1], "f32"))


def _recurrent(kind, gates, steps, samples, data, units, direction="forward"):
    net = Net(_torch)
    count = 2 if direction == "bidirectional" else 1
    x = net.given([steps, samples, data], "f32")
    w = net.constant([count, gates * units, data], "f32", "5.0e-01")
    r = net.constant([count, gates * units, units], "f32", "2.5e-01")
    b = net.constant([count, 2 * gates * units], "f32", "1.0e-01")
    return net.text(net.op(kind, [x, w, r, b], [steps, count, samples, units], "f32",
                           f"torch.onnx.hidden_size = {units} : si64, "
                           f'torch.onnx.direction = "{direction}"'))


def lstm():
    return _recurrent("LSTM", 4, 6, 3, 40, 24)


def lstm_one_unit():
    """An axis of one element that stands for four gates."""
    return _recurrent("LSTM", 4, 2, 1, 16, 1)


def lstm_reverse():
    """From the last step to the first; nothing in shared memory is cast to a second core."""
    return _recurrent("LSTM", 4, 5, 2, 24, 16, "reverse")


def gru_both():
    """The directions meet in the middle of the data."""
    return _recurrent("GRU", 3, 6, 2, 40, 24, "bidirectional")


def rnn_both_long():
    """Data that does not fit local memory, from both ends."""
    return _recurrent("RNN", 1, 40, 16, 600, 8, "bidirectional")


def gru_large():
    """Weights that local memory does not hold: they come again with every step."""
    return _recurrent("GRU", 3, 3, 1, 256, 400)


def rnn():
    return _recurrent("RNN", 1, 5, 2, 16, 9)


def gru_one_step():
    return _recurrent("GRU", 3, 1, 7, 24, 20)


def matmul_wide_results():
    """Results of 32 bits leave an engine more slowly than those of 8."""
    net = Net(_tosa)
    a, b = net.given([1, 40, 4], "i8"), net.given([1, 4, 56], "i8")
    zero = net.constant([1], "i8", "0")
    return net.text(net.op("matmul", [a, b, zero, zero], [1, 40, 56], "i32"))


def deconvolution():
    """Far more results than products of rows: a piece may have results and no products."""
    net = Net(_torch)
    x = net.given([1, 40, 2, 2], "f32")
    weights = net.constant([40, 30, 8, 8], "f32", "5.0e-01")
    return net.text(net.op("ConvTranspose", [x, weights], [1, 30, 16, 16], "f32",
                           _list("strides", [8, 8]) + ", " + _list("kernel_shape", [8, 8])))


def depthwise_multiplied():
    """Several results of each channel."""
    net = Net(_tosa)
    x = net.given([1, 30, 30, 150], "i8")
    weights = net.constant([5, 5, 150, 3], "i8", "3")
    bias, zero = net.constant([450], "i32", "0"), net.constant([1], "i8", "0")
    return net.text(net.op(
        "depthwise_conv2d", [x, weights, bias, zero, zero], [1, 30, 30, 450], "i32",
        "acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 2, 2, 2, 2>, "
        "stride = array<i64: 1, 1>"))


def depthwise_rescaled():
    net = Net(_tosa)
    x = net.given([1, 21, 21, 576], "i8")
    weights = net.constant([3, 3, 576, 1], "i8", "3")
    bias, zero = net.constant([576], "i32", "0"), net.constant([1], "i8", "0")
    y = net.op("depthwise_conv2d", [x, weights, bias, zero, zero], [1, 10, 10, 576], "i32",
               "acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, "
               "stride = array<i64: 2, 2>")
    scale = net.constant([576], "i32", "1073741824")
    shift = net.constant([576], "i8", "41")
    zero32 = net.constant([1], "i32", "0")
    attrs = ("input_unsigned = false, output_unsigned = false, per_channel = true, "
             "rounding_mode = DOUBLE_ROUND, scale32 = true")
    return net.text(net.op("rescale", [y, scale, shift, zero32, zero], y[1], "i8", attrs))


MODELS = {function.__name__: function for function in (
    conv_rows, conv_chain, conv_strided, conv_wide, pools, matmul_deep, matmul_fits, attention,
    softmax_long, softmax_rows, instance_norm, layer_norm, layer_norm_odd,
    layer_norm_statistics, conversions, dropout_mask, nothing, reduce_long, elementwise, moves,
    picks, joins, joins_one, shares_odd, quantise_dynamic, quantise_by_result, lstm,
    lstm_one_unit, lstm_reverse, gru_both, rnn_both_long, gru_large, gru_one_step, rnn,
    matmul_wide_results, deconvolution, depthwise_multiplied, depthwise_rescaled)}


def write_all(folder):
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, make in MODELS.items():
        paths.append(os.path.join(folder, name + ".mlir"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(make())
    return paths


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(*write_all(sys.argv[1]), sep="\n")
