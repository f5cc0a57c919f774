/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho opstats: raw stats of a device to summaries, traces and roll-ups.
 */
#include "api/requests/registry.h"
#include "api/requests/opstats_options.h"

static const tacho_option options[] = {
    TACHO_OPT_VALUE(
        "program", 'p', "FILE",
        "the program that was run (programqpc.bin, or what '{/compile}' wrote)",
        TACHO_INTO_TEXT(tacho_opstats_request, program_path)),
    TACHO_OPT_VALUE("qpc", 0, "FILE", "the vendor's name for {program}",
                    TACHO_INTO_TEXT(tacho_opstats_request, program_path)),
    TACHO_OPT_VALUE("input-dir", 'i', "DIR", "directory of raw stats files, or one of them",
                    TACHO_INTO_TEXT(tacho_opstats_request, input_path)),
    TACHO_OPT_VALUE("output-dir", 'o', "DIR", "output directory, created if missing (default: .)",
                    TACHO_INTO_TEXT(tacho_opstats_request, output_folder)),
    TACHO_OPT_VALUE("summary", 0, "[true|false]", "write a summary of each file",
                    TACHO_INTO_TRUTH(tacho_opstats_request, wants_summary)),
    TACHO_OPT_VALUE("trace", 0, "[true|false]", "write a trace of each inference",
                    TACHO_INTO_TRUTH(tacho_opstats_request, wants_trace)),
    TACHO_OPT_VALUE(
        "rollup", 0, "op|layer|core|device|critical",
        "print one table per inference: by operator type, by layer, core balance, traffic between "
        "devices, or the critical path",
        TACHO_INTO(WORD, tacho_opstats_request, rollup, TACHO_ROLLUP_NONE + 1, 0, NULL)),
    TACHO_OPTIONS_TABLES,
    TACHO_OPT_VALUE("to", 0, "FORMAT",
                    "write traces as FORMAT (default: chrome; perfetto is smaller)"),
    TACHO_OPT_VALUE(
        "host-trace", 0, "FILE",
        "add the host's trace (Chrome JSON with a clock-sync record) on the same time axis",
        TACHO_INTO_TEXT(tacho_opstats_request, host_path)),
    TACHO_OPT_VALUE("select-cores", 'c', "N,...", "only these cores in traces (default: all)"),
    TACHO_OPT_VALUE("select-devices", 'd', "N,...", "only these devices in traces (default: all)"),
    TACHO_OPT_VALUE("merge-mq-traces", 0, "[true|false]",
                    "one trace for all devices of an inference (default: true)",
                    TACHO_INTO_TRUTH(tacho_opstats_request, merges_devices)),
    TACHO_OPT_VALUE("merge-thread-groups", 0, "[true|false]",
                    "threads of a group share a track in traces (default: true)",
                    TACHO_INTO_UNTRUTH(tacho_opstats_request, view.splits_groups)),
    TACHO_OPT_VALUE(
        "flow-events", 0, "none|full",
        "draw dependencies as flow arrows in traces, true and false ones (default: none)",
        TACHO_INTO_WORD(tacho_opstats_request, view.shows_flows)),
    TACHO_OPT_VALUE("show-barrier-events", 0, "[true|false]",
                    "add a track per thread for barrier waits after operators (default: false)",
                    TACHO_INTO_TRUTH(tacho_opstats_request, view.shows_barriers)),
    TACHO_OPTIONS_COMMON,
};

const tacho_request_type tacho_request_type_opstats = {
    .name = "opstats",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tacho_opstats_command_run,
};
