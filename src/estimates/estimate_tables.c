/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The estimate as tables. Tables for programs have every number in its own unit, those for users
 * the important ones in readable units.
 */
#include "estimates/estimate_tables.h"

#include "estimates/estimates.h"
#include "base/grow.h"
#include "base/index.h"
#include "base/whole.h"
#include "compile/machine_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MILLION = 1000000, BAR_WIDTH = 40 };

/* Cycles as nanoseconds, to the nearest. */
static int64_t cycles_ns(const tacho_estimate *estimate, int64_t cycles)
{
    double ns = (double)cycles * 1e9 / tacho_machine_view_hz(estimate->machine);
    return ns < 9e18 ? tacho_whole_i64(ns + 0.5) : INT64_MAX;
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- operators ----------------------------------------------------------------------------- */

typedef struct filler {
    const tacho_estimate *estimate;
    tacho_table *table;
    size_t op;
    const tacho_op_estimate *row;
} filler;

typedef struct op_column {
    tacho_column column;
    tacho_status (*add)(const filler *self);
    bool is_for_people;
    bool is_for_programs;
    bool is_of_devices; /* useful only with several devices */
} op_column;

static tacho_status add_number(const filler *self)
{
    return tacho_table_add_int(self->table, (int64_t)self->op);
}

static tacho_status add_name(const filler *self)
{
    tacho_str name;
    TACHO_TRY(tacho_estimate_op_name(self->estimate, self->op, &self->table->arena, &name));
    return tacho_table_add_text(self->table, name);
}

static tacho_status add_type(const filler *self)
{
    tacho_str type;
    TACHO_TRY(tacho_estimate_op_type(self->estimate, self->op, '+', &self->table->arena, &type));
    return tacho_table_add_text(self->table, type);
}

static tacho_status add_engine(const filler *self)
{
    uint32_t engine = self->row->cost.engine;
    return engine == TACHO_NONE
               ? tacho_table_add_absent(self->table)
               : tacho_table_add_text(self->table, self->estimate->machine->engines[engine].name);
}

static tacho_status add_dtype(const filler *self)
{
    return tacho_table_add_text(self->table,
                                tacho_str_from_cstring(tacho_dtype_name(self->row->cost.compute)));
}

static tacho_status add_cores(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.cores);
}

static tacho_status add_device(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->device);
}

static tacho_status add_link(const filler *self)
{
    return tacho_table_add_int(self->table, (int64_t)self->row->link_bytes);
}

static tacho_status add_cycles(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.cycles);
}

static tacho_status add_share(const filler *self)
{
    return tacho_table_add_real(self->table, share(self->row->cost.cycles, self->estimate->cycles));
}

static tacho_status add_time(const filler *self)
{
    return tacho_table_add_int(self->table, cycles_ns(self->estimate, self->row->cost.cycles));
}

static tacho_status add_macs(const filler *self)
{
    return tacho_table_add_int(self->table, (int64_t)self->row->cost.macs);
}

static tacho_status add_mega_macs(const filler *self)
{
    return self->row->cost.macs > 0
               ? tacho_table_add_real(self->table, (double)self->row->cost.macs / MILLION)
               : tacho_table_add_absent(self->table);
}

static tacho_status add_utilisation(const filler *self)
{
    return tacho_table_add_real(self->table, tacho_op_estimate_utilisation(self->row));
}

static tacho_status add_padding(const filler *self)
{
    return self->row->work.kind == TACHO_WORK_MATRIX
               ? tacho_table_add_real(self->table, tacho_op_estimate_padding(self->row))
               : tacho_table_add_absent(self->table);
}

static tacho_status add_ddr_read(const filler *self)
{
    return tacho_table_add_int(self->table, (int64_t)self->row->ddr_read_bytes);
}

static tacho_status add_ddr_write(const filler *self)
{
    return tacho_table_add_int(self->table, (int64_t)self->row->ddr_write_bytes);
}

