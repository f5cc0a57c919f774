/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows go through the filter into a recorder that writes each down as a line of text, arguments
 * and all, and keeps a copy. Lines show that nothing is lost or changed; the documented order is
 * spelt out here once more, without the filter's own comparison; shuffled input shows that ties
 * are broken by content. TMPDIR is a fresh folder for the whole run and must end up empty.
 */
#include "profile/order.h"
#include "profile/packed_row.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

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

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t random_below(uint64_t *state, size_t limit)
{
    return (size_t)(next_random(state) % limit);
}

static void *allocate(size_t size)
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
} fixture;

static const char *tmpdir(void)
{
    const char *folder = getenv("TMPDIR");
    return folder == NULL ? "" : folder;
}

static size_t count_files(const char *folder)
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

static void *arena_copy(fixture *at, const void *bytes, size_t len)
{
    void *copy = NULL;
    assert_null(tacho_arena_alloc(&at->arena, len, &copy));
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

static size_t arg_line_bytes(const tacho_arg *arg)
{
    return 128 + (tacho_arg_has_text(arg) ? arg->value.as_text.len : 0);
}

static size_t put_value(const tacho_dict *dict, const tacho_arg *arg, char *out, size_t size)
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

static size_t put_head(const tacho_dict *dict, const tacho_row *row, char *out, size_t size)
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

/* Everything that |row| says, in the arena. */
static tacho_str render(fixture *at, const tacho_row *row)
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

static tacho_row copy_row(fixture *at, const tacho_row *row)
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

static tacho_status record_row(tacho_events *events, const tacho_row *row)
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

static tacho_status record_end_part(tacho_events *events, uint32_t part)
{
    fixture *at = (fixture *)(void *)events;
    assert_true(at->ended_count < sizeof(at->ended_parts) / sizeof(at->ended_parts[0]));
    at->ended_parts[at->ended_count++] = part;
    return TACHO_OK;
}

static tacho_status record_finish(tacho_events *events)
{
    fixture *at = (fixture *)(void *)events;
    at->finish_count++;
    return TACHO_OK;
}

static const tacho_events_vtable recorder = {record_row, record_end_part, record_finish};

/* ---- the dictionary --------------------------------------------------------------------- */

static void add_tracks(fixture *at, uint32_t part)
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

static void add_parts(fixture *at)
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
static void add_words(fixture *at)
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
static void add_runs(fixture *at)
{
    for (uint32_t i = 0; i < RUN_COUNT; i++) {
        tacho_run run = {.name = at->words[i % WORD_COUNT], .invocation = i / WORD_COUNT};
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_add_run(&at->dict, &run, &id));
    }
}

static int open_fixture(void **state)
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

static int close_fixture(void **state)
{
    fixture *at = *state;
    tacho_dict_deinit(&at->dict);
    tacho_arena_deinit(&at->arena);
    free(at->rows);
    free(at);
    return 0;
}

/* Forgets the output; with |rows| also random rows made so far. */
static void clear_output(fixture *at)
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
static tacho_str random_text(fixture *at, uint64_t *random)
{
    static const unsigned char fills[] = {0xff, 0, 'a'};
    char text[48];
    size_t len = random_below(random, random_below(random, 8) == 0 ? sizeof(text) : 3);
    memset(text, fills[random_below(random, 3)], len);
    return tacho_str_make(arena_copy(at, text, len), len);
}

/* An argument with |follow_count| more behind it, all its own if it is a dictionary. */
static tacho_arg random_arg(fixture *at, uint64_t *random, size_t follow_count)
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

static void add_random_args(fixture *at, uint64_t *random, size_t arg_max, tacho_row *row)
{
    tacho_arg args[ARG_MAX];
    assert_true(arg_max <= ARG_MAX);
    row->arg_count = arg_max == 0 ? 0 : random_below(random, arg_max + 1);
    for (size_t i = 0; i < row->arg_count; i++) {
        args[i] = random_arg(at, random, row->arg_count - i - 1);
    }
    row->args = arena_copy(at, args, row->arg_count * sizeof(args[0]));
}

/* By time, bound, or whatever comes next; mostly by time, which alone asks for a global order. */
static int64_t random_span_end(uint64_t *random, int64_t start)
{
    size_t which = random_below(random, 6);
    return which == 0 ? TACHO_FLOW_NEXT : (which == 1 ? start + 2 : TACHO_FLOW_AROUND);
}

/* Op and run are told by the start, so that they do not break ties; see test_ties_in_op_and_run. */
static tacho_row random_row(fixture *at, uint64_t *random, const row_plan *plan)
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

static tacho_row *random_rows(fixture *at, uint64_t *random, const row_plan *plan, size_t count)
{
    tacho_row *rows = allocate(count * sizeof(*rows));
    for (size_t i = 0; i < count; i++) {
        rows[i] = random_row(at, random, plan);
    }
    return rows;
}

