/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping by a hash index, then one array of durations in which each row has its stretch.
 */
#include "analyses/ops.h"

#include "base/grow.h"
#include "base/maths.h"
#include "profile/operators.h"

#include <stdlib.h>

#define TEXT_AS_ROW(name, text) TACHO_STR_INIT(text),

tacho_ops_key tacho_ops_key_find(tacho_str name)
{
    static const tacho_str names[] = {TACHO_OPS_KEYS(TEXT_AS_ROW)};
    size_t key = 0;
    while (key < TACHO_OPS_KEY_COUNT && !tacho_str_equal(names[key], name)) {
        key++;
    }
    return (tacho_ops_key)key;
}

/* ---- grouping --------------------------------------------------------------------------- */

/* What makes a row, as bytes to hash. */
typedef struct row_key {
    uint32_t part;
    uint32_t origin;
    uint32_t track_class;
    uint32_t name;
    uint32_t location; /* TACHO_NONE unless by instance */
} row_key;

/* The row in which a site was last found. */
typedef struct site_memo {
    uint32_t part;
    tacho_track_class track_class;
    uint32_t origin; /* the span's own */
    uint32_t type;   /* TACHO_NONE: as the site says */
    uint32_t row;    /* TACHO_NONE: filtered out */
    bool is_phase;   /* a stretch around other work */
    bool is_set;
} site_memo;

typedef struct grouping {
    tacho_ops *ops;
    const tacho_profile *profile;
    const tacho_dict *dict;
    const tacho_ops_options *options;
    tacho_operators operators;
    tacho_arg *args; /* of the span at hand, where its type may be among them */
    size_t arg_capacity;
    tacho_index index; /* rows by key */
    site_memo *memos;
    uint32_t *span_rows; /* TACHO_NONE: not selected */
    uint32_t *tops;      /* by track: its innermost open span, TACHO_NONE for none ... */
    uint32_t *outers;    /* ... and by span: the open one around it */
    size_t *ends;        /* by row: where its stretch of |durations| ends, while filling */
    int64_t *durations;
} grouping;

static void grouping_deinit(grouping *self)
{
    tacho_index_deinit(&self->index);
    free(self->args);
    free(self->memos);
    free(self->span_rows);
    free(self->tops);
    free(self->outers);
    free(self->ends);
    free(self->durations);
}

static tacho_status allocate(size_t count, size_t size, void **out_memory)
{
    *out_memory = calloc(count + 1, size);
    return *out_memory != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu items", count);
}

static tacho_status grouping_init(grouping *self)
{
    void *memory = NULL;
    TACHO_TRY(tacho_index_init(&self->index));
    TACHO_TRY(allocate(self->dict->site_count, sizeof(*self->memos), &memory));
    self->memos = memory;
    TACHO_TRY(allocate(self->profile->span_count, sizeof(*self->span_rows), &memory));
    self->span_rows = memory;
    TACHO_TRY(allocate(self->dict->track_count, sizeof(*self->tops), &memory));
    self->tops = memory;
    memset(self->tops, 0xff, self->dict->track_count * sizeof(*self->tops));
    TACHO_TRY(allocate(self->profile->span_count, sizeof(*self->outers), &memory));
    self->outers = memory;
    return TACHO_OK;
}

static tacho_str location_text(const tacho_dict *dict, uint32_t location)
{
    return location != TACHO_NONE ? tacho_dict_string(dict, dict->locations[location].text)
                                  : TACHO_STR("");
}

/* The class of a span: its track's, unless its category says otherwise. */
static tacho_track_class class_of(const tacho_dict *dict, const tacho_site *site,
                                  const tacho_track *track)
{
    tacho_category_kind kind = tacho_category_kind_of(tacho_dict_string(dict, site->category));
    if (kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT) {
        return TACHO_TRACK_PHASE;
    }
    bool is_of_host = kind == TACHO_CATEGORY_KIND_HOST && track->track_class == TACHO_TRACK_COMPUTE;
    return is_of_host ? TACHO_TRACK_HOST : track->track_class;
}

