/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of times: devices, streams and engines, idle time by cause; and notes on missing
 * information.
 */
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_average.h"
#include "questions/breakdown/breakdown_facts.h"

#include <stdio.h>
#include <stdlib.h>

enum { PERCENT = 100 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define KIND(name) (1U << TACHO_WORK_##name)
#define ALL_KINDS (KIND(COMPUTE) | KIND(COMMUNICATION) | KIND(COPY))

#define TIME_COLUMNS                                                                               \
    TACHO_COLUMN(SPAN_NS, "span", DURATION), TACHO_COLUMN(BUSY_NS, "busy", DURATION),              \
        TACHO_COLUMN(BUSY_PERCENT, "busy %", PERCENT),                                             \
        TACHO_COLUMN(COMPUTE_NS, "compute", DURATION),                                             \
        TACHO_COLUMN(COMMUNICATION_NS, "communication", DURATION),                                 \
        TACHO_COLUMN(EXPOSED_COMMUNICATION_NS, "exposed", DURATION),                               \
        TACHO_COLUMN(COPY_NS, "copy", DURATION),                                                   \
        TACHO_COLUMN(EXPOSED_COPY_NS, "exposed copy", DURATION),                                   \
        TACHO_COLUMN(IDLE_NS, "idle", DURATION), TACHO_COLUMN(IDLE_PERCENT, "idle %", PERCENT)

static const tacho_column device_columns[] = {TACHO_BREAKDOWN_WHO, TIME_COLUMNS};

static const tacho_column stream_columns[] = {
    TACHO_BREAKDOWN_WHO, TACHO_COLUMN(STREAM, "stream", TEXT), TACHO_COLUMN(CLASS, "class", TEXT),
    TACHO_COLUMN(COUNT, "count", INT), TIME_COLUMNS};

#define CAUSE_COLUMNS                                                                              \
    TACHO_COLUMN(HOST_LATE_NS, "host late", DURATION),                                             \
        TACHO_COLUMN(DEPENDENCY_NS, "dependency", DURATION),                                       \
        TACHO_COLUMN(QUEUE_EMPTY_NS, "queue empty", DURATION),                                     \
        TACHO_COLUMN(QUEUED_NS, "queued", DURATION), TACHO_COLUMN(UNKNOWN_NS, "unknown", DURATION)

static const tacho_column steady_columns[] = {
    TACHO_BREAKDOWN_WHO, TACHO_COLUMN(STEP_COUNT, "steps", INT),
    TACHO_COLUMN(PERIOD, "period", TEXT), TIME_COLUMNS, CAUSE_COLUMNS};

static const tacho_column idle_columns[] = {
    TACHO_BREAKDOWN_WHO,
    TACHO_COLUMN(STREAM, "stream", TEXT),
    TACHO_COLUMN(IDLE_NS, "idle", DURATION),
    CAUSE_COLUMNS,
    TACHO_COLUMN(GAP_COUNT, "gaps", INT),
    TACHO_COLUMN(LONGEST_NS, "longest", DURATION),
};

static const tacho_column note_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(NOTE, "note", TEXT),
};

tacho_status tacho_breakdown_add_who(const tacho_breakdown_gather *gather,
                                     const tacho_breakdown_device *device, tacho_table *table)
{
    uint32_t name = gather->events.dict->parts[device->part].name;
    return tacho_breakdown_add_named(gather, device, name, table);
}

tacho_status tacho_breakdown_add_named(const tacho_breakdown_gather *gather,
                                       const tacho_breakdown_device *device, uint32_t called,
                                       tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_part *part = &dict->parts[device->part];
    const char *origin = tacho_origin_name(device->origin);
    int64_t rank = tacho_breakdown_rank(gather, device->part);
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, called)));
    TACHO_TRY(rank >= 0 ? tacho_table_add_int(table, rank) : tacho_table_add_absent(table));
    if (device->group == part->root) {
        TACHO_TRY(tacho_table_add_absent(table));
    } else {
        uint32_t name = tacho_dict_track_name(dict, device->group);
        TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, name)));
    }
    return tacho_table_add_text(table, tacho_str_from_cstring(origin));
}

static tacho_status add_percent(tacho_table *table, int64_t part, int64_t whole)
{
    return whole > 0 ? tacho_table_add_real(table, PERCENT * (double)part / (double)whole)
                     : tacho_table_add_absent(table);
}

