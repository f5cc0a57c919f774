/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the CSV readers and writers. The first byte of the input picks the delimiter and how
 * many fields are split off at each end; the rest is a line.
 *
 * Laws: fields joined give the line back; a written field reads back as its text; a record that
 * reads, written again, reads the same; and a guarded field never starts like a formula,
 * but for a lone dash.
 */
#include "codec/csv.h"
#include "mutate/mutate.h"

#include <stdlib.h>

const fuzz_layout fuzz_input_layout = {.prefix_bytes = 1};

enum { FIELD_MAX = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* An output that holds |room| bytes without ever going to a file. */
static void open_memory(tacho_output *output, size_t room)
{
    unsigned char *buffer = malloc(room + 1);
    require(buffer != NULL);
    *output = (tacho_output){.buffer = buffer, .cursor = buffer, .limit = buffer + room + 1};
    output->fd = -1;
    output->folder_fd = -1;
}

static tacho_str written(const tacho_output *output)
{
    return tacho_str_make((const char *)output->buffer, (size_t)(output->cursor - output->buffer));
}

/* The fields are neighbours in the line, one delimiter apart, and cover all of it. */
static void check_cover(tacho_str line, char delimiter, const tacho_str *fields, size_t count)
{
    const char *at = line.data;
    for (size_t i = 0; i < count; i++) {
        require(fields[i].data == at);
        at += fields[i].len;
        require(i + 1 == count ? at == line.data + line.len : *at++ == delimiter);
    }
}

static void check_split(tacho_str line, char delimiter, size_t left_count, size_t right_count)
{
    size_t delimiter_count = 0;
    for (size_t i = 0; i < line.len; i++) {
        delimiter_count += line.data[i] == delimiter;
    }
    tacho_str fields[FIELD_MAX];
    size_t field_count = tacho_csv_split(line, delimiter, fields, FIELD_MAX);
    require(field_count == delimiter_count + 1);
    if (field_count <= FIELD_MAX) {
        check_cover(line, delimiter, fields, field_count);
    }
    bool split = tacho_csv_split_ends(line, delimiter, left_count, right_count, fields);
    require(split == (delimiter_count >= left_count + right_count));
    if (split) {
        check_cover(line, delimiter, fields, left_count + 1 + right_count);
        for (size_t i = 0; i <= left_count + right_count; i++) {
            require(i == left_count || tacho_str_find_byte(fields[i], delimiter) == fields[i].len);
        }
    }
}

/* |text| twice in a line, by either writer. */
static void check_write(tacho_str text, char delimiter, tacho_arena *arena)
{
    tacho_output output;
    open_memory(&output, 4 * text.len + 16);
    tacho_csv_write_field(&output, text, delimiter);
    tacho_output_write(&output, &delimiter, 1);
    tacho_csv_write_guarded(&output, text, delimiter);
    require(!tacho_output_failed(&output));
    tacho_csv_record record;
    require(tacho_csv_read_quoted(written(&output), delimiter, arena, &record) == TACHO_OK);
    require(record.field_count == 2 && tacho_str_equal(record.fields[0], text));
    tacho_str guarded = record.fields[1];
    require(tacho_str_ends_with(guarded, text) && guarded.len <= text.len + 1);
    require(guarded.len == text.len || guarded.data[0] == '\'');
    bool is_dash = tacho_str_equal(guarded, TACHO_STR("-"));
    if (!is_dash && guarded.len > 0 && memchr("=+-@\t\r", guarded.data[0], 6) != NULL) {
        tacho_str copy;
        require(tacho_arena_copy(arena, guarded, &copy) == TACHO_OK);
        char *end = NULL;
        (void)strtod(copy.data, &end);
        require(end == copy.data + copy.len);
    }
    tacho_output_close(&output);
}

static void check_record(tacho_str line, char delimiter, tacho_arena *arena)
{
    tacho_csv_record record;
    tacho_status status = tacho_csv_read_quoted(line, delimiter, arena, &record);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return;
    }
    tacho_output output;
    open_memory(&output, 3 * line.len + 16);
    for (size_t i = 0; i < record.field_count; i++) {
        tacho_output_write(&output, &delimiter, i > 0);
        tacho_csv_write_field(&output, record.fields[i], delimiter);
    }
    require(!tacho_output_failed(&output));
    tacho_csv_record again;
    require(tacho_csv_read_quoted(written(&output), delimiter, arena, &again) == TACHO_OK);
    require(again.field_count == record.field_count);
    for (size_t i = 0; i < record.field_count; i++) {
        require(tacho_str_equal(again.fields[i], record.fields[i]));
    }
    tacho_output_close(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char delimiter = ",;\t|"[data[0] & 3];
    tacho_str line = tacho_str_make((const char *)data + 1, size - 1);
    check_split(line, delimiter, data[0] >> 2 & 7, data[0] >> 5);
    tacho_arena arena;
    tacho_arena_init(&arena);
    check_write(line, delimiter, &arena);
    check_record(line, delimiter, &arena);
    tacho_arena_deinit(&arena);
    return 0;
}