static void shuffle(uint64_t *random, tacho_row *rows, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(random, i);
        tacho_row swapped = rows[i - 1];
        rows[i - 1] = rows[other];
        rows[other] = swapped;
    }
}

/* ---- running and checking --------------------------------------------------------------- */

/* Pushes a part; the first failure is handed back and ends it. */
static tacho_status try_order(fixture *at, tacho_order_mode mode, size_t memory_bytes,
                              const tacho_row *rows, size_t count)
{
    clear_output(at);
    tacho_order *order = NULL;
    assert_null(tacho_order_create(&at->events, mode, memory_bytes, &order));
    tacho_events *events = tacho_order_events(order);
    assert_ptr_equal(events->dict, &at->dict);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = tacho_events_row(events, &rows[i]);
    }
    if (status == TACHO_OK && count > 0) {
        status = tacho_events_end_part(events, at->dict.tracks[rows[0].track].part);
    }
    tacho_order_destroy(order);
    return status;
}

static void run_order(fixture *at, tacho_order_mode mode, size_t memory_bytes,
                      const tacho_row *rows, size_t count)
{
    tacho_status status = try_order(at, mode, memory_bytes, rows, count);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
    assert_int_equal(at->row_count, count);
}

static int kind_place(const tacho_row *row)
{
    if (row->kind != TACHO_ROW_FLOW) {
        return 1;
    }
    return row->of.flow.span_end == TACHO_FLOW_AROUND ? 2 : 0;
}

/* Track order as the header tells it, up to ties by content: <0, 0, >0. */
static int documented_order(const fixture *at, const tacho_row *a, const tacho_row *b)
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

static int compare_lines(const void *a, const void *b)
{
    const tacho_str *line_a = a;
    const tacho_str *line_b = b;
    size_t common = line_a->len < line_b->len ? line_a->len : line_b->len;
    int order = common == 0 ? 0 : memcmp(line_a->data, line_b->data, common);
    return order != 0 ? order : (line_a->len > line_b->len) - (line_a->len < line_b->len);
}

/* The same lines came out as went in. */
static void check_nothing_lost(fixture *at, const tacho_row *rows, size_t count)
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

static void check_track_order(const fixture *at)
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
 * their span come first, those that look for one around them last. */
static void check_time_order(const fixture *at)
{
    for (size_t i = 1; i < at->row_count; i++) {
        const tacho_row *last = &at->rows[i - 1].row;
        const tacho_row *row = &at->rows[i].row;
        assert_true(last->start <= row->start);
        assert_true(last->start < row->start || kind_place(last) <= kind_place(row));
    }
}

/* All lines, track after track: what must not depend on how the input was shuffled. */
static tacho_str tracks_text(const fixture *at)
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

static void free_text(tacho_str text)
{
    union {
        const char *data;
        void *memory;
    } owned = {text.data};
    free(owned.memory);
}

static void check_tracks_text(const fixture *at, tacho_str expected)
{
    tacho_str found = tracks_text(at);
    assert_int_equal(found.len, expected.len);
    assert_memory_equal(found.data, expected.data, expected.len);
    free_text(found);
}

/* ---- the comparison --------------------------------------------------------------------- */

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* Antisymmetric, transitive, 0 for equal lines only, and the documented order comes first. */
static void test_compare_is_an_order(void **state)
{
    fixture *at = *state;
    uint64_t random = 41;
    row_plan plan = {.time_count = 2, .flow_percent = 30, .arg_max = 2};
    enum { COUNT = 300 };
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    for (size_t i = 0; i < 100000; i++) {
        const tacho_row *a = &rows[random_below(&random, COUNT)];
        const tacho_row *b = &rows[random_below(&random, COUNT)];
        const tacho_row *c = &rows[random_below(&random, COUNT)];
        if (a->track != b->track || b->track != c->track) {
            continue; /* defined within a track */
        }
        int ab = sign(tacho_row_compare(&at->dict, a, b));
        int bc = sign(tacho_row_compare(&at->dict, b, c));
        int ac = sign(tacho_row_compare(&at->dict, a, c));
        assert_int_equal(ab, -sign(tacho_row_compare(&at->dict, b, a)));
        assert_true(ab > 0 || bc > 0 || ac <= 0);
        assert_true(ab >= 0 || bc > 0 || ac < 0);
        int documented = documented_order(at, a, b);
        assert_true(documented == 0 || sign(documented) == ab);
        if (ab == 0 && a != b) {
            tacho_str lines[2] = {render(at, a), render(at, b)};
            assert_int_equal(compare_lines(&lines[0], &lines[1]), 0);
        }
    }
    free(rows);
}

/* ---- sort mode -------------------------------------------------------------------------- */

