/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How people write what a model is compiled with: one function for each kind of text. What does not
 * fit is USAGE, and says what would; no message names an option, so that callers can put theirs
 * before it.
 */
#ifndef TACHO_SESSION_COMPILE_SPEC_H
#define TACHO_SESSION_COMPILE_SPEC_H

#include "compile/compile.h"
#include "graph/model.h"

/* Limits of what may be asked for. */
enum {
    TACHO_DEVICES_MAX = 64,
    TACHO_BATCH_MAX = 65536,
    TACHO_STATS_LEVEL_DEFAULT = 40,
    TACHO_STATS_LEVEL_MAX = 1000,
};

/* ---- the model ----------------------------------------------------------------------------- */

/* "random:SEED" or "zeros". */
tacho_status tacho_spec_weights(const char *text, tacho_model_options *model) TACHO_MUST_USE;

/* How many sizes |text| can give. */
size_t tacho_spec_dim_count(const char *text);

/*
 * "N=4", or all sizes of an input, "x=1x3x224x224", as x.0=1, x.1=3 and so on; |separator| stands
 * for '='. Adds to |dims|, the list of |model|, which has room; names lie in |arena|.
 */
tacho_status tacho_spec_dim(const char *text, char separator, tacho_arena *arena,
                            tacho_model_options *model, tacho_model_dim *dims) TACHO_MUST_USE;

/* "rate=16000". Adds to |binds|, the list of |model|, which has room. */
tacho_status tacho_spec_bind(const char *text, tacho_model_options *model,
                             tacho_model_bind *binds) TACHO_MUST_USE;

/* ---- the machine --------------------------------------------------------------------------- */

/* "bf16": a type that a machine can compute in. */
tacho_status tacho_spec_dtype(const char *text, tacho_cost_options *cost) TACHO_MUST_USE;

/* "LoFi", of machines that offer a choice. */
tacho_status tacho_spec_fidelity(const char *text, const tacho_machine *machine,
                                 tacho_cost_options *cost) TACHO_MUST_USE;

/* "8x4", of machines whose cores form a grid. */
tacho_status tacho_spec_grid(const char *text, const tacho_machine *machine,
                             tacho_cost_options *cost) TACHO_MUST_USE;

/* "in0=l1,in1=dram,out=l1", of machines whose schedule leaves that open. */
tacho_status tacho_spec_places(const char *text, const tacho_machine *machine,
                               tacho_place_choice places[TACHO_OPERAND_ROLE_COUNT]) TACHO_MUST_USE;

/* ---- what the program records -------------------------------------------------------------- */

/* "KernelUtil": its events; |*out_name| is the recipe's own. */
tacho_status tacho_spec_recipe(const char *text, tacho_stats_config *stats,
                               tacho_str *out_name) TACHO_MUST_USE;

/* "3F,70,200". */
tacho_status tacho_spec_events(const char *text, tacho_stats_config *stats) TACHO_MUST_USE;

#endif
