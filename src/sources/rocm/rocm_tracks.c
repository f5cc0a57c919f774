/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes with their threads; agents with their queues, copies and memory.
 */
#include "sources/rocm/rocm_tracks.h"

#include <inttypes.h>
#include <stdio.h>

enum { KIND_PROCESS, KIND_THREAD, KIND_AGENT, KIND_QUEUE, KIND_COPIES, KIND_MEMORY, KIND_COUNTER };

tacho_status rocm_part_init(rocm_part *part, const tacho_reading *reading, const char *format,
                            tacho_str generation)
{
    static const char *const words[] = {
#define ROCM_WORD_TEXT(name, text) text,
        ROCM_WORDS(ROCM_WORD_TEXT)
#undef ROCM_WORD_TEXT
    };
    gpu_part_facts facts = {
        .format = format,
        .generation = generation,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE) | TACHO_TRACK_BIT(TACHO_TRACK_HOST),
    };
    TACHO_TRY(gpu_part_init(&part->gpu, reading, &facts));
    for (size_t i = 0; i < ROCM_WORD_COUNT; i++) {
        TACHO_TRY(gpu_part_string(&part->gpu, words[i], &part->words[i]));
    }
    return TACHO_OK;
}

void rocm_part_deinit(rocm_part *part)
{
    tacho_number_map_deinit(&part->allocated);
    tacho_number_map_deinit(&part->sizes);
    gpu_part_deinit(&part->gpu);
}

rocm_word rocm_word_of_domain(tacho_str domain)
{
    static const struct {
        tacho_str beginning;
        rocm_word word;
    } domains[] = {{TACHO_STR_INIT("HIP_"), ROCM_HIP},
                   {TACHO_STR_INIT("HSA_"), ROCM_HSA},
                   {TACHO_STR_INIT("MARKER_"), ROCM_MARKER},
                   {TACHO_STR_INIT("RCCL_"), ROCM_RCCL}};
    for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++) {
        if (tacho_str_starts_with(domain, domains[i].beginning)) {
            return domains[i].word;
        }
    }
    return ROCM_OTHER;
}

bool rocm_is_launch(tacho_str name)
{
    static const tacho_str words[] = {TACHO_STR_INIT("Launch"), TACHO_STR_INIT("emcpy"),
                                      TACHO_STR_INIT("emset")};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_str_contains(name, words[i])) {
            return true;
        }
    }
    return false;
}

/* ---- tracks --------------------------------------------------------------------------------- */

/* Adds a track called |name| and |number|, the operating system's. */
static tacho_status add_numbered(rocm_part *part, gpu_track_key key, tacho_track facts,
                                 tacho_str name, uint32_t *out_track)
{
    char text[GPU_PART_NAME_BYTES];
    int len = snprintf(text, sizeof(text), "%.*s %" PRId64, name.len < 100 ? (int)name.len : 100,
                       name.data, facts.number);
    facts.has_number = facts.number >= 0 && facts.number < TACHO_TRACK_NUMBER_END;
    facts.is_numbered = facts.has_number;
    facts.number = facts.has_number ? facts.number : 0;
    return gpu_part_add_track(&part->gpu, key, facts,
                              (gpu_part_name){tacho_str_make(text, (size_t)len), TACHO_STR("")},
                              out_track);
}

