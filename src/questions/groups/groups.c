/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns the timeline to groups. A place (timeline.h) is a node of the tree.
 */
#include "questions/groups/groups.h"

#include "base/grow.h"
#include "profile/scopes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LATE_COUNT = 1 << 16, STEP_BYTES = 256 };

#define HOST_CLASSES                                                                               \
    (TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY) |                  \
     TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME))

/* Facts of the spans of a site. */
typedef struct tacho_groups_site {
    uint8_t scope; /* a tacho_scope_kind */
    uint8_t kind;  /* a tacho_category_kind */
    bool is_of_library;
    bool is_whole;      /* whole operators of a device */
    bool is_step;       /* marks steps of the current part */
    uint32_t name;      /* string of the scope */
    uint32_t node_path; /* string: the layer from the name of an ONNX node; 0: none */
} site_facts;

/* A group that is open on a track. */
typedef struct open_group {
    int64_t end_ns;
    uint32_t node;
    uint32_t name; /* string, whole */
    bool is_of_library;
} open_group;

/* An open span that may contain the next ones. */
typedef struct open_work {
    int64_t end_ns;
    uint32_t cell;
} open_work;

typedef struct tacho_groups_track {
    open_group *groups; /* the innermost last */
    size_t group_count, group_capacity;
    open_work *works;
    size_t work_count, work_capacity;
    uint32_t last_tag;            /* of the latest work */
    tacho_group_place last_place; /* of the same work */
} track_state;

/* Work whose launch was unknown when it was added. */
typedef struct tacho_groups_late {
    uint32_t tag;
    uint32_t cell;
    uint32_t run; /* of its row */
    int64_t ns;
    uint64_t serial;
} late_work;

static tacho_status tell(const tacho_groups *self, const tacho_group_place *place)
{
    const tacho_groups_taker *taker = &self->options.taker;
    return taker->place != NULL ? taker->place(taker->self, place) : TACHO_OK;
}

/* ---- sites and steps ----------------------------------------------------------------------- */

static tacho_status read_site(tacho_groups *self, const tacho_site *site, site_facts *out_facts)
{
    tacho_dict *dict = self->events.dict;
    tacho_str category = tacho_dict_string(dict, site->category);
    tacho_str name = tacho_dict_string(dict, site->name);
    tacho_scope scope = tacho_scope_of(category, name);
    *out_facts = (site_facts){
        .scope = (uint8_t)scope.kind,
        .kind = (uint8_t)tacho_span_kind_of(category, name),
        .is_of_library = scope.is_of_library,
        .is_whole = tacho_operators_is_whole(dict, site),
    };
    if (tacho_str_equal(category, TACHO_STR("Node"))) { /* of ONNX Runtime */
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_scope_of_node(name), &out_facts->node_path));
    }
    return scope.kind != TACHO_SCOPE_NONE
               ? tacho_dict_ensure_string(dict, scope.name, &out_facts->name)
               : TACHO_OK;
}

static tacho_status grow_tracks(tacho_groups *self)
{
    size_t count = self->events.dict->track_count;
    TACHO_TRY(tacho_grow(&self->tracks, &self->track_capacity, count));
    while (self->track_count < count) {
        self->tracks[self->track_count++] = (track_state){.groups = NULL};
    }
    return TACHO_OK;
}

/* Makes a node for each step of |part|; steps of one name share it. */
static tacho_status make_steps(tacho_groups *self, uint32_t part)
{
    const tacho_steps *steps = &self->timeline.steps;
    TACHO_TRY(tacho_grow(&self->steps, &self->step_capacity, steps->item_count));
    for (size_t i = 0; i < steps->item_count && steps->kind != TACHO_STEP_RUN; i++) {
        tacho_group_cell key = {.part = part,
                                .origin = (uint32_t)self->events.dict->parts[part].origin};
        uint32_t cell = TACHO_NONE;
        TACHO_TRY(tacho_group_tree_ensure(&self->tree, 0, steps->items[i].name, &self->steps[i]));
        key.node = self->steps[i];
        TACHO_TRY(tacho_group_tree_cell(&self->tree, &key, &cell));
        self->tree.cells[cell].host.count++;
    }
    return TACHO_OK;
}

