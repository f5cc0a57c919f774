/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of one operator. The performance model is the vendor's: cycles of the matrix engines of the
 * whole chip, and bytes of the largest tensor at the rate of its memory.
 */
#include "vendors/tenstorrent/run_client_op.h"

#include "base/whole.h"
#include "vendors/tenstorrent/tt_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TILE = 32, NUMBER_ROOM = 64 };

void run_client_op_init(run_client_op *self, const run_client_program *of)
{
    *self = (run_client_op){.of = of};
    tacho_arena_init(&self->arena);
}

void run_client_op_deinit(run_client_op *self)
{
    tacho_text_deinit(&self->text);
    tacho_arena_deinit(&self->arena);
}

/* ---- texts --------------------------------------------------------------------------------- */

static tacho_status keep(run_client_op *self, tacho_str text, const char **out_text)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&self->arena, text, &copy));
    *out_text = copy.data;
    return TACHO_OK;
}

static tacho_status TACHO_PRINTF(2, 3) put(run_client_op *self, const char *format, ...)
{
    char text[NUMBER_ROOM];
    va_list values;
    va_start(values, format);
    int len = vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    size_t used = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    return tacho_text_put(&self->text, tacho_str_make(text, used));
}

static tacho_client_arg *next_arg(run_client_op *self, const char *key)
{
    tacho_client_arg *arg = &self->args[self->op.arg_count];
    self->op.arg_count += self->op.arg_count + 1 < RUN_CLIENT_ARGS_MAX ? 1 : 0;
    *arg = (tacho_client_arg){.key = key};
    return arg;
}

tacho_status run_client_op_add_text(run_client_op *self, const char *key, const char *text)
{
    tacho_client_arg *arg = next_arg(self, key);
    arg->type = TACHO_CLIENT_TEXT;
    return keep(self, tacho_str_from_cstring(text), &arg->value.as_text);
}

static tacho_status add_text(run_client_op *self, tt_join_column column, tacho_str text)
{
    tacho_client_arg *arg = next_arg(self, tt_join_column_name(column));
    arg->type = TACHO_CLIENT_TEXT;
    return keep(self, text, &arg->value.as_text);
}

static void add_count(run_client_op *self, tt_join_column column, uint64_t value,
                      tacho_client_unit unit)
{
    tacho_client_arg *arg = next_arg(self, tt_join_column_name(column));
    arg->type = TACHO_CLIENT_UINT;
    arg->unit = unit;
    arg->value.as_uint = value;
}

static tacho_status add_share(run_client_op *self, tt_join_column column, const char *format,
                              double value)
{
    char text[NUMBER_ROOM];
    snprintf(text, sizeof(text), strcmp(format, "1") == 0 ? "%.1f" : "%.2f", value);
    return add_text(self, column, tacho_str_from_cstring(text));
}

/* ---- what it is ---------------------------------------------------------------------------- */

static tacho_status put_attr(run_client_op *self, const tacho_attr *attr)
{
    switch (attr->kind) {
    case TACHO_ATTR_INT:
        return put(self, "%" PRId64, attr->value.as_int);
    case TACHO_ATTR_REAL:
        return put(self, "%g", attr->value.as_real);
    case TACHO_ATTR_TEXT:
        return tacho_text_put(&self->text, attr->value.as_text);
    case TACHO_ATTR_INTS:
        for (uint32_t i = 0; i < attr->count; i++) {
            TACHO_TRY(put(self, "%s%" PRId64, i == 0 ? "[" : " ", attr->value.as_ints[i]));
        }
        return put(self, "%s", attr->count == 0 ? "[]" : "]");
    case TACHO_ATTR_REALS:
        for (uint32_t i = 0; i < attr->count; i++) {
            TACHO_TRY(put(self, "%s%g", i == 0 ? "[" : " ", attr->value.as_reals[i]));
        }
        return put(self, "%s", attr->count == 0 ? "[]" : "]");
    case TACHO_ATTR_TEXTS:
    case TACHO_ATTR_TENSOR:
    case TACHO_ATTR_GRAPH:
    case TACHO_ATTR_OTHER:
        break;
    }
    return put(self, "...");
}

