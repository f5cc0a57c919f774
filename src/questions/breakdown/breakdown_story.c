/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns and gaps are added in order of time. Of equal gaps the earlier stays.
 */
#include "questions/breakdown/breakdown_story.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* A gap like another is at least 1 / ALIKE as long. Without steps, LEAST of them repeat. */
enum { ALIKE = 4, LEAST_ALIKE = 3 };

void tacho_device_story_deinit(tacho_device_story *story)
{
    tacho_work_patterns_deinit(&story->all);
    tacho_work_patterns_deinit(&story->steady);
    free(story->streams);
    free(story->gaps);
}

void tacho_host_story_deinit(tacho_host_story *story)
{
    tacho_host_time_deinit(&story->time);
    tacho_work_patterns_deinit(&story->all);
    tacho_work_patterns_deinit(&story->steady);
}

static bool is_steady_at(const tacho_part_steps *steps, const tacho_step_span *spans, int64_t ns)
{
    uint32_t step = tacho_step_spans_at(spans, steps->item_count, ns);
    return step != TACHO_NONE && tacho_step_is_steady(&steps->items[step]);
}

/* ---- the host ------------------------------------------------------------------------------ */

static void add_host(tacho_host_story *story, const tacho_part_steps *steps, tacho_pattern pattern,
                     const tacho_timeline_span *span)
{
    int64_t ns = span->end_ns - span->start_ns;
    tacho_pattern_sum_add(&story->all.sums[pattern], span->start_ns, ns);
    if (is_steady_at(steps, steps->marks, span->start_ns)) {
        tacho_pattern_sum_add(&story->steady.sums[pattern], span->start_ns, ns);
    }
}

static bool is_inside_value(const tacho_host_story *story, const tacho_timeline_span *span)
{
    return story->has_value && story->value_track == span->row->track &&
           span->end_ns <= story->value_end_ns;
}

/* A call for a value counts if it waits: the value may be of the host. */
static void note_wait(tacho_host_story *story, const tacho_timeline_span *span, bool is_value)
{
    if (is_value && !is_inside_value(story, span)) {
        story->value_start_ns = span->start_ns;
        story->value_end_ns = span->end_ns;
        story->value_track = span->row->track;
        story->has_value = true;
    }
    if (!is_value) {
        bool is_inside = is_inside_value(story, span);
        story->wait = is_inside ? TACHO_PATTERN_VALUE : TACHO_PATTERN_WAIT;
        story->wait_start_ns = is_inside ? story->value_start_ns : span->start_ns;
        story->wait_end_ns = span->end_ns;
        story->wait_track = span->row->track;
        story->has_wait = true;
    }
}

void tacho_host_story_add(tacho_host_story *story, const tacho_part_steps *steps,
                          const tacho_timeline_span *span, unsigned bits)
{
    static const struct {
        unsigned bit;
        tacho_pattern pattern;
    } timed[] = {{TACHO_CALL_OPTIMIZER, TACHO_PATTERN_OPTIMIZER_CALL},
                 {TACHO_CALL_ALLOCATE, TACHO_PATTERN_ALLOCATE},
                 {TACHO_CALL_LOAD, TACHO_PATTERN_COMPILE},
                 {TACHO_CALL_COMPILE, TACHO_PATTERN_COMPILE}};
    for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++) {
        if ((bits & timed[i].bit) != 0) {
            add_host(story, steps, timed[i].pattern, span);
        }
    }
    if ((bits & (TACHO_CALL_VALUE | TACHO_CALL_WAIT)) != 0) {
        note_wait(story, span, (bits & TACHO_CALL_VALUE) != 0);
    }
}

/* ---- work ---------------------------------------------------------------------------------- */

tacho_status tacho_device_story_add(tacho_device_story *story, size_t stream,
                                    const tacho_part_steps *steps, const tacho_pattern_work *work,
                                    int64_t launch_ns)
{
    const tacho_step_span *spans = launch_ns < work->start_ns ? steps->marks : steps->items;
    tacho_work_patterns *to[] = {&story->all, &story->steady};
    TACHO_TRY(tacho_grow(&story->streams, &story->stream_capacity, stream + 1));
    while (story->stream_count <= stream) {
        story->streams[story->stream_count++] = (tacho_pattern_stream){.attention = 0};
    }
    if (work->traits->kind != TACHO_KERNEL_TRANSFER &&
        work->start_ns + work->ns > story->new_kernel_end_ns) {
        story->new_kernel_end_ns = work->start_ns + work->ns;
    }
    size_t count = is_steady_at(steps, spans, launch_ns) ? 2 : 1;
    return tacho_work_patterns_add(to, count, &story->streams[stream], work);
}

/* ---- gaps ---------------------------------------------------------------------------------- */

static int64_t length_of(const tacho_device_gap *gap)
{
    return gap->end_ns - gap->start_ns;
}

void tacho_device_story_settle(tacho_device_story *story)
{
    story->kernel_end_ns = story->new_kernel_end_ns;
}

bool tacho_device_story_wants(const tacho_device_story *story, const tacho_device_gap *gap)
{
    return story->gap_count < story->gap_limit ||
           length_of(gap) > length_of(&story->gaps[story->gap_count - 1].gap);
}

