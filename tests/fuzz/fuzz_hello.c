/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what strangers say to the collector before they are given memory, over its Unix socket and
 * over TCP: the first byte says which, whether the bytes come in two pieces, and whether a hello
 * over TCP has our process id.
 *
 * Laws: every connection is served, refused, silent, or still waiting, and none is forgotten; only
 * a hello that is whole, of this version and of its own process is answered.
 */
#include "base/process.h"
#include "capture/collector.h"
#include "mutate/mutate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const fuzz_layout fuzz_input_layout = {.prefix_bytes = 1};

enum { IS_TCP = 1, IS_IN_PIECES = 2, IS_OURS = 4, IS_GONE = 8, SENT_MAX = 64 };
enum { EVENT_SOCKET, EVENT_TCP, EVENT_WAITING };

typedef struct listener {
    tacho_events events;
    tacho_dict dict;
    tacho_recorder recorder;
    tacho_sampler sampler;
    tacho_collector collector;
} listener;

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static tacho_status drop_row(tacho_events *events, const tacho_row *row)
{
    (void)events;
    (void)row;
    return TACHO_OK;
}

static listener *open_listener(void)
{
    static const tacho_events_vtable vtable = {.row = drop_row};
    static listener only;
    static bool is_open;
    if (is_open) {
        return &only;
    }
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    require(epoll_fd >= 0 && tacho_dict_init(&only.dict) == TACHO_OK);
    only.events = (tacho_events){&vtable, &only.dict};
    require(tacho_recorder_open(&only.recorder, &only.events, TACHO_STR("fuzz"), 1) == TACHO_OK);
    tacho_sampler_init(&only.sampler, &only.recorder, epoll_fd);
    const tacho_way_context context = {
        .recorder = &only.recorder, .sampler = &only.sampler, .epoll_fd = epoll_fd, .port = 0};
    require(tacho_collector_open(&only.collector, &context) == TACHO_OK);
    is_open = true;
    return &only;
}

static int connect_to(const tacho_collector *collector, bool is_tcp)
{
    struct sockaddr_in port = {.sin_family = AF_INET,
                               .sin_port = htons(collector->tcp.port),
                               .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    memcpy(path.sun_path, collector->socket.path, strlen(collector->socket.path));
    int fd = socket(is_tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const void *address = is_tcp ? (const void *)&port : (const void *)&path;
    require(fd >= 0);
    require(connect(fd, address, is_tcp ? sizeof(port) : sizeof(path)) == 0);
    return fd;
}

/* Whether the bytes are a hello that has to be answered. */
static bool is_hello(const unsigned char *bytes, size_t len, bool is_tcp)
{
    tacho_wire_hello hello;
    if (len < sizeof(hello)) {
        return false;
    }
    memcpy(&hello, bytes, sizeof(hello));
    return hello.magic == TACHO_WIRE_HELLO && hello.version == TACHO_WIRE_VERSION &&
           hello.more_of == 0 && (!is_tcp || hello.pid == (uint32_t)getpid());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    listener *self = open_listener();
    tacho_collector *collector = &self->collector;
    unsigned char bytes[SENT_MAX] = {0};
    if (size == 0) {
        return 0;
    }
    bool is_tcp = (data[0] & IS_TCP) != 0;
    size_t len = size - 1 < SENT_MAX ? size - 1 : SENT_MAX;
    memcpy(bytes, data + 1, len);
    if ((data[0] & IS_OURS) != 0 && len >= sizeof(tacho_wire_hello)) {
        const uint32_t pid = (uint32_t)getpid();
        memcpy(bytes + offsetof(tacho_wire_hello, pid), &pid, sizeof(pid));
    }
    const tacho_collector_counts before = collector->counts;
    size_t first = (data[0] & IS_IN_PIECES) != 0 ? len / 2 : len;
    int fd = connect_to(collector, is_tcp);
    require(first == 0 || send(fd, bytes, first, MSG_NOSIGNAL) == (ssize_t)first);
    tacho_collector_handle(collector, is_tcp ? EVENT_TCP : EVENT_SOCKET);
    if (len > first) {
        send(fd, bytes + first, len - first, MSG_NOSIGNAL);
    }
    tacho_collector_handle(collector, EVENT_WAITING);
    const tacho_collector_counts *after = &collector->counts;
    bool must_serve = is_hello(bytes, len, is_tcp); /* in one piece or in two */
    require(!must_serve || after->clients + after->unserved > before.clients + before.unserved);
    require(must_serve || after->clients == before.clients);
    close(fd);
    tacho_collector_handle(collector, EVENT_WAITING);
    require(collector->waiting_count == 0);
    uint64_t ended = after->clients + after->refused + after->silent + after->unserved;
    require(ended == before.clients + before.refused + before.silent + before.unserved + 1);
    require(len == 0 || after->silent == before.silent);
    tacho_collector_end(collector, getpid(), tacho_process_now_ns());
    return 0;
}
