/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to rows.
 */
#include "capture/decoder.h"

#include "base/grow.h"
#include "base/process.h"
#include "profile/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <tacho/client.h>

enum {
    ALIGN = 8,
    IDS = TACHO_WIRE_STRINGS / ALIGN,
    UNIT = 16,
    SCRATCH = 2 * (TACHO_WIRE_EXTRA_MAX + 1) * TACHO_WIRE_RECORD, /* a string | arguments */
    FLOW_BITS = 39, /* of the numbers that clients give; those with another bit are launches */
    LAUNCH_BITS = 28,
    DEVICE_NAME_MAX = 160, /* with the longest name, word for queues and numbers: 137 */
};

static const int64_t ahead_ns = 1000000000; /* a client's clock is ours, give or take */
static const int64_t simulated_ahead_ns = INT64_MAX / 4;
static const int64_t ns_per_s = 1000000000;

tacho_status tacho_decoder_init(tacho_decoder *decoder, tacho_recorder *recorder, uint32_t group,
                                const void *strings)
{
    *decoder = (tacho_decoder){.recorder = recorder, .group = group, .strings = strings};
    TACHO_TRY(tacho_items_make(&decoder->texts, IDS));
    TACHO_TRY(tacho_items_make(&decoder->sites, IDS));
    TACHO_TRY(tacho_items_make(&decoder->counters, IDS));
    TACHO_TRY(tacho_items_make(&decoder->scratch, SCRATCH));
    tacho_dict *dict = recorder->events->dict;
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("message"), &decoder->message));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("launch"), &decoder->launch));
    return tacho_dict_ensure_string(dict, TACHO_STR("location"), &decoder->location);
}

void tacho_decoder_deinit(tacho_decoder *decoder)
{
    free(decoder->texts);
    free(decoder->sites);
    free(decoder->counters);
    free(decoder->scratch);
    *decoder = (tacho_decoder){0};
}

/* ---- strings ------------------------------------------------------------------------------- */

/* Reads the head of the entry |id|; false where it is not within the area. */
static bool read_entry(const tacho_decoder *decoder, uint32_t id, tacho_wire_entry *out_entry)
{
    if (id >= IDS) {
        return false;
    }
    memcpy(out_entry, decoder->strings + (size_t)id * ALIGN, sizeof(*out_entry));
    size_t room = TACHO_WIRE_STRINGS - (size_t)id * ALIGN - sizeof(*out_entry);
    return id == 0 || out_entry->len <= room;
}

/* The dictionary's id of a text; false where the client has no such text. */
static bool find_text(tacho_decoder *decoder, uint32_t id, uint32_t *out_string)
{
    tacho_wire_entry entry;
    *out_string = 0;
    decoder->lacks_text = decoder->lacks_text || id == TACHO_WIRE_NO_TEXT;
    if (id == 0) {
        return true;
    }
    if (id < IDS && decoder->texts[id] != 0) {
        *out_string = decoder->texts[id] - 1;
        return true;
    }
    if (!read_entry(decoder, id, &entry) || entry.kind != TACHO_WIRE_TEXT ||
        entry.len > TACHO_WIRE_STRING_MAX) {
        return false;
    }
    memcpy(decoder->scratch, decoder->strings + (size_t)id * ALIGN + sizeof(entry), entry.len);
    tacho_status status = tacho_dict_ensure_string(
        decoder->recorder->events->dict, tacho_str_make((const char *)decoder->scratch, entry.len),
        out_string);
    if (status != TACHO_OK) {
        tacho_recorder_fail(decoder->recorder, status);
        return false;
    }
    decoder->texts[id] = *out_string + 1;
    return true;
}

static bool read_site(const tacho_decoder *decoder, uint32_t id, tacho_wire_site *out_site)
{
    tacho_wire_entry entry;
    if (id == 0 || !read_entry(decoder, id, &entry) || entry.kind != TACHO_WIRE_SITE ||
        entry.len != sizeof(*out_site) - sizeof(entry)) {
        return false;
    }
    memcpy(out_site, decoder->strings + (size_t)id * ALIGN, sizeof(*out_site));
    return true;
}