static void test_any_permutation_gives_one_order(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 0, 512, 4096};
    uint64_t random = 42;
    row_plan plan = {.part = 1, .time_count = 12, .flow_percent = 20, .arg_max = 3};
    enum { COUNT = 200 };
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    run_order(at, TACHO_ORDER_SORT, 1 << 20, rows, COUNT);
    check_nothing_lost(at, rows, COUNT);
    tacho_str expected = tracks_text(at);
    for (size_t i = 0; i < 80; i++) {
        shuffle(&random, rows, COUNT);
        run_order(at, TACHO_ORDER_SORT, memories[i % 4], rows, COUNT);
        check_track_order(at);
        check_time_order(at);
        check_tracks_text(at, expected);
    }
    free_text(expected);
    free(rows);
}

/* How many runs the spool makes of |rows|. */
static size_t count_runs(const tacho_row *rows, size_t count, size_t memory_bytes)
{
    size_t run_count = 1;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t bound = 0;
        assert_null(tacho_packed_row_bound(&rows[i], &bound));
        if (used > 0 && used + bound > memory_bytes) {
            run_count++;
            used = 0;
        }
        void *memory = allocate(bound);
        size_t size = tacho_packed_row_write(&rows[i], memory);
        free(memory);
        assert_int_equal(size % 8, 0);
        assert_true(size <= bound);
        used += size;
    }
    return run_count;
}

/* Gives three spans an argument that is longer than any buffer of the spool. */
static void add_huge_texts(fixture *at, tacho_row *rows, size_t count)
{
    size_t left = 3;
    for (size_t i = count / 3; i < count && left > 0; i += count / 5) {
        while (rows[i].kind != TACHO_ROW_SPAN) {
            i++;
        }
        size_t len = HUGE_TEXT_BYTES + i;
        char *text = allocate(len);
        for (size_t k = 0; k < len; k++) {
            text[k] = (char)(k * 131 + k / 977 + left);
        }
        tacho_arg args[2] = {{.key = at->words[0], .type = TACHO_ARG_TEXT},
                             {.key = at->words[1], .type = TACHO_ARG_BOOL}};
        args[0].value.as_text = tacho_str_make(arena_copy(at, text, len), len);
        args[1].value.as_bool = true;
        rows[i].args = arena_copy(at, args, sizeof(args));
        rows[i].arg_count = 2;
        free(text);
        left--;
    }
    assert_int_equal(left, 0);
}

static void test_many_runs(void **state)
{
    fixture *at = *state;
    enum { COUNT = 28000 };
    static const struct {
        size_t memory_bytes;
        size_t runs_above; /* what the case is for */
    } cases[] = {
        {256, FAN_IN * FAN_IN}, /* three levels of merging */
        {4096, FAN_IN},         /* two */
        {300000, 2},            /* one, of runs longer than a reader's buffer */
    };
    uint64_t random = 43;
    row_plan plan = {.time_count = 3000, .flow_percent = 5, .arg_max = 4, .first_time = 1000};
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    add_huge_texts(at, rows, COUNT);
    run_order(at, TACHO_ORDER_SORT, SIZE_MAX, rows, COUNT);
    check_nothing_lost(at, rows, COUNT);
    check_track_order(at);
    check_time_order(at);
    tacho_str expected = tracks_text(at);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(count_runs(rows, COUNT, cases[i].memory_bytes) > cases[i].runs_above);
        run_order(at, TACHO_ORDER_SORT, cases[i].memory_bytes, rows, COUNT);
        check_time_order(at);
        check_tracks_text(at, expected);
    }
    free_text(expected);
    free(rows);
}

/* The number of runs just at, below and above what one merge takes. */
static void test_run_counts_around_the_fan_in(void **state)
{
    fixture *at = *state;
    static const size_t counts[] = {
        1,          2,          3,   FAN_IN - 1,      FAN_IN,
        FAN_IN + 1, 2 * FAN_IN, 129, FAN_IN * FAN_IN, FAN_IN * FAN_IN + 1};
    uint64_t random = 44;
    row_plan plan = {.time_count = 1000, .flow_percent = 5, .arg_max = 1};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        tacho_row *rows = random_rows(at, &random, &plan, counts[i]);
        assert_int_equal(count_runs(rows, counts[i], 0), counts[i]);
        run_order(at, TACHO_ORDER_SORT, 0, rows, counts[i]);
        check_nothing_lost(at, rows, counts[i]);
        check_track_order(at);
        check_time_order(at);
        free(rows);
    }
}

static int64_t zero_of(const fixture *at, uint32_t part)
{
    return at->dict.clocks[at->dict.parts[part].clock].zero_ticks;
}

static int64_t earliest(const tacho_row *rows, size_t count)
{
    int64_t start = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        start = rows[i].start < start ? rows[i].start : start;
    }
    return start;
}

