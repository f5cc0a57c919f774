/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that read a file, by what it is.
 */
#include "cli/about.h"

#include "cli/command.h"
#include "cli/talk.h"

#include <stdio.h>
#include <sys/stat.h>

enum { PURPOSE_WIDTH = 36, PATH_BYTES = 16384 };

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
static void print_word(const char *path)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789_./,+=:@%-";
    if (path[strspn(path, safe)] == '\0') {
        fputs(path, stdout);
        return;
    }
    putchar('\'');
    for (; *path != '\0'; path++) {
        *path == '\'' ? fputs("'\\''", stdout) : putchar(*path);
    }
    putchar('\'');
}

/* Prints "  what it contains   tacho info PATH" for each; |path| is printable. */
static void print_advice(const char *const *advice, const char *path)
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
static void print_foreign(const tacho_file_facts *what, const char *path)
{
    const char *hole = strstr(what->remedy, "FILE");
    size_t ahead = hole != NULL ? (size_t)(hole - what->remedy) : strlen(what->remedy);
    printf("%s: %s, which tacho does not read\n  %.*s", path, what->detail, (int)ahead,
           what->remedy);
    if (hole != NULL) {
        print_word(path);
        printf("%s", hole + strlen("FILE"));
    }
    printf("\n");
}

static void print_about(const tacho_file_facts *what, const char *path)
{
    if (what->kind == TACHO_FILE_FOREIGN) {
        print_foreign(what, path);
        return;
    }
    printf("%s: %s", path, kinds[what->kind].title);
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

static void print_directory(const char *printable, const size_t counts[TACHO_FILE_KIND_COUNT])
{
    static const char *const advice[] = {
        "info %s",     "what they contain",
        "overview %s", "how busy each kind of engine was",
        "ops %s",      "which operations took the most time",
        "report %s",   "one page for the browser",
        NULL,
    };
    const char *separator = " with ";
    printf("%s: directory", printable);
    for (size_t kind = TACHO_FILE_KIND_COUNT; kind-- > 0;) {
        if (counts[kind] > 0) {
            bool is_other = kind == TACHO_FILE_UNKNOWN;
            const char *one = is_other                     ? "other file"
                              : kind == TACHO_FILE_FOREIGN ? "file of another tool"
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
}

static tacho_status about_path(const char *path, bool *out_is_known)
{
    char printable[PATH_BYTES];
    size_t counts[TACHO_FILE_KIND_COUNT];
    tacho_file_facts what = {TACHO_FILE_DEBUG, NULL, NULL};
    bool is_directory = false;
    tacho_front_printable(path, printable, sizeof(printable));
    tacho_status status = tacho_front_count_kinds(path, &is_directory, counts);
    if (status == TACHO_OK && is_directory) {
        print_directory(printable, counts);
    } else if (status == TACHO_OK) {
        status = tacho_front_recognise(path, &what);
        if (status == TACHO_OK) {
            print_about(&what, printable);
        }
    }
    *out_is_known = what.kind != TACHO_FILE_UNKNOWN;
    return status;
}

bool tacho_about_applies(const char *word)
{
    struct stat facts;
    return stat(word, &facts) == 0;
}

int tacho_about_run(int word_count, char **words)
{
    int exit_code = TACHO_OUTCOME_DONE;
    for (int i = 0; i < word_count; i++) {
        bool is_known = true;
        printf("%s", i > 0 ? "\n" : "");
        tacho_status status = about_path(words[i], &is_known);
        if (status != TACHO_OK) {
            bool is_misuse = tacho_status_code(status) == TACHO_CODE_USAGE;
            tacho_talk_failure(NULL, status);
            exit_code = is_misuse ? TACHO_OUTCOME_USAGE : TACHO_OUTCOME_FAILED;
        } else if (!is_known) {
            printf("'tacho help formats' lists the formats that tacho reads.\n");
            exit_code = TACHO_OUTCOME_FAILED;
        }
    }
    return exit_code;
}