/* "src/net.c:42" as a location; TACHO_NONE where the site names no file. */
static tacho_status add_location(tacho_decoder *decoder, uint32_t file, uint32_t line,
                                 uint32_t *out_location)
{
    tacho_dict *dict = decoder->recorder->events->dict;
    char text[1024];
    *out_location = TACHO_NONE;
    if (file == 0) {
        return TACHO_OK;
    }
    snprintf(text, sizeof(text), "%.1000s:%u", tacho_dict_string(dict, file).data, line);
    tacho_location location = {.file = file, .line = line};
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(text), &location.text));
    return tacho_dict_ensure_location(dict, &location, out_location);
}

/* The dictionary's site of a site of the client; false where the client has no such site. */
static bool find_site(tacho_decoder *decoder, uint32_t id, uint32_t *out_site)
{
    tacho_wire_site wire;
    uint32_t file = 0;
    tacho_site site = {.location = TACHO_NONE};
    decoder->lacks_text = decoder->lacks_text || id == TACHO_WIRE_NO_TEXT;
    if (id < IDS && decoder->sites[id] != 0) {
        *out_site = decoder->sites[id] - 1;
        return true;
    }
    if (!read_site(decoder, id, &wire) || !find_text(decoder, wire.name, &site.name) ||
        !find_text(decoder, wire.category, &site.category) ||
        !find_text(decoder, wire.file, &file)) {
        return false;
    }
    tacho_status status = add_location(decoder, file, wire.line, &site.location);
    if (status == TACHO_OK) {
        status = tacho_dict_ensure_site(decoder->recorder->events->dict, &site, out_site);
    }
    if (status != TACHO_OK) {
        tacho_recorder_fail(decoder->recorder, status);
        return false;
    }
    decoder->sites[id] = *out_site + 1;
    return true;
}

/* ---- tracks -------------------------------------------------------------------------------- */

tacho_status tacho_decoder_ensure_thread(tacho_decoder *decoder, const char *name, uint32_t tid,
                                         uint32_t *out_track)
{
    char text[64];
    const tacho_recorder_track facts = {
        .parent = decoder->group, .track_class = TACHO_TRACK_HOST, .number = tid};
    snprintf(text, sizeof(text), "%.*s %u", TACHO_WIRE_NAME, name, tid);
    return tacho_recorder_ensure_track(decoder->recorder, &facts, tacho_str_from_cstring(text),
                                       out_track);
}

static tacho_unit unit_named(tacho_str name)
{
    for (unsigned i = 0; i < TACHO_UNIT_END; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(tacho_unit_name((tacho_unit)i)))) {
            return (tacho_unit)i;
        }
    }
    return TACHO_UNIT_NONE;
}

