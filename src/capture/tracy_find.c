/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding Tracy clients: which sockets listen on one of its ports, and whose they are.
 */
#include "capture/tracy_hub.h"

#include "base/grow.h"
#include "base/proc_files.h"
#include "base/process.h"
#include "base/tcp_socket.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOCKETS_MAX = 64, PARENTS_MAX = 64, FOUND_MAX = 4096 };

static const int64_t announcement_ns = 60 * 1000000LL; /* from listening to announcing */

/* A socket that listens. */
typedef struct listening {
    uint64_t inode;
    uint16_t port;
} listening;

typedef struct listening_list {
    listening items[SOCKETS_MAX];
    size_t count;
} listening_list;

bool tacho_tracy_is_ours(const tacho_tracy_hub *hub, pid_t pid)
{
    for (unsigned i = 0; i < PARENTS_MAX && pid > 1; i++) {
        tacho_proc_stat stat;
        if (tacho_sampler_group(hub->sampler, pid) != TACHO_NONE) {
            return true;
        }
        if (!tacho_proc_read_stat(pid, 0, &stat)) {
            return false;
        }
        pid = (pid_t)stat.parent;
    }
    return false;
}

bool tacho_tracy_has_ended(pid_t pid)
{
    tacho_proc_stat stat;
    return !tacho_proc_read_stat(pid, 0, &stat) || stat.state == 'Z';
}

static tacho_tracy_found *find_client(const tacho_tracy_hub *hub, pid_t pid, uint16_t port)
{
    for (size_t i = 0; i < hub->found_count; i++) {
        if (hub->found[i].pid == pid && hub->found[i].port == port) {
            return &hub->found[i];
        }
    }
    return NULL;
}

static tacho_tracy_found *add_client(tacho_tracy_hub *hub, const tacho_tracy_found *found)
{
    if (hub->found_count == FOUND_MAX) {
        return NULL;
    }
    tacho_status status = tacho_grow(&hub->found, &hub->found_capacity, hub->found_count + 1);
    if (status != TACHO_OK) {
        tacho_status_free(status); /* it is found again at the next look */
        return NULL;
    }
    hub->found[hub->found_count] = *found;
    return &hub->found[hub->found_count++];
}

void tacho_tracy_note_client(tacho_tracy_hub *hub, pid_t pid, uint16_t port, uint32_t protocol)
{
    tacho_tracy_found *known = find_client(hub, pid, port);
    if (known == NULL) {
        /* A client announces its protocol as soon as it listens: that saves trying them all. */
        bool waits = protocol == 0 && hub->hears;
        const tacho_tracy_found found = {.pid = pid,
                                         .port = port,
                                         .protocol = protocol,
                                         .retry_ns =
                                             waits ? tacho_process_now_ns() + announcement_ns : 0};
        add_client(hub, &found);
        return;
    }
    if (known->is_gone) { /* it is not: it had refused a connection */
        known->is_gone = false;
        known->is_done = false;
    }
    if (protocol != 0) {
        known->protocol = protocol;
        known->retry_ns = known->tries > 0 ? known->retry_ns : 0;
    }
}

void tacho_tracy_note_gone(tacho_tracy_hub *hub, pid_t pid, uint16_t port, uint32_t protocol)
{
    const tacho_tracy_found found = {
        .pid = pid, .port = port, .protocol = protocol, .is_done = true, .is_gone = true};
    for (size_t i = 0; i < hub->found_count; i++) {
        if (hub->found[i].pid == pid) {
            return;
        }
    }
    add_client(hub, &found);
}

size_t tacho_tracy_owner(tacho_tracy_hub *hub, size_t at, uint64_t pid)
{
    const tacho_tracy_found found = hub->found[at];
    if (pid == (uint64_t)found.pid || pid > INT32_MAX ||
        tacho_sampler_group(hub->sampler, (pid_t)pid) == TACHO_NONE) {
        return at;
    }
    tacho_tracy_found *owner = find_client(hub, (pid_t)pid, found.port);
    if (owner == NULL) {
        const tacho_tracy_found added = {
            .pid = (pid_t)pid, .port = found.port, .protocol = found.protocol};
        owner = add_client(hub, &added);
    }
    if (owner == NULL) {
        return at;
    }
    owner->is_done = true;
    owner->is_gone = false;
    return (size_t)(owner - hub->found);
}

static bool is_wanted(const tacho_tracy_hub *hub, unsigned port)
{
    return (port >= TACHO_TRACY_PORT && port < TACHO_TRACY_PORT + TACHO_TRACY_PORTS) ||
           (hub->extra_port > 0 && port == (unsigned)hub->extra_port);
}

typedef struct socket_search {
    const tacho_tracy_hub *hub;
    uint16_t only; /* 0: any port of interest */
    listening_list *list;
    tacho_tcp_listener *foreign; /* the last of another user; NULL: not wanted */
} socket_search;

static void take_socket(void *user, const tacho_tcp_listener *listener)
{
    const socket_search *search = user;
    bool is_of_interest =
        search->only > 0 ? listener->port == search->only : is_wanted(search->hub, listener->port);
    if (is_of_interest && listener->uid != geteuid() && search->foreign != NULL) {
        *search->foreign = *listener;
    }
    if (is_of_interest && listener->uid == geteuid() && search->list->count < SOCKETS_MAX) {
        search->list->items[search->list->count++] = (listening){listener->inode, listener->port};
    }
}

