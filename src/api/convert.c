/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of a conversion.
 */
#include "pipeline/conversion.h"
#include "pipeline/intake_notes.h"

#include "api/entry.h"
#include "api/view_files.h"
#include "base/grow.h"
#include "base/temp_folder.h"
#include "vendors/tenstorrent/tt_join.h"
#include "sinks/perfetto.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tacho/convert.h>
#include <unistd.h>

enum {
    RESERVED_COUNT = sizeof(((tacho_convert_options *)0)->reserved) / sizeof(uint64_t),
};

static tacho_status allocate_inputs(size_t count, tacho_intake_input **out_inputs)
{
    *out_inputs = tacho_items_alloc(count, sizeof(**out_inputs));
    return *out_inputs != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu inputs", count);
}

static tacho_status run(const tacho_conversion *conversion, tacho_convert_result *out_result)
{
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        tacho_entry entry = tacho_entry_begin();
        status = tacho_conversion_run(conversion, &dict);
        tacho_entry_end(entry);
    }
    if (status == TACHO_OK && out_result != NULL) {
        *out_result = (tacho_convert_result){.event_count = tacho_intake_read_count(&dict),
                                             .lost_count = tacho_pipeline_lost_count(&dict),
                                             .unplaced_count = dict.unplaced_count};
    }
    tacho_dict_deinit(&dict);
    return status;
}

static tacho_status convert_opened(tacho_view_files *files, const char *output_path,
                                   const tacho_convert_options *options,
                                   tacho_convert_result *out_result)
{
    tacho_conversion conversion = {
        .intake = files->intake,
        .output_path = output_path,
        .trace_options = {.omit_args = options->omit_args},
        .selection = files->selection,
    };
    TACHO_TRY(tacho_view_sink(options->to, output_path, &conversion.sink));
    return run(&conversion, out_result);
}

/* Files, and whether they could be opened. */
typedef struct opened_files {
    tacho_view_files of;
    tacho_status status;
} opened_files;

/* Converts files that were opened, and closes them. */
static tacho_status convert_files(opened_files *files, const char *output_path,
                                  const tacho_convert_options *options,
                                  tacho_convert_result *out_result)
{
    tacho_status status = files->status;
    if (status == TACHO_OK) {
        status = convert_opened(&files->of, output_path, options, out_result);
    }
    tacho_view_files_close(&files->of);
    return status;
}

static const tacho_convert_options default_options;

static tacho_view_options reading_of(const tacho_convert_options *options)
{
    return (tacho_view_options){.from = options->from,
                                .clock_mhz = options->clock_mhz,
                                .slice_count = options->slice_count,
                                .program = options->program,
                                .progress = options->progress,
                                .user = options->user,
                                .window_begin_ns = options->window_begin_ns,
                                .window_end_ns = options->window_end_ns,
                                .min_duration_ns = options->min_duration_ns,
                                .filter = options->filter};
}

tacho_status tacho_convert(const char *const *input_paths, size_t input_count,
                           const char *output_path, const tacho_convert_options *options,
                           tacho_convert_result *out_result)
{
    const tacho_convert_options *chosen = options != NULL ? options : &default_options;
    const tacho_view_options reading = reading_of(chosen);
    opened_files files;
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, RESERVED_COUNT));
    files.status = tacho_view_files_open(&files.of, input_paths, input_count, &reading);
    return convert_files(&files, output_path, chosen, out_result);
}

tacho_status tacho_convert_inputs(const tacho_input_view *inputs, size_t input_count,
                                  const char *output_path, const tacho_convert_options *options,
                                  tacho_convert_result *out_result)
{
    const tacho_convert_options *chosen = options != NULL ? options : &default_options;
    const tacho_view_options reading = reading_of(chosen);
    opened_files files;
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, RESERVED_COUNT));
    files.status = tacho_view_files_open_inputs(&files.of, inputs, input_count, &reading);
    return convert_files(&files, output_path, chosen, out_result);
}

/* ---- into memory ----------------------------------------------------------------------------- */

