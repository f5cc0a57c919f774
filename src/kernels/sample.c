/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values between the elements of pictures, at places that are values themselves: GridSample,
 * RoiAlign; and AffineGrid, which makes such places.
 */
#include "kernels/call.h"

#include "base/whole.h"

#include <inttypes.h>
#include <math.h>

/* ---- GridSample ---------------------------------------------------------------------------- */

enum { SPACE_MAX = 3, TAPS_MAX = 4 };

typedef enum sampling { NEAREST, LINEAR, CUBIC } sampling;
typedef enum border { ZEROS, CLAMPED, REFLECTED } border;

typedef struct grid_sample {
    const tacho_array *data, *grid;
    sampling how;
    border beyond;
    bool is_aligned; /* -1 and 1 are the middles of the outermost elements, not their edges */
    int32_t space;   /* dimensions of positions */
    int64_t dims[SPACE_MAX];
} grid_sample;

/* The elements that a position is made of along one dimension: where they are, and their weights.
 */
typedef struct taps {
    int count;
    int64_t at[TAPS_MAX]; /* -1: a zero */
    double weights[TAPS_MAX];
} taps;

/* Mirrors at both borders until it is between them. */
static double reflect(double x, double low, double high)
{
    double range = high - low;
    if (!(range > 0) || (x >= low && x <= high)) {
        return range > 0 ? x : low;
    }
    double beyond = x < low ? low - x : x - high;
    double turns = floor(beyond / range), rest = beyond - turns * range;
    bool is_even = fmod(turns, 2) == 0;
    return (x < low) == is_even ? low + rest : high - rest;
}

static double place_of(const grid_sample *self, double x, int64_t dim)
{
    double length = (double)dim;
    double place = self->is_aligned ? (x + 1) / 2 * (length - 1) : ((x + 1) * length - 1) / 2;
    double low = self->is_aligned ? 0 : -0.5, high = length - (self->is_aligned ? 1 : 0.5);
    place = (double)(float)place;
    place = self->how == NEAREST ? rint(place) : place;
    if (!isfinite(place)) {
        return self->beyond == ZEROS ? -10 : 0;
    }
    if (place >= low && place <= high) {
        return place;
    }
    return self->beyond == CLAMPED     ? (place < 0 ? 0 : length - 1)
           : self->beyond == REFLECTED ? reflect(place, low, high)
                                       : place;
}

/* The element at a whole place, by the rule for places beyond the borders. */
static int64_t element_at(const grid_sample *self, double place, int64_t dim)
{
    double last = (double)dim - 1;
    if (self->beyond == REFLECTED) {
        place = trunc(
            reflect(place, self->is_aligned ? 0 : -0.5, self->is_aligned ? last : last + 0.5));
    }
    if (self->beyond == ZEROS && (place < 0 || place > last)) {
        return -1;
    }
    return place <= 0 ? 0 : place >= last ? dim - 1 : tacho_whole_i64(place);
}

