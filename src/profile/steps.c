/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks are collected while rows arrive and interpreted when their part is complete.
 */
#include "profile/steps.h"

#include "base/grow.h"
#include "base/maths.h"
#include "profile/scopes.h"
#include "profile/step_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, PERCENT = 100, LEAST_STEPS_OF_WARM_UP = 3, LEAST_STEPS_OF_STOP = 4 };

/* The kind of mark of a site's spans; later kinds take precedence. */
typedef enum mark_kind {
    MARK_UNKNOWN,
    MARK_NONE,
    MARK_POST,     /* an instant between steps */
    MARK_RANGE,    /* a range of any name */
    MARK_STEP,     /* a range that is a step by its name */
    MARK_PROFILER, /* of PyTorch's profiler */
} mark_kind;

typedef struct tacho_step_mark {
    int64_t start_ns, end_ns;
    uint32_t track;
    uint32_t site;
    uint32_t stem; /* string: the name without its number; while it is looked for */
    uint8_t kind;
    bool is_inner; /* nested in another mark of its track */
} step_mark;

/* From the first start to the last end. */
typedef struct tacho_step_hull {
    int64_t start_ns, end_ns;
    bool is_used;
} step_hull;

/* Marks of one stem on one track, disjoint. */
typedef struct family {
    size_t first, end; /* marks */
    size_t count;
    tacho_i128 time_ns; /* of all of them */
    mark_kind kind;
} family;

const char *tacho_step_kind_name(tacho_step_kind kind)
{
    static const char *const names[] = {
#define TACHO_STEP_KIND_NAME(id, word, phrase) word,
        TACHO_STEP_KINDS(TACHO_STEP_KIND_NAME)
#undef TACHO_STEP_KIND_NAME
    };
    return names[kind];
}

/* ---- marks ---------------------------------------------------------------------------------- */

/* A device's copy of a range of the host, around the work launched in it. */
static bool is_echo(const tacho_dict *dict, uint32_t site)
{
    return tacho_str_equal(tacho_dict_string(dict, dict->sites[site].category),
                           TACHO_STR("gpu_user_annotation"));
}

static mark_kind kind_of_site(const tacho_dict *dict, uint32_t id)
{
    const tacho_site *site = &dict->sites[id];
    tacho_str category = tacho_dict_string(dict, site->category);
    tacho_str name = tacho_dict_string(dict, site->name);
    if (tacho_str_equal(category, TACHO_STR("signpost"))) {
        return MARK_POST;
    }
    if (tacho_scope_is_step(name)) {
        return MARK_PROFILER;
    }
    bool is_range = tacho_str_equal(category, TACHO_STR("user_annotation")) ||
                    tacho_str_equal(category, TACHO_STR("nvtx")) ||
                    tacho_str_equal(category, TACHO_STR("NVTX")) ||
                    tacho_str_equal(category, TACHO_STR("roctx"));
    if ((!is_range && !is_echo(dict, id)) || name.len == 0 || tacho_step_is_of_framework(name)) {
        return MARK_NONE;
    }
    return tacho_step_has_word(name) ? MARK_STEP : is_range ? MARK_RANGE : MARK_NONE;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status grow_hulls(step_hull **hulls, size_t *count, size_t *capacity, size_t wanted)
{
    TACHO_TRY(tacho_grow(hulls, capacity, wanted));
    while (*count < wanted) {
        (*hulls)[(*count)++] = (step_hull){.is_used = false};
    }
    return TACHO_OK;
}

static void widen(step_hull *hull, int64_t start_ns, int64_t end_ns)
{
    hull->start_ns = hull->is_used && hull->start_ns < start_ns ? hull->start_ns : start_ns;
    hull->end_ns = hull->is_used && hull->end_ns > end_ns ? hull->end_ns : end_ns;
    hull->is_used = true;
}

static tacho_status add_mark(tacho_steps *steps, const step_mark *mark)
{
    if (steps->mark_count == TACHO_STEP_MARKS_MAX) {
        steps->is_full = true;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&steps->marks, &steps->mark_capacity, steps->mark_count + 1));
    steps->marks[steps->mark_count++] = *mark;
    return TACHO_OK;
}

