/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at processes. The tree is walked from this process down, so orphans, which Linux gives to
 * us, are found like all others.
 */
#include "capture/sampler.h"

#include "base/grow.h"
#include "base/launcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    COMMAND_ROOM = 1024,
    ENVIRON_ROOM = 64 << 10,
    NAME_ROOM = 160,
    ARG_MAX_COUNT = TACHO_PROCESS_ARG_COUNT,
    PERCENT = 100,
};

void tacho_sampler_init(tacho_sampler *sampler, tacho_recorder *recorder, int epoll_fd)
{
    *sampler = (tacho_sampler){
        .recorder = recorder,
        .epoll_fd = epoll_fd,
        .boot_shift_ns = tacho_process_boot_shift_ns(),
    };
}

static void free_process(tacho_sampled_process *process)
{
    if (process->pidfd >= 0) {
        close(process->pidfd);
    }
    free(process->threads);
}

void tacho_sampler_deinit(tacho_sampler *sampler)
{
    for (size_t i = 0; i < sampler->item_count; i++) {
        free_process(&sampler->items[i]);
    }
    free(sampler->items);
    tacho_proc_ids_deinit(&sampler->queue);
    tacho_proc_ids_deinit(&sampler->threads);
}

static tacho_sampled_process *find(const tacho_sampler *sampler, pid_t pid)
{
    for (size_t i = 0; i < sampler->item_count; i++) {
        if (sampler->items[i].pid == pid) {
            return &sampler->items[i];
        }
    }
    return NULL;
}

uint32_t tacho_sampler_group(const tacho_sampler *sampler, pid_t pid)
{
    const tacho_sampled_process *process = find(sampler, pid);
    return process != NULL ? process->group : TACHO_NONE;
}

/* ---- names --------------------------------------------------------------------------------- */

/* The words of a command line with blanks between them; the kernel's name where it has none. */
static tacho_str read_command(const tacho_sampled_process *process, char room[COMMAND_ROOM])
{
    size_t len = tacho_proc_read_file(process->pid, "cmdline", room, COMMAND_ROOM);
    while (len > 0 && room[len - 1] == '\0') {
        len--;
    }
    for (size_t i = 0; i < len; i++) {
        room[i] = (unsigned char)room[i] < ' ' ? ' ' : room[i];
    }
    return len > 0 ? tacho_str_make(room, len) : tacho_str_from_cstring(process->name);
}

static tacho_status read_rank(tacho_sampler *sampler, tacho_sampled_process *process)
{
    tacho_rank rank;
    char *environment = malloc(ENVIRON_ROOM);
    if (environment == NULL) {
        return tacho_no_memory();
    }
    size_t len = tacho_proc_read_file(process->pid, "environ", environment, ENVIRON_ROOM);
    bool has_rank = tacho_launcher_find_rank(tacho_str_make(environment, len), &rank);
    free(environment);
    if (len == 0) {
        return TACHO_OK; /* it ends, or exec is still at work: keep the old values */
    }
    process->launcher = 0;
    if (!has_rank) {
        return TACHO_OK;
    }
    process->rank = rank.rank;
    return tacho_dict_ensure_string(sampler->recorder->events->dict,
                                    tacho_str_from_cstring(rank.launcher), &process->launcher);
}

/* "python3 4711", "rank 3: python3 4711". */
static void put_name(const tacho_sampled_process *process, tacho_str command, char room[NAME_ROOM])
{
    tacho_str program = tacho_str_make(command.data, tacho_str_find_byte(command, ' '));
    program = tacho_str_basename(program);
    size_t shown = program.len < 64 ? program.len : 64;
    if (process->launcher != 0) {
        snprintf(room, NAME_ROOM, "rank %" PRIu64 ": %.*s %ld", process->rank, (int)shown,
                 program.data, (long)process->pid);
    } else {
        snprintf(room, NAME_ROOM, "%.*s %ld", (int)shown, program.data, (long)process->pid);
    }
}

/* Reads data that may belong to another program by now. */
static tacho_status read_names(tacho_sampler *sampler, tacho_sampled_process *process,
                               char room[NAME_ROOM])
{
    char text[COMMAND_ROOM];
    tacho_str command = read_command(process, text);
    TACHO_TRY(read_rank(sampler, process));
    put_name(process, command, room);
    return tacho_dict_ensure_string(sampler->recorder->events->dict, command, &process->command);
}