/* Reads the sites and locations that are new. */
static tacho_status grow_sites(tacho_groups *self)
{
    const tacho_dict *dict = self->events.dict;
    if (!self->is_ready) {
        self->is_ready = true;
        TACHO_TRY(tacho_group_tree_init(&self->tree));
    }
    TACHO_TRY(tacho_grow(&self->sites, &self->site_capacity, dict->site_count));
    while (self->site_count < dict->site_count) {
        TACHO_TRY(read_site(self, &dict->sites[self->site_count], &self->sites[self->site_count]));
        self->site_count++;
    }
    TACHO_TRY(tacho_grow(&self->of_locations, &self->location_capacity, dict->location_count));
    while (self->location_count < dict->location_count) {
        self->of_locations[self->location_count++] = 0;
    }
    return TACHO_OK;
}

/* Ranges that are steps of the part are not layers. */
static void mark_steps(tacho_groups *self)
{
    const tacho_steps *steps = &self->timeline.steps;
    for (size_t i = 0; i < self->site_count; i++) {
        self->sites[i].is_step =
            self->sites[i].scope == TACHO_SCOPE_LAYER && tacho_steps_is_mark(steps, (uint32_t)i);
    }
}

static tacho_status begin_part(void *groups, uint32_t part)
{
    tacho_groups *self = groups;
    TACHO_TRY(grow_sites(self));
    TACHO_TRY(tacho_grow(&self->parts, &self->part_capacity, (size_t)part + 1));
    while (self->part_count <= part) {
        self->parts[self->part_count++] = (tacho_groups_facts){.host_count = 0};
    }
    if (self->options.by == TACHO_GROUP_BY_STEP) {
        TACHO_TRY(make_steps(self, part));
    }
    mark_steps(self);
    return grow_tracks(self);
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* Enters the group |name| in |parent|, unless that is at the depth limit. */
static tacho_status enter(tacho_groups *self, uint32_t parent, uint32_t name, uint32_t *out_node)
{
    *out_node = parent;
    bool is_deep = self->options.depth > 0 && self->tree.nodes[parent].depth >= self->options.depth;
    return is_deep ? TACHO_OK : tacho_group_tree_ensure(&self->tree, parent, name, out_node);
}

/* Enters the groups of a path, "encoder/layer.3". */
static tacho_status enter_path(tacho_groups *self, tacho_str path, uint32_t *out_node)
{
    *out_node = 0;
    while (path.len > 0) {
        size_t len = tacho_str_find_byte(path, '/');
        if (len > 0) {
            uint32_t name = 0;
            TACHO_TRY(
                tacho_dict_ensure_string(self->events.dict, tacho_str_make(path.data, len), &name));
            TACHO_TRY(enter(self, *out_node, name, out_node));
        }
        path = tacho_str_from(path, len < path.len ? len + 1 : len);
    }
    return TACHO_OK;
}

/* The node from the location of a site, or the root. */
static tacho_status node_of_location(tacho_groups *self, uint32_t location, uint32_t *out_node)
{
    *out_node = 0;
    if (location == TACHO_NONE || self->of_locations[location] != 0) {
        *out_node = location != TACHO_NONE ? self->of_locations[location] - 1 : 0;
        return TACHO_OK;
    }
    tacho_dict *dict = self->events.dict;
    tacho_str text = tacho_dict_string(dict, dict->locations[location].text);
    tacho_str layer;
    tacho_str line;
    uint32_t name = 0;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_scope_of_location(text, &arena, &layer, &line);
    if (status == TACHO_OK && self->options.by == TACHO_GROUP_BY_LAYER) {
        status = enter_path(self, layer, out_node);
    } else if (status == TACHO_OK && line.len > 0) {
        status = tacho_dict_ensure_string(dict, line, &name);
        status = status == TACHO_OK ? enter(self, 0, name, out_node) : status;
    }
    tacho_arena_deinit(&arena);
    self->of_locations[location] = *out_node + 1;
    return status;
}

static tacho_status node_of_run(tacho_groups *self, uint32_t run, uint32_t *out_node)
{
    tacho_dict *dict = self->events.dict;
    const tacho_run *found = &dict->runs[run];
    tacho_str name = tacho_dict_string(dict, found->name);
    char text[STEP_BYTES];
    int len = snprintf(text, sizeof(text), "%.*s #%" PRId64,
                       (int)(name.len < STEP_BYTES / 2 ? name.len : STEP_BYTES / 2), name.data,
                       found->invocation);
    uint32_t id = 0;
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text, (size_t)len), &id));
    return enter(self, 0, id, out_node);
}

