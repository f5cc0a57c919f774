/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts of a run. The first asks the loop to end after the inference that is going on. The
 * second gives that inference up: a thread that has waited for it writes what was recorded and ends
 * the process. The third ends it at once, as does the second if there is nothing to write.
 *
 * SIGTERM does not wait for long: when the inference has not ended after half a second, the thread
 * does what a second interrupt would, whatever kernel is at work.
 */
#ifndef TACHO_SESSION_RUN_RESCUE_H
#define TACHO_SESSION_RUN_RESCUE_H

#include "base/status.h"

#include <pthread.h>
#include <signal.h>

typedef struct tacho_run_rescue {
    void (*write)(void *user); /* what was recorded, while an inference may be going on; or NULL */
    void *user;
    /* Of the loop. */
    struct sigaction interrupt_before, terminate_before;
    pthread_mutex_t lock; /* of what |write| reads; once rescued, it is never free again */
    pthread_t thread;
    bool has_thread;
} tacho_run_rescue;

/* Catches signals; without a thread, for which there was no room, the second one ends the run. */
void tacho_run_rescue_begin(tacho_run_rescue *rescue);

/* Whether the loop shall end. */
bool tacho_run_rescue_is_asked(void);

/*
 * The loop has ended: |write| is not called any more. Signals are as before, but where the run was
 * interrupted only a third one ends what follows, so that it can be written.
 */
void tacho_run_rescue_end(tacho_run_rescue *rescue);

/* Around changes of what |write| reads. */
void tacho_run_rescue_lock(tacho_run_rescue *rescue);
void tacho_run_rescue_unlock(tacho_run_rescue *rescue);

#endif