static tacho_status find_process(rocm_part *part, const rocm_thread *thread, uint32_t *out_track)
{
    gpu_track_key key = {KIND_PROCESS, thread->owner, (uint64_t)thread->process, 0};
    tacho_track facts = {
        .parent = TACHO_NONE, .track_class = TACHO_TRACK_GROUP, .number = thread->process};
    *out_track = gpu_part_find_track(&part->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    if (thread->process < 0) {
        return gpu_part_add_track(&part->gpu, key, facts,
                                  (gpu_part_name){TACHO_STR("Host"), TACHO_STR("")}, out_track);
    }
    tacho_str name = thread->process_name;
    return add_numbered(part, key, facts, name.len > 0 ? name : TACHO_STR("process"), out_track);
}

tacho_status rocm_find_thread(rocm_part *part, const rocm_thread *thread, uint32_t *out_track)
{
    gpu_track_key key = {KIND_THREAD, thread->owner, (uint64_t)thread->process,
                         (uint64_t)thread->thread};
    tacho_track facts = {.track_class = TACHO_TRACK_HOST, .number = thread->thread};
    *out_track = gpu_part_find_track(&part->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_str name = thread->thread_name;
    TACHO_TRY(find_process(part, thread, &facts.parent));
    return add_numbered(part, key, facts, name.len > 0 ? name : TACHO_STR("thread"), out_track);
}

static tacho_status find_agent(rocm_part *part, const rocm_agent *agent, uint32_t *out_track)
{
    gpu_track_key key = {KIND_AGENT, agent->owner, (uint64_t)agent->id, 0};
    char text[GPU_PART_NAME_BYTES];
    char fact[60];
    *out_track = gpu_part_find_track(&part->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    int len = snprintf(text, sizeof(text), "%s %" PRId64 "%s%.*s", agent->is_gpu ? "GPU" : "Agent",
                       agent->number, agent->name.len > 0 ? ": " : "",
                       agent->name.len < 100 ? (int)agent->name.len : 100, agent->name.data);
    if (agent->name.len > 0 && agent->is_gpu) {
        snprintf(fact, sizeof(fact), "device.%" PRId64 ".name", agent->number);
        TACHO_TRY(tacho_dict_add_metadata(part->gpu.dict, fact, agent->name));
    }
    bool has_index = agent->number >= 0 && agent->number < UINT32_MAX;
    tacho_track facts = {.parent = TACHO_NONE,
                         .track_class = TACHO_TRACK_GROUP,
                         .index = has_index ? (uint32_t)agent->number : 0};
    return gpu_part_add_track(&part->gpu, key, facts,
                              (gpu_part_name){tacho_str_make(text, (size_t)len), TACHO_STR("")},
                              out_track);
}

tacho_status rocm_find_queue(rocm_part *part, const rocm_agent *agent, int64_t queue,
                             uint32_t *out_track)
{
    gpu_track_key key = {KIND_QUEUE, agent->owner, (uint64_t)agent->id, (uint64_t)queue};
    char text[40];
    *out_track = gpu_part_find_track(&part->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    snprintf(text, sizeof(text), "queue %" PRId64, queue);
    tacho_track facts = {.track_class = TACHO_TRACK_COMPUTE,
                         .nesting = TACHO_NESTING_ENGINE,
                         .index = queue >= 0 && queue < UINT32_MAX ? (uint32_t)queue : 0};
    TACHO_TRY(find_agent(part, agent, &facts.parent));
    return gpu_part_add_track(&part->gpu, key, facts,
                              (gpu_part_name){tacho_str_from_cstring(text), TACHO_STR("")},
                              out_track);
}

/* ---- copies and memory ---------------------------------------------------------------------- */

rocm_way rocm_way_of(tacho_str direction)
{
    static const tacho_str ways[] = {[ROCM_WAY_HOST_TO_HOST] = TACHO_STR_INIT("HOST_TO_HOST"),
                                     [ROCM_WAY_HOST_TO_DEVICE] = TACHO_STR_INIT("HOST_TO_DEVICE"),
                                     [ROCM_WAY_DEVICE_TO_HOST] = TACHO_STR_INIT("DEVICE_TO_HOST"),
                                     [ROCM_WAY_DEVICE_TO_DEVICE] =
                                         TACHO_STR_INIT("DEVICE_TO_DEVICE")};
    for (size_t i = 1; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (tacho_str_ends_with(direction, ways[i])) {
            return (rocm_way)i;
        }
    }
    return ROCM_WAY_NONE;
}

tacho_status rocm_push_copy(rocm_part *part, const rocm_agent *agent, rocm_way way,
                            gpu_part_span *span)
{
    static const struct {
        const char *name, *track;
        tacho_track_class track_class;
    } ways[] = {
        [ROCM_WAY_NONE] = {"Memcpy", "copies", TACHO_TRACK_DMA_LOCAL},
        [ROCM_WAY_HOST_TO_HOST] = {"Memcpy HtoH", "copies", TACHO_TRACK_DMA_LOCAL},
        [ROCM_WAY_HOST_TO_DEVICE] = {"Memcpy HtoD", "to device", TACHO_TRACK_DMA_IN},
        [ROCM_WAY_DEVICE_TO_HOST] = {"Memcpy DtoH", "from device", TACHO_TRACK_DMA_OUT},
        [ROCM_WAY_DEVICE_TO_DEVICE] = {"Memcpy DtoD", "on device", TACHO_TRACK_DMA_LOCAL},
    };
    gpu_track_key key = {KIND_COPIES, agent->owner, (uint64_t)agent->id, way};
    span->track = gpu_part_find_track(&part->gpu, key);
    if (span->track == TACHO_NONE) {
        tacho_track facts = {.track_class = ways[way].track_class, .nesting = TACHO_NESTING_ENGINE};
        gpu_part_name name = {tacho_str_from_cstring(ways[way].track), TACHO_STR(", others")};
        TACHO_TRY(find_agent(part, agent, &facts.parent));
        TACHO_TRY(gpu_part_add_track(&part->gpu, key, facts, name, &span->track));
    }
    TACHO_TRY(gpu_part_string(&part->gpu, ways[way].name, &span->name));
    span->category = part->words[ROCM_COPY];
    return gpu_part_push(&part->gpu, span);
}

tacho_status rocm_push_allocation(rocm_part *part, const rocm_agent *agent,
                                  const rocm_allocation *allocation)
{
    gpu_track_key key = {KIND_MEMORY, agent->owner, (uint64_t)agent->id, 0};
    uint32_t track = gpu_part_find_track(&part->gpu, key);
    if (track == TACHO_NONE) {
        tacho_track facts = {.track_class = TACHO_TRACK_COUNTER, .unit = TACHO_UNIT_BYTES};
        gpu_part_name name = {TACHO_STR("allocated memory"), TACHO_STR("")};
        TACHO_TRY(find_agent(part, agent, &facts.parent));
        TACHO_TRY(gpu_part_add_track(&part->gpu, key, facts, name, &track));
    }
    const uint64_t *size = tacho_number_map_find(&part->sizes, allocation->address);
    uint64_t change = allocation->bytes;
    if (allocation->is_free) {
        change = 0 - (size != NULL ? *size : allocation->bytes);
        tacho_number_map_remove(&part->sizes, allocation->address);
    } else {
        TACHO_TRY(tacho_number_map_set(&part->sizes, allocation->address, allocation->bytes));
    }
    const uint64_t *held = tacho_number_map_find(&part->allocated, track);
    uint64_t now = (held != NULL ? *held : 0) + change;
    TACHO_TRY(tacho_number_map_set(&part->allocated, track, now));
    return gpu_part_push_sample(&part->gpu, track, allocation->time, (double)(int64_t)now);
}

tacho_status rocm_push_counter(rocm_part *part, const rocm_agent *agent, tacho_str name,
                               int64_t time, double value)
{
    uint32_t string = 0;
    TACHO_TRY(tacho_dict_ensure_string(part->gpu.dict, name, &string));
    gpu_track_key key = {KIND_COUNTER, agent->owner, (uint64_t)agent->id, string};
    uint32_t track = gpu_part_find_track(&part->gpu, key);
    if (track == TACHO_NONE) {
        tacho_track facts = {.track_class = TACHO_TRACK_COUNTER};
        TACHO_TRY(find_agent(part, agent, &facts.parent));
        TACHO_TRY(gpu_part_add_track(&part->gpu, key, facts, (gpu_part_name){name, TACHO_STR("")},
                                     &track));
    }
    return gpu_part_push_sample(&part->gpu, track, time, value);
}

tacho_status rocm_add_shape(rocm_part *part, const int64_t grid[3], const int64_t workgroup[3])
{
    int64_t groups[3];
    for (size_t i = 0; i < 3; i++) {
        groups[i] = workgroup[i] > 0 ? grid[i] / workgroup[i] : grid[i];
    }
    TACHO_TRY(gpu_part_add_sizes(&part->gpu, part->words[ROCM_GRID], groups));
    return gpu_part_add_sizes(&part->gpu, part->words[ROCM_WORKGROUP], workgroup);
}
