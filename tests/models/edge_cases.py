# SPDX-License-Identifier: Apache-2.0
"""Cases for edge_values.py: for an operator and a type its inputs, attributes and what numpy gives.

A case is made by the function that is registered for the operator; None: the operator has no case
for that type. Operators without any are listed by the test."""
import dataclasses
import math

import numpy as np
from onnx import numpy_helper

from edge_types import TYPES, Elements, edges, from_reals

EXACT, ZERO, CLOSE = "exact", "either zero", "close"
I64 = TYPES["i64"]
CASES = {}


@dataclasses.dataclass
class Case:
    inputs: list  # Elements, or constants of the model: ("const", Elements); None is absent
    expected: list  # Elements
    how: str = EXACT
    attrs: dict = dataclasses.field(default_factory=dict)
    or_infinite: bool = False  # sums beyond the largest may be infinite, see docs/kernels.md
    lost: float = 0  # what fast kernels may be off, whatever the value


def case(*names):
    def register(make):
        for name in names:
            CASES[name] = make
        return make
    return register


def const(values, type_=I64):
    return ("const", Elements(type_, np.asarray(values, type_.storage)))


# ---- functions of one element ---------------------------------------------------------------

ERF = np.vectorize(math.erf, otypes=[np.float64])
F32 = lambda number: float(np.float32(number))  # attributes are f32


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(0, x)


UNARY = {
    "Abs": (np.abs, EXACT), "Ceil": (np.ceil, EXACT), "Floor": (np.floor, EXACT),
    "Neg": (np.negative, EXACT), "Reciprocal": (lambda x: 1 / x, EXACT), "Round": (np.rint, EXACT),
    "Sign": (np.sign, ZERO), "Sqrt": (np.sqrt, EXACT), "Identity": (lambda x: x, EXACT),
    "Dropout": (lambda x: x, EXACT), "Clip": (lambda x: x, EXACT),
    "Relu": (lambda x: np.where(x < 0, 0.0, x), ZERO),
    "LeakyRelu": (lambda x: np.where(x < 0, F32(0.01) * x, x), EXACT),
    "ThresholdedRelu": (lambda x: np.where(x > 1, x, 0.0), EXACT),
    "Shrink": (lambda x: np.where(np.abs(x) > 0.5, x, 0.0), EXACT),
    "HardSigmoid": (lambda x: np.clip(F32(0.2) * x + 0.5, 0, 1), CLOSE),
    "HardSwish": (lambda x: x * np.clip(x / 6 + 0.5, 0, 1), CLOSE),
    "Softsign": (lambda x: x / (1 + np.abs(x)), CLOSE),
    "Acos": (np.arccos, CLOSE), "Acosh": (np.arccosh, CLOSE), "Asin": (np.arcsin, CLOSE),
    "Asinh": (np.arcsinh, CLOSE), "Atan": (np.arctan, CLOSE), "Atanh": (np.arctanh, CLOSE),
    "Cosh": (np.cosh, CLOSE), "Sinh": (np.sinh, CLOSE), "Tanh": (np.tanh, CLOSE),
    "Celu": (lambda x: np.where(x > 0, x, np.expm1(x)), CLOSE),
    "Elu": (lambda x: np.where(x > 0, x, np.expm1(x)), CLOSE),
    "Selu": (lambda x: F32(1.05070102214813232421875) * np.where(
        x > 0, x, F32(1.67326319217681884765625) * np.expm1(x)), CLOSE),
    "Erf": (ERF, CLOSE), "Exp": (np.exp, CLOSE), "Log": (np.log, CLOSE),
    "Gelu": (lambda x: 0.5 * x * (1 + ERF(x * math.sqrt(0.5))), CLOSE),
    "Mish": (lambda x: x * np.tanh(softplus(x)), CLOSE),
    "Sigmoid": (sigmoid, CLOSE), "Softplus": (softplus, CLOSE),
    "Swish": (lambda x: x * sigmoid(x), CLOSE),
}
INTS = {"Abs": np.abs, "Neg": np.negative, "Sign": np.sign, "Identity": lambda x: x, "Dropout": lambda x: x,
        "Clip": lambda x: x, "Relu": lambda x: np.maximum(x, np.array(0, x.dtype))}


