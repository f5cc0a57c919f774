/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho profile: runs a program and records every process of it.
 */
#include "cli/command.h"
#include "cli/talk.h"
#include "base/duration.h"
#include "session/profiling.h"
#include "session/profiling_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 64, LIVE_ROOM = 512 };

static const double ns_per_s = 1e9;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("output", 'o', "OUT",
                    "keep the capture: .tacho as it is, .pb, .json or another trace suffix as a "
                    "trace, .csv, .txt or .xlsx as a table"),
    TACHO_OPT_VALUE(
        "timeout", 0, "S",
        "end the program after S seconds (SIGTERM, then SIGKILL); the exit status is then 124"),
    TACHO_OPT_FLAG(
        "live", 0,
        "print a line each second: processes, events, and where the time of the last second went"),
    TACHO_OPTIONS_COMMON,
};

/* What to do, and what was made for it. */
typedef struct profile_request {
    tacho_profiling profiling;
    tacho_profile_report report;
    char *path;           /* of the capture in the making */
    char *shell_words[4]; /* a command that a shell is to read */
} profile_request;

/* ---- options ------------------------------------------------------------------------------- */

/* Seconds, or a duration with its unit. */
static bool choose_timeout(const tacho_arguments *arguments, int64_t *out_ns)
{
    const char *value = tacho_arguments_value(arguments, "timeout");
    char text[NAME_ROOM];
    if (value == NULL) {
        return true;
    }
    size_t len = strlen(value);
    bool is_bare = len > 0 && strchr("0123456789.", value[len - 1]) != NULL;
    snprintf(text, sizeof(text), "%s%s", value, is_bare ? "s" : "");
    if (len + 2 > sizeof(text) || !tacho_duration_parse(tacho_str_from_cstring(text), out_ns) ||
        *out_ns <= 0) {
        tacho_command_misuse(arguments->command,
                             "--timeout: expected seconds, such as 30 or 500ms, not '%s'", value);
        return false;
    }
    return true;
}

/* The format of the output, by its suffix. */
static bool choose_output(const tacho_arguments *arguments, tacho_profile_report *report)
{
    const char *output = tacho_arguments_value(arguments, "output");
    if (output == NULL) {
        return true;
    }
    if (strcmp(output, "-") == 0) {
        tacho_command_misuse(arguments->command,
                             "standard output belongs to the program; name a file");
        return false;
    }
    tacho_str path = tacho_str_from_cstring(output);
    report->output_path = output;
    report->table_sink = tacho_table_sink_find_suffix(path);
    if (report->table_sink == NULL || strcmp(report->table_sink->name, "json") == 0) {
        report->table_sink = NULL; /* .json is Chrome's */
        report->trace_sink = tacho_trace_sink_find_for_path(path);
    }
    if (report->trace_sink == NULL && report->table_sink == NULL) {
        tacho_command_misuse(arguments->command,
                             "'%s' has no known suffix; use .tacho, .pb or .csv", output);
        return false;
    }
    return true;
}

/* Of one that was killed, and had the same number, something may lie there: it stays. */
static void name_capture(const char *stem, const char *mark, char *path, size_t room)
{
    enum { TRIES = 1000 };
    struct stat status;
    snprintf(path, room, "%s%s%ld.partial", stem, mark, (long)getpid());
    for (int i = 1; i < TRIES && lstat(path, &status) == 0; i++) {
        snprintf(path, room, "%s%s%ld-%d.partial", stem, mark, (long)getpid(), i);
    }
}

/* Beside the output, so that it can take its name; else where temporary files are. */
static bool choose_path(profile_request *request)
{
    const char *folder = getenv("TMPDIR");
    folder = folder != NULL && folder[0] != '\0' ? folder : "/tmp";
    const char *output = request->report.output_path;
    size_t room = strlen(output != NULL ? output : folder) + NAME_ROOM;
    request->path = malloc(room);
    if (request->path == NULL) {
        return false;
    }
    name_capture(output != NULL ? output : folder, output != NULL ? "." : "/tacho-profile-",
                 request->path, room);
    request->profiling.path = request->path;
    request->report.capture_path = request->path;
    return true;
}

/* One word that is a whole command line, as if typed in a shell. */
static bool is_command_line(const tacho_arguments *arguments)
{
    const char *word = arguments->words[0];
    return arguments->word_count == 1 && strpbrk(word, " \t\n|&;<>()$`") != NULL &&
           access(word, X_OK) != 0;
}

static void choose_words(const tacho_arguments *arguments, profile_request *request)
{
    static char shell[] = "/bin/sh";
    static char flag[] = "-c";
    request->profiling.words = (char *const *)(uintptr_t)arguments->words;
    if (is_command_line(arguments)) {
        request->shell_words[0] = shell;
        request->shell_words[1] = flag;
        request->shell_words[2] = (char *)(uintptr_t)arguments->words[0];
        request->profiling.words = request->shell_words;
    }
}

/* ---- live ---------------------------------------------------------------------------------- */

/* "12.0 s: 3 processes, 1200000 events/s, 0 dropped; step 99 %, MatMul 40 %". */
static void show_live(void *self, const tacho_live *live)
{
    char text[LIVE_ROOM];
    double period_s = (double)live->period_ns / ns_per_s;
    (void)self;
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
    tacho_note(&tacho_talk_notes, "live", "%s", text);
}

