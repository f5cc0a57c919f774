/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is one protobuf message without a length, one plane after another. It is held in
 * memory: the names of a plane's events may follow them, and the start of the session is in a
 * plane of its own, anywhere.
 */
#include "sources/xplane/xplane.h"

#include "base/grow.h"
#include "sources/xplane/events.h"

#include <stdlib.h>

/* Files are held in memory; longer ones are refused first. */
static const uint64_t file_bytes_max = (uint64_t)8 << 30;

typedef struct xplane {
    const tacho_reading *reading;
    tacho_dict *dict;
    char *bytes;
    size_t byte_count, byte_capacity;
    size_t plane_count;
    bool is_cut; /* malformed between planes: what follows is lost */
    xp_plane plane;
    xp_events events;
    uint64_t bad_plane_count;
} xplane;

/* ---- recognition ------------------------------------------------------------------------- */

/* Names that planes have, or begin with. */
static bool is_plane_name(tacho_str name)
{
    static const tacho_str names[] = {
        TACHO_STR_INIT("/host:"),
        TACHO_STR_INIT("/device:"),
        TACHO_STR_INIT("#Chip"),
        TACHO_STR_INIT("Task Environment"),
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tacho_str_starts_with(name, names[i])) {
            return true;
        }
    }
    return false;
}

/* The name in the first fields of a plane, which may be cut off. */
static tacho_str name_of_plane(tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_PLANE_NAME)) {
            return field.bytes;
        }
    }
    return TACHO_STR("");
}

static tacho_probe_verdict xplane_probe(tacho_str head)
{
    const unsigned char *at = (const unsigned char *)head.data;
    const unsigned char *end = at + head.len;
    uint64_t len = 0;
    if (head.len < 2 || *at++ != (XP_SPACE_PLANE << 3 | TACHO_PB_WIRE_BYTES) ||
        !tacho_pb_try_varint(&at, end, &len)) {
        return TACHO_PROBE_NO;
    }
    size_t visible = (size_t)(end - at);
    tacho_str plane = tacho_str_make((const char *)at, len < visible ? (size_t)len : visible);
    return is_plane_name(name_of_plane(plane)) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

/* ---- the file ---------------------------------------------------------------------------- */

enum { PIECE_BYTES = 1 << 20 };

static tacho_status read_bytes(xplane *self)
{
    tacho_input *input = self->reading->input;
    input->use = (tacho_input_use){0}; /* names are available once all of it is read */
    for (size_t len = 1; len > 0;) {
        if (self->byte_count > file_bytes_max) {
            return tacho_fail(TACHO_CODE_LIMIT, "%s: an XPlane file of more than %llu bytes",
                              input->name, (unsigned long long)file_bytes_max);
        }
        TACHO_TRY(tacho_grow(&self->bytes, &self->byte_capacity, self->byte_count + PIECE_BYTES));
        TACHO_TRY(tacho_input_take(input, self->bytes + self->byte_count, PIECE_BYTES, &len));
        self->byte_count += len;
    }
    return TACHO_OK;
}

/* Calls |take| for every plane. */
static tacho_status each_plane(xplane *self, tacho_status (*take)(xplane *self, tacho_str plane))
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, tacho_str_make(self->bytes, self->byte_count));
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_SPACE_PLANE)) {
            TACHO_TRY(take(self, field.bytes));
        }
    }
    self->is_cut = !tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

/* ---- the start of the session ------------------------------------------------------------ */

typedef struct session {
    int64_t start_ns; /* since 1970; 0: unknown */
    int64_t first_epoch_ns;
    int64_t first_ns; /* of lines that count from the start */
} session;

static void look_at_line(tacho_str message, session *found)
{
    xp_line line;
    xp_line_read(message, &line);
    int64_t *least = line.time_ns > XP_EPOCH_NS ? &found->first_epoch_ns : &found->first_ns;
    *least = line.time_ns < *least ? line.time_ns : *least;
}

static void look_at_stat(const xp_stat_names *names, tacho_str message, session *found)
{
    xp_stat stat;
    uint64_t number = 0;
    if (xp_stat_read(names, message, &stat) && xp_stat_number(&stat, &number) &&
        number <= INT64_MAX &&
        tacho_str_equal(tacho_dict_string(names->dict, stat.name->name),
                        TACHO_STR("profile_start_time"))) {
        found->start_ns = (int64_t)number;
    }
}

/* Looks for the start in the plane's stats, whose names were read, and at its lines' times. */
static void look_at_plane(const xp_stat_names *names, tacho_str message, session *found)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_PLANE_LINE)) {
            look_at_line(field.bytes, found);
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_PLANE_STAT)) {
            look_at_stat(names, field.bytes, found);
        }
    }
}

static tacho_status add_stat_names(xp_stat_names *names, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_PLANE_STAT_NAME)) {
            TACHO_TRY(xp_stat_names_add(names, field.bytes));
        }
    }
    return TACHO_OK;
}

