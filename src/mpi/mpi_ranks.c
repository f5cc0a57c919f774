/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libtacho-mpi.so: messages between ranks by MPI. A message is its length, then its bytes in pieces
 * that an int can count.
 */
#include "base/ranks.h"

#include <mpi.h>
#include <stdlib.h>

enum { TAG = 1, PIECE_BYTES = 1 << 30 };

static bool ranks_open(uint64_t *out_rank, uint64_t *out_size)
{
    int is_started = 0, rank = 0, size = 1;
    bool is_open = MPI_Initialized(&is_started) == MPI_SUCCESS &&
                   (is_started != 0 || MPI_Init(NULL, NULL) == MPI_SUCCESS) &&
                   MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
                   MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
                   MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS;
    *out_rank = (uint64_t)rank;
    *out_size = (uint64_t)size;
    return is_open;
}

static int piece_of(size_t len)
{
    return len < PIECE_BYTES ? (int)len : PIECE_BYTES;
}

static bool ranks_send(uint64_t to, const void *bytes, size_t len)
{
    uint64_t count = len;
    const char *at = bytes;
    bool is_sent = MPI_Send(&count, 1, MPI_UINT64_T, (int)to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
    for (size_t rest = len; rest > 0 && is_sent;) {
        int piece = piece_of(rest);
        is_sent = MPI_Send(at, piece, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
        at += piece;
        rest -= (size_t)piece;
    }
    return is_sent;
}

static bool ranks_receive(uint64_t from, void **out_bytes, size_t *out_len)
{
    uint64_t count = 0;
    bool is_received = MPI_Recv(&count, 1, MPI_UINT64_T, (int)from, TAG, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS &&
                       count < SIZE_MAX;
    char *bytes = is_received ? malloc((size_t)count + 1) : NULL;
    char *at = bytes;
    is_received = bytes != NULL;
    for (size_t rest = (size_t)count; rest > 0 && is_received;) {
        int piece = piece_of(rest);
        is_received = MPI_Recv(at, piece, MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE) == MPI_SUCCESS;
        at += piece;
        rest -= (size_t)piece;
    }
    if (!is_received) {
        free(bytes);
        return false;
    }
    *out_bytes = bytes;
    *out_len = (size_t)count;
    return true;
}

static void ranks_close(void)
{
    int is_ended = 0;
    if (MPI_Finalized(&is_ended) == MPI_SUCCESS && is_ended == 0) {
        MPI_Finalize();
    }
}

static void ranks_end_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) extern const tacho_ranks_library tacho_ranks_library_of_mpi;
const tacho_ranks_library tacho_ranks_library_of_mpi = {
    .version = TACHO_RANKS_VERSION,
    .open = ranks_open,
    .send = ranks_send,
    .receive = ranks_receive,
    .close = ranks_close,
    .end_all = ranks_end_all,
};
