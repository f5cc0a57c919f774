/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables by engine and task, from the program alone.
 */
#include "program/stats_words.h"

#include "base/dtype.h"
#include "base/grow.h"

#include <stdlib.h>

/* ---- engines ------------------------------------------------------------------------------- */

static bool is_same_core(const tacho_program_engine *a, const tacho_program_engine *b)
{
    return a->device == b->device && a->core == b->core;
}

/* Engines that compute keep their name, also where one thread does everything. */
static bool computes(const tacho_program *program, size_t engine)
{
    tacho_str name = tacho_strings_get(&program->strings, program->engines[engine].class_name);
    return tacho_str_equal(name, TACHO_STR("compute")) ||
           tacho_str_equal(name, TACHO_STR("vector"));
}

/* Marks the threads of engines [first, end), all of one core, that start transfers. */
static void mark_issuers(tacho_stats_words *self, size_t first, size_t end, bool *threads)
{
    const tacho_program *program = self->layout->program;
    for (size_t i = first; i < end; i++) {
        threads[program->engines[i].thread] |= tacho_stats_is_async(program, (uint32_t)i);
    }
    for (size_t i = first; i < end; i++) {
        self->is_issue[i] = threads[program->engines[i].thread] && !computes(program, i);
    }
    for (size_t i = first; i < end; i++) {
        threads[program->engines[i].thread] = false;
    }
}

/* Engines of one core follow one another. */
static bool find_issuers(tacho_stats_words *self)
{
    const tacho_program *program = self->layout->program;
    bool *threads = tacho_items_alloc((size_t)UINT16_MAX, sizeof(*threads));
    size_t first = 0;
    for (size_t i = 0; threads != NULL && i < program->engine_count; i++) {
        if (i + 1 == program->engine_count ||
            !is_same_core(&program->engines[i], &program->engines[i + 1])) {
            mark_issuers(self, first, i + 1, threads);
            first = i + 1;
        }
    }
    bool is_good = threads != NULL;
    free(threads);
    return is_good;
}

tacho_str tacho_stats_words_group(const tacho_stats_words *words, uint32_t engine)
{
    const tacho_program *program = words->layout->program;
    return words->is_issue[engine]
               ? TACHO_STR(TACHO_STATS_ISSUE_GROUP)
               : tacho_strings_get(&program->strings, program->engines[engine].name);
}

/* ---- tasks --------------------------------------------------------------------------------- */

tacho_str tacho_stats_words_memory(uint16_t kind)
{
    bool is_shared = kind == TACHO_JOB_LOAD || kind == TACHO_JOB_STORE || kind == TACHO_JOB_P2P;
    return is_shared ? TACHO_STR("DDR") : TACHO_STR("TCM");
}

static size_t task_of(const tacho_stats_words *self, size_t job)
{
    return tacho_stats_words_task(self, self->layout->program->jobs[job].engine,
                                  self->layout->job_task[job]);
}

static void list_jobs(tacho_stats_words *self)
{
    const tacho_stats_layout *layout = self->layout;
    for (size_t i = 0; i < layout->task_count; i++) {
        self->task_first[i + 1] = self->task_first[i] + layout->tasks[i].job_count;
    }
    for (size_t i = layout->program->job_count; i-- > 0;) {
        self->jobs[--self->task_first[task_of(self, i) + 1]] = (uint32_t)i;
    }
    /* The ends have moved to the beginnings: back by one place. */
    for (size_t i = 0; i < layout->task_count; i++) {
        self->task_first[i] = self->task_first[i + 1];
    }
    self->task_first[layout->task_count] = (uint32_t)layout->program->job_count;
}

static bool has_output(const tacho_stats_task *task)
{
    return task->op != TACHO_NONE && task->bytes == 0 &&
           (task->kind == TACHO_JOB_COMPUTE || task->kind == TACHO_JOB_CONTROL);
}

/* Transfers have their bytes; the output of an op is divided among its tasks. */
static void share_bytes(tacho_stats_words *self, uint32_t *counts, uint32_t *given)
{
    const tacho_stats_layout *layout = self->layout;
    for (size_t i = 0; i < layout->task_count; i++) {
        if (has_output(&layout->tasks[i])) {
            counts[layout->tasks[i].op]++;
        }
    }
    for (size_t i = 0; i < layout->task_count; i++) {
        const tacho_stats_task *task = &layout->tasks[i];
        self->task_bytes[i] = task->bytes;
        if (has_output(task)) {
            uint64_t bytes = layout->program->ops[task->op].output_bytes;
            uint64_t count = counts[task->op];
            self->task_bytes[i] = bytes / count + (given[task->op]++ < bytes % count ? 1 : 0);
        }
    }
}

uint32_t tacho_stats_words_job(const tacho_stats_words *words, size_t task, uint32_t engine)
{
    for (uint32_t i = words->task_first[task]; i < words->task_first[task + 1]; i++) {
        if (words->layout->program->jobs[words->jobs[i]].engine == engine) {
            return words->jobs[i];
        }
    }
    return TACHO_NONE;
}

