/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeformConv: a convolution whose window has each of its elements moved by an offset, and weighted
 * by a mask, of its own. Between elements of the picture values are interpolated from the four
 * around; outside there are zeros.
 *
 * The elements under the window at some places become columns, which are multiplied by the filters:
 * in double, over channels, then over the window; by the quick kernel in f32
 * (kernels/real_product.h).
 */
#include "kernels/product.h"
#include "kernels/quick.h"
#include "kernels/real_product.h"
#include "kernels/window.h"

#include <math.h>

typedef struct deform {
    const tacho_array *data, *filters, *offsets, *bias, *mask;
    tacho_window window;
    int64_t batch, inputs, outputs;
    int64_t groups, offset_groups;
    int64_t taps, places; /* elements of the window, and of a picture that is made */
    int64_t each, made;   /* channels of a group that are read, and that are made */
    int64_t chunk;        /* places that columns are made of at a time */
    const float *reals;   /* the data, where they are f32 */
} deform;

enum { PLACES_MAX = 1024, COLUMNS_MAX = 1 << 22 }; /* places at a time, and elements of theirs */

/* The four elements around a place, within a plane, and their weights; none is beyond it. */
typedef struct corners {
    int64_t at[4];
    double weights[4];
    double mask;
} corners;

static bool has_dims(const tacho_array *array, int64_t a, int64_t b, const int64_t *out)
{
    const tacho_shape *shape = &array->shape;
    return shape->rank == 4 && shape->dims[0] == a && shape->dims[1] == b &&
           shape->dims[2] == out[0] && shape->dims[3] == out[1];
}

static bool is_fit(const tacho_kernel_call *call, deform *self)
{
    const tacho_shape *in = &self->data->shape, *by = &self->filters->shape;
    const tacho_shape *made = &call->outputs[0].shape;
    if (in->rank != 4 || by->rank != 4 || made->rank != 4 ||
        !tacho_window_read(call, in, made, by->dims + 2, &self->window)) {
        return false;
    }
    self->batch = in->dims[0];
    self->inputs = in->dims[1];
    self->outputs = by->dims[0];
    self->groups = tacho_call_int(call, "group", 1);
    self->offset_groups = tacho_call_int(call, "offset_group", 1);
    self->taps = by->dims[2] * by->dims[3];
    self->places = made->dims[2] * made->dims[3];
    int64_t moved;
    bool fits = self->groups >= 1 && self->offset_groups >= 1 && self->inputs % self->groups == 0 &&
                self->inputs % self->offset_groups == 0 &&
                by->dims[1] == self->inputs / self->groups && self->outputs % self->groups == 0 &&
                made->dims[0] == self->batch && made->dims[1] == self->outputs &&
                !__builtin_mul_overflow(self->offset_groups, 2 * self->taps, &moved);
    return fits && has_dims(self->offsets, self->batch, moved, made->dims + 2) &&
           (self->mask == NULL || has_dims(self->mask, self->batch, moved / 2, made->dims + 2)) &&
           (self->bias == NULL ||
            (self->bias->shape.rank == 1 && self->bias->shape.dims[0] == self->outputs));
}

static tacho_status read_deform(const tacho_kernel_call *call, deform *out)
{
    *out = (deform){.data = call->inputs[0],
                    .filters = call->inputs[1],
                    .offsets = call->inputs[2],
                    .bias = tacho_call_input(call, 3),
                    .mask = tacho_call_input(call, 4)};
    const tacho_array *all[] = {out->data, out->filters, out->offsets, out->bias, out->mask};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i] != NULL && (!tacho_is_real(all[i]) || all[i]->dtype != out->data->dtype)) {
            return tacho_unsupported_type("a deformed convolution", all[i]->dtype);
        }
    }
    if (call->outputs[0].dtype != out->data->dtype) {
        return tacho_unsupported_type("a deformed convolution", call->outputs[0].dtype);
    }
    if (!is_fit(call, out)) {
        return tacho_wrong_shapes("a deformed convolution");
    }
    out->each = out->inputs / out->groups;
    out->made = out->outputs / out->groups;
    int64_t rows = out->inputs * out->taps; /* no more than the filters have elements */
    out->chunk = tacho_clamp_int(COLUMNS_MAX / (rows > 0 ? rows : 1), 1, PLACES_MAX);
    out->reals = out->data->dtype == TACHO_DTYPE_F32 ? out->data->data : NULL;
    return TACHO_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

