/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile is replayed to tacho_groups, with the number of each span as the run of its row. If
 * no span is a layer, sites determine all layers.
 */
#include "questions/samples/sample_layers.h"

#include "questions/samples/sample_join.h"
#include "questions/samples/sample_replay.h"
#include "base/grow.h"
#include "base/text.h"
#include "profile/scopes.h"

#include <stdlib.h>

enum { PATH_BYTES_MAX = 512 }; /* deeper layers count for the one around them */

/* ---- spans --------------------------------------------------------------------------------- */

static tacho_status take_place(void *self, const tacho_group_place *place)
{
    tacho_sample_layers *layers = self;
    layers->of_spans[place->run] = place->node;
    return TACHO_OK;
}

static tacho_status find_spans(tacho_sample_layers *layers)
{
    TACHO_TRY(tacho_items_make(&layers->of_spans, layers->profile->span_count));
    return tacho_sample_replay(layers->profile, layers->skips, &layers->groups.events);
}

/*
 * Whether some spans are of the |wanted| kind. Frames of the program are not and launch nothing,
 * and there may be many: they are skipped unless they are themselves compared.
 */
static tacho_status survey_sites(tacho_sample_layers *layers, bool is_host, tacho_scope_kind wanted,
                                 bool *out_has_some)
{
    const tacho_dict *dict = layers->profile->events.dict;
    *out_has_some = false;
    TACHO_TRY(tacho_items_make(&layers->skips, dict->site_count));
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        tacho_scope_kind kind = tacho_scope_of(tacho_dict_string(dict, site->category),
                                               tacho_dict_string(dict, site->name))
                                    .kind;
        *out_has_some = *out_has_some || kind == wanted;
        layers->skips[i] = kind == TACHO_SCOPE_FRAME && !is_host;
    }
    return TACHO_OK;
}

static tacho_status find_sites(tacho_sample_layers *layers)
{
    const tacho_dict *dict = layers->profile->events.dict;
    size_t count = dict->site_count;
    TACHO_TRY(tacho_items_make(&layers->of_sites, count));
    for (uint32_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_groups_layer_of_site(&layers->groups, i, &layers->of_sites[i]));
    }
    return TACHO_OK;
}

/* ---- layers of one sample ------------------------------------------------------------------ */

/* Finds the samples with layers of each name, by string; |by_node| is room for nodes. */
static void see_all(const tacho_sample_layers *layers, const tacho_sample_steps *steps,
                    uint32_t *by_node, uint32_t *by_name)
{
    const tacho_group_tree *tree = &layers->groups.tree;
    for (size_t i = 0; i < layers->profile->span_count; i++) {
        uint32_t node = layers->of_spans[i];
        if (node != 0 && by_node[node] != TACHO_SEEN_OFTEN) {
            tacho_span span = tacho_profile_span(layers->profile, i);
            uint32_t sample = tacho_sample_steps_find(steps, i, &span);
            tacho_see(&by_node[node], sample != TACHO_NONE ? sample + 1 : TACHO_SEEN_NEVER);
        }
    }
    for (size_t i = tree->node_count; i-- > 1;) { /* inner layers first */
        tacho_see(&by_node[tree->nodes[i].parent], by_node[i]);
        tacho_see(&by_name[tree->nodes[i].name], by_node[i]);
    }
}

/* Drops layers that only one of several samples has. */
static tacho_status choose_kept(tacho_sample_layers *layers, const tacho_sample_steps *steps)
{
    size_t name_count = layers->profile->events.dict->strings.item_count;
    bool is_one = steps->sample_count < 2 || layers->of_spans == NULL;
    uint32_t *by_node = NULL;
    uint32_t *by_name = NULL;
    TACHO_TRY(tacho_items_make(&layers->is_kept, name_count));
    tacho_status status = tacho_items_make(&by_node, layers->groups.tree.node_count);
    status = status == TACHO_OK ? tacho_items_make(&by_name, name_count) : status;
    if (status == TACHO_OK && !is_one) {
        see_all(layers, steps, by_node, by_name);
    }
    for (size_t i = 0; i < name_count && status == TACHO_OK; i++) {
        layers->is_kept[i] = is_one || by_name[i] == TACHO_SEEN_OFTEN;
    }
    free(by_node);
    free(by_name);
    return status;
}

/* ---- paths --------------------------------------------------------------------------------- */

