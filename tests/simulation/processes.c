/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes, their clocks and /proc: replaces base/process.h, base/proc_files.h and
 * base/temp_folder.h, and the calls that the client makes of a process.
 */
#include "kernel.h"

#include "base/grow.h"
#include "base/proc_files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_S = 1000000000, TICK_NS = 10000000, FIRST_PID = 1000, TURN_NS = 200000 };

/* ---- clocks ---------------------------------------------------------------------------------- */

int64_t sim_clock_ns(sim_rank *rank)
{
    sim.now_ns += 1 + sim_below(30);
    return rank->base_ns + sim.now_ns;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out_time)
{
    sim_agent *agent = sim.current;
    if (agent == NULL) {
        return __real_clock_gettime(clock, out_time);
    }
    int64_t ns = sim_clock_ns(agent->rank);
    if (agent->thread != NULL && !agent->thread->is_in_handler) {
        agent->first_clock_ns = agent->first_clock_ns == 0 ? ns : agent->first_clock_ns;
    }
    ns += clock == CLOCK_REALTIME ? agent->rank->realtime_ns : 0;
    ns /= clock == CLOCK_PROCESS_CPUTIME_ID ? 64 : 1;
    *out_time = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *out_left)
{
    if (sim.current == NULL) {
        return __real_nanosleep(time, out_left);
    }
    sim_wait(sim.now_ns + time->tv_sec * NS_PER_S + time->tv_nsec);
    return 0;
}

int64_t tacho_process_now_ns(void)
{
    struct timespec now;
    if (sim.current != NULL) {
        return sim_clock_ns(sim.current->rank);
    }
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t tacho_process_boot_shift_ns(void)
{
    return 0;
}

/* ---- processes ------------------------------------------------------------------------------- */

sim_process *sim_process_find(const sim_rank *rank, pid_t pid)
{
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) {
        sim_process *process = &sim.processes[i];
        if (process->is_used && process->rank == rank && process->pid == pid) {
            return process;
        }
    }
    return NULL;
}

/* Whether /proc has it. */
static sim_process *find_visible(pid_t pid)
{
    sim_process *process = sim_process_find(sim.current->rank, pid);
    return process != NULL && (!process->has_ended || process->is_zombie) ? process : NULL;
}

sim_process *sim_process_start(sim_rank *rank, sim_process *parent)
{
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) {
        sim_process *process = &sim.processes[i];
        if (process->is_used) {
            continue;
        }
        *process = (sim_process){.is_used = true,
                                 .pid = FIRST_PID + (pid_t)rank->next_tid++,
                                 .rank = rank,
                                 .parent = parent,
                                 .start_ns = rank->base_ns + sim.now_ns};
        for (unsigned k = 0; k < SIM_SITES; k++) {
            static const char *const names[SIM_SITES] = {
                "load",
                "step",
                "MatMul",
                "Softmax",
                "a longer name of a zone: layer_3/attention/out",
                "copy",
                "ncclAllReduce",
                "x"};
            process->sites[k] = (tacho_client_site){
                .name = names[k],
                .category = k % 3 == 0 ? "op" : NULL,
                .file = k % 2 == 0 ? "src/model.c" : NULL,
                .line = k,
            };
        }
        return process;
    }
    return NULL;
}

void sim_process_end(sim_process *process, bool is_signalled, int status)
{
    sim_rank *rank = process->rank;
    for (size_t i = 0; i < SIM_AGENTS_MAX; i++) {
        sim_agent *agent = &sim.agents[i];
        if (agent->state != SIM_FREE && agent->process == process) {
            sim_thread_gone(agent->thread);
            sim_agent_end(agent);
        }
    }
    process->has_ended = true;
    process->is_signalled = is_signalled;
    process->status = status;
    process->is_zombie = process->parent == NULL && rank->agent != NULL;
    sim_kernel_close_all(process);
    sim_kernel_unmap_all(process->maps);
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) { /* orphans are tacho's */
        if (sim.processes[i].is_used && sim.processes[i].parent == process) {
            sim.processes[i].parent = NULL;
        }
    }
    if (process->is_zombie) {
        sim_signal(rank, SIGCHLD);
    }
    sim_notify(rank);
}

void sim_signal(sim_rank *rank, int number)
{
    for (size_t i = 0; i < rank->signal_count; i++) {
        if (rank->signals[i] == number) {
            return; /* pending already */
        }
    }
    rank->signals[rank->signal_count++] = number;
    sim_notify(rank);
}

tacho_status tacho_process_take_signals(tacho_process_signals *out_before, int *out_fd)
{
    *out_before = (tacho_process_signals){.is_taken = true};
    *out_fd = sim_open_signals(sim.current->rank);
    return TACHO_OK;
}

void tacho_process_release_signals(const tacho_process_signals *before, int fd)
{
    (void)before;
    close(fd);
}

