/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts, one by one. Keys start with "tacho." to distinguish them from others.
 */
#include "sinks/attributes.h"

#include "profile/facts.h"
#include "sinks/trace_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <tacho/version.h>

/* The visitor and what it visits. */
typedef struct visit_state {
    const tacho_dict *dict;
    tacho_attribute_visit visit;
    void *self;
} visit_state;

tacho_status tacho_attributes_visit_head(tacho_attribute_visit visit, void *self)
{
    TACHO_TRY(visit(self, TACHO_STR("tacho.about"),
                    TACHO_STR("Times count from the first event of each input; "
                              "tacho.part.* says which input, clock and origin, tacho.lost.* "
                              "what could not be read.")));
    TACHO_TRY(visit(self, TACHO_STR("tacho.tool"), TACHO_STR("tacho")));
    return visit(self, TACHO_STR("tacho.version"), TACHO_STR(TACHO_VERSION));
}

/* A part's fact: tacho.part.1.clock = ... */
static tacho_status visit_part_fact(const visit_state *state, size_t part, const char *fact,
                                    tacho_str value)
{
    char key[64];
    snprintf(key, sizeof(key), "tacho.part.%zu.%s", part + 1, fact);
    return state->visit(state->self, tacho_str_from_cstring(key), value);
}

static tacho_status visit_count(const visit_state *state, const char *key, uint64_t count)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, count);
    return state->visit(state->self, tacho_str_from_cstring(key), tacho_str_from_cstring(digits));
}

tacho_status tacho_attributes_visit_part(const tacho_dict *dict, const tacho_trace_options *options,
                                         uint32_t part_id, tacho_attribute_visit visit, void *self)
{
    visit_state state = {dict, visit, self};
    const tacho_part *part = &dict->parts[part_id];
    tacho_str origin = tacho_str_from_cstring(tacho_origin_name(part->origin));
    tacho_str alignment = dict->clocks[part->clock].has_fixed_zero
                              ? TACHO_STR(TACHO_ALIGNMENT_FIXED)
                          : tacho_trace_is_aside(options, part)
                              ? TACHO_STR("not aligned: own zero at its first event")
                              : TACHO_STR("own zero at its first event");
    char clock[TACHO_FACTS_MAX];
    tacho_clock_facts_format(dict, &dict->clocks[part->clock], clock);
    TACHO_TRY(visit_part_fact(&state, part_id, "name", tacho_dict_string(dict, part->name)));
    TACHO_TRY(visit_part_fact(&state, part_id, "source", tacho_dict_string(dict, part->source)));
    TACHO_TRY(visit_part_fact(&state, part_id, "format", tacho_dict_string(dict, part->format)));
    TACHO_TRY(
        visit_part_fact(&state, part_id, "generation", tacho_dict_string(dict, part->generation)));
    TACHO_TRY(visit_part_fact(&state, part_id, "origin", origin));
    if (part->covered_classes != 0) {
        char covers[TACHO_FACTS_MAX];
        tacho_classes_facts_format(part->covered_classes, covers);
        TACHO_TRY(visit_part_fact(&state, part_id, "covers", tacho_str_from_cstring(covers)));
    }
    TACHO_TRY(visit_part_fact(&state, part_id, "alignment", alignment));
    return visit_part_fact(&state, part_id, "clock", tacho_str_from_cstring(clock));
}

static tacho_status visit_part_counts(const visit_state *state)
{
    for (size_t part = 0; part < state->dict->part_count; part++) {
        char key[48];
        snprintf(key, sizeof(key), "tacho.part.%zu.rows", part + 1);
        TACHO_TRY(visit_count(state, key, state->dict->parts[part].row_count));
    }
    return TACHO_OK;
}

static tacho_status visit_losses(const visit_state *state)
{
    uint64_t total = 0;
    for (size_t i = 0; i < state->dict->loss_count; i++) {
        const tacho_loss *loss = &state->dict->losses[i];
        char key[96];
        snprintf(key, sizeof(key), "tacho.lost.part.%" PRIu32 ".%s", loss->part + 1,
                 tacho_loss_key(loss->reason));
        TACHO_TRY(visit_count(state, key, loss->count));
        total += loss->count;
    }
    return visit_count(state, "tacho.lost.total", total);
}

static tacho_status visit_metadata(const visit_state *state)
{
    for (size_t i = 0; i < state->dict->metadata_count; i++) {
        const tacho_metadata *fact = &state->dict->metadata[i];
        char key[96];
        snprintf(key, sizeof(key), "tacho.%s", tacho_dict_string(state->dict, fact->key).data);
        TACHO_TRY(state->visit(state->self, tacho_str_from_cstring(key),
                               tacho_dict_string(state->dict, fact->value)));
    }
    return TACHO_OK;
}

tacho_status tacho_attributes_visit_tail(const tacho_dict *dict, tacho_attribute_visit visit,
                                         void *self)
{
    visit_state state = {dict, visit, self};
    TACHO_TRY(visit_part_counts(&state));
    TACHO_TRY(visit_losses(&state));
    return visit_metadata(&state);
}