/* Parts one after the other through one filter, the middle one without a row. */
static void test_sort_parts(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 512, 0};
    enum { COUNT = 150 };
    uint64_t random = 45;
    for (size_t i = 0; i < 3; i++) {
        row_plan plans[PART_COUNT] = {
            {.part = 0, .time_count = 50, .first_time = 100, .flow_percent = 10, .arg_max = 2},
            {.part = 1},
            {.part = 2, .time_count = 50, .first_time = 7, .arg_max = 2},
        };
        size_t counts[PART_COUNT] = {COUNT, 0, COUNT / 2};
        clear_output(at);
        tacho_order *order = NULL;
        assert_null(tacho_order_create(&at->events, TACHO_ORDER_SORT, memories[i], &order));
        tacho_events *events = tacho_order_events(order);
        for (uint32_t part = 0; part < PART_COUNT; part++) {
            tacho_row *rows = random_rows(at, &random, &plans[part], counts[part]);
            at->row_count = 0;
            for (size_t k = 0; k < counts[part]; k++) {
                assert_null(tacho_events_row(events, &rows[k]));
            }
            assert_int_equal(at->row_count, 0); /* held until the part ends */
            assert_null(tacho_events_end_part(events, part));
            check_nothing_lost(at, rows, counts[part]);
            check_track_order(at);
            assert_int_equal(at->dict.parts[part].row_count, counts[part]);
            assert_int_equal(zero_of(at, part), part == 1 ? 0 : earliest(rows, counts[part]));
            assert_int_equal(at->ended_count, part + 1);
            assert_int_equal(at->ended_parts[part], part);
            free(rows);
        }
        assert_null(tacho_events_finish(events));
        assert_int_equal(at->finish_count, 1);
        tacho_order_destroy(order);
    }
}

/* Ticks finer than a nanosecond are still told apart, on one track and across tracks. */
static void test_sort_fine_ticks(void **state)
{
    fixture *at = *state;
    uint64_t random = 46;
    row_plan plan = {.part = 2, .time_count = 40, .flow_percent = 30, .arg_max = 1};
    enum { COUNT = 200 };
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    run_order(at, TACHO_ORDER_SORT, 4096, rows, COUNT);
    check_nothing_lost(at, rows, COUNT);
    check_track_order(at);
    check_time_order(at);
    free(rows);
}

/* Rows that differ in anything at all come out in one order, however they went in. */
static void check_both_ways(fixture *at, const tacho_row *a, const tacho_row *b, const char *what)
{
    tacho_row rows[2] = {*a, *b};
    run_order(at, TACHO_ORDER_SORT, 4096, rows, 2);
    tacho_str expected = tracks_text(at);
    rows[0] = *b;
    rows[1] = *a;
    run_order(at, TACHO_ORDER_SORT, 4096, rows, 2);
    tacho_str found = tracks_text(at);
    if (compare_lines(&found, &expected) != 0) {
        fail_msg("rows that differ in %s come out as they went in", what);
    }
    free_text(expected);
    free_text(found);
}

static tacho_row plain_span(const fixture *at)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->tracks[0][1], .start = 5};
    row.of.span.end = 9;
    row.of.span.site = at->sites[0];
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

static void test_ties_in_sites(void **state)
{
    fixture *at = *state;
    tacho_location locations[2] = {{.text = at->words[0]}, {.text = at->words[1]}};
    tacho_site sites[4] = {{at->words[0], at->words[0], TACHO_NONE}};
    sites[1] = (tacho_site){at->words[1], at->words[0], TACHO_NONE};
    sites[2] = (tacho_site){at->words[0], at->words[1], TACHO_NONE};
    sites[3] = sites[0];
    assert_null(tacho_dict_ensure_location(&at->dict, &locations[0], &sites[0].location));
    assert_null(tacho_dict_ensure_location(&at->dict, &locations[1], &sites[3].location));
    sites[1].location = sites[0].location;
    sites[2].location = sites[0].location;
    tacho_row rows[4];
    for (size_t i = 0; i < 4; i++) {
        rows[i] = plain_span(at);
        assert_null(tacho_dict_ensure_site(&at->dict, &sites[i], &rows[i].of.span.site));
    }
    check_both_ways(at, &rows[0], &rows[1], "the name of the site");
    check_both_ways(at, &rows[0], &rows[2], "the category of the site");
    check_both_ways(at, &rows[0], &rows[3], "the location of the site");
    rows[1] = rows[0];
    rows[1].of.span.flags = TACHO_SPAN_UNENDED;
    check_both_ways(at, &rows[0], &rows[1], "flags");
}

static void check_arg_tie(fixture *at, const tacho_arg *a, const tacho_arg *b, const char *what)
{
    tacho_row rows[2] = {plain_span(at), plain_span(at)};
    rows[0].args = a;
    rows[0].arg_count = 1;
    rows[1].args = b;
    rows[1].arg_count = b == NULL ? 0 : 1;
    check_both_ways(at, &rows[0], &rows[1], what);
}

