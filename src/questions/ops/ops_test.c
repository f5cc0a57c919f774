/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of operations: every number computed by hand, and compared with a simple count on random
 * spans.
 */
#include "questions/ops/ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 8192, RANDOM_SPANS = 20000, RANDOM_NAMES = 7 };

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    uint32_t part;
    uint32_t bytes_key, other_key;
} fixture;

static uint32_t ensure_string(fixture *at, const char *text)
{
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(text), &id));
    return id;
}

static void add_part(fixture *at, const char *path, tacho_origin origin)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 5, 4);
    tacho_part_facts facts = {.path = tacho_str_from_cstring(path), .origin = origin};
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("cycles"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
}

static void setup(fixture *at)
{
    assert_null(tacho_dict_init(&at->dict));
    tacho_profile_init(&at->profile, &at->dict);
    add_part(at, "a.csv", TACHO_ORIGIN_ESTIMATED);
    at->bytes_key = ensure_string(at, "bytes");
    at->other_key = ensure_string(at, "read");
}

static void teardown(fixture *at)
{
    tacho_profile_deinit(&at->profile);
    tacho_dict_deinit(&at->dict);
}

static uint32_t add_track(fixture *at, const char *name, tacho_track_class track_class)
{
    tacho_track facts = {
        .parent = at->dict.parts[at->part].root,
        .part = at->part,
        .clock = at->dict.parts[at->part].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = TACHO_NESTING_ENGINE,
    };
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_track(&at->dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

/* |line| 0 for a site without a location. */
static uint32_t add_site(fixture *at, const char *name, uint32_t line)
{
    tacho_site site = {.location = TACHO_NONE, .name = ensure_string(at, name)};
    site.category = ensure_string(at, "category");
    if (line > 0) {
        char text[32];
        snprintf(text, sizeof(text), "m:%u", (unsigned)line);
        tacho_location location = {.text = ensure_string(at, text), .line = line};
        assert_null(tacho_dict_ensure_location(&at->dict, &location, &site.location));
    }
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &id));
    return id;
}

typedef struct span_facts {
    uint32_t track;
    uint32_t site;
    int64_t start;
    int64_t end;
    uint32_t flags;
    int64_t bytes; /* 0: no argument */
} span_facts;

static void add_span(fixture *at, span_facts facts)
{
    tacho_arg args[2] = {
        {.key = at->bytes_key, .type = TACHO_ARG_UINT}, /* traces do not have its unit */
        {.key = at->other_key, .type = TACHO_ARG_INT, .unit = TACHO_UNIT_BYTES},
    };
    args[0].value.as_uint = (uint64_t)facts.bytes;
    args[1].value.as_int = 1000;
    tacho_row row = {
        .kind = TACHO_ROW_SPAN,
        .track = facts.track,
        .start = facts.start,
        .args = args,
        .arg_count = facts.bytes != 0 ? 2 : 0,
    };
    row.of.span.end = facts.end;
    row.of.span.site = facts.site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.of.span.flags = facts.flags;
    assert_null(tacho_events_row(&at->profile.events, &row));
}

/* Rows as "file operation class origin count total self share mean p50 p99 min max bytes location".
 */
static size_t assert_rows(fixture *at, const tacho_ops_options *options, const char *expected)
{
    tacho_ops ops;
    tacho_table table;
    static char text[TEXT_BYTES];
    size_t len = 0;
    text[0] = '\0';
    assert_null(tacho_ops_init(&ops, &at->profile, options));
    assert_null(tacho_ops_table(&ops, &table));
    for (size_t i = 0; i < table.cell_count; i++) {
        const tacho_cell *cell = &table.cells[i];
        size_t column = i % table.column_count;
        tacho_column_type type = table.columns[column].type;
        const char *gap = column == 0 ? "" : " ";
        char *at_text = text + len;
        size_t room = sizeof(text) - len;
        if (cell->is_absent) {
            len += (size_t)snprintf(at_text, room, "%s-", gap);
        } else if (type == TACHO_COLUMN_TEXT) {
            len += (size_t)snprintf(at_text, room, "%s%.*s", gap, TACHO_STR_ARG(cell->value.text));
        } else if (type == TACHO_COLUMN_PERCENT) {
            len += (size_t)snprintf(at_text, room, "%s%.2f", gap, cell->value.real);
        } else {
            len += (size_t)snprintf(at_text, room, "%s%lld", gap, (long long)cell->value.integer);
        }
        if (column + 1 == table.column_count) {
            len += (size_t)snprintf(text + len, sizeof(text) - len, "\n");
        }
        assert_true(len < sizeof(text));
    }
    size_t left_out_count = ops.left_out_count;
    tacho_table_deinit(&table);
    tacho_ops_deinit(&ops);
    assert_string_equal(text, expected);
    return left_out_count;
}

