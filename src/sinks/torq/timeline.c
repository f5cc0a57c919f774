/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T1 has no column for the slice: its readers take the number after S modulo two. So rows of a
 * slice have numbers that give the slice again, and skip the others. The vector engine was added
 * after T1; its rows are those of the next generation: CSS0,...,CSS.
 *
 * Rows are kept until the end, because engines of one kind are together, and because the numbers of
 * slices depend on how many slices there are.
 */
#include "sinks/torq/timeline.h"

#include "base/grow.h"
#include "base/strings.h"
#include "profile/schedule_args.h"

#include <inttypes.h>
#include <stdlib.h>

/* The number of slices that readers of T1 use in turn. */
enum { READER_SLICE_COUNT = 2 };

/* Kinds of rows, in the order in which they are written. */
typedef enum row_kind { TRANSFER_IN, TRANSFER_OUT, SLICE, VECTOR, ELSEWHERE } row_kind;

typedef struct timeline_row {
    int64_t start, end; /* cycles */
    uint64_t order;     /* of issue */
    uint64_t bytes;     /* of a transfer */
    row_kind kind;
    uint32_t unit; /* index of the slice */
    uint32_t task;
    uint32_t location; /* string of the dictionary */
    uint32_t word;     /* the work of a slice, in |words| */
} timeline_row;

typedef struct timeline_sink {
    tacho_events events;
    tacho_output *output;
    bool is_t4;
    uint32_t keys[TACHO_SCHEDULE_ARG_COUNT];
    tacho_strings words;
    timeline_row *rows;
    size_t row_count, row_capacity;
    uint64_t unplaced_count;
    uint32_t slice_count; /* of the machine, at least READER_SLICE_COUNT */
    uint32_t transfer_count, vector_count, next_slice_number;
} timeline_sink;

static timeline_sink *sink_of(tacho_events *events)
{
    return (timeline_sink *)(void *)events;
}

/* ---- taking rows --------------------------------------------------------------------------- */

static row_kind kind_of(tacho_track_class track_class)
{
    switch (track_class) {
    case TACHO_TRACK_DMA_IN:
        return TRANSFER_IN;
    case TACHO_TRACK_DMA_OUT:
        return TRANSFER_OUT;
    case TACHO_TRACK_VECTOR:
    case TACHO_TRACK_CONTROL:
        return VECTOR;
    case TACHO_TRACK_COMPUTE:
    case TACHO_TRACK_DMA_LOCAL: /* within LRAM: CDMA serves DTCM and ITCM only */
        return SLICE;
    case TACHO_TRACK_GROUP:
    case TACHO_TRACK_HOST:
    case TACHO_TRACK_HOST_COPY:
    case TACHO_TRACK_RUNTIME:
    case TACHO_TRACK_SYNC:
    case TACHO_TRACK_PORT:
    case TACHO_TRACK_COUNTER:
    case TACHO_TRACK_PHASE:
    case TACHO_TRACK_MEMORY:
    case TACHO_TRACK_CLASS_COUNT:
        break;
    }
    return ELSEWHERE;
}

static bool is_transfer(row_kind kind)
{
    return kind == TRANSFER_IN || kind == TRANSFER_OUT;
}

/* The argument of |row| under a key of schedules; NULL: it has none. */
static const tacho_arg *find_arg(const timeline_sink *sink, const tacho_row *row,
                                 tacho_schedule_arg which)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        if (row->args[i].key == sink->keys[which]) {
            return &row->args[i];
        }
    }
    return NULL;
}

static uint64_t find_number(const timeline_sink *sink, const tacho_row *row,
                            tacho_schedule_arg which, uint64_t otherwise)
{
    const tacho_arg *arg = find_arg(sink, row, which);
    if (arg == NULL || (arg->type == TACHO_ARG_INT && arg->value.as_int < 0)) {
        return otherwise;
    }
    return arg->type == TACHO_ARG_UINT  ? arg->value.as_uint
           : arg->type == TACHO_ARG_INT ? (uint64_t)arg->value.as_int
                                        : otherwise;
}

/* The vendor's word, else the name of the span. */
static tacho_str find_word(const timeline_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_arg *arg = find_arg(sink, row, TACHO_SCHEDULE_ARG_WORD);
    return arg != NULL && arg->type == TACHO_ARG_TEXT ? arg->value.as_text
           : arg != NULL && arg->type == TACHO_ARG_STRING
               ? tacho_dict_string(dict, arg->value.as_string)
               : tacho_dict_string(dict, dict->sites[row->of.span.site].name);
}

