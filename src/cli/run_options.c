/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, lists and devices of command lines that run programs.
 */
#include "cli/run_options.h"

#include "cli/talk.h"

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
    const char **list = calloc(arguments->item_count + 1, sizeof(*list));
    *out_count = 0;
    if (list == NULL) {
        tacho_talk_line("error", "out of memory");
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

const char *tacho_run_device_machine(const char *device)
{
    const char *colon = strchr(device, ':');
    if (colon != NULL && colon[1] != '\0') {
        return colon + 1;
    }
    return strcmp(device, "cpu") == 0 ? "host-cpu" : TACHO_RUN_DEFAULT_MACHINE;
}
