/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of programs: each reports what chance gives it through libtacho-client, and notes
 * what a capture has to have of it. Whether an event was placed in a ring is seen from the client's
 * own head; what became of it then is up to the laws.
 */
#include "kernel.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARGS_MAX = 4,
    TEXT_ROOM = 128,
    PATTERN_BYTES = 16 << 10,
    TICKS = 1 << 20,
    LAST_PAUSE_NS = 2000000
};

/* ---- what is expected ------------------------------------------------------------------------ */

uint64_t sim_hash_arg(uint64_t hash, const char *key, unsigned type, const void *value, size_t len)
{
    hash = sim_hash(hash, key, strlen(key));
    hash = sim_hash(hash, &type, sizeof(type));
    return sim_hash(hash, value, len);
}

static sim_event *expect(sim_thread *thread, sim_kind kind, unsigned stream, const char *name)
{
    tacho_status status =
        tacho_grow(&thread->events, &thread->event_capacity, thread->event_count + 1);
    if (status != TACHO_OK) {
        abort();
    }
    sim_event *event = &thread->events[thread->event_count++];
    *event = (sim_event){.kind = (uint8_t)kind,
                         .fate = SIM_PENDING,
                         .stream = (uint8_t)stream,
                         .name = (uint32_t)sim_hash_text(name)};
    return event;
}

/* A call of the client's library. */
typedef struct call {
    sim_thread *thread;
    size_t first; /* of its events */
    const tacho_wire_ring *ring;
    uint64_t head;
    bool is_off;
} call;

static call begin_call(size_t event_count)
{
    sim_thread *thread = sim.current->thread;
    const client_thread *client = tacho_client_this_thread();
    sim.event_count++;
    sim.current->first_clock_ns = 0;
    thread->is_in_call = true;
    thread->handler_heads = 0;
    return (call){.thread = thread,
                  .first = thread->event_count - event_count,
                  .ring = client->ring,
                  .head = client->head,
                  .is_off = tacho_client_process.generation == CLIENT_OFF};
}

/* The time that the call has read. */
static void set_time(sim_event *event, int64_t ns)
{
    event->start = event->start == 0 ? ns : event->start;
    event->end = event->end == 0 ? ns : event->end;
}

static void settle_owed(sim_thread *thread, bool has_ring)
{
    sim_process *process = thread->process;
    bool is_off = tacho_client_process.generation == CLIENT_OFF;
    if (has_ring || !is_off) {
        *(has_ring ? &process->dropped : &process->unplaced) += thread->owed;
        process->late_dropped += process->rank->is_finishing ? thread->owed : 0;
    }
    thread->owed = 0;
}

static void count_unplaced(sim_process *process)
{
    process->unplaced++;
    process->late_dropped += process->rank->is_finishing ? 1 : 0;
}

static void count_call(sim_process *process, bool is_placed, bool is_late)
{
    process->placed += is_placed ? 1 : 0;
    process->dropped += is_placed ? 0 : 1;
    process->late_placed += is_placed && is_late ? 1 : 0;
    process->late_dropped += !is_placed && is_late ? 1 : 0;
}

/* Notes what became of the call's events; false: there was no collector or no ring. */
static bool end_call(const call *made)
{
    sim_thread *thread = made->thread;
    sim_process *process = thread->process;
    const client_thread *client = tacho_client_this_thread();
    bool is_off = tacho_client_process.generation == CLIENT_OFF;
    thread->is_in_call = false;
    if (made->is_off || client->ring == NULL) {
        thread->event_count = made->first;
        if (!made->is_off && !is_off) {
            count_unplaced(process);
            settle_owed(thread, false);
        }
        thread->owed = 0;
        return false;
    }
    settle_owed(thread, true);
    uint64_t before = client->ring == made->ring ? made->head : thread->attach_head;
    bool is_placed = client->head - before != thread->handler_heads;
    bool is_late = process->rank->is_finishing;
    bool is_unsure = is_placed && client_header()->strings_lost > 0;
    count_call(process, is_placed, is_late);
    process->unsure += is_unsure && made->first == thread->event_count ? 1 : 0;
    for (size_t i = made->first; i < thread->event_count; i++) {
        sim_event *event = &thread->events[i];
        if (event->fate == SIM_PENDING) {
            event->fate = !is_placed ? SIM_DROPPED : is_unsure ? SIM_UNSURE : SIM_PLACED;
            event->is_late = is_late;
            event->ring = client->ring;
            event->position = client->head;
            set_time(event, sim.current->first_clock_ns);
        }
    }
    return is_placed;
}

