/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that profile their GPU themselves, as torch.profiler does. CUPTI has room for one: who
 * subscribes second is refused, and who registers second gets the other's buffers and drops them.
 * So such calls of the program are noticed just before they happen.
 */
#ifndef TACHO_CUDA_RIVALS_H
#define TACHO_CUDA_RIVALS_H

#include "cuda/cupti.h"

typedef void tacho_cu_rival_found(void);

/*
 * Has |found| called whenever a library that is loaded by now calls CUPTI to subscribe or to
 * register for records. Those that ask the loader for CUPTI's functions (dlsym) are not seen.
 */
void tacho_cu_rivals_watch(const tacho_cupti *cupti, tacho_cu_rival_found *found);

#endif
