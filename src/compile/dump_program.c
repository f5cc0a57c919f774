/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of the phases in which the network has become a program: the places of its tensors, the
 * jobs that its operators were cut into, and when each job runs on which engine.
 *
 * A job's result is a token that the jobs which wait for it take; |false_needs| are the operands
 * that matter only because a buffer is used again.
 */
#include "compile/dump.h"
#include "base/grow.h"
#include "compile/dump_regions.h"
#include "compile/dump_text.h"

#include <inttypes.h>
#include <stdlib.h>

static tacho_str string_of(const tacho_program *program, uint32_t id)
{
    return tacho_strings_get(&program->strings, id);
}

static void write_text(const tacho_program *program, const char *key, uint32_t id,
                       tacho_output *output)
{
    tacho_output_printf(output, "%s = ", key);
    tacho_dump_quoted(output, string_of(program, id));
}

/* Locations are numbered as operators are. */
static void write_location(uint32_t op, tacho_output *output)
{
    if (op == TACHO_NONE) {
        tacho_output_write_cstring(output, " loc(unknown)\n");
    } else {
        tacho_output_printf(output, " loc(#loc%" PRIu32 ")\n", op);
    }
}

/* ---- the module ---------------------------------------------------------------------------- */

typedef tacho_status (*write_body)(const tacho_dump *dump, tacho_output *output);

static tacho_status write_aliases(const tacho_program *program, tacho_output *output)
{
    tacho_arena scratch;
    tacho_arena_init(&scratch);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < program->op_count && status == TACHO_OK; i++) {
        status = tacho_dump_location_alias(output, i, string_of(program, program->ops[i].location),
                                           &scratch);
    }
    tacho_arena_deinit(&scratch);
    return status;
}

static void write_facts(const tacho_dump *dump, tacho_output *output)
{
    const tacho_program_facts *facts = &dump->program->facts;
    write_text(dump->program, "sym_name", facts->name, output);
    write_text(dump->program, ", machine", facts->machine, output);
    if (dump->has_profile) {
        tacho_output_printf(
            output,
            ", total_cycles = %" PRId64 " : i64, local_peak_bytes = %" PRIu64
            " : i64, ddr_bytes = %" PRIu64 " : i64, constant_bytes = %" PRIu64 " : i64",
            facts->total_cycles, facts->local_peak_bytes, facts->ddr_bytes, facts->constant_bytes);
    }
}

static tacho_status write_module(const tacho_dump *dump, tacho_output *output, write_body write)
{
    TACHO_TRY(write_aliases(dump->program, output));
    tacho_output_write_cstring(output, "\"builtin.module\"() ({\n  \"util.func\"() ({\n");
    TACHO_TRY(write(dump, output));
    tacho_output_write_cstring(output, "  }) {");
    write_facts(dump, output);
    tacho_output_write_cstring(output, "} : () -> () loc(unknown)\n}) : () -> () loc(unknown)\n");
    return tacho_output_failed(output) ? tacho_output_take_failure(output) : TACHO_OK;
}

/* ---- tensors ------------------------------------------------------------------------------- */

static void write_type(const tacho_program *program, uint32_t tensor, tacho_output *output)
{
    if (tensor == TACHO_NONE) {
        tacho_output_write_cstring(output, "none");
        return;
    }
    const tacho_program_tensor *facts = &program->tensors[tensor];
    tacho_dump_tensor_type(output, (tacho_dtype)facts->dtype, tacho_program_shape(program, facts));
}

static void write_links(const tacho_program *program, const uint32_t *tensors, size_t count,
                        bool are_types, tacho_output *output)
{
    for (size_t i = 0; i < count; i++) {
        tacho_output_write_cstring(output, i > 0 ? ", " : "");
        if (are_types) {
            write_type(program, tensors[i], output);
        } else if (tensors[i] == TACHO_NONE) {
            tacho_output_write_cstring(output, "%none");
        } else {
            tacho_output_printf(output, "%%t%" PRIu32, tensors[i]);
        }
    }
}

static const char *const storages[] = {
    "input",          "output",          "activation",       "constant.bytes",
    "constant.splat", "constant.random", "constant.computed"};

