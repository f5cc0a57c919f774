/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digest: a number computed from all rows of a file, which identifies its copies. Rows are added up
 * track by track, so the number depends neither on the interleaving of tracks nor on the ids in the
 * dictionary, and names of tracks may be known only at the end. It distinguishes files that differ
 * by chance; collisions can be constructed.
 *
 * It covers the arguments that are summed (profile/summed_args.h), since a fleet reads no others
 * from captures; with |has_all_args| it covers all.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_DIGEST_H
#define TACHO_QUESTIONS_FLEET_FLEET_DIGEST_H

#include "profile/events.h"

/* Numbers by id; 0: none yet. */
typedef struct tacho_fleet_hashes {
    uint64_t *items;
    size_t item_count, item_capacity;
} tacho_fleet_hashes;

/* Zeroed, it is empty. */
typedef struct tacho_fleet_digest {
    bool has_all_args;
    bool has_keys; /* the next two are set: no other arguments are covered */
    uint32_t first_key, key_range;
    uint64_t row_count;
    tacho_fleet_hashes texts; /* of strings that are values, or names of runs */
    tacho_fleet_hashes keys;  /* of arguments; LEFT_OUT: not covered */
    tacho_fleet_hashes sites;
    tacho_fleet_hashes tracks; /* sums over the rows of each */
} tacho_fleet_digest;

void tacho_fleet_digest_deinit(tacho_fleet_digest *digest);

/* Mixes two numbers: every bit of both counts in every bit of the result. */
static inline uint64_t tacho_fleet_mix(uint64_t a, uint64_t b)
{
    tacho_u128 product =
        (tacho_u128)(a ^ UINT64_C(0x2d358dccaa6c78a5)) * (b ^ UINT64_C(0x8bb84b93962eacc9));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The number of a span without its rare parts; |site| uses all its bits. */
static inline uint64_t tacho_fleet_digest_span(const tacho_row *row, uint64_t site)
{
    enum { FLAGS_SHIFT = 56 };
    uint64_t flags = row->of.span.flags & ((1U << TACHO_SPAN_DEPTH_SHIFT) - 1);
    return tacho_fleet_mix((uint64_t)row->start ^ site,
                           (uint64_t)row->of.span.end ^ flags << FLAGS_SHIFT);
}

/* The number of an end of an arrow; its span is identified by its times. */
static inline uint64_t tacho_fleet_digest_flow(const tacho_row *row)
{
    enum { ROLE_SHIFT = 56, PHASE_SHIFT = 48, ID_SHIFT = 23 };
    uint64_t kind = (uint64_t)row->of.flow.role << ROLE_SHIFT | ((uint64_t)row->of.flow.phase + 1)
                                                                    << PHASE_SHIFT;
    return tacho_fleet_mix((uint64_t)row->start ^ row->of.flow.id << ID_SHIFT,
                           (uint64_t)row->of.flow.span_end ^ kind);
}

/* Adds any row. */
tacho_status tacho_fleet_digest_add_any(tacho_fleet_digest *digest, tacho_dict *dict,
                                        const tacho_row *row) TACHO_MUST_USE;

/* Adds |row|; a plain row of a known site and track costs one multiplication. */
TACHO_MUST_USE static inline tacho_status
tacho_fleet_digest_add(tacho_fleet_digest *digest, tacho_dict *dict, const tacho_row *row)
{
    bool is_flow = row->kind == TACHO_ROW_FLOW;
    bool is_plain = row->kind == TACHO_ROW_SPAN && row->arg_count == 0 &&
                    row->of.span.run == TACHO_NONE && row->of.span.site < digest->sites.item_count;
    uint64_t site = is_plain ? digest->sites.items[row->of.span.site] : 0;
    if (TACHO_UNLIKELY((site == 0 && !is_flow) || row->track >= digest->tracks.item_count)) {
        return tacho_fleet_digest_add_any(digest, dict, row);
    }
    digest->tracks.items[row->track] +=
        is_flow ? tacho_fleet_digest_flow(row) : tacho_fleet_digest_span(row, site);
    digest->row_count++;
    return TACHO_OK;
}

/* The number of all rows, once all parts are complete. */
uint64_t tacho_fleet_digest_sum(const tacho_fleet_digest *digest, const tacho_dict *dict);

uint64_t tacho_fleet_mix_text(uint64_t number, tacho_str text);

#endif
