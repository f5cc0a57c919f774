/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels by name.
 */
#include "kernels/kernel.h"

const tacho_kernel *const tacho_kernel_families[] = {
#define FAMILY(family) tacho_##family##_kernels,
    TACHO_KERNEL_FAMILIES(FAMILY)
#undef FAMILY
        NULL,
};

const tacho_kernel *tacho_kernel_find(tacho_str name)
{
    for (const tacho_kernel *const *family = tacho_kernel_families; *family != NULL; family++) {
        for (const tacho_kernel *row = *family; row->name != NULL; row++) {
            if (tacho_str_equal(tacho_str_from_cstring(row->name), name)) {
                return row;
            }
        }
    }
    return NULL;
}

tacho_status tacho_kernel_count(tacho_str name, const tacho_kernel_call *call)
{
    if (tacho_str_equal(name, TACHO_STR("NonZero"))) {
        return tacho_count_non_zero(call);
    }
    if (tacho_str_equal(name, TACHO_STR("Compress"))) {
        return tacho_count_compress(call);
    }
    return tacho_fail(TACHO_CODE_UNSUPPORTED, "the shape of what %.*s makes is not known",
                      TACHO_STR_ARG(name));
}
