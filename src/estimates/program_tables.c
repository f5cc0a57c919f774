/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments, network, inputs and outputs, statistics, ops per core; for programs compiled by tacho
 * also their estimate and their memory.
 */
#include "estimates/program_tables.h"

#include "estimates/estimates.h"
#include "base/maths.h"
#include "graph/op_def.h"
#include "machine/machine.h"
#include "program/slice.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static tacho_status add_count(tacho_table *table, uint64_t value)
{
    return tacho_table_add_int(table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static tacho_status add_text(tacho_table *table, const char *text)
{
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* Absent if empty. */
static tacho_status add_name(tacho_table *table, tacho_str text)
{
    return text.len > 0 ? tacho_table_add_text(table, text) : tacho_table_add_absent(table);
}

/* ---- segments ----------------------------------------------------------------------------- */

static const tacho_column segment_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),       TACHO_COLUMN(SEGMENT, "segment", TEXT),
    TACHO_COLUMN(SIZE_BYTES, "bytes", INT), TACHO_COLUMN(OFFSET_BYTES, "at byte", INT),
    TACHO_COLUMN(CRC32C, "checksum", TEXT),
};

static tacho_status add_segments(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    for (size_t i = 0; i < opened->qpc.segment_count; i++) {
        const tacho_qpc_segment *segment = &opened->qpc.segments[i];
        TACHO_TRY(tacho_table_add_text(table, opened->file));
        TACHO_TRY(tacho_table_add_text(table, segment->name));
        TACHO_TRY(add_count(table, segment->data.len));
        TACHO_TRY(add_count(table, segment->place));
        TACHO_TRY(add_text(table, tacho_seal_state_name(opened->states[i])));
    }
    return TACHO_OK;
}

/* ---- network ------------------------------------------------------------------------------ */

static const tacho_column network_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(NETWORK, "network", TEXT),
    TACHO_COLUMN(VERSION, "version", TEXT),
    TACHO_COLUMN(CORE_COUNT, "cores", INT),
    TACHO_COLUMN(THREAD_COUNT, "threads", INT),
    TACHO_COLUMN(VECTOR_THREAD_COUNT, "vector threads", INT),
    TACHO_COLUMN(BATCH_SIZE, "batch", INT),
    TACHO_COLUMN(INPUT_COUNT, "inputs", INT),
    TACHO_COLUMN(OUTPUT_COUNT, "outputs", INT),
};

/* Adds rows of one description. */
typedef tacho_status (*desc_adder)(const tacho_opened_program *opened,
                                   const tacho_networkdesc *desc, tacho_table *table);

static tacho_status add_each(const tacho_opened_program *opened, desc_adder add, tacho_table *table)
{
    for (size_t i = 0; i < opened->desc_count; i++) {
        TACHO_TRY(add(opened, &opened->descs[i], table));
    }
    return TACHO_OK;
}

static tacho_status add_network(const tacho_opened_program *opened, const tacho_networkdesc *desc,
                                tacho_table *table)
{
    char version[48];
    snprintf(version, sizeof(version), "%" PRIu64 ".%" PRIu64, desc->major, desc->minor);
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_name(table, desc->name));
    TACHO_TRY(add_text(table, version));
    TACHO_TRY(add_count(table, desc->core_count));
    TACHO_TRY(add_count(table, desc->thread_count));
    TACHO_TRY(add_count(table, desc->vector_thread_count));
    TACHO_TRY(tacho_table_add_int(table, desc->batch_size));
    TACHO_TRY(add_count(table, desc->input_count));
    return add_count(table, desc->output_count);
}

static tacho_status add_networks(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    return add_each(opened, add_network, table);
}

/* ---- slices ------------------------------------------------------------------------------- */

