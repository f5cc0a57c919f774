/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The track of each metric, in the order and with the names of Torq's traces: those of its newest
 * tool, or of the first two, which show numbers as in the file.
 */
#include "questions/overview/overview_tracks.h"

#include "base/maths.h"

#include <inttypes.h>
#include <stdio.h>

static const tacho_str group_name = TACHO_STR_INIT("Host Profile Overview");
static const tacho_str group_end =
    TACHO_STR_INIT(" Overview"); /* of the first tools, after a file's name */

enum {
    TEXT_BYTES = 128,
    SLICE_BYTES = 2 * TEXT_BYTES + 32,
    NS_PER_US = 1000,
    OVERVIEW_RANK = 1 << 26 /* after all other tracks */
};

typedef struct metric_track {
    tacho_metric metric;
    unsigned number;
    const char *name;  /* %u is the number of a slice */
    const char *label; /* likewise */
} metric_track;

static const metric_track metric_tracks[] = {
    {TACHO_METRIC_DMA_COMBINED, 0, "OVERVIEW DMA COMBINED", "DMA+CDMA union"},
    {TACHO_METRIC_COMPUTE, 1, "OVERVIEW COMPUTE COMBINED", "SLICE+CSS union"},
    {TACHO_METRIC_DMA, 2, "OVERVIEW DMA", "DMA total"},
    {TACHO_METRIC_CDMA, 3, "OVERVIEW CDMA", "CDMA total"},
    {TACHO_METRIC_SLICE, 4, "OVERVIEW SLICE", "SLICE union"}, /* vendor: 0 + 1, the only ones */
    {TACHO_METRIC_SLICE_N, 5, "OVERVIEW SLICE %u", "SLICE %u"},
    {TACHO_METRIC_CSS, 7, "OVERVIEW CSS", "CSS"},
    {TACHO_METRIC_DMA_ONLY, 8, "OVERVIEW DMA ONLY", "DMA/CDMA ONLY (no compute)"},
    {TACHO_METRIC_COMPUTE_ONLY, 9, "OVERVIEW COMPUTE ONLY", "COMPUTE ONLY (no DMA/CDMA)"},
    {TACHO_METRIC_OVERLAP, 10, "OVERVIEW OVERLAP", "DMA/CDMA<->COMPUTE overlap"},
    {TACHO_METRIC_HAL, 11, "OVERVIEW HAL", "HAL total"},
    {TACHO_METRIC_HOST, 12, "OVERVIEW HOST", "HOST total"},
    {TACHO_METRIC_HOST_COPY, 13, "OVERVIEW HOST COPY", "HOST COPY total"},
    {TACHO_METRIC_IDLE, 14, "OVERVIEW IDLE", "IDLE"},
    {TACHO_METRIC_OVERALL, 15, "OVERALL", "OVERALL"},
};