/* ---- running ------------------------------------------------------------------------------- */

static void say_refusal(const tacho_profiling *profiling, const tacho_wrapper_result *result)
{
    tacho_talk("error", "cannot run '%s': %s", profiling->words[0],
               strerror(result->refusal.error));
}

static void free_errors(const tacho_wrapper_result *result)
{
    tacho_status_free(result->store_error);
    tacho_status_free(result->collect_error);
}

static int run(profile_request *request)
{
    tacho_wrapper_result result;
    tacho_status status = tacho_profiling_run(&request->profiling, &result);
    if (status != TACHO_OK || result.refusal.error != 0) {
        if (status == TACHO_OK) {
            say_refusal(&request->profiling, &result);
        } else {
            tacho_talk_failure(status);
        }
        unlink(request->path);
        free_errors(&result);
        return result.exit_status;
    }
    request->report.result = &result;
    status = tacho_profile_report_run(&request->report);
    if (status != TACHO_OK) {
        tacho_talk_failure(status); /* the program's status says more */
        if (access(request->path, F_OK) == 0) {
            tacho_talk("note", "the capture is kept: %s", request->path);
        }
    }
    free_errors(&result);
    return result.exit_status;
}

static int profile_command_run(const tacho_arguments *arguments)
{
    profile_request request = {.report = {.notes = &tacho_talk_notes,
                                          .is_quiet = tacho_arguments_has(arguments, "quiet")}};
    if (arguments->word_count == 0) {
        return tacho_command_misuse(arguments->command,
                                    "no program given; write it behind --, with its arguments");
    }
    if (!choose_timeout(arguments, &request.profiling.timeout_ns) ||
        !choose_output(arguments, &request.report)) {
        return TACHO_EXIT_USAGE;
    }
    request.profiling.live = tacho_arguments_has(arguments, "live") ? show_live : NULL;
    choose_words(arguments, &request);
    tacho_status status =
        tacho_profiling_check_output(request.report.output_path, request.profiling.words[0]);
    if (status != TACHO_OK) {
        bool is_misuse = tacho_talk_failure(status) == TACHO_EXIT_USAGE;
        return is_misuse ? TACHO_EXIT_USAGE : TACHO_EXIT_NOT_STARTED;
    }
    if (!choose_path(&request)) {
        tacho_command_no_memory();
        return TACHO_EXIT_NOT_STARTED;
    }
    int exit_code = run(&request);
    free(request.path);
    return exit_code;
}

const tacho_command tacho_command_profile = {
    .name = "profile",
    .runs_program = true,
    .summary = "run a program and record every process of it",
    .usage = "[options] -- COMMAND [ARGUMENT...]",
    .description =
        "Runs COMMAND unchanged and records every process that belongs to it: when each\n"
        "process and thread started and ended, CPU time and resident memory over time. No\n"
        "instrumentation is needed. Programs that use libtacho-client (man\n"
        "tacho_client) also report zones, operators, counters, messages and arrows. When\n"
        "COMMAND ends, operators and processes are listed on standard error.\n"
        "\n"
        "COMMAND is found in PATH and gets its arguments as they are. One argument that\n"
        "contains blanks or shell operators is read by /bin/sh, as in \"pytest -v tests\".\n"
        "The program keeps standard input, output and error, its directory, terminal,\n"
        "process group, limits and open files. Signals are passed on; Ctrl-C reaches the\n"
        "program, and what was recorded until then is still shown.\n"
        "\n"
        "Processes are looked at every 10 ms, less often in long runs, and never for more\n"
        "than 2 % of one processor. A process that starts and ends between two looks is\n"
        "not seen. Starts are exact to 10 ms, ends of processes to the millisecond, ends\n"
        "of threads to the next look. CPU time and memory of a process count up to the\n"
        "last look, unless it is COMMAND itself. Processes that outlive COMMAND run on;\n"
        "recording ends with COMMAND.\n"
        "\n"
        "A process that reports events is always seen. It finds the collector by the\n"
        "variable TACHO_COLLECTOR, which COMMAND gets: a socket that its user alone may\n"
        "use. Events go to memory that tacho owns, so a program that is killed loses\n"
        "nothing it had reported. When a thread reports faster than tacho can store, it\n"
        "waits for up to 10 ms, then events are dropped, counted and shown as lost.\n"
        "\n"
        "Ranks of torchrun, Open MPI, MPICH, MVAPICH, PMIx and Slurm are recognised by\n"
        "their environment variables. Of the environment, nothing else is recorded.\n"
        "\n"
        "While the program runs, the capture is written to OUT.PID.partial four times a\n"
        "second, without -o to a temporary file. If tacho is killed, that file stays, and\n"
        "every command reads it.",
    .examples = "# what a program starts, and what that costs\n"
                "tacho profile -- tacho compile model.onnx\n"
                "# keep the capture for other commands\n"
                "tacho profile -o capture.tacho -- tacho run model.onnx -n 3\n"
                "# a command line with a pipe, as a trace for https://ui.perfetto.dev\n"
                "tacho profile -o sort.pb \"sort timeline.csv | uniq -c\"\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = profile_command_run,
};