static tacho_status find_session(xplane *self, session *found)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    xp_stat_names *names = &self->plane.stat_names;
    *found = (session){.first_epoch_ns = INT64_MAX};
    tacho_pb_reader_init(&reader, tacho_str_make(self->bytes, self->byte_count));
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) != TACHO_PB_KEY_BYTES(XP_SPACE_PLANE)) {
            continue;
        }
        xp_stat_names_clear(names);
        if (tacho_str_starts_with(name_of_plane(field.bytes), TACHO_STR("Task Environment"))) {
            TACHO_TRY(add_stat_names(names, field.bytes));
        }
        look_at_plane(names, field.bytes, found);
    }
    return TACHO_OK;
}

/* Times count from the session's start, and from the first line where that is earlier. */
static tacho_status find_zero(xplane *self)
{
    session found;
    TACHO_TRY(find_session(self, &found));
    bool has_epoch = found.first_epoch_ns != INT64_MAX;
    int64_t zero = found.start_ns > XP_EPOCH_NS ? found.start_ns
                   : has_epoch                  ? found.first_epoch_ns
                                                : 0;
    int64_t first = found.first_ns;
    if (has_epoch && found.first_epoch_ns - zero < first) {
        first = found.first_epoch_ns - zero;
    }
    self->events.zero_ns = zero;
    self->events.shift_ns = first < 0 && first > INT64_MIN ? -first : 0;
    return TACHO_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

static tacho_status open_part(xplane *self)
{
    tacho_clock clock;
    uint32_t clock_id = 0;
    tacho_clock_init(&clock, 1, 1000);
    TACHO_TRY(tacho_dict_add_clock(self->dict, &clock, TACHO_STR("picoseconds"), &clock_id));
    const tacho_part_facts facts = {
        .path = self->reading->path,
        .format = TACHO_STR("xplane"),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = clock_id,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE),
    };
    TACHO_TRY(tacho_dict_add_part(self->dict, &facts, &self->events.part));
    return tacho_dict_ensure_string(self->dict, TACHO_STR(TACHO_ARG_KEY_BYTES),
                                    &self->events.bytes_key);
}

static tacho_status take_plane(xplane *self, tacho_str message)
{
    self->plane_count++;
    TACHO_TRY(xp_plane_describe(&self->plane, message));
    TACHO_TRY(xp_events_push_plane(&self->events, &self->plane));
    self->bad_plane_count += self->plane.is_bad;
    return TACHO_OK;
}

/* What the recorder reports about itself. */
static tacho_status take_notes(xplane *self)
{
    static const struct {
        uint32_t field;
        const char *key;
    } notes[] = {{XP_SPACE_ERROR, "xplane.error"},
                 {XP_SPACE_WARNING, "xplane.warning"},
                 {XP_SPACE_HOST, "xplane.hostname"}};
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, tacho_str_make(self->bytes, self->byte_count));
    while (tacho_pb_try_next(&reader, &field)) {
        for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
            if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(notes[i].field)) {
                TACHO_TRY(tacho_dict_add_metadata(self->dict, notes[i].key, field.bytes));
            }
        }
    }
    return TACHO_OK;
}

static tacho_status lose(xplane *self, tacho_loss_reason reason, uint64_t count)
{
    const tacho_loss loss = {.part = self->events.part, .reason = reason, .count = count};
    return count > 0 ? tacho_dict_add_loss(self->dict, &loss) : TACHO_OK;
}

static tacho_status finish(xplane *self)
{
    const xp_events *events = &self->events;
    const char *damage = tacho_input_damage(self->reading->input);
    uint64_t cut = (self->is_cut || damage != NULL ? 1 : 0) + self->bad_plane_count;
    TACHO_TRY(lose(self, TACHO_LOSS_CUT_INPUT, cut));
    TACHO_TRY(lose(self, TACHO_LOSS_UNKNOWN_STATE, events->unknown_kind_count));
    TACHO_TRY(lose(self, TACHO_LOSS_BAD_RECORD, events->bad_count));
    TACHO_TRY(lose(self, TACHO_LOSS_MISSING_FIELD, events->summed_count));
    TACHO_TRY(lose(self, TACHO_LOSS_NEGATIVE_TIME, events->early_count));
    TACHO_TRY(lose(self, TACHO_LOSS_TIME_OVERFLOW, events->late_count));
    return tacho_events_end_part(self->reading->events, events->part);
}

static tacho_status read_all(xplane *self)
{
    TACHO_TRY(read_bytes(self));
    TACHO_TRY(open_part(self));
    TACHO_TRY(find_zero(self));
    TACHO_TRY(each_plane(self, take_plane));
    if (self->plane_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: not an XPlane file, or its first plane is cut off or damaged",
                          self->reading->input->name);
    }
    TACHO_TRY(take_notes(self));
    return finish(self);
}

static tacho_status xplane_read(const tacho_reading *reading)
{
    xplane self = {.reading = reading,
                   .dict = reading->events->dict,
                   .events = {.events = reading->events, .wanted = reading->options->args}};
    xp_plane_init(&self.plane, self.dict, reading->options->args);
    tacho_status status = read_all(&self);
    xp_events_deinit(&self.events);
    xp_plane_deinit(&self.plane);
    free(self.bytes);
    return status;
}

const tacho_source tacho_source_xplane = {
    .name = "xplane",
    .title = "XPlane of JAX, TensorFlow and PyTorch/XLA (*.xplane.pb)",
    .probe = xplane_probe,
    .read = xplane_read,
};
