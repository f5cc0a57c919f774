/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library that the driver loads when the program uses CUDA for the first time: it requests
 * records from CUPTI for the stats level, and callbacks of calls. A thread collects the records a
 * few times a second, so that a killed program loses no more than those of the last moment.
 */
#include "cuda/calls.h"
#include "cuda/clock.h"
#include "cuda/names.h"
#include "cuda/records.h"
#include "cuda/rivals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/client.h>
#include <time.h>
#include <unistd.h>

#define INJECTION_API __attribute__((visibility("default")))

enum {
    BUFFER_BYTES = 1 << 20,
    BUFFER_ALIGN = 8,
    BUFFERS_FIRST = 8, /* allocated in advance */
    BUFFERS_KEPT = 64,
    BUFFERS_OUT = 1024, /* that CUPTI has at a time; beyond them, unread ones */
    FLUSH_NS = 250000000,
    ASIDE_NS = FLUSH_NS / 10, /* how often we look whether CUPTI is ours again */
    FLUSHES_PER_COMPARISON = 4,
    LEVEL_CALLS = 50,
    END_WAIT_S = 10, /* for a flush that is under way */
    DISCARD_BYTES = 1 << 16,
    RECORD_BYTES = 216, /* of the longest: a kernel */
    MESSAGE_ROOM = 256,
};

INJECTION_API int InitializeInjection(void);

static struct {
    tacho_cupti cupti;
    int level;
    atomic_bool is_on; /* in this process, not in those that it forks */
    pthread_mutex_t lock;
    uint8_t *kept[BUFFERS_KEPT];
    size_t kept_count;
    uint8_t *out[BUFFERS_OUT];
    size_t out_count;
    pthread_mutex_t flush_lock;
    pthread_mutex_t nap_lock;
    pthread_cond_t nap_end;
    bool is_ending;       /* CUPTI may be gone any time: our thread lets it be */
    bool is_lost;         /* CUPTI did not take us back: the program has it for good */
    atomic_bool is_aside; /* the program profiles itself: CUPTI is its */
    _Alignas(BUFFER_ALIGN) uint8_t discard[DISCARD_BYTES];
} session = {.lock = PTHREAD_MUTEX_INITIALIZER,
             .flush_lock = PTHREAD_MUTEX_INITIALIZER,
             .nap_lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- buffers ----------------------------------------------------------------------------------
 *
 * CUPTI requests buffers on the thread that launches, and would set them to 0 there. We do it
 * when they are returned, on a thread that no other waits for.
 */

/* The program's buffers are as the program makes them. */
static void promise_zeroes(bool is_promised)
{
    uint8_t value = is_promised ? 1 : 0;
    size_t size = sizeof(value);
    session.cupti.ActivitySetAttribute(TACHO_CU_ZEROED_BUFFERS, &size, &value);
}

static uint8_t *take_kept(void)
{
    pthread_mutex_lock(&session.lock);
    uint8_t *buffer = session.kept_count > 0 ? session.kept[--session.kept_count] : NULL;
    pthread_mutex_unlock(&session.lock);
    return buffer;
}

/* Whether there was room to remember that CUPTI has it. */
static bool note_out(uint8_t *buffer)
{
    pthread_mutex_lock(&session.lock);
    bool has_room = session.out_count < BUFFERS_OUT;
    if (has_room) {
        session.out[session.out_count++] = buffer;
    }
    pthread_mutex_unlock(&session.lock);
    return has_room;
}

/* Without memory the buffer is one that is never read: some versions of CUPTI crash without any. */
static void request_buffer(uint8_t **out_buffer, size_t *out_size, size_t *out_record_max)
{
    uint8_t *buffer = take_kept();
    buffer = buffer != NULL ? buffer : calloc(1, BUFFER_BYTES);
    bool is_made = buffer != NULL && note_out(buffer);
    if (!is_made) {
        free(buffer);
    }
    *out_buffer = is_made ? buffer : session.discard;
    *out_size = is_made ? BUFFER_BYTES : DISCARD_BYTES;
    *out_record_max = 0; /* as many as there is room for */
}

/* Whether a buffer is one of ours: the program may have left CUPTI some of its own. */
static bool take_back(const uint8_t *buffer)
{
    bool is_ours = false;
    pthread_mutex_lock(&session.lock);
    for (size_t i = 0; i < session.out_count && !is_ours; i++) {
        if (session.out[i] == buffer) {
            session.out[i] = session.out[--session.out_count];
            is_ours = true;
        }
    }
    pthread_mutex_unlock(&session.lock);
    return is_ours;
}

static void keep_buffer(uint8_t *buffer)
{
    memset(buffer, 0, BUFFER_BYTES);
    pthread_mutex_lock(&session.lock);
    bool is_kept = session.kept_count < BUFFERS_KEPT;
    if (is_kept) {
        session.kept[session.kept_count++] = buffer;
    }
    pthread_mutex_unlock(&session.lock);
    if (!is_kept) {
        free(buffer);
    }
}

/* In memory that has been written to: the first to write there waits for the kernel. */
static void make_first_buffers(void)
{
    for (size_t i = 0; i < BUFFERS_FIRST; i++) {
        uint8_t *buffer = malloc(BUFFER_BYTES);
        if (buffer != NULL) {
            keep_buffer(buffer);
        }
    }
}

static void complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                            size_t valid_size)
{
    size_t dropped = 0;
    (void)size;
    if (buffer == NULL || !atomic_load(&session.is_on)) {
        return;
    }
    if (buffer == session.discard) {
        tacho_cu_count_dropped((valid_size + RECORD_BYTES - 1) / RECORD_BYTES);
    } else if (take_back(buffer)) {
        tacho_cu_take_records(&session.cupti, buffer, valid_size);
        keep_buffer(buffer);
    }
    if (session.cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) == 0 && dropped > 0) {
        tacho_cu_count_dropped(dropped);
    }
}

