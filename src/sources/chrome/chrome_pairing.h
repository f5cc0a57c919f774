/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs begins and ends into spans, in time order per stack: a stack for each thread, one for each
 * asynchronous operation.
 *
 * Events may stand in any order in the file. In most files the events of a stack are in time order:
 * then they are paired as they are read. At the first event that goes back in time the file is read
 * again, and the begins and ends of a part are held in a spool until it ends
 * (tacho_reading.holds_events). Events of one time keep the order of the file.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_PAIRING_H
#define TACHO_SOURCES_CHROME_CHROME_PAIRING_H

#include "profile/spool.h"
#include "sources/chrome/chrome_tracks.h"
#include "sources/open_spans.h"
#include "sources/source.h"

typedef enum chrome_step_type {
    CHROME_STEP_BEGIN,
    CHROME_STEP_END,
    CHROME_STEP_INSTANT, /* of an asynchronous operation */
} chrome_step_type;

/* One event of a stack. */
typedef struct chrome_step {
    chrome_step_type type;
    char phase; /* as the file has it */
    uint32_t stack;
    uint32_t async;   /* the operation whose outermost span gives the track; or TACHO_NONE */
    uint32_t process; /* of that operation */
    uint64_t offset;
    tacho_row row; /* of an end: its time is the start, its site has the name of the span to end */
    bool has_flow;
    tacho_row flow;
} chrome_step;

/* Asynchronous events of one id. */
typedef struct chrome_async {
    uint32_t stack;
    uint32_t track; /* of the outermost open span */
} chrome_async;

typedef struct chrome_pairing {
    tacho_events events; /* receives the held steps in time order */
    const tacho_reading *reading;
    tacho_dict *dict;
    chrome_tracks *tracks;
    tacho_open_spans open;
    int64_t *stack_times; /* of the last step of each stack in this part */
    size_t stack_count, stack_capacity;
    chrome_map async_map; /* to |asyncs| */
    chrome_async *asyncs;
    size_t async_count, async_capacity;
    uint32_t kept_stack; /* of spans that no event ends, TACHO_NONE until needed */
    uint32_t part;
    tacho_spool *spool; /* NULL while steps are paired as they are read */
    uint64_t held_count;
    tacho_arg *held_args; /* of a step on its way into the spool */
    size_t held_arg_capacity;
} chrome_pairing;

tacho_status chrome_pairing_init(chrome_pairing *pairing, const tacho_reading *reading,
                                 chrome_tracks *tracks) TACHO_MUST_USE;
void chrome_pairing_deinit(chrome_pairing *pairing);

/* The steps that follow belong to |part|. */
void chrome_pairing_begin_part(chrome_pairing *pairing, uint32_t part);

/* Makes a stack if |*stack| is TACHO_NONE. */
tacho_status chrome_pairing_ensure_stack(chrome_pairing *pairing, uint32_t *stack) TACHO_MUST_USE;

/* The operation that |key| names, an index into |asyncs|. */
tacho_status chrome_pairing_ensure_async(chrome_pairing *pairing, const chrome_key *key,
                                         uint32_t *out_async) TACHO_MUST_USE;

tacho_status chrome_pairing_add(chrome_pairing *pairing, const chrome_step *step) TACHO_MUST_USE;

/* Keeps a span that no event ends, and the flow end that it may be (or NULL), until the part ends.
 */
tacho_status chrome_pairing_keep(chrome_pairing *pairing, const tacho_row *row,
                                 const tacho_row *flow) TACHO_MUST_USE;

/* Pairs the held steps; open spans then end at |latest|, at or after every step of the part. */
tacho_status chrome_pairing_end_part(chrome_pairing *pairing, int64_t latest) TACHO_MUST_USE;

/* Identifies a lost event: its offset, its phase and its name. */
typedef struct chrome_lost {
    uint64_t offset;
    tacho_str phase, name;
} chrome_lost;

tacho_status chrome_lost_add(tacho_dict *dict, uint32_t part, tacho_loss_reason reason,
                             const chrome_lost *lost) TACHO_MUST_USE;

#endif
