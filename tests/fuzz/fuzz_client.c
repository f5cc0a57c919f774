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

/* A segment and its decoder, which are too large to be made for each input. */
typedef struct segment {
    char *strings;
    tacho_wire_record *records;
    tacho_decoder decoder;
} segment;

static segment *open_segment(tacho_recorder *recorder)
{
    static segment only;
    tacho_dict *dict = recorder->events->dict;
    if (only.strings == NULL) {
        only.strings = calloc(1, TACHO_WIRE_STRINGS);
        only.records = calloc(TACHO_WIRE_RECORDS, sizeof(*only.records));
        require(only.strings != NULL && only.records != NULL);
        require(tacho_decoder_init(&only.decoder, recorder, 0, only.strings) == TACHO_OK);
    }
    tacho_decoder *decoder = &only.decoder;
    decoder->recorder = recorder;
    decoder->group = dict->parts[0].root;
    decoder->device_count = 0;
    decoder->event_count = decoder->bad_count = decoder->untimed_count = 0;
    require(tacho_dict_ensure_string(dict, TACHO_STR("message"), &decoder->message) == TACHO_OK);
    require(tacho_dict_ensure_string(dict, TACHO_STR("location"), &decoder->location) == TACHO_OK);
    memset(only.strings, 0, STRINGS + sizeof(tacho_wire_entry));
    memset(decoder->texts, 0, STRINGS); /* ids beyond the strings are nobody's */
    memset(decoder->sites, 0, STRINGS);
    memset(decoder->counters, 0, STRINGS);
    return &only;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tacho_events_vtable vtable = {.row = check_row};
    checker self;
    tacho_recorder recorder;
    uint32_t track = 0;
    require(tacho_dict_init(&self.dict) == TACHO_OK);
    self.events = (tacho_events){&vtable, &self.dict};
    require(tacho_recorder_open(&recorder, &self.events, TACHO_STR("fuzz"), 1) == TACHO_OK);
    segment *memory = open_segment(&recorder);
    tacho_decoder *decoder = &memory->decoder;
    size_t front = size < STRINGS ? size : STRINGS;
    memcpy(memory->strings + sizeof(tacho_wire_entry), data, front);
    size_t count = (size - front) / sizeof(*memory->records);
    count = count < TACHO_WIRE_RECORDS ? count : TACHO_WIRE_RECORDS;
    if (count > 0) {
        memcpy(memory->records, data + front, count * sizeof(*memory->records));
    }
    require(tacho_decoder_ensure_thread(decoder, "fuzz", 1, &track) == TACHO_OK);
    uint64_t tail = 0;
    bool is_whole = true;
    while (is_whole && tail != count) {
        is_whole = tacho_decoder_take(decoder, memory->records, count, &tail, track);
    }
    require(tail <= count && (!is_whole || tail == count));
    require(recorder.failure == TACHO_OK);
    require(recorder.stored_count + decoder->bad_count + decoder->untimed_count <=
            decoder->event_count);
    tacho_recorder_close(&recorder);
    tacho_dict_deinit(&self.dict);
    return 0;
}