/* Keys' cubic with -0.75: weights of elements -1, 0, 1 and 2, from the one before the place. */
static void fill_cubic(double x, double weights[TAPS_MAX])
{
    static const double a = -0.75;
    double far = x + 1, near = 1 - x, beyond = 2 - x;
    weights[0] = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a;
    weights[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    weights[2] = ((a + 2) * near - (a + 3)) * near * near + 1;
    weights[3] = ((a * beyond - 5 * a) * beyond + 8 * a) * beyond - 4 * a;
}

static taps taps_of(const grid_sample *self, double x, int64_t dim)
{
    double place = place_of(self, x, dim), first = floor(place), rest = place - first;
    taps made = {.count = self->how == CUBIC ? 4 : self->how == LINEAR ? 2 : 1};
    if (self->how == CUBIC) {
        fill_cubic(rest, made.weights);
        first -= 1;
    } else {
        made.weights[0] = self->how == LINEAR ? 1 - rest : 1;
        made.weights[1] = rest;
    }
    for (int i = 0; i < made.count; i++) {
        made.at[i] = element_at(self, first + i, dim);
    }
    return made;
}

/* The sum over all combinations of taps, of the channel that starts at |base|. */
static double sum_taps(const grid_sample *self, const taps *all, int64_t base)
{
    int total = 1;
    double sum = 0;
    for (int32_t i = 0; i < self->space; i++) {
        total *= all[i].count;
    }
    for (int which = 0; which < total; which++) {
        int rest = which;
        int64_t at = 0;
        double weight = 1;
        bool is_inside = true;
        for (int32_t i = 0; i < self->space; i++) {
            int tap = rest % all[i].count;
            rest /= all[i].count;
            is_inside = is_inside && all[i].at[tap] >= 0;
            at = at * self->dims[i] + (all[i].at[tap] >= 0 ? all[i].at[tap] : 0);
            weight *= all[i].weights[tap];
        }
        sum += is_inside ? weight * tacho_real_at(self->data, base + at) : 0;
    }
    return sum;
}

static tacho_status read_grid_sample(const tacho_kernel_call *call, grid_sample *out)
{
    const tacho_array *data = call->inputs[0], *grid = call->inputs[1];
    const tacho_shape *shape = &data->shape, *places = &grid->shape;
    bool is_cubic = tacho_call_is(call, "mode", "cubic") || tacho_call_is(call, "mode", "bicubic");
    *out = (grid_sample){.data = data,
                         .grid = grid,
                         .how = is_cubic                                 ? CUBIC
                                : tacho_call_is(call, "mode", "nearest") ? NEAREST
                                                                         : LINEAR,
                         .beyond = tacho_call_is(call, "padding_mode", "border")       ? CLAMPED
                                   : tacho_call_is(call, "padding_mode", "reflection") ? REFLECTED
                                                                                       : ZEROS,
                         .is_aligned = tacho_call_int(call, "align_corners", 0) != 0,
                         .space = shape->rank - 2};
    if (!tacho_is_real(data) || !tacho_is_real(grid) || call->outputs[0].dtype != data->dtype) {
        return tacho_unsupported_type("a sampled picture", data->dtype);
    }
    bool is_fit = out->space >= 1 && out->space <= SPACE_MAX && places->rank == shape->rank &&
                  places->dims[0] == shape->dims[0] && places->dims[places->rank - 1] == out->space;
    for (int32_t i = 0; is_fit && i < out->space; i++) {
        out->dims[i] = shape->dims[i + 2];
        is_fit = out->dims[i] > 0 || tacho_array_elements(&call->outputs[0]) == 0;
    }
    return is_fit ? TACHO_OK : tacho_wrong_shapes("a grid");
}

static tacho_status compute_grid_sample(const tacho_kernel_call *call)
{
    grid_sample self;
    TACHO_TRY(read_grid_sample(call, &self));
    tacho_array *output = &call->outputs[0];
    int64_t total = tacho_array_elements(output), batch = self.data->shape.dims[0];
    int64_t channels = self.data->shape.dims[1];
    if (total == 0) {
        return TACHO_OK;
    }
    int64_t places = tacho_array_elements(self.grid) / self.space / batch;
    int64_t size = tacho_array_elements(self.data) / batch / channels;
    if (total != batch * channels * places) {
        return tacho_wrong_shapes("a grid");
    }
    for (int64_t i = 0; i < batch * places; i++) {
        taps all[SPACE_MAX];
        for (int32_t j = 0; j < self.space; j++) { /* the last dimension is first */
            all[j] = taps_of(&self, tacho_real_at(self.grid, i * self.space + self.space - 1 - j),
                             self.dims[j]);
        }
        for (int64_t c = 0; c < channels; c++) {
            int64_t plane = i / places * channels + c;
            tacho_set_real(output, plane * places + i % places, sum_taps(&self, all, plane * size));
        }
    }
    return TACHO_OK;
}

/* ---- RoiAlign ------------------------------------------------------------------------------ */

typedef struct roi_align {
    const tacho_array *data, *regions, *pictures;
    int64_t height, width, out_height, out_width;
    int64_t samples; /* along each side of a cell; 0: one for each element it covers */
    double scale, shift;
    bool is_max, is_aligned;
} roi_align;

/* The four elements around a place weighted, or the largest of the four products. */
static double value_at(const roi_align *self, int64_t base, double y, double x)
{
    if (y < -1 || y > (double)self->height || x < -1 || x > (double)self->width) {
        return 0;
    }
    y = y < 0 ? 0 : y;
    x = x < 0 ? 0 : x;
    int64_t top = (int64_t)y, left = (int64_t)x; /* in range */
    int64_t bottom = top + 1, right = left + 1;
    if (top >= self->height - 1) {
        top = bottom = self->height - 1;
        y = (double)top;
    }
    if (left >= self->width - 1) {
        left = right = self->width - 1;
        x = (double)left;
    }
    double dy = y - (double)top, dx = x - (double)left;
    double parts[] = {(1 - dy) * (1 - dx) *
                          tacho_real_at(self->data, base + top * self->width + left),
                      (1 - dy) * dx * tacho_real_at(self->data, base + top * self->width + right),
                      dy * (1 - dx) * tacho_real_at(self->data, base + bottom * self->width + left),
                      dy * dx * tacho_real_at(self->data, base + bottom * self->width + right)};
    double sum = 0, largest = parts[0];
    for (int i = 0; i < 4; i++) {
        sum += parts[i];
        largest = parts[i] > largest ? parts[i] : largest;
    }
    return self->is_max ? largest : sum;
}

/* A region in elements: where a cell starts, how large it is, how many samples it has. */
typedef struct roi_cell {
    double start, size;
    int64_t samples;
} roi_cell;

static tacho_status find_cells(const roi_align *self, int64_t region, bool is_y, roi_cell *out)
{
    enum { SAMPLES_MAX = 1 << 12 };
    double from = tacho_real_at(self->regions, region * 4 + (is_y ? 1 : 0)) * self->scale;
    double to = tacho_real_at(self->regions, region * 4 + (is_y ? 3 : 2)) * self->scale;
    double length = to - from;
    int64_t cells = is_y ? self->out_height : self->out_width;
    length = !self->is_aligned && !(length >= 1) ? 1 : length;
    out->start = from - self->shift;
    out->size = length / (double)cells;
    double wanted = self->samples > 0 ? (double)self->samples : ceil(out->size);
    if (!isfinite(out->start) || !isfinite(out->size) || !(fabs(wanted) <= SAMPLES_MAX)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "region %" PRId64
                          " reaches from %g to %g, which is not a part of a picture",
                          region, from, to);
    }
    out->samples = wanted < 1 ? 0 : tacho_whole_i64(wanted);
    return TACHO_OK;
}