static void test_ties_in_values(void **state)
{
    fixture *at = *state;
    tacho_arg args[2] = {{.key = at->words[0]}, {.key = at->words[1]}};
    check_arg_tie(at, &args[0], NULL, "the number of arguments");
    check_arg_tie(at, &args[0], &args[1], "the key of an argument");
    args[1] = args[0];
    args[1].type = TACHO_ARG_UINT;
    check_arg_tie(at, &args[0], &args[1], "the type of an argument");
    args[1].type = TACHO_ARG_INT;
    args[1].value.as_int = -1;
    check_arg_tie(at, &args[0], &args[1], "an integer");
    args[0].type = args[1].type = TACHO_ARG_UINT;
    check_arg_tie(at, &args[0], &args[1], "a natural number");
    args[0].type = args[1].type = TACHO_ARG_REAL;
    args[1].value.as_real = -1e-300;
    check_arg_tie(at, &args[0], &args[1], "a real number");
    args[0].type = args[1].type = TACHO_ARG_BOOL;
    args[0].value.as_bool = false;
    args[1].value.as_bool = true;
    check_arg_tie(at, &args[0], &args[1], "a truth");
    args[0].type = args[1].type = TACHO_ARG_STRING;
    args[0].value.as_string = at->words[0];
    args[1].value.as_string = at->words[1];
    check_arg_tie(at, &args[0], &args[1], "a string");
    for (size_t i = 0; i < 2; i++) {
        args[0].type = args[1].type = i == 0 ? TACHO_ARG_TEXT : TACHO_ARG_JSON;
        args[0].value.as_text = TACHO_STR("ab");
        args[1].value.as_text = TACHO_STR("aB");
        check_arg_tie(at, &args[0], &args[1], "a text");
        args[1].value.as_text = TACHO_STR("abc");
        check_arg_tie(at, &args[0], &args[1], "the length of a text");
    }
}

static void test_ties_in_op_and_run(void **state)
{
    fixture *at = *state;
    tacho_row rows[2] = {plain_span(at), plain_span(at)};
    rows[0].of.span.op = 3;
    check_both_ways(at, &rows[0], &rows[1], "op");
    rows[0] = rows[1];
    rows[0].of.span.run = 1;
    check_both_ways(at, &rows[0], &rows[1], "having a run or none");
    rows[1].of.span.run = 2;
    check_both_ways(at, &rows[0], &rows[1], "the name of the run");
    rows[1].of.span.run = 1 + WORD_COUNT;
    check_both_ways(at, &rows[0], &rows[1], "the number of the run");
}

static void test_ties_in_args(void **state)
{
    fixture *at = *state;
    tacho_arg args[2] = {{.key = at->words[0], .type = TACHO_ARG_REAL}};
    args[1] = args[0];
    tacho_row rows[2] = {plain_span(at), plain_span(at)};
    for (size_t i = 0; i < 2; i++) {
        rows[i].args = &args[i];
        rows[i].arg_count = 1;
    }
    args[1].unit = TACHO_UNIT_BYTES;
    check_both_ways(at, &rows[0], &rows[1], "the unit of an argument");
    args[1].unit = args[0].unit;
    args[1].value.as_real = -0.0;
    check_both_ways(at, &rows[0], &rows[1], "the sign of a zero");
    args[1].value.as_real = (double)NAN;
    check_both_ways(at, &rows[0], &rows[1], "a number and none");
}

static void test_ties_in_flows(void **state)
{
    fixture *at = *state;
    tacho_row rows[2] = {{.kind = TACHO_ROW_FLOW, .track = at->tracks[0][1], .start = 5}};
    rows[0].of.flow.id = 1;
    rows[1] = rows[0];
    rows[1].of.flow.id = LAST_FLOW_ID;
    check_both_ways(at, &rows[0], &rows[1], "the id of a flow");
    rows[1] = rows[0];
    rows[1].of.flow.role = TACHO_FLOW_LAUNCH;
    check_both_ways(at, &rows[0], &rows[1], "the role of a flow");
    rows[1] = rows[0];
    rows[1].of.flow.phase = TACHO_FLOW_PASSES;
    check_both_ways(at, &rows[0], &rows[1], "the phase of a flow");
    rows[1] = rows[0];
    rows[1].of.flow.span_end = 9;
    check_both_ways(at, &rows[0], &rows[1], "the span of a flow");
}

/* ---- pass mode -------------------------------------------------------------------------- */

/* What sort mode gives goes through pass mode unchanged, row by row and without delay. */
static void check_pass_equals_sort(fixture *at, uint64_t *random, const row_plan *plan)
{
    enum { COUNT = 400 };
    tacho_row *rows = random_rows(at, random, plan, COUNT);
    run_order(at, TACHO_ORDER_SORT, 4096, rows, COUNT);
    tacho_str expected = tracks_text(at);
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = at->rows[i].row;
    }
    int64_t zero = zero_of(at, plan->part);
    run_order(at, TACHO_ORDER_PASS, 0, rows, COUNT);
    check_tracks_text(at, expected);
    assert_int_equal(zero_of(at, plan->part), zero);
    assert_int_equal(at->dict.parts[plan->part].row_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        tacho_str line = render(at, &rows[i]);
        assert_int_equal(compare_lines(&at->rows[i].line, &line), 0);
    }
    free_text(expected);
    free(rows);
}

