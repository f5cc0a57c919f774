/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What front ends need besides requests.
 */
#include "base/budget.h"
#include "base/color.h"
#include "base/pages.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "kernels/isa.h"
#include "kernels/onednn.h"
#include "machine/machine.h"
#include "pipeline/input_list.h"
#include "vendors/torq/debug_info.h"
#include "api/file_kind.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"
#include "sources/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- files ----------------------------------------------------------------------------------- */

tacho_status tacho_front_recognise(const char *path, tacho_file_facts *out_facts)
{
    *out_facts = (tacho_file_facts){TACHO_FILE_DEBUG, NULL, NULL};
    return tacho_file_recognise(path, out_facts);
}

static tacho_status count_kinds(const tacho_input_list *list, size_t counts[TACHO_FILE_KIND_COUNT])
{
    for (size_t i = 0; i < list->path_count; i++) {
        tacho_file_facts what = {TACHO_FILE_UNKNOWN, NULL, NULL};
        TACHO_TRY(tacho_file_recognise(list->paths[i], &what));
        counts[what.kind == TACHO_FILE_LOGS ? TACHO_FILE_PROFILE : what.kind]++;
    }
    return TACHO_OK;
}

tacho_status tacho_front_count_kinds(const char *path, bool *out_is_directory,
                                     size_t counts[TACHO_FILE_KIND_COUNT])
{
    struct stat facts;
    tacho_input_list list;
    *out_is_directory = false;
    memset(counts, 0, TACHO_FILE_KIND_COUNT * sizeof(*counts));
    if (stat(path, &facts) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(facts.st_mode) || tacho_is_debug_info(path)) {
        return TACHO_OK;
    }
    tacho_input_list_init(&list);
    tacho_status status = tacho_input_list_add(&list, path, "-");
    /* The logs of one run and nothing else are one input. */
    *out_is_directory = tacho_source_find_folder(path) == NULL || list.path_count != 1;
    if (status == TACHO_OK && *out_is_directory) {
        status = count_kinds(&list, counts);
    }
    tacho_input_list_deinit(&list);
    return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool view_source(size_t index, tacho_format_view *out_format)
{
    const tacho_source *source = tacho_sources()[index];
    *out_format = source != NULL ? (tacho_format_view){.name = source->name, .title = source->title}
                                 : (tacho_format_view){.name = NULL};
    return source != NULL;
}

static bool view_trace(size_t index, tacho_format_view *out_format)
{
    const tacho_trace_sink *sink = tacho_trace_sinks()[index];
    *out_format = sink != NULL
                      ? (tacho_format_view){sink->name, sink->title, sink->suffixes, sink->limits}
                      : (tacho_format_view){.name = NULL};
    return sink != NULL;
}

static bool view_table(size_t index, tacho_format_view *out_format)
{
    const tacho_table_sink *sink = tacho_table_sinks()[index];
    *out_format = sink != NULL ? (tacho_format_view){.name = sink->name, .title = sink->title}
                               : (tacho_format_view){.name = NULL};
    return sink != NULL;
}

bool tacho_front_format(tacho_format_use use, size_t index, tacho_format_view *out_format)
{
    return use == TACHO_FORMAT_READ      ? view_source(index, out_format)
           : use == TACHO_FORMAT_WRITTEN ? view_trace(index, out_format)
                                         : view_table(index, out_format);
}

const char *tacho_front_limit(unsigned number, bool *out_is_remark)
{
    *out_is_remark = number == TACHO_LIMIT_NUMBER_READING;
    return number < TACHO_TRACE_LIMIT_COUNT ? tacho_trace_limit_phrase(number) : NULL;
}

const char *tacho_front_machine(size_t index)
{
    return tacho_machine_builtin(index);
}

const char *tacho_front_nearest(const char *typed, const char *const *names, size_t count)
{
    tacho_suggestion near = {.typed = tacho_str_from_cstring(typed)};
    for (size_t i = 0; i < count; i++) {
        tacho_suggestion_offer(&near, names[i]);
    }
    return near.name;
}

void tacho_front_kernels(char *text, size_t size)
{
    tacho_fast *fast = NULL;
    tacho_cpu_facts facts = tacho_cpu_read();
    tacho_isa_choice choice = tacho_isa_choose(&facts, tacho_isa_limit());
    char why[TACHO_ISA_REASON_MAX];
    tacho_isa_explain(&choice, tacho_isa_limit_name(), why, sizeof(why));
    tacho_status_free(tacho_fast_create(1, &fast));
    snprintf(text, size, "%s%s, instruction set %s (%s)",
             fast != NULL ? "oneDNN " : "without oneDNN", tacho_fast_version(fast),
             tacho_isa_name(choice.isa), why);
    tacho_fast_free(fast);
}

/* ---- the process ----------------------------------------------------------------------------- */

/* Where there is no memory to make control characters visible. */
static size_t print_plainly(const char *text, char *out, size_t size)
{
    size_t len = 0;
    for (; text[len] != '\0'; len++) {
        if (len + 1 < size) {
            out[len] = text[len];
            if (text[len] < ' ' || text[len] > '~') {
                out[len] = '?';
            }
        }
    }
    return len;
}

size_t tacho_front_printable(const char *text, char *out, size_t size)
{
    tacho_arena arena;
    tacho_str safe;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_printable(tacho_str_from_cstring(text), &arena, &safe);
    size_t len = status == TACHO_OK ? safe.len : print_plainly(text, out, size);
    size_t kept = size == 0 ? 0 : len < size ? len : size - 1;
    if (status == TACHO_OK && kept > 0) {
        memcpy(out, safe.data, kept);
    }
    if (size > 0) {
        out[kept] = '\0';
    }
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return len;
}

bool tacho_front_has_color(int file)
{
    return tacho_color_is_on(file);
}

tacho_status tacho_front_set_color(const char *when)
{
    if (when == NULL ||
        (strcmp(when, "auto") != 0 && strcmp(when, "always") != 0 && strcmp(when, "never") != 0)) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown value '%s'; use auto, always or never",
                          when != NULL ? when : "");
    }
    return setenv(TACHO_COLOR_VARIABLE, when, 1) == 0 ? TACHO_OK : tacho_no_memory();
}

bool tacho_front_limit_memory(const char *size)
{
    uint64_t bytes = 0;
    bool is_size = size != NULL && tacho_budget_parse(tacho_str_from_cstring(size), &bytes);
    if (size == NULL) {
        tacho_budget_set_default();
    } else if (is_size) {
        tacho_budget_set(bytes);
    }
    return size == NULL || is_size;
}

void tacho_front_return_freed(void)
{
    tacho_pages_return_freed();
}
