/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones of devices: a context has a clock of its own, and times follow after their zones. The
 * arithmetic is Tracy's, step by step, so that times agree with its tools to the nanosecond.
 */
#include "capture/tracy_state.h"

#include "base/grow.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>

enum { UPSTREAM_METAL = 6, FIRST_WITH_METAL = 70 };

static const double fork_slowest = 0.9, fork_fastest = 1.1;
static const double time_end = 4e18;

/* A zone of a device whose times are not all known. */
typedef struct device_zone {
    uint32_t lane;
    uint32_t place;
    int64_t start; /* INT64_MIN: not known */
    uint32_t next_free;
} device_zone;

/* A thread of a context, or a processor: its zones nest. */
typedef struct device_lane {
    uint64_t id;
    uint32_t track;  /* TACHO_NONE: not made */
    uint32_t *stack; /* zones that have begun */
    size_t depth, capacity;
} device_lane;

typedef struct device_context {
    uint32_t number;
    uint64_t thread; /* 0: each zone names its own */
    uint8_t type;
    uint32_t name; /* string */
    bool is_calibrated, has_period;
    double period;
    int64_t time_diff, calibrated_gpu, calibrated_cpu;
    double calibration;
    int64_t last_gpu;
    uint64_t overflow, overflow_count;
    tacho_number_map queries; /* zone by query */
    tacho_number_map lane_map;
    device_lane *lanes;
    size_t lane_count, lane_capacity;
} device_context;

struct tacho_tracy_devices {
    device_context *contexts;
    size_t context_count, context_capacity;
    tacho_number_map map; /* by number */
    device_zone *zones;
    size_t zone_count, zone_capacity;
    uint32_t free_zone;
    uint64_t open_count;
};

tacho_status tacho_tracy_devices_make(tacho_tracy_session *session)
{
    TACHO_TRY(tacho_items_make(&session->devices, 1));
    session->devices->free_zone = TACHO_NONE;
    return TACHO_OK;
}

static void free_context(device_context *context)
{
    for (size_t i = 0; i < context->lane_count; i++) {
        free(context->lanes[i].stack);
    }
    free(context->lanes);
    tacho_number_map_deinit(&context->queries);
    tacho_number_map_deinit(&context->lane_map);
}

void tacho_tracy_devices_free(tacho_tracy_session *session)
{
    tacho_tracy_devices *devices = session->devices;
    if (devices == NULL) {
        return;
    }
    for (size_t i = 0; i < devices->context_count; i++) {
        free_context(&devices->contexts[i]);
    }
    free(devices->contexts);
    free(devices->zones);
    tacho_number_map_deinit(&devices->map);
    free(devices);
    session->devices = NULL;
}

/* ---- contexts ------------------------------------------------------------------------------ */

static uint32_t context_at(const tacho_tracy_session *session, const unsigned char *at)
{
    return session->protocol.context_bytes == 2 ? tacho_tracy_u16(at) : *at;
}

static device_context *find_context(tacho_tracy_session *session, const unsigned char *at)
{
    const uint64_t *found = tacho_number_map_find(&session->devices->map, context_at(session, at));
    session->counts.unknown += found == NULL ? 1 : 0;
    return found != NULL ? &session->devices->contexts[*found] : NULL;
}

/* A double as ns, clamped to the range of times. */
static int64_t to_ns(double value)
{
    if (!(fabs(value) < time_end)) {
        return value > 0 ? (int64_t)time_end : -(int64_t)time_end;
    }
    return tacho_whole_i64(value);
}

static int64_t scaled(const device_context *context, int64_t ticks)
{
    return context->has_period ? to_ns(context->period * (double)ticks) : ticks;
}

static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static tacho_status open_context(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    const unsigned char *data = item->data;
    tacho_tracy_devices *devices = session->devices;
    float period = 0;
    int64_t cpu = 0;
    memcpy(&period, data + 20, sizeof(period));
    tacho_tracy_time(session, tacho_tracy_i64(data), &cpu);
    device_context made = {
        .number = context_at(session, data + 24),
        .thread = tacho_tracy_u32(data + 16),
        .is_calibrated = (data[24 + session->protocol.context_bytes] & 1) != 0,
        .type = data[25 + session->protocol.context_bytes],
        .period = (double)period,
        .has_period = isfinite(period) && (period < 1.0F || period > 1.0F),
        .calibration = 1,
    };
    int64_t gpu = scaled(&made, tacho_tracy_i64(data + 8));
    made.time_diff = difference(cpu, gpu);
    made.calibrated_gpu = gpu;
    made.calibrated_cpu = cpu;
    TACHO_TRY(
        tacho_grow(&devices->contexts, &devices->context_capacity, devices->context_count + 1));
    devices->contexts[devices->context_count++] = made;
    return tacho_number_map_set(&devices->map, made.number, devices->context_count - 1);
}

