/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holding and asking; the sources of compiler output do the filling.
 */
#include "profile/debug_info.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_debug_info_init(tacho_debug_info *info, tacho_dict *dict)
{
    *info = (tacho_debug_info){.dict = dict};
}

void tacho_debug_info_deinit(tacho_debug_info *info)
{
    free(info->dispatches);
    free(info->actions);
    free(info->jobs);
    free(info->tasks);
    free(info->ops);
    free(info->units);
    free(info->engines);
    free(info->used);
}

tacho_status tacho_debug_info_ensure_engine(tacho_debug_info *info, tacho_engine engine,
                                            uint32_t *out_id)
{
    for (size_t i = 0; i < info->engine_count; i++) {
        if (info->engines[i].track_class == engine.track_class &&
            info->engines[i].index == engine.index) {
            *out_id = (uint32_t)i;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&info->engines, &info->engine_capacity, info->engine_count + 1));
    *out_id = (uint32_t)info->engine_count;
    info->engines[info->engine_count++] = engine;
    return TACHO_OK;
}

const tacho_dispatch *tacho_debug_info_dispatch(const tacho_debug_info *info, uint32_t name)
{
    for (size_t i = 0; i < info->dispatch_count; i++) {
        if (info->dispatches[i].name == name) {
            return &info->dispatches[i];
        }
    }
    return NULL;
}

/* Sources keep the actions of a dispatch in the order of their numbers. */
const tacho_action *tacho_debug_info_action(const tacho_debug_info *info,
                                            const tacho_dispatch *dispatch, int64_t id)
{
    const tacho_action *actions = info->actions + dispatch->first_action;
    size_t low = 0;
    size_t high = dispatch->action_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (actions[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < dispatch->action_count && actions[low].id == id ? &actions[low] : NULL;
}
