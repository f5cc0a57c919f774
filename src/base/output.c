/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole-or-nothing files. Where the file system can (ext4, xfs, btrfs, tmpfs), the file is
 * unnamed until it is complete, so even kill -9 leaves nothing; elsewhere it has a temporary
 * name that close removes.
 */
#define _GNU_SOURCE /* O_TMPFILE, linkat of an open file, sync_file_range, syncfs */
#include "base/output.h"

#include "base/color.h"

#include "base/cpu.h"
#include "base/grow.h"
#include "base/output_turns.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 256 << 10,
    BEHIND_BYTES = 4 << 20,     /* from here on a file is large */
    WRITE_BACK_BYTES = 8 << 20, /* how often the kernel is asked to start writing to disk */
    NAME_TRIES = 100,
    NEW_FILE_MODE = 0666,
    PRIVATE_MODE = 0600,
    PRINTF_ROOM = 4096,
    MARK_HEAD_BYTES = 4096,
    SELF_PATH_ROOM = 64,
    GROUP_FILES_MAX = 64,       /* each has a descriptor, and each folder */
    GROUP_LIMIT_SHARE = 8,      /* of the descriptors that there may be, so many have one file */
    GROUP_BYTES_MAX = 64 << 20, /* large files are worth waiting for one by one */
    GROUP_FEW = 4,              /* so many are synced one by one, without the data of others */
};

static tacho_status io_failure(const tacho_output *output, const char *verb)
{
    const char *advice = errno == ENOSPC ? "; free some space or write elsewhere" : "";
    return tacho_fail(TACHO_CODE_IO, "%s: cannot %s: %s%s", output->name, verb, strerror(errno),
                      advice);
}

/* Writes all of |bytes| to the file descriptor. */
static tacho_status write_fd(void *self, const void *bytes, size_t len)
{
    tacho_output *output = self;
    const char *at = bytes;
    while (len > 0) {
        ssize_t written = write(output->fd, at, len);
        if (written < 0 && errno != EINTR) {
            return io_failure(output, "write");
        }
        if (written > 0) {
            at += written;
            len -= (size_t)written;
        }
    }
    return TACHO_OK;
}

