#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small Perfetto trace as other tools write them: compose.py KIND > trace.pb"""
import sys
import zlib

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def packet(*parts):
    return data(1, b"".join(parts))


def track(uuid, name, parent=0, more=b""):
    return packet(data(60, number(1, uuid) + data(2, name) + (number(5, parent) if parent else b"") + more))


def event(time, kind, uuid, name="", more=b""):
    body = number(9, kind) + number(11, uuid) + (data(23, name) if name else b"") + more
    return packet(number(8, time), number(10, 1), data(11, body))


def span(uuid, name, start, end):
    """Both ends at once, as the vendor's tool writes them: so inner spans go back in time."""
    return event(start, BEGIN, uuid, name) + event(end, END, uuid, name)


def vendor():
    out = track(1, "Host") + track(2, "HAL", 1) + track(3, "Host Copy", 1)
    out += track(4, "NPU Task Measurements") + track(5, "DMA In Used", 4) + track(6, "Slice 0 Used", 4)
    out += track(7, "NPU Task Breakdown") + track(8, "Slice 0 (Compile)", 7)
    out += track(9, "Host Profile Overview") + track(10, "15 OVERALL", 9)
    out += span(2, "Hal | QUEUE_EXECUTE", 1000, 9000) + span(2, "Hal | WAIT", 2000, 8000)
    out += span(3, "Host Copy | loc", 500, 900)
    out += span(5, "Dma In | loc", 3000, 4000) + span(6, "Slice Program | conv", 4000, 7000)
    out += span(8, "Slice Program | conv", 4000, 6500) + span(10, "OVERALL: 8.5 us", 500, 9000)
    return out


def vendor_estimate():
    """What the vendor's tool makes of a compiler's estimate: inner units, and programs that use them."""
    out = track(1, "Host") + track(2, "NSS Programs", 1)
    out += track(3, "NPU Task Breakdown") + track(4, "NDMA In", 3) + track(5, "Slice 0", 3)
    out += track(6, "NPU Task Measurements") + track(7, "DMA In Used", 6) + track(8, "Slice 0 Used", 6)
    out += span(2, "Nss Program | p", 0, 1000) + span(4, "Dma In | loc", 0, 400)
    out += span(5, "Slice Program | conv", 300, 1000)
    out += span(7, "Nss Program | p", 0, 1000) + span(8, "Nss Program | p", 0, 1000)
    out += track(9, "Compile Profile Overview") + track(10, "15 OVERALL", 9)
    return out + span(10, "OVERALL: 1.000us", 0, 1000)


def vendor_old():
    """A compiler's estimate as the oldest tool draws it: a process, its engines as threads."""

    def thread(uuid, pid, name):
        return packet(data(60, number(1, uuid) + data(4, number(1, pid) + number(2, uuid) + data(5, name))))

    def process(uuid, name):
        return packet(data(60, number(1, uuid) + data(3, number(1, uuid) + data(6, name))))

    out = process(1, "01 timeline.csv") + thread(2, 1, "DMA IN")
    out += span(2, "DMA_IN, DI0, MLIR - a.mlir:4:10, dur=400 (40.00%)", 0, 400)
    out += thread(3, 1, "SLICE 0") + span(3, "conv2d, S0, MLIR - a.mlir:4:10, dur=700 (70.00%)", 300, 1000)
    out += process(4, "01 timeline.csv Overview") + thread(5, 4, "00 OVERVIEW DMA") + thread(6, 4, "05 OVERALL")
    return out + span(5, "DMA total: 400 (40.00%)", 0, 400) + span(6, "OVERALL: 1000", 0, 1000)


def state():
    """Interned strings, a delta clock, threads, counters and flows, half of it compressed."""
    clocks = data(6, data(1, number(1, 6) + number(2, 5000)) + data(1, number(1, 64) + number(2, 0) + number(3, 1)))
    strings = data(12, data(1, number(1, 1) + data(2, "gpu")) + data(2, number(1, 1) + data(2, "kernel")))
    head = packet(number(10, 7), number(13, 1), data(59, number(58, 64)), clocks, strings)
    head += packet(data(60, number(1, 1) + data(3, number(1, 42) + data(6, "app"))))
    head += packet(data(60, number(1, 2) + data(4, number(1, 42) + number(2, 43) + data(5, "worker"))))
    head += packet(data(60, number(1, 3) + data(2, "memory") + number(5, 1) + data(8, number(3, 3) + number(4, 1024))))
    flow = varint(47 << 3 | 1) + (1 << 40).to_bytes(8, "little")

    def delta(time, body):
        return packet(number(8, time), number(10, 7), number(13, 2), data(11, body))

    tail = delta(100, number(9, BEGIN) + number(11, 2) + number(10, 1) + number(3, 1) + flow)
    tail += delta(50, number(9, COUNTER) + number(11, 3) + number(30, 3))
    tail += delta(25, number(9, END) + number(11, 2) + data(4, data(10, "code") + number(4, -1)))
    tail += delta(25, number(9, INSTANT) + number(11, 1) + data(23, "done") + flow)
    tail += packet(data(126, data(1, data(1, "device") + data(3, "demo"))))
    return head + packet(data(50, zlib.compress(tail)))


def gpu():
    """Work as a GPU reports it: two queues, overlapping kernels, a counter; and an arrow's id used twice."""

    def stage(time, ident, length, queue, name, more=b""):
        body = number(1, ident) + number(2, length) + number(13, queue) + number(14, 3) + data(17, name) + more
        return packet(number(8, time), number(10, 1), number(13, 2), data(53, body))

    specs = [(1, "compute"), (2, "copy"), (3, "kernel")]
    strings = b"".join(data(24, number(1, iid) + data(2, name)) for iid, name in specs)
    strings += data(23, number(1, 9) + number(2, 42) + number(3, 5))
    out = packet(number(10, 1), number(13, 1), data(12, strings))
    out += packet(number(8, 1000), number(10, 1), data(52, data(1, data(1, number(1, 6) + data(2, "busy")))))
    out += stage(1000, 1, 500, 2, "upload") + stage(1500, 2, 800, 1, "gemm", number(18, 1) + number(5, 9))
    out += stage(2000, 3, 800, 1, "softmax", data(6, data(1, "shader") + data(2, "s7")))
    out += packet(number(8, 2000), number(10, 1), data(52, data(2, number(1, 6) + number(2, 75))))
    out += packet(number(8, 2100), number(10, 1), data(52, number(4, 1) + data(2, number(1, 6) + number(2, 80))))
    out += track(1, "host")
    for start in (3000, 4000):
        for field, time in ((47, start), (48, start + 500)):
            flow = varint(field << 3 | 1) + (7).to_bytes(8, "little")
            out += event(time, INSTANT, 1, "a" if field == 47 else "b", flow)
    return out


def main():
    kinds = (vendor, vendor_estimate, vendor_old, state, gpu)
    sys.stdout.buffer.write({kind.__name__: kind for kind in kinds}[sys.argv[1]]())


if __name__ == "__main__":
    main()
