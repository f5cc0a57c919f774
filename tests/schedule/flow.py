# SPDX-License-Identifier: Apache-2.0
"""Replays the jobs of a schedule in the order of the program and follows every box of data.

A place is a buffer, or a tensor in shared memory. It holds pieces: boxes with the job that wrote
them and the jobs that read them since. A read has to find every element that it asks for, written
by a job that has ended and that is sure to have ended: through needs, or because one engine did
both. A write that replaces a piece has to wait for its readers in the same sense.
"""
import cover


class Clocks:
    """For each job, the last job of each engine that is sure to have ended before it starts."""

    def __init__(self, jobs):
        self.engines, self.of_job, self.clocks = {}, [], []
        last = {}
        for job in jobs:
            key = (job.device, job.core, job.engine, job.unit)
            self.of_job.append(self.engines.setdefault(key, len(self.engines)))
        empty = [-1] * len(self.engines)
        for job in jobs:
            before = [to for to, _, _ in job.needs if to < job.index]
            engine = self.of_job[job.index]
            if engine in last:
                before.append(last[engine])
            last[engine] = job.index
            self.clocks.append(self._join(before, empty))

    def _join(self, before, empty):
        clock = None
        for index in before:
            other = self.clocks[index]
            clock = list(other) if clock is None else [a if a > b else b
                                                       for a, b in zip(clock, other)]
        clock = list(empty) if clock is None else clock
        for index in before:
            engine = self.of_job[index]
            clock[engine] = max(clock[engine], index)
        return clock

    def is_ordered(self, early, late):
        return self.clocks[late.index][self.of_job[early.index]] >= early.index


class Piece:
    __slots__ = ("region", "writer", "readers")

    def __init__(self, region, writer):
        self.region, self.writer, self.readers = region, writer, []


