/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs are gone through once, then parts.
 */
#include "profile/inferences.h"

#include "base/grow.h"

#include <stdlib.h>

/* Which program each part is one run of. */
static void name_parts(tacho_inferences *of, const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->part_count; i++) {
        of->firsts[i] = 0; /* runs, for now */
        of->names[i] = TACHO_NONE;
    }
    for (size_t i = 0; i < dict->run_count; i++) {
        const tacho_run *run = &dict->runs[i];
        if (run->invocation >= 0) {
            of->names[run->part] = of->firsts[run->part]++ == 0 ? run->name : TACHO_NONE;
        }
    }
}

tacho_status tacho_inferences_init(tacho_inferences *of, const tacho_dict *dict)
{
    *of = (tacho_inferences){.firsts = NULL};
    TACHO_TRY(tacho_items_make(&of->firsts, dict->part_count));
    TACHO_TRY(tacho_items_make(&of->counts, dict->part_count));
    TACHO_TRY(tacho_items_make(&of->names, dict->part_count));
    name_parts(of, dict);
    for (uint32_t i = 0; i < dict->part_count; i++) {
        bool is_next = i > 0 && of->names[i] != TACHO_NONE && of->names[i] == of->names[i - 1] &&
                       dict->parts[i].path == dict->parts[i - 1].path;
        of->firsts[i] = is_next ? of->firsts[i - 1] : i;
        of->counts[i] = 0;
        of->counts[of->firsts[i]]++;
    }
    return TACHO_OK;
}

void tacho_inferences_deinit(tacho_inferences *of)
{
    free(of->firsts);
    free(of->counts);
    free(of->names);
    *of = (tacho_inferences){.firsts = NULL};
}
