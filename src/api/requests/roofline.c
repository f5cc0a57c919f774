/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho roofline: how far is each operator from what its machine can do?
 */
#include "api/requests/registry.h"
#include "api/requests/options.h"
#include "api/requests/compile_options.h"
#include "api/requests/listing.h"
#include "session/roofline.h"
#include "sinks/roofline_svg.h"
#include "estimates/estimates.h"

enum { DEFAULT_TOP = 20 };

typedef struct roofline_request {
    tacho_roof_list models;
    tacho_roofline_options options;
    tacho_notes notes;
    tacho_held_notes held;
    size_t above_count;
    const tacho_listing *listing;
} roofline_request;

static const char *const sort_keys[] = {"time", "gain", "roof", "intensity", "name", "order", NULL};

static const tacho_option options[] = {
    TACHO_OPT_VALUE("machine", 'm', "NAME|FILE",
                    "a built-in machine, as listed by '{/machine list}', or a description file "
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

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    roofline_request *request = self;
    tacho_selection *events = &listing->selection.events;
    request->notes = tacho_request_hold(given, &request->held);
    request->listing = listing;
    request->models.notes = &given->notes;
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
    if (!tacho_request_fill(given, self) ||
        tacho_compile_choose_sizes(given, &request->models.arena, &request->models.model) !=
            TACHO_OUTCOME_DONE) {
        return false;
    }
    const char *what = "";
    tacho_status status = tacho_roof_list_take_texts(&request->models, &what);
    request->options.roof = request->models.has_roof ? &request->models.roof : NULL;
    return tacho_request_check(given, what, status) == TACHO_OUTCOME_DONE;
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

static int roofline_command_run(tacho_request *given)
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
    int outcome = tacho_listing_run(given, &verb, &request);
    tacho_request_release(&request.held);
    tacho_roof_list_deinit(&request.models);
    return outcome == TACHO_OUTCOME_DONE && request.above_count > 0 ? TACHO_OUTCOME_LOSSY : outcome;
}

const tacho_request_type tacho_request_type_roofline = {
    .name = "roofline",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = roofline_command_run,
};
