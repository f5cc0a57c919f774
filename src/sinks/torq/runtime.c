/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host starts a block and waits for it, one after another in the order of their action numbers.
 * Numbers without a block are copies between the host's memory and the accelerator's
 * (compile/dump_targets.h), which take the time between two blocks.
 */
#include "sinks/torq/runtime.h"

#include "profile/torq_origin.h"
#include "program/block_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Limit on locations in the name of a block, as in the program's debug information. */
enum { LOCATIONS_MAX = 1024, NS_PER_US = 1000 };

typedef struct torq_writer {
    const tacho_recording *recording;
    const tacho_program *program;
    tacho_run_torq_form form;
    tacho_output *output;
    tacho_block_order order;
    int64_t shift_ns; /* of the inference: it begins at the end of the previous one */
    int64_t first_us; /* R1: of the first row */
    bool has_first;   /* |first_us| is known */
    uint32_t next_invocation;
} torq_writer;

bool tacho_run_torq_form_find(const char *name, tacho_run_torq_form *out_form)
{
    static const char *const names[] = {"r0", "r1", "r2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            *out_form = (tacho_run_torq_form)i;
            return true;
        }
    }
    return false;
}

static tacho_str string_of(const torq_writer *self, uint32_t id)
{
    return tacho_strings_get(&self->program->strings, id);
}

static int64_t to_us(int64_t ns)
{
    return ns / NS_PER_US - (ns % NS_PER_US < 0 ? 1 : 0);
}

/* ---- locations ----------------------------------------------------------------------------- */

/* Writes the text of a location without loc(...) around it, on one line, with |quote| doubled. */
static void write_location(torq_writer *self, tacho_str text, bool is_quoted)
{
    if (tacho_str_starts_with(text, TACHO_STR("loc(")) && text.len > 4) {
        text = tacho_str_make(text.data + 4, text.len - 5);
    }
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        if (byte != '\n' && byte != '\r') {
            tacho_output_write(self->output, &byte, 1);
        }
        if (byte == '"' && is_quoted) {
            tacho_output_write(self->output, &byte, 1);
        }
    }
}