/* ---- requests ------------------------------------------------------------------------------ */

/* The thread and the GPU are the parent's, and the thread that held the lock is not here. */
static void leave_child(void)
{
    atomic_store(&session.is_on, false);
    pthread_mutex_init(&session.lock, NULL);
    pthread_mutex_init(&session.flush_lock, NULL);
}

/* The kinds of records for each stats level. */
static const struct {
    uint32_t kind;
    int from, below; /* levels */
} kinds[] = {
    {TACHO_CU_DEVICE, 0, 1000},
    {TACHO_CU_CONTEXT, 0, 1000},
    {TACHO_CU_STREAM, 0, 1000},
    {TACHO_CU_CONCURRENT_KERNEL, 0, 1000},
    {TACHO_CU_MEMCPY, 0, 1000},
    {TACHO_CU_MEMCPY_PEER, 0, 1000},
    {TACHO_CU_MEMSET, 0, 1000},
    {TACHO_CU_OVERHEAD, 0, 1000},
    {TACHO_CU_GRAPH_TRACE, 0, 70}, /* in place of the nodes of a graph */
    {TACHO_CU_EXTERNAL_CORRELATION, 70, 1000},
    {TACHO_CU_SYNCHRONIZATION, 100, 1000}, /* slows each launch; calls show who waits */
    {TACHO_CU_MEMORY, 100, 1000},
    {TACHO_CU_MEMORY_POOL, 100, 1000},
    {TACHO_CU_ENVIRONMENT, 100, 1000},
};

static bool is_wanted(size_t index)
{
    return session.level >= kinds[index].from && session.level < kinds[index].below;
}

static void disable_kinds(void)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (is_wanted(i)) {
            session.cupti.ActivityDisable(kinds[i].kind);
        }
    }
}

/* Without kernels nothing is recorded. */
static const char *enable_kinds(void)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        tacho_cu_result result = is_wanted(i) ? session.cupti.ActivityEnable(kinds[i].kind) : 0;
        if (result != 0 && kinds[i].kind == TACHO_CU_CONCURRENT_KERNEL) {
            disable_kinds();
            return tacho_cupti_text(&session.cupti, result);
        }
    }
    return NULL;
}