/* The track of a counter. */
static bool find_counter(tacho_decoder *decoder, uint32_t id, uint32_t *out_track)
{
    const tacho_dict *dict = decoder->recorder->events->dict;
    uint32_t site = 0;
    if (id < IDS && decoder->counters[id] != 0) {
        *out_track = decoder->counters[id] - 1;
        return true;
    }
    if (!find_site(decoder, id, &site)) {
        return false;
    }
    const tacho_recorder_track facts = {
        .parent = decoder->group,
        .track_class = TACHO_TRACK_COUNTER,
        .unit = unit_named(tacho_dict_string(dict, dict->sites[site].category)),
        .number = -1,
    };
    tacho_status status = tacho_recorder_ensure_track(
        decoder->recorder, &facts, tacho_dict_string(dict, dict->sites[site].name), out_track);
    if (status != TACHO_OK) {
        tacho_recorder_fail(decoder->recorder, status);
        return false;
    }
    decoder->counters[id] = *out_track + 1;
    return true;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* Arguments of an event, in the decoder's own list. */
typedef struct arg_list {
    size_t count;
} arg_list;

static bool set_value(tacho_arg *arg, const tacho_wire_arg *head)
{
    switch (head->type) {
    case TACHO_CLIENT_INT:
        arg->type = TACHO_ARG_INT;
        arg->value.as_int = (int64_t)head->value;
        return true;
    case TACHO_CLIENT_UINT:
        arg->type = TACHO_ARG_UINT;
        arg->value.as_uint = head->value;
        return true;
    case TACHO_CLIENT_REAL:
        arg->type = TACHO_ARG_REAL;
        memcpy(&arg->value.as_real, &head->value, sizeof(head->value));
        return true;
    case TACHO_CLIENT_BOOL:
        arg->type = TACHO_ARG_BOOL;
        arg->value.as_bool = head->value != 0;
        return true;
    default:
        return false;
    }
}

/* Reads one argument at |*at| of |len| bytes; false where it is invalid. */
static bool read_arg(tacho_decoder *decoder, const tacho_wire_arg *head, size_t len, size_t *at,
                     tacho_arg *arg)
{
    *arg = (tacho_arg){.unit = (tacho_unit)head->unit};
    if (head->unit >= TACHO_UNIT_END || !find_text(decoder, head->key, &arg->key)) {
        return false;
    }
    if (head->type != TACHO_CLIENT_TEXT) {
        return set_value(arg, head);
    }
    if (head->value > len - *at) {
        return false;
    }
    arg->type = TACHO_ARG_TEXT;
    arg->value.as_text =
        tacho_str_make((const char *)decoder->scratch + SCRATCH / 2 + *at, (size_t)head->value);
    *at += ((size_t)head->value + UNIT - 1) / UNIT * UNIT;
    return true;
}

/* Reads the |len| bytes of arguments in the second half of the scratch memory. */
static bool read_args(tacho_decoder *decoder, size_t len, arg_list *list)
{
    const unsigned char *bytes = decoder->scratch + SCRATCH / 2;
    *list = (arg_list){0};
    for (size_t at = 0; at + UNIT <= len;) {
        tacho_wire_arg head;
        memcpy(&head, bytes + at, sizeof(head));
        at += UNIT;
        if (head.key == 0) {
            return true;
        }
        if (list->count == TACHO_DECODER_ARGS_MAX ||
            !read_arg(decoder, &head, len, &at, &decoder->args[list->count])) {
            return false;
        }
        list->count++;
    }
    return true;
}

/* ---- events -------------------------------------------------------------------------------- */

/* An event, as it was read from the ring. */
typedef struct wire_event {
    tacho_wire_record record;
    size_t arg_bytes; /* in the scratch memory */
    uint32_t track;   /* of its thread */
    int64_t now_ns;
} wire_event;

static bool is_time(const wire_event *event, uint64_t time)
{
    return time <= (uint64_t)(event->now_ns + ahead_ns);
}

/* Stores |row| as a span of |site| with the arguments of |list|. */
static void push_span(tacho_decoder *decoder, tacho_row *row, uint32_t site, const arg_list *list)
{
    row->kind = TACHO_ROW_SPAN;
    row->of.span.site = site;
    row->of.span.op = TACHO_NONE;
    row->of.span.run = TACHO_NONE;
    row->args = decoder->args;
    row->arg_count = list->count;
    tacho_recorder_store(decoder->recorder, row);
}

static bool store_span(tacho_decoder *decoder, const wire_event *event, tacho_row *row,
                       uint32_t site)
{
    arg_list list;
    if (!read_args(decoder, event->arg_bytes, &list)) {
        return false;
    }
    push_span(decoder, row, site, &list);
    return true;
}

static bool take_zone(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    uint32_t site = 0;
    if (record->value < record->time || !is_time(event, record->value) ||
        !find_site(decoder, record->site, &site)) {
        return false;
    }
    tacho_row row = {.track = event->track,
                     .start = (int64_t)record->time,
                     .of = {.span = {.end = (int64_t)record->value}}};
    return store_span(decoder, event, &row, site);
}

static bool take_counter(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    uint32_t track = 0;
    double value = 0;
    memcpy(&value, &record->value, sizeof(value));
    if (!is_time(event, record->time) || !__builtin_isfinite(value) ||
        !find_counter(decoder, record->site, &track)) {
        return false;
    }
    tacho_recorder_sample(decoder->recorder, track, (int64_t)record->time, value);
    return true;
}

/* A site of a name and a place, both of the dictionary. */
static bool name_site(tacho_decoder *decoder, uint32_t name, const char *category,
                      uint32_t location, uint32_t *out_site)
{
    tacho_dict *dict = decoder->recorder->events->dict;
    tacho_site site = {.name = name, .location = location};
    tacho_status status =
        tacho_dict_ensure_string(dict, tacho_str_from_cstring(category), &site.category);
    if (status == TACHO_OK) {
        status = tacho_dict_ensure_site(dict, &site, out_site);
    }
    bool is_made = status == TACHO_OK;
    tacho_recorder_fail(decoder->recorder, status);
    return is_made;
}

/* A message or signpost: a moment on the track of its thread. */
static bool take_moment(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    bool is_message = record->kind == TACHO_WIRE_MESSAGE;
    uint32_t site = 0;
    uint32_t name = decoder->message;
    if (!is_time(event, record->time) ||
        (!is_message && !find_text(decoder, record->site, &name)) ||
        !name_site(decoder, name, is_message ? "message" : "signpost", TACHO_NONE, &site)) {
        return false;
    }
    tacho_row row = {.track = event->track,
                     .start = (int64_t)record->time,
                     .of = {.span = {.end = (int64_t)record->time, .flags = TACHO_SPAN_INSTANT}}};
    return store_span(decoder, event, &row, site);
}

static bool take_flow(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    if (!is_time(event, record->time) || record->flags > TACHO_FLOW_ARRIVES) {
        return false;
    }
    const uint64_t low = (UINT64_C(1) << FLOW_BITS) - 1;
    const tacho_row row = {
        .kind = TACHO_ROW_FLOW,
        .track = event->track,
        .start = (int64_t)record->time,
        .of = {.flow = {.id = (record->value ^ record->value >> FLOW_BITS) & low,
                        .role = TACHO_FLOW_DATA,
                        .phase = (tacho_flow_phase)record->flags,
                        .span_end = TACHO_FLOW_AROUND}},
    };
    tacho_recorder_store(decoder->recorder, &row);
    return true;
}

/* The arrow of a launch: numbers of one client are its own. */
static uint64_t launch_id(const tacho_decoder *decoder, uint64_t launch)
{
    const uint64_t launches = UINT64_C(1) << LAUNCH_BITS;
    const uint64_t clients = UINT64_C(1) << (FLOW_BITS - LAUNCH_BITS);
    return UINT64_C(1) << FLOW_BITS | (decoder->client & (clients - 1)) << LAUNCH_BITS |
           (launch & (launches - 1));
}

static void store_launch(tacho_decoder *decoder, tacho_row *row, uint64_t launch,
                         tacho_flow_phase phase)
{
    row->kind = TACHO_ROW_FLOW;
    row->of.flow.id = launch_id(decoder, launch);
    row->of.flow.role = TACHO_FLOW_LAUNCH;
    row->of.flow.phase = phase;
    row->args = NULL;
    row->arg_count = 0;
    tacho_recorder_store(decoder->recorder, row);
}

static bool take_launch(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    tacho_row row = {.track = event->track,
                     .start = (int64_t)record->time,
                     .of = {.flow = {.span_end = TACHO_FLOW_AROUND}}};
    if (!is_time(event, record->time) || record->value == 0) {
        return false;
    }
    store_launch(decoder, &row, record->value, TACHO_FLOW_LEAVES);
    return true;
}

static void remove_arg(tacho_decoder *decoder, arg_list *list, size_t index)
{
    list->count--;
    memmove(&decoder->args[index], &decoder->args[index + 1],
            (list->count - index) * sizeof(decoder->args[0]));
}

/* Takes the number of the launch out of the arguments; 0: none. */
static uint64_t find_launch(tacho_decoder *decoder, arg_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const tacho_arg *arg = &decoder->args[i];
        if (arg->type == TACHO_ARG_UINT && arg->key == decoder->launch) {
            uint64_t launch = arg->value.as_uint;
            remove_arg(decoder, list, i);
            return launch;
        }
    }
    return 0;
}

