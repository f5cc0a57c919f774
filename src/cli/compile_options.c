/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices checked against the machine, in the order in which they depend on one another.
 */
#include "cli/compile_options.h"

#include "cli/file_kind.h"
#include "cli/talk.h"
#include "session/find_machine.h"

/* What the option that fills |member| is called in the table; "" where there is none. */
#define NAME_OF(arguments, member)                                                                 \
    tacho_command_option_name((arguments)->command, offsetof(tacho_compile_choice, member))

/* ---- the model ----------------------------------------------------------------------------- */

bool tacho_compile_choose_model(const tacho_arguments *arguments, tacho_compile_choice *choice)
{
    size_t count = arguments->word_count;
    choice->request.model_path = count == 1 ? arguments->words[0] : NULL;
    if (count != 1) {
        tacho_command_misuse(arguments->command, count == 0
                                                     ? "no model given; name an .onnx or .mlir file"
                                                     : "more than one model given");
    }
    return count == 1;
}

/* Options that give sizes, and what stands between a name and a size in them. */
static const struct {
    const char *option;
    char separator;
} dim_options[] = {{"dim", '='}, {"onnx-define-symbol", ','}};

static tacho_status choose_dims(const tacho_arguments *arguments, tacho_arena *arena,
                                tacho_model_options *model, const char **out_option)
{
    tacho_model_dim *dims = NULL;
    size_t room = 1;
    for (size_t i = 0; i < arguments->item_count; i++) {
        const char *value = arguments->items[i].value;
        room += value != NULL ? tacho_spec_dim_count(value) : 0;
    }
    TACHO_TRY(tacho_arena_alloc(arena, room * sizeof(*dims), (void **)&dims));
    model->dims = dims;
    for (size_t i = 0; i < sizeof(dim_options) / sizeof(dim_options[0]); i++) {
        size_t at = 0;
        *out_option = dim_options[i].option;
        for (const char *text;
             (text = tacho_arguments_next(arguments, *out_option, &at)) != NULL;) {
            TACHO_TRY(tacho_spec_dim(text, dim_options[i].separator, arena, model, dims));
        }
    }
    return TACHO_OK;
}

static tacho_status choose_binds(const tacho_arguments *arguments, tacho_arena *arena,
                                 tacho_model_options *model)
{
    tacho_model_bind *binds = NULL;
    size_t at = 0;
    TACHO_TRY(
        tacho_arena_alloc(arena, (arguments->item_count + 1) * sizeof(*binds), (void **)&binds));
    model->binds = binds;
    for (const char *text; (text = tacho_arguments_next(arguments, "bind", &at)) != NULL;) {
        TACHO_TRY(tacho_spec_bind(text, model, binds));
    }
    return TACHO_OK;
}

int tacho_compile_choose_sizes(const tacho_arguments *arguments, tacho_arena *arena,
                               tacho_model_options *model)
{
    const char *option = NULL;
    tacho_status status = choose_dims(arguments, arena, model, &option);
    int exit_code = tacho_command_check(arguments->command, option, status);
    return exit_code != TACHO_EXIT_DONE
               ? exit_code
               : tacho_command_check(arguments->command, "bind",
                                     choose_binds(arguments, arena, model));
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

static int choose_texts(const tacho_arguments *arguments, tacho_compile_choice *choice)
{
    int exit_code = TACHO_EXIT_DONE;
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]) && exit_code == TACHO_EXIT_DONE; i++) {
        const char *text = NULL;
        memcpy(&text, (const char *)choice + specs[i].member, sizeof(text));
        if (text != NULL) {
            exit_code = tacho_command_check(
                arguments->command, tacho_command_option_name(arguments->command, specs[i].member),
                specs[i].take(choice, text));
        }
    }
    return exit_code;
}

/* ---- the machine --------------------------------------------------------------------------- */

