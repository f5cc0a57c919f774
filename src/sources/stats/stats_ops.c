/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op records as spans. By default each record in the file is a span on the track of its engine. In
 * the vendor's words the records of a task's threads become one span, from the first start to the
 * last end: they are gathered by task first.
 */
#include "sources/stats/stats_emit.h"

#include "base/decimal.h"
#include "base/grow.h"
#include "base/whole.h"

#include <stdlib.h>

enum {
    ARGS_MAX = STATS_KEY_COUNT + STATS_OPERANDS_MAX + TACHO_PMU_EVENTS_MAX,
    TEXT_ROOM = 32,
    TEXTS_MAX = 6,
};

/* The arguments of a row, and room for texts in them. */
typedef struct stats_args {
    tacho_arg items[ARGS_MAX];
    size_t item_count;
    char texts[TEXTS_MAX][TEXT_ROOM];
    size_t text_count;
} stats_args;

/* ---- arguments ----------------------------------------------------------------------------- */

static inline void add_uint(stats_args *args, uint32_t key, tacho_unit unit, uint64_t value)
{
    args->items[args->item_count++] =
        (tacho_arg){.key = key, .type = TACHO_ARG_UINT, .unit = unit, .value.as_uint = value};
}

static inline void add_string(stats_args *args, uint32_t key, uint32_t string)
{
    args->items[args->item_count++] =
        (tacho_arg){.key = key, .type = TACHO_ARG_STRING, .value.as_string = string};
}

static inline void add_text(stats_args *args, uint32_t key, const char *end)
{
    const char *text = args->texts[args->text_count++];
    args->items[args->item_count++] =
        (tacho_arg){.key = key,
                    .type = TACHO_ARG_TEXT,
                    .value.as_text = tacho_str_make(text, (size_t)(end - text))};
}

/* |value| / |by| with two decimals, as the vendor prints ratios. */
static void add_ratio(stats_args *args, uint32_t key, uint64_t value, uint64_t by)
{
    uint64_t hundredths = TACHO_LIKELY(value <= UINT64_MAX / 200 && by <= UINT64_MAX / 2)
                              ? (value * 100 + by / 2) / by
                              : (uint64_t)((tacho_u128)value * 100 / by);
    uint64_t whole = hundredths / 100;
    unsigned rest = (unsigned)(hundredths % 100);
    char *at = tacho_decimal_put(args->texts[args->text_count], whole);
    at[0] = '.';
    at[1] = (char)('0' + rest / 10);
    at[2] = (char)('0' + rest % 10);
    add_text(args, key, at + 3);
}

/* A duration; the clock's zero does not matter. */
static inline int64_t ticks_ns(const stats_emitter *self, int64_t ticks)
{
    const tacho_clock *clock = &self->dict->clocks[self->clock];
    int64_t product = 0;
    return TACHO_LIKELY(!__builtin_mul_overflow(ticks, clock->ns_numerator, &product))
               ? product / clock->ns_denominator
               : (int64_t)tacho_scale_floor(ticks, clock->ns_numerator, clock->ns_denominator);
}

/* Ticks as microseconds. */
static void add_us(const stats_emitter *self, stats_args *args, uint32_t key, int64_t ticks)
{
    int64_t ns = ticks_ns(self, ticks);
    add_text(args, key, tacho_decimal_put_us(args->texts[args->text_count], ns));
}

static void add_ns(const stats_emitter *self, stats_args *args, uint32_t key, int64_t ticks)
{
    add_uint(args, key, TACHO_UNIT_NS, (uint64_t)ticks_ns(self, ticks));
}

static void add_pmu(const stats_emitter *self, stats_args *args, const stats_times *times)
{
    for (uint32_t i = 0; times->pmu != NULL && i < self->program->facts.stats.pmu_event_count;
         i++) {
        add_uint(args, self->pmu_keys[i], TACHO_UNIT_COUNT, times->pmu[i]);
    }
}

/* The devices of a transfer, "1<-0": to 1, from 0. */
static void add_peers(const stats_emitter *self, stats_args *args, const stats_times *times)
{
    const tacho_job *job = &self->program->jobs[times->job];
    char *at = tacho_decimal_put(args->texts[args->text_count], self->file->head.device);
    *at++ = '<';
    *at++ = '-';
    add_text(args, self->keys[STATS_KEY_PORT_PEERS], tacho_decimal_put(at, job->partner));
}

