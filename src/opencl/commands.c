/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command has an event, the program's or one of our own. When it has ended, a callback of the
 * driver reports it. Drivers may call late, and a program that has waited for its results may exit
 * before: so commands are also in a list, which calls that wait look through. The first of the two
 * to find it reports it.
 */
#include "opencl/commands.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SWEEP_LEAST = 1024, ARGS_MAX = 12, SIZES_ROOM = 72, MESSAGE_ROOM = 256 };
enum { REPORT_LOOKS = 100, REPORT_WAITS = 2000, REPORT_WAIT_NS = 100000 }; /* at most 0.2 s */

/* A command that may not have ended yet. */
typedef struct pending_command {
    struct pending_command *next; /* in the list */
    tacho_cl_handle event;        /* a reference of ours */
    _Atomic int user_count;       /* the list, and the callback */
    atomic_bool is_reported;
    uint32_t device, queue_number;
    uint64_t launch, before_ns, after_ns;
    tacho_cl_command_facts facts;
} pending_command;

static struct {
    pthread_mutex_t lock;
    pending_command *first;
    size_t count, sweep_count; /* how many there are, and at how many it is looked through */
    _Atomic uint64_t launch_count;
    _Atomic int reporting_count; /* threads that may be at a report */
} pending = {.lock = PTHREAD_MUTEX_INITIALIZER, .sweep_count = SWEEP_LEAST};

/* ---- functions below ----------------------------------------------------------------------- */

typedef int32_t get_info(tacho_cl_handle event, uint32_t param, size_t size, void *value,
                         size_t *out_size);
typedef int32_t count_event(tacho_cl_handle event);
typedef void event_callback(tacho_cl_handle event, int32_t status, void *self);
typedef int32_t set_callback(tacho_cl_handle event, int32_t status, event_callback *callback,
                             void *self);

static bool get_time(tacho_cl_handle event, uint32_t param, uint64_t *out_ns)
{
    get_info *next = (get_info *)tacho_cl_next(TACHO_CL_AT_GetEventProfilingInfo);
    return next(event, param, sizeof(*out_ns), out_ns, NULL) == TACHO_CL_SUCCESS;
}

static void release_event(tacho_cl_handle event)
{
    ((count_event *)tacho_cl_next(TACHO_CL_AT_ReleaseEvent))(event);
}

/* ---- reports ------------------------------------------------------------------------------- */

static tacho_client_arg number_arg(const char *key, tacho_client_unit unit, uint64_t value)
{
    return (tacho_client_arg){
        .key = key, .type = TACHO_CLIENT_UINT, .unit = unit, .value = {.as_uint = value}};
}

/* "64x64x1" */
static void put_sizes(char room[SIZES_ROOM], const size_t *sizes, uint32_t count)
{
    size_t len = 0;
    room[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        len += (size_t)snprintf(room + len, SIZES_ROOM - len, "%s%zu", i > 0 ? "x" : "", sizes[i]);
    }
}

/* Arguments for the sizes of a kernel. */
typedef struct size_texts {
    char global[SIZES_ROOM], local[SIZES_ROOM], offset[SIZES_ROOM];
} size_texts;

static size_t add_sizes(const tacho_cl_command_facts *facts, size_texts *texts,
                        tacho_client_arg *args)
{
    const struct {
        const char *key;
        char *room;
        const size_t *sizes;
        bool is_there;
    } rows[] = {
        {"global_size", texts->global, facts->global, true},
        {"local_size", texts->local, facts->local, facts->has_local},
        {"global_offset", texts->offset, facts->offset, facts->has_offset},
    };
    size_t count = 0;
    for (size_t i = 0; facts->dimensions > 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].is_there) {
            put_sizes(rows[i].room, rows[i].sizes, facts->dimensions);
            args[count++] = (tacho_client_arg){
                .key = rows[i].key, .type = TACHO_CLIENT_TEXT, .value = {.as_text = rows[i].room}};
        }
    }
    return count;
}

