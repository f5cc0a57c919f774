/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the program that give a GPU work or wait for it: zones of the threads that make them.
 * CUPTI calls back where they begin and end.
 */
#ifndef TACHO_CUDA_CALLS_H
#define TACHO_CUDA_CALLS_H

#include "cuda/cupti.h"

/* NULL, or why calls cannot be seen. */
const char *tacho_cu_calls_start(const tacho_cupti *cupti);

/* Others may subscribe again. Calls that are under way have no zone. */
void tacho_cu_calls_stop(const tacho_cupti *cupti);

/* CUPTI is taken down: there is nothing to stop. */
void tacho_cu_calls_forget(void);

bool tacho_cu_calls_are_on(void);

#endif
