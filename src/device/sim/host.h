/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host of a simulated device. It sends the inputs of an inference over the device's link and
 * rings a doorbell; when outputs are there it fetches them. It sends ahead: the next inputs as soon
 * as the program has raised the semaphore for them, which it does while it works on those before.
 * There is room for the outputs of two inferences.
 *
 * So an inference starts when the device is free, its doorbell was seen, and the host has fetched
 * the outputs that it would overwrite. The waits for the two are recorded separately; its own jobs
 * take as long as they would without a host. Where the machine has no link the host takes no time.
 */
#ifndef TACHO_DEVICE_SIM_HOST_H
#define TACHO_DEVICE_SIM_HOST_H

#include "machine/machine.h"
#include "program/program.h"

enum { TACHO_SIM_OUTPUTS = 2 };

typedef struct tacho_sim_host {
    bool has_link;
    int64_t input_cycles, output_cycles; /* of an inference of all activations, on the link */
    int64_t doorbell_cycles;
    int64_t signal_end; /* from the start of an inference: there is room for the next inputs */
    int64_t cycles;     /* the same: its outputs are there ... */
    int64_t span;       /* ... and the device is free */
    /* as inferences follow one another */
    uint64_t turn_count;
    int64_t is_free;                    /* the device, from then on */
    int64_t has_room;                   /* for inputs, from then on */
    int64_t fetched[TACHO_SIM_OUTPUTS]; /* by place of outputs: the host had the last ones */
    int64_t last_fetched;
} tacho_sim_host;

/* One inference; cycles from the device's start. */
typedef struct tacho_sim_turn {
    int64_t sent;        /* the host began to send its inputs */
    int64_t rung;        /* they were there */
    int64_t start;       /* of the inference */
    int64_t fetched;     /* the host has its outputs */
    int64_t input_wait;  /* of the device, before the start: for inputs ... */
    int64_t output_wait; /* ... and then for room for outputs */
} tacho_sim_turn;

/* Sets the traffic between the host and the devices of |program|. Times are set after. */
tacho_status tacho_sim_host_init(tacho_sim_host *host, const tacho_program *program,
                                 const tacho_machine *machine, uint32_t activations) TACHO_MUST_USE;

/* The next inference. |is_free| starts as the end of activation. */
tacho_status tacho_sim_host_turn(tacho_sim_host *host, tacho_sim_turn *out_turn) TACHO_MUST_USE;

#endif
