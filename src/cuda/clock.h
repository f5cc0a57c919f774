/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relation of CUPTI's clock to that of all other events. Functions may be called from any
 * thread.
 */
#ifndef TACHO_CUDA_CLOCK_H
#define TACHO_CUDA_CLOCK_H

#include "cuda/cupti.h"

/* Compares the two; call it now and then. */
void tacho_cu_clock_compare(const tacho_cupti *cupti);

/* Tells the collector how they are related, before work of |device| that started at |ticks|. */
void tacho_cu_clock_say(uint32_t device, const char *device_name, uint64_t ticks);

/* CUPTI's |ticks| as a time of tacho_client_now. */
uint64_t tacho_cu_clock_ns(uint64_t ticks);

#endif
