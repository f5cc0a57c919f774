/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sets of columns for annotations: contents, names and choice of rows.
 */
#ifndef TACHO_QUESTIONS_ANNOTATE_ANNOTATE_SETS_H
#define TACHO_QUESTIONS_ANNOTATE_ANNOTATE_SETS_H

#include "questions/annotate/annotate.h"

/* What a column shows. */
typedef enum tacho_annotate_content {
    SHOW_PART,
    SHOW_KIND,
    SHOW_PROBLEM,
    SHOW_DISPATCH,
    SHOW_INVOCATION,
    SHOW_ACTION,
    SHOW_JOB,
    SHOW_EXECUTOR,
    SHOW_OPERATION,
    SHOW_OPERATION_AND_HOST, /* with "(host)" after the start of a host program */
    SHOW_PROGRAM,
    SHOW_KERNEL,  /* of an inner op */
    SHOW_KERNELS, /* of its job */
    SHOW_OPERATORS,
    SHOW_OPERATORS_PLUS, /* with " + " between them */
    SHOW_START,          /* ns */
    SHOW_END,
    SHOW_TOTAL,
    SHOW_JOB_START,
    SHOW_JOB_END,
    SHOW_START_US, /* as the input has it */
    SHOW_END_US,
    SHOW_TOTAL_US,
    SHOW_JOB_START_US,
    SHOW_JOB_END_US,
    SHOW_JOB_TOTAL_US,
    SHOW_ENGINE,
    SHOW_ENGINE_INDEX,
    SHOW_SLICE, /* the index of a slice */
    SHOW_FROM,
    SHOW_TO,
    SHOW_CYCLES,
    SHOW_USED,       /* all engines */
    SHOW_SLICE_USED, /* a column for each slice; its number replaces the '#' */
    SHOW_SLICES_USED,
    SHOW_DMA_IN_USED,
    SHOW_DMA_OUT_USED,
    SHOW_CDMA_USED,
    SHOW_CSS_USED,
    SHOW_PLACE,
    SHOW_LOCATION, /* as MLIR prints it */
    SHOW_FILE,
    SHOW_LINE,
    SHOW_ORIGIN,
    SHOW_UNENDED,
} tacho_annotate_content;

typedef struct tacho_annotate_column {
    const char *name;  /* NULL ends a list */
    const char *title; /* NULL: the name */
    tacho_column_type type;
    tacho_annotate_content content;
} tacho_annotate_column;

/* Which rows a set has. Rows without a match are in all of them. */
typedef enum tacho_annotate_rows {
    ROWS_ALL,
    ROWS_OF_ACTIONS,
    ROWS_EXPANDED, /* of actions, but in place of a wait for a job the job's inner ops */
    ROWS_OF_OPS,   /* only inner ops */
} tacho_annotate_rows;

struct tacho_annotation_set {
    const char *name;
    const char *title;
    tacho_annotate_rows rows;
    bool is_by_kind; /* inner ops of a job by kind, not as they run */
    const tacho_annotate_column *columns;
};

#endif
