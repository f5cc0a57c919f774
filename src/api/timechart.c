/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A time chart is a dictionary and a store of rows that grow call by call. A flush plays the
 * rows back through the ordinary pipeline. What that leaves in
 * the dictionary, such as lanes, is taken back afterwards, so that every flush starts alike.
 *
 * A process is a part; the parts of entries share one clock with a fixed zero.
 *
 * Every public call goes in by enter() and out by leave(), which keep threads apart and the
 * copy of a chart in a forked child away from the file that it shares with its parent.
 */
#include "api/timechart.h"

#include "api/entry.h"
#include "api/view_files.h"
#include "base/grow.h"
#include "pipeline/intake.h"
#include "profile/dict_mark.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    STORE_BYTES = 16 << 20,
    RESERVED_COUNT = sizeof(((tacho_timechart_options *)0)->reserved) / sizeof(uint64_t),
};

/* ---- calls --------------------------------------------------------------------------------- */

/* Whether the chart may be used; leave() must follow if so. */
tacho_status tacho_timechart_enter(tacho_timechart *chart)
{
    if (chart == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no time chart given (NULL)");
    }
    if (chart->owner != getpid()) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the time chart %s belongs to process %ld; open another one after a fork",
                          chart->path, (long)chart->owner);
    }
    pthread_mutex_lock(&chart->mutex);
    return TACHO_OK;
}

tacho_status tacho_timechart_leave(tacho_timechart *chart, tacho_status status)
{
    pthread_mutex_unlock(&chart->mutex);
    return status;
}

/* ---- open and close ---------------------------------------------------------------------- */

static tacho_status parse_origin(const char *name, tacho_origin *out_origin)
{
    *out_origin = TACHO_ORIGIN_UNKNOWN;
    if (name == NULL) {
        return TACHO_OK;
    }
    for (int i = 0; i < TACHO_ORIGIN_COUNT; i++) {
        if (strcmp(name, tacho_origin_name((tacho_origin)i)) == 0) {
            *out_origin = (tacho_origin)i;
            return TACHO_OK;
        }
    }
    return tacho_fail(TACHO_CODE_USAGE,
                      "unknown origin '%s'; use measured, simulated, estimated or unknown", name);
}

static tacho_status make_clock(const tacho_timechart_options *options, tacho_clock *out_clock)
{
    if (options->clock_mhz != NULL) {
        if (options->ns_per_tick != 0) {
            return tacho_fail(TACHO_CODE_USAGE, "give clock_mhz or ns_per_tick, not both");
        }
        TACHO_TRY(tacho_clock_init_mhz(out_clock, tacho_str_from_cstring(options->clock_mhz)));
    } else if (options->ns_per_tick > INT64_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "%llu nanoseconds per tick are too many",
                          (unsigned long long)options->ns_per_tick);
    } else {
        tacho_clock_init(out_clock, options->ns_per_tick != 0 ? options->ns_per_tick : 1, 1);
    }
    out_clock->has_fixed_zero = true;
    return TACHO_OK;
}

/* Whether a flush could write to |path|: a trial that leaves nothing behind. */
static tacho_status try_output(const char *path)
{
    if (!tacho_output_is_replaceable(path)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s: a time chart needs a file that it can replace",
                          path);
    }
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_output_close(&output);
    return TACHO_OK;
}

static tacho_status copy_absolute(const char *path, char **out_path)
{
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(folder, sizeof(folder)) == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: the current directory has no path: %s", path,
                          strerror(errno));
    }
    size_t folder_len = strlen(folder);
    size_t path_len = strlen(path);
    char *joined = malloc(folder_len + path_len + 2);
    if (joined == NULL) {
        return tacho_no_memory();
    }
    memcpy(joined, folder, folder_len);
    if (folder_len > 0) {
        joined[folder_len++] = '/';
    }
    memcpy(joined + folder_len, path, path_len + 1);
    *out_path = joined;
    return TACHO_OK;
}

