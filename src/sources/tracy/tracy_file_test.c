/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed .tracy files: every version and container, cut, damaged, and with false counts.
 */
#include "sources/tracy/tracy.h"

#include "sources/tracy/tracy_file_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { TEXT_ROOM = 1 << 14 };

static const uint32_t versions[] = {
    TRACY_VERSION(0, 9, 0),  TRACY_VERSION(0, 9, 2),  TRACY_VERSION(0, 10, 0),
    TRACY_VERSION(0, 11, 0), TRACY_VERSION(0, 11, 1), TRACY_VERSION(0, 11, 2),
    TRACY_VERSION(0, 12, 2), TRACY_VERSION(0, 12, 3), TRACY_VERSION(0, 12, 4),
    TRACY_VERSION(0, 13, 1), TRACY_VERSION(0, 13, 2), TRACY_VERSION(0, 13, 4),
    TRACY_VERSION(0, 13, 5), TRACY_VERSION(0, 14, 0), TRACY_VERSION(0, 14, 1),
};

/* Rows as text, one a line. */
typedef struct listener {
    tacho_events events;
    tacho_dict dict;
    char text[TEXT_ROOM];
    size_t len;
    size_t row_count;
} listener;

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    listener *self = (listener *)events;
    const tacho_dict *dict = events->dict;
    size_t room = TEXT_ROOM - self->len;
    int len = 0;
    self->row_count++;
    assert_true(row->start >= 0 && row->track < dict->track_count);
    if (row->kind == TACHO_ROW_SAMPLE) {
        len = snprintf(self->text + self->len, room, "%s: %lld %g\n",
                       tacho_dict_string(dict, dict->tracks[row->track].name).data,
                       (long long)row->start, row->of.sample.value);
    } else {
        bool has_text = row->arg_count > 0 && row->args[0].type == TACHO_ARG_TEXT;
        tacho_str text = has_text ? row->args[0].value.as_text : TACHO_STR("-");
        assert_true(row->of.span.end >= row->start);
        len = snprintf(self->text + self->len, room, "%s: %lld %lld %u %s %.*s\n",
                       tacho_dict_string(dict, dict->tracks[row->track].name).data,
                       (long long)row->start, (long long)row->of.span.end, row->of.span.flags,
                       tacho_dict_string(dict, dict->sites[row->of.span.site].name).data,
                       (int)text.len, text.data);
    }
    self->len += (size_t)len < room ? (size_t)len : 0;
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = take_row};

static tacho_status read_bytes(listener *self, const composed *file)
{
    tacho_input input;
    const tacho_source_options options = {.choice_count = 0};
    memset(self, 0, sizeof(*self));
    assert_null(tacho_dict_init(&self->dict));
    self->events = (tacho_events){.vtable = &vtable, .dict = &self->dict};
    assert_null(tacho_input_open_bytes(
        "composed", tacho_str_make((const char *)file->bytes, file->len), &input));
    const tacho_reading reading = {.input = &input,
                                   .path = TACHO_STR("composed"),
                                   .options = &options,
                                   .events = &self->events};
    tacho_status status = tacho_source_tracy.read(&reading);
    tacho_input_close(&input);
    return status;
}

static void forget(listener *self)
{
    tacho_dict_deinit(&self->dict);
}

static const char all_rows[] = "Frame: 200 300 0 frame -\n"
                               "frame 0x7000: 50 60 0 frame -\n"
                               "lock zone 7: 1005 1010 0 wait -\n"
                               "lock zone 7: 1010 1015 0 held -\n"
                               "Main thread 4321: 2100 2200 0 func said\n"
                               "Main thread 4321: 2000 2900 0 zone -\n"
                               "Main thread 4321: 3000 9000 8 zone -\n"
                               "Main thread 4321: 777 777 4 message hello\n"
                               "Vulkan: gpu 9: 4000 4050 0 zone -\n"
                               "plot: 5000 2.5\n"
                               "memory: 6000 64\n"
                               "memory: 6005 96\n"
                               "memory: 6010 32\n";

