/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line per span, "TRACK START END NAME", with times in nanoseconds from the first event of the
 * span's file. A track is one word, so spaces in its name become underscores. What a line has no
 * place for is a comment: the files, their origins, and the number of records that were lost.
 */
#include "sinks/null.h"

#include "sinks/trace_rows.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct null_sink {
    tacho_events events; /* first, so that a pointer to it is one to the sink */
    tacho_output *output;
    tacho_trace_options options;
    uint64_t unplaced_count; /* rows that are no spans with a duration */
} null_sink;

static null_sink *sink_of(tacho_events *events)
{
    return (null_sink *)(void *)events;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Names come from files: what would end the line, or the |is_word|, is replaced. */
static void put_name(null_sink *sink, uint32_t string, bool is_word)
{
    tacho_str text = tacho_dict_string(sink->events.dict, string);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool is_bad = byte < ' ' || byte == 0x7f || (is_word && byte == ' ');
        tacho_output_write(sink->output, is_bad ? "_" : &text.data[i], 1);
    }
    tacho_output_write_cstring(sink->output, text.len == 0 ? "_" : "");
}

static void put_span(null_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    put_name(sink, tacho_dict_track_name(dict, row->track), true);
    tacho_output_printf(sink->output, " %" PRId64 " %" PRId64 " ",
                        tacho_trace_ns(dict, row, row->start),
                        tacho_trace_ns(dict, row, row->of.span.end));
    put_name(sink, dict->sites[row->of.span.site].name, false);
    tacho_output_write_cstring(sink->output, "\n");
}

static tacho_status null_row(tacho_events *events, const tacho_row *row)
{
    null_sink *sink = sink_of(events);
    if (tacho_output_failed(sink->output)) {
        return tacho_output_take_failure(sink->output);
    }
    if (row->kind != TACHO_ROW_SPAN || (row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        sink->unplaced_count++;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_trace_check_names(events->dict, &sink->options, row));
    put_span(sink, row);
    return TACHO_OK;
}

/* ---- the end ------------------------------------------------------------------------------- */

static tacho_status null_finish(tacho_events *events)
{
    null_sink *sink = sink_of(events);
    tacho_dict *dict = events->dict;
    for (size_t i = 0; i < dict->part_count; i++) {
        tacho_output_write_cstring(sink->output, "# ");
        put_name(sink, dict->parts[i].name, false);
        tacho_output_printf(sink->output, ": %s\n", tacho_origin_name(dict->parts[i].origin));
    }
    uint64_t lost_count = tacho_trace_lost_count(dict);
    if (lost_count > 0) {
        tacho_output_printf(sink->output, "# %" PRIu64 " lost\n", lost_count);
    }
    dict->unplaced_count = sink->unplaced_count;
    return TACHO_OK;
}

static void null_close(tacho_events *events)
{
    free(sink_of(events));
}

static tacho_status null_open(tacho_dict *dict, tacho_output *output,
                              const tacho_trace_options *options, tacho_events **out_events)
{
    static const tacho_events_vtable vtable = {.row = null_row, .finish = null_finish};
    null_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&vtable, dict};
    sink->output = output;
    sink->options = *options;
    tacho_output_write_cstring(output, "null 1\n");
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".null", NULL};

const tacho_trace_sink tacho_sink_null = {
    .name = "null",
    .title = "spans as plain lines: TRACK START END NAME, in ns",
    .suffixes = suffixes,
    .source = "null",
    .limits = TACHO_LIMIT_SPANS | TACHO_LIMIT_PARTIAL,
    .open = null_open,
    .close = null_close,
};