static tacho_status fill_chart(tacho_timechart *chart, const char *path,
                               const tacho_timechart_options *options)
{
    TACHO_TRY(tacho_view_check_reserved(options->reserved, RESERVED_COUNT));
    TACHO_TRY(tacho_view_sink(options->to, path, &chart->sink));
    TACHO_TRY(parse_origin(options->origin, &chart->origin));
    TACHO_TRY(make_clock(options, &chart->clock));
    chart->clock_id = TACHO_NONE;
    TACHO_TRY(tacho_dict_init(&chart->dict));
    TACHO_TRY(tacho_strings_init(&chart->process_names));
    TACHO_TRY(tacho_row_store_create(&chart->dict, STORE_BYTES, &chart->store));
    TACHO_TRY(try_output(path));
    return copy_absolute(path, &chart->path);
}

tacho_status tacho_timechart_open(const char *path, const tacho_timechart_options *options,
                                  tacho_timechart **out_chart)
{
    const tacho_timechart_options defaults = {0};
    if (out_chart == NULL || path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a time chart needs a path and a place for its handle");
    }
    *out_chart = NULL;
    tacho_timechart *chart = calloc(1, sizeof(*chart));
    if (chart == NULL) {
        return tacho_no_memory();
    }
    pthread_mutex_init(&chart->mutex, NULL);
    chart->owner = getpid();
    tacho_status status = fill_chart(chart, path, options != NULL ? options : &defaults);
    if (status != TACHO_OK) {
        tacho_timechart_close(chart);
        return status;
    }
    *out_chart = chart;
    return TACHO_OK;
}

void tacho_timechart_close(tacho_timechart *chart)
{
    if (chart == NULL) {
        return;
    }
    for (size_t i = 0; i < chart->begun_count; i++) {
        free(chart->begun[i].items);
    }
    free(chart->begun);
    free(chart->processes);
    tacho_strings_deinit(&chart->process_names);
    tacho_row_store_destroy(chart->store);
    tacho_dict_deinit(&chart->dict);
    free(chart->path);
    pthread_mutex_destroy(&chart->mutex);
    free(chart);
}

/* ---- processes and threads --------------------------------------------------------------- */

static tacho_status check_name(const char *what, const char *name)
{
    return name != NULL && name[0] != '\0'
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "a time chart entry without a %s", what);
}

static tacho_status make_process(tacho_timechart *chart, tacho_str name, chart_process *process)
{
    tacho_dict *dict = &chart->dict;
    if (tacho_dict_has_part_named(dict, name)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "process '%.*s' was read from a file, which has a clock of its own; "
                          "give entries another process",
                          TACHO_STR_ARG(name));
    }
    if (chart->clock_id == TACHO_NONE) {
        tacho_str clock_name =
            chart->clock.counts_cycles ? TACHO_STR("cycles") : TACHO_STR("ticks");
        TACHO_TRY(tacho_dict_add_clock(dict, &chart->clock, clock_name, &chart->clock_id));
    }
    tacho_part_facts facts = {
        .path = TACHO_STR(""),
        .format = TACHO_STR("timechart"),
        .generation = TACHO_STR(""),
        .origin = chart->origin,
        .clock = chart->clock_id,
    };
    dict->part_name = name;
    tacho_status status = tacho_dict_add_part(dict, &facts, &process->part);
    dict->part_name = TACHO_STR("");
    return status;
}

static tacho_status ensure_process(tacho_timechart *chart, const char *name,
                                   chart_process **out_process)
{
    uint32_t id = 0;
    tacho_str view = {name, strlen(name)};
    TACHO_TRY(tacho_strings_ensure(&chart->process_names, view, &id));
    size_t count = chart->process_names.item_count;
    TACHO_TRY(tacho_grow(&chart->processes, &chart->process_capacity, count));
    for (; chart->process_count < count; chart->process_count++) {
        chart->processes[chart->process_count] = (chart_process){.part = TACHO_NONE};
    }
    *out_process = &chart->processes[id];
    return (*out_process)->part != TACHO_NONE ? TACHO_OK : make_process(chart, view, *out_process);
}

