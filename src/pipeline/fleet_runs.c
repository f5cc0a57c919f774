/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are sorted by rank: two neighbours of one rank with different beginnings are two runs. By
 * time, a process that comes again begins a new window.
 */
#include "pipeline/fleet_runs.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANK_DIGITS_MAX = 9 };

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/*
 * Whether |text| begins with "rank" in letters of any case, a separator or none, and digits, which
 * end at |out_len|.
 */
static bool parse_rank(tacho_str text, uint64_t *out_rank, size_t *out_len)
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
    *out_len = at + len;
    return len > 0 && len <= RANK_DIGITS_MAX &&
           tacho_str_parse_u64(tacho_str_make(text.data + at, len), out_rank);
}

static bool is_letter(char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

/* Whether a word begins at |at|: "localRank3" has two, "frank3" is one. */
static bool begins_word(tacho_str path, size_t at)
{
    bool is_capital = path.data[at] == 'R';
    char before = at > 0 ? path.data[at - 1] : '/';
    return !is_letter(before) || (is_capital && before >= 'a');
}

/* Whether the components of |path| ahead of |end| have one that is a rank and nothing else. */
static bool find_folder_rank(tacho_str path, size_t end, uint64_t *out_rank, size_t *out_ahead)
{
    while (end > 0) {
        size_t begin = end - 1; /* where the '/' behind the component is */
        while (begin > 0 && path.data[begin - 1] != '/') {
            begin--;
        }
        tacho_str piece = tacho_str_make(path.data + begin, end - 1 - begin);
        size_t len = 0;
        if (parse_rank(piece, out_rank, &len) && len == piece.len) {
            *out_ahead = begin;
            return true;
        }
        end = begin;
    }
    return false;
}

bool tacho_fleet_name_rank(tacho_str path, uint64_t *out_rank, size_t *out_ahead)
{
    size_t first = path.len - tacho_str_basename(path).len, len = 0;
    for (size_t at = path.len; at > first; at--) {
        if (begins_word(path, at - 1) && parse_rank(tacho_str_from(path, at - 1), out_rank, &len)) {
            *out_ahead = at - 1;
            return true;
        }
    }
    return find_folder_rank(path, first, out_rank, out_ahead);
}

/* Takes digits off the end of |text|, and |ahead| of them; false: that is not what stands there. */
static bool take_number(tacho_str *text, char ahead, uint64_t *out_number)
{
    size_t len = text->len;
    while (len > 0 && is_digit(text->data[len - 1])) {
        len--;
    }
    bool is_there = len > 0 && len < text->len && text->data[len - 1] == ahead &&
                    tacho_str_parse_u64(tacho_str_from(*text, len), out_number);
    text->len = is_there ? len - 1 : text->len;
    return is_there;
}

/* Whether the last word of |name| says what the number behind it counts: "worker0_step". */
static bool counts_something(tacho_str name)
{
    static const char *const words[] = {"step", "iter", "iteration", "epoch", "batch", "window"};
    size_t begin = name.len;
    while (begin > 0 && name.data[begin - 1] != '_') {
        begin--;
    }
    tacho_str last = tacho_str_from(name, begin);
    bool is_found = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        is_found = is_found || tacho_str_equal(last, tacho_str_from_cstring(words[i]));
    }
    return is_found;
}

/* What stands ahead of the time in the name of a trace of PyTorch's profiler. */
static bool take_time(tacho_str path, tacho_str *out_name, uint64_t *out_time)
{
    static const char *const ends[] = {".gz", ".zst", ".pt.trace.json"};
    tacho_str name = tacho_str_basename(path);
    bool is_trace = false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        is_trace = tacho_str_ends_with(name, tacho_str_from_cstring(ends[i]));
        name.len -= is_trace ? strlen(ends[i]) : 0;
    }
    bool has_time = is_trace && take_number(&name, '.', out_time);
    *out_name = name;
    return has_time;
}

