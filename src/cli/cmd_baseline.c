/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho baseline: the profiles that later ones are compared with.
 */
#include "cli/command.h"

const tacho_command tacho_command_baseline = {
    .name = "baseline",
    .summary = "keep profiles that later ones are compared with",
    .usage = "save NAME FILE|DIR... | accept NAME FILE|DIR... --reason TEXT | list [options]",
    .description =
        "A baseline is a directory of captures, one per profile, with a list of their\n"
        "checksums and of when and why they were saved. 'save' makes one from profiles of\n"
        "any format, 'accept' replaces it and needs a reason, 'list' shows all.\n"
        "\n"
        "Name the directory wherever profiles are read: 'tacho diff baselines/NAME new/'\n"
        "compares new profiles with it. A capture that was changed, cut or removed since\n"
        "is refused.\n"
        "\n"
        "A baseline is replaced in one step: whatever interrupts 'accept', the old or the\n"
        "new one is there. Its captures hold all that the profiles did, so they can be\n"
        "kept under version control in their place. SOURCE_DATE_EPOCH sets the time that\n"
        "is recorded.",
    .examples = "# five runs as the baseline of a gate\n"
                "tacho baseline save main old/\n"
                "tacho diff baselines/main new/ --gate rel=3%,abs=20us\n"
                "# a slower run that is the price of a feature\n"
                "tacho baseline accept main new/ --reason \"attention in f32\"\n"
                "tacho baseline list\n",
};