/* The thread is killed in whatever it does. */
void sim_thread_gone(sim_thread *thread)
{
    if (thread->is_in_call) {
        thread->process->pending++;
    }
    for (size_t i = thread->event_count; i-- > 0 && i + 4 > thread->event_count;) {
        if (thread->events[i].fate == SIM_PENDING) {
            set_time(&thread->events[i], thread->agent->first_clock_ns);
        }
    }
    thread->agent = NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *pattern(void)
{
    static char text[PATTERN_BYTES];
    for (size_t i = 0; text[0] == '\0' || (i > 0 && i < sizeof(text)); i++) {
        text[i] = (char)('a' + (i * 7 + i / 26) % 26);
    }
    return text;
}

typedef struct arg_set {
    tacho_client_arg items[ARGS_MAX];
    char texts[ARGS_MAX][TEXT_ROOM];
    size_t count;
    uint64_t hash;
} arg_set;

static void add_arg(arg_set *args)
{
    static const char *const keys[] = {"k0", "k1", "bytes read", "k3"};
    tacho_client_arg *arg = &args->items[args->count];
    const void *value = &arg->value;
    size_t len = sizeof(arg->value.as_uint);
    *arg = (tacho_client_arg){.key = keys[args->count], .type = (tacho_client_type)sim_below(5)};
    arg->value.as_uint = sim_random() >> sim_below(64);
    if (arg->type == TACHO_CLIENT_REAL) {
        arg->value.as_real = (double)sim_below(1000) / 8;
    } else if (arg->type == TACHO_CLIENT_BOOL) {
        arg->value.as_uint = sim_below(2);
        len = 1;
    } else if (arg->type == TACHO_CLIENT_TEXT) {
        len = sim_below(TEXT_ROOM);
        memcpy(args->texts[args->count], pattern() + sim_below(TEXT_ROOM), len);
        arg->value.as_text = value = args->texts[args->count];
    }
    args->hash = sim_hash_arg(args->hash, arg->key, (unsigned)arg->type, value, len);
    args->count++;
}

static void make_args(arg_set *args)
{
    memset(args, 0, sizeof(*args));
    for (uint32_t count = sim_below(2) * sim_below(ARGS_MAX + 1); count > 0; count--) {
        add_arg(args);
    }
}

/* ---- zones ----------------------------------------------------------------------------------- */

static void begin_zone(sim_thread *thread)
{
    if (thread->zone_count == SIM_ZONES_MAX) {
        return;
    }
    sim_zone *zone = &thread->zones[thread->zone_count++];
    *zone = (sim_zone){.site = sim_below(SIM_SITES), .is_pending = true};
    sim.event_count++;
    thread->is_in_call = true;
    thread->handler_heads = 0;
    tacho_client_zone_begin(&zone->zone, &thread->process->sites[zone->site]);
    thread->is_in_call = false;
    settle_owed(thread, tacho_client_this_thread()->ring != NULL);
    zone->is_pending = false;
    if (zone->zone.generation == 0) { /* no collector: it is not to be found */
        if (tacho_client_process.generation != CLIENT_OFF) {
            count_unplaced(thread->process);
        }
        thread->zone_count--;
    }
}

static void end_zone(sim_thread *thread)
{
    arg_set args;
    if (thread->zone_count == 0) {
        return;
    }
    sim_zone *zone = &thread->zones[thread->zone_count - 1];
    make_args(&args);
    sim_event *event =
        expect(thread, SIM_KIND_ZONE, SIM_HOST, thread->process->sites[zone->site].name);
    event->start = (int64_t)zone->zone.start_ns;
    event->value = args.hash;
    zone->is_pending = true;
    call made = begin_call(1);
    if (args.count > 0) {
        tacho_client_zone_end_args(&zone->zone, args.items, args.count);
    } else {
        tacho_client_zone_end(&zone->zone);
    }
    end_call(&made);
    thread->zone_count--;
}

/* ---- moments --------------------------------------------------------------------------------- */

static void report_counter(sim_thread *thread)
{
    double value = (double)thread->number++;
    sim_event *event = expect(thread, SIM_KIND_COUNTER, SIM_COUNTER, thread->counter_names[0]);
    memcpy(&event->value, &value, sizeof(value));
    call made = begin_call(1);
    tacho_client_counter(&thread->counters[0], value);
    end_call(&made);
}

static void report_message(sim_thread *thread)
{
    uint32_t len = sim_chance(200) ? PATTERN_BYTES / 2 + 1000 : sim_below(sim.text_max);
    const char *text = pattern() + sim_below(100);
    sim_event *event = expect(thread, SIM_KIND_MESSAGE, SIM_HOST, "message");
    event->value = sim_hash_arg(0, "text", TACHO_CLIENT_TEXT, text, len);
    call made = begin_call(1);
    tacho_client_message(text, len);
    end_call(&made);
}

static void report_signpost(sim_thread *thread)
{
    char name[TEXT_ROOM];
    unsigned number = sim.has_many_names ? (unsigned)sim_random() : sim_below(16);
    snprintf(name, sizeof(name), "phase %u of %.*s", number, (int)sim_below(100), pattern());
    if (!sim.has_many_names) {
        snprintf(name, sizeof(name), "phase %u", number);
    }
    expect(thread, SIM_KIND_SIGNPOST, SIM_HOST, name);
    call made = begin_call(1);
    tacho_client_signpost(name);
    end_call(&made);
}

static void report_flow(sim_thread *thread)
{
    tacho_client_flow_phase phase = (tacho_client_flow_phase)sim_below(3);
    sim_event *event = expect(thread, SIM_KIND_FLOW, SIM_HOST, "");
    event->value = (sim_random() & 0xffffff) << 2 | (uint64_t)phase;
    call made = begin_call(1);
    tacho_client_flow(event->value >> 2, phase);
    end_call(&made);
}

static void report_launch(sim_thread *thread)
{
    int64_t ns = (int64_t)tacho_client_now();
    uint64_t launch = 1 + (thread->number++ & 0xffff);
    sim_event *event = expect(thread, SIM_KIND_LAUNCH, SIM_HOST, "");
    event->start = event->end = ns;
    event->value = launch;
    call made = begin_call(1);
    tacho_client_launch(launch, (uint64_t)ns);
    end_call(&made);
}

static void report_lost(sim_thread *thread)
{
    uint64_t count = 1 + sim_below(5);
    sim.event_count++;
    thread->is_in_call = true;
    tacho_client_report_lost(count);
    thread->is_in_call = false;
    const client_thread *client = tacho_client_this_thread();
    bool is_off = tacho_client_process.generation == CLIENT_OFF;
    settle_owed(thread, client->ring != NULL);
    if (client->ring != NULL) {
        thread->process->dropped += count;
        thread->process->late_dropped += is_off || thread->process->rank->is_finishing ? count : 0;
    } else if (!is_off) {
        count_unplaced(thread->process);
    }
}

/* ---- operators and devices ------------------------------------------------------------------- */

static void report_op(sim_thread *thread)
{
    arg_set args;
    int64_t start_ns = (int64_t)tacho_client_now();
    int64_t end_ns = start_ns + 1 + sim_below(1000);
    make_args(&args);
    const tacho_client_op op = {.code = "aten::mm",
                                .type = "cpu",
                                .host_start_ns = (uint64_t)start_ns,
                                .host_end_ns = (uint64_t)end_ns,
                                .call = 1,
                                .args = args.items,
                                .arg_count = args.count};
    sim_event *event = expect(thread, SIM_KIND_OP, SIM_HOST, op.code);
    event->start = start_ns;
    event->end = end_ns;
    event->value = args.hash;
    call made = begin_call(1);
    tacho_client_report_op(&op);
    end_call(&made);
}

static void report_device(sim_thread *thread)
{
    char name[TEXT_ROOM];
    snprintf(name, sizeof(name), "sim %u", thread->tid);
    call made = begin_call(0);
    if (!thread->has_device) {
        tacho_client_describe_device(thread->tid, name, 0);
        thread->has_device = end_call(&made);
        return;
    }
    int64_t ns = (int64_t)tacho_client_now();
    int64_t ticks = (int64_t)sim_below(TICKS) + ns / 2;
    uint64_t rate = sim_chance(2) ? 1000000000 : 500000000;
    tacho_client_clock_pair(thread->tid, (uint64_t)ns, (uint64_t)ticks, rate);
    if (end_call(&made)) {
        thread->has_pair = true;
        thread->pair_ns = ns;
        thread->pair_ticks = ticks;
        thread->ticks_per_second = rate;
    }
}

/* Expects the rows of |op|: the operator, and an arrow to it if it was launched. */
static size_t expect_device_op(sim_thread *thread, const tacho_client_op *op, uint64_t hash)
{
    int64_t scale = thread->ticks_per_second == 1000000000 ? 1 : 2;
    int64_t start =
        thread->pair_ns + ((int64_t)op->device_start_ticks - thread->pair_ticks) * scale;
    int64_t end = thread->pair_ns + ((int64_t)op->device_end_ticks - thread->pair_ticks) * scale;
    sim_event *event = expect(thread, SIM_KIND_OP, SIM_DEVICE, op->code);
    event->start = start;
    event->end = end;
    event->value = hash;
    if (op->launch == 0) {
        return 1;
    }
    event = expect(thread, SIM_KIND_LAUNCH, SIM_DEVICE, "");
    event->is_second = true;
    event->start = event->end = start;
    event->value = op->launch;
    return 2;
}

static void report_device_op(sim_thread *thread)
{
    arg_set args;
    uint64_t ticks = (uint64_t)thread->pair_ticks + 1 + sim_below(1000);
    make_args(&args);
    const tacho_client_op op = {.code = sim_chance(3) ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
                                                      : "gemm_f16_128x128",
                                .type = "gpu",
                                .device = thread->tid,
                                .device_start_ticks = ticks,
                                .device_end_ticks = ticks + 1 + sim_below(1000),
                                .launch = sim_below(3) * (thread->number & 0xff),
                                .args = args.items,
                                .arg_count = args.count};
    size_t count = thread->has_pair ? expect_device_op(thread, &op, args.hash) : 0;
    call made = begin_call(count);
    tacho_client_report_op(&op);
    thread->process->untimed += end_call(&made) && !thread->has_pair ? 1 : 0;
}

/* ---- handlers of signals --------------------------------------------------------------------- */

/*
 * A signal has interrupted the client, somewhere, and its handler reports. Where the client is busy
 * the event is dropped and counted, otherwise it is like any other.
 */
void sim_report_in_handler(void)
{
    sim_thread *thread = sim.current->thread;
    const client_thread *client = tacho_client_this_thread();
    bool was_busy = client->is_busy != 0;
    bool had_ring = client->ring != NULL;
    uint64_t head = client->head;
    bool is_off = tacho_client_process.generation == CLIENT_OFF;
    if (!was_busy && !had_ring) {
        return; /* the handler would be the first caller: like any other first call */
    }
    thread->is_in_handler = true;
    double value = (double)thread->number++;
    int64_t ns = sim_clock_ns(sim.current->rank);
    sim_event *event = expect(thread, SIM_KIND_COUNTER, SIM_COUNTER + 1, thread->counter_names[1]);
    size_t index = (size_t)(event - thread->events);
    memcpy(&event->value, &value, sizeof(value));
    event->start = event->end = ns;
    tacho_client_counter_at(&thread->counters[1], value, (uint64_t)ns);
    event = &thread->events[index];
    bool is_placed = !was_busy && client->head != head;
    bool is_late = thread->process->rank->is_finishing;
    bool is_unsure = is_placed && client_header()->strings_lost > 0;
    event->fate = !is_placed ? SIM_DROPPED : is_unsure ? SIM_UNSURE : SIM_PLACED;
    event->is_late = is_late;
    event->ring = client->ring;
    event->position = client->head;
    thread->handler_heads += client->head - head;
    if (had_ring && !is_off) {
        count_call(thread->process, is_placed, is_late);
    } else if (!is_off && client->generation != CLIENT_UNTRIED) {
        count_unplaced(thread->process);
    } else {
        thread->owed += was_busy && !is_off ? 1 : 0;
    }
    thread->is_in_handler = false;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void report_something(sim_thread *thread)
{
    switch (sim_below(20)) {
    case 0:
        report_message(thread);
        return;
    case 1:
        report_signpost(thread);
        return;
    case 2:
        report_flow(thread);
        return;
    case 3:
        report_launch(thread);
        return;
    case 4:
        report_op(thread);
        return;
    case 5:
        report_device(thread);
        return;
    case 6:
    case 7:
        report_device_op(thread);
        return;
    case 8:
        if (sim_chance(10)) {
            report_lost(thread);
        }
        return;
    case 9:
    case 10:
    case 11:
        report_counter(thread);
        return;
    default:
        break;
    }
    if (sim_below(16) > thread->zone_count % 64) {
        begin_zone(thread);
    } else {
        end_zone(thread);
    }
}

static bool is_last_thread(const sim_thread *thread)
{
    for (size_t i = 0; i < sim.thread_count; i++) {
        if (&sim.threads[i] != thread && sim.threads[i].process == thread->process &&
            sim.threads[i].agent != NULL) {
            return false;
        }
    }
    return true;
}

/* The thread returns: its ring is finished, and its open zones are of no interest. */
static void leave_thread(sim_thread *thread)
{
    thread->last_ring = tacho_client_this_thread()->ring;
    thread->last_position = tacho_client_this_thread()->head;
    thread->is_in_call = true;
    sim_run_thread_end();
    thread->is_in_call = false;
    thread->has_left = true;
    if (is_last_thread(thread)) {
        sim_process_end(thread->process, false, 0);
        sim_yield();
    }
    thread->agent = NULL;
}

static void run_thread(void)
{
    sim_agent *agent = sim.current;
    sim_thread *thread = agent->thread;
    if (thread->is_forked) {
        sim_run_child_handler();
        thread->process->is_forking = false;
    }
    while (!agent->is_stopping) {
        report_something(thread);
        if (sim_fails(SIM_FORK)) {
            sim_fork();
        }
        if (sim.event_count > sim.event_limit) {
            sim_wait(sim.now_ns + LAST_PAUSE_NS); /* the rest is not of interest */
        } else if (sim_chance(4)) {
            sim_wait(sim.now_ns + sim_below(8 * sim.step_ns + 1));
        } else if (sim_chance(2)) {
            sim_yield();
        }
    }
    if (thread->is_first) {
        sim_process_end(thread->process, false, (int)sim_below(3));
        sim_yield();
    }
    leave_thread(thread);
}

sim_thread *sim_thread_start(sim_process *process)
{
    if (sim.thread_count == SIM_THREADS_MAX) {
        return NULL;
    }
    sim_agent *agent = sim_agent_start(process->rank, run_thread);
    if (agent == NULL) {
        return NULL;
    }
    sim_thread *thread = &sim.threads[sim.thread_count++];
    sim_event *events = thread->events;
    size_t capacity = thread->event_capacity;
    *thread = (sim_thread){.tid = 100 + process->rank->next_tid++,
                           .process = process,
                           .agent = agent,
                           .events = events,
                           .event_capacity = capacity};
    for (unsigned i = 0; i < SIM_COUNTERS; i++) {
        snprintf(thread->counter_names[i], sizeof(thread->counter_names[i]), "c%u-%u", thread->tid,
                 i);
        thread->counters[i] =
            (tacho_client_site){.name = thread->counter_names[i], .category = "count"};
    }
    agent->process = process;
    agent->thread = thread;
    agent->client = (client_thread){0};
    return thread;
}
