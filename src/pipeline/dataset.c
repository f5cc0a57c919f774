/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers read files side by side; these are put in place in the order of the list, so that which
 * of two copies stays, and what is said, do not depend on who is faster. Some files that are ready
 * may wait for their turn, so one slow file holds up few others.
 */
#include "pipeline/dataset.h"

#include "base/cpu.h"
#include "base/folder.h"
#include "base/grow.h"
#include "base/workers.h"
#include "pipeline/dataset_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WAITING_MAX = 32,     /* files that are ready and wait for their turn, ... */
    DESCRIPTOR_SHARE = 4, /* ... which take a part of the descriptors that there may be */
};

typedef struct crew {
    tacho_dataset to; /* used by whoever puts a file in place */
    tacho_dataset_job *job;
    tacho_status *unread; /* by place: why a file was not read */
    size_t *order;        /* places, as they are read */
    size_t waiting_max;
    pthread_mutex_t lock; /* of what is below */
    pthread_cond_t turned;
    tacho_dataset_file **ready; /* by place: read, and not in place yet */
    size_t waiting_count;       /* of them */
    size_t next;                /* of |order|: file to read */
    size_t turn;                /* file to put in place */
    bool is_placing;            /* a worker is about it */
    tacho_status failure;       /* the first one ends it */
} crew;

/* ---- workers --------------------------------------------------------------------------------- */

/* The next file; false when there is none, or work has failed. */
static bool take_next(crew *all, size_t *out_place)
{
    pthread_mutex_lock(&all->lock);
    while (all->failure == TACHO_OK && all->next < all->job->path_count &&
           all->waiting_count >= all->waiting_max) {
        pthread_cond_wait(&all->turned, &all->lock);
    }
    bool has_more = all->failure == TACHO_OK && all->next < all->job->path_count;
    *out_place = has_more ? all->order[all->next] : 0;
    all->next += has_more ? 1 : 0;
    pthread_mutex_unlock(&all->lock);
    return has_more;
}

static void keep_first(crew *all, tacho_status status)
{
    if (all->failure == TACHO_OK) {
        all->failure = status;
    } else {
        tacho_status_free(status);
    }
}

/* Puts the file in place whose turn it is, without the lock. */
static void take_turn(crew *all)
{
    const tacho_progress *progress = &all->job->progress;
    tacho_dataset_file *file = all->ready[all->turn];
    all->ready[all->turn] = NULL;
    all->is_placing = true;
    pthread_mutex_unlock(&all->lock);
    tacho_status status = tacho_dataset_file_place(file, &all->unread[all->turn]);
    tacho_dataset_file_destroy(file);
    if (status == TACHO_OK && progress->update != NULL) {
        progress->update(progress->self, all->turn + 1, all->job->path_count);
    }
    pthread_mutex_lock(&all->lock);
    all->is_placing = false;
    all->waiting_count--;
    all->turn++;
    keep_first(all, status);
    pthread_cond_broadcast(&all->turned);
}

/* The file at |place| is ready; whoever hands in the one whose turn it is puts all in place. */
static void hand_in(crew *all, size_t place, tacho_dataset_file *file)
{
    pthread_mutex_lock(&all->lock);
    if (file == NULL) {
        keep_first(all, tacho_no_memory());
        pthread_cond_broadcast(&all->turned);
    } else {
        all->ready[place] = file;
        all->waiting_count++;
    }
    while (!all->is_placing && all->failure == TACHO_OK && all->turn < all->job->path_count &&
           all->ready[all->turn] != NULL) {
        take_turn(all);
    }
    pthread_mutex_unlock(&all->lock);
}

static void *work(void *user)
{
    crew *all = user;
    for (size_t place = 0; take_next(all, &place);) {
        hand_in(all, place, tacho_dataset_file_read(&all->to, place));
    }
    return NULL;
}

typedef struct sized_place {
    off_t bytes;
    size_t place;
} sized_place;

