/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions of any layout as products of matrices: for each image and group, the filters times
 * a matrix that has a column for each place of the window, filled tile by tile and never whole.
 * Sums run over channels, then over the window's dimensions, the outermost first.
 */
#ifndef TACHO_KERNELS_CONVOLVE_H
#define TACHO_KERNELS_CONVOLVE_H

#include "kernels/window.h"

/* Elements to the next index of each kind. */
typedef struct tacho_conv_steps {
    int64_t image, group, channel;
    int64_t spatial[TACHO_SPATIAL_MAX];
} tacho_conv_steps;

typedef struct tacho_convolution {
    const tacho_array *data, *filters;
    double data_zero;                /* zero point: taken off, padding is real zero */
    const tacho_array *filter_zeros; /* NULL, one, or one for each output channel */
    tacho_window window;
    int64_t images, groups;
    int64_t in_channels, out_channels; /* of one group */
    tacho_conv_steps data_steps;
    tacho_conv_steps filter_steps; /* |image|: to the next output channel of the group */
    /* Takes |count| results of output channel |channel| (of all groups), from place |place|. */
    void (*emit)(const struct tacho_convolution *self, int64_t image, int64_t channel,
                 int64_t place, int64_t count, double *values);
    const void *user;
} tacho_convolution;

tacho_status tacho_convolve(const tacho_convolution *convolution) TACHO_MUST_USE;

#endif
