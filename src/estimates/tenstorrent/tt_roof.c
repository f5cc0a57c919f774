/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes are those of the first two inputs and the first output, which is all that a table has of
 * every op; sizes are padded to tiles, as the engines process them.
 */
#include "estimates/tenstorrent/tt_roof.h"

#include "estimates/tenstorrent/tt_report.h"
#include "base/whole.h"
#include "profile/tt_columns.h"

#define DEFAULT_CHIP "wormhole_b0"

static tacho_dtype dtype_of(tacho_str name)
{
    static const struct {
        const char *name;
        tacho_dtype dtype;
    } names[] = {
        {"FLOAT32", TACHO_DTYPE_F32},    {"BFLOAT16", TACHO_DTYPE_BF16},
        {"BFLOAT8_B", TACHO_DTYPE_BFP8}, {"BFLOAT4_B", TACHO_DTYPE_BFP4},
        {"UINT32", TACHO_DTYPE_U32},     {"INT32", TACHO_DTYPE_I32},
        {"UINT16", TACHO_DTYPE_U16},     {"UINT8", TACHO_DTYPE_U8},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(names[i].name))) {
            return names[i].dtype;
        }
    }
    return TACHO_DTYPE_NONE;
}

/* ---- roofs ------------------------------------------------------------------------------- */

/* Scales the rates of the first chip in the description to |chip|. */
static void scale_to_chip(tacho_roof *roof, const tacho_tt_arch *chip)
{
    const tacho_peaks *first = &roof->machine->peaks[0];
    tacho_tt_arch base = tacho_tt_arch_of(first);
    double factor =
        chip->tflops_hifi4 * chip->worker_cores / (base.tflops_hifi4 * base.worker_cores);
    for (int i = 0; i < TACHO_DTYPE_COUNT; i++) {
        roof->matrix[i] *= factor;
        roof->vector[i] *= factor;
    }
    roof->bytes_per_s[TACHO_ROOF_LOCAL] *= factor;
    roof->bytes_per_s[TACHO_ROOF_SHARED] = chip->dram_gb_s * 1e9;
    roof->cores = (uint32_t)tacho_whole_u64(chip->worker_cores);
    roof->name = chip->name;
}

/* Finds the roof of the chip called |name|. */
static tacho_status find_roof(tacho_roofline *line, tacho_str name, uint32_t *out_roof)
{
    tacho_tt_arch chip;
    tacho_machine *machine = NULL;
    tacho_roof roof;
    name = name.len > 0 ? name : TACHO_STR(DEFAULT_CHIP);
    TACHO_TRY(tacho_tt_machine_find(name, &line->arena, &chip, &machine));
    if (machine == NULL) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "no machine is described for the chip '%.*s'; name a machine or its "
                          "ceilings",
                          TACHO_STR_ARG(name));
    }
    tacho_roof_init(&roof, machine);
    scale_to_chip(&roof, &chip);
    return tacho_roofline_ensure_roof(line, &roof, out_roof);
}

/* ---- work -------------------------------------------------------------------------------- */

static uint64_t whole(double value)
{
    return value >= 1 && value < 9e18 ? tacho_whole_u64(value) : 0;
}

/* Bytes of one tensor; in block formats 16 elements share an exponent, which is moved, too. */
static double tensor_bytes(const tacho_tt_op *op, tacho_tt_tensor tensor, const char *memory)
{
    double bytes = tacho_tt_tensor_bytes(op, tensor, memory);
    tacho_dtype dtype = dtype_of(op->datatypes[tensor]);
    return dtype == TACHO_DTYPE_BFP8   ? bytes * 17 / 16
           : dtype == TACHO_DTYPE_BFP4 ? bytes * 9 / 8
                                       : bytes;
}

/* Bytes of the tensors before |end|: inputs, then the output. */
static uint64_t sum_bytes(const tacho_tt_op *op, const char *memory, tacho_tt_tensor end)
{
    double sum = 0;
    for (int i = 0; i < (int)end; i++) {
        double bytes = tensor_bytes(op, (tacho_tt_tensor)i, memory);
        sum += bytes > 0 ? bytes : 0;
    }
    return whole(sum);
}

/* Whether the op reads or writes only parts of its tensors, which the table does not contain. */
static bool is_partial(tacho_str code)
{
    static const char *const words[] = {"UpdateCache", "FillCache", "Embedding", "Decode",
                                        "GridSample",  "Gather",    "Scatter"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_tt_holds(code, words[i])) {
            return true;
        }
    }
    return false;
}

