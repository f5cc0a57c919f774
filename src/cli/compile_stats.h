/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program records while it runs, as the options of tacho compile and of the vendors'
 * compilers say it.
 */
#ifndef TACHO_CLI_COMPILE_STATS_H
#define TACHO_CLI_COMPILE_STATS_H

#include "cli/command.h"
#include "machine/machine.h"
#include "program/program.h"

enum { TACHO_STATS_LEVEL_DEFAULT = 40, TACHO_STATS_LEVEL_MAX = 1000 };

/* What the options are called. */
typedef struct tacho_stats_options {
    const char *level, *batch_size, *ddr, *recipe, *events;
} tacho_stats_options;

/*
 * Says what of |stats| the machine has no counters for; false when it has none at all. |is_quiet|
 * keeps notes back.
 */
bool tacho_compile_check_counters(const tacho_arguments *arguments,
                                  const tacho_stats_options *options, const tacho_machine *machine,
                                  const tacho_stats_config *stats, bool is_quiet);

/*
 * Fills |out_stats| but for the recipe, whose name |*out_recipe| is (NULL: none). False when an
 * option is wrong, and said so.
 */
bool tacho_compile_choose_stats(const tacho_arguments *arguments,
                                const tacho_stats_options *options, tacho_stats_config *out_stats,
                                const char **out_recipe);

#endif
