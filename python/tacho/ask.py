# SPDX-License-Identifier: Apache-2.0
# Made by tools/python_requests.py from the tables of options in the library.
"""A function for each request: what the command of that name does, with its options as keywords.
Tables that no option sends to a file are in the results."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

from .requests import Results, request

__tracebackhide__ = True  # pytest shows the caller
Progress = Callable[[int, int], object]
Text = Union[str, "os.PathLike[str]", float]
Texts = Union[Text, Sequence[Text]]


def convert(*inputs: Any, output: Optional[Text] = None, from_: Optional[Text] = None,
        to: Optional[Text] = None, args: Optional[Text] = None, jobs: Optional[int] = None,
        window: Optional[Text] = None, filter: Optional[Text] = None,
        min_duration: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None, queues: bool = False,
        strict: bool = False, progress: Optional[Progress] = None) -> Results:
    """What `tacho convert` does.

    |output|: the trace to write; the suffix selects the format, an added .gz or .zst
        compresses, - is standard output (Perfetto unless to is given); DIR/ is a dataset of
        Parquet files
    |from_|: read every input as FORMAT instead of detecting it
    |to|: write FORMAT regardless of the suffix of OUT; 'help formats' lists both
    |args|: none: names and times only, half the size (default: all)
    |jobs|: of a dataset: convert N files at a time (default: one per processor)
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |min_duration|: only spans of at least this length, such as 5us
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |queues|: add a counter for each stream whose work has launches: how much is launched and
        has not started
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"output": output, "from": from_, "to": to, "args": args,
        "jobs": jobs, "window": window, "filter": filter, "min-duration": min_duration,
        "clock-mhz": clock_mhz, "num-slices": num_slices, "program": program, "queues": queues,
        "strict": strict}
    return request("convert", *inputs, progress=progress, **chosen)


def info(*inputs: Any, format: Optional[Text] = None, output: Optional[Text] = None,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None,
        window: Optional[Text] = None, filter: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho info` does.

    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"format": format, "output": output, "from": from_,
        "clock-mhz": clock_mhz, "num-slices": num_slices, "program": program, "window": window,
        "filter": filter, "strict": strict}
    return request("info", *inputs, progress=progress, **chosen)


def overview(*inputs: Any, format: Optional[Text] = None, output: Optional[Text] = None,
        unit: Optional[Text] = None, wall_time: Optional[Text] = None, no_advice: bool = False,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None,
        window: Optional[Text] = None, filter: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho overview` does.

    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |unit|: show time, or the raw cycles of an estimate (default: time)
    |wall_time|: show this wall time above the metrics, such as 0.207 or 207ms
    |no_advice|: leave out the verdict and the advice
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"format": format, "output": output, "unit": unit,
        "wall-time": wall_time, "no-advice": no_advice, "from": from_, "clock-mhz": clock_mhz,
        "num-slices": num_slices, "program": program, "window": window, "filter": filter,
        "strict": strict}
    return request("overview", *inputs, progress=progress, **chosen)


