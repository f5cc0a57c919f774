/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses one op: sizes of matrix products and convolutions, bytes and operations per second in
 * percent of the peak, and the program's configuration from its attributes. The vendor's runtime
 * prints attributes for users, so expected ones may be missing.
 */
#include "estimates/tenstorrent/tt_report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAM_SHARDED_CORES = 12, TITLE_BYTES = 512, DATATYPE_BYTES = 4, BITS_PER_BYTE = 8 };

/* ---- texts ------------------------------------------------------------------------------ */

/* The text after |part|, which is not empty, in |text|; data is NULL if not found. */
static tacho_str after(tacho_str text, const char *part)
{
    size_t len = strlen(part);
    while (text.len >= len) {
        size_t at = tacho_str_find_byte(text, part[0]);
        if (text.len - at < len) {
            break;
        }
        text = tacho_str_from(text, at);
        if (memcmp(text.data, part, len) == 0) {
            return tacho_str_from(text, len);
        }
        text = tacho_str_from(text, 1);
    }
    return (tacho_str){NULL, 0};
}

bool tacho_tt_holds(tacho_str text, const char *part)
{
    return after(text, part).data != NULL;
}

/* The whole number in |text|, ignoring surrounding spaces; NaN if malformed. */
static double whole_number(tacho_str text)
{
    uint64_t value = 0;
    text = tacho_str_trim(text);
    return tacho_str_parse_u64(text, &value) ? (double)value : TACHO_TT_NONE;
}

/* The digits that follow |name| and a '=' in |attributes|. */
static double setting(tacho_str attributes, const char *name)
{
    tacho_str text = after(attributes, name);
    size_t len = 0;
    while (text.data != NULL && len < text.len && isdigit((unsigned char)text.data[len])) {
        len++;
    }
    return len > 0 ? whole_number(tacho_str_make(text.data, len)) : TACHO_TT_NONE;
}

/* |text| up to |end|, or all of it. */
static tacho_str until(tacho_str text, const char *end)
{
    tacho_str rest = after(text, end);
    return rest.data == NULL ? text : tacho_str_make(text.data, text.len - rest.len - strlen(end));
}

static tacho_str short_type(tacho_str datatype)
{
    static const char *const names[][2] = {
        {"FLOAT32", "FP32"}, {"BFLOAT16", "BF16"}, {"BFLOAT8_B", "BFP8"}, {"BFLOAT4_B", "BFP4"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tacho_str_equal(datatype, tacho_str_from_cstring(names[i][0]))) {
            return tacho_str_from_cstring(names[i][1]);
        }
    }
    return datatype;
}

static tacho_status keep(tacho_arena *arena, const char *text, int len, tacho_str *out_text)
{
    size_t kept = len < 0 ? 0 : (size_t)len;
    kept = kept < TITLE_BYTES ? kept : TITLE_BYTES - 1;
    return tacho_arena_copy(arena, tacho_str_make(text, kept), out_text);
}

/* ---- sizes ------------------------------------------------------------------------------ */

/* Bytes of an element, by the digits in the name of its type. */
static double datatype_bytes(tacho_str datatype)
{
    for (size_t i = 0; i < datatype.len; i++) {
        if (isdigit((unsigned char)datatype.data[i])) {
            size_t len = i;
            while (len < datatype.len && isdigit((unsigned char)datatype.data[len])) {
                len++;
            }
            return whole_number(tacho_str_make(datatype.data + i, len - i)) / BITS_PER_BYTE;
        }
    }
    return DATATYPE_BYTES;
}

double tacho_tt_tensor_bytes(const tacho_tt_op *op, tacho_tt_tensor tensor, const char *memory)
{
    const double *shape = op->shapes[tensor];
    if (memory[0] != '\0' && !tacho_tt_holds(op->memories[tensor], memory)) {
        return 0;
    }
    return shape[TACHO_TT_W] * shape[TACHO_TT_Y] * shape[TACHO_TT_Z] * shape[TACHO_TT_X] *
           datatype_bytes(op->datatypes[tensor]);
}