@case(*UNARY)
def unary(op, type_):
    x = edges(type_)
    if type_.kind == "real":
        of, how = UNARY[op]
        return Case([x], [from_reals(type_, of(x.reals()))], how)
    if op not in INTS or (type_.kind == "bool" and op not in ("Identity", "Dropout")):
        return None
    return Case([x], [Elements(type_, INTS[op](x.array))])


@case("Sin", "Cos", "Tan")
def angles(op, type_):
    """Large ones are reduced by a rounded 2 pi, so they are left out."""
    x = edges(type_).reals()
    x = from_reals(type_, np.where(np.abs(x) > 1000, 2.0, x))
    return Case([x], [from_reals(type_, getattr(np, op.lower())(x.reals()))], CLOSE)


@case("IsNaN", "IsInf")
def questions(op, type_):
    x = edges(type_)
    return Case([x], [Elements(TYPES["bool"], np.zeros(12, bool))])


@case("Not", "BitwiseNot")
def inverted(op, type_):
    x = edges(type_)
    return Case([x], [Elements(type_, ~x.array)]) if (type_.kind == "bool") == (op == "Not") else None


# ---- two operands ---------------------------------------------------------------------------

def truncated(x, y):
    quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
    return np.where((x < 0) == (y < 0), quotient, -quotient).astype(x.dtype)


BINARY = {
    "Add": (np.add, EXACT), "Sub": (np.subtract, EXACT), "Mul": (np.multiply, EXACT),
    "Div": (np.divide, EXACT), "Sum": (np.add, EXACT), "Max": (np.maximum, ZERO),
    "Min": (np.minimum, ZERO), "Pow": (np.power, CLOSE),
    "PRelu": (lambda x, y: np.where(x < 0, y * x, x), EXACT),
    "Mean": (lambda x, y: (x + y) / 2, CLOSE),
}
COMPARE = {"Equal": np.equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal, "Less": np.less,
           "LessOrEqual": np.less_equal}
BITS = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "BitwiseAnd": np.bitwise_and,
        "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}


def crossed(type_):
    """Each edge with each."""
    return edges(type_).reshape(12, 1), edges(type_).reshape(1, 12)


@case(*BINARY)
def binary(op, type_):
    x, y = crossed(type_)
    of, how = BINARY[op]
    x = Elements(type_, np.repeat(x.array, 12, 1)) if op == "PRelu" else x  # which alone is not broadcast
    if type_.kind == "real":
        if op == "Div":  # 0/0 would be an invalid operation
            y = from_reals(type_, np.where(y.reals() == 0, 2.0, y.reals()))
        made = [Case([x, y], [from_reals(type_, of(x.reals(), y.reals()))], how, or_infinite=op == "Mean")]
        if op in ("Add", "Sub", "Mul", "Div") and type_.name != "bf16":  # which numpy_helper has no constants of
            two = Elements(type_, np.array(2))
            made += [Case([x, ("const", two)], [from_reals(type_, of(x.reals(), 2))], how)]
        return made
    if type_.kind == "bool" or op in ("Pow", "PRelu", "Mean"):
        return None
    if op == "Div":
        y = Elements(type_, np.where(y.array == 0, 2, np.where(y.array == -1, 3, y.array)))
        of = truncated
    return Case([x, y], [Elements(type_, of(x.array, y.array))])


@case("Mod")
def remainder(op, type_):
    x, y = crossed(type_)
    if type_.kind == "bool":
        return None
    if type_.kind == "real":
        y = from_reals(type_, np.where(y.reals() == 0, 2.0, y.reals()))
        return Case([x, y], [from_reals(type_, np.fmod(x.reals(), y.reals()))], attrs={"fmod": 1})
    y = Elements(type_, np.where(y.array == 0, 2, np.where(y.array == -1, 3, y.array)))  # -1 stops ONNX Runtime
    made = np.array([[a % b for b in y.array[0].tolist()] for a in x.array[:, 0].tolist()], object)
    return Case([x, y], [Elements(type_, made.astype(type_.storage))])


