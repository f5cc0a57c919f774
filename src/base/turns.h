/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns: threads that share something only one at a time may use, in a given order. A waiting
 * thread spins for a moment before it sleeps: turns are short, and waking takes longer.
 */
#ifndef TACHO_BASE_TURNS_H
#define TACHO_BASE_TURNS_H

#include "base/attributes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TACHO_TURN_THREADS = 2 }; /* that take turns, at most */

typedef struct tacho_turn {
    _Atomic uint64_t number; /* whose turn it is, from 0 on */
    _Atomic bool is_ended;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned sleeping_count;
} tacho_turn;

void tacho_turn_init(tacho_turn *turn);
void tacho_turn_deinit(tacho_turn *turn);

/* Waits for turn |number|; false where there will be none. */
bool tacho_turn_wait(tacho_turn *turn, uint64_t number) __attribute__((warn_unused_result));

/* It is the next one's turn. */
void tacho_turn_pass(tacho_turn *turn);

/* There are no more turns. */
void tacho_turn_end(tacho_turn *turn);

/*
 * Something whose users take turns, and its callbacks: |begin| and |end| within the turn
 * of thread |thread| < TACHO_TURN_THREADS, |after| when the turn has been passed on, by the same
 * thread before its next turn.
 */
typedef struct tacho_shared {
    void (*begin)(void *self, unsigned thread);
    void (*end)(void *self, unsigned thread);
    void (*after)(void *self, unsigned thread);
    void *self;
} tacho_shared;

/* Of something that has nothing to do. */
extern const tacho_shared tacho_shared_quiet;

#endif
