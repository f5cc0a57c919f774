/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the rows of a file belong is known behind its last one: the rank may be a fact of the file.
 * So events go to files without names, which are put in place at the end. Workers read and write
 * rows side by side; names are given in the order of the list, so that which of two copies stays,
 * and what is said, do not depend on who is faster.
 */
#include "pipeline/dataset.h"

#include "analyses/fleet/fleet_dataset.h"
#include "base/folder.h"
#include "base/grow.h"
#include "base/number_map.h"
#include "base/utf8.h"
#include "base/workers.h"
#include "pipeline/dataset_held.h"
#include "pipeline/fleet_inputs.h"
#include "sinks/parquet.h"
#include "sinks/spans_parquet.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PATH_BYTES = 4096,
    VALUE_BYTES = 250, /* "host=" and it are a name of 255 bytes at most */
    VALUE_SHOWN = 60,
    FOLDER_BYTES = 2 * VALUE_BYTES + 64,
    ROW_TABLES = 2
};

/* What every Parquet file begins with: only such files are replaced. */
#define PARQUET_MARK "PAR1"

/* In the order in which files get their names; the first ones are those of events. */
static const char *const all_tables[] = {"spans", "counters",    "ops",   "devices",
                                         "steps", "collectives", "clock", "loss"};
enum { TABLE_COUNT = ROW_TABLES + TACHO_FLEET_DATASET_TABLES };
_Static_assert(sizeof(all_tables) / sizeof(all_tables[0]) == TABLE_COUNT, "one for each table");

typedef struct dataset {
    tacho_dataset_job *job;
    tacho_output_group group;
    tacho_dataset_held held; /* what earlier conversions wrote */
    tacho_number_map places; /* of files that are written, by identity: places in the list */
    tacho_status *failures;  /* by place: why a file was not read */
    pthread_mutex_t lock;    /* of what is below */
    pthread_cond_t turned;
    size_t next;          /* file to read */
    size_t turn;          /* file to write: that worker alone uses what is above */
    tacho_status failure; /* the first one ends it */
} dataset;

/* One file on its way. */
typedef struct writing {
    dataset *all;
    size_t place;
    tacho_fleet_origin origin;
    tacho_fleet fleet;
    bool is_read; /* what fails from here on is the output */
    bool is_copy; /* of another one, which has been written */
    tacho_output outputs[ROW_TABLES];
    /* Below each table: "run=ID/host=NAME/rank=N", and the file in it. */
    char folder[FOLDER_BYTES], file[FOLDER_BYTES + TACHO_DATASET_NAME_BYTES];
} writing;

/* ---- places ---------------------------------------------------------------------------------- */

/*
 * |text| as the value of a partition, as Hive writes it: what may not stand in a name, or has a
 * meaning there, is %XX, which engines read as the byte. Other characters than ASCII stay, as the
 * engines in Java take %XX for a character.
 */
static tacho_status print_value(const char *key, tacho_str text, char value[VALUE_BYTES])
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char clean[3 * VALUE_BYTES];
    bool is_long = text.len >= VALUE_BYTES;
    const char *end = is_long ? clean : tacho_utf8_clean_into(text, clean);
    size_t len =
        (size_t)snprintf(value, VALUE_BYTES, "%s", text.len == 0 ? TACHO_DATASET_NO_VALUE : "");
    for (const char *at = clean; at < end && !is_long; at++) {
        unsigned char byte = (unsigned char)*at;
        bool is_plain = byte >= 128 || (byte != '\0' && strchr(plain, byte) != NULL);
        is_long = len + strlen("%XX") >= VALUE_BYTES;
        len += is_long ? 0
                       : (size_t)snprintf(value + len, VALUE_BYTES - len,
                                          is_plain ? "%c" : "%%%02X", byte);
    }
    return is_long ? tacho_fail(TACHO_CODE_IO, "the %s '%.*s...' is too long for a directory", key,
                                (int)tacho_least(text.len, VALUE_SHOWN), text.data)
                   : TACHO_OK;
}

/*
 * Where files of the profile go below each table. What was written of it before is to be removed,
 * unless it cannot be read now.
 */
