/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls and kernels are joined once all are read: they arrive track by track, in any order.
 */
#include "estimates/roofline/roof_torch.h"

#include "base/grow.h"
#include "profile/operators.h"

#include <stdio.h>
#include <stdlib.h>

void tacho_torch_init(tacho_torch *torch, tacho_dict *dict)
{
    *torch = (tacho_torch){.dict = dict};
    tacho_arena_init(&torch->arena);
}

void tacho_torch_deinit(tacho_torch *torch)
{
    for (size_t i = 0; i < torch->stack_count; i++) {
        free(torch->stacks[i].items);
    }
    if (torch->is_ready) {
        tacho_index_deinit(&torch->index);
    }
    tacho_arena_deinit(&torch->arena);
    tacho_roof_links_destroy(torch->links);
    free(torch->kinds);
    free(torch->calls);
    free(torch->kernels);
    free(torch->stacks);
    *torch = (tacho_torch){.dict = torch->dict};
}

static tacho_status prepare(tacho_torch *torch)
{
    TACHO_TRY(tacho_index_init(&torch->index));
    torch->is_ready = true;
    TACHO_TRY(tacho_roof_links_create(torch->dict, &torch->links));
    TACHO_TRY(
        tacho_dict_ensure_string(torch->dict, TACHO_STR("External id"), &torch->external_keys[0]));
    TACHO_TRY(
        tacho_dict_ensure_string(torch->dict, TACHO_STR("external id"), &torch->external_keys[1]));
    return tacho_aten_keys_init(&torch->keys, torch->dict);
}

/* ---- kinds ------------------------------------------------------------------------------- */

static bool is_kind(const tacho_torch_kind *kind, tacho_str name, const tacho_roof_work *work)
{
    return tacho_str_equal(kind->name, name) && kind->work.dtype == work->dtype &&
           kind->work.operations == work->operations &&
           kind->work.bytes[TACHO_ROOF_SHARED] == work->bytes[TACHO_ROOF_SHARED];
}

static tacho_status ensure_kind(tacho_torch *torch, tacho_str name, tacho_str type,
                                const tacho_roof_work *work, uint32_t *out_kind)
{
    uint32_t hash = tacho_index_hash(&torch->index, name);
    size_t at = tacho_index_begin(&torch->index, hash);
    while ((*out_kind = tacho_index_next(&torch->index, hash, &at)) != TACHO_NONE) {
        if (is_kind(&torch->kinds[*out_kind], name, work)) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&torch->kinds, &torch->kind_capacity, torch->kind_count + 1));
    tacho_torch_kind *kind = &torch->kinds[torch->kind_count];
    kind->work = *work;
    TACHO_TRY(tacho_arena_copy(&torch->arena, name, &kind->name));
    TACHO_TRY(tacho_arena_copy(&torch->arena, type, &kind->type));
    *out_kind = (uint32_t)torch->kind_count++;
    return tacho_index_add(&torch->index, hash, *out_kind);
}

static tacho_status find_kind(tacho_torch *torch, const tacho_aten_call *call, uint32_t *out_kind)
{
    tacho_roof_work work;
    char label[TACHO_ATEN_LABEL_BYTES];
    char name[2 * TACHO_ATEN_LABEL_BYTES];
    *out_kind = TACHO_NONE;
    if (!tacho_aten_work(call, &work, label)) {
        return TACHO_OK;
    }
    int len = snprintf(name, sizeof(name), "%.*s%s%s",
                       call->name.len < TACHO_ATEN_LABEL_BYTES ? (int)call->name.len
                                                               : TACHO_ATEN_LABEL_BYTES - 1,
                       call->name.data, label[0] != '\0' ? " " : "", label);
    return ensure_kind(torch, tacho_str_make(name, (size_t)len), call->name, &work, out_kind);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* The call around a span that starts at |start| and ends at |end|. */
static tacho_status nest(tacho_torch *torch, const tacho_row *row, uint32_t call,
                         uint32_t *out_outer)
{
    size_t count = torch->dict->track_count;
    if (row->track >= torch->stack_count) {
        TACHO_TRY(tacho_grow(&torch->stacks, &torch->stack_capacity, count));
        while (torch->stack_count < count) {
            torch->stacks[torch->stack_count++] = (tacho_torch_stack){0};
        }
    }
    tacho_torch_stack *stack = &torch->stacks[row->track];
    while (stack->item_count > 0 && stack->items[stack->item_count - 1].end <= row->start) {
        stack->item_count--;
    }
    *out_outer = stack->item_count > 0 ? stack->items[stack->item_count - 1].call : TACHO_NONE;
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count].end = row->of.span.end;
    stack->items[stack->item_count++].call = call;
    return TACHO_OK;
}

static int64_t span_ns(const tacho_torch *torch, const tacho_row *row)
{
    const tacho_clock *clock = tacho_dict_track_clock(torch->dict, row->track);
    return tacho_clock_ns(clock, row->of.span.end) - tacho_clock_ns(clock, row->start);
}

