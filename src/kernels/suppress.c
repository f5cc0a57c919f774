/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NonMaxSuppression: of each class of each picture the boxes with the best scores, without those
 * that overlap one that was taken. Boxes are compared in single precision, as ONNX Runtime does, so
 * that the same are taken. How many there are is known only when it runs.
 */
#include "base/arena.h"
#include "kernels/call.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SIDES = 4, FOUND = 3 };

/* A box that may be taken. */
typedef struct candidate {
    float score;
    int64_t box;
} candidate;

/* Two corners. */
typedef struct area {
    float low[2], high[2], size;
} area;

typedef struct suppression {
    const tacho_array *boxes, *scores;
    int64_t pictures, classes, box_count;
    int64_t most; /* boxes of a class */
    float overlap;
    float least; /* scores are above it */
    bool has_least, is_centred;
    candidate *candidates; /* of a class, by score */
    area *areas;           /* of a picture, by box */
    int64_t *taken;        /* boxes of a class */
    tacho_array *output;   /* NULL: they are counted */
    int64_t found;
} suppression;

/* ---- parameters ---------------------------------------------------------------------------- */

static bool is_one(const tacho_array *array)
{
    return array != NULL && tacho_array_elements(array) == 1;
}

static tacho_status read_call(const tacho_kernel_call *call, suppression *out)
{
    const tacho_array *boxes = call->inputs[0], *scores = call->inputs[1];
    const tacho_array *most = tacho_call_input(call, 2), *overlap = tacho_call_input(call, 3);
    const tacho_array *least = tacho_call_input(call, 4);
    *out = (suppression){.boxes = boxes,
                         .scores = scores,
                         .is_centred = tacho_call_int(call, "center_point_box", 0) != 0};
    if (boxes->dtype != TACHO_DTYPE_F32 || scores->dtype != TACHO_DTYPE_F32) {
        return tacho_unsupported_type("NonMaxSuppression", boxes->dtype);
    }
    if (boxes->shape.rank != 3 || scores->shape.rank != 3 || boxes->shape.dims[2] != SIDES ||
        boxes->shape.dims[0] != scores->shape.dims[0] ||
        boxes->shape.dims[1] != scores->shape.dims[2] || (most != NULL && !is_one(most)) ||
        (overlap != NULL && !is_one(overlap)) || (least != NULL && !is_one(least))) {
        return tacho_wrong_shapes("NonMaxSuppression");
    }
    if ((most != NULL && !tacho_is_int(most)) || (overlap != NULL && !tacho_is_real(overlap)) ||
        (least != NULL && !tacho_is_real(least))) {
        return tacho_wrong_shapes("NonMaxSuppression");
    }
    out->pictures = scores->shape.dims[0];
    out->classes = scores->shape.dims[1];
    out->box_count = scores->shape.dims[2];
    out->most = most == NULL ? 0 : tacho_clamp_int(tacho_int_at(most, 0), 0, out->box_count);
    out->overlap = overlap == NULL ? 0 : (float)tacho_real_at(overlap, 0);
    out->least = least == NULL ? 0 : (float)tacho_real_at(least, 0);
    out->has_least = least != NULL;
    if (!(out->overlap >= 0 && out->overlap <= 1)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "iou_threshold is %g, expected 0 to 1",
                          (double)out->overlap);
    }
    return TACHO_OK;
}

/* ---- boxes --------------------------------------------------------------------------------- */

static area area_at(const suppression *self, int64_t box)
{
    const float *sides = (const float *)self->boxes->data + box * SIDES;
    area made;
    for (int i = 0; i < 2; i++) {
        float a = sides[i], b = sides[i + 2];
        if (self->is_centred) {
            made.low[i] = a - b / 2;
            made.high[i] = a + b / 2;
        } else {
            made.low[i] = a < b ? a : b;
            made.high[i] = a < b ? b : a;
        }
    }
    made.size = (made.high[0] - made.low[0]) * (made.high[1] - made.low[1]);
    return made;
}

static bool overlaps(const suppression *self, const area *a, const area *b)
{
    float common = 1;
    for (int i = 0; i < 2; i++) {
        float low = a->low[i] > b->low[i] ? a->low[i] : b->low[i];
        float high = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
        if (!(high > low)) {
            return false;
        }
        common *= high - low;
    }
    float both = a->size + b->size - common;
    return a->size > 0 && b->size > 0 && both > 0 && common / both > self->overlap;
}

