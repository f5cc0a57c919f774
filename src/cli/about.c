/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that read a file, by what it is.
 */
#include "cli/about.h"

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/talk.h"
#include "pipeline/input_list.h"
#include "vendors/torq/debug_info.h"
#include "api/file_kind.h"
#include "sources/source.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { PURPOSE_WIDTH = 36 };

/* What a kind is called, one and several, and what can be done with it. */
static const struct {
    const char *title;
    const char *plural;
    const char *advice[7]; /* command and purpose in turns; %s is the path */
} kinds[TACHO_FILE_KIND_COUNT] = {
    [TACHO_FILE_UNKNOWN] = {"unknown format", "other files", {NULL}},
    [TACHO_FILE_EMPTY] = {"empty file", "empty files", {NULL}},
    [TACHO_FILE_SPECIAL] = {"not a regular file", "special files", {NULL}},
    [TACHO_FILE_PACKED] = {"compressed model or program; decompress it first",
                           "compressed files",
                           {NULL}},
    [TACHO_FILE_EVENTS] = {"event table, written for other programs", "event tables", {NULL}},
    [TACHO_FILE_REPORT] = {"report; open it in a browser", "reports", {NULL}},
    [TACHO_FILE_PART] = {"part of a fleet, with the sums of profiles",
                         "parts of fleets",
                         {"fleet overview %s", "what its profiles say together", "fleet ops %s",
                          "which operations took the most time", "fleet health %s",
                          "what is wrong with them"}},
    [TACHO_FILE_PROGRAM] = {"compiled program",
                            "programs",
                            {"info %s", "what it contains", "run %s",
                             "run it and see where time goes", "opstats %s STATS_DIR --summary",
                             "decode the raw stats of its runs"}},
    [TACHO_FILE_DEBUG] = {"debug information of a Torq program",
                          "files of debug information",
                          {"info %s", "what it contains",
                           "annotate %s RUNTIME.csv -o annotated.xlsx",
                           "join it with a runtime profile"}},
    [TACHO_FILE_MODEL] = {"model",
                          "models",
                          {"info %s", "inputs, outputs and operators", "compile %s",
                           "estimate it on an accelerator", "run %s",
                           "run it and see where time goes"}},
    [TACHO_FILE_MACHINE] = {"machine description",
                            "machine descriptions",
                            {"machine check %s", "validate it", "machine show %s",
                             "print it in full", "compile MODEL -m %s", "estimate a model on it"}},
    [TACHO_FILE_STATS] = {"raw stats",
                          "raw stats files",
                          {"opstats PROGRAM %s --summary", "decode it with the program that ran",
                           "report %s --program PROGRAM", "a page for the browser"}},
    [TACHO_FILE_RUNTIME] = {"runtime profile",
                            "runtime profiles",
                            {"annotate DEBUG %s", "name its kernels and operators"}},
    [TACHO_FILE_PROFILE] = {"profile", "profiles", {NULL}},
    [TACHO_FILE_FOREIGN] = {NULL, "files of other tools", {NULL}},
    [TACHO_FILE_PIECE] = {"one of several logs of a run",
                          "logs of runs",
                          {"ops --join %s -o ops.csv", "the vendor's op table", "info DIRECTORY",
                           "all logs of the run as one profile"}},
    [TACHO_FILE_LOGS] = {"profile",
                         "profiles",
                         {"ops --join %s -o ops.csv", "the vendor's op table"}},
};

/* Of every profile. */
static const char *const profile_advice[] = {
    "info %s",
    "what it contains",
    "overview %s",
    "how busy each kind of engine was",
    "ops %s",
    "which operations took the most time",
    "query %s 'SELECT * FROM ops'",
    "a question in SQL",
    "diff %s OTHER",
    "what changed from it to another",
    "report %s",
    "a page for the browser",
    "convert %s -o trace.pb",
    "a trace for https://ui.perfetto.dev",
    NULL,
};

/* ---- saying so ----------------------------------------------------------------------------- */

/* A path as a word of a shell: quoted if anything in it would mean something there. */
static void print_word(tacho_str path)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789_./,+=:@%-";
    size_t len = 0;
    while (len < path.len && memchr(safe, path.data[len], sizeof(safe) - 1) != NULL) {
        len++;
    }
    if (len == path.len) {
        printf("%.*s", TACHO_STR_ARG(path));
        return;
    }
    putchar('\'');
    for (size_t i = 0; i < path.len; i++) {
        path.data[i] == '\'' ? fputs("'\\''", stdout) : putchar(path.data[i]);
    }
    putchar('\'');
}

/* Prints "  what it contains   tacho info PATH" for each; |path| is printable. */
static void print_advice(const char *const *advice, tacho_str path)
{
    for (size_t i = 0; advice[i] != NULL; i += 2) {
        const char *hole = strstr(advice[i], "%s");
        if (hole == NULL) {
            printf("  %-*s tacho %s\n", PURPOSE_WIDTH, advice[i + 1], advice[i]);
            continue;
        }
        printf("  %-*s tacho %.*s", PURPOSE_WIDTH, advice[i + 1], (int)(hole - advice[i]),
               advice[i]);
        print_word(path);
        printf("%s\n", hole + 2);
    }
}