static void test_pass_equals_sort(void **state)
{
    fixture *at = *state;
    uint64_t random = 51;
    for (unsigned i = 0; i < 20; i++) {
        row_plan plan = {.part = i % 2, .time_count = 5 + 40 * i, .first_time = i};
        if (i % 3 == 0) { /* with arguments and flows, hence nearly without ties */
            plan.time_count = 1 << 24;
            plan.flow_percent = 20;
            plan.arg_max = ARG_MAX;
        }
        check_pass_equals_sort(at, &random, &plan);
    }
}

static bool comes_late(const fixture *at, const tacho_row *rows, size_t i)
{
    bool has_flows = tacho_row_is_around(&rows[i]);
    for (size_t k = 0; k < i; k++) {
        has_flows = has_flows || tacho_row_is_around(&rows[k]);
    }
    for (size_t k = 0; k < i; k++) {
        bool same_track = rows[k].track == rows[i].track;
        if (same_track && documented_order(at, &rows[k], &rows[i]) > 0) {
            return true;
        }
        /* Time order across tracks where there are flows by time; at one time, by kind. */
        if (has_flows &&
            (rows[k].start > rows[i].start ||
             (rows[k].start == rows[i].start && kind_place(&rows[k]) > kind_place(&rows[i])))) {
            return true;
        }
    }
    return i > 0 && rows[i].start < rows[0].start;
}

static int compare_starts(const void *a, const void *b)
{
    const tacho_row *row_a = a;
    const tacho_row *row_b = b;
    return (row_a->start > row_b->start) - (row_a->start < row_b->start);
}

/* Rows without ties in content, nearly sorted more often than not. */
static size_t make_nearly_sorted(fixture *at, uint64_t *random, unsigned flow_percent,
                                 tacho_row *out_rows)
{
    size_t count = 1 + random_below(random, 14);
    row_plan plan = {.time_count = 2 + random_below(random, 30), .first_time = 3};
    plan.flow_percent = flow_percent;
    for (size_t i = 0; i < count; i++) {
        tacho_row row = random_row(at, random, &plan);
        if (row.kind == TACHO_ROW_SPAN) {
            int64_t length = (int64_t)random_below(random, 3);
            row.of.span.end = row.start + length;
            row.of.span.site = at->sites[0];
            row.of.span.flags = 0;
            row.of.span.op = TACHO_NONE;
            row.of.span.run = TACHO_NONE;
        } else if (row.kind == TACHO_ROW_SAMPLE) {
            row.of.sample.value = 1;
        } else {
            row.of.flow.id = 1;
            row.of.flow.role = TACHO_FLOW_DATA;
            row.of.flow.phase = TACHO_FLOW_LEAVES;
            bool is_around = row.of.flow.span_end == TACHO_FLOW_AROUND;
            row.of.flow.span_end = is_around ? TACHO_FLOW_AROUND : TACHO_FLOW_NEXT;
        }
        out_rows[i] = row;
    }
    if (random_below(random, 4) > 0) {
        qsort(out_rows, count, sizeof(*out_rows), compare_starts);
    }
    return count;
}

static void check_refusals(fixture *at, uint64_t seed, unsigned flow_percent)
{
    uint64_t random = seed;
    size_t refused_count = 0, passed_count = 0;
    for (size_t round = 0; round < 10000; round++) {
        tacho_row rows[16];
        size_t count = make_nearly_sorted(at, &random, flow_percent, rows);
        size_t expected = 0;
        while (expected < count && !comes_late(at, rows, expected)) {
            expected++;
        }
        tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, count);
        assert_int_equal(at->row_count, expected);
        assert_int_equal(tacho_status_code(status),
                         expected < count ? TACHO_CODE_OUT_OF_ORDER : TACHO_CODE_OK);
        assert_int_equal(zero_of(at, 0), rows[0].start);
        refused_count += status != TACHO_OK;
        passed_count += status == TACHO_OK && count > 3;
        tacho_status_free(status);
    }
    assert_true(refused_count > 1000 && passed_count > 100);
}

static void test_pass_refuses_what_comes_late(void **state)
{
    check_refusals(*state, 52, 0);
}

static void test_pass_refuses_late_flows(void **state)
{
    check_refusals(*state, 53, 40);
}

