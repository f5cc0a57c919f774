/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the order filter. Rows go through it into a recorder that writes each down as a line
 * of text, arguments and all, and keeps a copy. Lines show that nothing is lost or changed; the
 * documented order is spelt out here once more, without the filter's own comparison. TMPDIR is a
 * fresh folder for the whole run and must end up empty. Include it after <cmocka.h>.
 */
#ifndef TACHO_PROFILE_ORDER_TESTING_H
#define TACHO_PROFILE_ORDER_TESTING_H

#include "profile/order.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PART_COUNT = 3,
    TRACKS_PER_PART = 4, /* engine, stack, stack, counter */
    SITE_COUNT = 6,
    WORD_COUNT = 4,
    RUN_COUNT = 7,
    ARG_MAX = 4,
    HUGE_TEXT_BYTES = 300000,
    FAN_IN = 64, /* of the spool */
};

static const uint64_t LAST_FLOW_ID = (UINT64_C(1) << 40) - 1;

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline size_t random_below(uint64_t *state, size_t limit)
{
    return (size_t)(next_random(state) % limit);
}

static inline void *allocate(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* ---- the recorder ----------------------------------------------------------------------- */

typedef struct recorded {
    tacho_row row; /* its arguments are copies too */
    tacho_str line;
} recorded;

typedef struct fixture {
    tacho_events events; /* the recorder */
    tacho_dict dict;
    tacho_arena arena; /* of the current output and of random rows */
    uint32_t tracks[PART_COUNT][TRACKS_PER_PART];
    uint32_t sites[SITE_COUNT];
    uint32_t words[WORD_COUNT];
    recorded *rows;
    size_t row_count, row_capacity;
    uint32_t ended_parts[8];
    size_t ended_count;
    size_t finish_count;
    size_t fail_at; /* the row at which to fail; SIZE_MAX for never */
    bool lists_folder;
    size_t group_max; /* rows pushed at once, if more than one */
} fixture;

static const char *tmpdir(void)
{
    const char *folder = getenv("TMPDIR");
    return folder == NULL ? "" : folder;
}

static inline size_t count_files(const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(listing);
    return count;
}

static inline void *arena_copy(fixture *at, const void *bytes, size_t len)
{
    void *copy = NULL;
    assert_null(tacho_arena_alloc(&at->arena, len, &copy));
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

static inline size_t arg_line_bytes(const tacho_arg *arg)
{
    return 128 + (tacho_arg_has_text(arg) ? arg->value.as_text.len : 0);
}

static inline size_t put_value(const tacho_dict *dict, const tacho_arg *arg, char *out, size_t size)
{
    int len = 0;
    switch (arg->type) {
    case TACHO_ARG_INT:
        len = snprintf(out, size, "i%lld", (long long)arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        len = snprintf(out, size, "u%llu", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_REAL:
        len = snprintf(out, size, "r%a", arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        len = snprintf(out, size, "b%d", arg->value.as_bool);
        break;
    case TACHO_ARG_STRING:
        len = snprintf(out, size, "s%.*s",
                       TACHO_STR_ARG(tacho_dict_string(dict, arg->value.as_string)));
        break;
    case TACHO_ARG_TEXT: /* holds any byte */
    case TACHO_ARG_JSON:
        if (arg->value.as_text.len > 0) {
            memcpy(out, arg->value.as_text.data, arg->value.as_text.len);
        }
        return arg->value.as_text.len;
    }
    return (size_t)len;
}

static inline size_t put_head(const tacho_dict *dict, const tacho_row *row, char *out, size_t size)
{
    int len = 0;
    switch (row->kind) {
    case TACHO_ROW_SPAN: {
        const tacho_site *site = &dict->sites[row->of.span.site];
        len = snprintf(out, size, "span %u %lld-%lld %s/%s/%u op%u run%u flags%u",
                       (unsigned)row->track, (long long)row->start, (long long)row->of.span.end,
                       tacho_dict_string(dict, site->name).data,
                       tacho_dict_string(dict, site->category).data, (unsigned)site->location,
                       (unsigned)row->of.span.op, (unsigned)row->of.span.run,
                       (unsigned)row->of.span.flags);
        break;
    }
    case TACHO_ROW_SAMPLE:
        len = snprintf(out, size, "sample %u %lld %a", (unsigned)row->track, (long long)row->start,
                       row->of.sample.value);
        break;
    case TACHO_ROW_FLOW:
        len = snprintf(out, size, "flow %u %lld #%llu role%d phase%d %lld", (unsigned)row->track,
                       (long long)row->start, (unsigned long long)row->of.flow.id,
                       (int)row->of.flow.role, (int)row->of.flow.phase,
                       (long long)row->of.flow.span_end);
        break;
    }
    return (size_t)len;
}

/* The whole content of |row| as text, in the arena. */
static inline tacho_str render(fixture *at, const tacho_row *row)
{
    size_t size = 256;
    for (size_t i = 0; i < row->arg_count; i++) {
        size += arg_line_bytes(&row->args[i]);
    }
    char *text = allocate(size);
    size_t len = put_head(&at->dict, row, text, size);
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        len += (size_t)snprintf(text + len, size - len,
                                " %s:%d:%d=", tacho_dict_string(&at->dict, arg->key).data,
                                (int)arg->type, (int)arg->unit);
        len += put_value(&at->dict, arg, text + len, size - len);
    }
    tacho_str line = tacho_str_make(arena_copy(at, text, len), len);
    free(text);
    return line;
}

static inline tacho_row copy_row(fixture *at, const tacho_row *row)
{
    tacho_row copy = *row;
    tacho_arg *args = arena_copy(at, row->args, row->arg_count * sizeof(*args));
    for (size_t i = 0; i < row->arg_count; i++) {
        if (tacho_arg_has_text(&args[i])) {
            args[i].value.as_text.data =
                arena_copy(at, args[i].value.as_text.data, args[i].value.as_text.len);
        }
    }
    copy.args = args;
    return copy;
}

static inline tacho_status record_row(tacho_events *events, const tacho_row *row)
{
    fixture *at = (fixture *)(void *)events;
    if (at->row_count == at->fail_at) {
        return tacho_fail(TACHO_CODE_IO, "the recorder is full");
    }
    if (at->lists_folder && at->row_count % 64 == 0) {
        assert_int_equal(count_files(tmpdir()), 0); /* temporary files have no name */
    }
    if (at->row_count == at->row_capacity) {
        at->row_capacity = at->row_capacity * 2 + 64;
        at->rows = realloc(at->rows, at->row_capacity * sizeof(*at->rows));
        if (at->rows == NULL) {
            abort();
        }
    }
    at->rows[at->row_count].row = copy_row(at, row);
    at->rows[at->row_count++].line = render(at, row);
    return TACHO_OK;
}

static inline tacho_status record_end_part(tacho_events *events, uint32_t part)
{
    fixture *at = (fixture *)(void *)events;
    assert_true(at->ended_count < sizeof(at->ended_parts) / sizeof(at->ended_parts[0]));
    at->ended_parts[at->ended_count++] = part;
    return TACHO_OK;
}

static inline tacho_status record_finish(tacho_events *events)
{
    fixture *at = (fixture *)(void *)events;
    at->finish_count++;
    return TACHO_OK;
}

static const tacho_events_vtable recorder = {
    .row = record_row, .end_part = record_end_part, .finish = record_finish};

/* ---- the dictionary --------------------------------------------------------------------- */

static inline void add_tracks(fixture *at, uint32_t part)
{
    static const struct {
        tacho_str name;
        tacho_track_class track_class;
        tacho_nesting nesting;
    } facts[TRACKS_PER_PART] = {
        {TACHO_STR_INIT("Slice 0"), TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE},
        {TACHO_STR_INIT("main"), TACHO_TRACK_HOST, TACHO_NESTING_STACK},
        {TACHO_STR_INIT("runtime"), TACHO_TRACK_RUNTIME, TACHO_NESTING_STACK},
        {TACHO_STR_INIT("bytes"), TACHO_TRACK_COUNTER, TACHO_NESTING_STACK},
    };
    for (size_t i = 0; i < TRACKS_PER_PART; i++) {
        tacho_track track = {
            .parent = at->dict.parts[part].root,
            .part = part,
            .clock = at->dict.parts[part].clock,
            .lane_of = TACHO_NONE,
            .rank = -1,
            .track_class = facts[i].track_class,
            .nesting = facts[i].nesting,
        };
        assert_null(
            tacho_dict_ensure_track(&at->dict, &track, facts[i].name, &at->tracks[part][i]));
    }
}

static inline void add_parts(fixture *at)
{
    static const uint64_t rates[PART_COUNT][2] = {{1, 1}, {5, 4}, {1, 3}};
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        tacho_clock clock;
        tacho_clock_init(&clock, rates[i][0], rates[i][1]);
        tacho_part_facts facts = {.path = TACHO_STR("a.csv")};
        uint32_t part = TACHO_NONE;
        assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("cycles"), &facts.clock));
        assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
        add_tracks(at, part);
    }
}

/* Ids are above 255 and run against the alphabet, so that an order by id would show. */
static inline void add_words(fixture *at)
{
    for (unsigned i = 0; i < 300; i++) {
        char filler[16];
        uint32_t id = TACHO_NONE;
        snprintf(filler, sizeof(filler), "filler %u", i);
        assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(filler), &id));
    }
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        char word[] = {(char)('z' - i), 'w', '\0'};
        assert_null(
            tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(word), &at->words[i]));
    }
    for (uint32_t i = 0; i < SITE_COUNT; i++) {
        tacho_location location = {.text = at->words[i % 2]};
        tacho_site site = {at->words[i % 3 == 0], at->words[2 + i % 2], TACHO_NONE};
        if (i >= 2) {
            assert_null(tacho_dict_ensure_location(&at->dict, &location, &site.location));
        }
        assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->sites[i]));
    }
}

