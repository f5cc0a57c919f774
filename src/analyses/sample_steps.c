/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of one name are repetitions of one another: the k-th invocation of each is sample k. A run
 * without a number is no repetition.
 */
#include "analyses/sample_steps.h"

#include "base/grow.h"
#include "profile/steps.h"

#include <stdlib.h>

/* ---- runs ---------------------------------------------------------------------------------- */

/* A run's name and number, and which run it is. */
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
    free(runs);
    return TACHO_OK;
}

/* ---- marked steps -------------------------------------------------------------------------- */

static int compare_windows(const void *left, const void *right)
{
    const tacho_step_window *a = left;
    const tacho_step_window *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static bool is_device_track(const tacho_dict *dict, uint32_t track)
{
    tacho_track_class track_class = dict->tracks[track].track_class;
    return track_class >= TACHO_TRACK_CONTROL && track_class <= TACHO_TRACK_VECTOR;
}

static tacho_status add_window(tacho_sample_steps *steps, int64_t start_ns, int64_t end_ns)
{
    TACHO_TRY(tacho_grow(&steps->windows, &steps->window_capacity, steps->window_count + 1));
    steps->windows[steps->window_count++] = (tacho_step_window){start_ns, end_ns};
    return TACHO_OK;
}

static tacho_status add_spans(const tacho_profile *profile, tacho_steps *found)
{
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        tacho_row row = {.kind = TACHO_ROW_SPAN, .track = span.track, .start = span.start};
        row.of.span.site = span.site;
        row.of.span.end = span.end;
        row.of.span.run = TACHO_NONE;
        row.of.span.flags = span.flags;
        TACHO_TRY(tacho_steps_add(found, &row));
    }
    return TACHO_OK;
}

static tacho_status find_windows(tacho_sample_steps *steps, tacho_steps *found)
{
    steps->window_count = 0;
    for (uint32_t part = 0; part < steps->profile->events.dict->part_count; part++) {
        TACHO_TRY(tacho_steps_find(found, part));
        for (size_t i = 0; i < found->item_count; i++) {
            TACHO_TRY(add_window(steps, found->items[i].start_ns, found->items[i].end_ns));
        }
    }
    return TACHO_OK;
}

/* Which sites mark the steps of |part|. */
static tacho_status list_sites(tacho_steps *found, uint32_t part, bool *is_mark)
{
    TACHO_TRY(tacho_steps_find(found, part));
    for (uint32_t i = 0; i < found->dict->site_count; i++) {
        is_mark[i] = tacho_steps_is_mark(found, i);
    }
    return TACHO_OK;
}

/* The same of steps as devices mark them, around what was launched in each. */
static tacho_status find_on_devices(tacho_sample_steps *steps, tacho_steps *found, bool *is_mark)
{
    const tacho_profile *profile = steps->profile;
    const tacho_dict *dict = profile->events.dict;
    uint32_t part = TACHO_NONE;
    steps->window_count = 0;
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        uint32_t own = dict->tracks[span.track].part;
        TACHO_TRY(own != part ? list_sites(found, own, is_mark) : TACHO_OK);
        part = own;
        if (is_mark[span.site] && is_device_track(dict, span.track)) {
            const tacho_clock *clock = tacho_dict_track_clock(dict, span.track);
            TACHO_TRY(add_window(steps, tacho_clock_ns(clock, span.start),
                                 tacho_clock_ns(clock, span.end)));
        }
    }
    return TACHO_OK;
}

/* Steps are marked once per thread or stream: what overlaps another window is that step again. */
static void merge_windows(tacho_sample_steps *steps)
{
    size_t kept = 0;
    if (steps->window_count > 0) {
        qsort(steps->windows, steps->window_count, sizeof(*steps->windows), compare_windows);
    }
    for (size_t i = 0; i < steps->window_count; i++) {
        tacho_step_window *last = kept > 0 ? &steps->windows[kept - 1] : NULL;
        if (last != NULL && steps->windows[i].start_ns < last->end_ns) {
            last->end_ns = tacho_most(last->end_ns, steps->windows[i].end_ns);
        } else {
            steps->windows[kept++] = steps->windows[i];
        }
    }
    steps->window_count = kept;
}

/* The window that |ns| lies in, TACHO_NONE for none. */
static uint32_t find_window(const tacho_sample_steps *steps, int64_t ns)
{
    size_t low = 0;
    size_t high = steps->window_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (steps->windows[middle].start_ns <= ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_inside = low > 0 && ns < steps->windows[low - 1].end_ns;
    return is_inside ? (uint32_t)(low - 1) : TACHO_NONE;
}

/* ---- launches ------------------------------------------------------------------------------ */

static int compare_arrows(const void *left, const void *right)
{
    const tacho_step_arrow *a = left;
    const tacho_step_arrow *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->time > b->time) - (a->time < b->time);
}

static tacho_status add_arrow(tacho_step_arrow **arrows, size_t *capacity, size_t *count,
                              tacho_step_arrow arrow)
{
    TACHO_TRY(tacho_grow(arrows, capacity, *count + 1));
    (*arrows)[(*count)++] = arrow;
    return TACHO_OK;
}

