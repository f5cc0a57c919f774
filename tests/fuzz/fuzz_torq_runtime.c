/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Torq job times with whole files.
 */
#include "torq_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_source(&tacho_source_torq_runtime, data, size);
    return 0;
}
