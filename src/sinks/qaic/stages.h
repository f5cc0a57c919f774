/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of an inference as the host sees them, all on one clock: the simulated one of a
 * simulated device, this computer's of a real one. A total is the sum of its known parts.
 */
#ifndef TACHO_SINKS_QAIC_STAGES_H
#define TACHO_SINKS_QAIC_STAGES_H

#include "base/output.h"
#include "program/recording.h"

/* Columns of the latency file after those of the device, in its order. */
#define TACHO_QAIC_STAGES(X)                                                                       \
    X(ROUND_TRIP, "hostRoundTripUs")                                                               \
    X(ENQUEUE, "enqTimeUs")                                                                        \
    X(PREPARE, "preProcTimeUs")                                                                    \
    X(SUBMIT, "submitTimeUs")                                                                      \
    X(EXEC, "execTotalUs")                                                                         \
    X(TO_START, "exectoVcUs")                                                                      \
    X(TO_COMPLETE, "execToCompleteUs")                                                             \
    X(FINISH, "postProcUs")                                                                        \
    X(TOTAL, "totalRoundtripTimeUs")

typedef enum tacho_qaic_stage {
#define TACHO_QAIC_STAGE_ENUM(name, text) TACHO_QAIC_STAGE_##name,
    TACHO_QAIC_STAGES(TACHO_QAIC_STAGE_ENUM)
#undef TACHO_QAIC_STAGE_ENUM
        TACHO_QAIC_STAGE_COUNT
} tacho_qaic_stage;

/* ns; negative: this stage does not exist here. */
typedef struct tacho_qaic_stages {
    int64_t ns[TACHO_QAIC_STAGE_COUNT];
} tacho_qaic_stages;

tacho_qaic_stages tacho_qaic_stages_of(const tacho_run_sample *sample);

/* "12.345", or N/A. */
void tacho_qaic_stage_write(int64_t ns, tacho_output *output);

/* A line per stage, for summaries. */
void tacho_qaic_stages_write(const tacho_recording *recording, const tacho_run_sample *sample,
                             tacho_output *output);

/* Why stages are N/A. */
const char *tacho_qaic_missing_phrase(const tacho_recording *recording);

/* The clock of the times, as a phrase. */
const char *tacho_qaic_clock_phrase(const tacho_recording *recording);

#endif