static tacho_status add_local(const filler *self)
{
    return tacho_table_add_int(self->table, (int64_t)self->row->local_bytes);
}

static tacho_status add_compute_cycles(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.compute_cycles);
}

static tacho_status add_read_cycles(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.read_cycles);
}

static tacho_status add_write_cycles(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.write_cycles);
}

static tacho_status add_launch_cycles(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.launch_cycles);
}

static tacho_status add_ideal_cycles(const filler *self)
{
    return tacho_table_add_int(self->table, self->row->cost.ideal_cycles);
}

static tacho_status add_bound(const filler *self)
{
    return tacho_table_add_text(self->table,
                                tacho_str_from_cstring(tacho_bound_name(self->row->cost.bound)));
}

/* For users: adds a remark if only the bytes of an operator are costed, for lack of a cost rule. */
static tacho_status add_bound_remark(const filler *self)
{
    char text[64];
    bool is_unknown = tacho_estimate_is_unknown(self->estimate, self->op);
    snprintf(text, sizeof(text), "%s%s", tacho_bound_name(self->row->cost.bound),
             is_unknown ? ", bytes alone" : "");
    return tacho_table_add_text(self->table, tacho_str_from_cstring(text));
}

static tacho_status add_location(const filler *self)
{
    const tacho_graph *graph = self->estimate->fusion->graph;
    const tacho_node *root = &graph->nodes[self->estimate->fusion->ops[self->op].root];
    return tacho_table_add_text(self->table, tacho_graph_string(graph, root->location));
}

static const op_column op_columns[] = {
    {TACHO_COLUMN(OP, "#", INT), add_number, true, true, false},
    {TACHO_COLUMN(NAME, "Name", TEXT), add_name, true, true, false},
    {TACHO_COLUMN(TYPE, "Type", TEXT), add_type, true, true, false},
    {TACHO_COLUMN(ENGINE, "Engine", TEXT), add_engine, true, true, false},
    {TACHO_COLUMN(DTYPE, "Dtype", TEXT), add_dtype, true, true, false},
    {TACHO_COLUMN(DEVICE, "Device", INT), add_device, true, true, true},
    {TACHO_COLUMN(CORES, "Cores", INT), add_cores, true, true, false},
    {TACHO_COLUMN(CYCLES, "Cycles", INT), add_cycles, true, true, false},
    {TACHO_COLUMN(SHARE_PERCENT, "Share", PERCENT), add_share, true, true, false},
    {TACHO_COLUMN(TIME_NS, "Time", DURATION), add_time, true, true, false},
    {TACHO_COLUMN(MACS, "MACs", INT), add_macs, false, true, false},
    {TACHO_COLUMN(MACS, "MMAC", REAL), add_mega_macs, true, false, false},
    {TACHO_COLUMN(UTILISATION_PERCENT, "Util", PERCENT), add_utilisation, true, true, false},
    {TACHO_COLUMN(PADDING_PERCENT, "Pad", PERCENT), add_padding, true, true, false},
    {TACHO_COLUMN(DDR_READ_BYTES, "DDR in", INT), add_ddr_read, true, true, false},
    {TACHO_COLUMN(DDR_WRITE_BYTES, "DDR out", INT), add_ddr_write, true, true, false},
    {TACHO_COLUMN(LINK_BYTES, "Link in", INT), add_link, true, true, true},
    {TACHO_COLUMN(LOCAL_BYTES, "Local", INT), add_local, true, true, false},
    {TACHO_COLUMN(COMPUTE_CYCLES, "", INT), add_compute_cycles, false, true, false},
    {TACHO_COLUMN(READ_CYCLES, "", INT), add_read_cycles, false, true, false},
    {TACHO_COLUMN(WRITE_CYCLES, "", INT), add_write_cycles, false, true, false},
    {TACHO_COLUMN(LAUNCH_CYCLES, "", INT), add_launch_cycles, false, true, false},
    {TACHO_COLUMN(IDEAL_CYCLES, "", INT), add_ideal_cycles, false, true, false},
    {TACHO_COLUMN(BOUND, "Bound", TEXT), add_bound_remark, true, false, false},
    {TACHO_COLUMN(BOUND, "Bound", TEXT), add_bound, false, true, false},
    {TACHO_COLUMN(LOCATION, "Location", TEXT), add_location, true, true, false},
};

