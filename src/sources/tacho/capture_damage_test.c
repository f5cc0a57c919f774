/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cut, damaged and hostile captures: losses are counted, and no input breaks the guarantees of the
 * model.
 */
#include "profile/capture_records.h"
#include "profile/capture_row.h"
#include "sinks/tacho.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/tacho/capture_testing.h"

enum { MANY_ROWS = 60000, LONG_TEXT = 20 << 20 };

/* ---- damage -------------------------------------------------------------------------------- */

static void check_damaged(tacho_str bytes, bool is_whole)
{
    for (int sorts = 0; sorts < 2; sorts++) {
        loaded made;
        char *copy = malloc(bytes.len + 1); /* lets a sanitizer detect an overrun */
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.len);
        tacho_status status = load_by(&made, tacho_str_make(copy, bytes.len), sorts != 0);
        if (status == TACHO_OK) {
            assert_true(row_count(&made) <= ALL_ROWS);
            /* Losses are counted; 12 were lost before, by the record at the end of the file. */
            assert_true(
                is_whole || lost_count(&made.dict) > 12 ||
                (made.dict.loss_count > 0 && made.dict.losses[0].reason != TACHO_LOSS_DROPPED));
            assert_true(row_count(&made) + lost_count(&made.dict) > 0);
            if (sorts) {
                assert_ok(tacho_profile_validate(&made.profile));
            }
        } else {
            assert_false(is_whole);
            assert_true(tacho_status_code(status) == TACHO_CODE_BAD_DATA ||
                        tacho_status_code(status) == TACHO_CODE_UNSUPPORTED);
            assert_non_null(strstr(tacho_status_message(status), "file.tacho"));
        }
        tacho_status_free(status);
        unload(&made);
        free(copy);
    }
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    tacho_str bytes = write_everything();
    for (size_t len = TACHO_CHUNK_FILE_BYTES; len <= bytes.len; len++) {
        check_damaged(tacho_str_make(bytes.data, len), len == bytes.len);
    }
    drop(bytes);
}

static void test_every_bit(void **state)
{
    (void)state;
    tacho_str bytes = write_everything();
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.len);
    for (size_t at = TACHO_CHUNK_FILE_BYTES; at < bytes.len; at++) {
        for (unsigned bit = 0; bit < 8; bit += 3) {
            copy[at] = (char)((unsigned char)copy[at] ^ 1u << bit);
            check_damaged(tacho_str_make(copy, bytes.len), false);
            copy[at] = bytes.data[at];
        }
    }
    free(copy);
    drop(bytes);
}

/* Many rows with many sites, so that there are several chunks of both. */
static tacho_str write_many(size_t count)
{
    const tacho_trace_options options = {.omit_args = false};
    capture made;
    begin(&made, &options);
    uint32_t part = add_part(&made.dict, "p", false);
    uint32_t tracks[2] = {add_track(&made.dict, part, "a", TACHO_TRACK_HOST),
                          add_track(&made.dict, part, "b", TACHO_TRACK_COMPUTE)};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "op %zu", i / 64);
        tacho_row row = span_row(tracks[i % 2], add_site(&made.dict, name), (int64_t)(i * 9),
                                 (int64_t)(i * 9 + 5));
        assert_ok(tacho_events_row(made.events, &row));
    }
    assert_ok(tacho_events_end_part(made.events, part));
    return end(&made, (size_t)8 << 20);
}

/* Finds the |number|-th chunk of |type|: its place and length. */
static size_t find_chunk(tacho_str bytes, uint32_t type, size_t number, size_t *out_len)
{
    tacho_chunk_reader reader;
    tacho_chunk chunk;
    assert_ok(tacho_chunk_open(&reader, bytes, TACHO_CAPTURE_KIND));
    for (;;) {
        size_t at = (size_t)reader.at;
        assert_true(tacho_chunk_next(&reader, &chunk));
        if (chunk.type == type && number-- == 0) {
            *out_len = (size_t)reader.at - at;
            return at;
        }
    }
}

