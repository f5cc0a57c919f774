/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the rows of a file belong is known behind its last one: the rank may be a fact of the file.
 * So tables go to files without names, which are moved to their places at the end.
 */
#include "pipeline/dataset_file.h"

#include "questions/fleet/fleet_dataset.h"
#include "base/folder.h"
#include "base/utf8.h"
#include "pipeline/fleet_inputs.h"
#include "sinks/parquet.h"
#include "sinks/spans_parquet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PATH_BYTES = 4096,
    VALUE_BYTES = 250, /* "host=" and it are a name of 255 bytes at most */
    VALUE_SHOWN = 60,
    FOLDER_BYTES = 2 * VALUE_BYTES + 64,
    ROW_TABLES = 2,
};

/* What every Parquet file begins with: only such files are replaced. */
#define PARQUET_MARK "PAR1"

const char *const tacho_dataset_table_names[TACHO_DATASET_TABLES] = {
    "spans", "counters", "ops", "devices", "steps", "collectives", "clock", "loss"};
_Static_assert(ROW_TABLES + TACHO_FLEET_DATASET_TABLES == TACHO_DATASET_TABLES,
               "one for each table");

typedef struct tacho_dataset_file {
    tacho_dataset *all;
    size_t place;
    tacho_fleet_origin origin;
    tacho_fleet fleet; /* once it is ready, what is said of the file and no sums */
    uint64_t content, identity;
    tacho_status failure; /* why it cannot be read or written */
    tacho_status losses;  /* why it is refused, where it has to be whole */
    bool is_read;         /* what fails from here on is the output */
    bool is_copy;         /* of another one, which has been written */
    tacho_output outputs[TACHO_DATASET_TABLES];
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
static tacho_status choose_place(writing *self)
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
    tacho_dataset_digits_find(path, self->content, self->is_copy, &digits);
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

/* Puts what the data set says of a file without rows in place. */
static tacho_status place_table(void *user, const tacho_table *table)
{
    writing *self = user;
    char path[PATH_BYTES];
    tacho_output output;
    if (tacho_table_row_count(table) == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(find_place(self, table->name, path));
    TACHO_TRY(tacho_output_open_chosen(path, PARQUET_MARK, &output));
    tacho_status status = tacho_table_sink_parquet.write(table, 0, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit_to(&output, &self->all->group);
    }
    tacho_output_close(&output);
    return status;
}

/* Only the table of losses has a row. */
static tacho_status place_loss(writing *self, tacho_str copy_of)
{
    const tacho_fleet_dataset made = {NULL, &self->fleet, copy_of};
    const tacho_table_taker taker = {place_table, self};
    return tacho_fleet_dataset_tables(&made, &taker);
}

/* A file without a name, in the file system of the data set. */
static tacho_status open_unnamed(const writing *self, tacho_output *out_output)
{
    char folder[PATH_BYTES], path[PATH_BYTES + 8];
    bool is_new = false;
    snprintf(folder, sizeof(folder), "%s/%s", self->all->job->folder, tacho_dataset_table_names[0]);
    snprintf(path, sizeof(path), "%s/rows", folder);
    TACHO_TRY(tacho_folder_ensure(folder, &is_new));
    return tacho_output_open_chosen(path, PARQUET_MARK, out_output);
}

/* Of tables without rows there is a file, too. */
static tacho_status write_table(void *user, const tacho_table *table)
{
    writing *self = user;
    size_t i = ROW_TABLES;
    while (strcmp(tacho_dataset_table_names[i], table->name) != 0) {
        i++;
    }
    TACHO_TRY(open_unnamed(self, &self->outputs[i]));
    TACHO_TRY(tacho_table_sink_parquet.write(table, 0, &self->outputs[i]));
    return tacho_output_rest(&self->outputs[i]);
}

static tacho_status write_tables(writing *self, const tacho_fleet_gather *gather)
{
    const tacho_fleet_dataset made = {gather, &self->fleet, TACHO_STR("")};
    const tacho_table_taker taker = {write_table, self};
    return tacho_fleet_dataset_tables(&made, &taker);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows go to the tables of events and to what gathers the rest. */
typedef struct row_fork {
    tacho_events events;
    tacho_events *rows;
    bool has_rows_failed; /* it is the output that cannot be written, not the input read */
    tacho_fleet_gather gather;
} row_fork;

static row_fork *fork_of(tacho_events *events)
{
    return (row_fork *)(void *)events;
}

static tacho_status note_rows_failure(tacho_events *events, tacho_status status)
{
    fork_of(events)->has_rows_failed |= tacho_status_code(status) == TACHO_CODE_IO;
    return status;
}

static tacho_status fork_row(tacho_events *events, const tacho_row *row)
{
    TACHO_TRY(note_rows_failure(events, tacho_events_row(fork_of(events)->rows, row)));
    return tacho_events_row(&fork_of(events)->gather.events, row);
}

static tacho_status fork_end_part(tacho_events *events, uint32_t part)
{
    TACHO_TRY(note_rows_failure(events, tacho_events_end_part(fork_of(events)->rows, part)));
    return tacho_events_end_part(&fork_of(events)->gather.events, part);
}

static tacho_status fork_finish(tacho_events *events)
{
    TACHO_TRY(note_rows_failure(events, tacho_events_finish(fork_of(events)->rows)));
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

static void close_outputs(writing *self)
{
    for (size_t i = 0; i < TACHO_DATASET_TABLES; i++) {
        tacho_output_close(&self->outputs[i]);
    }
}

/* Keeps what is said of the file, and none of its sums. */
static tacho_status keep_facts(writing *self)
{
    tacho_fleet kept;
    tacho_status status = tacho_fleet_init(&kept, TACHO_FLEET_ALL);
    if (status == TACHO_OK) {
        status = tacho_fleet_list(&kept, &self->fleet);
    }
    tacho_fleet unused = status == TACHO_OK ? self->fleet : kept;
    self->fleet = status == TACHO_OK ? kept : self->fleet;
    tacho_fleet_deinit(&unused);
    return status;
}

/* All rows have gone by: the other tables, after which the file can wait. */
static tacho_status make_ready(writing *self, tacho_fleet_gather *gather)
{
    TACHO_TRY(tacho_fleet_gather_fold(gather, &self->origin, &self->fleet));
    self->content = gather->content;
    self->identity = gather->identity;
    self->losses =
        self->all->job->is_strict ? tacho_pipeline_refuse_losses(gather->events.dict) : TACHO_OK;
    for (size_t i = 0; i < ROW_TABLES; i++) {
        TACHO_TRY(tacho_output_rest(&self->outputs[i]));
    }
    TACHO_TRY(write_tables(self, gather));
    return keep_facts(self);
}

/* Again, should the input have to be sorted. */
static tacho_status attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    writing *self = user;
    row_fork fork = {.events = {.dict = dict}};
    close_outputs(self);
    tacho_fleet_deinit(&self->fleet);
    TACHO_TRY(tacho_fleet_init(&self->fleet, TACHO_FLEET_ALL));
    self->is_read = true;
    for (size_t i = 0; i < ROW_TABLES; i++) {
        TACHO_TRY(open_unnamed(self, &self->outputs[i]));
    }
    tacho_fleet_gather_init(&fork.gather, dict, TACHO_FLEET_ALL);
    fork.gather.digest.has_all_args = true;
    self->is_read = false;
    tacho_status status = push_rows(self, mode, &fork);
    self->is_read = status == TACHO_OK || fork.has_rows_failed;
    if (status == TACHO_OK) {
        status = make_ready(self, &fork.gather);
    }
    tacho_fleet_gather_deinit(&fork.gather);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

void tacho_dataset_file_destroy(tacho_dataset_file *self)
{
    close_outputs(self);
    tacho_fleet_deinit(&self->fleet);
    tacho_status_free(self->failure);
    tacho_status_free(self->losses);
    free(self);
}

/* Reads a file up to where it can wait for its turn. NULL: no memory. */
tacho_dataset_file *tacho_dataset_file_read(tacho_dataset *all, size_t place)
{
    const char *path = all->job->paths[place];
    tacho_dict dict;
    writing *self = malloc(sizeof(*self));
    if (self == NULL) {
        return NULL;
    }
    *self = (writing){
        .all = all, .place = place, .origin = tacho_fleet_origin_of(all->job->runs, path)};
    for (size_t i = 0; i < TACHO_DATASET_TABLES; i++) {
        self->outputs[i] = (tacho_output){.fd = -1, .folder_fd = -1};
    }
    self->failure = tacho_dict_init(&dict);
    if (self->failure == TACHO_OK) {
        const tacho_intake_input input = {.path = path, .source = all->job->source};
        const tacho_intake intake = {.inputs = &input, .input_count = 1};
        self->failure =
            tacho_pipeline_try(attempt, self, tacho_intake_producer(&intake).first_mode, &dict);
    }
    tacho_dict_deinit(&dict);
    return self;
}

/* Puts all tables of the file in place. */
static tacho_status place_tables(writing *self)
{
    for (size_t i = 0; i < TACHO_DATASET_TABLES; i++) {
        char path[PATH_BYTES];
        TACHO_TRY(find_place(self, tacho_dataset_table_names[i], path));
        TACHO_TRY(tacho_output_move_chosen(&self->outputs[i], path, PARQUET_MARK));
        TACHO_TRY(tacho_output_commit_to(&self->outputs[i], &self->all->group));
    }
    return TACHO_OK;
}

static tacho_status place_copy(writing *self, const char *of)
{
    tacho_dataset_job *job = self->all->job;
    job->copy_count++;
    self->is_copy = true;
    tacho_note(job->notes, "warning", "%s: not written: a copy of %s", job->paths[self->place], of);
    TACHO_TRY(choose_place(self));
    return place_loss(self, tacho_str_from_cstring(of));
}

/* The file has its turn: all its rows, or that it is a copy. */
static tacho_status place_file(writing *self)
{
    tacho_dataset_job *job = self->all->job;
    const tacho_fleet_file *file = &self->fleet.files[0];
    uint64_t *first = tacho_number_map_find(&self->all->places, self->identity);
    if (first != NULL) {
        return place_copy(self, job->paths[*first]);
    }
    if (self->losses != TACHO_OK) {
        tacho_status losses = self->losses;
        self->losses = TACHO_OK;
        return losses;
    }
    TACHO_TRY(tacho_number_map_set(&self->all->places, self->identity, self->place));
    TACHO_TRY(choose_place(self));
    TACHO_TRY(place_tables(self));
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

tacho_status tacho_dataset_file_place(tacho_dataset_file *self, tacho_status *out_unread)
{
    tacho_dataset_job *job = self->all->job;
    tacho_status failure = self->failure;
    self->failure = TACHO_OK;
    *out_unread = TACHO_OK;
    if (failure == TACHO_OK) {
        return place_file(self);
    }
    if (self->is_read || job->is_strict || tacho_status_code(failure) == TACHO_CODE_NO_MEMORY) {
        return failure;
    }
    *out_unread = failure;
    job->failed_count++;
    tacho_note(job->notes, "warning", "%s: not read: %s", job->paths[self->place],
               tacho_status_message(failure));
    return TACHO_OK;
}

tacho_status tacho_dataset_place_unread(tacho_dataset *all, size_t place, tacho_status why)
{
    writing self = {.all = all,
                    .place = place,
                    .origin = tacho_fleet_origin_of(all->job->runs, all->job->paths[place])};
    tacho_str reason = tacho_str_from_cstring(tacho_status_message(why));
    tacho_status status = tacho_fleet_init(&self.fleet, TACHO_FLEET_ALL);
    if (status == TACHO_OK) {
        status = tacho_fleet_add_failed(&self.fleet, &self.origin, reason);
    }
    if (status == TACHO_OK) {
        status = choose_place(&self);
    }
    if (status == TACHO_OK) {
        status = place_loss(&self, TACHO_STR(""));
    }
    tacho_fleet_deinit(&self.fleet);
    return status;
}
