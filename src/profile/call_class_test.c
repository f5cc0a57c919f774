/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of calls as drivers and frameworks spell them.
 */
#include "profile/call_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        const char *category, *name;
        unsigned bits;
    } cases[] = {
        {"cpu_op", "aten::mm", TACHO_CALL_OPERATOR},
        {"cpu_op", "MyFunctionBackward", TACHO_CALL_OPERATOR},
        {"Node", "conv1_kernel_time", TACHO_CALL_OPERATOR},
        {"cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", TACHO_CALL_BACKWARD},
        {"cpu_op", "aten::item", TACHO_CALL_OPERATOR | TACHO_CALL_VALUE},
        {"cpu_op", "aten::items", TACHO_CALL_OPERATOR},
        {"cpu_op", "aten::_to_copy", TACHO_CALL_OPERATOR | TACHO_CALL_CAST},
        {"cpu_op", "aten::bmm", TACHO_CALL_OPERATOR | TACHO_CALL_PRODUCT},
        {"user_annotation", "Optimizer.step#AdamW.step", TACHO_CALL_OPTIMIZER},
        {"user_annotation", "Optimizer.zero_grad#AdamW.zero_grad", TACHO_CALL_GRADIENTS},
        {"user_annotation", "ProfilerStep#3", 0},
        {"cuda_runtime", "cudaStreamSynchronize", TACHO_CALL_WAIT},
        {"cuda_runtime", "hipDeviceSynchronize", TACHO_CALL_WAIT},
        {"cuda_runtime", "cudaMalloc", TACHO_CALL_ALLOCATE},
        {"cuda_runtime", "cudaFree", TACHO_CALL_ALLOCATE},
        {"cuda_driver", "cuModuleLoadDataEx", TACHO_CALL_LOAD},
        {"cuda_runtime", "cudaLaunchKernel", TACHO_CALL_LAUNCH},
        {"cuda_runtime", "cudaMemcpyAsync", 0},
        {"python_function", "train.py(3): step", 0},
        {"user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
         TACHO_CALL_INPUT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tacho_call_class_of(tacho_str_from_cstring(cases[i].category),
                                             tacho_str_from_cstring(cases[i].name)),
                         cases[i].bits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