/* ---- a program that profiles its GPU itself ------------------------------------------------ */

/* Each time for the profile, the first time for people. */
static void say(const char *text, atomic_bool *has_said)
{
    tacho_client_message(text, strlen(text));
    if (!atomic_exchange(has_said, true)) {
        dprintf(STDERR_FILENO, "tacho: %s\n", text);
    }
}

static bool lock_flushing(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_WAIT_S;
    return pthread_mutex_timedlock(&session.flush_lock, &until) == 0;
}

/*
 * The program is about to profile its GPU itself: its own profile has to be complete. We take the
 * existing records, so that CUPTI holds no buffer of ours, and give everything back.
 */
static bool make_way(void)
{
    static atomic_bool has_said;
    bool is_locked = lock_flushing();
    bool is_first = atomic_load(&session.is_on) && !atomic_exchange(&session.is_aside, true);
    if (is_locked) {
        pthread_mutex_unlock(&session.flush_lock);
    }
    if (is_first) {
        disable_kinds();
        session.cupti.ActivityFlushAll(TACHO_CU_FLUSH_FORCED);
        promise_zeroes(false);
        tacho_cu_calls_stop(&session.cupti);
        say("the program profiles its GPU itself: what the GPU does is not recorded until it is "
            "done",
            &has_said);
    }
    return is_first;
}

/* CUPTI calls back for one at a time. Records stay ours until the program requests them, too. */
static void hang_up(void)
{
    static const char text[] =
        "the program watches its calls of CUDA itself: they are not recorded "
        "until it is done";
    if (!atomic_load(&session.is_on) || !tacho_cu_calls_are_on()) {
        return;
    }
    bool is_locked = lock_flushing();
    tacho_cu_calls_stop(&session.cupti);
    if (is_locked) {
        pthread_mutex_unlock(&session.flush_lock);
    }
    tacho_client_message(text, strlen(text));
}

/* The program takes CUPTI down, in a callback of it: our thread will repeat our requests. */
static void forget(void)
{
    static const char text[] = "the program has ended CUPTI: what the GPU does is not recorded "
                               "until it is started again";
    if (atomic_load(&session.is_on)) {
        tacho_client_message(text, strlen(text));
    }
    atomic_store(&session.is_aside, true);
    tacho_cu_calls_forget();
}

/* Without the lock, so that the callback does not wait: a nap that has just begun is short. */
static void come_back(void)
{
    pthread_cond_signal(&session.nap_end);
}

static bool wants_calls(void)
{
    return session.level >= LEVEL_CALLS && !tacho_cu_calls_are_on() && !tacho_cu_rivals_listen();
}

/* The program is done: CUPTI's remaining records are the program's, all later ones ours. */
static void resume(void)
{
    static atomic_bool has_said;
    session.cupti.ActivityFlushAll(TACHO_CU_FLUSH_FORCED);
    tacho_cu_rivals_restore_clock();
    tacho_cu_clock_compare(&session.cupti);
    promise_zeroes(true);
    bool is_back = session.cupti.ActivityRegisterCallbacks(request_buffer, complete_buffer) == 0 &&
                   enable_kinds() == NULL;
    session.is_lost = !is_back;
    if (is_back) {
        atomic_store(&session.is_aside, false);
        say(session.level >= LEVEL_CALLS && tacho_cu_rivals_listen()
                ? "the program has stopped profiling its GPU: what the GPU does is recorded again, "
                  "but not the calls, which the program still watches"
                : "the program has stopped profiling its GPU: what the GPU does is recorded again",
            &has_said);
    }
}

/* ---- the session --------------------------------------------------------------------------- */

/* The lock is held. */
static void flush(bool compares_clocks)
{
    if (session.is_ending || session.is_lost) {
        return;
    }
    bool is_quiet = tacho_cu_rivals_are_done(FLUSH_NS, ASIDE_NS);
    if (atomic_load(&session.is_aside) && is_quiet) {
        resume();
    }
    if (atomic_load(&session.is_aside)) {
        return;
    }
    if (is_quiet && wants_calls()) {
        tacho_cu_calls_start(&session.cupti);
    }
    if (compares_clocks) {
        tacho_cu_clock_compare(&session.cupti);
    }
    session.cupti.ActivityFlushAll(0);
}