/* Tensors that no step makes: the network's inputs, constants, and those that depend on neither. */
static void write_given(const tacho_program *program, uint32_t tensor, tacho_output *output)
{
    const tacho_program_tensor *facts = &program->tensors[tensor];
    tacho_output_printf(output, "    %%t%" PRIu32 " = \"stream.tensor.import\"() {", tensor);
    write_text(program, "name", facts->name, output);
    tacho_output_printf(output,
                        ", storage = \"%s\", offset = %" PRIu64 " : i64, bytes = %" PRIu64
                        " : i64} : () -> ",
                        storages[facts->storage], facts->offset, facts->bytes);
    write_type(program, tensor, output);
    tacho_output_write_cstring(output, " loc(unknown)\n");
}

static void write_step(const tacho_program *program, const tacho_step *step, tacho_output *output)
{
    const uint32_t *links = program->links + step->first_link;
    const uint32_t *outputs = links + step->input_count;
    tacho_output_write_cstring(output, "    ");
    write_links(program, outputs, step->output_count, false, output);
    tacho_output_printf(output, "%s\"stream.async.dispatch\"(",
                        step->output_count > 0 ? " = " : "");
    write_links(program, links, step->input_count, false, output);
    tacho_output_write_cstring(output, ") {");
    write_text(program, "type", step->type, output);
    if (step->op != TACHO_NONE) {
        const tacho_program_op *op = &program->ops[step->op];
        tacho_output_printf(output, ", operator = %" PRIu32 " : i32", step->op);
        if (op->dispatch < program->dispatch_count) {
            write_text(program, ", dispatch", program->dispatches[op->dispatch].name, output);
        }
    }
    tacho_output_write_cstring(output, "} : (");
    write_links(program, links, step->input_count, true, output);
    tacho_output_write_cstring(output, ") -> (");
    write_links(program, outputs, step->output_count, true, output);
    tacho_output_write_cstring(output, ")");
    write_location(step->op, output);
}

static void write_steps(const tacho_program *program, bool *is_made, tacho_output *output)
{
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        for (uint16_t k = 0; k < step->output_count; k++) {
            uint32_t tensor = program->links[step->first_link + step->input_count + k];
            is_made[tensor == TACHO_NONE ? program->tensor_count : tensor] = true;
        }
    }
    tacho_output_write_cstring(output, "    %none = \"model.none\"() : () -> none loc(unknown)\n");
    for (size_t i = 0; i < program->tensor_count; i++) {
        if (!is_made[i]) {
            write_given(program, (uint32_t)i, output);
        }
    }
    for (size_t i = 0; i < program->step_count; i++) {
        write_step(program, &program->steps[i], output);
    }
}

static tacho_status write_tensors(const tacho_dump *dump, tacho_output *output)
{
    const tacho_program *program = dump->program;
    bool *is_made = tacho_items_alloc(program->tensor_count, sizeof(*is_made));
    if (is_made == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu tensors",
                          program->tensor_count);
    }
    write_steps(program, is_made, output);
    free(is_made);
    tacho_output_write_cstring(output, "    \"util.return\"(");
    write_links(program, program->outputs, program->output_count, false, output);
    tacho_output_write_cstring(output, ") : (");
    write_links(program, program->outputs, program->output_count, true, output);
    tacho_output_write_cstring(output, ") -> () loc(unknown)\n");
    return TACHO_OK;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

static void write_job_facts(const tacho_dump *dump, const tacho_job *job, tacho_output *output)
{
    const tacho_program *program = dump->program;
    static const char *const kinds[] = {"load",    "store",  "copy", "compute",
                                        "control", "signal", "wait", "p2p"};
    const tacho_program_engine *engine = &program->engines[job->engine];
    tacho_output_printf(output, "kind = \"%s\"", kinds[job->kind]);
    write_text(program, ", engine", engine->name, output);
    tacho_output_printf(output,
                        ", device = %u : i32, core = %u : i32, index = %u : i32, tile = %" PRIu32
                        " : i32, bytes = %" PRIu64 " : i64, macs = %" PRIu64 " : i64",
                        (unsigned)engine->device, (unsigned)engine->core, (unsigned)engine->index,
                        job->tile, job->bytes, job->macs);
    if (job->kind == TACHO_JOB_P2P) {
        tacho_output_printf(output, ", from = %" PRIu32 " : i32", job->partner);
    }
    if (dump->has_profile) {
        tacho_output_printf(output, ", cycles = %" PRId64 " : i64", job->cycles);
    }
}

