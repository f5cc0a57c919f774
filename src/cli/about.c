/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises a file by its content, in the order in which 'tacho info' does, and prints the
 * commands that read it. Pipes are not opened: what is read from them is gone.
 */
#include "cli/about.h"

#include "base/input.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/file_kind.h"
#include "cli/input_list.h"
#include "cli/talk.h"
#include "graph/model.h"
#include "machine/machine.h"
#include "program/qpc.h"
#include "sources/source.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { LOOK_BYTES = 4096, PURPOSE_WIDTH = 36 };

typedef enum file_kind {
    KIND_UNKNOWN,
    KIND_EMPTY,
    KIND_PIPE,
    KIND_PACKED, /* a compressed model or program */
    KIND_EVENTS,
    KIND_REPORT,
    KIND_PROGRAM,
    KIND_DEBUG,
    KIND_MODEL,
    KIND_MACHINE,
    KIND_STATS,
    KIND_RUNTIME, /* a profile that can be annotated */
    KIND_PROFILE,
    KIND_PIECE, /* of a run whose logs are read together */
    KIND_LOGS,  /* a directory of those */
    KIND_COUNT,
} file_kind;

/* What a kind is called, one and several, and what can be done with it. */
static const struct {
    const char *title;
    const char *plural;
    const char *advice[7]; /* command and purpose in turns; %s is the path */
} kinds[KIND_COUNT] = {
    [KIND_UNKNOWN] = {"unknown format", "other files", {NULL}},
    [KIND_EMPTY] = {"empty file", "empty files", {NULL}},
    [KIND_PIPE] = {"not a regular file", "special files", {NULL}},
    [KIND_PACKED] = {"compressed model or program; decompress it first",
                     "compressed files",
                     {NULL}},
    [KIND_EVENTS] = {"event table, written for other programs", "event tables", {NULL}},
    [KIND_REPORT] = {"report; open it in a browser", "reports", {NULL}},
    [KIND_PROGRAM] = {"compiled program",
                      "programs",
                      {"info %s", "what it contains", "run %s", "run it and see where time goes",
                       "opstats %s STATS_DIR --summary", "decode the raw stats of its runs"}},
    [KIND_DEBUG] = {"debug information of a Torq program",
                    "files of debug information",
                    {"info %s", "what it contains", "annotate %s RUNTIME.csv -o annotated.xlsx",
                     "join it with a runtime profile"}},
    [KIND_MODEL] = {"model",
                    "models",
                    {"info %s", "inputs, outputs and operators", "compile %s",
                     "estimate it on an accelerator", "run %s", "run it and see where time goes"}},
    [KIND_MACHINE] = {"machine description",
                      "machine descriptions",
                      {"machine check %s", "validate it", "machine show %s", "print it in full",
                       "compile MODEL -m %s", "estimate a model on it"}},
    [KIND_STATS] = {"raw stats",
                    "raw stats files",
                    {"opstats PROGRAM %s --summary", "decode it with the program that ran",
                     "report %s --program PROGRAM", "a page for the browser"}},
    [KIND_RUNTIME] = {"runtime profile",
                      "runtime profiles",
                      {"annotate DEBUG %s", "name its kernels and operators"}},
    [KIND_PROFILE] = {"profile", "profiles", {NULL}},
    [KIND_PIECE] = {"one of several logs of a run",
                    "logs of runs",
                    {"ops --join %s -o ops.csv", "the vendor's op table", "info DIRECTORY",
                     "all logs of the run as one profile"}},
    [KIND_LOGS] = {"profile", "profiles", {"ops --join %s -o ops.csv", "the vendor's op table"}},
};

/* Of every profile. */
static const char *const profile_advice[] = {
    "info %s",
    "what it contains",
    "overview %s",
    "how busy each kind of engine was",
    "ops %s",
    "which operations took the most time",
    "report %s",
    "a page for the browser",
    "convert %s -o trace.pb",
    "a trace for https://ui.perfetto.dev",
    NULL,
};

/* ---- what it is ---------------------------------------------------------------------------- */

typedef struct about {
    file_kind kind;
    const char *detail; /* the name of its format; NULL: none */
} about;

static bool is_machine(const char *path, tacho_str head)
{
    if (!tacho_str_starts_with(tacho_str_trim(head), TACHO_STR("{"))) {
        return false;
    }
    tacho_arena arena;
    tacho_machine *machine = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_machine_find(path, &arena, &machine);
    bool is_found = status == TACHO_OK;
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return is_found;
}

static about profile_of(const tacho_source *source)
{
    tacho_str name = tacho_str_from_cstring(source->name);
    bool is_runtime = tacho_str_equal(name, TACHO_STR("torq-runtime")) ||
                      tacho_str_equal(name, TACHO_STR("torq-host"));
    bool is_stats = tacho_str_equal(name, TACHO_STR("stats"));
    return (about){is_stats     ? KIND_STATS
                   : is_runtime ? KIND_RUNTIME
                                : KIND_PROFILE,
                   is_stats ? NULL : source->title};
}

