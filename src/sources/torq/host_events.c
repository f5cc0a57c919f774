/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table for all generations: R1 names are a subset but for HOST_PROGRAM, which later became
 * the pair HOST_START and HOST_WAIT.
 */
#include "sources/torq/host_events.h"

#include "base/grow.h"

#include <stdlib.h>

#define NO_TRACK TACHO_TORQ_HOST_TRACK_COUNT

typedef struct event_form {
    tacho_str name; /* with '_' at the end: a prefix of names */
    tacho_torq_host_track track;
    tacho_torq_host_track program_track;
    torq_host_role role;
} event_form;

static const event_form forms[] = {
    {TACHO_STR_INIT("HOST_COPY"), TACHO_TORQ_HOST_COPY, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("NSS_START"), TACHO_TORQ_HOST_NSS_ACTIONS, TACHO_TORQ_HOST_NSS_PROGRAMS,
     TORQ_HOST_ROLE_STARTS},
    {TACHO_STR_INIT("NSS_WAIT"), TACHO_TORQ_HOST_NSS_ACTIONS, TACHO_TORQ_HOST_NSS_PROGRAMS,
     TORQ_HOST_ROLE_WAITS},
    {TACHO_STR_INIT("ALLOC"), TACHO_TORQ_HOST_MEMORY, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("DEALLOC"), TACHO_TORQ_HOST_MEMORY, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("HOST_PROGRAM"), TACHO_TORQ_HOST_PROGRAMS, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("HOST_START"), TACHO_TORQ_HOST_ACTIONS, TACHO_TORQ_HOST_PROGRAMS,
     TORQ_HOST_ROLE_STARTS},
    {TACHO_STR_INIT("HOST_WAIT"), TACHO_TORQ_HOST_ACTIONS, TACHO_TORQ_HOST_PROGRAMS,
     TORQ_HOST_ROLE_WAITS},
    {TACHO_STR_INIT("INIT"), TACHO_TORQ_HOST_PHASES, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("INIT_"), TACHO_TORQ_HOST_PHASES, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("DISPATCH"), TACHO_TORQ_HOST_PHASES, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("DISPATCH_"), TACHO_TORQ_HOST_PHASES, NO_TRACK, TORQ_HOST_ROLE_NONE},
    {TACHO_STR_INIT("HAL_"), TACHO_TORQ_HOST_HAL, NO_TRACK, TORQ_HOST_ROLE_NONE},
};

/* The form of unknown names. */
static const event_form unknown_form = {TACHO_STR_INIT(""), TACHO_TORQ_HOST_PHASES, NO_TRACK,
                                        TORQ_HOST_ROLE_NONE};

tacho_status torq_host_events_init(torq_host_events *events, torq_part *part)
{
    *events = (torq_host_events){.part = part};
    TACHO_TRY(tacho_strings_init(&events->keys));
    /* Key 0 is the empty text, which no event has. */
    TACHO_TRY(tacho_grow(&events->items, &events->item_capacity, 1));
    events->items[events->item_count++] = (torq_host_event){0};
    return TACHO_OK;
}

void torq_host_events_deinit(torq_host_events *events)
{
    tacho_strings_deinit(&events->keys);
    free(events->items);
}

static const event_form *find_form(tacho_str base)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        tacho_str name = forms[i].name;
        bool is_prefix = name.data[name.len - 1] == '_';
        if (is_prefix ? tacho_str_starts_with(base, name) : tacho_str_equal(base, name)) {
            return &forms[i];
        }
    }
    return &unknown_form;
}

/* A program of the accelerator is named after the model's line if the file has it. */
static tacho_status make_program_site(torq_part *part, const event_form *form, tacho_str location,
                                      uint32_t *out_site)
{
    bool is_nss = form->program_track == TACHO_TORQ_HOST_NSS_PROGRAMS;
    torq_site_facts facts = {
        .name = is_nss ? TACHO_STR("") : TACHO_STR("HOST_PROGRAM"),
        .fallback_name = TACHO_STR("NSS program"),
        .location = location,
        .track_class = tacho_torq_host_track_class(form->program_track),
    };
    return torq_part_make_site(part, &facts, out_site);
}

static tacho_status make_event(torq_part *part, const torq_host_event_facts *facts,
                               torq_host_event *out_event)
{
    const event_form *form = find_form(facts->base);
    *out_event = (torq_host_event){
        .track = form->track,
        .program_track = form->program_track,
        .role = form->role,
        .is_begin = facts->is_begin,
        .is_known = form != &unknown_form,
    };
    TACHO_TRY(tacho_dict_ensure_string(part->dict, facts->base, &out_event->base));
    if (form->role != TORQ_HOST_ROLE_NONE) {
        TACHO_TRY(make_program_site(part, form, facts->location, &out_event->program_site));
    }
    if (form->track == NO_TRACK) {
        return TACHO_OK;
    }
    torq_site_facts site_facts = {
        .name = facts->base,
        .location = facts->location,
        .track_class = tacho_torq_host_track_class(form->track),
    };
    return torq_part_make_site(part, &site_facts, &out_event->site);
}

tacho_status torq_host_events_add(torq_host_events *events, tacho_str key,
                                  const torq_host_event_facts *facts, uint32_t *out_id)
{
    torq_host_event event;
    TACHO_TRY(make_event(events->part, facts, &event));
    TACHO_TRY(tacho_grow(&events->items, &events->item_capacity, events->item_count + 1));
    TACHO_TRY(tacho_strings_ensure(&events->keys, key, out_id));
    events->items[events->item_count++] = event;
    return TACHO_OK;
}
