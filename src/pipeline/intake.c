/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening inputs and finding their sources.
 */
#include "pipeline/intake.h"

#include <stdio.h>

/* How often standard input is named. */
static size_t count_stdin(const tacho_intake *intake)
{
    size_t count = 0;
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &intake->inputs[i];
        count += !input->is_in_memory && strcmp(input->path, "-") == 0 ? 1 : 0;
    }
    return count;
}

static tacho_status check_stdin(size_t count)
{
    return count < 2 ? TACHO_OK
                     : tacho_fail(TACHO_CODE_USAGE, "standard input (-) can be read only once");
}

tacho_status tacho_intake_check(const tacho_intake *intake)
{
    if (intake->input_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "no input");
    }
    return check_stdin(count_stdin(intake));
}

tacho_status tacho_intake_check_pair(const tacho_intake intakes[2])
{
    TACHO_TRY(tacho_intake_check(&intakes[0]));
    TACHO_TRY(tacho_intake_check(&intakes[1]));
    return check_stdin(count_stdin(&intakes[0]) + count_stdin(&intakes[1]));
}

tacho_status tacho_intake_check_output(const tacho_intake *intake, const char *output_path)
{
    for (size_t i = 0; i < intake->input_count && output_path != NULL; i++) {
        const char *path = intake->inputs[i].path;
        if (!intake->inputs[i].is_in_memory && (tacho_input_is_same_file(path, output_path) ||
                                                tacho_source_folder_holds(path, output_path))) {
            return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten", path);
        }
    }
    for (size_t i = 0; i < intake->options.choice_count && output_path != NULL; i++) {
        const tacho_source_choice *choice = &intake->options.choices[i];
        if (choice->path.len > 0 && tacho_input_is_same_file(choice->path.data, output_path)) {
            return tacho_fail(TACHO_CODE_USAGE, "%s is the %s being read and would be overwritten",
                              choice->path.data, choice->option->name);
        }
    }
    return TACHO_OK;
}

/* The source of an input that is a folder; NULL where it is none that is read as one. */
static const tacho_source *folder_source(const tacho_intake_input *wanted)
{
    return wanted->is_in_memory ? NULL : tacho_source_find_folder(wanted->path);
}

static tacho_status open_input(const tacho_intake_input *wanted, tacho_input *out_input)
{
    if (folder_source(wanted) != NULL) {
        return tacho_input_open_bytes(wanted->path, TACHO_STR(""), out_input);
    }
    return wanted->is_in_memory ? tacho_input_open_bytes(wanted->path, wanted->bytes, out_input)
                                : tacho_input_open(wanted->path, out_input);
}

static tacho_status check_not_empty(tacho_input *input)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(input, 1, &head));
    if (head.len > 0) {
        return TACHO_OK;
    }
    const char *damage = tacho_input_damage(input);
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: %s", input->name,
                      damage != NULL ? damage : "the file is empty");
}

static tacho_status check_accepted(const tacho_intake_input *wanted, const tacho_source *source)
{
    if (wanted->accepted == NULL) {
        return TACHO_OK;
    }
    char titles[512] = "";
    for (size_t i = 0; wanted->accepted[i] != NULL; i++) {
        size_t len = strlen(titles);
        if (wanted->accepted[i] == source) {
            return TACHO_OK;
        }
        snprintf(titles + len, sizeof(titles) - len, "%s%s", i > 0 ? " or " : "",
                 wanted->accepted[i]->title);
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: expected %s, found %s", wanted->path, titles,
                      source->title);
}

static tacho_status resolve_source(const tacho_intake_input *wanted, tacho_input *input,
                                   const tacho_source **out_source)
{
    *out_source = folder_source(wanted);
    if (*out_source != NULL) {
        return check_accepted(wanted, *out_source);
    }
    *out_source = wanted->source;
    TACHO_TRY(check_not_empty(input));
    if (*out_source != NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_source_resolve(input, out_source));
    return check_accepted(wanted, *out_source);
}

tacho_status tacho_intake_probe(const tacho_intake_input *wanted)
{
    tacho_input input;
    const tacho_source *source = NULL;
    TACHO_TRY(open_input(wanted, &input));
    tacho_status status = resolve_source(wanted, &input, &source);
    tacho_input_close(&input);
    return status;
}

static tacho_status read_open_input(const tacho_intake *intake, const tacho_intake_input *wanted,
                                    tacho_input *input, tacho_order_mode mode, tacho_events *events)
{
    const tacho_source *source = NULL;
    TACHO_TRY(resolve_source(wanted, input, &source));
    tacho_reading reading = {
        .input = input,
        .path = tacho_str_from_cstring(input->name),
        .options = &intake->options,
        .events = events,
        .holds_events = mode == TACHO_ORDER_SORT_ALL,
    };
    return source->read(&reading);
}

