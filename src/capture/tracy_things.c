/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plots, frames, locks and memory of a Tracy client.
 */
#include "capture/tracy_state.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_ROOM = 160, PLOT_MEMORY = 1, PLOT_PERCENT = 2 };

typedef struct plot {
    uint64_t address;
    uint32_t track;
} plot;

typedef struct frame_set {
    uint64_t address; /* 0: the main one */
    uint32_t track;
    int64_t start; /* of the frame that runs */
    bool is_running;
} frame_set;

/* A thread's waiting for, and holding of, a lock. */
typedef struct lock_user {
    uint64_t thread;
    int64_t wait_start, held_start; /* INT64_MIN: it does not */
} lock_user;

typedef struct lock {
    uint32_t id;
    uint32_t place;
    uint32_t track; /* TACHO_NONE: nothing happened yet */
    bool has_title; /* its track is called by more than its number */
    uint32_t name;  /* string; 0: none was given */
    lock_user *users;
    size_t user_count, user_capacity;
    uint32_t holder; /* user who got it last */
} lock;

typedef struct pool {
    uint64_t address; /* of its name; 0: the program's own memory */
    uint32_t track;
    uint32_t name; /* of the names; TACHO_NONE: it has none */
    bool has_title;
    uint64_t usage;
    tacho_number_map sizes; /* by address */
} pool;

struct tacho_tracy_things {
    plot *plots;
    size_t plot_count, plot_capacity;
    frame_set *frames;
    size_t frame_count, frame_capacity;
    lock *locks;
    size_t lock_count, lock_capacity;
    pool *pools;
    size_t pool_count, pool_capacity;
    tacho_number_map plot_map, frame_map, lock_map, pool_map;
    uint32_t load_track; /* of the computer's CPUs; TACHO_NONE */
};

tacho_status tacho_tracy_things_make(tacho_tracy_session *session)
{
    TACHO_TRY(tacho_items_make(&session->things, 1));
    session->things->load_track = TACHO_NONE;
    return TACHO_OK;
}

void tacho_tracy_things_free(tacho_tracy_session *session)
{
    tacho_tracy_things *things = session->things;
    if (things == NULL) {
        return;
    }
    for (size_t i = 0; i < things->lock_count; i++) {
        free(things->locks[i].users);
    }
    for (size_t i = 0; i < things->pool_count; i++) {
        tacho_number_map_deinit(&things->pools[i].sizes);
    }
    free(things->plots);
    free(things->frames);
    free(things->locks);
    free(things->pools);
    tacho_number_map_deinit(&things->plot_map);
    tacho_number_map_deinit(&things->frame_map);
    tacho_number_map_deinit(&things->lock_map);
    tacho_number_map_deinit(&things->pool_map);
    free(things);
    session->things = NULL;
}

/* ---- plots --------------------------------------------------------------------------------- */

/* A track that is called by an address until its name is known. */
static tacho_status make_track(tacho_tracy_session *session, const tacho_tracy_track *facts,
                               const char *word, uint64_t number, uint32_t *out_track)
{
    char name[NAME_ROOM];
    int len = snprintf(name, sizeof(name), "%s 0x%" PRIx64, word, number);
    return tacho_tracy_rows_track(&session->rows, facts, tacho_str_make(name, (size_t)len),
                                  out_track);
}

static tacho_status find_plot(tacho_tracy_session *session, uint64_t address, uint32_t *out_plot)
{
    tacho_tracy_things *things = session->things;
    const uint64_t *found = tacho_number_map_find(&things->plot_map, address);
    const tacho_tracy_track facts = {
        .track_class = TACHO_TRACK_COUNTER, .number = -1, .is_provisional = true};
    if (found != NULL) {
        *out_plot = (uint32_t)*found;
        return TACHO_OK;
    }
    plot made = {.address = address};
    TACHO_TRY(make_track(session, &facts, "plot", address, &made.track));
    TACHO_TRY(tacho_grow(&things->plots, &things->plot_capacity, things->plot_count + 1));
    *out_plot = (uint32_t)things->plot_count;
    things->plots[things->plot_count++] = made;
    TACHO_TRY(tacho_number_map_set(&things->plot_map, address, *out_plot));
    return address == 0 ? TACHO_OK
                        : tacho_tracy_names_ask(&session->names, TACHO_TRACY_QUERY_PLOT, address);
}

