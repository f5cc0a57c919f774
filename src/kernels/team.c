/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round is one piece of work. Its parts are taken by counting down; the number of the round is in
 * the same word, so a thread that comes too late for one takes nothing of the next by mistake.
 *
 * A part may wait for the others (tacho_team_wait). It has its thread for itself then, and parts
 * that nobody has begun have threads that are on their way: as many as are needed, since a thread
 * begins a second part only after it has ended the first, which nobody waits for any more.
 */
#include "kernels/team.h"

#include "kernels/invalid.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* How long threads wait in a loop before they sleep; between two looks at the clock, pauses. */
enum { LOOP_NS = 20000, PAUSES = 16, THREADS_MAX = 1024 };

/*
 * On a busy computer a thread may be put aside in the middle of its part. Where that makes the
 * caller wait longer than it worked, it wakes nobody for so many rounds; for twice as many where
 * that happens again.
 */
enum { ALONE_FIRST = 16, ALONE_MOST = 1024 };

struct tacho_team {
    unsigned threads; /* the calling one included */
    pthread_t *others;
    pthread_mutex_t lock;
    pthread_cond_t has_work, has_moved;
    unsigned sleeping; /* that wait for work; under |lock| */
    bool is_ending;    /* likewise */

    void (*work)(void *data); /* of the round */
    void *data;
    unsigned parts;
    atomic_uint_least64_t next; /* the round, and in its lower half parts that no one has begun */
    atomic_uint left;           /* parts that have not ended */
    atomic_uint arrived, phase; /* parts that wait for one another, and how often they all have */
    atomic_bool is_invalid;
    atomic_bool is_quiet; /* those that sleep have not been woken for the round */

    uint32_t alone, alone_next; /* rounds that the caller does alone, and would the next time */
};

/* What the calling thread is at. */
static _Thread_local struct {
    tacho_team *team;
    unsigned part;
} team_place;

unsigned tacho_team_part(void)
{
    return team_place.part;
}

unsigned tacho_team_parts(void)
{
    return team_place.team != NULL ? team_place.team->parts : 1;
}

bool tacho_team_is_working(void)
{
    return team_place.team != NULL;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void rest_a_moment(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

typedef bool team_check(tacho_team *team, uint64_t value);

/*
 * Whether |is_there| became true within the time of a loop. |gives_way|: others on this processor
 * may run first.
 */
static bool loop_until(tacho_team *team, team_check *is_there, uint64_t value, bool gives_way)
{
    int64_t end = now_ns() + LOOP_NS;
    do {
        for (int i = 0; i < PAUSES; i++) {
            if (is_there(team, value)) {
                return true;
            }
            rest_a_moment();
        }
        if (gives_way) {
            (void)sched_yield();
        }
    } while (now_ns() < end);
    return is_there(team, value);
}

/* Waits for what another thread announces by announce_move. */
static void wait_until(tacho_team *team, team_check *is_there, uint64_t value)
{
    if (loop_until(team, is_there, value, false)) {
        return;
    }
    pthread_mutex_lock(&team->lock);
    while (!is_there(team, value)) {
        pthread_cond_wait(&team->has_moved, &team->lock);
    }
    pthread_mutex_unlock(&team->lock);
}

static void announce_move(tacho_team *team)
{
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->has_moved);
    pthread_mutex_unlock(&team->lock);
}

static bool has_ended(tacho_team *team, uint64_t unused)
{
    (void)unused;
    return atomic_load_explicit(&team->left, memory_order_acquire) == 0;
}

static bool has_passed(tacho_team *team, uint64_t phase)
{
    return atomic_load(&team->phase) != phase;
}

static bool has_begun(tacho_team *team, uint64_t round)
{
    return atomic_load_explicit(&team->next, memory_order_acquire) >> 32 != round;
}

static void wake_others(tacho_team *team)
{
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->has_work);
    pthread_mutex_unlock(&team->lock);
}

void tacho_team_wait(void)
{
    tacho_team *team = team_place.team;
    if (team == NULL || team->parts < 2) {
        return;
    }
    unsigned phase = atomic_load(&team->phase);
    if (atomic_exchange(&team->is_quiet, false)) { /* now every part needs a thread */
        wake_others(team);
    }
    if (atomic_fetch_add(&team->arrived, 1) + 1 == team->parts) {
        atomic_store(&team->arrived, 0);
        atomic_fetch_add(&team->phase, 1);
        announce_move(team);
    } else {
        wait_until(team, has_passed, phase);
    }
}

/* ---- working ------------------------------------------------------------------------------- */