static tacho_status find_kind(tacho_steps *steps, uint32_t site, mark_kind *out_kind)
{
    const tacho_dict *dict = steps->dict;
    if (site >= steps->site_count) {
        TACHO_TRY(tacho_grow(&steps->sites, &steps->site_capacity, dict->site_count));
        memset(steps->sites + steps->site_count, MARK_UNKNOWN,
               dict->site_count - steps->site_count);
        steps->site_count = dict->site_count;
    }
    if (steps->sites[site] == MARK_UNKNOWN) {
        steps->sites[site] = (uint8_t)kind_of_site(dict, site);
    }
    *out_kind = (mark_kind)steps->sites[site];
    return TACHO_OK;
}

tacho_status tacho_steps_add(tacho_steps *steps, const tacho_row *row)
{
    const tacho_dict *dict = steps->dict;
    if (row->kind != TACHO_ROW_SPAN) {
        return TACHO_OK;
    }
    mark_kind kind = MARK_NONE;
    TACHO_TRY(find_kind(steps, row->of.span.site, &kind));
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    uint32_t part = dict->tracks[row->track].part;
    uint32_t run = row->of.span.run;
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    bool is_unended = (row->of.span.flags & TACHO_SPAN_UNENDED) != 0;
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    int64_t end_ns = is_unended ? start_ns : tacho_clock_ns(clock, row->of.span.end);
    TACHO_TRY(part < steps->part_count ? TACHO_OK
                                       : grow_hulls(&steps->parts, &steps->part_count,
                                                    &steps->part_capacity, (size_t)part + 1));
    widen(&steps->parts[part], start_ns, end_ns);
    if (run != TACHO_NONE && dict->runs[run].invocation >= 0 && !is_instant) { /* doorbells */
        TACHO_TRY(grow_hulls(&steps->runs, &steps->run_count, &steps->run_capacity,
                             run < steps->run_count ? steps->run_count : dict->run_count));
        widen(&steps->runs[run], start_ns, end_ns);
    }
    if (kind == MARK_NONE || is_instant != (kind == MARK_POST) || is_unended) {
        return TACHO_OK;
    }
    const step_mark mark = {start_ns, end_ns,        row->track, row->of.span.site,
                            0,        (uint8_t)kind, false};
    return add_mark(steps, &mark);
}

/* ---- families ------------------------------------------------------------------------------ */

static int compare_times(const step_mark *a, const step_mark *b)
{
    if (a->start_ns != b->start_ns) {
        return a->start_ns < b->start_ns ? -1 : 1;
    }
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

static int compare_on_tracks(const void *left, const void *right)
{
    const step_mark *a = left;
    const step_mark *b = right;
    if (a->track != b->track) {
        return a->track < b->track ? -1 : 1;
    }
    int order = compare_times(a, b);
    return order != 0 ? order : (a->site > b->site) - (a->site < b->site);
}

static int compare_stems(const void *left, const void *right)
{
    const step_mark *a = left;
    const step_mark *b = right;
    if (a->stem != b->stem) {
        return a->stem < b->stem ? -1 : 1;
    }
    return compare_on_tracks(left, right);
}

static int compare_posts(const void *left, const void *right)
{
    const step_mark *a = left;
    const step_mark *b = right;
    int order = compare_times(a, b);
    return order != 0 ? order : compare_on_tracks(left, right);
}

/* Which marks are looked at. */
typedef struct mark_choice {
    uint32_t part;
    mark_kind least;
    bool is_post;   /* signposts, not ranges */
    bool on_device; /* not on the host */
} mark_choice;

static bool is_chosen(const tacho_dict *dict, const step_mark *mark, const mark_choice *choice)
{
    tacho_track_class track_class = dict->tracks[mark->track].track_class;
    bool on_device = is_echo(dict, mark->site) ||
                     (track_class >= TACHO_TRACK_CONTROL && track_class <= TACHO_TRACK_VECTOR);
    return dict->tracks[mark->track].part == choice->part && on_device == choice->on_device &&
           (mark->kind == MARK_POST) == choice->is_post;
}

/* The name without its number, which is kept in names without a word for a step. */
static tacho_str stem_of(tacho_str name)
{
    return tacho_scope_is_step(name) || tacho_step_has_word(name) ? tacho_step_stem(name) : name;
}

/* The marks of |choice|, with their stems. */
static tacho_status list_marks(const tacho_steps *steps, const mark_choice *choice,
                               step_mark **out_marks, size_t *out_count)
{
    tacho_dict *dict = steps->dict;
    *out_count = 0;
    TACHO_TRY(tacho_items_make(out_marks, steps->mark_count));
    for (size_t i = 0; i < steps->mark_count; i++) {
        step_mark mark = steps->marks[i];
        if (!is_chosen(dict, &mark, choice)) {
            continue;
        }
        tacho_str name = tacho_dict_string(dict, dict->sites[mark.site].name);
        TACHO_TRY(tacho_dict_ensure_string(dict, stem_of(name), &mark.stem));
        (*out_marks)[(*out_count)++] = mark;
    }
    return TACHO_OK;
}

static void mark_inner(step_mark *marks, size_t count)
{
    int64_t end_ns = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        end_ns = i == 0 || marks[i].track != marks[i - 1].track ? INT64_MIN : end_ns;
        marks[i].is_inner = marks[i].start_ns < end_ns;
        end_ns = marks[i].end_ns > end_ns ? marks[i].end_ns : end_ns;
    }
}

