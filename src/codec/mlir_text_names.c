/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of values. A region is a scope: its bindings are undone when it ends. Names from outside
 * an isolated region are not visible in it, for there the same names mean other values.
 *
 * A name that is used before it is defined gets a forward value, which waits in a list of its
 * binding for a definition in the same isolated region.
 */
#include "codec/mlir_text_parser.h"

/* Few names are used very often: they are found without hashing all of their bytes. */
tacho_status tacho_mlir_know_name(tacho_mlir_parser *p, tacho_str name,
                                  tacho_mlir_known_name **out_known)
{
    size_t at = name.len;
    if (name.len > 0) {
        at = name.len * 7 + (unsigned char)name.data[name.len - 1] * 31u +
             (unsigned char)name.data[name.len / 2] * 17u;
    }
    tacho_mlir_known_name *known = &p->known_names[at % TACHO_MLIR_KNOWN_NAMES];
    *out_known = known;
    if (known->name.data != NULL && tacho_str_equal(known->name, name)) {
        return TACHO_OK;
    }
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&p->module->strings, name, &id));
    *known = (tacho_mlir_known_name){.name = tacho_strings_get(&p->module->strings, id), .id = id};
    return TACHO_OK;
}

tacho_status tacho_mlir_name_id(tacho_mlir_parser *p, tacho_str name, uint32_t *out_id)
{
    TACHO_TRY(tacho_strings_ensure(&p->names, name, out_id));
    TACHO_TRY(tacho_mlir_grow(&p->bindings, &p->binding_capacity, p->names.item_count));
    while (p->binding_count < p->names.item_count) {
        p->bindings[p->binding_count++] = (tacho_mlir_binding){TACHO_NONE, 0, 0, TACHO_NONE};
    }
    return TACHO_OK;
}

tacho_status tacho_mlir_add_draft(tacho_mlir_parser *p, uint32_t type, bool is_forward,
                                  uint32_t *out_value)
{
    TACHO_TRY(tacho_mlir_grow(&p->drafts, &p->draft_capacity, p->draft_count + 1));
    *out_value = (uint32_t)p->draft_count;
    p->drafts[p->draft_count++] = (tacho_mlir_draft){type, TACHO_NONE, TACHO_NONE, is_forward};
    return TACHO_OK;
}

/* Splits "%a#1"; false when the index does not fit. */
static bool split_use(tacho_str use, tacho_str *out_name, uint64_t *out_index)
{
    tacho_str name = tacho_str_from(use, 1);
    size_t hash = tacho_str_find_byte(name, '#');
    *out_index = 0;
    *out_name = tacho_str_make(name.data, hash);
    return hash == name.len || (tacho_str_parse_u64(tacho_str_from(name, hash + 1), out_index) &&
                                *out_index < UINT32_MAX);
}

static bool is_visible(const tacho_mlir_parser *p, const tacho_mlir_binding *binding)
{
    return binding->value != TACHO_NONE && binding->scope >= p->floor;
}

bool tacho_mlir_is_defined(const tacho_mlir_parser *p, tacho_str use)
{
    tacho_str name;
    uint64_t index;
    uint32_t id = split_use(use, &name, &index) ? tacho_strings_find(&p->names, name) : TACHO_NONE;
    return id != TACHO_NONE && is_visible(p, &p->bindings[id]);
}

/* Drops uses that waited in ended isolated regions, which were opened later than this one. */
static uint32_t waiting(const tacho_mlir_parser *p, tacho_mlir_binding *binding)
{
    while (binding->forward != TACHO_NONE &&
           p->forwards[binding->forward].isolation > p->isolation) {
        binding->forward = p->forwards[binding->forward].next;
    }
    bool is_here =
        binding->forward != TACHO_NONE && p->forwards[binding->forward].isolation == p->isolation;
    return is_here ? binding->forward : TACHO_NONE;
}

tacho_status tacho_mlir_use_name(tacho_mlir_parser *p, uint32_t name_id, uint32_t *out_value)
{
    tacho_mlir_binding *binding = &p->bindings[name_id];
    if (is_visible(p, binding)) {
        *out_value = binding->value;
        return TACHO_OK;
    }
    uint32_t at = waiting(p, binding);
    if (at != TACHO_NONE) {
        *out_value = p->forwards[at].value;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_add_draft(p, 0, true, out_value));
    TACHO_TRY(tacho_mlir_grow(&p->forwards, &p->forward_capacity, p->forward_count + 1));
    p->forwards[p->forward_count] =
        (tacho_mlir_forward){*out_value, p->isolation, binding->forward};
    binding->forward = (uint32_t)p->forward_count++;
    return TACHO_OK;
}