/* Arrows wait for a span, others look for it once it has started: nothing is late. */
static void test_pass_takes_flows_of_one_time(void **state)
{
    fixture *at = *state;
    tacho_row rows[7] = {{0}};
    for (size_t i = 0; i < 7; i++) {
        rows[i].track = at->tracks[0][1];
        rows[i].start = i == 0 ? 0 : 5;
        rows[i].kind = TACHO_ROW_FLOW;
        rows[i].of.flow.id = i;
        rows[i].of.flow.span_end = i < 4 ? TACHO_FLOW_NEXT : TACHO_FLOW_AROUND;
    }
    rows[5].track = at->tracks[0][2]; /* an arrow of another track */
    rows[0] = plain_span(at);
    rows[0].start = 0;
    rows[0].of.span.end = 5;
    rows[3] = plain_span(at);
    /* The first that looks around comes too late: sinks have seen spans by then. */
    tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, 7);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    assert_int_equal(at->row_count, 4);
    assert_false(at->dict.parts[0].has_flows_around);
    tacho_status_free(status);
    at->dict.parts[0].has_flows_around = true; /* a source that knows ahead may say so */
    run_order(at, TACHO_ORDER_PASS, 0, rows, 7);
    check_nothing_lost(at, rows, 7);
}

/* Whatever pass mode lets through is what sort mode would have given. */
static void test_pass_never_differs_from_sort(void **state)
{
    fixture *at = *state;
    uint64_t random = 54;
    size_t passed_count = 0;
    row_plan plan = {.time_count = 2, .arg_max = 1};
    for (size_t round = 0; round < 5000; round++) {
        size_t count = 2 + random_below(&random, 3);
        tacho_row *rows = random_rows(at, &random, &plan, count);
        for (size_t i = 0; i < count; i++) { /* few sites and lengths, so that many are equal */
            if (rows[i].kind == TACHO_ROW_SPAN) {
                rows[i].track = at->tracks[0][1];
                rows[i].of.span.end = rows[i].start + 1;
                rows[i].of.span.site = at->sites[0];
                rows[i].of.span.op = 0;
            }
        }
        tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, count);
        if (status == TACHO_OK) {
            tacho_str passed = tracks_text(at);
            run_order(at, TACHO_ORDER_SORT, 4096, rows, count);
            check_tracks_text(at, passed);
            free_text(passed);
            passed_count++;
        }
        tacho_status_free(status);
        free(rows);
    }
    assert_true(passed_count > 500);
}

/* Each part starts anew: its own zero, its own order, its own flows. */
static void test_pass_parts(void **state)
{
    fixture *at = *state;
    static const struct {
        uint32_t part;
        size_t track;
        int64_t start;
    } rows[] = {
        {0, 0, 900}, {0, 1, 950},             /* the second is a flow */
        {2, 0, 4},   {2, 0, 100}, {2, 1, 50}, /* tracks need not agree without flows */
    };
    tacho_order *order = NULL;
    assert_null(tacho_order_create(&at->events, TACHO_ORDER_PASS, 0, &order));
    tacho_events *events = tacho_order_events(order);
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            tacho_row row = plain_span(at);
            row.track = at->tracks[rows[i].part][rows[i].track];
            row.start = rows[i].start;
            row.of.span.end = 5000;
            if (i == 1) {
                row.kind = TACHO_ROW_FLOW;
                row.of.flow.id = 1;
                row.of.flow.span_end = TACHO_FLOW_NEXT;
            }
            if (rows[i].part == part) {
                assert_null(tacho_events_row(events, &row));
                assert_int_equal(at->row_count, i + 1); /* at once */
            }
        }
        assert_null(tacho_events_end_part(events, part));
        assert_int_equal(at->ended_parts[part], part);
    }
    assert_null(tacho_events_finish(events));
    static const int64_t zeros[PART_COUNT] = {900, 0, 4};
    static const uint64_t counts[PART_COUNT] = {2, 0, 3};
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        assert_int_equal(zero_of(at, part), zeros[part]);
        assert_int_equal(at->dict.parts[part].row_count, counts[part]);
    }
    assert_int_equal(at->ended_count, PART_COUNT);
    assert_int_equal(at->finish_count, 1);
    tacho_order_destroy(order);
}

/* ---- failures and the disk -------------------------------------------------------------- */

static void test_downstream_failure_is_passed_on(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 512, 0};
    enum { COUNT = 300 };
    uint64_t random = 61;
    row_plan plan = {.time_count = 50, .arg_max = 3};
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    for (size_t i = 0; i < 9; i++) {
        at->fail_at = i % 3 == 0 ? 0 : (i % 3 == 1 ? COUNT / 2 : COUNT - 1);
        tacho_status status = try_order(at, TACHO_ORDER_SORT, memories[i / 3], rows, COUNT);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
        assert_string_equal(tacho_status_message(status), "the recorder is full");
        assert_int_equal(at->row_count, at->fail_at);
        assert_int_equal(at->ended_count, 0);
        tacho_status_free(status);
    }
    at->fail_at = 0;
    tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, 1);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    free(rows);
}

