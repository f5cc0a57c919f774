/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of kernels and copies as libraries spell them, and the traits that they give away.
 */
#include "profile/kernel_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static tacho_kernel_traits traits_of(const char *name)
{
    return tacho_kernel_traits_of(TACHO_STR("kernel"), tacho_str_from_cstring(name));
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tacho_kernel_class kind;
    } cases[] = {
        {"nvjet_sm90_tst_64x32_64x16_2x4_h_bz_NNT", TACHO_KERNEL_PRODUCT},
        {"void gemmk1_kernel<int, float, 256>(int)", TACHO_KERNEL_PRODUCT},
        {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64", TACHO_KERNEL_PRODUCT},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", TACHO_KERNEL_ATTENTION},
        {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float>(int)",
         TACHO_KERNEL_LAYOUT},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::gemm_like<float> >(int)",
         TACHO_KERNEL_ELEMENTWISE},
        {"void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda("
         "at::TensorIteratorBase&)::{lambda(float)#1}>(int)",
         TACHO_KERNEL_COPY},
        {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)",
         TACHO_KERNEL_NORM},
        {"void (anonymous namespace)::softmax_warp_forward<float, float>(float*)",
         TACHO_KERNEL_SOFTMAX},
        {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<A<4> >(A)",
         TACHO_KERNEL_OPTIMIZER},
        {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float> >(int)",
         TACHO_KERNEL_REDUCTION},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", TACHO_KERNEL_COMMUNICATION},
        {"triton_poi_fused_add_mul_softmax_3", TACHO_KERNEL_OTHER}, /* fused already */
        {"triton_tem_fused_mm_1", TACHO_KERNEL_PRODUCT},
        {"fft2d_r2c_32x32", TACHO_KERNEL_OTHER},
        {"", TACHO_KERNEL_OTHER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(traits_of(cases[i].name).kind, cases[i].kind);
    }
}

/* Products in f32 without units for matrices, and those that only look like them. */
static void test_scalar_products(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_scalar;
    } cases[] = {
        {"ampere_sgemm_128x64_nn", true},
        {"volta_scudnn_128x64_relu_xregs_large_nn_v1", true},
        {"void cudnn::detail::dgrad_engine<float, 512, 6, 5>(int)", true},
        {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_ffma_aligna4", true},
        {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc", false},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(int)", false},
        {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_f32>(int)", false},
        {"Cijk_Ailk_Bjlk_SB_Bias_AS_SAV", false}, /* matrix cores of AMD take f32 */
        {"void at::native::vectorized_elementwise_kernel<4, float>(int)", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(traits_of(cases[i].name).is_scalar, cases[i].is_scalar);
    }
}

static void test_types(void **state)
{
    (void)state;
    assert_true(traits_of("void f_layer_norm<float, float>(float*)").is_f32);
    assert_false(traits_of("void f_layer_norm<c10::BFloat16, float>(float*)").is_f32);
    assert_true(traits_of("nvjet_sm90_tst_64x32").is_half);
    assert_true(
        traits_of("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_align2").is_misaligned);
    assert_false(
        traits_of("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_align8").is_misaligned);
    assert_false(traits_of("ampere_sgemm_align2").is_misaligned);
}

static void test_copies(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tacho_copy_way way;
    } cases[] = {
        {"Memcpy HtoD (Pageable -> Device)", TACHO_COPY_PAGED},
        {"Memcpy DtoH (Device -> Pageable)", TACHO_COPY_PAGED},
        {"Memcpy HtoD (Pinned -> Device)", TACHO_COPY_TO_DEVICE},
        {"Memcpy DtoH (Device -> Pinned)", TACHO_COPY_FROM_DEVICE},
        {"Memcpy DtoD (Device -> Device)", TACHO_COPY_WITHIN_DEVICE},
        {"Memcpy HtoD (Host -> Device)", TACHO_COPY_TO_DEVICE},
        {"CopyDeviceToDevice", TACHO_COPY_WITHIN_DEVICE},
        {"Memset (Device)", TACHO_COPY_NONE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tacho_kernel_traits traits = traits_of(cases[i].name);
        assert_int_equal(traits.kind, TACHO_KERNEL_TRANSFER);
        assert_int_equal(traits.way, cases[i].way);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_scalar_products),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
