/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inferences as events. A simulated device has a clock of its own that knows nothing of this
 * computer's: each inference is placed where it was submitted, or behind the one before it where
 * that takes longer in simulated time than in real time.
 */
#include "vendors/tenstorrent/run_client.h"

#include "base/grow.h"
#include "base/whole.h"
#include "device/program_machine.h"
#include "vendors/tenstorrent/run_client_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHIP_BITS = 10, METADATA_ROOM = 160 };

typedef struct run_client {
    tacho_run_facts facts;
    run_client_program program;
    tacho_arena arena; /* of the machine */
    bool has_records;  /* of operators */
    tacho_op_timer timer;
    run_client_op op;
    run_client_device *devices;
    uint32_t device_count;
    uint64_t end_host_ns; /* of the last inference on the device's own clock */
} run_client;

/* ---- opening ------------------------------------------------------------------------------- */

static void choose_fidelity(run_client_program *program)
{
    const tacho_machine *machine = program->machine;
    uint32_t fidelity = program->program->facts.fidelity;
    program->passes = 1;
    if (fidelity == 0) {
        fidelity = tacho_machine_fidelity_default(machine, TACHO_DTYPE_NONE);
    }
    if (fidelity > 0 && fidelity <= machine->fidelity_count) {
        const tacho_fidelity *chosen = &machine->fidelities[fidelity - 1];
        program->fidelity = chosen->name.data;
        program->passes = (double)tacho_quantity_whole(&chosen->passes);
    }
}

static tacho_status open_machine(run_client *self)
{
    run_client_program *program = &self->program;
    tacho_machine *machine = NULL;
    TACHO_TRY(tacho_program_machine(self->facts.program, &self->arena, &machine));
    uint64_t clock_hz = self->facts.program->facts.core_clock_hz;
    *program = (run_client_program){
        .program = self->facts.program,
        .machine = machine,
        .is_tenstorrent = self->facts.is_simulated && machine->peak_count > 0,
        .is_simulated = self->facts.is_simulated,
        .ns_per_cycle = clock_hz > 0 ? 1e9 / (double)clock_hz : 1,
    };
    choose_fidelity(program);
    return TACHO_OK;
}

/* A simulated device times what the program records, and nothing else. */
static void warn_unrecorded(const run_client *self)
{
    uint32_t level = self->facts.program->facts.stats.level;
    tacho_note(self->facts.notes, "warning",
               "%s: no operators are reported: the program was compiled with stats level %" PRIu32
               ", at least %d is needed",
               self->facts.path, level, TACHO_STATS_LEVEL_OPS);
}

static tacho_status open_all(run_client *self)
{
    const tacho_program *program = self->facts.program;
    self->device_count = program->facts.device_count;
    TACHO_TRY(tacho_items_make(&self->devices, self->device_count));
    TACHO_TRY(open_machine(self));
    self->has_records = program->facts.stats.level >= TACHO_STATS_LEVEL_OPS;
    if (self->has_records) {
        TACHO_TRY(tacho_op_timer_init(&self->timer, program));
    } else if (self->facts.is_simulated) {
        warn_unrecorded(self);
    }
    for (uint32_t i = 0; i < self->device_count; i++) {
        tacho_client_describe_device(i, self->facts.device, self->facts.is_simulated);
    }
    return TACHO_OK;
}

static void close_client(void *self)
{
    run_client *client = self;
    if (client->has_records) {
        tacho_op_timer_deinit(&client->timer);
    }
    run_client_op_deinit(&client->op);
    tacho_arena_deinit(&client->arena);
    free(client->devices);
    free(client);
}

static tacho_status open_client(const tacho_run_facts *facts, void **out_self)
{
    *out_self = NULL;
    if (tacho_client_stats_level() < TACHO_STATS_LEVEL_OPS) {
        return TACHO_OK;
    }
    run_client *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->facts = *facts;
    tacho_arena_init(&self->arena);
    run_client_op_init(&self->op, &self->program);
    tacho_status status = open_all(self);
    if (status != TACHO_OK) {
        close_client(self);
        return status;
    }
    *out_self = self;
    return TACHO_OK;
}

/* ---- reporting ----------------------------------------------------------------------------- */

/* What the program was, as JSON; names are left to the location and the attributes. */
static tacho_status add_metadata(run_client *self, const tacho_run_sample *sample,
                                 uint32_t activation)
{
    char text[METADATA_ROOM];
    snprintf(text, sizeof(text),
             "{\"origin\": \"%s\", \"machine\": \"%.60s\", \"inference\": %" PRIu64
             ", \"activation\": %" PRIu32 "}",
             self->facts.is_simulated ? "simulated" : "measured", self->program.machine->name.data,
             sample->inference, activation);
    TACHO_TRY(run_client_op_add_text(&self->op, "CONST_EVAL_OP", "false"));
    return run_client_op_add_text(&self->op, "PROGRAM_METADATA", text);
}

