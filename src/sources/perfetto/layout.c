/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are compared by profile/vocabulary; this file checks which of them occur together.
 */
#include "sources/perfetto/layout.h"

enum { OLD_THREADS_MIN = 2 /* threads needed in a process without a number before its name */ };

static tacho_str name_of(const pfr_tracks *tracks, const pfr_track *track)
{
    return tacho_dict_string(tracks->dict, track->name);
}

/* A group at the top, as the current tool writes it. */
static bool is_group(const pfr_tracks *tracks, const pfr_track *track)
{
    return track->kind == PFR_TRACK_PLAIN && track->is_described && !track->has_facts &&
           pfr_tracks_parent(tracks, track) == TACHO_NONE;
}

static bool is_thread(const pfr_track *track)
{
    return track->kind == PFR_TRACK_THREAD && track->is_described && !track->has_facts;
}

bool pfr_layout_concerns(const pfr_tracks *tracks, const pfr_track *track)
{
    tacho_torq_old_track old;
    if (is_thread(track)) {
        return tacho_torq_find_old_track(name_of(tracks, track), &old);
    }
    return is_group(tracks, track) && tacho_torq_trace_group(name_of(tracks, track));
}

/* ---- older traces ----------------------------------------------------------------------- */

/* Counts |thread| for or against its process. */
static void count_thread(pfr_tracks *tracks, const pfr_track *thread)
{
    tacho_torq_old_track old;
    uint32_t parent = pfr_tracks_parent(tracks, thread);
    if (parent == TACHO_NONE || tracks->items[parent].kind != PFR_TRACK_PROCESS) {
        return;
    }
    pfr_layout_votes *votes = &tracks->items[parent].votes;
    if (!tacho_torq_find_old_track(name_of(tracks, thread), &old)) {
        votes->other_count++;
        return;
    }
    votes->known_count++;
    votes->numbered_count += old.is_numbered ? 1 : 0;
    votes->engine_count += old.is_engine ? 1 : 0;
    votes->is_run |= !old.is_engine && old.track_class != TACHO_TRACK_PHASE;
}

static bool is_old_process(const pfr_tracks *tracks, const pfr_track *process)
{
    const pfr_layout_votes *votes = &process->votes;
    return votes->other_count == 0 && votes->known_count > 0 &&
           (votes->numbered_count >= OLD_THREADS_MIN ||
            tacho_torq_is_old_process(name_of(tracks, process)));
}

/* The process of |track|, which may be |track| itself; NULL for other tracks. */
static pfr_track *process_of(pfr_tracks *tracks, pfr_track *track)
{
    uint32_t parent = is_thread(track) ? pfr_tracks_parent(tracks, track) : TACHO_NONE;
    pfr_track *process = parent != TACHO_NONE ? &tracks->items[parent] : track;
    return process->kind == PFR_TRACK_PROCESS ? process : NULL;
}

/* Marks the tracks of older traces; returns whether the trace has only estimates. */
static bool mark_old(pfr_tracks *tracks)
{
    size_t estimate_count = 0;
    size_t other_count = 0;
    for (size_t i = 0; i < tracks->item_count; i++) {
        tracks->items[i].votes = (pfr_layout_votes){.other_count = 0};
    }
    for (size_t i = 0; i < tracks->item_count; i++) {
        if (is_thread(&tracks->items[i])) {
            count_thread(tracks, &tracks->items[i]);
        }
    }
    for (size_t i = 0; i < tracks->item_count; i++) {
        pfr_track *track = &tracks->items[i];
        pfr_track *process = process_of(tracks, track);
        track->is_old_torq = process != NULL && is_old_process(tracks, process);
        bool is_estimate =
            track->is_old_torq && process->votes.engine_count > 0 && !process->votes.is_run;
        bool is_summary = track->is_old_torq && process->votes.engine_count == 0;
        track->origin = is_estimate ? TACHO_ORIGIN_ESTIMATED : TACHO_ORIGIN_UNKNOWN;
        estimate_count += track->has_events && is_estimate ? 1 : 0;
        other_count += track->has_events && !is_estimate && !is_summary ? 1 : 0;
    }
    return estimate_count > 0 && other_count == 0;
}

/* ---- current traces --------------------------------------------------------------------- */

/* Whether |track| has events and is in |group|. */
static bool has_events_in(const pfr_tracks *tracks, const pfr_track *track, tacho_str group)
{
    uint32_t parent = track->has_events ? pfr_tracks_parent(tracks, track) : TACHO_NONE;
    return track->kind == PFR_TRACK_PLAIN && !track->has_facts && parent != TACHO_NONE &&
           is_group(tracks, &tracks->items[parent]) &&
           tacho_str_equal(name_of(tracks, &tracks->items[parent]), group);
}

void pfr_layout_find(pfr_tracks *tracks, tacho_origin *out_origin)
{
    bool has_estimate = false;
    bool has_run = false;
    tracks->shows_units = false;
    for (size_t i = 0; i < tracks->item_count; i++) {
        const pfr_track *track = &tracks->items[i];
        has_estimate |= has_events_in(tracks, track, TACHO_STR(TACHO_TORQ_GROUP_ESTIMATE));
        has_run |= has_events_in(tracks, track, TACHO_STR(TACHO_TORQ_GROUP_RUN));
        tracks->shows_units |=
            has_events_in(tracks, track, TACHO_STR(TACHO_TORQ_GROUP_UNITS)) &&
            !tacho_str_ends_with(name_of(tracks, track), TACHO_STR(" (Compile)"));
    }
    bool is_old_estimate = mark_old(tracks);
    *out_origin = (has_estimate && !has_run) || is_old_estimate ? TACHO_ORIGIN_ESTIMATED
                                                                : TACHO_ORIGIN_UNKNOWN;
}

bool pfr_layout_track(const pfr_tracks *tracks, tacho_str group, tacho_str name, tacho_track *facts)
{
    tacho_track_class found = TACHO_TRACK_HOST;
    if (!tacho_torq_trace_track(group, name, &found, &facts->index)) {
        return false;
    }
    /* Whole programs on the engines they use have less detail than the engines' own work. */
    bool is_covered =
        tracks->shows_units && tacho_str_equal(group, TACHO_STR(TACHO_TORQ_GROUP_USED));
    facts->track_class = is_covered ? TACHO_TRACK_PHASE : found;
    facts->index = is_covered ? 0 : facts->index;
    return true;
}
