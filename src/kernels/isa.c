/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses vector instructions. The choice is a function of its arguments alone, so that tests can
 * put processors in front of it that are not here.
 */
#include "kernels/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Bits of CPUID and XCR0. */
enum {
    ONE_ECX_FMA = 1 << 12,
    ONE_ECX_SSE41 = 1 << 19,
    ONE_ECX_AVX = 1 << 28,
    SEVEN_EBX_AVX2 = 1 << 5,
    SEVEN_EBX_AVX512F = 1 << 16,
    SEVEN_EBX_AVX512DQ = 1 << 17,
    SEVEN_EBX_AVX512BW = 1 << 30,
    SEVEN_ECX_AVX512_VNNI = 1 << 11,
    SEVEN_EDX_AMX_BF16 = 1 << 22,
    SEVEN_EDX_AMX_TILE = 1 << 24,
    SEVEN_EDX_AMX_INT8 = 1 << 25,
    SEVEN_ONE_EAX_AVX_VNNI = 1 << 4,
    SEVEN_ONE_EAX_AVX512_BF16 = 1 << 5,
    SAVES_AVX = 3 << 1,
    SAVES_AVX512 = 7 << 5,
    SAVES_TILES = 3 << 17,
};
static const uint32_t SEVEN_EBX_AVX512VL = (uint32_t)1 << 31;

/* Palette 1 as all processors with AMX have it: 8 tiles of 16 rows of 64 bytes. */
enum { TILE_BYTES = 1024, TILE_ROW_BYTES = 64, TILE_COUNT = 8, TILE_ROWS = 16 };

static const char *const names[] = {
#define NAME(name, text) text,
    TACHO_ISAS(NAME)
#undef NAME
};

const char *tacho_isa_name(tacho_isa isa)
{
    return names[isa];
}

static bool has_palette(const tacho_cpu_facts *facts)
{
    return facts->leaf_max >= 0x1d && facts->palette_max >= 1 &&
           facts->palette[0] >> 16 == TILE_BYTES &&
           (facts->palette[1] & 0xffff) == TILE_ROW_BYTES &&
           facts->palette[1] >> 16 == TILE_COUNT && (facts->palette[2] & 0xffff) == TILE_ROWS;
}

static tacho_isa_choice choose_amx(const tacho_cpu_facts *facts)
{
    uint32_t all = SEVEN_EDX_AMX_BF16 | SEVEN_EDX_AMX_TILE | SEVEN_EDX_AMX_INT8;
    tacho_isa_choice choice = {.isa = TACHO_ISA_AVX512_CORE_BF16};
    if ((facts->extended_edx & SEVEN_EDX_AMX_TILE) == 0) {
        return choice;
    }
    if (!has_palette(facts)) {
        choice.reason = TACHO_ISA_NO_PALETTE;
    } else if ((facts->saved_state & SAVES_TILES) != SAVES_TILES || !facts->has_tile_permission) {
        choice.reason = TACHO_ISA_NO_TILES;
    } else if ((facts->extended_edx & all) == all) {
        choice.isa = TACHO_ISA_AVX512_CORE_AMX;
    }
    return choice;
}

static tacho_isa_choice choose_wide(const tacho_cpu_facts *facts)
{
    bool has_vnni = (facts->extended_ecx & SEVEN_ECX_AVX512_VNNI) != 0;
    bool has_bf16 = has_vnni && (facts->more_eax & SEVEN_ONE_EAX_AVX512_BF16) != 0;
    tacho_isa_choice choice = choose_amx(facts);
    if (!has_bf16) { /* all that have AMX have these */
        choice.isa = has_vnni ? TACHO_ISA_AVX512_CORE_VNNI : TACHO_ISA_AVX512_CORE;
    }
    return choice;
}

/* The processor's instruction set, without those that are broken. */
static tacho_isa_choice choose_best(const tacho_cpu_facts *facts)
{
    uint32_t wide =
        SEVEN_EBX_AVX512F | SEVEN_EBX_AVX512DQ | SEVEN_EBX_AVX512BW | SEVEN_EBX_AVX512VL;
    tacho_isa_choice choice = {.isa = TACHO_ISA_PLAIN};
    if ((facts->features_ecx & ONE_ECX_SSE41) == 0) {
        return choice;
    }
    choice.isa = TACHO_ISA_SSE41;
    if ((facts->features_ecx & ONE_ECX_AVX) == 0) {
        return choice;
    }
    if ((facts->saved_state & SAVES_AVX) != SAVES_AVX) {
        choice.reason = TACHO_ISA_NO_AVX;
        return choice;
    }
    choice.isa = TACHO_ISA_AVX;
    if ((facts->extended_ebx & SEVEN_EBX_AVX2) == 0) {
        return choice;
    }
    if ((facts->features_ecx & ONE_ECX_FMA) == 0) {
        choice.reason = TACHO_ISA_NO_FMA;
        return choice;
    }
    choice.isa =
        (facts->more_eax & SEVEN_ONE_EAX_AVX_VNNI) != 0 ? TACHO_ISA_AVX2_VNNI : TACHO_ISA_AVX2;
    if ((facts->extended_ebx & wide) != wide) {
        return choice;
    }
    if ((facts->saved_state & SAVES_AVX512) != SAVES_AVX512) {
        choice.reason = TACHO_ISA_NO_AVX512;
        return choice;
    }
    return choose_wide(facts);
}