@case(*COMPARE)
def compared(op, type_):
    x, y = crossed(type_)
    of = COMPARE[op]
    made = of(x.reals(), y.reals()) if type_.kind == "real" else of(x.array, y.array)
    return Case([x, y], [Elements(TYPES["bool"], made)])


@case(*BITS)
def bitwise(op, type_):
    x, y = crossed(type_)
    return Case([x, y], [Elements(type_, BITS[op](x.array, y.array))])


@case("BitShift")
def shifted(op, type_):
    x = edges(type_)
    y = Elements(type_, np.arange(12) % (8 * x.array.itemsize))
    return Case([x, y], [Elements(type_, x.array << y.array)], attrs={"direction": "LEFT"})


@case("Where")
def chosen(op, type_):
    """Conditions are bool, whatever the page calls its first input; what is chosen is of any type."""
    made = []
    for of in TYPES.values():
        x = edges(of)
        choice = Elements(TYPES["bool"], [True, False] * 6)
        other = Elements(of, x.array[::-1].copy())
        made.append(Case([choice, x, other], [Elements(of, np.where(choice.array, x.array, other.array))]))
    return made


# ---- elements that move ---------------------------------------------------------------------

def moved(inputs, made, **attrs):
    return Case(inputs, [Elements(inputs[0].type, made)], attrs=attrs)


def grid(type_):
    return edges(type_).reshape(1, 3, 2, 2), edges(type_).array.reshape(1, 3, 2, 2)


