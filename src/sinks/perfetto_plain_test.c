/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain spans are written by separate code, which must write the same bytes as the general code:
 * the same rows go through both, the general one because spans are held for flows that never
 * follow.
 */
#include "sinks/perfetto_testing.h"

enum {
    SPAN_COUNT = 40000,
    TRACK_COUNT = 5,
    NAME_COUNT = 300, /* more than fit a number of one byte */
    ARG_COUNT = 10,   /* more than the fast path accepts */
    GROUP_ROWS = 64,
    WARM_BYTES = 64 << 10, /* by then each string is interned; until then they differ in place */
};

typedef struct rows_made {
    tacho_row rows[SPAN_COUNT];
    tacho_arg args[SPAN_COUNT][ARG_COUNT];
} rows_made;

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Numbers of every length and sign, texts short, long and invalid, some reals. */
static tacho_arg random_arg(trace *in, size_t place, uint64_t *seed)
{
    static const char *const texts[] = {
        "",         "a",         "abc",      "abcd", "DI1234",
        "12345678", "123456789", "\xc3\xa9", "\xff", "a much longer text than fits"};
    char key[16];
    snprintf(key, sizeof(key), "key %zu", place);
    uint64_t kind = next_random(seed) % 16;
    if (kind < 6) {
        return text_arg(in, key, tacho_str_from_cstring(texts[next_random(seed) % 10]));
    }
    tacho_arg arg = uint_arg(in, key, next_random(seed) << 32 >> next_random(seed) % 64);
    arg.type = kind < 8 ? TACHO_ARG_INT : TACHO_ARG_UINT;
    if (kind == 15) {
        arg.type = TACHO_ARG_REAL;
        arg.value.as_real = 0.5;
    }
    return arg;
}

static void make_rows(trace *in, const uint32_t *tracks, rows_made *made)
{
    uint64_t seed = 1;
    int64_t start = 0;
    for (size_t i = 0; i < SPAN_COUNT; i++) {
        char name[16];
        snprintf(name, sizeof(name), "name %zu", i % NAME_COUNT);
        start += 1 + (int64_t)(next_random(&seed) >>
                               (i % 1000 == 999 ? 0 : 12 + next_random(&seed) % 19));
        int64_t end = start + (int64_t)(next_random(&seed) >> (10 + next_random(&seed) % 21));
        made->rows[i] =
            make_span(in, tracks[i % TRACK_COUNT], tacho_str_from_cstring(name), start, end);
        size_t count = i < NAME_COUNT || i % 50 == 0 ? ARG_COUNT : next_random(&seed) % 4;
        for (size_t k = 0; k < count; k++) {
            made->args[i][k] = random_arg(in, k, &seed);
        }
        made->rows[i].args = made->args[i];
        made->rows[i].arg_count = count;
    }
}

static tacho_str write_rows(rows_made *made, bool holds_spans, bool omit_args)
{
    const tacho_trace_options options = {.omit_args = omit_args};
    tacho_clock clock;
    tacho_clock_init(&clock, 5, 4);
    clock.counts_cycles = true;
    trace to;
    open_with(&to, &options);
    uint32_t part = add_part_with(&to, TACHO_STR("a"), &clock);
    to.dict.parts[part].has_flows_around = holds_spans;
    uint32_t tracks[TRACK_COUNT];
    for (size_t i = 0; i < TRACK_COUNT; i++) {
        tracks[i] = add_track(&to, part, "track");
    }
    make_rows(&to, tracks, made);
    for (size_t i = 0; i < SPAN_COUNT; i += GROUP_ROWS) {
        assert_ok(tacho_events_rows(to.events, made->rows + i, GROUP_ROWS));
    }
    end_part(&to, part);
    tacho_str file;
    close_trace(&to, &file);
    return file;
}

static void test_both_ways(void **state)
{
    (void)state;
    rows_made *made = malloc(sizeof(*made));
    assert_non_null(made);
    for (int omit_args = 0; omit_args < 2; omit_args++) {
        tacho_str plain = write_rows(made, false, omit_args != 0);
        tacho_str held = write_rows(made, true, omit_args != 0);
        assert_true(plain.len > 16 * (size_t)WARM_BYTES);
        assert_int_equal(plain.len, held.len);
        assert_memory_equal(plain.data + WARM_BYTES, held.data + WARM_BYTES,
                            plain.len - WARM_BYTES);
        free_file(plain);
        free_file(held);
    }
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
