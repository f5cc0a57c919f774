/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dump of the last phase: what the accelerator runs, in the operations of Torq's compiler. Each
 * dispatch is a function. Its programs are first: one per operator for the slices, and one per
 * block for the sequencer; the host's actions follow: start a program, wait for it.
 *
 * A sequencer's program is a row of tasks in the order of time. Jobs that start at one time are one
 * task, and jobs that are waited for at one time are another, so that their times are those of the
 * schedule. Names are unique in a file: slice program 5 is %s5, its invocation %si5, and %a2_5
 * where it is an argument of block 2.
 */
#include "compile/dump.h"
#include "base/grow.h"
#include "compile/dump_targets.h"
#include "compile/dump_text.h"
#include "program/timing.h"

#include <inttypes.h>
#include <stdlib.h>

/* Operators that the location of a program names at most. */
enum { LOCATIONS_MAX = 1024 };

static tacho_str string_of(const tacho_targets *self, uint32_t id)
{
    return tacho_strings_get(&self->program->strings, id);
}

void tacho_targets_location(const tacho_targets *self, uint32_t op)
{
    if (op == TACHO_NONE) {
        tacho_output_write_cstring(self->output, " loc(unknown)\n");
    } else {
        tacho_output_printf(self->output, " loc(#loc%" PRIu32 ")\n", op);
    }
}

/* ---- engines ------------------------------------------------------------------------------- */

/* Names of an engine's operations. */
typedef struct engine_word {
    const char *class_name;
    tacho_target_engine engine;
} engine_word;

static const engine_word engine_words[] = {
    {"compute", TACHO_TARGET_SLICE},   {"vector", TACHO_TARGET_CSS},
    {"control", TACHO_TARGET_CSS},     {"dma_in", TACHO_TARGET_DMA_IN},
    {"dma_out", TACHO_TARGET_DMA_OUT}, {"dma_local", TACHO_TARGET_SLICE},
};

tacho_target_engine tacho_targets_engine(const tacho_targets *self, const tacho_job *job)
{
    tacho_str name = string_of(self, self->program->engines[job->engine].class_name);
    for (size_t i = 0; i < sizeof(engine_words) / sizeof(engine_words[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(engine_words[i].class_name))) {
            return engine_words[i].engine;
        }
    }
    return TACHO_TARGET_HOST;
}

static bool is_kernel(const tacho_targets *self, const tacho_job *job)
{
    tacho_target_engine engine = tacho_targets_engine(self, job);
    return job->op != TACHO_NONE && job->kind != TACHO_JOB_SIGNAL && job->kind != TACHO_JOB_WAIT &&
           (engine == TACHO_TARGET_SLICE || engine == TACHO_TARGET_CSS);
}

/* Kernels are numbered by operator and engine. */
static size_t kernel_of(const tacho_targets *self, const tacho_job *job)
{
    return (size_t)job->op * 2 + (tacho_targets_engine(self, job) == TACHO_TARGET_CSS ? 1 : 0);
}

/* ---- memories ------------------------------------------------------------------------------ */

void tacho_targets_buffer_type(const tacho_targets *self, uint32_t buffer)
{
    if (buffer == TACHO_NONE) {
        tacho_output_printf(self->output, "!torq_hl.memref<%" PRIu64 "xi8, mem_space = xram>",
                            self->shared_bytes);
        return;
    }
    const tacho_buffer *facts = &self->program->buffers[buffer];
    tacho_str memory = string_of(self, facts->memory);
    tacho_output_printf(self->output, "!torq_hl.memref<%" PRIu64 "xi8, mem_space = ", facts->bytes);
    for (size_t i = 0; i < memory.len; i++) {
        char byte = memory.data[i];
        byte = byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
        bool is_good = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
        tacho_output_write(self->output, is_good ? &byte : "_", 1);
    }
    tacho_output_write_cstring(self->output, memory.len > 0 ? ">" : "lram>");
}

static void write_buffer(tacho_targets *self, uint32_t buffer, uint32_t op)
{
    const tacho_buffer *facts = &self->program->buffers[buffer];
    tacho_output_printf(self->output,
                        "        %%b%" PRIu32 " = \"torq_hl.get_block\"() {core = %u : i32, offset "
                        "= %" PRIu64 " : i64} : () -> ",
                        buffer, (unsigned)facts->core, facts->offset);
    tacho_targets_buffer_type(self, buffer);
    tacho_targets_location(self, op);
}

