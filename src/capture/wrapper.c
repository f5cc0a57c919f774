/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, one epoll: signals, ends of processes, programs that report something, and the next
 * moment at which something is due.
 *
 * Looks at /proc are 10 ms apart at first. In long runs they are rarer (a five hundredth of the
 * time so far, a second at most), and their cost is limited, too: they take no more than a
 * fiftieth of a processor.
 */
#include "capture/wrapper.h"

#include "capture/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENT_COUNT = 64,
    LOOKS_PER_RUN = 500,
    COST_SHARE = 50,
    EVENT_SIGNALS = 0, /* data of the signal descriptor; others have a pid there */
};

static const int64_t ms_ns = 1000000;
static const int64_t look_least_ns = 10 * 1000000;
static const int64_t look_most_ns = 1000 * 1000000LL;
static const int64_t seal_ns = 250 * 1000000;
static const int64_t live_period_ns = 1000 * 1000000LL;
static const int64_t patience_ns = 5000 * 1000000LL; /* between SIGTERM and SIGKILL */

typedef struct wrapper {
    const tacho_wrapper_request *request;
    tacho_wrapper_result *result;
    tacho_process_signals signals;
    int signal_fd, epoll_fd;
    tacho_process main;
    tacho_recorder recorder;
    tacho_sampler sampler;
    tacho_way *ways[TACHO_WAYS_MAX];
    int64_t drain_at_ns[TACHO_WAYS_MAX];
    size_t way_count;
    bool has_ended;
    int64_t look_at_ns, seal_at_ns, stop_at_ns; /* times of the next actions */
    int stop_signal;                            /* that is sent then */
    int64_t live_ns;                            /* of the last report */
    uint64_t live_count;                        /* events by then */
} wrapper;

/* ---- ways ---------------------------------------------------------------------------------- */

static void end_in_ways(wrapper *self, pid_t pid, int64_t now_ns)
{
    for (size_t i = 0; i < self->way_count; i++) {
        if (self->ways[i]->type->end != NULL) {
            self->ways[i]->type->end(self->ways[i], pid, now_ns);
        }
    }
}

static void drain_ways(wrapper *self, int64_t now_ns)
{
    for (size_t i = 0; i < self->way_count; i++) {
        if (now_ns >= self->drain_at_ns[i]) {
            self->drain_at_ns[i] = self->ways[i]->type->drain(self->ways[i], now_ns);
        }
    }
}

/* An epoll event of a way. There may be something to drain then. */
static void handle_way(wrapper *self, uint64_t data)
{
    size_t index = (size_t)(data / TACHO_WAY_EVENTS) - 1;
    if (index < self->way_count) {
        self->ways[index]->type->handle(self->ways[index], data % TACHO_WAY_EVENTS);
        self->drain_at_ns[index] = 0;
    }
}

static void finish_ways(wrapper *self, int64_t now_ns)
{
    tacho_wrapper_result *result = self->result;
    for (size_t i = 0; i < self->way_count; i++) {
        tacho_way *way = self->ways[i];
        way->type->finish(way, now_ns);
        tacho_way_counts *counts = &result->ways[result->way_count++];
        *counts = (tacho_way_counts){.name = way->type->name, .needs = way->type->needs};
        way->type->count(way, counts);
        if (way->type == &tacho_way_client) {
            result->clients = tacho_way_client_counts(way);
        }
    }
}

static void close_ways(wrapper *self)
{
    for (size_t i = 0; i < self->way_count; i++) {
        self->ways[i]->type->close(self->ways[i]);
    }
    self->way_count = 0;
}

