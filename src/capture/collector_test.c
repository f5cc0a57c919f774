/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client and collector together, in one process: the collector is a thread of the test. Every event
 * that was emitted is stored or counted as dropped, in all interleavings of threads and children.
 */
#define _DEFAULT_SOURCE /* usleep */
#include "capture/collector.h"
#include "client/local.h"

#include <errno.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <tacho/client.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A collector, and its record of the clients. */
typedef struct fixture {
    tacho_events events;
    tacho_dict dict;
    tacho_recorder recorder;
    tacho_sampler sampler;
    tacho_collector collector;
    int epoll_fd;
    pthread_t thread;
    _Atomic bool is_stopping;
    _Atomic bool is_idle; /* takes connections and drains nothing */
    _Atomic uint64_t turn_count;
    _Atomic uint64_t row_count;
    uint64_t unended_count;
} fixture;

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    fixture *self = (fixture *)(void *)events;
    if (row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_UNENDED) != 0) {
        self->unended_count++;
    } else {
        self->row_count++;
    }
    return TACHO_OK;
}

static void *collect(void *user)
{
    fixture *self = user;
    struct epoll_event events[8];
    while (!self->is_stopping) {
        int count = epoll_wait(self->epoll_fd, events, 8, 1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u64 >= TACHO_WAY_EVENTS) {
                tacho_collector_handle(&self->collector, events[i].data.u64 - TACHO_WAY_EVENTS);
            } else { /* a child has ended */
                pid_t pid = (pid_t)events[i].data.u64;
                int64_t now_ns = tacho_process_now_ns();
                tacho_collector_end(&self->collector, pid, now_ns);
                tacho_sampler_end(&self->sampler, pid, NULL, now_ns);
            }
        }
        if (!self->is_idle) {
            tacho_collector_drain(&self->collector);
        }
        self->turn_count++;
    }
    return NULL;
}

static void start_on(fixture *self, int32_t port)
{
    static const tacho_events_vtable vtable = {.row = take_row};
    char address[64];
    *self = (fixture){0};
    self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    assert_true(self->epoll_fd >= 0);
    assert_null(tacho_dict_init(&self->dict));
    self->events = (tacho_events){&vtable, &self->dict};
    assert_null(tacho_recorder_open(&self->recorder, &self->events, TACHO_STR("test"), 1));
    tacho_sampler_init(&self->sampler, &self->recorder, self->epoll_fd);
    const tacho_way_context context = {
        .recorder = &self->recorder,
        .sampler = &self->sampler,
        .epoll_fd = self->epoll_fd,
        .event_base = TACHO_WAY_EVENTS,
        .stats_level = 70,
        .port = port,
    };
    assert_null(tacho_collector_open(&self->collector, &context));
    snprintf(address, sizeof(address), "127.0.0.1:%u", (unsigned)self->collector.tcp.port);
    assert_int_equal(setenv("TACHO_COLLECTOR", port < 0 ? self->collector.socket.path : address, 1),
                     0);
    assert_int_equal(pthread_create(&self->thread, NULL, collect, self), 0);
}

static void start(fixture *self)
{
    start_on(self, -1);
}

static void halt(fixture *self)
{
    self->is_stopping = true;
    pthread_join(self->thread, NULL);
}

/* Ends a collector that is halted; returns its counts. */
static tacho_collector_counts finish(fixture *self)
{
    tacho_collector_finish(&self->collector, tacho_process_now_ns());
    tacho_collector_counts counts = self->collector.counts;
    assert_null(self->recorder.failure);
    tacho_collector_close(&self->collector);
    tacho_sampler_deinit(&self->sampler);
    tacho_recorder_close(&self->recorder);
    tacho_dict_deinit(&self->dict);
    close(self->epoll_fd);
    return counts;
}

static tacho_collector_counts stop(fixture *self)
{
    halt(self);
    return finish(self);
}

