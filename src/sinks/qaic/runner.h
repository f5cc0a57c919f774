/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runner of Qualcomm Cloud AI 100: its report of a run, beside raw stats. Numbers are taken
 * from the records of each inference as it ends, so that no records are kept.
 */
#ifndef TACHO_SINKS_QAIC_RUNNER_H
#define TACHO_SINKS_QAIC_RUNNER_H

#include "sinks/qaic/stages.h"
#include "program/recording.h"
#include "table/table.h"

/* One inference of one activation on one device; negative: not recorded. */
typedef struct tacho_run_qaic_facts {
    uint32_t activation, device;
    double exec_us, input_wait_us, output_wait_us;
    double flush_us; /* to write the stats, after |exec_us| */
    double pcycles;
    double ddr_bytes;
    double hmx_cycles, hvx_cycles, dma_cycles; /* of all cores */
} tacho_run_qaic_facts;

typedef struct tacho_run_qaic_spread {
    uint64_t count;
    double mean, square_sum, least, most; /* squares of the distance from the mean */
} tacho_run_qaic_spread;

typedef struct tacho_run_qaic_row {
    uint64_t sample;
    tacho_qaic_stages stages; /* as seen by the host */
    tacho_run_qaic_facts facts;
} tacho_run_qaic_row;

/* Zero-initialized, with |keeps_rows| as needed. */
typedef struct tacho_run_qaic {
    bool keeps_rows;                /* for the latency file */
    tacho_run_qaic_spread *metrics; /* by device; NULL before the first sample */
    tacho_run_qaic_row *rows;       /* by sample, activation and device */
    size_t row_count, row_capacity;
    uint64_t sample_count;
    tacho_run_qaic_spread flush; /* us to write the stats, over all devices */
} tacho_run_qaic;

/* Takes the records of one inference: a tacho_run_request's |take|, with a tacho_run_qaic. */
tacho_status tacho_run_qaic_take(void *taker, const tacho_program *program,
                                 const tacho_run_sample *sample) TACHO_MUST_USE;
void tacho_run_qaic_deinit(tacho_run_qaic *qaic);

/* One row per metric of each device: mean, least, most, standard deviation. */
tacho_status tacho_run_qaic_table(const tacho_run_qaic *qaic, const tacho_recording *recording,
                                  tacho_table *out_table) TACHO_MUST_USE;

/* Prints the last line of the runner: inferences, their duration, and their rate per second. */
void tacho_run_qaic_print_line(const tacho_recording *recording, tacho_output *output);

/*
 * Writes the latency file: a header of four lines, then a row per recorded inference; with several
 * activations or devices one row for each, with two more columns at the end that identify it.
 * Values unknown to the device or the program are N/A.
 */
tacho_status tacho_run_qaic_latency_file(const tacho_run_qaic *qaic,
                                         const tacho_recording *recording,
                                         const char *path) TACHO_MUST_USE;

#endif
