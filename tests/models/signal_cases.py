# SPDX-License-Identifier: Apache-2.0
"""Spectra, determinants, different elements, blocks, grids and deformed convolutions, with results computed here by
numpy: see composed_cases.py. Lengths are powers of two, primes, 1 and 0; axes are counted from both ends."""
import numpy as np

from composed_cases import RANDOM, case, reals

CLOSE = {np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-12}


def numbers(dtype, *shape):
    return RANDOM.standard_normal(shape).astype(dtype)


def plain(name, op, inputs, outputs, *, opset=20, constants=(), tolerance=0, **attrs):
    """|tolerance| 0: that of the first output's type."""
    kind = np.asarray(outputs[0]).dtype.type
    case(name, op, inputs, outputs, domain="", opset=opset, constants=constants,
         tolerance=tolerance or CLOSE.get(kind, 2e-6), **attrs)


# ---- spectra ----

def pairs(x):
    return np.stack([x.real, x.imag], -1)


def add_dft(name, x, axis, length=None, inverse=0, onesided=0, opset=20):
    """x has its parts last; by numpy's transforms in double."""
    signal = x[..., 0].astype(float) + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    along = axis % x.ndim
    if inverse and onesided:
        made = np.fft.irfft(signal, length, along)[..., None]
    elif inverse:
        made = pairs(np.fft.ifft(signal, length, along))
    else:
        made = pairs((np.fft.rfft if onesided else np.fft.fft)(signal.real if onesided else signal, length, along))
    given = None if length is None else np.array(length, np.int64)
    inputs = [x, given] if opset < 20 else [x, given, np.array(axis, np.int64)]
    attrs = {"axis": axis} if opset < 20 else {}
    plain(f"dft_{name}", "DFT", inputs, [made.astype(x.dtype)], opset=opset, constants=[1, 2], inverse=inverse,
          onesided=onesided, **attrs)


