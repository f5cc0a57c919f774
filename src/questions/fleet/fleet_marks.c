/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites are classified once; tracks are known only at the end.
 */
#include "questions/fleet/fleet_marks.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "profile/summed_args.h"
#include "profile/vocabulary.h"
#include "profile/work_kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256, MEMBERS_MAX = 256 };

void tacho_fleet_marks_init(tacho_fleet_marks *marks, tacho_dict *dict, unsigned sections)
{
    *marks = (tacho_fleet_marks){.sections = sections};
    tacho_steps_init(&marks->found, dict);
}

void tacho_fleet_marks_deinit(tacho_fleet_marks *marks)
{
    tacho_steps_deinit(&marks->found);
    free(marks->is_call);
    free(marks->steps);
    free(marks->calls);
    for (size_t i = 0; i < marks->rest_count; i++) {
        tacho_durations_deinit(&marks->rest[i].durations);
    }
    free(marks->rest);
    tacho_number_map_deinit(&marks->kinds);
    tacho_number_map_deinit(&marks->rest_places);
    *marks = (tacho_fleet_marks){0};
}

static tacho_status prepare(tacho_fleet_marks *marks, tacho_dict *dict)
{
    marks->is_ready = true;
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_GROUP), &marks->group_key));
    TACHO_TRY(
        tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_MEMBERS), &marks->members_key));
    TACHO_TRY(
        tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_GROUP_SIZE), &marks->size_key));
    TACHO_TRY(
        tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_COLLECTIVE), &marks->name_key));
    TACHO_TRY(
        tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_NUMBER), &marks->number_keys[0]));
    return tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_NUMBER_TOO),
                                    &marks->number_keys[1]);
}

static bool is_collective(const tacho_dict *dict, const tacho_site *site)
{
    tacho_str name = tacho_dict_string(dict, site->name);
    tacho_str category = tacho_dict_string(dict, site->category);
    tacho_category_kind kind = tacho_span_kind_of(category, name);
    bool may_work = kind == TACHO_CATEGORY_KIND_DEVICE || kind == TACHO_CATEGORY_KIND_OTHER;
    return may_work &&
           tacho_work_kind_of(TACHO_TRACK_COMPUTE, category, name) == TACHO_WORK_COMMUNICATION;
}

static tacho_status grow_sites(tacho_fleet_marks *marks, const tacho_dict *dict)
{
    TACHO_TRY(tacho_grow(&marks->is_call, &marks->site_capacity, dict->site_count));
    for (; marks->site_count < dict->site_count; marks->site_count++) {
        marks->is_call[marks->site_count] = is_collective(dict, &dict->sites[marks->site_count]);
    }
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The text of |arg| as a string of the dictionary; 0 if it is not a text. */
static tacho_status string_of(tacho_dict *dict, const tacho_arg *arg, uint32_t *out_string)
{
    char number[32];
    if (arg->type == TACHO_ARG_STRING) {
        *out_string = arg->value.as_string;
        return TACHO_OK;
    }
    if (arg->type == TACHO_ARG_TEXT) {
        return tacho_dict_ensure_string(dict, arg->value.as_text, out_string);
    }
    if (arg->type != TACHO_ARG_INT && arg->type != TACHO_ARG_UINT) {
        return TACHO_OK;
    }
    int len = snprintf(number, sizeof(number), "%" PRId64, arg->value.as_int);
    return tacho_dict_ensure_string(dict, tacho_str_make(number, (size_t)len), out_string);
}

/* The numbers of the array at |at| as a text: "[0, 1]". */
static tacho_status list_of(tacho_dict *dict, const tacho_row *row, size_t at, uint32_t *out_string)
{
    char text[16 * MEMBERS_MAX];
    size_t len = 0;
    uint64_t count = row->args[at].value.as_uint;
    for (size_t i = at + 1; i <= at + count && i < row->arg_count && sizeof(text) - len > 32; i++) {
        const tacho_arg *arg = &row->args[i];
        if (arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT) {
            len += (size_t)snprintf(text + len, 32, "%s%" PRIu64, len == 0 ? "[" : ", ",
                                    arg->value.as_uint);
        }
    }
    return len == 0 ? TACHO_OK
                    : tacho_dict_ensure_string(dict, tacho_str_make(text, len), out_string);
}

static tacho_status read_args(const tacho_fleet_marks *marks, tacho_dict *dict,
                              const tacho_row *row, tacho_fleet_call *call)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_number =
            arg->type == TACHO_ARG_UINT || (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0);
        if (arg->key == marks->group_key) {
            TACHO_TRY(string_of(dict, arg, &call->group));
        } else if (arg->key == marks->members_key) {
            TACHO_TRY(arg->type == TACHO_ARG_ARRAY ? list_of(dict, row, i, &call->members)
                                                   : string_of(dict, arg, &call->members));
        } else if (arg->key == marks->size_key) {
            bool is_size = is_number && arg->value.as_uint <= INT32_MAX;
            call->group_size = is_size ? (uint32_t)arg->value.as_uint : 0;
        } else if (arg->key == marks->name_key) {
            TACHO_TRY(string_of(dict, arg, &call->name));
        } else if (is_number &&
                   (arg->key == marks->number_keys[0] || arg->key == marks->number_keys[1])) {
            call->has_number = true;
            call->number = arg->value.as_uint;
        }
    }
    return TACHO_OK;
}