/* Runs 0 to 3 have a word each, then the words begin anew with another number. */
static inline void add_runs(fixture *at)
{
    for (uint32_t i = 0; i < RUN_COUNT; i++) {
        tacho_run run = {.name = at->words[i % WORD_COUNT], .invocation = i / WORD_COUNT};
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_add_run(&at->dict, &run, &id));
    }
}

static inline int open_fixture(void **state)
{
    fixture *at = allocate(sizeof(*at));
    assert_null(tacho_dict_init(&at->dict));
    tacho_arena_init(&at->arena);
    add_parts(at);
    add_words(at);
    add_runs(at);
    at->events = (tacho_events){&recorder, &at->dict};
    at->fail_at = SIZE_MAX;
    *state = at;
    return 0;
}

static inline int close_fixture(void **state)
{
    fixture *at = *state;
    tacho_dict_deinit(&at->dict);
    tacho_arena_deinit(&at->arena);
    free(at->rows);
    free(at);
    return 0;
}

/* Forgets the output; with |rows| also random rows made so far. */
static inline void clear_output(fixture *at)
{
    at->row_count = 0;
    at->ended_count = 0;
    at->finish_count = 0;
    for (size_t i = 0; i < PART_COUNT; i++) {
        at->dict.clocks[at->dict.parts[i].clock].zero_ticks = 0;
        at->dict.parts[i].row_count = 0;
    }
}

