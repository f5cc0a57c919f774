/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording of a program's runs: times of its blocks, raw stats, latencies, and the device that
 * ran them. A session fills it while it runs; analyses and sinks of vendors read it and know
 * neither sessions nor devices.
 */
#ifndef TACHO_PROGRAM_RECORDING_H
#define TACHO_PROGRAM_RECORDING_H

#include "program/program.h"
#include "program/stats_stream.h"

/* The time of a block of the program, a unit that the host starts; ns of the device. */
typedef struct tacho_block_time {
    int64_t start_ns, end_ns;
} tacho_block_time;

/* The host's part of an inference, ns of the device's time. */
typedef struct tacho_host_turn {
    bool is_known;      /* for simulated hosts; a real one is timed by the caller of the device */
    int64_t sent_ns;    /* it began to send the inputs */
    int64_t fetched_ns; /* it has the outputs */
    int64_t wait_ns;    /* that the device waited for it before the inference's start */
} tacho_host_turn;

/* The result of one run of all activations; valid until the next run. */
typedef struct tacho_device_result {
    int64_t start_ns, end_ns; /* of the device's time: simulated from 0, or real */
    int64_t cycles;           /* of the core clock, flush not included; -1: not known */
    int64_t wall_ns;          /* that it really took */
    tacho_host_turn host;
    const tacho_block_time
        *blocks; /* one per block of the program, of the first activation; or none */
    size_t block_count;
    /*
     * When this computer began to compute the values of each op, and when it was done with the
     * last: op_count + 1 moments of its monotonic clock. NULL when not recorded, and in samples
     * that are kept.
     */
    const int64_t *host_op_ns;
    const tacho_stats_buffer *stats; /* by activation, then device; NULL when not recorded */
    size_t stats_count;
} tacho_device_result;

/* Moments of one inference on this computer, of its monotonic clock. */
typedef struct tacho_run_host_times {
    bool is_known;
    int64_t begin_ns;  /* inputs are handed over */
    int64_t submit_ns; /* the device begins */
    int64_t done_ns;   /* outputs are read */
    int64_t end_ns;
} tacho_run_host_times;

/* An inference that was recorded. */
typedef struct tacho_run_sample {
    uint64_t inference;
    tacho_run_host_times host;
    tacho_device_result result; /* whose blocks and stats belong to who keeps the sample */
} tacho_run_sample;

/* Of all inferences that ran. */
typedef struct tacho_run_totals {
    int64_t *latencies; /* ns, without writing stats where known; sorted once all have run */
    size_t latency_count;
    int64_t latency_ns;      /* their sum */
    int64_t wall_ns;         /* that they really took */
    int64_t device_ns;       /* the same on the device, with writing stats */
    int64_t wait_ns;         /* of the device, for its host, before inferences */
    int64_t fetch_ns;        /* from the last end until the host had its outputs; 0: not known */
    int64_t cycles;          /* of the last; -1: not known */
    uint64_t recorded_count; /* inferences that were recorded, held or not */
    uint64_t record_cost_ns; /* of all of them; 0: not known */
} tacho_run_totals;

/* The connection to another computer, if it ran there. */
typedef struct tacho_run_board {
    const char *host;    /* NULL: it ran here */
    const char *machine; /* its processor: "aarch64" */
    const char *path;    /* of the runtime there */
    int64_t wall_ns;     /* from connecting to the last result, by the clock here */
    int64_t board_ns;    /* from the start of the runtime to that, by the clock there */
    int64_t wait_ns;     /* for others who used it, in neither of the two */
} tacho_run_board;

/* The device that ran it. */
typedef struct tacho_run_device {
    const char *name;    /* "sim:aic100" */
    const char *about;   /* one line for people */
    bool is_simulated;   /* else its times are measured */
    bool has_no_times;   /* all its times are 0 */
    bool has_time_model; /* times follow from a model of the machine ... */
    bool is_unlimited;   /* ... without contention for shared memory and networks */
    uint32_t threads;    /* of this computer that computed values */
    uint32_t activations;
    bool has_values;
    uint32_t fast_count, reference_count, free_count; /* steps by kernels, and that need none */
    uint64_t peak_bytes;                              /* of activations */
    /* Whether an operator is computed by itself, not in another one's kernel. NULL: all are. */
    bool (*computes_op)(const void *self, uint32_t op);
    const void *self;
    tacho_run_board board;
} tacho_run_device;

typedef struct tacho_recording {
    const tacho_program *program;
    const char *path;  /* of the program, or the model ... */
    bool was_compiled; /* ... that it was compiled from when it was run */
    tacho_run_device device;
    tacho_run_totals totals;
    int64_t open_ns; /* when the device was opened, in its time */
    const tacho_run_sample *samples;
    size_t sample_count;
    uint64_t wanted_count;     /* samples that were asked for */
    size_t random_input_count; /* inputs that were not given */
} tacho_recording;

static inline tacho_str tacho_recording_string(const tacho_recording *recording, uint32_t id)
{
    return tacho_strings_get(&recording->program->strings, id);
}

/* Inferences that one run of the device is: those of its activations, each of a batch. */
static inline uint64_t tacho_recording_inferences(const tacho_recording *recording)
{
    uint32_t batch = recording->program->facts.batch_size;
    return (uint64_t)recording->device.activations * (batch > 0 ? batch : 1);
}

#endif