enum { OP_COLUMN_COUNT = sizeof(op_columns) / sizeof(op_columns[0]) };

static bool is_shown(const op_column *column, const tacho_estimate *estimate, bool is_for_people)
{
    return (is_for_people ? column->is_for_people : column->is_for_programs) &&
           (!column->is_of_devices || estimate->devices > 1);
}

/* Sort keys of a row: numbers, largest first, or names. */
typedef struct sort_row {
    uint32_t op;
    uint64_t key;
    tacho_str name;
} sort_row;

static int compare_rows(const void *left, const void *right)
{
    const sort_row *a = left;
    const sort_row *b = right;
    int order = (a->key < b->key) - (a->key > b->key);
    order = order != 0 ? order : tacho_str_compare(a->name, b->name);
    return order != 0 ? order : (a->op > b->op) - (a->op < b->op);
}

static uint64_t sort_key(const tacho_op_estimate *op, tacho_estimate_sort sort)
{
    switch (sort) {
    case TACHO_ESTIMATE_BY_CYCLES:
        return (uint64_t)op->cost.cycles;
    case TACHO_ESTIMATE_BY_MACS:
        return op->cost.macs;
    case TACHO_ESTIMATE_BY_BYTES:
        return op->ddr_read_bytes + op->ddr_write_bytes;
    case TACHO_ESTIMATE_BY_ORDER:
    case TACHO_ESTIMATE_BY_NAME:
    case TACHO_ESTIMATE_SORT_COUNT:
        break;
    }
    return 0;
}

