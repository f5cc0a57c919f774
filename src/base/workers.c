/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller is a worker as well: one worker needs no thread.
 */
#include "base/workers.h"

#include "base/cpu.h"

#include <pthread.h>

enum { WORKERS_MAX = 256 };

void tacho_workers_run(size_t wanted, size_t item_count, void *(*work)(void *), void *user)
{
    pthread_t threads[WORKERS_MAX];
    size_t started = 0;
    wanted = wanted > 0 ? wanted : tacho_cpu_count();
    wanted = wanted < item_count ? wanted : item_count;
    wanted = wanted < WORKERS_MAX ? wanted : WORKERS_MAX;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, user) == 0) {
        started++;
    }
    work(user);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}
