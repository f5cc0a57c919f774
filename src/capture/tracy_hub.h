/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy clients among the processes of a capture: finds them, connects, and keeps all sessions
 * going at once. Nothing here blocks: a client that hangs, or sends wrong data, loses its own
 * events and delays no other.
 *
 * A client listens on a TCP port. It is found by its UDP announcement, or as a socket that listens
 * on one of Tracy's ports. It is connected to only if a process of the capture, of our own user,
 * holds that socket, and its data is used only if such a process holds the other end of the
 * connection; programs of others are left alone.
 */
#ifndef TACHO_CAPTURE_TRACY_HUB_H
#define TACHO_CAPTURE_TRACY_HUB_H

#include "capture/sampler.h"
#include "capture/tracy_session.h"

enum {
    TACHO_TRACY_PORT = 8086,   /* the first one that clients try */
    TACHO_TRACY_PORTS = 20,    /* number of these ports */
    TACHO_TRACY_CLIENTS = 256, /* at once */
    TACHO_TRACY_CLOCKS = 8,    /* that clients may have */
    TACHO_TRACY_UDP_SOCKETS = 3,
};

typedef struct tacho_tracy_client tacho_tracy_client;

/* Where a client was found, and how that went. */
typedef struct tacho_tracy_found {
    pid_t pid;
    uint16_t port;
    uint32_t protocol; /* that it announced; 0: not known */
    bool is_done;      /* it has, or had, a session; or is not a client */
    bool is_gone;      /* it has announced its end, and nothing else so far */
    bool is_counted;   /* as captured, refused or silent */
    unsigned tries;
    int64_t retry_ns;
} tacho_tracy_found;

typedef struct tacho_tracy_hub_counts {
    uint64_t programs; /* whose events were taken */
    uint64_t events;   /* rows of them */
    uint64_t zones;
    uint64_t refused; /* with a session elsewhere, or an unknown protocol */
    uint64_t foreign; /* that no process of the command has, or one of another user */
    uint64_t damaged; /* whose data could not be read to the end */
    uint64_t silent;  /* that did not answer in time */
    uint64_t missed;  /* that announced themselves and ended before they were met */
} tacho_tracy_hub_counts;

typedef struct tacho_tracy_hub {
    tacho_recorder *recorder;
    tacho_sampler *sampler;
    int epoll_fd;
    uint64_t event_base;
    tacho_events events;                  /* rows go to the recorder */
    int udp_fds[TACHO_TRACY_UDP_SOCKETS]; /* for announcements; -1: not open */
    bool hears;                           /* any is */
    int extra_port;                       /* that the environment names; 0: none */
    tacho_tracy_clock clocks[TACHO_TRACY_CLOCKS];
    size_t clock_count;
    tacho_tracy_client *clients[TACHO_TRACY_CLIENTS];
    size_t client_count;
    tacho_tracy_found *found;
    size_t found_count, found_capacity;
    uint64_t looked_at;     /* processes that the last look for sockets knew */
    uint64_t sockets;       /* that listened then, mixed */
    uint32_t last_protocol; /* that a client spoke */
    uint16_t
        foreign_port; /* that a process of another user listens on, which is counted; 0: none */
    int64_t start_ns;
    tacho_tracy_hub_counts counts;
} tacho_tracy_hub;

/*
 * Opens the socket for announcements, if possible. Epoll events of the hub have data from
 * |event_base| on. Close it even if that failed.
 */
tacho_status tacho_tracy_hub_open(tacho_tracy_hub *hub, tacho_recorder *recorder,
                                  tacho_sampler *sampler, int epoll_fd,
                                  uint64_t event_base) TACHO_MUST_USE;
void tacho_tracy_hub_close(tacho_tracy_hub *hub);

/* An epoll event: its data less the base. */
void tacho_tracy_hub_handle(tacho_tracy_hub *hub, uint64_t event);

/* A process has ended: whose announcement is still unread is known for this last moment. */
void tacho_tracy_hub_end_process(tacho_tracy_hub *hub);

/* Looks for clients and ends overdue sessions; returns when to call it again. */
int64_t tacho_tracy_hub_look(tacho_tracy_hub *hub, int64_t now_ns);

/* The capture ends: takes the data that has arrived, and ends all sessions. */
void tacho_tracy_hub_finish(tacho_tracy_hub *hub);

/* Opens the sockets for announcements, as far as possible; reads datagrams that have arrived. */
void tacho_tracy_announce_open(tacho_tracy_hub *hub);
void tacho_tracy_announce_close(tacho_tracy_hub *hub);
void tacho_tracy_announce_read(tacho_tracy_hub *hub);

/* Looks for sockets that listen; used by the hub. */
void tacho_tracy_find_sockets(tacho_tracy_hub *hub);

/*
 * Where the environment names one port for all: notes clients that do not listen on any, so far.
 * Those that never do are counted; they run on and lose all that they record.
 */
void tacho_tracy_find_portless(tacho_tracy_hub *hub);
uint64_t tacho_tracy_count_portless(const tacho_tracy_hub *hub);

/*
 * The process of the capture, of our own user, that listens on |port|: |pid| if it is that one,
 * else any other; 0 where there is none.
 */
pid_t tacho_tracy_find_holder(const tacho_tracy_hub *hub, pid_t pid, uint16_t port);

/* Notes that |pid| listens on |port|. */
void tacho_tracy_note_client(tacho_tracy_hub *hub, pid_t pid, uint16_t port, uint32_t protocol);

/* Notes that |pid| has listened on |port| and does so no longer, unless it is known already. */
void tacho_tracy_note_gone(tacho_tracy_hub *hub, pid_t pid, uint16_t port, uint32_t protocol);

/*
 * The entry of the process in the session with found[|at|]: its client reports |pid|, which may
 * have taken over the port of another. |at| where the pid is unknown here, as from a container.
 */
size_t tacho_tracy_owner(tacho_tracy_hub *hub, size_t at, uint64_t pid);

/* Whether |pid| runs no longer. */
bool tacho_tracy_has_ended(pid_t pid);

/* Whether |pid| is one of the processes of the capture, or below one. */
bool tacho_tracy_is_ours(const tacho_tracy_hub *hub, pid_t pid);

#endif