/* The cells of TIME_COLUMNS. */
static tacho_status add_times(const tacho_kind_time *time, int64_t span_ns, tacho_table *table)
{
    int64_t busy_ns = tacho_kind_time_sum(time, ALL_KINDS, 0);
    int64_t idle_ns = span_ns - busy_ns;
    TACHO_TRY(tacho_table_add_int(table, span_ns));
    TACHO_TRY(tacho_table_add_int(table, busy_ns));
    TACHO_TRY(add_percent(table, busy_ns, span_ns));
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COMPUTE), 0)));
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COMMUNICATION), 0)));
    TACHO_TRY(
        tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COMMUNICATION), KIND(COMPUTE))));
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COPY), 0)));
    TACHO_TRY(tacho_table_add_int(
        table, tacho_kind_time_sum(time, KIND(COPY), KIND(COMPUTE) | KIND(COMMUNICATION))));
    TACHO_TRY(tacho_table_add_int(table, idle_ns));
    return add_percent(table, idle_ns, span_ns);
}

static const tacho_column_id kept_times[] = {TACHO_COL_RANK,
                                             TACHO_COL_DEVICE,
                                             TACHO_COL_STREAM,
                                             TACHO_COL_BUSY_PERCENT,
                                             TACHO_COL_COMPUTE_NS,
                                             TACHO_COL_IDLE_PERCENT,
                                             TACHO_COL_COMMUNICATION_NS,
                                             TACHO_COL_COPY_NS,
                                             TACHO_COL_SPAN_NS,
                                             TACHO_COL_EXPOSED_COMMUNICATION_NS,
                                             TACHO_COL_FILE,
                                             TACHO_COL_OTHER};

static tacho_status add_device_times(const tacho_breakdown_gather *gather,
                                     const tacho_breakdown_subject *subject, tacho_table *table)
{
    const tacho_average_time time = tacho_breakdown_average(gather, subject);
    TACHO_TRY(tacho_breakdown_add_subject(gather, subject, table));
    return add_times(&time.busy, time.span_ns, table);
}

tacho_status tacho_breakdown_devices_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table)
{
    tacho_table_init(out_table, "devices", "Devices, from first to last work", device_columns,
                     COUNT_OF(device_columns));
    out_table->kept = kept_times;
    return tacho_breakdown_each_subject(gather, add_device_times, out_table);
}

static tacho_status add_stream_row(const tacho_breakdown_gather *gather,
                                   const tacho_breakdown_subject *subject,
                                   const tacho_subject_stream *stream, tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_average_time time = tacho_breakdown_average_stream(gather, subject, stream);
    const char *name = tacho_track_class_name(dict->tracks[stream->track].track_class);
    TACHO_TRY(tacho_breakdown_add_subject(gather, subject, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, stream->name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)time.work_count));
    return add_times(&time.busy, time.span_ns, table);
}

static tacho_status add_stream_times(const tacho_breakdown_gather *gather,
                                     const tacho_breakdown_subject *subject, tacho_table *table)
{
    tacho_subject_stream *streams = NULL;
    size_t count = 0;
    tacho_status status = tacho_breakdown_subject_streams(gather, subject, &streams, &count);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add_stream_row(gather, subject, &streams[i], table);
    }
    free(streams);
    return status;
}

tacho_status tacho_breakdown_streams_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table)
{
    tacho_table_init(out_table, "streams", "Streams and engines", stream_columns,
                     COUNT_OF(stream_columns));
    out_table->kept = kept_times;
    return tacho_breakdown_each_subject(gather, add_stream_times, out_table);
}

/* ---- idle time ----------------------------------------------------------------------------- */

/* The cells of CAUSE_COLUMNS. */
static tacho_status add_causes(const tacho_idle_time *idle, tacho_table *table)
{
    for (unsigned i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        TACHO_TRY(tacho_table_add_int(table, idle->causes[i]));
    }
    return TACHO_OK;
}

static tacho_status add_idle(const tacho_idle_time *idle, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_int(table, tacho_idle_time_sum(idle)));
    TACHO_TRY(add_causes(idle, table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)idle->gap_count));
    return tacho_table_add_int(table, idle->longest_ns);
}

static tacho_status add_stream_idle(const tacho_breakdown_gather *gather,
                                    const tacho_breakdown_subject *subject,
                                    const tacho_subject_stream *stream, tacho_table *table)
{
    const tacho_average_time time = tacho_breakdown_average_stream(gather, subject, stream);
    TACHO_TRY(tacho_breakdown_add_subject(gather, subject, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(gather->events.dict, stream->name)));
    return add_idle(&time.idle, table);
}

static tacho_status add_device_idle(const tacho_breakdown_gather *gather,
                                    const tacho_breakdown_subject *subject, tacho_table *table)
{
    const tacho_average_time time = tacho_breakdown_average(gather, subject);
    tacho_subject_stream *streams = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_breakdown_add_subject(gather, subject, table));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(add_idle(&time.idle, table));
    tacho_status status = tacho_breakdown_subject_streams(gather, subject, &streams, &count);
    for (size_t i = 0; i < count && count > 1 && status == TACHO_OK; i++) {
        status = add_stream_idle(gather, subject, &streams[i], table);
    }
    free(streams);
    return status;
}

