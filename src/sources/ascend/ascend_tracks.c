/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices with their streams, processes with their threads.
 */
#include "sources/ascend/ascend_tracks.h"

#include <inttypes.h>
#include <stdio.h>

enum { KIND_DEVICE = ASCEND_ROW_COMMUNICATION + 1, KIND_PROCESS, KIND_THREAD };

tacho_status ascend_part_init(ascend_part *part, const tacho_reading *reading, const char *format,
                              tacho_str generation)
{
    static const char *const words[] = {
#define ASCEND_WORD_TEXT(name, text) text,
        ASCEND_WORDS(ASCEND_WORD_TEXT)
#undef ASCEND_WORD_TEXT
    };
    gpu_part_facts facts = {
        .format = format,
        .generation = generation,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE),
    };
    TACHO_TRY(gpu_part_init(&part->gpu, reading, &facts));
    for (size_t i = 0; i < ASCEND_WORD_COUNT; i++) {
        TACHO_TRY(gpu_part_string(&part->gpu, words[i], &part->words[i]));
    }
    return TACHO_OK;
}

/* A group or thread called |word| and |number|. */
static tacho_status find_numbered(ascend_part *part, gpu_track_key key, tacho_track facts,
                                  const char *word, uint32_t *out_track)
{
    char text[60];
    *out_track = gpu_part_find_track(&part->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    int len = snprintf(text, sizeof(text), "%s %" PRId64, word, facts.number);
    bool is_of_system = key.kind != KIND_DEVICE;
    facts.has_number = is_of_system && facts.number >= 0 && facts.number < TACHO_TRACK_NUMBER_END;
    facts.is_numbered = facts.has_number;
    facts.number = facts.has_number ? facts.number : 0;
    return gpu_part_add_track(&part->gpu, key, facts,
                              (gpu_part_name){tacho_str_make(text, (size_t)len), TACHO_STR("")},
                              out_track);
}

tacho_status ascend_find_row(ascend_part *part, ascend_row row, int64_t device, int64_t stream,
                             uint32_t *out_track)
{
    gpu_track_key key = {row, (uint64_t)device, (uint64_t)stream, 0};
    gpu_track_key device_key = {KIND_DEVICE, (uint64_t)device, 0, 0};
    char text[60];
    *out_track = gpu_part_find_track(&part->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    bool is_event = row == ASCEND_ROW_EVENTS;
    bool has_index = stream >= 0 && stream < UINT32_MAX;
    tacho_track facts = {.track_class = is_event ? TACHO_TRACK_SYNC : TACHO_TRACK_COMPUTE,
                         .nesting = TACHO_NESTING_ENGINE,
                         .index = has_index ? (uint32_t)stream : 0};
    tacho_track group = {.parent = TACHO_NONE, .track_class = TACHO_TRACK_GROUP, .number = device};
    TACHO_TRY(find_numbered(part, device_key, group, "NPU", &facts.parent));
    if (row == ASCEND_ROW_COMMUNICATION) {
        snprintf(text, sizeof(text), "communication");
    } else {
        snprintf(text, sizeof(text), "stream %" PRId64 "%s", stream, is_event ? ", events" : "");
    }
    return gpu_part_add_track(&part->gpu, key, facts,
                              (gpu_part_name){tacho_str_from_cstring(text), TACHO_STR("")},
                              out_track);
}

tacho_status ascend_find_thread(ascend_part *part, int64_t process, int64_t thread,
                                uint32_t *out_track)
{
    gpu_track_key key = {KIND_THREAD, (uint64_t)process, (uint64_t)thread, 0};
    gpu_track_key process_key = {KIND_PROCESS, (uint64_t)process, 0, 0};
    tacho_track group = {.parent = TACHO_NONE, .track_class = TACHO_TRACK_GROUP, .number = process};
    tacho_track facts = {.track_class = TACHO_TRACK_HOST, .number = thread};
    TACHO_TRY(find_numbered(part, process_key, group, "process", &facts.parent));
    return find_numbered(part, key, facts, "thread", out_track);
}

ascend_row ascend_row_of(tacho_str task_type, ascend_word *out_category)
{
    static const tacho_str events[] = {TACHO_STR_INIT("EVENT"), TACHO_STR_INIT("NOTIFY"),
                                       TACHO_STR_INIT("WAIT"), TACHO_STR_INIT("RECORD"),
                                       TACHO_STR_INIT("PROFILER")};
    *out_category = ASCEND_KERNEL;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (tacho_str_contains(task_type, events[i])) {
            *out_category = ASCEND_EVENT;
            return ASCEND_ROW_EVENTS;
        }
    }
    if (tacho_str_contains(task_type, TACHO_STR("MEMCPY")) ||
        tacho_str_contains(task_type, TACHO_STR("SDMA"))) {
        *out_category = ASCEND_COPY;
    }
    return ASCEND_ROW_STREAM;
}
