/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a program that are shown, and their tracks.
 */
#include "compile/timeline.h"

tacho_track_class tacho_timeline_class(const tacho_timeline *timeline, const tacho_job *job)
{
    const tacho_program *program = timeline->program;
    if (job->end == job->start) {
        return TACHO_TRACK_GROUP;
    }
    tacho_str name = tacho_strings_get(&program->strings, program->engines[job->engine].class_name);
    static const tacho_track_class shown[] = {
        TACHO_TRACK_COMPUTE, TACHO_TRACK_VECTOR,    TACHO_TRACK_CONTROL, TACHO_TRACK_DMA_IN,
        TACHO_TRACK_DMA_OUT, TACHO_TRACK_DMA_LOCAL, TACHO_TRACK_HOST,    TACHO_TRACK_SYNC,
    };
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(tacho_track_class_name(shown[i])))) {
            return shown[i];
        }
    }
    return TACHO_TRACK_GROUP;
}
