/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho compile: how long will this network take on that machine?
 */
#include "cli/command.h"
#include "cli/compile_run.h"
#include "cli/listing.h"
#include "cli/table_sinks.h"
#include "cli/talk.h"

#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_MACHINE "torq-sl2610"

static const tacho_option options[] = {
    {"machine", 'm', false, "NAME|FILE",
     "a built-in machine, as 'tacho machine list' shows them, or a description of one "
     "(default: " DEFAULT_MACHINE ")"},
    {"dim", 0, false, "NAME=N", "the size of a dimension that the model leaves open; repeatable"},
    {"weights", 0, false, "random:SEED",
     "take seeded random weights, also where the model's are absent"},
    {"dtype", 0, false, "DTYPE",
     "keep and compute real numbers as this type: bf16, bfp8, f16 ... (default: the model's, as "
     "the "
     "machine takes it)"},
    {"fidelity", 0, false, "NAME", "how exactly to multiply, on machines that let one choose"},
    {"grid", 0, false, "XxY", "use this many cores, on machines that have a grid of them"},
    {"place", 0, false, "LIST",
     "where operands lie, whatever fits: in0=dram|l1, in1=dram|l1 (weights, or the second matrix), "
     "out=dram|l1, separated by commas"},
    {"tuned", 0, false, NULL,
     "blocks and placement as an expert would choose them, where the machine tells that apart"},
    {"torq-hw", 0, false, "SPEC", "another Torq: <id>:<lram_kb>:<slices>:<css>:<nss>[:<dma>...]"},
    {"sort", 0, false, "KEY", "order (as they run), cycles, macs, bytes or name (default: order)"},
    {"top", 0, false, "N", "the first N operators, 0 for all (default: 0)"},
    {"profile", 0, false, "FILE",
     "write the estimated timeline there; its suffix says the format: .pb, .json, .csv ..."},
    {"profile-format", 0, false, "FORMAT",
     "write that timeline as FORMAT: a trace format of 'tacho help formats', or Torq's t1 or t4"},
    TACHO_LISTING_OPTION_FORMAT,
    TACHO_LISTING_OPTION_OUTPUT,
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- the model ----------------------------------------------------------------------------- */

static bool choose_dims(const tacho_arguments *arguments, tacho_model_dim *dims,
                        tacho_compile_request *request)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (item->option == NULL || !same(item->option->name, "dim")) {
            continue;
        }
        tacho_str text = tacho_str_from_cstring(item->value);
        size_t equals = tacho_str_find_byte(text, '=');
        uint64_t value = 0;
        if (equals == 0 || equals == text.len ||
            !tacho_str_parse_u64(tacho_str_from(text, equals + 1), &value) || value == 0 ||
            value > INT32_MAX) {
            tacho_command_misuse(arguments->command,
                                 "--dim: '%s' is no dimension; expected NAME=N such as batch=4",
                                 item->value);
            return false;
        }
        dims[request->model.dim_count++] =
            (tacho_model_dim){tacho_str_make(text.data, equals), (int64_t)value};
    }
    request->model.dims = dims;
    return true;
}

static bool choose_weights(const tacho_arguments *arguments, tacho_compile_request *request)
{
    const char *value = tacho_arguments_value(arguments, "weights");
    if (value == NULL) {
        return true;
    }
    tacho_str text = tacho_str_from_cstring(value);
    const tacho_str prefix = TACHO_STR("random:");
    request->model.has_random_weights = true;
    if (!tacho_str_starts_with(text, prefix) ||
        !tacho_str_parse_u64(tacho_str_from(text, prefix.len), &request->model.seed)) {
        tacho_command_misuse(arguments->command,
                             "--weights: '%s' is not random:SEED with a whole number", value);
        return false;
    }
    return true;
}

static bool choose_model(const tacho_arguments *arguments, tacho_compile_request *request)
{
    size_t count = 0;
    const char **words = tacho_arguments_words(arguments, &count);
    request->model_path = words != NULL && count == 1 ? words[0] : NULL;
    free(words);
    if (request->model_path == NULL) {
        tacho_command_misuse(arguments->command, count == 0
                                                     ? "which model? name an .onnx or .mlir file"
                                                     : "one model at a time");
    }
    return request->model_path != NULL;
}