tacho_status tacho_mlir_use(tacho_mlir_parser *p, tacho_str use, uint32_t *out_value)
{
    tacho_str name;
    uint64_t index;
    uint32_t id = 0;
    if (!split_use(use, &name, &index)) {
        return tacho_mlir_fail(p, "an index of a result");
    }
    TACHO_TRY(tacho_mlir_name_id(p, name, &id));
    const tacho_mlir_binding *binding = &p->bindings[id];
    if (is_visible(p, binding)) {
        if (index >= binding->count) {
            return tacho_mlir_fail(p, "a result that the operation has");
        }
        *out_value = binding->value + (uint32_t)index;
        return TACHO_OK;
    }
    if (index > 0) {
        p->has_pack_forward = true;
        TACHO_TRY(tacho_mlir_name_id(p, tacho_str_from(use, 1), &id));
    }
    return tacho_mlir_use_name(p, id, out_value);
}

static void resolve(tacho_mlir_parser *p, uint32_t name_id, uint32_t value)
{
    tacho_mlir_binding *binding = &p->bindings[name_id];
    uint32_t at = waiting(p, binding);
    if (at != TACHO_NONE) {
        p->drafts[p->forwards[at].value].forward = value;
        binding->forward = p->forwards[at].next;
    }
}

/* Uses of %a#1 and on, which wait under names of their own. */
static tacho_status resolve_pack(tacho_mlir_parser *p, uint32_t name_id, uint32_t first_value,
                                 uint32_t count)
{
    tacho_str name = tacho_strings_get(&p->names, name_id);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&p->scratch, name.len + 16, &memory));
    char *use = memory;
    memcpy(use, name.data, name.len);
    use[name.len] = '#';
    for (uint32_t i = 1; i < count; i++) {
        size_t len = name.len + 1;
        char digits[10];
        size_t digit_count = 0;
        for (uint32_t rest = i; rest > 0; rest /= 10) {
            digits[digit_count++] = (char)('0' + rest % 10);
        }
        while (digit_count > 0) {
            use[len++] = digits[--digit_count];
        }
        uint32_t id = tacho_strings_find(&p->names, tacho_str_make(use, len));
        if (id != TACHO_NONE) {
            resolve(p, id, first_value + i);
        }
    }
    tacho_arena_reset(&p->scratch);
    return TACHO_OK;
}

tacho_status tacho_mlir_define(tacho_mlir_parser *p, uint32_t name_id, uint32_t first_value,
                               uint32_t count)
{
    resolve(p, name_id, first_value);
    if (p->has_pack_forward && count > 1) {
        TACHO_TRY(resolve_pack(p, name_id, first_value, count));
    }
    tacho_mlir_binding *binding = &p->bindings[name_id];
    TACHO_TRY(tacho_mlir_grow(&p->undos, &p->undo_capacity, p->undo_count + 1));
    p->undos[p->undo_count++] =
        (tacho_mlir_undo){name_id, binding->value, binding->count, binding->scope};
    binding->value = first_value;
    binding->count = count;
    binding->scope = p->scope;
    return TACHO_OK;
}

void tacho_mlir_open_scope(tacho_mlir_parser *p, tacho_mlir_frame *frame, bool is_isolated)
{
    frame->scope = p->scope;
    frame->isolation = p->isolation;
    frame->floor = p->floor;
    frame->first_undo = p->undo_count;
    p->scope = ++p->scope_count;
    if (is_isolated) {
        p->isolation = p->scope;
        p->floor = p->scope;
    }
}

void tacho_mlir_close_scope(tacho_mlir_parser *p, const tacho_mlir_frame *frame)
{
    while (p->undo_count > frame->first_undo) {
        tacho_mlir_undo undo = p->undos[--p->undo_count];
        tacho_mlir_binding *binding = &p->bindings[undo.name_id];
        binding->value = undo.value;
        binding->count = undo.count;
        binding->scope = undo.scope;
    }
    p->scope = frame->scope;
    p->isolation = frame->isolation;
    p->floor = frame->floor;
}
