/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every analysis of the list can be run, and makes tables with columns of the list even without
 * data.
 */
#include "estimates/estimates.h"
#include "questions/annotate/debug_info_table.h"
#include "estimates/model_tables.h"
#include "questions/ops/ops.h"
#include "questions/breakdown/breakdown.h"
#include "questions/groups/groups.h"
#include "questions/overview/overview.h"
#include "estimates/program_tables.h"
#include "questions/query/query.h"
#include "estimates/roofline/roofline_options.h"
#include "estimates/tenstorrent/tt_analysis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct taken {
    size_t count;
    size_t row_count;
    size_t left; /* tables until it fails */
} taken;

static tacho_status count_table(void *self, const tacho_table *table)
{
    taken *to = self;
    assert_true(table->name[0] != '\0' && table->title[0] != '\0' && table->column_count > 0);
    for (size_t i = 0; i < table->column_count; i++) {
        assert_true(tacho_column_name(&table->columns[i])[0] != '\0');
        bool is_query = strcmp(table->name, "query") == 0; /* its columns are the statement's */
        assert_true(is_query || table->columns[i].id != TACHO_COL_OTHER);
    }
    for (size_t i = 0; table->kept != NULL && table->kept[i] != TACHO_COL_OTHER; i++) {
        assert_true(table->kept[i] < TACHO_COLUMN_ID_COUNT);
    }
    to->count++;
    to->row_count += tacho_table_row_count(table);
    return to->left-- > 0 ? TACHO_OK : tacho_fail(TACHO_CODE_IO, "full");
}

/* The options that an analysis of events declares. */
static const void *options_of(const tacho_analysis *analysis)
{
    static const tacho_breakdown_options breakdown = {.top = 10};
    static const tacho_overview_options overview = {.in_cycles = false};
    static const tacho_ops_options ops = {.sort = TACHO_OPS_BY_SELF};
    if (analysis->options == NULL) {
        return NULL;
    }
    if (strcmp(analysis->options, "tacho_breakdown_options") == 0) {
        return &breakdown;
    }
    if (strcmp(analysis->options, "tacho_overview_options") == 0) {
        return &overview;
    }
    static const tacho_tt_report_options tt_report = {.has_advice = true, .has_summary = true};
    if (strcmp(analysis->options, "tacho_tt_report_options") == 0) {
        return &tt_report;
    }
    static const tacho_query_options query = {.sql = "SELECT name FROM spans"};
    if (strcmp(analysis->options, "tacho_query_options") == 0) {
        return &query;
    }
    static const tacho_roofline_options roofline = {.sort = TACHO_ROOFLINE_BY_TIME};
    if (strcmp(analysis->options, "tacho_roofline_options") == 0) {
        return &roofline;
    }
    static const tacho_groups_options groups = {.by = TACHO_GROUP_BY_LAYER};
    if (strcmp(analysis->options, "tacho_groups_options") == 0) {
        return &groups;
    }
    assert_string_equal(analysis->options, "tacho_ops_options");
    return &ops;
}

/* Every analysis of both rooms; NULL past the last. */
static const tacho_analysis *analysis_at(size_t index)
{
    size_t question_count = 0;
    while (tacho_questions[question_count] != NULL) {
        question_count++;
    }
    return index < question_count ? tacho_questions[index]
                                  : tacho_estimates[index - question_count];
}

static void test_rows_are_whole(void **state)
{
    (void)state;
    const tacho_analysis *analysis = NULL;
    for (size_t i = 0; (analysis = analysis_at(i)) != NULL; i++) {
        bool is_of_events = analysis->subject == TACHO_SUBJECT_EVENTS;
        assert_true(analysis->name[0] != '\0' && analysis->question[0] != '\0');
        assert_true((analysis->open != NULL) == is_of_events);
        assert_true((analysis->write != NULL) == is_of_events);
        assert_true((analysis->close != NULL) == is_of_events);
        assert_true((analysis->make != NULL) == !is_of_events);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(analysis->name, analysis_at(j)->name);
        }
    }
}

static void ask_of_events(const tacho_analysis *analysis, tacho_dict *dict, size_t left)
{
    taken to = {.left = left};
    const tacho_table_taker taker = {count_table, &to};
    tacho_events *events = NULL;
    assert_null(analysis->open(options_of(analysis), dict, &events));
    tacho_status status = analysis->write(events, options_of(analysis), &taker);
    assert_int_equal(tacho_status_code(status), left == 0 ? TACHO_CODE_IO : TACHO_CODE_OK);
    assert_true(left == 0 ? to.count == 1 : to.count >= 1);
    assert_int_equal(to.row_count, 0);
    tacho_status_free(status);
    analysis->close(events);
    analysis->close(NULL);
}

/* Without rows, tables have no rows; and the receiver of tables may fail. */
static void test_nothing_to_say(void **state)
{
    (void)state;
    tacho_dict dict;
    assert_null(tacho_dict_init(&dict));
    const tacho_analysis *analysis = NULL;
    for (size_t i = 0; (analysis = analysis_at(i)) != NULL; i++) {
        if (analysis->subject == TACHO_SUBJECT_EVENTS) {
            ask_of_events(analysis, &dict, 100);
            ask_of_events(analysis, &dict, 0);
        }
    }
    tacho_dict_deinit(&dict);
}

/* Empty lists of programs, models and debug information. */
static void test_empty_lists(void **state)
{
    (void)state;
    static const tacho_opened_programs programs = {NULL, 0};
    static const tacho_opened_models models = {NULL, 0};
    static const tacho_debug_inputs inputs = {NULL, 0};
    const struct {
        const tacho_analysis *analysis;
        const void *subject;
    } cases[] = {{&tacho_analysis_program, &programs},
                 {&tacho_analysis_model, &models},
                 {&tacho_analysis_debug_info, &inputs}};
    for (size_t i = 0; i < 3; i++) {
        taken to = {.left = 100};
        const tacho_table_taker taker = {count_table, &to};
        assert_null(cases[i].analysis->make(cases[i].subject, NULL, &taker));
        assert_true(to.count >= 2);
        assert_int_equal(to.row_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole),
        cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_empty_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
