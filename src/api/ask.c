/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files to the tables of an analysis.
 */
#include "api/ask.h"

#include "questions/info/info.h"

typedef struct asking {
    const tacho_ask *ask;
    const tacho_request_files *files;
    tacho_tables *tables;
} asking;

static tacho_status add_losses(const asking *self, tacho_dict *dict)
{
    tacho_info info;
    tacho_table table = {0};
    tacho_info_init(&info, dict);
    tacho_status status = tacho_info_losses(&info, &table);
    tacho_info_deinit(&info);
    return tacho_tables_add(self->tables, status, &table, NULL);
}

static tacho_status attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    const asking *self = user;
    const tacho_ask *ask = self->ask;
    tacho_tables_target target = {.tables = self->tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    tacho_producer producer = tacho_intake_producer(&self->files->intake);
    tacho_events *events = NULL;
    TACHO_TRY(ask->analysis->open(ask->options, dict, &events));
    tacho_status status =
        tacho_pipeline_push_selected(&producer, mode, &self->files->selection, events);
    if (status == TACHO_OK) {
        status = ask->analysis->write(events, ask->options, &taker);
    }
    ask->analysis->close(events);
    return status == TACHO_OK && ask->adds_losses ? add_losses(self, dict) : status;
}

tacho_status tacho_ask_files(const tacho_ask *ask, tacho_tables *tables)
{
    tacho_request_files files;
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    status = tacho_status_first(
        status, tacho_request_files_open(&files, ask->paths, ask->path_count, ask->input));
    if (status == TACHO_OK) {
        asking self = {ask, &files, tables};
        tacho_order_mode mode = tacho_intake_producer(&files.intake).first_mode;
        status = tacho_pipeline_try(attempt, &self, mode, &dict);
    }
    tacho_request_files_close(&files);
    tacho_dict_deinit(&dict);
    return status;
}