static void calibrate(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    const unsigned char *data = item->data;
    device_context *context = find_context(session, data + 24);
    int64_t cpu = 0;
    if (context == NULL || !tacho_tracy_time(session, tacho_tracy_i64(data + 8), &cpu)) {
        return;
    }
    int64_t gpu = scaled(context, tacho_tracy_i64(data));
    int64_t behind = difference(gpu, context->calibrated_gpu);
    double rate = (double)tacho_tracy_i64(data + 16) / (double)behind;
    /* The fork's first pair starts from a device time near 0, which gives a rate that is none. */
    bool is_odd = session->protocol.is_fork && (rate < fork_slowest || rate > fork_fastest);
    if (behind != 0 && isfinite(rate) && !is_odd) {
        context->calibration = rate;
    }
    context->calibrated_gpu = gpu;
    context->calibrated_cpu = cpu;
}

static void synchronise(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    device_context *context = find_context(session, item->data + 16);
    int64_t cpu = 0;
    if (context == NULL || !tacho_tracy_time(session, tacho_tracy_i64(item->data + 8), &cpu)) {
        return;
    }
    context->time_diff = difference(cpu, scaled(context, tacho_tracy_i64(item->data)));
    context->last_gpu = 0;
    context->overflow = 0;
    context->overflow_count = 0;
}

/* A time of the device on the host's clock. */
static int64_t host_time(const device_context *context, int64_t ticks)
{
    if (!context->is_calibrated) {
        return (int64_t)((uint64_t)scaled(context, ticks) + (uint64_t)context->time_diff);
    }
    double behind = context->has_period
                        ? context->period * (double)ticks - (double)context->calibrated_gpu
                        : (double)difference(ticks, context->calibrated_gpu);
    return to_ns(behind * context->calibration + (double)context->calibrated_cpu);
}

/* The same, corrected where the device's counter has wrapped: it is far below the last value. */
static int64_t unwrapped(device_context *context, int64_t ticks)
{
    int64_t lowest = 0;
    bool has_lowest = !__builtin_sub_overflow(context->last_gpu, INT64_C(1) << 31, &lowest);
    if (has_lowest && ticks < lowest) {
        if (context->overflow == 0 && context->last_gpu > 0) {
            int bits = 64 - __builtin_clzll((unsigned long long)context->last_gpu);
            context->overflow = bits < 64 ? UINT64_C(1) << bits : 0;
        }
        context->overflow_count++;
    }
    context->last_gpu = ticks;
    return (int64_t)((uint64_t)ticks + context->overflow * context->overflow_count);
}

/* ---- zones --------------------------------------------------------------------------------- */

static tacho_status find_lane(device_context *context, uint64_t thread, uint32_t *out_lane)
{
    uint64_t id = context->thread != 0 ? context->thread : thread;
    const uint64_t *found = tacho_number_map_find(&context->lane_map, id);
    if (found != NULL) {
        *out_lane = (uint32_t)*found;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&context->lanes, &context->lane_capacity, context->lane_count + 1));
    *out_lane = (uint32_t)context->lane_count++;
    context->lanes[*out_lane] = (device_lane){.id = id, .track = TACHO_NONE};
    return tacho_number_map_set(&context->lane_map, id, *out_lane);
}

static tacho_status lane_track(tacho_tracy_session *session, device_context *context,
                               device_lane *lane, uint32_t *out_track)
{
    if (lane->track == TACHO_NONE) {
        tacho_str name = tacho_dict_string(session->rows.events->dict, context->name);
        bool is_fork = session->protocol.is_fork || tacho_tracy_is_tenstorrent(name);
        bool is_metal = context->type == UPSTREAM_METAL && !session->protocol.is_fork &&
                        session->protocol.number >= FIRST_WITH_METAL;
        const tacho_tracy_device device = {
            .name = name,
            .type = context->type,
            .number = context->number,
            .is_tenstorrent = is_fork && !is_metal && tacho_tracy_is_tenstorrent(name),
            .has_lanes = context->thread == 0,
        };
        TACHO_TRY(tacho_tracy_rows_lane(&session->rows, &device, lane->id, &lane->track));
    }
    *out_track = lane->track;
    return TACHO_OK;
}

