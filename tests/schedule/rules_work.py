# SPDX-License-Identifier: Apache-2.0
"""How much is done and how fast: MACs, compulsory bytes, and the rates of the machine."""
from fractions import Fraction

import boxes
from rules import rule


@rule("macs")
def check_macs(case):
    """Tiles do the operator's MACs together: those of its definition."""
    for operator in case.operators:
        done = sum(job.macs for job in operator.jobs)
        if operator.jobs and done != operator.macs:
            yield f"{operator.where()}: {operator.macs} MACs expected, its jobs do {done}"
        if operator.group is None:
            continue
        expected, is_known = operator.group.macs()
        if is_known and operator.macs != expected * case.batch():
            yield (f"{operator.where()}: {expected * case.batch()} MACs by definition, found "
                   f"{operator.macs}")


def _macs_rate(case, operator, engine):
    """The rate of the narrowest type among the operands of the products."""
    group = operator.group
    types = {dtype for node in group.nodes if node.macs() for dtype in node.operand_dtypes[:2]}
    if group.is_integer:
        types |= {group.types[name][1] for name in group.operands}
    rates = [engine.macs[case.machine.legal(t)] for t in types
             if case.machine.legal(t) in engine.macs]
    return max(rates, default=None) if rates else max(engine.macs.values(), default=None)


@rule("macs-rate")
def check_macs_rate(case):
    """No engine multiplies faster than the machine says."""
    least_passes = min(case.machine.passes.values(), default=1)
    for operator in case.operators:
        if operator.group is None or not operator.macs:
            continue
        for job in operator.jobs:
            engine = case.machine.engines.get(job.engine)
            if job.kind != "compute" or not engine or not job.macs:
                continue
            rate = _macs_rate(case, operator, engine)
            cores = case.cores_of(job)
            if rate and job.macs * least_passes > rate * cores * job.cycles:
                yield (f"{job.where()}: {job.macs} MACs in {job.cycles} cycles; {job.engine} does "
                       f"{float(rate * cores)} a cycle at most")


@rule("sums-are-wide")
def check_sums(case):
    """Sums of products that are not complete are kept in 32 bits, not as the result will be."""
    for job in case.jobs:
        for region in job.regions:
            tensor = case.tensors.get(region.tensor)
            if job.macs and region.access == "partial" and tensor and tensor.bits < 32:
                yield (f"{job.where()}: keeps partial sums in {tensor.bits} bits of tensor "
                       f"{tensor.index} '{tensor.name}'")


@rule("results-rate")
def check_results_rate(case):
    """No engine writes more results in a cycle than the machine says."""
    for operator in case.operators:
        for engine in case.machine.engines.values():
            jobs = [j for j in operator.jobs if j.kind == "compute" and j.engine == engine.name]
            if jobs and engine.elements:
                yield from _results_problems(case, operator, engine, jobs)


def _results_problems(case, operator, engine, jobs):
    has_written = False
    for job in jobs:
        for region in job.regions:
            tensor = case.tensors.get(region.tensor)
            if region.access != "write" or tensor is None or region.piece is None:
                continue
            has_written = True
            rate = engine.elements.get(case.machine.legal(tensor.dtype))
            count = region.bytes * 8 // tensor.bits
            if rate and count > rate * case.cores_of(job) * job.cycles:
                yield (f"{job.where()}: {count} results in {job.cycles} cycles; {job.engine} "
                       f"writes {float(rate * case.cores_of(job))} a cycle at most")
    if has_written or operator.group is None:
        return
    # Without regions, the operator's results over all its jobs.
    for name in operator.group.returned[:1]:
        dims, dtype = operator.group.types.get(name, (None, None))
        rate = engine.elements.get(case.machine.legal(dtype))
        if dims is None or not rate:
            continue
        count = case.batch()
        for dim in dims:
            count *= dim
        cycles = sum(job.cycles * case.cores_of(job) for job in jobs)
        if count > rate * cycles:
            yield (f"{operator.where()}: {count} results in {cycles} cycles of {engine.name}, "
                   f"which writes {float(rate)} a cycle at most")


_CONVERSIONS = {"onnx.Cast", "tosa.cast", "onnx.DequantizeLinear", "onnx.QuantizeLinear"}


@rule("conversions-rate")
def check_conversions(case):
    """No engine reads more elements in a cycle to convert them than it has for their type."""
    for operator in case.operators:
        if operator.group is None or {node.type for node in operator.group.nodes} - _CONVERSIONS:
            continue
        for job in operator.jobs:
            engine = case.machine.engines.get(job.engine)
            for region in job.regions:
                tensor = case.tensors.get(region.tensor)
                if job.kind != "compute" or region.access != "read" or not engine or not tensor:
                    continue
                rate = engine.elements.get(case.machine.legal(tensor.dtype))
                count = region.bytes * 8 // tensor.bits
                if rate and count > rate * case.cores_of(job) * job.cycles:
                    yield (f"{job.where()}: reads {count} elements in {job.cycles} cycles; "
                           f"{job.engine} takes {float(rate * case.cores_of(job))} a cycle at most")