/* ---- slices' programs ---------------------------------------------------------------------- */

/* "conv2d" of "tosa.conv2d". */
static tacho_str last_word(tacho_str type)
{
    for (size_t i = type.len; i > 0; i--) {
        if (type.data[i - 1] == '.') {
            return tacho_str_from(type, i);
        }
    }
    return type;
}

/* The operator's name is its program's, as everywhere else. */
static void write_kernel_name(tacho_targets *self, const tacho_program_op *op, bool is_css)
{
    tacho_output_printf(self->output, "<{name = \"%s_program_torq_hl.", is_css ? "css" : "slice");
    tacho_dump_escaped(self->output, string_of(self, op->name));
    tacho_output_write_cstring(self->output, "\"}>");
}

/* The step that the operator is named after: views that it needs precede it. */
static uint32_t main_step(const tacho_targets *self, const tacho_program_op *op)
{
    tacho_str word = string_of(self, op->type);
    size_t plus = tacho_str_find_byte(word, '+');
    word = last_word(tacho_str_make(word.data, plus < word.len ? plus : word.len));
    for (uint32_t i = 0; i < op->step_count; i++) {
        tacho_str type = string_of(self, self->program->steps[op->first_step + i].type);
        if (tacho_str_equal(last_word(type), word)) {
            return op->first_step + i;
        }
    }
    return op->first_step;
}

static void write_shapes(tacho_targets *self, const tacho_program_op *op)
{
    const tacho_program *program = self->program;
    char text[TACHO_SHAPE_TEXT_MAX];
    size_t count = 0;
    if (op->step_count == 0) {
        return;
    }
    const tacho_step *step = &program->steps[main_step(self, op)];
    size_t links = (size_t)step->input_count + step->output_count;
    for (size_t k = 0; k < links; k++) {
        uint32_t tensor = program->links[step->first_link + k];
        if (tensor != TACHO_NONE) {
            tacho_output_printf(
                self->output, "%s%s", count++ > 0 ? "+" : "",
                tacho_shape_print(tacho_program_shape(program, &program->tensors[tensor]), text,
                                  sizeof(text)));
        }
    }
}

/*
 * The memory is the local memory in use while the operator runs, so that the fullest program of a
 * dispatch has the dispatch's total.
 */
static tacho_status write_kernel_profile(tacho_targets *self, const tacho_job *job)
{
    const tacho_program_op *op = &self->program->ops[job->op];
    int64_t longest = 0;
    uint64_t memory = 0;
    TACHO_TRY(tacho_program_jobs_peak(self->program, op->first_job,
                                      op->first_job + op->job_count - 1, &memory));
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *other = &self->program->jobs[op->first_job + i];
        longest = other->engine == job->engine && other->cycles > longest ? other->cycles : longest;
    }
    tacho_output_printf(self->output,
                        "          \"torq_hw.slice_profiling\"() {memory = %" PRIu64
                        " : i64, max_cycle = %" PRId64 " : i64, macs = %" PRIu64
                        " : i64, shapes = \"",
                        memory, longest, op->macs);
    write_shapes(self, op);
    tacho_output_write_cstring(self->output, "\"} : () -> ()");
    tacho_targets_location(self, job->op);
    return TACHO_OK;
}

static tacho_status write_kernel(tacho_targets *self, const tacho_job *job)
{
    const tacho_program_op *op = &self->program->ops[job->op];
    tacho_output *output = self->output;
    bool is_css = tacho_targets_engine(self, job) == TACHO_TARGET_CSS;
    const char *executor = is_css ? "css" : "slice";
    char letter = is_css ? 'c' : 's';
    tacho_output_printf(output, "        %%%c%" PRIu32 " = \"torq_hl.program\"() ", letter,
                        job->op);
    write_kernel_name(self, op, is_css);
    tacho_output_write_cstring(output, " ({\n");
    if (self->has_profile) {
        TACHO_TRY(write_kernel_profile(self, job));
    }
    tacho_output_write_cstring(output, "          \"torq_hl.return\"() : () -> ()");
    tacho_targets_location(self, job->op);
    tacho_output_printf(output, "        }) : () -> !torq_hl.program<%s>", executor);
    tacho_targets_location(self, job->op);
    tacho_output_printf(
        output, "        %%%ci%" PRIu32 " = \"torq_hl.create_invocation\"(%%%c%" PRIu32 ") ",
        letter, job->op, letter, job->op);
    write_kernel_name(self, op, is_css);
    tacho_output_printf(output, " : (!torq_hl.program<%s>) -> !torq_hl.invocation<%s>", executor,
                        executor);
    tacho_targets_location(self, job->op);
    return TACHO_OK;
}

