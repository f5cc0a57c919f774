# SPDX-License-Identifier: Apache-2.0
"""Cases of edge_tosa.py for operators that move elements, count, scale or sum them.

An input that is no Elements is a constant of the module: ("const", Elements) or ("shape", sizes). A
function returns a case, a list of them, or None where the operator does not take the type."""
import numpy as np
from edge_cases import EXACT, ZERO, Case, crossed, truncated
from edge_types import TYPES, Elements, edges, from_reals

I8, I16, I32, BOOL = TYPES["i8"], TYPES["i16"], TYPES["i32"], TYPES["bool"]
MADE = {}


def case(*names):
    def register(make):
        for name in names:
            MADE[name] = make
        return make
    return register


def const(type_, values):
    return ("const", Elements(type_, np.asarray(values, type_.storage)))


def zero(type_):
    return const(type_, [0])


def shape(*sizes):
    return ("shape", sizes)


def array(*values):
    return f"array<i64: {', '.join(map(str, values))}>"


def moved(inputs, made, **attrs):
    return Case(inputs, [Elements(inputs[0].type, made)], attrs=attrs)


# ---- elements that move ---------------------------------------------------------------------

@case("reshape", "slice", "tile", "transpose", "pad")
def moves(op, type_):
    x = edges(type_).reshape(3, 4)
    a = x.array
    if op == "reshape":
        return moved([x, shape(2, 6)], a.reshape(2, 6))
    if op == "slice":
        return moved([x, shape(1, 0), shape(2, 3)], a[1:, :3])
    if op == "tile":
        return moved([x, shape(1, 2)], np.tile(a, (1, 2)))
    if op == "transpose":
        return moved([x], a.T, perms="array<i32: 1, 0>")
    value = edges(type_).array[2]
    return moved([x, shape(0, 1, 1, 0), const(type_, [value])], np.pad(a, ((0, 1), (1, 0)), constant_values=value))


@case("gather")
def gathered(op, type_):
    x = edges(type_).reshape(1, 4, 3)
    return moved([x, const(I32, [[3, 0, 1]])], x.array[:, [3, 0, 1]])


@case("scatter")
def scattered(op, type_):
    x = edges(type_).reshape(1, 4, 3)
    made = x.array.copy()
    made[:, [3, 0]] = x.array[:, 1:3]
    return moved([x, const(I32, [[3, 0]]), Elements(type_, x.array[:, 1:3])], made)


@case("resize")
def resized(op, type_):
    if type_.name not in ("f32", "f16", "bf16", "i8", "i16"):
        return None
    x = edges(type_).reshape(1, 2, 2, 3)
    at = [0, 1, 1, 1]  # the nearest: halves go up
    return moved([x, shape(2, 1, 2, 1), shape(0, 0), shape(1, 1)], x.array[:, at][:, :, at],
                 mode='"NEAREST_NEIGHBOR"')


@case("select")
def chosen(op, type_):
    """Conditions are bool, whatever the page calls its first input."""
    made = []
    for of in TYPES.values():
        x = edges(of)
        choice = Elements(BOOL, [True, False] * 6)
        other = Elements(of, x.array[::-1].copy())
        made.append(Case([choice, x, other], [Elements(of, np.where(choice.array, x.array, other.array))]))
    return made


@case("argmax")
def greatest(op, type_):
    x = edges(type_)
    at = np.argmax(x.reals() if type_.kind == "real" else x.array)
    return Case([x], [Elements(I32, at)], attrs={"axis": "0 : i32"})


# ---- elements ---------------------------------------------------------------------------------

@case("clamp")
def clamped(op, type_):
    if type_.kind == "bool":
        return None
    x = edges(type_)
    if type_.kind == "real":
        attrs = {"min_val": f"-2.0 : {type_.name}", "max_val": f"2.0 : {type_.name}"}
        return Case([x], [from_reals(type_, np.clip(x.reals(), -2, 2))], attrs=attrs)
    word = type_.name.replace("u", "ui")
    return Case([x], [Elements(type_, np.clip(x.array, 2, 100))],
                attrs={"min_val": f"2 : {word}", "max_val": f"100 : {word}"})


