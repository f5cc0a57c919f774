/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads in order, as a conversion would, so that all tables give the same nanoseconds.
 */
#include "pipeline/ask.h"

#include "pipeline/intake_notes.h"
#include "pipeline/pipeline.h"
#include "profile/events_fork.h"
#include "questions/info/info.h"

#include <sys/stat.h>

/* What the tables are made of; |events| is NULL where no input is a profile. */
typedef struct answer {
    const tacho_ask *ask;
    tacho_events *events;
    tacho_events *verdict, *also; /* NULL: not asked */
    tacho_dict *dict;
} answer;

static tacho_status take_filled(void *report, const tacho_table *table)
{
    return table->cell_count > 0 ? tacho_table_report_take(report, table) : TACHO_OK;
}

static tacho_status add_agreement(const answer *self, const tacho_table_taker *to)
{
    const tacho_intake *intake = self->ask->intake;
    tacho_agreement agreement = {.intake = intake, .options = *self->ask->agreement};
    for (size_t i = 0; i < intake->input_count; i++) {
        tacho_agreement_add(&agreement, &intake->inputs[i], self->events->dict);
    }
    return tacho_agreement_tables(&agreement, to);
}

static tacho_status add_losses(const answer *self, const tacho_table_taker *to)
{
    tacho_info info;
    tacho_table table = {0};
    tacho_info_init(&info, self->dict);
    tacho_status status = tacho_info_losses(&info, &table);
    tacho_info_deinit(&info);
    status = status == TACHO_OK ? to->take(to->self, &table) : status;
    tacho_table_deinit(&table);
    return status;
}

static tacho_status add_tables(void *user, tacho_table_report *report)
{
    const answer *self = user;
    const tacho_ask *ask = self->ask;
    const tacho_table_taker taker = {tacho_table_report_take, report};
    const tacho_table_taker filled = {take_filled, report};
    TACHO_TRY(ask->check != NULL ? ask->check(ask->user) : TACHO_OK);
    if (self->verdict != NULL) {
        TACHO_TRY(ask->verdict->write(self->verdict, NULL, &filled));
    }
    if (self->events != NULL) {
        TACHO_TRY(ask->analysis->write(self->events, ask->options, &taker));
    }
    if (self->also != NULL) {
        TACHO_TRY(ask->also->write(self->also, NULL, &filled));
    }
    if (self->events != NULL && ask->agreement != NULL && ask->tells_tables) {
        TACHO_TRY(add_agreement(self, &taker));
    }
    TACHO_TRY(ask->write != NULL ? ask->write(ask->user, &taker) : TACHO_OK);
    return self->events != NULL && ask->adds_losses ? add_losses(self, &taker) : TACHO_OK;
}

static tacho_status write_report(answer *self)
{
    const tacho_ask *ask = self->ask;
    return tacho_table_report_write(&ask->to, add_tables, self);
}

/* Reads all rows. */
static tacho_status read_rows(const answer *self, tacho_order_mode mode)
{
    tacho_events_fork with_also, with_verdict;
    tacho_events *events = self->events;
    tacho_producer producer = tacho_intake_producer(self->ask->intake);
    if (self->also != NULL) {
        tacho_events_fork_init(&with_also, events, self->also);
        events = &with_also.events;
    }
    if (self->verdict != NULL) {
        tacho_events_fork_init(&with_verdict, events, self->verdict);
        events = &with_verdict.events;
    }
    return tacho_pipeline_push_selected(&producer, mode, self->ask->selection, events);
}

static tacho_status open_optional(const tacho_ask *ask, const tacho_analysis *analysis,
                                  tacho_dict *dict, tacho_events **out_events)
{
    return analysis != NULL && ask->tells_tables ? analysis->open(NULL, dict, out_events)
                                                 : TACHO_OK;
}

static void close_optional(const tacho_analysis *analysis, tacho_events *events)
{
    if (analysis != NULL && events != NULL) {
        analysis->close(events);
    }
}

/* Again, should the input have to be sorted. */
static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const tacho_ask *request = self;
    const tacho_analysis *analysis = request->analysis;
    answer made = {.ask = request, .dict = dict};
    TACHO_TRY(analysis->open(request->options, dict, &made.events));
    tacho_status status = open_optional(request, request->also, dict, &made.also);
    if (status == TACHO_OK) {
        status = open_optional(request, request->verdict, dict, &made.verdict);
    }
    if (status == TACHO_OK) {
        status = read_rows(&made, mode);
    }
    if (request->pause != NULL) {
        request->pause(request->user);
    }
    if (status == TACHO_OK && request->is_strict) {
        status = tacho_pipeline_refuse_losses(dict);
    }
    if (status == TACHO_OK) {
        status = write_report(&made);
    }
    close_optional(request->verdict, made.verdict);
    close_optional(request->also, made.also);
    analysis->close(made.events);
    return status;
}

/* ---- inputs that cannot be read ------------------------------------------------------------ */