MOVES = {
    "Concat": lambda x, a: moved([x, x], np.concatenate([a, a], 1), axis=1),
    "Expand": lambda x, a: moved([x, const([2, 3, 2, 2])], np.broadcast_to(a, (2, 3, 2, 2))),
    "Tile": lambda x, a: moved([x, const([1, 1, 2, 1])], np.tile(a, (1, 1, 2, 1))),
    "Transpose": lambda x, a: moved([x], a.transpose(0, 2, 3, 1), perm=[0, 2, 3, 1]),
    "Slice": lambda x, a: moved([x, const([2]), const([-9]), const([1]), const([-1])], a[:, 2::-1]),
    "Reshape": lambda x, a: moved([x, const([4, 3])], a.reshape(4, 3)),
    "Flatten": lambda x, a: moved([x], a.reshape(1, 12)),
    "Squeeze": lambda x, a: moved([x, const([0])], a[0]),
    "Unsqueeze": lambda x, a: moved([x, const([0])], a[None]),
    "Gather": lambda x, a: moved([x, const([2, 0])], a[:, [2, 0]], axis=1),
    "GatherND": lambda x, a: moved([x, const([[0, 2], [0, 0]])], a[0][[2, 0]]),
    "GatherElements": lambda x, a: moved([x, const([[[[1, 0], [0, 1]]]])], np.take_along_axis(
        a, np.array([[[[1, 0], [0, 1]]]]), 1), axis=1),
    "Compress": lambda x, a: moved([x, const([True, False, True], TYPES["bool"])], a[:, [0, 2]], axis=1),
    "DepthToSpace": lambda x, a: moved([x.reshape(1, 12, 1, 1)], a.reshape(1, 2, 2, 3, 1, 1).transpose(
        0, 3, 4, 1, 5, 2).reshape(1, 3, 2, 2), blocksize=2),
    "SpaceToDepth": lambda x, a: moved([x], a.transpose(0, 2, 3, 1).reshape(1, 12, 1, 1), blocksize=2),
    "ReverseSequence": lambda x, a: moved([x.reshape(3, 4), const([3, 3, 3, 3])], a.reshape(3, 4)[::-1]),
    "Trilu": lambda x, a: moved([x], np.triu(a)),
    "Split": lambda x, a: Case([x, const([2, 1])], [Elements(x.type, a[:, :2]), Elements(x.type, a[:, 2:])],
                               attrs={"axis": 1}),
    "ScatterND": lambda x, a: moved([x.reshape(12), const([[3], [0]]), Elements(x.type, a.ravel()[4:6])],
                                    np.concatenate([a.ravel()[5:6], a.ravel()[1:3], a.ravel()[4:5],
                                                    a.ravel()[4:]])),
    "TensorScatter": lambda x, a: moved([x, Elements(x.type, a[:, :, :1]), const([1])], a[:, :, [0, 0]]),
    "Resize": lambda x, a: moved([x, None, const([1, 1, 2, 2], TYPES["f32"])],
                                 a.repeat(2, 2).repeat(2, 3), mode="nearest",
                                 coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    "Upsample": lambda x, a: moved([x, const([1, 1, 2, 2], TYPES["f32"])], a.repeat(2, 2).repeat(2, 3),
                                   mode="nearest"),
    "MaxPool": lambda x, a: moved([x], a, kernel_shape=[1, 1]),
    "GlobalMaxPool": lambda x, a: moved([x.reshape(1, 12, 1, 1)], a.reshape(1, 12, 1, 1)),
}


@case(*MOVES)
def moves(op, type_):
    return MOVES[op](*grid(type_))


@case("GridSample")
def sampled(op, type_):
    x, a = grid(type_)
    corners = const([[[[1, 1], [-1, 1]], [[1, -1], [-1, -1]]]], TYPES["f32"])
    return Case([x, corners], [Elements(type_, a[:, :, ::-1, ::-1])], ZERO, {"mode": "nearest", "align_corners": 1})


@case("RoiAlign")
def aligned(op, type_):
    x, a = grid(type_)
    around = from_reals(type_, np.array([[-0.5, -0.5, 0.5, 0.5]]))
    return Case([x, ("const", around), const([0])], [Elements(type_, a[:, :, :1, :1])], ZERO,
                {"sampling_ratio": 1, "coordinate_transformation_mode": "output_half_pixel"})


@case("Scatter", "ScatterElements")
def scattered(op, type_):
    x = edges(type_)
    made = x.array.copy()
    made[[3, 0]] = x.array[4:6]
    return moved([x, const([3, 0]), Elements(type_, x.array[4:6])], made, axis=0)


@case("Pad")
def padded(op, type_):
    x = edges(type_)
    value = Elements(type_, x.array[2])
    return moved([x, const([1, 1]), value], np.pad(x.array, 1, constant_values=value.array))


def in_range(x, to):
    """Reals that the integer type can hold without their fraction: others are undefined in numpy."""
    least = np.iinfo(to.storage).min if to.kind == "int" else 0
    return np.where(np.abs(x) > 100, 7, np.maximum(x, max(least, -100)))


@case("Cast")
def cast(op, type_):
    """To every type."""
    made = []
    for to in TYPES.values():
        x = edges(type_)
        if type_.kind == "real" and to.kind == "int":
            x = from_reals(type_, in_range(x.reals(), to))
            y = Elements(to, np.trunc(x.reals()))
        elif to.kind == "bool":
            y = Elements(to, (x.reals() if type_.kind == "real" else x.array) != 0)
        elif to.kind == "real":
            y = from_reals(to, x.reals())
        else:
            y = Elements(to, x.array.astype(to.storage))
        made.append(Case([x], [y], attrs={"to": to.onnx}))
    return made


@case("CastLike")
def cast_like(op, type_):
    x, like = edges(type_), Elements(TYPES["f32"], 0)
    return Case([x, like], [from_reals(TYPES["f32"], x.reals())])


@case("EyeLike")
def diagonal(op, type_):
    ones = np.eye(3, 4)
    return Case([edges(type_).reshape(3, 4)], [from_reals(type_, ones) if type_.kind == "real" else Elements(
        type_, ones)])


@case("MaxUnpool")
def unpooled(op, type_):
    x = Elements(type_, edges(type_).array[2:6]).reshape(1, 1, 2, 2)
    made = np.zeros(16, type_.storage)
    made[[0, 2, 9, 15]] = x.array.ravel()
    return moved([x, const([[[[0, 2], [9, 15]]]])], made.reshape(1, 1, 4, 4), kernel_shape=[2, 2],
                 strides=[2, 2])


@case("OneHot")
def one_hot(op, type_):
    """Types are those of the indices."""
    if type_.kind == "bool":
        return None
    where = from_reals(type_, [0, 2]) if type_.kind == "real" else Elements(type_, [0, 2])
    pair = Elements(TYPES["f32"], edges(TYPES["f32"]).array[[1, 4]])
    off, on = pair.array
    made = Elements(TYPES["f32"], [[on, off, off], [off, off, on]])
    return Case([where, const(3), pair], [made])


@case("ConstantOfShape")
def filled(op, type_):
    """Each edge alone; the type is that of the value."""
    if type_ != I64:
        return None  # sizes are i64, whatever the value is
    made = []
    for of in TYPES.values():
        if of.name == "bf16":
            continue  # which numpy_helper has no tensors of
        made += [Case([const([3])], [Elements(of, np.repeat(x, 3))],
                      attrs={"value": numpy_helper.from_array(np.array([x]))}) for x in edges(of).array]
    return made


@case("NonZero")
def not_zero(op, type_):
    """Of a constant: how many there are is known when the model is compiled."""
    if type_.name == "bf16":
        return None
    x = edges(type_).reshape(3, 4)
    return Case([("const", x)], [Elements(I64, np.nonzero(x.array))])


@case("NonMaxSuppression")
def suppressed(op, type_):
    """Boxes that do not touch, by scores at the edges; those without a number are left out."""
    if type_.name != "f32":
        return None
    x = edges(type_).reshape(1, 1, -1)
    scores = x.array[0, 0]
    corners = np.arange(scores.size, dtype=np.float32)[:, None] * [2, 2, 2, 2] + [0, 0, 1, 1]
    order = [i for i in np.argsort(-scores.astype(float), kind="stable") if not np.isnan(scores[i])]
    found = np.array([[0, 0, i] for i in order], np.int64)
    return Case([const(corners[None], type_), x, const([scores.size]), const([0.5], type_)], [Elements(I64, found)])


@case("Det", "DFT", "STFT", "Col2Im", "DeformConv")
def alone(op, type_):
    """Of one element each: matrices, signals, blocks and windows."""
    x, a = edges(type_), edges(type_).array
    zeros = lambda *shape: np.zeros(shape, type_.storage)
    one = from_reals(type_, np.ones(1)) if type_.kind == "real" else None
    if op == "Det":
        return Case([x.reshape(12, 1, 1)], [x], ZERO)
    if op == "DFT":
        made = np.stack([a, zeros(12)], -1).reshape(12, 1, 2)
        return Case([x.reshape(12, 1, 1)], [Elements(type_, made)], ZERO)
    if op == "STFT":
        made = np.stack([a, zeros(12)], -1).reshape(1, 12, 1, 2)
        return Case([x.reshape(1, 12, 1), const(1), None, const(1)], [Elements(type_, made)], ZERO)
    if op == "Col2Im":
        return Case([x.reshape(1, 1, 12), const([3, 4]), const([1, 1])], [x.reshape(1, 1, 3, 4)], ZERO)
    return Case([x.reshape(1, 1, 3, 4), one.reshape(1, 1, 1, 1), Elements(type_, zeros(1, 2, 3, 4))],
                [x.reshape(1, 1, 3, 4)], ZERO)


@case("AffineGrid")
def placed(op, type_):
    """Every column of the matrix times the middle, which is 0, and the last one times 1."""
    x = edges(type_).array[:6].reshape(1, 2, 3)
    return Case([Elements(type_, x), const([1, 1, 1, 1])], [Elements(type_, x[:, :, 2].reshape(1, 1, 1, 2))], ZERO)


@case("Unique")
def different(op, type_):
    """All elements but for one of the zeros, in the order in which they come."""
    x = edges(type_)
    number = x.reals() if type_.kind == "real" else x.array
    first = [i for i in range(12) if not any(number[i] == number[j] for j in range(i))]
    return Case([x], [Elements(type_, x.array[first]), Elements(I64, np.array(first))], attrs={"sorted": 0})


@case("MelWeightMatrix")
def bands(op, type_):
    """Bands that are narrower than a bin have a 1 in it."""
    sizes = [const(2, type_), const(4, type_), const(100, type_)]
    made = np.zeros((3, 2))
    made[0] = 1
    return Case(sizes + [const(0, TYPES["f32"]), const(3, TYPES["f32"])], [from_reals(TYPES["f32"], made)]) \
        if type_.kind == "int" else None


@case("BlackmanWindow", "HammingWindow", "HannWindow")
def window(op, type_):
    """Of one element, of several, and those that do not repeat."""
    parts = {"HannWindow": (0.5, 0.5, 0), "HammingWindow": (25 / 46, 21 / 46, 0), "BlackmanWindow": (0.42, 0.5, 0.08)}
    made = []
    for count, periodic in ((1, 1), (6, 1), (7, 0), (1, 0)):
        angle = 2 * np.pi * np.arange(count) / max(count if periodic else count - 1, 1)
        constant, once, twice = parts[op]
        values = constant - once * np.cos(angle) + twice * np.cos(2 * angle)
        made.append(Case([const(count, type_)], [from_reals(TYPES["f32"], values)], CLOSE, {"periodic": periodic},
                         lost=1e-7))
    return made if type_.name in ("i32", "i64") else None


@case("Range")
def ranged(op, type_):
    """Steps over the least and the greatest that a few elements reach."""
    if type_.kind == "bool" or type_.name == "bf16":
        return None
    if type_.kind == "real":
        steps = [(0, 3, 0.5), (-0.0, -1, -0.25), (1, 1, 1), (2, -1, 1)]
    else:
        info = np.iinfo(type_.storage)
        steps = [(info.min, info.min + 7, 2), (info.max - 5, info.max, 2), (info.max, info.max - 3, -1), (5, 5, 1)]
        steps = [s for s in steps if info.min < 0 or s[2] > 0]
    made = []
    for start, limit, step in steps:
        count = max(0, math.ceil((limit - start) / step))
        values = np.array([start + i * step for i in range(count)], object if type_.kind == "int" else np.float64)
        made.append(Case([const(v, type_) for v in (start, limit, step)], [Elements(type_, values.astype(
            type_.storage))]))
    return made


@case("TopK")
def greatest(op, type_):
    x = edges(type_)
    at = 4 if type_.kind == "real" else 2
    return None if type_.kind == "bool" else Case(
        [x, const([1])], [Elements(type_, x.array[at:at + 1]), Elements(I64, [at])])


@case("Shape", "Size")
def sizes(op, type_):
    x = edges(type_).reshape(3, 4)
    return Case([x], [Elements(I64, [3, 4] if op == "Shape" else 12)])


# ---- reductions and products of one element -------------------------------------------------

REDUCE = {"ReduceL1": (np.abs, ZERO), "ReduceL2": (lambda x: np.sqrt(x * x), ZERO), "ReduceMax": (lambda x: x, ZERO),
          "ReduceMin": (lambda x: x, ZERO), "ReduceMean": (lambda x: x, ZERO), "ReduceProd": (lambda x: x, ZERO),
          "ReduceSum": (lambda x: x, ZERO), "ReduceSumSquare": (lambda x: x * x, ZERO),
          "ReduceLogSum": (np.log, CLOSE), "ReduceLogSumExp": (lambda x: x, CLOSE)}


@case(*REDUCE)
def reduced(op, type_):
    """Over one element each. A square may exceed what f32 holds."""
    x = edges(type_).reshape(12, 1)
    of, how = REDUCE[op]
    inputs, attrs = ([x, const([1])], {}) if op == "ReduceSum" else ([x], {"axes": [1]})
    if type_.kind != "real":
        made = {"ReduceL1": np.abs, "ReduceSumSquare": lambda a: a * a}.get(op, lambda a: a)(x.array)
        return None if op in ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp") or type_.kind == "bool" else Case(
            inputs, [Elements(type_, made)], attrs=attrs)
    return Case(inputs, [from_reals(type_, of(x.reals()))], how, attrs, op == "ReduceL2")


