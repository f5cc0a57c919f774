/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's promises, checked one by one. A breach is a bug of a source or of the order
 * filter, never of the user's file; so messages speak of ids.
 */
#include "profile/profile.h"

#include <stdlib.h>

static tacho_status breach(const char *what, size_t id)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "invalid profile: %s (id %zu)", what, id);
}

/* Whether every one of |ids| is a string of the dictionary. */
static bool are_strings(const tacho_dict *dict, const uint32_t *ids, size_t id_count)
{
    for (size_t i = 0; i < id_count; i++) {
        if (ids[i] >= dict->strings.item_count) {
            return false;
        }
    }
    return true;
}

static tacho_status check_clocks(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->clock_count; i++) {
        const tacho_clock *clock = &dict->clocks[i];
        if (clock->ns_numerator <= 0 || clock->ns_denominator <= 0 || clock->zero_ticks < 0) {
            return breach("a clock without a rate or with a negative zero", i);
        }
        if (!are_strings(dict, &clock->name, 1)) {
            return breach("a clock that refers to nothing", i);
        }
    }
    return TACHO_OK;
}

static tacho_status check_parts(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->part_count; i++) {
        const tacho_part *part = &dict->parts[i];
        const uint32_t strings[] = {part->name, part->path, part->source, part->format,
                                    part->generation};
        if (!are_strings(dict, strings, 5) || part->clock >= dict->clock_count ||
            part->root >= dict->track_count) {
            return breach("a part that refers to nothing", i);
        }
    }
    for (size_t i = 0; i < dict->run_count; i++) {
        if (dict->runs[i].part >= dict->part_count || !are_strings(dict, &dict->runs[i].name, 1)) {
            return breach("a run that refers to nothing", i);
        }
    }
    return TACHO_OK;
}

static tacho_status check_tracks(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (!are_strings(dict, &track->name, 1) || track->clock >= dict->clock_count ||
            track->part >= dict->part_count) {
            return breach("a track that refers to nothing", i);
        }
        /* Parents are made first, so a smaller id also rules out cycles. */
        if (track->parent != TACHO_NONE && track->parent >= i) {
            return breach("a track older than its parent", i);
        }
        if (track->lane_of != TACHO_NONE && track->lane_of >= i) {
            return breach("a lane older than its track", i);
        }
    }
    return TACHO_OK;
}

static tacho_status check_sites(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->location_count; i++) {
        const uint32_t strings[] = {dict->locations[i].text, dict->locations[i].file};
        if (!are_strings(dict, strings, 2)) {
            return breach("a location that refers to nothing", i);
        }
    }
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        const uint32_t strings[] = {site->name, site->category};
        if (!are_strings(dict, strings, 2) ||
            (site->location != TACHO_NONE && site->location >= dict->location_count)) {
            return breach("a site that refers to nothing", i);
        }
    }
    return TACHO_OK;
}

static tacho_status check_facts(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->loss_count; i++) {
        if (dict->losses[i].part >= dict->part_count ||
            !are_strings(dict, &dict->losses[i].example, 1)) {
            return breach("a loss that refers to nothing", i);
        }
    }
    for (size_t i = 0; i < dict->metadata_count; i++) {
        const uint32_t strings[] = {dict->metadata[i].key, dict->metadata[i].value};
        if (!are_strings(dict, strings, 2)) {
            return breach("metadata that refers to nothing", i);
        }
    }
    return TACHO_OK;
}

static tacho_status check_args(const tacho_profile *profile)
{
    const tacho_dict *dict = profile->events.dict;
    for (size_t i = 0; i < profile->arg_count; i++) {
        const tacho_arg *arg = &profile->args[i].arg;
        if (!are_strings(dict, &arg->key, 1) ||
            (arg->type == TACHO_ARG_STRING && !are_strings(dict, &arg->value.as_string, 1))) {
            return breach("an argument that refers to nothing", i);
        }
    }
    if (profile->arg_count > 0 && !profile->args[profile->arg_count - 1].is_last) {
        return breach("arguments without an end", profile->arg_count - 1);
    }
    return TACHO_OK;
}

static tacho_status check_time(const tacho_dict *dict, uint32_t track, int64_t start, int64_t end,
                               size_t id)
{
    if (track >= dict->track_count) {
        return breach("a row without a track", id);
    }
    if (start < 0 || end < start || end > tacho_dict_track_clock(dict, track)->max_ticks) {
        return breach("a row whose times are out of order or range", id);
    }
    return TACHO_OK;
}

/* Checks one span against the previous one of its track. */
static tacho_status check_span(const tacho_profile *profile, size_t id, size_t *last_ids)
{
    const tacho_dict *dict = profile->events.dict;
    tacho_span span = tacho_profile_span(profile, id);
    TACHO_TRY(check_time(dict, span.track, span.start, span.end, id));
    if (span.site >= dict->site_count) {
        return breach("a span without a site", id);
    }
    if (span.run != TACHO_NONE && span.run >= dict->run_count) {
        return breach("a span whose run is missing", id);
    }
    if (span.args != TACHO_NONE && span.args >= profile->arg_count) {
        return breach("a span whose arguments are missing", id);
    }
    size_t last_id = last_ids[span.track];
    if (last_id != SIZE_MAX && tacho_profile_span(profile, last_id).start > span.start) {
        return breach("a span before its predecessor", id);
    }
    last_ids[span.track] = id;
    return TACHO_OK;
}

static tacho_status check_spans(const tacho_profile *profile)
{
    size_t track_count = profile->events.dict->track_count;
    size_t *last_ids = malloc((track_count + 1) * sizeof(*last_ids));
    if (last_ids == NULL) {
        return tacho_no_memory();
    }
    memset(last_ids, 0xff, (track_count + 1) * sizeof(*last_ids));
    tacho_status status = TACHO_OK;
    for (size_t id = 0; id < profile->span_count && status == TACHO_OK; id++) {
        status = check_span(profile, id, last_ids);
    }
    free(last_ids);
    return status;
}

static tacho_status check_other_rows(const tacho_profile *profile)
{
    const tacho_dict *dict = profile->events.dict;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const tacho_sample *sample = &profile->samples[i];
        TACHO_TRY(check_time(dict, sample->track, sample->time, sample->time, i));
    }
    for (size_t i = 0; i < profile->flow_end_count; i++) {
        const tacho_flow_end *end = &profile->flow_ends[i];
        TACHO_TRY(check_time(dict, end->track, end->time, end->time, i));
    }
    return TACHO_OK;
}

tacho_status tacho_profile_validate(const tacho_profile *profile)
{
    const tacho_dict *dict = profile->events.dict;
    TACHO_TRY(check_clocks(dict));
    TACHO_TRY(check_parts(dict));
    TACHO_TRY(check_tracks(dict));
    TACHO_TRY(check_sites(dict));
    TACHO_TRY(check_facts(dict));
    TACHO_TRY(check_args(profile));
    TACHO_TRY(check_spans(profile));
    return check_other_rows(profile);
}
