/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans to interval sets, one per track and origin; sets to metrics, by two tables that say which
 * set is made of which, and which metric is the length of which.
 */
#include "analyses/overview.h"

#include "analyses/intervals.h"
#include "analyses/overview_tracks.h"
#include "base/grow.h"
#include "profile/categories.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define BIT(name) TACHO_TRACK_BIT(TACHO_TRACK_##name)

/* Beside the bits of classes: a local transfer that touches this memory was seen. */
#define BIT_DTCM (UINT32_C(1) << 30)
#define BIT_ITCM (UINT32_C(1) << 31)
_Static_assert(TACHO_TRACK_CLASS_COUNT <= 30, "classes and memories share one word");

static const uint32_t ENGINE_BITS =
    BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL) | BIT(COMPUTE) | BIT(VECTOR);
static const uint32_t WORK_BITS = BIT(HOST) | BIT(HOST_COPY) | BIT(RUNTIME) | BIT(CONTROL) |
                                  BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL) | BIT(COMPUTE) |
                                  BIT(VECTOR);

/* ---- from spans to lines ---------------------------------------------------------------- */

/* From the first start to the last end; first > last when there is none. */
typedef struct hull {
    int64_t first;
    int64_t last;
} hull;

static const hull NO_HULL = {INT64_MAX, INT64_MIN};

static void extend(hull *into, hull more)
{
    into->first = more.first < into->first ? more.first : into->first;
    into->last = more.last > into->last ? more.last : into->last;
}

static int64_t hull_length(hull whole)
{
    return whole.first <= whole.last ? whole.last - whole.first : 0;
}

/* The work of one track that is of one origin, and touches one memory. */
typedef struct line {
    const tacho_track *track;
    tacho_origin origin;
    tacho_torq_memory memory;
    hull extent;
    tacho_intervals busy;
} line;

/* The calls of one run: the one that covers all others, if there is one, is counted by those. */
typedef struct call_group {
    hull extent;
    uint32_t count;
    uint32_t covering_count;
} call_group;

enum { LINES_PER_TRACK = TACHO_ORIGIN_COUNT * TACHO_TORQ_MEMORY_COUNT };

typedef struct gathering {
    const tacho_profile *profile;
    const tacho_dict *dict;
    bool in_cycles;
    tacho_clock *clocks; /* those of the dictionary, with their own zero */
    uint8_t *memories;   /* by site */
    uint8_t *kinds;      /* by site: a tacho_category_kind */
    bool *are_wholes;    /* by site: all that one inference was */
    uint32_t *line_ids;  /* by track, origin and memory */
    call_group *calls;   /* by run */
    line *lines;
    size_t line_count, line_capacity;
} gathering;

static void gathering_deinit(gathering *self)
{
    for (size_t i = 0; i < self->line_count; i++) {
        tacho_intervals_deinit(&self->lines[i].busy);
    }
    free(self->lines);
    free(self->clocks);
    free(self->memories);
    free(self->kinds);
    free(self->are_wholes);
    free(self->line_ids);
    free(self->calls);
}

static tacho_status allocate(size_t count, size_t size, void **out_memory)
{
    *out_memory = calloc(count + 1, size);
    return *out_memory != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu items", count);
}

static tacho_status gathering_init(gathering *self)
{
    const tacho_dict *dict = self->dict;
    void *memory = NULL;
    TACHO_TRY(allocate(dict->clock_count, sizeof(*self->clocks), &memory));
    self->clocks = memory;
    for (size_t i = 0; i < dict->clock_count; i++) {
        self->clocks[i] = dict->clocks[i];
        self->clocks[i].zero_ticks = 0;
    }
    TACHO_TRY(allocate(dict->site_count, sizeof(*self->memories), &memory));
    self->memories = memory;
    TACHO_TRY(allocate(dict->site_count, sizeof(*self->kinds), &memory));
    self->kinds = memory;
    TACHO_TRY(allocate(dict->site_count, sizeof(*self->are_wholes), &memory));
    self->are_wholes = memory;
    for (size_t i = 0; i < dict->site_count; i++) {
        tacho_str name = tacho_dict_string(dict, dict->sites[i].name);
        self->memories[i] = (uint8_t)tacho_torq_transfer_memory(name);
        tacho_str category = tacho_dict_string(dict, dict->sites[i].category);
        self->kinds[i] = (uint8_t)tacho_category_kind_of(category);
        self->are_wholes[i] =
            tacho_str_equal(category, tacho_str_from_cstring(TACHO_CATEGORY_INFERENCE));
    }
    size_t id_count = dict->track_count * LINES_PER_TRACK;
    TACHO_TRY(allocate(id_count, sizeof(*self->line_ids), &memory));
    self->line_ids = memory;
    for (size_t i = 0; i < id_count; i++) {
        self->line_ids[i] = TACHO_NONE;
    }
    TACHO_TRY(allocate(dict->run_count, sizeof(*self->calls), &memory));
    self->calls = memory;
    for (size_t i = 0; i < dict->run_count; i++) {
        self->calls[i].extent = NO_HULL;
    }
    return TACHO_OK;
}

