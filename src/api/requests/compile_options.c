/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices checked against the machine, in the order in which they depend on one another.
 */
#include "api/requests/compile_options.h"

#include "api/requests/file_kind.h"
#include "api/requests/request.h"
#include "sinks/torq/timeline.h"
#include "session/find_machine.h"

/* What the option that fills |member| is called in the table; "" where there is none. */
#define NAME_OF(given, member)                                                                     \
    tacho_request_option_name(given, offsetof(tacho_compile_choice, member))

/* ---- the model ----------------------------------------------------------------------------- */

bool tacho_compile_choose_model(tacho_request *given, tacho_compile_choice *choice)
{
    size_t count = given->word_count;
    choice->request.model_path = count == 1 ? given->words[0] : NULL;
    if (count != 1) {
        tacho_request_misuse(given, count == 0 ? "no model given; name an .onnx or .mlir file"
                                               : "more than one model given");
    }
    return count == 1;
}

/* Options that give sizes, and what stands between a name and a size in them. */
static const struct {
    const char *option;
    char separator;
} dim_options[] = {{"dim", '='}, {"onnx-define-symbol", ','}};

static tacho_status choose_dims(tacho_request *given, tacho_arena *arena,
                                tacho_model_options *model, const char **out_option)
{
    tacho_model_dim *dims = NULL;
    size_t room = 1;
    for (size_t i = 0; i < given->item_count; i++) {
        const char *value = given->items[i].value;
        room += value != NULL ? tacho_spec_dim_count(value) : 0;
    }
    TACHO_TRY(tacho_arena_alloc(arena, room * sizeof(*dims), (void **)&dims));
    model->dims = dims;
    for (size_t i = 0; i < sizeof(dim_options) / sizeof(dim_options[0]); i++) {
        size_t at = 0;
        *out_option = dim_options[i].option;
        for (const char *text; (text = tacho_request_next(given, *out_option, &at)) != NULL;) {
            TACHO_TRY(tacho_spec_dim(text, dim_options[i].separator, arena, model, dims));
        }
    }
    return TACHO_OK;
}

static tacho_status choose_binds(tacho_request *given, tacho_arena *arena,
                                 tacho_model_options *model)
{
    tacho_model_bind *binds = NULL;
    size_t at = 0;
    TACHO_TRY(tacho_arena_alloc(arena, (given->item_count + 1) * sizeof(*binds), (void **)&binds));
    model->binds = binds;
    for (const char *text; (text = tacho_request_next(given, "bind", &at)) != NULL;) {
        TACHO_TRY(tacho_spec_bind(text, model, binds));
    }
    return TACHO_OK;
}

int tacho_compile_choose_sizes(tacho_request *given, tacho_arena *arena, tacho_model_options *model)
{
    const char *option = NULL;
    tacho_status status = choose_dims(given, arena, model, &option);
    int outcome = tacho_request_check(given, option, status);
    return outcome != TACHO_OUTCOME_DONE
               ? outcome
               : tacho_request_check(given, "bind", choose_binds(given, arena, model));
}

/* ---- texts --------------------------------------------------------------------------------- */

static tacho_status take_weights(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_weights(text, &choice->request.model);
}

static tacho_status take_dtype(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_dtype(text, &choice->request.compile.estimate.cost);
}

static tacho_status take_fidelity(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_fidelity(text, choice->request.machine,
                               &choice->request.compile.estimate.cost);
}

static tacho_status take_grid(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_grid(text, choice->request.machine, &choice->request.compile.estimate.cost);
}

static tacho_status take_places(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_places(text, choice->request.machine,
                             choice->request.compile.estimate.places);
}

static tacho_status take_recipe(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_recipe(text, &choice->request.compile.stats,
                             &choice->request.compile.pmu_recipe);
}

static tacho_status take_events(tacho_compile_choice *choice, const char *text)
{
    return tacho_spec_events(text, &choice->request.compile.stats);
}

static const struct {
    size_t member; /* that has the text */
    tacho_status (*take)(tacho_compile_choice *choice, const char *text);
} specs[] = {
    {offsetof(tacho_compile_choice, weights), take_weights},
    {offsetof(tacho_compile_choice, dtype), take_dtype},
    {offsetof(tacho_compile_choice, fidelity), take_fidelity},
    {offsetof(tacho_compile_choice, grid), take_grid},
    {offsetof(tacho_compile_choice, places), take_places},
    {offsetof(tacho_compile_choice, recipe), take_recipe},
    {offsetof(tacho_compile_choice, events), take_events},
};