/* Buffers and kernels of a block that no block before it has shown. */
static tacho_status write_new(tacho_targets *self, const tacho_block *block)
{
    for (uint32_t i = 0; i < block->job_count; i++) {
        const tacho_job *job = &self->program->jobs[block->first_job + i];
        if (job->buffer != TACHO_NONE && self->buffer_marks[job->buffer] != self->dispatch + 1) {
            self->buffer_marks[job->buffer] = self->dispatch + 1;
            write_buffer(self, job->buffer, job->op);
        }
        if (is_kernel(self, job) &&
            self->kernel_marks[kernel_of(self, job)] != self->dispatch + 1) {
            self->kernel_marks[kernel_of(self, job)] = self->dispatch + 1;
            TACHO_TRY(write_kernel(self, job));
        }
    }
    return TACHO_OK;
}

/* ---- arguments ----------------------------------------------------------------------------- */

typedef enum argument_form { AS_ARGUMENT, AS_VALUE, AS_TYPE } argument_form;

/* The kernels that a block starts, each once; how many there are. */
static uint32_t write_arguments(tacho_targets *self, uint32_t block, argument_form form)
{
    const tacho_block *facts = &self->program->blocks[block];
    uint32_t count = 0;
    self->round++;
    for (uint32_t i = 0; i < facts->job_count; i++) {
        const tacho_job *job = &self->program->jobs[facts->first_job + i];
        if (!is_kernel(self, job) || self->argument_marks[kernel_of(self, job)] == self->round) {
            continue;
        }
        self->argument_marks[kernel_of(self, job)] = self->round;
        bool is_css = tacho_targets_engine(self, job) == TACHO_TARGET_CSS;
        char letter = is_css ? 'c' : 's';
        const char *between = count++ > 0 || form != AS_ARGUMENT ? ", " : "";
        if (form == AS_VALUE) {
            tacho_output_printf(self->output, "%s%%%ci%" PRIu32, between, letter, job->op);
        } else if (form == AS_ARGUMENT) {
            tacho_output_printf(self->output,
                                "%s%%a%" PRIu32 "_%c%" PRIu32 ": !torq_hl.invocation<%s>", between,
                                block, letter, job->op, is_css ? "css" : "slice");
            tacho_output_write_cstring(self->output, " loc(unknown)");
        } else {
            tacho_output_printf(self->output, "%s!torq_hl.invocation<%s>", between,
                                is_css ? "css" : "slice");
        }
    }
    return count;
}

static bool has_arguments(const tacho_targets *self, const tacho_block *block)
{
    bool has = false;
    for (uint32_t i = 0; i < block->job_count && !has; i++) {
        has = is_kernel(self, &self->program->jobs[block->first_job + i]);
    }
    return has;
}

/* ---- the sequencer's programs -------------------------------------------------------------- */

/* The locations of the block's operators, each once. */
static void write_block_location(tacho_targets *self, const tacho_block *block)
{
    size_t count = 0;
    uint32_t first = TACHO_NONE;
    self->round++;
    for (uint32_t i = 0; i < block->job_count && count < LOCATIONS_MAX; i++) {
        uint32_t op = self->program->jobs[block->first_job + i].op;
        if (op == TACHO_NONE || self->argument_marks[2 * (size_t)op] == self->round) {
            continue;
        }
        self->argument_marks[2 * (size_t)op] = self->round;
        if (count == 1) {
            tacho_output_printf(self->output, " loc(fused[#loc%" PRIu32, first);
        }
        if (count > 0) {
            tacho_output_printf(self->output, ", #loc%" PRIu32, op);
        }
        first = count++ == 0 ? op : first;
    }
    if (count > 1) {
        tacho_output_write_cstring(self->output, "])\n");
    } else {
        tacho_targets_location(self, first);
    }
}

