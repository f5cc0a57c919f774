/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels that PyTorch launches for an operator, one operator at a time (eager): the input of a
 * GPU's costs beyond sizes (tacho_work_kernel).
 */
#ifndef TACHO_COMPILE_GPU_FORM_H
#define TACHO_COMPILE_GPU_FORM_H

#include "compile/estimate.h"

/* Sets |work->kernel| of an operator of |inferences| at once, and the sizes of attention. */
void tacho_gpu_form_set(const tacho_fusion *fusion, const tacho_fused_op *op, uint64_t inferences,
                        tacho_work *work);

#endif
