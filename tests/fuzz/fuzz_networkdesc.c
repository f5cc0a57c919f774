/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of network descriptions.
 *
 * Laws: views lie in the input; ops are in order of core and thread group; what reads, reads the
 * same again.
 */
#include "program/networkdesc.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_view(tacho_str view, tacho_str bytes)
{
    if (view.len > 0) {
        require(view.data >= bytes.data && view.len <= bytes.len);
        require((size_t)(view.data - bytes.data) <= bytes.len - view.len);
    }
}

static void check_bindings(const tacho_networkdesc_binding *bindings, size_t count, tacho_str bytes)
{
    for (size_t i = 0; i < count; i++) {
        check_view(bindings[i].name, bytes);
        require(bindings[i].dim_count <= TACHO_NETWORKDESC_DIMS_MAX);
    }
}

static void check_ops(const tacho_networkdesc *desc, tacho_str bytes)
{
    for (size_t i = 0; i < desc->op_count; i++) {
        const tacho_networkdesc_op *op = &desc->ops[i];
        check_view(op->name, bytes);
        check_view(op->kind, bytes);
        check_view(op->shape, bytes);
        require(op->core < desc->listed_core_count);
        require(i == 0 || op[-1].core < op->core ||
                (op[-1].core == op->core && op[-1].group <= op->group));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_networkdesc desc;
    tacho_status status = tacho_networkdesc_read(bytes, &desc);
    if (status == TACHO_OK) {
        tacho_networkdesc again;
        check_view(desc.name, bytes);
        check_bindings(desc.inputs, desc.input_count, bytes);
        check_bindings(desc.outputs, desc.output_count, bytes);
        check_ops(&desc, bytes);
        require(tacho_networkdesc_read(bytes, &again) == TACHO_OK);
        require(again.op_count == desc.op_count && again.input_count == desc.input_count);
        tacho_networkdesc_deinit(&again);
    }
    tacho_status_free(status);
    tacho_networkdesc_deinit(&desc);
    return 0;
}
