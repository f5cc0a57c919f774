/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents are coroutines with stacks of their own. One of them runs until it waits, or until its
 * fuel is used up; which one is next is drawn by chance. An agent that is killed is not continued.
 */
#include "simulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 512 << 10, GUARD_BYTES = 4096 };

sim_world sim;

/* ---- chance ---------------------------------------------------------------------------------- */

uint64_t sim_random(void)
{
    uint64_t mixed = sim.random += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

uint32_t sim_below(uint32_t end)
{
    return end == 0 ? 0 : (uint32_t)((sim_random() >> 32) * end >> 32);
}

bool sim_chance(uint32_t count)
{
    return count > 0 && sim_below(count) == 0;
}

/* ---- faults ---------------------------------------------------------------------------------- */

const char *sim_fault_words(sim_fault fault)
{
    static const char *const words[] = {
#define SIM_FAULT_WORDS(id, words, count) words,
        SIM_FAULTS(SIM_FAULT_WORDS)
#undef SIM_FAULT_WORDS
    };
    return words[fault];
}

void sim_count_fault(sim_fault fault)
{
    sim.fault_counts[fault]++;
}

bool sim_fails(sim_fault fault)
{
    bool is_now = sim_chance(sim.chances[fault]);
    sim.fault_counts[fault] += is_now ? 1 : 0;
    return is_now;
}

void sim_break(const char *format, ...)
{
    va_list arguments;
    if (sim.broken[0] != '\0') {
        return;
    }
    va_start(arguments, format);
    vsnprintf(sim.broken, sizeof(sim.broken), format, arguments);
    va_end(arguments);
}

uint64_t sim_hash(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

uint64_t sim_hash_text(const char *text)
{
    return sim_hash(UINT64_C(0xcbf29ce484222325), text, strlen(text));
}

/* ---- switching ------------------------------------------------------------------------------- */

void sim_load_process(sim_process *process)
{
    if (process == sim.loaded) {
        return;
    }
    if (sim.loaded != NULL) {
        memcpy(&sim.loaded->client, &tacho_client_process, sizeof(client_process));
    }
    if (process != NULL) {
        memcpy(&tacho_client_process, &process->client, sizeof(client_process));
    }
    sim.loaded = process;
}

static void resume(sim_agent *agent)
{
    sim.current = agent;
    agent->fuel = 1 + sim_below(2 * sim.fuel);
    if (agent->process != NULL) {
        sim_load_process(agent->process);
        *tacho_client_this_thread() = agent->client;
    }
    sim_memory_enter(agent);
    swapcontext(&sim.scheduler, &agent->context);
    if (agent->process != NULL) {
        agent->client = *tacho_client_this_thread();
    }
    sim.current = NULL;
    if (agent->state != SIM_FREE) {
        sim_memory_leave(agent);
    }
}

void sim_yield(void)
{
    sim_agent *agent = sim.current;
    swapcontext(&agent->context, &sim.scheduler);
}

void sim_wait(int64_t until_ns)
{
    sim_agent *agent = sim.current;
    sim_memory_commit(agent);
    agent->state = SIM_WAITING;
    agent->wake_ns = until_ns;
    sim_yield();
}

void sim_wake(sim_agent *agent)
{
    if (agent != NULL && agent->state == SIM_WAITING) {
        agent->state = SIM_READY;
    }
}

void sim_point(void)
{
    sim_agent *agent = sim.current;
    if (agent->fuel > 0 && --agent->fuel > 0) {
        return;
    }
    if (agent->thread != NULL && !agent->thread->is_in_handler && sim_fails(SIM_SIGNAL)) {
        sim_report_in_handler();
        return;
    }
    if (sim_fails(SIM_PREEMPTED)) {
        sim_yield();
    } else {
        agent->fuel = 1 + sim_below(2 * sim.fuel);
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void begin_agent(unsigned low, unsigned high)
{
    void (*run)(void) = NULL;
    uint64_t address = (uint64_t)high << 32 | low;
    memcpy(&run, &address, sizeof(run));
    run();
    sim_agent *agent = sim.current;
    sim_memory_commit(agent);
    sim_agent_end(agent);
    sim_yield(); /* for ever */
}

sim_agent *sim_agent_start(sim_rank *rank, void (*run)(void))
{
    sim_agent *agent = NULL;
    uint64_t address = 0;
    for (size_t i = 0; i < SIM_AGENTS_MAX && agent == NULL; i++) {
        agent = sim.agents[i].state == SIM_FREE ? &sim.agents[i] : NULL;
    }
    if (agent == NULL || agent == sim.current) {
        return NULL;
    }
    void *stack = agent->stack;
    if (stack == NULL) {
        stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(stack, GUARD_BYTES, PROT_NONE);
    }
    agent->stack = stack;
    agent->state = SIM_READY;
    agent->rank = rank;
    agent->process = NULL;
    agent->thread = NULL;
    agent->client = (client_thread){0};
    agent->is_stopping = false;
    agent->store_count = 0;
    agent->slots = 0;
    getcontext(&agent->context);
    agent->context.uc_stack.ss_sp = (char *)stack + GUARD_BYTES;
    agent->context.uc_stack.ss_size = STACK_BYTES - GUARD_BYTES;
    agent->context.uc_link = NULL;
    memcpy(&address, &run, sizeof(run));
    makecontext(&agent->context, (void (*)(void))begin_agent, 2, (unsigned)address,
                (unsigned)(address >> 32));
    return agent;
}

void sim_agent_end(sim_agent *agent)
{
    sim_memory_commit(agent);
    agent->state = SIM_FREE;
    agent->process = NULL;
    agent->thread = NULL;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int64_t ready_at(const sim_agent *agent)
{
    int64_t at = agent->state == SIM_READY     ? sim.now_ns
                 : agent->state == SIM_WAITING ? agent->wake_ns
                                               : INT64_MAX;
    bool is_stalled =
        at != INT64_MAX && agent->rank->agent == agent && agent->rank->stalled_until_ns > at;
    return is_stalled ? agent->rank->stalled_until_ns : at;
}

/* The agent to continue: one of those that can; NULL where none can before |*out_at_ns|. */
static sim_agent *choose_agent(int64_t *out_at_ns)
{
    sim_agent *ready[SIM_AGENTS_MAX];
    uint32_t count = 0;
    *out_at_ns = INT64_MAX;
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        int64_t at_ns = ready_at(&sim.agents[i]);
        if (at_ns <= sim.now_ns) {
            ready[count++] = &sim.agents[i];
        }
        *out_at_ns = at_ns < *out_at_ns ? at_ns : *out_at_ns;
    }
    return count > 0 ? ready[sim_below(count)] : NULL;
}

bool sim_step(void)
{
    int64_t at_ns = 0;
    sim_agent *agent = choose_agent(&at_ns);
    sim.now_ns += 1 + sim_below(2 * sim.step_ns);
    if (agent == NULL && at_ns == INT64_MAX) {
        return false;
    }
    if (agent == NULL) {
        sim.now_ns = at_ns > sim.now_ns ? at_ns : sim.now_ns;
        return true;
    }
    agent->state = SIM_READY;
    resume(agent);
    return true;
}
