/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These packets do not name a track: a queue is identified by its GPU and name, a counter by its
 * GPU and number. Other fields of a stage event become arguments.
 */
#include "sources/perfetto/gpu.h"

#include "sources/perfetto/fields.h"

#include <inttypes.h>
#include <stdio.h>

/* The raw fields of a stage event; missing strings are TACHO_NONE. */
typedef struct stage {
    bool has_id;
    bool is_specification; /* the old form of interned names, which is not read */
    bool has_duration;
    uint64_t duration_ns;
    uint64_t gpu;
    uint32_t queue;
    uint32_t stage;
    uint32_t name;
    size_t wait_count;
    bool has_unknown;
    bool is_bad;
} stage;

static uint32_t look_up(const pfr_events *events, const pfr_event_packet *packet,
                        pfr_table_kind kind, uint64_t iid, bool *has_unknown)
{
    uint32_t found = pfr_sequences_find(events->sequences, packet->sequence, kind, iid);
    *has_unknown = *has_unknown || found == TACHO_NONE;
    return found;
}

/* ---- arguments -------------------------------------------------------------------------- */

static tacho_status add_extra_data(pfr_events *events, tacho_str message, stage *out)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str name = TACHO_STR("");
    tacho_str value = TACHO_STR("");
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_EXTRA_DATA_NAME)) {
            name = pfr_text(field.bytes);
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_EXTRA_DATA_VALUE)) {
            value = pfr_text(field.bytes);
        }
    }
    out->is_bad = out->is_bad || !tacho_pb_is_sound(&reader);
    return pfr_args_add_text(&events->args, events->dict, name, value);
}

/* The three sides of a grid: "4x2x1". */
static tacho_status add_sides(pfr_events *events, const char *name, tacho_str message, stage *out)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint32_t sides[3] = {1, 1, 1};
    char text[48];
    uint32_t string = 0;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (field.wire == TACHO_PB_WIRE_VARINT && field.number <= 3) {
            sides[field.number - 1] = (uint32_t)field.value;
        }
    }
    out->is_bad = out->is_bad || !tacho_pb_is_sound(&reader);
    int len = snprintf(text, sizeof(text), "%" PRIu32 "x%" PRIu32 "x%" PRIu32, sides[0], sides[1],
                       sides[2]);
    TACHO_TRY(tacho_dict_ensure_string(events->dict, tacho_str_make(text, (size_t)len), &string));
    return pfr_args_add_string(&events->args, events->dict, name, string);
}

static tacho_status add_launch(pfr_events *events, tacho_str message, stage *out)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_LAUNCH_GRID)) {
            TACHO_TRY(add_sides(events, "grid", field.bytes, out));
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_LAUNCH_WORKGROUP)) {
            TACHO_TRY(add_sides(events, "workgroup", field.bytes, out));
        }
    }
    out->is_bad = out->is_bad || !tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

/* Adds the process and its interface, or the bare number of an unknown context. */
static tacho_status add_context(pfr_events *events, const pfr_event_packet *packet, uint64_t iid)
{
    static const char *const apis[] = {NULL, "OpenGL", "Vulkan", "OpenCL", "CUDA", "HIP"};
    pfr_args *args = &events->args;
    bool is_unknown = false;
    uint32_t pid = look_up(events, packet, PFR_TABLE_CONTEXT_PIDS, iid, &is_unknown);
    uint32_t api = look_up(events, packet, PFR_TABLE_CONTEXT_APIS, iid, &is_unknown);
    if (pid == TACHO_NONE) {
        return pfr_args_add_uint(args, events->dict, "context", iid);
    }
    TACHO_TRY(pfr_args_add_uint(args, events->dict, "pid", pid));
    if (api == 0 || api >= sizeof(apis) / sizeof(apis[0])) {
        return TACHO_OK;
    }
    uint32_t string = 0;
    TACHO_TRY(tacho_dict_ensure_string(events->dict, tacho_str_from_cstring(apis[api]), &string));
    return pfr_args_add_string(args, events->dict, "api", string);
}

/* Adds the events that this one waited for, which may stand anywhere in the message. */
static tacho_status add_waits(pfr_events *events, const pfr_event_packet *packet)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    size_t at = events->args.item_count;
    TACHO_TRY(pfr_args_add_uint(&events->args, events->dict, "waits_for", 0));
    events->args.items[at].type = TACHO_ARG_ARRAY;
    tacho_pb_reader_init(&reader, packet->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_STAGE_WAIT_IDS)) {
            tacho_arg *arg = NULL;
            TACHO_TRY(pfr_args_append(&events->args, 0, &arg));
            arg->type = TACHO_ARG_UINT;
            arg->value.as_uint = field.value;
        }
    }
    pfr_args_close(&events->args, at);
    return TACHO_OK;
}

