/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer of the model that each span of a profile belongs to, as found by tacho_groups: from the
 * modules, annotations and ranges around it or around the call that launched it, else from its
 * location or the path in its name.
 *
 * A range that only one of several samples has ("iteration 7") is a time, not a place: it is not a
 * layer here, or no two samples would have an operator in common.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_LAYERS_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_LAYERS_H

#include "questions/groups/groups.h"
#include "questions/samples/sample_steps.h"

typedef struct tacho_sample_layers {
    const tacho_profile *profile;
    tacho_groups groups;
    uint32_t *of_spans;  /* node by span; NULL if no span is a layer */
    uint32_t *of_sites;  /* node by site */
    uint32_t *of_nodes;  /* string by node: its path */
    bool *skips;         /* by site: layers do not depend on its spans */
    unsigned depth;      /* maximum levels of paths; 0 for all */
    bool *is_kept;       /* by string of the dict: whether layers of that name are kept */
    tacho_strings *into; /* has the paths */
} tacho_sample_layers;

/*
 * Finds the layers of |profile|; paths of |depth| levels, or all of them for 0, become strings of
 * |into|. Call deinit even after a failure.
 */
tacho_status tacho_sample_layers_init(tacho_sample_layers *layers, const tacho_sample_steps *steps,
                                      unsigned depth, tacho_strings *into) TACHO_MUST_USE;
/* The same for operators of the framework, which are nested like layers. */
tacho_status tacho_sample_layers_init_operators(tacho_sample_layers *layers,
                                                const tacho_sample_steps *steps,
                                                tacho_strings *into) TACHO_MUST_USE;
void tacho_sample_layers_deinit(tacho_sample_layers *layers);

/* The path of the layer of span |id|, which is of |site|: a string, 0 for none. */
static inline uint32_t tacho_sample_layers_find(const tacho_sample_layers *layers, size_t id,
                                                uint32_t site)
{
    uint32_t node = layers->of_spans != NULL ? layers->of_spans[id] : 0;
    return layers->of_nodes[node != 0 ? node : layers->of_sites[site]];
}

#endif