tacho_status tacho_breakdown_idle_table(const tacho_breakdown_gather *gather,
                                        tacho_table *out_table)
{
    static const tacho_column_id kept[] = {
        TACHO_COL_RANK,           TACHO_COL_DEVICE,       TACHO_COL_STREAM,
        TACHO_COL_IDLE_NS,        TACHO_COL_HOST_LATE_NS, TACHO_COL_DEPENDENCY_NS,
        TACHO_COL_QUEUE_EMPTY_NS, TACHO_COL_QUEUED_NS,    TACHO_COL_UNKNOWN_NS,
        TACHO_COL_FILE,           TACHO_COL_OTHER};
    tacho_table_init(out_table, "idle", "Idle time by cause", idle_columns, COUNT_OF(idle_columns));
    out_table->kept = kept;
    return tacho_breakdown_each_subject(gather, add_device_idle, out_table);
}

/* Sums over the steps of a part, or over inferences: their number times the average. */
static tacho_status add_steady(const tacho_breakdown_gather *gather,
                               const tacho_breakdown_subject *subject, tacho_table *table)
{
    const tacho_breakdown_device *device = &gather->devices[subject->first];
    const tacho_part_steps *steps = tacho_breakdown_steady(gather, device);
    int64_t count = (int64_t)(subject->count - subject->warm_up_count);
    if (steps == NULL && subject->count == 1) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_breakdown_add_subject(gather, subject, table));
    if (steps != NULL) {
        count = (int64_t)tacho_part_steps_steady_count(steps);
        TACHO_TRY(tacho_table_add_int(table, count));
        TACHO_TRY(tacho_table_add_text(table, TACHO_STR(TACHO_PERIOD_STEP)));
        TACHO_TRY(add_times(&device->steps.busy, steps->steady_ns, table));
        return add_causes(&device->steps.idle, table);
    }
    tacho_average_time time = tacho_breakdown_average(gather, subject);
    for (size_t i = 0; i < TACHO_WORK_COMBINATIONS; i++) {
        time.busy.sums[i] *= count;
    }
    for (size_t i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        time.idle.causes[i] *= count;
    }
    TACHO_TRY(tacho_table_add_int(table, count));
    TACHO_TRY(tacho_table_add_text(table, TACHO_STR(TACHO_PERIOD_INFERENCE)));
    TACHO_TRY(add_times(&time.busy, time.span_ns * count, table));
    return add_causes(&time.idle, table);
}

tacho_status tacho_breakdown_steady_table(const tacho_breakdown_gather *gather,
                                          tacho_table *out_table)
{
    tacho_table_init(out_table, "steady", "Devices in steps", steady_columns,
                     COUNT_OF(steady_columns));
    return tacho_breakdown_each_subject(gather, add_steady, out_table);
}

/* ---- notes --------------------------------------------------------------------------------- */

/* |part|: the first of several if they are inferences. */
static tacho_status add_note(const tacho_breakdown_gather *gather, uint32_t part, const char *note,
                             tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    bool is_alone = tacho_breakdown_inferences_end(gather, part) == part + 1;
    uint32_t name = is_alone ? dict->parts[part].name : gather->steps[part].run_name;
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, name)));
    return tacho_table_add_text(table, tacho_str_from_cstring(note));
}

/* Whether another part of the same file has work of a device. */
static bool has_device_beside(const tacho_breakdown_gather *gather, uint32_t part)
{
    const tacho_dict *dict = gather->events.dict;
    for (size_t i = 0; i < gather->device_count; i++) {
        if (dict->parts[gather->devices[i].part].path == dict->parts[part].path) {
            return true;
        }
    }
    return false;
}

/* Whether some work of |part| was measured: models of one inference have no steps. */
static bool is_measured(const tacho_breakdown_gather *gather, uint32_t part)
{
    for (size_t i = 0; i < gather->device_count; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        if (device->part == part && device->origin == TACHO_ORIGIN_MEASURED) {
            return true;
        }
    }
    return false;
}

