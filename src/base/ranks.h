/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks: processes that a launcher of MPI started together, and messages between them. The code for
 * MPI is a library of its own (libtacho-mpi.so, src/mpi), loaded only by a process that was started
 * so; where it was not built, every process is alone.
 */
#ifndef TACHO_BASE_RANKS_H
#define TACHO_BASE_RANKS_H

#include "base/notes.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* The library's functions, under the name TACHO_RANKS_SYMBOL. They return false on failure. */
typedef struct tacho_ranks_library {
    uint32_t version; /* TACHO_RANKS_VERSION */
    bool (*open)(uint64_t *out_rank, uint64_t *out_size);
    bool (*send)(uint64_t to, const void *bytes, size_t len);
    /* The caller frees |*out_bytes|, which is never NULL. */
    bool (*receive)(uint64_t from, void **out_bytes, size_t *out_len);
    void (*close)(void);
    void (*end_all)(int code); /* ends all ranks; does not return */
} tacho_ranks_library;

#define TACHO_RANKS_SYMBOL "tacho_ranks_library_of_mpi"
enum { TACHO_RANKS_VERSION = 1 };

typedef struct tacho_ranks {
    const tacho_ranks_library *library; /* NULL: this process is alone */
    uint64_t rank, size;
} tacho_ranks;

/*
 * Joins the other ranks; where there are none, or MPI is not there, this is rank 0 of 1. Where
 * there are others that cannot be joined, the first of them reports why to |notes|.
 */
tacho_status tacho_ranks_open(tacho_ranks *ranks, const tacho_notes *notes) TACHO_MUST_USE;
void tacho_ranks_close(tacho_ranks *ranks);

/* Ends all ranks where there are others, which wait for messages that will never arrive. */
void tacho_ranks_give_up(const tacho_ranks *ranks, int code);

tacho_status tacho_ranks_send(const tacho_ranks *ranks, uint64_t to, const void *bytes,
                              size_t len) TACHO_MUST_USE;
/* The caller frees |*out_bytes|. */
tacho_status tacho_ranks_receive(const tacho_ranks *ranks, uint64_t from, void **out_bytes,
                                 size_t *out_len) TACHO_MUST_USE;

#endif
