/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections and rings. A connection is open for a handshake only: afterwards both sides share
 * memory, and the kernel reports the end of the process.
 */
#include "capture/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const int64_t patience_ns = 5000000000; /* for a handshake */
static const uint64_t client_wait_ns = 10000000;

/* Parts of a full ring, and one more to see that it is empty. */
enum { PARTS_MAX = TACHO_WIRE_RECORDS / TACHO_DECODER_PART + 1 };

/* Events of epoll, above the base. */
/* Those of clients that wait have the descriptor added; without one all of them are meant. */
enum { EVENT_SOCKET, EVENT_TCP, EVENT_WAITING };

static tacho_status await(const tacho_collector *collector, int fd, unsigned event)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data = {.u64 = collector->event_base + event}};
    return epoll_ctl(collector->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) == 0
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_IO, "cannot wait for clients: %s", strerror(errno));
}

tacho_status tacho_collector_open(tacho_collector *collector, const tacho_way_context *context)
{
    *collector = (tacho_collector){
        .recorder = context->recorder,
        .sampler = context->sampler,
        .epoll_fd = context->epoll_fd,
        .event_base = context->event_base,
        .stats_level = context->stats_level,
        .socket = {.fd = -1},
        .tcp = {.fd = -1},
    };
    TACHO_TRY(tacho_local_socket_open(&collector->socket));
    TACHO_TRY(await(collector, collector->socket.fd, EVENT_SOCKET));
    if (context->port >= 0) {
        TACHO_TRY(tacho_tcp_socket_open(&collector->tcp, (uint16_t)context->port));
        TACHO_TRY(await(collector, collector->tcp.fd, EVENT_TCP));
    }
    return TACHO_OK;
}

static void free_segment(tacho_collected_segment *segment)
{
    tacho_decoder_deinit(&segment->decoder);
    tacho_shared_memory_free(&segment->memory);
    free(segment);
}

/* The connection is over. */
static void end_waiting(tacho_collector *collector, size_t index)
{
    tacho_waiting_client *client = &collector->waiting[index];
    close(client->fd);
    if (client->memory_fd >= 0) {
        close(client->memory_fd);
    }
    *client = collector->waiting[--collector->waiting_count];
}

void tacho_collector_close(tacho_collector *collector)
{
    while (collector->waiting_count > 0) {
        end_waiting(collector, collector->waiting_count - 1);
    }
    while (collector->segments != NULL) {
        tacho_collected_segment *segment = collector->segments;
        collector->segments = segment->next;
        free_segment(segment);
    }
    tacho_number_map_deinit(&collector->processes);
    tacho_local_socket_close(&collector->socket);
    tacho_tcp_socket_close(&collector->tcp);
}

/* ---- handshakes ---------------------------------------------------------------------------- */

/* The first segment of a client; a process may have several clients, by the libraries it loads. */
static tacho_collected_segment *find_first(const tacho_collector *collector, pid_t pid,
                                           uint32_t client)
{
    for (tacho_collected_segment *at = collector->segments; at != NULL; at = at->next) {
        if (at->pid == pid && at->client == client && at->first == at) {
            return at;
        }
    }
    return NULL;
}

/* The group of tracks of a process, which is followed from now on. */
static tacho_status find_group(tacho_collector *collector, pid_t pid, uint32_t *out_group)
{
    const tacho_recorder *recorder = collector->recorder;
    *out_group = tacho_sampler_group(collector->sampler, pid);
    if (*out_group == TACHO_NONE) {
        TACHO_TRY(tacho_sampler_add(collector->sampler, pid, -1));
        *out_group = tacho_sampler_group(collector->sampler, pid);
    }
    if (*out_group == TACHO_NONE) {
        *out_group = recorder->events->dict->parts[recorder->part].root;
    }
    return TACHO_OK;
}

/* Writes the header of a client's memory. */
static void write_header(const tacho_collector *collector, const tacho_collected_segment *segment)
{
    tacho_wire_header *header = segment->memory.bytes;
    header->magic = TACHO_WIRE_WELCOME;
    header->version = TACHO_WIRE_VERSION;
    header->segment_bytes = TACHO_WIRE_SEGMENT_BYTES;
    header->wait_ns = client_wait_ns;
    header->stats_level = collector->stats_level;
    header->client = segment->client;
    atomic_store_explicit(&header->string_bytes, sizeof(tacho_wire_entry), memory_order_relaxed);
}

