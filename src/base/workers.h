/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take their work from one list.
 */
#ifndef TACHO_BASE_WORKERS_H
#define TACHO_BASE_WORKERS_H

#include <stddef.h>

/*
 * Runs |work| in |wanted| threads, one of which is the caller's, and returns when all have: 0
 * stands for one per processor; there are no more of them than items. Where threads cannot be had,
 * there are fewer, so |work| has to go on until nothing is left.
 */
void tacho_workers_run(size_t wanted, size_t item_count, void *(*work)(void *), void *user);

#endif