/* The family that begins at mark |first|; marks inside others of it are dropped. */
static family next_family(step_mark *marks, size_t count, size_t first)
{
    family found = {.first = first, .kind = (mark_kind)marks[first].kind};
    int64_t end_ns = INT64_MIN;
    size_t at = first;
    for (;
         at < count && marks[at].stem == marks[first].stem && marks[at].track == marks[first].track;
         at++) {
        bool is_again =
            marks[at].start_ns < end_ns || (found.kind == MARK_RANGE && marks[at].is_inner);
        marks[at].kind = is_again ? MARK_NONE : marks[at].kind;
        if (!is_again) {
            found.count++;
            found.time_ns += marks[at].end_ns - marks[at].start_ns;
            end_ns = marks[at].end_ns;
        }
    }
    found.end = at;
    return found;
}

/* Whether it covers half of the time from its first start to its last end. */
static bool covers_half(const step_mark *marks, const family *of)
{
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    bool is_first = true;
    for (size_t i = of->first; i < of->end; i++) {
        if (marks[i].kind != MARK_NONE) {
            start_ns = is_first ? marks[i].start_ns : start_ns;
            end_ns = marks[i].end_ns;
            is_first = false;
        }
    }
    return 2 * of->time_ns >= (tacho_i128)end_ns - start_ns;
}

/* Whether |a| is more likely to be the steps than |b|. */
static bool is_better(const family *a, const family *b)
{
    if (a->kind != b->kind) {
        return a->kind > b->kind;
    }
    if (a->time_ns < b->time_ns / 2 || b->time_ns < a->time_ns / 2) {
        return a->time_ns > b->time_ns;
    }
    return a->count > b->count; /* steps, not the epoch around them */
}

/* The family that is the steps; count is 0 where none is. */
static family choose_family(step_mark *marks, size_t count, mark_kind least)
{
    family best = {.count = 0, .kind = MARK_UNKNOWN};
    size_t range_count = 0;
    for (size_t at = 0; at < count;) {
        family found = next_family(marks, count, at);
        at = found.end;
        bool is_repeated = found.count > 1 || (found.kind == MARK_PROFILER && found.count > 0);
        bool can_be = is_repeated && found.kind >= least &&
                      (found.kind == MARK_PROFILER || covers_half(marks, &found));
        range_count += is_repeated && found.kind == MARK_RANGE ? 1 : 0;
        best = can_be && is_better(&found, &best) ? found : best;
    }
    bool is_unclear = best.kind == MARK_RANGE && range_count > 1;
    return is_unclear ? (family){.count = 0} : best;
}

/* ---- steps --------------------------------------------------------------------------------- */

static tacho_status add_step(tacho_steps *steps, const tacho_step_span *step)
{
    TACHO_TRY(tacho_grow(&steps->items, &steps->item_capacity, steps->item_count + 1));
    steps->items[steps->item_count++] = *step;
    return TACHO_OK;
}

