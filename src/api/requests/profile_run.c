/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From options to a capture and its report.
 */
#include "api/requests/profile_run.h"

#include "base/duration.h"
#include "api/requests/request.h"
#include "api/requests/values.h"
#include "session/fleet_place.h"
#include "session/capture_report.h"
#include "vendors/tenstorrent/tt_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_ROOM = 64, LIVE_ROOM = 512 };

static const double ns_per_s = 1e9;

/* What to do, and what was made for it. */
typedef struct profile_request {
    tacho_request *given;
    tacho_profiling profiling;
    tacho_profile_report report;
    tacho_tt_profile tt;  /* if it is asked for */
    char *path;           /* of the capture in the making */
    char *shell_words[4]; /* a command that a shell is to read */
    bool has_place;
    tacho_fleet_place place; /* of a capture of one rank of many */
    char rank[24], world_size[24];
} profile_request;

/* ---- options ------------------------------------------------------------------------------- */

/* "/10s" */
static bool choose_activation(tacho_request *given, const char *value, int64_t *out_ns)
{
    if (value == NULL) {
        return true;
    }
    bool is_good = value[0] == '/' &&
                   tacho_duration_parse(tacho_str_from_cstring(value + 1), out_ns) && *out_ns > 0;
    if (!is_good) {
        tacho_request_misuse(given, "{activate}: expected / and a duration, such as /10s, not '%s'",
                             value);
    }
    return is_good;
}

/* Says, once for all ranks, where their captures may be told apart, or mixed, by mistake. */
static void warn_of_run(const tacho_request *given, const tacho_fleet_place *place)
{
    bool is_alone = place->rank.launcher[0] == '\0' || place->rank.world_size == 1;
    if (place->rank.rank > 0) {
        return;
    }
    if (place->run_naming == TACHO_JOB_UNNAMED && !is_alone) {
        tacho_request_note(given, "warning",
                           "the environment does not say which job this is: ranks may be filed "
                           "under different runs; set TACHO_RUN_ID for all of them");
    }
    if (place->run_naming == TACHO_JOB_BY_ADDRESS && place->number > 1) {
        tacho_request_note(
            given, "warning",
            "run=%s holds a capture of this rank already; give each job a name: 'torchrun "
            "{rdzv-id} ID', or TACHO_RUN_ID=ID",
            place->run);
    }
}

/* A directory for the captures of all ranks. */
static tacho_status choose_place(const char *output, profile_request *request)
{
    request->has_place = true;
    TACHO_TRY(tacho_fleet_place_init(&request->place, output));
    const tacho_rank *rank = &request->place.rank;
    warn_of_run(request->given, &request->place);
    snprintf(request->rank, sizeof(request->rank), "%" PRIu64, rank->rank);
    snprintf(request->world_size, sizeof(request->world_size), "%" PRIu64, rank->world_size);
    request->report.is_quiet |= rank->rank > 0; /* of many equal summaries one is enough */
    request->profiling.has_anchors = true;
    request->profiling.run = tacho_str_from_cstring(request->place.run);
    request->profiling.host = tacho_str_from_cstring(request->place.host);
    request->profiling.rank = tacho_str_from_cstring(request->rank);
    request->profiling.world_size = tacho_str_from_cstring(request->world_size);
    tacho_profile_report_take_output(&request->report, request->place.capture);
    return TACHO_OK;
}

/* Says what became of the capture beside it. */
static void write_manifest(const profile_request *request, const tacho_wrapper_result *result,
                           const tacho_profiling_clocks *clocks)
{
    const tacho_fleet_manifest manifest = {
        .start = clocks->start,
        .end = clocks->end,
        .clock_step_ns = clocks->step_ns,
        .exit_status = result->exit_status,
        .row_count = result->stored_count,
        .lost_count = result->unstored_count + result->clients.dropped,
    };
    tacho_status status = tacho_fleet_place_write(&request->place, &manifest);
    if (status != TACHO_OK) {
        tacho_request_note_status(request->given, "error", status);
    }
}

