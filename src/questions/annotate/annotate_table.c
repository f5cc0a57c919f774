/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations as tables: writes the cells that the set asks for.
 */
#include "questions/annotate/annotate_sets.h"

#include "base/decimal.h"
#include "base/maths.h"
#include "base/text.h"
#include "profile/torq_labels.h"

#include <stdlib.h>

/* ---- cells ------------------------------------------------------------------------------ */

typedef struct writer {
    const tacho_annotation *annotation;
    const tacho_debug_info *info;
    const tacho_dict *dict;
    const tacho_annotation_set *set;
    tacho_table *table;
    size_t next_row; /* of the annotation */
    uint32_t slice_count;
    uint32_t *slices; /* numbers of the columns' slices, by column */
    const tacho_annotate_column **specs;
    tacho_text text;
    /* Cached, since consecutive rows often share a location and a job. */
    uint32_t last_location;
    tacho_str last_location_text;
    uint32_t last_job;
    tacho_str last_job_used;
} writer;

static tacho_status put_str(writer *to, tacho_str piece)
{
    return tacho_text_put(&to->text, piece);
}

/* Adds the assembled text, or an absent cell. */
static tacho_status add_put(writer *to)
{
    tacho_str text = tacho_text_take(&to->text);
    return text.len > 0 ? tacho_table_add_text(to->table, text) : tacho_table_add_absent(to->table);
}

/* Keeps the assembled text as long as the table. */
static tacho_status keep_put(writer *to, tacho_str *out_text)
{
    return tacho_arena_copy(&to->table->arena, tacho_text_take(&to->text), out_text);
}

/* A text of the dictionary, or a constant one. */
static tacho_status add_str(writer *to, tacho_str text)
{
    return text.len > 0 ? tacho_table_add_lasting_text(to->table, text)
                        : tacho_table_add_absent(to->table);
}

static tacho_status add_string(writer *to, uint32_t string)
{
    return add_str(to, tacho_dict_string(to->dict, string));
}

static tacho_status add_name(writer *to, const char *text)
{
    return add_str(to, tacho_str_from_cstring(text));
}

/* In a column of integers or reals. */
static tacho_status add_number(writer *to, tacho_column_type type, int64_t value)
{
    return type == TACHO_COLUMN_REAL ? tacho_table_add_real(to->table, (double)value)
                                     : tacho_table_add_int(to->table, value);
}

static const tacho_clock *row_clock(const writer *from, const tacho_annotation_row *row)
{
    return &from->dict->clocks[from->dict->parts[row->part].clock];
}

/* Microseconds as the input has them. */
static int64_t as_us(const tacho_clock *clock, int64_t ticks)
{
    if (clock->ns_numerator == 1000 && clock->ns_denominator == 1) {
        return ticks;
    }
    return (int64_t)(tacho_scale_floor(ticks, clock->ns_numerator, clock->ns_denominator) / 1000);
}

/*
 * Whether to show the estimate of an inner op in place of the time of the wait for its job; the
 * input has no time of its own for it.
 */
static bool is_estimate(const writer *from, const tacho_annotation_row *row)
{
    return from->set->rows == ROWS_ALL && row->kind == TACHO_ANNOTATION_INNER;
}

static tacho_status add_estimate(writer *to, const tacho_annotation_row *row,
                                 const tacho_annotate_column *spec)
{
    const tacho_clock *clock = row_clock(to, row);
    bool is_of_input = spec->content == SHOW_START_US || spec->content == SHOW_END_US;
    if (is_of_input || row->fit.end < row->fit.start) {
        return tacho_table_add_absent(to->table);
    }
    int64_t start = tacho_clock_ns(clock, row->fit.start);
    int64_t end = tacho_clock_ns(clock, row->fit.end);
    int64_t total = end - start;
    return add_number(to, spec->type,
                      spec->content == SHOW_START ? start
                                                  : (spec->content == SHOW_END ? end : total));
}

