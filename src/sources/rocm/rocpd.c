/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rocpd databases, schemas 3 and 4. Each table has the suffix of its recording; a merged file has
 * several, and every id is local to one. Views are not used: some lose rows, others multiply them.
 *
 * In schema 4 times are in a table of their own, and threads, agents and queues in that of tracks.
 */
#include "base/grow.h"
#include "sources/rocm/rocm.h"
#include "sources/rocm/rocm_tracks.h"
#include "sources/table_sweep.h"

#include <stdio.h>
#include <stdlib.h>

enum { RECORDINGS_MAX = 4096, TABLE_NAME_BYTES = 320, MESSAGE_BYTES = 4096 };

/* Tables in which rows are looked up by their id. */
typedef enum lookup {
    LOOKUP_STRING,
    LOOKUP_EVENT,
    LOOKUP_KERNEL,
    LOOKUP_PROCESS,
    LOOKUP_THREAD,
    LOOKUP_AGENT,
    LOOKUP_TIME,
    LOOKUP_TRACK,
    LOOKUP_CATEGORY,
    LOOKUP_VALUE,
    LOOKUP_COUNTER,
    LOOKUP_COUNT,
} lookup;

static const struct {
    const char *table;
    const char *columns[8];
} lookups[LOOKUP_COUNT] = {
    [LOOKUP_STRING] = {"rocpd_string", {"string"}},
    [LOOKUP_EVENT] = {"rocpd_event", {"category_id", "stack_id", "extdata"}},
    [LOOKUP_KERNEL] = {"rocpd_info_kernel_symbol", {"display_name", "kernel_name"}},
    [LOOKUP_PROCESS] = {"rocpd_info_process", {"pid", "command"}},
    [LOOKUP_THREAD] = {"rocpd_info_thread", {"tid", "name"}},
    [LOOKUP_AGENT] = {"rocpd_info_agent", {"type", "type_index", "product_name", "name"}},
    [LOOKUP_TIME] = {"rocpd_timestamp", {"value"}},
    [LOOKUP_TRACK] = {"rocpd_track",
                      {"pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"}},
    [LOOKUP_CATEGORY] = {"rocpd_info_category", {"name"}},
    [LOOKUP_VALUE] = {"rocpd_pmc_event", {"event_id", "pmc_id", "value"}},
    [LOOKUP_COUNTER] = {"rocpd_info_pmc", {"name", "symbol"}},
};

typedef struct recording {
    tacho_str suffix;
    uint64_t number;
    bool has_times; /* schema 4 */
    tacho_sqlite_scan scans[LOOKUP_COUNT];
    tacho_number_map values; /* event to the first of its rows of counters */
} recording;

typedef struct rocpd_reader {
    rocm_part rocm;
    tacho_sqlite_file *file;
    recording *recordings;
    size_t recording_count, recording_capacity;
    table_sweep sweep;
} rocpd_reader;

/* ---- looking up ----------------------------------------------------------------------------- */

/* The row |id| of a table; NULL where there is none. */
static tacho_status find_row(recording *of, lookup what, int64_t id,
                             const tacho_sqlite_scan **out_row)
{
    TACHO_TRY(tacho_sqlite_seek(&of->scans[what], id));
    *out_row = of->scans[what].has_row ? &of->scans[what] : NULL;
    return TACHO_OK;
}

typedef struct row_key {
    lookup table;
    int64_t id;
} row_key;

/* The first text of a row, a string of the dictionary; else |otherwise|. */
static tacho_status find_string(rocpd_reader *reader, recording *of, row_key key,
                                const char *otherwise, uint32_t *out_string)
{
    const tacho_sqlite_scan *row = NULL;
    tacho_str text;
    bool has_two = key.table == LOOKUP_KERNEL || key.table == LOOKUP_COUNTER;
    size_t column_count = has_two ? 2 : 1;
    TACHO_TRY(find_row(of, key.table, key.id, &row));
    for (size_t i = 0; row != NULL && i < column_count; i++) {
        if (tacho_sqlite_text(row, i, &text) && text.len > 0) {
            return tacho_dict_ensure_string(reader->rocm.gpu.dict, text, out_string);
        }
    }
    return gpu_part_string(&reader->rocm.gpu, otherwise, out_string);
}