@rule("transfer-rate")
def check_transfer_rate(case):
    """No transfer is faster than its queue or than shared memory."""
    for job in case.jobs:
        queue = case.machine.queues.get(job.engine)
        if not job.is_transfer() or not queue or not job.bytes:
            continue
        rate = queue.rate * case.cores_of(job)
        if job.kind == "copy" and case.machine.has_mesh:
            rate = max(rate, case.machine.network_rate)  # What cores send one another.
        least = queue.start_up + -(-job.bytes // rate)
        if job.cycles < least:
            yield (f"{job.where()}: {job.bytes} bytes in {job.cycles} cycles; {queue.name} takes "
                   f"{least} at least")
        shared = -(-job.bytes // case.machine.shared_rate)
        if job.kind in ("load", "store") and job.cycles < shared:
            yield (f"{job.where()}: {job.bytes} bytes in {job.cycles} cycles; shared memory takes "
                   f"{shared} at least")
        if case.machine.is_torq and job.cycles != least:
            yield f"{job.where()}: {least} cycles expected for {job.bytes} bytes, found {job.cycles}"


@rule("shared-memory-rate")
def check_shared_rate(case):
    """At no time has an operator moved more than shared memory can since its first transfer; what
    goes to several cores at once counts once."""
    rate = case.machine.shared_rate
    for operator in case.operators:
        jobs = [job for job in operator.jobs if job.kind in ("load", "store") and job.bytes]
        start = min((job.start for job in jobs), default=0)
        moved = 0
        for job in sorted(jobs, key=lambda job: job.end):
            moved += Fraction(job.bytes, max(1, job.readers))
            if moved > rate * (job.end - start):
                yield (f"{operator.where()}: {float(moved):.0f} bytes from and to shared memory by "
                       f"the end of job {job.index}, {job.end - start} cycles after the first "
                       f"transfer starts; it moves {float(rate)} a cycle at most")
                break


def _transfer(job):
    """What a transfer is known by: loads or copies of a box by several cores are one if they start
    and end together."""
    for region in job.regions:
        if region.access == "read" and region.tensor is not None and job.kind in ("load", "copy"):
            return (job.device, job.kind, job.start, job.end, region.tensor, str(region.box()),
                    job.bytes)
    if job.readers > 1 and not job.regions:  # Teams of cores that do the same look alike.
        return (job.device, job.op, job.kind, job.engine, job.start, job.end, job.bytes,
                job.readers)
    return job.index


def _casts(jobs):
    """How often what some jobs bring passes: once, or once for each team of cores."""
    job = jobs[0]
    return 1 if job.regions or job.readers <= 1 else -(-len(jobs) // job.readers)


def _passing(case, kinds):
    """{transfer: its jobs}, of those of some kinds that move something."""
    transfers = {}
    for job in case.jobs:
        if job.kind in kinds and job.bytes:
            transfers.setdefault(_transfer(job), []).append(job)
    return transfers


def _overfull(case, kinds, most, what):
    """Cycles in which the transfers that are under way move more than |most|."""
    moments = {}
    for jobs in _passing(case, kinds).values():
        job = jobs[0]
        rate = Fraction(job.bytes, job.cycles) * _casts(jobs)
        moments.setdefault(job.device, []).extend(((job.start, 1, rate, job),
                                                   (job.end, 0, -rate, job)))
    for changes in moments.values():
        moved = 0
        for cycle, _, rate, job in sorted(changes, key=lambda change: change[:2]):
            moved += rate
            if rate > 0 and moved > most:
                yield (f"{job.where()}: {float(moved):.2f} bytes pass in cycle {cycle}; {what} moves "
                       f"{float(most):.2f} at most")


@rule("multicast-rate")
def check_multicast(case):
    """At no cycle do the transfers that are under way move more than shared memory can. A load that
    several cores share is one only where they start and end it together."""
    if not case.machine.is_streamed():
        yield from _overfull(case, ("load", "store"), case.machine.shared_rate, "shared memory")


@rule("network-rate")
def check_network(case):
    """The same of copies between cores and the network that they share."""
    rate = case.machine.network_rate
    if rate and case.program.facts.core_count > 1 and case.machine.is_cut():
        yield from _overfull(case, ("copy",), rate, "the network between cores")


@rule("multicast-together")
def check_together(case):
    """A load or copy that goes to n cores at once is one of n that bring the same box to different
    cores from the same cycle to the same cycle."""
    for jobs in _passing(case, ("load", "copy")).values():
        cores = len({job.core for job in jobs})
        cores //= _casts(jobs) if cores % _casts(jobs) == 0 else 1
        for job in jobs:
            if job.readers > 1 and job.readers != cores:
                yield (f"{job.where()}: goes to {job.readers} cores at once, {cores} expected: so "
                       f"many get it from cycle {job.start} to {job.end}")


@rule("fixed-jobs")
def check_fixed(case):
    """Jobs of engines whose every job takes the same take that."""
    for job in case.jobs:
        engine = case.machine.engines.get(job.engine)
        if engine and engine.fixed_job_cycles and job.cycles != engine.fixed_job_cycles:
            yield (f"{job.where()}: {engine.fixed_job_cycles} cycles expected of {job.engine}, "
                   f"found {job.cycles}")


@rule("parameters-given")
def check_parameters(case):
    """No job moves what the compiler knows: constant axes, pads, bounds and the like."""
    for operator in case.operators:
        group = operator.group
        if group is None or not group.parameters - group.data:
            continue
        given = {group.tensor_of.get(name) for name in group.parameters - group.data} - {None}
        for job in operator.jobs:
            for region in job.regions:
                tensor = case.tensors.get(region.tensor)
                if region.tensor in given and tensor.storage == "constant":
                    yield (f"{job.where()}: moves tensor {tensor.index} '{tensor.name}', which only "
                           "says how the operator works")


@rule("runs-somewhere")
def check_runs(case):
    """An operator that computes has jobs on an engine; one whose type changes is no free view."""
    for operator in case.operators:
        group = operator.group
        if group is None or not operator.jobs:
            continue
        if any(job.kind in ("compute", "control") for job in operator.jobs):
            continue
        changes = [node.type for node in group.nodes
                   if node.type in ("onnx.Cast", "tosa.cast") and
                   case.machine.legal(node.operand_dtypes[0]) !=
                   case.machine.legal(node.result_dtypes[0])]
        if operator.macs or changes:
            yield f"{operator.where()}: no engine runs it"


# ---- bytes -------------------------------------------------------------------------------------

@rule("compulsory-bytes")
def check_compulsory(case):
    """What lies in shared memory is read whole at least once by the operators that need it."""
    if not case.has_regions() or not case.machine.is_cut():
        return
    for operator in case.operators:
        if operator.group is None or not operator.jobs or operator.group.has_gaps():
            continue
        loaded, known = {}, {}
        for job in operator.jobs:
            for region in job.regions:
                if job.is_transfer() and region.access == "read" and region.buffer is None:
                    root = case.root_of(region.tensor)
                    loaded[root] = loaded.get(root, 0) + region.bytes
                    known[root] = known.get(root, True) and region.piece is not None
        for name, box in _whole_needs(case, operator):
            tensor = case.tensors.get(case.root_of(operator.group.tensor_of.get(name)))
            if (tensor is None or tensor.place != "shared" or box is None or
                    operator.group.is_given(name, tensor)):
                continue
            least = -(-box * tensor.bits // 8)
            if loaded.get(tensor.index, 0) < least and known.get(tensor.index, True):
                yield (f"{operator.where()}: {least} bytes of tensor {tensor.index} "
                       f"'{tensor.name}' needed, {loaded.get(tensor.index, 0)} loaded")


@rule("nothing-read-twice")
def check_read_twice(case):
    """What an operator reads from shared memory fits local memory beside what stays there: then no
    element of it comes twice to a core."""
    if not case.has_regions() or not case.machine.is_cut():
        return
    for operator in case.operators:
        for core, tensors in _loaded(operator).items():
            whole = sum(_size_of(case, tensor) for tensor in tensors)
            if _free_bytes(case, operator, core) < whole + operator.output_bytes:
                continue
            for tensor, count in tensors.items():
                if count > _size_of(case, tensor):
                    yield (f"{operator.where()}: core {core} loads {count} bytes of tensor {tensor}, "
                           f"which has {_size_of(case, tensor)}; all of {whole} bytes would fit")


_LINES = {"onnx.Softmax", "onnx.LogSoftmax", "onnx.LayerNormalization", "onnx.InstanceNormalization",
          "onnx.SimplifiedLayerNormalization"}


@rule("lines-read-once")
def check_lines(case):
    """Where several of the lines that an operator normalises fit local memory, none comes twice."""
    if not case.has_regions() or not case.machine.is_cut():
        return
    for operator in case.operators:
        if operator.group is None or not {node.type for node in operator.group.nodes} & _LINES:
            continue
        lines = 8 * _one_needs(case, operator)
        for core, tensors in _loaded(operator).items():
            for tensor, count in tensors.items():
                if count > _size_of(case, tensor) and lines <= _free_bytes(case, operator, core):
                    yield (f"{operator.where()}: core {core} loads {count} bytes of tensor {tensor}, "
                           f"which has {_size_of(case, tensor)}; a line takes {lines // 8}")


def _loaded(operator):
    """{core: {tensor: bytes that it loads}}."""
    by_core = {}
    for job in operator.jobs:
        for region in job.regions:
            if (job.kind == "load" and region.access == "read" and region.buffer is None and
                    region.piece is not None and region.tensor is not None):
                tensors = by_core.setdefault(job.core, {})
                tensors[region.tensor] = tensors.get(region.tensor, 0) + region.bytes
    return by_core


def _size_of(case, tensor):
    return case.tensors[tensor].bytes * case.copies_of(case.tensors[tensor])


def _free_bytes(case, operator, core):
    """Local memory that nothing stays in while the operator runs."""
    start = min(job.start for job in operator.jobs)
    end = max(job.end for job in operator.jobs)
    stays = sum(b.bytes for b in case.buffers if b.role == "resident" and b.core == core and
                b.start is not None and b.start < end and b.end > start)
    return case.machine.memory_bytes[case.machine.local] - stays


@rule("units-in-step")
def check_units_in_step(case):
    """On each core of a mesh the engine starts after the first data came, ends after the last did,
    and results leave until it ends, or after."""
    if not case.machine.has_mesh:
        return
    for operator in case.operators:
        cores = {}
        for job in operator.jobs:
            kind = "in" if job.kind in ("load", "copy") else job.kind
            cores.setdefault((job.device, job.core), {}).setdefault(kind, []).append(job)
        for jobs in cores.values():
            yield from _step_problems(operator, jobs.get("in", []), jobs.get("compute", []),
                                      jobs.get("store", []))


def _step_problems(operator, reads, computes, stores):
    worked = max((job.end for job in computes), default=None)
    if reads and computes:
        first, ready = min(job.start for job in computes), min(job.end for job in reads)
        if first < ready:
            yield (f"{operator.where()}: {computes[0].where()}: starts at {first}, the first data "
                   f"comes until {ready}")
        if worked < max(job.end for job in reads):
            yield (f"{operator.where()}: {computes[-1].where()}: ends at {worked}, data comes until "
                   f"{max(job.end for job in reads)}")
    made = worked if computes else max((job.end for job in reads), default=None)
    if stores and made is not None and max(job.end for job in stores) < made:
        yield (f"{operator.where()}: {stores[-1].where()}: the last result leaves by "
               f"{max(job.end for job in stores)} and is there at {made}")


@rule("inputs-before-results")
def check_inputs_first(case):
    """No result leaves before shared memory has given what one element of it needs: all of a line
    that is reduced or normalised. Holds whatever jobs say about regions."""
    if case.machine.is_streamed():
        return
    for operator in case.operators:
        loads = sorted((job for job in operator.jobs if job.kind == "load"), key=lambda j: j.end)
        stores = [job for job in operator.jobs if job.kind == "store" and job.bytes]
        if operator.group is None or not loads or not stores:
            continue
        if sum(job.bytes for job in loads) < operator.input_bytes + operator.weight_bytes:
            continue  # Some of it lies in local memory already.
        least = _one_needs(case, operator)
        for store in stores:
            given = sum(job.bytes for job in loads if job.end <= store.start)
            if given < least:
                yield (f"{store.where()}: leaves at {store.start}, when {given} bytes have been "
                       f"loaded; an element of {operator.where()} needs {least}")


def _one_needs(case, operator):
    """Bytes of all operands that the first element of the result needs, as far as is known."""
    group, total = operator.group, 0
    for name in group.returned[:1]:
        dims = group.types.get(name, (None,))[0]
        if dims is None or 0 in dims:
            continue
        for operand, box in group.needed(name, [(0, 1) for _ in dims]).items():
            if box is not None:
                total += case.machine.bytes_of(boxes.size(box), group.types[operand][1])
    return total


def _whole_needs(case, operator):
    """(operand, elements that the whole result needs of it or None)."""
    group, elements = operator.group, {}
    for name in group.returned:
        dims = group.types.get(name, (None,))[0]
        if dims is None:
            continue
        for operand, box in group.needed(name, [(0, d) for d in dims]).items():
            count = boxes.size(box) if box is not None else None
            elements[operand] = max(count or 0, elements.get(operand) or 0) if count else None
    return elements.items()
