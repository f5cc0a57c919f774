/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks by the environment that launchers leave.
 */
#include "capture/rank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct rank_case {
    tacho_str environment;
    const char *launcher; /* NULL: none */
    uint64_t rank, world_size;
} rank_case;

static void launchers_are_recognised(void **state)
{
    static const rank_case cases[] = {
        {TACHO_STR_INIT("HOME=/root\0RANK=3\0LOCAL_RANK=1\0WORLD_SIZE=8\0"), "torchrun", 3, 8},
        {TACHO_STR_INIT("OMPI_COMM_WORLD_SIZE=4\0OMPI_COMM_WORLD_RANK=0\0"), "Open MPI", 0, 4},
        {TACHO_STR_INIT("MV2_COMM_WORLD_RANK=2\0MV2_COMM_WORLD_SIZE=3\0"), "MVAPICH", 2, 3},
        {TACHO_STR_INIT("PMI_RANK=1\0PMI_SIZE=2\0"), "MPI", 1, 2},
        {TACHO_STR_INIT("PMIX_RANK=5\0"), "PMIx", 5, 0},
        {TACHO_STR_INIT("SLURM_NTASKS=64\0SLURM_PROCID=63\0"), "Slurm", 63, 64},
        /* torchrun inside a job of Slurm */
        {TACHO_STR_INIT("SLURM_PROCID=0\0RANK=7\0WORLD_SIZE=8\0"), "torchrun", 7, 8},
        /* RANK alone may be anything */
        {TACHO_STR_INIT("RANK=7\0"), NULL, 0, 0},
        {TACHO_STR_INIT("RANK=general\0WORLD_SIZE=8\0"), NULL, 0, 0},
        {TACHO_STR_INIT("SLURM_PROCID=\0"), NULL, 0, 0},
        {TACHO_STR_INIT("XSLURM_PROCID=1\0SLURM_PROCID_X=2\0"), NULL, 0, 0},
        /* cut off in the middle, as a long environment is */
        {TACHO_STR_INIT("A=b\0SLURM_PROCID=12"), "Slurm", 12, 0},
        {TACHO_STR_INIT(""), NULL, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_rank rank;
        bool is_found = tacho_rank_find(cases[i].environment, &rank);
        assert_int_equal(is_found, cases[i].launcher != NULL);
        if (is_found) {
            assert_string_equal(rank.launcher, cases[i].launcher);
            assert_int_equal(rank.rank, cases[i].rank);
            assert_int_equal(rank.world_size, cases[i].world_size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launchers_are_recognised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
