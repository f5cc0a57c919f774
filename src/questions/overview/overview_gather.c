/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts spans to intervals, one at a time for each line; then intervals, by time, to sums.
 */
#include "questions/overview/overview_gather.h"

#include "questions/overview/overview_tracks.h"
#include "base/grow.h"
#include "profile/categories.h"

#include <assert.h>
#include <stdlib.h>

#define BIT(name) TACHO_TRACK_BIT(TACHO_TRACK_##name)

enum { SPOOL_BYTES = 4 << 20, LINES_PER_TRACK = TACHO_ORIGIN_COUNT * TACHO_TORQ_MEMORY_COUNT };

static const tacho_hull NO_HULL = {INT64_MAX, INT64_MIN};

/* Facts of the spans of a site. */
enum {
    SITE_MEMORY_MASK = 3,  /* a tacho_torq_memory */
    SITE_IDLE = 1 << 2,    /* a phase or a wait */
    SITE_OF_HOST = 1 << 3, /* not device work, on any track */
    SITE_WHOLE = 1 << 4,   /* a whole inference */
};
_Static_assert(TACHO_TORQ_MEMORY_COUNT <= SITE_MEMORY_MASK + 1, "memories fit their bits");

/* The work of one track with one origin and one memory. */
typedef struct tacho_busy_line {
    uint32_t track;
    tacho_origin origin;
    tacho_torq_memory memory;
    uint32_t block, slice; /* where it is counted, or TACHO_NONE */
    bool has_row;
    tacho_row row; /* an interval that may grow; its |op| is the line */
} line;

typedef struct tacho_busy_track {
    uint8_t seen_class; /* at its first row */
    uint8_t seen_nesting;
    bool has_rows;
    bool has_work;
    uint32_t lines[LINES_PER_TRACK];
} track_state;

/* The calls of one run: one that covers all others, if any, is replaced by those. */
typedef struct tacho_busy_calls {
    tacho_hull extent;
    uint32_t count;
    uint32_t covering_count;
} call_group;

int64_t tacho_hull_length(tacho_hull whole)
{
    return whole.first <= whole.last ? whole.last - whole.first : 0;
}

static void extend(tacho_hull *into, tacho_hull more)
{
    into->first = more.first < into->first ? more.first : into->first;
    into->last = more.last > into->last ? more.last : into->last;
}

static bool is_same_hull(tacho_hull a, tacho_hull b)
{
    return a.first == b.first && a.last == b.last;
}

static tacho_overview_gather *gather_of(tacho_events *events)
{
    return (tacho_overview_gather *)(void *)events;
}

/* ---- spans --------------------------------------------------------------------------------- */

static tacho_status grow_sites(tacho_overview_gather *self)
{
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->sites, &self->site_capacity, dict->site_count));
    for (; self->site_count < dict->site_count; self->site_count++) {
        const tacho_site *site = &dict->sites[self->site_count];
        tacho_str category = tacho_dict_string(dict, site->category);
        tacho_str name = tacho_dict_string(dict, site->name);
        tacho_category_kind kind = tacho_span_kind_of(category, name);
        bool is_idle = kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT;
        bool is_whole = tacho_str_equal(category, tacho_str_from_cstring(TACHO_CATEGORY_INFERENCE));
        unsigned facts = (unsigned)tacho_torq_transfer_memory(name);
        facts |= (is_idle ? SITE_IDLE : 0) | (is_whole ? SITE_WHOLE : 0) |
                 (kind == TACHO_CATEGORY_KIND_HOST ? SITE_OF_HOST : 0);
        self->sites[self->site_count] = (uint8_t)facts;
    }
    return TACHO_OK;
}

static tacho_status grow_tracks(tacho_overview_gather *self)
{
    size_t count = self->events.dict->track_count;
    TACHO_TRY(tacho_grow(&self->tracks, &self->track_capacity, count));
    for (; self->track_count < count; self->track_count++) {
        track_state *track = &self->tracks[self->track_count];
        *track = (track_state){0};
        for (size_t i = 0; i < LINES_PER_TRACK; i++) {
            track->lines[i] = TACHO_NONE;
        }
    }
    return TACHO_OK;
}

