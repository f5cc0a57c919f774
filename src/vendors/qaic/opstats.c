/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of one inference at a time: those of all devices are open together, no others.
 */
#include "vendors/qaic/opstats.h"

#include "questions/analysis.h"
#include "questions/opstats/opstats_tables.h"
#include "base/grow.h"
#include "vendors/qaic/stats_trace.h"
#include "base/folder.h"
#include "vendors/qaic/opstats_decoder.h"
#include "sinks/opstats_text.h"
#include "sources/stats/stats_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MESSAGE_BYTES = 1024 };

typedef struct opened_stats {
    const tacho_stats_name *name;
    tacho_opstats_file raw;
} opened_stats;

typedef struct opstats_run {
    const tacho_opstats_request *request;
    tacho_opstats_decoder decoder;
    tacho_stats_names names;
    tacho_host_sync host;
    tacho_arena arena;       /* of paths; emptied after each inference */
    opened_stats *opened;    /* of one inference, at most one per device */
    tacho_stats_file *files; /* the same, for who wants them in a row */
    size_t opened_count;
    tacho_table_report *report; /* of roll-ups */
    tacho_output_group outputs; /* summaries and traces */
    bool has_report;
    bool has_barriers; /* in what traces were asked to show of them */
    uint64_t problem_count, record_count, summary_count, trace_count, rollup_count;
    uint64_t read_count; /* files that were not passed over */
} opstats_run;

/* ---- talk ---------------------------------------------------------------------------------- */

static void say(const opstats_run *self, const char *kind, tacho_str name, const char *text)
{
    tacho_note(self->request->notes, kind, "%.*s: %s", TACHO_STR_ARG(name), text);
}

/* A file that could not be read, or not all of it: said and counted. */
static void say_problem(opstats_run *self, const tacho_stats_name *name, const char *text)
{
    self->problem_count++;
    say(self, "warning", tacho_str_basename(tacho_str_from_cstring(name->path)), text);
}

static void say_damage(opstats_run *self, const tacho_stats_name *name,
                       const tacho_stats_damage *damage)
{
    char text[MESSAGE_BYTES / 2];
    if (damage->damaged_bytes > 0 || damage->missing_chunks > 0) {
        snprintf(text, sizeof(text),
                 "%" PRIu64 " damaged byte%s from byte %" PRIu64 " on, %" PRIu64
                 " chunk%s missing; the rest is used",
                 damage->damaged_bytes, damage->damaged_bytes == 1 ? "" : "s", damage->first_damage,
                 damage->missing_chunks, damage->missing_chunks == 1 ? "" : "s");
        say_problem(self, name, text);
    }
    if (damage->is_cut) {
        say_problem(self, name, "the file is truncated; the rest is used");
    }
    if (damage->bad_records > 0) {
        snprintf(text, sizeof(text), "%" PRIu64 " record%s not understood but required",
                 damage->bad_records, damage->bad_records == 1 ? "" : "s");
        say_problem(self, name, text);
    }
    if (damage->unknown_chunks > 0 && self->request->is_verbose) {
        snprintf(text, sizeof(text), "%" PRIu64 " chunks of unknown type skipped",
                 damage->unknown_chunks);
        say(self, "note", name->base, text);
    }
}

/* ---- opening ------------------------------------------------------------------------------- */

static tacho_status read_file(opstats_run *self, opened_stats *opened)
{
    struct stat facts;
    if (stat(opened->name->path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "not a regular file");
    }
    return tacho_opstats_file_open(&self->decoder, opened->name->path, &opened->raw);
}

static bool is_opened(const opstats_run *self, uint32_t device)
{
    for (size_t i = 0; i < self->opened_count; i++) {
        if (self->opened[i].raw.file.head.device == device) {
            return true;
        }
    }
    return false;
}

/* A file says of what inference it is; one that was renamed may be taken for another. */
static void check_name(opstats_run *self, const tacho_stats_name *name,
                       const tacho_stats_head *head)
{
    if (name->activation != head->activation || name->inference != head->inference ||
        (name->slice != UINT64_MAX && name->copy == UINT64_MAX && name->slice != head->device)) {
        char text[MESSAGE_BYTES / 2];
        snprintf(text, sizeof(text),
                 "the name does not match the content: activation %" PRIu32 ", inference %" PRIu64
                 " of device %" PRIu32,
                 head->activation, head->inference, head->device);
        say_problem(self, name, text);
    }
}

