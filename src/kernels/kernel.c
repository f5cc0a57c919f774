/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels by name.
 */
#include "kernels/kernel.h"

/* The tables of kernels, one per family; each ends with a row without a name. */
static const tacho_kernel *const families[] = {
    tacho_binary_kernels, tacho_unary_kernels,  tacho_compare_kernels, tacho_cast_kernels,
    tacho_move_kernels,   tacho_reduce_kernels, tacho_make_kernels,    NULL,
};

const tacho_kernel *tacho_kernel_find(tacho_str name)
{
    for (const tacho_kernel *const *family = families; *family != NULL; family++) {
        for (const tacho_kernel *row = *family; row->name != NULL; row++) {
            if (tacho_str_equal(tacho_str_from_cstring(row->name), name)) {
                return row;
            }
        }
    }
    return NULL;
}
