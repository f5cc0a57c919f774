/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library stays loaded: that of MPI has threads of its own.
 */
#include "base/ranks.h"

#include "base/beside.h"
#include "base/launcher.h"

#include <dlfcn.h>

enum { PATH_BYTES = 4096 };

static const tacho_ranks_library *load(void)
{
    char path[PATH_BYTES];
    if (!tacho_launcher_has_mpi() || !tacho_beside_find("libtacho-mpi.so", path, sizeof(path))) {
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI looks for its own symbols */
    const tacho_ranks_library *found = library != NULL ? dlsym(library, TACHO_RANKS_SYMBOL) : NULL;
    return found != NULL && found->version == TACHO_RANKS_VERSION ? found : NULL;
}

tacho_status tacho_ranks_open(tacho_ranks *ranks)
{
    *ranks = (tacho_ranks){.library = load(), .size = 1};
    if (ranks->library != NULL && !ranks->library->open(&ranks->rank, &ranks->size)) {
        *ranks = (tacho_ranks){.size = 1};
        return tacho_fail(TACHO_CODE_IO, "MPI could not be started");
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
