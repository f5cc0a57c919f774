/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are read one after the other, with the zeros of their clocks fixed before the first row.
 * When a part ends, its processes are called after it, since viewers show names of processes alone.
 */
#include "pipeline/fleet_timeline.h"

#include "base/arena.h"
#include "base/grow.h"
#include "base/utf8.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LABEL_BYTES = 300 };

/* A file, and the moment by its own clock that is the zero of all. */
typedef struct aligned_file {
    tacho_intake_input input;
    int64_t zero_ns;
} aligned_file;

typedef struct alignment {
    tacho_events events; /* fixes zeros, then hands on to |next| */
    tacho_events *next;
    const tacho_fleet_job *job;
    aligned_file *files;
    size_t file_count;
    size_t current;
    size_t fixed_count; /* parts whose clocks are fixed */
    size_t first_track; /* of the current file */
    size_t held_count;  /* tracks whose names are held back where they are to change */
    tacho_arena arena;  /* paths and labels */
    tacho_text text;    /* a name */
} alignment;

static alignment *alignment_of(tacho_events *events)
{
    return (alignment *)(void *)events;
}

/* ---- zeros --------------------------------------------------------------------------------- */

static void fix_zeros(alignment *self)
{
    tacho_dict *dict = self->events.dict;
    for (; self->fixed_count < dict->part_count; self->fixed_count++) {
        tacho_clock *clock = &dict->clocks[dict->parts[self->fixed_count].clock];
        clock->zero_ticks = (int64_t)tacho_scale_floor(self->files[self->current].zero_ns,
                                                       clock->ns_denominator, clock->ns_numerator);
        clock->has_fixed_zero = true;
    }
}

/* ---- names --------------------------------------------------------------------------------- */

static bool is_process(const tacho_dict *dict, const tacho_track *track)
{
    return track->track_class == TACHO_TRACK_GROUP &&
           track->parent == dict->parts[track->part].root;
}

/* Names of processes change at the end of their part; sinks wait for that. */
static void hold_names(alignment *self)
{
    tacho_dict *dict = self->events.dict;
    for (; self->held_count < dict->track_count; self->held_count++) {
        tacho_track *track = &dict->tracks[self->held_count];
        track->is_provisional = track->is_provisional || is_process(dict, track);
    }
}

/* "python 4012 [CPU]" of "n03 rank 12" is "n03 rank 12: python 4012 [CPU]". */
static tacho_status name_process(alignment *self, tacho_track *track)
{
    tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_text_put(&self->text, tacho_dict_string(dict, dict->parts[track->part].name)));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(": ")));
    TACHO_TRY(tacho_text_put(&self->text, tacho_dict_string(dict, track->name)));
    return tacho_dict_ensure_string(dict, tacho_text_take(&self->text), &track->name);
}

static tacho_status name_processes(alignment *self, uint32_t part)
{
    tacho_dict *dict = self->events.dict;
    for (size_t i = self->first_track; i < dict->track_count; i++) {
        tacho_track *track = &dict->tracks[i];
        if (track->part == part && is_process(dict, track)) {
            TACHO_TRY(name_process(self, track));
        }
    }
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void prepare(alignment *self)
{
    fix_zeros(self);
    hold_names(self);
}

static tacho_status align_row(tacho_events *events, const tacho_row *row)
{
    alignment *self = alignment_of(events);
    prepare(self);
    return tacho_events_row(self->next, row);
}

static tacho_status align_rows(tacho_events *events, const tacho_row *rows, size_t count)
{
    alignment *self = alignment_of(events);
    prepare(self);
    return tacho_events_rows(self->next, rows, count);
}

static tacho_status align_end(tacho_events *events, uint32_t part)
{
    alignment *self = alignment_of(events);
    prepare(self);
    TACHO_TRY(name_processes(self, part));
    return tacho_events_end_part(self->next, part);
}

static tacho_status produce(void *user, tacho_order_mode mode, tacho_events *events)
{
    static const tacho_events_vtable vtable = {
        .row = align_row, .rows = align_rows, .end_part = align_end};
    alignment *self = user;
    const tacho_intake intake = {.options = *self->job->options};
    self->events = (tacho_events){&vtable, events->dict};
    self->next = events;
    self->fixed_count = 0;
    self->held_count = 0;
    for (self->current = 0; self->current < self->file_count; self->current++) {
        self->first_track = events->dict->track_count;
        TACHO_TRY(tacho_intake_read_input(&intake, &self->files[self->current].input, mode,
                                          &self->events));
    }
    return tacho_events_finish(events);
}

/* ---- files --------------------------------------------------------------------------------- */

static tacho_status keep_text(alignment *self, tacho_str text, const char **out_text)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->arena, text.len + 1, &memory));
    memcpy(memory, text.data, text.len);
    ((char *)memory)[text.len] = '\0';
    *out_text = memory;
    return TACHO_OK;
}