static double pool_cell(const roi_align *self, int64_t base, const roi_cell sides[2],
                        const int64_t cell[2])
{
    double sum = 0, largest = 0;
    int64_t count = sides[0].samples * sides[1].samples;
    for (int64_t i = 0; i < count; i++) {
        int64_t at[] = {i / sides[1].samples, i % sides[1].samples};
        double place[2];
        for (int side = 0; side < 2; side++) {
            place[side] = sides[side].start + (double)cell[side] * sides[side].size +
                          ((double)at[side] + 0.5) * sides[side].size / (double)sides[side].samples;
        }
        double value = value_at(self, base, place[0], place[1]);
        sum += value;
        largest = i == 0 || value > largest ? value : largest;
    }
    return self->is_max ? largest : count > 0 ? sum / (double)count : 0;
}

static tacho_status read_roi_align(const tacho_kernel_call *call, roi_align *out)
{
    const tacho_array *data = call->inputs[0], *regions = call->inputs[1];
    const tacho_shape *made = &call->outputs[0].shape;
    bool is_half =
        tacho_call_is(call, "coordinate_transformation_mode", "half_pixel") ||
        (!tacho_call_before(call, 16) && !tacho_call_has(call, "coordinate_transformation_mode"));
    *out = (roi_align){.data = data,
                       .regions = regions,
                       .pictures = call->inputs[2],
                       .samples = tacho_call_int(call, "sampling_ratio", 0),
                       .scale = tacho_call_real(call, "spatial_scale", 1),
                       .shift = is_half ? 0.5 : 0,
                       .is_aligned = is_half,
                       .is_max = tacho_call_is(call, "mode", "max")};
    if (!tacho_is_real(data) || !tacho_is_real(regions) || !tacho_is_int(out->pictures) ||
        call->outputs[0].dtype != data->dtype) {
        return tacho_unsupported_type("regions of a picture", data->dtype);
    }
    if (data->shape.rank != 4 || made->rank != 4 || regions->shape.rank != 2 ||
        regions->shape.dims[1] != 4 || regions->shape.dims[0] != made->dims[0] ||
        tacho_array_elements(out->pictures) != made->dims[0] ||
        made->dims[1] != data->shape.dims[1]) {
        return tacho_wrong_shapes("regions of a picture");
    }
    out->height = data->shape.dims[2];
    out->width = data->shape.dims[3];
    out->out_height = made->dims[2];
    out->out_width = made->dims[3];
    return TACHO_OK;
}

