/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the collector, and a ring for each thread. Happens once in a process and once in a
 * thread; everything else is in memory by then.
 */
#define _DEFAULT_SOURCE /* syscall */
#include "client/local.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    PATIENCE_S = 30, /* a busy machine may need some for hundreds of programs at once */
    /* Of linux/fcntl.h, which does not go together with fcntl.h. */
    GET_SEALS = 1024 + 10,
    SEAL_SHRINK = 2,
};

client_process tacho_client_process;

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static int has_thread_key;

/* ---- fork and the ends of threads ---------------------------------------------------------- */

static void lock_process(void)
{
    pthread_mutex_lock(&process_lock);
}

static void unlock_process(void)
{
    pthread_mutex_unlock(&process_lock);
}

/*
 * Until the child has forgotten its parent, handlers of signals must stay out: they would write to
 * the parent's ring.
 */
static void begin_fork(void)
{
    tacho_client_this_thread()->is_busy++;
    lock_process();
}

static void end_fork(void)
{
    unlock_process();
    tacho_client_this_thread()->is_busy--;
}

/* The child is a client of its own: rings and segments are its parent's. */
static void forget_parent(void)
{
    client_process *process = &tacho_client_process;
    client_thread *thread = tacho_client_this_thread();
    *thread = (client_thread){.is_busy = 1};
    for (uint32_t i = 0; i < process->segment_count; i++) {
        munmap(process->segments[i], TACHO_WIRE_SEGMENT_BYTES);
    }
    process->segment_count = 0;
    atomic_store_explicit(&process->call_count, 0, memory_order_relaxed);
    atomic_store_explicit(&process->generation, CLIENT_UNTRIED, memory_order_relaxed);
    pthread_mutex_init(&process_lock, NULL);
    client_leave(thread);
}

/* The thread ends: its ring is read to the end, and then another's. */
static void client_detach(client_thread *thread)
{
    tacho_wire_ring *ring = thread->ring;
    uint32_t generation =
        atomic_load_explicit(&tacho_client_process.generation, memory_order_relaxed);
    bool is_present = thread->generation == generation;
    *thread = (client_thread){0};
    if (ring != NULL && is_present) {
        atomic_store_explicit(&ring->state, TACHO_WIRE_FINISHED, memory_order_release);
    }
}

static void end_thread(void *thread)
{
    client_detach(thread);
}

static void prepare(void)
{
    has_thread_key = pthread_key_create(&thread_key, end_thread) == 0;
    pthread_atfork(begin_fork, end_fork, forget_parent);
}

/* ---- the handshake ------------------------------------------------------------------------- */

/* The address of a collector: a path, or a port of this computer. */
typedef union collector_address {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_in port;
} collector_address;

/* Reads "127.0.0.1:PORT"; false for anything else. */
static bool read_port(const char *text, collector_address *address)
{
    static const char host[] = "127.0.0.1:";
    unsigned port = 0;
    if (strncmp(text, host, sizeof(host) - 1) != 0) {
        return false;
    }
    for (text += sizeof(host) - 1; *text >= '0' && *text <= '9' && port <= UINT16_MAX; text++) {
        port = port * 10 + (unsigned)(*text - '0');
    }
    address->port = (struct sockaddr_in){.sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)port),
                                         .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return *text == '\0' && port > 0 && port <= UINT16_MAX;
}

/* The address of the collector from the environment; 0: none. */
static socklen_t find_collector(collector_address *address)
{
    const char *text = getenv(TACHO_WIRE_VARIABLE);
    if (text == NULL || getauxval(AT_SECURE) != 0) {
        return 0;
    }
    if (read_port(text, address)) {
        return sizeof(address->port);
    }
    address->path = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(text) >= sizeof(address->path.sun_path)) {
        return 0;
    }
    memcpy(address->path.sun_path, text, strlen(text));
    return sizeof(address->path);
}

/* Whether it is our own user at the other end: a path in /tmp may be another's by now. */
static bool is_own(int fd)
{
    struct {
        pid_t pid;
        uid_t uid;
        gid_t gid;
    } peer; /* ucred */
    socklen_t len = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

/* A socket that is connected to the collector, or -1. */
static int open_socket(bool *out_is_tcp)
{
    collector_address address;
    struct timeval patience = {.tv_sec = PATIENCE_S};
    socklen_t len = find_collector(&address);
    *out_is_tcp = len > 0 && address.any.sa_family == AF_INET;
    int fd = len > 0 ? socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, &address.any, len) != 0 || (!*out_is_tcp && !is_own(fd))) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool is_good_welcome(const tacho_wire_welcome *welcome)
{
    return welcome->magic == TACHO_WIRE_WELCOME && welcome->version == TACHO_WIRE_VERSION &&
           welcome->segment_bytes == TACHO_WIRE_SEGMENT_BYTES;
}