@case("ArgMax", "ArgMin")
def places(op, type_):
    x = edges(type_).reshape(12, 1)
    return Case([x], [Elements(I64, np.zeros((12, 1)))], attrs={"axis": 1})


@case("CumProd")
def multiplied(op, type_):
    x = edges(type_).reshape(12, 1)
    return Case([x, const(1)], [x], ZERO)


@case("BitCast")
def same_bits(op, type_):
    """As the unsigned integer of as many bits."""
    x = edges(type_)
    to = {1: ("u8", 2), 2: ("u16", 4), 4: ("u32", 12), 8: ("u64", 13)}.get(x.array.dtype.itemsize)
    if to is None or type_.kind == "bool":
        return None
    return Case([x], [Elements(TYPES[to[0]], x.array.view(TYPES[to[0]].storage))], attrs={"to": to[1]})


@case("CenterCropPad")
def cut_or_padded(op, type_):
    x = edges(type_).reshape(3, 4)
    made = np.zeros((2, 7), x.array.dtype)
    made[:, 1:5] = x.array[:2]
    return moved([x, const([2, 7])], made)


@case("CumSum")
def summed(op, type_):
    x = edges(type_).reshape(12, 1)
    return Case([x, const(1)], [x], ZERO)


def one(type_, *shape):
    return from_reals(type_, np.ones(shape)) if type_.kind == "real" else Elements(type_, np.ones(shape))