static tacho_status choose_place(writing *self, uint64_t content)
{
    const tacho_fleet_file *file = &self->fleet.files[0];
    const char *path = self->all->job->paths[self->place];
    char run[VALUE_BYTES], host[VALUE_BYTES], name[TACHO_DATASET_NAME_BYTES];
    char rank[32] = TACHO_DATASET_NO_VALUE;
    tacho_dataset_digits digits;
    TACHO_TRY(print_value("run", tacho_strings_get(&self->fleet.texts, file->run), run));
    TACHO_TRY(print_value("host", tacho_strings_get(&self->fleet.texts, file->host), host));
    if (file->rank >= 0) {
        snprintf(rank, sizeof(rank), "%" PRId64, file->rank);
    }
    tacho_dataset_digits_find(path, content, self->is_copy, &digits);
    tacho_dataset_name(path, &digits, name);
    snprintf(self->folder, sizeof(self->folder), "run=%s/host=%s/rank=%s", run, host, rank);
    snprintf(self->file, sizeof(self->file), "%s/%s", self->folder, name);
    const char *unclear = file->state == TACHO_FLEET_FAILED
                              ? NULL
                              : tacho_dataset_held_write(&self->all->held, &digits, self->file);
    if (unclear != NULL) {
        tacho_note(self->all->job->notes, "warning",
                   "%s: another computer has converted another profile of this path; its rows, in "
                   "%s, are kept",
                   path, unclear);
    }
    return TACHO_OK;
}

