#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace as Torq's runtime tool does: named tracks under named groups, pairs of begin and
end, and an overview of its own.

    torq_trace.py OUT < ROWS

A row is "group / track / start / end / name", times in microseconds; without times it is a track
alone.
"""
import sys


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def blob(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


class Trace:
    def __init__(self):
        self.packets = []
        self.uuids = {}

    def track(self, name, parent=None):
        key = (parent, name)
        if key not in self.uuids:
            self.uuids[key] = len(self.uuids) + 1
            descriptor = number(1, self.uuids[key]) + blob(2, name.encode())
            if parent is not None:
                descriptor += number(5, parent)
            self.packets.append(blob(60, descriptor))
        return self.uuids[key]

    def event(self, kind, time_us, track, name, category):
        event = number(9, kind) + number(11, track) + blob(23, name.encode())
        if category:
            event += blob(22, category.encode())
        self.packets.append(number(8, time_us * 1000) + number(10, 1) + blob(11, event))


def main():
    trace = Trace()
    for line in sys.stdin:
        fields = [field.strip() for field in line.split(" / ")]
        if len(fields) < 2:
            continue
        track = trace.track(fields[1], trace.track(fields[0]))
        if len(fields) == 5:
            category = "overview" if "Overview" in fields[0] else ""
            trace.event(1, int(fields[2]), track, fields[4], category)
            trace.event(2, int(fields[3]), track, fields[4], category)
    with open(sys.argv[1], "wb") as out:
        out.write(b"".join(blob(1, packet) for packet in trace.packets))


if __name__ == "__main__":
    main()