/* Rows of a lost chunk are counted exactly, at any place, damaged or cut out. */
static void test_lost_chunk(void **state)
{
    (void)state;
    loaded whole;
    tacho_str bytes = write_many(MANY_ROWS);
    load(&whole, bytes);
    assert_int_equal(whole.profile.span_count, MANY_ROWS);
    assert_int_equal(whole.dict.loss_count, 0);
    unload(&whole);
    for (size_t number = 0; number < 2; number++) {
        size_t len = 0;
        size_t at = find_chunk(bytes, TACHO_CAPTURE_ROWS, number, &len);
        uint32_t rows = tacho_capture_get_u32(bytes.data + at + TACHO_CHUNK_HEADER_BYTES + 4);
        assert_in_range(rows, 1000, MANY_ROWS - 1);
        char *copy = malloc(bytes.len);
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.len);
        copy[at + 100] = (char)~copy[at + 100];
        loaded made;
        load(&made, tacho_str_make(copy, bytes.len));
        assert_int_equal(made.profile.span_count, MANY_ROWS - rows);
        assert_int_equal(lost_count(&made.dict), rows);
        assert_int_equal(made.dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
        unload(&made);
        memmove(copy + at, bytes.data + at + len, bytes.len - at - len);
        load(&made, tacho_str_make(copy, bytes.len - len));
        assert_int_equal(made.profile.span_count, MANY_ROWS - rows);
        assert_int_equal(lost_count(&made.dict), rows);
        unload(&made);
        free(copy);
    }
    drop(bytes);
}

/* A lost chunk of names costs the names, not the rows. */
static void test_lost_names(void **state)
{
    (void)state;
    static const uint32_t types[] = {TACHO_CAPTURE_STRINGS, TACHO_CAPTURE_SITES};
    tacho_str bytes = write_many(MANY_ROWS);
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    for (size_t i = 0; i < 2; i++) {
        size_t len = 0;
        size_t at = find_chunk(bytes, types[i], 1, &len);
        loaded made;
        size_t lost = 0;
        memcpy(copy, bytes.data, at);
        memcpy(copy + at, bytes.data + at + len, bytes.len - at - len);
        load(&made, tacho_str_make(copy, bytes.len - len));
        assert_int_equal(made.profile.span_count, MANY_ROWS);
        for (size_t k = 0; k < MANY_ROWS; k++) {
            uint32_t site = tacho_profile_span(&made.profile, k).site;
            tacho_str name = tacho_dict_string(&made.dict, made.dict.sites[site].name);
            char expected[32];
            snprintf(expected, sizeof(expected), "op %zu", k / 64);
            bool is_lost = tacho_str_equal(name, TACHO_STR("(lost)"));
            assert_true(is_lost || strcmp(name.data, expected) == 0);
            lost += is_lost ? 1 : 0;
        }
        assert_in_range(lost, 64, MANY_ROWS - 64);
        assert_int_equal(lost_count(&made.dict), 1);
        unload(&made);
    }
    free(copy);
    drop(bytes);
}

/* A text longer than a chunk is split into pieces; with one missing the row is lost. */
static void test_long_text(void **state)
{
    (void)state;
    const tacho_trace_options options = {.omit_args = false};
    char *text = malloc(LONG_TEXT);
    capture writing;
    assert_non_null(text);
    for (size_t i = 0; i < LONG_TEXT; i++) {
        text[i] = (char)(i * 7 + i / 1000);
    }
    begin(&writing, &options);
    uint32_t part = add_part(&writing.dict, "p", false);
    uint32_t track = add_track(&writing.dict, part, "t", TACHO_TRACK_HOST);
    tacho_arg arg = {.key = 0, .type = TACHO_ARG_TEXT};
    arg.value.as_text = tacho_str_make(text, LONG_TEXT);
    tacho_row row = span_row(track, add_site(&writing.dict, "s"), 1, 2);
    row.args = &arg;
    row.arg_count = 1;
    assert_ok(tacho_events_row(writing.events, &row));
    row.arg_count = 0;
    assert_ok(tacho_events_row(writing.events, &row));
    assert_ok(tacho_events_end_part(writing.events, part));
    tacho_str bytes = end(&writing, (size_t)LONG_TEXT + (1 << 16));
    loaded made;
    load(&made, bytes);
    assert_int_equal(made.profile.span_count, 2);
    assert_int_equal(made.profile.args[0].arg.value.as_text.len, LONG_TEXT);
    assert_memory_equal(made.profile.args[0].arg.value.as_text.data, text, LONG_TEXT);
    unload(&made);
    size_t len = 0;
    size_t at = find_chunk(bytes, TACHO_CAPTURE_ROWS, 1, &len);
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.data, at);
    memcpy(copy + at, bytes.data + at + len, bytes.len - at - len);
    load(&made, tacho_str_make(copy, bytes.len - len));
    assert_int_equal(made.profile.span_count, 1);
    assert_int_equal(lost_count(&made.dict), 1);
    unload(&made);
    free(copy);
    free(text);
    drop(bytes);
}