static tacho_status find_time(recording *of, int64_t id, int64_t *out_time, bool *out_has)
{
    const tacho_sqlite_scan *row = NULL;
    TACHO_TRY(find_row(of, LOOKUP_TIME, id, &row));
    *out_has = row != NULL && tacho_sqlite_int(row, 0, out_time);
    return TACHO_OK;
}

/* ---- tables of events ----------------------------------------------------------------------- */

/* The columns that all tables of events begin with; the second pair is that of schema 4. */
#define TIME_COLUMNS "start", "end", "start_id", "end_id", "track_id", "pid", "tid", "event_id"

enum { START, END, START_ID, END_ID, TRACK, PROCESS, THREAD, EVENT, FIRST_OWN };

/* Where a row belongs: from its own columns, or from its track in schema 4. */
typedef struct row_place {
    int64_t process, thread, agent, queue, stream;
} row_place;

static tacho_status find_place(recording *of, const tacho_sqlite_scan *row, size_t agent_column,
                               row_place *out_place)
{
    const tacho_sqlite_scan *track = NULL;
    bool has_place = agent_column != 0 && !of->has_times;
    *out_place = (row_place){
        .process = tacho_sqlite_int_or(row, PROCESS, -1),
        .thread = tacho_sqlite_int_or(row, THREAD, -1),
        .agent = has_place ? tacho_sqlite_int_or(row, agent_column, -1) : -1,
        .queue = has_place ? tacho_sqlite_int_or(row, agent_column + 1, -1) : -1,
        .stream = has_place ? tacho_sqlite_int_or(row, agent_column + 2, -1) : -1,
    };
    if (!of->has_times) {
        return TACHO_OK;
    }
    TACHO_TRY(find_row(of, LOOKUP_TRACK, tacho_sqlite_int_or(row, TRACK, -1), &track));
    if (track != NULL) {
        *out_place =
            (row_place){tacho_sqlite_int_or(track, 0, -1), tacho_sqlite_int_or(track, 1, -1),
                        tacho_sqlite_int_or(track, 2, -1), tacho_sqlite_int_or(track, 3, -1),
                        tacho_sqlite_int_or(track, 4, -1)};
    }
    return TACHO_OK;
}

/* The program of a command line: its name without directory and arguments. */
static tacho_str program_of(tacho_str command)
{
    return tacho_str_basename(tacho_str_make(command.data, tacho_str_find_byte(command, ' ')));
}

/* The track of a thread; names are copied, since the next look-up replaces the row. */
static tacho_status find_thread_track(rocpd_reader *reader, recording *of, const row_place *place,
                                      uint32_t *out_track)
{
    const tacho_sqlite_scan *row = NULL;
    tacho_str text;
    uint32_t process_name = 0;
    rocm_thread facts = {.owner = of->number, .process = place->process, .thread = place->thread};
    TACHO_TRY(find_row(of, LOOKUP_PROCESS, place->process, &row));
    if (row != NULL) {
        facts.process = tacho_sqlite_int_or(row, 0, place->process);
        if (tacho_sqlite_text(row, 1, &text)) {
            TACHO_TRY(
                tacho_dict_ensure_string(reader->rocm.gpu.dict, program_of(text), &process_name));
        }
    }
    facts.process_name = tacho_dict_string(reader->rocm.gpu.dict, process_name);
    TACHO_TRY(find_row(of, LOOKUP_THREAD, place->thread, &row));
    if (row != NULL) {
        facts.thread = tacho_sqlite_int_or(row, 0, place->thread);
        facts.thread_name = tacho_sqlite_text(row, 1, &text) ? text : TACHO_STR("");
    }
    return rocm_find_thread(&reader->rocm, &facts, out_track);
}