tacho_status tacho_device_story_keep(tacho_device_story *story, const tacho_breakdown_gap *gap)
{
    size_t at = story->gap_count;
    while (at > 0 && length_of(&story->gaps[at - 1].gap) < length_of(&gap->gap)) {
        at--;
    }
    size_t count = story->gap_count < story->gap_limit ? story->gap_count + 1 : story->gap_limit;
    TACHO_TRY(tacho_grow(&story->gaps, &story->gap_capacity, count));
    story->gap_count = count;
    memmove(&story->gaps[at + 1], &story->gaps[at], (story->gap_count - at - 1) * sizeof(*gap));
    story->gaps[at] = *gap;
    return TACHO_OK;
}

/*
 * The device waits, in |gap|, for work that the host launches once its own wait is over. In a long
 * gap the host does other things between.
 */
void tacho_device_story_add_wait(tacho_device_story *story, tacho_host_story *host,
                                 const tacho_part_steps *steps, const tacho_device_gap *gap)
{
    bool is_over = gap->cause == TACHO_IDLE_HOST_LATE && host->has_wait &&
                   host->wait_end_ns > gap->start_ns && host->wait_end_ns <= gap->end_ns &&
                   host->wait_track == gap->launch_track &&
                   gap->end_ns - host->wait_end_ns < TACHO_LONG_GAP_NS;
    if (!is_over) {
        return;
    }
    /* The copy of a value is no reason to be busy. */
    int64_t free_ns = story->kernel_end_ns < gap->start_ns ? story->kernel_end_ns : gap->start_ns;
    int64_t start_ns = host->wait_start_ns > free_ns ? host->wait_start_ns : free_ns;
    int64_t ns = gap->end_ns - start_ns;
    host->has_wait = false;
    tacho_pattern_sum_add(&story->all.sums[host->wait], start_ns, ns);
    if (is_steady_at(steps, steps->items, start_ns)) {
        tacho_pattern_sum_add(&story->steady.sums[host->wait], start_ns, ns);
    }
}

/* The length of |gap| in steps that are not left out. */
static int64_t length_in_steps(const tacho_device_gap *gap, const tacho_part_steps *steps)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < steps->item_count; i++) {
        const tacho_step_span *step = &steps->items[i];
        int64_t start_ns = gap->start_ns > step->start_ns ? gap->start_ns : step->start_ns;
        int64_t end_ns = gap->end_ns < step->end_ns ? gap->end_ns : step->end_ns;
        bool is_in = tacho_step_is_steady(step) && end_ns > start_ns;
        sum_ns += is_in ? end_ns - start_ns : 0;
    }
    return sum_ns;
}

static size_t judged_count(const tacho_device_story *story)
{
    return story->gap_count < TACHO_GAPS_KEPT ? story->gap_count : TACHO_GAPS_KEPT;
}

static size_t count_alike(const tacho_device_story *story, const tacho_breakdown_gap *gap)
{
    size_t count = 0;
    for (size_t i = 0; i < judged_count(story); i++) {
        const tacho_breakdown_gap *other = &story->gaps[i];
        bool is_alike = other->deed.site == gap->deed.site && other->gap.cause == gap->gap.cause &&
                        length_of(&other->gap) >= length_of(&gap->gap) / ALIKE;
        count += other->steady_ns > 0 && is_alike ? 1 : 0;
    }
    return count;
}

/* How many gaps have to be alike to repeat. */
static size_t least_alike(const tacho_breakdown_gap *gap, const tacho_host_scope *scope,
                          const tacho_part_steps *steps)
{
    const unsigned at_start = TACHO_CALL_ALLOCATE | TACHO_CALL_LOAD | TACHO_CALL_COMPILE;
    size_t count = steps != NULL ? tacho_part_steps_steady_count(steps) : 0;
    if (steps == NULL || (tacho_host_scope_bits(scope, gap->deed.site) & at_start) != 0) {
        return LEAST_ALIKE;
    }
    return count < LEAST_ALIKE ? 1 : (count + 1) / 2;
}

/* Code is loaded or compiled before it first runs. */
static bool is_for_first(const tacho_breakdown_gap *gap, const tacho_host_scope *scope,
                         const tacho_part_steps *steps)
{
    bool is_launch = (tacho_host_scope_bits(scope, gap->deed.site) & TACHO_CALL_LAUNCH) != 0;
    bool is_unknown = gap->gap.cause == TACHO_IDLE_UNKNOWN && steps == NULL;
    return gap->is_before_first && (is_launch || is_unknown);
}

void tacho_story_judge_gaps(tacho_device_story *story, const tacho_host_scope *scope,
                            const tacho_part_steps *steps)
{
    for (size_t i = 0; i < judged_count(story); i++) {
        tacho_breakdown_gap *gap = &story->gaps[i];
        gap->steady_ns = steps != NULL ? length_in_steps(&gap->gap, steps) : length_of(&gap->gap);
    }
    for (size_t i = 0; i < judged_count(story); i++) {
        tacho_breakdown_gap *gap = &story->gaps[i];
        gap->is_once = gap->steady_ns > 0 && length_of(&gap->gap) >= TACHO_LONG_GAP_NS &&
                       (count_alike(story, gap) < least_alike(gap, scope, steps) ||
                        is_for_first(gap, scope, steps));
    }
}
