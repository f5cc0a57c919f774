/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of measured operators, each a network of its own that is estimated again and again while
 * numbers of the machine change.
 */
#include "session/machine_fit.h"

#include "base/grow.h"
#include "base/text.h"
#include "compile/measured.h"
#include "machine/constant.h"
#include "machine/fit.h"
#include "session/find_machine.h"
#include "session/machine_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers that change by the same factor; the first one's value is the parameter. */
typedef struct knob {
    tacho_str paths;
    tacho_constant_ref refs[TACHO_CONSTANT_TIED_MAX];
    double start[TACHO_CONSTANT_TIED_MAX];
    size_t ref_count;
    double least, most; /* of what folds found */
} knob;

typedef struct fitting {
    const tacho_machine_fit_request *request;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_measured_table table;
    tacho_measured_op *ops; /* by row */
    size_t op_count;
    uint32_t *fold_of; /* by row */
    double *truth, *before, *after, *held_out;
    double *found; /* by an estimate for a fold */
    bool *is_left_out;
    knob knobs[TACHO_FIT_PARAMETERS_MAX];
    size_t knob_count;
    tacho_fit fit;
} fitting;

/* ---- what is fitted ------------------------------------------------------------------------ */

/* A number that was named before would be moved by two hands. */
static tacho_status check_new(const fitting *f, const tacho_constant_ref *ref)
{
    for (size_t i = 0; i < f->knob_count; i++) {
        for (size_t j = 0; j < f->knobs[i].ref_count; j++) {
            if (f->knobs[i].refs[j].quantity == ref->quantity) {
                return tacho_fail(TACHO_CODE_USAGE, "'%.*s' is to be fitted twice",
                                  TACHO_STR_ARG(ref->path));
            }
        }
    }
    return TACHO_OK;
}

static tacho_status add_knob(fitting *f, tacho_str paths)
{
    if (f->knob_count == TACHO_FIT_PARAMETERS_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "more than %d numbers are to be fitted",
                          TACHO_FIT_PARAMETERS_MAX);
    }
    knob *added = &f->knobs[f->knob_count];
    *added = (knob){.paths = paths};
    TACHO_TRY(tacho_constant_find_tied(f->machine, paths, added->refs, &added->ref_count));
    for (size_t i = 0; i < added->ref_count; i++) {
        TACHO_TRY(check_new(f, &added->refs[i]));
        added->start[i] = tacho_constant_value(&added->refs[i]);
    }
    if (added->start[0] <= 0.0) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "'%.*s' is 0; give it a first guess in the description to fit it",
                          TACHO_STR_ARG(paths));
    }
    f->knob_count++;
    return TACHO_OK;
}

static tacho_status find_knobs(fitting *f)
{
    if (f->request->constants == NULL) {
        for (size_t i = 0; i < f->machine->fitted_count; i++) {
            TACHO_TRY(add_knob(f, f->machine->fitted[i].constant));
        }
    } else {
        tacho_str rest = tacho_str_from_cstring(f->request->constants);
        for (bool is_last = false; !is_last;) {
            size_t len = tacho_str_find_byte(rest, ',');
            is_last = len == rest.len;
            TACHO_TRY(add_knob(f, tacho_str_trim(tacho_str_make(rest.data, len))));
            rest = tacho_str_from(rest, is_last ? len : len + 1);
        }
    }
    return f->knob_count > 0 ? TACHO_OK
                             : tacho_fail_hint(TACHO_CODE_USAGE, TACHO_HINT_FIT,
                                               "the description of %.*s lists no numbers under "
                                               "'fitted'",
                                               TACHO_STR_ARG(f->machine->name));
}

