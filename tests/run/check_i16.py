#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks of i16 activations, i8 weights and i48 sums (TOSA), against plain loops over integers.

    check_i16.py BIN_DIR DROPIN_DIR

Convolutions, depthwise ones, fully connected layers and pools run on cpu and sim, and with the
vendor's commands. Biases reach to the ends of 48 bits, activations to those of 16.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile


def save(path, shape, values):
    head = "{'descr': '<i2', 'fortran_order': False, 'shape': (%s,), }" % ", ".join(map(str, shape))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%dh" % len(values), *values))


def load(path):
    data = pathlib.Path(path).read_bytes()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack("<%dh" % (len(body) // 2), body)


def rescale(value, multiplier, shift):
    value = (value * multiplier + (1 << (shift - 1))) >> shift
    return max(-32768, min(32767, value))


def dense(values, shape):
    if len(shape) == 1:
        return "[" + ", ".join(map(str, values)) + "]"
    step = len(values) // shape[0]
    return "[" + ", ".join(dense(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"


def const(name, values, shape, kind):
    text = "x".join(map(str, shape)) + "x" + kind
    return '    %%%s = "tosa.const"() {values = dense<%s> : tensor<%s>} : () -> tensor<%s>\n' % (
        name, dense(values, shape), text, text)


def module(x, y, body):
    return "module {\n  func.func @main(%%x: tensor<%s>) -> tensor<%s> {\n%s    return %%r : tensor<%s>\n  }\n}\n" % (
        x, y, body, y)


def conv(rng, depthwise, h, w, c, kernel, stride, made, path):
    x = [rng.randint(-32768, 32767) for _ in range(h * w * c)]
    filters = [rng.randint(-128, 127) for _ in range(kernel * kernel * c * made)]
    channels = c * made if depthwise else made
    bias = [rng.choice([0, 1, -1]) * rng.randint(0, 1 << 46) for _ in range(channels)]
    bias[0], bias[-1] = (1 << 47) - 1 - (1 << 30), -(1 << 47) + (1 << 30)
    multipliers = [rng.randint(1 << 14, 32767) for _ in range(channels)]
    shifts = [rng.randint(20, 47) for _ in range(channels)]
    pad = kernel // 2
    oh, ow = (h + 2 * pad - kernel) // stride + 1, (w + 2 * pad - kernel) // stride + 1
    y = []
    for i in range(oh):
        for j in range(ow):
            for o in range(channels):
                total = bias[o]
                for a in range(kernel):
                    for b in range(kernel):
                        row, column = i * stride - pad + a, j * stride - pad + b
                        if not (0 <= row < h and 0 <= column < w):
                            continue
                        for k in [o // made] if depthwise else range(c):
                            weight = filters[((a * kernel + b) * c + k) * made + o % made] if depthwise else \
                                filters[((o * kernel + a) * kernel + b) * c + k]
                            total += x[(row * w + column) * c + k] * weight
                y.append(rescale(total, multipliers[o], shifts[o]))
    fshape = [kernel, kernel, c, made] if depthwise else [made, kernel, kernel, c]
    name = "depthwise_conv2d" if depthwise else "conv2d"
    xt, ft = "1x%dx%dx%dxi16" % (h, w, c), "x".join(map(str, fshape)) + "xi8"
    wt = "1x%dx%dx%dxi48" % (oh, ow, channels)
    yt = wt.replace("i48", "i16")
    body = const("w", filters, fshape, "i8") + const("b", bias, [channels], "i48") + const("z", [0], [1], "i16")
    body += const("v", [0], [1], "i8") + const("m", multipliers, [channels], "i16")
    body += const("s", shifts, [channels], "i8") + const("p", [0], [1], "i48")
    ending = ("    %%%s = tosa.%s %%x, %%w, %%b, %%z, %%v {acc_type = i48, pad = array<i64: %d, %d, %d, %d>, "
              "stride = array<i64: %d, %d>, dilation = array<i64: 1, 1>} : (tensor<%s>, tensor<%s>, tensor<%dxi48>, "
              "tensor<1xi16>, tensor<1xi8>) -> tensor<%s>\n")
    scaled = ("    %%r = tosa.rescale %%c, %%m, %%s, %%p, %%z {scale32 = false, rounding_mode = SINGLE_ROUND, "
              "per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<%s>, tensor<%dxi16>, "
              "tensor<%dxi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<%s>\n" % (wt, channels, channels, yt))
    open(path + ".mlir", "w").write(module(xt, yt, body + ending % (("c", name, pad, pad, pad, pad, stride, stride, xt, ft, channels, wt)) + scaled))
    save(path + "_x.npy", [1, h, w, c], x)
    save(path + "_y.npy", [1, oh, ow, channels], y)


def connected(rng, n, c, made, path):
    x = [rng.randint(-32768, 32767) for _ in range(n * c)]
    weights = [rng.randint(-128, 127) for _ in range(made * c)]
    bias = [rng.randint(-(1 << 40), 1 << 40) for _ in range(made)]
    sums = [bias[o] + sum(x[i * c + k] * weights[o * c + k] for k in range(c)) for i in range(n) for o in range(made)]
    body = const("w", weights, [made, c], "i8") + const("b", bias, [made], "i48") + const("z", [0], [1], "i16")
    body += const("m", [20011], [1], "i16") + const("s", [44], [1], "i8") + const("p", [0], [1], "i48")
    wt, yt = "%dx%dxi48" % (n, made), "%dx%dxi16" % (n, made)
    body += "    %%c = tosa.fully_connected %%x, %%w, %%b : (tensor<%dx%dxi16>, tensor<%dx%dxi8>, tensor<%dxi48>) -> tensor<%s>\n" % (
        n, c, made, c, made, wt)
    body += ("    %%r = tosa.rescale %%c, %%m, %%s, %%p, %%z {scale32 = false, rounding_mode = SINGLE_ROUND, per_channel = false, "
             "input_unsigned = false, output_unsigned = false} : (tensor<%s>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, "
             "tensor<1xi16>) -> tensor<%s>\n" % (wt, yt))
    open(path + ".mlir", "w").write(module("%dx%dxi16" % (n, c), yt, body))
    save(path + "_x.npy", [n, c], x)
    save(path + "_y.npy", [n, made], [rescale(v, 20011, 44) for v in sums])


def pool(rng, is_max, h, w, c, kernel, stride, path):
    x = [rng.choice([-32768, 32767, rng.randint(-32768, 32767)]) for _ in range(h * w * c)]
    oh, ow = (h - kernel) // stride + 1, (w - kernel) // stride + 1
    y = []
    for i in range(oh):
        for j in range(ow):
            for k in range(c):
                all_ = [x[((i * stride + a) * w + j * stride + b) * c + k] for a in range(kernel) for b in range(kernel)]
                power = (len(all_) - 1).bit_length()
                multiplier = ((1 << 30) + 1) * (1 << power) // len(all_)
                y.append(max(all_) if is_max else
                         max(-32768, min(32767, (sum(all_) * multiplier + (1 << (29 + power))) >> (30 + power))))
    xt, yt = "1x%dx%dx%dxi16" % (h, w, c), "1x%dx%dx%dxi16" % (oh, ow, c)
    zeros, types, acc = ("", "", "") if is_max else (", %z, %z", ", tensor<1xi16>, tensor<1xi16>", "acc_type = i32, ")
    body = const("z", [0], [1], "i16") if not is_max else ""
    body += ("    %%r = tosa.%s_pool2d %%x%s {%skernel = array<i64: %d, %d>, stride = array<i64: %d, %d>, "
             "pad = array<i64: 0, 0, 0, 0>} : (tensor<%s>%s) -> tensor<%s>\n" % (
                 "max" if is_max else "avg", zeros, acc, kernel, kernel, stride, stride, xt, types, yt))
    open(path + ".mlir", "w").write(module(xt, yt, body))
    save(path + "_x.npy", [1, h, w, c], x)
    save(path + "_y.npy", [1, oh, ow, c], y)

MODELS = ("conv", "conv_f4_s4", "depthwise", "one_by_one", "connected", "max", "avg")


def make():
    rng = random.Random(16)
    conv(rng, False, 13, 11, 7, 3, 2, 5, "conv")
    conv(rng, False, 16, 16, 16, 4, 4, 8, "conv_f4_s4")
    conv(rng, True, 9, 10, 6, 3, 1, 2, "depthwise")
    conv(rng, False, 1, 1, 2048, 1, 1, 9, "one_by_one")
    connected(rng, 3, 300, 17, "connected")
    pool(rng, True, 9, 8, 5, 3, 2, "max")
    pool(rng, False, 9, 8, 5, 3, 2, "avg")


def same(name, words):
    pathlib.Path("out.npy").unlink(missing_ok=True)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    is_same = done.returncode == 0 and load("out.npy") == load(name + "_y.npy")
    if not is_same:
        print("FAIL %s: %s" % (" ".join(map(str, words)), done.stderr[:400]))
    return is_same


def main(bin_dir, dropin_dir):
    tacho, dropin = pathlib.Path(bin_dir, "tacho").resolve(), pathlib.Path(dropin_dir).resolve()
    os.environ["PATH"] = "%s:%s:%s" % (dropin, tacho.parent, os.environ["PATH"])
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make()
        for name in MODELS:
            x = "@%s_x.npy" % name
            runs = [[tacho, "run", name + ".mlir", "-d", device, "--input", x, "--output", "@out.npy", "-q"]
                    for device in ("cpu", "sim")]
            subprocess.run(["torq-compile", name + ".mlir", "-o", "p.vmfb", "-q"], check=True)
            runs.append(["torq-run-module", "--module=p.vmfb", "--input=" + x, "--output=@out.npy"])
            count += len(runs)
            failed += sum(not same(name, words) for words in runs)
    print("%d runs, %d failed" % (count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
