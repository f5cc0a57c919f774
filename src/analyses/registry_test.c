/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every analysis of the list can be asked, and gives tables of columns of the list also where
 * there is nothing to say.
 */
#include "analyses/analysis.h"
#include "analyses/debug_info_table.h"
#include "analyses/model_tables.h"
#include "analyses/ops.h"
#include "analyses/breakdown/breakdown.h"
#include "analyses/groups/groups.h"
#include "analyses/overview.h"
#include "analyses/program_tables.h"
#include "analyses/query.h"
#include "analyses/roofline_options.h"
#include "analyses/tenstorrent/tt_analysis.h"

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

/* The options that an analysis of events says it takes. */
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

static void test_rows_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < TACHO_ANALYSIS_COUNT; i++) {
        const tacho_analysis *analysis = tacho_analyses[i];
        bool is_of_events = analysis->subject == TACHO_SUBJECT_EVENTS;
        assert_true(analysis->name[0] != '\0' && analysis->question[0] != '\0');
        assert_true((analysis->open != NULL) == is_of_events);
        assert_true((analysis->write != NULL) == is_of_events);
        assert_true((analysis->close != NULL) == is_of_events);
        assert_true((analysis->make != NULL) == !is_of_events);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(analysis->name, tacho_analyses[j]->name);
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

/* No rows, no table with rows; and who takes the tables may fail. */
static void test_nothing_to_say(void **state)
{
    (void)state;
    tacho_dict dict;
    assert_null(tacho_dict_init(&dict));
    for (size_t i = 0; i < TACHO_ANALYSIS_COUNT; i++) {
        if (tacho_analyses[i]->subject == TACHO_SUBJECT_EVENTS) {
            ask_of_events(tacho_analyses[i], &dict, 100);
            ask_of_events(tacho_analyses[i], &dict, 0);
        }
    }
    tacho_dict_deinit(&dict);
}

/* Lists of no programs, models and debug information. */
static void test_empty_lists(void **state)
{
    (void)state;
    static const tacho_opened_programs programs = {NULL, 0};
    static const tacho_opened_models models = {NULL, 0};
    static const tacho_debug_inputs inputs = {NULL, 0};
    const struct {
        tacho_analysis_id id;
        const void *subject;
    } cases[] = {{TACHO_ANALYSIS_PROGRAM, &programs},
                 {TACHO_ANALYSIS_MODEL, &models},
                 {TACHO_ANALYSIS_DEBUG_INFO, &inputs}};
    for (size_t i = 0; i < 3; i++) {
        taken to = {.left = 100};
        const tacho_table_taker taker = {count_table, &to};
        assert_null(tacho_analyses[cases[i].id]->make(cases[i].subject, NULL, &taker));
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
