/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library stays loaded: that of MPI has threads of its own.
 */
#include "base/ranks.h"

#include "base/beside.h"
#include "base/launcher.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, REASON_BYTES = 2 * PATH_BYTES };

/* The library, or NULL and why there is none. */
static const tacho_ranks_library *load(char reason[REASON_BYTES])
{
    char path[PATH_BYTES];
    if (!tacho_beside_find("libtacho-mpi.so", path, sizeof(path))) {
        snprintf(reason, REASON_BYTES, "libtacho-mpi.so is not installed");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI looks for its own symbols */
    const tacho_ranks_library *found = library != NULL ? dlsym(library, TACHO_RANKS_SYMBOL) : NULL;
    if (found == NULL) {
        const char *error = dlerror();
        error = error != NULL ? error : "no reason given";
        bool names_path = strncmp(error, path, strlen(path)) == 0;
        snprintf(reason, REASON_BYTES, "cannot load %s%s%s", names_path ? "" : path,
                 names_path ? "" : ": ", error);
        return NULL;
    }
    if (found->version != TACHO_RANKS_VERSION) {
        snprintf(reason, REASON_BYTES, "%s is of another tacho: its version is %u, not %d", path,
                 found->version, TACHO_RANKS_VERSION);
        return NULL;
    }
    return found;
}

/* Warns, on rank 0, that there are other ranks but no way to talk to them. */
static void tell_alone(const tacho_rank *own, const char *reason, const tacho_notes *notes)
{
    if (own->rank == 0 && own->world_size != 1) {
        char count[32] = "processes";
        if (own->world_size > 0) {
            snprintf(count, sizeof(count), "%llu processes", (unsigned long long)own->world_size);
        }
        tacho_note(notes, "warning",
                   "%s; the %s that %s started do not share the work: each reads all files and "
                   "gives the whole answer",
                   reason, count, own->launcher);
    }
}

tacho_status tacho_ranks_open(tacho_ranks *ranks, const tacho_notes *notes)
{
    char reason[REASON_BYTES] = "";
    tacho_rank own = {.world_size = 1};
    *ranks = (tacho_ranks){.size = 1};
    if (!tacho_launcher_has_mpi() || !tacho_launcher_find_own_rank(&own)) {
        return TACHO_OK;
    }
    ranks->library = load(reason);
    if (ranks->library != NULL && !ranks->library->open(&ranks->rank, &ranks->size)) {
        *ranks = (tacho_ranks){.size = 1};
        return tacho_fail(TACHO_CODE_IO, "MPI could not be started");
    }
    if (ranks->library != NULL && ranks->size == 1) {
        snprintf(reason, sizeof(reason),
                 "libtacho-mpi.so was built for another MPI than that of this launcher");
    }
    if (reason[0] != '\0') {
        tell_alone(&own, reason, notes);
    }
    return TACHO_OK;
}

void tacho_ranks_close(tacho_ranks *ranks)
{
    if (ranks->library != NULL) {
        ranks->library->close();
    }
    *ranks = (tacho_ranks){.size = 1};
}

void tacho_ranks_give_up(const tacho_ranks *ranks, int code)
{
    if (ranks->library != NULL && ranks->size > 1) {
        ranks->library->end_all(code);
    }
}

tacho_status tacho_ranks_send(const tacho_ranks *ranks, uint64_t to, const void *bytes, size_t len)
{
    return ranks->library->send(to, bytes, len)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_IO, "MPI could not send to rank %llu",
                            (unsigned long long)to);
}

tacho_status tacho_ranks_receive(const tacho_ranks *ranks, uint64_t from, void **out_bytes,
                                 size_t *out_len)
{
    *out_bytes = NULL;
    return ranks->library->receive(from, out_bytes, out_len)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_IO, "MPI could not receive from rank %llu",
                            (unsigned long long)from);
}
