/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells by name, from arguments of any type.
 */
#include "estimates/tenstorrent/tt_ops.h"

#include "base/grow.h"
#include "codec/json_number.h"
#include "profile/tt_columns.h"

#include <math.h>
#include <stdlib.h>

/* The field of a cell, by the name of its column; shapes have two names. */
typedef enum field {
    FIELD_UNASKED,
    FIELD_OTHER,
    FIELD_ROW,
    FIELD_TYPE,
    FIELD_CALL,
    FIELD_DEVICE,
    FIELD_ARCH,
    FIELD_ATTRIBUTES,
    FIELD_FIDELITY,
    FIELD_CORES,
    FIELD_WORKERS,
    FIELD_HOST_START,
    FIELD_KERNEL,
    FIELD_KERNEL_PART,
    FIELD_LATENCY,
    FIELD_SESSION,
    FIELD_TENSOR, /* from here on: tensor * TENSOR_FIELDS + field */
} field;

enum { TENSOR_DATATYPE = TACHO_TT_DIM_COUNT, TENSOR_MEMORY, TENSOR_FIELDS };

typedef struct named_field {
    const char *name;
    field of;
} named_field;

static const named_field named_fields[] = {
    {TACHO_TT_ROW, FIELD_ROW},
    {"OP TYPE", FIELD_TYPE},
    {"GLOBAL CALL COUNT", FIELD_CALL},
    {"DEVICE ID", FIELD_DEVICE},
    {"DEVICE ARCH", FIELD_ARCH},
    {"ATTRIBUTES", FIELD_ATTRIBUTES},
    {"MATH FIDELITY", FIELD_FIDELITY},
    {"CORE COUNT", FIELD_CORES},
    {"AVAILABLE WORKER CORE COUNT", FIELD_WORKERS},
    {"HOST START TS", FIELD_HOST_START},
    {"DEVICE KERNEL DURATION [ns]", FIELD_KERNEL},
    {"DEVICE QUASAR_DM KERNEL DURATION [ns]", FIELD_KERNEL_PART},
    {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]", FIELD_KERNEL_PART},
    {"OP TO OP LATENCY [ns]", FIELD_LATENCY},
    {"METAL TRACE REPLAY SESSION ID", FIELD_SESSION},
};

/* The field of "INPUT_0_Y", "INPUT_0_Y_PAD[LOGICAL]", "INPUT_0_DATATYPE" or "INPUT_0_MEMORY". */
static unsigned find_tensor_field(tacho_str name)
{
    static const tacho_str tensors[] = {TACHO_STR_INIT("INPUT_0_"), TACHO_STR_INIT("INPUT_1_"),
                                        TACHO_STR_INIT("OUTPUT_0_")};
    static const tacho_str fields[] = {TACHO_STR_INIT("W"),        TACHO_STR_INIT("Z"),
                                       TACHO_STR_INIT("Y"),        TACHO_STR_INIT("X"),
                                       TACHO_STR_INIT("DATATYPE"), TACHO_STR_INIT("MEMORY")};
    static const tacho_str padded = TACHO_STR_INIT("_PAD[LOGICAL]");
    for (unsigned tensor = 0; tensor < TACHO_TT_TENSOR_COUNT; tensor++) {
        if (!tacho_str_starts_with(name, tensors[tensor])) {
            continue;
        }
        tacho_str rest = tacho_str_from(name, tensors[tensor].len);
        rest.len -= tacho_str_ends_with(rest, padded) ? padded.len : 0;
        for (unsigned i = 0; i < TENSOR_FIELDS; i++) {
            if (tacho_str_equal(rest, fields[i])) {
                return FIELD_TENSOR + tensor * TENSOR_FIELDS + i;
            }
        }
    }
    return FIELD_OTHER;
}

static unsigned find_field(tacho_str name)
{
    for (size_t i = 0; i < sizeof(named_fields) / sizeof(named_fields[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(named_fields[i].name))) {
            return named_fields[i].of;
        }
    }
    return find_tensor_field(name);
}

/* The field of the argument |key|, looked up by its name once. */
static tacho_status field_of(tacho_tt_ops *ops, uint32_t key, unsigned *out_field)
{
    if (key >= ops->field_count) {
        TACHO_TRY(tacho_grow(&ops->fields, &ops->field_capacity, (size_t)key + 1));
        memset(ops->fields + ops->field_count, FIELD_UNASKED, key + 1 - ops->field_count);
        ops->field_count = (size_t)key + 1;
    }
    if (ops->fields[key] == FIELD_UNASKED) {
        ops->fields[key] = (uint8_t)find_field(tacho_dict_string(ops->events.dict, key));
    }
    *out_field = ops->fields[key];
    return TACHO_OK;
}

