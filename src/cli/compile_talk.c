/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees of a compilation.
 */
#include "cli/compile_options.h"
#include "cli/file_kind.h"
#include "cli/talk.h"

static void say_rest(const tacho_compile_request *request, size_t op_count)
{
    size_t top = request->table.top;
    if (request->output_path != NULL && top > 0 && top < op_count && !request->is_quiet) {
        tacho_note(&tacho_talk_notes, "note", "%zu more operator%s; --top 0 shows all",
                   op_count - top, op_count - top == 1 ? "" : "s");
    }
}

/* An estimate may guess; a program that lacks a kernel does not run everywhere. */
int tacho_compile_run_chosen(tacho_compile_request *request, const tacho_hint_dialect *dialect)
{
    tacho_compile_result result = {0};
    request->notes = &tacho_talk_notes;
    tacho_status status = tacho_compile_run(request, &result);
    if (status != TACHO_OK) {
        return tacho_talk_failure_in(dialect, tacho_cli_note_no_model(status, request->model_path));
    }
    say_rest(request, result.op_count);
    return result.unknown_count > 0 && request->program_path != NULL ? TACHO_EXIT_LOSSY
                                                                     : TACHO_EXIT_DONE;
}
