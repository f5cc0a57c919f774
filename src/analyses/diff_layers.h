/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers: the place of an operator in the model, as the names of different tools say it.
 *
 *     ONNX exports         /layer1/layer1.0/conv1/Conv     the last part is the operator
 *     ONNX Runtime         /layer1/layer1.0/conv1/Conv_kernel_time
 *     modules of PyTorch   layer1.0.conv1
 *
 * all mean layer1.0.conv1.
 */
#ifndef TACHO_ANALYSES_DIFF_LAYERS_H
#define TACHO_ANALYSES_DIFF_LAYERS_H

#include "base/arena.h"

/* The layer that |text|, a name or location, says; empty where it says none. Lies in |arena|. */
tacho_status tacho_diff_layer_of(tacho_str text, tacho_arena *arena,
                                 tacho_str *out_layer) TACHO_MUST_USE;

#endif
