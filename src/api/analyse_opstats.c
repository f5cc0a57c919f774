/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of summaries of raw stats: files one after the other, or for a roll-up all at
 * once, read against the program that recorded them.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "api/tables.h"
#include "questions/opstats/opstats_rollup.h"
#include "base/grow.h"
#include "vendors/qaic/opstats_decoder.h"

#include <tacho/analyse.h>

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct summing {
    tacho_opstats_decoder decoder;
    tacho_tables *tables;
} summing;

static tacho_status prepare(summing *self, const char *program)
{
    TACHO_TRY(tacho_opstats_decoder_init(&self->decoder, program));
    if (!tacho_opstats_decoder_can(&self->decoder)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s records no stats: it was compiled with stats level %u, at least %d "
                          "is needed",
                          program, (unsigned)self->decoder.program.facts.stats.level,
                          (int)TACHO_STATS_LEVEL_INFERENCE);
    }
    return TACHO_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static tacho_status open_stats(const summing *self, const char *path, tacho_opstats_file *opened)
{
    TACHO_TRY_NOTE(tacho_opstats_file_open(&self->decoder, path, opened), "while reading %s", path);
    return TACHO_OK;
}

static tacho_status make_damage(const tacho_stats_damage *damage, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(DAMAGED_BYTES, "damaged bytes", INT),
        TACHO_COLUMN(MISSING_CHUNKS, "missing chunks", INT),
        TACHO_COLUMN(BAD_RECORDS, "records not understood", INT),
        TACHO_COLUMN(IS_TRUNCATED, "truncated", FLAG),
    };
    tacho_table_init(out_table, "damage", "Not read", columns, COUNT_OF(columns));
    if (!tacho_stats_is_damaged(damage)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)damage->damaged_bytes));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)damage->missing_chunks));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)damage->bad_records));
    return tacho_table_add_flag(out_table, damage->is_cut);
}

static tacho_status add_damage(const summing *self, const tacho_opstats_file *opened,
                               const char *path)
{
    tacho_table table = {0};
    tacho_status status = make_damage(&opened->file.damage, &table);
    return tacho_tables_add(self->tables, status, &table, path);
}

/* ---- summaries ------------------------------------------------------------------------------- */

static tacho_status add_summary(summing *self, const tacho_opstats_file *opened, const char *path)
{
    tacho_tables_target target = {.tables = self->tables, .input = path};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    TACHO_TRY(tacho_opstats_read(&self->decoder.stats, &opened->file));
    TACHO_TRY(tacho_analysis_opstats.make(&self->decoder.stats, NULL, &taker));
    return add_damage(self, opened, path);
}

static tacho_status sum_each(summing *self, const char *const *paths, size_t path_count)
{
    for (size_t i = 0; i < path_count; i++) {
        tacho_opstats_file opened = {0};
        tacho_status status = open_stats(self, paths[i], &opened);
        if (status == TACHO_OK) {
            status = add_summary(self, &opened, paths[i]);
        }
        tacho_opstats_file_close(&opened);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

/* ---- roll-ups -------------------------------------------------------------------------------- */

/* Files of a roll-up are of one inference, at most one of each device. */
static tacho_status check_siblings(const tacho_opstats_file *opened, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const tacho_stats_head *head = &opened[i].file.head;
        if (head->inference != opened[0].file.head.inference ||
            head->activation != opened[0].file.head.activation) {
            return tacho_fail(TACHO_CODE_USAGE, "the files of a roll-up are not of one inference");
        }
        for (size_t k = 0; k < i; k++) {
            if (opened[k].file.head.device == head->device) {
                return tacho_fail(TACHO_CODE_USAGE, "two files of a roll-up are of device %u",
                                  (unsigned)head->device);
            }
        }
    }
    return TACHO_OK;
}

static tacho_status add_rollup(summing *self, tacho_rollup_kind kind,
                               const tacho_opstats_file *opened, size_t count)
{
    const tacho_stats_file **files = tacho_items_alloc(count, sizeof(*files));
    if (files == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu files", count);
    }
    for (size_t i = 0; i < count; i++) {
        files[i] = &opened[i].file;
    }
    tacho_rollup_files all = {files, count, &self->decoder.words, &self->decoder.stats};
    tacho_tables_target target = {.tables = self->tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    tacho_status status = tacho_analysis_rollup.make(&all, &kind, &taker);
    free(files);
    return status;
}

static tacho_status sum_all(summing *self, tacho_rollup_kind kind, const char *const *paths,
                            size_t path_count)
{
    tacho_opstats_file *opened = tacho_items_alloc(path_count, sizeof(*opened));
    tacho_status status =
        opened != NULL
            ? TACHO_OK
            : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu files", path_count);
    for (size_t i = 0; i < path_count && status == TACHO_OK; i++) {
        status = open_stats(self, paths[i], &opened[i]);
    }
    if (status == TACHO_OK) {
        status = check_siblings(opened, path_count);
    }
    if (status == TACHO_OK) {
        status = add_rollup(self, kind, opened, path_count);
    }
    for (size_t i = 0; i < path_count && status == TACHO_OK; i++) {
        status = add_damage(self, &opened[i], paths[i]);
    }
    for (size_t i = 0; opened != NULL && i < path_count; i++) {
        tacho_opstats_file_close(&opened[i]);
    }
    free(opened);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static tacho_status check(const char *program, const char *const *paths, size_t path_count,
                          const tacho_analyse_opstats_options *options)
{
    TACHO_TRY(tacho_view_check_reserved(options->reserved, COUNT_OF(options->reserved)));
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    if (program == NULL || path_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%s",
                          program == NULL ? "no program given (NULL)" : "no input");
    }
    if (options->rollup != NULL &&
        tacho_rollup_find(tacho_str_from_cstring(options->rollup)) == TACHO_ROLLUP_NONE) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "unknown roll-up '%s'; use op, layer, core, device or critical",
                          options->rollup);
    }
    return TACHO_OK;
}

static tacho_status sum(const char *program, const char *const *paths, size_t path_count,
                        const char *rollup, tacho_tables **out_tables)
{
    summing self = {.tables = NULL};
    TACHO_TRY(tacho_tables_create(&self.tables));
    tacho_status status = prepare(&self, program);
    if (status == TACHO_OK) {
        status = rollup == NULL ? sum_each(&self, paths, path_count)
                                : sum_all(&self, tacho_rollup_find(tacho_str_from_cstring(rollup)),
                                          paths, path_count);
    }
    tacho_opstats_decoder_deinit(&self.decoder);
    return tacho_tables_finish(self.tables, status, out_tables);
}

tacho_status tacho_analyse_opstats(const char *program, const char *const *paths, size_t path_count,
                                   const tacho_analyse_opstats_options *options,
                                   tacho_tables **out_tables)
{
    const tacho_analyse_opstats_options defaults = {.rollup = NULL};
    const tacho_analyse_opstats_options *chosen = options != NULL ? options : &defaults;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(check(program, paths, path_count, chosen));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = sum(program, paths, path_count, chosen->rollup, out_tables);
    tacho_entry_end(entry);
    return status;
}