/* conv on two lines and two slices, a copy of bytes, a moment, a nameless one. */
static void fill(fixture *at)
{
    uint32_t slice_0 = add_track(at, "Slice 0", TACHO_TRACK_COMPUTE);
    uint32_t slice_1 = add_track(at, "Slice 1", TACHO_TRACK_COMPUTE);
    uint32_t dma = add_track(at, "DMA", TACHO_TRACK_DMA_IN);
    uint32_t conv_1 = add_site(at, "conv", 1);
    uint32_t conv_2 = add_site(at, "conv", 2);
    uint32_t copy = add_site(at, "copy", 3);
    uint32_t nameless = add_site(at, "", 0);
    /* Ends in ns: 0-5, 1-5 (at 5/4 ns per cycle, rounded down), 10-20, 20-40. */
    add_span(at, (span_facts){.track = slice_0, .site = conv_1, .start = 0, .end = 4});
    add_span(at, (span_facts){.track = slice_1, .site = conv_1, .start = 1, .end = 4});
    add_span(at, (span_facts){.track = slice_0, .site = conv_2, .start = 8, .end = 16});
    add_span(at, (span_facts){.track = slice_0, .site = nameless, .start = 16, .end = 32});
    add_span(at, (span_facts){.track = dma, .site = copy, .start = 0, .end = 4, .bytes = 7});
    add_span(at, (span_facts){.track = dma, .site = copy, .start = 4, .end = 8, .bytes = 35});
    add_span(at, (span_facts){.track = dma,
                              .site = copy,
                              .start = 9,
                              .end = 9,
                              .bytes = 1,
                              .flags = TACHO_SPAN_INSTANT});
}

static void test_by_type(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    fill(&at);
    tacho_ops_options options = {.sort = TACHO_OPS_BY_TOTAL};
    /* total 20 + 19 + 10 = 49 */
    assert_rows(&at, &options,
                "a.csv category compute estimated 1 20 20 40.82 20 20 20 20 20 - -\n"
                "a.csv conv compute estimated 3 19 19 38.78 6 5 10 4 10 - -\n"
                "a.csv copy dma_in estimated 2 10 10 20.41 5 5 5 5 5 42 m:3\n");
    teardown(&at);
}

static void test_by_instance(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    fill(&at);
    tacho_ops_options options = {.by_instance = true, .sort = TACHO_OPS_BY_LOCATION};
    assert_rows(&at, &options,
                "a.csv category compute estimated 1 20 20 40.82 20 20 20 20 20 - -\n"
                "a.csv conv compute estimated 2 9 9 18.37 5 4 5 4 5 - m:1\n"
                "a.csv conv compute estimated 1 10 10 20.41 10 10 10 10 10 - m:2\n"
                "a.csv copy dma_in estimated 2 10 10 20.41 5 5 5 5 5 42 m:3\n");
    teardown(&at);
}

static void test_sort_and_top(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *order; /* of category, Conv, copY by their initials below */
    } cases[] = {
        {"self", "avy"}, {"total", "avy"}, {"count", "vya"}, {"mean", "avy"},  {"p50", "avy"},
        {"p99", "avy"},  {"min", "ayv"},   {"max", "avy"},   {"bytes", "yav"}, {"name", "avy"},
    };
    fixture at;
    setup(&at);
    fill(&at);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_ops ops;
        tacho_ops_options options = {.top = 0};
        assert_null(tacho_ops_key_parse(tacho_str_from_cstring(cases[i].key), &options.sort));
        assert_null(tacho_ops_init(&ops, &at.profile, &options));
        char order[4] = "";
        assert_int_equal(ops.row_count, 3);
        for (size_t row = 0; row < 3; row++) {
            const char *name = tacho_dict_string(&at.dict, ops.rows[row].name).data;
            order[row] = name[1] == 'a' ? 'a' : name[3]; /* cAtegory, conV, copY */
        }
        assert_string_equal(order, cases[i].order);
        tacho_ops_deinit(&ops);
    }
    tacho_ops_key key = TACHO_OPS_BY_COUNT;
    tacho_status status = tacho_ops_key_parse(TACHO_STR("size"), &key);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    assert_int_equal(key, TACHO_OPS_BY_COUNT);
    tacho_status_free(status);
    /* The share remains relative to all rows. */
    tacho_ops_options options = {.sort = TACHO_OPS_BY_COUNT, .top = 1};
    assert_int_equal(
        assert_rows(&at, &options, "a.csv conv compute estimated 3 19 19 38.78 6 5 10 4 10 - -\n"),
        2);
    teardown(&at);
}

