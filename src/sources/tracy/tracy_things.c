/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, locks, messages, plots and memory of a .tracy file.
 */
#include "sources/tracy/tracy_file.h"

#include "base/grow.h"
#include "base/heap.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    NAME_ROOM = 160,
    FIRST_FRAMES = 2, /* of the main set: the start of the program, and that of recording */
    LOCK_THREADS = 256,
    PLOT_MEMORY = 1,
    PLOT_PERCENT = 2,
    SECTION_BYTES = 15,
};

static const uint32_t no_color = UINT32_MAX;

/* ---- frames -------------------------------------------------------------------------------- */

static tacho_status make_frame_track(tracy_file *file, uint64_t key, uint32_t *out_track)
{
    char name[NAME_ROOM] = "Frame";
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_PHASE,
                                     .nesting = TACHO_NESTING_ENGINE,
                                     .number = -1,
                                     .is_provisional = key != 0};
    if (key != 0) {
        snprintf(name, sizeof(name), "frame 0x%" PRIx64, key);
    }
    TACHO_TRY(tacho_tracy_rows_track(&file->rows, &facts, tacho_str_from_cstring(name), out_track));
    if (key == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&file->frames, &file->frame_capacity, file->frame_count + 1));
    file->frames[file->frame_count++] = (tracy_unnamed){*out_track, key};
    return TACHO_OK;
}

static tacho_status push_frame(tracy_file *file, uint32_t track, int64_t start, int64_t end)
{
    const tacho_tracy_span span = {.track = track,
                                   .site = file->rows.frame_site,
                                   .start = start,
                                   .end = end < start ? file->last_time : end,
                                   .flags = end < start ? TACHO_SPAN_UNENDED : 0};
    return tacho_tracy_rows_span(&file->rows, &span);
}

static tacho_status read_frame_set(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t key = tracy_bytes_u64(bytes);
    bool is_continuous = tracy_bytes_u8(bytes) != 0;
    uint64_t count = tracy_bytes_u64(bytes);
    uint64_t first = key == 0 ? FIRST_FRAMES : 0;
    int64_t running = 0;
    int64_t before = 0;
    uint32_t track = TACHO_NONE;
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        int64_t start = tracy_bytes_time(bytes, &running);
        int64_t end = is_continuous ? start : tracy_bytes_time(bytes, &running);
        tracy_bytes_u32(bytes);
        bool is_whole = !bytes->is_cut && (is_continuous ? i > first : i >= first);
        if (is_whole && track == TACHO_NONE) {
            TACHO_TRY(make_frame_track(file, key, &track));
        }
        if (is_whole) {
            TACHO_TRY(push_frame(file, track, is_continuous ? before : start, end));
        }
        before = start;
    }
    return TACHO_OK;
}

tacho_status tracy_read_frames(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t count = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        TACHO_TRY(read_frame_set(file));
    }
    if (file->version >= TRACY_VERSION(0, 13, 5)) {
        uint64_t categories = tracy_bytes_u64(bytes);
        for (uint64_t i = 0; i < categories && !bytes->is_cut; i++) {
            tracy_bytes_u16(bytes);
            tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * SECTION_BYTES);
        }
        tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 5);
    } else if (file->version == TRACY_VERSION(0, 13, 4)) {
        tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * SECTION_BYTES);
    }
    return TACHO_OK;
}

tacho_status tracy_name_frames(tracy_file *file)
{
    for (size_t i = 0; i < file->frame_count; i++) {
        tacho_str name = tacho_dict_string(file->dict, tracy_find_name(file, file->frames[i].key));
        TACHO_TRY(tacho_tracy_rows_rename(&file->rows, file->frames[i].track, name));
    }
    return TACHO_OK;
}

/* ---- locks --------------------------------------------------------------------------------- */

typedef struct lock_reader {
    uint32_t track; /* TACHO_NONE: not used yet */
    uint64_t threads[LOCK_THREADS];
    int64_t waits[LOCK_THREADS], holds[LOCK_THREADS]; /* INT64_MIN: not waiting, not holding */
} lock_reader;