static tacho_status add_time(writer *to, const tacho_annotation_row *row,
                             const tacho_annotate_column *spec)
{
    const tacho_clock *clock = row_clock(to, row);
    bool is_of_job = spec->content == SHOW_JOB_START || spec->content == SHOW_JOB_END ||
                     spec->content == SHOW_JOB_START_US || spec->content == SHOW_JOB_END_US ||
                     spec->content == SHOW_JOB_TOTAL_US;
    if (!is_of_job && is_estimate(to, row)) {
        return add_estimate(to, row, spec);
    }
    if (is_of_job ? !row->has_job_time : !row->has_time) {
        return tacho_table_add_absent(to->table);
    }
    bool is_start = spec->content == SHOW_START || spec->content == SHOW_START_US;
    bool is_end = spec->content == SHOW_END || spec->content == SHOW_END_US;
    if (!is_of_job && ((row->lacks_start && !is_end) || (row->lacks_end && !is_start))) {
        return tacho_table_add_absent(to->table);
    }
    int64_t start = is_of_job ? row->job_start : row->start;
    int64_t end = is_of_job ? row->job_end : row->end;
    int64_t value = 0;
    if (spec->content == SHOW_START || spec->content == SHOW_JOB_START) {
        value = tacho_clock_ns(clock, start);
    } else if (spec->content == SHOW_END || spec->content == SHOW_JOB_END) {
        value = tacho_clock_ns(clock, end);
    } else if (spec->content == SHOW_TOTAL) {
        value = tacho_clock_ns(clock, end) - tacho_clock_ns(clock, start);
    } else if (spec->content == SHOW_START_US || spec->content == SHOW_JOB_START_US) {
        value = as_us(clock, start);
    } else if (spec->content == SHOW_END_US || spec->content == SHOW_JOB_END_US) {
        value = as_us(clock, end);
    } else {
        value = as_us(clock, end) - as_us(clock, start);
    }
    return add_number(to, spec->type, value);
}

static const tacho_inner_op *row_op(const writer *from, const tacho_annotation_row *row)
{
    return row->op != TACHO_NONE ? &from->info->ops[row->op] : NULL;
}

static const tacho_engine *row_engine(const writer *from, const tacho_annotation_row *row)
{
    const tacho_inner_op *op = row_op(from, row);
    return op != NULL ? &from->info->engines[op->engine] : NULL;
}

/* ---- engines used ----------------------------------------------------------------------- */

static bool is_used(const writer *from, const tacho_annotation_row *row, tacho_engine wanted)
{
    const tacho_debug_job *job = &from->info->jobs[row->job];
    for (uint32_t i = 0; i < job->used_count; i++) {
        const tacho_engine *engine = &from->info->engines[from->info->used[job->first_used + i]];
        if (engine->track_class == wanted.track_class && engine->index == wanted.index) {
            return true;
        }
    }
    return false;
}

static tacho_str flag_text(bool flag)
{
    return flag ? TACHO_STR("True") : TACHO_STR("False");
}

static tacho_status add_used(writer *to, const tacho_annotation_row *row,
                             tacho_track_class track_class, uint32_t index)
{
    if (row->job == TACHO_NONE) {
        return tacho_table_add_absent(to->table);
    }
    tacho_engine engine = {track_class, index};
    return tacho_table_add_flag(to->table, is_used(to, row, engine));
}

/* "True/False" */
static tacho_status add_slices_used(writer *to, const tacho_annotation_row *row)
{
    for (uint32_t i = 0; row->job != TACHO_NONE && i < to->slice_count; i++) {
        tacho_engine engine = {TACHO_TRACK_COMPUTE, i};
        TACHO_TRY(put_str(to, i > 0 ? TACHO_STR("/") : TACHO_STR("")));
        TACHO_TRY(put_str(to, flag_text(is_used(to, row, engine))));
    }
    return add_put(to);
}