static tacho_status push_sample(tacho_tracy_session *session, uint32_t track, int64_t time,
                                double value)
{
    bool is_good = false;
    session->counts.samples++;
    TACHO_TRY(tacho_tracy_rows_sample(&session->rows, track, time, value, &is_good));
    session->counts.bad_samples += is_good ? 0 : 1;
    return TACHO_OK;
}

static tacho_status take_plot(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    uint64_t bits = tacho_tracy_u64(item->data + 8 + 8);
    uint32_t at = 0;
    int64_t time = 0;
    double value = 0;
    float single = 0;
    if (item->event == TACHO_TRACY_PLOT_DATA_INT) {
        value = (double)(int64_t)bits;
    } else if (item->event == TACHO_TRACY_PLOT_DATA_DOUBLE) {
        memcpy(&value, &bits, sizeof(value));
    } else {
        memcpy(&single, item->data + 16, sizeof(single));
        value = (double)single;
    }
    bool is_good =
        tacho_tracy_step(session, &session->thread_ticks, tacho_tracy_i64(item->data + 8), &time);
    TACHO_TRY(find_plot(session, tacho_tracy_u64(item->data), &at));
    return is_good ? push_sample(session, session->things->plots[at].track, time, value) : TACHO_OK;
}

static tacho_status take_plot_config(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    uint32_t at = 0;
    uint8_t type = item->data[8];
    TACHO_TRY(find_plot(session, tacho_tracy_u64(item->data), &at));
    tacho_track *track = &session->rows.events->dict->tracks[session->things->plots[at].track];
    track->unit = type == PLOT_MEMORY    ? TACHO_UNIT_BYTES
                  : type == PLOT_PERCENT ? TACHO_UNIT_PERCENT
                                         : TACHO_UNIT_NONE;
    return TACHO_OK;
}

static tacho_status name_track(tacho_tracy_session *session, const tacho_tracy_item *item,
                               const tacho_number_map *map, bool is_plot)
{
    const uint64_t *found = tacho_number_map_find(map, tacho_tracy_u64(item->data));
    session->names.reply_count++;
    if (found == NULL) {
        return TACHO_OK;
    }
    return tacho_tracy_rows_rename(&session->rows,
                                   is_plot ? session->things->plots[*found].track
                                           : session->things->frames[*found].track,
                                   item->text);
}

/* The load of all CPUs of the computer. */
static tacho_status take_load(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    tacho_tracy_things *things = session->things;
    const tacho_tracy_track facts = {
        .track_class = TACHO_TRACK_COUNTER, .unit = TACHO_UNIT_PERCENT, .number = -1};
    int64_t time = 0;
    float value = 0;
    memcpy(&value, item->data + 8, sizeof(value));
    if (!tacho_tracy_time(session, tacho_tracy_i64(item->data), &time)) {
        return TACHO_OK;
    }
    if (things->load_track == TACHO_NONE) {
        TACHO_TRY(tacho_tracy_rows_track(&session->rows, &facts, TACHO_STR("CPU load (Tracy)"),
                                         &things->load_track));
    }
    return push_sample(session, things->load_track, time, (double)value);
}

/* ---- frames -------------------------------------------------------------------------------- */