/* Whether |filter| accepts an operator, by its name or its type. */
static tacho_status check_op(const tacho_estimate *estimate, const tacho_name_filter *filter,
                             uint32_t op, bool *out_is_wanted)
{
    tacho_arena arena;
    tacho_str name = TACHO_STR("");
    tacho_str type = TACHO_STR("");
    *out_is_wanted = true;
    if (filter->accepts == NULL) {
        return TACHO_OK;
    }
    tacho_arena_init(&arena);
    tacho_status status = tacho_estimate_op_name(estimate, op, &arena, &name);
    if (status == TACHO_OK) {
        status = tacho_estimate_op_type(estimate, op, '+', &arena, &type);
    }
    if (status == TACHO_OK) {
        *out_is_wanted = filter->accepts(filter->self, name, type);
        status = tacho_name_filter_check(filter);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_estimate_count(const tacho_estimate *estimate, const tacho_name_filter *filter,
                                  size_t *out_count)
{
    *out_count = 0;
    for (uint32_t i = 0; i < estimate->fusion->op_count; i++) {
        bool is_wanted = false;
        TACHO_TRY(check_op(estimate, filter, i, &is_wanted));
        *out_count += is_wanted ? 1 : 0;
    }
    return TACHO_OK;
}

/* Puts the |top| costliest first, in the order in which they run. */
static void choose_costliest(const tacho_estimate *estimate, sort_row *rows, size_t count,
                             size_t top)
{
    for (size_t i = 0; i < count; i++) {
        rows[i].key = sort_key(&estimate->ops[rows[i].op], TACHO_ESTIMATE_BY_CYCLES);
    }
    qsort(rows, count, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < top; i++) {
        rows[i].key = 0;
    }
    qsort(rows, top, sizeof(*rows), compare_rows);
}

/* Lists the accepted operators, in the requested order. */
static tacho_status sort_ops(const tacho_estimate *estimate,
                             const tacho_estimate_table_options *options, tacho_arena *arena,
                             sort_row *rows, size_t *out_count)
{
    size_t count = 0;
    for (uint32_t i = 0; i < estimate->fusion->op_count; i++) {
        bool is_wanted = false;
        TACHO_TRY(check_op(estimate, &options->filter, i, &is_wanted));
        if (!is_wanted) {
            continue;
        }
        rows[count] = (sort_row){.op = i, .key = sort_key(&estimate->ops[i], options->sort)};
        if (options->sort == TACHO_ESTIMATE_BY_NAME) {
            TACHO_TRY(tacho_estimate_op_name(estimate, i, arena, &rows[count].name));
        }
        count++;
    }
    if (options->sort == TACHO_ESTIMATE_BY_ORDER && options->top > 0 && options->top < count) {
        choose_costliest(estimate, rows, count, options->top);
    } else {
        qsort(rows, count, sizeof(*rows), compare_rows);
    }
    *out_count = options->top > 0 && options->top < count ? options->top : count;
    return TACHO_OK;
}

static tacho_status fill_ops(const tacho_estimate *estimate,
                             const tacho_estimate_table_options *options, const sort_row *rows,
                             size_t count, tacho_table *table)
{
    for (size_t i = 0; i < count; i++) {
        filler self = {estimate, table, rows[i].op, &estimate->ops[rows[i].op]};
        for (size_t j = 0; j < OP_COLUMN_COUNT; j++) {
            if (is_shown(&op_columns[j], estimate, options->is_for_people)) {
                TACHO_TRY(op_columns[j].add(&self));
            }
        }
    }
    return TACHO_OK;
}

static tacho_status make_ops(const tacho_estimate *estimate,
                             const tacho_estimate_table_options *options, tacho_table *out_table)
{
    tacho_column columns[OP_COLUMN_COUNT];
    size_t column_count = 0;
    for (size_t i = 0; i < OP_COLUMN_COUNT; i++) {
        if (is_shown(&op_columns[i], estimate, options->is_for_people)) {
            columns[column_count++] = op_columns[i].column;
        }
    }
    TACHO_TRY(tacho_table_init_owned(out_table, "operators", "Operators", columns, column_count));
    static const tacho_column_id kept[] = {
        TACHO_COL_NAME,  TACHO_COL_CYCLES, TACHO_COL_SHARE_PERCENT, TACHO_COL_TIME_NS,
        TACHO_COL_BOUND, TACHO_COL_TYPE,   TACHO_COL_LOCATION,      TACHO_COL_OTHER};
    out_table->kept = kept;
    sort_row *rows = NULL;
    TACHO_TRY(tacho_items_make(&rows, estimate->fusion->op_count));
    size_t count = 0;
    tacho_status status = sort_ops(estimate, options, &out_table->arena, rows, &count);
    if (status == TACHO_OK) {
        status = fill_ops(estimate, options, rows, count, out_table);
    }
    free(rows);
    return status;
}

/* ---- the network --------------------------------------------------------------------------- */

/* An inference is one run of the model with its shapes; a batch consists of several. */
static double inferences_per_second(const tacho_estimate *estimate)
{
    return estimate->cycles > 0 ? tacho_machine_view_hz(estimate->machine) *
                                      (double)estimate->inferences / (double)estimate->cycles
                                : 0.0;
}

static tacho_status make_totals(const tacho_estimate *estimate, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(MODEL, "Model", TEXT),
        TACHO_COLUMN(FORMAT, "Format", TEXT),
        TACHO_COLUMN(MACHINE, "Machine", TEXT),
        TACHO_COLUMN(CLOCK_HZ, "Clock", INT),
        TACHO_COLUMN(NODES, "Nodes", INT),
        TACHO_COLUMN(FOLDED, "Folded", INT),
        TACHO_COLUMN(VIEWS, "Views", INT),
        TACHO_COLUMN(OPERATORS, "Operators", INT),
        TACHO_COLUMN(UNKNOWN, "Unknown", INT),
        TACHO_COLUMN(CYCLES, "Cycles", INT),
        TACHO_COLUMN(TIME_NS, "Time", DURATION),
        TACHO_COLUMN(INFERENCES_PER_S, "Inferences/s", REAL),
        TACHO_COLUMN(MACS, "MACs", INT),
        TACHO_COLUMN(IDEAL_CYCLES, "Ideal cycles", INT),
        TACHO_COLUMN(UTILISATION_PERCENT, "Util", PERCENT),
        TACHO_COLUMN(WEIGHT_BYTES, "Weights", INT),
        TACHO_COLUMN(DDR_BYTES, "DDR bytes", INT),
        TACHO_COLUMN(LOCAL_PEAK_BYTES, "Local peak", INT),
        TACHO_COLUMN(UNUSED, "Unused", INT),
        TACHO_COLUMN(FUSED, "Fused", INT),
        TACHO_COLUMN(DEVICES, "Devices", INT),
        TACHO_COLUMN(BATCH, "Batch", INT),
    };
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    tacho_table_init(out_table, "total", "Total", columns, sizeof(columns) / sizeof(columns[0]));
    TACHO_TRY(tacho_table_add_text(out_table, graph->path));
    TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(graph->format)));
    TACHO_TRY(tacho_table_add_text(out_table, estimate->machine->name));
    const int64_t counts[] = {
        tacho_whole_i64(tacho_machine_view_hz(estimate->machine)),
        (int64_t)graph->node_count,
        (int64_t)fusion->folded_count,
        (int64_t)fusion->view_count,
        (int64_t)fusion->op_count,
        (int64_t)estimate->unknown_count,
        estimate->cycles,
        cycles_ns(estimate, estimate->cycles),
    };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        TACHO_TRY(tacho_table_add_int(out_table, counts[i]));
    }
    TACHO_TRY(tacho_table_add_real(out_table, inferences_per_second(estimate)));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)estimate->macs));
    TACHO_TRY(tacho_table_add_int(out_table, estimate->ideal_cycles));
    TACHO_TRY(tacho_table_add_real(out_table, share(estimate->ideal_cycles, estimate->cycles)));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)estimate->weight_bytes));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)estimate->ddr_bytes));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)estimate->local_peak_bytes));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)fusion->unused_count));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)tacho_fusion_fused_count(fusion)));
    TACHO_TRY(tacho_table_add_int(out_table, estimate->devices));
    return tacho_table_add_int(out_table, (int64_t)estimate->inferences);
}

