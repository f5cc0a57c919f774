# SPDX-License-Identifier: Apache-2.0
"""The rules can fail: a good schedule is broken in one place at a time, and the checker names it.

Every rule has at least one such break. Those of Torq's tasks and timelines are done to a schedule
of `tacho compile` (test_broken_dumps.py); all others to the one that sample.py makes.
"""
import contextlib
import io
import unittest

import check_schedules
import rules
import sample

_BREAKS = []


def breaks(*expected):
    """A function that breaks the sample; the rules that have to name it."""
    def add(function):
        _BREAKS.append((function, expected))
        return function
    return add


def _move(job, cycles):
    job.start += cycles
    job.end += cycles


def _rows(region, low, high):
    """Makes rows low..high of a region of x, y or z."""
    region.__init__({"access": region.access, "tensor": region.tensor, "buffer": region.buffer,
                     "bytes": region.bytes // region.sizes[2] * (high - low),
                     "offsets": [*region.offsets[:2], low, *region.offsets[3:]],
                     "sizes": [*region.sizes[:2], high - low, *region.sizes[3:]],
                     "of": region.of})


# ---- time --------------------------------------------------------------------------------------

@breaks("dependencies", "loaded-before-use")
def compute_starts_before_its_load_ends(case):
    _move(case.jobs[3], -1)


@breaks("dependencies")
def lag_is_not_waited_for(case):
    case.jobs[10].needs = [(9, False, 1)]


@breaks("dependencies")
def job_is_shorter_than_its_cycles(case):
    case.jobs[10].end -= 1


@breaks("one-job-at-a-time")
def two_loads_at_once(case):
    _move(case.jobs[2], -3)


@breaks("units-exist")
def second_engine_of_one(case):
    case.jobs[3].unit = 1


@breaks("units-exist")
def load_on_an_engine(case):
    case.jobs[0].engine = "ALU"


@breaks("program-agrees")
def program_has_another_start(case):
    case.program.jobs[3].start += 1


@breaks("program-agrees")
def program_lacks_a_job(case):
    case.program.jobs.pop()


# ---- memory ------------------------------------------------------------------------------------

@breaks("buffers-within-memory")
def buffer_ends_behind_the_memory(case):
    case.buffers[4].offset = 2000 - 95


@breaks("buffers-apart")
def buffers_share_a_byte(case):
    case.buffers[1].offset -= 1


@breaks("buffers-life")
def buffer_dies_before_its_last_reader(case):
    case.buffers[0].last = 5


@breaks("memory-peak", "memory-table")
def peak_is_too_low(case):
    case.program.facts.local_peak_bytes -= 1


@breaks("transfers-within-buffers", "regions-add-up")
def buffer_is_smaller_than_what_it_gets(case):
    case.buffers[2].bytes = case.jobs[2].bytes - 1


@breaks("transfers-within-buffers")
def one_job_stands_for_several(case):
    case.jobs[1].repeat = 2


# ---- data --------------------------------------------------------------------------------------

@breaks("regions-given")
def load_says_nothing(case):
    case.jobs[2].regions = []


@breaks("regions-add-up")
def region_has_other_bytes(case):
    case.jobs[2].regions[1].bytes -= 8


@breaks("regions-add-up")
def transfer_moves_more_than_its_region(case):
    case.jobs[10].bytes += 8


@breaks("regions-add-up")
def load_writes_other_rows_than_it_reads(case):
    _rows(case.jobs[2].regions[0], 2, 8)


@breaks("loaded-before-use")
def load_lacks_the_row_of_overlap(case):
    for region in case.jobs[2].regions:
        _rows(region, 4, 9)
    case.jobs[2].bytes -= 32


@breaks("operands-read")
def tile_lacks_the_row_of_overlap(case):
    _rows(case.jobs[5].regions[0], 4, 9)


@breaks("operands-read")
def tile_does_not_read_weights(case):
    del case.jobs[5].regions[1]


@breaks("operands-read")
def sum_lacks_a_channel_of_its_first_part(case):
    region = case.jobs[8].regions[0]
    region.__init__({"access": "read", "tensor": sample.Y, "buffer": 3, "bytes": 288,
                     "offsets": [0, 0, 0, 0], "sizes": [1, 3, 12, 8], "of": region.of})


@breaks("order-is-sure")
def need_is_dropped(case):
    case.jobs[3].needs = case.jobs[3].needs[:1]


@breaks("order-is-sure")
def need_is_another_load(case):
    case.jobs[5].needs = [(0, False, 0), (1, False, 0)]