static tacho_status add_call(tacho_torch *torch, const tacho_row *row, const tacho_aten_call *read,
                             const tacho_arg *external)
{
    tacho_torch_call call = {.part = torch->dict->tracks[row->track].part,
                             .ns = span_ns(torch, row),
                             .has_external = external != NULL,
                             .external = external != NULL ? external->value.as_uint : 0};
    TACHO_TRY(find_kind(torch, read, &call.kind));
    TACHO_TRY(nest(torch, row, (uint32_t)torch->call_count, &call.outer));
    if (call.outer != TACHO_NONE) {
        const tacho_torch_call *outer = &torch->calls[call.outer];
        call.is_inside = outer->is_inside || outer->kind != TACHO_NONE;
    }
    for (uint32_t i = call.outer; i != TACHO_NONE && call.kind != TACHO_NONE;
         i = torch->calls[i].outer) {
        if (torch->calls[i].has_inner) {
            break; /* and so do the calls around it */
        }
        torch->calls[i].has_inner = true;
    }
    TACHO_TRY(tacho_grow(&torch->calls, &torch->call_capacity, torch->call_count + 1));
    torch->calls[torch->call_count++] = call;
    return TACHO_OK;
}

/* The argument with the number of a call, at the top level. */
static const tacho_arg *find_external(const tacho_torch *torch, const tacho_row *row)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        if ((arg->key == torch->external_keys[0] || arg->key == torch->external_keys[1]) &&
            (arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT)) {
            return arg;
        }
    }
    return NULL;
}

/* A kernel, a copy or a memset of a device, not a range around them. */
static bool is_device_work(const tacho_dict *dict, const tacho_row *row)
{
    const tacho_site *site = &dict->sites[row->of.span.site];
    tacho_track_class span_class =
        tacho_operators_class(tacho_span_kind_of(tacho_dict_string(dict, site->category),
                                                 tacho_dict_string(dict, site->name)),
                              &dict->tracks[row->track]);
    return span_class == TACHO_TRACK_COMPUTE || span_class == TACHO_TRACK_VECTOR ||
           span_class == TACHO_TRACK_DMA_IN || span_class == TACHO_TRACK_DMA_OUT ||
           span_class == TACHO_TRACK_DMA_LOCAL;
}

static tacho_status add_kernel(tacho_torch *torch, const tacho_row *row, const tacho_arg *external)
{
    TACHO_TRY(tacho_grow(&torch->kernels, &torch->kernel_capacity, torch->kernel_count + 1));
    torch->kernels[torch->kernel_count++] =
        (tacho_torch_kernel){.serial = tacho_roof_links_serial(torch->links),
                             .external = external != NULL ? external->value.as_uint : 0,
                             .has_external = external != NULL,
                             .part = torch->dict->tracks[row->track].part,
                             .call = TACHO_NONE,
                             .ns = span_ns(torch, row)};
    return TACHO_OK;
}

tacho_status tacho_torch_take(tacho_torch *torch, const tacho_row *row, bool *out_is_taken)
{
    tacho_aten_call call;
    TACHO_TRY(torch->is_ready ? TACHO_OK : prepare(torch));
    const tacho_arg *external = find_external(torch, row);
    *out_is_taken = tacho_aten_read(torch->dict, &torch->keys, row, &call);
    if (*out_is_taken) {
        TACHO_TRY(tacho_roof_links_add_call(torch->links));
        TACHO_TRY(add_call(torch, row, &call, external));
    } else if (is_device_work(torch->dict, row)) {
        *out_is_taken = external != NULL;
        TACHO_TRY(add_kernel(torch, row, external));
    }
    return tacho_torch_join(torch, row);
}

tacho_status tacho_torch_join(tacho_torch *torch, const tacho_row *row)
{
    TACHO_TRY(torch->is_ready ? TACHO_OK : prepare(torch));
    return tacho_roof_links_push(torch->links, row);
}

tacho_status tacho_torch_end_part(tacho_torch *torch, uint32_t part)
{
    return torch->links != NULL ? tacho_roof_links_end_part(torch->links, part) : TACHO_OK;
}

/* ---- points ------------------------------------------------------------------------------ */

static int compare_numbers(uint32_t part, uint32_t other_part, uint64_t a, uint64_t b)
{
    return part != other_part ? (part < other_part ? -1 : 1) : (a > b) - (a < b);
}

/* A call by its number in kernels. */
typedef struct numbered_call {
    uint64_t external;
    uint32_t part, call;
} numbered_call;

static int compare_numbered(const void *left, const void *right)
{
    const numbered_call *a = left;
    const numbered_call *b = right;
    return compare_numbers(a->part, b->part, a->external, b->external);
}

/* Sorts by call; then kernels without a call by their external number. */
static int compare_kernels(const void *left, const void *right)
{
    const tacho_torch_kernel *a = left;
    const tacho_torch_kernel *b = right;
    int order = compare_numbers(a->part, b->part, a->call, b->call);
    return order != 0 || a->call != TACHO_NONE ? order
                                               : compare_numbers(0, 0, a->external, b->external);
}

