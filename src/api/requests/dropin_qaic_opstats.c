/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-opstats: the decoder of raw stats for Qualcomm Cloud AI 100, with its options.
 */
#include "api/requests/registry.h"
#include "api/requests/opstats_options.h"

static const tacho_option options[] = {
    TACHO_OPT_VALUE("qpc", 'q', "PATH", "programqpc.bin, as the compiler wrote it",
                    TACHO_INTO_TEXT(tacho_opstats_request, program_path)),
    TACHO_OPT_VALUE("input-dir", 'i', "PATH", "directory of raw stats buffers",
                    TACHO_INTO_TEXT(tacho_opstats_request, input_path)),
    TACHO_OPT_VALUE("output-dir", 'o', "PATH", "output directory, created if missing (default: .)",
                    TACHO_INTO_TEXT(tacho_opstats_request, output_folder)),
    TACHO_OPT_VALUE("summary", 0, "[true|false]", "write text summaries",
                    TACHO_INTO_TRUTH(tacho_opstats_request, wants_summary)),
    TACHO_OPT_VALUE("trace", 0, "[true|false]", "write Chrome traces (JSON)",
                    TACHO_INTO_TRUTH(tacho_opstats_request, wants_trace)),
    TACHO_OPT_VALUE("host-trace", 0, "PATH", "the host's trace (JSON), shown on the same time axis",
                    TACHO_INTO_TEXT(tacho_opstats_request, host_path)),
    TACHO_OPT_VALUE("select-cores", 'c', "LIST", "only these cores in traces, such as 0,5,1"),
    TACHO_OPT_VALUE("select-devices", 'd', "LIST", "only these devices in traces, such as 0,1"),
    TACHO_OPT_VALUE("merge-mq-traces", 0, "[true|false]",
                    "one trace for several devices of one inference (default: true)",
                    TACHO_INTO_TRUTH(tacho_opstats_request, merges_devices)),
    TACHO_OPT_VALUE("merge-thread-groups", 0, "[true|false]",
                    "threads of one group share a track (default: true)",
                    TACHO_INTO_UNTRUTH(tacho_opstats_request, view.splits_groups)),
    TACHO_OPT_VALUE("flow-events", 0, "none|full", "arrows for dependencies (default: none)",
                    TACHO_INTO_WORD(tacho_opstats_request, view.shows_flows)),
    TACHO_OPT_VALUE("show-barrier-events", 0, "[true|false]",
                    "a track per thread for barriers (default: false)",
                    TACHO_INTO_TRUTH(tacho_opstats_request, view.shows_barriers)),
    TACHO_OPT_FLAG("verbose", 'v', "print what is being decoded",
                   TACHO_INTO_FLAG(tacho_opstats_request, is_verbose), .is_front = true),
    TACHO_OPTION_HELP,
};

const tacho_request_type tacho_request_type_qaic_opstats = {
    .name = "qaic-opstats",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = tacho_opstats_command_run,
};
