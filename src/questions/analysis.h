/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses turn a question into tables. Each is one constant struct that names its subject.
 *
 * Event analyses receive rows one by one and write their tables after the last row:
 *
 *     TACHO_TRY(analysis->open(options, dict, &events));
 *     ... push rows into events ...
 *     status = analysis->write(events, options, &taker);
 *     analysis->close(events);
 *
 * All other subjects need one call: analysis->make(subject, options, &taker).
 */
#ifndef TACHO_QUESTIONS_ANALYSIS_H
#define TACHO_QUESTIONS_ANALYSIS_H

#include "profile/events.h"
#include "table/table.h"

typedef enum tacho_analysis_subject {
    TACHO_SUBJECT_EVENTS,    /* rows of profiles in track order */
    TACHO_SUBJECT_PROGRAMS,  /* tacho_opened_programs: containers and their contents */
    TACHO_SUBJECT_MODELS,    /* tacho_opened_models: networks as their files have them */
    TACHO_SUBJECT_DEBUG,     /* tacho_debug_inputs: a compiler's debug information */
    TACHO_SUBJECT_RECORDING, /* tacho_recording: the measurements of a run */
    TACHO_SUBJECT_COMPILED,  /* tacho_compiled_subject: a compiled program with its estimate */
    TACHO_SUBJECT_JOIN,      /* tacho_annotation: runtime profiles and debug information, joined */
    TACHO_SUBJECT_STATS,     /* tacho_opstats: raw stats of one device, summed up */
    TACHO_SUBJECT_INFERENCE, /* tacho_rollup_files: raw stats of one inference */
} tacho_analysis_subject;

typedef struct tacho_analysis {
    const char *name;
    const char *question; /* shown to users, without the question mark */
    const char *options;  /* the struct that |options| points to; NULL if there are no options */
    tacho_analysis_subject subject;
    /* For events; |options| must outlive |out_events|. */
    tacho_status (*open)(const void *options, tacho_dict *dict, tacho_events **out_events);
    tacho_status (*write)(tacho_events *events, const void *options, const tacho_table_taker *to);
    void (*close)(tacho_events *events); /* NULL is allowed */
    /* The timeline that receives its rows; analyses that run together share its spool (timeline.h).
     * (optional) */
    struct tacho_timeline *(*timeline)(tacho_events *events);
    /* For other subjects. */
    tacho_status (*make)(const void *subject, const void *options, const tacho_table_taker *to);
} tacho_analysis;

/* The analyses of this room; those that need models or machines are in estimates/estimates.h. */
#define TACHO_QUESTIONS(X)                                                                         \
    X(info)                                                                                        \
    X(overview)                                                                                    \
    X(breakdown)                                                                                   \
    X(verdict)                                                                                     \
    X(groups)                                                                                      \
    X(critical_path)                                                                               \
    X(ops)                                                                                         \
    X(debug_info)                                                                                  \
    X(annotate)                                                                                    \
    X(opstats)                                                                                     \
    X(rollup)                                                                                      \
    X(processes)                                                                                   \
    X(query)

#define TACHO_ANALYSIS_EXTERN(name) extern const tacho_analysis tacho_analysis_##name;
TACHO_QUESTIONS(TACHO_ANALYSIS_EXTERN)

/* All of them, NULL-terminated. */
extern const tacho_analysis *const tacho_questions[];

/* Passes |table| to |to| if |status| is success, and always frees it. */
tacho_status tacho_table_hand_over(const tacho_table_taker *to, tacho_status status,
                                   tacho_table *table) TACHO_MUST_USE;

/* Things of one kind that a subject consists of, such as the files that were opened. */
typedef struct tacho_items {
    const void *subject;
    size_t item_count;
    const void *(*item)(const void *subject, size_t index);
} tacho_items;

/* A table with rows of every item. */
typedef struct tacho_items_table {
    const char *name;
    const char *title;
    const tacho_column *columns;
    size_t column_count;
    tacho_status (*add)(const void *item, tacho_table *table);
} tacho_items_table;

#define TACHO_ITEMS_TABLE(name, title, columns, add)                                               \
    {                                                                                              \
        name, title, columns, sizeof(columns) / sizeof((columns)[0]), add                          \
    }

/* Makes |tables| one after the other, in the order in which they are shown. */
tacho_status tacho_items_tables_make(const tacho_items_table *tables, size_t table_count,
                                     const tacho_items *items,
                                     const tacho_table_taker *to) TACHO_MUST_USE;

#endif
