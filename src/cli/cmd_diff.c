/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho diff: what became slower, and is it too much?
 */
#include "cli/diff_outputs.h"
#include "cli/file_kind.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/selection.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "pipeline/comparing.h"

enum { DEFAULT_TOP = 20 };

typedef struct diff_request {
    tacho_comparing comparing;
    tacho_diff_outputs outputs;
    tacho_input_set sides[2];
    tacho_cli_selection selection;
    tacho_talk_progress progress;
    tacho_talk_held held;
    tacho_notes notes;
    bool is_verbose;
} diff_request;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("gate", 0, "LIMITS",
                    "fail (exit status 4) if B is slower than A by more than LIMITS, such as "
                    "rel=3%,abs=20us; both must be exceeded"),
    TACHO_OPT_VALUE("by", 0, "instance|type|op|layer[:N]",
                    "compare operators one by one, all of one type, layer or operator of the "
                    "framework (aten::linear), which may be an estimate's; layer:N: to N levels "
                    "(default: instance)"),
    TACHO_OPT_VALUE("top", 0, "N", "rows to list, 0 for all; regressions always are (default: 20)",
                    TACHO_INTO_NUMBER(diff_request, comparing.diff.top, 0, SIZE_MAX)),
    TACHO_OPTION_FILTER,
    TACHO_OPTION_WINDOW,
    TACHO_OPT_VALUE("format", 0, "text|csv|json|markdown|xlsx|github|junit",
                    "how to print the tables; github: annotations of a workflow, junit: test "
                    "results in XML (default: by the suffix of OUT, else text)"),
    TACHO_OPT_FLAG("json", 0, "same as --format json"),
    TACHO_OPT_FLAG("csv", 0, "same as --format csv"),
    TACHO_OPTION_OUTPUT,
    TACHO_OPT_EACH("also", 0, "FILE",
                   "also write the tables to FILE, in the format of its suffix: .md, .xml (JUnit), "
                   ".json, .csv, .xlsx; repeatable",
                   .writes = TACHO_WRITES_TABLE),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

/* ---- inputs -------------------------------------------------------------------------------- */

/* Where side B begins: behind "--", or the second of two words; 0 where it cannot be told. */
static size_t find_split(const tacho_arguments *arguments)
{
    if (arguments->ended_at != SIZE_MAX) {
        return arguments->ended_at < arguments->word_count ? arguments->ended_at : 0;
    }
    return arguments->word_count == 2 ? 1 : 0;
}