/* ---- for users ----------------------------------------------------------------------------- */

/* "4.12 GMAC", "25.6 MB", "812 B". */
static const char *with_unit(double value, const char *unit, char out_text[48])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t step = 0;
    for (; value >= 1000 && step < 6; step++) {
        value /= 1000;
    }
    int decimals = step == 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
    snprintf(out_text, 48, "%.*f %s%s", decimals, value, prefixes[step], unit);
    return out_text;
}

static tacho_status add_graph_properties(const tacho_estimate *estimate, tacho_table *table)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    char macs[48];
    char weights[48];
    TACHO_TRY(tacho_table_add_property(table, "model", "%.*s (%s)", TACHO_STR_ARG(graph->path),
                                       graph->format));
    char unused[48] = "";
    if (fusion->unused_count > 0) {
        snprintf(unused, sizeof(unused), ", %zu unused", fusion->unused_count);
    }
    TACHO_TRY(tacho_table_add_property(
        table, "nodes", "%zu: %zu folded, %zu view%s%s, %zu fused into %zu operator%s to run",
        graph->node_count, fusion->folded_count, fusion->view_count,
        fusion->view_count == 1 ? "" : "s", unused, tacho_fusion_fused_count(fusion),
        fusion->op_count, fusion->op_count == 1 ? "" : "s"));
    return tacho_table_add_property(table, "size", "%s, %s of weights",
                                    with_unit((double)estimate->macs, "MAC", macs),
                                    with_unit((double)estimate->weight_bytes, "B", weights));
}

