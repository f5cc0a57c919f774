/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho report: profiles in, one page to look at out.
 */
#include "base/status.h"
#include "base/grow.h"
#include "cli/command.h"
#include "cli/file_kind.h"
#include "cli/inputs.h"
#include "pipeline/report_intake.h"
#include "cli/selection.h"
#include "pipeline/intake_notes.h"
#include "cli/talk.h"
#include "cli/values.h"

#include <inttypes.h>
#include <stdio.h>

static const tacho_option options[] = {
    TACHO_OPT_VALUE(
        "output", 'o', "OUT",
        "the page to write (default: report.html); - is standard output, .gz or .zst compresses"),
    TACHO_OPT_VALUE("title", 0, "TEXT", "title of the page (default: the name of the only input)"),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    TACHO_OPT_FLAG("strict", 0, "fail, and write nothing, if any file or record cannot be read"),
    TACHO_OPTIONS_COMMON,
};

typedef struct report_request {
    tacho_intake intake; /* options, progress; the input of the moment */
    tacho_cli_selection selection;
    const tacho_source *source;
    const char *output_path;
    const char *title;
    bool is_strict, is_verbose;
    bool is_alone; /* there is one file only */
    tacho_talk_progress progress;
    /* What became of it. */
    size_t skipped_count;
    uint64_t span_count;
    bool has_losses;
} report_request;

/* Reads one file and adds it to the page; |*out_read| is false where the file is to blame. */
static tacho_status load_and_add(report_request *request, tacho_report *report, tacho_dict *dict,
                                 bool *out_read)
{
    tacho_report_intake taken;
    tacho_status status =
        tacho_report_intake_read(&taken, &request->intake, &request->selection.events, dict);
    tacho_talk_progress_end(&request->progress);
    if (status == TACHO_OK) {
        if (request->is_verbose) {
            tacho_talk_inputs(dict);
        }
        tacho_talk_losses(dict);
        tacho_intake_say_selection(dict, &tacho_talk_notes);
        request->has_losses = request->has_losses || dict->loss_count > 0;
        if (request->is_strict) {
            status = tacho_pipeline_refuse_losses(dict);
        }
    }
    if (status == TACHO_OK) {
        *out_read = true;
        request->span_count += taken.columns.span_count;
        status = tacho_report_intake_add(&taken, report);
    }
    tacho_report_intake_deinit(&taken);
    return status;
}

/* A file that cannot be read is named, on the terminal and on the page, and the rest goes on. */
static tacho_status skip_file(report_request *request, tacho_report *report, const char *path,
                              tacho_status status)
{
    request->skipped_count++;
    tacho_status written = tacho_report_add_skipped(
        report, tacho_str_from_cstring(path), tacho_str_from_cstring(tacho_status_message(status)));
    tacho_talk_skipped(status);
    return written;
}

static tacho_status add_file(report_request *request, tacho_report *report, const char *path)
{
    tacho_intake_input input = {.path = path, .source = request->source};
    request->intake.inputs = &input;
    request->intake.input_count = 1;
    tacho_dict dict;
    bool is_read = false;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = load_and_add(request, report, &dict, &is_read);
    }
    tacho_dict_deinit(&dict);
    status = tacho_cli_note_kinds(status, &request->intake);
    /* Among several files one that needs more to be read, a program say, is one to skip. */
    bool is_misuse = tacho_status_code(status) == TACHO_CODE_USAGE && request->is_alone;
    bool is_fatal = is_read || request->is_strict || is_misuse ||
                    tacho_status_code(status) == TACHO_CODE_NO_MEMORY;
    return status == TACHO_OK || is_fatal ? status : skip_file(request, report, path, status);
}

/* Nothing of a file elsewhere gets onto the page because somebody put a link to it in a folder. */
static tacho_status skip_link(report_request *request, tacho_report *report, const char *path)
{
    tacho_status status = tacho_cli_inputs_link(path);
    return request->is_strict ? status : skip_file(request, report, path, status);
}

static tacho_status write_page(report_request *request, const tacho_input_list *list,
                               tacho_output *output)
{
    tacho_report report;
    size_t count = list->path_count + list->link_count;
    TACHO_TRY(tacho_report_begin(&report, output, tacho_str_from_cstring(request->title)));
    request->is_alone = count == 1;
    for (size_t i = 0; i < list->path_count; i++) {
        TACHO_TRY(add_file(request, &report, list->paths[i]));
    }
    for (size_t i = 0; i < list->link_count; i++) {
        TACHO_TRY(skip_link(request, &report, list->links[i]));
    }
    if (report.profile_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "none of %zu file%s is a profile", count,
                          count == 1 ? "" : "s");
    }
    TACHO_TRY(tacho_report_end(&report));
    return tacho_output_commit(output);
}