static void set_knob(const knob *of, double value)
{
    for (size_t i = 0; i < of->ref_count; i++) {
        tacho_constant_set(&of->refs[i], of->start[i] * (value / of->start[0]));
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status estimate_rows(void *self, const double *parameters, double *out_estimates)
{
    fitting *f = self;
    for (size_t i = 0; i < f->knob_count; i++) {
        set_knob(&f->knobs[i], parameters[i]);
    }
    for (size_t i = 0; i < f->op_count; i++) {
        int64_t cycles;
        tacho_status status = tacho_measured_op_cycles(&f->ops[i], f->machine, &cycles);
        if (status != TACHO_OK) {
            return tacho_status_add_note(status, "%s:%llu", f->request->table_path,
                                         (unsigned long long)f->table.rows[i].line);
        }
        out_estimates[i] = cycles > 0 ? (double)cycles : 1.0;
    }
    return TACHO_OK;
}

typedef struct shape_time {
    tacho_str key;
    double time; /* the shortest of the shape */
    size_t row;
} shape_time;

static int by_key(const void *a, const void *b)
{
    const shape_time *x = a;
    const shape_time *y = b;
    int order = tacho_str_compare(x->key, y->key);
    return order != 0 ? order : x->row < y->row ? -1 : x->row > y->row;
}

static int by_time(const void *a, const void *b)
{
    const shape_time *x = a;
    const shape_time *y = b;
    return x->time < y->time ? -1 : x->time > y->time ? 1 : by_key(a, b);
}

/*
 * Shapes in the order of their shortest times go to the folds in turn, with all their rows: no
 * shape is both fitted to and held out, and each fold has long and short ones.
 */
static tacho_status deal_folds(fitting *f)
{
    shape_time *shapes;
    TACHO_TRY(tacho_items_make(&shapes, f->op_count));
    for (size_t i = 0; i < f->op_count; i++) {
        shapes[i] = (shape_time){f->table.rows[i].shape_key, f->truth[i], i};
    }
    qsort(shapes, f->op_count, sizeof(*shapes), by_key);
    for (size_t from = 0; from < f->op_count;) {
        size_t to = from;
        double least = shapes[from].time;
        for (; to < f->op_count && tacho_str_equal(shapes[to].key, shapes[from].key); to++) {
            least = fmin(least, shapes[to].time);
        }
        for (; from < to; from++) {
            shapes[from].time = least;
        }
    }
    qsort(shapes, f->op_count, sizeof(*shapes), by_time);
    uint32_t number = 0;
    for (size_t i = 0; i < f->op_count; i++) {
        number += i > 0 && !tacho_str_equal(shapes[i].key, shapes[i - 1].key) ? 1 : 0;
        f->fold_of[shapes[i].row] = number % f->request->folds;
    }
    free(shapes);
    if (number + 1 < f->request->folds) {
        return tacho_fail(TACHO_CODE_USAGE, "%s has %u shape%s, which is too few for %u folds",
                          f->request->table_path, number + 1, number == 0 ? "" : "s",
                          f->request->folds);
    }
    return TACHO_OK;
}

static tacho_status make_ops(fitting *f)
{
    size_t count = f->table.row_count;
    double clock = (double)tacho_quantity_whole(&f->machine->core_clock_hz);
    TACHO_TRY(tacho_items_make(&f->ops, count));
    TACHO_TRY(tacho_items_make(&f->truth, count));
    TACHO_TRY(tacho_items_make(&f->before, count));
    TACHO_TRY(tacho_items_make(&f->after, count));
    TACHO_TRY(tacho_items_make(&f->held_out, count));
    TACHO_TRY(tacho_items_make(&f->found, count));
    TACHO_TRY(tacho_items_make(&f->fold_of, count));
    TACHO_TRY(tacho_items_make(&f->is_left_out, count));
    tacho_str path = tacho_str_from_cstring(f->request->table_path);
    for (size_t i = 0; i < count; i++) {
        const tacho_measured *row = &f->table.rows[i];
        f->truth[i] = row->cycles > 0.0 ? row->cycles : row->ns * clock / 1e9;
        f->op_count = i + 1; /* to be deinitialised, whatever comes */
        TACHO_TRY(tacho_measured_op_init(&f->ops[i], row, f->machine, path));
    }
    return deal_folds(f);
}

static tacho_status read_table(fitting *f)
{
    tacho_input input;
    TACHO_TRY(tacho_input_open(f->request->table_path, &input));
    tacho_status status = tacho_measured_init(&f->table, &input);
    tacho_input_close(&input);
    TACHO_TRY(status);
    tacho_note(f->request->notes, "note", "%s: %zu rows; the truth is column %.*s%s%.*s",
               f->request->table_path, f->table.row_count, TACHO_STR_ARG(f->table.timed),
               f->table.ignored.len > 0 ? "; not used: " : "", TACHO_STR_ARG(f->table.ignored));
    return TACHO_OK;
}

/* ---- fitting ------------------------------------------------------------------------------- */

static tacho_status run_fit(fitting *f, const bool *is_left_out, tacho_fit *out_fit)
{
    double start[TACHO_FIT_PARAMETERS_MAX];
    double most[TACHO_FIT_PARAMETERS_MAX];
    double quantum[TACHO_FIT_PARAMETERS_MAX];
    for (size_t i = 0; i < f->knob_count; i++) {
        const knob *of = &f->knobs[i];
        start[i] = of->start[0];
        most[i] = of->refs[0].max / of->refs[0].factor;
        quantum[i] = of->refs[0].is_whole && of->refs[0].factor == 1.0 ? 1.0 : 0.0;
        for (size_t j = 1; j < of->ref_count; j++) {
            most[i] =
                fmin(most[i], of->refs[j].max / of->refs[j].factor * of->start[0] / of->start[j]);
        }
    }
    tacho_fit_problem problem = {
        .parameter_count = f->knob_count,
        .row_count = f->op_count,
        .truth = f->truth,
        .start = start,
        .most = most,
        .quantum = quantum,
        .is_left_out = is_left_out,
        .estimate = estimate_rows,
        .self = f,
    };
    return tacho_fit_run(&problem, out_fit);
}

static tacho_status estimate_fit(fitting *f, const tacho_fit *fit, double *out)
{
    double values[TACHO_FIT_PARAMETERS_MAX];
    for (size_t i = 0; i < f->knob_count; i++) {
        values[i] = fit->parameters[i].value;
    }
    return estimate_rows(f, values, out);
}

/* Each fold estimated with what the others say. */
static tacho_status hold_out(fitting *f)
{
    for (uint32_t fold = 0; fold < f->request->folds; fold++) {
        tacho_fit fit;
        for (size_t i = 0; i < f->op_count; i++) {
            f->is_left_out[i] = f->fold_of[i] == fold;
        }
        TACHO_TRY(run_fit(f, f->is_left_out, &fit));
        TACHO_TRY(estimate_fit(f, &fit, f->found));
        for (size_t i = 0; i < f->op_count; i++) {
            f->held_out[i] = f->is_left_out[i] ? f->found[i] : f->held_out[i];
        }
        for (size_t i = 0; i < f->knob_count; i++) {
            double value = fit.parameters[i].value;
            f->knobs[i].least = fold == 0 ? value : fmin(f->knobs[i].least, value);
            f->knobs[i].most = fold == 0 ? value : fmax(f->knobs[i].most, value);
        }
    }
    return TACHO_OK;
}

static bool is_determined(const fitting *f, size_t number)
{
    return f->fit.parameters[number].error <= TACHO_FIT_ERROR_MAX;
}

static tacho_status put_reason(const fitting *f, size_t number, tacho_text *to)
{
    char text[384];
    const tacho_fit_parameter *parameter = &f->fit.parameters[number];
    tacho_str paths = f->knobs[number].paths;
    tacho_str twin = f->knobs[parameter->twin].paths;
    if (isinf(parameter->error)) {
        snprintf(text, sizeof(text), "%s%.*s (no row depends on it)",
                 to->item_count > 0 ? ", " : "", (int)(paths.len < 120 ? paths.len : 120),
                 paths.data);
    } else if (parameter->likeness > 0.9) {
        snprintf(text, sizeof(text), "%s%.*s (not to be told from %.*s)",
                 to->item_count > 0 ? ", " : "", (int)(paths.len < 120 ? paths.len : 120),
                 paths.data, (int)(twin.len < 120 ? twin.len : 120), twin.data);
    } else {
        snprintf(text, sizeof(text), "%s%.*s (a standard error of %.0f %%)",
                 to->item_count > 0 ? ", " : "", (int)(paths.len < 120 ? paths.len : 120),
                 paths.data, 100.0 * fmin(parameter->error, 99.99));
    }
    return tacho_text_put(to, tacho_str_from_cstring(text));
}

/* Numbers that the table says nothing of are refused: any value would do as well. */
static tacho_status refuse_open(const fitting *f)
{
    tacho_text open = {0};
    tacho_text good = {0};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < f->knob_count && status == TACHO_OK; i++) {
        if (!is_determined(f, i)) {
            status = put_reason(f, i, &open);
            continue;
        }
        status = good.item_count > 0 ? tacho_text_put(&good, TACHO_STR(",")) : TACHO_OK;
        status = status == TACHO_OK ? tacho_text_put(&good, f->knobs[i].paths) : status;
    }
    bool has_good = good.item_count > 0;
    status = status == TACHO_OK ? tacho_text_put(&good, tacho_str_make("", 1)) : status;
    tacho_str reasons = tacho_text_take(&open);
    if (status == TACHO_OK && reasons.len > 0) {
        status = tacho_fail(TACHO_CODE_BAD_DATA, "%s does not determine %.*s",
                            f->request->table_path, TACHO_STR_ARG(reasons));
        status = has_good ? tacho_status_add_hint(status, TACHO_HINT_FIT_ONLY,
                                                  tacho_text_take(&good).data)
                          : status;
    }
    tacho_text_deinit(&open);
    tacho_text_deinit(&good);
    return status;
}

static tacho_status fit_all(fitting *f)
{
    double start[TACHO_FIT_PARAMETERS_MAX];
    for (size_t i = 0; i < f->knob_count; i++) {
        start[i] = f->knobs[i].start[0];
    }
    TACHO_TRY(estimate_rows(f, start, f->before));
    TACHO_TRY(run_fit(f, NULL, &f->fit));
    TACHO_TRY(estimate_fit(f, &f->fit, f->after));
    return hold_out(f);
}

/* ---- the tables ---------------------------------------------------------------------------- */

static const tacho_column constant_columns[] = {
    TACHO_COLUMN(PATH, "constant", TEXT),
    TACHO_COLUMN(UNIT, "unit", TEXT),
    TACHO_COLUMN(BEFORE, "before", TEXT),
    TACHO_COLUMN(AFTER, "after", TEXT),
    TACHO_COLUMN(STANDARD_ERROR_PERCENT, "standard error", PERCENT),
    TACHO_COLUMN(FOLDS, "in the folds", TEXT),
};

static const tacho_column error_columns[] = {
    TACHO_COLUMN(WHAT, "estimates", TEXT),
    TACHO_COLUMN(COUNT, "rows", INT),
    TACHO_COLUMN(MEAN_ERROR_PERCENT, "mean error", PERCENT),
    TACHO_COLUMN(P90_ERROR_PERCENT, "p90", PERCENT),
    TACHO_COLUMN(MAX_ERROR_PERCENT, "max", PERCENT),
};

static tacho_status add_constant(const fitting *f, size_t number, size_t which, tacho_table *table)
{
    const knob *of = &f->knobs[number];
    const tacho_constant_ref *ref = &of->refs[which];
    double scale = of->start[which] / of->start[0];
    double error = 100.0 * f->fit.parameters[number].error;
    char before[TACHO_CONSTANT_TEXT_MAX];
    char after[TACHO_CONSTANT_TEXT_MAX];
    char least[TACHO_CONSTANT_TEXT_MAX];
    char most[TACHO_CONSTANT_TEXT_MAX];
    char folds[2 * TACHO_CONSTANT_TEXT_MAX + 8];
    tacho_constant_print(ref, of->start[which], before);
    tacho_constant_print(ref, f->fit.parameters[number].value * scale, after);
    tacho_constant_print(ref, of->least * scale, least);
    tacho_constant_print(ref, of->most * scale, most);
    snprintf(folds, sizeof(folds), "%s to %s", least, most);
    TACHO_TRY(tacho_table_add_text(table, ref->path));
    TACHO_TRY(tacho_table_add_text(table, ref->quantity->unit));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(before)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(after)));
    TACHO_TRY(isfinite(error) ? tacho_table_add_real(table, error) : tacho_table_add_absent(table));
    return tacho_table_add_text(table, tacho_str_from_cstring(folds));
}

