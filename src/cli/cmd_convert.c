/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho convert: profiles in, one trace out.
 */
#include "cli/command.h"

const tacho_command tacho_command_convert = {
    .name = "convert",
    .summary = "turn profiles into a trace for a timeline viewer",
    .usage = "FILE|DIR... -o OUT [options]",
    .description =
        "Reads one or more profiles and writes one trace. The format of each input is\n"
        "detected from its content; gzip and zstd files are decompressed, and - reads\n"
        "standard input. Open the resulting .pb file in https://ui.perfetto.dev.\n"
        "\n"
        "A directory stands for the files in it; those that are not profiles are listed\n"
        "and skipped, and the exit status is then 3. Several inputs appear side by side,\n"
        "one process each; the same file given twice appears twice. Each input starts at\n"
        "0 with its own first event, so inputs are not aligned with one another, and the\n"
        "trace says so. Work that overlaps on one engine is drawn on extra lanes. Input\n"
        "in any order is sorted in bounded memory, using a temporary file in TMPDIR.\n"
        "Lines are limited to 16 MiB.\n"
        "\n"
        "With --queues the trace gets counters that the inputs do not have: for each stream\n"
        "how much work is launched and has not started, to the nanosecond. A queue that is\n"
        "empty while the device is idle means that the device waits for the host.\n"
        "\n"
        "An OUT that ends in / is a directory for a dataset: the tables spans, counters, ops,\n"
        "devices, steps, collectives, clock and loss as Parquet files, one of each input, below\n"
        "TABLE/run=ID/host=NAME/rank=N/, for DuckDB, ClickHouse, Spark and Trino. Directories\n"
        "are then read with all that is below them. See docs/datasets.md.\n"
        "\n"
        "Records that cannot be read are counted by reason, reported at the end and noted\n"
        "in the trace; the exit status is then 3. OUT is replaced atomically: on failure\n"
        "the old file stays.",
    .examples = "# a compiler's timeline\n"
                "tacho convert timeline.csv -o timeline.pb\n"
                "# estimate and measurement side by side, compressed\n"
                "tacho convert compile.csv runtime.csv -o both.pb.gz\n"
                "# how far the host is ahead of each stream of a GPU, as counters\n"
                "tacho convert trace.json -o trace.pb --queues\n"
                "# a dataset of the profiles of all ranks, for SQL engines\n"
                "tacho convert traces/ -o dataset/\n"
                "# the first 2 ms, without very short spans, of a chip at 1 GHz\n"
                "tacho convert big.csv.zst -o part.pb --window ..2ms --min-duration 1us "
                "--clock-mhz 1000\n",
};
