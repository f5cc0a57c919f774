/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launchers and their variables. The first that fits wins: a launcher inside another one's job
 * (torchrun under Slurm) knows better.
 */
#include "base/launcher.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct launcher {
    const char *name;
    const char *rank, *world_size;
    bool needs_world_size; /* its rank does not stand alone */
    bool is_of_mpi;        /* processes that it starts can speak MPI */
} launcher;

/*
 * RANK is too common a name to stand alone. The script of a batch job has SLURM_PROCID and
 * SLURM_NTASKS, too, and is one process: only a step's own size shows that there are others.
 */
static const launcher launchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", true, false},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false, true},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", false, true},
    {"MVAPICH", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", false, true},
    {"MPI", "PMI_RANK", "PMI_SIZE", false, true},
    {"PALS", "PALS_RANKID", "PMI_SIZE", false, true},
    {"PMIx", "PMIX_RANK", "PMIX_SIZE", false, true},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", false, false},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true, false},
};

enum { LAUNCHER_COUNT = sizeof(launchers) / sizeof(launchers[0]) };

/* The number that the variable |name| is; false when it is absent or not a number. */
static bool find_number(tacho_str environment, const char *name, uint64_t *out_value)
{
    size_t name_len = strlen(name);
    while (environment.len > 0) {
        size_t len = tacho_str_find_byte(environment, '\0');
        if (len > name_len && environment.data[name_len] == '=' &&
            memcmp(environment.data, name, name_len) == 0) {
            return tacho_str_parse_u64(
                tacho_str_make(environment.data + name_len + 1, len - name_len - 1), out_value);
        }
        environment = tacho_str_from(environment, len < environment.len ? len + 1 : len);
    }
    return false;
}

/* Where variables are: in |environment|, or those of this process where that is NULL. */
static bool find_in(const tacho_str *environment, const char *name, uint64_t *out_value)
{
    if (environment != NULL) {
        return find_number(*environment, name, out_value);
    }
    const char *value = getenv(name);
    return value != NULL && tacho_str_parse_u64(tacho_str_from_cstring(value), out_value);
}

/* The rank by the launcher at |place|; false: it did not start this process. */
static bool ask_launcher(const tacho_str *environment, size_t place, tacho_rank *out_rank)
{
    const launcher *asked = &launchers[place];
    *out_rank = (tacho_rank){.launcher = asked->name};
    return find_in(environment, asked->rank, &out_rank->rank) &&
           (find_in(environment, asked->world_size, &out_rank->world_size) ||
            !asked->needs_world_size);
}

/* A launcher without the size (PMIx) may be run by one that has it (srun): searches the rest. */
static uint64_t find_size_behind(const tacho_str *environment, size_t place, uint64_t rank)
{
    tacho_rank other = {.world_size = 0};
    bool is_found = false;
    for (size_t i = place + 1; i < LAUNCHER_COUNT && !is_found; i++) {
        is_found = ask_launcher(environment, i, &other) && other.rank == rank;
    }
    return is_found ? other.world_size : 0;
}

static bool find_rank(const tacho_str *environment, tacho_rank *out_rank)
{
    size_t place = 0;
    while (place < LAUNCHER_COUNT && !ask_launcher(environment, place, out_rank)) {
        place++;
    }
    if (place < LAUNCHER_COUNT && out_rank->world_size == 0) {
        out_rank->world_size = find_size_behind(environment, place, out_rank->rank);
    }
    return place < LAUNCHER_COUNT;
}

bool tacho_launcher_find_rank(tacho_str environment, tacho_rank *out_rank)
{
    return find_rank(&environment, out_rank);
}

bool tacho_launcher_find_own_rank(tacho_rank *out_rank)
{
    return find_rank(NULL, out_rank);
}

bool tacho_launcher_has_mpi(void)
{
    tacho_rank rank;
    bool has_mpi = false;
    for (size_t i = 0; i < LAUNCHER_COUNT && !has_mpi; i++) {
        has_mpi = launchers[i].is_of_mpi && ask_launcher(NULL, i, &rank);
    }
    return has_mpi;
}

static const char *find_job_name(void)
{
    static const char *const names[] = {"TACHO_RUN_ID", "TORCHELASTIC_RUN_ID", "FLUX_JOB_ID",
                                        "SLURM_JOB_ID", "PBS_JOBID",           "LSB_JOBID",
                                        "PMI_JOBID",    "PMIX_NAMESPACE"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        /* torchrun writes "none" where it was given no name. */
        if (value != NULL && value[0] != '\0' && strcmp(value, "none") != 0) {
            return value;
        }
    }
    return NULL;
}

tacho_job_naming tacho_launcher_name_job(char *to, size_t size)
{
    tacho_rank rank;
    const char *name = find_job_name();
    const char *address = getenv("MASTER_ADDR");
    const char *port = getenv("MASTER_PORT");
    if (name != NULL) {
        snprintf(to, size, "%s", name);
        return TACHO_JOB_BY_NAME;
    }
    /* A process that no launcher started may have them, too, from the setup of its shell. */
    if (address != NULL && address[0] != '\0' && port != NULL && find_rank(NULL, &rank)) {
        snprintf(to, size, "%s-%s", address, port);
        return TACHO_JOB_BY_ADDRESS;
    }
    return TACHO_JOB_UNNAMED;
}