static bool accepts_exactly(const void *self, tacho_str name, tacho_str location)
{
    tacho_str wanted = tacho_str_from_cstring(self);
    return tacho_str_equal(name, wanted) || tacho_str_equal(location, wanted);
}

static void test_selection(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    fill(&at);
    tacho_ops_options options = {.filter = {.accepts = accepts_exactly, .self = "m:2"}};
    assert_rows(&at, &options,
                "a.csv conv compute estimated 1 10 10 100.00 10 10 10 10 10 - m:2\n");
    options.filter.self = "category";
    assert_rows(&at, &options,
                "a.csv category compute estimated 1 20 20 100.00 20 20 20 20 20 - -\n");
    options.filter.accepts = NULL;
    options.classes = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN);
    assert_rows(&at, &options, "a.csv copy dma_in estimated 2 10 10 100.00 5 5 5 5 5 42 m:3\n");
    options.classes = TACHO_TRACK_BIT(TACHO_TRACK_PORT);
    assert_rows(&at, &options, "");
    teardown(&at);
}

/* Nothing is added up over parts (unless requested), origins or classes; each has its own top. */
static void test_apart(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    uint32_t site = add_site(&at, "op", 0);
    uint32_t first = add_track(&at, "t", TACHO_TRACK_COMPUTE);
    uint32_t host = add_track(&at, "h", TACHO_TRACK_HOST);
    add_span(&at, (span_facts){.track = first, .site = site, .start = 0, .end = 12});
    add_span(&at, (span_facts){.track = host, .site = site, .start = 0, .end = 4});
    add_span(
        &at,
        (span_facts){
            .track = first, .site = site, .start = 12, .end = 16, .flags = TACHO_ORIGIN_MEASURED});
    add_part(&at, "b.csv", TACHO_ORIGIN_MEASURED);
    uint32_t second = add_track(&at, "t", TACHO_TRACK_COMPUTE);
    add_span(&at, (span_facts){.track = second, .site = site, .start = 0, .end = 8});
    tacho_ops_options options = {.sort = TACHO_OPS_BY_TOTAL};
    assert_rows(&at, &options,
                "a.csv op compute estimated 1 15 15 100.00 15 15 15 15 15 - -\n"
                "a.csv op host estimated 1 5 5 100.00 5 5 5 5 5 - -\n"
                "a.csv op compute measured 1 5 5 100.00 5 5 5 5 5 - -\n"
                "b.csv op compute measured 1 10 10 100.00 10 10 10 10 10 - -\n");
    options.top = 1;
    assert_int_equal(assert_rows(&at, &options,
                                 "a.csv op compute estimated 1 15 15 100.00 15 15 15 15 15 - -\n"
                                 "a.csv op host estimated 1 5 5 100.00 5 5 5 5 5 - -\n"
                                 "a.csv op compute measured 1 5 5 100.00 5 5 5 5 5 - -\n"
                                 "b.csv op compute measured 1 10 10 100.00 10 10 10 10 10 - -\n"),
                     0);
    options = (tacho_ops_options){.sort = TACHO_OPS_BY_TOTAL, .merges_parts = true};
    assert_rows(&at, &options,
                "a.csv op compute estimated 1 15 15 100.00 15 15 15 15 15 - -\n"
                "a.csv op host estimated 1 5 5 100.00 5 5 5 5 5 - -\n"
                "a.csv op compute measured 2 15 15 100.00 8 5 10 5 10 - -\n");
    teardown(&at);
}

/*
 * Time is that of the innermost span: a run of 80 ns with two kernels, the first with a copy in it,
 * around them a phase. A span that crosses a kernel is not inside it; on an engine nothing is
 * nested.
 */
