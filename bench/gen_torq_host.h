/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of synthetic Torq host profiles, R2 and R2i: one model of several dispatches, run again and
 * again. A round is one run of the model; all rounds look alike but for times and invocations, so
 * a row is a pure function of its index and the seed here, too.
 *
 *   R2    grouped by dispatch, as that runtime printed it: each group starts over in time
 *   R2i   in order of time, with the phases of a dispatch, HAL scopes and INIT ahead of all
 */
#ifndef TACHO_BENCH_GEN_TORQ_HOST_H
#define TACHO_BENCH_GEN_TORQ_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/* At least |rows| rows, filled up to whole rounds, so that all that begins ends. NULL: no memory.
 */
struct host *host_create(bool is_r2i, uint64_t rows, uint64_t seed);
void host_destroy(struct host *host);

uint64_t host_row_count(const struct host *host);
char *host_put_row(const struct host *host, uint64_t row, char *at);

#endif