static tacho_status put_pair(run_client_op *self, tacho_str key, tacho_str value)
{
    bool is_first = self->text.item_count == 0;
    TACHO_TRY(put(self, "%s'", is_first ? "{" : ", "));
    TACHO_TRY(tacho_text_put(&self->text, key));
    TACHO_TRY(put(self, "': '"));
    TACHO_TRY(tacho_text_put(&self->text, value));
    return put(self, "'");
}

/* "{'name': 'fc', 'type': 'MatMul+Relu', 'transA': '0'}", as Python prints a dictionary. */
static tacho_status set_attributes(run_client_op *self, const tacho_program_op *op)
{
    enum { ATTRS_MAX = 32 };
    const tacho_program *program = self->of->program;
    size_t count = 0;
    TACHO_TRY(put_pair(self, TACHO_STR("name"), tacho_strings_get(&program->strings, op->name)));
    TACHO_TRY(put_pair(self, TACHO_STR("type"), tacho_strings_get(&program->strings, op->type)));
    for (uint32_t i = 0; i < op->step_count; i++) {
        const tacho_step *step = &program->steps[op->first_step + i];
        for (uint32_t k = 0; k < step->attr_count && count < ATTRS_MAX; k++, count++) {
            const tacho_attr *attr = &program->attrs[step->first_attr + k];
            TACHO_TRY(put(self, ", '"));
            TACHO_TRY(tacho_text_put(&self->text, attr->name));
            TACHO_TRY(put(self, "': '"));
            TACHO_TRY(put_attr(self, attr));
            TACHO_TRY(put(self, "'"));
        }
    }
    TACHO_TRY(put(self, "}"));
    return keep(self, tacho_text_take(&self->text), &self->op.attributes);
}

static tacho_status set_location(run_client_op *self, const tacho_program_op *op)
{
    tacho_str location = tacho_strings_get(&self->of->program->strings, op->location);
    return location.len > 0 ? keep(self, location, &self->op.location) : TACHO_OK;
}

/* ---- tensors ------------------------------------------------------------------------------- */

static bool has_id(const uint32_t *ids, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

static void add_id(uint32_t *ids, size_t *count, uint32_t id)
{
    if (*count < RUN_CLIENT_TENSORS_MAX && id != TACHO_NONE && !has_id(ids, *count, id)) {
        ids[(*count)++] = id;
    }
}

/* Whether a step of |op| other than |but| makes or reads |tensor|. */
static bool is_touched(const tacho_program *program, const tacho_program_op *op, uint32_t tensor,
                       bool is_output)
{
    for (uint32_t i = 0; i < op->step_count; i++) {
        const tacho_step *step = &program->steps[op->first_step + i];
        const uint32_t *links = &program->links[step->first_link];
        const uint32_t *from = is_output ? links + step->input_count : links;
        if (has_id(from, is_output ? step->output_count : step->input_count, tensor)) {
            return true;
        }
    }
    return false;
}

/* Tensors that come into the operator, and those that leave it. */
static void find_tensors(run_client_op *self, const tacho_program_op *op)
{
    const tacho_program *program = self->of->program;
    tacho_client_op *to = &self->op;
    for (uint32_t i = 0; i < op->step_count; i++) {
        const tacho_step *step = &program->steps[op->first_step + i];
        const uint32_t *links = &program->links[step->first_link];
        for (uint16_t k = 0; k < step->input_count; k++) {
            if (links[k] < program->tensor_count && !is_touched(program, op, links[k], true)) {
                add_id(self->input_ids, &to->input_count, links[k]);
            }
        }
        links += step->input_count;
        for (uint16_t k = 0; k < step->output_count; k++) {
            bool is_inside = links[k] >= program->tensor_count ||
                             (is_touched(program, op, links[k], false) &&
                              program->tensors[links[k]].storage != TACHO_STORAGE_OUTPUT);
            if (!is_inside) {
                add_id(self->output_ids, &to->output_count, links[k]);
            }
        }
    }
}

static tacho_status describe(run_client_op *self, uint32_t id, uint32_t device,
                             tacho_client_tensor *out)
{
    const run_client_program *of = self->of;
    const tacho_program_tensor *tensor = &of->program->tensors[id];
    const tacho_shape *shape = tacho_program_shape(of->program, tensor);
    char name[TT_NAME_MAX];
    if (of->is_tenstorrent) {
        tt_name_dtype((tacho_dtype)tensor->kept, name);
    } else {
        snprintf(name, sizeof(name), "%s", tacho_dtype_name((tacho_dtype)tensor->dtype));
    }
    *out = (tacho_client_tensor){.shape = shape->dims,
                                 .rank = shape->rank > 0 ? (size_t)shape->rank : 0};
    TACHO_TRY(keep(self, tacho_str_from_cstring(name), &out->dtype));
    if (!of->is_simulated) {
        return TACHO_OK;
    }
    out->layout = of->is_tenstorrent && shape->rank > 0 ? "TILE" : "ROW_MAJOR";
    if (of->is_tenstorrent) {
        snprintf(name, sizeof(name), "DEV_%u_%s_INTERLEAVED", (unsigned)device,
                 tensor->is_local ? "L1" : "DRAM");
        return keep(self, tacho_str_from_cstring(name), &out->memory);
    }
    out->memory = tensor->is_local ? "local" : "shared";
    return TACHO_OK;
}

static tacho_status set_tensors(run_client_op *self, const tacho_program_op *op, uint32_t device)
{
    tacho_client_op *to = &self->op;
    find_tensors(self, op);
    for (size_t i = 0; i < to->input_count; i++) {
        TACHO_TRY(describe(self, self->input_ids[i], device, &self->inputs[i]));
    }
    for (size_t i = 0; i < to->output_count; i++) {
        TACHO_TRY(describe(self, self->output_ids[i], device, &self->outputs[i]));
    }
    to->inputs = self->inputs;
    to->outputs = self->outputs;
    return TACHO_OK;
}

/* ---- what makes two alike ------------------------------------------------------------------ */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text != NULL ? hash_bytes(hash, text, strlen(text) + 1) : hash;
}