/* ---- processes ----------------------------------------------------------------------------- */

/* The group of a process and the tracks in it. */
static tacho_status make_tracks(tacho_sampler *sampler, tacho_sampled_process *process,
                                tacho_str name)
{
    tacho_recorder *recorder = sampler->recorder;
    const tacho_recorder_track group = {
        .parent = recorder->events->dict->parts[recorder->part].root,
        .track_class = TACHO_TRACK_GROUP,
        .number = process->pid,
        .may_change = true,
    };
    TACHO_TRY(tacho_recorder_ensure_track(recorder, &group, name, &process->group));
    tacho_recorder_track track = {
        .parent = process->group, .track_class = TACHO_TRACK_PHASE, .number = -1};
    TACHO_TRY(tacho_recorder_ensure_track(recorder, &track, TACHO_STR("Lifetime"), &process->life));
    track.nesting = TACHO_NESTING_ENGINE;
    TACHO_TRY(tacho_recorder_ensure_track(recorder, &track, TACHO_STR("Threads"),
                                          &process->threads_track));
    track = (tacho_recorder_track){.parent = process->group,
                                   .track_class = TACHO_TRACK_COUNTER,
                                   .unit = TACHO_UNIT_PERCENT,
                                   .number = -1};
    TACHO_TRY(tacho_recorder_ensure_track(recorder, &track, TACHO_STR("CPU (100 % = one core)"),
                                          &process->cpu_track));
    track.unit = TACHO_UNIT_BYTES;
    return tacho_recorder_ensure_track(recorder, &track, TACHO_STR("Resident memory"),
                                       &process->rss_track);
}

static void watch(const tacho_sampler *sampler, tacho_sampled_process *process)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = (uint64_t)process->pid}};
    process->pidfd = tacho_process_open_pidfd(process->pid);
    if (process->pidfd >= 0 &&
        epoll_ctl(sampler->epoll_fd, EPOLL_CTL_ADD, process->pidfd, &event) != 0) {
        close(process->pidfd);
        process->pidfd = -1; /* looks will show that it is gone */
    }
}

static tacho_status describe(tacho_sampler *sampler, tacho_sampled_process *process)
{
    char name[NAME_ROOM];
    TACHO_TRY(read_names(sampler, process, name));
    return make_tracks(sampler, process, tacho_str_from_cstring(name));
}

tacho_status tacho_sampler_add(tacho_sampler *sampler, pid_t pid, int64_t start_ns)
{
    tacho_proc_stat stat = {.parent = getpid()};
    if (sampler->item_count >= TACHO_SAMPLER_PROCESSES_MAX) {
        sampler->left_out_count++;
        return TACHO_OK;
    }
    if (!tacho_proc_read_stat(pid, 0, &stat) && start_ns < 0) {
        return TACHO_OK; /* gone already */
    }
    TACHO_TRY(tacho_grow(&sampler->items, &sampler->item_capacity, sampler->item_count + 1));
    tacho_sampled_process *process = &sampler->items[sampler->item_count];
    *process = (tacho_sampled_process){
        .pid = pid,
        .pidfd = -1,
        .parent = stat.parent,
        .start_ns = start_ns >= 0 ? start_ns : stat.start_ns + sampler->boot_shift_ns,
        .max_thread_count = 1,
    };
    process->seen_ns = process->start_ns;
    tacho_sampled_process *parent = find(sampler, (pid_t)stat.parent);
    if (parent != NULL) {
        parent->has_children = true;
    }
    memcpy(process->name, stat.name, sizeof(process->name));
    process->environment_at = stat.environment_at;
    TACHO_TRY(describe(sampler, process));
    watch(sampler, process);
    sampler->item_count++;
    sampler->seen_count++;
    return TACHO_OK;
}

/*
 * exec gives a process another name, and puts its environment elsewhere where the name stays the
 * same. That of a process that has ended is nowhere.
 */
static bool is_another_program(const tacho_sampled_process *process, const tacho_proc_stat *stat)
{
    return memcmp(process->name, stat->name, sizeof(stat->name)) != 0 ||
           (stat->environment_at != 0 && stat->environment_at != process->environment_at);
}

