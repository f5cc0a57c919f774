/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a machine description: the JSON becomes a tree of values with their places, and the
 * tables of machine_fields.c define the type of each. The depth of the walk is that of the tables,
 * not that of the input.
 */
#include "machine/machine_fields.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/json_reader.h"
#include "machine/constant.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TEXT_MAX = 4 << 20, /* bytes of a description */
    VALUE_MAX = 100000, /* values in one */
    PATH_MAX_BYTES = 256,
};

/* A value of the file; children are chained. */
typedef struct value {
    tacho_json_token kind;
    tacho_str key; /* of a member */
    tacho_str text;
    uint64_t offset;
    uint32_t parent, first, last, next; /* ids; 0 is none, since 0 is the root */
} value;

typedef struct reading {
    const char *path;
    tacho_str bytes;
    tacho_arena *arena;
    value *values;
    size_t value_count, value_capacity;
    char at[PATH_MAX_BYTES]; /* the JSON path of the value being read */
    size_t at_len;
} reading;

/* ---- messages ---------------------------------------------------------------------------- */

static uint64_t line_of(const reading *r, uint64_t offset)
{
    uint64_t line = 1;
    for (uint64_t i = 0; i < offset && i < r->bytes.len; i++) {
        line += r->bytes.data[i] == '\n';
    }
    return line;
}

static tacho_status fail_at(const reading *r, uint64_t offset, const char *format, ...)
    TACHO_PRINTF(3, 4);

/* Names the file, the line of |offset| and the place that is read. */
static tacho_status fail_at(const reading *r, uint64_t offset, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s:%llu: %s: %s", r->path,
                      (unsigned long long)line_of(r, offset), r->at_len > 0 ? r->at : "machine",
                      what);
}

/* Goes down to |name|, or with NULL to element |index|; returns the argument for path_back. */
static size_t path_down(reading *r, const char *name, size_t index)
{
    size_t before = r->at_len;
    size_t room = sizeof(r->at) - before;
    int len = name != NULL ? snprintf(r->at + before, room, "%s%s", before > 0 ? "." : "", name)
                           : snprintf(r->at + before, room, "[%zu]", index);
    /* Paths are as deep as the tables, and their names are ours. */
    assert(len > 0 && (size_t)len < room);
    r->at_len = before + (size_t)len;
    return before;
}

static void path_back(reading *r, size_t before)
{
    r->at_len = before;
    r->at[before] = '\0';
}

/* ---- the tree ---------------------------------------------------------------------------- */

static tacho_status add_value(reading *r, const tacho_json_reader *json, tacho_json_token kind,
                              uint32_t parent, tacho_str key)
{
    if (r->value_count == VALUE_MAX) {
        return fail_at(r, tacho_json_offset(json), "more than %d values", VALUE_MAX);
    }
    TACHO_TRY(tacho_grow(&r->values, &r->value_capacity, r->value_count + 1));
    uint32_t id = (uint32_t)r->value_count++;
    value *added = &r->values[id];
    *added = (value){.kind = kind, .key = key, .offset = tacho_json_offset(json), .parent = parent};
    TACHO_TRY(tacho_arena_copy(r->arena, json->text, &added->text));
    if (id > 0) {
        value *above = &r->values[parent];
        if (above->first == 0) {
            above->first = id;
        } else {
            r->values[above->last].next = id;
        }
        above->last = id;
    }
    return TACHO_OK;
}

static tacho_status build_tree(reading *r, tacho_json_reader *json)
{
    uint32_t open = 0;
    size_t depth = 0;
    tacho_str key = {"", 0};
    for (;;) {
        tacho_json_token token;
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_END) {
            return TACHO_OK;
        }
        if (token == TACHO_JSON_KEY) {
            TACHO_TRY(tacho_arena_copy(r->arena, json->text, &key));
            continue;
        }
        if (token == TACHO_JSON_OBJECT_END || token == TACHO_JSON_ARRAY_END) {
            open = r->values[open].parent;
            depth--;
            continue;
        }
        TACHO_TRY(add_value(r, json, token, open, key));
        key = (tacho_str){"", 0};
        if (token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN) {
            open = (uint32_t)r->value_count - 1;
            depth++;
        }
    }
}