static const tacho_column slice_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(SLICE, "slice", TEXT),
    TACHO_COLUMN(DEVICE, "device", INT),
    TACHO_COLUMN(OP_COUNT, "ops", INT),
    TACHO_COLUMN(CORE_COUNT, "cores", INT),
    TACHO_COLUMN(JOB_COUNT, "jobs", INT),
    TACHO_COLUMN(LINK_BYTES, "bytes from devices", INT),
    TACHO_COLUMN(START_CYCLES, "start", INT),
    TACHO_COLUMN(END_CYCLES, "end", INT),
};

static tacho_status add_slice_rows(const tacho_opened_program *opened, const tacho_slice *slices,
                                   tacho_table *table)
{
    for (uint32_t i = 0; i < tacho_slice_count(&opened->program); i++) {
        const tacho_slice *slice = &slices[i];
        TACHO_TRY(tacho_table_add_text(table, opened->file));
        TACHO_TRY(add_text(table, slice->name));
        TACHO_TRY(add_count(table, slice->device));
        TACHO_TRY(add_count(table, slice->op_count));
        TACHO_TRY(add_count(table, opened->program.facts.core_count));
        TACHO_TRY(add_count(table, slice->job_count));
        TACHO_TRY(add_count(table, slice->link_bytes));
        TACHO_TRY(tacho_table_add_int(table, slice->start));
        TACHO_TRY(tacho_table_add_int(table, slice->end));
    }
    return TACHO_OK;
}

/* For programs that run on several devices. */
static tacho_status add_slices(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    tacho_slice *slices;
    if (!opened->has_program || tacho_slice_count(&opened->program) <= 1) {
        return TACHO_OK;
    }
    tacho_status status = tacho_slices_create(&opened->program, &slices);
    if (status == TACHO_OK) {
        status = add_slice_rows(opened, slices, table);
    }
    tacho_slices_free(&opened->program, slices);
    return status;
}

/* ---- inputs and outputs ------------------------------------------------------------------- */

static const tacho_column tensor_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),       TACHO_COLUMN(DIRECTION, "in/out", TEXT),
    TACHO_COLUMN(NAME, "name", TEXT),       TACHO_COLUMN(DTYPE, "type", TEXT),
    TACHO_COLUMN(SHAPE, "shape", TEXT),     TACHO_COLUMN(DESCRIBED, "described as", TEXT),
    TACHO_COLUMN(SIZE_BYTES, "bytes", INT),
};

static tacho_dtype dtype_of(uint64_t type)
{
    switch (type) {
#define DTYPE(value, name, dtype)                                                                  \
    case value:                                                                                    \
        return TACHO_DTYPE_##dtype;
        TACHO_NETWORKDESC_TYPES(DTYPE)
#undef DTYPE
    default:
        return TACHO_DTYPE_NONE;
    }
}

/* "1x3x224x224"; |to| has room for any description's dimensions. */
enum { DIMS_TEXT_MAX = TACHO_NETWORKDESC_DIMS_MAX * 12 + 8 };

static void print_dims(const tacho_networkdesc_binding *binding, char to[DIMS_TEXT_MAX])
{
    size_t used = 0;
    snprintf(to, DIMS_TEXT_MAX, "scalar");
    for (size_t i = 0; i < binding->dim_count; i++) {
        int len = snprintf(to + used, DIMS_TEXT_MAX - used, "%s%" PRId32, i > 0 ? "x" : "",
                           binding->dims[i]);
        used += (size_t)len;
    }
}

/* Bytes from type and dimensions; absent if these are not known. */
static tacho_status add_binding_bytes(tacho_table *table, const tacho_networkdesc_binding *binding)
{
    uint64_t elements = 1;
    uint64_t bytes = 0;
    bool is_known = dtype_of(binding->type) != TACHO_DTYPE_NONE;
    for (size_t i = 0; i < binding->dim_count; i++) {
        is_known = is_known && binding->dims[i] >= 0 &&
                   !__builtin_mul_overflow(elements, (uint64_t)binding->dims[i], &elements);
    }
    is_known = is_known && tacho_dtype_bytes(dtype_of(binding->type), elements, &bytes);
    return is_known ? add_count(table, bytes) : tacho_table_add_absent(table);
}