/* A way that cannot be used does not stop the program from running, unless a port was requested. */
static tacho_status open_ways(wrapper *self)
{
    const tacho_way_type *const *types = tacho_way_types();
    for (size_t i = 0; types[i] != NULL && i < TACHO_WAYS_MAX; i++) {
        const tacho_way_context context = {
            .recorder = &self->recorder,
            .sampler = &self->sampler,
            .epoll_fd = self->epoll_fd,
            .event_base = TACHO_WAY_EVENTS * (self->way_count + 1),
            .stats_level = self->request->stats_level,
            .port = self->request->port,
            .omits_tracy = self->request->omits_tracy,
            .tracy_port = self->request->tracy_port,
        };
        tacho_status status = types[i]->open(&context, &self->ways[self->way_count]);
        if (status != TACHO_OK && (self->request->port >= 0 || self->request->tracy_port > 0)) {
            return status;
        }
        if (status != TACHO_OK) {
            self->result->collect_error = tacho_status_first(self->result->collect_error, status);
            continue;
        }
        if (self->ways[self->way_count] == NULL) {
            continue; /* not available on this system */
        }
        self->way_count++;
        if (types[i] == &tacho_way_client) {
            self->result->port = tacho_way_client_port(self->ways[self->way_count - 1]);
        }
    }
    return TACHO_OK;
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void end_main(wrapper *self, const tacho_process_end *end, int64_t now_ns)
{
    tacho_wrapper_result *result = self->result;
    self->has_ended = true;
    result->elapsed_ns = now_ns - self->main.started_ns;
    result->cpu_ns = end->cpu_ns;
    result->is_signalled = end->is_signalled;
    result->exit_status = end->is_signalled ? TACHO_WRAPPER_SIGNAL + end->status : end->status;
    if (result->is_timed_out) {
        result->exit_status = TACHO_WRAPPER_TIMED_OUT;
    }
}

/* Takes the status of |pid|, or of all children that have ended where it is -1. */
static void take_ends(wrapper *self, pid_t pid)
{
    tacho_process_end end;
    for (pid_t ended; (ended = tacho_process_take_end(pid, &end)) > 0;) {
        int64_t now_ns = tacho_process_now_ns();
        if (ended == self->main.pid) {
            end_main(self, &end, now_ns);
        } else if (tacho_sampler_group(&self->sampler, ended) == TACHO_NONE) {
            self->result->unseen_count++;
        }
        end_in_ways(self, ended, now_ns);
        tacho_sampler_end(&self->sampler, ended, &end, now_ns);
    }
}

/* A process that is not our child has ended, or one that is. */
static void handle_end(wrapper *self, pid_t pid)
{
    int64_t now_ns = tacho_process_now_ns();
    take_ends(self, pid);
    end_in_ways(self, pid, now_ns);
    tacho_sampler_end(&self->sampler, pid, NULL, now_ns);
}

/* ---- signals ------------------------------------------------------------------------------- */

static void handle_signals(wrapper *self)
{
    tacho_process_signal signal_;
    while (tacho_process_next_signal(self->signal_fd, &signal_)) {
        if (signal_.number == SIGCHLD) {
            take_ends(self, -1);
        } else if (!signal_.is_for_all && !self->has_ended) {
            kill(self->main.pid, signal_.number);
        }
    }
}

/* The time is up: asks all processes to end, later kills them. */
static void stop_all(wrapper *self, int64_t now_ns)
{
    self->result->is_timed_out = true;
    for (size_t i = 0; i < self->sampler.item_count; i++) {
        kill(self->sampler.items[i].pid, self->stop_signal);
    }
    kill(self->main.pid, self->stop_signal);
    self->stop_signal = SIGKILL;
    self->stop_at_ns = now_ns + patience_ns;
}

/* ---- due actions --------------------------------------------------------------------------- */

static int64_t own_cpu_ns(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000 * ms_ns + time.tv_nsec;
}

static void look(wrapper *self, int64_t now_ns)
{
    int64_t before_ns = own_cpu_ns();
    tacho_recorder_fail(&self->recorder, tacho_sampler_look(&self->sampler));
    int64_t cost_ns = own_cpu_ns() - before_ns;
    int64_t period_ns = (now_ns - self->main.started_ns) / LOOKS_PER_RUN;
    period_ns = period_ns < look_least_ns ? look_least_ns : period_ns;
    period_ns = period_ns > look_most_ns ? look_most_ns : period_ns;
    period_ns = period_ns < cost_ns * COST_SHARE ? cost_ns * COST_SHARE : period_ns;
    self->look_at_ns = now_ns + period_ns;
    self->result->look_ns += cost_ns;
}

static void seal(wrapper *self, int64_t now_ns)
{
    if (self->recorder.failure == TACHO_OK) {
        tacho_recorder_fail(&self->recorder, self->request->seal(self->request->seal_self));
    }
    self->seal_at_ns = now_ns + seal_ns;
}

/* Tells who looks on. */
static void tell(wrapper *self, int64_t now_ns)
{
    uint64_t stored = self->recorder.stored_count;
    tacho_live live = {
        .elapsed_ns = now_ns - self->main.started_ns,
        .period_ns = now_ns - self->live_ns,
        .process_count = self->sampler.item_count,
        .event_count = stored - self->live_count,
        .dict = self->recorder.events->dict,
    };
    for (size_t i = 0; i < self->way_count; i++) {
        if (self->ways[i]->type == &tacho_way_client) {
            live.dropped_count = tacho_way_client_counts(self->ways[i]).dropped;
        }
    }
    live.top_count = tacho_recorder_take_top(&self->recorder, live.top, TACHO_LIVE_TOP);
    self->request->live(self->request->live_self, &live);
    self->live_ns = now_ns;
    self->live_count = stored;
}

static void do_what_is_due(wrapper *self)
{
    int64_t now_ns = tacho_process_now_ns();
    drain_ways(self, now_ns);
    if (now_ns >= self->look_at_ns) {
        look(self, now_ns);
    }
    if (now_ns >= self->seal_at_ns) {
        seal(self, now_ns);
    }
    if (self->request->live != NULL && now_ns - self->live_ns >= live_period_ns) {
        tell(self, now_ns); /* seals wake us up often enough */
    }
    if (self->stop_at_ns > 0 && now_ns >= self->stop_at_ns) {
        stop_all(self, now_ns);
    }
}

/* Milliseconds until something is due, rounded up. */
static int due_ms(const wrapper *self)
{
    int64_t at_ns = self->look_at_ns < self->seal_at_ns ? self->look_at_ns : self->seal_at_ns;
    if (self->stop_at_ns > 0 && self->stop_at_ns < at_ns) {
        at_ns = self->stop_at_ns;
    }
    for (size_t i = 0; i < self->way_count; i++) {
        at_ns = self->drain_at_ns[i] < at_ns ? self->drain_at_ns[i] : at_ns;
    }
    int64_t wait_ns = at_ns - tacho_process_now_ns();
    return wait_ns <= 0 ? 0 : (int)((wait_ns + ms_ns - 1) / ms_ns);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void follow(wrapper *self)
{
    struct epoll_event events[EVENT_COUNT];
    while (!self->has_ended) {
        int count = epoll_wait(self->epoll_fd, events, EVENT_COUNT, due_ms(self));
        for (int i = 0; i < count; i++) {
            if (events[i].data.u64 == EVENT_SIGNALS) {
                handle_signals(self);
            } else if (events[i].data.u64 >= TACHO_WAY_EVENTS) {
                handle_way(self, events[i].data.u64);
            } else {
                handle_end(self, (pid_t)events[i].data.u64);
            }
        }
        do_what_is_due(self);
    }
}

static tacho_status open_epoll(wrapper *self)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = EVENT_SIGNALS}};
    self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (self->epoll_fd < 0 ||
        epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, self->signal_fd, &event) != 0) {
        return tacho_fail(errno == EMFILE || errno == ENFILE ? TACHO_CODE_LIMIT : TACHO_CODE_IO,
                          "cannot wait for events: %s", strerror(errno));
    }
    return TACHO_OK;
}

