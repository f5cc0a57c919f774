/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON of an op's message: the op, its tensors, kernels and performance model.
 */
#include "sources/tenstorrent/log_host.h"

#include "sources/tenstorrent/log_json.h"

#include <ctype.h>
#include <stdio.h>

/* A message being parsed. */
typedef struct op_reader {
    tt_host *host;
    tt_json json;
    tacho_text text;
} op_reader;

static tacho_status keep(op_reader *from, tacho_str *out)
{
    return tacho_arena_copy(&from->host->arena, tacho_text_take(&from->text), out);
}

/* The value at |node| as Python prints it; empty when it is missing. */
static tacho_status take_value(op_reader *from, uint32_t node, tacho_str *out)
{
    *out = TACHO_STR("");
    if (node == TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tt_json_put_python(&from->json, node, &from->text));
    return keep(from, out);
}

static tacho_status take_key(op_reader *from, uint32_t object, const char *key, tacho_str *out)
{
    return take_value(from, tt_json_find(&from->json, object, key), out);
}

static bool take_number(const op_reader *from, uint32_t object, const char *key,
                        uint64_t *out_value)
{
    uint32_t node = tt_json_find(&from->json, object, key);
    return node != TACHO_NONE && tacho_str_parse_u64(from->json.nodes[node].text, out_value);
}

/* ---- tensors ------------------------------------------------------------------------------- */

static tacho_status put_upper(op_reader *from, uint32_t node)
{
    if (node == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_str word = from->json.nodes[node].text;
    for (size_t i = 0; i < word.len; i++) {
        char upper = (char)toupper((unsigned char)word.data[i]);
        TACHO_TRY(tacho_text_put(&from->text, tacho_str_make(&upper, 1)));
    }
    return TACHO_OK;
}

/* "DEV_0_DRAM_INTERLEAVED", or the name of a storage that is not on a device. */
static tacho_status take_memory(op_reader *from, uint32_t storage, tacho_str *out)
{
    uint32_t config = tt_json_find(&from->json, storage, "memory_config");
    if (storage == TACHO_NONE || from->json.nodes[storage].kind == TACHO_JSON_STRING) {
        return take_value(from, storage, out);
    }
    uint32_t device = tt_json_find(&from->json, storage, "device_id");
    TACHO_TRY(tacho_text_put(&from->text, TACHO_STR("DEV_")));
    if (device != TACHO_NONE) {
        TACHO_TRY(tt_json_put_python(&from->json, device, &from->text));
    }
    TACHO_TRY(tacho_text_put(&from->text, TACHO_STR("_")));
    TACHO_TRY(put_upper(from, tt_json_find(&from->json, config, "buffer_type")));
    TACHO_TRY(tacho_text_put(&from->text, TACHO_STR("_")));
    TACHO_TRY(put_upper(from, tt_json_find(&from->json, config, "memory_layout")));
    return keep(from, out);
}

static tacho_status take_tensor(op_reader *from, uint32_t node, tt_tensor *out_tensor)
{
    static const char *const axes[] = {"W", "Z", "Y", "X"};
    uint32_t shape = tt_json_find(&from->json, node, "shape");
    for (size_t i = 0; i < 4; i++) {
        TACHO_TRY(take_key(from, shape, axes[i], &out_tensor->cells[i]));
    }
    TACHO_TRY(take_key(from, node, "layout", &out_tensor->cells[4]));
    TACHO_TRY(take_key(from, node, "dtype", &out_tensor->cells[5]));
    return take_memory(from, tt_json_find(&from->json, node, "storage_type"),
                       &out_tensor->cells[6]);
}

static size_t count_elements(const op_reader *from, uint32_t array)
{
    size_t count = 0;
    for (uint32_t node = tt_json_first(&from->json, array); node != TACHO_NONE;
         node = tt_json_next(&from->json, node)) {
        count++;
    }
    return count;
}

/* The tensors of two arrays, one after the other. */
static tacho_status take_tensors(op_reader *from, const uint32_t arrays[2], tt_tensor **out_tensors,
                                 size_t *out_count)
{
    void *memory = NULL;
    size_t count = count_elements(from, arrays[0]) + count_elements(from, arrays[1]);
    TACHO_TRY(tacho_arena_alloc(&from->host->arena, count * sizeof(tt_tensor), &memory));
    *out_tensors = memory;
    *out_count = 0;
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t node = tt_json_first(&from->json, arrays[i]); node != TACHO_NONE;
             node = tt_json_next(&from->json, node)) {
            TACHO_TRY(take_tensor(from, node, &(*out_tensors)[(*out_count)++]));
        }
    }
    return TACHO_OK;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* The values of |key| of all kernels, as a Python list of strings. */
static tacho_status take_kernels(op_reader *from, uint32_t kernels, const char *key, tacho_str *out)
{
    TACHO_TRY(tacho_text_put(&from->text, TACHO_STR("[")));
    bool is_first = true;
    for (uint32_t node = tt_json_first(&from->json, kernels); node != TACHO_NONE;
         node = tt_json_next(&from->json, node)) {
        uint32_t value = tt_json_find(&from->json, node, key);
        TACHO_TRY(tacho_text_put(&from->text, is_first ? TACHO_STR("") : TACHO_STR(", ")));
        TACHO_TRY(tt_put_python_string(
            &from->text, value == TACHO_NONE ? TACHO_STR("") : from->json.nodes[value].text));
        is_first = false;
    }
    TACHO_TRY(tacho_text_put(&from->text, TACHO_STR("]")));
    return keep(from, out);
}