static tacho_status add_binding(const tacho_opened_program *opened,
                                const tacho_networkdesc_binding *binding, const char *direction,
                                tacho_table *table)
{
    char dims[DIMS_TEXT_MAX];
    char number[32];
    print_dims(binding, dims);
    snprintf(number, sizeof(number), "%" PRIu64, binding->type);
    const char *type = tacho_networkdesc_type_name(binding->type);
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_text(table, direction));
    TACHO_TRY(add_name(table, binding->name));
    TACHO_TRY(add_text(table, tacho_dtype_name(dtype_of(binding->type))));
    TACHO_TRY(add_text(table, dims));
    TACHO_TRY(add_text(table, type != NULL ? type : number));
    return add_binding_bytes(table, binding);
}

/* Adds a tensor as in the program, next to its external description. */
static tacho_status add_own_tensor(const tacho_opened_program *opened, uint32_t id,
                                   const tacho_networkdesc_binding *binding, const char *direction,
                                   tacho_table *table)
{
    const tacho_program_tensor *tensor = &opened->program.tensors[id];
    char shape[TACHO_SHAPE_TEXT_MAX];
    const char *type = binding != NULL ? tacho_networkdesc_type_name(binding->type) : NULL;
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_text(table, direction));
    TACHO_TRY(add_name(table, tacho_strings_get(&opened->program.strings, tensor->name)));
    TACHO_TRY(add_text(table, tacho_dtype_name((tacho_dtype)tensor->dtype)));
    TACHO_TRY(add_text(table, tacho_shape_print(tacho_program_shape(&opened->program, tensor),
                                                shape, sizeof(shape))));
    TACHO_TRY(type != NULL ? add_text(table, type) : tacho_table_add_absent(table));
    return add_count(table, tensor->bytes);
}

/* The description of the |number|-th input or output: by place for a single network, by name for
 * slices. */
static const tacho_networkdesc_binding *find_binding(const tacho_opened_program *opened,
                                                     tacho_str name, size_t number, bool is_in)
{
    for (size_t i = 0; i < opened->desc_count; i++) {
        const tacho_networkdesc *desc = &opened->descs[i];
        const tacho_networkdesc_binding *bindings = is_in ? desc->inputs : desc->outputs;
        size_t count = is_in ? desc->input_count : desc->output_count;
        if (opened->desc_count == 1) {
            return number < count ? &bindings[number] : NULL;
        }
        for (size_t k = 0; k < count; k++) {
            if (tacho_str_equal(bindings[k].name, name)) {
                return &bindings[k];
            }
        }
    }
    return NULL;
}

static tacho_status add_own_tensors(const tacho_opened_program *opened, tacho_table *table)
{
    const tacho_program *program = &opened->program;
    for (size_t i = 0; i < program->input_count + program->output_count; i++) {
        bool is_in = i < program->input_count;
        size_t number = is_in ? i : i - program->input_count;
        uint32_t id = is_in ? program->inputs[number] : program->outputs[number];
        tacho_str name = tacho_strings_get(&program->strings, program->tensors[id].name);
        TACHO_TRY(add_own_tensor(opened, id, find_binding(opened, name, number, is_in),
                                 is_in ? "in" : "out", table));
    }
    return TACHO_OK;
}

static tacho_status add_bindings(const tacho_opened_program *opened, const tacho_networkdesc *desc,
                                 tacho_table *table)
{
    for (size_t i = 0; i < desc->input_count; i++) {
        TACHO_TRY(add_binding(opened, &desc->inputs[i], "in", table));
    }
    for (size_t i = 0; i < desc->output_count; i++) {
        TACHO_TRY(add_binding(opened, &desc->outputs[i], "out", table));
    }
    return TACHO_OK;
}

