/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading AICNetworkDesc. The depth of nesting is the schema's, so each message has a function of
 * its own; fields that are not known are skipped.
 */
#include "program/networkdesc.h"

#include "base/grow.h"
#include "codec/protobuf.h"
#include "program/networkdesc_fields.h"

#include <inttypes.h>
#include <stdlib.h>

const char *tacho_networkdesc_type_name(uint64_t number)
{
    switch (number) {
#define TYPE_NAME(value, name, dtype)                                                              \
    case value:                                                                                    \
        return name;
        TACHO_NETWORKDESC_TYPES(TYPE_NAME)
#undef TYPE_NAME
    default:
        return NULL;
    }
}

void tacho_networkdesc_deinit(tacho_networkdesc *desc)
{
#define FREE_LIST(name, type) free(desc->name##s);
    TACHO_NETWORKDESC_LISTS(FREE_LIST)
#undef FREE_LIST
    *desc = (tacho_networkdesc){0};
}

/* Reads one field of a message into |self|, within a description. */
typedef tacho_status (*field_reader)(tacho_networkdesc *desc, void *self,
                                     const tacho_pb_field *field);

static tacho_status read_message(tacho_networkdesc *desc, tacho_str message, field_reader read,
                                 void *self)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    for (;;) {
        tacho_pb_field field;
        bool got = false;
        TACHO_TRY(tacho_pb_next(&reader, &field, &got));
        if (!got) {
            return TACHO_OK;
        }
        TACHO_TRY(read(desc, self, &field));
    }
}

static tacho_status expect_wire(const tacho_pb_field *field, tacho_pb_wire wire,
                                const char *message)
{
    return field->wire == wire ? TACHO_OK
                               : tacho_fail(TACHO_CODE_BAD_DATA,
                                            "network description, %s, field %" PRIu32
                                            ": expected wire type %d, found %d",
                                            message, field->number, (int)wire, (int)field->wire);
}

static tacho_status take_uint(const tacho_pb_field *field, const char *message, uint64_t *out)
{
    TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_VARINT, message));
    *out = field->value;
    return TACHO_OK;
}

static tacho_status take_int(const tacho_pb_field *field, const char *message, int32_t *out)
{
    TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_VARINT, message));
    *out = (int32_t)(uint32_t)field->value;
    return TACHO_OK;
}

static tacho_status take_bool(const tacho_pb_field *field, const char *message, bool *out)
{
    TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_VARINT, message));
    *out = field->value != 0;
    return TACHO_OK;
}

static tacho_status take_text(const tacho_pb_field *field, const char *message, tacho_str *out)
{
    TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_BYTES, message));
    *out = field->bytes;
    return TACHO_OK;
}

static tacho_status take_message(tacho_networkdesc *desc, const tacho_pb_field *field,
                                 const char *message, field_reader read, void *self)
{
    TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_BYTES, message));
    return read_message(desc, field->bytes, read, self);
}

/* Small messages take more room here than in the file, so their number has a limit. */
static tacho_status check_room(const char *what, size_t count, size_t limit)
{
    return count < limit ? TACHO_OK
                         : tacho_fail(TACHO_CODE_LIMIT,
                                      "network description, %s: expected at most %zu, found more",
                                      what, limit);
}

/* Where the numbers of a repeated field go. */
typedef tacho_status (*number_taker)(void *self, uint64_t value);

/* One number, or many in a row: both forms are allowed for any list. */
static tacho_status take_numbers(const tacho_pb_field *field, const char *message,
                                 number_taker take, void *self)
{
    if (field->wire == TACHO_PB_WIRE_VARINT) {
        return take(self, field->value);
    }
    TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_BYTES, message));
    const unsigned char *at = (const unsigned char *)field->bytes.data;
    const unsigned char *end = at + field->bytes.len;
    while (at < end) {
        uint64_t value = 0;
        unsigned shift = 0;
        for (; at < end && *at >= 0x80 && shift < 63; at++, shift += 7) {
            value |= (uint64_t)(*at & 0x7f) << shift;
        }
        if (at == end || *at >= 0x80 || (shift == 63 && *at > 1)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "network description, %s, field %" PRIu32
                              ": expected whole varints, found one cut or too long",
                              message, field->number);
        }
        TACHO_TRY(take(self, value | (uint64_t)*at++ << shift));
    }
    return TACHO_OK;
}

static tacho_status add_dim(void *self, uint64_t value)
{
    tacho_networkdesc_binding *binding = self;
    TACHO_TRY(check_room("dims", binding->dim_count, TACHO_NETWORKDESC_DIMS_MAX));
    binding->dims[binding->dim_count++] = (int32_t)(uint32_t)value;
    return TACHO_OK;
}