/* Adds notes on missing or partial information about steps. */
static tacho_status add_step_notes(const tacho_breakdown_gather *gather, uint32_t part,
                                   tacho_table *table)
{
    const tacho_part_steps *steps = &gather->steps[part];
    if (steps->item_count == 0 && (steps->is_one_run || !is_measured(gather, part))) {
        return TACHO_OK;
    }
    if (steps->item_count == 0) {
        return add_note(gather, part,
                        steps->is_full
                            ? "too many ranges to look for steps; percentages are of the whole span"
                            : "no steps found; percentages are of the whole span",
                        table);
    }
    if (steps->has_overlap) {
        return add_note(gather, part, "steps overlap: the verdict is about the whole span", table);
    }
    if (steps->stop_count > 0) {
        TACHO_TRY(add_note(gather, part,
                           "the last step is left out: the profiler's stop falls into it", table));
    }
    for (size_t i = 0; i < gather->device_count; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        if (device->part == part && tacho_breakdown_steady(gather, device) == NULL) {
            TACHO_TRY(add_note(gather, part,
                               "more than a tenth of the work is outside of steps: the verdict is "
                               "about the whole span",
                               table));
            break;
        }
    }
    if (steps->item_count > gather->step_top && gather->step_top > 0) {
        char text[128];
        snprintf(text, sizeof(text), "the %zu longest of %zu steps are listed", gather->step_top,
                 steps->item_count);
        return add_note(gather, part, text, table);
    }
    return TACHO_OK;
}

/* Notes, once for all devices of an inference, that rows are averages. */
static tacho_status add_average_note(const tacho_breakdown_gather *gather,
                                     const tacho_breakdown_subject *subject, tacho_table *table)
{
    uint32_t part = gather->devices[subject->first].part;
    bool is_first = subject->first == 0 || gather->devices[subject->first - 1].part != part;
    if (subject->count == 1 || !is_first) {
        return TACHO_OK;
    }
    char text[160];
    size_t warm_up = subject->warm_up_count;
    int used = snprintf(
        text, sizeof(text),
        "devices, streams, idle time and launches are those of an inference: the average of %zu",
        subject->count - warm_up);
    if (warm_up > 0) {
        snprintf(text + used, sizeof(text) - (size_t)used, "; %zu warm-up inference%s left out",
                 warm_up, warm_up > 1 ? "s" : "");
    }
    return add_note(gather, part, text, table);
}

/* Notes why a device has no verdict. */
static tacho_status add_silence_note(const tacho_breakdown_gather *gather,
                                     const tacho_breakdown_subject *subject, tacho_table *table)
{
    const tacho_breakdown_device *device = &gather->devices[subject->first];
    uint64_t work_count = 0;
    for (size_t i = 0; i < subject->count; i++) {
        const tacho_breakdown_device *of = tacho_breakdown_subject_device(gather, subject, i);
        for (size_t k = 0; k < of->stream_count; k++) {
            work_count += of->time.streams[k].work_count;
        }
    }
    if (work_count >= TACHO_FACTS_LEAST_WORK) {
        return TACHO_OK;
    }
    char text[96];
    snprintf(text, sizeof(text), "%llu pieces of work are too few for a verdict; it takes %d",
             (unsigned long long)work_count, TACHO_FACTS_LEAST_WORK);
    return add_note(gather, device->part,
                    work_count == 1 ? "one piece of work is too little for a verdict" : text,
                    table);
}

/* Adds the notes of the parts from |part| to |end|: inferences of one program, or one part. */
static tacho_status add_part_notes(const tacho_breakdown_gather *gather, uint32_t part,
                                   uint32_t end, tacho_table *table)
{
    uint64_t work_count = 0;
    uint64_t launched_count = 0;
    for (size_t i = 0; i < gather->device_count; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        bool is_its = device->part >= part && device->part < end;
        for (size_t k = 0; k < device->stream_count && is_its; k++) {
            work_count += device->time.streams[k].work_count;
            launched_count += device->streams[k].launches.count;
        }
    }
    if (work_count == 0) {
        return has_device_beside(gather, part)
                   ? TACHO_OK
                   : add_note(gather, part, "no work of a device: nothing to break down", table);
    }
    TACHO_TRY(add_step_notes(gather, part, table));
    if (launched_count == 0) {
        return add_note(gather, part, "no launches: why the device was idle is not known", table);
    }
    if (launched_count < work_count) {
        char text[128];
        snprintf(text, sizeof(text), "%llu of %llu pieces of work have no launch",
                 (unsigned long long)(work_count - launched_count), (unsigned long long)work_count);
        return add_note(gather, part, text, table);
    }
    return TACHO_OK;
}

tacho_status tacho_breakdown_notes_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table)
{
    tacho_table_init(out_table, "notes", "Notes", note_columns, COUNT_OF(note_columns));
    TACHO_TRY(tacho_breakdown_each_subject(gather, add_average_note, out_table));
    TACHO_TRY(tacho_breakdown_each_subject(gather, add_silence_note, out_table));
    uint32_t end = 0;
    for (uint32_t part = 0; part < gather->events.dict->part_count; part = end) {
        end = tacho_breakdown_inferences_end(gather, part);
        TACHO_TRY(add_part_notes(gather, part, end, out_table));
    }
    return TACHO_OK;
}