@breaks("order-is-sure")
def reuse_waits_for_nothing(case):
    case.jobs[4].needs = []


@breaks("reused-after-use")
def load_overwrites_what_is_being_read(case):
    _move(case.jobs[4], -1)


@breaks("loaded-before-use")
def store_leaves_before_the_sum(case):
    case.jobs[10].needs = [(8, False, 0)]
    _move(case.jobs[10], -96)


@breaks("results-complete")
def tile_is_dropped(case):
    del case.jobs[5].regions[2]


@breaks("results-complete")
def tile_is_computed_twice(case):
    _rows(case.jobs[7].regions[2], 7, 11)


@breaks("results-complete")
def last_row_is_not_stored(case):
    for region in case.jobs[10].regions:
        _rows(region, 0, 11)


@breaks("results-complete")
def partial_sum_is_stored(case):
    case.jobs[9].regions[1].access = "partial"


@breaks("sums-are-wide", "results-complete")
def partial_sum_is_as_narrow_as_the_result(case):
    case.jobs[3].regions[2].access = "partial"


@breaks("regions-add-up")
def store_reads_other_bytes_than_it_writes(case):
    case.jobs[10].regions[0].bytes -= 1


@breaks("regions-add-up")
def load_is_steered_from_shared_memory(case):
    case.jobs[1].regions.append(case.jobs[0].regions[0])


@breaks("results-made")
def operator_writes_no_result(case):
    case.jobs[9].regions.pop()
    case.jobs[8].regions.pop()


# ---- work --------------------------------------------------------------------------------------

@breaks("macs")
def tile_does_fewer_macs(case):
    case.jobs[3].macs -= 1


@breaks("macs")
def operator_has_other_macs_than_its_shapes(case):
    case.operators[0].macs = sum(job.macs for job in case.jobs) - 9
    case.jobs[3].macs -= 9


@breaks("macs-rate")
def engine_multiplies_too_fast(case):
    case.jobs[3].cycles = 143


@breaks("results-rate")
def engine_writes_too_fast(case):
    case.jobs[9].cycles = 23


@breaks("conversions-rate")
def elements_are_converted_too_fast(case):
    case.operators[1].group.nodes[0].type = "onnx.Cast"
    case.jobs[8].cycles = 95


@breaks("transfer-rate")
def queue_is_twice_as_fast(case):
    case.jobs[0].cycles //= 2


@breaks("shared-memory-rate")
def loads_of_two_queues_at_once_are_too_fast(case):
    for job in case.jobs[:3]:
        job.start, job.end = 0, 24


@breaks("multicast-rate")
def cores_that_share_a_load_start_apart(case):
    """Half the memory is charged to each of two readers, which is right for both at once alone."""
    for number, job in enumerate(job for job in case.jobs if job.kind == "load"):
        job.readers, job.start, job.end = 2, number, number + job.cycles


@breaks("network-rate")
def copies_of_two_cores_are_too_fast(case):
    case.machine.network_rate, case.program.facts.core_count = 8, 2
    for job in case.jobs[:2]:
        job.kind, job.start, job.end = "copy", 0, job.cycles


@breaks("multicast-together")
def load_has_a_reader_that_does_not_load(case):
    case.jobs[0].readers = 2


@breaks("multicast-together")
def team_of_a_mesh_lacks_a_core(case):
    """Three jobs that look alike are no two teams of two."""
    case.machine.has_mesh = True
    for job, core in zip(case.jobs, (0, 1, 2)):
        job.kind, job.readers, job.regions, job.core = "load", 2, [], core
        job.start, job.end, job.bytes = 0, 36, 288


@breaks("units-in-step")
def engine_of_a_mesh_starts_before_data_comes(case):
    case.machine.has_mesh = True
    _move(case.jobs[3], -case.jobs[3].start)


@breaks("units-in-step")
def engine_of_a_mesh_ends_before_data_has_come(case):
    case.machine.has_mesh = True
    _move(case.jobs[4], 1000)


@breaks("units-in-step")
def results_of_a_mesh_leave_before_they_are_there(case):
    case.machine.has_mesh = True
    _move(case.jobs[10], -case.jobs[10].cycles - 1)


@breaks("fixed-jobs")
def processor_takes_less(case):
    case.jobs[6].cycles -= 1


@breaks("parameters-given")
def weights_only_say_how(case):
    """As if the kernel were the bounds of a slice."""
    group = case.operators[0].group
    group.parameters, group.data = set(group.operands[1:]), {group.operands[0]}


