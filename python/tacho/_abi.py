# SPDX-License-Identifier: Apache-2.0
"""The structs and functions of libtacho as ctypes sees them.

Fields have the names of the headers in include/tacho. tests/python/test_abi.py compiles a C program
that compares every size and offset, and reads every prototype of the headers.
"""
from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p)
from typing import Any

NONE = 0xFFFFFFFF  # TACHO_VIEW_NONE

CODES = ("OK", "USAGE", "NOT_FOUND", "IO", "BAD_DATA", "LIMIT", "UNSUPPORTED", "OUT_OF_ORDER",
         "NO_MEMORY", "CANCELLED")
CELL_ABSENT, CELL_INT, CELL_REAL, CELL_TEXT, CELL_BOOL = range(5)
VALUE_INT, VALUE_UINT, VALUE_REAL, VALUE_BOOL, VALUE_TEXT, VALUE_DICT, VALUE_ARRAY, VALUE_JSON = range(8)
TIMECHART_BEGIN, TIMECHART_END, TIMECHART_INSTANT = 1, 2, 3
GATE_NONE, GATE_PASS, GATE_INCONCLUSIVE, GATE_REGRESSION = range(4)
DUMPS_PHASES, DUMPS_DISPATCHES = range(2)
TAKES_ONE, TAKES_LIST, TAKES_EACH = range(3)
(FILL_NONE, FILL_FLAG, FILL_UNFLAG, FILL_TRUTH, FILL_UNTRUTH, FILL_TEXT, FILL_STRING, FILL_NUMBER,
 FILL_WORD) = range(9)
VALUE_RANK_MAX = 8

enum = c_int
texts = POINTER(c_char_p)
Progress = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)
Note = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
Accepts = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_char_p)
Skipped = CFUNCTYPE(None, c_void_p, c_char_p)


# ---- tacho/profile.h

class tacho_view_options(Structure):
    _fields_ = [("from", c_char_p), ("clock_mhz", c_char_p), ("slice_count", c_uint32),
                ("program", c_char_p), ("progress", Progress), ("user", c_void_p),
                ("window_begin_ns", c_int64), ("window_end_ns", c_int64),
                ("min_duration_ns", c_int64), ("filter", c_char_p), ("skipped", Skipped),
                ("reserved", c_uint64 * 3)]


class tacho_input_view(Structure):
    _fields_ = [("path", c_char_p), ("bytes", c_void_p), ("byte_count", c_size_t),
                ("name", c_char_p), ("reserved", c_uint64 * 4)]


class tacho_view_counts(Structure):
    _fields_ = [(name, c_uint64) for name in
                ("part_count", "track_count", "span_count", "sample_count", "flow_count",
                 "loss_count", "lost_count", "fact_count", "lost_before_count", "string_count")
                ] + [("reserved", c_uint64 * 2)]


class tacho_part_view(Structure):
    _fields_ = [("name", c_char_p), ("path", c_char_p), ("format", c_char_p),
                ("generation", c_char_p), ("origin", c_char_p), ("clock_name", c_char_p),
                ("ns_numerator", c_int64), ("ns_denominator", c_int64), ("zero_ticks", c_int64),
                ("is_clock_assumed", c_bool), ("is_clock_in_cycles", c_bool), ("root", c_uint32),
                ("event_count", c_uint64), ("reserved", c_uint64 * 4)]


class tacho_arg_view(Structure):
    _fields_ = [("key", c_void_p), ("unit", c_char_p), ("type", enum), ("depth", c_uint32),
                ("as_int", c_int64), ("as_uint", c_uint64), ("as_real", c_double),
                ("as_bool", c_bool), ("text", c_void_p), ("text_len", c_size_t),
                ("key_len", c_uint64), ("reserved", c_uint64 * 3), ("cursor", c_uint32 * 20)]


class tacho_loss_view(Structure):
    _fields_ = [("part", c_uint32), ("reason", c_char_p), ("phrase", c_char_p),
                ("count", c_uint64), ("first_line", c_uint64), ("example", c_char_p),
                ("reserved", c_uint64 * 4)]


class tacho_fact_view(Structure):
    _fields_ = [("key", c_void_p), ("value", c_void_p), ("key_len", c_uint64),
                ("value_len", c_uint64)]


