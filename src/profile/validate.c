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

static tacho_status check_clocks(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->clock_count; i++) {
        const tacho_clock *clock = &dict->clocks[i];
        if (clock->ns_numerator <= 0 || clock->ns_denominator <= 0 || clock->zero_ticks < 0) {
            return breach("a clock without a rate or with a negative zero", i);
        }
    }
    return TACHO_OK;
}

static tacho_status check_tracks(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (track->name >= dict->strings.item_count || track->clock >= dict->clock_count ||
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
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        if (site->name >= dict->strings.item_count || site->category >= dict->strings.item_count ||
            (site->location != TACHO_NONE && site->location >= dict->location_count)) {
            return breach("a site that refers to nothing", i);
        }
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
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory to check a profile");
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
    TACHO_TRY(check_tracks(dict));
    TACHO_TRY(check_sites(dict));
    TACHO_TRY(check_spans(profile));
    return check_other_rows(profile);
}
