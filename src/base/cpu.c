/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPUID, XCR0 and the permission for tiles. No decision is made here: see kernels/isa.h.
 */
#define _GNU_SOURCE /* syscall(2), sched_getaffinity */

#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---- its name ------------------------------------------------------------------------------ */

/* Fields of /proc/cpuinfo of the first processor. Processors of Arm have numbers for names. */
typedef struct cpu_lines {
    char model[128], implementer[16], part[16];
} cpu_lines;

/* The value of a line "model name : ..." whose key is |key|. */
static bool read_value(const char *line, const char *key, char *to, size_t size)
{
    size_t key_length = strlen(key);
    const char *colon = strchr(line, ':');
    if (to[0] != '\0' || colon == NULL || strncmp(line, key, key_length) != 0 ||
        key_length + strspn(line + key_length, " \t") != (size_t)(colon - line)) {
        return false;
    }
    const char *from = colon + 1 + strspn(colon + 1, " \t");
    size_t length = strcspn(from, "\n");
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
    return to[0] != '\0';
}

/* Who makes the cores that implement Arm's architecture, by code; and which those of Arm itself
 * are. */
static const char *find_word(const char *const words[][2], size_t count, const char *code)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i][0], code) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

static void name_arm(const cpu_lines *lines, char *to, size_t size)
{
    static const char *const makers[][2] = {
        {"0x41", "Arm"},       {"0x42", "Broadcom"},  {"0x43", "Cavium"}, {"0x46", "Fujitsu"},
        {"0x48", "HiSilicon"}, {"0x4e", "Nvidia"},    {"0x50", "Ampere"}, {"0x51", "Qualcomm"},
        {"0x61", "Apple"},     {"0x6d", "Microsoft"}, {"0xc0", "Ampere"},
    };
    static const char *const cores[][2] = {
        {"0xd03", "Cortex-A53"},  {"0xd05", "Cortex-A55"},  {"0xd07", "Cortex-A57"},
        {"0xd08", "Cortex-A72"},  {"0xd09", "Cortex-A73"},  {"0xd0a", "Cortex-A75"},
        {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse-N1"}, {"0xd40", "Neoverse-V1"},
        {"0xd49", "Neoverse-N2"}, {"0xd4f", "Neoverse-V2"},
    };
    const char *maker = find_word(makers, sizeof(makers) / sizeof(makers[0]), lines->implementer);
    const char *core = strcmp(lines->implementer, "0x41") == 0
                           ? find_word(cores, sizeof(cores) / sizeof(cores[0]), lines->part)
                           : NULL;
    if (maker != NULL) {
        snprintf(to, size, "%s %s%s", maker, core != NULL ? "" : "part ",
                 core != NULL ? core : lines->part);
    } else {
        snprintf(to, size, "implementer %s, part %s", lines->implementer, lines->part);
    }
}

void tacho_cpu_name_in(FILE *file, char *to, size_t size)
{
    cpu_lines lines = {.model = ""};
    char line[512];
    while (lines.model[0] == '\0' && fgets(line, sizeof(line), file) != NULL) {
        (void)read_value(line, "model name", lines.model, sizeof(lines.model));
        (void)read_value(line, "CPU implementer", lines.implementer, sizeof(lines.implementer));
        (void)read_value(line, "CPU part", lines.part, sizeof(lines.part));
    }
    if (lines.model[0] != '\0') {
        snprintf(to, size, "%s", lines.model);
    } else if (lines.implementer[0] != '\0') {
        name_arm(&lines, to, size);
    } else {
        snprintf(to, size, "unknown");
    }
}

tacho_status tacho_cpu_name(char *to, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(to, size, "unknown");
    if (file == NULL) {
        return errno != ENOMEM ? TACHO_OK
                               : tacho_fail(TACHO_CODE_NO_MEMORY, "no memory for /proc/cpuinfo");
    }
    tacho_cpu_name_in(file, to, size);
    fclose(file);
    return TACHO_OK;
}

unsigned tacho_cpu_count(void)
{
    cpu_set_t processors;
    bool is_known = sched_getaffinity(0, sizeof(processors), &processors) == 0;
    return is_known && CPU_COUNT(&processors) > 1 ? (unsigned)CPU_COUNT(&processors) : 1;
}

bool tacho_cpu_is_spare(void)
{
    struct stat threads; /* a folder has two links, and one for each folder in it */
    bool is_known = stat("/proc/self/task", &threads) == 0 && threads.st_nlink > 2;
    return tacho_cpu_count() > (is_known ? threads.st_nlink - 2 : 1);
}