static bool is_work(const tacho_overview_gather *self, const tacho_row *row)
{
    uint32_t bit = TACHO_TRACK_BIT(self->events.dict->tracks[row->track].track_class);
    uint8_t site = self->sites[row->of.span.site];
    bool is_whole = bit == BIT(PHASE) && (site & SITE_WHOLE) != 0;
    bool is_of_host = bit == BIT(COMPUTE) && (site & SITE_OF_HOST) != 0;
    return ((bit & TACHO_OVERVIEW_CLASSES) != 0 || is_whole) && (site & SITE_IDLE) == 0 &&
           !is_of_host;
}

static bool is_call(const tacho_dict *dict, const tacho_row *row)
{
    const tacho_track *track = &dict->tracks[row->track];
    return track->track_class == TACHO_TRACK_RUNTIME && track->nesting == TACHO_NESTING_STACK &&
           row->of.span.run != TACHO_NONE;
}

/* The extent of |row| in the unit of the overview; a span that never ended is a moment. */
static tacho_hull row_extent(const tacho_overview_gather *self, const tacho_row *row)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    int64_t end = (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ? row->start : row->of.span.end;
    if (self->in_cycles ||
        (self->is_by_form && tacho_overview_form_of(dict, track->part).in_cycles)) {
        return (tacho_hull){row->start, end};
    }
    tacho_clock clock = dict->clocks[track->clock];
    clock.zero_ticks = 0; /* relative, since parts may not have a zero yet */
    return (tacho_hull){tacho_clock_ns(&clock, row->start), tacho_clock_ns(&clock, end)};
}

/* ---- calls --------------------------------------------------------------------------------- */

static tacho_status note_call(tacho_overview_gather *self, const tacho_row *row)
{
    uint32_t run = row->of.span.run;
    TACHO_TRY(tacho_grow(&self->calls, &self->call_capacity, (size_t)run + 1));
    for (; self->call_count <= run; self->call_count++) {
        self->calls[self->call_count] = (call_group){.extent = NO_HULL};
    }
    call_group *group = &self->calls[run];
    tacho_hull extent = row_extent(self, row);
    tacho_hull before = group->extent;
    extend(&group->extent, extent);
    if (!is_same_hull(before, group->extent)) {
        group->covering_count = 0;
    }
    group->covering_count += is_same_hull(extent, group->extent) ? 1 : 0;
    group->count++;
    return TACHO_OK;
}

/* Whether |row| is replaced by the calls inside it. */
static bool is_outer_call(const tacho_overview_gather *self, const tacho_row *row)
{
    if (row->of.span.run == TACHO_NONE) {
        return false;
    }
    const call_group *group = &self->calls[row->of.span.run];
    return group->count > 1 && group->covering_count == 1 &&
           is_same_hull(group->extent, row_extent(self, row));
}

/* ---- from spans to intervals --------------------------------------------------------------- */

static tacho_status ensure_line(tacho_overview_gather *self, const tacho_row *row,
                                uint32_t *out_line)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    uint32_t own = row->of.span.flags & TACHO_SPAN_ORIGIN_MASK;
    tacho_origin origin = own != 0 ? (tacho_origin)own : dict->parts[track->part].origin;
    unsigned memory = track->track_class == TACHO_TRACK_DMA_LOCAL
                          ? self->sites[row->of.span.site] & SITE_MEMORY_MASK
                          : TACHO_TORQ_MEMORY_NONE;
    uint32_t *id =
        &self->tracks[row->track].lines[(size_t)origin * TACHO_TORQ_MEMORY_COUNT + memory];
    if (TACHO_UNLIKELY(*id == TACHO_NONE)) {
        TACHO_TRY(tacho_grow(&self->lines, &self->line_capacity, self->line_count + 1));
        self->lines[self->line_count] = (line){.track = row->track,
                                               .origin = origin,
                                               .memory = (tacho_torq_memory)memory,
                                               .block = TACHO_NONE,
                                               .slice = TACHO_NONE};
        *id = (uint32_t)self->line_count++;
    }
    *out_line = *id;
    return TACHO_OK;
}