static tacho_status read_tree(reading *r)
{
    tacho_input input;
    TACHO_TRY(tacho_input_open_bytes(r->path, r->bytes, &input));
    tacho_json_reader json;
    tacho_status status = tacho_json_reader_init(&json, &input, NULL);
    if (status == TACHO_OK) {
        status = build_tree(r, &json);
        tacho_json_reader_deinit(&json);
    }
    tacho_input_close(&input);
    return status;
}

/* ---- values ------------------------------------------------------------------------------ */

static tacho_status expect_kind(const reading *r, const value *v, tacho_json_token kind)
{
    if (v->kind == kind) {
        return TACHO_OK;
    }
    return fail_at(r, v->offset, "expected %s, found %s", tacho_json_token_name(kind),
                   tacho_json_token_name(v->kind));
}

static tacho_status read_text(reading *r, const value *v, tacho_str *out_text)
{
    TACHO_TRY(expect_kind(r, v, TACHO_JSON_STRING));
    tacho_str printable;
    TACHO_TRY(tacho_utf8_printable(v->text, r->arena, &printable));
    if (!tacho_str_equal(printable, v->text)) {
        return fail_at(r, v->offset, "'%.*s' has characters that cannot be printed",
                       (int)(printable.len < 80 ? printable.len : 80), printable.data);
    }
    size_t blanks = 0;
    while (blanks < v->text.len && v->text.data[blanks] == ' ') {
        blanks++;
    }
    if (blanks == v->text.len) {
        return fail_at(r, v->offset, "is empty");
    }
    *out_text = v->text;
    return TACHO_OK;
}

static tacho_status read_word(reading *r, const value *v, const tacho_field *field, void *out)
{
    TACHO_TRY(expect_kind(r, v, TACHO_JSON_STRING));
    for (unsigned i = 0; field->word(i) != NULL; i++) {
        if (tacho_str_equal(tacho_str_from_cstring(field->word(i)), v->text)) {
            memcpy(out, &i, sizeof(i));
            return TACHO_OK;
        }
    }
    return fail_at(r, v->offset, "unknown value '%.*s'", TACHO_STR_ARG(v->text));
}

static tacho_status read_flag(reading *r, const value *v, bool *out_flag)
{
    if (v->kind != TACHO_JSON_TRUE && v->kind != TACHO_JSON_FALSE) {
        return fail_at(r, v->offset, "expected true or false, found %s",
                       tacho_json_token_name(v->kind));
    }
    *out_flag = v->kind == TACHO_JSON_TRUE;
    return TACHO_OK;
}

/* The three members of a quantity. */
static tacho_status take_parts(reading *r, const value *v, const value *out_parts[3])
{
    static const char *const names[3] = {"value", "unit", "source"};
    for (uint32_t id = v->first; id != 0; id = r->values[id].next) {
        const value *member = &r->values[id];
        size_t which = 0;
        while (which < 3 && !tacho_str_equal(member->key, tacho_str_from_cstring(names[which]))) {
            which++;
        }
        if (which == 3) {
            return fail_at(r, member->offset,
                           "a quantity has a value, a unit and a source, not '%.*s'",
                           TACHO_STR_ARG(member->key));
        }
        if (out_parts[which] != NULL) {
            return fail_at(r, member->offset, "'%s' is given twice", names[which]);
        }
        out_parts[which] = member;
    }
    for (size_t i = 0; i < 3; i++) {
        if (out_parts[i] == NULL) {
            return fail_at(r, v->offset, "the quantity has no '%s'", names[i]);
        }
    }
    return TACHO_OK;
}