/* The number of |key| in |map|; new ones count up from 0. */
static tacho_status number_in(tacho_number_map *map, uint64_t key, uint64_t *out_number)
{
    const uint64_t *known = tacho_number_map_find(map, key);
    *out_number = known != NULL ? *known : map->count;
    return known != NULL ? TACHO_OK : tacho_number_map_set(map, key, *out_number);
}

/* Adds |call| to the sums of its track, name and group. */
static tacho_status add_rest(tacho_fleet_marks *marks, const tacho_fleet_call *call)
{
    uint64_t kind = 0, place = 0;
    TACHO_TRY(number_in(&marks->kinds, (uint64_t)call->group << 32 | call->members, &kind));
    TACHO_TRY(number_in(&marks->kinds, UINT64_C(1) << 63 | kind << 32 | call->name, &kind));
    TACHO_TRY(number_in(&marks->rest_places, kind << 32 | call->track, &place));
    if (place == marks->rest_count) {
        TACHO_TRY(tacho_grow(&marks->rest, &marks->rest_capacity, marks->rest_count + 1));
        marks->rest[marks->rest_count++] =
            (tacho_fleet_rest){.first = *call, .sums = {.file_count = 1, .location = TACHO_NONE}};
        tacho_durations_init(&marks->rest[place].durations);
    }
    tacho_fleet_row *sums = &marks->rest[place].sums;
    bool is_least = sums->count == 0 || call->ns < sums->least.ns;
    sums->least.ns = is_least ? call->ns : sums->least.ns;
    sums->most.ns = tacho_most(sums->most.ns, call->ns);
    sums->count++;
    sums->total_ns += call->ns;
    return tacho_durations_add(&marks->rest[place].durations, call->ns);
}

static tacho_status add_call(tacho_fleet_marks *marks, tacho_dict *dict, const tacho_row *row,
                             const int64_t times_ns[2])
{
    tacho_fleet_call call = {
        .track = row->track,
        .name = dict->sites[row->of.span.site].name,
        .start_ns = times_ns[0],
        .end_ns = times_ns[1],
        .ns = times_ns[1] - times_ns[0],
        .place = marks->call_count,
    };
    TACHO_TRY(read_args(marks, dict, row, &call));
    if (TACHO_UNLIKELY(marks->call_count == TACHO_FLEET_CALLS_MAX)) {
        return add_rest(marks, &call);
    }
    TACHO_TRY(tacho_grow(&marks->calls, &marks->call_capacity, marks->call_count + 1));
    marks->calls[marks->call_count++] = call;
    return TACHO_OK;
}