PRODUCTS = {
    "MatMul": lambda x, t: Case([x.reshape(12, 1), one(t, 1, 1)], [x.reshape(12, 1)], ZERO),
    "Gemm": lambda x, t: Case([x.reshape(12, 1), one(t, 1, 1)], [x.reshape(12, 1)], ZERO),
    "Einsum": lambda x, t: Case([x.reshape(12, 1), one(t, 1, 1)], [x.reshape(12, 1)], ZERO,
                                {"equation": "ij,jk->ik"}),
    "Conv": lambda x, t: Case([x.reshape(1, 1, 3, 4), one(t, 1, 1, 1, 1)], [x.reshape(1, 1, 3, 4)], ZERO),
    "ConvTranspose": lambda x, t: Case([x.reshape(1, 1, 3, 4), one(t, 1, 1, 1, 1)],
                                       [x.reshape(1, 1, 3, 4)], ZERO),
    "AveragePool": lambda x, t: Case([x.reshape(1, 1, 3, 4)], [x.reshape(1, 1, 3, 4)], ZERO,
                                     {"kernel_shape": [1, 1]}),
    "GlobalAveragePool": lambda x, t: Case([x.reshape(1, 12, 1, 1)], [x.reshape(1, 12, 1, 1)], ZERO),
    "LpPool": lambda x, t: Case([x.reshape(1, 1, 3, 4)], [from_reals(t, np.abs(x.reals())).reshape(
        1, 1, 3, 4)], ZERO, {"kernel_shape": [1, 1], "p": 1}),
    "GlobalLpPool": lambda x, t: Case([x.reshape(1, 12, 1, 1)], [from_reals(t, np.abs(
        x.reals())).reshape(1, 12, 1, 1)], ZERO, {"p": 1}),
}


