/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models and programs for a roofline: models are compiled for a machine, programs know theirs.
 */
#ifndef TACHO_SESSION_ROOFLINE_H
#define TACHO_SESSION_ROOFLINE_H

#include "estimates/roofline/roof_works.h"
#include "graph/model.h"

/* Texts are as people write them (session/compile_spec.h); NULL: not given. */
typedef struct tacho_roof_list {
    const char *machine; /* name or file; NULL: models are for the default one */
    const char *ceilings, *dtype, *fidelity;
    tacho_model_options model;
    uint32_t batch; /* 0: one */
    bool is_quiet, has_several;
    const tacho_notes *notes;
    tacho_roof_works *items;
    size_t item_count, item_capacity;
    tacho_roof roof;         /* that was asked for by name or by ceilings ... */
    bool has_roof;           /* ... if it was */
    tacho_cost_options cost; /* of models */
    tacho_machine *found;    /* the machine of models and of |roof|, once it is needed */
    tacho_arena arena;
} tacho_roof_list;

void tacho_roof_list_init(tacho_roof_list *list);
void tacho_roof_list_deinit(tacho_roof_list *list);

/* Reads the texts; |*out_what| is "machine", "roof", "dtype" or "fidelity": the one that is wrong.
 */
tacho_status tacho_roof_list_take_texts(tacho_roof_list *list,
                                        const char **out_what) TACHO_MUST_USE;

/* Reads |path| if it is a model or a program. */
tacho_status tacho_roof_list_add(tacho_roof_list *list, const char *path,
                                 bool *out_is_added) TACHO_MUST_USE;

/* Whether all that was asked for goes together; |has_profiles|: some inputs are profiles. */
tacho_status tacho_roof_list_check(const tacho_roof_list *list, bool has_profiles) TACHO_MUST_USE;

/* The tables of all models and programs, where there is no profile. */
tacho_status tacho_roof_list_write(const tacho_roof_list *list,
                                   const tacho_roofline_options *options,
                                   const tacho_table_taker *to) TACHO_MUST_USE;

#endif