/* The part of a task's output of one of its jobs: together exactly the task's. */
static uint64_t share_of(const tacho_stats_words *self, size_t task, uint32_t job)
{
    const tacho_program *program = self->layout->program;
    if (program->jobs[job].bytes > 0 || self->layout->tasks[task].bytes > 0) {
        return program->jobs[job].bytes;
    }
    uint64_t count = self->task_first[task + 1] - self->task_first[task];
    bool is_first = self->jobs[self->task_first[task]] == job;
    return self->task_bytes[task] / count + (is_first ? self->task_bytes[task] % count : 0);
}

static void list_slots(tacho_stats_words *self)
{
    const tacho_program *program = self->layout->program;
    for (size_t i = 0; i < program->job_count; i++) {
        self->first_slot[program->jobs[i].engine + 1]++;
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        self->first_slot[i + 1] += self->first_slot[i];
    }
    for (size_t i = program->job_count; i-- > 0;) {
        const tacho_job *job = &program->jobs[i];
        self->slots[--self->first_slot[job->engine + 1]] =
            (tacho_stats_slot){.oc = self->layout->job_task[i],
                               .job = (uint32_t)i,
                               .cycles = job->cycles,
                               .bytes = share_of(self, task_of(self, i), (uint32_t)i),
                               .is_wait = job->kind == TACHO_JOB_WAIT,
                               .is_link = job->kind == TACHO_JOB_P2P};
    }
    /* As in list_jobs: ends have moved to the beginnings. */
    for (size_t i = 0; i < program->engine_count; i++) {
        self->first_slot[i] = self->first_slot[i + 1];
    }
    self->first_slot[program->engine_count] = (uint32_t)program->job_count;
}

/* ---- element types ------------------------------------------------------------------------- */

const char *tacho_stats_words_dtype(tacho_dtype dtype)
{
    static const char *const words[TACHO_DTYPE_COUNT] = {
        [TACHO_DTYPE_F32] = "float",   [TACHO_DTYPE_F64] = "double",
        [TACHO_DTYPE_F16] = "float16", [TACHO_DTYPE_BF16] = "bfloat16",
        [TACHO_DTYPE_U8] = "ui8",      [TACHO_DTYPE_I32] = "index32",
        [TACHO_DTYPE_I64] = "index64",
    };
    return words[dtype] != NULL ? words[dtype] : tacho_dtype_name(dtype);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

tacho_status tacho_stats_words_types(const tacho_program *program, uint32_t op, tacho_text *text)
{
    const tacho_program_op *of = &program->ops[op];
    uint64_t seen = 0;
    for (uint32_t i = of->first_step; i < of->first_step + of->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        for (uint32_t j = 0; j < (uint32_t)step->input_count + step->output_count; j++) {
            uint32_t tensor = program->links[step->first_link + j];
            seen |= tensor != TACHO_NONE ? UINT64_C(1) << program->tensors[tensor].dtype : 0;
        }
    }
    const char *names[TACHO_DTYPE_COUNT];
    size_t count = 0;
    for (uint32_t i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        if (seen >> i & 1) {
            names[count++] = tacho_stats_words_dtype((tacho_dtype)i);
        }
    }
    if (count == 0) {
        return TACHO_OK;
    }
    qsort(names, count, sizeof(names[0]), compare_words);
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_text_put(text, i == 0 ? TACHO_STR("(") : TACHO_STR(", ")));
        TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(names[i])));
    }
    return tacho_text_put(text, TACHO_STR(")"));
}

/* ---- the whole ----------------------------------------------------------------------------- */

tacho_status tacho_stats_words_init(tacho_stats_words *words, const tacho_stats_layout *layout)
{
    const tacho_program *program = layout->program;
    *words = (tacho_stats_words){.layout = layout};
    words->is_issue = tacho_items_alloc(program->engine_count, sizeof(*words->is_issue));
    words->task_bytes = tacho_items_alloc(layout->task_count, sizeof(*words->task_bytes));
    words->task_first = calloc(layout->task_count + 2, sizeof(*words->task_first));
    words->jobs = tacho_items_alloc(program->job_count, sizeof(*words->jobs));
    words->first_slot = calloc(program->engine_count + 2, sizeof(*words->first_slot));
    words->slots = tacho_items_alloc(program->job_count, sizeof(*words->slots));
    uint32_t *counts = tacho_items_alloc(program->op_count, 2 * sizeof(*counts));
    bool is_good = words->is_issue != NULL && words->task_bytes != NULL &&
                   words->task_first != NULL && words->jobs != NULL && counts != NULL &&
                   words->first_slot != NULL && words->slots != NULL;
    if (is_good) {
        is_good = find_issuers(words);
        list_jobs(words);
        share_bytes(words, counts, counts + program->op_count + 1);
        list_slots(words);
    }
    free(counts);
    return is_good ? TACHO_OK : tacho_no_memory();
}

void tacho_stats_words_deinit(tacho_stats_words *words)
{
    free(words->is_issue);
    free(words->task_bytes);
    free(words->task_first);
    free(words->jobs);
    free(words->first_slot);
    free(words->slots);
}