/* Whether it may be shown beside what is open. */
static tacho_status check_sibling(const opstats_run *self, const tacho_stats_head *head)
{
    if (is_opened(self, head->device)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "another file of device %" PRIu32 " of this inference is used",
                          head->device);
    }
    const tacho_stats_head *first = &self->opened[0].raw.file.head;
    if (self->opened_count > 0 &&
        (first->inference != head->inference || first->activation != head->activation)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "inference %" PRIu64 ", but the other devices' files are of inference "
                          "%" PRIu64,
                          head->inference, first->inference);
    }
    return TACHO_OK;
}

/* Opens a file; one that cannot be used is said, counted and passed over, but where the computer
 * failed and not the file. */
static tacho_status open_file(opstats_run *self, const tacho_stats_name *name)
{
    tacho_str network =
        tacho_strings_get(&self->decoder.program.strings, self->decoder.program.facts.name);
    if (!tacho_stats_name_is_of(name, network)) {
        char text[MESSAGE_BYTES / 2];
        snprintf(text, sizeof(text), "network '%.*s' is not in the program, which has '%.*s'",
                 (int)(name->network.len > 120 ? 120 : name->network.len), name->network.data,
                 (int)(network.len > 120 ? 120 : network.len), network.data);
        say_problem(self, name, text);
        return TACHO_OK;
    }
    opened_stats opened = {.name = name};
    tacho_status status = read_file(self, &opened);
    if (status == TACHO_OK) {
        status = check_sibling(self, &opened.raw.file.head);
    }
    if (status != TACHO_OK) {
        tacho_code code = tacho_status_code(status);
        tacho_opstats_file_close(&opened.raw);
        if (code == TACHO_CODE_NO_MEMORY || code == TACHO_CODE_IO) {
            return status;
        }
        say_problem(self, name, tacho_status_message(status));
        tacho_status_free(status);
        return TACHO_OK;
    }
    check_name(self, name, &opened.raw.file.head);
    say_damage(self, name, &opened.raw.file.damage);
    self->opened[self->opened_count++] = opened;
    return TACHO_OK;
}

static void close_files(opstats_run *self)
{
    for (size_t i = 0; i < self->opened_count; i++) {
        tacho_opstats_file_close(&self->opened[i].raw);
    }
    self->opened_count = 0;
    tacho_arena_reset(&self->arena);
}

/* ---- outputs ------------------------------------------------------------------------------- */

/* "directory/base.qaic-opstats.what"; |middle| goes behind the base. */
static tacho_status make_path(opstats_run *self, tacho_str base, const char *middle,
                              const char *what, const char **out_path)
{
    char tail[64];
    tacho_text text = {0};
    tacho_str name;
    int len = snprintf(tail, sizeof(tail), "%s.qaic-opstats.%s", middle, what);
    tacho_status status = tacho_text_put(&text, base);
    if (status == TACHO_OK) {
        status = tacho_text_put(&text, tacho_str_make(tail, (size_t)len));
    }
    if (status == TACHO_OK) {
        name = tacho_text_take(&text);
        status = tacho_folder_join(self->request->output_folder, name, &self->arena, out_path);
    }
    tacho_text_deinit(&text);
    return status;
}

/* What keeps outputs of copies apart: "_1". */
static void copy_suffix(const tacho_stats_name *name, char out_suffix[32])
{
    out_suffix[0] = '\0';
    if (name->copy != UINT64_MAX) {
        snprintf(out_suffix, 32, "_%" PRIu64, name->copy);
    }
}