/* ---- random rows ------------------------------------------------------------------------ */

typedef struct row_plan {
    uint32_t part;
    size_t time_count; /* starts are below it */
    unsigned flow_percent;
    size_t arg_max;
    int64_t first_time;
} row_plan;

/* Bytes of all kinds, often a prefix of one another. */
static inline tacho_str random_text(fixture *at, uint64_t *random)
{
    static const unsigned char fills[] = {0xff, 0, 'a'};
    char text[48];
    size_t len = random_below(random, random_below(random, 8) == 0 ? sizeof(text) : 3);
    memset(text, fills[random_below(random, 3)], len);
    return tacho_str_make(arena_copy(at, text, len), len);
}

/* An argument with |follow_count| more after it, all its members if it is a dictionary. */
static inline tacho_arg random_arg(fixture *at, uint64_t *random, size_t follow_count)
{
    size_t word = random_below(random, WORD_COUNT);
    tacho_arg arg = {.key = at->words[word], .unit = (tacho_unit)(word % TACHO_UNIT_END)};
    arg.type = (tacho_arg_type)random_below(random, TACHO_ARG_JSON + 1);
    uint64_t value = next_random(random);
    switch (arg.type) {
    case TACHO_ARG_INT:
        arg.value.as_int = (int64_t)(value % 3) - 1 + (value % 16 == 0 ? INT64_MAX - 1 : 0);
        break;
    case TACHO_ARG_UINT:
        arg.value.as_uint = value % 3 + (value % 16 == 0 ? UINT64_MAX - 2 : 0);
        break;
    case TACHO_ARG_REAL:
        arg.value.as_real = value % 16 == 0 ? -1e300 : 1.0 + (double)(value % 3) / 7;
        break;
    case TACHO_ARG_BOOL:
        arg.value.as_bool = value % 2 == 0;
        break;
    case TACHO_ARG_STRING:
        arg.value.as_string = at->words[value % WORD_COUNT];
        break;
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        arg.value.as_text = random_text(at, random);
        break;
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        arg.type = follow_count > 0 ? arg.type : TACHO_ARG_UINT;
        arg.value.as_uint = follow_count;
        break;
    }
    return arg;
}