static tacho_status check_rules(reading *r, const value *v, const tacho_field *field,
                                tacho_ratio ratio)
{
    int text_len = (int)(v->text.len < 40 ? v->text.len : 40);
    if (ratio.num == 0 && (field->rules & TACHO_RULE_ZERO) == 0) {
        return fail_at(r, v->offset, "must not be zero");
    }
    if (ratio.den != 1 && (field->rules & TACHO_RULE_WHOLE) != 0) {
        return fail_at(r, v->offset, "%.*s is not a whole number of %s", text_len, v->text.data,
                       field->unit);
    }
    int64_t max = (field->rules & TACHO_RULE_FRACTION) != 0 ? 1 : field->max;
    if (tacho_ratio_compare(ratio, (tacho_ratio){max, 1}) > 0) {
        return fail_at(r, v->offset, "%.*s exceeds the limit of %lld %s", text_len, v->text.data,
                       (long long)max, field->unit);
    }
    return TACHO_OK;
}

static tacho_status read_quantity(reading *r, const value *v, const tacho_field *field,
                                  tacho_quantity *out_quantity)
{
    const value *parts[3] = {NULL, NULL, NULL};
    TACHO_TRY(expect_kind(r, v, TACHO_JSON_OBJECT_BEGIN));
    TACHO_TRY(take_parts(r, v, parts));
    TACHO_TRY(expect_kind(r, parts[0], TACHO_JSON_NUMBER));
    TACHO_TRY(expect_kind(r, parts[1], TACHO_JSON_STRING));
    tacho_quantity quantity = {.text = parts[0]->text, .unit = parts[1]->text, .offset = v->offset};
    TACHO_TRY(read_text(r, parts[2], &quantity.source));
    const tacho_unit *unit = tacho_unit_find(field->unit, quantity.unit);
    if (unit == NULL) {
        return fail_at(r, parts[1]->offset, "the unit is %s, not '%.*s'", field->unit,
                       TACHO_STR_ARG(quantity.unit));
    }
    tacho_ratio ratio;
    if (!tacho_ratio_parse(quantity.text, &ratio) ||
        !tacho_ratio_multiply(ratio, (tacho_ratio){unit->factor, 1}, &quantity.value)) {
        return fail_at(r, parts[0]->offset,
                       "%.*s is out of range: expected 0 to 10^%d with at most %d decimals",
                       (int)(quantity.text.len < 40 ? quantity.text.len : 40), quantity.text.data,
                       TACHO_QUANTITY_DIGITS_MAX, TACHO_QUANTITY_DECIMALS_MAX);
    }
    TACHO_TRY(check_rules(r, parts[0], field, quantity.value));
    *out_quantity = quantity;
    return TACHO_OK;
}

/* ---- objects ----------------------------------------------------------------------------- */

static tacho_status read_object(reading *r, const value *v, const tacho_fields *fields, void *out);

static tacho_status read_list(reading *r, const value *v, const tacho_field *field, char *out)
{
    TACHO_TRY(expect_kind(r, v, TACHO_JSON_ARRAY_BEGIN));
    size_t count = 0;
    for (uint32_t id = v->first; id != 0; id = r->values[id].next) {
        count++;
    }
    if (count > (size_t)field->max || (count == 0 && !field->is_optional)) {
        return fail_at(r, v->offset, "has %zu entries; expected 1 to %lld", count,
                       (long long)field->max);
    }
    void *items;
    TACHO_TRY(tacho_arena_alloc(r->arena, count * field->fields->struct_size, &items));
    size_t index = 0;
    for (uint32_t id = v->first; id != 0; id = r->values[id].next) {
        size_t before = path_down(r, NULL, index);
        TACHO_TRY(read_object(r, &r->values[id], field->fields,
                              (char *)items + index * field->fields->struct_size));
        path_back(r, before);
        index++;
    }
    memcpy(out + field->offset, &items, sizeof(items));
    memcpy(out + field->count_offset, &count, sizeof(count));
    return TACHO_OK;
}

