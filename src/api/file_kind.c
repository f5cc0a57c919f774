/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most are told by their first bytes; debug information by all of them, since it begins as models
 * do, and machine descriptions by reading them.
 */
#include "api/file_kind.h"

#include "questions/fleet/fleet_part.h"
#include "base/input.h"
#include "graph/model.h"
#include "machine/machine.h"
#include "pipeline/input_list.h"
#include "program/qpc.h"
#include "sources/known_formats.h"
#include "sources/source.h"
#include "vendors/torq/debug_info.h"

static bool is_machine(const char *path, tacho_str head)
{
    if (!tacho_str_starts_with(tacho_str_trim(head), TACHO_STR("{"))) {
        return false;
    }
    tacho_arena arena;
    tacho_machine *machine = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_machine_find(path, &arena, &machine);
    bool is_found = status == TACHO_OK;
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return is_found;
}

static tacho_file_facts facts_of_profile(const tacho_source *source)
{
    tacho_str name = tacho_str_from_cstring(source->name);
    if (tacho_str_equal(name, TACHO_STR("stats"))) {
        return (tacho_file_facts){TACHO_FILE_STATS, NULL, NULL};
    }
    bool is_runtime = tacho_str_equal(name, TACHO_STR("torq-runtime")) ||
                      tacho_str_equal(name, TACHO_STR("torq-host"));
    return (tacho_file_facts){is_runtime ? TACHO_FILE_RUNTIME : TACHO_FILE_PROFILE, source->title,
                              NULL};
}

static bool is_event_table(tacho_str head)
{
    return tacho_str_starts_with(head, TACHO_STR("kind,file,group,track,class,index,start_ns,")) ||
           tacho_str_starts_with(head, TACHO_STR("{\"kind\":\""));
}

static tacho_file_facts look(tacho_input *input, const char *path, tacho_str head)
{
    bool is_onnx = tacho_onnx_reader.is_mine(head);
    bool is_model = is_onnx || tacho_mlir_reader.is_mine(head);
    bool is_program = head.len >= 4 && tacho_qpc_is_container(head);
    if (is_model || is_program) {
        bool is_packed = tacho_input_compression(input) != NULL;
        const char *format = is_program ? NULL : is_onnx ? "ONNX" : "MLIR";
        return is_packed
                   ? (tacho_file_facts){TACHO_FILE_PACKED, is_model ? "model" : "program", NULL}
               : is_program ? (tacho_file_facts){TACHO_FILE_PROGRAM, format, NULL}
                            : (tacho_file_facts){TACHO_FILE_MODEL, format, NULL};
    }
    if (tacho_fleet_is_part(head)) {
        return (tacho_file_facts){TACHO_FILE_PART, NULL, NULL};
    }
    const tacho_source *source = NULL;
    tacho_status_free(tacho_source_resolve(input, &source));
    if (source != NULL) {
        return facts_of_profile(source);
    }
    const char *piece = tacho_source_folder_piece(head);
    if (piece != NULL) {
        return (tacho_file_facts){TACHO_FILE_PIECE, piece, NULL};
    }
    tacho_file_kind kind = is_event_table(head)             ? TACHO_FILE_EVENTS
                           : tacho_input_list_is_page(path) ? TACHO_FILE_REPORT
                           : is_machine(path, head)         ? TACHO_FILE_MACHINE
                                                            : TACHO_FILE_UNKNOWN;
    const tacho_known_format *known = tacho_known_format_find(head, tacho_str_from_cstring(path));
    if (kind == TACHO_FILE_UNKNOWN && known != NULL) {
        return (tacho_file_facts){TACHO_FILE_FOREIGN, known->title, known->remedy};
    }
    return (tacho_file_facts){kind, NULL, NULL};
}

tacho_status tacho_file_recognise(const char *path, tacho_file_facts *out_facts)
{
    tacho_input input;
    tacho_str head;
    const tacho_source *folder = tacho_source_find_folder(path);
    if (folder != NULL) {
        *out_facts = (tacho_file_facts){TACHO_FILE_LOGS, folder->title, NULL};
        return TACHO_OK;
    }
    *out_facts = (tacho_file_facts){TACHO_FILE_EMPTY, NULL, NULL};
    if (tacho_is_debug_info(path)) {
        out_facts->kind = TACHO_FILE_DEBUG;
        return TACHO_OK;
    }
    if (!tacho_input_is_rereadable(path)) {
        out_facts->kind = TACHO_FILE_SPECIAL;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = tacho_input_peek(&input, TACHO_PROBE_BYTES, &head);
    if (status == TACHO_OK && head.len > 0) {
        *out_facts = look(&input, path, head);
    }
    tacho_input_close(&input);
    return status;
}