/* Opens the segment that a welcome over TCP names, or -1. */
static int open_segment(int fd)
{
    tacho_wire_tcp_welcome welcome = {0};
    char path[64];
    ssize_t got = 0;
    do {
        got = recv(fd, &welcome, sizeof(welcome), MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof(welcome) || !is_good_welcome(&welcome.welcome)) {
        return -1;
    }
    snprintf(path, sizeof(path), "/proc/%u/fd/%u", welcome.pid, welcome.descriptor);
    return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* The descriptor received with a welcome, or -1. */
static int receive_segment(int fd)
{
    tacho_wire_welcome welcome = {0};
    struct iovec bytes = {&welcome, sizeof(welcome)};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &bytes,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    memset(&control, 0, sizeof(control));
    ssize_t got = 0;
    do {
        got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    int segment = -1;
    if (got > 0 && head != NULL && head->cmsg_level == SOL_SOCKET &&
        head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(&segment, CMSG_DATA(head), sizeof(segment));
    }
    bool is_good = got == (ssize_t)sizeof(welcome) && is_good_welcome(&welcome);
    if (segment >= 0 && !is_good) {
        close(segment);
        segment = -1;
    }
    return segment;
}

/*
 * Whether the segment has its full size and cannot shrink: access beyond its end would raise a
 * signal. Only memory files have seals, so no other file is written to, whatever path a stranger at
 * a port sends.
 */
static bool is_whole(int segment)
{
    struct stat facts;
    int seals = fcntl(segment, GET_SEALS);
    return seals >= 0 && (seals & SEAL_SHRINK) != 0 && fstat(segment, &facts) == 0 &&
           facts.st_size >= TACHO_WIRE_SEGMENT_BYTES;
}

/* A segment of the collector, or NULL. */
static void *map_segment(uint32_t more_of)
{
    const tacho_wire_hello hello = {TACHO_WIRE_HELLO, TACHO_WIRE_VERSION, more_of,
                                    (uint32_t)getpid()};
    bool is_tcp = false;
    int fd = open_socket(&is_tcp);
    if (fd < 0) {
        return NULL;
    }
    int segment = -1;
    if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == (ssize_t)sizeof(hello)) {
        segment = is_tcp ? open_segment(fd) : receive_segment(fd);
    }
    close(fd);
    if (segment < 0) {
        return NULL;
    }
    void *memory = MAP_FAILED;
    if (is_whole(segment)) {
        memory = mmap(NULL, TACHO_WIRE_SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, segment, 0);
    }
    close(segment);
    return memory != MAP_FAILED ? memory : NULL;
}

/* ---- processes and threads ----------------------------------------------------------------- */

/* Looks for the collector. The lock is held. */
static void connect_process(client_process *process)
{
    void *segment = map_segment(0);
    uint32_t generation = CLIENT_OFF;
    if (segment != NULL) {
        process->segments[0] = segment;
        process->segment_count = 1;
        generation = ++process->last_generation;
    }
    atomic_store_explicit(&process->generation, generation, memory_order_release);
}

static tacho_wire_ring *claim_in(void *segment)
{
    tacho_wire_header *header = segment;
    for (size_t i = 0; i < TACHO_WIRE_RINGS; i++) {
        tacho_wire_ring *ring = tacho_wire_ring_at(segment, i);
        uint32_t expected = TACHO_WIRE_FREE;
        if (atomic_load_explicit(&ring->state, memory_order_relaxed) == TACHO_WIRE_FREE &&
            atomic_compare_exchange_strong_explicit(&ring->state, &expected, TACHO_WIRE_CLAIMED,
                                                    memory_order_acquire, memory_order_relaxed)) {
            atomic_fetch_or_explicit(&header->used, UINT64_C(1) << i, memory_order_release);
            return ring;
        }
    }
    return NULL;
}

/* A free ring, of a new segment if the others have none. The lock is held. */
static tacho_wire_ring *claim(client_process *process)
{
    tacho_wire_ring *ring = NULL;
    for (uint32_t i = 0; i < process->segment_count && ring == NULL; i++) {
        ring = claim_in(process->segments[i]);
    }
    if (ring == NULL && process->segment_count < CLIENT_SEGMENTS_MAX) {
        void *segment = map_segment(client_header()->client);
        if (segment != NULL) {
            process->segments[process->segment_count++] = segment;
            ring = claim_in(segment);
        }
    }
    return ring;
}

static void take_ring(client_thread *thread, tacho_wire_ring *ring)
{
    thread->ring = ring;
    thread->depth = 0;
    thread->is_stalled = false;
    if (ring == NULL) {
        return;
    }
    thread->records = tacho_wire_records(ring);
    thread->head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    thread->tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    ring->tid = (uint32_t)syscall(SYS_gettid);
    memset(ring->name, 0, sizeof(ring->name));
    prctl(PR_GET_NAME, (unsigned long)(uintptr_t)ring->name, 0UL, 0UL, 0UL);
    atomic_store_explicit(&ring->depth, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->state, TACHO_WIRE_ACTIVE, memory_order_release);
}

bool tacho_client_attach(client_thread *thread)
{
    client_process *process = &tacho_client_process;
    pthread_once(&once, prepare);
    lock_process();
    if (atomic_load_explicit(&process->generation, memory_order_relaxed) == CLIENT_UNTRIED) {
        connect_process(process);
    }
    uint32_t generation = atomic_load_explicit(&process->generation, memory_order_relaxed);
    if (generation != CLIENT_OFF) {
        take_ring(thread, claim(process));
        thread->generation = generation;
        if (has_thread_key && thread->ring != NULL) {
            pthread_setspecific(thread_key, thread);
        }
    }
    unlock_process();
    return generation != CLIENT_OFF;
}

void tacho_client_turn_off(void)
{
    atomic_store_explicit(&tacho_client_process.generation, CLIENT_OFF, memory_order_relaxed);
}