static tacho_status node_of_device(tacho_groups *self, uint32_t track, uint32_t *out_node)
{
    const tacho_dict *dict = self->events.dict;
    return enter(self, 0, dict->tracks[tacho_device_group(dict, track)].name, out_node);
}

tacho_status tacho_groups_layer_of_site(tacho_groups *groups, uint32_t site, uint32_t *out_node)
{
    const tacho_dict *dict = groups->events.dict;
    *out_node = 0;
    TACHO_TRY(grow_sites(groups));
    uint32_t path = groups->sites[site].node_path;
    return path != 0 ? enter_path(groups, tacho_dict_string(dict, path), out_node)
                     : node_of_location(groups, dict->sites[site].location, out_node);
}

/* The node from the span itself, regardless of spans around it, or the root. */
static tacho_status node_of_span(tacho_groups *self, const tacho_timeline_span *span,
                                 uint32_t *out_node)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_row *row = span->row;
    const tacho_site *site = &dict->sites[row->of.span.site];
    *out_node = 0;
    switch (self->options.by) {
    case TACHO_GROUP_BY_OP:
        return span->type != TACHO_NONE ? enter(self, 0, span->type, out_node) : TACHO_OK;
    case TACHO_GROUP_BY_LAYER:
        return tacho_groups_layer_of_site(self, row->of.span.site, out_node);
    case TACHO_GROUP_BY_LINE:
        return node_of_location(self, site->location, out_node);
    case TACHO_GROUP_BY_STEP: {
        uint32_t run = row->of.span.run;
        bool is_numbered = run != TACHO_NONE && dict->runs[run].invocation >= 0;
        return is_numbered ? node_of_run(self, run, out_node) : TACHO_OK;
    }
    case TACHO_GROUP_BY_DEVICE:
        return node_of_device(self, row->track, out_node);
    case TACHO_GROUP_BY_KERNEL:
        return enter(self, 0, tacho_operators_of_site(site), out_node);
    case TACHO_GROUP_KEY_COUNT:
        break;
    }
    return TACHO_OK;
}

/* ---- open groups --------------------------------------------------------------------------- */

/* The innermost group that is open on |track|, or NULL. */
static const open_group *innermost(track_state *track, int64_t now_ns)
{
    while (track->group_count > 0 && track->groups[track->group_count - 1].end_ns <= now_ns) {
        track->group_count--;
    }
    return track->group_count > 0 ? &track->groups[track->group_count - 1] : NULL;
}

/* The step at |now_ns|, of the host or in the windows of devices; spans name their own runs. */
static uint32_t step_at(const tacho_groups *self, uint32_t track, int64_t now_ns)
{
    const tacho_steps *steps = &self->timeline.steps;
    uint32_t step = tacho_timeline_is_device(&self->timeline, track)
                        ? tacho_step_windows_at(&self->timeline.windows, now_ns)
                        : tacho_steps_at(steps, now_ns);
    return step != TACHO_NONE && steps->kind != TACHO_STEP_RUN ? self->steps[step] : 0;
}

static uint32_t place_on(void *groups, uint32_t track, int64_t now_ns)
{
    tacho_groups *self = groups;
    if (self->options.by == TACHO_GROUP_BY_STEP) {
        return step_at(self, track, now_ns);
    }
    const open_group *group = innermost(&self->tracks[track], now_ns);
    return group != NULL ? group->node : 0;
}

