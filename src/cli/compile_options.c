/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of tacho compile that need a machine to be understood, and those about outputs.
 */
#include "cli/compile_options.h"

#include "cli/common_options.h"

#include "session/find_machine.h"
#include "cli/listing.h"
#include "sinks/table_sink.h"
#include "cli/talk.h"
#include "compile/schedule.h"

#include <inttypes.h>
#include <stdio.h>

enum { DEVICES_MAX = 64, BATCH_MAX = 65536 };

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- the model ----------------------------------------------------------------------------- */

bool tacho_compile_choose_weights(const tacho_arguments *arguments, tacho_model_options *model)
{
    const char *value = tacho_arguments_value(arguments, "weights");
    if (value == NULL) {
        return true;
    }
    tacho_str text = tacho_str_from_cstring(value);
    const tacho_str prefix = TACHO_STR("random:");
    model->has_random_weights = true;
    if (!tacho_str_starts_with(text, prefix) ||
        !tacho_str_parse_u64(tacho_str_from(text, prefix.len), &model->seed)) {
        tacho_command_misuse(arguments->command,
                             "--weights: '%s' is not random:SEED with a whole number", value);
        return false;
    }
    return true;
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
        char names[256] = "";
        for (int i = 0; i < TACHO_DTYPE_COUNT; i++) {
            size_t used = strlen(names);
            if (tacho_dtype_kind_of((tacho_dtype)i) != TACHO_DTYPE_OTHER) {
                snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                         tacho_dtype_name((tacho_dtype)i));
            }
        }
        tacho_command_misuse(arguments->command, "--dtype: unknown type '%s'; use one of %s", value,
                             names);
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
        tacho_command_misuse(arguments->command, "--fidelity: %s has a single fidelity",
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
        tacho_command_misuse(arguments->command, "--fidelity: unknown value '%s'; %s has %s", value,
                             machine->name.data, names);
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
                             "--grid: invalid grid '%s'; expected XxY such as 8x8", value);
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

typedef enum place_item { PLACE_TAKEN, PLACE_TWICE, PLACE_BAD } place_item;

/* "in0=dram". */
static place_item parse_place(tacho_str item, tacho_place_choice *places)
{
    static const char *const roles[] = {"in0", "in1", "out"};
    size_t equals = tacho_str_find_byte(item, '=');
    if (equals == item.len) {
        return PLACE_BAD;
    }
    tacho_str role = tacho_str_make(item.data, equals);
    tacho_str place = tacho_str_from(item, equals + 1);
    bool is_ddr =
        tacho_str_equal(place, TACHO_STR("dram")) || tacho_str_equal(place, TACHO_STR("ddr"));
    bool is_local =
        tacho_str_equal(place, TACHO_STR("l1")) || tacho_str_equal(place, TACHO_STR("local"));
    for (size_t i = 0; i < TACHO_OPERAND_ROLE_COUNT && (is_ddr || is_local); i++) {
        if (tacho_str_equal(role, tacho_str_from_cstring(roles[i]))) {
            bool is_first = places[i] == TACHO_PLACE_AS_FITS;
            places[i] = is_ddr ? TACHO_PLACE_ALWAYS_DDR : TACHO_PLACE_ALWAYS_LOCAL;
            return is_first ? PLACE_TAKEN : PLACE_TWICE;
        }
    }
    return PLACE_BAD;
}

static bool choose_places(const tacho_arguments *arguments, const tacho_machine *machine,
                          tacho_place_choice *places)
{
    const char *value = tacho_arguments_value(arguments, "place");
    if (value == NULL) {
        return true;
    }
    if (tacho_machine_memory(machine, TACHO_MEMORY_LOCAL) == NULL) {
        tacho_command_misuse(arguments->command, "--place: %s has no local memory",
                             machine->name.data);
        return false;
    }
    tacho_str rest = tacho_str_from_cstring(value);
    for (bool is_last = false; !is_last;) {
        size_t comma = tacho_str_find_byte(rest, ',');
        is_last = comma == rest.len;
        place_item item = parse_place(tacho_str_make(rest.data, comma), places);
        if (item != PLACE_TAKEN) {
            tacho_command_misuse(
                arguments->command,
                item == PLACE_TWICE
                    ? "--place: '%s' places an operand twice"
                    : "--place: invalid list '%s'; expected a list such as in0=l1,in1=dram,out=l1",
                value);
            return false;
        }
        rest = tacho_str_from(rest, is_last ? comma : comma + 1);
    }
    if (tacho_schedule_is_tiled(machine)) { /* the schedule says what stays, and nothing else can */
        tacho_command_misuse(
            arguments->command,
            "--place: %s works in tiles, and its schedule decides what stays in local memory; omit "
            "the option or choose a machine with a mesh (-m wormhole-n150)",
            machine->name.data);
        return false;
    }
    return true;
}

