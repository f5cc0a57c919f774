/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of operator sets and open dimensions.
 */
#include "graph/model_facts.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_model_facts_init(tacho_model_facts *facts)
{
    *facts = (tacho_model_facts){.producer = TACHO_STR(""), .producer_version = TACHO_STR("")};
}

void tacho_model_facts_deinit(tacho_model_facts *facts)
{
    free(facts->opsets);
    free(facts->dims);
    tacho_model_facts_init(facts);
}

tacho_status tacho_model_facts_add_opset(tacho_model_facts *facts, tacho_str domain,
                                         int64_t version)
{
    TACHO_TRY(tacho_grow(&facts->opsets, &facts->opset_capacity, facts->opset_count + 1));
    facts->opsets[facts->opset_count++] = (tacho_model_opset){
        .domain = domain.len > 0 ? domain : TACHO_STR("ai.onnx"),
        .version = version,
    };
    return TACHO_OK;
}

tacho_status tacho_model_facts_add_dim(tacho_model_facts *facts, uint32_t tensor, int32_t axis,
                                       tacho_str name)
{
    TACHO_TRY(tacho_grow(&facts->dims, &facts->dim_capacity, facts->dim_count + 1));
    facts->dims[facts->dim_count++] = (tacho_model_open_dim){tensor, axis, name};
    return TACHO_OK;
}

/* By tensor, then by axis. */
static int compare_dims(const void *a, const void *b)
{
    const tacho_model_open_dim *one = a;
    const tacho_model_open_dim *other = b;
    return one->tensor != other->tensor ? (one->tensor < other->tensor ? -1 : 1)
                                        : (one->axis > other->axis) - (one->axis < other->axis);
}

void tacho_model_facts_sort(tacho_model_facts *facts)
{
    if (facts->dim_count > 1) {
        qsort(facts->dims, facts->dim_count, sizeof(*facts->dims), compare_dims);
    }
}

const tacho_str *tacho_model_facts_find_dim(const tacho_model_facts *facts, uint32_t tensor,
                                            int32_t axis)
{
    tacho_model_open_dim key = {.tensor = tensor, .axis = axis};
    const tacho_model_open_dim *found =
        facts->dim_count > 0
            ? bsearch(&key, facts->dims, facts->dim_count, sizeof(*facts->dims), compare_dims)
            : NULL;
    return found != NULL ? &found->name : NULL;
}