static tacho_status find_agent_facts(recording *of, int64_t id, rocm_agent *out_agent)
{
    const tacho_sqlite_scan *row = NULL;
    tacho_str text;
    *out_agent = (rocm_agent){.owner = of->number, .id = id, .number = id};
    TACHO_TRY(find_row(of, LOOKUP_AGENT, id, &row));
    if (row != NULL) {
        out_agent->is_gpu =
            tacho_sqlite_text(row, 0, &text) && tacho_str_equal(text, TACHO_STR("GPU"));
        out_agent->number = tacho_sqlite_int_or(row, 1, id);
        bool has_name = tacho_sqlite_text(row, 2, &text) && text.len > 0;
        out_agent->name = has_name || tacho_sqlite_text(row, 3, &text) ? text : TACHO_STR("");
    }
    return TACHO_OK;
}

/* The number that a call and the work that it started share. */
static tacho_status find_launch(recording *of, const tacho_sqlite_scan *row,
                                gpu_part_launch *out_launch)
{
    const tacho_sqlite_scan *event = NULL;
    *out_launch = (gpu_part_launch){.process = of->number};
    TACHO_TRY(find_row(of, LOOKUP_EVENT, tacho_sqlite_int_or(row, EVENT, -1), &event));
    if (event != NULL) {
        out_launch->number = (uint64_t)tacho_sqlite_int_or(event, 1, 0);
    }
    return TACHO_OK;
}

enum {
    DISPATCH_AGENT = FIRST_OWN,
    DISPATCH_KERNEL = DISPATCH_AGENT + 3,
    DISPATCH_WORKGROUP,
    DISPATCH_GRID = DISPATCH_WORKGROUP + 3,
    DISPATCH_SCRATCH = DISPATCH_GRID + 3,
    DISPATCH_LDS,
};

static tacho_status add_dispatch_args(rocpd_reader *reader, const tacho_sqlite_scan *row,
                                      int64_t stream)
{
    gpu_part *gpu = &reader->rocm.gpu;
    int64_t grid[3];
    int64_t workgroup[3];
    for (size_t i = 0; i < 3; i++) {
        grid[i] = tacho_sqlite_int_or(row, DISPATCH_GRID + i, 0);
        workgroup[i] = tacho_sqlite_int_or(row, DISPATCH_WORKGROUP + i, 0);
    }
    TACHO_TRY(rocm_add_shape(&reader->rocm, grid, workgroup));
    gpu_part_add_number(gpu, reader->rocm.words[ROCM_LDS], TACHO_UNIT_BYTES,
                        tacho_sqlite_int_or(row, DISPATCH_LDS, 0));
    gpu_part_add_number(gpu, reader->rocm.words[ROCM_SCRATCH], TACHO_UNIT_BYTES,
                        tacho_sqlite_int_or(row, DISPATCH_SCRATCH, 0));
    gpu_part_add_number(gpu, reader->rocm.words[ROCM_STREAM], TACHO_UNIT_NONE, stream);
    return TACHO_OK;
}

/* Counters of a kernel: samples at its start, the instances of a counter added up. */
static tacho_status push_counters(rocpd_reader *reader, recording *of, int64_t event,
                                  const rocm_agent *agent, int64_t time)
{
    const uint64_t *first = tacho_number_map_find(&of->values, (uint64_t)event);
    const tacho_sqlite_scan *row = NULL;
    int64_t at = first != NULL ? (int64_t)*first : 0;
    TACHO_TRY(first != NULL ? find_row(of, LOOKUP_VALUE, at, &row) : TACHO_OK);
    while (row != NULL && tacho_sqlite_int_or(row, 0, ~event) == event) {
        int64_t counter = tacho_sqlite_int_or(row, 1, -1);
        double sum = 0;
        uint32_t name = 0;
        while (row != NULL && tacho_sqlite_int_or(row, 0, ~event) == event &&
               tacho_sqlite_int_or(row, 1, -1) == counter) {
            double value = 0;
            sum += tacho_sqlite_real(row, 2, &value) ? value : 0;
            TACHO_TRY(find_row(of, LOOKUP_VALUE, ++at, &row));
        }
        TACHO_TRY(find_string(reader, of, (row_key){LOOKUP_COUNTER, counter}, "counter", &name));
        TACHO_TRY(rocm_push_counter(&reader->rocm, agent,
                                    tacho_dict_string(reader->rocm.gpu.dict, name), time, sum));
    }
    return TACHO_OK;
}