/* Choices that only some machines have. */
static bool check_machine(const tacho_arguments *arguments, const tacho_machine *machine,
                          const tacho_compile_request *request)
{
    if (request->is_torq_profile && !tacho_machine_has_timeline(machine, "torq")) {
        tacho_command_misuse(
            arguments->command,
            "--profile-format: t1 and t4 are Torq timelines, but %s is not a Torq machine",
            machine->name.data);
        return false;
    }
    if (tacho_arguments_has(arguments, "tuned") &&
        !tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        tacho_command_misuse(arguments->command,
                             "--tuned has no effect on %s, which has a single tuning",
                             machine->name.data);
        return false;
    }
    return true;
}

/* A .csv of such a machine is a timeline that every verb reads. */
static void default_to_torq(const tacho_arguments *arguments, tacho_compile_request *request)
{
    const tacho_trace_sink *sink = request->profile_sink;
    if (sink != NULL && same(sink->name, "csv") &&
        !tacho_arguments_has(arguments, "profile-format") &&
        tacho_machine_has_timeline(request->machine, "torq")) {
        request->profile_sink = NULL;
        request->is_torq_profile = true;
        request->torq_form = TACHO_TORQ_T1;
    }
}

int tacho_compile_choose_machine(const tacho_arguments *arguments, tacho_arena *arena,
                                 tacho_machine **out_machine, tacho_compile_request *request)
{
    const char *name = tacho_arguments_value(arguments, "machine");
    const char *hardware = tacho_arguments_value(arguments, "torq-hw");
    tacho_machine *machine = NULL;
    tacho_status status = tacho_session_find_machine(name != NULL ? name : TACHO_DEFAULT_MACHINE,
                                                     &tacho_talk_notes, arena, &machine);
    if (status == TACHO_OK && hardware != NULL) {
        status = tacho_machine_torq_hw(machine, hardware, arena);
    }
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    request->machine = machine;
    *out_machine = machine;
    default_to_torq(arguments, request);
    tacho_cost_options *cost = &request->compile.estimate.cost;
    cost->is_tuned = tacho_arguments_has(arguments, "tuned");
    bool is_good = check_machine(arguments, machine, request) && choose_dtype(arguments, cost) &&
                   choose_fidelity(arguments, machine, cost) &&
                   choose_grid(arguments, machine, cost) &&
                   choose_places(arguments, machine, request->compile.estimate.places);
    request->compile.hardware = tacho_str_from_cstring(hardware != NULL ? hardware : "");
    return is_good ? 0 : TACHO_EXIT_USAGE;
}

/* ---- the program --------------------------------------------------------------------------- */

/* A whole number from 1 on; 0 when the option is absent. */
static bool choose_count(const tacho_arguments *arguments, const char *option, uint64_t most,
                         uint32_t *out_count)
{
    const char *value = tacho_arguments_value(arguments, option);
    uint64_t count = 0;
    *out_count = 0;
    if (value == NULL) {
        return true;
    }
    if (!tacho_str_parse_u64(tacho_str_from_cstring(value), &count) || count == 0 || count > most) {
        tacho_command_misuse(arguments->command, "%s%s: '%s' is not a number from 1 to %llu",
                             tacho_command_dashes(arguments->command), option, value,
                             (unsigned long long)most);
        return false;
    }
    *out_count = (uint32_t)count;
    return true;
}

static bool choose_counts(const tacho_arguments *arguments, const tacho_compile_names *names,
                          tacho_compile_request *request)
{
    tacho_compile_options *compile = &request->compile;
    uint64_t core_count = tacho_machine_cores(request->machine);
    if (tacho_arguments_has(arguments, names->cores) && tacho_arguments_has(arguments, "grid")) {
        tacho_command_misuse(arguments->command, "use either --cores or --grid, not both");
        return false;
    }
    return choose_count(arguments, names->cores, core_count, &compile->cores) &&
           choose_count(arguments, names->devices, DEVICES_MAX, &compile->devices) &&
           choose_count(arguments, names->batch, BATCH_MAX, &compile->batch);
}

/* What a program records matters to nobody when it is not kept. */
static void say_unused(const tacho_arguments *arguments, const tacho_stats_options *stats)
{
    const char *const all[] = {stats->level, stats->batch_size, stats->ddr, stats->recipe,
                               stats->events};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (tacho_arguments_has(arguments, all[i])) {
            char text[160];
            snprintf(text, sizeof(text), "%s%s has no effect without a program; use -o FILE.bin",
                     tacho_command_dashes(arguments->command), all[i]);
            tacho_talk_line("note", text);
        }
    }
}