static uint64_t hash_tensors(uint64_t hash, const tacho_client_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = hash_text(hash, tensors[i].dtype);
        hash = hash_text(hash, tensors[i].memory);
        hash = hash_bytes(hash, tensors[i].shape, tensors[i].rank * sizeof(*tensors[i].shape));
    }
    return hash;
}

/* Operators that differ in nothing but their name and their values have one. */
static uint64_t hash_op(const run_client_op *self)
{
    const tacho_client_op *op = &self->op;
    const char *rest = strstr(op->attributes, "', 'type': ");
    uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), op->code);
    hash = hash_text(hash, rest != NULL ? rest : op->attributes);
    hash = hash_text(hash, self->of->fidelity);
    hash = hash_tensors(hash, op->inputs, op->input_count);
    return hash_tensors(hash, op->outputs, op->output_count);
}

tacho_status run_client_op_begin(run_client_op *self, uint32_t index, uint32_t device)
{
    const run_client_program *of = self->of;
    const tacho_program_op *op = &of->program->ops[index];
    char name[TT_NAME_MAX];
    tacho_arena_reset(&self->arena);
    self->op = (tacho_client_op){.device = device, .args = self->args};
    if (of->is_tenstorrent) {
        tt_name_op(of->program, op, name);
        TACHO_TRY(keep(self, tacho_str_from_cstring(name), &self->op.code));
    } else {
        TACHO_TRY(keep(self, tacho_strings_get(&of->program->strings, op->type), &self->op.code));
    }
    self->op.type = of->is_tenstorrent ? "tt_dnn_device" : of->is_simulated ? "device" : "cpu";
    TACHO_TRY(set_attributes(self, op));
    TACHO_TRY(set_location(self, op));
    TACHO_TRY(set_tensors(self, op, device));
    self->hash = hash_op(self);
    return TACHO_OK;
}

/* ---- times --------------------------------------------------------------------------------- */

static uint64_t ns_of(const run_client_op *self, uint64_t cycles)
{
    return (uint64_t)llrint((double)cycles * self->of->ns_per_cycle);
}

