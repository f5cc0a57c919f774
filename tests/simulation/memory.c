/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory with the liberties of a weak memory model. The client and the collector are
 * compiled with the instrumentation of the thread sanitizer, whose functions are here: every load
 * and store is a place where another agent may go on, or where a program may be killed.
 *
 * When an agent is interrupted, each store that it has made may be hidden from the others, in any
 * combination that keeps the order of each location. An acquiring load of a location shows all that
 * the agent stored before the releasing store that was read. A release or acquire that is missing
 * in the code is therefore found on every computer.
 */
#include "simulator.h"

#include <string.h>
#include <sys/mman.h>

#include "memory_hooks.h"

enum {
    SLOT_BYTES =
        (TACHO_WIRE_SEGMENT_BYTES + TACHO_WIRE_PAGE - 1) / TACHO_WIRE_PAGE * TACHO_WIRE_PAGE,
    SLOT_BITS = 64,
};

static unsigned char *arena;

void sim_memory_begin(void)
{
    if (arena == NULL) {
        arena = mmap(NULL, (size_t)SIM_SLOTS_MAX * SLOT_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
}

void *sim_slot(size_t slot)
{
    return arena + slot * SLOT_BYTES;
}

static bool is_shared(const void *address)
{
    return (size_t)((const unsigned char *)address - arena) < (size_t)SIM_SLOTS_MAX * SLOT_BYTES;
}

size_t sim_slot_of(const void *address)
{
    return is_shared(address) ? (size_t)((const unsigned char *)address - arena) / SLOT_BYTES
                              : SIM_SLOTS_MAX;
}

static uint64_t slot_bit(const void *address)
{
    return UINT64_C(1) << sim_slot_of(address) % SLOT_BITS;
}

/* ---- interrupted agents ---------------------------------------------------------------------- */

static bool overlaps(const sim_store *store, const void *address, size_t len)
{
    const unsigned char *at = address;
    return store->at < at + len && at < store->at + store->len;
}

/* Memory as others see it: the stores of |agent| that were seen, in their order. */
static void show_seen(sim_agent *agent)
{
    for (size_t i = agent->store_count; i-- > 0;) {
        memcpy(agent->stores[i].at, agent->stores[i].before, agent->stores[i].len);
    }
    for (size_t i = 0; i < agent->store_count; i++) {
        if (agent->stores[i].is_seen) {
            memcpy(agent->stores[i].at, agent->stores[i].after, agent->stores[i].len);
        }
    }
}

/* All are seen, as they are in memory. */
static void forget_stores(sim_agent *agent)
{
    agent->store_count = 0;
    agent->slots = 0;
}

void sim_memory_leave(sim_agent *agent)
{
    bool hides = agent->store_count > 0 && sim_fails(SIM_HIDDEN_STORE);
    if (!hides) {
        forget_stores(agent);
        return;
    }
    for (size_t i = agent->store_count; i-- > 0;) {
        sim_store *store = &agent->stores[i];
        memcpy(store->after, store->at, store->len);
        memcpy(store->at, store->before, store->len);
    }
    for (size_t i = 0; i < agent->store_count; i++) {
        agent->stores[i].is_seen = agent->stores[i].is_seen || sim_chance(2);
    }
    show_seen(agent);
}

void sim_memory_enter(sim_agent *agent)
{
    for (size_t i = 0; i < agent->store_count; i++) {
        memcpy(agent->stores[i].at, agent->stores[i].after, agent->stores[i].len);
    }
}

void sim_memory_commit(sim_agent *agent)
{
    if (agent != sim.current) {
        sim_memory_enter(agent);
    }
    forget_stores(agent);
}

/* Drops the first |count| stores, which are seen for ever. */
static void drop_first(sim_agent *agent, size_t count)
{
    agent->store_count -= count;
    memmove(agent->stores, agent->stores + count, agent->store_count * sizeof(sim_store));
    agent->slots = agent->store_count > 0 ? agent->slots : 0;
}

/* The other agents that have stores in the segment of |address|. */
static bool is_other(const sim_agent *agent, uint64_t bit)
{
    return agent->state != SIM_FREE && agent != sim.current && (agent->slots & bit) != 0;
}

/* What |address| was stored with decides what else is seen from now on. */
static void acquire(const void *address, size_t len)
{
    uint64_t bit = slot_bit(address);
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        sim_agent *agent = &sim.agents[i];
        size_t at = is_other(agent, bit) ? agent->store_count : 0;
        while (at > 0 &&
               !(agent->stores[at - 1].is_seen && overlaps(&agent->stores[at - 1], address, len))) {
            at--;
        }
        if (at == 0 || !agent->stores[at - 1].is_release) {
            continue;
        }
        for (size_t k = 0; k < at; k++) {
            agent->stores[k].is_seen = true;
        }
        show_seen(agent);
        drop_first(agent, at);
    }
}

/* Two agents write to one place: the earlier write is over. */
static void settle_others(const void *address, size_t len)
{
    uint64_t bit = slot_bit(address);
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        sim_agent *agent = &sim.agents[i];
        for (size_t k = 0; is_other(agent, bit) && k < agent->store_count; k++) {
            if (overlaps(&agent->stores[k], address, len)) {
                sim_memory_commit(agent);
            }
        }
    }
}

/* ---- stores of the agent that runs ----------------------------------------------------------- */