bool tacho_process_next_signal(int fd, tacho_process_signal *out_signal)
{
    sim_rank *rank = sim.current->rank;
    (void)fd;
    if (rank->signal_count == 0) {
        return false;
    }
    *out_signal = (tacho_process_signal){.number = rank->signals[0]};
    memmove(rank->signals, rank->signals + 1, --rank->signal_count * sizeof(rank->signals[0]));
    return true;
}

tacho_status tacho_process_start(char *const *words, const char *const *additions,
                                 const tacho_process_signals *before, tacho_process *out_process,
                                 tacho_process_refusal *out_refusal)
{
    sim_rank *rank = sim.current->rank;
    (void)words;
    (void)before;
    (void)additions;
    *out_refusal = (tacho_process_refusal){0};
    *out_process = (tacho_process){.started_ns = sim_clock_ns(rank)};
    rank->main = sim_process_start(rank, NULL);
    out_process->pid = rank->main->pid;
    sim_thread *thread = rank->main != NULL ? sim_thread_start(rank->main) : NULL;
    if (thread == NULL) {
        abort(); /* a run begins with a few agents */
    }
    thread->is_first = true;
    return TACHO_OK;
}

int tacho_process_open_pidfd(pid_t pid)
{
    sim_process *process = find_visible(pid);
    return process != NULL ? sim_open_pidfd(process) : -1;
}

pid_t tacho_process_take_end(pid_t pid, tacho_process_end *out_end)
{
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) {
        sim_process *process = &sim.processes[i];
        bool is_meant = process->is_used && process->rank == sim.current->rank &&
                        process->is_zombie && (pid == -1 || process->pid == pid);
        if (is_meant) {
            process->is_zombie = false;
            *out_end = (tacho_process_end){.is_signalled = process->is_signalled,
                                           .status = process->status};
            return process->pid;
        }
    }
    return 0;
}

int64_t tacho_process_cpu_ns(pid_t pid)
{
    const sim_process *process = find_visible(pid);
    return process != NULL ? sim.now_ns / 2 : -1;
}

int __wrap_kill(pid_t pid, int number)
{
    if (sim.current == NULL) {
        return __real_kill(pid, number);
    }
    sim_process *process = find_visible(pid);
    if (process != NULL && !process->has_ended && (number == SIGTERM || number == SIGKILL)) {
        sim_process_end(process, true, number);
    }
    return process != NULL ? 0 : -1;
}

/* ---- /proc ----------------------------------------------------------------------------------- */

bool tacho_proc_stat_parse(tacho_str text, tacho_proc_stat *out_stat)
{
    (void)text;
    (void)out_stat;
    return false;
}

bool tacho_proc_read_stat(pid_t pid, pid_t tid, tacho_proc_stat *out_stat)
{
    const sim_process *process = find_visible(pid);
    (void)tid;
    if (process == NULL) {
        return false;
    }
    const sim_process *parent = process->parent;
    *out_stat = (tacho_proc_stat){
        .name = "program",
        .state = process->has_ended ? 'Z' : 'R',
        .parent = parent != NULL ? parent->pid : process->rank->pid,
        .thread_count = 1,
        .start_ns = process->start_ns / TICK_NS * TICK_NS,
        .rss_bytes = (int64_t)(1 + sim_below(3)) << 20,
        .environment_at = process->has_ended ? 0 : 1,
    };
    return true;
}

size_t tacho_proc_read_file(pid_t pid, const char *name, char *to, size_t size)
{
    const sim_process *process = find_visible(pid);
    if (process == NULL || strcmp(name, "cmdline") != 0) {
        return 0;
    }
    snprintf(to, size, "program %d", (int)pid);
    return strlen(to);
}

static tacho_status add_id(tacho_proc_ids *ids, pid_t id)
{
    TACHO_TRY(tacho_grow(&ids->items, &ids->item_capacity, ids->item_count + 1));
    ids->items[ids->item_count++] = id;
    return TACHO_OK;
}