/* ---- in tacho's words ---------------------------------------------------------------------- */

tacho_status stats_push_span(stats_emitter *self, const tacho_row *row)
{
    if (TACHO_UNLIKELY(row->of.span.end > self->max_ticks || row->start > row->of.span.end ||
                       row->start < 0)) {
        self->overflow_count++;
        return TACHO_OK;
    }
    return tacho_events_row(self->events, row);
}

/* The track and times of a span. */
typedef struct span_place {
    uint32_t track, site;
    int64_t start, end;
} span_place;

/* The row is built where it is used: returning it would copy it while it is written. */
static inline tacho_status push_span(stats_emitter *self, const span_place *place,
                                     const tacho_arg *args, size_t arg_count)
{
    tacho_row row;
    row.kind = TACHO_ROW_SPAN;
    row.track = place->track;
    row.start = place->start;
    row.of.span.end = place->end;
    row.of.span.site = place->site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = stats_view_of(self)->has_vendor_words ? TACHO_NONE : self->run;
    row.of.span.flags = 0;
    row.args = args;
    row.arg_count = arg_count;
    return stats_push_span(self, &row);
}

static tacho_status emit_native(stats_emitter *self, uint32_t engine, const stats_times *times)
{
    const stats_facts *facts = NULL;
    stats_args args;
    args.item_count = args.text_count = 0;
    uint32_t track = TACHO_NONE;
    TACHO_TRY(stats_facts_of(self, engine, times->oc, &facts));
    TACHO_TRY(stats_engine_track(self, engine, STATS_TRACK_OPS, &track));
    add_uint(&args, self->keys[STATS_KEY_OC], TACHO_UNIT_NONE, times->oc);
    if (facts->op != TACHO_NONE) {
        const stats_op_texts *texts = NULL;
        TACHO_TRY(stats_texts_of(self, facts->op, &texts));
        add_string(&args, self->keys[STATS_KEY_OP], texts->name);
    }
    if (times->bytes > 0) {
        add_uint(&args, self->keys[STATS_KEY_BYTES], TACHO_UNIT_BYTES, times->bytes);
    }
    if (TACHO_LIKELY(!stats_is_on_host(self->file))) {
        add_uint(&args, self->keys[STATS_KEY_PCYCLES], TACHO_UNIT_CYCLES, times->pcycles);
    }
    if (times->start > times->sync_start) {
        add_ns(self, &args, self->keys[STATS_KEY_SYNC], times->start - times->sync_start);
    }
    if (times->barrier_end > times->end) {
        add_ns(self, &args, self->keys[STATS_KEY_BARRIER], times->barrier_end - times->end);
    }
    if (times->estimate >= 0) {
        add_uint(&args, self->keys[STATS_KEY_ESTIMATE], TACHO_UNIT_CYCLES,
                 (uint64_t)times->estimate);
    }
    if (times->repeat > 1) {
        add_uint(&args, self->keys[STATS_KEY_REPEAT], TACHO_UNIT_COUNT, times->repeat);
    }
    if (times->is_link) {
        add_peers(self, &args, times);
    }
    add_pmu(self, &args, times);
    span_place place = {.track = track,
                        .site = facts->site,
                        .start = times->start,
                        .end = times->done >= 0 ? times->done : times->end};
    return push_span(self, &place, args.items, args.item_count);
}

/* ---- in the vendor's words ----------------------------------------------------------------- */

static tacho_status emit_sync(stats_emitter *self, uint32_t engine, uint32_t track,
                              const stats_times *times)
{
    stats_args args;
    args.item_count = args.text_count = 0;
    uint32_t site = TACHO_NONE;
    TACHO_TRY(stats_wait_site(self, engine, false, &site));
    add_uint(&args, self->keys[STATS_KEY_OC], TACHO_UNIT_NONE, times->oc);
    add_us(self, &args, self->keys[STATS_KEY_SYNC], times->start - times->sync_start);
    span_place place = {.track = track, .site = site, .start = times->start, .end = times->start};
    return push_span(self, &place, args.items, args.item_count);
}