bool tacho_compile_choose_program(const tacho_arguments *arguments,
                                  const tacho_compile_names *names, tacho_compile_request *request)
{
    tacho_compile_options *compile = &request->compile;
    const char *recipe = NULL;
    if (!choose_counts(arguments, names, request) ||
        !tacho_compile_choose_stats(arguments, &names->stats, &compile->stats, &recipe) ||
        !tacho_compile_check_counters(arguments, &names->stats, request->machine, &compile->stats,
                                      request->is_quiet)) {
        return false;
    }
    compile->pmu_recipe = tacho_str_from_cstring(recipe != NULL ? recipe : "");
    request->has_metrics = tacho_arguments_has(arguments, names->metrics);
    request->has_warnings = tacho_arguments_has(arguments, names->warnings);
    if (request->program_path == NULL && !request->is_quiet) {
        say_unused(arguments, &names->stats);
    }
    return true;
}

void tacho_compile_choose_dumps(const tacho_arguments *arguments, tacho_compile_request *request)
{
    request->dumps = (tacho_compile_dumps){
        .phases_dir = tacho_arguments_value(arguments, "dump-compilation-phases-to"),
        .debug_dir = tacho_arguments_value(arguments, "torq-debug-info"),
        .tree_dir = tacho_arguments_value(arguments, "mlir-print-ir-tree-dir"),
        .is_printed = tacho_arguments_has(arguments, "mlir-print-ir-after-all"),
        .has_profile = true,
    };
}

/* ---- the model ----------------------------------------------------------------------------- */

/* Between name and size: 0 for an option that says neither. */
static char dim_separator(const tacho_option *option)
{
    return option == NULL                             ? '\0'
           : same(option->name, "dim")                ? '='
           : same(option->name, "onnx-define-symbol") ? ','
                                                      : '\0';
}

/* Whether it is a size of a dimension; 0 may be one: of a cache that is empty yet. */
static bool parse_size(tacho_str text, int64_t *out_size)
{
    uint64_t value = 0;
    if (!tacho_str_parse_u64(text, &value) || value > INT32_MAX) {
        return false;
    }
    *out_size = (int64_t)value;
    return true;
}

/* The name of dimension |i| of an input. */
static tacho_status name_place(tacho_str input, uint32_t i, tacho_arena *arena, tacho_str *out_name)
{
    char number[16];
    size_t len = (size_t)snprintf(number, sizeof(number), ".%" PRIu32, i);
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, input.len + len, &memory));
    memcpy(memory, input.data, input.len);
    memcpy((char *)memory + input.len, number, len);
    *out_name = tacho_str_make(memory, input.len + len);
    return TACHO_OK;
}

/* "N=4", or all sizes of an input, "x=1x3x224x224", as x.0=1, x.1=3 and so on. */
static tacho_status parse_dim(const tacho_argument *item, tacho_arena *arena,
                              tacho_model_options *model, tacho_model_dim *dims, bool *out_is_good)
{
    tacho_str text = tacho_str_from_cstring(item->value);
    size_t at = tacho_str_find_byte(text, dim_separator(item->option));
    tacho_str name = tacho_str_make(text.data, at);
    tacho_str sizes = tacho_str_from(text, at < text.len ? at + 1 : at);
    bool is_list = tacho_str_find_byte(sizes, 'x') < sizes.len;
    *out_is_good = at > 0 && at < text.len;
    for (uint32_t i = 0; *out_is_good; i++) {
        size_t len = tacho_str_find_byte(sizes, 'x');
        tacho_model_dim *dim = &dims[model->dim_count++];
        dim->name = name;
        if (is_list) {
            TACHO_TRY(name_place(name, i, arena, &dim->name));
        }
        *out_is_good = parse_size(tacho_str_make(sizes.data, len), &dim->value);
        if (len == sizes.len) {
            break;
        }
        sizes = tacho_str_from(sizes, len + 1);
    }
    return TACHO_OK;
}

/* How many sizes the arguments can give: each letter x is between two. */
static size_t count_sizes(const tacho_arguments *arguments)
{
    size_t count = arguments->item_count;
    for (size_t i = 0; i < arguments->item_count; i++) {
        const char *value = arguments->items[i].value;
        for (; value != NULL && *value != '\0'; value++) {
            count += *value == 'x' ? 1 : 0;
        }
    }
    return count;
}

int tacho_compile_choose_dims(const tacho_arguments *arguments, tacho_arena *arena,
                              tacho_model_options *model)
{
    void *memory = NULL;
    tacho_status status =
        tacho_arena_alloc(arena, count_sizes(arguments) * sizeof(tacho_model_dim), &memory);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    tacho_model_dim *dims = memory;
    model->dims = dims;
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        char separator = dim_separator(item->option);
        if (separator == '\0') {
            continue;
        }
        bool is_good;
        status = parse_dim(item, arena, model, dims, &is_good);
        if (status != TACHO_OK) {
            return tacho_talk_failure(status);
        }
        if (!is_good) {
            return tacho_command_misuse(
                arguments->command,
                "%s%s: invalid dimension '%s'; expected NAME%cN such as batch%c4, or the sizes of "
                "an input such as x%c1x3x224x224, each at most 2147483647",
                tacho_command_dashes(arguments->command), item->option->name, item->value,
                separator, separator, separator);
        }
    }
    return 0;
}