static tacho_status write_block(tacho_targets *self, uint32_t block, uint32_t job_id)
{
    const tacho_block *facts = &self->program->blocks[block];
    tacho_output *output = self->output;
    TACHO_TRY(write_new(self, facts));
    tacho_output_printf(output,
                        "        %%p%" PRIu32
                        " = \"torq_hl.program\"() <{name = \"nss_program_%" PRIu32 "\"}> ({\n",
                        block, job_id);
    if (has_arguments(self, facts)) {
        tacho_output_write_cstring(output, "        ^bb0(");
        write_arguments(self, block, AS_ARGUMENT);
        tacho_output_write_cstring(output, "):\n");
    }
    TACHO_TRY(tacho_targets_tasks(self, block));
    tacho_output_write_cstring(output, "          \"torq_hl.return\"() : () -> () loc(unknown)\n"
                                       "        }) : () -> !torq_hl.program<nss>");
    write_block_location(self, facts);
    tacho_output_printf(output,
                        "        %%i%" PRIu32 " = \"torq_hl.create_invocation\"(%%p%" PRIu32
                        ") <{name = \"nss_program_%" PRIu32 "\"}> {\"torq-job-id\" = %" PRIu32
                        " : i32} : (!torq_hl.program<nss>) -> !torq_hl.invocation<nss>",
                        block, block, job_id, job_id);
    write_block_location(self, facts);
    return TACHO_OK;
}

/* ---- actions of the host ------------------------------------------------------------------- */

typedef struct host_action {
    uint32_t id;
    uint32_t block;
    bool is_wait;
} host_action;

static int compare_actions(const void *left, const void *right)
{
    const host_action *a = left;
    const host_action *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return a->is_wait == b->is_wait ? (a->block < b->block ? -1 : 1) : (a->is_wait ? 1 : -1);
}

static void write_start(tacho_targets *self, uint32_t block, int64_t start)
{
    const tacho_block *facts = &self->program->blocks[block];
    tacho_output *output = self->output;
    tacho_output_printf(output, "        \"torq_hl.start_program\"(%%i%" PRIu32, block);
    uint32_t count = write_arguments(self, block, AS_VALUE);
    tacho_output_printf(output,
                        ") <{operandSegmentSizes = array<i32: 1, 0, %" PRIu32
                        ">}> {\"torq-action-id\" = %" PRIu32 " : i32",
                        count, facts->start_action);
    tacho_targets_times(self, start, start);
    tacho_output_write_cstring(output, "} : (!torq_hl.invocation<nss>");
    write_arguments(self, block, AS_TYPE);
    tacho_output_write_cstring(output, ") -> ()");
    write_block_location(self, facts);
}

static void write_wait(tacho_targets *self, uint32_t block, int64_t start, int64_t end)
{
    const tacho_block *facts = &self->program->blocks[block];
    tacho_output_printf(self->output,
                        "        \"torq_hl.wait_program\"(%%i%" PRIu32
                        ") {\"torq-action-id\" = %" PRIu32 " : i32",
                        block, facts->wait_action);
    tacho_targets_times(self, start, end);
    tacho_output_write_cstring(self->output, "} : (!torq_hl.invocation<nss>) -> ()");
    write_block_location(self, facts);
}

static void find_span(const tacho_targets *self, const tacho_block *block, int64_t *out_start,
                      int64_t *out_end)
{
    const tacho_job *jobs = self->program->jobs + block->first_job;
    *out_start = block->job_count > 0 ? jobs[0].start : 0;
    *out_end = *out_start;
    for (uint32_t i = 0; i < block->job_count; i++) {
        *out_start = jobs[i].start < *out_start ? jobs[i].start : *out_start;
        *out_end = jobs[i].end > *out_end ? jobs[i].end : *out_end;
    }
}

/* Numbers that no program has are those of the copies between the host's memory and ours. */
static void write_actions(tacho_targets *self, const host_action *actions, size_t count)
{
    uint32_t next = 0;
    int64_t time = 0;
    for (size_t i = 0; i < count; i++) {
        const host_action *action = &actions[i];
        for (; next < action->id; next++) {
            tacho_output_printf(self->output,
                                "        \"torq_hl.host_copy\"(%%xram, %%xram) "
                                "{\"torq-action-id\" = %" PRIu32 " : i32} : (",
                                next);
            tacho_targets_buffer_type(self, TACHO_NONE);
            tacho_output_write_cstring(self->output, ", ");
            tacho_targets_buffer_type(self, TACHO_NONE);
            tacho_output_write_cstring(self->output, ") -> () loc(unknown)\n");
        }
        next = action->id + 1;
        int64_t start;
        int64_t end;
        find_span(self, &self->program->blocks[action->block], &start, &end);
        if (action->is_wait) {
            write_wait(self, action->block, time, end);
            time = end;
        } else {
            write_start(self, action->block, start);
            time = start;
        }
    }
}