/* Takes the place in the model out of the arguments. */
static tacho_status take_location(tacho_decoder *decoder, arg_list *list, uint32_t *out_location)
{
    tacho_dict *dict = decoder->recorder->events->dict;
    *out_location = TACHO_NONE;
    for (size_t i = 0; i < list->count; i++) {
        const tacho_arg *arg = &decoder->args[i];
        if (arg->type == TACHO_ARG_TEXT && arg->key == decoder->location) {
            uint32_t text = 0;
            TACHO_TRY(tacho_dict_ensure_string(dict, arg->value.as_text, &text));
            TACHO_TRY(tacho_location_file(dict, text, out_location));
            remove_arg(decoder, list, i);
            return TACHO_OK;
        }
    }
    return TACHO_OK;
}

/* An operator, wherever it ran: its times and track are in |row|. */
static bool store_op(tacho_decoder *decoder, const wire_event *event, tacho_row *row,
                     const char *category)
{
    arg_list list;
    uint32_t name = 0;
    uint32_t site = 0;
    uint32_t location = TACHO_NONE;
    if (!read_args(decoder, event->arg_bytes, &list) ||
        !find_text(decoder, event->record.site, &name)) {
        return false;
    }
    tacho_status status = take_location(decoder, &list, &location);
    if (status != TACHO_OK) {
        tacho_recorder_fail(decoder->recorder, status);
        return false;
    }
    uint64_t launch = find_launch(decoder, &list);
    if (!name_site(decoder, name, category, location, &site)) {
        return false;
    }
    push_span(decoder, row, site, &list);
    if (launch != 0) {
        tacho_row arrow = {.track = row->track,
                           .start = row->start,
                           .of = {.flow = {.span_name = name, .span_end = row->of.span.end}}};
        store_launch(decoder, &arrow, launch, TACHO_FLOW_ARRIVES);
    }
    return true;
}

