/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are loaded whole, one at a time: which step a span belongs to is known only when all of it
 * is there.
 */
#include "pipeline/comparing.h"

#include "questions/diff/diff_tables.h"
#include "questions/samples/sample_join.h"
#include "questions/samples/sample_operators.h"
#include "base/input.h"
#include "pipeline/pipeline.h"

typedef struct loading {
    const tacho_comparing *comparing;
    const tacho_intake *only; /* one file */
    tacho_samples *samples;
} loading;

static tacho_status attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    const loading *self = user;
    tacho_profile profile;
    tacho_profile_init(&profile, dict);
    tacho_producer producer = tacho_intake_producer(self->only);
    tacho_selection selection = *self->comparing->selection;
    selection.names = (tacho_name_filter){.accepts = NULL}; /* steps and layers have other names */
    tacho_status status =
        tacho_pipeline_push_selected(&producer, mode, &selection, &profile.events);
    if (status == TACHO_OK && self->comparing->is_strict) {
        status = tacho_pipeline_refuse_losses(dict);
    }
    status = status == TACHO_OK ? tacho_samples_add(self->samples, &profile) : status;
    tacho_profile_deinit(&profile);
    return status;
}

static tacho_status load_file(const tacho_comparing *comparing, const tacho_intake *only,
                              tacho_samples *samples)
{
    loading self = {comparing, only, samples};
    tacho_dict dict;
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_order_mode first_mode = tacho_intake_producer(only).first_mode;
    tacho_status status = tacho_pipeline_try(attempt, &self, first_mode, &dict);
    if (status == TACHO_OK && comparing->read != NULL) {
        comparing->read(comparing->user, &dict);
    }
    tacho_dict_deinit(&dict);
    return status;
}

static tacho_status load_side(const tacho_comparing *comparing, size_t side, tacho_samples *samples)
{
    const tacho_intake *intake = &comparing->intakes[side];
    tacho_samples_options options = comparing->samples;
    options.names = comparing->selection->names;
    options.needs_operators = comparing->diff.by == TACHO_DIFF_BY_OP;
    TACHO_TRY(tacho_samples_init(samples, &options));
    for (size_t i = 0; i < intake->input_count; i++) {
        tacho_intake only = *intake;
        only.inputs = &intake->inputs[i];
        only.input_count = 1;
        TACHO_TRY(load_file(comparing, &only, samples));
    }
    return tacho_samples_join_layers(samples);
}

static tacho_status add_tables(void *user, tacho_table_report *report)
{
    const tacho_table_taker taker = {tacho_table_report_take, report};
    return tacho_diff_tables(user, &taker);
}

static tacho_status check_apart(const tacho_comparing *comparing, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (comparing->outputs[count].path != NULL &&
            tacho_input_is_same_place(comparing->outputs[i].path, comparing->outputs[count].path)) {
            return tacho_fail(TACHO_CODE_USAGE, "%s would be written twice",
                              comparing->outputs[count].path);
        }
    }
    return TACHO_OK;
}

static tacho_status check(const tacho_comparing *comparing)
{
    for (size_t i = 1; i < comparing->output_count; i++) {
        TACHO_TRY(check_apart(comparing, i));
    }
    TACHO_TRY(tacho_intake_check_pair(comparing->intakes));
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < comparing->output_count; i++) {
            TACHO_TRY(
                tacho_intake_check_output(&comparing->intakes[side], comparing->outputs[i].path));
        }
    }
    return TACHO_OK;
}

static tacho_status compare(const tacho_comparing *comparing, tacho_samples sides[2],
                            tacho_comparing_result *out_result)
{
    tacho_diff diff;
    tacho_diff_options options = comparing->diff;
    if (options.by == TACHO_DIFF_BY_OP) {
        options.by = TACHO_DIFF_BY_INSTANCE; /* which operators of the framework are by now */
    }
    tacho_status status = tacho_diff_init(&diff, &sides[0], &sides[1], &options);
    for (size_t i = 0; i < comparing->output_count && status == TACHO_OK; i++) {
        const tacho_table_target *output = &comparing->outputs[i];
        status = tacho_table_report_write(output, add_tables, &diff);
        diff.options.notes = NULL; /* what there is to know is said once */
    }
    if (status == TACHO_OK && comparing->taker != NULL) {
        status = tacho_diff_tables(&diff, comparing->taker);
    }
    out_result->verdict = diff.verdict;
    out_result->has_losses = sides[0].lost_count > 0 || sides[1].lost_count > 0;
    tacho_diff_deinit(&diff);
    return status;
}

tacho_status tacho_comparing_run(const tacho_comparing *comparing,
                                 tacho_comparing_result *out_result)
{
    tacho_samples sides[2] = {{.file_count = 0}, {.file_count = 0}};
    *out_result = (tacho_comparing_result){.has_losses = false};
    tacho_status status = check(comparing);
    for (size_t side = 0; side < 2 && status == TACHO_OK; side++) {
        status = load_side(comparing, side, &sides[side]);
    }
    if (status == TACHO_OK && comparing->diff.by == TACHO_DIFF_BY_OP) {
        status = tacho_samples_name_operators(sides);
    }
    if (status == TACHO_OK && comparing->diff.by != TACHO_DIFF_BY_LAYER) {
        status = tacho_samples_level_layers(sides);
    }
    status = status == TACHO_OK ? tacho_samples_set_aside(sides) : status;
    status = status == TACHO_OK ? compare(comparing, sides, out_result) : status;
    tacho_samples_deinit(&sides[0]);
    tacho_samples_deinit(&sides[1]);
    return status;
}