static tacho_status write_host(tacho_targets *self, const uint32_t *blocks, size_t count)
{
    host_action *actions = tacho_items_alloc(2 * count, sizeof(*actions));
    if (actions == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu actions", 2 * count);
    }
    for (size_t i = 0; i < count; i++) {
        const tacho_block *block = &self->program->blocks[blocks[i]];
        actions[2 * i] = (host_action){block->start_action, blocks[i], false};
        actions[2 * i + 1] = (host_action){block->wait_action, blocks[i], true};
    }
    qsort(actions, 2 * count, sizeof(*actions), compare_actions);
    write_actions(self, actions, 2 * count);
    free(actions);
    return TACHO_OK;
}

/* ---- dispatches ---------------------------------------------------------------------------- */

/* The most local memory of a block, and from the dispatch's first cycle to its last. */
static tacho_status write_dispatch_profile(tacho_targets *self, const uint32_t *blocks,
                                           size_t count)
{
    int64_t start = INT64_MAX;
    int64_t end = 0;
    uint64_t peak = 0;
    for (size_t i = 0; i < count; i++) {
        const tacho_block *block = &self->program->blocks[blocks[i]];
        uint64_t bytes = 0;
        if (block->job_count > 0) {
            int64_t block_start = 0;
            int64_t block_end = 0;
            TACHO_TRY(tacho_program_jobs_peak(self->program, block->first_job,
                                              block->first_job + block->job_count - 1, &bytes));
            find_span(self, block, &block_start, &block_end);
            start = block_start < start ? block_start : start;
            end = block_end > end ? block_end : end;
        }
        peak = bytes > peak ? bytes : peak;
    }
    tacho_output_printf(self->output,
                        "        \"torq_hw.dispatch_profiling\"() {total_lram_bytes = %" PRIu64
                        " : i64, total_cycle = %" PRId64 " : i64} : () -> () loc(unknown)\n",
                        peak, end > start ? end - start : 0);
    return TACHO_OK;
}

static tacho_status write_function(tacho_targets *self, const uint32_t *blocks, size_t count)
{
    tacho_output *output = self->output;
    tacho_str name = string_of(self, self->program->dispatches[self->dispatch].name);
    self->task_count = 0;
    tacho_output_write_cstring(output,
                               "      \"func.func\"() <{function_type = () -> (), sym_name = ");
    tacho_dump_quoted(output, name);
    tacho_output_write_cstring(output, "}> ({\n        %xram = \"torq_hl.map_binding\"() : () -> ");
    tacho_targets_buffer_type(self, TACHO_NONE);
    tacho_output_write_cstring(output, " loc(unknown)\n");
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(write_block(self, blocks[i], (uint32_t)i));
    }
    if (self->has_profile) {
        TACHO_TRY(write_dispatch_profile(self, blocks, count));
    }
    TACHO_TRY(write_host(self, blocks, count));
    tacho_output_write_cstring(output, "        \"func.return\"() : () -> () loc(unknown)\n"
                                       "      }) : () -> () loc(unknown)\n");
    return tacho_output_failed(output) ? tacho_output_take_failure(output) : TACHO_OK;
}

static tacho_status write_executable(tacho_targets *self, const uint32_t *blocks, size_t count)
{
    tacho_output *output = self->output;
    tacho_output_write_cstring(output, "  \"hal.executable\"() ({\n    \"builtin.module\"() ({\n");
    TACHO_TRY(write_function(self, blocks, count));
    tacho_output_write_cstring(output, "    }) : () -> () loc(unknown)\n  }) {sym_name = ");
    tacho_dump_quoted(output, string_of(self, self->program->dispatches[self->dispatch].name));
    tacho_output_write_cstring(output, "} : () -> () loc(unknown)\n");
    return TACHO_OK;
}

/* ---- the module ---------------------------------------------------------------------------- */