static void test_own_time(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    uint32_t thread = add_track(&at, "thread", TACHO_TRACK_HOST);
    uint32_t engine = add_track(&at, "engine", TACHO_TRACK_COMPUTE);
    at.dict.tracks[thread].nesting = TACHO_NESTING_STACK;
    const struct {
        const char *name;
        int64_t start, end;
    } spans[] = {{"run", 0, 64},    {"kernel", 0, 16},  {"copy", 8, 12}, {"crossing", 12, 20},
                 {"phase", 20, 60}, {"kernel", 24, 40}, {"copy", 40, 44}};
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        uint32_t site = add_site(&at, spans[i].name, 0);
        if (strcmp(spans[i].name, "phase") == 0) {
            at.dict.sites[site].category = ensure_string(&at, "user_annotation");
        }
        add_span(&at,
                 (span_facts){
                     .track = thread, .site = site, .start = spans[i].start, .end = spans[i].end});
        add_span(&at,
                 (span_facts){
                     .track = engine, .site = site, .start = spans[i].start, .end = spans[i].end});
    }
    tacho_ops_options options = {.classes = TACHO_TRACK_BIT(TACHO_TRACK_HOST)};
    /* 80 - 20 - 20 - 5; 20 + 20 - 5; the crossing span's 10 are in neither */
    assert_rows(&at, &options,
                "a.csv run host estimated 1 80 35 38.89 80 80 80 80 80 - -\n"
                "a.csv kernel host estimated 2 40 35 38.89 20 20 20 20 20 - -\n"
                "a.csv copy host estimated 2 10 10 11.11 5 5 5 5 5 - -\n"
                "a.csv crossing host estimated 1 10 10 11.11 10 10 10 10 10 - -\n");
    /* A filter does not change self times. */
    options.filter = (tacho_name_filter){.accepts = accepts_exactly, .self = "run"};
    assert_rows(&at, &options, "a.csv run host estimated 1 80 35 100.00 80 80 80 80 80 - -\n");
    options = (tacho_ops_options){.classes = TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE),
                                  .filter = {.accepts = accepts_exactly, .self = "run"}};
    assert_rows(&at, &options, "a.csv run compute estimated 1 80 80 100.00 80 80 80 80 80 - -\n");
    teardown(&at);
}

/* An argument op_name is the operator, unless rows are per instance; one inside another is not. */
static void test_operators(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    uint32_t track = add_track(&at, "t", TACHO_TRACK_HOST);
    uint32_t key = ensure_string(&at, "op_name");
    const struct {
        const char *name;
        const char *operator;
        bool is_nested;
    } spans[] = {
        {"a_kernel_time", "Conv", false},  {"b_kernel_time", "Conv", false},
        {"b_kernel_time", "Add", false},   {"b_kernel_time", "", false},
        {"a_fence_before", "Conv", false}, {"a_fence_after", "Conv", false},
        {"c_kernel_time", "Conv", true},
    };
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        tacho_arg args[] = {
            {.key = at.bytes_key, .type = TACHO_ARG_DICT, .value.as_uint = 1},
            {.key = key,
             .type = TACHO_ARG_TEXT,
             .value.as_text = tacho_str_from_cstring(spans[i].operator)},
        };
        tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = (int64_t)i * 8};
        row.of.span.end = row.start + 4;
        row.of.span.site = add_site(&at, spans[i].name, 0);
        row.of.span.op = row.of.span.run = TACHO_NONE;
        row.args = spans[i].is_nested ? args : args + 1;
        row.arg_count = spans[i].is_nested ? 2 : 1;
        assert_null(tacho_events_row(&at.profile.events, &row));
    }
    tacho_ops_options options = {.sort = TACHO_OPS_BY_NAME};
    assert_rows(&at, &options,
                "a.csv Add host estimated 1 5 5 14.29 5 5 5 5 5 - -\n"
                "a.csv Conv host estimated 2 10 10 28.57 5 5 5 5 5 - -\n"
                "a.csv a_fence_after host estimated 1 5 5 14.29 5 5 5 5 5 - -\n"
                "a.csv a_fence_before host estimated 1 5 5 14.29 5 5 5 5 5 - -\n"
                "a.csv b_kernel_time host estimated 1 5 5 14.29 5 5 5 5 5 - -\n"
                "a.csv c_kernel_time host estimated 1 5 5 14.29 5 5 5 5 5 - -\n");
    options.by_instance = true;
    options.filter = (tacho_name_filter){.accepts = accepts_exactly, .self = "b_kernel_time"};
    assert_rows(&at, &options, "a.csv b_kernel_time host estimated 3 15 15 100.00 5 5 5 5 5 - -\n");
    teardown(&at);
}

