/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts to options of the compiler.
 */
#include "session/compile_spec.h"

#include "base/text.h"
#include "compile/schedule.h"
#include "program/pmu.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAMES_BYTES = 256 };

/* Adds |name| to a list "a, b". */
static void add_name(char names[NAMES_BYTES], const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, NAMES_BYTES - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Takes what is before the next comma off |rest|; false when nothing is left. */
static bool next_item(tacho_str *rest, bool *is_last, tacho_str *out_item)
{
    if (*is_last) {
        return false;
    }
    size_t comma = tacho_str_find_byte(*rest, ',');
    *out_item = tacho_str_make(rest->data, comma);
    *is_last = comma == rest->len;
    *rest = tacho_str_from(*rest, *is_last ? comma : comma + 1);
    return true;
}

/* ---- the model ----------------------------------------------------------------------------- */

tacho_status tacho_spec_weights(const char *text, tacho_model_options *model)
{
    const tacho_str prefix = TACHO_STR("random:");
    tacho_str value = tacho_str_from_cstring(text);
    model->has_zero_weights = tacho_str_equal(value, TACHO_STR("zeros"));
    model->has_random_weights =
        tacho_str_starts_with(value, prefix) &&
        tacho_str_parse_u64(tacho_str_from(value, prefix.len), &model->seed);
    return model->has_random_weights || model->has_zero_weights
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "'%s' is neither random:SEED with a whole number nor zeros", text);
}

size_t tacho_spec_dim_count(const char *text)
{
    size_t count = 1;
    for (; *text != '\0'; text++) {
        count += *text == 'x' ? 1 : 0; /* each is between two sizes */
    }
    return count;
}

static bool parse_size(tacho_str text, int64_t *out_size)
{
    uint64_t value = 0;
    bool is_good = tacho_str_parse_u64(text, &value) && value <= INT32_MAX;
    *out_size = (int64_t)value;
    return is_good;
}

/* The name of dimension |i| of an input. */
static tacho_status name_place(tacho_str input, uint32_t i, tacho_arena *arena, tacho_str *out_name)
{
    size_t room = input.len + 16;
    char *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, room, (void **)&memory));
    int len = snprintf(memory, room, "%.*s.%" PRIu32, TACHO_STR_ARG(input), i);
    *out_name = tacho_str_make(memory, (size_t)len);
    return TACHO_OK;
}

static tacho_status refuse_dim(const char *text, char separator)
{
    return tacho_fail(TACHO_CODE_USAGE,
                      "invalid dimension '%s'; expected NAME%cN such as batch%c4, or the sizes of "
                      "an input such as x%c1x3x224x224, each at most 2147483647",
                      text, separator, separator, separator);
}

tacho_status tacho_spec_dim(const char *text, char separator, tacho_arena *arena,
                            tacho_model_options *model, tacho_model_dim *dims)
{
    tacho_str all = tacho_str_from_cstring(text);
    size_t at = tacho_str_find_byte(all, separator);
    tacho_str name = tacho_str_make(all.data, at);
    tacho_str sizes = tacho_str_from(all, at < all.len ? at + 1 : at);
    bool is_list = tacho_str_find_byte(sizes, 'x') < sizes.len;
    bool is_last = at == 0 || at == all.len;
    if (is_last) {
        return refuse_dim(text, separator);
    }
    for (uint32_t i = 0; !is_last; i++) {
        size_t len = tacho_str_find_byte(sizes, 'x');
        tacho_model_dim *dim = &dims[model->dim_count++];
        dim->name = name;
        TACHO_TRY(is_list ? name_place(name, i, arena, &dim->name) : TACHO_OK);
        if (!parse_size(tacho_str_make(sizes.data, len), &dim->value)) {
            return refuse_dim(text, separator);
        }
        is_last = len == sizes.len;
        sizes = tacho_str_from(sizes, is_last ? len : len + 1);
    }
    return TACHO_OK;
}

tacho_status tacho_spec_bind(const char *text, tacho_model_options *model, tacho_model_bind *binds)
{
    tacho_str all = tacho_str_from_cstring(text);
    size_t at = tacho_str_find_byte(all, '=');
    tacho_model_bind bind = {tacho_str_make(all.data, at), TACHO_STR("")};
    if (at == 0 || at + 1 >= all.len) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "no value in '%s'; expected NAME=VALUE such as rate=16000", text);
    }
    if (tacho_model_find_bind(model, bind.name) != NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "'%.*s' is given twice", TACHO_STR_ARG(bind.name));
    }
    bind.values = tacho_str_from(all, at + 1);
    binds[model->bind_count++] = bind;
    return TACHO_OK;
}

/* ---- the machine --------------------------------------------------------------------------- */

tacho_status tacho_spec_dtype(const char *text, tacho_cost_options *cost)
{
    char names[NAMES_BYTES] = "";
    tacho_dtype dtype = tacho_dtype_find(tacho_str_from_cstring(text));
    if (dtype != TACHO_DTYPE_NONE && tacho_dtype_kind_of(dtype) != TACHO_DTYPE_OTHER) {
        cost->compute = dtype;
        return TACHO_OK;
    }
    for (int i = 0; i < TACHO_DTYPE_COUNT; i++) {
        if (tacho_dtype_kind_of((tacho_dtype)i) != TACHO_DTYPE_OTHER) {
            add_name(names, tacho_dtype_name((tacho_dtype)i));
        }
    }
    return tacho_fail(TACHO_CODE_USAGE, "unknown type '%s'; use one of %s", text, names);
}