/* When this computer computed the values of |op|. */
static void set_host_times(tacho_client_op *op, const tacho_device_result *result, uint32_t index)
{
    if (result->host_op_ns != NULL) {
        op->host_start_ns = (uint64_t)result->host_op_ns[index];
        op->host_end_ns = (uint64_t)result->host_op_ns[index + 1];
    }
}

/* The host's part says what the operator is, the device's all that is known. */
static void push_host_part(const tacho_client_op *op)
{
    tacho_client_op host = *op;
    host.device_start_ticks = host.device_end_ticks = 0;
    host.arg_count = 0;
    tacho_client_report_op(&host);
}

static void push_device_part(const tacho_client_op *op)
{
    tacho_client_op device = *op;
    device.host_start_ns = device.host_end_ns = 0;
    tacho_client_report_op(&device);
}

static tacho_status report_op(run_client *self, const tacho_run_sample *sample,
                              const tacho_op_times *times, uint32_t activation)
{
    run_client_op *op = &self->op;
    TACHO_TRY(run_client_op_begin(op, times->op, times->device));
    TACHO_TRY(run_client_op_add_times(op, times, &self->devices[times->device]));
    TACHO_TRY(add_metadata(self, sample, activation));
    op->op.call = (tacho_client_next_call() << CHIP_BITS) | times->device;
    if (activation == 0) {
        set_host_times(&op->op, &sample->result, times->op);
    }
    push_host_part(&op->op);
    push_device_part(&op->op);
    return TACHO_OK;
}

/* Places the inference's cycles in this computer's time. */
static void place(run_client *self, const tacho_run_sample *sample, uint32_t device)
{
    const tacho_op_timer *timer = &self->timer;
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (size_t i = 0; i < timer->time_count; i++) {
        first = timer->times[i].all.first < first ? timer->times[i].all.first : first;
        last = timer->times[i].all.last > last ? timer->times[i].all.last : last;
    }
    uint64_t host_ns = (uint64_t)sample->host.submit_ns;
    host_ns = host_ns < self->end_host_ns ? self->end_host_ns : host_ns;
    uint64_t now_ns = tacho_client_now();
    tacho_client_clock_pair(device, host_ns < now_ns ? host_ns : now_ns, first,
                            self->facts.program->facts.core_clock_hz);
    uint64_t end_ns =
        host_ns + tacho_whole_u64((double)(last - first) * self->program.ns_per_cycle) + 1;
    self->end_host_ns = device + 1 == self->device_count ? end_ns : self->end_host_ns;
}

static tacho_status report_buffer(run_client *self, const tacho_run_sample *sample,
                                  const tacho_stats_buffer *buffer)
{
    uint32_t device = buffer->head.device;
    if (device >= self->device_count) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_op_timer_take(&self->timer, buffer));
    if (self->timer.time_count > 0) {
        place(self, sample, device);
    }
    for (size_t i = 0; i < self->timer.time_count; i++) {
        TACHO_TRY(report_op(self, sample, &self->timer.times[i], buffer->head.activation));
    }
    return TACHO_OK;
}

/* Operators of a device that is this computer: real times, and nothing else. */
static tacho_status report_host_ops(run_client *self, const tacho_run_sample *sample)
{
    for (uint32_t i = 0; i < self->facts.program->op_count; i++) {
        run_client_op *op = &self->op;
        TACHO_TRY(run_client_op_begin(op, i, 0));
        TACHO_TRY(add_metadata(self, sample, 0));
        op->op.call = tacho_client_next_call() << CHIP_BITS;
        set_host_times(&op->op, &sample->result, i);
        tacho_client_report_op(&op->op);
    }
    return TACHO_OK;
}

static tacho_status report_sample(void *self, const tacho_run_sample *sample)
{
    run_client *client = self;
    if (!client->facts.is_simulated) {
        return sample->result.host_op_ns != NULL ? report_host_ops(client, sample) : TACHO_OK;
    }
    for (size_t i = 0; i < sample->result.stats_count && client->has_records; i++) {
        TACHO_TRY(report_buffer(client, sample, &sample->result.stats[i]));
    }
    return TACHO_OK;
}

const tacho_run_observer tacho_run_client = {open_client, report_sample, close_client};