static int open_side(diff_request *request, size_t side, const tacho_arguments *arguments,
                     const tacho_cli_inputs_options *how)
{
    tacho_intake *intake = &request->comparing.intakes[side];
    int exit_code = tacho_cli_inputs_open(&request->sides[side], arguments, how, intake);
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    tacho_input_set_skip_links(&request->sides[side], &tacho_cli_skips);
    if (!tacho_value_source_options(arguments, &intake->options)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_status status =
        tacho_input_set_skip_strangers(&request->sides[side], &tacho_cli_skips, intake);
    return status != TACHO_OK ? tacho_talk_failure(status) : TACHO_EXIT_DONE;
}

static int open_sides(diff_request *request, const tacho_arguments *arguments)
{
    size_t split = find_split(arguments);
    if (split == 0) {
        return tacho_command_misuse(arguments->command,
                                    "name two profiles, or two sets with -- between them");
    }
    for (size_t i = split; i < arguments->word_count; i++) {
        if (arguments->ended_at == split && arguments->words[i][0] == '-' &&
            arguments->words[i][1] != '\0') {
            return tacho_command_misuse(arguments->command, "%s: options go before --",
                                        arguments->words[i]);
        }
    }
    const tacho_cli_inputs_options how[2] = {
        {.word_end = split, .set = {.output_path = request->outputs.items[0].path}},
        {.first_word = split, .set = {.output_path = request->outputs.items[0].path}},
    };
    int exit_code = open_side(request, 0, arguments, &how[0]);
    return exit_code == TACHO_EXIT_DONE ? open_side(request, 1, arguments, &how[1]) : exit_code;
}

static int choose_gate(diff_request *request, const tacho_arguments *arguments)
{
    const char *limits = tacho_arguments_value(arguments, "gate");
    request->comparing.diff.has_gate = limits != NULL;
    return limits == NULL ? tacho_diff_outputs_refuse_verdicts(&request->outputs, arguments)
                          : tacho_command_check(arguments->command, "gate",
                                                tacho_gate_parse(tacho_str_from_cstring(limits),
                                                                 &request->comparing.diff.gate));
}

static int choose_rows(diff_request *request, const tacho_arguments *arguments)
{
    const char *by = tacho_arguments_value(arguments, "by");
    tacho_comparing *comparing = &request->comparing;
    return by == NULL ? TACHO_EXIT_DONE
                      : tacho_command_check(arguments->command, "by",
                                            tacho_diff_by_parse(tacho_str_from_cstring(by),
                                                                &comparing->diff.by,
                                                                &comparing->samples.layer_depth));
}

/* ---- running ------------------------------------------------------------------------------- */

static void say_read(void *user, const tacho_dict *dict)
{
    diff_request *request = user;
    tacho_talk_progress_end(&request->progress);
    tacho_talk_losses(dict);
    if (request->is_verbose) {
        tacho_talk_inputs(dict);
    }
}

static int exit_code_of(const diff_request *request, const tacho_comparing_result *result)
{
    bool is_lossy = result->has_losses || request->sides[0].skipped_count > 0 ||
                    request->sides[1].skipped_count > 0;
    return result->verdict == TACHO_VERDICT_REGRESSION     ? TACHO_EXIT_GATE
           : result->verdict == TACHO_VERDICT_INCONCLUSIVE ? TACHO_EXIT_INCONCLUSIVE
           : is_lossy                                      ? TACHO_EXIT_LOSSY
                                                           : TACHO_EXIT_DONE;
}

static int compare(diff_request *request, const tacho_arguments *arguments)
{
    tacho_comparing *comparing = &request->comparing;
    tacho_comparing_result result;
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    tacho_talk_progress_init(&request->progress, "reading", is_quiet,
                             &comparing->intakes[0].progress);
    comparing->intakes[1].progress = comparing->intakes[0].progress;
    request->notes = tacho_talk_hold(&request->held);
    comparing->diff.notes = is_quiet ? NULL : &request->notes;
    tacho_status status = tacho_comparing_run(comparing, &result);
    tacho_talk_progress_end(&request->progress);
    if (status != TACHO_OK) {
        return tacho_talk_failure(tacho_cli_note_kinds(status, &comparing->intakes[0]));
    }
    tacho_talk_release(&request->held);
    return exit_code_of(request, &result);
}

static int prepare_and_compare(diff_request *request, const tacho_arguments *arguments)
{
    request->comparing.is_strict = tacho_arguments_has(arguments, "strict");
    if (!tacho_arguments_fill(arguments, request)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = tacho_diff_outputs_choose(&request->outputs, arguments);
    request->comparing.outputs = request->outputs.items;
    request->comparing.output_count = request->outputs.item_count;
    exit_code = exit_code == TACHO_EXIT_DONE ? choose_gate(request, arguments) : exit_code;
    exit_code = exit_code == TACHO_EXIT_DONE ? choose_rows(request, arguments) : exit_code;
    exit_code = exit_code == TACHO_EXIT_DONE ? open_sides(request, arguments) : exit_code;
    exit_code = exit_code == TACHO_EXIT_DONE
                    ? tacho_cli_selection_open(&request->selection, arguments)
                    : exit_code;
    return exit_code == TACHO_EXIT_DONE ? compare(request, arguments) : exit_code;
}

static int diff_command_run(const tacho_arguments *arguments)
{
    diff_request request = {
        .comparing = {.diff = {.top = DEFAULT_TOP}, .read = say_read},
        .selection = {.events = TACHO_SELECT_ALL},
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
    };
    request.comparing.user = &request;
    request.comparing.selection = &request.selection.events;
    int exit_code = prepare_and_compare(&request, arguments);
    tacho_cli_selection_close(&request.selection);
    tacho_input_set_close(&request.sides[0]);
    tacho_input_set_close(&request.sides[1]);
    return exit_code;
}

const tacho_command tacho_command_diff = {
    .name = "diff",
    .is_gate = true,
    .summary = "compare two profiles, or two sets, and gate on the difference",
    .usage = "A B [options]  |  A... -- B...",
    .description =
        "Compares profiles before (A) and after (B) a change: which operators became\n"
        "slower or faster, which are new, gone, renamed, split or merged, and what\n"
        "explains the difference of the total. A and B are files or directories of any\n"
        "format that tacho reads; several files per side go on either side of --.\n"
        "\n"
        "Every moment counts for one operator: among those busy at once, one on a\n"
        "compute engine before one that moves data, then the one that started first.\n"
        "So times of operators and idle time add up to the total, and their differences\n"
        "to its difference, to the nanosecond. Only device work is compared where a\n"
        "profile has any, else host work.\n"
        "\n"
        "Operators are matched by name, location, order and layer, where a profile knows\n"
        "layers (see tacho-ops(1), --by layer); --by layer compares whole layers.\n"
        "\n"
        "Each file, each numbered inference and each marked step (ProfilerStep#7) is a\n"
        "sample. Times are means over samples; with two or more samples per side, +/- is\n"
        "the 95 % confidence interval of the difference (Welch's t-test; neighbouring\n"
        "samples that correlate count as fewer).\n"
        "\n"
        "With --gate, the verdict is the exit status: 0 pass, 4 regression, 5\n"
        "inconclusive. A regression exceeds both limits, in total or in an operator, and\n"
        "would arise by chance less than once in 1000 comparisons of equal sides.\n"
        "Inconclusive: fewer than 5 samples of a measured side (estimates and simulations\n"
        "need one), lost records, different shapes or origins, few operators in common,\n"
        "or noise larger than the limit.",
    .examples = "# what changed between two traces\n"
                "tacho diff before.json after.json\n"
                "# which layers to two levels, such as encoder/layer.3, became slower\n"
                "tacho diff before.json after.json --by layer:2\n"
                "# an estimate of a GPU and a trace of PyTorch, operator by operator\n"
                "tacho diff estimate.tacho trace.json --by op\n"
                "# five runs of each; fail if anything is 3 % and 20 us slower\n"
                "tacho diff --gate rel=3%,abs=20us old/ new/\n"
                "# the same in a workflow: annotations, a summary, test results\n"
                "tacho diff old/ new/ --gate rel=3%,abs=20us --format github \\\n"
                "    --also summary.md --also gate.xml\n"
                "# is the simulation what the compiler promised?\n"
                "tacho diff estimate.tacho run.tacho\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = diff_command_run,
};