static void add_cycles(run_client_op *self, tt_join_column column, uint64_t cycles)
{
    add_count(self, column, ns_of(self, cycles), TACHO_CLIENT_NS);
}

static void add_range(run_client_op *self, tt_join_column column, const tacho_cycle_range *range)
{
    if (range->count > 0) {
        add_cycles(self, column, range->last - range->first);
    }
}

static void add_latency(run_client_op *self, tt_join_column column, bool has_before,
                        uint64_t before, uint64_t start)
{
    tacho_client_arg *arg = next_arg(self, tt_join_column_name(column));
    double cycles = has_before ? (double)start - (double)before : 0;
    arg->type = TACHO_CLIENT_INT;
    arg->unit = TACHO_CLIENT_NS;
    arg->value.as_int = llrint(cycles * self->of->ns_per_cycle);
}

/* From the end of the operator before, of all processors and of those that move data. */
static void add_latencies(run_client_op *self, const tacho_op_times *times,
                          const tacho_cycle_range *movers, run_client_device *device)
{
    add_latency(self, TT_JOIN_LATENCY, device->has_kernel, device->kernel_end, times->kernel.first);
    device->has_kernel = true;
    device->kernel_end = times->kernel.last;
    if (movers->count > 0) {
        add_latency(self, TT_JOIN_MOVER_LATENCY, device->has_mover, device->mover_end,
                    movers->first);
        device->has_mover = true;
        device->mover_end = movers->last;
    }
}

static tacho_cycle_range movers_of(const tacho_op_times *times)
{
    const tacho_cycle_range *reads = &times->roles[TACHO_OP_READS];
    const tacho_cycle_range *writes = &times->roles[TACHO_OP_WRITES];
    if (reads->count == 0 || writes->count == 0) {
        return reads->count > 0 ? *reads : *writes;
    }
    return (tacho_cycle_range){
        .first = reads->first < writes->first ? reads->first : writes->first,
        .last = reads->last > writes->last ? reads->last : writes->last,
        .count = reads->count + writes->count,
    };
}

static void add_durations(run_client_op *self, const tacho_op_times *times,
                          run_client_device *device)
{
    tacho_cycle_range movers = movers_of(times);
    self->op.device_start_ticks = times->all.first;
    self->op.device_end_ticks = times->all.last;
    add_count(self, TT_JOIN_FW_START, times->all.first, TACHO_CLIENT_CYCLES);
    add_count(self, TT_JOIN_FW_END, times->all.last, TACHO_CLIENT_CYCLES);
    add_range(self, TT_JOIN_FW_DURATION, &times->all);
    if (times->kernel.count == 0) {
        return;
    }
    add_latencies(self, times, &movers, device);
    add_range(self, TT_JOIN_KERNEL_DURATION, &times->kernel);
    if (movers.count > 0) {
        add_cycles(self, TT_JOIN_MOVER_DURATION, times->kernel.last - movers.first);
    }
    add_cycles(self, TT_JOIN_CORE_MIN, times->core_least);
    add_cycles(self, TT_JOIN_CORE_MAX, times->core_most);
    add_count(self, TT_JOIN_CORE_AVG,
              (uint64_t)llrint((double)times->core_sum * self->of->ns_per_cycle /
                               (double)times->core_count),
              TACHO_CLIENT_NS);
    add_cycles(self, TT_JOIN_FIRST_TO_LAST, times->core_last_start - times->kernel.first);
    add_range(self, TT_JOIN_BRISC, &times->roles[TACHO_OP_WRITES]);
    add_range(self, TT_JOIN_NCRISC, &times->roles[TACHO_OP_READS]);
    add_range(self, TT_JOIN_TRISC0, &times->roles[TACHO_OP_COMPUTES]);
    add_range(self, TT_JOIN_TRISC1, &times->roles[TACHO_OP_COMPUTES]);
    add_range(self, TT_JOIN_TRISC2, &times->roles[TACHO_OP_COMPUTES]);
}

/* ---- the performance model ----------------------------------------------------------------- */