/* What a track is, if it is to be made. */
typedef struct track_kind {
    tacho_track_class track_class;
    tacho_unit unit; /* of a counter */
} track_kind;

/* The thread or counter |name| of |process|. */
static tacho_status ensure_track(tacho_timechart *chart, const char *process_name, const char *name,
                                 track_kind kind, uint32_t *out_track)
{
    tacho_dict *dict = &chart->dict;
    chart_process *process = NULL;
    TACHO_TRY(ensure_process(chart, process_name, &process));
    tacho_track facts = {
        .parent = dict->parts[process->part].root,
        .part = process->part,
        .clock = chart->clock_id,
        .lane_of = TACHO_NONE,
        .rank = process->next_rank,
        .track_class = kind.track_class,
        .nesting = TACHO_NESTING_STACK,
        .unit = kind.unit,
    };
    bool is_counter = kind.track_class == TACHO_TRACK_COUNTER;
    uint32_t text = tacho_strings_find(&dict->strings, tacho_str_from_cstring(name));
    if (text != TACHO_NONE &&
        tacho_dict_find_track(dict, facts.parent, text, !is_counter) != TACHO_NONE) {
        return tacho_fail(TACHO_CODE_USAGE, "'%s' of process '%s' is a %s already", name,
                          process_name, is_counter ? "thread" : "counter");
    }
    size_t old_count = dict->track_count;
    TACHO_TRY(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), out_track));
    process->next_rank += dict->track_count > old_count ? 1 : 0;
    return TACHO_OK;
}

static tacho_status add_process(tacho_timechart *chart, const char *process)
{
    chart_process *ignored = NULL;
    TACHO_TRY(check_name("process", process));
    return ensure_process(chart, process, &ignored);
}

tacho_status tacho_timechart_add_process(tacho_timechart *chart, const char *process)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, add_process(chart, process));
}

static tacho_status parse_class(const char *name, tacho_track_class *out_class)
{
    *out_class = TACHO_TRACK_HOST;
    if (name == NULL) {
        return TACHO_OK;
    }
    for (int i = TACHO_TRACK_HOST; i < TACHO_TRACK_COUNTER; i++) {
        if (strcmp(name, tacho_track_class_name((tacho_track_class)i)) == 0) {
            *out_class = (tacho_track_class)i;
            return TACHO_OK;
        }
    }
    return tacho_fail(TACHO_CODE_USAGE, "unknown thread class '%s'", name);
}

static tacho_status add_thread(tacho_timechart *chart, const char *process, const char *thread,
                               const char *track_class)
{
    track_kind kind = {TACHO_TRACK_HOST, TACHO_UNIT_NONE};
    uint32_t ignored = TACHO_NONE;
    TACHO_TRY(check_name("process", process));
    TACHO_TRY(check_name("thread", thread));
    TACHO_TRY(parse_class(track_class, &kind.track_class));
    return ensure_track(chart, process, thread, kind, &ignored);
}

tacho_status tacho_timechart_add_thread(tacho_timechart *chart, const char *process,
                                        const char *thread, const char *track_class)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, add_thread(chart, process, thread, track_class));
}

static tacho_status parse_unit(const char *name, tacho_unit *out_unit)
{
    *out_unit = TACHO_UNIT_NONE;
    if (name == NULL) {
        return TACHO_OK;
    }
    for (int i = 0; i < TACHO_UNIT_END; i++) {
        if (strcmp(name, tacho_unit_name((tacho_unit)i)) == 0) {
            *out_unit = (tacho_unit)i;
            return TACHO_OK;
        }
    }
    return tacho_fail(TACHO_CODE_USAGE, "unknown unit '%s'; use bytes, count, cycles, ns or %%",
                      name);
}

