/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recurrent layer at work (recurrent.c), and its products with the weights
 * (recurrent_products.c), which are where its time goes: in double by reference kernels, in f32 or
 * on bytes by quick ones.
 */
#ifndef TACHO_KERNELS_RECURRENT_H
#define TACHO_KERNELS_RECURRENT_H

#include "kernels/byte_matrix.h"
#include "kernels/call.h"
#include "kernels/quick.h"
#include "kernels/vector.h"

enum { TACHO_RECURRENT_FUNCTIONS = 6 }; /* of two directions */

typedef struct tacho_recurrent tacho_recurrent;

/* The activation of a gate. */
typedef double (*tacho_recurrent_function)(double x, double a, double b);

typedef struct tacho_recurrent_activation {
    tacho_recurrent_function f;
    double a, b;
} tacho_recurrent_activation;

/* The differences between the cells. */
typedef struct tacho_recurrent_cell {
    const char *name;
    int64_t gates;
    size_t function_count;
    const char *defaults[3];
    /* From the sums of x and of h to the next states, for one sequence of the batch. Sums are used
     * up. */
    void (*step)(const tacho_recurrent *self, double *x, double *h_sums, double *h, double *c);
    bool is_quantised; /* x and weights are bytes, and the state becomes bytes in each step */
} tacho_recurrent_cell;

/* Weights of a direction as quick kernels multiply them: those of x, of h before any gate is known,
 * and of GRU's new state. */
typedef struct tacho_recurrent_weights {
    float *w, *r, *fresh;
    tacho_byte_matrix byte_w, byte_r;
} tacho_recurrent_weights;

/* Inputs after those of an LSTM where its data and weights are bytes: scale and zero point of x,
 * of w and of r. */
enum { TACHO_RECURRENT_X_SCALE = 8, TACHO_RECURRENT_W_SCALE = 10, TACHO_RECURRENT_R_SCALE = 12 };

struct tacho_recurrent {
    const tacho_kernel_call *call;
    const tacho_recurrent_cell *cell;
    int64_t steps, batch, inputs, hidden, directions;
    bool is_batch_first, is_coupled, is_reset_late, is_reverse;
    double clip; /* 0: none */
    tacho_recurrent_activation activations[TACHO_RECURRENT_FUNCTIONS];
    bool is_quick;
    tacho_vector_set set;
    /* Of the direction at work: */
    const tacho_recurrent_activation *now;
    double *w_bias, *r_bias, *peephole;    /* peephole is zeros where there is none */
    double *h, *c;                         /* states of all sequences; c has room for two of each */
    double *x_sums, *h_sums;               /* of the sequence at work */
    double *w, *r;                         /* of reference kernels: turned, inputs x gates */
    double *x;                             /* an input of theirs */
    const tacho_recurrent_weights *packed; /* of quick ones */
    void *all_x_sums;        /* f32 or i32, of all steps and sequences, in the inputs' order */
    void *all_h_sums;        /* of all sequences, of the step at work */
    float *h_rows;           /* states of all sequences in f32 */
    float *sums_row;         /* of GRU's new state */
    const int64_t *lists[4]; /* offsets of rows and columns of states and their sums */
    float *real_scratch;
    uint8_t *h_bytes;
    int16_t *byte_scratch;
    float h_scale;
    uint8_t h_zero;
    double *w_scales;            /* by row, times that of x */
    double *r_scales, *h_scales; /* the same of r, and times that of the step's states */
    double *h_numbers;           /* the bytes of a state */
};

/* Memory and weights for the products of a direction; the inputs of all steps are multiplied at
 * once where that is quick. */
tacho_status tacho_recurrent_begin_products(tacho_recurrent *self, tacho_arena *arena,
                                            int64_t direction) TACHO_MUST_USE;

/* At the beginning of a step: products with the states of all sequences, as needed. */
void tacho_recurrent_multiply_states(tacho_recurrent *self);

/* Biases and products of input |row| to |x_sums|, those of the state of |sequence| to |h_sums|. */
void tacho_recurrent_fill_sums(const tacho_recurrent *self, int64_t row, int64_t sequence);

/* The product of |state| with the weights of GRU's new state is added to |sums|. */
void tacho_recurrent_add_fresh(const tacho_recurrent *self, const double *state, double *sums);

/* Weights of both directions for a call whose operands fit; NULL where they are not constants. */
tacho_status tacho_recurrent_pack(const tacho_recurrent *self, tacho_arena *arena,
                                  tacho_recurrent_weights **out_weights) TACHO_MUST_USE;

/* Elements of |input| from |at| on; zeros where it is absent. */
tacho_status tacho_recurrent_list(const tacho_recurrent *self, tacho_arena *arena, size_t input,
                                  int64_t at, int64_t count, double **out_list) TACHO_MUST_USE;

#endif
