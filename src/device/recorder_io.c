/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports: where queues wait for the host or for another device, and when the doorbells of inputs
 * rang. An engine has a port for each that its jobs bring something from or send something to.
 */
#include "base/grow.h"
#include "device/recorder_parts.h"

/*
 * What a job waits for: false when neither for the host nor for another device. What goes to other
 * devices is no port's: those fetch it themselves.
 */
static bool look_at_job(const tacho_recorder *self, const tacho_job *job, tacho_port_row *out_row)
{
    bool is_link = job->kind == TACHO_JOB_P2P;
    bool is_output = job->kind == TACHO_JOB_STORE;
    if (job->op == TACHO_NONE || (job->kind != TACHO_JOB_LOAD && !is_output && !is_link)) {
        return false;
    }
    const tacho_op_io *io = &self->ios.items[job->op];
    *out_row = (tacho_port_row){
        .engine = job->engine,
        .next = TACHO_NONE,
        .peer = is_link ? job->partner : TACHO_NONE,
        .op = TACHO_NONE,
        .port = (uint16_t)(is_output ? TACHO_PORT_HOST_OUT : TACHO_PORT_HOST_IN),
        .is_output = is_output,
    };
    if (is_link) {
        out_row->port = tacho_stats_p2p_port(job->partner, false);
        out_row->op = tacho_op_ios_source(&self->ios, job->op, job->partner);
    }
    return is_link || (is_output ? io->writes_output : io->reads_input);
}

/* The engine's row for that port, which is added when it is not there. */
static tacho_status ensure_row(tacho_recorder *self, uint32_t *first, tacho_port_row row,
                               uint32_t *out_id)
{
    uint32_t device = self->program->engines[row.engine].device;
    uint32_t at = *first;
    while (at != TACHO_NONE && self->ports[at].port != row.port) {
        at = self->ports[at].next;
    }
    if (at == TACHO_NONE) {
        TACHO_TRY(tacho_grow(&self->ports, &self->port_capacity, self->port_count + 1));
        at = (uint32_t)self->port_count++;
        row.next = *first;
        row.place = self->device_ports[device]++;
        row.doorbell = row.is_output ? TACHO_NONE : self->device_doorbells[device]++;
        self->ports[at] = row;
        *first = at;
    }
    *out_id = at;
    return TACHO_OK;
}

tacho_status tacho_recorder_find_ports(tacho_recorder *recorder)
{
    const tacho_program *program = recorder->program;
    uint32_t *firsts;
    TACHO_RECORDER_ALLOC(recorder, program->facts.device_count, &recorder->device_ports);
    TACHO_RECORDER_ALLOC(recorder, program->facts.device_count, &recorder->device_doorbells);
    if (program->facts.stats.level < TACHO_STATS_LEVEL_PORTS) {
        return TACHO_OK;
    }
    TACHO_RECORDER_ALLOC(recorder, program->job_count, &recorder->job_port);
    TACHO_RECORDER_ALLOC(recorder, program->engine_count, &firsts);
    memset(firsts, 0xff, program->engine_count * sizeof(*firsts));
    for (size_t i = 0; i < program->job_count; i++) {
        tacho_port_row row;
        recorder->job_port[i] = TACHO_NONE;
        if (look_at_job(recorder, &program->jobs[i], &row)) {
            TACHO_TRY(ensure_row(recorder, &firsts[row.engine], row, &recorder->job_port[i]));
        }
    }
    return TACHO_OK;
}

/* ---- an inference -------------------------------------------------------------------------- */

static void fill_row(tacho_recorder *self, const tacho_recording *recording,
                     const tacho_port_row *row)
{
    const tacho_program_engine *engine = &self->program->engines[row->engine];
    tacho_bank *bank = tacho_recorder_bank(self, recording->activation, engine->device);
    bank->ports[row->place] = (tacho_stats_port){
        .core = engine->core,
        .thread = engine->thread,
        .port = row->port,
        .is_output = row->is_output,
        .is_p2p = row->peer != TACHO_NONE,
        .peer = row->peer != TACHO_NONE ? row->peer : 0,
    };
    if (row->is_output) {
        return;
    }
    int64_t ring = row->op != TACHO_NONE ? recording->ops[row->op].end : 0;
    bank->doorbells[row->doorbell] = (tacho_stats_doorbell){
        .core = engine->core,
        .port = row->port,
        .transaction = (uint32_t)recording->inference,
        .ring_u = tacho_recorder_tick(self, recording->start + ring),
    };
}

void tacho_recorder_fill_ports(tacho_recorder *recorder, const tacho_recording *recording)
{
    const tacho_program *program = recorder->program;
    for (size_t i = 0; i < recorder->port_count; i++) {
        fill_row(recorder, recording, &recorder->ports[i]);
    }
    memset(recorder->engine_free, 0, program->engine_count * sizeof(*recorder->engine_free));
    for (size_t i = 0; recorder->port_count > 0 && i < program->job_count; i++) {
        uint32_t engine = program->jobs[i].engine;
        int64_t *free = &recorder->engine_free[engine];
        if (recorder->job_port[i] != TACHO_NONE) {
            const tacho_port_row *row = &recorder->ports[recorder->job_port[i]];
            tacho_bank *bank = tacho_recorder_bank(recorder, recording->activation,
                                                   program->engines[engine].device);
            tacho_stats_port *port = &bank->ports[row->place];
            int64_t start = recording->start + recording->starts[i];
            uint64_t wait = tacho_recorder_tick(recorder, start) -
                            tacho_recorder_tick(recorder, recording->start + *free);
            port->wait_count++;
            port->wait_u += wait;
            port->longest_u = wait > port->longest_u ? wait : port->longest_u;
        }
        *free = recording->ends[i];
    }
}
