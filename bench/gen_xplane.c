/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_xplane EVENTS > FILE: an XPlane file of a TPU with so many operators of 500 kinds, in a line
 * that is described after it, each with three stats.
 */
#include "codec/protobuf.h"

#include <stdio.h>
#include <stdlib.h>

enum { KINDS = 500, EVENT_MAX = 128, STATS = 3 };

static unsigned char *put_stat(unsigned char *at, uint32_t field, uint64_t name, uint64_t value)
{
    unsigned char *body = at = tacho_pb_open(at, field);
    at = tacho_pb_put_uint(at, 1, name);
    at = tacho_pb_put_uint(at, 3, value);
    return tacho_pb_close(body, at);
}

static unsigned char *put_event(unsigned char *at, uint64_t i)
{
    unsigned char *body = at = tacho_pb_open(at, 4);
    at = tacho_pb_put_uint(at, 1, i * 7 % KINDS + 1);
    at = tacho_pb_put_uint(at, 2, i * 10000000 + 1);
    at = tacho_pb_put_uint(at, 3, 9000000 + i % 1000);
    at = put_stat(at, 4, 1, i * 10000000);
    at = put_stat(at, 4, 2, 9000000);
    at = put_stat(at, 4, 3, i / 1000);
    return tacho_pb_close(body, at);
}

/* An entry of a map: the description of a kind or of a stat. */
static unsigned char *put_name(unsigned char *at, uint32_t map, uint64_t id, const char *name)
{
    unsigned char *entry = at = tacho_pb_open(at, map);
    at = tacho_pb_put_uint(at, 1, id);
    unsigned char *value = at = tacho_pb_open(at, 2);
    at = tacho_pb_put_bytes(at, 2, tacho_str_from_cstring(name));
    return tacho_pb_close(entry, tacho_pb_close(value, at));
}

static unsigned char *put_plane(unsigned char *at, uint64_t events)
{
    static const char *const stats[STATS] = {"device_offset_ps", "device_duration_ps", "run_id"};
    char name[64];
    unsigned char *plane = at = tacho_pb_open(at, 1);
    at = tacho_pb_put_bytes(at, 2, TACHO_STR("/device:TPU:0"));
    unsigned char *line = at = tacho_pb_open(at, 3);
    at = tacho_pb_put_uint(at, 1, 3);
    at = tacho_pb_put_bytes(at, 2, TACHO_STR("XLA Ops"));
    for (uint64_t i = 0; i < events; i++) {
        at = put_event(at, i);
    }
    at = tacho_pb_close(line, at);
    for (uint64_t i = 1; i <= KINDS; i++) {
        snprintf(name, sizeof(name), "%%fusion.%llu = f32[8]{0} fusion(%%p)",
                 (unsigned long long)i);
        at = put_name(at, 4, i, name);
    }
    for (uint64_t i = 0; i < STATS; i++) {
        at = put_name(at, 5, i + 1, stats[i]);
    }
    return tacho_pb_close(plane, at);
}

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    unsigned char *bytes = malloc((size_t)(events + KINDS + 16) * EVENT_MAX);
    if (bytes == NULL) {
        return 1;
    }
    unsigned char *end = put_plane(bytes, events);
    size_t len = (size_t)(end - bytes);
    bool is_written = fwrite(bytes, 1, len, stdout) == len && fflush(stdout) == 0;
    free(bytes);
    return is_written ? 0 : 1;
}
