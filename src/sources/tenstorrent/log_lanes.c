/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of one processor are usually consecutive, so the last lane is tried first.
 */
#include "sources/tenstorrent/log_lanes.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tt_lanes_init(tt_lanes *lanes)
{
    *lanes = (tt_lanes){.last = TACHO_NONE};
    TACHO_TRY(tacho_strings_init(&lanes->riscs));
    TACHO_TRY(tacho_strings_init(&lanes->zones));
    TACHO_TRY(tacho_index_init(&lanes->core_index));
    return tacho_index_init(&lanes->lane_index);
}

void tt_lanes_deinit(tt_lanes *lanes)
{
    tacho_strings_deinit(&lanes->riscs);
    tacho_strings_deinit(&lanes->zones);
    tacho_index_deinit(&lanes->core_index);
    tacho_index_deinit(&lanes->lane_index);
    free(lanes->zone_kinds);
    free(lanes->cores);
    free(lanes->lanes);
    *lanes = (tt_lanes){.last = TACHO_NONE};
}

static tt_risc find_risc(tacho_str name)
{
    static const tacho_str names[TT_RISC_COUNT] = {
        TACHO_STR_INIT("BRISC"),   TACHO_STR_INIT("NCRISC"),  TACHO_STR_INIT("TRISC_0"),
        TACHO_STR_INIT("TRISC_1"), TACHO_STR_INIT("TRISC_2"), TACHO_STR_INIT("ERISC"),
    };
    for (size_t i = 0; i < TT_RISC_COUNT; i++) {
        if (tacho_str_equal(name, names[i])) {
            return (tt_risc)i;
        }
    }
    return TT_RISC_COUNT;
}

static tacho_str bytes_of(const void *key, size_t size)
{
    return tacho_str_make(key, size);
}

static tacho_status ensure_core(tt_lanes *lanes, const tt_log_row *row, uint32_t *out_core)
{
    tt_core core = {row->chip, row->x, row->y};
    uint32_t hash = tacho_index_hash(&lanes->core_index, bytes_of(&core, sizeof(core)));
    size_t at = tacho_index_begin(&lanes->core_index, hash);
    for (uint32_t id; (id = tacho_index_next(&lanes->core_index, hash, &at)) != TACHO_NONE;) {
        if (memcmp(&lanes->cores[id], &core, sizeof(core)) == 0) {
            *out_core = id;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&lanes->cores, &lanes->core_capacity, lanes->core_count + 1));
    *out_core = (uint32_t)lanes->core_count;
    lanes->cores[lanes->core_count++] = core;
    return tacho_index_add(&lanes->core_index, hash, *out_core);
}

static tacho_status find_lane(tt_lanes *lanes, const tt_log_row *row, uint32_t *out_lane)
{
    tt_lane lane = {.known = find_risc(row->risc)};
    TACHO_TRY(ensure_core(lanes, row, &lane.core));
    TACHO_TRY(tacho_strings_ensure(&lanes->riscs, row->risc, &lane.risc));
    uint32_t key[2] = {lane.core, lane.risc};
    uint32_t hash = tacho_index_hash(&lanes->lane_index, bytes_of(key, sizeof(key)));
    size_t at = tacho_index_begin(&lanes->lane_index, hash);
    for (uint32_t id; (id = tacho_index_next(&lanes->lane_index, hash, &at)) != TACHO_NONE;) {
        if (lanes->lanes[id].core == lane.core && lanes->lanes[id].risc == lane.risc) {
            *out_lane = id;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&lanes->lanes, &lanes->lane_capacity, lanes->lane_count + 1));
    *out_lane = (uint32_t)lanes->lane_count;
    lanes->lanes[lanes->lane_count++] = lane;
    return tacho_index_add(&lanes->lane_index, hash, *out_lane);
}

tacho_status tt_lanes_ensure(tt_lanes *lanes, const tt_log_row *row, uint32_t *out_lane)
{
    if (TACHO_LIKELY(lanes->last != TACHO_NONE)) {
        const tt_lane *lane = &lanes->lanes[lanes->last];
        const tt_core *core = &lanes->cores[lane->core];
        if (core->chip == row->chip && core->x == row->x && core->y == row->y &&
            tacho_str_equal(row->risc, tacho_strings_get(&lanes->riscs, lane->risc))) {
            *out_lane = lanes->last;
            return TACHO_OK;
        }
    }
    TACHO_TRY(find_lane(lanes, row, out_lane));
    lanes->last = *out_lane;
    return TACHO_OK;
}

/* ---- zones --------------------------------------------------------------------------------- */

static bool starts_with_any(tacho_str name, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (tacho_str_starts_with(name, tacho_str_from_cstring(*words))) {
            return true;
        }
    }
    return false;
}

static uint8_t kind_of(tacho_str name)
{
    static const char *const movers[] = {"BRISC-", "NCRISC-",     "ERISC-", "DM-",
                                         "DRISC-", "IDLE-ERISC-", "DM0-",   NULL};
    static const char *const dispatchers[] = {"CQ-DISPATCH", "CQ-PREFETCH", NULL};
    if (tacho_str_ends_with(name, TACHO_STR("-FW"))) {
        return TT_ZONE_FIRMWARE;
    }
    if (tacho_str_ends_with(name, TACHO_STR("-KERNEL"))) {
        return (uint8_t)(TT_ZONE_KERNEL | (starts_with_any(name, movers) ? TT_ZONE_DATA_MOVER : 0));
    }
    if (tacho_str_equal(name, TACHO_STR("CB-COMPUTE-WAIT-FRONT"))) {
        return TT_ZONE_WAIT_FRONT;
    }
    if (tacho_str_equal(name, TACHO_STR("CB-COMPUTE-RESERVE-BACK"))) {
        return TT_ZONE_RESERVE_BACK;
    }
    return starts_with_any(name, dispatchers) ? TT_ZONE_DISPATCH : 0;
}

tacho_status tt_lanes_ensure_zone(tt_lanes *lanes, tacho_str name, uint32_t *out_zone)
{
    TACHO_TRY(tacho_strings_ensure(&lanes->zones, name, out_zone));
    while (TACHO_UNLIKELY(lanes->zone_count <= *out_zone)) {
        TACHO_TRY(tacho_grow(&lanes->zone_kinds, &lanes->zone_capacity, lanes->zone_count + 1));
        tacho_str made = tacho_strings_get(&lanes->zones, (uint32_t)lanes->zone_count);
        lanes->zone_kinds[lanes->zone_count++] = kind_of(made);
    }
    return TACHO_OK;
}