static tacho_status add_point(const tacho_torch *torch, const tacho_torch_roofs *roofs,
                              const tacho_torch_call *call, int64_t ns, tacho_roofline *line)
{
    if (call == NULL || call->kind == TACHO_NONE) {
        line->unknown_count++;
        line->unknown_ns += (double)ns;
        return TACHO_OK;
    }
    const tacho_torch_kind *kind = &torch->kinds[call->kind];
    const tacho_part *part = &torch->dict->parts[call->part];
    tacho_roof_point point = {
        .file = tacho_dict_string(torch->dict, part->name),
        .name = kind->name,
        .type = kind->type,
        .location = TACHO_STR(""),
        .origin = part->origin,
        .count = 1,
        .total_ns = (double)ns,
        .work = kind->work,
    };
    TACHO_TRY(roofs->find(roofs->self, call->part, &point.roof));
    return tacho_roofline_add(line, &point);
}

static bool is_known(const tacho_torch *torch, uint32_t call)
{
    return call != TACHO_NONE && torch->calls[call].kind != TACHO_NONE;
}

/* The call that launched |kernel|, or the one that it names if the launch is not known. */
static uint32_t find_call(const tacho_torch *torch, const tacho_torch_kernel *kernel,
                          const numbered_call *numbered, size_t count)
{
    const numbered_call key = {.external = kernel->external, .part = kernel->part};
    uint32_t launching = tacho_roof_links_find(torch->links, kernel->serial);
    const numbered_call *named = kernel->has_external && count > 0 && !is_known(torch, launching)
                                     ? bsearch(&key, numbered, count, sizeof(key), compare_numbered)
                                     : NULL;
    return named != NULL && (launching == TACHO_NONE || is_known(torch, named->call)) ? named->call
                                                                                      : launching;
}

/* Joins kernels to calls, and leaves out those that neither name one nor were launched by one. */
static tacho_status find_calls(tacho_torch *torch)
{
    numbered_call *numbered = NULL;
    size_t count = 0;
    size_t kept = 0;
    TACHO_TRY(tacho_items_make(&numbered, torch->call_count));
    for (uint32_t i = 0; i < torch->call_count; i++) {
        const tacho_torch_call *call = &torch->calls[i];
        if (call->has_external) {
            numbered[count++] = (numbered_call){call->external, call->part, i};
        }
    }
    if (count > 0) {
        qsort(numbered, count, sizeof(*numbered), compare_numbered);
    }
    tacho_roof_links_sort(torch->links);
    for (size_t i = 0; i < torch->kernel_count; i++) {
        tacho_torch_kernel kernel = torch->kernels[i];
        kernel.call = find_call(torch, &kernel, numbered, count);
        if (kernel.has_external || kernel.call != TACHO_NONE) {
            torch->kernels[kept++] = kernel;
        }
    }
    torch->kernel_count = kept;
    free(numbered);
    return TACHO_OK;
}

/* Adds calls with kernels. */
static tacho_status add_launched(const tacho_torch *torch, const tacho_torch_roofs *roofs,
                                 tacho_roofline *line)
{
    size_t end = 0;
    for (size_t i = 0; i < torch->kernel_count; i = end) {
        const tacho_torch_kernel *first = &torch->kernels[i];
        int64_t ns = 0;
        for (end = i;
             end < torch->kernel_count && compare_kernels(first, &torch->kernels[end]) == 0;
             end++) {
            ns += torch->kernels[end].ns;
        }
        const tacho_torch_call *call =
            first->call != TACHO_NONE ? &torch->calls[first->call] : NULL;
        TACHO_TRY(add_point(torch, roofs, call, ns, line));
    }
    return TACHO_OK;
}

static bool has_kernels(const tacho_torch *torch, uint32_t part)
{
    for (size_t i = 0; i < torch->kernel_count; i++) {
        if (torch->kernels[i].part == part) {
            return true;
        }
    }
    return false;
}

/* Adds the innermost known calls of parts without launches; outermost ones for unknown calls. */
static tacho_status add_hosted(const tacho_torch *torch, const tacho_torch_roofs *roofs,
                               tacho_roofline *line)
{
    uint32_t part = TACHO_NONE;
    bool is_launched = false;
    for (size_t i = 0; i < torch->call_count; i++) {
        const tacho_torch_call *call = &torch->calls[i];
        if (call->part != part) {
            part = call->part;
            is_launched = has_kernels(torch, part);
        }
        bool is_whole = call->kind != TACHO_NONE || (call->outer == TACHO_NONE && !call->is_inside);
        if (!is_launched && !call->has_inner && is_whole) {
            TACHO_TRY(add_point(torch, roofs, call, call->ns, line));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_torch_add_points(tacho_torch *torch, const tacho_torch_roofs *roofs,
                                    tacho_roofline *line)
{
    TACHO_TRY(torch->links != NULL ? find_calls(torch) : TACHO_OK);
    if (torch->kernel_count > 0) {
        qsort(torch->kernels, torch->kernel_count, sizeof(*torch->kernels), compare_kernels);
    }
    TACHO_TRY(add_launched(torch, roofs, line));
    return add_hosted(torch, roofs, line);
}
