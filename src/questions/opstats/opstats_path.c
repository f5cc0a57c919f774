/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking back through needs and engines.
 */
#include "questions/opstats/opstats_path.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

const tacho_column tacho_opstats_path_columns[TACHO_OPSTATS_PATH_COLUMN_COUNT] = {
    TACHO_COLUMN(INFERENCE, "inference", INT),
    TACHO_COLUMN(ACTIVATION, "activation", INT),
    TACHO_COLUMN(OP, "op", TEXT),
    TACHO_COLUMN(TYPE, "type", TEXT),
    TACHO_COLUMN(KIND, "kind", TEXT),
    TACHO_COLUMN(ENGINE, "engine", TEXT),
    TACHO_COLUMN(JOB_COUNT, "jobs", INT),
    TACHO_COLUMN(WORK_UCYCLES, "work", INT),
    TACHO_COLUMN(WAIT_UCYCLES, "wait before", INT),
    TACHO_COLUMN(UCYCLES, "ucycles", INT),
    TACHO_COLUMN(SHARE_PERCENT, "share", PERCENT),
    TACHO_COLUMN(MISSING_COUNT, "missing records", INT),
    TACHO_COLUMN(QUALITY, "path", TEXT),
};

/* When a job ran; end is -1 when it was not recorded. */
typedef struct job_time {
    int64_t start, end;
    uint32_t before; /* on its engine, or TACHO_NONE */
} job_time;

typedef struct path_sum {
    uint32_t op, kind_name, engine_name; /* op may be TACHO_NONE */
    uint64_t job_count;
    int64_t work, wait;
} path_sum;

typedef struct path {
    const tacho_rollup_files *files;
    const tacho_program *program;
    job_time *jobs;
    int64_t start; /* of the inference */
    path_sum *sums;
    size_t sum_count, sum_capacity;
    tacho_index index; /* of |sums| */
    int64_t total;
    uint64_t missing; /* jobs that the program records and the files lack */
} path;

/* ---- times --------------------------------------------------------------------------------- */

static void take_array(path *self, const tacho_stats_array *array, uint32_t *last)
{
    const tacho_stats_words *words = self->files->words;
    const tacho_stats_op *ops = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        if (ops[i].oc == TACHO_NONE) {
            continue;
        }
        size_t task = tacho_stats_words_task(words, array->stream, ops[i].oc);
        uint32_t job = tacho_stats_words_job(words, task, array->stream);
        if (job == TACHO_NONE || self->jobs[job].end >= 0) {
            continue;
        }
        uint64_t end = ops[i].flags & TACHO_STATS_OP_ASYNC ? ops[i].async_done_u : ops[i].op_end_u;
        /* Only jobs before it in the program, so that damaged files cannot cause cycles. */
        uint32_t before = last[array->stream];
        before = before != TACHO_NONE && before < job ? before : TACHO_NONE;
        self->jobs[job] = (job_time){(int64_t)ops[i].op_start_u, (int64_t)end, before};
        last[array->stream] = job;
    }
}

static void take_threads(path *self, const tacho_stats_array *array)
{
    const tacho_stats_thread *threads = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        if (threads[i].start_u < (uint64_t)self->start) {
            self->start = (int64_t)threads[i].start_u;
        }
    }
}

static tacho_status take_files(path *self)
{
    size_t engines = self->program->engine_count;
    uint32_t *last = malloc((engines + 1) * sizeof(*last));
    if (last == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < engines; i++) {
        last[i] = TACHO_NONE;
    }
    for (size_t i = 0; i < self->files->file_count; i++) {
        const tacho_stats_file *file = self->files->files[i];
        for (size_t j = 0; j < file->array_count; j++) {
            if (file->arrays[j].type == TACHO_STATS_TYPE_op &&
                (file->head.features & TACHO_STATS_BY_OP) == 0) {
                take_array(self, &file->arrays[j], last);
            } else if (file->arrays[j].type == TACHO_STATS_TYPE_thread) {
                take_threads(self, &file->arrays[j]);
            }
        }
    }
    free(last);
    return TACHO_OK;
}

/* Counts lost records: without them, the path may not be the one that decided. */
static void count_missing(path *self)
{
    const tacho_stats_layout *layout = self->files->words->layout;
    for (size_t i = 0; i < self->program->job_count; i++) {
        self->missing += layout->job_slot[i] != TACHO_NONE && self->jobs[i].end < 0 ? 1 : 0;
    }
}

/* ---- the path ------------------------------------------------------------------------------ */

static tacho_status find_sum(path *self, uint32_t job, path_sum **out_sum)
{
    const tacho_stats_words *words = self->files->words;
    uint32_t engine = self->program->jobs[job].engine;
    size_t task = tacho_stats_words_task(words, engine, words->layout->job_task[job]);
    uint32_t key[3] = {words->layout->tasks[task].op, words->layout->tasks[task].kind_name,
                       self->program->engines[engine].name};
    tacho_str bytes = tacho_str_make((const char *)key, sizeof(key));
    uint32_t hash = tacho_index_hash(&self->index, bytes);
    size_t at = tacho_index_begin(&self->index, hash);
    for (uint32_t id; (id = tacho_index_next(&self->index, hash, &at)) != TACHO_NONE;) {
        if (self->sums[id].op == key[0] && self->sums[id].kind_name == key[1] &&
            self->sums[id].engine_name == key[2]) {
            *out_sum = &self->sums[id];
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&self->sums, &self->sum_capacity, self->sum_count + 1));
    TACHO_TRY(tacho_index_add(&self->index, hash, (uint32_t)self->sum_count));
    self->sums[self->sum_count] =
        (path_sum){.op = key[0], .kind_name = key[1], .engine_name = key[2]};
    *out_sum = &self->sums[self->sum_count++];
    return TACHO_OK;
}

