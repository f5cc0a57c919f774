/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same decoder as that of qaic-opstats, in the same process.
 */
#include "vendors/qaic/qaic.h"

#include "questions/opstats/opstats_tables.h"
#include "base/folder.h"
#include "vendors/qaic/opstats_machine.h"
#include "sinks/qaic/stages.h"
#include "session/run_stats.h"
#include "pipeline/pipeline.h"
#include "sinks/chrome_json.h"
#include "sinks/opstats_text.h"
#include "sources/stats/host_sync.h"
#include "sources/stats/stats.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- summaries ----------------------------------------------------------------------------- */

typedef struct summaries {
    const tacho_run_session *session;
    const char *folder;
    tacho_arena arena;
} summaries;

static tacho_status write_tables(const tacho_opstats *sums, tacho_output *output)
{
    tacho_table tables[TACHO_OPSTATS_TABLE_COUNT];
    tacho_status status = tacho_opstats_tables_init(tables, sums);
    if (status == TACHO_OK) {
        tacho_opstats_text_write(tables, output);
    }
    tacho_opstats_tables_deinit(tables);
    return status;
}

static tacho_status write_files(const tacho_run_stats *stats, const tacho_opstats_plan *plan,
                                tacho_output *output)
{
    tacho_opstats sums;
    tacho_status status = tacho_opstats_init(&sums, plan);
    if (status == TACHO_OK) {
        tacho_opstats_take_machine(&sums);
    }
    for (size_t i = 0; status == TACHO_OK && i < stats->file_count; i++) {
        status = tacho_opstats_read(&sums, &stats->files[i]);
        if (status == TACHO_OK) {
            status = write_tables(&sums, output);
        }
    }
    tacho_opstats_deinit(&sums);
    return status;
}

static tacho_status write_summary(const tacho_run_stats *stats, tacho_output *output)
{
    tacho_opstats_plan plan;
    tacho_status status = tacho_opstats_plan_init(&plan, stats->words);
    if (status == TACHO_OK) {
        status = write_files(stats, &plan, output);
    }
    tacho_opstats_plan_deinit(&plan);
    return status;
}

