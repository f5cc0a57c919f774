/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One message at a time: a request of the host is executed, and its answer is sent. A failure is an
 * answer, too; only a host that is gone, or that sends an invalid message, ends it. A second thread
 * does nothing but send signs of life: often while the host waits, and now and then while it does
 * not, as a connection that is dead is found by writing to it.
 */
#include "remote/serve.h"

#include "device/clock.h"
#include "graph/gate.h"
#include "program/container.h"
#include "remote/lock.h"
#include "remote/result.h"

#include <pthread.h>
#include <sys/utsname.h>
#include <tacho/version.h>
#include <time.h>

enum { LOCK_POLL_MS = 100, IDLE_BEAT_S = 30, BEATS = 4 };

/* Signs of life. The mutex is held while a message is sent. */
typedef struct pulse {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_started, is_busy, is_over;
    uint64_t silence_s; /* how long the host listens to silence */
} pulse;

typedef struct board {
    const tacho_wire *wire;
    tacho_board_line *line;
    pulse pulse;
    int64_t started_ns;
    tacho_board_lock lock;
    bool is_claimed;
    bool is_done;
    tacho_device_options options;
    tacho_arena arena;
    const char *device_name;
    tacho_bytes program_bytes;
    tacho_program program;
    bool has_program;
    tacho_device *device;
    tacho_wire_message message;
    tacho_bytes reply;
    tacho_wire_type reply_type;
    tacho_str reply_more; /* of the payload, after |reply| */
} board;

const char *tacho_board_machine(void)
{
#if defined(__aarch64__)
    return "aarch64";
#elif defined(__x86_64__)
    return "x86_64";
#else
    return "unknown";
#endif
}

static uint64_t elapsed_ns(const board *self)
{
    return (uint64_t)(tacho_now_ns() - self->started_ns);
}

static tacho_str payload_of(const board *self)
{
    return tacho_bytes_view(&self->message.payload);
}

static bool send_reply(board *self)
{
    pthread_mutex_lock(&self->pulse.mutex);
    bool is_sent = tacho_wire_send(self->wire, self->reply_type, elapsed_ns(self),
                                   tacho_bytes_view(&self->reply), self->reply_more);
    pthread_mutex_unlock(&self->pulse.mutex);
    return is_sent;
}

/* ---- signs of life ------------------------------------------------------------------------- */

static struct timespec next_beat(const pulse *self)
{
    struct timespec moment;
    uint64_t ms = self->silence_s * 1000 / BEATS;
    uint64_t pause_ms = self->is_busy && ms < IDLE_BEAT_S * 1000 ? ms : IDLE_BEAT_S * 1000;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    uint64_t ns = (uint64_t)moment.tv_nsec + pause_ms % 1000 * 1000000;
    moment.tv_sec += (time_t)(pause_ms / 1000 + ns / 1000000000);
    moment.tv_nsec = (long)(ns % 1000000000);
    return moment;
}

static void *beat(void *user)
{
    board *self = user;
    pulse *life = &self->pulse;
    pthread_mutex_lock(&life->mutex);
    bool is_there = true;
    while (!life->is_over && is_there) {
        const struct timespec moment = next_beat(life);
        if (pthread_cond_timedwait(&life->changed, &life->mutex, &moment) != 0 && !life->is_over) {
            is_there = tacho_wire_send(self->wire, TACHO_WIRE_ALIVE, elapsed_ns(self),
                                       TACHO_STR(""), TACHO_STR(""));
        }
    }
    pthread_mutex_unlock(&life->mutex);
    return NULL;
}

static void init_pulse(pulse *life)
{
    pthread_condattr_t facts;
    pthread_condattr_init(&facts);
    pthread_condattr_setclock(&facts, CLOCK_MONOTONIC);
    pthread_cond_init(&life->changed, &facts);
    pthread_condattr_destroy(&facts);
    pthread_mutex_init(&life->mutex, NULL);
}

/* Whether the host waits for an answer. */
static void set_busy(board *self, bool is_busy)
{
    pthread_mutex_lock(&self->pulse.mutex);
    self->pulse.is_busy = is_busy;
    pthread_cond_signal(&self->pulse.changed);
    pthread_mutex_unlock(&self->pulse.mutex);
}

/* Without the thread no signs of life are sent; the host then waits for its full silence limit. */
static void start_pulse(board *self, uint64_t silence_s)
{
    self->pulse.silence_s = silence_s;
    self->pulse.is_started = pthread_create(&self->pulse.thread, NULL, beat, self) == 0;
}

static void end_pulse(board *self)
{
    pthread_mutex_lock(&self->pulse.mutex);
    self->pulse.is_over = true;
    pthread_cond_signal(&self->pulse.changed);
    pthread_mutex_unlock(&self->pulse.mutex);
    if (self->pulse.is_started) {
        pthread_join(self->pulse.thread, NULL);
    }
    pthread_mutex_destroy(&self->pulse.mutex);
    pthread_cond_destroy(&self->pulse.changed);
}

