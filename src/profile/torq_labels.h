/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of Torq's jobs and engines for people, whatever their origin: a table that was annotated
 * elsewhere, or an annotation of our own.
 */
#ifndef TACHO_PROFILE_TORQ_LABELS_H
#define TACHO_PROFILE_TORQ_LABELS_H

#include "base/strings.h"
#include "base/text.h"
#include "profile/debug_info.h"

enum {
    TACHO_TORQ_NAMED_KERNELS_MAX = 4, /* in the name of a job */
    TACHO_TORQ_TRACK_NAME_MAX = 64,
    TACHO_TORQ_SLICES_MIN = 2, /* that the smallest chip has */
};

/* Puts "conv2d_0, add_1 and 3 more": |kernels| are ids of |strings|, at most |max| are named. */
tacho_status tacho_torq_put_kernels(tacho_text *text, const tacho_strings *strings,
                                    const uint32_t *kernels, size_t count,
                                    size_t max) TACHO_MUST_USE;

/* "Slice 1 Used": the name of an engine's track, with its number if there are several. */
void tacho_torq_track_name(tacho_torq_engine engine, uint32_t index, const char *suffix,
                           char out_name[TACHO_TORQ_TRACK_NAME_MAX]);

/* How many slices the program's chip has, as far as is known. */
uint32_t tacho_torq_slice_count(const tacho_debug_info *info);

#endif