/* Whether the network has tensors of |dtype| other than constants. */
static bool has_dtype(const tacho_graph *graph, tacho_dtype dtype)
{
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[i];
        if (tensor->dtype == dtype && !tensor->is_constant) {
            return true;
        }
    }
    return false;
}

/* Adds the types that store and compute real numbers, if they differ from the model's. */
static tacho_status add_numbers(const tacho_estimate *estimate, tacho_table *table)
{
    static const tacho_dtype reals[] = {TACHO_DTYPE_F32, TACHO_DTYPE_F64, TACHO_DTYPE_F16,
                                        TACHO_DTYPE_BF16};
    const tacho_machine *machine = estimate->machine;
    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
        tacho_dtype to = estimate->compute != TACHO_DTYPE_NONE
                             ? estimate->compute
                             : tacho_machine_legalise(machine, reals[i]);
        uint32_t fidelity = estimate->fidelity > 0 ? estimate->fidelity
                                                   : tacho_machine_fidelity_default(machine, to);
        if (to == reals[i] || !has_dtype(estimate->fusion->graph, reals[i])) {
            continue;
        }
        bool has_fidelity = fidelity > 0 && fidelity <= machine->fidelity_count;
        TACHO_TRY(tacho_table_add_property(
            table, "numbers", "%s of the model as %s%s%s", tacho_dtype_name(reals[i]),
            tacho_dtype_name(to), has_fidelity ? ", products at " : "",
            has_fidelity ? machine->fidelities[fidelity - 1].name.data : ""));
    }
    return TACHO_OK;
}

/* Adds the first product whose type the machine lacks, with the type used instead. */
static tacho_status add_stand_in(const tacho_estimate *estimate, tacho_table *table)
{
    for (size_t i = 0; i < estimate->fusion->op_count; i++) {
        tacho_dtype as = tacho_estimate_stand_in(estimate, i);
        if (as != TACHO_DTYPE_NONE) {
            return tacho_table_add_property(
                table, "types", "no rate for products of %s: costed as %s",
                tacho_dtype_name(estimate->ops[i].cost.compute), tacho_dtype_name(as));
        }
    }
    return TACHO_OK;
}

static tacho_status make_summary(const tacho_estimate *estimate, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(PROPERTY, "What", TEXT),
        TACHO_COLUMN(VALUE, "Value", TEXT),
    };
    char bytes[48];
    char peak[48];
    char rate[48];
    double hz = tacho_machine_view_hz(estimate->machine);
    double ms = (double)estimate->cycles * 1e3 / hz;
    tacho_table_init(out_table, "summary", "Estimate", columns, 2);
    TACHO_TRY(add_graph_properties(estimate, out_table));
    TACHO_TRY(tacho_table_add_property(out_table, "machine", "%.*s (%.*s) at %.6g MHz",
                                       TACHO_STR_ARG(estimate->machine->name),
                                       TACHO_STR_ARG(estimate->machine->title), hz / 1e6));
    if (tacho_machine_is_gpu(estimate->machine)) {
        TACHO_TRY(tacho_table_add_property(out_table, "kernels", "%s; float32 products %s TF32",
                                           estimate->is_eager ? "launched one by one by the host"
                                                              : "replayed without gaps",
                                           estimate->is_tf32 ? "in" : "without"));
    }
    TACHO_TRY(add_numbers(estimate, out_table));
    TACHO_TRY(add_stand_in(estimate, out_table));
    TACHO_TRY(tacho_table_add_property(
        out_table, "memory", "%s through shared memory, at most %s in a core's local memory",
        with_unit((double)estimate->ddr_bytes, "B", bytes),
        with_unit((double)estimate->local_peak_bytes, "B", peak)));
    TACHO_TRY(tacho_table_add_property(out_table, "total", "%" PRId64 " cycles = %.6g ms",
                                       estimate->cycles, ms));
    TACHO_TRY(tacho_table_add_property(out_table, "rate", "%s, engines at %.1f %% of their peak",
                                       with_unit(inferences_per_second(estimate), "inf/s", rate),
                                       share(estimate->ideal_cycles, estimate->cycles)));
    if (estimate->unknown_count > 0) {
        TACHO_TRY(tacho_table_add_property(
            out_table, "unknown", "%zu operator%s; the estimate is a lower bound",
            estimate->unknown_count, estimate->unknown_count == 1 ? "" : "s"));
    }
    return TACHO_OK;
}

