/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick kernels: loops over elements of one type, with channels last where there are any, for what
 * oneDNN does not compute, or not well. They are called as reference kernels are, and give the same
 * bits; but InstanceNormalization, Einsum, DeformConv and recurrent layers add up in another order
 * or type, and functions are those of kernels/vector.h. Outputs need not be zeroed before.
 */
#ifndef TACHO_KERNELS_QUICK_H
#define TACHO_KERNELS_QUICK_H

#include "base/arena.h"
#include "kernels/kernel.h"

/*
 * The quick kernel of an operator for the types, shapes and attributes of a call, or NULL. Neither
 * inputs nor outputs have to have memory.
 */
const tacho_kernel *tacho_quick_find(tacho_str name, const tacho_kernel_call *call);

/*
 * Prepares the constants of an operator's quick kernel once, for all calls: the result goes into
 * |prepared| of the call. Inputs that are constants have memory, others none. NULL where there is
 * nothing to prepare.
 */
tacho_status tacho_quick_prepare(tacho_str name, const tacho_kernel_call *call, tacho_arena *arena,
                                 const void **out_prepared) TACHO_MUST_USE;

/* Whether there is one for some type: of reals, or of integers. */
bool tacho_quick_knows(tacho_str name, bool is_real);

/* Those with windows and statistics, see quick_window.c: whether they can compute the call, and
 * how. */
bool tacho_quick_fits_pool(const tacho_kernel_call *call);
tacho_status tacho_quick_max_pool(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_avg_pool(const tacho_kernel_call *call) TACHO_MUST_USE;
bool tacho_quick_fits_instance_norm(const tacho_kernel_call *call);
tacho_status tacho_quick_instance_norm(const tacho_kernel_call *call) TACHO_MUST_USE;

/* Casts, see quick_cast.c. */
bool tacho_quick_fits_cast(const tacho_kernel_call *call);
tacho_status tacho_quick_cast(const tacho_kernel_call *call) TACHO_MUST_USE;

/* Windows whose elements are moved, see deform.c. */
bool tacho_quick_fits_deform(const tacho_kernel_call *call);
tacho_status tacho_quick_deform(const tacho_kernel_call *call) TACHO_MUST_USE;

/* Sums of products, see einsum.c. */
bool tacho_quick_fits_einsum(const tacho_kernel_call *call);
tacho_status tacho_quick_einsum(const tacho_kernel_call *call) TACHO_MUST_USE;

/* Recurrent layers, see recurrent.c; weights that are constants are packed once. */
bool tacho_quick_fits_recurrent(const tacho_kernel_call *call);
bool tacho_quick_fits_quantised_lstm(const tacho_kernel_call *call);
#define TACHO_QUICK_RECURRENT(name)                                                                \
    tacho_status tacho_quick_##name(const tacho_kernel_call *call) TACHO_MUST_USE;                 \
    tacho_status tacho_quick_prepare_##name(const tacho_kernel_call *call, tacho_arena *arena,     \
                                            const void **out_prepared) TACHO_MUST_USE;
TACHO_QUICK_RECURRENT(gru)
TACHO_QUICK_RECURRENT(lstm)
TACHO_QUICK_RECURRENT(quantised_lstm)
TACHO_QUICK_RECURRENT(rnn)
#undef TACHO_QUICK_RECURRENT

/* Bytes of networks that are quantised while they run, see quick_bytes.c. */
/* Scale, zero point and bytes of numbers as DynamicQuantizeLinear has them; false where one is a
 * NaN or their range is not finite. */
bool tacho_quantise_reals(const float *from, int64_t count, uint8_t *to, float *out_scale,
                          uint8_t *out_zero) TACHO_MUST_USE;
bool tacho_quick_fits_dynamic_quantise(const tacho_kernel_call *call);
tacho_status tacho_quick_dynamic_quantise(const tacho_kernel_call *call) TACHO_MUST_USE;
bool tacho_quick_fits_dequantise(const tacho_kernel_call *call);
tacho_status tacho_quick_dequantise(const tacho_kernel_call *call) TACHO_MUST_USE;
bool tacho_quick_fits_matmul_integer(const tacho_kernel_call *call);
tacho_status tacho_quick_matmul_integer(const tacho_kernel_call *call) TACHO_MUST_USE;

/* Functions of elements, see quick_function.c. Those of one operand fit the same calls. */
bool tacho_quick_fits_function(const tacho_kernel_call *call);
tacho_status tacho_quick_erf(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_exp(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_gelu(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_log(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_sigmoid(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_softplus(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_swish(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_quick_tanh(const tacho_kernel_call *call) TACHO_MUST_USE;
bool tacho_quick_fits_pow(const tacho_kernel_call *call);
tacho_status tacho_quick_pow(const tacho_kernel_call *call) TACHO_MUST_USE;

#endif
