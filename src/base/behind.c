/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One slot between two threads: the caller fills it, the writer empties it.
 */
#define _GNU_SOURCE /* pthread_sigmask */
#include "base/behind.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct tacho_behind {
    tacho_behind_write write;
    void *self;
    pthread_t thread;
    pid_t process; /* that has the thread: a fork of it has none */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *bytes; /* to be written; NULL when there are none */
    size_t len;
    bool is_ended;
    tacho_status status; /* of the last write */
};

static void *write_all(void *self)
{
    tacho_behind *behind = self;
    pthread_mutex_lock(&behind->lock);
    for (;;) {
        while (behind->bytes == NULL && !behind->is_ended) {
            pthread_cond_wait(&behind->changed, &behind->lock);
        }
        if (behind->bytes == NULL) {
            break;
        }
        pthread_mutex_unlock(&behind->lock);
        tacho_status status = behind->write(behind->self, behind->bytes, behind->len);
        pthread_mutex_lock(&behind->lock);
        behind->status = status;
        behind->bytes = NULL;
        pthread_cond_signal(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return NULL;
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
    pthread_cond_destroy(&behind->changed);
    pthread_mutex_destroy(&behind->lock);
    free(behind);
}

tacho_behind *tacho_behind_start(tacho_behind_write write, void *self)
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
    if (!start_quietly(behind)) {
        destroy(behind);
        return NULL;
    }
    return behind;
}

tacho_status tacho_behind_give(tacho_behind *behind, const void *bytes, size_t len)
{
    if (behind->process != getpid()) {
        return len > 0 ? behind->write(behind->self, bytes, len) : TACHO_OK;
    }
    pthread_mutex_lock(&behind->lock);
    while (behind->bytes != NULL) {
        pthread_cond_wait(&behind->changed, &behind->lock);
    }
    tacho_status status = behind->status;
    behind->status = TACHO_OK;
    if (status == TACHO_OK && len > 0) {
        behind->bytes = bytes;
        behind->len = len;
        pthread_cond_signal(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return status;
}

tacho_status tacho_behind_end(tacho_behind *behind)
{
    if (behind == NULL) {
        return TACHO_OK;
    }
    if (behind->process != getpid()) {
        free(behind); /* the lock may be held by a thread that is not here */
        return TACHO_OK;
    }
    pthread_mutex_lock(&behind->lock);
    behind->is_ended = true;
    pthread_cond_signal(&behind->changed);
    pthread_mutex_unlock(&behind->lock);
    pthread_join(behind->thread, NULL);
    tacho_status status = behind->status;
    destroy(behind);
    return status;
}
