/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the graph from the timeline. A host thread is a chain of pieces, each with the innermost
 * span of its time; a stream is a chain of work.
 */
#include "questions/critical_path/critical_path.h"

#include "questions/breakdown/breakdown.h"
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_BACK = 64 };

typedef struct open_span {
    uint32_t name;
    bool is_sync;
    int64_t end_ns;
} open_span;

typedef struct tacho_path_track {
    bool is_stream;
    uint32_t group; /* of a stream: its device */
    open_span *open;
    size_t open_count, open_capacity;
    uint32_t *nodes; /* by start */
    size_t node_count, node_capacity;
    bool is_sync; /* the last node of the thread is a call that waits */
} path_track;

static tacho_path_gather *gather_of(void *self)
{
    return self;
}

static tacho_status begin_part(void *self, uint32_t part)
{
    tacho_path_gather *gather = gather_of(self);
    (void)part;
    size_t track_count = gather->timeline.events.dict->track_count;
    TACHO_TRY(tacho_grow(&gather->tracks, &gather->track_capacity, track_count));
    for (; gather->track_count < track_count; gather->track_count++) {
        gather->tracks[gather->track_count] = (path_track){.group = TACHO_NONE};
    }
    return TACHO_OK;
}

static void clear_tracks(tacho_path_gather *gather)
{
    for (size_t i = 0; i < gather->track_count; i++) {
        free(gather->tracks[i].open);
        free(gather->tracks[i].nodes);
        gather->tracks[i] = (path_track){.group = TACHO_NONE};
    }
    gather->device_count = 0;
}

/* ---- streams ------------------------------------------------------------------------------- */

static tacho_status add_node(tacho_path_gather *gather, path_track *track,
                             const tacho_path_node *node)
{
    uint32_t id = TACHO_NONE;
    TACHO_TRY(tacho_grow(&track->nodes, &track->node_capacity, track->node_count + 1));
    TACHO_TRY(tacho_path_graph_add(&gather->graph, node, &id));
    track->nodes[track->node_count++] = id;
    return TACHO_OK;
}

/* The number of nodes of |track| that have started by |time_ns|. */
static size_t count_started(const tacho_path_gather *gather, const path_track *track,
                            int64_t time_ns)
{
    size_t low = 0;
    for (size_t high = track->node_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        bool is_after = gather->graph.nodes[track->nodes[middle]].start_ns > time_ns;
        low = is_after ? low : middle + 1;
        high = is_after ? middle : high;
    }
    return low;
}

/* The latest node on |stream| that has ended by |time_ns|, within a limited number of nodes. */
static uint32_t last_ended(const tacho_path_gather *gather, const path_track *stream,
                           int64_t time_ns)
{
    size_t count = count_started(gather, stream, time_ns);
    for (size_t i = 0; i < count && i < LOOK_BACK; i++) {
        uint32_t id = stream->nodes[count - 1 - i];
        if (gather->graph.nodes[id].end_ns <= time_ns) {
            return id;
        }
    }
    return TACHO_NONE;
}

/* The node that ended last on streams of the device |group| (TACHO_NONE: of all devices), except
 * |own|. */
static uint32_t last_of_device(const tacho_path_gather *gather, uint32_t group,
                               const path_track *own, int64_t time_ns)
{
    uint32_t found = TACHO_NONE;
    for (size_t i = 0; i < gather->device_count; i++) {
        const path_track *stream = &gather->tracks[gather->devices[i]];
        bool is_asked = stream != own && (group == TACHO_NONE || stream->group == group);
        uint32_t id = is_asked ? last_ended(gather, stream, time_ns) : TACHO_NONE;
        if (id != TACHO_NONE && (found == TACHO_NONE || gather->graph.nodes[id].end_ns >
                                                            gather->graph.nodes[found].end_ns)) {
            found = id;
        }
    }
    return found;
}

/* The piece of the launching thread that the call begins with. */
static uint32_t call_of(const tacho_path_gather *gather, const tacho_launch *launch)
{
    const path_track *thread = &gather->tracks[launch->track];
    size_t count = count_started(gather, thread, launch->start_ns);
    return count > 0 && !thread->is_stream ? thread->nodes[count - 1] : TACHO_NONE;
}

static tacho_status add_work(void *self, const tacho_timeline_work *work, uint32_t *out_tag)
{
    tacho_path_gather *gather = gather_of(self);
    const tacho_dict *dict = gather->timeline.events.dict;
    uint32_t id = work->span.row->track;
    path_track *track = &gather->tracks[id];
    if (!track->is_stream) {
        TACHO_TRY(tacho_grow(&gather->devices, &gather->device_capacity, gather->device_count + 1));
        gather->devices[gather->device_count++] = id;
        track->is_stream = true;
        track->group = tacho_device_group(dict, id);
    }
    bool has_launch = work->has_launch && work->launch.start_ns < work->span.start_ns;
    tacho_path_node node = {
        .start_ns = work->span.start_ns,
        .end_ns = work->span.end_ns,
        .launch_ns = has_launch ? work->launch.start_ns : 0,
        .before = last_ended(gather, track, work->span.start_ns),
        .launch = has_launch ? call_of(gather, &work->launch) : TACHO_NONE,
        .other = last_of_device(gather, track->group, track, work->span.start_ns),
        .name = dict->sites[work->span.row->of.span.site].name,
        .is_work = true,
    };
    *out_tag = 0;
    return add_node(gather, track, &node);
}

