/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Torq host profiles. Laws: torq_sorted.h; every span belongs to a run.
 */
#include "torq_sorted.h"

static bool is_run(const tacho_dict *dict, uint32_t run)
{
    return run < dict->run_count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sorted_format format = {
        .source = &tacho_source_torq_host,
        .headers =
            {
                "actionIndex, elapsed_time(us), timestamp(us), event, location\n",
                "dispatch_name,invocation_id,action_id,timestamp_us,event\n",
            },
        .is_run = is_run,
    };
    check_format(&format, data, size);
    return 0;
}
