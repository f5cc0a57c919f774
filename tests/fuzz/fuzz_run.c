/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes executions with programs from files: an input is POOL_MAX bytes of constants and an image.
 * A mutator of its own changes the tables and writes the image again (run_mutate.h), and begins
 * anew with a call of any kernel now and then, so that all of them are reached from an empty
 * corpus.
 *
 * Law: whatever a program says, it is refused, or runs within its tensors (run_guarded.h).
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "run_guarded.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* ---- the target ---------------------------------------------------------------------------- */

static uint64_t hash_of(const uint8_t *data, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static maker self;
    uint64_t seed = hash_of(data, size);
    if (read_program(&self, data, size)) {
        tacho_kernel_choice choice = seed % 8 == 0 ? TACHO_KERNELS_FAST : TACHO_KERNELS_REFERENCE;
        tacho_status status = run(&self.program, choice, seed / 8);
        if (getenv("FUZZ_DESCRIBE") != NULL) {
            fprintf(stderr, "%s\n", status == TACHO_OK ? "ran" : tacho_status_message(status));
        }
        tacho_status_free(status);
    }
    tacho_program_deinit(&self.program);
    return 0;
}

/* ---- the mutator --------------------------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static maker self;
    size_t made = 0;
    bool is_good = read_program(&self, data, size) && self.program.step_count > 0;
    self.seed = seed;
    if (!is_good || draw(&self, 24) == 0) {
        tacho_program_deinit(&self.program);
        memset(&self, 0, sizeof(self));
        self.seed = seed;
        begin(&self);
        make_any(&self);
    }
    if (is_good && draw(&self, 32) == 0) {
        made = LLVMFuzzerMutate(data, size, max_size); /* also images that are broken */
    } else {
        change(&self);
        made = write_program(&self, data, max_size);
    }
    tacho_program_deinit(&self.program);
    return made > 0 ? made : size;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    check_calls();
    return 0;
}