/* Takes parts of round |round| until none is left. */
static void work_off(tacho_team *team, uint64_t round)
{
    uint64_t next = atomic_load_explicit(&team->next, memory_order_acquire);
    while (next >> 32 == round && (uint32_t)next > 0) {
        if (!atomic_compare_exchange_weak(&team->next, &next, next - 1)) {
            continue;
        }
        team_place.team = team;
        team_place.part = team->parts - (unsigned)(uint32_t)next;
        team->work(team->data);
        team_place.team = NULL;
        team_place.part = 0;
        if (tacho_invalid_take()) {
            atomic_store(&team->is_invalid, true);
        }
        if (atomic_fetch_sub(&team->left, 1) == 1) {
            announce_move(team);
        }
        next = atomic_load_explicit(&team->next, memory_order_acquire);
    }
}

/* Whether there is a round after |round|; false: the team ends. */
static bool await_round(tacho_team *team, uint64_t round)
{
    if (loop_until(team, has_begun, round, true)) {
        return true;
    }
    pthread_mutex_lock(&team->lock);
    team->sleeping++;
    while (!team->is_ending && !has_begun(team, round)) {
        pthread_cond_wait(&team->has_work, &team->lock);
    }
    team->sleeping--;
    bool goes_on = has_begun(team, round);
    pthread_mutex_unlock(&team->lock);
    return goes_on;
}

static void *stand_by(void *data)
{
    tacho_team *team = data;
    uint64_t round = 0;
    (void)tacho_invalid_take();
    while (await_round(team, round)) {
        round = atomic_load_explicit(&team->next, memory_order_acquire) >> 32;
        work_off(team, round);
    }
    return NULL;
}

static void begin_round(tacho_team *team, uint64_t round)
{
    atomic_store(&team->left, team->parts);
    atomic_store(&team->arrived, 0);
    pthread_mutex_lock(&team->lock);
    atomic_store_explicit(&team->next, round << 32 | team->parts, memory_order_release);
    if (team->sleeping > 0 && !atomic_load(&team->is_quiet)) {
        pthread_cond_broadcast(&team->has_work);
    }
    pthread_mutex_unlock(&team->lock);
}

/* How many rounds the caller does alone from here on, by what it did and how long it waited. */
static void note_times(tacho_team *team, int64_t worked, int64_t waited)
{
    if (team->alone > 0) {
        team->alone--;
    } else if (waited > worked + LOOP_NS) {
        team->alone_next = team->alone_next < ALONE_FIRST  ? ALONE_FIRST
                           : team->alone_next < ALONE_MOST ? 2 * team->alone_next
                                                           : ALONE_MOST;
        team->alone = team->alone_next;
    } else {
        team->alone_next /= 2;
    }
}

/* Numbers of rounds, of 32 bits: never 0, which threads begin with. */
static uint64_t round_after(uint64_t round)
{
    return round >= UINT32_MAX ? 1 : round + 1;
}

void tacho_team_run(tacho_team *team, void (*work)(void *data), void *data, unsigned parts)
{
    if (team == NULL || parts < 2 || parts > team->threads || team_place.team != NULL) {
        tacho_team *outer = team_place.team;
        unsigned part = team_place.part;
        team_place.team = NULL;
        team_place.part = 0;
        work(data);
        team_place.team = outer;
        team_place.part = part;
        return;
    }
    bool was_invalid = tacho_invalid_take();
    uint64_t round = round_after(atomic_load(&team->next) >> 32);
    team->work = work;
    team->data = data;
    team->parts = parts;
    atomic_store(&team->is_invalid, was_invalid);
    atomic_store(&team->is_quiet, team->alone > 0);
    int64_t begun = now_ns();
    begin_round(team, round);
    work_off(team, round);
    int64_t worked = now_ns();
    wait_until(team, has_ended, 0);
    note_times(team, worked - begun, now_ns() - worked);
    if (atomic_load(&team->is_invalid)) {
        tacho_invalid_note();
    }
}

/* ---- making -------------------------------------------------------------------------------- */

tacho_team *tacho_team_create(unsigned threads)
{
    tacho_team *team = calloc(1, sizeof(*team));
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    pthread_t *others = calloc(threads > 0 ? threads : 1, sizeof(*others));
    if (team == NULL || others == NULL) {
        free(team);
        free(others);
        return NULL;
    }
    team->others = others;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->has_work, NULL);
    pthread_cond_init(&team->has_moved, NULL);
    team->threads = 1;
    while (team->threads < threads &&
           pthread_create(&others[team->threads - 1], NULL, stand_by, team) == 0) {
        team->threads++;
    }
    return team;
}

unsigned tacho_team_size(const tacho_team *team)
{
    return team->threads;
}

void tacho_team_free(tacho_team *team)
{
    if (team == NULL) {
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->is_ending = true;
    pthread_cond_broadcast(&team->has_work);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i + 1 < team->threads; i++) {
        pthread_join(team->others[i], NULL);
    }
    pthread_cond_destroy(&team->has_moved);
    pthread_cond_destroy(&team->has_work);
    pthread_mutex_destroy(&team->lock);
    free(team->others);
    free(team);
}
