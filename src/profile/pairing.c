/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per track a buffer of packed rows in order of begin, and a stack of those that are open. An
 * end patches its row; when the stack is empty the buffer is given out and forgotten.
 *
 * Arguments of an end are packed as a row of their own behind, linked from the row they belong
 * to, and joined when it is given out.
 */
#include "profile/pairing.h"

#include "base/grow.h"
#include "profile/packed_row.h"

#include <stdlib.h>

/* What precedes each packed row in a buffer. */
typedef struct held_row {
    size_t extra;  /* offset of a row with more arguments, SIZE_MAX for none */
    bool is_extra; /* holds only arguments for another row */
    bool is_open;
} held_row;

typedef struct pairing_track {
    unsigned char *bytes; /* held_row, packed row, held_row, packed row ... */
    size_t used, capacity;
    size_t closed_bytes; /* of |used|, what could be given out */
    size_t *open;        /* offsets of open rows, outermost first */
    size_t open_count, open_capacity;
} pairing_track;

struct tacho_pairing {
    tacho_events *next;
    pairing_track *tracks;
    size_t track_count, track_capacity;
    tacho_unpacked_args args;
    tacho_unpacked_args extra_args;
    tacho_arg *joined;
    size_t joined_capacity;
};

enum { HELD_BYTES = (sizeof(held_row) + 7) / 8 * 8 };

tacho_status tacho_pairing_create(tacho_events *next, tacho_pairing **out_pairing)
{
    tacho_pairing *pairing = calloc(1, sizeof(*pairing));
    if (pairing == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory to pair events");
    }
    pairing->next = next;
    *out_pairing = pairing;
    return TACHO_OK;
}

void tacho_pairing_destroy(tacho_pairing *pairing)
{
    if (pairing == NULL) {
        return;
    }
    for (size_t i = 0; i < pairing->track_count; i++) {
        free(pairing->tracks[i].bytes);
        free(pairing->tracks[i].open);
    }
    free(pairing->tracks);
    free(pairing->args.items);
    free(pairing->extra_args.items);
    free(pairing->joined);
    free(pairing);
}

static tacho_status ensure_track(tacho_pairing *pairing, uint32_t id, pairing_track **out_track)
{
    if (TACHO_UNLIKELY(id >= pairing->track_count)) {
        TACHO_TRY(tacho_grow(&pairing->tracks, &pairing->track_capacity, (size_t)id + 1));
        for (; pairing->track_count <= id; pairing->track_count++) {
            pairing->tracks[pairing->track_count] = (pairing_track){0};
        }
    }
    *out_track = &pairing->tracks[id];
    return TACHO_OK;
}

static held_row *held_at(const pairing_track *track, size_t offset)
{
    return (held_row *)(void *)(track->bytes + offset);
}

static tacho_packed_row *packed_at(const pairing_track *track, size_t offset)
{
    return (tacho_packed_row *)(void *)(track->bytes + offset + HELD_BYTES);
}

/* Appends |row| to the track's buffer. */
static tacho_status hold(pairing_track *track, const tacho_row *row, bool is_extra, bool is_open,
                         size_t *out_offset)
{
    size_t size = 0;
    TACHO_TRY(tacho_packed_row_size(row, &size));
    TACHO_TRY(tacho_grow(&track->bytes, &track->capacity, track->used + HELD_BYTES + size));
    *out_offset = track->used;
    *held_at(track, track->used) = (held_row){SIZE_MAX, is_extra, is_open};
    tacho_packed_row_write(row, row->start, size, packed_at(track, track->used));
    track->used += HELD_BYTES + size;
    track->closed_bytes += is_open ? 0 : HELD_BYTES + size;
    return TACHO_OK;
}

/* Puts the arguments of an end behind those of its begin. */
static tacho_status join_extra(tacho_pairing *pairing, const pairing_track *track, size_t extra,
                               tacho_row *row)
{
    tacho_row more;
    TACHO_TRY(tacho_packed_row_read(packed_at(track, extra), &pairing->extra_args, &more));
    size_t count = row->arg_count + more.arg_count;
    TACHO_TRY(tacho_grow(&pairing->joined, &pairing->joined_capacity, count));
    if (row->arg_count > 0) {
        memcpy(pairing->joined, row->args, row->arg_count * sizeof(*row->args));
    }
    memcpy(pairing->joined + row->arg_count, more.args, more.arg_count * sizeof(*more.args));
    row->args = pairing->joined;
    row->arg_count = count;
    return TACHO_OK;
}

static tacho_status push_held(tacho_pairing *pairing, const pairing_track *track, size_t offset)
{
    const held_row *held = held_at(track, offset);
    if (held->is_extra) {
        return TACHO_OK;
    }
    tacho_row row;
    TACHO_TRY(tacho_packed_row_read(packed_at(track, offset), &pairing->args, &row));
    if (held->extra != SIZE_MAX) {
        TACHO_TRY(join_extra(pairing, track, held->extra, &row));
    }
    return tacho_events_row(pairing->next, &row);
}