static tacho_status spool_line(tacho_overview_gather *self, line *from)
{
    bool has_row = from->has_row;
    from->has_row = false;
    return has_row ? tacho_spool_add(self->spool, &from->row) : TACHO_OK;
}

/* Work that touches the last interval of its line extends it; calls are handled one by one. */
static tacho_status add_work(tacho_overview_gather *self, const tacho_row *row)
{
    uint32_t id = TACHO_NONE;
    bool is_one_call = is_call(self->events.dict, row);
    TACHO_TRY(is_one_call ? note_call(self, row) : TACHO_OK);
    TACHO_TRY(ensure_line(self, row, &id));
    line *to = &self->lines[id];
    tacho_row bare = *row;
    bare.args = NULL;
    bare.arg_count = 0;
    bare.of.span.op = id;
    if ((row->of.span.flags & TACHO_SPAN_UNENDED) != 0) {
        bare.of.span.end = row->start;
        bare.of.span.flags &= ~(uint32_t)TACHO_SPAN_UNENDED;
    }
    if (is_one_call) {
        return tacho_spool_add(self->spool, &bare);
    }
    bare.of.span.run = TACHO_NONE;
    if (to->has_row && bare.start >= to->row.start && bare.start <= to->row.of.span.end) {
        int64_t end = bare.of.span.end;
        to->row.of.span.end = end > to->row.of.span.end ? end : to->row.of.span.end;
        return TACHO_OK;
    }
    TACHO_TRY(spool_line(self, to));
    to->row = bare;
    to->has_row = true;
    return TACHO_OK;
}

static tacho_status gather_row(tacho_events *events, const tacho_row *row)
{
    tacho_overview_gather *self = gather_of(events);
    if (row->kind != TACHO_ROW_SPAN || (row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        return TACHO_OK;
    }
    if (TACHO_UNLIKELY(self->spool == NULL)) {
        TACHO_TRY(tacho_spool_create(events->dict, SPOOL_BYTES, &self->spool));
    }
    TACHO_TRY(row->of.span.site < self->site_count ? TACHO_OK : grow_sites(self));
    TACHO_TRY(row->track < self->track_count ? TACHO_OK : grow_tracks(self));
    track_state *track = &self->tracks[row->track];
    if (TACHO_UNLIKELY(!track->has_rows)) {
        track->has_rows = true;
        track->seen_class = (uint8_t)events->dict->tracks[row->track].track_class;
        track->seen_nesting = (uint8_t)events->dict->tracks[row->track].nesting;
    }
    return is_work(self, row) ? add_work(self, row) : TACHO_OK;
}

/* ---- from intervals to sums ---------------------------------------------------------------- */

static tacho_busy_kind kind_of(tacho_track_class track_class)
{
    switch (track_class) {
    case TACHO_TRACK_HOST:
        return TACHO_BUSY_HOST;
    case TACHO_TRACK_HOST_COPY:
        return TACHO_BUSY_COPY;
    case TACHO_TRACK_RUNTIME:
        return TACHO_BUSY_HAL;
    case TACHO_TRACK_CONTROL:
    case TACHO_TRACK_PHASE: /* only whole inferences */
        return TACHO_BUSY_CONTROL;
    case TACHO_TRACK_DMA_IN:
        return TACHO_BUSY_DMA_IN;
    case TACHO_TRACK_DMA_OUT:
        return TACHO_BUSY_DMA_OUT;
    case TACHO_TRACK_DMA_LOCAL:
        return TACHO_BUSY_LOCAL;
    case TACHO_TRACK_COMPUTE:
        return TACHO_BUSY_SLICES;
    case TACHO_TRACK_VECTOR:
        return TACHO_BUSY_CSS;
    case TACHO_TRACK_GROUP:
    case TACHO_TRACK_SYNC:
    case TACHO_TRACK_PORT:
    case TACHO_TRACK_COUNTER:
    case TACHO_TRACK_MEMORY:
    case TACHO_TRACK_CLASS_COUNT:
        break;
    }
    assert(false && "a span of a class that does not count as work");
    return TACHO_BUSY_CONTROL;
}

static void add_busy(tacho_busy_time *busy, tacho_hull more)
{
    int64_t begin = more.first > busy->end ? more.first : busy->end;
    if (more.last > begin) {
        busy->total += more.last - begin;
        busy->end = more.last;
    }
}

/* Adds up the time until |until|, divided at the times when a kind becomes idle. */
static void pass_time(tacho_busy_block *block, int64_t until)
{
    while (block->now < until) {
        uint32_t busy = 0;
        int64_t next = until;
        for (unsigned i = 0; i < TACHO_BUSY_KIND_COUNT; i++) {
            if (block->ends[i] > block->now) {
                busy |= UINT32_C(1) << i;
                next = block->ends[i] < next ? block->ends[i] : next;
            }
        }
        block->sums[busy] += next - block->now;
        block->now = next;
    }
}

int64_t tacho_busy_sum(const tacho_busy_block *block, uint32_t any, uint32_t none)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < TACHO_BUSY_COMBINATIONS; i++) {
        sum += (i & any) != 0 && (i & none) == 0 ? block->sums[i] : 0;
    }
    return sum;
}

