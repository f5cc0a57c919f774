/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows, found by their keys, and merging. Each number of a row is a sum, an extreme or a set, so
 * neither order nor grouping matters.
 */
#include "questions/fleet/fleet.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/chunk.h"

#include <assert.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Rows by time are thinned out when they reach this number, then each time they have doubled. */
enum { TRIM_LEAST = 1 << 12, TRIM_FIRST = 2 * TACHO_FLEET_KEPT_KEYS };

uint32_t tacho_fleet_table_letters(tacho_fleet_table_id table)
{
    static const uint32_t letters[] = {
#define LETTERS_AS_ROW(id, a, b, c, d) TACHO_FOURCC(a, b, c, d),
        TACHO_FLEET_TABLES(LETTERS_AS_ROW)
#undef LETTERS_AS_ROW
    };
    return letters[table];
}

bool tacho_fleet_table_has_durations(tacho_fleet_table_id table)
{
    return table == TACHO_FLEET_TABLE_OPS || table == TACHO_FLEET_TABLE_FILES ||
           table == TACHO_FLEET_TABLE_KINDS;
}

/* Tables whose rows grow with time, not with names. */
static bool is_limited(tacho_fleet_table_id table)
{
    return table == TACHO_FLEET_TABLE_STEPS || table == TACHO_FLEET_TABLE_CALLS ||
           table == TACHO_FLEET_TABLE_ENDS;
}

void tacho_fleet_put_id(char *to, uint64_t id)
{
    for (unsigned i = 0; i < TACHO_FLEET_ID_BYTES; i++) {
        to[i] = (char)(unsigned char)(id >> (8 * (TACHO_FLEET_ID_BYTES - 1 - i)));
    }
}

uint64_t tacho_fleet_get_id(tacho_str key)
{
    uint64_t id = 0;
    for (unsigned i = 0; i < TACHO_FLEET_ID_BYTES; i++) {
        id = id << 8 | (unsigned char)key.data[i];
    }
    return id;
}

/* ---- life ---------------------------------------------------------------------------------- */

tacho_status tacho_fleet_init(tacho_fleet *fleet, unsigned sections)
{
    *fleet = (tacho_fleet){.sections = sections};
    TACHO_TRY(tacho_strings_init(&fleet->texts));
    TACHO_TRY(tacho_strings_init(&fleet->device_keys));
    TACHO_TRY(tacho_strings_init(&fleet->file_keys));
    for (size_t i = 0; i < TACHO_FLEET_TABLE_COUNT; i++) {
        TACHO_TRY(tacho_strings_init(&fleet->tables[i].keys));
        fleet->tables[i].hash_limit = UINT64_MAX;
        fleet->tables[i].trim_at = i == TACHO_FLEET_TABLE_ENDS ? TRIM_LEAST : TRIM_FIRST;
    }
    return TACHO_OK;
}

static void free_row(tacho_fleet_row *row)
{
    if (row->durations != NULL) {
        tacho_durations_deinit(row->durations);
        free(row->durations);
    }
}

void tacho_fleet_deinit(tacho_fleet *fleet)
{
    for (size_t i = 0; i < TACHO_FLEET_TABLE_COUNT; i++) {
        tacho_fleet_table *table = &fleet->tables[i];
        for (size_t k = 0; k < table->row_count; k++) {
            free_row(&table->rows[k]);
        }
        free(table->rows);
        tacho_strings_deinit(&table->keys);
    }
    for (size_t i = 0; i < fleet->device_count; i++) {
        tacho_durations_deinit(&fleet->devices[i].delays);
    }
    free(fleet->devices);
    free(fleet->files);
    tacho_strings_deinit(&fleet->device_keys);
    tacho_strings_deinit(&fleet->file_keys);
    tacho_strings_deinit(&fleet->texts);
    *fleet = (tacho_fleet){0};
}

