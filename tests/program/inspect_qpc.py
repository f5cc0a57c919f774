#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of containers that shares nothing with ours.

    inspect_qpc.py extract FILE SEGMENT       its bytes to standard output
    inspect_qpc.py places FILE                where each segment's data starts
    inspect_qpc.py seal FILE                  recomputes every checksum; prints how many there are
"""
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    magic, major, minor, form, size, base, count, table = struct.unpack_from("<IBBHQQQQ", data)
    assert (magic, major, minor, form, size) == (0xA1CD7C, 0, 1, 1, len(data)), "header"
    segments = []
    for i in range(count):
        size, offset, name, place = struct.unpack_from("<4Q", data, table - base + 32 * i)
        name = data[name - base:data.index(b"\0", name - base)].decode()
        segments.append((name, offset, place - base, data[place - base:place - base + size]))
    return data, segments


def check_seal(path):
    data, segments = read(path)
    seal = {name: content for name, _, _, content in segments}["segments.crc32c"]
    magic, version, count, head_crc, head_len = struct.unpack_from("<4sIIIQ", seal)
    assert (magic, version, count) == (b"TSEA", 1, len(segments) - 1), "head of the seal"
    assert crc32c(data[:head_len]) == head_crc, "head of the container"
    assert struct.unpack_from("<I", seal, len(seal) - 4)[0] == crc32c(seal[:-4]), "seal"
    others = [s for s in segments if s[0] != "segments.crc32c"]
    for i, (name, _, place, content) in enumerate(others):
        assert place % 8 == 0, name
        expected = (crc32c(name.encode()), crc32c(content), len(content))
        assert struct.unpack_from("<IIQ", seal, 24 + 16 * i) == expected, name
    print(f"{len(others)} segments sealed")


def main():
    if sys.argv[1:2] == ["extract"] and len(sys.argv) == 4:
        contents = {name: content for name, _, _, content in read(sys.argv[2])[1]}
        sys.stdout.buffer.write(contents[sys.argv[3]])
    elif sys.argv[1:2] == ["places"] and len(sys.argv) == 3:
        print(*(place for _, _, place, _ in read(sys.argv[2])[1]))
    elif sys.argv[1:2] == ["seal"] and len(sys.argv) == 3:
        check_seal(sys.argv[2])
    else:
        sys.exit(__doc__)


main()