/* Starts write-back early, so that the final fsync does not wait for the whole file. */
static void start_write_back(tacho_output *output)
{
    if (!output->is_direct && output->written_bytes - output->synced_bytes >= WRITE_BACK_BYTES) {
        sync_file_range(output->fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* advice; may fail harmlessly */
        output->synced_bytes = output->written_bytes;
    }
}

static tacho_status push(tacho_output *output, const void *bytes, size_t len, bool is_last)
{
    tacho_str view = tacho_str_make(bytes, len);
    if (output->is_terminal) {
        return tacho_terminal_run(&output->terminal, view, is_last, write_fd, output);
    }
    return output->encoder != NULL
               ? tacho_encoder_run(output->encoder, view, is_last, write_fd, output)
               : write_fd(output, bytes, len);
}

static tacho_status write_part(tacho_output *output, const void *bytes, size_t len, bool is_last)
{
    TACHO_TRY(push(output, bytes, len, is_last));
    output->written_bytes += len;
    start_write_back(output);
    return TACHO_OK;
}

/* A tacho_behind_write. No other thread touches its data while it runs. */
static tacho_status write_behind(void *self, const void *bytes, size_t len)
{
    return write_part(self, bytes, len, false);
}

tacho_status tacho_output_write_part(tacho_output *output, const void *bytes, size_t len)
{
    return write_part(output, bytes, len, false);
}

/* Whether a thread writes; it is started when the file turns out to be large. */
static bool is_behind(tacho_output *output)
{
    if (output->behind != NULL || output->is_alone || output->turns != NULL ||
        output->flushed_bytes < BEHIND_BYTES) {
        return output->behind != NULL;
    }
    output->is_alone = output->is_direct || !tacho_cpu_is_spare();
    if (!output->is_alone) {
        output->behind = tacho_behind_start(write_behind, output, BUFFER_BYTES);
        output->is_alone = output->behind == NULL;
    }
    return output->behind != NULL;
}

/* Waits until the thread has written all it was given. */
static void end_behind(tacho_output *output)
{
    tacho_status status = tacho_behind_end(output->behind);
    output->behind = NULL;
    output->is_alone = true;
    if (output->failure == TACHO_OK) {
        output->failure = status;
    } else {
        tacho_status_free(status);
    }
}

/* Waits for bytes that were given to other threads before. */
static void wait_for_others(tacho_output *output, bool is_last)
{
    if (is_last) {
        end_behind(output);
        tacho_output_turns_end(output);
    } else if (output->turns != NULL) {
        tacho_output_turns_wait(output->turns);
    }
}

static void flush_buffer(tacho_output *output, bool is_last)
{
    size_t len = (size_t)(output->cursor - output->buffer);
    wait_for_others(output, is_last);
    if (output->failure == TACHO_OK) {
        if (!is_last && is_behind(output)) {
            output->failure = tacho_behind_give(output->behind, output->buffer, len);
        } else {
            output->failure = write_part(output, output->buffer, len, is_last);
        }
        output->flushed_bytes += len;
    }
    output->cursor = output->buffer;
}

void tacho_output_make_room(tacho_output *output)
{
    flush_buffer(output, false);
}

void tacho_output_flush(tacho_output *output)
{
    flush_buffer(output, false);
    if (output->behind != NULL && output->failure == TACHO_OK) {
        output->failure = tacho_behind_wait(output->behind);
    }
}

void tacho_output_write_slow(tacho_output *output, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    while (len > 0) {
        size_t room = (size_t)(output->limit - output->cursor);
        size_t part = len < room ? len : room;
        memcpy(output->cursor, at, part);
        output->cursor += part;
        at += part;
        len -= part;
        if (output->cursor == output->limit) {
            tacho_output_make_room(output);
        }
    }
}

void tacho_output_printf(tacho_output *output, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    char *room = (char *)tacho_output_reserve(output, PRINTF_ROOM);
    int len = vsnprintf(room, PRINTF_ROOM, format, arguments);
    if (len >= PRINTF_ROOM) {
        char *text = malloc((size_t)len + 1);
        if (text != NULL) {
            vsnprintf(text, (size_t)len + 1, format, again);
            tacho_output_write(output, text, (size_t)len);
            free(text);
        } else if (output->failure == TACHO_OK) {
            output->failure = tacho_no_memory();
        }
    } else if (len > 0) {
        output->cursor += len;
    }
    va_end(again);
    va_end(arguments);
}

/* The folder of |path| as an open descriptor. */
static tacho_status open_folder(tacho_output *output)
{
    tacho_str path = tacho_str_from_cstring(output->path);
    size_t folder_len = path.len - tacho_str_basename(path).len;
    char *folder = folder_len == 0 ? strdup(".") : strndup(output->path, folder_len);
    if (folder == NULL) {
        return tacho_no_memory();
    }
    output->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return output->folder_fd < 0 ? io_failure(output, "open the directory of this file") : TACHO_OK;
}

/* A short name in the folder of |path|, since that of |path| may be as long as names can be. */
static tacho_status make_temp_name(tacho_output *output, int attempt)
{
    tacho_str path = tacho_str_from_cstring(output->path);
    size_t folder_len = path.len - tacho_str_basename(path).len;
    size_t room = folder_len + 64;
    free(output->temp_path);
    output->temp_path = malloc(room);
    if (output->temp_path == NULL) {
        return tacho_no_memory();
    }
    snprintf(output->temp_path, room, "%.*s.tacho-%ld-%d.partial", (int)folder_len, output->path,
             (long)getpid(), attempt);
    return TACHO_OK;
}

static void forget_temp_name(tacho_output *output)
{
    free(output->temp_path);
    output->temp_path = NULL;
}

/* A file that replaces another one is private until it takes that file's mode. */
static mode_t creation_mode(const tacho_output *output)
{
    return output->replaces ? PRIVATE_MODE : NEW_FILE_MODE;
}

static tacho_status create_named(tacho_output *output)
{
    for (int attempt = 0; attempt < NAME_TRIES; attempt++) {
        TACHO_TRY(make_temp_name(output, attempt));
        output->fd = open(output->temp_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          creation_mode(output));
        if (output->fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    if (output->fd < 0) {
        forget_temp_name(output);
        return io_failure(output, "create a temporary file beside it");
    }
    return TACHO_OK;
}

static tacho_status create_file(tacho_output *output)
{
    TACHO_TRY(open_folder(output));
    output->owns_fd = true;
    /* The kernel takes the umask off, as it does for any new file. */
    output->fd =
        openat(output->folder_fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, creation_mode(output));
    return output->fd >= 0 ? TACHO_OK : create_named(output);
}

static tacho_status open_direct(tacho_output *output)
{
    output->is_direct = true;
    output->owns_fd = true;
    output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return output->fd < 0 ? io_failure(output, "open") : TACHO_OK;
}

/* Follows a symbolic link, so that the link stays and its target is replaced. */
static tacho_status resolve_path(tacho_output *output, const char *path, bool is_link)
{
    char *resolved = is_link ? realpath(path, NULL) : NULL;
    output->path = resolved != NULL ? resolved : strdup(path);
    return output->path != NULL ? TACHO_OK : tacho_no_memory();
}

static tacho_status open_target(tacho_output *output, const char *path)
{
    struct stat facts;
    bool is_link = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
    TACHO_TRY(resolve_path(output, path, is_link));
    if (stat(output->path, &facts) != 0) {
        return is_link ? tacho_fail(TACHO_CODE_IO, "%s is a dangling symbolic link", output->name)
                       : create_file(output);
    }
    if (S_ISDIR(facts.st_mode)) {
        return tacho_fail(TACHO_CODE_IO, "%s is a directory; name a file", output->name);
    }
    output->replaces = true;
    return S_ISREG(facts.st_mode) ? create_file(output) : open_direct(output);
}

static tacho_status refuse_chosen(const tacho_output *output, const char *what)
{
    return tacho_fail(TACHO_CODE_IO, "%s exists and is %s; remove it or choose another directory",
                      output->name, what);
}

/* Whether the file begins with something that has |mark|. */
static tacho_status check_mark(const tacho_output *output, const char *mark)
{
    char head[MARK_HEAD_BYTES];
    int file = open(output->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (file < 0) {
        return io_failure(output, "look at the file that is there");
    }
    ssize_t len = read(file, head, sizeof(head));
    tacho_status status = len < 0 ? io_failure(output, "look at the file that is there") : TACHO_OK;
    close(file);
    bool is_ours = len <= 0 || memmem(head, (size_t)len, mark, strlen(mark)) != NULL;
    return status == TACHO_OK && !is_ours ? refuse_chosen(output, "another kind of file") : status;
}

/* Checks whether an existing file under the name of |output| may be replaced. */
static tacho_status choose_path(tacho_output *output, const char *path, const char *mark)
{
    struct stat facts;
    TACHO_TRY(resolve_path(output, path, false));
    output->replaces = lstat(path, &facts) == 0;
    if (output->replaces && S_ISLNK(facts.st_mode)) {
        return refuse_chosen(output, "a symbolic link");
    }
    if (output->replaces && !S_ISREG(facts.st_mode)) {
        return refuse_chosen(output, "not a regular file");
    }
    return output->replaces && mark != NULL ? check_mark(output, mark) : TACHO_OK;
}

static tacho_status open_chosen(tacho_output *output, const char *path, const char *mark)
{
    TACHO_TRY(choose_path(output, path, mark));
    return create_file(output);
}

static tacho_status open_stdout(tacho_output *output)
{
    output->is_direct = true;
    output->fd = STDOUT_FILENO;
    return TACHO_OK;
}

static tacho_status set_name(tacho_output *output, const char *path)
{
    output->name = strdup(strcmp(path, "-") == 0 ? "standard output" : path);
    return output->name != NULL ? TACHO_OK : tacho_no_memory();
}

static void find_terminal(tacho_output *output)
{
    output->is_terminal = output->is_direct && output->encoder == NULL && isatty(output->fd) == 1;
}

static tacho_status open_buffer(tacho_output *output, const char *path)
{
    TACHO_TRY(set_name(output, path));
    output->buffer = malloc(BUFFER_BYTES);
    if (output->buffer == NULL) {
        return tacho_no_memory();
    }
    output->cursor = output->buffer;
    output->limit = output->buffer + BUFFER_BYTES;
    return tacho_encoder_create(tacho_str_from_cstring(path), &output->encoder);
}

static tacho_status open_all(tacho_output *output, const char *path)
{
    bool is_stdout = strcmp(path, "-") == 0;
    TACHO_TRY(open_buffer(output, path));
    TACHO_TRY(is_stdout ? open_stdout(output) : open_target(output, path));
    find_terminal(output);
    output->is_colored = is_stdout && tacho_color_is_on(output->fd);
    return TACHO_OK;
}

tacho_status tacho_output_open(const char *path, tacho_output *out_output)
{
    *out_output = (tacho_output){.fd = -1, .folder_fd = -1};
    if (path[0] == '\0') {
        return tacho_fail(TACHO_CODE_USAGE, "the path of the output is empty; name a file");
    }
    tacho_status status = open_all(out_output, path);
    if (status != TACHO_OK) {
        tacho_output_close(out_output);
    }
    return status;
}

tacho_status tacho_output_open_chosen(const char *path, const char *mark, tacho_output *out_output)
{
    *out_output = (tacho_output){.fd = -1, .folder_fd = -1};
    tacho_status status = open_buffer(out_output, path);
    if (status == TACHO_OK) {
        status = open_chosen(out_output, path, mark);
    }
    if (status != TACHO_OK) {
        tacho_output_close(out_output);
    }
    return status;
}

static void close_folder(tacho_output *output)
{
    if (output->folder_fd >= 0) {
        close(output->folder_fd);
    }
    output->folder_fd = -1;
}

tacho_status tacho_output_move_chosen(tacho_output *output, const char *path, const char *mark)
{
    assert(!output->is_direct);
    free(output->path);
    free(output->name);
    output->path = output->name = NULL;
    close_folder(output);
    TACHO_TRY(set_name(output, path));
    TACHO_TRY(choose_path(output, path, mark));
    return open_folder(output);
}

static tacho_status open_live(tacho_output *output, const char *path)
{
    TACHO_TRY(open_buffer(output, path));
    TACHO_TRY(resolve_path(output, path, false));
    output->is_direct = true;
    output->owns_fd = true;
    output->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PRIVATE_MODE);
    return output->fd < 0 ? io_failure(output, "create") : TACHO_OK;
}

tacho_status tacho_output_open_live(const char *path, tacho_output *out_output)
{
    *out_output = (tacho_output){.fd = -1, .folder_fd = -1};
    tacho_status status = open_live(out_output, path);
    if (status != TACHO_OK) {
        tacho_output_close(out_output);
    }
    return status;
}

static_assert(TACHO_OUTPUT_NAME_BYTES > NAME_MAX, "a place holds any name");

void tacho_output_find_place(const char *path, tacho_output_place *out_place)
{
    char folder[PATH_MAX];
    struct stat facts;
    *out_place = (tacho_output_place){0};
    if (strcmp(path, "-") == 0) {
        return;
    }
    if (stat(path, &facts) == 0) {
        out_place->is_known = S_ISREG(facts.st_mode);
    } else {
        tacho_str base = tacho_str_basename(tacho_str_from_cstring(path));
        size_t folder_len = strlen(path) - base.len;
        if (folder_len >= sizeof(folder) || base.len > NAME_MAX) {
            return;
        }
        memcpy(folder, folder_len > 0 ? path : ".", folder_len > 0 ? folder_len : 1);
        folder[folder_len > 0 ? folder_len : 1] = '\0';
        memcpy(out_place->name, base.data, base.len);
        out_place->is_known = stat(folder, &facts) == 0;
    }
    if (out_place->is_known) {
        out_place->device = facts.st_dev;
        out_place->inode = facts.st_ino;
    }
}

bool tacho_output_is_same_place(const tacho_output_place *place, const tacho_output_place *other)
{
    return place->is_known && other->is_known && place->device == other->device &&
           place->inode == other->inode && strcmp(place->name, other->name) == 0;
}

size_t tacho_output_columns(const tacho_output *output)
{
    struct winsize size = {0};
    return output->is_terminal && ioctl(output->fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void tacho_output_paint(tacho_output *output, const char *sequence)
{
    if (!output->is_colored) {
        return;
    }
    if (!output->is_terminal) {
        tacho_output_write_cstring(output, sequence);
        return;
    }
    tacho_output_flush(output); /* past the stage that shows control characters */
    if (output->failure == TACHO_OK) {
        output->failure = write_fd(output, sequence, strlen(sequence));
    }
}

tacho_status tacho_output_open_descriptor(int fd, const char *name, tacho_output *out_output)
{
    TACHO_TRY(tacho_output_open("-", out_output));
    char *copy = strdup(name);
    if (copy == NULL) {
        tacho_output_close(out_output);
        return tacho_no_memory();
    }
    free(out_output->name);
    out_output->name = copy;
    out_output->fd = fd;
    find_terminal(out_output);
    out_output->is_colored = false;
    return TACHO_OK;
}

tacho_status tacho_output_open_standard_error(tacho_output *out_output)
{
    return tacho_output_open_descriptor(STDERR_FILENO, "standard error", out_output);
}

bool tacho_output_is_replaceable(const char *path)
{
    struct stat facts;
    return strcmp(path, "-") != 0 && (stat(path, &facts) != 0 || S_ISREG(facts.st_mode));
}

/* Keeps the mode of a file that is being replaced. */
static tacho_status keep_mode(const tacho_output *output)
{
    struct stat facts;
    if (stat(output->path, &facts) != 0) {
        return TACHO_OK; /* there is none */
    }
    return fchmod(output->fd, facts.st_mode & 0777) == 0 ? TACHO_OK
                                                         : io_failure(output, "set the mode");
}

static void put_self_path(const tacho_output *output, char out_path[SELF_PATH_ROOM])
{
    snprintf(out_path, SELF_PATH_ROOM, "/proc/self/fd/%d", output->fd);
}

/* Gives an unnamed file a temporary name, from which it can be renamed. */
static tacho_status name_file(tacho_output *output)
{
    char self_path[SELF_PATH_ROOM];
    put_self_path(output, self_path);
    for (int attempt = 0; attempt < NAME_TRIES; attempt++) {
        TACHO_TRY(make_temp_name(output, attempt));
        if (linkat(AT_FDCWD, self_path, AT_FDCWD, output->temp_path, AT_SYMLINK_FOLLOW) == 0) {
            return TACHO_OK;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    forget_temp_name(output);
    return io_failure(output, "name");
}

/* Gives an unnamed file its own name at once; false where that name is taken. */
static bool link_new(tacho_output *output)
{
    char self_path[SELF_PATH_ROOM];
    put_self_path(output, self_path);
    return linkat(AT_FDCWD, self_path, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0;
}

/* The bytes are on disk. */
static tacho_status put_in_place(tacho_output *output)
{
    TACHO_TRY(keep_mode(output));
    if (output->temp_path == NULL && link_new(output)) {
        return TACHO_OK;
    }
    if (output->temp_path == NULL) {
        TACHO_TRY(name_file(output));
    }
    if (rename(output->temp_path, output->path) != 0) {
        return io_failure(output, "put in place");
    }
    forget_temp_name(output);
    return TACHO_OK;
}

static tacho_status sync_file(const tacho_output *output)
{
    return fsync(output->fd) == 0 ? TACHO_OK : io_failure(output, "sync");
}

tacho_status tacho_output_take_failure(tacho_output *output)
{
    tacho_status failure = output->failure;
    output->failure = TACHO_OK;
    output->has_failed = output->has_failed || failure != TACHO_OK;
    return failure;
}

static tacho_status finish_bytes(tacho_output *output)
{
    flush_buffer(output, true);
    TACHO_TRY(tacho_output_take_failure(output));
    assert(!output->has_failed);
    return TACHO_OK;
}

tacho_status tacho_output_commit(tacho_output *output)
{
    TACHO_TRY(finish_bytes(output));
    if (output->is_direct) {
        return TACHO_OK;
    }
    TACHO_TRY(sync_file(output));
    TACHO_TRY(put_in_place(output));
    fsync(output->folder_fd); /* the data is safe; a lost name would only show the old file */
    return TACHO_OK;
}

static void free_memory(tacho_output *output)
{
    tacho_encoder_destroy(output->encoder);
    free(output->buffer);
    output->encoder = NULL;
    output->buffer = output->cursor = output->limit = NULL;
}

tacho_status tacho_output_rest(tacho_output *output)
{
    assert(!output->is_direct);
    TACHO_TRY(finish_bytes(output));
    free_memory(output);
    close_folder(output);
    return TACHO_OK;
}

void tacho_output_close(tacho_output *output)
{
    end_behind(output);
    tacho_output_turns_end(output);
    if (output->temp_path != NULL) {
        unlink(output->temp_path);
        forget_temp_name(output);
    }
    if (output->owns_fd && output->fd >= 0) {
        close(output->fd);
    }
    close_folder(output);
    tacho_status_free(output->failure);
    free_memory(output);
    free(output->path);
    free(output->name);
    *output = (tacho_output){.fd = -1, .folder_fd = -1};
}

/* ---- groups -------------------------------------------------------------------------------- */

/* A file system that has been synced, so that files of it need not be. */
typedef struct synced_system {
    dev_t device;
    bool is_known;
} synced_system;

/* Where there are many, the file system is synced once: one by one each would wait for the disk. */
static tacho_status sync_member(const tacho_output *output, size_t count, synced_system *synced)
{
    struct stat facts;
    if (count <= GROUP_FEW || fstat(output->fd, &facts) != 0) {
        return sync_file(output);
    }
    if (synced->is_known && synced->device == facts.st_dev) {
        return TACHO_OK;
    }
    *synced = (synced_system){.device = facts.st_dev, .is_known = true};
    return syncfs(output->fd) == 0 ? TACHO_OK : io_failure(output, "sync");
}

static bool is_same_folder(const tacho_output *a, const tacho_output *b)
{
    tacho_str path_a = tacho_str_from_cstring(a->path);
    tacho_str path_b = tacho_str_from_cstring(b->path);
    path_a.len -= tacho_str_basename(path_a).len;
    path_b.len -= tacho_str_basename(path_b).len;
    return tacho_str_equal(path_a, path_b);
}

/* Keeps the first failure, drops others. */
static void keep_first(tacho_status *first, tacho_status status)
{
    if (*first == TACHO_OK) {
        *first = status;
    } else {
        tacho_status_free(status);
    }
}

/* Nothing is put in place unless all of it is on disk. */
static tacho_status commit_members(tacho_output_group *group)
{
    tacho_status first = TACHO_OK;
    synced_system synced = {0};
    for (size_t i = 0; i < group->item_count && first == TACHO_OK; i++) {
        first = sync_member(&group->items[i], group->item_count, &synced);
    }
    bool is_synced = first == TACHO_OK;
    for (size_t i = 0; i < group->item_count && is_synced; i++) {
        keep_first(&first, put_in_place(&group->items[i]));
    }
    for (size_t i = 0; i < group->item_count && is_synced; i++) {
        if (group->items[i].folder_fd >= 0) {
            fsync(group->items[i].folder_fd); /* as of a single file */
        }
    }
    tacho_output_group_deinit(group);
    return first;
}

/* A folder is synced once: one descriptor of it is enough. */
static void share_folder(const tacho_output_group *group, tacho_output *output)
{
    for (size_t i = 0; i < group->item_count; i++) {
        if (group->items[i].folder_fd >= 0 && is_same_folder(&group->items[i], output)) {
            close(output->folder_fd);
            output->folder_fd = -1;
            return;
        }
    }
}

/* Most descriptors are left to others: inputs, and outputs that are being written. */
static size_t group_files_max(void)
{
    struct rlimit limit;
    bool is_low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                  limit.rlim_cur / GROUP_LIMIT_SHARE < GROUP_FILES_MAX;
    return is_low ? (size_t)(limit.rlim_cur / GROUP_LIMIT_SHARE) : GROUP_FILES_MAX;
}

static bool is_full(const tacho_output_group *group)
{
    struct rlimit limit;
    if (group->is_whole) {
        return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
               group->item_count >= limit.rlim_cur / 2;
    }
    return group->item_count >= group_files_max() || group->byte_count >= GROUP_BYTES_MAX;
}

tacho_status tacho_output_commit_to(tacho_output *output, tacho_output_group *group)
{
    if (group == NULL || output->is_direct) {
        return tacho_output_commit(output);
    }
    TACHO_TRY(finish_bytes(output));
    TACHO_TRY(tacho_grow(&group->items, &group->item_capacity, group->item_count + 1));
    free_memory(output);
    share_folder(group, output);
    group->byte_count += output->flushed_bytes;
    group->items[group->item_count++] = *output;
    *output = (tacho_output){.fd = -1, .folder_fd = -1};
    return is_full(group) ? commit_members(group) : TACHO_OK;
}

tacho_status tacho_output_group_finish(tacho_output_group *group)
{
    return group->item_count > 0 ? commit_members(group) : TACHO_OK;
}

void tacho_output_group_deinit(tacho_output_group *group)
{
    for (size_t i = 0; i < group->item_count; i++) {
        tacho_output_close(&group->items[i]);
    }
    free(group->items);
    *group = (tacho_output_group){0};
}
