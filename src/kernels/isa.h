/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vector instructions that kernels use: the best that the processor has and the operating
 * system saves the state of, but none beyond the user's limit. The limit is oneDNN's own
 * environment variable, ONEDNN_MAX_CPU_ISA (or DNNL_MAX_CPU_ISA), so one word limits oneDNN's
 * kernels and ours alike.
 *
 * Virtual machines may show instructions that they do not run: AMX without its tile palette,
 * AVX-512 without its register state. oneDNN 2 believes them, so it is given a limit.
 */
#ifndef TACHO_KERNELS_ISA_H
#define TACHO_KERNELS_ISA_H

#include "base/cpu.h"

/* One row per set: its name here, and as oneDNN has it. Each has all above it but AVX2_VNNI. */
#define TACHO_ISAS(X)                                                                              \
    X(PLAIN, "generic")                                                                            \
    X(SSE41, "SSE41")                                                                              \
    X(AVX, "AVX")                                                                                  \
    X(AVX2, "AVX2") /* and FMA */                                                                  \
    X(AVX2_VNNI, "AVX2_VNNI")                                                                      \
    X(AVX512_CORE, "AVX512_CORE")                                                                  \
    X(AVX512_CORE_VNNI, "AVX512_CORE_VNNI")                                                        \
    X(AVX512_CORE_BF16, "AVX512_CORE_BF16")                                                        \
    X(AVX512_CORE_AMX, "AVX512_CORE_AMX")

typedef enum tacho_isa {
#define TACHO_ISA(name, text) TACHO_ISA_##name,
    TACHO_ISAS(TACHO_ISA)
#undef TACHO_ISA
} tacho_isa;

const char *tacho_isa_name(tacho_isa isa);

typedef enum tacho_isa_reason {
    TACHO_ISA_BEST,       /* all that the processor has */
    TACHO_ISA_USER,       /* the processor has more, the user's variable allows no more */
    TACHO_ISA_NO_PALETTE, /* AMX, but CPUID leaf 0x1d has not its tiles */
    TACHO_ISA_NO_TILES,   /* AMX, but the operating system does not let us use tiles */
    TACHO_ISA_NO_AVX512,  /* AVX-512, but the operating system does not save its registers */
    TACHO_ISA_NO_AVX,     /* AVX, likewise */
    TACHO_ISA_NO_FMA,     /* AVX2 without FMA, which oneDNN takes for granted */
} tacho_isa_reason;

typedef struct tacho_isa_choice {
    tacho_isa isa;
    tacho_isa_reason reason;
    bool is_unknown; /* the user's variable names an unknown instruction set and is ignored */
} tacho_isa_choice;

/* Decides from the processor's features and the text of the user's variable, NULL: not set. */
tacho_isa_choice tacho_isa_choose(const tacho_cpu_facts *facts, const char *limit);

/* The text of the user's variable, and which one it is; NULL when none is set. */
const char *tacho_isa_limit(void);
const char *tacho_isa_limit_name(void);

/* Writes why: "all that this CPU supports". |variable| is the one that set the limit. */
enum { TACHO_ISA_REASON_MAX = 160 };
void tacho_isa_explain(const tacho_isa_choice *choice, const char *variable, char *to, size_t size);

/*
 * Whether our own kernels may use AVX2, or AVX-512 (F, BW, DQ, VL), now. Cheap: for asking before
 * each run of a kernel. False on processors other than x86.
 */
bool tacho_isa_has_avx2(void);
bool tacho_isa_has_avx512(void);
bool tacho_isa_has_avx512_vnni(void);

#endif