static tacho_status make_lock_track(tracy_file *file, uint32_t id, uint32_t name, int16_t number,
                                    uint32_t *out_track)
{
    char text[NAME_ROOM];
    const tacho_tracy_track facts = {
        .track_class = TACHO_TRACK_SYNC, .nesting = TACHO_NESTING_ENGINE, .number = -1};
    const tracy_place *place = tracy_find_place(file, number);
    uint32_t string = name != 0 || place == NULL ? name
                      : place->place.name != 0   ? place->place.name
                                                 : place->place.function;
    tacho_str title = tacho_dict_string(file->dict, string);
    int shown = title.len < NAME_ROOM - 32 ? (int)title.len : NAME_ROOM - 32;
    int len = snprintf(text, sizeof(text), "lock %.*s%s%" PRIu32, shown, title.data,
                       shown > 0 ? " " : "", id);
    return tacho_tracy_rows_track(&file->rows, &facts, tacho_str_make(text, (size_t)len),
                                  out_track);
}

/* Pushes the wait or hold that began at |*start|, if any. */
static tacho_status push_lock(tracy_file *file, const lock_reader *lock, int64_t *start,
                              const tacho_tracy_span *kind, uint64_t thread)
{
    tacho_tracy_span span = *kind;
    if (*start == INT64_MIN) {
        return TACHO_OK;
    }
    span.track = lock->track;
    span.start = *start;
    *start = INT64_MIN;
    return tacho_tracy_rows_lock(&file->rows, &span, thread);
}

static tacho_status take_lock_event(tracy_file *file, lock_reader *lock, int64_t time)
{
    enum { WAIT, OBTAIN, RELEASE, KINDS };
    uint8_t user = tracy_bytes_u8(&file->bytes);
    uint8_t type = tracy_bytes_u8(&file->bytes);
    switch (type % KINDS) {
    case WAIT:
        lock->waits[user] = time;
        return TACHO_OK;
    case OBTAIN:
        lock->holds[user] = time;
        return push_lock(file, lock, &lock->waits[user],
                         &(tacho_tracy_span){.site = file->rows.wait_site, .end = time},
                         lock->threads[user]);
    default:
        return push_lock(file, lock, &lock->holds[user],
                         &(tacho_tracy_span){.site = file->rows.held_site, .end = time},
                         lock->threads[user]);
    }
}

static tacho_status read_lock(tracy_file *file, lock_reader *lock)
{
    tracy_bytes *bytes = &file->bytes;
    uint32_t id = tracy_bytes_u32(bytes);
    uint32_t name = tracy_text_at(file, tracy_bytes_u24(bytes));
    int16_t place = tracy_bytes_i16(bytes);
    tracy_bytes_skip(bytes, 2); /* type, validity */
    int64_t running = (int64_t)tracy_bytes_u64(bytes);
    tracy_bytes_u64(bytes);
    uint64_t thread_count = tracy_bytes_u64(bytes);
    for (size_t i = 0; i < LOCK_THREADS; i++) {
        lock->threads[i] = 0;
        lock->waits[i] = INT64_MIN;
        lock->holds[i] = INT64_MIN;
    }
    for (uint64_t i = 0; i < thread_count && !bytes->is_cut; i++) {
        uint64_t thread = tracy_bytes_u64(bytes);
        lock->threads[i < LOCK_THREADS ? i : LOCK_THREADS - 1] = thread;
    }
    uint64_t count = tracy_bytes_u64(bytes);
    if (count > 0 && !bytes->is_cut) {
        TACHO_TRY(make_lock_track(file, id, name, place, &lock->track));
    }
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        int64_t time = tracy_bytes_time(bytes, &running);
        tracy_bytes_u16(bytes);
        TACHO_TRY(take_lock_event(file, lock, time));
    }
    return TACHO_OK;
}

tacho_status tracy_read_locks(tracy_file *file)
{
    lock_reader lock = {.track = TACHO_NONE};
    uint64_t count = tracy_bytes_u64(&file->bytes);
    for (uint64_t i = 0; i < count && !file->bytes.is_cut; i++) {
        TACHO_TRY(read_lock(file, &lock));
    }
    return TACHO_OK;
}