/* Each test runs in a process of its own: a client connects once in its life. */
static void in_child(void (*test)(void))
{
    pid_t child = fork();
    if (child == 0) {
        test();
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Assertions of cmocka jump; in a child they shall end it. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void *emit(void *user)
{
    for (uintptr_t i = 0; i < (uintptr_t)user; i++) {
        TACHO_ZONE("outer");
        TACHO_COUNTER("count", "count", (double)i);
    }
    return NULL;
}

static void run_threads(size_t count, uintptr_t events)
{
    pthread_t threads[200];
    for (size_t i = 0; i < count; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, emit, (void *)events) == 0);
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* ---- without a collector ------------------------------------------------------------------- */

static void nobody_listens(void)
{
    REQUIRE(unsetenv("TACHO_COLLECTOR") == 0);
    emit((void *)(uintptr_t)1000);
    REQUIRE(!tacho_client_is_active());
}

static void nobody_is_there(void)
{
    REQUIRE(setenv("TACHO_COLLECTOR", "/no/such/socket", 1) == 0);
    emit((void *)(uintptr_t)1000);
    REQUIRE(!tacho_client_is_active());
}

static void works_without_a_collector(void **state)
{
    (void)state;
    in_child(nobody_listens);
    in_child(nobody_is_there);
}

/* ---- threads ------------------------------------------------------------------------------- */

static void count_threads(void)
{
    fixture self;
    start(&self);
    run_threads(8, 20000);
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events + counts.dropped == 8 * 20000 * 2);
    REQUIRE(counts.clients == 1 && counts.bad == 0 && counts.broken == 0);
}

/* More at once than a segment has rings, and more after them than there were rings. */
static void count_many_threads(void)
{
    fixture self;
    start(&self);
    run_threads(200, 100);
    for (int i = 0; i < 100; i++) {
        run_threads(2, 5);
    }
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events + counts.dropped + counts.unplaced == (200 * 100 + 100 * 2 * 5) * 2);
    REQUIRE(counts.unplaced == 0);
}

/*
 * Both sides at the same addresses: the thread sanitizer identifies memory by its address, so only
 * here can it see races between client and collector.
 */
static void count_threads_in_one_mapping(void)
{
    fixture self;
    start(&self);
    self.is_idle = true;
    REQUIRE(tacho_client_is_active());
    for (uint64_t turn = self.turn_count; self.turn_count < turn + 2;) {
        usleep(1000); /* until the drain that was going on is over */
    }
    tacho_shared_memory *memory = &self.collector.segments->memory;
    munmap(memory->bytes, memory->len);
    memory->bytes = tacho_client_process.segments[0];
    self.collector.segments->decoder.strings = (const char *)memory->bytes + TACHO_WIRE_AT_STRINGS;
    self.is_idle = false;
    run_threads(6, 3000);
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events + counts.dropped == 6 * 3000 * 2);
    REQUIRE(counts.bad == 0 && counts.broken == 0);
}

/* The same over a port of this computer. */
static void count_threads_over_tcp(void)
{
    fixture self;
    start_on(&self, 0);
    run_threads(100, 500);
    pid_t child = fork();
    if (child == 0) {
        emit((void *)(uintptr_t)50);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events + counts.dropped == (100 * 500 + 50) * 2);
    REQUIRE(counts.clients == 2 && counts.bad == 0 && counts.refused == 0);
    REQUIRE(counts.processes == 2);
}

static void threads_are_all_counted(void **state)
{
    (void)state;
    in_child(count_threads_over_tcp);
    in_child(count_threads);
    in_child(count_threads_in_one_mapping);
    in_child(count_many_threads);
}

/* ---- overload ------------------------------------------------------------------------------ */

static void count_overload(void)
{
    fixture self;
    start(&self);
    self.is_idle = true;
    REQUIRE(tacho_client_is_active());
    const uint64_t emitted = 2 * (TACHO_WIRE_RECORDS + 1000);
    emit((void *)(uintptr_t)(emitted / 2));
    self.is_idle = false;
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events == TACHO_WIRE_RECORDS);
    REQUIRE(counts.dropped == emitted - TACHO_WIRE_RECORDS);
}

