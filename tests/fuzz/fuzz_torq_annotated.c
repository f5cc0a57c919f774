/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of annotated Torq profiles. An input without a header gets one of two; its
 * first byte picks which.
 *
 * Laws: whatever the rows, the profile that comes out of sorting and lanes is valid and not
 * empty, or the file is refused. Rows that need no sorting give the same spans without it.
 */
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "sources/torq/torq.h"

#include <stdlib.h>

enum { SPOOL_BYTES = 1 << 12 }; /* small, so that runs are merged */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void require_ok(tacho_status status)
{
    require(status == TACHO_OK);
}

/* What became of one reading. */
typedef struct outcome {
    tacho_code code;
    size_t span_count;
    int64_t zero_ticks;
    int64_t busy_ticks; /* summed without regard to overflow: only to be compared */
} outcome;

static tacho_status read_through(tacho_str bytes, tacho_order_mode mode, tacho_events *next)
{
    tacho_source_options options = {.slice_count = 0};
    tacho_order *order = NULL;
    tacho_input input;
    require_ok(tacho_order_create(next, mode, SPOOL_BYTES, &order));
    require_ok(tacho_input_open_bytes("fuzz.csv", bytes, &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("fuzz.csv"),
        .options = &options,
        .events = tacho_order_events(order),
    };
    tacho_status status = tacho_source_torq_annotated.read(&reading);
    tacho_input_close(&input);
    tacho_order_destroy(order);
    return status;
}

static void measure(const tacho_profile *profile, outcome *out)
{
    const tacho_dict *dict = profile->events.dict;
    uint64_t busy = 0;
    require_ok(tacho_profile_validate(profile));
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        require(span.run == TACHO_NONE);
        busy += (uint64_t)(span.end - span.start);
    }
    out->span_count = profile->span_count;
    out->zero_ticks = dict->clocks[0].zero_ticks;
    out->busy_ticks = (int64_t)busy;
    require(dict->part_count == 1 && dict->parts[0].row_count == profile->span_count);
    require(profile->span_count > 0);
}

static outcome read_all(tacho_str bytes, tacho_order_mode mode)
{
    tacho_dict dict;
    tacho_profile profile;
    tacho_lanes *lanes = NULL;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    require_ok(tacho_lanes_create(&profile.events, &lanes));
    tacho_status status = read_through(bytes, mode, tacho_lanes_events(lanes));
    outcome found = {.code = tacho_status_code(status)};
    if (status == TACHO_OK) {
        measure(&profile, &found);
    }
    tacho_status_free(status);
    tacho_lanes_destroy(lanes);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return found;
}

static void check(tacho_str bytes)
{
    outcome sorted = read_all(bytes, TACHO_ORDER_SORT);
    outcome passed = read_all(bytes, TACHO_ORDER_PASS);
    if (passed.code != TACHO_CODE_OUT_OF_ORDER) {
        require(passed.code == sorted.code && passed.span_count == sorted.span_count &&
                passed.zero_ticks == sorted.zero_ticks && passed.busy_ticks == sorted.busy_ticks);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const headers[] = {
        "nss_program_index;operation;invocation_name;nss_program_timestamp_start;"
        "nss_program_timestamp_end;slice_used_0_in_program;dma_in_used_in_program\n",
        "action_id;job_id;operation;invocation_names;slice_used_0_in_program;"
        "css_used_in_program;timestamp_start;timestamp_end;location\n",
    };
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (tacho_source_torq_annotated.probe(bytes) != TACHO_PROBE_NO) {
        check(bytes);
        return 0;
    }
    const char *header = headers[size > 0 ? data[0] & 1 : 0];
    size_t header_len = strlen(header);
    char *text = malloc(header_len + size);
    require(text != NULL);
    memcpy(text, header, header_len);
    if (size > 0) {
        memcpy(text + header_len, data, size);
    }
    check(tacho_str_make(text, header_len + size));
    free(text);
    return 0;
}
