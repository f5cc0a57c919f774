/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of tacho are recognised by content: most have its name in them, tables have its columns.
 * Files in vendors' formats, and machine descriptions, are the same whoever wrote them; an output
 * of that kind may replace them.
 */
#include "api/requests/output_guard.h"

#include "base/input.h"
#include "api/requests/request.h"
#include "api/file_kind.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"
#include "sources/torq/torq.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_BYTES = 4096, KINDS_BYTES = 128 };

/* ---- suffixes ------------------------------------------------------------------------------ */

typedef struct suffix_kind {
    const char *suffix;
    unsigned kind;
} suffix_kind;

/* Of files that are no sinks' own. */
static const suffix_kind suffixes[] = {
    {".html", TACHO_WRITES_PAGE},    {".htm", TACHO_WRITES_PAGE},
    {".svg", TACHO_WRITES_PICTURE},  {".xml", TACHO_WRITES_TABLE},
    {".onnx", TACHO_WRITES_MODEL},   {".mlir", TACHO_WRITES_MODEL},
    {".mlirbc", TACHO_WRITES_MODEL}, {".vmfb", TACHO_WRITES_PROGRAM},
    {".npy", TACHO_WRITES_TENSOR},   {".tpart", TACHO_WRITES_PART},
};

static bool has_suffix(tacho_str path, const char *suffix)
{
    tacho_str end = tacho_str_from_cstring(suffix);
    return path.len > end.len && tacho_str_ends_with(path, end);
}

/* Kinds of files that the suffix of |path| may stand for; 0: it stands for none. */
static unsigned kinds_of_suffix(const char *name)
{
    tacho_str path = tacho_str_basename(tacho_str_from_cstring(name));
    path.len -= has_suffix(path, ".gz") ? 3 : has_suffix(path, ".zst") ? 4 : 0;
    unsigned kinds = tacho_table_sink_find_suffix(path) != NULL ? TACHO_WRITES_TABLE : 0;
    kinds |= has_suffix(path, ".json") ? TACHO_WRITES_MACHINE : 0;
    for (const tacho_trace_sink *const *sinks = tacho_trace_sinks(); *sinks != NULL; sinks++) {
        for (const char *const *suffix = (*sinks)->suffixes; *suffix != NULL; suffix++) {
            kinds |= has_suffix(path, *suffix) ? TACHO_WRITES_TRACE : 0;
        }
    }
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        kinds |= has_suffix(path, suffixes[i].suffix) ? suffixes[i].kind : 0;
    }
    return kinds;
}

/* "a page, a trace or a table". */
static void name_kinds(unsigned kinds, char out_text[KINDS_BYTES])
{
    static const char *const names[] = {
#define TACHO_WRITES_NAME(id, name) name,
        TACHO_WRITES_KINDS(TACHO_WRITES_NAME)
#undef TACHO_WRITES_NAME
    };
    size_t len = 0;
    out_text[0] = '\0';
    kinds &= ~(unsigned)(TACHO_WRITES_TORQ | TACHO_WRITES_OPS);
    for (size_t i = 0; kinds != 0; i++, kinds >>= 1) {
        if ((kinds & 1) != 0 && len < KINDS_BYTES) {
            const char *between = len == 0 ? "" : kinds == 1 ? " or " : ", ";
            len += (size_t)snprintf(out_text + len, KINDS_BYTES - len, "%s%s", between, names[i]);
        }
    }
}

/* The option for files of one of |kinds|; NULL: none. */
static const tacho_option *option_that_writes(tacho_request *given, unsigned kinds)
{
    for (size_t i = 0; i < given->type->option_count; i++) {
        if ((given->type->options[i].writes & kinds) != 0) {
            return &given->type->options[i];
        }
    }
    return NULL;
}

static int refuse_suffix(tacho_request *given, const tacho_option *option, const char *path,
                         unsigned named)
{
    char found[KINDS_BYTES];
    char written[KINDS_BYTES];
    name_kinds(named, found);
    name_kinds(option->writes, written);
    const tacho_option *other = option_that_writes(given, named);
    return other != NULL
               ? tacho_request_misuse(
                     given, "{%s} %s: the suffix belongs to %s, not %s; did you mean {%s}?",
                     option->name, path, found, written, other->name)
               : tacho_request_misuse(given, "{%s} %s: the suffix belongs to %s, not %s",
                                      option->name, path, found, written);
}

/* ---- what is there ------------------------------------------------------------------------- */

#define PAGE_MARK "name=\"generator\" content=\"tacho"

typedef struct mark {
    const char *text;
    unsigned kind;
    bool is_first; /* the file begins with it; else it is within the first or last bytes */
} mark;

