/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho query: SQL over profiles.
 */
#include "cli/command.h"

const tacho_command tacho_command_query = {
    .name = "query",
    .summary = "run a SQL query on profiles",
    .usage = "FILE|DIR... 'SELECT ...' [options]",
    .description =
        "Reads profiles and runs one SELECT statement of SQLite over these tables:\n"
        "\n"
        "spans     span_id, parent_id, track_id, file, process, track, class, kind,\n"
        "          name, category, operation, location, run, invocation, origin,\n"
        "          start_ns, end_ns, duration_ns, self_ns, cycles, bytes, is_work\n"
        "ops       file, operation, class, origin, count, total_ns, self_ns,\n"
        "          share_percent, mean_ns, p50_ns, p99_ns, min_ns, max_ns, bytes,\n"
        "          location: the rows of 'tacho ops --top 0'\n"
        "args      span_id, key, value, type, unit\n"
        "tracks    track_id, parent_id, file, process, name, class, class_index,\n"
        "          nesting, unit, number\n"
        "counters  sample_id, track_id, file, process, name, time_ns, value, unit\n"
        "flows     end_id, flow_id, file, track_id, time_ns, role, phase,\n"
        "          span_end_ns, span_name\n"
        "steps     file, kind, name, number, start_ns, end_ns, duration_ns,\n"
        "          span_count\n"
        "files     file_id, file, path, format, generation, origin, clock,\n"
        "          ns_per_tick, zero_ticks, row_count\n"
        "loss      loss_id, file, reason, meaning, count, first_line, example\n"
        "metadata  metadata_id, key, value\n"
        "\n"
        "Two functions beyond those of SQLite: percentile(x, p), by nearest rank, and\n"
        "only_value(x), which is x if all rows agree and NULL if not.\n"
        "\n"
        "A statement can only read: it opens no file and changes nothing. Profiles are\n"
        "kept in memory (40 bytes per span and its arguments), and so is the result; use\n"
        "'tacho convert -o x.db' for a database that other programs can open. In text\n"
        "output, columns of integers whose name ends in _ns are shown as durations.",
    .examples = "# the ten longest spans\n"
                "tacho query trace.json \"SELECT name, track, start_ns, duration_ns \\\n"
                "    FROM spans ORDER BY duration_ns DESC LIMIT 10\"\n"
                "# time per process and operation\n"
                "tacho query trace.json \"SELECT process, operation, sum(self_ns) AS self_ns \\\n"
                "    FROM spans GROUP BY process, operation ORDER BY 3 DESC\"\n"
                "# the shapes that an operator ran with\n"
                "tacho query trace.json \"SELECT key, value, count(*) AS n \\\n"
                "    FROM spans JOIN args USING (span_id) \\\n"
                "    WHERE name = 'aten::add' AND key LIKE 'Input Dims%' GROUP BY key, value\"\n",
};
