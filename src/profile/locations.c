/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the text as MLIR's, which fails for the places of others.
 */
#include "profile/locations.h"

#include "codec/mlir_location.h"

tacho_status tacho_location_file(tacho_dict *dict, uint32_t text, uint32_t *out_location)
{
    tacho_location location = {.text = text};
    tacho_mlir_location parsed;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status parse_status =
        tacho_mlir_location_parse(tacho_dict_string(dict, text), NULL, &arena, &parsed);
    const tacho_mlir_location_node *primary =
        parse_status == TACHO_OK ? tacho_mlir_location_primary(&parsed) : NULL;
    tacho_status status = tacho_status_forgive_data(parse_status);
    if (primary != NULL) {
        location.line = primary->line;
        location.column = primary->column;
        status = tacho_dict_ensure_string(dict, primary->text, &location.file);
    }
    tacho_arena_deinit(&arena);
    TACHO_TRY(status);
    return tacho_dict_ensure_location(dict, &location, out_location);
}