static tacho_status visit_summary(void *user, const tacho_run_stats *stats)
{
    summaries *self = user;
    char name[120];
    const char *path = NULL;
    tacho_output output;
    snprintf(name, sizeof(name),
             "aic-profiling-program-%" PRIu32 "-activation-%" PRIu32 "-inf-%" PRIu64 ".txt",
             stats->files[0].head.program, stats->activation, stats->files[0].head.inference);
    TACHO_TRY(tacho_folder_join(self->folder, tacho_str_from_cstring(name), &self->arena, &path));
    TACHO_TRY(tacho_output_open_chosen(path, "ucycles", &output));
    tacho_status status = write_summary(stats, &output);
    if (status == TACHO_OK) {
        tacho_recording recording = tacho_run_recording(self->session);
        tacho_qaic_stages_write(&recording, stats->sample, &output);
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

tacho_status tacho_run_qaic_summaries(const tacho_run_session *session, const char *folder)
{
    summaries self = {.session = session, .folder = folder};
    tacho_arena_init(&self.arena);
    tacho_status status = tacho_run_stats_each(session, false, visit_summary, &self);
    tacho_arena_deinit(&self.arena);
    return status;
}

/* ---- the trace ----------------------------------------------------------------------------- */

/* What is known once the first files are there: 0 of the trace. */
typedef struct trace_zero {
    bool is_known;
    int64_t ticks;   /* of the device's timer */
    int64_t host_ns; /* the same moment of the host's clock */
} trace_zero;

typedef struct tracer {
    const tacho_run_session *session;
    tacho_events *events;
    trace_zero zero;
    uint32_t part; /* of what devices recorded; TACHO_NONE: nothing yet */
} tracer;

static tacho_stats_set set_of(const tacho_run_session *session, const tacho_run_stats *stats)
{
    return (tacho_stats_set){
        .files = stats->files,
        .file_count = stats->file_count,
        .words = stats->words,
        .path = tacho_str_from_cstring(session->request->path),
        .name =
            tacho_strings_get(&session->module.program.strings, session->module.program.facts.name),
        .view = {.has_vendor_words = true, .names_inferences = true},
        .has_zero = true,
    };
}

static tacho_status visit_zero(void *user, const tacho_run_stats *stats)
{
    tracer *self = user;
    tacho_stats_set set = set_of(self->session, stats);
    self->zero.ticks = tacho_stats_first_tick(&set);
    self->zero.is_known =
        tacho_host_sync_ns(&stats->files[0], self->zero.ticks, &self->zero.host_ns);
    return TACHO_OK;
}

static tacho_status visit_trace(void *user, const tacho_run_stats *stats)
{
    tracer *self = user;
    tacho_stats_set set = set_of(self->session, stats);
    set.shared_part = &self->part;
    set.zero_ticks = self->zero.ticks;
    return tacho_stats_emit(&set, self->events);
}

enum { STAGE_COUNT = 3, NS_PER_SECOND = 1000000000 };

/*
 * How long the stages of an inference really took on this computer. They are arguments, since
 * there is no place for real time on a simulated axis.
 */
static tacho_status add_stages(tacho_dict *dict, const tacho_run_host_times *host,
                               tacho_arg out_args[STAGE_COUNT])
{
    static const tacho_str names[STAGE_COUNT] = {
        TACHO_STR_INIT("host_prepare_ns"),
        TACHO_STR_INIT("host_execute_ns"),
        TACHO_STR_INIT("host_read_ns"),
    };
    const int64_t times[STAGE_COUNT] = {
        host->submit_ns - host->begin_ns,
        host->done_ns - host->submit_ns,
        host->end_ns - host->done_ns,
    };
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        out_args[i] = (tacho_arg){
            .type = TACHO_ARG_UINT, .unit = TACHO_UNIT_NS, .value.as_uint = (uint64_t)times[i]};
        TACHO_TRY(tacho_dict_ensure_string(dict, names[i], &out_args[i].key));
    }
    return TACHO_OK;
}

/* A stage of inferences that the host sees, on a track of its own. */
typedef struct host_stage {
    tacho_str track, name;
} host_stage;

enum { HOST_INPUTS, HOST_INFERENCE, HOST_OUTPUTS, HOST_STAGES };

static const host_stage host_stages[HOST_STAGES] = {
    {TACHO_STR_INIT("Inputs"), TACHO_STR_INIT("Send inputs and start")},
    {TACHO_STR_INIT("Inferences"), TACHO_STR_INIT("Execute inference")},
    {TACHO_STR_INIT("Outputs"), TACHO_STR_INIT("Fetch outputs")},
};

/*
 * Start and end of |stage|; false where the device does not simulate a host. Outputs may arrive
 * while the device still writes its stats.
 */
static bool find_stage(const tacho_device_result *result, size_t stage, tacho_row *row)
{
    const tacho_host_turn *host = &result->host;
    int64_t done_ns = host->fetched_ns < result->end_ns ? host->fetched_ns : result->end_ns;
    row->start = stage == HOST_INPUTS    ? host->sent_ns
                 : stage == HOST_OUTPUTS ? done_ns
                                         : result->start_ns;
    row->of.span.end = stage == HOST_INPUTS    ? result->start_ns
                       : stage == HOST_OUTPUTS ? host->fetched_ns
                                               : result->end_ns;
    return stage == HOST_INFERENCE || host->is_known;
}

static tacho_status push_stage(const tracer *self, uint32_t track, size_t stage)
{
    tacho_dict *dict = self->events->dict;
    tacho_site site = {.location = TACHO_NONE};
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track};
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    TACHO_TRY(tacho_dict_ensure_string(dict, host_stages[stage].name, &site.name));
    TACHO_TRY(tacho_dict_ensure_site(dict, &site, &row.of.span.site));
    for (size_t i = 0; i < self->session->sample_count; i++) {
        const tacho_run_sample *sample = &self->session->samples[i];
        tacho_arg real[STAGE_COUNT];
        TACHO_TRY(add_stages(dict, &sample->host, real));
        row.args = real;
        row.arg_count = stage == HOST_INFERENCE && sample->host.is_known ? STAGE_COUNT : 0;
        if (find_stage(&sample->result, stage, &row)) {
            TACHO_TRY(tacho_events_row(self->events, &row));
        }
    }
    return TACHO_OK;
}

static tacho_status push_stages(const tracer *self, tacho_track *track)
{
    tacho_dict *dict = self->events->dict;
    bool has_host =
        self->session->sample_count > 0 && self->session->samples[0].result.host.is_known;
    for (size_t i = 0; i < HOST_STAGES; i++) {
        uint32_t id;
        if (i == HOST_INFERENCE || has_host) {
            track->rank = (int32_t)i;
            TACHO_TRY(tacho_dict_ensure_track(dict, track, host_stages[i].track, &id));
            TACHO_TRY(push_stage(self, id, i));
        }
    }
    return TACHO_OK;
}