@case(*PRODUCTS)
def products(op, type_):
    return None if type_.kind == "bool" else PRODUCTS[op](edges(type_), type_)


@case("Softmax", "LogSoftmax", "Hardmax")
def shares(op, type_):
    """Of one element: all of it. oneDNN's logarithm of 1 is 1.4e-6 off."""
    x = edges(type_).reshape(12, 1)
    return Case([x], [from_reals(type_, np.full((12, 1), 0.0 if op == "LogSoftmax" else 1.0))], ZERO,
                {"axis": 1}, lost=2e-6 if op == "LogSoftmax" else 0)


@case("LpNormalization")
def normalised(op, type_):
    x = edges(type_).reals().reshape(12, 1)
    x = from_reals(type_, np.where(x == 0, 1, x))
    return Case([x], [from_reals(type_, np.sign(x.reals()))], CLOSE, {"axis": 1, "p": 1})


@case("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss")
def losses(op, type_):
    """Of one class, which is the right one."""
    x = edges(type_).reshape(12, 1)
    right = Elements(I64, np.zeros(12))
    made = np.zeros((12,)) if op.startswith("S") else -x.reals().reshape(12)
    return Case([x, right], [from_reals(type_, made)], ZERO, {"reduction": "none"})


# ---- zeros stay zeros -----------------------------------------------------------------------

def zeros(type_, *shape):
    return from_reals(type_, np.zeros(shape))