static tacho_status put_summary(opstats_run *self, const tacho_table *tables, tacho_output *output)
{
    const tacho_table_sink *sink = self->request->table_sink;
    if (sink == NULL) {
        tacho_opstats_text_write(tables, output);
        return TACHO_OK;
    }
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, sink, output));
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < TACHO_OPSTATS_TABLE_COUNT && status == TACHO_OK; i++) {
        if (tables[i].cell_count > 0) {
            status = tacho_table_report_add(&report, &tables[i]);
        }
    }
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&report);
    }
    tacho_table_report_close(&report);
    return status;
}

static tacho_status write_tables(opstats_run *self, const tacho_table *tables, const char *path)
{
    tacho_output output;
    bool is_book = tacho_str_ends_with(tacho_str_from_cstring(path), TACHO_STR(".xlsx"));
    TACHO_TRY(tacho_output_open_chosen(path, is_book ? "_rels/.rels" : "ucycles", &output));
    tacho_status status = put_summary(self, tables, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit_to(&output, &self->outputs);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status write_summary(opstats_run *self, const opened_stats *opened)
{
    const tacho_table_sink *sink = self->request->table_sink;
    char copy[32];
    char what[32];
    const char *path = NULL;
    copy_suffix(opened->name, copy);
    snprintf(what, sizeof(what), "summary%s", sink != NULL ? sink->suffix : ".txt");
    TACHO_TRY(make_path(self, opened->name->base, copy, what, &path));
    tacho_table tables[TACHO_OPSTATS_TABLE_COUNT];
    TACHO_TRY(tacho_opstats_read(&self->decoder.stats, &opened->raw.file));
    self->record_count += self->decoder.stats.record_count;
    tacho_status status = tacho_opstats_tables_init(tables, &self->decoder.stats);
    if (status == TACHO_OK) {
        status = write_tables(self, tables, path);
    }
    tacho_opstats_tables_deinit(tables);
    self->summary_count += status == TACHO_OK ? 1 : 0;
    return status;
}

/* ---- traces -------------------------------------------------------------------------------- */

static bool has_one_timer(const opstats_run *self)
{
    for (size_t i = 1; i < self->opened_count; i++) {
        if (self->opened[i].raw.file.head.timer_hz != self->opened[0].raw.file.head.timer_hz) {
            return false;
        }
    }
    return true;
}

static tacho_status write_trace_of(opstats_run *self, size_t first, size_t count)
{
    const tacho_opstats_request *request = self->request;
    const tacho_stats_name *name = self->opened[first].name;
    char middle[32] = "-merged";
    char what[32];
    const char *path = NULL;
    if (count == 1) {
        copy_suffix(name, middle);
    }
    snprintf(what, sizeof(what), "trace%s", request->trace_sink->suffixes[0]);
    TACHO_TRY(make_path(self, count == 1 ? name->base : name->stem, middle, what, &path));
    tacho_stats_trace trace = {
        .set = {.files = &self->files[first],
                .file_count = count,
                .words = &self->decoder.words,
                .path = tacho_str_from_cstring(name->path),
                .name = tacho_strings_get(&self->decoder.program.strings,
                                          self->decoder.program.facts.name),
                .view = request->view},
        .host_path = request->host_path,
        .host = self->host,
        .output_path = path,
        .outputs = &self->outputs,
        .sink = request->trace_sink,
    };
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_stats_trace_write(&trace, &dict);
    }
    for (size_t i = 0; status == TACHO_OK && i < dict.loss_count; i++) {
        /* What the file itself lacks has been said. */
        if (dict.losses[i].reason == TACHO_LOSS_TIME_OVERFLOW ||
            dict.losses[i].reason == TACHO_LOSS_DROPPED || dict.losses[i].part > 0) {
            self->problem_count++;
            say(self, "warning", name->base, tacho_loss_phrase(dict.losses[i].reason));
        }
    }
    tacho_dict_deinit(&dict);
    self->trace_count += status == TACHO_OK ? 1 : 0;
    return status;
}

/* Whether a thread waited behind an op. */
static bool has_barrier(const tacho_stats_file *file)
{
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        const tacho_stats_op *ops = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_op && j < array->count; j++) {
            if (ops[j].oc != TACHO_NONE && ops[j].barrier_end_u > ops[j].op_end_u) {
                return true;
            }
        }
    }
    return false;
}

