/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels at work: the memory that a step runs one on, and the run itself. Steps share kernels, so
 * the memory of oneDNN's arguments is moved where another step has used the kernel since.
 */
#include "kernels/onednn_library.h"

size_t tacho_fast_pointer_count(const tacho_fast_kernel *kernel)
{
    return kernel->argument_count;
}

void tacho_fast_point(const tacho_fast_kernel *kernel, void *const *inputs, void *output,
                      void *scratch, void **out_pointers)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const tacho_onednn_argument *at = &kernel->arguments[i];
        out_pointers[i] = at->constant != NULL       ? at->constant
                          : i < kernel->input_count  ? inputs[i]
                          : i == kernel->input_count ? output
                                                     : scratch;
    }
}

/* Makes oneDNN's memory, or moves it where another step has used the kernel since. */
static bool bind(const tacho_fast_kernel *kernel, tacho_onednn_argument *at, void *pointer)
{
    const tacho_onednn_calls *call = &kernel->fast->call;
    const dnnl_memory_desc_t *desc = at->layout != NULL ? &at->layout->desc : &kernel->scratch;
    bool is_fine = true;
    if (at->memory == NULL) {
        is_fine =
            call->memory_create(&at->memory, desc, kernel->fast->engine, pointer) == dnnl_success;
        at->memory = is_fine ? at->memory : NULL;
    } else if (at->bound != pointer) {
        is_fine = call->memory_set_data_handle(at->memory, pointer) == dnnl_success;
    }
    at->bound = pointer;
    return is_fine;
}

tacho_status tacho_fast_run(tacho_fast_kernel *kernel, void *const *pointers)
{
    tacho_fast *fast = kernel->fast;
    tacho_onednn_set_threads(fast, kernel->threads);
    if (kernel->nbit != NULL) {
        tacho_nbit_product_run(kernel->nbit, pointers[0], kernel->nbit_rows,
                               pointers[kernel->input_count], fast->call.parallel);
        return TACHO_OK;
    }
    if (kernel->own != NULL) {
        tacho_byte_memory memory = {.data = pointers[0],
                                    .filters = pointers[1],
                                    .zero = kernel->has_live_zero ? pointers[2] : NULL,
                                    .output = pointers[kernel->input_count],
                                    .scratch = pointers[kernel->input_count + 1]};
        tacho_byte_product_run(kernel->own, &memory, fast->call.parallel);
        return TACHO_OK;
    }
    for (size_t i = 0; i < kernel->argument_count; i++) {
        if (!bind(kernel, &kernel->arguments[i], pointers[i])) {
            return tacho_no_memory();
        }
        kernel->executed[i] =
            (dnnl_exec_arg_t){kernel->arguments[i].id, kernel->arguments[i].memory};
    }
    dnnl_status_t status = fast->call.primitive_execute(
        kernel->primitive, fast->stream, (int)kernel->argument_count, kernel->executed);
    return status == dnnl_success
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_UNSUPPORTED, "oneDNN: kernel '%s' failed with code %d",
                            kernel->name, (int)status);
}