static double core_tflops(const tacho_tt_arch *arch, tacho_str fidelity)
{
    if (tacho_str_equal(fidelity, TACHO_STR("HiFi4"))) {
        return arch->tflops_hifi4;
    }
    if (tacho_str_equal(fidelity, TACHO_STR("HiFi2"))) {
        return arch->tflops_hifi2;
    }
    return tacho_str_equal(fidelity, TACHO_STR("LoFi")) ? arch->tflops_lofi : TACHO_TT_NONE;
}

/* Sets rates of |operations| of arithmetic; values that are not finite do not apply. */
static void set_flops(tacho_tt_line *line, double operations, double seconds, double peak_tflops)
{
    double rate = operations / seconds;
    double peak = peak_tflops * 1e12;
    line->operations = operations;
    line->is_flops_unknown = isnan(seconds);
    line->tflops = isfinite(rate) ? rate / 1e12 : TACHO_TT_NONE;
    line->flops_percent = isfinite(rate) ? rate / peak * 100 : TACHO_TT_NONE;
}

/* The larger of two lengths; NaN if one is not known. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? TACHO_TT_NONE : (a > b ? a : b);
}

static tacho_status title_product(tacho_tt_line *line, const double size[3], double batch,
                                  tacho_arena *arena)
{
    char text[TITLE_BYTES];
    tacho_str code = line->op.code;
    if (isnan(size[0] * size[1] * size[2])) {
        return TACHO_OK;
    }
    int code_len = code.len < 256 ? (int)code.len : 256;
    int len = batch > 1 ? snprintf(text, sizeof(text), "%.*s b={%.0f} x %.0f x %.0f x %.0f",
                                   code_len, code.data, batch, size[0], size[1], size[2])
                        : snprintf(text, sizeof(text), "%.*s %.0f x %.0f x %.0f", code_len,
                                   code.data, size[0], size[1], size[2]);
    return keep(arena, text, len, &line->title);
}

static tacho_status set_product_fidelity(tacho_tt_line *line, tacho_arena *arena)
{
    char text[TITLE_BYTES];
    tacho_str in0 = short_type(line->op.datatypes[TACHO_TT_INPUT_0]);
    tacho_str in1 = short_type(line->op.datatypes[TACHO_TT_INPUT_1]);
    tacho_str out = short_type(line->op.datatypes[TACHO_TT_OUTPUT_0]);
    line->fidelity = TACHO_STR("");
    if (line->op.fidelity.len == 0) {
        return TACHO_OK;
    }
    int len =
        snprintf(text, sizeof(text), "%.*s %.*s x %.*s => %.*s", TACHO_STR_ARG(line->op.fidelity),
                 TACHO_STR_ARG(in0), TACHO_STR_ARG(in1), TACHO_STR_ARG(out));
    return keep(arena, text, len, &line->fidelity);
}

static tacho_status analyse_matmul(tacho_tt_line *line, const tacho_tt_arch *arch,
                                   tacho_arena *arena)
{
    const tacho_tt_op *op = &line->op;
    const double *in0 = op->shapes[TACHO_TT_INPUT_0];
    const double *in1 = op->shapes[TACHO_TT_INPUT_1];
    double seconds = op->kernel_ns * 1e-9;
    double bytes = tacho_tt_tensor_bytes(op, TACHO_TT_INPUT_0, "DRAM");
    bytes += tacho_tt_tensor_bytes(op, TACHO_TT_INPUT_1, "DRAM");
    bytes += tacho_tt_tensor_bytes(op, TACHO_TT_OUTPUT_0, "DRAM");
    double rate = bytes / seconds / 1e9;
    if (bytes > 0 && isfinite(rate)) {
        line->dram_gb_s = rate;
        line->dram_percent = rate / arch->dram_gb_s * 100;
    }
    line->is_dram_unknown = bytes > 0 && isnan(seconds);
    line->is_dram_sharded =
        tacho_tt_holds(op->attributes, "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig");
    line->cores = line->is_dram_sharded ? DRAM_SHARDED_CORES : line->cores;
    double w = larger(in0[TACHO_TT_W], in1[TACHO_TT_W]);
    double z = larger(in0[TACHO_TT_Z], in1[TACHO_TT_Z]);
    double size[3] = {in0[TACHO_TT_Y], in0[TACHO_TT_X], in1[TACHO_TT_X]};
    double tflops = core_tflops(arch, op->fidelity) * line->cores;
    set_flops(line, size[0] * size[1] * size[2] * w * z * 2, seconds, tflops);
    line->is_flops_unknown |= isnan(line->cores);
    TACHO_TRY(title_product(line, size, w * z, arena));
    return set_product_fidelity(line, arena);
}

/* ---- convolutions ----------------------------------------------------------------------- */

