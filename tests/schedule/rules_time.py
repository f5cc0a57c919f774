# SPDX-License-Identifier: Apache-2.0
"""When jobs run: dependencies, engines that do one thing at a time, and the program file's copy."""
from rules import rule


@rule("dependencies")
def check_dependencies(case):
    """Nothing starts before what it needs has ended and the lag has passed."""
    for job in case.jobs:
        if job.start < 0 or job.end != job.start + job.cycles:
            yield (f"{job.where()}: end expected at {job.start} + {job.cycles} cycles, found "
                   f"{job.end}")
        for to, _, lag in job.needs:
            if to >= job.index:
                yield f"{job.where()}: needs job {to}, which is not before it"
                continue
            ready = case.jobs[to].end + lag
            if job.start < ready:
                yield (f"{job.where()}: start expected at {ready} or later (job {to} ends at "
                       f"{case.jobs[to].end}, lag {lag}), found {job.start}")


@rule("one-job-at-a-time")
def check_engines(case):
    """An engine or queue does its jobs one after the other, in the order of the program."""
    last = {}
    for job in case.jobs:
        key = (job.device, job.core, job.engine, job.unit)
        before = last.get(key)
        if before is not None and job.start < before.end:
            yield (f"{job.where()}: {job.engine} {job.unit} is busy with job {before.index} until "
                   f"{before.end}, start found at {job.start}")
        last[key] = job


@rule("units-exist")
def check_units(case):
    """Jobs run on engines, queues and cores that the machine has."""
    machine = case.machine
    for job in case.jobs:
        if job.core >= machine.cores:
            yield f"{job.where()}: the machine has {machine.cores} cores"
        engine = machine.engines.get(job.engine)
        if engine and job.unit >= engine.count:
            yield f"{job.where()}: {job.engine} {job.unit} expected below {engine.count}"
        if job.kind == "compute" and not engine:
            yield f"{job.where()}: computes on {job.engine}, which is no engine"
        if job.kind in ("load", "store") and job.engine not in machine.queues:
            yield f"{job.where()}: moves on {job.engine}, which is no queue"


@rule("program-agrees")
def check_program(case):
    """The program file holds the schedule that the dump shows."""
    program = case.program
    for what, dumped, kept in (("jobs", case.jobs, program.jobs),
                               ("buffers", case.buffers, program.buffers),
                               ("operators", case.operators, program.ops)):
        if len(dumped) != len(kept):
            yield f"{len(dumped)} {what} in the dump, {len(kept)} in the program"
            return
    for job, record in zip(case.jobs, program.jobs):
        engine = program.engines[record.engine]
        needs = program.needs[record.first_need:record.first_need + record.need_count]
        shown = (job.engine, job.core, job.unit, job.tile, job.bytes, job.macs, job.cycles,
                 job.start, job.end, job.repeat, [(n[0], n[1]) for n in job.needs])
        kept = (engine.name, engine.core, engine.index, record.tile, record.bytes, record.macs,
                record.cycles, record.start, record.end, getattr(record, "repeat", 1),
                [(n.job, bool(n.is_false)) for n in needs])
        if shown != kept:
            yield f"{job.where()}: dump says {shown}, program {kept}"
    for buffer, record in zip(case.buffers, program.buffers):
        shown = (buffer.memory, buffer.core, buffer.offset, buffer.bytes)
        kept = (record.memory, record.core, record.offset, record.bytes)
        if shown != kept:
            yield f"buffer {buffer.index}: dump says {shown}, program {kept}"
