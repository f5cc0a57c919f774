/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts and expressions.
 */
#include "profile/text_filter.h"

#include <errno.h>
#include <stdlib.h>

static bool accepts_text(const void *self, tacho_str name, tacho_str location)
{
    const tacho_text_filter *filter = self;
    return tacho_str_contains(name, filter->text) || tacho_str_contains(location, filter->text);
}

/* Without memory glibc reports that nothing matches; only errno shows the failure. */
static bool matches(const tacho_text_filter *filter, tacho_str text)
{
    errno = 0;
    int code = regexec(&filter->regex, text.data, 0, NULL, 0);
    if (code != 0 && (code == REG_ESPACE || errno == ENOMEM)) {
        *filter->has_failed = true;
    }
    return code == 0;
}

static bool accepts_regex(const void *self, tacho_str name, tacho_str location)
{
    const tacho_text_filter *filter = self;
    return matches(filter, name) || matches(filter, location);
}

static tacho_status compile_regex(tacho_text_filter *filter)
{
    tacho_str text = filter->text;
    char why[128];
    char *pattern = calloc(text.len, 1); /* two slashes less, one NUL more */
    if (pattern == NULL) {
        return tacho_no_memory();
    }
    memcpy(pattern, text.data + 1, text.len - 2);
    int code = regcomp(&filter->regex, pattern, REG_EXTENDED | REG_NOSUB);
    free(pattern);
    filter->has_regex = code == 0;
    if (code == 0) {
        return TACHO_OK;
    }
    regerror(code, &filter->regex, why, sizeof(why));
    return code == REG_ESPACE ? tacho_no_memory()
                              : tacho_fail(TACHO_CODE_USAGE, "'%s': %s", text.data, why);
}

tacho_status tacho_text_filter_open(tacho_text_filter *filter, const char *text)
{
    *filter = (tacho_text_filter){.text = tacho_str_from_cstring(text)};
    size_t len = filter->text.len;
    return len > 2 && text[0] == '/' && text[len - 1] == '/' ? compile_regex(filter) : TACHO_OK;
}

void tacho_text_filter_close(tacho_text_filter *filter)
{
    if (filter->has_regex) {
        regfree(&filter->regex);
    }
    filter->has_regex = false;
}

tacho_name_filter tacho_text_filter_names(tacho_text_filter *filter)
{
    filter->has_failed = &filter->lacks_memory;
    return (tacho_name_filter){filter->has_regex ? accepts_regex : accepts_text, filter,
                               filter->has_failed};
}