/* |block| is NULL for actions without one. */
static void write_block_location(torq_writer *self, const tacho_block *block, bool is_quoted)
{
    uint32_t count =
        block != NULL ? tacho_block_order_count_ops(&self->order, block, LOCATIONS_MAX) : 0;
    uint32_t at = 0;
    tacho_output_write_cstring(self->output, count == 0  ? "loc(unknown"
                                             : count > 1 ? "loc(fused["
                                                         : "loc(");
    tacho_block_order_begin_ops(&self->order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = tacho_block_order_next_op(&self->order, block, &at);
        tacho_output_write_cstring(self->output, i > 0 ? ", " : "");
        write_location(self, string_of(self, self->program->ops[op].location), is_quoted);
    }
    tacho_output_write_cstring(self->output, count > 1 ? "])" : ")");
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Actions of the host, by their names in both generations. */
typedef enum host_event { HOST_COPY, NSS_START, NSS_WAIT } host_event;

typedef struct action {
    uint32_t id;
    host_event event;
    const tacho_block *block; /* NULL for copies */
    uint32_t dispatch;        /* R2: names the rows */
    uint32_t invocation;
} action;

static const char *event_name(tacho_run_torq_form form, host_event event, bool is_end)
{
    static const char *const r1[][2] = {{"HOST_COPY_START", "HOST_COPY_END"},
                                        {"NSS_START", "NSS_START_END"},
                                        {"NSS_WAIT_START", "NSS_WAIT_END"}};
    static const char *const r2[][2] = {{"HOST_COPY_BEGIN", "HOST_COPY_END"},
                                        {"NSS_START_BEGIN", "NSS_START_END"},
                                        {"NSS_WAIT_BEGIN", "NSS_WAIT_END"}};
    return form == TACHO_RUN_R1 ? r1[event][is_end] : r2[event][is_end];
}

static void write_r1_row(torq_writer *self, const action *what, int64_t us, bool is_end)
{
    self->first_us = self->has_first ? self->first_us : us;
    self->has_first = true;
    tacho_output_printf(self->output, "%" PRIu32 ",%" PRId64 ",%" PRId64 ",%s,\"", what->id,
                        us - self->first_us, us, event_name(self->form, what->event, is_end));
    write_block_location(self, what->block, true);
    tacho_output_write_cstring(self->output, "\"\n");
}

static void write_r2_row(torq_writer *self, uint32_t dispatch, uint32_t invocation, int64_t us,
                         const char *event, int64_t action_id)
{
    tacho_str name = string_of(self, self->program->dispatches[dispatch].name);
    for (size_t i = 0; i < name.len; i++) {
        bool is_plain = name.data[i] > ' ' && name.data[i] != ',' && name.data[i] != '"';
        tacho_output_write(self->output, is_plain ? &name.data[i] : "_", 1);
    }
    tacho_output_printf(self->output, ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%s\n", invocation,
                        action_id, us, event);
}

/* Writes both rows of an action. */
static void write_action(torq_writer *self, const action *what, int64_t start_ns, int64_t end_ns)
{
    int64_t times[2] = {to_us(start_ns), to_us(end_ns)};
    for (int is_end = 0; is_end <= 1; is_end++) {
        if (self->form == TACHO_RUN_R1) {
            write_r1_row(self, what, times[is_end], is_end != 0);
        } else {
            write_r2_row(self, what->dispatch, what->invocation, times[is_end],
                         event_name(self->form, what->event, is_end != 0), what->id);
        }
    }
}

/* Writes the begin or end of a phase of a dispatch. */
static void write_phase(torq_writer *self, const action *of, const char *event, int64_t ns)
{
    if (self->form == TACHO_RUN_R2) {
        write_r2_row(self, of->dispatch, of->invocation, to_us(ns), event, -1);
    }
}

/* ---- actions of the host ------------------------------------------------------------------- */

/* Writes the blocks of one dispatch from |first| on; returns the first block of another. */
static size_t write_dispatch(torq_writer *self, const tacho_device_result *result, size_t first,
                             uint32_t *next_action, int64_t *now_ns)
{
    const tacho_block *blocks = self->program->blocks;
    action what = {.dispatch = blocks[self->order.blocks[first]].dispatch,
                   .invocation = self->next_invocation++};
    size_t i = first;
    write_phase(self, &what, "DISPATCH_BEGIN", *now_ns);
    write_phase(self, &what, "DISPATCH_EXECUTE_ACTIONS_BEGIN", *now_ns);
    for (;
         i < self->program->block_count && blocks[self->order.blocks[i]].dispatch == what.dispatch;
         i++) {
        const tacho_block *block = &blocks[self->order.blocks[i]];
        int64_t span[2] = {0, *now_ns};
        tacho_block_order_span(&self->order, result, i, self->shift_ns, span);
        for (what.event = HOST_COPY, what.block = NULL; *next_action < block->start_action;) {
            what.id = (*next_action)++;
            write_action(self, &what, *now_ns, span[0]);
            *now_ns = span[0];
        }
        what = (action){block->start_action, NSS_START, block, what.dispatch, what.invocation};
        write_action(self, &what, span[0], span[0]);
        what.id = block->wait_action;
        what.event = NSS_WAIT;
        write_action(self, &what, span[0], span[1]);
        *next_action = block->wait_action + 1;
        *now_ns = span[1];
    }
    write_phase(self, &what, "DISPATCH_EXECUTE_ACTIONS_END", *now_ns);
    write_phase(self, &what, "DISPATCH_END", *now_ns);
    return i;
}

static void write_jobs(torq_writer *self, const tacho_device_result *result)
{
    self->shift_ns = -self->recording->open_ns;
    int64_t now_ns = result->start_ns + self->shift_ns;
    for (size_t i = 0; i < self->program->block_count; i++) {
        int64_t span[2] = {0, now_ns};
        tacho_block_order_span(&self->order, result, i, self->shift_ns, span);
        tacho_output_printf(self->output, "%zu;%" PRId64 ";%" PRId64 ";", i, to_us(span[1]),
                            to_us(span[1]) - to_us(span[0]));
        write_block_location(self, &self->program->blocks[self->order.blocks[i]], false);
        tacho_output_write_cstring(self->output, "\n");
        now_ns = span[1];
    }
}

static void write_inference(torq_writer *self, const tacho_device_result *result, int64_t *now_ns)
{
    uint32_t next_action = 0;
    self->shift_ns = *now_ns > result->start_ns ? *now_ns - result->start_ns : 0;
    *now_ns = result->start_ns + self->shift_ns;
    for (size_t i = 0; i < self->program->block_count;) {
        i = write_dispatch(self, result, i, &next_action, now_ns);
    }
}

/* Writes the opening of the device before the first inference, which takes no time here. */
static void write_init(torq_writer *self, int64_t now_ns)
{
    action what = {.dispatch = self->program->blocks[self->order.blocks[0]].dispatch,
                   .invocation = self->next_invocation++};
    write_phase(self, &what, "INIT_BEGIN", now_ns);
    write_phase(self, &what, "INIT_HW_OPEN_BEGIN", now_ns);
    write_phase(self, &what, "INIT_HW_OPEN_END", now_ns);
    write_phase(self, &what, "INIT_END", now_ns);
}

/* ---- files --------------------------------------------------------------------------------- */

/* The number of inferences written, of |sample_count|. */
static size_t count_written(tacho_run_torq_form form, size_t sample_count)
{
    return form == TACHO_RUN_R2 || sample_count == 0 ? sample_count : 1;
}

static void write_all(torq_writer *self)
{
    static const char *const headers[] = {
        "id;time_since_open;time_since_start;location\n",
        "actionIndex, elapsed_time(us), timestamp(us), event, location\n",
        "dispatch_name,invocation_id,action_id,timestamp_us,event\n",
    };
    const tacho_recording *recording = self->recording;
    size_t count = count_written(self->form, recording->sample_count);
    int64_t now_ns = count > 0 ? recording->samples[0].result.start_ns : 0;
    tacho_output_write_cstring(self->output, headers[self->form]);
    if (self->form == TACHO_RUN_R2 && count > 0 && self->program->block_count > 0) {
        write_init(self, now_ns);
    }
    for (size_t i = 0; i < count; i++) {
        if (self->form == TACHO_RUN_R0) {
            write_jobs(self, &recording->samples[i].result);
        } else {
            write_inference(self, &recording->samples[i].result, &now_ns);
        }
    }
}

/*
 * Writes the recorded inferences of |recording|; for R0 and R1, which have a single inference, the
 * first one. Times of the host are those of the device, without overhead.
 */
static tacho_status run_torq_write(const tacho_recording *recording, tacho_run_torq_form form,
                                   tacho_output *output)
{
    torq_writer self = {
        .recording = recording, .program = recording->program, .form = form, .output = output};
    tacho_status status = tacho_block_order_init(&self.order, recording);
    if (status == TACHO_OK) {
        write_all(&self);
    }
    tacho_block_order_deinit(&self.order);
    return status;
}

tacho_status tacho_run_torq_write_file(const tacho_recording *recording, tacho_run_torq_form form,
                                       const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = run_torq_write(recording, form, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    if (status == TACHO_OK && recording->device.is_simulated) {
        status = torq_origin_note_write(path);
    }
    return status;
}