static tacho_status make_segment(tacho_collector *collector, pid_t pid, uint32_t more_of,
                                 tacho_collected_segment *segment)
{
    uint32_t group = 0;
    segment->pid = pid;
    segment->client = more_of != 0 ? more_of : ++collector->last_client;
    segment->first = more_of != 0 ? find_first(collector, pid, more_of) : segment;
    TACHO_TRY(tacho_shared_memory_make(&segment->memory, TACHO_WIRE_SEGMENT_BYTES));
    write_header(collector, segment);
    TACHO_TRY(find_group(collector, pid, &group));
    if (more_of != 0) {
        return TACHO_OK;
    }
    const void *strings = (const char *)segment->memory.bytes + TACHO_WIRE_AT_STRINGS;
    TACHO_TRY(tacho_decoder_init(&segment->decoder, collector->recorder, group, strings));
    segment->decoder.client = segment->client;
    return TACHO_OK;
}

/* Tells a client where its memory is. Over TCP no descriptor can be sent: it opens ours. */
static bool send_welcome(const tacho_waiting_client *client, const tacho_shared_memory *memory)
{
    const tacho_wire_welcome answer = {TACHO_WIRE_WELCOME, TACHO_WIRE_VERSION,
                                       TACHO_WIRE_SEGMENT_BYTES};
    if (client->pid != 0) {
        return tacho_local_socket_send(client->fd, &answer, sizeof(answer), memory->fd);
    }
    const tacho_wire_tcp_welcome longer = {answer, (uint32_t)getpid(), (uint32_t)memory->fd};
    return send(client->fd, &longer, sizeof(longer), MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)sizeof(longer);
}

/* Gives a client its memory; false when out of memory. */
static bool serve(tacho_collector *collector, tacho_waiting_client *client,
                  const tacho_wire_hello *hello)
{
    bool is_tcp = client->pid == 0;
    bool has_room =
        collector->recorder->has_part && collector->segment_count < TACHO_COLLECTOR_SEGMENTS_MAX;
    tacho_collected_segment *segment = has_room ? calloc(1, sizeof(*segment)) : NULL;
    if (segment == NULL) {
        return false;
    }
    segment->memory.fd = -1;
    pid_t pid = is_tcp ? (pid_t)hello->pid : client->pid;
    tacho_status status = make_segment(collector, pid, hello->more_of, segment);
    bool is_good = status == TACHO_OK && send_welcome(client, &segment->memory);
    tacho_status_free(status);
    if (!is_good) {
        free_segment(segment);
        return false;
    }
    if (is_tcp) { /* it lasts until the client has opened it */
        client->memory_fd = segment->memory.fd;
        segment->memory.fd = -1;
    } else {
        tacho_shared_memory_close_fd(&segment->memory);
    }
    segment->next = collector->segments;
    collector->segments = segment;
    collector->segment_count++;
    collector->counts.clients += hello->more_of == 0 ? 1 : 0;
    tacho_recorder_fail(collector->recorder,
                        tacho_number_map_set(&collector->processes, (uint64_t)pid, 0));
    collector->counts.processes = collector->processes.count;
    return true;
}

/* Whether a client's hello is valid. */
static bool makes_sense(const tacho_collector *collector, const tacho_waiting_client *client,
                        const tacho_wire_hello *hello)
{
    bool is_tcp = client->pid == 0;
    pid_t pid = is_tcp ? (pid_t)hello->pid : client->pid;
    return hello->magic == TACHO_WIRE_HELLO && hello->version == TACHO_WIRE_VERSION && pid > 0 &&
           (!is_tcp || tacho_tcp_socket_is_of(client->fd, pid)) &&
           (hello->more_of == 0 || find_first(collector, pid, hello->more_of) != NULL);
}

/* Answers a hello that is whole. */
static void answer_hello(tacho_collector *collector, tacho_waiting_client *client)
{
    if (!makes_sense(collector, client, &client->hello)) {
        collector->counts.refused++;
    } else if (!serve(collector, client, &client->hello)) {
        collector->counts.unserved++;
    }
}

/*
 * Reads the bytes that a client has sent, which may be a part of its hello, and answers a complete
 * hello; false where more is expected.
 */