def add_spectra():
    for dtype in (np.float16, np.float32, np.float64):
        add_dft(f"even_{dtype.__name__}", numbers(dtype, 2, 16, 3, 1), 1)
        add_dft(f"prime_{dtype.__name__}", numbers(dtype, 2, 13, 3, 2), -3)
    for length in (1, 2, 3, 12, 17, 100, 257):
        x = numbers(np.float32, 3, length, 2)
        add_dft(f"length_{length}", x, -2)
        add_dft(f"back_{length}", x, -2, inverse=1)
        add_dft(f"half_{length}", x[..., :1], -2, onesided=1)
    for length in (1, 4, 7, 30):
        add_dft(f"whole_{length}", numbers(np.float32, 2, length // 2 + 1, 2), 1, length, inverse=1, onesided=1)
    add_dft("whole", numbers(np.float32, 2, 9, 2), 1, inverse=1, onesided=1)
    add_dft("whole_short", numbers(np.float32, 2, 9, 2), 1, 6, inverse=1, onesided=1)
    add_dft("padded", numbers(np.float32, 2, 5, 2), 1, 11)
    add_dft("cut", numbers(np.float32, 2, 11, 2), 1, 6)
    add_dft("first", numbers(np.float32, 6, 4, 5, 1), 0)
    add_dft("attr", numbers(np.float32, 2, 6, 4, 1), 2, 8, onesided=1, opset=17)
    none = np.zeros((0, 8, 1), np.float32)
    plain("dft_none", "DFT", [none], [np.zeros((0, 8, 2), np.float32)])
    for length, step, has_window, onesided in ((16, 8, True, 1), (15, 4, True, 0), (9, 9, False, 1), (40, 1, False, 1)):
        x, window = numbers(np.float32, 2, 40, 1), numbers(np.float32, length)
        count = (40 - length) // step + 1
        frames = np.stack([x[:, i * step:i * step + length, 0] for i in range(count)], 1).astype(float)
        frames = frames * window if has_window else frames
        made = pairs((np.fft.rfft if onesided else np.fft.fft)(frames)).astype(np.float32)
        plain(f"stft_{length}_{step}", "STFT",
              [x, np.array(step), window if has_window else None, np.array(length)], [made], opset=17,
              constants=[1, 2, 3], onesided=onesided)
    both = numbers(np.float32, 1, 24, 2)
    made = np.fft.fft(np.stack([both[:, i:i + 8, 0] + 1j * both[:, i:i + 8, 1] for i in (0, 8, 16)], 1))
    plain("stft_complex", "STFT", [both, np.array(8), np.ones(8, np.float32)], [pairs(made).astype(np.float32)],
          opset=17, constants=[1], onesided=0)


def mel_matrix(bands, length, rate, low, high):
    to_mel = lambda f: 2595 * np.log10(1 + f / 700)
    at = np.arange(bands + 2) * (to_mel(high) - to_mel(low)) / (bands + 2) + to_mel(low)
    edges = ((length + 1) * (700 * (10**(at / 2595) - 1)) // rate).astype(int)
    made = np.zeros((length // 2 + 1, bands))
    for band, (a, b, c) in enumerate(zip(edges, edges[1:], edges[2:])):
        for i in range(len(made)):
            rise = (i - a) / (b - a) if b > a else 1
            made[i, band] = (c - i) / (c - b) if b <= i < c else rise if a <= i <= b else 0
    return made


def add_mel():
    for bands, length, rate, low, high in ((8, 64, 16000, 0.0, 8000.0), (40, 400, 16000, 20.0, 7600.0),
                                           (3, 7, 100, 1.0, 40.0)):
        plain(f"mel_{bands}", "MelWeightMatrix", [np.array(bands), np.array(length), np.array(rate, np.int32),
                                                  np.float32(low), np.float32(high)],
              [mel_matrix(bands, length, rate, low, high).astype(np.float32)], opset=17, constants=[0, 1, 2, 3])


# ---- matrices and lists ----

def add_matrices():
    for dtype in (np.float16, np.float32, np.float64):
        for shape in ((4, 4), (2, 3, 5, 5), (2, 1, 1), (0, 3, 3)):
            x = numbers(dtype, *shape)
            plain(f"det_{dtype.__name__}_{'x'.join(map(str, shape))}", "Det", [x],
                  [np.asarray(np.linalg.det(x.astype(float))).astype(dtype)], opset=11)
    plain("det_singular", "Det", [np.array([[1, 2], [2, 4]], np.float32)], [np.float32(0)], opset=11)
    plain("det_swap", "Det", [np.array([[0, 1], [1, 0]], np.float32)], [np.float32(-1)], opset=11)
    plain("det_empty", "Det", [np.zeros((0, 0), np.float32)], [np.float32(1)], opset=11)


def unique(x, axis, is_sorted):
    """Numpy's, in the order in which elements come where they are not sorted."""
    values, first, inverse, count = np.unique(x, True, True, True, axis)
    order = np.arange(len(first)) if is_sorted else np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return [np.take(values, order, 0 if axis is None else axis), first[order].astype(np.int64),
            place[inverse.ravel()], count[order].astype(np.int64)]


def add_lists():
    for dtype in (np.float16, np.float32, np.float64, np.int8, np.uint8, np.int32, np.int64, bool):
        x = RANDOM.randint(-3, 4, (5, 6)).astype(dtype)
        for axis in (None, 0, -1) if dtype in (np.float32, np.int8) else (None,):
            for is_sorted in (1, 0) if axis is None or dtype is np.float32 else (1,):
                plain(f"unique_{np.dtype(dtype).name}_{axis}_{is_sorted}", "Unique", [x], unique(x, axis, is_sorted),
                      opset=11, attr_sorted=is_sorted, **({} if axis is None else {"axis": axis}))
    big = np.array([2**64 - 1, 1, 2**63, 1], np.uint64)
    plain("unique_u64", "Unique", [big], unique(big, None, 1), opset=11)
    rows = RANDOM.randint(0, 2, (2, 4, 3)).astype(np.int64)
    plain("unique_inner", "Unique", [rows], unique(rows, 1, 1), opset=11, axis=1)
    none = np.zeros(0, np.float32)
    plain("unique_none", "Unique", [none], [none, *[np.zeros(0, np.int64)] * 3], opset=11)
    odd = np.array([np.nan, 0.0, np.inf, -0.0, np.nan, -np.inf], np.float32)
    plain("unique_odd", "Unique", [odd], [np.array([-np.inf, 0, np.inf, np.nan], np.float32), np.array([5, 1, 2, 0]),
                                          np.array([3, 1, 2, 1, 3, 0]), np.array([1, 2, 1, 2])], opset=11)


# ---- pictures ----

def add_blocks(name, channels, image, block, strides, dilations, pads, dtype=np.float32):
    space = len(image)
    counts = [(image[i] + pads[i] + pads[space + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
              for i in range(space)]
    x = RANDOM.randint(-9, 10, (2, channels * int(np.prod(block)), int(np.prod(counts)))).astype(dtype)
    made = np.zeros((2, channels, *image), dtype)
    for n, c, e, p in np.ndindex(2, channels, int(np.prod(block)), int(np.prod(counts))):
        inside, place = np.unravel_index(e, block), np.unravel_index(p, counts)
        at = [place[i] * strides[i] - pads[i] + inside[i] * dilations[i] for i in range(space)]
        if all(0 <= at[i] < image[i] for i in range(space)):
            made[(n, c, *at)] += x[n, c * int(np.prod(block)) + e, p]
    plain(f"col2im_{name}", "Col2Im", [x, np.array(image), np.array(block)], [made], opset=18, constants=[1, 2],
          strides=strides, dilations=dilations, pads=pads)


def add_grid(name, size, is_aligned, dtype=np.float32):
    space = len(size) - 2
    theta = numbers(dtype, size[0], space, space + 1)
    lines = [np.linspace(-1, 1, n) if is_aligned else (np.arange(n) * 2 + 1) / n - 1 for n in size[2:]]
    places = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(size[2:])], -1)
    made = np.einsum("nij,...j->n...i", theta.astype(float), places).astype(dtype)
    plain(f"affine_grid_{name}", "AffineGrid", [theta, np.array(size)], [made], constants=[1],
          align_corners=int(is_aligned))


def bilinear(plane, y, x):
    total = 0.0
    for at_y in (int(np.floor(y)), int(np.floor(y)) + 1):
        for at_x in (int(np.floor(x)), int(np.floor(x)) + 1):
            if 0 <= at_y < plane.shape[0] and 0 <= at_x < plane.shape[1]:
                total += (1 - abs(y - at_y)) * (1 - abs(x - at_x)) * float(plane[at_y, at_x])
    return total


def add_deformed(name, group, offset_group, strides, dilations, pads, has_mask=True, dtype=np.float32, size=(6, 5)):
    x, w, bias = numbers(dtype, 2, 4, *size), numbers(dtype, 6, 4 // group, 3, 2), numbers(dtype, 6)
    high = (size[0] + pads[0] + pads[2] - dilations[0] * 2 - 1) // strides[0] + 1
    wide = (size[1] + pads[1] + pads[3] - dilations[1] - 1) // strides[1] + 1
    offset = (2 * RANDOM.standard_normal((2, offset_group * 12, high, wide))).astype(dtype)
    mask = numbers(dtype, 2, offset_group * 6, high, wide) if has_mask else None
    made = np.zeros((2, 6, high, wide)) + bias.astype(float)[None, :, None, None]
    for n, o, i, j, c, k, l in np.ndindex(2, 6, high, wide, 4 // group, 3, 2):
        channel = o // (6 // group) * (4 // group) + c
        row = channel // (4 // offset_group) * 6 + k * 2 + l
        y = i * strides[0] - pads[0] + k * dilations[0] + float(offset[n, row * 2, i, j])
        z = j * strides[1] - pads[1] + l * dilations[1] + float(offset[n, row * 2 + 1, i, j])
        weight = float(mask[n, row, i, j]) if has_mask else 1.0
        made[n, o, i, j] += weight * float(w[o, c, k, l]) * bilinear(x[n, channel], y, z)
    plain(f"deform_{name}", "DeformConv", [x, w, offset, bias, mask], [made.astype(dtype)], opset=19, constants=[1, 3],
          group=group, offset_group=offset_group, strides=strides, dilations=dilations, pads=pads)


def add_all():
    add_spectra()
    add_mel()
    add_matrices()
    add_lists()
    add_blocks("plain", 1, (5, 5), (1, 5), (1, 1), (1, 1), (0, 0, 0, 0))
    add_blocks("overlap", 3, (6, 7), (3, 2), (1, 2), (1, 1), (1, 0, 1, 1))
    add_blocks("dilated", 2, (7, 8), (2, 3), (2, 1), (3, 2), (2, 1, 0, 1), np.int32)
    add_blocks("line", 2, (9,), (4,), (3,), (1,), (2, 1), np.float64)
    add_blocks("cube", 1, (3, 4, 5), (2, 2, 2), (1, 1, 1), (1, 1, 1), (0,) * 6, np.float16)
    for is_aligned in (True, False):
        add_grid(f"flat_{is_aligned}", (2, 3, 4, 5), is_aligned)
        add_grid(f"deep_{is_aligned}", (1, 1, 2, 3, 4), is_aligned, np.float64)
    add_deformed("plain", 1, 1, (1, 1), (1, 1), (0, 0, 0, 0))
    add_deformed("groups", 2, 4, (2, 1), (1, 2), (1, 1, 2, 0))
    add_deformed("unmasked", 1, 2, (1, 2), (2, 1), (2, 1, 2, 1), False, np.float64)
    add_deformed("wide", 2, 1, (1, 1), (1, 1), (1, 0, 1, 1), False, size=(30, 37))  # places come in blocks of 1024
    add_deformed("half", 1, 1, (1, 1), (1, 1), (1, 1, 1, 1), True, np.float16)