static tacho_status take_dispatch(rocpd_reader *reader, recording *of, const table_stream *stream)
{
    const tacho_sqlite_scan *row = &stream->scan;
    gpu_part_span span = {
        .start = stream->start, .end = stream->end, .category = reader->rocm.words[ROCM_KERNEL]};
    row_place place;
    rocm_agent agent;
    TACHO_TRY(find_place(of, row, DISPATCH_AGENT, &place));
    TACHO_TRY(find_string(reader, of,
                          (row_key){LOOKUP_KERNEL, tacho_sqlite_int_or(row, DISPATCH_KERNEL, -1)},
                          "kernel", &span.name));
    TACHO_TRY(find_launch(of, row, &span.launch));
    TACHO_TRY(find_agent_facts(of, place.agent, &agent));
    TACHO_TRY(rocm_find_queue(&reader->rocm, &agent, place.queue, &span.track));
    TACHO_TRY(push_counters(reader, of, tacho_sqlite_int_or(row, EVENT, -1), &agent, span.start));
    TACHO_TRY(add_dispatch_args(reader, row, place.stream));
    return gpu_part_push(&reader->rocm.gpu, &span);
}

enum { COPY_NAME = FIRST_OWN, COPY_FROM, COPY_TO, COPY_BYTES };

static tacho_status take_copy(rocpd_reader *reader, recording *of, const table_stream *stream)
{
    const tacho_sqlite_scan *row = &stream->scan;
    gpu_part_span span = {.start = stream->start, .end = stream->end};
    uint32_t direction = 0;
    rocm_agent agent;
    TACHO_TRY(find_string(reader, of,
                          (row_key){LOOKUP_STRING, tacho_sqlite_int_or(row, COPY_NAME, -1)}, "",
                          &direction));
    rocm_way way = rocm_way_of(tacho_dict_string(reader->rocm.gpu.dict, direction));
    bool is_from = way == ROCM_WAY_DEVICE_TO_HOST;
    TACHO_TRY(find_launch(of, row, &span.launch));
    TACHO_TRY(
        find_agent_facts(of, tacho_sqlite_int_or(row, is_from ? COPY_FROM : COPY_TO, -1), &agent));
    gpu_part_add_number(&reader->rocm.gpu, reader->rocm.words[ROCM_BYTES], TACHO_UNIT_BYTES,
                        tacho_sqlite_int_or(row, COPY_BYTES, 0));
    return rocm_push_copy(&reader->rocm, &agent, way, &span);
}

enum { ALLOCATION_TYPE = FIRST_OWN, ALLOCATION_BYTES, ALLOCATION_ADDRESS, ALLOCATION_AGENT };

static tacho_status take_allocation(rocpd_reader *reader, recording *of, const table_stream *stream)
{
    const tacho_sqlite_scan *row = &stream->scan;
    rocm_agent agent;
    tacho_str type = TACHO_STR("");
    tacho_sqlite_text(row, ALLOCATION_TYPE, &type);
    rocm_allocation allocation = {
        .time = stream->start,
        .address = (uint64_t)tacho_sqlite_int_or(row, ALLOCATION_ADDRESS, 0),
        .bytes = (uint64_t)tacho_sqlite_int_or(row, ALLOCATION_BYTES, 0),
        .is_free = tacho_str_equal(type, TACHO_STR("FREE")),
    };
    TACHO_TRY(find_agent_facts(of, tacho_sqlite_int_or(row, ALLOCATION_AGENT, -1), &agent));
    return rocm_push_allocation(&reader->rocm, &agent, &allocation);
}

