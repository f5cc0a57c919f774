/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats to events. Each activation of each inference is a part;
 * they share the zero of the first, since they are of one clock.
 */
#include "session/run_profile.h"

#include "session/run_stats.h"
#include "pipeline/pipeline.h"
#include "sources/stats/stats.h"

#include <inttypes.h>
#include <stdio.h>

/* Which activations of which recorded inferences. */
typedef enum run_parts { PARTS_FIRST, PARTS_INFERENCES, PARTS_ALL } run_parts;

/* What is shown of a run. */
typedef struct recording {
    const tacho_run_session *session;
    run_parts parts;
} recording;

/* Where events go. */
typedef struct decoder {
    const tacho_run_session *session;
    tacho_events *events;
    run_parts parts;
    bool has_zero;
    int64_t zero_ticks;
} decoder;

/* ---- events -------------------------------------------------------------------------------- */

/* "main", and which inference and activation where there are several. */
static void name_part(const decoder *self, const tacho_run_stats *stats, char *out_name,
                      size_t room)
{
    const tacho_run_session *session = self->session;
    int used = snprintf(out_name, room, "%.100s",
                        tacho_run_string(session, session->module.program.facts.name).data);
    if (self->parts == PARTS_INFERENCES) {
        snprintf(out_name + used, room - (size_t)used, ", %zu inferences", session->sample_count);
        return;
    }
    if (session->sample_count > 1) {
        used += snprintf(out_name + used, room - (size_t)used, " inference %" PRIu64,
                         stats->sample->inference);
    }
    if (stats->activation > 0) {
        snprintf(out_name + used, room - (size_t)used, " activation %" PRIu32, stats->activation);
    }
}

static tacho_status emit_stats(void *user, const tacho_run_stats *stats)
{
    decoder *self = user;
    char name[160];
    if (self->parts == PARTS_INFERENCES && stats->activation > 0) {
        return TACHO_OK;
    }
    name_part(self, stats, name, sizeof(name));
    tacho_stats_set set = {
        .files = stats->files,
        .file_count = stats->file_count,
        .words = stats->words,
        .path = tacho_str_from_cstring(self->session->request->path),
        .name = tacho_str_from_cstring(name),
        .has_zero = true,
        .view.hides_activation = stats->sample != &self->session->samples[0],
    };
    if (!self->has_zero) {
        self->has_zero = true;
        self->zero_ticks = tacho_stats_first_tick(&set);
    }
    set.zero_ticks = self->zero_ticks;
    return tacho_stats_emit(&set, self->events);
}

static tacho_status produce(void *user, tacho_order_mode mode, tacho_events *events)
{
    const recording *wanted = user;
    decoder self = {.session = wanted->session, .events = events, .parts = wanted->parts};
    (void)mode;
    TACHO_TRY(
        tacho_run_stats_each(wanted->session, wanted->parts == PARTS_FIRST, emit_stats, &self));
    return tacho_events_finish(events);
}

/* ---- in memory ----------------------------------------------------------------------------- */

static tacho_status init_profile(tacho_run_profile *profile, const tacho_run_session *session,
                                 run_parts parts)
{
    *profile = (tacho_run_profile){0};
    TACHO_TRY(tacho_dict_init(&profile->dict));
    tacho_profile_init(&profile->profile, &profile->dict);
    recording wanted = {session, parts};
    tacho_producer producer = {produce, &wanted, TACHO_ORDER_SORT_ALL, 0};
    return tacho_run_has_stats(session) ? tacho_pipeline_load(&producer, &TACHO_SELECT_ALL,
                                                              &profile->dict, &profile->profile)
                                        : TACHO_OK;
}

tacho_status tacho_run_profile_init(tacho_run_profile *profile, const tacho_run_session *session)
{
    return init_profile(profile, session, PARTS_FIRST);
}

tacho_status tacho_run_profile_init_all(tacho_run_profile *profile,
                                        const tacho_run_session *session)
{
    return init_profile(profile, session, PARTS_INFERENCES);
}

void tacho_run_profile_deinit(tacho_run_profile *profile)
{
    tacho_profile_deinit(&profile->profile);
    tacho_dict_deinit(&profile->dict);
}

/* ---- traces -------------------------------------------------------------------------------- */

tacho_status tacho_run_profile_write(const tacho_run_session *session, const tacho_trace_sink *sink,
                                     const char *path)
{
    if (!tacho_run_has_stats(session)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: nothing was recorded: the program was compiled with stats level %u, "
                          "at least 40 is needed",
                          path, (unsigned)session->module.program.facts.stats.level);
    }
    recording wanted = {session, PARTS_ALL};
    tacho_tracing tracing = {
        .producer = {produce, &wanted, TACHO_ORDER_SORT_ALL, 0},
        .selection = TACHO_SELECT_ALL,
        .sink = sink,
        .path = path,
    };
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_pipeline_write(&tracing, &dict);
    }
    tacho_dict_deinit(&dict);
    return status;
}
