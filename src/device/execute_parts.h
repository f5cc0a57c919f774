/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of an execution. Only device/execute*.c include this.
 */
#ifndef TACHO_DEVICE_EXECUTE_PARTS_H
#define TACHO_DEVICE_EXECUTE_PARTS_H

#include "base/index.h"
#include "device/execute.h"
#include "device/memory_plan.h"
#include "kernels/kernel.h"
#include "kernels/nbit_product.h"
#include "kernels/onednn.h"

typedef enum tacho_value_state {
    TACHO_VALUE_NONE, /* nothing has made it so far */
    TACHO_VALUE_CONSTANT,
    TACHO_VALUE_LIVE, /* an input, or made by a task */
} tacho_value_state;

/* A tensor of the program. There may be millions. */
typedef struct tacho_value {
    const tacho_shape *shape; /* the program's */
    void *data;               /* of constants, once requested; of live values, set last */
    uint64_t bytes;
    uint32_t root;        /* value whose memory it shares, being a view; itself otherwise */
    uint32_t piece;       /* of a root that is live: row-major memory; TACHO_NONE: it has none */
    uint32_t copies;      /* the same in other layouts: first of a list, or TACHO_NONE */
    uint32_t producer;    /* step, or TACHO_NONE */
    uint32_t reader;      /* the last step that reads it, or TACHO_NONE */
    uint32_t uses;        /* how often it is read; the network's outputs count as one more */
    uint32_t block;       /* of a constant: memory that was made for it, or TACHO_NONE */
    uint8_t dtype;        /* tacho_dtype */
    uint8_t state;        /* tacho_value_state */
    bool is_deferred : 1; /* a dequantisation that has not been needed so far */
    bool is_kept : 1;     /* a constant that is read while the program runs */
    bool is_odd : 1;      /* its copy is in a layout that others are not to take over */
} tacho_value;

/* A value as kernels see it. */
static inline tacho_array tacho_value_array(const tacho_value *value)
{
    return (tacho_array){(tacho_dtype)value->dtype, *value->shape, value->data};
}

/* Memory with a value in a layout of a fast kernel's choice. */
typedef struct tacho_copy {
    const tacho_layout *layout;
    uint32_t piece;
    uint32_t next;
} tacho_copy;

/* Results that a fast kernel leaves in parts, see tacho_group. */
typedef struct tacho_task_parts {
    uint32_t count;
    uint32_t piece;
    uint64_t length;
    const int32_t *sums; /* memory of the parts and of their total */
    int32_t *totals;
} tacho_task_parts;

/* The call of a kernel that is not a single step: a pattern is one operator. */
typedef struct tacho_task_call {
    tacho_kernel_call call;
    tacho_array input, output;
    const tacho_array *link; /* to |input| */
    uint32_t from, to;       /* values of both */
} tacho_task_call;

/* One kernel at work. There may be millions: rare fields are in a structure of their own, and the
 * arguments of plain kernels are put together when they run. */
typedef struct tacho_task {
    uint32_t step;      /* that messages name */
    bool is_quick;      /* |kernel| is: it needs no zeros */
    bool is_lossy;      /* it may make a number of NaN: an operation is invalid then */
    bool is_of_product; /* of a plain kernel, see tacho_kernel_call */
    bool is_guarded;    /* the step has a condition, and the kernel runs if that is met */
    bool is_prepared;   /* of a quick kernel: it is in |prepared| of the execution */
    uint8_t rounds_to;  /* a tacho_dtype: it rounds |place|, without a kernel; 0: not */
    uint8_t input_count;
    uint32_t first_input; /* of a fast kernel: in |input_pieces|, TACHO_NONE for constants */
    uint32_t output_piece, scratch_piece;
    tacho_fast_kernel *fast; /* or NULL: a plain kernel runs */
    union {
        struct {                     /* of a fast kernel */
            void **pointers;         /* its pieces as memory, see tacho_fast_point */
            tacho_task_parts *parts; /* or NULL: results are whole */
        };
        struct { /* of a plain one */
            const tacho_kernel *kernel;
            tacho_task_call *call; /* or NULL: the step's own */
        };
        struct { /* of one that rounds */
            float *place;
            uint64_t count;
        };
    };
} tacho_task;

