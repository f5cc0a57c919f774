/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saving a baseline: captures under names that none has had, then the list in one step, then the
 * captures of before are removed. Whatever stops it, the list names captures that are whole.
 */
#include "pipeline/baseline.h"

#include "base/folder.h"
#include "base/output.h"
#include "base/utf8.h"
#include "pipeline/conversion.h"
#include "sinks/tacho.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 64, REASON_MAX_BYTES = 1000, CAPTURES_MAX = 9999, TEXT_BYTES = 64 };

typedef struct saving {
    const tacho_baseline_request *request;
    tacho_baseline before; /* the one that is there; empty: none */
    const char *folder;    /* of this baseline */
    size_t generation;     /* of the captures */
    bool has_losses;
    tacho_arena arena;
} saving;

bool tacho_baseline_is_name(const char *name)
{
    size_t len = strlen(name);
    return len > 0 && len <= NAME_MAX_BYTES && name[0] != '.' && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len;
}

static tacho_status check(const tacho_baseline_request *request)
{
    if (!tacho_baseline_is_name(request->name)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "'%s' cannot name a baseline; use letters, digits, '.', '_' and '-', at "
                          "most %d",
                          request->name, (int)NAME_MAX_BYTES);
    }
    if (request->intake->input_count > CAPTURES_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "%zu profiles are more than the %d of a baseline",
                          request->intake->input_count, (int)CAPTURES_MAX);
    }
    if (strlen(request->reason) > REASON_MAX_BYTES) {
        return tacho_fail(TACHO_CODE_USAGE, "the reason is longer than %d bytes",
                          (int)REASON_MAX_BYTES);
    }
    return tacho_intake_check(request->intake);
}

static tacho_status open_before(saving *self)
{
    const tacho_baseline_request *request = self->request;
    bool is_there = tacho_baseline_is_there(self->folder);
    if (is_there && !request->replaces) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s: there is a baseline already; accept the new profiles in its place, "
                          "with a reason, or choose another name",
                          self->folder);
    }
    if (!is_there && request->replaces) {
        return tacho_fail(TACHO_CODE_NOT_FOUND, "%s: no such baseline to replace; save it first",
                          self->folder);
    }
    TACHO_TRY(is_there ? tacho_baseline_init(&self->before, self->folder) : TACHO_OK);
    self->generation = self->before.entry_count + 1;
    return TACHO_OK;
}

/* ---- captures ------------------------------------------------------------------------------ */

static tacho_status write_capture(saving *self, const tacho_intake_input *input, const char *path)
{
    const tacho_baseline_request *request = self->request;
    tacho_dict dict;
    tacho_conversion conversion = {
        .intake = *request->intake,
        .output_path = path,
        .sink = &tacho_sink_tacho,
        .selection = TACHO_SELECT_ALL,
        .is_strict = request->is_strict,
    };
    conversion.intake.inputs = input;
    conversion.intake.input_count = 1;
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status = tacho_conversion_run(&conversion, &dict);
    self->has_losses = self->has_losses || dict.loss_count > 0;
    if (status == TACHO_OK && request->read != NULL) {
        request->read(request->user, &dict);
    }
    tacho_dict_deinit(&dict);
    return status;
}

static tacho_status add_capture(saving *self, size_t number, tacho_output *list)
{
    const tacho_intake_input *input = &self->request->intake->inputs[number - 1];
    char name[TEXT_BYTES];
    const char *path = NULL;
    uint64_t byte_count = 0;
    uint64_t checksum = 0;
    tacho_str from;
    snprintf(name, sizeof(name), "%zu-%03zu.tacho", self->generation, number);
    TACHO_TRY(tacho_folder_join(self->folder, tacho_str_from_cstring(name), &self->arena, &path));
    TACHO_TRY(write_capture(self, input, path));
    TACHO_TRY(tacho_baseline_measure(path, &byte_count, &checksum));
    TACHO_TRY(tacho_utf8_printable(tacho_str_basename(tacho_str_from_cstring(input->path)),
                                   &self->arena, &from));
    tacho_output_printf(list, "capture %s\t%" PRIu64 "\t%016" PRIx64 "\t%.*s\n", name, byte_count,
                        checksum, TACHO_STR_ARG(from));
    return TACHO_OK;
}

