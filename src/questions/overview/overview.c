/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics are sums of the times in which some kinds of engines were busy and others were not, as
 * listed in a table.
 */
#include "questions/overview/overview.h"

#include "questions/overview/overview_tracks.h"
#include "base/grow.h"
#include "base/maths.h"
#include "profile/inferences.h"
#include "profile/process_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BIT(name) TACHO_TRACK_BIT(TACHO_TRACK_##name)

/* Besides the bits of classes: a local transfer to or from this memory was seen. */
#define BIT_DTCM (UINT32_C(1) << 30)
#define BIT_ITCM (UINT32_C(1) << 31)
_Static_assert(TACHO_TRACK_CLASS_COUNT <= 30, "classes and memories share one word");

static const uint32_t ENGINE_BITS =
    BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL) | BIT(COMPUTE) | BIT(VECTOR);

/* ---- from sums to metrics --------------------------------------------------------------- */

#define KIND(name) (UINT32_C(1) << TACHO_BUSY_##name)
#define MOVE_KINDS (KIND(DMA_IN) | KIND(DMA_OUT) | KIND(LOCAL))
#define COMPUTE_KINDS (KIND(SLICES) | KIND(CSS))
#define HOST_KINDS (KIND(HOST) | KIND(COPY))

/*
 * Metrics that are the time in which one of |busy| is busy and none of |idle|; shown if the block
 * has one of |any_of|, and one of |and_of|.
 */
typedef struct measure {
    tacho_metric metric;
    uint32_t busy, idle;
    uint32_t any_of, and_of;
} measure;

#define ANY UINT32_MAX
#define MOVES (BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL))
#define COMPUTES (BIT(COMPUTE) | BIT(VECTOR))

static const measure measures[] = {
    {TACHO_METRIC_DMA, KIND(DMA_IN) | KIND(DMA_OUT), 0, BIT(DMA_IN) | BIT(DMA_OUT), ANY},
    {TACHO_METRIC_DMA_ONLY, MOVE_KINDS, COMPUTE_KINDS, MOVES, COMPUTES},
    {TACHO_METRIC_DMA_COMBINED, MOVE_KINDS, 0, MOVES, ANY},
    {TACHO_METRIC_CDMA, KIND(LOCAL), 0, BIT(DMA_LOCAL), ANY},
    {TACHO_METRIC_DMA_IN, KIND(DMA_IN), 0, BIT(DMA_IN), ANY},
    {TACHO_METRIC_DMA_OUT, KIND(DMA_OUT), 0, BIT(DMA_OUT), ANY},
    {TACHO_METRIC_COMPUTE, COMPUTE_KINDS, 0, COMPUTES, ANY},
    {TACHO_METRIC_COMPUTE_ONLY, COMPUTE_KINDS, MOVE_KINDS, COMPUTES, MOVES},
    {TACHO_METRIC_SLICE, KIND(SLICES), 0, BIT(COMPUTE), ANY},
    {TACHO_METRIC_CSS, KIND(CSS), 0, BIT(VECTOR), ANY},
    {TACHO_METRIC_HAL, KIND(HAL), 0, BIT(RUNTIME), ANY},
    {TACHO_METRIC_HOST, KIND(HOST), 0, BIT(HOST), ANY},
    {TACHO_METRIC_HOST_COPY, KIND(COPY), 0, BIT(HOST_COPY), ANY},
};

/* Working state of one block. */
typedef struct block_work {
    const tacho_busy_block *of;
    uint32_t present;           /* bits of the classes that the block has, even if empty */
    uint32_t shown;             /* bit i: metric i is in the input's own overview; 0: it has none */
    tacho_overview_block *made; /* the result */
    uint32_t *slices;           /* that have a track, even an empty one; sorted */
    size_t slice_count, slice_capacity;
} block_work;

_Static_assert(TACHO_METRIC_COUNT <= 32, "metrics fit one word");