/* Data that a quick kernel prepared from its constants, see tacho_quick_prepare. */
typedef struct tacho_prepared {
    uint32_t task;
    const void *value;
} tacho_prepared;

struct tacho_execution {
    const tacho_program *program;
    tacho_kernel_choice choice;
    uint32_t threads;
    tacho_fast *fast;    /* or NULL */
    tacho_value *values; /* by tensor of the program; twins, see execute_wide.c, after them */
    size_t value_count;
    bool *on_twins;      /* by step; NULL, as the next two: without twins */
    uint32_t *twins;     /* by tensor: a value, or TACHO_NONE */
    uint32_t *originals; /* by twin: its tensor */
    bool *is_done;       /* by step: part of a task, or there is nothing to do */
    tacho_copy *copies;
    size_t copy_count, copy_capacity;
    tacho_task *tasks;
    size_t task_count, task_capacity;
    tacho_prepared *prepared; /* in the order of tasks, of few of them */
    size_t prepared_count, prepared_capacity;
    uint32_t *input_pieces; /* of all fast kernels, until memory is given */
    size_t input_piece_count, input_piece_capacity;
    tacho_array *operands; /* of the plain kernel that runs: as many as any step has, and one */
    const tacho_array **operand_links;
    size_t operand_max;
    uint32_t *op_tasks; /* by op: its first task; one more at the end */
    tacho_memory_piece *pieces;
    size_t piece_count, piece_capacity;
    void **blocks; /* of constants that are not the program's own bytes */
    size_t block_count, block_capacity;
    uint64_t block_bytes;
    const tacho_execution_memory *taker; /* or NULL: pieces share |memory| */
    void **places;                       /* of pieces, where there is a taker */
    void *memory;                        /* for all pieces */
    uint64_t memory_bytes;
    tacho_arena arena; /* of memory that tasks point to */
    tacho_execution_counts counts;
    bool has_run;
    bool is_invalid;        /* an operation of the last run was */
    bool is_recomputed;     /* then, once outputs were requested: |exact| has them */
    bool is_lost;           /* reference kernels were to take over, and could not */
    uint32_t twice_max;     /* of steps, see tacho_execution_options */
    tacho_execution *exact; /* by reference kernels, or NULL: not needed so far */
};

/* Bytes of constants and of activations; more is LIMIT. */
static const uint64_t tacho_execution_bytes_max = (uint64_t)1 << 34;

/* A failure that names the step's operator, type and location. */
tacho_status tacho_step_fail(const tacho_execution *self, uint32_t step, tacho_code code,
                             const char *problem);
/* The same with the code and message of |status|, which is freed; TACHO_OK stays. */
tacho_status tacho_step_blame(const tacho_execution *self, uint32_t step, tacho_status status);

/* The type of a step: "Conv". */
tacho_str tacho_step_type(const tacho_execution *self, uint32_t step);
/* Its input or output |i|: tensor, or TACHO_NONE. */
uint32_t tacho_step_input(const tacho_execution *self, uint32_t step, size_t i);
uint32_t tacho_step_output(const tacho_execution *self, uint32_t step, size_t i);

/* Its condition: tensor, or TACHO_NONE when it always runs. */
uint32_t tacho_step_guard(const tacho_execution *self, uint32_t step);
/* Whether two steps run under the same condition. */
bool tacho_step_is_with(const tacho_execution *self, uint32_t step, uint32_t other);

/* Its attributes; NULL when it has none. */
static inline const tacho_attr *tacho_step_attrs(const tacho_execution *self, const tacho_step *at)
{
    return at->attr_count > 0 ? self->program->attrs + at->first_attr : NULL;
}

/* Short reals in f32, see execute_wide.c. */

