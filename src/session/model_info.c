/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as their files have them: nothing is inferred, so dimensions may be open, and values are
 * not looked at, so size costs nothing.
 */
#include "session/model_info.h"

#include "base/grow.h"
#include "base/input.h"
#include "estimates/estimates.h"

#include <stdlib.h>

enum { LOOK_BYTES = 4096 };

tacho_status tacho_model_list_write(const tacho_model_list *list, const tacho_table_taker *to)
{
    const tacho_opened_models models = {list->items, list->item_count};
    return tacho_analysis_model.make(&models, NULL, to);
}

static void close_model(tacho_opened_model *opened)
{
    tacho_model_facts_deinit(&opened->facts);
    tacho_graph_deinit(&opened->graph);
    free(opened);
}

void tacho_model_list_deinit(tacho_model_list *list)
{
    for (size_t i = 0; i < list->item_count; i++) {
        close_model(list->items[i]);
    }
    free(list->items);
    *list = (tacho_model_list){0};
}

static tacho_status open_model(tacho_opened_model *opened, const char *path)
{
    tacho_model_facts_init(&opened->facts);
    TACHO_TRY(tacho_graph_init(&opened->graph));
    return tacho_model_survey(path, &opened->facts, &opened->graph);
}

tacho_status tacho_model_list_add(tacho_model_list *list, const char *path, bool *out_is_model)
{
    char head[LOOK_BYTES];
    size_t len = tacho_input_read_head(path, head, sizeof(head));
    *out_is_model = len > 0 && tacho_model_is_model(tacho_str_make(head, len));
    if (!*out_is_model) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
    tacho_opened_model *opened = calloc(1, sizeof(*opened));
    if (opened == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: cannot get memory for a model", path);
    }
    tacho_status status = open_model(opened, path);
    if (status != TACHO_OK) {
        close_model(opened);
        return status;
    }
    tacho_str name = tacho_str_from_cstring(path);
    opened->file = strcmp(path, "-") == 0 ? TACHO_STR("standard input")
                   : list->has_several    ? name
                                          : tacho_str_basename(name);
    opened->size_option = list->size_option != NULL ? list->size_option : "";
    list->items[list->item_count++] = opened;
    return TACHO_OK;
}