static tacho_status emit_barrier(stats_emitter *self, uint32_t engine, const stats_times *times)
{
    uint32_t site = TACHO_NONE;
    uint32_t track = TACHO_NONE;
    TACHO_TRY(stats_wait_site(self, engine, true, &site));
    TACHO_TRY(stats_engine_track(self, engine, STATS_TRACK_BARRIERS, &track));
    tacho_arg oc = {
        .key = self->keys[STATS_KEY_OC], .type = TACHO_ARG_UINT, .value.as_uint = times->oc};
    span_place place = {
        .track = track, .site = site, .start = times->end, .end = times->barrier_end};
    return push_span(self, &place, &oc, 1);
}

/* Adds the arguments that do not depend on the record. */
static tacho_status add_op_args(stats_emitter *self, const stats_facts *facts, stats_args *args)
{
    add_string(args, self->keys[STATS_KEY_KIND], facts->kind);
    if (facts->memory != TACHO_NONE) {
        add_string(args, self->keys[STATS_KEY_MEMORY], facts->memory);
    }
    if (facts->op != TACHO_NONE) {
        const stats_op_texts *texts = NULL;
        TACHO_TRY(stats_texts_of(self, facts->op, &texts));
        add_string(args, self->keys[STATS_KEY_OP], texts->name);
        add_string(args, self->keys[STATS_KEY_TYPE], texts->type);
        add_string(args, self->keys[STATS_KEY_SHAPE], texts->shape);
        for (uint32_t i = 0; i < texts->operand_count; i++) {
            add_string(args, self->operand_keys[i], texts->operands[i]);
        }
        if (texts->attributes != TACHO_NONE) {
            add_string(args, self->keys[STATS_KEY_ATTRIBUTES], texts->attributes);
        }
    }
    return TACHO_OK;
}

static void add_cycle_args(stats_emitter *self, const stats_times *times, uint64_t ucycles,
                           stats_args *args)
{
    add_uint(args, self->keys[STATS_KEY_BYTES], TACHO_UNIT_BYTES, times->bytes);
    add_uint(args, self->keys[STATS_KEY_UCYCLES], TACHO_UNIT_NONE, ucycles);
    bool has_cycles = !stats_is_on_host(self->file);
    if (has_cycles) {
        add_uint(args, self->keys[STATS_KEY_PCYCLES], TACHO_UNIT_CYCLES, times->pcycles);
    }
    if (has_cycles && ucycles > 0) {
        double mhz = (double)times->pcycles / (double)ucycles * self->timer_mhz;
        uint64_t khz = mhz < 1e12 ? tacho_whole_u64(mhz * 1e3 + 0.5) : 0;
        add_ratio(args, self->keys[STATS_KEY_FREQUENCY], khz, 1000);
    }
    if (times->bytes > 0) {
        add_ratio(args, self->keys[STATS_KEY_UCYCLES_PER_KB],
                  ucycles > UINT64_MAX / 1024 ? UINT64_MAX : ucycles * 1024, times->bytes);
    }
    if (has_cycles && times->bytes > 0) {
        add_ratio(args, self->keys[STATS_KEY_PCYCLES_PER_KB],
                  times->pcycles > UINT64_MAX / 1024 ? UINT64_MAX : times->pcycles * 1024,
                  times->bytes);
    }
    if (times->estimate >= 0) {
        add_uint(args, self->keys[STATS_KEY_ESTIMATE], TACHO_UNIT_CYCLES,
                 (uint64_t)times->estimate);
    }
    add_pmu(self, args, times);
}

static tacho_status emit_op(stats_emitter *self, const stats_facts *facts, uint32_t track,
                            const stats_times *times, int64_t end)
{
    stats_args args;
    args.item_count = args.text_count = 0;
    add_uint(&args, self->keys[STATS_KEY_OC], TACHO_UNIT_NONE, times->oc);
    TACHO_TRY(add_op_args(self, facts, &args));
    add_cycle_args(self, times, (uint64_t)(end - times->start), &args);
    span_place place = {.track = track, .site = facts->site, .start = times->start, .end = end};
    return push_span(self, &place, args.items, args.item_count);
}

/*
 * A transfer from another device is outside of the core that started it; the core is an argument.
 */
