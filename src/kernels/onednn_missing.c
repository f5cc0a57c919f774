/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels in builds without oneDNN: none.
 */
#include "kernels/onednn.h"

tacho_status tacho_fast_create(uint32_t threads, tacho_fast **out)
{
    (void)threads;
    *out = NULL;
    return TACHO_OK;
}

tacho_status tacho_fast_create_with(uint32_t threads, const tacho_isa_choice *choice,
                                    tacho_fast **out)
{
    (void)choice;
    return tacho_fast_create(threads, out);
}

void tacho_fast_free(tacho_fast *fast)
{
    (void)fast;
}

const char *tacho_fast_version(const tacho_fast *fast)
{
    (void)fast;
    return "";
}

void tacho_fast_forget_invalid(const tacho_fast *fast)
{
    (void)fast;
}

bool tacho_fast_was_invalid(const tacho_fast *fast)
{
    (void)fast;
    return false;
}

tacho_status tacho_fast_prepare(tacho_fast *fast, const tacho_fast_spec *spec,
                                tacho_fast_kernel **out)
{
    (void)fast;
    (void)spec;
    *out = NULL;
    return TACHO_OK;
}

void tacho_fast_kernel_free(tacho_fast_kernel *kernel)
{
    (void)kernel;
}

const tacho_layout *tacho_fast_input_layout(const tacho_fast_kernel *kernel, size_t i)
{
    (void)kernel;
    (void)i;
    return NULL;
}

const tacho_layout *tacho_fast_output_layout(const tacho_fast_kernel *kernel)
{
    (void)kernel;
    return NULL;
}

uint64_t tacho_fast_scratch_bytes(const tacho_fast_kernel *kernel)
{
    (void)kernel;
    return 0;
}

const char *tacho_fast_kernel_name(const tacho_fast_kernel *kernel)
{
    (void)kernel;
    return "";
}

size_t tacho_fast_pointer_count(const tacho_fast_kernel *kernel)
{
    (void)kernel;
    return 0;
}

void tacho_fast_point(const tacho_fast_kernel *kernel, void *const *inputs, void *output,
                      void *scratch, void **out_pointers)
{
    (void)kernel;
    (void)inputs;
    (void)output;
    (void)scratch;
    (void)out_pointers;
}

tacho_status tacho_fast_run(tacho_fast_kernel *kernel, void *const *pointers)
{
    (void)kernel;
    (void)pointers;
    return TACHO_OK;
}

const tacho_layout *tacho_layout_plain(tacho_fast *fast, tacho_dtype dtype,
                                       const tacho_shape *shape)
{
    (void)fast;
    (void)dtype;
    (void)shape;
    return NULL;
}

const tacho_layout *tacho_layout_along(tacho_fast *fast, tacho_dtype dtype,
                                       const tacho_shape *shape, int32_t axis)
{
    (void)axis;
    return tacho_layout_plain(fast, dtype, shape);
}

uint64_t tacho_layout_bytes(const tacho_fast *fast, const tacho_layout *layout)
{
    (void)fast;
    (void)layout;
    return 0;
}
