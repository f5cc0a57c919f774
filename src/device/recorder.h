/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: fills the records of a program's stats level from what ran. All memory is there
 * from the start; a record's place follows from the program (program/stats_layout.h).
 *
 * Times are in cycles of the core clock from the device's start. The timer U that all cores share
 * ticks at a rate of its own: a moment is rounded down to its tick, so spans that touch in cycles
 * touch in ticks, and sums of spans that follow one another are exact.
 */
#ifndef TACHO_DEVICE_RECORDER_H
#define TACHO_DEVICE_RECORDER_H

#include "device/sim/simulate.h"
#include "program/stats_stream.h"

typedef struct tacho_recorder tacho_recorder;

typedef struct tacho_recorder_options {
    const tacho_program *program; /* outlives the recorder; its stats level is 40 or more */
    uint32_t activations;
    uint64_t timer_hz, core_hz;
    uint16_t features; /* TACHO_STATS_SIMULATED ... */
} tacho_recorder_options;

/* One inference of one activation. Cycles count from |start| but for those named otherwise. */
typedef struct tacho_recorder_turn {
    uint32_t activation;
    uint64_t inference;
    int64_t start;                            /* from the device's start */
    int64_t activate_start, activate_end;     /* from the device's start, too */
    int64_t rung;                             /* the same: the host's inputs were there */
    int64_t input_wait, output_wait;          /* for the host, before |start| */
    const int64_t *starts, *ends;             /* by job */
    const tacho_sim_op *ops;                  /* by op */
    const int64_t *flush_starts, *flush_ends; /* by device and core: writing the stats themselves */
} tacho_recorder_turn;

tacho_status tacho_recorder_create(const tacho_recorder_options *options,
                                   tacho_recorder **out_recorder) TACHO_MUST_USE;
void tacho_recorder_destroy(tacho_recorder *recorder); /* NULL is allowed */

/* Bytes that the core |core| of all (device * core_count + core) records in an inference. */
uint64_t tacho_recorder_core_bytes(const tacho_recorder *recorder, size_t core);

/*
 * Fills counters and traffic of one activation, which are the same in every inference: once, before
 * the first one is filled in.
 */
tacho_status tacho_recorder_count(tacho_recorder *recorder,
                                  const tacho_recorder_turn *recording) TACHO_MUST_USE;

/* Whether the program asks for events that the recorder does not support; |out_text| names them. */
bool tacho_recorder_missing(const tacho_program *program, char *out_text, size_t room);

/* Fills everything else of one activation; nothing is allocated. */
void tacho_recorder_fill(tacho_recorder *recorder, const tacho_recorder_turn *recording);

/* By activation, then device. */
const tacho_stats_buffer *tacho_recorder_buffers(const tacho_recorder *recorder, size_t *out_count);

#endif
