/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells are combined to rows by a hash index; then rows are sorted. With very many cells, if only
 * the top rows are requested, cells are split into shares by the hash of their rows' keys, and only
 * the rows of one share at a time are in memory: a row takes ten times the memory of a cell.
 */
#include "questions/ops/ops.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_SHOWN = 100, SHARE_CELLS = 1 << 18, SHARES_MAX = UINT16_MAX };

#define TEXT_AS_ROW(name, text) TACHO_STR_INIT(text),

tacho_status tacho_ops_key_parse(tacho_str name, tacho_ops_key *out_key)
{
    static const tacho_str names[] = {TACHO_OPS_KEYS(TEXT_AS_ROW)};
    for (size_t key = 0; key < TACHO_OPS_KEY_COUNT; key++) {
        if (tacho_str_equal(names[key], name)) {
            *out_key = (tacho_ops_key)key;
            return TACHO_OK;
        }
    }
    return tacho_fail(
        TACHO_CODE_USAGE,
        "unknown key '%.*s'; use self, total, count, mean, p50, p99, min, max, bytes, "
        "name or location",
        TACHO_STR_ARG(name));
}

/* ---- grouping --------------------------------------------------------------------------- */

/* The key of a row, as bytes to hash. */
typedef struct row_key {
    uint32_t part;
    uint32_t origin;
    uint32_t track_class;
    uint32_t name;
    uint32_t location; /* TACHO_NONE unless by instance */
} row_key;

typedef struct grouping {
    tacho_ops *ops;
    const tacho_ops_gather *gather;
    const tacho_dict *dict;
    const tacho_ops_options *options;
    tacho_index index;   /* rows by key */
    bool *has_operators; /* by part: some of its spans are whole operators */
    uint8_t *kinds;      /* by site: a tacho_category_kind */
} grouping;

static void grouping_deinit(grouping *self)
{
    tacho_index_deinit(&self->index);
    free(self->has_operators);
    free(self->kinds);
}

static tacho_status allocate(size_t count, size_t size, void **out_memory)
{
    *out_memory = tacho_items_alloc(count, size);
    return *out_memory != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu items", count);
}

static tacho_str location_text(const tacho_dict *dict, uint32_t location)
{
    return location != TACHO_NONE ? tacho_dict_string(dict, dict->locations[location].text)
                                  : TACHO_STR("");
}

/*
 * Whether a span is an engine's work for an operator that has its own span: it would count twice,
 * and is shown only if its class is requested.
 */
static bool is_piece(const grouping *self, const tacho_site *site, const tacho_track *track)
{
    return self->options->classes == 0 && self->has_operators[track->part] &&
           tacho_operators_is_piece(self->dict, site, track);
}

/* |name| is the name of the row. Phases are shown only on request. */
static bool is_accepted(const grouping *self, const tacho_site *site, uint32_t name,
                        tacho_track_class span_class)
{
    const tacho_ops_options *options = self->options;
    uint32_t bit = TACHO_TRACK_BIT(span_class);
    bool is_phase = span_class == TACHO_TRACK_PHASE;
    if (options->classes != 0 ? (options->classes & bit) == 0 : is_phase) {
        return false;
    }
    return options->filter.accepts == NULL ||
           options->filter.accepts(options->filter.self, tacho_dict_string(self->dict, name),
                                   location_text(self->dict, site->location));
}

static bool is_row_of(const tacho_op_row *row, const row_key *key, bool by_instance)
{
    return row->part == key->part && (uint32_t)row->origin == key->origin &&
           (uint32_t)row->track_class == key->track_class && row->name == key->name &&
           (!by_instance || row->location == key->location);
}

tacho_status tacho_ops_add_row(tacho_ops *ops, const tacho_op_row *row)
{
    TACHO_TRY(tacho_grow(&ops->rows, &ops->row_capacity, ops->row_count + 1));
    TACHO_TRY(tacho_grow(&ops->sums, &ops->sums_capacity, ops->row_count + 1));
    ops->sums[ops->sums_count] = (tacho_op_sums){0};
    tacho_durations_init(&ops->sums[ops->sums_count++].durations);
    ops->rows[ops->row_count] = *row;
    ops->rows[ops->row_count].place = (uint32_t)ops->row_count;
    ops->row_count++;
    return TACHO_OK;
}