static tacho_status add_counter(tacho_timechart *chart, const char *process, const char *counter,
                                const char *unit)
{
    track_kind kind = {TACHO_TRACK_COUNTER, TACHO_UNIT_NONE};
    uint32_t ignored = TACHO_NONE;
    TACHO_TRY(check_name("process", process));
    TACHO_TRY(check_name("counter", counter));
    TACHO_TRY(parse_unit(unit, &kind.unit));
    return ensure_track(chart, process, counter, kind, &ignored);
}

tacho_status tacho_timechart_add_counter(tacho_timechart *chart, const char *process,
                                         const char *counter, const char *unit)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, add_counter(chart, process, counter, unit));
}

/* ---- entries ------------------------------------------------------------------------------ */

static tacho_status check_time(const tacho_timechart *chart, int64_t time)
{
    return time >= 0 && time <= chart->clock.max_ticks
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "time %lld is not within 0 and %lld", (long long)time,
                            (long long)chart->clock.max_ticks);
}

static void note_time(tacho_timechart *chart, int64_t time)
{
    chart->latest_time = time > chart->latest_time ? time : chart->latest_time;
}

/* The site of |function| on a track; its category is the track's class. */
static tacho_status ensure_site(tacho_timechart *chart, uint32_t track, const char *function,
                                uint32_t *out_site)
{
    tacho_dict *dict = &chart->dict;
    tacho_site site = {.location = TACHO_NONE};
    const char *category = tacho_track_class_name(dict->tracks[track].track_class);
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(function), &site.name));
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(category), &site.category));
    return tacho_dict_ensure_site(dict, &site, out_site);
}

tacho_row tacho_timechart_make_span(uint32_t track, begun_span begun, int64_t end, uint32_t flags)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = begun.start};
    row.of.span.end = end;
    row.of.span.site = begun.site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.of.span.flags = flags;
    return row;
}

static tacho_status store_row(tacho_timechart *chart, const tacho_row *row, int64_t end)
{
    TACHO_TRY(tacho_events_row(tacho_row_store_events(chart->store), row));
    note_time(chart, end);
    return TACHO_OK;
}

static tacho_status store_span(tacho_timechart *chart, uint32_t track, begun_span begun,
                               int64_t end, uint32_t flags)
{
    tacho_row row = tacho_timechart_make_span(track, begun, end, flags);
    return store_row(chart, &row, end);
}

static tacho_status check_log(const tacho_timechart_log *log)
{
    return log != NULL ? TACHO_OK
                       : tacho_fail(TACHO_CODE_USAGE, "no time chart entry given (NULL)");
}

/* The thread that |log| names. */
static tacho_status ensure_thread(tacho_timechart *chart, const tacho_timechart_log *log,
                                  uint32_t *out_track)
{
    TACHO_TRY(check_name("process", log->process));
    TACHO_TRY(check_name("thread", log->thread));
    const track_kind kind = {TACHO_TRACK_HOST, TACHO_UNIT_NONE};
    return ensure_track(chart, log->process, log->thread, kind, out_track);
}

/* What a caller says of an argument, whose text stays his. */
static tacho_status take_arg(tacho_timechart *chart, const tacho_timechart_arg *from,
                             tacho_arg *out_arg)
{
    TACHO_TRY(check_name("argument", from->key));
    TACHO_TRY(parse_unit(from->unit, &out_arg->unit));
    switch (from->type) {
    case TACHO_VALUE_INT:
        out_arg->type = TACHO_ARG_INT;
        out_arg->value.as_int = from->as_int;
        break;
    case TACHO_VALUE_UINT:
        out_arg->type = TACHO_ARG_UINT;
        out_arg->value.as_uint = from->as_uint;
        break;
    case TACHO_VALUE_REAL:
        out_arg->type = TACHO_ARG_REAL;
        out_arg->value.as_real = from->as_real;
        break;
    case TACHO_VALUE_BOOL:
        out_arg->type = TACHO_ARG_BOOL;
        out_arg->value.as_bool = from->as_bool;
        break;
    case TACHO_VALUE_TEXT:
        out_arg->type = TACHO_ARG_TEXT;
        out_arg->value.as_text = tacho_str_from_cstring(from->text != NULL ? from->text : "");
        break;
    case TACHO_VALUE_DICT:
    case TACHO_VALUE_ARRAY:
    case TACHO_VALUE_JSON:
    default:
        return tacho_fail(TACHO_CODE_USAGE,
                          "argument '%s' is neither a number, a truth value nor "
                          "text",
                          from->key);
    }
    if (out_arg->type == TACHO_ARG_REAL && !isfinite(out_arg->value.as_real)) {
        return tacho_fail(TACHO_CODE_USAGE, "argument '%s' is not a finite number", from->key);
    }
    return tacho_dict_ensure_string(&chart->dict, tacho_str_from_cstring(from->key), &out_arg->key);
}