/* Decides which steps run on f32 twins of f16 and bf16 tensors. */
tacho_status tacho_wide_plan(tacho_execution *self) TACHO_MUST_USE;
/* Conversions between tensors and twins use them, too; for when all other uses are counted. */
void tacho_wide_count_uses(tacho_execution *self);
/* The value that |step| reads or makes for tensor |id|: that, or its twin. */
uint32_t tacho_wide_id(const tacho_execution *self, uint32_t step, uint32_t id);
/* The type that the program gives a value: of a twin, the one that it is rounded to. */
tacho_dtype tacho_wide_type(const tacho_execution *self, uint32_t id);
/* Adds the tasks that a step's outputs, or the program's inputs, need after those that made them:
 * rounding, and conversion for readers of the other kind. */
tacho_status tacho_wide_settle(tacho_execution *self, uint32_t step) TACHO_MUST_USE;
tacho_status tacho_wide_settle_inputs(tacho_execution *self) TACHO_MUST_USE;
/* tacho_execution_load_constant of a twin. */
tacho_status tacho_wide_load_constant(tacho_execution *self, uint32_t twin) TACHO_MUST_USE;

/* Constants, see execute_constants.c. */

/* Zeroed memory for the elements of a constant, freed with the execution. */
tacho_status tacho_execution_block(tacho_execution *self, tacho_value *value) TACHO_MUST_USE;
/* Frees constants that only fast kernels use, in layouts of their own. */
void tacho_execution_trim(tacho_execution *self);
/* Gives the value of a constant its bytes, where they are not there yet. */
tacho_status tacho_execution_load_constant(tacho_execution *self, uint32_t tensor) TACHO_MUST_USE;

/* Fills the call of a step's kernel with the current values. |arrays| has room for its inputs,
 * outputs and one more, |links| for its inputs. */
void tacho_step_fill(const tacho_execution *self, uint32_t step, tacho_array *arrays,
                     const tacho_array **links, tacho_kernel_call *out_call);
/* The same with lists of |arena|; outputs get memory later. */
tacho_status tacho_step_describe(tacho_execution *self, uint32_t step, tacho_arena *arena,
                                 tacho_kernel_call *out_call) TACHO_MUST_USE;
/* Adds the task of a step on row-major memory: with a quick kernel where fast ones are wanted and
 * there is one, else with its reference kernel. */
tacho_status tacho_task_add_plain(tacho_execution *self, uint32_t step) TACHO_MUST_USE;

/* Keeps the condition of a step's kernel, which is the next task, if it has one. */
tacho_status tacho_task_guard(tacho_execution *self, tacho_task *task) TACHO_MUST_USE;

/* A list of pieces that fast kernels read; its first is |out_first|. */
tacho_status tacho_task_list(tacho_execution *self, size_t count,
                             uint32_t *out_first) TACHO_MUST_USE;
/* Adds a task without changes. */
tacho_status tacho_task_append(tacho_execution *self, const tacho_task *task) TACHO_MUST_USE;

/* Memory and layouts, see execute_memory.c. */

/* Memory of |bytes| from task |first| on, and until |last|. */
tacho_status tacho_piece_add(tacho_execution *self, uint64_t bytes, uint32_t first,
                             uint32_t *out_piece) TACHO_MUST_USE;
void tacho_piece_keep(tacho_execution *self, uint32_t piece, uint32_t last);

/* Makes sure that a live value is in row-major memory before the next task. */
tacho_status tacho_value_ensure_plain(tacho_execution *self, uint32_t id, uint32_t step,
                                      uint32_t *out_piece) TACHO_MUST_USE;
/* The same for a layout. */
tacho_status tacho_value_ensure_layout(tacho_execution *self, uint32_t id,
                                       const tacho_layout *layout, uint32_t step,
                                       uint32_t *out_piece) TACHO_MUST_USE;
