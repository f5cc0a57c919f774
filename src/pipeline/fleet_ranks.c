/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between reading and merging, a rank holds the parts of its files as bytes: which of them are
 * copies is known when all ranks have read theirs.
 */
#include "pipeline/fleet_ranks.h"

#include "questions/fleet/fleet_part.h"
#include "base/grow.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file that was read: its place in the list of all files, its number, and its part. */
typedef struct held_file {
    uint64_t place, id; /* id 0: it cannot be a copy */
    char *bytes;
    size_t len;
    bool is_copy;
} held_file;

typedef struct holding {
    const tacho_fleet_job *whole; /* with the list of all files */
    pthread_mutex_t lock;         /* of the files */
    held_file *files;
    size_t file_count, file_capacity;
} holding;

/* What ranks tell each other of a file. */
typedef struct file_notice {
    uint64_t place, id;
} file_notice;

/* ---- parts as bytes -------------------------------------------------------------------------- */

static tacho_status read_back(FILE *file, char **out_bytes, size_t *out_len)
{
    off_t end = lseek(fileno(file), 0, SEEK_END);
    *out_len = end > 0 ? (size_t)end : 0;
    TACHO_TRY(tacho_items_make(out_bytes, *out_len + 1));
    size_t got = 0;
    for (ssize_t some = 1; got < *out_len && some > 0; got += (size_t)some) {
        some = pread(fileno(file), *out_bytes + got, *out_len - got, (off_t)got);
        some = some > 0 ? some : 0;
    }
    return got == *out_len ? TACHO_OK
                           : tacho_fail(TACHO_CODE_IO, "a temporary file cannot be read back");
}