/* The value of "message" in |json|; escapes other than those of quotes and slashes are kept. */
static tacho_str find_message(tacho_str json, char room[MESSAGE_BYTES])
{
    const tacho_str key = TACHO_STR("\"message\"");
    size_t at = 0;
    while (at + key.len < json.len && !tacho_str_starts_with(tacho_str_from(json, at), key)) {
        at++;
    }
    tacho_str rest = tacho_str_from(json, at + key.len < json.len ? at + key.len : json.len);
    size_t i = tacho_str_find_byte(rest, '"') + 1;
    size_t len = 0;
    while (i < rest.len && rest.data[i] != '"' && len < MESSAGE_BYTES) {
        bool is_escape =
            rest.data[i] == '\\' && i + 1 < rest.len && strchr("\"\\/", rest.data[i + 1]) != NULL;
        i += is_escape ? 1 : 0;
        room[len++] = rest.data[i++];
    }
    return tacho_str_make(room, len);
}

enum { REGION_NAME = FIRST_OWN };

/* The name and category of a call: of a marker, the text that the program gives it. */
static tacho_status find_region_name(rocpd_reader *reader, recording *of,
                                     const tacho_sqlite_scan *row, gpu_part_span *span)
{
    const tacho_sqlite_scan *event = NULL;
    char message[MESSAGE_BYTES];
    tacho_str json = TACHO_STR("");
    uint32_t domain = 0;
    TACHO_TRY(find_string(reader, of,
                          (row_key){LOOKUP_STRING, tacho_sqlite_int_or(row, REGION_NAME, -1)},
                          "call", &span->name));
    TACHO_TRY(find_row(of, LOOKUP_EVENT, tacho_sqlite_int_or(row, EVENT, -1), &event));
    if (event == NULL) {
        span->category = reader->rocm.words[ROCM_OTHER];
        return TACHO_OK;
    }
    lookup table = of->has_times ? LOOKUP_CATEGORY : LOOKUP_STRING;
    TACHO_TRY(
        find_string(reader, of, (row_key){table, tacho_sqlite_int_or(event, 0, -1)}, "", &domain));
    rocm_word word = rocm_word_of_domain(tacho_dict_string(reader->rocm.gpu.dict, domain));
    span->category = reader->rocm.words[word];
    if (word == ROCM_MARKER && tacho_sqlite_text(event, 2, &json)) {
        tacho_str text = find_message(json, message);
        if (text.len > 0) {
            return tacho_dict_ensure_string(reader->rocm.gpu.dict, text, &span->name);
        }
    }
    return TACHO_OK;
}

/* Sets the name, the category and the launch of a call. */
static tacho_status describe_region(rocpd_reader *reader, recording *of,
                                    const tacho_sqlite_scan *row, gpu_part_span *span)
{
    TACHO_TRY(find_region_name(reader, of, row, span));
    bool is_hip = span->category == reader->rocm.words[ROCM_HIP];
    if (is_hip && rocm_is_launch(tacho_dict_string(reader->rocm.gpu.dict, span->name))) {
        TACHO_TRY(find_launch(of, row, &span->launch));
        span->launch.is_call = true;
    }
    return TACHO_OK;
}

static tacho_status take_region(rocpd_reader *reader, recording *of, const table_stream *stream)
{
    const tacho_sqlite_scan *row = &stream->scan;
    gpu_part_span span = {.start = stream->start, .end = stream->end};
    row_place place;
    TACHO_TRY(find_place(of, row, 0, &place));
    TACHO_TRY(describe_region(reader, of, row, &span));
    TACHO_TRY(find_thread_track(reader, of, &place, &span.track));
    bool is_instant = span.category == reader->rocm.words[ROCM_MARKER] && span.start == span.end;
    span.flags = is_instant ? TACHO_SPAN_INSTANT : 0;
    return gpu_part_push(&reader->rocm.gpu, &span);
}

typedef struct event_table {
    const char *name;
    const char *columns[TACHO_SQLITE_COLUMNS_MAX];
    tacho_status (*take)(rocpd_reader *reader, recording *of, const table_stream *stream);
} event_table;

