/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roll-ups of raw stats, each one table over the files of one inference:
 *
 *     op        by type of operator: time on engines, bytes, share of all engine time
 *     layer     by the operator's path in the model, up to its last slash
 *     core      balance of the cores: busy, waiting, writing stats; the latter does not count in it
 *     device    bytes moved from device to device, and waits at their ports
 *     critical  the chain of jobs that decided when the inference ended, by op
 */
#ifndef TACHO_QUESTIONS_OPSTATS_OPSTATS_ROLLUP_H
#define TACHO_QUESTIONS_OPSTATS_OPSTATS_ROLLUP_H

#include "questions/opstats/opstats.h"
#include "table/table.h"

#define TACHO_ROLLUPS(X)                                                                           \
    X(OP, "op", "By type of operator")                                                             \
    X(LAYER, "layer", "By layer")                                                                  \
    X(CORE, "core", "Balance of cores")                                                            \
    X(DEVICE, "device", "From device to device")                                                   \
    X(CRITICAL, "critical", "Critical path")

typedef enum tacho_rollup_kind {
    TACHO_ROLLUP_NONE,
#define TACHO_ROLLUP_ENUM(name, word, title) TACHO_ROLLUP_##name,
    TACHO_ROLLUPS(TACHO_ROLLUP_ENUM)
#undef TACHO_ROLLUP_ENUM
        TACHO_ROLLUP_COUNT
} tacho_rollup_kind;

/* By word; NONE for any other. */
tacho_rollup_kind tacho_rollup_find(tacho_str word);

/*
 * The subject of tacho_analysis_rollup, whose options are a kind: files of one inference that were
 * bound to the layout of |words|, at most one per device.
 */
typedef struct tacho_rollup_files {
    const tacho_stats_file *const *files;
    size_t file_count;
    const tacho_stats_words *words;
    tacho_opstats *stats; /* for a plan of |words|; read again for roll-ups that need it */
} tacho_rollup_files;

/* Makes the table of |kind|. Call deinit even after a failure. */
tacho_status tacho_rollup_table(tacho_rollup_kind kind, const tacho_rollup_files *files,
                                tacho_table *out_table) TACHO_MUST_USE;

#endif