static int compare_places(const void *left, const void *right)
{
    const sized_place *a = left;
    const sized_place *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_sizes(const void *left, const void *right)
{
    const sized_place *a = left;
    const sized_place *b = right;
    return a->bytes != b->bytes ? (a->bytes > b->bytes ? -1 : 1) : compare_places(left, right);
}

/*
 * The largest files come first, so that at the end no worker is alone with one for long: as many as
 * leave room for others to wait. The rest come in the order of the list, so that none waits for a
 * file that nobody can begin.
 */
static tacho_status make_order(crew *all)
{
    size_t count = all->job->path_count;
    size_t largest_count = tacho_least(all->waiting_max / 2, count);
    sized_place *files = NULL;
    TACHO_TRY(tacho_items_make(&files, count));
    for (size_t i = 0; i < count; i++) {
        struct stat facts;
        files[i] = (sized_place){stat(all->job->paths[i], &facts) == 0 ? facts.st_size : 0, i};
    }
    qsort(files, count, sizeof(*files), compare_sizes);
    qsort(files + largest_count, count - largest_count, sizeof(*files), compare_places);
    tacho_status status = tacho_items_make(&all->order, count);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        all->order[i] = files[i].place;
    }
    free(files);
    return status;
}

/* How many files may wait: each has a descriptor for each table. */
static size_t find_waiting_max(void)
{
    long descriptors = sysconf(_SC_OPEN_MAX);
    long share = descriptors / (DESCRIPTOR_SHARE * TACHO_DATASET_TABLES);
    return descriptors < 0 || share > WAITING_MAX ? WAITING_MAX : share > 2 ? (size_t)share : 2;
}

/* How many workers there are at most: each has a file, with two descriptors for each table. */
static size_t find_worker_count(const tacho_dataset_job *job)
{
    long descriptors = sysconf(_SC_OPEN_MAX);
    size_t wanted = job->worker_count > 0 ? job->worker_count : tacho_cpu_count();
    size_t most =
        descriptors < 0 ? SIZE_MAX : (size_t)descriptors / (4 * (size_t)TACHO_DATASET_TABLES);
    return most < 1 ? 1 : wanted < most ? wanted : most;
}

static tacho_status write_all(crew *all)
{
    tacho_dataset_job *job = all->job;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->turned, NULL);
    tacho_workers_run(find_worker_count(job), job->path_count, work, all);
    pthread_cond_destroy(&all->turned);
    pthread_mutex_destroy(&all->lock);
    for (size_t i = 0; i < job->path_count; i++) {
        if (all->ready[i] != NULL) { /* work has failed ahead of its turn */
            tacho_dataset_file_destroy(all->ready[i]);
        }
    }
    TACHO_TRY(all->failure);
    if (job->written_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "none of the inputs could be read");
    }
    for (size_t i = 0; i < job->path_count; i++) {
        TACHO_TRY(all->unread[i] != TACHO_OK
                      ? tacho_dataset_place_unread(&all->to, i, all->unread[i])
                      : TACHO_OK);
    }
    TACHO_TRY(tacho_output_group_finish(&all->to.group));
    return tacho_dataset_held_remove(&all->to.held, job->folder, tacho_dataset_table_names,
                                     TACHO_DATASET_TABLES, &job->replaced_count);
}

tacho_status tacho_dataset_write(tacho_dataset_job *job)
{
    crew all = {.to = {.job = job}, .job = job, .waiting_max = find_waiting_max()};
    bool is_new = false;
    TACHO_TRY(tacho_folder_ensure(job->folder, &is_new));
    /* Every profile has rows of events or of losses; the first get their names first. */
    static const char *const tables[] = {"spans", "loss"};
    tacho_status status = tacho_dataset_held_init(&all.to.held, job->folder, tables,
                                                  sizeof(tables) / sizeof(tables[0]));
    if (status == TACHO_OK) {
        status = tacho_items_make(&all.unread, job->path_count);
    }
    if (status == TACHO_OK) {
        status = tacho_items_make(&all.ready, job->path_count);
    }
    if (status == TACHO_OK) {
        status = make_order(&all);
    }
    if (status == TACHO_OK) {
        status = write_all(&all);
    }
    for (size_t i = 0; all.unread != NULL && i < job->path_count; i++) {
        tacho_status_free(all.unread[i]);
    }
    free(all.unread);
    free(all.ready);
    free(all.order);
    tacho_output_group_deinit(&all.to.group);
    tacho_dataset_held_deinit(&all.to.held);
    tacho_number_map_deinit(&all.to.places);
    return status;
}