/* |tells_run|: there are several. */
static tacho_status add_file(alignment *self, const tacho_fleet_view *view,
                             const tacho_fleet_file *file, const tacho_fleet_clock *clock,
                             bool tells_run)
{
    aligned_file *made = &self->files[self->file_count++];
    tacho_str none = TACHO_STR("");
    tacho_str host = tacho_utf8_cut(tacho_fleet_view_text(view, file->host), LABEL_BYTES / 3);
    tacho_str run = tells_run ? tacho_fleet_view_text(view, file->run) : none;
    run = tacho_utf8_cut(run, LABEL_BYTES / 3);
    char label[LABEL_BYTES];
    *made = (aligned_file){.input = {.source = self->job->source},
                           .zero_ns = clock->offset_ns - file->clock_offset_ns};
    TACHO_TRY(keep_text(self, tacho_fleet_view_path(view, file), &made->input.path));
    if (file->rank < 0) {
        return TACHO_OK;
    }
    int len =
        snprintf(label, sizeof(label), "%.*s%s%.*s%srank %" PRId64, TACHO_STR_ARG(run),
                 run.len > 0 ? ", " : "", TACHO_STR_ARG(host), host.len > 0 ? " " : "", file->rank);
    return keep_text(self, tacho_str_make(label, (size_t)len), &made->input.name);
}

/* A file of a run that is related to none of the others in it. */
static tacho_status refuse(const tacho_fleet_view *view, const tacho_fleet_file *file)
{
    tacho_str path = tacho_fleet_view_path(view, file);
    const char *reason = file->clock_error_ns >= 0 ? "they do not know the time of day"
                                                   : "it does not know the time of day";
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "%.*s: nothing says how its clock relates to the others: it shares no two "
                      "collectives with them, and %s; leave it out",
                      TACHO_STR_ARG(path), reason);
}

/* Collectives of different runs are never matched, so the time of day has to relate them. */
static tacho_status refuse_run(const tacho_fleet_view *view, const tacho_fleet_file *file,
                               size_t run_count)
{
    tacho_str run = tacho_fleet_view_text(view, file->run);
    run = run.len > 0 ? run : TACHO_STR("unnamed");
    return tacho_fail_hint(
        TACHO_CODE_UNSUPPORTED, TACHO_HINT_RUN,
        "files of %zu runs, and nothing says how their clocks relate: run '%.*s' "
        "does not know the time of day",
        run_count, TACHO_STR_ARG(run));
}

static tacho_status count_runs(const tacho_fleet_view *view, const tacho_fleet_clocks *clocks,
                               size_t *out_count)
{
    bool *marks = NULL;
    *out_count = 0;
    TACHO_TRY(tacho_items_make(&marks, view->fleet->texts.item_count));
    for (size_t i = 0; i < clocks->item_count; i++) {
        const tacho_fleet_file *file = tacho_fleet_view_file(view, clocks->items[i].file);
        if (file != NULL && !marks[file->run]) {
            marks[file->run] = true;
            ++*out_count;
        }
    }
    free(marks);
    return TACHO_OK;
}

/* Whether any file of that run is related to the time of day. */
static bool knows_day(const tacho_fleet_view *view, const tacho_fleet_clocks *clocks, uint32_t run)
{
    for (size_t i = 0; i < clocks->item_count; i++) {
        const tacho_fleet_file *file = tacho_fleet_view_file(view, clocks->items[i].file);
        if (file != NULL && file->run == run && clocks->items[i].has_day) {
            return true;
        }
    }
    return false;
}