static bool take_op(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    tacho_row row = {.track = event->track,
                     .start = (int64_t)record->time,
                     .of = {.span = {.end = (int64_t)record->value}}};
    return record->value >= record->time && is_time(event, record->value) &&
           store_op(decoder, event, &row, "op");
}

/* ---- devices ------------------------------------------------------------------------------- */

static tacho_decoded_device *find_device(tacho_decoder *decoder, uint32_t device)
{
    for (size_t i = 0; i < decoder->device_count; i++) {
        if (decoder->devices[i].device == device) {
            return &decoder->devices[i];
        }
    }
    return NULL;
}

/* The same, made where there is none; NULL where the table is full. */
static tacho_decoded_device *ensure_device(tacho_decoder *decoder, uint32_t device)
{
    tacho_decoded_device *found = find_device(decoder, device);
    if (found == NULL && decoder->device_count < TACHO_DECODER_DEVICES_MAX) {
        found = &decoder->devices[decoder->device_count++];
        *found = (tacho_decoded_device){.device = device};
    }
    return found;
}

static bool take_device(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    uint32_t name = 0;
    uint32_t queue = 0;
    if (record->more > UINT32_MAX || record->flags > 1 || record->value > UINT32_MAX ||
        !find_text(decoder, record->site, &name) ||
        (record->value != 0 && !find_text(decoder, (uint32_t)record->value, &queue))) {
        return false;
    }
    tacho_decoded_device *device = ensure_device(decoder, (uint32_t)record->more);
    if (device == NULL) {
        return false;
    }
    device->name = name;
    device->queue = queue;
    device->is_simulated = record->flags == 1;
    return true;
}

