/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a thread into its ring. Everything here is on the path of a program that is being
 * measured: a load and a branch without a collector, a clock and a cache line with one.
 */
#include "client/args.h"

#include <string.h>
#include <time.h>

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

enum { NAP_NS = 50000 };

static const uint64_t ns_per_s = 1000000000;

static _Thread_local client_thread this_thread __attribute__((tls_model("initial-exec")));

client_thread *tacho_client_this_thread(void)
{
    return &this_thread;
}

static inline uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * ns_per_s + (uint64_t)now.tv_nsec;
}

uint64_t tacho_client_now(void)
{
    return now_ns();
}

static inline uint32_t present_generation(void)
{
    return atomic_load_explicit(&tacho_client_process.generation, memory_order_relaxed);
}

/* ---- room ---------------------------------------------------------------------------------- */

static uint64_t load_tail(client_thread *thread)
{
    thread->tail = atomic_load_explicit(&thread->ring->tail, memory_order_acquire);
    return thread->tail;
}

static bool has_room(const client_thread *thread, uint32_t count)
{
    return thread->head + count - thread->tail <= TACHO_WIRE_RECORDS;
}

/* Waits for the collector, as long as the segment allows; not again before it has moved. */
static bool wait_for_room(client_thread *thread, uint32_t count)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    const tacho_wire_header *header = client_header();
    uint64_t tail = load_tail(thread);
    if (has_room(thread, count)) {
        return true;
    }
    if (atomic_load_explicit(&header->is_closed, memory_order_relaxed) != 0) {
        tacho_client_turn_off();
        return false;
    }
    if (thread->is_stalled && tail == thread->stall_tail) {
        return false;
    }
    for (uint64_t until = now_ns() + header->wait_ns; now_ns() < until;) {
        nanosleep(&nap, NULL);
        tail = load_tail(thread);
        if (has_room(thread, count)) {
            thread->is_stalled = false;
            return true;
        }
    }
    thread->is_stalled = true;
    thread->stall_tail = tail;
    return false;
}

static void count_dropped(client_thread *thread)
{
    atomic_fetch_add_explicit(&thread->ring->dropped, 1, memory_order_relaxed);
}

void tacho_client_report_lost(uint64_t count)
{
    client_thread *thread = tacho_client_enter();
    if (thread != NULL) {
        atomic_fetch_add_explicit(&thread->ring->dropped, count, memory_order_relaxed);
        client_leave(thread);
    }
}

bool tacho_client_reserve(client_thread *thread, uint32_t count)
{
    if (has_room(thread, count)) {
        return true;
    }
    if (count <= TACHO_WIRE_EXTRA_MAX + 1 && wait_for_room(thread, count)) {
        return true;
    }
    count_dropped(thread);
    return false;
}

/* ---- entering ------------------------------------------------------------------------------ */

static void count_unplaced(uint64_t count)
{
    atomic_fetch_add_explicit(&client_header()->unplaced, count, memory_order_relaxed);
}

/* A signal handler has interrupted us; before there is a ring to count it in, it is remembered. */
static void count_interrupting(client_thread *thread)
{
    if (thread->ring != NULL) {
        count_dropped(thread);
    } else if (thread->generation != CLIENT_UNTRIED) {
        count_unplaced(1);
    } else {
        atomic_fetch_add_explicit(&thread->missed, 1, memory_order_relaxed);
    }
}

/* The thread has no ring of this generation yet. */
static void enter_slowly(client_thread *thread)
{
    bool has_collector = tacho_client_attach(thread);
    uint32_t missed = atomic_exchange_explicit(&thread->missed, 0, memory_order_relaxed);
    if (has_collector && missed > 0) {
        _Atomic uint64_t *lost =
            thread->ring != NULL ? &thread->ring->dropped : &client_header()->unplaced;
        atomic_fetch_add_explicit(lost, missed, memory_order_relaxed);
    }
}

client_thread *tacho_client_enter(void)
{
    client_thread *thread = &this_thread;
    uint32_t generation = present_generation();
    if (generation == CLIENT_OFF) {
        return NULL;
    }
    if (UNLIKELY(thread->is_busy)) {
        count_interrupting(thread);
        return NULL;
    }
    thread->is_busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    if (UNLIKELY(generation == CLIENT_UNTRIED || thread->generation != generation)) {
        enter_slowly(thread);
    }
    if (UNLIKELY(thread->ring == NULL)) {
        if (present_generation() != CLIENT_OFF && thread->generation != CLIENT_UNTRIED) {
            count_unplaced(1);
        }
        client_leave(thread);
        return NULL;
    }
    return thread;
}

int tacho_client_is_active(void)
{
    client_thread *thread = tacho_client_enter();
    if (thread != NULL) {
        client_leave(thread);
    }
    return thread != NULL;
}

int tacho_client_stats_level(void)
{
    client_thread *thread = tacho_client_enter();
    int level = 0;
    if (thread != NULL) {
        level = (int)client_header()->stats_level;
        client_leave(thread);
    }
    return level;
}