/* ---- the machine --------------------------------------------------------------------------- */

static bool choose_dtype(const tacho_arguments *arguments, tacho_cost_options *cost)
{
    const char *value = tacho_arguments_value(arguments, "dtype");
    if (value == NULL) {
        return true;
    }
    cost->compute = tacho_dtype_find(tacho_str_from_cstring(value));
    if (cost->compute == TACHO_DTYPE_NONE ||
        tacho_dtype_kind_of(cost->compute) == TACHO_DTYPE_OTHER) {
        tacho_command_misuse(arguments->command, "--dtype: '%s' is no type to compute in", value);
        return false;
    }
    return true;
}

static bool choose_fidelity(const tacho_arguments *arguments, const tacho_machine *machine,
                            tacho_cost_options *cost)
{
    const char *value = tacho_arguments_value(arguments, "fidelity");
    if (value == NULL) {
        return true;
    }
    if (machine->fidelity_count == 0) {
        tacho_command_misuse(arguments->command, "--fidelity: %s has none to choose from",
                             machine->name.data);
        return false;
    }
    cost->fidelity = tacho_machine_fidelity_find(machine, tacho_str_from_cstring(value));
    if (cost->fidelity == 0) {
        char names[256];
        size_t used = 0;
        names[0] = '\0';
        for (size_t i = 0; i < machine->fidelity_count && used < sizeof(names); i++) {
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                                     machine->fidelities[i].name.data);
        }
        tacho_command_misuse(arguments->command, "--fidelity: '%s' is none of those of %s: %s",
                             value, machine->name.data, names);
    }
    return cost->fidelity != 0;
}

static bool choose_grid(const tacho_arguments *arguments, const tacho_machine *machine,
                        tacho_cost_options *cost)
{
    const char *value = tacho_arguments_value(arguments, "grid");
    if (value == NULL) {
        return true;
    }
    tacho_str text = tacho_str_from_cstring(value);
    size_t by = tacho_str_find_byte(text, 'x');
    uint64_t x = 0;
    uint64_t y = 0;
    uint64_t most_x = (uint64_t)tacho_quantity_whole(&machine->grid_x);
    uint64_t most_y = (uint64_t)tacho_quantity_whole(&machine->grid_y);
    if (most_x * most_y <= 1) {
        tacho_command_misuse(arguments->command, "--grid: %s has a single core",
                             machine->name.data);
        return false;
    }
    if (by == text.len || !tacho_str_parse_u64(tacho_str_make(text.data, by), &x) ||
        !tacho_str_parse_u64(tacho_str_from(text, by + 1), &y) || x == 0 || y == 0) {
        tacho_command_misuse(arguments->command,
                             "--grid: '%s' is no grid; expected XxY such as "
                             "8x8",
                             value);
        return false;
    }
    if (x > most_x || y > most_y) {
        tacho_command_misuse(arguments->command, "--grid: %s has %llux%llu cores, not %s",
                             machine->name.data, (unsigned long long)most_x,
                             (unsigned long long)most_y, value);
        return false;
    }
    cost->grid_x = (uint32_t)x;
    cost->grid_y = (uint32_t)y;
    return true;
}

/* "in0=dram". */
static bool parse_place(tacho_str item, tacho_place_choice *places)
{
    static const char *const roles[] = {"in0", "in1", "out"};
    size_t equals = tacho_str_find_byte(item, '=');
    if (equals == item.len) {
        return false;
    }
    tacho_str role = tacho_str_make(item.data, equals);
    tacho_str place = tacho_str_from(item, equals + 1);
    bool is_ddr =
        tacho_str_equal(place, TACHO_STR("dram")) || tacho_str_equal(place, TACHO_STR("ddr"));
    bool is_local =
        tacho_str_equal(place, TACHO_STR("l1")) || tacho_str_equal(place, TACHO_STR("local"));
    for (size_t i = 0; i < TACHO_OPERAND_ROLE_COUNT && (is_ddr || is_local); i++) {
        if (tacho_str_equal(role, tacho_str_from_cstring(roles[i]))) {
            places[i] = is_ddr ? TACHO_PLACE_ALWAYS_DDR : TACHO_PLACE_ALWAYS_LOCAL;
            return true;
        }
    }
    return false;
}