/* The bits that make a metric present. */
static uint32_t metric_bits(tacho_metric metric)
{
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
        if (measures[i].metric == metric && measures[i].and_of == ANY) {
            return measures[i].any_of;
        }
    }
    return metric == TACHO_METRIC_CDMA_DTCM   ? BIT_DTCM
           : metric == TACHO_METRIC_CDMA_ITCM ? BIT_ITCM
                                              : 0;
}

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

/* The device's work, including that of engines without a name. */
static uint32_t device_kinds(const block_work *block)
{
    bool has_engines = (block->present & ENGINE_BITS) != 0;
    return MOVE_KINDS | COMPUTE_KINDS | KIND(HAL) | (has_engines ? 0 : KIND(CONTROL));
}

/* Adds the metrics that take more than one sum. */
static tacho_status add_sums(tacho_overview *overview, const block_work *block)
{
    const tacho_busy_block *of = block->of;
    uint32_t device = device_kinds(block);
    int64_t overall = tacho_hull_length(of->extent);
    int64_t idle = overall - tacho_busy_sum(of, device | HOST_KINDS, 0);
    TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_OVERALL, 0, overall}));
    TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_IDLE, 0, at_least_0(idle)}));
    if (block->made->words == TACHO_WORDS_GPU || block->made->words == TACHO_WORDS_STREAMS) {
        int64_t device_idle = overall - tacho_busy_sum(of, MOVE_KINDS | COMPUTE_KINDS, 0);
        TACHO_TRY(add_metric(
            overview, (tacho_metric_value){TACHO_METRIC_DEVICE_IDLE, 0, at_least_0(device_idle)}));
    }
    if ((block->present & MOVES) != 0 && (block->present & COMPUTES) != 0) {
        int64_t both =
            tacho_busy_sum(of, MOVE_KINDS, 0) - tacho_busy_sum(of, MOVE_KINDS, COMPUTE_KINDS);
        TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_OVERLAP, 0, both}));
    }
    if ((device & KIND(CONTROL)) != 0 && (block->present & BIT(CONTROL)) != 0) {
        int64_t programs = tacho_busy_sum(of, KIND(CONTROL), 0);
        TACHO_TRY(add_metric(overview, (tacho_metric_value){TACHO_METRIC_NSS, 0, programs}));
    }
    if ((block->present & BIT(RUNTIME)) == 0) {
        return TACHO_OK;
    }
    int64_t npu =
        tacho_hull_length(of->extent_without_hal) - tacho_busy_sum(of, HOST_KINDS, device);
    return add_metric(overview, (tacho_metric_value){TACHO_METRIC_TOTAL_NPU, 0, at_least_0(npu)});
}

static tacho_status add_slice(tacho_overview *overview, uint32_t index, int64_t total)
{
    return add_metric(overview, (tacho_metric_value){TACHO_METRIC_SLICE_N, index, total});
}

/* Adds the idle slices: those of |block| that are not among the metrics from |first| on. */
static tacho_status add_idle_slices(tacho_overview *overview, const block_work *block, size_t first)
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

/* Local transfers by the memory that they touch. */
static tacho_status add_memories(tacho_overview *overview, const block_work *block)
{
    static const tacho_metric metrics[] = {TACHO_METRIC_CDMA_DTCM, TACHO_METRIC_CDMA_ITCM};
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        if ((block->present & metric_bits(metrics[i])) != 0) {
            TACHO_TRY(add_metric(
                overview, (tacho_metric_value){metrics[i], 0, block->of->memories[i].total}));
        }
    }
    return TACHO_OK;
}