static tacho_status read_field(reading *r, const value *v, const tacho_field *field, char *out)
{
    void *place = out + field->offset;
    switch (field->kind) {
    case TACHO_FIELD_TEXT:
        return read_text(r, v, place);
    case TACHO_FIELD_QUANTITY:
        return read_quantity(r, v, field, place);
    case TACHO_FIELD_FLAG:
        return read_flag(r, v, place);
    case TACHO_FIELD_WORD:
        return read_word(r, v, field, place);
    case TACHO_FIELD_OBJECT:
        return read_object(r, v, field->fields, place);
    case TACHO_FIELD_LIST:
        return read_list(r, v, field, out);
    }
    assert(false);
    return TACHO_OK;
}

static size_t field_of_key(const tacho_fields *fields, tacho_str key)
{
    size_t at = 0;
    while (at < fields->item_count &&
           !tacho_str_equal(key, tacho_str_from_cstring(fields->items[at].name))) {
        at++;
    }
    return at;
}

static tacho_status read_object(reading *r, const value *v, const tacho_fields *fields, void *out)
{
    uint64_t seen = 0;
    assert(fields->item_count <= 64);
    TACHO_TRY(expect_kind(r, v, TACHO_JSON_OBJECT_BEGIN));
    for (uint32_t id = v->first; id != 0; id = r->values[id].next) {
        const value *member = &r->values[id];
        size_t at = field_of_key(fields, member->key);
        if (at == fields->item_count) {
            return fail_at(r, member->offset, "no such key: '%.*s'",
                           (int)(member->key.len < 80 ? member->key.len : 80), member->key.data);
        }
        size_t before = path_down(r, fields->items[at].name, 0);
        if ((seen >> at & 1) != 0) {
            return fail_at(r, member->offset, "is given twice");
        }
        seen |= (uint64_t)1 << at;
        TACHO_TRY(read_field(r, member, &fields->items[at], out));
        path_back(r, before);
    }
    for (size_t i = 0; i < fields->item_count; i++) {
        if (!fields->items[i].is_optional && (seen >> i & 1) == 0) {
            return fail_at(r, v->offset, "'%s' is missing", fields->items[i].name);
        }
    }
    return TACHO_OK;
}

/* ---- checks across fields ---------------------------------------------------------------- */

/* The member |name|, or with no name the element |index|, of value |id|; 0 if absent. */
static uint32_t child_of(const reading *r, uint32_t id, tacho_str name, size_t index)
{
    uint32_t child = r->values[id].first;
    while (child != 0 &&
           (name.len > 0 ? !tacho_str_equal(r->values[child].key, name) : index > 0)) {
        child = r->values[child].next;
        index -= index > 0;
    }
    return child;
}

/* The offset of the value of the path |at|; of the value around it when it was left out. */
static uint64_t offset_of_path(const reading *r)
{
    tacho_str rest = tacho_str_make(r->at, r->at_len);
    uint32_t id = 0;
    while (rest.len > 0) {
        size_t index = 0;
        size_t len = strcspn(rest.data, ".["); /* the path ends with a zero byte */
        tacho_str name = tacho_str_make(rest.data, len);
        if (rest.data[0] == '[') {
            len = tacho_str_find_byte(rest, ']') + 1;
            index = strtoul(rest.data + 1, NULL, 10);
        }
        uint32_t child = child_of(r, id, name, index);
        if (child == 0) {
            break;
        }
        id = child;
        rest = tacho_str_from(rest, len);
        rest = tacho_str_from(rest, rest.len > 0 && rest.data[0] == '.' ? 1 : 0);
    }
    return r->values[id].offset;
}

static uint64_t go_to(reading *r, const char *format, ...) TACHO_PRINTF(2, 3);

/* Goes to a place of the file, written as a path; messages are about it then. */
static uint64_t go_to(reading *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(r->at, sizeof(r->at), format, arguments);
    va_end(arguments);
    assert(len >= 0 && (size_t)len < sizeof(r->at));
    r->at_len = (size_t)len;
    return offset_of_path(r);
}

static tacho_status check_rates(reading *r, size_t engine, const char *list,
                                const tacho_rate *rates, size_t rate_count)
{
    for (size_t i = 0; i < rate_count; i++) {
        for (size_t other = 0; other < i; other++) {
            if (rates[i].dtype == rates[other].dtype) {
                uint64_t at = go_to(r, "engines[%zu].%s[%zu].dtype", engine, list, i);
                return fail_at(r, at, "the engine has two rates for %s",
                               tacho_dtype_name(rates[i].dtype));
            }
        }
    }
    return TACHO_OK;
}