static tacho_status write_operators(const tacho_dump *dump, tacho_output *output)
{
    const tacho_program *program = dump->program;
    for (size_t i = 0; i < program->op_count; i++) {
        const tacho_program_op *op = &program->ops[i];
        tacho_output_write_cstring(output, "    \"tacho.operator\"() ({\n");
        for (uint32_t k = 0; k < op->job_count; k++) {
            tacho_output_write_cstring(output, "      \"tacho.job\"() {");
            write_job_facts(dump, &program->jobs[op->first_job + k], output);
            tacho_output_printf(output, "} : () -> () loc(#loc%zu)\n", i);
        }
        tacho_output_write_cstring(output, "    }) {");
        write_text(program, "name", op->name, output);
        write_text(program, ", type", op->type, output);
        write_text(program, ", kind", op->kind, output);
        tacho_output_printf(output,
                            ", macs = %" PRIu64 " : i64, input_bytes = %" PRIu64
                            " : i64, weight_bytes = %" PRIu64 " : i64, output_bytes = %" PRIu64
                            " : i64} : () -> () loc(#loc%zu)\n",
                            op->macs, op->input_bytes, op->weight_bytes, op->output_bytes, i);
    }
    return TACHO_OK;
}

static void write_buffer(const tacho_program *program, size_t index, tacho_output *output)
{
    static const char *const roles[] = {"tile", "resident", "scratch"};
    const tacho_buffer *buffer = &program->buffers[index];
    tacho_output_printf(output, "    %%b%zu = \"tacho.buffer\"() {", index);
    write_text(program, "memory", buffer->memory, output);
    tacho_output_printf(output,
                        ", device = %u : i32, core = %u : i32, offset = %" PRIu64
                        " : i64, bytes = %" PRIu64 " : i64, role = \"%s\"",
                        (unsigned)buffer->device, (unsigned)buffer->core, buffer->offset,
                        buffer->bytes, roles[buffer->role]);
    if (buffer->first_job != TACHO_NONE && buffer->last_job != TACHO_NONE) {
        tacho_output_printf(output, ", first_job = %" PRIu32 " : i32, last_job = %" PRIu32 " : i32",
                            buffer->first_job, buffer->last_job);
    }
    if (buffer->tensor != TACHO_NONE) {
        tacho_output_printf(output, ", tensor = %" PRIu32 " : i32", buffer->tensor);
    }
    if (buffer->extent_count > 0) {
        tacho_output_write_cstring(output, ", region = {");
        tacho_dump_extents(program, buffer->first_extent, buffer->extent_count, "", output);
        tacho_output_write_cstring(output, "}");
    }
    tacho_output_write_cstring(output, "} : () -> !tacho.buffer loc(unknown)\n");
}

static void write_false_needs(const tacho_program *program, const tacho_job *job,
                              tacho_output *output)
{
    size_t count = 0;
    for (uint32_t i = 0; i < job->need_count; i++) {
        if (program->needs[job->first_need + i].is_false != 0) {
            tacho_output_printf(output, "%s%" PRIu32,
                                count++ == 0 ? ", false_needs = array<i32: " : ", ", i);
        }
    }
    tacho_output_write_cstring(output, count > 0 ? ">" : "");
}