class tacho_span_columns(Structure):
    _fields_ = [(name, POINTER(kind)) for name, kind in (
        ("start_ns", c_int64), ("end_ns", c_int64), ("start_ticks", c_int64),
        ("end_ticks", c_int64), ("track", c_uint32), ("part", c_uint32), ("name", c_uint32),
        ("category", c_uint32), ("origin", c_uint32), ("location", c_uint32), ("file", c_uint32),
        ("run", c_uint32), ("line", c_uint32), ("invocation", c_int64), ("is_instant", c_uint8),
        ("is_unended", c_uint8))] + [("reserved", c_void_p * 8)]


class tacho_sample_columns(Structure):
    _fields_ = [("time_ns", POINTER(c_int64)), ("time_ticks", POINTER(c_int64)),
                ("value", POINTER(c_double)), ("track", POINTER(c_uint32)),
                ("part", POINTER(c_uint32)), ("reserved", c_void_p * 3)]


class tacho_flow_columns(Structure):
    _fields_ = [(name, POINTER(kind)) for name, kind in (
        ("time_ns", c_int64), ("time_ticks", c_int64), ("span_end_ns", c_int64), ("id", c_uint64),
        ("track", c_uint32), ("part", c_uint32), ("role", c_uint32), ("phase", c_uint32))
                ] + [("reserved", c_void_p * 4)]


class tacho_track_columns(Structure):
    _fields_ = [(name, POINTER(c_uint32)) for name in
                ("name", "track_class", "unit", "parent", "part", "number")
                ] + [("reserved", c_void_p * 4)]


# ---- tacho/table.h

class tacho_table_view(Structure):
    _fields_ = [("id", c_char_p), ("title", c_char_p), ("input", c_char_p),
                ("row_count", c_size_t), ("column_count", c_size_t), ("reserved", c_uint64 * 4)]


class tacho_column_view(Structure):
    _fields_ = [("id", c_char_p), ("title", c_char_p), ("type", enum), ("unit", c_char_p),
                ("reserved", c_uint64 * 4)]


class tacho_cell_view(Structure):
    _fields_ = [("type", enum), ("as_bool", c_bool), ("as_int", c_int64), ("as_real", c_double),
                ("text", c_void_p), ("text_len", c_size_t), ("reserved", c_uint64 * 2)]


class tacho_column_cells(Structure):
    _fields_ = [("as_int", POINTER(c_int64)), ("as_real", POINTER(c_double)), ("text", texts),
                ("is_present", POINTER(c_uint8)), ("reserved", c_void_p * 4)]


# ---- tacho/analyse.h

class tacho_analyse_overview_options(Structure):
    _fields_ = [("input", tacho_view_options), ("in_cycles", c_bool), ("wall_time_ns", c_int64),
                ("reserved", c_uint64 * 6)]


class tacho_analyse_breakdown_options(Structure):
    _fields_ = [("input", tacho_view_options), ("top", c_uint64), ("omits_advice", c_bool),
                ("reserved", c_uint64 * 6)]


class tacho_analyse_ops_options(Structure):
    _fields_ = [("input", tacho_view_options), ("by_instance", c_bool), ("sort", c_char_p),
                ("top", c_uint64), ("track_class", c_char_p), ("accepts", Accepts),
                ("user", c_void_p), ("by", c_char_p), ("reserved", c_uint64 * 5)]


class tacho_analyse_annotate_options(Structure):
    _fields_ = [("input", tacho_view_options), ("columns", c_char_p), ("source_dirs", texts),
                ("source_dir_count", c_size_t), ("omit_inner", c_bool), ("trace", c_char_p),
                ("reserved", c_uint64 * 6)]


class tacho_analyse_opstats_options(Structure):
    _fields_ = [("rollup", c_char_p), ("reserved", c_uint64 * 7)]


class tacho_analyse_side(Structure):
    _fields_ = [("paths", texts), ("path_count", c_size_t)]


class tacho_analyse_diff_options(Structure):
    _fields_ = [("input", tacho_view_options), ("by_type", c_bool), ("top", c_uint64),
                ("gate", c_char_p), ("by", c_char_p), ("reserved", c_uint64 * 5)]


class tacho_analyse_diff_result(Structure):
    _fields_ = [("outcome", enum), ("has_losses", c_bool), ("reserved", c_uint64 * 6)]


class tacho_baselines_options(Structure):
    _fields_ = [("input", tacho_view_options), ("reason", c_char_p), ("replaces", c_bool),
                ("reserved", c_uint64 * 6)]


