# SPDX-License-Identifier: Apache-2.0
"""Totals: jobs, operators, program, tables and timelines say the same."""
from fractions import Fraction

from rules import rule


def _end(case):
    return max((job.end for job in case.jobs), default=0)


@rule("total")
def check_total(case):
    """The total is the end of the last job, wherever it is stated."""
    end = _end(case)
    stated = {"the dump": case.facts.get("total_cycles"),
              "the program": case.program.facts.total_cycles,
              "the table": case.tables["total"][0]["cycles"] if "total" in case.tables else None}
    for where, cycles in stated.items():
        if cycles != end:
            yield f"{where} states {cycles} cycles, the last job ends at {end}"


@rule("operators-add-up")
def check_operators(case):
    """An operator's cycles are those from its first job's start to its last one's end, and those
    of all operators make the total."""
    for operator in case.operators:
        if not operator.jobs:
            continue
        span = max(j.end for j in operator.jobs) - min(j.start for j in operator.jobs)
        if operator.cycles != span:
            yield f"{operator.where()}: {span} cycles from start to end, stated {operator.cycles}"
    total = sum(operator.cycles or 0 for operator in case.operators)
    if total != _end(case) and case.program.facts.device_count <= 1:
        yield f"operators take {total} cycles together, the network {_end(case)}"


def _moved(jobs, kind):
    """Bytes; what goes to several cores at once counts once."""
    return sum(Fraction(job.bytes, max(1, job.readers)) for job in jobs if job.kind == kind)


def _busy(jobs, kinds):
    """Cycles of the busiest engine or queue in jobs of some kinds."""
    busy = {}
    for job in jobs:
        if job.kind in kinds:
            key = (job.device, job.core, job.engine, job.unit)
            busy[key] = busy.get(key, 0) + job.cycles
    return max(busy.values(), default=0)


@rule("table-agrees")
def check_table(case):
    """Each row of the table says what the operator's jobs do."""
    rows = {row["op"]: row for row in case.tables.get("operators", [])}
    for operator in case.operators:
        row = rows.get(operator.index)
        if row is None:
            if operator.jobs and any(job.cycles for job in operator.jobs):
                yield f"{operator.where()}: has jobs and no row in the table"
            continue
        facts = [("cycles", operator.cycles), ("macs", operator.macs)]
        if not case.machine.is_streamed():
            facts += [("ddr_read_bytes", _moved(operator.jobs, "load")),
                      ("ddr_write_bytes", _moved(operator.jobs, "store"))]
        if not case.machine.is_streamed() and operator.jobs:
            facts.append(("cores", len({job.core for job in operator.jobs})))
        for column, expected in facts:
            if row[column] != expected:
                yield (f"{operator.where()}: {column} {expected} in the schedule, {row[column]} in "
                       "the table")
        yield from _column_problems(case, operator, row)


def _column_problems(case, operator, row):
    for column in ("compute_cycles", "read_cycles", "write_cycles", "launch_cycles"):
        if row[column] > row["cycles"]:
            yield f"{operator.where()}: {column} {row[column]} of {row['cycles']} cycles"
    for cycles, count in (("read_cycles", "ddr_read_bytes"), ("write_cycles", "ddr_write_bytes")):
        if row[cycles] and not row[count] and not row["local_bytes"]:
            yield f"{operator.where()}: {cycles} {row[cycles]} without bytes"
        if row[count] and not row[cycles]:
            yield f"{operator.where()}: {row[count]} {count} in no {cycles}"
    if case.machine.is_streamed() or not operator.jobs:
        return
    barriers = [job for job in operator.jobs if job.engine == "SYNC"]
    computes = _busy([job for job in operator.jobs if job.engine != "SYNC"],
                     ("compute", "control"))
    if row["compute_cycles"] != computes:
        yield (f"{operator.where()}: an engine computes for {computes} cycles, compute_cycles is "
               f"{row['compute_cycles']}")
    launch = _busy(barriers, ("control", "wait", "signal"))
    if row["launch_cycles"] != launch:
        yield (f"{operator.where()}: barriers and launch take {launch} cycles, launch_cycles is "
               f"{row['launch_cycles']}")
    shared = (_moved(operator.jobs, "load") + _moved(operator.jobs, "store")) // \
        case.machine.shared_rate
    moves = max(_busy(operator.jobs, ("load",)), _busy(operator.jobs, ("store",)), shared)
    if row["bound"] == "memory" and computes > moves:
        yield (f"{operator.where()}: bound by memory in the table; engines compute for {computes} "
               f"cycles, queues or shared memory move for {moves}")
    if row["bound"] == "compute" and computes < moves:
        yield (f"{operator.where()}: bound by compute in the table; engines compute for {computes} "
               f"cycles, queues or shared memory move for {moves}")
    if row["bound"] in ("compute", "memory") and max(computes, moves) < launch:
        yield (f"{operator.where()}: bound by {row['bound']} in the table; launch takes {launch} "
               "cycles")