@case("clz")
def leading_zeros(op, type_):
    x = edges(type_)
    return Case([x], [Elements(type_, [32 - (int(v) & 0xFFFFFFFF).bit_length() for v in x.array])])


@case("negate")
def negated(op, type_):
    """The smallest integer has no opposite: bytes and words saturate, wider ones must not have it."""
    if type_.kind == "bool" or type_.name.startswith("u"):
        return None
    x = edges(type_)
    if type_.kind == "real":
        return Case([x, zero(type_), zero(type_)], [from_reals(type_, -x.reals())], ZERO)
    info = np.iinfo(type_.storage)
    if info.bits > 16:
        x = Elements(type_, np.maximum(x.array, info.min + 1))
    return Case([x, zero(type_), zero(type_)], [Elements(type_, np.minimum(-x.array.astype(object), info.max))])


@case("int_div", "intdiv")
def divided(op, type_):
    if type_.kind == "bool":
        return None
    x, y = crossed(type_)
    y = Elements(type_, np.where(y.array == 0, 2, np.where(y.array == -1, 3, y.array)))
    return Case([x, y], [Elements(type_, truncated(x.array, y.array))])


@case("arithmetic_right_shift", "logical_left_shift", "logical_right_shift")
def shifted(op, type_):
    if type_.kind == "bool":
        return None
    x = edges(type_)
    bits = 8 * x.array.itemsize
    y = Elements(type_, np.arange(12) % bits)
    unsigned = x.array.view(f"u{x.array.itemsize}")
    places = y.array.astype(unsigned.dtype)
    if op == "logical_left_shift":
        return Case([x, y], [Elements(type_, (unsigned << places).view(x.array.dtype))])
    if op == "logical_right_shift":
        return Case([x, y], [Elements(type_, (unsigned >> places).view(x.array.dtype))])
    values, by = x.array.astype(object), y.array.astype(object)
    last = [int(v) >> (int(b) - 1) & 1 if b > 0 else 0 for v, b in zip(values, by)]
    plain = [int(v) >> int(b) for v, b in zip(values, by)]
    return [Case([x, y], [Elements(type_, np.array([p + (r if is_round else 0) * b for p, b in zip(plain, last)],
                                                   object).astype(type_.storage))],
                 attrs={"round": str(is_round).lower()}) for is_round, r in ((False, 0), (True, 1))]


@case("mul")
def product(op, type_):
    """Bytes and words widen; what i32 cannot hold must not come."""
    x, y = crossed(type_)
    shift = const(I8, [0])
    if type_.kind == "real":
        return Case([x, y, shift], [from_reals(type_, x.reals() * y.reals())])
    if type_ in (I8, I16):
        return Case([x, y, shift], [Elements(I32, x.array.astype(np.int32) * y.array)])
    if type_ != I32:
        return None
    wide = x.array.astype(np.int64) * y.array
    most = np.iinfo(np.int32).max
    least_wide = Elements(type_, np.clip(x.array, -most, most))
    small = Elements(type_, np.clip(x.array, -46340, 46340)), Elements(type_, np.clip(y.array, -46340, 46340))
    wide = least_wide.array.astype(np.int64) * y.array
    return [Case([*small, shift], [Elements(type_, small[0].array * small[1].array)]),
            Case([least_wide, y, const(I8, [31])], [Elements(type_, (wide + (1 << 30)) >> 31)])]


