/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUPTI that is there: that of the program if it has loaded one, else the one that the linker
 * finds, else that of the toolkit.
 */
#ifndef TACHO_CUDA_CUPTI_H
#define TACHO_CUDA_CUPTI_H

#include "cuda/abi.h"

#include <stdbool.h>

/* Its functions. */
typedef struct tacho_cupti {
#define TACHO_CU_MEMBER(name, arguments) tacho_cu_##name *name;
    TACHO_CU_FUNCTIONS(TACHO_CU_MEMBER)
#undef TACHO_CU_MEMBER
    uint32_t version;
    void *library;
} tacho_cupti;

/* NULL, or the reason for its absence in a few words. */
const char *tacho_cupti_load(tacho_cupti *out_cupti);

/* CUPTI's text for |result|. */
const char *tacho_cupti_text(const tacho_cupti *cupti, tacho_cu_result result);

#endif