static corners corners_of(const deform *self, double y, double x)
{
    int64_t height = self->window.in[0], width = self->window.in[1];
    corners found = {{0}, {0}, 1};
    if (!(y > -1 && y < (double)height && x > -1 && x < (double)width)) {
        return found;
    }
    double top = floor(y), left = floor(x);
    for (int i = 0; i < 4; i++) {
        double at_y = top + i / 2, at_x = left + i % 2;
        if (at_y >= 0 && at_y < (double)height && at_x >= 0 && at_x < (double)width) {
            found.at[i] = (int64_t)at_y * width + (int64_t)at_x; /* in range */
            found.weights[i] = (1 - fabs(y - at_y)) * (1 - fabs(x - at_x));
        }
    }
    return found;
}

/* Position of element |tap| of the window at |place|, for channels of a group of offsets. */
static corners find_corners(const deform *self, int64_t group, int64_t tap, int64_t place)
{
    const tacho_window *window = &self->window;
    int64_t row = group * self->taps + tap;
    double shift_y = tacho_real_at(self->offsets, row * 2 * self->places + place);
    double shift_x = tacho_real_at(self->offsets, (row * 2 + 1) * self->places + place);
    int64_t y = place / window->out[1] * window->strides[0] - window->begins[0] +
                tap / window->kernel[1] * window->dilations[0];
    int64_t x = place % window->out[1] * window->strides[1] - window->begins[1] +
                tap % window->kernel[1] * window->dilations[1];
    corners found = corners_of(self, (double)y + shift_y, (double)x + shift_x);
    found.mask = self->mask == NULL ? 1 : tacho_real_at(self->mask, row * self->places + place);
    return found;
}

/* The weighted sum of the corners in the plane of a channel. */
static double value_at(const deform *self, int64_t base, const corners *found)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        int64_t at = base + found->at[i];
        if (found->weights[i] != 0) {
            sum += found->weights[i] *
                   (self->reals != NULL ? (double)self->reals[at] : tacho_real_at(self->data, at));
        }
    }
    return found->mask * sum;
}

/* |count| places from |first| on, of all channels of a picture: channels x taps x places. */
static void fill_columns(const deform *self, int64_t picture, int64_t first, int64_t count,
                         double *columns)
{
    int64_t size = self->window.in[0] * self->window.in[1];
    int64_t sharing = self->inputs / self->offset_groups;
    for (int64_t row = 0; row < self->offset_groups * self->taps; row++) {
        int64_t group = row / self->taps, tap = row % self->taps;
        for (int64_t i = 0; i < count; i++) {
            corners found =
                find_corners(self, picture * self->offset_groups + group, tap, first + i);
            for (int64_t j = 0; j < sharing; j++) {
                int64_t channel = group * sharing + j;
                int64_t base = (picture * self->inputs + channel) * size;
                columns[(channel * self->taps + tap) * count + i] = value_at(self, base, &found);
            }
        }
    }
}

/* ---- products ------------------------------------------------------------------------------ */

/* Memory of a run: columns and sums in double, or in f32 where that is quick. */
typedef struct room {
    double *columns, *filter, *sums;
    float *real_columns, *packed, *real_sums, *scratch;
    int64_t *ones, *column_rows, *filter_rows, *sum_rows; /* offsets of elements of matrices */
    tacho_vector_set set;
} room;

static tacho_status alloc(tacho_arena *arena, int64_t rows, int64_t columns, size_t size,
                          void **out_memory)
{
    size_t count;
    if (__builtin_mul_overflow(rows, columns, &count) ||
        __builtin_mul_overflow(count, size, &count)) {
        return tacho_no_memory();
    }
    return tacho_arena_alloc(arena, count + 1, out_memory);
}

static tacho_status make_quick_room(const deform *self, tacho_arena *arena, room *out)
{
    int64_t depth = self->each * self->taps, most = depth > self->chunk ? depth : self->chunk;
    int64_t packed = tacho_real_packed_count(out->set, 1, self->chunk);
    const struct {
        int64_t rows, columns;
        size_t size;
    } parts[] = {{depth, self->chunk, sizeof(float)},
                 {packed, depth, sizeof(float)},
                 {self->made, self->chunk, sizeof(float)},
                 {tacho_real_scratch_count(out->set, depth), 1, sizeof(float)},
                 {most, 1, sizeof(int64_t)},
                 {depth, 1, sizeof(int64_t)},
                 {self->made, 1, sizeof(int64_t)},
                 {self->made, 1, sizeof(int64_t)}};
    void *memory[sizeof(parts) / sizeof(parts[0])];
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        TACHO_TRY(alloc(arena, parts[i].rows, parts[i].columns, parts[i].size, &memory[i]));
    }
    out->real_columns = memory[0];
    out->packed = memory[1];
    out->real_sums = memory[2];
    out->scratch = memory[3];
    out->ones = memory[4];
    out->column_rows = memory[5];
    out->filter_rows = memory[6];
    out->sum_rows = memory[7];
    for (int64_t i = 0; i < most; i++) {
        out->ones[i] = i;
    }
    return TACHO_OK;
}

