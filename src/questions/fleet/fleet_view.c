/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are found by a search in the order of their keys.
 */
#include "questions/fleet/fleet_view.h"

#include "base/grow.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERCENT = 100, LABEL_BYTES = 320 };

tacho_status tacho_fleet_view_init(tacho_fleet_view *view, tacho_fleet *fleet)
{
    *view = (tacho_fleet_view){.fleet = fleet};
    TACHO_TRY(tacho_fleet_settle(fleet));
    return tacho_fleet_order(&fleet->file_keys, fleet->file_count, &view->files);
}

void tacho_fleet_view_deinit(tacho_fleet_view *view)
{
    free(view->files);
    *view = (tacho_fleet_view){0};
}

static uint64_t id_at(const tacho_fleet_view *view, size_t place)
{
    return tacho_fleet_get_id(tacho_fleet_key(&view->fleet->file_keys, view->files[place]));
}

const tacho_fleet_file *tacho_fleet_view_file(const tacho_fleet_view *view, uint64_t id)
{
    const tacho_fleet *fleet = view->fleet;
    const tacho_fleet_file *found = NULL;
    size_t low = 0;
    size_t high = fleet->file_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = id_at(view, middle) < id;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    for (; low < fleet->file_count && id_at(view, low) == id; low++) {
        const tacho_fleet_file *file = &fleet->files[view->files[low]];
        bool has_host = tacho_fleet_view_text(view, file->host).len > 0;
        found = found == NULL || has_host ? file : found;
        if (has_host) {
            break;
        }
    }
    return found;
}

tacho_str tacho_fleet_view_text(const tacho_fleet_view *view, uint32_t text)
{
    return tacho_strings_get(&view->fleet->texts, text);
}

tacho_str tacho_fleet_view_path(const tacho_fleet_view *view, const tacho_fleet_file *file)
{
    size_t index = (size_t)(file - view->fleet->files);
    return tacho_str_from(tacho_fleet_key(&view->fleet->file_keys, index), TACHO_FLEET_ID_BYTES);
}

/* ---- cells --------------------------------------------------------------------------------- */

tacho_status tacho_fleet_add_text(tacho_table *table, tacho_str text)
{
    if (text.len == 0) {
        return tacho_table_add_absent(table);
    }
    tacho_arena arena;
    tacho_str clean = TACHO_STR("");
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_clean(text, &arena, &clean);
    if (status == TACHO_OK) {
        status = tacho_table_add_text(table, clean);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_fleet_add_label(const tacho_fleet_view *view, uint64_t id, tacho_table *table)
{
    const tacho_fleet_file *file = tacho_fleet_view_file(view, id);
    char label[LABEL_BYTES];
    if (file == NULL) {
        return tacho_table_add_absent(table);
    }
    if (file->rank < 0) {
        return tacho_fleet_add_text(table, tacho_fleet_view_path(view, file));
    }
    tacho_str host = tacho_fleet_view_text(view, file->host);
    host.len = host.len < LABEL_BYTES / 2 ? host.len : LABEL_BYTES / 2;
    int len = snprintf(label, sizeof(label), "%.*s%srank %" PRId64, TACHO_STR_ARG(host),
                       host.len > 0 ? " " : "", file->rank);
    return tacho_fleet_add_text(table, tacho_str_make(label, (size_t)len));
}

tacho_status tacho_fleet_add_who(const tacho_fleet_view *view, uint64_t id, tacho_table *table)
{
    const tacho_fleet_file *file = tacho_fleet_view_file(view, id);
    if (file == NULL) {
        for (size_t i = 0; i < 4; i++) {
            TACHO_TRY(tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_view_text(view, file->run)));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_view_text(view, file->host)));
    TACHO_TRY(file->rank >= 0 ? tacho_table_add_int(table, file->rank)
                              : tacho_table_add_absent(table));
    return tacho_fleet_add_text(table, tacho_fleet_view_path(view, file));
}

tacho_status tacho_fleet_add_percent(tacho_table *table, double part, double whole)
{
    return whole > 0 ? tacho_table_add_real(table, PERCENT * part / whole)
                     : tacho_table_add_absent(table);
}

int64_t tacho_fleet_cell_ns(tacho_i128 ns)
{
    return ns > INT64_MAX ? INT64_MAX : ns < 0 ? 0 : (int64_t)ns;
}

int64_t tacho_fleet_mean_ns(tacho_i128 total_ns, uint64_t count)
{
    return tacho_fleet_cell_ns(tacho_mean(total_ns, count));
}

/* ---- runs ---------------------------------------------------------------------------------- */

static uint64_t run_of(const tacho_fleet_view *view, uint64_t id)
{
    const tacho_fleet_file *file = tacho_fleet_view_file(view, id);
    return file != NULL ? file->run : 0;
}

tacho_status tacho_fleet_run_sums_add(tacho_fleet_run_sums *sums, const tacho_fleet_view *view,
                                      uint64_t id, tacho_i128 total_ns, uint64_t count)
{
    uint64_t run = run_of(view, id);
    const uint64_t *place = tacho_number_map_find(&sums->places, run);
    size_t at = place != NULL ? (size_t)*place : sums->item_count;
    if (place == NULL) {
        TACHO_TRY(tacho_grow(&sums->items, &sums->item_capacity, sums->item_count + 1));
        TACHO_TRY(tacho_number_map_set(&sums->places, run, at));
        sums->items[sums->item_count++] = (tacho_fleet_run_sum){.count = 0};
    }
    sums->items[at].total_ns += total_ns;
    sums->items[at].count += count;
    return TACHO_OK;
}

tacho_fleet_run_sum tacho_fleet_run_sums_find(const tacho_fleet_run_sums *sums,
                                              const tacho_fleet_view *view, uint64_t id)
{
    const uint64_t *place = tacho_number_map_find(&sums->places, run_of(view, id));
    return place != NULL ? sums->items[*place] : (tacho_fleet_run_sum){.count = 0};
}

void tacho_fleet_run_sums_deinit(tacho_fleet_run_sums *sums)
{
    tacho_number_map_deinit(&sums->places);
    free(sums->items);
}

/* ---- order --------------------------------------------------------------------------------- */

static int compare_places(const void *left, const void *right)
{
    const tacho_fleet_place *a = left;
    const tacho_fleet_place *b = right;
    if (a->number < b->number || a->number > b->number) {
        return a->number > b->number ? -1 : 1;
    }
    int order = tacho_str_compare(a->text, b->text);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

size_t tacho_fleet_sort(tacho_fleet_place *places, size_t count, size_t top)
{
    if (count > 0) {
        qsort(places, count, sizeof(*places), compare_places);
    }
    return top == 0 || top > count ? count : top;
}

tacho_str tacho_fleet_next_text(tacho_str *key)
{
    size_t len = tacho_str_find_byte(*key, '\0');
    tacho_str text = tacho_str_make(key->data, len);
    *key = tacho_str_from(*key, len < key->len ? len + 1 : len);
    return text;
}
