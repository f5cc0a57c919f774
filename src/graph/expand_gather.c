/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of quantised tables, of which only those that are asked for become numbers; and operators of
 * ONNX Runtime's domain that the standard has under the same or another name.
 */
#include "graph/expand.h"

#include <inttypes.h>

/* A table with 4 or 8 bits for each number. */
typedef struct nbit_table {
    int64_t gather_axis, block_axis, block;
    bool is_packed;    /* two numbers in a byte, along the last axis */
    tacho_dtype dtype; /* that numbers have once they are bytes */
    double zero;       /* where no zero points are given */
} nbit_table;

static bool read_axis(tacho_expander *self, const char *name, int64_t fallback, int64_t *out)
{
    int32_t rank = tacho_expand_shape(self, 0)->rank;
    *out = tacho_expand_int(self, name, fallback);
    *out += *out < 0 ? rank : 0;
    if (*out < 0 || *out >= rank) {
        tacho_expand_fail(self, "%s is %" PRId64 ", but the table has %" PRId32 " axes", name, *out,
                          rank);
    }
    return self->status == TACHO_OK;
}

static bool read_table(tacho_expander *self, nbit_table *out)
{
    *out = (nbit_table){.block = tacho_expand_int(self, "block_size", 128)};
    if (!tacho_expand_need(self, 0, 1, TACHO_RANK_MAX - 2) ||
        !tacho_expand_need(self, 1, 0, TACHO_RANK_MAX - 2) ||
        !tacho_expand_need(self, 2, 1, TACHO_RANK_MAX - 2) ||
        !read_axis(self, "gather_axis", 0, &out->gather_axis) ||
        !read_axis(self, "quantize_axis", 1, &out->block_axis)) {
        return false;
    }
    tacho_dtype dtype = tacho_expand_dtype(self, 0);
    int64_t bits = dtype == TACHO_DTYPE_U8 ? tacho_expand_int(self, "bits", 4) : 4;
    bool is_whole = dtype == TACHO_DTYPE_U8;
    int32_t last = tacho_expand_shape(self, 0)->rank - 1;
    out->is_packed = bits == 4;
    out->dtype = dtype == TACHO_DTYPE_I4 ? TACHO_DTYPE_I8 : TACHO_DTYPE_U8;
    out->zero = !is_whole ? 0 : bits == 4 ? 8 : 128;
    self->is_declined = self->is_declined || (bits != 4 && bits != 8) ||
                        (!is_whole && dtype != TACHO_DTYPE_U4 && dtype != TACHO_DTYPE_I4) ||
                        (out->is_packed && out->gather_axis == last) || out->block < 1;
    return !self->is_declined;
}

/* The bytes of a constant that has two numbers in each. */
static uint32_t as_bytes(tacho_expander *self, size_t input)
{
    uint32_t tensor = tacho_expand_input(self, input);
    tacho_shape shape = *tacho_expand_shape(self, input);
    int64_t *last = &shape.dims[shape.rank - 1];
    if (tacho_expand_dtype(self, input) == TACHO_DTYPE_U8) {
        return tensor;
    }
    self->is_declined = self->is_declined || *last % 2 != 0; /* rows that share a byte */
    *last /= 2;
    return tacho_expand_reread(self, tensor, TACHO_DTYPE_U8, &shape);
}

static uint32_t gather(tacho_expander *self, const nbit_table *table, uint32_t from)
{
    tacho_expand_set_int(self, "axis", table->gather_axis);
    return TACHO_EXPAND_OP(self, "Gather", from, tacho_expand_input(self, 1));
}

static uint32_t add_axis(tacho_expander *self, uint32_t tensor)
{
    return TACHO_EXPAND_OP(self, "Unsqueeze", tensor, TACHO_EXPAND_INTS(self, -1));
}

/* Both numbers of each byte, one after the other along the last axis; |shape| is the result's. */
static uint32_t unpack(tacho_expander *self, const nbit_table *table, uint32_t bytes,
                       const tacho_shape *shape)
{
    tacho_dtype byte = TACHO_DTYPE_U8;
    uint32_t low =
        TACHO_EXPAND_OP(self, "BitwiseAnd", bytes, tacho_expand_int_number(self, byte, 15));
    tacho_expand_set_text(self, "direction", "RIGHT");
    uint32_t high =
        TACHO_EXPAND_OP(self, "BitShift", bytes, tacho_expand_int_number(self, byte, 4));
    uint32_t both = tacho_expand_concat(self, add_axis(self, low), add_axis(self, high), -1);
    both = tacho_expand_reshape(self, both, shape->dims, (size_t)shape->rank);
    if (table->dtype == TACHO_DTYPE_U8) {
        return both;
    }
    tacho_dtype kept = table->dtype; /* bit 3 is the sign */
    both = TACHO_EXPAND_OP(self, "BitwiseXor", tacho_expand_cast(self, both, kept),
                           tacho_expand_int_number(self, kept, 8));
    return TACHO_EXPAND_OP(self, "Sub", both, tacho_expand_int_number(self, kept, 8));
}