static tacho_status check_entry(const tacho_timechart *chart, const tacho_timechart_log *log)
{
    TACHO_TRY(check_log(log));
    TACHO_TRY(check_name("function", log->function));
    TACHO_TRY(check_time(chart, log->start_time));
    TACHO_TRY(check_time(chart, log->end_time));
    if (log->end_time < log->start_time) {
        return tacho_fail(TACHO_CODE_USAGE, "'%s' ends at %lld, before it starts at %lld",
                          log->function, (long long)log->end_time, (long long)log->start_time);
    }
    return TACHO_OK;
}

static tacho_status render(tacho_timechart *chart, const tacho_timechart_log *log,
                           const tacho_arg *args, size_t arg_count)
{
    uint32_t track = TACHO_NONE;
    begun_span begun = {.start = log->start_time};
    TACHO_TRY(ensure_thread(chart, log, &track));
    TACHO_TRY(ensure_site(chart, track, log->function, &begun.site));
    tacho_row row = tacho_timechart_make_span(track, begun, log->end_time, 0);
    row.args = args;
    row.arg_count = arg_count;
    return store_row(chart, &row, log->end_time);
}

static tacho_status render_args(tacho_timechart *chart, const tacho_timechart_log *log,
                                const tacho_timechart_arg *args, size_t arg_count)
{
    tacho_arg taken[TACHO_TIMECHART_ARGS_MAX] = {{0}};
    TACHO_TRY(check_entry(chart, log));
    if (arg_count > TACHO_TIMECHART_ARGS_MAX || (args == NULL && arg_count > 0)) {
        return tacho_fail(TACHO_CODE_USAGE, "'%s' has %zu arguments; at most %d, and not NULL",
                          log->function, arg_count, TACHO_TIMECHART_ARGS_MAX);
    }
    for (size_t i = 0; i < arg_count; i++) {
        TACHO_TRY(take_arg(chart, &args[i], &taken[i]));
    }
    return render(chart, log, taken, arg_count);
}

tacho_status tacho_timechart_render(tacho_timechart *chart, const tacho_timechart_log *log)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, render_args(chart, log, NULL, 0));
}

tacho_status tacho_timechart_render_args(tacho_timechart *chart, const tacho_timechart_log *log,
                                         const tacho_timechart_arg *args, size_t arg_count)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, render_args(chart, log, args, arg_count));
}

static tacho_status store_flow_end(tacho_timechart *chart, uint32_t track, int64_t time,
                                   tacho_flow_phase phase)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = chart->flow_count;
    row.of.flow.role = TACHO_FLOW_DATA;
    row.of.flow.phase = phase;
    row.of.flow.span_end = TACHO_FLOW_AROUND;
    return store_row(chart, &row, time);
}

