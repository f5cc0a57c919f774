/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports: where threads wait for the host or for another device, and when the doorbells of inputs
 * rang. All threads of a device wait for the host before an inference starts, for its inputs (port
 * 100) and for room for its outputs (101): each has a record of either, also where it did not wait.
 * A queue has a port for each device that its jobs fetch something from.
 */
#include "base/grow.h"
#include "device/recorder_parts.h"

/* ---- the host ------------------------------------------------------------------------------ */

/* Whether ops of a device read inputs of the network, and write outputs. */
static void look_at_host(tacho_recorder *self)
{
    for (size_t i = 0; i < self->program->op_count; i++) {
        const tacho_op_io *io = &self->ios.items[i];
        if (io->device != TACHO_NONE) {
            self->host_ports[io->device].has_input |= io->reads_input;
            self->host_ports[io->device].has_output |= io->writes_output;
        }
    }
}

static uint32_t count_host_ports(const tacho_host_ports *ports)
{
    return (ports->has_input ? 1U : 0U) + (ports->has_output ? 1U : 0U);
}

/* Records of the host's ports are the first of a device. */
static void place_host_ports(tacho_recorder *self)
{
    const tacho_program_facts *facts = &self->program->facts;
    look_at_host(self);
    for (uint32_t i = 0; i < facts->device_count; i++) {
        self->device_ports[i] =
            count_host_ports(&self->host_ports[i]) * facts->core_count * facts->thread_count;
        self->device_doorbells[i] = self->host_ports[i].has_input ? facts->core_count : 0;
    }
}

static tacho_stats_port host_port(const tacho_recorder *self, const tacho_recorder_turn *recording,
                                  bool is_output)
{
    int64_t ready = recording->start - recording->output_wait; /* the inputs have arrived */
    int64_t from = is_output ? ready : ready - recording->input_wait;
    int64_t to = is_output ? recording->start : ready;
    uint64_t wait = tacho_recorder_tick(self, to) - tacho_recorder_tick(self, from);
    return (tacho_stats_port){
        .port = is_output ? TACHO_PORT_HOST_OUT : TACHO_PORT_HOST_IN,
        .is_output = is_output,
        .wait_count = to > from ? 1 : 0,
        .wait_u = wait,
        .longest_u = wait,
    };
}

static void fill_host_ports(tacho_recorder *self, const tacho_recorder_turn *recording,
                            uint32_t device)
{
    const tacho_program_facts *facts = &self->program->facts;
    const tacho_host_ports *has = &self->host_ports[device];
    tacho_bank *bank = tacho_recorder_bank(self, recording->activation, device);
    const tacho_stats_port ports[] = {host_port(self, recording, false),
                                      host_port(self, recording, true)};
    const bool is_there[] = {has->has_input, has->has_output};
    uint32_t place = 0;
    for (uint32_t i = 0; i < 2 * facts->core_count * facts->thread_count; i++) {
        if (is_there[i % 2]) {
            tacho_stats_port *port = &bank->ports[place++];
            *port = ports[i % 2];
            port->core = (uint16_t)(i / 2 / facts->thread_count);
            port->thread = (uint16_t)(i / 2 % facts->thread_count);
        }
    }
    for (uint32_t i = 0; has->has_input && i < facts->core_count; i++) {
        bank->doorbells[i] = (tacho_stats_doorbell){
            .core = (uint16_t)i,
            .port = TACHO_PORT_HOST_IN,
            .transaction = (uint32_t)recording->inference,
            .ring_u = tacho_recorder_tick(self, recording->rung),
        };
    }
}

/* ---- other devices ------------------------------------------------------------------------- */

/* The transfer that a job fetches; false: none. Its device knows only that it is fetched. */
static bool look_at_job(const tacho_recorder *self, const tacho_job *job, tacho_port_row *out_row)
{
    if (job->op == TACHO_NONE || job->kind != TACHO_JOB_P2P) {
        return false;
    }
    *out_row = (tacho_port_row){
        .engine = job->engine,
        .next = TACHO_NONE,
        .peer = job->partner,
        .op = tacho_op_ios_source(&self->ios, job->op, job->partner),
        .port = tacho_stats_p2p_port(job->partner, false),
    };
    return true;
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
        row.doorbell = self->device_doorbells[device]++;
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
    TACHO_RECORDER_ALLOC(recorder, program->facts.device_count, &recorder->host_ports);
    if (program->facts.stats.level < TACHO_STATS_LEVEL_PORTS) {
        return TACHO_OK;
    }
    place_host_ports(recorder);
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

static void fill_row(tacho_recorder *self, const tacho_recorder_turn *recording,
                     const tacho_port_row *row)
{
    const tacho_program_engine *engine = &self->program->engines[row->engine];
    tacho_bank *bank = tacho_recorder_bank(self, recording->activation, engine->device);
    bank->ports[row->place] = (tacho_stats_port){
        .core = engine->core,
        .thread = engine->thread,
        .port = row->port,
        .is_p2p = true,
        .peer = row->peer,
    };
    int64_t ring = row->op != TACHO_NONE ? recording->ops[row->op].end : 0;
    bank->doorbells[row->doorbell] = (tacho_stats_doorbell){
        .core = engine->core,
        .port = row->port,
        .transaction = (uint32_t)recording->inference,
        .ring_u = tacho_recorder_tick(self, recording->start + ring),
    };
}

void tacho_recorder_fill_ports(tacho_recorder *recorder, const tacho_recorder_turn *recording)
{
    const tacho_program *program = recorder->program;
    for (uint32_t i = 0; i < program->facts.device_count; i++) {
        fill_host_ports(recorder, recording, i);
    }
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