static inline void add_random_args(fixture *at, uint64_t *random, size_t arg_max, tacho_row *row)
{
    tacho_arg args[ARG_MAX];
    assert_true(arg_max <= ARG_MAX);
    row->arg_count = arg_max == 0 ? 0 : random_below(random, arg_max + 1);
    for (size_t i = 0; i < row->arg_count; i++) {
        args[i] = random_arg(at, random, row->arg_count - i - 1);
    }
    row->args = arena_copy(at, args, row->arg_count * sizeof(args[0]));
}

/* By time, bound, or to the next span; mostly by time, which alone needs a global order. */
static inline int64_t random_span_end(uint64_t *random, int64_t start)
{
    size_t which = random_below(random, 6);
    return which == 0 ? TACHO_FLOW_NEXT : (which == 1 ? start + 2 : TACHO_FLOW_AROUND);
}

/* Op and run depend on the start, so that they do not break ties; see test_ties_in_op_and_run. */
static inline tacho_row random_row(fixture *at, uint64_t *random, const row_plan *plan)
{
    size_t which = random_below(random, TRACKS_PER_PART);
    tacho_row row = {
        .track = at->tracks[plan->part][which],
        .start = plan->first_time + (int64_t)random_below(random, plan->time_count),
    };
    if (which + 1 == TRACKS_PER_PART) {
        row.kind = TACHO_ROW_SAMPLE;
        row.of.sample.value = (double)random_below(random, 5) - 2.5;
    } else if (random_below(random, 100) < plan->flow_percent) {
        row.kind = TACHO_ROW_FLOW;
        row.of.flow.id = random_below(random, 6) == 0 ? LAST_FLOW_ID : random_below(random, 4);
        row.of.flow.role = (tacho_flow_role)(row.of.flow.id % 3);
        row.of.flow.phase = (tacho_flow_phase)random_below(random, 3);
        row.of.flow.span_end = random_span_end(random, row.start);
    } else {
        row.kind = TACHO_ROW_SPAN;
        row.of.span.end = row.start + (int64_t)random_below(random, 4);
        row.of.span.site = at->sites[random_below(random, SITE_COUNT)];
        row.of.span.flags = (uint32_t)random_below(random, 2) * TACHO_SPAN_UNENDED;
        row.of.span.op = row.start % 2 == 0 ? TACHO_NONE : (uint32_t)row.start * 1000;
        row.of.span.run = (uint32_t)row.start % RUN_COUNT;
        add_random_args(at, random, plan->arg_max, &row);
    }
    return row;
}