/* |name| is what the row would be called. Phases are shown only when asked for. */
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
    TACHO_TRY(tacho_grow(&ops->rows, &ops->row_capacity, ops->row_count + 1));
    *out_row = (uint32_t)ops->row_count;
    ops->rows[ops->row_count++] = (tacho_op_row){
        .part = key->part,
        .origin = (tacho_origin)key->origin,
        .track_class = (tacho_track_class)key->track_class,
        .name = key->name,
        .location = location,
        .min_ns = INT64_MAX,
    };
    return tacho_index_add(&self->index, hash, *out_row);
}

/* The operator that span |id| says it ran; TACHO_NONE where rows are per instance. */
static tacho_status find_type(grouping *self, size_t id, const tacho_span *span, uint32_t *out_type)
{
    *out_type = TACHO_NONE;
    if (self->operators.key == TACHO_NONE || span->args == TACHO_NONE ||
        self->options->by_instance) {
        return TACHO_OK;
    }
    tacho_row row;
    TACHO_TRY(tacho_profile_row(self->profile, id, &self->args, &self->arg_capacity, &row));
    return tacho_operators_of_row(&self->operators, &row, out_type);
}

static tacho_status find_row(grouping *self, const tacho_span *span, uint32_t type,
                             uint32_t *out_row)
{
    const tacho_track *track = &self->dict->tracks[span->track];
    const tacho_site *site = &self->dict->sites[span->site];
    uint32_t own_origin = span->flags & TACHO_SPAN_ORIGIN_MASK;
    site_memo *memo = &self->memos[span->site];
    if (TACHO_LIKELY(memo->is_set && memo->part == track->part && memo->type == type &&
                     memo->track_class == track->track_class && memo->origin == own_origin)) {
        *out_row = memo->row;
        return TACHO_OK;
    }
    *out_row = TACHO_NONE;
    uint32_t name = type != TACHO_NONE ? type : tacho_operators_of_site(self->dict, site);
    tacho_track_class span_class = class_of(self->dict, site, track);
    bool is_phase = span_class == TACHO_TRACK_PHASE;
    if (is_accepted(self, site, name, span_class)) {
        row_key key = {
            .part = self->options->merges_parts ? 0 : track->part,
            .origin =
                own_origin != 0 ? own_origin : (uint32_t)self->dict->parts[track->part].origin,
            .track_class = (uint32_t)(is_phase ? track->track_class : span_class),
            .name = name,
            .location = self->options->by_instance ? site->location : TACHO_NONE,
        };
        TACHO_TRY(ensure_row(self, &key, site->location, out_row));
        tacho_op_row *row = &self->ops->rows[*out_row];
        row->location = row->location == site->location ? row->location : TACHO_NONE;
    }
    *memo =
        (site_memo){track->part, track->track_class, own_origin, type, *out_row, is_phase, true};
    return TACHO_OK;
}

static void add_bytes(const tacho_profile *profile, uint32_t first, tacho_op_row *row)
{
    bool more = first != TACHO_NONE;
    for (size_t i = first; more; i++) {
        const tacho_arg *arg = &profile->args[i].arg;
        more = !profile->args[i].is_last;
        bool is_number = arg->type == TACHO_ARG_UINT || arg->type == TACHO_ARG_INT;
        if (arg->unit != TACHO_UNIT_BYTES || !is_number) {
            continue;
        }
        bool is_large = arg->type == TACHO_ARG_UINT && arg->value.as_uint > INT64_MAX;
        row->has_bytes = true;
        if (__builtin_add_overflow(row->bytes, is_large ? INT64_MAX : arg->value.as_int,
                                   &row->bytes)) {
            row->bytes = INT64_MAX;
        }
    }
}

static int64_t span_ns(const tacho_dict *dict, const tacho_span *span)
{
    const tacho_clock *clock = tacho_dict_track_clock(dict, span->track);
    return tacho_clock_ns(clock, span->end) - tacho_clock_ns(clock, span->start);
}

/* Finds the span that span |id| lies directly in, and takes it from the time of that one's row. */
static void nest_span(grouping *self, size_t id, const tacho_span *span)
{
    uint32_t *top = &self->tops[span->track];
    tacho_span outer = {.end = INT64_MAX};
    while (*top != TACHO_NONE) {
        outer = tacho_profile_span(self->profile, *top);
        if (outer.end > span->start) {
            break;
        }
        *top = self->outers[*top];
    }
    if (*top != TACHO_NONE && span->end > outer.end) {
        return; /* it crosses that one */
    }
    uint32_t row = *top != TACHO_NONE ? self->span_rows[*top] : TACHO_NONE;
    if (row != TACHO_NONE) {
        int64_t *self_ns = &self->ops->rows[row].self_ns; /* less than 0 until totals are known */
        if (__builtin_sub_overflow(*self_ns, span_ns(self->dict, span), self_ns)) {
            *self_ns = INT64_MIN;
        }
    }
    self->outers[id] = *top;
    *top = (uint32_t)id;
}