/* "dma_in,compute_0,compute_1" */
static tacho_status put_all_used(writer *to, const tacho_debug_job *job)
{
    for (uint32_t i = 0; i < job->used_count; i++) {
        uint32_t first = job->first_used;
        const tacho_engine *engine = &to->info->engines[to->info->used[first + i]];
        char number[TACHO_DECIMAL_MAX + 1];
        number[0] = '_';
        char *end = tacho_decimal_put(number + 1, engine->index);
        bool is_one = engine->track_class != TACHO_TRACK_COMPUTE;
        TACHO_TRY(put_str(to, i > 0 ? TACHO_STR(",") : TACHO_STR("")));
        TACHO_TRY(put_str(to, tacho_str_from_cstring(tacho_track_class_name(engine->track_class))));
        TACHO_TRY(put_str(to, tacho_str_make(number, is_one ? 0 : (size_t)(end - number))));
    }
    return TACHO_OK;
}

static tacho_status add_all_used(writer *to, const tacho_annotation_row *row)
{
    if (row->job == TACHO_NONE) {
        return tacho_table_add_absent(to->table);
    }
    if (row->job != to->last_job) {
        TACHO_TRY(put_all_used(to, &to->info->jobs[row->job]));
        TACHO_TRY(keep_put(to, &to->last_job_used));
        to->last_job = row->job;
    }
    return add_str(to, to->last_job_used);
}

/* ---- names and places ------------------------------------------------------------------- */

static tacho_status add_kernels(writer *to, const tacho_annotation_row *row)
{
    if (row->op != TACHO_NONE) {
        return add_string(to, row_op(to, row)->name);
    }
    uint32_t count = row->job != TACHO_NONE ? to->info->jobs[row->job].kernel_count : 0;
    uint32_t first = row->job != TACHO_NONE ? to->info->jobs[row->job].first_kernel : 0;
    if (count == 1) {
        return add_string(to, to->info->kernels[first]);
    }
    for (uint32_t i = 0; i < count; i++) {
        TACHO_TRY(put_str(to, i > 0 ? TACHO_STR(",") : TACHO_STR("")));
        TACHO_TRY(put_str(to, tacho_dict_string(to->dict, to->info->kernels[first + i])));
    }
    return add_put(to);
}

/* Names of operators contain no spaces. */
static tacho_status add_operators(writer *to, const tacho_annotation_row *row, bool has_plus)
{
    tacho_str all =
        tacho_dict_string(to->dict, tacho_debug_info_place(to->info, row->location).operators);
    if (!has_plus) {
        return add_str(to, all);
    }
    while (all.len > 0) {
        size_t len = tacho_str_find_byte(all, ' ');
        TACHO_TRY(put_str(to, tacho_str_make(all.data, len)));
        all = tacho_str_from(all, len < all.len ? len + 1 : len);
        TACHO_TRY(put_str(to, all.len > 0 ? TACHO_STR(" + ") : TACHO_STR("")));
    }
    return add_put(to);
}

/* The place of a HAL call is its event, as in the vendor's tool. */
static tacho_status add_place(writer *to, const tacho_annotation_row *row)
{
    if (row->kind == TACHO_ANNOTATION_HAL) {
        tacho_str scope = tacho_dict_string(to->dict, row->dispatch_name);
        tacho_str operation = tacho_dict_string(to->dict, row->operation);
        return add_str(to, tacho_str_from(operation, scope.len + 1));
    }
    if (row->location == TACHO_NONE || row->location < to->info->place_count) {
        return add_string(to, tacho_debug_info_place(to->info, row->location).text);
    }
    return add_string(to, to->dict->locations[row->location].text);
}

static tacho_status add_location(writer *to, const tacho_annotation_row *row)
{
    if (row->location == TACHO_NONE) {
        return tacho_table_add_absent(to->table);
    }
    if (row->location != to->last_location) {
        uint32_t text = to->dict->locations[row->location].text;
        TACHO_TRY(put_str(to, TACHO_STR("loc(")));
        TACHO_TRY(put_str(to, tacho_dict_string(to->dict, text)));
        TACHO_TRY(put_str(to, TACHO_STR(")")));
        TACHO_TRY(keep_put(to, &to->last_location_text));
        to->last_location = row->location;
    }
    return add_str(to, to->last_location_text);
}