bool tacho_fleet_trace_name_parse(tacho_str path, tacho_fleet_trace_name *out_name)
{
    tacho_str name;
    bool is_whole = take_time(path, &name, &out_name->time) &&
                    take_number(&name, '_', &out_name->process) && !counts_something(name);
    out_name->host = name;
    return is_whole;
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

static void add_run(tacho_fleet_runs *runs, const char *path, tacho_str run)
{
    runs->items[runs->item_count++] = (tacho_fleet_run_name){path, run};
}

static void name_by_ranks(tacho_fleet_runs *runs, named_file *files, size_t count)
{
    bool has_several = false;
    if (count == 0) {
        return;
    }
    qsort(files, count, sizeof(*files), compare_ranks);
    for (size_t i = 1; i < count; i++) {
        has_several = has_several || (files[i].rank == files[i - 1].rank &&
                                      !tacho_str_equal(files[i].ahead, files[i - 1].ahead));
    }
    size_t common = common_len(files, count);
    for (size_t i = 0; i < count && has_several; i++) {
        add_run(runs, files[i].path, trim(tacho_str_from(files[i].ahead, common)));
    }
}

/* ---- windows ------------------------------------------------------------------------------- */

typedef struct window_file {
    tacho_fleet_trace_name name;
    const char *path;
    size_t number; /* of its process */
} window_file;

/* By process, then by time; by time, then by process. */
static int compare_processes(const window_file *a, const window_file *b)
{
    int order = tacho_str_compare(a->name.host, b->name.host);
    return order != 0 ? order
                      : (a->name.process > b->name.process) - (a->name.process < b->name.process);
}

static int compare_times(const window_file *a, const window_file *b)
{
    return (a->name.time > b->name.time) - (a->name.time < b->name.time);
}

static int compare_by_process(const void *left, const void *right)
{
    int order = compare_processes(left, right);
    order = order != 0 ? order : compare_times(left, right);
    return order != 0
               ? order
               : strcmp(((const window_file *)left)->path, ((const window_file *)right)->path);
}

static int compare_by_time(const void *left, const void *right)
{
    int order = compare_times(left, right);
    order = order != 0 ? order : compare_processes(left, right);
    return order != 0
               ? order
               : strcmp(((const window_file *)left)->path, ((const window_file *)right)->path);
}

/* Numbers the processes of |files|, and tells whether one has several times. */
static bool find_processes(window_file *files, size_t count)
{
    bool has_several = false;
    qsort(files, count, sizeof(*files), compare_by_process);
    for (size_t i = 0; i < count; i++) {
        bool is_same = i > 0 && compare_processes(&files[i], &files[i - 1]) == 0;
        files[i].number = i == 0 ? 0 : files[i - 1].number + (is_same ? 0 : 1);
        /* The same time again is a copy elsewhere. */
        has_several = has_several || (is_same && compare_times(&files[i], &files[i - 1]) != 0);
    }
    return has_several;
}

/* As time goes on, a window ends when a process that has a file in it has another one. */
static tacho_status name_windows(tacho_fleet_runs *runs, window_file *files, size_t count)
{
    typedef struct last_file {
        size_t window;
        uint64_t time;
    } last_file;
    last_file *lasts = NULL; /* of each process */
    size_t window = 1;
    if (count == 0 || !find_processes(files, count)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&lasts, count));
    tacho_status status = TACHO_OK;
    qsort(files, count, sizeof(*files), compare_by_time);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        char text[32];
        tacho_str kept;
        last_file *last = &lasts[files[i].number];
        bool is_again = last->window == window && last->time != files[i].name.time;
        window += is_again ? 1 : 0;
        *last = (last_file){window, files[i].name.time};
        int len = snprintf(text, sizeof(text), "window %zu", window);
        status = tacho_arena_copy(&runs->arena, tacho_str_make(text, (size_t)len), &kept);
        if (status == TACHO_OK) {
            add_run(runs, files[i].path, kept);
        }
    }
    free(lasts);
    return status;
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
    window_file *windows = NULL;
    size_t count = 0, window_count = 0;
    *runs = (tacho_fleet_runs){.item_count = 0};
    tacho_arena_init(&runs->arena);
    tacho_status status = tacho_items_make(&files, path_count);
    status = status == TACHO_OK ? tacho_items_make(&windows, path_count) : status;
    status = status == TACHO_OK ? tacho_items_make(&runs->items, path_count) : status;
    for (size_t i = 0; i < path_count && status == TACHO_OK; i++) {
        tacho_str path = tacho_str_from_cstring(paths[i]);
        tacho_fleet_trace_name name;
        size_t ahead = 0;
        uint64_t rank = 0;
        bool is_part = tacho_str_ends_with(path, TACHO_STR(TACHO_FLEET_PART_SUFFIX));
        if (has_run(path) || is_part) {
            continue;
        }
        if (tacho_fleet_name_rank(path, &rank, &ahead)) {
            files[count++] = (named_file){rank, tacho_str_make(path.data, ahead), paths[i]};
        } else if (tacho_fleet_trace_name_parse(path, &name)) {
            windows[window_count++] = (window_file){.name = name, .path = paths[i]};
        }
    }
    if (status == TACHO_OK) {
        name_by_ranks(runs, files, count);
        /* Of one beginning, files of a rank may still be told apart by their times. */
        for (size_t i = 0; i < count && runs->item_count == 0; i++) {
            tacho_str unused;
            tacho_fleet_trace_name name = {.host = files[i].ahead, .process = files[i].rank};
            if (take_time(tacho_str_from_cstring(files[i].path), &unused, &name.time)) {
                windows[window_count++] = (window_file){.name = name, .path = files[i].path};
            }
        }
        status = name_windows(runs, windows, window_count);
    }
    if (runs->item_count > 0) {
        qsort(runs->items, runs->item_count, sizeof(*runs->items), compare_items);
    }
    free(files);
    free(windows);
    return status;
}

