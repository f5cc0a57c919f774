/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model's graph and program are gone once its operators are listed; machines stay.
 */
#include "session/roofline.h"

#include "base/grow.h"
#include "base/input.h"
#include "device/program_machine.h"
#include "graph/model_facts.h"
#include "program/container.h"
#include "session/compilation.h"
#include "session/compile_spec.h"
#include "session/run_device.h"
#include "session/find_machine.h"
#include "session/run_module.h"

#include <stdlib.h>

enum { LOOK_BYTES = 4096 };

void tacho_roof_list_init(tacho_roof_list *list)
{
    *list = (tacho_roof_list){.machine = NULL};
    tacho_arena_init(&list->arena);
}

void tacho_roof_list_deinit(tacho_roof_list *list)
{
    for (size_t i = 0; i < list->item_count; i++) {
        tacho_roof_works_deinit(&list->items[i]);
    }
    free(list->items);
    tacho_arena_deinit(&list->arena);
    *list = (tacho_roof_list){.machine = NULL};
}

static tacho_status find_machine(tacho_roof_list *list, const char *name)
{
    return list->found != NULL
               ? TACHO_OK
               : tacho_session_find_machine(name, list->notes, &list->arena, &list->found);
}

static const char *model_machine(const tacho_roof_list *list)
{
    return list->machine != NULL ? list->machine : TACHO_DEFAULT_MACHINE;
}

tacho_status tacho_roof_list_take_texts(tacho_roof_list *list, const char **out_what)
{
    *out_what = "machine";
    if (list->machine != NULL) {
        TACHO_TRY(find_machine(list, list->machine));
        tacho_roof_init(&list->roof, list->found);
        list->has_roof = true;
    }
    *out_what = "roof";
    if (list->ceilings != NULL) {
        TACHO_TRY(tacho_roof_parse(&list->roof, list->ceilings));
        list->has_roof = true;
    }
    *out_what = "dtype";
    if (list->dtype != NULL) {
        TACHO_TRY(tacho_spec_dtype(list->dtype, &list->cost));
    }
    *out_what = "fidelity";
    if (list->fidelity != NULL) {
        TACHO_TRY(find_machine(list, model_machine(list)));
        TACHO_TRY(tacho_spec_fidelity(list->fidelity, list->found, &list->cost));
    }
    return TACHO_OK;
}

/* ---- models ------------------------------------------------------------------------------ */

static tacho_status take_compiled(tacho_roof_list *list, const tacho_compilation_request *request,
                                  tacho_roof_works *works)
{
    tacho_compilation compilation;
    tacho_status status = tacho_compilation_open(&compilation, request);
    if (status == TACHO_OK) {
        if (!list->is_quiet) {
            tacho_compilation_say_model(&compilation, list->notes);
        }
        status = tacho_roof_works_take_estimate(works, &compilation.estimate,
                                                request->options->estimate.cost.fidelity);
    }
    tacho_compilation_close(&compilation);
    return status;
}

static tacho_status take_model(tacho_roof_list *list, const char *path, tacho_roof_works *works)
{
    const tacho_compile_options options = {.batch = list->batch, .estimate = {.cost = list->cost}};
    tacho_compilation_request request = {path, &list->model, NULL, &options};
    TACHO_TRY(find_machine(list, model_machine(list)));
    request.machine = list->found;
    return take_compiled(list, &request, works);
}

/* ---- programs ---------------------------------------------------------------------------- */

/* A program file has multiply-adds; steps of other operators are known from the model alone. */
static void say_stepless(const tacho_roof_list *list, const char *path,
                         const tacho_program *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->op_count; i++) {
        count += program->ops[i].macs == 0 ? 1 : 0;
    }
    if (count > 0 && !list->is_quiet) {
        tacho_note(list->notes, "note",
                   "%s: %zu of %zu operators have no FLOP: a program file says multiply-adds "
                   "alone; name the model instead to have all",
                   path, count, program->op_count);
    }
}

static tacho_status take_program(tacho_roof_list *list, const char *path, tacho_roof_works *works)
{
    tacho_program program = {0};
    tacho_machine *machine = NULL;
    TACHO_TRY(tacho_run_program_path(path, &list->arena, &path));
    tacho_status status = tacho_program_read(path, &program);
    if (status == TACHO_OK) {
        status = tacho_program_machine(&program, &list->arena, &machine);
    }
    if (status == TACHO_OK) {
        status = tacho_roof_works_take_program(works, &program, machine);
        say_stepless(list, path, &program);
    }
    tacho_program_deinit(&program);
    return status;
}

/* ---- both -------------------------------------------------------------------------------- */

static bool is_model(const char *path)
{
    char head[LOOK_BYTES];
    size_t len = tacho_input_read_head(path, head, sizeof(head));
    return len > 0 && tacho_model_is_model(tacho_str_make(head, len));
}

tacho_status tacho_roof_list_add(tacho_roof_list *list, const char *path, bool *out_is_added)
{
    bool is_program = tacho_run_is_program(path);
    *out_is_added = is_program || is_model(path);
    if (!*out_is_added) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
    tacho_roof_works *works = &list->items[list->item_count];
    tacho_str name = tacho_str_from_cstring(path);
    tacho_roof_works_init(works, list->has_several ? name : tacho_str_basename(name));
    tacho_status status =
        is_program ? take_program(list, path, works) : take_model(list, path, works);
    if (status != TACHO_OK) {
        tacho_roof_works_deinit(works);
        return status;
    }
    list->item_count++;
    return TACHO_OK;
}

tacho_status tacho_roof_list_check(const tacho_roof_list *list, bool has_profiles)
{
    if (has_profiles && list->item_count > 1) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "profiles are joined with one model or program, not with %zu",
                          list->item_count);
    }
    if (has_profiles && list->item_count == 0 && list->ceilings != NULL && list->machine != NULL) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the ceilings of a profile come from a machine ('%s') or from a roof "
                          "('%s'), not from both; leave one out",
                          list->machine, list->ceilings);
    }
    return TACHO_OK;
}

static tacho_status add_points(const tacho_roof_list *list, tacho_roofline *line)
{
    for (size_t i = 0; i < list->item_count; i++) {
        tacho_roof_works works = list->items[i];
        works.roof = list->has_roof ? list->roof : works.roof;
        TACHO_TRY(tacho_roof_works_add_points(&works, line));
    }
    return TACHO_OK;
}

tacho_status tacho_roof_list_write(const tacho_roof_list *list,
                                   const tacho_roofline_options *options,
                                   const tacho_table_taker *to)
{
    tacho_roofline line;
    tacho_roofline_init(&line);
    tacho_status status = add_points(list, &line);
    if (status == TACHO_OK) {
        status = tacho_roofline_write(&line, options, to);
    }
    tacho_roofline_deinit(&line);
    return status;
}