static const tacho_action *row_action(const writer *from, const tacho_annotation_row *row)
{
    return row->action != TACHO_NONE ? &from->info->actions[row->action] : NULL;
}

static tacho_status add_operation(writer *to, const tacho_annotation_row *row, bool with_host)
{
    const tacho_action *action = row_action(to, row);
    if (!with_host) {
        return add_string(to, row->operation);
    }
    TACHO_TRY(put_str(to, tacho_dict_string(to->dict, row->operation)));
    if (row->op == TACHO_NONE && action != NULL && action->kind == TACHO_ACTION_START &&
        action->executor == TACHO_EXECUTOR_HOST) {
        TACHO_TRY(put_str(to, TACHO_STR(" (host)")));
    }
    return add_put(to);
}

static tacho_status add_program(writer *to, const tacho_annotation_row *row)
{
    const tacho_action *action = row_action(to, row);
    uint32_t name = action != NULL ? action->name : 0;
    return add_string(to, row->job != TACHO_NONE ? to->info->jobs[row->job].name : name);
}

static tacho_status add_executor(writer *to, const tacho_annotation_row *row)
{
    static const char *const names[] = {"", "nss", "host", "slice", "css"};
    const tacho_action *action = row_action(to, row);
    return add_name(to, names[action != NULL ? action->executor : TACHO_EXECUTOR_NONE]);
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_status add_optional(writer *to, const tacho_annotate_column *spec, int64_t value)
{
    return value >= 0 ? add_number(to, spec->type, value) : tacho_table_add_absent(to->table);
}

static tacho_status add_engine_cell(writer *to, const tacho_annotation_row *row,
                                    const tacho_annotate_column *spec)
{
    const tacho_engine *engine = row_engine(to, row);
    bool is_slice = engine != NULL && engine->track_class == TACHO_TRACK_COMPUTE;
    if (engine == NULL || (spec->content == SHOW_SLICE && !is_slice)) {
        return tacho_table_add_absent(to->table);
    }
    return spec->content == SHOW_ENGINE ? add_name(to, tacho_track_class_name(engine->track_class))
                                        : add_number(to, spec->type, engine->index);
}

static tacho_status add_op_cell(writer *to, const tacho_annotation_row *row,
                                const tacho_annotate_column *spec)
{
    const tacho_inner_op *op = row_op(to, row);
    if (op == NULL) {
        return tacho_table_add_absent(to->table);
    }
    switch ((int)spec->content) {
    case SHOW_KERNEL:
        return add_string(to, op->name);
    case SHOW_FROM:
        return add_string(to, op->from_space);
    case SHOW_TO:
        return add_string(to, op->to_space);
    default:
        return add_optional(to, spec, op->async_cycles);
    }
}

static tacho_status add_source_cell(writer *to, const tacho_annotation_row *row,
                                    const tacho_annotate_column *spec)
{
    if (row->location == TACHO_NONE) {
        return tacho_table_add_absent(to->table);
    }
    const tacho_location *location = &to->dict->locations[row->location];
    return spec->content == SHOW_FILE
               ? add_string(to, location->file)
               : add_optional(to, spec, location->line > 0 ? (int64_t)location->line : -1);
}

static tacho_status add_origin(writer *to, const tacho_annotation_row *row)
{
    tacho_origin origin = to->dict->parts[row->part].origin;
    bool has_time = row->has_time;
    if (is_estimate(to, row)) {
        origin = TACHO_ORIGIN_ESTIMATED;
        has_time = row->fit.end >= row->fit.start;
    }
    return has_time ? add_name(to, tacho_origin_name(origin)) : tacho_table_add_absent(to->table);
}

static tacho_status add_unended(writer *to, const tacho_annotation_row *row)
{
    bool is_unended =
        row->span != TACHO_NONE &&
        (tacho_profile_span(to->annotation->profile, row->span).flags & TACHO_SPAN_UNENDED) != 0;
    return add_name(to, is_unended ? "yes" : "");
}

static tacho_status add_used_cell(writer *to, const tacho_annotation_row *row,
                                  const tacho_annotate_column *spec, uint32_t slice)
{
    switch ((int)spec->content) {
    case SHOW_USED:
        return add_all_used(to, row);
    case SHOW_SLICES_USED:
        return add_slices_used(to, row);
    case SHOW_SLICE_USED:
        return add_used(to, row, TACHO_TRACK_COMPUTE, slice);
    case SHOW_DMA_IN_USED:
        return add_used(to, row, TACHO_TRACK_DMA_IN, 0);
    case SHOW_DMA_OUT_USED:
        return add_used(to, row, TACHO_TRACK_DMA_OUT, 0);
    case SHOW_CDMA_USED:
        return add_used(to, row, TACHO_TRACK_DMA_LOCAL, 0);
    default:
        return add_used(to, row, TACHO_TRACK_VECTOR, 0);
    }
}

static tacho_status add_cell(writer *to, const tacho_annotation_row *row,
                             const tacho_annotate_column *spec, uint32_t slice)
{
    switch (spec->content) {
    case SHOW_PART:
        return add_string(to, to->dict->parts[row->part].name);
    case SHOW_KIND:
        return add_name(to, tacho_annotation_kind_name(row->kind));
    case SHOW_PROBLEM:
        return add_name(to, tacho_annotation_reason_key(row->reason));
    case SHOW_DISPATCH:
        return add_string(to, row->dispatch_name);
    case SHOW_INVOCATION:
        return add_optional(to, spec, row->invocation);
    case SHOW_ACTION: /* vendors write -1 if absent */
        return to->set->rows == ROWS_ALL ? add_optional(to, spec, row->action_id)
                                         : add_number(to, spec->type, row->action_id);
    case SHOW_JOB:
        return add_optional(to, spec, row->job_id);
    case SHOW_EXECUTOR:
        return add_executor(to, row);
    case SHOW_OPERATION:
    case SHOW_OPERATION_AND_HOST:
        return add_operation(to, row, spec->content == SHOW_OPERATION_AND_HOST);
    case SHOW_PROGRAM:
        return add_program(to, row);
    case SHOW_KERNELS:
        return add_kernels(to, row);
    case SHOW_OPERATORS:
    case SHOW_OPERATORS_PLUS:
        return add_operators(to, row, spec->content == SHOW_OPERATORS_PLUS);
    case SHOW_START:
    case SHOW_END:
    case SHOW_TOTAL:
    case SHOW_JOB_START:
    case SHOW_JOB_END:
    case SHOW_START_US:
    case SHOW_END_US:
    case SHOW_TOTAL_US:
    case SHOW_JOB_START_US:
    case SHOW_JOB_END_US:
    case SHOW_JOB_TOTAL_US:
        return add_time(to, row, spec);
    case SHOW_ENGINE:
    case SHOW_ENGINE_INDEX:
    case SHOW_SLICE:
        return add_engine_cell(to, row, spec);
    case SHOW_KERNEL:
    case SHOW_FROM:
    case SHOW_TO:
    case SHOW_CYCLES:
        return add_op_cell(to, row, spec);
    case SHOW_USED:
    case SHOW_SLICE_USED:
    case SHOW_SLICES_USED:
    case SHOW_DMA_IN_USED:
    case SHOW_DMA_OUT_USED:
    case SHOW_CDMA_USED:
    case SHOW_CSS_USED:
        return add_used_cell(to, row, spec, slice);
    case SHOW_PLACE:
        return add_place(to, row);
    case SHOW_LOCATION:
        return add_location(to, row);
    case SHOW_FILE:
    case SHOW_LINE:
        return add_source_cell(to, row, spec);
    case SHOW_ORIGIN:
        return add_origin(to, row);
    case SHOW_UNENDED:
        return add_unended(to, row);
    }
    return TACHO_OK;
}

static tacho_status add_row(writer *to, const tacho_annotation_row *row)
{
    for (size_t i = 0; i < to->table->column_count; i++) {
        TACHO_TRY(add_cell(to, row, to->specs[i], to->slices[i]));
    }
    return TACHO_OK;
}

/* ---- which rows ------------------------------------------------------------------------- */

static bool is_chosen(const writer *from, const tacho_annotation_row *row)
{
    bool is_action = row->kind == TACHO_ANNOTATION_ACTION || row->is_only_job;
    const tacho_action *action = row_action(from, row);
    bool is_wait = action != NULL && action->kind == TACHO_ACTION_WAIT && !row->is_step;
    bool is_host_program = row->kind == TACHO_ANNOTATION_JOB && action != NULL &&
                           action->executor == TACHO_EXECUTOR_HOST;
    if (from->set->rows == ROWS_ALL) {
        return true;
    }
    if (row->kind == TACHO_ANNOTATION_PHASE || row->is_general) {
        return false;
    }
    switch (from->set->rows) {
    case ROWS_ALL:
    case ROWS_OF_ACTIONS:
        return is_action || row->kind == TACHO_ANNOTATION_HAL;
    case ROWS_EXPANDED:
        if ((row->is_step && row->reason == TACHO_ANNOTATION_REASON_NONE) ||
            (action != NULL && action->kind == TACHO_ACTION_WAIT &&
             action->executor == TACHO_EXECUTOR_HOST)) {
            return false; /* the whole program is shown */
        }
        return (is_action && !row->is_expanded) || is_host_program ||
               row->kind == TACHO_ANNOTATION_HAL;
    case ROWS_OF_OPS:
        break;
    }
    return row->kind == TACHO_ANNOTATION_INNER ||
           (is_action && !row->is_expanded &&
            (row->is_only_job || is_wait || row->reason != TACHO_ANNOTATION_REASON_NONE));
}

/* Inner ops of a task by engine, then configure, start, wait. */
static int op_rank(const writer *from, const tacho_inner_op *op)
{
    static const tacho_track_class order[] = {TACHO_TRACK_DMA_IN, TACHO_TRACK_COMPUTE,
                                              TACHO_TRACK_DMA_OUT, TACHO_TRACK_VECTOR,
                                              TACHO_TRACK_DMA_LOCAL};
    tacho_track_class track_class = from->info->engines[op->engine].track_class;
    int place = 0;
    while (place < 4 && order[place] != track_class) {
        place++;
    }
    return place * 3 + (int)op->kind;
}

enum { OP_RANK_COUNT = 15 };

static tacho_status add_inner(writer *to, const tacho_annotation_row *wait, uint32_t index)
{
    tacho_annotation_row row = tacho_annotation_inner(to->annotation, wait, index);
    return add_row(to, &row);
}

/* The inner ops that follow |wait|. */
static tacho_status add_ops(writer *to, const tacho_annotation_row *wait)
{
    uint32_t count = tacho_annotation_inner_count(to->annotation, wait);
    for (uint32_t i = 0; i < count; i++) {
        TACHO_TRY(add_inner(to, wait, i));
    }
    return TACHO_OK;
}

/* The |count| inner ops from |first| on, by kind. */
static tacho_status add_task(writer *to, const tacho_annotation_row *wait, uint32_t first,
                             uint32_t count)
{
    const tacho_inner_op *ops = &to->info->ops[to->info->jobs[wait->job].first_op];
    for (int rank = 0; rank < OP_RANK_COUNT; rank++) {
        for (uint32_t i = first; i < first + count; i++) {
            if (op_rank(to, &ops[i]) == rank) {
                TACHO_TRY(add_inner(to, wait, i));
            }
        }
    }
    return TACHO_OK;
}

/* The inner ops that follow |wait|, task after task. */
static tacho_status add_ops_by_kind(writer *to, const tacho_annotation_row *wait)
{
    uint32_t count = tacho_annotation_inner_count(to->annotation, wait);
    const tacho_inner_op *ops =
        count > 0 ? &to->info->ops[to->info->jobs[wait->job].first_op] : NULL;
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        for (end = first + 1; end < count && ops[end].task == ops[first].task;) {
            end++;
        }
        TACHO_TRY(add_task(to, wait, first, end - first));
    }
    return TACHO_OK;
}

