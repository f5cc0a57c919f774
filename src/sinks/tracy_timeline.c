/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zones of a track in the form of .tracy files: each with the zones inside it between its start
 * and its end, and times as differences to the previous one.
 */
#include "base/grow.h"
#include "sinks/tracy_state.h"

#include <stdlib.h>

/* A zone whose start is written. */
typedef struct begun {
    int64_t end;
    uint32_t left; /* zones in it not written yet */
} begun;

typedef struct writer {
    tracy_sink *sink;
    const tracy_track *track;
    bool is_device;
    int64_t running;
    begun *stack;
    size_t depth, capacity;
} writer;

static void put(writer *self, uint64_t value, size_t bytes)
{
    tacho_tracy_pack_number(&self->sink->pack, value, bytes);
}

/* Devices have the host's time beside their own: here both are the same. */
static void put_time(writer *self, int64_t time)
{
    put(self, (uint64_t)time - (uint64_t)self->running, 8);
    if (self->is_device) {
        put(self, (uint64_t)time - (uint64_t)self->running, 8);
    }
    self->running = time;
}

/* A zone without an end is stored without one; readers show it up to the last time of the file. */
static int64_t stored_end(const tracy_sink *sink, const tracy_zone *zone)
{
    return zone->is_unended != 0 && zone->end == sink->last_time ? -1 : zone->end;
}

static tacho_status begin_zone(writer *self, const tracy_zone *zone)
{
    uint16_t place = (uint16_t)tracy_place_number((size_t)zone->place);
    if (self->is_device) {
        put_time(self, zone->start);
        put(self, place, 2);
        put(self, 0, 3); /* no call stack */
        put(self, self->track->thread, 2);
        put(self, zone->children, 8);
    } else {
        put(self, place, 2);
        put_time(self, zone->start);
        put(self, zone->extra, 4);
        put(self, zone->children, 4);
    }
    TACHO_TRY(tacho_grow(&self->stack, &self->capacity, self->depth + 1));
    self->stack[self->depth++] =
        (begun){.end = stored_end(self->sink, zone), .left = zone->children};
    return TACHO_OK;
}

/* Ends all zones without remaining children. */
static void end_zones(writer *self)
{
    while (self->depth > 0 && self->stack[self->depth - 1].left == 0) {
        put_time(self, self->stack[--self->depth].end);
        if (self->depth > 0) {
            self->stack[self->depth - 1].left--;
        }
    }
}

static tacho_status write_zones(writer *self)
{
    tracy_cursor cursor;
    tracy_zone zone;
    bool is_there = true;
    tracy_cursor_init(&cursor, &self->sink->spool, &self->track->zones);
    while (is_there) {
        TACHO_TRY(tracy_cursor_next(&cursor, &zone, sizeof(zone), &is_there));
        if (is_there) {
            TACHO_TRY(begin_zone(self, &zone));
            end_zones(self);
        }
        if (tacho_output_failed(self->sink->output)) {
            return TACHO_OK; /* reported when the file is committed */
        }
    }
    return TACHO_OK;
}

tacho_status tracy_write_timeline(tracy_sink *sink, const tracy_track *track, bool is_device)
{
    writer self = {.sink = sink, .track = track, .is_device = is_device};
    put(&self, track->root_count, is_device ? 8 : 4);
    tacho_status status = write_zones(&self);
    free(self.stack);
    return status;
}
