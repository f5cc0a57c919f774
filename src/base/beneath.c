/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openat2(2) with RESOLVE_BENEATH, which leaves no gap between the check and the opening. Where the
 * kernel or a filter of system calls does not have it, each component is opened by itself without
 * following links. O_NONBLOCK keeps a FIFO from blocking before it is found to be one.
 */
#define _GNU_SOURCE /* syscall, O_PATH */
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FILE_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
    FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC,
};

/* The failure to open |path|, by errno. */
static tacho_status fail_open(const char *folder, const char *path)
{
    bool is_outside = errno == EXDEV || errno == ELOOP;
    if (is_outside) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "'%s' is outside the directory '%s'; copy the file into that directory",
                          path, folder);
    }
    return tacho_fail(errno == ENOENT ? TACHO_CODE_NOT_FOUND : TACHO_CODE_IO,
                      "cannot open '%s' in the directory '%s': %s", path, folder, strerror(errno));
}

/* Keeps |file| if it is a regular file. */
static tacho_status check_file(const char *folder, const char *path, int file, int *out_fd)
{
    struct stat facts;
    tacho_status status = TACHO_OK;
    if (fstat(file, &facts) != 0) {
        status = fail_open(folder, path);
    } else if (!S_ISREG(facts.st_mode)) {
        status = tacho_fail(TACHO_CODE_BAD_DATA,
                            "'%s' in the directory '%s' is not a regular file; expected a file",
                            path, folder);
    }
    if (status != TACHO_OK) {
        close(file);
        return status;
    }
    *out_fd = file;
    return TACHO_OK;
}

/* Opens |name| without following it; errno is ELOOP where it is a link. */
static int open_step(int folder_fd, const char *name, int flags)
{
    struct stat facts;
    if (strcmp(name, "..") == 0) {
        errno = EXDEV;
        return -1;
    }
    int fd = openat(folder_fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR) { /* a link, or a file in the place of a folder */
        bool is_link =
            fstatat(folder_fd, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
        errno = is_link ? ELOOP : ENOTDIR;
    }
    return fd;
}

/* The file at the end of |path|; |folder_fd| is taken over. */
static int open_steps(int folder_fd, const char *path)
{
    char name[NAME_MAX + 1];
    for (bool is_last = false; folder_fd >= 0 && !is_last;) {
        size_t len = strcspn(path, "/");
        is_last = path[len] == '\0';
        int next = -1;
        if (len > NAME_MAX) {
            errno = ENAMETOOLONG;
        } else {
            memcpy(name, path, len);
            name[len] = '\0';
            next = open_step(folder_fd, len == 0 ? "." : name, is_last ? FILE_FLAGS : FOLDER_FLAGS);
        }
        int why = errno;
        close(folder_fd);
        errno = why;
        folder_fd = next;
        path += len + (is_last ? 0 : 1);
    }
    return folder_fd;
}

tacho_status tacho_beneath_open_by_steps(const char *folder, const char *path, int *out_fd)
{
    *out_fd = -1;
    if (path[0] == '/') {
        errno = EXDEV;
        return fail_open(folder, path);
    }
    int file = open_steps(open(folder, FOLDER_FLAGS), path);
    return file < 0 ? fail_open(folder, path) : check_file(folder, path, file, out_fd);
}

tacho_status tacho_beneath_open(const char *folder, const char *path, int *out_fd)
{
    *out_fd = -1;
    int folder_fd = open(folder, FOLDER_FLAGS);
    if (folder_fd < 0) {
        return fail_open(folder, path);
    }
    struct open_how how = {
        .flags = FILE_FLAGS,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long file = syscall(SYS_openat2, folder_fd, path, &how, sizeof(how));
    int why = errno;
    close(folder_fd);
    errno = why;
    if (file < 0 && (why == ENOSYS || why == EPERM || why == EAGAIN)) {
        return tacho_beneath_open_by_steps(folder, path, out_fd);
    }
    return file < 0 ? fail_open(folder, path) : check_file(folder, path, (int)file, out_fd);
}