/* The two sizes of "window_hw=(3;3); ": the text is split as in the vendor's tool. */
static bool get_window(tacho_str attributes, double out_size[2])
{
    tacho_str text = after(attributes, "window_hw");
    if (text.data == NULL) {
        return false;
    }
    text = until(text, "; ");
    if (text.len < 3) {
        return false;
    }
    text = tacho_str_make(text.data + 2, text.len - 3);
    size_t middle = tacho_str_find_byte(text, ';');
    if (middle == text.len) {
        return false;
    }
    tacho_str rest = tacho_str_from(text, middle + 1);
    rest.len = tacho_str_find_byte(rest, ';');
    out_size[0] = whole_number(tacho_str_make(text.data, middle));
    out_size[1] = whole_number(rest);
    return !isnan(out_size[0]) && !isnan(out_size[1]);
}

/* The number after |name| and one byte, up to a ';', or "x". */
static void put_setting(tacho_str attributes, const char *name, char out_text[24])
{
    tacho_str text = after(attributes, name);
    double value = TACHO_TT_NONE;
    if (text.data != NULL && text.len > 0) {
        text = tacho_str_from(text, 1);
        value = whole_number(tacho_str_make(text.data, tacho_str_find_byte(text, ';')));
    }
    snprintf(out_text, 24, isnan(value) ? "x" : "%.0f", value);
}

/* Whether the flag is "true" or missing: the vendor's tool shows it in both cases. */
static bool is_set_or_unknown(tacho_str attributes, const char *name)
{
    tacho_str text = after(attributes, name);
    return text.data == NULL || tacho_str_equal(until(text, "'"), TACHO_STR("true"));
}

static tacho_status analyse_conv(tacho_tt_line *line, const tacho_tt_arch *arch, tacho_arena *arena)
{
    const tacho_tt_op *op = &line->op;
    char text[TITLE_BYTES];
    char heights[2][24];
    double window[2] = {TACHO_TT_NONE, TACHO_TT_NONE};
    if (get_window(op->attributes, window)) {
        double size[3] = {op->shapes[TACHO_TT_OUTPUT_0][TACHO_TT_Y],
                          op->shapes[TACHO_TT_INPUT_0][TACHO_TT_X] * window[0] * window[1],
                          op->shapes[TACHO_TT_INPUT_1][TACHO_TT_X]};
        set_flops(line, size[0] * size[1] * size[2] * 2, op->kernel_ns * 1e-9,
                  core_tflops(arch, op->fidelity) * arch->worker_cores);
        TACHO_TRY(title_product(line, size, 1, arena));
    }
    put_setting(op->attributes, "per_core_out_matrix_height_ntile", heights[0]);
    put_setting(op->attributes, "act_block_h_ntiles", heights[1]);
    int len = snprintf(
        text, sizeof(text), "%.*s [ABH=%s|%s%s%s]", TACHO_STR_ARG(line->title), heights[0],
        heights[1], is_set_or_unknown(op->attributes, "enable_act_double_buffer': '") ? " ADB" : "",
        is_set_or_unknown(op->attributes, "enable_split_reader': '") ? " SR" : "");
    TACHO_TRY(keep(arena, text, len, &line->title));
    return set_product_fidelity(line, arena);
}