ZEROS = {
    "BatchNormalization": lambda t: Case([zeros(t, 1, 2, 3), one(t, 2), zeros(t, 2), zeros(t, 2), one(t, 2)],
                                         [zeros(t, 1, 2, 3)], ZERO),
    "InstanceNormalization": lambda t: Case([zeros(t, 1, 2, 3), one(t, 2), zeros(t, 2)], [zeros(t, 1, 2, 3)],
                                            ZERO),
    "GroupNormalization": lambda t: Case([zeros(t, 1, 2, 3), one(t, 2), zeros(t, 2)], [zeros(t, 1, 2, 3)],
                                         ZERO, {"num_groups": 2}),
    "LayerNormalization": lambda t: Case([zeros(t, 2, 3), one(t, 3), zeros(t, 3)], [zeros(t, 2, 3)], ZERO),
    "MeanVarianceNormalization": lambda t: Case([zeros(t, 1, 2, 3, 1)], [zeros(t, 1, 2, 3, 1)], ZERO),
    "RMSNormalization": lambda t: Case([zeros(t, 2, 3), one(t, 3)], [zeros(t, 2, 3)], ZERO),
    "LRN": lambda t: Case([zeros(t, 1, 2, 1, 3)], [zeros(t, 1, 2, 1, 3)], ZERO, {"size": 3}),
    "RNN": lambda t: Case([zeros(t, 2, 1, 3), zeros(t, 1, 4, 3), zeros(t, 1, 4, 4)], [zeros(t, 2, 1, 1, 4)],
                          ZERO, {"hidden_size": 4}),
    "GRU": lambda t: Case([zeros(t, 2, 1, 3), zeros(t, 1, 12, 3), zeros(t, 1, 12, 4)],
                          [zeros(t, 2, 1, 1, 4)], ZERO, {"hidden_size": 4}),
    "LSTM": lambda t: Case([zeros(t, 2, 1, 3), zeros(t, 1, 16, 3), zeros(t, 1, 16, 4)],
                           [zeros(t, 2, 1, 1, 4)], ZERO, {"hidden_size": 4}),
}


@case(*ZEROS)
def nothing(op, type_):
    return ZEROS[op](type_)


# ---- quantised ------------------------------------------------------------------------------

@case("DequantizeLinear")
def dequantised(op, type_):
    x = edges(type_)
    scale = from_reals(TYPES["f32"], np.array(0.5))
    return Case([x, scale], [from_reals(TYPES["f32"], x.array.astype(np.float64) * 0.5)], ZERO)


@case("QuantizeLinear")
def quantised(op, type_):
    x = edges(type_)
    if type_.kind != "real" or type_.name == "f64":
        return None
    made = np.clip(np.rint(x.reals() / 0.5), 0, 255)
    return Case([x, from_reals(type_, np.array(0.5)), Elements(TYPES["u8"], 0)], [Elements(TYPES["u8"], made)])


@case("MatMulInteger", "ConvInteger")
def integer_products(op, type_):
    x = edges(type_)
    shape, filters = ((12, 1), (1, 1)) if op == "MatMulInteger" else ((1, 1, 3, 4), (1, 1, 1, 1))
    made = Elements(TYPES["i32"], x.array.astype(np.int32) * 3).reshape(*shape)
    return Case([x.reshape(*shape), Elements(type_, np.full(filters, 3))], [made])


@case("QLinearMatMul", "QLinearConv")
def quantised_products(op, type_):
    """By 1, with the same scale on both sides."""
    x, half, whole = edges(type_), const(0.5, TYPES["f32"]), const(1, TYPES["f32"])
    nought = const(0, type_)
    shape, filters = ((12, 1), (1, 1)) if op == "QLinearMatMul" else ((1, 1, 3, 4), (1, 1, 1, 1))
    x = x.reshape(*shape)
    return Case([x, half, nought, const(np.ones(filters), type_), whole, nought, half, nought], [x])


@case("DynamicQuantizeLinear")
def quantised_by_range(op, type_):
    """The standard's example."""
    x = from_reals(type_, [0, 2, -3, -2.5, 1.34, 0.5])
    return Case([x], [Elements(TYPES["u8"], [153, 255, 0, 26, 221, 179]), from_reals(
        TYPES["f32"], 0.0196078438311815262), Elements(TYPES["u8"], 153)]) if type_.name == "f32" else None