tacho_status tacho_fleet_text(tacho_fleet *fleet, tacho_str text, uint32_t *out_id)
{
    return tacho_strings_ensure(&fleet->texts, tacho_utf8_cut(text, TACHO_FLEET_TEXT_MAX), out_id);
}

/* The place of |key|; |count| if it is new. */
static tacho_status find_place(tacho_strings *keys, tacho_str key, size_t count, size_t *out_place)
{
    uint32_t id = 0;
    assert(key.len > 0);
    TACHO_TRY(tacho_strings_ensure(keys, key, &id));
    *out_place = id - 1;
    assert(*out_place <= count);
    return TACHO_OK;
}

tacho_status tacho_fleet_ensure_device(tacho_fleet *fleet, tacho_str key,
                                       tacho_fleet_device **out_device)
{
    size_t place = 0;
    *out_device = NULL;
    TACHO_TRY(tacho_grow(&fleet->devices, &fleet->device_capacity, fleet->device_count + 1));
    TACHO_TRY(find_place(&fleet->device_keys, key, fleet->device_count, &place));
    if (place == fleet->device_count) {
        *out_device = &fleet->devices[fleet->device_count++];
        **out_device = (tacho_fleet_device){0};
        tacho_durations_init(&(*out_device)->delays);
    }
    return TACHO_OK;
}

tacho_status tacho_fleet_ensure_file(tacho_fleet *fleet, tacho_str key, tacho_fleet_file **out_file)
{
    size_t place = 0;
    *out_file = NULL;
    TACHO_TRY(tacho_grow(&fleet->files, &fleet->file_capacity, fleet->file_count + 1));
    TACHO_TRY(find_place(&fleet->file_keys, key, fleet->file_count, &place));
    if (place == fleet->file_count) {
        *out_file = &fleet->files[fleet->file_count++];
        **out_file = (tacho_fleet_file){.rank = -1, .own_rank = -1};
    }
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

uint64_t tacho_fleet_hash(tacho_str key)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < key.len; i++) {
        hash = (hash ^ (unsigned char)key.data[i]) * UINT64_C(1099511628211);
    }
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static tacho_status compact_row(tacho_fleet_row *row)
{
    bool is_large =
        row->durations != NULL && row->durations->is_exact && row->count > TACHO_FLEET_EXACT_OF_ROW;
    return is_large ? tacho_durations_compact(row->durations) : TACHO_OK;
}

/* Whether rows of |table| with many durations already count them in buckets. */
static bool is_compact(const tacho_fleet *fleet, tacho_fleet_table_id table)
{
    return table != TACHO_FLEET_TABLE_OPS || fleet->span_count > TACHO_FLEET_EXACT_SPANS;
}

static bool is_before(tacho_fleet_peak a, tacho_fleet_peak b)
{
    return a.ns < b.ns || (a.ns == b.ns && a.file < b.file);
}

static bool is_above(tacho_fleet_peak a, tacho_fleet_peak b)
{
    return a.ns > b.ns || (a.ns == b.ns && a.file < b.file);
}

/* The second least of both rows, before their least ones are merged. */
static tacho_fleet_peak second_of(const tacho_fleet_row *row, const tacho_fleet_row *more)
{
    if (row->count == 0 || more->count == 0) {
        return row->count == 0 ? more->second : row->second;
    }
    tacho_fleet_peak second = is_before(row->least, more->least) ? more->least : row->least;
    second = row->count > 1 && is_before(row->second, second) ? row->second : second;
    return more->count > 1 && is_before(more->second, second) ? more->second : second;
}

static void merge_peaks(tacho_fleet_row *row, const tacho_fleet_row *more)
{
    if (more->count > 0) {
        bool is_first = row->count == 0;
        row->least = is_first || is_before(more->least, row->least) ? more->least : row->least;
        row->most = is_first || is_above(more->most, row->most) ? more->most : row->most;
        row->largest =
            is_first || is_above(more->largest, row->largest) ? more->largest : row->largest;
    }
}