/* Names that fill the area of strings, and more: 8 MiB of them fit. */
static void count_names(void)
{
    enum { NAME = 60000, NAMES = 200 };
    fixture self;
    static char name[NAME + 1];
    start(&self);
    for (int i = 0; i < NAMES; i++) {
        memset(name, 'a', NAME);
        snprintf(name, sizeof(name), "%d", i);
        name[strlen(name)] = ' ';
        tacho_client_signpost(name);
    }
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events == TACHO_WIRE_STRINGS / NAME);
    REQUIRE(counts.dropped == NAMES - counts.events);
    REQUIRE(self.row_count == counts.events && counts.bad == 0);
}

/* A handler that interrupts the first call finds no ring to count its event in. */
static void count_first_handler(void)
{
    fixture self;
    start(&self);
    tacho_client_this_thread()->is_busy = 1;
    emit((void *)(uintptr_t)3);
    tacho_client_this_thread()->is_busy = 0;
    emit((void *)(uintptr_t)5);
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events == 2 * 5);
    REQUIRE(counts.dropped == 2 * 3);
}

static void a_full_ring_drops_and_counts(void **state)
{
    (void)state;
    in_child(count_overload);
    in_child(count_names);
    in_child(count_first_handler);
}

/* ---- processes ----------------------------------------------------------------------------- */

static void emit_in_children(void)
{
    fixture self;
    start(&self);
    emit((void *)(uintptr_t)10);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            emit((void *)(uintptr_t)50);
            if (i % 2 == 0) {
                TACHO_ZONE("never ends");
                kill(getpid(), SIGKILL);
            }
            _exit(0);
        }
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
        emit((void *)(uintptr_t)10);
    }
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.clients == 21);
    REQUIRE(counts.events + counts.dropped == (21 * 10 + 20 * 50) * 2);
    /* Killed in a zone; and processes whose end the collector met only when it stopped. */
    REQUIRE(self.unended_count >= 10);
}

static void children_are_clients_of_their_own(void **state)
{
    (void)state;
    in_child(emit_in_children);
}

/* ---- everything else ----------------------------------------------------------------------- */

static void emit_all_kinds(void)
{
    fixture self;
    start(&self);
    const int64_t shape[] = {1, 3, 224, 224};
    const tacho_client_tensor tensor = {"float32", "TILE", "DRAM", shape, 4};
    const tacho_client_arg arg = {"bytes", TACHO_CLIENT_UINT, TACHO_CLIENT_BYTES, {.as_uint = 7}};
    tacho_client_site site = {.name = "with args"};
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, &site);
    tacho_client_zone_end_args(&zone, &arg, 1);
    tacho_client_clock_pair(0, tacho_client_now(), 1000, 1000000000);
    uint64_t now = tacho_client_now();
    const tacho_client_op op = {
        .code = "MatMul",
        .type = "cpu",
        .location = "model.py:3",
        .attributes = "{}",
        .call = 5,
        .host_start_ns = now - 100,
        .host_end_ns = now,
        .device_start_ticks = 900,
        .device_end_ticks = 950,
        .inputs = &tensor,
        .input_count = 1,
        .outputs = &tensor,
        .output_count = 1,
        .args = &arg,
        .arg_count = 1,
    };
    tacho_client_report_op(&op);
    tacho_client_message("hello", 5);
    tacho_client_signpost("epoch");
    tacho_client_flow(9, TACHO_CLIENT_FLOW_LEAVES);
    char *large = malloc(200000);
    REQUIRE(large != NULL);
    memset(large, 'x', 200000);
    tacho_client_message(large, 200000); /* is cut */
    free(large);
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events == 8 && counts.bad == 0 && counts.untimed == 0 && counts.dropped == 0);
    REQUIRE(self.row_count >= 7);
}

static void every_kind_is_understood(void **state)
{
    (void)state;
    in_child(emit_all_kinds);
}

/* ---- programs that are not clients --------------------------------------------------------- */

enum { SILENT = TACHO_COLLECTOR_WAITING_MAX + 100 };