/* ---- values ----------------------------------------------------------------------------- */

static tacho_status arg_text(tacho_tt_ops *ops, const tacho_arg *arg, tacho_str *out_text)
{
    if (arg->type == TACHO_ARG_STRING) {
        *out_text = tacho_dict_string(ops->events.dict, arg->value.as_string);
        return TACHO_OK;
    }
    return tacho_arg_has_text(arg) ? tacho_arena_copy(&ops->arena, arg->value.as_text, out_text)
                                   : TACHO_OK;
}

/* The number at the start of |text|: 32 for "32[1]", a padded length. */
static double leading_number(tacho_str text)
{
    double value = TACHO_TT_NONE;
    tacho_str number = tacho_str_trim(tacho_str_make(text.data, tacho_str_find_byte(text, '[')));
    return tacho_json_number_double(number, &value) ? value : TACHO_TT_NONE;
}

static double arg_number(tacho_tt_ops *ops, const tacho_arg *arg)
{
    tacho_arg_type type = arg->type;
    if (type == TACHO_ARG_INT) {
        return (double)arg->value.as_int;
    }
    if (type == TACHO_ARG_UINT) {
        return (double)arg->value.as_uint;
    }
    if (type == TACHO_ARG_STRING) {
        return leading_number(tacho_dict_string(ops->events.dict, arg->value.as_string));
    }
    if (type == TACHO_ARG_TEXT) {
        return leading_number(arg->value.as_text);
    }
    return type == TACHO_ARG_REAL ? arg->value.as_real : TACHO_TT_NONE;
}

static tacho_status set_tensor(tacho_tt_ops *ops, tacho_tt_op *op, unsigned at,
                               const tacho_arg *arg)
{
    unsigned tensor = at / TENSOR_FIELDS;
    unsigned which = at % TENSOR_FIELDS;
    if (which < TACHO_TT_DIM_COUNT) {
        op->shapes[tensor][which] = arg_number(ops, arg);
        return TACHO_OK;
    }
    if (which == TENSOR_MEMORY) {
        return arg_text(ops, arg, &op->memories[tensor]);
    }
    ops->has_datatypes[tensor] = true;
    return arg_text(ops, arg, &op->datatypes[tensor]);
}

static double *number_of(tacho_tt_op *op, unsigned at)
{
    switch (at) {
    case FIELD_CALL:
        return &op->call_count;
    case FIELD_DEVICE:
        return &op->device;
    case FIELD_CORES:
        return &op->cores;
    case FIELD_WORKERS:
        return &op->worker_cores;
    case FIELD_HOST_START:
        return &op->host_start;
    default:
        return &op->session;
    }
}

/* |ns|, unless it is impossible on a device: readers report such cells. */
static double time_of(double ns)
{
    return fabs(ns) < 0x1p52 ? ns : TACHO_TT_NONE;
}