/* The first are calls. */
static const event_table event_tables[] = {
    {"rocpd_region", {TIME_COLUMNS, "name_id"}, take_region},
    {"rocpd_kernel_dispatch",
     {TIME_COLUMNS, "agent_id", "queue_id", "stream_id", "kernel_id", "workgroup_size_x",
      "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z",
      "private_segment_size", "group_segment_size"},
     take_dispatch},
    {"rocpd_memory_copy",
     {TIME_COLUMNS, "name_id", "src_agent_id", "dst_agent_id", "size"},
     take_copy},
    {"rocpd_memory_allocate",
     {TIME_COLUMNS, "type", "size", "address", "agent_id"},
     take_allocation},
};

static tacho_status take_row(void *self, const table_stream *stream)
{
    rocpd_reader *reader = self;
    const event_table *table = stream->kind;
    const size_t *place = stream->context;
    return table->take(reader, &reader->recordings[*place], stream);
}

/* A table_sweep.times: of schema 4 by look-up. */
static tacho_status find_times(void *self, table_stream *stream, bool *out_has)
{
    rocpd_reader *reader = self;
    const size_t *place = stream->context;
    recording *of = &reader->recordings[*place];
    const tacho_sqlite_scan *row = &stream->scan;
    if (!of->has_times) {
        *out_has = tacho_sqlite_int(row, START, &stream->start) &&
                   tacho_sqlite_int(row, END, &stream->end);
        return TACHO_OK;
    }
    TACHO_TRY(find_time(of, tacho_sqlite_int_or(row, START_ID, -1), &stream->start, out_has));
    return *out_has ? find_time(of, tacho_sqlite_int_or(row, END_ID, -1), &stream->end, out_has)
                    : TACHO_OK;
}

/* ---- recordings ----------------------------------------------------------------------------- */

static tacho_str table_of(const recording *of, const char *name, char room[TABLE_NAME_BYTES])
{
    int len = snprintf(room, TABLE_NAME_BYTES, "%s%.*s", name,
                       of->suffix.len < 256 ? (int)of->suffix.len : 256, of->suffix.data);
    return tacho_str_make(room, len > 0 ? (size_t)len : 0);
}