static tacho_status add_tensors(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    return opened->has_program ? add_own_tensors(opened, table)
                               : add_each(opened, add_bindings, table);
}

/* ---- statistics --------------------------------------------------------------------------- */

static const tacho_column stats_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(NETWORK, "network", TEXT),
    TACHO_COLUMN(LEVEL, "level", INT),
    TACHO_COLUMN(RECORDS, "records", TEXT),
    TACHO_COLUMN(OP_LEVEL, "op level", INT),
    TACHO_COLUMN(PMU_LEVEL, "PMU level", INT),
    TACHO_COLUMN(BATCH_SIZE, "batch", INT),
    TACHO_COLUMN(COUNTS_DDR, "DDR", TEXT),
    TACHO_COLUMN(TIMER_KHZ, "timer kHz", INT),
    TACHO_COLUMN(BUFFER_BYTES, "buffer bytes", INT),
    TACHO_COLUMN(PMU_EVENTS, "PMU events", TEXT),
    TACHO_COLUMN(PMU_RECIPE, "recipe", TEXT),
};

/* "0x3 0x1a4"; only the first few if there are more than a device can count. */
static void print_events(const tacho_networkdesc *desc, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < desc->pmu_event_count && used + 24 < size; i++) {
        int len =
            snprintf(to + used, size - used, "%s0x%" PRIx64, i > 0 ? " " : "", desc->pmu_events[i]);
        used += (size_t)len;
    }
}

enum { PORTS_LEVEL = 50 };

static const char *records_of(int64_t level)
{
    return level < TACHO_STATS_LEVEL_MIN      ? "nothing"
           : level < PORTS_LEVEL              ? "inferences"
           : level < TACHO_STATS_LEVEL_OPS    ? "inferences, ports"
           : level < TACHO_STATS_LEVEL_OP_PMU ? "inferences, ports, operators"
                                              : "inferences, ports, operators, their counters";
}

/* Whether the program is known to record nothing. */
static tacho_status add_no_stats(const tacho_opened_program *opened, tacho_table *table)
{
    if (!opened->has_program) {
        return TACHO_OK;
    }
    uint32_t level = opened->program.facts.stats.level;
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(
        add_name(table, tacho_strings_get(&opened->program.strings, opened->program.facts.name)));
    TACHO_TRY(tacho_table_add_int(table, level));
    TACHO_TRY(add_text(table, records_of(level)));
    for (size_t i = 4; i < COUNT_OF(stats_columns); i++) {
        TACHO_TRY(tacho_table_add_absent(table));
    }
    return TACHO_OK;
}

static tacho_status add_desc_stats(const tacho_opened_program *opened,
                                   const tacho_networkdesc *desc, tacho_table *table)
{
    const tacho_networkdesc_stats *stats = &desc->stats;
    char events[256];
    if (!desc->has_stats) {
        return TACHO_OK;
    }
    print_events(desc, events, sizeof(events));
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_name(table, desc->name));
    TACHO_TRY(tacho_table_add_int(table, stats->level));
    TACHO_TRY(add_text(table, records_of(stats->level)));
    TACHO_TRY(tacho_table_add_int(table, stats->op_level));
    TACHO_TRY(tacho_table_add_int(table, stats->pmu_level));
    TACHO_TRY(tacho_table_add_int(table, stats->batch_size));
    TACHO_TRY(add_text(table, stats->counts_ddr ? "yes" : "no"));
    TACHO_TRY(tacho_table_add_int(table, stats->timer_khz));
    bool has_buffer = stats->buffer < desc->dma_count && desc->dmas[stats->buffer].is_out;
    TACHO_TRY(has_buffer ? add_count(table, desc->dmas[stats->buffer].bytes)
                         : tacho_table_add_absent(table));
    TACHO_TRY(add_name(table, tacho_str_from_cstring(events)));
    const tacho_program *program = &opened->program;
    return opened->has_program ? add_name(table, tacho_strings_get(&program->strings,
                                                                   program->facts.stats.pmu_recipe))
                               : tacho_table_add_absent(table);
}