static uint32_t last_job(const path *self)
{
    uint32_t found = TACHO_NONE;
    for (size_t i = 0; i < self->program->job_count; i++) {
        if (self->jobs[i].end >= 0 &&
            (found == TACHO_NONE || self->jobs[i].end > self->jobs[found].end)) {
            found = (uint32_t)i;
        }
    }
    return found;
}

/* The job that |job| waited for longest: all candidates precede it in the program. */
static uint32_t cause_of(const path *self, uint32_t job)
{
    const tacho_job *of = &self->program->jobs[job];
    uint32_t cause = self->jobs[job].before;
    for (uint32_t i = 0; i < of->need_count; i++) {
        uint32_t need = self->program->needs[of->first_need + i].job;
        if (self->jobs[need].end >= 0 &&
            (cause == TACHO_NONE || self->jobs[need].end > self->jobs[cause].end)) {
            cause = need;
        }
    }
    return cause;
}

static tacho_status walk(path *self)
{
    uint32_t job = last_job(self);
    int64_t until = job != TACHO_NONE ? self->jobs[job].end : 0;
    while (job != TACHO_NONE) {
        path_sum *sum = NULL;
        uint32_t cause = cause_of(self, job);
        int64_t from = cause != TACHO_NONE ? self->jobs[cause].end : self->start;
        from = from < until ? from : until;
        int64_t start = self->jobs[job].start;
        start = start < from ? from : (start > until ? until : start);
        start = self->program->jobs[job].kind == TACHO_JOB_WAIT ? until : start;
        TACHO_TRY(find_sum(self, job, &sum));
        sum->job_count++;
        sum->work += until - start;
        sum->wait += start - from;
        self->total += until - from;
        until = from;
        job = cause;
    }
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int compare_sums(const void *a, const void *b)
{
    const path_sum *left = a;
    const path_sum *right = b;
    int64_t difference = (left->work + left->wait) - (right->work + right->wait);
    if (difference != 0) {
        return difference > 0 ? -1 : 1;
    }
    if (left->op != right->op) {
        return left->op < right->op ? -1 : 1;
    }
    return (left->kind_name > right->kind_name) - (left->kind_name < right->kind_name);
}

static tacho_status add_rows(path *self, tacho_table *table)
{
    const tacho_strings *strings = &self->program->strings;
    const tacho_stats_head *head = &self->files->files[0]->head;
    if (self->sum_count > 0) {
        qsort(self->sums, self->sum_count, sizeof(self->sums[0]), compare_sums);
    }
    for (size_t i = 0; i < self->sum_count; i++) {
        const path_sum *sum = &self->sums[i];
        const tacho_program_op *op = sum->op != TACHO_NONE ? &self->program->ops[sum->op] : NULL;
        double share =
            self->total > 0 ? 100.0 * (double)(sum->work + sum->wait) / (double)self->total : 0.0;
        TACHO_TRY(tacho_table_add_int(table, (int64_t)(head->inference & INT64_MAX)));
        TACHO_TRY(tacho_table_add_int(table, head->activation));
        TACHO_TRY(tacho_table_add_text(table, op != NULL ? tacho_strings_get(strings, op->name)
                                                         : TACHO_STR("")));
        TACHO_TRY(tacho_table_add_text(table, op != NULL ? tacho_strings_get(strings, op->type)
                                                         : TACHO_STR("")));
        TACHO_TRY(tacho_table_add_text(
            table, tacho_strings_get(&self->files->words->layout->names, sum->kind_name)));
        TACHO_TRY(tacho_table_add_text(table, tacho_strings_get(strings, sum->engine_name)));
        TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->job_count));
        TACHO_TRY(tacho_table_add_int(table, sum->work));
        TACHO_TRY(tacho_table_add_int(table, sum->wait));
        TACHO_TRY(tacho_table_add_int(table, sum->work + sum->wait));
        TACHO_TRY(tacho_table_add_real(table, share));
        TACHO_TRY(tacho_table_add_int(table, (int64_t)self->missing));
        TACHO_TRY(tacho_table_add_text(
            table, self->missing == 0 ? TACHO_STR("whole") : TACHO_STR("over damaged records")));
    }
    return TACHO_OK;
}

static tacho_status find_path(path *self, tacho_table *table)
{
    TACHO_TRY(tacho_index_init(&self->index));
    self->jobs = malloc((self->program->job_count + 1) * sizeof(*self->jobs));
    if (self->jobs == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < self->program->job_count; i++) {
        self->jobs[i] = (job_time){0, -1, TACHO_NONE};
    }
    TACHO_TRY(take_files(self));
    count_missing(self);
    TACHO_TRY(walk(self));
    return add_rows(self, table);
}

tacho_status tacho_opstats_path_add(const tacho_rollup_files *files, tacho_table *table)
{
    if (files->files[0]->head.level < TACHO_STATS_LEVEL_OPS) {
        return TACHO_OK; /* semaphores at most */
    }
    path self = {.files = files, .program = files->words->layout->program, .start = INT64_MAX};
    tacho_status status = find_path(&self, table);
    free(self.jobs);
    free(self.sums);
    tacho_index_deinit(&self.index);
    return status;
}