static bool is_work(const gathering *self, const tacho_span *span)
{
    uint32_t bit = TACHO_TRACK_BIT(self->dict->tracks[span->track].track_class);
    bool is_whole = bit == BIT(PHASE) && self->are_wholes[span->site];
    uint8_t kind = self->kinds[span->site];
    bool is_idle = kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT;
    bool is_of_host = kind == TACHO_CATEGORY_KIND_HOST && bit == BIT(COMPUTE);
    return ((bit & WORK_BITS) != 0 || is_whole) && (span->flags & TACHO_SPAN_INSTANT) == 0 &&
           !is_idle && !is_of_host;
}

static bool is_call(const gathering *self, const tacho_span *span)
{
    const tacho_track *track = &self->dict->tracks[span->track];
    return track->track_class == TACHO_TRACK_RUNTIME && track->nesting == TACHO_NESTING_STACK &&
           span->run != TACHO_NONE;
}

static hull span_extent(const gathering *self, const tacho_span *span)
{
    int64_t end = (span->flags & TACHO_SPAN_UNENDED) != 0 ? span->start : span->end;
    if (self->in_cycles) {
        return (hull){span->start, end};
    }
    const tacho_clock *clock = &self->clocks[self->dict->tracks[span->track].clock];
    return (hull){tacho_clock_ns(clock, span->start), tacho_clock_ns(clock, end)};
}

static bool is_same_hull(hull a, hull b)
{
    return a.first == b.first && a.last == b.last;
}

static void note_call(gathering *self, const tacho_span *span)
{
    call_group *group = &self->calls[span->run];
    hull extent = span_extent(self, span);
    hull before = group->extent;
    extend(&group->extent, extent);
    if (!is_same_hull(before, group->extent)) {
        group->covering_count = 0;
    }
    group->covering_count += is_same_hull(extent, group->extent) ? 1 : 0;
    group->count++;
}

static void note_calls(gathering *self)
{
    for (size_t i = 0; i < self->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(self->profile, i);
        if (is_call(self, &span) && is_work(self, &span)) {
            note_call(self, &span);
        }
    }
}

/* Whether the calls inside it stand for |span|. */
static bool is_outer_call(const gathering *self, const tacho_span *span)
{
    if (!is_call(self, span)) {
        return false;
    }
    const call_group *group = &self->calls[span->run];
    return group->count > 1 && group->covering_count == 1 &&
           is_same_hull(group->extent, span_extent(self, span));
}

static tacho_origin span_origin(const tacho_dict *dict, const tacho_span *span)
{
    uint32_t own = span->flags & TACHO_SPAN_ORIGIN_MASK;
    return own != 0 ? (tacho_origin)own : dict->parts[dict->tracks[span->track].part].origin;
}

static tacho_status ensure_line(gathering *self, const tacho_span *span, uint32_t *out_line)
{
    const tacho_track *track = &self->dict->tracks[span->track];
    tacho_origin origin = span_origin(self->dict, span);
    tacho_torq_memory memory = track->track_class == TACHO_TRACK_DMA_LOCAL
                                   ? (tacho_torq_memory)self->memories[span->site]
                                   : TACHO_TORQ_MEMORY_NONE;
    size_t at = ((size_t)span->track * TACHO_ORIGIN_COUNT + origin) * TACHO_TORQ_MEMORY_COUNT +
                (size_t)memory;
    if (TACHO_UNLIKELY(self->line_ids[at] == TACHO_NONE)) {
        TACHO_TRY(tacho_grow(&self->lines, &self->line_capacity, self->line_count + 1));
        self->line_ids[at] = (uint32_t)self->line_count;
        self->lines[self->line_count++] =
            (line){.track = track, .origin = origin, .memory = memory, .extent = NO_HULL};
    }
    *out_line = self->line_ids[at];
    return TACHO_OK;
}

