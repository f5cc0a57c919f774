/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-opstats: the decoder of raw stats for Qualcomm Cloud AI 100, with its options.
 */
#include "cli/command.h"

const tacho_command tacho_dropin_qaic_opstats = {
    .name = "qaic-opstats",
    .is_dropin = true,
    .summary = "decode raw stats of Cloud AI 100, with the vendor's options",
    .usage = "--qpc PATH --input-dir PATH --summary --trace [options]",
    .description =
        "Decodes the raw stats that 'qaic-runner --aic-profiling-type=raw_device_stats'\n"
        "left in a directory. For each file NAME-aiccyclecounts.bin it writes\n"
        "NAME.qaic-opstats.summary.txt and NAME.qaic-opstats.trace.json. Files that\n"
        "cannot be read are listed and skipped; the exit status is then 3. 'tacho\n"
        "opstats' does the same and more.",
    .examples = "qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats "
                "--output-dir ./stats-out --summary --trace --flow-events full\n"
                "qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats "
                "--output-dir ./stats-out --trace --select-cores 0,1,2,3\n",
};
