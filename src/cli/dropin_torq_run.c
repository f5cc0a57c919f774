/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-run-module and iree-run-module: Torq's runtime, with its flags. They print what IREE's tool
 * prints, and with profiling the time of each block; files are written whatever the program
 * records.
 */
#include "cli/command.h"

#define DESCRIPTION                                                                                \
    "Runs a program that torq-compile wrote, on the simulated accelerator, and prints its\n"       \
    "results. Values are exact; times are simulated and not representative of\n"                   \
    "hardware. --torq_profile and --torq_profile_host print the times of its blocks (NSS\n"        \
    "programs) and write them for annotate_profiling.py and perfetto_logger.py.\n"                 \
    "'tacho run' does the same and more."

const tacho_command tacho_dropin_torq_run_module = {
    .name = "torq-run-module",
    .is_dropin = true,
    .computes_values = true,
    .summary = "run a program for Torq, with the options of the vendor's runtime",
    .usage = "--module=FILE [--input=VALUE]... [options]",
    .description = DESCRIPTION,
    .examples = "torq-run-module --module=model.vmfb --input=\"1x56x56x24xi8=1\" "
                "--torq_profile_host=./runtime.csv\n",
};

const tacho_command tacho_dropin_iree_run_module = {
    .name = "iree-run-module",
    .is_dropin = true,
    .computes_values = true,
    .summary = "run a program for Torq, with the options of IREE's tool",
    .usage = "--module=FILE [--device=torq] [--input=VALUE]... [options]",
    .description = DESCRIPTION,
    .examples = "iree-run-module --device=torq --module=model.vmfb --input=\"1x1280xi8=0\" "
                "--torq_profile=./runtime.csv\n",
};
