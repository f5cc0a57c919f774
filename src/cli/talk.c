/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and progress.
 */
#include "cli/talk.h"

#include "cli/hints.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define COLOR_RED "\033[31m"
#define COLOR_YELLOW "\033[33m"
#define COLOR_CYAN "\033[36m"
#define COLOR_END "\033[0m"

enum {
    SHOW_AFTER_MS = 400,
    UPDATE_EVERY_MS = 100,
    NS_PER_MS = 1000000,
    BAR_WIDTH = 24,
    LINE_BYTES = 4096,
    HINTS_MAX = 16
};

void tacho_talk_print_safe(const char *text, FILE *to)
{
    char line[LINE_BYTES];
    size_t len = tacho_front_printable(text, line, sizeof(line));
    char *whole = len < sizeof(line) ? NULL : malloc(len + 1);
    if (whole != NULL) {
        tacho_front_printable(text, whole, len + 1);
    }
    fputs(whole != NULL ? whole : line, to);
    free(whole);
}

/* Errors stand out, warnings less so; information stays as it is. */
static const char *color_of(const char *kind)
{
    bool is_warning = strcmp(kind, "warning") == 0 || strcmp(kind, "skipped") == 0;
    return strcmp(kind, "error") == 0 ? COLOR_RED : is_warning ? COLOR_YELLOW : COLOR_CYAN;
}

static void begin_line(const char *kind)
{
    bool is_colored = tacho_front_has_color(STDERR_FILENO);
    fprintf(stderr, "tacho: %s%s:%s ", is_colored ? color_of(kind) : "", kind,
            is_colored ? COLOR_END : "");
}

void tacho_talk_note(const tacho_hint_dialect *dialect, const tacho_result_note *note)
{
    if (strcmp(note->kind, "answer") == 0) {
        tacho_talk_print_safe(note->text, stdout);
        fputc('\n', stdout);
        return;
    }
    begin_line(note->kind);
    tacho_talk_print_safe(note->text, stderr);
    tacho_hints_print(dialect, note->hints, stderr);
    fputc('\n', stderr);
}

void tacho_talk(const char *kind, const char *format, ...)
{
    static const tacho_hint none[] = {{TACHO_HINT_NONE, ""}};
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const tacho_result_note note = {.kind = kind, .text = text, .hints = none};
    tacho_talk_note(NULL, &note);
}

void tacho_talk_failure(const tacho_hint_dialect *dialect, tacho_status status)
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
            .kind = i == 0 ? "error" : "note", .text = text, .hints = hints};
        tacho_talk_note(dialect, &note);
    }
    tacho_status_free(status);
}

void tacho_talk_cost(int64_t started_ns)
{
    struct rusage usage;
    int64_t elapsed_us = (tacho_talk_now_ns() - started_ns) / 1000;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        tacho_talk("note", "%" PRId64 ".%03" PRId64 " ms elapsed, %ld KiB peak memory",
                   elapsed_us / 1000, elapsed_us % 1000, usage.ru_maxrss);
    }
}

int64_t tacho_talk_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- progress -------------------------------------------------------------------------------- */

static void print_bar(uint64_t done, uint64_t total)
{
    unsigned filled = (unsigned)(done * BAR_WIDTH / total);
    filled = filled > BAR_WIDTH ? BAR_WIDTH : filled;
    fputc('[', stderr);
    for (unsigned i = 0; i < BAR_WIDTH; i++) {
        fputc(i < filled ? '#' : '.', stderr);
    }
    fprintf(stderr, "] %3u %%  ", (unsigned)(done * 100 / total));
}

static void print_state(const tacho_request_progress *told)
{
    fprintf(stderr, "\r%s ", told->label);
    if (told->total > 0) {
        print_bar(told->done, told->total);
    }
    if (told->unit != NULL) {
        fprintf(stderr, "%" PRIu64 " of %" PRIu64 " %s\033[K", told->done, told->total, told->unit);
    } else {
        fprintf(stderr, "%" PRIu64 " MB read%s\033[K", told->done / 1000000,
                told->total > 0 && told->done >= told->total ? ", finishing" : "");
    }
    fflush(stderr);
}

/*
 * Shows |text| as the state of things: on a terminal in place of the last one, in one line that is
 * cut where the terminal ends; elsewhere as a line of its own.
 */
static void show_text(tacho_talk_progress *progress, const char *text)
{
    if (isatty(STDERR_FILENO) != 1) {
        tacho_talk("live", "%s", text);
        return;
    }
    fputs("\r\033[K\033[?7l", stderr); /* an empty line, and no wrapping at its end */
    tacho_talk_print_safe(text, stderr);
    fputs("\033[?7h", stderr);
    fflush(stderr);
    progress->is_shown = true;
}

void tacho_talk_progress_update(tacho_talk_progress *progress, const tacho_request_progress *told)
{
    int64_t now = tacho_talk_now_ns();
    if (told->label == NULL) {
        tacho_talk_progress_end(progress);
        return;
    }
    if (told->text != NULL) {
        show_text(progress, told->text);
        return;
    }
    if (progress->label == NULL || strcmp(progress->label, told->label) != 0) {
        progress->label = told->label;
        progress->started_ns = now;
    }
    bool is_done = told->total > 0 && told->done >= told->total;
    if (isatty(STDERR_FILENO) == 1 && now - progress->started_ns >= SHOW_AFTER_MS * NS_PER_MS &&
        (is_done || now - progress->updated_ns >= UPDATE_EVERY_MS * NS_PER_MS)) {
        progress->updated_ns = now;
        progress->is_shown = true;
        print_state(told);
    }
}

void tacho_talk_progress_end(tacho_talk_progress *progress)
{
    if (progress->is_shown) {
        fputs("\r\033[K", stderr);
    }
    progress->is_shown = false;
}
