/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levenberg and Marquardt's way in the logarithms of the parameters.
 */
#include "machine/fit.h"

#include "base/grow.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 40, TRIES_MAX = 8 };

static const double HUBER = 0.1;        /* errors of more than 10 % count in proportion */
static const double STEP = 0.02;        /* of a parameter, for differences */
static const double RANGE = 30.0;       /* parameters stay within this factor of their start */
static const double NOISE_LEAST = 0.01; /* no table is better than this */
static const double SENSITIVITY_LEAST = 0.005; /* doubling it changes a row by 0.35 % */
static const double GAIN_LEAST = 1e-4;         /* of the loss: less is the end */

typedef struct fitting {
    const tacho_fit_problem *problem;
    size_t count;      /* of parameters */
    double *jacobian;  /* row after row */
    double *residuals; /* logarithms of estimate / truth */
    double *trial;     /* of estimates that may not be taken */
    double values[TACHO_FIT_PARAMETERS_MAX];
} fitting;

typedef double matrix[TACHO_FIT_PARAMETERS_MAX][TACHO_FIT_PARAMETERS_MAX];

static bool is_fitted(const fitting *f, size_t row)
{
    return f->problem->is_left_out == NULL || !f->problem->is_left_out[row];
}

/* Residuals with |values|, in |out|. */
static tacho_status find_residuals(const fitting *f, const double *values, double *out)
{
    const tacho_fit_problem *problem = f->problem;
    TACHO_TRY(problem->estimate(problem->self, values, out));
    for (size_t i = 0; i < problem->row_count; i++) {
        out[i] = log(out[i] / problem->truth[i]);
    }
    return TACHO_OK;
}

static double loss_of(const fitting *f, const double *residuals)
{
    double loss = 0.0;
    for (size_t i = 0; i < f->problem->row_count; i++) {
        double size = fabs(residuals[i]);
        double part = size <= HUBER ? size * size / 2.0 : HUBER * (size - HUBER / 2.0);
        loss += is_fitted(f, i) ? part : 0.0;
    }
    return loss;
}

static double weight_of(double residual)
{
    double size = fabs(residual);
    return size <= HUBER ? 1.0 : HUBER / size;
}

/* Within the range of the start and below the most, and in whole quanta. */
static double bounded(const fitting *f, size_t parameter, double value)
{
    const tacho_fit_problem *problem = f->problem;
    double start = problem->start[parameter];
    double quantum = problem->quantum[parameter];
    value = fmin(fmax(value, start / RANGE), fmin(start * RANGE, problem->most[parameter]));
    return quantum > 0.0 ? fmax(round(value / quantum), 1.0) * quantum : value;
}

static tacho_status find_jacobian(const fitting *f)
{
    double values[TACHO_FIT_PARAMETERS_MAX];
    for (size_t j = 0; j < f->count; j++) {
        memcpy(values, f->values, sizeof(values));
        double step = fmax(f->values[j] * STEP, f->problem->quantum[j]);
        values[j] =
            f->values[j] + step <= f->problem->most[j] ? f->values[j] + step : f->values[j] - step;
        double change = log(values[j] / f->values[j]);
        TACHO_TRY(find_residuals(f, values, f->trial));
        for (size_t i = 0; i < f->problem->row_count; i++) {
            f->jacobian[i * f->count + j] = (f->trial[i] - f->residuals[i]) / change;
        }
    }
    return TACHO_OK;
}

/* J'WJ and J'Wr of the rows that are fitted to. */
static void make_normal(const fitting *f, matrix square, double *gradient)
{
    memset(square, 0, sizeof(matrix));
    memset(gradient, 0, TACHO_FIT_PARAMETERS_MAX * sizeof(*gradient));
    for (size_t i = 0; i < f->problem->row_count; i++) {
        const double *row = f->jacobian + i * f->count;
        double weight = is_fitted(f, i) ? weight_of(f->residuals[i]) : 0.0;
        for (size_t a = 0; a < f->count && weight > 0.0; a++) {
            gradient[a] += weight * row[a] * f->residuals[i];
            for (size_t b = 0; b < f->count; b++) {
                square[a][b] += weight * row[a] * row[b];
            }
        }
    }
}