static bool take_pair(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    if (!is_time(event, record->time) || record->value > INT64_MAX || record->more == 0 ||
        record->more > INT64_MAX) {
        return false;
    }
    tacho_decoded_device *device = ensure_device(decoder, record->site);
    if (device == NULL) {
        return false;
    }
    device->host_ns = (int64_t)record->time;
    device->ticks = (int64_t)record->value;
    device->ticks_per_second = (int64_t)record->more;
    return true;
}

/* Host time at which a device showed |ticks|; false where a capture cannot have that time. */
static bool find_host_ns(const tacho_decoded_device *device, const wire_event *event,
                         uint64_t ticks, int64_t *out_ns)
{
    tacho_i128 since =
        tacho_scale_floor((int64_t)ticks - device->ticks, ns_per_s, device->ticks_per_second);
    tacho_i128 time = since + device->host_ns;
    int64_t ahead = device->is_simulated ? simulated_ahead_ns : ahead_ns;
    if (time < 0 || time > event->now_ns + ahead) {
        return false;
    }
    *out_ns = (int64_t)time;
    return true;
}

/* The track and the category of each engine of a device. */
typedef struct engine_facts {
    tacho_track_class track_class;
    const char *name;     /* of its track, where a device has queues */
    const char *category; /* of its work */
} engine_facts;

static const engine_facts engines[] = {
    [TACHO_CLIENT_COMPUTE] = {TACHO_TRACK_COMPUTE, "kernels", "op"},
    [TACHO_CLIENT_TO_DEVICE] = {TACHO_TRACK_DMA_IN, "to device", "transfer"},
    [TACHO_CLIENT_FROM_DEVICE] = {TACHO_TRACK_DMA_OUT, "from device", "transfer"},
    [TACHO_CLIENT_ON_DEVICE] = {TACHO_TRACK_DMA_LOCAL, "on device", "transfer"},
    [TACHO_CLIENT_SYNC] = {TACHO_TRACK_SYNC, "waiting", "sync"},
};

/* The track of a device, or of one of its queues: under its name if the client sent one. */
static bool find_device_track(tacho_decoder *decoder, const tacho_decoded_device *device,
                              const tacho_wire_record *record, uint32_t *out_track)
{
    const engine_facts *engine = &engines[record->flags];
    uint32_t queue = (uint32_t)(record->more >> 32);
    const tacho_recorder_track facts = {.parent = decoder->group,
                                        .track_class = engine->track_class,
                                        .nesting = TACHO_NESTING_ENGINE,
                                        .number = -1};
    tacho_str name = tacho_dict_string(decoder->recorder->events->dict, device->name);
    char text[DEVICE_NAME_MAX];
    int len = snprintf(text, sizeof(text), "Device %u%s%.*s%s", (unsigned)device->device,
                       name.len > 0 ? ": " : "", (int)(name.len < 60 ? name.len : 60), name.data,
                       device->is_simulated ? " (simulated)" : "");
    if (queue != 0) {
        tacho_str word = tacho_dict_string(decoder->recorder->events->dict, device->queue);
        word = word.len > 0 ? word : TACHO_STR("queue");
        len += snprintf(text + len, sizeof(text) - (size_t)len, ", %.*s %u, %s",
                        (int)(word.len < 20 ? word.len : 20), word.data, (unsigned)queue,
                        engine->name);
    }
    tacho_status status = tacho_recorder_ensure_track(decoder->recorder, &facts,
                                                      tacho_str_make(text, (size_t)len), out_track);
    bool is_made = status == TACHO_OK;
    tacho_recorder_fail(decoder->recorder, status);
    return is_made;
}

static bool take_device_op(tacho_decoder *decoder, const wire_event *event)
{
    const tacho_wire_record *record = &event->record;
    tacho_row row = {0};
    if (record->value < record->time || record->value > INT64_MAX ||
        record->flags >= sizeof(engines) / sizeof(engines[0])) {
        return false;
    }
    const tacho_decoded_device *device = find_device(decoder, (uint32_t)record->more);
    if (device == NULL || device->ticks_per_second == 0) {
        decoder->untimed_count++;
        return true;
    }
    if (!find_host_ns(device, event, record->time, &row.start) ||
        !find_host_ns(device, event, record->value, &row.of.span.end) ||
        !find_device_track(decoder, device, record, &row.track)) {
        return false;
    }
    row.of.span.flags = device->is_simulated ? TACHO_ORIGIN_SIMULATED : 0;
    return store_op(decoder, event, &row, engines[record->flags].category);
}