static tacho_status merge_durations(tacho_fleet_row *row, const tacho_fleet_row *more)
{
    if (more->durations == NULL) {
        return TACHO_OK;
    }
    if (row->durations == NULL) {
        row->durations = malloc(sizeof(*row->durations));
        if (row->durations == NULL) {
            return tacho_no_memory();
        }
        tacho_durations_init(row->durations);
    }
    return tacho_durations_merge(row->durations, more->durations);
}

static tacho_status merge_row(tacho_fleet_table_id table, tacho_fleet_row *row,
                              const tacho_fleet_row *more)
{
    row->second = table == TACHO_FLEET_TABLE_CALLS ? second_of(row, more) : row->second;
    merge_peaks(row, more);
    TACHO_TRY(merge_durations(row, more));
    row->count += more->count;
    row->file_count += more->file_count;
    row->total_ns += more->total_ns;
    row->inner_ns += more->inner_ns;
    row->has_bytes = row->has_bytes || more->has_bytes;
    row->bytes = tacho_cycles_add(row->bytes, more->bytes);
    return TACHO_OK;
}

static tacho_status keep_least_hashes(tacho_fleet *fleet, tacho_fleet_table_id id);

tacho_status tacho_fleet_add(tacho_fleet *fleet, tacho_fleet_table_id id,
                             const tacho_fleet_amount *amount)
{
    tacho_fleet_table *table = &fleet->tables[id];
    size_t place = 0;
    uint32_t location = TACHO_NONE;
    if (is_limited(id) && table->hash_limit < UINT64_MAX &&
        tacho_fleet_hash(amount->key) > table->hash_limit) {
        return TACHO_OK;
    }
    if (amount->location.len > 0) {
        TACHO_TRY(tacho_fleet_text(fleet, amount->location, &location));
    }
    TACHO_TRY(tacho_grow(&table->rows, &table->row_capacity, table->row_count + 1));
    TACHO_TRY(find_place(&table->keys, amount->key, table->row_count, &place));
    if (place == table->row_count) {
        table->rows[table->row_count++] = (tacho_fleet_row){.location = location};
    }
    tacho_fleet_row *row = &table->rows[place];
    row->location = row->location == location ? location : TACHO_NONE;
    TACHO_TRY(merge_row(id, row, amount->row));
    if (id == TACHO_FLEET_TABLE_OPS) {
        bool was_compact = is_compact(fleet, id);
        fleet->span_count += amount->row->count;
        for (size_t i = 0; i < table->row_count && !was_compact && is_compact(fleet, id); i++) {
            TACHO_TRY(compact_row(&table->rows[i]));
        }
    }
    TACHO_TRY(is_compact(fleet, id) ? compact_row(row) : TACHO_OK);
    return is_limited(id) && table->row_count >= table->trim_at ? keep_least_hashes(fleet, id)
                                                                : TACHO_OK;
}

/* ---- limited tables ------------------------------------------------------------------------ */

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Marks the rows whose keys have the least hashes. */
static tacho_status mark_least_hashes(tacho_fleet_table *table, bool *keeps)
{
    uint64_t *hashes = NULL;
    TACHO_TRY(tacho_items_make(&hashes, table->row_count));
    for (size_t i = 0; i < table->row_count; i++) {
        hashes[i] = tacho_fleet_hash(tacho_fleet_key(&table->keys, i));
    }
    qsort(hashes, table->row_count, sizeof(*hashes), compare_numbers);
    uint64_t limit =
        table->row_count > TACHO_FLEET_KEPT_KEYS ? hashes[TACHO_FLEET_KEPT_KEYS] - 1 : UINT64_MAX;
    free(hashes);
    table->hash_limit = limit < table->hash_limit ? limit : table->hash_limit;
    for (size_t i = 0; i < table->row_count; i++) {
        keeps[i] = tacho_fleet_hash(tacho_fleet_key(&table->keys, i)) <= table->hash_limit;
    }
    return TACHO_OK;
}

