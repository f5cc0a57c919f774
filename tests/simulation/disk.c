/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a capture while it is written. It is a real one, in a directory of the simulation;
 * writes to it are shortened, interrupted or refused. What the sink claims to have written is noted
 * beside it: chunks, and how far they were sealed.
 */
#include "kernel.h"

#include "profile/capture_records.h"
#include "base/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The host whose capture is written by the agent that runs; NULL for other files. */
static sim_rank *writer_of(int fd)
{
    sim_rank *rank = sim.current != NULL ? sim.current->rank : NULL;
    return rank != NULL && rank->fd == fd && fd >= 0 ? rank : NULL;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    sim_rank *rank = sim.current != NULL ? sim.current->rank : NULL;
    int fd = __real_open(path, flags, mode);
    if (rank != NULL && strcmp(path, rank->path) == 0) {
        rank->fd = fd;
    }
    return fd;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
    sim_rank *rank = writer_of(fd);
    if (rank == NULL) {
        return __real_write(fd, bytes, len);
    }
    sim.event_count++;
    sim_memory_commit(sim.current);
    if (sim_chance(3)) {
        sim_yield(); /* a disk takes its time */
    }
    if (len > 0 && sim_fails(SIM_INTERRUPTED_WRITE)) {
        errno = EINTR;
        return -1;
    }
    if (sim_fails(SIM_BAD_DISK)) {
        errno = EIO;
        return -1;
    }
    if (len > 0 && rank->disk_left == 0) {
        sim_count_fault(SIM_FULL_DISK);
        errno = ENOSPC;
        return -1;
    }
    if (len > 1 && sim_fails(SIM_SHORT_WRITE)) {
        len = 1 + sim_below((uint32_t)len - 1);
    }
    len = len < rank->disk_left ? len : rank->disk_left;
    ssize_t written = __real_write(fd, bytes, len);
    rank->disk_left -= (uint64_t)written;
    rank->file_bytes += (uint64_t)written;
    return written;
}

void sim_disk_close(sim_rank *rank)
{
    if (rank->fd >= 0) {
        __real_close(rank->fd);
        rank->fd = -1;
    }
}

/* ---- what the sink claims -------------------------------------------------------------------- */

static void note_chunk(sim_rank *rank, const sim_chunk *chunk)
{
    tacho_status status = tacho_grow(&rank->chunks, &rank->chunk_capacity, rank->chunk_count + 1);
    if (status != TACHO_OK) {
        abort();
    }
    rank->chunks[rank->chunk_count++] = *chunk;
}

void __wrap_tacho_chunk_write(tacho_chunk_writer *writer, const tacho_chunk *chunk)
{
    sim_rank *rank = sim.current != NULL ? sim.current->rank : NULL;
    uint64_t begin = tacho_output_offset(writer->output);
    __real_tacho_chunk_write(writer, chunk);
    if (rank != NULL && chunk->type == TACHO_CAPTURE_ROWS) {
        const sim_chunk noted = {.begin = begin,
                                 .end = tacho_output_offset(writer->output),
                                 .row_count = tacho_capture_get_u32(chunk->payload.data + 4)};
        note_chunk(rank, &noted);
    }
}

/* What the collector has taken from the ring of |thread| so far is sealed. */
static void note_sealed(sim_thread *thread)
{
    const client_thread *client = thread->agent != NULL ? &thread->agent->client : NULL;
    tacho_wire_ring *ring = NULL;
    if (client != NULL && client->ring != NULL) {
        ring = client->ring;
        thread->sealed_ring = ring;
        thread->sealed_position = ring->tail;
    } else if (client == NULL && thread->has_left && thread->last_ring != NULL) {
        ring = (tacho_wire_ring *)(uintptr_t)thread->last_ring;
        bool is_read = ring->state == TACHO_WIRE_FREE || ring->tid != thread->tid ||
                       ring->tail >= thread->last_position;
        thread->is_all_sealed = thread->is_all_sealed || is_read;
    }
}

tacho_status __wrap_tacho_sink_tacho_seal(tacho_events *events)
{
    sim_rank *rank = sim.current->rank;
    tacho_status status = __real_tacho_sink_tacho_seal(events);
    if (status == TACHO_OK && rank->disk_left > 0) {
        for (size_t i = 0; i < sim.thread_count; i++) {
            if (sim.threads[i].process->rank == rank) {
                note_sealed(&sim.threads[i]);
            }
        }
    }
    return status;
}

/* Time passes until here: all stores have arrived, and what follows may be too late. */
void __wrap_tacho_collector_finish(tacho_collector *collector, int64_t now_ns)
{
    sim_rank *rank = sim.current->rank;
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        if (sim.agents[i].state != SIM_FREE && sim.agents[i].rank == rank) {
            sim_memory_commit(&sim.agents[i]);
        }
    }
    for (size_t i = 0; i < sim.thread_count; i++) {
        sim_thread *thread = &sim.threads[i];
        thread->is_late =
            thread->is_late || (thread->process->rank == rank && thread->agent != NULL);
    }
    rank->is_finishing = true;
    __real_tacho_collector_finish(collector, now_ns);
}