static bool shows_device(const opstats_run *self, size_t at)
{
    return tacho_stats_choice_has(&self->request->view.devices,
                                  self->opened[at].raw.file.head.device);
}

static tacho_status write_traces(opstats_run *self)
{
    bool merges = self->request->merges_devices && self->opened_count > 1;
    if (merges && !has_one_timer(self)) {
        say_problem(self, self->opened[0].name,
                    "devices of this inference have timers of different rates; not merged");
        merges = false;
    }
    for (size_t i = 0; i < self->opened_count; i++) {
        self->files[i] = self->opened[i].raw.file;
        self->has_barriers |= !self->has_barriers && self->request->view.shows_barriers &&
                              has_barrier(&self->files[i]);
    }
    bool shows_any = false;
    for (size_t i = 0; i < self->opened_count; i++) {
        shows_any |= shows_device(self, i);
        if (!merges && shows_device(self, i)) {
            TACHO_TRY(write_trace_of(self, i, 1));
        }
    }
    return merges && shows_any ? write_trace_of(self, 0, self->opened_count) : TACHO_OK;
}

/* ---- roll-ups ------------------------------------------------------------------------------ */

static tacho_status take_rollup(void *user, const tacho_table *table)
{
    opstats_run *self = user;
    bool has_rows = table->cell_count > 0;
    self->rollup_count += has_rows ? 1 : 0;
    return has_rows ? tacho_table_report_add(self->report, table) : TACHO_OK;
}

static tacho_status write_rollup(opstats_run *self)
{
    const tacho_stats_file **files = NULL;
    TACHO_TRY(tacho_items_make(&files, self->opened_count));
    for (size_t i = 0; i < self->opened_count; i++) {
        files[i] = &self->opened[i].raw.file;
    }
    tacho_rollup_files all = {files, self->opened_count, &self->decoder.words,
                              &self->decoder.stats};
    const tacho_table_taker taker = {take_rollup, self};
    tacho_status status = tacho_analysis_rollup.make(&all, &self->request->rollup, &taker);
    free(files);
    return status;
}

/* ---- all files ----------------------------------------------------------------------------- */

static tacho_status process_opened(opstats_run *self)
{
    const tacho_opstats_request *request = self->request;
    for (size_t i = 0; i < self->opened_count; i++) {
        if (request->is_verbose) {
            char text[MESSAGE_BYTES / 2];
            const tacho_stats_head *head = &self->opened[i].raw.file.head;
            snprintf(text, sizeof(text), "level %u, device %u of %u, %zu chunks of records",
                     (unsigned)head->level, (unsigned)head->device, (unsigned)head->device_count,
                     self->opened[i].raw.file.array_count);
            say(self, "decoding", self->opened[i].name->base, text);
        }
        if (request->wants_summary) {
            TACHO_TRY(write_summary(self, &self->opened[i]));
        }
    }
    if (request->wants_trace && self->opened_count > 0) {
        TACHO_TRY(write_traces(self));
    }
    if (request->rollup != TACHO_ROLLUP_NONE && self->opened_count > 0) {
        TACHO_TRY(write_rollup(self));
    }
    return TACHO_OK;
}

/* The files of one inference from |first| on. */
static tacho_status open_inference(opstats_run *self, size_t first, size_t *out_count)
{
    const tacho_stats_name *names = self->names.items;
    size_t end = first;
    do {
        TACHO_TRY(open_file(self, &names[end++]));
    } while (end < self->names.item_count &&
             self->opened_count < self->decoder.program.facts.device_count &&
             tacho_stats_name_is_sibling(&names[first], &names[end]));
    *out_count = end - first;
    return TACHO_OK;
}

/* Devices of an inference of which there is no file. */
static void say_missing(opstats_run *self, const tacho_stats_name *name)
{
    uint32_t devices = self->decoder.program.facts.device_count;
    if (self->opened_count > 0 && self->opened_count < devices) {
        char text[MESSAGE_BYTES / 2];
        snprintf(text, sizeof(text), "%zu of the %" PRIu32 " devices' stats are there",
                 self->opened_count, devices);
        say_problem(self, name, text);
    }
}

