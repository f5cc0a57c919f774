/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f16 and bf16 in f32. Fast kernels know neither type, so steps whose values f32 holds as well run
 * on twins: f32 tensors with the same elements. The result of such a step is rounded in place to
 * the program's type, so the next step finds what it would find in the tensor itself. The tensor
 * is converted to its twin and back only where steps that run on twins meet others, inputs and
 * outputs.
 *
 * A sum, product, quotient or root is rounded to f32 first, and f32 has twice the bits and more,
 * so the second rounding gives the nearest short number, as one alone would. Longer computations
 * may end at the neighbour, once in some thousand elements.
 */
#include "base/grow.h"
#include "device/execute_parts.h"
#include "kernels/quick.h"
#include "kernels/short_real.h"

#include <stdlib.h>

/* Steps that run on twins. Results of the first are elements of the inputs, or no reals; the second
 * (and Gather) stay as they are where their data are constant. */
static const char moving[] =
    " ArgMax ArgMin Concat DepthToSpace Equal Expand Flatten Gather GatherElements GatherND "
    "Greater "
    "GreaterOrEqual Identity IsInf IsNaN Less LessOrEqual Pad Reshape ScatterElements ScatterND "
    "Shape Size Slice SpaceToDepth Split Squeeze Tile TopK Transpose Unsqueeze Where ";
static const char viewing[] = " Cast Dropout Flatten Identity Reshape Squeeze Unsqueeze ";
static const char computing[] =
    " Abs Add AveragePool BatchNormalization Clip Conv ConvTranspose Cos Div Einsum Elu Erf Exp "
    "GRU "
    "Gelu Gemm GlobalAveragePool GlobalMaxPool GroupNormalization HardSigmoid HardSwish "
    "InstanceNormalization LRN LSTM LayerNormalization LeakyRelu Log LogSoftmax MatMul Max MaxPool "
    "Mean Min Mish Mul Neg Pow PRelu RMSNormalization RNN Reciprocal ReduceL1 ReduceL2 "
    "ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceSum ReduceSumSquare Relu Resize Selu "
    "Sigmoid Sin Softmax Softplus Softsign Sqrt Sub Sum Swish Tanh Upsample ";

static bool is_listed(const char *names, tacho_str type)
{
    for (const char *name = names + 1; *name != '\0';) {
        size_t len = strcspn(name, " ");
        if (len == type.len && memcmp(name, type.data, len) == 0) {
            return true;
        }
        name += len + 1;
    }
    return false;
}

static bool is_computing(const tacho_execution *self, uint32_t step)
{
    return is_listed(computing, tacho_step_type(self, step));
}

static size_t links_of(const tacho_execution *self, uint32_t step, const uint32_t **out_ids)
{
    const tacho_step *at = &self->program->steps[step];
    *out_ids = self->program->links + at->first_link;
    return (size_t)at->input_count + at->output_count;
}

/* ---- planning ------------------------------------------------------------------------------ */

/* Whether a step is better off with twins: it has short reals, not constants alone. */
static bool is_for_twins(const tacho_execution *self, uint32_t step, const bool *is_constant)
{
    const uint32_t *ids;
    tacho_str type = tacho_step_type(self, step);
    size_t count = links_of(self, step, &ids), inputs = self->program->steps[step].input_count;
    bool has_short = false, has_live = false;
    for (size_t i = 0; i < count; i++) {
        bool is_short = ids[i] != TACHO_NONE && tacho_short_is(self->values[ids[i]].dtype);
        has_short |= is_short;
        has_live |= i < inputs && ids[i] != TACHO_NONE && !is_constant[ids[i]];
    }
    if (!has_short || !has_live) {
        return false;
    }
    if (tacho_str_equal(type, TACHO_STR("Cast")) && inputs == 1 && count == 2) {
        return ids[1] != TACHO_NONE && tacho_short_is(self->values[ids[0]].dtype) &&
               !tacho_short_is(self->values[ids[1]].dtype); /* ids[0] is live */
    }
    bool is_fixed = ids[0] != TACHO_NONE && is_constant[ids[0]] &&
                    (is_listed(viewing, type) || tacho_str_equal(type, TACHO_STR("Gather")));
    return !is_fixed && (is_listed(moving, type) || is_listed(computing, type));
}