static tacho_status make_room(const deform *self, bool is_quick, tacho_arena *arena, room *out)
{
    int64_t depth = self->each * self->taps;
    *out = (room){.set = tacho_vector_best()};
    TACHO_TRY(tacho_scratch_reals(arena, self->inputs * self->taps, self->chunk, &out->columns));
    TACHO_TRY(tacho_scratch_reals(arena, 1, depth, &out->filter));
    TACHO_TRY(tacho_scratch_reals(arena, 1, self->chunk, &out->sums));
    return is_quick ? make_quick_room(self, arena, out) : TACHO_OK;
}

/* The sums of one filter at |count| places, each over the elements of the filter in order. */
static void sum_filter(const deform *self, const room *with, int64_t filter, int64_t count)
{
    int64_t depth = self->each * self->taps;
    const double *columns = with->columns + filter / self->made * depth * count;
    tacho_read_reals(self->filters, filter * depth, 1, (size_t)depth, with->filter);
    for (int64_t i = 0; i < count; i++) {
        with->sums[i] = self->bias == NULL ? 0 : tacho_real_at(self->bias, filter);
    }
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t i = 0; i < count; i++) {
            with->sums[i] += with->filter[k] * columns[k * count + i];
        }
    }
}

static void fill_places(int64_t *places, int64_t count, int64_t step)
{
    for (int64_t i = 0; i < count; i++) {
        places[i] = i * step;
    }
}

/* The same of all filters of a group, in f32 and without biases. */
static void multiply_group(const deform *self, const room *with, int64_t group, int64_t count)
{
    int64_t depth = self->each * self->taps;
    const double *columns = with->columns + group * depth * count;
    for (int64_t i = 0; i < depth * count; i++) {
        with->real_columns[i] = (float)columns[i];
    }
    fill_places(with->column_rows, depth, count);
    fill_places(with->filter_rows, self->made, depth);
    fill_places(with->sum_rows, self->made, count);
    tacho_real_sizes sizes = {self->made, depth, count};
    float *filters = (float *)self->filters->data + group * self->made * depth;
    tacho_real_matrix left = {filters, with->filter_rows, with->ones};
    tacho_real_matrix right = {with->real_columns, with->column_rows, with->ones};
    tacho_real_matrix out = {with->real_sums, with->sum_rows, with->ones};
    tacho_real_pack(with->set, &right, 0, count, depth, with->packed);
    tacho_real_multiply(with->set, &sizes, &left, with->packed, 0, &out, with->scratch);
}

/* |count| places from |first| on, of one picture. */
static void run_places(const deform *self, const room *with, int64_t picture, int64_t first,
                       int64_t count, tacho_array *output)
{
    fill_columns(self, picture, first, count, with->columns);
    for (int64_t filter = 0; filter < self->outputs; filter++) {
        int64_t at = (picture * self->outputs + filter) * self->places + first;
        bool is_quick = with->packed != NULL;
        if (is_quick && filter % self->made == 0) {
            multiply_group(self, with, filter / self->made, count);
        }
        if (!is_quick) {
            sum_filter(self, with, filter, count);
        }
        for (int64_t i = 0; is_quick && i < count; i++) {
            double bias = self->bias == NULL ? 0 : tacho_real_at(self->bias, filter);
            with->sums[i] = bias + (double)with->real_sums[filter % self->made * count + i];
        }
        tacho_write_reals(output, at, (size_t)count, with->sums);
    }
}

static tacho_status compute(const tacho_kernel_call *call, bool is_quick)
{
    deform self;
    room with;
    tacho_arena arena;
    TACHO_TRY(read_deform(call, &self));
    tacho_arena_init(&arena);
    tacho_status status = make_room(&self, is_quick, &arena, &with);
    for (int64_t i = 0; status == TACHO_OK && i < self.batch; i++) {
        for (int64_t first = 0; first < self.places; first += self.chunk) {
            int64_t rest = self.places - first;
            run_places(&self, &with, i, first, rest < self.chunk ? rest : self.chunk,
                       &call->outputs[0]);
        }
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status compute_deform_conv(const tacho_kernel_call *call)
{
    return compute(call, false);
}

const tacho_kernel tacho_deform_kernels[] = {
    {"DeformConv", TACHO_KERNEL_HEAVY, compute_deform_conv},
    {0},
};

bool tacho_quick_fits_deform(const tacho_kernel_call *call)
{
    return call->inputs[0]->dtype == TACHO_DTYPE_F32 && call->outputs[0].dtype == TACHO_DTYPE_F32;
}

tacho_status tacho_quick_deform(const tacho_kernel_call *call)
{
    return compute(call, true);
}
