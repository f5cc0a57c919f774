/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stats and host, one after the other. Both parts get clocks whose zeros are one moment
 * of the host's monotonic clock: the first event of either.
 */
#include "vendors/qaic/stats_trace.h"

#include "pipeline/intake.h"
#include "base/grow.h"
#include "sources/chrome/chrome.h"

#include <stdlib.h>

/*
 * Puts the host's part on the common axis before its first row passes. A runner's trace shows the
 * device, too: those tracks are here already, and left out.
 */
typedef struct host_shift {
    tacho_events events;
    tacho_events *next;
    tacho_str network;
    int64_t zero_ns;    /* of the trace's own time */
    size_t first_clock; /* clocks from here on are the host's */
    bool *is_device;    /* by track */
    size_t track_count, track_capacity;
} host_shift;

/* "program-0 [QAicGraph_Core_1]" and the like: what devices' processes are called. */
static bool is_device_process(tacho_str name, tacho_str network)
{
    size_t at = tacho_str_find_byte(name, '[');
    return tacho_str_starts_with(name, TACHO_STR("program-")) && at < name.len &&
           tacho_str_starts_with(tacho_str_from(name, at + 1), network);
}

static tacho_status grow_tracks(host_shift *self)
{
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->is_device, &self->track_capacity, dict->track_count));
    for (; self->track_count < dict->track_count; self->track_count++) {
        uint32_t group = tacho_dict_track_group(dict, (uint32_t)self->track_count);
        self->is_device[self->track_count] =
            is_device_process(tacho_dict_string(dict, dict->tracks[group].name), self->network);
    }
    return TACHO_OK;
}

static tacho_status shift_row(tacho_events *events, const tacho_row *row)
{
    host_shift *self = (host_shift *)(void *)events;
    for (; self->first_clock < events->dict->clock_count; self->first_clock++) {
        tacho_clock *clock = &events->dict->clocks[self->first_clock];
        clock->has_fixed_zero = true;
        clock->zero_ticks = tacho_clock_ticks(clock, self->zero_ns);
    }
    if (row->track >= self->track_count) {
        TACHO_TRY(grow_tracks(self));
    }
    return self->is_device[row->track] ? TACHO_OK : tacho_events_row(self->next, row);
}

static tacho_status shift_end_part(tacho_events *events, uint32_t part)
{
    return tacho_events_end_part(((host_shift *)(void *)events)->next, part);
}

static const tacho_events_vtable shift_vtable = {.row = shift_row, .end_part = shift_end_part};

static tacho_status read_host(const tacho_stats_trace *trace, int64_t zero_ns,
                              tacho_order_mode mode, tacho_events *next)
{
    host_shift shift = {.events = {&shift_vtable, next->dict},
                        .next = next,
                        .network = trace->set.name,
                        .zero_ns = zero_ns,
                        .first_clock = next->dict->clock_count};
    tacho_intake_input input = {
        .path = trace->host_path, .source = &tacho_source_chrome, .name = "HOST_PROC"};
    tacho_intake intake = {.inputs = &input, .input_count = 1};
    tacho_status status = tacho_intake_read_input(&intake, &input, mode, &shift.events);
    free(shift.is_device);
    return status;
}

/* The zero of both: |out_host_ns| in the time of the host's trace. */
static tacho_status find_zero(const tacho_stats_trace *trace, tacho_stats_set *set,
                              int64_t *out_host_ns)
{
    int64_t device_ns = 0;
    int64_t first_ns = 0;
    int64_t first_tick = tacho_stats_first_tick(set);
    const tacho_host_sync *host = &trace->host;
    if (!tacho_host_sync_ns(&set->files[0], first_tick, &device_ns)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "the stats have no clock-sync record, so %s cannot be aligned with them",
                          trace->host_path);
    }
    if (__builtin_sub_overflow(host->first_ns, host->trace_ns, &first_ns) ||
        __builtin_add_overflow(first_ns, host->monotonic_ns, &first_ns)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: times are too large", trace->host_path);
    }
    int64_t zero_ns = first_ns < device_ns ? first_ns : device_ns;
    set->has_zero = true;
    /* A tick of the timer: both zeros are then one moment, to the nanosecond. */
    if (!tacho_host_sync_tick(&set->files[0], zero_ns, &set->zero_ticks) ||
        !tacho_host_sync_ns(&set->files[0], set->zero_ticks, &zero_ns) ||
        __builtin_sub_overflow(zero_ns, host->monotonic_ns, out_host_ns) ||
        __builtin_add_overflow(*out_host_ns, host->trace_ns, out_host_ns)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: too far from the device's time",
                          trace->host_path);
    }
    return TACHO_OK;
}

static tacho_status produce(void *self, tacho_order_mode mode, tacho_events *events)
{
    const tacho_stats_trace *trace = self;
    tacho_stats_set set = trace->set;
    int64_t host_zero = 0;
    if (trace->host_path != NULL) {
        TACHO_TRY(find_zero(trace, &set, &host_zero));
    }
    TACHO_TRY(tacho_stats_emit(&set, events));
    if (trace->host_path != NULL) {
        TACHO_TRY(read_host(trace, host_zero, mode, events));
    }
    return tacho_events_finish(events);
}

tacho_status tacho_stats_trace_write(const tacho_stats_trace *trace, tacho_dict *dict)
{
    tacho_stats_trace copy = *trace;
    bool is_json =
        tacho_str_ends_with(tacho_str_from_cstring(trace->output_path), TACHO_STR(".json"));
    tacho_tracing tracing = {
        .producer = {.produce = produce,
                     .self = &copy,
                     /* Arrows come after the spans of other tracks: rows are held at once. */
                     .first_mode =
                         trace->set.view.shows_flows ? TACHO_ORDER_SORT : TACHO_ORDER_PASS},
        .selection = TACHO_SELECT_ALL,
        .sink = trace->sink,
        .options = {.omit_args = trace->omits_args, .flows_are_needs = true},
        .path = trace->output_path,
        .is_path_chosen = true,
        .mark = is_json ? "\"traceEvents\"" : NULL,
        .group = trace->outputs,
    };
    return tacho_pipeline_write(&tracing, dict);
}
