/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens containers, reads what can be read of them, and prints their tables. What is damaged is
 * said and makes the exit code 3; only a container whose structure is wrong is refused.
 */
#include "session/program_info.h"

#include "base/folder.h"
#include "base/grow.h"
#include "base/input.h"
#include "program/container.h"
#include "program/image.h"
#include "session/run_module.h"
#include "estimates/estimates.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void say_problem(tacho_program_list *list, const char *path, const char *what)
{
    tacho_note(list->notes, "warning", "%.200s: %.420s", path, what);
    list->problem_count++;
}

/* Says what is wrong with a segment and leaves the rest readable; other failures pass through. */
static tacho_status say_failure(tacho_program_list *list, const char *path, const char *segment,
                                tacho_status status)
{
    tacho_code code = tacho_status_code(status);
    if (status != TACHO_OK && code != TACHO_CODE_NO_MEMORY && code != TACHO_CODE_IO) {
        char text[520];
        snprintf(text, sizeof(text), "%s: %.300s", segment, tacho_status_message(status));
        say_problem(list, path, text);
    }
    return tacho_status_forgive_data(status);
}

static bool is_bad(const tacho_opened_program *opened)
{
    for (size_t i = 0; i < opened->qpc.segment_count; i++) {
        if (opened->states[i] == TACHO_SEAL_BAD) {
            return true;
        }
    }
    return false;
}

static tacho_status read_description(tacho_program_list *list, tacho_opened_program *opened,
                                     const tacho_qpc_segment *segment, const char *path)
{
    TACHO_TRY(tacho_grow(&opened->descs, &opened->desc_capacity, opened->desc_count + 1));
    tacho_networkdesc *desc = &opened->descs[opened->desc_count];
    tacho_status status = tacho_networkdesc_read(segment->data, desc);
    if (status == TACHO_OK) {
        opened->desc_count++;
        return TACHO_OK;
    }
    tacho_networkdesc_deinit(desc);
    char name[128];
    snprintf(name, sizeof(name), "%.*s", segment->name.len < 120 ? (int)segment->name.len : 120,
             segment->name.data);
    return say_failure(list, path, name, status);
}

static tacho_status read_descriptions(tacho_program_list *list, tacho_opened_program *opened,
                                      const char *path)
{
    for (size_t i = 0; i < opened->qpc.segment_count; i++) {
        const tacho_qpc_segment *segment = &opened->qpc.segments[i];
        if (tacho_program_is_description(segment->name)) {
            TACHO_TRY(read_description(list, opened, segment, path));
        }
    }
    return TACHO_OK;
}

/* Of a container that tacho wrote: one with a seal or an image of ours. */
static tacho_status read_program(tacho_program_list *list, tacho_opened_program *opened,
                                 const char *path)
{
    const tacho_qpc_segment *image = tacho_qpc_find(&opened->qpc, TACHO_STR(TACHO_SEGMENT_IMAGE));
    bool has_seal = tacho_qpc_find(&opened->qpc, TACHO_STR(TACHO_SEAL_SEGMENT)) != NULL;
    if (image == NULL || (!has_seal && !tacho_image_is_image(image->data))) {
        return TACHO_OK;
    }
    tacho_status status = tacho_program_read_from(&opened->qpc, &opened->program);
    opened->has_program = status == TACHO_OK;
    if (!opened->has_program) {
        tacho_program_deinit(&opened->program);
        opened->program = (tacho_program){0};
    }
    return say_failure(list, path, TACHO_SEGMENT_IMAGE, status);
}

/* Containers for several devices may have one in a folder for each. */
static bool has_image(const tacho_opened_program *opened)
{
    for (size_t i = 0; i < opened->qpc.segment_count; i++) {
        tacho_str name = opened->qpc.segments[i].name;
        if (tacho_str_equal(name, TACHO_STR(TACHO_SEGMENT_IMAGE)) ||
            tacho_str_ends_with(name, TACHO_STR("/" TACHO_SEGMENT_IMAGE))) {
            return true;
        }
    }
    return false;
}

static tacho_status open_program(tacho_program_list *list, const char *path)
{
    tacho_str bytes = TACHO_STR("");
    TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
    tacho_opened_program *opened = &list->items[list->item_count];
    *opened = (tacho_opened_program){0};
    tacho_str name = tacho_str_from_cstring(path);
    opened->file = strcmp(path, "-") == 0 ? TACHO_STR("standard input")
                   : list->has_several    ? name
                                          : tacho_str_basename(name);
    opened->is_for_people = list->is_for_people;
    const tacho_mapping_bound bound = {.is_known = tacho_qpc_is_container};
    TACHO_TRY(tacho_mappings_open_bounded(&list->mappings, path, &bound, &bytes));
    TACHO_TRY(tacho_qpc_read_named(path, bytes, &list->arena, &opened->qpc));
    TACHO_TRY(tacho_seal_states(&opened->qpc, &list->arena, &opened->states));
    list->item_count++;
    size_t problem_count = list->problem_count;
    TACHO_TRY(read_program(list, opened, path));
    if (!has_image(opened)) {
        say_problem(list, path,
                    opened->qpc.segment_count == 0 ? "the container has no segments and no program"
                                                   : "no segment is called " TACHO_SEGMENT_IMAGE
                                                     ", which is the program");
    }
    if (is_bad(opened) && list->problem_count == problem_count) {
        say_problem(list, path, "a checksum is wrong");
    }
    return read_descriptions(list, opened, path);
}

void tacho_program_list_init(tacho_program_list *list)
{
    *list = (tacho_program_list){0};
    tacho_arena_init(&list->arena);
}

void tacho_program_list_deinit(tacho_program_list *list)
{
    for (size_t i = 0; i < list->item_count; i++) {
        for (size_t k = 0; k < list->items[i].desc_count; k++) {
            tacho_networkdesc_deinit(&list->items[i].descs[k]);
        }
        free(list->items[i].descs);
        if (list->items[i].has_program) {
            tacho_program_deinit(&list->items[i].program);
        }
    }
    free(list->items);
    tacho_mappings_close(&list->mappings);
    tacho_arena_deinit(&list->arena);
}

tacho_status tacho_program_list_write(const tacho_program_list *list, const tacho_table_taker *to)
{
    const tacho_opened_programs programs = {list->items, list->item_count};
    return tacho_analysis_program.make(&programs, NULL, to);
}

tacho_status tacho_program_list_add(tacho_program_list *list, const char *path,
                                    const char *output_path, bool *out_is_program)
{
    *out_is_program = tacho_run_is_program(path);
    if (!*out_is_program) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_run_program_path(path, &list->arena, &path));
    if (tacho_input_is_same_file(path, output_path)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten", output_path);
    }
    return open_program(list, path);
}