tacho_status tacho_spec_fidelity(const char *text, const tacho_machine *machine,
                                 tacho_cost_options *cost)
{
    char names[NAMES_BYTES] = "";
    if (machine->fidelity_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%s has a single fidelity", machine->name.data);
    }
    cost->fidelity = tacho_machine_fidelity_find(machine, tacho_str_from_cstring(text));
    if (cost->fidelity != 0) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < machine->fidelity_count; i++) {
        add_name(names, machine->fidelities[i].name.data);
    }
    return tacho_fail(TACHO_CODE_USAGE, "unknown value '%s'; %s has %s", text, machine->name.data,
                      names);
}

tacho_status tacho_spec_grid(const char *text, const tacho_machine *machine,
                             tacho_cost_options *cost)
{
    tacho_str all = tacho_str_from_cstring(text);
    size_t by = tacho_str_find_byte(all, 'x');
    uint64_t x = 0;
    uint64_t y = 0;
    uint64_t most_x = (uint64_t)tacho_quantity_whole(&machine->grid_x);
    uint64_t most_y = (uint64_t)tacho_quantity_whole(&machine->grid_y);
    if (most_x * most_y <= 1) {
        return tacho_fail(TACHO_CODE_USAGE, "%s has a single core", machine->name.data);
    }
    if (tacho_machine_is_gpu(machine)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the multiprocessors of %s do not form a grid; give the number of cores "
                          "instead",
                          machine->name.data);
    }
    if (by == all.len || !tacho_str_parse_u64(tacho_str_make(all.data, by), &x) ||
        !tacho_str_parse_u64(tacho_str_from(all, by + 1), &y) || x == 0 || y == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "invalid grid '%s'; expected XxY such as 8x8", text);
    }
    if (x > most_x || y > most_y) {
        return tacho_fail(TACHO_CODE_USAGE, "%s has %" PRIu64 "x%" PRIu64 " cores, not %s",
                          machine->name.data, most_x, most_y, text);
    }
    cost->grid_x = (uint32_t)x;
    cost->grid_y = (uint32_t)y;
    return TACHO_OK;
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

tacho_status tacho_spec_places(const char *text, const tacho_machine *machine,
                               tacho_place_choice places[TACHO_OPERAND_ROLE_COUNT])
{
    if (tacho_machine_memory(machine, TACHO_MEMORY_LOCAL) == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "%s has no local memory", machine->name.data);
    }
    if (tacho_machine_is_gpu(machine)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "operands of %s are in L2 or HBM by their size; only machines with a "
                          "mesh, such as wormhole-n150, leave their place open",
                          machine->name.data);
    }
    tacho_str rest = tacho_str_from_cstring(text);
    bool is_last = false;
    for (tacho_str item; next_item(&rest, &is_last, &item);) {
        place_item taken = parse_place(item, places);
        if (taken == PLACE_TWICE) {
            return tacho_fail(TACHO_CODE_USAGE, "'%s' places an operand twice", text);
        }
        if (taken == PLACE_BAD) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "invalid list '%s'; expected a list such as in0=l1,in1=dram,out=l1",
                              text);
        }
    }
    /* Where a schedule says what stays, nothing else can. */
    return !tacho_schedule_is_tiled(machine)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "%s works in tiles, and its schedule decides what stays in local "
                            "memory; only machines with a mesh, such as wormhole-n150, leave it "
                            "open",
                            machine->name.data);
}

/* ---- what the program records -------------------------------------------------------------- */

tacho_status tacho_spec_recipe(const char *text, tacho_stats_config *stats, tacho_str *out_name)
{
    const tacho_pmu_recipe *recipe = tacho_pmu_recipe_find(tacho_str_from_cstring(text));
    char names[NAMES_BYTES] = "";
    if (recipe != NULL) {
        memcpy(stats->pmu_events, recipe->events, sizeof(stats->pmu_events));
        stats->pmu_event_count = recipe->event_count;
        *out_name = tacho_str_from_cstring(recipe->name);
        return TACHO_OK;
    }
    for (size_t i = 0; tacho_pmu_recipe_at(i) != NULL; i++) {
        add_name(names, tacho_pmu_recipe_at(i)->name);
    }
    return tacho_fail(TACHO_CODE_USAGE, "unknown value '%s'; use one of %s", text, names);
}

static bool has_event(const tacho_stats_config *stats, uint64_t code)
{
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        if (stats->pmu_events[i] == code) {
            return true;
        }
    }
    return false;
}

tacho_status tacho_spec_events(const char *text, tacho_stats_config *stats)
{
    tacho_str rest = tacho_str_from_cstring(text);
    bool is_last = false;
    for (tacho_str item; next_item(&rest, &is_last, &item);) {
        uint64_t code = 0;
        if (stats->pmu_event_count == TACHO_PMU_EVENTS_MAX) {
            return tacho_fail(TACHO_CODE_USAGE, "cores count at most %d events at a time",
                              TACHO_PMU_EVENTS_MAX);
        }
        item = tacho_str_trim(item);
        if (!tacho_str_parse_hex(item, &code) || code > UINT16_MAX) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "invalid event '%.*s'; expected hexadecimal codes up to FFFF such as "
                              "3F,70,200",
                              TACHO_STR_ARG(item));
        }
        if (has_event(stats, code)) {
            return tacho_fail(TACHO_CODE_USAGE, "event %X is given twice", (unsigned)code);
        }
        stats->pmu_events[stats->pmu_event_count++] = (uint16_t)code;
    }
    return TACHO_OK;
}