/* ---- the lock ------------------------------------------------------------------------------ */

static void sleep_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* Answers BUSY, once; a host that waits gets a second answer when it is its turn. */
static tacho_status wait_for_lock(board *self, tacho_str who, uint64_t wait_s)
{
    char holder[TACHO_BOARD_HOLDER_BYTES] = "";
    int64_t until_ns = tacho_now_ns() + (int64_t)wait_s * 1000000000;
    bool is_told = false;
    TACHO_TRY(tacho_board_lock_try(&self->lock, who, &self->is_claimed, holder));
    while (!self->is_claimed && tacho_now_ns() < until_ns) {
        if (!is_told) {
            is_told = true;
            self->reply_type = TACHO_WIRE_BUSY;
            TACHO_TRY(tacho_wire_put_text(&self->reply, tacho_str_from_cstring(holder)));
            self->is_done = !send_reply(self);
            self->reply.len = 0;
        }
        sleep_ms(LOCK_POLL_MS);
        TACHO_TRY(tacho_board_lock_try(&self->lock, who, &self->is_claimed, holder));
    }
    self->reply_type = self->is_claimed ? TACHO_WIRE_GRANTED : TACHO_WIRE_BUSY;
    return self->is_claimed ? TACHO_OK
                            : tacho_wire_put_text(&self->reply, tacho_str_from_cstring(holder));
}

static tacho_status take_claim(board *self)
{
    enum { WAIT_MAX_S = 1000000 };
    tacho_wire_reader reader = {.bytes = payload_of(self)};
    uint64_t wait_s = tacho_wire_get(&reader, 8);
    uint64_t silence_s = tacho_wire_get(&reader, 8);
    tacho_str who = tacho_wire_get_text(&reader);
    reader.is_bad |= silence_s == 0 || silence_s > TACHO_WIRE_SILENCE_MAX_S;
    TACHO_TRY(tacho_wire_end(&reader, TACHO_WIRE_CLAIM));
    if (self->lock.fd >= 0) {
        return tacho_fail(TACHO_CODE_USAGE, "the board has been claimed before");
    }
    TACHO_TRY(tacho_board_lock_open(&self->lock));
    self->line->silence_s = silence_s * TACHO_WIRE_PATIENCE;
    start_pulse(self, silence_s);
    return wait_for_lock(self, who, wait_s < WAIT_MAX_S ? wait_s : WAIT_MAX_S);
}

/* ---- the program --------------------------------------------------------------------------- */

static tacho_status take_load(board *self)
{
    tacho_str name;
    tacho_str copy;
    TACHO_TRY(tacho_wire_get_load(payload_of(self), &name, &self->options));
    TACHO_TRY(tacho_arena_copy(&self->arena, name, &copy));
    self->device_name = copy.data;
    self->options.gate = &tacho_infer_gate;
    self->reply_type = TACHO_WIRE_DONE;
    return TACHO_OK;
}

