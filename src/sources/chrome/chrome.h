/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome Trace Event JSON: what PyTorch (Kineto), ONNX Runtime, TensorFlow and many others write,
 * and tacho itself.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_H
#define TACHO_SOURCES_CHROME_CHROME_H

#include "sources/source.h"

extern const tacho_source tacho_source_chrome;

#endif
