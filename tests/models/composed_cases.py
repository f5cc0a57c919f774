# SPDX-License-Identifier: Apache-2.0
"""Operators that tacho builds from simpler ones, with results computed here by numpy from the operators'
documentation: each case is a model of one node."""
import collections

import numpy as np

MS = "com.microsoft"
Case = collections.namedtuple("Case", "name op domain opset inputs constants attrs outputs tolerance")
CASES = []
RANDOM = np.random.RandomState(7)


def case(name, op, inputs, outputs, *, domain=MS, opset=1, constants=(), tolerance=2e-6, **attrs):
    """|constants| are the numbers of the inputs that are initializers; an input may be None."""
    attrs = {key.replace("attr_", ""): value for key, value in attrs.items()}
    CASES.append(Case(name, op, domain, opset, inputs, set(constants), attrs, outputs, tolerance))


def reals(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def erf(x):
    import math
    return np.vectorize(math.erf)(x.astype(np.float64))


def gelu(x):
    return (0.5 * x * (1 + erf(x / np.sqrt(2)))).astype(np.float32)


def gelu_tanh(x):
    x = x.astype(np.float64)
    return (0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def layer_norm(x, gamma, beta, epsilon):
    x = x.astype(np.float64)
    mean = x.mean(-1, keepdims=True)
    spread = np.sqrt(((x - mean)**2).mean(-1, keepdims=True) + epsilon)
    return ((x - mean) / spread * gamma + (0 if beta is None else beta)).astype(np.float32)


def rms_norm(x, gamma, epsilon):
    x = x.astype(np.float64)
    return (x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * gamma).astype(np.float32)


# ---- activations and normalisations ----

def add_norms():
    x, skip, gamma, beta, bias = reals(2, 3, 8), reals(2, 3, 8), reals(8), reals(8), reals(8)
    case("gelu", "Gelu", [x], [gelu(x)])
    case("bias_gelu", "BiasGelu", [x, bias], [gelu(x + bias)], constants=[1])
    case("fast_gelu", "FastGelu", [x], [gelu_tanh(x)])
    case("fast_gelu_bias", "FastGelu", [x, bias], [gelu_tanh(x + bias)], constants=[1])
    case("quick_gelu", "QuickGelu", [x], [(x * sigmoid(1.702 * x)).astype(np.float32)])
    case("quick_gelu_alpha", "QuickGelu", [x], [(x * sigmoid(0.5 * x)).astype(np.float32)], alpha=0.5)
    case("simplified_layer_norm", "SimplifiedLayerNormalization", [x, gamma], [rms_norm(x, gamma, 1e-5)],
         domain="", opset=17, constants=[1])
    total = x + skip
    case("skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta], [layer_norm(total, gamma, beta, 1e-12)],
         constants=[2, 3])
    case("skip_layer_norm_bias", "SkipLayerNormalization", [x, skip, gamma, beta, bias],
         [layer_norm(total + bias, gamma, beta, 1e-3), None, None, total + bias], constants=[2, 3, 4], epsilon=1e-3)
    case("skip_layer_norm_broadcast", "SkipLayerNormalization", [x, skip[:1], gamma],
         [layer_norm(x + skip[:1], gamma, None, 1e-5)], constants=[2], epsilon=1e-5)
    case("skip_simplified", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias],
         [rms_norm(total + bias, gamma, 1e-6), None, None, total + bias], constants=[2, 3], epsilon=1e-6)
    words, places, kinds = reals(11, 8), reals(6, 8), reals(2, 8)
    ids = RANDOM.randint(0, 11, (2, 3)).astype(np.int32)
    segments = RANDOM.randint(0, 2, (2, 3)).astype(np.int32)
    mask = np.array([[1, 1, 0], [1, 1, 1]], np.int32)
    total = words[ids] + places[:3] + kinds[segments]
    case("embed_layer_norm", "EmbedLayerNormalization", [ids, segments, words, places, kinds, gamma, beta, mask],
         [layer_norm(total, gamma, beta, 1e-12), mask.sum(1).astype(np.int32), total], constants=[2, 3, 4, 5, 6])
    at = np.array([[2, 0, 5], [1, 1, 3]], np.int32)
    total = words[ids] + places[at]
    case("embed_layer_norm_positions", "EmbedLayerNormalization",
         [ids, None, words, places, None, gamma, beta, None, at],
         [layer_norm(total, gamma, beta, 1e-5), np.zeros(2, np.int32)], constants=[2, 3, 5, 6], epsilon=1e-5)


# ---- quantised ----

def scaled(x, scale, zero):
    return ((x.astype(np.int64) - int(zero)) * np.float64(scale)).astype(np.float32)


def quantised(x, scale, zero):
    low, high = np.iinfo(zero.dtype).min, np.iinfo(zero.dtype).max
    q = np.rint((x.astype(np.float32) / np.float32(scale)).astype(np.float32)).astype(np.int64) + int(zero)
    return np.clip(q, low, high).astype(zero.dtype)


def byte_tensor(*shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return RANDOM.randint(info.min, info.max + 1, shape).astype(dtype)


def add_quantised(dtype):
    name = dtype.__name__
    f = np.float32
    s = [f(0.0371), f(0.0213), f(0.0711)]
    z = [dtype(7), dtype(100), dtype(31)]
    a, b = byte_tensor(2, 3, 4, dtype=dtype), byte_tensor(4, dtype=dtype)
    ra, rb = scaled(a, s[0], z[0]), scaled(b, s[1], z[1])
    pair = [a, s[0], z[0], b, s[1], z[1], s[2], z[2]]
    case(f"qlinear_add_{name}", "QLinearAdd", pair, [quantised(ra + rb, s[2], z[2])], constants=[1, 2, 4, 5, 6, 7])
    case(f"qlinear_mul_{name}", "QLinearMul", pair, [quantised(ra * rb, s[2], z[2])], constants=[1, 2, 4, 5, 6, 7])
    one = [a, s[0], z[0], f(1 / 256), dtype(0)]
    case(f"qlinear_sigmoid_{name}", "QLinearSigmoid", one, [quantised(sigmoid(ra), one[3], one[4])],
         constants=[1, 2, 3, 4])
    leaky = [a, s[0], z[0], s[1], z[1]]
    case(f"qlinear_leaky_relu_{name}", "QLinearLeakyRelu", leaky,
         [quantised(np.where(ra < 0, ra * f(0.1), ra), s[1], z[1])], constants=[1, 2, 3, 4], alpha=0.1)
    case(f"qlinear_concat_{name}", "QLinearConcat", [s[2], z[2], a, s[0], z[0], a[:, :1], s[1], z[1], a, s[2], z[2]],
         [np.concatenate([quantised(ra, s[2], z[2]), quantised(scaled(a[:, :1], s[1], z[1]), s[2], z[2]), a], 1)],
         constants=[0, 1, 3, 4, 6, 7, 9, 10], axis=1)
    choice = RANDOM.randint(0, 2, (2, 3, 4)).astype(bool)
    case(f"qlinear_where_{name}", "QLinearWhere", [choice] + pair,
         [np.where(choice, quantised(ra, s[2], z[2]), quantised(rb, s[2], z[2]))], constants=[2, 3, 5, 6, 7, 8])
    x = byte_tensor(1, 3, 5, 5, dtype=dtype)
    rx = scaled(x, s[0], z[0])
    pool = [x, s[0], z[0], s[0], z[1]]
    means = np.stack([rx[:, :, i:i + 2, j:j + 2].mean((2, 3), dtype=np.float64) for i in range(4) for j in range(4)], -1)
    case(f"qlinear_average_pool_{name}", "QLinearAveragePool", pool,
         [quantised(means.reshape(1, 3, 4, 4), s[0], z[1])], constants=[1, 2, 3, 4], tolerance=1, kernel_shape=[2, 2])
    mean = rx.mean((2, 3), dtype=np.float64, keepdims=True)
    case(f"qlinear_global_average_pool_{name}", "QLinearGlobalAveragePool", pool, [quantised(mean, s[0], z[1])],
         constants=[1, 2, 3, 4], tolerance=1)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    case(f"qlinear_global_average_pool_last_{name}", "QLinearGlobalAveragePool", [last] + pool[1:],
         [quantised(mean.transpose(0, 2, 3, 1), s[0], z[1])], constants=[1, 2, 3, 4], tolerance=1, channels_last=1)
    m, n = byte_tensor(3, 6, dtype=dtype), byte_tensor(5, 6, dtype=dtype)
    bias = RANDOM.randint(-500, 500, 5).astype(np.int32)
    rm, rn = scaled(m, s[0], z[0]).astype(np.float64), scaled(n, s[1], z[1]).astype(np.float64)
    product = rm @ rn.T + bias * (np.float64(s[0]) * np.float64(s[1]))
    case(f"qgemm_{name}", "QGemm", [m, s[0], z[0], n, s[1], z[1], bias, f(0.9), z[2]],
         [quantised(product, 0.9, z[2])], constants=[1, 2, 3, 4, 5, 6, 7, 8], tolerance=1, transB=1)
    case(f"qgemm_real_{name}", "QGemm", [m, s[0], z[0], n, s[1], z[1], bias], [product.astype(f)],
         constants=[1, 2, 3, 4, 5, 6], transB=1)
    weights, columns = byte_tensor(6, 5, dtype=np.int8), reals(5, scale=0.01) ** 2 + f(0.001)
    zeros = byte_tensor(5, dtype=np.int8)
    exact = (m.astype(np.int64) - int(z[0])) @ (weights.astype(np.int64) - zeros)
    case(f"matmul_integer_to_float_{name}", "MatMulIntegerToFloat", [m, weights, s[0], columns, z[0], zeros, reals(5)],
         None, constants=[1, 2, 3, 4, 5, 6])
    made = CASES.pop()
    added = made.inputs[6]
    CASES.append(made._replace(outputs=[(exact * (np.float64(s[0]) * columns) + added).astype(f)]))


def quantise_dynamically(x):
    low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
    scale = np.float32(np.float32(high - low) / np.float32(255))
    zero = np.uint8(np.clip(np.rint(np.float32(-low) / scale), 0, 255))
    return quantised(x, scale, zero), scale, zero


def softmax_of_bytes(x, scale, made, zero):
    """As ONNX Runtime has it: exponentials in f32, and a whole number of quanta for 1."""
    x = x.astype(np.int64)
    powers = np.exp((x - x.max(-1, keepdims=True)) * np.float64(scale)).astype(np.float32)
    share = powers * np.floor(np.float32(1) / np.float32(made)) / powers.sum(-1, keepdims=True, dtype=np.float32)
    info = np.iinfo(zero.dtype)
    return np.clip(np.rint(share).astype(np.int64) + int(zero), info.min, info.max).astype(zero.dtype)


def add_more_quantised():
    f = np.float32
    a, b, bias = reals(2, 3, 6), byte_tensor(6, 5, dtype=np.int8), reals(5)
    q, scale, zero = quantise_dynamically(a)
    exact = (q.astype(np.int64) - int(zero)) @ (b.astype(np.int64) - 3)
    case("dynamic_quantize_matmul", "DynamicQuantizeMatMul", [a, b, f(0.02), np.int8(3), bias],
         [(exact * (np.float64(scale) * f(0.02)) + bias).astype(f)], constants=[1, 2, 3, 4])
    for dtype, zero in ((np.uint8, np.uint8(0)), (np.int8, np.int8(-128))):
        x = byte_tensor(2, 3, 9, dtype=dtype)
        case(f"qlinear_softmax_{dtype.__name__}", "QLinearSoftmax", [x, f(0.05), dtype(3), f(1 / 256), zero],
             [softmax_of_bytes(x, f(0.05), 1 / 256, zero)], constants=[1, 2, 3, 4], axis=-1, attr_opset=13)
    x = byte_tensor(2, 3, 9)
    flat = softmax_of_bytes(x.reshape(2, 27), f(0.02), 1 / 256, np.uint8(0)).reshape(x.shape)
    case("qlinear_softmax_early", "QLinearSoftmax", [x, f(0.02), np.uint8(0), f(1 / 256), np.uint8(0)], [flat],
         constants=[1, 2, 3, 4], axis=1, attr_opset=12)


# ---- products ----

def packed(q):
    """Rows of 4-bit numbers, the first of two in the low bits."""
    if q.shape[-1] % 2 == 1:
        q = np.concatenate([q, np.zeros(q.shape[:-1] + (1,), q.dtype)], -1)
    return (q[..., 0::2] | q[..., 1::2] << 4).astype(np.uint8)


def add_nbits(name, depth, columns, block, bits, zeros, dtype=np.float32, has_bias=False):
    blocks = -(-depth // block)
    q = RANDOM.randint(0, 1 << bits, (columns, blocks, block)).astype(np.uint8)
    scales = (reals(columns, blocks, scale=0.1) ** 2 + 0.01).astype(dtype)
    points = np.full((columns, blocks), 1 << (bits - 1), np.float64)
    given = None
    if zeros == "packed":
        points = RANDOM.randint(0, 1 << bits, (columns, blocks)).astype(np.uint8)
        given = packed(points) if bits == 4 else points
    elif zeros == "real":
        given = reals(columns, blocks).astype(dtype)
        points = given
    weights = ((q - points[..., None].astype(np.float64)) * scales[..., None].astype(np.float64))
    weights = weights.reshape(columns, -1)[:, :depth].astype(dtype)
    a = reals(2, 3, depth).astype(dtype)
    bias = reals(columns).astype(dtype) if has_bias else None
    made = a.astype(np.float64) @ weights.astype(np.float64).T + (0 if bias is None else bias)
    case(name, "MatMulNBits", [a, packed(q) if bits == 4 else q, scales, given, None, bias], [made.astype(dtype)],
         constants=[1, 2, 3, 5], tolerance=1e-3 if dtype == np.float16 else 2e-6, K=depth, N=columns,
         block_size=block, bits=bits)


def add_products():
    a, b = reals(2, 3, 4), reals(2, 5, 4)
    case("fused_matmul", "FusedMatMul", [a, b], [(a.astype(float) @ b.transpose(0, 2, 1) * 0.25).astype(np.float32)],
         transB=1, alpha=0.25)
    case("fused_matmul_a", "FusedMatMul", [a.transpose(0, 2, 1).copy(), b],
         [(a.astype(float) @ b.transpose(0, 2, 1)).astype(np.float32)], transA=1, transB=1)
    c = reals(4, 2, 3)  # batch behind the rows
    case("fused_matmul_batch", "FusedMatMul", [c, b],
         [(c.transpose(1, 0, 2)[:, :, :].astype(float).transpose(0, 2, 1) @ b.transpose(0, 2, 1)).astype(np.float32)],
         transA=1, transBatchA=1, transB=1)
    m, n, bias = reals(3, 4), reals(4, 5), reals(5)
    product = m.astype(float) @ n + bias
    case("fused_gemm", "FusedGemm", [m, n, bias], [np.maximum(product, 0).astype(np.float32)], constants=[1, 2],
         activation="Relu")
    case("fused_gemm_leaky", "FusedGemm", [m, n, bias],
         [np.where(product < 0, product * 0.3, product).astype(np.float32)], constants=[1, 2], activation="LeakyRelu",
         activation_alpha=0.3)
    x, w, z = reals(1, 2, 4, 4), reals(3, 2, 1, 1), reals(1, 3, 4, 4)
    conv = np.einsum("ncij,mc->nmij", x.astype(float), w[:, :, 0, 0])
    case("fused_conv", "FusedConv", [x, w, reals(3) * 0, z], [np.clip(conv + z, -0.5, 0.5).astype(np.float32)],
         constants=[1, 2], activation="Clip", activation_params=[-0.5, 0.5])
    add_nbits("matmul_4bits", 64, 6, 32, 4, None)
    add_nbits("matmul_4bits_zeros", 96, 6, 32, 4, "packed")
    add_nbits("matmul_4bits_real_zeros", 64, 6, 16, 4, "real")
    add_nbits("matmul_4bits_cut", 40, 5, 16, 4, "packed", has_bias=True)
    add_nbits("matmul_8bits", 64, 6, 32, 8, "packed", has_bias=True)
    add_nbits("matmul_4bits_f16", 64, 6, 32, 4, "packed", dtype=np.float16)


# ---- recurrent ----

def dynamic_bytes(x):
    """What DynamicQuantizeLinear makes of x, less the zero point, and the scale."""
    low, high = min(np.float32(0), x.min()), max(np.float32(0), x.max())
    scale = np.float32(high - low) / np.float32(255)
    scale = np.float32(1) if scale == 0 else scale
    zero = np.rint(np.float32(0 - low) / scale)
    return np.clip(np.rint(x / scale) + zero, 0, 255) - zero, scale


def quantised_direction(x, w, r, bias, scales):
    """One direction of DynamicQuantizeLSTM: weights are whole numbers, scales one or one for each column."""
    hidden = r.shape[0]
    h = c = np.zeros((x.shape[1], hidden), np.float32)
    bytes_x, x_scale = dynamic_bytes(x)
    made = []
    for step in bytes_x:
        bytes_h, h_scale = dynamic_bytes(h.astype(np.float32))
        gates = step @ w * (x_scale * scales[0]) + bytes_h @ r * (h_scale * scales[1])
        gates = gates.astype(np.float64) + bias[:4 * hidden] + bias[4 * hidden:]
        i, o, f, g = np.split(gates, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        made.append(h)
    return np.array(made), h, c


def add_dynamic_lstm(name, dtype, is_by_column, directions):
    """Sequences of a batch are quantised together, inputs of all steps too, hidden states in each step."""
    steps, batch, width, hidden = 6, 3, 5, 4
    x, bias = reals(steps, batch, width), reals(directions, 8 * hidden, scale=0.2)
    low = np.iinfo(dtype).min
    w, r = (RANDOM.randint(low, low + 256, (directions, n, 4 * hidden)).astype(dtype) for n in (width, hidden))
    shape = (directions, 4 * hidden) if is_by_column else (directions,)
    scales = [(0.005 + 0.005 * RANDOM.random_sample(shape)).astype(np.float32) for _ in range(2)]
    zeros = [RANDOM.randint(low + 100, low + 156, shape).astype(dtype) for _ in range(2)]
    all_h, last_h, last_c = [], [], []
    for d in range(directions):
        whole = [a[d].astype(float) - b[d].astype(float) for a, b in zip((w, r), zeros)]
        made, h, c = quantised_direction(x[::-1] if d else x, *whole, bias[d], [s[d] for s in scales])
        all_h.append(made[::-1] if d else made)
        last_h.append(h)
        last_c.append(c)
    case(name, "DynamicQuantizeLSTM", [x, w, r, bias, None, None, None, None, scales[0], zeros[0], scales[1], zeros[1]],
         [np.stack(all_h, 1).astype(np.float32), np.array(last_h, np.float32), np.array(last_c, np.float32)],
         constants=[1, 2, 3, 8, 9, 10, 11], hidden_size=hidden,
         direction="bidirectional" if directions == 2 else "forward")


# ---- gates and states ----

def add_gated():
    a, b = reals(2, 3, 8), reals(2, 3, 8)
    case("swiglu", "SwiGLU", [a, b], [(a * sigmoid(a) * b).astype(np.float32)], domain="", opset=26)
    case("swiglu_alpha", "SwiGLU", [a, b], [(a * sigmoid(0.5 * a) * b).astype(np.float32)], domain="", opset=26,
         alpha=0.5)
    x, w, bias, past = reals(2, 3, 7), reals(3, 1, 4), reals(3), reals(2, 3, 3)
    for name, before in (("", past), ("_first", np.zeros_like(past))):
        rows = np.concatenate([before, x], 2)
        made = sum(rows[:, :, i:i + 7].astype(float) * w[:, 0, i][None, :, None] for i in range(4)) + bias[:, None]
        inputs = [x, w, bias] + ([past] if name == "" else [])
        case(f"causal_conv{name}", "CausalConvWithState", inputs, [made.astype(np.float32), rows[:, :, -3:]], domain="",
             opset=26, constants=[1, 2])
    case("causal_conv_silu", "CausalConvWithState", [x, w, bias], [(made * sigmoid(made)).astype(np.float32)],
         domain="", opset=26, constants=[1, 2], activation="silu")


add_norms()
add_gated()
add_quantised(np.uint8)
add_quantised(np.int8)
add_more_quantised()
add_products()
add_dynamic_lstm("dynamic_lstm", np.int8, False, 1)
add_dynamic_lstm("dynamic_lstm_columns", np.uint8, True, 2)
