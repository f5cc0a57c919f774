/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, lists and devices of command lines that run programs.
 */
#include "cli/run_options.h"

#include "base/grow.h"
#include "cli/talk.h"

#include <stdio.h>
#include <stdlib.h>

bool tacho_run_choose_count(const tacho_arguments *arguments, const char *option, uint64_t least,
                            uint64_t most, uint64_t *value)
{
    const char *text = tacho_arguments_value(arguments, option);
    uint64_t count = 0;
    if (text == NULL) {
        return true;
    }
    if (!tacho_str_parse_u64(tacho_str_from_cstring(text), &count) || count < least ||
        count > most) {
        tacho_command_misuse(arguments->command,
                             "--%s: '%s' is not a whole number from %llu to %llu", option, text,
                             (unsigned long long)least, (unsigned long long)most);
        return false;
    }
    *value = count;
    return true;
}

const char **tacho_run_choose_list(const tacho_arguments *arguments, const char *option,
                                   size_t *out_count)
{
    const char **list = tacho_items_alloc(arguments->item_count, sizeof(*list));
    *out_count = 0;
    if (list == NULL) {
        tacho_command_no_memory();
        return NULL;
    }
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (item->option != NULL && strcmp(item->option->name, option) == 0) {
            list[(*out_count)++] = item->value;
        }
    }
    return list;
}

int tacho_run_choose_device(const tacho_arguments *arguments, tacho_arena *arena,
                            const char **out_device)
{
    const char *device = tacho_arguments_value(arguments, "device");
    const char *machine = tacho_arguments_value(arguments, "machine");
    *out_device = device != NULL ? device : TACHO_RUN_DEFAULT_DEVICE;
    if (machine == NULL) {
        return TACHO_EXIT_DONE;
    }
    if (strcmp(*out_device, "sim") != 0 &&
        strcmp(tacho_run_device_machine(*out_device), machine) != 0) {
        return tacho_command_misuse(
            arguments->command, "--machine %s means --device sim:%s, which contradicts --device %s",
            machine, machine, device);
    }
    if (strcmp(*out_device, "sim") == 0) {
        size_t room = strlen(machine) + 5;
        char *text = NULL;
        tacho_status status = tacho_arena_alloc(arena, room, (void **)&text);
        if (status != TACHO_OK) {
            return tacho_talk_failure(status);
        }
        snprintf(text, room, "sim:%s", machine);
        *out_device = text;
    }
    return TACHO_EXIT_DONE;
}

/* ---- options that go against each other ---------------------------------------------------- */

/* What an option would do if the other one let it. */
static const struct {
    const char *option;
    const char *other;
    const char *value; /* of the other one; NULL: any */
    const char *why;
} voids[] = {
    {"compare", "no-tables", NULL, "it adds a table"},
    {"blocks", "no-tables", NULL, "it adds a table"},
    {"top", "no-tables", NULL, "it limits a table"},
    {"format", "no-tables", NULL, "it selects a table format"},
    {"json", "no-tables", NULL, "it selects a table format"},
    {"csv", "no-tables", NULL, "it selects a table format"},
    {"input", "no-values", NULL, "nothing is computed"},
    {"seed", "no-values", NULL, "nothing is computed"},
    {"kernels", "no-values", NULL, "nothing is computed"},
    {"threads", "no-values", NULL, "nothing is computed"},
    {"profile", "samples", "0", "nothing is recorded"},
    {"stats-dir", "samples", "0", "nothing is recorded"},
    {"compare", "samples", "0", "nothing is recorded"},
    {"start-iteration", "samples", "0", "nothing is recorded"},
    {"start-delay", "samples", "0", "nothing is recorded"},
};

bool tacho_run_check_options(const tacho_arguments *arguments, const char *device)
{
    static const char *const simulated[] = {"unlimited", "no-values"};
    static const char *const computing[] = {"kernels", "threads"};
    const tacho_device_type *type = tacho_run_device_type(device);
    for (size_t i = 0;
         type != NULL && !type->has_time_model && i < sizeof(simulated) / sizeof(simulated[0]);
         i++) {
        if (tacho_arguments_has(arguments, simulated[i])) {
            tacho_command_misuse(arguments->command,
                                 "--%s applies only to simulated devices such as sim, not to %s",
                                 simulated[i], device);
            return false;
        }
    }
    for (size_t i = 0;
         type != NULL && !type->computes_values && i < sizeof(computing) / sizeof(computing[0]);
         i++) {
        if (tacho_arguments_has(arguments, computing[i])) {
            tacho_command_misuse(arguments->command,
                                 "--%s has no effect: device %s computes nothing", computing[i],
                                 device);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(voids) / sizeof(voids[0]); i++) {
        const char *value = tacho_arguments_value(arguments, voids[i].other);
        bool is_void =
            tacho_arguments_has(arguments, voids[i].option) &&
            tacho_arguments_has(arguments, voids[i].other) &&
            (voids[i].value == NULL || (value != NULL && strcmp(value, voids[i].value) == 0));
        if (is_void) {
            tacho_command_misuse(arguments->command, "--%s has no effect with --%s%s%s: %s",
                                 voids[i].option, voids[i].other, voids[i].value != NULL ? " " : "",
                                 voids[i].value != NULL ? voids[i].value : "", voids[i].why);
            return false;
        }
    }
    return true;
}