/* A format that tacho does not read: its name and the way to one that it reads. */
static void print_foreign(const tacho_file_facts *what, tacho_str path)
{
    const char *hole = strstr(what->remedy, "FILE");
    size_t ahead = hole != NULL ? (size_t)(hole - what->remedy) : strlen(what->remedy);
    printf("%.*s: %s, which tacho does not read\n  %.*s", TACHO_STR_ARG(path), what->detail,
           (int)ahead, what->remedy);
    if (hole != NULL) {
        print_word(path);
        printf("%s", hole + strlen("FILE"));
    }
    printf("\n");
}

static void print_about(const tacho_file_facts *what, tacho_str path)
{
    if (what->kind == TACHO_FILE_FOREIGN) {
        print_foreign(what, path);
        return;
    }
    printf("%.*s: %s", TACHO_STR_ARG(path), kinds[what->kind].title);
    if (what->detail != NULL && what->kind != TACHO_FILE_PACKED) {
        printf("; %s", what->detail);
    }
    printf("\n");
    if (what->kind == TACHO_FILE_PROFILE || what->kind == TACHO_FILE_RUNTIME ||
        what->kind == TACHO_FILE_LOGS) {
        print_advice(profile_advice, path);
    }
    print_advice(kinds[what->kind].advice, path);
}

static tacho_status count_kinds(const char *path, size_t counts[TACHO_FILE_KIND_COUNT])
{
    tacho_input_list list;
    tacho_input_list_init(&list);
    tacho_status status = tacho_input_list_add(&list, path, "-");
    for (size_t i = 0; i < list.path_count && status == TACHO_OK; i++) {
        tacho_file_facts what = {TACHO_FILE_UNKNOWN, NULL, NULL};
        status = tacho_file_recognise(list.paths[i], &what);
        counts[what.kind == TACHO_FILE_LOGS ? TACHO_FILE_PROFILE : what.kind]++;
    }
    tacho_input_list_deinit(&list);
    return status;
}

static tacho_status about_directory(const char *path, tacho_str printable)
{
    static const char *const advice[] = {
        "info %s",     "what they contain",
        "overview %s", "how busy each kind of engine was",
        "ops %s",      "which operations took the most time",
        "report %s",   "one page for the browser",
        NULL,
    };
    size_t counts[TACHO_FILE_KIND_COUNT] = {0};
    TACHO_TRY(count_kinds(path, counts));
    const char *separator = " with ";
    printf("%.*s: directory", TACHO_STR_ARG(printable));
    for (size_t kind = TACHO_FILE_KIND_COUNT; kind-- > 0;) {
        if (counts[kind] > 0) {
            bool is_other = kind == TACHO_FILE_UNKNOWN;
            bool is_foreign = kind == TACHO_FILE_FOREIGN;
            const char *one = is_other     ? "other file"
                              : is_foreign ? "file of another tool"
                                           : kinds[kind].title;
            printf("%s%zu %s", separator, counts[kind],
                   counts[kind] > 1 ? kinds[kind].plural : one);
            separator = ", ";
        }
    }
    printf("%s\n", separator[0] == ',' ? "" : " without files");
    if (counts[TACHO_FILE_PROFILE] + counts[TACHO_FILE_RUNTIME] > 0) {
        print_advice(advice, printable);
    }
    return TACHO_OK;
}

/* Whether a directory is the logs of one run and nothing else. */
static tacho_status is_log_directory(const char *path, bool *out_is_one)
{
    tacho_input_list list;
    *out_is_one = false;
    if (tacho_source_find_folder(path) == NULL) {
        return TACHO_OK;
    }
    tacho_input_list_init(&list);
    tacho_status status = tacho_input_list_add(&list, path, "-");
    *out_is_one = status == TACHO_OK && list.path_count == 1;
    tacho_input_list_deinit(&list);
    return status;
}

static tacho_status about_path(const char *path, bool *out_is_known)
{
    struct stat facts;
    tacho_arena arena;
    tacho_str printable;
    tacho_file_facts what = {TACHO_FILE_DEBUG, NULL, NULL};
    if (stat(path, &facts) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    bool is_one = false;
    TACHO_TRY(is_log_directory(path, &is_one));
    bool is_plain_directory = S_ISDIR(facts.st_mode) && !is_one && !tacho_is_debug_info(path);
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_printable(tacho_str_from_cstring(path), &arena, &printable);
    if (status == TACHO_OK && is_plain_directory) {
        status = about_directory(path, printable);
    } else if (status == TACHO_OK) {
        status = tacho_file_recognise(path, &what);
        if (status == TACHO_OK) {
            print_about(&what, printable);
        }
    }
    *out_is_known = what.kind != TACHO_FILE_UNKNOWN;
    tacho_arena_deinit(&arena);
    return status;
}

bool tacho_about_applies(const char *word)
{
    struct stat facts;
    return stat(word, &facts) == 0;
}

int tacho_about_run(int word_count, char **words)
{
    int exit_code = TACHO_EXIT_DONE;
    for (int i = 0; i < word_count; i++) {
        bool is_known = true;
        printf("%s", i > 0 ? "\n" : "");
        tacho_status status = about_path(words[i], &is_known);
        if (status != TACHO_OK) {
            exit_code = tacho_talk_failure(status);
        } else if (!is_known) {
            printf("'tacho help formats' lists the formats that tacho reads.\n");
            exit_code = TACHO_EXIT_FAILED;
        }
    }
    return exit_code;
}
