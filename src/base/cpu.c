/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPUID, XCR0 and the permission for tiles. No decision is made here: see kernels/isa.h.
 */
#define _GNU_SOURCE /* syscall(2) */

#include "base/cpu.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    OSXSAVE = 1 << 27,       /* leaf 1, ECX */
    AMX_TILE = 1 << 24,      /* leaf 7, EDX */
    TILE_STATE = 3 << 17,    /* XCR0: tile configuration and data */
    ASK_PERMISSION = 0x1023, /* ARCH_REQ_XCOMP_PERM */
    TILE_DATA = 18,          /* the state it is asked for */
    TILE_LEAF = 0x1d,
};

static uint64_t read_saved_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

tacho_cpu_facts tacho_cpu_read(void)
{
    tacho_cpu_facts facts = {0};
    uint32_t a, b, c, d;
    facts.leaf_max = (uint32_t)__get_cpuid_max(0, NULL);
    if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
        facts.features_ecx = c;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
        facts.extended_ebx = b;
        facts.extended_ecx = c;
        facts.extended_edx = d;
        uint32_t subleaf_max = a;
        if (subleaf_max >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
            facts.more_eax = a;
        }
    }
    if (__get_cpuid_count(TILE_LEAF, 0, &a, &b, &c, &d) != 0) {
        facts.palette_max = a;
        (void)__get_cpuid_count(TILE_LEAF, 1, &facts.palette[0], &facts.palette[1],
                                &facts.palette[2], &d);
    }
    if ((facts.features_ecx & OSXSAVE) != 0) {
        facts.saved_state = read_saved_state();
    }
    facts.has_tile_permission = (facts.extended_edx & AMX_TILE) != 0 &&
                                (facts.saved_state & TILE_STATE) == TILE_STATE &&
                                syscall(SYS_arch_prctl, ASK_PERMISSION, TILE_DATA) == 0;
    return facts;
}

#else

tacho_cpu_facts tacho_cpu_read(void)
{
    return (tacho_cpu_facts){0};
}

#endif

/* The value of a line "model name : ..." */
static bool read_name(const char *line, char *to, size_t size)
{
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) {
        return false;
    }
    const char *from = colon + 1 + strspn(colon + 1, " \t");
    size_t length = strcspn(from, "\n");
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
    return to[0] != '\0';
}

void tacho_cpu_name(char *to, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool is_found = false;
    while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL) {
        is_found = read_name(line, to, size);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!is_found) {
        snprintf(to, size, "unknown");
    }
}