static tacho_status make_report(report_request *request, const tacho_input_list *list)
{
    for (size_t i = 0; i < list->path_count; i++) {
        if (tacho_input_is_same_file(list->paths[i], request->output_path)) {
            return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten",
                              list->paths[i]);
        }
    }
    TACHO_TRY(tacho_intake_check_output(&request->intake, request->output_path));
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->output_path, &output));
    tacho_status status = write_page(request, list, &output);
    tacho_output_close(&output);
    return status;
}

static void print_summary(const report_request *request, const tacho_input_list *list)
{
    size_t read_count = list->path_count + list->link_count - request->skipped_count;
    char skipped[48] = "";
    if (request->skipped_count > 0) {
        snprintf(skipped, sizeof(skipped), ", %zu skipped", request->skipped_count);
    }
    tacho_talk("wrote", "%s: %zu profile%s%s, %" PRIu64 " span%s",
               strcmp(request->output_path, "-") == 0 ? "standard output" : request->output_path,
               read_count, read_count == 1 ? "" : "s", skipped, request->span_count,
               request->span_count == 1 ? "" : "s");
}

/* The page of one file is called after it. */
static const char *default_title(const tacho_input_list *list)
{
    if (list->path_count != 1) {
        return "Profiles";
    }
    bool is_stdin = strcmp(list->paths[0], "-") == 0;
    return is_stdin ? "standard input"
                    : tacho_str_basename(tacho_str_from_cstring(list->paths[0])).data;
}

static int report_list(report_request *request, const tacho_arguments *arguments,
                       const tacho_input_list *list)
{
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    request->title = request->title != NULL ? request->title : default_title(list);
    tacho_talk_progress_init(&request->progress, "reading", is_quiet, &request->intake.progress);
    tacho_status status = make_report(request, list);
    tacho_talk_progress_end(&request->progress);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    if (!is_quiet) {
        print_summary(request, list);
    }
    return request->skipped_count > 0 || request->has_losses ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

static int report_command_run(const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    report_request request = {
        .output_path = output != NULL ? output : "report.html",
        .title = tacho_arguments_value(arguments, "title"),
        .is_strict = tacho_arguments_has(arguments, "strict"),
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
    };
    if (!tacho_cli_inputs_source(arguments, &request.source) ||
        !tacho_value_source_options(arguments, &request.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_cli_inputs inputs;
    tacho_cli_inputs_options how = {.output_path = request.output_path};
    int exit_code = tacho_cli_inputs_open(&inputs, arguments, &how, &request.intake);
    tacho_status status = exit_code == TACHO_EXIT_DONE && request.intake.input_count > 0
                              ? tacho_intake_check(&request.intake)
                              : TACHO_OK;
    if (status != TACHO_OK) {
        exit_code = tacho_talk_failure(status);
    }
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = tacho_cli_selection_open(&request.selection, arguments);
    }
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = report_list(&request, arguments, &inputs.list);
    }
    tacho_cli_selection_close(&request.selection);
    tacho_cli_inputs_close(&inputs);
    return exit_code;
}

const tacho_command tacho_command_report = {
    .name = "report",
    .summary = "write profiles to a single HTML page",
    .usage = "FILE|DIR... [-o OUT] [options]",
    .description =
        "Writes one self-contained HTML page: profiles to compare and sort, cards with\n"
        "busy and idle time, a timeline to zoom and pan, and a searchable, sortable\n"
        "operator table. The page opens from disk in any current browser, needs no\n"
        "network, and can be mailed or archived. Two buttons turn what is shown into a\n"
        "Perfetto trace, to download or to open in https://ui.perfetto.dev.\n"
        "\n"
        "A directory stands for the files in it. Files that are not profiles, and\n"
        "symbolic links that lead out of the directory, are listed and skipped; the\n"
        "exit status is then 3. The page holds names, times, source locations and bytes\n"
        "moved; other arguments and flow arrows are in the trace that 'tacho convert'\n"
        "writes.\n"
        "\n"
        "Up to 1048576 spans and samples of a file are on the page one by one. Beyond\n"
        "that, the timeline merges short neighbours, and says so; tables cover all\n"
        "spans, with percentiles as in 'tacho ops'. Neither the page nor the memory to\n"
        "write it grows with the number of spans.",
    .examples = "# one profile\n"
                "tacho report timeline.csv -o timeline.html\n"
                "# every profile of a directory\n"
                "tacho report results/ -o report.html --title 'Nightly run'\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = report_command_run,
};