/* "BRISC_max_kernel_size" to "BRISC MAX KERNEL SIZE". */
static tacho_status take_size_name(op_reader *from, tacho_str key, tacho_str *out)
{
    for (size_t i = 0; i < key.len; i++) {
        char byte = (char)(key.data[i] == '_' ? ' ' : toupper((unsigned char)key.data[i]));
        TACHO_TRY(tacho_text_put(&from->text, tacho_str_make(&byte, 1)));
    }
    return keep(from, out);
}

static tacho_status take_sizes(op_reader *from, uint32_t object, tt_op_data *data)
{
    const tt_json_node *nodes = from->json.nodes;
    if (object == TACHO_NONE || nodes[object].kind != TACHO_JSON_OBJECT_BEGIN) {
        return TACHO_OK;
    }
    size_t count = 0;
    for (uint32_t at = object + 1; nodes[at].kind == TACHO_JSON_KEY; at = nodes[at + 1].behind) {
        count++;
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&from->host->arena, count * sizeof(tt_kernel_size), &memory));
    data->sizes = memory;
    for (uint32_t at = object + 1; nodes[at].kind == TACHO_JSON_KEY; at = nodes[at + 1].behind) {
        tt_kernel_size *size = &data->sizes[data->size_count++];
        TACHO_TRY(take_size_name(from, nodes[at].text, &size->name));
        TACHO_TRY(take_value(from, at + 1, &size->bytes));
    }
    return TACHO_OK;
}

static tacho_status take_kernel_info(op_reader *from, uint32_t info, tt_op_data *data)
{
    if (info == TACHO_NONE) {
        return TACHO_OK;
    }
    uint32_t compute = tt_json_find(&from->json, info, "compute_kernels");
    uint32_t movers = tt_json_find(&from->json, info, "datamovement_kernels");
    data->has_kernels = true;
    TACHO_TRY(take_kernels(from, compute, "source", &data->compute_sources));
    TACHO_TRY(take_kernels(from, compute, "name", &data->compute_names));
    TACHO_TRY(take_kernels(from, movers, "source", &data->mover_sources));
    TACHO_TRY(take_kernels(from, movers, "name", &data->mover_names));
    for (uint32_t node = tt_json_first(&from->json, compute); node != TACHO_NONE;
         node = tt_json_next(&from->json, node)) {
        TACHO_TRY(take_key(from, node, "math_fidelity", &data->fidelity));
    }
    return take_sizes(from, tt_json_find(&from->json, info, "kernel_sizes"), data);
}

static tacho_status take_model(op_reader *from, uint32_t model, tt_op_data *data)
{
    data->has_model = model != TACHO_NONE;
    TACHO_TRY(take_key(from, model, "ideal_ns", &data->ideal));
    TACHO_TRY(take_key(from, model, "compute_ns", &data->compute));
    TACHO_TRY(take_key(from, model, "bandwidth_ns", &data->bandwidth));
    TACHO_TRY(take_key(from, model, "input_bws", &data->input_rates));
    return take_key(from, model, "output_bws", &data->output_rates);
}

/* ---- ops ----------------------------------------------------------------------------------- */

static tacho_status take_op(op_reader *from, tt_op_data *data)
{
    uint64_t device = 0;
    *data = (tt_op_data){.device = -1};
    TACHO_TRY(take_key(from, 0, "op_code", &data->code));
    TACHO_TRY(take_key(from, 0, "op_type", &data->type));
    TACHO_TRY(take_key(from, 0, "attributes", &data->attributes));
    TACHO_TRY(take_key(from, 0, "math_fidelity", &data->fidelity));
    TACHO_TRY(take_key(from, 0, "parallelization_strategy", &data->strategy));
    TACHO_TRY(take_key(from, 0, "program_cache_hit", &data->cache_hit));
    TACHO_TRY(take_key(from, 0, "op_hash", &data->hash_text));
    data->has_hash = take_number(from, 0, "op_hash", &data->hash);
    if (take_number(from, 0, "device_id", &device) && device <= UINT32_MAX) {
        data->device = (int64_t)device;
    }
    const uint32_t inputs[2] = {tt_json_find(&from->json, 0, "input_tensors"),
                                tt_json_find(&from->json, 0, "optional_input_tensors")};
    const uint32_t outputs[2] = {tt_json_find(&from->json, 0, "output_tensors"), TACHO_NONE};
    TACHO_TRY(take_tensors(from, inputs, &data->inputs, &data->input_count));
    TACHO_TRY(take_tensors(from, outputs, &data->outputs, &data->output_count));
    TACHO_TRY(take_kernel_info(from, tt_json_find(&from->json, 0, "kernel_info"), data));
    return take_model(from, tt_json_find(&from->json, 0, "performance_model"), data);
}

tacho_status tt_op_data_read(tt_host *host, tacho_str json, tt_op_data *out_data, uint64_t *out_id,
                             bool *out_is_good)
{
    op_reader from = {.host = host};
    tacho_status status = tt_json_init(&from.json, json, out_is_good);
    if (status == TACHO_OK && *out_is_good) {
        *out_is_good = take_number(&from, 0, "global_call_count", out_id);
    }
    if (status == TACHO_OK && *out_is_good) {
        status = take_op(&from, out_data);
    }
    tacho_text_deinit(&from.text);
    tt_json_deinit(&from.json);
    return status;
}