/* Rows from |next_row| on, until the table has |row_max| of them. */
static tacho_status add_rows(writer *to, size_t row_max)
{
    while (to->next_row < to->annotation->row_count && tacho_table_row_count(to->table) < row_max) {
        const tacho_annotation_row *row = &to->annotation->rows[to->next_row++];
        if (is_chosen(to, row)) {
            TACHO_TRY(add_row(to, row));
        }
        if (to->set->rows != ROWS_OF_ACTIONS) {
            TACHO_TRY(to->set->is_by_kind ? add_ops_by_kind(to, row) : add_ops(to, row));
        }
    }
    return TACHO_OK;
}

/* ---- columns ---------------------------------------------------------------------------- */

/* |name| with numbers in place of its '#': one, or all up to |last| with slashes between. */
static tacho_status make_name(writer *self, const char *name, uint32_t first, uint32_t last)
{
    for (; *name != '\0'; name++) {
        if (*name != '#') {
            TACHO_TRY(put_str(self, tacho_str_make(name, 1)));
            continue;
        }
        for (uint32_t i = first; i <= last; i++) {
            char number[TACHO_DECIMAL_MAX];
            char *end = tacho_decimal_put(number, i);
            TACHO_TRY(put_str(self, i > first ? TACHO_STR("/") : TACHO_STR("")));
            TACHO_TRY(put_str(self, tacho_str_make(number, (size_t)(end - number))));
        }
    }
    return TACHO_OK;
}