class tacho_opstats_write_options(Structure):
    _fields_ = [("has_summaries", c_bool), ("has_traces", c_bool), ("table_format", c_char_p),
                ("trace_format", c_char_p), ("host_trace", c_char_p), ("cores", POINTER(c_uint32)),
                ("core_count", c_size_t), ("devices", POINTER(c_uint32)),
                ("device_count", c_size_t), ("splits_devices", c_bool), ("splits_groups", c_bool),
                ("has_flows", c_bool), ("has_barriers", c_bool), ("note", Note),
                ("user", c_void_p), ("reserved", c_uint64 * 6)]


# ---- tacho/convert.h, tacho/report.h

class tacho_convert_options(Structure):
    _fields_ = [("from", c_char_p), ("to", c_char_p), ("clock_mhz", c_char_p),
                ("slice_count", c_uint32), ("omit_args", c_bool), ("program", c_char_p),
                ("progress", Progress), ("user", c_void_p), ("window_begin_ns", c_int64),
                ("window_end_ns", c_int64), ("min_duration_ns", c_int64), ("filter", c_char_p),
                ("reserved", c_uint64 * 4)]


class tacho_convert_result(Structure):
    _fields_ = [("event_count", c_uint64), ("lost_count", c_uint64), ("assumed_mhz", c_uint64),
                ("unplaced_count", c_uint64), ("reserved", c_uint64 * 4)]


class tacho_named_log(Structure):
    _fields_ = [("name", c_char_p), ("path", c_char_p)]


class tacho_named_logs(Structure):
    _fields_ = [("items", POINTER(tacho_named_log)), ("item_count", c_size_t)]


class tacho_report_options(Structure):
    _fields_ = [("input", tacho_view_options), ("title", c_char_p), ("is_strict", c_bool),
                ("skipped", Skipped), ("reserved", c_uint64 * 6)]


class tacho_report_result(Structure):
    _fields_ = [("read_count", c_uint64), ("skipped_count", c_uint64), ("span_count", c_uint64),
                ("has_losses", c_bool), ("reserved", c_uint64 * 4)]


# ---- tacho/compile.h, tacho/run.h

class tacho_model_size(Structure):
    _fields_ = [("name", c_char_p), ("size", c_int64)]


class tacho_model_constant(Structure):
    _fields_ = [("name", c_char_p), ("values", c_char_p)]


class tacho_compiled_options(Structure):
    _fields_ = [("machine", c_char_p), ("sizes", POINTER(tacho_model_size)),
                ("size_count", c_size_t), ("constants", POINTER(tacho_model_constant)),
                ("constant_count", c_size_t), ("has_random_weights", c_bool),
                ("is_estimate", c_bool), ("ignores_limit", c_bool), ("counts_ddr", c_bool),
                ("is_tuned", c_bool), ("has_zero_weights", c_bool), ("seed", c_uint64), ("dtype", c_char_p),
                ("fidelity", c_char_p), ("pmu_recipe", c_char_p), ("cores", c_uint32),
                ("devices", c_uint32), ("batch", c_uint32), ("stats_level", c_uint32),
                ("note", Note), ("user", c_void_p), ("progress", Progress), ("grid", c_char_p),
                ("places", c_char_p), ("pmu_events", c_char_p), ("reserved", c_uint64 * 4)]


class tacho_analyse_query_options(Structure):
    _fields_ = [("input", tacho_view_options), ("timeout_ns", c_int64), ("row_max", c_uint64),
                ("reserved", c_uint64 * 6)]


class tacho_analyse_roofline_options(Structure):
    _fields_ = [("input", tacho_view_options), ("machine", c_char_p), ("roof", c_char_p),
                ("model", POINTER(tacho_compiled_options)), ("sort", c_char_p), ("top", c_uint64),
                ("reserved", c_uint64 * 6)]


class tacho_runner_options(Structure):
    _fields_ = [("device", c_char_p), ("compile", tacho_compiled_options),
                ("activations", c_uint32), ("threads", c_uint32), ("reference_kernels", c_bool),
                ("skips_values", c_bool), ("is_unlimited", c_bool), ("ignores_limit", c_bool),
                ("seed", c_uint64), ("stats_folder", c_char_p), ("host", c_char_p),
                ("board_path", c_char_p), ("board_runtime", c_char_p), ("board_wait_s", c_uint64),
                ("board_timeout_s", c_uint64), ("reserved", c_uint64 * 3)]


class tacho_runner_board(Structure):
    _fields_ = [("host", c_char_p), ("machine", c_char_p), ("path", c_char_p),
                ("pushed_bytes", c_uint64), ("wall_ns", c_int64), ("board_ns", c_int64),
                ("wait_ns", c_int64), ("reserved", c_uint64 * 3)]