/* The number of sums in an accumulator needs both its size and theirs. */
static tacho_status check_accumulator(reading *r, size_t number, const tacho_engine *engine)
{
    bool has_size = tacho_quantity_is_set(&engine->accumulator_bytes);
    if (has_size == tacho_quantity_is_set(&engine->sum_bytes)) {
        return TACHO_OK;
    }
    return fail_at(r, go_to(r, "engines[%zu]", number), "'%s' is missing; '%s' needs it",
                   has_size ? "sum_bytes" : "accumulator_bytes",
                   has_size ? "accumulator_bytes" : "sum_bytes");
}

static tacho_status check_engines(reading *r, const tacho_machine *machine)
{
    bool multiplies = false;
    bool steps = false;
    for (size_t i = 0; i < machine->engine_count; i++) {
        const tacho_engine *engine = &machine->engines[i];
        multiplies = multiplies || engine->mac_count > 0;
        steps = steps || engine->element_count > 0;
        if (engine->mac_count + engine->element_count == 0 &&
            !tacho_quantity_is_set(&engine->fixed_job_cycles)) {
            return fail_at(r, go_to(r, "engines[%zu]", i),
                           "the engine has no rate and no fixed_job_cycles");
        }
        TACHO_TRY(check_accumulator(r, i, engine));
        TACHO_TRY(check_rates(r, i, "macs", engine->macs, engine->mac_count));
        TACHO_TRY(check_rates(r, i, "elements", engine->elements, engine->element_count));
    }
    if (!multiplies || !steps) {
        return fail_at(r, go_to(r, "engines"), "no engine has a rate for %s",
                       multiplies ? "elements" : "macs");
    }
    return TACHO_OK;
}

/* A mesh needs an engine that works by tiles, and a network. */
static tacho_status check_mesh(reading *r, const tacho_machine *machine)
{
    if (!tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        return TACHO_OK;
    }
    const tacho_engine *engine = &machine->engines[0];
    const struct {
        const char *path, *name;
        bool is_set;
    } needs[] = {
        {"noc", "link_bytes_per_cycle", tacho_quantity_is_set(&machine->noc.link_bytes_per_cycle)},
        {"engines[0]", "macs", engine->mac_count > 0},
        {"engines[0]", "align_m", tacho_quantity_is_set(&engine->align_m)},
        {"engines[0]", "align_n", tacho_quantity_is_set(&engine->align_n)},
        {"engines[0]", "align_k", tacho_quantity_is_set(&engine->align_k)},
        {"engines[0]", "operand_bytes_per_cycle",
         tacho_quantity_is_set(&engine->operand_bytes_per_cycle)},
    };
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (!needs[i].is_set) {
            return fail_at(r, go_to(r, "%s", needs[i].path), "'%s' is missing; a mesh needs it",
                           needs[i].name);
        }
    }
    return TACHO_OK;
}

/* The rows of a GPU's kernels, one for each form; cold_bytes must be above hot_bytes. */
static tacho_status check_gpu(reading *r, const tacho_machine *machine)
{
    const tacho_gpu *gpu = &machine->gpu;
    if (!tacho_machine_is_gpu(machine)) {
        return TACHO_OK;
    }
    if (tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        return fail_at(r, go_to(r, "gpu"), "a machine with a mesh is no GPU");
    }
    if (tacho_quantity_whole(&gpu->hot_bytes) >= tacho_quantity_whole(&gpu->cold_bytes)) {
        return fail_at(r, go_to(r, "gpu.hot_bytes"), "must be less than cold_bytes");
    }
    if (gpu->kernel_count == 0) {
        return fail_at(r, go_to(r, "gpu.kernels"), "must have a row");
    }
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        for (size_t other = 0; other < i; other++) {
            if (gpu->kernels[i].form == gpu->kernels[other].form) {
                return fail_at(r, go_to(r, "gpu.kernels[%zu].form", i),
                               "'%s' is the form of gpu.kernels[%zu] already",
                               tacho_form_name(gpu->kernels[i].form), other);
            }
        }
    }
    return TACHO_OK;
}