static tacho_status set_field(tacho_tt_ops *ops, tacho_tt_op *op, unsigned at, const tacho_arg *arg)
{
    if (at >= FIELD_TENSOR) {
        return set_tensor(ops, op, at - FIELD_TENSOR, arg);
    }
    switch (at) {
    case FIELD_UNASKED:
    case FIELD_OTHER:
        return TACHO_OK;
    case FIELD_ROW:
        op->row = arg->type == TACHO_ARG_UINT || arg->type == TACHO_ARG_INT ? arg->value.as_uint
                                                                            : op->row;
        return TACHO_OK;
    case FIELD_TYPE:
        return arg_text(ops, arg, &op->type);
    case FIELD_ARCH:
        return arg_text(ops, arg, &op->arch);
    case FIELD_ATTRIBUTES:
        return arg_text(ops, arg, &op->attributes);
    case FIELD_FIDELITY:
        return arg_text(ops, arg, &op->fidelity);
    case FIELD_KERNEL:
        op->kernel_ns = time_of(arg_number(ops, arg));
        op->kernel_ns = op->kernel_ns < 0 ? TACHO_TT_NONE : op->kernel_ns;
        return TACHO_OK;
    case FIELD_KERNEL_PART:
        op->kernel_part_ns = fmax(op->kernel_part_ns, time_of(arg_number(ops, arg)));
        return TACHO_OK;
    case FIELD_LATENCY:
        op->latency_ns = time_of(arg_number(ops, arg));
        return TACHO_OK;
    default:
        *number_of(op, at) = arg_number(ops, arg);
        return TACHO_OK;
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_tt_op no_op(void)
{
    tacho_tt_op op = {
        .call_count = TACHO_TT_NONE,
        .device = TACHO_TT_NONE,
        .cores = TACHO_TT_NONE,
        .worker_cores = TACHO_TT_NONE,
        .host_start = TACHO_TT_NONE,
        .kernel_ns = TACHO_TT_NONE,
        .latency_ns = TACHO_TT_NONE,
        .session = TACHO_TT_NONE,
    };
    for (size_t i = 0; i < TACHO_TT_TENSOR_COUNT; i++) {
        for (size_t k = 0; k < TACHO_TT_DIM_COUNT; k++) {
            op.shapes[i][k] = TACHO_TT_NONE;
        }
    }
    return op;
}

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    tacho_tt_ops *ops = (tacho_tt_ops *)(void *)events;
    if (row->kind != TACHO_ROW_SPAN) {
        return TACHO_OK;
    }
    tacho_tt_op op = no_op();
    const tacho_site *site = &events->dict->sites[row->of.span.site];
    op.part = events->dict->tracks[row->track].part;
    op.code = tacho_dict_string(events->dict, site->name);
    for (size_t i = 0; i < row->arg_count; i++) {
        unsigned at = FIELD_OTHER;
        TACHO_TRY(field_of(ops, row->args[i].key, &at));
        TACHO_TRY(set_field(ops, &op, at, &row->args[i]));
    }
    bool has_part = isnan(op.kernel_ns) && op.kernel_part_ns > 0;
    op.kernel_ns = has_part ? op.kernel_part_ns : op.kernel_ns;
    if (op.row == 0) {
        return TACHO_OK; /* other spans of a row that already has its own */
    }
    TACHO_TRY(tacho_grow(&ops->items, &ops->item_capacity, ops->item_count + 1));
    ops->items[ops->item_count++] = op;
    return TACHO_OK;
}

static const tacho_events_vtable ops_vtable = {.row = take_row};

void tacho_tt_ops_init(tacho_tt_ops *ops, tacho_dict *dict)
{
    *ops = (tacho_tt_ops){.events = {.vtable = &ops_vtable, .dict = dict}};
    tacho_arena_init(&ops->arena);
}

void tacho_tt_ops_deinit(tacho_tt_ops *ops)
{
    tacho_arena_deinit(&ops->arena);
    free(ops->items);
    free(ops->fields);
}

static int compare_ops(const void *a, const void *b)
{
    const tacho_tt_op *left = a;
    const tacho_tt_op *right = b;
    if (left->part != right->part) {
        return left->part < right->part ? -1 : 1;
    }
    return (left->row > right->row) - (left->row < right->row);
}

/* The number of the table that each part was read from: parts of one table are consecutive. */
static tacho_status number_tables(const tacho_dict *dict, uint32_t **out_tables)
{
    uint32_t *tables = tacho_items_alloc(dict->part_count, sizeof(*tables));
    *out_tables = tables;
    if (tables == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 1; i < dict->part_count; i++) {
        const tacho_part *part = &dict->parts[i];
        bool begins = part->path != dict->parts[i - 1].path ||
                      (part->covered_classes & TACHO_TRACK_BIT(TACHO_TRACK_HOST)) != 0;
        tables[i] = tables[i - 1] + (begins ? 1 : 0);
    }
    return TACHO_OK;
}

tacho_status tacho_tt_ops_sort(tacho_tt_ops *ops)
{
    uint32_t *tables = NULL;
    TACHO_TRY(number_tables(ops->events.dict, &tables));
    for (size_t i = 0; i < ops->item_count; i++) {
        ops->items[i].part = tables[ops->items[i].part];
    }
    free(tables);
    if (ops->item_count > 1) {
        qsort(ops->items, ops->item_count, sizeof(*ops->items), compare_ops);
    }
    uint64_t before = 0; /* rows of earlier tables, without headers */
    for (size_t i = 0; i < ops->item_count; i++) {
        if (i > 0 && ops->items[i].part != ops->items[i - 1].part) {
            before = ops->items[i - 1].row - 1;
        }
        ops->items[i].row += before;
    }
    return TACHO_OK;
}