static tacho_status rename_process(tacho_sampler *sampler, tacho_sampled_process *process,
                                   const tacho_proc_stat *stat)
{
    char name[NAME_ROOM];
    tacho_dict *dict = sampler->recorder->events->dict;
    memcpy(process->name, stat->name, sizeof(process->name));
    process->environment_at = stat->environment_at;
    TACHO_TRY(read_names(sampler, process, name));
    return tacho_dict_ensure_string(dict, tacho_str_from_cstring(name),
                                    &dict->tracks[process->group].name);
}

/* ---- samples ------------------------------------------------------------------------------- */

/* The process's use of a core since the last look; a sample holds until the next. */
static void sample_cpu(tacho_sampler *sampler, tacho_sampled_process *process, int64_t now_ns)
{
    int64_t cpu_ns = tacho_process_cpu_ns(process->pid);
    int64_t elapsed_ns = now_ns - process->seen_ns;
    if (cpu_ns < process->cpu_ns || elapsed_ns <= 0) {
        return; /* it is gone, and its clock with it */
    }
    int64_t percent = (cpu_ns - process->cpu_ns) * PERCENT / elapsed_ns;
    if (percent != process->cpu_percent) {
        tacho_recorder_sample(sampler->recorder, process->cpu_track, process->seen_ns,
                              (double)percent);
        process->cpu_percent = percent;
    }
    process->cpu_ns = cpu_ns;
}

static void sample_memory(tacho_sampler *sampler, tacho_sampled_process *process,
                          const tacho_proc_stat *stat, int64_t now_ns)
{
    if (stat->rss_bytes != process->rss_bytes) {
        tacho_recorder_sample(sampler->recorder, process->rss_track, now_ns,
                              (double)stat->rss_bytes);
    }
    process->rss_bytes = stat->rss_bytes;
    process->max_rss_bytes =
        stat->rss_bytes > process->max_rss_bytes ? stat->rss_bytes : process->max_rss_bytes;
    process->max_thread_count = stat->thread_count > process->max_thread_count
                                    ? stat->thread_count
                                    : process->max_thread_count;
}

/* ---- threads ------------------------------------------------------------------------------- */

static void end_thread(tacho_sampler *sampler, const tacho_sampled_process *process,
                       const tacho_sampled_thread *thread, int64_t now_ns)
{
    const tacho_row row = {
        .kind = TACHO_ROW_SPAN,
        .track = process->threads_track,
        .start = thread->start_ns,
        .of = {.span = {.end = now_ns, .site = thread->site, .op = TACHO_NONE, .run = TACHO_NONE}},
    };
    tacho_recorder_store(sampler->recorder, &row);
}

static tacho_sampled_thread *find_thread(const tacho_sampled_process *process, pid_t tid)
{
    for (size_t i = 0; i < process->thread_count; i++) {
        if (process->threads[i].tid == tid) {
            return &process->threads[i];
        }
    }
    return NULL;
}

static tacho_status meet_thread(tacho_sampler *sampler, tacho_sampled_process *process, pid_t tid)
{
    tacho_proc_stat stat;
    char name[NAME_ROOM];
    tacho_sampled_thread *thread = find_thread(process, tid);
    if (thread != NULL) {
        thread->is_there = true;
        return TACHO_OK;
    }
    if (process->thread_count >= TACHO_SAMPLER_THREADS_MAX ||
        !tacho_proc_read_stat(process->pid, tid, &stat)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&process->threads, &process->thread_capacity, process->thread_count + 1));
    thread = &process->threads[process->thread_count];
    int64_t start_ns = stat.start_ns + sampler->boot_shift_ns;
    *thread = (tacho_sampled_thread){
        .tid = tid,
        .start_ns = start_ns > process->start_ns ? start_ns : process->start_ns,
        .is_there = true,
    };
    snprintf(name, sizeof(name), "%.63s %ld", stat.name, (long)tid);
    TACHO_TRY(tacho_recorder_ensure_site(sampler->recorder, tacho_str_from_cstring(name),
                                         TACHO_STR(TACHO_CATEGORY_THREAD), &thread->site));
    process->thread_count++;
    return TACHO_OK;
}