/* Whether spans of |facts| open groups. */
static bool opens(const tacho_groups *self, const site_facts *facts)
{
    static const tacho_scope_kind scopes[TACHO_GROUP_KEY_COUNT] = {
        [TACHO_GROUP_BY_OP] = TACHO_SCOPE_OPERATOR,
        [TACHO_GROUP_BY_LAYER] = TACHO_SCOPE_LAYER,
        [TACHO_GROUP_BY_LINE] = TACHO_SCOPE_FRAME,
    };
    tacho_scope_kind scope = scopes[self->options.by];
    return scope != TACHO_SCOPE_NONE && facts->scope == (uint8_t)scope && !facts->is_step;
}

/*
 * Removes the name of the surrounding group from |name|: modules are often marked by their whole
 * names, so "encoder.layer.3" is inside "encoder". Its name there is "layer.3", as in exported
 * models.
 */
static tacho_status shorten(tacho_groups *self, const open_group *outer, uint32_t *name)
{
    tacho_dict *dict = self->events.dict;
    tacho_str whole = tacho_dict_string(dict, *name);
    tacho_str around = outer != NULL ? tacho_dict_string(dict, outer->name) : TACHO_STR("");
    bool is_longer = self->options.by == TACHO_GROUP_BY_LAYER && around.len > 0 &&
                     whole.len > around.len + 1 && whole.data[around.len] == '.' &&
                     tacho_str_starts_with(whole, around);
    return is_longer ? tacho_dict_ensure_string(dict, tacho_str_from(whole, around.len + 1), name)
                     : TACHO_OK;
}

/* Opens the group of |span| inside |*node|. Sets |*node| to that group, and whether it is new. */
static tacho_status open_scope(tacho_groups *self, const tacho_timeline_span *span, uint32_t *node,
                               bool *out_is_new)
{
    const site_facts *facts = &self->sites[span->row->of.span.site];
    track_state *track = &self->tracks[span->row->track];
    const open_group *outer = innermost(track, span->start_ns);
    bool is_of_library = facts->is_of_library;
    if (self->options.by == TACHO_GROUP_BY_LINE && is_of_library && outer != NULL &&
        !outer->is_of_library) {
        is_of_library = false; /* the user's line that called the library */
        *out_is_new = false;
    } else {
        uint32_t around = self->options.by == TACHO_GROUP_BY_LINE ? 0 : *node;
        uint32_t name = facts->name;
        TACHO_TRY(shorten(self, outer, &name));
        TACHO_TRY(enter(self, around, name, node));
        *out_is_new = *node != around;
    }
    TACHO_TRY(tacho_grow(&track->groups, &track->group_capacity, track->group_count + 1));
    track->groups[track->group_count++] =
        (open_group){span->end_ns, *node, self->sites[span->row->of.span.site].name, is_of_library};
    return TACHO_OK;
}

/* ---- time ---------------------------------------------------------------------------------- */

static tacho_status cell_of(tacho_groups *self, const tacho_timeline_span *span, uint32_t node,
                            uint32_t *out_cell)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_row *row = span->row;
    const tacho_group_cell key = {
        .part = dict->tracks[row->track].part,
        .origin = (uint32_t)span->origin,
        .node = node,
        .is_piece = tacho_operators_is_piece(dict, &dict->sites[row->of.span.site],
                                             &dict->tracks[row->track]),
    };
    return tacho_group_tree_cell(&self->tree, &key, out_cell);
}

/*
 * Counts the time of |span|, of the host, in |cell|. A moment belongs to the open span that started
 * last, so it is subtracted from the one that had it; spans may cross one another.
 */
static tacho_status add_host_time(tacho_groups *self, const tacho_timeline_span *span,
                                  uint32_t cell)
{
    track_state *track = &self->tracks[span->row->track];
    self->tree.cells[cell].host.self_ns += span->end_ns - span->start_ns;
    while (track->work_count > 0 && track->works[track->work_count - 1].end_ns <= span->start_ns) {
        track->work_count--;
    }
    int64_t at_ns = span->start_ns;
    while (track->work_count > 0 && at_ns < span->end_ns) { /* ends increase from the top down */
        const open_work *outer = &track->works[track->work_count - 1];
        bool is_covered = outer->end_ns <= span->end_ns;
        int64_t to_ns = is_covered ? outer->end_ns : span->end_ns;
        self->tree.cells[outer->cell].host.self_ns -= to_ns - at_ns;
        at_ns = to_ns;
        track->work_count -= is_covered ? 1 : 0;
    }
    TACHO_TRY(tacho_grow(&track->works, &track->work_capacity, track->work_count + 1));
    track->works[track->work_count++] = (open_work){span->end_ns, cell};
    return TACHO_OK;
}