class Flow:
    """The replay. |problems|: [(rule, message)]."""

    def __init__(self, case):
        self.case, self.problems = case, []
        self.clocks = Clocks(case.jobs)
        self.places = {}
        self.parents = {}  # of a job: jobs whose partial results or scratch went into its own
        self.generation = {}  # of a buffer: (operator, tile) or the load that filled it
        for job in case.jobs:
            if job.regions:
                self._replay(job)

    def _problem(self, rule, message):
        self.problems.append((rule, message))

    # ---- reading ---------------------------------------------------------------------------

    def _replay(self, job):
        parents = self.parents.setdefault(job.index, set())
        for region in job.regions:
            if region.access == "read":
                parents.update(self._read(job, region))
        for region in job.regions:
            if region.access != "read":
                parents.update(self._write(job, region))
        parents.discard(job.index)

    def inputs_of(self, job):
        """Regions whose data went into a job's result, through partial results, too."""
        seen, stack, found = {job.index}, [job.index], []
        while stack:
            index = stack.pop()
            found += [r for r in self.case.jobs[index].regions if r.access == "read"]
            for parent in self.parents.get(index, ()):
                if parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return found

    def _place(self, region):
        if region.buffer is not None:
            return region.buffer
        tensor = self.case.tensors.get(region.tensor)
        return ("local" if tensor is not None and tensor.place == "local" else "shared",
                region.tensor)

    def _is_given(self, region):
        tensor = self.case.tensors.get(region.tensor)
        is_variable = region.tensor is None  # In shared memory, from the run before.
        return region.buffer is None and (is_variable or tensor is not None and
                                          tensor.storage in ("input", "constant"))

    def _read(self, job, region):
        """Checks one read; returns the jobs whose partial results it reads."""
        if self._is_given(region):
            return []
        pieces = [p for p in self.places.get(self._place(region), ())
                  if p.region.tensor == region.tensor]
        if region.piece is not None:
            pieces = [p for p in pieces if p.region.piece is None or _touch(p.region, region)]
        if not pieces:
            self._problem("loaded-before-use", f"{job.where()}: reads {region.where()}, where "
                          "nothing of it was written")
            return []
        known = [p.region.piece for p in pieces if p.region.piece is not None]
        if region.piece is not None and len(known) == len(pieces):
            lack = cover.uncovered(known, *region.piece)
            if lack is not None:
                self._problem("loaded-before-use", f"{job.where()}: reads {region.where()}; {lack} "
                              "was not written there")
        for piece in pieces:
            piece.readers.append(job)
            self._check_order("loaded-before-use", piece.writer, job, "reads", region)
        return [piece.writer.index for piece in pieces
                if region.tensor is None or piece.region.access == "partial"]

    def _check_order(self, rule, early, late, verb, region):
        if early is late:
            return
        if late.start < early.end:
            self._problem(rule, f"{late.where()}: {verb} {region.where()} at {late.start}; job "
                          f"{early.index} ({early.kind}) is not done with it until {early.end}")
        elif not self.clocks.is_ordered(early, late):
            self._problem("order-is-sure", f"{late.where()}: {verb} {region.where()} after job "
                          f"{early.index} ({early.kind}), but waits for nothing that makes sure of "
                          "it")

    # ---- writing ---------------------------------------------------------------------------

    def _write(self, job, region):
        """Puts a piece in its place; returns the jobs whose partial results it adds to."""
        place = self._place(region)
        pieces = self.places.setdefault(place, [])
        if region.buffer is not None and self._replaces_all(job, region, pieces):
            replaced, kept = pieces, []
            self._check_complete(job, region, pieces)
        else:
            replaced = [p for p in pieces if _covers(region, p.region)]
            kept = [p for p in pieces if not _covers(region, p.region)]
        parents = []
        for piece in replaced:
            if piece.region.access == "partial" and piece.writer.op == job.op:
                parents.append(piece.writer.index)
            self._check_order("reused-after-use", piece.writer, job, "writes", region)
            for reader in piece.readers:
                self._check_order("reused-after-use", reader, job, "writes", region)
        self.places[place] = kept + [Piece(region, job)]
        if region.buffer is not None and self.case.buffers[region.buffer].role == "resident":
            # Where other cores find it.
            self.places.setdefault(("local", region.tensor), []).append(Piece(region, job))
        return parents

    def _check_complete(self, job, region, pieces):
        for piece in pieces:
            if piece.region.access == "partial" and piece.region.tensor is not None:
                self._problem("results-complete", f"{job.where()}: writes {region.where()} over "
                              f"the partial result of job {piece.writer.index}, which no job "
                              "completed")

    def _replaces_all(self, job, region, pieces):
        """Whether what a buffer held is gone: it has no box of its own, and this is the first
        write of another tile, or another load. What adds to a partial result replaces nothing
        else."""
        buffer = self.case.buffers[region.buffer]
        if any(p.region.access == "partial" and p.writer.op == job.op and _covers(region, p.region)
               for p in pieces):
            return False
        if buffer.region is not None or buffer.role == "resident":
            return False
        generation = (job.index,) if job.is_transfer() else (job.op, job.tile)
        if buffer.role == "scratch":
            generation = (job.op,)
        is_new = self.generation.get(region.buffer) != generation
        self.generation[region.buffer] = generation
        return is_new


def _touch(one, other):
    """Whether two regions of one tensor have an element in common, as far as that is plain."""
    (box, shape), (other_box, other_shape) = one.piece, other.piece
    if shape != other_shape:
        return True
    return all(a < d and c < b for (a, b), (c, d) in zip(box, other_box))


def _covers(outer, inner):
    if outer.tensor != inner.tensor:
        return False
    if outer.piece is None or inner.piece is None:
        return outer.piece is inner.piece
    (box, shape), (other_box, other_shape) = outer.piece, inner.piece
    return shape == other_shape and all(a <= c and d <= b
                                        for (a, b), (c, d) in zip(box, other_box))
