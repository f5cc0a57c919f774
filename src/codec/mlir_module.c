/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making and asking a module; the two readers fill it.
 */
#include "codec/mlir_module.h"

#include <stdlib.h>

tacho_status tacho_mlir_module_init(tacho_mlir_module *module)
{
    *module = (tacho_mlir_module){0};
    tacho_arena_init(&module->arena);
    return tacho_strings_init(&module->strings);
}

void tacho_mlir_module_deinit(tacho_mlir_module *module)
{
    tacho_arena_deinit(&module->arena);
    tacho_strings_deinit(&module->strings);
    free(module->ops);
    free(module->next_op);
    free(module->attrs);
    free(module->operands);
    free(module->values);
    free(module->regions);
    free(module->blocks);
    free(module->resources);
    free(module->dense_blobs);
}

const tacho_mlir_attr *tacho_mlir_module_attr(const tacho_mlir_module *module,
                                              const tacho_mlir_op *op, const char *name)
{
    tacho_str wanted = tacho_str_from_cstring(name);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const tacho_mlir_attr *attr = &module->attrs[op->first_attr + i];
        if (tacho_str_equal(attr->name, wanted)) {
            return attr;
        }
    }
    return NULL;
}

bool tacho_mlir_module_int(const tacho_mlir_module *module, const tacho_mlir_op *op,
                           const char *name, int64_t *out_value)
{
    const tacho_mlir_attr *attr = tacho_mlir_module_attr(module, op, name);
    if (attr == NULL || attr->kind != TACHO_MLIR_ATTR_INT) {
        return false;
    }
    *out_value = attr->as_int;
    return true;
}
