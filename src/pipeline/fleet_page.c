/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are read twice: for what they say together, then one by one for their own pages. Workers
 * write those side by side; what is to be said of them is kept and said in their order.
 */
#include "pipeline/fleet_page.h"

#include "base/folder.h"
#include "base/grow.h"
#include "base/workers.h"
#include "sinks/report_page.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 32 };

static const tacho_column page_columns[] = {TACHO_COLUMN(PATH, "path", TEXT)};

typedef struct writer {
    tacho_fleet_page *of;
    tacho_fleet_matrix matrix;
    tacho_fleet_view view;
    tacho_report *report;
    bool is_beside;
    char *folder; /* of pages beside it: "page-ranks" beside "page.html" */
} writer;

static tacho_status see_file(void *user, const tacho_fleet *one)
{
    return tacho_fleet_matrix_add(&((writer *)user)->matrix, one);
}

/* ---- the page ------------------------------------------------------------------------------ */

static tacho_status take_table(void *self, const tacho_table *table)
{
    return tacho_report_add_table(((writer *)self)->report, table);
}

/* Where pages beside it are: the page adds the number of a rank. */
static tacho_status add_folder(const writer *self)
{
    tacho_table table;
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(self->folder));
    tacho_table_init(&table, "fleet_pages", "Pages", page_columns, 1);
    tacho_status status = tacho_table_add_text(&table, name);
    status = status == TACHO_OK ? tacho_report_add_table(self->report, &table) : status;
    tacho_table_deinit(&table);
    return status;
}

static tacho_status lead(void *user, tacho_report *report)
{
    writer *self = user;
    const tacho_table_taker taker = {take_table, self};
    const tacho_fleet_question *const questions[] = {&tacho_fleet_question_steps,
                                                     &tacho_fleet_question_stragglers};
    self->report = report;
    TACHO_TRY(tacho_fleet_matrix_write(&self->matrix, &self->view, &taker));
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        TACHO_TRY(questions[i]->write(&self->view, self->of->tables, &taker));
    }
    TACHO_TRY(tacho_fleet_health(&self->view, &taker, &self->of->problem_count));
    return self->is_beside ? add_folder(self) : TACHO_OK;
}

/* ---- ranks --------------------------------------------------------------------------------- */

static int compare_path(const void *key, const void *path)
{
    return tacho_str_compare(*(const tacho_str *)key,
                             tacho_str_from_cstring(*(const char *const *)path));
}

/* The path of row |row| among those that were named; NULL: it came in a part. */
static const char *path_of(const writer *self, size_t row)
{
    const tacho_fleet_job *job = self->of->job;
    const tacho_fleet_file *file = tacho_fleet_view_file(&self->view, self->matrix.files[row]);
    tacho_str path = file != NULL ? tacho_fleet_view_path(&self->view, file) : TACHO_STR("");
    const char *const *found =
        bsearch(&path, job->paths, job->path_count, sizeof(*job->paths), compare_path);
    return found != NULL ? *found : NULL;
}

static tacho_status list_ranks(const writer *self, tacho_input_list *list)
{
    for (size_t i = 0; i < self->matrix.file_count; i++) {
        const char *path = path_of(self, i);
        TACHO_TRY(path != NULL ? tacho_input_list_add_file(list, path) : TACHO_OK);
    }
    return TACHO_OK;
}

static bool is_large(const writer *self)
{
    uint64_t spans = 0;
    for (size_t i = 0; i < self->matrix.file_count; i++) {
        const tacho_fleet_file *file = tacho_fleet_view_file(&self->view, self->matrix.files[i]);
        spans += file != NULL ? file->span_count : 0;
    }
    return spans > TACHO_FLEET_PAGE_SPANS;
}

/* ---- pages of ranks ------------------------------------------------------------------------ */

typedef struct kept_note {
    char *kind, *text;
    tacho_hint hint;
} kept_note;

