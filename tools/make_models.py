#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small ONNX models of real architectures, with seeded weights. The same command gives the
same bytes everywhere; nothing but Python's standard library is needed.

    make_models.py cnn -o cnn.onnx               convolutions, batch norm, a residual block; 32x32
    make_models.py cnn-qdq --activations i8 ...  the same, quantised: QuantizeLinear pairs
    make_models.py mobilenet -o m.onnx           depthwise separable blocks, ReLU6; 64x64
    make_models.py transformer -o t.onnx         one block: attention, layer norm, GELU by Erf
    make_models.py gemm --m 64 --k 32 --n 16 --dtype bf16 -o g.onnx
    make_models.py chain --nodes 10000 -o c.onnx for measuring: one node after another
    make_models.py all FOLDER                    one of each, as examples"""
import argparse
import array
import math
import pathlib
import random
import struct
import sys

OPSET, IR_VERSION = 13, 7
DATA_TYPES = {"f32": 1, "u8": 2, "i8": 3, "i32": 6, "i64": 7, "f16": 10, "f64": 11, "bf16": 16}
INTEGERS = {"u8": "B", "i8": "b", "i32": "i", "i64": "q"}
EXTERNAL_BYTES_MIN = 64  # smaller tensors stay in the model
PIECE_BYTES = 1 << 20


# ---- protobuf ----

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    """AttributeProto: an integer, a real, text or a list of integers."""
    body = data(1, name)
    if isinstance(value, float):
        body += varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    elif isinstance(value, int):
        body += number(3, value) + number(20, 2)
    elif isinstance(value, str):
        body += data(4, value) + number(20, 3)
    else:
        body += b"".join(number(8, item) for item in value) + number(20, 7)
    return body


def value_info(name, dtype, dims):
    """ValueInfoProto; a dimension that is text is symbolic."""
    shape = b"".join(data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return data(1, name) + data(2, data(1, number(1, DATA_TYPES[dtype]) + data(2, shape)))


# ---- values ----

def little_endian(values):
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def to_bytes(dtype, values):
    if dtype in INTEGERS:
        return little_endian(array.array(INTEGERS[dtype], values))
    if dtype == "f16":
        return b"".join(struct.pack("<e", value) for value in values)
    if dtype == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return little_endian(array.array("d" if dtype == "f64" else "f", values))


class Model:
    """A graph that grows node by node; `at` is the tensor that came last."""

    def __init__(self, name, args):
        self.name, self.args = name, args
        self.random = random.Random(args.seed)
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.external = bytearray()
        self.at = None

    def input(self, name, dtype, dims):
        self.inputs.append(value_info(name, dtype, dims))
        self.at = name
        return name

    def output(self, dtype, dims, name=None):
        self.outputs.append(value_info(name or self.at, dtype, dims))

    def raw(self, name, dtype, dims, content):
        """An initializer of given bytes."""
        body = b"".join(number(1, d) for d in dims) + number(2, DATA_TYPES[dtype]) + data(8, name)
        if self.args.weights == "inline" or len(content) < EXTERNAL_BYTES_MIN:
            body += data(9, content)
        else:
            place = {"location": self.name + ".weights", "offset": str(len(self.external)),
                     "length": str(len(content))}
            body += b"".join(data(13, data(1, k) + data(2, v)) for k, v in place.items())
            body += number(14, 1)
            self.external += content
        self.initializers.append(body)
        return name

    def constant(self, name, dtype, dims, values):
        return self.raw(name, dtype, dims, to_bytes(dtype, values))

    def random_bytes(self, count):
        """In pieces, since Python has a limit."""
        return b"".join(self.random.randbytes(min(PIECE_BYTES, count - start))
                        for start in range(0, count, PIECE_BYTES))

    def uniform(self, count, limit):
        """Reals between -limit and limit."""
        words = array.array("h", self.random_bytes(2 * count))
        if sys.byteorder == "big":
            words.byteswap()
        return [word * (limit / 32768) for word in words]

    def weights(self, name, dims, fan_in, dtype="f32"):
        return self.constant(name, dtype, dims,
                             self.uniform(math.prod(dims), math.sqrt(3 / fan_in)))

    def node(self, op, name, inputs, outputs=None, **attributes):
        """Adds a node and returns its (first) output."""
        outputs = outputs or [name + "_out"]
        self.nodes.append(b"".join(data(1, i) for i in inputs) +
                          b"".join(data(2, o) for o in outputs) + data(3, name) + data(4, op) +
                          b"".join(data(5, attribute(*item)) for item in attributes.items()))
        self.at = outputs[0]
        return self.at

    def bytes(self):
        graph = (b"".join(data(1, n) for n in self.nodes) + data(2, self.name) +
                 b"".join(data(5, i) for i in self.initializers) +
                 b"".join(data(11, i) for i in self.inputs) +
                 b"".join(data(12, o) for o in self.outputs))
        return (number(1, IR_VERSION) + data(2, "tacho make_models") + data(7, graph) +
                data(8, data(1, "") + number(2, OPSET)))

    def write(self, path):
        path.write_bytes(self.bytes())
        if self.args.weights == "external":
            (path.parent / (self.name + ".weights")).write_bytes(bytes(self.external))


# ---- networks of convolutions ----

def convolution(model, name, channels, size=3, stride=1, groups=1, norm=True):
    """Convolution, with batch norm or a bias."""
    inputs, outputs = channels
    fan_in = inputs // groups * size * size
    operands = [model.at, model.weights(name + ".weight", [outputs, inputs // groups, size, size],
                                        fan_in)]
    if not norm:
        operands.append(model.weights(name + ".bias", [outputs], fan_in))
    pad = size // 2
    model.node("Conv", name, operands, dilations=[1, 1], group=groups, kernel_shape=[size, size],
               pads=[pad] * 4, strides=[stride, stride])
    if norm:
        count = outputs
        parameters = [
            model.constant(f"{name}.bn.{what}", "f32", [count],
                           [base + value for value in model.uniform(count, 0.25)])
            for what, base in (("scale", 1.0), ("bias", 0.0), ("mean", 0.0), ("var", 1.0))]
        model.node("BatchNormalization", name + ".bn", [model.at] + parameters, epsilon=1e-5)
    return model.at


def classifier(model, channels, classes):
    model.node("GlobalAveragePool", "pool", [model.at])
    model.node("Flatten", "flatten", [model.at], axis=1)
    weight = model.weights("fc.weight", [classes, channels], channels)
    bias = model.weights("fc.bias", [classes], channels)
    model.node("Gemm", "fc", [model.at, weight, bias], transB=1)
    model.node("Softmax", "softmax", [model.at], ["probabilities"], axis=1)
    model.output("f32", [model.args.batch, classes])


def make_cnn(args):
    model = Model("cnn", args)
    model.input("image", "f32", [args.batch, 3, 32, 32])
    convolution(model, "conv1", (3, 16))
    model.node("Relu", "relu1", [model.at])
    convolution(model, "conv2", (16, 32))
    model.node("Relu", "relu2", [model.at])
    skip = model.node("MaxPool", "maxpool", [model.at], kernel_shape=[2, 2], strides=[2, 2])
    convolution(model, "conv3", (32, 32))
    model.node("Relu", "relu3", [model.at])
    convolution(model, "conv4", (32, 32))
    model.node("Add", "add", [model.at, skip])
    model.node("Relu", "relu4", [model.at])
    convolution(model, "conv5", (32, 64), stride=2)
    model.node("Relu", "relu5", [model.at])
    classifier(model, 64, 10)
    return model


def relu6(model, name):
    model.node("Clip", name, [model.at, "relu6.min", "relu6.max"])


def make_mobilenet(args):
    model = Model("mobilenet", args)
    model.constant("relu6.min", "f32", [], [0.0])
    model.constant("relu6.max", "f32", [], [6.0])
    model.input("image", "f32", [args.batch, 3, 64, 64])
    convolution(model, "stem", (3, 16), stride=2)
    relu6(model, "stem.relu6")
    inputs = 16
    for block, (outputs, expand, stride) in enumerate([(16, 1, 1), (24, 4, 2), (24, 4, 1),
                                                       (40, 4, 2), (40, 4, 1), (80, 4, 2)]):
        name, skip, wide = f"block{block}", model.at, inputs * expand
        if expand > 1:
            convolution(model, name + ".expand", (inputs, wide), size=1)
            relu6(model, name + ".expand.relu6")
        convolution(model, name + ".depthwise", (wide, wide), stride=stride, groups=wide)
        relu6(model, name + ".depthwise.relu6")
        convolution(model, name + ".project", (wide, outputs), size=1)
        if stride == 1 and inputs == outputs:
            model.node("Add", name + ".add", [model.at, skip])
        inputs = outputs
    convolution(model, "head", (inputs, 160), size=1)
    relu6(model, "head.relu6")
    classifier(model, 160, 100)
    return model


# ---- quantised ----

class Quantised:
    """What quantisation adds to a model: integers for reals, per tensor."""

    def __init__(self, model, activations):
        self.model, self.dtype = model, activations
        self.low = 0 if activations == "u8" else -128

    def pair(self, name, scale, is_positive=True):
        """QuantizeLinear and DequantizeLinear of the tensor that came last."""
        model = self.model
        zero = self.low if is_positive else self.low + 128
        parameters = [model.constant(name + ".scale", "f32", [], [scale]),
                      model.constant(name + ".zero", self.dtype, [], [zero])]
        model.node("QuantizeLinear", name + ".quantize", [model.at] + parameters)
        return model.node("DequantizeLinear", name + ".dequantize", [model.at] + parameters)

    def weights(self, name, dims, fan_in, scale_of_data):
        """Weights in i8 and a bias in i32 of the product's scale, each dequantised."""
        model = self.model
        limit = math.sqrt(3 / fan_in)
        scale = limit / 127
        steps = [round(value / scale) for value in model.uniform(math.prod(dims), limit)]
        weight = [model.constant(name + ".weight", "i8", dims, steps),
                  model.constant(name + ".weight.scale", "f32", [], [scale]),
                  model.constant(name + ".weight.zero", "i8", [], [0])]
        steps = [round(value) for value in model.uniform(dims[0], 1000)]
        bias = [model.constant(name + ".bias", "i32", [dims[0]], steps),
                model.constant(name + ".bias.scale", "f32", [], [scale * scale_of_data]),
                model.constant(name + ".bias.zero", "i32", [], [0])]
        at = model.at
        made = [model.node("DequantizeLinear", name + ".weight.dequantize", weight),
                model.node("DequantizeLinear", name + ".bias.dequantize", bias)]
        model.at = at
        return made

    def convolution(self, name, channels, scales, stride=1, has_relu=True):
        model, (inputs, outputs) = self.model, channels
        operands = self.weights(name, [outputs, inputs, 3, 3], 9 * inputs, scales[0])
        model.node("Conv", name, [model.at] + operands, dilations=[1, 1], group=1,
                   kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[stride, stride])
        if has_relu:
            model.node("Relu", name + ".relu", [model.at])
        return self.pair(name, scales[1], has_relu)


