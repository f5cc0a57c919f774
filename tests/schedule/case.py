# SPDX-License-Identifier: Apache-2.0
"""One model on one machine: everything that `tacho compile` writes about it, read back.

Rules look at a Case and nothing else. Jobs come from the last dump but one (phase 8), what only
the program file has (lags, first and last job of a buffer) from there; that the two agree is a rule
of its own.
"""
import glob
import os
import subprocess

import cover
import graph
import machine
import mlir_text
import program_file
import timeline

NONE = program_file.NONE


class Region:
    """A box of a tensor that a job reads or writes. |offsets| is None where only bytes are known;
    |buffer| is None in shared memory, |tensor| None for scratch."""
    __slots__ = ("access", "tensor", "buffer", "bytes", "offsets", "sizes", "of", "piece")

    def __init__(self, attrs):
        self.access, self.bytes = attrs["access"], attrs["bytes"]
        self.tensor, self.buffer = attrs.get("tensor"), attrs.get("buffer")
        self.offsets, self.sizes = attrs.get("offsets"), attrs.get("sizes")
        self.of = attrs.get("of")
        self.piece = None if self.offsets is None else cover.drop_ones(self.box(), self.of)

    def box(self):
        if self.offsets is None:
            return None
        return [(low, low + length) for low, length in zip(self.offsets, self.sizes)]

    def place(self):
        return "shared memory" if self.buffer is None else f"buffer {self.buffer}"

    def where(self):
        what = "scratch" if self.tensor is None else f"tensor {self.tensor}"
        box = "" if self.offsets is None else f" {box_text(self.box())}"
        return f"{what}{box} in {self.place()}"


def box_text(box):
    return "[" + ", ".join(f"{low}:{high}" for low, high in box) + "]"


class Tensor:
    """A tensor that jobs touch: |elements| of |bits|, as the machine keeps them."""
    __slots__ = ("index", "name", "storage", "place", "elements", "bits", "bytes", "dims", "dtype")


class Job:
    """A job of the schedule as the dump shows it. |needs|: [(job, is_false, lag)]."""
    __slots__ = ("index", "op", "kind", "engine", "device", "core", "unit", "tile", "bytes",
                 "macs", "cycles", "start", "end", "repeat", "needs", "buffer", "readers",
                 "regions")

    def touched(self):
        """Buffers that it fills, drains, reads or writes."""
        found = {region.buffer for region in self.regions if region.buffer is not None}
        return found | {self.buffer} if self.buffer is not None else found

    def is_transfer(self):
        return self.kind in ("load", "store", "copy", "p2p")

    def where(self):
        return f"job {self.index} ({self.kind}, tile {self.tile}, core {self.core})"


class Buffer:
    """A stretch of local memory; it lives from |start| to |end|, in cycles."""
    __slots__ = ("index", "memory", "device", "core", "offset", "bytes", "first", "last", "role",
                 "tensor", "region", "start", "end")

    def meet(self, job):
        self.start = job.start if self.start is None else min(self.start, job.start)
        self.end = job.end if self.end is None else max(self.end, job.end)


class Operator:
    __slots__ = ("index", "name", "type", "macs", "input_bytes", "weight_bytes", "output_bytes",
                 "jobs", "cycles", "group")

    def where(self):
        return f"operator {self.index} '{self.name}' ({self.type})"


def _number(name):
    return int(name[2:])


def _job(op, index):
    job, attrs = Job(), op.attrs
    job.index, job.regions = index, [Region(r) for r in attrs.get("regions", ())]
    job.op = int(op.location[4:]) if op.location.startswith("#loc") else None
    job.kind, job.engine = attrs["kind"], attrs["engine"]
    job.device, job.core, job.unit = attrs["device"], attrs["core"], attrs["index"]
    job.tile, job.bytes, job.macs = attrs["tile"], attrs["bytes"], attrs["macs"]
    job.cycles, job.start, job.end = attrs["cycles"], attrs["start"], attrs["end"]
    job.repeat, job.readers = attrs.get("repeat", 1), 0
    false_needs = set(attrs.get("false_needs", ()))
    tokens = [o for o in op.operands if o.startswith("%j")]
    job.needs = [(_number(name), i in false_needs, 0) for i, name in enumerate(tokens)]
    buffers = [o for o in op.operands if o.startswith("%b")]
    job.buffer = _number(buffers[0]) if buffers else None
    return job


