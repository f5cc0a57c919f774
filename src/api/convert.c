/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of a conversion.
 */
#include "pipeline/conversion.h"

#include "api/entry.h"
#include "api/request.h"
#include "sinks/perfetto.h"

#include <stdlib.h>
#include <tacho/convert.h>

enum {
    RESERVED_COUNT = sizeof(((tacho_convert_options *)0)->reserved) / sizeof(uint64_t),
};

static tacho_status allocate_inputs(size_t count, tacho_intake_input **out_inputs)
{
    *out_inputs = calloc(count + 1, sizeof(**out_inputs));
    return *out_inputs != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu inputs", count);
}

static uint64_t count_events(const tacho_dict *dict)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->part_count; i++) {
        count += dict->parts[i].row_count;
    }
    return count;
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
        *out_result = (tacho_convert_result){.event_count = count_events(&dict),
                                             .lost_count = tacho_pipeline_lost_count(&dict)};
    }
    tacho_dict_deinit(&dict);
    return status;
}

/* Whom to tell how far reading has come, and whether that was the last time. */
typedef struct caller {
    const tacho_convert_options *options;
    bool is_cancelled;
} caller;

static void tell(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
    caller *told = self;
    if (!told->is_cancelled) {
        told->is_cancelled = !told->options->progress(told->options->user, done_bytes, total_bytes);
    }
}

static tacho_status convert_files(tacho_request_files *files, const char *output_path,
                                  const tacho_convert_options *options,
                                  tacho_convert_result *out_result)
{
    tacho_conversion conversion = {
        .intake = files->intake,
        .output_path = output_path,
        .trace_options = {.omit_args = options->omit_args},
        .selection = TACHO_SELECT_ALL,
    };
    caller told = {.options = options};
    if (options->progress != NULL) {
        conversion.intake.progress = (tacho_progress){tell, &told};
        conversion.intake.is_cancelled = &told.is_cancelled;
    }
    TACHO_TRY(tacho_request_sink(options->to, output_path, &conversion.sink));
    return run(&conversion, out_result);
}

tacho_status tacho_convert(const char *const *input_paths, size_t input_count,
                           const char *output_path, const tacho_convert_options *options,
                           tacho_convert_result *out_result)
{
    const tacho_convert_options defaults = {0};
    const tacho_convert_options *chosen = options != NULL ? options : &defaults;
    const tacho_view_options reading = {.from = chosen->from,
                                        .clock_mhz = chosen->clock_mhz,
                                        .slice_count = chosen->slice_count,
                                        .program = chosen->program};
    tacho_request_files files;
    TACHO_TRY(tacho_request_check_reserved(chosen->reserved, RESERVED_COUNT));
    tacho_status status = tacho_request_files_open(&files, input_paths, input_count, &reading);
    if (status == TACHO_OK) {
        status = convert_files(&files, output_path, chosen, out_result);
    }
    tacho_request_files_close(&files);
    return status;
}

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
    fill_named(&compile_logs, tacho_request_compile_sources, inputs);
    fill_named(&runtime_logs, tacho_request_runtime_sources, inputs + compile_logs.item_count);
    tacho_conversion conversion = {
        .intake = {.inputs = inputs, .input_count = count, .options = {.slice_count = slice_count}},
        .output_path = pb_path,
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
    };
    tacho_status status = run(&conversion, out_result);
    free(inputs);
    return status;
}
