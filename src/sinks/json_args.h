/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span as JSON, for every sink that writes JSON.
 */
#ifndef TACHO_SINKS_JSON_ARGS_H
#define TACHO_SINKS_JSON_ARGS_H

#include "base/output.h"
#include "profile/events.h"

/*
 * Writes an object of the span's arguments and of what the model knows besides: cycles,
 * location, run and invocation, an origin that is not its part's, whether it ended.
 */
void tacho_json_args_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row);

#endif