static void remove_input(tacho_ask *request, size_t index)
{
    tacho_intake *intake = request->intake;
    intake->input_count--;
    memmove(&request->inputs[index], &request->inputs[index + 1],
            (intake->input_count - index) * sizeof(*request->inputs));
}

/* Whether the rest may be shown although input |index| failed. */
static bool can_skip(const tacho_ask *request, tacho_status status, size_t index)
{
    return status != TACHO_OK && !request->is_alone && !request->is_strict &&
           !request->fails_for_input && index < request->intake->input_count &&
           tacho_status_code(status) != TACHO_CODE_NO_MEMORY &&
           tacho_status_code(status) != TACHO_CODE_CANCELLED;
}

static void skip_input(tacho_ask *request, size_t index, tacho_status status)
{
    const tacho_intake only = {.inputs = &request->inputs[index], .input_count = 1};
    request->skipped_count++;
    if (request->skip != NULL) {
        request->skip(request->user, &only, status);
    } else {
        tacho_status_free(status);
    }
    remove_input(request, index);
}

/* Whether it can be told what |path| is without losing what it holds: a file, not a pipe. */
static bool can_probe(const char *path)
{
    struct stat facts;
    return strcmp(path, "-") != 0 &&
           (stat(path, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode));
}

/* What can be said of an input before any is read. */
static tacho_status look_at(tacho_ask *request, size_t index, bool *out_is_diverted)
{
    const tacho_intake_input *input = &request->inputs[index];
    *out_is_diverted = false;
    if (request->divert != NULL && input->source == NULL) {
        TACHO_TRY(request->divert(request->user, input->path, out_is_diverted));
    }
    bool is_probed = !*out_is_diverted && !request->is_alone && can_probe(input->path);
    return is_probed ? tacho_intake_probe(input) : TACHO_OK;
}

static tacho_status look_at_all(tacho_ask *request)
{
    const tacho_intake *intake = request->intake;
    for (size_t i = 0; i < intake->input_count;) {
        bool is_diverted = false;
        tacho_status status = look_at(request, i, &is_diverted);
        if (can_skip(request, status, i)) {
            skip_input(request, i, status);
            continue;
        }
        TACHO_TRY(status);
        if (is_diverted) {
            remove_input(request, i);
            request->diverted_count++;
        } else {
            i++;
        }
    }
    return TACHO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Input |index| failed: it goes, and so do those behind it that fail, so that all go at once. */
static void skip_failing(tacho_ask *request, size_t index, tacho_status status)
{
    const tacho_intake *intake = request->intake;
    skip_input(request, index, status);
    while (index < intake->input_count) {
        status = tacho_intake_try(intake, &request->inputs[index]);
        if (can_skip(request, status, index)) {
            skip_input(request, index, status);
        } else {
            tacho_status_free(status); /* to be met again */
            index++;
        }
    }
}

static tacho_status read_and_write(tacho_ask *request, tacho_dict *dict)
{
    const tacho_intake *intake = request->intake;
    tacho_order_mode first_mode = tacho_intake_producer(intake).first_mode;
    bool can_repeat = first_mode != TACHO_ORDER_SORT_ALL;
    while (intake->input_count > 0) {
        request->current = intake->input_count;
        tacho_status status = tacho_pipeline_try(attempt, request, first_mode, dict);
        if (!can_repeat || !can_skip(request, status, request->current)) {
            return status;
        }
        skip_failing(request, request->current, status);
        tacho_dict_deinit(dict);
        TACHO_TRY(tacho_dict_init(dict));
    }
    answer none = {.ask = request};
    return request->diverted_count > 0 ? write_report(&none)
                                       : tacho_fail(TACHO_CODE_BAD_DATA, "no input could be read");
}

/* Losses, and selections that leave nothing. */
static void say_results(const tacho_ask *ask, const tacho_dict *dict, bool is_done)
{
    if (!is_done || !ask->shows_losses) {
        tacho_intake_say_losses(dict, ask->notes);
    }
    if (is_done && ask->says_inputs) {
        tacho_intake_say_inputs(dict, ask->notes);
    }
    if (is_done) {
        tacho_intake_say_selection(dict, ask->notes);
    }
}

static tacho_status prepare_and_read(tacho_ask *request, tacho_dict *dict)
{
    tacho_intake *intake = request->intake;
    intake->current = &request->current;
    TACHO_TRY(tacho_intake_check(intake));
    TACHO_TRY(tacho_intake_check_output(intake, request->to.path));
    request->is_alone = intake->input_count == 1;
    request->tells_tables = tacho_table_sink_tells_tables(request->to.sink);
    TACHO_TRY(look_at_all(request));
    return read_and_write(request, dict);
}

tacho_status tacho_ask_run(tacho_ask *request)
{
    tacho_dict dict;
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status = prepare_and_read(request, &dict);
    if (request->pause != NULL) {
        request->pause(request->user);
    }
    say_results(request, &dict, status == TACHO_OK);
    request->has_losses = dict.loss_count > 0;
    tacho_dict_deinit(&dict);
    return status;
}