/* Names of numbers that become arguments unchanged; NULL for other fields. */
static const char *number_name(uint32_t field)
{
    switch (field) {
    case PF_STAGE_EVENT_ID:
        return "event_id";
    case PF_STAGE_RENDER_TARGET:
        return "render_target";
    case PF_STAGE_RENDER_PASS:
        return "render_pass";
    case PF_STAGE_RENDER_PASS_INSTANCE:
        return "render_pass_instance";
    case PF_STAGE_SUBMISSION_ID:
        return "submission_id";
    case PF_STAGE_COMMAND_BUFFER:
        return "command_buffer";
    case PF_STAGE_LOGICAL_QUEUE:
        return "logical_queue";
    default:
        return NULL;
    }
}

/* ---- a stage event ---------------------------------------------------------------------- */

/* "Queue 3": a queue or stage that has a number and no name. */
static tacho_status ensure_numbered(pfr_events *events, const char *word, uint64_t value,
                                    uint32_t *out_string)
{
    char text[40];
    int len = snprintf(text, sizeof(text), "%s %" PRIu64, word, value);
    return tacho_dict_ensure_string(events->dict, tacho_str_make(text, (size_t)len), out_string);
}

static tacho_status read_number(pfr_events *events, const pfr_event_packet *packet,
                                const tacho_pb_field *field, stage *out)
{
    uint32_t kernel = TACHO_NONE;
    const char *name = number_name(field->number);
    if (name != NULL) {
        out->has_id = out->has_id || field->number == PF_STAGE_EVENT_ID;
        return pfr_args_add_uint(&events->args, events->dict, name, field->value);
    }
    switch (field->number) {
    case PF_STAGE_DURATION:
        out->has_duration = true;
        out->duration_ns = field->value;
        return TACHO_OK;
    case PF_STAGE_OLD_QUEUE_ID:
        return ensure_numbered(events, "Queue", field->value, &out->queue);
    case PF_STAGE_OLD_STAGE_ID:
        return ensure_numbered(events, "Stage", field->value, &out->stage);
    case PF_STAGE_CONTEXT:
        return add_context(events, packet, field->value);
    case PF_STAGE_GPU_ID:
        out->gpu = (uint32_t)field->value;
        return TACHO_OK;
    case PF_STAGE_QUEUE_IID:
        out->queue = look_up(events, packet, PFR_TABLE_GPU_SPECS, field->value, &out->has_unknown);
        return TACHO_OK;
    case PF_STAGE_STAGE_IID:
        out->stage = look_up(events, packet, PFR_TABLE_GPU_SPECS, field->value, &out->has_unknown);
        return TACHO_OK;
    case PF_STAGE_NAME_IID:
        out->name = look_up(events, packet, PFR_TABLE_NAMES, field->value, &out->has_unknown);
        return TACHO_OK;
    case PF_STAGE_WAIT_IDS:
        out->wait_count++;
        return TACHO_OK;
    case PF_STAGE_KERNEL_IID:
        kernel = look_up(events, packet, PFR_TABLE_KERNELS, field->value, &out->has_unknown);
        return kernel != TACHO_NONE
                   ? pfr_args_add_string(&events->args, events->dict, "kernel", kernel)
                   : TACHO_OK;
    default:
        return TACHO_OK;
    }
}

static tacho_status read_stage(pfr_events *events, const pfr_event_packet *packet, stage *out)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, packet->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (field.wire == TACHO_PB_WIRE_VARINT) {
            TACHO_TRY(read_number(events, packet, &field, out));
            continue;
        }
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_BYTES(PF_STAGE_EXTRA_DATA):
            TACHO_TRY(add_extra_data(events, field.bytes, out));
            break;
        case TACHO_PB_KEY_BYTES(PF_STAGE_OLD_SPECIFICATIONS):
            out->is_specification = true;
            break;
        case TACHO_PB_KEY_BYTES(PF_STAGE_NAME):
            TACHO_TRY(tacho_dict_ensure_string(events->dict, pfr_text(field.bytes), &out->name));
            break;
        case TACHO_PB_KEY_BYTES(PF_STAGE_LAUNCH):
            TACHO_TRY(add_launch(events, field.bytes, out));
            break;
        default:
            break;
        }
    }
    out->is_bad = out->is_bad || !tacho_pb_is_sound(&reader);
    return out->wait_count > 0 ? add_waits(events, packet) : TACHO_OK;
}