static inline tacho_row *random_rows(fixture *at, uint64_t *random, const row_plan *plan,
                                     size_t count)
{
    tacho_row *rows = allocate(count * sizeof(*rows));
    for (size_t i = 0; i < count; i++) {
        rows[i] = random_row(at, random, plan);
    }
    return rows;
}

static inline void shuffle(uint64_t *random, tacho_row *rows, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(random, i);
        tacho_row swapped = rows[i - 1];
        rows[i - 1] = rows[other];
        rows[other] = swapped;
    }
}

/* ---- running and checking --------------------------------------------------------------- */

/* How many of |rows| are pushed at once. */
static inline size_t group_length(const fixture *at, const tacho_row *rows, size_t count)
{
    size_t length = 0;
    while (length < count && length < at->group_max && rows[length].kind != TACHO_ROW_FLOW) {
        length++;
    }
    return length > 0 ? length : 1;
}

/* Pushes a part; the first failure is handed back and ends it. */
static inline tacho_status try_order(fixture *at, tacho_order_mode mode, size_t memory_bytes,
                                     const tacho_row *rows, size_t count)
{
    clear_output(at);
    tacho_order *order = NULL;
    assert_null(tacho_order_create(&at->events, mode, memory_bytes, &order));
    tacho_events *events = tacho_order_events(order);
    assert_ptr_equal(events->dict, &at->dict);
    tacho_status status = TACHO_OK;
    for (size_t i = 0, taken = 0; i < count && status == TACHO_OK; i += taken) {
        taken = group_length(at, rows + i, count - i);
        status = taken > 1 ? tacho_events_rows(events, rows + i, taken)
                           : tacho_events_row(events, &rows[i]);
    }
    if (status == TACHO_OK && count > 0) {
        status = tacho_events_end_part(events, at->dict.tracks[rows[0].track].part);
    }
    tacho_order_destroy(order);
    return status;
}

static inline void run_order(fixture *at, tacho_order_mode mode, size_t memory_bytes,
                             const tacho_row *rows, size_t count)
{
    tacho_status status = try_order(at, mode, memory_bytes, rows, count);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
    assert_int_equal(at->row_count, count);
}

static inline int kind_place(const tacho_row *row)
{
    if (row->kind != TACHO_ROW_FLOW) {
        return 1;
    }
    return row->of.flow.span_end == TACHO_FLOW_AROUND ? 2 : 0;
}

/* Track order as the header documents it, up to ties by content: <0, 0, >0. */
static inline int documented_order(const fixture *at, const tacho_row *a, const tacho_row *b)
{
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    if (kind_place(a) != kind_place(b)) {
        return kind_place(a) - kind_place(b);
    }
    if (a->kind != TACHO_ROW_SPAN || a->of.span.end == b->of.span.end) {
        return 0;
    }
    int longer_first = a->of.span.end > b->of.span.end ? -1 : 1;
    if (at->dict.tracks[a->track].nesting == TACHO_NESTING_ENGINE) {
        bool a_empty = a->of.span.end == a->start;
        bool b_empty = b->of.span.end == b->start;
        return a_empty == b_empty ? longer_first : (a_empty ? -1 : 1);
    }
    return longer_first;
}

static inline int compare_lines(const void *a, const void *b)
{
    const tacho_str *line_a = a;
    const tacho_str *line_b = b;
    size_t common = line_a->len < line_b->len ? line_a->len : line_b->len;
    int order = common == 0 ? 0 : memcmp(line_a->data, line_b->data, common);
    return order != 0 ? order : (line_a->len > line_b->len) - (line_a->len < line_b->len);
}