static void note_store(void *address, size_t len, bool is_release)
{
    sim_agent *agent = sim.current;
    if (agent->store_count == SIM_STORES_MAX) {
        drop_first(agent, SIM_STORES_MAX / 2);
    }
    sim_store *store = &agent->stores[agent->store_count++];
    *store = (sim_store){.at = address, .len = (uint8_t)len, .is_release = is_release};
    memcpy(store->before, address, len);
    agent->slots |= slot_bit(address);
}

static void before_write(void *address, size_t len)
{
    if (sim.current == NULL) {
        return;
    }
    sim_point();
    for (size_t at = 0; at < len && is_shared(address); at += SIM_STORE_BYTES) {
        size_t piece = len - at < SIM_STORE_BYTES ? len - at : SIM_STORE_BYTES;
        note_store((unsigned char *)address + at, piece, false);
    }
}

static void before_read(void)
{
    if (sim.current != NULL) {
        sim_point();
    }
}

static bool is_acquire(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

static bool is_release(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void before_load(const volatile void *address, size_t len, int order)
{
    const void *place = (const void *)(uintptr_t)address;
    before_read();
    if (sim.current != NULL && is_shared(place) && is_acquire(order)) {
        acquire(place, len);
    }
}

static void before_store(volatile void *address, size_t len, int order)
{
    void *place = (void *)(uintptr_t)address;
    before_read();
    if (sim.current != NULL && is_shared(place)) {
        settle_others(place, len);
        note_store(place, len, is_release(order));
    }
}

/* A read, change and write in one is seen at once; with release, so is all before it. */
static void before_change(volatile void *address, size_t len, int order)
{
    void *place = (void *)(uintptr_t)address;
    sim_agent *agent = sim.current;
    before_load(address, len, order);
    if (agent == NULL || !is_shared(place)) {
        return;
    }
    settle_others(place, len);
    bool is_own = false;
    for (size_t i = 0; i < agent->store_count; i++) {
        is_own = is_own || overlaps(&agent->stores[i], place, len);
    }
    if (is_own || is_release(order)) {
        sim_memory_commit(agent);
    }
}

/* ---- the sanitizer's functions --------------------------------------------------------------- */

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

#define READS_AND_WRITES(bytes)                                                                    \
    void __tsan_read##bytes(void *address)                                                         \
    {                                                                                              \
        (void)address;                                                                             \
        before_read();                                                                             \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *address)                                               \
    {                                                                                              \
        (void)address;                                                                             \
        before_read();                                                                             \
    }                                                                                              \
    void __tsan_write##bytes(void *address)                                                        \
    {                                                                                              \
        before_write(address, bytes);                                                              \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *address)                                              \
    {                                                                                              \
        before_write(address, bytes);                                                              \
    }

READS_AND_WRITES(1)
READS_AND_WRITES(2)
READS_AND_WRITES(4)
READS_AND_WRITES(8)
READS_AND_WRITES(16)

void __tsan_read_range(void *address, size_t len)
{
    (void)address;
    (void)len;
    before_read();
}

void __tsan_write_range(void *address, size_t len)
{
    before_write(address, len);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

void __tsan_atomic_thread_fence(int order)
{
    if (sim.current != NULL && is_release(order)) {
        sim_memory_commit(sim.current);
    }
}

#define ATOMICS(bits, type)                                                                        \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                       \
    {                                                                                              \
        before_load(address, sizeof(type), order);                                                 \
        return *address;                                                                           \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                \
    {                                                                                              \
        before_store(address, sizeof(type), order);                                                \
        *address = value;                                                                          \
    }                                                                                              \
    type __tsan_atomic##bits##_fetch_add(volatile type *address, type value, int order)            \
    {                                                                                              \
        before_change(address, sizeof(type), order);                                               \
        type before = *address;                                                                    \
        *address = (type)(before + value);                                                         \
        return before;                                                                             \
    }                                                                                              \
    type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order)             \
    {                                                                                              \
        before_change(address, sizeof(type), order);                                               \
        type before = *address;                                                                    \
        *address = value;                                                                          \
        return before;                                                                             \
    }                                                                                              \
    type __tsan_atomic##bits##_fetch_or(volatile type *address, type value, int order)             \
    {                                                                                              \
        before_change(address, sizeof(type), order);                                               \
        type before = *address;                                                                    \
        *address = before | value;                                                                 \
        return before;                                                                             \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected,      \
                                                      type value, int order, int order_else)       \
    {                                                                                              \
        before_change(address, sizeof(type), *address == *expected ? order : order_else);          \
        type before = *address;                                                                    \
        bool is_equal = before == *expected;                                                       \
        *address = is_equal ? value : before;                                                      \
        *expected = before;                                                                        \
        return is_equal;                                                                           \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected,        \
                                                    type value, int order, int order_else)         \
    {                                                                                              \
        return __tsan_atomic##bits##_compare_exchange_strong(address, expected, value, order,      \
                                                             order_else);                          \
    }

ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* ---- copies, which the compiler does not instrument ------------------------------------------ */

void *sim_memcpy(void *to, const void *from, size_t len)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if (sim.current == NULL || (!is_shared(to) && !is_shared(from))) {
        return memcpy(to, from, len);
    }
    for (size_t at = 0; at < len; at += SIM_STORE_BYTES) {
        size_t piece = len - at < SIM_STORE_BYTES ? len - at : SIM_STORE_BYTES;
        before_write(out + at, piece);
        memcpy(out + at, in + at, piece);
    }
    return to;
}

void *sim_memset(void *to, int byte, size_t len)
{
    before_write(to, len);
    return memset(to, byte, len);
}
