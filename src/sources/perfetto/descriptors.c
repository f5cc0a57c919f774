/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the name of a track: that of its process or thread, else its own, the static one,
 * atrace's.
 */
#include "sources/perfetto/descriptors.h"

#include "sources/perfetto/fields.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static_assert((int)PF_PROCESS_PID == (int)PF_THREAD_PID, "read by one loop");

tacho_status pfr_read_process_or_thread(tacho_dict *dict, tacho_str message, bool is_thread,
                                        pfr_track *out_track, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str name = TACHO_STR("");
    tacho_str command = TACHO_STR("");
    bool has_pid = false;
    bool has_tid = !is_thread;
    uint32_t name_field = is_thread ? PF_THREAD_NAME : PF_PROCESS_NAME;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        uint32_t key = tacho_pb_key(&field);
        if (key == TACHO_PB_KEY_VARINT(PF_PROCESS_PID)) {
            has_pid = true;
            out_track->pid = (int64_t)field.value;
        } else if (key == TACHO_PB_KEY_VARINT(PF_THREAD_TID) && is_thread) {
            has_tid = true;
            out_track->tid = (int64_t)field.value;
        } else if (key == TACHO_PB_KEY_BYTES(PF_PROCESS_CMDLINE) && !is_thread &&
                   command.len == 0) {
            command = pfr_text(field.bytes);
        } else if (key == TACHO_PB_KEY_BYTES(name_field)) {
            name = pfr_text(field.bytes);
        }
    }
    out_track->kind = is_thread ? PFR_TRACK_THREAD : PFR_TRACK_PROCESS;
    *out_good = tacho_pb_is_sound(&reader) && has_pid && has_tid;
    name = name.len > 0 ? name : command;
    return name.len > 0 ? tacho_dict_ensure_string(dict, name, &out_track->name) : TACHO_OK;
}

static tacho_status set_unit_name(tacho_dict *dict, tacho_str name, pfr_track *out_track)
{
    for (int i = 0; i < TACHO_UNIT_END; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(tacho_unit_name((tacho_unit)i)))) {
            out_track->unit = (tacho_unit)i;
            return TACHO_OK;
        }
    }
    return tacho_dict_ensure_string(dict, name, &out_track->unit_name);
}

static tacho_status read_counter(tacho_dict *dict, tacho_str message, pfr_track *out_track,
                                 bool *out_good)
{
    static const tacho_unit units[] = {TACHO_UNIT_NONE, TACHO_UNIT_NS, TACHO_UNIT_COUNT,
                                       TACHO_UNIT_BYTES};
    tacho_pb_reader reader;
    tacho_pb_field field;
    out_track->kind = PFR_TRACK_COUNTER;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_COUNTER_UNIT):
            out_track->unit = field.value <= PF_UNIT_BYTES ? units[field.value] : TACHO_UNIT_NONE;
            break;
        case TACHO_PB_KEY_VARINT(PF_COUNTER_MULTIPLIER):
            out_track->multiplier = field.value == 0 ? 1 : (int64_t)field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_COUNTER_IS_INCREMENTAL):
            out_track->is_incremental = field.value != 0;
            break;
        case TACHO_PB_KEY_BYTES(PF_COUNTER_UNIT_NAME):
            TACHO_TRY(set_unit_name(dict, pfr_text(field.bytes), out_track));
            break;
        default:
            break;
        }
    }
    *out_good = tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

static tacho_status set_merge_number(tacho_dict *dict, uint64_t number, pfr_track *out_track)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "#%" PRIu64, number);
    return tacho_dict_ensure_string(dict, tacho_str_make(digits, (size_t)len),
                                    &out_track->merge_key);
}

/* Names in order of preference; a process or thread has one of its own. */
typedef struct track_names {
    tacho_str name;
    tacho_str static_name;
    tacho_str atrace_name;
} track_names;

static tacho_status read_field(tacho_dict *dict, const tacho_pb_field *field, track_names *names,
                               pfr_track *out_track, bool *out_good)
{
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_BYTES(PF_TRACK_NAME):
        names->name = pfr_text(field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_TRACK_STATIC_NAME):
        names->static_name = pfr_text(field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_TRACK_ATRACE_NAME):
        names->atrace_name = pfr_text(field->bytes);
        break;
    case TACHO_PB_KEY_VARINT(PF_TRACK_PARENT_UUID):
        out_track->has_parent = true;
        out_track->parent_uuid = field->value;
        break;
    case TACHO_PB_KEY_BYTES(PF_TRACK_PROCESS):
    case TACHO_PB_KEY_BYTES(PF_TRACK_THREAD):
        if (out_track->kind != PFR_TRACK_THREAD) { /* which includes its process */
            return pfr_read_process_or_thread(dict, field->bytes, field->number == PF_TRACK_THREAD,
                                              out_track, out_good);
        }
        break;
    case TACHO_PB_KEY_BYTES(PF_TRACK_COUNTER):
        return read_counter(dict, field->bytes, out_track, out_good);
    case TACHO_PB_KEY_VARINT(PF_TRACK_SIBLING_RANK):
        out_track->has_rank = true;
        out_track->rank = (int32_t)(uint32_t)field->value;
        break;
    case TACHO_PB_KEY_BYTES(PF_TRACK_DESCRIPTION): /* location of tacho's facts before 2026 */
    case TACHO_PB_KEY_BYTES(PF_TRACK_TACHO_FACTS):
        if (!out_track->has_facts) {
            out_track->has_facts = tacho_track_facts_parse(field->bytes, &out_track->facts);
        }
        break;
    case TACHO_PB_KEY_VARINT(PF_TRACK_MERGE_BEHAVIOR):
        out_track->merge_behavior = (uint32_t)field->value;
        break;
    case TACHO_PB_KEY_BYTES(PF_TRACK_MERGE_KEY):
        return tacho_dict_ensure_string(dict, pfr_text(field->bytes), &out_track->merge_key);
    case TACHO_PB_KEY_VARINT(PF_TRACK_MERGE_KEY_INT):
        return set_merge_number(dict, field->value, out_track);
    default:
        break;
    }
    return TACHO_OK;
}

tacho_status pfr_read_descriptor(tacho_dict *dict, tacho_str message, pfr_track *out_track,
                                 bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    track_names names = {TACHO_STR(""), TACHO_STR(""), TACHO_STR("")};
    bool has_uuid = false;
    *out_good = true;
    tacho_pb_reader_init(&reader, message);
    while (*out_good && tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_TRACK_UUID)) {
            has_uuid = true;
            out_track->uuid = field.value;
        } else {
            TACHO_TRY(read_field(dict, &field, &names, out_track, out_good));
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader) && has_uuid;
    if (out_track->has_facts && names.name.len > 0) { /* a process's name is for viewers */
        return tacho_dict_ensure_string(dict, names.name, &out_track->name);
    }
    names.name = names.name.len > 0 ? names.name : names.static_name;
    names.name = names.name.len > 0 ? names.name : names.atrace_name;
    return out_track->name == 0 ? tacho_dict_ensure_string(dict, names.name, &out_track->name)
                                : TACHO_OK;
}
