/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-runner: the runner of Qualcomm Cloud AI 100, with its flags, on the simulated card.
 */
#include "cli/command.h"

#define PROGRAM "programqpc.bin"

const tacho_command tacho_dropin_qaic_runner = {
    .name = "qaic-runner",
    .is_dropin = true,
    .computes_values = true,
    .summary = "run a program for Cloud AI 100, with the vendor's options",
    .usage = "--test-data=DIR [options]",
    .description =
        "Runs DIR/" PROGRAM ", as qaic-compile writes it, on a simulated card and prints the\n"
        "inference times. Values are exact; times are simulated and not representative of\n"
        "hardware. Raw stats go to files named\n"
        "aic-profiling-program-<P>-activation-<A>-inf-<I>-<network>-aiccyclecounts.bin, for\n"
        "qaic-opstats and 'tacho convert --program'. 'tacho run' does the same and more.",
    .examples = "qaic-runner --test-data=./binaries --aic-profiling-type=raw_device_stats "
                "--aic-profiling-out-dir=./stats --aic-profiling-num-samples=5 "
                "--aic-profiling-start-iter 1 --num-iter=100\n",
};
