/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vendors' sets differ in names, units and choice of rows, not in their information.
 */
#include "questions/annotate/annotate_sets.h"

static const tacho_annotate_column native_columns[] = {
    {"input", "Input", TACHO_COLUMN_TEXT, SHOW_PART},
    {"kind", "Kind", TACHO_COLUMN_TEXT, SHOW_KIND},
    {"dispatch", "Dispatch", TACHO_COLUMN_TEXT, SHOW_DISPATCH},
    {"invocation", "Invocation", TACHO_COLUMN_INT, SHOW_INVOCATION},
    {"action", "Action", TACHO_COLUMN_INT, SHOW_ACTION},
    {"job", "Job", TACHO_COLUMN_INT, SHOW_JOB},
    {"operation", "Operation", TACHO_COLUMN_TEXT, SHOW_OPERATION},
    {"executor", "Executor", TACHO_COLUMN_TEXT, SHOW_EXECUTOR},
    {"program", "Program", TACHO_COLUMN_TEXT, SHOW_PROGRAM},
    {"kernels", "Kernels", TACHO_COLUMN_TEXT, SHOW_KERNELS},
    {"operators", "Operators", TACHO_COLUMN_TEXT, SHOW_OPERATORS},
    {"start_ns", "Start", TACHO_COLUMN_DURATION, SHOW_START},
    {"end_ns", "End", TACHO_COLUMN_DURATION, SHOW_END},
    {"total_ns", "Total", TACHO_COLUMN_DURATION, SHOW_TOTAL},
    {"job_start_ns", "Job start", TACHO_COLUMN_DURATION, SHOW_JOB_START},
    {"job_end_ns", "Job end", TACHO_COLUMN_DURATION, SHOW_JOB_END},
    {"input_start_us", "Start in the input [us]", TACHO_COLUMN_INT, SHOW_START_US},
    {"input_end_us", "End in the input [us]", TACHO_COLUMN_INT, SHOW_END_US},
    {"engine", "Engine", TACHO_COLUMN_TEXT, SHOW_ENGINE},
    {"engine_index", "Engine index", TACHO_COLUMN_INT, SHOW_ENGINE_INDEX},
    {"from_memory", "From", TACHO_COLUMN_TEXT, SHOW_FROM},
    {"to_memory", "To", TACHO_COLUMN_TEXT, SHOW_TO},
    {"estimated_cycles", "Estimated cycles", TACHO_COLUMN_INT, SHOW_CYCLES},
    {"engines_used", "Engines used", TACHO_COLUMN_TEXT, SHOW_USED},
    {"place", "Place", TACHO_COLUMN_TEXT, SHOW_PLACE},
    {"location", "Location", TACHO_COLUMN_TEXT, SHOW_LOCATION},
    {"file", "File", TACHO_COLUMN_TEXT, SHOW_FILE},
    {"line", "Line", TACHO_COLUMN_INT, SHOW_LINE},
    {"origin", "Origin", TACHO_COLUMN_TEXT, SHOW_ORIGIN},
    {"unended", "Unended", TACHO_COLUMN_TEXT, SHOW_UNENDED},
    {"problem", "Problem", TACHO_COLUMN_TEXT, SHOW_PROBLEM},
    {NULL, NULL, TACHO_COLUMN_TEXT, SHOW_PART},
};

static const tacho_annotate_column a0_manual_columns[] = {
    {"NSS Program Index", NULL, TACHO_COLUMN_INT, SHOW_JOB},
    {"torq-hw Operation in program", NULL, TACHO_COLUMN_TEXT, SHOW_OPERATION},
    {"Slice ID (if applicable)", NULL, TACHO_COLUMN_INT, SHOW_SLICE},
    {"Invocation Name", NULL, TACHO_COLUMN_TEXT, SHOW_KERNEL},
    {"NSS Program Start Timestamp [us]", NULL, TACHO_COLUMN_INT, SHOW_JOB_START_US},
    {"NSS Program End Timestamp [us]", NULL, TACHO_COLUMN_INT, SHOW_JOB_END_US},
    {"NSS Program Total Time [us]", NULL, TACHO_COLUMN_INT, SHOW_JOB_TOTAL_US},
    {"Slice # Used in NSS Program", NULL, TACHO_COLUMN_TEXT, SHOW_SLICES_USED},
    {NULL, NULL, TACHO_COLUMN_TEXT, SHOW_PART},
};

#define USED_COLUMNS                                                                               \
    {"slice_used_#_in_program", NULL, TACHO_COLUMN_FLAG, SHOW_SLICE_USED},                         \
        {"dma_in_used_in_program", NULL, TACHO_COLUMN_FLAG, SHOW_DMA_IN_USED},                     \
    {                                                                                              \
        "dma_out_used_in_program", NULL, TACHO_COLUMN_FLAG, SHOW_DMA_OUT_USED                      \
    }
#define MORE_USED_COLUMNS                                                                          \
    {"cdma_used_in_program", NULL, TACHO_COLUMN_FLAG, SHOW_CDMA_USED},                             \
    {                                                                                              \
        "css_used_in_program", NULL, TACHO_COLUMN_FLAG, SHOW_CSS_USED                              \
    }

static const tacho_annotate_column a0_columns[] = {
    {"nss_program_index", NULL, TACHO_COLUMN_INT, SHOW_JOB},
    {"operation", NULL, TACHO_COLUMN_TEXT, SHOW_OPERATION},
    {"slice_id", NULL, TACHO_COLUMN_INT, SHOW_SLICE},
    {"invocation_name", NULL, TACHO_COLUMN_TEXT, SHOW_KERNEL},
    {"nss_program_timestamp_start", NULL, TACHO_COLUMN_INT, SHOW_JOB_START_US},
    {"nss_program_timestamp_end", NULL, TACHO_COLUMN_INT, SHOW_JOB_END_US},
    {"nss_program_timestamp_total", NULL, TACHO_COLUMN_INT, SHOW_JOB_TOTAL_US},
    USED_COLUMNS,
    {NULL, NULL, TACHO_COLUMN_TEXT, SHOW_PART},
};