static tacho_status find_frames(tacho_tracy_session *session, uint64_t address, uint32_t *out_set)
{
    tacho_tracy_things *things = session->things;
    const uint64_t *found = tacho_number_map_find(&things->frame_map, address);
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_PHASE,
                                     .nesting = TACHO_NESTING_ENGINE,
                                     .number = -1,
                                     .is_provisional = address != 0};
    if (found != NULL) {
        *out_set = (uint32_t)*found;
        return TACHO_OK;
    }
    frame_set made = {.address = address};
    TACHO_TRY(address == 0
                  ? tacho_tracy_rows_track(&session->rows, &facts, TACHO_STR("Frame"), &made.track)
                  : make_track(session, &facts, "frame", address, &made.track));
    TACHO_TRY(tacho_grow(&things->frames, &things->frame_capacity, things->frame_count + 1));
    *out_set = (uint32_t)things->frame_count;
    things->frames[things->frame_count++] = made;
    TACHO_TRY(tacho_number_map_set(&things->frame_map, address, *out_set));
    return address == 0 ? TACHO_OK
                        : tacho_tracy_names_ask(&session->names, TACHO_TRACY_QUERY_FRAME, address);
}

static tacho_status end_frame(tacho_tracy_session *session, frame_set *set, int64_t end,
                              uint32_t flags)
{
    const tacho_tracy_span span = {.track = set->track,
                                   .site = session->rows.frame_site,
                                   .start = set->start,
                                   .end = end,
                                   .flags = flags};
    set->is_running = false;
    session->counts.frames++;
    return tacho_tracy_rows_span(&session->rows, &span);
}

static tacho_status take_frame(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    int64_t time = 0;
    uint32_t at = 0;
    if (!tacho_tracy_time(session, tacho_tracy_i64(item->data), &time)) {
        return TACHO_OK;
    }
    TACHO_TRY(find_frames(session, tacho_tracy_u64(item->data + 8), &at));
    frame_set *set = &session->things->frames[at];
    bool is_end = item->event == TACHO_TRACY_FRAME_MARK_MSG_END;
    if (set->is_running) {
        TACHO_TRY(end_frame(session, set, time, 0));
    } else if (is_end) {
        session->counts.mismatched++;
    }
    set->start = time;
    set->is_running = !is_end;
    return TACHO_OK;
}

/* ---- locks --------------------------------------------------------------------------------- */

static tacho_status announce_lock(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    tacho_tracy_things *things = session->things;
    lock made = {.id = tacho_tracy_u32(item->data), .track = TACHO_NONE, .holder = TACHO_NONE};
    TACHO_TRY(
        tacho_tracy_names_place(&session->names, tacho_tracy_u64(item->data + 12), &made.place));
    if (things->lock_count >= TACHO_TRACY_THINGS_MAX ||
        tacho_number_map_find(&things->lock_map, made.id) != NULL) {
        session->counts.unknown++;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&things->locks, &things->lock_capacity, things->lock_count + 1));
    things->locks[things->lock_count++] = made;
    return tacho_number_map_set(&things->lock_map, made.id, things->lock_count - 1);
}

static lock *find_lock(tacho_tracy_session *session, uint32_t id)
{
    const uint64_t *found = tacho_number_map_find(&session->things->lock_map, id);
    session->counts.unknown += found == NULL ? 1 : 0;
    return found != NULL ? &session->things->locks[*found] : NULL;
}

/* Calls the track of a lock by its own name, or by that of its place, with its number. */
static tacho_status title_lock(tacho_tracy_session *session, lock *item)
{
    char text[NAME_ROOM];
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_SYNC,
                                     .nesting = TACHO_NESTING_ENGINE,
                                     .number = -1,
                                     .is_provisional = true};
    uint32_t string =
        item->name != 0 ? item->name : tacho_tracy_names_title(&session->names, item->place);
    tacho_str title = tacho_dict_string(session->rows.events->dict, string);
    int shown = title.len < NAME_ROOM - 32 ? (int)title.len : NAME_ROOM - 32;
    int len = snprintf(text, sizeof(text), "lock %.*s%s%" PRIu32, shown, title.data,
                       shown > 0 ? " " : "", item->id);
    item->has_title = shown > 0;
    return item->track == TACHO_NONE
               ? tacho_tracy_rows_track(&session->rows, &facts, tacho_str_make(text, (size_t)len),
                                        &item->track)
               : tacho_tracy_rows_rename(&session->rows, item->track,
                                         tacho_str_make(text, (size_t)len));
}