/* The format of the output, by its suffix. */
static bool choose_output(tacho_request *given, const char *output, tacho_profile_report *report)
{
    if (output == NULL) {
        return true;
    }
    if (strcmp(output, "-") == 0) {
        tacho_request_misuse(given, "standard output belongs to the program; name a file");
        return false;
    }
    if (!tacho_profile_report_take_output(report, output)) {
        tacho_request_misuse(given, "'%s' has no known suffix; use .tacho, .pb or .csv", output);
        return false;
    }
    return true;
}

/* One word that is a whole command line, as if typed in a shell. */
static bool is_command_line(tacho_request *given)
{
    const char *word = given->words[0];
    return given->word_count == 1 && strpbrk(word, " \t\n|&;<>()$`") != NULL &&
           access(word, X_OK) != 0;
}

static void choose_words(tacho_request *given, profile_request *request)
{
    static char shell[] = "/bin/sh";
    static char flag[] = "-c";
    request->profiling.words = (char *const *)(uintptr_t)given->words;
    if (is_command_line(given)) {
        request->shell_words[0] = shell;
        request->shell_words[1] = flag;
        request->shell_words[2] = (char *)(uintptr_t)given->words[0];
        request->profiling.words = request->shell_words;
    }
}

/* ---- live ---------------------------------------------------------------------------------- */

/* "12.0 s: 3 processes, 1200000 events/s, 0 dropped; step 99 %, MatMul 40 %". */
static void show_live(void *self, const tacho_live *live)
{
    char text[LIVE_ROOM];
    double period_s = (double)live->period_ns / ns_per_s;
    size_t len = (size_t)snprintf(
        text, sizeof(text), "%.1f s: %" PRIu64 " process%s, %.0f events/s, %" PRIu64 " dropped",
        (double)live->elapsed_ns / ns_per_s, live->process_count,
        live->process_count == 1 ? "" : "es", (double)live->event_count / period_s,
        live->dropped_count);
    for (size_t i = 0; i < live->top_count; i++) {
        const tacho_site *site = &live->dict->sites[live->top[i].site];
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %.40s %.0f %%",
                                i == 0 ? ";" : ",", tacho_dict_string(live->dict, site->name).data,
                                (double)live->top[i].total_ns * 100 / (double)live->period_ns);
    }
    tacho_request_show_progress(self, text);
}

/* ---- running ------------------------------------------------------------------------------- */

static void free_errors(const tacho_wrapper_result *result)
{
    tacho_status_free(result->store_error);
    tacho_status_free(result->collect_error);
}

/*
 * Becomes the program where nothing can be recorded for want of descriptors: whoever put tacho in
 * front of it wants it to run. Returns where that is not possible, or a timeout would be ignored.
 */
static void run_unrecorded(const profile_request *request, tacho_status *status,
                           tacho_wrapper_result *out_result)
{
    tacho_request *given = request->given;
    char *const *words = request->profiling.words;
    bool is_front =
        given->listener.output != NULL; /* this process is tacho, and nobody's library */
    if (tacho_status_code(*status) != TACHO_CODE_LIMIT || request->profiling.timeout_ns > 0 ||
        !is_front) {
        return;
    }
    unlink(request->path);
    tacho_request_note(given, "warning", "%s; '%s' runs without being recorded: raise 'ulimit -n'",
                       tacho_status_message(*status), words[0]);
    fflush(NULL);
    execvp(words[0], words);
    out_result->refusal.error = errno;
    out_result->exit_status = errno == ENOENT ? 127 : 126; /* as shells and env do */
    tacho_status_free(*status);
    *status = TACHO_OK;
}

