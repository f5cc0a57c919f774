/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators by name.
 */
#include "graph/op_def.h"

static const char *const kind_names[] = {
#define KIND_NAME(name, text) text,
    TACHO_OP_KINDS(KIND_NAME)
#undef KIND_NAME
};

const char *tacho_op_kind_name(tacho_op_kind kind)
{
    return kind_names[kind];
}

static const tacho_op_def *find_in(const tacho_op_def *rows, tacho_str name)
{
    for (; rows->name != NULL; rows++) {
        /* The first byte tells most apart: a model asks once per node. */
        if (name.len > 0 && rows->name[0] == name.data[0] &&
            tacho_str_equal(tacho_str_from_cstring(rows->name), name)) {
            return rows;
        }
    }
    return NULL;
}

const tacho_op_def *tacho_op_def_find(tacho_str name)
{
    bool has_dialect = tacho_str_find_byte(name, '.') < name.len;
    return find_in(has_dialect ? tacho_tosa_op_defs : tacho_onnx_op_defs, name);
}