static int connect_to(const fixture *self)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, self->collector.socket.path, strlen(self->collector.socket.path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(fd >= 0);
    REQUIRE(connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
    return fd;
}

static void say_garbage(void)
{
    fixture self;
    int silent[SILENT];
    start(&self);
    for (size_t i = 0; i < SILENT; i++) { /* half open, more than may wait */
        silent[i] = connect_to(&self);
    }
    for (int i = 0; i < 50; i++) {
        tacho_wire_hello hello = {TACHO_WIRE_HELLO, TACHO_WIRE_VERSION, 0, 0};
        hello.magic += i % 3 == 0 ? 1 : 0;
        hello.version += i % 3 == 1 ? 1 : 0;
        hello.more_of = i % 3 == 2 ? UINT32_MAX : 0; /* and has nothing yet */
        int fd = connect_to(&self);
        REQUIRE(send(fd, &hello, i % 2 == 0 ? sizeof(hello) : 3, MSG_NOSIGNAL) > 0);
        shutdown(fd, SHUT_WR); /* and there is no more of it */
        char answer[64];
        ssize_t got = recv(fd, answer, sizeof(answer), 0);
        REQUIRE(got <= 0);
        close(fd);
    }
    emit((void *)(uintptr_t)100); /* a good one is served all the same */
    for (size_t i = 0; i < SILENT; i++) {
        close(silent[i]);
    }
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.clients == 1);
    REQUIRE(counts.events == 200);
    REQUIRE(counts.refused >= 50 + SILENT - TACHO_COLLECTOR_WAITING_MAX);
}

static int connect_over_tcp(const fixture *self)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(self->collector.tcp.port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(fd >= 0);
    REQUIRE(connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
    return fd;
}

/*
 * Half open, in the name of another process or of a thread (the collector's), too short, cut off;
 * and then a good one.
 */
static void say_garbage_over_tcp(void)
{
    fixture self;
    int silent[SILENT];
    start_on(&self, 0);
    for (size_t i = 0; i < SILENT; i++) {
        silent[i] = connect_over_tcp(&self);
    }
    for (uint32_t i = 0; i < 40; i++) {
        const tacho_wire_hello hello = {TACHO_WIRE_HELLO, TACHO_WIRE_VERSION + (i % 4 == 0), 0,
                                        i % 4 == 1 ? 1 : (uint32_t)getpid() + (i % 4 == 2)};
        int fd = connect_over_tcp(&self);
        REQUIRE(send(fd, &hello, i % 4 == 3 ? 5 : sizeof(hello), MSG_NOSIGNAL) > 0);
        shutdown(fd, SHUT_WR);
        char answer[64];
        REQUIRE(recv(fd, answer, sizeof(answer), 0) <= 0);
        close(fd);
    }
    const tacho_wire_hello hello = {TACHO_WIRE_HELLO, TACHO_WIRE_VERSION, 0, (uint32_t)getpid()};
    int fd = connect_over_tcp(&self); /* requests memory, and never opens it */
    REQUIRE(send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) > 0);
    emit((void *)(uintptr_t)100);
    for (size_t i = 0; i < SILENT; i++) {
        close(silent[i]);
    }
    close(fd);
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.clients == 2);
    REQUIRE(counts.events == 200);
    REQUIRE(counts.refused >= 40 + SILENT - TACHO_COLLECTOR_WAITING_MAX);
}

/* Late clients are counted, since their events are lost. */
static void ask_too_late(void)
{
    fixture self;
    start_on(&self, 0);
    halt(&self);
    int first = connect_to(&self);
    int second = connect_over_tcp(&self);
    close(connect_over_tcp(&self));
    tacho_collector_counts counts = finish(&self);
    REQUIRE(counts.unserved == 3);
    REQUIRE(counts.clients == 0 && counts.refused == 0);
    close(first);
    close(second);
}