static tacho_status keep_row(timeline_sink *sink, const tacho_row *row, row_kind kind)
{
    const tacho_dict *dict = sink->events.dict;
    uint32_t location = dict->sites[row->of.span.site].location;
    uint64_t arrival = sink->row_count;
    timeline_row kept = {
        .start = row->start,
        .end = row->of.span.end,
        .order = find_number(sink, row, TACHO_SCHEDULE_ARG_JOB, arrival),
        .bytes = find_number(sink, row, TACHO_SCHEDULE_ARG_BYTES, 0),
        .kind = kind,
        .unit = dict->tracks[row->track].index,
        .task = (uint32_t)find_number(sink, row, TACHO_SCHEDULE_ARG_TASK, arrival),
        .location = location != TACHO_NONE ? dict->locations[location].text : TACHO_NONE,
    };
    if (kind == SLICE) {
        TACHO_TRY(tacho_strings_ensure(&sink->words, find_word(sink, row), &kept.word));
        sink->slice_count = kept.unit >= sink->slice_count ? kept.unit + 1 : sink->slice_count;
    }
    TACHO_TRY(tacho_grow(&sink->rows, &sink->row_capacity, sink->row_count + 1));
    sink->rows[sink->row_count++] = kept;
    return TACHO_OK;
}

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    timeline_sink *sink = sink_of(events);
    const tacho_dict *dict = events->dict;
    row_kind kind = kind_of(dict->tracks[row->track].track_class);
    bool is_placed = row->kind == TACHO_ROW_SPAN && kind != ELSEWHERE &&
                     (row->of.span.flags & TACHO_SPAN_INSTANT) == 0 &&
                     tacho_dict_track_clock(dict, row->track)->counts_cycles;
    sink->unplaced_count += is_placed ? 0 : 1;
    return is_placed ? keep_row(sink, row, kind) : TACHO_OK;
}

/* ---- writing them -------------------------------------------------------------------------- */

/* Words for a transfer: the id and the type of T1, the event of T4. */
typedef struct transfer_words {
    const char *id;
    const char *type;
    const char *event;
} transfer_words;

