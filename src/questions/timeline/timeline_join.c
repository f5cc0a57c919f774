/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several timelines that share the rows of one, and the devices that their tracks belong to.
 */
#include "questions/timeline/timeline.h"

#include <assert.h>

uint32_t tacho_device_group(const tacho_dict *dict, uint32_t track)
{
    uint32_t root = dict->parts[dict->tracks[track].part].root;
    uint32_t group = root;
    for (uint32_t at = dict->tracks[track].parent; at != TACHO_NONE && at != root;
         at = dict->tracks[at].parent) {
        group = dict->tracks[at].track_class == TACHO_TRACK_GROUP ? at : group;
    }
    return group;
}

void tacho_timeline_join(tacho_timeline *timeline, tacho_timeline *leader)
{
    assert(!leader->is_ready && timeline->next == NULL);
    leader->needs.operators |= timeline->needs.operators;
    leader->needs.serials |= timeline->needs.serials;
    timeline->next = leader->next;
    leader->next = timeline;
}

void tacho_timeline_leave(const tacho_timeline *timeline, tacho_timeline *leader)
{
    tacho_timeline *at = leader;
    while (at->next != timeline) {
        at = at->next;
    }
    at->next = timeline->next;
}
