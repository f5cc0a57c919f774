/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts are set back, and the index of tracks forgets those that are gone.
 */
#include "profile/dict_mark.h"

#include <stdlib.h>

tacho_status tacho_dict_mark_init(tacho_dict_mark *mark, const tacho_dict *dict)
{
    *mark = (tacho_dict_mark){
        .clock_count = dict->clock_count,
        .part_count = dict->part_count,
        .track_count = dict->track_count,
        .run_count = dict->run_count,
        .metadata_count = dict->metadata_count,
        .loss_count = dict->loss_count,
    };
    if (mark->loss_count == 0) {
        return TACHO_OK;
    }
    mark->losses = malloc(mark->loss_count * sizeof(*mark->losses));
    if (mark->losses == NULL) {
        return tacho_no_memory();
    }
    memcpy(mark->losses, dict->losses, mark->loss_count * sizeof(*mark->losses));
    return TACHO_OK;
}

void tacho_dict_mark_deinit(tacho_dict_mark *mark)
{
    free(mark->losses);
    *mark = (tacho_dict_mark){0};
}

void tacho_dict_mark_restore(const tacho_dict_mark *mark, tacho_dict *dict)
{
    dict->clock_count = mark->clock_count;
    dict->part_count = mark->part_count;
    dict->track_count = mark->track_count;
    dict->run_count = mark->run_count;
    dict->metadata_count = mark->metadata_count;
    dict->loss_count = mark->loss_count;
    if (mark->loss_count > 0) {
        memcpy(dict->losses, mark->losses, mark->loss_count * sizeof(*mark->losses));
    }
    tacho_index_forget(&dict->track_index, (uint32_t)mark->track_count);
}