tacho_status tacho_proc_list_threads(pid_t pid, tacho_proc_ids *ids)
{
    for (size_t i = 0; i < sim.thread_count; i++) {
        const sim_thread *thread = &sim.threads[i];
        if (thread->agent != NULL && thread->process->pid == pid &&
            thread->process->rank == sim.current->rank) {
            TACHO_TRY(add_id(ids, (pid_t)thread->tid));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_proc_list_children(pid_t pid, const tacho_proc_ids *threads, tacho_proc_ids *ids,
                                      bool *out_is_known)
{
    const sim_rank *rank = sim.current->rank;
    (void)threads;
    *out_is_known = true;
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) {
        const sim_process *process = &sim.processes[i];
        bool is_there = process->is_used && process->rank == rank &&
                        (!process->has_ended || process->is_zombie);
        pid_t parent = is_there && process->parent != NULL ? process->parent->pid : rank->pid;
        if (is_there && parent == pid) {
            TACHO_TRY(add_id(ids, process->pid));
        }
    }
    return TACHO_OK;
}

void tacho_proc_ids_deinit(tacho_proc_ids *ids)
{
    free(ids->items);
    *ids = (tacho_proc_ids){0};
}

bool tacho_temp_folder_make(tacho_temp_folder *out_folder, const char *parent, const char *name,
                            bool is_socket, unsigned path_max)
{
    (void)parent;
    (void)name;
    (void)is_socket;
    *out_folder = (tacho_temp_folder){.fd = -1};
    snprintf(out_folder->path, path_max, "/run/tacho-%u", sim.current->rank->index);
    return true;
}

void tacho_temp_folder_remove(tacho_temp_folder *folder)
{
    folder->path[0] = '\0';
}

/* ---- what the client asks for ---------------------------------------------------------------- */

static void (*thread_end)(void *value);
static void (*fork_before)(void), (*fork_parent)(void), (*fork_child)(void);

pid_t __wrap_getpid(void)
{
    const sim_agent *agent = sim.current;
    return agent == NULL            ? __real_getpid()
           : agent->process != NULL ? agent->process->pid
                                    : agent->rank->pid;
}

uid_t __wrap_geteuid(void)
{
    return sim.current == NULL ? __real_geteuid() : SIM_UID;
}

char *__wrap_getenv(const char *name)
{
    if (sim.current == NULL) {
        return __real_getenv(name);
    }
    return strcmp(name, TACHO_WIRE_VARIABLE) == 0 ? sim.current->rank->socket_path : NULL;
}

unsigned long __wrap_getauxval(unsigned long type)
{
    return sim.current == NULL ? __real_getauxval(type) : 0;
}

long __wrap_syscall(long number, ...)
{
    (void)number; /* gettid, which a thread asks for when it gets a ring */
    if (sim.current == NULL || sim.current->thread == NULL) {
        return -1;
    }
    sim.current->thread->attach_head = tacho_client_this_thread()->head;
    return (long)sim.current->thread->tid;
}

int __wrap_prctl(int option, ...)
{
    va_list more;
    va_start(more, option);
    char *name = va_arg(more, char *); /* PR_GET_NAME */
    va_end(more);
    if (sim.current != NULL && sim.current->thread != NULL) {
        snprintf(name, TACHO_WIRE_NAME, "worker");
    }
    return 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    sim_agent *agent = sim.current;
    if (agent == NULL || agent->process == NULL) {
        return __real_pthread_mutex_lock(lock);
    }
    while (agent->process->lock_owner != NULL) {
        sim_wait(sim.now_ns + TURN_NS);
    }
    agent->process->lock_owner = agent;
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    sim_agent *agent = sim.current;
    if (agent == NULL || agent->process == NULL) {
        return __real_pthread_mutex_unlock(lock);
    }
    sim_memory_commit(agent);
    agent->process->lock_owner = NULL;
    return 0;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
    sim_agent *agent = sim.current;
    if (agent == NULL || agent->process == NULL) {
        return __real_pthread_mutex_init(lock, attributes);
    }
    agent->process->lock_owner = NULL;
    return 0;
}

int __wrap_pthread_once(pthread_once_t *once, void (*run)(void))
{
    static bool is_done;
    sim_agent *agent = sim.current;
    if (agent == NULL || agent->process == NULL) {
        return __real_pthread_once(once, run);
    }
    uint32_t fuel = agent->fuel;
    agent->fuel = UINT32_MAX; /* what others would wait for is over at once */
    if (!is_done) {
        run();
    }
    is_done = true;
    agent->fuel = fuel;
    return 0;
}

int __wrap_pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
    if (sim.current == NULL || sim.current->process == NULL) {
        return __real_pthread_key_create(key, end);
    }
    thread_end = end;
    return 0;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
    if (sim.current == NULL || sim.current->process == NULL) {
        return __real_pthread_setspecific(key, value);
    }
    sim.current->thread->has_key = true;
    return 0;
}

int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    fork_before = before;
    fork_parent = parent;
    fork_child = child;
    return 0;
}

void sim_run_thread_end(void)
{
    if (sim.current->thread->has_key && tacho_client_this_thread()->ring != NULL) {
        thread_end(tacho_client_this_thread());
    }
}

void sim_run_child_handler(void)
{
    fork_child();
}

void sim_fork(void)
{
    sim_agent *agent = sim.current;
    sim_process *parent = agent->process;
    if (fork_before == NULL) {
        return; /* it has no client yet */
    }
    fork_before();
    sim_memory_commit(agent);
    sim_process *child = sim_process_start(parent->rank, parent);
    sim_thread *thread = child != NULL ? sim_thread_start(child) : NULL;
    if (thread != NULL) {
        memcpy(&child->client, &tacho_client_process, sizeof(client_process));
        memcpy(child->sites, parent->sites, sizeof(child->sites));
        for (uint32_t i = 0; i < child->client.segment_count; i++) {
            sim_kernel_map(child->client.segments[i], child->maps);
        }
        thread->agent->client = *tacho_client_this_thread();
        thread->is_forked = child->is_forking = true;
    } else if (child != NULL) {
        child->is_used = false;
    }
    fork_parent();
}
