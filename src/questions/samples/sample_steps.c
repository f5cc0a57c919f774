/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of one name are repetitions of one another: the k-th invocation of each is sample k. A run
 * without a number is not a repetition.
 */
#include "questions/samples/sample_steps.h"

#include "questions/samples/sample_replay.h"
#include "questions/timeline/timeline.h"
#include "base/grow.h"

#include <stdlib.h>

/* ---- runs ---------------------------------------------------------------------------------- */

/* A run's name and number, and its id. */
typedef struct numbered_run {
    uint32_t name, run;
    int64_t invocation;
} numbered_run;

static int compare_runs(const void *left, const void *right)
{
    const numbered_run *a = left;
    const numbered_run *b = right;
    if (a->name != b->name) {
        return a->name < b->name ? -1 : 1;
    }
    return (a->invocation > b->invocation) - (a->invocation < b->invocation);
}

static void number_runs(tacho_sample_steps *steps, numbered_run *runs, size_t count)
{
    uint32_t rank = 0;
    qsort(runs, count, sizeof(*runs), compare_runs);
    for (size_t i = 0; i < count; i++) {
        bool is_first = i == 0 || runs[i].name != runs[i - 1].name;
        bool is_same = !is_first && runs[i].invocation == runs[i - 1].invocation;
        rank = is_first ? 0 : rank + (is_same ? 0 : 1);
        steps->of_run[runs[i].run] = rank;
        if (rank + 1 > steps->sample_count) {
            steps->sample_count = rank + 1;
        }
    }
}

/* Computes the first start and the last end of each sample of runs. */
static tacho_status time_runs(const tacho_sample_steps *steps, tacho_step_span *times)
{
    const tacho_profile *profile = steps->profile;
    bool *is_used = NULL;
    TACHO_TRY(tacho_items_make(&is_used, steps->sample_count));
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        bool is_timed = span.run != TACHO_NONE && (span.flags & TACHO_SPAN_INSTANT) == 0 &&
                        profile->events.dict->runs[span.run].invocation >= 0;
        if (is_timed) {
            const tacho_clock *clock = tacho_dict_track_clock(profile->events.dict, span.track);
            uint32_t sample = steps->of_run[span.run];
            tacho_step_span *time = &times[sample];
            int64_t start_ns = tacho_clock_ns(clock, span.start);
            int64_t end_ns = tacho_clock_ns(clock, span.end);
            bool is_first = !is_used[sample];
            time->start_ns = is_first || start_ns < time->start_ns ? start_ns : time->start_ns;
            time->end_ns = is_first ? end_ns : tacho_most(time->end_ns, end_ns);
            is_used[sample] = true;
        }
    }
    free(is_used);
    return TACHO_OK;
}

/* Runs of one name are steps, of which the first may be warm-up: these do not become samples. */
static tacho_status leave_out_runs(tacho_sample_steps *steps)
{
    tacho_step_span *times = NULL;
    size_t run_count = steps->profile->events.dict->run_count;
    TACHO_TRY(tacho_items_make(&times, steps->sample_count));
    tacho_status status = time_runs(steps, times);
    if (status == TACHO_OK) {
        status = tacho_steps_mark_warm_up(times, steps->sample_count, &steps->left_out_count);
    }
    for (size_t i = 0; i < run_count && status == TACHO_OK; i++) {
        bool is_left_out = steps->of_run[i] < steps->left_out_count;
        steps->of_run[i] =
            is_left_out ? TACHO_NONE : steps->of_run[i] - (uint32_t)steps->left_out_count;
    }
    steps->sample_count -= (uint32_t)steps->left_out_count;
    free(times);
    return status;
}

static tacho_status find_runs(tacho_sample_steps *steps)
{
    const tacho_dict *dict = steps->profile->events.dict;
    numbered_run *runs = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_items_make(&steps->of_run, dict->run_count));
    TACHO_TRY(tacho_items_make(&runs, dict->run_count));
    for (size_t i = 0; i < dict->run_count; i++) {
        steps->of_run[i] = 0;
        if (dict->runs[i].invocation >= 0) {
            runs[count++] =
                (numbered_run){dict->runs[i].name, (uint32_t)i, dict->runs[i].invocation};
        }
    }
    number_runs(steps, runs, count);
    bool is_one_name = count > 0 && runs[0].name == runs[count - 1].name; /* sorted by name */
    free(runs);
    if (steps->sample_count < 2) {
        return TACHO_OK;
    }
    steps->kind = TACHO_SAMPLES_RUNS;
    return is_one_name ? leave_out_runs(steps) : TACHO_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