/* |count| fields after |name|, with commas instead of semicolons; "x" if missing. */
static void put_fields(tacho_str attributes, const char *name, size_t count, char out_text[64])
{
    tacho_str text = after(attributes, name);
    size_t len = 0;
    if (text.data == NULL) {
        text = TACHO_STR("x");
    }
    for (size_t i = 0; i < text.len && len < 63; i++) {
        count -= text.data[i] == ';' ? 1 : 0;
        if (count == 0) {
            break;
        }
        out_text[len++] = (char)(text.data[i] == ';' ? ',' : text.data[i]);
    }
    out_text[len] = '\0';
}

static tacho_status analyse_halo(tacho_tt_line *line, tacho_arena *arena)
{
    tacho_str attributes = line->op.attributes;
    char text[TITLE_BYTES];
    char window[64], stride[64], padding[64], dilation[64];
    put_fields(attributes, "window_hw=", 2, window);
    put_fields(attributes, "stride_hw=", 2, stride);
    put_fields(attributes, "padding=", 4, padding);
    put_fields(attributes, "dilation_hw=", 2, dilation);
    tacho_str layout = after(attributes, "memory_layout=");
    layout = layout.data == NULL ? layout : after(until(layout, ";"), "::");
    layout = layout.data == NULL ? TACHO_STR("x") : until(layout, "::");
    layout.len = layout.len < 64 ? layout.len : 64;
    int code_len = line->op.code.len < 128 ? (int)line->op.code.len : 128;
    int len =
        snprintf(text, sizeof(text), "%.*s w=%s s=%s p=%s d=%s | %.*s", code_len,
                 line->op.code.data, window, stride, padding, dilation, TACHO_STR_ARG(layout));
    return keep(arena, text, len, &line->title);
}

/* ---- the line --------------------------------------------------------------------------- */

/* "BF16, BF16 => BF16", from the known types. */
static tacho_status set_types(tacho_tt_line *line, tacho_arena *arena)
{
    static const char *const before[] = {"", ", ", " => "};
    static const tacho_tt_tensor tensors[] = {TACHO_TT_INPUT_0, TACHO_TT_INPUT_1,
                                              TACHO_TT_OUTPUT_0};
    char text[TITLE_BYTES];
    int len = 0;
    for (size_t i = 0; i < 3; i++) {
        tacho_str type = short_type(line->op.datatypes[tensors[i]]);
        if (type.len > 0 && len < TITLE_BYTES) {
            len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%.*s", before[i],
                            type.len < 64 ? (int)type.len : 64, type.data);
        }
    }
    TACHO_TRY(keep(arena, text, len, &line->fidelity));
    line->fidelity = tacho_str_trim(line->fidelity);
    return TACHO_OK;
}

static void set_configuration(tacho_tt_line *line)
{
    if (tacho_tt_holds(line->op.attributes, "program_config")) {
        line->block_w = setting(line->op.attributes, "in0_block_w=");
        line->subblock_h = setting(line->op.attributes, "out_subblock_h=");
        line->subblock_w = setting(line->op.attributes, "out_subblock_w=");
    }
}

tacho_status tacho_tt_line_analyse(tacho_tt_line *line, const tacho_tt_arch *arch,
                                   tacho_arena *arena)
{
    tacho_str code = line->op.code;
    line->title = code;
    line->bound = "";
    line->cores = line->op.cores;
    line->dram_gb_s = line->dram_percent = line->tflops = line->flops_percent = TACHO_TT_NONE;
    line->operations = TACHO_TT_NONE;
    line->block_w = line->subblock_h = line->subblock_w = TACHO_TT_NONE;
    TACHO_TRY(set_types(line, arena));
    set_configuration(line);
    if (tacho_tt_holds(code, "Matmul")) {
        return analyse_matmul(line, arch, arena);
    }
    if (tacho_tt_holds(code, "OptimizedConvNew") || tacho_tt_holds(code, "Conv2d")) {
        return analyse_conv(line, arch, arena);
    }
    return tacho_tt_holds(code, "HaloDeviceOperation") ? analyse_halo(line, arena) : TACHO_OK;
}