static tacho_status find_user(lock *item, uint64_t thread, uint32_t *out_user)
{
    for (size_t i = 0; i < item->user_count; i++) {
        if (item->users[i].thread == thread) {
            *out_user = (uint32_t)i;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&item->users, &item->user_capacity, item->user_count + 1));
    item->users[item->user_count] = (lock_user){thread, INT64_MIN, INT64_MIN};
    *out_user = (uint32_t)item->user_count++;
    return TACHO_OK;
}

/* Pushes a span that began at |*start|, if one did. */
static tacho_status push_lock(tacho_tracy_session *session, lock *item, int64_t *start, int64_t end,
                              const tacho_tracy_span *kind, uint64_t thread)
{
    tacho_tracy_span span = *kind;
    if (*start == INT64_MIN) {
        return TACHO_OK;
    }
    if (!item->has_title) {
        TACHO_TRY(title_lock(session, item));
    }
    span.track = item->track;
    span.start = *start;
    span.end = end;
    *start = INT64_MIN;
    return tacho_tracy_rows_lock(&session->rows, &span, thread);
}

/* A lock is waited for, obtained or released by |thread|. */
typedef struct lock_step {
    uint32_t id;
    uint64_t thread; /* UINT64_MAX: its holder */
    int64_t delta;
    enum { LOCK_WAITS, LOCK_OBTAINS, LOCK_RELEASES } what;
} lock_step;

static lock_step read_step(const tacho_tracy_item *item)
{
    const unsigned char *data = item->data;
    switch ((int)item->event) {
    case TACHO_TRACY_LOCK_RELEASE:
        return (lock_step){tacho_tracy_u32(data), UINT64_MAX, tacho_tracy_i64(data + 4),
                           LOCK_RELEASES};
    case TACHO_TRACY_LOCK_SHARED_RELEASE:
        return (lock_step){tacho_tracy_u32(data), tacho_tracy_u32(data + 12),
                           tacho_tracy_i64(data + 4), LOCK_RELEASES};
    case TACHO_TRACY_LOCK_WAIT:
    case TACHO_TRACY_LOCK_SHARED_WAIT:
        return (lock_step){tacho_tracy_u32(data + 4), tacho_tracy_u32(data),
                           tacho_tracy_i64(data + 8), LOCK_WAITS};
    default:
        return (lock_step){tacho_tracy_u32(data + 4), tacho_tracy_u32(data),
                           tacho_tracy_i64(data + 8), LOCK_OBTAINS};
    }
}

static tacho_status take_lock(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    const lock_step step = read_step(item);
    const tacho_tracy_span waits = {.site = session->rows.wait_site};
    const tacho_tracy_span holds = {.site = session->rows.held_site};
    int64_t time = 0;
    uint32_t user = 0;
    bool is_good = tacho_tracy_step(session, &session->serial_ticks, step.delta, &time);
    lock *of = find_lock(session, step.id);
    session->counts.lock_events++;
    if (of == NULL || !is_good) {
        return TACHO_OK;
    }
    if (step.thread == UINT64_MAX) {
        user = of->holder;
    } else {
        TACHO_TRY(find_user(of, step.thread, &user));
    }
    if (user == TACHO_NONE) {
        session->counts.mismatched++;
        return TACHO_OK;
    }
    uint64_t thread = of->users[user].thread;
    switch (step.what) {
    case LOCK_WAITS:
        of->users[user].wait_start = time;
        return TACHO_OK;
    case LOCK_OBTAINS:
        of->holder = user;
        of->users[user].held_start = time;
        return push_lock(session, of, &of->users[user].wait_start, time, &waits, thread);
    case LOCK_RELEASES:
        return push_lock(session, of, &of->users[user].held_start, time, &holds, thread);
    }
    return TACHO_OK;
}

