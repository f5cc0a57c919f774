/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of values while tasks are put together. A value has row-major memory, copies in layouts
 * of fast kernels, or both; a missing layout is made by a reorder task of its own. Memory lives
 * from the task that fills it to the last that reads it.
 */
#include "base/grow.h"
#include "device/execute_parts.h"

tacho_status tacho_piece_add(tacho_execution *self, uint64_t bytes, uint32_t first,
                             uint32_t *out_piece)
{
    TACHO_TRY(tacho_grow(&self->pieces, &self->piece_capacity, self->piece_count + 1));
    *out_piece = (uint32_t)self->piece_count;
    self->pieces[self->piece_count++] =
        (tacho_memory_piece){.bytes = bytes, .first = first, .last = first};
    return TACHO_OK;
}

void tacho_piece_keep(tacho_execution *self, uint32_t piece, uint32_t last)
{
    if (piece != TACHO_NONE && self->pieces[piece].last < last) {
        self->pieces[piece].last = last;
    }
}

static const tacho_layout *plain_layout(tacho_execution *self, uint32_t id)
{
    const tacho_value *value = &self->values[id];
    return self->fast == NULL
               ? NULL
               : tacho_layout_plain(self->fast, (tacho_dtype)value->dtype, value->shape);
}

static uint32_t find_copy(const tacho_execution *self, uint32_t id, const tacho_layout *layout)
{
    uint32_t at = self->values[id].copies;
    while (at != TACHO_NONE && self->copies[at].layout != layout) {
        at = self->copies[at].next;
    }
    return at;
}

tacho_status tacho_value_make(tacho_execution *self, uint32_t id, const tacho_layout *layout,
                              uint32_t task, uint32_t *out_piece)
{
    tacho_value *value = &self->values[id];
    value->state = TACHO_VALUE_LIVE;
    if (layout == NULL || layout == plain_layout(self, id)) {
        TACHO_TRY(tacho_piece_add(self, value->bytes, task, out_piece));
        value->piece = *out_piece;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_piece_add(self, tacho_layout_bytes(self->fast, layout), task, out_piece));
    TACHO_TRY(tacho_grow(&self->copies, &self->copy_capacity, self->copy_count + 1));
    self->copies[self->copy_count] = (tacho_copy){layout, *out_piece, value->copies};
    value->copies = (uint32_t)self->copy_count++;
    return TACHO_OK;
}

/* A task that fills memory for |id| in |to| from |piece| in |from|. */
static tacho_status add_reorder(tacho_execution *self, uint32_t id, uint32_t piece,
                                const tacho_layout *from, const tacho_layout *to, uint32_t step,
                                uint32_t *out_piece)
{
    tacho_dtype dtype = (tacho_dtype)self->values[id].dtype;
    tacho_shape one = {1, {1}};
    const tacho_shape *shape = self->values[id].shape->rank == 0 ? &one : self->values[id].shape;
    tacho_fast_tensor input = {.dtype = dtype, .shape = *shape, .layout = from};
    tacho_fast_spec spec = {
        .kind = TACHO_FAST_REORDER,
        .inputs = &input,
        .input_count = 1,
        .output = {.dtype = dtype, .shape = *shape, .layout = to},
    };
    uint32_t now = (uint32_t)self->task_count;
    TACHO_TRY(tacho_grow(&self->tasks, &self->task_capacity, self->task_count + 1));
    tacho_task *task = &self->tasks[now];
    *task = (tacho_task){.step = step, .input_count = 1, .scratch_piece = TACHO_NONE};
    TACHO_TRY(tacho_task_list(self, 1, &task->first_input));
    self->input_pieces[task->first_input] = piece;
    TACHO_TRY(tacho_fast_prepare(self->fast, &spec, &task->fast));
    if (task->fast == NULL) {
        return tacho_step_fail(self, step, TACHO_CODE_UNSUPPORTED,
                               "oneDNN cannot reorder a tensor");
    }
    self->task_count++;
    tacho_piece_keep(self, piece, now);
    TACHO_TRY(tacho_value_make(self, id, to, now, &task->output_piece));
    if (tacho_fast_scratch_bytes(task->fast) > 0) {
        TACHO_TRY(
            tacho_piece_add(self, tacho_fast_scratch_bytes(task->fast), now, &task->scratch_piece));
    }
    self->counts.reorders++;
    *out_piece = task->output_piece;
    return TACHO_OK;
}

/* Computes a dequantisation that was put off. */
static tacho_status ensure_made(tacho_execution *self, uint32_t root)
{
    if (!self->values[root].is_deferred) {
        return TACHO_OK;
    }
    self->values[root].is_deferred = false;
    self->values[root].state = TACHO_VALUE_NONE;
    self->counts.free--;
    bool is_done;
    TACHO_TRY(tacho_fast_compute(self, self->values[root].producer, &is_done));
    return is_done ? TACHO_OK : tacho_task_add_plain(self, self->values[root].producer);
}

tacho_status tacho_value_ensure_plain(tacho_execution *self, uint32_t id, uint32_t step,
                                      uint32_t *out_piece)
{
    uint32_t root = self->values[id].root;
    TACHO_TRY(ensure_made(self, root));
    *out_piece = self->values[root].piece;
    if (*out_piece != TACHO_NONE) {
        tacho_piece_keep(self, *out_piece, (uint32_t)self->task_count);
        return TACHO_OK;
    }
    if (self->values[root].copies == TACHO_NONE) {
        return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA, "a tensor has no memory");
    }
    tacho_copy copy = self->copies[self->values[root].copies];
    return add_reorder(self, root, copy.piece, copy.layout, plain_layout(self, root), step,
                       out_piece);
}

tacho_status tacho_value_ensure_layout(tacho_execution *self, uint32_t id,
                                       const tacho_layout *layout, uint32_t step,
                                       uint32_t *out_piece)
{
    const tacho_layout *plain = plain_layout(self, id);
    TACHO_TRY(ensure_made(self, self->values[id].root));
    if (layout == plain) {
        return tacho_value_ensure_plain(self, id, step, out_piece);
    }
    uint32_t copy = find_copy(self, id, layout);
    if (copy != TACHO_NONE) {
        *out_piece = self->copies[copy].piece;
        tacho_piece_keep(self, *out_piece, (uint32_t)self->task_count);
        return TACHO_OK;
    }
    bool is_root = self->values[id].root == id;
    if (is_root && self->values[id].piece == TACHO_NONE && self->values[id].copies != TACHO_NONE) {
        tacho_copy from = self->copies[self->values[id].copies];
        return add_reorder(self, id, from.piece, from.layout, layout, step, out_piece);
    }
    uint32_t from;
    TACHO_TRY(tacho_value_ensure_plain(self, id, step, &from));
    return add_reorder(self, id, from, plain, layout, step, out_piece);
}

uint32_t tacho_value_whole(const tacho_execution *self, uint32_t id)
{
    uint32_t root = self->values[id].root;
    bool is_same = self->values[id].dtype == self->values[root].dtype &&
                   tacho_shape_equal(self->values[id].shape, self->values[root].shape);
    return is_same ? root : id;
}

const tacho_layout *tacho_value_layout(tacho_execution *self, uint32_t id)
{
    const tacho_value *value = &self->values[id];
    return value->copies != TACHO_NONE && !value->is_odd ? self->copies[value->copies].layout
                                                         : plain_layout(self, id);
}