static tacho_status name_node(tacho_sample_layers *layers, size_t node, uint8_t *depths,
                              tacho_text *text)
{
    const tacho_group_node *of = &layers->groups.tree.nodes[node];
    tacho_str around = tacho_strings_get(layers->into, layers->of_nodes[of->parent]);
    tacho_str name = tacho_dict_string(layers->profile->events.dict, of->name);
    bool is_deep = layers->depth > 0 && depths[of->parent] >= layers->depth;
    depths[node] = depths[of->parent];
    layers->of_nodes[node] = layers->of_nodes[of->parent];
    if (is_deep || !layers->is_kept[of->name] || around.len + name.len >= PATH_BYTES_MAX) {
        return TACHO_OK;
    }
    depths[node]++;
    TACHO_TRY(tacho_text_put(text, around));
    TACHO_TRY(tacho_text_put(text, around.len > 0 ? TACHO_STR("/") : TACHO_STR("")));
    TACHO_TRY(tacho_text_put(text, name));
    return tacho_strings_ensure(layers->into, tacho_text_take(text), &layers->of_nodes[node]);
}

static tacho_status name_nodes(tacho_sample_layers *layers)
{
    size_t count = layers->groups.tree.node_count;
    uint8_t *depths = NULL; /* by node: levels in its path */
    tacho_text text = {0};
    TACHO_TRY(tacho_items_make(&layers->of_nodes, count));
    tacho_status status = tacho_items_make(&depths, count);
    for (size_t i = 1; i < count && status == TACHO_OK; i++) {
        status = name_node(layers, i, depths, &text);
    }
    tacho_text_deinit(&text);
    free(depths);
    return status;
}

/* ---- the interface ------------------------------------------------------------------------- */

static void start(tacho_sample_layers *layers, tacho_group_key by)
{
    const tacho_groups_options options = {.by = by,
                                          .taker = {take_place, layers, .has_own_runs = true}};
    tacho_groups_init(&layers->groups, layers->profile->events.dict, &options);
}

tacho_status tacho_sample_layers_init(tacho_sample_layers *layers, const tacho_sample_steps *steps,
                                      unsigned depth, tacho_strings *into)
{
    *layers = (tacho_sample_layers){.profile = steps->profile, .depth = depth, .into = into};
    bool has_layers = false;
    start(layers, TACHO_GROUP_BY_LAYER);
    TACHO_TRY(
        survey_sites(layers, steps->domain == TACHO_SAMPLES_HOST, TACHO_SCOPE_LAYER, &has_layers));
    if (has_layers && layers->profile->span_count > 0) {
        TACHO_TRY(find_spans(layers));
    }
    TACHO_TRY(find_sites(layers));
    TACHO_TRY(choose_kept(layers, steps));
    return name_nodes(layers);
}

/* Keeps operators even if only one sample has them; sites do not determine any. */
tacho_status tacho_sample_layers_init_operators(tacho_sample_layers *layers,
                                                const tacho_sample_steps *steps,
                                                tacho_strings *into)
{
    *layers = (tacho_sample_layers){.profile = steps->profile, .into = into};
    const tacho_dict *dict = layers->profile->events.dict;
    bool has_some = false;
    start(layers, TACHO_GROUP_BY_OP);
    TACHO_TRY(
        survey_sites(layers, steps->domain == TACHO_SAMPLES_HOST, TACHO_SCOPE_OPERATOR, &has_some));
    TACHO_TRY(tacho_items_make(&layers->of_sites, dict->site_count));
    if (!has_some || layers->profile->span_count == 0) {
        return tacho_items_make(&layers->of_nodes, 1);
    }
    TACHO_TRY(find_spans(layers));
    TACHO_TRY(tacho_items_make(&layers->is_kept, dict->strings.item_count));
    memset(layers->is_kept, true, dict->strings.item_count * sizeof(*layers->is_kept));
    return name_nodes(layers);
}

void tacho_sample_layers_deinit(tacho_sample_layers *layers)
{
    if (layers->profile == NULL) {
        return;
    }
    tacho_groups_deinit(&layers->groups);
    free(layers->of_spans);
    free(layers->of_sites);
    free(layers->of_nodes);
    free(layers->is_kept);
    free(layers->skips);
    *layers = (tacho_sample_layers){.profile = NULL};
}