static tacho_status ensure_row(grouping *self, const row_key *key, uint32_t location,
                               uint32_t *out_row)
{
    tacho_ops *ops = self->ops;
    bool by_instance = self->options->by_instance;
    uint32_t hash = tacho_index_hash(&self->index, tacho_str_make((const char *)key, sizeof(*key)));
    size_t at = tacho_index_begin(&self->index, hash);
    for (uint32_t id; (id = tacho_index_next(&self->index, hash, &at)) != TACHO_NONE;) {
        if (is_row_of(&ops->rows[id], key, by_instance)) {
            *out_row = id;
            return TACHO_OK;
        }
    }
    *out_row = (uint32_t)ops->row_count;
    const tacho_op_row row = {
        .part = key->part,
        .origin = (tacho_origin)key->origin,
        .track_class = (tacho_track_class)key->track_class,
        .name = key->name,
        .location = location,
        .min_ns = INT64_MAX,
    };
    TACHO_TRY(tacho_ops_add_row(ops, &row));
    return tacho_index_add(&self->index, hash, *out_row);
}

/* The class that spans of |cell| count as. */
static tacho_track_class class_of(const grouping *self, const tacho_ops_cell *cell)
{
    tacho_category_kind kind = (tacho_category_kind)self->kinds[cell->site];
    return tacho_operators_class(kind, &self->dict->tracks[cell->track]);
}

static row_key key_of(const grouping *self, const tacho_ops_cell *cell,
                      tacho_track_class span_class)
{
    const tacho_track *track = &self->dict->tracks[cell->track];
    const tacho_site *site = &self->dict->sites[cell->site];
    const uint32_t *firsts = self->ops->inferences.firsts;
    bool by_instance = self->options->by_instance;
    bool has_type = cell->type != TACHO_NONE && !by_instance;
    bool is_phase = span_class == TACHO_TRACK_PHASE;
    return (row_key){
        .part = self->options->merges_parts ? 0
                : firsts != NULL            ? firsts[track->part]
                                            : track->part,
        .origin =
            cell->origin != 0 ? cell->origin : (uint32_t)self->dict->parts[track->part].origin,
        .track_class = (uint32_t)(is_phase ? track->track_class : span_class),
        .name = has_type ? cell->type : tacho_operators_of_site(site),
        .location = by_instance ? site->location : TACHO_NONE,
    };
}

/* The row that |cell| counts in, TACHO_NONE if it is filtered out. */
static tacho_status find_row(grouping *self, const tacho_ops_cell *cell, uint64_t span_count,
                             uint32_t *out_row)
{
    const tacho_track *track = &self->dict->tracks[cell->track];
    const tacho_site *site = &self->dict->sites[cell->site];
    tacho_track_class span_class = class_of(self, cell);
    row_key key = key_of(self, cell, span_class);
    *out_row = TACHO_NONE;
    if (is_piece(self, site, track)) {
        self->ops->piece_count += span_count;
        return TACHO_OK;
    }
    if (!is_accepted(self, site, key.name, span_class)) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_row(self, &key, site->location, out_row));
    tacho_op_row *row = &self->ops->rows[*out_row];
    row->location = row->location == site->location ? row->location : TACHO_NONE;
    return TACHO_OK;
}