static tacho_status check_banks(reading *r, const tacho_machine *machine)
{
    for (size_t i = 0; i < machine->memory_count; i++) {
        bool has_banks = tacho_quantity_is_set(&machine->memories[i].banks);
        if (has_banks != tacho_quantity_is_set(&machine->memories[i].page_bytes)) {
            return fail_at(r, go_to(r, "memories[%zu]", i), "'%s' is missing beside the other",
                           has_banks ? "page_bytes" : "banks");
        }
    }
    return TACHO_OK;
}

static tacho_status check_memories(reading *r, const tacho_machine *machine)
{
    static const tacho_memory_kind needed[] = {TACHO_MEMORY_LOCAL, TACHO_MEMORY_DDR};
    for (size_t which = 0; which < 2; which++) {
        const char *kind = tacho_memory_kind_name(needed[which]);
        size_t count = 0;
        for (size_t i = 0; i < machine->memory_count; i++) {
            const tacho_memory *memory = &machine->memories[i];
            if (memory->kind != needed[which]) {
                continue;
            }
            if (count++ > 0) {
                return fail_at(r, go_to(r, "memories[%zu].kind", i),
                               "a second memory of kind %s; expected one, and others of kind aux",
                               kind);
            }
            if (needed[which] == TACHO_MEMORY_DDR &&
                !tacho_quantity_is_set(&memory->bytes_per_cycle)) {
                return fail_at(r, go_to(r, "memories[%zu]", i),
                               "'%s' is missing; kind ddr needs it", "bytes_per_cycle");
            }
        }
        if (count == 0) {
            return fail_at(r, go_to(r, "memories"), "no memory of kind %s", kind);
        }
    }
    return TACHO_OK;
}

static tacho_status check_queues(reading *r, const tacho_machine *machine)
{
    for (size_t i = 0; i < machine->dma_count; i++) {
        const tacho_dma *dma = &machine->dma[i];
        if (dma->class < TACHO_ENGINE_DMA_IN || dma->class > TACHO_ENGINE_DMA_LOCAL) {
            return fail_at(r, go_to(r, "dma[%zu].class", i),
                           "is %s; queues are dma_in, dma_out or dma_local",
                           tacho_engine_class_name(dma->class));
        }
        if (tacho_machine_dma(machine, dma->class) != dma) {
            return fail_at(r, go_to(r, "dma[%zu].class", i), "a second queue of class %s",
                           tacho_engine_class_name(dma->class));
        }
        bool has_beats = tacho_quantity_is_set(&dma->burst_beats);
        if (has_beats != tacho_quantity_is_set(&dma->burst_overhead_beats)) {
            return fail_at(r, go_to(r, "dma[%zu]", i), "'%s' is missing beside the other",
                           has_beats ? "burst_overhead_beats" : "burst_beats");
        }
    }
    return TACHO_OK;
}

/* A list of structs of which no two have the same text. */
typedef struct text_list {
    const char *name, *key;
    const void *items;
    size_t count, size, offset;
} text_list;

static tacho_str text_in(const text_list *list, size_t index)
{
    tacho_str text;
    memcpy(&text, (const char *)list->items + index * list->size + list->offset, sizeof(text));
    return text;
}

static tacho_status check_texts(reading *r, const text_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        tacho_str text = text_in(list, i);
        for (size_t other = 0; other < i; other++) {
            if (tacho_str_equal(text, text_in(list, other))) {
                return fail_at(r, go_to(r, "%s[%zu].%s", list->name, i, list->key),
                               "'%.*s' is the %s of %s[%zu] already",
                               (int)(text.len < 80 ? text.len : 80), text.data, list->key,
                               list->name, other);
            }
        }
    }
    return TACHO_OK;
}