/* Engines of one class are numbered over all cores; Torq has one core, so there it is the slice. */
static void number_engines(tacho_targets *self)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->engine_count; i++) {
        uint32_t before = 0;
        for (size_t k = 0; k < i; k++) {
            before += program->engines[k].class_name == program->engines[i].class_name ? 1 : 0;
        }
        self->engine_ids[i] = before;
    }
}

/* The blocks by dispatch: count, add up, put each in its place. */
static void order_blocks(tacho_targets *self)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->block_count; i++) {
        self->first_blocks[program->blocks[i].dispatch + 2]++;
    }
    for (size_t i = 1; i <= program->dispatch_count; i++) {
        self->first_blocks[i + 1] += self->first_blocks[i];
    }
    for (size_t i = 0; i < program->block_count; i++) {
        self->block_order[self->first_blocks[program->blocks[i].dispatch + 1]++] = (uint32_t)i;
    }
}

static tacho_status open_targets(tacho_targets *self)
{
    const tacho_program *program = self->program;
    self->engine_ids = tacho_items_alloc(program->engine_count, sizeof(*self->engine_ids));
    self->buffer_marks = tacho_items_alloc(program->buffer_count, sizeof(*self->buffer_marks));
    self->kernel_marks = tacho_items_alloc(2 * program->op_count, sizeof(*self->kernel_marks));
    self->argument_marks = tacho_items_alloc(2 * program->op_count, sizeof(*self->argument_marks));
    self->block_order = tacho_items_alloc(program->block_count, sizeof(*self->block_order));
    self->first_blocks = calloc(program->dispatch_count + 2, sizeof(*self->first_blocks));
    if (self->engine_ids == NULL || self->buffer_marks == NULL || self->kernel_marks == NULL ||
        self->argument_marks == NULL || self->block_order == NULL || self->first_blocks == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a dump of %zu operators",
                          program->op_count);
    }
    self->shared_bytes = program->facts.ddr_bytes;
    for (size_t i = 0; i < program->op_count; i++) {
        self->shared_bytes += program->ops[i].weight_bytes;
    }
    number_engines(self);
    order_blocks(self);
    return TACHO_OK;
}

static void close_targets(tacho_targets *self)
{
    free(self->engine_ids);
    free(self->buffer_marks);
    free(self->kernel_marks);
    free(self->argument_marks);
    free(self->block_order);
    free(self->first_blocks);
}

static tacho_status write_aliases(const tacho_targets *self, uint32_t first, uint32_t count)
{
    tacho_arena scratch;
    tacho_arena_init(&scratch);
    tacho_status status = TACHO_OK;
    for (uint32_t i = first; i < first + count && status == TACHO_OK; i++) {
        tacho_str location = string_of(self, self->program->ops[i].location);
        status = self->fusion != NULL
                     ? tacho_targets_alias(self->fusion, i, self->output)
                     : tacho_dump_location_alias(self->output, i, location, &scratch);
    }
    tacho_arena_deinit(&scratch);
    return status;
}

static tacho_status write_dispatches(tacho_targets *self, uint32_t first, uint32_t count)
{
    TACHO_TRY(write_aliases(self, 0, (uint32_t)self->program->op_count));
    tacho_output_write_cstring(self->output, "\"builtin.module\"() ({\n");
    if (self->fusion != NULL) {
        TACHO_TRY(tacho_targets_operators(self->fusion, self->output));
    }
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t at = self->first_blocks[i];
        self->dispatch = i;
        TACHO_TRY(write_executable(self, self->block_order + at, self->first_blocks[i + 1] - at));
    }
    tacho_output_write_cstring(self->output, "}) : () -> () loc(unknown)\n");
    return TACHO_OK;
}

static tacho_status write_targets(const tacho_dump *dump, uint32_t first, uint32_t count,
                                  tacho_output *output)
{
    tacho_targets self = {
        .program = dump->program,
        .fusion = dump->fusion,
        .output = output,
        .has_profile = dump->has_profile,
    };
    tacho_status status = open_targets(&self);
    if (status == TACHO_OK) {
        status = write_dispatches(&self, first, count);
    }
    close_targets(&self);
    return status;
}

tacho_status tacho_dump_targets(const tacho_dump *dump, tacho_output *output)
{
    return write_targets(dump, 0, (uint32_t)dump->program->dispatch_count, output);
}

tacho_status tacho_dump_dispatch(const tacho_dump *dump, size_t dispatch, tacho_output *output)
{
    return write_targets(dump, (uint32_t)dispatch, 1, output);
}
