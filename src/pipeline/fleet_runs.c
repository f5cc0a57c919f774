/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are sorted by rank: two neighbours of one rank with different beginnings are two runs.
 */
#include "pipeline/fleet_runs.h"

#include "base/grow.h"

#include <stdlib.h>

enum { RANK_DIGITS_MAX = 9 };

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Whether |text| begins with "rank" in letters of any case, a separator or none, and digits. */
static bool parse_rank(tacho_str text, uint64_t *out_rank)
{
    static const char word[] = "rank";
    size_t at = strlen(word);
    for (size_t i = 0; i < at; i++) {
        if (i >= text.len || (text.data[i] | 0x20) != word[i]) {
            return false;
        }
    }
    at += at < text.len && (text.data[at] == '-' || text.data[at] == '_' || text.data[at] == '=');
    size_t len = 0;
    while (at + len < text.len && is_digit(text.data[at + len])) {
        len++;
    }
    return len > 0 && len <= RANK_DIGITS_MAX &&
           tacho_str_parse_u64(tacho_str_make(text.data + at, len), out_rank);
}

bool tacho_fleet_name_rank(tacho_str path, uint64_t *out_rank, size_t *out_ahead)
{
    size_t first = path.len - tacho_str_basename(path).len;
    for (size_t at = path.len; at > first; at--) {
        if (parse_rank(tacho_str_from(path, at - 1), out_rank)) {
            *out_ahead = at - 1;
            return true;
        }
    }
    return false;
}

/* Takes digits off the end of |text|, and |ahead| of them; false: that is not what stands there. */
static bool take_number(tacho_str *text, char ahead)
{
    size_t len = text->len;
    while (len > 0 && is_digit(text->data[len - 1])) {
        len--;
    }
    bool is_there = len > 0 && len < text->len && text->data[len - 1] == ahead;
    text->len = is_there ? len - 1 : text->len;
    return is_there;
}

tacho_str tacho_fleet_name_host(tacho_str path)
{
    static const char *const ends[] = {".gz", ".zst", ".pt.trace.json"};
    tacho_str name = tacho_str_basename(path);
    bool is_trace = false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        is_trace = tacho_str_ends_with(name, tacho_str_from_cstring(ends[i]));
        name.len -= is_trace ? strlen(ends[i]) : 0;
    }
    return is_trace && take_number(&name, '.') && take_number(&name, '_') ? name : TACHO_STR("");
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* A file whose name says its rank. */
typedef struct named_file {
    uint64_t rank;
    tacho_str ahead; /* what stands ahead of that */
    const char *path;
} named_file;

static int compare_ranks(const void *left, const void *right)
{
    const named_file *a = left;
    const named_file *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return tacho_str_compare(a->ahead, b->ahead);
}

static int compare_items(const void *left, const void *right)
{
    return strcmp(((const tacho_fleet_run_name *)left)->path,
                  ((const tacho_fleet_run_name *)right)->path);
}

/* How many bytes all beginnings have in common, up to the last "/" of them. */
static size_t common_len(const named_file *files, size_t count)
{
    size_t len = files[0].ahead.len;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < len && same < files[i].ahead.len &&
               files[0].ahead.data[same] == files[i].ahead.data[same]) {
            same++;
        }
        len = same;
    }
    while (len > 0 && files[0].ahead.data[len - 1] != '/') {
        len--;
    }
    return len;
}

/* "b/" or "b_" is the run "b"; where nothing is left, it is ".". */
static tacho_str trim(tacho_str text)
{
    static const tacho_str separators = TACHO_STR_INIT("/-_. ");
    while (text.len > 0 &&
           tacho_str_find_byte(separators, text.data[text.len - 1]) < separators.len) {
        text.len--;
    }
    return text.len > 0 ? text : TACHO_STR(".");
}

static tacho_status name_runs(tacho_fleet_runs *runs, named_file *files, size_t count)
{
    bool has_several = false;
    qsort(files, count, sizeof(*files), compare_ranks);
    for (size_t i = 1; i < count; i++) {
        has_several = has_several || (files[i].rank == files[i - 1].rank &&
                                      !tacho_str_equal(files[i].ahead, files[i - 1].ahead));
    }
    if (!has_several) {
        return TACHO_OK;
    }
    size_t common = common_len(files, count);
    TACHO_TRY(tacho_items_make(&runs->items, count));
    for (size_t i = 0; i < count; i++) {
        runs->items[runs->item_count++] =
            (tacho_fleet_run_name){files[i].path, trim(tacho_str_from(files[i].ahead, common))};
    }
    qsort(runs->items, runs->item_count, sizeof(*runs->items), compare_items);
    return TACHO_OK;
}

/* Whether a directory of |path| names the run. */
static bool has_run(tacho_str path)
{
    for (size_t at = 0; at < path.len;
         at += tacho_str_find_byte(tacho_str_from(path, at), '/') + 1) {
        if (tacho_str_starts_with(tacho_str_from(path, at), TACHO_STR("run="))) {
            return true;
        }
    }
    return false;
}

tacho_status tacho_fleet_runs_init(tacho_fleet_runs *runs, const char *const *paths,
                                   size_t path_count)
{
    named_file *files = NULL;
    size_t count = 0;
    *runs = (tacho_fleet_runs){.item_count = 0};
    TACHO_TRY(tacho_items_make(&files, path_count));
    for (size_t i = 0; i < path_count; i++) {
        tacho_str path = tacho_str_from_cstring(paths[i]);
        size_t ahead = 0;
        uint64_t rank = 0;
        if (!has_run(path) && tacho_fleet_name_rank(path, &rank, &ahead)) {
            files[count++] = (named_file){rank, tacho_str_make(path.data, ahead), paths[i]};
        }
    }
    tacho_status status = count > 1 ? name_runs(runs, files, count) : TACHO_OK;
    free(files);
    return status;
}

void tacho_fleet_runs_deinit(tacho_fleet_runs *runs)
{
    free(runs->items);
    *runs = (tacho_fleet_runs){.item_count = 0};
}

tacho_str tacho_fleet_runs_find(const tacho_fleet_runs *runs, const char *path)
{
    const tacho_fleet_run_name key = {.path = path};
    const tacho_fleet_run_name *found =
        runs != NULL && runs->item_count > 0
            ? bsearch(&key, runs->items, runs->item_count, sizeof(*runs->items), compare_items)
            : NULL;
    return found != NULL ? found->run : TACHO_STR("");
}
