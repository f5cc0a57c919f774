/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failure records. When even the record cannot be allocated, one constant record stands in for
 * it, so making a failure never fails.
 */
#include "base/status.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct status_note {
    struct status_note *next; /* towards the outermost caller */
    char *text;
} status_note;

typedef struct status_hint {
    struct status_hint *next;
    tacho_hint_id id;
    size_t text; /* 0: of the message; n: of the n-th note */
    char detail[];
} status_hint;

struct tacho_failure {
    tacho_code code;
    const char *source_file;
    int source_line;
    char *message;
    status_note *notes;
    status_hint *hints;
};

static char no_memory_message[] = "out of memory";
static const struct tacho_failure no_memory_record = {
    .code = TACHO_CODE_NO_MEMORY,
    .source_file = __FILE__,
    .source_line = __LINE__,
    .message = no_memory_message,
};

/* The constant record is returned as a status but never written or freed. */
tacho_status tacho_no_memory(void)
{
    return (tacho_status)(uintptr_t)&no_memory_record;
}

/*
 * Names in a message are from files and callers: returns |text|, owned, with escapes for bytes that
 * would act on a terminal. NULL if out of memory.
 */
static char *make_printable(char *text)
{
    tacho_str rest = tacho_str_from_cstring(text);
    char *shown = malloc(rest.len * TACHO_UTF8_ESCAPE_MAX + 1);
    char *at = shown;
    while (shown != NULL && rest.len > 0) {
        uint32_t point = 0;
        size_t len = tacho_utf8_decode(rest, &point);
        if (tacho_utf8_acts_on_terminal(point)) {
            at += tacho_utf8_escape(rest, at);
        } else {
            memcpy(at, rest.data, len);
            at += len;
        }
        rest = tacho_str_make(rest.data + len, rest.len - len);
    }
    if (shown != NULL) {
        *at = '\0';
    }
    free(text);
    return shown;
}

static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

static char *format_text(const char *format, va_list arguments) TACHO_PRINTF(1, 0);

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, arguments);
    }
    return text == NULL || is_plain(text) ? text : make_printable(text);
}

tacho_status tacho_status_make(tacho_code code, const char *source_file, int source_line,
                               const char *format, ...)
{
    struct tacho_failure *failure = calloc(1, sizeof(*failure));
    if (failure == NULL) {
        return tacho_no_memory();
    }
    va_list arguments;
    va_start(arguments, format);
    failure->message = format_text(format, arguments);
    va_end(arguments);
    if (failure->message == NULL) {
        free(failure);
        return tacho_no_memory();
    }
    failure->code = code;
    failure->source_file = source_file;
    failure->source_line = source_line;
    return failure;
}

tacho_status tacho_status_add_note(tacho_status status, const char *format, ...)
{
    if (status == TACHO_OK || status == tacho_no_memory()) {
        return status;
    }
    status_note *note = calloc(1, sizeof(*note));
    if (note == NULL) {
        return status; /* the failure itself matters more than its note */
    }
    va_list arguments;
    va_start(arguments, format);
    note->text = format_text(format, arguments);
    va_end(arguments);
    status_note **tail = &status->notes;
    while (*tail != NULL) {
        tail = &(*tail)->next;
    }
    *tail = note;
    return status;
}

tacho_status tacho_status_add_hint(tacho_status status, tacho_hint_id id, const char *detail)
{
    if (status == TACHO_OK || status == tacho_no_memory()) {
        return status;
    }
    size_t len = strlen(detail);
    status_hint *hint = calloc(1, sizeof(*hint) + len + 1);
    if (hint == NULL) {
        return status; /* as of a note */
    }
    hint->id = id;
    memcpy(hint->detail, detail, len);
    for (const status_note *note = status->notes; note != NULL; note = note->next) {
        hint->text++;
    }
    status_hint **tail = &status->hints;
    while (*tail != NULL) {
        tail = &(*tail)->next;
    }
    *tail = hint;
    return status;
}

tacho_hint tacho_status_hint(tacho_status status, size_t text, size_t index)
{
    const status_hint *hint = status == TACHO_OK ? NULL : status->hints;
    for (; hint != NULL; hint = hint->next) {
        if (hint->text == text && index-- == 0) {
            return (tacho_hint){hint->id, hint->detail};
        }
    }
    return (tacho_hint){TACHO_HINT_NONE, ""};
}

tacho_status tacho_status_first(tacho_status first, tacho_status second)
{
    if (first == TACHO_OK) {
        return second;
    }
    tacho_status_free(second);
    return first;
}

tacho_status tacho_status_forgive_data(tacho_status status)
{
    tacho_code code = tacho_status_code(status);
    if (code == TACHO_CODE_NO_MEMORY || code == TACHO_CODE_IO) {
        return status;
    }
    tacho_status_free(status);
    return TACHO_OK;
}

tacho_code tacho_status_code(tacho_status status)
{
    return status == TACHO_OK ? TACHO_CODE_OK : status->code;
}

const char *tacho_code_name(tacho_code code)
{
    switch (code) {
    case TACHO_CODE_OK:
        return "OK";
#define TACHO_CODE_CASE(name, meaning)                                                             \
    case TACHO_CODE_##name:                                                                        \
        return #name;
        TACHO_CODES(TACHO_CODE_CASE)
#undef TACHO_CODE_CASE
    }
    return "?";
}

const char *tacho_status_message(tacho_status status)
{
    return status == TACHO_OK ? "ok" : status->message;
}

const char *tacho_status_note(tacho_status status, size_t index)
{
    const status_note *note = status == TACHO_OK ? NULL : status->notes;
    for (; note != NULL && index > 0; index--) {
        note = note->next;
    }
    return note == NULL ? NULL : (note->text != NULL ? note->text : no_memory_message);
}

const char *tacho_status_source(tacho_status status, int *out_line)
{
    *out_line = status == TACHO_OK ? 0 : status->source_line;
    return status == TACHO_OK ? "" : status->source_file;
}

void tacho_status_free(tacho_status status)
{
    if (status == TACHO_OK || status == tacho_no_memory()) {
        return;
    }
    status_note *note = status->notes;
    while (note != NULL) {
        status_note *next = note->next;
        free(note->text);
        free(note);
        note = next;
    }
    status_hint *hint = status->hints;
    while (hint != NULL) {
        status_hint *next = hint->next;
        free(hint);
        hint = next;
    }
    free(status->message);
    free(status);
}