static void test_versions_and_containers(void **state)
{
    static const size_t blocks[] = {TACHO_TRACY_FILE_BLOCK, 100, 7};
    listener *self = malloc(sizeof(*self));
    composed body;
    composed file;
    (void)state;
    composed_init(&body);
    composed_init(&file);
    for (size_t v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
        body.len = 0;
        composed_body(&body, versions[v]);
        for (int kind = 0; kind < COMPOSED_CONTAINERS; kind++) {
            for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++) {
                composed_pack(&file, &body, (composed_container)kind, blocks[b]);
                assert_int_equal(
                    tacho_source_tracy.probe(tacho_str_make((const char *)file.bytes, file.len)),
                    TACHO_PROBE_SURE);
                assert_null(read_bytes(self, &file));
                assert_string_equal(self->text, all_rows);
                assert_int_equal(self->dict.loss_count, 0);
                assert_true(tacho_strings_find(&self->dict.strings, TACHO_STR("frames")) !=
                            TACHO_NONE);
                forget(self);
            }
        }
    }
    free(body.bytes);
    free(file.bytes);
    free(self);
}

/* A cut file gives the rows before the cut, and counts the cut as a loss. */
static void test_cut_anywhere(void **state)
{
    listener *self = malloc(sizeof(*self));
    composed body;
    composed file;
    size_t before = 0;
    (void)state;
    composed_init(&body);
    composed_init(&file);
    composed_body(&body, TRACY_VERSION(0, 12, 4));
    size_t whole = body.len;
    for (size_t len = 8; len < whole; len++) {
        body.len = len;
        composed_pack(&file, &body, COMPOSED_LZ4, 64);
        assert_null(read_bytes(self, &file));
        assert_true(self->row_count >= before);
        assert_int_equal(self->dict.loss_count, 1);
        assert_int_equal(self->dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
        before = self->row_count;
        forget(self);
    }
    body.len = whole;
    composed_pack(&file, &body, COMPOSED_CHUNKED_ZSTD, 64);
    whole = file.len;
    for (file.len = 0; file.len < whole; file.len++) {
        tacho_status status = read_bytes(self, &file);
        assert_true(status != TACHO_OK || self->dict.loss_count == 1);
        tacho_status_free(status);
        forget(self);
    }
    free(body.bytes);
    free(file.bytes);
    free(self);
}

/* False counts, and any other wrong byte, take neither memory nor time. */
static void test_flipped_bytes(void **state)
{
    listener *self = malloc(sizeof(*self));
    composed body;
    composed file;
    (void)state;
    composed_init(&body);
    composed_init(&file);
    composed_body(&body, TRACY_VERSION(0, 13, 5));
    for (size_t at = 0; at < body.len; at++) {
        static const unsigned char masks[] = {0xff, 0x01, 0x80};
        for (size_t m = 0; m < sizeof(masks); m++) {
            body.bytes[at] ^= masks[m];
            composed_pack(&file, &body, COMPOSED_LZ4, TACHO_TRACY_FILE_BLOCK);
            tacho_status_free(read_bytes(self, &file));
            forget(self);
            body.bytes[at] ^= masks[m];
        }
    }
    free(body.bytes);
    free(file.bytes);
    free(self);
}

static void test_refused_versions(void **state)
{
    static const uint32_t bad[] = {TRACY_VERSION(0, 8, 2), TRACY_VERSION(0, 15, 0),
                                   TRACY_VERSION(1, 0, 0)};
    listener *self = malloc(sizeof(*self));
    composed body;
    composed file;
    (void)state;
    composed_init(&body);
    composed_init(&file);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        body.len = 0;
        composed_body(&body, bad[i]);
        composed_pack(&file, &body, COMPOSED_LZ4, TACHO_TRACY_FILE_BLOCK);
        tacho_status status = read_bytes(self, &file);
        assert_non_null(status);
        assert_non_null(strstr(tacho_status_message(status), "versions 0.9 to 0.14 can be read"));
        tacho_status_free(status);
        forget(self);
    }
    free(body.bytes);
    free(file.bytes);
    free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions_and_containers),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_refused_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