/* A slice is read and written once, regardless of the size of its tensor. */
static uint64_t slice_bytes(const tacho_tt_op *op)
{
    double input = tensor_bytes(op, TACHO_TT_INPUT_0, "");
    double output = tensor_bytes(op, TACHO_TT_OUTPUT_0, "");
    uint64_t moved = whole(input < output ? input : output);
    uint64_t sum = 0;
    sum += tacho_tt_holds(op->memories[TACHO_TT_INPUT_0], "DRAM") ? moved : 0;
    return sum + (tacho_tt_holds(op->memories[TACHO_TT_OUTPUT_0], "DRAM") ? moved : 0);
}

static uint64_t dram_bytes(const tacho_tt_op *op)
{
    if (is_partial(op->code)) {
        return 0;
    }
    return tacho_tt_holds(op->code, "Slice") ? slice_bytes(op)
                                             : sum_bytes(op, "DRAM", TACHO_TT_TENSOR_COUNT);
}

static double count_results(const tacho_tt_op *op)
{
    const double *shape = op->shapes[TACHO_TT_OUTPUT_0];
    return shape[TACHO_TT_W] * shape[TACHO_TT_Z] * shape[TACHO_TT_Y] * shape[TACHO_TT_X];
}

static tacho_roof_work work_of(const tacho_tt_line *line, const tacho_roof *roof)
{
    const tacho_tt_op *op = &line->op;
    bool is_elementwise = tacho_tt_holds(op->code, "Binary") || tacho_tt_holds(op->code, "Unary");
    tacho_roof_work work = {.kind = TACHO_WORK_MOVE};
    work.dtype = dtype_of(op->datatypes[TACHO_TT_INPUT_0]);
    work.cores = (uint32_t)whole(op->worker_cores < 1e6 ? op->worker_cores : 0);
    work.bytes[TACHO_ROOF_SHARED] = dram_bytes(op);
    if (line->operations >= 1) {
        work.kind = TACHO_WORK_MATRIX;
        work.has_operations = true;
        work.operations = whole(line->operations);
        work.bytes[TACHO_ROOF_LOCAL] = sum_bytes(op, "", TACHO_TT_OUTPUT_0);
        work.fidelity =
            roof->machine != NULL ? tacho_machine_fidelity_find(roof->machine, op->fidelity) : 0;
    } else if (is_elementwise && count_results(op) >= 1) {
        work.kind = TACHO_WORK_VECTOR;
        work.has_operations = true;
        work.operations = whole(count_results(op));
    }
    return work;
}

/* ---- points ------------------------------------------------------------------------------ */

static tacho_status add_op(const tacho_tt_ops *ops, const tacho_tt_op *op, uint32_t roof,
                           tacho_roofline *line)
{
    tacho_tt_line analysed = {.op = *op};
    static const tacho_tt_arch no_arch = {.dram_gb_s = 1};
    const tacho_dict *dict = ops->events.dict;
    TACHO_TRY(tacho_tt_line_analyse(&analysed, &no_arch, &line->arena));
    tacho_roof_point point = {
        .file = tacho_dict_string(dict, dict->parts[op->part].name),
        .name = analysed.title,
        .type = op->code,
        .location = TACHO_STR(""),
        .origin = dict->parts[op->part].origin,
        .roof = roof,
        .count = 1,
        .total_ns = op->kernel_ns,
        .work = work_of(&analysed, &line->roofs[roof]),
    };
    if (!point.work.has_operations && point.work.bytes[TACHO_ROOF_SHARED] == 0) {
        line->unknown_count++;
        line->unknown_ns += op->kernel_ns;
        return TACHO_OK;
    }
    return tacho_roofline_add(line, &point);
}

static bool is_of_device(const tacho_tt_op *op)
{
    return op->kernel_ns > 0 && !tacho_tt_holds(op->code, "(torch)") &&
           !tacho_str_equal(op->type, TACHO_STR(TACHO_TT_TYPE_SIGNPOST));
}

tacho_status tacho_tt_roof_add_points(const tacho_tt_ops *ops, const tacho_roof *given,
                                      tacho_roofline *line)
{
    tacho_str last = TACHO_STR("");
    uint32_t roof = TACHO_NONE;
    for (size_t i = 0; i < ops->item_count; i++) {
        const tacho_tt_op *op = &ops->items[i];
        if (!is_of_device(op)) {
            continue;
        }
        if (roof == TACHO_NONE && given != NULL) {
            TACHO_TRY(tacho_roofline_ensure_roof(line, given, &roof));
        } else if (given == NULL && (roof == TACHO_NONE || !tacho_str_equal(last, op->arch))) {
            TACHO_TRY(find_roof(line, op->arch, &roof));
            last = op->arch;
        }
        TACHO_TRY(add_op(ops, op, roof, line));
    }
    return TACHO_OK;
}