def _buffer(op, index):
    buffer = Buffer()
    buffer.index = index
    for field in ("memory", "device", "core", "offset", "bytes"):
        setattr(buffer, field, op.attrs[field])
    buffer.first, buffer.last = op.attrs.get("first_job"), op.attrs.get("last_job")
    buffer.role, buffer.tensor = op.attrs.get("role"), op.attrs.get("tensor")
    region = op.attrs.get("region")
    buffer.region = Region({"access": "", "bytes": 0, **region}) if region else None
    buffer.start = buffer.end = None
    return buffer


def _tensor(op):
    tensor = Tensor()
    tensor.index = _number(op.results[0])
    for field in ("name", "storage", "place", "elements", "bits", "bytes"):
        setattr(tensor, field, op.attrs[field])
    (tensor.dims, element), = mlir_text.tensor_types(op.result_types)
    tensor.dtype = machine.dtype_of(element)
    return tensor


def _operator(op, index):
    operator = Operator()
    operator.index, operator.jobs, operator.group = index, [], None
    for field in ("name", "type", "macs", "input_bytes", "weight_bytes", "output_bytes"):
        setattr(operator, field, op.attrs[field])
    operator.cycles = None
    return operator


class Case:
    """A model on a machine. |label| is how messages call it."""

    def __init__(self, label, the_machine):
        self.label, self.machine = label, the_machine
        self.jobs, self.buffers, self.operators = [], [], []
        self.tensors, self.groups = {}, {}
        self.targets = self.program = self.tables = self.t1 = self.t4 = self.flow = None
        self.facts, self.steps, self.views, self.outputs = {}, {}, {}, []

    def add_schedule(self, root):
        for op in root.walk():
            if op.name == "tacho.job":
                self.jobs.append(_job(op, len(self.jobs)))
            elif op.name == "tacho.buffer":
                self.buffers.append(_buffer(op, len(self.buffers)))
            elif op.name == "tacho.tensor":
                tensor = _tensor(op)
                self.tensors[tensor.index] = tensor
            elif op.name == "util.func":
                self.facts = op.attrs

    def add_steps(self, root):
        """Kernel calls of each operator, tensors by number; what is a view of what."""
        for op in root.walk():
            if op.name == "stream.async.dispatch":
                operands = [_number(n) if n.startswith("%t") else None for n in op.operands]
                results = [_number(n) if n.startswith("%t") else None for n in op.results]
                self.steps.setdefault(op.attrs.get("operator"), []).append(
                    (op.attrs["type"], operands, results))
            elif op.name == "util.return":
                self.outputs = [_number(n) for n in op.operands if n.startswith("%t")]

    def add_operators(self, root):
        for op in root.walk():
            if op.name == "tacho.operator":
                self.operators.append(_operator(op, len(self.operators)))

    def read_program(self, path):
        self.program = program = program_file.read(path)
        for job, record in zip(self.jobs, program.jobs):
            run = program.needs[record.first_need:record.first_need + record.need_count]
            lags = [need.lag for need in run]
            job.needs = [(to, is_false, lags[i] if i < len(lags) else 0)
                         for i, (to, is_false, _) in enumerate(job.needs)]
            job.readers = record.readers
        for buffer, record in zip(self.buffers, program.buffers):
            if buffer.first is None and record.first_job != NONE:
                buffer.first, buffer.last = record.first_job, record.last_job
        for operator, record in zip(self.operators, program.ops):
            operator.cycles = record.cycles

    def link(self):
        """What follows from the parts: jobs and graph of each operator."""
        for job in self.jobs:
            if job.op is not None and job.op < len(self.operators):
                self.operators[job.op].jobs.append(job)
        for operator in self.operators:
            operator.group = self.groups.get(operator.index)
            self._name_tensors(operator)
        self.set_lives()

    def set_lives(self):
        """When buffers live: from the first start to the last end of the jobs that touch them."""
        for job in self.jobs:
            for index in job.touched():
                self.buffers[index].meet(job)
        for buffer in self.buffers:
            for index in (buffer.first, buffer.last):
                if index is not None and index < len(self.jobs):
                    buffer.meet(self.jobs[index])

    def _name_tensors(self, operator):
        """Joins the names of the graph's dump with the numbers of tensors: an operator's nodes are
        its steps, in order. An operator without a group is a view."""
        steps = self.steps.get(operator.index, [])
        if operator.group is None:
            for _, operands, results in steps:
                if operands and operands[0] is not None:
                    self.views.update((result, operands[0]) for result in results[:1])
        elif [step[0] for step in steps] == [n.type.removeprefix("onnx.")
                                             for n in operator.group.nodes]:
            for node, (_, operands, results) in zip(operator.group.nodes, steps):
                operator.group.tensor_of.update(zip(node.operands, operands))
                operator.group.tensor_of.update(zip(node.results, results))

    def root_of(self, tensor):
        """The tensor that |tensor| is a view of, or itself."""
        while tensor in self.views:
            tensor = self.views[tensor]
        return tensor

    def has_regions(self):
        return bool(self.tensors)

    def cores_of(self, job):
        """Cores that a job stands for: all, where operators are not cut."""
        return self.machine.cores if self.machine.is_streamed() else 1

    def batch(self):
        return self.program.facts.batch_size or 1

    def copies_of(self, tensor):
        """Inferences that run as one have a tensor each, but share constants."""
        return 1 if tensor.storage == "constant" else self.batch()


