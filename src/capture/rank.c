/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launchers and their variables. The first that fits wins: a launcher inside another one's job
 * (torchrun under Slurm) knows better.
 */
#include "capture/rank.h"

#include <stdlib.h>

typedef struct rank_launcher {
    const char *name;
    const char *rank, *world_size;
    bool needs_world_size; /* the name of its rank is too common to stand alone */
} rank_launcher;

static const rank_launcher launchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", true},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", false},
    {"MPI", "PMI_RANK", "PMI_SIZE", false},
    {"PMIx", "PMIX_RANK", "PMIX_SIZE", false},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", false},
};

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

static bool find_launcher(const tacho_str *environment, tacho_rank *out_rank)
{
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        const rank_launcher *launcher = &launchers[i];
        *out_rank = (tacho_rank){.launcher = launcher->name};
        if (!find_in(environment, launcher->rank, &out_rank->rank)) {
            continue;
        }
        bool has_size = find_in(environment, launcher->world_size, &out_rank->world_size);
        if (has_size || !launcher->needs_world_size) {
            return true;
        }
    }
    return false;
}

bool tacho_rank_find(tacho_str environment, tacho_rank *out_rank)
{
    return find_launcher(&environment, out_rank);
}

bool tacho_rank_find_own(tacho_rank *out_rank)
{
    return find_launcher(NULL, out_rank);
}

const char *tacho_rank_find_job(void)
{
    static const char *const names[] = {"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "PBS_JOBID",
                                        "LSB_JOBID",           "PMI_JOBID",    "PMIX_NAMESPACE"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        /* torchrun says "none" where it was given no name. */
        if (value != NULL && value[0] != '\0' && strcmp(value, "none") != 0) {
            return value;
        }
    }
    return NULL;
}
