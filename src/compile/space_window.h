/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of convolutions and pools: the data that a position of the result reads, along one
 * dimension.
 */
#ifndef TACHO_COMPILE_SPACE_WINDOW_H
#define TACHO_COMPILE_SPACE_WINDOW_H

#include "compile/space.h"

typedef struct tacho_window {
    uint32_t index, count; /* of the spatial dimensions */
    int64_t in, out;       /* their positions */
    int64_t size;          /* of the window */
} tacho_window;

/* By strides, dilations and padding of the root; its axis is still to be set. */
tacho_reach tacho_window_reach(const tacho_space_maker *maker, const tacho_window *window);

/* The same for a deconvolution, whose data is spread. */
tacho_reach tacho_window_back(const tacho_space_maker *maker, const tacho_window *window);

/*
 * The same for an element of a resampled dimension, for any mode but one with regions: its taps in
 * the data, and one element more on both sides for what modes differ in. |taps| is how far it
 * reaches where it is not shrunk.
 */
tacho_reach tacho_window_resampled(int64_t in, int64_t out, int64_t taps);

#endif