/* The shape of what is gathered from a tensor like input |i|. */
static tacho_shape gathered_shape(tacho_expander *self, const nbit_table *table, size_t i)
{
    const tacho_shape *from = tacho_expand_shape(self, i), *indices = tacho_expand_shape(self, 1);
    tacho_shape made = {.rank = 0};
    for (int32_t dim = 0; dim < from->rank; dim++) {
        if (dim != table->gather_axis) {
            made.dims[made.rank++] = from->dims[dim];
            continue;
        }
        for (int32_t k = 0; k < indices->rank && made.rank < TACHO_RANK_MAX - 1; k++) {
            made.dims[made.rank++] = indices->dims[k];
        }
    }
    return made;
}

static uint32_t add_numbers(tacho_expander *self, const nbit_table *table)
{
    uint32_t bytes =
        gather(self, table, table->is_packed ? as_bytes(self, 0) : tacho_expand_input(self, 0));
    tacho_shape shape = gathered_shape(self, table, 0);
    if (!table->is_packed) {
        return bytes;
    }
    shape.dims[shape.rank - 1] *= tacho_expand_dtype(self, 0) == TACHO_DTYPE_U8 ? 2 : 1;
    return unpack(self, table, bytes, &shape);
}

/* Zero points of the blocks that are gathered. */
static uint32_t add_zeros(tacho_expander *self, const nbit_table *table)
{
    tacho_shape shape = gathered_shape(self, table, 2);
    if (!tacho_expand_has(self, 3)) {
        return tacho_expand_splat(self, table->dtype, &shape, table->zero);
    }
    tacho_expand_need(self, 3, 1, TACHO_RANK_MAX - 2);
    uint32_t zeros = tacho_expand_input(self, 3);
    if (!table->is_packed || tacho_expand_dtype(self, 3) != TACHO_DTYPE_U8) {
        return gather(self, table, tacho_expand_cast(self, zeros, table->dtype));
    }
    int64_t blocks = shape.dims[shape.rank - 1]; /* an odd number leaves half a byte unused */
    shape.dims[shape.rank - 1] = (blocks + 1) / 2 * 2;
    zeros = unpack(self, table, gather(self, table, zeros), &shape);
    return blocks % 2 == 0 ? zeros : tacho_expand_slice(self, zeros, shape.rank - 1, 0, blocks);
}

/* Table, indices, scales and zero points of its blocks. */
void tacho_expand_gather_block_quantised(tacho_expander *self)
{
    nbit_table table;
    if (!read_table(self, &table)) {
        return;
    }
    if (table.gather_axis == table.block_axis) {
        tacho_expand_fail(self, "gather_axis and quantize_axis are both %" PRId64,
                          table.gather_axis);
        return;
    }
    uint32_t numbers = add_numbers(self, &table);
    uint32_t scales = gather(self, &table, tacho_expand_input(self, 2));
    uint32_t zeros = add_zeros(self, &table);
    bool is_behind = table.block_axis > table.gather_axis;
    int64_t more = is_behind ? tacho_expand_shape(self, 1)->rank - 1 : 0;
    tacho_expand_set_int(self, "axis", table.block_axis + more);
    tacho_expand_set_int(self, "block_size", table.block);
    tacho_expand_return(self, 0, TACHO_EXPAND_OP(self, "DequantizeLinear", numbers, scales, zeros));
}

/* ---- under another name -------------------------------------------------------------------- */

/* The standard's operator of the same name, inputs and attributes. */
void tacho_expand_trilu(tacho_expander *self)
{
    static const char *const none[] = {NULL};
    tacho_expand_copy_attrs(self, none);
    tacho_expand_return(
        self, 0,
        TACHO_EXPAND_OP(self, "Trilu", tacho_expand_input(self, 0), tacho_expand_input(self, 1)));
}

/* A MaxPool with channels last. */
void tacho_expand_nhwc_max_pool(tacho_expander *self)
{
    static const char *const none[] = {NULL};
    int64_t to_front[TACHO_RANK_MAX], to_back[TACHO_RANK_MAX];
    if (!tacho_expand_need(self, 0, 3, TACHO_RANK_MAX)) {
        return;
    }
    int32_t rank = tacho_expand_shape(self, 0)->rank;
    for (int32_t i = 0; i < rank; i++) {
        to_front[i] = i == 0 ? 0 : i == 1 ? rank - 1 : i - 1;
        to_back[i] = i == 0 ? 0 : i + 1 < rank ? i + 1 : 1;
    }
    uint32_t x = tacho_expand_transpose(self, tacho_expand_input(self, 0), to_front, (size_t)rank);
    tacho_expand_copy_attrs(self, none);
    x = TACHO_EXPAND_OP(self, "MaxPool", x);
    tacho_expand_return(self, 0, tacho_expand_transpose(self, x, to_back, (size_t)rank));
}
