/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread has a buffer of its own, which is the output's while it is that thread's turn. Turns
 * are numbered at their end, and buffers are written in that order. A failure is found by the
 * thread that has the next turn.
 */
#include "base/output_turns.h"

#include <stdlib.h>

enum { SHARE_BYTES = 512 << 10 };

/* The bytes that a thread has written in its last turn. */
typedef struct share {
    unsigned char *buffer;
    size_t len;
    uint64_t number;
} share;

struct tacho_output_turns {
    tacho_shared shared;
    tacho_output *output;
    unsigned char *buffer; /* the output's own */
    unsigned char *limit;
    uint64_t ended_count;
    tacho_turn writing;   /* the number of the next share to write */
    tacho_status failure; /* of a share, the last one written */
    _Atomic bool has_failed;
    share shares[TACHO_TURN_THREADS];
};

static void use_buffer(tacho_output *output, unsigned char *buffer, unsigned char *limit)
{
    output->buffer = output->cursor = buffer;
    output->limit = limit;
}

/* Passes a failure of writing on to the output. */
static void take_failure(tacho_output_turns *turns)
{
    if (atomic_load_explicit(&turns->has_failed, memory_order_acquire) &&
        !tacho_output_failed(turns->output)) {
        turns->output->failure = turns->failure;
        turns->failure = TACHO_OK;
    }
}

static void begin(void *self, unsigned thread)
{
    tacho_output_turns *turns = self;
    share *own = &turns->shares[thread];
    take_failure(turns);
    if (turns->output->cursor > turns->output->buffer) {
        tacho_output_make_room(turns->output);
    }
    use_buffer(turns->output, own->buffer, own->buffer + SHARE_BYTES);
}

static void end(void *self, unsigned thread)
{
    tacho_output_turns *turns = self;
    tacho_output *output = turns->output;
    share *own = &turns->shares[thread];
    own->len = tacho_output_failed(output) ? 0 : (size_t)(output->cursor - output->buffer);
    own->number = turns->ended_count++;
    output->flushed_bytes += own->len;
    use_buffer(output, turns->buffer, turns->limit);
}

static void after(void *self, unsigned thread)
{
    tacho_output_turns *turns = self;
    const share *own = &turns->shares[thread];
    if (!tacho_turn_wait(&turns->writing, own->number)) {
        return;
    }
    if (!atomic_load_explicit(&turns->has_failed, memory_order_acquire)) {
        turns->failure = tacho_output_write_part(turns->output, own->buffer, own->len);
        atomic_store_explicit(&turns->has_failed, turns->failure != TACHO_OK, memory_order_release);
    }
    tacho_turn_pass(&turns->writing);
}

void tacho_output_turns_wait(tacho_output_turns *turns)
{
    if (tacho_turn_wait(&turns->writing, turns->ended_count)) {
        take_failure(turns);
    }
}

void tacho_output_turns_end(tacho_output *output)
{
    tacho_output_turns *turns = output->turns;
    if (turns == NULL) {
        return;
    }
    tacho_output_turns_wait(turns);
    output->turns = NULL;
    tacho_status_free(turns->failure);
    tacho_turn_deinit(&turns->writing);
    for (size_t i = 0; i < TACHO_TURN_THREADS; i++) {
        free(turns->shares[i].buffer);
    }
    free(turns);
}

static tacho_output_turns *create(tacho_output *output)
{
    tacho_output_turns *turns = calloc(1, sizeof(*turns));
    if (turns == NULL) {
        return NULL;
    }
    turns->shared = (tacho_shared){begin, end, after, turns};
    turns->output = output;
    turns->buffer = output->buffer;
    turns->limit = output->limit;
    tacho_turn_init(&turns->writing);
    return turns;
}

const tacho_shared *tacho_output_shared(tacho_output *output)
{
    if (output->turns != NULL || output->behind != NULL) {
        return output->turns != NULL ? &output->turns->shared : NULL;
    }
    output->turns = create(output);
    bool has_all = output->turns != NULL;
    for (size_t i = 0; has_all && i < TACHO_TURN_THREADS; i++) {
        output->turns->shares[i].buffer = malloc(SHARE_BYTES);
        has_all = output->turns->shares[i].buffer != NULL;
    }
    if (!has_all) {
        tacho_output_turns_end(output);
    }
    return has_all ? &output->turns->shared : NULL;
}