static tacho_status emit_link(stats_emitter *self, uint32_t engine, const stats_facts *facts,
                              const stats_times *times)
{
    stats_args args;
    args.item_count = args.text_count = 0;
    uint32_t track = TACHO_NONE;
    int64_t end = times->done >= 0 ? times->done : times->end;
    TACHO_TRY(stats_link_track(self, times->job, &track));
    add_uint(&args, self->keys[STATS_KEY_OC], TACHO_UNIT_NONE, times->oc);
    TACHO_TRY(add_op_args(self, facts, &args));
    add_cycle_args(self, times, (uint64_t)(end - times->start), &args);
    add_uint(&args, self->keys[STATS_KEY_CORE], TACHO_UNIT_NONE,
             self->program->engines[engine].core);
    args.items[args.item_count++] = (tacho_arg){.key = self->keys[STATS_KEY_PORT_TYPE],
                                                .type = TACHO_ARG_TEXT,
                                                .value.as_text = TACHO_STR("P2P")};
    add_peers(self, &args, times);
    add_uint(&args, self->keys[STATS_KEY_TRANSACTION], TACHO_UNIT_NONE,
             (uint32_t)self->file->head.inference);
    span_place place = {.track = track, .site = facts->site, .start = times->start, .end = end};
    return push_span(self, &place, args.items, args.item_count);
}

static tacho_status emit_vendor(stats_emitter *self, uint32_t engine, const stats_times *times)
{
    const stats_facts *facts = NULL;
    uint32_t track = TACHO_NONE;
    TACHO_TRY(stats_facts_of(self, engine, times->oc, &facts));
    if (TACHO_LIKELY(!times->is_link) || times->start > times->sync_start) {
        TACHO_TRY(stats_engine_track(self, engine, STATS_TRACK_OPS, &track));
    }
    if (times->start > times->sync_start) {
        TACHO_TRY(emit_sync(self, engine, track, times));
    }
    if (TACHO_UNLIKELY(times->is_wait)) {
        return TACHO_OK; /* the whole transfer is pushed */
    }
    if (TACHO_UNLIKELY(times->is_link)) {
        return emit_link(self, engine, facts, times);
    }
    TACHO_TRY(emit_op(self, facts, track, times, times->end));
    if (times->done >= 0) {
        stats_times moving = *times;
        moving.pmu = NULL; /* counters are the thread's: once, where it starts the transfer */
        TACHO_TRY(stats_engine_track(self, engine, STATS_TRACK_TRANSFERS, &track));
        TACHO_TRY(emit_op(self, facts, track, &moving, times->done));
    }
    return TACHO_OK;
}

/* ---- records ------------------------------------------------------------------------------- */

/* |*cursor| is of tacho_stats_words_slot. */
static inline stats_times times_of(const stats_emitter *self, uint32_t engine,
                                   const tacho_stats_op *op, uint32_t *cursor)
{
    stats_times times = {
        .sync_start = (int64_t)op->sync_start_u,
        .start = (int64_t)op->op_start_u,
        .end = (int64_t)op->op_end_u,
        .barrier_end = (int64_t)op->barrier_end_u,
        .done = op->flags & TACHO_STATS_OP_ASYNC ? (int64_t)op->async_done_u : -1,
        .pcycles = op->op_end_p - op->op_start_p,
        .estimate = -1,
        .oc = op->oc,
        .repeat = op->repeat,
        .job = TACHO_NONE,
    };
    if (TACHO_UNLIKELY(stats_is_by_op(self->file))) {
        times.estimate = self->program->ops[op->oc].cycles;
        times.bytes = self->program->ops[op->oc].output_bytes;
        return times;
    }
    const tacho_stats_slot *slot = tacho_stats_words_slot(self->set->words, engine, op->oc, cursor);
    if (TACHO_LIKELY(slot != NULL)) {
        times.job = slot->job;
        times.estimate = slot->cycles;
        times.bytes = slot->bytes;
        times.is_wait = slot->is_wait;
        times.is_link = slot->is_link;
        if (TACHO_UNLIKELY(slot->is_wait && stats_view_of(self)->has_vendor_words)) {
            times.start = times.end; /* only waiting: all of it is sync */
        }
    }
    return times;
}

/* Counters are in the order of the records; where some are missing, the next ones are searched. */
typedef struct pmu_cursor {
    const stats_emitter *emitter;
    uint32_t array; /* or TACHO_NONE */
    uint32_t at;
    uint64_t values[TACHO_PMU_EVENTS_MAX];
} pmu_cursor;

enum { PMU_LOOK_AHEAD = 16 };