static bool choose_places(const tacho_arguments *arguments, const tacho_machine *machine,
                          tacho_place_choice *places)
{
    const char *value = tacho_arguments_value(arguments, "place");
    if (value == NULL) {
        return true;
    }
    if (tacho_machine_memory(machine, TACHO_MEMORY_LOCAL) == NULL) {
        tacho_command_misuse(arguments->command, "--place: %s has no local memory to place in",
                             machine->name.data);
        return false;
    }
    tacho_str rest = tacho_str_from_cstring(value);
    for (bool is_last = false; !is_last;) {
        size_t comma = tacho_str_find_byte(rest, ',');
        is_last = comma == rest.len;
        if (!parse_place(tacho_str_make(rest.data, comma), places)) {
            tacho_command_misuse(arguments->command,
                                 "--place: '%s' says no places; expected such as "
                                 "in0=l1,in1=dram,out=l1",
                                 value);
            return false;
        }
        rest = tacho_str_from(rest, is_last ? comma : comma + 1);
    }
    return true;
}

/* 0 when it is found, else the exit code. */
static int choose_machine(const tacho_arguments *arguments, tacho_arena *arena,
                          tacho_compile_request *request)
{
    const char *name = tacho_arguments_value(arguments, "machine");
    const char *hardware = tacho_arguments_value(arguments, "torq-hw");
    tacho_machine *machine = NULL;
    tacho_status status =
        tacho_machine_find(name != NULL ? name : DEFAULT_MACHINE, arena, &machine);
    if (status == TACHO_OK && hardware != NULL) {
        status = tacho_machine_torq_hw(machine, hardware, arena);
    }
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    request->machine = machine;
    tacho_cost_options *cost = &request->estimate.cost;
    cost->is_tuned = tacho_arguments_has(arguments, "tuned");
    bool is_good = choose_dtype(arguments, cost) && choose_fidelity(arguments, machine, cost) &&
                   choose_grid(arguments, machine, cost) &&
                   choose_places(arguments, machine, request->estimate.places);
    return is_good ? 0 : TACHO_EXIT_USAGE;
}

/* ---- outputs ------------------------------------------------------------------------------- */

static bool choose_rows(const tacho_arguments *arguments, tacho_estimate_table_options *table)
{
    static const char *const keys[] = {"order", "cycles", "macs", "bytes", "name"};
    const char *sort = tacho_arguments_value(arguments, "sort");
    const char *top = tacho_arguments_value(arguments, "top");
    table->sort = sort == NULL ? TACHO_ESTIMATE_BY_ORDER : TACHO_ESTIMATE_SORT_COUNT;
    for (size_t i = 0; sort != NULL && i < TACHO_ESTIMATE_SORT_COUNT; i++) {
        table->sort = same(sort, keys[i]) ? (tacho_estimate_sort)i : table->sort;
    }
    if (table->sort == TACHO_ESTIMATE_SORT_COUNT) {
        tacho_command_misuse(arguments->command,
                             "--sort: '%s' is none of order, cycles, macs, bytes, name", sort);
        return false;
    }
    uint64_t count = 0;
    if (top != NULL && !tacho_str_parse_u64(tacho_str_from_cstring(top), &count)) {
        tacho_command_misuse(arguments->command, "--top: '%s' is not a number of rows", top);
        return false;
    }
    table->top = (size_t)count;
    return true;
}

