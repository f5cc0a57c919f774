#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A runtime that lies: the real one, RUNTIME, with one of its answers changed as MODE says.

`tests/remote/run.sh` copies it to the board with both words replaced. It is written from the
description of the messages in src/remote/wire.h.
"""
import os
import select
import struct
import subprocess
import sys
import threading

RUNTIME, MODE = "@RUNTIME@", "@MODE@"
HELLO, LOADED, RESULT, VALUE, FAILED = 1, 7, 11, 13, 15
YEARS_50 = 50 * 365 * 86400 * 10**9


def read(source, count):
    data = b""
    while len(data) < count:
        piece = source.read(count - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def send(kind, payload, elapsed=0, length=None):
    size = len(payload) if length is None else length
    head = b"TBR2" + struct.pack("<IQQI", kind, size, elapsed, crc32c(payload))
    sys.stdout.buffer.write(head + struct.pack("<I", crc32c(head)) + payload)
    sys.stdout.buffer.flush()


def wait_for_the_end():
    """Says nothing until the host is gone."""
    host = select.poll()
    host.register(0, 0)
    host.poll()
    os._exit(0)


def send_without_end(kind):
    send(kind, b"", length=1 << 62)
    while True:
        sys.stdout.buffer.write(bytes(1 << 16))


def change(kind, payload, honest):
    """What becomes of an honest message, whose header is |honest|."""
    if MODE == "endless value" and kind == VALUE or MODE == "endless result" and kind == RESULT or \
            MODE == "endless load" and kind == LOADED or MODE == "endless hello" and kind == HELLO:
        send_without_end(kind)
    if MODE == "stuck" and kind == RESULT:  # it never comes
        with open(os.environ["TACHO_BOARD_LOCK"] + ".reached", "w", encoding="utf-8"):
            pass
        wait_for_the_end()
    if MODE == "older" and kind == HELLO:
        payload = struct.pack("<IQ5sQ5s", 1, 5, b"0.0.1", 5, b"older")
    if MODE == "damage" and kind == VALUE:  # after its checksum was made
        sys.stdout.buffer.write(honest + payload[:-1] + bytes([payload[-1] ^ 4]))
        sys.stdout.buffer.flush()
        wait_for_the_end()
    if MODE == "late" and kind == RESULT:  # no time is that late
        payload = payload[:16] + struct.pack("<q", 2**63 - 1) + payload[24:]
    if MODE == "long" and kind == RESULT:  # one could be that long, but not two
        payload = payload[:16] + struct.pack("<q", YEARS_50) + payload[24:]
    if MODE == "shape" and kind == VALUE:  # the same bytes as 1 x 1 x all
        index, dtype, rank = struct.unpack_from("<QII", payload)
        dims = struct.unpack_from(f"<{rank}Q", payload, 16)
        count = 1
        for dim in dims:
            count *= dim
        payload = struct.pack("<QIIQQQ", index, dtype, 3, 1, 1, count) + payload[16 + 8 * rank:]
    if MODE == "terminal" and kind == RESULT:  # text that would act on a terminal
        words = b"\x1b[2Jsorry\x07"
        kind, payload = FAILED, struct.pack("<IIQ", 3, 1, len(words)) + words + struct.pack("<I", 0)
    return kind, payload


def main():
    if MODE == "silent":
        wait_for_the_end()
    lock = {"TACHO_BOARD_LOCK": os.environ["TACHO_BOARD_LOCK"] + "." + MODE}  # liars are there at the same time
    board = subprocess.Popen([RUNTIME], stdin=sys.stdin, stdout=subprocess.PIPE, env={**os.environ, **lock})
    if MODE == "errors":  # without end, beside honest answers
        threading.Thread(target=lambda: [os.write(2, b"x" * 4096) for _ in iter(int, 1)], daemon=True).start()
    while True:
        head = read(board.stdout, 32)
        _, kind, length, elapsed = struct.unpack_from("<4sIQQ", head)
        send(*change(kind, read(board.stdout, length), head), 2**64 - 1 if MODE == "clock" else elapsed)


main()
