/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_logger.py: the Torq tool that turns compile-time and runtime CSVs into a Perfetto
 * trace, with its flags. Each file is a process of the trace, numbered in the order given, with
 * the tool's names of tracks and the overview; and the overview is printed as the tool prints it.
 */
#include "cli/command.h"

const tacho_command tacho_dropin_perfetto_logger = {
    .name = "perfetto_logger.py",
    .is_dropin = true,
    .summary = "convert Torq profiles to a Perfetto trace, with the vendor's options",
    .usage = "[CSV...] [--compile_profile CSV...] [--runtime_profile CSV...] --pb OUT",
    .description =
        "Reads compile-time timelines and runtime profiles, prints how busy each kind of\n"
        "engine was, and writes one Perfetto trace: a process for each file, with the\n"
        "overview as tracks. 'tacho convert' and 'tacho overview' do more.",
    .examples = "perfetto_logger.py --compile_profile compile.csv --runtime_profile runtime.csv "
                "--pb log.pb\n",
};