static tacho_status add_flow(tacho_timechart *chart, const tacho_timechart_flow *flow)
{
    uint32_t from = TACHO_NONE;
    uint32_t to = TACHO_NONE;
    if (flow == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no flow given (NULL)");
    }
    const tacho_timechart_log leaves = {.process = flow->process, .thread = flow->from_thread};
    const tacho_timechart_log arrives = {.process = flow->process, .thread = flow->to_thread};
    TACHO_TRY(check_name("thread", flow->to_thread));
    TACHO_TRY(check_time(chart, flow->from_time));
    TACHO_TRY(check_time(chart, flow->to_time));
    if (flow->to_time < flow->from_time) {
        return tacho_fail(TACHO_CODE_USAGE, "a flow arrives at %lld, before it leaves at %lld",
                          (long long)flow->to_time, (long long)flow->from_time);
    }
    TACHO_TRY(ensure_thread(chart, &leaves, &from));
    TACHO_TRY(ensure_thread(chart, &arrives, &to));
    TACHO_TRY(store_flow_end(chart, from, flow->from_time, TACHO_FLOW_LEAVES));
    TACHO_TRY(store_flow_end(chart, to, flow->to_time, TACHO_FLOW_ARRIVES));
    chart->flow_count++;
    return TACHO_OK;
}

tacho_status tacho_timechart_add_flow(tacho_timechart *chart, const tacho_timechart_flow *flow)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, add_flow(chart, flow));
}

static tacho_status ensure_stack(tacho_timechart *chart, uint32_t track, begun_stack **out_stack)
{
    TACHO_TRY(tacho_grow(&chart->begun, &chart->begun_capacity, (size_t)track + 1));
    for (; chart->begun_count <= track; chart->begun_count++) {
        chart->begun[chart->begun_count] = (begun_stack){0};
    }
    *out_stack = &chart->begun[track];
    return TACHO_OK;
}

static tacho_status begin_span(tacho_timechart *chart, uint32_t track, begun_span begun)
{
    begun_stack *stack = NULL;
    TACHO_TRY(ensure_stack(chart, track, &stack));
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count++] = begun;
    note_time(chart, begun.start);
    return TACHO_OK;
}

/* The spans that have begun on the thread that |log| names; NULL when there is no such thread. */
static begun_stack *find_stack(const tacho_timechart *chart, const tacho_timechart_log *log)
{
    tacho_str process = tacho_str_from_cstring(log->process);
    uint32_t id = tacho_strings_find(&chart->process_names, process);
    if (id == TACHO_NONE || id >= chart->process_count || chart->processes[id].part == TACHO_NONE) {
        return NULL;
    }
    const tacho_dict *dict = &chart->dict;
    uint32_t root = dict->parts[chart->processes[id].part].root;
    uint32_t name = tacho_strings_find(&dict->strings, tacho_str_from_cstring(log->thread));
    uint32_t track =
        name != TACHO_NONE ? tacho_dict_find_track(dict, root, name, false) : TACHO_NONE;
    return track < chart->begun_count ? &chart->begun[track] : NULL;
}

static tacho_status end_span(tacho_timechart *chart, int64_t time, const tacho_timechart_log *log)
{
    TACHO_TRY(check_name("process", log->process));
    TACHO_TRY(check_name("thread", log->thread));
    begun_stack *stack = find_stack(chart, log);
    if (stack == NULL || stack->item_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "an end at %lld on thread '%s', where nothing has begun", (long long)time,
                          log->thread);
    }
    begun_span begun = stack->items[stack->item_count - 1];
    if (time < begun.start) {
        return tacho_fail(TACHO_CODE_USAGE, "an end at %lld on thread '%s', which began at %lld",
                          (long long)time, log->thread, (long long)begun.start);
    }
    TACHO_TRY(store_span(chart, (uint32_t)(stack - chart->begun), begun, time, 0));
    stack->item_count--;
    return TACHO_OK;
}

static tacho_status set_track_event(tacho_timechart *chart, int64_t time,
                                    tacho_timechart_event type, const tacho_timechart_log *log)
{
    uint32_t track = TACHO_NONE;
    begun_span begun = {.start = time};
    TACHO_TRY(check_log(log));
    TACHO_TRY(check_time(chart, time));
    if (type == TACHO_TIMECHART_END) {
        return end_span(chart, time, log);
    }
    if (type != TACHO_TIMECHART_BEGIN && type != TACHO_TIMECHART_INSTANT) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown time chart event type %d", (int)type);
    }
    TACHO_TRY(check_name("function", log->function));
    TACHO_TRY(ensure_thread(chart, log, &track));
    TACHO_TRY(ensure_site(chart, track, log->function, &begun.site));
    return type == TACHO_TIMECHART_BEGIN
               ? begin_span(chart, track, begun)
               : store_span(chart, track, begun, time, TACHO_SPAN_INSTANT);
}