static tacho_status check_twins(reading *r, const tacho_machine *machine)
{
#define TEXTS(type, list, count, key)                                                              \
    {                                                                                              \
#list, #key, machine->list, machine->count, sizeof(type), offsetof(type, key)              \
    }
    const text_list lists[] = {
        TEXTS(tacho_engine, engines, engine_count, name),
        TEXTS(tacho_memory, memories, memory_count, name),
        TEXTS(tacho_dma, dma, dma_count, name),
        TEXTS(tacho_fidelity, fidelities, fidelity_count, name),
        TEXTS(tacho_counter_def, counters, counter_count, id),
        TEXTS(tacho_word, op_names, op_name_count, of),
    };
#undef TEXTS
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        TACHO_TRY(check_texts(r, &lists[i]));
    }
    for (size_t i = 0; i < machine->legalise_count; i++) {
        for (size_t other = 0; other < i; other++) {
            if (machine->legalise[i].from == machine->legalise[other].from) {
                return fail_at(r, go_to(r, "legalise[%zu].from", i),
                               "'%s' is the from of legalise[%zu] already",
                               tacho_dtype_name(machine->legalise[i].from), other);
            }
        }
    }
    return TACHO_OK;
}

/* Only numbers that the description has may be fitted. */
static tacho_status check_fitted(reading *r, tacho_machine *machine)
{
    for (size_t i = 0; i < machine->fitted_count; i++) {
        tacho_constant_ref refs[TACHO_CONSTANT_TIED_MAX];
        size_t count;
        tacho_status status =
            tacho_constant_find_tied(machine, machine->fitted[i].constant, refs, &count);
        if (status != TACHO_OK) {
            uint64_t at = go_to(r, "fitted[%zu].constant", i);
            return tacho_status_add_note(status, "%s:%llu: %s", r->path,
                                         (unsigned long long)line_of(r, at), r->at);
        }
    }
    return TACHO_OK;
}

static tacho_status check_machine(reading *r, tacho_machine *machine)
{
    TACHO_TRY(check_engines(r, machine));
    TACHO_TRY(check_mesh(r, machine));
    TACHO_TRY(check_gpu(r, machine));
    TACHO_TRY(check_memories(r, machine));
    TACHO_TRY(check_banks(r, machine));
    TACHO_TRY(check_queues(r, machine));
    TACHO_TRY(check_twins(r, machine));
    TACHO_TRY(check_fitted(r, machine));
    if (machine->fidelity_count > 0 &&
        tacho_machine_fidelity_find(machine, machine->default_fidelity) == 0) {
        return fail_at(r, go_to(r, "default_fidelity"), "is not listed in fidelities");
    }
    if (machine->block_fidelity.len > 0 &&
        tacho_machine_fidelity_find(machine, machine->block_fidelity) == 0) {
        return fail_at(r, go_to(r, "block_fidelity"), "is not listed in fidelities");
    }
    if (machine->timeline.len > 0 && !tacho_machine_has_timeline(machine, "torq")) {
        return fail_at(r, go_to(r, "timeline"), "only torq's is supported");
    }
    return TACHO_OK;
}

tacho_status tacho_machine_read(const char *path, tacho_str text, tacho_arena *arena,
                                tacho_machine **out_machine)
{
    if (text.len > TEXT_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: %zu bytes are too many for a machine description", path, text.len);
    }
    reading r = {.path = path, .bytes = text, .arena = arena};
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, sizeof(tacho_machine), &memory));
    tacho_machine *machine = memory;
    tacho_status status = read_tree(&r);
    if (status == TACHO_OK) {
        status = read_object(&r, &r.values[0], &tacho_machine_fields, machine);
    }
    if (status == TACHO_OK) {
        status = check_machine(&r, machine);
    }
    free(r.values);
    TACHO_TRY(status);
    TACHO_TRY(tacho_arena_copy(arena, tacho_str_from_cstring(path), &machine->path));
    TACHO_TRY(tacho_arena_copy(arena, text, &machine->text));
    *out_machine = machine;
    return TACHO_OK;
}