/* The page of one rank, and what came of it. */
typedef struct rank_page {
    const char *path; /* NULL: it came in a part, and has no page */
    kept_note *notes;
    size_t note_count, note_capacity;
    bool is_written, has_losses;
    tacho_status failure;
} rank_page;

typedef struct crew {
    const writer *of;
    rank_page *pages; /* by row */
    pthread_mutex_t lock;
    size_t next;
    bool has_failed;
} crew;

/* Where there is no memory for it, a note is lost. */
static void keep_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    rank_page *page = self;
    kept_note note = {strdup(kind), strdup(text), hint};
    tacho_status status = tacho_grow(&page->notes, &page->note_capacity, page->note_count + 1);
    if (status == TACHO_OK && note.kind != NULL && note.text != NULL) {
        page->notes[page->note_count++] = note;
        return;
    }
    tacho_status_free(status);
    free(note.kind);
    free(note.text);
}

/* Says what was kept, where |to| is not NULL, and forgets it. */
static void say_notes(rank_page *page, const tacho_notes *to)
{
    for (size_t i = 0; i < page->note_count; i++) {
        if (to != NULL) {
            to->take(to->self, page->notes[i].kind, page->notes[i].text, page->notes[i].hint);
        }
        free(page->notes[i].kind);
        free(page->notes[i].text);
    }
    free(page->notes);
    page->notes = NULL;
    page->note_count = page->note_capacity = 0;
}

/* Writes the page of |path| to |output|. */
static tacho_status write_page(const writer *self, const char *output, rank_page *page)
{
    const tacho_notes notes = {keep_note, page};
    tacho_page_request request = *self->of->page;
    tacho_page_result result;
    tacho_input_list list;
    tacho_input_list_init(&list);
    request.output_path = output;
    request.lead = NULL;
    request.title = page->path;
    request.notes = request.notes != NULL ? &notes : NULL;
    tacho_status status = tacho_input_list_add_file(&list, page->path);
    status = status == TACHO_OK ? tacho_page_write(&request, &list, &result) : status;
    page->is_written = status == TACHO_OK;
    page->has_losses = page->is_written && result.has_losses;
    tacho_input_list_deinit(&list);
    return status;
}

/* It is called by its row. */
static tacho_status write_rank(const writer *self, size_t row, rank_page *page)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "/%zu.html", row);
    size_t len = strlen(self->folder) + strlen(name) + 1;
    char *output = malloc(len);
    if (output == NULL) {
        return tacho_no_memory();
    }
    snprintf(output, len, "%s%s", self->folder, name);
    tacho_status status = write_page(self, output, page);
    free(output);
    return status;
}

/* The next row with a page; false when there is none, or work has failed. */
static bool take_next(crew *self, size_t *out_row)
{
    size_t count = self->of->matrix.file_count;
    pthread_mutex_lock(&self->lock);
    while (self->next < count && self->pages[self->next].path == NULL) {
        self->next++;
    }
    bool has_more = !self->has_failed && self->next < count;
    *out_row = self->next;
    self->next += has_more ? 1 : 0;
    pthread_mutex_unlock(&self->lock);
    return has_more;
}

static void *work(void *user)
{
    crew *self = user;
    for (size_t row = 0; take_next(self, &row);) {
        rank_page *page = &self->pages[row];
        page->failure = write_rank(self->of, row, page);
        if (page->failure != TACHO_OK) {
            pthread_mutex_lock(&self->lock);
            self->has_failed = true;
            pthread_mutex_unlock(&self->lock);
        }
    }
    return NULL;
}

/* What came of all pages; rows are taken in order, so the first failure is that of one worker. */
static tacho_status collect(writer *self, rank_page *pages)
{
    tacho_status first = TACHO_OK;
    for (size_t i = 0; i < self->matrix.file_count; i++) {
        rank_page *page = &pages[i];
        say_notes(page, first == TACHO_OK ? self->of->page->notes : NULL);
        self->of->page_count += page->is_written ? 1 : 0;
        self->of->result.has_losses |= page->has_losses;
        if (first == TACHO_OK) {
            first = page->failure;
        } else {
            tacho_status_free(page->failure);
        }
    }
    return first;
}

