/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers are threads: they share nothing but the list of files and the fleet that they merge into.
 * The largest files come first, so that at the end no worker is alone with one for long.
 */
#include "pipeline/fleet.h"

#include "questions/fleet/fleet_part.h"
#include "base/folder.h"
#include "base/grow.h"
#include "base/workers.h"
#include "codec/chunk.h"
#include "pipeline/fleet_inputs.h"
#include "pipeline/fleet_terms.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PART_BYTES_STEP = 1 << 16, PART_HEAD_BYTES = 64 };

/* A part is at most this long; of 10,000 files it takes half a gigabyte. */
static const uint64_t part_bytes_max = UINT64_C(1) << 32;

/* ---- one file ------------------------------------------------------------------------------ */

typedef struct mapping {
    const tacho_fleet_job *job;
    const tacho_intake *intake;
    const tacho_fleet_origin *origin;
    tacho_fleet *fleet;
} mapping;

/* Again, should the input have to be sorted. */
static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const mapping *request = self;
    tacho_fleet_gather gather;
    tacho_producer producer = tacho_intake_producer(request->intake);
    tacho_fleet_gather_init(&gather, dict, request->job->sections);
    gather.is_cut_out = !tacho_selection_is_all(request->job->selection);
    tacho_status status =
        tacho_pipeline_push_selected(&producer, mode, request->job->selection, &gather.events);
    if (status == TACHO_OK) {
        status = tacho_fleet_gather_fold(&gather, request->origin, request->fleet);
    }
    tacho_fleet_gather_deinit(&gather);
    return status;
}

static tacho_status read_profile(const tacho_fleet_job *job, const tacho_fleet_origin *origin,
                                 const char *path, tacho_fleet *fleet)
{
    tacho_dict dict;
    const tacho_intake_input input = {.path = path, .source = job->source};
    tacho_intake intake = {
        .inputs = &input,
        .input_count = 1,
        .options = *job->options,
    };
    intake.options.args = (job->sections & TACHO_FLEET_DEVICES) != 0
                              ? TACHO_ARGS_SUMMED_AND_LAUNCHES
                              : TACHO_ARGS_SUMMED;
    mapping request = {job, &intake, origin, fleet};
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status =
            tacho_pipeline_try(attempt, &request, tacho_intake_producer(&intake).first_mode, &dict);
    }
    tacho_dict_deinit(&dict);
    return status;
}

bool tacho_fleet_is_part_at(const char *path)
{
    char head[PART_HEAD_BYTES];
    size_t len = tacho_input_read_content(path, head, sizeof(head));
    return tacho_fleet_is_part(tacho_str_make(head, len));
}

/*
 * Reads chunk by chunk, and stops where none begins: what is compressed may be longer than all
 * memory.
 */
static tacho_status read_bytes(tacho_input *input, char **bytes, size_t *out_len)
{
    size_t capacity = 0, got = 0;
    uint64_t next = TACHO_CHUNK_FILE_BYTES; /* where a chunk begins */
    do {
        TACHO_TRY(tacho_grow(bytes, &capacity, *out_len + PART_BYTES_STEP));
        TACHO_TRY(tacho_input_take(input, *bytes + *out_len, capacity - *out_len, &got));
        *out_len += got;
        uint64_t size = 1;
        while (size > 0 && *out_len >= next + TACHO_CHUNK_HEADER_BYTES) {
            size = tacho_chunk_size(tacho_str_make(*bytes + next, *out_len - (size_t)next));
            next += size;
        }
        if (size == 0 || next > part_bytes_max) {
            return TACHO_OK; /* reading it says why */
        }
    } while (got > 0);
    return TACHO_OK;
}

