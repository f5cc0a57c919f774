/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 'tacho convert ... -o DIR/': a data set instead of a trace.
 */
#ifndef TACHO_API_REQUESTS_CONVERT_DATASET_H
#define TACHO_API_REQUESTS_CONVERT_DATASET_H

#include "api/requests/options.h"
#include "pipeline/conversion.h"

/* Whether |path| asks for one. */
bool tacho_convert_is_dataset(const char *path);

/* Whether all options go with it; says which one does not. */
bool tacho_convert_check_dataset(tacho_request *given);

/* Writes it; returns the exit code. */
int tacho_convert_dataset(tacho_request *given, const tacho_conversion *conversion);

#endif
