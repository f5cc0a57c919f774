/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversations with Tracy clients, many at once.
 */
#include "capture/tracy_hub.h"

#include "base/process.h"
#include "base/tcp_socket.h"
#include "base/whole.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_BYTES = 256 << 10,
    READS_PER_TURN = 16, /* then others have theirs */
    OUT_BYTES = 512 * TACHO_TRACY_QUERY_BYTES,
    TRIES_MAX = 20,
    COST_SHARE = 10, /* of the time is spent on looking, at most */
};

static const int64_t ms_ns = 1000000;
static const int64_t hello_ns = 5000 * 1000000LL;    /* until a client has sent its welcome */
static const int64_t farewell_ns = 1000 * 1000000LL; /* until it has answered the last questions */
static const int64_t retry_ns = 100 * 1000000LL;
static const int64_t look_least_ns = 20 * 1000000LL;
static const int64_t look_most_ns = 500 * 1000000LL;
static const int64_t start_slack_ns = 20 * 1000000LL; /* times of processes are this coarse */

struct tacho_tracy_client {
    tacho_tracy_hub *hub;
    size_t slot;
    size_t found;
    int fd;
    uint32_t first_protocol; /* that was likely when it was found; 0: none */
    size_t try_index;        /* of the protocols */
    uint32_t protocol;
    int64_t until_ns; /* it has time so long; 0: for ever */
    bool is_met;
    bool wants_out; /* the socket is full */
    unsigned char out[OUT_BYTES];
    size_t out_len, out_sent;
    char *in;
    tacho_tracy_session session;
};

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status store_row(tacho_events *events, const tacho_row *row)
{
    size_t offset = offsetof(tacho_tracy_hub, events);
    tacho_tracy_hub *hub = (tacho_tracy_hub *)(void *)((char *)events - offset);
    hub->counts.events++;
    tacho_recorder_store(hub->recorder, row);
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = store_row};

/* ---- clocks -------------------------------------------------------------------------------- */

static int64_t raw_ns(void)
{
    struct timespec time = {0};
#ifdef CLOCK_MONOTONIC_RAW
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
#endif
    return (int64_t)time.tv_sec * 1000 * ms_ns + time.tv_nsec;
}

