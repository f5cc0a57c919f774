/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho query: SQL over profiles.
 */
#include "api/requests/registry.h"
#include "questions/query/query.h"
#include "api/requests/options.h"
#include "api/requests/listing.h"
#include "api/requests/values.h"

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

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    tacho_query_options *request = self;
    listing->options = request;
    return tacho_request_fill(given, request) &&
           tacho_request_seconds(given, "timeout", &request->timeout_ns);
}

/* Statements are checked before files are read, which may take long. */
static int check_statement(tacho_request *given, const char *sql)
{
    if (given->word_count > 0 && access(sql, F_OK) == 0) {
        return tacho_request_misuse(given,
                                    "no SQL given; the last word is a SELECT statement, and '%s' "
                                    "is a file",
                                    sql);
    }
    tacho_status status = tacho_query_check(sql);
    if (tacho_status_code(status) != TACHO_CODE_USAGE) {
        return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
    }
    int outcome = tacho_request_misuse(given, "%s", tacho_status_message(status));
    tacho_status_free(status);
    return outcome;
}

static int query_command_run(tacho_request *given)
{
    static const tacho_listing_verb verb = {.choose = choose, .analysis = &tacho_analysis_query};
    if (given->word_count < 2) {
        return tacho_request_misuse(given, "name at least one profile and a SELECT statement");
    }
    tacho_query_options request = {.sql = given->words[given->word_count - 1]};
    int outcome = check_statement(given, request.sql);
    given->word_count--; /* all but the statement are inputs */
    return outcome == TACHO_OUTCOME_DONE ? tacho_listing_run(given, &verb, &request) : outcome;
}

const tacho_request_type tacho_request_type_query = {
    .name = "query",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = query_command_run,
};