static const tacho_stats_op_pmu *pmu_peek(pmu_cursor *cursor)
{
    const stats_emitter *emitter = cursor->emitter;
    while (cursor->array != TACHO_NONE) {
        const tacho_stats_array *array = &emitter->file->arrays[cursor->array];
        if (cursor->at < array->count) {
            return &((const tacho_stats_op_pmu *)array->records)[cursor->at];
        }
        cursor->array = emitter->next_array[cursor->array];
        cursor->at = 0;
    }
    return NULL;
}

static const uint64_t *pmu_take(pmu_cursor *cursor, uint32_t oc)
{
    pmu_cursor look = *cursor;
    const tacho_stats_op_pmu *record = pmu_peek(&look);
    for (int i = 0; i < PMU_LOOK_AHEAD && record != NULL && record->oc != oc; i++) {
        look.at++;
        record = pmu_peek(&look);
    }
    if (record == NULL || record->oc != oc) {
        return NULL;
    }
    look.at++;
    *cursor = look;
    for (int i = 0; i < TACHO_PMU_EVENTS_MAX; i++) {
        cursor->values[i] = record->values[i];
    }
    return cursor->values;
}

tacho_status stats_visit_engine(stats_emitter *self, uint32_t engine, stats_take take, void *with)
{
    const tacho_stats_file *file = self->file;
    bool has_pmu = (file->head.features & TACHO_STATS_HAS_OP_PMU) != 0;
    pmu_cursor cursor = {.emitter = self, .array = self->first_pmu[engine]};
    uint32_t slot = 0;
    for (uint32_t i = self->first_op[engine]; i != TACHO_NONE; i = self->next_array[i]) {
        const tacho_stats_op *ops = file->arrays[i].records;
        for (uint32_t j = 0; j < file->arrays[i].count; j++) {
            if (TACHO_UNLIKELY(ops[j].oc == TACHO_NONE)) {
                continue; /* damaged, and counted */
            }
            stats_times times = times_of(self, engine, &ops[j], &slot);
            times.pmu = has_pmu ? pmu_take(&cursor, ops[j].oc) : NULL;
            TACHO_TRY(take(self, engine, &times, with));
        }
    }
    return TACHO_OK;
}

static tacho_status take_native(stats_emitter *self, uint32_t engine, const stats_times *times,
                                void *with)
{
    (void)with;
    return emit_native(self, engine, times);
}

static tacho_status take_thread(stats_emitter *self, uint32_t engine, const stats_times *times,
                                void *with)
{
    (void)with;
    return emit_vendor(self, engine, times);
}

static tacho_status take_barrier(stats_emitter *self, uint32_t engine, const stats_times *times,
                                 void *with)
{
    (void)with;
    return times->barrier_end > times->end ? emit_barrier(self, engine, times) : TACHO_OK;
}

bool stats_shows_engine(const stats_emitter *self, uint32_t engine)
{
    const tacho_program_engine *of = &self->program->engines[engine];
    return of->device == self->file->head.device && stats_shows_core(self, of->core);
}