static tacho_status add_stats(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    bool has_stats = false;
    for (size_t i = 0; i < opened->desc_count; i++) {
        has_stats |= opened->descs[i].has_stats;
    }
    return has_stats ? add_each(opened, add_desc_stats, table) : add_no_stats(opened, table);
}

static const tacho_column event_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(EVENT, "event", TEXT),
    TACHO_COLUMN(NAME, "name", TEXT),
    TACHO_COLUMN(COUNTS, "counts", TEXT),
};

static tacho_status add_event_rows(const tacho_opened_program *opened, const tacho_machine *machine,
                                   tacho_table *table)
{
    const tacho_networkdesc *desc = &opened->descs[0]; /* slices count the same */
    for (size_t i = 0; i < desc->pmu_event_count; i++) {
        char code[32];
        const tacho_counter_def *counter = tacho_machine_counter_find(machine, desc->pmu_events[i]);
        snprintf(code, sizeof(code), "0x%" PRIx64, desc->pmu_events[i]);
        TACHO_TRY(tacho_table_add_text(table, opened->file));
        TACHO_TRY(add_text(table, code));
        TACHO_TRY(add_name(table, counter != NULL ? counter->name : TACHO_STR("")));
        TACHO_TRY(add_name(table, counter != NULL ? counter->counts : TACHO_STR("")));
    }
    return TACHO_OK;
}

/* Names events as the program's machine does; containers from other tools are for AIC 100. */
static tacho_status add_events(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    tacho_str name = TACHO_STR("aic100");
    if (opened->has_program) {
        name = tacho_strings_get(&opened->program.strings, opened->program.facts.machine);
    }
    if (opened->desc_count == 0 || opened->descs[0].pmu_event_count == 0 ||
        tacho_machine_builtin_text(name).len == 0) {
        return TACHO_OK;
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    tacho_status status = tacho_machine_find(name.data, &arena, &machine);
    if (status == TACHO_OK) {
        status = add_event_rows(opened, machine, table);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- ops per core ------------------------------------------------------------------------- */

static const tacho_column core_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(NETWORK, "network", TEXT),
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(GROUP, "thread group", TEXT),
    TACHO_COLUMN(THREAD_COUNT, "threads", INT),
    TACHO_COLUMN(OP_COUNT, "ops", INT),
};

static tacho_status add_core_row(const tacho_opened_program *opened, const tacho_networkdesc *desc,
                                 uint64_t core, uint32_t group, uint64_t op_count,
                                 tacho_table *table)
{
    char number[16];
    snprintf(number, sizeof(number), "%" PRIu32, group);
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_name(table, desc->name));
    TACHO_TRY(add_count(table, core));
    TACHO_TRY(group < desc->group_name_count ? tacho_table_add_text(table, desc->group_names[group])
                                             : add_text(table, number));
    TACHO_TRY(group < desc->group_size_count ? add_count(table, desc->group_sizes[group])
                                             : tacho_table_add_absent(table));
    return add_count(table, op_count);
}

/* Without names of ops, their numbers are listed. */
static tacho_status add_core_counts(const tacho_opened_program *opened,
                                    const tacho_networkdesc *desc, tacho_table *table)
{
    for (size_t i = 0; i < desc->core_op_count_count; i++) {
        TACHO_TRY(tacho_table_add_text(table, opened->file));
        TACHO_TRY(add_name(table, desc->name));
        TACHO_TRY(add_count(table, i));
        TACHO_TRY(add_text(table, "all"));
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(add_count(table, desc->core_op_counts[i]));
    }
    return TACHO_OK;
}

/* With more cores, users see the rest as one row. */
enum { CORES_SHOWN = 8 };

static tacho_status add_more_cores(const tacho_opened_program *opened,
                                   const tacho_networkdesc *desc, size_t first, tacho_table *table)
{
    size_t cores = 0;
    char text[48];
    for (size_t i = first; i < desc->op_count; i++) {
        cores += i == first || desc->ops[i].core != desc->ops[i - 1].core ? 1 : 0;
    }
    snprintf(text, sizeof(text), "... %zu more core%s", cores, cores == 1 ? "" : "s");
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_name(table, desc->name));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(add_text(table, text));
    TACHO_TRY(tacho_table_add_absent(table));
    return add_count(table, desc->op_count - first);
}