/* Counts the cell |id| in its row, whose place is that of its first cell. */
static tacho_status add_cell(grouping *self, uint32_t id)
{
    const tacho_ops_cell *cell = &self->gather->cells[id];
    tacho_ops_cell_sums one;
    int64_t value = 0;
    const tacho_ops_cell_sums *more = tacho_ops_gather_sums(self->gather, cell, &one, &value);
    size_t count = self->ops->row_count;
    uint32_t at = TACHO_NONE;
    TACHO_TRY(find_row(self, cell, more->count, &at));
    if (at == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_op_row *row = &self->ops->rows[at];
    tacho_op_sums *sums = &self->ops->sums[at];
    row->place = at == count ? id : row->place;
    row->count += more->count;
    row->min_ns = more->min_ns < row->min_ns ? more->min_ns : row->min_ns;
    row->max_ns = more->max_ns > row->max_ns ? more->max_ns : row->max_ns;
    row->has_bytes |= more->has_bytes;
    if (__builtin_add_overflow(row->bytes, more->bytes, &row->bytes)) {
        row->bytes = INT64_MAX;
    }
    sums->total_ns += more->total_ns;
    sums->inner_ns += more->inner_ns;
    return tacho_durations_merge(&sums->durations, &more->durations);
}

static void sum_row(tacho_op_row *row, tacho_op_sums *sums)
{
    tacho_i128 total = sums->total_ns;
    tacho_i128 own = total - sums->inner_ns;
    tacho_durations_sort(&sums->durations);
    row->total_ns = total > INT64_MAX ? INT64_MAX : (int64_t)total;
    row->self_ns = own > INT64_MAX ? INT64_MAX : (own < 0 ? 0 : (int64_t)own);
    row->mean_ns = (int64_t)((2 * total + row->count) / (2 * (tacho_i128)row->count));
    row->is_sketched = !sums->durations.is_exact;
    row->p50_ns = tacho_durations_percentile(&sums->durations, 50);
    row->p99_ns = tacho_durations_percentile(&sums->durations, 99);
    row->p50_ns = row->p50_ns < row->min_ns ? row->min_ns : row->p50_ns;
    row->p99_ns = row->p99_ns > row->max_ns ? row->max_ns : row->p99_ns;
    row->group_self_ns = row->self_ns;
}

/* ---- order ------------------------------------------------------------------------------ */

/* A row with its sort keys. */
typedef struct sortable {
    tacho_op_row row;
    int64_t number;
    tacho_str text;
    tacho_str name, location; /* tie-breakers, the same in every form of a profile */
} sortable;

static int64_t sort_number(const tacho_op_row *row, tacho_ops_key key)
{
    switch (key) {
    case TACHO_OPS_BY_TOTAL:
        return row->total_ns;
    case TACHO_OPS_BY_COUNT:
        return (int64_t)row->count;
    case TACHO_OPS_BY_MEAN:
        return row->mean_ns;
    case TACHO_OPS_BY_P50:
        return row->p50_ns;
    case TACHO_OPS_BY_P99:
        return row->p99_ns;
    case TACHO_OPS_BY_MIN:
        return row->min_ns;
    case TACHO_OPS_BY_MAX:
        return row->max_ns;
    case TACHO_OPS_BY_BYTES:
        return row->has_bytes ? row->bytes : INT64_MIN;
    case TACHO_OPS_BY_SELF:
    case TACHO_OPS_BY_NAME:
    case TACHO_OPS_BY_LOCATION:
    case TACHO_OPS_KEY_COUNT:
        break;
    }
    return row->self_ns;
}

/* Devices, the host, or neither: their times are never added up. */
static int side_of(const tacho_op_row *row)
{
    const uint32_t hosts = TACHO_TRACK_BIT(TACHO_TRACK_HOST) |
                           TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY) |
                           TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME);
    bool is_device =
        row->track_class >= TACHO_TRACK_CONTROL && row->track_class <= TACHO_TRACK_VECTOR;
    return is_device ? 0 : (TACHO_TRACK_BIT(row->track_class) & hosts) != 0 ? 1 : 2;
}

static int compare_sortables(const void *left, const void *right)
{
    const sortable *a = left;
    const sortable *b = right;
    if (a->row.part != b->row.part) {
        return a->row.part < b->row.part ? -1 : 1;
    }
    if (a->row.origin != b->row.origin) {
        return a->row.origin < b->row.origin ? -1 : 1;
    }
    int by_side = side_of(&a->row) - side_of(&b->row);
    if (by_side != 0) {
        return by_side;
    }
    int by_text = tacho_str_compare(a->text, b->text);
    if (by_text != 0) {
        return by_text;
    }
    if (a->number != b->number) {
        return a->number > b->number ? -1 : 1;
    }
    if (a->row.total_ns != b->row.total_ns) {
        return a->row.total_ns > b->row.total_ns ? -1 : 1;
    }
    int order = tacho_str_compare(a->name, b->name);
    order = order != 0 ? order : (int)a->row.track_class - (int)b->row.track_class;
    order = order != 0 ? order : tacho_str_compare(a->location, b->location);
    return order != 0 ? order : (a->row.place > b->row.place) - (a->row.place < b->row.place);
}

static bool is_same_group(const tacho_op_row *a, const tacho_op_row *b)
{
    return a->part == b->part && a->origin == b->origin && side_of(a) == side_of(b);
}

/*
 * Puts the sorted rows back, the first |top| of each group, with the self time of the group: the
 * sum of |group_self_ns| over its rows.
 */