static tacho_status add_errors(const fitting *f, const char *what, const double *estimates,
                               tacho_table *table)
{
    tacho_fit_errors errors;
    TACHO_TRY(tacho_fit_measure(estimates, f->truth, f->op_count, &errors));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(what)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)errors.row_count));
    TACHO_TRY(tacho_table_add_real(table, errors.mean));
    TACHO_TRY(tacho_table_add_real(table, errors.p90));
    return tacho_table_add_real(table, errors.max);
}

static tacho_status fill_tables(const fitting *f, tacho_machine_fit_tables *tables)
{
    for (size_t i = 0; i < f->knob_count; i++) {
        for (size_t j = 0; j < f->knobs[i].ref_count; j++) {
            TACHO_TRY(add_constant(f, i, j, &tables->constants));
        }
    }
    TACHO_TRY(add_errors(f, "before", f->before, &tables->errors));
    TACHO_TRY(add_errors(f, "after, rows it was fitted to", f->after, &tables->errors));
    return add_errors(f, "after, rows held out", f->held_out, &tables->errors);
}

/* ---- the new description ------------------------------------------------------------------- */

static tacho_status make_source(const fitting *f, const knob *of, size_t which,
                                tacho_str *out_source)
{
    char text[512];
    tacho_str file = tacho_str_basename(tacho_str_from_cstring(f->request->table_path));
    tacho_str before = of->refs[which].quantity->text;
    snprintf(text, sizeof(text), "fitted to %.*s: %zu rows, column %.*s; %.*s before",
             (int)(file.len < 120 ? file.len : 120), file.data, f->op_count,
             (int)(f->table.timed.len < 40 ? f->table.timed.len : 40), f->table.timed.data,
             (int)(before.len < 40 ? before.len : 40), before.data);
    tacho_arena *arena = (tacho_arena *)(uintptr_t)&f->arena;
    return tacho_arena_copy(arena, tacho_str_from_cstring(text), out_source);
}