static tacho_status gather_spans(gathering *self)
{
    for (size_t i = 0; i < self->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(self->profile, i);
        if (!is_work(self, &span) || is_outer_call(self, &span)) {
            continue;
        }
        uint32_t id = TACHO_NONE;
        TACHO_TRY(ensure_line(self, &span, &id));
        hull extent = span_extent(self, &span);
        extend(&self->lines[id].extent, extent);
        TACHO_TRY(tacho_intervals_add(&self->lines[id].busy, extent.first, extent.last));
    }
    for (size_t i = 0; i < self->line_count; i++) {
        tacho_intervals_normalise(&self->lines[i].busy);
    }
    return TACHO_OK;
}

/* ---- from lines to sets ----------------------------------------------------------------- */

typedef enum set_id {
    SET_DMA_IN,
    SET_DMA_OUT,
    SET_LOCAL,
    SET_DTCM,
    SET_ITCM,
    SET_SLICES,
    SET_CSS,
    SET_HAL,
    SET_HOST,
    SET_COPY,
    SET_CONTROL,
    FIRST_DERIVED_SET,
    SET_DMA = FIRST_DERIVED_SET,
    SET_MOVES,
    SET_COMPUTE,
    SET_OVERLAP,
    SET_MOVES_ONLY,
    SET_COMPUTE_ONLY,
    SET_ENGINES,
    SET_DEVICE, /* engines and runtime */
    SET_HOST_SIDE,
    SET_HOST_ALONE,
    SET_BUSY,
    SET_COUNT,
} set_id;

typedef tacho_status (*set_operation)(const tacho_intervals *a, const tacho_intervals *b,
                                      tacho_intervals *out_set);

/* How the derived sets are made, in this order. */
static const struct {
    set_id result;
    set_operation operation;
    set_id a;
    set_id b;
} derivations[] = {
    {SET_DMA, tacho_intervals_unite, SET_DMA_IN, SET_DMA_OUT},
    {SET_MOVES, tacho_intervals_unite, SET_DMA, SET_LOCAL},
    {SET_COMPUTE, tacho_intervals_unite, SET_SLICES, SET_CSS},
    {SET_OVERLAP, tacho_intervals_intersect, SET_MOVES, SET_COMPUTE},
    {SET_MOVES_ONLY, tacho_intervals_subtract, SET_MOVES, SET_COMPUTE},
    {SET_COMPUTE_ONLY, tacho_intervals_subtract, SET_COMPUTE, SET_MOVES},
    {SET_ENGINES, tacho_intervals_unite, SET_MOVES, SET_COMPUTE},
    {SET_DEVICE, tacho_intervals_unite, SET_ENGINES, SET_HAL},
    {SET_HOST_SIDE, tacho_intervals_unite, SET_HOST, SET_COPY},
    {SET_HOST_ALONE, tacho_intervals_subtract, SET_HOST_SIDE, SET_DEVICE},
    {SET_BUSY, tacho_intervals_unite, SET_DEVICE, SET_HOST_SIDE},
};

/* Metrics that are the length of a set; shown when the block has one of |any_of|, and of |and_of|.
 */
typedef struct measure {
    tacho_metric metric;
    set_id set;
    uint32_t any_of;
    uint32_t and_of;
} measure;

#define ANY UINT32_MAX
#define MOVES (BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL))
#define COMPUTES (BIT(COMPUTE) | BIT(VECTOR))