/* The counter of the processor that clients read. */
static int64_t counter_ticks(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* When |ticks| were, on a clock that shows |now_ticks| at |now_ns|. */
static double time_of(const tacho_tracy_welcome *welcome, int64_t ticks, int64_t now_ticks,
                      int64_t now_ns)
{
    return (double)now_ns - ((double)now_ticks - (double)ticks) * welcome->ns_per_tick;
}

/* Whether a client can have begun at |ns|: while its process ran, and not in the future. */
static bool is_plausible(double ns, int64_t process_ns, int64_t now_ns)
{
    return ns > (double)(process_ns - start_slack_ns) && ns < (double)(now_ns + ms_ns);
}

static int64_t process_start(const tacho_tracy_hub *hub, pid_t pid)
{
    for (size_t i = 0; i < hub->sampler->item_count; i++) {
        if (hub->sampler->items[i].pid == pid) {
            return hub->sampler->items[i].start_ns;
        }
    }
    return hub->start_ns;
}

/* The clock of a client: that of the others where it fits, so that all of a computer agree. */
static tacho_tracy_clock *find_clock(tacho_tracy_hub *hub, const tacho_tracy_welcome *welcome,
                                     pid_t pid)
{
    int64_t now_ns = tacho_process_now_ns();
    int64_t process_ns = process_start(hub, pid);
    for (size_t i = 0; i < hub->clock_count; i++) {
        tacho_tracy_clock *clock = &hub->clocks[i];
        double begin =
            (double)clock->base_ns +
            ((double)welcome->init_begin - (double)clock->base_ticks) * clock->ns_per_tick;
        double ratio = welcome->ns_per_tick / clock->ns_per_tick;
        if (ratio > 0.999 && ratio < 1.001 && is_plausible(begin, process_ns, now_ns)) {
            return clock;
        }
    }
    size_t at = hub->clock_count < TACHO_TRACY_CLOCKS ? hub->clock_count++ : TACHO_TRACY_CLOCKS - 1;
    tacho_tracy_clock *clock = &hub->clocks[at];
    const double candidates[] = {
        time_of(welcome, welcome->init_begin, counter_ticks(), now_ns),
        time_of(welcome, welcome->init_begin, raw_ns(), now_ns),
        time_of(welcome, welcome->init_begin, welcome->init_end, now_ns), /* it has just begun */
    };
    size_t best = is_plausible(candidates[0], process_ns, now_ns)   ? 0
                  : is_plausible(candidates[1], process_ns, now_ns) ? 1
                                                                    : 2;
    *clock = (tacho_tracy_clock){.is_set = true,
                                 .base_ticks = welcome->init_begin,
                                 .base_ns = tacho_whole_i64(candidates[best]),
                                 .ns_per_tick = welcome->ns_per_tick};
    return clock;
}

/*
 * Whether the other end of the connection is held by a process of the capture, of our own user: the
 * port may have changed hands since its owner was looked up.
 */
static bool is_held_by_ours(const tacho_tracy_client *client, uint64_t said_pid)
{
    const tacho_tracy_hub *hub = client->hub;
    pid_t said = said_pid > 1 && said_pid < INT32_MAX ? (pid_t)said_pid : 0;
    if (tacho_tcp_socket_is_of(client->fd, hub->found[client->found].pid) ||
        (said > 0 && tacho_tracy_is_ours(hub, said) && tacho_tcp_socket_is_of(client->fd, said))) {
        return true;
    }
    for (size_t i = 0; i < hub->sampler->item_count; i++) { /* a container has other pids */
        if (tacho_tcp_socket_is_of(client->fd, hub->sampler->items[i].pid)) {
            return true;
        }
    }
    return false;
}

/* A client has sent its welcome: its rows go under its process, on its clock. */
static void meet(void *self, tacho_tracy_session *session)
{
    tacho_tracy_client *client = self;
    tacho_tracy_hub *hub = client->hub;
    if (!is_held_by_ours(client, session->welcome.pid)) {
        session->end = TACHO_TRACY_END_FOREIGN;
        return;
    }
    client->found = tacho_tracy_owner(hub, client->found, session->welcome.pid);
    pid_t pid = hub->found[client->found].pid;
    if (tacho_sampler_group(hub->sampler, pid) == TACHO_NONE) {
        tacho_recorder_fail(hub->recorder, tacho_sampler_look(hub->sampler));
    }
    uint32_t group = tacho_sampler_group(hub->sampler, pid);
    session->rows.group = group != TACHO_NONE ? group : session->rows.group;
    session->clock = find_clock(hub, &session->welcome, pid);
    client->is_met = true;
    client->until_ns = 0;
    hub->last_protocol = client->protocol;
    hub->found[client->found].is_counted = true;
    hub->counts.programs++;
}

/* ---- clients ------------------------------------------------------------------------------- */

static void free_client(tacho_tracy_client *client)
{
    tacho_tracy_hub *hub = client->hub;
    tacho_tracy_session_deinit(&client->session);
    if (client->fd >= 0) {
        close(client->fd);
    }
    free(client->in);
    hub->clients[client->slot] = NULL;
    hub->client_count--;
    free(client);
}

/* The numbers to try: |first|, where one is likely, then all others. */
static uint32_t protocol_of(uint32_t first, size_t try_index)
{
    size_t at = first != 0 ? 1 : 0;
    if (first != 0 && try_index == 0) {
        return first;
    }
    for (size_t i = 0; tacho_tracy_number(i) != 0; i++) {
        if (tacho_tracy_number(i) != first && at++ == try_index) {
            return tacho_tracy_number(i);
        }
    }
    return 0;
}

static bool set_events(tacho_tracy_client *client, bool is_new)
{
    struct epoll_event event = {
        .events = EPOLLIN | (client->wants_out ? (uint32_t)EPOLLOUT : 0),
        .data = {.u64 = client->hub->event_base + 1 + client->slot},
    };
    return epoll_ctl(client->hub->epoll_fd, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, client->fd,
                     &event) == 0;
}

/* Connects, and has the hello ready. */
static bool dial(tacho_tracy_client *client, int64_t now_ns)
{
    tacho_tracy_hub *hub = client->hub;
    const tacho_tracy_found *found = &hub->found[client->found];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(found->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client->protocol = protocol_of(client->first_protocol, client->try_index);
    const tacho_tracy_session_facts facts = {.events = &hub->events,
                                             .part = hub->recorder->part,
                                             .group = TACHO_NONE,
                                             .protocol = client->protocol,
                                             .clock = &hub->clocks[0]};
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (client->fd < 0 || !tacho_tracy_is_spoken(client->protocol)) {
        return false;
    }
    tacho_status status = tacho_tracy_session_init(&client->session, &facts);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return false;
    }
    tacho_tracy_session_hello(&client->session, client->out);
    client->out_len = TACHO_TRACY_HELLO_BYTES;
    client->out_sent = 0;
    client->wants_out = true;
    client->until_ns = now_ns + hello_ns;
    return (connect(client->fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
            errno == EINPROGRESS) &&
           set_events(client, true);
}

/* Starts a conversation with the client of |found|; used by the finder. */
static void tracy_hub_connect(tacho_tracy_hub *hub, tacho_tracy_found *found, int64_t now_ns)
{
    size_t slot = 0;
    while (slot < TACHO_TRACY_CLIENTS && hub->clients[slot] != NULL) {
        slot++;
    }
    tacho_tracy_client *client = slot < TACHO_TRACY_CLIENTS ? calloc(1, sizeof(*client)) : NULL;
    if (client == NULL) {
        return; /* the next look tries again */
    }
    found->is_done = true;
    found->tries++;
    *client = (tacho_tracy_client){.hub = hub,
                                   .slot = slot,
                                   .found = (size_t)(found - hub->found),
                                   .first_protocol =
                                       found->protocol != 0 ? found->protocol : hub->last_protocol,
                                   .fd = -1};
    client->in = malloc(READ_BYTES);
    hub->clients[slot] = client;
    hub->client_count++;
    if (client->in == NULL || !dial(client, now_ns)) {
        found->is_counted = true;
        hub->counts.refused++;
        free_client(client);
    }
}

/* Another number, where the client does not know this one; false where all were tried. */
static bool try_next(tacho_tracy_client *client)
{
    uint32_t announced = client->hub->found[client->found].protocol;
    tacho_tracy_session_deinit(&client->session);
    close(client->fd);
    client->fd = -1;
    client->try_index++;
    if (announced != 0 && announced != client->first_protocol) { /* it has arrived since */
        client->first_protocol = announced;
        client->try_index = 0;
    }
    return protocol_of(client->first_protocol, client->try_index) != 0 &&
           dial(client, tacho_process_now_ns());
}

static void count_end(tacho_tracy_client *client)
{
    tacho_tracy_hub *hub = client->hub;
    tacho_tracy_found *found = &hub->found[client->found];
    switch (client->session.end) {
    case TACHO_TRACY_END_DAMAGED:
        hub->counts.damaged++;
        break;
    case TACHO_TRACY_END_MISMATCH:
    case TACHO_TRACY_END_BUSY:
    case TACHO_TRACY_END_NOT_TRACY:
        found->is_counted = true;
        hub->counts.refused++;
        break;
    case TACHO_TRACY_END_FOREIGN:
        found->is_counted = true;
        hub->counts.foreign++;
        break;
    case TACHO_TRACY_END_CUT:
        if (!client->is_met && found->tries < TRIES_MAX) { /* it was not ready */
            found->is_done = false;
            found->retry_ns = tacho_process_now_ns() + retry_ns;
        }
        break;
    case TACHO_TRACY_END_NONE:
    case TACHO_TRACY_END_DONE:
    case TACHO_TRACY_END_FAILED:
        break;
    }
}

static void end_client(tacho_tracy_client *client)
{
    if (client->session.end == TACHO_TRACY_END_MISMATCH && try_next(client)) {
        return;
    }
    tacho_recorder_fail(client->hub->recorder, tacho_tracy_session_finish(&client->session));
    client->hub->counts.zones += client->session.counts.zones;
    count_end(client);
    free_client(client);
}

/* Sends what may be sent; false where the connection is gone. */
static bool flush(tacho_tracy_client *client)
{
    for (;;) {
        if (client->out_sent == client->out_len) {
            client->out_sent = 0;
            client->out_len =
                tacho_tracy_session_give(&client->session, client->out, sizeof(client->out));
        }
        if (client->out_len == 0) {
            break;
        }
        ssize_t sent = send(client->fd, client->out + client->out_sent,
                            client->out_len - client->out_sent, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            break;
        }
        if (sent < 0) {
            return false;
        }
        client->out_sent += (size_t)sent;
    }
    bool wants_out = client->out_sent < client->out_len;
    if (wants_out != client->wants_out) {
        client->wants_out = wants_out;
        return set_events(client, false);
    }
    return true;
}

/* Takes the bytes that have arrived; false where the connection is over. */
static bool receive(tacho_tracy_client *client, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        ssize_t len = recv(client->fd, client->in, READ_BYTES, 0);
        if (len < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        }
        if (len == 0) {
            return false;
        }
        tacho_tracy_session_take(&client->session, tacho_str_make(client->in, (size_t)len), meet,
                                 client);
        if (client->session.phase == TACHO_TRACY_PHASE_OVER) {
            return false;
        }
        if (client->session.has_terminated && client->until_ns == 0) {
            client->until_ns = tacho_process_now_ns() + farewell_ns;
        }
        if (!flush(client)) {
            return false;
        }
    }
    return true;
}

static void handle_client(tacho_tracy_client *client)
{
    bool is_open = flush(client) && receive(client, READS_PER_TURN);
    if (!is_open || client->session.phase == TACHO_TRACY_PHASE_OVER) {
        flush(client); /* the farewell */
        end_client(client);
    }
}

/* ---- connecting ---------------------------------------------------------------------------- */

static bool is_talking(const tacho_tracy_hub *hub, uint16_t port)
{
    size_t left = hub->client_count;
    for (size_t i = 0; left > 0; i++) {
        if (hub->clients[i] != NULL) {
            if (hub->found[hub->clients[i]->found].port == port) {
                return true;
            }
            left--;
        }
    }
    return false;
}

/* The port of a client that has ended may be another's by now; each port is talked to once. */
static void connect_found(tacho_tracy_hub *hub, int64_t now_ns)
{
    for (size_t i = 0; i < hub->found_count; i++) {
        tacho_tracy_found *found = &hub->found[i];
        if (found->is_done || now_ns < found->retry_ns) {
            continue;
        }
        if (tacho_tracy_has_ended(found->pid)) {
            found->is_done = true;
        } else if (!is_talking(hub, found->port)) {
            tracy_hub_connect(hub, found, now_ns);
        }
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

tacho_status tacho_tracy_hub_open(tacho_tracy_hub *hub, tacho_recorder *recorder,
                                  tacho_sampler *sampler, int epoll_fd, uint64_t event_base)
{
    const char *port = getenv("TRACY_PORT");
    *hub = (tacho_tracy_hub){.recorder = recorder,
                             .sampler = sampler,
                             .epoll_fd = epoll_fd,
                             .event_base = event_base,
                             .start_ns = tacho_process_now_ns()};
    hub->events.vtable = &vtable;
    long number = port != NULL ? strtol(port, NULL, 10) : 0;
    hub->extra_port = number > 0 && number < 65536 ? (int)number : 0;
    tacho_tracy_announce_open(hub);
    return TACHO_OK;
}

void tacho_tracy_hub_close(tacho_tracy_hub *hub)
{
    for (size_t i = 0; i < TACHO_TRACY_CLIENTS; i++) {
        if (hub->clients[i] != NULL) {
            free_client(hub->clients[i]);
        }
    }
    tacho_tracy_announce_close(hub);
    free(hub->found);
    hub->found = NULL;
}

void tacho_tracy_hub_handle(tacho_tracy_hub *hub, uint64_t event)
{
    if (hub->recorder->events == NULL) {
        return;
    }
    hub->events.dict = hub->recorder->events->dict;
    if (event == 0) {
        tacho_tracy_announce_read(hub);
        connect_found(hub, tacho_process_now_ns());
    } else if (event <= TACHO_TRACY_CLIENTS && hub->clients[event - 1] != NULL) {
        handle_client(hub->clients[event - 1]);
    }
}

void tacho_tracy_hub_end_process(tacho_tracy_hub *hub)
{
    tacho_tracy_announce_read(hub);
}

/* Looks are rarer in long runs, and where many sockets make them slow. */
static int64_t period_of(const tacho_tracy_hub *hub, int64_t now_ns, int64_t look_ns)
{
    int64_t period_ns = (now_ns - hub->start_ns) / 100;
    period_ns = period_ns < look_least_ns ? look_least_ns : period_ns;
    period_ns = period_ns < look_ns * COST_SHARE ? look_ns * COST_SHARE : period_ns;
    return period_ns > look_most_ns ? look_most_ns : period_ns;
}

int64_t tacho_tracy_hub_look(tacho_tracy_hub *hub, int64_t now_ns)
{
    if (hub->recorder->events == NULL || hub->recorder->failure != TACHO_OK) {
        return now_ns + period_of(hub, now_ns, 0);
    }
    hub->events.dict = hub->recorder->events->dict;
    tacho_tracy_find_sockets(hub);
    tacho_tracy_find_portless(hub);
    int64_t look_ns = tacho_process_now_ns() - now_ns;
    connect_found(hub, now_ns);
    for (size_t i = 0; i < TACHO_TRACY_CLIENTS; i++) {
        tacho_tracy_client *client = hub->clients[i];
        if (client != NULL && client->until_ns > 0 && now_ns >= client->until_ns) {
            hub->counts.silent += client->is_met ? 0 : 1;
            hub->found[client->found].is_counted = true;
            end_client(client);
        }
    }
    return now_ns + period_of(hub, now_ns, look_ns);
}

/* Only an announced socket is surely a client: other programs listen on these ports as well. */
static void count_missed(tacho_tracy_hub *hub)
{
    for (size_t i = 0; i < hub->found_count; i++) {
        hub->counts.missed += hub->found[i].protocol != 0 && !hub->found[i].is_counted ? 1 : 0;
    }
}

void tacho_tracy_hub_finish(tacho_tracy_hub *hub)
{
    for (size_t i = 0; i < TACHO_TRACY_CLIENTS; i++) {
        tacho_tracy_client *client = hub->clients[i];
        if (client != NULL) {
            receive(client, READS_PER_TURN * READS_PER_TURN);
            client->session.end = client->session.end == TACHO_TRACY_END_MISMATCH
                                      ? TACHO_TRACY_END_NOT_TRACY
                                      : client->session.end;
            end_client(client);
        }
    }
    count_missed(hub);
}