static tacho_status find_machine(tacho_compile_choice *choice, tacho_machine **out_machine)
{
    const char *name = choice->machine != NULL ? choice->machine : TACHO_DEFAULT_MACHINE;
    TACHO_TRY(tacho_session_find_machine(name, &tacho_talk_notes, &choice->arena, out_machine));
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
        request->profile_sink = NULL;
        request->is_torq_profile = true;
        request->torq_form = TACHO_TORQ_T1;
    }
}

/* Choices that only some machines have, or not both. */
static int check_machine(const tacho_arguments *arguments, const tacho_compile_choice *choice)
{
    const tacho_machine *machine = choice->request.machine;
    const char *dashes = tacho_command_dashes(arguments->command);
    uint64_t cores = choice->request.compile.cores;
    if (choice->request.is_torq_profile && !tacho_machine_has_timeline(machine, "torq")) {
        return tacho_command_misuse(
            arguments->command,
            "--profile-format: t1 and t4 are Torq timelines, but %s is not a Torq machine",
            machine->name.data);
    }
    if (choice->request.compile.estimate.cost.is_eager && !tacho_machine_is_gpu(machine)) {
        return tacho_command_misuse(arguments->command, "--eager has no effect on %s: it is no GPU",
                                    machine->name.data);
    }
    if (choice->request.compile.estimate.cost.is_tuned &&
        !tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        return tacho_command_misuse(arguments->command,
                                    "--tuned has no effect on %s, which has a single tuning",
                                    machine->name.data);
    }
    if (cores > 0 && choice->grid != NULL) {
        return tacho_command_misuse(arguments->command, "use either --cores or --grid, not both");
    }
    if (choice->recipe != NULL && choice->events != NULL) {
        return tacho_command_misuse(arguments->command, "use either %s%s or %s%s, not both", dashes,
                                    NAME_OF(arguments, recipe), dashes, NAME_OF(arguments, events));
    }
    return tacho_arguments_number(arguments, NAME_OF(arguments, request.compile.cores), 1,
                                  tacho_machine_cores(machine), &cores)
               ? TACHO_EXIT_DONE
               : TACHO_EXIT_USAGE;
}

/* ---- what the program records -------------------------------------------------------------- */

static const char *counters_option(const tacho_arguments *arguments,
                                   const tacho_compile_choice *choice)
{
    return choice->recipe != NULL ? NAME_OF(arguments, recipe) : NAME_OF(arguments, events);
}

/* Counters and traffic need level 40. */
static int check_stats(const tacho_arguments *arguments, const tacho_compile_choice *choice)
{
    const tacho_stats_config *stats = &choice->request.compile.stats;
    const tacho_machine *machine = choice->request.machine;
    const char *dashes = tacho_command_dashes(arguments->command);
    const char *which = stats->counts_ddr != 0
                            ? NAME_OF(arguments, request.compile.stats.counts_ddr)
                        : stats->pmu_event_count > 0 ? counters_option(arguments, choice)
                                                     : NULL;
    if (which != NULL && stats->level < TACHO_STATS_LEVEL_DEFAULT) {
        return tacho_command_misuse(arguments->command, "%s%s needs %s%s of %d or more, not %u",
                                    dashes, which, dashes,
                                    NAME_OF(arguments, request.compile.stats.level),
                                    TACHO_STATS_LEVEL_DEFAULT, stats->level);
    }
    if (stats->pmu_event_count > 0 && machine->counter_count == 0) {
        return tacho_command_misuse(arguments->command, "%s%s: no counters are known for %s",
                                    dashes, counters_option(arguments, choice), machine->name.data);
    }
    return TACHO_EXIT_DONE;
}

static void say_counters(const tacho_arguments *arguments, const tacho_compile_choice *choice)
{
    const tacho_stats_config *stats = &choice->request.compile.stats;
    const tacho_machine *machine = choice->request.machine;
    const char *dashes = tacho_command_dashes(arguments->command);
    for (uint32_t i = 0; i < stats->pmu_event_count && choice->recipe == NULL; i++) {
        if (tacho_machine_counter_find(machine, stats->pmu_events[i]) == NULL) {
            tacho_talk("note", "%s%s: event %X is not a known event of %s", dashes,
                       NAME_OF(arguments, events), stats->pmu_events[i], machine->name.data);
        }
    }
    if (stats->level >= TACHO_STATS_LEVEL_OP_PMU && stats->pmu_event_count == 0 &&
        machine->counter_count > 0) {
        tacho_talk("note",
                   "%s%s %u records counters per operator, but no events are given; use %s%s or "
                   "%s%s",
                   dashes, NAME_OF(arguments, request.compile.stats.level), stats->level, dashes,
                   NAME_OF(arguments, recipe), dashes, NAME_OF(arguments, events));
    }
}

