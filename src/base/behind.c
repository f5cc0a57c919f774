/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short queue of buffers: the caller fills them, and the first free thread writes them.
 */
#define _GNU_SOURCE /* pthread_sigmask */
#include "base/behind.h"

#include "base/streaming.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 2 };

struct tacho_behind {
    tacho_behind_write write;
    void *self;
    pthread_t thread;
    pid_t process; /* that has the thread: a fork of it has none */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t room; /* of each slot */
    char *slots[SLOTS];
    size_t lens[SLOTS];
    uint64_t given_count, written_count;
    bool is_writing; /* one of the two threads */
    bool is_ended;
    tacho_status status; /* why the last write failed */
};

static bool has_more(const tacho_behind *behind)
{
    return behind->written_count < behind->given_count;
}

/* Writes the oldest slot; the caller has the lock, and no other thread is writing. */
static void write_slot(tacho_behind *behind)
{
    size_t slot = behind->written_count % SLOTS;
    behind->is_writing = true;
    pthread_mutex_unlock(&behind->lock);
    tacho_status status = behind->write(behind->self, behind->slots[slot], behind->lens[slot]);
    pthread_mutex_lock(&behind->lock);
    behind->is_writing = false;
    behind->status = status;
    behind->written_count = status == TACHO_OK ? behind->written_count + 1 : behind->given_count;
    pthread_cond_signal(&behind->changed);
}

static void *write_all(void *self)
{
    tacho_behind *behind = self;
    pthread_mutex_lock(&behind->lock);
    for (;;) {
        while (behind->is_writing || (!has_more(behind) && !behind->is_ended)) {
            pthread_cond_wait(&behind->changed, &behind->lock);
        }
        if (!has_more(behind)) {
            break;
        }
        write_slot(behind);
    }
    pthread_mutex_unlock(&behind->lock);
    return NULL;
}

/* Waits, or writes, until at most |count| slots are full. The caller has the lock. */
static void empty_slots(tacho_behind *behind, uint64_t count)
{
    while (behind->given_count - behind->written_count > count) {
        if (behind->is_writing) {
            pthread_cond_wait(&behind->changed, &behind->lock);
        } else {
            write_slot(behind);
        }
    }
}

static tacho_status take_status(tacho_behind *behind)
{
    tacho_status status = behind->status;
    behind->status = TACHO_OK;
    return status;
}

/* Starts a thread with all signals blocked: they are for the caller's. */
static bool start_quietly(tacho_behind *behind)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    bool is_started = pthread_create(&behind->thread, NULL, write_all, behind) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static void destroy(tacho_behind *behind)
{
    for (size_t i = 0; i < SLOTS; i++) {
        free(behind->slots[i]);
    }
    free(behind);
}

static bool create_slots(tacho_behind *behind, size_t room)
{
    bool has_all = true;
    behind->room = tacho_streaming_room(room);
    for (size_t i = 0; i < SLOTS; i++) {
        behind->slots[i] = aligned_alloc(TACHO_CACHE_LINE, behind->room);
        has_all = has_all && behind->slots[i] != NULL;
    }
    return has_all;
}

tacho_behind *tacho_behind_start(tacho_behind_write write, void *self, size_t room)
{
    tacho_behind *behind = calloc(1, sizeof(*behind));
    if (behind == NULL) {
        return NULL;
    }
    behind->write = write;
    behind->self = self;
    behind->process = getpid();
    pthread_mutex_init(&behind->lock, NULL);
    pthread_cond_init(&behind->changed, NULL);
    if (!create_slots(behind, room) || !start_quietly(behind)) {
        destroy(behind);
        return NULL;
    }
    return behind;
}

tacho_status tacho_behind_give(tacho_behind *behind, const void *bytes, size_t len)
{
    assert(len <= behind->room);
    if (behind->process != getpid()) {
        return behind->write(behind->self, bytes, len);
    }
    pthread_mutex_lock(&behind->lock);
    empty_slots(behind, SLOTS - 1);
    tacho_status status = take_status(behind);
    pthread_mutex_unlock(&behind->lock);
    TACHO_TRY(status);
    size_t slot = behind->given_count % SLOTS;
    tacho_streaming_copy(behind->slots[slot], bytes, len);
    tacho_streaming_end();
    behind->lens[slot] = len;
    pthread_mutex_lock(&behind->lock);
    status = take_status(behind); /* of writes while this was copied */
    if (status == TACHO_OK) {
        behind->given_count++;
        pthread_cond_signal(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return status;
}

tacho_status tacho_behind_wait(tacho_behind *behind)
{
    if (behind->process != getpid()) {
        return TACHO_OK;
    }
    pthread_mutex_lock(&behind->lock);
    empty_slots(behind, 0);
    tacho_status status = take_status(behind);
    pthread_mutex_unlock(&behind->lock);
    return status;
}

tacho_status tacho_behind_end(tacho_behind *behind)
{
    if (behind == NULL) {
        return TACHO_OK;
    }
    tacho_status status = tacho_behind_wait(behind);
    if (behind->process == getpid()) {
        pthread_mutex_lock(&behind->lock);
        behind->is_ended = true;
        pthread_cond_signal(&behind->changed);
        pthread_mutex_unlock(&behind->lock);
        pthread_join(behind->thread, NULL);
        pthread_cond_destroy(&behind->changed);
        pthread_mutex_destroy(&behind->lock);
    } /* in a fork the lock may be held by a thread that is not here */
    destroy(behind);
    return status;
}
