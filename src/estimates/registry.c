/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All analyses of models, programs and machines.
 */
#include "estimates/estimates.h"

const tacho_analysis *const tacho_estimates[] = {
#define ANALYSIS_ROW(name) &tacho_analysis_##name,
    TACHO_ESTIMATES(ANALYSIS_ROW)
#undef ANALYSIS_ROW
        NULL,
};