@rule("bounds-add-up")
def check_bounds(case):
    """What bounds the network, by operators, is what its rows say."""
    cycles = {}
    for row in case.tables.get("operators", []):
        cycles[row["bound"]] = cycles.get(row["bound"], 0) + row["cycles"]
    for row in case.tables.get("bounds", []):
        if cycles.get(row["bound"], 0) != row["cycles"]:
            yield (f"bound {row['bound']}: {cycles.get(row['bound'], 0)} cycles in its operators, "
                   f"{row['cycles']} stated")


def _made(case):
    """Tensors that jobs write to shared memory."""
    return {region.tensor for job in case.jobs for region in job.regions
            if region.access == "write" and region.buffer is None}


def _touched(case):
    """Bytes of all tensors that jobs touch in shared memory: constants only if an operator makes
    them."""
    made = _made(case)
    return sum(tensor.bytes * case.copies_of(tensor) for tensor in case.tensors.values()
               if tensor.place == "shared" and (tensor.storage != "constant" or
                                                tensor.index in made))


def _held(case):
    """Bytes that shared memory holds beside constants that no operator makes, where that is most:
    inputs for the whole run, results of an operator from there to the last that reads one of them,
    or to the end if the network returns one."""
    shared = {tensor.index: tensor.bytes * case.copies_of(tensor)
              for tensor in case.tensors.values() if tensor.place == "shared"}
    maker, reader = {}, {}
    for job in case.jobs:
        for region in job.regions:
            if region.access == "write" and region.buffer is None:
                maker.setdefault(region.tensor, job.op)
            elif region.access == "read":
                reader[region.tensor] = max(job.op, reader.get(region.tensor, 0))
    end = max((job.op for job in case.jobs), default=0) + 1
    reader.update({record.tensor: end for record in case.program.outputs})
    changes = [0] * (end + 1)
    held = sum(size for index, size in shared.items() if index not in maker and
               case.tensors[index].storage != "constant")
    for op in set(maker.values()):
        results = [index for index in maker if maker[index] == op]
        size = sum(shared.get(index, 0) for index in results)
        changes[op] += size
        last = max(reader.get(index, op) for index in results)
        if last + 1 <= end:
            changes[last + 1] -= size
    most = held
    for change in changes:
        held += change
        most = max(most, held)
    return most


def _touches_inputs(case):
    return all(record.tensor in case.tensors for record in case.program.inputs)


@rule("memory-table")
def check_memory_table(case):
    """The table of memory says what the transfers move, what shared memory holds and how full local
    memory gets."""
    for row in case.tables.get("memory", []):
        if row["what"] == "read and written" and not case.machine.is_streamed():
            moved = _moved(case.jobs, "load") + _moved(case.jobs, "store")
            if row["bytes"] != moved:
                yield f"{moved} bytes go through shared memory, the table states {row['bytes']}"
        if row["what"].startswith("inputs, outputs") and case.has_regions():
            held = _held(case)
            most = _touched(case)  # A view may be read later than the tensor that it is of.
            if row["bytes"] < held or (row["bytes"] > most and _touches_inputs(case)):
                yield f"tensors in shared memory take {held} bytes, the table states {row['bytes']}"
        if (row["what"] == "constants" and case.has_regions() and
                case.machine.is_cut()):
            kept = sum(tensor.bytes for tensor in case.tensors.values()
                       if tensor.storage == "constant" and tensor.index not in _made(case))
            if row["bytes"] != kept:
                yield f"constants take {kept} bytes, the table states {row['bytes']}"
        if (row["what"].startswith("peak") and
                row["bytes"] != case.program.facts.local_peak_bytes):
            yield (f"the program states a peak of {case.program.facts.local_peak_bytes} bytes, the "
                   f"table {row['bytes']}")


# ---- Torq's timelines --------------------------------------------------------------------------

_CLASSES = {"DMA IN": "dma_in", "DMA OUT": "dma_out", "CDMA": "cdma", "CSS": "css",
            "SLICE": "slice"}


@rule("timelines-agree")
def check_timelines(case):
    """T1 and T4 have a row for each job, with its times."""
    if case.t1 is None:
        return
    plain, with_bytes = [], []
    for job in case.jobs:
        engine = _CLASSES.get(job.engine)
        if engine and job.end > job.start:  # A timeline has no rows for what takes no time.
            engine += str(job.unit) if engine == "slice" else ""
            plain.append((engine, job.start, job.end))
            with_bytes.append(plain[-1] + (job.bytes if "dma" in engine else None,))
    for name, expected, found in (
            ("T1", sorted(plain), sorted(row.key() for row in case.t1)),
            ("T4", sorted(with_bytes, key=str),
             sorted((row.key() + (row.bytes,) for row in case.t4), key=str))):
        if expected != found:
            odd = next(((a, b) for a, b in zip(expected, found) if a != b), ("", ""))
            yield (f"{name}: {len(expected)} rows expected, {len(found)} found; first difference: "
                   f"{odd[0]} expected, {odd[1]} found")