/* Marks the ends of the first calls of each group: keys begin with the hashes of both. */
static tacho_status mark_ends(const tacho_fleet_table *table, bool *keeps)
{
    uint32_t *order = NULL;
    uint64_t group = 0, call = 0;
    size_t call_count = 0;
    TACHO_TRY(tacho_fleet_order(&table->keys, table->row_count, &order));
    for (size_t i = 0; i < table->row_count; i++) {
        tacho_str key = tacho_fleet_key(&table->keys, order[i]);
        uint64_t own_group = tacho_fleet_get_id(key);
        uint64_t own_call = tacho_fleet_get_id(tacho_str_from(key, TACHO_FLEET_ID_BYTES));
        bool is_same_group = i > 0 && own_group == group;
        call_count = !is_same_group ? 1 : own_call != call ? call_count + 1 : call_count;
        keeps[order[i]] = call_count <= TACHO_FLEET_KEPT_ENDS;
        group = own_group;
        call = own_call;
    }
    free(order);
    return TACHO_OK;
}

/* Drops the rows that are not kept; the others keep their order. */
static tacho_status drop_rows(tacho_fleet_table *table, const bool *keeps)
{
    tacho_strings kept;
    size_t kept_count = 0;
    tacho_status status = tacho_strings_init(&kept);
    for (size_t i = 0; i < table->row_count && status == TACHO_OK; i++) {
        uint32_t place = 0;
        tacho_str key = tacho_fleet_key(&table->keys, i);
        status = keeps[i] ? tacho_strings_ensure(&kept, key, &place) : TACHO_OK;
    }
    if (status != TACHO_OK) {
        tacho_strings_deinit(&kept);
        return status;
    }
    for (size_t i = 0; i < table->row_count; i++) {
        if (keeps[i]) {
            table->rows[kept_count++] = table->rows[i];
        } else {
            free_row(&table->rows[i]);
        }
    }
    tacho_strings_deinit(&table->keys);
    table->keys = kept;
    table->row_count = kept_count;
    table->trim_at = 2 * kept_count > TRIM_LEAST ? 2 * kept_count : TRIM_LEAST;
    return TACHO_OK;
}

/*
 * Keeps the rows whose keys have the least hashes, for ends in each group. A fleet of some of the
 * files keeps at least those of their rows that a fleet of all files keeps, so the kept rows of the
 * whole fleet are complete.
 */
static tacho_status keep_least_hashes(tacho_fleet *fleet, tacho_fleet_table_id id)
{
    tacho_fleet_table *table = &fleet->tables[id];
    bool *keeps = NULL;
    TACHO_TRY(tacho_items_make(&keeps, table->row_count));
    tacho_status status =
        id == TACHO_FLEET_TABLE_ENDS ? mark_ends(table, keeps) : mark_least_hashes(table, keeps);
    if (status == TACHO_OK) {
        status = drop_rows(table, keeps);
    }
    free(keeps);
    return status;
}

tacho_status tacho_fleet_settle(tacho_fleet *fleet)
{
    for (size_t i = 0; i < TACHO_FLEET_TABLE_COUNT; i++) {
        tacho_fleet_table *table = &fleet->tables[i];
        bool is_long = is_limited((tacho_fleet_table_id)i) && table->row_count > 0;
        TACHO_TRY(is_long ? keep_least_hashes(fleet, (tacho_fleet_table_id)i) : TACHO_OK);
        for (size_t k = 0; k < table->row_count; k++) {
            if (table->rows[k].durations != NULL) {
                tacho_durations_sort(table->rows[k].durations);
            }
        }
    }
    for (size_t i = 0; i < fleet->device_count; i++) {
        tacho_durations_sort(&fleet->devices[i].delays);
    }
    return TACHO_OK;
}

/* ---- merging ------------------------------------------------------------------------------- */