static tacho_status add_desc_cores(const tacho_opened_program *opened,
                                   const tacho_networkdesc *desc, tacho_table *table)
{
    if (desc->op_count == 0) {
        return add_core_counts(opened, desc, table);
    }
    for (size_t first = 0, at = 0; first < desc->op_count; first = at) {
        const tacho_networkdesc_op *op = &desc->ops[first];
        if (opened->is_for_people && op->core >= CORES_SHOWN) {
            return add_more_cores(opened, desc, first, table);
        }
        for (at = first; at < desc->op_count && desc->ops[at].core == op->core &&
                         desc->ops[at].group == op->group;
             at++) {
        }
        TACHO_TRY(add_core_row(opened, desc, op->core, op->group, at - first, table));
    }
    return TACHO_OK;
}

static tacho_status add_cores(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    return add_each(opened, add_desc_cores, table);
}

/* ---- programs compiled by tacho ----------------------------------------------------------- */

static const tacho_column estimate_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(MACHINE, "machine", TEXT),
    TACHO_COLUMN(MACHINE_TEXT_BYTES, "machine text bytes", INT),
    TACHO_COLUMN(MODEL, "model", TEXT),
    TACHO_COLUMN(DEVICE_COUNT, "devices", INT),
    TACHO_COLUMN(CORE_COUNT, "cores", INT),
    TACHO_COLUMN(OP_COUNT, "ops", INT),
    TACHO_COLUMN(STEP_COUNT, "steps", INT),
    TACHO_COLUMN(JOB_COUNT, "jobs", INT),
    TACHO_COLUMN(ESTIMATE_CYCLES, "cycles", INT),
    TACHO_COLUMN(ESTIMATE_NS, "estimate", DURATION),
    TACHO_COLUMN(RANDOM_WEIGHT_COUNT, "random weights", INT),
    TACHO_COLUMN(ZERO_WEIGHT_COUNT, "zero weights", INT),
};

static tacho_status add_cycles_as_ns(tacho_table *table, const tacho_program_facts *facts)
{
    enum { NS_PER_S = 1000000000 };
    if (facts->core_clock_hz == 0 || facts->core_clock_hz > INT64_MAX) {
        return tacho_table_add_absent(table);
    }
    tacho_i128 ns = tacho_scale_floor(facts->total_cycles, NS_PER_S, (int64_t)facts->core_clock_hz);
    return ns > INT64_MAX ? tacho_table_add_absent(table) : tacho_table_add_int(table, (int64_t)ns);
}

static tacho_status add_estimate(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    const tacho_program *program = &opened->program;
    const tacho_program_facts *facts = &program->facts;
    if (!opened->has_program) {
        return TACHO_OK;
    }
    static const tacho_column_id kept[] = {TACHO_COL_FILE, TACHO_COL_ESTIMATE_NS,
                                           TACHO_COL_ESTIMATE_CYCLES, TACHO_COL_MACHINE,
                                           TACHO_COL_OTHER};
    table->kept = kept;
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_name(table, tacho_strings_get(&program->strings, facts->machine)));
    TACHO_TRY(add_count(table, tacho_strings_get(&program->strings, facts->machine_text).len));
    TACHO_TRY(add_name(table, tacho_strings_get(&program->strings, facts->model_path)));
    TACHO_TRY(add_count(table, facts->device_count));
    TACHO_TRY(add_count(table, facts->core_count));
    TACHO_TRY(add_count(table, program->op_count));
    TACHO_TRY(add_count(table, program->step_count));
    TACHO_TRY(add_count(table, program->job_count));
    TACHO_TRY(tacho_table_add_int(table, facts->total_cycles));
    TACHO_TRY(add_cycles_as_ns(table, facts));
    TACHO_TRY(add_count(table, facts->random_weight_count));
    return add_count(table, facts->zero_weight_count);
}

