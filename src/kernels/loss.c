/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses against labels, and Dropout, which is the identity outside of training.
 */
#include "kernels/call.h"
#include "kernels/functions.h"

#include <math.h>

/* Where the logarithm of a probability is found: the tensor itself, or its log-softmax. */
typedef struct scores {
    const tacho_array *array;
    tacho_split_shape split; /* by the classes, axis 1 */
    bool is_softened;
} scores;

/* The offset that turns a score into a logarithm of a probability, for place |i|. */
static double offset_of(const scores *self, int64_t i)
{
    int64_t base =
        i / self->split.inner * self->split.dim * self->split.inner + i % self->split.inner;
    double top = -(double)INFINITY, sum = 0;
    if (!self->is_softened) {
        return 0;
    }
    for (int64_t j = 0; j < self->split.dim; j++) {
        double x = tacho_real_at(self->array, base + j * self->split.inner);
        top = x > top ? x : top;
    }
    for (int64_t j = 0; j < self->split.dim; j++) {
        sum += tacho_exp(tacho_real_at(self->array, base + j * self->split.inner) - top);
    }
    return top + tacho_log(sum);
}

static tacho_status write_logs(const scores *self, tacho_array *to)
{
    if (!tacho_shape_equal(&to->shape, &self->array->shape) || !tacho_is_real(to)) {
        return tacho_wrong_shapes("a loss");
    }
    for (int64_t i = 0; i < self->split.outer * self->split.inner; i++) {
        double offset = offset_of(self, i);
        for (int64_t j = 0; j < self->split.dim; j++) {
            int64_t at = (i / self->split.inner * self->split.dim + j) * self->split.inner +
                         i % self->split.inner;
            tacho_set_real(to, at, tacho_real_at(self->array, at) - offset);
        }
    }
    return TACHO_OK;
}

static tacho_status find_loss(const tacho_kernel_call *call, bool is_softened)
{
    const tacho_array *labels = call->inputs[1], *weights = tacho_call_input(call, 2);
    scores self = {.array = call->inputs[0], .is_softened = is_softened};
    tacho_array *output = &call->outputs[0];
    const tacho_attr *ignored = tacho_attr_find(call->attrs, call->attr_count, "ignore_index");
    bool is_none = tacho_call_is(call, "reduction", "none");
    bool is_sum = tacho_call_is(call, "reduction", "sum");
    if (!tacho_is_real(self.array) || output->dtype != self.array->dtype || !tacho_is_int(labels) ||
        (weights != NULL && !tacho_is_real(weights))) {
        return tacho_unsupported_type("a loss", self.array->dtype);
    }
    if (self.array->shape.rank < 2) {
        return tacho_wrong_shapes("a loss");
    }
    self.split = tacho_shape_split(&self.array->shape, 1);
    int64_t count = self.split.outer * self.split.inner;
    if (tacho_array_elements(labels) != count ||
        tacho_array_elements(output) != (is_none ? count : 1) ||
        (weights != NULL && tacho_array_elements(weights) != self.split.dim)) {
        return tacho_wrong_shapes("a loss");
    }
    double sum = 0, weight_sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t label = tacho_int_at(labels, i);
        bool is_ignored = ignored != NULL && ignored->value.as_int == label;
        if (!is_ignored && (label < 0 || label >= self.split.dim)) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "label %lld is not one of %lld classes",
                              (long long)label, (long long)self.split.dim);
        }
        double weight = is_ignored ? 0 : weights == NULL ? 1 : tacho_real_at(weights, label);
        double loss = 0;
        if (!is_ignored) {
            int64_t at = (i / self.split.inner * self.split.dim + label) * self.split.inner +
                         i % self.split.inner;
            loss = -(tacho_real_at(self.array, at) - offset_of(&self, i)) * weight;
        }
        if (is_none) {
            tacho_set_real(output, i, loss);
        }
        sum += loss;
        weight_sum += weight;
    }
    if (!is_none) {
        tacho_set_real(output, 0, is_sum ? sum : sum / weight_sum);
    }
    tacho_array *logs = tacho_call_output(call, 1);
    return logs == NULL ? TACHO_OK : write_logs(&self, logs);
}

static tacho_status compute_likelihood_loss(const tacho_kernel_call *call)
{
    return find_loss(call, false);
}

static tacho_status compute_softmax_loss(const tacho_kernel_call *call)
{
    return find_loss(call, true);
}

static tacho_status compute_dropout(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *ratio = tacho_call_input(call, 1);
    const tacho_array *training = tacho_call_input(call, 2);
    tacho_array *mask = tacho_call_output(call, 1);
    size_t size = tacho_dtype_element_bytes(input->dtype);
    int64_t total = tacho_array_elements(input);
    bool is_training = training != NULL && training->dtype == TACHO_DTYPE_BOOL &&
                       tacho_array_elements(training) == 1 && tacho_int_at(training, 0) != 0;
    bool is_whole = ratio != NULL && tacho_is_real(ratio) && tacho_array_elements(ratio) == 1 &&
                    tacho_real_at(ratio, 0) == 0;
    if (is_training && !is_whole) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "Dropout in training is random");
    }
    if (size == 0 || call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("Dropout", input->dtype);
    }
    if (total != tacho_array_elements(&call->outputs[0]) ||
        (mask != NULL && total != tacho_array_elements(mask))) {
        return tacho_wrong_shapes("Dropout");
    }
    if (total > 0) {
        memcpy(call->outputs[0].data, input->data, (size_t)total * size);
    }
    for (int64_t i = 0; mask != NULL && i < total; i++) {
        if (tacho_is_real(mask)) {
            tacho_set_real(mask, i, 1);
        } else {
            tacho_set_int(mask, i, 1);
        }
    }
    return TACHO_OK;
}

const tacho_kernel tacho_loss_kernels[] = {
    {"Dropout", TACHO_KERNEL_PLAIN, compute_dropout},
    {"NegativeLogLikelihoodLoss", TACHO_KERNEL_HEAVY, compute_likelihood_loss},
    {"SoftmaxCrossEntropyLoss", TACHO_KERNEL_HEAVY, compute_softmax_loss},
    {0},
};