def breakdown(*inputs: Any, format: Optional[Text] = None, output: Optional[Text] = None,
        top: Optional[int] = None, critical_path: bool = False, no_advice: bool = False,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None,
        window: Optional[Text] = None, filter: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho breakdown` does.

    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |top|: list the N longest gaps and steps; 0: none (default: 10)
    |critical_path|: show instead which chain of work ends last, and what would be gained if an
        operation took no time; top N: how many operations
    |no_advice|: leave out the verdict and the advice
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"format": format, "output": output, "top": top,
        "critical-path": critical_path, "no-advice": no_advice, "from": from_,
        "clock-mhz": clock_mhz, "num-slices": num_slices, "program": program, "window": window,
        "filter": filter, "strict": strict}
    return request("breakdown", *inputs, progress=progress, **chosen)


def ops(*inputs: Any, by: Optional[Text] = None, sort: Optional[Text] = None,
        top: Optional[int] = None, no_advice: bool = False, filter: Optional[Text] = None,
        window: Optional[Text] = None, class_: Optional[Text] = None,
        compat: Optional[Text] = None, start_signpost: Optional[Text] = None,
        end_signpost: Optional[Text] = None, ignore_signposts: bool = False,
        print_signposts: bool = False, id_range: Optional[Text] = None,
        min_percentage: Optional[Text] = None, arch: Optional[Text] = None,
        tracing_mode: bool = False, no_host_ops: bool = False, no_merge_devices: bool = False,
        no_summary: bool = False, raw_op_codes: bool = False, group_by: Optional[Text] = None,
        join: bool = False, format: Optional[Text] = None, output: Optional[Text] = None,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho ops` does.

    |by|: one row per operator, per name and source location, or per group: the operator that
        launched the work, kernel, layer (layer:2 for two levels), source line, device or step
        (default: type)
    |sort|: self, total, count, mean, p50, p99, min, max or bytes, largest first; name or
        location, alphabetical (default: self)
    |top|: the first N rows of each input, of devices and of the host, 0 for all (default: 20)
    |no_advice|: leave out the verdict and the advice
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |class_|: only tracks of this class, as 'info' shows it
    |compat|: the report of that tool instead: its columns, and its CSV with format csv or
        output x.csv; for op tables of Tenstorrent's profiler
    |start_signpost|: only rows after the first signpost of that name
    |end_signpost|: only rows before the first signpost of that name, or the second if
        start_signpost names the same
    |ignore_signposts|: all rows (default: those after the last signpost)
    |print_signposts|: show signposts among the rows
    |id_range|: only rows A to B of the table; A- and -B work too
    |min_percentage|: hide rows below N percent of the time, except in CSV (default: 0)
    |arch|: the chip, if the table does not say: wormhole, blackhole, bh20, n1, or a machine
        description with peaks (default: wormhole)
    |tracing_mode|: keep the order of the table instead of sorting by host time
    |no_host_ops|: leave out ops that run on the host
    |no_merge_devices|: a row per op and device
    |no_summary|: leave out the summary
    |raw_op_codes|: add a CSV column with the op code alone
    |group_by|: what a row of the summary is (default: memory)
    |join|: write the op table of the logs that Tenstorrent's profiler left, files or the
        directory of one run, as CSV
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"by": by, "sort": sort, "top": top, "no-advice": no_advice,
        "filter": filter, "window": window, "class": class_, "compat": compat,
        "start-signpost": start_signpost, "end-signpost": end_signpost,
        "ignore-signposts": ignore_signposts, "print-signposts": print_signposts,
        "id-range": id_range, "min-percentage": min_percentage, "arch": arch,
        "tracing-mode": tracing_mode, "no-host-ops": no_host_ops,
        "no-merge-devices": no_merge_devices, "no-summary": no_summary,
        "raw-op-codes": raw_op_codes, "group-by": group_by, "join": join, "format": format,
        "output": output, "from": from_, "clock-mhz": clock_mhz, "num-slices": num_slices,
        "program": program, "strict": strict}
    return request("ops", *inputs, progress=progress, **chosen)