/* ---- hostile bytes ------------------------------------------------------------------------- */

/* A capture of one part and one track, then |payload| as rows. */
static tacho_str compose(tacho_str payload, uint32_t row_count_said)
{
    char *bytes = malloc(FILE_BYTES);
    tacho_output output;
    tacho_chunk_writer writer;
    unsigned char at[256];
    assert_non_null(bytes);
    open_test_output(&output);
    tacho_chunk_begin(&writer, &output, TACHO_CAPTURE_KIND);
    tacho_capture_clock clock = {.ns_numerator = 1, .ns_denominator = 1};
    tacho_capture_clock_put(&clock, at);
    tacho_chunk chunk = {.version = TACHO_CAPTURE_VERSION, .record_count = 1};
    chunk.type = TACHO_CAPTURE_CLOCKS;
    chunk.record_size = tacho_capture_clock_bytes;
    chunk.payload = tacho_str_make((const char *)at, tacho_capture_clock_bytes);
    tacho_chunk_write(&writer, &chunk);
    tacho_capture_part part = {.first_start = UINT64_MAX};
    tacho_capture_part_put(&part, at);
    chunk.type = TACHO_CAPTURE_PARTS;
    chunk.record_size = tacho_capture_part_bytes;
    chunk.payload = tacho_str_make((const char *)at, tacho_capture_part_bytes);
    tacho_chunk_write(&writer, &chunk);
    tacho_capture_track tracks[] = {
        {.id = 0, .parent = TACHO_NONE, .lane_of = TACHO_NONE},
        {.id = 1, .parent = 0, .lane_of = TACHO_NONE, .track_class = TACHO_TRACK_HOST}};
    tacho_capture_track_put(&tracks[0], at);
    tacho_capture_track_put(&tracks[1], at + tacho_capture_track_bytes);
    chunk.type = TACHO_CAPTURE_TRACKS;
    chunk.record_size = tacho_capture_track_bytes;
    chunk.record_count = 2;
    chunk.payload = tacho_str_make((const char *)at, 2 * (size_t)tacho_capture_track_bytes);
    tacho_chunk_write(&writer, &chunk);
    tacho_capture_put_u32(at, 0);
    tacho_capture_put_u32(at + 4, row_count_said);
    tacho_capture_put_u64(at + 8, 0);
    memcpy(at + TACHO_CAPTURE_ROWS_HEAD, payload.data, payload.len);
    chunk.type = TACHO_CAPTURE_ROWS;
    chunk.record_size = 1;
    chunk.record_count = (uint32_t)(TACHO_CAPTURE_ROWS_HEAD + payload.len);
    chunk.payload = tacho_str_make((const char *)at, TACHO_CAPTURE_ROWS_HEAD + payload.len);
    tacho_chunk_write(&writer, &chunk);
    size_t len = read_test_output(&output, bytes, FILE_BYTES);
    return tacho_str_make(bytes, len);
}