class tacho_value_view(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_char_p), ("rank", c_uint32),
                ("dims", c_int64 * VALUE_RANK_MAX), ("data", c_void_p), ("byte_count", c_size_t),
                ("reserved", c_uint64 * 4)]


class tacho_inference(Structure):
    _fields_ = [("number", c_uint64), ("latency_ns", c_int64), ("cycles", c_int64),
                ("is_recorded", c_bool), ("reserved", c_uint64 * 4)]


Result = CFUNCTYPE(None, c_void_p, POINTER(tacho_inference))


class tacho_runner_plan(Structure):
    _fields_ = [("inference_count", c_uint64), ("recorded_count", c_uint64),
                ("first_recorded", c_uint64), ("omits_records", c_bool), ("progress", Progress),
                ("result", Result), ("user", c_void_p), ("delay_ms", c_uint64),
                ("reserved", c_uint64 * 5)]


# ---- tacho/timechart.h

class tacho_timechart_options(Structure):
    _fields_ = [("to", c_char_p), ("clock_mhz", c_char_p), ("ns_per_tick", c_uint64),
                ("origin", c_char_p), ("reserved", c_uint64 * 6)]


class tacho_timechart_log(Structure):
    _fields_ = [("process", c_char_p), ("thread", c_char_p), ("function", c_char_p),
                ("start_time", c_int64), ("end_time", c_int64)]


class tacho_timechart_arg(Structure):
    _fields_ = [("key", c_char_p), ("unit", c_char_p), ("type", enum), ("as_bool", c_bool),
                ("as_int", c_int64), ("as_uint", c_uint64), ("as_real", c_double),
                ("text", c_char_p), ("reserved", c_uint64 * 2)]


class tacho_timechart_flow(Structure):
    _fields_ = [("process", c_char_p), ("from_thread", c_char_p), ("to_thread", c_char_p),
                ("from_time", c_int64), ("to_time", c_int64), ("reserved", c_uint64 * 2)]


# ---- tacho/hint.h and tacho/request.h

class tacho_hint(Structure):
    _fields_ = [("id", enum), ("detail", c_char_p)]


class tacho_fill(Structure):
    _fields_ = [("kind", enum), ("offset", c_size_t), ("size", c_size_t), ("least", c_uint64),
                ("most", c_uint64), ("words", texts)]


class tacho_option(Structure):
    _fields_ = [("name", c_char_p), ("letter", c_char), ("takes", enum), ("value", c_char_p),
                ("help", c_char_p), ("fill", tacho_fill), ("writes", c_uint), ("is_front", c_bool)]


class tacho_spelling(Structure):
    _fields_ = [("option", c_char_p), ("letter", c_char_p), ("request", c_char_p), ("dash", c_char)]


class tacho_result_note(Structure):
    _fields_ = [("kind", c_char_p), ("text", c_char_p), ("hints", POINTER(tacho_hint)),
                ("reserved", c_uint64 * 4)]


class tacho_request_progress(Structure):
    _fields_ = [("label", c_char_p), ("unit", c_char_p), ("done", c_uint64), ("total", c_uint64),
                ("text", c_char_p), ("reserved", c_uint64 * 4)]


RequestNote = CFUNCTYPE(None, c_void_p, POINTER(tacho_result_note))
RequestProgress = CFUNCTYPE(c_bool, c_void_p, POINTER(tacho_request_progress))
MayReplace = CFUNCTYPE(c_bool, c_void_p, c_char_p)


class tacho_listener(Structure):
    _fields_ = [("note", RequestNote), ("progress", RequestProgress), ("may_replace", MayReplace),
                ("user", c_void_p), ("may_stop", c_bool), ("output", c_char_p),
                ("spelling", tacho_spelling),
                ("reserved", c_uint64 * 4)]


# ---- functions: name -> (result, arguments). A handle is a void pointer.

