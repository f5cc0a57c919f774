#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Composes QPC containers as compilers for Qualcomm Cloud AI 100 lay them out, good and bad.

    make_qpc.py KIND OUT

heap      pointers are addresses of the writer's memory; data at multiples of 8
file      pointers are offsets; data follows the names without alignment
bare      no description, a segment nobody knows
counted   the ops of two cores are counted, not named
overlap   the second segment starts within the first
count     says that there are 2^40 segments
cut       half of `file`
unread    a description that is no description
"""
import struct
import sys


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def uint(number, value):
    return varint(number << 3) + varint(value)


def blob(number, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def binding(number, name, kind, dims, scale=None):
    descriptor = uint(1, kind) + (b"\x15" + struct.pack("<f", scale) if scale else b"")
    descriptor += blob(4, b"".join(map(varint, dims)))
    return blob(number, blob(1, name) + blob(2, descriptor) + blob(3, descriptor))


def op(name, kind):
    return blob(1, blob(1, name) + blob(2, kind) + uint(7, 4096))


def recording(kind):
    if kind == "counted":
        return uint(3, 40) + blob(11, varint(12) + varint(9)) + uint(9, 19200)
    groups = blob(1, op("conv1", "Convolution") + op("fc", "FullyConnected"))
    groups += blob(1, op("relu", "Relu"))
    return (uint(1, 2) + uint(2, 1) + uint(3, 70) + uint(5, 1) + uint(6, 70) + uint(7, 2)
            + uint(8, 1) + uint(9, 19200) + uint(10, 0x3) + uint(10, 0x200) + uint(11, 3)
            + blob(12, groups))


def description(kind):
    return (uint(1, 9) + blob(3, "vision") + binding(4, "data", 0, [1, 3, 224, 224])
            + binding(4, "mask", 2, [1, 224], 0.25) + binding(5, "prob", 1, [1, 1000])
            + blob(6, uint(1, 602112)) + blob(6, uint(1, 224))
            + blob(6, uint(1, 65536) + uint(2, 1)) + uint(7, 1) + uint(8, 4) + uint(9, 2)
            + blob(10, b"\x01\x02") + blob(12, recording(kind)) + blob(13, "HMX")
            + blob(13, "HVX") + uint(14, 1) + blob(200, "of a later version"))


def container(segments, base, alignment):
    table = 40
    names = table + 32 * len(segments)
    end = names + sum(len(name) + 1 for name, _, _ in segments)
    rows, data = b"", b""
    for name, offset, content in segments:
        place = -(-end // alignment) * alignment
        data += b"\0" * (place - end) + content
        rows += struct.pack("<4Q", len(content), offset, base + names, base + place)
        names += len(name) + 1
        end = place + len(content)
    head = struct.pack("<IBBHQQQQ", 0x00A1CD7C, 0, 1, 1, end, base, len(segments), base + table)
    return head + rows + b"".join(name.encode() + b"\0" for name, _, _ in segments) + data


def compose(kind):
    elf = b"\x7fELF" + bytes(range(61))
    segments = [("network.elf", 0, elf), ("networkdesc.bin", 0, description(kind)),
                ("constants.bin", 64, b"\x11" * 101), ("opstatsdesc.bin", 0, b"\x08\x01")]
    if kind == "bare":
        segments = [("network.elf", 0, elf), ("notes\x1b[31m", 0, b"")]
    if kind == "unread":
        segments[1] = ("networkdesc.bin", 0, b"\xff\xff\xff")
    base, alignment = (0x7F21B4000B60, 8) if kind == "heap" else (0, 1)
    whole = bytearray(container(segments, base, alignment))
    if kind == "overlap":
        struct.pack_into("<Q", whole, 40 + 32 + 24, struct.unpack_from("<Q", whole, 64)[0] + 10)
    if kind == "count":
        struct.pack_into("<Q", whole, 24, 1 << 40)
    return whole[:len(whole) // 2] if kind == "cut" else whole


def main():
    if len(sys.argv) != 3 or f"\n{sys.argv[1]} " not in __doc__:
        sys.exit(__doc__)
    with open(sys.argv[2], "wb") as file:
        file.write(compose(sys.argv[1]))


main()
