/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors as they are and as virtual machines show them, put before the choice of instructions.
 */
#include "kernels/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A server with AMX, as Linux runs on it without a hypervisor. */
static const tacho_cpu_facts sapphire_rapids = {
    .leaf_max = 0x20,
    .features_ecx = 0x7ffefbff,
    .extended_ebx = 0xf3bfbfff,
    .extended_ecx = 0xfb417ffe,
    .extended_edx = 0xffdd4432,
    .more_eax = 0x00001c30,
    .palette_max = 1,
    .palette = {0x04002000, 0x00080040, 0x00000010},
    .saved_state = 0x602e7,
    .has_tile_permission = true,
};

static void check(const tacho_cpu_facts *facts, const char *limit, tacho_isa isa,
                  tacho_isa_reason reason)
{
    tacho_isa_choice choice = tacho_isa_choose(facts, limit);
    assert_string_equal(tacho_isa_name(choice.isa), tacho_isa_name(isa));
    assert_int_equal(choice.reason, reason);
}

static void test_amx(void **state)
{
    (void)state;
    tacho_cpu_facts facts = sapphire_rapids;
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_AMX, TACHO_ISA_BEST);
    check(&facts, "", TACHO_ISA_AVX512_CORE_AMX, TACHO_ISA_BEST);
    facts.has_tile_permission = false;
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_TILES);
    facts = sapphire_rapids;
    facts.saved_state = 0xe7;
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_TILES);
    facts = sapphire_rapids;
    facts.extended_edx &= ~(1U << 24); /* no tiles: nothing is broken */
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_BEST);
}

/* Leaves end at 0x1c, so the palette reads as zeros, but leaf 7 shows AMX. */
static void test_amx_without_palette(void **state)
{
    (void)state;
    tacho_cpu_facts facts = sapphire_rapids;
    facts.leaf_max = 0x1c;
    facts.palette_max = 0;
    memset(facts.palette, 0, sizeof(facts.palette));
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_PALETTE);
    check(&facts, "AVX2", TACHO_ISA_AVX2, TACHO_ISA_USER);
    check(&facts, "avx512_core_amx", TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_PALETTE);
    check(&facts, "ALL", TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_PALETTE);
    facts = sapphire_rapids;
    facts.palette_max = 0;
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_PALETTE);
    static const uint32_t odd[][3] = {
        {0x04002000, 0x00080020, 0x00000010}, /* rows of 32 bytes */
        {0x04002000, 0x00040040, 0x00000010}, /* four tiles */
        {0x02002000, 0x00080040, 0x00000008}, /* 8 rows */
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        facts = sapphire_rapids;
        memcpy(facts.palette, odd[i], sizeof(odd[i]));
        check(&facts, NULL, TACHO_ISA_AVX512_CORE_BF16, TACHO_ISA_NO_PALETTE);
    }
}

/* The operating system, or a hypervisor, does not save the registers of what CPUID shows. */
static void test_state_that_is_not_saved(void **state)
{
    (void)state;
    tacho_cpu_facts facts = sapphire_rapids;
    facts.saved_state = 7;
    check(&facts, NULL, TACHO_ISA_AVX2_VNNI, TACHO_ISA_NO_AVX512);
    facts.more_eax = 0;
    check(&facts, NULL, TACHO_ISA_AVX2, TACHO_ISA_NO_AVX512);
    facts.saved_state = 3;
    check(&facts, NULL, TACHO_ISA_SSE41, TACHO_ISA_NO_AVX);
    facts.saved_state = 0;
    check(&facts, "AVX512_CORE", TACHO_ISA_SSE41, TACHO_ISA_NO_AVX);
}

static void test_older_processors(void **state)
{
    (void)state;
    tacho_cpu_facts facts = sapphire_rapids;
    facts.extended_edx = 0;
    facts.more_eax = 0;
    check(&facts, NULL, TACHO_ISA_AVX512_CORE_VNNI, TACHO_ISA_BEST);
    facts.extended_ecx = 0;
    check(&facts, NULL, TACHO_ISA_AVX512_CORE, TACHO_ISA_BEST);
    facts.extended_ebx &= ~(1U << 31); /* without VL: Xeon Phi */
    check(&facts, NULL, TACHO_ISA_AVX2, TACHO_ISA_BEST);
    facts.features_ecx &= ~(1U << 12);
    check(&facts, NULL, TACHO_ISA_AVX, TACHO_ISA_NO_FMA);
    facts.extended_ebx = 0;
    check(&facts, NULL, TACHO_ISA_AVX, TACHO_ISA_BEST);
    facts.features_ecx = 1U << 19;
    check(&facts, NULL, TACHO_ISA_SSE41, TACHO_ISA_BEST);
    check(&(tacho_cpu_facts){0}, NULL, TACHO_ISA_PLAIN, TACHO_ISA_BEST);
    check(&(tacho_cpu_facts){0}, "AVX2", TACHO_ISA_PLAIN, TACHO_ISA_BEST);
}

