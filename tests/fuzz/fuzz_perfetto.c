/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Perfetto traces.
 *
 * Laws: whatever the bytes, the profile that comes out is valid, or the file is refused as bad
 * data. A trace that can be paired as it comes gives the same spans, samples, flows and losses as
 * with its events held. A capture of it reads back with all its rows.
 */
#include "read_back.h"
#include "sources/perfetto/perfetto.h"

/* What became of one reading. */
typedef struct outcome {
    tacho_code code;
    size_t span_count;
    size_t sample_count;
    size_t flow_count;
    uint64_t lost_count;
    uint64_t busy_ticks; /* summed without regard to overflow: only to be compared */
} outcome;

static void measure(const tacho_profile *profile, outcome *out)
{
    const tacho_dict *dict = profile->events.dict;
    require_ok(tacho_profile_validate(profile));
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        const tacho_track *track = &dict->tracks[span.track];
        require(track->track_class != TACHO_TRACK_COUNTER);
        require(span.run == TACHO_NONE || dict->runs[span.run].part == track->part);
        out->busy_ticks += (uint64_t)(span.end - span.start);
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        require(dict->tracks[profile->samples[i].track].track_class == TACHO_TRACK_COUNTER);
    }
    for (size_t i = 0; i < dict->loss_count; i++) {
        out->lost_count += dict->losses[i].count;
    }
    out->span_count = profile->span_count;
    out->sample_count = profile->sample_count;
    out->flow_count = profile->flow_end_count;
    require(dict->part_count > 0);
}

static outcome read_all(tacho_str bytes, tacho_order_mode mode)
{
    tacho_dict dict;
    tacho_profile profile;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status = read_through(&tacho_source_perfetto, bytes, mode, &profile.events);
    outcome found = {.code = tacho_status_code(status)};
    if (status == TACHO_OK) {
        measure(&profile, &found);
    }
    tacho_status_free(status);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return found;
}

static bool is_same(const outcome *a, const outcome *b)
{
    return a->code == b->code && a->span_count == b->span_count &&
           a->sample_count == b->sample_count && a->flow_count == b->flow_count &&
           a->lost_count == b->lost_count && a->busy_ticks == b->busy_ticks;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    require(tacho_source_perfetto.probe(bytes) <= TACHO_PROBE_SURE);
    outcome held = read_all(bytes, TACHO_ORDER_SORT_ALL);
    require(held.code == TACHO_CODE_OK || held.code == TACHO_CODE_BAD_DATA);
    if (held.code == TACHO_CODE_OK) {
        require_read_back(&tacho_source_perfetto, bytes);
    }
    for (int mode = TACHO_ORDER_PASS; mode <= TACHO_ORDER_SORT; mode++) {
        outcome found = read_all(bytes, (tacho_order_mode)mode);
        require(found.code == TACHO_CODE_OUT_OF_ORDER || is_same(&found, &held));
    }
    return 0;
}
