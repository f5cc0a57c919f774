# SPDX-License-Identifier: Apache-2.0
"""A schedule made by hand that keeps every rule: the one that tests break.

A convolution of 3x3 over 12 rows in three tiles of four, whose input tiles overlap by two rows; a
machine with one engine, two queues and 2000 bytes, too few to keep the input whole. Two buffers
take turns for what comes and what goes. Then a sum over channels, cut along them: partial sums,
read from where the convolution left them.
"""
import io

import case as cases
import graph
import machine
import mlir_text
import program_file

MACHINE = """{"name": "toy", "core_clock_hz": {"value": 1, "unit": "GHz"},
 "grid_x": {"value": 1, "unit": "cores"}, "grid_y": {"value": 1, "unit": "cores"},
 "launch_cycles": {"value": 0, "unit": "cycles"},
 "engines": [{"name": "ALU", "class": "compute", "count": {"value": 1, "unit": "engines"},
   "macs": [{"dtype": "i8", "per_cycle": {"value": 64, "unit": "MAC/cycle"}}],
   "elements": [{"dtype": "i8", "per_cycle": {"value": 4, "unit": "elements/cycle"}}]},
  {"name": "CPU", "class": "control", "count": {"value": 1, "unit": "engines"},
   "fixed_job_cycles": {"value": 50, "unit": "cycles"}}],
 "memories": [{"name": "MEM", "kind": "local", "size_bytes": {"value": 2000, "unit": "B"}},
  {"name": "DDR", "kind": "ddr", "size_bytes": {"value": 1, "unit": "MiB"},
   "bytes_per_cycle": {"value": 16, "unit": "B/cycle"}}],
 "dma": [{"name": "IN", "class": "dma_in", "bytes_per_cycle": {"value": 8, "unit": "B/cycle"}},
  {"name": "OUT", "class": "dma_out", "bytes_per_cycle": {"value": 8, "unit": "B/cycle"}}]}"""

FLOW = """"builtin.module"() ({
  "util.func"() ({
  ^bb0(%t0: tensor<1x4x12x8xi8> loc(unknown)):
    %t1 = "model.constant"() {kind = "bytes", name = "w"} : () -> tensor<8x4x3x3xi8> loc(unknown)
    %t2 = "flow.dispatch.region"() ({
      %m2 = "model.onnx.Conv"(%t0, %t1) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x12x8xi8>, tensor<8x4x3x3xi8>) -> (tensor<1x8x12x8xi8>) loc(unknown)
      "flow.return"(%m2) : (tensor<1x8x12x8xi8>) -> () loc(unknown)
    }) {operator = 0 : i32, is_integer = false} : () -> (tensor<1x8x12x8xi8>) loc(unknown)
    %t3 = "flow.dispatch.region"() ({
      %m3 = "model.onnx.ReduceSum"(%t2) {keepdims = 1 : i64} : (tensor<1x8x12x8xi8>) -> (tensor<1x1x12x8xi8>) loc(unknown)
      "flow.return"(%m3) : (tensor<1x1x12x8xi8>) -> () loc(unknown)
    }) {operator = 1 : i32, is_integer = false} : () -> (tensor<1x1x12x8xi8>) loc(unknown)
  }) {sym_name = "toy"} : () -> () loc(unknown)
}) : () -> () loc(unknown)
"""

STEPS = """"builtin.module"() ({
  "util.func"() ({
    %t2 = "stream.async.dispatch"(%t0, %t1) {type = "Conv", operator = 0 : i32} : (tensor<1x4x12x8xi8>, tensor<8x4x3x3xi8>) -> (tensor<1x8x12x8xi8>) loc(#loc0)
    %t3 = "stream.async.dispatch"(%t2) {type = "ReduceSum", operator = 1 : i32} : (tensor<1x8x12x8xi8>) -> (tensor<1x1x12x8xi8>) loc(#loc1)
    "util.return"(%t3) : (tensor<1x1x12x8xi8>) -> () loc(unknown)
  }) {sym_name = "toy"} : () -> () loc(unknown)
}) : () -> () loc(unknown)
"""

OPERATORS = """"builtin.module"() ({
  "tacho.operator"() {name = "conv", type = "Conv", macs = 27648 : i64, input_bytes = 384 : i64, weight_bytes = 288 : i64, output_bytes = 768 : i64} : () -> () loc(#loc0)
  "tacho.operator"() {name = "sum", type = "ReduceSum", macs = 0 : i64, input_bytes = 768 : i64, weight_bytes = 0 : i64, output_bytes = 96 : i64} : () -> () loc(#loc1)
}) : () -> () loc(unknown)
"""