/* A hello that arrives in two pieces, cut at each byte. */
static void say_hello_in_pieces(void)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    const tacho_wire_hello hello = {TACHO_WIRE_HELLO, TACHO_WIRE_VERSION, 0, (uint32_t)getpid()};
    const char *bytes = (const char *)&hello;
    fixture self;
    start_on(&self, 0);
    for (size_t i = 1; i < 2 * sizeof(hello); i++) {
        size_t cut = i % sizeof(hello);
        int fd = i < sizeof(hello) ? connect_to(&self) : connect_over_tcp(&self);
        tacho_wire_welcome welcome = {0};
        REQUIRE(cut == 0 || send(fd, bytes, cut, MSG_NOSIGNAL) == (ssize_t)cut);
        nanosleep(&nap, NULL);
        REQUIRE(send(fd, bytes + cut, sizeof(hello) - cut, MSG_NOSIGNAL) > 0);
        REQUIRE(recv(fd, &welcome, sizeof(welcome), MSG_WAITALL) == (ssize_t)sizeof(welcome));
        REQUIRE(welcome.magic == TACHO_WIRE_WELCOME);
        close(fd);
    }
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.clients == 2 * sizeof(hello) - 1);
    REQUIRE(counts.processes == 1); /* of one process */
    REQUIRE(counts.refused == 0);
}

static void hello_may_come_in_pieces(void **state)
{
    (void)state;
    in_child(say_hello_in_pieces);
}

static void garbage_is_refused(void **state)
{
    (void)state;
    in_child(say_garbage);
    in_child(say_garbage_over_tcp);
    in_child(ask_too_late);
}

/* ---- ports --------------------------------------------------------------------------------- */

static void a_taken_port_names_its_holder(void **state)
{
    tacho_tcp_socket one;
    tacho_tcp_socket two;
    char pid[32];
    (void)state;
    assert_null(tacho_tcp_socket_open(&one, 0));
    assert_true(one.port > 0);
    tacho_status status = tacho_tcp_socket_open(&two, one.port);
    assert_non_null(status);
    snprintf(pid, sizeof(pid), "(process %ld)", (long)getpid());
    assert_non_null(strstr(tacho_status_message(status), pid));
    tacho_status_free(status);
    tacho_tcp_socket_close(&two);
    tacho_tcp_socket_close(&one);
}

/* Numbers in a segment that no client writes: more zones and records than there can be. */
static void write_nonsense(void)
{
    fixture self;
    start(&self);
    emit((void *)(uintptr_t)3);
    void *segment = tacho_client_process.segments[0];
    tacho_wire_header *header = segment;
    for (size_t i = 1; i < TACHO_WIRE_RINGS; i++) {
        tacho_wire_ring *ring = tacho_wire_ring_at(segment, i);
        atomic_store(&ring->depth, UINT32_MAX);
        atomic_store(&ring->dropped, UINT64_MAX);
        atomic_store(&ring->head, i % 2 == 0 ? UINT64_MAX : 0);
        atomic_store(&ring->state, TACHO_WIRE_ACTIVE);
    }
    atomic_store(&header->unplaced, UINT64_MAX);
    atomic_store(&header->used, UINT64_MAX);
    tacho_collector_counts counts = stop(&self);
    REQUIRE(counts.events == 6);
    REQUIRE(counts.broken == TACHO_WIRE_RINGS / 2 - 1);
    REQUIRE(counts.bad == (uint64_t)TACHO_WIRE_RINGS / 2 * TACHO_WIRE_OPEN_MAX);
    REQUIRE(counts.dropped == 0 && counts.unplaced == TACHO_LOSS_MAX);
    REQUIRE(self.unended_count == 0);
}

static void nonsense_is_counted(void **state)
{
    (void)state;
    in_child(write_nonsense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works_without_a_collector),
        cmocka_unit_test(threads_are_all_counted),
        cmocka_unit_test(a_full_ring_drops_and_counts),
        cmocka_unit_test(children_are_clients_of_their_own),
        cmocka_unit_test(every_kind_is_understood),
        cmocka_unit_test(hello_may_come_in_pieces),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(a_taken_port_names_its_holder),
        cmocka_unit_test(nonsense_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