tacho_status tacho_timechart_set_track_event(tacho_timechart *chart, int64_t time,
                                             tacho_timechart_event type,
                                             const tacho_timechart_log *log)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, set_track_event(chart, time, type, log));
}

static tacho_status add_sample(tacho_timechart *chart, const char *process, const char *counter,
                               int64_t time, double value)
{
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .start = time};
    row.of.sample.value = value;
    TACHO_TRY(check_name("process", process));
    TACHO_TRY(check_name("counter", counter));
    TACHO_TRY(check_time(chart, time));
    if (!isfinite(value)) {
        return tacho_fail(TACHO_CODE_USAGE, "counter '%s' at %lld is not a finite number", counter,
                          (long long)time);
    }
    const track_kind kind = {TACHO_TRACK_COUNTER, TACHO_UNIT_NONE};
    TACHO_TRY(ensure_track(chart, process, counter, kind, &row.track));
    TACHO_TRY(tacho_events_row(tacho_row_store_events(chart->store), &row));
    note_time(chart, time);
    return TACHO_OK;
}

tacho_status tacho_timechart_add_sample(tacho_timechart *chart, const char *process,
                                        const char *counter, int64_t time, double value)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    return tacho_timechart_leave(chart, add_sample(chart, process, counter, time, value));
}

/* ---- files -------------------------------------------------------------------------------- */

/* Adds a file, or leaves everything as it was. */
static tacho_status add_file(tacho_timechart *chart, const tacho_intake_input *input,
                             uint32_t slice_count)
{
    if (tacho_input_is_same_file(input->path, chart->path)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s is the chart's own output file and would be overwritten",
                          input->path);
    }
    tacho_intake intake = {.inputs = input, .input_count = 1};
    tacho_source_options_set_number(&intake.options, "slices", slice_count);
    tacho_dict_mark mark;
    TACHO_TRY(tacho_dict_mark_init(&mark, &chart->dict));
    tacho_status status = tacho_intake_read_input(&intake, input, TACHO_ORDER_SORT_ALL,
                                                  tacho_row_store_events(chart->store));
    if (status != TACHO_OK) {
        tacho_row_store_forget(chart->store, (uint32_t)mark.part_count);
        tacho_dict_mark_restore(&mark, &chart->dict);
    }
    tacho_dict_mark_deinit(&mark);
    chart->has_files = chart->has_files || status == TACHO_OK;
    atomic_store(&chart->lost_count, tacho_pipeline_lost_count(&chart->dict));
    return status;
}

static tacho_status enter_and_add(tacho_timechart *chart, const tacho_intake_input *input,
                                  uint32_t slice_count)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    if (input->path == NULL) {
        return tacho_timechart_leave(chart, tacho_fail(TACHO_CODE_USAGE, "no file given (NULL)"));
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = add_file(chart, input, slice_count);
    tacho_entry_end(entry);
    return tacho_timechart_leave(chart, status);
}

tacho_status tacho_timechart_add_compile_csv(tacho_timechart *chart, const char *view_name,
                                             const char *csv_path, uint32_t slice_count)
{
    tacho_intake_input input = {
        .path = csv_path, .name = view_name, .accepted = tacho_view_compile_sources};
    return enter_and_add(chart, &input, slice_count);
}

tacho_status tacho_timechart_add_runtime_csv(tacho_timechart *chart, const char *view_name,
                                             const char *csv_path)
{
    tacho_intake_input input = {
        .path = csv_path, .name = view_name, .accepted = tacho_view_runtime_sources};
    return enter_and_add(chart, &input, 0);
}

uint64_t tacho_timechart_lost_count(const tacho_timechart *chart)
{
    return chart != NULL ? atomic_load(&chart->lost_count) : 0;
}