static const measure measures[] = {
    {TACHO_METRIC_DMA, SET_DMA, BIT(DMA_IN) | BIT(DMA_OUT), ANY},
    {TACHO_METRIC_DMA_ONLY, SET_MOVES_ONLY, MOVES, COMPUTES},
    {TACHO_METRIC_DMA_COMBINED, SET_MOVES, MOVES, ANY},
    {TACHO_METRIC_CDMA, SET_LOCAL, BIT(DMA_LOCAL), ANY},
    {TACHO_METRIC_CDMA_DTCM, SET_DTCM, BIT_DTCM, ANY},
    {TACHO_METRIC_CDMA_ITCM, SET_ITCM, BIT_ITCM, ANY},
    {TACHO_METRIC_DMA_IN, SET_DMA_IN, BIT(DMA_IN), ANY},
    {TACHO_METRIC_DMA_OUT, SET_DMA_OUT, BIT(DMA_OUT), ANY},
    {TACHO_METRIC_COMPUTE, SET_COMPUTE, COMPUTES, ANY},
    {TACHO_METRIC_COMPUTE_ONLY, SET_COMPUTE_ONLY, COMPUTES, MOVES},
    {TACHO_METRIC_SLICE, SET_SLICES, BIT(COMPUTE), ANY},
    {TACHO_METRIC_CSS, SET_CSS, BIT(VECTOR), ANY},
    {TACHO_METRIC_OVERLAP, SET_OVERLAP, MOVES, COMPUTES},
    {TACHO_METRIC_HAL, SET_HAL, BIT(RUNTIME), ANY},
    {TACHO_METRIC_HOST, SET_HOST, BIT(HOST), ANY},
    {TACHO_METRIC_HOST_COPY, SET_COPY, BIT(HOST_COPY), ANY},
};

/* One block while it is worked out. */
typedef struct block_sets {
    uint32_t present; /* bits of what the block has, if only empty */
    uint32_t shown;   /* bit i: metric i is in the input's own overview; 0: it has none */
    uint32_t *slices; /* those that the input has a track for, if only an empty one, sorted */
    size_t slice_count, slice_capacity;
    hull extent;
    hull extent_without_hal;
    tacho_intervals sets[SET_COUNT];
} block_sets;

static set_id line_set(const line *from)
{
    switch (from->track->track_class) {
    case TACHO_TRACK_HOST:
        return SET_HOST;
    case TACHO_TRACK_HOST_COPY:
        return SET_COPY;
    case TACHO_TRACK_RUNTIME:
        return SET_HAL;
    case TACHO_TRACK_CONTROL:
    case TACHO_TRACK_PHASE: /* wholes alone */
        return SET_CONTROL;
    case TACHO_TRACK_DMA_IN:
        return SET_DMA_IN;
    case TACHO_TRACK_DMA_OUT:
        return SET_DMA_OUT;
    case TACHO_TRACK_DMA_LOCAL:
        return SET_LOCAL;
    case TACHO_TRACK_COMPUTE:
        return SET_SLICES;
    case TACHO_TRACK_VECTOR:
        return SET_CSS;
    case TACHO_TRACK_GROUP:
    case TACHO_TRACK_SYNC:
    case TACHO_TRACK_PORT:
    case TACHO_TRACK_COUNTER:
    case TACHO_TRACK_MEMORY:
    case TACHO_TRACK_CLASS_COUNT:
        break;
    }
    assert(false && "a span of a class that does not count as work");
    return SET_CONTROL;
}

static tacho_status fill_sets(const line *lines, size_t line_count, block_sets *block)
{
    for (size_t i = 0; i < line_count; i++) {
        const line *from = &lines[i];
        extend(&block->extent, from->extent);
        if (from->track->track_class != TACHO_TRACK_RUNTIME) {
            extend(&block->extent_without_hal, from->extent);
        }
        block->present |= TACHO_TRACK_BIT(from->track->track_class);
        TACHO_TRY(tacho_intervals_add_all(&block->sets[line_set(from)], &from->busy));
        if (from->memory != TACHO_TORQ_MEMORY_NONE) {
            bool is_data = from->memory == TACHO_TORQ_MEMORY_DTCM;
            block->present |= is_data ? BIT_DTCM : BIT_ITCM;
            TACHO_TRY(
                tacho_intervals_add_all(&block->sets[is_data ? SET_DTCM : SET_ITCM], &from->busy));
        }
    }
    return TACHO_OK;
}

