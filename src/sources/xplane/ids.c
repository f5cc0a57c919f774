/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array for small ids, a map for the others.
 */
#include "sources/xplane/ids.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

void xp_ids_clear(xp_ids *ids)
{
    ids->small_count = 0;
    tacho_number_map_clear(&ids->others);
}

void xp_ids_deinit(xp_ids *ids)
{
    free(ids->small);
    tacho_number_map_deinit(&ids->others);
}

tacho_status xp_ids_set(xp_ids *ids, uint64_t id, uint32_t place)
{
    if (id >= XP_SMALL_IDS) {
        return tacho_number_map_set(&ids->others, id, place);
    }
    size_t need = (size_t)id + 1;
    TACHO_TRY(tacho_grow(&ids->small, &ids->small_capacity, need));
    if (ids->small_count < need) {
        memset(ids->small + ids->small_count, 0, (need - ids->small_count) * sizeof(*ids->small));
        ids->small_count = need;
    }
    ids->small[id] = place + 1;
    return TACHO_OK;
}
