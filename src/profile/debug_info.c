/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holding and asking; the sources of compiler output do the filling.
 */
#include "profile/debug_info.h"

#include "base/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SENTENCE_BYTES = 1024 };

void tacho_debug_info_init(tacho_debug_info *info, tacho_dict *dict)
{
    *info = (tacho_debug_info){.dict = dict};
}

void tacho_debug_info_deinit(tacho_debug_info *info)
{
    free(info->dispatches);
    free(info->dispatches_by_name);
    free(info->actions);
    free(info->jobs);
    free(info->tasks);
    free(info->ops);
    free(info->units);
    free(info->engines);
    free(info->used);
    free(info->kernels);
    free(info->places);
    free(info->marks);
    free(info->operators_by_name);
    free(info->problems);
    free(info->notes);
}

tacho_status tacho_debug_info_ensure_engine(tacho_debug_info *info, tacho_engine engine,
                                            uint32_t *out_id)
{
    for (size_t i = 0; i < info->engine_count; i++) {
        if (info->engines[i].track_class == engine.track_class &&
            info->engines[i].index == engine.index) {
            *out_id = (uint32_t)i;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&info->engines, &info->engine_capacity, info->engine_count + 1));
    *out_id = (uint32_t)info->engine_count;
    info->engines[info->engine_count++] = engine;
    return TACHO_OK;
}

static tacho_status add_sentence(tacho_debug_info *info, uint32_t **list, size_t *count,
                                 size_t *capacity, const char *text)
{
    TACHO_TRY(tacho_grow(list, capacity, *count + 1));
    TACHO_TRY(tacho_dict_ensure_string(info->dict, tacho_str_from_cstring(text), &(*list)[*count]));
    ++*count;
    return TACHO_OK;
}

tacho_status tacho_debug_info_add_problem(tacho_debug_info *info, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return add_sentence(info, &info->problems, &info->problem_count, &info->problem_capacity, text);
}

tacho_status tacho_debug_info_add_note(tacho_debug_info *info, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return add_sentence(info, &info->notes, &info->note_count, &info->note_capacity, text);
}

/* From the start of the task that starts it to the end of the task that waits for it. */
void tacho_debug_info_unit_cycles(const tacho_debug_info *info, const tacho_unit_of_work *unit,
                                  int64_t *out_start, int64_t *out_end)
{
    const tacho_inner_op *start = &info->ops[unit->start_op];
    const tacho_inner_op *wait = unit->wait_op != TACHO_NONE ? &info->ops[unit->wait_op] : NULL;
    *out_start = start->task != TACHO_NONE ? info->tasks[start->task].start_cycles : -1;
    *out_end = wait != NULL && wait->task != TACHO_NONE ? info->tasks[wait->task].end_cycles : -1;
    int64_t ready = -1;
    if (*out_start >= 0 && start->async_cycles >= 0 &&
        !__builtin_add_overflow(*out_start, start->async_cycles, &ready) &&
        (*out_end < 0 || ready < *out_end)) {
        *out_end = ready; /* done before anybody asked */
    }
    if (*out_start < 0 || *out_end < *out_start) {
        *out_start = *out_end = -1;
    }
}

static bool has_mark(const tacho_debug_info *info, const tacho_place *place, uint64_t mark)
{
    for (uint32_t i = 0; i < place->mark_count; i++) {
        if (info->marks[place->first_mark + i] == mark) {
            return true;
        }
    }
    return false;
}

/* Whether a callee of |place| is anything in |other|. */
static bool has_callee_in(const tacho_debug_info *info, const tacho_place *place,
                          const tacho_place *other)
{
    for (uint32_t i = 0; i < place->callee_mark_count; i++) {
        if (has_mark(info, other, info->marks[place->first_mark + i])) {
            return true;
        }
    }
    return false;
}

