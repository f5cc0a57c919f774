/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-compile: Torq's compiler, with its flags. Profiling is off unless asked for; its timeline is
 * written as the vendor's documents show it (T1), with all dispatches in one file.
 */
#include "api/requests/registry.h"
#include "api/requests/compile_options.h"
#include "api/requests/request.h"
#include "sinks/torq/timeline.h"

#define DEFAULT_TIMELINE "timeline.csv"

enum { BURST_POWER_MAX = 16 };

static const tacho_option options[] = {
    TACHO_OPT_VALUE("output", 'o', "OUT", "write the program there",
                    TACHO_COMPILE_INTO_TEXT(request.program_path)),
    TACHO_OPT_FLAG("torq-enable-profiling", 0,
                   "write the estimated timeline, to " DEFAULT_TIMELINE
                   " unless another file is named, and show cycles and memory footprints in dumps "
                   "(default: off)",
                   TACHO_COMPILE_INTO_FLAG(request.dumps.has_profile)),
    TACHO_OPT_VALUE("torq-dump-profiling", 0, "CSV",
                    "with {torq-enable-profiling}: write the timeline there",
                    TACHO_COMPILE_INTO_TEXT(request.profile_path)),
    TACHO_OPT_VALUE("torq-timeline", 0, "t1|t4", "format of the timeline (default: t1)",
                    TACHO_INTO_WORD(tacho_compile_choice, timeline)),
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    TACHO_COMPILE_OPTIONS_DUMPS,
    TACHO_OPT_VALUE("torq-hw", 0, "SPEC",
                    "SL2610, or another: <id>:<lram_kb>:<slices>:<css>:<nss>[:<dma>...]",
                    TACHO_COMPILE_INTO_TEXT(hardware)),
    TACHO_OPT_VALUE("torq-dma-in-mtu", 0, "N",
                    "beats per incoming burst, as a power of two (default: 4)"),
    TACHO_OPT_VALUE("torq-dma-out-mtu", 0, "N",
                    "beats per outgoing burst, as a power of two (default: 4)"),
    TACHO_OPT_VALUE("iree-input-type", 0, "TYPE", TACHO_IGNORED ": detected from the model"),
    TACHO_OPT_VALUE("iree-hal-target-backends", 0, "NAME", TACHO_IGNORED),
    TACHO_OPT_VALUE("iree-hal-target-device", 0, "NAME", TACHO_IGNORED),
    TACHO_OPT_VALUE("iree-opt-level", 0, "LEVEL", TACHO_IGNORED),
    TACHO_OPT_FLAG("torq-disable-ndl-cycle-check", 0, TACHO_IGNORED),
    TACHO_OPT_FLAG("mlir-print-debuginfo", 0, TACHO_IGNORED ": dumps always have locations"),
    TACHO_OPT_FLAG("mlir-disable-threading", 0, TACHO_IGNORED),
    TACHO_COMPILE_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

static bool choose_bursts(tacho_request *given, tacho_machine *machine)
{
    for (size_t i = 0; i < machine->dma_count; i++) {
        tacho_dma *dma = &machine->dma[i];
        const char *option = dma->class == TACHO_ENGINE_DMA_IN    ? "torq-dma-in-mtu"
                             : dma->class == TACHO_ENGINE_DMA_OUT ? "torq-dma-out-mtu"
                                                                  : "";
        uint64_t power = 0;
        if (!tacho_request_number(given, option, 0, BURST_POWER_MAX, &power)) {
            return false;
        }
        if (tacho_request_has(given, option)) {
            dma->burst_beats.value = (tacho_ratio){(int64_t)1 << power, 1};
        }
    }
    return true;
}

/* Only --torq-enable-profiling asks for a timeline; false where a path was given without it. */
static bool choose_timeline(tacho_compile_request *request)
{
    if (request->dumps.has_profile) {
        request->profile_path =
            request->profile_path != NULL ? request->profile_path : DEFAULT_TIMELINE;
        return true;
    }
    bool has_path = request->profile_path != NULL;
    request->profile_path = NULL;
    return !has_path;
}

static int compile(tacho_request *given, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    if (request->profile_path != NULL && request->profile_path[0] == '\0') {
        return tacho_request_misuse(given, "{torq-dump-profiling}: the path is empty; name a file");
    }
    bool has_unused_path = !choose_timeline(request);
    request->profile_sink = choice->timeline == 0 ? &tacho_sink_torq_t1 : &tacho_sink_torq_t4;
    if (!tacho_compile_choose_model(given, choice)) {
        return TACHO_OUTCOME_USAGE;
    }
    if (request->program_path == NULL && request->profile_path == NULL &&
        !tacho_compile_dumps_any(&request->dumps)) {
        return tacho_request_misuse(given, "no output file given; use {o|output} OUT");
    }
    int outcome = tacho_compile_choose(given, choice);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    if (!choose_bursts(given, choice->found)) {
        return TACHO_OUTCOME_USAGE;
    }
    if (!request->is_quiet) {
        if (has_unused_path) {
            tacho_request_note(
                given, "note",
                "{torq-dump-profiling} has no effect without {torq-enable-profiling}");
        }
        tacho_request_say_ignored(given);
    }
    return tacho_compile_run_chosen(given, choice);
}

static int torq_compile_run(tacho_request *given)
{
    const tacho_compile_choice defaults = {
        .request = {.table_sink = &tacho_table_sink_text_alone},
    };
    return tacho_compile_with(given, &defaults, compile);
}

const tacho_request_type tacho_request_type_torq_compile = {
    .name = "torq-compile",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = torq_compile_run,
};
