/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Math fidelity: how many bits of the inputs a chip multiplies.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_FIDELITY_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_FIDELITY_H

#include "base/str.h"

typedef enum tacho_tt_verdict {
    TACHO_TT_UNKNOWN,
    TACHO_TT_TOO_LOW,
    TACHO_TT_SUFFICIENT,
    TACHO_TT_TOO_HIGH,
} tacho_tt_verdict;

typedef struct tacho_tt_fidelity {
    tacho_tt_verdict verdict;
    const char *advice;    /* or NULL */
    tacho_str unsupported; /* the type that is not supported; else empty */
} tacho_tt_fidelity;

/* Judges a product of the first two types with results of the third. */
tacho_tt_fidelity tacho_tt_judge_fidelity(const tacho_str datatypes[3], tacho_str fidelity);

#endif
