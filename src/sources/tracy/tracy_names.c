/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front of a .tracy file: the recorded program, and all names.
 */
#include "sources/tracy/tracy_file.h"

#include "base/grow.h"

enum { HOST_MAX = 64 << 10, TEXT_MAX = 16 << 20 };

uint32_t tracy_text_at(const tracy_file *file, uint32_t index)
{
    return index > 0 && index <= file->text_count ? file->texts[index - 1] : 0;
}

static uint32_t find_name(const tacho_number_map *map, uint64_t key)
{
    const uint64_t *found = tacho_number_map_find(map, key);
    return found != NULL ? (uint32_t)*found : 0;
}

uint32_t tracy_find_name(const tracy_file *file, uint64_t key)
{
    return find_name(&file->name_map, key);
}

uint32_t tracy_read_ref(tracy_file *file)
{
    uint64_t value = tracy_bytes_u64(&file->bytes);
    uint8_t flags = tracy_bytes_u8(&file->bytes);
    if ((flags & 2) == 0) {
        return 0;
    }
    if ((flags & 1) == 0) {
        return find_name(&file->name_map, value);
    }
    return value < file->text_count ? file->texts[value] : 0;
}

tracy_place *tracy_find_place(tracy_file *file, int16_t number)
{
    size_t index = number < 0 ? file->dynamic_first + (size_t)(-(int32_t)number - 1)
                   : (size_t)number < file->expand_count ? file->expand[number]
                                                         : SIZE_MAX;
    bool is_there = index < file->place_count && (number < 0 || index < file->dynamic_first);
    return is_there ? &file->places[index] : NULL;
}

/* ---- the program --------------------------------------------------------------------------- */

/* Reads the origin: files that tacho wrote may hold estimates, marked ahead of the host's name. */
static void note_origin(tracy_file *file, tacho_str text)
{
    tacho_str mark = TACHO_STR(TACHO_TRACY_WRITTEN_BY);
    if (tacho_str_starts_with(text, mark)) {
        tacho_str name = tacho_str_from(text, mark.len);
        name.len = tacho_str_find_byte(name, '\n');
        file->dict->parts[file->rows.part].origin = tacho_origin_find(name);
    }
}

/* A text with its length ahead of it, as metadata. */
static tacho_status note_text(tracy_file *file, const char *key, size_t most)
{
    char text[4096];
    uint64_t len = tracy_bytes_u64(&file->bytes);
    size_t shown = len < sizeof(text) ? (size_t)len : sizeof(text);
    if (len > most) {
        file->bytes.is_cut = true;
        return TACHO_OK;
    }
    tracy_bytes_get(&file->bytes, text, shown);
    tracy_bytes_skip(&file->bytes, len - shown);
    while (shown > 0 && text[shown - 1] == '\0') {
        shown--;
    }
    note_origin(file, tacho_str_make(text, shown));
    return tacho_dict_add_metadata(file->dict, key, tacho_str_make(text, shown));
}

static void skip_topology(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    bool has_dies = file->version >= TRACY_VERSION(0, 11, 2);
    uint64_t packages = tracy_bytes_u64(bytes);
    for (uint64_t p = 0; p < packages && !bytes->is_cut; p++) {
        tracy_bytes_u32(bytes);
        uint64_t dies = has_dies ? tracy_bytes_u64(bytes) : 1;
        for (uint64_t d = 0; d < dies && !bytes->is_cut; d++) {
            if (has_dies) {
                tracy_bytes_u32(bytes);
            }
            uint64_t cores = tracy_bytes_u64(bytes);
            for (uint64_t c = 0; c < cores && !bytes->is_cut; c++) {
                tracy_bytes_u32(bytes);
                tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * sizeof(uint32_t));
            }
        }
    }
}

tacho_status tracy_read_head(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    if (file->version < TRACY_VERSION(0, 12, 3)) {
        tracy_bytes_u64(bytes);
    }
    tracy_bytes_u64(bytes); /* resolution */
    tracy_bytes_u64(bytes); /* ns per tick: times are in ns already */
    file->last_time = (int64_t)tracy_bytes_u64(bytes);
    tracy_bytes_u64(bytes); /* frame offset */
    file->pid = tracy_bytes_u64(bytes);
    tracy_bytes_skip(bytes, 8 + 1 + 4 + 12);
    if (file->version >= TRACY_VERSION(0, 9, 2)) {
        tracy_bytes_u8(bytes);
    }
    TACHO_TRY(note_text(file, "tracy.capture", HOST_MAX));
    TACHO_TRY(note_text(file, "tracy.program", HOST_MAX));
    tracy_bytes_skip(bytes, 16);
    TACHO_TRY(note_text(file, "tracy.host", HOST_MAX));
    skip_topology(file);
    file->crash.thread = tracy_bytes_u64(bytes);
    file->crash.time = (int64_t)tracy_bytes_u64(bytes);
    file->crash.message = tracy_bytes_u64(bytes);
    tracy_bytes_u32(bytes);
    return TACHO_OK;
}