static tacho_status ensure_block(tacho_overview_gather *self, line *of)
{
    uint32_t part = self->events.dict->tracks[of->track].part;
    for (size_t i = self->settled_count; i < self->block_count && of->block == TACHO_NONE; i++) {
        bool is_its = self->blocks[i].part == part && self->blocks[i].origin == of->origin;
        of->block = is_its ? (uint32_t)i : TACHO_NONE;
    }
    if (of->block != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->blocks, &self->block_capacity, self->block_count + 1));
    tacho_busy_block *block = &self->blocks[self->block_count];
    *block = (tacho_busy_block){.part = part,
                                .origin = of->origin,
                                .extent = NO_HULL,
                                .extent_without_hal = NO_HULL,
                                .now = INT64_MIN};
    of->block = (uint32_t)self->block_count++;
    return TACHO_OK;
}

static tacho_status ensure_slice(tacho_busy_block *block, uint32_t index, line *of)
{
    for (size_t i = 0; i < block->slice_count && of->slice == TACHO_NONE; i++) {
        of->slice = block->slices[i].index == index ? (uint32_t)i : TACHO_NONE;
    }
    if (of->slice != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&block->slices, &block->slice_capacity, block->slice_count + 1));
    block->slices[block->slice_count] = (tacho_busy_slice){.index = index};
    of->slice = (uint32_t)block->slice_count++;
    return TACHO_OK;
}

static tacho_status count_slice(tacho_busy_block *block, uint32_t index, line *of,
                                tacho_hull extent)
{
    TACHO_TRY(of->slice != TACHO_NONE ? TACHO_OK : ensure_slice(block, index, of));
    add_busy(&block->slices[of->slice].busy, extent);
    return TACHO_OK;
}

static tacho_status count_interval(tacho_overview_gather *self, const tacho_row *row)
{
    line *of = &self->lines[row->of.span.op];
    const tacho_track *track = &self->events.dict->tracks[row->track];
    TACHO_TRY(of->block != TACHO_NONE ? TACHO_OK : ensure_block(self, of));
    self->tracks[row->track].has_work = true;
    tacho_busy_block *block = &self->blocks[of->block];
    tacho_hull extent = row_extent(self, row);
    block->now = block->classes != 0 ? block->now : extent.first;
    block->classes |= TACHO_TRACK_BIT(track->track_class);
    extend(&block->extent, extent);
    if (track->track_class != TACHO_TRACK_RUNTIME) {
        extend(&block->extent_without_hal, extent);
    }
    pass_time(block, extent.first);
    int64_t *end = &block->ends[kind_of(track->track_class)];
    *end = extent.last > *end ? extent.last : *end;
    if (of->memory != TACHO_TORQ_MEMORY_NONE) {
        unsigned memory = of->memory == TACHO_TORQ_MEMORY_DTCM ? 0 : 1;
        block->has_memory[memory] = true;
        add_busy(&block->memories[memory], extent);
    }
    return track->track_class == TACHO_TRACK_COMPUTE ? count_slice(block, track->index, of, extent)
                                                     : TACHO_OK;
}