static tacho_status derive_sets(block_sets *block)
{
    tacho_intervals *sets = block->sets;
    for (size_t i = 0; i < FIRST_DERIVED_SET; i++) {
        tacho_intervals_normalise(&sets[i]);
    }
    for (size_t i = 0; i < sizeof(derivations) / sizeof(derivations[0]); i++) {
        TACHO_TRY(derivations[i].operation(&sets[derivations[i].a], &sets[derivations[i].b],
                                           &sets[derivations[i].result]));
        /* Programs keep engines busy that nobody has named. */
        if (derivations[i].result == SET_ENGINES && (block->present & ENGINE_BITS) == 0) {
            TACHO_TRY(tacho_intervals_add_all(&sets[SET_ENGINES], &sets[SET_CONTROL]));
        }
    }
    return TACHO_OK;
}

/* ---- from sets to metrics --------------------------------------------------------------- */

static tacho_status add_metric(tacho_overview *overview, tacho_metric_value value)
{
    TACHO_TRY(
        tacho_grow(&overview->metrics, &overview->metric_capacity, overview->metric_count + 1));
    overview->metrics[overview->metric_count++] = value;
    overview->blocks[overview->block_count - 1].metric_count++;
    return TACHO_OK;
}

static int64_t at_least_0(int64_t value)
{
    return value > 0 ? value : 0;
}

/* The metrics that are not simply the length of a set. */
static tacho_status add_sums(tacho_overview *overview, const block_sets *block)
{
    int64_t overall = hull_length(block->extent);
    int64_t idle = overall - tacho_intervals_total(&block->sets[SET_BUSY]);
    TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_OVERALL, 0, overall}));
    TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_IDLE, 0, at_least_0(idle)}));
    if ((block->present & BIT(RUNTIME)) == 0) {
        return TACHO_OK;
    }
    int64_t npu = hull_length(block->extent_without_hal) -
                  tacho_intervals_total(&block->sets[SET_HOST_ALONE]);
    return add_metric(overview, (tacho_metric_value){TACHO_METRIC_TOTAL_NPU, 0, at_least_0(npu)});
}

static tacho_status add_slice(tacho_overview *overview, uint32_t index, int64_t total)
{
    return add_metric(overview, (tacho_metric_value){TACHO_METRIC_SLICE_N, index, total});
}

/* The slices that did nothing: those of |block| that are not among the metrics from |first| on. */
static tacho_status add_idle_slices(tacho_overview *overview, const block_sets *block, size_t first)
{
    size_t end = overview->metric_count;
    for (size_t i = 0; i < block->slice_count; i++) {
        uint32_t slice = block->slices[i];
        while (first < end && overview->metrics[first].index < slice) {
            first++;
        }
        bool is_busy = first < end && overview->metrics[first].index == slice;
        if (!is_busy && (i == 0 || block->slices[i - 1] != slice)) {
            TACHO_TRY(add_slice(overview, slice, 0));
        }
    }
    return TACHO_OK;
}

/* One metric per slice; lines of one slice follow one another. */
static tacho_status add_slices(tacho_overview *overview, const line *lines, size_t line_count)
{
    size_t end = 0;
    for (size_t first = 0; first < line_count; first = end) {
        const tacho_track *track = lines[first].track;
        tacho_intervals busy = {0};
        tacho_status status = TACHO_OK;
        for (end = first; end < line_count && lines[end].track->track_class == track->track_class &&
                          lines[end].track->index == track->index && status == TACHO_OK;
             end++) {
            status = tacho_intervals_add_all(&busy, &lines[end].busy);
        }
        tacho_intervals_normalise(&busy);
        int64_t total = tacho_intervals_total(&busy);
        tacho_intervals_deinit(&busy);
        TACHO_TRY(status);
        if (track->track_class == TACHO_TRACK_COMPUTE) {
            TACHO_TRY(add_slice(overview, track->index, total));
        }
    }
    return TACHO_OK;
}

/* Leaves out times of engines that the input's own overview does not have. */
static void drop_unshown(tacho_overview *overview, const block_sets *block,
                         tacho_overview_block *made)
{
    size_t kept = made->first_metric;
    for (size_t i = kept; i < overview->metric_count; i++) {
        const tacho_metric_value *value = &overview->metrics[i];
        if (block->shown == 0 || value->metric <= TACHO_METRIC_TOTAL_NPU ||
            (block->shown >> value->metric & 1) != 0) {
            overview->metrics[kept++] = *value;
        }
    }
    overview->metric_count = kept;
    made->metric_count = kept - made->first_metric;
}

