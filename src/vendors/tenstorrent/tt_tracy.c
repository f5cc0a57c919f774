/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a capture to the logs that the vendor's tools would have left, and from those to the table.
 */
#include "vendors/tenstorrent/tt_tracy.h"

#include "base/folder.h"
#include "base/input.h"
#include "base/str.h"
#include "pipeline/conversion.h"
#include "vendors/tenstorrent/tt_join.h"
#include "sinks/tracy_ops.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where the logs of tt-metal are; else a directory for them beside the table. */
static void find_folder(const tacho_tt_tracy_request *request, char folder[PATH_MAX])
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"TT_METAL_PROFILER_DIR", ".logs"},
                  {"TT_METAL_HOME", "generated/profiler/.logs"}};
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const char *root = getenv(places[i].variable);
        int len = snprintf(folder, PATH_MAX, "%s/%s", root != NULL ? root : "", places[i].below);
        if (root != NULL && root[0] != '\0' && len < PATH_MAX && tacho_path_is_folder(folder)) {
            return;
        }
    }
    const char *slash = strrchr(request->output_path, '/');
    int len = slash != NULL ? (int)(slash - request->output_path) : 0;
    snprintf(folder, PATH_MAX, "%.*s/.logs", len > 0 ? len : 1,
             len > 0 ? request->output_path : (slash != NULL ? "/" : "."));
    mkdir(folder, 0777); /* a failure shows when the first log is written */
}

static tacho_status write_log(const tacho_tt_tracy_request *request, const tacho_trace_sink *sink,
                              const char *path)
{
    const tacho_intake_input input = {.path = request->capture_path};
    const tacho_conversion conversion = {
        .intake = {.inputs = &input, .input_count = 1},
        .output_path = path,
        .sink = sink,
        .selection = TACHO_SELECT_ALL,
    };
    tacho_dict dict;
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status = tacho_conversion_run(&conversion, &dict);
    tacho_dict_deinit(&dict);
    return status;
}

/* Whether a message tells of an op. */
static tacho_status find_ops(const char *path, bool *out_has_ops)
{
    tacho_input input;
    tacho_str line;
    bool has_line = true;
    tacho_status status = TACHO_OK;
    TACHO_TRY(tacho_input_open(path, &input));
    *out_has_ops = false;
    while (status == TACHO_OK && has_line && !*out_has_ops) {
        status = tacho_input_line(&input, &line, &has_line);
        *out_has_ops = status == TACHO_OK && has_line &&
                       (tacho_str_starts_with(line, TACHO_STR("`TT_DNN_")) ||
                        tacho_str_starts_with(line, TACHO_STR("TT_DNN_")));
    }
    tacho_input_close(&input);
    return status;
}

tacho_status tacho_tt_tracy_run(const tacho_tt_tracy_request *request, uint64_t *out_row_count)
{
    char folder[PATH_MAX];
    char data[PATH_MAX + 32];
    char times[PATH_MAX + 32];
    bool has_ops = false;
    tacho_tt_join_result result = {0};
    *out_row_count = 0;
    find_folder(request, folder);
    snprintf(data, sizeof(data), "%s/tracy_ops_data.csv", folder);
    snprintf(times, sizeof(times), "%s/tracy_ops_times.csv", folder);
    TACHO_TRY(write_log(request, &tacho_sink_tracy_ops_data, data));
    TACHO_TRY(write_log(request, &tacho_sink_tracy_ops_times, times));
    TACHO_TRY(find_ops(data, &has_ops));
    if (!has_ops) {
        return TACHO_OK;
    }
    const char *const paths[] = {folder};
    const tacho_tt_join_request join = {.paths = paths,
                                        .path_count = 1,
                                        .output_path = request->output_path,
                                        .is_quiet = true,
                                        .notes = request->notes};
    TACHO_TRY(tacho_tt_join_run(&join, &result));
    *out_row_count = result.row_count;
    return TACHO_OK;
}