tacho_place_verdict tacho_debug_info_compare(const tacho_debug_info *info, uint32_t location,
                                             uint32_t other)
{
    tacho_place a = tacho_debug_info_place(info, location);
    tacho_place b = tacho_debug_info_place(info, other);
    if (a.mark_count == 0 || b.mark_count == 0 || a.has_files != b.has_files) {
        return TACHO_PLACES_UNKNOWN;
    }
    bool agree = location == other || has_callee_in(info, &a, &b) || has_callee_in(info, &b, &a);
    return agree ? TACHO_PLACES_AGREE : TACHO_PLACES_DIFFER;
}

tacho_status tacho_debug_info_add_dispatch(tacho_debug_info *info, const tacho_dispatch *dispatch,
                                           uint32_t *out_id)
{
    size_t need = (size_t)dispatch->name + 1;
    TACHO_TRY(tacho_grow(&info->dispatches, &info->dispatch_capacity, info->dispatch_count + 1));
    TACHO_TRY(tacho_grow(&info->dispatches_by_name, &info->named_capacity, need));
    while (info->named_count < need) {
        info->dispatches_by_name[info->named_count++] = TACHO_NONE;
    }
    *out_id = (uint32_t)info->dispatch_count;
    info->dispatches_by_name[dispatch->name] = *out_id;
    info->dispatches[info->dispatch_count++] = *dispatch;
    return TACHO_OK;
}

tacho_status tacho_debug_info_name_operators(tacho_debug_info *info, uint32_t name,
                                             uint32_t operators)
{
    size_t need = (size_t)name + 1;
    TACHO_TRY(tacho_grow(&info->operators_by_name, &info->operators_capacity, need));
    while (info->operators_count < need) {
        info->operators_by_name[info->operators_count++] = TACHO_NONE;
    }
    uint32_t *known = &info->operators_by_name[name];
    *known = *known == TACHO_NONE || *known == operators ? operators : 0;
    return TACHO_OK;
}

tacho_str tacho_debug_info_named_operators(const tacho_debug_info *info, tacho_str name)
{
    uint32_t string = tacho_strings_find(&info->dict->strings, name);
    uint32_t found = string < info->operators_count ? info->operators_by_name[string] : TACHO_NONE;
    return found != TACHO_NONE ? tacho_dict_string(info->dict, found) : TACHO_STR("");
}

void tacho_debug_info_cut(tacho_debug_info *info, const tacho_debug_info *before)
{
    for (size_t i = before->dispatch_count; i < info->dispatch_count; i++) {
        info->dispatches_by_name[info->dispatches[i].name] = TACHO_NONE;
    }
    info->dispatch_count = before->dispatch_count;
    info->action_count = before->action_count;
    info->job_count = before->job_count;
    info->task_count = before->task_count;
    info->op_count = before->op_count;
    info->unit_count = before->unit_count;
    info->used_count = before->used_count;
    info->kernel_count = before->kernel_count;
    info->unknown_op_count = before->unknown_op_count;
    info->unknown_op = before->unknown_op;
    info->undecoded_count = before->undecoded_count;
    info->unmatched_wait_count = before->unmatched_wait_count;
    info->unwaited_count = before->unwaited_count;
}

uint64_t tacho_debug_info_trouble_count(const tacho_debug_info *info)
{
    return info->problem_count + info->unknown_op_count + info->undecoded_count +
           info->unmatched_wait_count;
}

const tacho_dispatch *tacho_debug_info_dispatch(const tacho_debug_info *info, uint32_t name)
{
    uint32_t id = name < info->named_count ? info->dispatches_by_name[name] : TACHO_NONE;
    return id == TACHO_NONE ? NULL : &info->dispatches[id];
}

/* Sources keep the actions of a dispatch in the order of their numbers. */
const tacho_action *tacho_debug_info_action(const tacho_debug_info *info,
                                            const tacho_dispatch *dispatch, int64_t id)
{
    if (dispatch->action_count == 0) {
        return NULL;
    }
    const tacho_action *actions = &info->actions[dispatch->first_action];
    size_t low = 0;
    size_t high = dispatch->action_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (actions[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < dispatch->action_count && actions[low].id == id ? &actions[low] : NULL;
}