static tacho_status name_lock(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    tacho_str text = tacho_tracy_take_single(session);
    lock *of = find_lock(session, tacho_tracy_u32(item->data));
    if (of == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_ensure_string(session->rows.events->dict, text, &of->name));
    return of->track != TACHO_NONE ? title_lock(session, of) : TACHO_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static tacho_status find_pool(tacho_tracy_session *session, uint64_t address, uint32_t *out_pool)
{
    tacho_tracy_things *things = session->things;
    const uint64_t *found = tacho_number_map_find(&things->pool_map, address);
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_COUNTER,
                                     .unit = TACHO_UNIT_BYTES,
                                     .number = -1,
                                     .is_provisional = address != 0};
    if (found != NULL) {
        *out_pool = (uint32_t)*found;
        return TACHO_OK;
    }
    pool made = {.address = address, .name = TACHO_NONE, .has_title = address == 0};
    if (address == 0) {
        TACHO_TRY(tacho_tracy_rows_track(&session->rows, &facts, TACHO_STR("memory"), &made.track));
    } else {
        TACHO_TRY(make_track(session, &facts, "memory", address, &made.track));
        TACHO_TRY(tacho_tracy_names_text(&session->names, address, &made.name));
    }
    TACHO_TRY(tacho_grow(&things->pools, &things->pool_capacity, things->pool_count + 1));
    *out_pool = (uint32_t)things->pool_count;
    things->pools[things->pool_count++] = made;
    return tacho_number_map_set(&things->pool_map, address, *out_pool);
}

/* Calls a pool by its name once that is known. */
static tacho_status title_pool(tacho_tracy_session *session, pool *item)
{
    char text[NAME_ROOM];
    uint32_t string = item->has_title ? TACHO_NONE : session->names.names[item->name].string;
    if (string == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_str name = tacho_dict_string(session->rows.events->dict, string);
    int shown = name.len < NAME_ROOM - 16 ? (int)name.len : NAME_ROOM - 16;
    int len = snprintf(text, sizeof(text), "memory: %.*s", shown, name.data);
    item->has_title = true;
    return tacho_tracy_rows_rename(&session->rows, item->track, tacho_str_make(text, (size_t)len));
}

static tacho_status allocate(tacho_tracy_session *session, pool *of, uint64_t address,
                             uint64_t size)
{
    const uint64_t *before = tacho_number_map_find(&of->sizes, address);
    if (before != NULL) {
        session->counts.mismatched++; /* its free is missing */
        of->usage -= *before;
    }
    of->usage += size;
    return tacho_number_map_set(&of->sizes, address, size);
}

static void release(tacho_tracy_session *session, pool *of, uint64_t address)
{
    const uint64_t *size = tacho_number_map_find(&of->sizes, address);
    if (size == NULL) {
        session->counts.mismatched++;
        return;
    }
    of->usage -= *size;
    tacho_number_map_remove(&of->sizes, address);
}

/* The effect of an event on memory. */
typedef enum memory_step { MEMORY_TAKES, MEMORY_GIVES, MEMORY_DISCARDS } memory_step;

static tacho_status take_memory(tacho_tracy_session *session, const tacho_tracy_item *item,
                                memory_step step)
{
    const unsigned char *data = item->data;
    uint64_t name = step == MEMORY_DISCARDS ? tacho_tracy_u64(data + 12)
                    : session->has_pool     ? session->pool
                                            : 0;
    uint32_t at = 0;
    int64_t time = 0;
    bool is_good = tacho_tracy_step(session, &session->serial_ticks, tacho_tracy_i64(data), &time);
    session->has_pool = false;
    session->counts.memory_events++;
    TACHO_TRY(find_pool(session, name, &at));
    pool *of = &session->things->pools[at];
    if (step == MEMORY_TAKES) {
        uint64_t size = tacho_tracy_u32(data + 20) | (uint64_t)tacho_tracy_u16(data + 24) << 32;
        TACHO_TRY(allocate(session, of, tacho_tracy_u64(data + 12), size));
    } else if (step == MEMORY_GIVES) {
        release(session, of, tacho_tracy_u64(data + 12));
    } else {
        of->usage = 0;
        tacho_number_map_clear(&of->sizes);
    }
    TACHO_TRY(title_pool(session, of));
    return is_good ? push_sample(session, of->track, time, (double)of->usage) : TACHO_OK;
}

/* ---- all of them --------------------------------------------------------------------------- */

static tacho_status take_memory_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                      bool *out_is_taken)
{
    switch ((int)item->event) {
    case TACHO_TRACY_MEM_ALLOC:
    case TACHO_TRACY_MEM_ALLOC_CALLSTACK:
        session->has_pool = false;
        return take_memory(session, item, MEMORY_TAKES);
    case TACHO_TRACY_MEM_ALLOC_NAMED:
    case TACHO_TRACY_MEM_ALLOC_CALLSTACK_NAMED:
        return take_memory(session, item, MEMORY_TAKES);
    case TACHO_TRACY_MEM_FREE:
    case TACHO_TRACY_MEM_FREE_CALLSTACK:
        session->has_pool = false;
        return take_memory(session, item, MEMORY_GIVES);
    case TACHO_TRACY_MEM_FREE_NAMED:
    case TACHO_TRACY_MEM_FREE_CALLSTACK_NAMED:
        return take_memory(session, item, MEMORY_GIVES);
    case TACHO_TRACY_MEM_DISCARD:
    case TACHO_TRACY_MEM_DISCARD_CALLSTACK:
        return take_memory(session, item, MEMORY_DISCARDS);
    default:
        *out_is_taken = false;
        return TACHO_OK;
    }
}

