/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handler may do next to nothing, so it wakes a thread. The inference is not stopped, which no
 * kernel is made for: it goes on, and waits for a lock that it will not get.
 */
#include "session/run_rescue.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_NS = 500000000, NS_PER_S = 1000000000 };

/* Read by the handler and by both threads: atomics that need no lock. */
static atomic_int interrupt_count;
static atomic_bool is_watched; /* a thread waits for |wanted| ... */
static atomic_bool can_rescue; /* ... who has something to write */
static atomic_bool is_over;    /* the loop has ended, interrupted */
static sem_t wanted;           /* an interrupt that cannot wait, or the loop's end */

static void wake(void)
{
    int before = errno;
    sem_post(&wanted);
    errno = before;
}

static void note_interrupt(int number)
{
    interrupt_count = interrupt_count < 3 ? interrupt_count + 1 : 3;
    if (interrupt_count == 1 && number == SIGTERM && is_watched) {
        wake();
    } else if (interrupt_count == 2 && can_rescue) {
        wake();
    } else if (interrupt_count == 3 || (interrupt_count == 2 && !is_over)) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

bool tacho_run_rescue_is_asked(void)
{
    return interrupt_count > 0;
}

/* Waits for the end of the loop, a second interrupt, or until patience has run out. */
static void wait_a_little(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / NS_PER_S;
    until.tv_nsec %= NS_PER_S;
    while (sem_timedwait(&wanted, &until) != 0 && errno == EINTR) {
    }
}

static void *watch(void *self)
{
    tacho_run_rescue *rescue = self;
    while (sem_wait(&wanted) != 0 && errno == EINTR) {
    }
    if (is_watched && interrupt_count == 1) {
        wait_a_little();
    }
    tacho_run_rescue_lock(rescue);
    if (!is_watched) { /* the loop has ended */
        tacho_run_rescue_unlock(rescue);
        return NULL;
    }
    if (rescue->write == NULL) {
        signal(SIGTERM, SIG_DFL);
        kill(getpid(), SIGTERM);
        for (;;) {
            pause();
        }
    }
    rescue->write(rescue->user);
    fflush(NULL);
    _exit(128 + SIGINT); /* as a shell says it */
}

/* The thread takes no signals: the loop's does. */
static void start_thread(tacho_run_rescue *rescue)
{
    sigset_t all;
    sigset_t before;
    if (sem_init(&wanted, 0, 0) != 0) {
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rescue->has_thread = pthread_create(&rescue->thread, NULL, watch, rescue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    is_watched = rescue->has_thread;
    can_rescue = rescue->has_thread && rescue->write != NULL;
}

void tacho_run_rescue_begin(tacho_run_rescue *rescue)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    interrupt_count = 0;
    is_watched = can_rescue = is_over = false;
    pthread_mutex_init(&rescue->lock, NULL);
    start_thread(rescue);
    sigaction(SIGINT, &action, &rescue->interrupt_before);
    sigaction(SIGTERM, &action, &rescue->terminate_before);
}

void tacho_run_rescue_end(tacho_run_rescue *rescue)
{
    tacho_run_rescue_lock(rescue); /* waits for ever where the rescue has begun */
    is_over = interrupt_count > 0;
    is_watched = can_rescue = false;
    tacho_run_rescue_unlock(rescue);
    if (rescue->has_thread) {
        sem_post(&wanted);
        pthread_join(rescue->thread, NULL);
        sem_destroy(&wanted);
        rescue->has_thread = false;
    }
    if (!is_over) {
        sigaction(SIGINT, &rescue->interrupt_before, NULL);
        sigaction(SIGTERM, &rescue->terminate_before, NULL);
    }
    pthread_mutex_destroy(&rescue->lock);
}

void tacho_run_rescue_lock(tacho_run_rescue *rescue)
{
    pthread_mutex_lock(&rescue->lock);
}

void tacho_run_rescue_unlock(tacho_run_rescue *rescue)
{
    pthread_mutex_unlock(&rescue->lock);
}