def query(*inputs: Any, format: Optional[Text] = None, output: Optional[Text] = None,
        filter: Optional[Text] = None, window: Optional[Text] = None,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None, strict: bool = False,
        timeout: Optional[Text] = None, max_rows: Optional[int] = None,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho query` does.

    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |strict|: fail if any record cannot be read
    |timeout|: stop a statement that takes longer; the exit status is then 1 (default: none)
    |max_rows|: fail if the statement selects more than N rows (default: any number)
    """
    chosen: dict[str, Any] = {"format": format, "output": output, "filter": filter,
        "window": window, "from": from_, "clock-mhz": clock_mhz, "num-slices": num_slices,
        "program": program, "strict": strict, "timeout": timeout, "max-rows": max_rows}
    return request("query", *inputs, progress=progress, **chosen)


def roofline(*inputs: Any, machine: Optional[Text] = None, roof: Optional[Text] = None,
        dim: Optional[Texts] = None, bind: Optional[Texts] = None, dtype: Optional[Text] = None,
        fidelity: Optional[Text] = None, batch: Optional[int] = None, sort: Optional[Text] = None,
        top: Optional[int] = None, filter: Optional[Text] = None, window: Optional[Text] = None,
        format: Optional[Text] = None, output: Optional[Text] = None,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho roofline` does.

    |machine|: a built-in machine, as listed by 'machine list', or a description file (default:
        the input's own; for models torq-sl2610)
    |roof|: ceilings instead of a machine's: f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s
    |dim|: the size of a dimension that the model leaves open, or the sizes of an input:
        x=1x3x224x224; repeatable
    |bind|: fix an input: it becomes a constant, and an If that depends on it can be decided; a
        number, or several with commas; repeatable
    |dtype|: models only: store and compute real numbers as this type: bf16, f16 ...
    |fidelity|: models only: multiplication precision, on machines that offer a choice
    |batch|: models only: run this many inferences as one batch
    |sort|: time, gain (time above the least possible), roof (furthest from it), intensity, name
        or order (default: time)
    |top|: the first N points, 0 for all (default: 20)
    |filter|: only operators whose name or location contains TEXT, or matches the extended
        regular expression between slashes
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"machine": machine, "roof": roof, "dim": dim, "bind": bind,
        "dtype": dtype, "fidelity": fidelity, "batch": batch, "sort": sort, "top": top,
        "filter": filter, "window": window, "format": format, "output": output, "from": from_,
        "clock-mhz": clock_mhz, "num-slices": num_slices, "program": program, "strict": strict}
    return request("roofline", *inputs, progress=progress, **chosen)


def annotate(*inputs: Any, output: Optional[Text] = None, columns: Optional[Text] = None,
        format: Optional[Text] = None, source_dir: Optional[Texts] = None,
        from_: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho annotate` does.

    |output|: output file; the suffix selects the kind: .csv and .xlsx are tables, .pb, .json
        and .jsonl traces; an added .gz or .zst compresses (default: a table on standard output)
    |columns|: columns and rows of the table: native (default), as the vendor's tools write them
        (torq-a0 to torq-a3), or as its manuals name them (torq-a0-manual, torq-a3-manual)
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |source_dir|: look for the model's files here when they are not where the debug information
        says; may be repeated
    |from_|: read every input as FORMAT instead of detecting it
    |strict|: fail, and write nothing, if anything cannot be read or has no match
    """
    chosen: dict[str, Any] = {"output": output, "columns": columns, "format": format,
        "source-dir": source_dir, "from": from_, "strict": strict}
    return request("annotate", *inputs, progress=progress, **chosen)


def report(*inputs: Any, output: Optional[Text] = None, title: Optional[Text] = None,
        machine: Optional[Text] = None, roof: Optional[Text] = None, from_: Optional[Text] = None,
        clock_mhz: Optional[Text] = None, num_slices: Optional[Text] = None,
        program: Optional[Text] = None, window: Optional[Text] = None,
        filter: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho report` does.

    |output|: the page to write (default: report.html); - is standard output, .gz or .zst
        compresses
    |title|: title of the page (default: the name of the only input)
    |machine|: a built-in machine, as listed by 'machine list', or a description file: adds a
        roofline of operators whose work is known
    |roof|: ceilings instead of a machine's: f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |strict|: fail, and write nothing, if any file or record cannot be read
    """
    chosen: dict[str, Any] = {"output": output, "title": title, "machine": machine, "roof": roof,
        "from": from_, "clock-mhz": clock_mhz, "num-slices": num_slices, "program": program,
        "window": window, "filter": filter, "strict": strict}
    return request("report", *inputs, progress=progress, **chosen)


def compile(*inputs: Any, machine: Optional[Text] = None, dim: Optional[Texts] = None,
        bind: Optional[Texts] = None, sweep: Optional[Texts] = None,
        input: Optional[Texts] = None, weights: Optional[Text] = None,
        dtype: Optional[Text] = None, fidelity: Optional[Text] = None,
        cores: Optional[int] = None, devices: Optional[int] = None, batch: Optional[int] = None,
        grid: Optional[Text] = None, place: Optional[Text] = None, eager: bool = False,
        tuned: bool = False, torq_hw: Optional[Text] = None, force: bool = False,
        sort: Optional[Text] = None, filter: Optional[Text] = None, top: Optional[int] = None,
        profile: Optional[Text] = None, profile_format: Optional[Text] = None,
        stats_level: Optional[int] = None, stats_batchsize: Optional[int] = None,
        ddr_stats: bool = False, pmu_recipe: Optional[Text] = None,
        pmu_events: Optional[Text] = None, perf_warnings: bool = False, no_advice: bool = False,
        perf_metrics: bool = False, dump_compilation_phases_to: Optional[Text] = None,
        torq_debug_info: Optional[Text] = None, mlir_print_ir_after_all: bool = False,
        mlir_print_ir_tree_dir: Optional[Text] = None, format: Optional[Text] = None,
        output: Optional[Text] = None, progress: Optional[Progress] = None) -> Results:
    """What `tacho compile` does.

    |machine|: a built-in machine, as listed by 'machine list', or a description file (default:
        torq-sl2610)
    |dim|: the size of a dimension that the model leaves open, or the sizes of an input:
        x=1x3x224x224; repeatable
    |bind|: fix an input: it becomes a constant, and an If that depends on it can be decided; a
        number, or several with commas; repeatable
    |sweep|: estimate at each of these sizes: batch, seq, or an open dimension; repeatable, all
        combinations. output takes tables then, or .html with curves
    |input|: value of the next input, or NAME=VALUE for a named one, as for 'run': decides
        branches, steps and sizes that follow from values; repeatable
    |weights|: use seeded random weights, or zeros for missing ones (default: the model's;
        missing ones are random, with a warning)
    |dtype|: store and compute real numbers as this type: bf16, bfp8, f16 ... (default: the
        model's type, as the machine supports it)
    |fidelity|: multiplication precision, on machines that offer a choice
    |cores|: use at most this many cores; fewer are used where that is faster
    |devices|: spread the operators over this many devices, in order
    |batch|: run this many inferences as one batch; weights are shared
    |grid|: use a grid of this size, on machines whose cores form a grid
    |place|: placement of operands, on machines with a mesh: in0=dram|l1, in1=dram|l1 (weights,
        or the second matrix), out=dram|l1, separated by commas
    |eager|: the host launches one kernel after the other, on GPUs (default: a graph replays
        them without gaps, so that the total is the time of kernels)
    |tuned|: hand-tuned blocking and placement, on machines that distinguish it
    |torq_hw|: another Torq configuration: <id>:<lram_kb>:<slices>:<css>:<nss>[:<dma>...]
    |force|: compile a model even if its jobs exceed the memory limit; replace files that were
        not written by tacho
    |sort|: order (as they run), cycles, macs, bytes or name (default: order)
    |filter|: only operators whose name or type contains TEXT, or matches the extended regular
        expression between slashes
    |top|: the N costliest operators, or the first N by sort; 0 for all (default: 0)
    |profile|: write the estimated timeline to FILE; the suffix selects the format: .pb, .json,
        .csv (Torq: timeline t1; else a table of events for other programs, which tacho does not
        read) ...
    |profile_format|: format of the timeline: a trace format of 'help formats', or Torq's t1 or
        t4
    |stats_level|: what the program records: 40 inferences, 50 also ports, 70 also operators,
        100 also counters per operator; below 40 nothing (default: 40)
    |stats_batchsize|: number of inferences to average statistics over (default: 1)
    |ddr_stats|: count DDR traffic per core; needs level 40 or more
    |pmu_recipe|: count a predefined set of core events: AxiRd, AxiWr, AxiRdWr, KernelUtil,
        HmxMacs
    |pmu_events|: count these core events, at most 8
    |perf_warnings|: print performance warnings
    |no_advice|: leave out the verdict and the advice
    |perf_metrics|: also print program statistics and per-core figures
    |dump_compilation_phases_to|: write the model after each phase there, as
        MODEL.<n>.<phase>.mlir; the last, MODEL.9.executable-targets.mlir, is what 'annotate'
        joins with runtime profiles
    |torq_debug_info|: write the last phase of each dispatch there, as DISPATCH.mlir
    |mlir_print_ir_after_all|: print the model after each pass on standard error
    |mlir_print_ir_tree_dir|: write what would be printed to one file per pass in DIR instead
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write the program to OUT; with a table suffix (.txt, .csv, .json, .xlsx) or
        format, write the tables to OUT
    """
    chosen: dict[str, Any] = {"machine": machine, "dim": dim, "bind": bind, "sweep": sweep,
        "input": input, "weights": weights, "dtype": dtype, "fidelity": fidelity, "cores": cores,
        "devices": devices, "batch": batch, "grid": grid, "place": place, "eager": eager,
        "tuned": tuned, "torq-hw": torq_hw, "force": force, "sort": sort, "filter": filter,
        "top": top, "profile": profile, "profile-format": profile_format,
        "stats-level": stats_level, "stats-batchsize": stats_batchsize, "ddr-stats": ddr_stats,
        "pmu-recipe": pmu_recipe, "pmu-events": pmu_events, "perf-warnings": perf_warnings,
        "no-advice": no_advice, "perf-metrics": perf_metrics,
        "dump-compilation-phases-to": dump_compilation_phases_to,
        "torq-debug-info": torq_debug_info, "mlir-print-ir-after-all": mlir_print_ir_after_all,
        "mlir-print-ir-tree-dir": mlir_print_ir_tree_dir, "format": format, "output": output}
    return request("compile", *inputs, progress=progress, **chosen)


def run(*inputs: Any, device: Optional[Text] = None, machine: Optional[Text] = None,
        host: Optional[Text] = None, board_path: Optional[Text] = None,
        board_runtime: Optional[Text] = None, board_wait: Optional[int] = None,
        timeout: Optional[int] = None, input: Optional[Texts] = None, seed: Optional[int] = None,
        output: Optional[Texts] = None, function: Optional[Text] = None,
        iterations: Optional[int] = None, activations: Optional[int] = None,
        kernels: Optional[Text] = None, threads: Optional[int] = None, no_values: bool = False,
        force: bool = False, unlimited: bool = False, profile: Optional[Text] = None,
        profile_format: Optional[Text] = None, stats_dir: Optional[Text] = None,
        samples: Optional[int] = None, start_iteration: Optional[Text] = None,
        start_delay: Optional[int] = None, compare: bool = False, blocks: bool = False,
        no_tables: bool = False, no_advice: bool = False, top: Optional[int] = None,
        filter: Optional[Text] = None, cores: Optional[int] = None,
        stats_level: Optional[int] = None, dim: Optional[Texts] = None,
        bind: Optional[Texts] = None, weights: Optional[Text] = None,
        dtype: Optional[Text] = None, format: Optional[Text] = None,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho run` does.

    |device|: the device to run on: sim (the machine that the program was compiled for),
        sim:MACHINE, cpu, null (default: sim; a model is compiled for torq-sl2610)
    |machine|: same as device sim:NAME
    |host|: run on another computer, such as a board, over ssh; the device is there
    |board_path|: where the runtime is kept there, from the home directory on (default:
        .cache/tacho/YOU/tacho-board)
    |board_runtime|: the runtime to run there (default: the one installed for its processor)
    |board_wait|: wait this long while others use the board (default: 0)
    |timeout|: fail when the board is silent for this long; one that computes is not (default:
        60, or 150 until it lets you in)
    |input|: value of the next input, or NAME=VALUE for a named one: 1x1280xi8=0, 4xf32=1 2 3 4,
        @x.npy, @x.pb; repeatable (default: seeded random)
    |seed|: seed for inputs without a value (default: 0)
    |output|: write the next output to FILE as .npy, or as raw bytes to .bin; - prints it;
        repeatable (default: print)
    |function|: fail if the program has no function of this name
    |iterations|: number of inferences (default: 1; with compare on cpu: 11)
    |activations|: number of copies of the program, each on its own cores (default: 1)
    |kernels|: how values are computed (default: fast)
    |threads|: host threads that compute values (default: 1)
    |no_values|: sim: times only; do not compute values
    |force|: run a program, or compile a model, that exceeds a limit of work or memory; replace
        files that were not written by tacho
    |unlimited|: sim: disable contention; reproduces the estimate
    |profile|: write the recording to FILE, with each operator's estimate; the suffix selects
        the format: .tacho (complete, for tacho itself), .pb, .json, .csv ...
    |profile_format|: format of the recording: a trace format of 'help formats', or Torq's r0,
        r1 or r2
    |stats_dir|: write the raw stats of each recorded inference to DIR, one file per activation
        and device
    |samples|: number of inferences to record (default: 1; with compare on cpu: all but the
        first, up to 100)
    |start_iteration|: first iteration to record, counted from 0 (default: 0; 1 when several are
        measured)
    |start_delay|: start recording after this much device time, at the latest with the last
        inference
    |compare|: also print each operator's estimate, named stalls and the fitted clock
    |blocks|: also print when each block (NSS program) ran
    |no_tables|: print outputs only
    |no_advice|: leave out the verdict and the advice
    |top|: operators to list, 0 for all (default: 10)
    |filter|: only operators whose name or location contains TEXT, or matches the extended
        regular expression between slashes
    |cores|: models only: use at most this many cores
    |stats_level|: models only: what the program records, as for 'compile' (default: 70)
    |dim|: models only: the size of a dimension that it leaves open, or the sizes of an input:
        x=1x3x224x224; repeatable
    |bind|: models only: fix an input, as for 'compile'; repeatable
    |weights|: models only: use seeded random weights, or zeros for missing ones (default: the
        model's; missing ones are an error)
    |dtype|: models only: the type in which real numbers are stored and computed, for times of
        the simulation, as for 'compile'; values are not rounded to it
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    """
    chosen: dict[str, Any] = {"device": device, "machine": machine, "host": host,
        "board-path": board_path, "board-runtime": board_runtime, "board-wait": board_wait,
        "timeout": timeout, "input": input, "seed": seed, "output": output, "function": function,
        "iterations": iterations, "activations": activations, "kernels": kernels,
        "threads": threads, "no-values": no_values, "force": force, "unlimited": unlimited,
        "profile": profile, "profile-format": profile_format, "stats-dir": stats_dir,
        "samples": samples, "start-iteration": start_iteration, "start-delay": start_delay,
        "compare": compare, "blocks": blocks, "no-tables": no_tables, "no-advice": no_advice,
        "top": top, "filter": filter, "cores": cores, "stats-level": stats_level, "dim": dim,
        "bind": bind, "weights": weights, "dtype": dtype, "format": format}
    return request("run", *inputs, progress=progress, **chosen)


def machine(*inputs: Any, format: Optional[Text] = None, output: Optional[Text] = None,
        from_: Optional[Text] = None, fit: Optional[Text] = None, folds: Optional[Text] = None,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho machine` does.

    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |from_|: calibrate: fit numbers of MACHINE to the operators measured in TABLE, a CSV file;
        OUT is the new description
    |fit|: calibrate: with from, the numbers to fit, as 'show' names them, with commas between;
        those with a + between them change by the same factor (default: those that the
        description lists under 'fitted')
    |folds|: calibrate: with from, parts that the shapes are split into; each part is held out
        once, 2 to 20 (default: 5)
    """
    chosen: dict[str, Any] = {"format": format, "output": output, "from": from_, "fit": fit,
        "folds": folds}
    return request("machine", *inputs, progress=progress, **chosen)


def opstats(*inputs: Any, program: Optional[Text] = None, qpc: Optional[Text] = None,
        input_dir: Optional[Text] = None, output_dir: Optional[Text] = None,
        summary: Optional[bool] = None, trace: Optional[bool] = None,
        rollup: Optional[Text] = None, format: Optional[Text] = None, to: Optional[Text] = None,
        host_trace: Optional[Text] = None, select_cores: Optional[Text] = None,
        select_devices: Optional[Text] = None, merge_mq_traces: Optional[bool] = None,
        merge_thread_groups: Optional[bool] = None, flow_events: Optional[Text] = None,
        show_barrier_events: Optional[bool] = None,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho opstats` does.

    |program|: the program that was run (programqpc.bin, or what 'compile' wrote)
    |qpc|: the vendor's name for program
    |input_dir|: directory of raw stats files, or one of them
    |output_dir|: output directory, created if missing (default: .)
    |summary|: write a summary of each file
    |trace|: write a trace of each inference
    |rollup|: print one table per inference: by operator type, by layer, core balance, traffic
        between devices, or the critical path
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |to|: write traces as FORMAT (default: chrome; perfetto is smaller)
    |host_trace|: add the host's trace (Chrome JSON with a clock-sync record) on the same time
        axis
    |select_cores|: only these cores in traces (default: all)
    |select_devices|: only these devices in traces (default: all)
    |merge_mq_traces|: one trace for all devices of an inference (default: true)
    |merge_thread_groups|: threads of a group share a track in traces (default: true)
    |flow_events|: draw dependencies as flow arrows in traces, true and false ones (default:
        none)
    |show_barrier_events|: add a track per thread for barrier waits after operators (default:
        false)
    """
    chosen: dict[str, Any] = {"program": program, "qpc": qpc, "input-dir": input_dir,
        "output-dir": output_dir, "summary": summary, "trace": trace, "rollup": rollup,
        "format": format, "to": to, "host-trace": host_trace, "select-cores": select_cores,
        "select-devices": select_devices, "merge-mq-traces": merge_mq_traces,
        "merge-thread-groups": merge_thread_groups, "flow-events": flow_events,
        "show-barrier-events": show_barrier_events}
    return request("opstats", *inputs, progress=progress, **chosen)


def diff(*inputs: Any, gate: Optional[Text] = None, by: Optional[Text] = None,
        top: Optional[int] = None, filter: Optional[Text] = None, window: Optional[Text] = None,
        format: Optional[Text] = None, output: Optional[Text] = None,
        also: Optional[Texts] = None, from_: Optional[Text] = None,
        clock_mhz: Optional[Text] = None, num_slices: Optional[Text] = None,
        program: Optional[Text] = None, strict: bool = False, progress: Optional[Progress] = None,
        sides: Optional[tuple[Any, Any]] = None) -> Results:
    """What `tacho diff` does.

    |gate|: fail (exit status 4) if B is slower than A by more than LIMITS, such as
        rel=3%,abs=20us; both must be exceeded
    |by|: compare operators one by one, all of one type, layer or operator of the framework
        (aten::linear), which may be an estimate's; layer:N: to N levels (default: instance)
    |top|: rows to list, 0 for all; regressions always are (default: 20)
    |filter|: only events whose name or location contains TEXT, or matches the extended regular
        expression between slashes
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole
    |format|: how to print the tables; github: annotations of a workflow, junit: test results in
        XML (default: by the suffix of OUT, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |also|: also write the tables to FILE, in the format of its suffix: .md, .xml (JUnit),
        .json, .csv, .xlsx; repeatable
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"gate": gate, "by": by, "top": top, "filter": filter,
        "window": window, "format": format, "output": output, "also": also, "from": from_,
        "clock-mhz": clock_mhz, "num-slices": num_slices, "program": program, "strict": strict}
    return request("diff", *inputs, progress=progress, sides=sides, **chosen)


def profile(*inputs: Any, output: Optional[Text] = None, tt_report: Optional[Text] = None,
        tt_all_columns: bool = False, port: Optional[int] = None,
        tracy_port: Optional[int] = None, no_tracy: bool = False,
        stats_level: Optional[int] = None, timeout: Optional[Text] = None,
        activate: Optional[Text] = None, live: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho profile` does.

    |output|: keep the capture: .tacho as it is, .pb, .json or another trace suffix as a trace,
        .csv, .txt or .xlsx as a table; DIR/: one capture per rank, below DIR
    |tt_report|: write the operators as Tenstorrent's op table; its directory is made
    |tt_all_columns|: with tt_report: also the columns of newer tables, such as PROGRAM HASH
    |port|: also let programs report over TCP on 127.0.0.1; 0 takes any free port (default: a
        Unix socket alone)
    |tracy_port|: port that a Tracy client listens on, as TRACY_PORT; one process alone can have
        it (default: each process takes a free one)
    |no_tracy|: do not listen for Tracy clients, and connect to none
    |stats_level|: how much programs report: below 70 no operators, 100 also counters of
        operators (default: 70)
    |timeout|: end the program after S seconds (SIGTERM, then SIGKILL); the exit status is then
        124
    |activate|: begin to record when the time of day is a multiple of TIME, as in /10s: the same
        moment on all hosts whose clocks agree
    |live|: show processes, events, losses, and where the time went, each second: in one line on
        a terminal, else in a line each
    """
    chosen: dict[str, Any] = {"output": output, "tt-report": tt_report,
        "tt-all-columns": tt_all_columns, "port": port, "tracy-port": tracy_port,
        "no-tracy": no_tracy, "stats-level": stats_level, "timeout": timeout,
        "activate": activate, "live": live}
    return request("profile", *inputs, progress=progress, **chosen)


def baseline(*inputs: Any, dir: Optional[Text] = None, reason: Optional[Text] = None,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None, strict: bool = False,
        format: Optional[Text] = None, output: Optional[Text] = None,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho baseline` does.

    |dir|: directory of the baselines (default: baselines)
    |reason|: why; 'accept' needs one
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |strict|: fail if any record cannot be read
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    """
    chosen: dict[str, Any] = {"dir": dir, "reason": reason, "from": from_, "clock-mhz": clock_mhz,
        "num-slices": num_slices, "program": program, "strict": strict, "format": format,
        "output": output}
    return request("baseline", *inputs, progress=progress, **chosen)


def fleet(*inputs: Any, top: Optional[int] = None, sort: Optional[Text] = None,
        run: Optional[Texts] = None, jobs: Optional[int] = None, share: Optional[Text] = None,
        slurm: Optional[int] = None, parts: Optional[Text] = None, split: bool = False,
        filter: Optional[Text] = None, window: Optional[Text] = None,
        format: Optional[Text] = None, output: Optional[Text] = None,
        from_: Optional[Text] = None, clock_mhz: Optional[Text] = None,
        num_slices: Optional[Text] = None, program: Optional[Text] = None, strict: bool = False,
        progress: Optional[Progress] = None) -> Results:
    """What `tacho fleet` does.

    |top|: the first N rows of each table, 0 for all (default: 20)
    |sort|: of 'ops': self, total, count, mean, p50, p99, min, max or bytes, largest first; name
        or location, alphabetical (default: self)
    |run|: only files of this run; of 'diff', given twice, the runs to compare
    |jobs|: read N files at a time (default: one per processor)
    |share|: of 'map': only every Nth file, from the Ith of 0 to N-1 on (default: as Slurm's job
        arrays, srun and mpirun say)
    |slurm|: first make parts of all files in a Slurm job array of N tasks, and wait for it;
        parts that are up to date are kept
    |parts|: directory for the parts of slurm, which all nodes see (default: fleet-parts)
    |split|: of 'report': a page of its own for each rank, however small
    |filter|: of 'ops' and 'diff': only operations whose name, of 'ops' also whose location,
        contains TEXT, or matches the extended regular expression between slashes
    |window|: only events that overlap this time range, measured from the input's first event:
        10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole; not of
        'stragglers', 'collectives' and 'clocks'
    |format|: how to print the tables (default: as the output file's suffix says, else text)
    |output|: write to OUT instead of standard output; .gz or .zst compresses
    |from_|: read every input as FORMAT instead of detecting it
    |clock_mhz|: frequency of cycle counts in MHz (default for Torq: 800)
    |num_slices|: number of slices in T1 timelines, which do not name them (default: 2)
    |program|: the compiled program that recorded the raw stats among the inputs
    |strict|: fail if any record cannot be read
    """
    chosen: dict[str, Any] = {"top": top, "sort": sort, "run": run, "jobs": jobs, "share": share,
        "slurm": slurm, "parts": parts, "split": split, "filter": filter, "window": window,
        "format": format, "output": output, "from": from_, "clock-mhz": clock_mhz,
        "num-slices": num_slices, "program": program, "strict": strict}
    return request("fleet", *inputs, progress=progress, **chosen)