/* The tool of the first timelines, which have no other engines; and the next one. */
static const metric_track first_tracks[] = {
    {TACHO_METRIC_DMA, 0, "OVERVIEW DMA", "DMA total"},
    {TACHO_METRIC_SLICE, 1, "OVERVIEW SLICE", "SLICE total"},
    {TACHO_METRIC_DMA_ONLY, 2, "OVERVIEW DMA ONLY", "DMA ONLY (exclusive)"},
    {TACHO_METRIC_OVERLAP, 3, "OVERVIEW DMA+SLICE OVERLAP", "DMA & SLICE overlap"},
    {TACHO_METRIC_IDLE, 4, "OVERVIEW IDLE", "IDLE"},
    {TACHO_METRIC_OVERALL, 5, "OVERALL", "OVERALL"},
};
static const metric_track next_tracks[] = {
    {TACHO_METRIC_DMA_COMBINED, 0, "OVERVIEW DMA COMBINED", "DMA+CDMA total"},
    {TACHO_METRIC_COMPUTE, 1, "OVERVIEW COMPUTE COMBINED", "SLICE+CSS total"},
    {TACHO_METRIC_DMA, 2, "OVERVIEW DMA", "DMA total"},
    {TACHO_METRIC_CDMA, 3, "OVERVIEW CDMA", "CDMA total"},
    {TACHO_METRIC_SLICE, 4, "OVERVIEW SLICE", "SLICE total"},
    {TACHO_METRIC_SLICE_N, 5, "OVERVIEW SLICE %u", "SLICE %u total"},
    {TACHO_METRIC_CSS, 7, "OVERVIEW CSS", "CSS total"},
    {TACHO_METRIC_DMA_ONLY, 8, "OVERVIEW DMA ONLY", "DMA ONLY (exclusive)"},
    {TACHO_METRIC_COMPUTE_ONLY, 9, "OVERVIEW COMPUTE ONLY", "COMPUTE ONLY (exclusive)"},
    {TACHO_METRIC_IDLE, 10, "OVERVIEW IDLE", "IDLE"},
    {TACHO_METRIC_OVERALL, 11, "OVERALL", "OVERALL"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The tracks of one tool. */
typedef struct layout {
    const metric_track *tracks;
    size_t track_count;
} layout;

static const layout layouts[] = {{metric_tracks, COUNT_OF(metric_tracks)},
                                 {first_tracks, COUNT_OF(first_tracks)},
                                 {next_tracks, COUNT_OF(next_tracks)}};

tacho_overview_form tacho_overview_form_of(const tacho_dict *dict, uint32_t part)
{
    const tacho_part *facts = &dict->parts[part];
    bool counts_cycles = dict->clocks[facts->clock].counts_cycles;
    bool is_first = !counts_cycles ||
                    tacho_str_equal(tacho_dict_string(dict, facts->generation), TACHO_STR("T1"));
    return (tacho_overview_form){.is_first = is_first,
                                 .in_cycles = counts_cycles && is_first,
                                 .unit = counts_cycles ? 1 : NS_PER_US,
                                 .unit_name = !counts_cycles ? "us"
                                              : is_first     ? "cycles"
                                                             : "ns"};
}

/* Replaces %u by the number of the slice. */
static void fill_in(const char *pattern, uint32_t index, char out_text[TEXT_BYTES])
{
    const char *hole = strstr(pattern, "%u");
    if (hole == NULL) {
        snprintf(out_text, TEXT_BYTES, "%s", pattern);
    } else {
        snprintf(out_text, TEXT_BYTES, "%.*s%u%s", (int)(hole - pattern), pattern, (unsigned)index,
                 hole + 2);
    }
}

/* "453.000µs", rounded as the vendor's tool does. */
static void format_time(int64_t ns, char out_text[TEXT_BYTES])
{
    double value = (double)ns;
    if (ns >= 1000000000) {
        snprintf(out_text, TEXT_BYTES, "%.3fs", value / 1e9);
    } else if (ns >= 1000000) {
        snprintf(out_text, TEXT_BYTES, "%.3fms", value / 1e6);
    } else if (ns >= 1000) {
        snprintf(out_text, TEXT_BYTES, "%.3f\u00b5s", value / 1e3);
    } else {
        snprintf(out_text, TEXT_BYTES, "%" PRId64 "ns", ns);
    }
}

/* |form|: the unit of the first tools; NULL: a time. */
static void format_slice(const metric_track *track, const tacho_metric_value *value,
                         int64_t overall, const tacho_overview_form *form,
                         char out_text[SLICE_BYTES])
{
    char label[TEXT_BYTES];
    char time[TEXT_BYTES];
    size_t size = SLICE_BYTES;
    fill_in(track->label, value->index, label);
    if (form != NULL) {
        snprintf(time, sizeof(time), "%" PRId64 " %s", value->value / form->unit, form->unit_name);
    } else {
        format_time(value->value, time);
    }
    if (value->metric == TACHO_METRIC_OVERALL) {
        snprintf(out_text, size, "%s: %s", label, time);
    } else {
        double share = overall > 0 ? (double)value->value / (double)overall : 0;
        snprintf(out_text, size, "%s: %s (%.2f%%)", label, time, share * 100);
    }
}

/* ---- from tracks to metrics
 * ------------------------------------------------------------------------- */

/* "05 OVERVIEW SLICE 0" without its number in front. */
static tacho_str strip_number(tacho_str name)
{
    size_t at = 0;
    while (at < name.len && name.data[at] >= '0' && name.data[at] <= '9') {
        at++;
    }
    return at > 0 && at < name.len && name.data[at] == ' ' ? tacho_str_from(name, at + 1)
                                                           : TACHO_STR("");
}

/* Whether |name| is |pattern|; a %u, which is at its end, is any number. */
static bool matches(tacho_str name, const char *pattern, uint32_t *out_index)
{
    const char *hole = strstr(pattern, "%u");
    *out_index = 0;
    if (hole == NULL) {
        return tacho_str_equal(name, tacho_str_from_cstring(pattern));
    }
    uint64_t index = 0;
    tacho_str front = tacho_str_make(pattern, (size_t)(hole - pattern));
    bool is_one = tacho_str_starts_with(name, front) &&
                  tacho_str_parse_u64(tacho_str_from(name, front.len), &index) &&
                  index < UINT32_MAX;
    *out_index = is_one ? (uint32_t)index : 0;
    return is_one;
}

/* Whether |group| has all the tracks that the first tools write; a group with fewer is
 * another's. */
static bool is_of_first_tools(const tacho_dict *dict, uint32_t group)
{
    tacho_str name = tacho_dict_string(dict, dict->tracks[group].name);
    size_t count = 0;
    if (!tacho_str_ends_with(name, group_end)) {
        return false;
    }
    for (size_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        count += track->parent == group && track->lane_of == TACHO_NONE ? 1 : 0;
    }
    return count >= COUNT_OF(first_tracks);
}

bool tacho_overview_track_metric(const tacho_dict *dict, const tacho_track *track,
                                 tacho_metric *out_metric, uint32_t *out_index)
{
    if (track->parent == TACHO_NONE) {
        return false;
    }
    tacho_str group = tacho_dict_string(dict, dict->tracks[track->parent].name);
    if (!tacho_str_starts_with(group, group_name) && !is_of_first_tools(dict, track->parent)) {
        return false;
    }
    tacho_str name = strip_number(tacho_dict_string(dict, track->name));
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        for (size_t j = 0; j < layouts[i].track_count; j++) {
            if (matches(name, layouts[i].tracks[j].name, out_index)) {
                *out_metric = layouts[i].tracks[j].metric;
                return true;
            }
        }
    }
    return false;
}

/* ---- tracks ----------------------------------------------------------------------------- */

static tacho_status ensure_group(tacho_dict *dict, uint32_t part, bool is_of_first_tools,
                                 uint32_t *out_group)
{
    tacho_track facts = {
        .parent = dict->parts[part].root,
        .part = part,
        .clock = dict->parts[part].clock,
        .lane_of = TACHO_NONE,
        .rank = OVERVIEW_RANK,
        .track_class = TACHO_TRACK_GROUP,
    };
    char name[4 * TEXT_BYTES];
    const char *part_name = tacho_dict_string(dict, dict->parts[part].name).data;
    bool is_one_of_many = dict->part_count > 1;
    if (is_of_first_tools) {
        snprintf(name, sizeof(name), "%.300s%s", part_name, group_end.data);
    } else {
        snprintf(name, sizeof(name), "%s%s%.300s", group_name.data, is_one_of_many ? " of " : "",
                 is_one_of_many ? part_name : "");
    }
    return tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), out_group);
}

