#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small compile-time timeline and a runtime profile of an imaginary image network, in
the form the Torq tools give them. Used by `make demo`; the numbers follow simple rules: each
layer is cut into tiles, tiles alternate between two slices, and transfers run one tile ahead."""
import os
import sys

BYTES_PER_CYCLE = 4.7543
LAYERS = [  # name, tiles, bytes in and out of a tile, cycles of a tile
    ("conv2d", 12, 24576, 24576, 9800),
    ("depthwise_conv2d", 10, 20480, 20480, 4100),
    ("conv2d", 10, 20480, 30720, 8200),
    ("depthwise_conv2d", 8, 30720, 15360, 3900),
    ("conv2d", 8, 15360, 24576, 9100),
    ("avgpool2d", 2, 24576, 1280, 2600),
    ("fully_connected", 4, 81920, 256, 6200),
]


def cycles_of(size):
    return int(size / BYTES_PER_CYCLE) + 1


def schedule():
    """Rows (engine, task, start, end, event, line, bytes), each engine one thing at a time."""
    free = {"DMA In": 0, "DMA Out": 0, "Slice 0": 0, "Slice 1": 0}
    rows, task, layer_ready = [], 0, 0

    def put(engine, ready, length, line, size):
        nonlocal task
        start = max(free[engine], ready)
        free[engine] = start + length
        rows.append((engine, task, start, start + length, line, size))
        task += 1
        return start + length

    for number, (_, tiles, size_in, size_out, work) in enumerate(LAYERS):
        line, done = 10 + 7 * number, layer_ready
        for tile in range(tiles):
            loaded = put("DMA In", layer_ready, cycles_of(size_in), line, size_in)
            computed = put(f"Slice {tile % 2}", loaded, work + 37 * tile, line, None)
            done = max(done, put("DMA Out", computed, cycles_of(size_out), line, size_out))
        layer_ready = done - cycles_of(size_out)
    return rows


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    os.makedirs(folder, exist_ok=True)
    rows = schedule()
    with open(os.path.join(folder, "compile.csv"), "w", encoding="ascii") as out:
        out.write("taskId, elapsed_time(us), timestamp(us), event, location, bytes\n")
        for wanted in (("DMA In", "DMA Out"), ("Slice 0", "Slice 1")):
            for engine, task, start, end, line, size in rows:
                if engine in wanted:
                    size_text = "" if size is None else size
                    out.write(f'{task},{end - start},{start},{engine},'
                              f'loc("net.mlir":{line}:11),{size_text}\n')
    with open(os.path.join(folder, "runtime.csv"), "w", encoding="ascii") as out:
        out.write("id;time_since_open;time_since_start;location\n")
        now = 1400
        for job, (_, tiles, _, _, work) in enumerate(LAYERS):
            duration = tiles * work // 1480 + 3 + job % 3
            now += duration + 6
            out.write(f'{job};{now};{duration};loc("net.mlir":{10 + 7 * job}:11)\n')


if __name__ == "__main__":
    main()