/* Joins the term |*own| of |fleet| with |term| of |more|. */
static tacho_status join_term(tacho_fleet *fleet, uint32_t *own, const tacho_fleet *more,
                              uint32_t term)
{
    tacho_str text = tacho_strings_get(&more->texts, term);
    bool is_common =
        fleet->file_count == 0 || tacho_str_equal(tacho_strings_get(&fleet->texts, *own), text);
    return tacho_fleet_text(fleet, is_common ? text : TACHO_STR(TACHO_FLEET_VARIOUS), own);
}

/* Orders |a| and |b| by their facts; a file that names its host is first. */
static int compare_facts(const tacho_fleet *of_a, const tacho_fleet_file *a,
                         const tacho_fleet *of_b, const tacho_fleet_file *b)
{
    const uint32_t texts[][2] = {{a->run, b->run},
                                 {a->host, b->host},
                                 {a->format, b->format},
                                 {a->writer, b->writer},
                                 {a->reason, b->reason}};
    const int64_t numbers[][2] = {{a->state, b->state},
                                  {a->rank, b->rank},
                                  {a->world_size, b->world_size},
                                  {(int64_t)a->span_count, (int64_t)b->span_count},
                                  {(int64_t)a->lost_count, (int64_t)b->lost_count},
                                  {a->first_ns, b->first_ns},
                                  {a->end_ns, b->end_ns},
                                  {a->clock_step_ns, b->clock_step_ns},
                                  {a->clock_offset_ns, b->clock_offset_ns},
                                  {a->clock_error_ns, b->clock_error_ns}};
    /* The empty text is number 0 of every fleet. */
    int order = (a->host == 0) - (b->host == 0);
    for (size_t i = 0; i < COUNT_OF(texts) && order == 0; i++) {
        order = tacho_str_compare(tacho_strings_get(&of_a->texts, texts[i][0]),
                                  tacho_strings_get(&of_b->texts, texts[i][1]));
    }
    for (size_t i = 0; i < COUNT_OF(numbers) && order == 0; i++) {
        order = (numbers[i][0] > numbers[i][1]) - (numbers[i][0] < numbers[i][1]);
    }
    return order;
}

/* Copies |from|, of |more|, to |*file|. */
static tacho_status copy_file(tacho_fleet *fleet, const tacho_fleet *more,
                              const tacho_fleet_file *from, tacho_fleet_file *file)
{
    uint32_t ids[5];
    const uint32_t from_ids[] = {from->run, from->host, from->format, from->writer, from->reason};
    for (size_t k = 0; k < COUNT_OF(ids); k++) {
        TACHO_TRY(tacho_fleet_text(fleet, tacho_strings_get(&more->texts, from_ids[k]), &ids[k]));
    }
    *file = *from;
    file->run = ids[0];
    file->host = ids[1];
    file->format = ids[2];
    file->writer = ids[3];
    file->reason = ids[4];
    return TACHO_OK;
}

tacho_status tacho_fleet_list(tacho_fleet *fleet, const tacho_fleet *more)
{
    if (more->file_count > 0) {
        TACHO_TRY(join_term(fleet, &fleet->window, more, more->window));
        TACHO_TRY(join_term(fleet, &fleet->reading, more, more->reading));
    }
    for (size_t i = 0; i < more->file_count; i++) {
        const tacho_fleet_file *from = &more->files[i];
        tacho_str key = tacho_fleet_key(&more->file_keys, i);
        tacho_fleet_file *file = NULL;
        TACHO_TRY(tacho_fleet_ensure_file(fleet, key, &file));
        bool is_new = file != NULL;
        if (!is_new) { /* the same path on another computer, or the same part again */
            file = &fleet->files[tacho_strings_find(&fleet->file_keys, key) - 1];
        }
        if (is_new || compare_facts(more, from, fleet, file) < 0) {
            TACHO_TRY(copy_file(fleet, more, from, file));
        }
    }
    return TACHO_OK;
}

