/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows and minimum durations, in nanoseconds of the part's own axis; names, asked once a site.
 */
#include "profile/select.h"

#include "base/grow.h"
#include "profile/operators.h"

#include <stdlib.h>

/* The verdict on the name of a site. */
enum { NOT_ASKED, WANTED, NOT_WANTED };

static tacho_select *select_of(tacho_events *events)
{
    return (tacho_select *)(void *)events;
}

static void leave_out(tacho_dict *dict, const tacho_row *row)
{
    dict->parts[dict->tracks[row->track].part].left_out_count++;
}

/*
 * Flows go with the short spans, since an arrow to a span that is left out leads nowhere; where a
 * flow does not know its span, it goes too.
 */
static bool is_too_short(const tacho_selection *wanted, const tacho_row *row, int64_t duration_ns)
{
    if (wanted->min_duration_ns <= 0 || row->kind == TACHO_ROW_SAMPLE) {
        return false;
    }
    bool is_moment = row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    bool is_unbound = row->kind == TACHO_ROW_FLOW && !tacho_row_is_bound(row);
    return is_unbound || (!is_moment && duration_ns < wanted->min_duration_ns);
}

tacho_status tacho_name_filter_check(const tacho_name_filter *filter)
{
    return filter->has_no_memory != NULL && *filter->has_no_memory
               ? tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory while matching names")
               : TACHO_OK;
}

static tacho_status is_site_wanted(tacho_select *select, uint32_t number, bool *out_is_wanted)
{
    const tacho_dict *dict = select->events.dict;
    const tacho_name_filter *names = &select->selection.names;
    TACHO_TRY(tacho_grow(&select->verdicts, &select->verdict_capacity, (size_t)number + 1));
    while (select->verdict_count <= number) {
        select->verdicts[select->verdict_count++] = NOT_ASKED;
    }
    if (select->verdicts[number] == NOT_ASKED) {
        const tacho_site *site = &dict->sites[number];
        tacho_str location = site->location != TACHO_NONE
                                 ? tacho_dict_string(dict, dict->locations[site->location].text)
                                 : TACHO_STR("");
        tacho_str name = tacho_dict_string(dict, tacho_operators_of_site(site));
        select->verdicts[number] =
            names->accepts(names->self, name, location) ? WANTED : NOT_WANTED;
    }
    *out_is_wanted = select->verdicts[number] == WANTED;
    return tacho_name_filter_check(names);
}

static tacho_status is_name_wanted(tacho_select *select, const tacho_row *row, bool *out_is_wanted)
{
    const tacho_dict *dict = select->events.dict;
    const tacho_name_filter *names = &select->selection.names;
    if (names->accepts == NULL) {
        *out_is_wanted = true;
        return TACHO_OK;
    }
    if (row->kind == TACHO_ROW_SPAN) {
        return is_site_wanted(select, row->of.span.site, out_is_wanted);
    }
    uint32_t name = row->kind == TACHO_ROW_FLOW ? row->of.flow.span_name
                                                : tacho_dict_track_name(dict, row->track);
    bool is_unknown = row->kind == TACHO_ROW_FLOW && name == 0;
    *out_is_wanted =
        !is_unknown && names->accepts(names->self, tacho_dict_string(dict, name), TACHO_STR(""));
    return tacho_name_filter_check(names);
}

static tacho_status select_row(tacho_events *events, const tacho_row *row)
{
    tacho_select *select = select_of(events);
    const tacho_selection *wanted = &select->selection;
    const tacho_clock *clock = tacho_dict_track_clock(events->dict, row->track);
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    int64_t end_ns = tacho_clock_ns(clock, tacho_row_end(row));
    bool is_moment = start_ns == end_ns;
    bool has_end = wanted->window_end_ns != INT64_MAX;
    bool is_inside =
        (!has_end || start_ns < wanted->window_end_ns) &&
        (is_moment ? start_ns >= wanted->window_begin_ns : end_ns > wanted->window_begin_ns);
    if (!is_inside) {
        select->outside_window_count++;
        leave_out(events->dict, row);
        return TACHO_OK;
    }
    if (is_too_short(wanted, row, end_ns - start_ns)) {
        select->too_short_count++;
        leave_out(events->dict, row);
        return TACHO_OK;
    }
    bool is_wanted = false;
    TACHO_TRY(is_name_wanted(select, row, &is_wanted));
    if (!is_wanted) {
        select->other_name_count++;
        leave_out(events->dict, row);
        return TACHO_OK;
    }
    return tacho_events_row(select->next, row);
}

static tacho_status select_end_part(tacho_events *events, uint32_t part)
{
    return tacho_events_end_part(select_of(events)->next, part);
}

static tacho_status select_finish(tacho_events *events)
{
    tacho_select *select = select_of(events);
    TACHO_TRY(tacho_dict_add_metadata_count(events->dict, "filtered.outside_window",
                                            select->outside_window_count));
    TACHO_TRY(
        tacho_dict_add_metadata_count(events->dict, "filtered.too_short", select->too_short_count));
    if (select->selection.names.accepts != NULL) {
        TACHO_TRY(tacho_dict_add_metadata_count(events->dict, "filtered.other_name",
                                                select->other_name_count));
    }
    return tacho_events_finish(select->next);
}

static const tacho_shared *select_shared(tacho_events *events)
{
    return tacho_events_shared(select_of(events)->next);
}

static const tacho_events_vtable select_vtable = {.row = select_row,
                                                  .end_part = select_end_part,
                                                  .finish = select_finish,
                                                  .shared = select_shared};

void tacho_select_init(tacho_select *select, const tacho_selection *selection, tacho_events *next)
{
    *select = (tacho_select){
        .events = {&select_vtable, next->dict},
        .next = next,
        .selection = *selection,
    };
    next->dict->hides_names = selection->names.accepts != NULL;
}

void tacho_select_deinit(tacho_select *select)
{
    free(select->verdicts);
    select->verdicts = NULL;
}