static void write_job(const tacho_dump *dump, size_t index, tacho_output *output)
{
    const tacho_program *program = dump->program;
    const tacho_job *job = &program->jobs[index];
    bool has_buffer = job->buffer != TACHO_NONE;
    tacho_output_printf(output, "    %%j%zu = \"tacho.job\"(", index);
    for (uint32_t i = 0; i < job->need_count; i++) {
        tacho_output_printf(output, "%s%%j%" PRIu32, i > 0 ? ", " : "",
                            program->needs[job->first_need + i].job);
    }
    if (has_buffer) {
        tacho_output_printf(output, "%s%%b%" PRIu32, job->need_count > 0 ? ", " : "", job->buffer);
    }
    tacho_output_write_cstring(output, ") {");
    write_job_facts(dump, job, output);
    if (dump->has_profile) {
        tacho_output_printf(output, ", start = %" PRId64 " : i64, end = %" PRId64 " : i64",
                            job->start, job->end);
    }
    write_false_needs(program, job, output);
    if (job->region_count > 0) {
        tacho_output_write_cstring(output, ", regions = [");
        for (uint32_t i = 0; i < job->region_count; i++) {
            tacho_output_write_cstring(output, i > 0 ? ", " : "");
            tacho_dump_region(program, &program->regions[job->first_region + i], output);
        }
        tacho_output_write_cstring(output, "]");
    }
    tacho_output_write_cstring(output, "} : (");
    for (uint32_t i = 0; i < job->need_count; i++) {
        tacho_output_write_cstring(output, i > 0 ? ", !tacho.token" : "!tacho.token");
    }
    if (has_buffer) {
        tacho_output_write_cstring(output,
                                   job->need_count > 0 ? ", !tacho.buffer" : "!tacho.buffer");
    }
    tacho_output_write_cstring(output, ") -> !tacho.token");
    write_location(job->op, output);
}

/* Tensors that jobs touch, as the machine keeps them. */
static void write_kept(const tacho_program *program, uint32_t tensor, tacho_output *output)
{
    const tacho_program_tensor *facts = &program->tensors[tensor];
    uint64_t elements = 0;
    uint64_t bytes = 0;
    enum { BLOCK = 64 }; /* elements, so that small types have whole bytes */
    uint64_t block_bytes = 0;
    (void)tacho_shape_elements(tacho_program_shape(program, facts), &elements);
    (void)tacho_dtype_bytes((tacho_dtype)facts->kept, elements, &bytes);
    (void)tacho_dtype_bytes((tacho_dtype)facts->kept, BLOCK, &block_bytes);
    tacho_output_printf(output, "    %%t%" PRIu32 " = \"tacho.tensor\"() {", tensor);
    write_text(program, "name", facts->name, output);
    tacho_output_printf(
        output,
        ", storage = \"%s\", place = \"%s\", kept = \"%s\", elements = %" PRIu64
        " : i64, bits = %" PRIu64 " : i32, bytes = %" PRIu64 " : i64} : () -> ",
        facts->storage >= TACHO_STORAGE_BYTES ? "constant" : storages[facts->storage],
        facts->is_local != 0 ? "local" : "shared", tacho_dtype_name((tacho_dtype)facts->kept),
        elements, block_bytes * 8 / BLOCK, bytes);
    write_type(program, tensor, output);
    tacho_output_write_cstring(output, " loc(unknown)\n");
}

static tacho_status write_touched(const tacho_program *program, tacho_output *output)
{
    bool *is_touched = tacho_items_alloc(program->tensor_count, sizeof(*is_touched));
    if (is_touched == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu tensors",
                          program->tensor_count);
    }
    for (size_t i = 0; i < program->region_count; i++) {
        uint32_t tensor = program->regions[i].tensor;
        is_touched[tensor == TACHO_NONE ? program->tensor_count : tensor] = true;
    }
    for (size_t i = 0; i < program->buffer_count; i++) {
        uint32_t tensor = program->buffers[i].tensor;
        is_touched[tensor == TACHO_NONE ? program->tensor_count : tensor] = true;
    }
    for (size_t i = 0; i < program->tensor_count; i++) {
        if (is_touched[i]) {
            write_kept(program, (uint32_t)i, output);
        }
    }
    free(is_touched);
    return TACHO_OK;
}

static tacho_status write_schedule(const tacho_dump *dump, tacho_output *output)
{
    const tacho_program *program = dump->program;
    TACHO_TRY(write_touched(program, output));
    for (size_t i = 0; i < program->buffer_count; i++) {
        write_buffer(program, i, output);
    }
    for (size_t i = 0; i < program->job_count; i++) {
        write_job(dump, i, output);
    }
    return TACHO_OK;
}

/* ---- phases -------------------------------------------------------------------------------- */

tacho_status tacho_dump_placed(const tacho_dump *dump, tacho_output *output)
{
    return write_module(dump, output, write_tensors);
}

tacho_status tacho_dump_tiled(const tacho_dump *dump, tacho_output *output)
{
    return write_module(dump, output, write_operators);
}

tacho_status tacho_dump_scheduled(const tacho_dump *dump, tacho_output *output)
{
    return write_module(dump, output, write_schedule);
}