static const transfer_words *words_of(row_kind kind)
{
    static const transfer_words in = {"DI", "DMA_IN", "DMA In,"};
    static const transfer_words out = {"DO", "DMA_OUT", "DMA Out,"};
    return kind == TRANSFER_OUT ? &out : &in;
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

static void write_location(const timeline_sink *self, uint32_t string)
{
    tacho_str location =
        string != TACHO_NONE ? tacho_dict_string(self->events.dict, string) : TACHO_STR("unknown");
    bool is_wrapped = tacho_str_starts_with(location, TACHO_STR("loc("));
    tacho_output_write_cstring(self->output, is_wrapped ? "" : "loc(");
    write_clean(self->output, location, true);
    tacho_output_write_cstring(self->output, is_wrapped ? "" : ")");
}

/* The next number that a reader maps to |slice|. */
static uint32_t take_slice_number(timeline_sink *self, uint32_t slice)
{
    uint32_t turn = self->next_slice_number % self->slice_count;
    uint32_t number =
        self->next_slice_number + (slice + self->slice_count - turn) % self->slice_count;
    self->next_slice_number = number + 1;
    return number;
}

static void write_t1_row(timeline_sink *self, const timeline_row *row)
{
    const transfer_words *words = words_of(row->kind);
    bool moves = is_transfer(row->kind);
    const char *id = moves ? words->id : row->kind == VECTOR ? "CSS" : "S";
    tacho_str type = moves                 ? tacho_str_from_cstring(words->type)
                     : row->kind == VECTOR ? TACHO_STR("CSS")
                                           : tacho_strings_get(&self->words, row->word);
    uint32_t number = moves                 ? self->transfer_count++
                      : row->kind == VECTOR ? self->vector_count++
                                            : take_slice_number(self, row->unit);
    tacho_output_printf(self->output, "%s%" PRIu32 ",%" PRId64 ",%" PRId64 ",", id, number,
                        row->start, row->end);
    write_location(self, row->location);
    tacho_output_write_cstring(self->output, ",");
    write_clean(self->output, type, false);
    tacho_output_write_cstring(self->output, "\n");
}

static void write_t4_row(const timeline_sink *self, const timeline_row *row)
{
    tacho_output_printf(self->output, "%" PRIu32 ",%" PRId64 ",%" PRId64 ",", row->task,
                        row->end - row->start, row->start);
    if (row->kind == SLICE) {
        tacho_output_printf(self->output, "Slice %" PRIu32 ",", row->unit);
    } else {
        tacho_output_write_cstring(self->output,
                                   row->kind == VECTOR ? "CSS," : words_of(row->kind)->event);
    }
    write_location(self, row->location);
    if (is_transfer(row->kind)) {
        tacho_output_printf(self->output, ",%" PRIu64 "\n", row->bytes);
    } else {
        tacho_output_write_cstring(self->output, ",\n");
    }
}

/* Both directions of transfers are one kind here. */
static int rank_of(row_kind kind)
{
    return is_transfer(kind) ? 0 : (int)kind;
}

static int compare_rows(const void *left, const void *right)
{
    const timeline_row *a = left;
    const timeline_row *b = right;
    if (rank_of(a->kind) != rank_of(b->kind)) {
        return rank_of(a->kind) < rank_of(b->kind) ? -1 : 1;
    }
    if (a->order != b->order) {
        return a->order < b->order ? -1 : 1;
    }
    return a->start < b->start ? -1 : a->start > b->start ? 1 : 0;
}

static tacho_status finish(tacho_events *events)
{
    timeline_sink *sink = sink_of(events);
    if (sink->row_count > 0) {
        qsort(sink->rows, sink->row_count, sizeof(*sink->rows), compare_rows);
    }
    for (size_t i = 0; i < sink->row_count; i++) {
        if (sink->is_t4) {
            write_t4_row(sink, &sink->rows[i]);
        } else {
            write_t1_row(sink, &sink->rows[i]);
        }
        if (tacho_output_failed(sink->output)) {
            return tacho_output_take_failure(sink->output);
        }
    }
    events->dict->unplaced_count = sink->unplaced_count;
    return TACHO_OK;
}

/* ---- opening ------------------------------------------------------------------------------- */

static void close_sink(tacho_events *events)
{
    timeline_sink *sink = sink_of(events);
    tacho_strings_deinit(&sink->words);
    free(sink->rows);
    free(sink);
}

static tacho_status init_sink(timeline_sink *sink)
{
    TACHO_TRY(tacho_strings_init(&sink->words));
    return tacho_schedule_args_ensure(sink->events.dict, sink->keys);
}

static tacho_status open_sink(tacho_dict *dict, tacho_output *output, bool is_t4,
                              tacho_events **out_events)
{
    static const tacho_events_vtable vtable = {.row = take_row, .finish = finish};
    timeline_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&vtable, dict};
    sink->output = output;
    sink->is_t4 = is_t4;
    sink->slice_count = READER_SLICE_COUNT;
    tacho_status status = init_sink(sink);
    if (status != TACHO_OK) {
        close_sink(&sink->events);
        return status;
    }
    *out_events = &sink->events;
    return TACHO_OK;
}

static tacho_status open_t1(tacho_dict *dict, tacho_output *output,
                            const tacho_trace_options *options, tacho_events **out_events)
{
    (void)options;
    return open_sink(dict, output, false, out_events);
}

static tacho_status open_t4(tacho_dict *dict, tacho_output *output,
                            const tacho_trace_options *options, tacho_events **out_events)
{
    (void)options;
    tacho_output_write_cstring(output,
                               "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n");
    return open_sink(dict, output, true, out_events);
}

static const char *const t1_suffixes[] = {".t1.csv", NULL};
static const char *const t4_suffixes[] = {".t4.csv", NULL};

const tacho_trace_sink tacho_sink_torq_t1 = {
    .name = "t1",
    .title = "timeline of Torq's compiler, first generation",
    .suffixes = t1_suffixes,
    .source = "torq-timeline",
    .limits = TACHO_LIMIT_PARTIAL,
    .takes_rows_as_given = true,
    .schedule = "torq",
    .open = open_t1,
    .close = close_sink,
};

const tacho_trace_sink tacho_sink_torq_t4 = {
    .name = "t4",
    .title = "timeline of Torq's compiler, with tasks and bytes",
    .suffixes = t4_suffixes,
    .source = "torq-timeline",
    .limits = TACHO_LIMIT_PARTIAL,
    .takes_rows_as_given = true,
    .schedule = "torq",
    .open = open_t4,
    .close = close_sink,
};
