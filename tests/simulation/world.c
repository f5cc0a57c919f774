/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run: hosts, the faults that befall them, and the end. Each run draws which faults it has and
 * how often, so that runs differ in character and some have none.
 */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NS_PER_MS = 1000000,
    ENDING_STEPS_MAX = 2000000,
    RUNS_WITHOUT_FAULTS = 8,
    FIRST_TID = 1,
    TACHO_PID = 7,
};

/* ---- the character of a run ------------------------------------------------------------------ */

static void draw_faults(void)
{
    static const uint32_t least[] = {
#define SIM_FAULT_LEAST(id, words, count) count,
        SIM_FAULTS(SIM_FAULT_LEAST)
#undef SIM_FAULT_LEAST
    };
    bool has_faults = !sim_chance(RUNS_WITHOUT_FAULTS);
    for (unsigned i = 0; i < SIM_FAULT_COUNT; i++) {
        bool is_on = has_faults && sim_chance(2);
        sim.chances[i] = is_on ? least[i] << sim_below(5) : 0;
    }
}

static void draw_character(void)
{
    sim.rank_count = 1 + sim_below(SIM_RANKS_MAX);
    sim.step_ns = 100U << sim_below(12);
    sim.fuel = 4U << sim_below(8);
    sim.process_max = 1 + sim_below(4);
    sim.thread_max = 1 + sim_below(6);
    sim.text_max = 1 + sim_below(sim_chance(4) ? 700 : 60);
    sim.has_many_names = sim_chance(4);
    draw_faults();
}

/* ---- tacho ----------------------------------------------------------------------------------- */

static void look_on(void *self, const tacho_live *live)
{
    sim_rank *rank = self;
    if (live->process_count > SIM_PROCESSES_MAX || live->period_ns <= 0) {
        sim_break("rank %u: the summary shows %llu processes", rank->index,
                  (unsigned long long)live->process_count);
    }
}

static void run_tacho(void)
{
    static char program[] = "program";
    sim_rank *rank = sim.current->rank;
    char *words[] = {program, NULL};
    char number[8] = {(char)('0' + rank->index)};
    const tacho_profiling request = {
        .words = words,
        .stats_level = TACHO_PROFILE_LEVEL,
        .port = -1,
        .omits_tracy = true,
        .path = rank->path,
        .has_anchors = true,
        .run = TACHO_STR("r"),
        .host = tacho_str_from_cstring(number),
        .rank = tacho_str_from_cstring(number),
        .live = rank->index == 1 ? look_on : NULL,
        .live_self = rank,
    };
    tacho_status status = tacho_profiling_run(&request, &rank->result, &rank->clocks);
    rank->fd = -1;
    rank->has_result = true;
    rank->agent = NULL;
    if (status != TACHO_OK && sim.fault_counts[SIM_MEMORY] + sim.fault_counts[SIM_BAD_DISK] == 0) {
        sim_break("rank %u: tacho did not run: %s", rank->index, tacho_status_message(status));
    }
    tacho_status_free(status);
    sim_kernel_close_all(rank);
    sim_kernel_unmap_all(rank->maps);
}

void sim_kill_tacho(sim_rank *rank)
{
    sim_agent_end(rank->agent);
    rank->agent = NULL;
    rank->was_killed = true;
    sim_kernel_close_all(rank);
    sim_kernel_unmap_all(rank->maps);
    sim_disk_close(rank);
}

static void start_rank(unsigned index)
{
    sim_rank *rank = &sim.ranks[index];
    sim_chunk *chunks = rank->chunks;
    size_t capacity = rank->chunk_capacity;
    *rank = (sim_rank){
        .index = index,
        .pid = TACHO_PID,
        .base_ns = (int64_t)(1 + sim_below(1000)) * 1000 * NS_PER_MS,
        .realtime_ns = INT64_C(1700000000000000000) + sim_below(1000000),
        .next_tid = FIRST_TID,
        .fd = -1,
        .disk_left = sim_fails(SIM_FULL_DISK) ? sim_below(400000) : UINT64_MAX,
        .chunks = chunks,
        .chunk_capacity = capacity,
    };
    snprintf(rank->path, sizeof(rank->path), "run=r/host=h%u/rank=%u/capture.tacho", index, index);
    rank->agent = sim_agent_start(rank, run_tacho);
}

/* ---- what happens to them -------------------------------------------------------------------- */

/* A process of |rank| that runs, by chance. */
static sim_process *choose_process(const sim_rank *rank, uint32_t *out_count)
{
    sim_process *found[SIM_PROCESSES_MAX];
    uint32_t count = 0;
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) {
        sim_process *process = &sim.processes[i];
        if (process->is_used && process->rank == rank && !process->has_ended) {
            found[count++] = process;
        }
    }
    *out_count = count;
    return count > 0 ? found[sim_below(count)] : NULL;
}

