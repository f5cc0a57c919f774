/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho report: profiles in, one page to look at out.
 */
#include "cli/file_kind.h"
#include "cli/inputs.h"
#include "cli/output_guard.h"
#include "cli/selection.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "pipeline/report.h"
#include "session/roofline.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct report_request {
    tacho_page_request page;
    tacho_roof_list roofs; /* of it, the machine alone */
} report_request;

static const tacho_option options[] = {
    TACHO_OPT_VALUE(
        "output", 'o', "OUT",
        "the page to write (default: report.html); - is standard output, .gz or .zst compresses",
        TACHO_INTO_TEXT(report_request, page.output_path), .writes = TACHO_WRITES_PAGE),
    TACHO_OPTION_FORCE,
    TACHO_OPT_VALUE("title", 0, "TEXT", "title of the page (default: the name of the only input)",
                    TACHO_INTO_TEXT(report_request, page.title)),
    TACHO_OPT_VALUE("machine", 'm', "NAME|FILE",
                    "a built-in machine, as listed by 'tacho machine list', or a description file: "
                    "adds a roofline of operators whose work is known",
                    TACHO_INTO_TEXT(report_request, roofs.machine)),
    TACHO_OPT_VALUE("roof", 0, "LIST",
                    "ceilings instead of a machine's: f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s",
                    TACHO_INTO_TEXT(report_request, roofs.ceilings)),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    TACHO_OPT_FLAG("strict", 0, "fail, and write nothing, if any file or record cannot be read",
                   TACHO_INTO_FLAG(report_request, page.is_strict)),
    TACHO_OPTION_QUIET,
    TACHO_OPT_FLAG("verbose", 'v', "also show what was read, the elapsed time and the memory",
                   TACHO_INTO_FLAG(report_request, page.says_inputs)),
    TACHO_OPTION_COLOR,
    TACHO_OPTION_MEMORY,
    TACHO_OPTION_HELP,
};

static tacho_status explain(void *user, tacho_status status, const tacho_intake *only)
{
    (void)user;
    return tacho_cli_note_kinds(status, only);
}

static void skip(void *user, tacho_status status)
{
    (void)user;
    tacho_talk_skipped(status);
}

static void pause_progress(void *user)
{
    tacho_talk_progress_end(user);
}

static void print_summary(const tacho_page_request *request, const tacho_page_result *result)
{
    char skipped[48] = "";
    if (result->skipped_count > 0) {
        snprintf(skipped, sizeof(skipped), ", %zu skipped", result->skipped_count);
    }
    tacho_talk("wrote", "%s: %zu profile%s%s, %" PRIu64 " span%s",
               strcmp(request->output_path, "-") == 0 ? "standard output" : request->output_path,
               result->read_count, result->read_count == 1 ? "" : "s", skipped, result->span_count,
               result->span_count == 1 ? "" : "s");
}

static int report_list(tacho_page_request *request, const tacho_arguments *arguments,
                       const tacho_input_list *list)
{
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    tacho_talk_progress progress;
    tacho_page_result result;
    request->title = request->title != NULL ? request->title : tacho_page_default_title(list);
    tacho_talk_progress_init(&progress, "reading", is_quiet, &request->intake.progress);
    request->user = &progress;
    request->remarks = is_quiet ? NULL : &tacho_talk_notes;
    tacho_status status = tacho_page_write(request, list, &result);
    tacho_talk_progress_end(&progress);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    if (!is_quiet) {
        print_summary(request, &result);
    }
    return result.skipped_count > 0 || result.has_losses ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

/* The files, and what of them is wanted. */
static int choose_inputs(const tacho_arguments *arguments, tacho_page_request *request,
                         tacho_input_set *inputs, tacho_cli_selection *selection)
{
    const tacho_cli_inputs_options how = {.set = {.output_path = request->output_path}};
    int exit_code = tacho_cli_inputs_open(inputs, arguments, &how, &request->intake);
    tacho_status status = exit_code == TACHO_EXIT_DONE && request->intake.input_count > 0
                              ? tacho_intake_check(&request->intake)
                              : TACHO_OK;
    if (status != TACHO_OK) {
        exit_code = tacho_talk_failure(status);
    }
    request->selection = &selection->events;
    return exit_code == TACHO_EXIT_DONE ? tacho_cli_selection_open(selection, arguments)
                                        : exit_code;
}

/* The roof that was asked for, if any. */
static int choose_roof(const tacho_arguments *arguments, report_request *request)
{
    const char *what = "";
    tacho_status status = tacho_roof_list_take_texts(&request->roofs, &what);
    request->page.roof = request->roofs.has_roof ? &request->roofs.roof : NULL;
    return tacho_command_check(arguments->command, what, status);
}

static int report_inputs(const tacho_arguments *arguments, tacho_page_request *request)
{
    tacho_input_set inputs;
    tacho_cli_selection selection = {.events = TACHO_SELECT_ALL};
    int exit_code = choose_inputs(arguments, request, &inputs, &selection);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = report_list(request, arguments, &inputs.list);
    }
    tacho_cli_selection_close(&selection);
    tacho_input_set_close(&inputs);
    return exit_code;
}