/* Chooses the steps, in order: results of constants are constants. */
static tacho_status choose_steps(tacho_execution *self, uint32_t *out_count)
{
    const tacho_program *program = self->program;
    bool *is_constant = tacho_items_alloc(program->tensor_count, sizeof(*is_constant));
    *out_count = 0;
    if (is_constant == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < program->tensor_count; i++) {
        is_constant[i] = self->values[i].state == TACHO_VALUE_CONSTANT;
    }
    for (uint32_t i = 0; i < program->step_count; i++) {
        const tacho_step *at = &program->steps[i];
        const uint32_t *ids;
        size_t count = links_of(self, i, &ids);
        bool is_folded = at->input_count > 0;
        bool is_view = is_folded && is_listed(viewing, tacho_step_type(self, i)) &&
                       ids[0] != TACHO_NONE && is_constant[ids[0]];
        for (size_t j = 0; j < at->input_count; j++) {
            is_folded &= ids[j] == TACHO_NONE || is_constant[ids[j]];
        }
        for (size_t j = at->input_count; j < count && (is_folded || is_view); j++) {
            if (ids[j] != TACHO_NONE) {
                is_constant[ids[j]] = true;
            }
        }
        self->on_twins[i] = is_for_twins(self, i, is_constant);
        for (size_t j = 0; j < count && self->on_twins[i]; j++) {
            if (ids[j] != TACHO_NONE && tacho_short_is(self->values[ids[j]].dtype) &&
                self->twins[ids[j]] == TACHO_NONE) {
                self->twins[ids[j]] = (uint32_t)program->tensor_count + (*out_count)++;
            }
        }
    }
    free(is_constant);
    return TACHO_OK;
}

/* Makes room for |count| twins, and makes them. */
static tacho_status add_twins(tacho_execution *self, uint32_t count)
{
    size_t first = self->program->tensor_count;
    tacho_value *values = realloc(self->values, (first + count) * sizeof(*values));
    self->values = values != NULL ? values : self->values;
    self->originals = tacho_items_alloc(count, sizeof(*self->originals));
    if (values == NULL || self->originals == NULL) {
        return tacho_no_memory();
    }
    self->value_count = first + count;
    for (uint32_t i = 0; i < first; i++) {
        uint32_t twin = self->twins[i];
        if (twin == TACHO_NONE) {
            continue;
        }
        uint64_t elements;
        tacho_value *value = &self->values[twin];
        *value = self->values[i]; /* nothing has been done with it so far */
        value->dtype = TACHO_DTYPE_F32;
        value->root = twin;
        if (!tacho_shape_elements(value->shape, &elements) ||
            !tacho_dtype_bytes(TACHO_DTYPE_F32, elements, &value->bytes)) {
            value->bytes = 0;
        }
        self->originals[twin - first] = i;
    }
    return TACHO_OK;
}

tacho_status tacho_wide_plan(tacho_execution *self)
{
    const tacho_program *program = self->program;
    uint32_t count = 0;
    bool has_short = false;
    for (size_t i = 0; i < program->tensor_count && !has_short; i++) {
        has_short = tacho_short_is(self->values[i].dtype);
    }
    if (!has_short || self->fast == NULL) {
        return TACHO_OK;
    }
    self->on_twins = tacho_items_alloc(program->step_count, sizeof(*self->on_twins));
    self->twins = tacho_items_alloc(program->tensor_count, sizeof(*self->twins));
    if (self->on_twins == NULL || self->twins == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < program->tensor_count; i++) {
        self->twins[i] = TACHO_NONE;
    }
    TACHO_TRY(choose_steps(self, &count));
    return add_twins(self, count);
}

/* Whether a step makes the twin of |id|, which is then converted where it is needed itself. */
static bool is_made_as_twin(const tacho_execution *self, uint32_t id)
{
    uint32_t step = self->values[self->twins[id]].producer;
    return step != TACHO_NONE && self->on_twins[step];
}

void tacho_wide_count_uses(tacho_execution *self)
{
    size_t first = self->program->tensor_count;
    for (size_t i = first; i < self->value_count; i++) {
        uint32_t id = self->originals[i - first];
        tacho_value *from = &self->values[is_made_as_twin(self, id) ? i : id];
        const tacho_value *to = &self->values[is_made_as_twin(self, id) ? id : i];
        from->uses += to->uses > 0 ? 1 : 0;
    }
}

uint32_t tacho_wide_id(const tacho_execution *self, uint32_t step, uint32_t id)
{
    bool is_twin = self->twins != NULL && id != TACHO_NONE && self->on_twins[step] &&
                   self->twins[id] != TACHO_NONE;
    return is_twin ? self->twins[id] : id;
}