/*
 * What the host sees: each inference from its start to its end, and its inputs and outputs. Those
 * of the next one may be under way at the same time.
 */
static tacho_status emit_host(const tracer *self)
{
    tacho_dict *dict = self->events->dict;
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    clock.has_fixed_zero = true;
    clock.zero_ticks = self->zero.host_ns;
    bool is_simulated = self->session->device->type->is_simulated;
    tacho_part_facts facts = {
        .path = tacho_str_from_cstring(self->session->request->path),
        .name = TACHO_STR("HOST_PROC"),
        .format = TACHO_STR("stats"),
        .origin = is_simulated ? TACHO_ORIGIN_SIMULATED : TACHO_ORIGIN_MEASURED,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_HOST),
    };
    uint32_t part;
    TACHO_TRY(tacho_dict_add_clock(dict, &clock, TACHO_STR("host"), &facts.clock));
    TACHO_TRY(tacho_dict_add_part(dict, &facts, &part));
    tacho_track track = {
        .parent = dict->parts[part].root,
        .part = part,
        .clock = facts.clock,
        .lane_of = TACHO_NONE,
        .track_class = TACHO_TRACK_HOST,
        .nesting = TACHO_NESTING_ENGINE,
    };
    TACHO_TRY(push_stages(self, &track));
    return tacho_events_end_part(self->events, part);
}

static tacho_status produce(void *user, tacho_order_mode mode, tacho_events *events)
{
    tracer *self = user;
    (void)mode;
    self->events = events;
    TACHO_TRY(emit_host(self));
    TACHO_TRY(tacho_run_stats_each(self->session, false, visit_trace, self));
    if (self->part != TACHO_NONE) {
        TACHO_TRY(tacho_events_end_part(events, self->part));
    }
    return tacho_events_finish(events);
}

static tacho_status write_path(tracer *self, const char *path)
{
    tacho_tracing tracing = {
        .producer = {.produce = produce, .self = self, .first_mode = TACHO_ORDER_SORT_ALL},
        .selection = TACHO_SELECT_ALL,
        .sink = &tacho_sink_chrome_json,
        .options = {.has_clock_sync = self->zero.is_known, .clock_sync_ns = self->zero.host_ns},
        .path = path,
        .is_path_chosen = true,
        .mark = "\"traceEvents\"",
    };
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_pipeline_write(&tracing, &dict);
    }
    tacho_dict_deinit(&dict);
    return status;
}

/* Moves the zero, by whole ticks and nanoseconds, to where the host began to send inputs. */
static void include_inputs(tracer *self)
{
    const tacho_run_session *session = self->session;
    uint64_t timer_hz = session->module.program.facts.timer_hz;
    int64_t first_ns = self->zero.host_ns;
    for (size_t i = 0; i < session->sample_count; i++) {
        const tacho_host_turn *host = &session->samples[i].result.host;
        first_ns = host->is_known && host->sent_ns < first_ns ? host->sent_ns : first_ns;
    }
    if (first_ns < self->zero.host_ns && timer_hz > 0) {
        uint64_t common = tacho_gcd(NS_PER_SECOND, timer_hz);
        int64_t period_ns = (int64_t)(NS_PER_SECOND / common);
        int64_t periods = (self->zero.host_ns - first_ns + period_ns - 1) / period_ns;
        self->zero.host_ns -= periods * period_ns;
        self->zero.ticks -= periods * (int64_t)(timer_hz / common);
    }
}

tacho_status tacho_run_qaic_trace(const tacho_run_session *session, const char *folder)
{
    tracer self = {.session = session, .part = TACHO_NONE};
    const char *path = NULL;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_folder_join(folder, TACHO_STR("aic-profiling-program-0-trace.json"), &arena, &path);
    if (status == TACHO_OK) {
        self.zero.host_ns = session->sample_count > 0 ? session->samples[0].result.start_ns : 0;
        status = tacho_run_stats_each(session, true, visit_zero, &self);
    }
    include_inputs(&self);
    if (status == TACHO_OK) {
        status = write_path(&self, path);
    }
    tacho_arena_deinit(&arena);
    return status;
}
