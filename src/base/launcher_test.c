/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks by the environment that launchers leave.
 */
#include "base/launcher.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
        {TACHO_STR_INIT("MVP_COMM_WORLD_RANK=2\0MVP_COMM_WORLD_SIZE=3\0"), "MVAPICH", 2, 3},
        {TACHO_STR_INIT("PMIX_RANK=5\0"), "PMIx", 5, 0},
        {TACHO_STR_INIT("PALS_RANKID=6\0PMI_SIZE=8\0"), "PALS", 6, 8},
        {TACHO_STR_INIT("FLUX_TASK_RANK=1\0FLUX_JOB_SIZE=4\0"), "Flux", 1, 4},
        {TACHO_STR_INIT("SLURM_STEP_NUM_TASKS=64\0SLURM_PROCID=63\0"), "Slurm", 63, 64},
        /* srun --mpi=pmix: PMIx does not set the size, the step does */
        {TACHO_STR_INIT("PMIX_RANK=5\0SLURM_PROCID=5\0SLURM_STEP_NUM_TASKS=9\0"), "PMIx", 5, 9},
        /* a daemon that srun started, and its rank: sizes of others are not this one's */
        {TACHO_STR_INIT("PMIX_RANK=5\0SLURM_PROCID=1\0SLURM_STEP_NUM_TASKS=2\0"), "PMIx", 5, 0},
        /* the script of a batch job for 64 tasks is one process */
        {TACHO_STR_INIT("SLURM_PROCID=0\0SLURM_NTASKS=64\0SLURM_NPROCS=64\0"), NULL, 0, 0},
        /* torchrun inside a job of Slurm */
        {TACHO_STR_INIT("SLURM_PROCID=0\0RANK=7\0WORLD_SIZE=8\0"), "torchrun", 7, 8},
        /* RANK alone may be anything */
        {TACHO_STR_INIT("RANK=7\0"), NULL, 0, 0},
        {TACHO_STR_INIT("RANK=general\0WORLD_SIZE=8\0"), NULL, 0, 0},
        {TACHO_STR_INIT("PMI_RANK=\0"), NULL, 0, 0},
        {TACHO_STR_INIT("XPMI_RANK=1\0PMI_RANK_X=2\0"), NULL, 0, 0},
        /* cut off in the middle, as a long environment is */
        {TACHO_STR_INIT("A=b\0FLUX_TASK_RANK=12"), "Flux", 12, 0},
        {TACHO_STR_INIT(""), NULL, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_rank rank;
        bool is_found = tacho_launcher_find_rank(cases[i].environment, &rank);
        assert_int_equal(is_found, cases[i].launcher != NULL);
        if (is_found) {
            assert_string_equal(rank.launcher, cases[i].launcher);
            assert_int_equal(rank.rank, cases[i].rank);
            assert_int_equal(rank.world_size, cases[i].world_size);
        }
    }
}

/* Only launchers of MPI have it loaded. */
static void launchers_of_mpi_are_known(void **state)
{
    static const char *const of_mpi[] = {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                                         "MVP_COMM_WORLD_RANK",  "PMI_RANK",
                                         "PALS_RANKID",          "PMIX_RANK"};
    static const char *const of_others[] = {"RANK", "WORLD_SIZE", "SLURM_PROCID",
                                            "SLURM_STEP_NUM_TASKS", "FLUX_TASK_RANK"};
    (void)state;
    for (size_t i = 0; i < sizeof(of_mpi) / sizeof(of_mpi[0]); i++) {
        unsetenv(of_mpi[i]);
    }
    for (size_t i = 0; i < sizeof(of_others) / sizeof(of_others[0]); i++) {
        assert_int_equal(setenv(of_others[i], "1", 1), 0);
    }
    assert_false(tacho_launcher_has_mpi());
    for (size_t i = 0; i < sizeof(of_mpi) / sizeof(of_mpi[0]); i++) {
        assert_int_equal(setenv(of_mpi[i], "1", 1), 0);
        assert_true(tacho_launcher_has_mpi());
        unsetenv(of_mpi[i]);
    }
}

/* Names have priority; "none" is torchrun's word for no name; the address is the last resort. */
static void jobs_have_names(void **state)
{
    static const char *const variables[] = {
        "TACHO_RUN_ID", "TORCHELASTIC_RUN_ID", "FLUX_JOB_ID",    "SLURM_JOB_ID",  "PBS_JOBID",
        "LSB_JOBID",    "PMI_JOBID",           "PMIX_NAMESPACE", "RANK",          "WORLD_SIZE",
        "MASTER_ADDR",  "MASTER_PORT",         "SLURM_PROCID",   "FLUX_TASK_RANK"};
    static const struct {
        const char *name, *value, *job;
        tacho_job_naming naming;
    } steps[] = {
        {"MASTER_ADDR", "10.0.0.1", "", TACHO_JOB_UNNAMED},
        {"MASTER_PORT", "29500", "", TACHO_JOB_UNNAMED},
        {"WORLD_SIZE", "2", "", TACHO_JOB_UNNAMED},
        {"RANK", "1", "10.0.0.1-29500", TACHO_JOB_BY_ADDRESS},
        {"TORCHELASTIC_RUN_ID", "none", "10.0.0.1-29500", TACHO_JOB_BY_ADDRESS},
        {"SLURM_JOB_ID", "4711", "4711", TACHO_JOB_BY_NAME},
        {"TORCHELASTIC_RUN_ID", "", "4711", TACHO_JOB_BY_NAME},
        {"TORCHELASTIC_RUN_ID", "night", "night", TACHO_JOB_BY_NAME},
        {"TACHO_RUN_ID", "mine", "mine", TACHO_JOB_BY_NAME},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        unsetenv(variables[i]);
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char job[64] = "";
        assert_int_equal(setenv(steps[i].name, steps[i].value, 1), 0);
        assert_int_equal(tacho_launcher_name_job(job, sizeof(job)), steps[i].naming);
        assert_string_equal(job, steps[i].job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launchers_are_recognised),
                                       cmocka_unit_test(jobs_have_names),
                                       cmocka_unit_test(launchers_of_mpi_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
