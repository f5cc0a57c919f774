/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flock, which needs no permission to write: a board may have several users. In a directory that
 * all may write to, the kernel refuses to make a file that is another user's, so it is opened
 * first and made only where there is none.
 */
#include "remote/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 10, ALL_MAY_WRITE = 0666 };

static int open_file(const char *path)
{
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        fd = open(path, O_RDWR | flags);
        if (fd < 0 && errno == EACCES) {
            fd = open(path, O_RDONLY | flags);
        }
        if (fd < 0 && errno == ENOENT) {
            fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, ALL_MAY_WRITE);
            if (fd >= 0) {
                fchmod(fd, ALL_MAY_WRITE); /* despite the mask; only the owner can */
            }
        }
        if (fd < 0 && errno != ENOENT && errno != EEXIST) {
            break;
        }
    }
    return fd;
}

/* Opens the file of that name, in place of the one that is open. */
static tacho_status open_again(tacho_board_lock *lock)
{
    struct stat facts;
    tacho_board_lock_close(lock);
    lock->fd = open_file(lock->path);
    if (lock->fd < 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot open the lock of the board: %s", lock->path,
                          strerror(errno));
    }
    if (fstat(lock->fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        tacho_board_lock_close(lock);
        return tacho_fail(TACHO_CODE_IO, "%s: the lock of the board is not a regular file",
                          lock->path);
    }
    return TACHO_OK;
}

tacho_status tacho_board_lock_open(tacho_board_lock *out_lock)
{
    const char *path = getenv(TACHO_BOARD_LOCK_VARIABLE);
    *out_lock = (tacho_board_lock){
        .path = path != NULL && path[0] != '\0' ? path : TACHO_BOARD_LOCK,
        .fd = -1,
    };
    return open_again(out_lock);
}

/* Whether the file that is open still has its name. */
static bool is_current(const tacho_board_lock *lock)
{
    struct stat ours;
    struct stat named;
    return fstat(lock->fd, &ours) == 0 && lstat(lock->path, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* A file with another name, too, may be someone's own that was linked there: it is left alone. */
static void write_holder(const tacho_board_lock *lock, tacho_str who)
{
    struct stat facts;
    char text[TACHO_BOARD_HOLDER_BYTES];
    char moment[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(moment, sizeof(moment), "%Y-%m-%d %H:%M:%S UTC", &parts);
    }
    int len = snprintf(text, sizeof(text), "%.*s since %s (process %ld)\n",
                       who.len < 100 ? (int)who.len : 100, who.data, moment, (long)getpid());
    bool is_ours = fstat(lock->fd, &facts) == 0 && facts.st_nlink == 1;
    if (is_ours && len > 0 && ftruncate(lock->fd, 0) == 0) {
        ssize_t written = pwrite(lock->fd, text, (size_t)len, 0);
        (void)written; /* the lock is ours even without our name in it */
    }
}

static void read_holder(const tacho_board_lock *lock, char out_holder[TACHO_BOARD_HOLDER_BYTES])
{
    ssize_t len = pread(lock->fd, out_holder, TACHO_BOARD_HOLDER_BYTES - 1, 0);
    size_t end = len > 0 ? (size_t)len : 0;
    out_holder[end] = '\0';
    out_holder[strcspn(out_holder, "\n")] = '\0';
    if (out_holder[0] == '\0') {
        snprintf(out_holder, TACHO_BOARD_HOLDER_BYTES, "another user");
    }
}

tacho_status tacho_board_lock_try(tacho_board_lock *lock, tacho_str who, bool *out_is_ours,
                                  char out_holder[TACHO_BOARD_HOLDER_BYTES])
{
    *out_is_ours = false;
    for (int i = 0; i < TRIES; i++) {
        if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
            read_holder(lock, out_holder);
            return TACHO_OK;
        }
        if (is_current(lock)) {
            write_holder(lock, who);
            *out_is_ours = true;
            return TACHO_OK;
        }
        TACHO_TRY(open_again(lock));
    }
    return tacho_fail(TACHO_CODE_IO, "%s: the lock of the board is replaced again and again",
                      lock->path);
}

void tacho_board_lock_close(tacho_board_lock *lock)
{
    if (lock->fd >= 0) {
        close(lock->fd);
    }
    lock->fd = -1;
}