/* Of 1 to n the p-th percentile is ceil(n p / 100). */
static void test_nearest_rank(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        int64_t p50;
        int64_t p99;
    } cases[] = {{1, 1, 1},       {2, 1, 2},        {3, 2, 3},       {99, 50, 99},
                 {100, 50, 99},   {101, 51, 100},   {200, 100, 198}, {201, 101, 199},
                 {999, 500, 990}, {1000, 500, 990}, {1001, 501, 991}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        setup(&at);
        uint32_t track = add_track(&at, "t", TACHO_TRACK_COMPUTE);
        uint32_t site = add_site(&at, "op", 0);
        for (int64_t n = 1; n <= cases[i].count; n++) {
            /* 4 cycles are 5 ns; in neither ascending nor descending order */
            int64_t length = (n * 7919) % cases[i].count + 1;
            add_span(&at, (span_facts){.track = track, .site = site, .end = 4 * length});
        }
        tacho_ops ops;
        tacho_ops_options options = {.top = 0};
        assert_null(tacho_ops_init(&ops, &at.profile, &options));
        assert_int_equal(ops.rows[0].p50_ns, 5 * cases[i].p50);
        assert_int_equal(ops.rows[0].p99_ns, 5 * cases[i].p99);
        assert_int_equal(ops.rows[0].min_ns, 5);
        assert_int_equal(ops.rows[0].max_ns, 5 * cases[i].count);
        tacho_ops_deinit(&ops);
        teardown(&at);
    }
}

static void test_sums_saturate(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    tacho_clock_init(&at.dict.clocks[0], 1, 1);
    uint32_t track = add_track(&at, "t", TACHO_TRACK_COMPUTE);
    uint32_t site = add_site(&at, "op", 0);
    for (int i = 0; i < 3; i++) {
        add_span(&at, (span_facts){.track = track,
                                   .site = site,
                                   .end = INT64_MAX,
                                   .bytes = i == 0 ? -1 : INT64_MAX});
    }
    tacho_ops ops;
    tacho_ops_options options = {.top = 0};
    assert_null(tacho_ops_init(&ops, &at.profile, &options));
    assert_int_equal(ops.rows[0].total_ns, INT64_MAX);
    assert_int_equal(ops.rows[0].mean_ns, INT64_MAX);
    assert_int_equal(ops.rows[0].bytes, INT64_MAX);
    tacho_ops_deinit(&ops);
    teardown(&at);
}

static void test_random_spans(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    tacho_clock_init(&at.dict.clocks[0], 1, 1);
    uint32_t tracks[2] = {add_track(&at, "s", TACHO_TRACK_COMPUTE),
                          add_track(&at, "t", TACHO_TRACK_COMPUTE)};
    uint32_t sites[RANDOM_NAMES];
    for (uint32_t i = 0; i < RANDOM_NAMES; i++) {
        char name[8];
        snprintf(name, sizeof(name), "%u", (unsigned)i);
        sites[i] = add_site(&at, name, i);
    }
    uint64_t counts[RANDOM_NAMES] = {0};
    int64_t totals[RANDOM_NAMES] = {0};
    uint64_t seed = 5;
    for (int i = 0; i < RANDOM_SPANS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t random = seed >> 33;
        size_t which = random % RANDOM_NAMES;
        int64_t length = (int64_t)(random / 16 % 1000);
        add_span(&at, (span_facts){.track = tracks[random / 8 % 2],
                                   .site = sites[which],
                                   .start = i,
                                   .end = i + length});
        counts[which]++;
        totals[which] += length;
    }
    tacho_ops ops;
    tacho_ops_options options = {.sort = TACHO_OPS_BY_NAME};
    assert_null(tacho_ops_init(&ops, &at.profile, &options));
    assert_int_equal(ops.row_count, RANDOM_NAMES);
    for (size_t i = 0; i < RANDOM_NAMES; i++) {
        assert_int_equal(ops.rows[i].count, counts[i]);
        assert_int_equal(ops.rows[i].total_ns, totals[i]);
    }
    tacho_ops_deinit(&ops);
    teardown(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_type),       cmocka_unit_test(test_by_instance),
        cmocka_unit_test(test_sort_and_top),  cmocka_unit_test(test_selection),
        cmocka_unit_test(test_apart),         cmocka_unit_test(test_nearest_rank),
        cmocka_unit_test(test_own_time),      cmocka_unit_test(test_operators),
        cmocka_unit_test(test_sums_saturate), cmocka_unit_test(test_random_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
