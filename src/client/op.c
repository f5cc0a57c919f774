/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators as events: the known facts of one become arguments.
 */
#include "client/args.h"

#include <stdio.h>
#include <string.h>

enum { TENSORS_MAX = 32, TENSOR_ROOM = 192, KEY_ROOM = 16, FACTS_MAX = 6 };

/* Texts of tensors live here while the event is written. */
typedef struct tensor_texts {
    tacho_client_arg args[TENSORS_MAX];
    char keys[TENSORS_MAX][KEY_ROOM];
    char texts[TENSORS_MAX][TENSOR_ROOM];
    size_t count;
} tensor_texts;

static void append(char room[TENSOR_ROOM], size_t *len, const char *text)
{
    size_t text_len = strlen(text);
    if (*len + text_len < TENSOR_ROOM) {
        memcpy(room + *len, text, text_len + 1);
        *len += text_len;
    }
}

/* "float32[1x3x224x224] TILE DRAM". */
static void put_tensor(char room[TENSOR_ROOM], const tacho_client_tensor *tensor)
{
    char number[24];
    size_t len = 0;
    room[0] = '\0';
    append(room, &len, tensor->dtype != NULL ? tensor->dtype : "");
    append(room, &len, "[");
    for (size_t i = 0; i < tensor->rank; i++) {
        snprintf(number, sizeof(number), "%s%lld", i > 0 ? "x" : "", (long long)tensor->shape[i]);
        append(room, &len, number);
    }
    append(room, &len, "]");
    const char *const more[] = {tensor->layout, tensor->memory};
    for (size_t i = 0; i < 2; i++) {
        if (more[i] != NULL) {
            append(room, &len, " ");
            append(room, &len, more[i]);
        }
    }
}

static void add_tensors(tensor_texts *to, const char *kind, const tacho_client_tensor *tensors,
                        size_t count)
{
    for (size_t i = 0; i < count && to->count < TENSORS_MAX; i++) {
        size_t at = to->count++;
        snprintf(to->keys[at], KEY_ROOM, "%s_%u", kind, (unsigned)i);
        put_tensor(to->texts[at], &tensors[i]);
        to->args[at] = (tacho_client_arg){
            .key = to->keys[at], .type = TACHO_CLIENT_TEXT, .value = {.as_text = to->texts[at]}};
    }
}

static tacho_client_arg text_arg(const char *key, const char *text)
{
    return (tacho_client_arg){.key = key, .type = TACHO_CLIENT_TEXT, .value = {.as_text = text}};
}

/* Pushes |record| with all that is known about the operator. */
static void push_op(client_thread *thread, tacho_wire_record *record, const tacho_client_op *op,
                    const tensor_texts *tensors)
{
    const tacho_client_arg facts[FACTS_MAX] = {
        text_arg("op_type", op->type),
        text_arg("location", op->location),
        text_arg("attributes", op->attributes),
        {.key = "call", .type = TACHO_CLIENT_UINT, .value = {.as_uint = op->call}},
        {.key = "device", .type = TACHO_CLIENT_UINT, .value = {.as_uint = op->device}},
        {.key = "launch", .type = TACHO_CLIENT_UINT, .value = {.as_uint = op->launch}},
    };
    bool is_device = record->kind == TACHO_WIRE_DEVICE_OP;
    size_t fact_count = is_device ? FACTS_MAX - (op->launch == 0 ? 1 : 0) : FACTS_MAX - 2;
    const client_args lists[] = {{facts, fact_count},
                                 {tensors->args, tensors->count},
                                 {op->args, op->arg_count}};
    tacho_client_push_args(thread, record, lists, sizeof(lists) / sizeof(lists[0]));
}

uint64_t tacho_client_next_call(void)
{
    return atomic_fetch_add_explicit(&tacho_client_process.call_count, 1, memory_order_relaxed) + 1;
}

void tacho_client_report_op(const tacho_client_op *op)
{
    tensor_texts tensors;
    client_thread *thread = tacho_client_enter();
    if (thread == NULL) {
        return;
    }
    tensors.count = 0;
    add_tensors(&tensors, "input", op->inputs, op->input_count);
    add_tensors(&tensors, "output", op->outputs, op->output_count);
    uint32_t code = op->code != NULL ? tacho_client_intern(op->code, strlen(op->code)) : 0;
    if (op->host_end_ns != op->host_start_ns) {
        tacho_wire_record record = {.kind = TACHO_WIRE_OP,
                                    .site = code,
                                    .time = op->host_start_ns,
                                    .value = op->host_end_ns};
        push_op(thread, &record, op, &tensors);
    }
    if (op->device_end_ticks != op->device_start_ticks) {
        tacho_wire_record record = {.kind = TACHO_WIRE_DEVICE_OP,
                                    .flags = (uint8_t)op->engine,
                                    .site = code,
                                    .time = op->device_start_ticks,
                                    .value = op->device_end_ticks,
                                    .more = (uint64_t)op->queue << 32 | op->device};
        push_op(thread, &record, op, &tensors);
    }
    client_leave(thread);
}