static int choose_texts(tacho_request *given, tacho_compile_choice *choice)
{
    int outcome = TACHO_OUTCOME_DONE;
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]) && outcome == TACHO_OUTCOME_DONE; i++) {
        const char *text = NULL;
        memcpy(&text, (const char *)choice + specs[i].member, sizeof(text));
        if (text != NULL) {
            outcome = tacho_request_check(given, tacho_request_option_name(given, specs[i].member),
                                          specs[i].take(choice, text));
        }
    }
    return outcome;
}

/* ---- the machine --------------------------------------------------------------------------- */

static tacho_status find_machine(const tacho_request *given, tacho_compile_choice *choice,
                                 tacho_machine **out_machine)
{
    const char *name = choice->machine != NULL ? choice->machine : TACHO_DEFAULT_MACHINE;
    TACHO_TRY(tacho_session_find_machine(name, &given->notes, &choice->arena, out_machine));
    if (choice->hardware != NULL) {
        TACHO_TRY(tacho_machine_torq_hw(*out_machine, choice->hardware, &choice->arena));
        choice->request.compile.hardware = tacho_str_from_cstring(choice->hardware);
    }
    return TACHO_OK;
}

/* A .csv of such a machine is a timeline that every command reads. */
static void default_to_torq(tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    if (request->profile_sink != NULL && strcmp(request->profile_sink->name, "csv") == 0 &&
        choice->profile_format == NULL && tacho_machine_has_timeline(request->machine, "torq")) {
        request->profile_sink = &tacho_sink_torq_t1;
    }
}

/* Choices that only some machines have, or not both. */
static int check_machine(tacho_request *given, const tacho_compile_choice *choice)
{
    const tacho_machine *machine = choice->request.machine;
    uint64_t cores = choice->request.compile.cores;
    const tacho_trace_sink *sink = choice->request.profile_sink;
    if (sink != NULL && sink->schedule != NULL &&
        !tacho_machine_has_timeline(machine, sink->schedule)) {
        return tacho_request_misuse(
            given, "{profile-format}: t1 and t4 are Torq timelines, but %s is not a Torq machine",
            machine->name.data);
    }
    if (choice->request.compile.estimate.cost.is_eager && !tacho_machine_is_gpu(machine)) {
        return tacho_request_misuse(given, "{eager} has no effect on %s: it is no GPU",
                                    machine->name.data);
    }
    if (choice->request.compile.estimate.cost.is_tuned &&
        !tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        return tacho_request_misuse(given, "{tuned} has no effect on %s, which has a single tuning",
                                    machine->name.data);
    }
    if (cores > 0 && choice->grid != NULL) {
        return tacho_request_misuse(given, "use either {cores} or {grid}, not both");
    }
    if (choice->recipe != NULL && choice->events != NULL) {
        return tacho_request_misuse(given, "use either {%s} or {%s}, not both",
                                    NAME_OF(given, recipe), NAME_OF(given, events));
    }
    return tacho_request_number(given, NAME_OF(given, request.compile.cores), 1,
                                tacho_machine_cores(machine), &cores)
               ? TACHO_OUTCOME_DONE
               : TACHO_OUTCOME_USAGE;
}

/* ---- what the program records -------------------------------------------------------------- */

static const char *counters_option(tacho_request *given, const tacho_compile_choice *choice)
{
    return choice->recipe != NULL ? NAME_OF(given, recipe) : NAME_OF(given, events);
}

/* Counters and traffic need level 40. */
static int check_stats(tacho_request *given, const tacho_compile_choice *choice)
{
    const tacho_stats_config *stats = &choice->request.compile.stats;
    const tacho_machine *machine = choice->request.machine;
    const char *which = stats->counts_ddr != 0 ? NAME_OF(given, request.compile.stats.counts_ddr)
                        : stats->pmu_event_count > 0 ? counters_option(given, choice)
                                                     : NULL;
    if (which != NULL && stats->level < TACHO_STATS_LEVEL_DEFAULT) {
        return tacho_request_misuse(given, "{%s} needs {%s} of %d or more, not %u", which,
                                    NAME_OF(given, request.compile.stats.level),
                                    TACHO_STATS_LEVEL_DEFAULT, stats->level);
    }
    if (stats->pmu_event_count > 0 && machine->counter_count == 0) {
        return tacho_request_misuse(given, "{%s}: no counters are known for %s",
                                    counters_option(given, choice), machine->name.data);
    }
    return TACHO_OUTCOME_DONE;
}