/* ---- texts --------------------------------------------------------------------------------- */

static tacho_status read_text(tracy_file *file, tacho_arena *arena, uint32_t *out_string)
{
    char near[512];
    char *text = near;
    uint64_t len = tracy_bytes_u64(&file->bytes);
    if (len > TEXT_MAX) {
        file->bytes.is_cut = true;
        return TACHO_OK;
    }
    if (len > sizeof(near)) {
        TACHO_TRY(tacho_arena_alloc_bytes(arena, (size_t)len, &text));
    }
    tracy_bytes_get(&file->bytes, text, (size_t)len);
    tacho_status status =
        tacho_dict_ensure_string(file->dict, tacho_str_make(text, (size_t)len), out_string);
    return status;
}

static tacho_status read_texts(tracy_file *file)
{
    tacho_arena arena;
    tacho_status status = TACHO_OK;
    uint64_t count = tracy_bytes_u64(&file->bytes);
    tacho_arena_init(&arena);
    for (uint64_t i = 0; i < count && !file->bytes.is_cut && status == TACHO_OK; i++) {
        uint32_t string = 0;
        uint64_t address = tracy_bytes_u64(&file->bytes);
        status = read_text(file, &arena, &string);
        if (status == TACHO_OK) {
            status = tacho_grow(&file->texts, &file->text_capacity, file->text_count + 1);
        }
        if (status == TACHO_OK) {
            file->texts[file->text_count++] = string;
            file->is_fork =
                file->is_fork || tacho_tracy_is_tenstorrent(tacho_dict_string(file->dict, string));
            status = tacho_number_map_set(&file->text_map, address, string);
        }
        tacho_arena_reset(&arena);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* Pairs of a key and the address of a text. */
static tacho_status read_keys(tracy_file *file, tacho_number_map *map)
{
    uint64_t count = tracy_bytes_u64(&file->bytes);
    for (uint64_t i = 0; i < count && !file->bytes.is_cut; i++) {
        uint64_t key = tracy_bytes_u64(&file->bytes);
        uint64_t address = tracy_bytes_u64(&file->bytes);
        TACHO_TRY(tacho_number_map_set(map, key, find_name(&file->text_map, address)));
    }
    return TACHO_OK;
}

/* ---- places -------------------------------------------------------------------------------- */

static tacho_status read_place(tracy_file *file)
{
    tracy_place made = {.site = TACHO_NONE, .device_site = TACHO_NONE};
    made.place.name = tracy_read_ref(file);
    made.place.function = tracy_read_ref(file);
    made.place.file = tracy_read_ref(file);
    made.place.line = tracy_bytes_u32(&file->bytes);
    made.place.color = tracy_color(tracy_bytes_u32(&file->bytes));
    TACHO_TRY(tacho_grow(&file->places, &file->place_capacity, file->place_count + 1));
    file->places[file->place_count++] = made;
    return TACHO_OK;
}

static tacho_status read_places(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t count = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        uint64_t key = tracy_bytes_u64(bytes);
        TACHO_TRY(tacho_number_map_set(&file->place_map, key, file->place_count));
        TACHO_TRY(read_place(file));
    }
    file->dynamic_first = file->place_count;
    count = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        const uint64_t *found = tacho_number_map_find(&file->place_map, tracy_bytes_u64(bytes));
        TACHO_TRY(tacho_grow(&file->expand, &file->expand_capacity, file->expand_count + 1));
        file->expand[file->expand_count++] = found != NULL ? (uint32_t)*found : TACHO_NONE;
    }
    count = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        TACHO_TRY(read_place(file));
    }
    return TACHO_OK;
}

tacho_status tracy_read_names(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    TACHO_TRY(read_texts(file));
    TACHO_TRY(read_keys(file, &file->name_map));
    TACHO_TRY(read_keys(file, &file->thread_map));
    tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 24);
    uint64_t count = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < count && !bytes->is_cut; i++) {
        TACHO_TRY(tacho_grow(&file->threads, &file->thread_capacity, file->thread_count + 1));
        file->threads[file->thread_count++] = tracy_bytes_u64(bytes);
    }
    tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 8);
    TACHO_TRY(read_places(file));
    tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 10); /* counts of zones by place */
    tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 10); /* and of devices' */
    return TACHO_OK;
}

tacho_status tracy_thread_track(tracy_file *file, uint64_t tid, bool is_fiber, uint32_t *out_track)
{
    tacho_str name = tacho_dict_string(file->dict, find_name(&file->thread_map, tid));
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_HOST, .number = -1};
    if (is_fiber && name.len > 0) {
        return tacho_tracy_rows_track(&file->rows, &facts, name, out_track);
    }
    return tacho_tracy_rows_thread(&file->rows, name, tid, out_track);
}
