/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of kernels as collective libraries spell them, and names that only look like them.
 */
#include "profile/work_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static tacho_work_kind kind_of(const char *name)
{
    return tacho_work_kind_of(TACHO_TRACK_COMPUTE, TACHO_STR("kernel"),
                              tacho_str_from_cstring(name));
}

static void test_communication(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllReduce_RING_LL_Sum_float",
        "NCCL AllGather",
        "rcclGenericKernel",
        "RcclKernel",
        "void nccl::ncclDevKernel_SendRecv<1>(int)",
        "nvshmemi_transfer_rma",
        "void nvshmemi_proxy_quiet_entrypoint<>()",
        "oneccl_allreduce_small",
        "Hccl_all_reduce",
        "hcom_allReduce__123_0",
        "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*, float*)",
        "void dpsk::ep::internode::dispatch<8>(void*)",
        "void flashinfer::trtllm_alltoall::moeAllToAllKernel<8>(int)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<...>",
        "void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)",
        "all-reduce.1",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(kind_of(names[i]), TACHO_WORK_COMMUNICATION);
    }
}

static void test_compute(void **state)
{
    (void)state;
    static const char *const names[] = {
        "void at::native::reduce_kernel<512, 1>(int)",
        "nvjet_sm90_hsh_96x64_64x10_1x2_h_bz_bias_TNN",
        "ncc",
        "hcomb",
        "moe_align_block_size_kernel",
        "void cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_128x128_tn_align1>(int)",
        "",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(kind_of(names[i]), TACHO_WORK_COMPUTE);
    }
    assert_int_equal(kind_of("Memcpy HtoD (Pageable -> Device)"), TACHO_WORK_COPY);
    assert_int_equal(tacho_work_kind_of(TACHO_TRACK_DMA_IN, TACHO_STR(""), TACHO_STR("nccl")),
                     TACHO_WORK_COPY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_communication),
        cmocka_unit_test(test_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