static int compare_metrics(const void *left, const void *right)
{
    const tacho_metric_value *a = left;
    const tacho_metric_value *b = right;
    if (a->metric != b->metric) {
        return a->metric < b->metric ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static tacho_status add_metrics(tacho_overview *overview, const line *lines, size_t line_count,
                                block_sets *block)
{
    TACHO_TRY(fill_sets(lines, line_count, block));
    TACHO_TRY(derive_sets(block));
    TACHO_TRY(add_sums(overview, block));
    size_t first_slice = overview->metric_count;
    TACHO_TRY(add_slices(overview, lines, line_count));
    TACHO_TRY(add_idle_slices(overview, block, first_slice));
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
        if ((block->present & measures[i].any_of) != 0 &&
            (block->present & measures[i].and_of) != 0) {
            int64_t total = tacho_intervals_total(&block->sets[measures[i].set]);
            TACHO_TRY(add_metric(overview, (tacho_metric_value){measures[i].metric, 0, total}));
        }
    }
    if (overview->options.wall_time_ns > 0) {
        TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_WALL_TIME, 0,
                                                            overview->options.wall_time_ns}));
    }
    tacho_overview_block *made = &overview->blocks[overview->block_count - 1];
    drop_unshown(overview, block, made);
    qsort(overview->metrics + made->first_metric, made->metric_count, sizeof(*overview->metrics),
          compare_metrics);
    return TACHO_OK;
}

/* ---- blocks ----------------------------------------------------------------------------- */

/* By part, origin, class, index: blocks and slices become stretches of the list. */
static int compare_lines(const void *left, const void *right)
{
    const line *a = left;
    const line *b = right;
    uint32_t a_keys[] = {a->track->part, (uint32_t)a->origin, (uint32_t)a->track->track_class,
                         a->track->index, (uint32_t)a->memory};
    uint32_t b_keys[] = {b->track->part, (uint32_t)b->origin, (uint32_t)b->track->track_class,
                         b->track->index, (uint32_t)b->memory};
    for (size_t i = 0; i < sizeof(a_keys) / sizeof(a_keys[0]); i++) {
        if (a_keys[i] != b_keys[i]) {
            return a_keys[i] < b_keys[i] ? -1 : 1;
        }
    }
    return (a->track > b->track) - (a->track < b->track);
}

/* What a part has without a span to show for it. */
static uint32_t empty_classes(const gathering *self, uint32_t part)
{
    uint32_t classes = self->dict->parts[part].covered_classes;
    for (size_t i = 0; i < self->dict->track_count; i++) {
        const uint32_t *ids = &self->line_ids[i * LINES_PER_TRACK];
        bool has_line = false;
        for (size_t j = 0; j < LINES_PER_TRACK; j++) {
            has_line = has_line || ids[j] != TACHO_NONE;
        }
        if (self->dict->tracks[i].part == part && !has_line) {
            classes |= TACHO_TRACK_BIT(self->dict->tracks[i].track_class);
        }
    }
    return classes & WORK_BITS;
}

static int compare_slices(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

_Static_assert(TACHO_METRIC_COUNT <= 32, "metrics fit one word");

/* The bits by which a metric is there. */
static uint32_t metric_bits(tacho_metric metric)
{
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
        if (measures[i].metric == metric && measures[i].and_of == ANY) {
            return measures[i].any_of;
        }
    }
    return 0;
}

/* What |part| has tracks for, be it engines or an overview of its own. */
static tacho_status note_tracks(const gathering *self, uint32_t part, block_sets *block)
{
    const tacho_dict *dict = self->dict;
    block->present = empty_classes(self, part);
    for (size_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        tacho_metric metric = TACHO_METRIC_COUNT;
        uint32_t slice = track->index;
        if (track->part != part) {
            continue;
        }
        if (tacho_overview_track_metric(dict, track, &metric, &slice)) {
            block->shown |= UINT32_C(1) << metric;
            block->present |= metric_bits(metric);
        }
        if (track->track_class == TACHO_TRACK_COMPUTE || metric == TACHO_METRIC_SLICE_N) {
            TACHO_TRY(tacho_grow(&block->slices, &block->slice_capacity, block->slice_count + 1));
            block->slices[block->slice_count++] = slice;
        }
    }
    if (block->slice_count > 1) {
        qsort(block->slices, block->slice_count, sizeof(*block->slices), compare_slices);
    }
    return TACHO_OK;
}