/* ---- the list ------------------------------------------------------------------------------ */

static tacho_status write_entries(saving *self, tacho_output *list)
{
    const tacho_baseline_request *request = self->request;
    time_t saved = (time_t)request->saved_s;
    struct tm parts;
    char text[TEXT_BYTES] = "unknown";
    tacho_str reason;
    if (gmtime_r(&saved, &parts) != NULL) {
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    TACHO_TRY(tacho_utf8_printable(tacho_str_from_cstring(request->reason), &self->arena, &reason));
    tacho_output_write_cstring(list, "tacho-baseline 1\n");
    for (size_t i = 0; i < self->before.entry_count; i++) {
        const tacho_baseline_entry *entry = &self->before.entries[i];
        tacho_output_printf(list, "entry %.*s\t%.*s\n", TACHO_STR_ARG(entry->saved),
                            TACHO_STR_ARG(entry->reason));
    }
    tacho_output_printf(list, "entry %s\t%.*s\n", text, TACHO_STR_ARG(reason));
    return TACHO_OK;
}

static tacho_status write_list(saving *self, tacho_output *list)
{
    size_t count = self->request->intake->input_count;
    TACHO_TRY(write_entries(self, list));
    for (size_t i = 1; i <= count; i++) {
        TACHO_TRY(add_capture(self, i, list));
    }
    tacho_output_printf(list, "end %zu\n", count);
    return tacho_output_commit(list);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Captures of |generation|, or of all but it: what a list that is in place does not name. */
static void remove_captures(saving *self, bool is_of_it)
{
    char mark[TEXT_BYTES];
    snprintf(mark, sizeof(mark), "%zu-", self->generation);
    DIR *folder = opendir(self->folder);
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *path = NULL;
        tacho_str name = tacho_str_from_cstring(entry->d_name);
        bool is_capture = name.len > 0 && name.data[0] >= '0' && name.data[0] <= '9' &&
                          tacho_str_ends_with(name, TACHO_STR(".tacho"));
        if (!is_capture || tacho_str_starts_with(name, tacho_str_from_cstring(mark)) != is_of_it) {
            continue;
        }
        tacho_status status = tacho_folder_join(self->folder, name, &self->arena, &path);
        if (status == TACHO_OK) {
            unlink(path); /* one that stays is in no list */
        }
        tacho_status_free(status);
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static tacho_status save(saving *self)
{
    const char *path = NULL;
    tacho_output list;
    bool is_new = false;
    TACHO_TRY(tacho_folder_ensure(self->request->folder, &is_new));
    TACHO_TRY(tacho_folder_join(self->request->folder, tacho_str_from_cstring(self->request->name),
                                &self->arena, &self->folder));
    TACHO_TRY(open_before(self));
    TACHO_TRY(tacho_folder_ensure(self->folder, &is_new));
    TACHO_TRY(tacho_folder_join(self->folder, TACHO_STR(TACHO_BASELINE_LIST), &self->arena, &path));
    TACHO_TRY(tacho_output_open(path, &list));
    tacho_status status = write_list(self, &list);
    tacho_output_close(&list);
    remove_captures(self, status != TACHO_OK);
    if (status != TACHO_OK && is_new) {
        rmdir(self->folder); /* where nothing else is in it */
    }
    return status;
}

tacho_status tacho_baseline_save(const tacho_baseline_request *request, bool *out_has_losses)
{
    saving self = {.request = request};
    *out_has_losses = false;
    TACHO_TRY(check(request));
    tacho_arena_init(&self.arena);
    tacho_arena_init(&self.before.arena);
    tacho_status status = save(&self);
    *out_has_losses = self.has_losses;
    tacho_baseline_deinit(&self.before);
    tacho_arena_deinit(&self.arena);
    return status;
}