/* The value that |id| is a view of, if it is the same in every respect; itself otherwise. */
uint32_t tacho_value_whole(const tacho_execution *self, uint32_t id);
/* The layout that a value has now: a kernel's where there is one. */
const tacho_layout *tacho_value_layout(tacho_execution *self, uint32_t id);
/* Memory for a value that |task| makes in |layout|, NULL: row-major. */
tacho_status tacho_value_make(tacho_execution *self, uint32_t id, const tacho_layout *layout,
                              uint32_t task, uint32_t *out_piece) TACHO_MUST_USE;

/* A fast kernel while it is put together from steps, see execute_fast.c. */
enum { TACHO_GROUP_STEPS_MAX = 16, TACHO_GROUP_OWNED_MAX = 4 };

typedef struct tacho_group {
    tacho_execution *self;
    uint32_t step;          /* its root */
    tacho_kernel_call call; /* of the root */
    tacho_fast_spec spec;
    tacho_fast_tensor inputs[TACHO_FAST_INPUTS_MAX];
    uint32_t ids[TACHO_FAST_INPUTS_MAX]; /* values of inputs; TACHO_NONE: constants */
    tacho_window window;
    tacho_nbit_weights weights;            /* of few bits, that the spec may point to */
    uint32_t output;                       /* value that it makes */
    uint32_t steps[TACHO_GROUP_STEPS_MAX]; /* besides the root */
    size_t step_count;
    uint32_t parts;                     /* of sums: an output row is the sum of so many rows, */
    uint64_t part_length;               /* each of this length; 0: results are whole */
    bool is_odd;                        /* others do not support the layout of its output */
    void *owned[TACHO_GROUP_OWNED_MAX]; /* freed with the group */
    size_t owned_count;
} tacho_group;

/* Adds an input: in its layout, in one that the kernel chooses, or constant. */
typedef enum tacho_group_wish {
    TACHO_WISH_PLAIN,
    TACHO_WISH_AS_IT_IS,
    TACHO_WISH_FREE,
} tacho_group_wish;

/* False when a group has no room, or fast kernels do not support the value. */
bool tacho_group_add_input(tacho_group *group, uint32_t id, tacho_group_wish wish);
/* Real numbers of a constant, |count| of them; NULL for other values. */
const float *tacho_group_floats(tacho_group *group, uint32_t id, int64_t count);
/* The same of one that has a single element. */
bool tacho_group_scalar(tacho_group *group, uint32_t id, float *out_value);
/* Memory for |count| floats that is freed with the group, or NULL. */
float *tacho_group_memory(tacho_group *group, int64_t count);
/* Makes the output and its shape that of value |id|. */
void tacho_group_set_output(tacho_group *group, uint32_t id, bool is_free);

/* Makes the spec of the root; false when it is not for fast kernels. See execute_specs.c. */
bool tacho_group_translate(tacho_group *group);
/* The same of Resize and Upsample, see execute_resize.c. */
bool tacho_group_resize(tacho_group *group);
/* Whether the root's attribute is that text; |is_default|: also when it is absent. */
bool tacho_group_has_text(const tacho_group *group, const char *name, const char *value,
                          bool is_default);
/* The function of one operand that a step computes, with its constants; false for other steps. */
bool tacho_group_function(tacho_group *group, uint32_t step, tacho_fast_post *out_post);
/* Whether there is a fast function, or operation of two operands, of that name. */
bool tacho_function_is_known(tacho_str type);
/* Adds a function of the results; false when the kernel cannot express it. */
bool tacho_group_add_post(tacho_group *group, tacho_fast_post post);

/*
 * Whether images have one row or column: oneDNN 2 then may take the wrong numbers of a post-op that
 * has one per channel.
 */
bool tacho_group_is_thin(const tacho_shape *shape);
/* The operation of two operands that a step is, and whether they can be swapped. */
bool tacho_group_binary(const tacho_group *group, uint32_t step, tacho_fast_function *out_function,
                        bool *out_is_swappable);
/* Gives an operand the rank of |shape|, with ones in front; false when it is not broadcast to it.
 */