@case("table")
def looked_up(op, type_):
    x = edges(type_)
    if type_ == I8:
        table = (np.arange(256) * 37 % 256 - 128).astype(np.int8)
        return Case([x, const(I8, table)], [Elements(I8, table[x.array.astype(int) + 128])])
    if type_ != I16:
        return None
    table = (np.arange(513) * 12289 % 65536 - 32768).astype(np.int16)
    at, part = (x.array.astype(int) >> 7) + 256, x.array.astype(int) & 127
    base, after = table[at].astype(int), table[at + 1].astype(int)
    return Case([x, const(I16, table)], [Elements(I32, (base << 7) + (after - base) * part)])


@case("rescale")
def rescaled(op, type_):
    """By 1, and by a number whose products are rounded; results saturate."""
    made = []
    for to in (I8, I16, I32) if type_ in (I8, I16, I32) else ():
        x, info = edges(type_), np.iinfo(to.storage)
        for factor, places in ((1 << 30, 30), (1518500250, 34)):
            wide = (x.array.astype(object) * factor + (1 << (places - 1))) >> places
            y = Elements(to, np.clip(wide, info.min, info.max))
            made.append(Case([x, const(I32, [factor]), const(I8, [places]), zero(type_), zero(to)], [y], attrs={
                "input_unsigned": "false", "output_unsigned": "false", "per_channel": "false",
                "rounding_mode": '"SINGLE_ROUND"', "scale32": "true"}))
    return made


# ---- sums of one element ------------------------------------------------------------------------

@case("reduce_all", "reduce_any")
def reduced_bits(op, type_):
    x = edges(type_).reshape(12, 1)
    return Case([x], [x], attrs={"axis": "1 : i32"}) if type_.kind == "bool" else None


@case("reduce_prod")
def reduced_product(op, type_):
    x = edges(type_).reshape(12, 1)
    return None if type_.kind == "bool" else Case([x], [x], ZERO, {"axis": "1 : i32"})


@case("avg_pool2d", "max_pool2d")
def pooled(op, type_):
    if type_.name not in ("f32", "f16", "bf16", "i8", "i16"):
        return None
    x = edges(type_).reshape(1, 3, 4, 1)
    attrs = {"kernel": array(1, 1), "stride": array(1, 1), "pad": array(0, 0, 0, 0)}
    if op == "avg_pool2d":
        attrs["acc_type"] = "f32" if type_.kind == "real" else "i32"
        return Case([x, zero(type_), zero(type_)], [x], ZERO, attrs)
    return Case([x], [x], ZERO, attrs)


def wide(type_):
    return I32 if type_ == I8 else type_


@case("matmul")
def multiplied(op, type_):
    if type_.name not in ("f32", "f16", "bf16", "i8"):
        return None
    x, y = edges(type_).reshape(1, 12, 1), edges(type_).reshape(1, 1, 12)
    if type_ == I8:
        made = Elements(I32, x.array.astype(np.int32) * y.array)
    else:
        made = from_reals(type_, x.reals() * y.reals())
    return Case([x, y, zero(type_), zero(type_)], [made], ZERO)


@case("conv2d", "conv3d", "depthwise_conv2d", "transpose_conv2d")
def convolved(op, type_):
    """By a window of one element, which is 1."""
    if type_.name not in ("f32", "f16", "bf16", "i8"):
        return None
    sizes = (1, 1, 3, 4, 1) if op == "conv3d" else (1, 3, 4, 1)
    one = Elements(type_, from_reals(type_, [1]).array if type_.kind == "real" else [1])
    weight = ("const", one.reshape(*[1] * len(sizes)))
    x, to = edges(type_).reshape(*sizes), wide(type_)
    made = Elements(to, x.array.astype(to.storage) if type_ == I8 else x.array)
    axes = len(sizes) - 2
    attrs = {"acc_type": "f32" if type_.kind == "real" else "i32", "stride": array(*[1] * axes)}
    if op == "transpose_conv2d":
        attrs["out_pad"] = array(0, 0, 0, 0)
    else:
        attrs |= {"pad": array(*[0] * 2 * axes), "dilation": array(*[1] * axes)}
    return Case([x, weight, zero(to), zero(type_), zero(type_)], [made], ZERO, attrs)
