/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices of options, found by the option's address. Names that no source has are a caller's
 * mistake.
 */
#include "sources/options.h"

#include "sources/source.h"

#include <assert.h>

static const tacho_source_option *find_option(const char *name)
{
    tacho_str wanted = tacho_str_from_cstring(name);
    for (const tacho_source *const *source = tacho_sources(); *source != NULL; source++) {
        const tacho_source_option *const *option = (*source)->options;
        for (; option != NULL && *option != NULL; option++) {
            if (tacho_str_equal(wanted, tacho_str_from_cstring((*option)->name))) {
                return *option;
            }
        }
    }
    return NULL;
}

static const tacho_source_choice *find_choice(const tacho_source_options *options,
                                              const tacho_source_option *option)
{
    for (size_t i = 0; i < options->choice_count; i++) {
        if (options->choices[i].option == option) {
            return &options->choices[i];
        }
    }
    return NULL;
}

static void set_choice(tacho_source_options *options, const tacho_source_choice *choice)
{
    size_t at = 0;
    while (at < options->choice_count && options->choices[at].option != choice->option) {
        at++;
    }
    assert(at < TACHO_SOURCE_CHOICES_MAX);
    options->choices[at] = *choice;
    options->choice_count += at == options->choice_count ? 1 : 0;
}

void tacho_source_options_set_number(tacho_source_options *options, const char *name,
                                     uint64_t number)
{
    const tacho_source_option *option = find_option(name);
    assert(option != NULL && option->type != TACHO_SOURCE_OPTION_FILE);
    if (number > 0 || find_choice(options, option) != NULL) {
        set_choice(options, &(tacho_source_choice){.option = option, .number = number});
    }
}

void tacho_source_options_set_path(tacho_source_options *options, const char *name, tacho_str path)
{
    const tacho_source_option *option = find_option(name);
    assert(option != NULL && option->type == TACHO_SOURCE_OPTION_FILE);
    if (path.len > 0 || find_choice(options, option) != NULL) {
        set_choice(options, &(tacho_source_choice){.option = option, .path = path});
    }
}

uint64_t tacho_source_options_number(const tacho_source_options *options,
                                     const tacho_source_option *option)
{
    const tacho_source_choice *choice = find_choice(options, option);
    return choice != NULL ? choice->number : 0;
}

tacho_str tacho_source_options_path(const tacho_source_options *options,
                                    const tacho_source_option *option)
{
    const tacho_source_choice *choice = find_choice(options, option);
    return choice != NULL ? choice->path : TACHO_STR("");
}