static tacho_status make_bounds(const tacho_estimate *estimate, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(BOUND, "Bound by", TEXT), TACHO_COLUMN(OPERATORS, "Operators", INT),
        TACHO_COLUMN(CYCLES, "Cycles", INT),   TACHO_COLUMN(SHARE_PERCENT, "Share", PERCENT),
        TACHO_COLUMN(BAR, "", PICTURE),
    };
    tacho_table_init(out_table, "bounds", "Limited by", columns, 5);
    for (size_t bound = TACHO_BOUND_COMPUTE; bound < TACHO_BOUND_COUNT; bound++) {
        if (estimate->bound_ops[bound] == 0) {
            continue;
        }
        double part = share(estimate->bound_cycles[bound], estimate->cycles);
        char bar[BAR_WIDTH + 1];
        size_t width = (size_t)tacho_whole_u64(part * BAR_WIDTH / 100 + 0.5);
        memset(bar, '#', width);
        memset(bar + width, '.', BAR_WIDTH - width);
        TACHO_TRY(tacho_table_add_text(
            out_table, tacho_str_from_cstring(tacho_bound_name((tacho_bound)bound))));
        TACHO_TRY(tacho_table_add_int(out_table, (int64_t)estimate->bound_ops[bound]));
        TACHO_TRY(tacho_table_add_int(out_table, estimate->bound_cycles[bound]));
        TACHO_TRY(tacho_table_add_real(out_table, part));
        TACHO_TRY(tacho_table_add_text(out_table, tacho_str_make(bar, BAR_WIDTH)));
    }
    return TACHO_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* One row per use of a memory: its contents and bytes, and the memory's size if known. */
static tacho_status make_memory(const tacho_program *program, const tacho_machine *machine,
                                tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(MEMORY, "Memory", TEXT),
        TACHO_COLUMN(WHAT, "What", TEXT),
        TACHO_COLUMN(BYTES, "Bytes", INT),
        TACHO_COLUMN(SIZE_BYTES, "Of", INT),
        TACHO_COLUMN(SHARE_PERCENT, "Share", PERCENT),
    };
    const tacho_program_facts *facts = &program->facts;
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    uint64_t ddr_bytes = (uint64_t)tacho_quantity_whole(&ddr->size_bytes);
    const struct {
        tacho_str memory;
        const char *what;
        uint64_t bytes, size;
    } rows[] = {
        {local->name, "peak of the fullest core", facts->local_peak_bytes, facts->local_bytes},
        {ddr->name, "inputs, outputs and activations", facts->ddr_bytes, ddr_bytes},
        {ddr->name, "constants", facts->constant_bytes, ddr_bytes},
        {ddr->name, "read and written", facts->moved_bytes, 0},
    };
    tacho_table_init(out_table, "memory", "Memory", columns, sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {TACHO_COL_MEMORY, TACHO_COL_WHAT, TACHO_COL_BYTES,
                                           TACHO_COL_SHARE_PERCENT, TACHO_COL_OTHER};
    out_table->kept = kept;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        TACHO_TRY(tacho_table_add_text(out_table, rows[i].memory));
        TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(rows[i].what)));
        TACHO_TRY(tacho_table_add_int(out_table, (int64_t)rows[i].bytes));
        if (rows[i].size == 0) {
            TACHO_TRY(tacho_table_add_absent(out_table));
            TACHO_TRY(tacho_table_add_absent(out_table));
            continue;
        }
        TACHO_TRY(tacho_table_add_int(out_table, (int64_t)rows[i].size));
        TACHO_TRY(
            tacho_table_add_real(out_table, 100.0 * (double)rows[i].bytes / (double)rows[i].size));
    }
    return TACHO_OK;
}

