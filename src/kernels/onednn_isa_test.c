/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oneDNN keeps to the instructions that were chosen for a processor that shows more than it runs.
 * A program of its own: oneDNN takes a limit once.
 */
#include "kernels/onednn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_limit(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("ONEDNN_MAX_CPU_ISA"), 0);
    assert_int_equal(unsetenv("DNNL_MAX_CPU_ISA"), 0);
    if (!tacho_isa_has_avx2()) {
        skip();
    }
    tacho_fast *fast = NULL;
    tacho_isa_choice choice = {.isa = TACHO_ISA_AVX2, .reason = TACHO_ISA_NO_AVX512};
    assert_null(tacho_fast_create_with(1, &choice, &fast));
    if (fast == NULL) { /* without oneDNN, rather than beyond the limit */
        assert_null(tacho_fast_create(1, &fast));
        assert_null(fast);
        skip();
    }
    tacho_shape shape = {4, {1, 16, 8, 8}};
    tacho_fast_tensor input = {.dtype = TACHO_DTYPE_F32, .shape = shape};
    tacho_fast_spec spec = {.kind = TACHO_FAST_ELTWISE,
                            .function = TACHO_FAST_RELU,
                            .inputs = &input,
                            .input_count = 1,
                            .output = input};
    tacho_fast_kernel *kernel;
    assert_null(tacho_fast_prepare(fast, &spec, &kernel));
    assert_non_null(kernel);
    assert_non_null(strstr(tacho_fast_kernel_name(kernel), "avx2"));
    tacho_fast_kernel_free(kernel);
    tacho_fast_free(fast);

    /* After the first use it is too late: oneDNN is absent rather than ignore the choice. */
    choice = (tacho_isa_choice){.isa = TACHO_ISA_SSE41, .reason = TACHO_ISA_NO_AVX};
    assert_null(tacho_fast_create_with(1, &choice, &fast));
    assert_null(fast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