def make_cnn_qdq(args):
    model = Model("cnn_qdq_" + args.activations, args)
    quantised = Quantised(model, args.activations)
    model.input("image", "f32", [args.batch, 3, 32, 32])
    quantised.pair("image", 1 / 64, False)
    quantised.convolution("conv1", (3, 16), (1 / 64, 1 / 64))
    quantised.convolution("conv2", (16, 32), (1 / 64, 1 / 64))
    model.node("MaxPool", "maxpool", [model.at], kernel_shape=[2, 2], strides=[2, 2])
    skip = quantised.pair("maxpool", 1 / 64)
    quantised.convolution("conv3", (32, 32), (1 / 64, 1 / 64))
    quantised.convolution("conv4", (32, 32), (1 / 64, 1 / 32), has_relu=False)
    model.node("Add", "add", [model.at, skip])
    model.node("Relu", "relu4", [model.at])
    quantised.pair("add", 1 / 32)
    quantised.convolution("conv5", (32, 64), (1 / 32, 1 / 32), stride=2)
    model.node("GlobalAveragePool", "pool", [model.at])
    quantised.pair("pool", 1 / 64)
    model.node("Flatten", "flatten", [model.at], axis=1)
    operands = quantised.weights("fc", [10, 64], 64, 1 / 64)
    model.node("Gemm", "fc", [model.at] + operands, transB=1)
    quantised.pair("fc", 1 / 32, False)
    model.node("Softmax", "softmax", [model.at], ["probabilities"], axis=1)
    model.output("f32", [args.batch, 10])
    return model