static bool try_handshake(tacho_collector *collector, tacho_waiting_client *client)
{
    bool is_served = client->memory_fd >= 0;
    char *to = (char *)&client->hello + (is_served ? 0 : client->hello_len);
    size_t room = sizeof(client->hello) - (is_served ? 0 : client->hello_len);
    ssize_t got = recv(client->fd, to, room, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (is_served) {
        return true; /* it has its memory, or is gone */
    }
    client->hello_len += got > 0 ? (size_t)got : 0;
    bool is_hello =
        client->hello_len < sizeof(client->hello.magic) || client->hello.magic == TACHO_WIRE_HELLO;
    if (got <= 0 || !is_hello) {
        /* Another tacho that looks for sockets of killed ones connects and leaves without a word.
         */
        *(client->hello_len > 0 ? &collector->counts.refused : &collector->counts.silent) += 1;
        return true;
    }
    if (client->hello_len < sizeof(client->hello)) {
        return false;
    }
    answer_hello(collector, client);
    return client->memory_fd < 0;
}

/* Counts a client that is dropped: it has sent no hello, or has not opened its memory. */
static void count_sent_away(tacho_collector *collector, const tacho_waiting_client *client)
{
    bool is_silent = client->memory_fd < 0;
    collector->counts.refused += is_silent ? 1 : 0;
    collector->counts.unserved += is_silent ? 0 : 1;
}

/* Which client to drop when there is no room: the oldest without a hello, or else the oldest. */
static bool goes_before(const tacho_waiting_client *a, const tacho_waiting_client *b)
{
    bool is_served = a->memory_fd >= 0;
    return is_served != (b->memory_fd >= 0) ? !is_served : a->until_ns < b->until_ns;
}

static void make_room(tacho_collector *collector)
{
    size_t first = 0;
    if (collector->waiting_count < TACHO_COLLECTOR_WAITING_MAX) {
        return;
    }
    for (size_t i = 1; i < collector->waiting_count; i++) {
        first = goes_before(&collector->waiting[i], &collector->waiting[first]) ? i : first;
    }
    count_sent_away(collector, &collector->waiting[first]);
    end_waiting(collector, first);
}

static void add_client(tacho_collector *collector, int fd, pid_t pid)
{
    tacho_waiting_client client = {
        .fd = fd, .pid = pid, .memory_fd = -1, .until_ns = tacho_process_now_ns() + patience_ns};
    if (try_handshake(collector, &client)) {
        close(fd);
        return;
    }
    make_room(collector);
    collector->waiting[collector->waiting_count++] = client;
    tacho_status status = await(collector, fd, EVENT_WAITING + (unsigned)fd);
    if (status != TACHO_OK) {
        collector->counts.unserved++;
        end_waiting(collector, collector->waiting_count - 1);
    }
    tacho_status_free(status);
}

/* Reads from the waiting client at |fd|; 0: from all of them. */
static void look_at_waiting(tacho_collector *collector, int fd)
{
    for (size_t i = collector->waiting_count; i-- > 0;) {
        tacho_waiting_client *client = &collector->waiting[i];
        if ((fd == 0 || client->fd == fd) && try_handshake(collector, client)) {
            end_waiting(collector, i);
        }
    }
}

/* Drops clients that have been silent for too long. */
static void end_silent(tacho_collector *collector)
{
    int64_t now_ns = collector->waiting_count > 0 ? tacho_process_now_ns() : 0;
    for (size_t i = collector->waiting_count; i-- > 0;) {
        if (collector->waiting[i].until_ns <= now_ns) {
            count_sent_away(collector, &collector->waiting[i]);
            end_waiting(collector, i);
        }
    }
}

void tacho_collector_handle(tacho_collector *collector, uint64_t event)
{
    pid_t pid = 0;
    int fd = -1;
    if (event >= EVENT_WAITING) {
        look_at_waiting(collector, (int)(event - EVENT_WAITING));
        return;
    }
    if (event == EVENT_TCP) {
        fd = tacho_tcp_socket_accept(&collector->tcp);
    } else {
        fd = tacho_local_socket_accept(&collector->socket, &pid);
        if (fd >= 0 && pid <= 0) { /* of another namespace: its end would go unnoticed */
            close(fd);
            collector->counts.refused++;
            return;
        }
    }
    if (fd >= 0) {
        add_client(collector, fd, pid);
    }
}

/* ---- rings --------------------------------------------------------------------------------- */

/* Finds the thread of a ring; false where that fails. */
static bool meet_ring(tacho_collector *collector, tacho_decoder *decoder,
                      const tacho_wire_ring *shared, tacho_collected_ring *ring)
{
    char name[TACHO_WIRE_NAME];
    memcpy(name, shared->name, sizeof(name));
    name[sizeof(name) - 1] = '\0';
    tacho_status status = tacho_decoder_ensure_thread(decoder, name, shared->tid, &ring->track);
    ring->is_known = status == TACHO_OK;
    tacho_recorder_fail(collector->recorder, status);
    return ring->is_known;
}

static void count_dropped(tacho_collector *collector, const tacho_wire_ring *shared,
                          tacho_collected_ring *ring)
{
    uint64_t dropped = atomic_load_explicit(&shared->dropped, memory_order_relaxed);
    if (dropped > ring->dropped && dropped - ring->dropped < TACHO_LOSS_MAX) {
        collector->counts.dropped += dropped - ring->dropped;
    }
    ring->dropped = dropped;
}

/*
 * Takes some of the records in a ring; returns how many were in it. The tail is stored after each
 * part: a client whose ring is full gives up where it does not move for client_wait_ns, and
 * decoding a whole ring can take longer than that.
 */
static uint64_t drain_ring(tacho_collector *collector, tacho_decoder *decoder,
                           tacho_wire_ring *shared, tacho_collected_ring *ring)
{
    uint32_t state = atomic_load_explicit(&shared->state, memory_order_acquire);
    if (ring->is_broken || state == TACHO_WIRE_FREE || state == TACHO_WIRE_CLAIMED ||
        (!ring->is_known && !meet_ring(collector, decoder, shared, ring))) {
        return 0;
    }
    uint64_t head = atomic_load_explicit(&shared->head, memory_order_acquire);
    uint64_t held = head - ring->tail;
    if (!tacho_decoder_take(decoder, tacho_wire_records(shared), head, &ring->tail, ring->track)) {
        ring->is_broken = true;
        collector->counts.broken++;
        return 0;
    }
    atomic_store_explicit(&shared->tail, ring->tail, memory_order_release);
    count_dropped(collector, shared, ring);
    /* Finished before the head was read: nothing can follow. */
    if (state == TACHO_WIRE_FINISHED && ring->tail == head) {
        ring->is_known = false;
        atomic_store_explicit(&shared->state, TACHO_WIRE_FREE, memory_order_release);
    }
    return held;
}

/* Takes a part of each ring; returns how many records were in the fullest one. */
static uint64_t drain_segment(tacho_collector *collector, tacho_collected_segment *segment)
{
    const tacho_wire_header *header = segment->memory.bytes;
    uint64_t used = atomic_load_explicit(&header->used, memory_order_acquire);
    uint64_t most = 0;
    for (unsigned i = 0; i < TACHO_WIRE_RINGS; i++) {
        if ((used >> i & 1) != 0) {
            uint64_t held =
                drain_ring(collector, &segment->first->decoder,
                           tacho_wire_ring_at(segment->memory.bytes, i), &segment->rings[i]);
            most = held > most ? held : most;
        }
    }
    return most;
}

static uint64_t drain_segments(tacho_collector *collector)
{
    uint64_t most = 0;
    for (tacho_collected_segment *at = collector->segments; at != NULL; at = at->next) {
        uint64_t held = drain_segment(collector, at);
        most = held > most ? held : most;
    }
    return most;
}

uint64_t tacho_collector_drain(tacho_collector *collector)
{
    end_silent(collector);
    uint64_t held = drain_segments(collector);
    uint64_t most = held;
    for (unsigned i = 1; i < PARTS_MAX && held > TACHO_DECODER_PART; i++) {
        held = drain_segments(collector);
        most = held > most ? held : most;
    }
    return most;
}

/* ---- ends ---------------------------------------------------------------------------------- */

/* Zones that had begun and not ended when the process did. */
static void take_open_zones(tacho_collected_segment *segment, unsigned index, int64_t now_ns)
{
    const tacho_wire_ring *shared = tacho_wire_ring_at(segment->memory.bytes, index);
    const tacho_collected_ring *ring = &segment->rings[index];
    uint32_t depth = atomic_load_explicit(&shared->depth, memory_order_acquire);
    depth = depth < TACHO_WIRE_OPEN_MAX ? depth : TACHO_WIRE_OPEN_MAX;
    for (uint32_t i = 0; ring->is_known && !ring->is_broken && i < depth; i++) {
        tacho_wire_open open;
        memcpy(&open, &shared->open[i], sizeof(open));
        tacho_decoder_take_open(&segment->first->decoder, ring->track, &open, now_ns);
    }
}

/* The last of a segment. */
static void end_segment(tacho_collector *collector, tacho_collected_segment *segment,
                        int64_t now_ns)
{
    const tacho_wire_header *header = segment->memory.bytes;
    tacho_collector_counts *counts = &collector->counts;
    uint64_t used = atomic_load_explicit(&header->used, memory_order_acquire);
    for (unsigned i = 0; i < PARTS_MAX && drain_segment(collector, segment) > 0; i++) {
    }
    for (unsigned i = 0; i < TACHO_WIRE_RINGS; i++) {
        if ((used >> i & 1) != 0) {
            take_open_zones(segment, i, now_ns);
        }
    }
    uint64_t unplaced = atomic_load_explicit(&header->unplaced, memory_order_relaxed);
    counts->unplaced += unplaced < TACHO_LOSS_MAX ? unplaced : TACHO_LOSS_MAX;
}

/* Adds a decoder's counts to the sums when the client's strings are no longer needed. */
static void end_decoder(tacho_collector *collector, const tacho_decoder *decoder)
{
    tacho_collector_counts *counts = &collector->counts;
    counts->events += decoder->event_count - decoder->unnamed_count;
    counts->bad += decoder->bad_count;
    counts->dropped += decoder->unnamed_count;
    counts->untimed += decoder->untimed_count;
}

/* Ends the segments of |pid|, or of all where it is 0. */
static void end_segments(tacho_collector *collector, pid_t pid, int64_t now_ns)
{
    tacho_collected_segment **link = &collector->segments;
    tacho_collected_segment *ended = NULL;
    while (*link != NULL) {
        tacho_collected_segment *segment = *link;
        if (pid != 0 && segment->pid != pid) {
            link = &segment->next;
            continue;
        }
        end_segment(collector, segment, now_ns);
        *link = segment->next;
        segment->next = ended;
        ended = segment;
    }
    while (ended != NULL) { /* strings are needed until all of them are read */
        tacho_collected_segment *segment = ended;
        ended = segment->next;
        if (segment->first == segment) {
            end_decoder(collector, &segment->decoder);
        }
        collector->segment_count--;
        free_segment(segment);
    }
}

void tacho_collector_end(tacho_collector *collector, pid_t pid, int64_t now_ns)
{
    end_segments(collector, pid, now_ns);
}

static void add_loss(tacho_collector *collector, tacho_loss_reason reason, uint64_t count)
{
    const tacho_loss loss = {.part = collector->recorder->part, .reason = reason, .count = count};
    if (count > 0) {
        tacho_recorder_fail(collector->recorder,
                            tacho_dict_add_loss(collector->recorder->events->dict, &loss));
    }
}

/*
 * Counts a program that has connected and was not served in time: its events are lost. False where
 * no other one waits.
 */
static bool count_unserved(tacho_collector *collector, bool is_tcp)
{
    pid_t pid = 0;
    int fd = is_tcp ? tacho_tcp_socket_accept(&collector->tcp)
                    : tacho_local_socket_accept(&collector->socket, &pid);
    if (fd >= 0) {
        close(fd);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return false;
    }
    *(fd < 0 && errno == EPERM ? &collector->counts.refused : &collector->counts.unserved) += 1;
    return fd >= 0 || errno == EPERM; /* other failures would repeat */
}

void tacho_collector_finish(tacho_collector *collector, int64_t now_ns)
{
    while (count_unserved(collector, false)) {
    }
    while (collector->tcp.port != 0 && count_unserved(collector, true)) {
    }
    for (tacho_collected_segment *at = collector->segments; at != NULL; at = at->next) {
        tacho_wire_header *header = at->memory.bytes;
        atomic_store_explicit(&header->is_closed, 1, memory_order_relaxed);
    }
    end_segments(collector, 0, now_ns);
    const tacho_collector_counts *counts = &collector->counts;
    add_loss(collector, TACHO_LOSS_BUFFER_FULL, counts->dropped + counts->unplaced);
    add_loss(collector, TACHO_LOSS_BAD_RECORD, counts->bad + counts->broken);
    add_loss(collector, TACHO_LOSS_UNKNOWN_CLOCK, counts->untimed);
}
