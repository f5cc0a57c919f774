/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of .npy files.
 *
 * Laws: the elements lie in the file; what reads, written again, reads as the same elements.
 */
#include "codec/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_again(const tacho_array *array, size_t bytes)
{
    tacho_output output;
    require(tacho_output_open("/dev/null", &output) == TACHO_OK);
    require(tacho_npy_write(array, &output) == TACHO_OK);
    require(tacho_output_offset(&output) % 64 == bytes % 64);
    tacho_output_close(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_npy npy;
    tacho_status status = tacho_npy_parse("fuzz.npy", bytes, &npy);
    if (status == TACHO_OK) {
        require(npy.data.data + npy.data.len == bytes.data + bytes.len);
        require(npy.element_count * tacho_dtype_element_bytes(npy.dtype) == npy.data.len);
        void *copy = malloc(npy.data.len + 1);
        require(copy != NULL);
        tacho_npy_copy(&npy, copy);
        check_again(&(tacho_array){npy.dtype, npy.shape, copy}, npy.data.len);
        free(copy);
    }
    tacho_status_free(status);
    return 0;
}