# ---- a transformer's block ----

def scalar(model, name, value):
    return model.constant(name, "f32", [], [value])


def layer_norm(model, name, width):
    """Of the operators that exporters of before opset 17 write."""
    at = model.at
    mean = model.node("ReduceMean", name + ".mean", [at], axes=[-1], keepdims=1)
    centred = model.node("Sub", name + ".centre", [at, mean])
    model.node("Pow", name + ".square", [centred, scalar(model, name + ".two", 2.0)])
    model.node("ReduceMean", name + ".variance", [model.at], axes=[-1], keepdims=1)
    model.node("Add", name + ".epsilon", [model.at, scalar(model, name + ".tiny", 1e-5)])
    model.node("Sqrt", name + ".sqrt", [model.at])
    model.node("Div", name + ".divide", [centred, model.at])
    gain = [1 + value for value in model.uniform(width, 0.25)]
    model.node("Mul", name + ".scale", [model.at, model.constant(name + ".gain", "f32", [width],
                                                                gain)])
    return model.node("Add", name + ".shift", [model.at, model.weights(name + ".bias", [width],
                                                                      width)])


def dense(model, name, source, inputs, outputs):
    model.node("MatMul", name, [source, model.weights(name + ".weight", [inputs, outputs], inputs)])
    return model.node("Add", name + ".add", [model.at, model.weights(name + ".bias", [outputs],
                                                                    inputs)])