/* Bytes per ns that the vendor's model assumes of the memory of all cores. */
static double memory_rate(const tacho_machine *machine)
{
    enum { WORMHOLE = 258, OTHERS = 512 };
    bool is_wormhole = tacho_str_starts_with(machine->name, TACHO_STR("wormhole"));
    return (is_wormhole ? WORMHOLE : OTHERS) * (double)(1 << 30) / 1e9;
}

static double padded(int64_t extent)
{
    return (double)((extent + TILE - 1) / TILE * TILE);
}

/* Bytes of a tensor in tiles. */
static double tile_bytes(const run_client_op *self, uint32_t id)
{
    const tacho_program_tensor *tensor = &self->of->program->tensors[id];
    const tacho_shape *shape = tacho_program_shape(self->of->program, tensor);
    uint64_t bytes = 0;
    double elements = 1;
    for (int32_t i = 0; i < shape->rank; i++) {
        elements *= i + 2 < shape->rank ? (double)shape->dims[i] : padded(shape->dims[i]);
    }
    if (elements > 1e15 ||
        !tacho_dtype_bytes((tacho_dtype)tensor->kept, tacho_whole_u64(elements), &bytes)) {
        return 0;
    }
    return (double)bytes;
}

/* ns that reading or writing a tensor takes at best; one in local memory counts 1. */
static double tensor_ns(const run_client_op *self, uint32_t id)
{
    double ns = floor(tile_bytes(self, id) / memory_rate(self->of->machine));
    return self->of->program->tensors[id].is_local || ns < 1 ? 1 : ns;
}

static tacho_status add_rates(run_client_op *self, tt_join_column column, const uint32_t *ids,
                              size_t count, double ideal_ns)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(put(self, "%s%.3f", i == 0 ? "[" : ", ", tile_bytes(self, ids[i]) / ideal_ns));
    }
    TACHO_TRY(put(self, count == 0 ? "[]" : "]"));
    return add_text(self, column, tacho_text_take(&self->text));
}

/* MACs of a matrix engine in a cycle, all cores; 0: none. */
static double peak_macs(const run_client_op *self)
{
    const tacho_machine *machine = self->of->machine;
    for (size_t i = 0; i < machine->engine_count; i++) {
        if (machine->engines[i].mac_count > 0) {
            const tacho_quantity *rate = &machine->engines[i].macs[0].per_cycle;
            return (double)rate->value.num / (double)rate->value.den * tacho_machine_cores(machine);
        }
    }
    return 0;
}

static tacho_status add_model(run_client_op *self, const tacho_program_op *op)
{
    const tacho_client_op *to = &self->op;
    double peak = peak_macs(self);
    double compute = 1;
    double bandwidth = 1;
    bool has_model = op->macs > 0 && peak > 0;
    if (has_model) {
        compute = ceil(ceil((double)op->macs * self->of->passes / peak) * self->of->ns_per_cycle);
        for (size_t i = 0; i < to->input_count; i++) {
            bandwidth = fmax(bandwidth, tensor_ns(self, self->input_ids[i]));
        }
        for (size_t i = 0; i < to->output_count; i++) {
            bandwidth = fmax(bandwidth, tensor_ns(self, self->output_ids[i]));
        }
    }
    double ideal = fmax(compute, bandwidth);
    add_count(self, TT_JOIN_PM_IDEAL, tacho_whole_u64(ideal), TACHO_CLIENT_NS);
    add_count(self, TT_JOIN_PM_COMPUTE, tacho_whole_u64(compute), TACHO_CLIENT_NS);
    add_count(self, TT_JOIN_PM_BANDWIDTH, tacho_whole_u64(bandwidth), TACHO_CLIENT_NS);
    TACHO_TRY(add_rates(self, TT_JOIN_PM_INPUTS, self->input_ids, has_model ? to->input_count : 0,
                        ideal));
    return add_rates(self, TT_JOIN_PM_OUTPUTS, self->output_ids, has_model ? to->output_count : 0,
                     ideal);
}