/* The words with blanks between them. */
static tacho_status join_words(char *const *words, char **out_text)
{
    size_t len = 1;
    for (size_t i = 0; words[i] != NULL; i++) {
        len += strlen(words[i]) + 1;
    }
    char *at = malloc(len);
    if (at == NULL) {
        return tacho_no_memory();
    }
    *out_text = at;
    for (size_t i = 0; words[i] != NULL; i++) {
        size_t word_len = strlen(words[i]);
        memcpy(at, words[i], word_len);
        at += word_len;
        *at++ = ' ';
    }
    at[words[0] != NULL ? -1 : 0] = '\0';
    return TACHO_OK;
}

static tacho_status open_recorder(wrapper *self)
{
    char *command = NULL;
    TACHO_TRY(join_words(self->request->words, &command));
    tacho_status status =
        tacho_recorder_open(&self->recorder, self->request->events, tacho_str_from_cstring(command),
                            self->main.started_ns);
    free(command);
    return status;
}

/* The program runs: from here on nothing may keep it from running. */
static void record(wrapper *self)
{
    int64_t now_ns = tacho_process_now_ns();
    self->look_at_ns = now_ns;
    self->seal_at_ns = now_ns + seal_ns;
    self->live_ns = now_ns;
    self->stop_signal = SIGTERM;
    self->stop_at_ns = self->request->timeout_ns > 0 ? now_ns + self->request->timeout_ns : 0;
    tacho_sampler_init(&self->sampler, &self->recorder, self->epoll_fd);
    tacho_status status = open_recorder(self);
    if (status == TACHO_OK) {
        status = tacho_sampler_add(&self->sampler, self->main.pid, self->main.started_ns);
    }
    tacho_recorder_fail(&self->recorder, status);
    self->recorder.keeps_sums = self->request->live != NULL;
    follow(self);
    tacho_wrapper_result *result = self->result;
    result->process_count = self->sampler.seen_count;
    result->running_count = self->sampler.item_count;
    result->left_out_count = self->sampler.left_out_count;
    result->lists_no_children = self->sampler.lists_no_children;
    finish_ways(self, tacho_process_now_ns());
    tacho_sampler_finish(&self->sampler, tacho_process_now_ns());
    tacho_recorder_fail(&self->recorder, tacho_recorder_finish(&self->recorder));
    result->stored_count = self->recorder.stored_count;
    result->unstored_count = self->recorder.unstored_count;
    result->store_error = self->recorder.failure;
    self->recorder.failure = TACHO_OK;
    tacho_recorder_close(&self->recorder);
    tacho_sampler_deinit(&self->sampler);
}