/* Threads besides the first, which exists as long as the process. */
static tacho_status look_at_threads(tacho_sampler *sampler, tacho_sampled_process *process,
                                    int64_t now_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < process->thread_count; i++) {
        process->threads[i].is_there = false;
    }
    for (size_t i = 0; i < sampler->threads.item_count; i++) {
        if (sampler->threads.items[i] != process->pid) {
            TACHO_TRY(meet_thread(sampler, process, sampler->threads.items[i]));
        }
    }
    for (size_t i = 0; i < process->thread_count; i++) {
        if (process->threads[i].is_there) {
            process->threads[kept++] = process->threads[i];
        } else {
            end_thread(sampler, process, &process->threads[i], now_ns);
        }
    }
    process->thread_count = kept;
    return TACHO_OK;
}

/* ---- looks --------------------------------------------------------------------------------- */

/* A zombie stays in the lists until its parent waits for it: it is not added again. */
static tacho_status meet(tacho_sampler *sampler, pid_t pid)
{
    tacho_proc_stat stat;
    bool is_met = pid == getpid() || find(sampler, pid) != NULL;
    bool has_ended = !is_met && tacho_proc_read_stat(pid, 0, &stat) && stat.state == 'Z';
    return is_met || has_ended ? TACHO_OK : tacho_sampler_add(sampler, pid, -1);
}

/* Looks at one process; its children go to the queue. */
static tacho_status look_at(tacho_sampler *sampler, pid_t pid)
{
    tacho_proc_stat stat;
    bool is_known = true;
    TACHO_TRY(meet(sampler, pid));
    tacho_sampled_process *process = find(sampler, pid);
    sampler->threads.item_count = 0;
    TACHO_TRY(tacho_proc_list_threads(pid, &sampler->threads));
    if (process != NULL && tacho_proc_read_stat(pid, 0, &stat)) {
        int64_t now_ns = tacho_process_now_ns();
        if (is_another_program(process, &stat)) {
            TACHO_TRY(rename_process(sampler, process, &stat));
        }
        sample_cpu(sampler, process, now_ns);
        sample_memory(sampler, process, &stat, now_ns);
        TACHO_TRY(look_at_threads(sampler, process, now_ns));
        process->seen_ns = now_ns;
    }
    TACHO_TRY(tacho_proc_list_children(pid, &sampler->threads, &sampler->queue, &is_known));
    sampler->lists_no_children = sampler->lists_no_children || !is_known;
    return TACHO_OK;
}

/* Processes without a pidfd are gone when /proc does not know them. */
static void end_missing(tacho_sampler *sampler)
{
    tacho_proc_stat stat;
    for (size_t i = sampler->item_count; i-- > 0;) {
        const tacho_sampled_process *process = &sampler->items[i];
        if (process->pidfd < 0 &&
            (!tacho_proc_read_stat(process->pid, 0, &stat) || stat.state == 'Z')) {
            tacho_sampler_end(sampler, process->pid, NULL, tacho_process_now_ns());
        }
    }
}

tacho_status tacho_sampler_look(tacho_sampler *sampler)
{
    pid_t self = getpid();
    sampler->queue.item_count = 0;
    if (!sampler->recorder->has_part) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&sampler->queue.items, &sampler->queue.item_capacity, 1));
    sampler->queue.items[sampler->queue.item_count++] = self;
    for (size_t i = 0; i < sampler->queue.item_count && i < TACHO_SAMPLER_PROCESSES_MAX; i++) {
        TACHO_TRY(look_at(sampler, sampler->queue.items[i]));
    }
    if (sampler->lists_no_children) {
        for (size_t i = 0; i < sampler->item_count; i++) {
            TACHO_TRY(look_at(sampler, sampler->items[i].pid));
        }
    }
    end_missing(sampler);
    return TACHO_OK;
}

/* ---- ends ---------------------------------------------------------------------------------- */

typedef struct arg_list {
    tacho_arg items[ARG_MAX_COUNT];
    size_t count;
    const tacho_recorder *recorder;
} arg_list;

static void add_number(arg_list *args, tacho_process_arg key, tacho_unit unit, int64_t value)
{
    args->items[args->count++] = (tacho_arg){.key = args->recorder->keys[key],
                                             .type = TACHO_ARG_INT,
                                             .unit = unit,
                                             .value = {.as_int = value}};
}

static void add_string(arg_list *args, tacho_process_arg key, uint32_t string)
{
    args->items[args->count++] = (tacho_arg){
        .key = args->recorder->keys[key], .type = TACHO_ARG_STRING, .value = {.as_string = string}};
}

