/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a program's op tables: one per distinct kind of op and core.
 */
#include "questions/opstats/opstats.h"

#include "base/grow.h"

#include <stdlib.h>

/* Working state: the rows of the current core by their details. */
typedef struct plan_maker {
    tacho_opstats_plan *plan;
    const tacho_program *program;
    uint32_t *rows; /* by string of the plan: the row of this core ... */
    uint32_t *core; /* ... if this is the current core, + 1 */
    size_t row_capacity, core_capacity, known_count;
    uint32_t now;           /* the core, + 1 */
    uint32_t *first_engine; /* by device and core, or TACHO_NONE */
    uint32_t *next_engine;  /* by engine: the next of its core, or TACHO_NONE */
    uint32_t *op_types;     /* by op: string, or TACHO_NONE */
    tacho_text text;
} plan_maker;

static tacho_status intern(plan_maker *self, tacho_str text, uint32_t *out_id)
{
    return tacho_strings_ensure(&self->plan->strings, text, out_id);
}

/* "kind engine memory types"; a space follows the memory even without types. */
static tacho_status make_details(plan_maker *self, tacho_opstats_row *row)
{
    const tacho_strings *strings = &self->plan->strings;
    TACHO_TRY(tacho_text_put(&self->text, tacho_strings_get(strings, row->word)));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(" ")));
    TACHO_TRY(tacho_text_put(&self->text, tacho_strings_get(strings, row->engine)));
    if (row->memory != 0) {
        TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(" ")));
        TACHO_TRY(tacho_text_put(&self->text, tacho_strings_get(strings, row->memory)));
    }
    if (row->memory != 0 || row->types != 0) {
        TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(" ")));
        TACHO_TRY(tacho_text_put(&self->text, tacho_strings_get(strings, row->types)));
    }
    return intern(self, tacho_text_take(&self->text), &row->details);
}

static tacho_status ensure_row(plan_maker *self, tacho_opstats_row *row, uint32_t *out_row)
{
    tacho_opstats_plan *plan = self->plan;
    TACHO_TRY(make_details(self, row));
    size_t need = plan->strings.item_count;
    TACHO_TRY(tacho_grow(&self->rows, &self->row_capacity, need));
    TACHO_TRY(tacho_grow(&self->core, &self->core_capacity, need));
    for (; self->known_count < need; self->known_count++) {
        self->core[self->known_count] = 0;
    }
    if (self->core[row->details] != self->now) {
        TACHO_TRY(tacho_grow(&plan->rows, &plan->row_capacity, plan->row_count + 1));
        self->core[row->details] = self->now;
        self->rows[row->details] = (uint32_t)plan->row_count;
        plan->rows[plan->row_count++] = *row;
    }
    *out_row = self->rows[row->details];
    return TACHO_OK;
}

static tacho_status types_of(plan_maker *self, uint32_t op, uint32_t *out_types)
{
    if (self->op_types[op] == TACHO_NONE) {
        TACHO_TRY(tacho_stats_words_types(self->program, op, &self->text));
        TACHO_TRY(intern(self, tacho_text_take(&self->text), &self->op_types[op]));
    }
    *out_types = self->op_types[op];
    return TACHO_OK;
}

static tacho_status add_task(plan_maker *self, size_t at, uint32_t core)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    const tacho_stats_task *task = &layout->tasks[at];
    tacho_opstats_row row = {.kind = TACHO_OPSTATS_OP, .core = core};
    self->plan->has_waits[task->engine] |= task->kind == TACHO_JOB_WAIT;
    TACHO_TRY(intern(self, tacho_strings_get(&layout->names, task->kind_name), &row.word));
    TACHO_TRY(intern(self, tacho_stats_words_group(self->plan->words, task->engine), &row.engine));
    TACHO_TRY(intern(self, tacho_stats_words_memory(task->kind), &row.memory));
    if (task->op != TACHO_NONE &&
        (task->kind == TACHO_JOB_COMPUTE || task->kind == TACHO_JOB_CONTROL)) {
        TACHO_TRY(types_of(self, task->op, &row.types));
    }
    return ensure_row(self, &row, &self->plan->task_row[at]);
}

static tacho_status add_wait_rows(plan_maker *self, uint32_t engine, uint32_t core)
{
    tacho_opstats_plan *plan = self->plan;
    tacho_opstats_row row = {.core = core};
    TACHO_TRY(intern(self, tacho_stats_words_group(plan->words, engine), &row.engine));
    row.kind = TACHO_OPSTATS_SYNC;
    TACHO_TRY(intern(self, TACHO_STR("sync"), &row.word));
    TACHO_TRY(ensure_row(self, &row, &plan->sync_row[engine]));
    row.kind = TACHO_OPSTATS_BARRIER;
    TACHO_TRY(intern(self, TACHO_STR("barrier"), &row.word));
    TACHO_TRY(ensure_row(self, &row, &plan->barrier_row[engine]));
    row.kind = TACHO_OPSTATS_FLUSH;
    TACHO_TRY(intern(self, TACHO_STR(TACHO_STATS_FLUSH_KIND), &row.word));
    TACHO_TRY(intern(self, TACHO_STR("DDR"), &row.memory));
    TACHO_TRY(intern(self, TACHO_STR("(i8)"), &row.types));
    return ensure_row(self, &row, &plan->flush_row[engine]);
}