/* ---- rings --------------------------------------------------------------------------------- */

static bool take_event(tacho_decoder *decoder, const wire_event *event)
{
    switch (event->record.kind) {
    case TACHO_WIRE_ZONE:
        return take_zone(decoder, event);
    case TACHO_WIRE_COUNTER:
        return take_counter(decoder, event);
    case TACHO_WIRE_MESSAGE:
    case TACHO_WIRE_SIGNPOST:
        return take_moment(decoder, event);
    case TACHO_WIRE_FLOW:
        return take_flow(decoder, event);
    case TACHO_WIRE_OP:
        return take_op(decoder, event);
    case TACHO_WIRE_DEVICE_OP:
        return take_device_op(decoder, event);
    case TACHO_WIRE_CLOCK_PAIR:
        return take_pair(decoder, event);
    case TACHO_WIRE_DEVICE:
        return take_device(decoder, event);
    case TACHO_WIRE_LAUNCH:
        return take_launch(decoder, event);
    default:
        return false;
    }
}

/* Counts what was not stored: its texts did not fit, or it makes no sense. */
static void count_lost(tacho_decoder *decoder)
{
    *(decoder->lacks_text ? &decoder->unnamed_count : &decoder->bad_count) += 1;
    decoder->lacks_text = false;
}

/* Copies the arguments of an event out of the ring. */
static void copy_args(tacho_decoder *decoder, const tacho_wire_record *records, uint64_t at,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(decoder->scratch + SCRATCH / 2 + i * TACHO_WIRE_RECORD,
               &records[(at + 1 + i) & (TACHO_WIRE_RECORDS - 1)], TACHO_WIRE_RECORD);
    }
}

bool tacho_decoder_take(tacho_decoder *decoder, const tacho_wire_record *records, uint64_t head,
                        uint64_t *tail, uint32_t track)
{
    wire_event event = {.track = track, .now_ns = tacho_process_now_ns()};
    if (head - *tail > TACHO_WIRE_RECORDS) {
        return false;
    }
    uint64_t first = *tail;
    while (*tail != head && *tail - first < TACHO_DECODER_PART) {
        memcpy(&event.record, &records[*tail & (TACHO_WIRE_RECORDS - 1)], sizeof(event.record));
        size_t count = event.record.extra;
        if (count > TACHO_WIRE_EXTRA_MAX || count >= head - *tail) {
            return false;
        }
        if (count > 0) {
            copy_args(decoder, records, *tail, count);
        }
        event.arg_bytes = count * TACHO_WIRE_RECORD;
        decoder->event_count++;
        if (!take_event(decoder, &event)) {
            count_lost(decoder);
        }
        *tail += 1 + count;
    }
    return true;
}

void tacho_decoder_take_open(tacho_decoder *decoder, uint32_t track, const tacho_wire_open *open,
                             int64_t now_ns)
{
    const wire_event event = {.now_ns = tacho_process_now_ns()};
    uint32_t site = 0;
    if (open->start > (uint64_t)now_ns && is_time(&event, open->start)) {
        return; /* it has begun since */
    }
    if (!is_time(&event, open->start) || !find_site(decoder, open->site, &site)) {
        decoder->event_count += decoder->lacks_text ? 1 : 0; /* of which the unnamed are a part */
        count_lost(decoder);
        return;
    }
    const tacho_row row = {
        .kind = TACHO_ROW_SPAN,
        .track = track,
        .start = (int64_t)open->start,
        .of = {.span = {.end = now_ns,
                        .site = site,
                        .op = TACHO_NONE,
                        .run = TACHO_NONE,
                        .flags = TACHO_SPAN_UNENDED}},
    };
    tacho_recorder_store(decoder->recorder, &row);
}