/* Adds the arguments of a process at its end. */
static void add_facts(arg_list *args, const tacho_sampled_process *process,
                      const tacho_process_end *end)
{
    add_number(args, TACHO_PROCESS_ARG_PID, TACHO_UNIT_NONE, process->pid);
    add_number(args, TACHO_PROCESS_ARG_PARENT, TACHO_UNIT_NONE, process->parent);
    add_string(args, TACHO_PROCESS_ARG_COMMAND, process->command);
    if (process->launcher != 0) {
        add_string(args, TACHO_PROCESS_ARG_LAUNCHER, process->launcher);
        add_number(args, TACHO_PROCESS_ARG_RANK, TACHO_UNIT_NONE, (int64_t)process->rank);
    }
    add_number(args, TACHO_PROCESS_ARG_CPU, TACHO_UNIT_NS, process->cpu_ns);
    add_number(args, TACHO_PROCESS_ARG_RSS, TACHO_UNIT_BYTES, process->max_rss_bytes);
    add_number(args, TACHO_PROCESS_ARG_THREADS, TACHO_UNIT_COUNT, process->max_thread_count);
    if (end != NULL) {
        add_number(args, end->is_signalled ? TACHO_PROCESS_ARG_SIGNAL : TACHO_PROCESS_ARG_STATUS,
                   TACHO_UNIT_NONE, end->status);
    }
}

static tacho_status store_process(tacho_sampler *sampler, const tacho_sampled_process *process,
                                  const tacho_process_end *end, tacho_row *row)
{
    arg_list args = {.recorder = sampler->recorder};
    tacho_dict *dict = sampler->recorder->events->dict;
    add_facts(&args, process, end);
    tacho_site site = {.name = process->command, .location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR(TACHO_CATEGORY_PROCESS), &site.category));
    TACHO_TRY(tacho_dict_ensure_site(dict, &site, &row->of.span.site));
    row->args = args.items;
    row->arg_count = args.count;
    tacho_recorder_store(sampler->recorder, row);
    return TACHO_OK;
}

/* Threads end with their process, counters go to zero. */
static void close_process(tacho_sampler *sampler, const tacho_sampled_process *process,
                          const tacho_process_end *end, int64_t now_ns, uint32_t flags)
{
    tacho_row row = {
        .kind = TACHO_ROW_SPAN,
        .track = process->life,
        .start = process->start_ns,
        .of = {.span = {.end = now_ns, .op = TACHO_NONE, .run = TACHO_NONE, .flags = flags}},
    };
    for (size_t i = 0; i < process->thread_count; i++) {
        end_thread(sampler, process, &process->threads[i], now_ns);
    }
    tacho_recorder_sample(sampler->recorder, process->cpu_track, now_ns, 0);
    tacho_recorder_sample(sampler->recorder, process->rss_track, now_ns, 0);
    tacho_recorder_fail(sampler->recorder, store_process(sampler, process, end, &row));
}

/*
 * The final CPU time and memory of a process. The kernel's numbers for the waiting parent include
 * its children, so they are used only where it had none; else the clock of the process is read
 * before its parent waits for it.
 */
static void take_last_numbers(tacho_sampled_process *process, const tacho_process_end *end)
{
    int64_t cpu_ns = end == NULL ? tacho_process_cpu_ns(process->pid) : -1;
    if (end != NULL && !process->has_children) {
        cpu_ns = end->cpu_ns;
        process->max_rss_bytes = end->max_rss_bytes;
    }
    process->cpu_ns = cpu_ns > process->cpu_ns ? cpu_ns : process->cpu_ns;
}

void tacho_sampler_end(tacho_sampler *sampler, pid_t pid, const tacho_process_end *end,
                       int64_t now_ns)
{
    tacho_sampled_process *process = find(sampler, pid);
    if (process == NULL) {
        return;
    }
    take_last_numbers(process, end);
    close_process(sampler, process, end, now_ns, 0);
    free_process(process);
    *process = sampler->items[--sampler->item_count];
}

void tacho_sampler_finish(tacho_sampler *sampler, int64_t now_ns)
{
    for (size_t i = 0; i < sampler->item_count; i++) {
        close_process(sampler, &sampler->items[i], NULL, now_ns, TACHO_SPAN_UNENDED);
    }
}
