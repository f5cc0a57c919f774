/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making and asking a module; the two readers fill it.
 */
#include "codec/mlir_module.h"

#include "base/decimal.h"
#include "base/grow.h"

#include <stdlib.h>

tacho_status tacho_mlir_module_init(tacho_mlir_module *module)
{
    *module = (tacho_mlir_module){0};
    tacho_arena_init(&module->arena);
    return tacho_strings_init(&module->strings);
}

tacho_status tacho_mlir_module_reserve(tacho_mlir_module *module, size_t op_count)
{
    enum { RESERVED_MAX = 1 << 20 };
    op_count = op_count < RESERVED_MAX ? op_count : RESERVED_MAX;
    TACHO_TRY(tacho_grow(&module->ops, &module->op_capacity, op_count));
    TACHO_TRY(tacho_grow(&module->next_op, &module->next_op_capacity, op_count));
    return tacho_grow(&module->attrs, &module->attr_capacity, op_count);
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
    free(module->own_places);
    free(module->resources);
    free(module->dense_blobs);
}

const tacho_mlir_attr *tacho_mlir_module_attr_called(const tacho_mlir_module *module,
                                                     const tacho_mlir_op *op, const char *name)
{
    uint32_t id = tacho_strings_find(&module->strings, tacho_str_from_cstring(name));
    return tacho_mlir_module_attr(module, op, id);
}

/* ---- order ---- */

static bool is_before(const tacho_mlir_module *module, const tacho_mlir_attr *a,
                      const tacho_mlir_attr *b)
{
    return a->name != b->name && tacho_str_compare(tacho_mlir_module_string(module, a->name),
                                                   tacho_mlir_module_string(module, b->name)) < 0;
}

static void swap_attrs(tacho_mlir_attr *a, tacho_mlir_attr *b)
{
    tacho_mlir_attr kept = *a;
    *a = *b;
    *b = kept;
}

/* Lets attrs[at] sink in a heap of |count|, whose top is the last of all. */
static void sink(const tacho_mlir_module *module, tacho_mlir_attr *attrs, size_t at, size_t count)
{
    for (;;) {
        size_t last = 2 * at + 1;
        if (last >= count) {
            return;
        }
        if (last + 1 < count && is_before(module, &attrs[last], &attrs[last + 1])) {
            last++;
        }
        if (!is_before(module, &attrs[at], &attrs[last])) {
            return;
        }
        swap_attrs(&attrs[at], &attrs[last]);
        at = last;
    }
}

/* A heap sort: most lists are in order already, but those that are not can be long. */
void tacho_mlir_module_sort_attrs(const tacho_mlir_module *module, tacho_mlir_attr *attrs,
                                  size_t count)
{
    size_t sorted = 1;
    while (sorted < count && !is_before(module, &attrs[sorted], &attrs[sorted - 1])) {
        sorted++;
    }
    if (sorted >= count) {
        return;
    }
    for (size_t i = count / 2; i-- > 0;) {
        sink(module, attrs, i, count);
    }
    for (size_t i = count; i-- > 1;) {
        swap_attrs(&attrs[0], &attrs[i]);
        sink(module, attrs, 0, i);
    }
}

tacho_status tacho_mlir_module_location(const tacho_mlir_module *module, uint32_t location,
                                        tacho_arena *arena, tacho_str *out_text)
{
    if ((location & TACHO_MLIR_OWN_PLACE) == 0) {
        *out_text = tacho_mlir_module_string(module, location);
        return TACHO_OK;
    }
    const tacho_mlir_own_place *place = &module->own_places[location & ~TACHO_MLIR_OWN_PLACE];
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, module->own_name.len + 2 * TACHO_DECIMAL_MAX + 2, &memory));
    char *text = memory;
    memcpy(text, module->own_name.data, module->own_name.len);
    char *end = text + module->own_name.len;
    *end++ = ':';
    end = tacho_decimal_put(end, place->line);
    *end++ = ':';
    end = tacho_decimal_put(end, place->column);
    *out_text = tacho_str_make(text, (size_t)(end - text));
    return TACHO_OK;
}