/* A text that no 32-bit length can tell is refused before it is read. */
static void test_row_beyond_reason(void **state)
{
    fixture *at = *state;
    tacho_arg args[2] = {{.type = TACHO_ARG_TEXT}, {.type = TACHO_ARG_TEXT}};
    args[0].value.as_text = tacho_str_make("", UINT32_MAX / 2);
    args[1].value.as_text = tacho_str_make("", UINT32_MAX / 2);
    tacho_row row = plain_span(at);
    row.args = args;
    row.arg_count = 2;
    tacho_status status = try_order(at, TACHO_ORDER_SORT, 4096, &row, 1);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
}

static int lowest_free_descriptor(void)
{
    int descriptor = dup(STDOUT_FILENO);
    close(descriptor);
    return descriptor;
}

/* The disk is given back when a part ends, not when the filter goes. */
static void check_part_releases_descriptors(fixture *at, size_t memory_bytes, const tacho_row *rows,
                                            size_t count)
{
    int descriptor = lowest_free_descriptor();
    tacho_order *order = NULL;
    assert_null(tacho_order_create(&at->events, TACHO_ORDER_SORT, memory_bytes, &order));
    for (size_t i = 0; i < count; i++) {
        assert_null(tacho_events_row(tacho_order_events(order), &rows[i]));
    }
    clear_output(at);
    assert_null(tacho_events_end_part(tacho_order_events(order), 0));
    assert_int_equal(lowest_free_descriptor(), descriptor);
    tacho_order_destroy(order);
}

/* No name appears in TMPDIR at any time, and no descriptor stays open. */
static void test_leaves_nothing_behind(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 4096, 0};
    enum { COUNT = 500 };
    uint64_t random = 62;
    row_plan plan = {.time_count = 50, .arg_max = 3};
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    int descriptor = lowest_free_descriptor();
    at->lists_folder = true;
    for (size_t i = 0; i < 3; i++) {
        run_order(at, TACHO_ORDER_SORT, memories[i], rows, COUNT);
        assert_int_equal(count_files(tmpdir()), 0);
        assert_int_equal(lowest_free_descriptor(), descriptor);
        /* Given up in the midst of it, with runs on disk. */
        tacho_order *order = NULL;
        assert_null(tacho_order_create(&at->events, TACHO_ORDER_SORT, memories[i], &order));
        for (size_t k = 0; k < COUNT; k++) {
            assert_null(tacho_events_row(tacho_order_events(order), &rows[k]));
        }
        assert_int_equal(count_files(tmpdir()), 0);
        tacho_order_destroy(order);
        assert_int_equal(lowest_free_descriptor(), descriptor);
        check_part_releases_descriptors(at, memories[i], rows, COUNT);
    }
    free(rows);
}

/* What fits the memory never touches the disk; what does not says where it would go. */
static void test_uses_tmpdir_only_when_needed(void **state)
{
    fixture *at = *state;
    char folder[512];
    snprintf(folder, sizeof(folder), "%s", tmpdir());
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    uint64_t random = 63;
    row_plan plan = {.time_count = 50, .arg_max = 3};
    tacho_row *rows = random_rows(at, &random, &plan, 100);
    tacho_status in_memory = try_order(at, TACHO_ORDER_SORT, 1 << 20, rows, 100);
    tacho_status on_disk = try_order(at, TACHO_ORDER_SORT, 512, rows, 100);
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    assert_null(in_memory);
    assert_int_equal(tacho_status_code(on_disk), TACHO_CODE_IO);
    assert_non_null(strstr(tacho_status_message(on_disk), "/nowhere/at/all"));
    tacho_status_free(on_disk);
    free(rows);
}

static int open_tmpdir(void **state)
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
static int close_tmpdir(void **state)
{
    char *folder = *state;
    int result = rmdir(folder);
    free(folder);
    return result;
}

#define ORDER_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ORDER_TEST(test_compare_is_an_order),
        ORDER_TEST(test_any_permutation_gives_one_order),
        ORDER_TEST(test_many_runs),
        ORDER_TEST(test_run_counts_around_the_fan_in),
        ORDER_TEST(test_sort_parts),
        ORDER_TEST(test_sort_fine_ticks),
        ORDER_TEST(test_ties_in_sites),
        ORDER_TEST(test_ties_in_values),
        ORDER_TEST(test_ties_in_op_and_run),
        ORDER_TEST(test_ties_in_args),
        ORDER_TEST(test_ties_in_flows),
        ORDER_TEST(test_pass_equals_sort),
        ORDER_TEST(test_pass_refuses_what_comes_late),
        ORDER_TEST(test_pass_refuses_late_flows),
        ORDER_TEST(test_pass_takes_flows_of_one_time),
        ORDER_TEST(test_pass_never_differs_from_sort),
        ORDER_TEST(test_pass_parts),
        ORDER_TEST(test_downstream_failure_is_passed_on),
        ORDER_TEST(test_row_beyond_reason),
        ORDER_TEST(test_leaves_nothing_behind),
        ORDER_TEST(test_uses_tmpdir_only_when_needed),
    };
    return cmocka_run_group_tests(tests, open_tmpdir, close_tmpdir);
}