static tacho_status read_back(FILE *file, const char *path, void **out_bytes,
                              size_t *out_byte_count)
{
    struct stat facts;
    if (fstat(fileno(file), &facts) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    size_t size = (size_t)facts.st_size;
    void *bytes = malloc(size + 1);
    if (bytes == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a trace of %zu bytes", size);
    }
    if (fread(bytes, 1, size, file) != size) {
        free(bytes);
        return tacho_fail(TACHO_CODE_IO, "%s: cannot be read back", path);
    }
    *out_bytes = bytes;
    *out_byte_count = size;
    return TACHO_OK;
}

static tacho_status take_file(const char *path, void **out_bytes, size_t *out_byte_count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    tacho_status status = read_back(file, path, out_bytes, out_byte_count);
    fclose(file);
    return status;
}

tacho_status tacho_convert_to_memory(const tacho_input_view *inputs, size_t input_count,
                                     const tacho_convert_options *options, void **out_bytes,
                                     size_t *out_byte_count)
{
    static const char name[] = ".tacho-trace";
    enum { PATH_BYTES = TACHO_TEMP_FOLDER_MAX + 16 };
    char path[PATH_BYTES];
    tacho_temp_folder folder;
    const char *temp = getenv("TMPDIR");
    temp = temp != NULL && temp[0] == '/' ? temp : "/tmp";
    if (out_bytes == NULL || out_byte_count == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no place for the trace given (NULL)");
    }
    *out_bytes = NULL;
    *out_byte_count = 0;
    if (options == NULL || options->to == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "memory has no suffix; name the trace format");
    }
    if (!tacho_temp_folder_make(&folder, temp, name, false, PATH_BYTES)) {
        return tacho_fail(TACHO_CODE_IO,
                          "cannot make a temporary directory in %s: %s; set TMPDIR to a directory "
                          "with free space",
                          temp, strerror(errno));
    }
    snprintf(path, sizeof(path), "%s/%s", folder.path, name);
    tacho_status status = tacho_convert_inputs(inputs, input_count, path, options, NULL);
    if (status == TACHO_OK) {
        status = take_file(path, out_bytes, out_byte_count);
    }
    unlink(path);
    tacho_temp_folder_remove(&folder);
    return status;
}

/* ---- named logs ------------------------------------------------------------------------------ */

static tacho_status check_named(const tacho_named_logs *logs)
{
    for (size_t i = 0; i < logs->item_count; i++) {
        if (logs->items == NULL || logs->items[i].path == NULL) {
            return tacho_fail(TACHO_CODE_USAGE, "log %zu of %zu has no path (NULL)", i + 1,
                              logs->item_count);
        }
    }
    return TACHO_OK;
}

static void fill_named(const tacho_named_logs *logs, const tacho_source *const *accepted,
                       tacho_intake_input *inputs)
{
    for (size_t i = 0; i < logs->item_count; i++) {
        inputs[i] = (tacho_intake_input){
            .path = logs->items[i].path, .name = logs->items[i].name, .accepted = accepted};
    }
}

tacho_status tacho_convert_to_perfetto(tacho_named_logs compile_logs, tacho_named_logs runtime_logs,
                                       const char *pb_path, uint32_t slice_count,
                                       tacho_convert_result *out_result)
{
    tacho_intake_input *inputs = NULL;
    size_t count = compile_logs.item_count + runtime_logs.item_count;
    TACHO_TRY(check_named(&compile_logs));
    TACHO_TRY(check_named(&runtime_logs));
    if (pb_path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no output file given (NULL)");
    }
    TACHO_TRY(allocate_inputs(count, &inputs));
    fill_named(&compile_logs, tacho_view_compile_sources, inputs);
    fill_named(&runtime_logs, tacho_view_runtime_sources, inputs + compile_logs.item_count);
    tacho_conversion conversion = {
        .intake = {.inputs = inputs, .input_count = count},
        .output_path = pb_path,
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
        .has_overview = true,
        .has_first_overview = true,
    };
    tacho_source_options_set_number(&conversion.intake.options, "slices", slice_count);
    tacho_source_options_set_number(&conversion.intake.options, "vendor-tracks", 1);
    tacho_status status = run(&conversion, out_result);
    free(inputs);
    return status;
}

/* ---- logs of Tenstorrent's profiler ---------------------------------------------------------- */

tacho_status tacho_convert_to_op_table(const char *const *paths, size_t path_count,
                                       const char *csv_path, const char *clock_mhz,
                                       tacho_convert_result *out_result)
{
    tacho_tt_join_request request = {
        .paths = paths,
        .path_count = path_count,
        .output_path = csv_path,
        .clock_mhz = clock_mhz != NULL ? tacho_str_from_cstring(clock_mhz) : TACHO_STR(""),
    };
    tacho_tt_join_result result = {0};
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    if (csv_path == NULL || path_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%s",
                          csv_path == NULL ? "no output file given (NULL)" : "no logs given");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_tt_join_run(&request, &result);
    tacho_entry_end(entry);
    if (status == TACHO_OK && out_result != NULL) {
        *out_result = (tacho_convert_result){.event_count = result.row_count,
                                             .lost_count = result.loss_count,
                                             .assumed_mhz = result.assumed_mhz};
    }
    return status;
}
