/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a .tracy file from front to back. A cut or damaged file gives all rows up to there.
 */
#include "sources/tracy/tracy.h"

#include "sources/tracy/tracy_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADER = 8, MAGIC = 5, LAST_MINOR = 14 };

static tacho_probe_verdict probe(tacho_str head)
{
    return tacho_tracy_container_is(head) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

/* Reads "tracy" and the version; versions before 0.9 and future ones have another layout. */
static tacho_status read_version(tracy_file *file)
{
    const char *name = file->reading->input->name;
    unsigned char header[HEADER];
    tracy_bytes_get(&file->bytes, header, sizeof(header));
    if (file->bytes.failure != TACHO_OK) {
        return TACHO_OK; /* reported later */
    }
    if (file->bytes.is_cut || memcmp(header, "tracy", MAGIC) != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: not a Tracy file, or its first block is damaged", name);
    }
    file->version = TRACY_VERSION(header[5], header[6], header[7]);
    if (file->version < TRACY_VERSION(0, 9, 0) || header[5] > 0 || header[6] > LAST_MINOR) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: written by Tracy %u.%u.%u; versions 0.9 to 0.%d can be read", name,
                          header[5], header[6], header[7], LAST_MINOR);
    }
    return TACHO_OK;
}

static tacho_status open_part(tracy_file *file)
{
    char version[32];
    tacho_clock clock;
    uint32_t clock_id = 0;
    uint32_t part = 0;
    tacho_clock_init(&clock, 1, 1);
    clock.has_fixed_zero = false;
    TACHO_TRY(tacho_dict_add_clock(file->dict, &clock, TACHO_STR("Tracy"), &clock_id));
    snprintf(version, sizeof(version), "%u.%u.%u", file->version >> 16, file->version >> 8 & 0xff,
             file->version & 0xff);
    const tacho_part_facts facts = {
        .path = file->reading->path,
        .format = TACHO_STR("tracy"),
        .generation = tacho_str_from_cstring(version),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = clock_id,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_HOST),
    };
    TACHO_TRY(tacho_dict_add_part(file->dict, &facts, &part));
    return tacho_tracy_rows_init(&file->rows, file->reading->events, part, TACHO_NONE);
}

/* The sections in their order, until the file ends. */
static tacho_status read_sections(tracy_file *file)
{
    static tacho_status (*const sections[])(tracy_file *) = {
        tracy_read_head,  tracy_read_frames,   tracy_read_names,    tracy_name_frames,
        tracy_read_locks, tracy_read_messages, tracy_read_zones,    tracy_read_devices,
        tracy_read_plots, tracy_read_memory,   tracy_read_app_info,
    };
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !file->bytes.is_cut; i++) {
        TACHO_TRY(sections[i](file));
    }
    return TACHO_OK;
}

static tacho_status lose(tracy_file *file, tacho_loss_reason reason, uint64_t count)
{
    const tacho_loss loss = {.part = file->rows.part, .reason = reason, .count = count};
    return count > 0 ? tacho_dict_add_loss(file->dict, &loss) : TACHO_OK;
}

static tacho_status finish(tracy_file *file)
{
    TACHO_TRY(lose(file, TACHO_LOSS_CUT_INPUT, file->bytes.is_cut ? 1 : 0));
    TACHO_TRY(lose(file, TACHO_LOSS_UNKNOWN_STATE, file->bad_count));
    TACHO_TRY(lose(file, TACHO_LOSS_NEGATIVE_TIME, file->rows.early_count));
    return tacho_events_end_part(file->reading->events, file->rows.part);
}

static void close_file(tracy_file *file)
{
    tacho_tracy_container_close(&file->container);
    tacho_tracy_rows_deinit(&file->rows);
    tacho_number_map_deinit(&file->text_map);
    tacho_number_map_deinit(&file->name_map);
    tacho_number_map_deinit(&file->thread_map);
    tacho_number_map_deinit(&file->place_map);
    tacho_number_map_deinit(&file->message_map);
    free(file->texts);
    free(file->places);
    free(file->expand);
    free(file->threads);
    free(file->extras);
    free(file->messages);
    free(file->frames);
}

static tacho_status read_file(tracy_file *file)
{
    TACHO_TRY(tacho_tracy_container_open(&file->container, file->reading->input));
    TACHO_TRY(read_version(file));
    TACHO_TRY(open_part(file));
    TACHO_TRY(read_sections(file));
    if (file->bytes.failure != TACHO_OK) {
        tacho_status failure = file->bytes.failure;
        file->bytes.failure = TACHO_OK;
        return failure;
    }
    return finish(file);
}

static tacho_status read(const tacho_reading *reading)
{
    tracy_file file = {.reading = reading, .dict = reading->events->dict};
    file.bytes.container = &file.container;
    tacho_status status = read_file(&file);
    if (file.bytes.failure != TACHO_OK) {
        status = tacho_status_first(status, file.bytes.failure);
    }
    close_file(&file);
    return status;
}

const tacho_source tacho_source_tracy = {
    .name = "tracy", .title = "Tracy capture (.tracy)", .probe = probe, .read = read};