/* The same for a device, where nested work is part of the outer work. */
static tacho_status add_device_time(tacho_groups *self, const tacho_timeline_span *span,
                                    uint32_t cell)
{
    uint32_t id = span->row->track;
    track_state *track = &self->tracks[id];
    int64_t ns = span->end_ns - span->start_ns;
    self->tree.cells[cell].device.self_ns += ns;
    if (self->events.dict->tracks[id].nesting != TACHO_NESTING_STACK) {
        return TACHO_OK;
    }
    while (track->work_count > 0 && track->works[track->work_count - 1].end_ns <= span->start_ns) {
        track->work_count--;
    }
    if (track->work_count > 0) {
        const open_work *outer = &track->works[track->work_count - 1];
        if (span->end_ns > outer->end_ns) {
            return TACHO_OK; /* the two cross */
        }
        self->tree.cells[outer->cell].device.self_ns -= ns;
    }
    TACHO_TRY(tacho_grow(&track->works, &track->work_capacity, track->work_count + 1));
    track->works[track->work_count++] = (open_work){span->end_ns, cell};
    return TACHO_OK;
}

static bool is_of_host(const tacho_groups *self, const tacho_row *row)
{
    const site_facts *facts = &self->sites[row->of.span.site];
    tacho_track_class span_class = tacho_operators_class((tacho_category_kind)facts->kind,
                                                         &self->events.dict->tracks[row->track]);
    return (TACHO_TRACK_BIT(span_class) & HOST_CLASSES) != 0;
}

/*
 * Whether |row| is a range that the program marks as a layer on one of its threads: time of the
 * thread outside of inner spans is the layer's own time.
 */
static bool is_marked_layer(const tacho_groups *self, const tacho_row *row)
{
    const site_facts *facts = &self->sites[row->of.span.site];
    tacho_track_class track_class = self->events.dict->tracks[row->track].track_class;
    return facts->scope == TACHO_SCOPE_LAYER && !facts->is_step &&
           (TACHO_TRACK_BIT(track_class) & HOST_CLASSES) != 0 &&
           !tacho_timeline_is_device(&self->timeline, row->track);
}

/* Whether |span| is of a backward pass and only its forward operator has a place. */
static bool belongs_to_forward(tacho_groups *self, const tacho_timeline_span *span)
{
    bool has_places =
        self->options.by == TACHO_GROUP_BY_LAYER || self->options.by == TACHO_GROUP_BY_LINE;
    return has_places && span->forward != TACHO_NONE && span->forward != 0 &&
           innermost(&self->tracks[span->row->track], span->start_ns) == NULL;
}

/* Gives spans inside |span| the place of its forward operator. */
static tacho_status open_forward(tacho_groups *self, const tacho_timeline_span *span,
                                 uint32_t *out_node)
{
    track_state *track = &self->tracks[span->row->track];
    *out_node = span->forward;
    TACHO_TRY(tacho_grow(&track->groups, &track->group_capacity, track->group_count + 1));
    track->groups[track->group_count++] =
        (open_group){.end_ns = span->end_ns, .node = span->forward};
    return TACHO_OK;
}

