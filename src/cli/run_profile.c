/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats to events. Each activation of each inference is a part;
 * they share the zero of the first, since they are of one clock.
 */
#include "cli/run_profile.h"

#include "cli/run_stats.h"
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/spool.h"
#include "sources/stats/stats.h"

#include <inttypes.h>
#include <stdio.h>

/* Which activations of which recorded inferences. */
typedef enum run_parts { PARTS_FIRST, PARTS_INFERENCES, PARTS_ALL } run_parts;

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
    };
    if (!self->has_zero) {
        self->has_zero = true;
        self->zero_ticks = tacho_stats_first_tick(&set);
    }
    set.zero_ticks = self->zero_ticks;
    return tacho_stats_emit(&set, self->events);
}

/* All of it through the order filter, which rows need that come by engine. */
static tacho_status emit_ordered(const tacho_run_session *session, run_parts parts,
                                 tacho_events *next)
{
    tacho_order *order = NULL;
    TACHO_TRY(tacho_order_create(next, TACHO_ORDER_SORT, TACHO_SPOOL_DEFAULT_BYTES, &order));
    decoder self = {.session = session, .events = tacho_order_events(order), .parts = parts};
    tacho_status status = tacho_run_stats_each(session, parts == PARTS_FIRST, emit_stats, &self);
    if (status == TACHO_OK) {
        status = tacho_events_finish(self.events);
    }
    tacho_order_destroy(order);
    return status;
}

/* ---- in memory ----------------------------------------------------------------------------- */

static tacho_status init_profile(tacho_run_profile *profile, const tacho_run_session *session,
                                 run_parts parts)
{
    *profile = (tacho_run_profile){0};
    TACHO_TRY(tacho_dict_init(&profile->dict));
    tacho_profile_init(&profile->profile, &profile->dict);
    return tacho_run_has_stats(session) ? emit_ordered(session, parts, &profile->profile.events)
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

static tacho_status write_trace(const tacho_run_session *session, const tacho_trace_sink *sink,
                                tacho_dict *dict, tacho_output *output)
{
    tacho_trace_options options = {.omit_args = false};
    tacho_events *events = NULL;
    TACHO_TRY(sink->open(dict, output, &options, &events));
    tacho_lanes *lanes = NULL;
    tacho_status status = tacho_lanes_create(events, &lanes);
    if (status == TACHO_OK) {
        status = emit_ordered(session, PARTS_ALL, tacho_lanes_events(lanes));
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
    if (!tacho_run_has_stats(session)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: nothing was recorded: the program was compiled with stats level %u, "
                          "at least 40 is needed",
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