static int report_command_run(const tacho_arguments *arguments)
{
    report_request request = {.page = {
                                  .output_path = "report.html",
                                  .notes = &tacho_talk_notes,
                                  .explain = explain,
                                  .skip = skip,
                                  .pause = pause_progress,
                              }};
    tacho_roof_list_init(&request.roofs);
    request.roofs.notes = &tacho_talk_notes;
    bool is_clear = tacho_arguments_fill(arguments, &request) &&
                    tacho_cli_inputs_source(arguments, &request.page.source) &&
                    tacho_value_source_options(arguments, &request.page.intake.options);
    int exit_code = is_clear ? choose_roof(arguments, &request) : TACHO_EXIT_USAGE;
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = tacho_output_guard_check_path(arguments, &options[0], request.page.output_path);
    }
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = report_inputs(arguments, &request.page);
    }
    tacho_roof_list_deinit(&request.roofs);
    return exit_code;
}

const tacho_command tacho_command_report = {
    .name = "report",
    .summary = "write profiles to a single HTML page",
    .usage = "FILE|DIR... [-o OUT] [options]",
    .description =
        "Writes one self-contained HTML page. It starts with the verdict: what limits\n"
        "each device, where its time went, and findings ranked by what they may gain,\n"
        "each with its evidence in the timeline. Layers are a tree beside the operators;\n"
        "a search, a layer or an operator narrows tables, timeline and histogram, and\n"
        "the address of the page keeps it, so a link can be sent. The page opens from\n"
        "disk in any current browser, needs no network, and can be mailed or archived.\n"
        "Two buttons turn what is shown into a Perfetto trace, to download or to open\n"
        "in https://ui.perfetto.dev.\n"
        "\n"
        "Numbers are those of 'tacho breakdown', 'ops' and 'ops --by layer'. A page of\n"
        "two files also shows what explains their difference, as 'tacho diff' does, and\n"
        "how an estimate agrees with a measurement. With --machine or --roof, operators\n"
        "are shown under their roof, as 'tacho roofline' does.\n"
        "\n"
        "A directory stands for the files in it. Files that are not profiles, and\n"
        "symbolic links that lead out of the directory, are listed and skipped; the\n"
        "exit status is then 3. The page holds names, times, layers, launches, source\n"
        "locations, bytes moved, and of kernels grid, block and shapes; other arguments\n"
        "are in the trace that 'tacho convert' writes.\n"
        "\n"
        "Up to 1048576 spans and samples of a file are on the page one by one. Beyond\n"
        "that, the timeline merges short neighbours, and says so; tables cover all\n"
        "spans, with percentiles as in 'tacho ops'. Neither the page nor the memory to\n"
        "write it grows with the number of spans beyond that.",
    .examples = "# what limits this run?\n"
                "tacho report trace.json -o page.html\n"
                "# before and after a change\n"
                "tacho report before.json after.json -o page.html\n"
                "# with the roofline of a GPU\n"
                "tacho report trace.json --roof f16=989TFLOP/s,HBM=4.8TB/s\n"
                "# every profile of a directory\n"
                "tacho report results/ -o report.html --title 'Nightly run'\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = report_command_run,
};