static tacho_status merge_devices(tacho_fleet *fleet, const tacho_fleet *more)
{
    for (size_t i = 0; i < more->device_count; i++) {
        tacho_fleet_device *device = NULL;
        tacho_str key = tacho_fleet_key(&more->device_keys, i);
        TACHO_TRY(tacho_fleet_ensure_device(fleet, key, &device));
        if (device != NULL) {
            memcpy(device->numbers, more->devices[i].numbers, sizeof(device->numbers));
            TACHO_TRY(tacho_durations_merge(&device->delays, &more->devices[i].delays));
        }
    }
    return TACHO_OK;
}

static tacho_status merge_tables(tacho_fleet *fleet, const tacho_fleet *more)
{
    for (size_t i = 0; i < TACHO_FLEET_TABLE_COUNT; i++) {
        const tacho_fleet_table *table = &more->tables[i];
        for (size_t k = 0; k < table->row_count; k++) {
            uint32_t location = table->rows[k].location;
            const tacho_fleet_amount amount = {
                .key = tacho_fleet_key(&table->keys, k),
                .row = &table->rows[k],
                .location = location != TACHO_NONE ? tacho_strings_get(&more->texts, location)
                                                   : TACHO_STR(""),
            };
            TACHO_TRY(tacho_fleet_add(fleet, (tacho_fleet_table_id)i, &amount));
        }
    }
    return TACHO_OK;
}

/* Whether |some| counts a single file, which |fleet| counts too. */
static bool is_copy_of(const tacho_fleet *fleet, const tacho_fleet *some)
{
    const tacho_fleet_table *files = &some->tables[TACHO_FLEET_TABLE_FILES];
    return files->row_count == 1 && files->rows[0].file_count == 1 &&
           tacho_strings_find(&fleet->tables[TACHO_FLEET_TABLE_FILES].keys,
                              tacho_fleet_key(&files->keys, 0)) != TACHO_NONE;
}

static tacho_status merge_all(tacho_fleet *fleet, const tacho_fleet *more)
{
    TACHO_TRY(tacho_fleet_list(fleet, more));
    TACHO_TRY(merge_devices(fleet, more));
    return merge_tables(fleet, more);
}

tacho_status tacho_fleet_merge(tacho_fleet *fleet, const tacho_fleet *more)
{
    if (fleet->sections != more->sections) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "made to answer other questions; make all parts with the same options");
    }
    if (is_copy_of(fleet, more)) {
        return tacho_fleet_list(fleet, more);
    }
    if (!is_copy_of(more, fleet)) {
        return merge_all(fleet, more);
    }
    /* The one file of |fleet| is among those of |more|. */
    tacho_fleet made;
    tacho_status status = tacho_fleet_init(&made, fleet->sections);
    if (status == TACHO_OK) {
        status = merge_all(&made, more);
    }
    if (status == TACHO_OK) {
        status = tacho_fleet_list(&made, fleet);
    }
    tacho_fleet unused = status == TACHO_OK ? *fleet : made;
    *fleet = status == TACHO_OK ? made : *fleet;
    tacho_fleet_deinit(&unused);
    return status;
}

/* ---- order --------------------------------------------------------------------------------- */

typedef struct keyed {
    tacho_str key;
    uint32_t place;
} keyed;

static int compare_keyed(const void *left, const void *right)
{
    return tacho_str_compare(((const keyed *)left)->key, ((const keyed *)right)->key);
}

tacho_status tacho_fleet_order(const tacho_strings *keys, size_t count, uint32_t **out_order)
{
    keyed *items = NULL;
    *out_order = NULL;
    TACHO_TRY(tacho_items_make(&items, count));
    for (size_t i = 0; i < count; i++) {
        items[i] = (keyed){tacho_fleet_key(keys, i), (uint32_t)i};
    }
    qsort(items, count, sizeof(*items), compare_keyed);
    tacho_status status = tacho_items_make(out_order, count);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        (*out_order)[i] = items[i].place;
    }
    free(items);
    return status;
}