/* ---- threads ------------------------------------------------------------------------------- */

static bool holds(tacho_str text, tacho_str word)
{
    for (; text.len >= word.len; text = tacho_str_from(text, 1)) {
        if (tacho_str_starts_with(text, word)) {
            return true;
        }
    }
    return false;
}

/* Ends the last piece at |time_ns| and begins one of the innermost open span. */
static tacho_status begin_piece(tacho_path_gather *gather, path_track *thread, int64_t time_ns)
{
    tacho_path_graph *graph = &gather->graph;
    const open_span *inner = thread->open_count > 0 ? &thread->open[thread->open_count - 1] : NULL;
    tacho_path_node node = {
        .start_ns = time_ns,
        .end_ns = time_ns,
        .before = TACHO_NONE,
        .launch = TACHO_NONE,
        .other = TACHO_NONE,
        .name = inner != NULL ? inner->name : 0,
    };
    if (thread->node_count > 0) {
        uint32_t last = thread->nodes[thread->node_count - 1];
        tacho_path_node *before = &graph->nodes[last];
        if (before->start_ns == time_ns) { /* no time has passed in it */
            before->name = node.name;
            thread->is_sync = inner != NULL && inner->is_sync;
            return TACHO_OK;
        }
        before->end_ns = time_ns;
        node.before = last;
        uint32_t waited =
            thread->is_sync ? last_of_device(gather, TACHO_NONE, NULL, time_ns) : TACHO_NONE;
        if (waited != TACHO_NONE && graph->nodes[waited].end_ns > before->start_ns) {
            before->has_waited = true;
            before->end_ns = before->start_ns; /* of its own */
            node.other = waited;
        }
    }
    thread->is_sync = inner != NULL && inner->is_sync;
    return add_node(gather, thread, &node);
}

/* Closes the spans that have ended by |time_ns|. */
static tacho_status close_spans(tacho_path_gather *gather, path_track *thread, int64_t time_ns)
{
    while (thread->open_count > 0 && thread->open[thread->open_count - 1].end_ns <= time_ns) {
        int64_t end_ns = thread->open[--thread->open_count].end_ns;
        uint32_t last = thread->nodes[thread->node_count - 1];
        while (thread->open_count > 0 && thread->open[thread->open_count - 1].end_ns <= end_ns) {
            thread->open_count--;
        }
        if (end_ns > gather->graph.nodes[last].start_ns) {
            TACHO_TRY(begin_piece(gather, thread, end_ns));
        }
    }
    return TACHO_OK;
}

static tacho_status add_call(void *self, const tacho_timeline_span *span)
{
    const uint32_t hosts = TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME);
    tacho_path_gather *gather = gather_of(self);
    const tacho_dict *dict = gather->timeline.events.dict;
    uint32_t id = span->row->track;
    if ((TACHO_TRACK_BIT(dict->tracks[id].track_class) & hosts) == 0 ||
        span->end_ns <= span->start_ns) {
        return TACHO_OK;
    }
    path_track *thread = &gather->tracks[id];
    uint32_t name = dict->sites[span->row->of.span.site].name;
    TACHO_TRY(close_spans(gather, thread, span->start_ns));
    TACHO_TRY(tacho_grow(&thread->open, &thread->open_capacity, thread->open_count + 1));
    thread->open[thread->open_count++] = (open_span){
        .name = name,
        .is_sync = holds(tacho_dict_string(dict, name), TACHO_STR("Synchronize")),
        .end_ns = span->end_ns,
    };
    return begin_piece(gather, thread, span->start_ns);
}

/* ---- parts --------------------------------------------------------------------------------- */

static tacho_status end_part(void *self, uint32_t part)
{
    tacho_path_gather *gather = gather_of(self);
    tacho_status status = gather->device_count > 0 ? tacho_path_trace(gather, part) : TACHO_OK;
    clear_tracks(gather);
    tacho_path_graph_clear(&gather->graph);
    return status;
}

static tacho_status open_path(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    const tacho_breakdown_options *chosen = options;
    tacho_path_gather *gather = calloc(1, sizeof(*gather));
    if (gather == NULL) {
        return tacho_no_memory();
    }
    const tacho_timeline_taker taker = {
        .self = gather,
        .call = add_call,
        .work = add_work,
        .begin_part = begin_part,
        .end_part = end_part,
    };
    tacho_timeline_init(&gather->timeline, dict, &taker);
    gather->top = chosen->top;
    *out_events = &gather->timeline.events;
    return TACHO_OK;
}

static void close_path(tacho_events *events)
{
    tacho_path_gather *gather = (tacho_path_gather *)(void *)events;
    if (gather == NULL) {
        return;
    }
    clear_tracks(gather);
    for (size_t i = 0; i < gather->result_count; i++) {
        free(gather->results[i].operators);
    }
    tacho_path_graph_deinit(&gather->graph);
    tacho_timeline_deinit(&gather->timeline);
    free(gather->tracks);
    free(gather->devices);
    free(gather->results);
    free(gather);
}

static tacho_timeline *timeline_of(tacho_events *events)
{
    return &((tacho_path_gather *)(void *)events)->timeline;
}

const tacho_analysis tacho_analysis_critical_path = {
    .name = "critical_path",
    .question =
        "which chain of work ends last, and what would be gained if some of it took no time",
    .options = "tacho_breakdown_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_path,
    .write = tacho_path_write,
    .close = close_path,
    .timeline = timeline_of,
};