static void take_rows(tacho_ops *ops, const sortable *sorted, size_t top)
{
    size_t count = ops->row_count;
    ops->row_count = 0;
    size_t end = 0;
    for (size_t first = 0; first < count; first = end) {
        int64_t self_ns = 0;
        for (end = first; end < count && is_same_group(&sorted[first].row, &sorted[end].row);
             end++) {
            if (__builtin_add_overflow(self_ns, sorted[end].row.group_self_ns, &self_ns)) {
                self_ns = INT64_MAX;
            }
        }
        for (size_t i = first; i < end && (top == 0 || i - first < top); i++) {
            ops->rows[ops->row_count] = sorted[i].row;
            ops->rows[ops->row_count++].group_self_ns = self_ns;
        }
    }
    ops->left_out_count += count - ops->row_count;
}

static tacho_status sort_rows(tacho_ops *ops, const tacho_ops_options *options)
{
    tacho_ops_key key = options->sort;
    void *memory = NULL;
    TACHO_TRY(allocate(ops->row_count, sizeof(sortable), &memory));
    sortable *items = memory;
    for (size_t i = 0; i < ops->row_count; i++) {
        const tacho_op_row *row = &ops->rows[i];
        tacho_str name = tacho_dict_string(ops->dict, row->name);
        tacho_str location = location_text(ops->dict, row->location);
        tacho_str text = key == TACHO_OPS_BY_NAME       ? name
                         : key == TACHO_OPS_BY_LOCATION ? location
                                                        : TACHO_STR("");
        items[i] = (sortable){*row, sort_number(row, key), text, name, location};
    }
    qsort(items, ops->row_count, sizeof(*items), compare_sortables);
    take_rows(ops, items, options->top);
    free(items);
    return TACHO_OK;
}

static tacho_status find_operators(grouping *self)
{
    TACHO_TRY(tacho_items_make(&self->has_operators, self->dict->part_count));
    for (size_t i = 0; i < self->gather->cell_count; i++) {
        const tacho_ops_cell *cell = &self->gather->cells[i];
        uint32_t part = self->dict->tracks[cell->track].part;
        self->has_operators[part] |=
            tacho_operators_is_whole(self->dict, &self->dict->sites[cell->site]);
    }
    return TACHO_OK;
}

/* Computed once, in the order of names in memory: cells are visited in any order. */
static tacho_status find_kinds(grouping *self)
{
    const tacho_dict *dict = self->dict;
    TACHO_TRY(tacho_items_make(&self->kinds, dict->site_count));
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        self->kinds[i] = (uint8_t)tacho_span_kind_of(tacho_dict_string(dict, site->category),
                                                     tacho_dict_string(dict, site->name));
    }
    return TACHO_OK;
}

static tacho_status prepare(grouping *self)
{
    TACHO_TRY(tacho_index_init(&self->index));
    TACHO_TRY(find_kinds(self));
    return find_operators(self);
}

static tacho_status make_rows(grouping *self)
{
    TACHO_TRY(prepare(self));
    for (uint32_t i = 0; i < self->gather->cell_count; i++) {
        TACHO_TRY(add_cell(self, i));
    }
    return TACHO_OK;
}

tacho_status tacho_ops_init_sums(tacho_ops *ops, const tacho_ops_gather *gather,
                                 const tacho_ops_options *options)
{
    *ops = (tacho_ops){.dict = gather->events.dict};
    grouping self = {.ops = ops, .gather = gather, .dict = gather->events.dict, .options = options};
    tacho_status status =
        options->merges_inferences ? tacho_inferences_init(&ops->inferences, ops->dict) : TACHO_OK;
    if (status == TACHO_OK) {
        status = make_rows(&self);
    }
    grouping_deinit(&self);
    return status;
}

static void free_sums(tacho_ops *ops)
{
    for (size_t i = 0; i < ops->sums_count; i++) {
        tacho_durations_deinit(&ops->sums[i].durations);
    }
    free(ops->sums);
    ops->sums = NULL;
    ops->sums_count = ops->sums_capacity = 0;
}

tacho_status tacho_ops_finish(tacho_ops *ops, const tacho_ops_options *options)
{
    for (size_t i = 0; i < ops->row_count; i++) {
        sum_row(&ops->rows[i], &ops->sums[i]);
    }
    free_sums(ops);
    return ops->row_count > 0 ? sort_rows(ops, options) : TACHO_OK;
}

/* ---- shares ----------------------------------------------------------------------------- */

/* The cells of one row are in one share. */
typedef struct cell_shares {
    uint16_t *of_cells;
    uint32_t *cells; /* share by share */
    size_t *ends;    /* by share, among |cells| */
    size_t count;
    tacho_op_row *rows; /* the top rows of the shares so far */
    size_t row_count, row_capacity;
} cell_shares;

