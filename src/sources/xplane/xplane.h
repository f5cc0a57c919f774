/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of XPlane files (*.xplane.pb), which JAX, TensorFlow and PyTorch/XLA record on TPUs,
 * GPUs and processors.
 */
#ifndef TACHO_SOURCES_XPLANE_XPLANE_H
#define TACHO_SOURCES_XPLANE_XPLANE_H

#include "sources/source.h"

extern const tacho_source tacho_source_xplane;

#endif