static tacho_status write_machine(fitting *f)
{
    enum { EDITS_MAX = TACHO_FIT_PARAMETERS_MAX * TACHO_CONSTANT_TIED_MAX };
    tacho_constant_edit *edits;
    size_t count = 0;
    void *memory;
    TACHO_TRY(tacho_arena_alloc(&f->arena, EDITS_MAX * sizeof(*edits), &memory));
    edits = memory;
    for (size_t i = 0; i < f->knob_count; i++) {
        const knob *of = &f->knobs[i];
        for (size_t j = 0; j < of->ref_count; j++, count++) {
            char value[TACHO_CONSTANT_TEXT_MAX];
            double scale = of->start[j] / of->start[0];
            tacho_constant_print(&of->refs[j], f->fit.parameters[i].value * scale, value);
            edits[count].ref = &of->refs[j];
            TACHO_TRY(
                tacho_arena_copy(&f->arena, tacho_str_from_cstring(value), &edits[count].value));
            TACHO_TRY(make_source(f, of, j, &edits[count].source));
        }
    }
    tacho_str text;
    tacho_machine *made; /* what is written can be read */
    TACHO_TRY(tacho_constant_rewrite(f->machine, edits, count, &f->arena, &text));
    TACHO_TRY(tacho_machine_read(f->request->out_path, text, &f->arena, &made));
    return tacho_machine_file_write(f->request->out_path, text);
}

