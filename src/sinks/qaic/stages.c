/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stages from the simulated host, or from the runner's timestamps.
 */
#include "sinks/qaic/stages.h"

#include <inttypes.h>

static int64_t *stage(tacho_qaic_stages *stages, tacho_qaic_stage which)
{
    return &stages->ns[which];
}

/* The sum of the known |parts|; -1 without any. */
static int64_t sum_of(const tacho_qaic_stages *stages, const tacho_qaic_stage *parts, size_t count)
{
    int64_t sum = -1;
    for (size_t i = 0; i < count; i++) {
        int64_t part = stages->ns[parts[i]];
        if (part >= 0) {
            sum = (sum < 0 ? 0 : sum) + part;
        }
    }
    return sum;
}

static void add_totals(tacho_qaic_stages *stages)
{
    static const tacho_qaic_stage exec[] = {TACHO_QAIC_STAGE_TO_START,
                                            TACHO_QAIC_STAGE_TO_COMPLETE};
    static const tacho_qaic_stage trip[] = {TACHO_QAIC_STAGE_PREPARE, TACHO_QAIC_STAGE_SUBMIT,
                                            TACHO_QAIC_STAGE_EXEC, TACHO_QAIC_STAGE_FINISH};
    static const tacho_qaic_stage total[] = {TACHO_QAIC_STAGE_ENQUEUE, TACHO_QAIC_STAGE_ROUND_TRIP};
    *stage(stages, TACHO_QAIC_STAGE_EXEC) = sum_of(stages, exec, 2);
    *stage(stages, TACHO_QAIC_STAGE_ROUND_TRIP) = sum_of(stages, trip, 4);
    *stage(stages, TACHO_QAIC_STAGE_TOTAL) = sum_of(stages, total, 2);
}

tacho_qaic_stages tacho_qaic_stages_of(const tacho_run_sample *sample)
{
    const tacho_device_result *result = &sample->result;
    const tacho_run_host_times *host = &sample->host;
    tacho_qaic_stages stages;
    for (size_t i = 0; i < TACHO_QAIC_STAGE_COUNT; i++) {
        stages.ns[i] = -1;
    }
    bool is_measured =
        host->is_known && result->start_ns >= host->submit_ns && host->done_ns >= result->start_ns;
    if (result->host.is_known) {
        *stage(&stages, TACHO_QAIC_STAGE_TO_START) = result->start_ns - result->host.sent_ns;
        *stage(&stages, TACHO_QAIC_STAGE_TO_COMPLETE) = result->host.fetched_ns - result->start_ns;
    } else if (is_measured) {
        *stage(&stages, TACHO_QAIC_STAGE_PREPARE) = host->submit_ns - host->begin_ns;
        *stage(&stages, TACHO_QAIC_STAGE_TO_START) = result->start_ns - host->submit_ns;
        *stage(&stages, TACHO_QAIC_STAGE_TO_COMPLETE) = host->done_ns - result->start_ns;
        *stage(&stages, TACHO_QAIC_STAGE_FINISH) = host->end_ns - host->done_ns;
    } else {
        *stage(&stages, TACHO_QAIC_STAGE_TO_COMPLETE) = result->end_ns - result->start_ns;
    }
    add_totals(&stages);
    return stages;
}

void tacho_qaic_stage_write(int64_t ns, tacho_output *output)
{
    if (ns < 0) {
        tacho_output_write_cstring(output, "N/A");
    } else {
        tacho_output_printf(output, "%" PRId64 ".%03" PRId64, ns / 1000, ns % 1000);
    }
}

const char *tacho_qaic_clock_phrase(const tacho_recording *recording)
{
    return recording->device.is_simulated ? "simulated" : "measured";
}

const char *tacho_qaic_missing_phrase(const tacho_recording *recording)
{
    return recording->device.is_simulated
               ? "N/A: the simulated host has no queue and no driver, and prepares nothing"
               : "N/A: no queue and no driver are between this process and the device";
}

void tacho_qaic_stages_write(const tacho_recording *recording, const tacho_run_sample *sample,
                             tacho_output *output)
{
    static const char *const names[TACHO_QAIC_STAGE_COUNT] = {
#define STAGE_NAME(name, text) text,
        TACHO_QAIC_STAGES(STAGE_NAME)
#undef STAGE_NAME
    };
    tacho_qaic_stages stages = tacho_qaic_stages_of(sample);
    tacho_output_printf(output, "\nHost stages, %s (%s):\n", tacho_qaic_clock_phrase(recording),
                        tacho_qaic_missing_phrase(recording));
    for (size_t i = 0; i < TACHO_QAIC_STAGE_COUNT; i++) {
        tacho_output_printf(output, "host %s: ", names[i]);
        tacho_qaic_stage_write(stages.ns[i], output);
        tacho_output_write_cstring(output, "\n");
    }
}