/* ---- messages ------------------------------------------------------------------------------ */

tacho_status tracy_read_messages(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t count = tracy_bytes_u64(bytes);
    int64_t running = 0;
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        uint64_t key = tracy_bytes_u64(bytes);
        tracy_message made = {.time = tracy_bytes_time(bytes, &running)};
        made.text = tracy_read_ref(file);
        uint32_t color = tracy_bytes_u32(bytes);
        made.color = color == no_color ? TACHO_TRACY_NO_COLOR : tracy_color(color);
        tracy_bytes_u24(bytes);
        if (file->version >= TRACY_VERSION(0, 13, 2)) {
            tracy_bytes_u16(bytes);
        }
        TACHO_TRY(tacho_grow(&file->messages, &file->message_capacity, file->message_count + 1));
        TACHO_TRY(tacho_number_map_set(&file->message_map, key, file->message_count));
        file->messages[file->message_count++] = made;
        TACHO_TRY(tacho_tracy_rows_note_op(&file->rows, tacho_dict_string(file->dict, made.text)));
    }
    uint64_t extras = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < extras && !bytes->is_cut; i++) {
        tracy_bytes_u24(bytes);
        tracy_extra made = {.text = tracy_text_at(file, tracy_bytes_u24(bytes))};
        made.name = tracy_text_at(file, tracy_bytes_u24(bytes));
        made.color = tracy_color(tracy_bytes_u24(bytes));
        TACHO_TRY(tacho_grow(&file->extras, &file->extra_capacity, file->extra_count + 1));
        file->extras[file->extra_count++] = made;
    }
    return TACHO_OK;
}

/* ---- plots and memory ---------------------------------------------------------------------- */

static tacho_status push_sample(tracy_file *file, uint32_t track, int64_t time, double value)
{
    bool is_good = false;
    TACHO_TRY(tacho_tracy_rows_sample(&file->rows, track, time, value, &is_good));
    file->bad_count += is_good ? 0 : 1;
    return TACHO_OK;
}

static tacho_status make_counter(tracy_file *file, tacho_str name, tacho_unit unit,
                                 uint32_t *out_track)
{
    const tacho_tracy_track facts = {
        .track_class = TACHO_TRACK_COUNTER, .unit = unit, .number = -1};
    return tacho_tracy_rows_track(&file->rows, &facts, name, out_track);
}

static tacho_status read_plot(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint8_t type = tracy_bytes_u8(bytes);
    uint8_t format = tracy_bytes_u8(bytes);
    tracy_bytes_skip(bytes, 1 + 1 + 4);
    tacho_str name = tacho_dict_string(file->dict, tracy_find_name(file, tracy_bytes_u64(bytes)));
    tracy_bytes_skip(bytes, 3 * sizeof(double));
    uint64_t count = tracy_bytes_u64(bytes);
    int64_t running = 0;
    uint32_t track = 0;
    tacho_unit unit = format == PLOT_MEMORY    ? TACHO_UNIT_BYTES
                      : format == PLOT_PERCENT ? TACHO_UNIT_PERCENT
                                               : TACHO_UNIT_NONE;
    name = name.len > 0 ? name : type == 0 ? TACHO_STR("plot") : TACHO_STR("CPU load (Tracy)");
    if (count > 0 && !bytes->is_cut) {
        TACHO_TRY(make_counter(file, name, unit, &track));
    }
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        int64_t time = tracy_bytes_time(bytes, &running);
        double value = tracy_bytes_f64(bytes);
        if (!bytes->is_cut) {
            TACHO_TRY(push_sample(file, track, time, value));
        }
    }
    return TACHO_OK;
}

tacho_status tracy_read_plots(tracy_file *file)
{
    uint64_t count = tracy_bytes_u64(&file->bytes);
    for (uint64_t i = 0; i < count && !file->bytes.is_cut; i++) {
        TACHO_TRY(read_plot(file));
    }
    return TACHO_OK;
}

