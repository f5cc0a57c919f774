/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executing what fuzz_run and soak_run make. Every tensor lies at the end of a stretch of memory of
 * its own: before it is poison, behind it a page that nobody may touch. The stretches are used
 * again, so that an execution costs no calls of the kernel.
 */
#ifndef TACHO_FUZZ_RUN_GUARDED_H
#define TACHO_FUZZ_RUN_GUARDED_H

#include "device/execute.h"
#include "graph/gate.h"
#include "run_mutate.h"

#include <math.h>
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

enum { SLOTS = 192, SLOT_BYTES = 64 << 10, PAGE = 4096, WORK_MAX = 1 << 19 };

/* ---- guarded memory ------------------------------------------------------------------------ */

typedef struct stretches {
    unsigned char *memory; /* of all slots, each with a page behind it */
    size_t used;
} stretches;

static void open_stretches(stretches *self)
{
    void *memory = mmap(NULL, (size_t)SLOTS * (SLOT_BYTES + PAGE), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(memory != MAP_FAILED);
    self->memory = memory;
    for (size_t i = 0; i < SLOTS; i++) {
        unsigned char *end = self->memory + i * (SLOT_BYTES + PAGE) + SLOT_BYTES;
        require(mprotect(end, PAGE, PROT_NONE) == 0);
    }
}

static void *allocate(void *user, uint64_t bytes)
{
    stretches *self = user;
    if (self->used == SLOTS || bytes > SLOT_BYTES) {
        return NULL;
    }
    unsigned char *slot = self->memory + self->used++ * (SLOT_BYTES + PAGE);
    unsigned char *at = slot + SLOT_BYTES - bytes;
    ASAN_POISON_MEMORY_REGION(slot, SLOT_BYTES - bytes);
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    memset(at, 0, bytes);
    return at;
}

/* ---- running ------------------------------------------------------------------------------- */

/* Reals with odd ones among them, integers that may be indices. */
static void fill(tacho_array *array, uint64_t bytes, uint64_t seed)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -0.0f, 3e9f, 1e-40f, 2.5f};
    static const int64_t whole[] = {0, 1, 2,         1, 3,         0, -1, 2,
                                    4, 1, INT64_MAX, 0, INT32_MIN, 5, 1,  2};
    size_t size = tacho_dtype_element_bytes(array->dtype);
    tacho_random_fill(array->dtype, seed, bytes, array->data);
    for (uint64_t i = 0; array->dtype == TACHO_DTYPE_F32 && i < bytes / 4; i++) {
        if ((seed + i) % 11 == 0 && seed % 4 == 0) {
            ((float *)array->data)[i] = odd[(seed / 4 + i) % 8];
        }
    }
    bool is_index = array->dtype == TACHO_DTYPE_I64 || array->dtype == TACHO_DTYPE_I32;
    for (uint64_t i = 0; is_index && seed % 8 > 0 && i < bytes / size; i++) {
        uint64_t most = seed % 8 > 1 ? 6 : 16;
        memcpy((char *)array->data + i * size, &whole[(seed + i * 7) % most], size);
    }
    for (uint64_t i = 0; array->dtype == TACHO_DTYPE_BOOL && i < bytes; i++) {
        ((unsigned char *)array->data)[i] &= 1;
    }
}

static tacho_status set_inputs(const tacho_program *program, tacho_execution *execution,
                               uint64_t seed)
{
    static uint64_t memory[SLOT_BYTES / 8];
    for (size_t i = 0; i < program->input_count; i++) {
        const tacho_program_tensor *tensor = &program->tensors[program->inputs[i]];
        tacho_array array = {(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor),
                             memory};
        uint64_t count, bytes;
        if (!tacho_shape_elements(&array.shape, &count) ||
            !tacho_dtype_bytes(array.dtype, count, &bytes) || bytes > SLOT_BYTES) {
            continue;
        }
        fill(&array, bytes, seed + i);
        TACHO_TRY(tacho_execution_set_input(execution, i, &array));
    }
    return TACHO_OK;
}

/* All bytes of the outputs are there. */
static uint64_t read_outputs(const tacho_program *program, tacho_execution *execution)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < program->output_count; i++) {
        tacho_array array;
        tacho_status status = tacho_execution_output(execution, i, &array);
        uint64_t count = 0, bytes = 0;
        if (status == TACHO_OK && tacho_shape_elements(&array.shape, &count) &&
            tacho_dtype_bytes(array.dtype, count, &bytes)) {
            sum = tacho_bytes_hash(sum,
                                   bytes > 0 ? ((const unsigned char *)array.data)[bytes - 1] : 0);
        }
        tacho_status_free(status);
    }
    return sum;
}

static tacho_status run(const tacho_program *program, tacho_kernel_choice choice, uint64_t seed)
{
    static stretches memory;
    tacho_execution *execution = NULL;
    if (memory.memory == NULL) {
        open_stretches(&memory);
    }
    memory.used = 0;
    tacho_execution_memory guarded = {allocate, &memory};
    tacho_execution_options options = {.choice = choice,
                                       .threads = 1,
                                       .gate = &tacho_infer_gate,
                                       .work_max = WORK_MAX,
                                       .memory = &guarded};
    tacho_status status = tacho_execution_open(program, &options, &execution);
    if (status == TACHO_OK) {
        status = set_inputs(program, execution, seed);
    }
    if (status == TACHO_OK) {
        status = tacho_execution_run(execution);
    }
    if (status == TACHO_OK) {
        (void)read_outputs(program, execution);
    }
    tacho_execution_free(execution);
    return status;
}

