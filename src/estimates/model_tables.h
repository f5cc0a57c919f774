/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a network's file as tables, for tacho info.
 */
#ifndef TACHO_ESTIMATES_MODEL_TABLES_H
#define TACHO_ESTIMATES_MODEL_TABLES_H

#include "graph/graph.h"
#include "graph/model_facts.h"
#include "table/table.h"

/* A model as read from its file. */
typedef struct tacho_opened_model {
    tacho_str file;          /* the name to show */
    const char *size_option; /* the option that the caller's users put before NAME=SIZE; or "" */
    tacho_graph graph;
    tacho_model_facts facts;
} tacho_opened_model;

/* The subject of tacho_analysis_model: rows of all of them in each table. */
typedef struct tacho_opened_models {
    tacho_opened_model *const *items;
    size_t item_count;
} tacho_opened_models;

#endif
