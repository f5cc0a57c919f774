/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of raw stats: reads the whole file, and the program that it belongs to.
 */
#include "sources/stats/stats.h"

#include "base/grow.h"
#include "program/container.h"

#include <stdlib.h>

/* Files are held in memory; longer ones are refused first. */
static const uint64_t file_bytes_max = (uint64_t)8 << 30;

typedef struct stats_reading {
    char *bytes;
    size_t byte_count, byte_capacity;
    tacho_program program;
    tacho_stats_layout layout;
    tacho_stats_words words;
    tacho_stats_file file;
} stats_reading;

static tacho_probe_verdict stats_probe(tacho_str head)
{
    return tacho_stats_is_file(head) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

enum { PIECE_BYTES = 1 << 20 };

/*
 * Reads the file. One that does not begin like raw stats is not read further: its beginning is
 * enough to report the error.
 */
static tacho_status read_bytes(stats_reading *self, tacho_input *input)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(input, TACHO_CHUNK_FILE_BYTES, &head));
    bool is_stats = tacho_stats_is_file(head);
    input->use = (tacho_input_use){0}; /* names are available once all of it is read */
    for (size_t len = 1; len > 0 && (is_stats || self->byte_count == 0);) {
        if (self->byte_count > file_bytes_max) {
            return tacho_fail(TACHO_CODE_LIMIT, "%s: raw stats of more than %llu bytes",
                              input->name, (unsigned long long)file_bytes_max);
        }
        TACHO_TRY(tacho_grow(&self->bytes, &self->byte_capacity, self->byte_count + PIECE_BYTES));
        TACHO_TRY(tacho_input_take(input, self->bytes + self->byte_count, PIECE_BYTES, &len));
        self->byte_count += len;
    }
    return TACHO_OK;
}

/* The program that recorded the stats. */
static const tacho_source_option program_option = {"program", TACHO_SOURCE_OPTION_FILE};

static const tacho_source_option *const stats_options[] = {&program_option, NULL};

static tacho_status read_program(stats_reading *self, const tacho_reading *reading)
{
    tacho_str path = tacho_source_options_path(reading->options, &program_option);
    if (path.len == 0) {
        return tacho_fail_hint(
            TACHO_CODE_USAGE, TACHO_HINT_NAME_PROGRAM,
            "%s: raw stats identify operators by number only; name the program that "
            "recorded them (the programqpc.bin that was run)",
            reading->input->name);
    }
    TACHO_TRY_NOTE(tacho_program_read(path.data, &self->program), "reading the program %s",
                   path.data);
    TACHO_TRY(tacho_stats_layout_init(&self->layout, &self->program));
    return tacho_stats_words_init(&self->words, &self->layout);
}

static tacho_status read_all(stats_reading *self, const tacho_reading *reading)
{
    const char *name = reading->input->name;
    TACHO_TRY(read_bytes(self, reading->input));
    TACHO_TRY_NOTE(tacho_stats_read(&self->file, tacho_str_make(self->bytes, self->byte_count)),
                   "reading %s", name);
    TACHO_TRY(read_program(self, reading));
    TACHO_TRY_NOTE(tacho_stats_bind(&self->file, &self->layout), "reading %s", name);
    tacho_stats_set set = {
        .files = &self->file, .file_count = 1, .words = &self->words, .path = reading->path};
    return tacho_stats_emit(&set, reading->events);
}

static tacho_status stats_read(const tacho_reading *reading)
{
    stats_reading self = {0};
    tacho_status status = read_all(&self, reading);
    tacho_stats_file_deinit(&self.file);
    tacho_stats_words_deinit(&self.words);
    tacho_stats_layout_deinit(&self.layout);
    tacho_program_deinit(&self.program);
    free(self.bytes);
    return status;
}

const tacho_source tacho_source_stats = {
    .name = "stats",
    .title = "raw stats of a device (-aiccyclecounts.bin); needs its program",
    .probe = stats_probe,
    .read = stats_read,
    .options = stats_options,
};