/* Names as of raw stats, but without their numbers. */
static void say_bad_names(opstats_run *self)
{
    for (size_t i = 0; i < self->names.bad_count; i++) {
        self->problem_count++;
        say(self, "warning", tacho_str_from_cstring(self->names.bad[i]),
            "a number in the name is missing or larger than 64 bits; skipped");
    }
}

static tacho_status process_inferences(opstats_run *self, const tacho_progress *progress)
{
    for (size_t at = 0; at < self->names.item_count;) {
        size_t count = 0;
        tacho_status status = open_inference(self, at, &count);
        if (status == TACHO_OK) {
            self->read_count += self->opened_count;
            say_missing(self, &self->names.items[at]);
            status = process_opened(self);
        }
        close_files(self);
        TACHO_TRY(status);
        at += count;
        if (progress->update != NULL) {
            progress->update(progress->self, at, self->names.item_count);
        }
    }
    return TACHO_OK;
}

/* What was written before a failure stays. */
static tacho_status process_all(opstats_run *self, const tacho_progress *progress)
{
    say_bad_names(self);
    tacho_status status = process_inferences(self, progress);
    tacho_status last = tacho_output_group_finish(&self->outputs);
    if (status == TACHO_OK) {
        return last;
    }
    tacho_status_free(last);
    return status;
}

static tacho_status add_rollups(void *user, tacho_table_report *report)
{
    opstats_run *self = user;
    self->report = report;
    return process_all(self, &self->request->progress);
}

static tacho_status process_with_report(opstats_run *self)
{
    if (self->request->rollup == TACHO_ROLLUP_NONE) {
        return process_all(self, &self->request->progress);
    }
    const tacho_table_target to = {
        .sink =
            self->request->table_sink != NULL ? self->request->table_sink : &tacho_table_sink_text,
        .path = self->request->keeper != NULL ? NULL : "-",
        .keeper = self->request->keeper,
    };
    return tacho_table_report_write(&to, add_rollups, self);
}

static tacho_status prepare(opstats_run *self)
{
    const tacho_opstats_request *request = self->request;
    tacho_status status = tacho_opstats_decoder_init(&self->decoder, request->program_path);
    if (status != TACHO_OK) {
        status = tacho_status_add_note(status, "expected a compiled program, such as "
                                               "programqpc.bin");
        return tacho_status_add_hint(status, TACHO_HINT_COMPILE_PROGRAM, "");
    }
    if (!tacho_opstats_decoder_can(&self->decoder)) {
        return TACHO_OK;
    }
    size_t device_count = self->decoder.program.facts.device_count;
    self->opened = tacho_items_alloc(device_count, sizeof(*self->opened));
    self->files = tacho_items_alloc(device_count, sizeof(*self->files));
    if (self->opened == NULL || self->files == NULL) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_stats_names_init(&self->names, request->input_path));
    if (self->names.item_count == 0 && self->names.bad_count == 0) {
        return tacho_fail(TACHO_CODE_NOT_FOUND,
                          "%s: no raw stats among its %zu files; expected names such as "
                          "aic-profiling-program-0-activation-0-inf-0-NETWORK-aiccyclecounts.bin",
                          request->input_path, self->names.other_count);
    }
    if (request->host_path != NULL && request->wants_trace) {
        TACHO_TRY(tacho_host_sync_read(request->host_path, &self->host));
    }
    bool is_new = false;
    return request->wants_summary || request->wants_trace
               ? tacho_folder_ensure(request->output_folder, &is_new)
               : TACHO_OK;
}

/* Numbers that nothing has are said; where that is all of them, nothing is shown: a problem. */
static void check_choice(opstats_run *self, const tacho_stats_choice *choice, uint32_t count,
                         const char *what)
{
    size_t missing = 0;
    for (size_t i = 0; i < choice->item_count; i++) {
        if (choice->items[i] >= count) {
            missing++;
            tacho_note(self->request->notes, "warning", "selected %ss: the program has no %s %u",
                       what, what, (unsigned)choice->items[i]);
        }
    }
    if (missing > 0 && missing == choice->item_count) {
        self->problem_count++;
        tacho_note(self->request->notes, "warning", "selected %ss: none is left; there are 0 to %u",
                   what, count > 0 ? (unsigned)count - 1 : 0);
    }
}