static tacho_status push_zone(tacho_tracy_session *session, device_context *context,
                              const device_zone *zone, int64_t end, uint32_t flags)
{
    tacho_tracy_held row = {.span = {.start = zone->start, .end = end, .flags = flags},
                            .place = zone->place,
                            .extra = TACHO_NONE,
                            .category = session->rows.device_zone};
    session->counts.device_zones++;
    session->last_ns = end > session->last_ns ? end : session->last_ns;
    TACHO_TRY(lane_track(session, context, &context->lanes[zone->lane], &row.span.track));
    return tacho_tracy_names_push_zone(&session->names, &row);
}

static tacho_status add_zone(tacho_tracy_devices *devices, const device_zone *zone,
                             uint32_t *out_zone)
{
    *out_zone = devices->free_zone;
    if (*out_zone != TACHO_NONE) {
        devices->free_zone = devices->zones[*out_zone].next_free;
    } else {
        TACHO_TRY(tacho_grow(&devices->zones, &devices->zone_capacity, devices->zone_count + 1));
        *out_zone = (uint32_t)devices->zone_count++;
    }
    devices->zones[*out_zone] = *zone;
    devices->open_count++;
    return TACHO_OK;
}

static void drop_zone(tacho_tracy_devices *devices, uint32_t zone)
{
    devices->zones[zone].next_free = devices->free_zone;
    devices->free_zone = zone;
    devices->open_count--;
}

/* The running time of a zone's event, which is on the thread's clock or on the common one. */
static void step_cpu(tacho_tracy_session *session, const unsigned char *data, bool is_serial)
{
    int64_t time = 0;
    tacho_tracy_step(session, is_serial ? &session->serial_ticks : &session->thread_ticks,
                     tacho_tracy_i64(data), &time);
}