static tacho_status push_stage(pfr_events *events, const pfr_event_packet *packet,
                               const stage *read)
{
    pfr_event event = {
        .type = read->has_duration ? PFR_EVENT_COMPLETE : PFR_EVENT_INSTANT,
        .ns = packet->ns,
        .clock = packet->clock,
        .offset = packet->offset,
        .duration_ns = (int64_t)read->duration_ns,
    };
    uint32_t queue = read->queue;
    tacho_site site = {read->name != TACHO_NONE ? read->name : read->stage, 0, TACHO_NONE};
    if (site.name == TACHO_NONE) {
        site.name = 0;
    }
    if (queue == TACHO_NONE) {
        TACHO_TRY(tacho_dict_ensure_string(events->dict, TACHO_STR("Unknown queue"), &queue));
    }
    if (read->stage != TACHO_NONE && read->stage != site.name) {
        TACHO_TRY(pfr_args_add_string(&events->args, events->dict, "stage", read->stage));
    }
    TACHO_TRY(tacho_dict_ensure_site(events->dict, &site, &event.site));
    TACHO_TRY(pfr_tracks_ensure_queue(events->pairing->tracks, read->gpu, queue, &event.track));
    event.args = events->args.items;
    event.arg_count = events->args.item_count;
    return pfr_pairing_add(events->pairing, &event);
}

tacho_status pfr_gpu_read_stage(pfr_events *events, const pfr_event_packet *packet)
{
    stage read = {.queue = TACHO_NONE, .stage = TACHO_NONE, .name = TACHO_NONE};
    pfr_pairing *pairing = events->pairing;
    events->args.item_count = 0;
    TACHO_TRY(read_stage(events, packet, &read));
    if (read.is_bad) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_CUT_INPUT, packet->offset);
    }
    if (read.is_specification) {
        TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_UNKNOWN_EVENT, packet->offset));
    }
    if (!read.has_id) {
        return read.is_specification
                   ? TACHO_OK
                   : pfr_pairing_lose(pairing, TACHO_LOSS_MISSING_FIELD, packet->offset);
    }
    if (read.has_unknown) {
        TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_UNKNOWN_STATE, packet->offset));
    }
    if (read.duration_ns > INT64_MAX) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_TIME_OVERFLOW, packet->offset);
    }
    return push_stage(events, packet, &read);
}

/* ---- counters --------------------------------------------------------------------------- */

static tacho_status describe_counter(pfr_events *events, uint64_t gpu, tacho_str message,
                                     bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t id = 0;
    tacho_str name = TACHO_STR("");
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_GPU_SPEC_COUNTER_ID)) {
            id = field.value;
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_GPU_SPEC_NAME)) {
            name = pfr_text(field.bytes);
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader);
    uint32_t string = 0;
    TACHO_TRY(tacho_dict_ensure_string(events->dict, name, &string));
    return pfr_tracks_describe_gpu_counter(events->pairing->tracks, gpu, id, string);
}

static tacho_status describe_counters(pfr_events *events, uint64_t gpu, tacho_str message,
                                      bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_GPU_DESCRIPTOR_SPECS)) {
            TACHO_TRY(describe_counter(events, gpu, field.bytes, out_good));
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

static tacho_status read_value(pfr_events *events, const pfr_event_packet *packet, uint64_t gpu,
                               tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t id = 0;
    bool has_value = false;
    double value = 0;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_GPU_COUNTER_ID)) {
            id = field.value;
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_GPU_COUNTER_INT)) {
            has_value = true;
            value = (double)(int64_t)field.value;
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_FIXED64(PF_GPU_COUNTER_DOUBLE)) {
            has_value = true;
            value = tacho_pb_double(field.value);
        }
    }
    if (!tacho_pb_is_sound(&reader) || !has_value) {
        return pfr_pairing_lose(events->pairing,
                                has_value ? TACHO_LOSS_CUT_INPUT : TACHO_LOSS_MISSING_FIELD,
                                packet->offset);
    }
    return pfr_events_push_value(events, packet, pfr_gpu_counter_uuid(gpu, id), value);
}

tacho_status pfr_gpu_read_counters(pfr_events *events, const pfr_event_packet *packet)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t gpu = 0;
    bool is_interned = false;
    bool is_good = true;
    tacho_pb_reader_init(&reader, packet->message);
    while (tacho_pb_try_next(&reader, &field)) {
        gpu = tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_GPU_COUNTERS_GPU_ID)
                  ? (uint32_t)field.value
                  : gpu;
        is_interned =
            is_interned || tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_GPU_COUNTERS_IID);
    }
    if (!tacho_pb_is_sound(&reader)) {
        return pfr_pairing_lose(events->pairing, TACHO_LOSS_CUT_INPUT, packet->offset);
    }
    tacho_pb_reader_init(&reader, packet->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_GPU_COUNTERS_DESCRIPTOR)) {
            TACHO_TRY(describe_counters(events, gpu, field.bytes, &is_good));
        }
    }
    tacho_pb_reader_init(&reader, packet->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) != TACHO_PB_KEY_BYTES(PF_GPU_COUNTERS_COUNTERS)) {
            continue;
        }
        /* Interned descriptions are not kept. */
        TACHO_TRY(is_interned
                      ? pfr_pairing_lose(events->pairing, TACHO_LOSS_UNKNOWN_EVENT, packet->offset)
                      : read_value(events, packet, gpu, field.bytes));
    }
    return is_good ? TACHO_OK
                   : pfr_pairing_lose(events->pairing, TACHO_LOSS_CUT_INPUT, packet->offset);
}
