/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request says, and how it ends.
 */
#include "api/requests/request.h"
#include "api/requests/results.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { FORMAT_BYTES = 1024, HINTS_MAX = 16 };

/* ---- notes ----------------------------------------------------------------------------------- */

void tacho_request_pass_note(tacho_request *given, const tacho_result_note *note)
{
    tacho_arena arena;
    tacho_str text;
    tacho_result_note printable = *note;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_printable(tacho_str_from_cstring(note->text), &arena, &text);
    printable.text = status == TACHO_OK ? text.data : "out of memory";
    pthread_mutex_lock(&given->lock);
    if (given->listener.note != NULL) {
        given->listener.note(given->listener.user, &printable);
    }
    tacho_results_add_note(given->results, &printable);
    pthread_mutex_unlock(&given->lock);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

void tacho_request_note(const tacho_request *given, const char *kind, const char *format, ...)
{
    char spelled[FORMAT_BYTES];
    va_list arguments;
    tacho_spelling_apply(&given->listener.spelling, format, spelled, sizeof(spelled));
    va_start(arguments, format);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    tacho_note_list(&given->notes, kind, spelled, arguments);
#pragma GCC diagnostic pop
    va_end(arguments);
}

void tacho_request_note_status(const tacho_request *given, const char *kind, tacho_status status)
{
    const char *text = tacho_status_message(status);
    for (size_t i = 0; text != NULL; text = tacho_status_note(status, i), i++) {
        tacho_hint hints[HINTS_MAX + 1];
        size_t count = 0;
        while (count < HINTS_MAX &&
               (hints[count] = tacho_status_hint(status, i, count)).id != TACHO_HINT_NONE) {
            count++;
        }
        hints[count] = (tacho_hint){TACHO_HINT_NONE, ""};
        const tacho_result_note note = {
            .kind = i == 0 ? kind : "note", .text = text, .hints = hints};
        tacho_request_pass_note(given->notes.self, &note);
    }
    tacho_status_free(status);
}

static void hold_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    tacho_held_notes *held = self;
    if (held->item_count == sizeof(held->items) / sizeof(held->items[0])) {
        held->given->notes.take(held->given->notes.self, kind, text, hint);
        return;
    }
    size_t at = held->item_count++;
    snprintf(held->items[at].kind, sizeof(held->items[at].kind), "%s", kind);
    snprintf(held->items[at].text, sizeof(held->items[at].text), "%s", text);
    snprintf(held->items[at].detail, sizeof(held->items[at].detail), "%s", hint.detail);
    held->items[at].hint = hint.id;
}

tacho_notes tacho_request_hold(const tacho_request *given, tacho_held_notes *held)
{
    held->given = given;
    return (tacho_notes){hold_note, held};
}

void tacho_request_release(tacho_held_notes *held)
{
    for (size_t i = 0; i < held->item_count; i++) {
        held->given->notes.take(held->given->notes.self, held->items[i].kind, held->items[i].text,
                                (tacho_hint){held->items[i].hint, held->items[i].detail});
    }
    held->item_count = 0;
}

void tacho_request_say_ignored(const tacho_request *given)
{
    for (size_t i = 0; i < given->item_count; i++) {
        const tacho_option *option = given->items[i].option;
        if (option != NULL && strncmp(option->help, TACHO_IGNORED, strlen(TACHO_IGNORED)) == 0) {
            tacho_request_note(given, "note", "{%s} is accepted but has no effect", option->name);
        }
    }
}

/* ---- how it ends ----------------------------------------------------------------------------- */

static tacho_status make_failure(const tacho_request *given, tacho_code code, const char *format,
                                 va_list arguments)
{
    char spelled[FORMAT_BYTES], message[FORMAT_BYTES];
    tacho_spelling_apply(&given->listener.spelling, format, spelled, sizeof(spelled));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    vsnprintf(message, sizeof(message), spelled, arguments);
#pragma GCC diagnostic pop
    return tacho_fail(code, "%s", message);
}

tacho_status tacho_request_failure(const tacho_request *given, tacho_code code, const char *format,
                                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    tacho_status status = make_failure(given, code, format, arguments);
    va_end(arguments);
    return status;
}

int tacho_request_misuse(tacho_request *given, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tacho_status status = make_failure(given, TACHO_CODE_USAGE, format, arguments);
    va_end(arguments);
    given->is_misuse = true;
    return tacho_request_fail(given, status);
}

int tacho_request_fail(tacho_request *given, tacho_status status)
{
    bool is_usage = tacho_status_code(status) == TACHO_CODE_USAGE;
    given->failure = tacho_status_first(given->failure, status);
    return is_usage ? TACHO_OUTCOME_USAGE : TACHO_OUTCOME_FAILED;
}

int tacho_request_end(tacho_request *given, tacho_status status)
{
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

int tacho_request_check(tacho_request *given, const char *name, tacho_status status)
{
    if (status == TACHO_OK || tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return tacho_request_end(given, status);
    }
    int outcome = tacho_request_misuse(given, "{%s}: %s", name, tacho_status_message(status));
    tacho_status_free(status);
    return outcome;
}

/* ---- progress -------------------------------------------------------------------------------- */

static void tell_progress(void *self, uint64_t done, uint64_t total)
{
    tacho_request *given = self;
    tacho_request_progress told = given->told;
    told.done = done;
    told.total = total;
    bool is_told =
        given->listener.progress != NULL && given->told.label != NULL && !given->is_quiet;
    if (is_told && !given->is_cancelled && !given->listener.progress(given->listener.user, &told)) {
        given->is_cancelled = true;
    }
}

void tacho_request_begin_progress(tacho_request *given, const char *label, const char *unit,
                                  tacho_progress *out_hook)
{
    given->told = (tacho_request_progress){.label = label, .unit = unit};
    *out_hook = (tacho_progress){tell_progress, given};
}

const _Atomic bool *tacho_request_stop_flag(const tacho_request *given)
{
    return given->listener.may_stop ? &given->is_cancelled : NULL;
}

void tacho_request_end_progress(tacho_request *given)
{
    static const tacho_request_progress over = {.label = NULL};
    if (given->listener.progress != NULL) {
        (void)given->listener.progress(given->listener.user, &over);
    }
}

void tacho_request_show_progress(const tacho_request *given, const char *text)
{
    const tacho_request_progress told = {.label = "live", .text = text};
    if (given->listener.progress != NULL) {
        (void)given->listener.progress(given->listener.user, &told);
    }
}

/* ---- where tables go ------------------------------------------------------------------------- */

const char *tacho_request_output(const tacho_request *given, const char *name)
{
    const char *path = tacho_request_value(given, name);
    return path != NULL ? path : given->listener.output;
}

tacho_table_target tacho_request_target(const tacho_request *given, const tacho_table_sink *sink,
                                        const char *path)
{
    bool is_printed = given->listener.output != NULL;
    return (tacho_table_target){
        .sink = sink, .path = path, .keeper = is_printed ? NULL : &given->keeper};
}
