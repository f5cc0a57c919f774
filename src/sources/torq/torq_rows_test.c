/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any lines give the same rows, in the same order, with threads (a large file, where there are two
 * processors) and without (bytes in memory); and taking can stop anywhere.
 */
#include "sources/torq/torq_turns.h"

#include "sources/torq/torq_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT_BYTES = 6 << 20, LONG_LINE = 100000, STOP = 5000 };

/* A checksum of the rows taken, and the number of tails known from before. */
typedef struct taken {
    uint64_t row_count, bad_count, known_count;
    uint64_t hash;
    uint64_t ended_count; /* rows before the last end of a batch */
    uint64_t stop;        /* fails at this row; 0: never */
    uint64_t turn_count;
    bool is_in_turn;
    bool is_due[TACHO_TURN_THREADS];
} taken;

static void parse(const void *self, torq_record *records, size_t count, const char *limit,
                  tacho_str *out_tails)
{
    (void)self;
    (void)limit;
    for (size_t i = 0; i < count; i++) {
        out_tails[i] = torq_record_line(&records[i]);
        records[i].is_good = torq_take_number(&out_tails[i], ',', &records[i].start);
    }
}

static void mix(taken *sums, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++) {
        sums->hash = (sums->hash ^ at[i]) * 0x100000001b3;
    }
}

static tacho_status keep_record(taken *sums, const torq_record *record, tacho_str tail)
{
    sums->row_count++;
    mix(sums, record->line, record->line_len);
    mix(sums, &record->line_number, sizeof(record->line_number));
    if (!record->is_good) {
        sums->bad_count++;
        return TACHO_OK;
    }
    mix(sums, tail.data, tail.len);
    mix(sums, &record->start, sizeof(record->start));
    const torq_entry *entry = torq_record_entry(record);
    torq_entry added = {.site = (uint32_t)tail.len};
    added.engine = (tacho_torq_engine)tail.data[tail.len / 2];
    sums->known_count += entry != NULL ? 1 : 0;
    if (entry != NULL) { /* stored by an earlier row of that tail */
        assert_int_equal(entry->site, added.site);
        assert_int_equal(entry->engine, added.engine);
    }
    torq_record_know(record, &added);
    return sums->row_count == sums->stop ? tacho_fail(TACHO_CODE_BAD_DATA, "enough") : TACHO_OK;
}

static tacho_status keep_records(void *self, const torq_record *records, const tacho_str *tails,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(keep_record(self, &records[i], tails[i]));
    }
    return TACHO_OK;
}

/* A torq_rows_format.end_batch. */
static tacho_status end_batch(void *of)
{
    taken *sums = of;
    sums->ended_count = sums->row_count;
    return TACHO_OK;
}

/* Turns do not overlap, and each thread finishes the work after a turn before its next one. */
static void begin_turn(void *self, unsigned thread)
{
    taken *sums = self;
    assert_true(thread < TACHO_TURN_THREADS && !sums->is_in_turn && !sums->is_due[thread]);
    sums->is_in_turn = true;
    sums->is_due[thread] = true;
}

static void end_turn(void *self, unsigned thread)
{
    taken *sums = self;
    assert_true(sums->is_in_turn && sums->is_due[thread]);
    sums->is_in_turn = false;
    sums->turn_count++;
}

static void after_turn(void *self, unsigned thread)
{
    taken *sums = self;
    sums->is_due[thread] = false;
}

/* Rows with few tails and many, bad ones, empty ones, long ones and a mark in front. */
static size_t compose(char *text, size_t room)
{
    size_t len = (size_t)snprintf(text, room, "\xef\xbb\xbfhead,er\n");
    for (unsigned i = 0; len < TEXT_BYTES; i++) {
        if (i % 97 == 0) {
            len += (size_t)snprintf(text + len, room - len, "bad %u\r\n\n", i);
        } else if (i % 10007 == 0) {
            memset(text + len, 'x', LONG_LINE);
            memcpy(text + len, "7,", 2);
            text[len + LONG_LINE] = '\n';
            len += LONG_LINE + 1;
        } else {
            len += (size_t)snprintf(text + len, room - len, "%u,tail %u of some\n", i,
                                    i % 3 == 0 ? i : i % 1000);
        }
    }
    return len + (size_t)snprintf(text + len, room - len, "9,last");
}

static taken read_input(tacho_input *input, uint64_t stop)
{
    taken sums = {.stop = stop};
    const tacho_shared taker = {begin_turn, end_turn, after_turn, &sums};
    torq_rows_format format = {.parse = parse,
                               .take = keep_records,
                               .end_batch = end_batch,
                               .taker = &taker,
                               .self = &sums};
    tacho_status status = torq_rows_read(input, &format);
    assert_int_equal(tacho_status_code(status), stop > 0 ? TACHO_CODE_BAD_DATA : 0);
    assert_true(stop > 0 || sums.ended_count == sums.row_count);
    assert_false(sums.is_in_turn);
    bool took_turns = torq_turns_are_worth(input, &format);
    assert_true(took_turns ? sums.turn_count > 1 || stop > 0 : sums.turn_count == 0);
    sums.turn_count = 0;
    sums.ended_count = 0; /* with threads more rows end together */
    tacho_status_free(status);
    tacho_input_close(input);
    return sums;
}