/* Solves A x = b for a symmetric positive definite A, by Cholesky; false when it is none. */
static bool solve(matrix square, size_t count, const double *right, double *out)
{
    matrix lower;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = square[i][j];
            for (size_t k = 0; k < j; k++) {
                sum -= lower[i][k] * lower[j][k];
            }
            if (i == j && !(sum > 1e-14 * fmax(square[i][i], 1e-300))) {
                return false;
            }
            lower[i][j] = i == j ? sqrt(sum) : sum / lower[j][j];
        }
    }
    for (size_t i = 0; i < count; i++) {
        double sum = right[i];
        for (size_t k = 0; k < i; k++) {
            sum -= lower[i][k] * out[k];
        }
        out[i] = sum / lower[i][i];
    }
    for (size_t i = count; i-- > 0;) {
        double sum = out[i];
        for (size_t k = i + 1; k < count; k++) {
            sum -= lower[k][i] * out[k];
        }
        out[i] = sum / lower[i][i];
    }
    return true;
}

/* Where a step with this much damping leads. */
static bool find_step(const fitting *f, matrix square, const double *gradient, double damping,
                      double *out_values)
{
    matrix damped;
    double step[TACHO_FIT_PARAMETERS_MAX];
    memcpy(damped, square, sizeof(matrix));
    for (size_t i = 0; i < f->count; i++) {
        damped[i][i] += damping * damped[i][i] + 1e-9;
    }
    if (!solve(damped, f->count, gradient, step)) {
        return false;
    }
    bool is_moved = false;
    for (size_t i = 0; i < f->count; i++) {
        out_values[i] = bounded(f, i, f->values[i] * exp(-fmin(fmax(step[i], -1.0), 1.0)));
        is_moved |= fabs(out_values[i] / f->values[i] - 1.0) > 1e-5;
    }
    return is_moved;
}

/* One round: the least damping that makes the loss smaller; whether there was one. */
static tacho_status improve(fitting *f, double *damping, bool *out_is_better)
{
    matrix square;
    double gradient[TACHO_FIT_PARAMETERS_MAX];
    double values[TACHO_FIT_PARAMETERS_MAX] = {0.0};
    double before = loss_of(f, f->residuals);
    *out_is_better = false;
    TACHO_TRY(find_jacobian(f));
    make_normal(f, square, gradient);
    for (int i = 0; i < TRIES_MAX && !*out_is_better; i++) {
        if (find_step(f, square, gradient, *damping, values)) {
            TACHO_TRY(find_residuals(f, values, f->trial));
            double after = loss_of(f, f->trial);
            *out_is_better = after < before * (1.0 - GAIN_LEAST);
        }
        *damping *= *out_is_better ? 0.2 : 5.0;
    }
    if (*out_is_better) {
        double *residuals = f->residuals;
        f->residuals = f->trial;
        f->trial = residuals;
        memcpy(f->values, values, sizeof(values));
    }
    return TACHO_OK;
}

/* ---- how sure ------------------------------------------------------------------------------ */

/* The spread of the residuals that the parameters leave, but never less than any table's. */
static double noise_of(const fitting *f)
{
    double sum = 0.0;
    size_t rows = 0;
    for (size_t i = 0; i < f->problem->row_count; i++) {
        if (is_fitted(f, i)) {
            sum += weight_of(f->residuals[i]) * f->residuals[i] * f->residuals[i];
            rows++;
        }
    }
    double noise = rows > f->count ? sqrt(sum / (double)(rows - f->count)) : 1.0;
    return fmax(noise, NOISE_LEAST);
}

static void find_twin(matrix square, size_t count, size_t which, tacho_fit_parameter *out)
{
    out->twin = which;
    for (size_t i = 0; i < count; i++) {
        double both = sqrt(square[i][i] * square[which][which]);
        double likeness = both > 0.0 ? fabs(square[i][which]) / both : 0.0;
        if (i != which && likeness > out->likeness) {
            out->likeness = likeness;
            out->twin = i;
        }
    }
}