static void report_times(const pending_command *command, const tacho_cl_times *times)
{
    const tacho_cl_command_facts *facts = &command->facts;
    tacho_client_arg args[ARGS_MAX];
    size_texts texts;
    size_t count = add_sizes(facts, &texts, args);
    if (facts->has_bytes) {
        args[count++] = number_arg("bytes", TACHO_CLIENT_BYTES, facts->bytes);
    }
    args[count++] = number_arg("queue", TACHO_CLIENT_NO_UNIT, command->queue_number);
    if (times->submit >= times->queued) { /* drivers that mix them up have no such delay */
        args[count++] =
            number_arg("queued_to_submit", TACHO_CLIENT_NS, times->submit - times->queued);
    }
    if (times->start >= times->submit) {
        args[count++] =
            number_arg("submit_to_start", TACHO_CLIENT_NS, times->start - times->submit);
    }
    args[count++] = number_arg("device_queued", TACHO_CLIENT_NS, times->queued);
    args[count++] = number_arg("device_submit", TACHO_CLIENT_NS, times->submit);
    args[count++] = number_arg("device_start", TACHO_CLIENT_NS, times->start);
    args[count++] = number_arg("device_end", TACHO_CLIENT_NS, times->end);
    const tacho_client_op op = {
        .code = facts->name,
        .type = "opencl",
        .call = command->launch,
        .device = command->device,
        .device_start_ticks = times->start,
        .device_end_ticks = times->end,
        .args = args,
        .arg_count = count,
        .queue = command->queue_number,
        .engine = facts->engine,
        .launch = command->launch,
    };
    tacho_cl_device_say_clock(command->device, times);
    tacho_client_report_op(&op);
}

static void report_failure(const pending_command *command, int32_t status)
{
    char text[MESSAGE_ROOM];
    int len = status < 0 ? snprintf(text, sizeof(text), "OpenCL command '%s' failed: error %d",
                                    command->facts.name, (int)status)
                         : snprintf(text, sizeof(text), "OpenCL command '%s' has no times",
                                    command->facts.name);
    tacho_client_message(text, (size_t)len);
}

static void report_first(const pending_command *command, int32_t status)
{
    tacho_cl_times times = {.before = command->before_ns, .after = command->after_ns};
    tacho_cl_handle event = command->event;
    times.seen = tacho_client_now();
    if (status >= 0 && get_time(event, TACHO_CL_PROFILING_COMMAND_QUEUED, &times.queued) &&
        get_time(event, TACHO_CL_PROFILING_COMMAND_SUBMIT, &times.submit) &&
        get_time(event, TACHO_CL_PROFILING_COMMAND_START, &times.start) &&
        get_time(event, TACHO_CL_PROFILING_COMMAND_END, &times.end) && times.end >= times.start &&
        times.queued > 0) {
        report_times(command, &times);
    } else {
        report_failure(command, status);
    }
}

/* The command has ended with |status|. */
static void report(pending_command *command, int32_t status)
{
    atomic_fetch_add(&pending.reporting_count, 1);
    if (!atomic_exchange(&command->is_reported, true)) {
        report_first(command, status);
    }
    atomic_fetch_sub(&pending.reporting_count, 1);
}

/* Another thread may have been first, and not be done when this one goes on and exits. */
static void wait_for_reports(void)
{
    const struct timespec pause = {.tv_nsec = REPORT_WAIT_NS};
    for (int i = 0; i < REPORT_WAITS && atomic_load(&pending.reporting_count) > 0; i++) {
        if (i < REPORT_LOOKS) {
            sched_yield();
        } else {
            nanosleep(&pause, NULL);
        }
    }
}

/* ---- the list ------------------------------------------------------------------------------ */

/* Releases the event with its last user. */
static void drop(pending_command *command)
{
    if (atomic_fetch_sub(&command->user_count, 1) == 1) {
        release_event(command->event);
        free(command);
    }
}

static void on_end(tacho_cl_handle event, int32_t status, void *self)
{
    (void)event;
    report(self, status);
    drop(self);
}

static pending_command *take_list(void)
{
    pthread_mutex_lock(&pending.lock);
    pending_command *list = pending.first;
    pending.first = NULL;
    pending.count = 0;
    pthread_mutex_unlock(&pending.lock);
    return list;
}

static bool add_to_list(pending_command *first, pending_command *last, size_t count)
{
    pthread_mutex_lock(&pending.lock);
    last->next = pending.first;
    pending.first = first;
    pending.count += count;
    bool is_long = pending.count >= pending.sweep_count;
    pthread_mutex_unlock(&pending.lock);
    return is_long;
}

/* Whether the command is reported, now if it has just ended. */
static bool has_ended(pending_command *command)
{
    get_info *next = (get_info *)tacho_cl_next(TACHO_CL_AT_GetEventInfo);
    int32_t status = 0;
    if (atomic_load(&command->is_reported)) {
        return true;
    }
    if (next(command->event, TACHO_CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
             NULL) != TACHO_CL_SUCCESS ||
        status > TACHO_CL_COMPLETE) {
        return false;
    }
    report(command, status);
    return true;
}