tacho_dtype tacho_wide_type(const tacho_execution *self, uint32_t id)
{
    size_t first = self->program->tensor_count;
    return (tacho_dtype)self->values[id < first ? id : self->originals[id - first]].dtype;
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* A task that rounds the result of the last ones in the memory of |id|, whatever its layout. */
static tacho_status add_rounding(tacho_execution *self, uint32_t id, uint32_t step)
{
    const tacho_value *value = &self->values[id];
    if (value->root != id || value->bytes == 0) {
        return TACHO_OK; /* the source of the view has been rounded */
    }
    tacho_task task = {.step = step, .rounds_to = (uint8_t)tacho_wide_type(self, id)};
    task.output_piece = value->piece;
    if (task.output_piece == TACHO_NONE && value->copies != TACHO_NONE) {
        task.output_piece = self->copies[value->copies].piece;
    }
    if (task.output_piece == TACHO_NONE) {
        return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA, "a tensor has no memory");
    }
    tacho_piece_keep(self, task.output_piece, (uint32_t)self->task_count);
    return tacho_task_append(self, &task);
}

/* A task that makes |to| of |from|. */
static tacho_status add_conversion(tacho_execution *self, uint32_t from, uint32_t to, uint32_t step)
{
    void *memory;
    uint32_t piece;
    TACHO_TRY(tacho_arena_alloc(&self->arena, sizeof(tacho_task_call), &memory));
    tacho_task_call *own = memory;
    *own = (tacho_task_call){.from = from, .to = to};
    own->input = tacho_value_array(&self->values[from]);
    own->output = tacho_value_array(&self->values[to]);
    own->link = &own->input;
    own->call = (tacho_kernel_call){
        .inputs = &own->link, .input_count = 1, .outputs = &own->output, .output_count = 1};
    tacho_task task = {.step = step, .is_quick = true, .call = own};
    task.kernel = tacho_quick_find(TACHO_STR("Cast"), &own->call);
    if (task.kernel == NULL) {
        return tacho_step_fail(self, step, TACHO_CODE_UNSUPPORTED, "a tensor cannot be converted");
    }
    TACHO_TRY(tacho_value_ensure_plain(self, from, step, &piece));
    TACHO_TRY(tacho_task_append(self, &task));
    uint32_t number = (uint32_t)self->task_count - 1;
    tacho_piece_keep(self, self->values[self->values[from].root].piece, number);
    self->counts.reorders++;
    return tacho_value_make(self, to, NULL, number, &piece);
}

/* A tensor that has been made, or its twin, as the other of the two, if anything reads that. */
static tacho_status settle_tensor(tacho_execution *self, uint32_t id, uint32_t step)
{
    uint32_t twin = id == TACHO_NONE ? TACHO_NONE : self->twins[id];
    if (twin == TACHO_NONE) {
        return TACHO_OK;
    }
    if (is_made_as_twin(self, id)) {
        bool is_made = self->values[twin].state == TACHO_VALUE_LIVE;
        if (is_made && is_computing(self, step)) {
            TACHO_TRY(add_rounding(self, twin, step));
        }
        return is_made && self->values[id].uses > 0 ? add_conversion(self, twin, id, step)
                                                    : TACHO_OK;
    }
    if (self->values[id].state == TACHO_VALUE_CONSTANT) {
        self->values[twin].state = TACHO_VALUE_CONSTANT;
        return TACHO_OK;
    }
    bool is_needed =
        self->values[id].state == TACHO_VALUE_LIVE && self->values[twin].reader != TACHO_NONE;
    return is_needed ? add_conversion(self, id, twin, step) : TACHO_OK;
}

tacho_status tacho_wide_settle_inputs(tacho_execution *self)
{
    for (size_t i = 0; i < self->program->input_count && self->twins != NULL; i++) {
        uint32_t twin = self->twins[self->program->inputs[i]];
        if (twin != TACHO_NONE && self->values[twin].state == TACHO_VALUE_NONE) {
            TACHO_TRY(settle_tensor(self, self->program->inputs[i], 0));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_wide_settle(tacho_execution *self, uint32_t step)
{
    const uint32_t *ids;
    if (self->twins == NULL) {
        return TACHO_OK;
    }
    size_t count = links_of(self, step, &ids);
    for (size_t i = self->program->steps[step].input_count; i < count; i++) {
        TACHO_TRY(settle_tensor(self, ids[i], step));
    }
    return TACHO_OK;
}

tacho_status tacho_wide_load_constant(tacho_execution *self, uint32_t twin)
{
    uint32_t id = self->originals[twin - self->program->tensor_count];
    tacho_value *value = &self->values[twin];
    uint64_t count = value->bytes / sizeof(float);
    if (value->state != TACHO_VALUE_CONSTANT || value->data != NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_execution_load_constant(self, id));
    TACHO_TRY(tacho_execution_block(self, value));
    if (count > 0) {
        tacho_short_widen(tacho_vector_best(), (tacho_dtype)self->values[id].dtype,
                          self->values[id].data, (size_t)count, value->data);
    }
    return TACHO_OK;
}
