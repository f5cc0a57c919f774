/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of names.
 */
#include "vendors/tenstorrent/tt_names.h"

#include <ctype.h>
#include <stdio.h>

typedef struct tt_word {
    const char *of;
    const char *word;
} tt_word;

/* Kinds whose work is what an operator is about, whatever is fused with it. */
static const tt_word main_kinds[] = {
    {"convolution", "Conv2dDeviceOperation"}, {"deconvolution", "Conv2dDeviceOperation"},
    {"matmul", "MatmulDeviceOperation"},      {"pool", "Pool2D"},
    {"softmax", "SoftmaxDeviceOperation"},    {NULL, NULL},
};

/* Types of operators that have an operation of their own, then other kinds. */
static const tt_word operations[] = {
    {"Transpose", "TransposeDeviceOperation"},
    {"tosa.transpose", "TransposeDeviceOperation"},
    {"Concat", "ConcatDeviceOperation"},
    {"tosa.concat", "ConcatDeviceOperation"},
    {"Slice", "SliceDeviceOperation"},
    {"tosa.slice", "SliceDeviceOperation"},
    {"Split", "SplitDeviceOperation"},
    {"Pad", "PadDeviceOperation"},
    {"tosa.pad", "PadDeviceOperation"},
    {"Cast", "TypecastDeviceOperation"},
    {"tosa.cast", "TypecastDeviceOperation"},
    {"Gather", "EmbeddingsDeviceOperation"},
    {"tosa.gather", "EmbeddingsDeviceOperation"},
    {"Reshape", "ReshapeViewDeviceOperation"},
    {"tosa.reshape", "ReshapeViewDeviceOperation"},
    {"Where", "WhereDeviceOperation"},
    {"tosa.select", "WhereDeviceOperation"},
    {"TopK", "TopKDeviceOperation"},
    {"ArgMax", "ArgMaxDeviceOperation"},
    {"tosa.argmax", "ArgMaxDeviceOperation"},
    {"BatchNormalization", "BatchNormOperation"},
    {"reduction", "ReduceDeviceOperation"},
    {"normalisation", "LayerNormDeviceOperation"},
    {"affine", "BinaryNgDeviceOperation"},
    {"unary", "UnaryDeviceOperation"},
    {"binary", "BinaryNgDeviceOperation"},
    {"quantise", "BinaryNgDeviceOperation"},
    {"dequantise", "BinaryNgDeviceOperation"},
    {NULL, NULL},
};

static const char *find(const tt_word *words, tacho_str of)
{
    for (; words->of != NULL; words++) {
        if (tacho_str_equal(of, tacho_str_from_cstring(words->of))) {
            return words->word;
        }
    }
    return NULL;
}

void tt_name_op(const tacho_program *program, const tacho_program_op *op,
                char out_name[TT_NAME_MAX])
{
    tacho_str type = tacho_strings_get(&program->strings, op->type);
    if (op->step_count > 0) {
        type = tacho_strings_get(&program->strings, program->steps[op->first_step].type);
    }
    tacho_str kind = tacho_strings_get(&program->strings, op->kind);
    const char *name = find(main_kinds, kind);
    name = name != NULL ? name : find(operations, type);
    name = name != NULL ? name : find(operations, kind);
    if (name != NULL) {
        snprintf(out_name, TT_NAME_MAX, "%s", name);
        return;
    }
    type = tacho_str_starts_with(type, TACHO_STR("tosa.")) ? tacho_str_from(type, 5) : type;
    snprintf(out_name, TT_NAME_MAX, "%.*sDeviceOperation", (int)(type.len < 64 ? type.len : 64),
             type.data);
}

void tt_name_dtype(tacho_dtype dtype, char out_name[TT_NAME_MAX])
{
    static const tt_word types[] = {
        {"f32", "FLOAT32"},    {"bf16", "BFLOAT16"}, {"f16", "FLOAT16"}, {"bfp8", "BFLOAT8_B"},
        {"bfp4", "BFLOAT4_B"}, {"f64", "FLOAT64"},   {"i8", "INT8"},     {"u8", "UINT8"},
        {"i16", "INT16"},      {"u16", "UINT16"},    {"i32", "INT32"},   {"u32", "UINT32"},
        {"i64", "INT64"},      {"u64", "UINT64"},    {"bool", "UINT8"},  {NULL, NULL},
    };
    const char *ours = tacho_dtype_name(dtype);
    const char *name = find(types, tacho_str_from_cstring(ours));
    snprintf(out_name, TT_NAME_MAX, "%s", name != NULL ? name : ours);
    for (char *at = out_name; name == NULL && *at != '\0'; at++) {
        *at = (char)toupper((unsigned char)*at);
    }
}