/* The failure as one of |path|. */
static tacho_status name_part(tacho_status status, const char *path)
{
    if (status == TACHO_OK || tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    tacho_status named =
        tacho_fail(tacho_status_code(status), "%s: %s", path, tacho_status_message(status));
    tacho_status_free(status);
    return named;
}

tacho_status tacho_fleet_read_part(const char *path, tacho_fleet *fleet)
{
    tacho_input input;
    char *bytes = NULL;
    size_t len = 0;
    *fleet = (tacho_fleet){0};
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = read_bytes(&input, &bytes, &len);
    if (status == TACHO_OK) {
        status = name_part(tacho_fleet_read(fleet, tacho_str_make(bytes, len)), path);
    }
    tacho_input_close(&input);
    free(bytes);
    return status;
}

tacho_status tacho_fleet_write_part(tacho_fleet *fleet, const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = tacho_fleet_write(fleet, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* A part answers every question that it was made for, on the terms on which it was made. */
static tacho_status take_part(const tacho_fleet_job *job, const tacho_fleet_terms *terms,
                              const char *path, tacho_fleet *fleet)
{
    tacho_fleet_deinit(fleet);
    TACHO_TRY(tacho_fleet_read_part(path, fleet));
    if ((fleet->sections & job->sections) != job->sections) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: this part was made for other questions", path);
    }
    TACHO_TRY(tacho_fleet_terms_check(terms, fleet, path));
    fleet->sections = job->sections;
    return TACHO_OK;
}

/* An empty fleet that says how a file is read for it. */
static tacho_status begin(const tacho_fleet_job *job, const tacho_fleet_terms *terms,
                          tacho_fleet *fleet)
{
    TACHO_TRY(tacho_fleet_init(fleet, job->sections));
    return tacho_fleet_terms_put(terms, fleet);
}

/* Lists |path| in |fleet|, which is empty but for that, as not read. */
static tacho_status list_failure(const tacho_fleet_job *job, const tacho_fleet_terms *terms,
                                 const tacho_fleet_origin *origin, tacho_status failure,
                                 tacho_fleet *fleet)
{
    tacho_fleet_deinit(fleet);
    tacho_status status = begin(job, terms, fleet);
    if (status == TACHO_OK) {
        const char *reason = tacho_status_message(failure);
        status = tacho_fleet_add_failed(fleet, origin, tacho_str_from_cstring(reason));
    }
    tacho_status_free(failure);
    return status;
}

/* Tells the run of a file that is left out. */
static tacho_status tell_run(const tacho_fleet_job *job, tacho_str run)
{
    return job->other_runs != NULL ? tacho_fleet_run_set_add(job->other_runs, run) : TACHO_OK;
}

/* Empties |fleet| unless it is of the run that is asked for. */
static tacho_status keep_run(const tacho_fleet_job *job, const char *path, tacho_fleet *fleet)
{
    size_t kept = 0, others = 0; /* files that could not be read may be of any run */
    for (size_t i = 0; i < fleet->file_count && job->run != NULL; i++) {
        const tacho_fleet_file *file = &fleet->files[i];
        tacho_str run = tacho_strings_get(&fleet->texts, file->run);
        bool is_unknown = run.len == 0 && file->state == TACHO_FLEET_FAILED;
        bool is_kept = tacho_str_equal(run, tacho_str_from_cstring(job->run));
        kept += is_kept ? 1 : 0;
        others += !is_kept && !is_unknown ? 1 : 0;
    }
    if (job->run == NULL || others == 0) {
        return TACHO_OK;
    }
    if (kept > 0) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: this part holds several runs; make one part of each profile", path);
    }
    for (size_t i = 0; i < fleet->file_count; i++) {
        TACHO_TRY(tell_run(job, tacho_strings_get(&fleet->texts, fleet->files[i].run)));
    }
    tacho_fleet_deinit(fleet);
    return tacho_fleet_init(fleet, job->sections);
}

static tacho_status read_file(const tacho_fleet_job *job, const tacho_fleet_terms *terms,
                              const tacho_fleet_origin *origin, const char *path,
                              tacho_fleet *fleet)
{
    tacho_str run = job->run != NULL ? tacho_str_from_cstring(job->run) : TACHO_STR("");
    if (run.len > 0 && origin->run.len > 0 && !tacho_str_equal(origin->run, run)) {
        return tell_run(job, origin->run); /* its directory says so */
    }
    return tacho_fleet_is_part_at(path) ? take_part(job, terms, path, fleet)
                                        : read_profile(job, origin, path, fleet);
}

/* Makes a fleet of one file; what cannot be read is listed in it. Deinitialise it always. */
static tacho_status fleet_map_file(const tacho_fleet_job *job, const char *path, tacho_fleet *fleet)
{
    const tacho_fleet_origin origin = tacho_fleet_origin_of(job->runs, path);
    tacho_fleet_terms terms; /* as they are before it is read: it may change meanwhile */
    tacho_fleet_terms_init(&terms, job, path);
    TACHO_TRY(begin(job, &terms, fleet));
    tacho_status status = read_file(job, &terms, &origin, path, fleet);
    if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    TACHO_TRY(status != TACHO_OK ? list_failure(job, &terms, &origin, status, fleet) : TACHO_OK);
    return keep_run(job, path, fleet);
}

/* ---- workers ------------------------------------------------------------------------------- */

typedef struct sized_path {
    off_t bytes;
    const char *path;
} sized_path;

typedef struct crew {
    const tacho_fleet_job *job;
    sized_path *files; /* in the order of work */
    tacho_fleet *fleet;
    pthread_mutex_t lock; /* of everything below, and of |fleet| */
    size_t next, done;
    tacho_status failure; /* the first one ends it */
} crew;

static int compare_sizes(const void *left, const void *right)
{
    const sized_path *a = left;
    const sized_path *b = right;
    return a->bytes != b->bytes ? (a->bytes > b->bytes ? -1 : 1) : strcmp(a->path, b->path);
}

static tacho_status order_files(crew *self)
{
    size_t count = self->job->path_count;
    TACHO_TRY(tacho_items_make(&self->files, count));
    for (size_t i = 0; i < count; i++) {
        struct stat facts;
        const char *path = self->job->paths[i];
        self->files[i] = (sized_path){stat(path, &facts) == 0 ? facts.st_size : 0, path};
    }
    qsort(self->files, count, sizeof(*self->files), compare_sizes);
    return TACHO_OK;
}

/* The next file; NULL when there is none, or work has failed. */
static const char *take_next(crew *self)
{
    pthread_mutex_lock(&self->lock);
    bool has_more = self->failure == TACHO_OK && self->next < self->job->path_count;
    const char *path = has_more ? self->files[self->next++].path : NULL;
    pthread_mutex_unlock(&self->lock);
    return path;
}

static void hand_in(crew *self, const tacho_fleet *one, tacho_status status)
{
    const tacho_progress *progress = &self->job->progress;
    pthread_mutex_lock(&self->lock);
    if (status == TACHO_OK && self->failure == TACHO_OK && self->job->see != NULL) {
        status = self->job->see(self->job->user, one);
    }
    if (status == TACHO_OK && self->failure == TACHO_OK && self->job->take == NULL) {
        status = tacho_fleet_merge(self->fleet, one);
    }
    if (self->failure == TACHO_OK) {
        self->failure = status;
    } else {
        tacho_status_free(status);
    }
    self->done++;
    if (progress->update != NULL) {
        progress->update(progress->self, self->done, self->job->path_count);
    }
    pthread_mutex_unlock(&self->lock);
}

static void *work(void *user)
{
    crew *self = user;
    const tacho_fleet_job *job = self->job;
    for (const char *path; (path = take_next(self)) != NULL;) {
        tacho_fleet one = {0};
        bool is_skipped = job->skips != NULL && job->skips(job->user, path);
        tacho_status status =
            is_skipped ? tacho_fleet_init(&one, job->sections) : fleet_map_file(job, path, &one);
        if (status == TACHO_OK && job->take != NULL && !is_skipped) {
            status = job->take(job->user, path, &one);
        }
        hand_in(self, &one, status);
        tacho_fleet_deinit(&one);
    }
    return NULL;
}

tacho_status tacho_fleet_list_refused(const tacho_fleet_job *job, tacho_fleet *fleet)
{
    for (size_t i = 0; i < job->refused_count; i++) {
        const tacho_fleet_origin origin = tacho_fleet_origin_of(job->runs, job->refused[i].path);
        tacho_str run = origin.run.len > 0 ? origin.run : origin.name_run;
        bool is_of_run = job->run == NULL || run.len == 0 ||
                         tacho_str_equal(run, tacho_str_from_cstring(job->run));
        if (is_of_run) {
            tacho_str reason = tacho_str_from_cstring(job->refused[i].reason);
            TACHO_TRY(tacho_fleet_add_failed(fleet, &origin, reason));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_fleet_run(const tacho_fleet_job *job, tacho_fleet *fleet)
{
    crew self = {.job = job, .fleet = fleet};
    TACHO_TRY(order_files(&self));
    pthread_mutex_init(&self.lock, NULL);
    tacho_workers_run(job->worker_count, job->path_count, work, &self);
    pthread_mutex_destroy(&self.lock);
    free(self.files);
    return self.failure == TACHO_OK && job->take == NULL ? tacho_fleet_list_refused(job, fleet)
                                                         : self.failure;
}