static size_t count_columns(const tacho_annotate_column *specs, uint32_t slice_count)
{
    size_t count = 0;
    for (; specs->name != NULL; specs++) {
        count += specs->content == SHOW_SLICE_USED ? slice_count : 1;
    }
    return count;
}

static tacho_column_unit unit_of(const tacho_annotate_column *spec)
{
    bool is_us = spec->content >= SHOW_START_US && spec->content <= SHOW_JOB_TOTAL_US;
    return is_us                                 ? TACHO_COLUMN_UNIT_US
           : spec->content == SHOW_CYCLES        ? TACHO_COLUMN_UNIT_CYCLES
           : spec->type == TACHO_COLUMN_DURATION ? TACHO_COLUMN_UNIT_NS
           : spec->type == TACHO_COLUMN_PERCENT  ? TACHO_COLUMN_UNIT_PERCENT
                                                 : TACHO_COLUMN_UNIT_NONE;
}

/* Fills the lists by column; names are made in |names|. */
static tacho_status make_columns(writer *self, tacho_arena *names, tacho_column *columns)
{
    size_t at = 0;
    for (const tacho_annotate_column *spec = self->set->columns; spec->name != NULL; spec++) {
        bool is_many = spec->content == SHOW_SLICE_USED;
        for (uint32_t slice = 0; slice < (is_many ? self->slice_count : 1); slice++) {
            tacho_str name;
            TACHO_TRY(make_name(self, spec->name, is_many ? slice : 0,
                                is_many ? slice : self->slice_count - 1));
            TACHO_TRY(tacho_arena_copy(names, tacho_text_take(&self->text), &name));
            columns[at] = (tacho_column){
                .title = spec->title != NULL ? spec->title : name.data,
                .type = spec->type,
                .name = name.data,
                .unit = unit_of(spec),
            };
            self->specs[at] = spec;
            self->slices[at] = slice;
            at++;
        }
    }
    return TACHO_OK;
}