/* No lock is held while the driver is called: a callback of its may be waiting for us. */
static void sweep(void)
{
    pending_command *first = NULL;
    pending_command *last = NULL;
    size_t count = 0;
    for (pending_command *at = take_list(), *next; at != NULL; at = next) {
        next = at->next;
        if (has_ended(at)) {
            drop(at);
            continue;
        }
        at->next = first;
        first = at;
        last = last == NULL ? at : last;
        count++;
    }
    if (first != NULL) {
        add_to_list(first, last, count);
    }
    pthread_mutex_lock(&pending.lock);
    pending.sweep_count = count * 2 > SWEEP_LEAST ? count * 2 : SWEEP_LEAST;
    pthread_mutex_unlock(&pending.lock);
}

void tacho_cl_commands_sweep(void)
{
    sweep();
    wait_for_reports();
}

/* ---- calls --------------------------------------------------------------------------------- */

void tacho_cl_command_begin(tacho_cl_command *command, tacho_cl_call call, tacho_cl_handle queue,
                            tacho_cl_handle *event)
{
    *command = (tacho_cl_command){.queue = queue};
    command->event = event != NULL ? event : &command->own_event;
    tacho_client_zone_begin(&command->zone, tacho_cl_site(call));
    command->before_ns = tacho_client_now();
}

/* The command as one that may last; NULL where there is nothing to know of it. */
static pending_command *make_pending(const tacho_cl_command *command,
                                     const tacho_cl_command_facts *facts)
{
    const tacho_cl_queue queue = tacho_cl_queue_find(command->queue);
    bool is_ours = command->event == &command->own_event;
    tacho_cl_handle event = *command->event;
    pending_command *made = event != NULL && queue.is_timed && queue.device < TACHO_CL_DEVICES_MAX
                                ? calloc(1, sizeof(*made))
                                : NULL;
    if (made == NULL) {
        if (is_ours && event != NULL) {
            release_event(event);
        }
        return NULL;
    }
    if (!is_ours) {
        ((count_event *)tacho_cl_next(TACHO_CL_AT_RetainEvent))(event);
    }
    made->event = event;
    made->user_count = 2;
    made->device = queue.device;
    made->queue_number = queue.number;
    made->before_ns = command->before_ns;
    made->launch = atomic_fetch_add(&pending.launch_count, 1) + 1;
    made->facts = *facts;
    return made;
}

static void follow(pending_command *command)
{
    set_callback *next = (set_callback *)tacho_cl_next(TACHO_CL_AT_SetEventCallback);
    bool is_blocking = command->facts.is_blocking;
    if (next(command->event, TACHO_CL_COMPLETE, on_end, command) != TACHO_CL_SUCCESS) {
        command->user_count = 1;
    }
    if (add_to_list(command, command, 1)) {
        sweep();
    }
    if (is_blocking) {
        tacho_cl_commands_sweep();
    }
}

int32_t tacho_cl_command_end(tacho_cl_command *command, const tacho_cl_command_facts *facts,
                             int32_t status)
{
    uint64_t after_ns = tacho_client_now();
    pending_command *made = status == TACHO_CL_SUCCESS ? make_pending(command, facts) : NULL;
    if (made != NULL) {
        made->after_ns = after_ns;
        tacho_client_launch(made->launch, made->before_ns);
    }
    tacho_client_zone_end(&command->zone);
    if (made != NULL) {
        follow(made);
    }
    return status;
}

tacho_cl_command_facts tacho_cl_transfer(const char *name, tacho_client_engine engine,
                                         uint64_t bytes, bool is_blocking)
{
    tacho_cl_command_facts facts = {
        .engine = engine, .has_bytes = true, .bytes = bytes, .is_blocking = is_blocking};
    snprintf(facts.name, sizeof(facts.name), "%s", name);
    return facts;
}

uint64_t tacho_cl_volume(const size_t sizes[TACHO_CL_DIMENSIONS])
{
    uint64_t volume = 1;
    for (size_t i = 0; i < TACHO_CL_DIMENSIONS; i++) {
        if (__builtin_mul_overflow(volume, sizes[i], &volume)) {
            return UINT64_MAX;
        }
    }
    return volume;
}