@breaks("runs-somewhere")
def operator_runs_on_no_engine(case):
    case.operators[0].jobs = [job for job in case.operators[0].jobs if job.kind == "load"]


@breaks("compulsory-bytes")
def input_is_not_loaded_whole(case):
    for region in case.jobs[4].regions:
        _rows(region, 9, 11)
    for job in case.jobs[1:3]:
        for region in job.regions:
            _rows(region, region.offsets[2], region.offsets[2] + 3)


@breaks("nothing-read-twice")
def rows_come_again_that_would_fit(case):
    case.machine.memory_bytes["MEM"] = 4096


@breaks("lines-read-once")
def lines_come_again(case):
    """As if the convolution normalised what it reads, whose rows overlap."""
    case.operators[0].group.nodes[0].type = "onnx.Softmax"
    case.machine.memory_bytes["MEM"] = 8 * 4096


@breaks("inputs-before-results")
def result_leaves_before_its_line_is_there(case):
    """The sum, as if its operand came from shared memory in two parts."""
    for job, count in zip(case.jobs[8:10], (4, 764)):
        job.kind, job.bytes = "load", count
    _move(case.jobs[10], -96)


# ---- totals ------------------------------------------------------------------------------------

@breaks("total")
def program_states_another_total(case):
    case.program.facts.total_cycles += 1


@breaks("total")
def table_states_another_total(case):
    case.tables["total"][0]["cycles"] += 1


@breaks("operators-add-up")
def operator_states_other_cycles(case):
    case.operators[1].cycles += 1


@breaks("memory-table")
def table_of_memory_counts_constants_as_the_model_does(case):
    row = next(row for row in case.tables["memory"] if row["what"] == "constants")
    row["bytes"] *= 4


@breaks("table-agrees")
def table_has_more_cores_than_jobs_run_on(case):
    case.tables["operators"][0]["cores"] += 1


@breaks("table-agrees")
def table_reads_other_bytes(case):
    case.tables["operators"][0]["ddr_read_bytes"] += 1


@breaks("table-agrees")
def table_reads_for_longer_than_the_operator(case):
    case.tables["operators"][0]["read_cycles"] = 10 ** 6


@breaks("table-agrees")
def table_names_the_wrong_bound(case):
    case.tables["operators"][0]["bound"] = "memory"


@breaks("table-agrees")
def table_writes_without_bytes(case):
    row = case.tables["operators"][0]
    row["write_cycles"], row["local_bytes"] = 5, 0


@breaks("bounds-add-up")
def bounds_state_other_cycles(case):
    case.tables["bounds"][0]["cycles"] += 1


@breaks("memory-table")
def table_of_memory_moves_other_bytes(case):
    case.tables["memory"][0]["bytes"] += 1


@breaks("memory-table")
def table_of_memory_counts_an_input_twice(case):
    case.tables["memory"][1]["bytes"] += case.tensors[0].bytes


class RulesTest(unittest.TestCase):
    def test_the_sample_is_good(self):
        found, _ = rules.check(sample.make())
        self.assertEqual([str(violation) for violation in found], [])

    def test_every_break_is_named(self):
        for function, expected in _BREAKS:
            with self.subTest(function.__name__):
                case = sample.make()
                function(case)
                for buffer in case.buffers:
                    buffer.start = buffer.end = None
                case.set_lives()
                _, counts = rules.check(case)
                for rule in expected:
                    self.assertIn(rule, counts)

    def test_every_rule_is_broken_by_one(self):
        broken = {rule for _, expected in _BREAKS for rule in expected}
        others = {"torq-tasks", "torq-transfers", "timelines-agree"}
        self.assertEqual(set(rules.names()) - broken, others)


def _report(counts):
    """Exit status and text of a run that found |counts| in one schedule."""
    messages = [f"light/x.onnx on toy: {rule}: job 1" for rule in counts]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = check_schedules.report([("light/x.onnx on toy", messages, counts, None, 1)])
    return status, out.getvalue()


class ReportTest(unittest.TestCase):
    def test_what_is_found_fails(self):
        status, text = _report({"macs": 1})
        self.assertEqual(status, 1)
        self.assertIn("light/x.onnx on toy: macs: job 1", text)

    def test_nothing_found_passes(self):
        self.assertEqual(_report({})[0], 0)

    def test_nothing_to_check_is_skipped(self):
        self.assertEqual(check_schedules.report([]), 77)


if __name__ == "__main__":
    unittest.main()