/* The output has the same lines as the input. */
static inline void check_nothing_lost(fixture *at, const tacho_row *rows, size_t count)
{
    assert_int_equal(at->row_count, count);
    tacho_str *expected = allocate(count * sizeof(*expected));
    tacho_str *found = allocate(count * sizeof(*found));
    for (size_t i = 0; i < count; i++) {
        expected[i] = render(at, &rows[i]);
        found[i] = at->rows[i].line;
    }
    qsort(expected, count, sizeof(*expected), compare_lines);
    qsort(found, count, sizeof(*found), compare_lines);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].len, expected[i].len);
        assert_memory_equal(found[i].data, expected[i].data, expected[i].len);
    }
    free(expected);
    free(found);
}

static inline void check_track_order(const fixture *at)
{
    const tacho_row *last[1 + PART_COUNT * (TRACKS_PER_PART + 1)] = {NULL};
    for (size_t i = 0; i < at->row_count; i++) {
        const tacho_row *row = &at->rows[i].row;
        assert_true(row->track < sizeof(last) / sizeof(last[0]));
        if (last[row->track] != NULL) {
            assert_true(documented_order(at, last[row->track], row) <= 0);
        }
        last[row->track] = row;
    }
}

/* Within a part, time does not go back even across tracks; at one time flows that wait for
 * their span are first, flows that belong to the span around them last. */
static inline void check_time_order(const fixture *at)
{
    for (size_t i = 1; i < at->row_count; i++) {
        const tacho_row *last = &at->rows[i - 1].row;
        const tacho_row *row = &at->rows[i].row;
        assert_true(last->start <= row->start);
        assert_true(last->start < row->start || kind_place(last) <= kind_place(row));
    }
}

/* All lines, track after track, which must not depend on how the input was shuffled. */
static inline tacho_str tracks_text(const fixture *at)
{
    size_t size = 1;
    for (size_t i = 0; i < at->row_count; i++) {
        size += at->rows[i].line.len + 1;
    }
    char *text = allocate(size);
    size_t len = 0;
    for (uint32_t track = 0; track < at->dict.track_count; track++) {
        for (size_t i = 0; i < at->row_count; i++) {
            if (at->rows[i].row.track == track) {
                memcpy(text + len, at->rows[i].line.data, at->rows[i].line.len);
                len += at->rows[i].line.len;
                text[len++] = '\n';
            }
        }
    }
    return tacho_str_make(text, len);
}

static inline void free_text(tacho_str text)
{
    union {
        const char *data;
        void *memory;
    } owned = {text.data};
    free(owned.memory);
}

static inline void check_tracks_text(const fixture *at, tacho_str expected)
{
    tacho_str found = tracks_text(at);
    assert_int_equal(found.len, expected.len);
    assert_memory_equal(found.data, expected.data, expected.len);
    free_text(found);
}

static inline int64_t zero_of(const fixture *at, uint32_t part)
{
    return at->dict.clocks[at->dict.parts[part].clock].zero_ticks;
}

static inline tacho_row plain_span(const fixture *at)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->tracks[0][1], .start = 5};
    row.of.span.end = 9;
    row.of.span.site = at->sites[0];
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

/* ---- the folder -------------------------------------------------------------------------- */

static inline int open_tmpdir(void **state)
{
    enum { FOLDER_BYTES = 400 };
    char *folder = allocate(FOLDER_BYTES);
    const char *temp = getenv("TMPDIR");
    snprintf(folder, FOLDER_BYTES, "%s/tacho-order-test-XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    *state = folder;
    return mkdtemp(folder) == NULL || setenv("TMPDIR", folder, 1) != 0 ? -1 : 0;
}

/* Fails when a file was left in it. */
static inline int close_tmpdir(void **state)
{
    char *folder = *state;
    int result = rmdir(folder);
    free(folder);
    return result;
}

#define ORDER_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

#endif