static const mark marks[] = {
    {"tacho.tool", TACHO_WRITES_TRACE, false},
    {"\"tacho_part\"", TACHO_WRITES_TRACE, false},
    {"\"exporter\":\"tacho\"", TACHO_WRITES_TRACE, false},
    {"Written by tacho", TACHO_WRITES_TRACE, false},
    {"tacho.unended_spans=", TACHO_WRITES_TRACE, false},
    {"kind,file,group,track,class,index,start_ns,", TACHO_WRITES_TRACE, true},
    {"{\"kind\":\"", TACHO_WRITES_TRACE, true},
    {"\x89TCH", TACHO_WRITES_TRACE, true},
    {"{\"schema_version\":", TACHO_WRITES_TABLE, true},
    {"table,", TACHO_WRITES_TABLE, true},
    {"\"tacho.gate\"", TACHO_WRITES_TABLE, false},
    {"<testsuites name=\"tacho", TACHO_WRITES_TABLE, false},
    {"GLOBAL CALL COUNT,", TACHO_WRITES_OPS, false},
    {"ID,Total %,", TACHO_WRITES_OPS, true}, /* of tt-perf-report */
    {"TachoPrg", TACHO_WRITES_PROGRAM, false},
    {"\x93NUMPY", TACHO_WRITES_TENSOR, true},
};

/* The first and the last bytes of a file. */
typedef struct look {
    tacho_str head;
    tacho_str tail; /* empty where the file is compressed */
} look;

static bool holds(tacho_str text, const char *word)
{
    tacho_str needle = tacho_str_from_cstring(word);
    while (text.len >= needle.len) {
        if (tacho_str_starts_with(text, needle)) {
            return true;
        }
        text = tacho_str_from(text, 1);
        text = tacho_str_from(text, tacho_str_find_byte(text, needle.data[0]));
    }
    return false;
}

static tacho_str line_at(tacho_str text, size_t number)
{
    for (; number > 0; number--) {
        size_t end = tacho_str_find_byte(text, '\n');
        text = tacho_str_from(text, end < text.len ? end + 1 : end);
    }
    return tacho_str_make(text.data, tacho_str_find_byte(text, '\n'));
}

/* Tables for people: a title, then names of columns two blanks apart; or a title between lines. */
static bool is_text_table(tacho_str head)
{
    tacho_str title = line_at(head, 0);
    tacho_str columns = line_at(head, 1);
    bool is_overview = tacho_str_starts_with(title, TACHO_STR("=====")) && holds(title, "Overview");
    bool is_markdown = tacho_str_starts_with(title, TACHO_STR("### ")) &&
                       tacho_str_starts_with(line_at(head, 2), TACHO_STR("| "));
    bool is_titled =
        title.len > 0 && !holds(title, "  ") && holds(columns, "  ") && columns.data[0] != ' ';
    /* A verdict stands above the tables of an estimate or a breakdown. */
    bool is_verdict = tacho_str_equal(title, TACHO_STR("Verdict")) && holds(head, "\nAdvice\n");
    bool is_query = tacho_str_equal(title, TACHO_STR("Query")); /* it may have one column */
    return is_overview || is_markdown || is_titled || is_verdict || is_query;
}

static unsigned kinds_of_container(const look *found)
{
    unsigned kinds = 0;
    bool is_parquet = tacho_str_starts_with(found->head, TACHO_STR("PAR1"));
    bool is_sqlite = tacho_str_starts_with(found->head, TACHO_STR("SQLite format 3"));
    enum { SQLITE_ID = 68, ZIP_NAME = 30 };
    kinds |=
        is_parquet && holds(found->tail, "tacho") ? TACHO_WRITES_TABLE | TACHO_WRITES_TRACE : 0;
    kinds |= is_sqlite && found->head.len > SQLITE_ID + 4 &&
                     memcmp(found->head.data + SQLITE_ID, "taco", 4) == 0
                 ? TACHO_WRITES_TRACE
                 : 0;
    /* Other programs' workbooks begin with another entry. */
    kinds |= tacho_str_starts_with(found->head, TACHO_STR("PK\x03\x04")) &&
                     tacho_str_starts_with(tacho_str_from(found->head, ZIP_NAME),
                                           TACHO_STR("_rels/.rels"))
                 ? TACHO_WRITES_TABLE
                 : 0;
    return kinds;
}

/* Kinds of tacho's own that the file may be. */
static unsigned kinds_of_content(const look *found)
{
    unsigned kinds = kinds_of_container(found);
    if (holds(found->head, PAGE_MARK)) {
        return TACHO_WRITES_PAGE; /* there may be anything else in it */
    }
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const mark *at = &marks[i];
        bool is_there = at->is_first
                            ? tacho_str_starts_with(found->head, tacho_str_from_cstring(at->text))
                            : holds(found->head, at->text) || holds(found->tail, at->text);
        kinds |= is_there ? at->kind : 0;
    }
    bool is_text = tacho_str_find_byte(found->head, '\0') == found->head.len;
    kinds |= is_text && holds(found->head, "<svg") && holds(found->head, ">Roofline</text>")
                 ? TACHO_WRITES_PICTURE
                 : 0;
    return kinds | (is_text && is_text_table(found->head) ? TACHO_WRITES_TABLE : 0);
}