tacho_status tacho_fleet_marks_add(tacho_fleet_marks *marks, tacho_dict *dict, const tacho_row *row,
                                   const int64_t times_ns[2])
{
    uint32_t site = row->of.span.site;
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    if ((marks->sections & TACHO_FLEET_STEPS) != 0) {
        TACHO_TRY(tacho_steps_add(&marks->found, row));
    }
    if (is_instant || (marks->sections & TACHO_FLEET_COLLECTIVES) == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(marks->is_ready ? TACHO_OK : prepare(marks, dict));
    if (TACHO_UNLIKELY(site >= marks->site_count)) {
        TACHO_TRY(grow_sites(marks, dict));
    }
    return TACHO_UNLIKELY(marks->is_call[site]) ? add_call(marks, dict, row, times_ns) : TACHO_OK;
}

static tacho_status add_mark(tacho_fleet_marks *marks, const tacho_step_span *step)
{
    TACHO_TRY(tacho_grow(&marks->steps, &marks->step_capacity, marks->step_count + 1));
    marks->steps[marks->step_count++] =
        (tacho_fleet_mark){step->name, step->end_ns - step->start_ns};
    return TACHO_OK;
}

tacho_status tacho_fleet_marks_end_part(tacho_fleet_marks *marks, uint32_t part)
{
    tacho_steps *found = &marks->found;
    TACHO_TRY(tacho_steps_find(found, part));
    for (size_t i = 0; i < found->item_count; i++) {
        TACHO_TRY(add_mark(marks, &found->items[i]));
    }
    TACHO_TRY(found->is_one_run ? add_mark(marks, &found->only_run) : TACHO_OK);
    tacho_steps_clear(found);
    return TACHO_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

static bool is_device(const tacho_dict *dict, uint32_t track)
{
    tacho_track_class track_class = dict->tracks[track].track_class;
    return track_class >= TACHO_TRACK_CONTROL && track_class <= TACHO_TRACK_VECTOR;
}

/* The target of folding |marks|. */
typedef struct folding {
    const tacho_dict *dict;
    const tacho_fleet_owner *owner;
    tacho_fleet *fleet;
    tacho_fleet_row file; /* all steps of the file */
    tacho_durations durations;
} folding;

/* A row of one duration. */
static tacho_fleet_row row_of(const folding *self, int64_t ns)
{
    const tacho_fleet_peak peak = {ns, self->owner->id};
    return (tacho_fleet_row){
        .count = 1, .file_count = 1, .total_ns = ns, .least = peak, .most = peak};
}

static tacho_status add_step(folding *self, tacho_str name, int64_t ns)
{
    char key[2 * NAME_BYTES + 1];
    size_t run_len = tacho_utf8_cut(self->owner->run, NAME_BYTES).len;
    size_t len = tacho_utf8_cut(name, NAME_BYTES).len;
    memcpy(key, self->owner->run.data, run_len);
    key[run_len] = '\0';
    memcpy(key + run_len + 1, name.data, len);
    const tacho_fleet_row row = row_of(self, ns);
    const tacho_fleet_amount amount = {.key = tacho_str_make(key, run_len + 1 + len), .row = &row};
    tacho_fleet_row *file = &self->file;
    file->least = file->count == 0 || ns < file->least.ns ? row.least : file->least;
    file->most = file->count == 0 || ns > file->most.ns ? row.most : file->most;
    file->count++;
    file->total_ns += ns;
    TACHO_TRY(tacho_durations_add(&self->durations, ns));
    return tacho_fleet_add(self->fleet, TACHO_FLEET_TABLE_STEPS, &amount);
}

/* Sorts by name, the longest first: steps of several processes in one file. */
static int compare_steps(const void *left, const void *right)
{
    const tacho_fleet_mark *a = left;
    const tacho_fleet_mark *b = right;
    if (a->name != b->name) {
        return a->name < b->name ? -1 : 1;
    }
    return (a->ns < b->ns) - (a->ns > b->ns);
}

static tacho_status fold_steps(tacho_fleet_marks *marks, folding *self)
{
    if (marks->step_count > 0) {
        qsort(marks->steps, marks->step_count, sizeof(*marks->steps), compare_steps);
    }
    for (size_t i = 0; i < marks->step_count; i++) {
        const tacho_fleet_mark *step = &marks->steps[i];
        if (i == 0 || step->name != marks->steps[i - 1].name) {
            TACHO_TRY(add_step(self, tacho_dict_string(self->dict, step->name), step->ns));
        }
    }
    return TACHO_OK;
}

/* Adds the file's own row, which also marks it as counted. */
static tacho_status add_file_row(folding *self)
{
    char key[TACHO_FLEET_ID_BYTES];
    tacho_fleet_put_id(key, self->owner->id);
    self->file.file_count = 1;
    self->file.durations = &self->durations;
    const tacho_fleet_amount amount = {.key = tacho_str_make(key, sizeof(key)), .row = &self->file};
    return tacho_fleet_add(self->fleet, TACHO_FLEET_TABLE_FILES, &amount);
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Ranks of a group, as a file lists them: "[0, 1, 2, 8]", or "[0, 1, ..., 63]". */
typedef struct member_list {
    uint32_t ranks[MEMBERS_MAX];
    size_t count;
    size_t cut_at; /* ranks before the omission; SIZE_MAX: complete */
} member_list;

static int compare_ranks(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Reads the ranks of a list and sorts them if it is complete; a text that is not a list has
 * none. */
static void read_members(tacho_str text, member_list *list)
{
    list->count = 0;
    list->cut_at = SIZE_MAX;
    for (size_t at = 0; at < text.len;) {
        size_t len = 0;
        uint64_t rank = 0;
        while (at + len < text.len && text.data[at + len] >= '0' && text.data[at + len] <= '9') {
            len++;
        }
        bool is_cut = text.data[at] == '.' || (len > 0 && list->count == MEMBERS_MAX);
        list->cut_at = is_cut && list->cut_at == SIZE_MAX ? list->count : list->cut_at;
        if (len > 0 && list->count < MEMBERS_MAX) {
            if (!tacho_str_parse_u64(tacho_str_make(text.data + at, len), &rank) ||
                rank > INT32_MAX) {
                list->count = 0;
                return;
            }
            list->ranks[list->count++] = (uint32_t)rank;
        }
        at += len > 0 ? len : 1;
    }
    if (list->cut_at == SIZE_MAX && list->count > 0) {
        qsort(list->ranks, list->count, sizeof(*list->ranks), compare_ranks);
    }
}

/* Whether all ranks of the job are in it. */
static bool is_whole_group(const member_list *list, uint32_t group_size, int64_t world_size)
{
    if (world_size <= 0 || list->count == 0 || (group_size > 0 && group_size != world_size)) {
        return false;
    }
    bool is_cut = list->cut_at != SIZE_MAX;
    bool spans_all = list->ranks[0] == 0 && list->ranks[list->count - 1] + 1 == world_size;
    return is_cut ? group_size > 0 || spans_all : spans_all && list->count == (size_t)world_size;
}

/* Prints "0-2,8", and "..." where ranks are left out; returns the length. */
static size_t print_members(const member_list *list, char to[NAME_BYTES])
{
    enum { RANGE_BYTES = 32 };
    size_t len = 0;
    for (size_t i = 0, next = 0; i < list->count && NAME_BYTES - len > 2 * RANGE_BYTES; i = next) {
        for (next = i + 1; next < list->count && next != list->cut_at &&
                           list->ranks[next] == list->ranks[next - 1] + 1;) {
            next++;
        }
        uint32_t first = list->ranks[i], last = list->ranks[next - 1];
        const char *ahead = i == 0 ? "" : i == list->cut_at ? ",...," : ",";
        int range = first == last ? snprintf(to + len, RANGE_BYTES, "%s%" PRIu32, ahead, first)
                                  : snprintf(to + len, RANGE_BYTES, "%s%" PRIu32 "%s%" PRIu32,
                                             ahead, first, last == first + 1 ? "," : "-", last);
        len += (size_t)range;
        bool is_end =
            next == list->count ? list->cut_at == list->count : NAME_BYTES - len <= 2 * RANGE_BYTES;
        len += is_end ? (size_t)snprintf(to + len, RANGE_BYTES, ",...") : 0;
    }
    return len;
}

size_t tacho_fleet_call_group(const tacho_dict *dict, const tacho_fleet_call *call,
                              int64_t world_size, char *to)
{
    char members[NAME_BYTES];
    member_list list;
    tacho_str name = tacho_utf8_cut(tacho_dict_string(dict, call->group), NAME_BYTES - 8);
    read_members(tacho_dict_string(dict, call->members), &list);
    bool is_told = list.count > 0 && !is_whole_group(&list, call->group_size, world_size);
    size_t members_len = is_told ? print_members(&list, members) : 0;
    int len = is_told ? snprintf(to, TACHO_FLEET_GROUP_BYTES, "%.*s%s[%.*s]", TACHO_STR_ARG(name),
                                 name.len > 0 ? " " : "", (int)members_len, members)
                      : snprintf(to, TACHO_FLEET_GROUP_BYTES, "%.*s", TACHO_STR_ARG(name));
    return len > 0 ? (size_t)len : 0;
}

/*
 * Calls without members get those of other calls of their group in the same file: |known| has the
 * members of each group, or UINT64_MAX if calls have different ones.
 */
static tacho_status fill_members(tacho_fleet_marks *marks)
{
    tacho_number_map known = {.count = 0};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < marks->call_count && status == TACHO_OK; i++) {
        const tacho_fleet_call *call = &marks->calls[i];
        const uint64_t *members = tacho_number_map_find(&known, call->group);
        bool is_other = members != NULL && *members != call->members;
        if (call->members != 0 && (members == NULL || is_other)) {
            uint64_t value = is_other ? UINT64_MAX : call->members;
            status = tacho_number_map_set(&known, call->group, value);
        }
    }
    for (size_t i = 0; i < marks->call_count && status == TACHO_OK; i++) {
        tacho_fleet_call *call = &marks->calls[i];
        const uint64_t *members = tacho_number_map_find(&known, call->group);
        bool is_missing = call->members == 0 && members != NULL && *members != UINT64_MAX;
        call->members = is_missing ? (uint32_t)*members : call->members;
    }
    tacho_number_map_deinit(&known);
    return status;
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* Compares by group and name; 0: the same kind. */
static int compare_kinds(const tacho_fleet_call *a, const tacho_fleet_call *b)
{
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    if (a->members != b->members) {
        return a->members < b->members ? -1 : 1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

static int compare_starts(const tacho_fleet_call *a, const tacho_fleet_call *b)
{
    if (a->start_ns != b->start_ns) {
        return a->start_ns < b->start_ns ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

/* By group and name, then by time. */
static int compare_by_time(const void *left, const void *right)
{
    int order = compare_kinds(left, right);
    return order != 0 ? order : compare_starts(left, right);
}

/* Sorts by group and name, then by number, calls without one last; then by time. */
static int compare_by_number(const void *left, const void *right)
{
    const tacho_fleet_call *a = left;
    const tacho_fleet_call *b = right;
    int order = compare_kinds(a, b);
    if (order == 0 && a->has_number != b->has_number) {
        order = a->has_number ? -1 : 1;
    }
    if (order == 0 && a->has_number && a->number != b->number) {
        order = a->number < b->number ? -1 : 1;
    }
    return order != 0 ? order : compare_starts(a, b);
}

/* The key of a call begins with that of its kind, which begins with that of its group. */
typedef struct call_key {
    char bytes[2 * (NAME_BYTES + 1) + TACHO_FLEET_GROUP_BYTES + 1 + TACHO_FLEET_ID_BYTES];
    size_t group_len, kind_len, len;
} call_key;

static void make_key(const folding *self, const tacho_fleet_call *call, call_key *key)
{
    char group[TACHO_FLEET_GROUP_BYTES];
    size_t len = tacho_fleet_call_group(self->dict, call, self->owner->world_size, group);
    const tacho_str texts[] = {
        tacho_utf8_cut(self->owner->run, NAME_BYTES), tacho_str_make(group, len),
        tacho_utf8_cut(tacho_dict_string(self->dict, call->name), NAME_BYTES)};
    size_t at = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        key->group_len = i == 2 ? at : 0;
        memcpy(key->bytes + at, texts[i].data, texts[i].len);
        at += texts[i].len;
        key->bytes[at++] = '\0';
    }
    key->kind_len = at;
    tacho_fleet_put_id(key->bytes + at, call->number);
    key->len = at + TACHO_FLEET_ID_BYTES;
}

static tacho_status add_call_rows(folding *self, tacho_fleet_call *call)
{
    call_key key;
    make_key(self, call, &key);
    tacho_durations one;
    tacho_fleet_row row = row_of(self, call->ns);
    const tacho_fleet_amount single = {.key = tacho_str_make(key.bytes, key.len), .row = &row};
    if (call->has_number) {
        TACHO_TRY(tacho_fleet_add(self->fleet, TACHO_FLEET_TABLE_CALLS, &single));
        call->group_hash = tacho_fleet_hash(tacho_str_make(key.bytes, key.group_len));
        call->call_hash = tacho_fleet_hash(single.key);
    }
    tacho_durations_init(&one);
    row.durations = &one;
    const tacho_fleet_amount kind = {.key = tacho_str_make(key.bytes, key.kind_len), .row = &row};
    tacho_status status = tacho_durations_add(&one, call->ns);
    if (status == TACHO_OK) {
        status = tacho_fleet_add(self->fleet, TACHO_FLEET_TABLE_KINDS, &kind);
    }
    tacho_durations_deinit(&one);
    return status;
}

/* Numbers calls of devices that have none by their order, and drops the others. */
static void number_calls(tacho_fleet_marks *marks, const folding *self)
{
    uint64_t next = 0;
    size_t count = 0;
    if (marks->call_count > 0) {
        qsort(marks->calls, marks->call_count, sizeof(*marks->calls), compare_by_time);
    }
    for (size_t i = 0; i < marks->call_count; i++) {
        tacho_fleet_call call = marks->calls[i];
        if (!is_device(self->dict, call.track)) {
            continue;
        }
        bool is_same = count > 0 && compare_kinds(&call, &marks->calls[count - 1]) == 0;
        next = is_same ? next + 1 : 0;
        call.number = call.has_number ? call.number : next;
        call.has_number = call.has_number || self->owner->is_whole;
        marks->calls[count++] = call;
    }
    marks->call_count = count;
}

/* Joins kernels of one number to one call, whose time is their sum. */
static void join_calls(tacho_fleet_marks *marks)
{
    size_t count = 0;
    if (marks->call_count > 0) {
        qsort(marks->calls, marks->call_count, sizeof(*marks->calls), compare_by_number);
    }
    for (size_t i = 0; i < marks->call_count; i++) {
        const tacho_fleet_call call = marks->calls[i];
        tacho_fleet_call *last = count > 0 ? &marks->calls[count - 1] : NULL;
        if (last != NULL && call.has_number && last->has_number && call.number == last->number &&
            compare_kinds(&call, last) == 0) {
            last->ns = tacho_cycles_add(last->ns, call.ns);
            last->end_ns = tacho_most(last->end_ns, call.end_ns);
        } else {
            marks->calls[count++] = call;
        }
    }
    marks->call_count = count;
}

static tacho_status fold_rest(folding *self, tacho_fleet_rest *rest)
{
    call_key key;
    make_key(self, &rest->first, &key);
    rest->sums.least.file = rest->sums.most.file = self->owner->id;
    rest->sums.durations = &rest->durations;
    const tacho_fleet_amount kind = {.key = tacho_str_make(key.bytes, key.kind_len),
                                     .row = &rest->sums};
    return tacho_fleet_add(self->fleet, TACHO_FLEET_TABLE_KINDS, &kind);
}

static tacho_status fold_calls(tacho_fleet_marks *marks, folding *self)
{
    TACHO_TRY(fill_members(marks));
    number_calls(marks, self);
    join_calls(marks);
    for (size_t i = 0; i < marks->call_count; i++) {
        TACHO_TRY(add_call_rows(self, &marks->calls[i]));
    }
    for (size_t i = 0; i < marks->rest_count; i++) {
        TACHO_TRY(is_device(self->dict, marks->rest[i].first.track)
                      ? fold_rest(self, &marks->rest[i])
                      : TACHO_OK);
    }
    /* A file is counted once in a row of several of its collectives. */
    tacho_fleet_table *kinds = &self->fleet->tables[TACHO_FLEET_TABLE_KINDS];
    for (size_t i = 0; i < kinds->row_count; i++) {
        kinds->rows[i].file_count = 1;
    }
    return TACHO_OK;
}

/* ---- ends ---------------------------------------------------------------------------------- */

/* When a call ended, to compare the clocks of files. */
typedef struct call_end {
    uint64_t group, call; /* hashes */
    tacho_i128 ns;
} call_end;

static int compare_ends(const void *left, const void *right)
{
    const call_end *a = left;
    const call_end *b = right;
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    return (a->call > b->call) - (a->call < b->call);
}

/* Fills |ends| in their order; indistinguishable calls are left out. */
static size_t list_ends(const tacho_fleet_marks *marks, const folding *self, call_end *ends)
{
    size_t count = 0, kept = 0, end = 0;
    for (size_t i = 0; i < marks->call_count; i++) {
        const tacho_fleet_call *call = &marks->calls[i];
        tacho_i128 ns = (tacho_i128)self->owner->zero_ns + call->end_ns;
        if (call->has_number && ns >= 0) {
            ends[count++] = (call_end){call->group_hash, call->call_hash, ns};
        }
    }
    qsort(ends, count, sizeof(*ends), compare_ends);
    for (size_t first = 0; first < count; first = end) {
        for (end = first + 1; end < count && compare_ends(&ends[first], &ends[end]) == 0; end++) {
        }
        if (end - first == 1) {
            ends[kept++] = ends[first];
        }
    }
    return kept;
}

static tacho_status add_end(const folding *self, const call_end *end)
{
    char key[TACHO_FLEET_ENDS_KEY_BYTES];
    tacho_fleet_put_id(key, end->group);
    tacho_fleet_put_id(key + TACHO_FLEET_ID_BYTES, end->call);
    tacho_fleet_put_id(key + 2 * TACHO_FLEET_ID_BYTES, self->owner->id);
    const tacho_fleet_row row = {.count = 1, .file_count = 1, .total_ns = end->ns};
    const tacho_fleet_amount amount = {.key = tacho_str_make(key, sizeof(key)), .row = &row};
    return tacho_fleet_add(self->fleet, TACHO_FLEET_TABLE_ENDS, &amount);
}

/*
 * Each group has its share of the ends, regardless of the others: otherwise the ranks of a busy
 * group could only be compared with each other.
 */
static tacho_status add_ends(const folding *self, const call_end *ends, size_t count)
{
    size_t groups = 0, group = 0, in_group = 0;
    for (size_t i = 0; i < count; i++) {
        groups += i == 0 || ends[i].group != ends[i - 1].group ? 1 : 0;
    }
    size_t share = TACHO_FLEET_KEPT_ENDS / (groups > 0 ? groups : 1);
    share = share > TACHO_FLEET_KEPT_ENDS_LEAST ? share : TACHO_FLEET_KEPT_ENDS_LEAST;
    for (size_t i = 0; i < count && group <= TACHO_FLEET_KEPT_GROUPS; i++) {
        bool is_next = i == 0 || ends[i].group != ends[i - 1].group;
        group += is_next ? 1 : 0;
        in_group = is_next ? 1 : in_group + 1;
        if (in_group <= share && group <= TACHO_FLEET_KEPT_GROUPS) {
            TACHO_TRY(add_end(self, &ends[i]));
        }
    }
    return TACHO_OK;
}

static tacho_status fold_ends(const tacho_fleet_marks *marks, const folding *self)
{
    call_end *ends = NULL;
    if (!self->owner->has_zero) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&ends, marks->call_count));
    size_t count = list_ends(marks, self, ends);
    tacho_status status = add_ends(self, ends, count);
    free(ends);
    return status;
}

tacho_status tacho_fleet_marks_fold(tacho_fleet_marks *marks, const tacho_dict *dict,
                                    const tacho_fleet_owner *owner, tacho_fleet *fleet)
{
    folding self = {.dict = dict, .owner = owner, .fleet = fleet};
    tacho_durations_init(&self.durations);
    tacho_status status = TACHO_OK;
    if ((marks->sections & TACHO_FLEET_STEPS) != 0) {
        status = fold_steps(marks, &self);
    }
    if (status == TACHO_OK) {
        status = add_file_row(&self);
    }
    if (status == TACHO_OK) {
        status = fold_calls(marks, &self);
    }
    if (status == TACHO_OK) {
        status = fold_ends(marks, &self);
    }
    tacho_durations_deinit(&self.durations);
    return status;
}