/* ---- all tables ---------------------------------------------------------------------------- */

static tacho_status add_line(tacho_table *table, const char *what, const char *value)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(what)));
    return tacho_table_add_text(table, tacho_str_from_cstring(value));
}

/* Adds how inferences or devices share the work, if there are several. */
static tacho_status add_shares(const tacho_program *program, tacho_table *table)
{
    const tacho_program_facts *facts = &program->facts;
    char text[128];
    if (facts->batch_size > 1) {
        snprintf(text, sizeof(text), "%" PRIu32 " inferences as one; total is of all of them",
                 facts->batch_size);
        TACHO_TRY(add_line(table, "batch", text));
    }
    if (facts->device_count > 1) {
        snprintf(text, sizeof(text),
                 "%" PRIu32 " in turn; inferences do not overlap in total and "
                 "rate",
                 facts->device_count);
        TACHO_TRY(add_line(table, "devices", text));
    }
    return TACHO_OK;
}

static tacho_status hand_operators(const tacho_compiled_subject *self,
                                   const tacho_estimate_table_options *options,
                                   const tacho_table_taker *to)
{
    tacho_table table = {0};
    tacho_status status = make_ops(self->estimate, options, &table);
    return tacho_table_hand_over(to, status, &table);
}

static tacho_status hand_whole(const tacho_compiled_subject *self,
                               const tacho_estimate_table_options *options,
                               const tacho_table_taker *to)
{
    tacho_table table = {0};
    tacho_status status = options->is_for_people ? make_summary(self->estimate, &table)
                                                 : make_totals(self->estimate, &table);
    if (status == TACHO_OK && options->is_for_people) {
        status = add_shares(self->program, &table);
    }
    return tacho_table_hand_over(to, status, &table);
}

static tacho_status hand_bounds(const tacho_compiled_subject *self,
                                const tacho_estimate_table_options *options,
                                const tacho_table_taker *to)
{
    tacho_table table = {0};
    (void)options;
    return tacho_table_hand_over(to, make_bounds(self->estimate, &table), &table);
}

static tacho_status hand_memory(const tacho_compiled_subject *self,
                                const tacho_estimate_table_options *options,
                                const tacho_table_taker *to)
{
    tacho_table table = {0};
    (void)options;
    return tacho_table_hand_over(to, make_memory(self->program, self->machine, &table), &table);
}

typedef tacho_status (*table_hander)(const tacho_compiled_subject *self,
                                     const tacho_estimate_table_options *options,
                                     const tacho_table_taker *to);

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    static const table_hander for_people[] = {hand_whole, hand_memory, hand_bounds, hand_operators};
    static const table_hander for_programs[] = {hand_operators, hand_whole, hand_bounds,
                                                hand_memory};
    const tacho_estimate_table_options *chosen = options;
    for (size_t i = 0; i < sizeof(for_people) / sizeof(for_people[0]); i++) {
        const table_hander hand = chosen->is_for_people ? for_people[i] : for_programs[i];
        TACHO_TRY(hand(subject, chosen, to));
    }
    return TACHO_OK;
}

const tacho_analysis tacho_analysis_estimate = {
    .name = "estimate",
    .question = "what will a compiled network take on its machine, and what bounds it",
    .options = "tacho_estimate_table_options",
    .subject = TACHO_SUBJECT_COMPILED,
    .make = make_tables,
};