static about recognise_head(tacho_input *input, const char *path, tacho_str head)
{
    const tacho_model_reader *reader = tacho_onnx_reader.is_mine(head)   ? &tacho_onnx_reader
                                       : tacho_mlir_reader.is_mine(head) ? &tacho_mlir_reader
                                                                         : NULL;
    bool is_program = head.len >= 4 && tacho_qpc_is_container(head);
    if ((is_program || reader != NULL) && tacho_input_compression(input) != NULL) {
        return (about){KIND_PACKED, NULL};
    }
    if (is_program || reader != NULL) {
        return (about){is_program ? KIND_PROGRAM : KIND_MODEL, reader == NULL ? NULL
                                                               : reader == &tacho_onnx_reader
                                                                   ? "ONNX"
                                                                   : "MLIR"};
    }
    const tacho_source *source = NULL;
    tacho_status status = tacho_source_resolve(input, &source);
    tacho_status_free(status);
    if (source != NULL) {
        return profile_of(source);
    }
    const char *piece = tacho_source_folder_piece(head);
    if (piece != NULL) {
        return (about){KIND_PIECE, piece};
    }
    if (tacho_str_starts_with(head, TACHO_STR("kind,file,group,track,class,index,start_ns,")) ||
        tacho_str_starts_with(head, TACHO_STR("{\"kind\":\""))) {
        return (about){KIND_EVENTS, NULL};
    }
    if (tacho_input_list_is_page(path)) {
        return (about){KIND_REPORT, NULL};
    }
    return (about){is_machine(path, head) ? KIND_MACHINE : KIND_UNKNOWN, NULL};
}

/* A failure is that of opening or reading the file. */
static tacho_status recognise(const char *path, about *out_about)
{
    tacho_input input;
    tacho_str head;
    const tacho_source *folder = tacho_source_find_folder(path);
    if (folder != NULL) {
        *out_about = (about){KIND_LOGS, folder->title};
        return TACHO_OK;
    }
    if (!tacho_input_is_rereadable(path)) {
        *out_about = (about){KIND_PIPE, NULL};
        return TACHO_OK;
    }
    if (tacho_cli_is_debug_info(path)) {
        *out_about = (about){KIND_DEBUG, NULL};
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = tacho_input_peek(&input, LOOK_BYTES, &head);
    if (status == TACHO_OK) {
        *out_about = head.len > 0 ? recognise_head(&input, path, head) : (about){KIND_EMPTY, NULL};
    }
    tacho_input_close(&input);
    return status;
}

/* ---- saying so ----------------------------------------------------------------------------- */

/* Prints "  what it contains   tacho info PATH" for each; |path| is printable. */
static void print_advice(const char *const *advice, tacho_str path)
{
    const char *quote = tacho_str_find_byte(path, ' ') < path.len ? "'" : "";
    for (size_t i = 0; advice[i] != NULL; i += 2) {
        const char *hole = strstr(advice[i], "%s");
        if (hole == NULL) {
            printf("  %-*s tacho %s\n", PURPOSE_WIDTH, advice[i + 1], advice[i]);
            continue;
        }
        printf("  %-*s tacho %.*s%s%.*s%s%s\n", PURPOSE_WIDTH, advice[i + 1],
               (int)(hole - advice[i]), advice[i], quote, TACHO_STR_ARG(path), quote, hole + 2);
    }
}

static void print_about(const about *what, tacho_str path)
{
    printf("%.*s: %s", TACHO_STR_ARG(path), kinds[what->kind].title);
    if (what->detail != NULL) {
        printf("; %s", what->detail);
    }
    printf("\n");
    if (what->kind == KIND_PROFILE || what->kind == KIND_RUNTIME || what->kind == KIND_LOGS) {
        print_advice(profile_advice, path);
    }
    print_advice(kinds[what->kind].advice, path);
}

static tacho_status count_kinds(const char *path, size_t counts[KIND_COUNT])
{
    tacho_input_list list;
    tacho_input_list_init(&list);
    tacho_status status = tacho_input_list_add(&list, path, "-");
    for (size_t i = 0; i < list.path_count && status == TACHO_OK; i++) {
        about what = {KIND_UNKNOWN, NULL};
        status = recognise(list.paths[i], &what);
        counts[what.kind]++;
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
    size_t counts[KIND_COUNT] = {0};
    TACHO_TRY(count_kinds(path, counts));
    const char *separator = " with ";
    printf("%.*s: directory", TACHO_STR_ARG(printable));
    for (size_t kind = KIND_COUNT; kind-- > 0;) {
        if (counts[kind] > 0) {
            bool is_other = kind == KIND_UNKNOWN;
            const char *one = is_other ? "other file" : kinds[kind].title;
            printf("%s%zu %s", separator, counts[kind],
                   counts[kind] > 1 ? kinds[kind].plural : one);
            separator = ", ";
        }
    }
    printf("%s\n", separator[0] == ',' ? "" : " without files");
    if (counts[KIND_PROFILE] + counts[KIND_RUNTIME] > 0) {
        print_advice(advice, printable);
    }
    return TACHO_OK;
}

static tacho_status about_path(const char *path, bool *out_is_known)
{
    struct stat facts;
    tacho_arena arena;
    tacho_str printable;
    about what = {KIND_DEBUG, NULL};
    if (stat(path, &facts) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    bool is_logs = S_ISDIR(facts.st_mode) && tacho_source_find_folder(path) != NULL;
    bool is_plain_directory = S_ISDIR(facts.st_mode) && !is_logs && !tacho_cli_is_debug_info(path);
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_printable(tacho_str_from_cstring(path), &arena, &printable);
    if (status == TACHO_OK && is_plain_directory) {
        status = about_directory(path, printable);
    } else if (status == TACHO_OK) {
        status = S_ISDIR(facts.st_mode) && !is_logs ? TACHO_OK : recognise(path, &what);
        if (status == TACHO_OK) {
            print_about(&what, printable);
        }
    }
    *out_is_known = what.kind != KIND_UNKNOWN;
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
