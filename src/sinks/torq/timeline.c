/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T1 has no column for the slice: its readers take the number after S modulo two. So rows of a
 * slice have numbers that give the slice again, and skip the others. The vector engine was added
 * after T1; its rows are those of the next generation: CSS0,...,CSS.
 */
#include "sinks/torq/timeline.h"

#include <inttypes.h>

/* The number of slices that readers of T1 use in turn. */
enum { READER_SLICE_COUNT = 2 };

typedef struct writer {
    const tacho_torq_timeline *timeline;
    tacho_output *output;
    tacho_torq_timeline_form form;
    uint32_t transfer_count;
    uint32_t vector_count;
    uint32_t next_slice_number;
    uint32_t slice_count; /* of the machine, at least READER_SLICE_COUNT */
} writer;

typedef enum row_class { TRANSFERS, SLICES, VECTORS, ROW_CLASS_COUNT } row_class;

bool tacho_torq_timeline_form_find(const char *name, tacho_torq_timeline_form *out_form)
{
    bool is_t1 = strcmp(name, "t1") == 0;
    *out_form = is_t1 ? TACHO_TORQ_T1 : TACHO_TORQ_T4;
    return is_t1 || strcmp(name, "t4") == 0;
}

static row_class class_of(const tacho_torq_timeline_row *row)
{
    switch (row->track_class) {
    case TACHO_TRACK_GROUP:
        return ROW_CLASS_COUNT;
    case TACHO_TRACK_DMA_IN:
    case TACHO_TRACK_DMA_OUT:
        return TRANSFERS;
    case TACHO_TRACK_VECTOR:
    case TACHO_TRACK_CONTROL:
        return VECTORS;
    case TACHO_TRACK_HOST:
    case TACHO_TRACK_HOST_COPY:
    case TACHO_TRACK_RUNTIME:
    case TACHO_TRACK_COMPUTE:
    case TACHO_TRACK_DMA_LOCAL: /* within LRAM: CDMA serves DTCM and ITCM only */
    case TACHO_TRACK_SYNC:
    case TACHO_TRACK_PORT:
    case TACHO_TRACK_COUNTER:
    case TACHO_TRACK_PHASE:
    case TACHO_TRACK_MEMORY:
    case TACHO_TRACK_CLASS_COUNT:
        break;
    }
    return SLICES;
}

/* Words for a transfer: the id and the type of T1, the event of T4. */
typedef struct transfer_words {
    const char *id;
    const char *type;
    const char *event;
} transfer_words;

static const transfer_words *words_of(const tacho_torq_timeline_row *row)
{
    static const transfer_words in = {"DI", "DMA_IN", "DMA In,"};
    static const transfer_words out = {"DO", "DMA_OUT", "DMA Out,"};
    return row->track_class == TACHO_TRACK_DMA_OUT ? &out : &in;
}

/* Fields cannot be quoted in these files, so characters that would break a row are removed. */
static void write_clean(tacho_output *output, tacho_str text, bool may_have_commas)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        bool is_bad =
            byte == '\n' || byte == '\r' || byte == '\0' || (byte == ',' && !may_have_commas);
        tacho_output_write(output, is_bad ? "_" : &byte, 1);
    }
}

static void write_location(const writer *self, tacho_str location)
{
    bool is_wrapped = tacho_str_starts_with(location, TACHO_STR("loc("));
    tacho_output_write_cstring(self->output, is_wrapped ? "" : "loc(");
    write_clean(self->output, location, true);
    tacho_output_write_cstring(self->output, is_wrapped ? "" : ")");
}

/* The next number that a reader maps to |slice|. */
static uint32_t take_slice_number(writer *self, uint32_t slice)
{
    uint32_t turn = self->next_slice_number % self->slice_count;
    uint32_t number =
        self->next_slice_number + (slice + self->slice_count - turn) % self->slice_count;
    self->next_slice_number = number + 1;
    return number;
}

static void write_t1_row(writer *self, const tacho_torq_timeline_row *row)
{
    row_class which = class_of(row);
    const transfer_words *words = words_of(row);
    const char *id = which == TRANSFERS ? words->id : which == VECTORS ? "CSS" : "S";
    tacho_str type = which == TRANSFERS ? tacho_str_from_cstring(words->type)
                     : which == VECTORS ? TACHO_STR("CSS")
                                        : row->word;
    uint32_t number = which == SLICES      ? take_slice_number(self, row->unit)
                      : which == TRANSFERS ? self->transfer_count++
                                           : self->vector_count++;
    tacho_output_printf(self->output, "%s%" PRIu32 ",%" PRId64 ",%" PRId64 ",", id, number,
                        row->start, row->end);
    write_location(self, row->location);
    tacho_output_write_cstring(self->output, ",");
    write_clean(self->output, type, false);
    tacho_output_write_cstring(self->output, "\n");
}

static void write_t4_row(const writer *self, const tacho_torq_timeline_row *row)
{
    row_class which = class_of(row);
    tacho_output_printf(self->output, "%" PRIu32 ",%" PRId64 ",%" PRId64 ",", row->task,
                        row->end - row->start, row->start);
    if (which == SLICES) {
        tacho_output_printf(self->output, "Slice %" PRIu32 ",", row->unit);
    } else {
        tacho_output_write_cstring(self->output, which == VECTORS ? "CSS," : words_of(row)->event);
    }
    write_location(self, row->location);
    if (which == TRANSFERS) {
        tacho_output_printf(self->output, ",%" PRIu64 "\n", row->bytes);
    } else {
        tacho_output_write_cstring(self->output, ",\n");
    }
}

static tacho_status write_rows(writer *self, row_class which)
{
    const tacho_torq_timeline *timeline = self->timeline;
    for (size_t i = 0; i < timeline->row_count; i++) {
        tacho_torq_timeline_row row;
        TACHO_TRY(timeline->row(timeline->self, i, &row));
        if (class_of(&row) != which) {
            continue;
        }
        if (self->form == TACHO_TORQ_T1) {
            write_t1_row(self, &row);
        } else {
            write_t4_row(self, &row);
        }
    }
    return TACHO_OK;
}

static tacho_status count_slices(writer *self)
{
    const tacho_torq_timeline *timeline = self->timeline;
    self->slice_count = READER_SLICE_COUNT;
    for (size_t i = 0; i < timeline->row_count; i++) {
        tacho_torq_timeline_row row;
        TACHO_TRY(timeline->row(timeline->self, i, &row));
        bool is_more = class_of(&row) == SLICES && row.unit + 1 > self->slice_count;
        self->slice_count = is_more ? row.unit + 1 : self->slice_count;
    }
    return TACHO_OK;
}

tacho_status tacho_torq_timeline_write(const tacho_torq_timeline *timeline,
                                       tacho_torq_timeline_form form, tacho_output *output)
{
    writer self = {.timeline = timeline, .output = output, .form = form};
    if (form == TACHO_TORQ_T4) {
        tacho_output_write_cstring(
            output, "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n");
    }
    TACHO_TRY(count_slices(&self));
    for (row_class which = TRANSFERS; which < ROW_CLASS_COUNT; which++) {
        TACHO_TRY(write_rows(&self, which));
    }
    return TACHO_OK;
}