static tacho_status group_spans(grouping *self)
{
    for (size_t i = 0; i < self->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(self->profile, i);
        uint32_t row = TACHO_NONE;
        if ((span.flags & TACHO_SPAN_INSTANT) == 0) {
            uint32_t type = TACHO_NONE;
            TACHO_TRY(find_type(self, i, &span, &type));
            TACHO_TRY(find_row(self, &span, type, &row));
        }
        self->span_rows[i] = row;
        bool is_nested = self->dict->tracks[span.track].nesting == TACHO_NESTING_STACK &&
                         (span.flags & TACHO_SPAN_INSTANT) == 0 && !self->memos[span.site].is_phase;
        if (is_nested) {
            nest_span(self, i, &span);
        }
        if (row != TACHO_NONE) {
            self->ops->rows[row].count++;
            add_bytes(self->profile, span.args, &self->ops->rows[row]);
        }
    }
    return TACHO_OK;
}

/* ---- durations -------------------------------------------------------------------------- */

static tacho_status collect_durations(grouping *self)
{
    const tacho_ops *ops = self->ops;
    void *memory = NULL;
    TACHO_TRY(allocate(ops->row_count, sizeof(*self->ends), &memory));
    self->ends = memory;
    size_t count = 0;
    for (size_t i = 0; i < ops->row_count; i++) {
        self->ends[i] = count;
        count += ops->rows[i].count;
    }
    TACHO_TRY(allocate(count, sizeof(*self->durations), &memory));
    self->durations = memory;
    for (size_t i = 0; i < self->profile->span_count; i++) {
        if (self->span_rows[i] != TACHO_NONE) {
            tacho_span span = tacho_profile_span(self->profile, i);
            self->durations[self->ends[self->span_rows[i]]++] = span_ns(self->dict, &span);
        }
    }
    return TACHO_OK;
}