/* Finds the first of the counters of each event; the others follow it. */
static tacho_status find_values(rocpd_reader *reader, recording *of)
{
    static const char *const columns[] = {"event_id"};
    char room[TABLE_NAME_BYTES];
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(reader->file, table_of(of, lookups[LOOKUP_VALUE].table, room),
                                 columns, 1, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        uint64_t event = (uint64_t)tacho_sqlite_int_or(&scan, 0, -1);
        if (tacho_number_map_find(&of->values, event) == NULL) {
            status = tacho_number_map_set(&of->values, event, (uint64_t)scan.row_id);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

static tacho_status open_recording(rocpd_reader *reader, tacho_str suffix)
{
    char room[TABLE_NAME_BYTES];
    TACHO_TRY(
        tacho_grow(&reader->recordings, &reader->recording_capacity, reader->recording_count + 1));
    recording *of = &reader->recordings[reader->recording_count];
    *of = (recording){.suffix = suffix, .number = reader->recording_count++};
    of->has_times = tacho_sqlite_has_table(reader->file, table_of(of, "rocpd_timestamp", room));
    for (size_t i = 0; i < LOOKUP_COUNT; i++) {
        size_t count = 0;
        while (count < 8 && lookups[i].columns[count] != NULL) {
            count++;
        }
        TACHO_TRY(tacho_sqlite_begin_seek(reader->file, table_of(of, lookups[i].table, room),
                                          lookups[i].columns, count, &of->scans[i]));
    }
    return find_values(reader, of);
}

static const tacho_str metadata_table = TACHO_STR_INIT("rocpd_metadata");

static tacho_status open_recordings(rocpd_reader *reader)
{
    for (size_t i = 0; i < tacho_sqlite_table_count(reader->file); i++) {
        tacho_str name = tacho_sqlite_table(reader->file, i);
        if (tacho_str_starts_with(name, metadata_table) &&
            reader->recording_count < RECORDINGS_MAX) {
            TACHO_TRY(open_recording(reader, tacho_str_from(name, metadata_table.len)));
        }
    }
    return TACHO_OK;
}

/* Notes the calls that launch work, for arrows. */
static tacho_status note_calls(rocpd_reader *reader, recording *of)
{
    char room[TABLE_NAME_BYTES];
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(reader->file, table_of(of, event_tables[0].name, room),
                                 event_tables[0].columns, REGION_NAME + 1, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        gpu_part_span span = {.start = 0};
        status = describe_region(reader, of, &scan, &span);
        if (status == TACHO_OK && span.launch.is_call) {
            status = gpu_part_note_call(&reader->rocm.gpu, &span.launch);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

/* |places| are numbers of recordings, which stay where they are while tables refer to them. */
static tacho_status read_events(rocpd_reader *reader, size_t *places)
{
    char room[TABLE_NAME_BYTES];
    table_sweep *sweep = &reader->sweep;
    *sweep = (table_sweep){.part = &reader->rocm.gpu,
                           .file = reader->file,
                           .self = reader,
                           .take = take_row,
                           .times = find_times};
    for (size_t i = 0; i < reader->recording_count; i++) {
        places[i] = i;
        TACHO_TRY(note_calls(reader, &reader->recordings[i]));
        for (size_t k = 0; k < sizeof(event_tables) / sizeof(event_tables[0]); k++) {
            table_choice choice = {table_of(&reader->recordings[i], event_tables[k].name, room),
                                   event_tables[k].columns, &event_tables[k], &places[i]};
            TACHO_TRY(table_sweep_add(sweep, &choice));
        }
    }
    return table_sweep_run(sweep);
}

static tacho_status read_file(rocpd_reader *reader, const tacho_reading *reading)
{
    TACHO_TRY(open_recordings(reader));
    if (reader->recording_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not a rocpd database: no table rocpd_metadata",
                          reading->input->name);
    }
    bool is_new = reader->recordings[0].has_times;
    TACHO_TRY(rocm_part_init(&reader->rocm, reading, tacho_source_rocpd.name,
                             is_new ? TACHO_STR("v4") : TACHO_STR("v3")));
    size_t *places = calloc(reader->recording_count, sizeof(*places));
    tacho_status status = places == NULL ? tacho_no_memory() : read_events(reader, places);
    table_sweep_deinit(&reader->sweep);
    free(places);
    TACHO_TRY(status);
    const char *damage = tacho_sqlite_damage(reader->file);
    if (damage != NULL) {
        TACHO_TRY(gpu_part_lose(&reader->rocm.gpu, TACHO_LOSS_CUT_INPUT, 1,
                                tacho_str_from_cstring(damage)));
    }
    return tacho_events_end_part(reading->events, reader->rocm.gpu.part);
}

static void close_reader(rocpd_reader *reader)
{
    for (size_t i = 0; i < reader->recording_count; i++) {
        for (size_t k = 0; k < LOOKUP_COUNT; k++) {
            tacho_sqlite_end(&reader->recordings[i].scans[k]);
        }
        tacho_number_map_deinit(&reader->recordings[i].values);
    }
    free(reader->recordings);
    rocm_part_deinit(&reader->rocm);
    tacho_sqlite_close(reader->file);
    free(reader);
}

static tacho_status rocpd_read(const tacho_reading *reading)
{
    rocpd_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = tacho_sqlite_open(reading->input, &reader->file);
    if (status == TACHO_OK) {
        status = read_file(reader, reading);
    }
    close_reader(reader);
    return status;
}

static tacho_probe_verdict rocpd_probe(tacho_str head)
{
    bool is_it = tacho_sqlite_is_head(head) && tacho_str_contains(head, metadata_table);
    return is_it ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

const tacho_source tacho_source_rocpd = {
    .name = "rocpd",
    .title = "ROCm: rocpd database of rocprofv3 and rocprof-sys",
    .probe = rocpd_probe,
    .read = rocpd_read,
};