static void test_limits(void **state)
{
    (void)state;
    const tacho_cpu_facts *facts = &sapphire_rapids;
    check(facts, "SSE41", TACHO_ISA_SSE41, TACHO_ISA_USER);
    check(facts, "avx2_vnni", TACHO_ISA_AVX2_VNNI, TACHO_ISA_USER);
    tacho_cpu_facts ice_lake = sapphire_rapids;
    ice_lake.more_eax = 0; /* AVX-512 does not have it */
    check(&ice_lake, "avx2_vnni", TACHO_ISA_AVX2, TACHO_ISA_USER);
    check(facts, "AVX512_MIC_4OPS", TACHO_ISA_AVX2, TACHO_ISA_USER);
    check(facts, "AVX512_CORE_VNNI", TACHO_ISA_AVX512_CORE_VNNI, TACHO_ISA_USER);
    check(facts, "ALL", TACHO_ISA_AVX512_CORE_AMX, TACHO_ISA_BEST);
    check(facts, "AVX3", TACHO_ISA_AVX512_CORE_AMX, TACHO_ISA_BEST);
    assert_true(tacho_isa_choose(facts, "AVX3").is_unknown);
    assert_false(tacho_isa_choose(facts, "AVX2").is_unknown);
}

static void test_reasons(void **state)
{
    (void)state;
    char text[TACHO_ISA_REASON_MAX];
    tacho_isa_choice choice = {.reason = TACHO_ISA_NO_PALETTE};
    tacho_isa_explain(&choice, "DNNL_MAX_CPU_ISA", text, sizeof(text));
    assert_string_equal(text, "the CPU reports AMX, but no tiles (CPUID leaf 0x1d)");
    choice = (tacho_isa_choice){.reason = TACHO_ISA_BEST, .is_unknown = true};
    tacho_isa_explain(&choice, "DNNL_MAX_CPU_ISA", text, sizeof(text));
    assert_string_equal(text, "all that this CPU supports; DNNL_MAX_CPU_ISA names no instruction "
                              "set and is ignored");
    choice = (tacho_isa_choice){.reason = TACHO_ISA_USER};
    tacho_isa_explain(&choice, "DNNL_MAX_CPU_ISA", text, sizeof(text));
    assert_string_equal(text, "as DNNL_MAX_CPU_ISA allows");
}

/* The quick query and the full choice agree, for any limit. */
static void test_this_processor(void **state)
{
    (void)state;
    static const char *const limits[] = {"SSE41", "AVX2", "AVX512_CORE", "AVX512_CORE_VNNI", "ALL"};
    tacho_cpu_facts facts = tacho_cpu_read();
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        assert_int_equal(setenv("ONEDNN_MAX_CPU_ISA", limits[i], 1), 0);
        tacho_isa isa = tacho_isa_choose(&facts, tacho_isa_limit()).isa;
        assert_int_equal(tacho_isa_has_avx2(), isa >= TACHO_ISA_AVX2);
        assert_int_equal(tacho_isa_has_avx512(), isa >= TACHO_ISA_AVX512_CORE);
    }
    assert_int_equal(setenv("ONEDNN_MAX_CPU_ISA", "", 1), 0);
    assert_int_equal(setenv("DNNL_MAX_CPU_ISA", "SSE41", 1), 0);
    assert_string_equal(tacho_isa_limit(), "SSE41");
    assert_string_equal(tacho_isa_limit_name(), "DNNL_MAX_CPU_ISA");
    assert_false(tacho_isa_has_avx2());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amx),
        cmocka_unit_test(test_amx_without_palette),
        cmocka_unit_test(test_state_that_is_not_saved),
        cmocka_unit_test(test_older_processors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_this_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