/* The id of a site in this generation. */
static inline uint32_t site_id(tacho_client_site *site, const client_thread *thread)
{
    uint64_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
    return (uint32_t)(id >> 32) == thread->generation && (uint32_t)id != 0
               ? (uint32_t)id
               : tacho_client_intern_site(site, thread->generation);
}

/* ---- events -------------------------------------------------------------------------------- */

/* An event of one record. */
static void push(client_thread *thread, const tacho_wire_record *record)
{
    if (tacho_client_reserve(thread, 1)) {
        *client_record(thread, 0) = *record;
        client_publish(thread, 1);
    }
}

void tacho_client_zone_begin(tacho_client_zone *zone, tacho_client_site *site)
{
    client_thread *thread = tacho_client_enter();
    *zone = (tacho_client_zone){0};
    if (thread == NULL) {
        return;
    }
    tacho_wire_ring *ring = thread->ring;
    zone->generation = thread->generation;
    zone->site = site_id(site, thread);
    uint32_t depth = thread->depth++;
    zone->start_ns = now_ns();
    if (depth < TACHO_WIRE_OPEN_MAX) {
        ring->open[depth] = (tacho_wire_open){zone->start_ns, zone->site, 0};
    }
    atomic_store_explicit(&ring->depth, thread->depth, memory_order_release);
    client_leave(thread);
}

/* Removes the zone from the open ones. */
static void close_zone(client_thread *thread)
{
    thread->depth -= thread->depth > 0 ? 1 : 0;
    atomic_store_explicit(&thread->ring->depth, thread->depth, memory_order_release);
}

static inline void end_zone(const tacho_client_zone *zone, const client_args *args)
{
    if (zone->generation == 0) {
        return;
    }
    uint64_t end_ns = now_ns();
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    if (thread->generation == zone->generation) {
        tacho_wire_record record = {
            .kind = TACHO_WIRE_ZONE, .site = zone->site, .time = zone->start_ns, .value = end_ns};
        if (args == NULL) {
            push(thread, &record);
        } else {
            tacho_client_push_args(thread, &record, args, 1);
        }
        close_zone(thread);
    }
    client_leave(thread);
}

void tacho_client_zone_end(tacho_client_zone *zone)
{
    end_zone(zone, NULL);
}

void tacho_client_zone_end_args(tacho_client_zone *zone, const tacho_client_arg *args,
                                size_t arg_count)
{
    const client_args list = {.items = args, .item_count = arg_count};
    end_zone(zone, &list);
}

void tacho_client_counter_at(tacho_client_site *site, double value, uint64_t time_ns)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    tacho_wire_record record = {
        .kind = TACHO_WIRE_COUNTER, .site = site_id(site, thread), .time = time_ns};
    memcpy(&record.value, &value, sizeof(value));
    push(thread, &record);
    client_leave(thread);
}

void tacho_client_counter(tacho_client_site *site, double value)
{
    if (present_generation() != CLIENT_OFF) {
        tacho_client_counter_at(site, value, now_ns());
    }
}

void tacho_client_message(const char *text, size_t len)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    tacho_wire_record record = {.kind = TACHO_WIRE_MESSAGE, .time = now_ns()};
    tacho_client_push_text(thread, &record, text, len);
    client_leave(thread);
}

void tacho_client_signpost(const char *name)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    const tacho_wire_record record = {.kind = TACHO_WIRE_SIGNPOST,
                                      .site = tacho_client_intern(name, strlen(name)),
                                      .time = now_ns()};
    push(thread, &record);
    client_leave(thread);
}

void tacho_client_flow(uint64_t id, tacho_client_flow_phase phase)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    const tacho_wire_record record = {
        .kind = TACHO_WIRE_FLOW, .flags = (uint8_t)phase, .time = now_ns(), .value = id};
    push(thread, &record);
    client_leave(thread);
}

void tacho_client_launch(uint64_t launch, uint64_t time_ns)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    const tacho_wire_record record = {.kind = TACHO_WIRE_LAUNCH, .time = time_ns, .value = launch};
    push(thread, &record);
    client_leave(thread);
}

/* |queue| NULL: the name of the device's queues is not sent. */
static void describe(uint32_t device, const char *name, bool is_simulated, const char *queue)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    const tacho_wire_record record = {
        .kind = TACHO_WIRE_DEVICE,
        .flags = is_simulated,
        .site = tacho_client_intern(name, strlen(name)),
        .value = queue != NULL ? tacho_client_intern(queue, strlen(queue)) : 0,
        .more = device,
    };
    push(thread, &record);
    client_leave(thread);
}

void tacho_client_describe_device(uint32_t device, const char *name, int is_simulated)
{
    describe(device, name, is_simulated != 0, NULL);
}

void tacho_client_describe_queues(uint32_t device, const char *name, const char *queue)
{
    describe(device, name, false, queue);
}

void tacho_client_clock_pair(uint32_t device, uint64_t host_ns, uint64_t ticks,
                             uint64_t ticks_per_second)
{
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    const tacho_wire_record record = {.kind = TACHO_WIRE_CLOCK_PAIR,
                                      .site = device,
                                      .time = host_ns,
                                      .value = ticks,
                                      .more = ticks_per_second};
    push(thread, &record);
    client_leave(thread);
}
