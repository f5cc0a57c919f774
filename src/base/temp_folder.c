/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock is flock: it is released when its process ends. Where a file system has no locks for
 * directories, such as NFS, it is unknown which processes are alive, and nothing is removed.
 */
#define _GNU_SOURCE /* mkdtemp, flock */
#include "base/temp_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "tacho-"
#define RANDOM "XXXXXX"

enum { ABANDONED_S = 60 }; /* a younger one may not be locked yet */

/* Whether |folder| is one of ours whose process has ended. */
static bool is_abandoned(int folder)
{
    struct stat facts;
    return fstat(folder, &facts) == 0 && facts.st_uid == geteuid() &&
           (facts.st_mode & 07777) == S_IRWXU && facts.st_mtime <= time(NULL) - ABANDONED_S &&
           flock(folder, LOCK_EX | LOCK_NB) == 0;
}

/* Removes the directory |entry| of |parent| if a tacho that was killed has left it there. */
static void remove_abandoned(int parent, const char *entry, const char *name, bool is_socket)
{
    struct stat facts;
    int folder = openat(parent, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return;
    }
    if (is_abandoned(folder)) {
        bool is_there = fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
        if (is_there && (is_socket ? S_ISSOCK(facts.st_mode) : S_ISREG(facts.st_mode))) {
            unlinkat(folder, name, 0);
        }
        unlinkat(parent, entry, AT_REMOVEDIR); /* only if nothing else is in it */
    }
    close(folder);
}

static void remove_all_abandoned(const char *parent, const char *name, bool is_socket)
{
    DIR *list = opendir(parent);
    if (list == NULL) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
            strlen(entry->d_name) == strlen(PREFIX RANDOM)) {
            remove_abandoned(dirfd(list), entry->d_name, name, is_socket);
        }
    }
    closedir(list);
}

bool tacho_temp_folder_make(tacho_temp_folder *out_folder, const char *parent, const char *name,
                            bool is_socket, unsigned path_max)
{
    *out_folder = (tacho_temp_folder){.fd = -1};
    size_t len = parent != NULL ? strlen(parent) + strlen("/" PREFIX RANDOM "/") + strlen(name) : 0;
    if (parent == NULL || parent[0] != '/' || len >= path_max || len >= TACHO_TEMP_FOLDER_MAX) {
        errno = parent != NULL && parent[0] == '/' ? ENAMETOOLONG : ENOENT;
        return false;
    }
    snprintf(out_folder->path, sizeof(out_folder->path), "%s/" PREFIX RANDOM, parent);
    if (mkdtemp(out_folder->path) == NULL) {
        out_folder->path[0] = '\0';
        return false;
    }
    out_folder->fd = open(out_folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (out_folder->fd >= 0) {
        flock(out_folder->fd, LOCK_EX | LOCK_NB);
    }
    remove_all_abandoned(parent, name, is_socket);
    return true;
}

void tacho_temp_folder_remove(tacho_temp_folder *folder)
{
    if (folder->path[0] == '\0') {
        return;
    }
    rmdir(folder->path);
    if (folder->fd >= 0) {
        close(folder->fd);
    }
    *folder = (tacho_temp_folder){.fd = -1};
}
