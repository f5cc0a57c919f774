# SPDX-License-Identifier: Apache-2.0
"""What jobs read and write: regions that add up, data that is there, results that are whole."""
import boxes
import cover
from case import box_text
from flow import Flow
from rules import rule


def _volume(sizes):
    count = 1
    for value in sizes:
        count *= value
    return count


@rule("regions-given")
def check_given(case):
    """Where operators are cut, every job that moves or computes says what it touches."""
    if not case.machine.is_cut():
        return
    for job in case.jobs:
        if job.is_transfer() or job.kind == "compute":
            if not job.regions:
                yield f"{job.where()}: says nothing about what it reads and writes"


def _region_problems(case, job, region):
    tensor = case.tensors.get(region.tensor)
    if region.tensor is not None and tensor is None:
        yield f"{region.where()}: there is no such tensor"
        return
    if region.buffer is not None:
        buffer = case.buffers[region.buffer]
        if region.bytes > buffer.bytes:
            yield f"{region.where()}: {region.bytes} bytes in a buffer of {buffer.bytes}"
        yield from _place_problems(buffer, region)
    if region.piece is None:
        return
    for low, length, extent in zip(region.offsets, region.sizes, region.of):
        if low < 0 or length < 0 or low + length > extent:
            yield f"{region.where()}: lies outside the shape {region.of}"
    if tensor is None:
        return
    expected = -(-_volume(region.sizes) * tensor.bits // 8)
    if region.bytes != expected:
        yield f"{region.where()}: {expected} bytes expected, found {region.bytes}"
    elements = tensor.elements * case.copies_of(tensor)
    if _volume(region.of) != elements:
        yield (f"{region.where()}: {elements} elements expected in the shape {region.of}, "
               f"found {_volume(region.of)}")


def _place_problems(buffer, region):
    """A buffer that is a box of its tensor holds boxes within that."""
    own = buffer.region
    if own is None or own.piece is None or region.piece is None or buffer.tensor != region.tensor:
        return
    (box, shape), (own_box, own_shape) = region.piece, own.piece
    if shape == own_shape and not boxes.contains(own_box, box):
        yield f"{region.where()}: the buffer holds {box_text(own.box())} only"


@rule("regions-add-up")
def check_regions(case):
    """Bytes follow from boxes, boxes lie in their tensors and buffers, transfers move one box."""
    for job in case.jobs:
        for region in job.regions:
            for problem in _region_problems(case, job, region):
                yield f"{job.where()}: {region.access}: {problem}"
        if job.is_transfer() and job.regions:
            yield from _transfer_problems(job)


def _transfer_problems(job):
    reads = [r for r in job.regions if r.access == "read"]
    writes = [r for r in job.regions if r.access != "read"]
    if job.kind == "p2p":
        return
    # What steers a transfer (indices) is read, too, but from local memory.
    steering = [r for r in reads[1:] if r.buffer is None]
    if not reads or steering or len(writes) != 1:
        yield (f"{job.where()}: one region read and one written expected, found {len(reads)} and "
               f"{len(writes)}")
        return
    read, write = reads[0], writes[0]
    for region in (read, write):
        if job.bytes != region.bytes:
            yield f"{job.where()}: {region.bytes} bytes in its region, {job.bytes} moved"
    if read.tensor == write.tensor and read.piece != write.piece:
        yield f"{job.where()}: reads {read.where()} but writes {write.where()}"
    if (read.buffer is None) == (write.buffer is None) and job.kind != "copy":
        yield f"{job.where()}: goes from {read.place()} to {write.place()}"


@rule("loaded-before-use")
def check_flow(case):
    """Every element is there when it is read."""
    yield from _flow_problems(case, "loaded-before-use")


@rule("reused-after-use")
def check_reuse(case):
    """Memory is written again only when what it held has been read."""
    yield from _flow_problems(case, "reused-after-use")


@rule("order-is-sure")
def check_order(case):
    """That order does not rest on cycles alone: needs or an engine's order make it."""
    yield from _flow_problems(case, "order-is-sure")


def _flow(case):
    if case.flow is None:
        case.flow = Flow(case)
    return case.flow


def _flow_problems(case, name):
    return (message for rule_name, message in _flow(case).problems if rule_name == name)


# ---- results -----------------------------------------------------------------------------------

def _makes(job):
    """Tensors that a job completes a part of; what it only takes elsewhere is not among them."""
    read = {r.tensor for r in job.regions if r.access == "read"}
    return {r.tensor for r in job.regions if r.access == "write"} - read - {None}


def _written(case):
    """{tensor: (boxes that jobs make, boxes that arrive in shared memory)}."""
    made, stored = {}, {}
    for job in case.jobs:
        makes = _makes(job)
        for region in job.regions:
            if region.access != "write" or region.tensor is None:
                continue
            if region.tensor in makes:
                made.setdefault(region.tensor, []).append(region)
            if region.buffer is None:
                stored.setdefault(region.tensor, []).append(region)
    return made, stored


def _once_problems(tensor, what, regions, batch):
    pieces = [r.piece for r in regions if r.piece is not None]
    if len(pieces) < len(regions) or not regions:
        if not regions:
            yield f"tensor {tensor.index} '{tensor.name}': nothing of it is {what}"
        return
    of = regions[0].of
    whole, shape = cover.drop_ones([(0, d) for d in of], of)
    lack = cover.uncovered(pieces, whole, shape)
    if lack is not None:
        yield f"tensor {tensor.index} '{tensor.name}' {of}: {lack} is never {what}"
    double = cover.twice(pieces)
    if double is not None:
        yield f"tensor {tensor.index} '{tensor.name}' {of}: {double} is {what} twice"


@rule("results-complete")
def check_results(case):
    """Every element of a result is computed once; of one in shared memory, stored once."""
    if not case.machine.is_cut():
        return
    yield from _flow_problems(case, "results-complete")
    made, stored = _written(case)
    for tensor in case.tensors.values():
        if tensor.storage in ("input", "constant"):
            continue
        yield from _once_problems(tensor, "computed", made.get(tensor.index, []), case.batch())
        if tensor.place == "shared":
            yield from _once_problems(tensor, "stored", stored.get(tensor.index, []), case.batch())


@rule("results-made")
def check_made(case):
    """What an operator returns is among what its jobs write."""
    if not case.has_regions() or not case.machine.is_cut():
        return
    for operator in case.operators:
        if operator.group is None or not operator.jobs or not operator.group.tensor_of:
            continue
        written = {tensor for job in operator.jobs for tensor in _makes(job)}
        wanted = {operator.group.tensor_of.get(name) for name in operator.group.returned} - {None}
        # A constant is there before, and of what has no elements there is nothing to write.
        made = {t.index for t in case.tensors.values() if t.storage == "constant"}
        group = operator.group
        made |= {group.tensor_of.get(name) for name in group.returned
                 if 0 in (group.types.get(name, (None,))[0] or ())}
        for tensor in sorted(wanted - written - made):
            yield f"{operator.where()}: no job writes its result, tensor {tensor}"


# ---- operands ----------------------------------------------------------------------------------

@rule("operands-read")
def check_operands(case):
    """A tile reads every element that its part of the result needs: a window's overlap, too. An
    operator reads something of each operand, however its jobs see it."""
    for operator in case.operators:
        group = operator.group
        if group is None or not group.tensor_of:
            continue
        yield from _unread_problems(case, operator)
        for job in operator.jobs:
            if job.kind in ("compute", "control"):
                yield from _operand_problems(case, group, job)


def _unread_problems(case, operator):
    group = operator.group
    if not case.machine.is_cut() or not operator.jobs:
        return
    read = {case.root_of(r.tensor) for job in operator.jobs for r in job.regions
            if r.access == "read"}
    for name in group.returned:
        dims = group.types[name][0] if name in group.types else None
        needs = group.needed(name, [(0, d) for d in dims]) if dims else {}
        for operand, box in needs.items():
            tensor = case.tensors.get(case.root_of(group.tensor_of.get(operand)))
            if (box is not None and boxes.size(box) > 0 and tensor is not None and
                    tensor.index not in read and not group.is_given(operand, tensor)):
                yield (f"{operator.where()}: needs tensor {tensor.index} '{tensor.name}', no job "
                       "reads it")


def _operand_problems(case, group, job):
    returned = {group.tensor_of.get(name): name for name in group.returned}
    for region in job.regions:
        if region.access != "write" or region.tensor not in returned or region.offsets is None:
            continue
        name = returned[region.tensor]
        if region.of != group.types[name][0]:
            continue
        have = _flow(case).inputs_of(job)
        for operand, box in group.needed(name, region.box()).items():
            yield from _lack(case, group, job, operand, box, have)


def _lack(case, group, job, operand, box, have):
    tensor = case.tensors.get(case.root_of(group.tensor_of.get(operand)))
    if box is None or tensor is None or boxes.size(box) == 0 or group.is_given(operand, tensor):
        return
    dims = group.types[operand][0]
    pieces = [r.piece for r in have
              if case.root_of(r.tensor) == tensor.index and r.access == "read"]
    if not pieces:
        yield (f"{job.where()}: needs {box_text(box)} of tensor {tensor.index} '{tensor.name}', "
               "reads nothing of it")
    elif None not in pieces:
        lack = cover.uncovered(pieces, *cover.drop_ones(box, dims))
        if lack is not None:
            yield (f"{job.where()}: needs {box_text(box)} of tensor {tensor.index} "
                   f"'{tensor.name}'; {lack} is not read")
