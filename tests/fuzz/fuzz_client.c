/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a client may write into its memory: the front of the input is the area of strings,
 * the rest are the records of a ring.
 *
 * Laws: whatever the bytes, every event is stored, counted as nonsense or waits for a clock, or the
 * ring is broken; rows refer to what is in the dictionary, and their times are in order.
 */
#include "base/process.h"
#include "capture/decoder.h"

#include <stdio.h>
#include <stdlib.h>

enum { STRINGS = 2048 };

typedef struct checker {
    tacho_events events;
    tacho_dict dict;
} checker;

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static tacho_status check_row(tacho_events *events, const tacho_row *row)
{
    const tacho_dict *dict = events->dict;
    require(row->track < dict->track_count);
    require(row->start >= 0);
    if (row->kind == TACHO_ROW_SPAN) {
        require(row->of.span.site < dict->site_count && row->of.span.end >= row->start);
    }
    for (size_t i = 0; i < row->arg_count; i++) {
        require(row->args[i].key < dict->strings.item_count);
        if (row->args[i].type == TACHO_ARG_TEXT) {
            volatile char last = '\0';
            tacho_str text = row->args[i].value.as_text;
            last = text.len > 0 ? text.data[text.len - 1] : last;
        }
    }
    return TACHO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tacho_events_vtable vtable = {.row = check_row};
    checker self;
    tacho_recorder recorder;
    tacho_decoder decoder;
    uint32_t track = 0;
    char *strings = calloc(1, TACHO_WIRE_STRINGS);
    tacho_wire_record *records = calloc(TACHO_WIRE_RECORDS, sizeof(*records));
    require(strings != NULL && records != NULL);
    size_t front = size < STRINGS ? size : STRINGS;
    memcpy(strings + sizeof(tacho_wire_entry), data, front);
    size_t count = (size - front) / sizeof(*records);
    count = count < TACHO_WIRE_RECORDS ? count : TACHO_WIRE_RECORDS;
    memcpy(records, data + front, count * sizeof(*records));
    require(tacho_dict_init(&self.dict) == TACHO_OK);
    self.events = (tacho_events){&vtable, &self.dict};
    require(tacho_recorder_open(&recorder, &self.events, TACHO_STR("fuzz"), 1) == TACHO_OK);
    require(tacho_decoder_init(&decoder, &recorder, self.dict.parts[0].root, strings) == TACHO_OK);
    require(tacho_decoder_ensure_thread(&decoder, "fuzz", 1, &track) == TACHO_OK);
    uint64_t tail = 0;
    bool is_whole = tacho_decoder_take(&decoder, records, count, &tail, track);
    require(tail <= count && (!is_whole || tail == count));
    require(recorder.failure == TACHO_OK);
    require(recorder.stored_count + decoder.bad_count + decoder.untimed_count <=
            decoder.event_count);
    tacho_decoder_deinit(&decoder);
    tacho_recorder_close(&recorder);
    tacho_dict_deinit(&self.dict);
    free(strings);
    free(records);
    return 0;
}