static tacho_status write_bytes(tacho_fleet *fleet, char **out_bytes, size_t *out_len)
{
    tacho_output output;
    FILE *file = tmpfile();
    *out_bytes = NULL;
    if (file == NULL) {
        return tacho_fail(TACHO_CODE_IO, "a temporary file cannot be made");
    }
    tacho_status status = tacho_output_open_descriptor(fileno(file), "a temporary file", &output);
    if (status == TACHO_OK) {
        status = tacho_fleet_write(fleet, &output);
        status = status == TACHO_OK ? tacho_output_commit(&output) : status;
        tacho_output_close(&output);
    }
    if (status == TACHO_OK) {
        status = read_back(file, out_bytes, out_len);
    }
    fclose(file);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int compare_paths(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

/* The number of the one file that |one| counts; 0 where there are several, or it was not read. */
static uint64_t number_of(const tacho_fleet *one)
{
    const tacho_fleet_table *files = &one->tables[TACHO_FLEET_TABLE_FILES];
    return files->row_count == 1 && files->rows[0].file_count == 1
               ? tacho_fleet_get_id(tacho_fleet_key(&files->keys, 0))
               : 0;
}

/* Keeps the part of a file; workers call it at a time. */
static tacho_status hold(void *user, const char *path, tacho_fleet *one)
{
    holding *self = user;
    const char *const *paths = self->whole->paths;
    const char *const *found =
        bsearch(path, paths, self->whole->path_count, sizeof(*paths), compare_paths);
    held_file file = {.place = (uint64_t)(found - paths), .id = number_of(one)};
    TACHO_TRY(write_bytes(one, &file.bytes, &file.len));
    pthread_mutex_lock(&self->lock);
    tacho_status status = tacho_grow(&self->files, &self->file_capacity, self->file_count + 1);
    if (status == TACHO_OK) {
        self->files[self->file_count++] = file;
    } else {
        free(file.bytes);
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* Reads every file of the share of this rank. */
static tacho_status read_share(const tacho_ranks *ranks, holding *self, tacho_fleet *fleet)
{
    const char **paths = NULL;
    tacho_fleet_job share = *self->whole;
    share.path_count = 0;
    TACHO_TRY(tacho_items_make(&paths, self->whole->path_count));
    for (size_t i = (size_t)ranks->rank; i < self->whole->path_count; i += (size_t)ranks->size) {
        paths[share.path_count++] = self->whole->paths[i];
    }
    share.paths = paths;
    share.take = hold;
    share.user = self;
    tacho_status status = share.path_count > 0 ? tacho_fleet_run(&share, fleet) : TACHO_OK;
    free(paths);
    return status;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static int compare_notices(const void *left, const void *right)
{
    const file_notice *a = left;
    const file_notice *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_places(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Adds what rank |from| has. */
static tacho_status take_notices(const tacho_ranks *ranks, uint64_t from, file_notice **notices,
                                 size_t *count)
{
    void *bytes = NULL;
    size_t len = 0, capacity = 0;
    file_notice *all = NULL;
    TACHO_TRY(tacho_ranks_receive(ranks, from, &bytes, &len));
    size_t more = len / sizeof(**notices);
    tacho_status status = tacho_grow(&all, &capacity, *count + more + 1);
    if (status == TACHO_OK && *count > 0) {
        memcpy(all, *notices, *count * sizeof(*all));
    }
    if (status == TACHO_OK) {
        memcpy(all + *count, bytes, more * sizeof(*all));
        free(*notices);
        *notices = all;
        *count += more;
    }
    free(bytes);
    return status;
}

/* The places of copies in order, instead of |notices|, which are sorted; returns how many. */
static size_t keep_copies(file_notice *notices, size_t count, uint64_t *places)
{
    size_t copies = 0;
    qsort(notices, count, sizeof(*notices), compare_notices);
    for (size_t i = 1; i < count; i++) {
        if (notices[i].id != 0 && notices[i].id == notices[i - 1].id) {
            places[copies++] = notices[i].place;
        }
    }
    qsort(places, copies, sizeof(*places), compare_places);
    return copies;
}

/* Rank 0 collects the numbers of all files and tells all ranks which are copies. */
static tacho_status find_copies(const tacho_ranks *ranks, file_notice **notices, size_t count,
                                uint64_t **out_places, size_t *out_count)
{
    void *bytes = NULL;
    size_t len = 0;
    if (ranks->rank > 0) {
        TACHO_TRY(tacho_ranks_send(ranks, 0, *notices, count * sizeof(**notices)));
        TACHO_TRY(tacho_ranks_receive(ranks, 0, &bytes, &len));
        *out_places = bytes;
        *out_count = len / sizeof(**out_places);
        return TACHO_OK;
    }
    for (uint64_t from = 1; from < ranks->size; from++) {
        TACHO_TRY(take_notices(ranks, from, notices, &count));
    }
    TACHO_TRY(tacho_items_make(out_places, count + 1));
    *out_count = keep_copies(*notices, count, *out_places);
    for (uint64_t to = 1; to < ranks->size; to++) {
        TACHO_TRY(tacho_ranks_send(ranks, to, *out_places, *out_count * sizeof(**out_places)));
    }
    return TACHO_OK;
}

static tacho_status mark_copies(const tacho_ranks *ranks, holding *self)
{
    file_notice *notices = NULL;
    uint64_t *places = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_items_make(&notices, self->file_count + 1));
    for (size_t i = 0; i < self->file_count; i++) {
        notices[i] = (file_notice){self->files[i].place, self->files[i].id};
    }
    tacho_status status = find_copies(ranks, &notices, self->file_count, &places, &count);
    for (size_t i = 0; i < self->file_count && status == TACHO_OK; i++) {
        self->files[i].is_copy =
            bsearch(&self->files[i].place, places, count, sizeof(*places), compare_places) != NULL;
    }
    free(notices);
    free(places);
    return status;
}

/* ---- merging --------------------------------------------------------------------------------- */

static tacho_status merge_bytes(tacho_str bytes, bool is_copy, tacho_fleet *fleet)
{
    tacho_fleet more = {0};
    tacho_status status = tacho_fleet_read(&more, bytes);
    if (status == TACHO_OK) {
        status = is_copy ? tacho_fleet_list(fleet, &more) : tacho_fleet_merge(fleet, &more);
    }
    tacho_fleet_deinit(&more);
    return status;
}

static tacho_status merge_share(holding *self, tacho_fleet *fleet)
{
    for (size_t i = 0; i < self->file_count; i++) {
        held_file *file = &self->files[i];
        TACHO_TRY(merge_bytes(tacho_str_make(file->bytes, file->len), file->is_copy, fleet));
        free(file->bytes);
        file->bytes = NULL;
    }
    return TACHO_OK;
}

/* Hands the sums of this rank to another, whose work is then done here. */
static tacho_status send_fleet(const tacho_ranks *ranks, uint64_t to, tacho_fleet *fleet)
{
    char *bytes = NULL;
    size_t len = 0;
    tacho_status status = write_bytes(fleet, &bytes, &len);
    if (status == TACHO_OK) {
        status = tacho_ranks_send(ranks, to, bytes, len);
    }
    free(bytes);
    return status;
}

static tacho_status reduce(const tacho_ranks *ranks, tacho_fleet *fleet)
{
    for (uint64_t step = 1; step < ranks->size; step *= 2) {
        void *bytes = NULL;
        size_t len = 0;
        if (ranks->rank % (2 * step) != 0) {
            return send_fleet(ranks, ranks->rank - step, fleet);
        }
        if (ranks->rank + step >= ranks->size) {
            continue;
        }
        TACHO_TRY(tacho_ranks_receive(ranks, ranks->rank + step, &bytes, &len));
        tacho_status status = merge_bytes(tacho_str_make(bytes, len), false, fleet);
        free(bytes);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

tacho_status tacho_fleet_ranks_run(const tacho_ranks *ranks, const tacho_fleet_job *job,
                                   tacho_fleet *fleet)
{
    holding self = {.whole = job};
    if (ranks->size <= 1) {
        return tacho_fleet_run(job, fleet);
    }
    pthread_mutex_init(&self.lock, NULL);
    tacho_status status = read_share(ranks, &self, fleet);
    status = status == TACHO_OK ? mark_copies(ranks, &self) : status;
    status = status == TACHO_OK ? merge_share(&self, fleet) : status;
    status = status == TACHO_OK ? reduce(ranks, fleet) : status;
    status = status == TACHO_OK && ranks->rank == 0 ? tacho_fleet_list_refused(job, fleet) : status;
    for (size_t i = 0; i < self.file_count; i++) {
        free(self.files[i].bytes);
    }
    free(self.files);
    pthread_mutex_destroy(&self.lock);
    return status;
}