/* What a program records does not matter if it is not kept. */
static void say_unused(const tacho_arguments *arguments, const tacho_compile_choice *choice)
{
    const char *const names[] = {NAME_OF(arguments, request.compile.stats.level),
                                 NAME_OF(arguments, request.compile.stats.batch_size),
                                 NAME_OF(arguments, request.compile.stats.counts_ddr),
                                 NAME_OF(arguments, recipe), NAME_OF(arguments, events)};
    for (size_t i = 0; choice->request.program_path == NULL && i < sizeof(names) / sizeof(names[0]);
         i++) {
        if (tacho_arguments_has(arguments, names[i])) {
            tacho_talk("note", "%s%s has no effect without a program; use -o FILE.bin",
                       tacho_command_dashes(arguments->command), names[i]);
        }
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

int tacho_compile_choose(const tacho_arguments *arguments, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    tacho_machine *machine = NULL;
    int exit_code = tacho_compile_choose_sizes(arguments, &choice->arena, &request->model);
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    tacho_status status = find_machine(choice, &machine);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    request->machine = choice->found = machine;
    default_to_torq(choice);
    exit_code = check_machine(arguments, choice);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = choose_texts(arguments, choice);
    }
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = check_stats(arguments, choice);
    }
    if (exit_code == TACHO_EXIT_DONE && !request->is_quiet) {
        say_counters(arguments, choice);
        say_unused(arguments, choice);
    }
    tacho_machine_use_cores(machine, request->compile.cores);
    request->compile.bytes_max = choice->is_forced ? UINT64_MAX : 0;
    return exit_code;
}

int tacho_compile_with(const tacho_arguments *arguments, const tacho_compile_choice *defaults,
                       int (*compile)(const tacho_arguments *arguments,
                                      tacho_compile_choice *choice))
{
    tacho_compile_choice choice = *defaults;
    choice.request.compile.stats.level = TACHO_STATS_LEVEL_DEFAULT;
    choice.request.compile.stats.batch_size = 1;
    tacho_arena_init(&choice.arena);
    int exit_code = tacho_cli_filter_open(&choice.filter, arguments, &choice.request.table.filter);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = tacho_arguments_fill(arguments, &choice) ? compile(arguments, &choice)
                                                             : TACHO_EXIT_USAGE;
    }
    tacho_text_filter_close(&choice.filter);
    tacho_arena_deinit(&choice.arena);
    return exit_code;
}

static void say_rest(const tacho_compile_request *request, size_t op_count)
{
    size_t top = request->table.top;
    if (request->output_path != NULL && top > 0 && top < op_count && !request->is_quiet) {
        tacho_talk("note", "%zu more operator%s; --top 0 shows all", op_count - top,
                   op_count - top == 1 ? "" : "s");
    }
}

/* An estimate may guess; a program that lacks a kernel does not run everywhere. */
int tacho_compile_run_chosen(tacho_compile_choice *choice, const tacho_hint_dialect *dialect)
{
    tacho_compile_request *request = &choice->request;
    tacho_compile_result result = {0};
    request->notes = &tacho_talk_notes;
    tacho_status status = tacho_compile_run(request, &result);
    if (status != TACHO_OK) {
        return tacho_talk_failure_in(dialect, tacho_cli_note_no_model(status, request->model_path));
    }
    say_rest(request, result.op_count);
    return result.unknown_count > 0 && request->program_path != NULL ? TACHO_EXIT_LOSSY
                                                                     : TACHO_EXIT_DONE;
}
