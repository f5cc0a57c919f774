/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho roofline: how far is each operator from what its machine can do?
 */
#include "cli/command.h"
#include "cli/compile_options.h"
#include "cli/listing.h"
#include "session/roofline.h"
#include "sinks/roofline_svg.h"
#include "estimates/estimates.h"

enum { DEFAULT_TOP = 20 };

typedef struct roofline_request {
    tacho_roof_list models;
    tacho_roofline_options options;
    tacho_notes notes;
    tacho_talk_held held;
    size_t above_count;
    const tacho_listing *listing;
} roofline_request;

static const char *const sort_keys[] = {"time", "gain", "roof", "intensity", "name", "order", NULL};

static const tacho_option options[] = {
    TACHO_OPT_VALUE("machine", 'm', "NAME|FILE",
                    "a built-in machine, as listed by 'tacho machine list', or a description file "
                    "(default: the input's own; for models " TACHO_DEFAULT_MACHINE ")",
                    TACHO_INTO_TEXT(roofline_request, models.machine)),
    TACHO_OPT_VALUE("roof", 0, "LIST",
                    "ceilings instead of a machine's: f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s",
                    TACHO_INTO_TEXT(roofline_request, models.ceilings)),
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    TACHO_OPT_VALUE("dtype", 0, "DTYPE",
                    "models only: store and compute real numbers as this type: bf16, f16 ...",
                    TACHO_INTO_TEXT(roofline_request, models.dtype)),
    TACHO_OPT_VALUE("fidelity", 0, "NAME",
                    "models only: multiplication precision, on machines that offer a choice",
                    TACHO_INTO_TEXT(roofline_request, models.fidelity)),
    TACHO_OPT_VALUE("batch", 0, "N", "models only: run this many inferences as one batch",
                    TACHO_INTO_NUMBER(roofline_request, models.batch, 1, TACHO_BATCH_MAX)),
    TACHO_OPT_VALUE("sort", 0, "KEY",
                    "time, gain (time above the least possible), roof (furthest from it), "
                    "intensity, name or order (default: time)",
                    TACHO_INTO_WORDS(roofline_request, options.sort, sort_keys)),
    TACHO_OPT_VALUE("top", 0, "N", "the first N points, 0 for all (default: 20)",
                    TACHO_INTO_NUMBER(roofline_request, options.top, 0, SIZE_MAX)),
    TACHO_OPTION_OPERATORS("name or location"),
    TACHO_OPTION_WINDOW,
    TACHO_OPTIONS_TABLES_AND("|svg"),
    TACHO_OPTION_OUTPUT_AND(TACHO_WRITES_PICTURE),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

/* Formats that hold one table. */
static bool is_single(const tacho_table_sink *sink)
{
    return sink->holds_one || sink == &tacho_table_sink_csv;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    roofline_request *request = self;
    tacho_selection *events = &listing->selection.events;
    request->notes = tacho_talk_hold(&request->held);
    request->listing = listing;
    request->models.notes = &tacho_talk_notes;
    request->models.is_quiet = listing->is_quiet;
    request->models.has_several = listing->intake.input_count > 1;
    request->options.notes = listing->is_quiet ? NULL : &request->notes;
    request->options.is_for_people = listing->sink == &tacho_table_sink_text;
    request->options.is_single = is_single(listing->sink);
    request->options.is_strict = listing->is_strict;
    request->options.above_count = &request->above_count;
    request->options.filter = events->names;
    events->names = (tacho_name_filter){.accepts = NULL};
    listing->options = &request->options;
    if (!tacho_arguments_fill(arguments, self) ||
        tacho_compile_choose_sizes(arguments, &request->models.arena, &request->models.model) !=
            TACHO_EXIT_DONE) {
        return false;
    }
    const char *what = "";
    tacho_status status = tacho_roof_list_take_texts(&request->models, &what);
    request->options.roof = request->models.has_roof ? &request->models.roof : NULL;
    return tacho_command_check(arguments->command, what, status) == TACHO_EXIT_DONE;
}

static tacho_status divert(void *self, const tacho_listing *listing, const char *path,
                           bool *out_is_diverted)
{
    roofline_request *request = self;
    (void)listing;
    TACHO_TRY(tacho_roof_list_add(&request->models, path, out_is_diverted));
    request->options.works = request->models.item_count > 0 ? &request->models.items[0] : NULL;
    return TACHO_OK;
}

static bool has_profiles(const roofline_request *request)
{
    return request->listing->intake.input_count > 0;
}

static tacho_status check(void *self, tacho_listing *listing)
{
    const roofline_request *request = self;
    (void)listing;
    return tacho_roof_list_check(&request->models, has_profiles(request));
}

static tacho_status write_models(void *self, const tacho_table_taker *to)
{
    const roofline_request *request = self;
    return has_profiles(request) ? TACHO_OK
                                 : tacho_roof_list_write(&request->models, &request->options, to);
}

static int roofline_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .divert = divert,
        .analysis = &tacho_analysis_roofline,
        .check = check,
        .write = write_models,
        .own_sink = &tacho_table_sink_roofline_svg,
    };
    roofline_request request = {.options = {.top = DEFAULT_TOP}};
    tacho_roof_list_init(&request.models);
    int exit_code = tacho_listing_run(arguments, &verb, &request);
    tacho_talk_release(&request.held);
    tacho_roof_list_deinit(&request.models);
    return exit_code == TACHO_EXIT_DONE && request.above_count > 0 ? TACHO_EXIT_LOSSY : exit_code;
}

const tacho_command tacho_command_roofline = {
    .name = "roofline",
    .summary = "show how far each operator is from what its machine can do",
    .usage = "MODEL|PROGRAM|PROFILE... [options]",
    .description =
        "Prints a point per operator: its operations (FLOP) and bytes, the time it took,\n"
        "the least time that the machine's ceilings allow, which ceiling that is, and how\n"
        "close the operator comes to it. Text output has a plot as well; .svg draws one.\n"
        "\n"
        "Ceilings are peaks of the machine description: arithmetic by type of number, and\n"
        "the rate of each level of memory. An operator is bound by compute, memory or\n"
        "local memory, whichever takes longest. A multiply-add counts as two operations.\n"
        "\n"
        "Operations and bytes come from the shapes of a model (ONNX, MLIR) or program,\n"
        "from the Input Dims of PyTorch's profiler (Kineto), and from the columns of\n"
        "Tenstorrent's op tables. A model alone is estimated; with a profile of it, such\n"
        "as one of 'tacho run' or ONNX Runtime, operators get the times of the profile.\n"
        "\n"
        "A point above its roof cannot be: the time, the sizes or the machine is wrong.\n"
        "It is marked, a warning names the worst, and the exit status is 3. Operands that\n"
        "fit in the machine's caches or local memories may be read faster than the shared\n"
        "memory allows; such points are marked 'in near memory' and are not errors.",
    .examples = "# where could a model be faster on this machine?\n"
                "tacho roofline model.onnx --machine aic100 --sort gain\n"
                "# a run against the same roof, as a drawing\n"
                "tacho run model.onnx --device sim:aic100 --profile run.tacho\n"
                "tacho roofline model.onnx run.tacho --machine aic100 -o roofline.svg\n"
                "# a PyTorch trace: the machine that it names, and other ceilings\n"
                "tacho roofline trace.json\n"
                "tacho roofline trace.json --roof f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s\n"
                "# a Tenstorrent op table\n"
                "tacho roofline ops_perf_results.csv --format json\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = roofline_command_run,
};