static tacho_status visit_engines(stats_emitter *self, stats_take take)
{
    for (uint32_t i = 0; i < self->program->engine_count; i++) {
        if (stats_shows_engine(self, i)) {
            TACHO_TRY(stats_visit_engine(self, i, take, NULL));
        }
    }
    return TACHO_OK;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Records of a task, gathered. */
typedef struct gathered {
    stats_times times;
    uint64_t bytes;
    bool is_there, has_pmu;
} gathered;

/* Counters of a task. */
typedef struct gathered_pmu {
    uint64_t values[TACHO_PMU_EVENTS_MAX];
} gathered_pmu;

static void gather(gathered *of, const stats_times *times, gathered_pmu *pmu)
{
    if (!of->is_there) {
        of->times = *times;
        of->is_there = true;
    }
    stats_times *all = &of->times;
    all->sync_start = times->sync_start < all->sync_start ? times->sync_start : all->sync_start;
    all->start = times->start < all->start ? times->start : all->start;
    all->end = tacho_most(all->end, times->end);
    all->barrier_end = tacho_most(all->barrier_end, times->barrier_end);
    all->done = tacho_most(all->done, times->done);
    all->estimate = tacho_most(all->estimate, times->estimate);
    all->pcycles = times->pcycles > all->pcycles ? times->pcycles : all->pcycles;
    of->bytes += times->bytes;
    for (int i = 0; times->pmu != NULL && i < TACHO_PMU_EVENTS_MAX; i++) {
        pmu->values[i] += times->pmu[i];
        of->has_pmu = true;
    }
}

typedef struct gathering {
    gathered *items;
    gathered_pmu *pmus; /* NULL without counters */
    size_t first_task;
} gathering;

static tacho_status take_gathered(stats_emitter *self, uint32_t engine, const stats_times *times,
                                  void *with)
{
    const gathering *all = with;
    size_t task = tacho_stats_words_task(self->set->words, engine, times->oc);
    size_t at = task - all->first_task;
    gather(&all->items[at], times, all->pmus != NULL ? &all->pmus[at] : NULL);
    return TACHO_OK;
}

/* By start; then an empty record first, as on tracks of engines; then in the program's order. */
static int compare_gathered(const void *a, const void *b)
{
    const stats_times *left = &(*(gathered *const *)a)->times;
    const stats_times *right = &(*(gathered *const *)b)->times;
    if (left->start != right->start) {
        return left->start < right->start ? -1 : 1;
    }
    int emptiness = (left->end > left->start) - (right->end > right->start);
    return emptiness != 0 ? emptiness : (left->oc > right->oc) - (left->oc < right->oc);
}

static tacho_status emit_gathered(stats_emitter *self, const gathering *all, size_t task_count,
                                  gathered **order)
{
    const tacho_stats_layout *layout = self->set->words->layout;
    size_t count = 0;
    bool is_sorted = true;
    for (size_t i = 0; i < task_count; i++) {
        gathered *of = &all->items[i];
        if (of->is_there) {
            of->times.pmu = of->has_pmu ? all->pmus[i].values : NULL;
            of->times.bytes = of->bytes;
            order[count] = of;
            is_sorted = is_sorted &&
                        (count == 0 || compare_gathered(&order[count - 1], &order[count]) <= 0);
            count++;
        }
    }
    if (!is_sorted) {
        qsort(order, count, sizeof(order[0]), compare_gathered);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t engine = layout->tasks[all->first_task + order[i]->times.oc].engine;
        TACHO_TRY(emit_vendor(self, engine, &order[i]->times));
    }
    return TACHO_OK;
}

/* One core at a time, so that memory grows with the tasks of one core only. */
static tacho_status emit_core_groups(stats_emitter *self, uint32_t core)
{
    const tacho_stats_layout *layout = self->set->words->layout;
    size_t at = (size_t)self->file->head.device * self->program->facts.core_count + core;
    gathering all = {.first_task = layout->core_first_task[at]};
    size_t task_count = layout->core_first_task[at + 1] - all.first_task;
    all.items = tacho_items_alloc(task_count, sizeof(*all.items));
    bool has_pmu = (self->file->head.features & TACHO_STATS_HAS_OP_PMU) != 0;
    all.pmus = has_pmu ? tacho_items_alloc(task_count, sizeof(*all.pmus)) : NULL;
    gathered **order = tacho_items_alloc(task_count, sizeof(gathered *));
    tacho_status status = TACHO_OK;
    if (all.items == NULL || order == NULL || (has_pmu && all.pmus == NULL)) {
        status = tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu tasks", task_count);
    }
    for (uint32_t i = 0; i < self->program->engine_count && status == TACHO_OK; i++) {
        if (stats_shows_engine(self, i) && self->program->engines[i].core == core) {
            status = stats_visit_engine(self, i, take_gathered, &all);
        }
    }
    if (status == TACHO_OK) {
        status = emit_gathered(self, &all, task_count, order);
    }
    free(all.items);
    free(all.pmus);
    free(order);
    return status;
}

tacho_status stats_emit_ops(stats_emitter *self)
{
    const tacho_stats_view *view = stats_view_of(self);
    if (!view->has_vendor_words) {
        return visit_engines(self, take_native);
    }
    if (view->splits_groups || stats_is_by_op(self->file)) {
        TACHO_TRY(visit_engines(self, take_thread));
    } else {
        for (uint32_t core = 0; core < self->file->head.core_count; core++) {
            if (stats_shows_core(self, core)) {
                TACHO_TRY(emit_core_groups(self, core));
            }
        }
    }
    return view->shows_barriers ? visit_engines(self, take_barrier) : TACHO_OK;
}