/* The columns and their descriptions are allocated in |arena|. */
static tacho_status init_columns(writer *self, tacho_arena *arena, tacho_column **out_columns,
                                 size_t *out_count)
{
    size_t count = count_columns(self->set->columns, self->slice_count);
    void *columns = NULL;
    void *specs = NULL;
    void *slices = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, count * sizeof(tacho_column), &columns));
    TACHO_TRY(tacho_arena_alloc(arena, count * sizeof(*self->specs), &specs));
    TACHO_TRY(tacho_arena_alloc(arena, count * sizeof(*self->slices), &slices));
    self->specs = specs;
    self->slices = slices;
    *out_columns = columns;
    *out_count = count;
    return make_columns(self, arena, columns);
}

static writer make_writer(const tacho_annotation *annotation, const tacho_annotation_set *set,
                          tacho_table *table)
{
    return (writer){
        .annotation = annotation,
        .info = annotation->info,
        .dict = annotation->profile->events.dict,
        .set = set,
        .table = table,
        .slice_count = tacho_torq_slice_count(annotation->info),
        .last_location = TACHO_NONE,
        .last_job = TACHO_NONE,
    };
}

static const char table_name[] = "annotation";
static const char table_title[] = "Annotated profile";

static tacho_status make_table(writer *self, tacho_arena *arena)
{
    tacho_column *columns = NULL;
    size_t count = 0;
    TACHO_TRY(init_columns(self, arena, &columns, &count));
    TACHO_TRY(tacho_table_init_owned(self->table, table_name, table_title, columns, count));
    return add_rows(self, SIZE_MAX);
}

