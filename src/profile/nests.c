/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of open spans per track.
 */
#include "profile/nests.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_nests_deinit(tacho_nests *nests)
{
    for (size_t i = 0; i < nests->stack_count; i++) {
        free(nests->stacks[i].items);
    }
    free(nests->stacks);
    *nests = (tacho_nests){.dict = nests->dict};
}

static bool is_phase(tacho_nests *nests, uint32_t site)
{
    uint32_t category = nests->dict->sites[site].category;
    if (category != nests->last_category) {
        nests->last_category = category;
        nests->is_last_phase = tacho_category_is_phase(tacho_dict_string(nests->dict, category));
    }
    return nests->is_last_phase;
}

static bool is_nesting(tacho_nests *nests, const tacho_row *row)
{
    const tacho_track *track = &nests->dict->tracks[row->track];
    return track->nesting == TACHO_NESTING_STACK && track->track_class != TACHO_TRACK_PHASE &&
           (row->of.span.flags & TACHO_SPAN_INSTANT) == 0 && !is_phase(nests, row->of.span.site);
}

static tacho_status ensure_stack(tacho_nests *nests, uint32_t track)
{
    size_t count = nests->dict->track_count;
    if (TACHO_LIKELY(track < nests->stack_count)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&nests->stacks, &nests->stack_capacity, count));
    while (nests->stack_count < count) {
        nests->stacks[nests->stack_count++] = (tacho_nest_stack){0};
    }
    return TACHO_OK;
}

tacho_status tacho_nests_push(tacho_nests *nests, const tacho_row *row, uint32_t span,
                              uint32_t *out_parent)
{
    *out_parent = TACHO_NONE;
    if (!is_nesting(nests, row)) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_stack(nests, row->track));
    tacho_nest_stack *stack = &nests->stacks[row->track];
    while (stack->item_count > 0 && stack->items[stack->item_count - 1].end <= row->start) {
        stack->item_count--;
    }
    if (stack->item_count > 0) {
        const tacho_nest_open *outer = &stack->items[stack->item_count - 1];
        if (row->of.span.end > outer->end) {
            return TACHO_OK; /* it crosses that one */
        }
        *out_parent = outer->span;
    }
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count++] = (tacho_nest_open){row->of.span.end, span};
    return TACHO_OK;
}