static void say_counters(tacho_request *given, const tacho_compile_choice *choice)
{
    const tacho_stats_config *stats = &choice->request.compile.stats;
    const tacho_machine *machine = choice->request.machine;
    for (uint32_t i = 0; i < stats->pmu_event_count && choice->recipe == NULL; i++) {
        if (tacho_machine_counter_find(machine, stats->pmu_events[i]) == NULL) {
            tacho_request_note(given, "note", "{%s}: event %X is not a known event of %s",
                               NAME_OF(given, events), stats->pmu_events[i], machine->name.data);
        }
    }
    if (stats->level >= TACHO_STATS_LEVEL_OP_PMU && stats->pmu_event_count == 0 &&
        machine->counter_count > 0) {
        tacho_request_note(
            given, "note",
            "{%s} %u records counters per operator, but no events are given; use {%s} or "
            "{%s}",
            NAME_OF(given, request.compile.stats.level), stats->level, NAME_OF(given, recipe),
            NAME_OF(given, events));
    }
}

/* What a program records does not matter if it is not kept. */
static void say_unused(tacho_request *given, const tacho_compile_choice *choice)
{
    const char *const names[] = {NAME_OF(given, request.compile.stats.level),
                                 NAME_OF(given, request.compile.stats.batch_size),
                                 NAME_OF(given, request.compile.stats.counts_ddr),
                                 NAME_OF(given, recipe), NAME_OF(given, events)};
    for (size_t i = 0; choice->request.program_path == NULL && i < sizeof(names) / sizeof(names[0]);
         i++) {
        if (tacho_request_has(given, names[i])) {
            tacho_request_note(given, "note",
                               "{%s} has no effect without a program; use {o|output} FILE.bin",
                               names[i]);
        }
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

int tacho_compile_choose(tacho_request *given, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    tacho_machine *machine = NULL;
    int outcome = tacho_compile_choose_sizes(given, &choice->arena, &request->model);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    tacho_status status = find_machine(given, choice, &machine);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    request->machine = choice->found = machine;
    default_to_torq(choice);
    outcome = check_machine(given, choice);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = choose_texts(given, choice);
    }
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = check_stats(given, choice);
    }
    if (outcome == TACHO_OUTCOME_DONE && !request->is_quiet) {
        say_counters(given, choice);
        say_unused(given, choice);
    }
    tacho_machine_use_cores(machine, request->compile.cores);
    request->compile.bytes_max = choice->is_forced ? UINT64_MAX : 0;
    return outcome;
}

int tacho_compile_with(tacho_request *given, const tacho_compile_choice *defaults,
                       int (*compile)(tacho_request *given, tacho_compile_choice *choice))
{
    tacho_compile_choice choice = *defaults;
    choice.request.compile.stats.level = TACHO_STATS_LEVEL_DEFAULT;
    choice.request.compile.stats.batch_size = 1;
    tacho_arena_init(&choice.arena);
    int outcome = tacho_request_filter_open(&choice.filter, given, &choice.request.table.filter);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome =
            tacho_request_fill(given, &choice) ? compile(given, &choice) : TACHO_OUTCOME_USAGE;
    }
    tacho_text_filter_close(&choice.filter);
    tacho_arena_deinit(&choice.arena);
    return outcome;
}

static void say_rest(const tacho_request *given, const tacho_compile_request *request,
                     size_t op_count)
{
    size_t top = request->table.top;
    bool is_listed = request->output_path != NULL || request->keeper != NULL;
    if (is_listed && top > 0 && top < op_count && !request->is_quiet) {
        tacho_request_note(given, "note", "%zu more operator%s; {top} 0 shows all", op_count - top,
                           op_count - top == 1 ? "" : "s");
    }
}

/* An estimate may guess; a program that lacks a kernel does not run everywhere. */
int tacho_compile_run_chosen(tacho_request *given, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    tacho_compile_result result = {0};
    request->notes = &given->notes;
    request->keeper = given->listener.output == NULL ? &given->keeper : NULL;
    tacho_status status = tacho_compile_run(request, &result);
    if (status != TACHO_OK) {
        return tacho_request_fail(given,
                                  tacho_request_note_no_model(given, status, request->model_path));
    }
    say_rest(given, request, result.op_count);
    return result.unknown_count > 0 && request->program_path != NULL ? TACHO_OUTCOME_LOSSY
                                                                     : TACHO_OUTCOME_DONE;
}