static bool is_device_track(const tacho_dict *dict, uint32_t track)
{
    tacho_track_class track_class = dict->tracks[track].track_class;
    return track_class >= TACHO_TRACK_CONTROL && track_class <= TACHO_TRACK_VECTOR;
}

/* The steps of |part| in |timeline|. */
static tacho_status begin_part(void *user, uint32_t part)
{
    tacho_sample_steps *self = user;
    const tacho_steps *found = &self->timeline->steps;
    bool is_host = self->domain == TACHO_SAMPLES_HOST;
    TACHO_TRY(
        tacho_grow(&self->windows, &self->window_capacity, self->window_count + found->item_count));
    for (size_t i = 0; i < found->item_count; i++) {
        const tacho_step_span *step = &found->items[i];
        const tacho_step_window *window = is_host ? NULL : &self->timeline->windows.items[i];
        self->windows[self->window_count++] = (tacho_sample_window){
            .start_ns = is_host ? step->start_ns : window->start_ns,
            .end_ns = is_host ? step->end_ns : window->end_ns,
            .mark_start_ns = step->start_ns,
            .mark_end_ns = step->end_ns,
            .number = step->number,
            .part = part,
            .is_left_out = !tacho_step_is_steady(step),
        };
    }
    for (size_t i = part; i < self->profile->events.dict->part_count; i++) {
        self->parts[i + 1] = self->window_count;
    }
    return TACHO_OK;
}

static uint32_t window_at(const tacho_sample_steps *steps, uint32_t part, int64_t ns, bool is_mark)
{
    size_t low = steps->parts[part];
    size_t first = low;
    size_t high = steps->parts[part + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const tacho_sample_window *window = &steps->windows[middle];
        bool is_before = (is_mark ? window->mark_start_ns : window->start_ns) <= ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    const tacho_sample_window *window = low > first ? &steps->windows[low - 1] : NULL;
    return window != NULL && ns < (is_mark ? window->mark_end_ns : window->end_ns)
               ? (uint32_t)(low - 1)
               : TACHO_NONE;
}

static tacho_status take_launch(void *user, uint32_t track, const tacho_launch *launch)
{
    tacho_sample_steps *self = user;
    uint32_t part = self->profile->events.dict->tracks[track].part;
    self->of_spans[self->last_of_tracks[track]] = window_at(self, part, launch->start_ns, true);
    return TACHO_OK;
}

static tacho_status take_work(void *user, const tacho_timeline_work *work, uint32_t *out_tag)
{
    tacho_sample_steps *self = user;
    const tacho_row *row = work->span.row;
    *out_tag = 0;
    self->last_of_tracks[row->track] = row->of.span.run;
    return work->has_launch ? take_launch(self, row->track, &work->launch) : TACHO_OK;
}

static tacho_status go_through(tacho_sample_steps *steps)
{
    bool is_host = steps->domain == TACHO_SAMPLES_HOST;
    const tacho_timeline_taker taker = {.self = steps,
                                        .needs_steps = true,
                                        .needs_windows = !is_host,
                                        .work = take_work,
                                        .launch = take_launch,
                                        .begin_part = begin_part,
                                        .has_own_runs = true};
    tacho_timeline timeline;
    tacho_timeline_init(&timeline, steps->profile->events.dict, &taker);
    steps->timeline = &timeline;
    tacho_status status = tacho_sample_replay(steps->profile, NULL, &timeline.events);
    steps->timeline = NULL;
    tacho_timeline_deinit(&timeline);
    return status;
}

/* Whether some part has several steps: most compared profiles have none. */
static tacho_status have_steps(const tacho_profile *profile, bool *out_have)
{
    tacho_steps found;
    tacho_status status = TACHO_OK;
    *out_have = false;
    tacho_steps_init(&found, profile->events.dict);
    for (size_t i = 0; i < profile->span_count && status == TACHO_OK; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        tacho_row row = {.kind = TACHO_ROW_SPAN, .track = span.track, .start = span.start};
        row.of.span.site = span.site;
        row.of.span.end = span.end;
        row.of.span.run = TACHO_NONE;
        row.of.span.flags = span.flags;
        status = tacho_steps_add(&found, &row);
    }
    for (uint32_t i = 0; i < profile->events.dict->part_count && status == TACHO_OK; i++) {
        status = tacho_steps_find(&found, i);
        *out_have = *out_have || found.item_count > 1;
    }
    tacho_steps_deinit(&found);
    return status;
}

static int compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/* Samples are the numbers of steps, in order; a step that one part leaves out is left out in
 * all. */
static tacho_status number_steps(tacho_sample_steps *steps)
{
    int64_t *numbers = NULL;
    bool *is_left_out = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_items_make(&numbers, steps->window_count));
    for (size_t i = 0; i < steps->window_count; i++) {
        numbers[i] = steps->windows[i].number;
    }
    qsort(numbers, steps->window_count, sizeof(*numbers), compare_numbers);
    for (size_t i = 0; i < steps->window_count; i++) {
        count += i == 0 || numbers[i] != numbers[count - 1] ? 1 : 0;
        numbers[count - 1] = numbers[i];
    }
    tacho_status status = tacho_items_make(&is_left_out, count);
    for (size_t i = 0; i < steps->window_count && status == TACHO_OK; i++) {
        tacho_sample_window *window = &steps->windows[i];
        const int64_t *at =
            bsearch(&window->number, numbers, count, sizeof(*numbers), compare_numbers);
        window->sample = (uint32_t)(at - numbers);
        is_left_out[window->sample] |= window->is_left_out;
    }
    for (size_t i = 0; i < steps->window_count && status == TACHO_OK; i++) {
        tacho_sample_window *window = &steps->windows[i];
        window->sample = is_left_out[window->sample] ? TACHO_NONE : window->sample;
    }
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        steps->left_out_count += is_left_out[i] ? 1 : 0;
    }
    steps->sample_count = (uint32_t)count;
    free(is_left_out);
    free(numbers);
    return status;
}