static void check_both(const char *text, size_t len, uint64_t stop)
{
    char path[] = "/tmp/tacho-rows-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, len), len);
    close(file);
    tacho_input input;
    assert_true(tacho_input_open(path, &input) == TACHO_OK);
    taken from_file = read_input(&input, stop);
    unlink(path);
    assert_true(tacho_input_open_bytes("bytes", tacho_str_make(text, len), &input) == TACHO_OK);
    taken from_bytes = read_input(&input, stop);
    assert_true(stop > 0 ? from_file.row_count == stop : from_file.row_count > 100000);
    assert_true(from_file.bad_count > 0 && from_file.known_count > 0);
    /* Each thread learns tails by itself. */
    assert_true(from_file.known_count <= from_bytes.known_count);
    assert_true(stop > 0 || 2 * from_file.known_count > from_bytes.known_count);
    from_file.known_count = from_bytes.known_count;
    assert_memory_equal(&from_file, &from_bytes, sizeof(from_file));
}

static void test_same_rows(void **state)
{
    (void)state;
    size_t room = TEXT_BYTES + 2 * LONG_LINE;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = compose(text, room);
    check_both(text, len, 0);
    check_both(text, len, STOP);
    free(text);
}

/* A last line without a line end, and an empty input. */
static void test_small(void **state)
{
    (void)state;
    tacho_input input;
    assert_true(tacho_input_open_bytes("bytes", TACHO_STR("\n\n1,a\n2,a"), &input) == TACHO_OK);
    taken sums = read_input(&input, 0);
    assert_int_equal(sums.row_count, 2);
    assert_int_equal(sums.known_count, 1);
    assert_true(tacho_input_open_bytes("bytes", TACHO_STR(""), &input) == TACHO_OK);
    sums = read_input(&input, 0);
    assert_int_equal(sums.row_count, 0);
}

/* Numbers of every length, near the end of the line and far from it, as strtoull reads them. */
static void test_numbers(void **state)
{
    (void)state;
    static const char digits[] = "90817263544536271809";
    static const char *const rests[] = {",", ",x", ",loc(\"a long way to the end\")", ";1,2", ""};
    for (size_t count = 0; count < sizeof(digits); count++) {
        for (size_t i = 0; i < 2 * sizeof(rests) / sizeof(rests[0]); i++) {
            const char *rest = rests[i / 2];
            char line[80];
            snprintf(line, sizeof(line), "%s%.*s%s", i % 2 != 0 ? " " : "", (int)count, digits,
                     rest);
            tacho_str text = tacho_str_from_cstring(line);
            uint64_t value = 0;
            bool is_good = count > 0 && count <= TORQ_DIGITS_MAX && rest[0] == ',';
            assert_int_equal(torq_take_number(&text, ',', &value), is_good);
            if (is_good) {
                assert_true(value == strtoull(line, NULL, 10));
                assert_string_equal(text.data, rest + 1);
            }
        }
    }
}

/* Compares find_numbers and join on |line| with torq_take_number. */
static void check_numbers(const char *line, const char *limit, size_t skip)
{
    torq_numbers found = torq_find_numbers(line, skip, limit, ',');
    tacho_str text = tacho_str_make(line + skip, (size_t)(limit - line) - skip);
    uint64_t values[3];
    bool is_good = true;
    for (size_t i = 0; i < 3 && is_good; i++) {
        is_good = text.len > 0 && text.data[0] != ' ' && torq_take_number(&text, ',', &values[i]);
    }
    if (found.rest == NULL) {
        return; /* the general case may accept more */
    }
    assert_true(is_good);
    assert_ptr_equal(found.rest, text.data);
    assert_true(torq_join(found.first) == values[0]);
    assert_true(torq_join(found.second) == values[1]);
    assert_true(torq_join(found.third) == values[2]);
}

/* Three numbers of every length at once, with any text ahead of them and between. */
static void test_three_numbers(void **state)
{
    (void)state;
    static const char digits[] = "90817263544536271809";
    static const char *const leads[] = {"0000000000000000", "9999999999999999",
                                        "a,/:\xff\n;S7,DI8,DO"};
    static const char *const delimiters[] = {",", ";", ",,", " ,", "\n", ""};
    size_t found_count = 0;
    for (unsigned i = 0; i < 20 * 20 * 20 * 6; i++) {
        char memory[160];
        size_t counts[3] = {i % 20, i / 20 % 20, i / 400 % 20};
        const char *delimiter = delimiters[i / 8000];
        const char *between = i % 7 == 0 ? delimiter : ",";
        int len = snprintf(memory, sizeof(memory), "%sS%.*s%s%.*s%s%.*s%sloc(\"a long way\"),%49s",
                           leads[i % 3], (int)counts[0], digits, between, (int)counts[1],
                           digits + 1, delimiter, (int)counts[2], digits, delimiter, "x");
        const char *line = memory + strlen(leads[i % 3]);
        check_numbers(line, memory + len, 1);
        torq_numbers found = torq_find_numbers(line, 1, memory + len, ',');
        size_t all = counts[0] + counts[1] + counts[2] + 4;
        bool are_plain = delimiter[0] == ',' && delimiter[1] == '\0';
        for (size_t k = 0; k < 3; k++) {
            are_plain = are_plain && counts[k] > 0 && counts[k] <= 16;
        }
        assert_int_equal(found.rest != NULL, are_plain && all <= TORQ_NUMBERS_BYTES);
        found_count += found.rest != NULL ? 1 : 0;
        assert_null(torq_find_numbers(line, 1, line + TORQ_NUMBERS_BYTES - 1, ',').rest);
    }
    assert_true(found_count > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