static tacho_status add_block(tacho_overview *overview, const gathering *self,
                              const tacho_overview_block *facts, const line *lines,
                              size_t line_count)
{
    TACHO_TRY(tacho_grow(&overview->blocks, &overview->block_capacity, overview->block_count + 1));
    overview->blocks[overview->block_count] = *facts;
    overview->blocks[overview->block_count++].first_metric = overview->metric_count;
    block_sets block = {.extent = NO_HULL, .extent_without_hal = NO_HULL};
    tacho_status status = TACHO_OK;
    if (facts->origin == self->dict->parts[facts->part].origin) {
        status = note_tracks(self, facts->part, &block);
    }
    if (status == TACHO_OK) {
        status = add_metrics(overview, lines, line_count, &block);
    }
    free(block.slices);
    for (size_t i = 0; i < SET_COUNT; i++) {
        tacho_intervals_deinit(&block.sets[i]);
    }
    return status;
}

/* A block for each origin of |part|; |*at| moves past its lines. */
static tacho_status add_part(tacho_overview *overview, const gathering *self, uint32_t part,
                             size_t *at)
{
    const line *lines = self->lines;
    size_t first = *at;
    if (first == self->line_count || lines[first].track->part != part) {
        tacho_overview_block none = {.part = part, .origin = self->dict->parts[part].origin};
        return add_block(overview, self, &none, lines, 0);
    }
    while (first < self->line_count && lines[first].track->part == part) {
        tacho_overview_block facts = {.part = part, .origin = lines[first].origin};
        size_t end = first;
        while (end < self->line_count && lines[end].track->part == part &&
               lines[end].origin == facts.origin) {
            end++;
        }
        TACHO_TRY(add_block(overview, self, &facts, lines + first, end - first));
        first = end;
    }
    *at = first;
    return TACHO_OK;
}

static bool is_wanted(const tacho_overview_options *options, uint32_t part)
{
    return !options->is_of_one_part || options->part == part;
}

static tacho_status check_cycles(const tacho_dict *dict, const tacho_overview_options *options)
{
    for (uint32_t i = 0; i < dict->part_count; i++) {
        if (is_wanted(options, i) && !dict->clocks[dict->parts[i].clock].counts_cycles) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the file has times, not cycles",
                              tacho_dict_string(dict, dict->parts[i].path).data);
        }
    }
    return TACHO_OK;
}

static tacho_status make_blocks(tacho_overview *overview, gathering *self)
{
    TACHO_TRY(gathering_init(self));
    note_calls(self);
    TACHO_TRY(gather_spans(self));
    if (self->line_count > 0) {
        qsort(self->lines, self->line_count, sizeof(*self->lines), compare_lines);
    }
    size_t at = 0;
    for (uint32_t part = 0; part < self->dict->part_count; part++) {
        if (is_wanted(&overview->options, part)) {
            TACHO_TRY(add_part(overview, self, part, &at));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_overview_init(tacho_overview *overview, const tacho_profile *profile,
                                 const tacho_overview_options *options)
{
    *overview = (tacho_overview){.dict = profile->events.dict, .options = *options};
    if (options->in_cycles) {
        TACHO_TRY(check_cycles(overview->dict, options));
    }
    gathering self = {
        .profile = profile, .dict = profile->events.dict, .in_cycles = options->in_cycles};
    tacho_status status = make_blocks(overview, &self);
    gathering_deinit(&self);
    return status;
}

void tacho_overview_deinit(tacho_overview *overview)
{
    free(overview->blocks);
    free(overview->metrics);
    *overview = (tacho_overview){0};
}

const int64_t *tacho_overview_find(const tacho_overview *overview,
                                   const tacho_overview_block *block, tacho_metric metric,
                                   uint32_t index)
{
    for (size_t i = 0; i < block->metric_count; i++) {
        const tacho_metric_value *value = &overview->metrics[block->first_metric + i];
        if (value->metric == metric && value->index == index) {
            return &value->value;
        }
    }
    return NULL;
}