/* Adds a span that is not device work. */
static tacho_status add_call(void *groups, const tacho_timeline_span *span)
{
    tacho_groups *self = groups;
    const tacho_row *row = span->row;
    const site_facts *facts = &self->sites[row->of.span.site];
    tacho_groups_facts *part = &self->parts[self->events.dict->tracks[row->track].part];
    bool is_opening = opens(self, facts);
    bool is_counted = false;
    bool is_host = is_of_host(self, row);
    uint32_t node = place_on(self, row->track, span->start_ns);
    uint32_t cell = TACHO_NONE;
    part->host_count += is_host ? 1 : 0;
    bool is_marked = !is_host && is_marked_layer(self, row);
    is_host = is_host || is_marked;
    part->operator_count += facts->scope == TACHO_SCOPE_OPERATOR ? 1 : 0;
    if (self->options.by == TACHO_GROUP_BY_KERNEL || (!is_opening && !is_host)) {
        return TACHO_OK;
    }
    if (is_opening) {
        TACHO_TRY(open_scope(self, span, &node, &is_counted));
    } else if (belongs_to_forward(self, span)) {
        TACHO_TRY(open_forward(self, span, &node));
    } else if (node == 0 || self->options.by == TACHO_GROUP_BY_DEVICE) {
        TACHO_TRY(node_of_span(self, span, &node));
        is_counted = node != 0 && !is_marked;
    }
    tacho_group_place place = {.run = row->of.span.run, .serial = span->serial, .node = node};
    bool is_aside = tacho_timeline_is_device(&self->timeline, row->track) && !is_host;
    if (is_aside) { /* a range on a device: only the place of work without a call */
        return tell(self, &place);
    }
    TACHO_TRY(cell_of(self, span, node, &cell));
    self->tree.cells[cell].host.count += is_counted ? 1 : 0;
    place.is_counted = is_host;
    place.is_piece = self->tree.cells[cell].is_piece;
    TACHO_TRY(tell(self, &place));
    return is_host ? add_host_time(self, span, cell) : TACHO_OK;
}

/* Finds the group of device work. */
static tacho_status node_of_work(tacho_groups *self, const tacho_timeline_work *work,
                                 uint32_t *out_node)
{
    const tacho_timeline_span *span = &work->span;
    tacho_group_key by = self->options.by;
    const site_facts *facts = &self->sites[span->row->of.span.site];
    *out_node = 0;
    if (by == TACHO_GROUP_BY_KERNEL || by == TACHO_GROUP_BY_DEVICE) {
        return node_of_span(self, span, out_node);
    }
    if (work->has_caller) {
        *out_node = work->caller;
    }
    if (*out_node == 0) {
        TACHO_TRY(node_of_span(self, span, out_node));
    }
    if (*out_node == 0 && !work->has_caller) {
        *out_node = place_on(self, span->row->track, span->start_ns);
    }
    bool is_own = *out_node == 0 && by == TACHO_GROUP_BY_OP && !work->has_caller &&
                  facts->kind != TACHO_CATEGORY_KIND_DEVICE; /* on a machine without kernels */
    const tacho_dict *dict = self->events.dict;
    return is_own ? enter(self, 0, tacho_operators_of_site(&dict->sites[span->row->of.span.site]),
                          out_node)
                  : TACHO_OK;
}

static tacho_status keep_late(tacho_groups *self, const late_work *work, uint32_t *out_tag)
{
    if (self->late == NULL) {
        TACHO_TRY(tacho_items_make(&self->late, LATE_COUNT));
    }
    *out_tag = ++self->late_next;
    self->late[*out_tag % LATE_COUNT] = *work;
    self->late[*out_tag % LATE_COUNT].tag = *out_tag;
    return TACHO_OK;
}

static tacho_status add_work(void *groups, const tacho_timeline_work *work, uint32_t *out_tag)
{
    tacho_groups *self = groups;
    const tacho_timeline_span *span = &work->span;
    tacho_groups_facts *part = &self->parts[self->events.dict->tracks[span->row->track].part];
    uint32_t node = 0;
    uint32_t cell = TACHO_NONE;
    part->work_count++;
    part->joined_count += work->has_caller ? 1 : 0;
    part->has_wholes |= self->sites[span->row->of.span.site].is_whole;
    TACHO_TRY(node_of_work(self, work, &node));
    TACHO_TRY(cell_of(self, span, node, &cell));
    self->tree.cells[cell].device.count++;
    *out_tag = 0;
    if (!work->has_caller) {
        const late_work late = {.cell = cell,
                                .run = span->row->of.span.run,
                                .ns = span->end_ns - span->start_ns,
                                .serial = span->serial};
        TACHO_TRY(keep_late(self, &late, out_tag));
    }
    const tacho_group_place place = {
        .run = span->row->of.span.run,
        .serial = span->serial,
        .node = node,
        .is_counted = true,
        .is_device = true,
        .is_piece = self->tree.cells[cell].is_piece,
        .has_launch = work->has_launch,
        .launch_track = work->launch.track,
        .launch_ns = work->launch.start_ns,
    };
    TACHO_TRY(tell(self, &place));
    self->tracks[span->row->track].last_tag = *out_tag;
    self->tracks[span->row->track].last_place = place;
    return add_device_time(self, span, cell);
}