void tacho_fleet_runs_deinit(tacho_fleet_runs *runs)
{
    free(runs->items);
    tacho_arena_deinit(&runs->arena);
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

/* ---- sets of runs -------------------------------------------------------------------------- */

enum { RUNS_SHOWN = 4, RUN_NAME_SHOWN = 64 };

tacho_status tacho_fleet_run_set_init(tacho_fleet_run_set *set)
{
    *set = (tacho_fleet_run_set){.has_unnamed = false};
    pthread_mutex_init(&set->lock, NULL);
    return tacho_strings_init(&set->names);
}

void tacho_fleet_run_set_deinit(tacho_fleet_run_set *set)
{
    pthread_mutex_destroy(&set->lock);
    tacho_strings_deinit(&set->names);
}

tacho_status tacho_fleet_run_set_add(tacho_fleet_run_set *set, tacho_str name)
{
    uint32_t unused = 0;
    pthread_mutex_lock(&set->lock);
    set->has_unnamed = set->has_unnamed || name.len == 0;
    tacho_status status = tacho_strings_ensure(&set->names, name, &unused);
    pthread_mutex_unlock(&set->lock);
    return status;
}

size_t tacho_fleet_run_set_count(const tacho_fleet_run_set *set)
{
    return set->names.item_count - (set->has_unnamed ? 0 : 1); /* "" is always among the strings */
}

/* The first name behind |last|; |last| itself where there is none. */
static tacho_str next_name(const tacho_fleet_run_set *set, tacho_str last)
{
    tacho_str next = last;
    for (size_t i = 1; i < set->names.item_count; i++) {
        tacho_str name = tacho_strings_get(&set->names, (uint32_t)i);
        bool is_behind = tacho_str_compare(name, last) > 0;
        bool is_first = tacho_str_equal(next, last) || tacho_str_compare(name, next) < 0;
        next = is_behind && is_first ? name : next;
    }
    return next;
}

void tacho_fleet_run_set_print(const tacho_fleet_run_set *set,
                               char out_text[TACHO_FLEET_RUN_SET_TEXT_MAX])
{
    size_t count = tacho_fleet_run_set_count(set);
    size_t room = TACHO_FLEET_RUN_SET_TEXT_MAX;
    tacho_str name = TACHO_STR("");
    size_t shown = set->has_unnamed ? 1 : 0;
    size_t len = (size_t)snprintf(out_text, room, "%s", set->has_unnamed ? "''" : "");
    for (; shown < count && shown < RUNS_SHOWN; shown++) {
        name = next_name(set, name);
        len += (size_t)snprintf(out_text + len, room - len, "%s%.*s", shown > 0 ? ", " : "",
                                (int)tacho_least(name.len, RUN_NAME_SHOWN), name.data);
    }
    snprintf(out_text + len, room - len, "%s", count > shown ? ", ..." : "");
}