static void test_bad_rows(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        uint32_t said;
        size_t rows, lost; /* one of the lost is the end of the file */
    } cases[] = {
        {"\x05\x01\x02\x03\x00", 5, 1, 1, 1}, /* a span of a lost site */
        {"\x05\x01\x02\x03\x00", 5, 2, 1, 2}, /* fewer rows than declared */
        {"\x05\x01\x02\x03\x00", 5, 0, 0, 2}, /* more rows than declared */
        {"\x05\x07\x02\x03\x00", 5, 1, 0, 2}, /* no such track */
        {"\x05\x01\x01\x03\x00", 5, 1, 0, 2}, /* starts below 0 */
        {"\x05\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 14, 1, 0, 2}, /* ends before */
        {"\x05\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00", 14, 1, 0, 2}, /* 65 bits */
        {"\x06\x01\x02\x00\x00\x00\x00\x00\x00\x00\x00", 11, 1, 0, 2}, /* a sample of no counter */
        {"\x25\x01\x02\x03\x00\x10", 6, 1, 0, 2},                      /* an unknown flag */
        {"\x25\x01\x02\x03\x00\x04", 6, 1, 0, 2},                      /* an instant that lasts */
        {"\x85\x01\x02\x03\x00", 5, 1, 0, 2},                          /* an unknown bit  */
        {"\x45\x01\x02\x03\x00\xff\xff\xff\xff\x0f", 10, 1, 0, 2}, /* arguments beyond the end */
        {"\x45\x01\x02\x03\x00\x01\x0f\x00\x00", 9, 1, 0, 2},      /* an unknown type  */
        {"\x45\x01\x02\x03\x00\x01\xf0\x00\x00", 9, 1, 0, 2},      /* an unknown unit */
        {"\x45\x01\x02\x03\x00\x01\x06\x00\x01", 9, 1, 0, 2},      /* longer than the rest */
        {"\x45\x01\x02\x03\x00\x01\x06\x00\x00", 9, 1, 0, 2},      /* holds nothing */
        {"\x45\x01\x02\x03\x00\x01\x05\x00\x09", 9, 1, 0, 2},      /* a text beyond the end */
        {"\x45\x01\x02\x03\x00\x01\x03\x00\x02", 9, 1, 0, 2},      /* neither true nor false */
        {"\x45\x01\x02\x03\x00\x01\x08\x00\x01x", 10, 1, 1, 1},    /* not JSON: a text */
        {"\x04\x01\x02\x03\x01\x00\x00", 7, 1, 0, 2},              /* an unknown role  */
        {"\x04\x01\x02\x0c\x01\x00\x00", 7, 1, 0, 2},              /* an unknown phase */
        {"\x04\x01\x02\x30\x01\x00\x00", 7, 1, 0, 2},              /* an unknown bond */
        {"\x04\x01\x02\x00\x80\x80\x80\x80\x80\x20\x00\x00", 12, 1, 0, 2}, /* the id 2^40 */
        {"\x04\x01\x02\x00\x01\x00\x01", 7, 1, 0, 2}, /* of a span that ends before */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        loaded made;
        tacho_str bytes = compose(tacho_str_make(cases[i].bytes, cases[i].len), cases[i].said);
        load(&made, bytes);
        if (row_count(&made) != cases[i].rows || lost_count(&made.dict) != cases[i].lost) {
            fail_msg("case %zu: %zu rows, %zu lost", i, row_count(&made),
                     (size_t)lost_count(&made.dict));
        }
        if (made.profile.arg_count > 0) {
            assert_int_equal(made.profile.args[0].arg.type, TACHO_ARG_TEXT);
        }
        unload(&made);
        drop(bytes);
    }
}

/* A file with a single record, which must be refused. */
static void check_record(uint32_t type, const unsigned char *record, size_t len)
{
    char bytes[1024];
    tacho_output output;
    tacho_chunk_writer writer;
    loaded made;
    open_test_output(&output);
    tacho_chunk_begin(&writer, &output, TACHO_CAPTURE_KIND);
    const tacho_chunk chunk = {.type = type,
                               .version = TACHO_CAPTURE_VERSION,
                               .record_size = (uint32_t)len,
                               .record_count = 1,
                               .payload = tacho_str_make((const char *)record, len)};
    tacho_chunk_write(&writer, &chunk);
    size_t file_len = read_test_output(&output, bytes, sizeof(bytes));
    tacho_status status = load_by(&made, tacho_str_make(bytes, file_len), false);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    assert_int_equal(made.dict.part_count + made.dict.track_count + made.dict.run_count, 0);
    unload(&made);
}

static void test_bad_records(void **state)
{
    (void)state;
    static const uint32_t types[] = {TACHO_CAPTURE_STRINGS,
                                     TACHO_CAPTURE_CLOCKS,
                                     TACHO_CAPTURE_PARTS,
                                     TACHO_CAPTURE_TRACKS,
                                     TACHO_CAPTURE_LOCATIONS,
                                     TACHO_CAPTURE_SITES,
                                     TACHO_CAPTURE_RUNS,
                                     TACHO_CAPTURE_ROWS,
                                     TACHO_CAPTURE_PART_ENDS,
                                     TACHO_CAPTURE_METADATA,
                                     TACHO_CAPTURE_LOSSES,
                                     TACHO_CAPTURE_END,
                                     TACHO_FOURCC('N', 'E', 'W', 'S')};
    static const unsigned char fillings[] = {0x00, 0x7f, 0xff};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        for (size_t k = 0; k < sizeof(fillings); k++) {
            unsigned char record[128];
            memset(record, fillings[k], sizeof(record));
            check_record(types[i], record, sizeof(record));
            check_record(types[i], record, 3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_lost_chunk),   cmocka_unit_test(test_lost_names),
        cmocka_unit_test(test_long_text),    cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_bad_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
