# SPDX-License-Identifier: Apache-2.0
"""Boxes together: what several of them cover, once or more often, also in another view's shape."""
import bisect
import itertools


def drop_ones(box, of):
    """A box without the dimensions that have one element, and the shape that is left."""
    kept = [i for i, d in enumerate(of) if d != 1]
    return [box[i] for i in kept], [of[i] for i in kept]


def runs(box, of):
    """Stretches of a row-major tensor of shape |of|, in order: [(first, behind last)]."""
    if any(low >= high for low, high in box):
        return []
    stride, inner = 1, len(of)
    while inner > 0 and box[inner - 1] == (0, of[inner - 1]):
        inner -= 1
        stride *= of[inner]
    if inner == 0:
        return [(0, stride)]
    low, high = box[inner - 1]
    starts, step = [low * stride], stride * of[inner - 1]
    length = (high - low) * stride
    for axis in range(inner - 2, -1, -1):
        low, high = box[axis]
        starts = [start + i * step for i in range(low, high) for start in starts]
        step *= of[axis]
    return [(start, start + length) for start in starts]


def merge(stretches):
    """Sorted stretches with those that touch made one."""
    merged = []
    for low, high in sorted(stretches):
        if merged and low <= merged[-1][1]:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def first_gap(have, wanted):
    """The first element of the stretches |wanted| that |have|, which is merged, lacks; or None."""
    starts = [low for low, _ in have]
    for low, high in wanted:
        at = bisect.bisect_right(starts, low) - 1
        reach = have[at][1] if at >= 0 else low
        if reach < high:
            return max(reach, low)
    return None


def uncovered(pieces, box, shape):
    """None where the pieces [(box, shape)] cover |box| of a tensor seen as |shape|; else what they
    lack. No dimension has one element (drop_ones)."""
    clipped = []
    for other, other_shape in pieces:
        if other_shape != shape:
            return _uncovered_runs(pieces, box, shape)
        part = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(other, box)]
        if part == box:
            return None
        if all(low < high for low, high in part):
            clipped.append(part)
    edges, seen = _cells(clipped + [box])
    have = set()
    for part in clipped:
        have.update(seen(part))
    for cell in seen(box):
        if cell not in have:
            corner = ", ".join(str(edges[axis][i]) for axis, i in enumerate(cell))
            return f"element [{corner}]"
    return None


def _uncovered_runs(pieces, box, shape):
    have = merge([run for other, other_shape in pieces for run in runs(other, other_shape)])
    gap = first_gap(have, runs(box, shape))
    return None if gap is None else f"element {gap}"


def _cells(boxes):
    """The edges that boxes have along each axis, and a function: the cells of one of them."""
    rank = len(boxes[0])
    edges = [sorted({edge for box in boxes for edge in box[axis]}) for axis in range(rank)]
    places = [{edge: i for i, edge in enumerate(line)} for line in edges]

    def cells(box):
        spans = [range(places[axis][low], places[axis][high])
                 for axis, (low, high) in enumerate(box)]
        return itertools.product(*spans)
    return edges, cells


def twice(pieces):
    """What two of the pieces [(box, shape)] both have, or None."""
    pieces = [piece for piece in pieces if all(low < high for low, high in piece[0])]
    if len({tuple(shape) for _, shape in pieces}) > 1:
        stretches = sorted(run for box, shape in pieces for run in runs(box, shape))
        for before, after in zip(stretches, stretches[1:]):
            if after[0] < before[1]:
                return f"element {after[0]}"
        return None
    if len(pieces) < 2:
        return None
    edges, cells = _cells([box for box, _ in pieces])
    seen = set()
    for box, _ in pieces:
        for cell in cells(box):
            if cell in seen:
                corner = ", ".join(str(edges[axis][i]) for axis, i in enumerate(cell))
                return f"element [{corner}]"
            seen.add(cell)
    return None
