/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of jobs and of engines' tracks; how many slices there are to name.
 */
#include "profile/torq_labels.h"

#include <stdio.h>

tacho_status tacho_torq_put_kernels(tacho_text *text, const tacho_strings *strings,
                                    const uint32_t *kernels, size_t count, size_t max)
{
    for (size_t i = 0; i < count && i < max; i++) {
        TACHO_TRY(tacho_text_put(text, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(tacho_text_put(text, tacho_strings_get(strings, kernels[i])));
    }
    if (count > max) {
        char more[40];
        int len = snprintf(more, sizeof(more), " and %zu more", count - max);
        TACHO_TRY(tacho_text_put(text, tacho_str_make(more, (size_t)len)));
    }
    return TACHO_OK;
}

void tacho_torq_track_name(tacho_torq_engine engine, uint32_t index, const char *suffix,
                           char out_name[TACHO_TORQ_TRACK_NAME_MAX])
{
    const char *name = tacho_torq_engine_name(engine);
    if (engine == TACHO_TORQ_SLICE) {
        snprintf(out_name, TACHO_TORQ_TRACK_NAME_MAX, "%s %u%s", name, (unsigned)index, suffix);
    } else {
        snprintf(out_name, TACHO_TORQ_TRACK_NAME_MAX, "%s%s", name, suffix);
    }
}

uint32_t tacho_torq_slice_count(const tacho_debug_info *info)
{
    uint32_t count = TACHO_TORQ_SLICES_MIN;
    for (size_t i = 0; i < info->engine_count; i++) {
        const tacho_engine *engine = &info->engines[i];
        if (engine->track_class == TACHO_TRACK_COMPUTE && engine->index >= count) {
            count = engine->index + 1;
        }
    }
    return count;
}