static void take_nap(void)
{
    const long ns_per_s = 1000000000;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += atomic_load(&session.is_aside) ? ASIDE_NS : FLUSH_NS;
    until.tv_sec += until.tv_nsec / ns_per_s;
    until.tv_nsec %= ns_per_s;
    pthread_mutex_lock(&session.nap_lock);
    pthread_cond_timedwait(&session.nap_end, &session.nap_lock, &until);
    pthread_mutex_unlock(&session.nap_lock);
}

static void *flush_often(void *argument)
{
    (void)argument;
    for (uint64_t i = 1; atomic_load(&session.is_on); i++) {
        take_nap();
        pthread_mutex_lock(&session.flush_lock);
        flush(i % FLUSHES_PER_COMPARISON == 0);
        pthread_mutex_unlock(&session.flush_lock);
    }
    return NULL;
}

/* Signals are the program's, not for a thread that it does not know. */
static bool start_thread(void)
{
    pthread_t thread;
    pthread_condattr_t kind;
    sigset_t all, before;
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&session.nap_end, &kind);
    pthread_condattr_destroy(&kind);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&thread, NULL, flush_often, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started) {
        pthread_detach(thread);
    }
    return is_started;
}

/* CUPTI is taken down after this: from now on our thread must not be in it. */
static void stop_flushing(void)
{
    if (lock_flushing()) {
        session.is_ending = true;
        pthread_mutex_unlock(&session.flush_lock);
    }
}

static void end_session(void)
{
    char text[MESSAGE_ROOM];
    if (!atomic_load(&session.is_on)) {
        return;
    }
    stop_flushing();
    if (!atomic_load(&session.is_aside)) {
        session.cupti.ActivityFlushAll(TACHO_CU_FLUSH_FORCED);
    }
    const tacho_cu_counts counts = tacho_cu_records_counts();
    snprintf(text, sizeof(text),
             "CUDA: records of GPU work %llu, without times %llu, dropped by CUPTI %llu, "
             "CUPTI's own time in us %llu",
             (unsigned long long)counts.records, (unsigned long long)counts.untimed,
             (unsigned long long)counts.dropped, (unsigned long long)(counts.overhead_ns / 1000));
    tacho_client_message(text, strlen(text));
}

static const char *start_session(int level)
{
    const char *reason = tacho_cupti_load(&session.cupti);
    if (reason != NULL) {
        return reason;
    }
    if (level >= LEVEL_CALLS) {
        reason = tacho_cu_calls_start(&session.cupti);
    }
    if (reason != NULL) {
        return reason;
    }
    tacho_cu_clock_compare(&session.cupti);
    make_first_buffers();
    promise_zeroes(true);
    tacho_cu_result result =
        session.cupti.ActivityRegisterCallbacks(request_buffer, complete_buffer);
    if (result != 0) {
        return tacho_cupti_text(&session.cupti, result);
    }
    atomic_store(&session.is_on, true);
    session.level = level;
    reason = enable_kinds();
    if (reason == NULL) {
        pthread_atfork(NULL, NULL, leave_child);
        atexit(end_session);
        start_thread();
        tacho_cu_rivals_watch(&session.cupti,
                              &(tacho_cu_rival_actions){make_way, hang_up, forget, come_back});
    }
    return reason;
}

/* Whatever happens, the program runs on. */
int InitializeInjection(void)
{
    static atomic_bool is_begun;
    if (atomic_exchange(&is_begun, true) || !tacho_client_is_active()) {
        return 1;
    }
    tacho_cu_names_start(true);
    const char *reason = start_session(tacho_client_stats_level());
    if (reason != NULL) {
        atomic_store(&session.is_on, false);
        tacho_cu_calls_stop(&session.cupti);
        dprintf(STDERR_FILENO, "tacho: what the GPU does is not recorded: %s\n", reason);
    }
    return 1;
}
