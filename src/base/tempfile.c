/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unlinked temporary files: O_TMPFILE where the file system has it, else created and unlinked.
 */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_named(const char *folder, char name[TACHO_TEMPFILE_NAME_BYTES])
{
    int len = snprintf(name, TACHO_TEMPFILE_NAME_BYTES, "%s/tacho-XXXXXX", folder);
    if (len < 0 || len >= TACHO_TEMPFILE_NAME_BYTES) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkostemp(name, O_CLOEXEC);
}

static int open_unnamed(const char *folder, char name[TACHO_TEMPFILE_NAME_BYTES])
{
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd >= 0) {
        return fd;
    }
    fd = open_named(folder, name);
    if (fd >= 0) {
        unlink(name);
    }
    return fd;
}

/* Opens a file by |open_in|, in the first folder that will do. */
static tacho_status open_somewhere(int (*open_in)(const char *folder, char *name), char *name,
                                   tacho_tempfile *out_file)
{
    *out_file = (tacho_tempfile){.fd = -1};
    const char *chosen = getenv("TMPDIR");
    const char *const fallbacks[] = {"/var/tmp", "/tmp"};
    if (chosen != NULL && chosen[0] != '\0') {
        out_file->fd = open_in(chosen, name);
    } else {
        for (size_t i = 0; i < 2 && out_file->fd < 0; i++) {
            chosen = fallbacks[i];
            out_file->fd = open_in(chosen, name);
        }
    }
    return out_file->fd >= 0 ? TACHO_OK
                             : tacho_fail(TACHO_CODE_IO,
                                          "cannot make a temporary file in %s: %s; set TMPDIR to a "
                                          "directory with free space",
                                          chosen, strerror(errno));
}

tacho_status tacho_tempfile_open(tacho_tempfile *out_file)
{
    char name[TACHO_TEMPFILE_NAME_BYTES];
    return open_somewhere(open_unnamed, name, out_file);
}

tacho_status tacho_tempfile_open_named(tacho_tempfile *out_file,
                                       char out_name[TACHO_TEMPFILE_NAME_BYTES])
{
    return open_somewhere(open_named, out_name, out_file);
}

void tacho_tempfile_close(tacho_tempfile *file)
{
    if (file->fd >= 0) {
        close(file->fd);
    }
    *file = (tacho_tempfile){.fd = -1};
}

static tacho_status write_at(const tacho_tempfile *file, uint64_t offset, const char *at,
                             size_t len)
{
    while (len > 0) {
        ssize_t written = pwrite(file->fd, at, len, (off_t)offset);
        if (written < 0 && errno != EINTR) {
            return tacho_fail(
                TACHO_CODE_IO,
                "cannot write a temporary file: %s; set TMPDIR to a directory with free space",
                strerror(errno));
        }
        if (written > 0) {
            at += written;
            len -= (size_t)written;
            offset += (uint64_t)written;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_tempfile_append(tacho_tempfile *file, const void *bytes, size_t len)
{
    TACHO_TRY(write_at(file, file->size_bytes, bytes, len));
    file->size_bytes += len;
    return TACHO_OK;
}

tacho_status tacho_tempfile_replace(tacho_tempfile *file, uint64_t offset, const void *bytes,
                                    size_t len)
{
    return write_at(file, offset, bytes, len);
}

tacho_status tacho_tempfile_read(const tacho_tempfile *file, uint64_t offset, void *bytes,
                                 size_t len)
{
    char *at = bytes;
    while (len > 0) {
        ssize_t got = pread(file->fd, at, len, (off_t)offset);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return tacho_fail(TACHO_CODE_IO, "cannot read back a temporary file: %s",
                              got == 0 ? "it is shorter than was written" : strerror(errno));
        }
        if (got > 0) {
            at += got;
            len -= (size_t)got;
            offset += (uint64_t)got;
        }
    }
    return TACHO_OK;
}