/* Gives out every closed row, in order of begin, and forgets it; open ones stay. */
static tacho_status release(tacho_pairing *pairing, pairing_track *track)
{
    size_t kept = 0;
    size_t open_index = 0;
    for (size_t at = 0; at < track->used;) {
        size_t size = HELD_BYTES + packed_at(track, at)->size_bytes;
        if (held_at(track, at)->is_open) {
            memmove(track->bytes + kept, track->bytes + at, size);
            track->open[open_index++] = kept;
            kept += size;
        } else {
            TACHO_TRY(push_held(pairing, track, at));
        }
        at += size;
    }
    track->used = kept;
    track->closed_bytes = 0;
    return TACHO_OK;
}

/* Rows go out when nothing is open, or when holding them would cost too much. */
static tacho_status release_if_due(tacho_pairing *pairing, pairing_track *track)
{
    /* At least half must be to give, lest deep nesting be scanned over and over. */
    bool is_due = track->open_count == 0 ||
                  (track->used > TACHO_PAIRING_HOLD_BYTES && track->closed_bytes > track->used / 2);
    return is_due ? release(pairing, track) : TACHO_OK;
}

tacho_status tacho_pairing_begin(tacho_pairing *pairing, const tacho_row *row)
{
    pairing_track *track = NULL;
    TACHO_TRY(ensure_track(pairing, row->track, &track));
    TACHO_TRY(tacho_grow(&track->open, &track->open_capacity, track->open_count + 1));
    size_t offset = 0;
    TACHO_TRY(hold(track, row, false, true, &offset));
    track->open[track->open_count++] = offset;
    return TACHO_OK;
}

static void patch_end(pairing_track *track, size_t offset, int64_t time, uint32_t flags)
{
    tacho_packed_row *packed = packed_at(track, offset);
    tacho_row row = {.kind = TACHO_ROW_SPAN};
    memcpy(&row.of, packed->payload, sizeof(row.of));
    row.of.span.end = time;
    row.of.span.flags |= flags;
    memcpy(packed->payload, &row.of, sizeof(row.of));
    held_at(track, offset)->is_open = false;
    track->closed_bytes += HELD_BYTES + packed->size_bytes;
}

static tacho_status close_innermost(tacho_pairing *pairing, pairing_track *track, int64_t time,
                                    uint32_t flags)
{
    size_t offset = track->open[--track->open_count];
    patch_end(track, offset, time, flags);
    return release_if_due(pairing, track);
}

tacho_status tacho_pairing_end(tacho_pairing *pairing, uint32_t track_id, int64_t time,
                               const tacho_arg *args, size_t arg_count, bool *out_matched)
{
    pairing_track *track = NULL;
    TACHO_TRY(ensure_track(pairing, track_id, &track));
    *out_matched = track->open_count > 0;
    if (!*out_matched) {
        return TACHO_OK;
    }
    if (arg_count > 0) {
        tacho_row extra = {.kind = TACHO_ROW_SPAN, .args = args, .arg_count = arg_count};
        size_t offset = 0;
        TACHO_TRY(hold(track, &extra, true, false, &offset));
        held_at(track, track->open[track->open_count - 1])->extra = offset;
    }
    return close_innermost(pairing, track, time, 0);
}

uint32_t tacho_pairing_open_site(const tacho_pairing *pairing, uint32_t track_id)
{
    if (track_id >= pairing->track_count || pairing->tracks[track_id].open_count == 0) {
        return TACHO_NONE;
    }
    const pairing_track *track = &pairing->tracks[track_id];
    tacho_row row = {.kind = TACHO_ROW_SPAN};
    memcpy(&row.of, packed_at(track, track->open[track->open_count - 1])->payload, sizeof(row.of));
    return row.of.span.site;
}

tacho_status tacho_pairing_add(tacho_pairing *pairing, const tacho_row *row)
{
    pairing_track *track = NULL;
    TACHO_TRY(ensure_track(pairing, row->track, &track));
    if (track->open_count == 0) {
        return tacho_events_row(pairing->next, row);
    }
    size_t offset = 0;
    TACHO_TRY(hold(track, row, false, false, &offset));
    return release_if_due(pairing, track);
}

tacho_status tacho_pairing_finish(tacho_pairing *pairing, int64_t time, uint64_t *out_unended_count)
{
    *out_unended_count = 0;
    for (size_t i = 0; i < pairing->track_count; i++) {
        pairing_track *track = &pairing->tracks[i];
        while (track->open_count > 0) {
            (*out_unended_count)++;
            TACHO_TRY(close_innermost(pairing, track, time, TACHO_SPAN_UNENDED));
        }
    }
    return TACHO_OK;
}