static bool is_bind(const tacho_argument *item)
{
    return item->option != NULL && same(item->option->name, "bind");
}

int tacho_compile_choose_binds(const tacho_arguments *arguments, tacho_arena *arena,
                               tacho_model_options *model)
{
    void *memory = NULL;
    tacho_status status =
        tacho_arena_alloc(arena, arguments->item_count * sizeof(tacho_model_bind), &memory);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    tacho_model_bind *binds = memory;
    model->binds = binds;
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (!is_bind(item)) {
            continue;
        }
        tacho_str text = tacho_str_from_cstring(item->value);
        size_t at = tacho_str_find_byte(text, '=');
        tacho_model_bind bind = {tacho_str_make(text.data, at), TACHO_STR("")};
        bool is_good = at > 0 && at + 1 < text.len;
        if (is_good && tacho_model_find_bind(model, bind.name) != NULL) {
            return tacho_command_misuse(arguments->command, "%sbind: '%.*s' is given twice",
                                        tacho_command_dashes(arguments->command),
                                        TACHO_STR_ARG(bind.name));
        }
        if (!is_good) {
            return tacho_command_misuse(
                arguments->command,
                "%sbind: no value in '%s'; expected NAME=VALUE such as rate=16000",
                tacho_command_dashes(arguments->command), item->value);
        }
        bind.values = tacho_str_from(text, at + 1);
        binds[model->bind_count++] = bind;
    }
    return 0;
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
                             "--sort: unknown key '%s'; use order, cycles, macs, bytes or name",
                             sort);
        return false;
    }
    uint64_t count = 0;
    if (top != NULL && !tacho_str_parse_u64(tacho_str_from_cstring(top), &count)) {
        tacho_command_misuse(arguments->command, "--top: expected a number of rows, not '%s'", top);
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
            tacho_command_misuse(arguments->command, "--profile-format needs --profile FILE");
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
        tacho_command_misuse(
            arguments->command,
            format != NULL
                ? "--profile-format: unknown format '%s'; use t1, t4 or a trace format of 'tacho "
                  "help formats'"
                : "'%s' has no known trace suffix; use one such as .pb, or --profile-format FORMAT",
            format != NULL ? format : request->profile_path);
    }
    return request->profile_sink != NULL;
}

/* -o is for the tables where its suffix says so, or --format; else for the program. */
static bool choose_paths(const tacho_arguments *arguments, tacho_compile_request *request)
{
    const char *output = tacho_arguments_value(arguments, "output");
    bool is_table = output == NULL || same(output, "-") || tacho_common_format(arguments) != NULL ||
                    tacho_table_sink_find_suffix(tacho_str_from_cstring(output)) != NULL;
    request->program_path = is_table ? NULL : output;
    request->output_path = is_table && output != NULL ? output : "-";
    if (is_table) {
        return true;
    }
    tacho_str path = tacho_str_from_cstring(output);
    if (tacho_trace_sink_find_for_path(path) != NULL) {
        tacho_command_misuse(arguments->command,
                             "%s: -o takes a program or tables; did you mean --profile %s?", output,
                             output);
        return false;
    }
    if (tacho_str_ends_with(path, TACHO_STR(".html"))) {
        tacho_command_misuse(arguments->command,
                             "%s: -o takes a program or tables; for a page use --profile FILE.pb, "
                             "then 'tacho report FILE.pb -o %s'",
                             output, output);
        return false;
    }
    return true;
}

/* Nobody has checked that operands that are told where to be have room there. */
static bool check_places(const tacho_arguments *arguments, const tacho_compile_request *request)
{
    bool is_placed = tacho_arguments_has(arguments, "place");
    if (is_placed && request->program_path != NULL) {
        tacho_command_misuse(
            arguments->command,
            "--place applies to estimates only; it cannot be combined with writing the program %s",
            request->program_path);
    }
    return !is_placed || request->program_path == NULL;
}

bool tacho_compile_choose_outputs(const tacho_arguments *arguments, tacho_compile_request *request)
{
    if (!choose_paths(arguments, request)) {
        return false;
    }
    request->is_quiet = tacho_arguments_has(arguments, "quiet");
    request->table_sink = tacho_listing_choose_sink(arguments, request->output_path);
    if (request->table_sink == NULL || !choose_rows(arguments, &request->table) ||
        !choose_profile(arguments, request)) {
        return false;
    }
    request->table.is_for_people = request->table_sink == &tacho_table_sink_text;
    return check_places(arguments, request);
}