X, W, Y, Z = 0, 1, 2, 3
_SHAPES = {X: [1, 4, 12, 8], W: [8, 4, 3, 3], Y: [1, 8, 12, 8], Z: [1, 1, 12, 8]}
_TENSORS = [(X, "x", "input", "shared", 384), (W, "w", "constant", "shared", 288),
            (Y, "y", "activation", "local", 768), (Z, "z", "output", "shared", 96)]

# memory offset, bytes, first and last job, role, tensor, whether it is a box of it
_BUFFERS = [(0, 288, 0, 7, "tile", W, False), (288, 224, 1, 7, "tile", X, False),
            (512, 224, 2, 5, "tile", X, False), (1024, 768, 3, 9, "resident", Y, True),
            (1792, 96, 8, 10, "tile", Z, False)]


def _array(values):
    return "array<i64: " + ", ".join(map(str, values)) + ">"


def _region(access, tensor, buffer, box):
    shape = _SHAPES[tensor]
    offsets, sizes, count = [low for low, _ in box], [high - low for low, high in box], 1
    for length in sizes:
        count *= length
    where = "" if buffer is None else f"buffer = {buffer} : i32, "
    return (f'{{access = "{access}", tensor = {tensor} : i32, {where}bytes = {count} : i64, '
            f"offsets = {_array(offsets)}, sizes = {_array(sizes)}, of = {_array(shape)}}}")


def _rows(tensor, low, high):
    shape = _SHAPES[tensor]
    return [(0, 1), (0, shape[1]), (low, high), (0, 8)]