/* Numbers of the names where they count up; else from 0, and the names get them. */
static tacho_status number_steps(tacho_steps *steps)
{
    tacho_dict *dict = steps->dict;
    bool is_numbered = true;
    for (size_t i = 0; i < steps->item_count && is_numbered; i++) {
        tacho_step_span *step = &steps->items[i];
        uint64_t number = 0;
        is_numbered = tacho_step_number(tacho_dict_string(dict, step->name), &number) &&
                      number <= INT64_MAX && (i == 0 || (int64_t)number > step[-1].number);
        step->number = (int64_t)number;
    }
    for (size_t i = 0; i < steps->item_count && !is_numbered; i++) {
        char text[NAME_BYTES];
        tacho_step_span *step = &steps->items[i];
        tacho_str name = tacho_dict_string(dict, step->name);
        int room = NAME_BYTES / 2;
        int len = snprintf(text, sizeof(text), "%.*s #%zu",
                           name.len < (size_t)room ? (int)name.len : room, name.data, i);
        step->number = (int64_t)i;
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text, (size_t)len), &step->name));
    }
    return TACHO_OK;
}

static tacho_status add_marked(tacho_steps *steps, const step_mark *marks, const family *of)
{
    steps->kind = of->kind == MARK_PROFILER ? TACHO_STEP_PROFILER : TACHO_STEP_RANGE;
    steps->stem = of->kind >= MARK_STEP ? marks[of->first].stem : TACHO_NONE;
    for (size_t i = of->first; i < of->end; i++) {
        const tacho_step_span step = {.start_ns = marks[i].start_ns,
                                      .end_ns = marks[i].end_ns,
                                      .name = steps->dict->sites[marks[i].site].name};
        TACHO_TRY(marks[i].kind == MARK_NONE ? TACHO_OK : add_step(steps, &step));
    }
    return number_steps(steps);
}

static tacho_status find_marked(tacho_steps *steps, const mark_choice *choice)
{
    step_mark *marks = NULL;
    size_t count = 0;
    tacho_status status = list_marks(steps, choice, &marks, &count);
    if (status == TACHO_OK && count > 0) {
        qsort(marks, count, sizeof(*marks), compare_on_tracks);
        mark_inner(marks, count);
        qsort(marks, count, sizeof(*marks), compare_stems);
        const family chosen = choose_family(marks, count, choice->least);
        status = chosen.count > 0 ? add_marked(steps, marks, &chosen) : TACHO_OK;
        steps->is_of_host = chosen.count > 0 && !choice->on_device;
    }
    free(marks);
    return status;
}

static int compare_steps(const void *left, const void *right)
{
    const tacho_step_span *a = left;
    const tacho_step_span *b = right;
    if (a->start_ns != b->start_ns) {
        return a->start_ns < b->start_ns ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

static tacho_status find_runs(tacho_steps *steps, uint32_t part)
{
    tacho_dict *dict = steps->dict;
    uint32_t name = TACHO_NONE;
    for (size_t i = 0; i < steps->run_count; i++) {
        const tacho_run *run = &dict->runs[i];
        if (!steps->runs[i].is_used || run->part != part) {
            continue;
        }
        bool is_other = name != TACHO_NONE && run->name != name;
        name = run->name;
        if (is_other) { /* dispatches or operators of a model, not repetitions of it */
            steps->item_count = 0;
            return TACHO_OK;
        }
        char text[NAME_BYTES];
        tacho_str of = tacho_dict_string(dict, name);
        int room = NAME_BYTES / 2;
        int len = snprintf(text, sizeof(text), "%.*s #%" PRId64,
                           of.len < (size_t)room ? (int)of.len : room, of.data, run->invocation);
        tacho_step_span step = {.start_ns = steps->runs[i].start_ns,
                                .end_ns = steps->runs[i].end_ns,
                                .number = run->invocation};
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text, (size_t)len), &step.name));
        TACHO_TRY(add_step(steps, &step));
    }
    if (steps->item_count > 1) {
        qsort(steps->items, steps->item_count, sizeof(*steps->items), compare_steps);
        steps->kind = TACHO_STEP_RUN;
    } else if (steps->item_count == 1) {
        steps->is_one_run = true;
        steps->run_name = name;
        steps->only_run = steps->items[0];
        steps->item_count = 0;
    }
    return TACHO_OK;
}