/* |clock| as it is to the reference of its run, or of several runs to the time of day. */
static tacho_status relate(const tacho_fleet_view *view, const tacho_fleet_clocks *clocks,
                           size_t run_count, tacho_fleet_clock *clock)
{
    const tacho_fleet_file *file = tacho_fleet_view_file(view, clock->file);
    if (clocks->item_count == 1) {
        return TACHO_OK;
    }
    if (run_count > 1 && !clock->has_day && !knows_day(view, clocks, file->run)) {
        return refuse_run(view, file, run_count);
    }
    if (clock->method == TACHO_FLEET_BY_NOTHING || (run_count > 1 && !clock->has_day)) {
        return refuse(view, file);
    }
    if (run_count > 1) {
        clock->offset_ns -= clock->day_ns;
        clock->error_ns += clock->day_error_ns;
    }
    return TACHO_OK;
}

/* Times of damaged files may be beyond all reason. */
static int64_t add_zeros(int64_t a, int64_t b)
{
    int64_t sum = 0;
    bool is_beyond = __builtin_add_overflow(a, b, &sum) || sum > 2 * TACHO_FLEET_TIME_MAX ||
                     sum < -2 * TACHO_FLEET_TIME_MAX;
    return is_beyond ? 0 : sum;
}

/* Lists the files whose clocks are known; the earliest start of all becomes the zero. */
static tacho_status list_files(alignment *self, tacho_fleet_timeline *timeline,
                               const tacho_fleet_clocks *clocks)
{
    const tacho_fleet_view *view = timeline->view;
    int64_t zero_ns = INT64_MAX;
    int64_t largest_ns[2] = {0, 0}; /* errors */
    size_t run_count = 0;
    TACHO_TRY(count_runs(view, clocks, &run_count));
    TACHO_TRY(tacho_items_make(&self->files, clocks->item_count));
    for (size_t i = 0; i < clocks->item_count; i++) {
        tacho_fleet_clock clock = clocks->items[i];
        const tacho_fleet_file *file = tacho_fleet_view_file(view, clock.file);
        if (file == NULL) {
            continue;
        }
        TACHO_TRY(relate(view, clocks, run_count, &clock));
        TACHO_TRY(add_file(self, view, file, &clock, run_count > 1));
        int64_t start_ns = file->first_ns - clock.offset_ns;
        zero_ns = start_ns < zero_ns ? start_ns : zero_ns;
        bool is_first = clock.error_ns > largest_ns[0];
        largest_ns[1] = is_first ? largest_ns[0] : tacho_most(largest_ns[1], clock.error_ns);
        largest_ns[0] = is_first ? clock.error_ns : largest_ns[0];
        timeline->is_by_day |= run_count > 1 || clock.method == TACHO_FLEET_BY_TIME_OF_DAY;
    }
    for (size_t i = 0; i < self->file_count; i++) {
        self->files[i].zero_ns = add_zeros(self->files[i].zero_ns, zero_ns);
    }
    timeline->file_count = self->file_count;
    timeline->error_ns = self->file_count > 1 ? tacho_cycles_add(largest_ns[0], largest_ns[1]) : 0;
    return TACHO_OK;
}

static int compare_files(const void *left, const void *right)
{
    return strcmp(((const aligned_file *)left)->input.path,
                  ((const aligned_file *)right)->input.path);
}

tacho_status tacho_fleet_timeline_write(tacho_fleet_timeline *timeline, tacho_dict *dict)
{
    tacho_fleet_clocks clocks;
    alignment self = {.job = timeline->job};
    tacho_arena_init(&self.arena);
    tacho_status status = tacho_fleet_clocks_init(&clocks, timeline->view);
    if (status == TACHO_OK) {
        status = list_files(&self, timeline, &clocks);
    }
    if (status == TACHO_OK && self.file_count == 0) {
        status = tacho_fail(TACHO_CODE_BAD_DATA, "no file could be read");
    }
    if (status == TACHO_OK) {
        qsort(self.files, self.file_count, sizeof(*self.files), compare_files);
        const tacho_tracing tracing = {
            .producer = {.produce = produce, .self = &self, .first_mode = TACHO_ORDER_SORT},
            .selection = *timeline->job->selection,
            .sink = timeline->sink,
            .path = timeline->output_path,
        };
        status = tacho_pipeline_write(&tracing, dict);
    }
    tacho_fleet_clocks_deinit(&clocks);
    free(self.files);
    tacho_arena_deinit(&self.arena);
    tacho_text_deinit(&self.text);
    return status;
}