static tacho_status begin_zone(tacho_tracy_session *session, const unsigned char *data,
                               bool is_serial, bool has_payload)
{
    tacho_tracy_devices *devices = session->devices;
    device_zone zone = {.start = INT64_MIN, .next_free = TACHO_NONE};
    uint32_t at = 0;
    step_cpu(session, data, is_serial);
    if (has_payload) {
        tacho_str payload = session->has_payload ? session->payload : TACHO_STR("");
        session->has_payload = false;
        TACHO_TRY(tacho_tracy_names_payload(&session->names, payload, &zone.place));
    } else {
        TACHO_TRY(tacho_tracy_names_place(
            &session->names, tacho_tracy_u64(data + 14 + session->protocol.context_bytes),
            &zone.place));
    }
    device_context *context = find_context(session, data + 14);
    if (context == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(find_lane(context, tacho_tracy_u32(data + 8), &zone.lane));
    device_lane *lane = &context->lanes[zone.lane];
    if (lane->depth == TACHO_TRACY_DEPTH_MAX) {
        session->counts.mismatched++;
        return TACHO_OK;
    }
    TACHO_TRY(add_zone(devices, &zone, &at));
    TACHO_TRY(tacho_grow(&lane->stack, &lane->capacity, lane->depth + 1));
    lane->stack[lane->depth++] = at;
    return tacho_number_map_set(&context->queries, tacho_tracy_u16(data + 12), at);
}

static tacho_status end_zone(tacho_tracy_session *session, const unsigned char *data,
                             bool is_serial)
{
    uint32_t at = 0;
    step_cpu(session, data, is_serial);
    device_context *context = find_context(session, data + 14);
    if (context == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(find_lane(context, tacho_tracy_u32(data + 8), &at));
    device_lane *lane = &context->lanes[at];
    if (lane->depth == 0) {
        session->counts.mismatched++;
        return TACHO_OK;
    }
    return tacho_number_map_set(&context->queries, tacho_tracy_u16(data + 12),
                                lane->stack[--lane->depth]);
}

static tacho_status take_time(tacho_tracy_session *session, const unsigned char *data)
{
    tacho_tracy_devices *devices = session->devices;
    session->gpu_ticks = (int64_t)((uint64_t)session->gpu_ticks + tacho_tracy_u64(data));
    device_context *context = find_context(session, data + 10);
    if (context == NULL) {
        return TACHO_OK;
    }
    int64_t time = host_time(context, unwrapped(context, session->gpu_ticks));
    const uint64_t *found = tacho_number_map_find(&context->queries, tacho_tracy_u16(data + 8));
    if (found == NULL) {
        session->counts.unknown++;
        return TACHO_OK;
    }
    uint32_t at = (uint32_t)*found;
    tacho_number_map_remove(&context->queries, tacho_tracy_u16(data + 8));
    if (devices->zones[at].start == INT64_MIN) {
        devices->zones[at].start = time;
        return TACHO_OK;
    }
    const device_zone zone = devices->zones[at];
    drop_zone(devices, at);
    return push_zone(session, context, &zone, time, 0);
}

/* A whole zone at once: start and end are times of the device. */
static tacho_status take_whole(tacho_tracy_session *session, const unsigned char *data)
{
    device_zone zone = {.start = 0};
    TACHO_TRY(tacho_tracy_names_place(&session->names, tacho_tracy_u64(data + 16), &zone.place));
    device_context *context = find_context(session, data + 28);
    if (context == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(find_lane(context, tacho_tracy_u32(data + 24), &zone.lane));
    zone.start = host_time(context, tacho_tracy_i64(data));
    return push_zone(session, context, &zone, host_time(context, tacho_tracy_i64(data + 8)), 0);
}

/* A moment on a device: its name was sent before it, and perhaps a text. */
static tacho_status take_marker(tacho_tracy_session *session, const unsigned char *data)
{
    device_zone zone = {.start = 0};
    tacho_str payload = session->has_payload ? session->payload : TACHO_STR("");
    session->has_payload = false;
    session->gpu_ticks = (int64_t)((uint64_t)session->gpu_ticks + tacho_tracy_u64(data));
    TACHO_TRY(tacho_tracy_names_payload(&session->names, payload, &zone.place));
    device_context *context = find_context(session, data + 20);
    if (context == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(find_lane(context, tacho_tracy_u32(data + 16), &zone.lane));
    zone.start = host_time(context, session->gpu_ticks);
    return push_zone(session, context, &zone, zone.start, TACHO_SPAN_INSTANT);
}

static tacho_status name_context(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    tacho_str name = tacho_tracy_take_single(session);
    device_context *context = find_context(session, item->data);
    return context == NULL
               ? TACHO_OK
               : tacho_dict_ensure_string(session->rows.events->dict, name, &context->name);
}

/* ---- all of them --------------------------------------------------------------------------- */

static tacho_status take_context_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                       bool *out_is_taken)
{
    switch ((int)item->event) {
    case TACHO_TRACY_GPU_NEW_CONTEXT:
        return open_context(session, item);
    case TACHO_TRACY_GPU_CONTEXT_NAME:
        return name_context(session, item);
    case TACHO_TRACY_GPU_CALIBRATION:
        calibrate(session, item);
        return TACHO_OK;
    case TACHO_TRACY_GPU_TIME_SYNC:
        synchronise(session, item);
        return TACHO_OK;
    case TACHO_TRACY_GPU_ANNOTATION_NAME:
    case TACHO_TRACY_GPU_MARKER_META:
        session->has_single = false;
        session->counts.other_skipped++;
        return TACHO_OK;
    case TACHO_TRACY_GPU_ZONE_ANNOTATION:
        session->counts.other_skipped++;
        return TACHO_OK;
    default:
        *out_is_taken = false;
        return TACHO_OK;
    }
}

tacho_status tacho_tracy_device_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                      bool *out_is_taken)
{
    *out_is_taken = true;
    switch ((int)item->event) {
    case TACHO_TRACY_GPU_ZONE_BEGIN:
    case TACHO_TRACY_GPU_ZONE_BEGIN_CALLSTACK:
        return begin_zone(session, item->data, false, false);
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC:
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK:
        return begin_zone(session, item->data, false, true);
    case TACHO_TRACY_GPU_ZONE_BEGIN_SERIAL:
    case TACHO_TRACY_GPU_ZONE_BEGIN_CALLSTACK_SERIAL:
        return begin_zone(session, item->data, true, false);
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC_SERIAL:
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK_SERIAL:
        return begin_zone(session, item->data, true, true);
    case TACHO_TRACY_GPU_ZONE_END:
        return end_zone(session, item->data, false);
    case TACHO_TRACY_GPU_ZONE_END_SERIAL:
        return end_zone(session, item->data, true);
    case TACHO_TRACY_GPU_TIME:
        return take_time(session, item->data);
    case TACHO_TRACY_GPU_ZONE:
        return take_whole(session, item->data);
    case TACHO_TRACY_GPU_MARKER:
        return take_marker(session, item->data);
    default:
        return take_context_event(session, item, out_is_taken);
    }
}

tacho_status tacho_tracy_finish_devices(tacho_tracy_session *session)
{
    session->counts.untimed += session->devices->open_count;
    return TACHO_OK;
}