static tacho_status read_descriptor(tacho_networkdesc *desc, void *self,
                                    const tacho_pb_field *field)
{
    (void)desc;
    static const char message[] = "IODescriptor";
    tacho_networkdesc_binding *binding = self;
    uint32_t bits = 0;
    switch (field->number) {
    case DESCRIPTOR_TYPE:
        return take_uint(field, message, &binding->type);
    case DESCRIPTOR_SCALE:
        TACHO_TRY(expect_wire(field, TACHO_PB_WIRE_FIXED32, message));
        bits = (uint32_t)field->value;
        memcpy(&binding->scale, &bits, sizeof(bits));
        return TACHO_OK;
    case DESCRIPTOR_ZERO:
        return take_int(field, message, &binding->zero);
    case DESCRIPTOR_DIMS:
        return take_numbers(field, message, add_dim, binding);
    case DESCRIPTOR_LAYOUT:
        return take_uint(field, message, &binding->layout);
    default:
        return TACHO_OK;
    }
}

static tacho_status read_binding(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    tacho_networkdesc_binding *binding = self;
    switch (field->number) {
    case BINDING_NAME:
        return take_text(field, "IOBinding", &binding->name);
    case BINDING_INITIAL:
        return take_message(desc, field, "IOBinding", read_descriptor, binding);
    default:
        return TACHO_OK;
    }
}

static tacho_status read_dma(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    (void)desc;
    tacho_networkdesc_dma *dma = self;
    switch (field->number) {
    case DMA_SIZE:
        return take_uint(field, "DMABuffer", &dma->bytes);
    case DMA_DIRECTION:
        return take_bool(field, "DMABuffer", &dma->is_out);
    default:
        return TACHO_OK;
    }
}

static tacho_status read_op(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    (void)desc;
    static const char message[] = "OpNameKind";
    tacho_networkdesc_op *op = self;
    switch (field->number) {
    case OP_NAME:
        return take_text(field, message, &op->name);
    case OP_KIND:
        return take_text(field, message, &op->kind);
    case OP_TYPE:
        return take_text(field, message, &op->type);
    case OP_MEMORY:
        return take_text(field, message, &op->memory);
    case OP_SHAPE:
        return take_text(field, message, &op->shape);
    case OP_OUTPUT_BYTES:
        return take_uint(field, message, &op->output_bytes);
    default:
        return TACHO_OK;
    }
}

/* Where in the nest of ops the reader is. */
typedef struct nest {
    uint32_t core, group;
} nest;

static tacho_status read_group(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    const nest *where = self;
    if (field->number != GROUP_OPS) {
        return TACHO_OK;
    }
    TACHO_TRY(check_room("ops", desc->op_count, TACHO_NETWORKDESC_OPS_MAX));
    TACHO_TRY(tacho_grow(&desc->ops, &desc->op_capacity, desc->op_count + 1));
    tacho_networkdesc_op *op = &desc->ops[desc->op_count++];
    *op = (tacho_networkdesc_op){.core = where->core, .group = where->group};
    return take_message(desc, field, "ThreadGroupOpNameKinds", read_op, op);
}

static tacho_status read_core(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    nest *where = self;
    if (field->number != CORE_GROUPS) {
        return TACHO_OK;
    }
    TACHO_TRY(take_message(desc, field, "CoreOpNameKinds", read_group, where));
    where->group++;
    return TACHO_OK;
}

static tacho_status add_event(void *self, uint64_t value)
{
    tacho_networkdesc *desc = self;
    TACHO_TRY(tacho_grow(&desc->pmu_events, &desc->pmu_event_capacity, desc->pmu_event_count + 1));
    desc->pmu_events[desc->pmu_event_count++] = value;
    return TACHO_OK;
}

static tacho_status add_core_op_count(void *self, uint64_t value)
{
    tacho_networkdesc *desc = self;
    TACHO_TRY(tacho_grow(&desc->core_op_counts, &desc->core_op_count_capacity,
                         desc->core_op_count_count + 1));
    desc->core_op_counts[desc->core_op_count_count++] = value;
    return TACHO_OK;
}

static tacho_status add_group_size(void *self, uint64_t value)
{
    tacho_networkdesc *desc = self;
    TACHO_TRY(
        tacho_grow(&desc->group_sizes, &desc->group_size_capacity, desc->group_size_count + 1));
    desc->group_sizes[desc->group_size_count++] = value;
    return TACHO_OK;
}

static tacho_status read_stats_core(tacho_networkdesc *desc, const tacho_pb_field *field)
{
    nest where = {.core = desc->listed_core_count};
    desc->listed_core_count++;
    return take_message(desc, field, "Stats", read_core, &where);
}