/* Formats that do not show who wrote the file. */
static unsigned kinds_of_format(const char *path, unsigned writes)
{
    tacho_file_facts facts = {TACHO_FILE_UNKNOWN, NULL, NULL};
    tacho_status_free(tacho_file_recognise(path, &facts));
    static const tacho_source *const torqs[] = {&tacho_source_torq_timeline,
                                                &tacho_source_torq_runtime, &tacho_source_torq_host,
                                                &tacho_source_torq_annotated};
    unsigned kinds = 0;
    for (size_t i = 0; i < sizeof(torqs) / sizeof(torqs[0]); i++) {
        kinds |= facts.detail == torqs[i]->title ? TACHO_WRITES_TORQ : 0;
    }
    kinds |= facts.kind == TACHO_FILE_MACHINE ? TACHO_WRITES_MACHINE : 0;
    kinds |= facts.kind == TACHO_FILE_PART ? TACHO_WRITES_PART : 0;
    /* Raw tensors have no form: they may replace whatever is not known to be something else. */
    bool is_raw = facts.kind == TACHO_FILE_UNKNOWN && (writes & TACHO_WRITES_TENSOR) != 0;
    return kinds | (is_raw ? TACHO_WRITES_TENSOR : 0);
}

static tacho_str read_tail(const char *path, off_t size, char room[LOOK_BYTES])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t from = size > LOOK_BYTES ? size - LOOK_BYTES : 0;
    ssize_t len = file >= 0 ? pread(file, room, LOOK_BYTES, from) : 0;
    if (file >= 0) {
        close(file);
    }
    return tacho_str_make(room, len > 0 ? (size_t)len : 0);
}

/* Whether tacho wrote the file of |size| bytes at |path|, as something that |option| writes. */
static tacho_status find_ours(const char *path, off_t size, unsigned writes, bool *out_is_ours)
{
    char room[LOOK_BYTES];
    tacho_input input;
    look found = {.tail = read_tail(path, size, room)};
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = tacho_input_peek(&input, LOOK_BYTES, &found.head);
    if (status == TACHO_OK) {
        found.tail.len = tacho_input_compression(&input) != NULL ? 0 : found.tail.len;
        *out_is_ours = found.head.len == 0 || (kinds_of_content(&found) & writes) != 0 ||
                       (kinds_of_format(path, writes) & writes) != 0;
    }
    tacho_input_close(&input);
    return status;
}

/* Words, and values of options such as 'program'; each request refuses to replace its inputs. */
static bool is_input(tacho_request *given, const char *path)
{
    for (size_t i = 0; i < given->item_count; i++) {
        const tacho_given_item *item = &given->items[i];
        bool is_output = item->option != NULL && item->option->writes != 0;
        if (!is_output && item->value != NULL && tacho_input_is_same_place(path, item->value)) {
            return true;
        }
    }
    return false;
}

int tacho_output_guard_check_path(tacho_request *given, const tacho_option *option,
                                  const char *path)
{
    unsigned named = kinds_of_suffix(path);
    struct stat facts;
    bool is_ours = false;
    size_t len = strlen(path);
    if (given->listener.may_replace == NULL || len == 0 || strcmp(path, "-") == 0 ||
        path[len - 1] == '/' || is_input(given, path)) {
        return TACHO_OUTCOME_DONE;
    }
    if (named != 0 && (named & option->writes) == 0) {
        return refuse_suffix(given, option, path, named);
    }
    if (tacho_request_has(given, "force") || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return TACHO_OUTCOME_DONE;
    }
    /* What cannot be read, or is damaged, is not known to be ours. */
    tacho_status_free(find_ours(path, facts.st_size, option->writes, &is_ours));
    if (is_ours || given->listener.may_replace(given->listener.user, path)) {
        return TACHO_OUTCOME_DONE;
    }
    char written[KINDS_BYTES];
    name_kinds(option->writes, written);
    return tacho_request_fail(
        given,
        tacho_request_failure(given, TACHO_CODE_IO,
                              "%s exists and is not %s written by tacho; use {force} to replace it",
                              path, written));
}

int tacho_output_guard_check(tacho_request *given)
{
    for (size_t i = 0; i < given->item_count; i++) {
        const tacho_given_item *item = &given->items[i];
        if (item->option == NULL || item->option->writes == 0) {
            continue;
        }
        /* "@FILE" writes a tensor to a file; other values of such an option are not paths. */
        bool is_tensor = item->option->writes == TACHO_WRITES_TENSOR;
        const char *path = is_tensor ? strchr(item->value, '@') : item->value;
        path = is_tensor && path != NULL ? path + 1 : path;
        int outcome = path != NULL ? tacho_output_guard_check_path(given, item->option, path)
                                   : TACHO_OUTCOME_DONE;
        if (outcome != TACHO_OUTCOME_DONE) {
            return outcome;
        }
    }
    return TACHO_OUTCOME_DONE;
}
