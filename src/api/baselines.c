/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of baselines.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "api/tables.h"
#include "pipeline/baseline.h"

#include <tacho/analyse.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static tacho_status check(const char *folder, const char *name, const tacho_analyse_side *profiles,
                          const tacho_baselines_options *options)
{
    if (folder == NULL || name == NULL || profiles == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no %s given (NULL)",
                          folder == NULL ? "directory of baselines"
                          : name == NULL ? "name of a baseline"
                                         : "profiles");
    }
    TACHO_TRY(tacho_view_check_reserved(options->reserved, COUNT_OF(options->reserved)));
    return options->replaces && (options->reason == NULL || options->reason[0] == '\0')
               ? tacho_fail(TACHO_CODE_USAGE, "a baseline is replaced for a reason; give one")
               : TACHO_OK;
}

tacho_status tacho_baselines_save(const char *folder, const char *name,
                                  const tacho_analyse_side *profiles,
                                  const tacho_baselines_options *options, bool *out_has_losses)
{
    const tacho_baselines_options defaults = {.reason = NULL};
    const tacho_baselines_options *chosen = options != NULL ? options : &defaults;
    tacho_view_files files;
    bool has_losses = false;
    TACHO_TRY(check(folder, name, profiles, chosen));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status =
        tacho_view_files_open(&files, profiles->paths, profiles->path_count, &chosen->input);
    if (status == TACHO_OK && !tacho_selection_is_all(&files.selection)) {
        status = tacho_fail(TACHO_CODE_USAGE, "all of a profile is saved, not a part of it");
    }
    if (status == TACHO_OK) {
        const tacho_baseline_request request = {
            .folder = folder,
            .name = name,
            .reason = chosen->reason != NULL ? chosen->reason : "",
            .replaces = chosen->replaces,
            .saved_s = (int64_t)time(NULL),
            .intake = &files.intake,
        };
        status = tacho_baseline_save(&request, &has_losses);
    }
    tacho_view_files_close(&files);
    tacho_entry_end(entry);
    if (out_has_losses != NULL) {
        *out_has_losses = has_losses;
    }
    return status;
}

static void tell_skipped(void *user, tacho_status status)
{
    const tacho_view_options *options = user;
    if (options != NULL && options->skipped != NULL) {
        options->skipped(options->user, tacho_status_message(status));
    }
    tacho_status_free(status);
}

tacho_status tacho_baselines_list(const char *folder, const tacho_view_options *options,
                                  tacho_tables **out_tables)
{
    tacho_tables *tables = NULL;
    tacho_table table = {0};
    TACHO_TRY(tacho_tables_check_place(out_tables));
    if (folder == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no directory of baselines given (NULL)");
    }
    TACHO_TRY(tacho_tables_create(&tables));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status =
        tacho_baseline_table(folder, tell_skipped, (void *)(uintptr_t)options, &table);
    status = tacho_tables_add(tables, status, &table, NULL);
    tacho_entry_end(entry);
    return tacho_tables_finish(tables, status, out_tables);
}