static const tacho_annotate_column a1_columns[] = {
    {"action_id", NULL, TACHO_COLUMN_INT, SHOW_ACTION},
    {"job_id", NULL, TACHO_COLUMN_INT, SHOW_JOB},
    {"operation", NULL, TACHO_COLUMN_TEXT, SHOW_OPERATION_AND_HOST},
    {"invocation_name", NULL, TACHO_COLUMN_TEXT, SHOW_KERNEL},
    {"total_time", NULL, TACHO_COLUMN_INT, SHOW_TOTAL_US},
    {"slice_id", NULL, TACHO_COLUMN_INT, SHOW_SLICE},
    USED_COLUMNS,
    {"timestamp_start", NULL, TACHO_COLUMN_INT, SHOW_START_US},
    {"timestamp_end", NULL, TACHO_COLUMN_INT, SHOW_END_US},
    {"location", NULL, TACHO_COLUMN_TEXT, SHOW_LOCATION},
    {NULL, NULL, TACHO_COLUMN_TEXT, SHOW_PART},
};

static const tacho_annotate_column a2_columns[] = {
    {"action_id", NULL, TACHO_COLUMN_INT, SHOW_ACTION},
    {"job_id", NULL, TACHO_COLUMN_INT, SHOW_JOB},
    {"operation", NULL, TACHO_COLUMN_TEXT, SHOW_OPERATION_AND_HOST},
    {"invocation_name", NULL, TACHO_COLUMN_TEXT, SHOW_KERNEL},
    {"original_operator", NULL, TACHO_COLUMN_TEXT, SHOW_OPERATORS_PLUS},
    {"total_time", NULL, TACHO_COLUMN_INT, SHOW_TOTAL_US},
    {"slice_id", NULL, TACHO_COLUMN_INT, SHOW_SLICE},
    USED_COLUMNS,
    MORE_USED_COLUMNS,
    {"timestamp_start", NULL, TACHO_COLUMN_INT, SHOW_START_US},
    {"timestamp_end", NULL, TACHO_COLUMN_INT, SHOW_END_US},
    {"location", NULL, TACHO_COLUMN_TEXT, SHOW_LOCATION},
    {NULL, NULL, TACHO_COLUMN_TEXT, SHOW_PART},
};

/* The manual's name is original_operator, the program's original_operators. */
#define A3_COLUMNS(operators)                                                                      \
    {                                                                                              \
        {"action_id", NULL, TACHO_COLUMN_INT, SHOW_ACTION},                                        \
            {"job_id", NULL, TACHO_COLUMN_REAL, SHOW_JOB},                                         \
            {"operation", NULL, TACHO_COLUMN_TEXT, SHOW_OPERATION},                                \
            {"invocation_names", NULL, TACHO_COLUMN_TEXT, SHOW_KERNELS},                           \
            {operators, NULL, TACHO_COLUMN_TEXT, SHOW_OPERATORS},                                  \
            {"total_time", NULL, TACHO_COLUMN_REAL, SHOW_TOTAL_US}, USED_COLUMNS,                  \
            MORE_USED_COLUMNS, {"timestamp_start", NULL, TACHO_COLUMN_REAL, SHOW_START_US},        \
            {"timestamp_end", NULL, TACHO_COLUMN_REAL, SHOW_END_US},                               \
            {"location", NULL, TACHO_COLUMN_TEXT, SHOW_PLACE},                                     \
        {                                                                                          \
            NULL, NULL, TACHO_COLUMN_TEXT, SHOW_PART                                               \
        }                                                                                          \
    }

static const tacho_annotate_column a3_columns[] = A3_COLUMNS("original_operators");
static const tacho_annotate_column a3_manual_columns[] = A3_COLUMNS("original_operator");

static const tacho_annotation_set sets[] = {
    {"native", "all rows and columns", ROWS_ALL, false, native_columns},
    {"torq-a0", "a row per inner op, as the vendor's first tool, but true times", ROWS_OF_OPS, true,
     a0_columns},
    {"torq-a0-manual", "the rows of torq-a0 with the column names of its manual", ROWS_OF_OPS,
     false, a0_manual_columns},
    {"torq-a1", "actions and inner ops, as the vendor's second tool", ROWS_EXPANDED, true,
     a1_columns},
    {"torq-a2", "actions and inner ops with operators, as the vendor's third tool", ROWS_EXPANDED,
     true, a2_columns},
    {"torq-a3", "a row per action, as the vendor's present tool", ROWS_OF_ACTIONS, false,
     a3_columns},
    {"torq-a3-manual", "the rows of torq-a3 with the column names of its manual", ROWS_OF_ACTIONS,
     false, a3_manual_columns},
};

const tacho_annotation_set *tacho_annotation_set_at(size_t index)
{
    return index < sizeof(sets) / sizeof(sets[0]) ? &sets[index] : NULL;
}

const tacho_annotation_set *tacho_annotation_set_find(tacho_str name)
{
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(sets[i].name))) {
            return &sets[i];
        }
    }
    return NULL;
}

const char *tacho_annotation_set_name(const tacho_annotation_set *set)
{
    return set->name;
}

const char *tacho_annotation_set_title(const tacho_annotation_set *set)
{
    return set->title;
}