def _parse(folder, phase):
    found = glob.glob(os.path.join(glob.escape(folder), f"*.{phase}.*.mlir"))
    if len(found) != 1:
        raise ValueError(f"{folder}: one dump of phase {phase} expected, found {len(found)}")
    return mlir_text.read(found[0])[0]


def _read_text(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def load(folder, label, the_machine):
    """The case whose files `compile_into` left in |folder|."""
    case = Case(label, the_machine)
    case.groups = graph.groups_of(_parse(folder, 5))
    case.add_steps(_parse(folder, 6))
    case.add_operators(_parse(folder, 7))
    case.add_schedule(_parse(folder, 8))
    case.read_program(os.path.join(folder, "program.bin"))
    case.tables = timeline.read_tables(_read_text(os.path.join(folder, "tables.json")))
    if the_machine.is_torq:
        case.targets = _parse(folder, 9)
        case.t1 = timeline.read_t1(_read_text(os.path.join(folder, "t1.csv")))
        case.t4 = timeline.read_t4(_read_text(os.path.join(folder, "t4.csv")))
    case.link()
    return case


class CompileFailed(Exception):
    pass


def _run(command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 3):  # 3: an operator that is not known is in the program
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CompileFailed(f"exit {done.returncode}: {lines[-1] if lines else ''}")


def compile_into(tool, model, machine_name, folder, options=()):
    """Runs `tacho compile` so that |folder| has dumps, program, tables and, for Torq, timelines."""
    os.makedirs(folder, exist_ok=True)
    base = [tool, "compile", model, "-m", machine_name, *options]
    first = [f"--dump-compilation-phases-to={folder}", "-o", os.path.join(folder, "program.bin")]
    second = ["--format", "json", "-o", os.path.join(folder, "tables.json")]
    if machine_name.startswith("torq"):
        first += ["--profile", os.path.join(folder, "t4.csv"), "--profile-format", "t4"]
        second += ["--profile", os.path.join(folder, "t1.csv"), "--profile-format", "t1"]
    _run(base + first)
    _run(base + second)


def machine_of(tool, name):
    text = subprocess.run([tool, "machine", "export", name, "-o", "-"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return machine.load(text)