static tacho_status find_arrows(tacho_sample_steps *steps)
{
    const tacho_profile *profile = steps->profile;
    const tacho_dict *dict = profile->events.dict;
    for (size_t i = 0; i < profile->flow_end_count; i++) {
        const tacho_flow_end *end = &profile->flow_ends[i];
        bool on_device = is_device_track(dict, end->track);
        if (end->phase == TACHO_FLOW_LEAVES && !on_device) {
            int64_t ns = tacho_clock_ns(tacho_dict_track_clock(dict, end->track), end->time);
            TACHO_TRY(add_arrow(&steps->leaving, &steps->leaving_capacity, &steps->leaving_count,
                                (tacho_step_arrow){end->id, ns, end->id}));
        } else if (end->phase != TACHO_FLOW_LEAVES && on_device) {
            TACHO_TRY(add_arrow(&steps->arriving, &steps->arriving_capacity, &steps->arriving_count,
                                (tacho_step_arrow){end->track, end->time, end->id}));
        }
    }
    if (steps->leaving_count > 0 && steps->arriving_count > 0) {
        qsort(steps->leaving, steps->leaving_count, sizeof(*steps->leaving), compare_arrows);
        qsort(steps->arriving, steps->arriving_count, sizeof(*steps->arriving), compare_arrows);
    }
    return TACHO_OK;
}

/* The first of |arrows| with that key at |time| or later, NULL for none. */
static const tacho_step_arrow *find_arrow(const tacho_step_arrow *arrows, size_t count,
                                          uint64_t key, int64_t time)
{
    const tacho_step_arrow wanted = {key, time, 0};
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_arrows(&arrows[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && arrows[low].key == key ? &arrows[low] : NULL;
}

/* When |span| was launched; false where no arrow says it. */
static bool find_launch(const tacho_sample_steps *steps, const tacho_span *span, int64_t *out_ns)
{
    const tacho_step_arrow *arrival =
        find_arrow(steps->arriving, steps->arriving_count, span->track, span->start);
    if (arrival == NULL || arrival->time > span->end || steps->leaving_count == 0) {
        return false;
    }
    const tacho_step_arrow *launch =
        find_arrow(steps->leaving, steps->leaving_count, arrival->id, INT64_MIN);
    *out_ns = launch != NULL ? launch->time : 0;
    return launch != NULL;
}

/* ---- the interface ------------------------------------------------------------------------- */

/*
 * Work of a device counts for the step that launched it. Where no arrows tell, for the step in
 * whose window on the device it starts, if that has any, else for the step in which it starts.
 */
static tacho_status find_device_steps(tacho_sample_steps *steps, tacho_steps *found)
{
    bool *is_mark = NULL;
    TACHO_TRY(find_arrows(steps));
    steps->is_by_launch = steps->leaving_count > 0 && steps->arriving_count > 0;
    if (steps->is_by_launch) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&is_mark, found->dict->site_count));
    tacho_status status = find_on_devices(steps, found, is_mark);
    if (status == TACHO_OK && steps->window_count < 2) {
        status = find_windows(steps, found);
    }
    free(is_mark);
    return status;
}

static tacho_status find_steps(tacho_sample_steps *steps)
{
    tacho_steps found;
    tacho_steps_init(&found, steps->profile->events.dict);
    tacho_status status = add_spans(steps->profile, &found);
    status = status == TACHO_OK ? find_windows(steps, &found) : status;
    if (status == TACHO_OK && steps->window_count > 1 && steps->domain != TACHO_SAMPLES_HOST) {
        status = find_device_steps(steps, &found);
    }
    tacho_steps_deinit(&found);
    merge_windows(steps);
    if (steps->window_count > 1) {
        steps->kind = TACHO_SAMPLES_STEPS;
        steps->sample_count = (uint32_t)steps->window_count;
    }
    return status;
}

tacho_status tacho_sample_steps_init(tacho_sample_steps *steps, const tacho_profile *profile,
                                     tacho_samples_domain domain)
{
    *steps = (tacho_sample_steps){.profile = profile, .domain = domain, .sample_count = 1};
    TACHO_TRY(find_runs(steps));
    if (steps->sample_count > 1) {
        steps->kind = TACHO_SAMPLES_RUNS;
        return TACHO_OK;
    }
    return find_steps(steps);
}

void tacho_sample_steps_deinit(tacho_sample_steps *steps)
{
    free(steps->of_run);
    free(steps->windows);
    free(steps->leaving);
    free(steps->arriving);
    *steps = (tacho_sample_steps){.profile = NULL};
}

uint32_t tacho_sample_steps_find(const tacho_sample_steps *steps, const tacho_span *span)
{
    const tacho_dict *dict = steps->profile->events.dict;
    if (steps->kind == TACHO_SAMPLES_RUNS) {
        return span->run != TACHO_NONE ? steps->of_run[span->run] : TACHO_NONE;
    }
    if (steps->kind == TACHO_SAMPLES_FILES) {
        return 0;
    }
    int64_t ns = tacho_clock_ns(tacho_dict_track_clock(dict, span->track), span->start);
    if (steps->is_by_launch) {
        int64_t launch_ns = 0;
        ns = find_launch(steps, span, &launch_ns) ? launch_ns : ns;
    }
    return find_window(steps, ns);
}