tacho_status tacho_annotation_table(const tacho_annotation *annotation,
                                    const tacho_annotation_set *set, tacho_table *out_table)
{
    writer self = make_writer(annotation, set, out_table);
    tacho_arena arena;
    tacho_arena_init(&arena);
    *out_table = (tacho_table){.name = NULL};
    tacho_arena_init(&out_table->arena);
    tacho_status status = make_table(&self, &arena);
    tacho_text_deinit(&self.text);
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- pages ------------------------------------------------------------------------------ */

struct tacho_annotation_pages {
    writer writer;
    tacho_table table;
    tacho_arena arena; /* of the columns */
    bool has_begun;
};

static tacho_status init_pages(tacho_annotation_pages *pages)
{
    tacho_column *columns = NULL;
    size_t count = 0;
    TACHO_TRY(init_columns(&pages->writer, &pages->arena, &columns, &count));
    tacho_table_init(&pages->table, table_name, table_title, columns, count);
    return TACHO_OK;
}

tacho_status tacho_annotation_pages_open(const tacho_annotation *annotation,
                                         const tacho_annotation_set *set,
                                         tacho_annotation_pages **out_pages)
{
    tacho_annotation_pages *pages = calloc(1, sizeof(*pages));
    *out_pages = pages;
    if (pages == NULL) {
        return tacho_no_memory();
    }
    pages->writer = make_writer(annotation, set, &pages->table);
    tacho_arena_init(&pages->arena);
    tacho_status status = init_pages(pages);
    if (status != TACHO_OK) {
        tacho_annotation_pages_close(pages);
        *out_pages = NULL;
    }
    return status;
}

tacho_status tacho_annotation_pages_next(tacho_annotation_pages *pages, size_t row_count,
                                         tacho_table **out_page)
{
    writer *self = &pages->writer;
    tacho_table_clear(&pages->table);
    self->last_location = TACHO_NONE; /* their texts were freed with the page */
    self->last_job = TACHO_NONE;
    TACHO_TRY(add_rows(self, row_count));
    bool is_empty = tacho_table_row_count(&pages->table) == 0;
    *out_page = is_empty && pages->has_begun ? NULL : &pages->table;
    pages->has_begun = true;
    return TACHO_OK;
}

void tacho_annotation_pages_close(tacho_annotation_pages *pages)
{
    if (pages != NULL) {
        tacho_table_deinit(&pages->table);
        tacho_arena_deinit(&pages->arena);
        tacho_text_deinit(&pages->writer.text);
        free(pages);
    }
}
