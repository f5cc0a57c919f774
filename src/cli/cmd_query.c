/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho query: SQL over profiles.
 */
#include "questions/query/query.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/values.h"

#include <unistd.h>

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT,
    TACHO_OPTION_FILTER,
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPT_VALUE(
        "timeout", 0, "SECONDS",
        "stop a statement that takes longer; the exit status is then 1 (default: none)"),
    TACHO_OPT_VALUE("max-rows", 0, "N",
                    "fail if the statement selects more than N rows (default: any number)",
                    TACHO_INTO_NUMBER(tacho_query_options, row_max, 1, INT64_MAX)),
    TACHO_OPTIONS_COMMON,
};

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    tacho_query_options *request = self;
    listing->options = request;
    return tacho_arguments_fill(arguments, request) &&
           tacho_cli_seconds(arguments, "timeout", &request->timeout_ns);
}

/* Statements are checked before files are read, which may take long. */
static int check_statement(const tacho_arguments *arguments, const char *sql)
{
    if (arguments->word_count > 0 && access(sql, F_OK) == 0) {
        return tacho_command_misuse(arguments->command,
                                    "no SQL given; the last word is a SELECT statement, and '%s' "
                                    "is a file",
                                    sql);
    }
    tacho_status status = tacho_query_check(sql);
    if (tacho_status_code(status) != TACHO_CODE_USAGE) {
        return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
    }
    int exit_code = tacho_command_misuse(arguments->command, "%s", tacho_status_message(status));
    tacho_status_free(status);
    return exit_code;
}

static int query_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {.choose = choose, .analysis = &tacho_analysis_query};
    tacho_arguments inputs = *arguments;
    if (arguments->word_count < 2) {
        return tacho_command_misuse(arguments->command,
                                    "name at least one profile and a SELECT statement");
    }
    inputs.word_count--;
    tacho_query_options request = {.sql = arguments->words[inputs.word_count]};
    int exit_code = check_statement(arguments, request.sql);
    return exit_code == TACHO_EXIT_DONE ? tacho_listing_run(&inputs, &verb, &request) : exit_code;
}

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
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = query_command_run,
};
