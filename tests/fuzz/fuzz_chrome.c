/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Chrome traces.
 *
 * Laws: whatever the bytes, the profile that comes out of sorting and lanes is valid and not
 * empty, or the file is refused. Events and rows that need no sorting give the same without it.
 * What is written as a Chrome trace, or as a capture, reads back as the same rows.
 */
#include "read_back.h"
#include "sinks/chrome_json.h"
#include "sources/chrome/chrome.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1 << 22 };

/* What became of one reading. */
typedef struct outcome {
    tacho_code code;
    uint64_t counts[3]; /* by kind of row */
    uint64_t busy_ns;   /* summed without regard to overflow: only to be compared */
    uint64_t arg_count;
    bool has_odd_clock; /* some time is not in whole nanoseconds */
} outcome;

/* Counts rows on their way. */
typedef struct counter {
    tacho_events events;
    tacho_events *next;
    outcome *found;
} counter;

static tacho_status count_row(tacho_events *events, const tacho_row *row)
{
    counter *self = (counter *)(void *)events;
    const tacho_clock *clock = tacho_dict_track_clock(events->dict, row->track);
    self->found->counts[row->kind]++;
    self->found->arg_count += row->arg_count;
    self->found->has_odd_clock = self->found->has_odd_clock || clock->ns_denominator != 1;
    if (row->kind == TACHO_ROW_SPAN) {
        self->found->busy_ns += (uint64_t)tacho_clock_ns(clock, row->of.span.end) -
                                (uint64_t)tacho_clock_ns(clock, row->start);
    }
    return tacho_events_row(self->next, row);
}

static tacho_status pass_end_part(tacho_events *events, uint32_t part)
{
    return tacho_events_end_part(((counter *)(void *)events)->next, part);
}

static tacho_status pass_finish(tacho_events *events)
{
    return tacho_events_finish(((counter *)(void *)events)->next);
}

static const tacho_events_vtable counter_vtable = {
    .row = count_row, .end_part = pass_end_part, .finish = pass_finish};

/* Reads |bytes| through the lanes into |next|, and counts. */
static outcome read_into(tacho_str bytes, tacho_order_mode mode, tacho_events *next)
{
    outcome found = {.code = TACHO_CODE_OK};
    counter counted = {.events = {&counter_vtable, next->dict}, .next = next, .found = &found};
    tacho_lanes *lanes = NULL;
    require_ok(tacho_lanes_create(&counted.events, &lanes));
    tacho_status status =
        read_through(&tacho_source_chrome, bytes, mode, tacho_lanes_events(lanes));
    found.code = tacho_status_code(status);
    tacho_status_free(status);
    tacho_lanes_destroy(lanes);
    return found;
}

static outcome read_profile(tacho_str bytes, tacho_order_mode mode)
{
    tacho_dict dict;
    tacho_profile profile;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    outcome found = read_into(bytes, mode, &profile.events);
    if (found.code == TACHO_CODE_OK) {
        uint64_t row_count = 0;
        for (size_t i = 0; i < dict.part_count; i++) {
            row_count += dict.parts[i].row_count;
        }
        require_ok(tacho_profile_validate(&profile));
        require(row_count > 0 && dict.part_count > 0);
    }
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return found;
}

/* Writes what |bytes| hold as a Chrome trace; 0 when it is too large to look at. */
static size_t write_again(tacho_str bytes, char *to)
{
    tacho_dict dict;
    tacho_output output;
    tacho_events *sink = NULL;
    tacho_trace_options options = {.omit_args = false};
    char path[64];
    snprintf(path, sizeof(path), "/tmp/tacho-fuzz.%ld.never", (long)getpid());
    require_ok(tacho_dict_init(&dict));
    require_ok(tacho_output_open(path, &output));
    require_ok(tacho_sink_chrome_json.open(&dict, &output, &options, &sink));
    require(read_into(bytes, TACHO_ORDER_SORT_ALL, sink).code == TACHO_CODE_OK);
    tacho_sink_chrome_json.close(sink);
    tacho_output_flush(&output);
    require(!tacho_output_failed(&output));
    size_t len = 0;
    for (ssize_t got; (got = pread(output.fd, to + len, OUTPUT_BYTES - len, (off_t)len)) > 0;) {
        len += (size_t)got;
    }
    tacho_output_close(&output);
    tacho_dict_deinit(&dict);
    return len < OUTPUT_BYTES ? len : 0;
}

static void check_round_trip(tacho_str bytes, const outcome *first)
{
    char *text = malloc(OUTPUT_BYTES);
    require(text != NULL);
    size_t len = write_again(bytes, text);
    bool has_rows = first->counts[0] + first->counts[1] + first->counts[2] > 0;
    if (len > 0 && has_rows) {
        outcome again = read_profile(tacho_str_make(text, len), TACHO_ORDER_SORT_ALL);
        require(again.code == TACHO_CODE_OK);
        require(again.counts[TACHO_ROW_SPAN] == first->counts[TACHO_ROW_SPAN]);
        require(again.counts[TACHO_ROW_SAMPLE] == first->counts[TACHO_ROW_SAMPLE]);
        if (!first->has_odd_clock) {
            require(again.counts[TACHO_ROW_FLOW] == first->counts[TACHO_ROW_FLOW]);
            require(again.busy_ns == first->busy_ns);
        }
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    require(tacho_source_chrome.probe(bytes) <= TACHO_PROBE_SURE);
    outcome sorted = read_profile(bytes, TACHO_ORDER_SORT_ALL);
    outcome passed = read_profile(bytes, TACHO_ORDER_PASS);
    if (passed.code != TACHO_CODE_OUT_OF_ORDER) {
        require(passed.code == sorted.code);
        require(sorted.code != TACHO_CODE_OK ||
                (passed.busy_ns == sorted.busy_ns &&
                 memcmp(passed.counts, sorted.counts, sizeof(passed.counts)) == 0));
    }
    if (sorted.code == TACHO_CODE_OK) {
        check_round_trip(bytes, &sorted);
        require_read_back(&tacho_source_chrome, bytes);
    } else {
        require(sorted.code == TACHO_CODE_BAD_DATA || sorted.code == TACHO_CODE_LIMIT);
    }
    return 0;
}