static int compare_durations(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The smallest of |count| sorted durations that is not shorter than |percent| % of them. */
static int64_t nearest_rank(const int64_t *sorted, uint64_t count, uint64_t percent)
{
    uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    return sorted[rank - 1];
}

static void sum_row(tacho_op_row *row, int64_t *durations)
{
    qsort(durations, row->count, sizeof(*durations), compare_durations);
    tacho_i128 total = 0;
    for (uint64_t i = 0; i < row->count; i++) {
        total += durations[i];
    }
    row->total_ns = total > INT64_MAX ? INT64_MAX : (int64_t)total;
    tacho_i128 own = total + row->self_ns;
    row->self_ns = own > INT64_MAX ? INT64_MAX : (own < 0 ? 0 : (int64_t)own);
    row->mean_ns = (int64_t)((2 * total + row->count) / (2 * (tacho_i128)row->count));
    row->p50_ns = nearest_rank(durations, row->count, 50);
    row->p99_ns = nearest_rank(durations, row->count, 99);
    row->min_ns = durations[0];
    row->max_ns = durations[row->count - 1];
}

/* ---- order ------------------------------------------------------------------------------ */

/* A row with what it is sorted by. */
typedef struct sortable {
    tacho_op_row row;
    int64_t number;
    tacho_str text;
    size_t place; /* of its first span */
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
    return (a->place > b->place) - (a->place < b->place);
}

static bool is_same_group(const tacho_op_row *a, const tacho_op_row *b)
{
    return a->part == b->part && a->origin == b->origin;
}

/* Puts the sorted rows back, the first |top| of each group, with the own time of the group. */
static void take_rows(tacho_ops *ops, const sortable *sorted, size_t top)
{
    size_t count = ops->row_count;
    ops->row_count = 0;
    size_t end = 0;
    for (size_t first = 0; first < count; first = end) {
        int64_t self_ns = 0;
        for (end = first; end < count && is_same_group(&sorted[first].row, &sorted[end].row);
             end++) {
            if (__builtin_add_overflow(self_ns, sorted[end].row.self_ns, &self_ns)) {
                self_ns = INT64_MAX;
            }
        }
        for (size_t i = first; i < end && (top == 0 || i - first < top); i++) {
            ops->rows[ops->row_count] = sorted[i].row;
            ops->rows[ops->row_count++].group_self_ns = self_ns;
        }
    }
    ops->left_out_count = count - ops->row_count;
}

static tacho_status sort_rows(grouping *self)
{
    tacho_ops *ops = self->ops;
    tacho_ops_key key = self->options->sort;
    void *memory = NULL;
    TACHO_TRY(allocate(ops->row_count, sizeof(sortable), &memory));
    sortable *items = memory;
    for (size_t i = 0; i < ops->row_count; i++) {
        const tacho_op_row *row = &ops->rows[i];
        items[i] = (sortable){*row, sort_number(row, key), TACHO_STR(""), i};
        if (key == TACHO_OPS_BY_NAME) {
            items[i].text = tacho_dict_string(self->dict, row->name);
        } else if (key == TACHO_OPS_BY_LOCATION) {
            items[i].text = location_text(self->dict, row->location);
        }
    }
    qsort(items, ops->row_count, sizeof(*items), compare_sortables);
    take_rows(ops, items, self->options->top);
    free(items);
    return TACHO_OK;
}

static tacho_status make_rows(grouping *self)
{
    TACHO_TRY(grouping_init(self));
    TACHO_TRY(group_spans(self));
    TACHO_TRY(collect_durations(self));
    for (size_t i = 0; i < self->ops->row_count; i++) {
        tacho_op_row *row = &self->ops->rows[i];
        sum_row(row, &self->durations[self->ends[i] - row->count]);
    }
    return self->ops->row_count > 0 ? sort_rows(self) : TACHO_OK;
}

tacho_status tacho_ops_init(tacho_ops *ops, const tacho_profile *profile,
                            const tacho_ops_options *options)
{
    *ops = (tacho_ops){.dict = profile->events.dict};
    grouping self = {
        .ops = ops,
        .profile = profile,
        .dict = profile->events.dict,
        .options = options,
    };
    tacho_operators_init(&self.operators, profile->events.dict);
    tacho_status status = make_rows(&self);
    grouping_deinit(&self);
    return status;
}

void tacho_ops_deinit(tacho_ops *ops)
{
    free(ops->rows);
    *ops = (tacho_ops){0};
}

/* ---- table ------------------------------------------------------------------------------ */

static tacho_status add_row(const tacho_dict *dict, const tacho_op_row *row, tacho_table *table)
{
    const char *class_name = tacho_track_class_name(row->track_class);
    double share =
        row->group_self_ns > 0 ? (double)row->self_ns / (double)row->group_self_ns * 100 : 0;
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[row->part].name)));
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
        {"file", "file", TACHO_COLUMN_TEXT},
        {"operation", "operation", TACHO_COLUMN_TEXT},
        {"class", "class", TACHO_COLUMN_TEXT},
        {"origin", "origin", TACHO_COLUMN_TEXT},
        {"count", "count", TACHO_COLUMN_INT},
        {"total_ns", "total", TACHO_COLUMN_DURATION},
        {"self_ns", "self", TACHO_COLUMN_DURATION},
        {"share_percent", "share", TACHO_COLUMN_PERCENT},
        {"mean_ns", "mean", TACHO_COLUMN_DURATION},
        {"p50_ns", "p50", TACHO_COLUMN_DURATION},
        {"p99_ns", "p99", TACHO_COLUMN_DURATION},
        {"min_ns", "min", TACHO_COLUMN_DURATION},
        {"max_ns", "max", TACHO_COLUMN_DURATION},
        {"bytes", "bytes", TACHO_COLUMN_INT},
        {"location", "location", TACHO_COLUMN_TEXT},
    };
    tacho_table_init(out_table, "ops", "Operations", columns, sizeof(columns) / sizeof(columns[0]));
    out_table->kept = "operation total_ns share_percent file self_ns count";
    for (size_t i = 0; i < ops->row_count; i++) {
        TACHO_TRY(add_row(ops->dict, &ops->rows[i], out_table));
    }
    return TACHO_OK;
}