/* ---- cancelling ------------------------------------------------------------------------- */

/* Hands rows on until the caller cancels. */
typedef struct row_guard {
    tacho_events events;
    tacho_events *next;
    const _Atomic bool *is_cancelled;
} row_guard;

static tacho_status guard_row(tacho_events *events, const tacho_row *row)
{
    const row_guard *self = (const row_guard *)events;
    return *self->is_cancelled ? tacho_fail(TACHO_CODE_CANCELLED, "the caller asked to stop")
                               : tacho_events_row(self->next, row);
}

static const tacho_shared *guard_shared(tacho_events *events)
{
    return tacho_events_shared(((const row_guard *)events)->next);
}

static tacho_status guard_end_part(tacho_events *events, uint32_t part)
{
    return tacho_events_end_part(((const row_guard *)events)->next, part);
}

static tacho_status read_guarded(const tacho_intake *intake, const tacho_intake_input *wanted,
                                 tacho_input *input, tacho_order_mode mode, tacho_events *events)
{
    static const tacho_events_vtable guarding = {
        .row = guard_row, .end_part = guard_end_part, .shared = guard_shared};
    row_guard guard = {{&guarding, events->dict}, events, intake->is_cancelled};
    return intake->is_cancelled != NULL
               ? read_open_input(intake, wanted, input, mode, &guard.events)
               : read_open_input(intake, wanted, input, mode, events);
}

/* ---- what has no end -------------------------------------------------------------------- */

/* What was in the dictionary before an input was read. */
typedef struct dict_before {
    const tacho_dict *dict;
    size_t site_count, track_count;
} dict_before;

/* Tracks but for the one that every part has. */
static size_t count_tracks(const tacho_dict *dict)
{
    return dict->track_count - dict->part_count;
}

static bool has_names(const void *self)
{
    const dict_before *before = self;
    return before->dict->site_count > before->site_count ||
           count_tracks(before->dict) > before->track_count;
}

tacho_status tacho_intake_read_input(const tacho_intake *intake, const tacho_intake_input *wanted,
                                     tacho_order_mode mode, tacho_events *events)
{
    tacho_input input;
    const dict_before before = {events->dict, events->dict->site_count, count_tracks(events->dict)};
    TACHO_TRY(open_input(wanted, &input));
    input.progress = intake->progress;
    input.use = (tacho_input_use){has_names, &before};
    if (wanted->name != NULL) {
        events->dict->part_name = tacho_str_from_cstring(wanted->name);
    }
    tacho_status status = read_guarded(intake, wanted, &input, mode, events);
    events->dict->part_name = TACHO_STR("");
    tacho_input_close(&input);
    return status;
}

static tacho_status drop_row(tacho_events *self, const tacho_row *row)
{
    (void)self;
    (void)row;
    return TACHO_OK;
}

tacho_status tacho_intake_try(const tacho_intake *intake, const tacho_intake_input *input)
{
    static const tacho_events_vtable dropping = {.row = drop_row};
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        tacho_events events = {.vtable = &dropping, .dict = &dict};
        status = tacho_intake_read_input(intake, input, TACHO_ORDER_PASS, &events);
    }
    tacho_dict_deinit(&dict);
    return status;
}

static void say_current(const tacho_intake *intake, size_t input)
{
    if (intake->current != NULL) {
        *intake->current = input;
    }
}

static tacho_status produce(void *self, tacho_order_mode mode, tacho_events *events)
{
    const tacho_intake *intake = self;
    for (size_t i = 0; i < intake->input_count; i++) {
        say_current(intake, i);
        TACHO_TRY(tacho_intake_read_input(intake, &intake->inputs[i], mode, events));
    }
    say_current(intake, intake->input_count);
    return tacho_events_finish(events);
}

static bool is_rereadable(const tacho_intake *intake)
{
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &intake->inputs[i];
        if (!input->is_in_memory && !tacho_input_is_rereadable(input->path)) {
            return false;
        }
    }
    return true;
}

tacho_producer tacho_intake_producer(const tacho_intake *intake)
{
    return (tacho_producer){
        .produce = produce,
        .self = (void *)(uintptr_t)intake,
        .first_mode = is_rereadable(intake) ? TACHO_ORDER_PASS : TACHO_ORDER_SORT_ALL,
    };
}

tacho_status tacho_intake_load(const tacho_intake *intake, const tacho_selection *selection,
                               tacho_dict *dict, tacho_profile *profile)
{
    TACHO_TRY(tacho_intake_check(intake));
    tacho_producer producer = tacho_intake_producer(intake);
    return tacho_pipeline_load(&producer, selection, dict, profile);
}
