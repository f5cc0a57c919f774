/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats are written while inferences run; all else is made of what was taken or held.
 */
#include "vendors/qaic/qaic_files.h"

#include "base/folder.h"
#include "vendors/qaic/qaic.h"
#include "session/run_notes.h"
#include "session/run_values.h"

#include <stdio.h>

/* What all steps of writing need. */
typedef struct writing {
    const tacho_qaic_files *files;
    tacho_run_session *session;
    tacho_arena *arena;
} writing;

unsigned tacho_qaic_file_type(const char *name)
{
    static const char *const names[] = {"raw_device_stats", "stats", "trace", "latency"};
    unsigned type = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        type |= strcmp(name, names[i]) == 0 ? 1U << i : 0;
    }
    return type;
}

bool tacho_qaic_files_need_stats(const tacho_qaic_files *files)
{
    return (files->types & (TACHO_QAIC_RAW | TACHO_QAIC_STATS | TACHO_QAIC_TRACE)) != 0;
}

void tacho_qaic_files_ask(tacho_qaic_files *files, tacho_run_request *request)
{
    /* Without raw stats the folder is checked all the same, before anything runs. */
    request->stats_dir = files->types != 0 ? files->folder : NULL;
    request->keeps_stats_in_memory = (files->types & TACHO_QAIC_RAW) == 0;
    /* Summaries and the trace are made of all records at the end. */
    request->held_bytes_max = (files->types & (TACHO_QAIC_STATS | TACHO_QAIC_TRACE)) == 0 ? 1 : 0;
    request->take = tacho_run_qaic_take;
    request->taker = &files->qaic;
    files->qaic.keeps_rows = (files->types & TACHO_QAIC_LATENCY) != 0;
}

/* Where an output goes. */
static tacho_status name_output(const writing *self, size_t index, const char **out_path)
{
    const tacho_program *program = &self->session->module.program;
    tacho_str tensor =
        tacho_run_string(self->session, program->tensors[program->outputs[index]].name);
    char name[160];
    snprintf(name, sizeof(name), "%.100s-activation-0-inf-0.bin",
             tensor.len > 0 ? tensor.data : "output");
    if (tensor.len == 0 && index > 0) {
        snprintf(name, sizeof(name), "output%zu-activation-0-inf-0.bin", index);
    }
    tacho_make_plain_name(name);
    return tacho_folder_join(self->files->output_dir, tacho_str_from_cstring(name), self->arena,
                             out_path);
}

/*
 * Names are checked before any is used: one may be an input's, or that of two outputs. Values are
 * fetched before any is written: a board may be gone before its last one has arrived.
 */
static tacho_status write_group(const writing *self, tacho_output_group *group)
{
    tacho_run_session *session = self->session;
    size_t count = session->module.program.output_count;
    const char *path = NULL;
    tacho_array array;
    bool is_new = false;
    if (self->files->output_dir == NULL || session->totals.latency_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_folder_ensure(self->files->output_dir, &is_new));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(name_output(self, i, &path));
        TACHO_TRY(tacho_run_check_chosen_output(session, path, NULL));
        TACHO_TRY(tacho_device_output(session->device, i, &array));
    }
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(name_output(self, i, &path));
        TACHO_TRY(tacho_device_output(session->device, i, &array));
        TACHO_TRY(tacho_run_value_write(&array, path, true, group));
    }
    return tacho_output_group_finish(group);
}

static tacho_status write_outputs(const writing *self)
{
    tacho_output_group group = {.is_whole = true};
    tacho_status status = write_group(self, &group);
    tacho_output_group_deinit(&group);
    return status;
}

static tacho_status write_latency(const writing *self)
{
    const char *path = NULL;
    TACHO_TRY(tacho_folder_join(
        self->files->folder, TACHO_STR("aic-profiling-program-0-latency.txt"), self->arena, &path));
    tacho_recording recording = tacho_run_recording(self->session);
    return tacho_run_qaic_latency_file(&self->files->qaic, &recording, path);
}

tacho_status tacho_qaic_files_write(const tacho_qaic_files *files, tacho_run_session *session,
                                    tacho_arena *arena)
{
    const writing self = {files, session, arena};
    TACHO_TRY(write_outputs(&self));
    if ((files->types & TACHO_QAIC_STATS) != 0) {
        TACHO_TRY(tacho_run_qaic_summaries(session, files->folder));
    }
    if ((files->types & TACHO_QAIC_TRACE) != 0) {
        TACHO_TRY(tacho_run_qaic_trace(session, files->folder));
    }
    return (files->types & TACHO_QAIC_LATENCY) != 0 ? write_latency(&self) : TACHO_OK;
}

void tacho_qaic_files_say(const tacho_qaic_files *files, const tacho_run_session *session)
{
    const tacho_program *program = &session->module.program;
    bool has_outputs = files->output_dir != NULL && session->totals.latency_count > 0;
    size_t devices = program->facts.device_count > 0 ? program->facts.device_count : 1;
    uint64_t summaries = 0; /* one per activation */
    for (size_t i = 0; i < session->sample_count; i++) {
        summaries += session->samples[i].result.stats_count / devices;
    }
    const struct {
        const char *folder, *what;
        uint64_t count;
    } rows[] = {
        {files->output_dir, "outputs", has_outputs ? program->output_count : 0},
        {files->folder, "raw stats", session->stats_file_count},
        {files->folder, "summaries", (files->types & TACHO_QAIC_STATS) != 0 ? summaries : 0},
        {files->folder, "trace events", (files->types & TACHO_QAIC_TRACE) != 0 ? 1 : 0},
        {files->folder, "latencies", (files->types & TACHO_QAIC_LATENCY) != 0 ? 1 : 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tacho_run_say_files(session, rows[i].folder, rows[i].count, rows[i].what);
    }
}