static void shares_deinit(cell_shares *shares)
{
    free(shares->of_cells);
    free(shares->cells);
    free(shares->ends);
    free(shares->rows);
}

static tacho_status deal(const grouping *self, cell_shares *out_shares)
{
    size_t cell_count = self->gather->cell_count;
    size_t count = cell_count / SHARE_CELLS + 1;
    out_shares->count = count < SHARES_MAX ? count : SHARES_MAX;
    TACHO_TRY(tacho_items_make(&out_shares->of_cells, cell_count));
    TACHO_TRY(tacho_items_make(&out_shares->cells, cell_count));
    TACHO_TRY(tacho_items_make(&out_shares->ends, out_shares->count + 1));
    for (size_t i = 0; i < cell_count; i++) {
        const tacho_ops_cell *cell = &self->gather->cells[i];
        const row_key key = key_of(self, cell, class_of(self, cell));
        uint32_t hash =
            tacho_index_hash(&self->index, tacho_str_make((const char *)&key, sizeof(key)));
        out_shares->of_cells[i] = (uint16_t)(hash % out_shares->count);
        out_shares->ends[out_shares->of_cells[i] + 1]++;
    }
    for (size_t i = 1; i < out_shares->count; i++) {
        out_shares->ends[i] += out_shares->ends[i - 1];
    }
    for (size_t i = 0; i < cell_count; i++) {
        out_shares->cells[out_shares->ends[out_shares->of_cells[i]]++] = (uint32_t)i;
    }
    return TACHO_OK;
}

/* Keeps the top rows of a share; the first one of a group carries the self time of the group. */
static tacho_status keep_rows(cell_shares *shares, const tacho_ops *ops)
{
    TACHO_TRY(tacho_grow(&shares->rows, &shares->row_capacity, shares->row_count + ops->row_count));
    for (size_t i = 0; i < ops->row_count; i++) {
        tacho_op_row row = ops->rows[i];
        bool is_first = i == 0 || !is_same_group(&ops->rows[i - 1], &row);
        row.group_self_ns = is_first ? row.group_self_ns : 0;
        shares->rows[shares->row_count++] = row;
    }
    return TACHO_OK;
}

static tacho_status take_share(grouping *self, cell_shares *shares, size_t number)
{
    tacho_ops *ops = self->ops;
    size_t begin = number > 0 ? shares->ends[number - 1] : 0;
    ops->row_count = 0;
    tacho_index_forget(&self->index, 0);
    for (size_t i = begin; i < shares->ends[number]; i++) {
        TACHO_TRY(add_cell(self, shares->cells[i]));
    }
    TACHO_TRY(tacho_ops_finish(ops, self->options));
    return keep_rows(shares, ops);
}

static tacho_status take_shares(grouping *self, cell_shares *shares)
{
    tacho_ops *ops = self->ops;
    TACHO_TRY(prepare(self));
    TACHO_TRY(deal(self, shares));
    for (size_t i = 0; i < shares->count; i++) {
        TACHO_TRY(take_share(self, shares, i));
    }
    free(ops->rows);
    ops->rows = shares->rows;
    ops->row_count = shares->row_count;
    ops->row_capacity = shares->row_capacity;
    shares->rows = NULL;
    return ops->row_count > 0 ? sort_rows(ops, self->options) : TACHO_OK;
}

tacho_status tacho_ops_init_gathered(tacho_ops *ops, const tacho_ops_gather *gather,
                                     const tacho_ops_options *options)
{
    if (options->top == 0 || gather->cell_count <= SHARE_CELLS) {
        TACHO_TRY(tacho_ops_init_sums(ops, gather, options));
        return tacho_ops_finish(ops, options);
    }
    *ops = (tacho_ops){.dict = gather->events.dict};
    grouping self = {.ops = ops, .gather = gather, .dict = gather->events.dict, .options = options};
    cell_shares shares = {0};
    tacho_status status =
        options->merges_inferences ? tacho_inferences_init(&ops->inferences, ops->dict) : TACHO_OK;
    if (status == TACHO_OK) {
        status = take_shares(&self, &shares);
    }
    shares_deinit(&shares);
    grouping_deinit(&self);
    return status;
}