static int run(profile_request *request)
{
    tacho_request *given = request->given;
    tacho_wrapper_result result;
    tacho_profiling_clocks clocks;
    tacho_status status = tacho_profiling_run(&request->profiling, &result, &clocks);
    tacho_request_end_progress(given);
    run_unrecorded(request, &status, &result);
    if (status != TACHO_OK || result.refusal.error != 0) {
        tacho_status refused = status == TACHO_OK ? tacho_fail(TACHO_CODE_IO, "cannot run '%s': %s",
                                                               request->profiling.words[0],
                                                               strerror(result.refusal.error))
                                                  : status;
        tacho_request_fail(given, refused);
        unlink(request->path);
        free_errors(&result);
        return result.exit_status;
    }
    request->report.result = &result;
    status = tacho_profile_report_run(&request->report);
    if (status != TACHO_OK) {
        tacho_request_note_status(given, "error", status); /* the program's status is the outcome */
        if (access(request->path, F_OK) == 0) {
            tacho_request_note(given, "note", "the capture is kept: %s", request->path);
        }
    }
    if (request->has_place) {
        write_manifest(request, &result, &clocks);
    }
    free_errors(&result);
    return result.exit_status;
}

static bool is_for_ranks(const char *output)
{
    return output != NULL && output[0] != '\0' && output[strlen(output) - 1] == '/';
}

/* Chooses where the capture goes, and runs. */
static int choose_and_run(const tacho_profile_choice *choice, profile_request *request)
{
    tacho_request *given = request->given;
    tacho_status status =
        is_for_ranks(choice->output) ? choose_place(choice->output, request) : TACHO_OK;
    if (status == TACHO_OK) {
        status =
            tacho_profiling_check_output(request->report.output_path, request->profiling.words[0]);
    }
    if (status != TACHO_OK) {
        bool is_misuse = tacho_request_fail(given, status) == TACHO_OUTCOME_USAGE;
        return is_misuse ? TACHO_OUTCOME_USAGE : TACHO_OUTCOME_NOT_STARTED;
    }
    status = tacho_profiling_name_capture(request->report.output_path, &request->path);
    if (status != TACHO_OK) {
        tacho_request_fail(given, status);
        return TACHO_OUTCOME_NOT_STARTED;
    }
    request->profiling.path = request->path;
    request->report.capture_path = request->path;
    int outcome = run(request);
    free(request->path);
    return outcome;
}

int tacho_profile_run(tacho_request *given, const tacho_profile_choice *choice)
{
    profile_request request = {
        .given = given,
        .profiling = {.stats_level = (uint32_t)choice->stats_level,
                      .port = choice->port <= UINT16_MAX ? (int32_t)choice->port : -1,
                      .omits_tracy = choice->omits_tracy,
                      .tracy_port = (uint16_t)choice->tracy_port},
        .report = {.notes = &given->notes,
                   .keeper = given->listener.output == NULL ? &given->keeper : NULL,
                   .is_quiet = given->is_quiet,
                   .make_more = choice->tt_report != NULL ? tacho_tt_profile_write : NULL,
                   .maker = &request.tt},
        .tt = {.path = choice->tt_report,
               .tracy_path = choice->output == NULL ? choice->tracy_path : NULL,
               .has_all_columns = choice->has_all_tt_columns},
    };
    if (given->word_count == 0) {
        return tacho_request_misuse(given,
                                    "no program given; write it behind --, with its arguments");
    }
    if ((choice->timeout != NULL &&
         !tacho_request_seconds(given, "timeout", &request.profiling.timeout_ns)) ||
        !choose_activation(given, choice->activate, &request.profiling.activate_ns) ||
        (!is_for_ranks(choice->output) && !choose_output(given, choice->output, &request.report))) {
        return TACHO_OUTCOME_USAGE;
    }
    request.profiling.live = choice->is_live ? show_live : NULL;
    request.profiling.live_self = given;
    choose_words(given, &request);
    int outcome = choose_and_run(choice, &request);
    if (request.has_place) {
        tacho_fleet_place_deinit(&request.place);
    }
    return outcome;
}