static tacho_status compute_roi_align(const tacho_kernel_call *call)
{
    roi_align self;
    TACHO_TRY(read_roi_align(call, &self));
    int64_t channels = self.data->shape.dims[1], cells = self.out_height * self.out_width;
    if (tacho_array_elements(&call->outputs[0]) == 0) {
        return TACHO_OK;
    }
    for (int64_t region = 0; region < self.regions->shape.dims[0]; region++) {
        int64_t picture = tacho_int_at(self.pictures, region);
        roi_cell sides[2];
        if (picture < 0 || picture >= self.data->shape.dims[0] || self.height < 1 ||
            self.width < 1) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "region %" PRId64 " is of picture %" PRId64
                              ", expected 0 to %" PRId64,
                              region, picture, self.data->shape.dims[0] - 1);
        }
        TACHO_TRY(find_cells(&self, region, true, &sides[0]));
        TACHO_TRY(find_cells(&self, region, false, &sides[1]));
        for (int64_t i = 0; i < channels * cells; i++) {
            int64_t base = (picture * channels + i / cells) * self.height * self.width;
            int64_t cell[] = {i % cells / self.out_width, i % self.out_width};
            tacho_set_real(&call->outputs[0], region * channels * cells + i,
                           pool_cell(&self, base, sides, cell));
        }
    }
    return TACHO_OK;
}

/* ---- AffineGrid ---------------------------------------------------------------------------- */

/* Element |i| of |count| that go from -1 to 1: by their middles, or by the outermost ones. */
static double grid_place(int64_t i, int64_t count, bool is_aligned)
{
    if (is_aligned) {
        return count > 1 ? -1 + 2.0 * (double)i / (double)(count - 1) : -1;
    }
    return (2.0 * (double)i + 1) / (double)count - 1;
}

/* Each place of a picture times the matrix of it: x, y and z first, then 1. */
static tacho_status compute_affine_grid(const tacho_kernel_call *call)
{
    const tacho_array *theta = call->inputs[0], *size = call->inputs[1];
    const tacho_shape *by = &theta->shape, *made = &call->outputs[0].shape;
    bool is_aligned = tacho_call_int(call, "align_corners", 0) != 0;
    int32_t space = made->rank - 2;
    if (!tacho_is_real(theta) || call->outputs[0].dtype != theta->dtype) {
        return tacho_unsupported_type("a grid", theta->dtype);
    }
    bool fits = space >= 2 && space <= SPACE_MAX && by->rank == 3 && by->dims[0] == made->dims[0] &&
                by->dims[1] == space && by->dims[2] == space + 1 && tacho_is_int(size) &&
                tacho_array_elements(size) == space + 2 && made->dims[made->rank - 1] == space;
    for (int32_t i = 0; fits && i < space; i++) {
        fits = tacho_int_at(size, i + 2) == made->dims[i + 1];
    }
    if (!fits) {
        return tacho_wrong_shapes("a grid");
    }
    int64_t places = tacho_array_elements(&call->outputs[0]) / made->dims[0] / space;
    for (int64_t i = 0; i < made->dims[0] * places; i++) {
        double at[SPACE_MAX + 1];
        int64_t rest = i % places;
        for (int32_t j = 0; j < space; j++) {
            int64_t dim = made->dims[space - j];
            at[j] = grid_place(rest % dim, dim, is_aligned);
            rest /= dim;
        }
        at[space] = 1;
        for (int32_t row = 0; row < space; row++) {
            double sum = 0;
            for (int32_t j = 0; j <= space; j++) {
                sum += tacho_real_at(theta, (i / places * space + row) * (space + 1) + j) * at[j];
            }
            tacho_set_real(&call->outputs[0], i * space + row, sum);
        }
    }
    return TACHO_OK;
}

const tacho_kernel tacho_sample_kernels[] = {
    {"AffineGrid", TACHO_KERNEL_HEAVY, compute_affine_grid},
    {"GridSample", TACHO_KERNEL_HEAVY, compute_grid_sample},
    {"RoiAlign", TACHO_KERNEL_HEAVY, compute_roi_align},
    {0},
};