status = c_void_p
handle = c_void_p
out = POINTER(c_void_p)

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "tacho_version": (c_char_p, ()),
    "tacho_status_code": (enum, (status,)),
    "tacho_code_name": (c_char_p, (enum,)),
    "tacho_status_message": (c_char_p, (status,)),
    "tacho_status_note": (c_char_p, (status, c_size_t)),
    "tacho_status_free": (None, (status,)),

    "tacho_view_open_inputs": (status, (POINTER(tacho_input_view), c_size_t,
                                        POINTER(tacho_view_options), out)),
    "tacho_view_close": (None, (handle,)),
    "tacho_view_count": (tacho_view_counts, (handle,)),
    "tacho_view_part": (c_bool, (handle, c_uint64, POINTER(tacho_part_view))),
    "tacho_view_first_arg": (c_bool, (handle, c_uint64, POINTER(tacho_arg_view))),
    "tacho_view_next_arg": (c_bool, (handle, POINTER(tacho_arg_view))),
    "tacho_view_loss": (c_bool, (handle, c_uint64, POINTER(tacho_loss_view))),
    "tacho_view_fact": (c_bool, (handle, c_uint64, POINTER(tacho_fact_view))),
    "tacho_view_text": (c_void_p, (handle, c_uint32, POINTER(c_size_t))),
    "tacho_view_read_spans": (c_uint64, (handle, c_uint64, c_uint64, POINTER(tacho_span_columns))),
    "tacho_view_read_arg": (c_uint64, (handle, c_char_p, c_uint64, c_uint64, POINTER(c_double))),
    "tacho_view_read_samples": (c_uint64, (handle, c_uint64, c_uint64,
                                           POINTER(tacho_sample_columns))),
    "tacho_view_read_flows": (c_uint64, (handle, c_uint64, c_uint64, POINTER(tacho_flow_columns))),
    "tacho_view_read_tracks": (c_uint64, (handle, c_uint64, c_uint64,
                                          POINTER(tacho_track_columns))),

    "tacho_tables_count": (c_size_t, (handle,)),
    "tacho_tables_get": (c_bool, (handle, c_size_t, POINTER(tacho_table_view))),
    "tacho_tables_column": (c_bool, (handle, c_size_t, c_size_t, POINTER(tacho_column_view))),
    "tacho_tables_cell": (c_bool, (handle, c_size_t, c_size_t, c_size_t,
                                   POINTER(tacho_cell_view))),
    "tacho_tables_cell_text": (c_size_t, (handle, c_size_t, c_size_t, c_size_t, c_char_p, c_size_t)),
    "tacho_tables_read_column": (c_size_t, (handle, c_size_t, c_size_t, c_size_t,
                                            POINTER(tacho_column_cells))),
    "tacho_tables_write": (status, (handle, c_char_p, c_char_p)),
    "tacho_tables_free": (None, (handle,)),

    "tacho_analyse_overview": (status, (texts, c_size_t, POINTER(tacho_analyse_overview_options),
                                        out)),
    "tacho_analyse_breakdown": (status, (texts, c_size_t,
                                         POINTER(tacho_analyse_breakdown_options), out)),
    "tacho_analyse_ops": (status, (texts, c_size_t, POINTER(tacho_analyse_ops_options), out)),
    "tacho_analyse_query": (status, (texts, c_size_t, c_char_p,
                                     POINTER(tacho_analyse_query_options), out)),
    "tacho_analyse_info": (status, (texts, c_size_t, POINTER(tacho_view_options), out)),
    "tacho_analyse_annotate": (status, (c_char_p, texts, c_size_t,
                                        POINTER(tacho_analyse_annotate_options), out)),
    "tacho_analyse_opstats": (status, (c_char_p, texts, c_size_t,
                                       POINTER(tacho_analyse_opstats_options), out)),
    "tacho_analyse_diff": (status, (POINTER(tacho_analyse_side),
                                    POINTER(tacho_analyse_diff_options),
                                    POINTER(tacho_analyse_diff_result), out)),
    "tacho_analyse_roofline": (status, (texts, c_size_t, POINTER(tacho_analyse_roofline_options),
                                        POINTER(c_uint64), out)),
    "tacho_baselines_save": (status, (c_char_p, c_char_p, POINTER(tacho_analyse_side),
                                      POINTER(tacho_baselines_options), POINTER(c_bool))),
    "tacho_baselines_list": (status, (c_char_p, POINTER(tacho_view_options), out)),
    "tacho_opstats_write": (status, (c_char_p, c_char_p, c_char_p,
                                     POINTER(tacho_opstats_write_options), POINTER(c_uint64))),
    "tacho_machines_list": (status, (out,)),
    "tacho_machines_describe": (status, (c_char_p, out)),

    "tacho_convert_inputs": (status, (POINTER(tacho_input_view), c_size_t, c_char_p,
                                      POINTER(tacho_convert_options),
                                      POINTER(tacho_convert_result))),
    "tacho_convert_to_memory": (status, (POINTER(tacho_input_view), c_size_t,
                                         POINTER(tacho_convert_options), out, POINTER(c_size_t))),
    "tacho_convert_to_perfetto": (status, (tacho_named_logs, tacho_named_logs, c_char_p, c_uint32,
                                           POINTER(tacho_convert_result))),
    "tacho_report_write": (status, (texts, c_size_t, c_char_p, POINTER(tacho_report_options),
                                    POINTER(tacho_report_result))),

    "tacho_request_name": (c_char_p, (c_size_t,)),
    "tacho_request_options": (POINTER(tacho_option), (c_char_p, POINTER(c_size_t))),
    "tacho_spelling_apply": (c_size_t, (POINTER(tacho_spelling), c_char_p, c_char_p, c_size_t)),
    "tacho_request_create": (status, (c_char_p, out)),
    "tacho_request_add_input": (status, (handle, c_char_p)),
    "tacho_request_divide": (None, (handle,)),
    "tacho_request_set": (status, (handle, c_char_p, c_char_p)),
    "tacho_request_listen": (None, (handle, POINTER(tacho_listener))),
    "tacho_request_run": (status, (handle, out)),
    "tacho_request_free": (None, (handle,)),
    "tacho_results_outcome": (c_int, (handle,)),
    "tacho_results_is_misuse": (c_bool, (handle,)),
    "tacho_results_take_tables": (handle, (handle,)),
    "tacho_results_note": (c_bool, (handle, c_size_t, POINTER(tacho_result_note))),
    "tacho_results_free": (None, (handle,)),

    "tacho_compiled_open": (status, (c_char_p, POINTER(tacho_compiled_options), out)),
    "tacho_compiled_tables": (status, (handle, out)),
    "tacho_compiled_write_program": (status, (handle, c_char_p)),
    "tacho_compiled_write_timeline": (status, (handle, c_char_p, c_char_p)),
    "tacho_compiled_write_dumps": (status, (handle, enum, c_char_p)),
    "tacho_compiled_close": (None, (handle,)),

    "tacho_runner_open": (status, (c_char_p, POINTER(tacho_runner_options), out)),
    "tacho_runner_close": (None, (handle,)),
    "tacho_runner_get_board": (c_bool, (handle, POINTER(tacho_runner_board))),
    "tacho_runner_input_count": (c_size_t, (handle,)),
    "tacho_runner_output_count": (c_size_t, (handle,)),
    "tacho_runner_input": (c_bool, (handle, c_size_t, POINTER(tacho_value_view))),
    "tacho_runner_output_kind": (c_bool, (handle, c_size_t, POINTER(tacho_value_view))),
    "tacho_runner_set_input": (status, (handle, c_size_t, POINTER(tacho_value_view))),
    "tacho_runner_output": (status, (handle, c_size_t, POINTER(tacho_value_view))),
    "tacho_runner_go": (status, (handle, POINTER(tacho_runner_plan))),
    "tacho_runner_tables": (status, (handle, out)),
    "tacho_runner_write_profile": (status, (handle, c_char_p, c_char_p)),

    "tacho_timechart_open": (status, (c_char_p, POINTER(tacho_timechart_options), out)),
    "tacho_timechart_render": (status, (handle, POINTER(tacho_timechart_log))),
    "tacho_timechart_render_args": (status, (handle, POINTER(tacho_timechart_log),
                                             POINTER(tacho_timechart_arg), c_size_t)),
    "tacho_timechart_add_flow": (status, (handle, POINTER(tacho_timechart_flow))),
    "tacho_timechart_add_process": (status, (handle, c_char_p)),
    "tacho_timechart_add_thread": (status, (handle, c_char_p, c_char_p, c_char_p)),
    "tacho_timechart_add_counter": (status, (handle, c_char_p, c_char_p, c_char_p)),
    "tacho_timechart_set_track_event": (status, (handle, c_int64, enum,
                                                 POINTER(tacho_timechart_log))),
    "tacho_timechart_add_sample": (status, (handle, c_char_p, c_char_p, c_int64, c_double)),
    "tacho_timechart_add_compile_csv": (status, (handle, c_char_p, c_char_p, c_uint32)),
    "tacho_timechart_add_runtime_csv": (status, (handle, c_char_p, c_char_p)),
    "tacho_timechart_lost_count": (c_uint64, (handle,)),
    "tacho_timechart_flush": (status, (handle,)),
    "tacho_timechart_close": (None, (handle,)),
}


def declare(library: ctypes.CDLL) -> None:
    """Gives the functions of |library| their types."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