static tacho_status find_steps(tacho_sample_steps *steps)
{
    const tacho_profile *profile = steps->profile;
    bool has_steps = false;
    TACHO_TRY(have_steps(profile, &has_steps));
    if (!has_steps) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&steps->parts, profile->events.dict->part_count + 1));
    TACHO_TRY(tacho_items_make(&steps->of_spans, profile->span_count));
    TACHO_TRY(tacho_items_make(&steps->last_of_tracks, profile->events.dict->track_count));
    for (size_t i = 0; i < profile->span_count; i++) {
        steps->of_spans[i] = TACHO_SAMPLE_BY_TIME;
    }
    TACHO_TRY(go_through(steps));
    TACHO_TRY(number_steps(steps));
    steps->kind = TACHO_SAMPLES_STEPS;
    return TACHO_OK;
}

/* ---- the interface ------------------------------------------------------------------------- */

tacho_status tacho_sample_steps_init(tacho_sample_steps *steps, const tacho_profile *profile,
                                     tacho_samples_domain domain)
{
    *steps = (tacho_sample_steps){.profile = profile, .domain = domain, .sample_count = 1};
    TACHO_TRY(find_runs(steps));
    return steps->kind == TACHO_SAMPLES_RUNS ? TACHO_OK : find_steps(steps);
}

void tacho_sample_steps_deinit(tacho_sample_steps *steps)
{
    free(steps->of_run);
    free(steps->windows);
    free(steps->parts);
    free(steps->of_spans);
    free(steps->last_of_tracks);
    *steps = (tacho_sample_steps){.profile = NULL};
}

uint32_t tacho_sample_steps_window(const tacho_sample_steps *steps, size_t id,
                                   const tacho_span *span)
{
    const tacho_dict *dict = steps->profile->events.dict;
    if (steps->of_spans[id] != TACHO_SAMPLE_BY_TIME) {
        return steps->of_spans[id];
    }
    int64_t ns = tacho_clock_ns(tacho_dict_track_clock(dict, span->track), span->start);
    return window_at(steps, dict->tracks[span->track].part, ns,
                     !is_device_track(dict, span->track));
}

uint32_t tacho_sample_steps_find(const tacho_sample_steps *steps, size_t id, const tacho_span *span)
{
    if (steps->kind == TACHO_SAMPLES_RUNS) {
        return span->run != TACHO_NONE ? steps->of_run[span->run] : TACHO_NONE;
    }
    if (steps->kind == TACHO_SAMPLES_FILES) {
        return 0;
    }
    uint32_t window = tacho_sample_steps_window(steps, id, span);
    return window != TACHO_NONE ? steps->windows[window].sample : TACHO_NONE;
}

size_t tacho_sample_steps_after(const tacho_sample_steps *steps, uint32_t part, int64_t ns)
{
    size_t low = steps->parts[part];
    size_t high = steps->parts[part + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_over = steps->windows[middle].end_ns <= ns;
        low = is_over ? middle + 1 : low;
        high = is_over ? high : middle;
    }
    return low;
}
