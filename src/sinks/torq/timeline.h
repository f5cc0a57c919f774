/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a program as Torq's compiler writes it: commas and nothing quoted, cycles in
 * every column, transfers first, then slices, then the vector engine, each in the order of issue.
 *
 *     DI0,0,9408,loc("fc.mlir":4:10),DMA_IN                                     T1
 *     0,15831,0,DMA In,loc("add.mlir":7:10),75264                               T4
 */
#ifndef TACHO_SINKS_TORQ_TIMELINE_H
#define TACHO_SINKS_TORQ_TIMELINE_H

#include "base/output.h"
#include "profile/vocabulary.h"

/* T1 without a header, and T4. */
typedef enum tacho_torq_timeline_form { TACHO_TORQ_T1, TACHO_TORQ_T4 } tacho_torq_timeline_form;

/* The form |name|: "t1", "t4"; false for other names. */
bool tacho_torq_timeline_form_find(const char *name, tacho_torq_timeline_form *out_form);

/* A job: an engine, its busy time, and its work. */
typedef struct tacho_torq_timeline_row {
    tacho_track_class track_class; /* GROUP: not shown */
    uint32_t unit;                 /* index among engines of the class */
    uint32_t task;
    int64_t start, end; /* cycles */
    uint64_t bytes;     /* of a transfer */
    tacho_str location;
    tacho_str word; /* the work of a slice */
} tacho_torq_timeline_row;

/* Jobs in the order of issue; a row's texts are valid until the next. */
typedef struct tacho_torq_timeline {
    size_t row_count;
    tacho_status (*row)(void *self, size_t index, tacho_torq_timeline_row *out_row);
    void *self;
} tacho_torq_timeline;

tacho_status tacho_torq_timeline_write(const tacho_torq_timeline *timeline,
                                       tacho_torq_timeline_form form,
                                       tacho_output *output) TACHO_MUST_USE;

#endif