/* The best first, of equal ones that with the lower number. Scores are numbers. */
static int by_score(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->score != b->score) {
        return a->score > b->score ? -1 : 1;
    }
    return a->box < b->box ? -1 : a->box > b->box;
}

static int64_t find_candidates(const suppression *self, int64_t picture, int64_t class)
{
    const float *scores =
        (const float *)self->scores->data + (picture * self->classes + class) * self->box_count;
    int64_t count = 0;
    for (int64_t i = 0; i < self->box_count; i++) {
        bool is_above = !self->has_least || scores[i] > self->least;
        if (is_above && scores[i] == scores[i]) { /* not a NaN */
            self->candidates[count++] = (candidate){scores[i], i};
        }
    }
    qsort(self->candidates, (size_t)count, sizeof(*self->candidates), by_score);
    return count;
}

/* ---- the walk ------------------------------------------------------------------------------ */

/* Takes a box; false when the output has no room for it. */
static bool add_found(suppression *self, int64_t picture, int64_t class, int64_t box)
{
    const int64_t row[FOUND] = {picture, class, box};
    if (self->output != NULL && self->found >= self->output->shape.dims[0]) {
        return false;
    }
    for (int i = 0; self->output != NULL && i < FOUND; i++) {
        tacho_set_int(self->output, self->found * FOUND + i, row[i]);
    }
    self->found++;
    return true;
}

static tacho_status search_class(suppression *self, int64_t picture, int64_t class)
{
    int64_t count = find_candidates(self, picture, class), taken = 0;
    for (int64_t i = 0; i < count && taken < self->most; i++) {
        int64_t box = self->candidates[i].box;
        bool is_free = true;
        for (int64_t j = 0; j < taken && is_free; j++) {
            is_free = !overlaps(self, &self->areas[box], &self->areas[self->taken[j]]);
        }
        if (!is_free) {
            continue;
        }
        if (!add_found(self, picture, class, box)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "it finds more boxes than the %" PRId64 " that there is room for",
                              self->output->shape.dims[0]);
        }
        self->taken[taken++] = box;
    }
    return TACHO_OK;
}

static tacho_status search_pictures(suppression *self)
{
    for (int64_t i = 0; i < self->pictures; i++) {
        for (int64_t j = 0; j < self->box_count; j++) {
            self->areas[j] = area_at(self, i * self->box_count + j);
        }
        for (int64_t j = 0; j < self->classes; j++) {
            TACHO_TRY(search_class(self, i, j));
        }
    }
    return TACHO_OK;
}

static tacho_status search(suppression *self)
{
    tacho_arena arena;
    void *memory[3] = {NULL};
    const size_t sizes[3] = {sizeof(candidate), sizeof(area), sizeof(int64_t)};
    tacho_arena_init(&arena);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < 3 && status == TACHO_OK; i++) {
        status = tacho_arena_alloc(&arena, (size_t)self->box_count * sizes[i], &memory[i]);
    }
    self->candidates = memory[0];
    self->areas = memory[1];
    self->taken = memory[2];
    if (status == TACHO_OK && self->most > 0) {
        status = search_pictures(self);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_count_non_max_suppression(const tacho_kernel_call *call)
{
    suppression self;
    TACHO_TRY(read_call(call, &self));
    TACHO_TRY(search(&self));
    call->outputs[0].dtype = TACHO_DTYPE_I64;
    call->outputs[0].shape = (tacho_shape){.rank = 2, .dims = {self.found, FOUND}};
    return TACHO_OK;
}

static tacho_status compute_non_max_suppression(const tacho_kernel_call *call)
{
    suppression self;
    tacho_array *output = &call->outputs[0];
    TACHO_TRY(read_call(call, &self));
    if (output->dtype != TACHO_DTYPE_I64 || output->shape.rank != 2 ||
        output->shape.dims[1] != FOUND) {
        return tacho_wrong_shapes("NonMaxSuppression");
    }
    self.output = output;
    TACHO_TRY(search(&self));
    if (self.found != output->shape.dims[0]) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "it finds %" PRId64 " boxes, the model is compiled for %" PRId64,
                          self.found, output->shape.dims[0]);
    }
    return TACHO_OK;
}

const tacho_kernel tacho_suppress_kernels[] = {
    {"NonMaxSuppression", TACHO_KERNEL_HEAVY, compute_non_max_suppression},
    {0},
};
