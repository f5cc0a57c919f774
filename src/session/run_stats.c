/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of the device to files in memory.
 */
#include "session/run_stats.h"

#include "base/grow.h"

#include <stdlib.h>

typedef struct visitor {
    const tacho_run_session *session;
    tacho_stats_layout layout;
    tacho_stats_words words;
    tacho_stats_file *files; /* of one activation: one per device */
    size_t file_count;
    tacho_run_stats_visit visit;
    void *self;
} visitor;

/* What would be read of a file that |buffer| is sealed into. */
static tacho_status make_file(const tacho_stats_buffer *buffer, const tacho_stats_layout *layout,
                              tacho_stats_file *file)
{
    *file = (tacho_stats_file){
        .head = buffer->head,
        .end = {.record_cost_ns = buffer->record_cost_ns},
    };
    tacho_arena_init(&file->arena);
    TACHO_TRY(tacho_items_make(&file->arrays, buffer->array_count));
    file->array_capacity = buffer->array_count + 1;
    for (size_t i = 0; i < buffer->array_count; i++) {
        if (buffer->arrays[i].count > 0) {
            file->arrays[file->array_count++] = buffer->arrays[i];
        }
    }
    return tacho_stats_bind(file, layout);
}

static void drop_files(visitor *self)
{
    for (size_t i = 0; i < self->file_count; i++) {
        tacho_stats_file_deinit(&self->files[i]);
    }
    self->file_count = 0;
}

/* The buffers from |*at| on of one activation; |*at| goes behind them. */
static tacho_status visit_activation(visitor *self, const tacho_run_sample *sample, size_t *at)
{
    const tacho_device_result *result = &sample->result;
    uint32_t activation = result->stats[*at].head.activation;
    size_t device_count = self->session->module.program.facts.device_count;
    while (*at < result->stats_count && self->file_count < device_count &&
           result->stats[*at].head.activation == activation) {
        self->file_count++;
        TACHO_TRY(
            make_file(&result->stats[(*at)++], &self->layout, &self->files[self->file_count - 1]));
    }
    tacho_run_stats stats = {
        .sample = sample,
        .activation = activation,
        .files = self->files,
        .file_count = self->file_count,
        .words = &self->words,
    };
    return self->visit(self->self, &stats);
}

static tacho_status visit_samples(visitor *self, bool is_first_only)
{
    const tacho_run_session *session = self->session;
    bool is_done = false;
    for (size_t i = 0; i < session->sample_count && !is_done; i++) {
        for (size_t at = 0; at < session->samples[i].result.stats_count && !is_done;) {
            tacho_status status = visit_activation(self, &session->samples[i], &at);
            drop_files(self);
            TACHO_TRY(status);
            is_done = is_first_only;
        }
    }
    return TACHO_OK;
}

static tacho_status visit_all(visitor *self, bool is_first_only)
{
    size_t device_count = self->session->module.program.facts.device_count;
    TACHO_TRY(tacho_stats_layout_init(&self->layout, &self->session->module.program));
    TACHO_TRY(tacho_stats_words_init(&self->words, &self->layout));
    self->files = tacho_items_alloc(device_count, sizeof(*self->files));
    return self->files != NULL ? visit_samples(self, is_first_only) : tacho_no_memory();
}

bool tacho_run_has_stats(const tacho_run_session *session)
{
    return session->sample_count > 0 && session->samples[0].result.stats_count > 0;
}

tacho_status tacho_run_stats_each(const tacho_run_session *session, bool is_first_only,
                                  tacho_run_stats_visit visit, void *self)
{
    if (!tacho_run_has_stats(session)) {
        return TACHO_OK;
    }
    visitor visiting = {.session = session, .visit = visit, .self = self};
    tacho_status status = visit_all(&visiting, is_first_only);
    tacho_stats_words_deinit(&visiting.words);
    tacho_stats_layout_deinit(&visiting.layout);
    free(visiting.files);
    return status;
}
