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
                fchmod(fd, ALL_MAY_WRITE); /* whatever the mask; the owner alone can */
            }
        }
        if (fd < 0 && errno != ENOENT && errno != EEXIST) {
            break;
        }
    }
    return fd;
}

tacho_status tacho_board_lock_open(tacho_board_lock *out_lock)
{
    const char *path = getenv(TACHO_BOARD_LOCK_VARIABLE);
    struct stat facts;
    *out_lock = (tacho_board_lock){
        .path = path != NULL && path[0] != '\0' ? path : TACHO_BOARD_LOCK,
        .fd = -1,
    };
    out_lock->fd = open_file(out_lock->path);
    if (out_lock->fd < 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot open the lock of the board: %s",
                          out_lock->path, strerror(errno));
    }
    if (fstat(out_lock->fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        tacho_board_lock_close(out_lock);
        return tacho_fail(TACHO_CODE_IO, "%s: the lock of the board is not a regular file",
                          out_lock->path);
    }
    return TACHO_OK;
}

static void write_holder(const tacho_board_lock *lock, tacho_str who)
{
    char text[TACHO_BOARD_HOLDER_BYTES];
    char moment[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(moment, sizeof(moment), "%Y-%m-%d %H:%M:%S UTC", &parts);
    }
    int len = snprintf(text, sizeof(text), "%.*s since %s (process %ld)\n",
                       who.len < 100 ? (int)who.len : 100, who.data, moment, (long)getpid());
    if (ftruncate(lock->fd, 0) == 0 && len > 0) {
        ssize_t written = pwrite(lock->fd, text, (size_t)len, 0);
        (void)written; /* the lock is ours whether it says so or not */
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

bool tacho_board_lock_try(tacho_board_lock *lock, tacho_str who,
                          char out_holder[TACHO_BOARD_HOLDER_BYTES])
{
    if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
        read_holder(lock, out_holder);
        return false;
    }
    write_holder(lock, who);
    return true;
}

void tacho_board_lock_close(tacho_board_lock *lock)
{
    if (lock->fd >= 0) {
        close(lock->fd);
    }
    lock->fd = -1;
}