static uint32_t count_threads(const sim_process *process)
{
    uint32_t count = 0;
    for (size_t i = 0; i < sim.thread_count; i++) {
        count += sim.threads[i].process == process && sim.threads[i].agent != NULL ? 1 : 0;
    }
    return count;
}

/* Programs start processes and threads, and these end. */
static void change_programs(sim_rank *rank)
{
    uint32_t count = 0;
    sim_process *process = choose_process(rank, &count);
    if (process == NULL || rank->main == NULL || rank->main->has_ended) {
        return;
    }
    if (count < sim.process_max && sim_chance(40)) {
        sim_process *child = sim_process_start(rank, rank->main);
        if (child != NULL && sim_thread_start(child) == NULL) {
            child->is_used = false;
        }
    }
    if (!process->is_forking && sim_chance(20) && count_threads(process) < sim.thread_max) {
        sim_thread_start(process);
    }
    if (process != rank->main && sim_fails(SIM_KILL_PROCESS)) {
        sim_process_end(process, true, SIGKILL);
        return;
    }
    sim_thread *thread = &sim.threads[sim_below((uint32_t)sim.thread_count)];
    bool may_end = thread->agent != NULL && thread->process->rank == rank && !thread->is_first;
    if (may_end && sim_fails(SIM_THREAD_END)) {
        thread->agent->is_stopping = true;
    }
}

static void set_clock(sim_rank *rank)
{
    int64_t step_ns = ((int64_t)sim_below(2000) - 1000) * NS_PER_MS;
    rank->realtime_ns += step_ns;
    rank->step_ns += step_ns;
}

static void disturb(sim_rank *rank)
{
    change_programs(rank);
    if (sim_fails(SIM_LEAP)) {
        sim.now_ns += (int64_t)sim_below(2000) * NS_PER_MS;
    }
    if (sim_fails(SIM_CLOCK_SET)) {
        set_clock(rank);
    }
    if (rank->agent == NULL) {
        return;
    }
    if (sim_fails(SIM_STALL)) {
        rank->stalled_until_ns = sim.now_ns + (int64_t)sim_below(200) * NS_PER_MS;
    }
    if (rank->has_socket && sim_fails(SIM_STRANGER)) {
        sim_stranger(rank);
    }
    if (rank->main == NULL || rank->main->has_ended) {
        return;
    }
    if (sim_fails(SIM_SIGNAL_TACHO)) {
        sim_signal(rank, SIGTERM);
    }
    if (sim_fails(SIM_KILL_MAIN)) {
        sim_process_end(rank->main, true, SIGKILL);
    }
    if (rank->agent != NULL && sim_fails(SIM_KILL_TACHO)) {
        sim_kill_tacho(rank);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_any_recording(void)
{
    for (unsigned i = 0; i < sim.rank_count; i++) {
        if (sim.ranks[i].agent != NULL) {
            return true;
        }
    }
    return false;
}

/* The profiled commands return. */
static void stop_programs(void)
{
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        sim_agent *agent = &sim.agents[i];
        bool is_first =
            agent->state != SIM_FREE && agent->thread != NULL && agent->thread->is_first;
        agent->is_stopping = agent->is_stopping || is_first;
    }
}

static void run_to_end(void)
{
    uint64_t steps = 0;
    while (is_any_recording() && sim.broken[0] == '\0') {
        stop_programs();
        if (sim_chance(3)) {
            sim_deliver();
        }
        if (!sim_step() || ++steps > ENDING_STEPS_MAX) {
            sim_break("tacho does not end");
        }
    }
}

static void reset_world(uint64_t seed, uint64_t event_limit)
{
    sim_load_process(NULL);
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        sim.agents[i].state = SIM_FREE;
        sim.agents[i].store_count = 0;
    }
    memset(sim.processes, 0, sizeof(sim.processes));
    memset(sim.fault_counts, 0, sizeof(sim.fault_counts));
    sim.thread_count = 0;
    sim.event_count = 0;
    sim.broken[0] = '\0';
    sim.seed = seed;
    sim.random = seed;
    sim.event_limit = event_limit;
    sim.now_ns = NS_PER_MS;
    sim_memory_begin();
    sim_kernel_begin();
}

void sim_world_run(uint64_t seed, uint64_t event_limit)
{
    reset_world(seed, event_limit);
    draw_character();
    for (unsigned i = 0; i < sim.rank_count; i++) {
        start_rank(i);
    }
    while (sim.event_count < event_limit && is_any_recording() && sim.broken[0] == '\0') {
        disturb(&sim.ranks[sim_below(sim.rank_count)]);
        if (sim_chance(3)) {
            sim_deliver();
        }
        sim_step();
    }
    run_to_end();
    for (size_t i = 0; i < sim.thread_count; i++) {
        if (sim.threads[i].agent != NULL) {
            sim_thread_gone(&sim.threads[i]);
        }
    }
    sim_load_process(NULL);
    for (unsigned i = 0; i < sim.rank_count; i++) {
        sim_check_rank(&sim.ranks[i]);
    }
    sim_check_fleet();
}
