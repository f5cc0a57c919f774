/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info of networks: models in, tables of what they are out.
 */
#ifndef TACHO_SESSION_MODEL_INFO_H
#define TACHO_SESSION_MODEL_INFO_H

#include "questions/analysis.h"
#include "estimates/model_tables.h"

typedef struct tacho_model_list {
    tacho_opened_model **items;
    size_t item_count, item_capacity;
    bool has_several;        /* inputs, so that files are told apart by their whole paths */
    const char *size_option; /* what the caller's users put before NAME=SIZE; NULL: nothing */
} tacho_model_list;

void tacho_model_list_deinit(tacho_model_list *list);

/* Reads |path|; |out_is_model| is false for what is none. One that is damaged is a failure. */
tacho_status tacho_model_list_add(tacho_model_list *list, const char *path,
                                  bool *out_is_model) TACHO_MUST_USE;

/* Makes the tables. */
tacho_status tacho_model_list_write(const tacho_model_list *list,
                                    const tacho_table_taker *to) TACHO_MUST_USE;

#endif