/* Leaves out times of engines that the input's own overview does not have. */
static void drop_unshown(tacho_overview *overview, const block_work *block,
                         tacho_overview_block *made)
{
    size_t kept = made->first_metric;
    for (size_t i = kept; i < overview->metric_count; i++) {
        const tacho_metric_value *value = &overview->metrics[i];
        if (block->shown == 0 || value->metric <= TACHO_METRIC_NSS ||
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

static tacho_status add_metrics(tacho_overview *overview, block_work *block)
{
    const tacho_busy_block *of = block->of;
    block->present |=
        of->classes | (of->has_memory[0] ? BIT_DTCM : 0) | (of->has_memory[1] ? BIT_ITCM : 0);
    TACHO_TRY(add_sums(overview, block));
    TACHO_TRY(add_memories(overview, block));
    size_t first_slice = overview->metric_count;
    for (size_t i = 0; i < of->slice_count; i++) {
        TACHO_TRY(add_slice(overview, of->slices[i].index, of->slices[i].busy.total));
    }
    TACHO_TRY(add_idle_slices(overview, block, first_slice));
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
        if ((block->present & measures[i].any_of) != 0 &&
            (block->present & measures[i].and_of) != 0) {
            int64_t total = tacho_busy_sum(of, measures[i].busy, measures[i].idle);
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

/* The classes that a part covers without any span. */
static uint32_t empty_classes(const tacho_overview_gather *gather, uint32_t part)
{
    const tacho_dict *dict = gather->events.dict;
    uint32_t classes = dict->parts[part].covered_classes;
    for (uint32_t i = 0; i < dict->track_count; i++) {
        if (dict->tracks[i].part == part && !tacho_overview_gather_has_work(gather, i)) {
            classes |= TACHO_TRACK_BIT(dict->tracks[i].track_class);
        }
    }
    return classes & TACHO_OVERVIEW_CLASSES;
}

static int compare_slices(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Notes the tracks of |part|, both engines and its own overview. */
static tacho_status note_tracks(const tacho_overview_gather *gather, uint32_t part,
                                block_work *block)
{
    const tacho_dict *dict = gather->events.dict;
    block->present = empty_classes(gather, part);
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
    uint32_t hidden = tacho_overview_choose_words(dict, part, block->made);
    if (hidden != 0) {
        block->shown = (block->shown != 0 ? block->shown : UINT32_MAX) & ~hidden;
    }
    if (block->slice_count > 1) {
        qsort(block->slices, block->slice_count, sizeof(*block->slices), compare_slices);
    }
    return TACHO_OK;
}

static tacho_status add_block(tacho_overview *overview, const tacho_overview_gather *gather,
                              const tacho_busy_block *of)
{
    TACHO_TRY(tacho_grow(&overview->blocks, &overview->block_capacity, overview->block_count + 1));
    overview->blocks[overview->block_count++] = (tacho_overview_block){
        .part = of->part, .origin = of->origin, .first_metric = overview->metric_count};
    block_work block = {.of = of, .made = &overview->blocks[overview->block_count - 1]};
    tacho_status status = TACHO_OK;
    if (of->origin == overview->dict->parts[of->part].origin) {
        status = note_tracks(gather, of->part, &block);
    }
    if (status == TACHO_OK) {
        status = add_metrics(overview, &block);
    }
    free(block.slices);
    return status;
}

/* A capture of processes: one that reported nothing has no engines that could have been busy. */
static bool is_of_processes(const tacho_dict *dict, uint32_t part)
{
    return tacho_str_equal(tacho_dict_string(dict, dict->parts[part].format),
                           TACHO_STR(TACHO_PROCESS_FORMAT));
}

/* Adds a block for each origin of |part|; moves |*at| past those that were gathered. */
static tacho_status add_part(tacho_overview *overview, const tacho_overview_gather *gather,
                             uint32_t part, size_t *at)
{
    if (*at == gather->block_count || gather->blocks[*at].part != part) {
        if (is_of_processes(overview->dict, part)) {
            return TACHO_OK;
        }
        tacho_busy_block none = {.part = part, .origin = overview->dict->parts[part].origin};
        return add_block(overview, gather, &none);
    }
    while (*at < gather->block_count && gather->blocks[*at].part == part) {
        TACHO_TRY(add_block(overview, gather, &gather->blocks[(*at)++]));
    }
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

/* ---- inferences ------------------------------------------------------------------------- */

/* The block of |kept| that |block| is another inference of; NULL for none. */
static tacho_overview_block *find_earlier(tacho_overview *overview, size_t kept,
                                          const tacho_overview_block *block,
                                          const tacho_inferences *of)
{
    for (size_t i = kept; i > 0; i--) {
        tacho_overview_block *other = &overview->blocks[i - 1];
        if (of->firsts[other->part] != of->firsts[block->part]) {
            return NULL;
        }
        if (other->origin == block->origin && other->words == TACHO_WORDS_OWN &&
            block->words == TACHO_WORDS_OWN) {
            return other;
        }
    }
    return NULL;
}

static void add_inference(const tacho_overview *overview, const tacho_overview_block *block,
                          tacho_overview_block *to)
{
    for (size_t i = 0; i < to->metric_count; i++) {
        tacho_metric_value *sum = &overview->metrics[to->first_metric + i];
        const int64_t *more = tacho_overview_find(overview, block, sum->metric, sum->index);
        sum->value = more != NULL ? tacho_cycles_add(sum->value, *more) : sum->value;
    }
    to->inference_count += to->inference_count == 0 ? 2 : 1;
}

static void merge_blocks(tacho_overview *overview, const tacho_inferences *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < overview->block_count; i++) {
        const tacho_overview_block block = overview->blocks[i];
        tacho_overview_block *earlier = find_earlier(overview, kept, &block, of);
        if (earlier != NULL) {
            add_inference(overview, &block, earlier);
            earlier->run_name = of->names[earlier->part];
        } else {
            overview->blocks[kept++] = block;
        }
    }
    overview->block_count = kept;
    for (size_t i = 0; i < kept; i++) {
        const tacho_overview_block *block = &overview->blocks[i];
        for (size_t k = 0; k < block->metric_count && block->inference_count > 1; k++) {
            overview->metrics[block->first_metric + k].value /= block->inference_count;
        }
    }
}

static tacho_status merge_inferences(tacho_overview *overview)
{
    tacho_inferences of;
    tacho_status status = tacho_inferences_init(&of, overview->dict);
    if (status == TACHO_OK) {
        merge_blocks(overview, &of);
    }
    tacho_inferences_deinit(&of);
    return status;
}

tacho_status tacho_overview_init_gathered(tacho_overview *overview,
                                          const tacho_overview_gather *gather,
                                          const tacho_overview_options *options)
{
    const tacho_dict *dict = gather->events.dict;
    *overview = (tacho_overview){.dict = dict, .options = *options};
    TACHO_TRY(options->in_cycles ? check_cycles(dict, options) : TACHO_OK);
    size_t at = 0;
    for (uint32_t part = 0; part < dict->part_count; part++) {
        while (at < gather->block_count && gather->blocks[at].part < part) {
            at++;
        }
        if (is_wanted(options, part)) {
            TACHO_TRY(add_part(overview, gather, part, &at));
        }
    }
    return options->merges_inferences ? merge_inferences(overview) : TACHO_OK;
}

static tacho_status gather_profile(const tacho_profile *profile, tacho_overview_gather *gather)
{
    TACHO_TRY(tacho_profile_replay_spans(profile, &gather->events));
    for (uint32_t part = 0; part < profile->events.dict->part_count; part++) {
        TACHO_TRY(tacho_events_end_part(&gather->events, part));
    }
    return TACHO_OK;
}

tacho_status tacho_overview_init(tacho_overview *overview, const tacho_profile *profile,
                                 const tacho_overview_options *options)
{
    tacho_overview_gather gather;
    *overview = (tacho_overview){.dict = profile->events.dict, .options = *options};
    tacho_overview_gather_init(&gather, profile->events.dict);
    gather.in_cycles = options->in_cycles;
    tacho_status status = gather_profile(profile, &gather);
    if (status == TACHO_OK) {
        status = tacho_overview_init_gathered(overview, &gather, options);
    }
    tacho_overview_gather_deinit(&gather);
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