/* The set that a text names, upper or lower case. The sets of Xeon Phi allow no more than AVX2
 * here. */
static bool find_limit(const char *text, tacho_isa *out_isa)
{
    if (strncasecmp(text, "AVX512_MIC", 10) == 0) {
        *out_isa = TACHO_ISA_AVX2;
        return true;
    }
    for (int i = TACHO_ISA_SSE41; i <= TACHO_ISA_AVX512_CORE_AMX; i++) {
        if (strcasecmp(text, names[i]) == 0) {
            *out_isa = (tacho_isa)i;
            return true;
        }
    }
    *out_isa = TACHO_ISA_AVX512_CORE_AMX;
    return strcasecmp(text, "ALL") == 0;
}

/* The best that works, limited to |allowed|: AVX2_VNNI is the one set that higher ones in the list
 * do not include, but processors with more may have it, too. */
static tacho_isa lower(const tacho_cpu_facts *facts, tacho_isa best, tacho_isa allowed)
{
    tacho_isa low = best < allowed ? best : allowed;
    bool has_avx_vnni = (facts->more_eax & SEVEN_ONE_EAX_AVX_VNNI) != 0;
    return low == TACHO_ISA_AVX2_VNNI && !has_avx_vnni ? TACHO_ISA_AVX2 : low;
}

tacho_isa_choice tacho_isa_choose(const tacho_cpu_facts *facts, const char *limit)
{
    tacho_isa_choice choice = choose_best(facts);
    tacho_isa allowed;
    if (limit == NULL || limit[0] == '\0') {
        return choice;
    }
    if (!find_limit(limit, &allowed)) {
        choice.is_unknown = true;
        return choice;
    }
    tacho_isa best = choice.isa;
    choice.isa = lower(facts, best, allowed);
    choice.reason = choice.isa == best ? choice.reason : TACHO_ISA_USER;
    return choice;
}

const char *tacho_isa_limit_name(void)
{
    static const char *const variables[] = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *limit = getenv(variables[i]);
        if (limit != NULL && limit[0] != '\0') {
            return variables[i];
        }
    }
    return NULL;
}

const char *tacho_isa_limit(void)
{
    const char *variable = tacho_isa_limit_name();
    return variable != NULL ? getenv(variable) : NULL;
}

void tacho_isa_explain(const tacho_isa_choice *choice, const char *variable, char *to, size_t size)
{
    static const char *const texts[] = {
        [TACHO_ISA_BEST] = "all that this CPU supports",
        [TACHO_ISA_USER] = "",
        [TACHO_ISA_NO_PALETTE] = "the CPU reports AMX, but no tiles (CPUID leaf 0x1d)",
        [TACHO_ISA_NO_TILES] = "the CPU reports AMX, but the operating system does not allow it",
        [TACHO_ISA_NO_AVX512] =
            "the CPU reports AVX-512, but the operating system does not save its registers",
        [TACHO_ISA_NO_AVX] =
            "the CPU reports AVX, but the operating system does not save its registers",
        [TACHO_ISA_NO_FMA] = "the CPU reports AVX2, but not FMA",
    };
    const char *from = variable != NULL ? variable : "ONEDNN_MAX_CPU_ISA";
    const char *unknown = choice->is_unknown ? from : "";
    const char *ignored = choice->is_unknown ? " names no instruction set and is ignored" : "";
    const char *between = choice->is_unknown ? "; " : "";
    if (choice->reason == TACHO_ISA_USER) {
        snprintf(to, size, "as %s allows%s%s%s", from, between, unknown, ignored);
    } else {
        snprintf(to, size, "%s%s%s%s", texts[choice->reason], between, unknown, ignored);
    }
}

#if defined(__x86_64__)
#include <cpuid.h>

static bool is_allowed(tacho_isa isa)
{
    const char *limit = tacho_isa_limit();
    tacho_isa allowed;
    return limit == NULL || limit[0] == '\0' || !find_limit(limit, &allowed) || allowed >= isa;
}

/* The compiler's own question does not know this word in every version. */
static bool has_f16c(void)
{
    unsigned eax, ebx, ecx = 0, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool tacho_isa_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
           has_f16c() && is_allowed(TACHO_ISA_AVX2);
}

bool tacho_isa_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           is_allowed(TACHO_ISA_AVX512_CORE);
}

bool tacho_isa_has_avx512_vnni(void)
{
    return tacho_isa_has_avx512() && __builtin_cpu_supports("avx512vnni") != 0 &&
           is_allowed(TACHO_ISA_AVX512_CORE_VNNI);
}

#else

bool tacho_isa_has_avx2(void)
{
    return false;
}

bool tacho_isa_has_avx512(void)
{
    return false;
}

bool tacho_isa_has_avx512_vnni(void)
{
    return false;
}

#endif