static tacho_status write_ranks(writer *self)
{
    bool is_new = false;
    crew all = {.of = self};
    TACHO_TRY(tacho_folder_ensure(self->folder, &is_new));
    TACHO_TRY(tacho_items_make(&all.pages, self->matrix.file_count));
    for (size_t i = 0; i < self->matrix.file_count; i++) {
        all.pages[i].path = path_of(self, i);
    }
    pthread_mutex_init(&all.lock, NULL);
    tacho_workers_run(self->of->job->worker_count, self->matrix.file_count, work, &all);
    pthread_mutex_destroy(&all.lock);
    tacho_status status = collect(self, all.pages);
    free(all.pages);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static tacho_status refuse_problems(const writer *self)
{
    const tacho_table_taker nobody = {.take = NULL};
    size_t count = 0;
    TACHO_TRY(tacho_fleet_health(&self->view, &nobody, &count));
    return count == 0 ? TACHO_OK
                      : tacho_fail(TACHO_CODE_BAD_DATA, "%zu problem%s with the files", count,
                                   count == 1 ? "" : "s");
}

/* "out/page.html" has "out/page-ranks" beside it. */
static tacho_status name_folder(writer *self)
{
    static const char suffix[] = "-ranks";
    const char *path = self->of->page->output_path;
    size_t len = strlen(path);
    len -= len > 5 && strcmp(path + len - 5, ".html") == 0 ? 5 : 0;
    self->folder = malloc(len + sizeof(suffix));
    if (self->folder == NULL) {
        return tacho_no_memory();
    }
    memcpy(self->folder, path, len);
    memcpy(self->folder + len, suffix, sizeof(suffix));
    return TACHO_OK;
}

static tacho_status write_pages(writer *self)
{
    tacho_fleet_page *of = self->of;
    tacho_input_list list;
    TACHO_TRY(tacho_fleet_view_init(&self->view, of->fleet));
    of->rank_count = self->matrix.file_count;
    if (of->rank_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "none of %zu file%s is the profile of a rank",
                          of->job->path_count, of->job->path_count == 1 ? "" : "s");
    }
    TACHO_TRY(tacho_fleet_matrix_settle(&self->matrix, &self->view));
    TACHO_TRY(of->page->is_strict ? refuse_problems(self) : TACHO_OK);
    TACHO_TRY(name_folder(self));
    self->is_beside = of->is_split || is_large(self);
    TACHO_TRY(self->is_beside ? write_ranks(self) : TACHO_OK);
    tacho_input_list_init(&list);
    of->page->lead = lead;
    of->page->leader = self;
    tacho_status status = self->is_beside ? TACHO_OK : list_ranks(self, &list);
    status = status == TACHO_OK ? tacho_page_write(of->page, &list, &of->result) : status;
    tacho_input_list_deinit(&list);
    return status;
}

tacho_status tacho_fleet_page_write(tacho_fleet_page *page)
{
    writer self = {.of = page};
    page->job->sections = TACHO_FLEET_STEPS | TACHO_FLEET_COLLECTIVES;
    page->job->see = see_file;
    page->job->user = &self;
    tacho_status status = tacho_fleet_matrix_init(&self.matrix);
    status = status == TACHO_OK ? tacho_fleet_init(page->fleet, page->job->sections) : status;
    status = status == TACHO_OK ? tacho_fleet_run(page->job, page->fleet) : status;
    status = status == TACHO_OK ? write_pages(&self) : status;
    free(self.folder);
    tacho_fleet_view_deinit(&self.view);
    tacho_fleet_matrix_deinit(&self.matrix);
    return status;
}
