/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of MLIR bytecode. Laws: what is accepted is sound, and reading it again
 * gives the same counts.
 */
#include "codec/mlir_bytecode.h"
#include "codec/mlir_module_testing.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_mlir_module modules[2];
    tacho_status statuses[2];
    for (int i = 0; i < 2; i++) {
        require(tacho_mlir_module_init(&modules[i]) == TACHO_OK);
        statuses[i] = tacho_mlir_bytecode_read("fuzz", bytes, &modules[i]);
    }
    require((statuses[0] == TACHO_OK) == (statuses[1] == TACHO_OK));
    if (statuses[0] == TACHO_OK) {
        require(tacho_mlir_module_is_sound(&modules[0]));
        require(modules[0].op_count == modules[1].op_count);
        require(modules[0].attr_count == modules[1].attr_count);
        require(modules[0].undecoded_count == modules[1].undecoded_count);
    } else {
        require(strcmp(tacho_status_message(statuses[0]), tacho_status_message(statuses[1])) == 0);
    }
    for (int i = 0; i < 2; i++) {
        tacho_status_free(statuses[i]);
        tacho_mlir_module_deinit(&modules[i]);
    }
    return 0;
}