/* Memory of a pool while it is read: allocations by time, frees wait for theirs. */
typedef struct pool_reader {
    uint32_t track;
    uint64_t usage;
    tacho_heap frees;
} pool_reader;

/* Pushes all frees up to |time|. */
static tacho_status free_until(tracy_file *file, pool_reader *pool, uint64_t time)
{
    while (pool->frees.item_count > 0 && pool->frees.items[0].at <= time) {
        tacho_moment moment = tacho_heap_take(&pool->frees);
        pool->usage -= moment.value;
        TACHO_TRY(push_sample(file, pool->track, (int64_t)moment.at, (double)pool->usage));
    }
    return TACHO_OK;
}

static tacho_status read_allocation(tracy_file *file, pool_reader *pool, int64_t *running,
                                    uint64_t number)
{
    tracy_bytes *bytes = &file->bytes;
    tracy_bytes_u64(bytes);
    uint64_t size = tracy_bytes_u64(bytes);
    tracy_bytes_skip(bytes, 6);
    int64_t start = tracy_bytes_time(bytes, running);
    int64_t life = (int64_t)tracy_bytes_u64(bytes);
    tracy_bytes_skip(bytes, 4);
    int64_t end = 0;
    if (bytes->is_cut || start < 0) {
        return TACHO_OK;
    }
    TACHO_TRY(free_until(file, pool, (uint64_t)start));
    pool->usage += size;
    TACHO_TRY(push_sample(file, pool->track, start, (double)pool->usage));
    if (life < 0 || __builtin_add_overflow(start, life, &end)) {
        return TACHO_OK;
    }
    return tacho_heap_add(&pool->frees, (tacho_moment){(uint64_t)end, number, size});
}

static tacho_status read_pool(tracy_file *file, pool_reader *pool)
{
    tracy_bytes *bytes = &file->bytes;
    char text[NAME_ROOM] = "memory";
    uint64_t key = tracy_bytes_u64(bytes);
    uint64_t count = tracy_bytes_u64(bytes);
    tacho_str name = tacho_dict_string(file->dict, tracy_find_name(file, key));
    int64_t running = 0;
    tracy_bytes_skip(bytes, 2 * sizeof(uint64_t)); /* counts of live and freed blocks */
    if (key != 0) {
        snprintf(text, sizeof(text), "memory: %.*s", name.len < 120 ? (int)name.len : 120,
                 name.data);
    }
    if (count > 0 && !bytes->is_cut) {
        TACHO_TRY(make_counter(file, tacho_str_from_cstring(text), TACHO_UNIT_BYTES, &pool->track));
    }
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        TACHO_TRY(read_allocation(file, pool, &running, i));
    }
    TACHO_TRY(free_until(file, pool, UINT64_MAX));
    tracy_bytes_skip(bytes, 4 * sizeof(uint64_t));
    return TACHO_OK;
}

tacho_status tracy_read_memory(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t pools = tracy_bytes_u64(bytes);
    tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < pools && !bytes->is_cut; i++) {
        pool_reader pool = {.usage = 0};
        tacho_status status = read_pool(file, &pool);
        tacho_heap_deinit(&pool.frees);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

tacho_status tracy_read_app_info(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t stacks = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < stacks && !bytes->is_cut; i++) {
        tracy_bytes_skip(bytes, (uint64_t)tracy_bytes_u16(bytes) * 8);
    }
    uint64_t frames = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < frames && !bytes->is_cut; i++) {
        tracy_bytes_u64(bytes);
        uint8_t inlined = tracy_bytes_u8(bytes);
        tracy_bytes_skip(bytes, 3 + (uint64_t)inlined * 18);
    }
    uint64_t infos = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < infos && !bytes->is_cut; i++) {
        uint32_t text = tracy_read_ref(file);
        TACHO_TRY(tacho_dict_add_metadata(file->dict, "tracy.app_info",
                                          tacho_dict_string(file->dict, text)));
    }
    return TACHO_OK;
}