/*
 * A little is added to each diagonal, so that directions which no row determines have an error
 * beyond all bounds; parameters that no row depends on are taken out before.
 */
static tacho_status judge(fitting *f, tacho_fit *out_fit)
{
    matrix square;
    double gradient[TACHO_FIT_PARAMETERS_MAX];
    double column[TACHO_FIT_PARAMETERS_MAX] = {0.0};
    double noise = noise_of(f);
    size_t rows = 0;
    TACHO_TRY(find_jacobian(f));
    make_normal(f, square, gradient);
    for (size_t i = 0; i < f->problem->row_count; i++) {
        rows += is_fitted(f, i) ? 1 : 0;
    }
    for (size_t i = 0; i < f->count; i++) {
        tacho_fit_parameter *parameter = &out_fit->parameters[i];
        *parameter = (tacho_fit_parameter){.value = f->values[i], .error = (double)INFINITY};
        parameter->sensitivity = rows > 0 ? sqrt(square[i][i] / (double)rows) : 0.0;
        find_twin(square, f->count, i, parameter);
    }
    for (size_t i = 0; i < f->count; i++) {
        bool is_felt = out_fit->parameters[i].sensitivity >= SENSITIVITY_LEAST;
        for (size_t j = 0; j < f->count && !is_felt; j++) {
            square[i][j] = square[j][i] = 0.0;
        }
        square[i][i] = is_felt ? square[i][i] * (1.0 + 1e-10) : 1.0;
    }
    for (size_t i = 0; i < f->count; i++) {
        double unit[TACHO_FIT_PARAMETERS_MAX] = {0.0};
        unit[i] = 1.0;
        if (out_fit->parameters[i].sensitivity >= SENSITIVITY_LEAST &&
            solve(square, f->count, unit, column)) {
            out_fit->parameters[i].error = noise * sqrt(column[i]);
        }
    }
    return TACHO_OK;
}

static tacho_status run(fitting *f, tacho_fit *out_fit)
{
    double damping = 0.01;
    bool is_better = true;
    TACHO_TRY(find_residuals(f, f->values, f->residuals));
    for (out_fit->rounds = 0; is_better && out_fit->rounds < ROUNDS_MAX; out_fit->rounds++) {
        TACHO_TRY(improve(f, &damping, &is_better));
    }
    return judge(f, out_fit);
}

tacho_status tacho_fit_run(const tacho_fit_problem *problem, tacho_fit *out_fit)
{
    fitting f = {.problem = problem, .count = problem->parameter_count};
    *out_fit = (tacho_fit){.rounds = 0};
    for (size_t i = 0; i < f.count; i++) {
        f.values[i] = problem->start[i];
    }
    tacho_status status = tacho_items_make(&f.jacobian, problem->row_count * f.count);
    status = status == TACHO_OK ? tacho_items_make(&f.residuals, problem->row_count) : status;
    status = status == TACHO_OK ? tacho_items_make(&f.trial, problem->row_count) : status;
    status = status == TACHO_OK ? run(&f, out_fit) : status;
    free(f.jacobian);
    free(f.residuals);
    free(f.trial);
    return status;
}

/* ---- errors -------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

tacho_status tacho_fit_measure(const double *estimates, const double *truth, size_t row_count,
                               tacho_fit_errors *out_errors)
{
    double *errors;
    *out_errors = (tacho_fit_errors){.row_count = row_count};
    TACHO_TRY(tacho_items_make(&errors, row_count));
    for (size_t i = 0; i < row_count; i++) {
        errors[i] = 100.0 * fabs(estimates[i] / truth[i] - 1.0);
        out_errors->mean += errors[i] / (double)row_count;
    }
    qsort(errors, row_count, sizeof(*errors), by_size);
    if (row_count > 0) {
        out_errors->p90 = errors[(size_t)tacho_whole_u64(ceil(0.9 * (double)row_count)) - 1];
        out_errors->max = errors[row_count - 1];
    }
    free(errors);
    return TACHO_OK;
}
