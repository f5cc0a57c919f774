/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for Torq files whose rows need sorting. An input without a header gets one of two;
 * its first byte picks which.
 *
 * Laws: whatever the rows, the profile that comes out of sorting and lanes is valid and not
 * empty, or the file is refused. Rows that need no sorting give the same spans without it. A
 * capture reads back with all its rows. Included by the fuzz target of each such format.
 */
#ifndef TACHO_TESTS_FUZZ_TORQ_SORTED_H
#define TACHO_TESTS_FUZZ_TORQ_SORTED_H

#include "read_back.h"
#include "sources/torq/torq.h"

/* What became of one reading. */
typedef struct outcome {
    tacho_code code;
    size_t span_count;
    int64_t zero_ticks;
    int64_t busy_ticks; /* summed without regard to overflow: only to be compared */
} outcome;

/* A format: who reads it, two headers of it, and what the run of each span must be. */
typedef struct sorted_format {
    const tacho_source *source;
    const char *headers[2];
    bool (*is_run)(const tacho_dict *dict, uint32_t run);
} sorted_format;

static void measure(const sorted_format *format, const tacho_profile *profile, outcome *out)
{
    const tacho_dict *dict = profile->events.dict;
    uint64_t busy = 0;
    require_ok(tacho_profile_validate(profile));
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        require(format->is_run(dict, span.run));
        busy += (uint64_t)(span.end - span.start);
    }
    out->span_count = profile->span_count;
    out->zero_ticks = dict->clocks[0].zero_ticks;
    out->busy_ticks = (int64_t)busy;
    require(dict->part_count == 1 && dict->parts[0].row_count == profile->span_count);
    require(profile->span_count > 0);
}

static outcome read_all(const sorted_format *format, tacho_str bytes, tacho_order_mode mode)
{
    tacho_dict dict;
    tacho_profile profile;
    tacho_lanes *lanes = NULL;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    require_ok(tacho_lanes_create(&profile.events, &lanes));
    tacho_status status = read_through(format->source, bytes, mode, tacho_lanes_events(lanes));
    outcome found = {.code = tacho_status_code(status)};
    if (status == TACHO_OK) {
        measure(format, &profile, &found);
    }
    tacho_status_free(status);
    tacho_lanes_destroy(lanes);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return found;
}

static void check(const sorted_format *format, tacho_str bytes)
{
    outcome sorted = read_all(format, bytes, TACHO_ORDER_SORT);
    outcome passed = read_all(format, bytes, TACHO_ORDER_PASS);
    if (passed.code != TACHO_CODE_OUT_OF_ORDER) {
        require(passed.code == sorted.code && passed.span_count == sorted.span_count &&
                passed.zero_ticks == sorted.zero_ticks && passed.busy_ticks == sorted.busy_ticks);
    }
    require_read_back(format->source, bytes);
}

static void check_format(const sorted_format *format, const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (format->source->probe(bytes) != TACHO_PROBE_NO) {
        check(format, bytes);
        return;
    }
    const char *header = format->headers[size > 0 ? data[0] & 1 : 0];
    size_t header_len = strlen(header);
    char *text = malloc(header_len + size);
    require(text != NULL);
    memcpy(text, header, header_len);
    if (size > 0) {
        memcpy(text + header_len, data, size);
    }
    check(format, tacho_str_make(text, header_len + size));
    free(text);
}

#endif
