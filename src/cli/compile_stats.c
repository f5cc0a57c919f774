/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level, batch size, DDR traffic and counters. Counters and traffic need level 40; a recipe and
 * events of one's own exclude each other.
 */
#include "cli/compile_stats.h"

#include "cli/talk.h"
#include "program/networkdesc.h"
#include "program/pmu.h"

#include <stdio.h>

static bool parse_count(const tacho_arguments *arguments, const char *name, uint64_t least,
                        uint64_t most, uint32_t *value)
{
    const char *text = tacho_arguments_value(arguments, name);
    uint64_t count = 0;
    if (text == NULL) {
        return true;
    }
    if (!tacho_str_parse_u64(tacho_str_from_cstring(text), &count) || count < least ||
        count > most) {
        tacho_command_misuse(arguments->command,
                             "%s%s: '%s' is not a whole number from %llu to %llu",
                             tacho_command_dashes(arguments->command), name, text,
                             (unsigned long long)least, (unsigned long long)most);
        return false;
    }
    *value = (uint32_t)count;
    return true;
}

/* ---- counters ------------------------------------------------------------------------------ */

static bool choose_recipe(const tacho_arguments *arguments, const char *option,
                          tacho_stats_config *stats, const char **out_recipe)
{
    const char *name = tacho_arguments_value(arguments, option);
    if (name == NULL) {
        return true;
    }
    const tacho_pmu_recipe *recipe = tacho_pmu_recipe_find(tacho_str_from_cstring(name));
    if (recipe == NULL) {
        char names[128] = "";
        for (size_t i = 0; tacho_pmu_recipe_at(i) != NULL; i++) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                     tacho_pmu_recipe_at(i)->name);
        }
        tacho_command_misuse(arguments->command, "%s%s: unknown value '%s'; use one of %s",
                             tacho_command_dashes(arguments->command), option, name, names);
        return false;
    }
    memcpy(stats->pmu_events, recipe->events, sizeof(stats->pmu_events));
    stats->pmu_event_count = recipe->event_count;
    *out_recipe = recipe->name;
    return true;
}

static bool has_event(const tacho_stats_config *stats, uint16_t code)
{
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        if (stats->pmu_events[i] == code) {
            return true;
        }
    }
    return false;
}

static bool choose_events(const tacho_arguments *arguments, const char *option,
                          tacho_stats_config *stats)
{
    const char *list = tacho_arguments_value(arguments, option);
    const char *dashes = tacho_command_dashes(arguments->command);
    tacho_str rest = tacho_str_from_cstring(list != NULL ? list : "");
    for (bool is_last = list == NULL; !is_last;) {
        size_t comma = tacho_str_find_byte(rest, ',');
        tacho_str item = tacho_str_trim(tacho_str_make(rest.data, comma));
        is_last = comma == rest.len;
        rest = tacho_str_from(rest, is_last ? comma : comma + 1);
        if (stats->pmu_event_count == TACHO_PMU_EVENTS_MAX) {
            tacho_command_misuse(arguments->command,
                                 "%s%s: cores count at most %d events at a time", dashes, option,
                                 TACHO_PMU_EVENTS_MAX);
            return false;
        }
        uint64_t code = 0;
        if (!tacho_str_parse_hex(item, &code) || code > UINT16_MAX) {
            tacho_command_misuse(arguments->command,
                                 "%s%s: invalid event '%.*s'; expected hexadecimal codes up to "
                                 "FFFF such as 3F,70,200",
                                 dashes, option, TACHO_STR_ARG(item));
            return false;
        }
        if (has_event(stats, (uint16_t)code)) {
            tacho_command_misuse(arguments->command, "%s%s: event %X is given twice", dashes,
                                 option, (unsigned)code);
            return false;
        }
        stats->pmu_events[stats->pmu_event_count++] = (uint16_t)code;
    }
    return true;
}

bool tacho_compile_check_counters(const tacho_arguments *arguments,
                                  const tacho_stats_options *options, const tacho_machine *machine,
                                  const tacho_stats_config *stats, bool is_quiet)
{
    const char *dashes = tacho_command_dashes(arguments->command);
    bool is_recipe = tacho_arguments_has(arguments, options->recipe);
    char text[256];
    if (stats->pmu_event_count > 0 && machine->counter_count == 0) {
        tacho_command_misuse(arguments->command, "%s%s: no counters are known for %s", dashes,
                             is_recipe ? options->recipe : options->events, machine->name.data);
        return false;
    }
    for (uint32_t i = 0; i < stats->pmu_event_count && !is_recipe && !is_quiet; i++) {
        if (tacho_machine_counter_find(machine, stats->pmu_events[i]) == NULL) {
            snprintf(text, sizeof(text), "%s%s: event %X is not a known event of %.80s", dashes,
                     options->events, stats->pmu_events[i], machine->name.data);
            tacho_talk_line("note", text);
        }
    }
    if (stats->level >= TACHO_STATS_LEVEL_OP_PMU && stats->pmu_event_count == 0 &&
        machine->counter_count > 0 && !is_quiet) {
        snprintf(text, sizeof(text),
                 "%s%s %u records counters per operator, but no events are given; use %s%s or %s%s",
                 dashes, options->level, stats->level, dashes, options->recipe, dashes,
                 options->events);
        tacho_talk_line("note", text);
    }
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bool check_level(const tacho_arguments *arguments, const tacho_stats_options *options,
                        const tacho_stats_config *stats)
{
    const char *dashes = tacho_command_dashes(arguments->command);
    const char *which = stats->counts_ddr != 0                            ? options->ddr
                        : stats->pmu_event_count == 0                     ? NULL
                        : tacho_arguments_has(arguments, options->recipe) ? options->recipe
                                                                          : options->events;
    if (which == NULL || stats->level >= TACHO_STATS_LEVEL_DEFAULT) {
        return true;
    }
    tacho_command_misuse(arguments->command, "%s%s needs %s%s of %d or more, not %u", dashes, which,
                         dashes, options->level, TACHO_STATS_LEVEL_DEFAULT, stats->level);
    return false;
}

bool tacho_compile_choose_stats(const tacho_arguments *arguments,
                                const tacho_stats_options *options, tacho_stats_config *out_stats,
                                const char **out_recipe)
{
    const char *dashes = tacho_command_dashes(arguments->command);
    *out_stats = (tacho_stats_config){.level = TACHO_STATS_LEVEL_DEFAULT, .batch_size = 1};
    *out_recipe = NULL;
    if (tacho_arguments_has(arguments, options->recipe) &&
        tacho_arguments_has(arguments, options->events)) {
        tacho_command_misuse(arguments->command, "use either %s%s or %s%s, not both", dashes,
                             options->recipe, dashes, options->events);
        return false;
    }
    out_stats->counts_ddr = tacho_arguments_has(arguments, options->ddr) ? 1 : 0;
    return parse_count(arguments, options->level, 0, TACHO_STATS_LEVEL_MAX, &out_stats->level) &&
           parse_count(arguments, options->batch_size, 1, UINT32_MAX, &out_stats->batch_size) &&
           choose_recipe(arguments, options->recipe, out_stats, out_recipe) &&
           choose_events(arguments, options->events, out_stats) &&
           check_level(arguments, options, out_stats);
}
