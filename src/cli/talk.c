/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages, losses and progress.
 */
#include "cli/talk.h"

#include "base/color.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/hints.h"
#include "pipeline/intake_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    SHOW_AFTER_MS = 400,
    UPDATE_EVERY_MS = 100,
    NS_PER_MS = 1000000,
    BAR_WIDTH = 24,
    HINTS_MAX = 16
};

/* Prints |text| where there is no memory to make control characters visible. */
static void print_plainly(const char *text)
{
    for (; *text != '\0'; text++) {
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
    }
}

/* Prints |text| with control characters made visible. */
static void print_safe(const char *text)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str safe;
    tacho_status status = tacho_utf8_printable(tacho_str_from_cstring(text), &arena, &safe);
    if (status == TACHO_OK) {
        fprintf(stderr, "%.*s", TACHO_STR_ARG(safe));
    } else {
        print_plainly(text);
    }
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

/* Errors stand out, warnings less so; what only informs stays as it is. */
static const char *color_of(const char *kind)
{
    bool is_warning = strcmp(kind, "warning") == 0 || strcmp(kind, "skipped") == 0;
    return strcmp(kind, "error") == 0 ? TACHO_COLOR_RED
           : is_warning               ? TACHO_COLOR_YELLOW
                                      : TACHO_COLOR_CYAN;
}

static void print_line(const char *kind, const char *text)
{
    bool is_colored = tacho_color_is_on(STDERR_FILENO);
    fprintf(stderr, "tacho: %s%s:%s ", is_colored ? color_of(kind) : "", kind,
            is_colored ? TACHO_COLOR_END : "");
    print_safe(text);
    fputc('\n', stderr);
}

/* The line with what can be done about it, in the words of |dialect|. */
static void print_hinted(const char *kind, const char *text, const tacho_hint_dialect *dialect,
                         const tacho_hint *hints)
{
    tacho_text words = {0};
    tacho_status status = tacho_text_put(&words, tacho_str_from_cstring(text));
    if (status == TACHO_OK) {
        status = tacho_hints_put(dialect, hints, &words);
    }
    if (status == TACHO_OK) {
        status = tacho_text_put(&words, tacho_str_make("", 1)); /* its end */
    }
    print_line(kind, status == TACHO_OK ? tacho_text_take(&words).data : text);
    tacho_status_free(status);
    tacho_text_deinit(&words);
}

static void take_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    const tacho_hint hints[] = {hint, {TACHO_HINT_NONE, ""}};
    (void)self;
    print_hinted(kind, text, NULL, hints);
}

const tacho_notes tacho_talk_notes = {take_note, NULL};

void tacho_talk(const char *kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tacho_note_list(&tacho_talk_notes, kind, format, arguments);
    va_end(arguments);
}

static void hold_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    tacho_talk_held *held = self;
    if (held->item_count == sizeof(held->items) / sizeof(held->items[0])) {
        take_note(NULL, kind, text, hint);
        return;
    }
    size_t at = held->item_count++;
    snprintf(held->items[at].kind, sizeof(held->items[at].kind), "%s", kind);
    snprintf(held->items[at].text, sizeof(held->items[at].text), "%s", text);
    snprintf(held->items[at].detail, sizeof(held->items[at].detail), "%s", hint.detail);
    held->items[at].hint = hint.id;
}

tacho_notes tacho_talk_hold(tacho_talk_held *held)
{
    return (tacho_notes){hold_note, held};
}

void tacho_talk_release(tacho_talk_held *held)
{
    for (size_t i = 0; i < held->item_count; i++) {
        take_note(NULL, held->items[i].kind, held->items[i].text,
                  (tacho_hint){held->items[i].hint, held->items[i].detail});
    }
    held->item_count = 0;
}

/* Prints a failure as |kind|, and its notes, with hints in the words of |dialect|; NULL: tacho's.
 */
static void talk_status(const char *kind, tacho_status status, const tacho_hint_dialect *dialect)
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
        print_hinted(i == 0 ? kind : "note", text, dialect, hints);
    }
}

int tacho_talk_failure(tacho_status status)
{
    return tacho_talk_failure_in(NULL, status);
}

int tacho_talk_failure_in(const tacho_hint_dialect *dialect, tacho_status status)
{
    bool is_misuse = tacho_status_code(status) == TACHO_CODE_USAGE;
    talk_status("error", status, dialect);
    tacho_status_free(status);
    return is_misuse ? TACHO_EXIT_USAGE : TACHO_EXIT_FAILED;
}

void tacho_talk_skipped(tacho_status status)
{
    talk_status("skipped", status, NULL);
    tacho_status_free(status);
}

void tacho_talk_losses(const tacho_dict *dict)
{
    tacho_intake_say_losses(dict, &tacho_talk_notes);
}

void tacho_talk_inputs(const tacho_dict *dict)
{
    tacho_intake_say_inputs(dict, &tacho_talk_notes);
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

static void update(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
    tacho_talk_progress *progress = self;
    int64_t now = tacho_talk_now_ns();
    bool is_done = total_bytes > 0 && done_bytes >= total_bytes;
    if (!progress->is_enabled || now - progress->started_ns < SHOW_AFTER_MS * NS_PER_MS ||
        (!is_done && now - progress->updated_ns < UPDATE_EVERY_MS * NS_PER_MS)) {
        return;
    }
    progress->updated_ns = now;
    progress->is_shown = true;
    fprintf(stderr, "\r%s ", progress->label);
    if (total_bytes > 0) {
        print_bar(done_bytes, total_bytes);
    }
    if (progress->unit != NULL) {
        fprintf(stderr, "%" PRIu64 " of %" PRIu64 " %s\033[K", done_bytes, total_bytes,
                progress->unit);
    } else {
        fprintf(stderr, "%" PRIu64 " MB read%s\033[K", done_bytes / 1000000,
                is_done ? ", finishing" : "");
    }
    fflush(stderr);
}

void tacho_talk_progress_init(tacho_talk_progress *progress, const char *label, bool is_quiet,
                              tacho_progress *out_hook)
{
    *progress = (tacho_talk_progress){
        .label = label,
        .is_enabled = !is_quiet && isatty(STDERR_FILENO) == 1,
        .started_ns = tacho_talk_now_ns(),
    };
    *out_hook = (tacho_progress){update, progress};
}

void tacho_talk_progress_show(tacho_talk_progress *progress, const char *text)
{
    if (isatty(STDERR_FILENO) != 1) {
        print_line("live", text);
        return;
    }
    fputs("\r\033[K\033[?7l", stderr); /* an empty line, and no wrapping at its end */
    print_safe(text);
    fputs("\033[?7h", stderr);
    fflush(stderr);
    progress->is_shown = true;
}

void tacho_talk_progress_end(tacho_talk_progress *progress)
{
    if (progress->is_shown) {
        fputs("\r\033[K", stderr);
    }
    progress->is_shown = false;
}

static void take_note_between(void *self, const char *kind, const char *text, tacho_hint hint)
{
    tacho_talk_progress_end(self);
    take_note(NULL, kind, text, hint);
}

tacho_notes tacho_talk_progress_notes(tacho_talk_progress *progress)
{
    return (tacho_notes){take_note_between, progress};
}
