/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of the device to files in memory, to events. Each activation of each inference is a part;
 * they share the zero of the first, since they are of one clock.
 */
#include "cli/run_profile.h"

#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/spool.h"
#include "sources/stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What decoding needs of the program. */
typedef struct decoder {
    const tacho_run_session *session;
    tacho_stats_layout layout;
    tacho_stats_words words;
    tacho_stats_file *files; /* of one activation: one per device */
    size_t file_count;
    bool has_zero;
    int64_t zero_ticks;
} decoder;

/* ---- files in memory ----------------------------------------------------------------------- */

/* What would be read of a file that |buffer| is sealed into. */
static tacho_status make_file(const tacho_stats_buffer *buffer, const tacho_stats_layout *layout,
                              tacho_stats_file *file)
{
    *file = (tacho_stats_file){
        .head = buffer->head,
        .end = {.record_cost_ns = buffer->record_cost_ns},
    };
    tacho_arena_init(&file->arena);
    file->arrays = calloc(buffer->array_count + 1, sizeof(*file->arrays));
    if (file->arrays == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for what was recorded");
    }
    file->array_capacity = buffer->array_count + 1;
    for (size_t i = 0; i < buffer->array_count; i++) {
        if (buffer->arrays[i].count > 0) {
            file->arrays[file->array_count++] = buffer->arrays[i];
        }
    }
    return tacho_stats_bind(file, layout);
}

static void drop_files(decoder *self)
{
    for (size_t i = 0; i < self->file_count; i++) {
        tacho_stats_file_deinit(&self->files[i]);
    }
    self->file_count = 0;
}

/* ---- events -------------------------------------------------------------------------------- */

static tacho_status emit_files(decoder *self, const tacho_run_sample *sample, uint32_t activation,
                               tacho_events *events)
{
    char name[160];
    tacho_str network = tacho_run_string(self->session, self->session->module.program.facts.name);
    int used = snprintf(name, sizeof(name), "%.100s", network.data);
    if (self->session->sample_count > 1) {
        used += snprintf(name + used, sizeof(name) - (size_t)used, " inference %" PRIu64,
                         sample->inference);
    }
    if (activation > 0) {
        snprintf(name + used, sizeof(name) - (size_t)used, " activation %" PRIu32, activation);
    }
    tacho_stats_set set = {
        .files = self->files,
        .file_count = self->file_count,
        .words = &self->words,
        .path = tacho_str_from_cstring(self->session->request->path),
        .name = tacho_str_from_cstring(name),
        .has_zero = true,
    };
    if (!self->has_zero) {
        self->has_zero = true;
        self->zero_ticks = tacho_stats_first_tick(&set);
    }
    set.zero_ticks = self->zero_ticks;
    return tacho_stats_emit(&set, events);
}

/* Buffers come by activation, then device. */
static tacho_status emit_sample(decoder *self, const tacho_run_sample *sample, bool is_first_only,
                                tacho_events *events)
{
    const tacho_device_result *result = &sample->result;
    for (size_t i = 0; i < result->stats_count;) {
        uint32_t activation = result->stats[i].head.activation;
        tacho_status status = TACHO_OK;
        while (status == TACHO_OK && i < result->stats_count &&
               result->stats[i].head.activation == activation) {
            status =
                make_file(&result->stats[i++], &self->layout, &self->files[self->file_count++]);
        }
        if (status == TACHO_OK) {
            status = emit_files(self, sample, activation, events);
        }
        drop_files(self);
        TACHO_TRY(status);
        if (is_first_only) {
            break;
        }
    }
    return TACHO_OK;
}

static tacho_status emit_samples(decoder *self, bool is_first_only, tacho_events *events)
{
    const tacho_run_session *session = self->session;
    size_t count = is_first_only && session->sample_count > 1 ? 1 : session->sample_count;
    self->files =
        calloc((size_t)session->module.program.facts.device_count + 1, sizeof(*self->files));
    if (self->files == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for what was recorded");
    }
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(emit_sample(self, &session->samples[i], is_first_only, events));
    }
    return tacho_events_finish(events);
}

static tacho_status emit_by_words(decoder *self, bool is_first_only, tacho_events *events)
{
    tacho_status status = tacho_stats_words_init(&self->words, &self->layout);
    if (status == TACHO_OK) {
        status = emit_samples(self, is_first_only, events);
    }
    tacho_stats_words_deinit(&self->words);
    free(self->files);
    return status;
}

/* All of it through the order filter, which rows need that come by engine. */
static tacho_status emit_ordered(const tacho_run_session *session, bool is_first_only,
                                 tacho_events *next)
{
    decoder self = {.session = session};
    tacho_order *order = NULL;
    TACHO_TRY(tacho_order_create(next, TACHO_ORDER_SORT, TACHO_SPOOL_DEFAULT_BYTES, &order));
    tacho_status status = tacho_stats_layout_init(&self.layout, &session->module.program);
    if (status == TACHO_OK) {
        status = emit_by_words(&self, is_first_only, tacho_order_events(order));
    }
    tacho_stats_layout_deinit(&self.layout);
    tacho_order_destroy(order);
    return status;
}

static bool has_stats(const tacho_run_session *session)
{
    return session->sample_count > 0 && session->samples[0].result.stats_count > 0;
}

/* ---- in memory ----------------------------------------------------------------------------- */

tacho_status tacho_run_profile_init(tacho_run_profile *profile, const tacho_run_session *session)
{
    *profile = (tacho_run_profile){0};
    TACHO_TRY(tacho_dict_init(&profile->dict));
    tacho_profile_init(&profile->profile, &profile->dict);
    return has_stats(session) ? emit_ordered(session, true, &profile->profile.events) : TACHO_OK;
}

void tacho_run_profile_deinit(tacho_run_profile *profile)
{
    tacho_profile_deinit(&profile->profile);
    tacho_dict_deinit(&profile->dict);
}

/* ---- traces -------------------------------------------------------------------------------- */

static tacho_status write_trace(const tacho_run_session *session, const tacho_trace_sink *sink,
                                tacho_dict *dict, tacho_output *output)
{
    tacho_trace_options options = {.omit_args = false};
    tacho_events *events = NULL;
    TACHO_TRY(sink->open(dict, output, &options, &events));
    tacho_lanes *lanes = NULL;
    tacho_status status = tacho_lanes_create(events, &lanes);
    if (status == TACHO_OK) {
        status = emit_ordered(session, false, tacho_lanes_events(lanes));
        tacho_lanes_destroy(lanes);
    }
    sink->close(events);
    return status;
}

static tacho_status write_with_dict(const tacho_run_session *session, const tacho_trace_sink *sink,
                                    tacho_output *output)
{
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = write_trace(session, sink, &dict, output);
    }
    tacho_dict_deinit(&dict);
    return status;
}

tacho_status tacho_run_profile_write(const tacho_run_session *session, const tacho_trace_sink *sink,
                                     const char *path)
{
    if (!has_stats(session)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: nothing was recorded: the program was compiled with stats level %u, "
                          "and 40 is the least",
                          path, (unsigned)session->module.program.facts.stats.level);
    }
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = write_with_dict(session, sink, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}
