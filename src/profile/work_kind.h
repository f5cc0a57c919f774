/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind of a piece of a device's work: arithmetic, talking to other devices, or moving memory.
 * Transfer engines are recognised by their class. Queues of GPUs and the like hold all kinds, and
 * there the category and the name of the work decide, as frameworks and collective libraries spell
 * them.
 */
#ifndef TACHO_PROFILE_WORK_KIND_H
#define TACHO_PROFILE_WORK_KIND_H

#include "profile/vocabulary.h"

typedef enum tacho_work_kind {
    TACHO_WORK_COMPUTE,
    TACHO_WORK_COMMUNICATION, /* between devices: collectives, sends, receives */
    TACHO_WORK_COPY,          /* memory moved or filled */
    TACHO_WORK_KIND_COUNT,
} tacho_work_kind;

/* The kind of work |name| of |category| on a track of |track_class|. */
tacho_work_kind tacho_work_kind_of(tacho_track_class track_class, tacho_str category,
                                   tacho_str name);

#endif