def _jobs():
    """(operator, kind, engine, tile, needs, false needs, bytes, macs, cycles, regions)"""
    jobs = []

    def move(op, kind, tile, needs, false, tensor, buffer, box):
        count = 1
        for low, high in box:
            count *= high - low
        ends = [("read", None), ("write", buffer)] if kind == "load" else \
            [("read", buffer), ("write", None)]
        regions = [_region(access, tensor, place, box) for access, place in ends]
        jobs.append((op, kind, "IN" if kind == "load" else "OUT", tile, needs, false, count, 0,
                     -(-count // 8), regions))

    def conv(tile, needs, buffer, rows):
        regions = [_region("read", X, buffer, _rows(X, *rows)),
                   _region("read", W, 0, [(0, 8), (0, 4), (0, 3), (0, 3)]),
                   _region("write", Y, 3, _rows(Y, 4 * tile, 4 * tile + 4))]
        jobs.append((0, "compute", "ALU", tile, needs, [], 0, 9216, 150, regions))

    def add(tile, needs, access):
        box = [(0, 1), (4 * tile, 4 * tile + 4), (0, 12), (0, 8)]
        regions = [_region("read", Y, 3, box), _region(access, Z, 4, _rows(Z, 0, 12))]
        jobs.append((1, "compute", "ALU", tile, needs, [], 0, 0, 96, regions))

    move(0, "load", 0, [], [], W, 0, [(0, 8), (0, 4), (0, 3), (0, 3)])
    move(0, "load", 0, [], [], X, 1, _rows(X, 0, 5))
    move(0, "load", 1, [], [], X, 2, _rows(X, 3, 9))
    conv(0, [0, 1], 1, (0, 5))
    move(0, "load", 2, [3], [0], X, 1, _rows(X, 7, 12))
    conv(1, [0, 2], 2, (3, 9))
    # Job 6 is the machine's processor, which starts what comes next.
    jobs.append((0, "control", "CPU", 0, [5], [], 0, 0, 50, []))
    conv(2, [0, 4, 6], 1, (7, 12))
    add(0, [3, 5, 7], "partial")
    add(1, [8], "write")
    move(1, "store", 0, [9], [], Z, 4, _rows(Z, 0, 12))
    return jobs


def _schedule():
    jobs, ends, free, lines = _jobs(), [], {}, []
    for tensor, name, storage, place, size in _TENSORS:
        dims = "x".join(map(str, _SHAPES[tensor]))
        lines.append(f'%t{tensor} = "tacho.tensor"() {{name = "{name}", storage = "{storage}", '
                     f'place = "{place}", elements = {size} : i64, bits = 8 : i32, bytes = {size} '
                     f": i64}} : () -> tensor<{dims}xi8> loc(unknown)")
    for i, (offset, size, first, last, role, tensor, is_box) in enumerate(_BUFFERS):
        shape = _SHAPES[tensor]
        box = (f", region = {{offsets = {_array([0] * 4)}, sizes = {_array(shape)}, of = "
               f"{_array(shape)}}}" if is_box else "")
        lines.append(f'%b{i} = "tacho.buffer"() {{memory = "MEM", device = 0 : i32, core = 0 : '
                     f"i32, offset = {offset} : i64, bytes = {size} : i64, first_job = {first} : "
                     f'i32, last_job = {last} : i32, role = "{role}", tensor = {tensor} : i32{box}}}'
                     " : () -> !tacho.buffer loc(unknown)")
    for i, (op, kind, engine, tile, needs, false, size, macs, cycles, regions) in enumerate(jobs):
        start = max([ends[n] for n in needs] + [free.get(engine, 0)])
        ends.append(start + cycles)
        free[engine] = start + cycles
        false_needs = f", false_needs = array<i32: {false[0]}>" if false else ""
        lines.append(f'%j{i} = "tacho.job"({", ".join(f"%j{n}" for n in needs)}) {{kind = "{kind}"'
                     f', engine = "{engine}", device = 0 : i32, core = 0 : i32, index = 0 : i32, '
                     f"tile = {tile} : i32, bytes = {size} : i64, macs = {macs} : i64, cycles = "
                     f"{cycles} : i64, start = {start} : i64, end = {start + cycles} : i64"
                     f"{false_needs}, regions = [{', '.join(regions)}]}} : () -> !tacho.token "
                     f"loc(#loc{op})")
    head = '"builtin.module"() ({\n"util.func"() ({\n'
    tail = f'\n}}) {{total_cycles = {max(ends)} : i64}} : () -> ()\n}}) : () -> ()\n'
    return head + "\n".join(lines) + tail


def _program(case):
    """What the program file of this schedule would hold."""
    record = program_file.Record
    program, needs = record({}), []
    program.jobs = []
    names = sorted({(job.engine, job.unit) for job in case.jobs})
    program.engines = [record({"name": n, "core": 0, "index": u}) for n, u in names]
    for job in case.jobs:
        program.jobs.append(record({
            "engine": names.index((job.engine, job.unit)), "tile": job.tile, "bytes": job.bytes,
            "macs": job.macs, "cycles": job.cycles, "start": job.start, "end": job.end,
            "repeat": 1, "first_need": len(needs), "need_count": len(job.needs), "readers": 0}))
        needs += [record({"job": n, "is_false": int(f), "lag": 0}) for n, f, _ in job.needs]
    program.needs = needs
    program.inputs = [record({"tensor": t.index}) for t in case.tensors.values()
                      if t.storage == "input"]
    program.outputs = [record({"tensor": max(case.tensors)})]
    program.buffers = [record({"memory": "MEM", "core": 0, "offset": b.offset, "bytes": b.bytes,
                               "first_job": b.first, "last_job": b.last}) for b in case.buffers]
    program.facts = record({"total_cycles": max(job.end for job in case.jobs), "batch_size": 1,
                            "device_count": 1, "local_peak_bytes": 1504})
    program.ops = []
    for operator in case.operators:
        operator.cycles = (max(j.end for j in operator.jobs) -
                           min(j.start for j in operator.jobs))
        program.ops.append(record({"cycles": operator.cycles}))
    return program


def _tables(case):
    rows = []
    for operator in case.operators:
        loads = [j for j in operator.jobs if j.kind == "load"]
        stores = [j for j in operator.jobs if j.kind == "store"]
        computes = [j for j in operator.jobs if j.kind in ("compute", "control")]
        rows.append({"op": operator.index, "cores": 1, "cycles": operator.cycles,
                     "macs": operator.macs,
                     "ddr_read_bytes": sum(j.bytes for j in loads),
                     "ddr_write_bytes": sum(j.bytes for j in stores), "local_bytes": 768,
                     "compute_cycles": sum(j.cycles for j in computes if j.engine == "ALU"),
                     "read_cycles": sum(j.cycles for j in loads), "launch_cycles": 0,
                     "write_cycles": sum(j.cycles for j in stores), "bound": "compute"})
    total = sum(row["cycles"] for row in rows)
    moved = sum(row["ddr_read_bytes"] + row["ddr_write_bytes"] for row in rows)
    held = sum(tensor.bytes for tensor in case.tensors.values()
               if tensor.storage != "constant" and tensor.place == "shared")
    return {"operators": rows, "total": [{"cycles": total}],
            "bounds": [{"bound": "compute", "cycles": total}],
            "memory": [{"what": "read and written", "bytes": moved},
                       {"what": "inputs, outputs and activations", "bytes": held},
                       {"what": "constants", "bytes": case.tensors[1].bytes},
                       {"what": "peak of the fullest core", "bytes": 1504}]}


def make():
    """The sample as a Case, read from its dumps."""
    case = cases.Case("sample", machine.load(MACHINE))
    case.groups = graph.groups_of(mlir_text.parse(io.StringIO(FLOW))[0])
    case.add_steps(mlir_text.parse(io.StringIO(STEPS))[0])
    case.add_operators(mlir_text.parse(io.StringIO(OPERATORS))[0])
    case.add_schedule(mlir_text.parse(io.StringIO(_schedule()))[0])
    case.link()
    case.program = _program(case)
    case.tables = _tables(case)
    return case