static tacho_status read_program(board *self)
{
    tacho_qpc qpc;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_qpc_read_named("the program", tacho_bytes_view(&self->program_bytes), &arena, &qpc);
    if (status == TACHO_OK) {
        self->has_program = true;
        status = tacho_program_read_from(&qpc, &self->program);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status take_program(board *self)
{
    if (self->device_name == NULL || self->has_program) {
        return tacho_fail(TACHO_CODE_USAGE, "a program was sent out of turn");
    }
    self->program_bytes = self->message.payload;
    self->message.payload = (tacho_bytes){0};
    TACHO_TRY(read_program(self));
    TACHO_TRY(tacho_device_open(tacho_str_from_cstring(self->device_name), &self->options,
                                &self->device));
    TACHO_TRY(self->device->type->load(self->device, &self->program));
    self->reply_type = TACHO_WIRE_LOADED;
    return tacho_wire_put_loaded(&self->reply, self->device);
}

/* ---- inferences ---------------------------------------------------------------------------- */

static tacho_status check_loaded(const board *self, bool needs_values)
{
    return self->device == NULL || self->device->program == NULL
               ? tacho_fail(TACHO_CODE_USAGE, "no program has been loaded")
           : needs_values && !tacho_device_has_values(self->device)
               ? tacho_fail(TACHO_CODE_USAGE, "no values are computed")
               : TACHO_OK;
}

static tacho_status take_input(board *self)
{
    uint64_t index;
    tacho_array value;
    TACHO_TRY(check_loaded(self, true));
    TACHO_TRY(tacho_wire_get_array(payload_of(self), TACHO_WIRE_INPUT, &index, &value));
    if (index >= self->program.input_count) {
        return tacho_fail(TACHO_CODE_USAGE, "there is no input %llu", (unsigned long long)index);
    }
    self->reply_type = TACHO_WIRE_DONE;
    return tacho_device_set_input(self->device, (size_t)index, &value);
}

static tacho_status take_run(board *self)
{
    uint64_t inference;
    uint64_t records;
    tacho_device_result result = {.cycles = -1};
    TACHO_TRY(check_loaded(self, false));
    TACHO_TRY(tacho_wire_get_pair(payload_of(self), TACHO_WIRE_RUN, &inference, &records));
    TACHO_TRY(self->device->type->run(self->device, inference, records != 0, &result));
    self->reply_type = TACHO_WIRE_RESULT;
    return tacho_wire_put_result(&self->reply, &self->program, &result);
}

static tacho_status take_output(board *self)
{
    uint64_t index;
    uint64_t unused;
    tacho_array value;
    size_t len = 0;
    TACHO_TRY(check_loaded(self, true));
    TACHO_TRY(tacho_wire_get_pair(payload_of(self), TACHO_WIRE_OUTPUT, &index, &unused));
    if (index >= self->program.output_count) {
        return tacho_fail(TACHO_CODE_USAGE, "there is no output %llu", (unsigned long long)index);
    }
    TACHO_TRY(tacho_device_output(self->device, (size_t)index, &value));
    if (!tacho_wire_array_bytes(&value, &len)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "output %llu has no bytes that can be sent",
                          (unsigned long long)index);
    }
    self->reply_type = TACHO_WIRE_VALUE;
    self->reply_more = tacho_str_make(value.data, len);
    return tacho_wire_put_array(&self->reply, index, &value);
}

static tacho_status take_end(board *self)
{
    self->is_done = true;
    self->reply_type = TACHO_WIRE_DONE;
    return TACHO_OK;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static tacho_status answer(board *self)
{
    static tacho_status (*const takers[TACHO_WIRE_TYPE_COUNT])(board *) = {
        [TACHO_WIRE_CLAIM] = take_claim,     [TACHO_WIRE_LOAD] = take_load,
        [TACHO_WIRE_PROGRAM] = take_program, [TACHO_WIRE_INPUT] = take_input,
        [TACHO_WIRE_RUN] = take_run,         [TACHO_WIRE_OUTPUT] = take_output,
        [TACHO_WIRE_END] = take_end,
    };
    tacho_wire_type type = self->message.type;
    if (takers[type] == NULL || (type != TACHO_WIRE_CLAIM && !self->is_claimed)) {
        return tacho_fail(TACHO_CODE_USAGE, "the message %s came out of turn",
                          tacho_wire_type_name(type));
    }
    return takers[type](self);
}

/* Replaces the reply so far; without memory for its text, a failure is still one. */
static void put_failure(board *self, tacho_status failure)
{
    self->reply.len = 0;
    self->reply_more = TACHO_STR("");
    self->reply_type = TACHO_WIRE_FAILED;
    tacho_status status = tacho_wire_put_failure(&self->reply, failure);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        self->reply.len = 0;
    }
    tacho_status_free(failure);
}

static bool answer_next(board *self)
{
    bool is_end = false;
    self->line->may_idle = self->is_claimed;
    set_busy(self, false);
    tacho_status status = tacho_wire_receive(self->wire, &self->message, &is_end);
    set_busy(self, true);
    if (is_end) {
        tacho_status_free(status);
        return false;
    }
    self->is_done = status != TACHO_OK;
    self->reply.len = 0;
    self->reply_more = TACHO_STR("");
    status = status != TACHO_OK ? status : answer(self);
    if (status != TACHO_OK) {
        put_failure(self, status);
    }
    return send_reply(self) && !self->is_done;
}

static bool say_hello(board *self)
{
    struct utsname names;
    bool has_names = uname(&names) == 0;
    const tacho_wire_hello hello = {
        .protocol = TACHO_WIRE_PROTOCOL,
        .version = TACHO_STR(TACHO_VERSION),
        .machine = tacho_str_from_cstring(has_names ? names.machine : tacho_board_machine()),
    };
    self->reply_type = TACHO_WIRE_HELLO;
    tacho_status status = tacho_wire_put_hello(&self->reply, &hello);
    if (status != TACHO_OK) {
        put_failure(self, status);
    }
    return send_reply(self);
}

int tacho_board_serve(const tacho_wire *wire, tacho_board_line *line)
{
    board self = {.wire = wire, .line = line, .started_ns = tacho_now_ns(), .lock = {.fd = -1}};
    line->silence_s = TACHO_WIRE_SILENCE_S * TACHO_WIRE_PATIENCE;
    tacho_arena_init(&self.arena);
    init_pulse(&self.pulse);
    bool goes_on = say_hello(&self);
    while (goes_on) {
        goes_on = answer_next(&self);
    }
    end_pulse(&self);
    tacho_device_close(self.device);
    if (self.has_program) {
        tacho_program_deinit(&self.program);
    }
    tacho_board_lock_close(&self.lock);
    tacho_bytes_deinit(&self.program_bytes);
    tacho_bytes_deinit(&self.message.payload);
    tacho_bytes_deinit(&self.reply);
    tacho_arena_deinit(&self.arena);
    return self.is_done ? 0 : 1;
}
