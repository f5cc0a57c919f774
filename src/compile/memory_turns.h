/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns at the memory that cores share, and at the network between them. A transfer goes at the
 * rate of its queue, or of the shared resource if that is less, and starts when so much of that is
 * free: those that are ready first go first, on a tie the one that is first in the program.
 *
 * Loads of one piece by several cores are one transfer, a multicast: it waits for all of them, they
 * start and end together, and it uses as much as one load.
 *
 * A transfer that has to wait for its turn gets a need with a lag: its start, counted from the
 * start of the operator.
 */
#ifndef TACHO_COMPILE_MEMORY_TURNS_H
#define TACHO_COMPILE_MEMORY_TURNS_H

#include "base/heap.h"
#include "base/index.h"
#include "machine/machine.h"
#include "program/timing.h"

/* A job that waits for another. */
typedef struct tacho_turn_follower {
    uint32_t job; /* of the operator */
    int64_t lag;
} tacho_turn_follower;

enum { TACHO_TURN_ENGINE, TACHO_TURN_SEQUENCER, TACHO_TURN_ORDERS };

/* Key of cores that load the same data: which load of their tiles, and of which operand. */
typedef struct tacho_cast_key {
    uint32_t part;    /* of the operator */
    uint32_t operand; /* its number */
    uint32_t team;    /* of cores that get the same bytes of it */
    uint32_t tile;
} tacho_cast_key;

/* A multicast. */
typedef struct tacho_cast {
    tacho_cast_key key;
    uint64_t bytes;
    uint32_t first;       /* of its loads, in the order of the program */
    uint32_t count;       /* of them ... */
    uint32_t ready_count; /* ... and of those that only wait for other loads */
    int64_t ready;
} tacho_cast;

typedef struct tacho_cast_load {
    uint32_t job; /* of the program */
    uint32_t cast;
} tacho_cast_load;

/* A job of the operator. */
typedef struct tacho_turn_job {
    uint32_t waits;                   /* for so many before it may start */
    uint32_t next[TACHO_TURN_ORDERS]; /* on its engine, and of its sequencer; or TACHO_NONE */
    uint32_t first_follower;          /* in |followers| */
    uint32_t cast, next_load;         /* its multicast and that one's next load, or TACHO_NONE */
    int64_t ready;                    /* all that it waits for has ended */
    int64_t start;
} tacho_turn_job;

/* Resources that transfers share: loads and stores the memory, copies the network. */
enum { TACHO_TURN_MEMORY, TACHO_TURN_NETWORK, TACHO_TURN_SHARED };

typedef struct tacho_turn_shared {
    bool is_limited;  /* it has a rate */
    uint64_t all;     /* of it ... */
    uint64_t of_in;   /* ... and the use of a load or a copy */
    uint64_t of_out;  /* the same of a store */
    uint64_t used;    /* by those that go now */
    int64_t now;      /* the start of the last of them */
    tacho_heap going; /* by when they end; value: their use */
} tacho_turn_shared;

typedef struct tacho_memory_turns {
    tacho_turn_shared shared[TACHO_TURN_SHARED];
    tacho_cast *casts; /* of the operator, as all that follows */
    size_t cast_count, cast_capacity;
    tacho_index cast_index;
    tacho_cast_load *loads; /* of multicasts, in the order of the program */
    size_t load_count, load_capacity;
    uint32_t started;    /* jobs that have their start */
    tacho_heap waiting;  /* transfers by when they are ready */
    uint32_t *last_job;  /* by engine, then by sequencer: TACHO_NONE between calls */
    size_t engine_count; /* sequencers follow them */
    tacho_turn_job *jobs;
    size_t job_capacity;
    tacho_turn_follower *followers;
    size_t follower_capacity;
    uint32_t *stack; /* jobs that have a start; followers are not updated yet */
    size_t stack_count, stack_capacity;
} tacho_memory_turns;

/* |program| has its engines and facts. Call deinit even after a failure. */
tacho_status tacho_memory_turns_init(tacho_memory_turns *turns, const tacho_machine *machine,
                                     const tacho_program *program) TACHO_MUST_USE;
void tacho_memory_turns_deinit(tacho_memory_turns *turns);

/*
 * |job|, the last of |program|, loads the same data as others with this |key|: they become one
 * transfer, and their number is its |readers|, when turns are taken.
 */
tacho_status tacho_memory_turns_join(tacho_memory_turns *turns, const tacho_program *program,
                                     const tacho_cast_key *key) TACHO_MUST_USE;

/*
 * Gives the transfers among the jobs from |first| on their turns. Those before are timed, |timer|
 * has gone through them, and all of these wait for |anchor|, which is one of either.
 */
tacho_status tacho_memory_turns_take(tacho_memory_turns *turns, tacho_program *program,
                                     const tacho_timer *timer, uint32_t first,
                                     uint32_t anchor) TACHO_MUST_USE;

#endif