/* The stem of most of |marks|, which are sorted by stem; of equal counts the earliest one. */
static uint32_t commonest_stem(const step_mark *marks, size_t count, size_t *out_count)
{
    size_t best = 0;
    *out_count = 0;
    for (size_t first = 0, end = 0; first < count; first = end) {
        size_t earliest = first;
        for (end = first; end < count && marks[end].stem == marks[first].stem; end++) {
            earliest = marks[end].start_ns < marks[earliest].start_ns ? end : earliest;
        }
        bool is_better =
            end - first > *out_count ||
            (end - first == *out_count && marks[earliest].start_ns < marks[best].start_ns);
        best = is_better ? earliest : best;
        *out_count = is_better ? end - first : *out_count;
    }
    return marks[best].stem;
}

static tacho_status add_posts(tacho_steps *steps, uint32_t part, step_mark *marks, size_t count)
{
    size_t step_count = 0;
    qsort(marks, count, sizeof(*marks), compare_stems);
    uint32_t stem = commonest_stem(marks, count, &step_count);
    qsort(marks, count, sizeof(*marks), compare_posts);
    for (size_t i = 0; i < count && step_count > 1; i++) {
        const tacho_step_span step = {.start_ns = marks[i].start_ns,
                                      .end_ns = i + 1 < count ? marks[i + 1].start_ns
                                                              : steps->parts[part].end_ns,
                                      .name = steps->dict->sites[marks[i].site].name};
        TACHO_TRY(marks[i].stem == stem ? add_step(steps, &step) : TACHO_OK);
    }
    steps->kind = steps->item_count > 0 ? TACHO_STEP_SIGNPOST : TACHO_STEP_NONE;
    return number_steps(steps);
}

static tacho_status find_posts(tacho_steps *steps, uint32_t part)
{
    step_mark *marks = NULL;
    size_t count = 0;
    const mark_choice posts = {.part = part, .is_post = true};
    tacho_status status = list_marks(steps, &posts, &marks, &count);
    if (status == TACHO_OK && count > 1) {
        status = add_posts(steps, part, marks, count);
        steps->is_of_host = steps->item_count > 0;
    }
    free(marks);
    return status;
}

/* ---- warm-up ------------------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

void tacho_times_sort(int64_t *times, size_t count)
{
    qsort(times, count, sizeof(*times), compare_numbers);
}

int64_t tacho_times_percentile(const int64_t *times, size_t count, size_t percent)
{
    size_t rank = (count * percent + PERCENT - 1) / PERCENT;
    return times[rank > 0 ? rank - 1 : 0];
}

/* The usual duration of steps. */
typedef struct usual_time {
    int64_t low, median, high; /* quartiles */
} usual_time;

static tacho_status find_usual(const tacho_step_span *items, size_t count, usual_time *out_usual)
{
    int64_t *times = NULL;
    TACHO_TRY(tacho_items_make(&times, count));
    for (size_t i = 0; i < count; i++) {
        times[i] = items[i].end_ns - items[i].start_ns;
    }
    tacho_times_sort(times, count);
    *out_usual = (usual_time){tacho_times_percentile(times, count, 25),
                              tacho_times_percentile(times, count, 50),
                              tacho_times_percentile(times, count, 75)};
    free(times);
    return TACHO_OK;
}

static bool is_beyond(const tacho_step_span *step, const usual_time *usual)
{
    int64_t time = step->end_ns - step->start_ns;
    return 2 * ((tacho_i128)time - usual->high) > 3 * ((tacho_i128)usual->high - usual->low) &&
           10 * ((tacho_i128)time - usual->median) > usual->median;
}

tacho_status tacho_steps_mark_warm_up(tacho_step_span *items, size_t count, size_t *out_count)
{
    size_t first = count / 2; /* of the second half, the larger one */
    usual_time usual;
    *out_count = 0;
    if (count < LEAST_STEPS_OF_WARM_UP) {
        return TACHO_OK;
    }
    TACHO_TRY(find_usual(items + first, count - first, &usual));
    for (size_t i = 0; i < first && is_beyond(&items[i], &usual); i++) {
        items[i].is_warm_up = true;
        (*out_count)++;
    }
    return TACHO_OK;
}

/* Whether the last of |items| has the stop of the profiler that marked them in it. */
static tacho_status find_stop(const tacho_step_span *items, size_t count, bool *out_is_last)
{
    usual_time usual;
    *out_is_last = false;
    if (count < LEAST_STEPS_OF_STOP) {
        return TACHO_OK;
    }
    TACHO_TRY(find_usual(items + 1, count - 2, &usual));
    *out_is_last = is_beyond(&items[count - 1], &usual);
    return TACHO_OK;
}