tacho_status tacho_tracy_thing_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                     bool *out_is_taken)
{
    *out_is_taken = true;
    switch ((int)item->event) {
    case TACHO_TRACY_PLOT_DATA_INT:
    case TACHO_TRACY_PLOT_DATA_FLOAT:
    case TACHO_TRACY_PLOT_DATA_DOUBLE:
        return take_plot(session, item);
    case TACHO_TRACY_PLOT_CONFIG:
        return take_plot_config(session, item);
    case TACHO_TRACY_PLOT_NAME:
        return name_track(session, item, &session->things->plot_map, true);
    case TACHO_TRACY_FRAME_NAME:
        return name_track(session, item, &session->things->frame_map, false);
    case TACHO_TRACY_SYS_TIME_REPORT:
        return take_load(session, item);
    case TACHO_TRACY_FRAME_MARK_MSG:
    case TACHO_TRACY_FRAME_MARK_MSG_START:
    case TACHO_TRACY_FRAME_MARK_MSG_END:
        return take_frame(session, item);
    case TACHO_TRACY_LOCK_ANNOUNCE:
        return announce_lock(session, item);
    case TACHO_TRACY_LOCK_WAIT:
    case TACHO_TRACY_LOCK_OBTAIN:
    case TACHO_TRACY_LOCK_RELEASE:
    case TACHO_TRACY_LOCK_SHARED_WAIT:
    case TACHO_TRACY_LOCK_SHARED_OBTAIN:
    case TACHO_TRACY_LOCK_SHARED_RELEASE:
        return take_lock(session, item);
    case TACHO_TRACY_LOCK_NAME:
        return name_lock(session, item);
    case TACHO_TRACY_LOCK_MARK:
        return tacho_tracy_names_skip_place(&session->names, tacho_tracy_u64(item->data + 8),
                                            tacho_tracy_u32(item->data));
    default:
        return take_memory_event(session, item, out_is_taken);
    }
}

tacho_status tacho_tracy_finish_things(tacho_tracy_session *session)
{
    tacho_tracy_things *things = session->things;
    for (size_t i = 0; i < things->lock_count; i++) {
        if (things->locks[i].track != TACHO_NONE && !things->locks[i].has_title) {
            TACHO_TRY(title_lock(session, &things->locks[i]));
        }
    }
    for (size_t i = 0; i < things->pool_count; i++) {
        TACHO_TRY(title_pool(session, &things->pools[i]));
    }
    return TACHO_OK;
}