static tacho_status start_program(wrapper *self)
{
    char variables[TACHO_WAYS_MAX][TACHO_WAY_VARIABLE_MAX];
    const char *additions[TACHO_WAYS_MAX + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < self->way_count; i++) {
        variables[i][0] = '\0';
        if (self->ways[i]->type->variable != NULL) {
            self->ways[i]->type->variable(self->ways[i], variables[i]);
        }
        if (variables[i][0] != '\0') {
            additions[count++] = variables[i];
        }
    }
    return tacho_process_start(self->request->words, additions, &self->signals, &self->main,
                               &self->result->refusal);
}

/* Where there are too few descriptors for all, the program is more important than its reports. */
static tacho_status start(wrapper *self)
{
    TACHO_TRY(tacho_process_take_signals(&self->signals, &self->signal_fd));
    TACHO_TRY(open_epoll(self));
    TACHO_TRY(open_ways(self));
    tacho_status status = start_program(self);
    bool has_port = self->request->port >= 0 || self->request->tracy_port > 0;
    if (tacho_status_code(status) != TACHO_CODE_LIMIT || self->way_count == 0 || has_port) {
        return status;
    }
    close_ways(self);
    self->result->collect_error = tacho_status_first(self->result->collect_error, status);
    return start_program(self);
}

tacho_status tacho_wrapper_run(const tacho_wrapper_request *request,
                               tacho_wrapper_result *out_result)
{
    wrapper self = {.request = request,
                    .result = out_result,
                    .signal_fd = -1,
                    .epoll_fd = -1,
                    .main = {.pid = -1}};
    *out_result = (tacho_wrapper_result){.exit_status = TACHO_WRAPPER_FAILED};
    tacho_status status = start(&self);
    if (status == TACHO_OK && out_result->refusal.error == 0) {
        record(&self);
    } else if (status == TACHO_OK) {
        out_result->exit_status =
            out_result->refusal.is_not_found ? TACHO_WRAPPER_NOT_FOUND : TACHO_WRAPPER_NOT_RUN;
    }
    close_ways(&self);
    if (self.epoll_fd >= 0) {
        close(self.epoll_fd);
    }
    tacho_process_release_signals(&self.signals, self.signal_fd);
    return status;
}