static tacho_status ensure_metric_track(tacho_dict *dict, uint32_t group, const metric_track *track,
                                        const tacho_metric_value *value, uint32_t *out_track)
{
    char pattern[TEXT_BYTES];
    char name[TEXT_BYTES];
    uint32_t slice = value->index < 2 ? value->index : 1; /* the vendor numbers only two */
    unsigned number = track->number + (value->metric == TACHO_METRIC_SLICE_N ? slice : 0);
    snprintf(pattern, sizeof(pattern), "%02u %s", number, track->name);
    fill_in(pattern, value->index, name);
    tacho_track facts = {
        .parent = group,
        .part = dict->tracks[group].part,
        .clock = dict->tracks[group].clock,
        .index = value->index,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)((number << 16) + (value->index & 0xffff)),
        .track_class = TACHO_TRACK_PHASE,
    };
    return tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), out_track);
}

/* The values shared by all metrics of a part. */
typedef struct shown {
    uint32_t group;
    int64_t overall;
    tacho_overview_form form;
    bool is_of_first_tools;
} shown;

static tacho_status push_metric(tacho_overview_tracks *self, const shown *as,
                                const metric_track *track, const tacho_metric_value *value)
{
    tacho_dict *dict = self->events.dict;
    char text[SLICE_BYTES];
    format_slice(track, value, as->overall, as->is_of_first_tools ? &as->form : NULL, text);
    const tacho_clock *clock = &dict->clocks[dict->tracks[as->group].clock];
    bool is_ticks = as->is_of_first_tools && as->form.in_cycles;
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = clock->zero_ticks};
    row.of.span.end =
        row.start + (is_ticks ? value->value
                              : (int64_t)tacho_scale_floor(value->value, clock->ns_denominator,
                                                           clock->ns_numerator));
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(text), &site.name));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("overview"), &site.category));
    TACHO_TRY(tacho_dict_ensure_site(dict, &site, &row.of.span.site));
    TACHO_TRY(ensure_metric_track(dict, as->group, track, value, &row.track));
    return tacho_events_row(self->next, &row);
}

/* Pushes every metric that has a track. */
static tacho_status push_known(tacho_overview_tracks *self, const tacho_overview *overview,
                               const tacho_overview_block *block, const shown *as)
{
    for (size_t i = 0; i < block->metric_count; i++) {
        const tacho_metric_value *value = &overview->metrics[block->first_metric + i];
        for (size_t j = 0; j < COUNT_OF(metric_tracks); j++) {
            if (metric_tracks[j].metric == value->metric) {
                TACHO_TRY(push_metric(self, as, &metric_tracks[j], value));
            }
        }
    }
    return TACHO_OK;
}

