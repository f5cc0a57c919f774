/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All pages of the block are advised: a mapping of which only a part were would become two, and
 * could not grow in place any more.
 */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/pages.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Smaller freed blocks stay with the process, and so do smaller ends of its heaps: memory returned
 * after each of many files would be requested again, page by page.
 */
enum { RETURNED_BYTES_MIN = 4 << 20 };

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

void *tacho_pages_alloc(size_t bytes)
{
    void *memory = NULL;
    if (bytes < TACHO_PAGES_LARGE_BYTES) {
        return malloc(bytes);
    }
    if (posix_memalign(&memory, TACHO_PAGES_LARGE_BYTES, bytes) != 0) {
        return NULL;
    }
    tacho_pages_advise(memory, bytes);
    return memory;
}

void tacho_pages_return_freed(void)
{
#ifdef M_MMAP_THRESHOLD
    (void)mallopt(M_MMAP_THRESHOLD, RETURNED_BYTES_MIN);
    (void)mallopt(M_TRIM_THRESHOLD, RETURNED_BYTES_MIN);
#endif
}

void tacho_pages_release(void *memory, size_t bytes)
{
    madvise(memory, bytes, MADV_DONTNEED);
}

bool tacho_pages_have_room(size_t bytes)
{
    struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit data = {RLIM_INFINITY, RLIM_INFINITY};
    (void)getrlimit(RLIMIT_AS, &space);
    (void)getrlimit(RLIMIT_DATA, &data);
    if (space.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    munmap(memory, bytes);
    return true;
}

uint64_t tacho_pages_available(void)
{
    uint64_t kib = UINT64_MAX;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file != NULL && kib == UINT64_MAX && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "MemAvailable: %" SCNu64, &kib);
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024;
}