/* The path in |table|, whose directory is made where it is not there. */
static tacho_status find_place(const writing *self, const char *table, char path[PATH_BYTES])
{
    const char *root = self->all->job->folder;
    bool is_new = false;
    if (snprintf(path, PATH_BYTES, "%s/%s/%s", root, table, self->file) >= PATH_BYTES) {
        return tacho_fail(TACHO_CODE_IO, "%s: the path is too long", root);
    }
    snprintf(path, PATH_BYTES, "%s/%s/%s", root, table, self->folder);
    TACHO_TRY(tacho_folder_ensure(path, &is_new));
    snprintf(path, PATH_BYTES, "%s/%s/%s", root, table, self->file);
    return TACHO_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct table_writing {
    writing *file;
    bool has_rows; /* of tables without rows there is a file, too */
} table_writing;

static tacho_status write_table(void *user, const tacho_table *table)
{
    const table_writing *self = user;
    char path[PATH_BYTES];
    tacho_output output;
    if (!self->has_rows && tacho_table_row_count(table) == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(find_place(self->file, table->name, path));
    TACHO_TRY(tacho_output_open_chosen(path, PARQUET_MARK, &output));
    tacho_status status = tacho_table_sink_parquet.write(table, 0, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit_to(&output, &self->file->all->group);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status write_tables(writing *self, const tacho_fleet_gather *gather, tacho_str copy_of)
{
    table_writing tables = {self, gather != NULL && copy_of.len == 0};
    const tacho_fleet_dataset made = {gather, &self->fleet, copy_of};
    const tacho_table_taker taker = {write_table, &tables};
    return tacho_fleet_dataset_tables(&made, &taker);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows go to the tables of events and to what gathers the rest. */
typedef struct row_fork {
    tacho_events events;
    tacho_events *rows;
    tacho_fleet_gather gather;
} row_fork;

static row_fork *fork_of(tacho_events *events)
{
    return (row_fork *)(void *)events;
}

static tacho_status fork_row(tacho_events *events, const tacho_row *row)
{
    TACHO_TRY(tacho_events_row(fork_of(events)->rows, row));
    return tacho_events_row(&fork_of(events)->gather.events, row);
}

static tacho_status fork_end_part(tacho_events *events, uint32_t part)
{
    TACHO_TRY(tacho_events_end_part(fork_of(events)->rows, part));
    return tacho_events_end_part(&fork_of(events)->gather.events, part);
}

static tacho_status fork_finish(tacho_events *events)
{
    TACHO_TRY(tacho_events_finish(fork_of(events)->rows));
    return tacho_events_finish(&fork_of(events)->gather.events);
}

/* Reads the file into |fork|, and the tables of events into outputs without names. */
static tacho_status push_rows(writing *self, tacho_order_mode mode, row_fork *fork)
{
    static const tacho_events_vtable vtable = {
        .row = fork_row, .end_part = fork_end_part, .finish = fork_finish};
    const tacho_dataset_job *job = self->all->job;
    const tacho_intake_input input = {.path = job->paths[self->place], .source = job->source};
    const tacho_intake intake = {.inputs = &input, .input_count = 1, .options = *job->options};
    const tacho_producer producer = tacho_intake_producer(&intake);
    const tacho_rows_parquet_outputs outputs = {&self->outputs[0], &self->outputs[1]};
    const tacho_trace_options options = {.omit_args = job->omit_args,
                                         .names_may_change = mode == TACHO_ORDER_PASS};
    fork->events.vtable = &vtable;
    TACHO_TRY(tacho_rows_parquet_open(fork->events.dict, &outputs, &options, &fork->rows));
    tacho_status status =
        tacho_pipeline_push_selected(&producer, mode, job->selection, &fork->events);
    tacho_rows_parquet_close(fork->rows);
    return status;
}

/* Puts the tables of events in place. */
static tacho_status place_rows(writing *self)
{
    for (size_t i = 0; i < ROW_TABLES; i++) {
        char path[PATH_BYTES];
        TACHO_TRY(find_place(self, all_tables[i], path));
        TACHO_TRY(tacho_output_move_chosen(&self->outputs[i], path, PARQUET_MARK));
        TACHO_TRY(tacho_output_commit_to(&self->outputs[i], &self->all->group));
    }
    return TACHO_OK;
}

/* The file has been read: all its rows, or that it is a copy. */
static tacho_status write_file(writing *self, tacho_fleet_gather *gather)
{
    tacho_dataset_job *job = self->all->job;
    const tacho_fleet_file *file = &self->fleet.files[0];
    uint64_t *first = tacho_number_map_find(&self->all->places, gather->identity);
    if (first != NULL) {
        const char *path = job->paths[*first];
        job->copy_count++;
        self->is_copy = true;
        tacho_note(job->notes, "warning", "%s: not written: a copy of %s", job->paths[self->place],
                   path);
        TACHO_TRY(choose_place(self, gather->content));
        return write_tables(self, gather, tacho_str_from_cstring(path));
    }
    TACHO_TRY(job->is_strict ? tacho_pipeline_refuse_losses(gather->events.dict) : TACHO_OK);
    TACHO_TRY(tacho_number_map_set(&self->all->places, gather->identity, self->place));
    TACHO_TRY(choose_place(self, gather->content));
    TACHO_TRY(place_rows(self));
    TACHO_TRY(write_tables(self, gather, TACHO_STR("")));
    job->written_count++;
    job->span_count += file->span_count;
    if (file->state != TACHO_FLEET_READ) {
        job->lossy_count++;
        tacho_note(job->notes, "warning", "%s: %s: %" PRIu64 " lost: %.*s", job->paths[self->place],
                   file->state == TACHO_FLEET_CUT ? "cut off" : "records lost", file->lost_count,
                   TACHO_STR_ARG(tacho_strings_get(&self->fleet.texts, file->reason)));
    }
    return TACHO_OK;
}

/* Waits until all files ahead of |place| are done; false: work has failed. */
static bool wait_turn(dataset *all, size_t place)
{
    pthread_mutex_lock(&all->lock);
    while (all->turn != place && all->failure == TACHO_OK) {
        pthread_cond_wait(&all->turned, &all->lock);
    }
    bool has_turn = all->failure == TACHO_OK;
    pthread_mutex_unlock(&all->lock);
    return has_turn;
}

static tacho_status open_outputs(writing *self)
{
    for (size_t i = 0; i < ROW_TABLES; i++) {
        char folder[PATH_BYTES], path[PATH_BYTES + 8];
        bool is_new = false;
        snprintf(folder, sizeof(folder), "%s/%s", self->all->job->folder, all_tables[i]);
        snprintf(path, sizeof(path), "%s/rows", folder);
        TACHO_TRY(tacho_folder_ensure(folder, &is_new));
        TACHO_TRY(tacho_output_open_chosen(path, PARQUET_MARK, &self->outputs[i]));
    }
    return TACHO_OK;
}

/* Again, should the input have to be sorted. */
static tacho_status attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    writing *self = user;
    row_fork fork = {.events = {.dict = dict}};
    tacho_fleet_deinit(&self->fleet);
    TACHO_TRY(tacho_fleet_init(&self->fleet, TACHO_FLEET_ALL));
    for (size_t i = 0; i < ROW_TABLES; i++) {
        self->outputs[i] = (tacho_output){.fd = -1, .folder_fd = -1};
    }
    self->is_read = true;
    tacho_status status = open_outputs(self);
    tacho_fleet_gather_init(&fork.gather, dict, TACHO_FLEET_ALL);
    fork.gather.digest.has_all_args = true;
    if (status == TACHO_OK) {
        self->is_read = false;
        status = push_rows(self, mode, &fork);
    }
    if (status == TACHO_OK) {
        self->is_read = true;
        status = tacho_fleet_gather_fold(&fork.gather, &self->origin, &self->fleet);
    }
    if (status == TACHO_OK && wait_turn(self->all, self->place)) {
        status = write_file(self, &fork.gather);
    }
    tacho_fleet_gather_deinit(&fork.gather);
    for (size_t i = 0; i < ROW_TABLES; i++) {
        tacho_output_close(&self->outputs[i]);
    }
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads and writes one; |*out_is_of_input| says of a failure that the file could not be read. */
static tacho_status add_file(dataset *all, size_t place, bool *out_is_of_input)
{
    const char *path = all->job->paths[place];
    tacho_dict dict;
    writing self = {
        .all = all, .place = place, .origin = tacho_fleet_origin_of(all->job->runs, path)};
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        const tacho_intake_input input = {.path = path, .source = all->job->source};
        const tacho_intake intake = {.inputs = &input, .input_count = 1};
        status =
            tacho_pipeline_try(attempt, &self, tacho_intake_producer(&intake).first_mode, &dict);
    }
    tacho_dict_deinit(&dict);
    tacho_fleet_deinit(&self.fleet);
    *out_is_of_input =
        !self.is_read && !all->job->is_strict && tacho_status_code(status) != TACHO_CODE_NO_MEMORY;
    return status;
}

/* A failure to read is kept for the end; any other one ends the work. */
static tacho_status keep_failure(dataset *all, size_t place, tacho_status status)
{
    tacho_dataset_job *job = all->job;
    all->failures[place] = status;
    job->failed_count++;
    tacho_note(job->notes, "warning", "%s: not read: %s", job->paths[place],
               tacho_status_message(status));
    return TACHO_OK;
}

/* The file that has its turn is done. */
static void pass_turn(dataset *all, tacho_status failure)
{
    const tacho_progress *progress = &all->job->progress;
    if (failure == TACHO_OK && progress->update != NULL) {
        progress->update(progress->self, all->turn + 1, all->job->path_count);
    }
    pthread_mutex_lock(&all->lock);
    all->turn++;
    all->failure = failure;
    pthread_cond_broadcast(&all->turned);
    pthread_mutex_unlock(&all->lock);
}

/* The next file; false when there is none, or work has failed. */
static bool take_next(dataset *all, size_t *out_place)
{
    pthread_mutex_lock(&all->lock);
    bool has_more = all->failure == TACHO_OK && all->next < all->job->path_count;
    *out_place = all->next;
    all->next += has_more ? 1 : 0;
    pthread_mutex_unlock(&all->lock);
    return has_more;
}

static void *work(void *user)
{
    dataset *all = user;
    for (size_t place = 0; take_next(all, &place);) {
        bool is_of_input = false;
        tacho_status status = add_file(all, place, &is_of_input);
        if (!wait_turn(all, place)) {
            tacho_status_free(status);
            break;
        }
        pass_turn(all,
                  status != TACHO_OK && is_of_input ? keep_failure(all, place, status) : status);
    }
    return NULL;
}

/* A row of loss for a file that was not read. */
static tacho_status add_failure(dataset *all, size_t place)
{
    writing self = {.all = all,
                    .place = place,
                    .origin = tacho_fleet_origin_of(all->job->runs, all->job->paths[place])};
    tacho_str reason = tacho_str_from_cstring(tacho_status_message(all->failures[place]));
    tacho_status status = tacho_fleet_init(&self.fleet, TACHO_FLEET_ALL);
    if (status == TACHO_OK) {
        status = tacho_fleet_add_failed(&self.fleet, &self.origin, reason);
    }
    if (status == TACHO_OK) {
        status = choose_place(&self, 0);
    }
    if (status == TACHO_OK) {
        status = write_tables(&self, NULL, TACHO_STR(""));
    }
    tacho_fleet_deinit(&self.fleet);
    return status;
}

static tacho_status write_all(dataset *all)
{
    tacho_dataset_job *job = all->job;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->turned, NULL);
    tacho_workers_run(job->worker_count, job->path_count, work, all);
    pthread_cond_destroy(&all->turned);
    pthread_mutex_destroy(&all->lock);
    TACHO_TRY(all->failure);
    if (job->written_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "none of the inputs could be read");
    }
    for (size_t i = 0; i < job->path_count; i++) {
        TACHO_TRY(all->failures[i] != TACHO_OK ? add_failure(all, i) : TACHO_OK);
    }
    TACHO_TRY(tacho_output_group_finish(&all->group));
    return tacho_dataset_held_remove(&all->held, job->folder, all_tables, TABLE_COUNT,
                                     &job->replaced_count);
}

tacho_status tacho_dataset_write(tacho_dataset_job *job)
{
    dataset all = {.job = job};
    bool is_new = false;
    TACHO_TRY(tacho_folder_ensure(job->folder, &is_new));
    /* Every profile has rows of events or of losses; the first get their names first. */
    static const char *const tables[] = {"spans", "loss"};
    tacho_status status =
        tacho_dataset_held_init(&all.held, job->folder, tables, sizeof(tables) / sizeof(tables[0]));
    if (status == TACHO_OK) {
        status = tacho_items_make(&all.failures, job->path_count);
    }
    if (status == TACHO_OK) {
        status = write_all(&all);
    }
    for (size_t i = 0; all.failures != NULL && i < job->path_count; i++) {
        tacho_status_free(all.failures[i]);
    }
    free(all.failures);
    tacho_output_group_deinit(&all.group);
    tacho_dataset_held_deinit(&all.held);
    tacho_number_map_deinit(&all.places);
    return status;
}
