/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A time of change in nanoseconds, compared for equality: a profile that was replaced by an older
 * one, or within the same second, is another one.
 */
#include "pipeline/fleet_terms.h"

#include "pipeline/fleet_inputs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

/* Adds to the text at |to|, which has room for TACHO_FLEET_TERM_BYTES. */
static void add_words(char *to, const char *format, ...) TACHO_PRINTF(2, 3);
static void add_words(char *to, const char *format, ...)
{
    size_t len = strlen(to);
    va_list args;
    va_start(args, format);
    vsnprintf(to + len, TACHO_FLEET_TERM_BYTES - len, format, args);
    va_end(args);
}

/* Nothing is added for a file that is not there: its part says that it could not be read. */
static void add_file(char *to, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0) {
        add_words(to, "%" PRId64 " bytes, %" PRId64 ".%09ld s; ", (int64_t)facts.st_size,
                  (int64_t)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
    }
}

static void describe_window(const tacho_selection *selection, char *to, size_t size)
{
    char end[32] = "";
    if (selection->window_end_ns != INT64_MAX) {
        snprintf(end, sizeof(end), "%" PRId64, selection->window_end_ns);
    }
    if (!tacho_selection_is_all(selection)) {
        snprintf(to, size, "%" PRId64 "..%s ns", selection->window_begin_ns, end);
    }
}

static void describe_choice(const tacho_source_choice *choice, char *to)
{
    const char *name = choice->option->name;
    switch (choice->option->type) {
    case TACHO_SOURCE_OPTION_COUNT:
        add_words(to, "%" PRIu64 " %s; ", choice->number, name);
        break;
    case TACHO_SOURCE_OPTION_FILE:
        add_words(to, "%s %.*s; ", name, TACHO_STR_ARG(choice->path));
        break;
    case TACHO_SOURCE_OPTION_FLAG:
        add_words(to, "%s; ", name);
        break;
    }
}

static void describe_reading(const tacho_fleet_job *job, char *to)
{
    const tacho_source_options *options = job->options;
    if (job->source != NULL) {
        add_words(to, "format %s; ", job->source->name);
    }
    if (options->clock_mhz.len > 0) {
        add_words(to, "clock %.*s MHz; ", TACHO_STR_ARG(options->clock_mhz));
    }
    for (size_t i = 0; i < options->choice_count; i++) {
        describe_choice(&options->choices[i], to);
    }
    size_t len = strlen(to);
    to[len >= 2 ? len - 2 : 0] = '\0'; /* the last "; " */
}

void tacho_fleet_terms_init(tacho_fleet_terms *terms, const tacho_fleet_job *job, const char *path)
{
    const tacho_fleet_origin origin = tacho_fleet_origin_of(job->runs, path);
    terms->window[0] = terms->reading[0] = terms->profile[0] = '\0';
    describe_window(job->selection, terms->window, sizeof(terms->window));
    describe_reading(job, terms->reading);
    add_file(terms->profile, path);
    for (size_t i = 0; i < job->options->choice_count; i++) {
        if (job->options->choices[i].path.len > 0) {
            add_file(terms->profile, job->options->choices[i].path.data);
        }
    }
    /* Names say the run only beside others, so the same path can be of another run later. */
    tacho_str run = origin.run.len > 0 ? origin.run : origin.name_run;
    add_words(terms->profile, "run %.*s", TACHO_STR_ARG(run));
}

tacho_status tacho_fleet_terms_put(const tacho_fleet_terms *terms, tacho_fleet *fleet)
{
    TACHO_TRY(tacho_fleet_text(fleet, tacho_str_from_cstring(terms->window), &fleet->window));
    TACHO_TRY(tacho_fleet_text(fleet, tacho_str_from_cstring(terms->reading), &fleet->reading));
    return tacho_fleet_text(fleet, tacho_str_from_cstring(terms->profile), &fleet->profile);
}

static bool is_text(const tacho_fleet *fleet, uint32_t id, const char *text)
{
    return tacho_str_equal(tacho_strings_get(&fleet->texts, id), tacho_str_from_cstring(text));
}

static tacho_status refuse_window(tacho_str window, const char *wanted, const char *path)
{
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "%s: this part holds the %s%.*s, not the %s%s; ask the profile instead, or "
                      "make the part again",
                      path, window.len > 0 ? "window " : "whole profile", TACHO_STR_ARG(window),
                      wanted[0] != '\0' ? "window " : "whole profile", wanted);
}

tacho_status tacho_fleet_terms_check(const tacho_fleet_terms *terms, const tacho_fleet *part,
                                     const char *path)
{
    tacho_str reading = tacho_strings_get(&part->texts, part->reading);
    if (!is_text(part, part->window, terms->window)) {
        tacho_str window = tacho_strings_get(&part->texts, part->window);
        return refuse_window(window, terms->window, path);
    }
    if (terms->reading[0] != '\0' && !is_text(part, part->reading, terms->reading)) {
        return tacho_fail(
            TACHO_CODE_UNSUPPORTED,
            "%s: this part was made with %.*s, not with %s; ask the profile instead, or "
            "make the part again",
            path, TACHO_STR_ARG(reading.len > 0 ? reading : TACHO_STR("default options")),
            terms->reading);
    }
    return TACHO_OK;
}

bool tacho_fleet_terms_are_of(const tacho_fleet_terms *terms, const tacho_fleet *part)
{
    return is_text(part, part->window, terms->window) &&
           is_text(part, part->reading, terms->reading) &&
           is_text(part, part->profile, terms->profile);
}
