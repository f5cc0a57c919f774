/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of a conversion.
 */
#include "api/conversion.h"

#include "base/status.h"

#include <stdlib.h>
#include <tacho/convert.h>

static tacho_status resolve_source(const char *name, const tacho_source **out_source)
{
    *out_source = name == NULL ? NULL : tacho_source_find(tacho_str_from_cstring(name));
    return name == NULL || *out_source != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "no input format is called '%s'", name);
}

static tacho_status resolve_sink(const char *name, const char *path,
                                 const tacho_trace_sink **out_sink)
{
    *out_sink = name != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(name))
                             : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    return *out_sink != NULL ? TACHO_OK
                             : tacho_fail(TACHO_CODE_USAGE, "no trace format fits '%s'",
                                          name != NULL ? name : path);
}

static tacho_status fill_inputs(const char *const *paths, size_t count, const tacho_source *source,
                                tacho_intake_input **out_inputs)
{
    tacho_intake_input *inputs = calloc(count + 1, sizeof(*inputs));
    if (inputs == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu inputs", count);
    }
    for (size_t i = 0; i < count; i++) {
        inputs[i] = (tacho_intake_input){paths[i], source};
    }
    *out_inputs = inputs;
    return TACHO_OK;
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
        status = tacho_conversion_run(conversion, &dict);
    }
    if (status == TACHO_OK && out_result != NULL) {
        *out_result = (tacho_convert_result){count_events(&dict), tacho_intake_lost_count(&dict)};
    }
    tacho_dict_deinit(&dict);
    return status;
}

tacho_status tacho_convert(const char *const *input_paths, size_t input_count,
                           const char *output_path, const tacho_convert_options *options,
                           tacho_convert_result *out_result)
{
    const tacho_convert_options defaults = {0};
    const tacho_convert_options *chosen = options != NULL ? options : &defaults;
    tacho_conversion conversion = {
        .intake = {.input_count = input_count, .options = {.slice_count = chosen->slice_count}},
        .output_path = output_path,
        .trace_options = {.omit_args = chosen->omit_args},
        .selection = TACHO_SELECT_ALL,
    };
    if (chosen->clock_mhz != NULL) {
        conversion.intake.options.clock_mhz = tacho_str_from_cstring(chosen->clock_mhz);
    }
    const tacho_source *source = NULL;
    tacho_intake_input *inputs = NULL;
    TACHO_TRY(resolve_source(chosen->from, &source));
    TACHO_TRY(resolve_sink(chosen->to, output_path, &conversion.sink));
    TACHO_TRY(fill_inputs(input_paths, input_count, source, &inputs));
    conversion.intake.inputs = inputs;
    tacho_status status = run(&conversion, out_result);
    free(inputs);
    return status;
}