tacho_status tacho_ops_init(tacho_ops *ops, const tacho_profile *profile,
                            const tacho_ops_options *options)
{
    tacho_ops_gather gather;
    *ops = (tacho_ops){.dict = profile->events.dict};
    tacho_ops_gather_init(&gather, profile->events.dict);
    tacho_status status = tacho_profile_replay_spans(profile, &gather.events);
    if (status == TACHO_OK) {
        status = tacho_ops_init_gathered(ops, &gather, options);
    }
    tacho_ops_gather_deinit(&gather);
    return status;
}

void tacho_ops_deinit(tacho_ops *ops)
{
    free_sums(ops);
    free(ops->rows);
    tacho_inferences_deinit(&ops->inferences);
    *ops = (tacho_ops){0};
}

/* ---- table ------------------------------------------------------------------------------ */

/* The name of the part, or "main, 12 inferences". */
static tacho_status add_file(const tacho_ops *ops, uint32_t part, tacho_table *table)
{
    const tacho_dict *dict = ops->dict;
    const tacho_inferences *of = &ops->inferences;
    char text[NAME_SHOWN + 32];
    if (of->counts == NULL || of->counts[part] < 2) {
        return tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[part].name));
    }
    tacho_str name = tacho_dict_string(dict, of->names[part]);
    name.len = name.len < NAME_SHOWN ? name.len : NAME_SHOWN;
    int len = snprintf(text, sizeof(text), "%.*s, %" PRIu32 " inferences", TACHO_STR_ARG(name),
                       of->counts[part]);
    return tacho_table_add_text(table, tacho_str_make(text, (size_t)len));
}

static tacho_status add_row(const tacho_ops *ops, const tacho_op_row *row, tacho_table *table)
{
    const tacho_dict *dict = ops->dict;
    const char *class_name = tacho_track_class_name(row->track_class);
    double share =
        row->group_self_ns > 0 ? (double)row->self_ns / (double)row->group_self_ns * 100 : 0;
    TACHO_TRY(add_file(ops, row->part, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, row->name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(class_name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(row->origin))));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->count));
    TACHO_TRY(tacho_table_add_int(table, row->total_ns));
    TACHO_TRY(tacho_table_add_int(table, row->self_ns));
    TACHO_TRY(tacho_table_add_real(table, share));
    TACHO_TRY(tacho_table_add_int(table, row->mean_ns));
    TACHO_TRY(tacho_table_add_int(table, row->p50_ns));
    TACHO_TRY(tacho_table_add_int(table, row->p99_ns));
    TACHO_TRY(tacho_table_add_int(table, row->min_ns));
    TACHO_TRY(tacho_table_add_int(table, row->max_ns));
    TACHO_TRY(row->has_bytes ? tacho_table_add_int(table, row->bytes)
                             : tacho_table_add_absent(table));
    return row->location != TACHO_NONE
               ? tacho_table_add_text(table, location_text(dict, row->location))
               : tacho_table_add_absent(table);
}

tacho_status tacho_ops_table(const tacho_ops *ops, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),         TACHO_COLUMN(OPERATION, "operation", TEXT),
        TACHO_COLUMN(CLASS, "class", TEXT),       TACHO_COLUMN(ORIGIN, "origin", TEXT),
        TACHO_COLUMN(COUNT, "count", INT),        TACHO_COLUMN(TOTAL_NS, "total", DURATION),
        TACHO_COLUMN(SELF_NS, "self", DURATION),  TACHO_COLUMN(SHARE_PERCENT, "share", PERCENT),
        TACHO_COLUMN(MEAN_NS, "mean", DURATION),  TACHO_COLUMN(P50_NS, "p50", DURATION),
        TACHO_COLUMN(P99_NS, "p99", DURATION),    TACHO_COLUMN(MIN_NS, "min", DURATION),
        TACHO_COLUMN(MAX_NS, "max", DURATION),    TACHO_COLUMN(BYTES, "bytes", INT),
        TACHO_COLUMN(LOCATION, "location", TEXT),
    };
    tacho_table_init(out_table, "ops", "Operations", columns, sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {
        TACHO_COL_OPERATION, TACHO_COL_LOCATION, TACHO_COL_SHARE_PERCENT,
        TACHO_COL_TOTAL_NS,  TACHO_COL_FILE,     TACHO_COL_SELF_NS,
        TACHO_COL_CLASS,     TACHO_COL_COUNT,    TACHO_COL_OTHER};
    out_table->kept = kept;
    for (size_t i = 0; i < ops->row_count; i++) {
        TACHO_TRY(add_row(ops, &ops->rows[i], out_table));
    }
    return TACHO_OK;
}
