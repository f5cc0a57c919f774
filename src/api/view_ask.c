/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a view as a tacho_ask.
 */
#include "api/view_ask.h"

#include "pipeline/ask.h"

static void skip(void *user, const tacho_intake *only, tacho_status status)
{
    const tacho_view_files *files = user;
    (void)only;
    files->skipped(files->user, tacho_status_message(status));
    tacho_status_free(status);
}

static tacho_status ask_opened(const tacho_view_ask *ask, tacho_view_files *files,
                               tacho_tables *tables)
{
    tacho_tables_target target = {.tables = tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    tacho_ask inner = {
        .intake = &files->intake,
        .inputs = files->set.inputs,
        .selection = &files->selection,
        .analysis = ask->analysis,
        .options = ask->options,
        .to = {.sink = &tacho_table_sink_jsonl, .keeper = &taker},
        .adds_losses = ask->adds_losses,
        .fails_for_input = files->skipped == NULL,
        .skip = files->skipped != NULL ? skip : NULL,
        .user = files,
    };
    return tacho_ask_run(&inner);
}

tacho_status tacho_view_ask_run(const tacho_view_ask *ask, tacho_tables *tables)
{
    tacho_view_files files;
    tacho_status status = tacho_view_files_open(&files, ask->paths, ask->path_count, ask->input);
    if (status == TACHO_OK) {
        status = ask_opened(ask, &files, tables);
    }
    tacho_view_files_close(&files);
    return status;
}
