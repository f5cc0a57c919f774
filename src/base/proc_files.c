/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading /proc. A name in stat is in parentheses and may hold parentheses and blanks
 * itself, so fields are counted from the last one.
 */
#include "base/proc_files.h"

#include "base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PATH_ROOM = 96,
    STAT_ROOM = 1024,
    CHILDREN_ROOM = 4096,
    /* Fields of stat, counted from the one after the name. */
    FIELD_STATE = 0,
    FIELD_PARENT = 1,
    FIELD_THREADS = 17,
    FIELD_START = 19,
    FIELD_RSS = 21,
    FIELD_ENVIRONMENT = 47,
    FIELD_COUNT = 48,
    FIELD_COUNT_MIN = 22, /* older kernels end before the environment */
};

static const int64_t ns_per_s = 1000000000;

/* |value| times |by|, or the largest number where that does not fit. */
static int64_t scaled(uint64_t value, int64_t by)
{
    int64_t product = 0;
    return value <= INT64_MAX && !__builtin_mul_overflow((int64_t)value, by, &product) ? product
                                                                                       : INT64_MAX;
}

/* Splits |rest| at blanks; false when there are too few fields. Those that are not there are empty.
 */
static bool split_fields(tacho_str rest, tacho_str out_fields[FIELD_COUNT])
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        rest = tacho_str_trim(rest);
        size_t len = tacho_str_find_byte(rest, ' ');
        if (len == 0 && i < FIELD_COUNT_MIN) {
            return false;
        }
        out_fields[i] = tacho_str_make(rest.data, len);
        rest = tacho_str_from(rest, len);
    }
    return true;
}

bool tacho_proc_stat_parse(tacho_str text, tacho_proc_stat *out_stat)
{
    size_t open_at = tacho_str_find_byte(text, '(');
    size_t close_at = text.len;
    while (close_at > 0 && text.data[close_at - 1] != ')') {
        close_at--;
    }
    if (open_at >= text.len || close_at <= open_at + 1) {
        return false;
    }
    tacho_str name = tacho_str_make(text.data + open_at + 1, close_at - open_at - 2);
    tacho_str fields[FIELD_COUNT];
    uint64_t parent = 0;
    uint64_t threads = 0;
    uint64_t start = 0;
    uint64_t pages = 0;
    if (!split_fields(tacho_str_from(text, close_at), fields) ||
        !tacho_str_parse_u64(fields[FIELD_PARENT], &parent) ||
        !tacho_str_parse_u64(fields[FIELD_THREADS], &threads) ||
        !tacho_str_parse_u64(fields[FIELD_START], &start) ||
        !tacho_str_parse_u64(fields[FIELD_RSS], &pages) || parent > INT32_MAX) {
        return false;
    }
    uint64_t environment = 0;
    tacho_str_parse_u64(fields[FIELD_ENVIRONMENT], &environment);
    long tick_hz = sysconf(_SC_CLK_TCK);
    *out_stat = (tacho_proc_stat){
        .state = fields[FIELD_STATE].data[0],
        .parent = (int64_t)parent,
        .thread_count = scaled(threads, 1),
        .start_ns = scaled(start, ns_per_s / (tick_hz > 0 ? tick_hz : 100)),
        .rss_bytes = scaled(pages, sysconf(_SC_PAGESIZE)),
        .environment_at = environment,
    };
    size_t len = name.len < sizeof(out_stat->name) ? name.len : sizeof(out_stat->name) - 1;
    memcpy(out_stat->name, name.data, len);
    return true;
}

/* Reads the file at |path|. */
static size_t read_path(const char *path, char *to, size_t size)
{
    size_t len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    while (fd >= 0 && got > 0 && len + 1 < size) {
        got = read(fd, to + len, size - 1 - len);
        len += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    to[len] = '\0';
    return len;
}

size_t tacho_proc_read_file(pid_t pid, const char *name, char *to, size_t size)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return read_path(path, to, size);
}

bool tacho_proc_read_stat(pid_t pid, pid_t tid, tacho_proc_stat *out_stat)
{
    char path[PATH_ROOM];
    char text[STAT_ROOM];
    if (tid == 0) {
        snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    } else {
        snprintf(path, sizeof(path), "/proc/%ld/task/%ld/stat", (long)pid, (long)tid);
    }
    size_t len = read_path(path, text, sizeof(text));
    return len > 0 && tacho_proc_stat_parse(tacho_str_make(text, len), out_stat);
}

static tacho_status add_id(tacho_proc_ids *ids, tacho_str text)
{
    uint64_t id = 0;
    if (!tacho_str_parse_u64(text, &id) || id == 0 || id > INT32_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&ids->items, &ids->item_capacity, ids->item_count + 1));
    ids->items[ids->item_count++] = (pid_t)id;
    return TACHO_OK;
}

tacho_status tacho_proc_list_threads(pid_t pid, tacho_proc_ids *ids)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    tacho_status status = TACHO_OK;
    const struct dirent *entry = NULL;
    while (folder != NULL && status == TACHO_OK && (entry = readdir(folder)) != NULL) {
        status = add_id(ids, tacho_str_from_cstring(entry->d_name));
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return status;
}

/* Numbers with blanks between them. */
static tacho_status add_ids(tacho_proc_ids *ids, tacho_str text)
{
    for (text = tacho_str_trim(text); text.len > 0; text = tacho_str_trim(text)) {
        size_t len = tacho_str_find_byte(text, ' ');
        TACHO_TRY(add_id(ids, tacho_str_make(text.data, len)));
        text = tacho_str_from(text, len);
    }
    return TACHO_OK;
}

tacho_status tacho_proc_list_children(pid_t pid, const tacho_proc_ids *threads, tacho_proc_ids *ids,
                                      bool *out_is_known)
{
    char path[PATH_ROOM];
    char text[CHILDREN_ROOM];
    *out_is_known = true;
    for (size_t i = 0; i < threads->item_count; i++) {
        snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)pid,
                 (long)threads->items[i]);
        if (i == 0 && access(path, R_OK) != 0 && errno == ENOENT) {
            *out_is_known = access("/proc/thread-self/children", R_OK) == 0; /* else it is gone */
            return TACHO_OK;
        }
        size_t len = read_path(path, text, sizeof(text));
        if (len + 1 == sizeof(text)) { /* the last number may be cut: the next look finds it */
            while (len > 0 && text[len - 1] != ' ') {
                len--;
            }
        }
        TACHO_TRY(add_ids(ids, tacho_str_make(text, len)));
    }
    return TACHO_OK;
}

void tacho_proc_ids_deinit(tacho_proc_ids *ids)
{
    free(ids->items);
    *ids = (tacho_proc_ids){0};
}