/* Assigns work to the late-found call at |caller|. */
static tacho_status add_late(void *groups, uint32_t tag, uint32_t caller)
{
    tacho_groups *self = groups;
    bool is_by_caller =
        self->options.by != TACHO_GROUP_BY_KERNEL && self->options.by != TACHO_GROUP_BY_DEVICE;
    late_work *late = tag != 0 ? &self->late[tag % LATE_COUNT] : NULL;
    if (late == NULL || late->tag != tag || late->cell == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_group_cell key = self->tree.cells[late->cell];
    self->parts[key.part].joined_count++;
    if (is_by_caller && (caller != 0 || self->options.by == TACHO_GROUP_BY_STEP)) {
        uint32_t cell = TACHO_NONE;
        key.node = caller;
        const tacho_group_place place = {.run = late->run,
                                         .serial = late->serial,
                                         .node = caller,
                                         .is_counted = true,
                                         .is_device = true,
                                         .is_piece = key.is_piece};
        TACHO_TRY(tell(self, &place));
        TACHO_TRY(tacho_group_tree_cell(&self->tree, &key, &cell));
        tacho_group_time *from = &self->tree.cells[late->cell].device;
        tacho_group_time *to = &self->tree.cells[cell].device;
        from->self_ns -= late->ns;
        from->count--;
        to->self_ns += late->ns;
        to->count++;
    }
    late->cell = TACHO_NONE; /* only once */
    return TACHO_OK;
}

/* Adds the launch of the work that was just added to |track|. */
static tacho_status add_launch(void *groups, uint32_t track, const tacho_launch *launch)
{
    tacho_groups *self = groups;
    tacho_group_place *place = &self->tracks[track].last_place;
    uint32_t tag = self->tracks[track].last_tag;
    TACHO_TRY(add_late(self, tag, launch->place));
    place->node = tag != 0 && launch->place != 0 ? launch->place : place->node;
    place->has_launch = true;
    place->launch_track = launch->track;
    place->launch_ns = launch->start_ns;
    return tell(self, place);
}

/* ---- parts --------------------------------------------------------------------------------- */

static tacho_status end_part(void *groups, uint32_t part)
{
    (void)part;
    tacho_groups *self = groups;
    for (size_t i = 0; i < self->track_count; i++) {
        self->tracks[i].group_count = self->tracks[i].work_count = 0;
    }
    return TACHO_OK;
}

void tacho_groups_init(tacho_groups *groups, tacho_dict *dict, const tacho_groups_options *options)
{
    const tacho_timeline_taker taker = {.self = groups,
                                        .needs_steps = options->by == TACHO_GROUP_BY_STEP ||
                                                       options->by == TACHO_GROUP_BY_LAYER,
                                        .needs_windows = options->by == TACHO_GROUP_BY_STEP,
                                        .call = add_call,
                                        .work = add_work,
                                        .launch = add_launch,
                                        .late = add_late,
                                        .place = place_on,
                                        .begin_part = begin_part,
                                        .end_part = end_part,
                                        .needs_serials = options->taker.needs_serials,
                                        .has_own_runs = options->taker.has_own_runs};
    *groups = (tacho_groups){.options = *options};
    tacho_timeline_init(&groups->timeline, dict, &taker);
}

void tacho_groups_deinit(tacho_groups *groups)
{
    for (size_t i = 0; i < groups->track_count; i++) {
        free(groups->tracks[i].groups);
        free(groups->tracks[i].works);
    }
    tacho_timeline_deinit(&groups->timeline);
    if (groups->is_ready) {
        tacho_group_tree_deinit(&groups->tree);
    }
    free(groups->sites);
    free(groups->steps);
    free(groups->tracks);
    free(groups->of_locations);
    free(groups->late);
    free(groups->parts);
    *groups = (tacho_groups){.options = {.top = 0}};
}