static const tacho_column unknown_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),         TACHO_COLUMN(OP, "op", INT),
    TACHO_COLUMN(NAME, "name", TEXT),         TACHO_COLUMN(TYPE, "type", TEXT),
    TACHO_COLUMN(LOCATION, "location", TEXT),
};

/* Ops without a known kernel: a runtime must provide its own. */
static tacho_status add_unknown(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    const tacho_program *program = &opened->program;
    const tacho_strings *strings = &program->strings;
    for (size_t i = 0; opened->has_program && i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        tacho_str type = tacho_strings_get(strings, step->type);
        if (tacho_op_def_find(type) != NULL) {
            continue;
        }
        const tacho_program_op *op = &program->ops[step->op];
        TACHO_TRY(tacho_table_add_text(table, opened->file));
        TACHO_TRY(add_count(table, step->op));
        TACHO_TRY(add_name(table, tacho_strings_get(strings, op->name)));
        TACHO_TRY(add_name(table, type));
        TACHO_TRY(add_name(table, tacho_strings_get(strings, op->location)));
    }
    return TACHO_OK;
}

static const tacho_column memory_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(LOCAL_PEAK_BYTES, "local peak bytes", INT),
    TACHO_COLUMN(DDR_BYTES, "DDR bytes", INT),
    TACHO_COLUMN(CONSTANT_BYTES, "constant bytes", INT),
    TACHO_COLUMN(BUFFER_COUNT, "buffers", INT),
};

static tacho_status add_memory(const void *item, tacho_table *table)
{
    const tacho_opened_program *opened = item;
    const tacho_program_facts *facts = &opened->program.facts;
    if (!opened->has_program) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_count(table, facts->local_peak_bytes));
    TACHO_TRY(add_count(table, facts->ddr_bytes));
    TACHO_TRY(add_count(table, facts->constant_bytes));
    return add_count(table, opened->program.buffer_count);
}

/* In the order in which they are shown. */
static const tacho_items_table makers[] = {
    TACHO_ITEMS_TABLE("segments", "Segments", segment_columns, add_segments),
    TACHO_ITEMS_TABLE("networks", "Networks", network_columns, add_networks),
    TACHO_ITEMS_TABLE("slices", "Slices", slice_columns, add_slices),
    TACHO_ITEMS_TABLE("tensors", "Inputs and outputs", tensor_columns, add_tensors),
    TACHO_ITEMS_TABLE("stats", "Recorded while it runs", stats_columns, add_stats),
    TACHO_ITEMS_TABLE("events", "Counted events", event_columns, add_events),
    TACHO_ITEMS_TABLE("cores", "Ops by core and thread group", core_columns, add_cores),
    TACHO_ITEMS_TABLE("estimates", "Estimates", estimate_columns, add_estimate),
    TACHO_ITEMS_TABLE("memory", "Memory", memory_columns, add_memory),
    TACHO_ITEMS_TABLE("unknown_ops", "Unknown ops", unknown_columns, add_unknown),
};

static const void *item_of(const void *subject, size_t index)
{
    const tacho_opened_programs *programs = subject;
    return &programs->items[index];
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_opened_programs *programs = subject;
    const tacho_items items = {subject, programs->item_count, item_of};
    (void)options;
    return tacho_items_tables_make(makers, COUNT_OF(makers), &items, to);
}

const tacho_analysis tacho_analysis_program = {
    .name = "program",
    .question = "what does a compiled program consist of, and what does it record",
    .subject = TACHO_SUBJECT_PROGRAMS,
    .make = make_tables,
};