/* The sockets that our own user has listening on |only|, or where that is 0 on a port of interest.
 */
static void list_sockets(const tacho_tracy_hub *hub, uint16_t only, listening_list *list,
                         tacho_tcp_listener *foreign)
{
    socket_search search = {hub, only, list, foreign};
    tacho_tcp_each_listener(take_socket, &search);
}

/* Those of the sockets that |pid| has. */
static void match_process(pid_t pid, const listening_list *list, listening_list *out_held)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char link[64];
        uint64_t inode = 0;
        ssize_t len = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);
        link[len > 0 ? len : 0] = '\0';
        if (sscanf(link, "socket:[%" SCNu64 "]", &inode) != 1) {
            continue;
        }
        for (size_t i = 0; i < list->count && out_held->count < SOCKETS_MAX; i++) {
            if (list->items[i].inode == inode) {
                out_held->items[out_held->count++] = list->items[i];
            }
        }
    }
    closedir(folder);
}

static bool holds_any(pid_t pid, const listening_list *list)
{
    listening_list held = {.count = 0};
    match_process(pid, list, &held);
    return held.count > 0;
}

pid_t tacho_tracy_find_holder(const tacho_tracy_hub *hub, pid_t pid, uint16_t port)
{
    listening_list list = {.count = 0};
    if (port == 0) {
        return 0;
    }
    list_sockets(hub, port, &list, NULL);
    if (list.count == 0) {
        return 0;
    }
    if (holds_any(pid, &list)) {
        return pid;
    }
    for (size_t i = 0; i < hub->sampler->item_count; i++) {
        if (holds_any(hub->sampler->items[i].pid, &list)) {
            return hub->sampler->items[i].pid;
        }
    }
    return 0;
}

/*
 * A process of the command that runs as another user, such as one that sudo started, and listens
 * where Tracy clients do: it is not captured. Its descriptors cannot be looked at, so its user
 * decides.
 */
static void count_foreign(tacho_tracy_hub *hub, const tacho_tcp_listener *listener)
{
    if (listener->port == 0 || listener->port == hub->foreign_port) {
        return;
    }
    for (size_t i = 0; i < hub->sampler->item_count; i++) {
        char text[1024] = "";
        unsigned uid = 0;
        tacho_proc_read_file(hub->sampler->items[i].pid, "status", text, sizeof(text));
        const char *line = strstr(text, "\nUid:");
        if (line != NULL && sscanf(line, "\nUid:\t%*u\t%u", &uid) == 1 && uid == listener->uid) {
            hub->foreign_port = listener->port;
            hub->counts.foreign++;
            return;
        }
    }
}

/* Whether |pid| has the thread that Tracy's client starts, under the name that it gives it. */
static bool has_client_thread(pid_t pid)
{
    tacho_proc_ids threads = {0};
    bool has_one = false;
    tacho_status_free(tacho_proc_list_threads(pid, &threads)); /* looked at again later */
    for (size_t i = 0; i < threads.item_count && !has_one; i++) {
        tacho_proc_stat stat;
        has_one = tacho_proc_read_stat(pid, threads.items[i], &stat) &&
                  strcmp(stat.name, "Tracy Profiler") == 0;
    }
    tacho_proc_ids_deinit(&threads);
    return has_one;
}

static bool is_found(const tacho_tracy_hub *hub, pid_t pid)
{
    for (size_t i = 0; i < hub->found_count; i++) {
        if (hub->found[i].pid == pid) {
            return true;
        }
    }
    return false;
}

void tacho_tracy_find_portless(tacho_tracy_hub *hub)
{
    for (size_t i = 0; hub->extra_port > 0 && i < hub->sampler->item_count; i++) {
        pid_t pid = hub->sampler->items[i].pid;
        if (!is_found(hub, pid) && has_client_thread(pid)) {
            add_client(hub, &(tacho_tracy_found){.pid = pid, .is_done = true});
        }
    }
}

uint64_t tacho_tracy_count_portless(const tacho_tracy_hub *hub)
{
    uint64_t count = 0;
    for (size_t i = 0; i < hub->found_count; i++) {
        bool listens = hub->found[i].port != 0;
        for (size_t k = 0; k < hub->found_count && !listens; k++) {
            listens = hub->found[k].pid == hub->found[i].pid && hub->found[k].port != 0;
        }
        count += listens ? 0 : 1;
    }
    return count;
}

void tacho_tracy_find_sockets(tacho_tracy_hub *hub)
{
    listening_list list = {.count = 0};
    tacho_tcp_listener foreign = {.port = 0};
    uint64_t mixed = 0;
    list_sockets(hub, 0, &list, &foreign);
    count_foreign(hub, &foreign);
    for (size_t i = 0; i < list.count; i++) {
        mixed = (mixed ^ list.items[i].inode) * UINT64_C(0x9e3779b97f4a7c15);
    }
    /* Processes are gone through only where there is a new socket, or a new process. */
    if (mixed == hub->sockets && hub->sampler->seen_count == hub->looked_at) {
        return;
    }
    hub->sockets = mixed;
    hub->looked_at = hub->sampler->seen_count;
    for (size_t i = 0; i < hub->sampler->item_count && list.count > 0; i++) {
        pid_t pid = hub->sampler->items[i].pid;
        listening_list held = {.count = 0};
        match_process(pid, &list, &held);
        for (size_t k = 0; k < held.count; k++) {
            tacho_tracy_note_client(hub, pid, held.items[k].port, 0);
        }
    }
}