static tacho_status read_stats(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    static const char message[] = "Stats";
    tacho_networkdesc_stats *stats = self;
    switch (field->number) {
    case STATS_BUFFER:
        return take_uint(field, message, &stats->buffer);
    case STATS_LEVEL:
        return take_int(field, message, &stats->level);
    case STATS_PRINTS_OPS:
        return take_bool(field, message, &stats->prints_ops);
    case STATS_OP_LEVEL:
        return take_int(field, message, &stats->op_level);
    case STATS_BATCH:
        return take_int(field, message, &stats->batch_size);
    case STATS_COUNTS_DDR:
        return take_bool(field, message, &stats->counts_ddr);
    case STATS_TIMER_KHZ:
        return take_int(field, message, &stats->timer_khz);
    case STATS_PMU_EVENTS:
        return take_numbers(field, message, add_event, desc);
    case STATS_CORE_OP_COUNTS:
        return take_numbers(field, message, add_core_op_count, desc);
    case STATS_CORES:
        return read_stats_core(desc, field);
    case STATS_PMU_LEVEL:
        return take_int(field, message, &stats->pmu_level);
    default:
        return TACHO_OK;
    }
}

static tacho_status add_input(tacho_networkdesc *desc, const tacho_pb_field *field)
{
    TACHO_TRY(check_room("inputs", desc->input_count, TACHO_NETWORKDESC_BINDINGS_MAX));
    TACHO_TRY(tacho_grow(&desc->inputs, &desc->input_capacity, desc->input_count + 1));
    tacho_networkdesc_binding *input = &desc->inputs[desc->input_count++];
    *input = (tacho_networkdesc_binding){0};
    return take_message(desc, field, "networkDescriptor", read_binding, input);
}

static tacho_status add_output(tacho_networkdesc *desc, const tacho_pb_field *field)
{
    TACHO_TRY(check_room("outputs", desc->output_count, TACHO_NETWORKDESC_BINDINGS_MAX));
    TACHO_TRY(tacho_grow(&desc->outputs, &desc->output_capacity, desc->output_count + 1));
    tacho_networkdesc_binding *output = &desc->outputs[desc->output_count++];
    *output = (tacho_networkdesc_binding){0};
    return take_message(desc, field, "networkDescriptor", read_binding, output);
}

static tacho_status add_dma(tacho_networkdesc *desc, const tacho_pb_field *field)
{
    TACHO_TRY(tacho_grow(&desc->dmas, &desc->dma_capacity, desc->dma_count + 1));
    tacho_networkdesc_dma *dma = &desc->dmas[desc->dma_count++];
    *dma = (tacho_networkdesc_dma){0};
    return take_message(desc, field, "networkDescriptor", read_dma, dma);
}

static tacho_status add_group_name(tacho_networkdesc *desc, const tacho_pb_field *field)
{
    TACHO_TRY(
        tacho_grow(&desc->group_names, &desc->group_name_capacity, desc->group_name_count + 1));
    return take_text(field, "networkDescriptor", &desc->group_names[desc->group_name_count++]);
}

static tacho_status read_lists(tacho_networkdesc *desc, const tacho_pb_field *field)
{
    switch (field->number) {
    case NETWORK_INPUTS:
        return add_input(desc, field);
    case NETWORK_OUTPUTS:
        return add_output(desc, field);
    case NETWORK_DMA_BUFFERS:
        return add_dma(desc, field);
    case NETWORK_GROUP_SIZES:
        return take_numbers(field, "networkDescriptor", add_group_size, desc);
    case NETWORK_GROUP_NAMES:
        return add_group_name(desc, field);
    case NETWORK_STATS:
        desc->has_stats = true;
        return take_message(desc, field, "networkDescriptor", read_stats, &desc->stats);
    default:
        return TACHO_OK;
    }
}

static tacho_status read_network(tacho_networkdesc *desc, void *self, const tacho_pb_field *field)
{
    (void)self;
    static const char message[] = "networkDescriptor";
    switch (field->number) {
    case NETWORK_MAJOR:
        return take_uint(field, message, &desc->major);
    case NETWORK_MINOR:
        return take_uint(field, message, &desc->minor);
    case NETWORK_NAME:
        return take_text(field, message, &desc->name);
    case NETWORK_CORES:
        return take_uint(field, message, &desc->core_count);
    case NETWORK_THREADS:
        return take_uint(field, message, &desc->thread_count);
    case NETWORK_VECTOR_THREADS:
        return take_uint(field, message, &desc->vector_thread_count);
    case NETWORK_BATCH:
        return take_int(field, message, &desc->batch_size);
    default:
        return read_lists(desc, field);
    }
}

tacho_status tacho_networkdesc_read(tacho_str bytes, tacho_networkdesc *out_desc)
{
    *out_desc = (tacho_networkdesc){0};
    TACHO_TRY_NOTE(read_message(out_desc, bytes, read_network, NULL),
                   "reading a network description of %zu bytes", bytes.len);
    if (out_desc->major != TACHO_NETWORKDESC_MAJOR) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "network description, version: expected %d, found %" PRIu64 ".%" PRIu64,
                          TACHO_NETWORKDESC_MAJOR, out_desc->major, out_desc->minor);
    }
    return TACHO_OK;
}
