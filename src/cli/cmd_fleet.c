/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho fleet: what the profiles of many hosts say together.
 */
#include "cli/command.h"

const tacho_command tacho_command_fleet = {
    .name = "fleet",
    .summary = "answer questions over the profiles of many hosts",
    .usage = "QUESTION FILE|DIR|PART... [options]",
    .description =
        "Reads the profiles of all ranks of a job, on all processors, and answers one\n"
        "question about them. A directory stands for all files below it. Run, host and rank of a\n"
        "file are those of its path (run=ID/host=NAME/rank=N/), else what the file says\n"
        "(PyTorch's distributedInfo).\n"
        "\n"
        "overview  one row for each run: devices, steps, waiting\n"
        "ops  operations of all files together\n"
        "breakdown  where the time of devices went, by host, and the idlest devices\n"
        "steps  how long each step took, and on which rank it took the longest\n"
        "stragglers  which ranks the others waited for in collectives, and how long\n"
        "collectives  time in each kind of collective, and how much of it was waiting\n"
        "clocks  how far apart the clocks of ranks are, with an error bound\n"
        "diff  A B: how operations, per step, and steps of two fleets or runs (--run) differ\n"
        "health  files that are cut, damaged, copies, or of other versions; missing ranks\n"
        "timeline  writes one trace of all files to -o OUT.pb, on one time axis; fails if\n"
        "the clock of a file is unknown\n"
        "report  writes a page to -o OUT.html: ranks as a picture, by step and by\n"
        "collective, and the profile of each; more than two million spans together are in\n"
        "pages of their own, in OUT-ranks/\n"
        "map  writes a part (.tpart) of each file to the directory of -o; parts that are\n"
        "up to date are kept\n"
        "reduce  merges parts into one, -o\n"
        "\n"
        "Parts are small and stand for their files in every question. Any split of files\n"
        "and any order of merging gives the same answer. Counts, sums and extremes are\n"
        "exact; percentiles are within 0.8 % of the exact ones where there are many spans.\n"
        "\n"
        "Under mpirun, ranks share the files of every question, and rank 0 answers. Under srun\n"
        "and in Slurm's job arrays, 'map' takes the share of its rank: one command on all nodes\n"
        "maps all files. --slurm N does that first, in a job\n"
        "array, and waits for it.\n"
        "\n"
        "Collectives are matched by process group, name and number. The rank that spends\n"
        "the least time in a collective arrived last, and the others waited for it; no\n"
        "common clock is needed.\n"
        "\n"
        "One bad file never spoils the rest: it is listed under 'Health', and the exit\n"
        "status is 3. See docs/fleet.md.",
    .examples = "# the operations of all ranks, from all files below a directory\n"
                "tacho fleet ops traces/\n"
                "# who holds up the others\n"
                "tacho fleet stragglers traces/\n"
                "# a page with ranks as a picture, each of which opens\n"
                "tacho fleet report traces/ -o page.html\n"
                "# one part per profile, then answers; under srun or mpirun ranks share the work\n"
                "tacho fleet map traces/ -o parts/\n"
                "tacho fleet steps parts/\n",
};