/* Shares of the time: of what shared memory could move, and of waiting for it and networks. */
static tacho_status add_shares(run_client_op *self, const tacho_op_times *times)
{
    const tacho_memory *memory = tacho_machine_memory(self->of->machine, TACHO_MEMORY_DDR);
    double cycles = (double)(times->kernel.last - times->kernel.first);
    if (cycles > 0 && memory != NULL && tacho_quantity_is_set(&memory->bytes_per_cycle)) {
        tacho_ratio rate = memory->bytes_per_cycle.value;
        double most = cycles * (double)rate.num / (double)rate.den;
        TACHO_TRY(
            add_share(self, TT_JOIN_DRAM_UTIL, "1", 100.0 * (double)times->shared_bytes / most));
    }
    if (cycles > 0 && times->has_stalls && times->stall_cycles >= 0) {
        TACHO_TRY(
            add_share(self, TT_JOIN_CONGESTION, "2", 100.0 * (double)times->stall_cycles / cycles));
    }
    return TACHO_OK;
}

/* ---- kernels ------------------------------------------------------------------------------- */

typedef struct kernel_word {
    tacho_op_role role;
    const char *word;
} kernel_word;

/* "['sim/matmul/writer', 'sim/matmul/reader']"; with a |hash| "['matmul_writer/17/', ...]". */
static tacho_status add_kernels(run_client_op *self, tt_join_column column,
                                const kernel_word *words, const tacho_op_times *times, bool is_hash)
{
    const tacho_program *program = self->of->program;
    tacho_str kind = tacho_strings_get(&program->strings, program->ops[times->op].kind);
    bool is_first = true;
    TACHO_TRY(put(self, "["));
    for (; words->word != NULL; words++) {
        if (times->roles[words->role].count == 0) {
            continue;
        }
        TACHO_TRY(put(self, "%s%s", is_first ? "'" : ", '", is_hash ? "" : "sim/"));
        TACHO_TRY(tacho_text_put(&self->text, kind));
        TACHO_TRY(put(self, "%s%s", is_hash ? "_" : "/", words->word));
        TACHO_TRY(is_hash ? put(self, "/%" PRIu64 "/'", self->hash) : put(self, "'"));
        is_first = false;
    }
    TACHO_TRY(put(self, "]"));
    return add_text(self, column, tacho_text_take(&self->text));
}

static tacho_status add_kernel_facts(run_client_op *self, const tacho_op_times *times)
{
    static const kernel_word compute[] = {{TACHO_OP_COMPUTES, "compute"}, {TACHO_OP_READS, NULL}};
    static const kernel_word movers[] = {
        {TACHO_OP_WRITES, "writer"}, {TACHO_OP_READS, "reader"}, {TACHO_OP_READS, NULL}};
    char text[NUMBER_ROOM];
    snprintf(text, sizeof(text), "%" PRIu64, self->hash);
    TACHO_TRY(add_text(self, TT_JOIN_PROGRAM_HASH, tacho_str_from_cstring(text)));
    TACHO_TRY(add_kernels(self, TT_JOIN_COMPUTE_SOURCES, compute, times, false));
    TACHO_TRY(add_kernels(self, TT_JOIN_COMPUTE_NAMES, compute, times, true));
    TACHO_TRY(add_kernels(self, TT_JOIN_MOVER_SOURCES, movers, times, false));
    return add_kernels(self, TT_JOIN_MOVER_NAMES, movers, times, true);
}

tacho_status run_client_op_add_times(run_client_op *self, const tacho_op_times *times,
                                     run_client_device *device)
{
    const run_client_program *of = self->of;
    if (of->fidelity != NULL) {
        TACHO_TRY(add_text(self, TT_JOIN_FIDELITY, tacho_str_from_cstring(of->fidelity)));
    }
    add_count(self, TT_JOIN_CORE_COUNT, times->core_count, TACHO_CLIENT_COUNT);
    add_count(self, TT_JOIN_WORKER_CORES, tacho_machine_cores(of->machine), TACHO_CLIENT_COUNT);
    add_durations(self, times, device);
    TACHO_TRY(add_shares(self, times));
    if (!of->is_tenstorrent) {
        return TACHO_OK;
    }
    TACHO_TRY(
        add_text(self, TT_JOIN_DEVICE_ARCH, of->machine->peaks[of->machine->peak_count - 1].chip));
    TACHO_TRY(add_kernel_facts(self, times));
    return add_model(self, &of->program->ops[times->op]);
}