static bool choose_profile(const tacho_arguments *arguments, tacho_compile_request *request)
{
    const char *format = tacho_arguments_value(arguments, "profile-format");
    request->profile_path = tacho_arguments_value(arguments, "profile");
    if (request->profile_path == NULL) {
        if (format != NULL) {
            tacho_command_misuse(arguments->command, "--profile-format: where to? say --profile "
                                                     "FILE");
        }
        return format == NULL;
    }
    request->is_torq_profile = format != NULL && (same(format, "t1") || same(format, "t4"));
    if (request->is_torq_profile) {
        request->torq_form = same(format, "t1") ? TACHO_TORQ_T1 : TACHO_TORQ_T4;
        return true;
    }
    tacho_str path = tacho_str_from_cstring(request->profile_path);
    request->profile_sink = format != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(format))
                                           : tacho_trace_sink_find_for_path(path);
    if (request->profile_sink == NULL) {
        tacho_command_misuse(arguments->command,
                             format != NULL ? "--profile-format: no timeline is called '%s'; there "
                                              "are t1, t4 and those of 'tacho help formats'"
                                            : "the suffix of '%s' is no trace format; use one such "
                                              "as .pb, or say --profile-format",
                             format != NULL ? format : request->profile_path);
    }
    return request->profile_sink != NULL;
}

static bool choose_outputs(const tacho_arguments *arguments, tacho_compile_request *request)
{
    const char *output = tacho_arguments_value(arguments, "output");
    request->output_path = output != NULL ? output : "-";
    request->is_quiet = tacho_arguments_has(arguments, "quiet");
    request->table_sink = tacho_listing_choose_sink(arguments, request->output_path);
    if (request->table_sink == NULL || !choose_rows(arguments, &request->table) ||
        !choose_profile(arguments, request)) {
        return false;
    }
    request->table.is_for_people = request->table_sink == &tacho_table_sink_text;
    if (request->profile_path != NULL && same(request->profile_path, request->output_path)) {
        tacho_command_misuse(arguments->command, "the table and the profile cannot both go to %s",
                             request->output_path);
        return false;
    }
    return true;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int compile_with(const tacho_arguments *arguments, tacho_model_dim *dims, tacho_arena *arena)
{
    tacho_compile_request request = {.is_quiet = false};
    if (!choose_model(arguments, &request) || !choose_dims(arguments, dims, &request) ||
        !choose_weights(arguments, &request) || !choose_outputs(arguments, &request)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = choose_machine(arguments, arena, &request);
    return exit_code != 0 ? exit_code : tacho_compile_run(&request);
}

static int compile_command_run(const tacho_arguments *arguments)
{
    tacho_model_dim *dims = calloc(arguments->item_count + 1, sizeof(*dims));
    if (dims == NULL) {
        tacho_talk_line("error", "out of memory");
        return TACHO_EXIT_FAILED;
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    int exit_code = compile_with(arguments, dims, &arena);
    tacho_arena_deinit(&arena);
    free(dims);
    return exit_code;
}

const tacho_command tacho_command_compile = {
    .name = "compile",
    .summary = "estimate a network on a machine",
    .usage = "MODEL [--machine M] [options]",
    .description =
        "Reads a network (ONNX, or MLIR of TOSA or torch-onnx), folds what is constant,\n"
        "fuses what runs as one operator, and estimates each on the machine: cycles, MACs,\n"
        "bytes by memory, how well the engines are used, how much of the work is padding,\n"
        "and what bounds it. The total is that of operators one after the other.\n"
        "\n"
        "Nothing that runs is free. Views and nodes that depend on constants alone do not\n"
        "run; the summary counts them. An operator that is not known is named in a warning\n"
        "and costed by the bytes it reads and writes; one whose shapes are not known is an\n"
        "error that names it.\n"
        "\n"
        "With --profile the timeline is written as well: a trace for a viewer and for\n"
        "'tacho overview', 'ops' and 'report', or the timeline of Torq's compiler. All of\n"
        "it is an estimate, and its origin says so.",
    .examples = "# where would the time go?\n"
                "tacho compile model.onnx --machine wormhole-n150 --sort cycles --top 20\n"
                "# a batch of 8, and the timeline for ui.perfetto.dev\n"
                "tacho compile model.onnx -m aic100 --dim N=8 --profile model.pb\n"
                "# as Torq's compiler writes it\n"
                "tacho compile add.mlir --profile timeline.csv --profile-format t1\n"
                "# a matrix product on 8x4 cores, in bfp8, all of it in local memory\n"
                "tacho compile gemm.onnx -m wormhole-n150 --grid 8x4 --dtype bfp8 --fidelity LoFi "
                "--place in0=l1,in1=l1,out=l1\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = compile_command_run,
};