static size_t core_of(const tacho_program *program, size_t engine)
{
    const tacho_program_engine *of = &program->engines[engine];
    return (size_t)of->device * program->facts.core_count + of->core;
}

static tacho_status add_core(plan_maker *self, size_t at)
{
    const tacho_stats_layout *layout = self->plan->words->layout;
    uint32_t core = (uint32_t)(at % self->program->facts.core_count);
    self->now++;
    self->plan->core_first_row[at] = self->plan->row_count;
    for (size_t i = layout->core_first_task[at]; i < layout->core_first_task[at + 1]; i++) {
        TACHO_TRY(add_task(self, i, core));
    }
    for (uint32_t i = self->first_engine[at]; i != TACHO_NONE; i = self->next_engine[i]) {
        TACHO_TRY(add_wait_rows(self, i, core));
    }
    return TACHO_OK;
}

/* Adds a row for devices that record whole ops: these have no engines of the program. */
static tacho_status add_op(plan_maker *self, uint32_t op)
{
    const tacho_program_op *of = &self->program->ops[op];
    const tacho_strings *strings = &self->program->strings;
    tacho_opstats_row row = {.kind = TACHO_OPSTATS_OP};
    tacho_str kind = tacho_strings_get(strings, of->kind);
    kind = kind.len > 0 ? kind : tacho_strings_get(strings, of->type);
    TACHO_TRY(intern(self, kind, &row.word));
    TACHO_TRY(intern(self, TACHO_STR(TACHO_STATS_COMPUTER), &row.engine));
    TACHO_TRY(types_of(self, op, &row.types));
    return ensure_row(self, &row, &self->plan->op_row[op]);
}

static tacho_status add_all(plan_maker *self, size_t core_count)
{
    for (size_t i = 0; i < core_count; i++) {
        self->first_engine[i] = TACHO_NONE;
    }
    for (size_t i = self->program->engine_count; i-- > 0;) {
        uint32_t *first = &self->first_engine[core_of(self->program, i)];
        self->next_engine[i] = *first;
        *first = (uint32_t)i;
    }
    for (size_t i = 0; i < core_count; i++) {
        TACHO_TRY(add_core(self, i));
    }
    self->plan->core_first_row[core_count] = self->plan->row_count;
    self->plan->first_op_row = self->plan->row_count;
    self->now++;
    for (uint32_t op = 0; op < self->program->op_count; op++) {
        TACHO_TRY(add_op(self, op));
    }
    return TACHO_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static tacho_status allocate(plan_maker *self, size_t cores)
{
    tacho_opstats_plan *plan = self->plan;
    const tacho_stats_layout *layout = plan->words->layout;
    const tacho_program *program = self->program;
    plan->core_first_row = calloc(cores + 2, sizeof(*plan->core_first_row));
    plan->task_row = tacho_items_alloc(layout->task_count, sizeof(*plan->task_row));
    plan->sync_row = tacho_items_alloc(program->engine_count, sizeof(*plan->sync_row));
    plan->barrier_row = tacho_items_alloc(program->engine_count, sizeof(*plan->barrier_row));
    plan->flush_row = tacho_items_alloc(program->engine_count, sizeof(*plan->flush_row));
    plan->has_waits = tacho_items_alloc(program->engine_count, sizeof(*plan->has_waits));
    plan->op_row = tacho_items_alloc(program->op_count, sizeof(*plan->op_row));
    self->op_types = malloc((program->op_count + 1) * sizeof(*self->op_types));
    self->first_engine = tacho_items_alloc(cores, sizeof(*self->first_engine));
    self->next_engine = tacho_items_alloc(program->engine_count, sizeof(*self->next_engine));
    bool is_good = plan->core_first_row != NULL && plan->task_row != NULL &&
                   plan->sync_row != NULL && plan->has_waits != NULL && plan->barrier_row != NULL &&
                   plan->flush_row != NULL && plan->op_row != NULL && self->op_types != NULL &&
                   self->first_engine != NULL && self->next_engine != NULL;
    for (size_t i = 0; is_good && i < program->op_count; i++) {
        self->op_types[i] = TACHO_NONE;
    }
    return is_good ? TACHO_OK : tacho_no_memory();
}

tacho_status tacho_opstats_plan_init(tacho_opstats_plan *plan, const tacho_stats_words *words)
{
    *plan = (tacho_opstats_plan){.words = words};
    plan_maker maker = {.plan = plan, .program = words->layout->program};
    const tacho_program_facts *facts = &maker.program->facts;
    size_t core_count = (size_t)facts->device_count * facts->core_count;
    tacho_status status = tacho_strings_init(&plan->strings);
    if (status == TACHO_OK) {
        status = allocate(&maker, core_count);
    }
    if (status == TACHO_OK) {
        status = add_all(&maker, core_count);
    }
    free(maker.rows);
    free(maker.core);
    free(maker.op_types);
    free(maker.first_engine);
    free(maker.next_engine);
    tacho_text_deinit(&maker.text);
    return status;
}

void tacho_opstats_plan_deinit(tacho_opstats_plan *plan)
{
    tacho_strings_deinit(&plan->strings);
    free(plan->rows);
    free(plan->core_first_row);
    free(plan->task_row);
    free(plan->sync_row);
    free(plan->barrier_row);
    free(plan->flush_row);
    free(plan->op_row);
    free(plan->has_waits);
}
