/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caller's wishes about a model, checked and turned into what the compiler takes.
 */
#ifndef TACHO_API_MODEL_REQUEST_H
#define TACHO_API_MODEL_REQUEST_H

#include "base/notes.h"
#include "compile/compile.h"
#include "graph/model.h"
#include <tacho/compile.h>

typedef struct tacho_model_request {
    tacho_arena arena; /* of lists */
    tacho_model_options model;
    tacho_compile_options compile;
    tacho_notes notes;
    const tacho_compiled_options *options;
} tacho_model_request;

/* What can be said without a machine. |options| outlive the request. Call deinit even if this
 * fails. */
tacho_status tacho_model_request_init(tacho_model_request *request,
                                      const tacho_compiled_options *options) TACHO_MUST_USE;
void tacho_model_request_deinit(tacho_model_request *request);

/* What depends on the machine that it is compiled for. */
tacho_status tacho_model_request_take_machine(tacho_model_request *request,
                                              const tacho_machine *machine) TACHO_MUST_USE;

/* Where notes go; NULL if the caller takes none. */
const tacho_notes *tacho_model_request_notes(const tacho_model_request *request);

#endif
