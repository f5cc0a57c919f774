/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of annotated Torq profiles. Laws: torq_sorted.h; no span belongs to a run.
 */
#include "torq_sorted.h"

static bool is_run(const tacho_dict *dict, uint32_t run)
{
    (void)dict;
    return run == TACHO_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sorted_format format = {
        .source = &tacho_source_torq_annotated,
        .headers =
            {
                "nss_program_index;operation;invocation_name;nss_program_timestamp_start;"
                "nss_program_timestamp_end;slice_used_0_in_program;dma_in_used_in_program\n",
                "action_id;job_id;operation;invocation_names;slice_used_0_in_program;"
                "css_used_in_program;timestamp_start;timestamp_end;location\n",
            },
        .is_run = is_run,
    };
    check_format(&format, data, size);
    return 0;
}
