#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small XPlane file as JAX records it: compose.py KIND > x.xplane.pb"""
import struct
import sys

START_NS = 1_700_000_000_000_000_000


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


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


class Plane:
    """A plane; names of stats and kinds get ids as they are first used."""

    def __init__(self, name, maps_last=True, first_id=1):
        self.name, self.maps_last = name, maps_last
        self.stats, self.kinds, self.lines, self.facts = {}, {}, [], b""
        self.first_id = first_id

    def stat_id(self, name):
        return self.stats.setdefault(name, len(self.stats) + self.first_id)

    def stat(self, name, value):
        key = number(1, self.stat_id(name))
        if isinstance(value, tuple):  # a reference to the name of a stat
            return key + number(7, self.stat_id(value[0]))
        if isinstance(value, float):
            return key + real(2, value)
        if isinstance(value, bytes):
            return key + data(6, value)
        if isinstance(value, str):
            return key + data(5, value)
        return key + number(4 if value < 0 else 3, value)

    def fact(self, name, value):
        self.facts += data(6, self.stat(name, value))

    def kind(self, name, shown="", **stats):
        body = data(2, name) + (data(4, shown) if shown else b"")
        body += b"".join(data(5, self.stat(key, value)) for key, value in stats.items())
        self.kinds[len(self.kinds) + self.first_id] = body
        return len(self.kinds) + self.first_id - 1

    def line(self, name, events, line_id=0, time_ns=0):
        body = (number(1, line_id) if line_id else b"") + data(2, name)
        body += number(3, time_ns) if time_ns else b""
        self.lines.append(body + b"".join(data(4, event) for event in events))

    def event(self, kind, start_ps, duration_ps=0, **stats):
        body = number(1, kind) + (number(2, start_ps) if start_ps else b"")
        body += number(3, duration_ps) if duration_ps else b""
        return body + b"".join(data(4, self.stat(key, value)) for key, value in stats.items())

    def encode(self):
        lines = b"".join(data(3, line) for line in self.lines)
        maps = b"".join(data(4, number(1, key) + data(2, number(1, key) + kind)) for key, kind in self.kinds.items())
        maps += b"".join(data(5, number(1, key) + data(2, number(1, key) + data(2, name)))
                         for name, key in self.stats.items())
        body = number(1, 3) + data(2, self.name)
        return data(1, body + (lines + maps if self.maps_last else maps + lines) + self.facts)


def environment():
    plane = Plane("Task Environment")
    plane.fact("profile_start_time", START_NS)
    return plane.encode()


def tpu():
    """Two steps of a TPU: nested operators, a copy in flight, all-reduce, a counter, a host that enqueues."""
    device = Plane("/device:TPU:0")
    device.fact("device_type_string", "TPU v5 lite")
    device.fact("peak_teraflops_per_second", 197.0)
    step = [device.kind("0"), device.kind("1")]
    module = device.kind("jit_train(42)")
    loop = device.kind("%while.1 = (f32[8]) while(...)", "while.1", hlo_category=("while",))
    fusion = device.kind("%fusion.3 = f32[8]{0} fusion(%p0), kind=kLoop", hlo_category="loop fusion", flops=4096,
                         bytes_accessed=65536, source="model.py:41", tf_op="jit(train)/mlp/dot")
    reduce = device.kind("%all-reduce.2 = f32[8] all-reduce(%fusion.3)", hlo_category="all-reduce")
    copy = device.kind("%copy-start.1 = f32[8] copy-start(%p1)", hlo_category="copy-start")
    wait = device.kind("dependency-wait")
    power = device.kind("power_mw")
    device.line("Steps", [device.event(step[0], 0, 9_000_000), device.event(step[1], 10_000_000, 9_000_000)], 1)
    device.line("XLA Modules", [device.event(module, start, 9_000_000, _ct=12, _c=-7 - start)
                                for start in (0, 10_000_000)], 2)
    ops = []
    for start in (0, 10_000_000):
        ops += [device.event(reduce, start + 6_000_000, 2_500_400), device.event(loop, start, 5_000_000),
                device.event(fusion, start + 500_000, 2_000_300, run_id=start), device.event(fusion, start + 2_600_000, 2_000_000)]
    device.line("XLA Ops", ops, 3)
    device.line("Async XLA Ops", [device.event(copy, 100_000, 3_000_000), device.event(copy, 1_000_000, 4_000_000)], 4)
    device.line("XLA TraceMe", [device.event(wait, 9_000_000, 900_000)], 6)
    device.line("_counters_", [device.event(power, 1_000_000, 0, value=70_000), device.event(power, 11_000_000, 0, value=90_500.5)], 7)
    host = Plane("/host:CPU", maps_last=False)
    enqueue = host.kind("Execute")
    mark = host.kind("Marker")
    train = host.kind("train")
    total = host.kind("Summed")
    host.line("main/77", [host.event(enqueue, 0, 40_000, _pt=12, _p=-7), host.event(enqueue, 9_600_000, 40_000, _pt=12, _p=-10_000_007),
                          host.event(mark, 50_000), host.event(train, 0, 60_000, step_num=0), number(1, total) + number(5, 12)], 77, 20)
    return device.encode() + Plane("/host:metadata").encode() + host.encode() + environment()


def gpu():
    """Kernels of a GPU that calls of the host launched, a copy with its size, times since 1970."""
    device = Plane("/device:GPU:0", first_id=1 << 48)
    device.fact("gpu_device_name", "NVIDIA H200")
    device.fact("clock_rate", 1_980_000)
    gemm = device.kind("gemm_fusion_dot_6")
    copy = device.kind("MemcpyH2D")
    device.line("Stream #14(Compute)", [
        device.event(gemm, 3_000_000, 6_560_123, correlation_id=11, hlo_op=("dot.6",), kernel_details="regs:106 grid:256,1,1"),
        device.event(gemm, 12_000_000, 6_000_000, correlation_id=12),
    ], 14, START_NS + 100)
    device.line("Stream #15(MemcpyH2D)", [
        device.event(copy, 0, 2_000_000, correlation_id=10, memcpy_details="kind_src:pageable size:4096 dest:0 async:1"),
    ], 15, START_NS + 100)
    device.line("XLA Ops", [device.event(gemm, 3_000_000, 16_000_000)], 20, START_NS + 100)
    host = Plane("/host:CPU")
    launch = host.kind("cuLaunchKernel")
    upload = host.kind("cuMemcpyHtoDAsync_v2")
    host.line("python3/5", [host.event(upload, 0, 500_000, correlation_id=10), host.event(launch, 600_000, 400_000, correlation_id=11),
                            host.event(launch, 1_100_000, 400_000, correlation_id=12)], 5, 40)
    return device.encode() + host.encode() + environment() + data(4, "host-1") + data(3, "dropped 3 events")


if __name__ == "__main__":
    sys.stdout.buffer.write({"tpu": tpu, "gpu": gpu}[sys.argv[1]]())
