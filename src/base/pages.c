/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All pages of the block are advised: a mapping of which only a part were would become two, and
 * could not grow in place any more.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void tacho_pages_advise(void *memory, size_t bytes)
{
    if (bytes < TACHO_PAGES_LARGE_BYTES) {
        return;
    }
#ifdef MADV_HUGEPAGE
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)memory % page;
    madvise((char *)memory - before, (before + bytes + page - 1) / page * page, MADV_HUGEPAGE);
#else
    (void)memory;
#endif
}