const int64_t *tacho_overview_find_torq(const tacho_overview *overview,
                                        const tacho_overview_block *block, tacho_metric metric,
                                        uint32_t index)
{
    bool has_engines = tacho_overview_find(overview, block, TACHO_METRIC_DMA, 0) != NULL ||
                       tacho_overview_find(overview, block, TACHO_METRIC_COMPUTE, 0) != NULL;
    bool is_known = has_engines || metric != TACHO_METRIC_IDLE;
    return is_known ? tacho_overview_find(overview, block, metric, index) : NULL;
}

/* Pushes the tracks of a tool, without those of engines that the file does not record. */
static tacho_status push_all(tacho_overview_tracks *self, const tacho_overview *overview,
                             const tacho_overview_block *block, const shown *as)
{
    enum { SLICES = 2 };
    const layout *of = &layouts[as->form.is_first ? 1 : 2];
    for (size_t i = 0; i < of->track_count; i++) {
        bool is_slice = of->tracks[i].metric == TACHO_METRIC_SLICE_N;
        for (uint32_t j = 0; j < (is_slice ? SLICES : 1); j++) {
            tacho_metric metric = of->tracks[i].metric;
            const int64_t *found = tacho_overview_find_torq(overview, block, metric, j);
            if (found != NULL) {
                tacho_metric_value value = {metric, j, *found};
                TACHO_TRY(push_metric(self, as, &of->tracks[i], &value));
            }
        }
    }
    return TACHO_OK;
}

static tacho_status push_block(tacho_overview_tracks *self, const tacho_overview *overview,
                               const tacho_overview_block *block)
{
    const int64_t *overall = tacho_overview_find(overview, block, TACHO_METRIC_OVERALL, 0);
    shown as = {.overall = overall != NULL ? *overall : 0,
                .form = tacho_overview_form_of(self->events.dict, block->part),
                .is_of_first_tools = self->is_of_first_tools};
    TACHO_TRY(ensure_group(self->events.dict, block->part, self->is_of_first_tools, &as.group));
    return self->is_of_first_tools ? push_all(self, overview, block, &as)
                                   : push_known(self, overview, block, &as);
}

/* Pushes the overview of the part's own origin: measured, even if it also has estimates. */
static tacho_status push_overview(tacho_overview_tracks *self, uint32_t part)
{
    tacho_overview overview;
    tacho_overview_options options = {
        .in_cycles =
            self->is_of_first_tools && tacho_overview_form_of(self->events.dict, part).in_cycles,
        .is_of_one_part = true,
        .part = part,
    };
    tacho_status status = tacho_overview_init_gathered(&overview, &self->gather, &options);
    for (size_t i = 0; i < overview.block_count && status == TACHO_OK; i++) {
        const tacho_overview_block *block = &overview.blocks[i];
        if (block->origin == self->events.dict->parts[part].origin) {
            status = push_block(self, &overview, block);
        }
    }
    tacho_overview_deinit(&overview);
    return status;
}

/* ---- the filter ------------------------------------------------------------------------- */

static tacho_overview_tracks *tracks_of(tacho_events *events)
{
    return (tacho_overview_tracks *)(void *)events;
}

static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    tacho_overview_tracks *self = tracks_of(events);
    self->gather.is_by_form = self->is_of_first_tools;
    TACHO_TRY(tacho_events_row(&self->gather.events, row));
    return tacho_events_row(self->next, row);
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    tacho_overview_tracks *self = tracks_of(events);
    TACHO_TRY(tacho_events_end_part(&self->gather.events, part));
    if (self->listener != NULL) {
        TACHO_TRY(self->listener->end_part(self->listener->user, &self->gather, part));
    }
    TACHO_TRY(push_overview(self, part));
    return tacho_events_end_part(self->next, part);
}

static tacho_status finish(tacho_events *events)
{
    return tacho_events_finish(tracks_of(events)->next);
}

static const tacho_events_vtable vtable = {.row = pass_row, .end_part = end_part, .finish = finish};

void tacho_overview_tracks_init(tacho_overview_tracks *tracks, tacho_events *next)
{
    *tracks = (tacho_overview_tracks){.events = {&vtable, next->dict}, .next = next};
    tacho_overview_gather_init(&tracks->gather, next->dict);
}

void tacho_overview_tracks_deinit(tacho_overview_tracks *tracks)
{
    tacho_overview_gather_deinit(&tracks->gather);
}