/* What is missing because of how the program was compiled. */
static void say_level(const opstats_run *self)
{
    unsigned level = self->decoder.program.facts.stats.level;
    if (level < TACHO_STATS_LEVEL_OPS) {
        tacho_note(self->request->notes, "note",
                   "compiled with stats level %u: operators are recorded from stats level %d on",
                   level, (int)TACHO_STATS_LEVEL_OPS);
    }
}

static void say_barriers(const opstats_run *self)
{
    if (self->request->view.shows_barriers && self->trace_count > 0 && !self->has_barriers) {
        tacho_note(self->request->notes, "note", "%s",
                   self->decoder.program.facts.stats.level < TACHO_STATS_LEVEL_OPS
                       ? "barriers are recorded with operators, from stats level 70 on"
                       : "no thread waited at a barrier");
    }
}

static void say_rollup(const opstats_run *self)
{
#define ROLLUP_WORD(name, word, title) [TACHO_ROLLUP_##name] = word,
    static const char *const words[TACHO_ROLLUP_COUNT] = {TACHO_ROLLUPS(ROLLUP_WORD)};
#undef ROLLUP_WORD
    if (self->request->rollup != TACHO_ROLLUP_NONE && self->rollup_count == 0) {
        tacho_note(self->request->notes, "note",
                   "rollup by %s: nothing of it was recorded in %" PRIu64 " file%s",
                   words[self->request->rollup], self->read_count,
                   self->read_count == 1 ? "" : "s");
    }
}

static void say_result(const opstats_run *self)
{
    char text[MESSAGE_BYTES];
    size_t file_count = self->names.item_count + self->names.bad_count;
    int len = snprintf(text, sizeof(text),
                       "%.400s: %" PRIu64 " summar%s and %" PRIu64 " trace%s of %zu file%s",
                       self->request->output_folder, self->summary_count,
                       self->summary_count == 1 ? "y" : "ies", self->trace_count,
                       self->trace_count == 1 ? "" : "s", file_count, file_count == 1 ? "" : "s");
    if (self->read_count < file_count) {
        len += snprintf(text + len, sizeof(text) - (size_t)len, ", %zu of them skipped",
                        file_count - (size_t)self->read_count);
    }
    if (self->problem_count > 0) {
        snprintf(text + len, sizeof(text) - (size_t)len, "; %" PRIu64 " problem%s",
                 self->problem_count, self->problem_count == 1 ? "" : "s");
    }
    tacho_note(self->request->notes, "wrote", "%s", text);
}

static tacho_status run(opstats_run *self)
{
    const tacho_opstats_request *request = self->request;
    TACHO_TRY(prepare(self));
    if (!tacho_opstats_decoder_can(&self->decoder)) {
        tacho_note(
            self->request->notes, "note", "%s",
            "the program records no stats; compile it with stats level 40 for inferences, 70 for "
            "ops");
        return TACHO_OK;
    }
    say_level(self);
    check_choice(self, &request->view.cores, self->decoder.program.facts.core_count, "core");
    check_choice(self, &request->view.devices, self->decoder.program.facts.device_count, "device");
    tacho_status status = process_with_report(self);
    TACHO_TRY(status);
    say_barriers(self);
    say_rollup(self);
    if (!request->is_quiet && (request->wants_summary || request->wants_trace)) {
        say_result(self);
    }
    return TACHO_OK;
}

tacho_status tacho_opstats_run(const tacho_opstats_request *request, uint64_t *out_problem_count)
{
    opstats_run self = {.request = request};
    tacho_arena_init(&self.arena);
    tacho_status status = run(&self);
    *out_problem_count = self.problem_count;
    tacho_output_group_deinit(&self.outputs);
    tacho_opstats_decoder_deinit(&self.decoder);
    tacho_stats_names_deinit(&self.names);
    tacho_arena_deinit(&self.arena);
    free(self.opened);
    free(self.files);
    return status;
}
