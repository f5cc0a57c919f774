/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the tokens of a trace, which may be of any size.
 */
#include "sources/stats/host_sync.h"

#include "base/maths.h"
#include "codec/json_number.h"
#include "codec/json_reader.h"

enum { EVENT_DEPTH_MAX = 3, KEY_MAX = 16 };

typedef struct sync_scan {
    tacho_host_sync sync;
    bool has_sync, has_first;
    size_t depth;       /* of open containers */
    size_t event_depth; /* of the current event, 0: none */
    bool is_array[EVENT_DEPTH_MAX + 1];
    char key[KEY_MAX];
    /* of the event */
    bool is_named, is_phase, is_metadata, has_time, has_host;
    int64_t ts_ns, host_ns;
} sync_scan;

static bool is_key(const sync_scan *self, const char *name)
{
    return strcmp(self->key, name) == 0;
}

static void begin_container(sync_scan *self, bool is_array)
{
    bool is_event = !is_array && self->depth > 0 && self->depth < EVENT_DEPTH_MAX &&
                    self->is_array[self->depth];
    self->depth++;
    if (self->depth <= EVENT_DEPTH_MAX) {
        self->is_array[self->depth] = is_array;
    }
    if (is_event && self->event_depth == 0) {
        self->event_depth = self->depth;
        self->is_named = self->is_phase = self->is_metadata = false;
        self->has_time = self->has_host = false;
    }
}

static void end_event(sync_scan *self)
{
    self->event_depth = 0;
    if (self->has_time && !self->is_metadata &&
        (!self->has_first || self->ts_ns < self->sync.first_ns)) {
        self->sync.first_ns = self->ts_ns;
        self->has_first = true;
    }
    if (self->is_named && self->is_phase && self->has_time && self->has_host && !self->has_sync) {
        self->sync.trace_ns = self->ts_ns;
        self->sync.monotonic_ns = self->host_ns;
        self->has_sync = true;
    }
}

static void take_value(sync_scan *self, tacho_json_token token, tacho_str text)
{
    bool is_outer = self->depth == self->event_depth;
    if (self->event_depth == 0) {
        return;
    }
    if (is_outer && token == TACHO_JSON_STRING && is_key(self, "name")) {
        self->is_named = tacho_str_equal(text, TACHO_STR("clock_sync"));
    } else if (is_outer && token == TACHO_JSON_STRING && is_key(self, "ph")) {
        self->is_phase = tacho_str_equal(text, TACHO_STR("c"));
        self->is_metadata = tacho_str_equal(text, TACHO_STR("M"));
    } else if (is_outer && is_key(self, "ts")) {
        self->has_time = tacho_json_number_scaled(text, 3, &self->ts_ns);
    } else if (self->depth == self->event_depth + 1 && is_key(self, "host_ns")) {
        self->has_host = tacho_json_number_i64(text, &self->host_ns) && self->host_ns >= 0;
    }
}

static void take_token(sync_scan *self, tacho_json_token token, tacho_str text)
{
    switch (token) {
    case TACHO_JSON_OBJECT_BEGIN:
    case TACHO_JSON_ARRAY_BEGIN:
        begin_container(self, token == TACHO_JSON_ARRAY_BEGIN);
        break;
    case TACHO_JSON_OBJECT_END:
    case TACHO_JSON_ARRAY_END:
        if (self->depth == self->event_depth) {
            end_event(self);
        }
        self->depth--;
        break;
    case TACHO_JSON_KEY: {
        size_t len = text.len < KEY_MAX - 1 ? text.len : 0;
        memcpy(self->key, text.data, len);
        self->key[len] = '\0';
        break;
    }
    case TACHO_JSON_STRING:
    case TACHO_JSON_NUMBER:
        take_value(self, token, text);
        break;
    case TACHO_JSON_TRUE:
    case TACHO_JSON_FALSE:
    case TACHO_JSON_NULL:
    case TACHO_JSON_END:
        break;
    }
}

static tacho_status scan(sync_scan *self, tacho_input *input)
{
    static const tacho_json_options options = {.is_lenient = true, .allows_open_array = true};
    tacho_json_reader reader;
    TACHO_TRY(tacho_json_reader_init(&reader, input, &options));
    tacho_status status = TACHO_OK;
    for (tacho_json_token token = TACHO_JSON_NULL; token != TACHO_JSON_END;) {
        status = tacho_json_next(&reader, &token);
        if (status != TACHO_OK) {
            break;
        }
        take_token(self, token, reader.text);
    }
    tacho_json_reader_deinit(&reader);
    return status;
}

tacho_status tacho_host_sync_read(const char *path, tacho_host_sync *out_sync)
{
    sync_scan self = {0};
    tacho_input input;
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = scan(&self, &input);
    tacho_input_close(&input);
    TACHO_TRY(status);
    if (!self.has_sync) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: no clock-sync record (an event of phase c called clock_sync, with "
                          "ts and args.host_ns), so its times cannot be aligned with the device's",
                          path);
    }
    *out_sync = self.sync;
    return TACHO_OK;
}

/* ---- the device's clock -------------------------------------------------------------------- */

static const tacho_stats_clock *find_pair(const tacho_stats_file *file)
{
    for (size_t i = 0; i < file->array_count; i++) {
        if (file->arrays[i].type == TACHO_STATS_TYPE_clock) {
            const tacho_stats_clock *pair = file->arrays[i].records;
            return pair->host_ns <= INT64_MAX && pair->timer <= INT64_MAX ? pair : NULL;
        }
    }
    return NULL;
}

static bool scale(int64_t value, uint64_t by, uint64_t over, int64_t add, int64_t *out_value)
{
    if (by > INT64_MAX || over > INT64_MAX) {
        return false;
    }
    tacho_i128 scaled = tacho_scale_floor(value, (int64_t)by, (int64_t)over) + add;
    *out_value = (int64_t)scaled;
    return scaled >= INT64_MIN && scaled <= INT64_MAX;
}

bool tacho_host_sync_tick(const tacho_stats_file *file, int64_t monotonic_ns, int64_t *out_tick)
{
    const tacho_stats_clock *pair = find_pair(file);
    int64_t since = 0;
    return pair != NULL && !__builtin_sub_overflow(monotonic_ns, (int64_t)pair->host_ns, &since) &&
           scale(since, file->head.timer_hz, 1000000000, (int64_t)pair->timer, out_tick);
}

bool tacho_host_sync_ns(const tacho_stats_file *file, int64_t tick, int64_t *out_ns)
{
    const tacho_stats_clock *pair = find_pair(file);
    int64_t since = 0;
    return pair != NULL && !__builtin_sub_overflow(tick, (int64_t)pair->timer, &since) &&
           scale(since, 1000000000, file->head.timer_hz, (int64_t)pair->host_ns, out_ns);
}