def split_heads(model, name, args, perm):
    shape = model.constant(name + ".heads", "i64", [4], [0, 0, args.heads, args.width // args.heads])
    model.node("Reshape", name + ".split", [model.at, shape])
    return model.node("Transpose", name + ".transpose", [model.at], perm=perm)


def gelu(model, name):
    at = model.at
    model.node("Div", name + ".divide", [at, scalar(model, name + ".sqrt2", math.sqrt(2))])
    model.node("Erf", name + ".erf", [model.at])
    model.node("Add", name + ".add", [model.at, scalar(model, name + ".one", 1.0)])
    model.node("Mul", name + ".mul", [at, model.at])
    return model.node("Mul", name + ".half", [model.at, scalar(model, name + ".point5", 0.5)])


def make_transformer(args):
    model, width = Model("transformer", args), args.width
    start = model.input("tokens", "f32", [args.batch, args.sequence, width])
    normed = layer_norm(model, "norm1", width)
    heads = {}
    for which, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        dense(model, which, normed, width, width)
        heads[which] = split_heads(model, which, args, perm)
    model.node("MatMul", "scores", [heads["query"], heads["key"]])
    model.node("Mul", "scores.scale", [model.at, scalar(model, "scores.factor",
                                                        1 / math.sqrt(width // args.heads))])
    model.node("Softmax", "softmax", [model.at], axis=-1)
    model.node("MatMul", "context", [model.at, heads["value"]])
    model.node("Transpose", "context.transpose", [model.at], perm=[0, 2, 1, 3])
    model.node("Reshape", "context.join",
               [model.at, model.constant("context.shape", "i64", [3], [0, 0, width])])
    dense(model, "project", model.at, width, width)
    middle = model.node("Add", "residual1", [model.at, start])
    dense(model, "mlp1", layer_norm(model, "norm2", width), width, 4 * width)
    dense(model, "mlp2", gelu(model, "gelu"), 4 * width, width)
    model.node("Add", "residual2", [model.at, middle], ["result"])
    model.output("f32", [args.batch, args.sequence, width])
    return model


# ---- for measuring ----

def make_gemm(args):
    """A of m x k times B of k x n; integers give i32."""
    model = Model(f"gemm_{args.m}x{args.k}x{args.n}_{args.dtype}", args)
    model.input("a", args.dtype, [args.m, args.k])
    if not args.constant_b:
        model.input("b", args.dtype, [args.k, args.n])
    elif args.dtype in INTEGERS:
        model.raw("b", args.dtype, [args.k, args.n], model.random_bytes(args.k * args.n))
    else:
        model.weights("b", [args.k, args.n], args.k, args.dtype)
    is_integer = args.dtype in INTEGERS
    model.node("MatMulInteger" if is_integer else "MatMul", "gemm", ["a", "b"], ["c"])
    model.output("i32" if is_integer else args.dtype, [args.m, args.n])
    return model


def make_chain(args):
    model = Model(f"chain_{args.nodes}", args)
    model.input("x", "f32", [args.batch, args.width])
    model.weights("bias", [args.width], 3)
    for i in range(args.nodes):
        inputs = [model.at, "bias"] if i % 2 == 0 else [model.at]
        model.node("Add" if i % 2 == 0 else "Relu", f"node{i}", inputs)
    model.output("f32", [args.batch, args.width])
    return model


KINDS = {"cnn": make_cnn, "cnn-qdq": make_cnn_qdq, "mobilenet": make_mobilenet,
         "transformer": make_transformer, "gemm": make_gemm, "chain": make_chain}


def dimension(text):
    return int(text) if text.isdigit() else text


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for kind in KINDS:
        options = kinds.add_parser(kind)
        options.add_argument("-o", "--output", type=pathlib.Path, required=True)
        options.add_argument("--seed", type=int, default=1)
        options.add_argument("--weights", choices=["inline", "external", "absent"],
                             default="inline", help="where they are; absent: said to be in a file"
                                                    " that is not written")
        if kind != "gemm":
            options.add_argument("--batch", type=dimension, default=1,
                                 help="a number, or a name for a symbolic dimension")
        if kind == "cnn-qdq":
            options.add_argument("--activations", choices=["u8", "i8"], default="u8")
        if kind == "transformer":
            options.add_argument("--sequence", type=dimension, default=64)
            options.add_argument("--width", type=int, default=128)
            options.add_argument("--heads", type=int, default=4)
        if kind == "gemm":
            for name in ("m", "k", "n"):
                options.add_argument("--" + name, type=int, required=True)
            options.add_argument("--dtype", choices=["f32", "f64", "f16", "bf16", "i8", "u8"],
                                 default="f32")
            options.add_argument("--constant-b", action="store_true",
                                 help="B is a weight, not an input")
        if kind == "chain":
            options.add_argument("--nodes", type=int, default=10000)
            options.add_argument("--width", type=int, default=64)
    folder = kinds.add_parser("all")
    folder.add_argument("folder", type=pathlib.Path)
    return parser.parse_args(arguments)


EXAMPLES = ["cnn", "cnn-qdq", "cnn-qdq --activations i8", "mobilenet", "transformer",
            "gemm --m 256 --k 512 --n 128", "gemm --m 256 --k 512 --n 128 --dtype i8 --constant-b"]


def main():
    args = parse(sys.argv[1:])
    if args.kind != "all":
        KINDS[args.kind](args).write(args.output)
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    for example in EXAMPLES:
        made = parse(example.split() + ["-o", "unused"])
        model = KINDS[made.kind](made)
        model.write(args.folder / (model.name + ".onnx"))
        print(args.folder / (model.name + ".onnx"))


if __name__ == "__main__":
    main()