/* ---- inputs and calls ---------------------------------------------------------------------- */

static bool read_program(maker *self, const uint8_t *data, size_t size)
{
    memset(self, 0, sizeof(*self));
    begin(self);
    if (size < POOL_MAX) {
        return false;
    }
    memcpy(self->pool, data, POOL_MAX);
    tacho_str image = tacho_str_make((const char *)data + POOL_MAX, size - POOL_MAX);
    tacho_status status = tacho_image_read(image, &self->program);
    bool is_good = status == TACHO_OK;
    tacho_status_free(status);
    return is_good;
}

static size_t write_program(const maker *self, uint8_t *data, size_t max_size)
{
    tacho_bytes bytes = {0};
    size_t size = 0;
    tacho_status status = tacho_image_write(&self->program, &bytes);
    if (status == TACHO_OK && POOL_MAX + bytes.len <= max_size) {
        memcpy(data, self->pool, POOL_MAX);
        memcpy(data + POOL_MAX, bytes.data, bytes.len);
        size = POOL_MAX + bytes.len;
    } else if (getenv("FUZZ_DESCRIBE") != NULL) {
        fprintf(stderr, "not written, %zu bytes: %s\n", bytes.len,
                status == TACHO_OK ? "too large" : tacho_status_message(status));
    }
    tacho_status_free(status);
    tacho_bytes_deinit(&bytes);
    return size;
}

/* A program that begins anew, from a call or a chain. */
static void make_any(maker *self)
{
    append_any(self);
    refit(self);
    finish_program(self);
}

/* A call, or a chain where |call| is NULL. */
typedef struct trial {
    const run_call *call;
    tacho_str type;
    size_t chain;
} trial;

/* Its status, by the kernels of |choice|, where what inference leaves open is a |guess|. */
static tacho_status try_it(const trial *it, tacho_kernel_choice choice, tacho_dtype guess)
{
    static maker self;
    memset(&self, 0, sizeof(self));
    self.guess = guess;
    begin(&self);
    if (it->call != NULL) {
        append_call(&self, it->call, it->type);
    } else {
        append_chain(&self, it->chain);
    }
    refit(&self);
    finish_program(&self);
    tacho_status status = run(&self.program, choice, 2);
    tacho_program_deinit(&self.program);
    return status;
}

/* A call that the gate or a kernel never lets through would leave that kernel alone; one may
 * stumble over the values of its inputs. */
static void check_it(const trial *it)
{
    for (int choice = 0; choice < 2; choice++) {
        tacho_status status = TACHO_OK;
        for (int i = 0; i < GUESSES && (i == 0 || status != TACHO_OK); i++) {
            tacho_status_free(status);
            status =
                try_it(it, choice == 0 ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST, guesses[i]);
        }
        if (status != TACHO_OK &&
            (tacho_status_code(status) != TACHO_CODE_BAD_DATA || getenv("FUZZ_DESCRIBE") != NULL)) {
            fprintf(stderr, "%.*s %s, chain %zu: %s\n", TACHO_STR_ARG(it->type),
                    it->call != NULL ? it->call->inputs : "", it->chain,
                    tacho_status_message(status));
        }
        require(tacho_status_code(status) == TACHO_CODE_OK ||
                tacho_status_code(status) == TACHO_CODE_BAD_DATA);
        tacho_status_free(status);
    }
}

static bool is_called(const char *name)
{
    for (size_t i = 0; i < CALLS; i++) {
        for (uint32_t k = 0; k < count_types(&run_calls[i]); k++) {
            if (tacho_str_equal(pick_type(&run_calls[i], k), tacho_str_from_cstring(name))) {
                return true;
            }
        }
    }
    return false;
}

/* Every kernel has a call, and every call and chain gets through; findings do no harm. */
static void check_calls(void)
{
    for (size_t i = 0; i < 2 * sizeof(run_findings) / sizeof(run_findings[0]); i++) {
        trial it = {&run_findings[i / 2], pick_type(&run_findings[i / 2], 0), 0};
        tacho_status_free(try_it(&it, i % 2 == 0 ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST,
                                 TACHO_DTYPE_F32));
    }
    for (const tacho_kernel *const *family = tacho_kernel_families; *family != NULL; family++) {
        for (const tacho_kernel *row = *family; row->name != NULL; row++) {
            if (!is_called(row->name)) {
                fprintf(stderr, "run_calls.h has no call of %s\n", row->name);
                abort();
            }
        }
    }
    for (size_t i = 0; i < CALLS; i++) {
        for (uint32_t k = 0; k < count_types(&run_calls[i]); k++) {
            check_it(&(trial){&run_calls[i], pick_type(&run_calls[i], k), 0});
        }
    }
    for (size_t i = 0; i < CHAINS; i++) {
        check_it(&(trial){.chain = i});
    }
}

#endif
