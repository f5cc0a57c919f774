/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a request, and running it.
 */
#include "api/requests/request.h"

#include "api/entry.h"
#include "api/requests/output_guard.h"
#include "api/requests/results.h"
#include "base/grow.h"

#include <stdlib.h>

/* ---- types ----------------------------------------------------------------------------------- */

static const tacho_request_type *find_type(const char *name)
{
    for (size_t i = 0; name != NULL && tacho_request_types[i] != NULL; i++) {
        if (strcmp(tacho_request_types[i]->name, name) == 0) {
            return tacho_request_types[i];
        }
    }
    return NULL;
}

const char *tacho_request_name(size_t index)
{
    for (size_t i = 0; tacho_request_types[i] != NULL; i++) {
        if (i == index) {
            return tacho_request_types[i]->name;
        }
    }
    return NULL;
}

const tacho_option *tacho_request_options(const char *name, size_t *out_count)
{
    const tacho_request_type *type = find_type(name);
    *out_count = type != NULL ? type->option_count : 0;
    return type != NULL ? type->options : NULL;
}

/* ---- making one ------------------------------------------------------------------------------ */

tacho_status tacho_request_create(const char *name, tacho_request **out_request)
{
    if (out_request == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a request needs a place for its handle");
    }
    *out_request = NULL;
    const tacho_request_type *type = find_type(name);
    if (type == NULL) {
        return tacho_fail(TACHO_CODE_NOT_FOUND, "unknown request '%s'", name != NULL ? name : "");
    }
    tacho_request *request = calloc(1, sizeof(*request));
    if (request == NULL) {
        return tacho_no_memory();
    }
    request->type = type;
    request->divided_at = SIZE_MAX;
    pthread_mutex_init(&request->lock, NULL);
    tacho_arena_init(&request->arena);
    *out_request = request;
    return TACHO_OK;
}

static tacho_status copy_text(tacho_request *request, const char *text, const char **out_copy)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&request->arena, tacho_str_from_cstring(text), &copy));
    *out_copy = copy.data;
    return TACHO_OK;
}

static tacho_status add_item(tacho_request *request, const tacho_option *option, const char *value)
{
    const char *copy = "";
    TACHO_TRY(copy_text(request, value, &copy));
    TACHO_TRY(tacho_grow(&request->items, &request->item_capacity, request->item_count + 1));
    request->items[request->item_count++] = (tacho_given_item){option, copy};
    return TACHO_OK;
}

tacho_status tacho_request_add_input(tacho_request *request, const char *input)
{
    if (input == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no input given (NULL)");
    }
    TACHO_TRY(add_item(request, NULL, input));
    TACHO_TRY(tacho_grow(&request->words, &request->word_capacity, request->word_count + 2));
    request->words[request->word_count++] = request->items[request->item_count - 1].value;
    request->words[request->word_count] = NULL;
    return TACHO_OK;
}

void tacho_request_divide(tacho_request *request)
{
    request->divided_at = request->word_count;
}

/* Equal but for '-' and '_', which languages and vendors use in turn. */
static bool equal_names(const char *a, const char *b)
{
    for (; *a != '\0' && (*a == '_' ? '-' : *a) == (*b == '_' ? '-' : *b); a++) {
        b++;
    }
    return *a == '\0' && *b == '\0';
}

static const tacho_option *find_option(const tacho_request_type *type, const char *name)
{
    for (size_t i = 0; i < type->option_count; i++) {
        if (equal_names(type->options[i].name, name)) {
            return &type->options[i];
        }
    }
    return NULL;
}

tacho_status tacho_request_set(tacho_request *request, const char *option, const char *value)
{
    const tacho_option *found = option != NULL ? find_option(request->type, option) : NULL;
    if (found == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown option '%s' of %s",
                          option != NULL ? option : "", request->type->name);
    }
    bool is_optional = found->value == NULL || found->value[0] == '[';
    if (value == NULL && !is_optional) {
        return tacho_fail(TACHO_CODE_USAGE, "%s needs a value: %s", option, found->value);
    }
    if (found->value == NULL && value != NULL && value[0] != '\0') {
        return tacho_fail(TACHO_CODE_USAGE, "%s takes no value", option);
    }
    const char *before =
        found->takes == TACHO_TAKES_ONE ? tacho_request_value(request, found->name) : NULL;
    if (before != NULL && !request->type->is_dropin && strcmp(before, value ? value : "") != 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%s was given twice: '%s' and '%s'; it takes one value",
                          option, before, value);
    }
    return add_item(request, found, value != NULL ? value : "");
}

void tacho_request_listen(tacho_request *request, const tacho_listener *listener)
{
    request->listener = *listener;
}

void tacho_request_free(tacho_request *request)
{
    if (request == NULL) {
        return;
    }
    tacho_status_free(request->failure);
    tacho_results_free(request->results);
    free(request->items);
    free(request->words);
    pthread_mutex_destroy(&request->lock);
    tacho_arena_deinit(&request->arena);
    free(request);
}

/* ---- running it ------------------------------------------------------------------------------ */

static void pass_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    const tacho_hint hints[] = {hint, {TACHO_HINT_NONE, ""}};
    const tacho_result_note note = {.kind = kind, .text = text, .hints = hints};
    tacho_request_pass_note(self, &note);
}

static tacho_status keep_table(void *self, const tacho_table *table)
{
    tacho_request *request = self;
    tacho_tables_target target = {.tables = request->results->tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    return taker.take(taker.self, table);
}

static int run_checked(tacho_request *request)
{
    int outcome = tacho_output_guard_check(request);
    if (outcome != TACHO_OUTCOME_DONE) {
        return request->type->runs_program ? TACHO_OUTCOME_NOT_STARTED : outcome;
    }
    return request->type->run(request);
}

/* Makes what a run needs; until its outcome is known, it has failed. */
static tacho_status prepare(tacho_request *request)
{
    tacho_status status = tacho_results_create(&request->results);
    if (request->results != NULL && request->type->runs_program) {
        request->results->outcome = TACHO_OUTCOME_NOT_STARTED;
    }
    TACHO_TRY(status);
    return tacho_grow(&request->words, &request->word_capacity, request->word_count + 1);
}

static tacho_status run(tacho_request *request)
{
    if (request->notes.take != NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a request runs once");
    }
    TACHO_TRY(prepare(request));
    request->words[request->word_count] = NULL;
    request->is_quiet = tacho_request_has(request, "quiet");
    request->is_verbose = tacho_request_has(request, "verbose");
    request->notes = (tacho_notes){pass_note, request};
    request->remarks = request->is_quiet ? NULL : &request->notes;
    request->keeper = (tacho_table_taker){keep_table, request};
    tacho_entry entry = tacho_entry_begin();
    request->results->outcome = run_checked(request);
    tacho_entry_end(entry);
    request->results->is_misuse = request->is_misuse;
    tacho_status status = request->failure;
    request->failure = TACHO_OK;
    return status;
}

tacho_status tacho_request_run(tacho_request *request, tacho_results **out_results)
{
    tacho_status status = run(request);
    if (out_results != NULL) {
        *out_results = request->results;
        request->results = NULL;
    }
    return status;
}