tacho_status tacho_steps_leave_out(tacho_steps *steps, const tacho_step_span *times)
{
    tacho_step_span *items = NULL;
    size_t count = steps->item_count;
    bool has_stop = false;
    TACHO_TRY(steps->kind == TACHO_STEP_PROFILER ? find_stop(times, count, &has_stop) : TACHO_OK);
    TACHO_TRY(tacho_items_make(&items, count));
    for (size_t i = 0; i < count; i++) {
        items[i] = (tacho_step_span){.start_ns = times[i].start_ns, .end_ns = times[i].end_ns};
    }
    steps->stop_count = has_stop ? 1 : 0;
    tacho_status status =
        tacho_steps_mark_warm_up(items, count - steps->stop_count, &steps->warm_up_count);
    for (size_t i = 0; i < count; i++) {
        steps->items[i].is_warm_up = items[i].is_warm_up;
        steps->items[i].is_stop = has_stop && i + 1 == count;
    }
    free(items);
    return status;
}

/* ---- the interface ------------------------------------------------------------------------- */

void tacho_steps_init(tacho_steps *steps, tacho_dict *dict)
{
    *steps = (tacho_steps){.dict = dict, .stem = TACHO_NONE};
}

void tacho_steps_deinit(tacho_steps *steps)
{
    free(steps->items);
    free(steps->marks);
    free(steps->runs);
    free(steps->parts);
    free(steps->sites);
    tacho_steps_init(steps, steps->dict);
}

void tacho_steps_clear(tacho_steps *steps)
{
    steps->mark_count = steps->run_count = steps->part_count = 0;
    steps->is_full = false;
}

static void note_overlap(tacho_steps *steps)
{
    steps->has_overlap = false;
    for (size_t i = 1; i < steps->item_count; i++) {
        steps->has_overlap |= steps->items[i].start_ns < steps->items[i - 1].end_ns;
    }
}

tacho_status tacho_steps_find(tacho_steps *steps, uint32_t part)
{
    steps->item_count = steps->warm_up_count = steps->stop_count = 0;
    steps->kind = TACHO_STEP_NONE;
    steps->stem = TACHO_NONE;
    steps->has_overlap = steps->is_one_run = steps->is_of_host = false;
    if (steps->is_full || part >= steps->part_count) {
        return TACHO_OK;
    }
    const mark_choice named = {.part = part, .least = MARK_STEP};
    const mark_choice echoed = {.part = part, .least = MARK_STEP, .on_device = true};
    const mark_choice any = {.part = part, .least = MARK_RANGE};
    TACHO_TRY(find_marked(steps, &named));
    TACHO_TRY(steps->item_count == 0 ? find_runs(steps, part) : TACHO_OK);
    TACHO_TRY(steps->item_count == 0 ? find_posts(steps, part) : TACHO_OK);
    TACHO_TRY(steps->item_count == 0 ? find_marked(steps, &echoed) : TACHO_OK);
    TACHO_TRY(steps->item_count == 0 ? find_marked(steps, &any) : TACHO_OK);
    note_overlap(steps);
    return tacho_steps_leave_out(steps, steps->items);
}

bool tacho_steps_is_mark(const tacho_steps *steps, uint32_t site)
{
    const tacho_dict *dict = steps->dict;
    if (steps->stem == TACHO_NONE || kind_of_site(dict, site) < MARK_STEP) {
        return false;
    }
    tacho_str name = tacho_dict_string(dict, dict->sites[site].name);
    return tacho_str_equal(stem_of(name), tacho_dict_string(dict, steps->stem));
}

uint32_t tacho_step_spans_at(const tacho_step_span *items, size_t count, int64_t ns)
{
    size_t low = 0;
    size_t high = count; /* those before |low| start at |ns| or earlier */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = items[middle].start_ns <= ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low > 0 && ns < items[low - 1].end_ns ? (uint32_t)(low - 1) : TACHO_NONE;
}

uint32_t tacho_steps_at(const tacho_steps *steps, int64_t ns)
{
    return tacho_step_spans_at(steps->items, steps->item_count, ns);
}