/* Receives the rows from the spool. */
typedef struct counting {
    tacho_events events;
    tacho_overview_gather *gather;
} counting;

static tacho_status count_row(tacho_events *events, const tacho_row *row)
{
    tacho_overview_gather *self = ((counting *)(void *)events)->gather;
    return is_outer_call(self, row) ? TACHO_OK : count_interval(self, row);
}

static tacho_status count_all(tacho_overview_gather *self)
{
    static const tacho_events_vtable vtable = {.row = count_row};
    counting into = {{&vtable, self->events.dict}, self};
    for (size_t i = 0; i < self->line_count; i++) {
        TACHO_TRY(spool_line(self, &self->lines[i]));
    }
    return self->spool != NULL ? tacho_spool_drain(self->spool, &into.events) : TACHO_OK;
}

/* ---- parts --------------------------------------------------------------------------------- */

static int compare_slices(const void *left, const void *right)
{
    const tacho_busy_slice *a = left;
    const tacho_busy_slice *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

static int compare_blocks(const void *left, const void *right)
{
    const tacho_busy_block *a = left;
    const tacho_busy_block *b = right;
    if (a->part != b->part) {
        return a->part < b->part ? -1 : 1;
    }
    return (a->origin > b->origin) - (a->origin < b->origin);
}

/* Whether the tracks of |part| still have the class and nesting that their first rows assumed. */
static bool is_as_seen(const tacho_overview_gather *self, uint32_t part)
{
    for (size_t i = 0; i < self->track_count; i++) {
        const tacho_track *track = &self->events.dict->tracks[i];
        const track_state *state = &self->tracks[i];
        if (track->part == part && state->has_rows &&
            (state->seen_class != (uint8_t)track->track_class ||
             state->seen_nesting != (uint8_t)track->nesting)) {
            return false;
        }
    }
    return true;
}

static void finish_block(tacho_busy_block *block)
{
    for (unsigned i = 0; i < TACHO_BUSY_KIND_COUNT && block->classes != 0; i++) {
        pass_time(block, block->ends[i]);
    }
    if (block->slice_count > 1) {
        qsort(block->slices, block->slice_count, sizeof(*block->slices), compare_slices);
    }
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    tacho_overview_gather *self = gather_of(events);
    if (!is_as_seen(self, part)) {
        return tacho_fail(TACHO_CODE_OUT_OF_ORDER, "a track is described after its first event");
    }
    TACHO_TRY(count_all(self));
    self->line_count = 0; /* their tracks have no more rows */
    for (size_t i = self->settled_count; i < self->block_count; i++) {
        finish_block(&self->blocks[i]);
    }
    if (self->block_count > self->settled_count) {
        qsort(&self->blocks[self->settled_count], self->block_count - self->settled_count,
              sizeof(*self->blocks), compare_blocks);
    }
    self->settled_count = self->block_count;
    return TACHO_OK;
}

bool tacho_overview_gather_has_work(const tacho_overview_gather *gather, uint32_t track)
{
    return track < gather->track_count && gather->tracks[track].has_work;
}

void tacho_overview_gather_init(tacho_overview_gather *gather, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {.row = gather_row, .end_part = end_part};
    *gather = (tacho_overview_gather){.events = {&vtable, dict}};
}

void tacho_overview_gather_deinit(tacho_overview_gather *gather)
{
    for (size_t i = 0; i < gather->block_count; i++) {
        free(gather->blocks[i].slices);
    }
    tacho_spool_destroy(gather->spool);
    free(gather->lines);
    free(gather->tracks);
    free(gather->sites);
    free(gather->calls);
    free(gather->blocks);
    tacho_overview_gather_init(gather, gather->events.dict);
}
