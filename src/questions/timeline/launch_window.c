/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of sets: an id may be in any place of its set, and a full set drops its oldest launch.
 */
#include "questions/timeline/launch_window.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { SET_BITS = 13, WAYS = 8, SLOT_COUNT = WAYS << SET_BITS };

typedef struct tacho_launch_slot {
    tacho_launch launch;
    uint32_t serial;
    bool is_used;
} slot;

void tacho_launch_window_deinit(tacho_launch_window *window)
{
    free(window->slots);
    *window = (tacho_launch_window){0};
}

void tacho_launch_window_clear(tacho_launch_window *window)
{
    if (window->slots != NULL) {
        memset(window->slots, 0, SLOT_COUNT * sizeof(slot));
    }
}

/* Consecutive numbers fill the sets evenly; others are mixed well enough. */
static slot *set_of(const tacho_launch_window *window, uint64_t id)
{
    uint64_t mixed = (id ^ id >> SET_BITS ^ id >> 2 * SET_BITS) & ((UINT64_C(1) << SET_BITS) - 1);
    return &window->slots[mixed * WAYS];
}

/* |replaces|: a launch of the same id. */
static tacho_status add(tacho_launch_window *window, const tacho_launch *launch, bool replaces)
{
    if (window->slots == NULL) {
        TACHO_TRY(tacho_items_make(&window->slots, SLOT_COUNT));
    }
    slot *set = set_of(window, launch->id);
    slot *into = &set[0];
    for (size_t i = 0; i < WAYS; i++) {
        if (!set[i].is_used || (replaces && set[i].launch.id == launch->id)) {
            into = &set[i];
            break;
        }
        into = window->serial - set[i].serial > window->serial - into->serial ? &set[i] : into;
    }
    *into = (slot){*launch, window->serial++, true};
    return TACHO_OK;
}

tacho_status tacho_launch_window_add(tacho_launch_window *window, const tacho_launch *launch)
{
    return add(window, launch, true);
}

tacho_status tacho_launch_window_add_more(tacho_launch_window *window, const tacho_launch *launch)
{
    return add(window, launch, false);
}

static slot *find_slot(const tacho_launch_window *window, uint64_t id)
{
    slot *set = window->slots != NULL ? set_of(window, id) : NULL;
    for (size_t i = 0; set != NULL && i < WAYS; i++) {
        if (set[i].is_used && set[i].launch.id == id) {
            return &set[i];
        }
    }
    return NULL;
}

bool tacho_launch_window_find(const tacho_launch_window *window, uint64_t id,
                              tacho_launch *out_launch)
{
    const slot *found = find_slot(window, id);
    if (found != NULL) {
        *out_launch = found->launch;
    }
    return found != NULL;
}

bool tacho_launch_window_take(tacho_launch_window *window, uint64_t id, tacho_launch *out_launch)
{
    slot *found = find_slot(window, id);
    if (found == NULL) {
        return false;
    }
    *out_launch = found->launch;
    found->is_used = false;
    return true;
}

void tacho_launch_window_move(tacho_launch_window *window, uint64_t id, uint32_t place)
{
    slot *found = find_slot(window, id);
    if (found != NULL) {
        found->launch.place = place;
    }
}