static tacho_status finish(fitting *f)
{
    tacho_fit_errors before;
    tacho_fit_errors held_out;
    TACHO_TRY(tacho_fit_measure(f->before, f->truth, f->op_count, &before));
    TACHO_TRY(tacho_fit_measure(f->held_out, f->truth, f->op_count, &held_out));
    TACHO_TRY(refuse_open(f));
    if (held_out.mean >= before.mean) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "rows that were held out are %.2f %% off, and %.2f %% with the numbers "
                          "of %.*s; keep those",
                          held_out.mean, before.mean, TACHO_STR_ARG(f->machine->name));
    }
    return f->request->out_path != NULL ? write_machine(f) : TACHO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static tacho_status run(fitting *f, tacho_machine_fit_tables *tables)
{
    const tacho_machine_fit_request *request = f->request;
    if (request->out_path != NULL &&
        tacho_input_is_same_file(request->table_path, request->out_path)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten",
                          request->out_path);
    }
    TACHO_TRY(tacho_session_find_machine(request->machine, request->notes, &f->arena, &f->machine));
    TACHO_TRY(find_knobs(f));
    TACHO_TRY(read_table(f));
    TACHO_TRY(make_ops(f));
    if (f->op_count <= f->knob_count) {
        return tacho_fail(TACHO_CODE_USAGE, "%s: %zu rows are too few for %zu numbers",
                          request->table_path, f->op_count, f->knob_count);
    }
    TACHO_TRY(fit_all(f));
    TACHO_TRY(fill_tables(f, tables));
    return finish(f);
}

tacho_status tacho_machine_fit(const tacho_machine_fit_request *request,
                               tacho_machine_fit_tables *out_tables)
{
    fitting f = {.request = request};
    tacho_arena_init(&f.arena);
    tacho_table_init(&out_tables->constants, "constants", "Constants", constant_columns,
                     sizeof(constant_columns) / sizeof(constant_columns[0]));
    tacho_table_init(&out_tables->errors, "errors", "Errors", error_columns,
                     sizeof(error_columns) / sizeof(error_columns[0]));
    tacho_status status = run(&f, out_tables);
    for (size_t i = 0; i < f.op_count; i++) {
        tacho_measured_op_deinit(&f.ops[i]);
    }
    double *const reals[] = {f.truth, f.before, f.after, f.held_out, f.found};
    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
        free(reals[i]);
    }
    free(f.ops);
    free(f.fold_of);
    free(f.is_left_out);
    tacho_measured_deinit(&f.table);
    tacho_arena_deinit(&f.arena);
    return status;
}

void tacho_machine_fit_deinit(tacho_machine_fit_tables *tables)
{
    tacho_table_deinit(&tables->constants);
    tacho_table_deinit(&tables->errors);
}