bool tacho_group_widen(tacho_fast_tensor *tensor, const tacho_shape *shape);
/* Gives input 1, filters, its groups in front; transposed ones have their inputs first. */
bool tacho_group_split(tacho_group *group, int64_t groups, bool is_transposed);
/* Swaps the last two dimensions of an operand; its data stays in place. */
void tacho_group_transpose(tacho_fast_tensor *tensor);
/* Makes rows of all batches one matrix. */
void tacho_group_flatten(tacho_fast_tensor *tensor);
/* The step that alone reads the group's output, in the same op, or TACHO_NONE. */
uint32_t tacho_group_follower(const tacho_group *group);
/* Adds |step| to the group, whose output is now that of |step|. */
void tacho_group_take_over(tacho_group *group, uint32_t step);

/* A function that is written out as several operators, see execute_patterns.c. */
enum { TACHO_PATTERN_STEPS_MAX = 10 };

typedef struct tacho_pattern {
    tacho_fast_function function;            /* SWISH, GELU or GELU_TANH */
    uint32_t input, output;                  /* values, of the same type and shape */
    uint32_t steps[TACHO_PATTERN_STEPS_MAX]; /* besides the first */
    size_t step_count;
} tacho_pattern;

/* Whether |root| is the first operator of such a function. */
bool tacho_pattern_find(tacho_execution *self, uint32_t root, tacho_pattern *out_found);
/* Computes it by a quick kernel; |out_is_done| false: it is none, or of no type that has one. */
tacho_status tacho_pattern_take(tacho_execution *self, uint32_t root,
                                bool *out_is_done) TACHO_MUST_USE;

/* Quantised steps, see execute_bytes.c. Makes the spec of the root, with all that follows, on
 * bytes; false when it is not such. */
bool tacho_group_translate_bytes(tacho_group *group);
/* Those of TOSA's products of bytes whose sums are the results, see execute_tosa.c. */
bool tacho_group_tosa_conv(tacho_group *group);
bool tacho_group_tosa_depthwise(tacho_group *group);
bool tacho_group_tosa_matmul(tacho_group *group);
/* Whether the step needs no kernel: it is a dequantisation that can wait, or undoes one. */
bool tacho_bytes_take(tacho_execution *self, uint32_t step);

/* Products with weights of few bits, see execute_nbits.c. Whether the step makes numbers of such
 * weights, all of them constants, which can wait. */
bool tacho_nbits_defer(tacho_execution *self, uint32_t step);
/* Makes the spec of a product with such weights; false when it is none. */
bool tacho_group_translate_nbits(tacho_group *group);
/* Computes a step of constants, now. */
tacho_status tacho_step_fold(tacho_execution *self, uint32_t step) TACHO_MUST_USE;

/* Computes a step, and others that fit it, by a fast kernel; |out_is_done| false: it cannot. */
tacho_status tacho_fast_take(tacho_execution *self, uint32_t step,
                             bool *out_is_done) TACHO_MUST_USE;

/* The same for a step that is no longer put off. */
tacho_status tacho_fast_compute(tacho_execution *self, uint32_t step,
                                bool *out_is_done) TACHO_MUST_USE;

/* Whether the program has values for all results of the step: nothing of it runs. */
bool tacho_step_is_known(const tacho_execution *self, uint32_t step);
/* Whether it has a kernel, and its tensors types of whole bytes and shapes that are known. */
tacho_status tacho_step_check_known(const tacho_execution *self, uint32_t step) TACHO_MUST_USE;

/* Has the gate check every step, see execute_gate.c. Values are filled in. */
tacho_status tacho_execution_check(tacho_execution *self,
                                   const tacho_execution_options *options) TACHO_MUST_USE;

/* Values, tasks and memory of an execution that has nothing but its program. */
tacho_status tacho_execution_prepare(tacho_execution *self,
                                     const tacho_execution_options *options) TACHO_MUST_USE;

#endif
