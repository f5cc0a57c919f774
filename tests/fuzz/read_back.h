/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law of what is written: a capture of any input that a source accepts reads back with as many
 * spans, samples and flow ends as the input had, and loses nothing. Included by fuzz targets of
 * sources.
 */
#ifndef TACHO_TESTS_FUZZ_READ_BACK_H
#define TACHO_TESTS_FUZZ_READ_BACK_H

#include "profile/lanes.h"
#include "reading.h"
#include "sinks/trace_sink.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { READ_BACK_BYTES = 1 << 22, ROW_KINDS = 3 };

/* Counts rows by kind and passes them on. */
typedef struct row_counter {
    tacho_events events;
    tacho_events *next; /* NULL: rows end here */
    uint64_t counts[ROW_KINDS];
} row_counter;

static inline tacho_status row_counter_row(tacho_events *events, const tacho_row *row)
{
    row_counter *self = (row_counter *)(void *)events;
    self->counts[row->kind]++;
    return self->next != NULL ? tacho_events_row(self->next, row) : TACHO_OK;
}

static inline tacho_status row_counter_end_part(tacho_events *events, uint32_t part)
{
    row_counter *self = (row_counter *)(void *)events;
    return self->next != NULL ? tacho_events_end_part(self->next, part) : TACHO_OK;
}

static inline tacho_status row_counter_finish(tacho_events *events)
{
    row_counter *self = (row_counter *)(void *)events;
    return self->next != NULL ? tacho_events_finish(self->next) : TACHO_OK;
}

static inline const tacho_events_vtable *row_counter_vtable(void)
{
    static const tacho_events_vtable vtable = {
        .row = row_counter_row, .end_part = row_counter_end_part, .finish = row_counter_finish};
    return &vtable;
}

/* A capture of |bytes|, read by |source|, into |to|; 0 when that is refused or too large. */
static inline size_t write_capture(const tacho_source *source, tacho_str bytes, char *to,
                                   uint64_t counts[ROW_KINDS], uint64_t *out_loss_count)
{
    const tacho_trace_sink *sink = tacho_trace_sink_find(TACHO_STR("tacho"));
    const tacho_trace_options options = {.omit_args = false};
    tacho_dict dict;
    tacho_output output;
    tacho_events *events = NULL;
    char path[64];
    size_t len = 0;
    snprintf(path, sizeof(path), "/tmp/tacho-fuzz.%ld.never", (long)getpid());
    require_ok(tacho_dict_init(&dict));
    require_ok(tacho_output_open(path, &output));
    require_ok(sink->open(&dict, &output, &options, &events));
    row_counter counter = {{row_counter_vtable(), &dict}, events, {0}};
    tacho_status status = read_through(source, bytes, TACHO_ORDER_SORT_ALL, &counter.events);
    sink->close(events);
    if (status == TACHO_OK) {
        tacho_output_flush(&output);
        for (ssize_t got;
             (got = pread(output.fd, to + len, READ_BACK_BYTES - len, (off_t)len)) > 0;) {
            len += (size_t)got;
        }
        memcpy(counts, counter.counts, sizeof(counter.counts));
    }
    *out_loss_count = dict.loss_count;
    tacho_status_free(status);
    tacho_output_close(&output);
    tacho_dict_deinit(&dict);
    return len < READ_BACK_BYTES ? len : 0;
}

static inline void require_read_back(const tacho_source *source, tacho_str bytes)
{
    uint64_t written[ROW_KINDS] = {0}, loss_count = 0;
    tacho_dict dict;
    char *text = malloc(READ_BACK_BYTES);
    require(text != NULL);
    size_t len = write_capture(source, bytes, text, written, &loss_count);
    if (len > 0) {
        require_ok(tacho_dict_init(&dict));
        row_counter counter = {{row_counter_vtable(), &dict}, NULL, {0}};
        require_ok(read_through(tacho_source_find(TACHO_STR("tacho")), tacho_str_make(text, len),
                                TACHO_ORDER_SORT_ALL, &counter.events));
        require(memcmp(written, counter.counts, sizeof(written)) == 0);
        require(dict.loss_count == loss_count);
        tacho_dict_deinit(&dict);
    }
    free(text);
}

#endif
