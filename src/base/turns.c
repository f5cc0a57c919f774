/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number that all look at, and a lock for those who sleep.
 */
#include "base/turns.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { LOOKS = 1000 }; /* before it sleeps: some ten microseconds */

static void do_nothing(void *self, unsigned thread)
{
    (void)self;
    (void)thread;
}

const tacho_shared tacho_shared_quiet = {do_nothing, do_nothing, do_nothing, NULL};

void tacho_turn_init(tacho_turn *turn)
{
    *turn = (tacho_turn){.sleeping_count = 0};
    pthread_mutex_init(&turn->lock, NULL);
    pthread_cond_init(&turn->changed, NULL);
}

void tacho_turn_deinit(tacho_turn *turn)
{
    pthread_cond_destroy(&turn->changed);
    pthread_mutex_destroy(&turn->lock);
}

static bool is_over(tacho_turn *turn, uint64_t number)
{
    return atomic_load_explicit(&turn->number, memory_order_acquire) == number ||
           atomic_load_explicit(&turn->is_ended, memory_order_acquire);
}

static void pause_a_little(void)
{
#if defined(__SSE2__)
    _mm_pause();
#endif
}

bool tacho_turn_wait(tacho_turn *turn, uint64_t number)
{
    for (unsigned i = 0; i < LOOKS && !is_over(turn, number); i++) {
        pause_a_little();
    }
    if (!is_over(turn, number)) {
        pthread_mutex_lock(&turn->lock);
        turn->sleeping_count++;
        while (!is_over(turn, number)) {
            pthread_cond_wait(&turn->changed, &turn->lock);
        }
        turn->sleeping_count--;
        pthread_mutex_unlock(&turn->lock);
    }
    return !atomic_load_explicit(&turn->is_ended, memory_order_acquire);
}

static void tell(tacho_turn *turn)
{
    if (turn->sleeping_count > 0) {
        pthread_cond_broadcast(&turn->changed);
    }
    pthread_mutex_unlock(&turn->lock);
}

void tacho_turn_pass(tacho_turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    atomic_fetch_add_explicit(&turn->number, 1, memory_order_release);
    tell(turn);
}

void tacho_turn_end(tacho_turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    atomic_store_explicit(&turn->is_ended, true, memory_order_release);
    tell(turn);
}
